/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LIO's iSER target over kDAPL.
 *
 * A portal (np.c) listens on adapters (device.c) and makes a connection of each request
 * (conn.c). LIO's login thread gets it when its first login request is there (login.c).
 * A worker per connection takes all of its events in order: requests go to LIO (rx.c);
 * LIO answers (tx.c), and moves data by RDMA (data.c, bounce.c).
 *
 * Who ends a command. LIO has each command on its connection's list, and frees what is
 * there when the connection closes, as it does for TCP. A command that is answered is
 * taken off the list first, and from then on is ours: the completion of its answer ends
 * it. Before LIO frees, the connection's gate is closed, and nothing is posted any more:
 * so a command has one owner at any time.
 */
#ifndef ISERT_H
#define ISERT_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <scsi/iscsi_proto.h>
#include <scsi/iser.h>
#include <target/target_core_base.h>
#include <target/target_core_fabric.h>
#include <target/iscsi/iscsi_transport.h>

#include <dat2/kdat.h>
#include <dat2/kdat_ext.h>

/* What a PDU of iSER is on the wire. */
struct isert_pdu {
	struct iser_ctrl iser;
	struct iscsi_hdr iscsi;
	u8 data[];
} __packed;

/* Data of a request, as long as the initiator may make it without being asked. */
#define ISERT_DATA	8192

struct isert_memory {
	void *at;
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT context;
};

/* An open adapter, of all portals and connections on it. */
struct isert_device {
	struct list_head list;
	unsigned int users;	/* portals and connections */
	char name[DAT_NAME_MAX_LENGTH];
	DAT_IA_HANDLE ia;
	DAT_EVD_HANDLE async_evd;
	DAT_PZ_HANDLE pz;
	bool gone;		/* it was removed: the IA is of no more use */
	bool sync;		/* memory has to be synced for the processor */
	struct dat_ia_attr attr;
};

/* What a cookie points to: it says what the operation was. */
enum isert_kind { ISERT_RECV, ISERT_SEND, ISERT_READ, ISERT_BOUNCE };

struct isert_dto {
	enum isert_kind kind;
};

/* Room for one request. */
struct isert_rx {
	struct isert_dto dto;
	struct list_head list;
	struct isert_memory *memory;
	struct isert_pdu *pdu;
	u32 length;		/* that came */
	bool kept;		/* a command works on its data; the worker's */
};

/* Room for one answer. */
struct isert_tx {
	struct isert_dto dto;
	struct list_head list;	/* of free ones */
	struct isert_memory *memory;
	struct isert_pdu *pdu;
	u32 data;		/* bytes of it */
	struct iscsit_cmd *cmd;	/* ends when it is sent; NULL: LIO's */
	bool busy;
};

/* What we know of a command, behind LIO's own struct. */
struct isert_cmd {
	struct isert_dto dto;	/* of an RDMA read */
	struct list_head wait;	/* while there is no room */
	bool mine;		/* it is taken off LIO's list, to be answered */
	bool data_in;		/* data goes before the answer */
	struct isert_tx *tx;	/* the answer */
	struct isert_rx *rx;	/* holds its immediate data, which is @sg */
	struct scatterlist sg;
	u8 flags;		/* of the request: which of these there are */
	DAT_RMR_TRIPLET read;	/* where the initiator wants data to be */
	DAT_RMR_TRIPLET write;	/* where it has them */
};

static inline struct iscsit_cmd *isert_lio_cmd(struct isert_cmd *icmd)
{
	return (struct iscsit_cmd *)icmd - 1;
}

/* A portal. isert_login_lock guards all that changes. */
struct isert_np {
	struct iscsi_np *np;	/* LIO's */
	struct list_head listeners;
	struct delayed_work reap;	/* drops connections that do not log in */
	wait_queue_head_t wait;	/* LIO's thread, for one that does */
	struct list_head pending;	/* connections that LIO has not got */
	atomic_t count;		/* of them, and of those that are being accepted */
	struct isert_conn *busy;	/* that LIO's thread is at */
};

enum isert_phase { ISERT_NEW, ISERT_LOGIN, ISERT_FULL, ISERT_END };

struct isert_conn {
	/* isert_login_lock guards these. */
	struct list_head list;	/* the portal's, until LIO has it */
	struct isert_np *np;	/* as long, and while LIO's login thread is at it */
	enum isert_phase phase;
	struct isert_rx *login_rx;	/* a login request that LIO has not got */
	bool held, kicked;	/* LIO's login work is to be queued, or was */

	struct isert_device *device;
	struct iscsit_conn *conn;	/* LIO's */
	struct sockaddr_storage local, remote;
	unsigned long deadline;	/* of the first login request */
	DAT_EVD_HANDLE evd;
	DAT_EP_HANDLE ep;
	struct work_struct work;	/* takes events */
	struct list_head received;	/* requests in order; the worker's */
	bool invalidate;	/* answers may invalidate the initiator's key */
	bool logout;		/* a logout request came */
	bool ready;		/* LIO can take requests */
	bool down;		/* there is no connection any more */
	wait_queue_head_t wait;	/* for that, and for completions */
	struct rw_semaphore gate;	/* held for reading by who posts */
	bool closed;		/* by the gate: nothing is posted any more */
	struct mutex statsn;	/* LIO counts it without a lock: TCP has one thread */
	atomic_t posted;	/* operations whose events will come */
	unsigned int completed;	/* events that came */

	spinlock_t lock;	/* guards lists and flags of what follows */
	struct list_head waiting;	/* commands that there is no room for */
	struct list_head tx_free;
	struct isert_tx big;	/* for all but SCSI, with much data: one at a time */
	struct isert_rx *rx;
	struct isert_tx *tx;
	unsigned int depth;	/* of both */
	struct isert_memory *memory;	/* of all three */
	unsigned int chunks;
	u32 left;		/* bytes of the last one */
	struct mutex bounce_lock;	/* whoever needs @bounces first makes them */
	struct isert_bounce *bounces;
};

#define isert_say(conn, fmt, ...) \
	pr_info_ratelimited("kdapl_isert: %pISpc: " fmt "\n", &(conn)->remote, ##__VA_ARGS__)

/* main.c */
extern uint isert_depth, isert_max_pending;
extern struct workqueue_struct *isert_wq;	/* of the connections' workers */
extern struct workqueue_struct *isert_np_wq;	/* of what waits for those */

/* device.c: process context, but for isert_segment() and the syncs */
void isert_complain(DAT_RETURN ret, const char *what);
struct isert_device *isert_device_get(const char *name);
void isert_device_hold(struct isert_device *device);
void isert_device_put(struct isert_device *device);
int isert_memory_make(struct isert_device *device, struct isert_memory *memory, size_t size);
void isert_memory_free(struct isert_memory *memory);
DAT_LMR_TRIPLET isert_segment(const struct isert_memory *memory, const void *at, u32 size);
void isert_sync_out(struct isert_device *device, DAT_LMR_TRIPLET *iov);
void isert_sync_in(struct isert_device *device, DAT_LMR_TRIPLET *iov);

/* np.c */
int isert_setup_np(struct iscsi_np *np, struct sockaddr_storage *address);
int isert_accept_np(struct iscsi_np *np, struct iscsit_conn *conn);
void isert_free_np(struct iscsi_np *np);

/* conn.c */
/* Accepts it, and takes the request; NULL: the request is still there. */
struct isert_conn *isert_conn_make(struct isert_device *device, DAT_CR_HANDLE cr,
				   const struct sockaddr *local, DAT_CONN_QUAL port);
/* There is no connection any more, or shall be none. */
void isert_conn_down(struct isert_conn *conn);
void isert_conn_free(struct isert_conn *conn);
bool isert_enter(struct isert_conn *conn);
void isert_leave(struct isert_conn *conn);
void isert_get_rx_pdu(struct iscsit_conn *lio);
void isert_free_conn(struct iscsit_conn *lio);

/* login.c */
extern spinlock_t isert_login_lock;	/* see struct isert_np, struct isert_conn */
bool isert_login_arrived(struct isert_conn *conn, struct isert_rx *rx);
void isert_login_lost(struct isert_conn *conn);
void isert_login_np_idle(struct isert_np *np);
void isert_login_end(struct isert_conn *conn);
int isert_get_login_rx(struct iscsit_conn *lio, struct iscsi_login *login);
int isert_put_login_tx(struct iscsit_conn *lio, struct iscsi_login *login, u32 length);

/* rx.c: in the worker, but for the first two */
int isert_rx_post(struct isert_conn *conn, struct isert_rx *rx);
void isert_rx_release(struct isert_conn *conn, struct isert_cmd *icmd);
void isert_rx_go_on(struct isert_conn *conn);

/* tx.c */
struct isert_tx *isert_tx_get(struct isert_conn *conn);
struct isert_tx *isert_tx_big(struct isert_conn *conn);
void isert_tx_put(struct isert_conn *conn, struct isert_tx *tx);
void isert_tx_done(struct isert_conn *conn, struct isert_tx *tx);
int isert_tx_post(struct isert_conn *conn, struct isert_tx *tx, const struct isert_cmd *icmd);
DAT_EXT_DTO isert_tx_dto(struct isert_conn *conn, struct isert_tx *tx, DAT_LMR_TRIPLET *iov,
			 const struct isert_cmd *icmd);
void isert_build_answer(struct isert_conn *conn, struct isert_cmd *icmd);
void isert_cmd_end(struct iscsit_cmd *cmd);
void isert_aborted_task(struct iscsit_conn *lio, struct iscsit_cmd *cmd);
int isert_queue_status(struct iscsit_conn *lio, struct iscsit_cmd *cmd);
int isert_queue_data_in(struct iscsit_conn *lio, struct iscsit_cmd *cmd);
int isert_immediate_queue(struct iscsit_conn *lio, struct iscsit_cmd *cmd, int state);
int isert_response_queue(struct iscsit_conn *lio, struct iscsit_cmd *cmd, int state);

/* data.c */
int isert_error(DAT_RETURN ret, const char *what);
int isert_get_dataout(struct iscsit_conn *lio, struct iscsit_cmd *cmd, bool recovery);
void isert_submit(struct isert_conn *conn, struct isert_cmd *icmd);
void isert_waiting_go_on(struct isert_conn *conn);
void isert_waiting_purge(struct isert_conn *conn);
void isert_read_done(struct isert_cmd *icmd);

/* bounce.c */
int isert_bounce(struct isert_conn *conn, struct isert_cmd *icmd, u32 skip, u32 length);
void isert_bounce_done(struct isert_conn *conn, struct isert_dto *dto, bool ok);
void isert_bounce_free(struct isert_conn *conn);

#endif /* ISERT_H */

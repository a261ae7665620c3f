/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LIO's iSER target over kDAPL.
 *
 * A portal listens on adapters (device.c), and makes a connection of each request (conn.c),
 * which LIO's login thread gets with its first login request (login.c). A worker per
 * connection takes all of its events in order: requests go to LIO (rx.c); LIO answers
 * (tx.c), and moves data by RDMA (data.c). docs/storage.md has who owns a command when.
 */
#ifndef ISERT_H
#define ISERT_H

#include <linux/rwsem.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <scsi/iscsi_proto.h>
#include <scsi/iser.h>
#include <target/target_core_base.h>
#include <target/target_core_fabric.h>
#include <target/iscsi/iscsi_transport.h>

#include <dat2/kdat.h>
#include <dat2/kdat_ext.h>

struct isert_conn;

/* What a PDU of iSER is on the wire. */
struct isert_pdu {
	struct iser_ctrl iser;
	struct iscsi_hdr iscsi;
	u8 data[];
} __packed;

#define ISERT_DATA	8192	/* of a request, which comes without being asked for */
#define ISERT_TRANSFER_MAX	SZ_16M	/* of a SCSI command; Linux's initiator asks for 512 KiB */
#define ISERT_CONNECTIONS	1024	/* of a portal, on an adapter */
#define ISERT_LOGIN_TIME	(15 * HZ)	/* to begin to log in, and then to end it */

struct isert_device {
	struct list_head list;	/* the portal's */
	struct isert_np *np;
	struct kref users;	/* the portal, and its connections */
	char name[DAT_NAME_MAX_LENGTH];
	DAT_IA_HANDLE ia;
	DAT_PZ_HANDLE pz;
	DAT_EVD_HANDLE cr_evd;
	DAT_CSP_HANDLE csp;
	struct work_struct work;	/* accepts requests */
	bool sync;	/* memory has to be synced for the processor */
	bool invalidates;	/* it can send with invalidate */
	struct dat_ia_attr attr;
};

/* What a cookie points to. */
struct isert_dto {
	void (*done)(struct isert_conn *conn, struct isert_dto *dto, bool ok);
	u32 length;		/* that came */
};

struct isert_rx {
	struct isert_dto dto;
	struct list_head list;
	DAT_EXT_MEMORY memory;
	struct isert_pdu *pdu;
	bool kept;		/* a command works on its data; the worker's */
};

struct isert_tx {
	struct isert_dto dto;
	struct list_head list;	/* of free ones */
	DAT_EXT_MEMORY memory;
	struct isert_pdu *pdu;
	bool single;		/* made for one answer, with room for ISERT_DATA */
	u32 data;		/* bytes of it */
	struct iscsit_cmd *cmd;	/* ends when it is sent; NULL: LIO's */
};

/* What we know of a command, behind LIO's own struct. */
struct isert_cmd {
	struct isert_dto dto;	/* of an RDMA read */
	struct list_head wait;	/* while there is no room */
	struct iser_ctrl iser;	/* where the initiator has data, or wants it, by which keys */
	u32 key;		/* of these, which its answer makes invalid; or 0 */
	int state;		/* LIO's name for its answer; 0: its data is to be read */
	int kept;		/* its state when that is posted, if it then is LIO's; or 0 */
	bool data_in;		/* data goes before the answer */
	struct isert_tx *tx;	/* the answer, until it is posted */
	struct isert_rx *rx;	/* holds its immediate data, which is @sg */
	struct scatterlist sg[ISERT_DATA / SZ_4K];	/* pscsi wants none to cross a page */
};

static inline struct iscsit_cmd *isert_lio_cmd(struct isert_cmd *icmd)
{
	return (struct iscsit_cmd *)icmd - 1;
}

/* A portal. login_lock guards all that changes. */
struct isert_np {
	struct iscsi_np *np;	/* LIO's */
	struct list_head devices;
	struct delayed_work reap;	/* drops connections that do not log in */
	wait_queue_head_t wait;	/* LIO's thread, for one that does */
	struct list_head pending;	/* connections that LIO has not got */
	atomic_t count;		/* of them, and of those that are being accepted */
	struct isert_conn *busy;	/* that LIO's thread is at */
};

enum isert_phase { ISERT_NEW, ISERT_LOGIN, ISERT_FULL, ISERT_END };
enum isert_logout { ISERT_NO_LOGOUT, ISERT_LOGOUT_CAME, ISERT_LOGOUT_ANSWERED };

struct isert_conn {
	/* login_lock guards these. */
	struct list_head list;	/* the portal's, until LIO has it */
	struct isert_np *np;	/* as long, and while LIO's login thread is at it */
	enum isert_phase phase;
	struct isert_rx *login_rx;	/* a login request that LIO has not got */

	struct isert_device *device;
	struct iscsit_conn *conn;	/* LIO's */
	struct sockaddr_storage local, remote;
	unsigned long deadline;	/* of the first login request; then of the whole login */
	DAT_EVD_HANDLE evd;
	DAT_EP_HANDLE ep;
	struct work_struct work;	/* takes events */
	struct list_head received;	/* requests in order; the worker's */
	bool invalidate;	/* answers may invalidate the initiator's key */
	enum isert_logout logout;
	bool ready;		/* LIO can take requests */
	bool down;		/* there is no connection any more */
	wait_queue_head_t wait;	/* LIO's receive thread, for that */
	wait_queue_head_t sent;	/* for that, too, and for answers */
	struct rw_semaphore gate;	/* held for reading by who posts */
	bool closed;		/* by the gate: nothing is posted any more */
	struct mutex statsn;	/* LIO counts it without a lock: TCP has one thread */

	spinlock_t lock;	/* guards these two lists */
	struct list_head waiting;	/* commands that there is no room for */
	struct list_head tx_free;
	struct isert_rx *rx;
	struct isert_tx *tx;
	unsigned int depth;	/* of both */
};

#define isert_say(conn, fmt, ...) \
	pr_info_ratelimited("kdapl_isert: %pISpc: " fmt "\n", &(conn)->remote, ##__VA_ARGS__)
#define isert_leave(conn)	up_read(&(conn)->gate)

/* main.c */
extern uint isert_depth, isert_max_pending;
extern struct workqueue_struct *isert_wq;	/* of the connections' workers */
int isert_set_params(struct iscsit_conn *lio);
/* device.c */
int isert_check(DAT_RETURN ret, const char *what);
int isert_device_add(struct isert_np *np, const char *name);
void isert_device_end(struct isert_device *device);
void isert_device_put(struct isert_device *device);
int isert_memory_make(struct isert_device *device, DAT_EXT_MEMORY *memory, size_t size);
/* conn.c */
/* Accepts it, and takes the request; NULL: the request is still there. */
struct isert_conn *isert_conn_make(struct isert_device *device,
				   const DAT_CR_ARRIVAL_EVENT_DATA *request);
/* There is no connection any more, or shall be none. */
void isert_conn_down(struct isert_conn *conn);
void isert_conn_free(struct isert_conn *conn);
bool isert_enter(struct isert_conn *conn);
bool isert_idle(struct isert_conn *conn);
void isert_later(struct isert_conn *conn);
void isert_get_rx_pdu(struct iscsit_conn *lio);
void isert_free_conn(struct iscsit_conn *lio);
/* login.c */
bool isert_np_accept(struct isert_device *device, const DAT_CR_ARRIVAL_EVENT_DATA *request);
int isert_setup_np(struct iscsi_np *np, struct sockaddr_storage *address);
int isert_accept_np(struct iscsi_np *np, struct iscsit_conn *conn);
void isert_free_np(struct iscsi_np *np);
bool isert_login_arrived(struct isert_conn *conn, struct isert_rx *rx);
void isert_login_lost(struct isert_conn *conn);
void isert_login_end(struct isert_conn *conn);
int isert_get_login_rx(struct iscsit_conn *lio, struct iscsi_login *login);
int isert_put_login_tx(struct iscsit_conn *lio, struct iscsi_login *login, u32 length);
/* rx.c: in the worker, but for the first two */
int isert_rx_post(struct isert_conn *conn, struct isert_rx *rx);
void isert_rx_release(struct isert_conn *conn, struct isert_cmd *icmd);
void isert_rx_go_on(struct isert_conn *conn);
/* tx.c */
void isert_tx_init(struct isert_tx *tx, const DAT_EXT_MEMORY *memory);
struct isert_tx *isert_tx_make(struct isert_conn *conn);
void isert_tx_end(struct isert_conn *conn, struct isert_tx *tx);
DAT_EXT_DTO isert_tx_dto(struct isert_conn *conn, struct isert_tx *tx, DAT_LMR_TRIPLET *iov);
int isert_tx_post(struct isert_conn *conn, struct isert_tx *tx);
int isert_answer(struct isert_conn *conn, struct isert_cmd *icmd);
void isert_aborted_task(struct iscsit_conn *lio, struct iscsit_cmd *cmd);
int isert_queue_status(struct iscsit_conn *lio, struct iscsit_cmd *cmd);
int isert_queue_data_in(struct iscsit_conn *lio, struct iscsit_cmd *cmd);
int isert_immediate_queue(struct iscsit_conn *lio, struct iscsit_cmd *cmd, int state);
int isert_response_queue(struct iscsit_conn *lio, struct iscsit_cmd *cmd, int state);
/* data.c */
int isert_post_error(DAT_RETURN ret, const char *what);
int isert_get_dataout(struct iscsit_conn *lio, struct iscsit_cmd *cmd, bool recovery);
void isert_data_is_there(struct iscsit_cmd *cmd);
int isert_data_in(struct isert_conn *conn, struct isert_cmd *icmd);
void isert_submit(struct isert_conn *conn, struct isert_cmd *icmd, bool now);
void isert_waiting_go_on(struct isert_conn *conn);

#endif /* ISERT_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A connection manager that the tests play: who listens where, and who calls. */
#ifndef KDAPL_TEST_FAKE_LISTEN_H
#define KDAPL_TEST_FAKE_LISTEN_H

#include <linux/list.h>
#include <linux/socket.h>
#include <linux/types.h>
#include <rdma/rdma_cm.h>

/* The IA's own addresses. */
#define FAKE_ADDR	"192.168.77.1"
#define FAKE_ADDR2	"192.168.77.2"
#define FAKE_ADDR6	"fd00:77::1"
#define FAKE_LINK	"fe80::77"
#define FAKE_SCOPE	3
#define FAKE_ADDRS	4
/* Who calls. */
#define FAKE_PEER	"192.168.77.9"
#define FAKE_PEER_PORT	50000
/* What a port is that rdma_cm chose. */
#define FAKE_PORT	40000

struct fake_listen {
	struct list_head ids;	/* listening and requests' */
	int num_ids;
	int bind_error;		/* what binding ends with */
	u16 next_port;
	u16 busy_port;		/* somebody else's, at FAKE_ADDR2 */
	int more_addrs;		/* that the adapter has before those above */
	int rejects, accepts, accept_result;
	void (*accepting)(void);	/* called before the accept returns */
	void (*leaving)(void);	/* called once, when a call has done its work */
};

extern struct fake_listen fake_listen;

/* Nobody listens any more, nothing is wrong. */
void fake_listen_reset(void);
/* How many listen at @text, or at all addresses where it is NULL. */
int fake_listeners(const char *text, u16 port);
/*
 * A peer asks for @port of @text. As rdma_cm would: the request's id goes at once
 * where it was not taken. False: nobody listens, or it was not taken.
 */
bool fake_request(const char *text, u16 port);
/* Its socket address. */
struct sockaddr_storage fake_address(const char *text, u16 port);

/* What the module's files call instead of rdma_cm, see core.h. */
int fake_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr);
int fake_rdma_listen(struct rdma_cm_id *id, int backlog);
void fake_destroy_id(struct rdma_cm_id *id);
int fake_reject(struct rdma_cm_id *id);
void fake_lock_handler(struct rdma_cm_id *id);
void fake_unlock_handler(struct rdma_cm_id *id);

#endif /* KDAPL_TEST_FAKE_LISTEN_H */

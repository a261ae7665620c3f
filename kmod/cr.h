/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CR: a connection request that waits for accept or reject.
 *
 * It owns the request's id until the consumer decides. A request whose peer
 * gave up stays, so that it can be queried; accepting it fails as an event.
 */
#ifndef KDAPL_CR_H
#define KDAPL_CR_H

#include <linux/mutex.h>
#include <rdma/rdma_cm.h>

#include "evd.h"
#include "obj.h"

struct kdapl_ep;
struct kdapl_sp;

/*
 * Undecided at a time, over all service points of an IA, and over all IAs of a user.
 * What they take of memory, in rdma_cm above all, is charged to nobody: peers cause it.
 */
#define KDAPL_CR_MAX		4096
#define KDAPL_CR_USER_MAX	16384

/**
 * struct kdapl_cr - a connection request
 * @obj: common part
 * @mutex: one decision at a time; outside an EP's mutex
 * @sp: whose backlog it is in; NULL when it was decided
 * @ep: the EP that it brings along, in use until the decision; else NULL
 * @id: the request's, its context is the CR; NULL when it was decided
 * @gone: the peer gave up; guarded by the id's handler lock
 * @request: what the peer asked for, without the private data
 * @local: own address and port
 * @remote: the requester's
 * @private_data_size: bytes
 * @private_data: as it came
 */
struct kdapl_cr {
	struct kdapl_obj obj;
	struct mutex mutex;	/* of the decision */
	struct kdapl_sp *sp;
	struct kdapl_ep *ep;
	struct rdma_cm_id *id;
	bool gone;
	struct rdma_conn_param request;
	struct kdapl_addr local, remote;
	u8 private_data_size;
	u8 private_data[KDAPL_PRIVATE_DATA_MAX];
};

extern const struct kdapl_obj_ops kdapl_cr_ops;
/* How many each user has; for kdapl_cr_exit() and for tests. */
extern struct xarray kdapl_cr_users;

/* The module's end: no IA is left. */
void kdapl_cr_exit(void);

/**
 * kdapl_cr_create() - a request arrived, or is handed over
 * @sp: where; of an RSP, it was claimed
 * @id: the request's; its handler lock is held, unless there is @from
 * @request: what the peer asks for
 * @from: NULL, or the CR that had it; its mutex is held
 *
 * Makes the CR and queues its event; the EP of an RSP becomes the CR's. On
 * failure @id and @sp are as they were; -ENOSPC: the IA, or its user, has too many.
 */
int kdapl_cr_create(struct kdapl_sp *sp, struct rdma_cm_id *id,
		    const struct rdma_conn_param *request,
		    const struct kdapl_cr *from);

/*
 * From ia->cr_arrives: the request brings along @ep, which was made for it, and nobody
 * else knows.
 */
void kdapl_cr_bring(struct kdapl_cr *cr, struct kdapl_ep *ep);

/* The EP that the program made for a request becomes the CR's. */
int kdapl_cr_offer(struct kdapl_ia *ia, const struct kdapl_cr_offer *arg);
int kdapl_cr_query(struct kdapl_ia *ia, struct kdapl_cr_query *arg);
int kdapl_cr_accept(struct kdapl_ia *ia, const struct kdapl_cr_accept *arg);
int kdapl_cr_handoff(struct kdapl_ia *ia, const struct kdapl_cr_handoff *arg);
int kdapl_cr_reject(struct kdapl_ia *ia, const struct kdapl_cr_reject *arg);
/* The device is gone. */
void kdapl_cr_kill(struct kdapl_obj *obj);

#endif /* KDAPL_CR_H */

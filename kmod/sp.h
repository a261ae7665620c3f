/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Service points, public (PSP), reserved (RSP) and common (CSP): listen with one
 * rdma_cm_id on every address of the IA, a CSP on those that it is made for.
 *
 * A CSP is named by a socket address instead of a conn_qual, and else it is a PSP,
 * in the table of objects, too. A connection leads to the one as to the other.
 *
 * An RSP takes one request, for the EP that it was made with. That EP is the
 * RSP's until the request comes, then the CR's.
 *
 * When an IA goes, its service points go before its CRs: one that listens can
 * make another CR at any time.
 */
#ifndef KDAPL_SP_H
#define KDAPL_SP_H

#include <linux/atomic.h>
#include <rdma/rdma_cm.h>

#include "evd.h"
#include "obj.h"

#define KDAPL_SP_ADDRS		16
/* Requests that a program may leave undecided, if its EVD is no longer. */
#define KDAPL_SP_PENDING_MIN	1024

struct kdapl_cr;
struct kdapl_ep;

/**
 * struct kdapl_sp - a service point
 * @obj: common part
 * @list: in the list of all that have a conn_qual
 * @evd: for the requests; its length bounds the backlog
 * @conn_qual: what peers connect to; of a CSP its port
 * @listening: requests are taken
 * @pending: CRs that were neither accepted nor rejected
 * @ep_source: KDAPL_CR_EP_*, for its requests
 * @reserved: RSP: one request, and no more
 * @taken: RSP: the request came; who sets it owns @ep
 * @ep: RSP: NULL when it belongs to the request
 * @num_ids: ids
 * @ids: one for each address
 */
struct kdapl_sp {
	struct kdapl_obj obj;
	struct list_head list;
	struct kdapl_evd *evd;
	u64 conn_qual;
	bool listening;
	atomic_t pending;
	u32 ep_source;
	bool reserved;
	atomic_t taken;
	struct kdapl_ep *ep;
	unsigned int num_ids;
	struct rdma_cm_id *ids[KDAPL_SP_ADDRS];
};

static inline struct kdapl_sp *to_sp(struct kdapl_obj *obj)
{
	return container_of(obj, struct kdapl_sp, obj);
}

int kdapl_psp_create(struct kdapl_ia *ia, struct kdapl_psp_create *arg);
int kdapl_rsp_create(struct kdapl_ia *ia, struct kdapl_rsp_create *arg);
/**
 * kdapl_csp_create() - make a CSP
 * @ia: the IA
 * @arg: what it is, and what came of it
 * @shown: its address as the door keeps it, or NULL; given the port before a request
 *	can come, and with it somebody who asks for the address
 *
 * Return: -EPROTONOSUPPORT for another kind of socket, -EINVAL where @addr is of
 * another family, -EADDRNOTAVAIL where it is not the IA's, -EADDRINUSE where the
 * port is taken, or none is free, and as kdapl_psp_create().
 */
int kdapl_csp_create(struct kdapl_ia *ia, struct kdapl_csp_create *arg,
		     struct sockaddr_storage *shown);
/**
 * kdapl_sp_hand_over() - give a request to another service point
 * @cr: the request, undecided; its mutex is held
 * @conn_qual: what the other one listens on, on the same adapter
 *
 * On success another CR of the other one's IA has @cr's id, and its event is
 * queued.
 *
 * Return: -EADDRNOTAVAIL when there is no other, -EACCES when it is another user's,
 * -ENOSPC when it takes no more requests, -ENOMEM. Then nothing has changed.
 */
int kdapl_sp_hand_over(struct kdapl_cr *cr, u64 conn_qual);
/* The device is gone: stop listening. */
void kdapl_sp_kill(struct kdapl_obj *obj);

#endif /* KDAPL_SP_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * PSP: listens with one rdma_cm_id on every address of the IA.
 *
 * When an IA goes, its PSPs go before its CRs: a PSP that listens can make
 * another CR at any time.
 */
#ifndef KDAPL_SP_H
#define KDAPL_SP_H

#include <linux/atomic.h>
#include <rdma/rdma_cm.h>

#include "evd.h"
#include "obj.h"

#define KDAPL_PSP_ADDRS		16
/* Requests that a program may leave undecided, if its EVD is no longer. */
#define KDAPL_PSP_PENDING_MIN	1024

/**
 * struct kdapl_psp - a public service point
 * @obj: common part
 * @evd: for the requests; its length bounds the backlog
 * @conn_qual: what peers connect to
 * @listening: requests are taken
 * @pending: CRs that were neither accepted nor rejected
 * @num_ids: ids
 * @ids: one for each address
 */
struct kdapl_psp {
	struct kdapl_obj obj;
	struct kdapl_evd *evd;
	u64 conn_qual;
	bool listening;
	atomic_t pending;
	unsigned int num_ids;
	struct rdma_cm_id *ids[KDAPL_PSP_ADDRS];
};

static inline struct kdapl_psp *to_psp(struct kdapl_obj *obj)
{
	return container_of(obj, struct kdapl_psp, obj);
}

extern const struct kdapl_obj_ops kdapl_psp_ops;

int kdapl_psp_create(struct kdapl_ia *ia, struct kdapl_psp_create *arg);
/* The device is gone: stop listening. */
void kdapl_psp_kill(struct kdapl_obj *obj);

#endif /* KDAPL_SP_H */

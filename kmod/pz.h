/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PZ: a protection zone, which is a protection domain of the device. */
#ifndef KDAPL_PZ_H
#define KDAPL_PZ_H

#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

#include "obj.h"

struct kdapl_frwr;
struct rdma_cgroup;

/**
 * struct kdapl_pz - protection zone
 * @obj: common part
 * @pd: never given out; its local_dma_lkey reaches all of memory
 * @local_key: its local_dma_lkey, where the IA has such
 * @frwr: loopback connection that registers memory where the driver cannot
 *	do it from the kernel; made when first needed
 * @frwr_lock: guards it
 * @cg: who is charged
 */
struct kdapl_pz {
	struct kdapl_obj obj;
	struct ib_pd *pd;
	u32 local_key;
	struct mutex frwr_lock;	/* guards frwr, one request at a time */
	struct kdapl_frwr *frwr;
	struct rdma_cgroup *cg;
};

static inline struct kdapl_pz *to_pz(struct kdapl_obj *obj)
{
	return container_of(obj, struct kdapl_pz, obj);
}

extern const struct kdapl_obj_ops kdapl_pz_ops;

int kdapl_pz_create(struct kdapl_ia *ia, struct kdapl_pz_create *arg);
/* The device is gone. */
void kdapl_pz_kill(struct kdapl_pz *pz);

#endif /* KDAPL_PZ_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LMR: registered memory of a program.
 *
 * The program knows an LMR by its context, which is the object's id. It is
 * looked up, checked for range, privileges and PZ, and only then becomes the
 * device's lkey.
 */
#ifndef KDAPL_LMR_H
#define KDAPL_LMR_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "obj.h"
#include "pz.h"

/*
 * What a consumer in the kernel calls memory that it names by a DMA address of the
 * device, in segments of its own. Only where the IA has a local_key.
 */
#define KDAPL_LMR_RESERVED	0x80000000U

struct kdapl_fmr;
struct kdapl_kmem;
struct kdapl_pages;
struct kdapl_shared;
struct rdma_cgroup;

struct kdapl_lmr {
	struct kdapl_obj obj;
	struct kdapl_pz *pz;
	struct ib_mr *mr;
	spinlock_t sync_lock;		/* who syncs pages keeps them by it */
	struct kdapl_pages *pages;	/* pinned by us (FRWR), else NULL */
	struct kdapl_fmr *fmr;		/* for fast registration, else NULL */
	struct kdapl_shared *shared;	/* its cookie, else NULL */
	struct mutex bind_lock;		/* guards bind_pages */
	struct kdapl_pages *bind_pages;	/* what RMRs map, where pages is NULL */
	struct rdma_cgroup *cg;
	u64 addr;
	u64 base;			/* what the device calls addr */
	u64 length;
	u32 privileges;
	bool relaxed;			/* the device may write out of order */
	u32 lkey;
};

static inline struct kdapl_lmr *to_lmr(struct kdapl_obj *obj)
{
	return container_of(obj, struct kdapl_lmr, obj);
}

extern const struct kdapl_obj_ops kdapl_lmr_ops;

int kdapl_lmr_create(struct kdapl_ia *ia, struct kdapl_lmr_create *arg);
/**
 * kdapl_lmr_create_over() - register memory of the kernel
 * @ia: of a kernel consumer
 * @arg: as of a program; @addr is what the first byte is called, with the same offset
 *	in its page; @mem_type, @length, @source and @cookie are not looked at
 * @mem: the memory
 *
 * Without remote privileges, memory that the device sees in one piece needs no
 * registration, where the IA has a local_key.
 * Process context. -EINVAL, -EFAULT: it is not as it should be.
 */
int kdapl_lmr_create_over(struct kdapl_ia *ia, struct kdapl_lmr_create *arg,
			  const struct kdapl_kmem *mem);
/**
 * kdapl_lmr_create_empty() - make an LMR for fast registration: fmr.h
 * @ia: of a kernel consumer
 * @arg: in: @pz; out: @id
 * @max_pages: that it can be tied to
 *
 * It is tied to nothing, and its id names no memory before it is.
 * Process context. Errors: kdapl_fmr_make().
 */
int kdapl_lmr_create_empty(struct kdapl_ia *ia, struct kdapl_lmr_create *arg,
			   u32 max_pages);
/* Its privileges as the device wants them. */
int kdapl_lmr_access(const struct kdapl_lmr *lmr);
/* The device is gone. */
void kdapl_lmr_kill(struct kdapl_lmr *lmr);

/**
 * kdapl_lmr_sync() - hand memory from the processor to the device, or back
 * @ia: of a kernel consumer
 * @seg: a segment of one of its LMRs
 * @for_device: the device is to see what was written, else the processor is
 *
 * Does something only where the two do not see the same by themselves. Any context up
 * to softirq. -ENOENT: there is no such LMR. -EINVAL: it does not hold all of @seg.
 */
int kdapl_lmr_sync(struct kdapl_ia *ia, const struct kdapl_seg *seg,
		   bool for_device);

/**
 * kdapl_lmr_sge() - a program's segment becomes the device's
 * @ia: the IA
 * @pz: the PZ of the EP
 * @seg: the module's own copy of the segment
 * @privilege: KDAPL_PRIV_LOCAL_READ or KDAPL_PRIV_LOCAL_WRITE
 * @hint: the LMR of the segment before, perhaps; the caller holds the lock that guards
 *	it, with softirqs off
 * @sge: out
 *
 * Return: DAT_DTO_SUCCESS, or the status the operation completes with.
 */
enum kdapl_dto_status kdapl_lmr_sge(struct kdapl_ia *ia, const struct kdapl_pz *pz,
				    const struct kdapl_seg *seg, u32 privilege,
				    struct kdapl_obj_hint *hint,
				    struct ib_sge *sge);

/**
 * kdapl_lmr_sge_inline() - the same for a segment that the request itself may carry
 * @ia: the IA
 * @pz: the PZ of the EP
 * @seg: the module's own copy of the segment, which is sent
 * @hint: as of kdapl_lmr_sge()
 * @sge: out
 * @is_inline: set, when @sge->addr is an address of the processor, for IB_SEND_INLINE;
 *	else not touched
 *
 * Return: DAT_DTO_SUCCESS, or the status the operation completes with.
 */
enum kdapl_dto_status kdapl_lmr_sge_inline(struct kdapl_ia *ia,
					   const struct kdapl_pz *pz,
					   const struct kdapl_seg *seg,
					   struct kdapl_obj_hint *hint,
					   struct ib_sge *sge, bool *is_inline);

#endif /* KDAPL_LMR_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RMR: a window onto part of an LMR, which a program moves by posting.
 *
 * A bind registers an MR over the new range and invalidates the one that held
 * the old range, on most devices in this order: two work requests in two slots
 * of the EP's request queue.
 * The MR of the old range is never touched before its invalidation is over, so
 * the old context names the old pages until it names nothing.
 */
#ifndef KDAPL_RMR_H
#define KDAPL_RMR_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "obj.h"

struct kdapl_ep;
struct kdapl_lmr;
struct kdapl_pz;
struct kdapl_work;
struct rdma_cgroup;

/* Keys of an MR that can be given out: each once, or an old context came back. */
#define KDAPL_RMR_KEYS	255

/**
 * struct kdapl_window - one MR of an RMR
 * @list: among the IA's dead ones
 * @ia: the IA
 * @rmr: whose it is
 * @mr: the MR
 * @lmr: whose pages it maps, in use by it; NULL while it maps none
 * @cg: who is charged
 * @npages: how many it can map
 * @keys: how many were given out
 * @idle_key: the one that it had before it was mapped
 * @addr: the first byte that it shows, as a program or a peer names it
 * @length: how many it shows
 * @privileges: KDAPL_PRIV_*, that it was mapped with
 * @works: slots with a work request for it that is not finished
 * @registered: like an LMR: bound from the beginning, and once
 * @dead: to be deregistered when no work is left
 * @rcu: it was found by its key a moment ago
 */
struct kdapl_window {
	struct list_head list;
	struct kdapl_ia *ia;
	struct kdapl_rmr *rmr;
	struct ib_mr *mr;
	struct kdapl_lmr *lmr;
	struct rdma_cgroup *cg;
	unsigned int npages;
	unsigned int keys;
	u32 idle_key;
	u64 addr, length;
	u32 privileges;
	unsigned int works;
	bool registered;
	bool dead;
	struct rcu_head rcu;
};

struct kdapl_rmr {
	struct kdapl_obj obj;
	struct kdapl_pz *pz;
	struct mutex mutex;		/* one bind at a time, or the end; outside an EP's */
	bool gone;			/* freed, or its device is gone */
	spinlock_t lock;		/* all below; inside an EP's lock */
	struct kdapl_window *bound;	/* by the last bind that was posted */
	struct kdapl_window *spare;	/* invalidated, can be mapped again */
	struct kdapl_ep *ep;		/* on which binds are outstanding */
	unsigned int outstanding;
	wait_queue_head_t idle;		/* nothing is outstanding */
};

/**
 * struct kdapl_bind - a bind that was posted
 * @rmr: the RMR, with a reference
 * @reg: to be registered, or NULL
 * @inv: to be invalidated, or NULL
 * @first: the slot of the two that completes first
 * @posted: the device was told
 * @status: enum kdapl_dto_status, of what failed first
 */
struct kdapl_bind {
	struct kdapl_rmr *rmr;
	struct kdapl_window *reg;
	struct kdapl_window *inv;
	struct kdapl_work *first;
	bool posted;
	u8 status;
};

/* What an IA needs to deregister MRs where completions may not. */
struct kdapl_reaper {
	spinlock_t lock;	/* guards dead; innermost */
	struct list_head dead;
	struct work_struct work;
};

static inline struct kdapl_rmr *to_rmr(struct kdapl_obj *obj)
{
	return container_of(obj, struct kdapl_rmr, obj);
}

extern const struct kdapl_obj_ops kdapl_rmr_ops;

int kdapl_rmr_create(struct kdapl_ia *ia, struct kdapl_rmr_create *arg);
/* Process context, may sleep for memory. Errors: the uapi header. */
int kdapl_rmr_bind(struct kdapl_ia *ia, struct kdapl_rmr_bind *arg);
/**
 * kdapl_rmr_query() - what a kernel consumer's RMR is bound to
 * @rmr: the RMR
 * @now: filled: @lmr, @addr, @length, @privileges and @rkey, as the last bind that
 *	was posted, and did not fail, has them; 0 where it is bound to nothing
 *
 * Any context up to softirq.
 */
void kdapl_rmr_query(struct kdapl_rmr *rmr, struct kdapl_rmr_bind *now);
/**
 * kdapl_rmr_sge() - what is bound to an RMR becomes the device's, to be written
 * @ia: the IA
 * @pz: the PZ of the EP
 * @seg: @lmr is the RMR context
 * @sge: out
 *
 * The caller holds the lock of the EP.
 * Return: DAT_DTO_SUCCESS; DAT_DTO_ERR_LOCAL_PROTECTION: @seg is not in what an RMR
 * of the zone is bound to under this context, with KDAPL_PRIV_REMOTE_WRITE.
 */
enum kdapl_dto_status kdapl_rmr_sge(struct kdapl_ia *ia,
				    const struct kdapl_pz *pz,
				    const struct kdapl_seg *seg,
				    struct ib_sge *sge);
/**
 * kdapl_rmr_lost() - a peer's message has made a key invalid
 * @ia: the IA
 * @key: as the peer named it, which may be anything's
 *
 * What is bound under it is bound no more. The caller holds the lock of an EP.
 *
 * Return: the key under which that was bound; @key where nothing was.
 */
u32 kdapl_rmr_lost(struct kdapl_ia *ia, u32 key);
/* The device is gone, and all EPs before. */
void kdapl_rmr_kill(struct kdapl_rmr *rmr);

/**
 * kdapl_bind_retire() - a slot of a bind is next in line and finished
 * @work: the slot; caller holds its EP's lock
 * @event: filled with the event for it: of type 0 for the first of the two
 */
void kdapl_bind_retire(struct kdapl_work *work, struct kdapl_event *event);

/* ---- rmr_window.c: the MRs ----------------------------------------------- */

void kdapl_reaper_init(struct kdapl_reaper *reaper);
/* Windows that are bound no more have let go of their LMRs. May sleep. */
void kdapl_reaper_flush(struct kdapl_reaper *reaper);

/* KDAPL_PRIV_* of a bind as IB_ACCESS_* of the device. */
int kdapl_window_access(u32 privileges);

/**
 * kdapl_window_over() - a window over what is to be bound
 * @rmr: whose it shall be; caller holds its mutex
 * @lmr: in use by the caller, which the window takes over
 * @arg: the range in it, and the privileges
 *
 * Its key is one that nobody was told yet.
 *
 * Return: the window; ERR_PTR() otherwise, and the caller still has the use of @lmr.
 */
struct kdapl_window *kdapl_window_over(struct kdapl_rmr *rmr,
				       struct kdapl_lmr *lmr,
				       const struct kdapl_rmr_bind *arg);

/*
 * No work on it is left, and nobody finds it in the RMR any more: it is deregistered and
 * lets go of its LMR, at once, which may sleep, or by the IA's worker. For the latter the
 * caller holds the RMR's lock.
 */
void kdapl_window_free(struct kdapl_window *window);
void kdapl_window_bury(struct kdapl_window *window);

/* One work less. Caller holds the RMR's lock. */
void kdapl_window_put_work(struct kdapl_window *window);
/* It was invalidated. Caller holds the RMR's lock. */
void kdapl_window_retire(struct kdapl_rmr *rmr, struct kdapl_window *window);

#endif /* KDAPL_RMR_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fast registration: an LMR of a consumer in the kernel that requests on its EPs
 * tie to memory, and untie.
 *
 * A request holds the MR itself, not only its key, as long as the device has it.
 * So each is a user of the LMR, which is not freed before the last one completed.
 *
 * ib_map_mr_sg() rewrites the page table that the device reads, at once. So memory is
 * mapped only while the LMR is tied to nothing, as the device sees it: not before
 * the request that unties it has completed, or the peer's message that did it is
 * here and no request has the MR.
 */
#ifndef KDAPL_FMR_H
#define KDAPL_FMR_H

#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

#include "kmem.h"

struct kdapl_ep;
struct kdapl_event;
struct kdapl_ia;
struct kdapl_lmr;
struct kdapl_work;

enum kdapl_fmr_state {
	KDAPL_FMR_IDLE,		/* tied to nothing */
	KDAPL_FMR_BUSY,		/* a call maps memory */
	KDAPL_FMR_TIED,		/* a request to tie it was posted */
	KDAPL_FMR_UNTIED,	/* tied no more, but a request for it is not over */
	KDAPL_FMR_BROKEN,	/* a request failed: nobody knows what it is */
};

/**
 * struct kdapl_fmr - what an LMR for fast registration has besides
 * @lock: guards the rest but @page, @sgt and @mapped, and the LMR's addresses, key
 *	and privileges; inside an EP's lock
 * @state: what it is for requests that are posted from now on
 * @gone: the LMR is taken apart
 * @ep: on which requests for it are outstanding, to compare
 * @works: how many
 * @mem: what it was tied to last
 * @device_key: the last one that the device was told
 * @given_key: the last one that a consumer was told: its peers may have it still
 * @cause: what the first of two slots said
 * @idle: it is not BUSY any more
 * @max_pages: that it can be tied to
 * @page: room for so many; this and what follows is the call's that made it BUSY
 * @sgt: the same, mapped
 * @mapped: for DMA
 */
struct kdapl_fmr {
	spinlock_t lock;	/* see above */
	enum kdapl_fmr_state state;
	bool gone;
	const struct kdapl_ep *ep;
	unsigned int works;
	struct kdapl_kmem mem;
	u32 device_key;
	u32 given_key;
	u8 cause;
	wait_queue_head_t idle;
	unsigned int max_pages;
	struct page **page;
	struct sg_table sgt;
	bool mapped;
};

/**
 * struct kdapl_fmr_post - a request to tie an LMR to memory
 * @mem: the memory
 * @addr: what its first byte is called, with the same offset in its page
 * @cookie: for the completion event
 * @privileges: KDAPL_PRIV_*
 * @flags: KDAPL_SQE_SUPPRESS, KDAPL_SQE_FENCE, KDAPL_SQE_QUIET
 * @rkey: out: of the LMR from then on
 */
struct kdapl_fmr_post {
	const struct kdapl_kmem *mem;
	u64 addr;
	u64 cookie;
	u32 privileges;
	u32 flags;
	u32 rkey;
};

/* Of one LMR at most; 0: the device has no such LMRs. */
u32 kdapl_fmr_max_pages(const struct ib_device *dev);
/* For the LMR's life: lmr.c. Process context. */
/* -EOPNOTSUPP: the device has no such LMRs. -ENOSPC: none of that many pages. */
int kdapl_fmr_make(struct kdapl_lmr *lmr, u32 max_pages);
/* Nobody uses the MR, or finds it by its key, any more after this. */
void kdapl_fmr_stop(struct kdapl_lmr *lmr);
/* Its MR is gone, or untied. Any context up to softirq. */
void kdapl_fmr_unmap(struct kdapl_lmr *lmr);
/* What it is tied to, or NULL. Caller holds its lock. */
const struct sg_table *kdapl_fmr_mapped(const struct kdapl_fmr *fmr);
/* Of any context; NULL is fine. */
void kdapl_fmr_free(struct kdapl_fmr *fmr);

/**
 * kdapl_fmr_tie() - post a request that ties an LMR to memory
 * @lmr: of kdapl_lmr_create_empty()
 * @ep: that it is posted on
 * @post: in and out
 *
 * It takes one slot of the EP's request queue, on some devices two; its event comes
 * when it has completed. What is posted on @ep after this can use the LMR. Where the
 * connection is over it is flushed, and the LMR is as before. If it fails otherwise,
 * or is flushed by the device, the LMR can only be freed.
 *
 * Any context up to softirq. Return: 0. -EBUSY: it is tied, or the request to untie
 * it is not over. -EBADFD: it can only be freed, or the EP's state forbids it.
 * -EPERM: another zone. -ENOSPC: too much is outstanding. -ENODEV: the device is
 * gone. -EINVAL, -EFAULT: the memory, or another argument, is not as it should be.
 */
int kdapl_fmr_tie(struct kdapl_lmr *lmr, struct kdapl_ep *ep,
		  struct kdapl_fmr_post *post);

/**
 * kdapl_fmr_untie() - post a request that unties an LMR
 * @lmr: tied by a request that was posted on @ep, or that is over
 * @ep: that it is posted on
 * @cookie: for the completion event
 * @flags: as of struct kdapl_fmr_post
 *
 * As kdapl_fmr_tie(). What is posted after this cannot use the LMR. The memory is its
 * owner's again when this has completed; over rxe and siw, where an access of the peer may
 * be in the midst of it, when the LMR is freed (rxe) or the connection is over.
 *
 * -EBUSY: another EP has not tied it yet. -EBADFD: as above, or it is tied to nothing.
 */
int kdapl_fmr_untie(struct kdapl_lmr *lmr, struct kdapl_ep *ep, u64 cookie,
		    u32 flags);

/**
 * kdapl_fmr_lost() - a peer's message has made a key invalid
 * @ia: of a kernel consumer
 * @key: as the peer named it, which may be anything's
 *
 * What is tied under it is tied no more: the LMR is as if its owner had untied it, if
 * the request that tied it is over, or when it is. The caller holds the lock of an EP.
 */
void kdapl_fmr_lost(struct kdapl_ia *ia, u32 key);

/**
 * kdapl_fmr_query() - what an LMR was tied to last
 * @lmr: the LMR
 * @mem: out: the memory, which may not be there any more
 * @last: out: all but its cookie and flags
 *
 * Any context up to softirq. Return: it still is.
 */
bool kdapl_fmr_query(struct kdapl_lmr *lmr, struct kdapl_kmem *mem,
		     struct kdapl_fmr_post *last);

/**
 * kdapl_fmr_retire() - a slot is next in line and finished
 * @work: the slot; caller holds its EP's lock
 * @event: the event for it; without a type afterwards where there is none
 */
void kdapl_fmr_retire(struct kdapl_work *work, struct kdapl_event *event);

#endif /* KDAPL_FMR_H */

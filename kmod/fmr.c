// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fast registration: requests that tie an LMR to memory, and untie it. */

#include <linux/mm.h>
#include <linux/slab.h>

#include "account.h"
#include "adapter.h"
#include "ep.h"
#include "fmr.h"
#include "frwr.h"
#include "ia.h"
#include "lmr.h"

#define FMR_FLAGS	(KDAPL_SQE_SUPPRESS | KDAPL_SQE_FENCE | KDAPL_SQE_QUIET)

/* ---- the LMR's life ----------------------------------------------------- */

u32 kdapl_fmr_max_pages(const struct ib_device *dev)
{
	return kdapl_driver_invalidates(dev) ? kdapl_driver_pages(dev) : 0;
}

void kdapl_fmr_free(struct kdapl_fmr *fmr)
{
	if (!fmr)
		return;
	kvfree(fmr->sgt.sgl);
	kvfree(fmr->page);
	kfree(fmr);
}

/* A peer can name it by its key: kdapl_fmr_lost(). */
static int fmr_list(struct kdapl_lmr *lmr)
{
	return xa_insert(&lmr->obj.ia->fmrs, kdapl_key_index(lmr->mr->rkey),
			 lmr, GFP_KERNEL);
}

static void fmr_unlist(struct kdapl_lmr *lmr)
{
	xa_cmpxchg(&lmr->obj.ia->fmrs, kdapl_key_index(lmr->mr->rkey), lmr,
		   NULL, 0);
}

static struct kdapl_fmr *fmr_alloc(u32 max_pages)
{
	struct kdapl_fmr *fmr = kzalloc(sizeof(*fmr), GFP_KERNEL);

	if (!fmr)
		return NULL;
	spin_lock_init(&fmr->lock);
	init_waitqueue_head(&fmr->idle);
	fmr->max_pages = max_pages;
	fmr->page = kvcalloc(max_pages, sizeof(*fmr->page), GFP_KERNEL);
	fmr->sgt.sgl = kvcalloc(max_pages, sizeof(*fmr->sgt.sgl), GFP_KERNEL);
	if (fmr->page && fmr->sgt.sgl)
		return fmr;
	kdapl_fmr_free(fmr);
	return NULL;
}

int kdapl_fmr_make(struct kdapl_lmr *lmr, u32 max_pages)
{
	u32 most = kdapl_fmr_max_pages(lmr->obj.ia->dev);
	struct kdapl_fmr *fmr;
	struct ib_mr *mr;
	int ret;

	if (!most)
		return -EOPNOTSUPP;
	if (!max_pages)
		return -EINVAL;
	if (max_pages > most)
		return -ENOSPC;
	fmr = fmr_alloc(max_pages);
	if (!fmr)
		return -ENOMEM;
	mr = ib_alloc_mr(lmr->pz->pd, IB_MR_TYPE_MEM_REG, max_pages);
	if (IS_ERR(mr)) {
		kdapl_fmr_free(fmr);
		return PTR_ERR(mr);
	}
	fmr->device_key = mr->rkey;
	fmr->given_key = mr->rkey;
	lmr->mr = mr;
	lmr->fmr = fmr;
	ret = fmr_list(lmr);
	if (!ret)
		return 0;
	lmr->mr = NULL;
	lmr->fmr = NULL;
	ib_dereg_mr(mr);
	kdapl_fmr_free(fmr);
	return ret;
}

static bool fmr_is_busy(struct kdapl_fmr *fmr)
{
	bool busy;

	spin_lock_bh(&fmr->lock);
	busy = fmr->state == KDAPL_FMR_BUSY;
	spin_unlock_bh(&fmr->lock);
	return busy;
}

void kdapl_fmr_stop(struct kdapl_lmr *lmr)
{
	struct kdapl_fmr *fmr = lmr->fmr;

	spin_lock_bh(&fmr->lock);
	fmr->gone = true;
	spin_unlock_bh(&fmr->lock);
	wait_event_idle(fmr->idle, !fmr_is_busy(fmr));
	/* Before the device can give the key to another one. */
	fmr_unlist(lmr);
}

/* ---- memory ------------------------------------------------------------- */

void kdapl_fmr_unmap(struct kdapl_lmr *lmr)
{
	struct kdapl_fmr *fmr = lmr->fmr;

	if (!fmr->mapped)
		return;
	ib_dma_unmap_sgtable_attrs(lmr->obj.ia->dev, &fmr->sgt,
				   DMA_BIDIRECTIONAL, 0);
	fmr->mapped = false;
}

const struct sg_table *kdapl_fmr_mapped(const struct kdapl_fmr *fmr)
{
	return fmr->state == KDAPL_FMR_TIED && !fmr->gone ? &fmr->sgt : NULL;
}

/* An entry a page, whole or in part. */
static void fmr_list_pages(struct kdapl_fmr *fmr, unsigned int offset,
			   u64 length)
{
	unsigned int n = kdapl_npages(offset, length);
	unsigned int bytes, i;

	sg_init_table(fmr->sgt.sgl, n);
	for (i = 0; i < n; i++) {
		bytes = min_t(u64, length, PAGE_SIZE - offset);
		sg_set_page(&fmr->sgt.sgl[i], fmr->page[i], bytes, offset);
		length -= bytes;
		offset = 0;
	}
	fmr->sgt.orig_nents = n;
	fmr->sgt.nents = n;
}

/* Under a key that the device was not told yet. The LMR is BUSY. */
static int fmr_map(struct kdapl_lmr *lmr, const struct kdapl_fmr_post *post)
{
	const struct kdapl_kmem *mem = post->mem;
	struct kdapl_fmr *fmr = lmr->fmr;
	int ret;

	ret = kdapl_kmem_pages(mem, fmr->page);
	if (ret)
		return ret;
	fmr_list_pages(fmr, kdapl_kmem_offset(mem), mem->length);
	ret = ib_dma_map_sgtable_attrs(lmr->obj.ia->dev, &fmr->sgt,
				       DMA_BIDIRECTIONAL, 0);
	if (ret)
		return ret;
	fmr->mapped = true;
	ret = kdapl_frwr_map(lmr->mr, fmr->sgt.sgl, fmr->sgt.nents, post->addr,
			     mem->length);
	/* A key that nobody was told is not used up. */
	if (!ret)
		ib_update_fast_reg_key(lmr->mr, ib_inc_rkey(fmr->given_key));
	return ret;
}

static int fmr_check(const struct kdapl_lmr *lmr,
		     const struct kdapl_fmr_post *post)
{
	u64 most = (u64)lmr->fmr->max_pages << PAGE_SHIFT;
	const struct kdapl_kmem *mem = post->mem;
	unsigned int offset = kdapl_kmem_offset(mem);

	if (post->privileges & ~KDAPL_PRIV_ALL || post->flags & ~FMR_FLAGS)
		return -EINVAL;
	if (!mem->length || mem->length > most - offset ||
	    mem->length > -post->addr - 1)
		return -EINVAL;
	if (offset_in_page((unsigned long)post->addr) != offset)
		return -EINVAL;
	return 0;
}

/* ---- requests ----------------------------------------------------------- */

static struct kdapl_lmr *fmr_use(struct kdapl_lmr *lmr)
{
	struct kdapl_obj *obj;

	obj = kdapl_obj_use(lmr->obj.ia, lmr->obj.id, KDAPL_OBJ_LMR);
	return obj ? to_lmr(obj) : NULL;
}

static uintptr_t fmr_slot(struct kdapl_ep *ep, struct kdapl_lmr *lmr, u8 op,
			  u64 cookie, u32 flags)
{
	struct kdapl_work *work = kdapl_post_slot(ep, op, cookie, flags);

	work->lmr = lmr;
	work->state = KDAPL_WORK_POSTED;
	return (uintptr_t)work;
}

/* It does not come to the device: the LMR has nothing to do with it. */
static void fmr_flush(struct kdapl_ep *ep, u8 op, u64 cookie, u32 flags)
{
	struct kdapl_work *work = kdapl_post_slot(ep, op, cookie, flags);

	kdapl_work_refuse(ep, work, DAT_DTO_ERR_FLUSHED);
}

static int send_flags(u32 flags)
{
	return IB_SEND_SIGNALED | (flags & KDAPL_SQE_FENCE ? IB_SEND_FENCE : 0);
}

static void tie_post(struct kdapl_lmr *lmr, struct kdapl_ep *ep,
		     const struct kdapl_fmr_post *post, u32 idle_key)
{
	bool inv_first = lmr->obj.ia->rmr_inv_first;
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR,
		.wr.send_flags = send_flags(post->flags),
		.mr = lmr->mr,
		.key = post->rkey,
		.access = kdapl_lmr_access(lmr),
	};
	struct ib_send_wr inv = {
		.next = &reg.wr,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = send_flags(post->flags),
		.ex.invalidate_rkey = idle_key,
	};

	if (inv_first)
		inv.wr_id = fmr_slot(ep, lmr, KDAPL_WORK_FMR_FIRST,
				     post->cookie, post->flags);
	reg.wr.wr_id = fmr_slot(ep, lmr, KDAPL_WORK_FMR, post->cookie,
				post->flags);
	if (inv_first)
		kdapl_post_requests(ep, &inv, 2);
	else
		kdapl_post_requests(ep, &reg.wr, 1);
}

/* What is posted from now on can use it. Caller holds ep->lock. */
static void tie_begin(struct kdapl_lmr *lmr, const struct kdapl_ep *ep,
		      const struct kdapl_fmr_post *post)
{
	struct kdapl_fmr *fmr = lmr->fmr;

	spin_lock(&fmr->lock);
	lmr->addr = post->addr;
	lmr->base = post->addr;
	lmr->length = post->mem->length;
	lmr->privileges = post->privileges;
	lmr->lkey = lmr->mr->lkey;
	fmr->mem = *post->mem;
	fmr->device_key = post->rkey;
	fmr->state = KDAPL_FMR_TIED;
	fmr->cause = DAT_DTO_SUCCESS;
	fmr->ep = ep;
	fmr->works++;
	spin_unlock(&fmr->lock);
}

/* The LMR is the caller's to map memory. */
static int fmr_make_busy(struct kdapl_lmr *lmr)
{
	struct kdapl_fmr *fmr = lmr->fmr;
	int ret = 0;

	if (!fmr_use(lmr))
		return -ENOENT;
	spin_lock_bh(&fmr->lock);
	if (fmr->gone)
		ret = -ENODEV;
	else if (fmr->state == KDAPL_FMR_BROKEN)
		ret = -EBADFD;
	else if (fmr->state != KDAPL_FMR_IDLE)
		ret = -EBUSY;
	else
		fmr->state = KDAPL_FMR_BUSY;
	spin_unlock_bh(&fmr->lock);
	if (ret)
		kdapl_obj_unuse(&lmr->obj);
	return ret;
}

/* It is not posted. */
static void fmr_give_up(struct kdapl_lmr *lmr)
{
	struct kdapl_fmr *fmr = lmr->fmr;

	kdapl_fmr_unmap(lmr);
	spin_lock_bh(&fmr->lock);
	fmr->state = KDAPL_FMR_IDLE;
	spin_unlock_bh(&fmr->lock);
	wake_up(&fmr->idle);
	kdapl_obj_unuse(&lmr->obj);
}

/* After success the LMR may be gone: who gets the event may free it. */
static int tie_submit(struct kdapl_lmr *lmr, struct kdapl_ep *ep,
		      struct kdapl_fmr_post *post)
{
	u32 idle_key = lmr->fmr->device_key;
	int ret;

	spin_lock_bh(&ep->lock);
	ret = kdapl_post_admit(ep, lmr->pz, lmr->obj.ia->rmr_inv_first ? 2 : 1);
	if (ret < 0)
		goto out;
	post->rkey = lmr->mr->rkey;
	lmr->fmr->given_key = post->rkey;
	if (ret) {
		fmr_give_up(lmr);
		fmr_flush(ep, KDAPL_WORK_FMR, post->cookie, post->flags);
		ret = 0;
	} else {
		tie_begin(lmr, ep, post);
		tie_post(lmr, ep, post, idle_key);
	}
	kdapl_wq_retire(ep, &ep->sq);
	kdapl_ep_end_start(ep);
out:
	spin_unlock_bh(&ep->lock);
	return ret;
}

int kdapl_fmr_tie(struct kdapl_lmr *lmr, struct kdapl_ep *ep,
		  struct kdapl_fmr_post *post)
{
	int ret = fmr_check(lmr, post) ?: fmr_make_busy(lmr);

	if (ret)
		return ret;
	ret = fmr_map(lmr, post) ?: tie_submit(lmr, ep, post);
	if (ret)
		fmr_give_up(lmr);
	/* Else the request is its user until it is retired. */
	return ret;
}

/* What is posted from now on cannot use it. Caller holds ep->lock. */
static int untie_begin(struct kdapl_lmr *lmr, const struct kdapl_ep *ep)
{
	struct kdapl_fmr *fmr = lmr->fmr;
	int ret = 0;

	spin_lock(&fmr->lock);
	if (fmr->gone)
		ret = -ENODEV;
	else if (fmr->state != KDAPL_FMR_TIED)
		ret = -EBADFD;
	else if (fmr->works && fmr->ep != ep)
		ret = -EBUSY;
	else if (!fmr_use(lmr))
		ret = -ENOENT;
	if (!ret) {
		fmr->state = KDAPL_FMR_UNTIED;
		fmr->ep = ep;
		fmr->works++;
	}
	spin_unlock(&fmr->lock);
	return ret;
}

static void untie_post(struct kdapl_lmr *lmr, struct kdapl_ep *ep, u64 cookie,
		       u32 flags)
{
	struct ib_send_wr inv = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = send_flags(flags),
		.ex.invalidate_rkey = lmr->mr->rkey,
	};

	inv.wr_id = fmr_slot(ep, lmr, KDAPL_WORK_LMR_INV, cookie, flags);
	kdapl_post_requests(ep, &inv, 1);
}

int kdapl_fmr_untie(struct kdapl_lmr *lmr, struct kdapl_ep *ep, u64 cookie,
		    u32 flags)
{
	int ret;

	if (flags & ~FMR_FLAGS)
		return -EINVAL;
	spin_lock_bh(&ep->lock);
	ret = kdapl_post_admit(ep, lmr->pz, 1);
	if (ret > 0) {
		fmr_flush(ep, KDAPL_WORK_LMR_INV, cookie, flags);
		ret = 0;
	} else if (!ret) {
		ret = untie_begin(lmr, ep);
		if (!ret)
			untie_post(lmr, ep, cookie, flags);
	}
	kdapl_wq_retire(ep, &ep->sq);
	kdapl_ep_end_start(ep);
	spin_unlock_bh(&ep->lock);
	return ret;
}

bool kdapl_fmr_query(struct kdapl_lmr *lmr, struct kdapl_kmem *mem,
		     struct kdapl_fmr_post *last)
{
	struct kdapl_fmr *fmr = lmr->fmr;
	bool tied;

	spin_lock_bh(&fmr->lock);
	*mem = fmr->mem;
	*last = (struct kdapl_fmr_post){
		.mem = mem,
		.addr = lmr->addr,
		.privileges = lmr->privileges,
		.rkey = fmr->device_key,
	};
	tied = fmr->state == KDAPL_FMR_TIED;
	spin_unlock_bh(&fmr->lock);
	return tied;
}

/* No request has it, and nothing is tied. Caller holds the lock. */
static void fmr_rest(struct kdapl_lmr *lmr)
{
	/* Nobody maps anything before it is IDLE. */
	kdapl_fmr_unmap(lmr);
	lmr->fmr->state = KDAPL_FMR_IDLE;
}

/* Caller holds the lock. */
static void fmr_lose(struct kdapl_lmr *lmr)
{
	struct kdapl_fmr *fmr = lmr->fmr;

	fmr->state = KDAPL_FMR_UNTIED;
	/* The message can be here before the request that tied it is retired. */
	if (!fmr->works)
		fmr_rest(lmr);
}

/*
 * siw compares no key: a message that names the key to come makes what is tied to
 * nothing invalid, and the request behind it opens that key all the same. So it
 * stays tied until its owner says otherwise.
 */
static bool invalidates_by_key(const struct ib_device *dev)
{
	return dev->ops.driver_id != RDMA_DRIVER_SIW;
}

void kdapl_fmr_lost(struct kdapl_ia *ia, u32 key)
{
	struct kdapl_lmr *lmr;
	struct kdapl_fmr *fmr;

	if (!invalidates_by_key(ia->dev))
		return;
	/* Who is found is not freed meanwhile, nor is what it has here. */
	rcu_read_lock();
	lmr = xa_load(&ia->fmrs, kdapl_key_index(key));
	if (lmr) {
		fmr = lmr->fmr;
		spin_lock(&fmr->lock);
		/* A former key of the MR, or one to come, says nothing of it. */
		if (fmr->state == KDAPL_FMR_TIED && !fmr->gone &&
		    fmr->device_key == key)
			fmr_lose(lmr);
		spin_unlock(&fmr->lock);
	}
	rcu_read_unlock();
}

void kdapl_fmr_retire(struct kdapl_work *work, struct kdapl_event *event)
{
	bool failed = work->status != DAT_DTO_SUCCESS;
	struct kdapl_lmr *lmr = work->lmr;
	struct kdapl_fmr *fmr = lmr->fmr;

	work->lmr = NULL;
	/* Behind it comes what tells of both, and would be flushed if this failed. */
	if (work->op == KDAPL_WORK_FMR_FIRST) {
		fmr->cause = work->status;
		event->type = 0;
		return;
	}
	if (failed && fmr->cause != DAT_DTO_SUCCESS)
		event->status = fmr->cause;
	spin_lock(&fmr->lock);
	fmr->works--;
	if (failed)
		fmr->state = KDAPL_FMR_BROKEN;
	else if (fmr->state == KDAPL_FMR_UNTIED && !fmr->works)
		fmr_rest(lmr);
	spin_unlock(&fmr->lock);
	kdapl_obj_unuse(&lmr->obj);
}

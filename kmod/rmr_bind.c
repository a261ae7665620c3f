// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A bind: an RMR gets another window, by two work requests on an EP.
 *
 * A bind registers the new window and then invalidates the old one. Where a
 * registration may be repeated (kdapl_driver_repeats()) it is the other way round,
 * and a new window is invalidated itself when there is no old one: only behind an
 * invalidation nothing is repeated.
 *
 * Binds of one RMR are in order as long as they are posted on one EP. Another
 * EP must wait until those are over: two queue pairs do not wait for each other.
 */

#include <linux/slab.h>

#include "ep.h"
#include "ia.h"
#include "lmr.h"
#include "rmr.h"

static int bind_check(const struct kdapl_rmr *rmr, const struct kdapl_lmr *lmr,
		      const struct kdapl_rmr_bind *arg)
{
	/* Below the start it wraps to something larger than any LMR. */
	u64 offset = arg->addr - lmr->addr;

	if (lmr->pz != rmr->pz)
		return -EPERM;
	/* It has its own MR; the memory can be another any time. */
	if (lmr->fmr)
		return -EBADFD;
	if ((arg->privileges & KDAPL_PRIV_REMOTE_READ &&
	     !(lmr->privileges & KDAPL_PRIV_LOCAL_READ)) ||
	    (arg->privileges & KDAPL_PRIV_REMOTE_WRITE &&
	     !(lmr->privileges & KDAPL_PRIV_LOCAL_WRITE)))
		return -EACCES;
	if (offset > lmr->length || arg->length > lmr->length - offset)
		return -EINVAL;
	if (arg->length > rmr->obj.ia->max_rmr_size)
		return -ENOSPC;
	return 0;
}

static struct kdapl_window *bind_prepare(struct kdapl_rmr *rmr,
					 struct kdapl_lmr *lmr,
					 const struct kdapl_rmr_bind *arg)
{
	int ret = bind_check(rmr, lmr, arg);

	return ret ? ERR_PTR(ret) : kdapl_window_over(rmr, lmr, arg);
}

static struct kdapl_work *bind_slot(struct kdapl_ep *ep,
				    struct kdapl_bind *bind,
				    const struct kdapl_rmr_bind *arg)
{
	struct kdapl_work *work;

	work = kdapl_post_slot(ep, KDAPL_WORK_BIND, arg->cookie, arg->flags);
	work->bind = bind;
	return work;
}

/* The requests of @bind, in their order, for the two slots. How many. */
static unsigned int bind_chain(const struct kdapl_bind *bind, bool inv_first,
			       struct kdapl_work *slot[KDAPL_BIND_SLOTS],
			       struct ib_send_wr *reg, struct ib_send_wr *inv,
			       struct ib_send_wr *chain[KDAPL_BIND_SLOTS])
{
	unsigned int n = 0, i;

	if (bind->inv)
		inv->ex.invalidate_rkey = bind->inv->mr->rkey;
	else if (bind->reg)
		inv->ex.invalidate_rkey = bind->reg->idle_key;
	if (inv_first && (bind->inv || bind->reg))
		chain[n++] = inv;
	if (bind->reg && !bind->reg->registered)
		chain[n++] = reg;
	if (!inv_first && bind->inv)
		chain[n++] = inv;
	for (i = 0; i < n; i++) {
		chain[i]->wr_id = (uintptr_t)slot[i];
		chain[i]->next = i + 1 < n ? chain[i + 1] : NULL;
		slot[i]->state = KDAPL_WORK_POSTED;
	}
	return n;
}

static void bind_post(struct kdapl_ep *ep, const struct kdapl_bind *bind,
		      struct kdapl_work *slot[KDAPL_BIND_SLOTS],
		      const struct kdapl_rmr_bind *arg)
{
	int fence = arg->flags & KDAPL_SQE_FENCE ? IB_SEND_FENCE : 0;
	struct ib_send_wr inv = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED | fence,
	};
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR,
		.wr.send_flags = IB_SEND_SIGNALED | fence,
		.access = kdapl_window_access(arg->privileges),
	};
	struct ib_send_wr *chain[KDAPL_BIND_SLOTS];
	unsigned int n;

	if (bind->reg) {
		reg.mr = bind->reg->mr;
		reg.key = reg.mr->rkey;
	}
	n = bind_chain(bind, ep->obj.ia->rmr_inv_first, slot, &reg.wr, &inv,
		       chain);
	if (n)
		kdapl_post_requests(ep, chain[0], n);
}

/* From now on the bind has its effect, if only that of a failure. */
static int bind_begin(struct kdapl_ep *ep, struct kdapl_bind *bind, bool posted)
{
	struct kdapl_rmr *rmr = bind->rmr;
	int ret = 0;

	spin_lock(&rmr->lock);
	if (rmr->outstanding && rmr->ep != ep) {
		ret = -EBUSY;
		goto out;
	}
	rmr->ep = ep;
	rmr->outstanding++;
	bind->posted = posted;
	if (bind->reg) {
		bind->reg->works++;
		bind->reg->dead = !posted;
	}
	if (posted) {
		bind->inv = rmr->bound;
		if (bind->inv)
			bind->inv->works++;
		rmr->bound = bind->reg;
	}
out:
	spin_unlock(&rmr->lock);
	return ret;
}

/* Caller holds ep->lock. */
static int bind_submit(struct kdapl_ep *ep, struct kdapl_bind *bind,
		       struct kdapl_rmr_bind *arg)
{
	struct kdapl_work *slot[KDAPL_BIND_SLOTS];
	unsigned int i;
	bool flushes;
	int ret;

	ret = kdapl_post_admit(ep, bind->rmr->pz, KDAPL_BIND_SLOTS);
	if (ret < 0)
		return ret;
	flushes = ret;
	ret = bind_begin(ep, bind, !flushes);
	if (ret)
		return ret;

	arg->rkey = bind->reg ? bind->reg->mr->rkey : 0;
	for (i = 0; i < KDAPL_BIND_SLOTS; i++)
		slot[i] = bind_slot(ep, bind, arg);
	bind->first = slot[0];
	if (flushes) {
		for (i = 0; i < KDAPL_BIND_SLOTS; i++)
			kdapl_work_refuse(ep, slot[i], DAT_DTO_ERR_FLUSHED);
	} else {
		bind_post(ep, bind, slot, arg);
	}
	/* The bind may be gone after this. */
	kdapl_wq_retire(ep, &ep->sq);
	kdapl_ep_end_start(ep);
	return 0;
}

/* A slot's work on a window is over. Caller holds the RMR's lock. */
static void bind_over(struct kdapl_bind *bind)
{
	struct kdapl_rmr *rmr = bind->rmr;
	bool failed = bind->posted && bind->status != DAT_DTO_SUCCESS;

	if (failed) {
		if (bind->reg)
			bind->reg->dead = true;
		if (bind->inv)
			bind->inv->dead = true;
		if (rmr->bound == bind->reg)
			rmr->bound = NULL;
	} else if (bind->inv) {
		kdapl_window_retire(rmr, bind->inv);
	}
	if (bind->reg)
		kdapl_window_put_work(bind->reg);
	if (bind->inv)
		kdapl_window_put_work(bind->inv);
	if (!--rmr->outstanding) {
		rmr->ep = NULL;
		wake_up(&rmr->idle);
	}
}

void kdapl_bind_retire(struct kdapl_work *work, struct kdapl_event *event)
{
	struct kdapl_bind *bind = work->bind;
	struct kdapl_rmr *rmr = bind->rmr;

	work->bind = NULL;
	/* What failed says more than what was flushed behind it. */
	if (work->status != DAT_DTO_SUCCESS &&
	    (bind->status == DAT_DTO_SUCCESS ||
	     bind->status == DAT_DTO_ERR_FLUSHED))
		bind->status = work->status == DAT_DTO_ERR_FLUSHED ?
			       DAT_DTO_ERR_FLUSHED : DAT_RMR_OPERATION_FAILED;
	event->type = 0;
	if (work == bind->first)
		return;

	spin_lock(&rmr->lock);
	bind_over(bind);
	spin_unlock(&rmr->lock);
	if (!work->suppress || bind->status != DAT_DTO_SUCCESS)
		event->type = DAT_RMR_BIND_COMPLETION_EVENT;
	event->user = rmr->obj.user;
	event->status = bind->status;
	kdapl_obj_put(&rmr->obj);
	kfree(bind);
}

/* The mutex keeps the EP from being freed, which a reference does not. */
static int bind_enter(struct kdapl_ep *ep, struct kdapl_bind *bind,
		      struct kdapl_rmr_bind *arg)
{
	int ret;

	if (mutex_lock_killable(&ep->mutex))
		return -EINTR;
	ret = kdapl_ep_here(ep);
	if (!ret) {
		spin_lock_bh(&ep->lock);
		ret = bind_submit(ep, bind, arg);
		spin_unlock_bh(&ep->lock);
	}
	mutex_unlock(&ep->mutex);
	return ret;
}

/* Caller holds the RMR's mutex. */
static int rmr_bind(struct kdapl_rmr *rmr, struct kdapl_ep *ep,
		    struct kdapl_lmr *lmr, struct kdapl_rmr_bind *arg)
{
	struct kdapl_window *window = NULL;
	struct kdapl_bind *bind;
	int ret;

	if (rmr->gone)
		return -ENOENT;
	if (ep->pz != rmr->pz)
		return -EPERM;
	bind = kzalloc(sizeof(*bind), kdapl_ia_gfp(rmr->obj.ia));
	if (!bind)
		return -ENOMEM;
	if (lmr) {
		window = bind_prepare(rmr, lmr, arg);
		if (IS_ERR(window)) {
			kfree(bind);
			return PTR_ERR(window);
		}
	}
	bind->rmr = rmr;
	bind->reg = window;
	refcount_inc(&rmr->obj.ref);

	ret = bind_enter(ep, bind, arg);
	if (!ret)
		return 0;

	kdapl_obj_put(&rmr->obj);
	kfree(bind);
	if (window) {
		window->lmr = NULL;
		kdapl_window_free(window);
	}
	return ret;
}

static int bind_on(struct kdapl_ia *ia, struct kdapl_rmr *rmr,
		   struct kdapl_ep *ep, struct kdapl_rmr_bind *arg)
{
	struct kdapl_obj *lmr = NULL;
	int ret;

	if (arg->length) {
		lmr = kdapl_obj_use(ia, arg->lmr, KDAPL_OBJ_LMR);
		if (!lmr)
			return -ENOENT;
	}
	ret = mutex_lock_killable(&rmr->mutex) ? -EINTR : 0;
	if (!ret) {
		ret = rmr_bind(rmr, ep, lmr ? to_lmr(lmr) : NULL, arg);
		mutex_unlock(&rmr->mutex);
	}
	/* After success the window is its user. */
	if (ret && lmr)
		kdapl_obj_unuse(lmr);
	return ret;
}

int kdapl_rmr_bind(struct kdapl_ia *ia, struct kdapl_rmr_bind *arg)
{
	struct kdapl_obj *rmr, *ep;
	int ret = -ENOENT;

	if (arg->privileges & ~KDAPL_PRIV_ALL || arg->pad ||
	    arg->flags & ~(KDAPL_SQE_SUPPRESS | KDAPL_SQE_FENCE |
			   KDAPL_SQE_QUIET))
		return -EINVAL;
	arg->rkey = 0;
	rmr = kdapl_obj_get(ia, arg->rmr, KDAPL_OBJ_RMR);
	ep = kdapl_obj_get(ia, arg->ep, KDAPL_OBJ_EP);
	if (rmr && ep)
		ret = bind_on(ia, to_rmr(rmr), to_ep(ep), arg);
	if (ep)
		kdapl_obj_put(ep);
	if (rmr)
		kdapl_obj_put(rmr);
	return ret;
}

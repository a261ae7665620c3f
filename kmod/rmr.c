// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RMR: a window onto part of an LMR, which a program moves by posting; how it is made
 * and freed.
 *
 * rmr_window.c has the windows, rmr_bind.c moves an RMR from one to the next, rmr_key.c
 * finds what is bound by its key.
 */

#include <linux/slab.h>

#include "ep.h"
#include "ia.h"
#include "lmr.h"
#include "pz.h"
#include "rmr.h"

/* How long an RMR that is freed waits for its binds before it breaks their EP. */
#define RMR_PATIENCE	(2 * HZ)

void kdapl_rmr_query(struct kdapl_rmr *rmr, struct kdapl_rmr_bind *now)
{
	const struct kdapl_window *bound;

	*now = (struct kdapl_rmr_bind){};
	spin_lock_bh(&rmr->lock);
	bound = rmr->bound;
	if (bound) {
		now->lmr = bound->lmr->obj.id;
		now->addr = bound->addr;
		now->length = bound->length;
		now->privileges = bound->privileges;
		now->rkey = bound->mr->rkey;
	}
	spin_unlock_bh(&rmr->lock);
}

/* No bind comes any more, and none is outstanding. */
static void rmr_drop_windows(struct kdapl_rmr *rmr)
{
	struct kdapl_window *bound, *spare;

	spin_lock_bh(&rmr->lock);
	bound = rmr->bound;
	spare = rmr->spare;
	rmr->bound = NULL;
	rmr->spare = NULL;
	spin_unlock_bh(&rmr->lock);
	if (bound)
		kdapl_window_free(bound);
	if (spare)
		kdapl_window_free(spare);
	kdapl_reaper_flush(&rmr->obj.ia->reaper);
}

static bool rmr_idle(struct kdapl_rmr *rmr)
{
	bool idle;

	spin_lock_bh(&rmr->lock);
	idle = !rmr->outstanding;
	spin_unlock_bh(&rmr->lock);
	return idle;
}

/* An EP lives as long as work of its is outstanding. */
static struct kdapl_ep *rmr_get_ep(struct kdapl_rmr *rmr)
{
	struct kdapl_ep *ep;

	spin_lock_bh(&rmr->lock);
	ep = rmr->ep;
	if (ep && !refcount_inc_not_zero(&ep->obj.ref))
		ep = NULL;
	spin_unlock_bh(&rmr->lock);
	return ep;
}

/* Hardware that gives nothing back may stand in the way even of that. */
static void rmr_break_ep(struct kdapl_rmr *rmr, struct kdapl_ep *ep)
{
	mutex_lock(&ep->mutex);
	if (!rmr_idle(rmr)) {
		kdapl_ep_end(ep, DAT_CONNECTION_EVENT_BROKEN, false);
		kdapl_ep_end_wait(ep);
	}
	if (!rmr_idle(rmr)) {
		/* iw_cm has a reference to the queue pair. */
		kdapl_cm_destroy(ep);
		kdapl_ep_drop_qp(ep);
	}
	mutex_unlock(&ep->mutex);
}

/* False: it is not idle yet, and who waits has no patience left, or shall die. */
static bool rmr_await_idle(struct kdapl_rmr *rmr)
{
	unsigned long deadline = jiffies + RMR_PATIENCE;
	struct kdapl_ia *ia = rmr->obj.ia;
	long ret;

	do {
		ret = wait_event_killable_timeout(rmr->idle, rmr_idle(rmr),
						  min_t(long, RMR_PATIENCE,
							kdapl_cq_patience(ia)));
		if (ret)
			return ret > 0;
		kdapl_cq_attend(ia);
	} while (time_before(jiffies, deadline));
	return rmr_idle(rmr);
}

/*
 * A bind that was posted may stand behind requests that the peer does not let
 * finish. It must not take effect after this, so in the end the EP is broken.
 */
static void rmr_await_binds(struct kdapl_rmr *rmr)
{
	struct kdapl_ep *ep;

	if (rmr_await_idle(rmr))
		return;
	ep = rmr_get_ep(rmr);
	if (ep) {
		rmr_break_ep(rmr, ep);
		kdapl_obj_put(&ep->obj);
	}
	wait_event_idle(rmr->idle, rmr_idle(rmr));
}

static void rmr_destroy(struct kdapl_obj *obj)
{
	struct kdapl_rmr *rmr = to_rmr(obj);

	mutex_lock(&rmr->mutex);
	rmr->gone = true;
	mutex_unlock(&rmr->mutex);
	rmr_await_binds(rmr);
	rmr_drop_windows(rmr);
	kdapl_obj_unuse(&rmr->pz->obj);
}

void kdapl_rmr_kill(struct kdapl_rmr *rmr)
{
	mutex_lock(&rmr->mutex);
	rmr->gone = true;
	mutex_unlock(&rmr->mutex);
	/* The end of their EPs gave all binds back. */
	wait_event_idle(rmr->idle, rmr_idle(rmr));
	rmr_drop_windows(rmr);
}

static void rmr_release(struct kdapl_obj *obj)
{
	kfree(to_rmr(obj));
}

const struct kdapl_obj_ops kdapl_rmr_ops = {
	.type = KDAPL_OBJ_RMR,
	.destroy = rmr_destroy,
	.release = rmr_release,
};

int kdapl_rmr_create(struct kdapl_ia *ia, struct kdapl_rmr_create *arg)
{
	struct kdapl_rmr *rmr;
	struct kdapl_obj *pz;
	int ret;

	if (!ia->max_rmr_size)
		return -EOPNOTSUPP;
	rmr = kzalloc(sizeof(*rmr), kdapl_ia_gfp(ia));
	if (!rmr)
		return -ENOMEM;
	mutex_init(&rmr->mutex);
	spin_lock_init(&rmr->lock);
	init_waitqueue_head(&rmr->idle);
	ret = kdapl_obj_init(&rmr->obj, ia, &kdapl_rmr_ops, arg->user);
	if (ret) {
		kfree(rmr);
		return ret;
	}
	pz = kdapl_obj_use(ia, arg->pz, KDAPL_OBJ_PZ);
	if (!pz) {
		kdapl_obj_abort(&rmr->obj);
		return -ENOENT;
	}
	rmr->pz = to_pz(pz);
	arg->id = rmr->obj.id;
	kdapl_obj_publish(&rmr->obj);
	return 0;
}

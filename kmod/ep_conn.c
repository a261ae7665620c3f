// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An EP from one connection to the next: it begins to connect or to accept, is
 * established, and when the end (ep_end.c) is over, is made usable again.
 *
 * Here the state changes, and nowhere else: by what the table in ep_state.c says, and
 * stored where the program reads it before the event that announces it.
 */

#include <linux/slab.h>

#include "bounce.h"
#include "ep.h"

/* Stored before the event that announces it. Caller holds ep->lock. */
static void ep_set_state(struct kdapl_ep *ep, enum kdapl_ep_state state)
{
	struct kdapl_ep_status *shown = ep->status.addr;

	ep->state = state;
	/* Who sees the event, or the state itself, can rely on it. */
	smp_store_release(&shown->state, state);
}

int kdapl_ep_move_locked(struct kdapl_ep *ep, enum kdapl_ep_trigger trigger)
{
	int next = kdapl_ep_next(ep->state, trigger);

	lockdep_assert_held(&ep->lock);
	if (next < 0)
		return next;
	ep_set_state(ep, next);
	return 0;
}

int kdapl_ep_begin(struct kdapl_ep *ep, enum kdapl_ep_state state)
{
	struct kdapl_evrec *outcome = kdapl_evrec_alloc(ep->obj.ia);
	struct kdapl_evrec *end = kdapl_evrec_alloc(ep->obj.ia);
	int ret = -ENOMEM;

	if (outcome && end && !kdapl_evd_crowded(ep->connect_evd)) {
		spin_lock_bh(&ep->lock);
		ep->begun_in = ep->state;
		ret = kdapl_ep_move_locked(ep, state == KDAPL_EP_ACTIVE_PENDING ?
					       KDAPL_ON_CONNECT :
					       KDAPL_ON_ACCEPT);
		if (!ret) {
			swap(ep->rec_outcome, outcome);
			swap(ep->rec_end, end);
		}
		spin_unlock_bh(&ep->lock);
	}
	kfree(outcome);
	kfree(end);
	return ret;
}

void kdapl_ep_cancel(struct kdapl_ep *ep)
{
	spin_lock_bh(&ep->lock);
	if (kdapl_ep_next(ep->state, KDAPL_ON_CANCEL) >= 0)
		ep_set_state(ep, ep->begun_in);
	spin_unlock_bh(&ep->lock);
}

int kdapl_ep_move(struct kdapl_ep *ep, enum kdapl_ep_trigger trigger)
{
	int ret;

	spin_lock_bh(&ep->lock);
	ret = kdapl_ep_move_locked(ep, trigger);
	spin_unlock_bh(&ep->lock);
	return ret;
}

void kdapl_ep_announce(struct kdapl_ep *ep, struct kdapl_evrec **rec,
		       u32 type, u32 length)
{
	struct kdapl_event event = {
		.user = ep->obj.user,
		.length = length,
		.type = type,
	};
	struct kdapl_evrec *taken = *rec;

	lockdep_assert_held(&ep->lock);
	*rec = NULL;
	/* An end that nobody hears of has no place among those that wait for room. */
	if (type)
		kdapl_evd_post(ep->connect_evd, &event, taken);
	else
		kfree(taken);
}

void kdapl_ep_established(struct kdapl_ep *ep, u32 private_data_size)
{
	spin_lock_bh(&ep->lock);
	if (!ep->ending && !kdapl_ep_move_locked(ep, KDAPL_ON_ESTABLISH)) {
		kdapl_unpark(ep);
		WRITE_ONCE(ep->qp_met, true);
		ep->told = false;
		kdapl_ep_announce(ep, &ep->rec_outcome,
				  DAT_CONNECTION_EVENT_ESTABLISHED,
				  private_data_size);
		kdapl_ep_check_marks(ep);
		/* Receives that completed before this are due now. */
		kdapl_wq_retire(ep, &ep->rq);
		/* A receive was refused when there was nothing to break yet. */
		if (ep->refused)
			kdapl_ep_end_locked(ep, DAT_CONNECTION_EVENT_BROKEN,
					    false);
	}
	spin_unlock_bh(&ep->lock);
}

int kdapl_ep_connect(struct kdapl_ep *ep, const struct kdapl_ep_connect *arg)
{
	int ret;

	if (!arg->timeout_us)
		return -EINVAL;

	mutex_lock(&ep->mutex);
	ret = kdapl_ep_here(ep);
	if (!ret && (!ep->connect_evd || !ep->qp))
		ret = -EBADFD;
	if (!ret)
		ret = kdapl_ep_begin(ep, KDAPL_EP_ACTIVE_PENDING);
	if (!ret) {
		ret = kdapl_cm_connect(ep, arg);
		if (ret)
			kdapl_ep_cancel(ep);
	}
	mutex_unlock(&ep->mutex);
	return ret;
}

static int ep_renew(struct kdapl_ep *ep)
{
	int ret;

	/* The end is stored before its work item returns. */
	flush_work(&ep->end_work);
	kdapl_cm_destroy(ep);
	kdapl_ep_drop_qp(ep);
	kdapl_bounce_drop(ep);
	/* In this order, since the device may have no room for both. */
	kdapl_ep_drop_recv_cq(ep);
	ret = kdapl_ep_make_recv_cq(ep);
	if (!ret)
		ret = kdapl_ep_make_qp(ep);
	if (ret)
		return ret;

	ep->rdma_read_in = ep->rdma_read_in_attr;
	ep->rdma_read_out = ep->rdma_read_out_attr;
	spin_lock_bh(&ep->lock);
	ep->ending = false;
	ep->peer_left = false;
	ep->end_started = false;
	kdapl_ep_move_locked(ep, KDAPL_ON_RESET);
	spin_unlock_bh(&ep->lock);
	return 0;
}

int kdapl_ep_reset(struct kdapl_ep *ep)
{
	enum kdapl_ep_state state;
	int ret;

	mutex_lock(&ep->mutex);
	spin_lock_bh(&ep->lock);
	state = ep->state;
	ret = kdapl_ep_next(state, KDAPL_ON_RESET);
	spin_unlock_bh(&ep->lock);

	if (ret >= 0)
		ret = 0;
	if (!ret && state == KDAPL_EP_DISCONNECTED)
		ret = kdapl_ep_here(ep) ?: ep_renew(ep);
	mutex_unlock(&ep->mutex);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How a connection ends.
 *
 * An end begins once (kdapl_ep_end), whoever is first. The rest is done by one
 * work item, in the order that DAT promises: what stands in the ring is taken,
 * a graceful end lets requests finish, as does one that the peer began where its
 * acknowledgements may be late, the peer is told, the queue pair goes to
 * error, every outstanding operation comes back, and DISCONNECTED is stored
 * and announced last.
 *
 * Who is first also says what it was, but for one thing. That the peer left can be
 * heard before what failed here, which comes by other ways and can be why it left.
 * When all work is back both are known, and a failure makes it BROKEN.
 */

#include "adapter.h"
#include "ep.h"
#include "ia.h"
#include "srq.h"

/* How long a device may take to move a queue pair to error by itself. */
#define EP_DEVICE_ERROR		(HZ / 10)
/* How long acknowledgements of a peer that has left may take through a device. */
#define EP_LATE_ACKS		(HZ / 10)
/* How long a device may take to say that a queue pair has left its SRQ. */
#define EP_LAST_WQE		HZ

/*
 * The work item starts when there is something for it to do: a graceful end can
 * wait for its requests as long as the peer likes, and may not keep a worker
 * from others meanwhile. Nor may one that waits for the answer to an acceptance.
 */
void kdapl_ep_end_go_on(struct kdapl_ep *ep)
{
	lockdep_assert_held(&ep->lock);
	if (ep->end_started || ep->unanswered ||
	    (ep->graceful && ep->sq.tail != ep->sq.head))
		return;
	ep->graceful = false;
	ep->end_started = true;
	queue_work(kdapl_workqueue, &ep->end_work);
}

/*
 * What takes an acceptance back may overtake it: the peer's ib_cm works on messages
 * on several processors at once. It comes for a connection that is not known there
 * yet, is dropped, and the peer is connected to nobody, for as long as it is silent.
 * Who has answered has had the acceptance.
 */
void kdapl_ep_answered_locked(struct kdapl_ep *ep)
{
	lockdep_assert_held(&ep->lock);
	if (!ep->unanswered)
		return;
	ep->unanswered = false;
	kdapl_ep_end_start(ep);
	wake_up(&ep->idle);
}

static bool ep_unanswered(struct kdapl_ep *ep)
{
	bool unanswered;

	spin_lock_bh(&ep->lock);
	unanswered = ep->unanswered;
	spin_unlock_bh(&ep->lock);
	return unanswered;
}

void kdapl_ep_end_wait(struct kdapl_ep *ep)
{
	wait_event_idle(ep->idle, !ep_unanswered(ep));
	flush_work(&ep->end_work);
}

void kdapl_ep_end_locked(struct kdapl_ep *ep, u32 event, bool graceful)
{
	lockdep_assert_held(&ep->lock);
	if (ep->ending) {
		if (ep->peer_left && event == DAT_CONNECTION_EVENT_BROKEN)
			ep->end_event = event;
		if (!graceful)
			ep->graceful = false;
		kdapl_ep_end_start(ep);
		return;
	}
	if (kdapl_ep_move_locked(ep, KDAPL_ON_END))
		return;
	ep->ending = true;
	ep->graceful = graceful;
	ep->end_event = event;
	kdapl_ep_end_start(ep);
}

/*
 * What it acknowledged before it left was done, and is not to be told of as
 * flushed: these requests may finish as those of a graceful end.
 */
static bool ep_awaits_acks(const struct kdapl_ep *ep)
{
	return kdapl_driver_acks_late(ep->obj.ia->dev) &&
	       (ep->ending ? ep->graceful : ep->state == KDAPL_EP_CONNECTED);
}

void kdapl_ep_left_locked(struct kdapl_ep *ep)
{
	bool first = !ep->ending, acks = ep_awaits_acks(ep);

	kdapl_ep_end_locked(ep, DAT_CONNECTION_EVENT_DISCONNECTED, acks);
	ep->peer_left |= first && ep->ending;
	if (acks && ep->ending && !ep->end_started)
		queue_delayed_work(kdapl_workqueue, &ep->acks_work,
				   EP_LATE_ACKS);
}

static void ep_acks_work(struct work_struct *work)
{
	struct kdapl_ep *ep = container_of(to_delayed_work(work),
					   struct kdapl_ep, acks_work);

	spin_lock_bh(&ep->lock);
	ep->graceful = false;
	kdapl_ep_end_start(ep);
	spin_unlock_bh(&ep->lock);
}

void kdapl_ep_end(struct kdapl_ep *ep, u32 event, bool graceful)
{
	spin_lock_bh(&ep->lock);
	kdapl_ep_end_locked(ep, event, graceful);
	spin_unlock_bh(&ep->lock);
}

/* Or nobody can tell. */
static bool ep_qp_failed(struct ib_qp *qp)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	return ib_query_qp(qp, &attr, IB_QP_STATE, &init) ||
	       attr.qp_state == IB_QPS_ERR;
}

/*
 * Where a receive fails, the device tells the peer why and then moves the queue
 * pair to error by itself. rxe completes the receive before both: who moves the
 * queue pair at once keeps the peer from hearing it. No event tells when it has
 * happened, so the state is asked for.
 */
static void ep_await_device(struct kdapl_ep *ep)
{
	unsigned long deadline = jiffies + EP_DEVICE_ERROR;
	bool failed;

	spin_lock_bh(&ep->lock);
	failed = ep->recv_failed;
	spin_unlock_bh(&ep->lock);
	if (!failed || !ep->qp)
		return;
	while (!ep_qp_failed(ep->qp) && time_before(jiffies, deadline))
		usleep_range(100, 500);
}

/*
 * Receives of the SRQ come back by themselves. siw, and rxe of old, do that before
 * the queue pair is in error, or not at all; others tell when it is done.
 */
static void ep_leave_srq(struct kdapl_ep *ep, bool up)
{
	bool last;

	if (!ep->srq || !ep->qp)
		return;
	if (up && kdapl_driver_last_wqe(ep->obj.ia->dev))
		wait_event_idle_timeout(ep->idle, READ_ONCE(ep->last_wqe),
					EP_LAST_WQE);
	/* Pairs with ep_qp_event(): what completed before is there to be drained. */
	last = smp_load_acquire(&ep->last_wqe);
	kdapl_cq_drain(kdapl_srq_cq(ep));
	if (last)
		WRITE_ONCE(ep->srq_seen, KDAPL_SRQ_TAKES_NONE);
	kdapl_srq_reclaim(ep->srq, ep);
}

/* What the device said of the queue pair counts, though no worker came to it yet. */
static void ep_hear_device(struct kdapl_ep *ep)
{
	if (cancel_work_sync(&ep->break_work))
		kdapl_ep_end(ep, DAT_CONNECTION_EVENT_BROKEN, false);
}

static void ep_end_work(struct work_struct *work)
{
	struct kdapl_ep *ep = container_of(work, struct kdapl_ep, end_work);
	u32 size = 0;
	bool up;

	cancel_delayed_work_sync(&ep->acks_work);
	/* Nothing that was posted may miss its flush. */
	kdapl_sq_drain(&ep->obj.ia->sq);
	ep_await_device(ep);
	spin_lock_bh(&ep->lock);
	up = ep->cm.up;
	spin_unlock_bh(&ep->lock);

	/*
	 * siw flushes all requests only on the way from RTS to error. A
	 * disconnect takes it to CLOSING first, where reads that are out and
	 * requests behind a failed one are forgotten.
	 */
	if (up && ep->obj.ia->iwarp && ep->qp)
		kdapl_ep_qp_error(ep, ep->qp);
	kdapl_cm_disconnect(ep);
	if (ep->qp)
		kdapl_ep_qp_flush(ep, ep->qp);
	ep_leave_srq(ep, up);
	ep_hear_device(ep);

	spin_lock_bh(&ep->lock);
	kdapl_park_flush(ep);
	kdapl_wq_retire(ep, &ep->rq);
	kdapl_wq_retire(ep, &ep->sq);
	kdapl_ep_move_locked(ep, KDAPL_ON_ENDED);
	/* Only a rejection has data; what ESTABLISHED had was told then. */
	if (ep->end_event == DAT_CONNECTION_EVENT_PEER_REJECTED)
		size = ep->cm.private_data_size;
	kdapl_ep_announce(ep, &ep->rec_end, ep->end_event, size);
	/* What had completed before was held back until now, or parked. */
	wake_up(&ep->idle);
	spin_unlock_bh(&ep->lock);
}

void kdapl_ep_init_end(struct kdapl_ep *ep)
{
	INIT_WORK(&ep->end_work, ep_end_work);
	INIT_DELAYED_WORK(&ep->acks_work, ep_acks_work);
}

int kdapl_ep_disconnect(struct kdapl_ep *ep, u32 close_flags)
{
	int ret;

	if (close_flags > KDAPL_CLOSE_GRACEFUL)
		return -EINVAL;

	spin_lock_bh(&ep->lock);
	ret = kdapl_ep_next(ep->state, KDAPL_ON_DISCONNECT);
	if (ret >= 0) {
		ret = 0;
		/* Only an established connection has anything to finish. */
		kdapl_ep_end_locked(ep, DAT_CONNECTION_EVENT_DISCONNECTED,
				    close_flags == KDAPL_CLOSE_GRACEFUL &&
				    (ep->state == KDAPL_EP_CONNECTED ||
				     ep->ending));
	}
	spin_unlock_bh(&ep->lock);
	return ret;
}

/* All that was posted has its event. */
static bool ep_is_drained(struct kdapl_ep *ep)
{
	bool drained;

	spin_lock_bh(&ep->lock);
	drained = ep->rq.tail == ep->rq.head && ep->sq.tail == ep->sq.head &&
		  list_empty(&ep->taken);
	spin_unlock_bh(&ep->lock);
	return drained;
}

/* Nothing else gives receives back. */
static bool ep_is_ending(struct kdapl_ep *ep)
{
	bool ending;

	spin_lock_bh(&ep->lock);
	ending = ep->ending && ep->state != KDAPL_EP_DISCONNECTED;
	spin_unlock_bh(&ep->lock);
	return ending;
}

static bool ep_owes(struct kdapl_ep *ep)
{
	return READ_ONCE(ep->state) == KDAPL_EP_DISCONNECTED &&
	       !ep_is_drained(ep);
}

/* Hardware that gives nothing back does so at the latest when the queue pair goes. */
static void ep_take_back(struct kdapl_ep *ep)
{
	kdapl_ia_enter_free(ep->obj.ia);
	mutex_lock(&ep->mutex);
	if (ep_owes(ep)) {
		flush_work(&ep->end_work);
		/* iw_cm has a reference to the queue pair. */
		kdapl_cm_destroy(ep);
		kdapl_ep_drop_qp(ep);
	}
	mutex_unlock(&ep->mutex);
	kdapl_ia_leave(ep->obj.ia);
}

int kdapl_ep_drain(struct kdapl_ep *ep)
{
	struct kdapl_ia *ia = ep->obj.ia;
	long ret;

	while (!(ret = wait_event_killable_timeout(ep->idle, !ep_is_ending(ep),
						   kdapl_cq_patience(ia))))
		kdapl_cq_attend(ia);
	if (ret < 0)
		return -EINTR;
	if (ep_owes(ep))
		ep_take_back(ep);
	return ep_is_drained(ep) ? 0 : -EBADFD;
}

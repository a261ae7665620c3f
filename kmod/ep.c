// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * EP: one end of a connection; its state, and how a connection ends.
 *
 * An end begins once (kdapl_ep_end), whoever is first. The rest is done by one
 * work item, in the order that DAT promises: what stands in the ring is taken,
 * a graceful end lets requests finish, the peer is told, the queue pair goes to
 * error, every outstanding operation comes back, and DISCONNECTED is stored
 * and announced last.
 *
 * Who is first also says what it was, but for one thing. That the peer left can be
 * heard before what failed here, which comes by other ways and can be why it left.
 * When all work is back both are known, and a failure makes it BROKEN.
 */

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "account.h"
#include "adapter.h"
#include "ep.h"
#include "ia.h"
#include "rw.h"
#include "srq.h"

/* How long a device may take to move a queue pair to error by itself. */
#define EP_DEVICE_ERROR		(HZ / 10)

/* Stored before the event that announces it. Caller holds ep->lock. */
static void ep_set_state(struct kdapl_ep *ep, enum kdapl_ep_state state)
{
	struct kdapl_ep_status *shown = ep->status.addr;

	ep->state = state;
	/* Who sees the event, or the state itself, can rely on it. */
	smp_store_release(&shown->state, state);
}

/* Caller holds ep->lock. */
static int ep_trigger(struct kdapl_ep *ep, enum kdapl_ep_trigger trigger)
{
	int next = kdapl_ep_next(ep->state, trigger);

	if (next < 0)
		return next;
	ep_set_state(ep, next);
	return 0;
}

/* ---- begin and establish ---------------------------------------------- */

int kdapl_ep_begin(struct kdapl_ep *ep, enum kdapl_ep_state state)
{
	struct kdapl_evrec *outcome = kdapl_evrec_alloc(ep->obj.ia);
	struct kdapl_evrec *end = kdapl_evrec_alloc(ep->obj.ia);
	int ret = -ENOMEM;

	if (outcome && end && !kdapl_evd_crowded(ep->connect_evd)) {
		spin_lock_bh(&ep->lock);
		ep->begun_in = ep->state;
		ret = ep_trigger(ep, state == KDAPL_EP_ACTIVE_PENDING ?
				 KDAPL_ON_CONNECT : KDAPL_ON_ACCEPT);
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
	ret = ep_trigger(ep, trigger);
	spin_unlock_bh(&ep->lock);
	return ret;
}

static void ep_announce(struct kdapl_ep *ep, struct kdapl_evrec **rec,
			u32 type, u32 length)
{
	struct kdapl_event event = {
		.user = ep->obj.user,
		.length = length,
		.type = type,
	};
	struct kdapl_evrec *taken = *rec;

	*rec = NULL;
	kdapl_evd_post(ep->connect_evd, &event, taken);
}

void kdapl_ep_established(struct kdapl_ep *ep, u32 private_data_size)
{
	spin_lock_bh(&ep->lock);
	if (!ep->ending && !ep_trigger(ep, KDAPL_ON_ESTABLISH)) {
		kdapl_unpark(ep);
		ep_announce(ep, &ep->rec_outcome,
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

/* ---- the end ----------------------------------------------------------- */

/*
 * The work item starts when there is something for it to do: a graceful end can
 * wait for its requests as long as the peer likes, and may not keep a worker
 * from others meanwhile.
 */
void kdapl_ep_end_start(struct kdapl_ep *ep)
{
	lockdep_assert_held(&ep->lock);
	if (!ep->ending || ep->end_started ||
	    (ep->graceful && ep->sq.tail != ep->sq.head))
		return;
	ep->graceful = false;
	ep->end_started = true;
	queue_work(kdapl_workqueue, &ep->end_work);
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
	if (ep_trigger(ep, KDAPL_ON_END))
		return;
	ep->ending = true;
	ep->graceful = graceful;
	ep->end_event = event;
	kdapl_ep_end_start(ep);
}

void kdapl_ep_left_locked(struct kdapl_ep *ep)
{
	bool first = !ep->ending;

	kdapl_ep_end_locked(ep, DAT_CONNECTION_EVENT_DISCONNECTED, false);
	ep->peer_left |= first && ep->ending;
}

void kdapl_ep_end(struct kdapl_ep *ep, u32 event, bool graceful)
{
	spin_lock_bh(&ep->lock);
	kdapl_ep_end_locked(ep, event, graceful);
	spin_unlock_bh(&ep->lock);
}

static bool ep_device_done(struct kdapl_ep *ep)
{
	bool done;

	spin_lock_bh(&ep->lock);
	done = !ep->rq.hw && !ep->sq.hw;
	spin_unlock_bh(&ep->lock);
	return done;
}

static int ep_qp_error(struct kdapl_ep *ep, struct ib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	int ret;

	if (ep->recv_cq)
		kdapl_cq_hear_all(ep->recv_cq);
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE);
	if (ret)
		pr_warn_ratelimited("%s: a queue pair does not go to error\n",
				    ep->obj.ia->name);
	return ret;
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

/* How long a device may take to say that a queue pair has left its SRQ. */
#define EP_LAST_WQE		HZ

/*
 * Receives of the SRQ come back by themselves. rxe and siw do that before the
 * queue pair is in error, or not at all; others tell when it is done.
 */
static void ep_leave_srq(struct kdapl_ep *ep, bool up)
{
	if (!ep->srq || !ep->qp)
		return;
	if (up && kdapl_driver_last_wqe(ep->obj.ia->dev))
		wait_event_idle_timeout(ep->idle, READ_ONCE(ep->last_wqe),
					EP_LAST_WQE);
	kdapl_cq_drain(kdapl_srq_cq(ep));
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
		ep_qp_error(ep, ep->qp);
	kdapl_cm_disconnect(ep);
	/* A device that does not even do this gives nothing back any more. */
	if (ep->qp && !ep_qp_error(ep, ep->qp))
		wait_event_idle(ep->idle, ep_device_done(ep));
	ep_leave_srq(ep, up);
	ep_hear_device(ep);

	spin_lock_bh(&ep->lock);
	kdapl_park_flush(ep);
	kdapl_wq_retire(ep, &ep->rq);
	kdapl_wq_retire(ep, &ep->sq);
	ep_trigger(ep, KDAPL_ON_ENDED);
	/* Only a rejection has data; what ESTABLISHED had was told then. */
	if (ep->end_event == DAT_CONNECTION_EVENT_PEER_REJECTED)
		size = ep->cm.private_data_size;
	ep_announce(ep, &ep->rec_end, ep->end_event, size);
	/* What had completed before was held back until now, or parked. */
	wake_up(&ep->idle);
	spin_unlock_bh(&ep->lock);
}

/* ---- the queue pair ---------------------------------------------------- */

static void ep_break_work(struct work_struct *work)
{
	struct kdapl_ep *ep = container_of(work, struct kdapl_ep, break_work);

	kdapl_ep_end(ep, DAT_CONNECTION_EVENT_BROKEN, false);
}

static void ep_notify_work(struct work_struct *work)
{
	kdapl_cm_notify(container_of(work, struct kdapl_ep, notify_work));
}

/*
 * siw says by REQ_ERR that it could not send its answer to a read. It says so, too,
 * when the peer has all of it and left: siw looks for that even after the last
 * segment. In any case the connection is closed then, by siw or by the peer, and
 * rdma_cm tells.
 */
static bool ep_event_breaks(const struct ib_event *event)
{
	return event->event != IB_EVENT_QP_REQ_ERR ||
	       event->device->ops.driver_id != RDMA_DRIVER_SIW;
}

/* Drivers call this from any context, hard interrupts included. */
static void ep_qp_event(struct ib_event *event, void *context)
{
	struct kdapl_ep *ep = context;

	switch (event->event) {
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
		if (ep_event_breaks(event))
			queue_work(kdapl_workqueue, &ep->break_work);
		break;
	case IB_EVENT_COMM_EST:
		queue_work(kdapl_workqueue, &ep->notify_work);
		break;
	case IB_EVENT_QP_LAST_WQE_REACHED:
		WRITE_ONCE(ep->last_wqe, true);
		wake_up(&ep->idle);
		break;
	default:
		break;
	}
}

/* Receives may be posted from the start, so the queue pair goes to INIT. */
static int ep_qp_init(struct ib_qp *qp, struct kdapl_ia *ia)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.pkey_index = 0,
		.port_num = ia->port,
		.qp_access_flags = IB_ACCESS_LOCAL_WRITE |
				   IB_ACCESS_REMOTE_WRITE |
				   IB_ACCESS_REMOTE_READ,
	};
	int mask = IB_QP_STATE | IB_QP_ACCESS_FLAGS;

	if (ia->atomic)
		attr.qp_access_flags |= IB_ACCESS_REMOTE_ATOMIC;
	if (!ia->iwarp)
		mask |= IB_QP_PKEY_INDEX | IB_QP_PORT;
	return ib_modify_qp(qp, &attr, mask);
}

static struct ib_qp *ep_new_qp(struct kdapl_ep *ep, struct kdapl_pz *pz,
			       struct kdapl_cq *cq, struct kdapl_cq *recv_cq,
			       const struct ib_qp_cap *cap)
{
	struct ib_qp_init_attr attr = {
		.event_handler = ep_qp_event,
		.qp_context = ep,
		.send_cq = cq->ibcq,
		.recv_cq = recv_cq->ibcq,
		.srq = ep->srq ? ep->srq->ibsrq : NULL,
		.cap = *cap,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
		.port_num = ep->obj.ia->port,
	};
	struct ib_qp *qp;
	int ret;

	qp = ib_create_qp(pz->pd, &attr);
	if (IS_ERR(qp))
		return qp;
	ret = ep_qp_init(qp, ep->obj.ia);
	if (ret) {
		ib_destroy_qp(qp);
		return ERR_PTR(ret);
	}
	return qp;
}

struct ib_qp *kdapl_ep_create_qp(struct kdapl_ep *ep, struct kdapl_pz *pz,
				 struct kdapl_cq *cq, struct kdapl_cq *recv_cq,
				 const struct ib_qp_cap *cap,
				 struct rdma_cgroup **cg)
{
	struct ib_device *dev = ep->obj.ia->dev;
	struct ib_qp *qp;
	int ret;

	ret = kdapl_ia_charge(ep->obj.ia, cg, RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		return ERR_PTR(ret);
	if (ep->srq && !recv_cq)
		recv_cq = ep->srq->cq;
	qp = ep_new_qp(ep, pz, cq, recv_cq ?: cq, cap);
	if (IS_ERR(qp))
		kdapl_cgroup_uncharge(dev, cg, RDMACG_RESOURCE_HCA_OBJECT);
	return qp;
}

static int ep_make_qp(struct kdapl_ep *ep)
{
	struct ib_qp *qp;

	qp = kdapl_ep_create_qp(ep, ep->pz, ep->cq, ep->recv_cq, &ep->cap,
				&ep->cg);
	if (IS_ERR(qp))
		return PTR_ERR(qp);

	spin_lock_bh(&ep->lock);
	ep->qp = qp;
	ep->refused = false;
	ep->last_wqe = false;
	spin_unlock_bh(&ep->lock);
	return 0;
}

int kdapl_ep_make_qp(struct kdapl_ep *ep)
{
	struct kdapl_srq *srq = ep->srq;
	int ret;

	if (!srq)
		return ep_make_qp(ep);
	mutex_lock(&srq->mutex);
	ret = ep_make_qp(ep);
	if (!ret)
		kdapl_srq_attach(srq, ep);
	mutex_unlock(&srq->mutex);
	return ret;
}

/* What a queue pair took along when it was destroyed is flushed. */
static void ep_flush_lost(struct kdapl_ep *ep, struct kdapl_wq *wq)
{
	struct kdapl_ep_status *shown = ep->status.addr;
	u32 i;

	for (i = wq->tail; i != wq->head; i++) {
		struct kdapl_work *work = &wq->work[i & wq->mask];

		if (work->state != KDAPL_WORK_POSTED)
			continue;
		work->state = KDAPL_WORK_DONE;
		work->status = DAT_DTO_ERR_FLUSHED;
	}
	if (wq == &ep->rq)
		WRITE_ONCE(shown->hw_recv, ep->srq_taken);
	else
		kdapl_sq_count(&ep->obj.ia->sq, -wq->hw);
	wq->hw = 0;
	kdapl_wq_retire(ep, wq);
}

/* The receives of an SRQ that it took along come out of the completion queue. */
static void ep_destroy_qp(struct kdapl_ep *ep, struct ib_qp *qp)
{
	struct kdapl_srq *srq = ep->srq;

	if (!srq) {
		ib_destroy_qp(qp);
		return;
	}
	mutex_lock(&srq->mutex);
	/* A driver may throw away what it finds there of the queue pair. */
	kdapl_cq_drain(kdapl_srq_cq(ep));
	ib_destroy_qp(qp);
	kdapl_cq_drain(kdapl_srq_cq(ep));
	kdapl_srq_detach(srq, ep);
	mutex_unlock(&srq->mutex);
}

void kdapl_ep_drop_qp(struct kdapl_ep *ep)
{
	struct ib_qp *qp;

	spin_lock_bh(&ep->lock);
	qp = ep->qp;
	ep->qp = NULL;
	spin_unlock_bh(&ep->lock);
	if (!qp)
		return;

	/*
	 * Receives may be out although there never was a connection. Their
	 * completions must not come when what they name is gone: a queue pair
	 * can flush into its completion queue even while it is destroyed.
	 */
	if (!ep_device_done(ep) && !ep_qp_error(ep, qp))
		wait_event_idle(ep->idle, ep_device_done(ep));
	kdapl_rw_abandon(ep);
	ep_destroy_qp(ep, qp);
	kdapl_cgroup_uncharge(ep->obj.ia->dev, &ep->cg,
			      RDMACG_RESOURCE_HCA_OBJECT);
	/* No events any more: those on the way must not hit the next one. */
	cancel_work_sync(&ep->break_work);
	cancel_work_sync(&ep->notify_work);
	cancel_delayed_work_sync(&ep->park_work);

	spin_lock_bh(&ep->lock);
	kdapl_park_flush(ep);
	ep_flush_lost(ep, &ep->rq);
	ep_flush_lost(ep, &ep->sq);
	wake_up(&ep->idle);
	spin_unlock_bh(&ep->lock);
}

/* ---- the consumer's calls ---------------------------------------------- */

int kdapl_ep_connect(struct kdapl_ep *ep, const struct kdapl_ep_connect *arg)
{
	int ret;

	if (!arg->timeout_us)
		return -EINVAL;

	mutex_lock(&ep->mutex);
	if (ep->gone)
		ret = -ENODEV;
	else if (!ep->connect_evd || !ep->qp)
		ret = -EBADFD;
	else
		ret = kdapl_ep_begin(ep, KDAPL_EP_ACTIVE_PENDING);
	if (!ret) {
		ret = kdapl_cm_connect(ep, arg);
		if (ret)
			kdapl_ep_cancel(ep);
	}
	mutex_unlock(&ep->mutex);
	return ret;
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

int kdapl_ep_drain(struct kdapl_ep *ep)
{
	if (wait_event_killable(ep->idle, !ep_is_ending(ep)))
		return -EINTR;
	return ep_is_drained(ep) ? 0 : -EBADFD;
}

struct kdapl_cq *kdapl_ep_solicited_cq(const struct kdapl_ep *ep,
				       struct kdapl_evd *evd,
				       const struct ib_qp_cap *cap)
{
	/* All that the device has of an SRQ can go to one EP. */
	return kdapl_cq_solicited(evd, ep->srq ? ep->srq->window :
						 cap->max_recv_wr);
}

static void ep_drop_recv_cq(struct kdapl_ep *ep)
{
	if (ep->recv_cq)
		kdapl_cq_unreserve(ep->recv_cq, ep->recv_cq->used);
	ep->recv_cq = NULL;
}

static int ep_make_recv_cq(struct kdapl_ep *ep)
{
	struct kdapl_cq *cq;

	if (ep->recv_notify != KDAPL_NOTIFY_SOLICITED || !ep->recv_evd)
		return 0;
	cq = kdapl_ep_solicited_cq(ep, ep->recv_evd, &ep->cap);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ep->recv_cq = cq;
	return 0;
}

static int ep_renew(struct kdapl_ep *ep)
{
	int ret;

	/* The end is stored before its work item returns. */
	flush_work(&ep->end_work);
	kdapl_cm_destroy(ep);
	kdapl_ep_drop_qp(ep);
	/* In this order, since the device may have no room for both. */
	ep_drop_recv_cq(ep);
	ret = ep_make_recv_cq(ep);
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
	ep->recv_failed = false;
	ep_trigger(ep, KDAPL_ON_RESET);
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
		ret = ep->gone ? -ENODEV : ep_renew(ep);
	mutex_unlock(&ep->mutex);
	return ret;
}

int kdapl_ep_query(struct kdapl_ep *ep, struct kdapl_ep_query *arg)
{
	mutex_lock(&ep->mutex);
	spin_lock_bh(&ep->lock);
	arg->state = ep->state;
	arg->max_rdma_read_in = ep->rdma_read_in;
	arg->max_rdma_read_out = ep->rdma_read_out;
	spin_unlock_bh(&ep->lock);
	kdapl_cm_query(ep, arg);
	mutex_unlock(&ep->mutex);
	return 0;
}

/* ---- creation and freeing ---------------------------------------------- */

static void ep_drop_cqs(struct kdapl_ep *ep)
{
	ep_drop_recv_cq(ep);
	if (ep->cq)
		kdapl_cq_unreserve(ep->cq, ep->cq_reserved);
	ep->cq = NULL;
}

/* Everything of the device goes; what was outstanding is flushed. */
static void ep_stop(struct kdapl_ep *ep, u32 event)
{
	mutex_lock(&ep->mutex);
	ep->gone = true;
	kdapl_ep_end(ep, event, false);
	flush_work(&ep->end_work);
	kdapl_cm_destroy(ep);
	kdapl_ep_drop_qp(ep);
	ep_drop_cqs(ep);
	mutex_unlock(&ep->mutex);
}

void kdapl_ep_kill(struct kdapl_ep *ep)
{
	ep_stop(ep, DAT_CONNECTION_EVENT_BROKEN);
}

static void wq_cancel(struct kdapl_wq *wq, struct kdapl_evd *evd)
{
	u32 i;

	for (i = wq->done; i != wq->head; i++)
		kdapl_evd_cancel(evd, &wq->work[i & wq->mask].rec);
	/* A release that counted its slot may still be telling the program. */
	kdapl_evd_sync(evd);
}

/* Both or none. Caller holds the join_lock. */
static int evds_join(struct kdapl_evd *recv, u32 recv_notify,
		     struct kdapl_evd *request, u32 request_notify)
{
	int ret = kdapl_evd_join(recv, recv_notify);

	if (ret)
		return ret;
	ret = kdapl_evd_join(request, request_notify);
	if (ret)
		kdapl_evd_leave(recv);
	return ret;
}

static int ep_join(struct kdapl_ep *ep, u16 recv_notify, u16 request_notify)
{
	struct kdapl_ia *ia = ep->obj.ia;
	int ret;

	mutex_lock(&ia->join_lock);
	ret = evds_join(ep->recv_evd, recv_notify, ep->request_evd,
			request_notify);
	mutex_unlock(&ia->join_lock);
	if (ret)
		return ret;
	ep->recv_notify = recv_notify;
	ep->request_notify = request_notify;
	ep->joined = true;
	return 0;
}

static void ep_leave(struct kdapl_ep *ep)
{
	struct kdapl_ia *ia = ep->obj.ia;

	if (!ep->joined)
		return;
	mutex_lock(&ia->join_lock);
	kdapl_evd_leave(ep->recv_evd);
	kdapl_evd_leave(ep->request_evd);
	mutex_unlock(&ia->join_lock);
	ep->joined = false;
}

/* The EP itself must not stand in the way, and nobody else may come between. */
int kdapl_ep_rejoin(struct kdapl_ep *ep, struct kdapl_evd *recv,
		    u32 recv_notify, struct kdapl_evd *request,
		    u32 request_notify)
{
	struct kdapl_ia *ia = ep->obj.ia;
	int ret;

	mutex_lock(&ia->join_lock);
	kdapl_evd_leave(ep->recv_evd);
	kdapl_evd_leave(ep->request_evd);
	ret = evds_join(recv, recv_notify, request, request_notify);
	if (ret)
		WARN_ON(evds_join(ep->recv_evd, ep->recv_notify,
				  ep->request_evd, ep->request_notify));
	mutex_unlock(&ia->join_lock);
	return ret;
}

static void ep_unuse(struct kdapl_ep *ep)
{
	ep_leave(ep);
	if (ep->recv_evd)
		kdapl_obj_unuse(&ep->recv_evd->obj);
	if (ep->request_evd)
		kdapl_obj_unuse(&ep->request_evd->obj);
	if (ep->connect_evd)
		kdapl_obj_unuse(&ep->connect_evd->obj);
	kdapl_evd_unuse_async(ep->obj.ia, ep->async_evd);
	if (ep->srq)
		kdapl_obj_unuse(&ep->srq->obj);
	if (ep->pz)
		kdapl_obj_unuse(&ep->pz->obj);
}

static void ep_obj_destroy(struct kdapl_obj *obj)
{
	struct kdapl_ep *ep = to_ep(obj);

	/* An event of type 0 is none: the consumer asked for this end. */
	ep_stop(ep, 0);
	/* Who posts from the ring is through, and who posts by a call. */
	kdapl_sq_sync(&obj->ia->sq);
	spin_lock_bh(&ep->lock);
	ep->closed = true;
	spin_unlock_bh(&ep->lock);
	if (ep->srq)
		kdapl_srq_cancel(ep);
	else
		wq_cancel(&ep->rq, ep->recv_evd);
	wq_cancel(&ep->sq, ep->request_evd);
	kdapl_slot_free(&obj->ia->regions, &ep->status);
	ep_unuse(ep);
}

static void ep_obj_release(struct kdapl_obj *obj)
{
	struct kdapl_ep *ep = to_ep(obj);

	kvfree(ep->parked);
	kfree(ep->chain);
	kvfree(ep->rq.work);
	kvfree(ep->sq.work);
	kfree(ep->rec_outcome);
	kfree(ep->rec_end);
	kfree(ep->rec_soft);
	kfree(ep);
}

const struct kdapl_obj_ops kdapl_ep_ops = {
	.type = KDAPL_OBJ_EP,
	.destroy = ep_obj_destroy,
	.release = ep_obj_release,
};

int kdapl_wq_init(struct kdapl_wq *wq, struct kdapl_ep *ep, u32 size)
{
	u32 i, slots = size ? roundup_pow_of_two(size) : 0;

	wq->size = size;
	if (!size)
		return 0;
	wq->mask = slots - 1;
	wq->work = kvcalloc(slots, sizeof(*wq->work),
			    kdapl_ia_gfp(ep->obj.ia));
	if (!wq->work)
		return -ENOMEM;
	for (i = 0; i < slots; i++) {
		wq->work[i].ep = ep;
		wq->work[i].rec.release = kdapl_work_release;
		INIT_LIST_HEAD(&wq->work[i].rec.list);
	}
	return 0;
}

int kdapl_ep_check(struct kdapl_ia *ia, const struct kdapl_ep_create *arg)
{
	if (arg->flags || arg->rdma_read_fixed > 1 ||
	    arg->recv_notify > KDAPL_NOTIFY_SOLICITED ||
	    arg->request_notify > KDAPL_NOTIFY_QUIET)
		return -EINVAL;
	if (arg->srq && arg->max_recvs)
		return -EINVAL;
	if (!arg->recv_evd != !(arg->max_recvs || arg->srq))
		return -EINVAL;
	if (!arg->request_evd != !arg->max_requests)
		return -EINVAL;
	if (arg->max_recvs > ia->max_recvs ||
	    arg->max_requests > ia->max_requests ||
	    arg->max_recv_iov > ia->max_iov ||
	    arg->max_request_iov > ia->max_iov ||
	    arg->max_rdma_read_in > ia->max_read_in ||
	    arg->max_rdma_read_out > ia->max_read_out)
		return -ENOSPC;
	return 0;
}

int kdapl_ep_use_evd(struct kdapl_ia *ia, u32 id, u32 stream,
		     struct kdapl_evd **evd)
{
	struct kdapl_obj *obj;

	if (!id)
		return 0;
	obj = kdapl_obj_use(ia, id, KDAPL_OBJ_EVD);
	if (!obj)
		return -ENOENT;
	*evd = to_evd(obj);
	return (*evd)->flags & stream ? 0 : -EINVAL;
}

/* Where it is of another PZ some devices look for the memory in the EP's. */
static int ep_use_srq(struct kdapl_ep *ep, u32 id)
{
	struct kdapl_obj *obj;

	if (!id)
		return 0;
	obj = kdapl_obj_use(ep->obj.ia, id, KDAPL_OBJ_SRQ);
	if (!obj)
		return -ENOENT;
	ep->srq = to_srq(obj);
	return ep->srq->pz == ep->pz ? 0 : -EPERM;
}

static int ep_use(struct kdapl_ep *ep, const struct kdapl_ep_create *arg)
{
	struct kdapl_ia *ia = ep->obj.ia;
	struct kdapl_obj *pz;
	int ret;

	if (arg->pz) {
		pz = kdapl_obj_use(ia, arg->pz, KDAPL_OBJ_PZ);
		if (!pz)
			return -ENOENT;
		ep->pz = to_pz(pz);
	}
	ret = kdapl_ep_use_evd(ia, arg->recv_evd, DAT_EVD_DTO_FLAG,
			       &ep->recv_evd);
	if (!ret)
		ret = kdapl_ep_use_evd(ia, arg->request_evd, DAT_EVD_DTO_FLAG,
				       &ep->request_evd);
	if (!ret)
		ret = kdapl_ep_use_evd(ia, arg->connect_evd,
				       DAT_EVD_CONNECTION_FLAG,
				       &ep->connect_evd);
	if (!ret)
		ret = ep_use_srq(ep, arg->srq);
	return ret;
}

void kdapl_ep_cap(const struct kdapl_ep_create *arg, struct ib_qp_cap *cap)
{
	/* A queue pair without one of its queues is nothing all drivers know. */
	cap->max_recv_wr = arg->srq ? 0 : max(arg->max_recvs, 1U);
	cap->max_send_wr = max(arg->max_requests, 1U);
	cap->max_recv_sge = arg->srq ? 0 : max(arg->max_recv_iov, 1U);
	cap->max_send_sge = max(arg->max_request_iov, 1U);
}

void kdapl_ep_set_limits(struct kdapl_ep *ep, const struct kdapl_ep_create *arg)
{
	ep->max_recv_iov = arg->max_recv_iov;
	ep->max_request_iov = arg->max_request_iov;
	ep->rdma_read_in = arg->max_rdma_read_in;
	ep->rdma_read_out = arg->max_rdma_read_out;
	ep->rdma_read_in_attr = arg->max_rdma_read_in;
	ep->rdma_read_out_attr = arg->max_rdma_read_out;
	ep->rdma_read_fixed = arg->rdma_read_fixed;
}

static int ep_build(struct kdapl_ep *ep, const struct kdapl_ep_create *arg)
{
	struct kdapl_ia *ia = ep->obj.ia;
	struct kdapl_cq *cq;
	int ret;

	ret = ep_use(ep, arg);
	if (!ret)
		ret = ep_join(ep, arg->recv_notify, arg->request_notify);
	if (!ret)
		ret = kdapl_wq_init(&ep->rq, ep, arg->max_recvs);
	if (!ret)
		ret = kdapl_wq_init(&ep->sq, ep, arg->max_requests);
	if (!ret)
		ret = kdapl_park_init(ep);
	if (!ret)
		ret = kdapl_post_init(ep);
	if (!ret)
		ret = kdapl_slot_alloc(&ia->regions, false, &ep->status);
	if (ret)
		return ret;
	/* Without a zone the queue pair waits for kdapl_ep_modify(). */
	if (!ep->pz)
		return 0;

	cq = kdapl_cq_reserve(ia, ep->cq_reserved);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ep->cq = cq;
	ret = ep_make_recv_cq(ep);
	if (ret)
		return ret;
	kdapl_cq_feeds(ep->srq ? ep->srq->cq : ep->cq, ep->recv_evd);
	kdapl_cq_feeds(ep->cq, ep->request_evd);
	return kdapl_ep_make_qp(ep);
}

static void ep_unbuild(struct kdapl_ep *ep)
{
	ep_drop_cqs(ep);
	if (ep->status.addr)
		kdapl_slot_free(&ep->obj.ia->regions, &ep->status);
	ep_unuse(ep);
	kdapl_obj_abort(&ep->obj);
}

static struct kdapl_ep *ep_alloc(const struct kdapl_ia *ia)
{
	struct kdapl_ep *ep = kzalloc(sizeof(*ep), kdapl_ia_gfp(ia));

	if (!ep)
		return NULL;
	mutex_init(&ep->mutex);
	spin_lock_init(&ep->lock);
	init_waitqueue_head(&ep->idle);
	INIT_WORK(&ep->end_work, ep_end_work);
	INIT_WORK(&ep->break_work, ep_break_work);
	INIT_WORK(&ep->notify_work, ep_notify_work);
	INIT_LIST_HEAD(&ep->taken);
	ep->soft_mark = KDAPL_MARK_INFINITE;
	ep->hard_mark = KDAPL_MARK_INFINITE;
	return ep;
}

int kdapl_ep_create(struct kdapl_ia *ia, struct kdapl_ep_create *arg)
{
	struct kdapl_ep *ep;
	int ret;

	ret = kdapl_ep_check(ia, arg);
	if (ret)
		return ret;
	ep = ep_alloc(ia);
	if (!ep)
		return -ENOMEM;
	ret = kdapl_obj_init(&ep->obj, ia, &kdapl_ep_ops, arg->user);
	if (ret) {
		kfree(ep);
		return ret;
	}
	kdapl_cm_init(ep);
	kdapl_ep_cap(arg, &ep->cap);
	ep->cq_reserved = ep->cap.max_recv_wr + ep->cap.max_send_wr;
	kdapl_ep_set_limits(ep, arg);
	ret = ep_build(ep, arg);
	if (ret) {
		ep_unbuild(ep);
		return ret;
	}

	arg->id = ep->obj.id;
	arg->status = kdapl_slot_map(&ep->status);
	kdapl_obj_publish(&ep->obj);
	return 0;
}

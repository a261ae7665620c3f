// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What an EP has of the device: the queue pair, and the completion queues it feeds.
 *
 * The device says of a queue pair what happens to it from any context; a worker hears
 * it. A queue pair is taken away with care: what it held comes back first, and what
 * does not is flushed, before what its completions name is gone.
 */

#include "account.h"
#include "adapter.h"
#include "ep.h"
#include "ia.h"
#include "rw.h"
#include "srq.h"

/* How long a device may take to give back what a queue pair held. */
#define EP_FLUSH		(10 * HZ)
/* The same where it may have nothing to say. */
#define EP_FLUSH_MAYBE		(HZ / 10)
/* How often it is polled meanwhile. */
#define EP_FLUSH_POLL		(HZ / 100)
/* Bytes that a request may carry itself. */
#define EP_INLINE		64

static void ep_break_work(struct work_struct *work)
{
	struct kdapl_ep *ep = container_of(work, struct kdapl_ep, break_work);

	kdapl_ep_end(ep, DAT_CONNECTION_EVENT_BROKEN, false);
}

static void ep_notify_work(struct work_struct *work)
{
	kdapl_cm_notify(container_of(work, struct kdapl_ep, notify_work));
}

void kdapl_ep_init_events(struct kdapl_ep *ep)
{
	INIT_WORK(&ep->break_work, ep_break_work);
	INIT_WORK(&ep->notify_work, ep_notify_work);
}

/*
 * siw says by REQ_ERR that it could not send its answer to a read, by FATAL that it
 * could not send a request, or got segments that do not fit each other. It says so,
 * too, when the peer has all of it and left: siw looks for that even after the last
 * segment. In any case the connection is closed then, by siw or by the peer, and
 * rdma_cm tells.
 *
 * bnxt_re tells even of a queue pair that was sent to error by its owner.
 */
static bool ep_event_breaks(const struct kdapl_ep *ep,
			    const struct ib_event *event)
{
	switch (event->device->ops.driver_id) {
	case RDMA_DRIVER_SIW:
		return event->event == IB_EVENT_QP_ACCESS_ERR;
	case RDMA_DRIVER_BNXT_RE:
		return !READ_ONCE(ep->qp_down);
	default:
		return true;
	}
}

/* Drivers call this from any context, hard interrupts included. */
static void ep_qp_event(struct ib_event *event, void *context)
{
	struct kdapl_ep *ep = context;

	switch (event->event) {
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
		if (ep_event_breaks(ep, event))
			queue_work(kdapl_workqueue, &ep->break_work);
		break;
	case IB_EVENT_COMM_EST:
		queue_work(kdapl_workqueue, &ep->notify_work);
		break;
	case IB_EVENT_QP_LAST_WQE_REACHED:
		/* Pairs with ep_leave_srq(). */
		smp_store_release(&ep->last_wqe, true);
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

/*
 * Where the driver gets all bytes by the processor anyway; it may say that it takes
 * less. Hardware would spare an access to memory, but where that is not coherent the
 * processor may not see what the device wrote last.
 */
static u32 ep_max_inline(const struct kdapl_ep *ep)
{
	return ib_uses_virt_dma(ep->obj.ia->dev) ? EP_INLINE : 0;
}

static struct ib_qp *ep_new_qp(struct kdapl_ep *ep, struct kdapl_pz *pz,
			       struct kdapl_cq *cq, struct kdapl_cq *recv_cq,
			       struct ib_qp_cap *cap)
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

	attr.cap.max_inline_data = ep_max_inline(ep);
	qp = ib_create_qp(pz->pd, &attr);
	if (IS_ERR(qp))
		return qp;
	cap->max_inline_data = min(attr.cap.max_inline_data, ep_max_inline(ep));
	ret = ep_qp_init(qp, ep->obj.ia);
	if (ret) {
		ib_destroy_qp(qp);
		return ERR_PTR(ret);
	}
	return qp;
}

struct ib_qp *kdapl_ep_create_qp(struct kdapl_ep *ep, struct kdapl_pz *pz,
				 struct kdapl_cq *cq, struct kdapl_cq *recv_cq,
				 struct ib_qp_cap *cap,
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

void kdapl_ep_qp_is_new(struct kdapl_ep *ep)
{
	lockdep_assert_held(&ep->lock);
	ep->refused = false;
	ep->recv_failed = false;
	ep->last_wqe = false;
	ep->qp_met = false;
	WRITE_ONCE(ep->qp_down, false);
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
	kdapl_ep_qp_is_new(ep);
	spin_unlock_bh(&ep->lock);
	return 0;
}

int kdapl_ep_make_qp(struct kdapl_ep *ep)
{
	struct kdapl_srq *srq = ep->srq;
	int ret = ep_make_qp(ep);

	if (ret || !srq)
		return ret;
	/* It is not connected, and takes no receive before. */
	mutex_lock(&srq->mutex);
	kdapl_srq_attach(srq, ep);
	mutex_unlock(&srq->mutex);
	return 0;
}

static bool ep_device_done(struct kdapl_ep *ep)
{
	bool done;

	spin_lock_bh(&ep->lock);
	done = !ep->rq.hw && !ep->sq.hw;
	spin_unlock_bh(&ep->lock);
	return done;
}

int kdapl_ep_qp_error(struct kdapl_ep *ep, struct ib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	int ret;

	if (ep->recv_cq)
		kdapl_cq_hear_all(ep->recv_cq);
	WRITE_ONCE(ep->qp_down, true);
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE);
	if (ret)
		pr_warn_ratelimited("%s: a queue pair does not go to error\n",
				    ep->obj.ia->name);
	return ret;
}

static void ep_flush_lost_of(struct kdapl_ep *ep, struct kdapl_wq *wq)
{
	struct kdapl_ep_status *shown = ep->status.addr;
	u32 i;

	for (i = wq->tail; i != wq->head; i++) {
		struct kdapl_work *work = &wq->work[i & wq->mask];

		if (!kdapl_work_is_out(work))
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

/* What the queue pair did not give back is flushed. Caller holds ep->lock. */
static void ep_flush_lost(struct kdapl_ep *ep)
{
	lockdep_assert_held(&ep->lock);
	kdapl_park_flush(ep);
	ep_flush_lost_of(ep, &ep->rq);
	ep_flush_lost_of(ep, &ep->sq);
	wake_up(&ep->idle);
}

static void ep_drain_cqs(struct kdapl_ep *ep)
{
	kdapl_cq_drain(ep->cq);
	if (ep->recv_cq)
		kdapl_cq_drain(ep->recv_cq);
}

/*
 * bnxt_re and ocrdma make flushed completions only while they are polled, and call
 * nobody for it, so it is done here.
 *
 * Some hardware gives nothing back, and nobody shall wait for that for ever: what
 * is still out is flushed when the queue pair is destroyed. Where it is known not to
 * come any more that is done here, before the end is told.
 */
void kdapl_ep_qp_flush(struct kdapl_ep *ep, struct ib_qp *qp)
{
	unsigned long deadline = jiffies;

	if (kdapl_ep_qp_error(ep, qp))
		return;
	if (kdapl_driver_flushes_at_once(ep->obj.ia->dev)) {
		ep_drain_cqs(ep);
		spin_lock_bh(&ep->lock);
		ep_flush_lost(ep);
		spin_unlock_bh(&ep->lock);
		return;
	}
	deadline += READ_ONCE(ep->qp_met) ||
		    kdapl_driver_flushes(ep->obj.ia->dev) ?
			    EP_FLUSH : EP_FLUSH_MAYBE;
	while (!wait_event_idle_timeout(ep->idle, ep_device_done(ep),
					EP_FLUSH_POLL)) {
		if (time_after(jiffies, deadline))
			break;
		ep_drain_cqs(ep);
	}
}

/* The receives of an SRQ that it took along come out of the completion queue. */
static void ep_destroy_qp_of_srq(struct kdapl_ep *ep, struct ib_qp *qp)
{
	struct kdapl_srq *srq = ep->srq;

	mutex_lock(&srq->mutex);
	/* A driver may throw away what it finds there of the queue pair. */
	kdapl_cq_drain(kdapl_srq_cq(ep));
	ib_destroy_qp(qp);
	kdapl_cq_drain(kdapl_srq_cq(ep));
	kdapl_srq_detach(srq, ep);
	mutex_unlock(&srq->mutex);
}

/*
 * What it completed comes out of the completion queues, which others use, too, before
 * what that names is freed or used again. There may be more than it owes: siw
 * completes even requests that it refused when they were posted.
 */
static void ep_destroy_qp(struct kdapl_ep *ep, struct ib_qp *qp)
{
	if (ep->srq)
		ep_destroy_qp_of_srq(ep, qp);
	else
		ib_destroy_qp(qp);
	ep_drain_cqs(ep);
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
	if (!ep_device_done(ep))
		kdapl_ep_qp_flush(ep, qp);
	kdapl_rw_abandon(ep);
	ep_destroy_qp(ep, qp);
	kdapl_cgroup_uncharge(ep->obj.ia->dev, &ep->cg,
			      RDMACG_RESOURCE_HCA_OBJECT);
	/* No events any more: those on the way must not hit the next one. */
	cancel_work_sync(&ep->break_work);
	cancel_work_sync(&ep->notify_work);
	cancel_delayed_work_sync(&ep->park_work);

	spin_lock_bh(&ep->lock);
	ep_flush_lost(ep);
	spin_unlock_bh(&ep->lock);
}

struct kdapl_cq *kdapl_ep_solicited_cq(const struct kdapl_ep *ep,
				       struct kdapl_evd *evd,
				       const struct ib_qp_cap *cap)
{
	/* All that the device has of an SRQ can go to one EP. */
	return kdapl_cq_solicited(evd, ep->srq ? ep->srq->window :
						 cap->max_recv_wr);
}

void kdapl_ep_drop_recv_cq(struct kdapl_ep *ep)
{
	if (ep->recv_cq)
		kdapl_cq_unreserve(ep->recv_cq, ep->recv_cq->used);
	ep->recv_cq = NULL;
}

int kdapl_ep_make_recv_cq(struct kdapl_ep *ep)
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

void kdapl_ep_drop_cqs(struct kdapl_ep *ep)
{
	kdapl_ep_drop_recv_cq(ep);
	if (ep->cq)
		kdapl_cq_unreserve(ep->cq, ep->cq_reserved);
	ep->cq = NULL;
}

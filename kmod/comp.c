// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completions: what the device finished becomes events, in posting order.
 */

#include "adapter.h"
#include "ep.h"
#include "evd_ring.h"
#include "fmr.h"
#include "ia.h"
#include "rmr.h"
#include "rw.h"
#include "sq.h"
#include "srq.h"

static enum kdapl_dto_status dto_status(enum ib_wc_status status)
{
	switch (status) {
	case IB_WC_SUCCESS:
		return DAT_DTO_SUCCESS;
	case IB_WC_WR_FLUSH_ERR:
		return DAT_DTO_ERR_FLUSHED;
	case IB_WC_LOC_LEN_ERR:
		return DAT_DTO_ERR_LOCAL_LENGTH;
	case IB_WC_LOC_QP_OP_ERR:
		return DAT_DTO_ERR_LOCAL_EP;
	case IB_WC_LOC_PROT_ERR:
	case IB_WC_LOC_ACCESS_ERR:
	case IB_WC_LOC_RDD_VIOL_ERR:
		return DAT_DTO_ERR_LOCAL_PROTECTION;
	case IB_WC_BAD_RESP_ERR:
		return DAT_DTO_ERR_BAD_RESPONSE;
	case IB_WC_REM_ACCESS_ERR:
		return DAT_DTO_ERR_REMOTE_ACCESS;
	case IB_WC_REM_INV_REQ_ERR:
	case IB_WC_REM_OP_ERR:
	case IB_WC_REM_INV_RD_REQ_ERR:
	case IB_WC_REM_ABORT_ERR:
		return DAT_DTO_ERR_REMOTE_RESPONDER;
	case IB_WC_RNR_RETRY_EXC_ERR:
	case IB_WC_RESP_TIMEOUT_ERR:
		return DAT_DTO_ERR_RECEIVER_NOT_READY;
	default:
		return DAT_DTO_ERR_TRANSPORT;
	}
}

/*
 * A request was checked by the module, too: what cut it off is how the connection
 * ended, and rdma_cm tells that.
 */
static enum kdapl_dto_status request_status(const struct kdapl_ep *ep,
					    const struct ib_wc *wc)
{
	if (wc->status == IB_WC_LOC_QP_OP_ERR &&
	    kdapl_driver_cuts_off(ep->obj.ia->dev, wc->opcode))
		return DAT_DTO_ERR_FLUSHED;
	return dto_status(wc->status);
}

/*
 * A receive was checked by the module, so all that can be wrong with it is that
 * the message is longer. rxe does not say so in these words.
 */
static enum kdapl_dto_status recv_status(enum ib_wc_status status)
{
	return status == IB_WC_LOC_QP_OP_ERR ? DAT_DTO_ERR_LOCAL_LENGTH :
					       dto_status(status);
}

/*
 * Before ESTABLISHED no completion of the connection may be seen. A receive
 * can complete earlier: the peer sends as soon as it has our answer.
 */
static bool held_back(const struct kdapl_ep *ep, const struct kdapl_wq *wq)
{
	return wq == &ep->rq && !ep->ending &&
	       (ep->state == KDAPL_EP_ACTIVE_PENDING ||
		ep->state == KDAPL_EP_COMPLETION_PENDING);
}

/* Whether its message was so, the completion does not say: kdapl_cq_solicited(). */
static bool is_solicited(const struct kdapl_ep *ep,
			 const struct kdapl_work *work)
{
	return work->op == KDAPL_OP_RECV &&
	       ep->recv_notify == KDAPL_NOTIFY_SOLICITED;
}

/* As DAT itself has it, which knows of no immediate data. */
static u32 operation(const struct kdapl_work *work)
{
	switch (work->op) {
	case KDAPL_OP_RECV:
		return work->brought == KDAPL_BROUGHT_INVALIDATION ?
		       DAT_DTO_RECEIVE_WITH_INVALIDATE : DAT_DTO_RECEIVE;
	case KDAPL_OP_RDMA_WRITE:
		return DAT_DTO_RDMA_WRITE;
	case KDAPL_OP_RDMA_READ:
	case KDAPL_OP_READ_RMR:
		return DAT_DTO_RDMA_READ;
	case KDAPL_OP_WRITE_IMM:
		return KDAPL_EV_OP_WRITE_IMM;
	case KDAPL_OP_CMP_SWAP:
		return KDAPL_EV_OP_CMP_SWAP;
	case KDAPL_OP_FETCH_ADD:
		return KDAPL_EV_OP_FETCH_ADD;
	case KDAPL_WORK_FMR:
		return DAT_DTO_LMR_FMR;
	case KDAPL_WORK_LMR_INV:
		return DAT_DTO_LMR_INVALIDATE;
	default:
		return DAT_DTO_SEND;
	}
}

static u32 operation_for_program(const struct kdapl_work *work)
{
	switch (work->brought) {
	case KDAPL_BROUGHT_IMM:
		return KDAPL_EV_OP_RECV_IMM;
	case KDAPL_BROUGHT_WRITE_IMM:
		return KDAPL_EV_OP_RECV_WRITE_IMM;
	default:
		return operation(work);
	}
}

/* What a program that asked is told. */
static void tell_program(const struct kdapl_work *work,
			 struct kdapl_event *event)
{
	event->status = KDAPL_DTO_WORD(event->status,
				       operation_for_program(work));
	if (work->brought != KDAPL_BROUGHT_NOTHING) {
		event->status |= KDAPL_EV_VALUE;
		event->type = work->value;
	}
}

static __always_inline void tell_kernel(const struct kdapl_work *work,
					struct kdapl_event *event)
{
	event->status = KDAPL_DTO_WORD(event->status, operation(work));
	if (work->brought == KDAPL_BROUGHT_INVALIDATION)
		event->user = KDAPL_DTO_USER_WORD(event->user, work->value);
}

/* The event is in the ring, or claimed (or nobody wants it): the slot is free again. */
void kdapl_work_release(struct kdapl_evrec *rec)
{
	struct kdapl_work *work = container_of(rec, struct kdapl_work, rec);
	struct kdapl_ep *ep = work->ep;
	struct kdapl_ep_status *shown = ep->status.addr;
	bool recv = work->op == KDAPL_OP_RECV;
	struct kdapl_wq *wq = recv ? &ep->rq : &ep->sq;
	u32 *shown_done = recv ? &shown->recv_done : &shown->done;
	u32 done = wq->done + 1;

	if (work->srq)
		kdapl_srq_give_back(work, false);
	/* (J) pairs with (I). From here on the slot can be filled again. */
	smp_store_release(&wq->done, done);
	/* Only then is the program told: what it posts at once must fit. */
	smp_store_release(shown_done, done);
}

static __always_inline void deliver(struct kdapl_ep *ep, struct kdapl_work *work,
				    struct kdapl_handover *over)
{
	bool silent = work->suppress && work->status == DAT_DTO_SUCCESS;
	struct kdapl_event event = {
		.user = ep->obj.user,
		.cookie = work->cookie,
		.length = work->length |
			  (work->srq ? (u64)work->srq->tag << 32 : 0),
		.type = silent ? 0 : DAT_DTO_COMPLETION_EVENT,
		.status = work->status,
	};

	if (work->bind)
		kdapl_bind_retire(work, &event);
	if (work->lmr)
		kdapl_fmr_retire(work, &event);
	if (work->rw)
		kdapl_rw_retire(work, &event);
	/* As the bind says, whose status is that of both its slots. */
	work->rec.quiet = (work->quiet || is_solicited(ep, work)) &&
			  event.status == DAT_DTO_SUCCESS;
	if (event.type == DAT_DTO_COMPLETION_EVENT) {
		if (ep->obj.ia->kernel)
			tell_kernel(work, &event);
		else if (ep->obj.ia->tell_op)
			tell_program(work, &event);
	}
	kdapl_evd_post_softirq(work->op == KDAPL_OP_RECV ? ep->recv_evd :
							   ep->request_evd,
			       &event, &work->rec, over);
}

/* From an SRQ receives come in the order of their messages. */
static noinline void deliver_taken(struct kdapl_ep *ep)
{
	struct kdapl_work *work;

	while (!list_empty(&ep->taken)) {
		work = list_first_entry(&ep->taken, struct kdapl_work, rec.list);
		list_del_init(&work->rec.list);
		deliver(ep, work, NULL);
	}
}

/*
 * What was held back became events. Which of them were solicited is not known any
 * more: their queue told of it when there was nothing to see.
 */
static void tell_held(struct kdapl_ep *ep)
{
	if (ep->recv_cq)
		kdapl_evd_notify(ep->recv_evd);
	ep->held = false;
}

static __always_inline void wq_retire(struct kdapl_ep *ep, struct kdapl_wq *wq,
				      struct kdapl_handover *over)
{
	struct kdapl_work *work;

	lockdep_assert_held(&ep->lock);
	if (held_back(ep, wq)) {
		ep->held |= kdapl_wq_is_done(wq) || !list_empty(&ep->taken);
		return;
	}
	if (wq == &ep->rq && !list_empty(&ep->taken))
		deliver_taken(ep);
	while (kdapl_wq_is_done(wq)) {
		work = &wq->work[wq->tail & wq->mask];
		wq->tail++;
		/* One completion may tell of several: then none comes alone. */
		deliver(ep, work, kdapl_wq_is_done(wq) ? NULL : over);
	}
	if (wq == &ep->rq && ep->held)
		tell_held(ep);
}

void kdapl_wq_retire_done(struct kdapl_ep *ep, struct kdapl_wq *wq)
{
	wq_retire(ep, wq, NULL);
}

/*
 * The message made a key invalid, whichever its sender named; the consumer is told
 * the one that it knows. That is so before the event of it: who gets that may bind or
 * tie again at once.
 */
static void invalidated(const struct kdapl_ep *ep, struct kdapl_work *work,
			u32 rkey)
{
	work->brought = KDAPL_BROUGHT_INVALIDATION;
	work->value = kdapl_rmr_lost(ep->obj.ia, rkey);
	kdapl_fmr_lost(ep->obj.ia, rkey);
}

/*
 * The completion's length is the write's, which may be far more than the receive
 * holds: its own memory got nothing. Who is told of a plain receive would read that
 * far in it.
 */
static void written(const struct kdapl_ia *ia, struct kdapl_work *work)
{
	work->brought = KDAPL_BROUGHT_WRITE_IMM;
	if (ia->kernel || !ia->tell_op)
		work->length = 0;
}

/* What came with the message. */
static void brought(const struct kdapl_ep *ep, struct kdapl_work *work,
		    const struct ib_wc *wc)
{
	if (wc->wc_flags & IB_WC_WITH_INVALIDATE) {
		invalidated(ep, work, wc->ex.invalidate_rkey);
	} else if (wc->wc_flags & IB_WC_WITH_IMM) {
		work->brought = KDAPL_BROUGHT_IMM;
		if (wc->opcode == IB_WC_RECV_RDMA_WITH_IMM)
			written(ep->obj.ia, work);
		/* As the peer's memory had it. */
		work->value = (__force u32)wc->ex.imm_data;
	}
}

static unsigned int message_kind(const struct kdapl_work *work)
{
	switch (work->brought) {
	case KDAPL_BROUGHT_IMM:
		return KDAPL_RECV_IMM;
	case KDAPL_BROUGHT_WRITE_IMM:
		return KDAPL_RECV_WRITE_IMM;
	default:
		return KDAPL_RECV_PLAIN;
	}
}

/*
 * For the library's counters, which it would have to find the EP for with each event;
 * here its words are at hand. Nothing goes by them. Caller holds ep->lock.
 */
static void count_message(struct kdapl_ep *ep, const struct kdapl_work *work,
			  u32 bytes)
{
	struct kdapl_ep_status *shown = ep->status.addr;
	unsigned int kind = message_kind(work);

	WRITE_ONCE(shown->recvs[kind], shown->recvs[kind] + 1);
	WRITE_ONCE(shown->recv_bytes[kind], shown->recv_bytes[kind] + bytes);
}

static __always_inline void received(struct kdapl_ep *ep,
				     struct kdapl_work *work,
				     const struct ib_wc *wc)
{
	work->length = wc->byte_len;
	work->status = recv_status(wc->status);
	if (wc->status == IB_WC_SUCCESS) {
		if (wc->wc_flags & (IB_WC_WITH_INVALIDATE | IB_WC_WITH_IMM))
			brought(ep, work, wc);
		count_message(ep, work, wc->byte_len);
	}
	if (ep->state != KDAPL_EP_CONNECTED &&
	    (ep->unanswered ||
	     (ep->state == KDAPL_EP_COMPLETION_PENDING && !ep->ending)))
		queue_work(kdapl_workqueue, &ep->notify_work);
}

/* The device does requests in order, and had to tell if one had failed. */
static noinline void silent_are_done(struct kdapl_ep *ep,
				     const struct kdapl_work *before)
{
	struct kdapl_wq *wq = &ep->sq;
	struct kdapl_work *work;
	unsigned int n = 0;
	u32 i;

	for (i = wq->tail; i != wq->head; i++) {
		work = &wq->work[i & wq->mask];
		if (work == before)
			break;
		if (work->state != KDAPL_WORK_SILENT)
			continue;
		work->state = KDAPL_WORK_DONE;
		work->status = DAT_DTO_SUCCESS;
		n++;
	}
	wq->hw -= n;
	kdapl_sq_count(&ep->obj.ia->sq, -n);
}

static void account(struct kdapl_ep *ep, struct kdapl_work *work,
		    const struct ib_wc *wc)
{
	struct kdapl_ep_status *shown = ep->status.addr;

	if (work->op == KDAPL_OP_RECV) {
		ep->rq.hw--;
		WRITE_ONCE(shown->hw_recv, ep->rq.hw);
		kdapl_sq_recvs_left(&ep->obj.ia->sq, ep->rq.hw);
		received(ep, work, wc);
	} else {
		if (work != &ep->sq.work[ep->sq.tail & ep->sq.mask])
			silent_are_done(ep, work);
		ep->sq.hw--;
		kdapl_sq_count(&ep->obj.ia->sq, -1);
		work->status = request_status(ep, wc);
	}
}

/* A flush has its cause elsewhere, which rdma_cm or the device tells. */
static bool is_failure(enum kdapl_dto_status status)
{
	return status != DAT_DTO_SUCCESS && status != DAT_DTO_ERR_FLUSHED;
}

/* The device is through with it. Caller holds ep->lock. */
static __always_inline void completed(struct kdapl_ep *ep,
				      struct kdapl_work *work,
				      struct kdapl_handover *over)
{
	bool recv = work->op == KDAPL_OP_RECV;
	bool failed = is_failure(work->status);

	if (work->status != DAT_DTO_SUCCESS)
		work->length = 0;
	work->state = KDAPL_WORK_DONE;
	/* With its event a receive of an SRQ is not the EP's any more. */
	wq_retire(ep, recv ? &ep->rq : &ep->sq, over);
	if (failed) {
		ep->recv_failed |= recv;
		kdapl_ep_end_locked(ep, DAT_CONNECTION_EVENT_BROKEN, false);
	}
	kdapl_ep_end_start(ep);
	/* The end waits for it, or kdapl_ep_drop_qp(). */
	if (ep->ending || !ep->qp)
		wake_up(&ep->idle);
}

void kdapl_ep_took(struct kdapl_ep *ep, struct kdapl_work *work,
		   const struct ib_wc *wc)
{
	struct kdapl_ep_status *shown = ep->status.addr;

	spin_lock_bh(&ep->lock);
	work->ep = ep;
	list_add_tail(&work->rec.list, &ep->taken);
	WRITE_ONCE(shown->hw_recv, ++ep->srq_taken);
	received(ep, work, wc);
	completed(ep, work, NULL);
	kdapl_ep_check_marks(ep);
	spin_unlock_bh(&ep->lock);
}

/*
 * ESTABLISHED comes before all events of the connection, also where another EVD has it:
 * until it is taken out there, they are queued. Caller holds ep->lock.
 */
static noinline bool is_told(struct kdapl_ep *ep)
{
	ep->told = !ep->connect_evd || !kdapl_evd_count(ep->connect_evd);
	return ep->told;
}

void kdapl_ep_complete(const struct ib_wc *wc, struct kdapl_handover *over)
{
	struct kdapl_work *work = (struct kdapl_work *)(uintptr_t)wc->wr_id;
	struct kdapl_ep *ep = work->ep;

	if (work->srq) {
		kdapl_srq_complete(wc);
		return;
	}
	spin_lock(&ep->lock);
	/* The driver may have refused it when it was posted, and complete it as well. */
	if (kdapl_work_is_out(work)) {
		account(ep, work, wc);
		if (over && unlikely(!ep->told) && !is_told(ep))
			over = NULL;
		completed(ep, work, over);
	}
	spin_unlock(&ep->lock);
}

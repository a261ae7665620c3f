// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Changing an EP that has no connection yet.
 *
 * The call names all that the EP shall be made of, so it looks as if the EP had
 * been made like that. What is new is built first, beside what there is; then the
 * two change places, and what is left over is taken apart. Only what needs another
 * queue pair gets one: another zone, longer queues, longer lists of segments.
 *
 * Receives cannot move to another queue pair. Those of another zone would fail
 * anyway, and are flushed; for the rest there must be none.
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include "account.h"
#include "bounce.h"
#include "ep.h"
#include "ia.h"
#include "srq.h"

/* First what the EP gets, then what it had. */
struct ep_parts {
	struct kdapl_pz *pz;
	struct kdapl_evd *recv_evd, *request_evd, *connect_evd;
	struct kdapl_wq rq, sq;		/* without work: the EP's slots suffice */
	struct kdapl_parked *parked;
	bool new_qp;
	struct kdapl_cq *cq, *recv_cq;
	u32 cq_reserved;
	struct ib_qp_cap cap;
	struct ib_qp *qp;
	struct rdma_cgroup *cg;
};

static int parts_use(struct kdapl_ep *ep, struct ep_parts *parts,
		     const struct kdapl_ep_create *want)
{
	struct kdapl_ia *ia = ep->obj.ia;
	struct kdapl_obj *pz;
	int ret;

	if (want->pz) {
		pz = kdapl_obj_use(ia, want->pz, KDAPL_OBJ_PZ);
		if (!pz)
			return -ENOENT;
		parts->pz = to_pz(pz);
	}
	if (ep->srq && parts->pz != ep->srq->pz)
		return -EPERM;
	ret = kdapl_ep_use_evd(ia, want->recv_evd, DAT_EVD_DTO_FLAG,
			       &parts->recv_evd);
	if (!ret)
		ret = kdapl_ep_use_evd(ia, want->request_evd, DAT_EVD_DTO_FLAG,
				       &parts->request_evd);
	if (!ret)
		ret = kdapl_ep_use_evd(ia, want->connect_evd,
				       DAT_EVD_CONNECTION_FLAG,
				       &parts->connect_evd);
	return ret;
}

/* Events that wait for room are in the EVD's own list. */
static bool wq_may_leave(const struct kdapl_wq *wq, bool flushed)
{
	/* (I) pairs with (J). */
	u32 done = smp_load_acquire(&wq->done);

	return done == (flushed ? wq->head : wq->tail);
}

/* Of an SRQ the EP has what it took. */
static bool recvs_may_leave(const struct kdapl_ep *ep, bool flushed)
{
	if (ep->srq)
		/* (I) pairs with (J). */
		return ep->srq_taken == smp_load_acquire(&ep->rq.done);
	return wq_may_leave(&ep->rq, flushed);
}

static bool wq_may_change(const struct kdapl_wq *wq, u32 size)
{
	/* (I) pairs with (J). */
	u32 used = wq->head - smp_load_acquire(&wq->done);

	return used <= size && (size <= wq->mask + 1 || !used);
}

/* Solicited receives have a completion queue of their own, and of their EVD. */
static bool recvs_go_elsewhere(const struct kdapl_ep *ep,
			       const struct ep_parts *parts,
			       const struct kdapl_ep_create *want)
{
	bool now = ep->recv_notify == KDAPL_NOTIFY_SOLICITED;
	bool then = want->recv_notify == KDAPL_NOTIFY_SOLICITED;

	return now != then || (then && parts->recv_evd != ep->recv_evd);
}

/* Likewise all completions, where a work takes them. */
static bool other_work(const struct kdapl_ep *ep, const struct ep_parts *parts)
{
	return kdapl_ep_work_evd(ep, parts->recv_evd, parts->request_evd) !=
	       kdapl_ep_work_evd(ep, ep->recv_evd, ep->request_evd);
}

/* What the state, and what is outstanding, allow. Caller holds ep->lock. */
static int ep_may_change(struct kdapl_ep *ep, const struct ep_parts *parts,
			 const struct kdapl_ep_create *want)
{
	bool new_pz = parts->pz != ep->pz;

	if (kdapl_ep_next(ep->state, new_pz ? KDAPL_ON_MODIFY_PZ :
					      KDAPL_ON_MODIFY) < 0)
		return -EBADFD;
	if (parts->new_qp && !new_pz && ep->rq.tail != ep->rq.head)
		return -EBUSY;
	if (parts->recv_evd != ep->recv_evd &&
	    !recvs_may_leave(ep, parts->new_qp))
		return -EBUSY;
	if (parts->request_evd != ep->request_evd &&
	    !wq_may_leave(&ep->sq, parts->new_qp))
		return -EBUSY;
	if ((!ep->srq && !wq_may_change(&ep->rq, want->max_recvs)) ||
	    !wq_may_change(&ep->sq, want->max_requests))
		return -EBUSY;
	return 0;
}

static bool cap_suffices(const struct ib_qp_cap *has,
			 const struct ib_qp_cap *want)
{
	return has->max_recv_wr >= want->max_recv_wr &&
	       has->max_send_wr >= want->max_send_wr &&
	       has->max_recv_sge >= want->max_recv_sge &&
	       has->max_send_sge >= want->max_send_sge;
}

/* More slots than there are need other memory; the counters stay. */
static int parts_make_wq(struct kdapl_ep *ep, struct kdapl_wq *new,
			 const struct kdapl_wq *old, u32 size)
{
	if (!size || (old->work && size <= old->mask + 1))
		return 0;
	return kdapl_wq_init(new, ep, size);
}

static int parts_make(struct kdapl_ep *ep, struct ep_parts *parts,
		      const struct kdapl_ep_create *want)
{
	struct kdapl_cq *cq;
	int ret;

	ret = parts_make_wq(ep, &parts->rq, &ep->rq, want->max_recvs);
	if (!ret)
		ret = parts_make_wq(ep, &parts->sq, &ep->sq,
				    want->max_requests);
	if (!ret && parts->rq.work)
		ret = kdapl_park_alloc(ep, &parts->rq, &parts->parked);
	if (ret || !parts->new_qp || !parts->pz)
		return ret;

	parts->cq_reserved = parts->cap.max_recv_wr + parts->cap.max_send_wr;
	cq = kdapl_cq_reserve(ep->obj.ia,
			      kdapl_ep_work_evd(ep, parts->recv_evd,
						parts->request_evd),
			      parts->cq_reserved);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	parts->cq = cq;
	if (want->recv_notify == KDAPL_NOTIFY_SOLICITED && parts->recv_evd) {
		cq = kdapl_ep_solicited_cq(ep, parts->recv_evd, &parts->cap);
		if (IS_ERR(cq))
			return PTR_ERR(cq);
		parts->recv_cq = cq;
	}
	parts->qp = kdapl_ep_create_qp(ep, parts->pz, parts->cq, parts->recv_cq,
				       &parts->cap, &parts->cg);
	if (IS_ERR(parts->qp)) {
		ret = PTR_ERR(parts->qp);
		parts->qp = NULL;
	}
	return ret;
}

static void parts_free(struct kdapl_ep *ep, struct ep_parts *parts)
{
	struct kdapl_obj *used[] = {
		parts->pz ? &parts->pz->obj : NULL,
		parts->recv_evd ? &parts->recv_evd->obj : NULL,
		parts->request_evd ? &parts->request_evd->obj : NULL,
		parts->connect_evd ? &parts->connect_evd->obj : NULL,
	};
	unsigned int i;

	if (parts->qp) {
		ib_destroy_qp(parts->qp);
		kdapl_cgroup_uncharge(ep->obj.ia->dev, &parts->cg,
				      RDMACG_RESOURCE_HCA_OBJECT);
	}
	if (parts->recv_cq)
		kdapl_cq_unreserve(parts->recv_cq, parts->recv_cq->used);
	if (parts->cq)
		kdapl_cq_unreserve(parts->cq, parts->cq_reserved);
	/* A release that counted its slot may still be telling the program. */
	kdapl_evd_sync(parts->recv_evd);
	kdapl_evd_sync(parts->request_evd);
	kvfree(parts->rq.work);
	kvfree(parts->sq.work);
	kvfree(parts->parked);
	for (i = 0; i < ARRAY_SIZE(used); i++) {
		if (used[i])
			kdapl_obj_unuse(used[i]);
	}
}

static void wq_exchange(struct kdapl_wq *wq, struct kdapl_wq *new, u32 size)
{
	if (new->work) {
		swap(wq->work, new->work);
		swap(wq->mask, new->mask);
	}
	wq->size = size;
}

/* Caller holds ep->lock. */
static void ep_exchange(struct kdapl_ep *ep, struct ep_parts *parts,
			const struct kdapl_ep_create *want)
{
	swap(ep->pz, parts->pz);
	swap(ep->recv_evd, parts->recv_evd);
	swap(ep->request_evd, parts->request_evd);
	swap(ep->connect_evd, parts->connect_evd);
	if (parts->rq.work)
		swap(ep->parked, parts->parked);
	wq_exchange(&ep->rq, &parts->rq, want->max_recvs);
	wq_exchange(&ep->sq, &parts->sq, want->max_requests);
	if (parts->new_qp) {
		swap(ep->cq, parts->cq);
		swap(ep->recv_cq, parts->recv_cq);
		swap(ep->cq_reserved, parts->cq_reserved);
		swap(ep->cap, parts->cap);
		swap(ep->qp, parts->qp);
		swap(ep->cg, parts->cg);
		kdapl_ep_qp_is_new(ep);
	}
	kdapl_ep_set_limits(ep, want);
	ep->recv_notify = want->recv_notify;
	ep->request_notify = want->request_notify;
}

/* Completions find their way to what the EP is now. */
static void ep_changed(struct kdapl_ep *ep, bool new_qp)
{
	struct kdapl_srq *srq = ep->srq;

	if (!ep->qp)
		return;
	kdapl_cq_feeds(srq ? srq->cq : ep->cq, ep->recv_evd);
	kdapl_cq_feeds(ep->cq, ep->request_evd);
	if (!srq || !new_qp)
		return;
	mutex_lock(&srq->mutex);
	kdapl_srq_attach(srq, ep);
	mutex_unlock(&srq->mutex);
}

static int ep_change(struct kdapl_ep *ep, struct ep_parts *parts,
		     const struct kdapl_ep_create *want)
{
	u32 max_recvs = ep->rq.size, max_requests = ep->sq.size;
	int ret;

	lockdep_assert_held(&ep->mutex);
	kdapl_ep_cap(want, &parts->cap);
	parts->new_qp = parts->pz != ep->pz ||
			recvs_go_elsewhere(ep, parts, want) ||
			other_work(ep, parts) ||
			!cap_suffices(&ep->cap, &parts->cap);
	spin_lock_bh(&ep->lock);
	ret = ep_may_change(ep, parts, want);
	/* What a thread posts meanwhile finds no slot, as in a full queue. */
	if (!ret) {
		ep->rq.size = 0;
		ep->sq.size = 0;
	}
	spin_unlock_bh(&ep->lock);
	if (ret)
		return ret;

	ret = parts_make(ep, parts, want);
	if (!ret)
		ret = kdapl_ep_rejoin(ep, parts->recv_evd, want->recv_notify,
				      parts->request_evd,
				      want->request_notify);
	if (!ret && parts->new_qp)
		kdapl_ep_drop_qp(ep);
	spin_lock_bh(&ep->lock);
	if (!ret) {
		ep_exchange(ep, parts, want);
	} else {
		ep->rq.size = max_recvs;
		ep->sq.size = max_requests;
	}
	spin_unlock_bh(&ep->lock);
	if (!ret)
		ep_changed(ep, parts->new_qp);
	return ret;
}

int kdapl_ep_modify(struct kdapl_ep *ep, const struct kdapl_ep_modify *arg)
{
	struct kdapl_ep_create want = {
		.pz = arg->pz,
		.recv_evd = arg->recv_evd,
		.request_evd = arg->request_evd,
		.connect_evd = arg->connect_evd,
		.max_recvs = arg->max_recvs,
		.max_requests = arg->max_requests,
		.max_recv_iov = arg->max_recv_iov,
		.max_request_iov = arg->max_request_iov,
		.max_rdma_read_in = arg->max_rdma_read_in,
		.max_rdma_read_out = arg->max_rdma_read_out,
		.rdma_read_fixed = arg->rdma_read_fixed,
		.recv_notify = arg->recv_notify,
		.request_notify = arg->request_notify,
	};
	struct ep_parts parts = {};
	int ret;

	mutex_lock(&ep->mutex);
	ret = kdapl_ep_here(ep);
	if (!ret) {
		want.srq = ep->srq ? ep->srq->obj.id : 0;
		ret = kdapl_ep_check(ep->obj.ia, &want);
	}
	if (!ret)
		ret = parts_use(ep, &parts, &want);
	if (!ret)
		ret = ep_change(ep, &parts, &want);
	/* They keep the PZ that it may have had before. */
	if (!ret)
		kdapl_bounce_drop(ep);
	parts_free(ep, &parts);
	mutex_unlock(&ep->mutex);
	return ret;
}

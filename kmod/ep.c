// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * EP: one end of a connection; how it is made and freed.
 *
 * ep_conn.c has a connection's begin, ep_end.c its end, ep_state.c the states;
 * ep_qp.c has the queue pair, ep_use.c the other objects that an EP uses, ep_attr.c
 * and ep_modify.c its attributes, ep_marks.c its watermarks.
 */

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "bounce.h"
#include "ep.h"
#include "ia.h"
#include "srq.h"

/* Everything of the device goes; what was outstanding is flushed. */
static void ep_stop(struct kdapl_ep *ep, u32 event)
{
	mutex_lock(&ep->mutex);
	ep->gone = true;
	kdapl_ep_end(ep, event, false);
	kdapl_ep_end_wait(ep);
	kdapl_cm_destroy(ep);
	kdapl_ep_drop_qp(ep);
	kdapl_ep_drop_cqs(ep);
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
	kdapl_bounce_drop(ep);
	WARN_ON(ep->num_bounces);
	kdapl_slot_free(&obj->ia->regions, &ep->status);
	kdapl_ep_unuse(ep);
}

static void ep_obj_release(struct kdapl_obj *obj)
{
	struct kdapl_ep *ep = to_ep(obj);

	kvfree(ep->parked);
	kfree(ep->chain);
	kfree(ep->rw_spare);
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

static int ep_build(struct kdapl_ep *ep, const struct kdapl_ep_create *arg)
{
	struct kdapl_ia *ia = ep->obj.ia;
	struct kdapl_cq *cq;
	int ret;

	ret = kdapl_ep_use(ep, arg);
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

	cq = kdapl_cq_reserve(ia,
			      kdapl_ep_work_evd(ep, ep->recv_evd, ep->request_evd),
			      ep->cq_reserved);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ep->cq = cq;
	ret = kdapl_ep_make_recv_cq(ep);
	if (ret)
		return ret;
	kdapl_cq_feeds(ep->srq ? ep->srq->cq : ep->cq, ep->recv_evd);
	kdapl_cq_feeds(ep->cq, ep->request_evd);
	return kdapl_ep_make_qp(ep);
}

static void ep_unbuild(struct kdapl_ep *ep)
{
	kdapl_ep_drop_cqs(ep);
	if (ep->status.addr)
		kdapl_slot_free(&ep->obj.ia->regions, &ep->status);
	kdapl_ep_unuse(ep);
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
	kdapl_ep_init_end(ep);
	kdapl_ep_init_events(ep);
	INIT_LIST_HEAD(&ep->taken);
	INIT_LIST_HEAD(&ep->bounces);
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

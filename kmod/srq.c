// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * SRQ: a queue of receives that many EPs take from.
 *
 * Which EP took a receive is known from its completion alone, by the address of
 * the queue pair. That address may be another queue pair's as soon as one is
 * destroyed. So that is done, and EPs come and go by their addresses, one at a time
 * (srq->mutex), and all that the old one completed is out of the completion queue
 * before the next one is found there.
 *
 * EPs that end take the mutex in a worker that they share with those of other programs:
 * who holds it waits for no memory, which a program's control group can make last.
 */

#include <linux/nospec.h>
#include <linux/slab.h>

#include "account.h"
#include "adapter.h"
#include "ia.h"
#include "lmr.h"
#include "sq.h"
#include "srq.h"

#define SRQ_WINDOW	512
#define SRQ_CHAIN	16		/* receives posted in one call, on the stack */

/* DAT_SRQ_STATE_* of DAT 1.2. */
enum {
	SRQ_OPERATIONAL,
	SRQ_ERROR,
};

/* Reasons of its asynchronous events. */
enum {
	SRQ_REASON_ERROR	= 0,
	SRQ_REASON_LOW		= 2,
};

/* Slots that were made together. They never move: the device names them. */
struct srq_chunk {
	struct list_head list;
	u32 count;
	struct kdapl_srq_work slot[];
};

/* Caller holds the lock. */
static void srq_show(struct kdapl_srq *srq)
{
	struct kdapl_srq_status *shown = srq->status.addr;

	WRITE_ONCE(shown->dropped, srq->dropped);
	WRITE_ONCE(shown->hw_recv, srq->waiting);
	/* The library reads this one first: it never counts what waits as less than it is. */
	smp_store_release(&shown->taken, srq->taken);
	kdapl_sq_recvs_left(&srq->obj.ia->sq, srq->waiting);
	/* After "dropped", and after the slot is in the list of the free ones. */
	smp_store_release(&shown->done, srq->done);
}

/* ---- events of its own --------------------------------------------------- */

static void srq_tell(struct kdapl_srq *srq, struct kdapl_evrec *rec, u32 reason)
{
	const struct kdapl_event event = {
		.user = srq->obj.user,
		.type = DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR,
		.status = reason,
	};

	if (rec)
		kdapl_evd_post(srq->async_evd, &event, rec);
}

/* What is due; the caller holds the lock, and tells it without. */
static struct kdapl_evrec *srq_due_low(struct kdapl_srq *srq)
{
	struct kdapl_evrec *rec = NULL;

	if (srq->waiting < srq->low)
		swap(rec, srq->rec_low);
	return rec;
}

static struct kdapl_evrec *srq_due_error(struct kdapl_srq *srq)
{
	struct kdapl_srq_status *shown = srq->status.addr;
	struct kdapl_evrec *rec = NULL;

	if (srq->failed) {
		WRITE_ONCE(shown->state, SRQ_ERROR);
		swap(rec, srq->rec_error);
	}
	return rec;
}

static void srq_tell_due(struct kdapl_srq *srq)
{
	struct kdapl_evrec *low, *error;

	spin_lock_bh(&srq->lock);
	low = srq_due_low(srq);
	error = srq_due_error(srq);
	spin_unlock_bh(&srq->lock);
	srq_tell(srq, error, SRQ_REASON_ERROR);
	srq_tell(srq, low, SRQ_REASON_LOW);
}

/* What stands in the submission ring is on the SRQ, too. */
static void srq_tell_work(struct work_struct *work)
{
	struct kdapl_srq *srq = container_of(work, struct kdapl_srq, tell_work);

	kdapl_sq_drain(&srq->obj.ia->sq);
	srq_tell_due(srq);
}

/* Any context, with or without the lock. */
static void srq_fail(struct kdapl_srq *srq)
{
	WRITE_ONCE(srq->failed, true);
	queue_work(kdapl_workqueue, &srq->tell_work);
}

static void srq_event(struct ib_event *event, void *context)
{
	if (event->event == IB_EVENT_SRQ_ERR)
		srq_fail(context);
}

/* Caller holds the mutex. @rec: for the next event; out: the one that it takes the place of. */
static int srq_set_low(struct kdapl_srq *srq, u32 low, struct kdapl_evrec **rec)
{
	struct kdapl_evrec *due;

	if (srq->gone)
		return -ENOENT;
	if (kdapl_evd_crowded(srq->async_evd))
		return -ENOMEM;
	spin_lock_bh(&srq->lock);
	if (low > srq->slots) {
		spin_unlock_bh(&srq->lock);
		return -EINVAL;
	}
	srq->low = low;
	swap(srq->rec_low, *rec);
	due = srq_due_low(srq);
	spin_unlock_bh(&srq->lock);
	srq_tell(srq, due, SRQ_REASON_LOW);
	return 0;
}

int kdapl_srq_set_low(struct kdapl_srq *srq, u32 low)
{
	/* Memory is waited for without the mutex. */
	struct kdapl_evrec *rec = kdapl_evrec_alloc(srq->obj.ia);
	int ret = -EINTR;

	if (!rec)
		return -ENOMEM;
	if (!mutex_lock_killable(&srq->mutex)) {
		ret = srq_set_low(srq, low, &rec);
		mutex_unlock(&srq->mutex);
	}
	kfree(rec);
	return ret;
}

/* ---- receives to the device ---------------------------------------------- */

static unsigned int srq_chain(struct kdapl_srq *srq, struct ib_recv_wr *wr)
{
	u32 room = min_t(u32, srq->window - srq->hw, SRQ_CHAIN);
	struct kdapl_srq_work *slot;
	unsigned int n = 0;

	list_for_each_entry(slot, &srq->pending, list) {
		if (n == room)
			break;
		wr[n] = (struct ib_recv_wr){
			.wr_id = (uintptr_t)&slot->work,
			.sg_list = slot->sge,
			.num_sge = slot->num_sge,
		};
		if (n)
			wr[n - 1].next = &wr[n];
		n++;
	}
	return n;
}

/* Fill the window. Caller holds the lock. */
static void srq_refill(struct kdapl_srq *srq)
{
	struct ib_recv_wr wr[SRQ_CHAIN];
	const struct ib_recv_wr *bad, *posted;
	int err = 0;

	lockdep_assert_held(&srq->lock);
	while (!err && !srq->failed && srq->ibsrq && srq_chain(srq, wr)) {
		bad = NULL;
		err = ib_post_srq_recv(srq->ibsrq, wr, &bad);
		for (posted = wr; posted && posted != bad; posted = posted->next) {
			kdapl_srq_posted(srq, list_first_entry(&srq->pending,
							       struct kdapl_srq_work,
							       list));
			srq->hw++;
		}
	}
	if (err)
		srq_fail(srq);
	if (srq->hw)
		kdapl_srq_listen(srq);
}

void kdapl_srq_post(struct kdapl_srq *srq)
{
	spin_lock_bh(&srq->lock);
	srq_refill(srq);
	srq_show(srq);
	spin_unlock_bh(&srq->lock);
}

/* A receive that no EP will take. Caller holds the lock. */
static void srq_refuse(struct kdapl_srq *srq)
{
	srq->taken++;
	srq->done++;
	srq->dropped++;
	srq_fail(srq);
}

static struct kdapl_srq_work *srq_get_slot(struct kdapl_srq *srq,
					   const struct kdapl_sqe *sqe)
{
	struct kdapl_srq_work *slot;

	slot = list_first_entry_or_null(&srq->free, struct kdapl_srq_work, list);
	if (!slot)
		return NULL;
	list_del_init(&slot->list);
	slot->work.cookie = sqe->cookie;
	slot->work.state = KDAPL_WORK_POSTED;
	slot->work.brought = KDAPL_BROUGHT_NOTHING;
	slot->work.length = 0;
	return slot;
}

/*
 * Caller holds the lock. Returns how many there are: none without a byte is handed on
 * (see make_sges()).
 */
static int srq_make_sges(struct kdapl_srq *srq, const struct kdapl_sqe *sqe,
			 struct ib_sge *sge)
{
	unsigned int i, n, num_sge = 0;

	if (sqe->op != KDAPL_OP_RECV || sqe->flags || sqe->imm ||
	    sqe->num_seg > srq->max_iov)
		return -EINVAL;
	/* Also for a processor that guesses. */
	n = array_index_nospec(sqe->num_seg, KDAPL_SEGS_MAX + 1);
	for (i = 0; i < n; i++) {
		/* The rest of it may be anything. */
		if (!sqe->seg[i].length)
			continue;
		if (kdapl_lmr_sge(srq->obj.ia, srq->pz, &sqe->seg[i],
				  KDAPL_PRIV_LOCAL_WRITE, &srq->lmr_hint,
				  &sge[num_sge]) != DAT_DTO_SUCCESS)
			return -EACCES;
		num_sge++;
	}
	return num_sge;
}

/* Caller holds the lock. False when there is no free slot. */
static bool srq_queue(struct kdapl_srq *srq, const struct kdapl_sqe *sqe,
		      const struct ib_sge *sge, int num_sge)
{
	struct kdapl_srq_work *slot = srq_get_slot(srq, sqe);

	if (!slot)
		return false;
	slot->num_sge = num_sge;
	/* A driver may look at the first one also where there is none. */
	slot->sge[0] = (struct ib_sge){};
	memcpy(slot->sge, sge, num_sge * sizeof(*sge));
	list_add_tail(&slot->list, &srq->pending);
	srq->waiting++;
	return true;
}

void kdapl_srq_take(struct kdapl_srq *srq, const struct kdapl_sqe *sqe)
{
	struct ib_sge sge[KDAPL_SEGS_MAX];
	int num_sge;

	spin_lock_bh(&srq->lock);
	num_sge = srq_make_sges(srq, sqe, sge);
	if (num_sge < 0 || !srq_queue(srq, sqe, sge, num_sge))
		srq_refuse(srq);
	spin_unlock_bh(&srq->lock);
}

int kdapl_srq_recv(struct kdapl_srq *srq, const struct kdapl_sqe *sqe)
{
	struct ib_sge sge[KDAPL_SEGS_MAX];
	int num_sge, ret = 0;

	spin_lock_bh(&srq->lock);
	num_sge = srq_make_sges(srq, sqe, sge);
	if (num_sge < 0) {
		ret = num_sge;
		goto out;
	}
	if (srq->failed || !srq->ibsrq)
		ret = -EBADFD;
	else if (!srq_queue(srq, sqe, sge, num_sge))
		ret = -ENOBUFS;
	srq_refill(srq);
	srq_show(srq);
out:
	spin_unlock_bh(&srq->lock);
	return ret;
}

/* ---- and back ------------------------------------------------------------- */

void kdapl_srq_attach(struct kdapl_srq *srq, struct kdapl_ep *ep)
{
	lockdep_assert_held(&srq->mutex);
	ep->srq_qp = ep->qp;
	ep->srq_seen = KDAPL_SRQ_TAKES_NONE;
	if (ep->recv_cq)
		srq->many_cqs = true;
	hash_add_rcu(srq->eps, &ep->srq_node, (unsigned long)ep->srq_qp);
	kdapl_srq_listen_to(srq, ep);
}

void kdapl_srq_detach(struct kdapl_srq *srq, struct kdapl_ep *ep)
{
	lockdep_assert_held(&srq->mutex);
	kdapl_srq_listen_no_more(srq, ep);
	if (srq->holder == ep)
		srq->holder = NULL;
	hash_del_rcu(&ep->srq_node);
	/* Who has found it by this address is through before it gets another. */
	kdapl_cq_drain(kdapl_srq_cq(ep));
	/*
	 * Nor does who looks for another one by another queue stand on it. Expedited: see
	 * cq_destroy().
	 */
	if (srq->many_cqs)
		synchronize_rcu_expedited();
}

/* Caller is in an RCU read section. */
static struct kdapl_ep *srq_find_ep(struct kdapl_srq *srq,
				    const struct ib_qp *qp)
{
	struct kdapl_ep *ep;

	hash_for_each_possible_rcu(srq->eps, ep, srq_node, (unsigned long)qp) {
		if (ep->srq_qp == qp)
			return ep;
	}
	return NULL;
}

void kdapl_srq_taken(struct kdapl_srq *srq, struct kdapl_srq_work *slot)
{
	spin_lock_bh(&srq->lock);
	list_del_init(&slot->list);
	srq->hw--;
	srq->waiting--;
	srq->taken++;
	srq_refill(srq);
	srq_show(srq);
	if (srq->waiting < srq->low && srq->rec_low)
		queue_work(kdapl_workqueue, &srq->tell_work);
	spin_unlock_bh(&srq->lock);
}

void kdapl_srq_complete(const struct ib_wc *wc)
{
	struct kdapl_work *work = (struct kdapl_work *)(uintptr_t)wc->wr_id;
	struct kdapl_srq_work *slot = to_srq_work(work);
	struct kdapl_srq *srq = work->srq;
	struct kdapl_ep *ep;

	rcu_read_lock();
	ep = srq_find_ep(srq, wc->qp);
	kdapl_srq_completed(srq, slot);
	kdapl_srq_taken(srq, slot);
	if (ep) {
		/* Not earlier: it would be taken for one that nobody completes. */
		WRITE_ONCE(ep->srq_seen, slot->seq);
		kdapl_ep_took(ep, work, wc);
	} else {
		kdapl_srq_give_back(work, true);
	}
	rcu_read_unlock();
}

void kdapl_srq_give_back(struct kdapl_work *work, bool dropped)
{
	struct kdapl_srq *srq = work->srq;

	spin_lock_bh(&srq->lock);
	work->ep = NULL;
	work->state = KDAPL_WORK_DONE;
	list_add_tail(&to_srq_work(work)->list, &srq->free);
	srq->done++;
	srq->dropped += dropped;
	srq_show(srq);
	spin_unlock_bh(&srq->lock);
}

static bool srq_is_taken_by(struct kdapl_evrec *rec, void *ep)
{
	struct kdapl_work *work;

	if (rec->release != kdapl_work_release)
		return false;
	work = container_of(rec, struct kdapl_work, rec);
	return work->srq && work->ep == ep;
}

void kdapl_srq_cancel(struct kdapl_ep *ep)
{
	struct kdapl_evrec *rec, *next;
	LIST_HEAD(recs);

	/* Others may have left a long backlog there. */
	if (ep->srq_taken == smp_load_acquire(&ep->rq.done)) {
		kdapl_evd_sync(ep->recv_evd);
		return;
	}
	kdapl_evd_cancel_all(ep->recv_evd, srq_is_taken_by, ep, &recs);
	list_for_each_entry_safe(rec, next, &recs, list) {
		list_del_init(&rec->list);
		kdapl_srq_give_back(container_of(rec, struct kdapl_work, rec),
				    true);
	}
}

/* ---- creation and freeing -------------------------------------------------- */

static struct srq_chunk *chunk_alloc(struct kdapl_srq *srq, u32 count)
{
	struct srq_chunk *chunk;
	u32 i;

	chunk = kvzalloc(struct_size(chunk, slot, count),
			 kdapl_ia_gfp(srq->obj.ia));
	if (!chunk)
		return NULL;
	chunk->count = count;
	for (i = 0; i < count; i++) {
		struct kdapl_work *work = &chunk->slot[i].work;

		work->srq = srq;
		work->op = KDAPL_OP_RECV;
		work->rec.release = kdapl_work_release;
		INIT_LIST_HEAD(&work->rec.list);
	}
	return chunk;
}

/* Caller holds the mutex. */
static void srq_add(struct kdapl_srq *srq, struct srq_chunk *chunk)
{
	u32 i;

	list_add(&chunk->list, &srq->chunks);
	spin_lock_bh(&srq->lock);
	for (i = 0; i < chunk->count; i++)
		list_add_tail(&chunk->slot[i].list, &srq->free);
	WRITE_ONCE(srq->slots, srq->slots + chunk->count);
	spin_unlock_bh(&srq->lock);
}

/* Memory is waited for without the mutex. -EAGAIN: somebody else was faster. */
static int srq_grow(struct kdapl_srq *srq, u32 slots)
{
	u32 before = READ_ONCE(srq->slots);
	struct srq_chunk *chunk;
	int ret = 0;

	if (slots <= before)
		return 0;
	chunk = chunk_alloc(srq, slots - before);
	if (!chunk)
		return -ENOMEM;
	mutex_lock(&srq->mutex);
	if (srq->slots == before)
		srq_add(srq, chunk);
	else
		ret = -EAGAIN;
	mutex_unlock(&srq->mutex);
	if (ret)
		kvfree(chunk);
	return ret;
}

int kdapl_srq_resize(struct kdapl_srq *srq, struct kdapl_srq_resize *arg)
{
	int ret;

	if (!arg->max_recvs || arg->pad)
		return -EINVAL;
	if (arg->max_recvs > KDAPL_SRQ_MAX)
		return -ENOSPC;
	do {
		ret = srq_grow(srq, arg->max_recvs);
	} while (ret == -EAGAIN);
	arg->max_recvs = READ_ONCE(srq->slots);
	return ret;
}

/* What the device has of it. Its EPs are gone, so nobody takes anything. */
static void srq_drop_device(struct kdapl_srq *srq)
{
	struct ib_srq *ibsrq;

	spin_lock_bh(&srq->lock);
	ibsrq = srq->ibsrq;
	srq->ibsrq = NULL;
	spin_unlock_bh(&srq->lock);
	if (ibsrq) {
		ib_destroy_srq(ibsrq);
		kdapl_cgroup_uncharge(srq->obj.ia->dev, &srq->cg,
				      RDMACG_RESOURCE_HCA_OBJECT);
	}
	if (srq->cq)
		kdapl_cq_unreserve(srq->cq, srq->window);
	srq->cq = NULL;
}

void kdapl_srq_kill(struct kdapl_srq *srq)
{
	mutex_lock(&srq->mutex);
	srq_drop_device(srq);
	mutex_unlock(&srq->mutex);
	srq_fail(srq);
}

static void srq_obj_destroy(struct kdapl_obj *obj)
{
	struct kdapl_srq *srq = to_srq(obj);

	mutex_lock(&srq->mutex);
	srq->gone = true;
	mutex_unlock(&srq->mutex);
	/* The drainer, and who told it of an error, are through with it. */
	kdapl_sq_sync(&obj->ia->sq);
	srq_drop_device(srq);
	cancel_work_sync(&srq->tell_work);
	cancel_delayed_work_sync(&srq->listen_work);
	kdapl_slot_free(&obj->ia->regions, &srq->status);
	kdapl_evd_unuse_async(obj->ia, srq->async_evd);
	kdapl_obj_unuse(&srq->pz->obj);
}

static void srq_obj_release(struct kdapl_obj *obj)
{
	struct kdapl_srq *srq = to_srq(obj);
	struct srq_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &srq->chunks, list)
		kvfree(chunk);
	kfree(srq->rec_low);
	kfree(srq->rec_error);
	kfree(srq);
}

static const struct kdapl_obj_ops kdapl_srq_ops = {
	.type = KDAPL_OBJ_SRQ,
	.destroy = srq_obj_destroy,
	.release = srq_obj_release,
};

static int srq_use(struct kdapl_srq *srq, const struct kdapl_srq_create *arg)
{
	struct kdapl_ia *ia = srq->obj.ia;
	struct kdapl_evd *evd;
	struct kdapl_obj *obj;

	obj = kdapl_obj_use(ia, arg->pz, KDAPL_OBJ_PZ);
	if (!obj)
		return -ENOENT;
	srq->pz = to_pz(obj);
	evd = kdapl_evd_use_async(ia, arg->async_evd);
	if (IS_ERR(evd))
		return PTR_ERR(evd);
	srq->async_evd = evd;
	return 0;
}

static int srq_create_device(struct kdapl_srq *srq)
{
	struct ib_device *dev = srq->obj.ia->dev;
	struct ib_srq_init_attr attr = {
		.event_handler = srq_event,
		.srq_context = srq,
		.attr = { .max_wr = srq->window, .max_sge = max(srq->max_iov, 1U) },
		.srq_type = IB_SRQT_BASIC,
	};
	struct kdapl_cq *cq;
	struct ib_srq *ibsrq;
	int ret;

	cq = kdapl_cq_reserve(srq->obj.ia, NULL, srq->window);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	srq->cq = cq;
	ret = kdapl_ia_charge(srq->obj.ia, &srq->cg, RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		return ret;
	ibsrq = ib_create_srq(srq->pz->pd, &attr);
	if (IS_ERR(ibsrq)) {
		kdapl_cgroup_uncharge(dev, &srq->cg, RDMACG_RESOURCE_HCA_OBJECT);
		return PTR_ERR(ibsrq);
	}
	srq->ibsrq = ibsrq;
	return 0;
}

static int srq_build(struct kdapl_srq *srq, const struct kdapl_srq_create *arg)
{
	int ret = srq_use(srq, arg);

	if (!ret)
		ret = srq_grow(srq, arg->max_recvs);
	if (!ret)
		ret = kdapl_slot_alloc(&srq->obj.ia->regions, false, &srq->status);
	if (!ret) {
		srq->rec_error = kdapl_evrec_alloc(srq->obj.ia);
		ret = srq->rec_error ? srq_create_device(srq) : -ENOMEM;
	}
	return ret;
}

static void srq_unbuild(struct kdapl_srq *srq)
{
	srq_drop_device(srq);
	cancel_work_sync(&srq->tell_work);
	if (srq->status.addr)
		kdapl_slot_free(&srq->obj.ia->regions, &srq->status);
	kdapl_evd_unuse_async(srq->obj.ia, srq->async_evd);
	if (srq->pz)
		kdapl_obj_unuse(&srq->pz->obj);
	kdapl_obj_abort(&srq->obj);
}

static struct kdapl_srq *srq_alloc(const struct kdapl_ia *ia,
				   const struct kdapl_srq_create *arg)
{
	struct kdapl_srq *srq = kzalloc(sizeof(*srq), kdapl_ia_gfp(ia));

	if (!srq)
		return NULL;
	mutex_init(&srq->mutex);
	spin_lock_init(&srq->lock);
	INIT_LIST_HEAD(&srq->chunks);
	INIT_LIST_HEAD(&srq->free);
	INIT_LIST_HEAD(&srq->pending);
	INIT_LIST_HEAD(&srq->posted);
	INIT_LIST_HEAD(&srq->passed);
	INIT_WORK(&srq->tell_work, srq_tell_work);
	kdapl_srq_listen_init(srq);
	srq->tag = arg->tag;
	srq->max_iov = arg->max_recv_iov;
	srq->window = min_t(u32, ia->max_srq_window, SRQ_WINDOW);
	srq->forgets = kdapl_driver_forgets(ia->dev);
	return srq;
}

int kdapl_srq_create(struct kdapl_ia *ia, struct kdapl_srq_create *arg)
{
	struct kdapl_srq *srq;
	int ret;

	if (!ia->max_srqs)
		return -EOPNOTSUPP;
	if (!arg->max_recvs || arg->pad)
		return -EINVAL;
	if (arg->max_recvs > KDAPL_SRQ_MAX || arg->max_recv_iov > ia->max_srq_iov)
		return -ENOSPC;
	srq = srq_alloc(ia, arg);
	if (!srq)
		return -ENOMEM;
	ret = kdapl_obj_init(&srq->obj, ia, &kdapl_srq_ops, arg->user);
	if (ret) {
		kfree(srq);
		return ret;
	}
	ret = srq_build(srq, arg);
	if (ret) {
		srq_unbuild(srq);
		return ret;
	}

	arg->id = srq->obj.id;
	arg->status = kdapl_slot_map(&srq->status);
	kdapl_obj_publish(&srq->obj);
	return 0;
}

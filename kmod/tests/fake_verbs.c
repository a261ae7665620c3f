// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A device that the tests play. */

#include <linux/cgroup_rdma.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "../cq.h"
#include "fake_cm.h"
#include "fake_verbs.h"
#include "fault.h"

struct fake_mr {
	struct ib_mr ib;
	u64 addr, length;
};

#define FAKE_MRS	128

static struct fake_mr *mrs[FAKE_MRS];	/* by lkey */

/*
 * An MR that is registered by work requests.
 *
 * @mapped: DMA address of the first byte
 * @npages: how many it can map
 * @filled: how many of them rdma_rw has mapped
 * @works: work requests for it that are not finished
 * @live: peers reach it, under @key
 * @used: keys that it had
 */
struct fake_window {
	struct ib_mr ib;
	u64 mapped;
	u32 npages;
	u32 filled;
	u32 works;
	u32 key;
	bool live;
	DECLARE_BITMAP(used, 256);
};

#define FAKE_WINDOWS	64
#define FAKE_WINDOW_KEY	0x100	/* the first one's key, without its last byte */

static struct fake_window *windows[FAKE_WINDOWS];
/* Held by who looks while a reaper may take one away. */
static DEFINE_SPINLOCK(windows_lock);

static struct fake_window *to_window(struct ib_mr *mr)
{
	return container_of(mr, struct fake_window, ib);
}

/* By a key that it has or had, or NULL. */
static struct fake_window *window_of(u32 rkey)
{
	u32 n = (rkey >> 8) - FAKE_WINDOW_KEY;

	return n < FAKE_WINDOWS ? windows[n] : NULL;
}

/* ---- completion queues ------------------------------------------------- */

struct ib_cq *fake_create_cq(struct ib_device *dev, ib_comp_handler handler,
			     void *context, const struct ib_cq_init_attr *attr)
{
	u32 size = roundup_pow_of_two(attr->cqe);
	int max = to_fake_dev(dev)->max_cqs;
	struct fake_cq *cq;

	if (fault_hit("ib_create_cq") || (max && to_fake_dev(dev)->cqs >= max))
		return ERR_PTR(-ENOMEM);
	cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	if (!cq)
		return ERR_PTR(-ENOMEM);
	cq->wc = kvcalloc(size, sizeof(*cq->wc), GFP_KERNEL);
	if (!cq->wc) {
		kfree(cq);
		return ERR_PTR(-ENOMEM);
	}
	cq->ib.device = dev;
	cq->ib.comp_handler = handler;
	cq->ib.cq_context = context;
	cq->ib.cqe = size;
	to_fake_dev(dev)->cqs++;
	return &cq->ib;
}

void fake_destroy_cq(struct ib_cq *ibcq)
{
	struct fake_cq *cq = to_fake_cq(ibcq);

	to_fake_dev(ibcq->device)->cqs--;
	kvfree(cq->wc);
	kfree(cq);
}

static void flush_locked(struct fake_qp *qp, struct fake_cq *cq);

static int fake_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc)
{
	struct fake_dev *dev = to_fake_dev(ibcq->device);
	struct fake_cq *cq = to_fake_cq(ibcq);
	unsigned long flags;
	int i;

	spin_lock_irqsave(&dev->lock, flags);
	if (cq->lazy)
		flush_locked(cq->lazy, cq);
	if (cq->blind) {
		cq->blind--;
		n = 0;
	}
	for (i = 0; i < n && cq->tail != cq->head; i++)
		wc[i] = cq->wc[cq->tail++ & (cq->ib.cqe - 1)];
	spin_unlock_irqrestore(&dev->lock, flags);
	return i;
}

static int fake_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags mode)
{
	struct fake_dev *dev = to_fake_dev(ibcq->device);
	struct fake_cq *cq = to_fake_cq(ibcq);
	unsigned long flags;
	int missed;

	spin_lock_irqsave(&dev->lock, flags);
	cq->armed = true;
	/* As irdma: for all where it shall say what it missed. */
	cq->solicited = mode == IB_CQ_SOLICITED;
	missed = mode & IB_CQ_REPORT_MISSED_EVENTS && cq->tail != cq->head;
	spin_unlock_irqrestore(&dev->lock, flags);
	return missed;
}

/* As a driver's softirq does it: what the handler raises runs before the end. */
static void fake_notify(struct ib_cq *ibcq)
{
	struct fake_dev *dev = to_fake_dev(ibcq->device);
	struct fake_cq *cq = to_fake_cq(ibcq);
	unsigned long flags;
	bool call;

	local_bh_disable();
	spin_lock_irqsave(&dev->lock, flags);
	/* It is called for one that somebody else has taken meanwhile, too. */
	call = cq->armed && (cq->tells || cq->tail != cq->head);
	if (call) {
		cq->armed = false;
		cq->tells = false;
	}
	spin_unlock_irqrestore(&dev->lock, flags);
	if (call)
		ibcq->comp_handler(ibcq, ibcq->cq_context);
	local_bh_enable();
}

/* ---- queue pairs ------------------------------------------------------- */

struct ib_qp *fake_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr)
{
	struct fake_qp *qp;

	if (fault_hit("ib_create_qp"))
		return ERR_PTR(-ENOMEM);
	qp = kvzalloc(sizeof(*qp), GFP_KERNEL);
	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp->ib.device = pd->device;
	qp->ib.pd = pd;
	qp->ib.send_cq = attr->send_cq;
	qp->ib.recv_cq = attr->recv_cq;
	qp->ib.srq = attr->srq;
	qp->ib.event_handler = attr->event_handler;
	qp->ib.qp_context = attr->qp_context;
	qp->ib.max_write_sge = attr->cap.max_send_sge;
	qp->ib.max_read_sge = attr->cap.max_send_sge;
	qp->inline_asked = attr->cap.max_inline_data;
	attr->cap.max_inline_data = to_fake_dev(pd->device)->max_inline;
	spin_lock_init(&qp->ib.mr_lock);
	INIT_LIST_HEAD(&qp->ib.rdma_mrs);
	qp->state = IB_QPS_RESET;
	to_fake_dev(pd->device)->qps++;
	return &qp->ib;
}

void fake_qp_event(struct fake_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ib.device,
		.element.qp = &qp->ib,
		.event = type,
	};

	qp->ib.event_handler(&event, qp->ib.qp_context);
}

static u32 wr_bytes(const struct fake_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sge[i].length;
	return bytes;
}

/* A message's, whatever became of it; what it names may be nothing of ours. */
static void invalidate(struct fake_qp *qp, struct ib_wc *wc)
{
	struct fake_window *window = window_of(qp->invalidates);

	wc->wc_flags = IB_WC_WITH_INVALIDATE;
	wc->ex.invalidate_rkey = qp->invalidates;
	if (wc->status == IB_WC_SUCCESS && window &&
	    window->key == qp->invalidates)
		window->live = false;
	qp->invalidates = 0;
}

static void bring_imm(struct fake_qp *qp, struct ib_wc *wc)
{
	wc->opcode = qp->imm_of;
	wc->wc_flags = IB_WC_WITH_IMM;
	wc->ex.imm_data = (__force __be32)qp->imm;
	qp->imm_of = 0;
}

/* Caller holds the device's lock. False when the queue is full. */
static bool add_wc(struct fake_cq *cq, struct fake_qp *qp,
		   const struct fake_wr *wr, enum ib_wc_opcode opcode,
		   enum ib_wc_status status)
{
	struct ib_wc *wc;

	if (WARN_ON(cq->head - cq->tail >= cq->ib.cqe))
		return false;
	wc = &cq->wc[cq->head++ & (cq->ib.cqe - 1)];
	*wc = (struct ib_wc) {
		.wr_id = wr->wr_id,
		.status = status,
		.opcode = opcode,
		.byte_len = wr_bytes(wr),
		.qp = &qp->ib,
	};
	if (opcode == IB_WC_RECV && qp->invalidates)
		invalidate(qp, wc);
	if (opcode == IB_WC_RECV && qp->imm_of)
		bring_imm(qp, wc);
	return true;
}

static enum ib_wc_opcode request_opcode(const struct fake_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_REG_MR:
		return IB_WC_REG_MR;
	case IB_WR_LOCAL_INV:
		return IB_WC_LOCAL_INV;
	case IB_WR_RDMA_WRITE:
		return IB_WC_RDMA_WRITE;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		return IB_WC_RDMA_READ;
	default:
		return IB_WC_SEND;
	}
}

/* What a work request does to an MR, when it comes to its turn. */
static void work_on_window(struct fake_dev *dev, const struct fake_wr *wr,
			   bool success)
{
	struct fake_window *window;

	if (!wr->mr)
		return;
	window = to_window(wr->mr);
	window->works--;
	if (!success)
		return;
	if (wr->opcode == IB_WR_LOCAL_INV ||
	    wr->opcode == IB_WR_RDMA_READ_WITH_INV) {
		dev->bad_mr |= window->key != wr->inv_key ||
			       (!window->live && !dev->invalidates_idle);
		window->live = false;
		return;
	}
	dev->bad_mr |= window->live || test_and_set_bit(wr->rkey & 0xff,
							window->used);
	window->live = true;
	window->key = wr->rkey;
}

static struct ib_cq *cq_of(struct fake_qp *qp, struct fake_queue *queue)
{
	return queue == &qp->rq ? qp->ib.recv_cq : qp->ib.send_cq;
}

/* It was not to be told of, and went well. */
static bool is_silent(const struct fake_qp *qp, const struct fake_queue *queue,
		      const struct fake_wr *wr, enum ib_wc_status status)
{
	return queue == &qp->sq && status == IB_WC_SUCCESS &&
	       !(wr->send_flags & IB_SEND_SIGNALED);
}

/* Caller holds the device's lock. */
static u32 complete_locked(struct fake_qp *qp, struct fake_queue *queue, u32 n,
			   enum ib_wc_status status)
{
	struct fake_cq *cq = to_fake_cq(cq_of(qp, queue));
	struct fake_wr *wr;
	u32 i;

	for (i = 0; i < n && queue->tail != queue->head; i++) {
		wr = fake_wr(queue, queue->tail++);
		if (!is_silent(qp, queue, wr, status) &&
		    !add_wc(cq, qp, wr, queue == &qp->rq ? IB_WC_RECV :
			    request_opcode(wr), status))
			break;
		work_on_window(to_fake_dev(qp->ib.device), wr,
			       status == IB_WC_SUCCESS);
	}
	return i;
}

/* Caller holds the device's lock. */
static void flush_locked(struct fake_qp *qp, struct fake_cq *cq)
{
	if (cq == to_fake_cq(qp->ib.send_cq))
		complete_locked(qp, &qp->sq, FAKE_QUEUE, IB_WC_WR_FLUSH_ERR);
	if (cq == to_fake_cq(qp->ib.recv_cq))
		complete_locked(qp, &qp->rq, FAKE_QUEUE, IB_WC_WR_FLUSH_ERR);
}

static void make_lazy(struct fake_qp *qp, struct fake_qp *lazy)
{
	struct fake_dev *dev = to_fake_dev(qp->ib.device);
	unsigned long flags;

	spin_lock_irqsave(&dev->lock, flags);
	to_fake_cq(qp->ib.send_cq)->lazy = lazy;
	to_fake_cq(qp->ib.recv_cq)->lazy = lazy;
	spin_unlock_irqrestore(&dev->lock, flags);
}

u32 fake_finish(struct fake_qp *qp, struct fake_queue *queue, u32 n,
		enum ib_wc_status status)
{
	struct fake_dev *dev = to_fake_dev(qp->ib.device);
	unsigned long flags;

	spin_lock_irqsave(&dev->lock, flags);
	n = complete_locked(qp, queue, n, status);
	spin_unlock_irqrestore(&dev->lock, flags);
	return n;
}

u32 fake_report(struct fake_qp *qp, struct fake_queue *queue, u32 n,
		enum ib_wc_status status)
{
	n = fake_finish(qp, queue, n, status);
	fake_notify(cq_of(qp, queue));
	return n;
}

/* Armed and empty: the module has polled, and done all that follows from it. */
static bool fake_settled(struct ib_cq *ibcq)
{
	struct fake_dev *dev = to_fake_dev(ibcq->device);
	struct fake_cq *cq = to_fake_cq(ibcq);
	unsigned long flags;
	bool settled;

	spin_lock_irqsave(&dev->lock, flags);
	settled = cq->armed && cq->tail == cq->head;
	spin_unlock_irqrestore(&dev->lock, flags);
	return settled;
}

static void fake_settle(struct ib_cq *cq)
{
	struct kdapl_cq *user = cq->cq_context;
	unsigned long end = jiffies + 20 * HZ;
	bool settled;

	fake_notify(cq);
	/* What follows from it may already be the next completions. */
	while (!(settled = fake_settled(cq)) && time_before(jiffies, end))
		usleep_range(50, 100);
	WARN_ON(!settled);
	/* What another processor has taken out may still be on its way. */
	spin_lock_bh(&user->order);
	spin_unlock_bh(&user->order);
}

u32 fake_complete(struct fake_qp *qp, struct fake_queue *queue, u32 n,
		  enum ib_wc_status status)
{
	n = fake_finish(qp, queue, n, status);
	fake_settle(cq_of(qp, queue));
	return n;
}

static u32 take(struct fake_qp *qp, u32 n, enum ib_wc_status status,
		bool solicited)
{
	struct fake_dev *dev = to_fake_dev(qp->ib.device);
	struct fake_queue *queue = &to_fake_srq(qp->ib.srq)->queue;
	struct fake_cq *cq = to_fake_cq(qp->ib.recv_cq);
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&dev->lock, flags);
	for (i = 0; i < n && queue->tail != queue->head; i++) {
		if (!add_wc(cq, qp, fake_wr(queue, queue->tail++), IB_WC_RECV,
			    status))
			break;
	}
	cq->tells |= i && (solicited || !cq->solicited);
	spin_unlock_irqrestore(&dev->lock, flags);
	return i;
}

u32 fake_take(struct fake_qp *qp, u32 n, enum ib_wc_status status)
{
	n = take(qp, n, status, true);
	fake_settle(qp->ib.recv_cq);
	return n;
}

u32 fake_take_unsolicited(struct fake_qp *qp, u32 n, enum ib_wc_status status)
{
	struct fake_cq *cq = to_fake_cq(qp->ib.recv_cq);

	n = take(qp, n, status, false);
	if (READ_ONCE(cq->tells))
		fake_notify(qp->ib.recv_cq);
	return n;
}

bool fake_take_half(struct fake_qp *qp)
{
	struct fake_dev *dev = to_fake_dev(qp->ib.device);
	struct fake_queue *queue = &to_fake_srq(qp->ib.srq)->queue;
	unsigned long flags;

	spin_lock_irqsave(&dev->lock, flags);
	qp->has_half = queue->tail != queue->head;
	if (qp->has_half)
		qp->half = *fake_wr(queue, queue->tail++);
	spin_unlock_irqrestore(&dev->lock, flags);
	return qp->has_half;
}

static void end_half(struct fake_qp *qp, enum ib_wc_status status)
{
	struct fake_dev *dev = to_fake_dev(qp->ib.device);
	unsigned long flags;

	spin_lock_irqsave(&dev->lock, flags);
	if (qp->has_half && (status == IB_WC_SUCCESS || !dev->forgets))
		add_wc(to_fake_cq(qp->ib.recv_cq), qp, &qp->half, IB_WC_RECV,
		       status);
	qp->has_half = false;
	spin_unlock_irqrestore(&dev->lock, flags);
}

void fake_finish_half(struct fake_qp *qp)
{
	end_half(qp, IB_WC_SUCCESS);
	fake_settle(qp->ib.recv_cq);
}

static void flush(struct fake_qp *qp)
{
	const struct fake_dev *dev = to_fake_dev(qp->ib.device);

	if (dev->flush_polls)
		make_lazy(qp, qp);
	if (dev->mute || dev->flush_polls)
		return;
	end_half(qp, IB_WC_WR_FLUSH_ERR);
	fake_report(qp, &qp->sq, FAKE_QUEUE, IB_WC_WR_FLUSH_ERR);
	fake_report(qp, &qp->rq, FAKE_QUEUE, IB_WC_WR_FLUSH_ERR);
}

int fake_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask)
{
	struct fake_qp *qp = to_fake_qp(ibqp);

	if (!(mask & IB_QP_STATE) ||
	    (qp->stuck && attr->qp_state == IB_QPS_ERR))
		return -EINVAL;
	/* What takes a queue pair down never fails, unless it is stuck. */
	if (attr->qp_state != IB_QPS_ERR && fault_hit("ib_modify_qp"))
		return -ENOMEM;
	WRITE_ONCE(qp->state, attr->qp_state);
	if (attr->qp_state != IB_QPS_ERR)
		return 0;
	flush(qp);
	if (to_fake_dev(ibqp->device)->fatal)
		fake_qp_event(qp, IB_EVENT_QP_FATAL);
	return 0;
}

/*
 * Like siw: what was never completed is flushed into the completion queue, and
 * will be found there when the module looks the next time.
 */
int fake_destroy_qp(struct ib_qp *ibqp)
{
	struct fake_qp *qp = to_fake_qp(ibqp);
	struct ib_mr *mr, *next;

	make_lazy(qp, NULL);
	if (!to_fake_dev(ibqp->device)->mute) {
		fake_finish(qp, &qp->sq, FAKE_QUEUE, IB_WC_WR_FLUSH_ERR);
		fake_finish(qp, &qp->rq, FAKE_QUEUE, IB_WC_WR_FLUSH_ERR);
	}
	/* What nobody hears of any more is not done any more, either. */
	while (qp->sq.tail != qp->sq.head)
		work_on_window(to_fake_dev(ibqp->device),
			       fake_wr(&qp->sq, qp->sq.tail++), false);
	/* As ib_core does it, and says. */
	to_fake_dev(ibqp->device)->bad_mr |= ibqp->mrs_used;
	list_for_each_entry_safe(mr, next, &ibqp->rdma_mrs, qp_entry)
		fake_dereg_mr(mr);
	to_fake_dev(ibqp->device)->qps--;
	kvfree(qp);
	return 0;
}

/* ---- posting ----------------------------------------------------------- */

static void check_sge(struct fake_dev *dev, const struct ib_sge *sge)
{
	u32 n = sge->lkey - FAKE_LKEY;
	struct fake_mr *mr = n < FAKE_MRS ? mrs[n] : NULL;

	/* A segment of nothing reaches nothing; a window can be anything by its turn. */
	if (!sge->length || sge->lkey == FAKE_LOCAL_KEY || window_of(sge->lkey))
		return;
	if (!mr || sge->addr < mr->addr || sge->length > mr->length ||
	    sge->addr - mr->addr > mr->length - sge->length)
		dev->bad_sge = true;
}

static bool post_fails(struct fake_qp *qp)
{
	return qp->post_error && !qp->post_good--;
}

/* The error that a call ends with; the next call has none, or the same. */
static int post_result(struct fake_qp *qp)
{
	int err = qp->post_error ?: -ENOMEM;

	if (qp->post_stays)
		qp->post_good = 0;
	else
		qp->post_error = 0;
	return err;
}

/* As drivers do it: by the processor's addresses, and no key is looked at. */
static void keep_bytes(struct fake_wr *wr, const struct ib_sge *sge, int num_sge)
{
	u32 n = 0;
	int i;

	for (i = 0; i < num_sge; i++) {
		if (WARN_ON(sge[i].length > FAKE_INLINE - n))
			return;
		memcpy(wr->bytes + n, (void *)(uintptr_t)sge[i].addr,
		       sge[i].length);
		n += sge[i].length;
	}
}

/* Caller holds the device's lock. NULL when the queue is full. */
static struct fake_wr *enqueue(struct fake_dev *dev, struct fake_queue *queue,
			       u64 wr_id, const struct ib_sge *sge, int num_sge,
			       int send_flags)
{
	struct fake_wr *wr;
	int i;

	if (WARN_ON(queue->head - queue->tail >= FAKE_QUEUE ||
		    num_sge > KDAPL_SEGS_MAX))
		return NULL;
	wr = fake_wr(queue, queue->head++);
	memset(wr, 0, sizeof(*wr));
	wr->wr_id = wr_id;
	wr->nr = dev->posted++;
	wr->num_sge = num_sge;
	wr->send_flags = send_flags;
	if (send_flags & IB_SEND_INLINE)
		keep_bytes(wr, sge, num_sge);
	for (i = 0; i < num_sge; i++) {
		wr->sge[i] = sge[i];
		if (!(send_flags & IB_SEND_INLINE))
			check_sge(dev, &sge[i]);
	}
	return wr;
}

static void keep_send(struct fake_wr *kept, const struct ib_send_wr *wr)
{
	struct fake_window *window;

	kept->opcode = wr->opcode;
	if (wr->opcode == IB_WR_RDMA_WRITE_WITH_IMM)
		kept->imm = (__force u32)wr->ex.imm_data;
	if (wr->opcode == IB_WR_SEND_WITH_INV)
		kept->inv_key = wr->ex.invalidate_rkey;
	switch (wr->opcode) {
	case IB_WR_REG_MR:
		kept->mr = reg_wr(wr)->mr;
		kept->rkey = reg_wr(wr)->key;
		kept->access = reg_wr(wr)->access;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		kept->remote_addr = atomic_wr(wr)->remote_addr;
		kept->rkey = atomic_wr(wr)->rkey;
		kept->operand[0] = atomic_wr(wr)->compare_add;
		kept->operand[1] = atomic_wr(wr)->swap;
		break;
	case IB_WR_LOCAL_INV:
		window = window_of(wr->ex.invalidate_rkey);
		kept->mr = window ? &window->ib : NULL;
		kept->rkey = wr->ex.invalidate_rkey;
		kept->inv_key = kept->rkey;
		break;
	case IB_WR_RDMA_READ_WITH_INV:
		window = window_of(wr->ex.invalidate_rkey);
		kept->mr = window ? &window->ib : NULL;
		kept->inv_key = wr->ex.invalidate_rkey;
		fallthrough;
	default:
		kept->remote_addr = rdma_wr(wr)->remote_addr;
		kept->rkey = rdma_wr(wr)->rkey;
		break;
	}
	if (kept->mr)
		to_window(kept->mr)->works++;
}

static int fake_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	struct fake_dev *dev = to_fake_dev(ibqp->device);
	struct fake_qp *qp = to_fake_qp(ibqp);
	struct fake_wr *kept = NULL;
	bool fault = fault_hit("ib_post_send");
	unsigned long flags;
	bool fails;
	int err = 0;

	spin_lock_irqsave(&dev->lock, flags);
	qp->calls++;
	for (; wr; wr = wr->next) {
		fails = fault || post_fails(qp);
		if (!fails || qp->post_keeps)
			kept = enqueue(dev, &qp->sq, wr->wr_id, wr->sg_list,
				       wr->num_sge, wr->send_flags);
		if (fails || !kept) {
			*bad = wr;
			err = post_result(qp);
			break;
		}
		keep_send(kept, wr);
	}
	spin_unlock_irqrestore(&dev->lock, flags);
	if (dev->sent)
		dev->sent(qp);
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		flush(qp);
	return err;
}

static int fake_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad)
{
	struct fake_dev *dev = to_fake_dev(ibqp->device);
	struct fake_qp *qp = to_fake_qp(ibqp);
	bool fault = fault_hit("ib_post_recv");
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&dev->lock, flags);
	qp->calls++;
	for (; wr; wr = wr->next) {
		if (fault || post_fails(qp) ||
		    !enqueue(dev, &qp->rq, wr->wr_id, wr->sg_list,
			     wr->num_sge, 0)) {
			*bad = wr;
			err = post_result(qp);
			break;
		}
	}
	spin_unlock_irqrestore(&dev->lock, flags);
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		flush(qp);
	return err;
}

static int fake_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			      const struct ib_recv_wr **bad)
{
	struct fake_dev *dev = to_fake_dev(ibsrq->device);
	struct fake_srq *srq = to_fake_srq(ibsrq);
	bool fault = fault_hit("ib_post_srq_recv");
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&dev->lock, flags);
	for (; wr; wr = wr->next) {
		if (fault)
			err = -ENOMEM;
		else if (srq->post_error && !srq->post_good--)
			err = srq->post_error;
		else if (WARN_ON(srq->queue.head - srq->queue.tail >= srq->size))
			err = -ENOMEM;
		if (err) {
			*bad = wr;
			break;
		}
		enqueue(dev, &srq->queue, wr->wr_id, wr->sg_list, wr->num_sge,
			0);
	}
	spin_unlock_irqrestore(&dev->lock, flags);
	return err;
}

struct ib_srq *fake_create_srq(struct ib_pd *pd, struct ib_srq_init_attr *attr)
{
	struct fake_srq *srq;

	if (fault_hit("ib_create_srq"))
		return ERR_PTR(-ENOMEM);
	srq = kvzalloc(sizeof(*srq), GFP_KERNEL);
	if (!srq)
		return ERR_PTR(-ENOMEM);
	srq->ib.device = pd->device;
	srq->ib.pd = pd;
	srq->ib.event_handler = attr->event_handler;
	srq->ib.srq_context = attr->srq_context;
	srq->size = attr->attr.max_wr;
	to_fake_dev(pd->device)->srqs++;
	return &srq->ib;
}

int fake_destroy_srq(struct ib_srq *ibsrq)
{
	to_fake_dev(ibsrq->device)->srqs--;
	kvfree(to_fake_srq(ibsrq));
	return 0;
}

/* ---- domains, memory ------------------------------------------------ */

struct ib_pd *fake_alloc_pd(struct ib_device *dev)
{
	struct ib_pd *pd;

	if (fault_hit("ib_alloc_pd"))
		return ERR_PTR(-ENOMEM);
	pd = kzalloc(sizeof(*pd), GFP_KERNEL);
	if (!pd)
		return ERR_PTR(-ENOMEM);
	pd->device = dev;
	pd->local_dma_lkey = FAKE_LOCAL_KEY;
	to_fake_dev(dev)->pds++;
	return pd;
}

void fake_dealloc_pd(struct ib_pd *pd)
{
	to_fake_dev(pd->device)->pds--;
	kfree(pd);
}

struct ib_mr *fake_reg_user_mr(struct ib_pd *pd, u64 addr, u64 length,
			       int access)
{
	struct fake_mr *mr;
	u32 n = 0;

	if (fault_hit("ib_reg_user_mr"))
		return ERR_PTR(-ENOMEM);
	if (to_fake_dev(pd->device)->registering)
		to_fake_dev(pd->device)->registering(addr, length);
	while (n < FAKE_MRS && mrs[n])
		n++;
	if (n == FAKE_MRS)
		return ERR_PTR(-ENOSPC);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	to_fake_dev(pd->device)->access = access;
	mr->ib.device = pd->device;
	mr->ib.type = IB_MR_TYPE_USER;
	mr->ib.lkey = FAKE_LKEY + n;
	/* As devices have it: the index, and a byte that tells keys of it apart. */
	mr->ib.rkey = mr->ib.lkey << 8 | FAKE_KEY_BYTE;
	mr->addr = addr;
	mr->length = length;
	mrs[n] = mr;
	to_fake_dev(pd->device)->mrs++;
	return &mr->ib;
}

struct ib_mr *fake_alloc_mr(struct ib_pd *pd, u32 npages)
{
	struct fake_dev *dev = to_fake_dev(pd->device);
	struct fake_window *window;
	u32 n = 0;

	if (fault_hit("ib_alloc_mr"))
		return ERR_PTR(-ENOMEM);
	if (dev->no_mr) {
		dev->no_mr = false;
		return ERR_PTR(-ENOMEM);
	}
	while (n < FAKE_WINDOWS && windows[n])
		n++;
	if (n == FAKE_WINDOWS)
		return ERR_PTR(-ENOSPC);
	window = kzalloc(sizeof(*window), GFP_KERNEL);
	if (!window)
		return ERR_PTR(-ENOMEM);
	window->ib.device = pd->device;
	window->ib.type = IB_MR_TYPE_MEM_REG;
	window->ib.rkey = (FAKE_WINDOW_KEY + n) << 8 | 0xf0;
	window->ib.lkey = window->ib.rkey;
	window->key = window->ib.rkey;
	window->npages = npages;
	windows[n] = window;
	dev->mrs++;
	return &window->ib;
}

/* One entry is one page, whole or in part. */
int fake_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int nents)
{
	struct fake_window *window = to_window(mr);
	struct scatterlist *one;
	int i;

	if (fault_hit("ib_map_mr_sg"))
		return -ENOMEM;
	if (window->live || window->works)
		to_fake_dev(mr->device)->bad_mr = true;
	window->mapped = sg_dma_address(sg);
	mr->length = 0;
	for_each_sg(sg, one, min_t(int, nents, window->npages), i)
		mr->length += sg_dma_len(one);
	return i;
}

void fake_dma_sync(struct ib_device *dev, u64 addr, size_t length,
		   bool for_device)
{
	struct fake_dev *fake = to_fake_dev(dev);

	if (fake->syncs < FAKE_SYNCS)
		fake->sync[fake->syncs] = (struct fake_sync){
			addr, length, for_device,
		};
	fake->syncs++;
}

u64 fake_reaches(u32 rkey)
{
	struct fake_window *window;
	u64 mapped = 0;

	spin_lock_bh(&windows_lock);
	window = window_of(rkey);
	if (window && window->live && window->key == rkey)
		mapped = window->mapped;
	spin_unlock_bh(&windows_lock);
	return mapped;
}

static void fake_dereg_window(struct fake_window *window)
{
	struct fake_dev *dev = to_fake_dev(window->ib.device);

	dev->bad_mr |= window->works;
	spin_lock_bh(&windows_lock);
	windows[(window->ib.rkey >> 8) - FAKE_WINDOW_KEY] = NULL;
	spin_unlock_bh(&windows_lock);
	dev->mrs--;
	kfree(window);
}

int fake_dereg_mr(struct ib_mr *ibmr)
{
	struct fake_mr *mr = container_of(ibmr, struct fake_mr, ib);

	if (ibmr->type == IB_MR_TYPE_MEM_REG) {
		fake_dereg_window(to_window(ibmr));
		return 0;
	}
	mrs[ibmr->lkey - FAKE_LKEY] = NULL;
	to_fake_dev(ibmr->device)->mrs--;
	kfree(mr);
	return 0;
}

/* ---- rdma_rw --------------------------------------------------------------- */

int fake_mr_pool_init(struct ib_qp *qp, struct list_head *pool, int n,
		      u32 npages)
{
	struct ib_mr *mr;

	while (n--) {
		mr = fake_alloc_mr(qp->pd, npages);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		list_add_tail(&mr->qp_entry, pool);
	}
	return 0;
}

static int fill_page(struct ib_mr *mr, u64 addr)
{
	struct fake_window *window = to_window(mr);

	if (window->filled == window->npages)
		return -ENOMEM;
	window->filled++;
	return 0;
}

/* What ib_core itself calls, and with it rdma_rw. */
static int fake_fill_mr(struct ib_mr *mr, struct scatterlist *sg, int nents,
			unsigned int *offset)
{
	struct fake_window *window = to_window(mr);

	if (window->live || window->works)
		to_fake_dev(mr->device)->bad_mr = true;
	window->mapped = sg_dma_address(sg);
	window->filled = 0;
	return ib_sg_to_pages(mr, sg, nents, offset, fill_page);
}

int fake_rw_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
		 struct scatterlist *sg, u32 nents, u64 remote_addr, u32 rkey,
		 enum dma_data_direction dir)
{
	int ret = to_fake_dev(qp->device)->map_error;

	if (fault_hit("rdma_rw_ctx_init"))
		ret = -ENOMEM;
	if (!ret)
		ret = rdma_rw_ctx_init(ctx, qp, port, sg, nents, 0,
				       remote_addr, rkey, dir);
	if (ret > 0)
		fake_cm.mapped++;
	return ret;
}

void fake_rw_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
		     struct scatterlist *sg, u32 nents,
		     enum dma_data_direction dir)
{
	rdma_rw_ctx_destroy(ctx, qp, port, sg, nents, dir);
	fake_cm.mapped--;
}

void fake_dev_iwarp(struct fake_dev *dev)
{
	dev->ib.port_data[1].immutable.core_cap_flags =
		RDMA_CORE_CAP_PROT_IWARP;
}

/* ---- the device ------------------------------------------------------------ */

struct fake_dev *fake_dev_create(void)
{
	struct fake_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return NULL;
	/* Ports count from one. */
	dev->ib.port_data = kcalloc(2, sizeof(*dev->ib.port_data), GFP_KERNEL);
	if (!dev->ib.port_data) {
		kfree(dev);
		return NULL;
	}
	spin_lock_init(&dev->lock);
	dev->ib.ops.driver_id = RDMA_DRIVER_RXE;
	dev->ib.ops.post_send = fake_post_send;
	dev->ib.ops.post_recv = fake_post_recv;
	dev->ib.ops.post_srq_recv = fake_post_srq_recv;
	dev->ib.ops.poll_cq = fake_poll_cq;
	dev->ib.ops.req_notify_cq = fake_req_notify_cq;
	dev->ib.ops.map_mr_sg = fake_fill_mr;
	dev->ib.attrs.max_cqe = 16384;
	dev->ib.attrs.device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
#ifdef CONFIG_CGROUP_RDMA
	dev->ib.cg_device.name = "fake";
	rdmacg_register_device(&dev->ib.cg_device);
#endif
	return dev;
}

void fake_dev_destroy(struct fake_dev *dev)
{
#ifdef CONFIG_CGROUP_RDMA
	rdmacg_unregister_device(&dev->ib.cg_device);
#endif
	kfree(dev->ib.port_data);
	kfree(dev);
}

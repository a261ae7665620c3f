// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A device that the tests play. */

#include <linux/cgroup_rdma.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "fake_verbs.h"

struct fake_mr {
	struct ib_mr ib;
	u64 addr, length;
};

#define FAKE_MRS	16

static struct fake_mr *mrs[FAKE_MRS];	/* by lkey */

/* ---- completion queues ------------------------------------------------- */

static struct fake_cq *to_fake_cq(struct ib_cq *cq)
{
	return container_of(cq, struct fake_cq, ib);
}

struct ib_cq *fake_create_cq(struct ib_device *dev, ib_comp_handler handler,
			     void *context, const struct ib_cq_init_attr *attr)
{
	struct fake_cq *cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	u32 size = roundup_pow_of_two(attr->cqe);

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

static int fake_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc)
{
	struct fake_dev *dev = to_fake_dev(ibcq->device);
	struct fake_cq *cq = to_fake_cq(ibcq);
	unsigned long flags;
	int i;

	spin_lock_irqsave(&dev->lock, flags);
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
	call = cq->armed && cq->tail != cq->head;
	if (call)
		cq->armed = false;
	spin_unlock_irqrestore(&dev->lock, flags);
	if (call)
		ibcq->comp_handler(ibcq, ibcq->cq_context);
	local_bh_enable();
}

/* ---- queue pairs ------------------------------------------------------- */

struct ib_qp *fake_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr)
{
	struct fake_qp *qp = kvzalloc(sizeof(*qp), GFP_KERNEL);

	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp->ib.device = pd->device;
	qp->ib.pd = pd;
	qp->ib.send_cq = attr->send_cq;
	qp->ib.recv_cq = attr->recv_cq;
	qp->state = IB_QPS_RESET;
	to_fake_dev(pd->device)->qps++;
	return &qp->ib;
}

static u32 wr_bytes(const struct fake_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sge[i].length;
	return bytes;
}

/* Caller holds the device's lock. */
static u32 complete_locked(struct fake_qp *qp, struct fake_queue *queue, u32 n,
			   enum ib_wc_status status)
{
	struct fake_cq *cq = to_fake_cq(qp->ib.send_cq);
	u32 i;

	for (i = 0; i < n && queue->tail != queue->head; i++) {
		struct fake_wr *wr = fake_wr(queue, queue->tail++);

		if (WARN_ON(cq->head - cq->tail >= cq->ib.cqe))
			break;
		cq->wc[cq->head++ & (cq->ib.cqe - 1)] = (struct ib_wc) {
			.wr_id = wr->wr_id,
			.status = status,
			.opcode = queue == &qp->rq ? IB_WC_RECV : IB_WC_SEND,
			.byte_len = wr_bytes(wr),
		};
	}
	return i;
}

static u32 fake_finish(struct fake_qp *qp, struct fake_queue *queue, u32 n,
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
	fake_notify(qp->ib.send_cq);
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

u32 fake_complete(struct fake_qp *qp, struct fake_queue *queue, u32 n,
		  enum ib_wc_status status)
{
	unsigned long end = jiffies + 20 * HZ;

	n = fake_report(qp, queue, n, status);
	while (!fake_settled(qp->ib.send_cq) && time_before(jiffies, end))
		usleep_range(50, 100);
	WARN_ON(!fake_settled(qp->ib.send_cq));
	return n;
}

static void flush(struct fake_qp *qp)
{
	fake_report(qp, &qp->sq, FAKE_QUEUE, IB_WC_WR_FLUSH_ERR);
	fake_report(qp, &qp->rq, FAKE_QUEUE, IB_WC_WR_FLUSH_ERR);
}

int fake_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask)
{
	struct fake_qp *qp = to_fake_qp(ibqp);

	if (!(mask & IB_QP_STATE))
		return -EINVAL;
	WRITE_ONCE(qp->state, attr->qp_state);
	if (attr->qp_state == IB_QPS_ERR)
		flush(qp);
	return 0;
}

/*
 * Like siw: what was never completed is flushed into the completion queue, and
 * will be found there when the module looks the next time.
 */
int fake_destroy_qp(struct ib_qp *ibqp)
{
	struct fake_qp *qp = to_fake_qp(ibqp);

	fake_finish(qp, &qp->sq, FAKE_QUEUE, IB_WC_WR_FLUSH_ERR);
	fake_finish(qp, &qp->rq, FAKE_QUEUE, IB_WC_WR_FLUSH_ERR);
	to_fake_dev(ibqp->device)->qps--;
	kvfree(qp);
	return 0;
}

/* ---- posting ----------------------------------------------------------- */

static void check_sge(struct fake_dev *dev, const struct ib_sge *sge)
{
	u32 n = sge->lkey - FAKE_LKEY;
	struct fake_mr *mr = n < FAKE_MRS ? mrs[n] : NULL;

	/* A segment of nothing reaches nothing. */
	if (!sge->length)
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

/* Caller holds the device's lock. NULL when the queue is full. */
static struct fake_wr *enqueue(struct fake_qp *qp, struct fake_queue *queue,
			       u64 wr_id, const struct ib_sge *sge, int num_sge)
{
	struct fake_wr *wr;
	int i;

	if (WARN_ON(queue->head - queue->tail >= FAKE_QUEUE ||
		    num_sge > KDAPL_SEGS_MAX))
		return NULL;
	wr = fake_wr(queue, queue->head++);
	memset(wr, 0, sizeof(*wr));
	wr->wr_id = wr_id;
	wr->num_sge = num_sge;
	for (i = 0; i < num_sge; i++) {
		wr->sge[i] = sge[i];
		check_sge(to_fake_dev(qp->ib.device), &sge[i]);
	}
	return wr;
}

static int fake_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	struct fake_dev *dev = to_fake_dev(ibqp->device);
	struct fake_qp *qp = to_fake_qp(ibqp);
	struct fake_wr *kept = NULL;
	unsigned long flags;
	bool fails;
	int err = 0;

	spin_lock_irqsave(&dev->lock, flags);
	qp->calls++;
	for (; wr; wr = wr->next) {
		fails = post_fails(qp);
		if (!fails || qp->post_keeps)
			kept = enqueue(qp, &qp->sq, wr->wr_id, wr->sg_list,
				       wr->num_sge);
		if (fails || !kept) {
			*bad = wr;
			err = post_result(qp);
			break;
		}
		kept->opcode = wr->opcode;
		kept->send_flags = wr->send_flags;
		kept->remote_addr = rdma_wr(wr)->remote_addr;
		kept->rkey = rdma_wr(wr)->rkey;
	}
	spin_unlock_irqrestore(&dev->lock, flags);
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		flush(qp);
	return err;
}

static int fake_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad)
{
	struct fake_dev *dev = to_fake_dev(ibqp->device);
	struct fake_qp *qp = to_fake_qp(ibqp);
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&dev->lock, flags);
	qp->calls++;
	for (; wr; wr = wr->next) {
		if (post_fails(qp) || !enqueue(qp, &qp->rq, wr->wr_id,
					       wr->sg_list, wr->num_sge)) {
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

/* ---- domains, memory, the device --------------------------------------- */

struct ib_pd *fake_alloc_pd(struct ib_device *dev)
{
	struct ib_pd *pd = kzalloc(sizeof(*pd), GFP_KERNEL);

	if (!pd)
		return ERR_PTR(-ENOMEM);
	pd->device = dev;
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

	if (to_fake_dev(pd->device)->registering)
		to_fake_dev(pd->device)->registering(addr, length);
	while (n < FAKE_MRS && mrs[n])
		n++;
	if (n == FAKE_MRS)
		return ERR_PTR(-ENOSPC);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->ib.device = pd->device;
	mr->ib.lkey = FAKE_LKEY + n;
	mr->ib.rkey = FAKE_LKEY + n;
	mr->addr = addr;
	mr->length = length;
	mrs[n] = mr;
	to_fake_dev(pd->device)->mrs++;
	return &mr->ib;
}

int fake_dereg_mr(struct ib_mr *ibmr)
{
	struct fake_mr *mr = container_of(ibmr, struct fake_mr, ib);

	mrs[ibmr->lkey - FAKE_LKEY] = NULL;
	to_fake_dev(ibmr->device)->mrs--;
	kfree(mr);
	return 0;
}

struct fake_dev *fake_dev_create(void)
{
	struct fake_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return NULL;
	spin_lock_init(&dev->lock);
	dev->ib.ops.driver_id = RDMA_DRIVER_RXE;
	dev->ib.ops.post_send = fake_post_send;
	dev->ib.ops.post_recv = fake_post_recv;
	dev->ib.ops.poll_cq = fake_poll_cq;
	dev->ib.ops.req_notify_cq = fake_req_notify_cq;
	dev->ib.attrs.max_cqe = 16384;
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
	kfree(dev);
}

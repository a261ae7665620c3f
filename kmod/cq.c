// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completion queues of the device.
 *
 * Drivers call the completion handler with locks of their own held, so the
 * handler only raises a softirq (irq_poll), as ib_core's own queues do. The
 * softirq's budget keeps a flood of completions from starving the processor.
 *
 * A driver that works in process context (rxe since 6.9) would have its softirq
 * run by ksoftirqd, some time after its worker lets go of the processor, and by
 * then have used up receives whose successors stand in the ring. An interrupt to
 * this processor runs it at once instead.
 */

#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "account.h"
#include "cq.h"
#include "ep.h"
#include "ia.h"

#define CQ_ENTRIES	4096
#define CQ_BUDGET	64

static void cq_handler(struct ib_cq *ibcq, void *context)
{
	struct kdapl_cq *cq = context;

	if (in_interrupt())
		irq_poll_sched(&cq->iop);
	else
		irq_work_queue(&cq->raise);
}

static void cq_raise(struct irq_work *raise)
{
	irq_poll_sched(&container_of(raise, struct kdapl_cq, raise)->iop);
}

/* Entries are reserved, so only a broken device gets here. */
static void cq_event(struct ib_event *event, void *context)
{
	struct kdapl_cq *cq = context;

	pr_warn_ratelimited("%s: completion queue error %d\n", cq->ia->name,
			    event->event);
}

static int cq_take(struct kdapl_cq *cq, int budget)
{
	int done = 0;
	int n, i;

	do {
		n = ib_poll_cq(cq->ibcq,
			       min_t(int, budget - done, ARRAY_SIZE(cq->wc)),
			       cq->wc);
		for (i = 0; i < n; i++)
			kdapl_ep_complete(&cq->wc[i]);
		if (n > 0)
			done += n;
	} while (n > 0 && done < budget);

	return done;
}

static int cq_poll(struct irq_poll *iop, int budget)
{
	struct kdapl_cq *cq = container_of(iop, struct kdapl_cq, iop);
	int done = cq_take(cq, budget);

	/* hw_recv was lowered, requests finished: look into the ring again. */
	if (done)
		kdapl_sq_kick(&cq->ia->sq);

	if (done < budget) {
		irq_poll_complete(iop);
		if (ib_req_notify_cq(cq->ibcq, IB_CQ_NEXT_COMP |
				     IB_CQ_REPORT_MISSED_EVENTS) > 0)
			irq_poll_sched(iop);
	}
	return done;
}

static struct kdapl_cq *cq_create(struct kdapl_ia *ia, u32 entries)
{
	struct ib_cq_init_attr attr = {
		.cqe = min_t(u32, max_t(u32, entries, CQ_ENTRIES),
			     ia->dev->attrs.max_cqe),
	};
	struct kdapl_cq *cq;
	int ret;

	if (entries > attr.cqe)
		return ERR_PTR(-ENOSPC);

	cq = kzalloc(sizeof(*cq), GFP_KERNEL_ACCOUNT);
	if (!cq)
		return ERR_PTR(-ENOMEM);
	cq->ia = ia;
	cq->size = attr.cqe;
	irq_poll_init(&cq->iop, CQ_BUDGET, cq_poll);
	init_irq_work(&cq->raise, cq_raise);
	ret = kdapl_cgroup_charge(ia->dev, &cq->cg, RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		goto err_free;
	cq->ibcq = ib_create_cq(ia->dev, cq_handler, cq_event, cq, &attr);
	if (IS_ERR(cq->ibcq)) {
		ret = PTR_ERR(cq->ibcq);
		goto err_uncharge;
	}
	ib_req_notify_cq(cq->ibcq, IB_CQ_NEXT_COMP);
	return cq;

err_uncharge:
	kdapl_cgroup_uncharge(ia->dev, &cq->cg, RDMACG_RESOURCE_HCA_OBJECT);
err_free:
	kfree(cq);
	return ERR_PTR(ret);
}

static void cq_destroy(struct kdapl_cq *cq)
{
	irq_poll_disable(&cq->iop);
	/* A softirq that has given up the poll may still arm the queue. */
	synchronize_rcu();
	ib_destroy_cq(cq->ibcq);
	irq_work_sync(&cq->raise);
	kdapl_cgroup_uncharge(cq->ia->dev, &cq->cg, RDMACG_RESOURCE_HCA_OBJECT);
	kfree(cq);
}

struct kdapl_cq *kdapl_cq_reserve(struct kdapl_ia *ia, u32 entries)
{
	struct kdapl_cq *cq;

	mutex_lock(&ia->cq_lock);
	list_for_each_entry(cq, &ia->cqs, list) {
		if (cq->size - cq->used >= entries)
			goto found;
	}
	cq = cq_create(ia, entries);
	if (IS_ERR(cq))
		goto out;
	list_add(&cq->list, &ia->cqs);
found:
	cq->used += entries;
out:
	mutex_unlock(&ia->cq_lock);
	return cq;
}

void kdapl_cq_unreserve(struct kdapl_cq *cq, u32 entries)
{
	struct kdapl_ia *ia = cq->ia;

	mutex_lock(&ia->cq_lock);
	cq->used -= entries;
	if (!cq->used) {
		list_del(&cq->list);
		cq_destroy(cq);
	}
	mutex_unlock(&ia->cq_lock);
}

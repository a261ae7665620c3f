// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completion queues of the device.
 *
 * Drivers call the completion handler with locks of their own held, so the
 * handler only raises a softirq (irq_poll), as ib_core's own queues do. The
 * softirq's budget keeps a flood of completions from starving the processor.
 * One that calls it from a softirq of its own, without a lock, has them taken there
 * (rxe of 6.1). Those of an EVD that has a work are taken by that work (evd_work.c).
 *
 * A driver that works in process context (rxe since 6.9) would have its softirq
 * run by ksoftirqd, some time after its worker lets go of the processor, and by
 * then have used up receives whose successors stand in the ring. An interrupt to
 * this processor runs it at once instead.
 *
 * All that is later than a look into the queue would be: a driver tells when it
 * is through with the packet (rxe), an interrupt has to arrive. So a program that
 * looks for an event all the time may do it here, in the call that it makes for
 * its doorbell anyway; and so does a doorbell for a large request, without waiting.
 */

#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "account.h"
#include "compat.h"
#include "cq.h"
#include "ep.h"
#include "ia.h"

#define CQ_ENTRIES	4096
#define CQ_BUDGET	64
#define CQ_BUSY_MAX_US	1000
#define CQ_BUSY_QUEUES	8
#define CQ_BUSY_ROUNDS	8		/* between two looks at the clock */
#define CQ_PATIENCE	(HZ / 100)	/* of who waits for completions */
#define CQ_TARDY	64		/* doorbells of large requests between two tries */

static unsigned int busy_poll_us = 200;
module_param(busy_poll_us, uint, 0644);
MODULE_PARM_DESC(busy_poll_us,
		 "microseconds that a post may poll for a program that polls, 1000 at most, 0 for never (200)");

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

/* A consumer is told whether others are behind its event: those are queued, and so is it. */
static __always_inline bool comes_alone(const struct kdapl_cq *cq, int i, int n)
{
	const struct kdapl_evd *evd;

	if (i + 1 == n)
		return true;
	evd = kdapl_wc_evd(&cq->wc[i]);
	while (++i < n)
		if (kdapl_wc_evd(&cq->wc[i]) == evd)
			return false;
	return true;
}

/* Behind the EP's lock, in the order of the completions. */
static __always_inline void hand_over(struct kdapl_handover *over)
{
	struct kdapl_evd *evd = over->evd;

	over->evd = NULL;
	over->take(evd, &over->event);
}

/*
 * Who polls does this all the time, so completions are not on the stack: kernels are
 * built to clear what is. @over: cq->over where a consumer may be called, else NULL.
 */
static __always_inline int cq_take(struct kdapl_cq *cq, int budget,
				   struct kdapl_handover *over)
{
	int done = 0;
	int most, n, i;

	spin_lock_bh(&cq->order);
	do {
		most = min_t(int, budget - done, ARRAY_SIZE(cq->wc));
		n = ib_poll_cq(cq->ibcq, most, cq->wc);
		for (i = 0; i < n; i++) {
			kdapl_ep_complete(&cq->wc[i],
					  over && comes_alone(cq, i, n) ?
					  over : NULL);
			if (over && over->evd)
				hand_over(over);
		}
		if (n > 0)
			done += n;
	} while (n == most && done < budget);
	spin_unlock_bh(&cq->order);

	return done;
}

u32 kdapl_cq_drain(struct kdapl_cq *cq)
{
	u32 done = 0;
	int n;

	/* There cannot be more than it has room for. */
	do {
		n = cq_take(cq, CQ_BUDGET, NULL);
		done += n;
		cond_resched();
	} while (n == CQ_BUDGET && done < cq->size);
	if (done)
		kdapl_sq_kick(&cq->ia->sq);
	return done;
}

/*
 * The handler was called for one of them, whoever takes its completion. The queue
 * is armed already, so the next one calls again; and who took this one meanwhile
 * has posted it when the lock is free.
 */
static void cq_tell_solicited(struct kdapl_cq *cq)
{
	spin_lock_bh(&cq->order);
	spin_unlock_bh(&cq->order);
	kdapl_evd_notify(cq->solicited);
}

static int cq_work(struct kdapl_cq *cq, int budget, struct kdapl_handover *over)
{
	int done = cq_take(cq, budget, over);

	/* hw_recv was lowered, requests finished: look into the ring again. */
	if (done)
		kdapl_sq_kick(&cq->ia->sq);
	return done;
}

/*
 * Return: there is more. irdma arms for all completions where it shall also say whether
 * some were missed; so for solicited ones we look ourselves.
 */
static bool cq_arm(struct kdapl_cq *cq, struct kdapl_handover *over)
{
	enum ib_cq_notify_flags arm = READ_ONCE(cq->arm);

	if (arm != IB_CQ_SOLICITED)
		return ib_req_notify_cq(cq->ibcq, arm |
					IB_CQ_REPORT_MISSED_EVENTS) > 0;
	ib_req_notify_cq(cq->ibcq, arm);
	return cq_work(cq, CQ_BUDGET, over) == CQ_BUDGET;
}

static int cq_poll(struct irq_poll *iop, int budget)
{
	struct kdapl_cq *cq = container_of(iop, struct kdapl_cq, iop);
	struct kdapl_handover *over = cq->ia->kernel ? &cq->over : NULL;
	int done = cq_work(cq, budget, over);

	if (done < budget) {
		irq_poll_complete(iop);
		if (cq_arm(cq, over))
			irq_poll_sched(iop);
	}
	if (cq->solicited)
		cq_tell_solicited(cq);
	return done;
}

/*
 * In a tasklet of the device's, with nobody's lock: another softirq for the same would
 * only cost. Who has the queue already, or destroys it, is left to it: cq_destroy()
 * waits for who did not see that.
 */
static void cq_take_now(struct kdapl_cq *cq)
{
	struct kdapl_handover *over = cq->ia->kernel ? &cq->over : NULL;

	if (test_bit(IRQ_POLL_F_SCHED, &cq->iop.state))
		return;
	if (cq_work(cq, CQ_BUDGET, over) == CQ_BUDGET || cq_arm(cq, over))
		irq_poll_sched(&cq->iop);
	if (cq->solicited)
		cq_tell_solicited(cq);
}

static void cq_handler(struct ib_cq *ibcq, void *context)
{
	struct kdapl_cq *cq = context;

	/* Pairs with cq_busy_end(): the completion is there to be seen. */
	smp_mb();
	if (READ_ONCE(cq->busy))
		return;
	if (cq->evd && kdapl_evd_call(cq->evd))
		return;
	if (cq->told_by_tasklet)
		cq_take_now(cq);
	else if (in_interrupt())
		irq_poll_sched(&cq->iop);
	else
		irq_work_queue(&cq->raise);
}

void kdapl_cq_feeds(const struct kdapl_cq *cq, struct kdapl_evd *evd)
{
	if (evd)
		WRITE_ONCE(evd->feeder, cq);
}

/*
 * Those that are polled are the first ones of the IA. A few only, since nobody else gets
 * the processor meanwhile; the handlers of the rest go on as ever. Who polls holds the
 * cq_lock.
 */
static void cq_busy_begin(struct kdapl_ia *ia)
{
	struct kdapl_cq *cq;
	unsigned int n = 0;

	list_for_each_entry(cq, &ia->cqs, list) {
		if (n++ == CQ_BUSY_QUEUES)
			break;
		WRITE_ONCE(cq->busy, true);
	}
}

/* Once through the queues. Return: the completions found. */
static int cq_busy_round(struct kdapl_ia *ia)
{
	struct kdapl_cq *cq;
	int done = 0;

	list_for_each_entry(cq, &ia->cqs, list) {
		if (!cq->busy || need_resched())
			break;
		done += cq_take(cq, CQ_BUDGET, NULL);
	}
	if (done)
		kdapl_sq_kick(&ia->sq);
	return done;
}

/*
 * Until @evd has events beyond @tail: 0. What ends it before that is the time, which
 * says something about the program, or somebody who wants the processor.
 */
static int cq_busy_loop(struct kdapl_ia *ia, struct kdapl_evd *evd, u32 tail)
{
	u64 us = min_t(u64, READ_ONCE(busy_poll_us), CQ_BUSY_MAX_US);
	u64 until = 0, now;
	unsigned int n;

	/* Under its lock: it may have been freed, and its ring with it. */
	if (kdapl_evd_count(evd))
		return 0;
	for (n = 1;; n++) {
		cq_busy_round(ia);
		if (READ_ONCE(evd->tail) != tail)
			return 0;
		if (need_resched() || signal_pending(current))
			return -EAGAIN;
		if (n % CQ_BUSY_ROUNDS == 1) {
			/* Begun behind the first round: what comes at once needs no clock. */
			now = ktime_get_ns();
			until = until ?: now + us * NSEC_PER_USEC;
			if (now >= until)
				return -ETIME;
		}
		cpu_relax();
	}
}

static void cq_busy_end(struct kdapl_ia *ia)
{
	struct kdapl_cq *cq;

	list_for_each_entry(cq, &ia->cqs, list) {
		if (!cq->busy)
			break;
		WRITE_ONCE(cq->busy, false);
		/* Pairs with cq_handler(): what it did not care for is seen. */
		smp_mb();
		if (ib_req_notify_cq(cq->ibcq, IB_CQ_NEXT_COMP |
				     IB_CQ_REPORT_MISSED_EVENTS) > 0)
			irq_work_queue(&cq->raise);
	}
}

/* The queue that feeds @evd becomes the first one. */
static void cq_busy_prefer(struct kdapl_ia *ia, const struct kdapl_evd *evd)
{
	const struct kdapl_cq *feeder = READ_ONCE(evd->feeder);
	struct kdapl_cq *cq;

	list_for_each_entry(cq, &ia->cqs, list) {
		if (cq != feeder)
			continue;
		if (!list_is_first(&cq->list, &ia->cqs))
			list_move(&cq->list, &ia->cqs);
		break;
	}
}

/*
 * Others of this IA wait for completions, too. Meanwhile they come from here alone, so
 * nobody may take this processor away. What is posted may complete at once: that is for
 * the loop, too. All that can wait comes behind the post: the peer waits for that.
 */
static int cq_busy_poll(struct kdapl_ia *ia, struct kdapl_evd *evd)
{
	/* Before the count, so that no event comes in between. */
	u32 tail = READ_ONCE(evd->tail);
	int ret;

	cq_busy_prefer(ia, evd);
	cq_busy_begin(ia);
	kdapl_sq_doorbell_atomic(&ia->sq);
	ret = cq_busy_loop(ia, evd, tail);
	cq_busy_end(ia);
	return ret;
}

/* False when there is no such EVD, and nothing was done. Caller holds the cq_lock. */
static bool cq_busy_try(struct kdapl_ia *ia, u32 id, int *ret)
{
	struct kdapl_obj *obj;
	bool found;

	/* An RCU read section, too: the EVD may be freed, but stays. */
	preempt_disable();
	obj = kdapl_obj_peek_hint(&ia->objs, id, &ia->polled);
	found = obj && obj->ops->type == KDAPL_OBJ_EVD;
	if (found)
		*ret = cq_busy_poll(ia, to_evd(obj));
	preempt_enable();
	return found;
}

/* A doorbell, and whether there is an event. */
static int cq_ring_only(struct kdapl_ia *ia, u32 id)
{
	struct kdapl_obj *evd;
	int ret;

	kdapl_sq_doorbell(&ia->sq);
	evd = kdapl_obj_get(ia, id, KDAPL_OBJ_EVD);
	if (!evd)
		return -ENOENT;
	ret = kdapl_evd_count(to_evd(evd)) ? 0 : -EAGAIN;
	kdapl_obj_put(evd);
	return ret;
}

/* False where nobody shall poll. Real time: the locks of a completion sleep there. */
static bool cq_busy_lock(struct kdapl_ia *ia)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RT) && READ_ONCE(busy_poll_us) &&
	       mutex_trylock(&ia->cq_lock);
}

int kdapl_cq_busy_poll(struct kdapl_ia *ia, u32 id)
{
	bool polled;
	int ret;

	if (!cq_busy_lock(ia))
		return cq_ring_only(ia, id);
	polled = cq_busy_try(ia, id, &ret);
	mutex_unlock(&ia->cq_lock);
	return polled ? ret : cq_ring_only(ia, id);
}

/*
 * After a large request the next one is likely to be one, too. Several threads may count
 * at once, and count wrong: the next try comes a bit later or sooner, then.
 */
static bool cq_shall_look(struct kdapl_ia *ia)
{
	u32 tardy = READ_ONCE(ia->tardy);

	if (!READ_ONCE(ia->sq.large) || !kdapl_sq_has_few(&ia->sq))
		return false;
	if (tardy)
		WRITE_ONCE(ia->tardy, tardy - 1);
	return !tardy;
}

/*
 * As in cq_busy_poll(), but there is nothing to wait for. A device is tardy that has
 * got a large request and completed nothing, whatever it was. Who is wanted elsewhere has
 * not looked.
 */
static void cq_doorbell_and_round(struct kdapl_ia *ia)
{
	u32 large = READ_ONCE(ia->sq.large);

	preempt_disable();
	cq_busy_begin(ia);
	kdapl_sq_doorbell_atomic(&ia->sq);
	if (!cq_busy_round(ia) && !need_resched() &&
	    READ_ONCE(ia->sq.large) > large)
		WRITE_ONCE(ia->tardy, CQ_TARDY);
	cq_busy_end(ia);
	preempt_enable();
}

/*
 * A soft device that works where softirqs come on has copied a large request by the end
 * of its doorbell. Then the completion is taken here. Else a softirq would follow those
 * of the device; and where a tick came meanwhile the kernel leaves them to ksoftirqd.
 */
void kdapl_cq_doorbell(struct kdapl_ia *ia)
{
	if (!cq_shall_look(ia) || !cq_busy_lock(ia)) {
		kdapl_sq_doorbell(&ia->sq);
		return;
	}
	cq_doorbell_and_round(ia);
	mutex_unlock(&ia->cq_lock);
}

static struct kdapl_cq *cq_create(struct kdapl_ia *ia, u32 entries,
				  u32 wanted)
{
	struct ib_cq_init_attr attr = {
		.cqe = min_t(u32, max(entries, wanted),
			     ia->dev->attrs.max_cqe),
	};
	struct kdapl_cq *cq;
	int ret;

	if (entries > attr.cqe)
		return ERR_PTR(-ENOSPC);

	cq = kzalloc(sizeof(*cq), kdapl_ia_gfp(ia));
	if (!cq)
		return ERR_PTR(-ENOMEM);
	cq->ia = ia;
	cq->size = attr.cqe;
	spin_lock_init(&cq->order);
	irq_poll_init(&cq->iop, CQ_BUDGET, cq_poll);
	init_irq_work(&cq->raise, cq_raise);
	cq->told_by_tasklet = KDAPL_RXE_TELLS_BY_TASKLET &&
			      ia->dev->ops.driver_id == RDMA_DRIVER_RXE;
	ret = kdapl_ia_charge(ia, &cq->cg, RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		goto err_free;
	cq->ibcq = ib_create_cq(ia->dev, cq_handler, cq_event, cq, &attr);
	if (IS_ERR(cq->ibcq)) {
		ret = PTR_ERR(cq->ibcq);
		goto err_uncharge;
	}
	cq->arm = IB_CQ_NEXT_COMP;
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
	/*
	 * A softirq that has given up the poll may still arm the queue, a handler have
	 * begun before, and a consumer's work look into it. Expedited: a program may have
	 * thousands of queues, and who removes the device waits.
	 */
	synchronize_rcu_expedited();
	ib_destroy_cq(cq->ibcq);
	irq_work_sync(&cq->raise);
	kdapl_cgroup_uncharge(cq->ia->dev, &cq->cg, RDMACG_RESOURCE_HCA_OBJECT);
	kfree(cq);
}

static struct lock_class_key work_order;

struct kdapl_cq *kdapl_cq_reserve(struct kdapl_ia *ia, struct kdapl_evd *evd,
				  u32 entries)
{
	struct list_head *cqs = evd ? &evd->cqs : &ia->cqs;
	struct kdapl_cq *cq;

	mutex_lock(&ia->cq_lock);
	list_for_each_entry(cq, cqs, list) {
		if (cq->size - cq->used >= entries)
			goto found;
	}
	cq = cq_create(ia, entries, evd ? 0 : CQ_ENTRIES);
	if (IS_ERR(cq))
		goto out;
	cq->evd = evd;
	if (evd) {
		/* An upcall under the lock of another queue may dequeue from @evd. */
		lockdep_set_class(&cq->order, &work_order);
		list_add(&cq->work_list, &ia->work_cqs);
	}
	ib_req_notify_cq(cq->ibcq, cq->arm);
	list_add_rcu(&cq->list, cqs);
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
		list_del_rcu(&cq->list);
		if (cq->evd)
			list_del(&cq->work_list);
		cq_destroy(cq);
	}
	mutex_unlock(&ia->cq_lock);
}

bool kdapl_cq_fetch(struct kdapl_evd *evd)
{
	struct kdapl_cq *cq;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu(cq, &evd->cqs, list) {
		/* While it has any it is not armed. */
		if (cq_work(cq, CQ_BUDGET, NULL) ||
		    ib_req_notify_cq(cq->ibcq, IB_CQ_NEXT_COMP |
				     IB_CQ_REPORT_MISSED_EVENTS) > 0)
			found = true;
	}
	rcu_read_unlock();
	return found;
}

long kdapl_cq_patience(struct kdapl_ia *ia)
{
	return list_empty_careful(&ia->work_cqs) ? MAX_SCHEDULE_TIMEOUT :
						   CQ_PATIENCE;
}

void kdapl_cq_attend(struct kdapl_ia *ia)
{
	struct kdapl_cq *cq;

	mutex_lock(&ia->cq_lock);
	list_for_each_entry(cq, &ia->work_cqs, work_list)
		kdapl_cq_drain(cq);
	mutex_unlock(&ia->cq_lock);
}

struct kdapl_cq *kdapl_cq_solicited(struct kdapl_evd *evd, u32 entries)
{
	struct kdapl_ia *ia = evd->obj.ia;
	struct kdapl_cq *cq;

	cq = cq_create(ia, entries, 0);
	if (IS_ERR(cq))
		return cq;
	cq->used = entries;
	cq->solicited = evd;
	/* siw knows nothing of them: there every receive is one. */
	cq->arm = ia->dev->ops.driver_id == RDMA_DRIVER_SIW ?
		  IB_CQ_NEXT_COMP : IB_CQ_SOLICITED;
	ib_req_notify_cq(cq->ibcq, cq->arm);
	mutex_lock(&ia->cq_lock);
	list_add(&cq->list, &evd->solicited);
	mutex_unlock(&ia->cq_lock);
	return cq;
}

void kdapl_cq_hear_all(struct kdapl_cq *cq)
{
	WRITE_ONCE(cq->arm, IB_CQ_NEXT_COMP);
	ib_req_notify_cq(cq->ibcq, IB_CQ_NEXT_COMP);
	/* Those that came before and called nobody, or whose call is on its way. */
	kdapl_cq_drain(cq);
	kdapl_evd_notify(cq->solicited);
}

void kdapl_cq_ask(struct kdapl_evd *evd)
{
	struct kdapl_ia *ia = evd->obj.ia;
	struct kdapl_cq *cq;

	if (READ_ONCE(evd->notify) != KDAPL_NOTIFY_SOLICITED)
		return;
	mutex_lock(&ia->cq_lock);
	list_for_each_entry(cq, &evd->solicited, list)
		kdapl_cq_drain(cq);
	mutex_unlock(&ia->cq_lock);
}

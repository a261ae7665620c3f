// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The submission ring of an IA.
 *
 * Whoever drains holds sq->lock. A softirq that finds it taken leaves "again"
 * behind and goes: the holder looks at it after it unlocked, so no entry is
 * left behind. Process context waits for the lock instead, because what comes
 * after the drain (a disconnect, a free) must find the posts taken.
 *
 * When may the module stop looking? NEED_WAKEUP says so. It stays clear while
 * the program has so many requests under way that it does not wait for any one
 * of them: on the device, where a completion will come by and look into the
 * ring, or completed and not even read yet. A timer covers the case that no
 * completion comes. Setting the flag, a full barrier and one more look at the
 * tail close the gap to a program that stored its tail and then read the flag.
 *
 * Who answers a message posts its receive again and then sends. That receive is put
 * off: its entry leaves the ring, and is posted when the request behind it has gone.
 * Only a drain does that, because it comes back for it; but whoever has the lock
 * meanwhile posts what is late before anything else.
 *
 * The program owns the ring's memory: the tail is only used as a difference to
 * our own head, and one that the ring cannot hold counts as none; an entry is
 * copied once and only the copy is looked at.
 */

#include <linux/delay.h>
#include <linux/log2.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "ep.h"
#include "ia.h"
#include "sq.h"
#include "srq.h"

#define SQ_BUDGET	64		/* entries per look of a softirq */
#define SQ_ROUNDS	16		/* looks per softirq; a worker goes on */
#define SQ_TIMER_NS	(50 * NSEC_PER_USEC)
/*
 * Requests under way from which on a doorbell can be spared. With fewer, a
 * post would often wait for the timer, which costs more than the call.
 */
#define SQ_BUSY		8
/*
 * Drains for which unread completions do not count, after the program was found
 * to wait for a single post although it had left as many unread.
 */
#define SQ_UNREAD_OFF	256
/* How often that has to be found, with no batch in between, before it is believed. */
#define SQ_LONE		2
/* Bytes of a request from which on a call for it costs next to nothing. */
#define SQ_LARGE	4096
/* So many receives are left in the ring, of all its EPs; of one the library lets 16 wait. */
#define SQ_LEFT		32
/* Large requests that somebody may be kept waiting for. */
#define SQ_FEW		4
/* Receives that are put off at a time. */
#define SQ_LATE		4

struct sq_counters {
	u64 posts;
	u64 doorbells;
};

static DEFINE_PER_CPU(struct sq_counters, sq_counters);

static unsigned int sq_pause_us;
module_param(sq_pause_us, uint, 0600);
MODULE_PARM_DESC(sq_pause_us,
		 "for tests: microseconds to stop before NEED_WAKEUP is set");

/*
 * Caller holds sq->lock. A tail that jumped or went back is no work: up to
 * 2^32 entries would have to be thrown away before it made sense again.
 */
static u32 sq_pending(struct kdapl_sq *sq)
{
	/* (B) pairs with (A): the entries are there before the tail. */
	u32 n = smp_load_acquire(&sq->ring->tail) - sq->head;

	return n <= sq->mask + 1 ? n : 0;
}

/* An atomic operation has its operands in those behind its one. */
static unsigned int sq_segs(const struct kdapl_sqe *sqe)
{
	return op_is_atomic(sqe->op) ? KDAPL_ATOMIC_SEGS :
				min_t(unsigned int, sqe->num_seg, KDAPL_SEGS_MAX);
}

/*
 * The one copy of an entry. The program may rewrite it meanwhile, so each word
 * is read once and never again.
 */
static __always_inline void sq_copy(struct kdapl_sqe *to,
				    const struct kdapl_sqe *from)
{
	const u64 *src = (const u64 *)from;
	u64 *dst = (u64 *)to;
	unsigned int i, words;

	BUILD_BUG_ON(offsetof(struct kdapl_sqe, seg) % sizeof(u64));
	BUILD_BUG_ON(sizeof(struct kdapl_seg) % sizeof(u64));

	for (i = 0; i < offsetof(struct kdapl_sqe, seg) / sizeof(u64); i++)
		dst[i] = READ_ONCE(src[i]);
	words = i + sq_segs(to) * (sizeof(struct kdapl_seg) / sizeof(u64));
	for (; i < words; i++)
		dst[i] = READ_ONCE(src[i]);
}

/* The entry that is next is in the chain's copy; false when there is none. */
static __always_inline bool sq_load(struct kdapl_sq *sq)
{
	if (sq->loaded)
		return true;
	if (sq->late_due) {
		sq_copy(&sq->chain->sqe,
			&sq->late[sq->num_late - sq->late_due]);
	} else {
		if (sq->stopped || !sq_pending(sq))
			return false;
		sq_copy(&sq->chain->sqe, &sq->entries[sq->head & sq->mask]);
	}
	sq->loaded = true;
	return true;
}

static __always_inline void sq_advance(struct kdapl_sq *sq)
{
	struct kdapl_sq_status *status = sq->status.addr;

	sq->loaded = false;
	if (sq->late_due) {
		sq->late_due--;
		return;
	}
	/* (C) pairs with (D): the copy is over, the slot is the program's. */
	smp_store_release(&status->head, ++sq->head);
}

static bool chain_ends_large(const struct kdapl_chain *chain)
{
	const struct ib_send_wr *last;
	u64 bytes = 0;
	int i;

	if (!chain->len)
		return false;
	last = &chain->send[chain->len - 1].wr;
	for (i = 0; i < last->num_sge; i++)
		bytes += last->sg_list[i].length;
	return bytes >= SQ_LARGE;
}

static void sq_count_unread(struct kdapl_sq *sq, const struct kdapl_ep *ep,
			    bool large)
{
	u32 unread = 0;

	if (sq->unread_off)
		sq->unread_off--;
	else if (ep->request_evd && !large)
		unread = kdapl_evd_unread(ep->request_evd);
	WRITE_ONCE(sq->unread, unread);
}

/* Consecutive entries of one EP and one direction go out in one call. Softirqs are off. */
static unsigned int sq_run_ep(struct kdapl_sq *sq, struct kdapl_ep *ep,
			      unsigned int budget)
{
	struct kdapl_chain *chain = sq->chain;
	u32 id = chain->sqe.ep;
	bool recv = is_recv(&chain->sqe);
	unsigned int taken = 0;
	bool large;

	chain->len = 0;
	spin_lock(&ep->lock);
	do {
		kdapl_ep_take(ep, chain);
		sq_advance(sq);
		taken++;
	} while (taken < budget && chain->len < KDAPL_SQ_CHAIN && sq_load(sq) &&
		 chain->sqe.ep == id && is_recv(&chain->sqe) == recv);
	large = !recv && chain_ends_large(chain);
	kdapl_ep_flush_chain(ep, chain, recv);
	if (!recv) {
		sq_count_unread(sq, ep, large);
		WRITE_ONCE(sq->large, large ? sq->large + 1 : 0);
	}
	spin_unlock(&ep->lock);

	return taken;
}

/* Consecutive entries of one SRQ. */
static unsigned int sq_run_srq(struct kdapl_sq *sq, struct kdapl_srq *srq,
			       unsigned int budget)
{
	struct kdapl_chain *chain = sq->chain;
	u32 id = chain->sqe.ep;
	unsigned int taken = 0;

	do {
		kdapl_srq_take(srq, &chain->sqe);
		sq_advance(sq);
		taken++;
	} while (taken < budget && sq_load(sq) && chain->sqe.ep == id);
	kdapl_srq_post(srq);
	return taken;
}

/* What the entry that is loaded names; NULL for what takes no entries. */
static __always_inline struct kdapl_obj *sq_target(struct kdapl_sq *sq)
{
	struct kdapl_obj *obj;

	obj = kdapl_obj_peek_hint(&sq->ia->objs, sq->chain->sqe.ep, &sq->hint);
	if (!obj || (obj->ops->type != KDAPL_OBJ_EP &&
		     obj->ops->type != KDAPL_OBJ_SRQ))
		return NULL;
	return obj;
}

/* Entries of what the one at the head names. */
static unsigned int sq_run_obj(struct kdapl_sq *sq, unsigned int budget)
{
	struct kdapl_obj *obj = sq_target(sq);

	if (!obj) {
		/* It names nothing of this program: nothing happens. */
		sq_advance(sq);
		WRITE_ONCE(sq->unread, 0);
		return 1;
	}
	return obj->ops->type == KDAPL_OBJ_EP ?
	       sq_run_ep(sq, to_ep(obj), budget) :
	       sq_run_srq(sq, to_srq(obj), budget);
}

/*
 * A receive with something behind it, of an EP that has plenty with the device: nobody
 * waits for it, but perhaps for what is behind it. Receives after a late one are late as
 * well, so that they keep their order.
 */
static bool sq_is_late(struct kdapl_sq *sq)
{
	u32 pending = sq_pending(sq);
	struct kdapl_obj *obj;

	if (sq->num_late)
		return sq->num_late < SQ_LATE;
	if (pending < 2 || pending > SQ_LATE)
		return false;
	obj = sq_target(sq);
	return obj && obj->ops->type == KDAPL_OBJ_EP &&
	       READ_ONCE(to_ep(obj)->rq.hw) >= KDAPL_SQ_PLENTY;
}

/* The slot is free; the copy is all that is looked at. */
static void sq_put_off(struct kdapl_sq *sq)
{
	sq_copy(&sq->late[sq->num_late], &sq->chain->sqe);
	sq_advance(sq);
	WRITE_ONCE(sq->num_late, sq->num_late + 1);
}

/* They were counted when the head passed them. */
static void sq_run_late(struct kdapl_sq *sq)
{
	if (!sq->num_late)
		return;
	/* The entry at the head is copied anew: the first copy decided nothing yet. */
	sq->loaded = false;
	sq->late_due = sq->stopped ? 0 : sq->num_late;
	while (sq->late_due) {
		sq_load(sq);
		sq_run_obj(sq, sq->late_due);
	}
	WRITE_ONCE(sq->num_late, 0);
}

/* What is loaded, and perhaps more of its kind. */
static unsigned int sq_run_next(struct kdapl_sq *sq, unsigned int budget,
				bool puts_off)
{
	if (!is_recv(&sq->chain->sqe))
		return sq_run_obj(sq, budget);
	if (puts_off && sq_is_late(sq)) {
		sq_put_off(sq);
		return 1;
	}
	if (!sq->num_late)
		return sq_run_obj(sq, budget);
	sq_run_late(sq);
	return 0;
}

/*
 * Take up to @budget entries, after those that are late. @puts_off: the caller will be
 * back for what is late then. Caller holds sq->lock, with softirqs off: as long as that
 * lasts what is found by its id stays.
 */
static unsigned int sq_run(struct kdapl_sq *sq, unsigned int budget,
			   bool puts_off)
{
	unsigned int taken = 0;

	if (READ_ONCE(sq->recvs_low))
		/* Pairs with kdapl_sq_recvs_left(): who sets it later will look. */
		smp_store_mb(sq->recvs_low, false);
	sq_run_late(sq);
	while (taken < budget && sq_load(sq))
		taken += sq_run_next(sq, budget - taken, puts_off);

	if (taken >= SQ_BUSY)
		sq->lone = 0;
	this_cpu_add(sq_counters.posts, taken);
	return taken;
}

static void sq_need_wakeup(struct kdapl_sq *sq, bool on)
{
	struct kdapl_sq_status *status = sq->status.addr;

	if (sq->need_wakeup == on)
		return;
	sq->need_wakeup = on;
	WRITE_ONCE(status->flags, on ? KDAPL_SQ_NEED_WAKEUP : 0);
}

/*
 * Tests stop the module here, where a post that finds the flag still clear
 * would be lost if the tail were not looked at again.
 */
static void sq_pause(void)
{
	unsigned int us = READ_ONCE(sq_pause_us);

	if (unlikely(us))
		udelay(min(us, 1000U));
}

static bool sq_busy(struct kdapl_sq *sq)
{
	return atomic_read(&sq->inflight) >= SQ_BUSY ||
	       READ_ONCE(sq->unread) >= SQ_BUSY;
}

/*
 * The ring was found empty. True when it is safe to go: somebody will look
 * again, or the program will ring. Caller holds sq->lock.
 */
static bool sq_settle(struct kdapl_sq *sq, bool idle)
{
	if (sq->stopped)
		return true;

	if (sq_busy(sq) && !idle) {
		sq_need_wakeup(sq, false);
		/* Put off where it runs: the ring has just been looked into. */
		hrtimer_start(&sq->timer, ns_to_ktime(SQ_TIMER_NS),
			      HRTIMER_MODE_REL_SOFT);
		return true;
	}

	WRITE_ONCE(sq->unread, 0);
	if (sq->need_wakeup)
		return !sq_pending(sq);
	sq_pause();
	sq_need_wakeup(sq, true);
	/* Pairs with the program's barrier between its tail and the flag. */
	smp_mb();
	return !sq_pending(sq);
}

/*
 * The timer has found so many entries. A single one with nothing much in flight:
 * the program waits for what came late, and leaves its completions unread for
 * some other reason. Or it is about to post the next one: that shows in batches.
 */
static void sq_learn(struct kdapl_sq *sq, unsigned int found)
{
	if (found > 1)
		sq->lone = 0;
	if (found != 1 || atomic_read(&sq->inflight) >= SQ_BUSY ||
	    ++sq->lone < SQ_LONE)
		return;
	sq->lone = 0;
	sq->unread_off = SQ_UNREAD_OFF;
	WRITE_ONCE(sq->unread, 0);
}

/*
 * @timer: it is some time since anybody looked. Where nothing came meanwhile, stop
 * looking even though requests are under way. Caller holds sq->lock.
 */
static void sq_look(struct kdapl_sq *sq, bool timer)
{
	unsigned int taken = sq_run(sq, SQ_BUDGET, false);

	/* While a program is in its call all that says nothing of it. */
	timer = timer && !sq->drains;
	if (timer)
		sq_learn(sq, taken);
	/* Under the lock, so that kdapl_sq_stop() sees it. */
	if (taken == SQ_BUDGET || !sq_settle(sq, timer && !taken))
		queue_work(kdapl_workqueue, &sq->work);
}

/* Softirq. */
static void sq_try(struct kdapl_sq *sq, bool timer)
{
	unsigned int rounds = 0;

	WRITE_ONCE(sq->again, true);
	do {
		/* The holder reads "again" after its unlock: see below. */
		smp_mb();
		if (!spin_trylock_bh(&sq->lock))
			return;
		WRITE_ONCE(sq->again, false);
		/* Not before: who sets it from now on is seen below. */
		smp_mb();
		sq_look(sq, timer);
		/* Other processors could keep this one here. */
		if (++rounds == SQ_ROUNDS && !sq->stopped)
			queue_work(kdapl_workqueue, &sq->work);
		spin_unlock_bh(&sq->lock);
		/* Pairs with the barrier of whoever finds the lock taken. */
		smp_mb();
	} while (rounds < SQ_ROUNDS && READ_ONCE(sq->again));
}

/*
 * Nothing is there for who comes by. While NEED_WAKEUP is set requests ring, so what
 * stands in the ring are receives. As long as the device has plenty, a few of them are
 * left to the program's own processor, in its next call; the library rings when an EP
 * has many that wait.
 */
static bool sq_can_wait(struct kdapl_sq *sq)
{
	u32 waiting;

	if (READ_ONCE(sq->num_late) ||
	    READ_ONCE(sq->need_wakeup) == sq_busy(sq))
		return false;
	waiting = READ_ONCE(sq->ring->tail) - READ_ONCE(sq->head);
	return !waiting || (waiting <= SQ_LEFT && READ_ONCE(sq->need_wakeup) &&
			    !READ_ONCE(sq->recvs_low));
}

void kdapl_sq_kick(struct kdapl_sq *sq)
{
	if (!sq->ring)
		return;
	/* hw_recv was lowered before: the program may have read the old one. */
	smp_mb();
	if (sq_can_wait(sq))
		return;
	sq_try(sq, false);
}

/*
 * One round of a drain, with softirqs off. Who found the lock taken meanwhile counts on
 * us, so nobody may keep us from looking for it.
 */
static unsigned int sq_drain_some(struct kdapl_sq *sq, u32 *left, bool first)
{
	bool settled = true;
	unsigned int taken;

	spin_lock(&sq->lock);
	*left = min(*left, sq_pending(sq));
	taken = sq_run(sq, min_t(u32, *left, SQ_BUDGET), first);
	*left -= taken;
	sq->drains += first - !taken;
	if (!taken)
		settled = sq_settle(sq, false);
	spin_unlock(&sq->lock);
	/* Pairs with the barrier in sq_try(), where the lock was taken. */
	smp_mb();
	if (!settled || READ_ONCE(sq->again))
		sq_try(sq, false);
	return taken;
}

/*
 * The ring is settled in a round of its own, when what was posted has run: a soft
 * device works where softirqs come on. The timer counts the program's time from then
 * on. Before that an empty ring says nothing of a program that is still here.
 */
void kdapl_sq_drain(struct kdapl_sq *sq)
{
	unsigned int taken;
	bool first = true;
	u32 left = U32_MAX;

	if (!sq->ring)
		return;
	do {
		local_bh_disable();
		taken = sq_drain_some(sq, &left, first);
		local_bh_enable();
		first = false;
		cond_resched();
	} while (taken);
}

void kdapl_sq_doorbell(struct kdapl_sq *sq)
{
	this_cpu_inc(sq_counters.doorbells);
	kdapl_sq_drain(sq);
}

void kdapl_sq_doorbell_atomic(struct kdapl_sq *sq)
{
	this_cpu_inc(sq_counters.doorbells);
	if (!sq->ring)
		return;
	spin_lock_bh(&sq->lock);
	sq->drains++;
	sq_run(sq, SQ_BUDGET, true);
	spin_unlock_bh(&sq->lock);
	/* As in a drain: softirqs came on, what was posted has run. */
	spin_lock_bh(&sq->lock);
	sq->drains--;
	sq_look(sq, false);
	spin_unlock_bh(&sq->lock);
	/* As in a drain: who found the lock taken counts on us. */
	smp_mb();
	if (READ_ONCE(sq->again))
		sq_try(sq, false);
}

bool kdapl_sq_has_few(const struct kdapl_sq *sq)
{
	u32 tail = READ_ONCE(sq->ring->tail);

	/* What was taken meanwhile makes that many. */
	return tail - READ_ONCE(sq->head) <= SQ_FEW;
}

static void sq_work(struct work_struct *work)
{
	kdapl_sq_drain(container_of(work, struct kdapl_sq, work));
}

static enum hrtimer_restart sq_timer(struct hrtimer *timer)
{
	sq_try(container_of(timer, struct kdapl_sq, timer), true);
	return HRTIMER_NORESTART;
}

void kdapl_sq_sync(struct kdapl_sq *sq)
{
	if (!sq->ring)
		return;
	spin_lock_bh(&sq->lock);
	spin_unlock_bh(&sq->lock);
	/* As in kdapl_sq_drain(): who found the lock taken counts on us. */
	smp_mb();
	if (READ_ONCE(sq->again))
		sq_try(sq, false);
}

void kdapl_sq_stop(struct kdapl_sq *sq)
{
	if (!sq->ring)
		return;
	spin_lock_bh(&sq->lock);
	sq->stopped = true;
	spin_unlock_bh(&sq->lock);
	hrtimer_cancel(&sq->timer);
	cancel_work_sync(&sq->work);
}

static int sq_alloc_memory(struct kdapl_sq *sq, u32 entries)
{
	size_t size = KDAPL_SQ_ENTRIES_OFFSET +
		      (size_t)entries * sizeof(struct kdapl_sqe);
	int ret;

	sq->chain = kzalloc(sizeof(*sq->chain), GFP_KERNEL_ACCOUNT);
	if (!sq->chain)
		return -ENOMEM;
	sq->late = kcalloc(SQ_LATE, sizeof(*sq->late), GFP_KERNEL_ACCOUNT);
	if (!sq->late)
		return -ENOMEM;
	ret = kdapl_region_create(&sq->ia->regions, size, true, &sq->region);
	if (ret)
		return ret;
	sq->ring = sq->region->addr;
	sq->entries = sq->region->addr + KDAPL_SQ_ENTRIES_OFFSET;
	return kdapl_slot_alloc(&sq->ia->regions, false, &sq->status);
}

int kdapl_sq_init(struct kdapl_sq *sq, struct kdapl_ia *ia, u32 entries)
{
	int ret;

	if (!entries)
		entries = KDAPL_SQ_DEFAULT;
	if (entries > KDAPL_SQ_MAX)
		return -ENOSPC;
	entries = roundup_pow_of_two(entries);

	sq->ia = ia;
	sq->mask = entries - 1;
	spin_lock_init(&sq->lock);
	atomic_set(&sq->inflight, 0);
	hrtimer_init(&sq->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	sq->timer.function = sq_timer;
	INIT_WORK(&sq->work, sq_work);

	ret = sq_alloc_memory(sq, entries);
	if (ret) {
		kdapl_sq_destroy(sq);
		return ret;
	}
	sq_need_wakeup(sq, true);
	return 0;
}

/* After kdapl_sq_stop(), or where nothing was posted. A second time there is nothing left. */
void kdapl_sq_destroy(struct kdapl_sq *sq)
{
	if (sq->status.addr)
		kdapl_slot_free(&sq->ia->regions, &sq->status);
	if (sq->region)
		kdapl_region_free(&sq->ia->regions, sq->region);
	kfree(sq->late);
	kfree(sq->chain);
	sq->region = NULL;
	sq->late = NULL;
	sq->chain = NULL;
}

void kdapl_sq_counters(u64 *posts, u64 *doorbells)
{
	int cpu;

	*posts = 0;
	*doorbells = 0;
	for_each_possible_cpu(cpu) {
		*posts += per_cpu(sq_counters, cpu).posts;
		*doorbells += per_cpu(sq_counters, cpu).doorbells;
	}
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receives of an SRQ that the device forgot.
 *
 * rxe takes a receive out of the SRQ with the first packet of a message. Where the
 * connection ends before the last one it never completes it: who connects and ends in
 * the midst of a message, again and again, would use up the SRQ of all others.
 *
 * Nobody tells which queue pair has which receive. But each takes them in their
 * order and completes them so: one that has completed a later one does not have an
 * earlier one, nor does one that began when a later one was completed already. What no
 * queue pair can have comes back to the program with the next end of an EP, as
 * flushed. An idle EP leaves that open, for it may be in the midst of a message.
 */

#include "ia.h"
#include "srq.h"

void kdapl_srq_posted(struct kdapl_srq *srq, struct kdapl_srq_work *slot)
{
	lockdep_assert_held(&srq->lock);
	slot->seq = ++srq->seq;
	list_move_tail(&slot->list, &srq->posted);
}

void kdapl_srq_completed(struct kdapl_srq *srq, struct kdapl_srq_work *slot)
{
	struct kdapl_srq_work *earlier, *next;

	if (!srq->forgets)
		return;
	spin_lock_bh(&srq->lock);
	list_for_each_entry_safe(earlier, next, &srq->posted, list) {
		if (earlier->seq >= slot->seq)
			break;
		list_move_tail(&earlier->list, &srq->passed);
	}
	srq->passed_seq = max(srq->passed_seq, slot->seq);
	spin_unlock_bh(&srq->lock);
}

void kdapl_srq_begin(struct kdapl_ep *ep)
{
	struct kdapl_srq *srq = ep->srq;

	if (!srq)
		return;
	spin_lock_bh(&srq->lock);
	WRITE_ONCE(ep->srq_seen, srq->passed_seq);
	spin_unlock_bh(&srq->lock);
}

static bool may_have(const struct kdapl_ep *ep, u64 seq)
{
	return ep && READ_ONCE(ep->srq_seen) < seq;
}

/*
 * Up to which no queue pair has one, or 0 where one has the @first that was passed. One
 * that begins meanwhile takes only later ones than had been completed before. A program
 * can have many EPs, and all of them end: who held the first one is asked first.
 */
static u64 lost_up_to(struct kdapl_srq *srq, u64 first)
{
	struct kdapl_ep *ep;
	unsigned int bucket;
	u64 seq;

	lockdep_assert_held(&srq->mutex);
	if (may_have(srq->holder, first))
		return 0;
	spin_lock_bh(&srq->lock);
	seq = srq->passed_seq;
	spin_unlock_bh(&srq->lock);
	hash_for_each(srq->eps, bucket, ep, srq_node) {
		if (may_have(ep, first)) {
			srq->holder = ep;
			return 0;
		}
		seq = min(seq, READ_ONCE(ep->srq_seen));
	}
	srq->holder = NULL;
	return seq;
}

static struct kdapl_srq_work *next_lost(struct kdapl_srq *srq, u64 seq)
{
	struct kdapl_srq_work *slot;

	spin_lock_bh(&srq->lock);
	slot = list_first_entry_or_null(&srq->passed, struct kdapl_srq_work,
					list);
	spin_unlock_bh(&srq->lock);
	return slot && slot->seq <= seq ? slot : NULL;
}

void kdapl_srq_reclaim(struct kdapl_srq *srq, struct kdapl_ep *ep)
{
	const struct ib_wc lost = { .status = IB_WC_WR_FLUSH_ERR };
	struct kdapl_srq_work *slot;
	bool any = false;
	u64 seq;

	if (!srq->forgets)
		return;
	mutex_lock(&srq->mutex);
	slot = next_lost(srq, U64_MAX);
	seq = slot ? lost_up_to(srq, slot->seq) : 0;
	while ((slot = next_lost(srq, seq))) {
		kdapl_srq_taken(srq, slot);
		kdapl_ep_took(ep, &slot->work, &lost);
		any = true;
	}
	mutex_unlock(&srq->mutex);
	/* hw_recv was lowered, as by completions, and perhaps none comes any more. */
	if (any)
		kdapl_sq_kick(&srq->obj.ia->sq);
}

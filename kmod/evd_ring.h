/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the EVD share: evd.c, evd_ring.c and evd_wait.c. The caller of
 * all of it holds the EVD's lock, or is alone with an EVD that is new or dead. Where the
 * lock is let go softirqs are off by local_bh_disable(), or this is one of them.
 *
 * The last function takes the lock itself: comp.c queues the event of each completion by
 * it.
 */
#ifndef KDAPL_EVD_RING_H
#define KDAPL_EVD_RING_H

#include <linux/indirect_call_wrapper.h>

#include "evd.h"

/* Events in the ring, as far as the program tells. */
static inline u32 kdapl_evd_in_ring(struct kdapl_evd *evd)
{
	struct kdapl_ev_head *head = evd->head.addr;
	/* (H) pairs with (G): the program's copy of the slot is over. */
	u32 used = evd->tail - smp_load_acquire(&head->head);

	return min(used, evd->entries_mask + 1);
}

/* Set a flag of the ring, KDAPL_EV_*, or take it away. */
void kdapl_evd_set_flag(struct kdapl_evd *evd, u32 flag, bool on);

/* From now on its events go to @region, a ring of @qlen. */
void kdapl_evd_use(struct kdapl_evd *evd, struct kdapl_region *region, u32 qlen);

/*
 * Move what waits into the ring, as far as there is room. The lock is let go
 * meanwhile, and the EVD may be dead on return.
 */
void kdapl_evd_refill(struct kdapl_evd *evd);

/*
 * Release all that waits, of an EVD that is dead, but for connection requests, which are
 * put into @requests. The lock is let go meanwhile.
 */
void kdapl_evd_drop_backlog(struct kdapl_evd *evd, struct list_head *requests);

/*
 * An event came. A wake-up nobody waits for is not issued; who waits for more of
 * them keeps the CNO from being triggered, too.
 */
void kdapl_evd_wake_up(struct kdapl_evd *evd);
static inline void kdapl_evd_wake(struct kdapl_evd *evd, bool quiet)
{
	if (evd->dead || (quiet && evd->notify != KDAPL_NOTIFY_THRESHOLD))
		return;
	if (evd->hooks || evd->wait_threshold || evd->cno)
		kdapl_evd_wake_up(evd);
}

/* Records went that told (@told) of what came before, too: that may still be there. */
void kdapl_evd_keep_told(struct kdapl_evd *evd, bool told);

static inline void kdapl_evd_release(struct kdapl_evrec *rec)
{
	if (rec && rec->release)
		INDIRECT_CALL_1(rec->release, kdapl_work_release, rec);
}

#define KDAPL_NOTIFIED_AGE	0x40000000

/* An old notification must not become a future one when the indices go round. */
static inline void kdapl_evd_age_notified(struct kdapl_evd *evd)
{
	if ((s32)(evd->tail - evd->notified) > KDAPL_NOTIFIED_AGE)
		evd->notified = evd->tail - KDAPL_NOTIFIED_AGE;
}

/*
 * Events without a type only give their record back, in order. The record goes
 * back before the event is announced: what a program posts when it sees the
 * event must find the slot free.
 */
static __always_inline void kdapl_evd_store(struct kdapl_evd *evd,
					    const struct kdapl_event *event,
					    struct kdapl_evrec *rec)
{
	/* The event may be part of the record, which goes. */
	bool announce = kdapl_event_tells(event);
	bool quiet = rec && rec->quiet;

	if (announce)
		evd->entries[evd->tail & evd->entries_mask] = *event;
	kdapl_evd_release(rec);
	if (announce) {
		/* (E) pairs with (F): the event is there before it is announced. */
		smp_store_release(&evd->ring->tail, ++evd->tail);
		if (!quiet)
			evd->notified = evd->tail;
		else
			kdapl_evd_age_notified(evd);
	}
}

static inline bool kdapl_evd_has_room(struct kdapl_evd *evd)
{
	return kdapl_evd_in_ring(evd) <= evd->entries_mask;
}

/*
 * The EVD is dead, or something waits already, or there is no room. Of one that is not
 * dead @rec is not NULL.
 */
void kdapl_evd_post_slowly(struct kdapl_evd *evd, const struct kdapl_event *event,
			   struct kdapl_evrec *rec);

/*
 * The consumer takes the event itself, as soon as the caller has let go of its locks. What
 * is queued comes first.
 */
static __always_inline bool
kdapl_evd_claims(struct kdapl_evd *evd, const struct kdapl_event *event,
		 struct kdapl_evrec *rec, struct kdapl_handover *over)
{
	if (!over || over->evd || !READ_ONCE(evd->direct) || !evd->hooks ||
	    kdapl_evd_in_ring(evd) || !evd->hooks->claim(evd))
		return false;
	over->evd = evd;
	over->take = evd->hooks->take;
	over->event = *event;
	kdapl_evd_release(rec);
	return true;
}

/*
 * kdapl_evd_post() for who has softirqs off, as a part of the caller. @over: where an
 * event may go that is not queued; the caller hands it over then. NULL for nowhere.
 */
static __always_inline void
kdapl_evd_post_softirq(struct kdapl_evd *evd, const struct kdapl_event *event,
		       struct kdapl_evrec *rec, struct kdapl_handover *over)
{
	/* The event may be part of the record, which goes. */
	bool event_came = kdapl_event_tells(event);
	bool quiet = rec && rec->quiet;

	if (!evd) {
		kdapl_evd_release(rec);
		return;
	}

	spin_lock(&evd->lock);
	if (likely(!evd->dead && list_empty(&evd->backlog) &&
		   (!event_came || kdapl_evd_has_room(evd)))) {
		if (event_came && !quiet &&
		    kdapl_evd_claims(evd, event, rec, over))
			goto out;
		kdapl_evd_store(evd, event, rec);
	} else {
		kdapl_evd_post_slowly(evd, event, rec);
	}
	if (event_came)
		kdapl_evd_wake(evd, quiet);
out:
	spin_unlock(&evd->lock);
}

#endif /* KDAPL_EVD_RING_H */

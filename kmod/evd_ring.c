// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * EVD: its ring, and the backlog of what finds no room there.
 *
 * The program may write anything into its head word. The module only ever
 * takes the difference to its own tail from it; a difference that cannot be
 * counts as a full ring, which harms nobody but that program.
 */

#include <linux/indirect_call_wrapper.h>

#include "evd_ring.h"

#define NOTIFIED_AGE	0x40000000
#define EVD_BATCH	256	/* records that are handled under one hold of the lock */

u32 kdapl_evd_in_ring(struct kdapl_evd *evd)
{
	struct kdapl_ev_head *head = evd->head.addr;
	/* (H) pairs with (G): the program's copy of the slot is over. */
	u32 used = evd->tail - smp_load_acquire(&head->head);

	return min(used, evd->entries_mask + 1);
}

u32 kdapl_evd_queued(struct kdapl_evd *evd)
{
	return kdapl_evd_in_ring(evd) + evd->backlog_len;
}

static void evd_release(struct kdapl_evrec *rec)
{
	if (rec && rec->release)
		INDIRECT_CALL_1(rec->release, kdapl_work_release, rec);
}

/* An old notification must not become a future one when the indices go round. */
static void evd_age_notified(struct kdapl_evd *evd)
{
	if ((s32)(evd->tail - evd->notified) > NOTIFIED_AGE)
		evd->notified = evd->tail - NOTIFIED_AGE;
}

/*
 * Events without a type only give their record back, in order. The record goes
 * back before the event is announced: what a program posts when it sees the
 * event must find the slot free.
 */
static __always_inline void evd_store(struct kdapl_evd *evd,
				      const struct kdapl_event *event,
				      struct kdapl_evrec *rec)
{
	/* The event may be part of the record, which goes. */
	bool announce = kdapl_event_tells(event);
	bool quiet = rec && rec->quiet;

	if (announce)
		evd->entries[evd->tail & evd->entries_mask] = *event;
	evd_release(rec);
	if (announce) {
		/* (E) pairs with (F): the event is there before it is announced. */
		smp_store_release(&evd->ring->tail, ++evd->tail);
		if (!quiet)
			evd->notified = evd->tail;
		else
			evd_age_notified(evd);
	}
}

static bool evd_has_room(struct kdapl_evd *evd)
{
	return kdapl_evd_in_ring(evd) <= evd->entries_mask;
}

void kdapl_evd_set_flag(struct kdapl_evd *evd, u32 flag, bool on)
{
	u32 flags = evd->flags_shown;

	flags = on ? flags | flag : flags & ~flag;
	if (flags == evd->flags_shown)
		return;
	evd->flags_shown = flags;
	WRITE_ONCE(evd->ring->flags, flags);
}

static bool is_loud(const struct kdapl_evrec *rec)
{
	return kdapl_event_tells(&rec->event) && !rec->quiet;
}

/* A record begins or ceases to wait for room. */
static void evd_count(struct kdapl_evd *evd, const struct kdapl_evrec *rec,
		      int n)
{
	if (kdapl_event_tells(&rec->event))
		evd->backlog_len += n;
	if (is_loud(rec))
		evd->backlog_loud += n;
}

/* One of those that waited waits no more. Its place is the caller's. */
static void evd_leaves_backlog(struct kdapl_evd *evd, struct kdapl_evrec *rec)
{
	list_del_init(&rec->list);
	evd_count(evd, rec, -1);
	if (rec == evd->backlog_last)
		evd->backlog_last = NULL;
}

/*
 * There may be as many records as a program's EPs have slots: other threads have their
 * turn every now and then, and softirqs unless this is one.
 */
static void evd_pause(struct kdapl_evd *evd, unsigned int n)
	__must_hold(&evd->lock)
{
	if (n % EVD_BATCH)
		return;
	spin_unlock(&evd->lock);
	if (!in_serving_softirq()) {
		local_bh_enable();
		local_bh_disable();
	}
	spin_lock(&evd->lock);
}

void kdapl_evd_refill(struct kdapl_evd *evd)
{
	struct kdapl_evrec *rec;
	unsigned int n = 0;

	while (!evd->dead && !list_empty(&evd->backlog)) {
		rec = list_first_entry(&evd->backlog, struct kdapl_evrec, list);
		if (kdapl_event_tells(&rec->event) && !evd_has_room(evd))
			break;
		evd_leaves_backlog(evd, rec);
		evd_store(evd, &rec->event, rec);
		evd_pause(evd, ++n);
	}
	if (!evd->dead)
		kdapl_evd_set_flag(evd, KDAPL_EV_BACKLOG, !list_empty(&evd->backlog));
}

void kdapl_evd_post_softirq(struct kdapl_evd *evd,
			    const struct kdapl_event *event,
			    struct kdapl_evrec *rec)
{
	/* The event may be part of the record, which goes. */
	bool event_came = kdapl_event_tells(event);
	bool quiet = rec && rec->quiet;

	if (!evd) {
		evd_release(rec);
		return;
	}

	spin_lock(&evd->lock);
	if (evd->dead) {
		evd_release(rec);
	} else if (list_empty(&evd->backlog) &&
		   (!event_came || evd_has_room(evd))) {
		evd_store(evd, event, rec);
	} else {
		rec->event = *event;
		rec->told = false;
		list_add_tail(&rec->list, &evd->backlog);
		evd_count(evd, rec, 1);
		if (event_came)
			evd->backlog_last = rec;
		kdapl_evd_set_flag(evd, KDAPL_EV_BACKLOG, true);
	}
	if (event_came)
		kdapl_evd_wake(evd, quiet);
	spin_unlock(&evd->lock);
}

void kdapl_evd_post(struct kdapl_evd *evd, const struct kdapl_event *event,
		    struct kdapl_evrec *rec)
{
	local_bh_disable();
	kdapl_evd_post_softirq(evd, event, rec);
	local_bh_enable();
}

u32 kdapl_evd_take(struct kdapl_evd *evd, struct kdapl_event *event)
{
	struct kdapl_ev_head *head = evd->head.addr;
	u32 in_ring, there = 0;

	spin_lock(&evd->lock);
	/* Who took the last one may be about to move up what waits. */
	if (!list_empty(&evd->backlog))
		kdapl_evd_refill(evd);
	in_ring = evd->dead ? 0 : kdapl_evd_in_ring(evd);
	if (in_ring) {
		*event = evd->entries[(evd->tail - in_ring) &
				      evd->entries_mask];
		/* As a program does it: (G) pairs with (H). */
		smp_store_release(&head->head, evd->tail - in_ring + 1);
		there = in_ring + evd->backlog_len;
		if (!list_empty(&evd->backlog))
			kdapl_evd_refill(evd);
	}
	spin_unlock(&evd->lock);
	return there;
}

int kdapl_evd_post_se(struct kdapl_evd *evd, u64 cookie)
{
	const struct kdapl_event event = {
		.type = DAT_SOFTWARE_EVENT,
		.cookie = cookie,
	};
	int ret = 0;

	if (!(evd->flags & DAT_EVD_SOFTWARE_FLAG))
		return -EINVAL;
	spin_lock_bh(&evd->lock);
	kdapl_evd_refill(evd);
	if (evd->dead) {
		ret = -ENOENT;
	} else if (list_empty(&evd->backlog) && evd_has_room(evd)) {
		evd_store(evd, &event, NULL);
		kdapl_evd_wake(evd, false);
	} else {
		ret = -ENOBUFS;
	}
	spin_unlock_bh(&evd->lock);
	return ret;
}

void kdapl_evd_cancel(struct kdapl_evd *evd, struct kdapl_evrec *rec)
{
	if (!evd)
		return;
	spin_lock_bh(&evd->lock);
	if (!list_empty(&rec->list)) {
		evd_leaves_backlog(evd, rec);
		kdapl_evd_keep_told(evd, rec->told);
	}
	spin_unlock_bh(&evd->lock);
}

/*
 * As evd_pause(), in the midst of the backlog: a record without an event keeps the
 * place before @rec. Where it has left with those before it, all that is there comes
 * behind.
 */
static struct kdapl_evrec *evd_pause_before(struct kdapl_evd *evd,
					    struct kdapl_evrec *rec,
					    unsigned int n)
{
	struct kdapl_evrec mark = {};

	if (n % EVD_BATCH)
		return rec;
	list_add_tail(&mark.list, &rec->list);
	evd_pause(evd, n);
	if (list_empty(&mark.list))
		return list_first_entry(&evd->backlog, struct kdapl_evrec, list);
	rec = list_next_entry(&mark, list);
	list_del(&mark.list);
	return rec;
}

void kdapl_evd_cancel_all(struct kdapl_evd *evd,
			  bool (*match)(struct kdapl_evrec *rec, void *arg),
			  void *arg, struct list_head *list)
{
	struct kdapl_evrec *rec, *next;
	unsigned int n = 0;

	spin_lock_bh(&evd->lock);
	rec = list_first_entry(&evd->backlog, struct kdapl_evrec, list);
	while (!list_entry_is_head(rec, &evd->backlog, list)) {
		next = list_next_entry(rec, list);
		if (match(rec, arg)) {
			evd_leaves_backlog(evd, rec);
			list_add_tail(&rec->list, list);
			/* At once: a waiter may look in the next pause. */
			kdapl_evd_keep_told(evd, rec->told);
		}
		rec = evd_pause_before(evd, next, ++n);
	}
	spin_unlock_bh(&evd->lock);
}

void kdapl_evd_drop_backlog(struct kdapl_evd *evd)
{
	struct kdapl_evrec *rec;
	unsigned int n = 0;

	while (!list_empty(&evd->backlog)) {
		rec = list_first_entry(&evd->backlog, struct kdapl_evrec, list);
		evd_leaves_backlog(evd, rec);
		evd_release(rec);
		evd_pause(evd, ++n);
	}
}

void kdapl_evd_sync(struct kdapl_evd *evd)
{
	if (!evd)
		return;
	spin_lock_bh(&evd->lock);
	spin_unlock_bh(&evd->lock);
}

u32 kdapl_evd_count(struct kdapl_evd *evd)
{
	u32 count;

	spin_lock_bh(&evd->lock);
	count = evd->dead ? 0 : kdapl_evd_queued(evd);
	spin_unlock_bh(&evd->lock);
	return count;
}

u32 kdapl_evd_fill(struct kdapl_evd *evd)
{
	u32 count = 0;

	spin_lock_bh(&evd->lock);
	kdapl_evd_refill(evd);
	if (!evd->dead)
		count = kdapl_evd_queued(evd);
	spin_unlock_bh(&evd->lock);
	return count;
}

void kdapl_evd_use(struct kdapl_evd *evd, struct kdapl_region *region, u32 qlen)
{
	evd->region = region;
	evd->ring = region->addr;
	evd->entries = region->addr + KDAPL_EV_ENTRIES_OFFSET;
	evd->qlen = qlen;
	evd->entries_mask = qlen - 1;
}

int kdapl_evd_move(struct kdapl_evd *evd)
{
	struct kdapl_event *from = evd->entries;
	u32 from_mask = evd->entries_mask;
	struct kdapl_region *old;
	u32 i;

	lockdep_assert_held(&evd->lock);
	if (!evd->next)
		return -EBADFD;
	i = evd->tail - kdapl_evd_in_ring(evd);
	old = evd->region;
	kdapl_evd_use(evd, evd->next, evd->next_qlen);
	evd->next = old;
	for (; i != evd->tail; i++)
		evd->entries[i & evd->entries_mask] = from[i & from_mask];
	WRITE_ONCE(evd->ring->flags, evd->flags_shown);
	/* (E) pairs with (F): the moved events are there before they count. */
	smp_store_release(&evd->ring->tail, evd->tail);
	return 0;
}

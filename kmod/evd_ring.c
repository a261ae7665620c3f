// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * EVD: its ring, and the backlog of what finds no room there.
 *
 * The program may write anything into its head word. The module only ever
 * takes the difference to its own tail from it; a difference that cannot be
 * counts as a full ring, which harms nobody but that program.
 */

#include "evd_ring.h"

#define EVD_BATCH	256	/* records that are handled under one hold of the lock */

u32 kdapl_evd_queued(struct kdapl_evd *evd)
{
	return kdapl_evd_in_ring(evd) + evd->backlog_len;
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
		if (kdapl_event_tells(&rec->event) && !kdapl_evd_has_room(evd))
			break;
		evd_leaves_backlog(evd, rec);
		kdapl_evd_store(evd, &rec->event, rec);
		evd_pause(evd, ++n);
	}
	if (!evd->dead)
		kdapl_evd_set_flag(evd, KDAPL_EV_BACKLOG, !list_empty(&evd->backlog));
}

void kdapl_evd_post_slowly(struct kdapl_evd *evd, const struct kdapl_event *event,
			   struct kdapl_evrec *rec)
{
	bool event_came = kdapl_event_tells(event);

	if (evd->dead) {
		kdapl_evd_release(rec);
		return;
	}
	rec->event = *event;
	rec->told = false;
	list_add_tail(&rec->list, &evd->backlog);
	evd_count(evd, rec, 1);
	if (event_came)
		evd->backlog_last = rec;
	kdapl_evd_set_flag(evd, KDAPL_EV_BACKLOG, true);
}

void kdapl_evd_post(struct kdapl_evd *evd, const struct kdapl_event *event,
		    struct kdapl_evrec *rec)
{
	local_bh_disable();
	kdapl_evd_post_softirq(evd, event, rec, NULL);
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
	} else if (list_empty(&evd->backlog) && kdapl_evd_has_room(evd)) {
		kdapl_evd_store(evd, &event, NULL);
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
 * A pause in the midst of the backlog, in process context: a record without an event
 * keeps the place before @rec. Where it has left with those before it, all that is there
 * comes behind.
 */
static struct kdapl_evrec *evd_pause_before(struct kdapl_evd *evd,
					    struct kdapl_evrec *rec,
					    unsigned int n)
{
	struct kdapl_evrec mark = {};

	if (n % EVD_BATCH)
		return rec;
	list_add_tail(&mark.list, &rec->list);
	spin_unlock_bh(&evd->lock);
	cond_resched();
	spin_lock_bh(&evd->lock);
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

void kdapl_evd_drop_backlog(struct kdapl_evd *evd, struct list_head *requests)
{
	struct kdapl_evrec *rec;
	unsigned int n = 0;

	while (!list_empty(&evd->backlog)) {
		rec = list_first_entry(&evd->backlog, struct kdapl_evrec, list);
		evd_leaves_backlog(evd, rec);
		if (kdapl_event_is_request(&rec->event))
			list_add_tail(&rec->list, requests);
		else
			kdapl_evd_release(rec);
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

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * EVD: a queue of events with one producer (the module) and one consumer.
 *
 * The program may write anything into its head word. The module only ever
 * takes the difference to its own tail from it; a difference that cannot be
 * counts as a full ring, which harms nobody but that program.
 */

#include <linux/hrtimer.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "cno.h"
#include "evd.h"
#include "ia.h"

#define NOTIFIED_AGE	0x40000000
#define EVD_BATCH	256	/* records that are handled under one hold of the lock */

static u32 evd_in_ring(struct kdapl_evd *evd)
{
	struct kdapl_ev_head *head = evd->head.addr;
	/* (H) pairs with (G): the program's copy of the slot is over. */
	u32 used = evd->tail - smp_load_acquire(&head->head);

	return min(used, evd->entries_mask + 1);
}

u32 kdapl_evd_queued(struct kdapl_evd *evd)
{
	return evd_in_ring(evd) + evd->backlog_len;
}

static void evd_release(struct kdapl_evrec *rec)
{
	if (rec && rec->release)
		rec->release(rec);
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
static void evd_store(struct kdapl_evd *evd, const struct kdapl_event *event,
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
	return evd_in_ring(evd) <= evd->entries_mask;
}

static void evd_set_flag(struct kdapl_evd *evd, u32 flag, bool on)
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
 * There may be as many records as a program's EPs have slots: softirqs and other
 * threads have their turn every now and then.
 */
static void evd_pause(struct kdapl_evd *evd, unsigned int n)
	__must_hold(&evd->lock)
{
	if (n % EVD_BATCH)
		return;
	spin_unlock_bh(&evd->lock);
	spin_lock_bh(&evd->lock);
}

/*
 * Move what waits into the ring, as far as there is room. The lock is let go
 * meanwhile, and the EVD may be dead on return.
 */
static void evd_refill(struct kdapl_evd *evd)
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
		evd_set_flag(evd, KDAPL_EV_BACKLOG, !list_empty(&evd->backlog));
}

/* There is what a waiter waits for: enough events, or an unread notification. */
static bool evd_ready(struct kdapl_evd *evd)
{
	struct kdapl_ev_head *head = evd->head.addr;

	if (evd->notify == KDAPL_NOTIFY_THRESHOLD)
		return kdapl_evd_queued(evd) >= evd->wait_threshold;
	return evd->backlog_loud ||
	       (evd_in_ring(evd) &&
		(s32)(evd->notified - READ_ONCE(head->head)) > 0);
}

/* The latest event that waits, or NULL. It is only looked for after a cancellation. */
static struct kdapl_evrec *evd_last(struct kdapl_evd *evd)
{
	struct kdapl_evrec *rec;

	if (!evd->backlog_len || evd->backlog_last)
		return evd->backlog_last;
	list_for_each_entry_reverse(rec, &evd->backlog, list) {
		if (kdapl_event_tells(&rec->event))
			break;
	}
	evd->backlog_last = rec;
	return rec;
}

/* The latest event becomes a notification, if it was none. */
static void evd_make_loud(struct kdapl_evd *evd)
{
	struct kdapl_evrec *rec = evd_last(evd);

	if (!rec) {
		evd->notified = evd->tail;
		return;
	}
	evd->backlog_loud += rec->quiet;
	rec->quiet = false;
	rec->told = true;
}

/*
 * An event came. A wake-up nobody waits for is not issued; who waits for more of
 * them keeps the CNO from being triggered, too.
 */
static void evd_wake(struct kdapl_evd *evd, bool quiet)
{
	if (evd->dead || (quiet && evd->notify != KDAPL_NOTIFY_THRESHOLD))
		return;
	if (evd->arrived) {
		evd->arrived(evd);
	} else if (!evd->wait_threshold) {
		if (evd->cno && evd->enabled)
			kdapl_cno_trigger(evd->cno, evd->obj.user);
	} else if (evd_ready(evd)) {
		wake_up(&evd->wait);
	}
}

void kdapl_evd_post(struct kdapl_evd *evd, const struct kdapl_event *event,
		    struct kdapl_evrec *rec)
{
	/* The event may be part of the record, which goes. */
	bool event_came = kdapl_event_tells(event);
	bool quiet = rec && rec->quiet;

	if (!evd) {
		evd_release(rec);
		return;
	}

	spin_lock_bh(&evd->lock);
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
		evd_set_flag(evd, KDAPL_EV_BACKLOG, true);
	}
	if (event_came)
		evd_wake(evd, quiet);
	spin_unlock_bh(&evd->lock);
}

u32 kdapl_evd_take(struct kdapl_evd *evd, struct kdapl_event *event)
{
	struct kdapl_ev_head *head = evd->head.addr;
	u32 in_ring, there = 0;

	spin_lock_bh(&evd->lock);
	/* Who took the last one may be about to move up what waits. */
	if (!list_empty(&evd->backlog))
		evd_refill(evd);
	in_ring = evd->dead ? 0 : evd_in_ring(evd);
	if (in_ring) {
		*event = evd->entries[(evd->tail - in_ring) &
				      evd->entries_mask];
		/* As a program does it: (G) pairs with (H). */
		smp_store_release(&head->head, evd->tail - in_ring + 1);
		there = in_ring + evd->backlog_len;
		evd_refill(evd);
	}
	spin_unlock_bh(&evd->lock);
	return there;
}

void kdapl_evd_hook(struct kdapl_evd *evd,
		    void (*arrived)(struct kdapl_evd *evd))
{
	spin_lock_bh(&evd->lock);
	evd->arrived = arrived;
	if (arrived && !evd->dead && kdapl_evd_queued(evd))
		arrived(evd);
	spin_unlock_bh(&evd->lock);
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
	evd_refill(evd);
	if (evd->dead) {
		ret = -ENOENT;
	} else if (list_empty(&evd->backlog) && evd_has_room(evd)) {
		evd_store(evd, &event, NULL);
		evd_wake(evd, false);
	} else {
		ret = -ENOBUFS;
	}
	spin_unlock_bh(&evd->lock);
	return ret;
}

int kdapl_evd_join(struct kdapl_evd *evd, u32 notify)
{
	const u32 streams = DAT_EVD_DTO_FLAG |
			    (notify == KDAPL_NOTIFY_QUIET ?
			     DAT_EVD_RMR_BIND_FLAG : 0);
	int ret = 0;

	if (!evd)
		return 0;
	if (notify != KDAPL_NOTIFY_THRESHOLD && evd->flags & ~streams)
		return -EINVAL;
	spin_lock_bh(&evd->lock);
	if (evd->notify_users && evd->notify != notify) {
		ret = -EINVAL;
		goto out;
	}
	evd->notify_users++;
	if (evd->notify == notify)
		goto out;
	evd->notify = notify;
	/* Whatever is there already is worth looking at. */
	evd_make_loud(evd);
	evd_set_flag(evd, KDAPL_EV_QUIET, notify != KDAPL_NOTIFY_THRESHOLD);
	evd_set_flag(evd, KDAPL_EV_ASK, notify == KDAPL_NOTIFY_SOLICITED);
	wake_up(&evd->wait);
out:
	spin_unlock_bh(&evd->lock);
	return ret;
}

/* It stays what it was until somebody else comes. */
void kdapl_evd_leave(struct kdapl_evd *evd)
{
	if (!evd)
		return;
	spin_lock_bh(&evd->lock);
	evd->notify_users--;
	spin_unlock_bh(&evd->lock);
}

void kdapl_evd_notify(struct kdapl_evd *evd)
{
	spin_lock_bh(&evd->lock);
	if (!evd->dead && kdapl_evd_queued(evd)) {
		evd_make_loud(evd);
		evd_wake(evd, false);
	}
	spin_unlock_bh(&evd->lock);
}

/* Records went that told of what came before, too: that may still be there. */
static void evd_keep_told(struct kdapl_evd *evd, bool told)
{
	if (told && !evd->dead && kdapl_evd_queued(evd))
		evd_make_loud(evd);
}

void kdapl_evd_cancel(struct kdapl_evd *evd, struct kdapl_evrec *rec)
{
	if (!evd)
		return;
	spin_lock_bh(&evd->lock);
	if (!list_empty(&rec->list)) {
		evd_leaves_backlog(evd, rec);
		evd_keep_told(evd, rec->told);
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
			evd_keep_told(evd, rec->told);
		}
		rec = evd_pause_before(evd, next, ++n);
	}
	spin_unlock_bh(&evd->lock);
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

u32 kdapl_evd_unread(const struct kdapl_evd *evd)
{
	const struct kdapl_ev_head *head = evd->head.addr;
	u32 used = READ_ONCE(evd->tail) - READ_ONCE(head->head);

	return min(used, evd->entries_mask + 1);
}

u32 kdapl_evd_fill(struct kdapl_evd *evd)
{
	u32 count = 0;

	spin_lock_bh(&evd->lock);
	evd_refill(evd);
	if (!evd->dead)
		count = kdapl_evd_queued(evd);
	spin_unlock_bh(&evd->lock);
	return count;
}

/* 0: the threshold is reached. 1: go on waiting. */
static int evd_wait_state(struct kdapl_evd *evd)
{
	int ret = 1;

	spin_lock_bh(&evd->lock);
	evd_refill(evd);
	if (evd->dead)
		ret = -ECANCELED;
	else if (!evd->waitable)
		ret = -EBADFD;
	else if (evd_ready(evd))
		ret = 0;
	else if (evd->flags_shown & KDAPL_EV_DEAD)
		ret = -ECANCELED;
	spin_unlock_bh(&evd->lock);
	return ret;
}

static int evd_sleep(struct kdapl_evd *evd, u64 deadline_ns)
{
	/* Past KTIME_MAX a deadline would count as long gone. */
	ktime_t deadline = min_t(u64, deadline_ns, KTIME_MAX);
	bool expired = false;
	DEFINE_WAIT(entry);
	int ret;

	for (;;) {
		prepare_to_wait(&evd->wait, &entry, TASK_INTERRUPTIBLE);
		ret = evd_wait_state(evd);
		if (ret <= 0)
			break;
		ret = -ETIMEDOUT;
		if (expired)
			break;
		ret = -EINTR;
		if (signal_pending(current))
			break;
		if (deadline_ns == KDAPL_DEADLINE_NONE)
			schedule();
		else
			expired = !schedule_hrtimeout(&deadline,
						      HRTIMER_MODE_ABS);
	}
	finish_wait(&evd->wait, &entry);
	return ret;
}

int kdapl_evd_wait(struct kdapl_evd *evd, u32 threshold, u64 deadline_ns)
{
	int ret = 0;

	spin_lock_bh(&evd->lock);
	if (!threshold || threshold > evd->qlen ||
	    (evd->notify != KDAPL_NOTIFY_THRESHOLD && threshold > 1))
		ret = -EINVAL;
	else if (evd->dead)
		ret = -ECANCELED;
	else if (evd->wait_threshold)
		ret = -EBUSY;
	else
		evd->wait_threshold = threshold;
	spin_unlock_bh(&evd->lock);
	if (ret)
		return ret;

	ret = evd_sleep(evd, deadline_ns);

	spin_lock_bh(&evd->lock);
	evd->wait_threshold = 0;
	spin_unlock_bh(&evd->lock);
	return ret;
}

void kdapl_evd_set_waitable(struct kdapl_evd *evd, bool waitable)
{
	spin_lock_bh(&evd->lock);
	evd->waitable = waitable;
	if (!waitable)
		wake_up_all(&evd->wait);
	spin_unlock_bh(&evd->lock);
}

static void evd_use(struct kdapl_evd *evd, struct kdapl_region *region, u32 qlen)
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
	i = evd->tail - evd_in_ring(evd);
	old = evd->region;
	evd_use(evd, evd->next, evd->next_qlen);
	evd->next = old;
	for (; i != evd->tail; i++)
		evd->entries[i & evd->entries_mask] = from[i & from_mask];
	WRITE_ONCE(evd->ring->flags, evd->flags_shown);
	/* (E) pairs with (F): the moved events are there before they count. */
	smp_store_release(&evd->ring->tail, evd->tail);
	return 0;
}

/* Nothing is queued any more; who waits is told so. */
static void evd_close(struct kdapl_evd *evd)
{
	struct kdapl_evrec *rec;
	unsigned int n = 0;

	spin_lock_bh(&evd->lock);
	evd->dead = true;
	while (!list_empty(&evd->backlog)) {
		rec = list_first_entry(&evd->backlog, struct kdapl_evrec, list);
		evd_leaves_backlog(evd, rec);
		evd_release(rec);
		evd_pause(evd, ++n);
	}
	wake_up_all(&evd->wait);
	spin_unlock_bh(&evd->lock);
}

/* What is queued stays readable: the last events tell what happened. */
static void evd_end_waits(struct kdapl_evd *evd)
{
	if (evd->dead || !evd->killed || evd->borrowers)
		return;
	evd_set_flag(evd, KDAPL_EV_DEAD, true);
	wake_up_all(&evd->wait);
}

void kdapl_evd_kill(struct kdapl_evd *evd)
{
	spin_lock_bh(&evd->lock);
	evd->killed = true;
	evd_end_waits(evd);
	spin_unlock_bh(&evd->lock);
}

void kdapl_evd_lend(struct kdapl_evd *evd)
{
	spin_lock_bh(&evd->lock);
	evd->borrowers++;
	spin_unlock_bh(&evd->lock);
}

void kdapl_evd_unlend(struct kdapl_evd *evd)
{
	spin_lock_bh(&evd->lock);
	evd->borrowers--;
	evd_end_waits(evd);
	spin_unlock_bh(&evd->lock);
}

static void evd_free_memory(struct kdapl_evd *evd)
{
	struct kdapl_ia *ia = evd->obj.ia;

	if (evd->head.addr)
		kdapl_slot_free(&ia->regions, &evd->head);
	if (evd->region)
		kdapl_region_free(&ia->regions, evd->region);
	if (evd->next)
		kdapl_region_free(&ia->regions, evd->next);
}

/* With @freed the EVD is gone, and perhaps it was its CNO's last. */
static void evd_leave_cno(struct kdapl_cno *cno, bool freed)
{
	if (!cno)
		return;
	kdapl_cno_detach(cno, freed);
	kdapl_obj_unuse(&cno->obj);
}

/* A dead EVD gets none any more: there would be nobody to leave it. */
static struct kdapl_cno *evd_swap_cno(struct kdapl_evd *evd,
				      struct kdapl_cno *cno, bool enabled)
{
	spin_lock_bh(&evd->lock);
	if (!evd->dead || !cno)
		swap(evd->cno, cno);
	evd->enabled = enabled;
	spin_unlock_bh(&evd->lock);
	return cno;
}

int kdapl_evd_set_notify(struct kdapl_evd *evd,
			 const struct kdapl_evd_notify *arg)
{
	struct kdapl_cno *cno = NULL;
	struct kdapl_obj *obj;

	if (arg->cno) {
		obj = kdapl_obj_use(evd->obj.ia, arg->cno, KDAPL_OBJ_CNO);
		if (!obj)
			return -ENOENT;
		cno = to_cno(obj);
		kdapl_cno_attach(cno);
	}
	evd_leave_cno(evd_swap_cno(evd, cno, arg->enabled), false);
	return 0;
}

/* For the accounts of a kernel consumer's objects. */
static void evd_tell_unread(struct kdapl_evd *evd)
{
	u32 n;

	if (!evd->unread)
		return;
	for (n = evd_in_ring(evd); n; n--)
		evd->unread(&evd->entries[(evd->tail - n) & evd->entries_mask]);
}

static void evd_obj_destroy(struct kdapl_obj *obj)
{
	struct kdapl_evd *evd = to_evd(obj);

	evd_close(evd);
	evd_tell_unread(evd);
	evd_leave_cno(evd_swap_cno(evd, NULL, false), true);
	evd_free_memory(evd);
}

static void evd_obj_release(struct kdapl_obj *obj)
{
	kfree(to_evd(obj));
}

static const struct kdapl_obj_ops kdapl_evd_ops = {
	.type = KDAPL_OBJ_EVD,
	.destroy = evd_obj_destroy,
	.release = evd_obj_release,
};

int kdapl_evd_ring_create(struct kdapl_ia *ia, u32 qlen,
			  struct kdapl_region **region)
{
	size_t size = KDAPL_EV_ENTRIES_OFFSET +
		      (size_t)qlen * sizeof(struct kdapl_event);

	return kdapl_region_create(&ia->regions, size, false, region);
}

static int evd_alloc_memory(struct kdapl_evd *evd)
{
	struct kdapl_ia *ia = evd->obj.ia;
	struct kdapl_region *region;
	int ret;

	ret = kdapl_evd_ring_create(ia, evd->qlen, &region);
	if (ret)
		return ret;
	evd_use(evd, region, evd->qlen);
	return kdapl_slot_alloc(&ia->regions, true, &evd->head);
}

int kdapl_evd_create(struct kdapl_ia *ia, struct kdapl_evd_create *arg)
{
	struct kdapl_evd *evd;
	int ret;

	if (!arg->flags || arg->flags & ~DAT_EVD_ALL_FLAGS || !arg->qlen)
		return -EINVAL;
	if (arg->qlen > KDAPL_EVD_QLEN_MAX)
		return -ENOSPC;

	evd = kzalloc(sizeof(*evd), kdapl_ia_gfp(ia));
	if (!evd)
		return -ENOMEM;
	spin_lock_init(&evd->lock);
	INIT_LIST_HEAD(&evd->backlog);
	INIT_LIST_HEAD(&evd->solicited);
	init_waitqueue_head(&evd->wait);
	evd->flags = arg->flags;
	evd->qlen = roundup_pow_of_two(arg->qlen);
	evd->waitable = true;
	evd->enabled = true;

	ret = kdapl_obj_init(&evd->obj, ia, &kdapl_evd_ops, arg->user);
	if (ret) {
		kfree(evd);
		return ret;
	}
	ret = evd_alloc_memory(evd);
	if (ret) {
		evd_free_memory(evd);
		kdapl_obj_abort(&evd->obj);
		return ret;
	}

	arg->qlen = evd->qlen;
	arg->id = evd->obj.id;
	arg->ring = kdapl_region_map(evd->region, 0);
	arg->head = kdapl_slot_map(&evd->head);
	kdapl_obj_publish(&evd->obj);
	return 0;
}

static void evrec_free(struct kdapl_evrec *rec)
{
	kfree(rec);
}

struct kdapl_evrec *kdapl_evrec_alloc(const struct kdapl_ia *ia)
{
	struct kdapl_evrec *rec = kzalloc(sizeof(*rec), kdapl_ia_gfp(ia));

	if (rec) {
		INIT_LIST_HEAD(&rec->list);
		rec->release = evrec_free;
	}
	return rec;
}

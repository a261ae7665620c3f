// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * EVD: who is told that events came (a waiter, the CNO, a consumer's hook), and
 * for which of them.
 */

#include <linux/hrtimer.h>
#include <linux/sched/signal.h>

#include "cno.h"
#include "evd_ring.h"

/* There is what a waiter waits for: enough events, or an unread notification. */
static bool evd_ready(struct kdapl_evd *evd)
{
	struct kdapl_ev_head *head = evd->head.addr;

	if (evd->notify == KDAPL_NOTIFY_THRESHOLD)
		return kdapl_evd_queued(evd) >= evd->wait_threshold;
	return evd->backlog_loud ||
	       (kdapl_evd_in_ring(evd) &&
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

void kdapl_evd_wake_up(struct kdapl_evd *evd)
{
	if (evd->hooks) {
		evd->hooks->arrived(evd);
	} else if (!evd->wait_threshold) {
		if (evd->cno && evd->enabled)
			kdapl_cno_trigger(evd->cno, evd->obj.user);
	} else if (evd_ready(evd)) {
		wake_up(&evd->wait);
	}
}

void kdapl_evd_hook(struct kdapl_evd *evd, const struct kdapl_evd_hooks *hooks)
{
	spin_lock_bh(&evd->lock);
	evd->hooks = hooks;
	if (hooks && !evd->dead && kdapl_evd_queued(evd))
		hooks->arrived(evd);
	spin_unlock_bh(&evd->lock);
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
	kdapl_evd_set_flag(evd, KDAPL_EV_QUIET, notify != KDAPL_NOTIFY_THRESHOLD);
	kdapl_evd_set_flag(evd, KDAPL_EV_ASK, notify == KDAPL_NOTIFY_SOLICITED);
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
		kdapl_evd_wake(evd, false);
	}
	spin_unlock_bh(&evd->lock);
}

void kdapl_evd_keep_told(struct kdapl_evd *evd, bool told)
{
	if (told && !evd->dead && kdapl_evd_queued(evd))
		evd_make_loud(evd);
}

/*
 * 0: the threshold is reached. 1: go on waiting. Who was sent away while it waited goes,
 * even if others may wait again by now.
 */
static int evd_wait_state(struct kdapl_evd *evd, u32 ejections)
{
	int ret = 1;

	spin_lock_bh(&evd->lock);
	kdapl_evd_refill(evd);
	if (evd->dead)
		ret = -ECANCELED;
	else if (!evd->waitable || evd->ejections != ejections)
		ret = -EBADFD;
	else if (evd_ready(evd))
		ret = 0;
	else if (evd->flags_shown & KDAPL_EV_DEAD)
		ret = -ECANCELED;
	spin_unlock_bh(&evd->lock);
	return ret;
}

static int evd_sleep(struct kdapl_evd *evd, u32 ejections, u64 deadline_ns)
{
	/* Past KTIME_MAX a deadline would count as long gone. */
	ktime_t deadline = min_t(u64, deadline_ns, KTIME_MAX);
	bool expired = false;
	DEFINE_WAIT(entry);
	int ret;

	for (;;) {
		prepare_to_wait(&evd->wait, &entry, TASK_INTERRUPTIBLE);
		ret = evd_wait_state(evd, ejections);
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

/* The CNO shall hear of what a waiter leaves, also of less than it waited for. */
static void evd_tell_left(struct kdapl_evd *evd)
{
	bool ready;

	lockdep_assert_held(&evd->lock);
	evd->wait_threshold = 1;
	ready = !evd->dead && evd_ready(evd);
	evd->wait_threshold = 0;
	if (ready)
		kdapl_evd_wake_up(evd);
}

void kdapl_evd_tell(struct kdapl_evd *evd)
{
	spin_lock_bh(&evd->lock);
	/* Else it is told to who waits now. */
	if (!evd->wait_threshold)
		evd_tell_left(evd);
	spin_unlock_bh(&evd->lock);
}

/*
 * The waiter leaves: until now all was told to it, and to nobody else. What came when
 * its time was over already is in time all the same.
 */
static int evd_leave(struct kdapl_evd *evd, int ret)
{
	lockdep_assert_held(&evd->lock);
	if ((ret == -ETIMEDOUT || ret == -EINTR) && !evd->dead && evd_ready(evd))
		ret = 0;
	evd->wait_threshold = 0;
	if (ret == -EBADFD)
		evd_tell_left(evd);
	return ret;
}

int kdapl_evd_wait(struct kdapl_evd *evd, u32 threshold, u64 deadline_ns,
		   u32 *began)
{
	int ret = 0;

	spin_lock_bh(&evd->lock);
	if (!*began)
		*began = evd->ejections;
	if (!threshold || threshold > evd->qlen ||
	    (evd->notify != KDAPL_NOTIFY_THRESHOLD && threshold > 1))
		ret = -EINVAL;
	else if (evd->dead)
		ret = -ECANCELED;
	else if (!evd->waitable)
		ret = -EBADFD;
	else if (evd->wait_threshold)
		ret = -EBUSY;
	else
		evd->wait_threshold = threshold;
	spin_unlock_bh(&evd->lock);
	if (ret)
		return ret;

	ret = evd_sleep(evd, *began, deadline_ns);

	spin_lock_bh(&evd->lock);
	ret = evd_leave(evd, ret);
	spin_unlock_bh(&evd->lock);
	return ret;
}

void kdapl_evd_set_waitable(struct kdapl_evd *evd, bool waitable)
{
	spin_lock_bh(&evd->lock);
	evd->waitable = waitable;
	if (!waitable) {
		evd->ejections += 2;
		wake_up_all(&evd->wait);
	}
	spin_unlock_bh(&evd->lock);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * EVDs whose consumer is a work.
 *
 * Between a completion and such a consumer stands one queue_work(), which the device's
 * handler can make itself: no softirq takes what the work would be woken for anyway. The
 * work finds its EVD empty, takes what the device has, and lets the device call again only
 * when that has nothing either. So a work that is busy with completions is not called for
 * the next ones.
 */

#include "cq.h"
#include "evd_ring.h"

/* Under the EVD's lock. Who has been called looks again before it stops. */
static void work_arrived(struct kdapl_evd *evd)
{
	if (evd->called)
		return;
	evd->called = true;
	queue_work(evd->wq, evd->work);
}

static const struct kdapl_evd_hooks work_hooks = {
	.arrived = work_arrived,
};

void kdapl_evd_set_work(struct kdapl_evd *evd, struct workqueue_struct *wq,
			struct work_struct *work)
{
	evd->wq = wq;
	evd->work = work;
	kdapl_evd_hook(evd, &work_hooks);
}

bool kdapl_evd_call(struct kdapl_evd *evd)
{
	bool silent;

	rcu_read_lock();
	silent = READ_ONCE(evd->silent);
	if (!silent)
		queue_work(evd->wq, evd->work);
	rcu_read_unlock();
	return !silent;
}

void kdapl_evd_silence(struct kdapl_evd *evd)
{
	WRITE_ONCE(evd->silent, true);
}

static void set_called(struct kdapl_evd *evd)
{
	spin_lock(&evd->lock);
	evd->called = true;
	spin_unlock(&evd->lock);
}

/* What came since then, and called nobody, is there. False: the next event calls. */
static bool still_called(struct kdapl_evd *evd)
{
	bool called;

	spin_lock(&evd->lock);
	called = !evd->dead && kdapl_evd_queued(evd);
	evd->called = called;
	spin_unlock(&evd->lock);
	return called;
}

bool kdapl_evd_fetch(struct kdapl_evd *evd)
{
	if (!evd->work)
		return false;
	set_called(evd);
	return kdapl_cq_fetch(evd) || still_called(evd);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Upcalls: how events reach a consumer.
 *
 * An event is queued under the locks of its EVD and perhaps of an EP, and the
 * consumer posts in its upcall: so a tasklet makes it. Each processor has one of
 * each EVD; how many of them call at once is counted, so that a policy holds
 * also while it changes.
 *
 * A completion that comes alone mostly finds an EVD of one upcall at a time, in which there
 * is nothing and nobody is called. Then it is claimed: it is not queued, and the upcall is
 * made as soon as the softirq that took the completion has let go of those locks.
 */

#include <linux/export.h>
#include <linux/interrupt.h>
#include <linux/percpu.h>

#include "kapi.h"

/* Upcalls of one run, before others get their turn. */
#define UPCALL_BUDGET	64

struct kapi_worker {
	struct tasklet_struct tasklet;
	struct kapi_evd *kevd;
	struct kapi_hint hint;		/* of the tasklet alone: the EP of its events */
};

static bool policy_calls(DAT_UPCALL_POLICY policy)
{
	return policy > DAT_UPCALL_DISABLE;
}

/* Caller has softirqs off, or does not mind which processor it is. */
void kapi_upcall_schedule(struct kapi_evd *kevd)
{
	tasklet_schedule(&raw_cpu_ptr(kevd->workers)->tasklet);
}

static struct kapi_evd *kevd_of(struct kdapl_evd *evd)
{
	return (struct kapi_evd *)(uintptr_t)evd->obj.user;
}

/* The core's hook, under the lock of its EVD. */
static void upcall_arrived(struct kdapl_evd *evd)
{
	struct kapi_evd *kevd = kevd_of(evd);

	if (policy_calls(READ_ONCE(kevd->policy)))
		kapi_upcall_schedule(kevd);
}

/* What one processor calls for, as long as nothing changes. */
struct upcalls {
	DAT_UPCALL_POLICY policy;
	DAT_UPCALL_OBJECT upcall;
	unsigned int changes;
};

/* These two in softirqs alone. */
static bool upcall_begin(struct kapi_evd *kevd, struct upcalls *upcalls)
{
	bool begin = false;

	spin_lock(&kevd->lock);
	upcalls->policy = kevd->policy;
	upcalls->upcall = kevd->upcall;
	upcalls->changes = kevd->changes;
	if (policy_calls(upcalls->policy)) {
		if (kevd->running && upcalls->policy != DAT_UPCALL_MANY)
			kevd->missed = true;
		else
			begin = true;
	}
	kevd->running += begin;
	spin_unlock(&kevd->lock);
	return begin;
}

static void upcall_end(struct kapi_evd *kevd)
{
	spin_lock(&kevd->lock);
	if (!--kevd->running) {
		if (kevd->missed)
			kapi_upcall_schedule(kevd);
		kevd->missed = false;
		/* Who has not queued itself yet looks under the lock. */
		if (waitqueue_active(&kevd->idle))
			wake_up_all(&kevd->idle);
	}
	spin_unlock(&kevd->lock);
}

/* The core's hook, under the lock of its EVD: an upcall begins, if nobody is called yet. */
static bool upcall_claim(struct kdapl_evd *evd)
{
	struct kapi_evd *kevd = kevd_of(evd);
	bool claimed;

	spin_lock(&kevd->lock);
	claimed = kevd->policy == DAT_UPCALL_SINGLE_INSTANCE && !kevd->running;
	if (claimed) {
		kevd->running = 1;
		kevd->claimed = kevd->upcall;
	}
	spin_unlock(&kevd->lock);
	return claimed;
}

/* The core's hook: the event that was claimed. What came behind it has been missed. */
static void upcall_take(struct kdapl_evd *evd, const struct kdapl_event *from)
{
	struct kapi_evd *kevd = kevd_of(evd);
	const DAT_UPCALL_OBJECT *upcall = &kevd->claimed;

	if (kapi_event(kevd, from, &kevd->event, &kevd->hint))
		upcall->upcall_func(upcall->instance_data, &kevd->event,
				    DAT_FALSE);
	upcall_end(kevd);
}

const struct kdapl_evd_hooks kapi_upcall_hooks = {
	.arrived = upcall_arrived,
	.claim = upcall_claim,
	.take = upcall_take,
};

void kapi_upcall_set_direct(struct kapi_evd *kevd, DAT_UPCALL_POLICY policy)
{
	WRITE_ONCE(kevd->evd->direct, policy == DAT_UPCALL_SINGLE_INSTANCE);
}

/* True when there may be another event to call for. */
static bool upcall_make(struct kapi_worker *worker,
			const struct upcalls *upcalls, DAT_EVENT *event)
{
	struct kapi_evd *kevd = worker->kevd;
	const DAT_UPCALL_OBJECT *upcall = &upcalls->upcall;
	u32 there;

	if (upcalls->policy == DAT_UPCALL_NOTIFY) {
		if (kdapl_evd_count(kevd->evd))
			upcall->upcall_func(upcall->instance_data, NULL,
					    DAT_TRUE);
		return false;
	}
	there = kapi_evd_next(kevd, event, &worker->hint);
	if (!there)
		return false;
	upcall->upcall_func(upcall->instance_data, event,
			    there > 1 ? DAT_TRUE : DAT_FALSE);
	/* For one that came meanwhile and rings, somebody is scheduled. */
	return there > 1;
}

static void upcall_tasklet(struct tasklet_struct *tasklet)
{
	struct kapi_worker *worker = from_tasklet(worker, tasklet, tasklet);
	struct kapi_evd *kevd = worker->kevd;
	int left = UPCALL_BUDGET;
	struct upcalls upcalls;
	/* Only what its number has is set: the rest is no part of this stack. */
	DAT_EVENT event = {};
	bool more = true;

	while (more && left > 0) {
		if (!upcall_begin(kevd, &upcalls))
			return;
		do {
			more = upcall_make(worker, &upcalls, &event);
		} while (more && --left &&
			 READ_ONCE(kevd->changes) == upcalls.changes);
		upcall_end(kevd);
	}
	/* Itself: who kills this one's tasklet must not miss it. */
	if (more)
		tasklet_schedule(tasklet);
}

int kapi_upcall_init(struct kapi_evd *kevd)
{
	struct kapi_worker *worker;
	int cpu;

	spin_lock_init(&kevd->lock);
	init_waitqueue_head(&kevd->idle);
	kevd->workers = alloc_percpu(struct kapi_worker);
	if (!kevd->workers)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		worker = per_cpu_ptr(kevd->workers, cpu);
		worker->kevd = kevd;
		tasklet_setup(&worker->tasklet, upcall_tasklet);
	}
	return 0;
}

static bool upcall_idle(struct kapi_evd *kevd)
{
	bool idle;

	spin_lock_bh(&kevd->lock);
	idle = !kevd->running;
	spin_unlock_bh(&kevd->lock);
	return idle;
}

void kapi_upcall_stop(struct kapi_evd *kevd)
{
	spin_lock_bh(&kevd->lock);
	WRITE_ONCE(kevd->policy, DAT_UPCALL_TEARDOWN);
	WRITE_ONCE(kevd->changes, kevd->changes + 1);
	kevd->missed = false;
	/* The upcall that is waited for may not have others begin. */
	kevd->stopping++;
	spin_unlock_bh(&kevd->lock);
	wait_event(kevd->idle, upcall_idle(kevd));
	spin_lock_bh(&kevd->lock);
	kevd->stopping--;
	spin_unlock_bh(&kevd->lock);
}

void kapi_upcall_close(struct kapi_evd *kevd)
{
	spin_lock_bh(&kevd->lock);
	kevd->closed = true;
	spin_unlock_bh(&kevd->lock);
	kapi_upcall_stop(kevd);
}

/*
 * Closed or freed, and the core calls its hook no more. Nobody's upcall runs that
 * may have enabled it.
 */
void kapi_upcall_exit(struct kapi_evd *kevd)
{
	int cpu;

	if (!kevd->workers)
		return;
	for_each_possible_cpu(cpu)
		tasklet_kill(&per_cpu_ptr(kevd->workers, cpu)->tasklet);
	free_percpu(kevd->workers);
	kevd->workers = NULL;
}

static bool policy_valid(DAT_UPCALL_POLICY policy)
{
	switch (policy) {
	case DAT_UPCALL_DISABLE:
	case DAT_UPCALL_SINGLE_INSTANCE:
	case DAT_UPCALL_NOTIFY:
	case DAT_UPCALL_MANY:
	case DAT_UPCALL_TEARDOWN:
		return true;
	}
	return false;
}

static DAT_RETURN upcall_set(struct kapi_evd *kevd, DAT_UPCALL_POLICY policy,
			     const DAT_UPCALL_OBJECT *upcall)
{
	DAT_RETURN ret = DAT_SUCCESS;

	spin_lock_bh(&kevd->lock);
	if (policy_calls(policy) && (kevd->closed || kevd->stopping)) {
		ret = DAT_ERROR(DAT_INVALID_STATE, DAT_NO_SUBTYPE);
	} else if (policy_calls(policy) &&
		   !(upcall ? upcall->upcall_func : kevd->upcall.upcall_func)) {
		ret = KAPI_BAD_ARG(3);
	} else {
		if (upcall)
			kevd->upcall = *upcall;
		WRITE_ONCE(kevd->policy, policy);
		WRITE_ONCE(kevd->changes, kevd->changes + 1);
		kapi_upcall_set_direct(kevd, policy);
	}
	spin_unlock_bh(&kevd->lock);
	return ret;
}

DAT_RETURN dat_evd_modify_upcall(DAT_EVD_HANDLE evd, DAT_UPCALL_POLICY policy,
				 const DAT_UPCALL_OBJECT *upcall,
				 DAT_UPCALL_FLAG flag)
{
	struct kapi_evd *kevd = kapi_to(evd, evd, EVD);
	DAT_RETURN ret;

	if (!kevd)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	if (!policy_valid(policy))
		return KAPI_BAD_ARG(2);
	if (flag > DAT_UPCALL_INVOC_ANY)
		return KAPI_BAD_ARG(4);
	if (kevd->evd->work)
		return DAT_ERROR(DAT_INVALID_STATE, DAT_NO_SUBTYPE);

	ret = upcall_set(kevd, policy, upcall);
	if (ret != DAT_SUCCESS)
		return ret;
	if (policy == DAT_UPCALL_TEARDOWN)
		kapi_upcall_stop(kevd);
	else if (policy_calls(policy) && flag == DAT_UPCALL_INVOC_ANY)
		kapi_upcall_schedule(kevd);
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_evd_modify_upcall);

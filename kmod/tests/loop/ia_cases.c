// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* IAs of a test's own: opened, refused to be closed, closed under their upcalls. */

#include <linux/delay.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "loop.h"

#define UPCALLS		100
#define PATIENCE	(5 * HZ)

/**
 * struct busy - an EVD whose upcall always has another one made
 * @evd: the EVD
 * @upcalls: how many there were
 * @closing: its IA is about to be closed: the next upcall goes on until it is told so
 * @held: and has begun
 * @wrong: what a call in an upcall said
 */
struct busy {
	DAT_EVD_HANDLE evd;
	atomic_t upcalls;
	bool closing, held;
	DAT_RETURN wrong;
};

static struct busy busy;

static DAT_IA_HANDLE open_one(DAT_EVD_HANDLE *async)
{
	DAT_IA_HANDLE one = NULL;

	*async = NULL;
	WORKS(dat_ia_open(loop.name, 8, async, &one));
	return one;
}

static void graceful_close(void)
{
	DAT_EVD_HANDLE async, lent = loop.pz;
	DAT_IA_HANDLE one = open_one(&async), other = NULL;
	DAT_PZ_HANDLE pz = NULL;

	RETURNS(DAT_INVALID_HANDLE, dat_ia_open(loop.name, 8, &lent, &other));
	WORKS(dat_pz_create(one, &pz));
	RETURNS(DAT_INVALID_STATE, dat_ia_close(one, DAT_CLOSE_GRACEFUL_FLAG));
	WORKS(dat_pz_free(pz));
	RETURNS(DAT_INVALID_PARAMETER, dat_ia_close(one, 2));
	WORKS(dat_ia_close(one, DAT_CLOSE_GRACEFUL_FLAG));
	RETURNS(DAT_INVALID_HANDLE, dat_ia_close(one, DAT_CLOSE_ABRUPT_FLAG));
	if (one && !loop_fine())
		dat_ia_close(one, DAT_CLOSE_ABRUPT_FLAG);
}

/* One IA's asynchronous events go to the EVD of another, which is closed behind it. */
static void lent_evd(void)
{
	DAT_EVD_HANDLE async, lent;
	DAT_IA_HANDLE one = open_one(&async), other = NULL;

	lent = async;
	WORKS(dat_ia_open(loop.name, 8, &lent, &other));
	EXPECT(lent == async);
	FREES(dat_ia_close(other, DAT_CLOSE_GRACEFUL_FLAG));
	FREES(dat_ia_close(one, DAT_CLOSE_GRACEFUL_FLAG));
}

/* ---- under upcalls ----------------------------------------------------------- */

static DAT_RETURN enable(void)
{
	return dat_evd_modify_upcall(busy.evd, DAT_UPCALL_SINGLE_INSTANCE,
				     DAT_UPCALL_SAME, DAT_UPCALL_INVOC_ANY);
}

static void post_one(void)
{
	const DAT_EVENT event = { .event_number = DAT_SOFTWARE_EVENT };

	dat_evd_post_se(busy.evd, &event);
}

static void busy_upcall(DAT_PVOID instance, const DAT_EVENT *event,
			DAT_BOOLEAN more)
{
	unsigned long end = jiffies + PATIENCE;
	DAT_RETURN ret;

	atomic_inc(&busy.upcalls);
	post_one();
	ret = enable();
	if (READ_ONCE(busy.closing))
		WRITE_ONCE(busy.held, true);
	while (busy.held && ret == DAT_SUCCESS && time_before(jiffies, end)) {
		cpu_relax();
		ret = enable();
	}
	if (ret != DAT_SUCCESS)
		WRITE_ONCE(busy.wrong, ret);
}

static void begin_upcalls(struct work_struct *work)
{
	post_one();
}

/* Upcalls of that processor, each of which makes the next; the last one goes on. */
static void begin_on(unsigned int cpu)
{
	unsigned long end = jiffies + PATIENCE;
	struct work_struct work;

	INIT_WORK_ONSTACK(&work, begin_upcalls);
	queue_work_on(cpu, system_wq, &work);
	flush_work(&work);
	destroy_work_on_stack(&work);
	while (atomic_read(&busy.upcalls) < UPCALLS && time_before(jiffies, end))
		cond_resched();
	EXPECT(atomic_read(&busy.upcalls) >= UPCALLS);
	EXPECT(!busy.wrong);
	WRITE_ONCE(busy.closing, true);
	while (!READ_ONCE(busy.held) && time_before(jiffies, end))
		cond_resched();
	EXPECT(busy.held);
}

static void close_under_upcalls_of(unsigned int cpu)
{
	const DAT_UPCALL_OBJECT upcall = { NULL, busy_upcall };
	DAT_EVD_HANDLE async;
	DAT_IA_HANDLE one = open_one(&async);
	int upcalls;

	memset(&busy, 0, sizeof(busy));
	WORKS(dat_evd_kcreate(one, 8, DAT_UPCALL_SINGLE_INSTANCE, &upcall,
			      DAT_EVD_SOFTWARE_FLAG, &busy.evd));
	if (loop_fine())
		begin_on(cpu);
	FREES(dat_ia_close(one, DAT_CLOSE_ABRUPT_FLAG));
	upcalls = atomic_read(&busy.upcalls);
	EXPECT(DAT_GET_TYPE(busy.wrong) == DAT_INVALID_STATE);
	/* None runs any more. */
	msleep(20);
	EXPECT(atomic_read(&busy.upcalls) == upcalls);
}

/* The upcall that runs would have others begin, and is told that it is over. */
static void close_under_upcalls(void)
{
	unsigned int cpu;

	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	if (cpu < nr_cpu_ids)
		close_under_upcalls_of(cpu);
	else
		loop.skip = "needs two processors";
	migrate_enable();
}

/**
 * struct follower - a work each of whose runs has another one follow
 * @work: the work
 * @evd: its EVD
 * @runs: of it
 */
struct follower {
	struct work_struct work;
	DAT_EVD_HANDLE evd;
	atomic_t runs;
};

static void follower_work(struct work_struct *work)
{
	struct follower *follower = container_of(work, struct follower, work);
	DAT_EVENT event;

	while (dat_evd_dequeue(follower->evd, &event) == DAT_SUCCESS)
		;
	event = (DAT_EVENT){ .event_number = DAT_SOFTWARE_EVENT };
	dat_evd_post_se(follower->evd, &event);
	atomic_inc(&follower->runs);
	msleep(50);
}

/* It runs nearly all the time, but not when the call has returned. */
static void close_under_a_work(void)
{
	const DAT_EVENT event = { .event_number = DAT_SOFTWARE_EVENT };
	unsigned long end = jiffies + PATIENCE;
	static struct follower follower;
	DAT_EVD_HANDLE async;
	DAT_IA_HANDLE one = open_one(&async);

	follower.evd = NULL;
	atomic_set(&follower.runs, 0);
	INIT_WORK(&follower.work, follower_work);
	if (WORKS(dat_ext_evd_create(one, 8, system_wq, &follower.work,
				     DAT_EVD_SOFTWARE_FLAG, &follower.evd)))
		WORKS(dat_evd_post_se(follower.evd, &event));
	while (loop_fine() && atomic_read(&follower.runs) < 3 &&
	       time_before(jiffies, end))
		usleep_range(100, 200);
	EXPECT(atomic_read(&follower.runs) >= 3);
	FREES(dat_ia_close(one, DAT_CLOSE_ABRUPT_FLAG));
	EXPECT(!work_busy(&follower.work));
}

const struct loop_test ia_cases[] = {
	{ "an IA in use is not closed gracefully", graceful_close },
	{ "an EVD is lent to another IA", lent_evd },
	{ "an IA is closed under its upcalls", close_under_upcalls },
	{ "an IA is closed under a work", close_under_a_work },
	{},
};

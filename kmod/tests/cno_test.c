// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CNOs: triggers, the agent's share of them, who is released when. */

#include <linux/completion.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/wait.h>

#include "env.h"

#include "../cno.h"

struct test_cno {
	struct kdapl_cno *cno;
	u32 id;
};

static struct test_cno cno_make(struct kunit *test)
{
	struct env *env = test->priv;
	struct kdapl_cno_create arg = { .user = 5 };
	struct test_cno tcno = {};

	KUNIT_ASSERT_EQ(test, kdapl_cno_create(env->ia, &arg), 0);
	tcno.id = arg.id;
	tcno.cno = to_cno(env_hold(env, arg.id, KDAPL_OBJ_CNO));
	return tcno;
}

static int notify(struct test_evd *tevd, u32 cno, u32 enabled)
{
	struct kdapl_evd_notify arg = { .cno = cno, .enabled = enabled };

	return kdapl_evd_set_notify(tevd->evd, &arg);
}

static struct test_evd evd_make(struct kunit *test, u32 cno)
{
	struct test_evd tevd = env_evd(test->priv, 8, DAT_EVD_SOFTWARE_FLAG);

	/* Told apart by it. */
	tevd.evd->obj.user = tevd.id;
	KUNIT_EXPECT_EQ(test, notify(&tevd, cno, 1), 0);
	return tevd;
}

/* A wait that does not sleep: the EVD's word, or 0 and the error in @ret. */
static u64 take(struct test_cno *tcno, u32 flags, int *ret)
{
	struct kdapl_cno_wait arg = { .flags = flags };

	*ret = kdapl_cno_wait(tcno->cno, &arg);
	return *ret ? 0 : arg.evd_user;
}

#define EXPECT_TRIGGER(test, tcno, flags, evd) do {			\
	int _ret;							\
	u64 _evd = take(tcno, flags, &_ret);				\
	struct kunit *_test = (test);					\
									\
	KUNIT_EXPECT_EQ(_test, _ret, 0);				\
	KUNIT_EXPECT_EQ(_test, _evd, (u64)(evd));			\
} while (0)

#define EXPECT_NO_TRIGGER(test, tcno, flags) do {			\
	int _ret;							\
									\
	take(tcno, flags, &_ret);					\
	KUNIT_EXPECT_EQ(test, _ret, -ETIMEDOUT);			\
} while (0)

struct evd_waiter {
	struct kdapl_evd *evd;
	u32 threshold;
	struct completion done;
	int ret;
};

static int wait_for_event(void *arg)
{
	struct evd_waiter *waiter = arg;

	waiter->ret = env_wait(waiter->evd, waiter->threshold,
			       KDAPL_DEADLINE_NONE);
	complete(&waiter->done);
	return 0;
}

static bool is_asleep(struct kdapl_evd *evd, struct task_struct *task)
{
	/* It is queued first. */
	return waitqueue_active(&evd->wait) && !READ_ONCE(task->on_rq);
}

/*
 * An event that finds a waiter who was sent away, but has not left yet: nobody else is
 * told of it. They share a processor, so that the waiter does not run in between.
 */
static void leave_one_event(struct kunit *test, u32 threshold)
{
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);
	struct evd_waiter waiter = { .evd = tevd.evd, .threshold = threshold };
	const struct cpumask *one = cpumask_of(0);
	struct task_struct *task;

	init_completion(&waiter.done);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, one), 0);
	task = kthread_create(wait_for_event, &waiter, "evd_waiter");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	KUNIT_EXPECT_EQ(test, set_cpus_allowed_ptr(task, one), 0);
	wake_up_process(task);
	EXPECT_SOON(test, is_asleep(tevd.evd, task));
	preempt_disable();
	kdapl_evd_set_waitable(tevd.evd, false);
	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, 7), 0);
	preempt_enable();
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&waiter.done, 20 * HZ), 0);
	kthread_stop_put(task);
	KUNIT_EXPECT_EQ(test, waiter.ret, -EBADFD);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
	EXPECT_NO_TRIGGER(test, &tcno, 0);
	/* What was there before is not told again. */
	KUNIT_EXPECT_EQ(test, env_wait(tevd.evd, 1, 0), -EBADFD);
	EXPECT_NO_TRIGGER(test, &tcno, 0);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static void cno_hears_what_a_leaving_waiter_leaves(struct kunit *test)
{
	leave_one_event(test, 1);
	leave_one_event(test, 2);
}

static void cno_sticky(struct kunit *test)
{
	struct test_cno tcno = cno_make(test);
	struct test_evd one = evd_make(test, tcno.id);
	struct test_evd two = evd_make(test, tcno.id);

	EXPECT_NO_TRIGGER(test, &tcno, 0);
	kdapl_evd_post_se(two.evd, 1);
	kdapl_evd_post_se(one.evd, 2);
	EXPECT_TRIGGER(test, &tcno, 0, two.id);
	EXPECT_NO_TRIGGER(test, &tcno, 0);
	kdapl_evd_post_se(one.evd, 3);
	EXPECT_TRIGGER(test, &tcno, 0, one.id);
}

static void cno_disabled(struct kunit *test)
{
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);

	KUNIT_EXPECT_EQ(test, notify(&tevd, tcno.id, 0), 0);
	kdapl_evd_post_se(tevd.evd, 1);
	EXPECT_NO_TRIGGER(test, &tcno, 0);
	KUNIT_EXPECT_EQ(test, notify(&tevd, tcno.id, 1), 0);
	EXPECT_NO_TRIGGER(test, &tcno, 0);
	kdapl_evd_post_se(tevd.evd, 2);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
}

/* What gives no event triggers nothing. */
static void cno_silent(struct kunit *test)
{
	struct kdapl_event event = {};
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);

	kdapl_evd_post(tevd.evd, &event, NULL);
	EXPECT_NO_TRIGGER(test, &tcno, 0);
	event.type = DAT_DTO_COMPLETION_EVENT;
	kdapl_evd_post(tevd.evd, &event, NULL);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
}

static void cno_agent(struct kunit *test)
{
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);

	kdapl_evd_post_se(tevd.evd, 1);
	EXPECT_NO_TRIGGER(test, &tcno, KDAPL_CNO_AGENT);
	KUNIT_EXPECT_EQ(test, kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 0), 0);
	/* The trigger was there before. */
	EXPECT_NO_TRIGGER(test, &tcno, KDAPL_CNO_AGENT);
	kdapl_evd_post_se(tevd.evd, 2);
	kdapl_evd_post_se(tevd.evd, 3);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
	EXPECT_TRIGGER(test, &tcno, KDAPL_CNO_AGENT, tevd.id);
	EXPECT_NO_TRIGGER(test, &tcno, KDAPL_CNO_AGENT);

	kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 0);
	kdapl_evd_post_se(tevd.evd, 4);
	kdapl_cno_modify(tcno.cno, KDAPL_CNO_DISARM, 0);
	EXPECT_NO_TRIGGER(test, &tcno, KDAPL_CNO_AGENT);
	KUNIT_EXPECT_EQ(test, kdapl_cno_modify(tcno.cno, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, kdapl_cno_modify(tcno.cno, 5, 0), -EINVAL);
}

/* It is for others that wait, and not for the agent, who had its own. */
static void cno_given_back(struct kunit *test)
{
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);

	kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 0);
	kdapl_evd_post_se(tevd.evd, 1);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
	EXPECT_TRIGGER(test, &tcno, KDAPL_CNO_AGENT, tevd.id);
	kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 0);
	KUNIT_EXPECT_EQ(test, kdapl_cno_modify(tcno.cno, KDAPL_CNO_GIVE_BACK, 0), 0);
	EXPECT_NO_TRIGGER(test, &tcno, KDAPL_CNO_AGENT);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
	EXPECT_NO_TRIGGER(test, &tcno, 0);
	/* There is another one by now. */
	kdapl_evd_post_se(tevd.evd, 2);
	kdapl_cno_modify(tcno.cno, KDAPL_CNO_GIVE_BACK, 0);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
	EXPECT_NO_TRIGGER(test, &tcno, 0);
}

/* Somebody waited on the EVD, and is no more: the agent hears of it, too. */
static void cno_told_again(struct kunit *test)
{
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);

	kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 0);
	kdapl_evd_tell(tevd.evd);
	EXPECT_NO_TRIGGER(test, &tcno, 0);
	EXPECT_NO_TRIGGER(test, &tcno, KDAPL_CNO_AGENT);
	kdapl_evd_post_se(tevd.evd, 1);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
	EXPECT_TRIGGER(test, &tcno, KDAPL_CNO_AGENT, tevd.id);
	kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 0);
	kdapl_evd_tell(tevd.evd);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
	EXPECT_TRIGGER(test, &tcno, KDAPL_CNO_AGENT, tevd.id);
}

/* Which of them, a wait tells; and an old trigger is not for a new one. */
static void cno_next_agent(struct kunit *test)
{
	struct kdapl_cno_wait arg = { .flags = KDAPL_CNO_AGENT };
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);

	kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 7);
	kdapl_evd_post_se(tevd.evd, 1);
	KUNIT_EXPECT_EQ(test, kdapl_cno_wait(tcno.cno, &arg), 0);
	KUNIT_EXPECT_EQ(test, arg.agent, 7U);

	kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 8);
	kdapl_evd_post_se(tevd.evd, 2);
	kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 9);
	EXPECT_NO_TRIGGER(test, &tcno, KDAPL_CNO_AGENT);
	kdapl_evd_post_se(tevd.evd, 3);
	KUNIT_EXPECT_EQ(test, kdapl_cno_wait(tcno.cno, &arg), 0);
	KUNIT_EXPECT_EQ(test, arg.agent, 9U);
}

static void cno_in_use(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);

	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tcno.id,
						KDAPL_OBJ_CNO), -EBUSY);
	/* The same again changes no count. */
	KUNIT_EXPECT_EQ(test, notify(&tevd, tcno.id, 1), 0);
	KUNIT_EXPECT_EQ(test, notify(&tevd, tevd.id, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, notify(&tevd, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tcno.id,
						KDAPL_OBJ_CNO), 0);
	KUNIT_EXPECT_EQ(test, notify(&tevd, tcno.id, 1), -ENOENT);
}

/* An EVD that is gone takes no CNO with it. */
static void cno_of_a_dead_evd(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, 0);

	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tevd.id,
						KDAPL_OBJ_EVD), 0);
	notify(&tevd, tcno.id, 1);
	KUNIT_EXPECT_EQ(test, tcno.cno->evds, 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tcno.id,
						KDAPL_OBJ_CNO), 0);
}

struct cno_waiter {
	struct test_cno *tcno;
	struct test_evd *tevd;
	struct kdapl_cno_wait arg;
	struct task_struct *task;
	struct completion done;
	int ret;
};

static int wait_thread(void *data)
{
	struct cno_waiter *waiter = data;

	waiter->ret = kdapl_cno_wait(waiter->tcno->cno, &waiter->arg);
	complete(&waiter->done);
	return 0;
}

static void waiter_start(struct kunit *test, struct cno_waiter *waiter,
			 struct test_cno *tcno, u32 flags)
{
	*waiter = (struct cno_waiter){
		.tcno = tcno,
		.arg = {
			.flags = flags,
			.deadline_ns = KDAPL_DEADLINE_NONE,
			.evd_user = ~0ULL,
		},
	};
	init_completion(&waiter->done);
	waiter->task = kthread_create(wait_thread, waiter, "cno_waiter");
	KUNIT_ASSERT_FALSE(test, IS_ERR(waiter->task));
	get_task_struct(waiter->task);
	wake_up_process(waiter->task);
	EXPECT_SOON(test, READ_ONCE(waiter->task->__state) ==
			  TASK_INTERRUPTIBLE &&
			  !READ_ONCE(waiter->task->on_rq));
	KUNIT_EXPECT_TRUE(test, wq_has_sleeper(&tcno->cno->wait));
}

static void expect_waited(struct kunit *test, struct cno_waiter *waiter,
			  int ret, u64 evd)
{
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&waiter->done,
							  20 * HZ), 0);
	kthread_stop_put(waiter->task);
	KUNIT_EXPECT_EQ(test, waiter->ret, ret);
	if (!ret)
		KUNIT_EXPECT_EQ(test, waiter->arg.evd_user, evd);
}

/* One of two gets the trigger; the other one sleeps on. */
static void cno_wakes_one(struct kunit *test)
{
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);
	struct cno_waiter waiters[2];

	waiter_start(test, &waiters[0], &tcno, 0);
	waiter_start(test, &waiters[1], &tcno, 0);
	kdapl_evd_post_se(tevd.evd, 1);
	EXPECT_SOON(test, completion_done(&waiters[0].done) !=
			  completion_done(&waiters[1].done));
	kdapl_evd_post_se(tevd.evd, 2);
	expect_waited(test, &waiters[0], 0, tevd.id);
	expect_waited(test, &waiters[1], 0, tevd.id);
}

static void cno_last_evd_releases(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_cno tcno = cno_make(test);
	struct test_evd one = evd_make(test, tcno.id);
	struct test_evd two = evd_make(test, tcno.id);
	struct cno_waiter waiter, agent;
	struct kdapl_cno_wait before = {};

	KUNIT_EXPECT_EQ(test, kdapl_cno_wait(tcno.cno, &before), -ETIMEDOUT);
	kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 0);
	waiter_start(test, &waiter, &tcno, 0);
	waiter_start(test, &agent, &tcno, KDAPL_CNO_AGENT);
	kdapl_obj_destroy(env->ia, one.id, KDAPL_OBJ_EVD);
	usleep_range(2000, 3000);
	KUNIT_EXPECT_FALSE(test, completion_done(&waiter.done));
	kdapl_obj_destroy(env->ia, two.id, KDAPL_OBJ_EVD);
	expect_waited(test, &waiter, 0, 0);
	expect_waited(test, &agent, 0, 0);
	/* That was once: later waits wait, unless they go on with an earlier one. */
	EXPECT_NO_TRIGGER(test, &tcno, 0);
	KUNIT_EXPECT_EQ(test, kdapl_cno_wait(tcno.cno, &before), 0);
}

static void cno_destroy_ends_the_agent(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_cno tcno = cno_make(test);
	struct cno_waiter agent;

	kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 0);
	waiter_start(test, &agent, &tcno, KDAPL_CNO_AGENT);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tcno.id,
						KDAPL_OBJ_CNO), 0);
	expect_waited(test, &agent, -ECANCELED, 0);
}

static void cno_release(struct kunit *test)
{
	struct test_cno tcno = cno_make(test);
	struct cno_waiter waiter;

	waiter_start(test, &waiter, &tcno, 0);
	kdapl_cno_modify(tcno.cno, KDAPL_CNO_RELEASE, 0);
	expect_waited(test, &waiter, 0, 0);
	EXPECT_TRIGGER(test, &tcno, 0, 0);
}

/* Who waits on the EVD itself keeps the CNO out of it. */
static int evd_wait_thread(void *data)
{
	struct cno_waiter *waiter = data;

	waiter->ret = env_wait(waiter->tevd->evd, 2, KDAPL_DEADLINE_NONE);
	complete(&waiter->done);
	return 0;
}

static void cno_behind_a_waiter(struct kunit *test)
{
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);
	struct cno_waiter waiter = { .tevd = &tevd };

	init_completion(&waiter.done);
	waiter.task = kthread_create(evd_wait_thread, &waiter, "evd_waiter");
	KUNIT_ASSERT_FALSE(test, IS_ERR(waiter.task));
	get_task_struct(waiter.task);
	wake_up_process(waiter.task);
	EXPECT_SOON(test, READ_ONCE(tevd.evd->wait_threshold) == 2);
	kdapl_evd_post_se(tevd.evd, 1);
	kdapl_evd_post_se(tevd.evd, 2);
	expect_waited(test, &waiter, 0, 0);
	EXPECT_NO_TRIGGER(test, &tcno, 0);
	kdapl_evd_post_se(tevd.evd, 3);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
}

/* One that stays in the queue, as a file's pollers do. */
struct cno_poller {
	struct wait_queue_entry entry;
	unsigned int wakes;
};

static int count_wake(struct wait_queue_entry *entry, unsigned int mode,
		      int flags, void *key)
{
	container_of(entry, struct cno_poller, entry)->wakes++;
	return 0;
}

/* Pollers are woken for a trigger, and for the agent's, but not for each event. */
static void cno_wakes_once(struct kunit *test)
{
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);
	struct cno_poller poller = {};
	u64 i;

	init_waitqueue_func_entry(&poller.entry, count_wake);
	add_wait_queue(&tcno.cno->wait, &poller.entry);
	for (i = 0; i < 4; i++)
		kdapl_evd_post_se(tevd.evd, i);
	KUNIT_EXPECT_EQ(test, poller.wakes, 1);
	kdapl_cno_modify(tcno.cno, KDAPL_CNO_ARM, 0);
	kdapl_evd_post_se(tevd.evd, 4);
	kdapl_evd_post_se(tevd.evd, 5);
	KUNIT_EXPECT_EQ(test, poller.wakes, 2);
	EXPECT_TRIGGER(test, &tcno, KDAPL_CNO_AGENT, tevd.id);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
	kdapl_evd_post_se(tevd.evd, 6);
	kdapl_evd_post_se(tevd.evd, 7);
	KUNIT_EXPECT_EQ(test, poller.wakes, 3);
	kdapl_cno_modify(tcno.cno, KDAPL_CNO_RELEASE, 0);
	KUNIT_EXPECT_EQ(test, poller.wakes, 4);
	remove_wait_queue(&tcno.cno->wait, &poller.entry);
}

/* ---- the file for poll() ------------------------------------------------- */

#define READABLE	((__force u32)(EPOLLIN | EPOLLRDNORM))
#define HUNG_UP		((__force u32)EPOLLHUP)

static u32 ready(struct file *filp)
{
	return (__force u32)vfs_poll(filp, NULL);
}

static struct file *file_of(struct kunit *test, struct kdapl_cno *cno)
{
	struct file *filp = kdapl_cno_file(cno);

	KUNIT_ASSERT_FALSE(test, IS_ERR(filp));
	return filp;
}

static void cno_file_shows_the_trigger(struct kunit *test)
{
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);
	struct file *filp = file_of(test, tcno.cno);
	struct file *other;

	KUNIT_EXPECT_EQ(test, ready(filp), 0);
	kdapl_evd_post_se(tevd.evd, 1);
	kdapl_evd_post_se(tevd.evd, 2);
	KUNIT_EXPECT_EQ(test, ready(filp), READABLE);
	/* Looking takes nothing, and another one shows the same. */
	KUNIT_EXPECT_EQ(test, ready(filp), READABLE);
	other = file_of(test, tcno.cno);
	KUNIT_EXPECT_EQ(test, ready(other), READABLE);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
	KUNIT_EXPECT_EQ(test, ready(filp), 0);
	KUNIT_EXPECT_EQ(test, ready(other), 0);
	__fput_sync(other);
	kdapl_evd_post_se(tevd.evd, 3);
	KUNIT_EXPECT_EQ(test, ready(filp), READABLE);
	kdapl_cno_modify(tcno.cno, KDAPL_CNO_RELEASE, 0);
	KUNIT_EXPECT_EQ(test, ready(filp), READABLE | HUNG_UP);
	__fput_sync(filp);
}

static void cno_file_closed_first(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_cno tcno = cno_make(test);
	struct test_evd tevd = evd_make(test, tcno.id);

	__fput_sync(file_of(test, tcno.cno));
	kdapl_evd_post_se(tevd.evd, 1);
	EXPECT_TRIGGER(test, &tcno, 0, tevd.id);
	KUNIT_EXPECT_EQ(test, notify(&tevd, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tcno.id,
						KDAPL_OBJ_CNO), 0);
}

/* Nothing but the file has a reference in the end. */
static void cno_file_outlives_it(struct kunit *test)
{
	struct env *env = test->priv;
	struct kdapl_cno_create arg = { .user = 5 };
	struct kdapl_obj *obj;
	struct file *filp;

	KUNIT_ASSERT_EQ(test, kdapl_cno_create(env->ia, &arg), 0);
	obj = kdapl_obj_get(env->ia, arg.id, KDAPL_OBJ_CNO);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	filp = file_of(test, to_cno(obj));
	kdapl_obj_put(obj);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, arg.id,
						KDAPL_OBJ_CNO), 0);
	/* Whoever was still to free it has. */
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, refcount_read(&obj->ref), 1);
	KUNIT_EXPECT_EQ(test, ready(filp), READABLE | HUNG_UP);
	__fput_sync(filp);
}

static struct kunit_case cno_cases[] = {
	KUNIT_CASE(cno_sticky),
	KUNIT_CASE(cno_hears_what_a_leaving_waiter_leaves),
	KUNIT_CASE(cno_disabled),
	KUNIT_CASE(cno_silent),
	KUNIT_CASE(cno_agent),
	KUNIT_CASE(cno_given_back),
	KUNIT_CASE(cno_told_again),
	KUNIT_CASE(cno_next_agent),
	KUNIT_CASE(cno_in_use),
	KUNIT_CASE(cno_of_a_dead_evd),
	KUNIT_CASE(cno_wakes_one),
	KUNIT_CASE(cno_last_evd_releases),
	KUNIT_CASE(cno_destroy_ends_the_agent),
	KUNIT_CASE(cno_release),
	KUNIT_CASE(cno_behind_a_waiter),
	KUNIT_CASE(cno_wakes_once),
	KUNIT_CASE(cno_file_shows_the_trigger),
	KUNIT_CASE(cno_file_closed_first),
	KUNIT_CASE(cno_file_outlives_it),
	{}
};

static struct kunit_suite cno_suite = {
	.name = "kdapl-cno",
	.init = env_init,
	.exit = env_exit,
	.test_cases = cno_cases,
};

kunit_test_suite(cno_suite);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* EVDs of a consumer in the kernel: dequeuing by a call, and its hook. */

#include <linux/kthread.h>

#include "env.h"

#define QLEN	8
#define FLAGS	(DAT_EVD_SOFTWARE_FLAG | DAT_EVD_DTO_FLAG)

static atomic_t arrivals;
static struct kdapl_evd *arrived_at;

static void arrived(struct kdapl_evd *evd)
{
	lockdep_assert_held(&evd->lock);
	arrived_at = evd;
	atomic_inc(&arrivals);
}

static const struct kdapl_evd_hooks hooks = { .arrived = arrived };

static int kernel_evd_init(struct kunit *test)
{
	atomic_set(&arrivals, 0);
	arrived_at = NULL;
	return env_init_kernel(test);
}

static struct test_evd evd_make(struct kunit *test)
{
	return env_evd(test->priv, QLEN, FLAGS);
}

/* The process that happens to run is not the consumer's. */
static void nobody_pays_for_it(struct kunit *test)
{
	evd_make(test);
	KUNIT_EXPECT_EQ(test, fake_cm.charged, 0);
	KUNIT_EXPECT_GT(test, fake_cm.free, 0);
}

/* An event with a record, which is never refused. */
static void post(struct kunit *test, struct test_evd *tevd, u64 cookie)
{
	const struct kdapl_event event = {
		.type = DAT_DTO_COMPLETION_EVENT,
		.cookie = cookie,
	};
	struct kdapl_evrec *rec = kdapl_evrec_alloc(tevd->evd->obj.ia);

	KUNIT_ASSERT_NOT_NULL(test, rec);
	kdapl_evd_post(tevd->evd, &event, rec);
}

static u32 take(struct kdapl_evd *evd, struct kdapl_event *event)
{
	u32 there;

	local_bh_disable();
	there = kdapl_evd_take(evd, event);
	local_bh_enable();
	return there;
}

static void expect_taken(struct kunit *test, struct test_evd *tevd, u64 cookie)
{
	struct kdapl_event event = {};

	KUNIT_EXPECT_TRUE(test, take(tevd->evd, &event));
	KUNIT_EXPECT_EQ(test, event.type, DAT_DTO_COMPLETION_EVENT);
	KUNIT_EXPECT_EQ(test, event.cookie, cookie);
}

static void expect_none(struct kunit *test, struct test_evd *tevd)
{
	struct kdapl_event event;

	KUNIT_EXPECT_FALSE(test, take(tevd->evd, &event));
}

/* ---- taking --------------------------------------------------------------- */

static void take_in_order(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	u64 posted = 0, taken = 0;
	unsigned int round;

	expect_none(test, &tevd);
	/* Several times round the ring, with another number queued each time. */
	for (round = 1; round <= QLEN; round++) {
		while (posted < taken + round)
			post(test, &tevd, posted++);
		KUNIT_EXPECT_EQ(test, kdapl_evd_count(tevd.evd), round);
		while (taken < posted)
			expect_taken(test, &tevd, taken++);
		expect_none(test, &tevd);
	}
}

/* What found no room comes in its turn, and leaves room for what comes later. */
static void take_moves_up(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	u64 i;

	for (i = 0; i < 3 * QLEN; i++)
		post(test, &tevd, i);
	KUNIT_EXPECT_EQ(test, tevd.evd->backlog_len, 2 * QLEN);
	for (i = 0; i < QLEN; i++)
		expect_taken(test, &tevd, i);
	KUNIT_EXPECT_EQ(test, tevd.evd->backlog_len, QLEN);
	post(test, &tevd, 3 * QLEN);
	for (; i <= 3 * QLEN; i++)
		expect_taken(test, &tevd, i);
	expect_none(test, &tevd);
	KUNIT_EXPECT_EQ(test, tevd.evd->backlog_len, 0);
}

static void take_after_resize(struct kunit *test)
{
	struct kdapl_evd_resize arg = { .qlen = 4 * QLEN };
	struct test_evd tevd = evd_make(test);
	u64 i;

	for (i = 0; i < QLEN + 2; i++)
		post(test, &tevd, i);
	expect_taken(test, &tevd, 0);
	KUNIT_ASSERT_EQ(test, kdapl_evd_resize(tevd.evd, &arg), 0);
	arg = (struct kdapl_evd_resize){ .flags = KDAPL_EVD_RESIZE_COMMIT };
	KUNIT_ASSERT_EQ(test, kdapl_evd_resize(tevd.evd, &arg), 0);
	for (i = 1; i < QLEN + 2; i++)
		expect_taken(test, &tevd, i);
	expect_none(test, &tevd);
}

static void take_from_freed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_evd tevd = evd_make(test);

	post(test, &tevd, 1);
	KUNIT_ASSERT_EQ(test, kdapl_obj_destroy(env->ia, tevd.id,
						KDAPL_OBJ_EVD), 0);
	expect_none(test, &tevd);
}

/* ---- the hook -------------------------------------------------------------- */

static void hook_is_called(struct kunit *test)
{
	struct test_evd tevd = evd_make(test), other = evd_make(test);

	kdapl_evd_hook(tevd.evd, &hooks);
	KUNIT_EXPECT_EQ(test, atomic_read(&arrivals), 0);
	post(test, &other, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&arrivals), 0);
	post(test, &tevd, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&arrivals), 1);
	KUNIT_EXPECT_PTR_EQ(test, arrived_at, tevd.evd);
	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, 2), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&arrivals), 2);
	/* Also for one that has to wait, but not once more when it moves up. */
	while (kdapl_evd_count(tevd.evd) <= QLEN)
		post(test, &tevd, 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&arrivals), QLEN + 1);
	expect_taken(test, &tevd, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&arrivals), QLEN + 1);

	kdapl_evd_hook(tevd.evd, NULL);
	post(test, &tevd, 4);
	KUNIT_EXPECT_EQ(test, atomic_read(&arrivals), QLEN + 1);
}

/* What came before it must not wait for what comes next. */
static void hook_hears_of_earlier(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);

	post(test, &tevd, 1);
	post(test, &tevd, 2);
	kdapl_evd_hook(tevd.evd, &hooks);
	KUNIT_EXPECT_EQ(test, atomic_read(&arrivals), 1);
}

static void hook_of_freed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_evd tevd = evd_make(test);

	post(test, &tevd, 1);
	KUNIT_ASSERT_EQ(test, kdapl_obj_destroy(env->ia, tevd.id,
						KDAPL_OBJ_EVD), 0);
	kdapl_evd_hook(tevd.evd, &hooks);
	post(test, &tevd, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&arrivals), 0);
}

#define RACE_EVENTS	20000

struct race {
	struct test_evd tevd;
	atomic_t taken;
	atomic64_t sum;
	atomic_t stop;
};

static int race_take(void *data)
{
	struct race *race = data;
	struct kdapl_event event;

	while (!atomic_read(&race->stop)) {
		while (take(race->tevd.evd, &event)) {
			atomic64_add(event.cookie, &race->sum);
			atomic_inc(&race->taken);
		}
		cond_resched();
	}
	while (!kthread_should_stop())
		usleep_range(100, 200);
	return 0;
}

/* Each event is taken once, whoever takes it. */
static void take_by_two(struct kunit *test)
{
	struct race race = { .tevd = evd_make(test) };
	struct task_struct *task[2];
	u64 i;

	for (i = 0; i < 2; i++) {
		task[i] = kthread_run(race_take, &race, "kdapl-take");
		KUNIT_ASSERT_FALSE(test, IS_ERR(task[i]));
	}
	for (i = 1; i <= RACE_EVENTS; i++) {
		post(test, &race.tevd, i);
		if (i % 64 == 0)
			cond_resched();
	}
	EXPECT_SOON(test, atomic_read(&race.taken) == RACE_EVENTS);
	atomic_set(&race.stop, 1);
	kthread_stop(task[0]);
	kthread_stop(task[1]);
	KUNIT_EXPECT_EQ(test, atomic_read(&race.taken), RACE_EVENTS);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&race.sum),
			(u64)RACE_EVENTS * (RACE_EVENTS + 1) / 2);
	expect_none(test, &race.tevd);
}

/* ---- an EP without a submission ring ----------------------------------------- */

static void ep_lives_and_ends(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, QLEN);
	struct kdapl_event event;

	kdapl_evd_hook(tep.conn.evd, &hooks);
	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, atomic_read(&arrivals), 1);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_GRACEFUL),
			0);
	EXPECT_SOON(test, atomic_read(&arrivals) == 2);
	KUNIT_EXPECT_TRUE(test, take(tep.conn.evd, &event));
	KUNIT_EXPECT_EQ(test, event.type, DAT_CONNECTION_EVENT_DISCONNECTED);
	KUNIT_EXPECT_EQ(test, event.user, ENV_USER);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_DISCONNECTED);
}

static struct kunit_case kernel_evd_cases[] = {
	KUNIT_CASE(nobody_pays_for_it),
	KUNIT_CASE(take_in_order),
	KUNIT_CASE(take_moves_up),
	KUNIT_CASE(take_after_resize),
	KUNIT_CASE(take_from_freed),
	KUNIT_CASE(hook_is_called),
	KUNIT_CASE(hook_hears_of_earlier),
	KUNIT_CASE(hook_of_freed),
	KUNIT_CASE(take_by_two),
	KUNIT_CASE(ep_lives_and_ends),
	{}
};

static struct kunit_suite kernel_evd_suite = {
	.name = "kdapl-kernel-evd",
	.init = kernel_evd_init,
	.exit = env_exit,
	.test_cases = kernel_evd_cases,
};

kunit_test_suite(kernel_evd_suite);

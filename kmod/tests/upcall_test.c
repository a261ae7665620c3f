// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Upcalls: who is called for which events, how often at once, and when no more. */

#include <linux/completion.h>
#include <linux/kthread.h>

#include <dat2/kdat_ext.h>

#include "../kapi/kapi.h"
#include "env.h"

#define QLEN		256
#define CALL_MS		20	/* a call that may not come would be there */
#define MANY		(3 * 64 + 1)	/* events: a turn calls for 64 */
#define BAD_ARG(n)							\
	((DAT_RETURN)DAT_ERROR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG##n))
#define SOFTWARE(number)						\
	((struct dat_event){						\
		.event_number = DAT_SOFTWARE_EVENT,			\
		.event_data.software_event_data.pointer =		\
			(void *)(uintptr_t)(number),			\
	})

/**
 * struct caller - a consumer's upcall, and what it saw
 * @kia: its IA
 * @evd: its EVD
 * @calls: how often it was called
 * @sum: of the events' pointers
 * @inside: calls that run
 * @most: of them at once
 * @hold: calls spin while it is set
 * @meet: calls wait until so many run at once, five seconds at most
 * @more: how many were told of others
 * @dequeue: calls take what is queued
 * @changes: the first call changes, when it begins
 * @changes_late: likewise, when it is held no more
 * @policy: to this
 * @change: and this
 * @changed: what came of it
 */
struct caller {
	struct kapi_ia *kia;
	DAT_EVD_HANDLE evd;
	atomic_t calls, inside, most, hold, more;
	atomic64_t sum;
	int meet;
	bool dequeue, changes, changes_late;
	DAT_UPCALL_POLICY policy;
	DAT_UPCALL_OBJECT change;
	DAT_RETURN changed;
};

/* What the rest of the module would give. */
const DAT_PROVIDER kapi_provider = { .device_name = "test" };

int kdapl_ia_enter(struct kdapl_ia *ia)
{
	return 0;
}

void kdapl_ia_enter_free(struct kdapl_ia *ia)
{
}

void kdapl_ia_leave(struct kdapl_ia *ia)
{
	void (*leaving)(void) = fake_listen.leaving;

	fake_listen.leaving = NULL;
	if (leaving)
		leaving();
}

/* Of the test that runs. */
static struct caller *the_caller;

static void saw(struct caller *caller, const DAT_EVENT *event)
{
	const DAT_SOFTWARE_EVENT_DATA *data =
		&event->event_data.software_event_data;

	atomic64_add((uintptr_t)data->pointer, &caller->sum);
}

static void change(struct caller *caller)
{
	caller->changed = dat_evd_modify_upcall(caller->evd, caller->policy,
						&caller->change,
						DAT_UPCALL_INVOC_ANY);
}

static void meet_others(struct caller *caller)
{
	ktime_t until = ktime_add_ms(ktime_get(), 5000);

	while (atomic_read(&caller->most) < caller->meet &&
	       ktime_before(ktime_get(), until))
		cpu_relax();
}

static void upcall(DAT_PVOID instance, const DAT_EVENT *event, DAT_BOOLEAN more)
{
	struct caller *caller = instance;
	int inside = atomic_inc_return(&caller->inside);
	DAT_EVENT taken;

	if (inside > atomic_read(&caller->most))
		atomic_set(&caller->most, inside);
	if (event)
		saw(caller, event);
	if (more)
		atomic_inc(&caller->more);
	if (caller->changes) {
		caller->changes = false;
		change(caller);
	}
	while (caller->dequeue &&
	       dat_evd_dequeue(caller->evd, &taken) == DAT_SUCCESS)
		saw(caller, &taken);
	atomic_inc(&caller->calls);
	while (atomic_read(&caller->hold))
		cpu_relax();
	meet_others(caller);
	if (caller->changes_late) {
		caller->changes_late = false;
		change(caller);
	}
	atomic_dec(&caller->inside);
}

static void caller_make(struct kunit *test, struct caller *caller,
			DAT_UPCALL_POLICY policy)
{
	const DAT_UPCALL_OBJECT object = {
		.instance_data = caller,
		.upcall_func = upcall,
	};

	KUNIT_ASSERT_EQ(test, DAT_SUCCESS,
			dat_evd_kcreate(caller->kia, QLEN, policy, &object,
					DAT_EVD_SOFTWARE_FLAG, &caller->evd));
}

static void post(struct kunit *test, struct caller *caller, u64 number)
{
	const DAT_EVENT event = SOFTWARE(number);

	KUNIT_EXPECT_EQ(test, DAT_SUCCESS,
			dat_evd_post_se(caller->evd, &event));
}

static void modify(struct kunit *test, struct caller *caller,
		   DAT_UPCALL_POLICY policy, DAT_UPCALL_FLAG flag)
{
	KUNIT_EXPECT_EQ(test, DAT_SUCCESS,
			dat_evd_modify_upcall(caller->evd, policy,
					      DAT_UPCALL_SAME, flag));
}

static int upcall_init(struct kunit *test)
{
	struct caller *caller;
	struct kapi_ia *kia;
	struct env *env;
	int ret;

	ret = env_init_kernel(test);
	if (ret)
		return ret;
	env = test->priv;
	kia = kunit_kzalloc(test, sizeof(*kia), GFP_KERNEL);
	caller = kunit_kzalloc(test, sizeof(*caller), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, kia);
	KUNIT_ASSERT_NOT_NULL(test, caller);
	kia->obj.magic = KAPI_MAGIC;
	kia->obj.type = DAT_HANDLE_TYPE_IA;
	kia->obj.ia = kia;
	kia->core = env->ia;
	xa_init(&kia->live);
	caller->kia = kia;
	the_caller = caller;
	return 0;
}

static struct caller *caller_of(struct kunit *test)
{
	return the_caller;
}

static void upcall_exit(struct kunit *test)
{
	struct caller *caller = caller_of(test);

	atomic_set(&caller->hold, 0);
	if (caller->evd)
		KUNIT_EXPECT_EQ(test, DAT_SUCCESS, dat_evd_free(caller->evd));
	KUNIT_EXPECT_TRUE(test, xa_empty(&caller->kia->live));
	rcu_barrier();
	env_exit(test);
}

static void disable_calls_nobody(struct kunit *test)
{
	struct caller *caller = caller_of(test);
	DAT_EVENT event;

	caller_make(test, caller, DAT_UPCALL_DISABLE);
	post(test, caller, 5);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&caller->calls));
	KUNIT_EXPECT_EQ(test, DAT_SUCCESS,
			dat_evd_dequeue(caller->evd, &event));
	KUNIT_EXPECT_EQ(test, (int)event.event_number, DAT_SOFTWARE_EVENT);
	KUNIT_EXPECT_PTR_EQ(test, event.evd_handle, caller->evd);
	KUNIT_EXPECT_EQ(test, DAT_QUEUE_EMPTY,
			DAT_GET_TYPE(dat_evd_dequeue(caller->evd, &event)));
}

static void single_gets_each_event(struct kunit *test)
{
	struct caller *caller = caller_of(test);
	int i;

	caller_make(test, caller, DAT_UPCALL_SINGLE_INSTANCE);
	for (i = 1; i <= 10; i++)
		post(test, caller, i);
	EXPECT_SOON(test, atomic_read(&caller->calls) == 10);
	KUNIT_EXPECT_EQ(test, 55, atomic64_read(&caller->sum));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->most));
}

/* All of them are there before the first one is told. */
static void queue_many(struct kunit *test, struct caller *caller, int n)
{
	int i;

	caller_make(test, caller, DAT_UPCALL_DISABLE);
	for (i = 1; i <= n; i++)
		post(test, caller, i);
	caller->change = (DAT_UPCALL_OBJECT){ caller, upcall };
}

/* More than are told in one turn, each once, and whether others wait. */
static void backlog_is_told(struct kunit *test, DAT_UPCALL_POLICY policy)
{
	struct caller *caller = caller_of(test);

	queue_many(test, caller, MANY);
	modify(test, caller, policy, DAT_UPCALL_INVOC_ANY);
	EXPECT_SOON(test, atomic_read(&caller->calls) == MANY);
	modify(test, caller, DAT_UPCALL_TEARDOWN, DAT_UPCALL_INVOC_NEW);
	KUNIT_EXPECT_EQ(test, MANY, atomic_read(&caller->calls));
	KUNIT_EXPECT_EQ(test, MANY * (MANY + 1) / 2,
			atomic64_read(&caller->sum));
	KUNIT_EXPECT_EQ(test, MANY - 1, atomic_read(&caller->more));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->most));
}

static void single_is_told_a_backlog(struct kunit *test)
{
	backlog_is_told(test, DAT_UPCALL_SINGLE_INSTANCE);
}

static void many_is_told_a_backlog(struct kunit *test)
{
	backlog_is_told(test, DAT_UPCALL_MANY);
}

/* With events left, the one that is told now is the last. */
static void disabled_in_an_upcall(struct kunit *test)
{
	struct caller *caller = caller_of(test);

	queue_many(test, caller, 10);
	caller->policy = DAT_UPCALL_DISABLE;
	caller->changes = true;
	modify(test, caller, DAT_UPCALL_SINGLE_INSTANCE, DAT_UPCALL_INVOC_ANY);
	EXPECT_SOON(test, atomic_read(&caller->calls) == 1);
	/* Nobody's turn comes before this. */
	modify(test, caller, DAT_UPCALL_TEARDOWN, DAT_UPCALL_INVOC_NEW);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->calls));
	modify(test, caller, DAT_UPCALL_SINGLE_INSTANCE, DAT_UPCALL_INVOC_ANY);
	EXPECT_SOON(test, atomic_read(&caller->calls) == 10);
	KUNIT_EXPECT_EQ(test, 55, atomic64_read(&caller->sum));
}

/* The next event of the same turn is told to the new one. */
static void replaced_in_an_upcall(struct kunit *test)
{
	struct caller *caller = caller_of(test), *next;

	next = kunit_kzalloc(test, sizeof(*next), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, next);
	queue_many(test, caller, 10);
	caller->policy = DAT_UPCALL_SINGLE_INSTANCE;
	caller->changes = true;
	caller->change.instance_data = next;
	modify(test, caller, DAT_UPCALL_SINGLE_INSTANCE, DAT_UPCALL_INVOC_ANY);
	EXPECT_SOON(test, atomic_read(&next->calls) == 9);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->calls));
	KUNIT_EXPECT_EQ(test, 1, atomic64_read(&caller->sum));
	KUNIT_EXPECT_EQ(test, 54, atomic64_read(&next->sum));
	modify(test, caller, DAT_UPCALL_TEARDOWN, DAT_UPCALL_INVOC_NEW);
}

static void notify_takes_nothing(struct kunit *test)
{
	struct caller *caller = caller_of(test);

	caller->dequeue = true;
	caller_make(test, caller, DAT_UPCALL_NOTIFY);
	post(test, caller, 7);
	post(test, caller, 8);
	EXPECT_SOON(test, atomic64_read(&caller->sum) == 15);
	KUNIT_EXPECT_LE(test, atomic_read(&caller->calls), 2);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->most));
}

struct poster {
	struct kunit *test;
	struct caller *caller;
	struct completion done;
	int cpu;
};

static int post_on(void *arg)
{
	struct poster *poster = arg;

	post(poster->test, poster->caller, 1);
	complete(&poster->done);
	return 0;
}

/* Its upcall is made on the same processor. */
static void post_elsewhere(struct kunit *test, struct poster *poster, int cpu)
{
	struct task_struct *task;

	poster->test = test;
	poster->caller = caller_of(test);
	init_completion(&poster->done);
	task = kthread_create(post_on, poster, "kdapl-poster");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, cpu);
	wake_up_process(task);
}

/* The test itself runs on another processor than those that are held. */
static int held_cpus(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two processors");
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	return cpumask_last(cpu_online_mask);
}

static void single_is_one_at_a_time(struct kunit *test)
{
	struct caller *caller = caller_of(test);
	struct poster poster;
	int cpu = held_cpus(test);

	atomic_set(&caller->hold, 1);
	caller_make(test, caller, DAT_UPCALL_SINGLE_INSTANCE);
	post_elsewhere(test, &poster, cpu);
	EXPECT_SOON(test, atomic_read(&caller->inside) == 1);
	/* Here the upcall finds another one running, which is told so. */
	post(test, caller, 2);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->inside));
	atomic_set(&caller->hold, 0);
	EXPECT_SOON(test, atomic64_read(&caller->sum) == 3);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->most));
	wait_for_completion(&poster.done);
}

/* Two of them, each on its processor, wait for each other. */
static void many_call_at_once(struct kunit *test)
{
	struct caller *caller = caller_of(test);
	struct poster poster;
	int cpu = held_cpus(test);

	caller->meet = 2;
	caller_make(test, caller, DAT_UPCALL_MANY);
	post_elsewhere(test, &poster, cpu);
	EXPECT_SOON(test, atomic_read(&caller->inside) == 1);
	post(test, caller, 2);
	EXPECT_SOON(test, atomic_read(&caller->calls) == 2);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&caller->most));
	KUNIT_EXPECT_EQ(test, 3, atomic64_read(&caller->sum));
	wait_for_completion(&poster.done);
}

/* As soon as somebody waits for it. */
static int release_when_stopping(void *arg)
{
	struct caller *caller = arg;
	struct kapi_evd *kevd = caller->evd;

	while (!READ_ONCE(kevd->stopping) && !kthread_should_stop())
		usleep_range(100, 1000);
	atomic_set(&caller->hold, 0);
	return 0;
}

/* Returns when the upcall that is held has ended, which it does behind the call. */
static void teardown_amid_upcall(struct kunit *test, struct caller *caller)
{
	struct task_struct *task;
	struct poster poster;
	int cpu = held_cpus(test);

	atomic_set(&caller->hold, 1);
	caller_make(test, caller, DAT_UPCALL_SINGLE_INSTANCE);
	post_elsewhere(test, &poster, cpu);
	EXPECT_SOON(test, atomic_read(&caller->inside) == 1);
	task = kthread_create(release_when_stopping, caller, "kdapl-release");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	modify(test, caller, DAT_UPCALL_TEARDOWN, DAT_UPCALL_INVOC_NEW);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&caller->inside));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&caller->hold));
	wait_for_completion(&poster.done);
	kthread_stop(task);
	put_task_struct(task);
	/* And nobody is called any more. */
	post(test, caller, 9);
	msleep(CALL_MS);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->calls));
}

static void teardown_waits(struct kunit *test)
{
	teardown_amid_upcall(test, caller_of(test));
}

/* The upcall that it waits for would have others begin. */
static void teardown_is_not_undone(struct kunit *test)
{
	struct caller *caller = caller_of(test);

	caller->policy = DAT_UPCALL_SINGLE_INSTANCE;
	caller->change = (DAT_UPCALL_OBJECT){ caller, upcall };
	caller->changes_late = true;
	teardown_amid_upcall(test, caller);
	KUNIT_EXPECT_EQ(test, DAT_INVALID_STATE, DAT_GET_TYPE(caller->changed));
	/* Afterwards that is its owner's business. */
	modify(test, caller, DAT_UPCALL_SINGLE_INSTANCE, DAT_UPCALL_INVOC_ANY);
	EXPECT_SOON(test, atomic_read(&caller->calls) == 2);
}

/* ---- an event that is not queued --------------------------------------------- */

static struct kdapl_evd *core_of(struct caller *caller)
{
	return ((struct kapi_evd *)caller->evd)->evd;
}

/* As the core asks. */
static bool claim(struct caller *caller)
{
	struct kdapl_evd *evd = core_of(caller);
	bool claimed;

	spin_lock_bh(&evd->lock);
	claimed = evd->hooks->claim(evd);
	spin_unlock_bh(&evd->lock);
	return claimed;
}

static void take(struct caller *caller, const struct kdapl_event *event)
{
	struct kdapl_evd *evd = core_of(caller);

	local_bh_disable();
	evd->hooks->take(evd, event);
	local_bh_enable();
}

static void take_software(struct caller *caller, u64 number)
{
	take(caller, &(struct kdapl_event){
		.type = DAT_SOFTWARE_EVENT,
		.cookie = number,
	});
}

/* It is as an upcall that runs. */
static void claimed_is_one_at_a_time(struct kunit *test)
{
	struct caller *caller = caller_of(test);

	caller_make(test, caller, DAT_UPCALL_SINGLE_INSTANCE);
	KUNIT_EXPECT_TRUE(test, claim(caller));
	KUNIT_EXPECT_FALSE(test, claim(caller));
	/* Queued behind it, and so is its upcall. */
	post(test, caller, 2);
	usleep_range(1000, 2000);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&caller->calls));
	take_software(caller, 1);
	EXPECT_SOON(test, atomic_read(&caller->calls) == 2);
	KUNIT_EXPECT_EQ(test, 3, atomic64_read(&caller->sum));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->most));
	/* The second upcall has been seen before its end. */
	EXPECT_SOON(test, claim(caller));
	take_software(caller, 4);
	KUNIT_EXPECT_EQ(test, 7, atomic64_read(&caller->sum));
}

static void claims_go_by_the_policy(struct kunit *test)
{
	static const DAT_UPCALL_POLICY others[] = {
		DAT_UPCALL_DISABLE, DAT_UPCALL_NOTIFY, DAT_UPCALL_MANY,
		DAT_UPCALL_TEARDOWN,
	};
	struct caller *caller = caller_of(test);
	int i;

	caller_make(test, caller, DAT_UPCALL_SINGLE_INSTANCE);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		KUNIT_EXPECT_TRUE(test, core_of(caller)->direct);
		modify(test, caller, others[i], DAT_UPCALL_INVOC_NEW);
		KUNIT_EXPECT_FALSE(test, core_of(caller)->direct);
		if (claim(caller)) {
			KUNIT_FAIL(test, "claimed with policy %d", others[i]);
			take_software(caller, 1);
		}
		modify(test, caller, DAT_UPCALL_SINGLE_INSTANCE,
		       DAT_UPCALL_INVOC_NEW);
	}
	KUNIT_EXPECT_TRUE(test, claim(caller));
	take_software(caller, 1);
}

/* Whoever was to be called when it was claimed. */
static void claimed_and_replaced(struct kunit *test)
{
	struct caller *caller = caller_of(test), *next;
	DAT_UPCALL_OBJECT object = { .upcall_func = upcall };

	next = kunit_kzalloc(test, sizeof(*next), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, next);
	object.instance_data = next;
	caller_make(test, caller, DAT_UPCALL_SINGLE_INSTANCE);
	KUNIT_EXPECT_TRUE(test, claim(caller));
	KUNIT_EXPECT_EQ(test, DAT_SUCCESS,
			dat_evd_modify_upcall(caller->evd,
					      DAT_UPCALL_SINGLE_INSTANCE,
					      &object, DAT_UPCALL_INVOC_NEW));
	take_software(caller, 1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->calls));
	KUNIT_EXPECT_TRUE(test, claim(caller));
	take_software(caller, 2);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&next->calls));
}

/* There is nobody to tell, and the next one comes. */
static void claimed_of_what_is_gone(struct kunit *test)
{
	struct caller *caller = caller_of(test);
	const struct kdapl_event request = {
		.type = DAT_CONNECTION_REQUEST_EVENT,
		.length = U32_MAX,
	};

	caller_make(test, caller, DAT_UPCALL_SINGLE_INSTANCE);
	KUNIT_EXPECT_TRUE(test, claim(caller));
	take(caller, &request);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&caller->calls));
	KUNIT_EXPECT_TRUE(test, claim(caller));
	take_software(caller, 1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->calls));
}

static int take_later(void *arg)
{
	usleep_range(20000, 30000);
	take_software(arg, 1);
	return 0;
}

/* Its upcall comes from another thread, in a while. */
static void claim_for_later(struct kunit *test, struct caller *caller)
{
	struct task_struct *task;

	caller_make(test, caller, DAT_UPCALL_SINGLE_INSTANCE);
	KUNIT_EXPECT_TRUE(test, claim(caller));
	task = kthread_run(take_later, caller, "kdapl-take");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
}

static void free_waits_for_a_claimed(struct kunit *test)
{
	struct caller *caller = caller_of(test);

	claim_for_later(test, caller);
	KUNIT_EXPECT_EQ(test, DAT_SUCCESS, dat_evd_free(caller->evd));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->calls));
	caller->evd = NULL;
}

static void teardown_waits_for_a_claimed(struct kunit *test)
{
	struct caller *caller = caller_of(test);

	claim_for_later(test, caller);
	modify(test, caller, DAT_UPCALL_TEARDOWN, DAT_UPCALL_INVOC_NEW);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&caller->calls));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&caller->inside));
}

/* ---- changes ----------------------------------------------------------------- */

static void any_sees_what_is_queued(struct kunit *test)
{
	struct caller *caller = caller_of(test);

	caller_make(test, caller, DAT_UPCALL_DISABLE);
	post(test, caller, 3);
	modify(test, caller, DAT_UPCALL_SINGLE_INSTANCE, DAT_UPCALL_INVOC_ANY);
	EXPECT_SOON(test, atomic64_read(&caller->sum) == 3);
}

static void new_waits_for_the_next(struct kunit *test)
{
	struct caller *caller = caller_of(test);

	caller_make(test, caller, DAT_UPCALL_DISABLE);
	post(test, caller, 3);
	modify(test, caller, DAT_UPCALL_SINGLE_INSTANCE, DAT_UPCALL_INVOC_NEW);
	msleep(CALL_MS);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&caller->calls));
	post(test, caller, 4);
	EXPECT_SOON(test, atomic64_read(&caller->sum) == 7);
}

static void bad_arguments_are_refused(struct kunit *test)
{
	struct caller *caller = caller_of(test);
	DAT_EVD_HANDLE evd;

	caller_make(test, caller, DAT_UPCALL_DISABLE);
	KUNIT_EXPECT_EQ(test, BAD_ARG(2),
			dat_evd_modify_upcall(caller->evd, 50, NULL, 0));
	KUNIT_EXPECT_EQ(test, BAD_ARG(4),
			dat_evd_modify_upcall(caller->evd, DAT_UPCALL_DISABLE,
					      NULL, 2));
	KUNIT_EXPECT_EQ(test, BAD_ARG(3),
			dat_evd_kcreate(caller->kia, QLEN, 50, NULL,
					DAT_EVD_SOFTWARE_FLAG, &evd));
	KUNIT_EXPECT_EQ(test, BAD_ARG(4),
			dat_evd_kcreate(caller->kia, QLEN, DAT_UPCALL_MANY,
					NULL, DAT_EVD_SOFTWARE_FLAG, &evd));
	KUNIT_EXPECT_EQ(test, DAT_INVALID_HANDLE,
			DAT_GET_TYPE(dat_evd_free(caller->kia)));
}

/* ---- a work in place of upcalls ----------------------------------------------- */

/**
 * struct taker - a consumer's work, and what it saw
 * @work: the work
 * @evd: its EVD
 * @sum: of the events' pointers
 * @runs: that have ended
 * @slow: a run takes a while
 */
struct taker {
	struct work_struct work;
	DAT_EVD_HANDLE evd;
	atomic64_t sum;
	atomic_t runs;
	bool slow;
};

static void taker_work(struct work_struct *work)
{
	struct taker *taker = container_of(work, struct taker, work);
	DAT_EVENT event;

	while (dat_evd_dequeue(taker->evd, &event) == DAT_SUCCESS)
		atomic64_add((uintptr_t)event.event_data
				     .software_event_data.pointer, &taker->sum);
	if (taker->slow)
		msleep(CALL_MS);
	atomic_inc(&taker->runs);
}

static struct taker *taker_make(struct kunit *test)
{
	struct caller *caller = caller_of(test);
	struct taker *taker = kunit_kzalloc(test, sizeof(*taker), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, taker);
	INIT_WORK(&taker->work, taker_work);
	KUNIT_ASSERT_EQ(test, DAT_SUCCESS,
			dat_ext_evd_create(caller->kia, QLEN, system_wq,
					   &taker->work, DAT_EVD_SOFTWARE_FLAG,
					   &taker->evd));
	/* Which the suite frees, and others post to. */
	caller->evd = taker->evd;
	return taker;
}

static void work_gets_each_event(struct kunit *test)
{
	struct taker *taker = taker_make(test);
	int i;

	for (i = 1; i <= 100; i++)
		post(test, caller_of(test), i);
	EXPECT_SOON(test, atomic64_read(&taker->sum) == 5050);
}

static void free_waits_for_a_work(struct kunit *test)
{
	struct taker *taker = taker_make(test);

	taker->slow = true;
	post(test, caller_of(test), 1);
	EXPECT_SOON(test, atomic64_read(&taker->sum) == 1);
	KUNIT_EXPECT_EQ(test, DAT_SUCCESS, dat_evd_free(taker->evd));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&taker->runs));
	KUNIT_EXPECT_FALSE(test, work_busy(&taker->work));
	caller_of(test)->evd = NULL;
}

static void work_has_no_upcalls(struct kunit *test)
{
	const DAT_UPCALL_OBJECT object = { NULL, upcall };
	struct taker *taker = taker_make(test);
	DAT_EVD_PARAM param;

	KUNIT_EXPECT_EQ(test, DAT_INVALID_STATE,
			DAT_GET_TYPE(dat_evd_modify_upcall(taker->evd,
							   DAT_UPCALL_MANY,
							   &object,
							   DAT_UPCALL_INVOC_ANY)));
	KUNIT_EXPECT_EQ(test, DAT_SUCCESS,
			dat_evd_query(taker->evd, DAT_EVD_FIELD_ALL, &param));
	KUNIT_EXPECT_EQ(test, (int)param.upcall_policy, DAT_UPCALL_DISABLE);
}

static void work_is_needed(struct kunit *test)
{
	struct kapi_ia *kia = caller_of(test)->kia;
	struct work_struct work;
	DAT_EVD_HANDLE evd;

	KUNIT_EXPECT_EQ(test, BAD_ARG(3),
			dat_ext_evd_create(kia, QLEN, NULL, &work,
					   DAT_EVD_SOFTWARE_FLAG, &evd));
	KUNIT_EXPECT_EQ(test, BAD_ARG(4),
			dat_ext_evd_create(kia, QLEN, system_wq, NULL,
					   DAT_EVD_SOFTWARE_FLAG, &evd));
	KUNIT_EXPECT_EQ(test, BAD_ARG(2),
			dat_ext_evd_create(kia, 0, system_wq, &work,
					   DAT_EVD_SOFTWARE_FLAG, &evd));
	KUNIT_EXPECT_EQ(test, BAD_ARG(6),
			dat_ext_evd_create(kia, QLEN, system_wq, &work,
					   DAT_EVD_SOFTWARE_FLAG, NULL));
	KUNIT_EXPECT_EQ(test, DAT_INVALID_HANDLE,
			DAT_GET_TYPE(dat_ext_evd_create(NULL, QLEN, system_wq,
							&work,
							DAT_EVD_SOFTWARE_FLAG,
							&evd)));
}

/* ---- under load --------------------------------------------------------------- */

static int post_many(void *arg)
{
	struct caller *caller = arg;
	const DAT_EVENT event = SOFTWARE(1);

	while (!kthread_should_stop()) {
		dat_evd_post_se(caller->evd, &event);
		cond_resched();
	}
	return 0;
}

/* Policies change, and the EVD's upcalls end, while events come. */
static void changes_under_load(struct kunit *test)
{
	static const DAT_UPCALL_POLICY policies[] = {
		DAT_UPCALL_MANY, DAT_UPCALL_SINGLE_INSTANCE,
		DAT_UPCALL_NOTIFY, DAT_UPCALL_DISABLE,
	};
	struct caller *caller = caller_of(test);
	struct task_struct *task;
	int i, before;

	caller->dequeue = true;
	caller_make(test, caller, DAT_UPCALL_MANY);
	task = kthread_run(post_many, caller, "kdapl-load");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (i = 0; i < 200; i++) {
		modify(test, caller, policies[i % ARRAY_SIZE(policies)],
		       DAT_UPCALL_INVOC_ANY);
		if (i % 10)
			continue;
		modify(test, caller, DAT_UPCALL_TEARDOWN, DAT_UPCALL_INVOC_NEW);
		before = atomic_read(&caller->calls);
		KUNIT_EXPECT_EQ(test, 0, atomic_read(&caller->inside));
		usleep_range(50, 100);
		KUNIT_EXPECT_EQ(test, before, atomic_read(&caller->calls));
	}
	modify(test, caller, DAT_UPCALL_MANY, DAT_UPCALL_INVOC_ANY);
	KUNIT_EXPECT_GT(test, atomic_read(&caller->calls), 0);
	kthread_stop(task);
}

static struct kunit_case upcall_cases[] = {
	KUNIT_CASE(disable_calls_nobody),
	KUNIT_CASE(single_gets_each_event),
	KUNIT_CASE(single_is_told_a_backlog),
	KUNIT_CASE(many_is_told_a_backlog),
	KUNIT_CASE(disabled_in_an_upcall),
	KUNIT_CASE(replaced_in_an_upcall),
	KUNIT_CASE(notify_takes_nothing),
	KUNIT_CASE(single_is_one_at_a_time),
	KUNIT_CASE(many_call_at_once),
	KUNIT_CASE(teardown_waits),
	KUNIT_CASE(teardown_is_not_undone),
	KUNIT_CASE(claimed_is_one_at_a_time),
	KUNIT_CASE(claims_go_by_the_policy),
	KUNIT_CASE(claimed_and_replaced),
	KUNIT_CASE(claimed_of_what_is_gone),
	KUNIT_CASE(teardown_waits_for_a_claimed),
	KUNIT_CASE(free_waits_for_a_claimed),
	KUNIT_CASE(any_sees_what_is_queued),
	KUNIT_CASE(new_waits_for_the_next),
	KUNIT_CASE(bad_arguments_are_refused),
	KUNIT_CASE(work_gets_each_event),
	KUNIT_CASE(free_waits_for_a_work),
	KUNIT_CASE(work_has_no_upcalls),
	KUNIT_CASE(work_is_needed),
	KUNIT_CASE(changes_under_load),
	{}
};

static struct kunit_suite upcall_suite = {
	.name = "kdapl-upcall",
	.init = upcall_init,
	.exit = upcall_exit,
	.test_cases = upcall_cases,
};

kunit_test_suite(upcall_suite);

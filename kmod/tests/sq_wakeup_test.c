// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * No post is lost: a program that rings only when NEED_WAKEUP tells it to, and
 * posts receives only by hw_recv, against a module that stops at the worst
 * moment. Each post must be taken without any more help.
 *
 * A test that cannot fail proves nothing, so everything is also run against a
 * module that forgets to look again (core_sq_forgetful.c): there, posts must
 * be found lost.
 */

#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/prandom.h>

#include "env.h"

static unsigned int wakeup_posts = 15000;
module_param(wakeup_posts, uint, 0444);
MODULE_PARM_DESC(wakeup_posts, "posts of each long test for lost wake-ups");

#define DEPTH		64
#define MANY		16	/* in flight so many, doorbells are spared */
#define DEVICE_KEEPS	32	/* so many and a burst are less than DEPTH */
#define PAUSE_US	60
#define LOW_MARK	4

/* Use another variant of the ring; nothing was posted yet. */
static void use_variant(struct env *env, const struct sq_variant *variant)
{
	struct kdapl_sq *sq = &env->ia->sq;

	kdapl_sq_stop(sq);
	kdapl_sq_destroy(sq);
	memset(sq, 0, sizeof(*sq));
	sq_used = variant;
	KUNIT_ASSERT_EQ(env->test, kdapl_sq_init(sq, env->ia, ENV_SQ_ENTRIES), 0);
}

/* Everything that was posted is taken. */
static bool all_taken(struct env *env)
{
	return prog_sq_head(env) == env->tail;
}

/*
 * Lost for good: something is left, nobody is going to look, and the program
 * was told that somebody would.
 */
static bool is_lost(struct env *env)
{
	struct kdapl_sq *sq = &env->ia->sq;

	return !all_taken(env) && !hrtimer_active(&sq->timer) &&
	       !work_busy(&sq->work) && !all_taken(env);
}

/* ---- one post at the worst moment -------------------------------------- */

struct worst_moment {
	struct env *env;
	u32 ep;
	int posts;		/* that are still to be made */
	bool must_ring;		/* the flag was set: no worst moment */
};

/* The module found the ring empty and has not yet set the flag. */
static void post_at_worst(void *context)
{
	struct worst_moment *worst = context;
	struct env *env = worst->env;
	struct kdapl_sq_status *status = env->ia->sq.status.addr;
	struct kdapl_sqe sqe;

	if (!worst->posts)
		return;
	worst->posts--;
	sqe = prog_sqe(env, worst->ep, KDAPL_OP_SEND, env->tail);
	prog_store(env, &sqe);
	/* The tail, a full barrier, the flag. */
	smp_mb();
	if (READ_ONCE(status->flags) & KDAPL_SQ_NEED_WAKEUP)
		worst->must_ring = true;
}

/* So many requests that, once taken, the flag is clear and a timer runs. */
static void store_many(struct env *env, struct test_ep *tep)
{
	struct kdapl_sqe sqe;
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		sqe = prog_sqe(env, tep->id, KDAPL_OP_SEND, env->tail);
		prog_store(env, &sqe);
	}
}

static void start_worst(struct env *env, struct test_ep *tep,
			struct worst_moment *worst)
{
	*worst = (struct worst_moment) { .env = env, .ep = tep->id, .posts = 1 };
	sq_halt.context = worst;
	sq_halt.fn = post_at_worst;
	sq_used->set_pause(1);
}

static void expect_worst(struct kunit *test, struct worst_moment *worst,
			 bool loses)
{
	struct env *env = worst->env;

	EXPECT_SOON(test, READ_ONCE(worst->posts) == 0);
	KUNIT_EXPECT_FALSE(test, worst->must_ring);
	if (loses) {
		EXPECT_SOON(test, is_lost(env));
		usleep_range(20000, 30000);
		KUNIT_EXPECT_TRUE(test, is_lost(env));
		kdapl_sq_doorbell(&env->ia->sq);
	}
	EXPECT_SOON(test, all_taken(env));
}

/* The timer finds nothing new and gives up looking. */
static void worst_of_timer(struct kunit *test, bool loses)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	/* A timer that runs late finds it yet. */
	static struct worst_moment worst;

	env_connect(env, &tep);
	start_worst(env, &tep, &worst);
	store_many(env, &tep);
	prog_ring(env);
	expect_worst(test, &worst, loses);
	sq_halt.fn = NULL;
}

/*
 * Too few requests are left in flight to go on looking. Here the timer that
 * was started for them would make up for a module that forgets.
 */
static void sq_worst_of_completion(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	static struct worst_moment worst;
	struct fake_qp *qp;

	env_connect(env, &tep);
	qp = env_qp(&tep);
	store_many(env, &tep);
	start_worst(env, &tep, &worst);
	/* One softirq after the other: the timer does not come in between. */
	local_bh_disable();
	env_kick(env);
	fake_report(qp, &qp->sq, MANY, IB_WC_SUCCESS);
	local_bh_enable();
	expect_worst(test, &worst, false);
	sq_halt.fn = NULL;
}

static void sq_worst_of_timer(struct kunit *test)
{
	worst_of_timer(test, false);
}

static void sq_forgetful_timer_is_caught(struct kunit *test)
{
	use_variant(test->priv, &forgetful_sq);
	worst_of_timer(test, true);
}

/*
 * One post clears the flag, and a second one waits for the timer. Nobody rings for
 * either: the first is taken along by a completion. There are completions to read.
 */
static void post_for_timer(struct kunit *test, struct test_ep *tep)
{
	struct env *env = test->priv;
	struct kdapl_sq_status *status = env->ia->sq.status.addr;
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, KDAPL_OP_SEND, 1);

	/* The timer that set the flag is through, and none comes in between. */
	kdapl_sq_sync(&env->ia->sq);
	local_bh_disable();
	prog_store(env, &sqe);
	env_kick(env);
	KUNIT_EXPECT_EQ(test, READ_ONCE(status->flags), 0);
	prog_store(env, &sqe);
	local_bh_enable();
	EXPECT_SOON(test, all_taken(env));
	EXPECT_SOON(test, READ_ONCE(status->flags) == KDAPL_SQ_NEED_WAKEUP);
}

/* A batch that has completed and is not read. */
static void leave_many_unread(struct kunit *test, struct test_ep *tep)
{
	struct env *env = test->priv;
	struct kdapl_sq_status *status = env->ia->sq.status.addr;
	u32 events = prog_events(&tep->request);

	store_many(env, tep);
	prog_ring(env);
	fake_complete(env_qp(tep), &env_qp(tep)->sq,
		      env_qp(tep)->sq.head - env_qp(tep)->sq.tail, IB_WC_SUCCESS);
	EXPECT_SOON(test, prog_events(&tep->request) >= events + MANY);
	EXPECT_SOON(test, READ_ONCE(status->flags) == KDAPL_SQ_NEED_WAKEUP);
}

/* Whether a doorbell for one more post leaves the flag set. */
static bool still_needs_wakeup(struct env *env, struct test_ep *tep)
{
	struct kdapl_sq_status *status = env->ia->sq.status.addr;
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, KDAPL_OP_SEND, 1);
	bool set;

	/* The timer that set the flag is through, and none comes in between. */
	kdapl_sq_sync(&env->ia->sq);
	local_bh_disable();
	prog_store(env, &sqe);
	env_kick(env);
	set = READ_ONCE(status->flags);
	local_bh_enable();
	return set;
}

/*
 * A program that leaves its completions unread and yet waits for each message is
 * found out when the timer had to come for a single one twice.
 */
static void sq_lone_post(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	env_connect(env, &tep);
	leave_many_unread(test, &tep);
	post_for_timer(test, &tep);
	post_for_timer(test, &tep);
	/* What is unread does not count now. */
	KUNIT_EXPECT_TRUE(test, still_needs_wakeup(env, &tep));
}

/* One that posts in batches is not, whenever the timer happens to come. */
static void sq_lone_post_of_a_stream(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	env_connect(env, &tep);
	leave_many_unread(test, &tep);
	post_for_timer(test, &tep);
	leave_many_unread(test, &tep);
	post_for_timer(test, &tep);
	KUNIT_EXPECT_FALSE(test, still_needs_wakeup(env, &tep));
}

/* A timer that comes while a program is in its call gives nothing up. */
static void sq_timer_in_a_call(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sq *sq = &env->ia->sq;
	struct kdapl_sq_status *status = sq->status.addr;

	env_connect(env, &tep);
	store_many(env, &tep);
	/* The timer does not come in between. */
	local_bh_disable();
	env_kick(env);
	spin_lock(&sq->lock);
	sq->drains++;
	spin_unlock(&sq->lock);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, READ_ONCE(status->flags), 0);
	usleep_range(20000, 30000);
	KUNIT_EXPECT_EQ(test, READ_ONCE(status->flags), 0);
	spin_lock_bh(&sq->lock);
	sq->drains--;
	spin_unlock_bh(&sq->lock);
	/* A timer that found the lock taken counts on us. */
	kdapl_sq_sync(sq);
	EXPECT_SOON(test, READ_ONCE(status->flags) == KDAPL_SQ_NEED_WAKEUP);
}

/**
 * struct ringer - a program that rings without sleeping
 * @env: whose ring
 * @rings: it is about to
 * @taken: what it rang for was taken when its call returned
 */
struct ringer {
	struct env *env;
	bool rings;
	bool taken;
};

static int ringer_thread(void *arg)
{
	struct ringer *ringer = arg;

	preempt_disable();
	WRITE_ONCE(ringer->rings, true);
	kdapl_sq_doorbell_atomic(&ringer->env->ia->sq);
	ringer->taken = all_taken(ringer->env);
	preempt_enable();
	while (!kthread_should_stop())
		usleep_range(100, 200);
	return 0;
}

/* Somebody else has the ring: the call waits, and then takes the entry itself. */
static void sq_atomic_doorbell_waits(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sq *sq = &env->ia->sq;
	struct ringer ringer = { .env = env };
	struct task_struct *thread;
	struct kdapl_sqe sqe;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two processors");
	env_connect(env, &tep);
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 1);
	thread = kthread_create(ringer_thread, &ringer, "kdapl ringer");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	spin_lock_bh(&sq->lock);
	prog_store(env, &sqe);
	wake_up_process(thread);
	while (!READ_ONCE(ringer.rings))
		cpu_relax();
	mdelay(1);
	spin_unlock_bh(&sq->lock);
	kthread_stop(thread);
	KUNIT_EXPECT_TRUE(test, ringer.taken);
}

/* Processors that come for the ring again and again, and find its lock taken. */
static int again_thread(void *arg)
{
	struct kdapl_sq *sq = arg;

	while (!kthread_should_stop()) {
		WRITE_ONCE(sq->again, true);
		cond_resched();
	}
	return 0;
}

/* Who looks for the others does not do it for ever, and yet nothing is left behind. */
static void sq_kick_comes_back(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sq *sq = &env->ia->sq;
	struct task_struct *thread;
	struct kdapl_sqe sqe;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two processors");
	env_connect(env, &tep);
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 1);
	thread = kthread_run(again_thread, sq, "kdapl again");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	EXPECT_SOON(test, READ_ONCE(sq->again));
	prog_store(env, &sqe);
	env_kick(env);
	EXPECT_SOON(test, all_taken(env));
	/* Nobody is left to say it: the worker settles the ring. */
	kthread_stop(thread);
	EXPECT_SOON(test, !work_busy(&sq->work));
	prog_store(env, &sqe);
	prog_ring(env);
	EXPECT_SOON(test, all_taken(env));
}

/* ---- many posts at any moment ------------------------------------------ */

/**
 * struct player - the device: completes what was posted, at random
 * @lock: held by it while it works, and by the program while it must not
 * @tep: the EP
 * @recv: completes receives one by one, else requests in lots, and now and then
 *	lets some lie: few are under way at a fast device, and all doorbells rung
 * @thread: it
 */
struct player {
	struct mutex lock;	/* see above */
	struct test_ep *tep;
	bool recv;
	struct task_struct *thread;
};

static int player_thread(void *arg)
{
	struct player *player = arg;
	struct fake_qp *qp = env_qp(player->tep);
	struct rnd_state rnd;
	u32 keep = 0;

	prandom_seed_state(&rnd, 2);
	while (!kthread_should_stop()) {
		u32 n = prandom_u32_state(&rnd);

		if ((n >> 14) % 64 == 0)
			keep = (n >> 20) % DEVICE_KEEPS;
		mutex_lock(&player->lock);
		if (player->recv)
			fake_report(qp, &qp->rq, 1, IB_WC_SUCCESS);
		else if (READ_ONCE(qp->sq.head) - READ_ONCE(qp->sq.tail) > keep)
			fake_report(qp, &qp->sq, n % 12, IB_WC_SUCCESS);
		mutex_unlock(&player->lock);
		udelay((n >> 8) % 64);
		cond_resched();
	}
	return 0;
}

static void player_start(struct kunit *test, struct player *player,
			 struct test_ep *tep, bool recv)
{
	mutex_init(&player->lock);
	player->tep = tep;
	player->recv = recv;
	player->thread = kthread_create(player_thread, player, "device");
	KUNIT_ASSERT_FALSE(test, IS_ERR(player->thread));
	wake_up_process(player->thread);
}

/* The slots of the EP that are free, as the program counts them. */
static u32 free_slots(struct test_ep *tep, u32 posted, bool recv)
{
	return DEPTH - (posted - (recv ? prog_ep(tep, recv_done) :
				       prog_ep(tep, done)));
}

/*
 * Spins, as a program that polls: sleeping would leave the worst moments to
 * others. False when the post is lost, or nothing happens for very long.
 */
static bool await_taken(struct env *env)
{
	unsigned long start = jiffies, well = jiffies;

	while (!all_taken(env)) {
		cond_resched();
		if (!is_lost(env))
			well = jiffies;
		/* A softirq on a slow processor may look like that for a while. */
		if (time_after(jiffies, well + 2 * HZ) ||
		    time_after(jiffies, start + 20 * HZ))
			return false;
	}
	return true;
}

static bool await_slots(struct test_ep *tep, u32 posted, u32 want, bool recv)
{
	unsigned long end = jiffies + 20 * HZ;

	while (free_slots(tep, posted, recv) < want) {
		if (time_after(jiffies, end))
			return false;
		cond_resched();
	}
	return true;
}

/**
 * struct run - what a long test saw
 * @posts: made
 * @rung: doorbells
 * @stops: times that the module stopped at the worst moment
 * @lost: a post was lost
 * @stuck: something else never happened
 */
struct run {
	u32 posts, rung, stops;
	bool lost, stuck;
};

/*
 * Bursts of posts at random moments. While the last one of a burst waits to
 * be taken the device does nothing, so that no completion helps.
 */
static struct run run_sends(struct env *env, struct test_ep *tep, u32 posts)
{
	struct player player;
	struct rnd_state rnd;
	struct run run = {};
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, KDAPL_OP_SEND, 0);
	u32 burst, i;

	sqe.flags = KDAPL_SQE_SUPPRESS;
	env->rings = 0;
	prandom_seed_state(&rnd, 3);
	player_start(env->test, &player, tep, false);
	while (run.posts < posts && !run.lost && !run.stuck) {
		u32 n = prandom_u32_state(&rnd);

		burst = 1 + n % 24;
		run.stuck = !await_slots(tep, run.posts, burst, false);
		for (i = 1; i < burst; i++)
			prog_post(env, &sqe);
		if (n & BIT(16))
			udelay((n >> 8) % 128);
		mutex_lock(&player.lock);
		if (n & BIT(17))
			udelay((n >> 18) % 128);
		prog_post(env, &sqe);
		run.posts += burst;
		run.lost = !await_taken(env);
		mutex_unlock(&player.lock);
	}
	kthread_stop(player.thread);
	run.rung = env->rings;
	run.stops = atomic_read(&sq_halt.count);
	return run;
}

static void sq_many_sends(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct run run;

	env_connect(env, &tep);
	sq_used->set_pause(PAUSE_US);
	run = run_sends(env, &tep, wakeup_posts);
	kunit_info(test, "%u posts, %u doorbells, %u stops\n", run.posts,
		   run.rung, run.stops);
	KUNIT_EXPECT_FALSE(test, run.lost);
	KUNIT_EXPECT_FALSE(test, run.stuck);
	KUNIT_EXPECT_GE(test, run.posts, wakeup_posts);
	/* The test was one: doorbells were spared, the module stopped often. */
	KUNIT_EXPECT_LT(test, run.rung, run.posts - run.posts / 50);
	KUNIT_EXPECT_GT(test, run.stops, wakeup_posts / 1000);
	/* Taken from the ring, the last one may still be on its way to the device. */
	EXPECT_SOON(test, READ_ONCE(env_qp(&tep)->sq.head) == run.posts);
	fake_complete(env_qp(&tep), &env_qp(&tep)->sq, DEPTH, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), run.posts);
	EXPECT_NO_EVENT(test, &tep.request);
}

/* The same test finds the forgetful module out. */
static void sq_many_sends_can_fail(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep;
	struct run run;

	use_variant(env, &forgetful_sq);
	tep = env_ep(env, DEPTH);
	env_connect(env, &tep);
	sq_used->set_pause(PAUSE_US);
	/* It ends with the first one that is lost, which is soon. */
	run = run_sends(env, &tep, 20 * wakeup_posts);
	kunit_info(test, "lost after %u posts, %u doorbells, %u stops\n",
		   run.posts, run.rung, run.stops);
	KUNIT_EXPECT_TRUE(test, run.lost);
	KUNIT_EXPECT_FALSE(test, run.stuck);
}

/* ---- receives ---------------------------------------------------------- */

/* As the program does it: ring only below the low mark. */
static void post_recv_lazily(struct env *env, struct test_ep *tep)
{
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, KDAPL_OP_RECV, env->tail);

	prog_store(env, &sqe);
	/* The tail, a full barrier, hw_recv. */
	smp_mb();
	if (prog_ep(tep, hw_recv) < LOW_MARK)
		prog_ring(env);
}

/* A receive that did not ring is taken when the next completion comes. */
static void sq_lazy_receive(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct fake_qp *qp = env_qp(&tep);
	unsigned int i;

	env_connect(env, &tep);
	for (i = 0; i < LOW_MARK; i++)
		post_recv_lazily(env, &tep);
	KUNIT_EXPECT_EQ(test, env->rings, LOW_MARK);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), LOW_MARK);
	post_recv_lazily(env, &tep);
	KUNIT_EXPECT_EQ(test, env->rings, LOW_MARK);
	KUNIT_EXPECT_FALSE(test, all_taken(env));
	fake_complete(qp, &qp->rq, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, all_taken(env));
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), LOW_MARK);
	KUNIT_EXPECT_EQ(test, env->rings, LOW_MARK);
}

/*
 * Receives complete while others are posted. When the device has used up what
 * it held, whatever the program did not ring for must have been taken.
 */
static void sq_many_receives(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct player player;
	u32 posts = wakeup_posts / 2, posted;
	bool stuck = false;

	env_connect(env, &tep);
	env->rings = 0;
	player_start(test, &player, &tep, true);
	for (posted = 0; posted < posts && !stuck; posted++) {
		stuck = !await_slots(&tep, posted, 1, true);
		post_recv_lazily(env, &tep);
		while (prog_events(&tep.recv))
			prog_next(&tep.recv);
		/* Let the device run dry now and then. */
		if (posted % 32 == 0)
			stuck |= !env_comes_true(prog_ep(&tep, recv_done) ==
						 posted + 1);
	}
	EXPECT_SOON(test, prog_ep(&tep, recv_done) == posted);
	kthread_stop(player.thread);
	kunit_info(test, "%u receives, %u doorbells\n", posted, env->rings);
	KUNIT_EXPECT_FALSE(test, stuck);
	KUNIT_EXPECT_TRUE(test, all_taken(env));
	KUNIT_EXPECT_LT(test, env->rings, posted);
}

static struct kunit_case sq_wakeup_cases[] = {
	KUNIT_CASE(sq_worst_of_timer),
	KUNIT_CASE(sq_worst_of_completion),
	KUNIT_CASE(sq_forgetful_timer_is_caught),
	KUNIT_CASE(sq_lone_post),
	KUNIT_CASE(sq_lone_post_of_a_stream),
	KUNIT_CASE(sq_timer_in_a_call),
	KUNIT_CASE(sq_atomic_doorbell_waits),
	KUNIT_CASE(sq_kick_comes_back),
	KUNIT_CASE_SLOW(sq_many_sends),
	KUNIT_CASE_SLOW(sq_many_sends_can_fail),
	KUNIT_CASE(sq_lazy_receive),
	KUNIT_CASE_SLOW(sq_many_receives),
	{}
};

static struct kunit_suite sq_wakeup_suite = {
	.name = "kdapl-sq-wakeup",
	.init = env_init,
	.exit = env_exit,
	.test_cases = sq_wakeup_cases,
};

kunit_test_suite(sq_wakeup_suite);

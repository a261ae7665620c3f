// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The submission ring with a program that keeps to the rules. */

#include "env.h"

/* Start ring, module and program at @index, as after so many posts. */
static void start_at(struct env *env, u32 index)
{
	struct kdapl_sq *sq = &env->ia->sq;
	struct kdapl_sq_status *status = sq->status.addr;

	sq->head = index;
	status->head = index;
	sq->ring->tail = index;
	env->tail = index;
}

static void sq_sizes(struct kunit *test)
{
	static const struct { u32 ask, get; int ret; } cases[] = {
		{ 0, KDAPL_SQ_DEFAULT },
		{ 1, 1 },
		{ 100, 128 },
		{ KDAPL_SQ_MAX, KDAPL_SQ_MAX },
		{ KDAPL_SQ_MAX + 1, 0, -ENOSPC },
		{ U32_MAX, 0, -ENOSPC },
	};
	struct env *env = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kdapl_sq *sq = kunit_kzalloc(test, sizeof(*sq), GFP_KERNEL);
		struct kdapl_sq_status *status;

		KUNIT_ASSERT_NOT_NULL(test, sq);
		KUNIT_EXPECT_EQ(test, kdapl_sq_init(sq, env->ia, cases[i].ask),
				cases[i].ret);
		if (cases[i].ret)
			continue;
		KUNIT_EXPECT_EQ(test, sq->mask + 1, cases[i].get);
		KUNIT_EXPECT_GE(test, sq->region->size, KDAPL_SQ_ENTRIES_OFFSET +
				cases[i].get * sizeof(struct kdapl_sqe));
		/* Nobody looks into it yet: the first post has to ring. */
		status = sq->status.addr;
		KUNIT_EXPECT_EQ(test, status->flags, KDAPL_SQ_NEED_WAKEUP);
		kdapl_sq_stop(sq);
		kdapl_sq_destroy(sq);
	}
}

/* Each entry is taken once and in order, wherever the indices stand. */
static void sq_order_and_wrap(struct kunit *test)
{
	static const u32 starts[] = { 0, ENV_SQ_ENTRIES - 1, INT_MAX - 7,
				      U32_MAX - 100, U32_MAX };
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 32);
	struct fake_qp *qp;
	u64 cookie = 0, want = 0;
	unsigned int i, n, burst;

	env_connect(env, &tep);
	qp = env_qp(&tep);
	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		start_at(env, starts[i]);
		/* Bursts of all lengths, so that each slot begins one. */
		for (n = 0; n < 4 * ENV_SQ_ENTRIES; n += burst) {
			burst = 1 + n % 31;
			for (; cookie < want + burst; cookie++) {
				struct kdapl_sqe sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, cookie);

				prog_store(env, &sqe);
			}
			prog_ring(env);
			EXPECT_SOON(test, prog_sq_head(env) == env->tail);
			EXPECT_SOON(test, READ_ONCE(qp->sq.head) == (u32)cookie);
			fake_complete(qp, &qp->sq, burst, IB_WC_SUCCESS);
			for (; want < cookie; want++)
				EXPECT_DTO(test, &tep.request, want, DAT_DTO_SUCCESS);
			EXPECT_NO_EVENT(test, &tep.request);
		}
	}
	KUNIT_EXPECT_EQ(test, (u64)qp->sq.head, cookie);
	KUNIT_EXPECT_EQ(test, (u64)prog_ep(&tep, done), cookie);
}

/* A slot is the program's again as soon as the head has passed it. */
static void sq_slot_is_free(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 200);
	struct kdapl_sq *sq = &env->ia->sq;
	unsigned int i;

	env_connect(env, &tep);
	for (i = 0; i < ENV_SQ_ENTRIES; i++)
		prog_post_op(env, &tep, KDAPL_OP_SEND, i);
	EXPECT_SOON(test, prog_sq_head(env) == env->tail);
	memset(sq->entries, 0xff, ENV_SQ_ENTRIES * sizeof(*sq->entries));
	/* The head passes an entry before the device has it. */
	EXPECT_SOON(test, READ_ONCE(env_qp(&tep)->sq.head) == ENV_SQ_ENTRIES);
	fake_complete(env_qp(&tep), &env_qp(&tep)->sq, 200, IB_WC_SUCCESS);
	for (i = 0; i < ENV_SQ_ENTRIES; i++)
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_SUCCESS);
}

/* More than one budget's worth: a worker takes the rest, the caller waits. */
static void sq_full_ring(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 200);
	struct kdapl_sqe sqe;
	unsigned int i;

	env_connect(env, &tep);
	for (i = 0; i < ENV_SQ_ENTRIES; i++) {
		sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, i);
		prog_store(env, &sqe);
	}
	prog_ring(env);
	/* At once: what the call found is taken when it returns. */
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), ENV_SQ_ENTRIES);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, ENV_SQ_ENTRIES);
}

/* In softirq the budget holds, and the rest is taken without help. */
static void sq_kick_takes_all(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 200);
	struct kdapl_sqe sqe;
	unsigned int i;

	env_connect(env, &tep);
	for (i = 0; i < ENV_SQ_ENTRIES; i++) {
		sqe = prog_sqe(env, tep.id, KDAPL_OP_RECV, i);
		prog_store(env, &sqe);
	}
	kdapl_sq_recvs_left(&env->ia->sq, 0);
	local_bh_disable();
	kdapl_sq_kick(&env->ia->sq);
	local_bh_enable();
	EXPECT_SOON(test, prog_sq_head(env) == env->tail);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), ENV_SQ_ENTRIES);
}

/* Completions of receives leave what stands in the ring to the program ... */
static void sq_kick_leaves_receives(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 62);
	struct fake_qp *qp;
	unsigned int i;
	struct kdapl_sqe sqe;

	env_connect(env, &tep);
	qp = env_qp(&tep);
	for (i = 0; i < KDAPL_SQ_PLENTY + 8; i++)
		prog_post_op(env, &tep, KDAPL_OP_RECV, i);
	sqe = prog_sqe(env, tep.id, KDAPL_OP_RECV, i);
	prog_store(env, &sqe);
	KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->rq, 8, IB_WC_SUCCESS), 8);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), KDAPL_SQ_PLENTY);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail - 1);
	/* ... until the device has not plenty any more. */
	KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->rq, 1, IB_WC_SUCCESS), 1);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), KDAPL_SQ_PLENTY);
}

/* ... or many wait. */
static void sq_kick_leaves_few_receives(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep teps[2] = { env_ep(env, 62), env_ep(env, 62) };
	struct fake_qp *qp;
	unsigned int i;
	struct kdapl_sqe sqe;

	for (i = 0; i < 2; i++)
		env_connect(env, &teps[i]);
	for (i = 0; i < 2 * KDAPL_SQ_PLENTY + 4; i++)
		prog_post_op(env, &teps[i & 1], KDAPL_OP_RECV, i);
	qp = env_qp(&teps[0]);
	for (i = 0; i < 32; i++) {
		sqe = prog_sqe(env, teps[i & 1].id, KDAPL_OP_RECV, i);
		prog_store(env, &sqe);
	}
	KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->rq, 1, IB_WC_SUCCESS), 1);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail - 32);
	prog_store(env, &sqe);
	KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->rq, 1, IB_WC_SUCCESS), 1);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail);
}

/* What one EP has plenty of does not keep another one's waiting. */
static void sq_kick_takes_for_who_is_low(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep rich = env_ep(env, 62), poor = env_ep(env, 62);
	struct fake_qp *qp;
	unsigned int i;
	struct kdapl_sqe sqe;

	env_connect(env, &rich);
	env_connect(env, &poor);
	for (i = 0; i < KDAPL_SQ_PLENTY + 8; i++)
		prog_post_op(env, &rich, KDAPL_OP_RECV, i);
	prog_post_op(env, &poor, KDAPL_OP_RECV, 0);
	sqe = prog_sqe(env, rich.id, KDAPL_OP_RECV, i);
	prog_store(env, &sqe);
	sqe = prog_sqe(env, poor.id, KDAPL_OP_RECV, 1);
	prog_store(env, &sqe);
	qp = env_qp(&poor);
	KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->rq, 1, IB_WC_SUCCESS), 1);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail);
	KUNIT_EXPECT_EQ(test, prog_ep(&poor, hw_recv), 1);
}

/* While the program need not ring for requests, whoever comes by looks. */
static void sq_kick_takes_requests(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 62);
	struct kdapl_sq *sq = &env->ia->sq;
	struct fake_qp *qp;
	struct kdapl_sqe sqe;
	unsigned int i;

	env_connect(env, &tep);
	qp = env_qp(&tep);
	for (i = 0; i < KDAPL_SQ_PLENTY + 8; i++)
		prog_post_op(env, &tep, KDAPL_OP_RECV, i);
	/* The timer does not come in between. */
	local_bh_disable();
	for (i = 0; i < 16; i++) {
		sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, i);
		prog_store(env, &sqe);
	}
	kdapl_sq_recvs_left(sq, 0);
	kdapl_sq_kick(sq);
	KUNIT_EXPECT_FALSE(test, sq->need_wakeup);
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, i);
	prog_store(env, &sqe);
	fake_report(qp, &qp->rq, 1, IB_WC_SUCCESS);
	kdapl_sq_kick(sq);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, qp->sq.head, 17);
}

static void sq_counts(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 32);
	u64 posts, doorbells, posts_now, doorbells_now;
	unsigned int i;

	env_connect(env, &tep);
	kdapl_sq_counters(&posts, &doorbells);
	env->rings = 0;
	for (i = 0; i < 5; i++)
		prog_post_op(env, &tep, KDAPL_OP_SEND, i);
	kdapl_sq_counters(&posts_now, &doorbells_now);
	KUNIT_EXPECT_EQ(test, posts_now - posts, 5);
	KUNIT_EXPECT_EQ(test, doorbells_now - doorbells, env->rings);
	/* With so few in flight, each has to ring. */
	KUNIT_EXPECT_EQ(test, env->rings, 5);
}

/* After the stop entries stay where they are. */
static void sq_stopped(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 32);

	env_connect(env, &tep);
	prog_post_op(env, &tep, KDAPL_OP_SEND, 1);
	kdapl_sq_stop(&env->ia->sq);
	prog_post_op(env, &tep, KDAPL_OP_SEND, 2);
	kdapl_sq_doorbell(&env->ia->sq);
	kdapl_sq_kick(&env->ia->sq);
	usleep_range(1000, 2000);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail - 1);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 1);
	/* Completions still come, and end nothing but themselves. */
	fake_complete(env_qp(&tep), &env_qp(&tep)->sq, 1, IB_WC_SUCCESS);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&env->ia->sq.timer));
}

/* Many EPs on one ring: each gets its own, none waits for another. */
static void sq_many_eps(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep teps[4];
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(teps); i++) {
		teps[i] = env_ep(env, 64);
		env_connect(env, &teps[i]);
	}
	for (n = 0; n < 40; n++) {
		prog_post_op(env, &teps[(n * 7) % 4], KDAPL_OP_SEND, n);
		EXPECT_SOON(test, prog_sq_head(env) == env->tail);
	}
	for (i = 0; i < ARRAY_SIZE(teps); i++) {
		struct fake_qp *qp = env_qp(&teps[i]);

		EXPECT_SOON(test, READ_ONCE(qp->sq.head) == 10);
		KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->sq, 64, IB_WC_SUCCESS), 10);
		for (n = 0; n < 40; n++) {
			if ((n * 7) % 4 == i)
				EXPECT_DTO(test, &teps[i].request, n, DAT_DTO_SUCCESS);
		}
	}
}

static struct kunit_case sq_cases[] = {
	KUNIT_CASE(sq_sizes),
	KUNIT_CASE(sq_order_and_wrap),
	KUNIT_CASE(sq_slot_is_free),
	KUNIT_CASE(sq_full_ring),
	KUNIT_CASE(sq_kick_takes_all),
	KUNIT_CASE(sq_kick_leaves_receives),
	KUNIT_CASE(sq_kick_leaves_few_receives),
	KUNIT_CASE(sq_kick_takes_for_who_is_low),
	KUNIT_CASE(sq_kick_takes_requests),
	KUNIT_CASE(sq_counts),
	KUNIT_CASE(sq_stopped),
	KUNIT_CASE(sq_many_eps),
	{}
};

static struct kunit_suite sq_suite = {
	.name = "kdapl-sq",
	.init = env_init,
	.exit = env_exit,
	.test_cases = sq_cases,
};

kunit_test_suite(sq_suite);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Who takes a completion. A doorbell for a large request does, when a prompt device has
 * completed it by its end; and a handler that is called by a tasklet. In these cases no
 * softirq polls, unless one says so: else a completion stays.
 */

#include "env.h"

#define LARGE	4096	/* bytes, at least */
#define TARDY	64	/* doorbells that a device is left alone for which was not prompt */
#define FEW	4	/* requests that a doorbell may hold others up for */
#define DEPTH	(TARDY + 16)

static void completes_at_once(struct fake_qp *qp)
{
	fake_report(qp, &qp->sq, DEPTH, IB_WC_SUCCESS);
}

/* Connected, over such a device. */
static struct test_ep large_ep(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	BUILD_BUG_ON(LARGE > ENV_LMR_LENGTH);
	env_connect(env, &tep);
	irq_poll_disable(&tep.ep->cq->iop);
	env->dev->sent = completes_at_once;
	return tep;
}

static void end(struct kunit *test, struct test_ep *tep)
{
	struct env *env = test->priv;

	env->dev->sent = NULL;
	irq_poll_enable(&tep->ep->cq->iop);
	kdapl_cq_drain(tep->ep->cq);
}

static void store(struct kunit *test, struct test_ep *tep, u32 length, u64 cookie)
{
	struct kdapl_sqe sqe = prog_sqe(test->priv, tep->id, KDAPL_OP_SEND,
					cookie);

	sqe.seg[0].length = length;
	prog_store(test->priv, &sqe);
}

static void post(struct kunit *test, struct test_ep *tep, u32 length, u64 cookie)
{
	struct env *env = test->priv;

	store(test, tep, length, cookie);
	kdapl_cq_doorbell(env->ia);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail);
}

/* Somebody may want the processor just then: not that often. */
static u32 taken_of(struct kunit *test, struct test_ep *tep, u32 tries)
{
	u32 i;

	for (i = 0; i < tries && !prog_events(&tep->request); i++)
		post(test, tep, LARGE, i);
	return prog_events(&tep->request);
}

static void cq_doorbell_takes_large(struct kunit *test)
{
	struct test_ep tep = large_ep(test);
	u32 taken;

	/* The first one comes unexpectedly. */
	post(test, &tep, LARGE, 0);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_GE(test, taken_of(test, &tep, 10), 2);
	end(test, &tep);

	/* The queue is armed, and its handler works. */
	taken = prog_events(&tep.request);
	post(test, &tep, 64, 0);
	KUNIT_EXPECT_EQ(test, fake_report(env_qp(&tep), &env_qp(&tep)->sq, 1,
					  IB_WC_SUCCESS), 1);
	EXPECT_SOON(test, prog_events(&tep.request) == taken + 1);
}

static void cq_doorbell_leaves_small(struct kunit *test)
{
	struct test_ep tep = large_ep(test);
	u32 i;

	for (i = 0; i < DEPTH; i++)
		post(test, &tep, LARGE - 1, i);
	EXPECT_NO_EVENT(test, &tep.request);
	end(test, &tep);
}

/* Who else waits would wait for them all. */
static void cq_doorbell_leaves_many(struct kunit *test)
{
	struct test_ep tep = large_ep(test);
	u32 i;

	post(test, &tep, LARGE, 0);
	for (i = 0; i < FEW; i++)
		store(test, &tep, LARGE, i);
	post(test, &tep, LARGE, i);
	EXPECT_NO_EVENT(test, &tep.request);
	end(test, &tep);
}

/* A device that has completed nothing by the end of a doorbell has its peace. */
static void cq_doorbell_leaves_tardy(struct kunit *test)
{
	struct test_ep tep = large_ep(test);
	struct env *env = test->priv;
	u32 i;

	env->dev->sent = NULL;
	post(test, &tep, LARGE, 0);
	for (i = 0; i < 10 && !env->ia->tardy; i++)
		post(test, &tep, LARGE, i);
	KUNIT_EXPECT_EQ(test, env->ia->tardy, TARDY);

	env->dev->sent = completes_at_once;
	for (i = 0; i < TARDY; i++)
		post(test, &tep, LARGE, i);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_GE(test, taken_of(test, &tep, 5), TARDY);
	end(test, &tep);
}

/* A doorbell for receives says nothing of it. */
static void cq_doorbell_of_receives(struct kunit *test)
{
	struct test_ep tep = large_ep(test);
	struct env *env = test->priv;
	struct kdapl_sqe sqe;
	u32 i;

	post(test, &tep, LARGE, 0);
	kdapl_cq_drain(tep.ep->cq);
	for (i = 0; i < 10; i++) {
		sqe = prog_sqe(env, tep.id, KDAPL_OP_RECV, i);
		prog_store(env, &sqe);
		kdapl_cq_doorbell(env->ia);
	}
	KUNIT_EXPECT_EQ(test, env->ia->tardy, 0);
	end(test, &tep);
}

/* ---- a device that tells by a tasklet ------------------------------------- */

/* Connected, with one message on its way for each of @n. */
static struct test_ep tasklet_ep(struct kunit *test, u32 n)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 i;

	env_connect(env, &tep);
	tep.ep->cq->told_by_tasklet = true;
	for (i = 0; i < n; i++)
		post(test, &tep, 64, i);
	return tep;
}

/* As a tasklet would: what it raises does not run before it returns. */
static u32 complete_in_softirq(struct test_ep *tep, u32 n)
{
	u32 events;

	local_bh_disable();
	fake_report(env_qp(tep), &env_qp(tep)->sq, n, IB_WC_SUCCESS);
	events = prog_events(&tep->request);
	local_bh_enable();
	return events;
}

static void cq_tasklet_takes(struct kunit *test)
{
	struct test_ep tep = tasklet_ep(test, 8);

	KUNIT_EXPECT_EQ(test, complete_in_softirq(&tep, 1), 1);
	/* It armed the queue again. */
	KUNIT_EXPECT_EQ(test, complete_in_softirq(&tep, 3), 4);
	KUNIT_EXPECT_EQ(test, complete_in_softirq(&tep, 4), 8);
}

/* More than one call may take: a softirq sees to the rest. */
static void cq_tasklet_leaves_flood(struct kunit *test)
{
	struct test_ep tep = tasklet_ep(test, DEPTH);

	BUILD_BUG_ON(DEPTH <= 64);
	KUNIT_EXPECT_EQ(test, complete_in_softirq(&tep, DEPTH), 64);
	EXPECT_SOON(test, prog_events(&tep.request) == DEPTH);
}

/* Somebody has the queue, or destroys it. */
static void cq_tasklet_leaves_to_poller(struct kunit *test)
{
	struct test_ep tep = tasklet_ep(test, 2);

	irq_poll_disable(&tep.ep->cq->iop);
	KUNIT_EXPECT_EQ(test, complete_in_softirq(&tep, 1), 0);
	irq_poll_enable(&tep.ep->cq->iop);
	kdapl_cq_drain(tep.ep->cq);
	KUNIT_EXPECT_EQ(test, prog_events(&tep.request), 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(cq_tasklet_takes),
	KUNIT_CASE(cq_tasklet_leaves_flood),
	KUNIT_CASE(cq_tasklet_leaves_to_poller),
	KUNIT_CASE(cq_doorbell_takes_large),
	KUNIT_CASE(cq_doorbell_leaves_small),
	KUNIT_CASE(cq_doorbell_leaves_many),
	KUNIT_CASE(cq_doorbell_leaves_tardy),
	KUNIT_CASE(cq_doorbell_of_receives),
	{}
};

static struct kunit_suite suite = {
	.name = "kdapl-cq",
	.init = env_init,
	.exit = env_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Polling for a program: few queues, and the right one among them. */

#include <linux/list.h>

#include "../cq.h"
#include "env.h"

#define EPS		40
#define EP_MAX		32	/* receives, and as many requests */
#define MOST_POLLED	8

/* An EP with a completion queue to itself. */
static void make_ep(struct env *env, struct test_ep *first)
{
	struct kdapl_ep_create arg = {
		.pz = env->pz,
		.recv_evd = first->recv.id,
		.max_recvs = EP_MAX,
		.max_requests = EP_MAX,
		.max_recv_iov = 1,
		.max_request_iov = 1,
	};

	KUNIT_ASSERT_EQ(env->test, kdapl_ep_create(env->ia, &arg), 0);
}

static unsigned int count(struct env *env)
{
	struct kdapl_cq *cq;
	unsigned int n = 0;

	list_for_each_entry(cq, &env->ia->cqs, list)
		n++;
	return n;
}

/* How many queues one call polls; whether @cq is one of them. */
static unsigned int polled(struct env *env, struct kdapl_evd *evd,
			   const struct kdapl_cq *cq, bool *one)
{
	struct kdapl_cq *each;
	unsigned int n = 0;

	list_for_each_entry(each, &env->ia->cqs, list)
		to_fake_cq(each->ibcq)->polled = false;
	KUNIT_EXPECT_EQ(env->test, kdapl_cq_busy_poll(env->ia, evd), -ETIME);
	list_for_each_entry(each, &env->ia->cqs, list) {
		KUNIT_EXPECT_FALSE(env->test, each->busy);
		n += to_fake_cq(each->ibcq)->polled;
	}
	*one = to_fake_cq(cq->ibcq)->polled;
	return n;
}

/* However many queues a program has made. */
static void cq_busy_few(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep first;
	bool feeder;
	int i;

	env->dev->ib.attrs.max_cqe = 2 * EP_MAX;
	first = env_ep(env, EP_MAX);
	/* The processor may be wanted just when it polls. */
	EXPECT_SOON(test, polled(env, first.request.evd, first.ep->cq,
				 &feeder) == 1 && feeder);

	for (i = 1; i < EPS; i++)
		make_ep(env, &first);
	KUNIT_ASSERT_EQ(test, count(env), EPS);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_LE(test, polled(env, first.request.evd,
					     first.ep->cq, &feeder),
				MOST_POLLED);
	/* Only the first EP completes requests there. */
	EXPECT_SOON(test, polled(env, first.request.evd, first.ep->cq,
				 &feeder) == MOST_POLLED && feeder);
}

static struct kunit_case cq_cases[] = {
	KUNIT_CASE(cq_busy_few),
	{}
};

static struct kunit_suite cq_suite = {
	.name = "kdapl-cq",
	.init = env_init,
	.exit = env_exit,
	.test_cases = cq_cases,
};

kunit_test_suite(cq_suite);

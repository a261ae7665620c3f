// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How many RDMA reads two ends settle on when one accepts the other's request. */

#include "../cm_qp.h"
#include "env.h"

#define OWN	16	/* reads, served and asked at a time */

/* An EP whose values are its consumer's, or defaults. */
static struct kdapl_ep *ep_of(struct kunit *test, bool fixed)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 4);

	env->ia->max_read_in = 2 * OWN;
	tep.ep->rdma_read_in = OWN;
	tep.ep->rdma_read_out = OWN;
	tep.ep->rdma_read_fixed = fixed;
	return tep.ep;
}

static int settle(struct kdapl_ep *ep, u8 serves, u8 asks)
{
	const struct rdma_conn_param request = {
		.initiator_depth = serves,
		.responder_resources = asks,
	};

	return kdapl_cm_settle_passive(ep, &request);
}

static void expect_depths(struct kunit *test, const struct kdapl_ep *ep, u32 in,
			  u32 out)
{
	KUNIT_EXPECT_EQ(test, ep->rdma_read_in, in);
	KUNIT_EXPECT_EQ(test, ep->rdma_read_out, out);
}

static void become(struct kunit *test, u32 driver)
{
	struct env *env = test->priv;

	env->ia->iwarp = true;
	env->dev->ib.ops.driver_id = driver;
}

static void cm_qp_defaults_over_ib(struct kunit *test)
{
	struct kdapl_ep *ep = ep_of(test, false);

	KUNIT_EXPECT_EQ(test, settle(ep, 4, 8), 0);
	expect_depths(test, ep, 8, 4);
	KUNIT_EXPECT_EQ(test, settle(ep, OWN, 3 * OWN), 0);
	expect_depths(test, ep, 2 * OWN, 4);
	KUNIT_EXPECT_EQ(test, settle(ep, 0, 0), 0);
	expect_depths(test, ep, 0, 0);
}

static void cm_qp_fixed_over_ib(struct kunit *test)
{
	struct kdapl_ep *ep = ep_of(test, true);

	KUNIT_EXPECT_EQ(test, settle(ep, 1, 2 * OWN), 0);
	expect_depths(test, ep, OWN, OWN);
}

static void cm_qp_fixed_over_siw(struct kunit *test)
{
	struct kdapl_ep *ep = ep_of(test, true);

	become(test, RDMA_DRIVER_SIW);
	KUNIT_EXPECT_EQ(test, settle(ep, OWN, OWN), 0);
	KUNIT_EXPECT_EQ(test, settle(ep, OWN - 1, OWN), -EINVAL);
	KUNIT_EXPECT_EQ(test, settle(ep, OWN, OWN + 1), -EINVAL);
	ep->rdma_read_in = 0;
	KUNIT_EXPECT_EQ(test, settle(ep, OWN, OWN + 1), 0);
	expect_depths(test, ep, 0, OWN);
}

static void cm_qp_defaults_over_siw(struct kunit *test)
{
	struct kdapl_ep *ep = ep_of(test, false);

	become(test, RDMA_DRIVER_SIW);
	KUNIT_EXPECT_EQ(test, settle(ep, 4, 0), 0);
	expect_depths(test, ep, 0, 4);
}

/* irdma says nothing of what the peer may ask: it may ask what we serve. */
static void cm_qp_defaults_over_irdma(struct kunit *test)
{
	struct kdapl_ep *ep = ep_of(test, false);

	become(test, RDMA_DRIVER_IRDMA);
	KUNIT_EXPECT_EQ(test, settle(ep, 4, 0), 0);
	expect_depths(test, ep, OWN, 4);
	KUNIT_EXPECT_EQ(test, settle(ep, 0, 0), 0);
	expect_depths(test, ep, OWN, 4);
}

/* erdma says what its device can, whatever the peer wishes: nobody is refused for it. */
static void cm_qp_fixed_over_erdma(struct kunit *test)
{
	struct kdapl_ep *ep = ep_of(test, true);

	become(test, RDMA_DRIVER_ERDMA);
	KUNIT_EXPECT_EQ(test, settle(ep, 2 * OWN, 2 * OWN), 0);
	expect_depths(test, ep, OWN, OWN);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(cm_qp_defaults_over_ib),
	KUNIT_CASE(cm_qp_fixed_over_ib),
	KUNIT_CASE(cm_qp_fixed_over_siw),
	KUNIT_CASE(cm_qp_defaults_over_siw),
	KUNIT_CASE(cm_qp_defaults_over_irdma),
	KUNIT_CASE(cm_qp_fixed_over_erdma),
	{}
};

static struct kunit_suite suite = {
	.name = "kdapl-cm-qp",
	.init = env_init,
	.exit = env_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);

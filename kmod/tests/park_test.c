// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Receives that the device does not take yet: on iWARP, while it connects. */

#include "env.h"

#define DEPTH	8

static int park_init(struct kunit *test)
{
	int ret = env_init(test);
	struct env *env = test->priv;

	if (!ret)
		env->ia->iwarp = true;
	return ret;
}

static void post_recv(struct env *env, struct test_ep *tep, u64 cookie)
{
	prog_post_op(env, tep, KDAPL_OP_RECV, cookie);
}

static void begin(struct kunit *test, struct test_ep *tep)
{
	KUNIT_EXPECT_EQ(test, kdapl_ep_begin(tep->ep, KDAPL_EP_ACTIVE_PENDING),
			0);
}

/* The device refuses until it is told otherwise; @n receives wait for that. */
static struct test_ep park_some(struct kunit *test, u64 n)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u64 i;

	begin(test, &tep);
	env_qp(&tep)->post_error = -ENOTCONN;
	env_qp(&tep)->post_stays = true;
	for (i = 0; i < n; i++)
		post_recv(env, &tep, i);
	/* Of the attempts that nobody asks for, the first is enough. */
	flush_delayed_work(&tep.ep->park_work);
	cancel_delayed_work_sync(&tep.ep->park_work);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_ACTIVE_PENDING);
	EXPECT_NO_EVENT(test, &tep.recv);
	return tep;
}

/* Refused once: nobody has to do anything about it. */
static void park_posted_again(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct fake_qp *qp = env_qp(&tep);
	struct kdapl_sqe sqe;
	u64 i;

	begin(test, &tep);
	/* The third of five, so that two are posted and three are parked. */
	qp->post_good = 2;
	qp->post_error = -ENOTCONN;
	for (i = 0; i < 5; i++) {
		sqe = prog_sqe(env, tep.id, KDAPL_OP_RECV, i);
		sqe.num_seg = 2;
		sqe.seg[1] = (struct kdapl_seg) {
			ENV_LMR_ADDR + 100 * i, 200 + i, env->lmr
		};
		prog_store(env, &sqe);
	}
	kdapl_sq_drain(&env->ia->sq);
	EXPECT_SOON(test, prog_ep(&tep, hw_recv) == 5);

	/* In their order, with what they were posted with. */
	for (i = 0; i < 5; i++) {
		struct fake_wr *wr = fake_wr(&qp->rq, i);

		KUNIT_EXPECT_EQ(test, wr->num_sge, 2);
		KUNIT_EXPECT_EQ(test, wr->sge[0].length, 64);
		KUNIT_EXPECT_EQ(test, wr->sge[1].addr, ENV_LMR_ADDR + 100 * i);
		KUNIT_EXPECT_EQ(test, wr->sge[1].length, 200 + i);
		KUNIT_EXPECT_EQ(test, wr->sge[1].lkey, FAKE_LKEY);
	}
	kdapl_ep_established(tep.ep, 0);
	fake_complete(qp, &qp->rq, 5, IB_WC_SUCCESS);
	EXPECT_SOON(test, prog_events(&tep.recv) == 5);
	for (i = 0; i < 5; i++)
		EXPECT_DTO(test, &tep.recv, i, DAT_DTO_SUCCESS);
}

/* Refused twice and more: it is tried until it works. */
static void park_tried_on(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	begin(test, &tep);
	env_qp(&tep)->post_error = -ENOTCONN;
	env_qp(&tep)->post_stays = true;
	post_recv(env, &tep, 1);
	flush_delayed_work(&tep.ep->park_work);
	flush_delayed_work(&tep.ep->park_work);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 0);
	/* Not in the middle of a post. */
	spin_lock_irq(&env->dev->lock);
	env_qp(&tep)->post_error = 0;
	spin_unlock_irq(&env->dev->lock);
	EXPECT_SOON(test, prog_ep(&tep, hw_recv) == 1);
}

/* The device takes them only when it is connected; then it has them all. */
static void park_until_established(struct kunit *test)
{
	struct test_ep tep = park_some(test, 3);
	struct fake_qp *qp = env_qp(&tep);
	u64 i;

	qp->post_error = 0;
	/* No later one may overtake. */
	post_recv(test->priv, &tep, 3);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 0);
	kdapl_ep_established(tep.ep, 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 4);
	post_recv(test->priv, &tep, 4);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 5);

	fake_complete(qp, &qp->rq, 5, IB_WC_SUCCESS);
	EXPECT_SOON(test, prog_events(&tep.recv) == 5);
	for (i = 0; i < 5; i++)
		EXPECT_DTO(test, &tep.recv, i, DAT_DTO_SUCCESS);
}

/* Once connected there is nothing to wait for any more. */
static void park_refused_for_good(struct kunit *test)
{
	struct test_ep tep = park_some(test, 3);

	env_qp(&tep)->post_good = 1;
	env_qp(&tep)->post_error = -EINVAL;
	kdapl_ep_established(tep.ep, 0);
	EXPECT_SOON(test, prog_events(&tep.conn) == 2);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
	EXPECT_DTO(test, &tep.recv, 0, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_ERR_LOCAL_EP);
	EXPECT_DTO(test, &tep.recv, 2, DAT_DTO_ERR_FLUSHED);
	EXPECT_NO_EVENT(test, &tep.recv);
}

static void park_flushed_by_end(struct kunit *test)
{
	struct test_ep tep = park_some(test, 2);
	u64 i;

	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_UNREACHABLE, false);
	EXPECT_SOON(test, prog_events(&tep.conn));
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_UNREACHABLE);
	for (i = 0; i < 2; i++)
		EXPECT_DTO(test, &tep.recv, i, DAT_DTO_ERR_FLUSHED);

	/* Nothing of it is left. */
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	post_recv(test->priv, &tep, 7);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 1);
	env_connect(test->priv, &tep);
	fake_complete(env_qp(&tep), &env_qp(&tep)->rq, 1, IB_WC_SUCCESS);
	EXPECT_SOON(test, prog_events(&tep.recv));
	EXPECT_DTO(test, &tep.recv, 7, DAT_DTO_SUCCESS);
}

static void park_freed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = park_some(test, 2);

	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP),
			0);
	EXPECT_DTO(test, &tep.recv, 0, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_NO_EVENT(test, &tep.conn);
}

/* A connected EP whose device says this is about to lose its connection. */
static void park_not_when_connected(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	env_connect(env, &tep);
	env_qp(&tep)->post_error = -ENOTCONN;
	post_recv(env, &tep, 1);
	EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_CONNECTED);
}

static struct kunit_case park_cases[] = {
	KUNIT_CASE(park_posted_again),
	KUNIT_CASE(park_tried_on),
	KUNIT_CASE(park_until_established),
	KUNIT_CASE(park_refused_for_good),
	KUNIT_CASE(park_flushed_by_end),
	KUNIT_CASE(park_freed),
	KUNIT_CASE(park_not_when_connected),
	{}
};

static struct kunit_suite park_suite = {
	.name = "kdapl-park",
	.init = park_init,
	.exit = env_exit,
	.test_cases = park_cases,
};

kunit_test_suite(park_suite);

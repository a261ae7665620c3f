// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Endpoints that change: what is kept, what is refused, what is left behind. */

#include "env.h"

#define DEPTH	8

/* The EP as env_ep() makes it. */
static struct kdapl_ep_modify as_it_is(struct env *env, struct test_ep *tep)
{
	return (struct kdapl_ep_modify) {
		.ep = tep->id,
		.pz = env->pz,
		.recv_evd = tep->recv.id,
		.request_evd = tep->request.id,
		.connect_evd = tep->conn.id,
		.max_recvs = DEPTH,
		.max_requests = DEPTH,
		.max_recv_iov = KDAPL_SEGS_MAX,
		.max_request_iov = KDAPL_SEGS_MAX,
		.max_rdma_read_in = 1,
		.max_rdma_read_out = 1,
	};
}

static u32 new_pz(struct env *env)
{
	struct kdapl_pz_create arg = {};

	KUNIT_ASSERT_EQ(env->test, kdapl_pz_create(env->ia, &arg), 0);
	return arg.id;
}

static void modify_same(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_ep_modify arg = as_it_is(env, &tep);
	struct ib_qp *qp = tep.ep->qp;

	prog_post_op(env, &tep, KDAPL_OP_RECV, 1);
	EXPECT_SOON(test, prog_ep(&tep, hw_recv) == 1);
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	/* Fewer need nothing new either, and as many as there were. */
	arg.max_recvs = 1;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	arg.max_recvs = DEPTH;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	KUNIT_EXPECT_PTR_EQ(test, tep.ep->qp, qp);
	EXPECT_NO_EVENT(test, &tep.recv);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 1);
}

static void modify_grows(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_ep_modify arg = as_it_is(env, &tep);
	unsigned int i;

	arg.max_recvs = 4 * DEPTH;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 1);
	for (i = 0; i < 4 * DEPTH; i++)
		prog_post_op(env, &tep, KDAPL_OP_RECV, i);
	EXPECT_SOON(test, prog_ep(&tep, hw_recv) == 4 * DEPTH);
	KUNIT_EXPECT_FALSE(test, tep.ep->refused);

	/* Those that are posted cannot move, and must have room. */
	arg.max_recvs = 5 * DEPTH;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), -EBUSY);
	arg.max_recvs = 4 * DEPTH - 1;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), -EBUSY);
	arg.max_recvs = 4 * DEPTH;
	arg.max_requests = 2 * DEPTH;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), -EBUSY);
	KUNIT_EXPECT_EQ(test, tep.ep->rq.size, 4 * DEPTH);
	KUNIT_EXPECT_EQ(test, tep.ep->sq.size, DEPTH);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 4 * DEPTH);
	EXPECT_NO_EVENT(test, &tep.recv);
}

/* The counters run on when the slots are others. */
static void modify_grows_after_use(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_ep_modify arg = as_it_is(env, &tep);
	unsigned int i;

	for (i = 0; i < 5; i++)
		prog_post_op(env, &tep, KDAPL_OP_SEND, i);
	EXPECT_SOON(test, prog_events(&tep.request) == 5);
	for (i = 0; i < 5; i++)
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 5);
	arg.max_requests = 40;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	for (i = 0; i < 40; i++)
		prog_post_op(env, &tep, KDAPL_OP_SEND, i);
	EXPECT_SOON(test, prog_events(&tep.request) == 40);
	for (i = 0; i < 40; i++)
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 45);
}

static void modify_pz(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_ep_modify arg = as_it_is(env, &tep);
	u32 pz = new_pz(env);

	prog_post_op(env, &tep, KDAPL_OP_RECV, 1);
	EXPECT_SOON(test, prog_ep(&tep, hw_recv) == 1);
	arg.pz = pz;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, pz, KDAPL_OBJ_PZ),
			-EBUSY);

	/* None at all: what is posted is flushed, it cannot connect. */
	arg.pz = 0;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 0);
	KUNIT_EXPECT_EQ(test, env->dev->cqs, 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, pz, KDAPL_OBJ_PZ), 0);
	prog_post_op(env, &tep, KDAPL_OP_RECV, 2);
	EXPECT_SOON(test, prog_events(&tep.recv) == 1);
	EXPECT_DTO(test, &tep.recv, 2, DAT_DTO_ERR_FLUSHED);
	arg.pz = env->pz;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	prog_post_op(env, &tep, KDAPL_OP_RECV, 3);
	EXPECT_SOON(test, prog_ep(&tep, hw_recv) == 1);
	env_connect(env, &tep);
}

/* What bnxt_re says of the new queue pair is not about the one that went to error. */
static void modify_then_fatal(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_ep_modify arg = as_it_is(env, &tep);

	env->dev->ib.ops.driver_id = RDMA_DRIVER_BNXT_RE;
	prog_post_op(env, &tep, KDAPL_OP_RECV, 1);
	EXPECT_SOON(test, prog_ep(&tep, hw_recv) == 1);
	arg.pz = new_pz(env);
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	env_connect(env, &tep);
	fake_qp_event(env_qp(&tep), IB_EVENT_QP_FATAL);
	EXPECT_SOON(test, prog_events(&tep.conn));
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
}

static void modify_evds(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_ep_modify arg = as_it_is(env, &tep);
	struct test_evd other = env_evd(env, 1, DAT_EVD_DTO_FLAG);
	struct fake_qp *qp = env_qp(&tep);

	prog_post_op(env, &tep, KDAPL_OP_RECV, 1);
	prog_post_op(env, &tep, KDAPL_OP_RECV, 2);
	EXPECT_SOON(test, prog_ep(&tep, hw_recv) == 2);
	arg.recv_evd = other.id;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	KUNIT_EXPECT_PTR_EQ(test, env_qp(&tep), qp);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, other.id,
						KDAPL_OBJ_EVD), -EBUSY);

	/* One event is in its ring, one waits for room: that one cannot leave. */
	fake_complete(qp, &qp->rq, 2, IB_WC_WR_FLUSH_ERR);
	EXPECT_SOON(test, prog_ep(&tep, hw_recv) == 0);
	EXPECT_SOON(test, prog_events(&other) == 1);
	arg.recv_evd = tep.recv.id;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), -EBUSY);
	EXPECT_DTO(test, &other, 1, DAT_DTO_ERR_FLUSHED);
	kdapl_evd_fill(other.evd);
	EXPECT_DTO(test, &other, 2, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, other.id,
						KDAPL_OBJ_EVD), 0);
	EXPECT_NO_EVENT(test, &tep.recv);
}

static void modify_checks(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	const struct kdapl_ep_modify good = as_it_is(env, &tep);
	struct kdapl_ep_modify arg = good;

#define REFUSED(field, value, want) do {				\
	arg = good;							\
	arg.field = value;						\
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), want);	\
} while (0)
	REFUSED(recv_notify, KDAPL_NOTIFY_SOLICITED + 1, -EINVAL);
	REFUSED(request_notify, KDAPL_NOTIFY_QUIET + 1, -EINVAL);
	REFUSED(pz, 77, -ENOENT);
	REFUSED(pz, tep.recv.id, -ENOENT);
	REFUSED(recv_evd, 0, -EINVAL);
	REFUSED(recv_evd, 77, -ENOENT);
	REFUSED(recv_evd, tep.conn.id, -EINVAL);
	REFUSED(request_evd, tep.conn.id, -EINVAL);
	REFUSED(connect_evd, tep.recv.id, -EINVAL);
	REFUSED(max_recvs, 0, -EINVAL);
	REFUSED(max_recvs, U32_MAX, -ENOSPC);
	REFUSED(max_request_iov, KDAPL_SEGS_MAX + 1, -ENOSPC);
	REFUSED(max_rdma_read_in, 17, -ENOSPC);
	REFUSED(rdma_read_fixed, 2, -EINVAL);
#undef REFUSED
	/* None of them kept hold of anything. */
	KUNIT_EXPECT_EQ(test, env->dev->qps, 1);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.recv.id,
						KDAPL_OBJ_EVD), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.conn.id,
						KDAPL_OBJ_EVD), 0);
}

static void modify_states(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_ep_modify arg = as_it_is(env, &tep);
	struct kdapl_ep_modify moved = arg;

	moved.pz = new_pz(env);
	arg.max_recvs = 2 * DEPTH;
	KUNIT_EXPECT_EQ(test, kdapl_ep_move(tep.ep, KDAPL_ON_RESERVE), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &moved), -EBADFD);
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_move(tep.ep, KDAPL_ON_REQUEST), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &moved), -EBADFD);
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &arg), 0);
	/* An acceptance that failed leaves it with its request. */
	mutex_lock(&tep.ep->mutex);
	KUNIT_EXPECT_EQ(test, kdapl_ep_begin(tep.ep,
					     KDAPL_EP_COMPLETION_PENDING), 0);
	kdapl_ep_cancel(tep.ep);
	mutex_unlock(&tep.ep->mutex);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_PASSIVE_PENDING);
	KUNIT_EXPECT_EQ(test, kdapl_ep_move(tep.ep, KDAPL_ON_RELEASE), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_move(tep.ep, KDAPL_ON_OFFER), 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_TENTATIVE_PENDING);
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &moved), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_move(tep.ep, KDAPL_ON_RELEASE), 0);
	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &moved), -EBADFD);
}

static struct kunit_case ep_modify_cases[] = {
	KUNIT_CASE(modify_same),
	KUNIT_CASE(modify_grows),
	KUNIT_CASE(modify_grows_after_use),
	KUNIT_CASE(modify_pz),
	KUNIT_CASE(modify_then_fatal),
	KUNIT_CASE(modify_evds),
	KUNIT_CASE(modify_checks),
	KUNIT_CASE(modify_states),
	{}
};

static struct kunit_suite ep_modify_suite = {
	.name = "kdapl-ep-modify",
	.init = env_init,
	.exit = env_exit,
	.test_cases = ep_modify_cases,
};

kunit_test_suite(ep_modify_suite);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Endpoints: how connections begin and end, and what that does to the work. */

#include <linux/slab.h>

#include "env.h"

#define DEPTH	8

static void post(struct env *env, struct test_ep *tep, u8 op, u64 cookie)
{
	prog_post_op(env, tep, op, cookie);
}

static void begin(struct kunit *test, struct test_ep *tep,
		  enum kdapl_ep_state state)
{
	KUNIT_EXPECT_EQ(test, kdapl_ep_begin(tep->ep, state), 0);
	KUNIT_EXPECT_EQ(test, prog_ep(tep, state), state);
}

static void expect_end(struct kunit *test, struct test_ep *tep, u32 event)
{
	EXPECT_SOON(test, prog_events(&tep->conn));
	KUNIT_EXPECT_EQ(test, prog_ep(tep, state), KDAPL_EP_DISCONNECTED);
	EXPECT_CONN(test, &tep->conn, event);
	EXPECT_NO_EVENT(test, &tep->conn);
}

/* One EVD for everything: its one side is in tep->conn. */
static struct test_ep ep_merged(struct env *env)
{
	struct test_ep tep = {
		.conn = env_evd(env, 64, DAT_EVD_DTO_FLAG |
					 DAT_EVD_CONNECTION_FLAG),
	};

	tep.recv.id = tep.conn.id;
	tep.request.id = tep.conn.id;
	env_ep_over(env, &tep, DEPTH);
	return tep;
}

/* ---- the beginning ----------------------------------------------------- */

static void ep_create_checks(struct kunit *test)
{
	static const struct {
		const char *what;
		size_t offset;
		u32 value;
		int ret;
	} cases[] = {
#define BAD(field, value, ret) \
	{ #field " " #value, offsetof(struct kdapl_ep_create, field), value, ret }
		BAD(flags, 1, -EINVAL),
		BAD(rdma_read_fixed, 2, -EINVAL),
		BAD(pz, 77, -ENOENT),
		BAD(recv_evd, 77, -ENOENT),
		BAD(recv_evd, 0, -EINVAL),
		BAD(request_evd, U32_MAX, -ENOENT),
		BAD(request_evd, 0, -EINVAL),
		BAD(connect_evd, INT_MAX, -ENOENT),
		BAD(max_recvs, 0, -EINVAL),
		BAD(max_recvs, U32_MAX, -ENOSPC),
		BAD(max_requests, 0, -EINVAL),
		BAD(max_requests, FAKE_QUEUE + 1, -ENOSPC),
		BAD(max_recv_iov, KDAPL_SEGS_MAX + 1, -ENOSPC),
		BAD(max_request_iov, U32_MAX, -ENOSPC),
		BAD(max_rdma_read_in, 17, -ENOSPC),
		BAD(max_rdma_read_out, U32_MAX, -ENOSPC),
#undef BAD
	};
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	const struct kdapl_ep_create good = {
		.pz = env->pz,
		.recv_evd = tep.recv.id,
		.request_evd = tep.request.id,
		.connect_evd = tep.conn.id,
		.max_recvs = 1,
		.max_requests = 1,
	};
	struct kdapl_ep_create arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		arg = good;
		*(u32 *)((void *)&arg + cases[i].offset) = cases[i].value;
		KUNIT_EXPECT_EQ_MSG(test, kdapl_ep_create(env->ia, &arg),
				    cases[i].ret, "%s", cases[i].what);
	}
	/* EVDs without the stream: each is right in the other's place only. */
	arg = good;
	arg.recv_evd = tep.conn.id;
	KUNIT_EXPECT_EQ(test, kdapl_ep_create(env->ia, &arg), -EINVAL);
	arg = good;
	arg.connect_evd = tep.recv.id;
	KUNIT_EXPECT_EQ(test, kdapl_ep_create(env->ia, &arg), -EINVAL);
	/* An object of another type. */
	arg = good;
	arg.pz = tep.recv.id;
	KUNIT_EXPECT_EQ(test, kdapl_ep_create(env->ia, &arg), -ENOENT);

	/* Nothing of all that kept hold of anything; the good one works. */
	KUNIT_EXPECT_EQ(test, env->dev->qps, 1);
	arg = good;
	KUNIT_EXPECT_EQ(test, kdapl_ep_create(env->ia, &arg), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, arg.id, KDAPL_OBJ_EP), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.recv.id,
						KDAPL_OBJ_EVD), 0);
}

static void ep_needs_its_objects(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.recv.id,
						KDAPL_OBJ_EVD), -EBUSY);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.request.id,
						KDAPL_OBJ_EVD), -EBUSY);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.conn.id,
						KDAPL_OBJ_EVD), -EBUSY);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, env->pz,
						KDAPL_OBJ_PZ), -EBUSY);
}

static void ep_connect_call(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_ep_connect arg = {};

	KUNIT_EXPECT_EQ(test, kdapl_ep_connect(tep.ep, &arg), -EINVAL);
	arg.timeout_us = 1;
	/* What failed at once leaves no trace, and can be tried again. */
	fake_cm.connect_result = -EADDRNOTAVAIL;
	KUNIT_EXPECT_EQ(test, kdapl_ep_connect(tep.ep, &arg), -EADDRNOTAVAIL);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_UNCONNECTED);
	fake_cm.connect_result = 0;
	KUNIT_EXPECT_EQ(test, kdapl_ep_connect(tep.ep, &arg), 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_ACTIVE_PENDING);
	KUNIT_EXPECT_EQ(test, kdapl_ep_connect(tep.ep, &arg), -EBADFD);
	KUNIT_EXPECT_EQ(test, fake_cm.connects, 2);
	EXPECT_NO_EVENT(test, &tep.conn);
}

/* A receive can complete before ESTABLISHED. It is not seen before it. */
static void ep_early_receives(struct kunit *test)
{
	static const enum kdapl_ep_state states[] = {
		KDAPL_EP_ACTIVE_PENDING, KDAPL_EP_COMPLETION_PENDING,
	};
	struct env *env = test->priv;
	struct fake_qp *qp;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		struct test_ep tep = ep_merged(env);

		qp = env_qp(&tep);
		post(env, &tep, KDAPL_OP_RECV, 1);
		post(env, &tep, KDAPL_OP_RECV, 2);
		post(env, &tep, KDAPL_OP_RECV, 3);
		begin(test, &tep, states[i]);
		fake_complete(qp, &qp->rq, 2, IB_WC_SUCCESS);
		EXPECT_SOON(test, prog_ep(&tep, hw_recv) == 1);
		EXPECT_NO_EVENT(test, &tep.conn);
		KUNIT_EXPECT_EQ(test, prog_ep(&tep, recv_done), 0);
		/* Data before the peer's confirmation tells that it comes. */
		EXPECT_SOON(test, !!fake_cm.notifies ==
				  (states[i] == KDAPL_EP_COMPLETION_PENDING));

		kdapl_ep_established(tep.ep, 7);
		KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_CONNECTED);
		KUNIT_EXPECT_EQ(test, prog_events(&tep.conn), 3);
		EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_ESTABLISHED);
		EXPECT_DTO(test, &tep.conn, 1, DAT_DTO_SUCCESS);
		EXPECT_DTO(test, &tep.conn, 2, DAT_DTO_SUCCESS);
		KUNIT_EXPECT_EQ(test, prog_ep(&tep, recv_done), 2);
		/* A second confirmation is none. */
		kdapl_ep_established(tep.ep, 7);
		EXPECT_NO_EVENT(test, &tep.conn);
	}
}

/* The attempt fails: what completed early comes out before the end. */
static void ep_early_then_failure(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = ep_merged(env);
	struct fake_qp *qp = env_qp(&tep);

	post(env, &tep, KDAPL_OP_RECV, 1);
	post(env, &tep, KDAPL_OP_RECV, 2);
	begin(test, &tep, KDAPL_EP_COMPLETION_PENDING);
	fake_complete(qp, &qp->rq, 1, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.conn);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR, false);
	EXPECT_SOON(test, prog_events(&tep.conn) == 3);
	EXPECT_DTO(test, &tep.conn, 1, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &tep.conn, 2, DAT_DTO_ERR_FLUSHED);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
	/* Too late. */
	kdapl_ep_established(tep.ep, 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_DISCONNECTED);
	EXPECT_NO_EVENT(test, &tep.conn);
}

/* Requests are for a connection: without one they are flushed. */
static void ep_requests_need_connection(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	post(env, &tep, KDAPL_OP_SEND, 1);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);
	begin(test, &tep, KDAPL_EP_ACTIVE_PENDING);
	post(env, &tep, KDAPL_OP_SEND, 2);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 0);
	/* That was no error of the EP. */
	kdapl_ep_established(tep.ep, 0);
	post(env, &tep, KDAPL_OP_SEND, 3);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 1);
}

/* ---- the end ----------------------------------------------------------- */

/* All comes back flushed, in order, and DISCONNECTED is the last event. */
static void ep_abrupt(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = ep_merged(env);
	u64 i;

	for (i = 0; i < 4; i++)
		post(env, &tep, KDAPL_OP_RECV, i);
	env_connect(env, &tep);
	for (; i < 8; i++)
		post(env, &tep, KDAPL_OP_SEND, i);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	EXPECT_SOON(test, prog_events(&tep.conn) == 9);
	for (i = 0; i < 8; i++) {
		struct kdapl_event event = prog_next(&tep.conn);

		KUNIT_EXPECT_EQ(test, event.type, DAT_DTO_COMPLETION_EVENT);
		KUNIT_EXPECT_EQ(test, event.status, DAT_DTO_ERR_FLUSHED);
		KUNIT_EXPECT_EQ(test, event.length, 0);
	}
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
	KUNIT_EXPECT_EQ(test, fake_cm.disconnects, 1);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 4);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, recv_done), 4);
	KUNIT_EXPECT_EQ(test, atomic_read(&env->ia->sq.inflight), 0);

	/* Posts are taken and flushed: how a program drains. No second event. */
	post(env, &tep, KDAPL_OP_RECV, 21);
	EXPECT_DTO(test, &tep.conn, 21, DAT_DTO_ERR_FLUSHED);
	post(env, &tep, KDAPL_OP_SEND, 22);
	EXPECT_DTO(test, &tep.conn, 22, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_BROKEN, false);
	EXPECT_NO_EVENT(test, &tep.conn);
}

/* Entries that nobody rang for yet are part of what is flushed. */
static void ep_end_takes_the_ring(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = ep_merged(env);
	struct kdapl_sqe sqe;

	env_connect(env, &tep);
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 1);
	prog_store(env, &sqe);
	sqe = prog_sqe(env, tep.id, KDAPL_OP_RECV, 2);
	prog_store(env, &sqe);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_BROKEN, false);
	EXPECT_SOON(test, prog_events(&tep.conn) == 3);
	EXPECT_DTO(test, &tep.conn, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.conn, 2, DAT_DTO_ERR_FLUSHED);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_BROKEN);
}

static void ep_graceful(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = ep_merged(env);
	struct fake_qp *qp;

	post(env, &tep, KDAPL_OP_RECV, 1);
	env_connect(env, &tep);
	qp = env_qp(&tep);
	post(env, &tep, KDAPL_OP_SEND, 2);
	post(env, &tep, KDAPL_OP_SEND, 3);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_GRACEFUL), 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_DISCONNECT_PENDING);
	/* Again: no effect. */
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_GRACEFUL), 0);
	usleep_range(5000, 6000);
	KUNIT_EXPECT_EQ(test, fake_cm.disconnects, 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_DISCONNECT_PENDING);
	/* No new requests. */
	post(env, &tep, KDAPL_OP_SEND, 4);
	KUNIT_EXPECT_EQ(test, qp->sq.head, 2);

	fake_complete(qp, &qp->sq, 2, IB_WC_SUCCESS);
	EXPECT_SOON(test, prog_events(&tep.conn) == 5);
	EXPECT_DTO(test, &tep.conn, 2, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &tep.conn, 3, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &tep.conn, 4, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.conn, 1, DAT_DTO_ERR_FLUSHED);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
}

static void ep_graceful_cut_short(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 1);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_GRACEFUL), 0);
	usleep_range(2000, 3000);
	EXPECT_NO_EVENT(test, &tep.conn);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);
}

/* Who ends first names the event. */
static void ep_first_end_wins(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 1);
	local_bh_disable();
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_BROKEN, false);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_DISCONNECTED, true);
	local_bh_enable();
	expect_end(test, &tep, DAT_CONNECTION_EVENT_BROKEN);
}

/* ---- the peer leaves ---------------------------------------------------- */

/* What that cuts off is no failure. */
static void ep_left(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = ep_merged(env);

	post(env, &tep, KDAPL_OP_RECV, 1);
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 2);
	env_peer_leaves(&tep);
	EXPECT_SOON(test, prog_events(&tep.conn) == 3);
	EXPECT_DTO(test, &tep.conn, 2, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.conn, 1, DAT_DTO_ERR_FLUSHED);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
	/* Too late: it has been told. */
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_BROKEN, false);
	flush_workqueue(kdapl_workqueue);
	EXPECT_NO_EVENT(test, &tep.conn);
}

/* It left because a receive failed, which is seen before that or after it. */
static void ep_left_over_a_receive(struct kunit *test)
{
	struct env *env = test->priv;
	struct fake_qp *qp;
	int seen;

	for (seen = 0; seen < 2; seen++) {
		struct test_ep tep = ep_merged(env);

		qp = env_qp(&tep);
		post(env, &tep, KDAPL_OP_RECV, 1);
		post(env, &tep, KDAPL_OP_RECV, 2);
		env_connect(env, &tep);
		if (seen)
			fake_complete(qp, &qp->rq, 1, IB_WC_LOC_LEN_ERR);
		else
			fake_finish(qp, &qp->rq, 1, IB_WC_LOC_LEN_ERR);
		env_peer_leaves(&tep);
		EXPECT_SOON(test, prog_events(&tep.conn) == 3);
		EXPECT_DTO(test, &tep.conn, 1, DAT_DTO_ERR_LOCAL_LENGTH);
		EXPECT_DTO(test, &tep.conn, 2, DAT_DTO_ERR_FLUSHED);
		expect_end(test, &tep, DAT_CONNECTION_EVENT_BROKEN);
	}
}

/* Who disconnects knows why; that the peer then leaves, too, is the answer. */
static void ep_disconnect_then_failure(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct fake_qp *qp = env_qp(&tep);

	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 1);
	fake_finish(qp, &qp->sq, 1, IB_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	env_peer_leaves(&tep);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_LOCAL_EP);
}

/* What the device says of the queue pair, and when it says it. */
static const struct {
	enum rdma_driver_id driver;
	enum ib_event_type type;
	u32 end;
} ep_device_says[] = {
	{ RDMA_DRIVER_RXE, IB_EVENT_QP_FATAL, DAT_CONNECTION_EVENT_BROKEN },
	{ RDMA_DRIVER_RXE, IB_EVENT_QP_REQ_ERR, DAT_CONNECTION_EVENT_BROKEN },
	{ RDMA_DRIVER_RXE, IB_EVENT_QP_ACCESS_ERR, DAT_CONNECTION_EVENT_BROKEN },
	{ RDMA_DRIVER_SIW, IB_EVENT_QP_FATAL, DAT_CONNECTION_EVENT_DISCONNECTED },
	{ RDMA_DRIVER_SIW, IB_EVENT_QP_ACCESS_ERR, DAT_CONNECTION_EVENT_BROKEN },
	{ RDMA_DRIVER_SIW, IB_EVENT_QP_REQ_ERR, DAT_CONNECTION_EVENT_DISCONNECTED },
};

static void ep_device_then_left(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ep_device_says); i++) {
		env->dev->ib.ops.driver_id = ep_device_says[i].driver;
		env_connect(env, &tep);
		fake_qp_event(env_qp(&tep), ep_device_says[i].type);
		flush_workqueue(kdapl_workqueue);
		KUNIT_EXPECT_EQ(test, prog_ep(&tep, state) == KDAPL_EP_CONNECTED,
				ep_device_says[i].end ==
				DAT_CONNECTION_EVENT_DISCONNECTED);
		env_peer_leaves(&tep);
		expect_end(test, &tep, ep_device_says[i].end);
		KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	}
}

/* No worker comes to it before the peer has left. */
static void ep_left_then_device(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ep_device_says); i++) {
		env->dev->ib.ops.driver_id = ep_device_says[i].driver;
		env_connect(env, &tep);
		spin_lock_bh(&tep.ep->lock);
		fake_qp_event(env_qp(&tep), ep_device_says[i].type);
		kdapl_ep_left_locked(tep.ep);
		spin_unlock_bh(&tep.ep->lock);
		expect_end(test, &tep, ep_device_says[i].end);
		KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	}
}

/* What the device said waits behind the end itself, which has the only worker. */
static void ep_left_while_no_worker(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct workqueue_struct *all = kdapl_workqueue, *one;

	one = alloc_ordered_workqueue("kdapl-one", 0);
	KUNIT_ASSERT_NOT_NULL(test, one);
	env_connect(env, &tep);
	flush_workqueue(all);
	kdapl_workqueue = one;
	spin_lock_bh(&tep.ep->lock);
	kdapl_ep_left_locked(tep.ep);
	fake_qp_event(env_qp(&tep), IB_EVENT_QP_FATAL);
	spin_unlock_bh(&tep.ep->lock);
	flush_workqueue(one);
	kdapl_workqueue = all;
	destroy_workqueue(one);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_BROKEN);
}

/* It leaves, and nothing but the device ends what is outstanding. */
static void leaves_for_good(struct kunit *test, struct test_ep *tep)
{
	spin_lock_bh(&tep->ep->lock);
	kdapl_ep_left_locked(tep->ep);
	KUNIT_EXPECT_TRUE(test, cancel_delayed_work(&tep->ep->acks_work));
	spin_unlock_bh(&tep->ep->lock);
}

/* What it has acknowledged stands in the device's queues: it succeeds. */
static void ep_left_acks_are_late(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = ep_merged(env);
	struct fake_qp *qp = env_qp(&tep);

	env->dev->acks_late = true;
	post(env, &tep, KDAPL_OP_RECV, 1);
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 2);
	post(env, &tep, KDAPL_OP_SEND, 3);
	leaves_for_good(test, &tep);
	/* It cannot have what comes now. */
	post(env, &tep, KDAPL_OP_SEND, 4);
	fake_complete(qp, &qp->sq, 1, IB_WC_SUCCESS);
	flush_workqueue(kdapl_workqueue);
	EXPECT_DTO(test, &tep.conn, 2, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.conn);
	fake_complete(qp, &qp->sq, 1, IB_WC_SUCCESS);
	EXPECT_SOON(test, prog_events(&tep.conn) == 4);
	EXPECT_DTO(test, &tep.conn, 3, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &tep.conn, 4, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.conn, 1, DAT_DTO_ERR_FLUSHED);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
}

/* A graceful end on this side waits for them as long, and no longer. */
static void ep_left_by_both(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct fake_qp *qp = env_qp(&tep);

	env->dev->acks_late = true;
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 1);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_GRACEFUL), 0);
	leaves_for_good(test, &tep);
	fake_complete(qp, &qp->sq, 1, IB_WC_SUCCESS);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_SUCCESS);

	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 2);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_GRACEFUL), 0);
	env_peer_leaves(&tep);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_ERR_FLUSHED);
}

/* What was meant for one connection does not cut short the end of the next. */
static void ep_left_then_next(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct fake_qp *qp = env_qp(&tep);

	env->dev->acks_late = true;
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 1);
	spin_lock_bh(&tep.ep->lock);
	kdapl_ep_left_locked(tep.ep);
	/* Not in this test's time. */
	mod_delayed_work(kdapl_workqueue, &tep.ep->acks_work, 3600 * HZ);
	spin_unlock_bh(&tep.ep->lock);
	fake_complete(qp, &qp->sq, 1, IB_WC_SUCCESS);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&tep.ep->acks_work));
}

/* While it waits: receives are taken, and nothing makes it wait for longer. */
static void ep_left_meanwhile(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = ep_merged(env);

	env->dev->acks_late = true;
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 1);
	spin_lock_bh(&tep.ep->lock);
	kdapl_ep_left_locked(tep.ep);
	kdapl_ep_left_locked(tep.ep);
	KUNIT_EXPECT_TRUE(test, cancel_delayed_work(&tep.ep->acks_work));
	KUNIT_EXPECT_FALSE(test, tep.ep->end_started);
	/* And again, with a clock; which this test moves on when it is through. */
	kdapl_ep_left_locked(tep.ep);
	KUNIT_EXPECT_TRUE(test, mod_delayed_work(kdapl_workqueue,
						 &tep.ep->acks_work, 3600 * HZ));
	spin_unlock_bh(&tep.ep->lock);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_GRACEFUL), 0);
	post(env, &tep, KDAPL_OP_RECV, 2);
	KUNIT_EXPECT_TRUE(test, mod_delayed_work(kdapl_workqueue,
						 &tep.ep->acks_work, 0));
	EXPECT_SOON(test, prog_events(&tep.conn) == 3);
	EXPECT_DTO(test, &tep.conn, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.conn, 2, DAT_DTO_ERR_FLUSHED);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
}

/* None comes: that is known after a tenth of a second. */
static void ep_left_without_acks(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	unsigned long left;

	env->dev->acks_late = true;
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 1);
	left = jiffies;
	env_peer_leaves(&tep);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
	KUNIT_EXPECT_TRUE(test, time_after_eq(jiffies, left + HZ / 10));
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);

	/* Nothing to wait for. */
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	env_connect(env, &tep);
	env_peer_leaves(&tep);
	KUNIT_EXPECT_TRUE(test, tep.ep->end_started);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
}

/* Whatever else ends the connection does not wait. */
static void ep_left_then_cut_short(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct fake_qp *qp;

	env->dev->acks_late = true;
	env_connect(env, &tep);
	qp = env_qp(&tep);
	post(env, &tep, KDAPL_OP_SEND, 1);
	post(env, &tep, KDAPL_OP_SEND, 2);
	leaves_for_good(test, &tep);
	fake_complete(qp, &qp->sq, 1, IB_WC_RETRY_EXC_ERR);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_BROKEN);

	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 3);
	leaves_for_good(test, &tep);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);

	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 4);
	leaves_for_good(test, &tep);
	fake_qp_event(env_qp(&tep), IB_EVENT_QP_FATAL);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_BROKEN);

	/* Freed meanwhile. */
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 5);
	leaves_for_good(test, &tep);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 0);
}

/* siw was at an answer and at a request when the peer left. */
static void ep_siw_is_cut_off(struct kunit *test)
{
	static const u8 ops[] = {
		KDAPL_OP_SEND, KDAPL_OP_RDMA_WRITE, KDAPL_OP_RDMA_READ,
	};
	struct env *env = test->priv;
	unsigned int i;

	env->dev->ib.ops.driver_id = RDMA_DRIVER_SIW;
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		struct test_ep tep = env_ep(env, DEPTH);
		struct fake_qp *qp = env_qp(&tep);

		env_connect(env, &tep);
		post(env, &tep, ops[i], 1);
		fake_qp_event(qp, IB_EVENT_QP_REQ_ERR);
		fake_complete(qp, &qp->sq, 1, IB_WC_LOC_QP_OP_ERR);
		fake_qp_event(qp, IB_EVENT_QP_FATAL);
		env_peer_leaves(&tep);
		expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
		EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);
	}
}

/* An access that is wrong is the peer's doing, whatever that cuts off here. */
static void ep_siw_access_and_request(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct fake_qp *qp = env_qp(&tep);

	env->dev->ib.ops.driver_id = RDMA_DRIVER_SIW;
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 1);
	fake_qp_event(qp, IB_EVENT_QP_ACCESS_ERR);
	fake_finish(qp, &qp->sq, 1, IB_WC_LOC_QP_OP_ERR);
	env_peer_leaves(&tep);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_BROKEN);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);
}

static void ep_disconnect_states(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), -EBADFD);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, 2), -EINVAL);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_BROKEN, false);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_UNCONNECTED);
	EXPECT_NO_EVENT(test, &tep.conn);

	/* Graceful or not: an attempt has nothing to finish. */
	begin(test, &tep, KDAPL_EP_ACTIVE_PENDING);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_GRACEFUL), 0);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
}

/* ---- an acceptance that is not answered yet ------------------------------ */

/* As kdapl_cm_accept() leaves it. */
static void accept_unanswered(struct kunit *test, struct test_ep *tep)
{
	begin(test, tep, KDAPL_EP_COMPLETION_PENDING);
	spin_lock_bh(&tep->ep->lock);
	tep->ep->unanswered = true;
	spin_unlock_bh(&tep->ep->lock);
}

static void answered(struct kdapl_ep *ep)
{
	spin_lock_bh(&ep->lock);
	kdapl_ep_answered_locked(ep);
	spin_unlock_bh(&ep->lock);
}

/* The peer is not told of the end before, whatever else happens. */
static void ep_end_awaits_the_answer(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	post(env, &tep, KDAPL_OP_RECV, 1);
	accept_unanswered(test, &tep);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_GRACEFUL), 0);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_BROKEN, false);
	fake_complete(env_qp(&tep), &env_qp(&tep)->rq, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_FALSE(test, tep.ep->end_started);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_DISCONNECT_PENDING);
	/* Data is as good as an answer, for who has to ask rdma_cm for it. */
	EXPECT_SOON(test, fake_cm.notifies == 1);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), -EBADFD);
	EXPECT_NO_EVENT(test, &tep.conn);

	answered(tep.ep);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_cm.disconnects, 1);
	/* Once. */
	answered(tep.ep);
	EXPECT_NO_EVENT(test, &tep.conn);
}

/* Nobody waits where the answer was there first, or nothing ends. */
static void ep_answered_before_the_end(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	accept_unanswered(test, &tep);
	answered(tep.ep);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_COMPLETION_PENDING);
	EXPECT_NO_EVENT(test, &tep.conn);
	kdapl_ep_established(tep.ep, 0);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
}

struct late_answer {
	struct delayed_work work;
	struct kdapl_ep *ep;
	bool waits;	/* the end was seen to begin; it has this long to go on */
	bool gone;	/* the end was over before */
};

static void late_answer_work(struct work_struct *work)
{
	struct late_answer *late = container_of(to_delayed_work(work),
						struct late_answer, work);

	if (!late->waits) {
		late->waits = READ_ONCE(late->ep->ending);
		queue_delayed_work(kdapl_workqueue, &late->work,
				   late->waits ? HZ / 20 : 1);
		return;
	}
	late->gone = late->ep->end_started || fake_cm.destroys;
	answered(late->ep);
}

/* Who frees it waits, too. */
static void ep_free_awaits_the_answer(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct late_answer late = { .ep = tep.ep };

	INIT_DELAYED_WORK_ONSTACK(&late.work, late_answer_work);
	accept_unanswered(test, &tep);
	queue_delayed_work(kdapl_workqueue, &late.work, 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
	KUNIT_EXPECT_FALSE(test, cancel_delayed_work_sync(&late.work));
	destroy_delayed_work_on_stack(&late.work);
	KUNIT_EXPECT_FALSE(test, late.gone);
	KUNIT_EXPECT_EQ(test, fake_cm.disconnects, 1);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 0);
}

static void ep_reset_and_again(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	unsigned int round;

	post(env, &tep, KDAPL_OP_RECV, 77);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	/* UNCONNECTED: the receive stays where it is. */
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 1);
	for (round = 0; round < 3; round++) {
		env_connect(env, &tep);
		KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), -EBADFD);
		post(env, &tep, KDAPL_OP_SEND, round);
		kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_DISCONNECTED, false);
		expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
		EXPECT_DTO(test, &tep.request, round, DAT_DTO_ERR_FLUSHED);
		KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
		KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_UNCONNECTED);
		KUNIT_EXPECT_EQ(test, env_qp(&tep)->state, IB_QPS_INIT);
	}
	EXPECT_DTO(test, &tep.recv, 77, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 3);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 1);
}

/* ---- freeing ----------------------------------------------------------- */

/*
 * A queue pair that goes may still flush into the completion queue, which
 * lives on for other EPs: no completion may come for work that is gone.
 */
static void ep_free_unconnected(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep other = env_ep(env, DEPTH), tep = env_ep(env, DEPTH);
	u64 i;

	for (i = 0; i < DEPTH; i++)
		post(env, &tep, KDAPL_OP_RECV, i);
	post(env, &other, KDAPL_OP_RECV, 100);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
	KUNIT_EXPECT_EQ(test, tep.ep->rq.hw, 0);
	KUNIT_EXPECT_EQ(test, tep.ep->rq.done, DEPTH);
	for (i = 0; i < DEPTH; i++)
		EXPECT_DTO(test, &tep.recv, i, DAT_DTO_ERR_FLUSHED);
	EXPECT_NO_EVENT(test, &tep.recv);

	/* The other one is none the worse for it. */
	env_connect(env, &other);
	fake_complete(env_qp(&other), &env_qp(&other)->rq, 1, IB_WC_SUCCESS);
	EXPECT_DTO(test, &other.recv, 100, DAT_DTO_SUCCESS);
}

/* As bnxt_re does it, which tells nobody of what it has flushed. */
static void ep_flushes_when_polled(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	env->dev->flush_polls = true;
	post(env, &tep, KDAPL_OP_RECV, 1);
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 2);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT),
			0);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);

	post(env, &tep, KDAPL_OP_RECV, 3);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
	EXPECT_DTO(test, &tep.recv, 3, DAT_DTO_ERR_FLUSHED);
}

/* As qedr does it before there is a connection: no end may wait for ever. */
static void ep_device_is_mute(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	env->dev->mute = true;
	post(env, &tep, KDAPL_OP_RECV, 1);
	begin(test, &tep, KDAPL_EP_ACTIVE_PENDING);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_PEER_REJECTED, false);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_PEER_REJECTED);
	EXPECT_NO_EVENT(test, &tep.recv);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_ERR_FLUSHED);

	post(env, &tep, KDAPL_OP_RECV, 2);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
	EXPECT_DTO(test, &tep.recv, 2, DAT_DTO_ERR_FLUSHED);
	EXPECT_NO_EVENT(test, &tep.recv);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 0);
}

/* As siw does it with reads behind one whose answer was wrong: the end is told last. */
static void ep_device_forgets_reads(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u64 i;

	env->dev->ib.ops.driver_id = RDMA_DRIVER_SIW;
	env->dev->mute = true;
	env_connect(env, &tep);
	for (i = 1; i <= 3; i++)
		post(env, &tep, KDAPL_OP_RDMA_READ, i);
	fake_complete(env_qp(&tep), &env_qp(&tep)->sq, 1, IB_WC_LOC_LEN_ERR);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_BROKEN);
	KUNIT_EXPECT_EQ(test, prog_events(&tep.request), 3);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_LOCAL_LENGTH);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.request, 3, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, kdapl_ep_drain(tep.ep), 0);
}

/* bnxt_re says so of every queue pair: what was well ended is not broken by it. */
static void ep_fatal_by_our_own_doing(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	env->dev->ib.ops.driver_id = RDMA_DRIVER_BNXT_RE;
	env->dev->fatal = true;
	env_connect(env, &tep);
	env_peer_leaves(&tep);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_DISCONNECTED);

	/* Of one that is connected it is the truth. */
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	env_connect(env, &tep);
	fake_qp_event(env_qp(&tep), IB_EVENT_QP_FATAL);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_BROKEN);
}

/* Another thread has looked it up, and comes when it is freed. */
static void ep_used_when_freed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_ep_connect arg = { .timeout_us = 1 };
	struct kdapl_ep_modify modify = { .size = sizeof(modify) };
	struct kdapl_ep_set_marks marks = {};

	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), -ENOENT);
	KUNIT_EXPECT_EQ(test, kdapl_ep_connect(tep.ep, &arg), -ENOENT);
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &modify), -ENOENT);
	KUNIT_EXPECT_EQ(test, kdapl_ep_set_marks(tep.ep, &marks), -ENOENT);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 0);
}

static void ep_free_connected(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe;

	post(env, &tep, KDAPL_OP_RECV, 1);
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 2);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
	EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_ERR_FLUSHED);
	/* The consumer asked for it: no event. */
	EXPECT_NO_EVENT(test, &tep.conn);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP),
			-ENOENT);

	/* Its id names nothing any more. */
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 3);
	prog_post(env, &sqe);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail);
}

/* What a device passes through quickly: it stays itself, or goes, and nothing else. */
static void ep_passing_states(struct kunit *test)
{
	static const enum kdapl_ep_state states[] = {
		KDAPL_EP_COMPLETION_PENDING, KDAPL_EP_DISCONNECT_PENDING,
	};
	struct env *env = test->priv;
	struct kdapl_ep_modify modify = {};
	struct kdapl_ep_query query = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		struct test_ep tep = env_ep(env, DEPTH);

		post(env, &tep, KDAPL_OP_RECV, 1);
		if (states[i] == KDAPL_EP_COMPLETION_PENDING) {
			begin(test, &tep, states[i]);
		} else {
			env_connect(env, &tep);
			post(env, &tep, KDAPL_OP_SEND, 2);
			kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_GRACEFUL);
		}
		modify.ep = tep.id;
		KUNIT_EXPECT_EQ(test, kdapl_ep_modify(tep.ep, &modify), -EBADFD);
		KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), -EBADFD);
		kdapl_ep_query(tep.ep, &query);
		KUNIT_EXPECT_EQ(test, query.state, states[i]);
		KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id,
							KDAPL_OBJ_EP), 0);
		EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_ERR_FLUSHED);
		/* A disconnect that was asked for still is told of. */
		KUNIT_EXPECT_EQ(test, prog_events(&tep.conn),
				states[i] == KDAPL_EP_DISCONNECT_PENDING);
		KUNIT_EXPECT_EQ(test, env->dev->qps, 0);
	}
}

/* The device goes: BROKEN, and the EP lives on without hardware. */
static void ep_killed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH), idle = env_ep(env, DEPTH);
	struct kdapl_ep_connect arg = { .timeout_us = 1 };

	post(env, &idle, KDAPL_OP_RECV, 9);
	env_connect(env, &tep);
	post(env, &tep, KDAPL_OP_SEND, 1);
	kdapl_ep_kill(tep.ep);
	kdapl_ep_kill(idle.ep);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 0);
	KUNIT_EXPECT_EQ(test, env->dev->cqs, 0);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &idle.recv, 9, DAT_DTO_ERR_FLUSHED);
	expect_end(test, &tep, DAT_CONNECTION_EVENT_BROKEN);

	post(env, &tep, KDAPL_OP_RECV, 2);
	EXPECT_DTO(test, &tep.recv, 2, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), -ENODEV);
	KUNIT_EXPECT_EQ(test, kdapl_ep_connect(idle.ep, &arg), -ENODEV);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
}

static struct kunit_case ep_cases[] = {
	KUNIT_CASE(ep_create_checks),
	KUNIT_CASE(ep_needs_its_objects),
	KUNIT_CASE(ep_connect_call),
	KUNIT_CASE(ep_early_receives),
	KUNIT_CASE(ep_early_then_failure),
	KUNIT_CASE(ep_requests_need_connection),
	KUNIT_CASE(ep_abrupt),
	KUNIT_CASE(ep_end_takes_the_ring),
	KUNIT_CASE(ep_graceful),
	KUNIT_CASE(ep_graceful_cut_short),
	KUNIT_CASE(ep_first_end_wins),
	KUNIT_CASE(ep_left),
	KUNIT_CASE(ep_left_over_a_receive),
	KUNIT_CASE(ep_disconnect_then_failure),
	KUNIT_CASE(ep_device_then_left),
	KUNIT_CASE(ep_left_then_device),
	KUNIT_CASE(ep_left_while_no_worker),
	KUNIT_CASE(ep_left_acks_are_late),
	KUNIT_CASE(ep_left_by_both),
	KUNIT_CASE(ep_left_then_next),
	KUNIT_CASE(ep_left_meanwhile),
	KUNIT_CASE(ep_left_without_acks),
	KUNIT_CASE(ep_left_then_cut_short),
	KUNIT_CASE(ep_siw_is_cut_off),
	KUNIT_CASE(ep_siw_access_and_request),
	KUNIT_CASE(ep_disconnect_states),
	KUNIT_CASE(ep_end_awaits_the_answer),
	KUNIT_CASE(ep_answered_before_the_end),
	KUNIT_CASE(ep_free_awaits_the_answer),
	KUNIT_CASE(ep_reset_and_again),
	KUNIT_CASE(ep_free_unconnected),
	KUNIT_CASE(ep_flushes_when_polled),
	KUNIT_CASE(ep_device_is_mute),
	KUNIT_CASE(ep_device_forgets_reads),
	KUNIT_CASE(ep_fatal_by_our_own_doing),
	KUNIT_CASE(ep_used_when_freed),
	KUNIT_CASE(ep_free_connected),
	KUNIT_CASE(ep_passing_states),
	KUNIT_CASE(ep_killed),
	{}
};

static struct kunit_suite ep_suite = {
	.name = "kdapl-ep",
	.init = env_init,
	.exit = env_exit,
	.test_cases = ep_cases,
};

kunit_test_suite(ep_suite);

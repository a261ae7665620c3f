// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Posting by a consumer in the kernel: by calls, one operation or several. */

#include <linux/completion.h>
#include <linux/workqueue.h>

#include "../kmem.h"
#include "../lmr.h"
#include "../srq.h"
#include "env.h"

#define DEPTH	8
#define KEY	0x12345U

static bool is_recv_op(u8 op)
{
	return op == KDAPL_OP_RECV;
}

/* One operation, as kdapl_post_add() takes it or not. */
static int post(struct env *env, struct test_ep *tep,
		const struct kdapl_sqe *sqe)
{
	bool recv = is_recv_op(sqe->op);
	int ret;

	*kdapl_post_begin(tep->ep, recv) = *sqe;
	ret = kdapl_post_add(tep->ep);
	kdapl_post_end(tep->ep, recv, !ret);
	return ret;
}

static int post_op(struct env *env, struct test_ep *tep, u8 op, u64 cookie)
{
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, op, cookie);

	return post(env, tep, &sqe);
}

static u32 finish_sends(struct test_ep *tep, u32 n)
{
	return fake_complete(env_qp(tep), &env_qp(tep)->sq, n, IB_WC_SUCCESS);
}

static void post_and_complete(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct fake_wr *wr;

	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_RECV, 1), 0);
	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_SEND, 2), 0);
	KUNIT_ASSERT_EQ(test, env_qp(&tep)->sq.head, 1);
	wr = fake_wr(&env_qp(&tep)->sq, 0);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_SEND);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 1);
	KUNIT_EXPECT_EQ(test, wr->sge[0].addr, ENV_LMR_ADDR);
	/* Nobody shares a counter with other processors for this. */
	KUNIT_EXPECT_EQ(test, atomic_read(&env->ia->sq.inflight), 0);
	KUNIT_EXPECT_EQ(test, finish_sends(&tep, 1), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&env->ia->sq.inflight), 0);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_complete(env_qp(&tep), &env_qp(&tep)->rq, 1,
					    IB_WC_SUCCESS), 1);
	EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_SUCCESS);
}

/* Several are one call of the driver, and in order. */
static void post_several(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe *sqe;

	env_connect(env, &tep);
	sqe = kdapl_post_begin(tep.ep, false);
	*sqe = prog_sqe(env, tep.id, KDAPL_OP_RDMA_WRITE, 1);
	sqe->remote_addr = 0x99;
	KUNIT_EXPECT_EQ(test, kdapl_post_add(tep.ep), 0);
	*sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND_INV, 2);
	sqe->rkey = 0x77;
	sqe->flags = KDAPL_SQE_SOLICITED;
	KUNIT_EXPECT_EQ(test, kdapl_post_add(tep.ep), 0);
	kdapl_post_end(tep.ep, false, true);

	KUNIT_EXPECT_EQ(test, env_qp(&tep)->calls, 1);
	KUNIT_ASSERT_EQ(test, env_qp(&tep)->sq.head, 2);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 0)->opcode,
			IB_WR_RDMA_WRITE);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 0)->remote_addr, 0x99);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 1)->opcode,
			IB_WR_SEND_WITH_INV);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 1)->send_flags,
			IB_SEND_SIGNALED | IB_SEND_SOLICITED);
	finish_sends(&tep, 2);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_SUCCESS);
}

/* All or none: what was added before a bad one leaves nothing behind. */
static void post_takes_back(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe *sqe;
	unsigned int i;

	env_connect(env, &tep);
	sqe = kdapl_post_begin(tep.ep, false);
	for (i = 0; i < DEPTH; i++) {
		*sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, i);
		KUNIT_EXPECT_EQ(test, kdapl_post_add(tep.ep), 0);
	}
	KUNIT_EXPECT_EQ(test, kdapl_post_add(tep.ep), -ENOBUFS);
	kdapl_post_end(tep.ep, false, false);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->calls, 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_CONNECTED);

	/* All the room is there. */
	for (i = 0; i < DEPTH; i++)
		KUNIT_EXPECT_EQ(test,
				post_op(env, &tep, KDAPL_OP_SEND, 10 + i), 0);
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_SEND, 99), -ENOBUFS);
	finish_sends(&tep, DEPTH);
	for (i = 0; i < DEPTH; i++)
		EXPECT_DTO(test, &tep.request, 10 + i, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
}

static void post_no_more_than_a_chain(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 2 * KDAPL_SQ_CHAIN);
	struct kdapl_sqe *sqe;
	unsigned int i;

	env_connect(env, &tep);
	sqe = kdapl_post_begin(tep.ep, false);
	*sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 1);
	for (i = 0; i < KDAPL_SQ_CHAIN; i++)
		KUNIT_EXPECT_EQ(test, kdapl_post_add(tep.ep), 0);
	KUNIT_EXPECT_EQ(test, kdapl_post_add(tep.ep), -ENOBUFS);
	kdapl_post_end(tep.ep, false, true);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, KDAPL_SQ_CHAIN);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->calls, 1);
}

/* What is wrong is an error of the call, and the connection goes on. */
static void post_checks(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 1);

	KUNIT_EXPECT_EQ(test, post(env, &tep, &sqe), -EBADFD);
	env_connect(env, &tep);
	sqe.seg[0].lmr++;
	KUNIT_EXPECT_EQ(test, post(env, &tep, &sqe), -EACCES);
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 1);
	sqe.num_seg = KDAPL_SEGS_MAX + 1;
	KUNIT_EXPECT_EQ(test, post(env, &tep, &sqe), -EMSGSIZE);
	sqe = prog_sqe(env, tep.id, 77, 1);
	KUNIT_EXPECT_EQ(test, post(env, &tep, &sqe), -EINVAL);
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 1);
	sqe.flags = 0x8000;
	KUNIT_EXPECT_EQ(test, post(env, &tep, &sqe), -EINVAL);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->calls, 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_CONNECTED);
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_SEND, 2), 0);
	finish_sends(&tep, 1);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_SUCCESS);
}

/* Behind the end of a connection all is flushed, whatever it is. */
static void post_flushes(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 3);

	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_SEND, 1), 0);
	KUNIT_EXPECT_EQ(test,
			kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_SEND, 2), 0);
	sqe.seg[0].lmr++;
	KUNIT_EXPECT_EQ(test, post(env, &tep, &sqe), 0);
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_RECV, 4), 0);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.request, 3, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.recv, 4, DAT_DTO_ERR_FLUSHED);
}

/* What the device refuses breaks the connection, as it does a program's. */
static void post_refused_by_device(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	env_connect(env, &tep);
	env_qp(&tep)->post_error = -EINVAL;
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_SEND, 1), 0);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_LOCAL_EP);
	/* The state is stored before its event is there. */
	EXPECT_SOON(test, prog_events(&tep.conn) == 1);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_DISCONNECTED);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
}

static void post_on_srq(struct kunit *test)
{
	struct env *env = test->priv;
	struct kdapl_srq_create arg = {
		.pz = env->pz, .max_recvs = 2, .max_recv_iov = 1,
	};
	struct kdapl_sqe sqe = prog_sqe(env, 0, KDAPL_OP_RECV, 1);
	struct kdapl_srq *srq;

	env->ia->drop_async = true;
	KUNIT_ASSERT_EQ(test, kdapl_srq_create(env->ia, &arg), 0);
	srq = to_srq(env_hold(env, arg.id, KDAPL_OBJ_SRQ));
	KUNIT_EXPECT_EQ(test, kdapl_srq_recv(srq, &sqe), 0);
	KUNIT_EXPECT_EQ(test, to_fake_srq(srq->ibsrq)->queue.head, 1);
	sqe.num_seg = 2;
	KUNIT_EXPECT_EQ(test, kdapl_srq_recv(srq, &sqe), -EINVAL);
	sqe.num_seg = 1;
	sqe.seg[0].lmr++;
	KUNIT_EXPECT_EQ(test, kdapl_srq_recv(srq, &sqe), -EACCES);
	sqe.seg[0].lmr--;
	KUNIT_EXPECT_EQ(test, kdapl_srq_recv(srq, &sqe), 0);
	KUNIT_EXPECT_EQ(test, kdapl_srq_recv(srq, &sqe), -ENOBUFS);
	KUNIT_EXPECT_EQ(test, to_fake_srq(srq->ibsrq)->queue.head, 2);
	KUNIT_EXPECT_FALSE(test, srq->failed);
	kdapl_srq_kill(srq);
	KUNIT_EXPECT_EQ(test, kdapl_srq_recv(srq, &sqe), -EBADFD);
}

static void expect_operation(struct env *env, struct test_evd *tevd,
			     enum dat_dtos operation, u32 status)
{
	struct kdapl_event event = prog_next(tevd);

	KUNIT_EXPECT_EQ(env->test, event.type, DAT_DTO_COMPLETION_EVENT);
	KUNIT_EXPECT_EQ(env->test, KDAPL_DTO_OPERATION(event.status),
			operation);
	KUNIT_EXPECT_EQ(env->test, KDAPL_DTO_STATUS(event.status), status);
}

/* Whether it succeeded or not. */
static void events_name_the_operation(struct kunit *test)
{
	static const struct {
		u8 op;
		enum dat_dtos operation;
	} row[] = {
		{ KDAPL_OP_SEND, DAT_DTO_SEND },
		{ KDAPL_OP_SEND_INV, DAT_DTO_SEND },
		{ KDAPL_OP_RDMA_WRITE, DAT_DTO_RDMA_WRITE },
		{ KDAPL_OP_RDMA_READ, DAT_DTO_RDMA_READ },
	};
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 i;

	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_RECV, 1), 0);
	env_connect(env, &tep);
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		KUNIT_EXPECT_EQ(test, post_op(env, &tep, row[i].op, i), 0);
		finish_sends(&tep, 1);
		expect_operation(env, &tep.request, row[i].operation,
				 DAT_DTO_SUCCESS);
	}
	for (i = 0; i < ARRAY_SIZE(row); i++)
		KUNIT_EXPECT_EQ(test, post_op(env, &tep, row[i].op, i), 0);
	KUNIT_EXPECT_EQ(test,
			kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_drain(tep.ep), 0);
	for (i = 0; i < ARRAY_SIZE(row); i++)
		expect_operation(env, &tep.request, row[i].operation,
				 DAT_DTO_ERR_FLUSHED);
	expect_operation(env, &tep.recv, DAT_DTO_RECEIVE, DAT_DTO_ERR_FLUSHED);
}

/* ---- what a message made invalid ------------------------------------------------ */

static void expect_invalidated(struct env *env, struct test_evd *tevd,
			       u64 cookie)
{
	struct kdapl_event event = prog_next(tevd);

	KUNIT_EXPECT_EQ(env->test, event.type, DAT_DTO_COMPLETION_EVENT);
	KUNIT_EXPECT_EQ(env->test, event.cookie, cookie);
	KUNIT_EXPECT_EQ(env->test, KDAPL_DTO_OPERATION(event.status),
			DAT_DTO_RECEIVE_WITH_INVALIDATE);
	KUNIT_EXPECT_EQ(env->test, KDAPL_DTO_STATUS(event.status),
			DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(env->test, KDAPL_DTO_KEY(event.user), KEY);
	KUNIT_EXPECT_EQ(env->test, KDAPL_DTO_USER(event.user),
			lower_32_bits(ENV_USER));
}

/* Of this message, and not of who gets its slot later, nor of what was flushed. */
static void receive_names_the_key(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 i;

	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_RECV, 7), 0);
	env_connect(env, &tep);
	env_qp(&tep)->invalidates = KEY;
	KUNIT_EXPECT_EQ(test, fake_complete(env_qp(&tep), &env_qp(&tep)->rq, 1,
					    IB_WC_SUCCESS), 1);
	expect_invalidated(env, &tep.recv, 7);

	for (i = 0; i < DEPTH; i++)
		KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_RECV, i), 0);
	env_qp(&tep)->invalidates = KEY;
	KUNIT_EXPECT_EQ(test,
			kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_drain(tep.ep), 0);
	for (i = 0; i < DEPTH; i++)
		expect_operation(env, &tep.recv, DAT_DTO_RECEIVE,
				 DAT_DTO_ERR_FLUSHED);
	/* A slot that the device never had. */
	for (i = 0; i < DEPTH; i++)
		KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_RECV, i), 0);
	for (i = 0; i < DEPTH; i++)
		expect_operation(env, &tep.recv, DAT_DTO_RECEIVE,
				 DAT_DTO_ERR_FLUSHED);
}

/* Connected, with receives from @srq. */
static struct test_ep ep_over(struct env *env, u32 srq)
{
	struct test_ep tep = {
		.recv = env_evd(env, 8, DAT_EVD_DTO_FLAG),
		.request = env_evd(env, 8, DAT_EVD_DTO_FLAG),
		.conn = env_evd(env, 8, DAT_EVD_CONNECTION_FLAG),
	};
	struct kdapl_ep_create arg = {
		.pz = env->pz,
		.recv_evd = tep.recv.id,
		.request_evd = tep.request.id,
		.connect_evd = tep.conn.id,
		.max_requests = 1,
		.max_request_iov = 1,
		.user = ENV_USER,
		.srq = srq,
		.recv_notify = KDAPL_NOTIFY_THRESHOLD,
	};

	KUNIT_ASSERT_EQ(env->test, kdapl_ep_create(env->ia, &arg), 0);
	tep.id = arg.id;
	tep.ep = to_ep(env_hold(env, arg.id, KDAPL_OBJ_EP));
	env_connect(env, &tep);
	return tep;
}

/* The same, from an SRQ of one slot, which is next a plain message's. */
static void receive_of_srq_names_the_key(struct kunit *test)
{
	struct env *env = test->priv;
	struct kdapl_srq_create arg = {
		.pz = env->pz, .max_recvs = 1, .max_recv_iov = 1,
	};
	struct kdapl_sqe sqe = prog_sqe(env, 0, KDAPL_OP_RECV, 1);
	struct kdapl_srq *srq;
	struct test_ep tep;

	env->ia->drop_async = true;
	KUNIT_ASSERT_EQ(test, kdapl_srq_create(env->ia, &arg), 0);
	srq = to_srq(env_hold(env, arg.id, KDAPL_OBJ_SRQ));
	tep = ep_over(env, arg.id);
	KUNIT_EXPECT_EQ(test, kdapl_srq_recv(srq, &sqe), 0);
	env_qp(&tep)->invalidates = KEY;
	KUNIT_EXPECT_EQ(test, fake_take(env_qp(&tep), 1, IB_WC_SUCCESS), 1);
	expect_invalidated(env, &tep.recv, 1);
	KUNIT_EXPECT_EQ(test, kdapl_srq_recv(srq, &sqe), 0);
	KUNIT_EXPECT_EQ(test, fake_take(env_qp(&tep), 1, IB_WC_SUCCESS), 1);
	expect_operation(env, &tep.recv, DAT_DTO_RECEIVE, DAT_DTO_SUCCESS);
}

/* The peer may have RMRs where the own device has none. */
static void post_invalidates_without_rmrs(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	env->ia->max_rmr_size = 0;
	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_SEND_INV, 1), 0);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 1);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 0)->opcode,
			IB_WR_SEND_WITH_INV);
	KUNIT_EXPECT_EQ(test, finish_sends(&tep, 1), 1);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_READ_RMR, 2), -EINVAL);
	/* But a device that knows how. */
	env->dev->ib.attrs.device_cap_flags = 0;
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_SEND_INV, 3), -EINVAL);
	env->dev->ib.attrs.device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
}

/* A write takes a receive, and not a byte of it is in that one's memory. */
static void receive_of_a_write_is_empty(struct kunit *test)
{
	static const struct {
		enum ib_wc_opcode opcode;
		u64 length;
	} row[] = {
		{ IB_WC_RECV_RDMA_WITH_IMM, 0 },
		{ IB_WC_RECV, 64 },
	};
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_event event;
	u32 i;

	env_connect(env, &tep);
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_RECV, i), 0);
		env_qp(&tep)->imm_of = row[i].opcode;
		env_qp(&tep)->imm = KEY;
		KUNIT_EXPECT_EQ(test, fake_complete(env_qp(&tep),
						    &env_qp(&tep)->rq, 1,
						    IB_WC_SUCCESS), 1);
		event = prog_next(&tep.recv);
		KUNIT_EXPECT_EQ(test, event.type, DAT_DTO_COMPLETION_EVENT);
		KUNIT_EXPECT_EQ(test, event.cookie, i);
		KUNIT_EXPECT_EQ(test, event.length, row[i].length);
		KUNIT_EXPECT_EQ(test, KDAPL_DTO_OPERATION(event.status),
				DAT_DTO_RECEIVE);
		KUNIT_EXPECT_EQ(test, KDAPL_DTO_STATUS(event.status),
				DAT_DTO_SUCCESS);
	}
}

/* ---- draining -------------------------------------------------------------------- */

struct drainer {
	struct work_struct work;
	struct kdapl_ep *ep;
	struct completion done;
	int ret;
	u32 events;		/* of requests, when it returned */
	struct test_evd *request;
};

static void drain(struct work_struct *work)
{
	struct drainer *drainer = container_of(work, struct drainer, work);

	drainer->ret = kdapl_ep_drain(drainer->ep);
	drainer->events = prog_events(drainer->request);
	complete(&drainer->done);
}

/* Returns with the last completion, and not before. */
static void drain_waits(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct drainer drainer = {
		.ep = tep.ep, .ret = -1, .request = &tep.request,
	};

	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_SEND, 1), 0);
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_SEND, 2), 0);
	KUNIT_EXPECT_EQ(test,
			kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_GRACEFUL), 0);
	init_completion(&drainer.done);
	INIT_WORK_ONSTACK(&drainer.work, drain);
	queue_work(system_unbound_wq, &drainer.work);
	finish_sends(&tep, 1);
	KUNIT_EXPECT_FALSE(test, wait_for_completion_timeout(&drainer.done,
							     HZ / 10));
	finish_sends(&tep, 1);
	KUNIT_EXPECT_TRUE(test, wait_for_completion_timeout(&drainer.done,
							    20 * HZ));
	flush_work(&drainer.work);
	destroy_work_on_stack(&drainer.work);
	KUNIT_EXPECT_EQ(test, drainer.ret, 0);
	KUNIT_EXPECT_EQ(test, drainer.events, 2);
}

/* The end flushes what is out, receives as well. */
static void drain_after_the_end(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 i;

	KUNIT_EXPECT_EQ(test, kdapl_ep_drain(tep.ep), 0);
	KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_RECV, 1), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_drain(tep.ep), -EBADFD);
	env_connect(env, &tep);
	for (i = 0; i < DEPTH; i++)
		KUNIT_EXPECT_EQ(test, post_op(env, &tep, KDAPL_OP_SEND, i), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_drain(tep.ep), -EBADFD);
	KUNIT_EXPECT_EQ(test,
			kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_drain(tep.ep), 0);
	KUNIT_EXPECT_EQ(test, prog_events(&tep.request), DEPTH);
	KUNIT_EXPECT_EQ(test, prog_events(&tep.recv), 1);
}

/* ---- messages that go with the request ----------------------------------------- */

/* One of the first @length bytes of @lmr: what the device got for it. */
static struct fake_wr *post_small(struct env *env, struct test_ep *tep, u8 op,
				  u32 lmr, u32 length)
{
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, op, 0);
	u32 nr = env_qp(tep)->sq.head;

	sqe.seg[0].lmr = lmr;
	sqe.seg[0].length = length;
	KUNIT_EXPECT_EQ(env->test, post(env, tep, &sqe), 0);
	KUNIT_ASSERT_EQ(env->test, env_qp(tep)->sq.head, nr + 1);
	return fake_wr(&env_qp(tep)->sq, nr);
}

static u32 page_lmr(struct env *env, struct page **page)
{
	const struct kdapl_kmem mem = {
		.va = (void *)(uintptr_t)ENV_LMR_ADDR, .length = PAGE_SIZE,
	};
	struct kdapl_lmr_create arg = {
		.pz = env->pz,
		.privileges = KDAPL_PRIV_LOCAL_READ | KDAPL_PRIV_LOCAL_WRITE,
		.addr = ENV_LMR_ADDR,
	};

	fake_cm.page = page;
	fake_cm.npages = 1;
	KUNIT_ASSERT_EQ(env->test, kdapl_lmr_create_over(env->ia, &arg, &mem),
			0);
	return arg.id;
}

static bool is_inline(const struct fake_wr *wr)
{
	return wr->send_flags & IB_SEND_INLINE;
}

/* What is sent are the bytes of the time of the post. */
static void small_goes_inline(struct kunit *test)
{
	struct env *env = test->priv;
	struct page *page = alloc_page(GFP_KERNEL);
	struct test_ep tep;
	struct fake_wr *wr;
	u32 lmr;

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page_address(page), 0x11, PAGE_SIZE);
	env->dev->max_inline = FAKE_INLINE;
	tep = env_ep(env, DEPTH);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->inline_asked, 64);
	env_connect(env, &tep);
	lmr = page_lmr(env, &page);
	wr = post_small(env, &tep, KDAPL_OP_SEND, lmr, 64);
	memset(page_address(page), 0x22, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, wr->send_flags,
			IB_SEND_SIGNALED | IB_SEND_INLINE);
	KUNIT_EXPECT_NULL(test, memchr_inv(wr->bytes, 0x11, 64));
	wr = post_small(env, &tep, KDAPL_OP_RDMA_WRITE, lmr, 1);
	KUNIT_EXPECT_TRUE(test, is_inline(wr));
	KUNIT_EXPECT_EQ(test, wr->bytes[0], 0x22);
	KUNIT_EXPECT_EQ(test, wr->bytes[1], 0);
	/* Too long, or nothing that brings bytes, or not by all drivers. */
	KUNIT_EXPECT_FALSE(test, is_inline(post_small(env, &tep, KDAPL_OP_SEND,
						      lmr, 65)));
	KUNIT_EXPECT_FALSE(test, is_inline(post_small(env, &tep, KDAPL_OP_SEND,
						      lmr, 0)));
	KUNIT_EXPECT_FALSE(test, is_inline(post_small(env, &tep,
						      KDAPL_OP_RDMA_READ, lmr,
						      64)));
	KUNIT_EXPECT_FALSE(test, is_inline(post_small(env, &tep,
						      KDAPL_OP_SEND_INV, lmr,
						      64)));
	finish_sends(&tep, 6);
	__free_page(page);
}

/* A read before it may bring what is fenced; of several segments all would have to. */
static void others_go_by_keys(struct kunit *test)
{
	struct env *env = test->priv;
	struct page *page = alloc_page(GFP_KERNEL);
	struct kdapl_sqe sqe;
	struct test_ep tep;

	KUNIT_ASSERT_NOT_NULL(test, page);
	env->dev->max_inline = FAKE_INLINE;
	tep = env_ep(env, DEPTH);
	env_connect(env, &tep);
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 0);
	sqe.seg[0].lmr = page_lmr(env, &page);
	sqe.seg[0].length = 8;
	sqe.flags = KDAPL_SQE_FENCE;
	KUNIT_EXPECT_EQ(test, post(env, &tep, &sqe), 0);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 0)->send_flags,
			IB_SEND_SIGNALED | IB_SEND_FENCE);
	sqe.flags = 0;
	sqe.seg[1] = sqe.seg[0];
	sqe.num_seg = 2;
	KUNIT_EXPECT_EQ(test, post(env, &tep, &sqe), 0);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 1)->send_flags,
			IB_SEND_SIGNALED);
	KUNIT_EXPECT_FALSE(test, env->dev->bad_sge);
	finish_sends(&tep, 2);
	__free_page(page);
}

/* As much as the driver says; hardware is not asked. */
static void driver_limits_inline(struct kunit *test)
{
	struct env *env = test->priv;
	struct page *page = alloc_page(GFP_KERNEL);
	struct test_ep tep;
	u32 lmr;

	KUNIT_ASSERT_NOT_NULL(test, page);
	lmr = page_lmr(env, &page);
	env->dev->max_inline = 16;
	tep = env_ep(env, DEPTH);
	env_connect(env, &tep);
	KUNIT_EXPECT_TRUE(test, is_inline(post_small(env, &tep, KDAPL_OP_SEND,
						     lmr, 16)));
	KUNIT_EXPECT_FALSE(test, is_inline(post_small(env, &tep, KDAPL_OP_SEND,
						      lmr, 17)));
	finish_sends(&tep, 2);

	env->dev->max_inline = FAKE_INLINE;
	env->dev->ib.dma_device = kunit_kzalloc(test, sizeof(struct device),
						GFP_KERNEL);
	tep = env_ep(env, DEPTH);
	env->dev->ib.dma_device = NULL;
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->inline_asked, 0);
	env_connect(env, &tep);
	KUNIT_EXPECT_FALSE(test, is_inline(post_small(env, &tep, KDAPL_OP_SEND,
						      lmr, 16)));
	finish_sends(&tep, 1);
	__free_page(page);
}

static struct kunit_case kernel_post_cases[] = {
	KUNIT_CASE(post_and_complete),
	KUNIT_CASE(post_several),
	KUNIT_CASE(post_takes_back),
	KUNIT_CASE(post_no_more_than_a_chain),
	KUNIT_CASE(post_checks),
	KUNIT_CASE(post_flushes),
	KUNIT_CASE(post_refused_by_device),
	KUNIT_CASE(post_on_srq),
	KUNIT_CASE(events_name_the_operation),
	KUNIT_CASE(receive_names_the_key),
	KUNIT_CASE(receive_of_srq_names_the_key),
	KUNIT_CASE(post_invalidates_without_rmrs),
	KUNIT_CASE(receive_of_a_write_is_empty),
	KUNIT_CASE(drain_waits),
	KUNIT_CASE(drain_after_the_end),
	KUNIT_CASE(small_goes_inline),
	KUNIT_CASE(others_go_by_keys),
	KUNIT_CASE(driver_limits_inline),
	{}
};

static struct kunit_suite kernel_post_suite = {
	.name = "kdapl-kernel-post",
	.init = env_init_kernel,
	.exit = env_exit,
	.test_cases = kernel_post_cases,
};

kunit_test_suite(kernel_post_suite);

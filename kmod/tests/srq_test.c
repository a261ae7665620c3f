// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * SRQs: the window on the device, who took what, slots that come back, events of
 * their own, errors. And the marks of an EP.
 */

#include "../srq.h"
#include "env.h"

#define SRQ_USER	0x8877665544332211ULL
#define SRQ_TAG		0xabcd1234U
#define SLOTS		20

struct test_srq {
	struct kdapl_srq *srq;
	u32 id;
	struct test_evd async;
};

static struct test_srq make_srq(struct kunit *test, u32 slots)
{
	struct env *env = test->priv;
	struct test_srq tsrq = { .async = env_evd(env, 8, DAT_EVD_ASYNC_FLAG) };
	struct kdapl_srq_create arg = {
		.pz = env->pz,
		.max_recvs = slots,
		.max_recv_iov = 2,
		.async_evd = tsrq.async.id,
		.tag = SRQ_TAG,
		.user = SRQ_USER,
	};

	KUNIT_ASSERT_EQ(test, kdapl_srq_create(env->ia, &arg), 0);
	tsrq.id = arg.id;
	tsrq.srq = to_srq(env_hold(env, arg.id, KDAPL_OBJ_SRQ));
	return tsrq;
}

static struct test_ep make_styled_ep(struct kunit *test, struct test_srq *tsrq,
				     u32 events, u16 recv_notify)
{
	struct env *env = test->priv;
	struct test_ep tep = {
		.recv = env_evd(env, events, DAT_EVD_DTO_FLAG),
		.request = env_evd(env, 8, DAT_EVD_DTO_FLAG),
		.conn = env_evd(env, 8, DAT_EVD_CONNECTION_FLAG),
	};
	struct kdapl_ep_create arg = {
		.pz = env->pz,
		.recv_evd = tep.recv.id,
		.request_evd = tep.request.id,
		.connect_evd = tep.conn.id,
		.max_requests = 4,
		.max_request_iov = 1,
		.user = ENV_USER,
		.srq = tsrq->id,
		.recv_notify = recv_notify,
	};

	KUNIT_ASSERT_EQ(test, kdapl_ep_create(env->ia, &arg), 0);
	tep.id = arg.id;
	tep.ep = to_ep(env_hold(env, arg.id, KDAPL_OBJ_EP));
	return tep;
}

/* An EP that takes from it; its receive EVD has room for @events. */
static struct test_ep make_ep(struct kunit *test, struct test_srq *tsrq,
			      u32 events)
{
	return make_styled_ep(test, tsrq, events, KDAPL_NOTIFY_THRESHOLD);
}

static struct fake_srq *device(struct test_srq *tsrq)
{
	return to_fake_srq(tsrq->srq->ibsrq);
}

static u32 in_device(struct test_srq *tsrq)
{
	return device(tsrq)->queue.head - device(tsrq)->queue.tail;
}

static u32 word(struct test_srq *tsrq, size_t offset)
{
	return READ_ONCE(*(u32 *)(tsrq->srq->status.addr + offset));
}

#define shown(tsrq, field) \
	word(tsrq, offsetof(struct kdapl_srq_status, field))

static void post(struct env *env, struct test_srq *tsrq, u64 first, u64 n)
{
	struct kdapl_sqe sqe;
	u64 i;

	for (i = first; i < first + n; i++) {
		sqe = prog_sqe(env, tsrq->id, KDAPL_OP_RECV, i);
		prog_post(env, &sqe);
	}
}

#define EXPECT_RECV(test, tevd, want_cookie, want_status) do {		\
	struct kdapl_event _ev = prog_next(tevd);			\
	struct kunit *_t = (test);					\
									\
	KUNIT_EXPECT_EQ(_t, _ev.type, DAT_DTO_COMPLETION_EVENT);	\
	KUNIT_EXPECT_EQ(_t, _ev.user, ENV_USER);			\
	KUNIT_EXPECT_EQ(_t, _ev.cookie, want_cookie);			\
	KUNIT_EXPECT_EQ(_t, _ev.status, want_status);			\
	KUNIT_EXPECT_EQ(_t, _ev.length >> 32, SRQ_TAG);			\
} while (0)

static void expect_async(struct kunit *test, struct test_srq *tsrq, u64 user,
			 u32 reason)
{
	struct kdapl_event event;

	EXPECT_SOON(test, prog_events(&tsrq->async));
	event = prog_next(&tsrq->async);
	KUNIT_EXPECT_EQ(test, event.type,
			DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR);
	KUNIT_EXPECT_EQ(test, event.user, user);
	KUNIT_EXPECT_EQ(test, event.status, reason);
}

/* ---- receives ------------------------------------------------------------ */

/* Segments without a byte never reach the device, which might take 0 for 2 GiB. */
static void srq_leaves_empty_segments_out(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, 4);
	struct kdapl_sqe sqe = prog_sqe(env, tsrq.id, KDAPL_OP_RECV, 1);
	struct fake_wr *wr;

	sqe.num_seg = 2;
	sqe.seg[1] = sqe.seg[0];
	sqe.seg[0].length = 0;
	prog_post(env, &sqe);
	KUNIT_ASSERT_EQ(test, in_device(&tsrq), 1);
	wr = fake_wr(&device(&tsrq)->queue, 0);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 1);
	KUNIT_EXPECT_EQ(test, wr->sge[0].addr, ENV_LMR_ADDR);
	KUNIT_EXPECT_EQ(test, wr->sge[0].length, 64);
}

/* The device has as many as fit; the others follow in their order. */
static void srq_window(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_ep(test, &tsrq, 32);
	u64 i;

	env_connect(env, &tep);
	post(env, &tsrq, 0, SLOTS);
	KUNIT_EXPECT_EQ(test, in_device(&tsrq), ENV_SRQ_WINDOW);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), SLOTS);
	for (i = 0; i < SLOTS; i++) {
		KUNIT_EXPECT_EQ(test, fake_take(env_qp(&tep), 1, IB_WC_SUCCESS), 1);
		EXPECT_RECV(test, &tep.recv, i, DAT_DTO_SUCCESS);
		KUNIT_EXPECT_EQ(test, shown(&tsrq, taken), i + 1);
		KUNIT_EXPECT_EQ(test, shown(&tsrq, done), i + 1);
		KUNIT_EXPECT_EQ(test, in_device(&tsrq),
				min_t(u32, SLOTS - 1 - i, ENV_SRQ_WINDOW));
	}
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 0);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, dropped), 0);
	/* The slots are there again. */
	post(env, &tsrq, 100, SLOTS);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), SLOTS);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, state), 0);
}

static void srq_each_to_its_ep(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep a = make_ep(test, &tsrq, 32);
	struct test_ep b = make_ep(test, &tsrq, 32);

	env_connect(env, &a);
	env_connect(env, &b);
	post(env, &tsrq, 0, 5);
	fake_take(env_qp(&b), 2, IB_WC_SUCCESS);
	fake_take(env_qp(&a), 1, IB_WC_SUCCESS);
	fake_take(env_qp(&b), 1, IB_WC_SUCCESS);
	EXPECT_RECV(test, &a.recv, 2, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &a.recv);
	EXPECT_RECV(test, &b.recv, 0, DAT_DTO_SUCCESS);
	EXPECT_RECV(test, &b.recv, 1, DAT_DTO_SUCCESS);
	EXPECT_RECV(test, &b.recv, 3, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, prog_ep(&a, hw_recv), 1);
	KUNIT_EXPECT_EQ(test, prog_ep(&b, hw_recv), 3);
	KUNIT_EXPECT_EQ(test, prog_ep(&b, recv_done), 3);
}

/* Nothing of a connection is seen before ESTABLISHED. */
static void srq_held_back(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_ep(test, &tsrq, 32);

	post(env, &tsrq, 0, 3);
	mutex_lock(&tep.ep->mutex);
	KUNIT_EXPECT_EQ(test, kdapl_ep_begin(tep.ep, KDAPL_EP_COMPLETION_PENDING), 0);
	mutex_unlock(&tep.ep->mutex);
	fake_take(env_qp(&tep), 2, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.recv);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, taken), 2);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, done), 0);
	kdapl_ep_established(tep.ep, 0);
	EXPECT_RECV(test, &tep.recv, 0, DAT_DTO_SUCCESS);
	EXPECT_RECV(test, &tep.recv, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, done), 2);
}

/* Events that wait for room keep their slots; with their EP they are dropped. */
static void srq_backlog(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep a = make_ep(test, &tsrq, 4);
	struct test_ep b = make_ep(test, &tsrq, 32);

	env_connect(env, &a);
	env_connect(env, &b);
	post(env, &tsrq, 0, 8);
	fake_take(env_qp(&a), 7, IB_WC_SUCCESS);
	fake_take(env_qp(&b), 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, taken), 8);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, done), 5);
	KUNIT_EXPECT_EQ(test, prog_ep(&a, hw_recv) - prog_ep(&a, recv_done), 3);
	EXPECT_RECV(test, &a.recv, 0, DAT_DTO_SUCCESS);
	kdapl_evd_fill(a.recv.evd);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, done), 6);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, a.id, KDAPL_OBJ_EP), 0);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, done), 8);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, dropped), 2);
	EXPECT_RECV(test, &b.recv, 7, DAT_DTO_SUCCESS);
	post(env, &tsrq, 100, SLOTS);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, state), 0);
}

/* What an EP does not take stays; what fails breaks it alone. */
static void srq_one_ep_ends(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep a = make_ep(test, &tsrq, 8);
	struct test_ep b = make_ep(test, &tsrq, 8);

	env_connect(env, &a);
	env_connect(env, &b);
	post(env, &tsrq, 0, 4);
	fake_take(env_qp(&a), 1, IB_WC_LOC_LEN_ERR);
	EXPECT_RECV(test, &a.recv, 0, DAT_DTO_ERR_LOCAL_LENGTH);
	EXPECT_SOON(test, prog_ep(&a, state) == KDAPL_EP_DISCONNECTED);
	flush_work(&a.ep->end_work);
	EXPECT_CONN(test, &a.conn, DAT_CONNECTION_EVENT_BROKEN);
	EXPECT_NO_EVENT(test, &a.recv);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 3);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(a.ep), 0);
	env_connect(env, &a);
	fake_take(env_qp(&b), 1, IB_WC_SUCCESS);
	fake_take(env_qp(&a), 2, IB_WC_SUCCESS);
	EXPECT_RECV(test, &b.recv, 1, DAT_DTO_SUCCESS);
	EXPECT_RECV(test, &a.recv, 2, DAT_DTO_SUCCESS);
	EXPECT_RECV(test, &a.recv, 3, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, prog_ep(&b, state), KDAPL_EP_CONNECTED);
}

/*
 * Each EP gets what it took, also where the message was still arriving, and before
 * the event of the end; what nobody took stays.
 */
static void srq_half_received(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep a = make_ep(test, &tsrq, 8);
	struct test_ep b = make_ep(test, &tsrq, 8);

	env_connect(env, &a);
	env_connect(env, &b);
	post(env, &tsrq, 0, 6);
	fake_take(env_qp(&a), 1, IB_WC_SUCCESS);
	KUNIT_ASSERT_TRUE(test, fake_take_half(env_qp(&a)));
	KUNIT_ASSERT_TRUE(test, fake_take_half(env_qp(&b)));
	fake_take(env_qp(&b), 1, IB_WC_SUCCESS);
	kdapl_ep_end(a.ep, DAT_CONNECTION_EVENT_DISCONNECTED, false);
	flush_work(&a.ep->end_work);
	EXPECT_RECV(test, &a.recv, 0, DAT_DTO_SUCCESS);
	EXPECT_RECV(test, &a.recv, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_NO_EVENT(test, &a.recv);
	EXPECT_CONN(test, &a.conn, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_RECV(test, &b.recv, 3, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &b.recv);
	KUNIT_EXPECT_EQ(test, prog_ep(&b, state), KDAPL_EP_CONNECTED);
	/* The one that the other EP fills is not available, and not done. */
	KUNIT_EXPECT_EQ(test, shown(&tsrq, done), 3);
	KUNIT_EXPECT_EQ(test, in_device(&tsrq), 2);
	kdapl_ep_end(b.ep, DAT_CONNECTION_EVENT_DISCONNECTED, false);
	flush_work(&b.ep->end_work);
	EXPECT_RECV(test, &b.recv, 2, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 2);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, dropped), 0);
}

/* ---- receives that the device forgets -------------------------------------- */

static void end(struct test_ep *tep)
{
	kdapl_ep_end(tep->ep, DAT_CONNECTION_EVENT_DISCONNECTED, false);
	flush_work(&tep->ep->end_work);
}

/* It ends, and is as good as new. */
static void end_and_reset(struct kunit *test, struct test_ep *tep)
{
	end(tep);
	EXPECT_CONN(test, &tep->conn, DAT_CONNECTION_EVENT_DISCONNECTED);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep->ep), 0);
}

/* An SRQ of a device that forgets, and two EPs. */
static struct test_srq make_lossy(struct kunit *test, struct test_ep *a,
				  struct test_ep *b)
{
	struct env *env = test->priv;
	struct test_srq tsrq;

	env->dev->forgets = true;
	tsrq = make_srq(test, SLOTS);
	*a = make_ep(test, &tsrq, 8);
	*b = make_ep(test, &tsrq, 8);
	env_connect(env, a);
	env_connect(env, b);
	return tsrq;
}

/* Of its six receives @a has taken the first for half a message, @b the second. */
static struct test_srq make_half_taken(struct kunit *test, struct test_ep *a,
				       struct test_ep *b)
{
	struct test_srq tsrq = make_lossy(test, a, b);

	post(test->priv, &tsrq, 0, 6);
	KUNIT_ASSERT_TRUE(test, fake_take_half(env_qp(a)));
	KUNIT_ASSERT_EQ(test, fake_take(env_qp(b), 1, IB_WC_SUCCESS), 1);
	return tsrq;
}

/*
 * What one forgot comes back with the end of another, when no other can have it:
 * neither the one that has received since, nor the one that does not receive yet.
 */
static void srq_forgotten(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep a, b;
	struct test_srq tsrq = make_half_taken(test, &a, &b);

	end(&a);
	EXPECT_CONN(test, &a.conn, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_NO_EVENT(test, &a.recv);
	EXPECT_RECV(test, &b.recv, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 5);

	/* While its queue pair is there it could be completed. */
	end_and_reset(test, &b);
	EXPECT_NO_EVENT(test, &b.recv);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(a.ep), 0);
	env_connect(env, &b);
	fake_take(env_qp(&b), 1, IB_WC_SUCCESS);
	EXPECT_RECV(test, &b.recv, 2, DAT_DTO_SUCCESS);
	end(&b);
	EXPECT_RECV(test, &b.recv, 0, DAT_DTO_ERR_FLUSHED);
	EXPECT_CONN(test, &b.conn, DAT_CONNECTION_EVENT_DISCONNECTED);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 3);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, done), 3);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, dropped), 0);
	KUNIT_EXPECT_EQ(test, in_device(&tsrq), 3);
}

/* An EP that may be in the midst of a message, and one that was and goes on. */
static void srq_forgotten_by_the_idle(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep a, b;
	struct test_srq tsrq = make_half_taken(test, &a, &b);

	EXPECT_RECV(test, &b.recv, 1, DAT_DTO_SUCCESS);
	end_and_reset(test, &b);
	EXPECT_NO_EVENT(test, &b.recv);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 5);

	fake_finish_half(env_qp(&a));
	EXPECT_RECV(test, &a.recv, 0, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 4);
	env_connect(env, &b);
	end_and_reset(test, &b);
	EXPECT_NO_EVENT(test, &b.recv);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, done), 2);
}

/* Where the device tells that a queue pair is through, its EP gets what it forgot. */
static void srq_forgotten_and_told(struct kunit *test)
{
	struct test_ep a, b;
	struct test_srq tsrq = make_half_taken(test, &a, &b);

	fake_qp_event(env_qp(&a), IB_EVENT_QP_LAST_WQE_REACHED);
	end(&a);
	EXPECT_RECV(test, &a.recv, 0, DAT_DTO_ERR_FLUSHED);
	EXPECT_CONN(test, &a.conn, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_RECV(test, &b.recv, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 4);
}

/* As often as one likes. */
static void srq_forgotten_again_and_again(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep a, b;
	struct test_srq tsrq = make_lossy(test, &a, &b);
	u64 next = 4, lost = 0;
	unsigned int i;

	post(env, &tsrq, 0, 4);
	for (i = 0; i < 200; i++) {
		KUNIT_ASSERT_TRUE(test, fake_take_half(env_qp(&a)));
		KUNIT_ASSERT_EQ(test, fake_take(env_qp(&b), 1, IB_WC_SUCCESS), 1);
		post(env, &tsrq, next++, 1);
		while (prog_events(&b.recv))
			prog_next(&b.recv);
		end_and_reset(test, &a);
		while (prog_events(&a.recv)) {
			prog_next(&a.recv);
			post(env, &tsrq, next++, 1);
			lost++;
		}
		env_connect(env, &a);
	}
	KUNIT_EXPECT_EQ(test, lost, 199);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 4);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, state), 0);
}

/* ---- solicited receives --------------------------------------------------- */

static struct test_ep make_solicited_ep(struct kunit *test,
					struct test_srq *tsrq)
{
	return make_styled_ep(test, tsrq, 64, KDAPL_NOTIFY_SOLICITED);
}

/* It has a queue of its own; what no solicited message brings along is found. */
static void srq_solicited_is_looked_for(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_solicited_ep(test, &tsrq);
	struct test_ep other = make_ep(test, &tsrq, 32);
	u64 i;

	KUNIT_ASSERT_NOT_NULL(test, tep.ep->recv_cq);
	KUNIT_EXPECT_EQ(test, tep.ep->recv_cq->arm, IB_CQ_SOLICITED);
	KUNIT_EXPECT_PTR_EQ(test, env_qp(&tep)->ib.recv_cq,
			    tep.ep->recv_cq->ibcq);
	KUNIT_EXPECT_PTR_EQ(test, env_qp(&other)->ib.recv_cq,
			    tsrq.srq->cq->ibcq);
	env_connect(env, &tep);
	env_connect(env, &other);
	post(env, &tsrq, 0, SLOTS);
	/* All that the device has; then it has others. */
	KUNIT_EXPECT_EQ(test, fake_take_unsolicited(env_qp(&tep), SLOTS,
						    IB_WC_SUCCESS),
			ENV_SRQ_WINDOW);
	EXPECT_SOON(test, prog_events(&tep.recv) == ENV_SRQ_WINDOW);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, taken), ENV_SRQ_WINDOW);
	KUNIT_EXPECT_EQ(test, in_device(&tsrq), ENV_SRQ_WINDOW);
	KUNIT_EXPECT_EQ(test, env_wait(tep.recv.evd, 1, 0), -ETIMEDOUT);
	fake_take(env_qp(&other), 1, IB_WC_SUCCESS);
	EXPECT_RECV(test, &other.recv, ENV_SRQ_WINDOW, DAT_DTO_SUCCESS);
	for (i = 0; i < ENV_SRQ_WINDOW; i++)
		EXPECT_RECV(test, &tep.recv, i, DAT_DTO_SUCCESS);
	/* Where the device tells, a wait ends. */
	fake_take(env_qp(&tep), 1, IB_WC_SUCCESS);
	EXPECT_SOON(test, !env_wait(tep.recv.evd, 1, 0));
}

/* With nothing that can be taken nobody looks; a post makes it begin again. */
static void srq_solicited_rests(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_solicited_ep(test, &tsrq);
	int round;

	env_connect(env, &tep);
	for (round = 1; round < 4; round++) {
		EXPECT_SOON(test, !work_busy(&tsrq.srq->listen_work.work));
		post(env, &tsrq, round, 1);
		KUNIT_EXPECT_NE(test, work_busy(&tsrq.srq->listen_work.work), 0);
		fake_take_unsolicited(env_qp(&tep), 1, IB_WC_SUCCESS);
		EXPECT_SOON(test, shown(&tsrq, taken) == round);
	}
	post(env, &tsrq, 9, 1);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
	KUNIT_EXPECT_EQ(test, tsrq.srq->listened, 0);
	EXPECT_SOON(test, !work_busy(&tsrq.srq->listen_work.work));
}

static void srq_solicited_failure(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_solicited_ep(test, &tsrq);

	env_connect(env, &tep);
	post(env, &tsrq, 0, 2);
	fake_take_unsolicited(env_qp(&tep), 1, IB_WC_LOC_LEN_ERR);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	flush_work(&tep.ep->end_work);
	KUNIT_EXPECT_EQ(test, env_wait(tep.recv.evd, 1, 0), 0);
	EXPECT_RECV(test, &tep.recv, 0, DAT_DTO_ERR_LOCAL_LENGTH);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
	EXPECT_NO_EVENT(test, &tep.recv);
	/* On the next connection it is as at first. */
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	KUNIT_EXPECT_EQ(test, tep.ep->recv_cq->arm, IB_CQ_SOLICITED);
	KUNIT_EXPECT_EQ(test, tsrq.srq->listened, 1);
	env_connect(env, &tep);
	fake_take_unsolicited(env_qp(&tep), 1, IB_WC_SUCCESS);
	EXPECT_SOON(test, prog_events(&tep.recv) == 1);
	EXPECT_RECV(test, &tep.recv, 1, DAT_DTO_SUCCESS);
}

/* Nobody has looked yet when the peer leaves: it broke all the same. */
static void srq_left_then_failure(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_solicited_ep(test, &tsrq);

	env_connect(env, &tep);
	post(env, &tsrq, 0, 1);
	fake_take_unsolicited(env_qp(&tep), 1, IB_WC_LOC_LEN_ERR);
	env_peer_leaves(&tep);
	EXPECT_SOON(test, prog_events(&tep.conn));
	EXPECT_RECV(test, &tep.recv, 0, DAT_DTO_ERR_LOCAL_LENGTH);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
}

/* The device told of a message when there was nothing to see yet. */
static void srq_solicited_held_back(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_solicited_ep(test, &tsrq);

	post(env, &tsrq, 0, 2);
	mutex_lock(&tep.ep->mutex);
	KUNIT_EXPECT_EQ(test, kdapl_ep_begin(tep.ep, KDAPL_EP_COMPLETION_PENDING), 0);
	mutex_unlock(&tep.ep->mutex);
	fake_take(env_qp(&tep), 1, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.recv);
	KUNIT_EXPECT_EQ(test, env_wait(tep.recv.evd, 1, 0), -ETIMEDOUT);
	kdapl_ep_established(tep.ep, 0);
	KUNIT_EXPECT_EQ(test, env_wait(tep.recv.evd, 1, 0), 0);
	EXPECT_RECV(test, &tep.recv, 0, DAT_DTO_SUCCESS);
}

/* What nobody has looked at yet comes with the end, and stands before it. */
static void srq_solicited_end(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_solicited_ep(test, &tsrq);

	env_connect(env, &tep);
	post(env, &tsrq, 0, 4);
	fake_take_unsolicited(env_qp(&tep), 1, IB_WC_SUCCESS);
	KUNIT_ASSERT_TRUE(test, fake_take_half(env_qp(&tep)));
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_DISCONNECTED, false);
	flush_work(&tep.ep->end_work);
	EXPECT_RECV(test, &tep.recv, 0, DAT_DTO_SUCCESS);
	EXPECT_RECV(test, &tep.recv, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_NO_EVENT(test, &tep.recv);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_DISCONNECTED);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 2);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, dropped), 0);
}

static void srq_grows(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, 4);
	struct test_ep tep = make_ep(test, &tsrq, 64);
	struct kdapl_srq_resize arg = { .max_recvs = SLOTS };
	u64 i;

	env_connect(env, &tep);
	post(env, &tsrq, 0, 4);
	KUNIT_EXPECT_EQ(test, kdapl_srq_resize(tsrq.srq, &arg), 0);
	KUNIT_EXPECT_EQ(test, arg.max_recvs, SLOTS);
	post(env, &tsrq, 4, SLOTS - 4);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), SLOTS);
	arg.max_recvs = 2;
	KUNIT_EXPECT_EQ(test, kdapl_srq_resize(tsrq.srq, &arg), 0);
	KUNIT_EXPECT_EQ(test, arg.max_recvs, SLOTS);
	arg.max_recvs = KDAPL_SRQ_MAX + 1;
	KUNIT_EXPECT_EQ(test, kdapl_srq_resize(tsrq.srq, &arg), -ENOSPC);
	arg.max_recvs = 0;
	KUNIT_EXPECT_EQ(test, kdapl_srq_resize(tsrq.srq, &arg), -EINVAL);
	while (fake_take(env_qp(&tep), 8, IB_WC_SUCCESS))
		;
	for (i = 0; i < SLOTS; i++)
		EXPECT_RECV(test, &tep.recv, i, DAT_DTO_SUCCESS);
}

/* ---- errors --------------------------------------------------------------- */

struct bad_entry {
	const char *name;
	void (*spoil)(struct kdapl_sqe *sqe);
};

static void spoil_op(struct kdapl_sqe *sqe)
{
	sqe->op = KDAPL_OP_SEND;
}

static void spoil_flags(struct kdapl_sqe *sqe)
{
	sqe->flags = KDAPL_SQE_SUPPRESS;
}

static void spoil_imm(struct kdapl_sqe *sqe)
{
	sqe->imm = 1;
}

static void spoil_segments(struct kdapl_sqe *sqe)
{
	sqe->num_seg = 3;
}

static void spoil_many_segments(struct kdapl_sqe *sqe)
{
	sqe->num_seg = 255;
}

static void spoil_range(struct kdapl_sqe *sqe)
{
	sqe->seg[0].addr = ENV_LMR_ADDR + ENV_LMR_LENGTH - 1;
}

static void spoil_lmr(struct kdapl_sqe *sqe)
{
	sqe->seg[0].lmr = FAKE_LKEY;
}

static const struct bad_entry bad_entries[] = {
	{ "operation", spoil_op },
	{ "flags", spoil_flags },
	{ "immediate data", spoil_imm },
	{ "too many segments", spoil_segments },
	{ "impossibly many segments", spoil_many_segments },
	{ "outside the LMR", spoil_range },
	{ "a device's lkey", spoil_lmr },
};

static void bad_entry_name(const struct bad_entry *bad, char *name)
{
	strscpy(name, bad->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bad_entries, bad_entries, bad_entry_name);

/* The library posts none of these; who does has an SRQ in error. */
static void srq_bad_entry(struct kunit *test)
{
	const struct bad_entry *bad = test->param_value;
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_ep(test, &tsrq, 32);
	struct kdapl_sqe sqe = prog_sqe(env, tsrq.id, KDAPL_OP_RECV, 1);

	env_connect(env, &tep);
	post(env, &tsrq, 0, 2);
	bad->spoil(&sqe);
	prog_post(env, &sqe);
	expect_async(test, &tsrq, SRQ_USER, 0);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, state), 1);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, dropped), 1);
	/* Posts go on, to nobody; what the device has can still be taken. */
	post(env, &tsrq, 5, 2);
	KUNIT_EXPECT_EQ(test, in_device(&tsrq), 2);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 4);
	fake_take(env_qp(&tep), 2, IB_WC_SUCCESS);
	EXPECT_RECV(test, &tep.recv, 0, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, in_device(&tsrq), 0);
	/* It is told once. */
	prog_post(env, &sqe);
	flush_work(&tsrq.srq->tell_work);
	EXPECT_NO_EVENT(test, &tsrq.async);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_CONNECTED);
}

/* More than there are slots. */
static void srq_overfull(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, 4);

	post(env, &tsrq, 0, 4);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, state), 0);
	post(env, &tsrq, 4, 1);
	expect_async(test, &tsrq, SRQ_USER, 0);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 4);
}

/* The device refuses in the middle of a chain; what it took it has. */
static void srq_device_refuses(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_ep(test, &tsrq, 32);
	struct kdapl_sqe sqe;
	u64 i;

	env_connect(env, &tep);
	device(&tsrq)->post_error = -ENOMEM;
	device(&tsrq)->post_good = 3;
	for (i = 0; i < 5; i++) {
		sqe = prog_sqe(env, tsrq.id, KDAPL_OP_RECV, i);
		prog_store(env, &sqe);
	}
	prog_ring(env);
	expect_async(test, &tsrq, SRQ_USER, 0);
	KUNIT_EXPECT_EQ(test, in_device(&tsrq), 3);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 5);
	fake_take(env_qp(&tep), 5, IB_WC_SUCCESS);
	for (i = 0; i < 3; i++)
		EXPECT_RECV(test, &tep.recv, i, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.recv);
}

/* The device tells of an error of its own. */
static void srq_device_fails(struct kunit *test)
{
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct ib_event event = { .event = IB_EVENT_SRQ_ERR };

	tsrq.srq->ibsrq->event_handler(&event, tsrq.srq);
	expect_async(test, &tsrq, SRQ_USER, 0);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, state), 1);
}

static void srq_device_goes(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_ep(test, &tsrq, 32);

	env_connect(env, &tep);
	post(env, &tsrq, 0, 4);
	kdapl_ep_kill(tep.ep);
	kdapl_srq_kill(tsrq.srq);
	KUNIT_EXPECT_EQ(test, env->dev->srqs, 0);
	expect_async(test, &tsrq, SRQ_USER, 0);
	post(env, &tsrq, 4, 4);
	KUNIT_EXPECT_EQ(test, shown(&tsrq, hw_recv), 8);
}

static void srq_create_checks(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, 4);
	struct test_evd dto = env_evd(env, 8, DAT_EVD_DTO_FLAG);
	struct kdapl_pz_create pz = {};
	const struct kdapl_srq_create good = {
		.pz = env->pz, .max_recvs = 4, .max_recv_iov = 1,
		.async_evd = tsrq.async.id,
	};
	struct kdapl_ep_create ep = {
		.recv_evd = dto.id, .srq = tsrq.id, .user = ENV_USER,
	};
	struct kdapl_srq_create arg;

#define EXPECT_CREATE(err, field, value) do {				\
	arg = good;							\
	arg.field = value;						\
	KUNIT_EXPECT_EQ(test, kdapl_srq_create(env->ia, &arg), err);	\
} while (0)
	EXPECT_CREATE(-EINVAL, max_recvs, 0);
	EXPECT_CREATE(-ENOSPC, max_recvs, KDAPL_SRQ_MAX + 1);
	EXPECT_CREATE(-ENOSPC, max_recv_iov, KDAPL_SEGS_MAX + 1);
	EXPECT_CREATE(-EINVAL, pad, 1);
	EXPECT_CREATE(-ENOENT, pz, 12345);
	EXPECT_CREATE(-ENOENT, async_evd, env->pz);
	EXPECT_CREATE(-EINVAL, async_evd, dto.id);
	env->ia->max_srqs = 0;
	EXPECT_CREATE(-EOPNOTSUPP, pad, 0);

	KUNIT_ASSERT_EQ(test, kdapl_pz_create(env->ia, &pz), 0);
	ep.pz = pz.id;
	KUNIT_EXPECT_EQ(test, kdapl_ep_create(env->ia, &ep), -EPERM);
	ep.pz = env->pz;
	ep.recv_evd = 0;
	KUNIT_EXPECT_EQ(test, kdapl_ep_create(env->ia, &ep), -EINVAL);
	ep.recv_evd = dto.id;
	ep.max_recvs = 1;
	KUNIT_EXPECT_EQ(test, kdapl_ep_create(env->ia, &ep), -EINVAL);
	ep.max_recvs = 0;
	ep.srq = dto.id;
	KUNIT_EXPECT_EQ(test, kdapl_ep_create(env->ia, &ep), -ENOENT);
	ep.srq = tsrq.id;
	KUNIT_EXPECT_EQ(test, kdapl_ep_create(env->ia, &ep), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tsrq.id, KDAPL_OBJ_SRQ),
			-EBUSY);
}

/* ---- marks ---------------------------------------------------------------- */

static void srq_low_mark(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, 8);
	struct test_ep tep = make_ep(test, &tsrq, 32);

	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, kdapl_srq_set_low(tsrq.srq, 9), -EINVAL);
	KUNIT_EXPECT_EQ(test, kdapl_srq_set_low(tsrq.srq, 2), 0);
	expect_async(test, &tsrq, SRQ_USER, 2);
	post(env, &tsrq, 0, 5);
	KUNIT_EXPECT_EQ(test, kdapl_srq_set_low(tsrq.srq, 4), 0);
	fake_take(env_qp(&tep), 1, IB_WC_SUCCESS);
	flush_work(&tsrq.srq->tell_work);
	EXPECT_NO_EVENT(test, &tsrq.async);
	/* A receive that still stands in the ring counts. */
	{
		struct kdapl_sqe sqe = prog_sqe(env, tsrq.id, KDAPL_OP_RECV, 9);

		prog_store(env, &sqe);
	}
	fake_take(env_qp(&tep), 1, IB_WC_SUCCESS);
	flush_work(&tsrq.srq->tell_work);
	EXPECT_NO_EVENT(test, &tsrq.async);
	fake_take(env_qp(&tep), 1, IB_WC_SUCCESS);
	expect_async(test, &tsrq, SRQ_USER, 2);
	fake_take(env_qp(&tep), 1, IB_WC_SUCCESS);
	flush_work(&tsrq.srq->tell_work);
	EXPECT_NO_EVENT(test, &tsrq.async);
	KUNIT_EXPECT_EQ(test, kdapl_srq_set_low(tsrq.srq, 0), 0);
	fake_take(env_qp(&tep), 2, IB_WC_SUCCESS);
	flush_work(&tsrq.srq->tell_work);
	EXPECT_NO_EVENT(test, &tsrq.async);
}

static int set_marks(struct test_ep *tep, struct test_srq *tsrq, u32 soft,
		     u32 hard)
{
	const struct kdapl_ep_set_marks arg = {
		.soft = soft,
		.hard = hard,
		.async_evd = tsrq->async.id,
	};

	return kdapl_ep_set_marks(tep->ep, &arg);
}

static void ep_marks_of_an_srq(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = make_ep(test, &tsrq, 4);
	u64 i;

	env_connect(env, &tep);
	post(env, &tsrq, 0, SLOTS);
	KUNIT_EXPECT_EQ(test, set_marks(&tep, &tsrq, 1, 3), 0);
	fake_take(env_qp(&tep), 5, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tsrq.async);
	fake_take(env_qp(&tep), 1, IB_WC_SUCCESS);
	expect_async(test, &tsrq, ENV_USER, 2);
	fake_take(env_qp(&tep), 1, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tsrq.async);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_CONNECTED);
	fake_take(env_qp(&tep), 1, IB_WC_SUCCESS);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	/* The event comes after the state. */
	flush_work(&tep.ep->end_work);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
	for (i = 0; i < 8; i++) {
		EXPECT_RECV(test, &tep.recv, i, DAT_DTO_SUCCESS);
		kdapl_evd_fill(tep.recv.evd);
	}
}

static void ep_marks_of_its_own(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_srq tsrq = make_srq(test, SLOTS);
	struct test_ep tep = env_ep(env, 8);
	struct test_evd other = env_evd(env, 8, DAT_EVD_ASYNC_FLAG);
	const struct kdapl_ep_set_marks another = { .async_evd = other.id };
	u64 i;

	for (i = 0; i < 3; i++)
		prog_post_op(env, &tep, KDAPL_OP_RECV, i);
	KUNIT_EXPECT_EQ(test, set_marks(&tep, &tsrq, 2, 3), 0);
	expect_async(test, &tsrq, ENV_USER, 2);
	KUNIT_EXPECT_EQ(test, kdapl_ep_set_marks(tep.ep, &another), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_marks(&tep, &tsrq, 3, 3), 0);
	EXPECT_NO_EVENT(test, &tsrq.async);
	/* A hard mark waits for the connection. */
	prog_post_op(env, &tep, KDAPL_OP_RECV, 3);
	expect_async(test, &tsrq, ENV_USER, 2);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_UNCONNECTED);
	mutex_lock(&tep.ep->mutex);
	KUNIT_EXPECT_EQ(test, kdapl_ep_begin(tep.ep, KDAPL_EP_ACTIVE_PENDING), 0);
	mutex_unlock(&tep.ep->mutex);
	kdapl_ep_established(tep.ep, 0);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	/* The event comes after the state. */
	flush_work(&tep.ep->end_work);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
	for (i = 0; i < 4; i++)
		EXPECT_DTO(test, &tep.recv, i, DAT_DTO_ERR_FLUSHED);
}

static struct kunit_case srq_cases[] = {
	KUNIT_CASE(srq_leaves_empty_segments_out),
	KUNIT_CASE(srq_window),
	KUNIT_CASE(srq_each_to_its_ep),
	KUNIT_CASE(srq_held_back),
	KUNIT_CASE(srq_backlog),
	KUNIT_CASE(srq_one_ep_ends),
	KUNIT_CASE(srq_half_received),
	KUNIT_CASE(srq_forgotten),
	KUNIT_CASE(srq_forgotten_by_the_idle),
	KUNIT_CASE(srq_forgotten_and_told),
	KUNIT_CASE(srq_forgotten_again_and_again),
	KUNIT_CASE(srq_solicited_is_looked_for),
	KUNIT_CASE(srq_solicited_rests),
	KUNIT_CASE(srq_solicited_failure),
	KUNIT_CASE(srq_left_then_failure),
	KUNIT_CASE(srq_solicited_held_back),
	KUNIT_CASE(srq_solicited_end),
	KUNIT_CASE(srq_grows),
	KUNIT_CASE_PARAM(srq_bad_entry, bad_entries_gen_params),
	KUNIT_CASE(srq_overfull),
	KUNIT_CASE(srq_device_refuses),
	KUNIT_CASE(srq_device_fails),
	KUNIT_CASE(srq_device_goes),
	KUNIT_CASE(srq_create_checks),
	KUNIT_CASE(srq_low_mark),
	KUNIT_CASE(ep_marks_of_an_srq),
	KUNIT_CASE(ep_marks_of_its_own),
	{}
};

static struct kunit_suite srq_suite = {
	.name = "kdapl-srq",
	.init = env_init,
	.exit = env_exit,
	.test_cases = srq_cases,
};

kunit_test_suite(srq_suite);

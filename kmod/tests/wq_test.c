// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Work queues of an EP: what is posted comes back once, in order, and frees its
 * slot when its event is in the ring.
 */

#include "../lmr.h"
#include "env.h"

#define DEPTH	8

static void send(struct env *env, struct test_ep *tep, u64 cookie)
{
	prog_post_op(env, tep, KDAPL_OP_SEND, cookie);
}

static void send_flags(struct env *env, struct test_ep *tep, u64 cookie,
		       u16 flags)
{
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, KDAPL_OP_SEND, cookie);

	sqe.flags = flags;
	prog_post(env, &sqe);
}

static void recv(struct env *env, struct test_ep *tep, u64 cookie)
{
	prog_post_op(env, tep, KDAPL_OP_RECV, cookie);
}

/*
 * The device has had @n of them. Where many are under way or unread, a post is taken
 * by the timer, and what is not there yet cannot be finished.
 */
static void await_sends(struct kunit *test, struct test_ep *tep, u32 n)
{
	EXPECT_SOON(test, READ_ONCE(env_qp(tep)->sq.head) == n);
}

static u32 finish_sends(struct test_ep *tep, u32 n)
{
	return fake_complete(env_qp(tep), &env_qp(tep)->sq, n, IB_WC_SUCCESS);
}

static u32 finish_recvs(struct test_ep *tep, u32 n)
{
	return fake_complete(env_qp(tep), &env_qp(tep)->rq, n, IB_WC_SUCCESS);
}

/* ---- posting ----------------------------------------------------------- */

/* Every field of an entry arrives at the device as what it means there. */
static void wq_translates(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe = prog_sqe(env, tep.id, KDAPL_OP_RDMA_WRITE, 1);
	struct fake_wr *wr;

	env_connect(env, &tep);
	sqe.num_seg = 2;
	sqe.remote_addr = 0x123456789abcdef0ULL;
	sqe.rkey = 0xfeedbeef;
	sqe.seg[1] = (struct kdapl_seg) { ENV_LMR_ADDR + 100, 200, env->lmr };
	prog_post(env, &sqe);
	KUNIT_ASSERT_EQ(test, env_qp(&tep)->sq.head, 1);
	wr = fake_wr(&env_qp(&tep)->sq, 0);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_RDMA_WRITE);
	KUNIT_EXPECT_EQ(test, wr->remote_addr, 0x123456789abcdef0ULL);
	KUNIT_EXPECT_EQ(test, wr->rkey, 0xfeedbeef);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 2);
	KUNIT_EXPECT_EQ(test, wr->sge[0].addr, ENV_LMR_ADDR);
	KUNIT_EXPECT_EQ(test, wr->sge[0].length, 64);
	KUNIT_EXPECT_EQ(test, wr->sge[0].lkey, FAKE_LKEY);
	KUNIT_EXPECT_EQ(test, wr->sge[1].addr, ENV_LMR_ADDR + 100);
	KUNIT_EXPECT_EQ(test, wr->sge[1].length, 200);
	KUNIT_EXPECT_EQ(test, wr->sge[1].lkey, FAKE_LKEY);

	sqe.op = KDAPL_OP_RDMA_READ;
	sqe.num_seg = 1;
	sqe.flags = KDAPL_SQE_FENCE | KDAPL_SQE_SOLICITED;
	prog_post(env, &sqe);
	wr = fake_wr(&env_qp(&tep)->sq, 1);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_RDMA_READ);
	KUNIT_EXPECT_EQ(test, wr->send_flags, IB_SEND_SIGNALED | IB_SEND_FENCE);

	send_flags(env, &tep, 3, KDAPL_SQE_SOLICITED | KDAPL_SQE_SUPPRESS);
	wr = fake_wr(&env_qp(&tep)->sq, 2);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_SEND);
	KUNIT_EXPECT_EQ(test, wr->send_flags,
			IB_SEND_SIGNALED | IB_SEND_SOLICITED);

	/* No segment at all is a message too. */
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 4);
	sqe.num_seg = 0;
	prog_post(env, &sqe);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 3)->num_sge, 0);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 4);

	/* A read of nothing, in the form that the devices take: iWARP's want a sink. */
	sqe.op = KDAPL_OP_RDMA_READ;
	prog_post(env, &sqe);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 4)->num_sge, 0);
	env->ia->iwarp = true;
	prog_post(env, &sqe);
	wr = fake_wr(&env_qp(&tep)->sq, 5);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 1);
	KUNIT_EXPECT_EQ(test, wr->sge[0].length, 0);
	KUNIT_EXPECT_EQ(test, wr->sge[0].lkey, 0);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 6);
	env->ia->iwarp = false;
}

/* Segments without a byte never reach the device, which might take 0 for 2 GiB. */
static void wq_leaves_empty_segments_out(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe = prog_sqe(env, tep.id, KDAPL_OP_RECV, 1);
	struct fake_wr *wr;

	env_connect(env, &tep);
	sqe.num_seg = 2;
	sqe.seg[0].length = 0;
	sqe.seg[1] = (struct kdapl_seg) { ENV_LMR_ADDR + 100, 200, env->lmr };
	prog_post(env, &sqe);
	wr = fake_wr(&env_qp(&tep)->rq, 0);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 1);
	KUNIT_EXPECT_EQ(test, wr->sge[0].addr, ENV_LMR_ADDR + 100);
	KUNIT_EXPECT_EQ(test, wr->sge[0].length, 200);

	sqe.op = KDAPL_OP_SEND;
	sqe.cookie = 2;
	swap(sqe.seg[0], sqe.seg[1]);
	prog_post(env, &sqe);
	wr = fake_wr(&env_qp(&tep)->sq, 0);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 1);
	KUNIT_EXPECT_EQ(test, wr->sge[0].length, 200);

	/* The rest of them may be anything. */
	sqe.cookie = 3;
	sqe.seg[1].lmr = env->lmr + 1;
	sqe.seg[1].addr = U64_MAX;
	prog_post(env, &sqe);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 2);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 1)->num_sge, 1);
}

/* An atomic operation on eight bytes of the peer's. */
static struct kdapl_sqe atomic_sqe(struct env *env, struct test_ep *tep, u8 op,
				   u64 cookie)
{
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, op, cookie);

	sqe.remote_addr = 0x1238;
	sqe.rkey = 0x77;
	sqe.seg[0].length = KDAPL_ATOMIC_SIZE;
	sqe.seg[1].addr = 0x0123456789abcdefULL;
	sqe.seg[2].addr = 0xfedcba9876543210ULL;
	return sqe;
}

/* The operands of an atomic operation are in segments that do not count as such. */
static void wq_translates_atomics(struct kunit *test)
{
	static const struct {
		u8 op;
		enum ib_wr_opcode opcode;
	} cases[] = {
		{ KDAPL_OP_CMP_SWAP, IB_WR_ATOMIC_CMP_AND_SWP },
		{ KDAPL_OP_FETCH_ADD, IB_WR_ATOMIC_FETCH_AND_ADD },
	};
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe;
	struct fake_wr *wr;
	unsigned int i;

	env_connect(env, &tep);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		sqe = atomic_sqe(env, &tep, cases[i].op, i);
		sqe.flags = KDAPL_SQE_SOLICITED | KDAPL_SQE_FENCE;
		prog_post(env, &sqe);
		KUNIT_ASSERT_EQ(test, env_qp(&tep)->sq.head, i + 1);
		wr = fake_wr(&env_qp(&tep)->sq, i);
		KUNIT_EXPECT_EQ(test, wr->opcode, cases[i].opcode);
		KUNIT_EXPECT_EQ(test, wr->send_flags,
				IB_SEND_SIGNALED | IB_SEND_FENCE);
		KUNIT_EXPECT_EQ(test, wr->remote_addr, 0x1238);
		KUNIT_EXPECT_EQ(test, wr->rkey, 0x77);
		KUNIT_EXPECT_EQ(test, wr->operand[0], 0x0123456789abcdefULL);
		KUNIT_EXPECT_EQ(test, wr->operand[1], 0xfedcba9876543210ULL);
		KUNIT_EXPECT_EQ(test, wr->num_sge, 1);
		KUNIT_EXPECT_EQ(test, wr->sge[0].length, 8);
	}
}

static void wq_translates_messages(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe = prog_sqe(env, tep.id, KDAPL_OP_WRITE_IMM, 1);
	struct fake_wr *wr;

	env_connect(env, &tep);
	sqe.flags = KDAPL_SQE_SOLICITED;
	sqe.remote_addr = 0x1111;
	sqe.rkey = 0x22;
	sqe.imm = 0x01020304;
	prog_post(env, &sqe);
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND_INV, 2);
	sqe.rkey = 0x33;
	prog_post(env, &sqe);
	KUNIT_ASSERT_EQ(test, env_qp(&tep)->sq.head, 2);
	wr = fake_wr(&env_qp(&tep)->sq, 0);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_RDMA_WRITE_WITH_IMM);
	KUNIT_EXPECT_EQ(test, wr->send_flags,
			IB_SEND_SIGNALED | IB_SEND_SOLICITED);
	KUNIT_EXPECT_EQ(test, wr->remote_addr, 0x1111);
	KUNIT_EXPECT_EQ(test, wr->rkey, 0x22);
	/* As it lay in the program's memory. */
	KUNIT_EXPECT_EQ(test, wr->imm, 0x01020304);
	wr = fake_wr(&env_qp(&tep)->sq, 1);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_SEND_WITH_INV);
	KUNIT_EXPECT_EQ(test, wr->inv_key, 0x33);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 1);
}

static void fenced(struct kunit *test, struct test_ep *tep, u8 op)
{
	struct env *env = test->priv;
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, op, 1);

	sqe.flags = KDAPL_SQE_FENCE;
	prog_post(env, &sqe);
}

/* siw ends a connection at a fenced read. */
static void wq_fence_of_siw(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct fake_queue *sq;

	env->dev->ib.ops.driver_id = RDMA_DRIVER_SIW;
	env_connect(env, &tep);
	sq = &env_qp(&tep)->sq;
	fenced(test, &tep, KDAPL_OP_RDMA_READ);
	fenced(test, &tep, KDAPL_OP_SEND);
	KUNIT_ASSERT_EQ(test, sq->head, 2);
	KUNIT_EXPECT_EQ(test, fake_wr(sq, 0)->opcode, IB_WR_RDMA_READ);
	KUNIT_EXPECT_EQ(test, fake_wr(sq, 0)->send_flags, IB_SEND_SIGNALED);
	KUNIT_EXPECT_EQ(test, fake_wr(sq, 1)->opcode, IB_WR_SEND);
	KUNIT_EXPECT_EQ(test, fake_wr(sq, 1)->send_flags,
			IB_SEND_SIGNALED | IB_SEND_FENCE);
}

/* Consecutive entries of one EP and direction are one call of the driver. */
static void wq_chains(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep one = env_ep(env, 40), two = env_ep(env, 40);
	struct kdapl_sqe sqe;
	unsigned int i;

	env_connect(env, &one);
	env_connect(env, &two);
	for (i = 0; i < 20; i++) {
		sqe = prog_sqe(env, one.id, KDAPL_OP_SEND, i);
		prog_store(env, &sqe);
	}
	for (i = 0; i < 4; i++) {
		sqe = prog_sqe(env, one.id, i & 1 ? KDAPL_OP_RECV :
						    KDAPL_OP_SEND, 20 + i);
		prog_store(env, &sqe);
	}
	sqe = prog_sqe(env, two.id, KDAPL_OP_SEND, 99);
	prog_store(env, &sqe);
	prog_ring(env);
	/* 16, then 4 and the next send, a receive, a send, a receive. */
	KUNIT_EXPECT_EQ(test, env_qp(&one)->calls, 5);
	KUNIT_EXPECT_EQ(test, env_qp(&two)->calls, 1);
	KUNIT_EXPECT_EQ(test, env_qp(&one)->sq.head, 22);
	KUNIT_EXPECT_EQ(test, env_qp(&one)->rq.head, 2);

	KUNIT_EXPECT_EQ(test, finish_sends(&one, 40), 22);
	for (i = 0; i < 20; i++)
		EXPECT_DTO(test, &one.request, i, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &one.request, 20, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &one.request, 22, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &one.request);
}

/* ---- completing -------------------------------------------------------- */

static void wq_completes_in_order(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_event event;
	u64 i;

	env_connect(env, &tep);
	/* Several times around the slots. */
	for (i = 0; i < 5 * DEPTH; i++) {
		send(env, &tep, i);
		if (i % 3 != 2)
			continue;
		await_sends(test, &tep, i + 1);
		finish_sends(&tep, 3);
	}
	/* The ring has lost the last one before. */
	await_sends(test, &tep, 5 * DEPTH);
	finish_sends(&tep, DEPTH);
	for (i = 0; i < 5 * DEPTH; i++) {
		event = prog_next(&tep.request);
		KUNIT_EXPECT_EQ(test, event.cookie, i);
		KUNIT_EXPECT_EQ(test, event.length, 64);
		KUNIT_EXPECT_EQ(test, event.status, DAT_DTO_SUCCESS);
	}
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 5 * DEPTH);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, recv_done), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&env->ia->sq.inflight), 0);
}

/* So many messages of a kind, and bytes of theirs, were received. */
static void expect_messages(struct kunit *test, const struct test_ep *tep,
			    unsigned int kind, u64 n, u64 bytes)
{
	const struct kdapl_ep_status *shown = tep->ep->status.addr;

	KUNIT_EXPECT_EQ(test, READ_ONCE(shown->recvs[kind]), n);
	KUNIT_EXPECT_EQ(test, READ_ONCE(shown->recv_bytes[kind]), bytes);
}

static void wq_recv_counts(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u64 i;

	for (i = 0; i < DEPTH; i++)
		recv(env, &tep, i);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), DEPTH);
	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, finish_recvs(&tep, 3), 3);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), DEPTH - 3);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, recv_done), 3);
	expect_messages(test, &tep, KDAPL_RECV_PLAIN, 3, 3 * 64);
	expect_messages(test, &tep, KDAPL_RECV_IMM, 0, 0);
	expect_messages(test, &tep, KDAPL_RECV_WRITE_IMM, 0, 0);
	for (i = 0; i < 3; i++)
		EXPECT_DTO(test, &tep.recv, i, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.recv);
	EXPECT_NO_EVENT(test, &tep.request);
	/* Receives are no requests in flight. */
	KUNIT_EXPECT_EQ(test, atomic_read(&env->ia->sq.inflight), 0);
}

/* The next message is a write, or a send, with immediate data. */
static void finish_imm(struct test_ep *tep, enum ib_wc_opcode opcode, u32 imm)
{
	env_qp(tep)->imm_of = opcode;
	env_qp(tep)->imm = imm;
	finish_recvs(tep, 1);
}

/* The next event is a receive that tells of its bytes and no more. */
static void expect_plain(struct kunit *test, struct test_evd *tevd, u64 cookie,
			 u64 length)
{
	struct kdapl_event event = prog_next(tevd);

	KUNIT_EXPECT_EQ(test, event.type, DAT_DTO_COMPLETION_EVENT);
	KUNIT_EXPECT_EQ(test, event.user, ENV_USER);
	KUNIT_EXPECT_EQ(test, event.cookie, cookie);
	KUNIT_EXPECT_EQ(test, event.status, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, event.length, length);
}

/*
 * A program that did not ask is not told what came along, in no word of the event.
 * What a write brought is not in the memory of the receive that it took.
 */
static void wq_brought_untold(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	recv(env, &tep, 1);
	recv(env, &tep, 2);
	recv(env, &tep, 3);
	env_connect(env, &tep);
	env_qp(&tep)->invalidates = 0x77;
	KUNIT_EXPECT_EQ(test, finish_recvs(&tep, 1), 1);
	expect_plain(test, &tep.recv, 1, 64);
	finish_imm(&tep, IB_WC_RECV_RDMA_WITH_IMM, 0x88);
	expect_plain(test, &tep.recv, 2, 0);
	finish_imm(&tep, IB_WC_RECV, 0x99);
	expect_plain(test, &tep.recv, 3, 64);
}

/* The next event is a receive that brought @value. */
static void expect_value(struct kunit *test, struct test_evd *tevd, u64 cookie,
			 u32 operation, u32 value)
{
	struct kdapl_event event = prog_next(tevd);

	KUNIT_EXPECT_EQ(test, event.user, ENV_USER);
	KUNIT_EXPECT_EQ(test, event.cookie, cookie);
	KUNIT_EXPECT_EQ(test, event.length, 64);
	KUNIT_EXPECT_EQ(test, event.status,
			KDAPL_DTO_WORD(DAT_DTO_SUCCESS, operation) |
			KDAPL_EV_VALUE);
	KUNIT_EXPECT_EQ(test, event.type, value);
}

/* Who asked is told, also of a value that looks like no event; the next one is plain. */
static void wq_tells_what_came(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	unsigned int i;

	env->ia->tell_op = true;
	for (i = 1; i <= 5; i++)
		recv(env, &tep, i);
	env_connect(env, &tep);
	env_qp(&tep)->invalidates = 0x77;
	finish_recvs(&tep, 1);
	expect_value(test, &tep.recv, 1, DAT_DTO_RECEIVE_WITH_INVALIDATE, 0x77);
	finish_imm(&tep, IB_WC_RECV_RDMA_WITH_IMM, 0x01020304);
	expect_value(test, &tep.recv, 2, KDAPL_EV_OP_RECV_WRITE_IMM, 0x01020304);
	finish_imm(&tep, IB_WC_RECV, 0);
	expect_value(test, &tep.recv, 3, KDAPL_EV_OP_RECV_IMM, 0);
	finish_imm(&tep, IB_WC_RECV, DAT_DTO_COMPLETION_EVENT);
	expect_value(test, &tep.recv, 4, KDAPL_EV_OP_RECV_IMM,
		     DAT_DTO_COMPLETION_EVENT);
	finish_recvs(&tep, 1);
	EXPECT_DTO(test, &tep.recv, 5,
		   KDAPL_DTO_WORD(DAT_DTO_SUCCESS, DAT_DTO_RECEIVE));
	expect_messages(test, &tep, KDAPL_RECV_PLAIN, 2, 2 * 64);
	expect_messages(test, &tep, KDAPL_RECV_IMM, 2, 2 * 64);
	expect_messages(test, &tep, KDAPL_RECV_WRITE_IMM, 1, 64);
}

/* What was not received is not counted. */
static void wq_counts_no_failures(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	recv(env, &tep, 1);
	recv(env, &tep, 2);
	env_connect(env, &tep);
	finish_recvs(&tep, 1);
	fake_complete(env_qp(&tep), &env_qp(&tep)->rq, 1, IB_WC_LOC_LEN_ERR);
	EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &tep.recv, 2, DAT_DTO_ERR_LOCAL_LENGTH);
	expect_messages(test, &tep, KDAPL_RECV_PLAIN, 1, 64);
}

/* They wait for room as others do, and a value of 0 counts. */
static void wq_values_wait_for_room(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = {
		.recv = env_evd(env, 2, DAT_EVD_DTO_FLAG),
		.request = env_evd(env, 4, DAT_EVD_DTO_FLAG),
		.conn = env_evd(env, 4, DAT_EVD_CONNECTION_FLAG),
	};
	unsigned int i;

	env->ia->tell_op = true;
	env_ep_over(env, &tep, DEPTH);
	for (i = 0; i < 5; i++)
		recv(env, &tep, i);
	env_connect(env, &tep);
	for (i = 0; i < 5; i++)
		finish_imm(&tep, IB_WC_RECV_RDMA_WITH_IMM, 0);
	KUNIT_EXPECT_EQ(test, prog_events(&tep.recv), 2);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(tep.recv.evd), 5);
	for (i = 0; i < 5; i++) {
		if (!prog_events(&tep.recv))
			kdapl_evd_fill(tep.recv.evd);
		expect_value(test, &tep.recv, i, KDAPL_EV_OP_RECV_WRITE_IMM, 0);
	}
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(tep.recv.evd), 0);
}

/* What requests of the extensions are called; a failed one as well. */
static void wq_tells_extensions(struct kunit *test)
{
	static const struct {
		u8 op;
		u32 told;
	} cases[] = {
		{ KDAPL_OP_SEND_INV, DAT_DTO_SEND },
		{ KDAPL_OP_WRITE_IMM, KDAPL_EV_OP_WRITE_IMM },
		{ KDAPL_OP_CMP_SWAP, KDAPL_EV_OP_CMP_SWAP },
		{ KDAPL_OP_FETCH_ADD, KDAPL_EV_OP_FETCH_ADD },
	};
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe;
	unsigned int i;

	env->ia->tell_op = true;
	env_connect(env, &tep);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		sqe = atomic_sqe(env, &tep, cases[i].op, i);
		prog_post(env, &sqe);
		finish_sends(&tep, 1);
		EXPECT_DTO(test, &tep.request, i,
			   KDAPL_DTO_WORD(DAT_DTO_SUCCESS, cases[i].told));
	}
	sqe.remote_addr++;
	prog_post(env, &sqe);
	EXPECT_DTO(test, &tep.request, i - 1,
		   KDAPL_DTO_WORD(DAT_DTO_ERR_LOCAL_EP, KDAPL_EV_OP_FETCH_ADD));
}

/* Memory for atomic operations, where there are any. */
static void wq_memory_for_atomics(struct kunit *test)
{
	struct env *env = test->priv;
	struct kdapl_lmr_create arg = {
		.pz = env->pz,
		.mem_type = KDAPL_MEM_VIRTUAL,
		.privileges = KDAPL_PRIV_REMOTE_ATOMIC,
		.addr = ENV_LMR_ADDR,
		.length = ENV_LMR_LENGTH,
	}, again = arg;

	KUNIT_EXPECT_EQ(test, kdapl_lmr_create(env->ia, &arg), 0);
	KUNIT_EXPECT_NE(test, arg.rkey, 0);
	KUNIT_EXPECT_EQ(test, env->dev->access,
			IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_LOCAL_WRITE);
	arg = again;
	env->ia->atomic = false;
	KUNIT_EXPECT_EQ(test, kdapl_lmr_create(env->ia, &arg), -EOPNOTSUPP);
	arg.privileges = KDAPL_PRIV_REMOTE_ATOMIC << 1;
	KUNIT_EXPECT_EQ(test, kdapl_lmr_create(env->ia, &arg), -EINVAL);
}

/* A device would never begin a read, or what counts as one, where there may be none. */
static void wq_without_reads(struct kunit *test)
{
	static const u8 ops[] = {
		KDAPL_OP_CMP_SWAP, KDAPL_OP_RDMA_READ, KDAPL_OP_READ_RMR,
	};
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		env_connect(env, &tep);
		tep.ep->rdma_read_out = 0;
		sqe = i ? prog_sqe(env, tep.id, ops[i], i) :
			  atomic_sqe(env, &tep, ops[i], i);
		prog_post(env, &sqe);
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_ERR_LOCAL_EP);
		KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 0);
		EXPECT_SOON(test, prog_events(&tep.conn));
		EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
		KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	}
}

/* What the device or the transport does not have is refused, as if unknown. */
static void wq_lacks(struct kunit *test)
{
	static const u8 ops[] = {
		KDAPL_OP_SEND_INV, KDAPL_OP_READ_RMR, KDAPL_OP_WRITE_IMM,
		KDAPL_OP_CMP_SWAP, KDAPL_OP_FETCH_ADD,
	};
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe;
	unsigned int i;

	env->ia->imm = false;
	env->ia->atomic = false;
	env->ia->max_rmr_size = 0;
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		env_connect(env, &tep);
		sqe = atomic_sqe(env, &tep, ops[i], i);
		prog_post(env, &sqe);
		EXPECT_SOON(test, prog_events(&tep.conn));
		EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_ERR_LOCAL_EP);
		KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 0);
		KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	}
}

/* A program that asked is told of each completion what it is. */
static void wq_tells_the_operation(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 receive = KDAPL_DTO_WORD(DAT_DTO_SUCCESS, DAT_DTO_RECEIVE);

	env->ia->tell_op = true;
	recv(env, &tep, 1);
	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, finish_recvs(&tep, 1), 1);
	EXPECT_DTO(test, &tep.recv, 1, receive);
	send(env, &tep, 3);
	prog_post_op(env, &tep, KDAPL_OP_RDMA_WRITE, 4);
	prog_post_op(env, &tep, KDAPL_OP_RDMA_READ, 5);
	finish_sends(&tep, 3);
	EXPECT_DTO(test, &tep.request, 3, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &tep.request, 4,
		   KDAPL_DTO_WORD(DAT_DTO_SUCCESS, DAT_DTO_RDMA_WRITE));
	EXPECT_DTO(test, &tep.request, 5,
		   KDAPL_DTO_WORD(DAT_DTO_SUCCESS, DAT_DTO_RDMA_READ));
	prog_post_op(env, &tep, KDAPL_OP_RDMA_WRITE, 6);
	fake_complete(env_qp(&tep), &env_qp(&tep)->sq, 1, IB_WC_REM_ACCESS_ERR);
	EXPECT_DTO(test, &tep.request, 6,
		   KDAPL_DTO_WORD(DAT_DTO_ERR_REMOTE_ACCESS,
				  DAT_DTO_RDMA_WRITE));
}

/* Suppressed success gives no event and counts; a suppressed error gives one. */
static void wq_suppressed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct fake_qp *qp;

	env_connect(env, &tep);
	qp = env_qp(&tep);
	send_flags(env, &tep, 1, KDAPL_SQE_SUPPRESS);
	send_flags(env, &tep, 2, 0);
	send_flags(env, &tep, 3, KDAPL_SQE_SUPPRESS);
	send_flags(env, &tep, 4, KDAPL_SQE_SUPPRESS);
	fake_complete(qp, &qp->sq, 1, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 1);
	fake_complete(qp, &qp->sq, 2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 3);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_SUCCESS);
	fake_complete(qp, &qp->sq, 1, IB_WC_REM_ACCESS_ERR);
	EXPECT_DTO(test, &tep.request, 4, DAT_DTO_ERR_REMOTE_ACCESS);
	EXPECT_SOON(test, prog_events(&tep.conn));
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
}

/* The flag means nothing for a receive: its event always comes. */
static void wq_suppressed_recv(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe = prog_sqe(env, tep.id, KDAPL_OP_RECV, 9);

	sqe.flags = KDAPL_SQE_SUPPRESS;
	prog_post(env, &sqe);
	env_connect(env, &tep);
	finish_recvs(&tep, 1);
	EXPECT_DTO(test, &tep.recv, 9, DAT_DTO_SUCCESS);
}

static void wq_statuses(struct kunit *test)
{
	static const struct {
		enum ib_wc_status wc;
		enum kdapl_dto_status dto;
	} cases[] = {
		{ IB_WC_LOC_LEN_ERR, DAT_DTO_ERR_LOCAL_LENGTH },
		{ IB_WC_LOC_QP_OP_ERR, DAT_DTO_ERR_LOCAL_EP },
		{ IB_WC_LOC_PROT_ERR, DAT_DTO_ERR_LOCAL_PROTECTION },
		{ IB_WC_BAD_RESP_ERR, DAT_DTO_ERR_BAD_RESPONSE },
		{ IB_WC_REM_ACCESS_ERR, DAT_DTO_ERR_REMOTE_ACCESS },
		{ IB_WC_REM_OP_ERR, DAT_DTO_ERR_REMOTE_RESPONDER },
		{ IB_WC_RETRY_EXC_ERR, DAT_DTO_ERR_TRANSPORT },
		{ IB_WC_RNR_RETRY_EXC_ERR, DAT_DTO_ERR_RECEIVER_NOT_READY },
	};
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct fake_qp *qp;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		env_connect(env, &tep);
		qp = env_qp(&tep);
		send(env, &tep, 2 * i);
		send(env, &tep, 2 * i + 1);
		fake_complete(qp, &qp->sq, 1, cases[i].wc);
		EXPECT_DTO(test, &tep.request, 2 * i, cases[i].dto);
		/* The error breaks the connection, which flushes the rest. */
		EXPECT_SOON(test, prog_events(&tep.conn));
		EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
		EXPECT_DTO(test, &tep.request, 2 * i + 1, DAT_DTO_ERR_FLUSHED);
		KUNIT_EXPECT_EQ(test, prog_ep(&tep, state),
				KDAPL_EP_DISCONNECTED);
		KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	}
	/* The counters run on through a reset. */
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 2 * i);
}

/* ---- refusals ---------------------------------------------------------- */

/* A refused entry waits for what was posted before it. */
static void wq_refused_in_order(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe bad;

	env_connect(env, &tep);
	send(env, &tep, 1);
	bad = prog_sqe(env, tep.id, KDAPL_OP_SEND, 2);
	bad.seg[0].lmr = 0;
	/* Nothing of this is taken before the rest stands in the ring. */
	prog_store(env, &bad);
	bad = prog_sqe(env, tep.id, KDAPL_OP_SEND, 3);
	prog_store(env, &bad);
	prog_ring(env);
	/* The flush of the broken connection gives the first one back. */
	EXPECT_SOON(test, prog_events(&tep.conn));
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_ERR_LOCAL_PROTECTION);
	EXPECT_DTO(test, &tep.request, 3, DAT_DTO_ERR_FLUSHED);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 3);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 1);
}

/* The device takes some of a chain and then no more. */
static void wq_device_refuses(struct kunit *test)
{
	static const int errors[] = { -ENOMEM, -EINVAL };
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe;
	unsigned int n, i;

	for (n = 0; n < ARRAY_SIZE(errors); n++) {
		env_connect(env, &tep);
		env_qp(&tep)->post_good = 2;
		env_qp(&tep)->post_error = errors[n];
		for (i = 0; i < 5; i++) {
			sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, i);
			prog_store(env, &sqe);
		}
		prog_ring(env);
		EXPECT_SOON(test, prog_events(&tep.conn));
		EXPECT_DTO(test, &tep.request, 0, DAT_DTO_ERR_FLUSHED);
		EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);
		EXPECT_DTO(test, &tep.request, 2, DAT_DTO_ERR_LOCAL_EP);
		EXPECT_DTO(test, &tep.request, 3, DAT_DTO_ERR_FLUSHED);
		EXPECT_DTO(test, &tep.request, 4, DAT_DTO_ERR_FLUSHED);
		EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
		KUNIT_EXPECT_EQ(test, atomic_read(&env->ia->sq.inflight), 0);
		KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	}
}

/* A driver that refuses a request and completes it all the same. */
static void wq_device_answers_twice(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe;
	unsigned int i;

	env_connect(env, &tep);
	env_qp(&tep)->post_good = 1;
	env_qp(&tep)->post_error = -EINVAL;
	env_qp(&tep)->post_keeps = true;
	for (i = 0; i < 3; i++) {
		sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, i);
		prog_store(env, &sqe);
	}
	prog_ring(env);
	EXPECT_SOON(test, prog_events(&tep.conn));
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.tail, 2);
	EXPECT_DTO(test, &tep.request, 0, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_LOCAL_EP);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_ERR_FLUSHED);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 3);
	KUNIT_EXPECT_EQ(test, tep.ep->sq.hw, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&env->ia->sq.inflight), 0);
}

/*
 * So late does it complete that the slot would have its next request in it: nothing
 * tells of these completions, and the queue pair goes without going to error.
 */
static void wq_device_answers_twice_late(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	unsigned int i;

	for (i = 0; i < 2 * DEPTH; i++) {
		env_connect(env, &tep);
		env_qp(&tep)->post_error = -EINVAL;
		env_qp(&tep)->post_keeps = true;
		env_qp(&tep)->stuck = true;
		send(env, &tep, i);
		EXPECT_SOON(test, prog_events(&tep.conn));
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_ERR_LOCAL_EP);
		EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
		KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.tail, 0);
		KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
		KUNIT_EXPECT_EQ(test, kdapl_cq_drain(tep.ep->cq), 0);
	}

	env_connect(env, &tep);
	send(env, &tep, i);
	KUNIT_EXPECT_EQ(test, finish_sends(&tep, 1), 1);
	EXPECT_DTO(test, &tep.request, i, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
}

/* An EP that refused something never works again before a reset. */
static void wq_refused_before_connect(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe bad = prog_sqe(env, tep.id, KDAPL_OP_RECV, 1);

	bad.seg[0].lmr = 0;
	prog_post(env, &bad);
	EXPECT_DTO(test, &tep.recv, 1, DAT_DTO_ERR_LOCAL_PROTECTION);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_UNCONNECTED);

	/* Who connects it learns at once that it is broken. */
	kdapl_ep_begin(tep.ep, KDAPL_EP_ACTIVE_PENDING);
	kdapl_ep_established(tep.ep, 0);
	EXPECT_SOON(test, prog_events(&tep.conn) == 2);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);

	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	recv(env, &tep, 2);
	env_connect(env, &tep);
	finish_recvs(&tep, 1);
	EXPECT_DTO(test, &tep.recv, 2, DAT_DTO_SUCCESS);
}

/* ---- slots ------------------------------------------------------------- */

/* More than fits is no work of the EP: it breaks, and nothing is written over. */
static void wq_overfull(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u64 i;

	env_connect(env, &tep);
	for (i = 0; i <= DEPTH; i++)
		send(env, &tep, i);
	EXPECT_SOON(test, prog_events(&tep.conn));
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
	for (i = 0; i < DEPTH; i++)
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_ERR_FLUSHED);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), DEPTH);
}

/* A queue size that is no power of two holds exactly what was asked for. */
static void wq_odd_size(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 5);
	u64 i;

	env_connect(env, &tep);
	for (i = 0; i < 5; i++)
		send(env, &tep, i);
	for (; i < 50; i++) {
		await_sends(test, &tep, i);
		finish_sends(&tep, 1);
		send(env, &tep, i);
	}
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_CONNECTED);
	send(env, &tep, i);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
}

/* A slot is in use until its event has found room in the ring. */
static void wq_backlog_holds_slots(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = {
		.recv = env_evd(env, 4, DAT_EVD_DTO_FLAG),
		.request = env_evd(env, 4, DAT_EVD_DTO_FLAG),
		.conn = env_evd(env, 4, DAT_EVD_CONNECTION_FLAG),
	};
	u64 i;

	env_ep_over(env, &tep, DEPTH);
	env_connect(env, &tep);
	for (i = 0; i < DEPTH; i++)
		send(env, &tep, i);
	finish_sends(&tep, DEPTH);
	KUNIT_EXPECT_EQ(test, prog_events(&tep.request), 4);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 4);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(tep.request.evd), DEPTH);

	/* What the program may post now fits, exactly. */
	for (; i < DEPTH + 4; i++)
		send(env, &tep, i);
	await_sends(test, &tep, DEPTH + 4);
	finish_sends(&tep, DEPTH);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 4);
	for (i = 0; i < DEPTH + 4; i++) {
		if (!prog_events(&tep.request))
			kdapl_evd_fill(tep.request.evd);
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_SUCCESS);
	}
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), DEPTH + 4);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_CONNECTED);
}

/* An EP goes while its events wait for room: they go with it. */
static void wq_freed_with_backlog(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = {
		.recv = env_evd(env, 4, DAT_EVD_DTO_FLAG),
		.request = env_evd(env, 4, DAT_EVD_DTO_FLAG),
		.conn = env_evd(env, 4, DAT_EVD_CONNECTION_FLAG),
	};
	u64 i;

	env_ep_over(env, &tep, DEPTH);
	env_connect(env, &tep);
	for (i = 0; i < DEPTH; i++)
		send(env, &tep, i);
	finish_sends(&tep, DEPTH);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(tep.request.evd), DEPTH);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP),
			0);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(tep.request.evd), 4);
	for (i = 0; i < 4; i++)
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, kdapl_evd_fill(tep.request.evd), 0);
}

static struct kunit_case wq_cases[] = {
	KUNIT_CASE(wq_translates),
	KUNIT_CASE(wq_leaves_empty_segments_out),
	KUNIT_CASE(wq_translates_atomics),
	KUNIT_CASE(wq_translates_messages),
	KUNIT_CASE(wq_fence_of_siw),
	KUNIT_CASE(wq_chains),
	KUNIT_CASE(wq_completes_in_order),
	KUNIT_CASE(wq_recv_counts),
	KUNIT_CASE(wq_counts_no_failures),
	KUNIT_CASE(wq_brought_untold),
	KUNIT_CASE(wq_tells_the_operation),
	KUNIT_CASE(wq_tells_what_came),
	KUNIT_CASE(wq_values_wait_for_room),
	KUNIT_CASE(wq_tells_extensions),
	KUNIT_CASE(wq_memory_for_atomics),
	KUNIT_CASE(wq_without_reads),
	KUNIT_CASE(wq_lacks),
	KUNIT_CASE(wq_suppressed),
	KUNIT_CASE(wq_suppressed_recv),
	KUNIT_CASE(wq_statuses),
	KUNIT_CASE(wq_refused_in_order),
	KUNIT_CASE(wq_device_refuses),
	KUNIT_CASE(wq_device_answers_twice),
	KUNIT_CASE(wq_device_answers_twice_late),
	KUNIT_CASE(wq_refused_before_connect),
	KUNIT_CASE(wq_overfull),
	KUNIT_CASE(wq_odd_size),
	KUNIT_CASE(wq_backlog_holds_slots),
	KUNIT_CASE(wq_freed_with_backlog),
	{}
};

static struct kunit_suite wq_suite = {
	.name = "kdapl-wq",
	.init = env_init,
	.exit = env_exit,
	.test_cases = wq_cases,
};

kunit_test_suite(wq_suite);

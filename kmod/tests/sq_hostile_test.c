// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The submission ring with a program that keeps to no rule at all. */

#include <linux/kthread.h>
#include <linux/prandom.h>

#include "env.h"

#define DEPTH	32

/* ---- tails ------------------------------------------------------------- */

static void set_tail(struct env *env, u32 tail)
{
	/* (A) of the uapi header, with a value of anybody's choice. */
	smp_store_release(&env->ia->sq.ring->tail, tail);
}

/*
 * A tail that cannot be is no reason to take anything: not what a far jump
 * would cover, and not all of 2^32 entries up to one that went back. When it
 * is possible again, the ring goes on where it was.
 */
static void sq_impossible_tails(struct kunit *test)
{
	static const u32 offsets[] = { ENV_SQ_ENTRIES + 1, 1000, BIT(31) - 1,
				       BIT(31), U32_MAX - ENV_SQ_ENTRIES,
				       U32_MAX - 1, U32_MAX };
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sq *sq = &env->ia->sq;
	unsigned int i;
	u32 head;

	env_connect(env, &tep);
	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		head = prog_sq_head(env);
		set_tail(env, head + offsets[i]);
		kdapl_sq_doorbell(sq);
		env_kick(env);
		usleep_range(500, 1000);
		KUNIT_EXPECT_EQ(test, prog_sq_head(env), head);
		KUNIT_EXPECT_FALSE(test, work_busy(&sq->work));
		prog_post_op(env, &tep, KDAPL_OP_SEND, i);
		KUNIT_EXPECT_EQ(test, prog_sq_head(env), head + 1);
	}
	fake_complete(env_qp(&tep), &env_qp(&tep)->sq, DEPTH, IB_WC_SUCCESS);
	for (i = 0; i < ARRAY_SIZE(offsets); i++)
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
}

/* The words that the module writes are not read back. */
static void sq_own_words(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sq_status *status = env->ia->sq.status.addr;
	struct kdapl_ep_status *shown = tep.ep->status.addr;
	struct kdapl_ev_ring *ring = tep.request.evd->ring;
	unsigned int i;

	env_connect(env, &tep);
	for (i = 0; i < 5; i++) {
		memset(status, 0xa5, sizeof(*status));
		memset(shown, 0xa5, sizeof(*shown));
		memset(ring, 0xa5, sizeof(*ring));
		prog_post_op(env, &tep, KDAPL_OP_SEND, i);
		KUNIT_EXPECT_EQ(test, prog_sq_head(env), i + 1);
		fake_complete(env_qp(&tep), &env_qp(&tep)->sq, 1, IB_WC_SUCCESS);
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_SUCCESS);
		KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), i + 1);
	}
}

/* ---- entries ----------------------------------------------------------- */

/* An entry that is wrong in one way; everything else about it is right. */
struct bad_entry {
	const char *what;
	u8 op;
	u8 num_seg;
	u16 flags;
	u32 imm;
	u64 addr;
	u32 length;
	int lmr;		/* offset to the LMR's id, or one of these */
	enum kdapl_dto_status status;
};

#define LMR_ZERO	(-1000)
#define LMR_HUGE	(-1001)
#define LMR_IS_PZ	(-1002)
#define LMR_IS_EP	(-1003)
#define LMR_READ_ONLY	(-1004)
#define LMR_NO_LOCAL	(-1005)
#define LMR_OTHER_PZ	(-1006)
#define LMR_LKEY	(-1007)

#define START	ENV_LMR_ADDR
#define LENGTH	ENV_LMR_LENGTH
#define END	(ENV_LMR_ADDR + ENV_LMR_LENGTH)
#define PROTECTION	DAT_DTO_ERR_LOCAL_PROTECTION

static const struct bad_entry bad_entries[] = {
	{ "op 0", 0, 1, 0, 0, START, 8, 0, DAT_DTO_ERR_LOCAL_EP },
	{ "op 10", 10, 1, 0, 0, START, 8, 0, DAT_DTO_ERR_LOCAL_EP },
	{ "op 255", 255, 1, 0, 0, START, 8, 0, DAT_DTO_ERR_LOCAL_EP },
	{ "flag 16", KDAPL_OP_SEND, 1, 16, 0, START, 8, 0, DAT_DTO_ERR_LOCAL_EP },
	{ "flag 0x8000", KDAPL_OP_RECV, 1, 0x8000, 0, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_EP },
	{ "all flags", KDAPL_OP_SEND, 1, 0xffff, 0, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_EP },
	{ "immediate data", KDAPL_OP_SEND, 1, 0, 1, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_EP },
	{ "immediate data, high bit", KDAPL_OP_RECV, 1, 0, BIT(31), START, 8, 0,
	  DAT_DTO_ERR_LOCAL_EP },
	{ "immediate data, swap", KDAPL_OP_CMP_SWAP, 1, 0, 1, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_EP },
	{ "swap, no segment", KDAPL_OP_CMP_SWAP, 0, 0, 0, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_LENGTH },
	{ "add, 2 segments", KDAPL_OP_FETCH_ADD, 2, 0, 0, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_LENGTH },
	{ "add, 255 segments", KDAPL_OP_FETCH_ADD, 255, 0, 0, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_LENGTH },
	{ "add, 4 bytes", KDAPL_OP_FETCH_ADD, 1, 0, 0, START, 4, 0,
	  DAT_DTO_ERR_LOCAL_LENGTH },
	{ "swap, 16 bytes", KDAPL_OP_CMP_SWAP, 1, 0, 0, START, 16, 0,
	  DAT_DTO_ERR_LOCAL_LENGTH },
	{ "swap beyond the end", KDAPL_OP_CMP_SWAP, 1, 0, 0, END - 7, 8, 0,
	  PROTECTION },
	{ "add, read-only LMR", KDAPL_OP_FETCH_ADD, 1, 0, 0, START, 8,
	  LMR_READ_ONLY, PROTECTION },
	{ "read to an RMR, an LMR", KDAPL_OP_READ_RMR, 1, 0, 0, START, 8, 0,
	  PROTECTION },
	{ "read to an RMR, none", KDAPL_OP_READ_RMR, 1, 0, 0, START, 8,
	  LMR_ZERO, PROTECTION },
	{ "read to an RMR, 2 segments", KDAPL_OP_READ_RMR, 2, 0, 0, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_LENGTH },
	{ "7 segments", KDAPL_OP_SEND, KDAPL_SEGS_MAX + 1, 0, 0, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_LENGTH },
	{ "255 segments", KDAPL_OP_SEND, 255, 0, 0, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_LENGTH },
	{ "255 segments, receive", KDAPL_OP_RECV, 255, 0, 0, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_LENGTH },
	{ "2 segments, RDMA read", KDAPL_OP_RDMA_READ, 2, 0, 0, START, 8, 0,
	  DAT_DTO_ERR_LOCAL_LENGTH },
	{ "too long together", KDAPL_OP_SEND, KDAPL_SEGS_MAX, 0, 0, START,
	  LENGTH, 0, DAT_DTO_ERR_LOCAL_LENGTH },
	{ "longer than the LMR", KDAPL_OP_SEND, 1, 0, 0, START, LENGTH + 1, 0,
	  PROTECTION },
	{ "one byte past the end", KDAPL_OP_SEND, 1, 0, 0, END - 7, 8, 0,
	  PROTECTION },
	{ "one byte before", KDAPL_OP_SEND, 1, 0, 0, START - 1, 8, 0,
	  PROTECTION },
	{ "at zero", KDAPL_OP_RECV, 1, 0, 0, 0, 8, 0, PROTECTION },
	{ "at the top", KDAPL_OP_SEND, 1, 0, 0, U64_MAX, 1, 0, PROTECTION },
	{ "wraps to the start", KDAPL_OP_SEND, 1, 0, 0, START - U32_MAX,
	  U32_MAX, 0, PROTECTION },
	{ "longest", KDAPL_OP_SEND, 1, 0, 0, START, U32_MAX, 0, PROTECTION },
	{ "id 0", KDAPL_OP_SEND, 1, 0, 0, START, 8, LMR_ZERO, PROTECTION },
	{ "id of nothing", KDAPL_OP_SEND, 1, 0, 0, START, 8, 100, PROTECTION },
	{ "huge id", KDAPL_OP_SEND, 1, 0, 0, START, 8, LMR_HUGE, PROTECTION },
	{ "id of a PZ", KDAPL_OP_SEND, 1, 0, 0, START, 8, LMR_IS_PZ,
	  PROTECTION },
	{ "id of an EP", KDAPL_OP_SEND, 1, 0, 0, START, 8, LMR_IS_EP,
	  PROTECTION },
	{ "a device's lkey", KDAPL_OP_SEND, 1, 0, 0, START, 8, LMR_LKEY,
	  PROTECTION },
	{ "of another PZ", KDAPL_OP_SEND, 1, 0, 0, START, 8, LMR_OTHER_PZ,
	  PROTECTION },
	{ "receive, read only", KDAPL_OP_RECV, 1, 0, 0, START, 8,
	  LMR_READ_ONLY, PROTECTION },
	{ "RDMA read, read only", KDAPL_OP_RDMA_READ, 1, 0, 0, START, 8,
	  LMR_READ_ONLY, PROTECTION },
	{ "send, remote only", KDAPL_OP_SEND, 1, 0, 0, START, 8, LMR_NO_LOCAL,
	  PROTECTION },
	{ "RDMA write, remote only", KDAPL_OP_RDMA_WRITE, 1, 0, 0, START, 8,
	  LMR_NO_LOCAL, PROTECTION },
	{ "receive, remote only", KDAPL_OP_RECV, 1, 0, 0, START, 8,
	  LMR_NO_LOCAL, PROTECTION },
};

static u32 other_pz(struct env *env)
{
	struct kdapl_pz_create arg = {};

	KUNIT_ASSERT_EQ(env->test, kdapl_pz_create(env->ia, &arg), 0);
	return arg.id;
}

static u32 bad_lmr(struct env *env, struct test_ep *tep, int lmr)
{
	switch (lmr) {
	case LMR_ZERO:
		return 0;
	case LMR_HUGE:
		return U32_MAX;
	case LMR_IS_PZ:
		return env->pz;
	case LMR_IS_EP:
		return tep->id;
	case LMR_READ_ONLY:
		return env_lmr(env, env->pz, KDAPL_PRIV_LOCAL_READ);
	case LMR_NO_LOCAL:
		return env_lmr(env, env->pz, KDAPL_PRIV_REMOTE_READ |
					     KDAPL_PRIV_REMOTE_WRITE);
	case LMR_OTHER_PZ:
		return env_lmr(env, other_pz(env), KDAPL_PRIV_ALL);
	case LMR_LKEY:
		return FAKE_LKEY;
	default:
		return env->lmr + lmr;
	}
}

/*
 * A bad entry between two good ones gets its status, breaks its EP as an error
 * of the device would, and concerns no other EP.
 */
static void sq_bad_entry(struct kunit *test)
{
	const struct bad_entry *bad = test->param_value;
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH), other = env_ep(env, DEPTH);
	bool recv = bad->op == KDAPL_OP_RECV;
	u8 good_op = recv ? KDAPL_OP_RECV : KDAPL_OP_SEND;
	struct test_evd *evd = recv ? &tep.recv : &tep.request;
	struct kdapl_sqe good, sqe;
	unsigned int i;

	env_connect(env, &tep);
	env_connect(env, &other);
	good = prog_sqe(env, tep.id, good_op, 1);
	prog_store(env, &good);
	sqe = prog_sqe(env, tep.id, bad->op, 2);
	sqe.num_seg = bad->num_seg;
	sqe.flags = bad->flags;
	sqe.imm = bad->imm;
	sqe.seg[0] = (struct kdapl_seg) {
		bad->addr, bad->length, bad_lmr(env, &tep, bad->lmr),
	};
	for (i = 1; i < KDAPL_SEGS_MAX; i++)
		sqe.seg[i] = sqe.seg[0];
	prog_store(env, &sqe);
	good.cookie = 3;
	prog_store(env, &good);
	prog_ring(env);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail);

	EXPECT_SOON(test, prog_events(&tep.conn));
	EXPECT_DTO(test, evd, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, evd, 2, bad->status);
	EXPECT_DTO(test, evd, 3, DAT_DTO_ERR_FLUSHED);
	EXPECT_NO_EVENT(test, &tep.recv);
	EXPECT_NO_EVENT(test, &tep.request);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head + env_qp(&tep)->rq.head, 1);

	prog_post_op(env, &other, KDAPL_OP_SEND, 4);
	fake_complete(env_qp(&other), &env_qp(&other)->sq, 1, IB_WC_SUCCESS);
	EXPECT_DTO(test, &other.request, 4, DAT_DTO_SUCCESS);
}

static void bad_desc(const struct bad_entry *bad, char *desc)
{
	strscpy(desc, bad->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bad_entries, bad_entries, bad_desc);

/* What is just inside the limits is taken. */
static void sq_good_edges(struct kunit *test)
{
	struct env *env = test->priv;
	const struct kdapl_seg segs[] = {
		{ START, (u32)LENGTH, env->lmr },
		{ END - 1, 1, env->lmr },
		{ END, 0, env->lmr },
		{ START, 0, env->lmr },
		{ START + 1, (u32)LENGTH - 1, env->lmr },
	};
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_sqe sqe;
	unsigned int i;

	env_connect(env, &tep);
	for (i = 0; i < ARRAY_SIZE(segs); i++) {
		sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, i);
		sqe.seg[0] = segs[i];
		prog_post(env, &sqe);
	}
	/* Exactly the longest message. */
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, i);
	sqe.num_seg = 2;
	sqe.seg[0].length = LENGTH;
	sqe.seg[1] = (struct kdapl_seg) {
		START, (u32)(ENV_MAX_MESSAGE - LENGTH), env->lmr
	};
	prog_post(env, &sqe);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, i + 1);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_CONNECTED);
}

/* Entries for what is no EP of this program: nothing happens, the ring goes on. */
static void sq_foreign_eps(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	const u32 ids[] = { 0, U32_MAX, BIT(31), env->pz, env->lmr,
			    tep.recv.id, tep.id + 1, tep.id | BIT(31) };
	struct kdapl_sqe sqe;
	unsigned int i;

	env_connect(env, &tep);
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		sqe = prog_sqe(env, ids[i], KDAPL_OP_SEND, 100 + i);
		prog_store(env, &sqe);
		sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, i);
		prog_store(env, &sqe);
	}
	prog_ring(env);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail);
	fake_complete(env_qp(&tep), &env_qp(&tep)->sq, DEPTH, IB_WC_SUCCESS);
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_CONNECTED);
}

/* An LMR that is freed is no LMR from then on. */
static void sq_freed_lmr(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 lmr = env_lmr(env, env->pz, KDAPL_PRIV_LOCAL_READ);
	struct kdapl_sqe sqe;

	env_connect(env, &tep);
	sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 1);
	sqe.seg[0].lmr = lmr;
	prog_post(env, &sqe);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 1);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, lmr, KDAPL_OBJ_LMR), 0);
	prog_post(env, &sqe);
	EXPECT_SOON(test, prog_events(&tep.conn));
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_DTO(test, &tep.request, 1, PROTECTION);
}

/* ---- everything at once ------------------------------------------------ */

struct scribbler {
	struct env *env;
	u32 eps[2];
};

static void scribble_entry(struct scribbler *sc, struct rnd_state *rnd)
{
	struct env *env = sc->env;
	struct kdapl_sq *sq = &env->ia->sq;
	struct kdapl_sqe *sqe;
	u32 *words, n = prandom_u32_state(rnd);

	sqe = &sq->entries[prandom_u32_state(rnd) % ENV_SQ_ENTRIES];
	words = (u32 *)sqe;
	/* One word at random, or something that is nearly right. */
	if (n & 1) {
		WRITE_ONCE(words[(n >> 8) % (sizeof(*sqe) / 4)],
			   prandom_u32_state(rnd));
		return;
	}
	WRITE_ONCE(sqe->ep, sc->eps[(n >> 1) & 1]);
	WRITE_ONCE(sqe->op, (n >> 2) % 11);
	WRITE_ONCE(sqe->flags, n & 16 ? 0 : (n >> 5) & 15);
	WRITE_ONCE(sqe->imm, (n >> 24) % 4 ? 0 : n);
	WRITE_ONCE(sqe->num_seg, (n >> 9) % 8);
	WRITE_ONCE(sqe->seg[(n >> 12) % KDAPL_SEGS_MAX].lmr, env->lmr);
	WRITE_ONCE(sqe->seg[(n >> 15) % KDAPL_SEGS_MAX].addr,
		   ENV_LMR_ADDR + (n >> 12) % (2 * ENV_LMR_LENGTH));
	/* Now and then what an atomic operation has to have. */
	WRITE_ONCE(sqe->seg[(n >> 18) % KDAPL_SEGS_MAX].length,
		   n >> 30 ? n >> 20 : KDAPL_ATOMIC_SIZE);
}

/* A thread of the program that writes the ring while the module reads it. */
static int scribble(void *arg)
{
	struct scribbler *sc = arg;
	struct rnd_state rnd;
	u32 n;

	prandom_seed_state(&rnd, 1);
	while (!kthread_should_stop()) {
		scribble_entry(sc, &rnd);
		n = prandom_u32_state(&rnd);
		if (n % 8 == 0)
			set_tail(sc->env, prog_sq_head(sc->env) +
					  (n >> 8) % (ENV_SQ_ENTRIES + 2));
		else if (n % 64 == 1)
			set_tail(sc->env, n);
		if (n % 1024 == 0)
			cond_resched();
	}
	return 0;
}

/* All that the EVD has, also what did not fit into its ring. */
static void read_all(struct test_evd *tevd)
{
	do {
		while (prog_events(tevd))
			prog_next(tevd);
		kdapl_evd_fill(tevd->evd);
	} while (prog_events(tevd));
}

/* What the peer would do, and the program's other calls. */
static void scribbled_round(struct env *env, struct test_ep *tep, unsigned int n)
{
	struct fake_qp *qp;

	kdapl_sq_doorbell(&env->ia->sq);
	if (prog_ep(tep, state) == KDAPL_EP_DISCONNECTED) {
		kdapl_ep_reset(tep->ep);
		kdapl_ep_begin(tep->ep, n & 1 ? KDAPL_EP_ACTIVE_PENDING :
						KDAPL_EP_COMPLETION_PENDING);
		kdapl_ep_established(tep->ep, 0);
	} else if (n % 16 == 0) {
		kdapl_ep_end(tep->ep, DAT_CONNECTION_EVENT_DISCONNECTED, n & 32);
	} else if (prog_ep(tep, state) == KDAPL_EP_CONNECTED) {
		qp = env_qp(tep);
		fake_report(qp, n & 1 ? &qp->sq : &qp->rq, n % 5, IB_WC_SUCCESS);
	}
	read_all(&tep->recv);
	read_all(&tep->request);
	read_all(&tep->conn);
}

/* The device has nothing of it left from before. */
static void expect_works(struct kunit *test, struct test_ep *tep)
{
	struct fake_queue *queue = &env_qp(tep)->sq;

	prog_post_op(test->priv, tep, KDAPL_OP_SEND, 1);
	/* For what is under way at another EP, the timer may have to take it. */
	EXPECT_SOON(test, READ_ONCE(queue->head) == queue->tail + 1);
	fake_complete(env_qp(tep), queue, 1, IB_WC_SUCCESS);
	EXPECT_DTO(test, &tep->request, 1, DAT_DTO_SUCCESS);
}

/*
 * Nothing that comes out of that is harm: the device is given segments of the
 * program's own LMR only (env_exit() looks), no slot is lost or used twice,
 * and an honest program would find everything in order afterwards.
 */
static void sq_scribbled(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep teps[2] = { env_ep(env, DEPTH), env_ep(env, DEPTH) };
	struct scribbler sc = { env, { teps[0].id, teps[1].id } };
	struct task_struct *thread;
	unsigned int i, n;

	for (i = 0; i < 2; i++)
		env_connect(env, &teps[i]);
	thread = kthread_create(scribble, &sc, "scribbler");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	get_task_struct(thread);
	wake_up_process(thread);
	for (n = 0; n < 3000; n++) {
		scribbled_round(env, &teps[n & 1], n / 2);
		cond_resched();
	}
	kthread_stop_put(thread);

	/* Who works on an entry has not moved the head yet. */
	spin_lock_bh(&env->ia->sq.lock);
	env->tail = env->ia->sq.head;
	set_tail(env, env->tail);
	spin_unlock_bh(&env->ia->sq.lock);
	for (i = 0; i < 2; i++) {
		/* A graceful end may wait for what nobody completes any more. */
		kdapl_ep_end(teps[i].ep, 0, false);
		EXPECT_SOON(test, prog_ep(&teps[i], state) ==
				  KDAPL_EP_DISCONNECTED);
		scribbled_round(env, &teps[i], 1);
		KUNIT_EXPECT_EQ(test, prog_ep(&teps[i], state), KDAPL_EP_CONNECTED);
		KUNIT_EXPECT_EQ(test, teps[i].ep->sq.head, teps[i].ep->sq.done);
		KUNIT_EXPECT_EQ(test, teps[i].ep->rq.head, teps[i].ep->rq.done);
		KUNIT_EXPECT_EQ(test, prog_ep(&teps[i], hw_recv), 0);
		expect_works(test, &teps[i]);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&env->ia->sq.inflight), 0);
}

static struct kunit_case sq_hostile_cases[] = {
	KUNIT_CASE(sq_impossible_tails),
	KUNIT_CASE(sq_own_words),
	KUNIT_CASE_PARAM(sq_bad_entry, bad_entries_gen_params),
	KUNIT_CASE(sq_good_edges),
	KUNIT_CASE(sq_foreign_eps),
	KUNIT_CASE(sq_freed_lmr),
	KUNIT_CASE_SLOW(sq_scribbled),
	{}
};

static struct kunit_suite sq_hostile_suite = {
	.name = "kdapl-sq-hostile",
	.init = env_init,
	.exit = env_exit,
	.test_cases = sq_hostile_cases,
};

kunit_test_suite(sq_hostile_suite);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receives that are put off: the request behind them goes first, and nothing else about
 * them changes, whoever comes for them and whatever happens meanwhile.
 */

#include "env.h"

#define DEPTH	62		/* with all of them in the ring there is room */
#define PLENTY	32		/* as many with the device, and it has enough */
#define LATE	4		/* so many can be put off */

/* ---- with the program's own posts -------------------------------------- */

/* The device has so many, of cookies from 0 on. */
static void give_receives(struct env *env, struct test_ep *tep, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		prog_post_op(env, tep, KDAPL_OP_RECV, i);
	kdapl_sq_drain(&env->ia->sq);
	KUNIT_ASSERT_EQ(env->test, prog_ep(tep, hw_recv), n);
}

static void store(struct env *env, struct test_ep *tep, u8 op, u64 cookie)
{
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, op, cookie);

	prog_store(env, &sqe);
}

/* All are done by the device, and were posted in the order of their cookies. */
static void expect_receives(struct kunit *test, struct test_ep *tep, u32 n)
{
	struct fake_qp *qp = env_qp(tep);
	u32 i;

	KUNIT_EXPECT_EQ(test, prog_ep(tep, hw_recv), n);
	KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->rq, n, IB_WC_SUCCESS), n);
	for (i = 0; i < n; i++)
		EXPECT_DTO(test, &tep->recv, i, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &tep->recv);
	KUNIT_EXPECT_EQ(test, tep->ep->obj.ia->sq.num_late, 0);
}

/**
 * struct late_case - what stands in the ring
 * @what: in words
 * @given: receives that the device has
 * @ops: the entries, R: a receive, S: a send
 * @order: in which they reach the device
 */
struct late_case {
	const char *what;
	unsigned int given;
	const char *ops;
	const char *order;
};

static const struct late_case late_cases[] = {
	{ "one and a send", PLENTY, "RS", "SR" },
	{ "a few and a send", PLENTY, "RRRS", "SRRR" },
	{ "two sends", PLENTY, "RSRS", "SSRR" },
	{ "nothing behind", PLENTY, "R", "R" },
	{ "nothing behind the last", PLENTY, "SR", "SR" },
	{ "behind a late one", PLENTY, "RSR", "SRR" },
	{ "a batch", PLENTY, "RRRRS", "RRRRS" },
	{ "the device has few", PLENTY - 1, "RS", "RS" },
	{ "the device has none", 0, "RS", "RS" },
	{ "no send", PLENTY, "RR", "RR" },
};

static void store_case(struct env *env, struct test_ep *tep,
		       const struct late_case *late)
{
	const char *op;
	u32 recvs = late->given, sends = 0;

	for (op = late->ops; *op; op++) {
		if (*op == 'R')
			store(env, tep, KDAPL_OP_RECV, recvs++);
		else
			store(env, tep, KDAPL_OP_SEND, sends++);
	}
}

/* Since @first the device was given these, in this order. */
static void expect_order(struct kunit *test, struct test_ep *tep,
			 const struct late_case *late, u32 first)
{
	struct fake_qp *qp = env_qp(tep);
	u32 i, n = strlen(late->order), recv = late->given, send = 0;
	struct fake_wr *wr;

	KUNIT_ASSERT_EQ(test, to_fake_dev(qp->ib.device)->posted, first + n);
	for (i = 0; i < n; i++) {
		wr = late->order[i] == 'R' ? fake_wr(&qp->rq, recv++) :
					     fake_wr(&qp->sq, send++);
		KUNIT_EXPECT_EQ(test, wr->nr, first + i);
	}
	KUNIT_EXPECT_EQ(test, qp->sq.head, send);
	KUNIT_EXPECT_EQ(test, qp->rq.head, recv);
}

static void run_case(struct kunit *test, void (*ring)(struct kdapl_sq *sq))
{
	const struct late_case *late = test->param_value;
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u64 before, after, doorbells;
	u32 first;

	env_connect(env, &tep);
	give_receives(env, &tep, late->given);
	first = env->dev->posted;
	kdapl_sq_counters(&before, &doorbells);
	store_case(env, &tep, late);
	ring(&env->ia->sq);
	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail);
	expect_order(test, &tep, late, first);
	/* Each counts once. */
	kdapl_sq_counters(&after, &doorbells);
	KUNIT_EXPECT_EQ(test, after - before, strlen(late->ops));
	expect_receives(test, &tep, env_qp(&tep)->rq.head);
}

static void sq_late_doorbell(struct kunit *test)
{
	run_case(test, kdapl_sq_doorbell);
}

static void sq_late_doorbell_atomic(struct kunit *test)
{
	run_case(test, kdapl_sq_doorbell_atomic);
}

static void late_desc(const struct late_case *late, char *desc)
{
	strscpy(desc, late->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(late_cases, late_cases, late_desc);

/* Who looks by himself does not come back: there the order is the ring's. */
static void sq_late_not_of_kick(struct kunit *test)
{
	static const struct late_case late = { "", PLENTY, "RS", "RS" };
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 first;

	env_connect(env, &tep);
	give_receives(env, &tep, PLENTY);
	first = env->dev->posted;
	store_case(env, &tep, &late);
	env_kick(env);
	expect_order(test, &tep, &late, first);
	expect_receives(test, &tep, PLENTY + 1);
}

/* ---- a program that is not still meanwhile ----------------------------- */

/* What happens when the request has been posted, and the receive has not. */
struct meanwhile {
	struct env *env;
	struct test_ep *tep;
	void (*fn)(struct meanwhile *meanwhile);
	unsigned int count;
};

static struct meanwhile *meanwhile;

static void request_is_out(struct fake_qp *qp)
{
	if (!meanwhile->count++)
		meanwhile->fn(meanwhile);
}

static struct test_ep run_meanwhile(struct kunit *test,
				    void (*fn)(struct meanwhile *meanwhile))
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct meanwhile here = { env, &tep, fn };

	env_connect(env, &tep);
	give_receives(env, &tep, PLENTY);
	meanwhile = &here;
	env->dev->sent = request_is_out;
	store(env, &tep, KDAPL_OP_RECV, PLENTY);
	store(env, &tep, KDAPL_OP_SEND, 0);
	kdapl_sq_doorbell_atomic(&env->ia->sq);
	env->dev->sent = NULL;
	KUNIT_EXPECT_GT(test, here.count, 0);
	return tep;
}

static void rewrite(struct meanwhile *here)
{
	struct kdapl_sq *sq = &here->env->ia->sq;

	KUNIT_EXPECT_EQ(here->env->test, sq->num_late, 1);
	memset(sq->entries, 0xff, ENV_SQ_ENTRIES * sizeof(*sq->entries));
}

/* The slot was free: what the program writes there is another entry. */
static void sq_late_slot_is_free(struct kunit *test)
{
	struct test_ep tep = run_meanwhile(test, rewrite);

	expect_receives(test, &tep, PLENTY + 1);
}

static void go_back(struct meanwhile *here)
{
	WRITE_ONCE(here->env->ia->sq.ring->tail, 0);
}

static void sq_late_tail_goes_back(struct kunit *test)
{
	struct test_ep tep = run_meanwhile(test, go_back);
	struct env *env = test->priv;

	expect_receives(test, &tep, PLENTY + 1);
	WRITE_ONCE(env->ia->sq.ring->tail, env->tail);
}

/* More than can be put off, with a send behind. */
static void post_more(struct meanwhile *here)
{
	unsigned int i;

	for (i = 1; i <= LATE + 1; i++)
		store(here->env, here->tep, KDAPL_OP_RECV, PLENTY + i);
	store(here->env, here->tep, KDAPL_OP_SEND, 1);
}

static void sq_late_too_many(struct kunit *test)
{
	struct test_ep tep = run_meanwhile(test, post_more);
	struct env *env = test->priv;

	KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 2);
	expect_receives(test, &tep, PLENTY + LATE + 2);
}

/* ---- who comes for what somebody else has put off ---------------------- */

/* As by a doorbell that posts its request right now. */
static void put_off(struct env *env, u32 ep, u64 cookie)
{
	struct kdapl_sq *sq = &env->ia->sq;

	spin_lock_bh(&sq->lock);
	KUNIT_ASSERT_LT(env->test, sq->num_late, LATE);
	sq->late[sq->num_late++] = prog_sqe(env, ep, KDAPL_OP_RECV, cookie);
	spin_unlock_bh(&sq->lock);
}

/* Each of them posts what is late, before what stands in the ring. */
static void sq_late_is_found(struct kunit *test)
{
	static void (* const finders[])(struct kdapl_sq *sq) = {
		kdapl_sq_kick, kdapl_sq_drain, kdapl_sq_doorbell,
		kdapl_sq_doorbell_atomic,
	};
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	unsigned int i;
	u64 cookie = 0;

	env_connect(env, &tep);
	for (i = 0; i < 2 * ARRAY_SIZE(finders); i++) {
		put_off(env, tep.id, cookie++);
		put_off(env, tep.id, cookie++);
		/* Once with the ring empty. */
		if (i & 1)
			store(env, &tep, KDAPL_OP_RECV, cookie++);
		finders[i / 2](&env->ia->sq);
		KUNIT_EXPECT_EQ(test, prog_sq_head(env), env->tail);
		KUNIT_EXPECT_EQ(test, (u64)prog_ep(&tep, hw_recv), cookie);
	}
	expect_receives(test, &tep, cookie);
}

/* It is no more than an entry: of what is gone nothing becomes. */
static void sq_late_of_nothing(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH), gone = env_ep(env, DEPTH);

	env_connect(env, &tep);
	put_off(env, gone.id, 7);
	put_off(env, tep.id, 0);
	put_off(env, env->pz, 8);
	put_off(env, tep.id, 1);
	KUNIT_ASSERT_EQ(test, kdapl_obj_destroy(env->ia, gone.id, KDAPL_OBJ_EP), 0);
	kdapl_sq_drain(&env->ia->sq);
	EXPECT_NO_EVENT(test, &gone.recv);
	expect_receives(test, &tep, 2);
}

/* With the ring stopped it stays away, as what stands in the ring. */
static void sq_late_stopped(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);

	env_connect(env, &tep);
	put_off(env, tep.id, 0);
	kdapl_sq_stop(&env->ia->sq);
	kdapl_sq_doorbell(&env->ia->sq);
	env_kick(env);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->rq.head, 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, hw_recv), 0);
	KUNIT_EXPECT_EQ(test, env->ia->sq.num_late, 0);
}

static struct kunit_case sq_late_cases[] = {
	KUNIT_CASE_PARAM(sq_late_doorbell, late_cases_gen_params),
	KUNIT_CASE_PARAM(sq_late_doorbell_atomic, late_cases_gen_params),
	KUNIT_CASE(sq_late_not_of_kick),
	KUNIT_CASE(sq_late_slot_is_free),
	KUNIT_CASE(sq_late_tail_goes_back),
	KUNIT_CASE(sq_late_too_many),
	KUNIT_CASE(sq_late_is_found),
	KUNIT_CASE(sq_late_of_nothing),
	KUNIT_CASE(sq_late_stopped),
	{}
};

static struct kunit_suite sq_late_suite = {
	.name = "kdapl-sq-late",
	.init = env_init,
	.exit = env_exit,
	.test_cases = sq_late_cases,
};

kunit_test_suite(sq_late_suite);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RMRs: what a peer reaches under which key at any time, and what becomes of the
 * MRs. The device complains (bad_mr) when an MR is mapped or goes while it is in
 * use, and when a key comes back.
 */

#include "../lmr.h"
#include "../rmr.h"
#include "env.h"

#define DEPTH	16
#define PAGES	15	/* of the LMR, in which a window can begin */
#define RMR_USER	0x99887766ULL
#define REMOTE	(KDAPL_PRIV_REMOTE_READ | KDAPL_PRIV_REMOTE_WRITE)

static u32 make_rmr(struct env *env, u32 pz)
{
	struct kdapl_rmr_create arg = { .pz = pz, .user = RMR_USER };

	KUNIT_ASSERT_EQ(env->test, kdapl_rmr_create(env->ia, &arg), 0);
	return arg.id;
}

/* To page @n of the LMR; the cookie is the page's number, too. */
static struct kdapl_rmr_bind bind_arg(struct env *env, struct test_ep *tep,
				      u32 rmr, u32 n)
{
	return (struct kdapl_rmr_bind) {
		.rmr = rmr,
		.ep = tep->id,
		.lmr = env->lmr,
		.addr = ENV_LMR_ADDR + n * PAGE_SIZE + 8,
		.length = PAGE_SIZE,
		.cookie = n,
		.privileges = REMOTE,
	};
}

static u32 bind(struct env *env, struct test_ep *tep, u32 rmr, u32 n)
{
	struct kdapl_rmr_bind arg = bind_arg(env, tep, rmr, n);

	KUNIT_EXPECT_EQ(env->test, kdapl_rmr_bind(env->ia, &arg), 0);
	return arg.rkey;
}

static int unbind(struct env *env, struct test_ep *tep, u32 rmr, u64 cookie)
{
	struct kdapl_rmr_bind arg = {
		.rmr = rmr, .ep = tep->id, .cookie = cookie,
	};

	return kdapl_rmr_bind(env->ia, &arg);
}

static u32 finish(struct test_ep *tep, u32 n)
{
	return fake_complete(env_qp(tep), &env_qp(tep)->sq, n, IB_WC_SUCCESS);
}

static u64 page_at(u32 n)
{
	return FAKE_DMA + ENV_LMR_ADDR + n * PAGE_SIZE + 8;
}

#define EXPECT_SHOWS(test, rkey, n) \
	KUNIT_EXPECT_EQ(test, fake_reaches(rkey), page_at(n))
#define EXPECT_SHOWS_NOTHING(test, rkey) \
	KUNIT_EXPECT_EQ(test, fake_reaches(rkey), 0)

#define EXPECT_BOUND(test, tep, want_cookie, want_status) do {		\
	struct kdapl_event _event = prog_next(&(tep)->request);		\
	struct kunit *_test = (test);					\
									\
	KUNIT_EXPECT_EQ(_test, _event.type, DAT_RMR_BIND_COMPLETION_EVENT); \
	KUNIT_EXPECT_EQ(_test, _event.user, RMR_USER);			\
	KUNIT_EXPECT_EQ(_test, _event.cookie, want_cookie);		\
	KUNIT_EXPECT_EQ(_test, _event.status, want_status);		\
} while (0)

/* MRs of windows, when the worker is through. */
static int windows_left(struct env *env)
{
	kdapl_reaper_flush(&env->ia->reaper);
	return env->dev->mrs - 1;
}

static int free_rmr(struct env *env, u32 rmr)
{
	return kdapl_obj_destroy(env->ia, rmr, KDAPL_OBJ_RMR);
}

/* ---- bound, moved, unbound ---------------------------------------------- */

static void rmr_first_bind(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), rkey;
	struct fake_wr *wr;

	env_connect(env, &tep);
	rkey = bind(env, &tep, rmr, 3);
	KUNIT_ASSERT_EQ(test, env_qp(&tep)->sq.head, 1);
	wr = fake_wr(&env_qp(&tep)->sq, 0);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_REG_MR);
	KUNIT_EXPECT_EQ(test, wr->send_flags, IB_SEND_SIGNALED);
	KUNIT_EXPECT_EQ(test, wr->rkey, rkey);
	KUNIT_EXPECT_EQ(test, wr->access, IB_ACCESS_REMOTE_READ |
			IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE);
	KUNIT_EXPECT_EQ(test, wr->mr->iova, ENV_LMR_ADDR + 3 * PAGE_SIZE + 8);
	EXPECT_NO_EVENT(test, &tep.request);
	EXPECT_SHOWS_NOTHING(test, rkey);
	finish(&tep, 1);
	EXPECT_BOUND(test, &tep, 3, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
	EXPECT_SHOWS(test, rkey, 3);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), KDAPL_BIND_SLOTS);
}

/* The new one is there before the old one goes, and each shows its own. */
static void rmr_moved(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), old, rkey;
	unsigned int i;

	env_connect(env, &tep);
	old = bind(env, &tep, rmr, 0);
	finish(&tep, 1);
	EXPECT_BOUND(test, &tep, 0, DAT_DTO_SUCCESS);
	for (i = 1; i < 6; i++) {
		rkey = bind(env, &tep, rmr, i);
		KUNIT_EXPECT_NE(test, rkey, old);
		EXPECT_SHOWS(test, old, i - 1);
		EXPECT_SHOWS_NOTHING(test, rkey);
		finish(&tep, 1);
		EXPECT_SHOWS(test, old, i - 1);
		EXPECT_SHOWS(test, rkey, i);
		EXPECT_NO_EVENT(test, &tep.request);
		finish(&tep, 1);
		EXPECT_SHOWS_NOTHING(test, old);
		EXPECT_SHOWS(test, rkey, i);
		EXPECT_BOUND(test, &tep, i, DAT_DTO_SUCCESS);
		old = rkey;
	}
	KUNIT_EXPECT_EQ(test, windows_left(env), 2);
	KUNIT_EXPECT_EQ(test, free_rmr(env, rmr), 0);
	EXPECT_SHOWS_NOTHING(test, old);
	KUNIT_EXPECT_EQ(test, windows_left(env), 0);
}

static void rmr_unbound(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), rkey;

	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, unbind(env, &tep, rmr, 7), 0);
	EXPECT_BOUND(test, &tep, 7, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 0);
	rkey = bind(env, &tep, rmr, 1);
	finish(&tep, 1);
	EXPECT_BOUND(test, &tep, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, env->lmr,
						KDAPL_OBJ_LMR), -EBUSY);
	KUNIT_EXPECT_EQ(test, unbind(env, &tep, rmr, 8), 0);
	EXPECT_SHOWS(test, rkey, 1);
	finish(&tep, 1);
	EXPECT_SHOWS_NOTHING(test, rkey);
	EXPECT_BOUND(test, &tep, 8, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, env->lmr,
						KDAPL_OBJ_LMR), 0);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, done), 3 * KDAPL_BIND_SLOTS);
}

/* More binds than an MR has keys: the device sees when one comes back. */
static void rmr_keys_run_out(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), old = 0, rkey;
	unsigned int i;

	env_connect(env, &tep);
	for (i = 0; i < 3 * 256; i++) {
		rkey = bind(env, &tep, rmr, i % PAGES);
		finish(&tep, 2);
		EXPECT_BOUND(test, &tep, i % PAGES, DAT_DTO_SUCCESS);
		EXPECT_SHOWS_NOTHING(test, old);
		EXPECT_SHOWS(test, rkey, i % PAGES);
		old = rkey;
	}
	KUNIT_EXPECT_LE(test, windows_left(env), 2);
}

/* Where an invalidation does not wait for accesses, no MR is bound twice. */
static void rmr_no_reuse(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);
	unsigned int i;

	env->ia->rmr_reuse = false;
	env_connect(env, &tep);
	for (i = 0; i < 100; i++) {
		bind(env, &tep, rmr, i % PAGES);
		finish(&tep, 2);
		EXPECT_BOUND(test, &tep, i % PAGES, DAT_DTO_SUCCESS);
		KUNIT_EXPECT_EQ(test, windows_left(env), 1);
		KUNIT_EXPECT_EQ(test,
				to_rmr(env_hold(env, rmr, KDAPL_OBJ_RMR))->bound->keys,
				1);
		kdapl_obj_put(env->held[--env->num_held]);
	}
}

/* Where a registration may be repeated an invalidation always goes before it. */
static void rmr_invalidates_first(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), old = 0, rkey;
	struct fake_wr *wr;
	unsigned int i;

	env->ia->rmr_inv_first = true;
	env->dev->invalidates_idle = true;
	env_connect(env, &tep);
	for (i = 0; i < 3 * 256; i++) {
		rkey = bind(env, &tep, rmr, i % PAGES);
		KUNIT_ASSERT_EQ(test, env_qp(&tep)->sq.head, 2 * (i + 1));
		wr = fake_wr(&env_qp(&tep)->sq, 2 * i);
		KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_LOCAL_INV);
		if (i)
			KUNIT_EXPECT_EQ(test, wr->rkey, old);
		wr = fake_wr(&env_qp(&tep)->sq, 2 * i + 1);
		KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_REG_MR);
		finish(&tep, 1);
		EXPECT_SHOWS_NOTHING(test, old);
		EXPECT_NO_EVENT(test, &tep.request);
		finish(&tep, 1);
		EXPECT_SHOWS(test, rkey, i % PAGES);
		EXPECT_BOUND(test, &tep, i % PAGES, DAT_DTO_SUCCESS);
		old = rkey;
	}
	KUNIT_EXPECT_EQ(test, unbind(env, &tep, rmr, 9), 0);
	finish(&tep, 1);
	EXPECT_SHOWS_NOTHING(test, old);
	EXPECT_BOUND(test, &tep, 9, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 2 * i + 1);
}

/* A window that is too small for what comes next does not stand in its way. */
static void rmr_grows(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);
	struct kdapl_rmr_bind arg;
	unsigned int i;

	env_connect(env, &tep);
	for (i = 0; i < 7; i++) {
		arg = bind_arg(env, &tep, rmr, 0);
		arg.length = PAGE_SIZE * (i + 1);
		KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), 0);
		finish(&tep, 2);
		EXPECT_BOUND(test, &tep, 0, DAT_DTO_SUCCESS);
		EXPECT_SHOWS(test, arg.rkey, 0);
	}
	KUNIT_EXPECT_LE(test, windows_left(env), 2);
}

static void rmr_many_at_once(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), rkey[4];
	struct kdapl_rmr_bind arg;
	unsigned int i, j;

	env_connect(env, &tep);
	for (i = 0; i < 4; i++) {
		arg = bind_arg(env, &tep, rmr, i);
		arg.flags = i == 2 ? KDAPL_SQE_SUPPRESS : KDAPL_SQE_FENCE;
		KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), 0);
		rkey[i] = arg.rkey;
	}
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 7);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 0)->send_flags,
			IB_SEND_SIGNALED | IB_SEND_FENCE);
	for (i = 0; i < 4; i++) {
		finish(&tep, i ? 2 : 1);
		for (j = 0; j < 4; j++)
			KUNIT_EXPECT_EQ(test, fake_reaches(rkey[j]),
					i == j ? page_at(i) : 0);
		if (i != 2)
			EXPECT_BOUND(test, &tep, i, DAT_DTO_SUCCESS);
		EXPECT_NO_EVENT(test, &tep.request);
	}
	KUNIT_EXPECT_LE(test, windows_left(env), 2);
}

/* ---- failures ----------------------------------------------------------- */

static void expect_broken(struct kunit *test, struct test_ep *tep)
{
	EXPECT_SOON(test, prog_events(&tep->conn));
	EXPECT_CONN(test, &tep->conn, DAT_CONNECTION_EVENT_BROKEN);
	KUNIT_EXPECT_EQ(test, prog_ep(tep, state), KDAPL_EP_DISCONNECTED);
}

/* Bound to nothing, and nothing is left of what it was bound to. */
static void expect_unbound(struct env *env, u32 rmr)
{
	struct kdapl_rmr *it = to_rmr(env_hold(env, rmr, KDAPL_OBJ_RMR));

	KUNIT_EXPECT_EQ(env->test, windows_left(env), it->spare ? 1 : 0);
	KUNIT_EXPECT_NULL(env->test, it->bound);
	KUNIT_EXPECT_EQ(env->test, kdapl_obj_destroy(env->ia, env->lmr,
						     KDAPL_OBJ_LMR), 0);
}

static void rmr_flushed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), first;
	unsigned int i;

	env_connect(env, &tep);
	first = bind(env, &tep, rmr, 0);
	finish(&tep, 1);
	EXPECT_BOUND(test, &tep, 0, DAT_DTO_SUCCESS);
	for (i = 1; i < 4; i++)
		bind(env, &tep, rmr, i);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_BROKEN, false);
	expect_broken(test, &tep);
	for (i = 1; i < 4; i++)
		EXPECT_BOUND(test, &tep, i, DAT_DTO_ERR_FLUSHED);
	expect_unbound(env, rmr);
	EXPECT_SHOWS_NOTHING(test, first);
}

/* The device fails the first work request of a bind, or the second. */
static void rmr_fails(struct kunit *test, u32 good)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);

	env_connect(env, &tep);
	bind(env, &tep, rmr, 0);
	finish(&tep, 1);
	EXPECT_BOUND(test, &tep, 0, DAT_DTO_SUCCESS);
	bind(env, &tep, rmr, 1);
	bind(env, &tep, rmr, 2);
	finish(&tep, good);
	fake_complete(env_qp(&tep), &env_qp(&tep)->sq, 1, IB_WC_LOC_QP_OP_ERR);
	expect_broken(test, &tep);
	EXPECT_BOUND(test, &tep, 1, DAT_RMR_OPERATION_FAILED);
	EXPECT_BOUND(test, &tep, 2, DAT_DTO_ERR_FLUSHED);
	expect_unbound(env, rmr);
}

static void rmr_register_fails(struct kunit *test)
{
	rmr_fails(test, 0);
}

static void rmr_invalidate_fails(struct kunit *test)
{
	rmr_fails(test, 1);
}

/* The driver does not take the first work request of a bind, or the second. */
static void rmr_refused(struct kunit *test, unsigned int good, int err,
			u32 status)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);

	env_connect(env, &tep);
	bind(env, &tep, rmr, 0);
	finish(&tep, 1);
	EXPECT_BOUND(test, &tep, 0, DAT_DTO_SUCCESS);
	env_qp(&tep)->post_good = good;
	env_qp(&tep)->post_error = err;
	bind(env, &tep, rmr, 1);
	if (good)
		finish(&tep, 1);
	if (status == DAT_DTO_ERR_FLUSHED)
		kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_BROKEN, false);
	expect_broken(test, &tep);
	EXPECT_BOUND(test, &tep, 1, status);
	expect_unbound(env, rmr);
}

static void rmr_register_refused(struct kunit *test)
{
	rmr_refused(test, 0, -ENOMEM, DAT_RMR_OPERATION_FAILED);
}

static void rmr_register_not_connected(struct kunit *test)
{
	rmr_refused(test, 0, -ENOTCONN, DAT_DTO_ERR_FLUSHED);
}

static void rmr_invalidate_refused(struct kunit *test)
{
	rmr_refused(test, 1, -EINVAL, DAT_RMR_OPERATION_FAILED);
}

static void rmr_without_memory(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);
	struct kdapl_rmr_bind arg = bind_arg(env, &tep, rmr, 0);

	env_connect(env, &tep);
	env->dev->no_mr = true;
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), -ENOMEM);
	KUNIT_EXPECT_EQ(test, arg.rkey, 0);
	EXPECT_NO_EVENT(test, &tep.request);
	expect_unbound(env, rmr);
}

/* An entry of the ring that calls itself a slot of a bind is none. */
static void rmr_forged_entry(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);
	unsigned int i;

	env_connect(env, &tep);
	/* All slots have been a bind's. */
	for (i = 0; i < PAGES; i++) {
		bind(env, &tep, rmr, i);
		finish(&tep, 2);
		EXPECT_BOUND(test, &tep, i, DAT_DTO_SUCCESS);
	}
	prog_post_op(env, &tep, KDAPL_WORK_BIND, 5);
	EXPECT_DTO(test, &tep.request, 5, DAT_DTO_ERR_LOCAL_EP);
	expect_broken(test, &tep);
}

/* ---- what is refused ---------------------------------------------------- */

static void rmr_checks(struct kunit *test)
{
	static const struct {
		const char *what;
		size_t offset;
		u64 value;
		int ret;
	} cases[] = {
#define BAD(field, value, ret) \
	{ #field " " #value, offsetof(struct kdapl_rmr_bind, field), value, ret }
		BAD(rmr, 0, -ENOENT),
		BAD(rmr, 1, -ENOENT),
		BAD(ep, 77, -ENOENT),
		BAD(lmr, U32_MAX, -ENOENT),
		BAD(addr, ENV_LMR_ADDR - 1, -EINVAL),
		BAD(addr, ENV_LMR_ADDR + ENV_LMR_LENGTH - PAGE_SIZE + 1, -EINVAL),
		BAD(addr, 0, -EINVAL),
		BAD(addr, U64_MAX, -EINVAL),
		BAD(length, ENV_LMR_LENGTH + 1, -EINVAL),
		BAD(length, U64_MAX, -EINVAL),
		BAD(length, ENV_RMR_LENGTH + 1, -ENOSPC),
		BAD(flags, KDAPL_SQE_SOLICITED, -EINVAL),
		BAD(flags, U32_MAX, -EINVAL),
		BAD(privileges, 0x100, -EINVAL),
		BAD(pad, 1, -EINVAL),
#undef BAD
	};
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);
	struct kdapl_rmr_bind arg;
	unsigned int i;
	void *field;

	env_connect(env, &tep);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		arg = bind_arg(env, &tep, rmr, 0);
		field = (void *)&arg + cases[i].offset;
		/* From the address to the cookie they have 64 bits. */
		if (cases[i].offset >= offsetof(struct kdapl_rmr_bind, addr) &&
		    cases[i].offset < offsetof(struct kdapl_rmr_bind, flags))
			*(u64 *)field = cases[i].value;
		else
			*(u32 *)field = cases[i].value;
		KUNIT_EXPECT_EQ_MSG(test, kdapl_rmr_bind(env->ia, &arg),
				    cases[i].ret, "%s", cases[i].what);
	}
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 0);
	EXPECT_NO_EVENT(test, &tep.request);
	expect_unbound(env, rmr);
}

static void rmr_privileges(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);
	u32 read = env_lmr(env, env->pz, KDAPL_PRIV_LOCAL_READ);
	u32 write = env_lmr(env, env->pz, KDAPL_PRIV_LOCAL_WRITE);
	struct kdapl_rmr_bind arg = bind_arg(env, &tep, rmr, 0);

	env_connect(env, &tep);
	arg.lmr = read;
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), -EACCES);
	arg.lmr = write;
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), -EACCES);
	arg.privileges = KDAPL_PRIV_REMOTE_WRITE;
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), 0);
	arg.lmr = read;
	arg.privileges = KDAPL_PRIV_REMOTE_READ | KDAPL_PRIV_LOCAL_WRITE;
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), 0);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 1)->access,
			IB_ACCESS_REMOTE_READ);
	finish(&tep, 3);
}

static void rmr_zones(struct kunit *test)
{
	struct env *env = test->priv;
	struct kdapl_pz_create pz = {};
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_rmr_bind arg;

	env_connect(env, &tep);
	KUNIT_ASSERT_EQ(test, kdapl_pz_create(env->ia, &pz), 0);
	arg = bind_arg(env, &tep, make_rmr(env, pz.id), 0);
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), -EPERM);
	arg = bind_arg(env, &tep, make_rmr(env, env->pz), 0);
	arg.lmr = env_lmr(env, pz.id, KDAPL_PRIV_ALL);
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), -EPERM);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, pz.id, KDAPL_OBJ_PZ),
			-EBUSY);
}

static void rmr_states(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), rkey;
	struct kdapl_rmr_bind arg = bind_arg(env, &tep, rmr, 0);

	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), -EBADFD);
	env_connect(env, &tep);
	rkey = bind(env, &tep, rmr, 4);
	finish(&tep, 1);
	EXPECT_BOUND(test, &tep, 4, DAT_DTO_SUCCESS);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_DISCONNECTED, false);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	/* Flushed at once, whatever it is, and nothing has changed. */
	bind(env, &tep, rmr, 5);
	EXPECT_BOUND(test, &tep, 5, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, unbind(env, &tep, rmr, 6), 0);
	EXPECT_BOUND(test, &tep, 6, DAT_DTO_ERR_FLUSHED);
	EXPECT_SHOWS(test, rkey, 4);
	KUNIT_EXPECT_EQ(test, windows_left(env), 1);
}

static void rmr_slots(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 3);
	u32 rmr = make_rmr(env, env->pz);
	struct kdapl_rmr_bind arg = bind_arg(env, &tep, rmr, 1);

	env_connect(env, &tep);
	bind(env, &tep, rmr, 0);
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), -ENOSPC);
	KUNIT_EXPECT_EQ(test, unbind(env, &tep, rmr, 0), -ENOSPC);
	finish(&tep, 1);
	EXPECT_BOUND(test, &tep, 0, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), 0);
	finish(&tep, 2);
	EXPECT_BOUND(test, &tep, 1, DAT_DTO_SUCCESS);
}

/* Two queue pairs do not wait for each other. */
static void rmr_one_ep_at_a_time(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep one = env_ep(env, DEPTH), other = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);
	struct kdapl_rmr_bind arg = bind_arg(env, &other, rmr, 1);

	env_connect(env, &one);
	env_connect(env, &other);
	bind(env, &one, rmr, 0);
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), -EBUSY);
	finish(&one, 1);
	EXPECT_BOUND(test, &one, 0, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), 0);
	finish(&other, 2);
	EXPECT_BOUND(test, &other, 1, DAT_DTO_SUCCESS);
	EXPECT_SHOWS(test, arg.rkey, 1);
}

/* ---- the ends ----------------------------------------------------------- */

/* The peer lets nothing finish: in the end that is an end of the connection. */
static void rmr_freed_with_binds(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), rkey;

	env_connect(env, &tep);
	bind(env, &tep, rmr, 0);
	rkey = bind(env, &tep, rmr, 1);
	KUNIT_EXPECT_EQ(test, free_rmr(env, rmr), 0);
	EXPECT_BOUND(test, &tep, 0, DAT_DTO_ERR_FLUSHED);
	EXPECT_BOUND(test, &tep, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_SHOWS_NOTHING(test, rkey);
	KUNIT_EXPECT_EQ(test, windows_left(env), 0);
	expect_broken(test, &tep);
	KUNIT_EXPECT_EQ(test, free_rmr(env, rmr), -ENOENT);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, env->lmr,
						KDAPL_OBJ_LMR), 0);
}

static void no_work(struct work_struct *work)
{
}

static DECLARE_WORK(blocked, no_work);

/* By the work that would have taken the bind's completion: it is taken all the same. */
static void rmr_freed_by_a_work(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_evd tevd = env_evd(env, 64, DAT_EVD_DTO_FLAG |
				       DAT_EVD_RMR_BIND_FLAG |
				       DAT_EVD_CONNECTION_FLAG);
	struct test_ep tep = { .recv = tevd, .request = tevd, .conn = tevd };
	u32 rmr = make_rmr(env, env->pz);
	struct fake_qp *qp;

	kdapl_evd_set_work(tevd.evd, system_wq, &blocked);
	env_ep_over(env, &tep, DEPTH);
	env_connect(env, &tep);
	tep.request.head = tep.conn.head;
	bind(env, &tep, rmr, 0);
	qp = env_qp(&tep);
	KUNIT_EXPECT_EQ(test, fake_report(qp, &qp->sq, 1, IB_WC_SUCCESS), 1);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_EQ(test, free_rmr(env, rmr), 0);
	EXPECT_BOUND(test, &tep, 0, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, prog_ep(&tep, state), KDAPL_EP_CONNECTED);
	cancel_work_sync(&blocked);
}

/* Nor does a device that gives nothing back keep anybody for ever. */
static void rmr_freed_with_binds_lost(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);

	env->dev->mute = true;
	env_connect(env, &tep);
	bind(env, &tep, rmr, 0);
	/* Else it is given ten seconds, twice. */
	WRITE_ONCE(tep.ep->qp_met, false);
	KUNIT_EXPECT_EQ(test, free_rmr(env, rmr), 0);
	EXPECT_BOUND(test, &tep, 0, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, windows_left(env), 0);
	expect_broken(test, &tep);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 0);
	/* The EP is none the worse for it. */
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 1);
}

static void rmr_ep_freed_with_binds(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);

	env_connect(env, &tep);
	bind(env, &tep, rmr, 0);
	bind(env, &tep, rmr, 1);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP),
			0);
	expect_unbound(env, rmr);
	KUNIT_EXPECT_EQ(test, free_rmr(env, rmr), 0);
}

static void rmr_device_goes(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz);
	struct kdapl_rmr_bind arg;

	env_connect(env, &tep);
	bind(env, &tep, rmr, 0);
	finish(&tep, 1);
	bind(env, &tep, rmr, 1);
	kdapl_ep_kill(tep.ep);
	kdapl_rmr_kill(to_rmr(env_hold(env, rmr, KDAPL_OBJ_RMR)));
	KUNIT_EXPECT_EQ(test, windows_left(env), 0);
	arg = bind_arg(env, &tep, rmr, 2);
	KUNIT_EXPECT_EQ(test, kdapl_rmr_bind(env->ia, &arg), -ENOENT);
	KUNIT_EXPECT_EQ(test, free_rmr(env, rmr), 0);
}

/* ---- the peer, and reads ---------------------------------------------------- */

/* A message of the peer's arrives that makes @key invalid. */
static void peer_invalidates(struct env *env, struct test_ep *tep, u32 key)
{
	struct fake_qp *qp = env_qp(tep);

	prog_post_op(env, tep, KDAPL_OP_RECV, 1);
	qp->invalidates = key;
	fake_complete(qp, &qp->rq, 1, IB_WC_SUCCESS);
	EXPECT_DTO(env->test, &tep->recv, 1, DAT_DTO_SUCCESS);
}

/* What a peer made invalid is bound no more, and is not invalidated again. */
static void rmr_lost(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), old, rkey;

	env_connect(env, &tep);
	old = bind(env, &tep, rmr, 1);
	finish(&tep, 1);
	EXPECT_BOUND(test, &tep, 1, DAT_DTO_SUCCESS);
	/* Neither another key of the MR, nor nothing's. */
	peer_invalidates(env, &tep, old ^ 1);
	peer_invalidates(env, &tep, 0xdeadbeef);
	EXPECT_SHOWS(test, old, 1);
	KUNIT_EXPECT_EQ(test, windows_left(env), 1);
	peer_invalidates(env, &tep, old);
	EXPECT_SHOWS_NOTHING(test, old);
	KUNIT_EXPECT_EQ(test, windows_left(env), 0);
	rkey = bind(env, &tep, rmr, 2);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 2);
	finish(&tep, 1);
	EXPECT_BOUND(test, &tep, 2, DAT_DTO_SUCCESS);
	EXPECT_SHOWS(test, rkey, 2);
}

/* A read into all that @rkey shows where it is bound to page @n. */
static struct kdapl_sqe read_to(struct env *env, struct test_ep *tep, u32 n,
				u32 rkey)
{
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, KDAPL_OP_READ_RMR, 9);

	sqe.seg[0] = (struct kdapl_seg) {
		ENV_LMR_ADDR + n * PAGE_SIZE + 8, PAGE_SIZE, rkey
	};
	return sqe;
}

/* A read into what is bound, and not a byte further. */
static void rmr_read_to(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), rkey;
	struct kdapl_sqe sqe;
	struct fake_wr *wr;

	env_connect(env, &tep);
	rkey = bind(env, &tep, rmr, 1);
	finish(&tep, 1);
	EXPECT_BOUND(test, &tep, 1, DAT_DTO_SUCCESS);
	sqe = read_to(env, &tep, 1, rkey);
	prog_post(env, &sqe);
	KUNIT_ASSERT_EQ(test, env_qp(&tep)->sq.head, 2);
	wr = fake_wr(&env_qp(&tep)->sq, 1);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_RDMA_READ);
	KUNIT_EXPECT_EQ(test, wr->sge[0].addr, ENV_LMR_ADDR + PAGE_SIZE + 8);
	KUNIT_EXPECT_EQ(test, wr->sge[0].length, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 1);
	finish(&tep, 1);
	EXPECT_DTO(test, &tep.request, 9, DAT_DTO_SUCCESS);

	/* One byte more. */
	sqe.seg[0].addr++;
	prog_post(env, &sqe);
	EXPECT_DTO(test, &tep.request, 9, DAT_DTO_ERR_LOCAL_PROTECTION);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 2);
}

/* Where a window is registered like an LMR nothing is posted to bind it. */
static u32 bind_registered(struct env *env, struct test_ep *tep, u32 rmr, u32 n)
{
	u32 posted = env_qp(tep)->sq.head;
	u32 rkey = bind(env, tep, rmr, n);

	/* Only the window before is invalidated, where there is one. */
	finish(tep, env_qp(tep)->sq.head - posted);
	EXPECT_BOUND(env->test, tep, n, DAT_DTO_SUCCESS);
	return rkey;
}

/* siw takes any key of the MR for it, so it is lost by any, and by no other MR's. */
static void rmr_lost_registered(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), old;

	env->ia->rmr_register = true;
	env_connect(env, &tep);
	old = bind_registered(env, &tep, rmr, 1);
	peer_invalidates(env, &tep, old ^ 0x100);
	KUNIT_EXPECT_EQ(test, windows_left(env), 1);
	KUNIT_EXPECT_FALSE(test, xa_empty(&env->ia->windows));
	/* The program hears of the key that it knows. */
	env->ia->tell_op = true;
	prog_post_op(env, &tep, KDAPL_OP_RECV, 7);
	env_qp(&tep)->invalidates = old ^ 1;
	KUNIT_EXPECT_EQ(test, fake_complete(env_qp(&tep), &env_qp(&tep)->rq, 1,
					    IB_WC_SUCCESS), 1);
	KUNIT_EXPECT_EQ(test, prog_next(&tep.recv).type, old);
	env->ia->tell_op = false;
	KUNIT_EXPECT_EQ(test, windows_left(env), 0);
	KUNIT_EXPECT_TRUE(test, xa_empty(&env->ia->windows));
	/* It does not stand in the way of the next, and is not invalidated again. */
	old = bind_registered(env, &tep, rmr, 2);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 0);
	peer_invalidates(env, &tep, old);
	KUNIT_EXPECT_EQ(test, windows_left(env), 0);
	bind_registered(env, &tep, rmr, 3);
	KUNIT_EXPECT_EQ(test, free_rmr(env, rmr), 0);
	KUNIT_EXPECT_EQ(test, windows_left(env), 0);
	KUNIT_EXPECT_TRUE(test, xa_empty(&env->ia->windows));
}

/* Such a window is found by its key as well, until another one takes its place. */
static void rmr_read_to_registered(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	u32 rmr = make_rmr(env, env->pz), old, rkey;
	struct kdapl_sqe sqe;

	env->ia->rmr_register = true;
	env_connect(env, &tep);
	old = bind_registered(env, &tep, rmr, 1);
	sqe = read_to(env, &tep, 1, old);
	prog_post(env, &sqe);
	KUNIT_ASSERT_EQ(test, env_qp(&tep)->sq.head, 1);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 0)->opcode,
			IB_WR_RDMA_READ);
	finish(&tep, 1);
	EXPECT_DTO(test, &tep.request, 9, DAT_DTO_SUCCESS);

	rkey = bind_registered(env, &tep, rmr, 2);
	KUNIT_EXPECT_EQ(test, windows_left(env), 1);
	sqe = read_to(env, &tep, 2, rkey);
	prog_post(env, &sqe);
	KUNIT_ASSERT_EQ(test, env_qp(&tep)->sq.head, 3);
	finish(&tep, 1);
	EXPECT_DTO(test, &tep.request, 9, DAT_DTO_SUCCESS);
	sqe = read_to(env, &tep, 1, old);
	prog_post(env, &sqe);
	EXPECT_DTO(test, &tep.request, 9, DAT_DTO_ERR_LOCAL_PROTECTION);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->sq.head, 3);
}

static struct kunit_case rmr_cases[] = {
	KUNIT_CASE(rmr_first_bind),
	KUNIT_CASE(rmr_moved),
	KUNIT_CASE(rmr_unbound),
	KUNIT_CASE(rmr_keys_run_out),
	KUNIT_CASE(rmr_no_reuse),
	KUNIT_CASE(rmr_invalidates_first),
	KUNIT_CASE(rmr_grows),
	KUNIT_CASE(rmr_many_at_once),
	KUNIT_CASE(rmr_flushed),
	KUNIT_CASE(rmr_register_fails),
	KUNIT_CASE(rmr_invalidate_fails),
	KUNIT_CASE(rmr_register_refused),
	KUNIT_CASE(rmr_register_not_connected),
	KUNIT_CASE(rmr_invalidate_refused),
	KUNIT_CASE(rmr_without_memory),
	KUNIT_CASE(rmr_forged_entry),
	KUNIT_CASE(rmr_checks),
	KUNIT_CASE(rmr_privileges),
	KUNIT_CASE(rmr_zones),
	KUNIT_CASE(rmr_states),
	KUNIT_CASE(rmr_slots),
	KUNIT_CASE(rmr_one_ep_at_a_time),
	KUNIT_CASE(rmr_freed_with_binds),
	KUNIT_CASE(rmr_freed_by_a_work),
	KUNIT_CASE(rmr_freed_with_binds_lost),
	KUNIT_CASE(rmr_ep_freed_with_binds),
	KUNIT_CASE(rmr_device_goes),
	KUNIT_CASE(rmr_lost),
	KUNIT_CASE(rmr_read_to),
	KUNIT_CASE(rmr_lost_registered),
	KUNIT_CASE(rmr_read_to_registered),
	{}
};

static struct kunit_suite rmr_suite = {
	.name = "kdapl-rmr",
	.init = env_init,
	.exit = env_exit,
	.test_cases = rmr_cases,
};

kunit_test_suite(rmr_suite);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the suites share: an IA over a fake device, and a program that uses it
 * as the uapi header says a program does.
 */
#ifndef KDAPL_TEST_ENV_H
#define KDAPL_TEST_ENV_H

#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "../ep.h"
#include "../ia.h"
#include "core_sq.h"
#include "fake_cm.h"
#include "fake_listen.h"
#include "fake_verbs.h"

#define ENV_SQ_ENTRIES	64
#define ENV_LMR_ADDR	0x100000ULL
#define ENV_LMR_LENGTH	0x10000ULL
#define ENV_RMR_LENGTH	0x8000ULL
#define ENV_USER	0x1122334455667788ULL	/* an EP's word */
#define ENV_SRQ_WINDOW	8	/* receives that the device has of an SRQ */
#define ENV_MAX_MESSAGE	0x18000ULL	/* six segments can be longer */

/**
 * struct test_evd - an EVD and the program's side of it
 * @evd: with a reference
 * @id: its id
 * @head: the program's head
 */
struct test_evd {
	struct kdapl_evd *evd;
	u32 id;
	u32 head;
};

/**
 * struct test_ep - an EP with its EVDs
 * @ep: with a reference
 * @id: its id
 * @recv: receive completions
 * @request: other completions
 * @conn: connection events
 */
struct test_ep {
	struct kdapl_ep *ep;
	u32 id;
	struct test_evd recv, request, conn;
};

/**
 * struct env - one test's world
 * @test: the test
 * @dev: the device
 * @ia: the IA; ring of ENV_SQ_ENTRIES
 * @pz: id of a PZ
 * @lmr: id of an LMR of it, all of ENV_LMR_*, every local privilege
 * @tail: the program's tail of the submission ring
 * @rings: doorbells that the program had to ring
 * @held: objects to which a test holds references
 * @num_held: how many
 */
struct env {
	struct kunit *test;
	struct fake_dev *dev;
	struct kdapl_ia *ia;
	u32 pz, lmr;
	u32 tail;
	u32 rings;
	struct kdapl_obj *held[32];
	unsigned int num_held;
};

/* A suite's init and exit; the environment is test->priv. */
int env_init(struct kunit *test);
/* The IA of a consumer in the kernel, which has no submission ring. */
int env_init_kernel(struct kunit *test);
void env_exit(struct kunit *test);

/* A new object's pointer, with a reference that env_exit() drops. */
struct kdapl_obj *env_hold(struct env *env, u32 id, enum kdapl_obj_type type);

u32 env_lmr(struct env *env, u32 pz, u32 privileges);
struct test_evd env_evd(struct env *env, u32 qlen, u32 flags);

/* EVDs of 256 events each; @max is for requests and for receives. */
struct test_ep env_ep(struct env *env, u32 max);
/* The same over EVDs that exist. */
void env_ep_over(struct env *env, struct test_ep *tep, u32 max);
void env_connect(struct env *env, struct test_ep *tep);
/* What rdma_cm's DISCONNECTED does. */
void env_peer_leaves(struct test_ep *tep);

static inline struct fake_qp *env_qp(const struct test_ep *tep)
{
	return to_fake_qp(tep->ep->qp);
}

/* ---- the program ------------------------------------------------------- */

/* An entry with one segment of 64 bytes at the LMR's start. */
struct kdapl_sqe prog_sqe(struct env *env, u32 ep, u8 op, u64 cookie);

/* Write an entry and move the tail, nothing else. */
void prog_store(struct env *env, const struct kdapl_sqe *sqe);
/* The rest of a post: ring when NEED_WAKEUP says so. */
void prog_ring(struct env *env);
void prog_post(struct env *env, const struct kdapl_sqe *sqe);
void prog_post_op(struct env *env, const struct test_ep *tep, u8 op,
		  u64 cookie);

/* Somebody looks into the ring, as when a receive completes of which few are left. */
static inline void env_kick(struct env *env)
{
	kdapl_sq_recvs_left(&env->ia->sq, 0);
	kdapl_sq_kick(&env->ia->sq);
}

/* What the module took from the ring, as the program sees it. */
static inline u32 prog_sq_head(struct env *env)
{
	struct kdapl_sq_status *status = env->ia->sq.status.addr;

	/* (D) of the uapi header. */
	return smp_load_acquire(&status->head);
}

static inline u32 prog_ep_word(const struct test_ep *tep, size_t offset)
{
	return READ_ONCE(*(u32 *)(tep->ep->status.addr + offset));
}

#define prog_ep(tep, field) \
	prog_ep_word(tep, offsetof(struct kdapl_ep_status, field))

/* Events in the ring; the next one, or one of type 0. */
/* A wait that goes on with no earlier one. */
int env_wait(struct kdapl_evd *evd, u32 threshold, u64 deadline_ns);
u32 prog_events(const struct test_evd *tevd);
struct kdapl_event prog_next(struct test_evd *tevd);

/* Kernel consumers are told the operation as well; programs only where they asked. */
static inline u32 env_status(const struct env *env, u32 word)
{
	return env->ia->kernel ? KDAPL_DTO_STATUS(word) : word;
}

/* The next event is a completion with this cookie and status. */
#define EXPECT_DTO(test, tevd, want_cookie, want_status) do {		\
	struct kdapl_event _event = prog_next(tevd);			\
	struct kunit *_test = (test);					\
									\
	KUNIT_EXPECT_EQ(_test, _event.type, DAT_DTO_COMPLETION_EVENT);	\
	KUNIT_EXPECT_EQ(_test, _event.user, ENV_USER);			\
	KUNIT_EXPECT_EQ(_test, _event.cookie, want_cookie);		\
	KUNIT_EXPECT_EQ(_test, env_status(_test->priv, _event.status),	\
			want_status);					\
} while (0)

#define EXPECT_CONN(test, tevd, want_type) do {				\
	struct kdapl_event _event = prog_next(tevd);			\
	struct kunit *_test = (test);					\
									\
	KUNIT_EXPECT_EQ(_test, _event.type, want_type);			\
	KUNIT_EXPECT_EQ(_test, _event.user, ENV_USER);			\
} while (0)

#define EXPECT_NO_EVENT(test, tevd) \
	KUNIT_EXPECT_EQ(test, prog_events(tevd), 0)

/*
 * What other threads do comes true in the end; how long that may take on a
 * slow machine does not matter. Evaluates to the condition's last value.
 */
#define env_comes_true(condition) ({					\
	unsigned long _end = jiffies + 20 * HZ;				\
	bool _true;							\
									\
	while (!(_true = (condition)) && time_before(jiffies, _end))	\
		usleep_range(100, 200);					\
	_true;								\
})

#define EXPECT_SOON(test, condition) \
	KUNIT_EXPECT_TRUE(test, env_comes_true(condition))

#endif /* KDAPL_TEST_ENV_H */

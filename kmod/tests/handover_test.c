// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events that a consumer in the kernel takes at once, past the ring. */

#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "../rw.h"
#include "env.h"

#define DEPTH	8

/**
 * struct taker - a consumer, and what it was called for
 * @env: its world
 * @tep: its EP
 * @refuses: it claims no event
 * @quits: it has its hooks taken away with the first event
 * @posts: so many events more are answered with a post
 * @claims: how often it was asked
 * @arrivals: how often it was told of a queued event
 * @taken: events that it took
 * @cookies: of them
 */
struct taker {
	struct env *env;
	struct test_ep tep;
	bool refuses, quits;
	unsigned int posts, claims, arrivals, taken;
	u64 cookies[2 * DEPTH];
};

/* Of the test that runs. */
static struct taker taker;

static void arrived(struct kdapl_evd *evd)
{
	lockdep_assert_held(&evd->lock);
	taker.arrivals++;
}

static bool claim(struct kdapl_evd *evd)
{
	lockdep_assert_held(&evd->lock);
	lockdep_assert_held(&taker.tep.ep->lock);
	taker.claims++;
	return !taker.refuses;
}

static int post(u8 op, u64 cookie, u32 flags)
{
	bool recv = op == KDAPL_OP_RECV;
	struct kdapl_ep *ep = taker.tep.ep;
	struct kdapl_sqe *sqe;
	int ret;

	sqe = kdapl_post_begin(ep, recv);
	*sqe = prog_sqe(taker.env, taker.tep.id, op, cookie);
	sqe->flags = flags;
	ret = kdapl_post_add(ep);
	kdapl_post_end(ep, recv, !ret);
	return ret;
}

/* As an upcall would: it posts, and it may be the last one. */
static void take(struct kdapl_evd *evd, const struct kdapl_event *event)
{
	struct kunit *test = taker.env->test;

	KUNIT_EXPECT_TRUE(test, in_serving_softirq());
	KUNIT_EXPECT_EQ(test, event->type, DAT_DTO_COMPLETION_EVENT);
	KUNIT_EXPECT_EQ(test, event->user, ENV_USER);
	if (taker.taken < ARRAY_SIZE(taker.cookies))
		taker.cookies[taker.taken++] = event->cookie;
	if (taker.posts) {
		taker.posts--;
		KUNIT_EXPECT_EQ(test, post(KDAPL_OP_SEND, 100, 0), 0);
	}
	if (taker.quits)
		kdapl_evd_hook(evd, NULL);
}

static const struct kdapl_evd_hooks hooks = {
	.arrived = arrived,
	.claim = claim,
	.take = take,
};

static int handover_init(struct kunit *test)
{
	int ret = env_init_kernel(test);
	struct env *env = test->priv;

	if (ret)
		return ret;
	taker = (struct taker){ .env = env, .tep = env_ep(env, DEPTH) };
	env_connect(env, &taker.tep);
	kdapl_evd_hook(taker.tep.request.evd, &hooks);
	taker.tep.request.evd->direct = true;
	return 0;
}

static void posts(struct kunit *test, u64 first, unsigned int n)
{
	for (; n; n--)
		KUNIT_EXPECT_EQ(test, post(KDAPL_OP_SEND, first++, 0), 0);
}

static struct fake_queue *sends(void)
{
	return &env_qp(&taker.tep)->sq;
}

/* All that are found in one look into the device's queue. */
static void complete_at_once(struct kunit *test, unsigned int n)
{
	KUNIT_EXPECT_EQ(test, fake_complete(env_qp(&taker.tep), sends(), n,
					    IB_WC_SUCCESS), n);
}

/* One after the other. */
static void complete_sends(struct kunit *test, unsigned int n)
{
	for (; n; n--)
		complete_at_once(test, 1);
}

static void expect_taken(struct kunit *test, u64 first, unsigned int n)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, taker.taken, n);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(test, taker.cookies[i], first + i);
}

/* ---- claimed ---------------------------------------------------------------- */

static void claimed_is_not_queued(struct kunit *test)
{
	posts(test, 1, 1);
	complete_sends(test, 1);
	expect_taken(test, 1, 1);
	KUNIT_EXPECT_EQ(test, taker.claims, 1);
	KUNIT_EXPECT_EQ(test, taker.arrivals, 0);
	EXPECT_NO_EVENT(test, &taker.tep.request);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(taker.tep.request.evd), 0);
}

static void take_receives(void)
{
	kdapl_evd_hook(taker.tep.recv.evd, &hooks);
	taker.tep.recv.evd->direct = true;
}

/* What is found with it, but goes elsewhere, is not behind it. */
static void two_of_two_evds(struct kunit *test)
{
	struct fake_qp *qp = env_qp(&taker.tep);

	take_receives();
	KUNIT_EXPECT_EQ(test, post(KDAPL_OP_RECV, 2, 0), 0);
	posts(test, 1, 1);
	KUNIT_EXPECT_EQ(test, fake_finish(qp, sends(), 1, IB_WC_SUCCESS), 1);
	KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->rq, 1, IB_WC_SUCCESS), 1);
	expect_taken(test, 1, 2);
}

static void receive_is_claimed(struct kunit *test)
{
	struct fake_qp *qp = env_qp(&taker.tep);

	take_receives();
	KUNIT_EXPECT_EQ(test, post(KDAPL_OP_RECV, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->rq, 1, IB_WC_SUCCESS), 1);
	expect_taken(test, 1, 1);
	EXPECT_NO_EVENT(test, &taker.tep.recv);
}

static void claimed_in_order(struct kunit *test)
{
	posts(test, 1, DEPTH);
	complete_sends(test, DEPTH);
	expect_taken(test, 1, DEPTH);
	KUNIT_EXPECT_EQ(test, taker.claims, DEPTH);
	/* The slots are free again. */
	posts(test, 1 + DEPTH, DEPTH);
	KUNIT_EXPECT_EQ(test, post(KDAPL_OP_SEND, 99, 0), -ENOBUFS);
	complete_sends(test, DEPTH);
	expect_taken(test, 1, 2 * DEPTH);
}

static void taker_posts(struct kunit *test)
{
	taker.posts = 1;
	posts(test, 99, 1);
	complete_sends(test, 1);
	expect_taken(test, 99, 1);
	complete_sends(test, 1);
	expect_taken(test, 99, 2);
}

static void failure_is_claimed(struct kunit *test)
{
	posts(test, 1, 1);
	KUNIT_EXPECT_EQ(test, fake_complete(env_qp(&taker.tep), sends(), 1,
					    IB_WC_REM_ACCESS_ERR), 1);
	expect_taken(test, 1, 1);
	/* The state is stored before the event is. */
	EXPECT_SOON(test, prog_events(&taker.tep.conn));
	KUNIT_EXPECT_EQ(test, prog_ep(&taker.tep, state), KDAPL_EP_DISCONNECTED);
	EXPECT_CONN(test, &taker.tep.conn, DAT_CONNECTION_EVENT_BROKEN);
}

/* ---- queued ----------------------------------------------------------------- */

/* Of one EVD: upcalls of these are told of each other. */
static void many_are_queued(struct kunit *test)
{
	unsigned int i;

	posts(test, 0, DEPTH);
	complete_at_once(test, DEPTH);
	KUNIT_EXPECT_EQ(test, taker.claims, 0);
	KUNIT_EXPECT_EQ(test, taker.arrivals, DEPTH);
	for (i = 0; i < DEPTH; i++)
		EXPECT_DTO(test, &taker.tep.request, i, DAT_DTO_SUCCESS);
}

/* Also where another EVD has ESTABLISHED. */
static void established_comes_first(struct kunit *test)
{
	struct kdapl_event event = {};

	env_peer_leaves(&taker.tep);
	EXPECT_SOON(test, prog_ep(&taker.tep, state) == KDAPL_EP_DISCONNECTED);
	KUNIT_ASSERT_EQ(test, kdapl_ep_reset(taker.tep.ep), 0);
	mutex_lock(&taker.tep.ep->mutex);
	KUNIT_EXPECT_EQ(test, kdapl_ep_begin(taker.tep.ep,
					     KDAPL_EP_ACTIVE_PENDING), 0);
	mutex_unlock(&taker.tep.ep->mutex);
	kdapl_ep_established(taker.tep.ep, 0);

	posts(test, 1, 1);
	complete_sends(test, 1);
	KUNIT_EXPECT_EQ(test, taker.claims, 0);
	EXPECT_DTO(test, &taker.tep.request, 1, DAT_DTO_SUCCESS);
	/* The end of the last one, and the beginning of this one. */
	while (kdapl_evd_count(taker.tep.conn.evd)) {
		posts(test, 2, 1);
		complete_sends(test, 1);
		KUNIT_EXPECT_EQ(test, taker.claims, 0);
		EXPECT_DTO(test, &taker.tep.request, 2, DAT_DTO_SUCCESS);
		event = prog_next(&taker.tep.conn);
	}
	KUNIT_EXPECT_EQ(test, event.type, DAT_CONNECTION_EVENT_ESTABLISHED);
	posts(test, 3, 1);
	complete_sends(test, 1);
	expect_taken(test, 3, 1);
}

/* Nobody is asked behind what is queued. */
static void refused_is_queued(struct kunit *test)
{
	taker.refuses = true;
	posts(test, 1, 3);
	complete_sends(test, 3);
	KUNIT_EXPECT_EQ(test, taker.taken, 0);
	KUNIT_EXPECT_EQ(test, taker.claims, 1);
	KUNIT_EXPECT_EQ(test, taker.arrivals, 3);
	EXPECT_DTO(test, &taker.tep.request, 1, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &taker.tep.request, 2, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &taker.tep.request, 3, DAT_DTO_SUCCESS);
}

static void nothing_is_overtaken(struct kunit *test)
{
	taker.refuses = true;
	posts(test, 1, 1);
	complete_sends(test, 1);
	taker.refuses = false;
	posts(test, 2, 1);
	complete_sends(test, 1);
	KUNIT_EXPECT_EQ(test, taker.taken, 0);
	EXPECT_DTO(test, &taker.tep.request, 1, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &taker.tep.request, 2, DAT_DTO_SUCCESS);
	posts(test, 3, 1);
	complete_sends(test, 1);
	expect_taken(test, 3, 1);
}

static void not_direct_is_not_asked(struct kunit *test)
{
	taker.tep.request.evd->direct = false;
	posts(test, 1, 1);
	complete_sends(test, 1);
	KUNIT_EXPECT_EQ(test, taker.claims, 0);
	KUNIT_EXPECT_EQ(test, taker.arrivals, 1);
	EXPECT_DTO(test, &taker.tep.request, 1, DAT_DTO_SUCCESS);
}

/* What tells of nothing has no upcall, so it waits for one that does. */
static void silent_and_quiet(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, post(KDAPL_OP_SEND, 1, KDAPL_SQE_SUPPRESS), 0);
	KUNIT_EXPECT_EQ(test, post(KDAPL_OP_SEND, 2, KDAPL_SQE_QUIET), 0);
	complete_sends(test, 2);
	KUNIT_EXPECT_EQ(test, taker.claims, 0);
	posts(test, 3, 1);
	complete_sends(test, 1);
	KUNIT_EXPECT_EQ(test, taker.taken, 0);
	EXPECT_DTO(test, &taker.tep.request, 2, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &taker.tep.request, 3, DAT_DTO_SUCCESS);
}

/* Who drains a queue holds what an upcall may need. */
static void drained_is_queued(struct kunit *test)
{
	posts(test, 1, 2);
	KUNIT_EXPECT_EQ(test, fake_finish(env_qp(&taker.tep), sends(), 2,
					  IB_WC_SUCCESS), 2);
	KUNIT_EXPECT_EQ(test, kdapl_cq_drain(taker.tep.ep->cq), 2);
	KUNIT_EXPECT_EQ(test, taker.claims, 0);
	EXPECT_DTO(test, &taker.tep.request, 1, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &taker.tep.request, 2, DAT_DTO_SUCCESS);
}

static int follow(struct kdapl_ep *ep, const struct kdapl_rw_post *post)
{
	ep->chain->sqe = prog_sqe(taker.env, taker.tep.id, KDAPL_OP_SEND,
				  post->cookie + 1);
	return kdapl_post_add(ep);
}

/* A write with a message behind it, whose completion tells of both. */
static void write_and_tell(struct kunit *test, u32 flags)
{
	void *data = kunit_kzalloc(test, 64, GFP_KERNEL);
	struct scatterlist list;
	const struct kdapl_rw_post post = {
		.sgl = &list,
		.nents = 1,
		.dir = DMA_TO_DEVICE,
		.length = 64,
		.cookie = 1,
		.flags = flags,
		.num = 1,
		.follow = follow,
	};

	KUNIT_ASSERT_NOT_NULL(test, data);
	sg_init_one(&list, data, 64);
	taker.env->ia->local_key = true;
	KUNIT_ASSERT_EQ(test, kdapl_rw(taker.tep.ep, &post), 0);
	complete_at_once(test, 2);
}

/* The second one does not overtake the first, nor is that alone. */
static void two_of_one_completion(struct kunit *test)
{
	write_and_tell(test, 0);
	KUNIT_EXPECT_EQ(test, taker.claims, 0);
	KUNIT_EXPECT_EQ(test, taker.arrivals, 2);
	EXPECT_DTO(test, &taker.tep.request, 1, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &taker.tep.request, 2, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &taker.tep.request);
	taker.arrivals = 0;
	/* But where only one has an event. */
	write_and_tell(test, KDAPL_SQE_SUPPRESS);
	expect_taken(test, 2, 1);
	KUNIT_EXPECT_EQ(test, taker.arrivals, 0);
}

/* The hooks may go while an event is on its way: the rest is queued. */
static void hooks_may_go(struct kunit *test)
{
	taker.quits = true;
	posts(test, 1, 3);
	complete_sends(test, 3);
	expect_taken(test, 1, 1);
	EXPECT_DTO(test, &taker.tep.request, 2, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &taker.tep.request, 3, DAT_DTO_SUCCESS);
}

static struct kunit_case handover_cases[] = {
	KUNIT_CASE(claimed_is_not_queued),
	KUNIT_CASE(receive_is_claimed),
	KUNIT_CASE(two_of_two_evds),
	KUNIT_CASE(claimed_in_order),
	KUNIT_CASE(taker_posts),
	KUNIT_CASE(failure_is_claimed),
	KUNIT_CASE(many_are_queued),
	KUNIT_CASE(established_comes_first),
	KUNIT_CASE(refused_is_queued),
	KUNIT_CASE(nothing_is_overtaken),
	KUNIT_CASE(not_direct_is_not_asked),
	KUNIT_CASE(silent_and_quiet),
	KUNIT_CASE(drained_is_queued),
	KUNIT_CASE(two_of_one_completion),
	KUNIT_CASE(hooks_may_go),
	{}
};

static struct kunit_suite handover_suite = {
	.name = "kdapl-handover",
	.init = handover_init,
	.exit = env_exit,
	.test_cases = handover_cases,
};

kunit_test_suite(handover_suite);

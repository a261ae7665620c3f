// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which completions end a wait, where a program chooses them. */

#include <linux/slab.h>

#include "env.h"

#define QLEN	8

/* Several that may wait for room, each quiet or not. */
struct recs {
	struct kdapl_evrec rec[2 * QLEN];
	u32 used;
};

static struct test_evd quiet_evd(struct kunit *test)
{
	struct test_evd tevd = env_evd(test->priv, QLEN, DAT_EVD_DTO_FLAG);

	KUNIT_EXPECT_EQ(test, kdapl_evd_join(tevd.evd, KDAPL_NOTIFY_QUIET), 0);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(tevd.evd->ring->flags) & KDAPL_EV_QUIET);
	return tevd;
}

static void post(struct test_evd *tevd, struct recs *recs, bool quiet)
{
	struct kdapl_evrec *rec = &recs->rec[recs->used++];
	const struct kdapl_event event = {
		.type = DAT_DTO_COMPLETION_EVENT,
		.cookie = recs->used,
	};

	INIT_LIST_HEAD(&rec->list);
	rec->quiet = quiet;
	kdapl_evd_post(tevd->evd, &event, rec);
}

static void take(struct kunit *test, struct test_evd *tevd, u32 n)
{
	while (n--)
		KUNIT_EXPECT_EQ(test, prog_next(tevd).type,
				DAT_DTO_COMPLETION_EVENT);
}

static int wait_now(struct test_evd *tevd)
{
	return env_wait(tevd->evd, 1, 0);
}

static void notify_ends_wait(struct kunit *test)
{
	struct test_evd tevd = quiet_evd(test);
	struct recs recs = {};

	KUNIT_EXPECT_EQ(test, env_wait(tevd.evd, 2, 0), -EINVAL);
	post(&tevd, &recs, true);
	post(&tevd, &recs, true);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), -ETIMEDOUT);
	post(&tevd, &recs, false);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), 0);
	/* It is the third, and counts until it is read. */
	take(test, &tevd, 2);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), 0);
	post(&tevd, &recs, true);
	take(test, &tevd, 1);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), -ETIMEDOUT);
	take(test, &tevd, 1);
	EXPECT_NO_EVENT(test, &tevd);
}

/* Also where it waits for room itself, behind quiet ones. */
static void notify_behind_the_ring(struct kunit *test)
{
	struct test_evd tevd = quiet_evd(test);
	struct recs recs = {};
	unsigned int i;

	for (i = 0; i < QLEN + 1; i++)
		post(&tevd, &recs, true);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), -ETIMEDOUT);
	post(&tevd, &recs, false);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), 0);
	take(test, &tevd, QLEN);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), 0);
	take(test, &tevd, 1);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), 0);
	take(test, &tevd, 1);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), -ETIMEDOUT);
}

/* Where all is a notification "quiet" says nothing. */
static void notify_by_threshold(struct kunit *test)
{
	struct test_evd tevd = env_evd(test->priv, QLEN, DAT_EVD_DTO_FLAG);
	struct recs recs = {};

	KUNIT_EXPECT_EQ(test, kdapl_evd_join(tevd.evd, KDAPL_NOTIFY_THRESHOLD), 0);
	post(&tevd, &recs, true);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), 0);
	post(&tevd, &recs, true);
	KUNIT_EXPECT_EQ(test, env_wait(tevd.evd, 2, 0), 0);
}

static void notify_one_kind(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_evd mixed = env_evd(env, QLEN, DAT_EVD_DTO_FLAG |
					DAT_EVD_SOFTWARE_FLAG);
	struct test_evd tevd = quiet_evd(test);

	KUNIT_EXPECT_EQ(test, kdapl_evd_join(mixed.evd, KDAPL_NOTIFY_QUIET),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, kdapl_evd_join(mixed.evd, KDAPL_NOTIFY_THRESHOLD),
			0);
	KUNIT_EXPECT_EQ(test, kdapl_evd_join(tevd.evd, KDAPL_NOTIFY_QUIET), 0);
	kdapl_evd_leave(tevd.evd);
	KUNIT_EXPECT_EQ(test, kdapl_evd_join(tevd.evd, KDAPL_NOTIFY_THRESHOLD),
			-EINVAL);
	kdapl_evd_leave(tevd.evd);
	KUNIT_EXPECT_EQ(test, kdapl_evd_join(tevd.evd, KDAPL_NOTIFY_THRESHOLD),
			0);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(tevd.evd->ring->flags) &
			   KDAPL_EV_QUIET);
	/* The consumer is not interested. */
	KUNIT_EXPECT_EQ(test, kdapl_evd_join(NULL, KDAPL_NOTIFY_QUIET), 0);
	kdapl_evd_leave(NULL);
}

/* What came before the first EP of that kind ends a wait: nobody asked then. */
static void notify_from_now_on(struct kunit *test)
{
	struct test_evd tevd = env_evd(test->priv, QLEN, DAT_EVD_DTO_FLAG);
	struct recs recs = {};

	post(&tevd, &recs, true);
	KUNIT_EXPECT_EQ(test, kdapl_evd_join(tevd.evd, KDAPL_NOTIFY_QUIET), 0);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), 0);
	take(test, &tevd, 1);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), -ETIMEDOUT);
}

/* An EP whose two streams, or whose EVDs, do not go together is not made. */
static void notify_of_eps(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_evd dto = env_evd(env, QLEN, DAT_EVD_DTO_FLAG);
	struct kdapl_ep_create arg = {
		.pz = env->pz,
		.recv_evd = dto.id,
		.request_evd = dto.id,
		.max_recvs = 1,
		.max_requests = 1,
		.recv_notify = KDAPL_NOTIFY_QUIET,
	};

	KUNIT_EXPECT_EQ(test, kdapl_ep_create(env->ia, &arg), -EINVAL);
	arg.request_notify = KDAPL_NOTIFY_QUIET + 1;
	KUNIT_EXPECT_EQ(test, kdapl_ep_create(env->ia, &arg), -EINVAL);
	KUNIT_EXPECT_EQ(test, dto.evd->notify_users, 0);
	arg.request_notify = KDAPL_NOTIFY_QUIET;
	KUNIT_ASSERT_EQ(test, kdapl_ep_create(env->ia, &arg), 0);
	KUNIT_EXPECT_EQ(test, dto.evd->notify_users, 2);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, arg.id, KDAPL_OBJ_EP), 0);
	KUNIT_EXPECT_EQ(test, dto.evd->notify_users, 0);
}

/* An EP with solicited receives, one of them posted. */
static struct test_ep solicited_ep(struct env *env)
{
	struct test_ep tep = {
		.recv = env_evd(env, QLEN, DAT_EVD_DTO_FLAG),
		.conn = env_evd(env, QLEN, DAT_EVD_CONNECTION_FLAG),
	};
	struct kdapl_ep_create arg = {
		.pz = env->pz,
		.recv_evd = tep.recv.id,
		.connect_evd = tep.conn.id,
		.max_recvs = QLEN,
		.max_recv_iov = 1,
		.recv_notify = KDAPL_NOTIFY_SOLICITED,
		.user = ENV_USER,
	};

	KUNIT_ASSERT_EQ(env->test, kdapl_ep_create(env->ia, &arg), 0);
	tep.id = arg.id;
	tep.ep = to_ep(env_hold(env, arg.id, KDAPL_OBJ_EP));
	prog_post_op(env, &tep, KDAPL_OP_RECV, 1);
	return tep;
}

static void begin(struct kunit *test, struct test_ep *tep)
{
	mutex_lock(&tep->ep->mutex);
	KUNIT_EXPECT_EQ(test, kdapl_ep_begin(tep->ep,
					     KDAPL_EP_COMPLETION_PENDING), 0);
	mutex_unlock(&tep->ep->mutex);
}

/*
 * The device tells of a message before the connection is established, when there
 * is no event to see yet. The wait ends when there is.
 */
static void notify_held_back(struct kunit *test)
{
	struct test_ep tep = solicited_ep(test->priv);

	begin(test, &tep);
	KUNIT_EXPECT_EQ(test, fake_complete(env_qp(&tep), &env_qp(&tep)->rq, 1,
					    IB_WC_SUCCESS), 1);
	EXPECT_NO_EVENT(test, &tep.recv);
	kdapl_ep_established(tep.ep, 0);
	KUNIT_EXPECT_EQ(test, wait_now(&tep.recv), 0);
	take(test, &tep.recv, 1);
	KUNIT_EXPECT_EQ(test, wait_now(&tep.recv), -ETIMEDOUT);
}

static void notify_held_back_and_ended(struct kunit *test)
{
	struct test_ep tep = solicited_ep(test->priv);

	begin(test, &tep);
	KUNIT_EXPECT_EQ(test, fake_complete(env_qp(&tep), &env_qp(&tep)->rq, 1,
					    IB_WC_SUCCESS), 1);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR, false);
	flush_work(&tep.ep->end_work);
	KUNIT_EXPECT_EQ(test, wait_now(&tep.recv), 0);
}

/* irdma makes one for all completions of a wish to be told what was missed besides. */
static void notify_rearmed_for_solicited(struct kunit *test)
{
	struct test_ep tep = solicited_ep(test->priv);
	const struct fake_cq *cq = container_of(tep.ep->recv_cq->ibcq,
						struct fake_cq, ib);

	begin(test, &tep);
	kdapl_ep_established(tep.ep, 0);
	KUNIT_EXPECT_EQ(test, fake_complete(env_qp(&tep), &env_qp(&tep)->rq, 1,
					    IB_WC_SUCCESS), 1);
	take(test, &tep.recv, 1);
	KUNIT_EXPECT_TRUE(test, cq->armed);
	KUNIT_EXPECT_TRUE(test, cq->solicited);
}

/* A wish for all completions is never forgotten: a new queue knows none. */
static void notify_new_queue_after_reset(struct kunit *test)
{
	struct test_ep tep = solicited_ep(test->priv);
	const struct kdapl_cq *before = tep.ep->recv_cq;

	begin(test, &tep);
	kdapl_ep_established(tep.ep, 0);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_DISCONNECTED, false);
	flush_work(&tep.ep->end_work);
	KUNIT_EXPECT_EQ(test, before->arm, IB_CQ_NEXT_COMP);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	KUNIT_ASSERT_NOT_NULL(test, tep.ep->recv_cq);
	KUNIT_EXPECT_EQ(test, tep.ep->recv_cq->arm, IB_CQ_SOLICITED);
	KUNIT_EXPECT_PTR_EQ(test, env_qp(&tep)->ib.recv_cq,
			    tep.ep->recv_cq->ibcq);
	/* One queue of the EVD, not two. */
	KUNIT_EXPECT_TRUE(test, list_is_singular(&tep.recv.evd->solicited));
}

/* An EP that is alone on its EVD changes its kind; one that fails keeps its own. */
static void notify_modified(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_evd dto = env_evd(env, QLEN, DAT_EVD_DTO_FLAG);
	struct test_evd mixed = env_evd(env, QLEN, DAT_EVD_ALL_FLAGS);
	struct kdapl_ep_create arg = {
		.pz = env->pz,
		.recv_evd = dto.id,
		.request_evd = dto.id,
		.max_recvs = 1,
		.max_requests = 1,
	};
	struct kdapl_ep_modify to = {
		.pz = env->pz,
		.recv_evd = dto.id,
		.request_evd = mixed.id,
		.max_recvs = 1,
		.max_requests = 1,
		.recv_notify = KDAPL_NOTIFY_QUIET,
		.request_notify = KDAPL_NOTIFY_QUIET,
	};
	struct kdapl_ep *ep;

	KUNIT_ASSERT_EQ(test, kdapl_ep_create(env->ia, &arg), 0);
	ep = to_ep(env_hold(env, arg.id, KDAPL_OBJ_EP));
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(ep, &to), -EINVAL);
	KUNIT_EXPECT_EQ(test, dto.evd->notify, KDAPL_NOTIFY_THRESHOLD);
	KUNIT_EXPECT_EQ(test, dto.evd->notify_users, 2);
	KUNIT_EXPECT_EQ(test, mixed.evd->notify_users, 0);
	to.request_evd = dto.id;
	KUNIT_EXPECT_EQ(test, kdapl_ep_modify(ep, &to), 0);
	KUNIT_EXPECT_EQ(test, dto.evd->notify, KDAPL_NOTIFY_QUIET);
	KUNIT_EXPECT_EQ(test, dto.evd->notify_users, 2);
}

/* What was taken back does not count as a notification of what comes later. */
static void notify_cancelled(struct kunit *test)
{
	struct test_evd tevd = quiet_evd(test);
	struct recs recs = {};
	unsigned int i;

	for (i = 0; i < QLEN; i++)
		post(&tevd, &recs, true);
	post(&tevd, &recs, false);
	kdapl_evd_cancel(tevd.evd, &recs.rec[QLEN]);
	take(test, &tevd, QLEN);
	post(&tevd, &recs, true);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), -ETIMEDOUT);
}

/* Also where quiet ones stand behind it: they are none in its place. */
static void notify_cancelled_before_quiet(struct kunit *test)
{
	struct test_evd tevd = quiet_evd(test);
	struct recs recs = {};
	unsigned int i;

	for (i = 0; i < QLEN; i++)
		post(&tevd, &recs, true);
	post(&tevd, &recs, false);
	post(&tevd, &recs, true);
	post(&tevd, &recs, false);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), 0);
	kdapl_evd_cancel(tevd.evd, &recs.rec[QLEN + 2]);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), 0);
	kdapl_evd_cancel(tevd.evd, &recs.rec[QLEN]);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), -ETIMEDOUT);
	take(test, &tevd, QLEN);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), -ETIMEDOUT);
	take(test, &tevd, 1);
	EXPECT_NO_EVENT(test, &tevd);
}

static bool is_it(struct kdapl_evrec *rec, void *arg)
{
	return rec == arg;
}

static void notify_cancelled_by_match(struct kunit *test)
{
	struct test_evd tevd = quiet_evd(test);
	struct recs recs = {};
	LIST_HEAD(taken);
	unsigned int i;

	for (i = 0; i < QLEN; i++)
		post(&tevd, &recs, true);
	post(&tevd, &recs, false);
	post(&tevd, &recs, true);
	kdapl_evd_cancel_all(tevd.evd, is_it, &recs.rec[QLEN], &taken);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&taken));
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), -ETIMEDOUT);
	take(test, &tevd, QLEN);
	/* The one behind the ring moves there when somebody waits. */
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), -ETIMEDOUT);
	take(test, &tevd, 1);
	EXPECT_NO_EVENT(test, &tevd);
}

/* One that was told of by a later one, which another EP took back. */
static void notify_cancelled_with_the_news(struct kunit *test)
{
	struct test_evd tevd = quiet_evd(test);
	struct recs recs = {};
	unsigned int i;

	for (i = 0; i < QLEN + 2; i++)
		post(&tevd, &recs, true);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), -ETIMEDOUT);
	kdapl_evd_notify(tevd.evd);
	kdapl_evd_cancel(tevd.evd, &recs.rec[QLEN + 1]);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), 0);
	kdapl_evd_cancel(tevd.evd, &recs.rec[QLEN]);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd), 0);
	take(test, &tevd, QLEN);
	EXPECT_NO_EVENT(test, &tevd);
}

/* What called nobody when it came is told with the end of its connection. */
static void notify_end_tells_all(struct kunit *test)
{
	struct test_ep tep = solicited_ep(test->priv);

	begin(test, &tep);
	kdapl_ep_established(tep.ep, 0);
	KUNIT_EXPECT_EQ(test, fake_finish(env_qp(&tep), &env_qp(&tep)->rq, 1,
					  IB_WC_SUCCESS), 1);
	kdapl_cq_drain(tep.ep->recv_cq);
	KUNIT_EXPECT_EQ(test, wait_now(&tep.recv), -ETIMEDOUT);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_DISCONNECTED, false);
	flush_work(&tep.ep->end_work);
	KUNIT_EXPECT_EQ(test, wait_now(&tep.recv), 0);
}

/* A device that can have no more queues than there are has one for the next life. */
static void notify_reset_at_the_limit(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = solicited_ep(env);

	begin(test, &tep);
	kdapl_ep_established(tep.ep, 0);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_DISCONNECTED, false);
	flush_work(&tep.ep->end_work);
	env->dev->max_cqs = env->dev->cqs;
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	KUNIT_EXPECT_NOT_NULL(test, tep.ep->recv_cq);
}

/* One that finds no room may be tried again when there is some. */
static void notify_reset_again(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = solicited_ep(env);

	begin(test, &tep);
	kdapl_ep_established(tep.ep, 0);
	kdapl_ep_end(tep.ep, DAT_CONNECTION_EVENT_DISCONNECTED, false);
	flush_work(&tep.ep->end_work);
	env->dev->max_cqs = 1;
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), -ENOMEM);
	env->dev->max_cqs = 0;
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	KUNIT_EXPECT_NOT_NULL(test, tep.ep->recv_cq);
}

static struct kunit_case notify_cases[] = {
	KUNIT_CASE(notify_ends_wait),
	KUNIT_CASE(notify_behind_the_ring),
	KUNIT_CASE(notify_by_threshold),
	KUNIT_CASE(notify_one_kind),
	KUNIT_CASE(notify_from_now_on),
	KUNIT_CASE(notify_of_eps),
	KUNIT_CASE(notify_held_back),
	KUNIT_CASE(notify_held_back_and_ended),
	KUNIT_CASE(notify_rearmed_for_solicited),
	KUNIT_CASE(notify_new_queue_after_reset),
	KUNIT_CASE(notify_modified),
	KUNIT_CASE(notify_cancelled),
	KUNIT_CASE(notify_cancelled_before_quiet),
	KUNIT_CASE(notify_cancelled_by_match),
	KUNIT_CASE(notify_cancelled_with_the_news),
	KUNIT_CASE(notify_end_tells_all),
	KUNIT_CASE(notify_reset_at_the_limit),
	KUNIT_CASE(notify_reset_again),
	{}
};

static struct kunit_suite notify_suite = {
	.name = "kdapl-notify",
	.init = env_init,
	.exit = env_exit,
	.test_cases = notify_cases,
};

kunit_test_suite(notify_suite);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* EVDs whose consumer is a work: when it is queued, and who takes completions. */

#include "env.h"

#define DEPTH	8
#define FLAGS	(DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG | DAT_EVD_SOFTWARE_FLAG)

/**
 * struct worker - a work, which only counts: the test takes the events
 * @env: its world
 * @work: the work
 * @runs: of it
 * @tep: an EP that has its EVD for everything
 */
struct worker {
	struct env *env;
	struct work_struct work;
	atomic_t runs;
	struct test_ep tep;
};

/* Of the test that runs. */
static struct worker worker;

static void count(struct work_struct *work)
{
	atomic_inc(&worker.runs);
}

static struct test_evd evd_of_work(void)
{
	struct test_evd tevd = env_evd(worker.env, 256, FLAGS);

	kdapl_evd_set_work(tevd.evd, system_wq, &worker.work);
	return tevd;
}

static struct test_ep ep_over(struct test_evd recv, struct test_evd request)
{
	struct test_ep tep = { .recv = recv, .request = request, .conn = request };

	env_ep_over(worker.env, &tep, DEPTH);
	return tep;
}

static int evd_work_init(struct kunit *test)
{
	int ret = env_init_kernel(test);
	struct test_evd tevd;

	if (ret)
		return ret;
	worker.env = test->priv;
	INIT_WORK(&worker.work, count);
	atomic_set(&worker.runs, 0);
	tevd = evd_of_work();
	worker.tep = ep_over(tevd, tevd);
	return 0;
}

static void evd_work_exit(struct kunit *test)
{
	env_exit(test);
	cancel_work_sync(&worker.work);
}

static struct kdapl_evd *the_evd(void)
{
	return worker.tep.request.evd;
}

static struct fake_cq *the_cq(void)
{
	return to_fake_cq(worker.tep.ep->cq->ibcq);
}

/* Whoever was to queue it has done so. */
static int runs(void)
{
	flush_work(&worker.work);
	return atomic_read(&worker.runs);
}

/* As dat_evd_dequeue() does it; 0 for none. */
static u64 next(void)
{
	struct kdapl_event event;
	u32 there;

	local_bh_disable();
	do {
		there = kdapl_evd_take(the_evd(), &event);
	} while (!there && kdapl_evd_fetch(the_evd()));
	local_bh_enable();
	return there ? event.cookie : 0;
}

static void post_sends(struct kunit *test, u64 first, unsigned int n)
{
	struct kdapl_ep *ep = worker.tep.ep;
	struct kdapl_sqe *sqe;
	int ret;

	for (; n; n--) {
		sqe = kdapl_post_begin(ep, false);
		*sqe = prog_sqe(worker.env, worker.tep.id, KDAPL_OP_SEND, first++);
		ret = kdapl_post_add(ep);
		KUNIT_EXPECT_EQ(test, ret, 0);
		kdapl_post_end(ep, false, !ret);
	}
}

/* The work has been queued for that, and has found all of it. */
static void connect_ep(struct kunit *test)
{
	env_connect(worker.env, &worker.tep);
	KUNIT_EXPECT_EQ(test, runs(), 1);
	KUNIT_EXPECT_EQ(test, next(), 0);
	atomic_set(&worker.runs, 0);
}

/* Connected, with so many sends on their way. */
static void send(struct kunit *test, unsigned int n)
{
	connect_ep(test);
	post_sends(test, 1, n);
}

/* And so many of them complete. */
static void complete_sends(struct kunit *test, unsigned int n)
{
	struct fake_qp *qp = env_qp(&worker.tep);

	KUNIT_EXPECT_EQ(test, fake_report(qp, &qp->sq, n, IB_WC_SUCCESS), n);
}

static void post_software(struct kunit *test, u64 cookie)
{
	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(the_evd(), cookie), 0);
}

/* ---- events -------------------------------------------------------------- */

/* Until it has found nothing it is queued once. */
static void event_queues_it(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, runs(), 0);
	post_software(test, 1);
	KUNIT_EXPECT_EQ(test, runs(), 1);
	post_software(test, 2);
	KUNIT_EXPECT_EQ(test, next(), 1);
	post_software(test, 3);
	KUNIT_EXPECT_EQ(test, next(), 2);
	KUNIT_EXPECT_EQ(test, next(), 3);
	KUNIT_EXPECT_EQ(test, runs(), 1);
	KUNIT_EXPECT_EQ(test, next(), 0);
	post_software(test, 4);
	KUNIT_EXPECT_EQ(test, runs(), 2);
	KUNIT_EXPECT_EQ(test, next(), 4);
}

static void queued_before_it_came(struct kunit *test)
{
	struct test_evd tevd = env_evd(worker.env, 8, FLAGS);

	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, 1), 0);
	KUNIT_EXPECT_EQ(test, runs(), 0);
	kdapl_evd_set_work(tevd.evd, system_wq, &worker.work);
	KUNIT_EXPECT_EQ(test, runs(), 1);
}

/* ---- completions --------------------------------------------------------- */

static void completion_waits_for_it(struct kunit *test)
{
	send(test, 1);
	complete_sends(test, 1);
	KUNIT_EXPECT_EQ(test, runs(), 1);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(the_evd()), 0);
	KUNIT_EXPECT_EQ(test, next(), 1);
	/* It has been told of the event already, by the device. */
	KUNIT_EXPECT_EQ(test, runs(), 1);
	KUNIT_EXPECT_FALSE(test, the_cq()->armed);
	KUNIT_EXPECT_EQ(test, next(), 0);
	KUNIT_EXPECT_TRUE(test, the_cq()->armed);
}

static void receive_waits_for_it(struct kunit *test)
{
	struct fake_qp *qp = env_qp(&worker.tep);
	struct kdapl_sqe *sqe;
	int ret;

	sqe = kdapl_post_begin(worker.tep.ep, true);
	*sqe = prog_sqe(worker.env, worker.tep.id, KDAPL_OP_RECV, 1);
	ret = kdapl_post_add(worker.tep.ep);
	kdapl_post_end(worker.tep.ep, true, !ret);
	KUNIT_EXPECT_EQ(test, ret, 0);
	connect_ep(test);
	KUNIT_EXPECT_EQ(test, fake_report(qp, &qp->rq, 1, IB_WC_SUCCESS), 1);
	KUNIT_EXPECT_EQ(test, runs(), 1);
	KUNIT_EXPECT_EQ(test, next(), 1);
	KUNIT_EXPECT_EQ(test, next(), 0);
}

/* While it takes events the device calls nobody; what completes is found all the same. */
static void busy_is_not_called(struct kunit *test)
{
	u64 i;

	send(test, DEPTH);
	for (i = 1; i <= DEPTH; i++) {
		complete_sends(test, 1);
		KUNIT_EXPECT_EQ(test, next(), i);
	}
	KUNIT_EXPECT_EQ(test, runs(), 1);
	KUNIT_EXPECT_EQ(test, next(), 0);
	post_sends(test, 100, 1);
	complete_sends(test, 1);
	KUNIT_EXPECT_EQ(test, runs(), 2);
	KUNIT_EXPECT_EQ(test, next(), 100);
}

static void many_at_once(struct kunit *test)
{
	u64 i;

	send(test, DEPTH);
	complete_sends(test, DEPTH);
	post_software(test, 99);
	/* It was in the EVD when the others still were with the device. */
	KUNIT_EXPECT_EQ(test, next(), 99);
	for (i = 1; i <= DEPTH; i++)
		KUNIT_EXPECT_EQ(test, next(), i);
	KUNIT_EXPECT_EQ(test, next(), 0);
}

/* Between the last look and the wish to be called. */
static void late_is_found(struct kunit *test)
{
	struct fake_qp *qp = env_qp(&worker.tep);

	send(test, 1);
	the_cq()->armed = false;
	KUNIT_EXPECT_EQ(test, fake_finish(qp, &qp->sq, 1, IB_WC_SUCCESS), 1);
	the_cq()->blind = 1;
	KUNIT_EXPECT_EQ(test, next(), 1);
	KUNIT_EXPECT_EQ(test, the_cq()->blind, 0);
	KUNIT_EXPECT_EQ(test, runs(), 0);
}

/* ---- whose queues -------------------------------------------------------- */

static bool is_shared(const struct kdapl_cq *cq)
{
	const struct kdapl_cq *shared;
	bool found = false;

	mutex_lock(&worker.env->ia->cq_lock);
	list_for_each_entry(shared, &worker.env->ia->cqs, list)
		found |= shared == cq;
	mutex_unlock(&worker.env->ia->cq_lock);
	return found;
}

static void queues_are_its_own(struct kunit *test)
{
	struct test_evd other = env_evd(worker.env, 8, FLAGS);
	struct test_ep both = ep_over(worker.tep.recv, worker.tep.request);
	struct test_ep recv = ep_over(worker.tep.recv, other);
	struct test_ep request = ep_over(other, worker.tep.request);

	KUNIT_EXPECT_FALSE(test, is_shared(worker.tep.ep->cq));
	KUNIT_EXPECT_FALSE(test, is_shared(both.ep->cq));
	KUNIT_EXPECT_PTR_EQ(test, both.ep->cq->evd, the_evd());
	KUNIT_EXPECT_TRUE(test, is_shared(recv.ep->cq));
	KUNIT_EXPECT_TRUE(test, is_shared(request.ep->cq));
	KUNIT_EXPECT_NULL(test, request.ep->cq->evd);
}

/* A softirq takes those, and they are events like others. */
static void completion_of_a_shared_queue(struct kunit *test)
{
	struct test_evd other = env_evd(worker.env, 8, FLAGS);
	struct fake_qp *qp;

	worker.tep = ep_over(other, worker.tep.request);
	send(test, 1);
	qp = env_qp(&worker.tep);
	KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->sq, 1, IB_WC_SUCCESS), 1);
	KUNIT_EXPECT_EQ(test, runs(), 1);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(the_evd()), 1);
	KUNIT_EXPECT_EQ(test, next(), 1);
	KUNIT_EXPECT_EQ(test, next(), 0);
}

static int modify(const struct test_evd *recv, const struct test_evd *request)
{
	const struct kdapl_ep_modify arg = {
		.pz = worker.env->pz,
		.recv_evd = recv->id,
		.request_evd = request->id,
		.connect_evd = worker.tep.conn.id,
		.max_recvs = DEPTH,
		.max_requests = DEPTH,
		.max_recv_iov = 1,
		.max_request_iov = 1,
		.max_rdma_read_in = 1,
		.max_rdma_read_out = 1,
	};

	return kdapl_ep_modify(worker.tep.ep, &arg);
}

static void queues_follow_the_evds(struct kunit *test)
{
	struct test_evd mine = worker.tep.request;
	struct test_evd other = env_evd(worker.env, 8, FLAGS);

	KUNIT_EXPECT_EQ(test, modify(&mine, &other), 0);
	KUNIT_EXPECT_TRUE(test, is_shared(worker.tep.ep->cq));
	KUNIT_EXPECT_TRUE(test, list_empty(&mine.evd->cqs));
	KUNIT_EXPECT_EQ(test, modify(&mine, &mine), 0);
	KUNIT_EXPECT_FALSE(test, is_shared(worker.tep.ep->cq));
	send(test, 1);
	complete_sends(test, 1);
	KUNIT_EXPECT_EQ(test, runs(), 1);
	KUNIT_EXPECT_EQ(test, next(), 1);
}

/* ---- the end ------------------------------------------------------------- */

/* All comes back, and the end behind it, though the work does nothing. */
static void end_needs_no_work(struct kunit *test)
{
	u64 i;

	send(test, DEPTH);
	complete_sends(test, 1);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(worker.tep.ep, 0), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_drain(worker.tep.ep), 0);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(the_evd()), DEPTH + 1);
	for (i = 1; i <= DEPTH; i++)
		KUNIT_EXPECT_EQ(test, next(), i);
}

/* Who waits for the end may be the work. */
static void graceful_end_needs_no_work(struct kunit *test)
{
	send(test, 2);
	complete_sends(test, 2);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(worker.tep.ep,
						  KDAPL_CLOSE_GRACEFUL), 0);
	KUNIT_EXPECT_EQ(test, kdapl_ep_drain(worker.tep.ep), 0);
	KUNIT_EXPECT_EQ(test, next(), 1);
	KUNIT_EXPECT_EQ(test, next(), 2);
}

/* A softirq takes what comes then. */
static void silent_is_not_called(struct kunit *test)
{
	struct fake_qp *qp;

	send(test, 1);
	qp = env_qp(&worker.tep);
	kdapl_evd_hook(the_evd(), NULL);
	kdapl_evd_silence(the_evd());
	KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->sq, 1, IB_WC_SUCCESS), 1);
	KUNIT_EXPECT_EQ(test, runs(), 0);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(the_evd()), 1);
}

static struct kunit_case evd_work_cases[] = {
	KUNIT_CASE(event_queues_it),
	KUNIT_CASE(queued_before_it_came),
	KUNIT_CASE(completion_waits_for_it),
	KUNIT_CASE(receive_waits_for_it),
	KUNIT_CASE(busy_is_not_called),
	KUNIT_CASE(many_at_once),
	KUNIT_CASE(late_is_found),
	KUNIT_CASE(queues_are_its_own),
	KUNIT_CASE(completion_of_a_shared_queue),
	KUNIT_CASE(queues_follow_the_evds),
	KUNIT_CASE(end_needs_no_work),
	KUNIT_CASE(graceful_end_needs_no_work),
	KUNIT_CASE(silent_is_not_called),
	{}
};

static struct kunit_suite evd_work_suite = {
	.name = "kdapl-evd-work",
	.init = evd_work_init,
	.exit = evd_work_exit,
	.test_cases = evd_work_cases,
};

kunit_test_suite(evd_work_suite);

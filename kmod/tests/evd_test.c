// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The event ring, its backlog, and waiting for it. */

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "env.h"

#define QLEN	8

/* A record that remembers when it was released. */
struct test_rec {
	struct kdapl_evrec rec;
	unsigned int order;	/* 0: not yet */
};

static atomic_t release_count;

static void rec_release(struct kdapl_evrec *rec)
{
	struct test_rec *trec = container_of(rec, struct test_rec, rec);

	trec->order = atomic_inc_return(&release_count);
}

static void recs_init(struct test_rec *recs, unsigned int n)
{
	while (n--) {
		memset(&recs[n], 0, sizeof(recs[n]));
		INIT_LIST_HEAD(&recs[n].rec.list);
		recs[n].rec.release = rec_release;
	}
	atomic_set(&release_count, 0);
}

static struct test_evd evd_make(struct kunit *test)
{
	return env_evd(test->priv, QLEN, DAT_EVD_SOFTWARE_FLAG);
}

static void evd_program_pays(struct kunit *test)
{
	evd_make(test);
	KUNIT_EXPECT_GT(test, fake_cm.charged, 0);
	KUNIT_EXPECT_EQ(test, fake_cm.free, 0);
}

static void post_type(struct test_evd *tevd, struct kdapl_evrec *rec, u32 type,
		      u64 cookie)
{
	struct kdapl_event event = {
		.user = ~cookie,
		.cookie = cookie,
		.length = cookie + 1,
		.type = type,
		.status = (u32)cookie,
	};

	kdapl_evd_post(tevd->evd, &event, rec);
}

static void post(struct test_evd *tevd, struct test_rec *rec, u64 cookie)
{
	post_type(tevd, rec ? &rec->rec : NULL, DAT_DTO_COMPLETION_EVENT,
		  cookie);
}

/* Every word of the event arrived. */
static void expect_event(struct kunit *test, struct test_evd *tevd, u64 cookie)
{
	struct kdapl_event event = prog_next(tevd);

	KUNIT_EXPECT_EQ(test, event.type, DAT_DTO_COMPLETION_EVENT);
	KUNIT_EXPECT_EQ(test, event.cookie, cookie);
	KUNIT_EXPECT_EQ(test, event.user, ~cookie);
	KUNIT_EXPECT_EQ(test, event.length, cookie + 1);
	KUNIT_EXPECT_EQ(test, event.status, (u32)cookie);
}

static u32 flags_of(const struct test_evd *tevd)
{
	return READ_ONCE(tevd->evd->ring->flags);
}

static void set_head(struct test_evd *tevd, u32 value)
{
	struct kdapl_ev_head *head = tevd->evd->head.addr;

	/* (G) of the uapi header, with a value of anybody's choice. */
	smp_store_release(&head->head, value);
}

static void evd_create_checks(struct kunit *test)
{
	static const struct {
		u32 flags, qlen;
		int ret;
		u32 got;
	} cases[] = {
		{ 0, 8, -EINVAL },
		{ DAT_EVD_ALL_FLAGS << 1, 8, -EINVAL },
		{ BIT(31) | DAT_EVD_DTO_FLAG, 8, -EINVAL },
		{ DAT_EVD_DTO_FLAG, 0, -EINVAL },
		{ DAT_EVD_DTO_FLAG, KDAPL_EVD_QLEN_MAX + 1, -ENOSPC },
		{ DAT_EVD_DTO_FLAG, U32_MAX, -ENOSPC },
		{ DAT_EVD_DTO_FLAG, 1, 0, 1 },
		{ DAT_EVD_ALL_FLAGS, 5, 0, 8 },
		{ DAT_EVD_DTO_FLAG, KDAPL_EVD_QLEN_MAX, 0, KDAPL_EVD_QLEN_MAX },
	};
	struct env *env = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kdapl_evd_create arg = {
			.flags = cases[i].flags,
			.qlen = cases[i].qlen,
		};

		KUNIT_EXPECT_EQ_MSG(test, kdapl_evd_create(env->ia, &arg),
				    cases[i].ret, "case %u", i);
		if (cases[i].ret)
			continue;
		KUNIT_EXPECT_EQ(test, arg.qlen, cases[i].got);
		KUNIT_EXPECT_GE(test, (u64)arg.ring.size - arg.ring.start,
				KDAPL_EV_ENTRIES_OFFSET +
				(u64)arg.qlen * sizeof(struct kdapl_event));
		KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, arg.id,
							KDAPL_OBJ_EVD), 0);
	}
}

static void evd_smallest_ring(struct kunit *test)
{
	struct test_evd tevd = env_evd(test->priv, 1, DAT_EVD_DTO_FLAG);
	struct test_rec recs[3];
	unsigned int i;

	recs_init(recs, 3);
	for (i = 0; i < 3; i++)
		post(&tevd, &recs[i], i);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(tevd.evd), 3);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, prog_events(&tevd), 1);
		expect_event(test, &tevd, i);
		KUNIT_EXPECT_EQ(test, kdapl_evd_fill(tevd.evd), 2 - i);
	}
}

/* Start both indices short of 2^32 and go round the ring past it. */
static void evd_wraps(struct kunit *test)
{
	static const u32 starts[] = { 0, 3, U32_MAX - 20, U32_MAX };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		struct test_evd tevd = evd_make(test);

		tevd.evd->tail = starts[i];
		tevd.evd->ring->tail = starts[i];
		tevd.head = starts[i];
		set_head(&tevd, starts[i]);
		for (n = 0; n < 5 * QLEN; n++) {
			post(&tevd, NULL, 2 * n);
			post(&tevd, NULL, 2 * n + 1);
			KUNIT_EXPECT_EQ(test, kdapl_evd_count(tevd.evd), 2);
			expect_event(test, &tevd, 2 * n);
			expect_event(test, &tevd, 2 * n + 1);
		}
		EXPECT_NO_EVENT(test, &tevd);
		KUNIT_EXPECT_EQ(test, tevd.head, starts[i] + 10 * QLEN);
	}
}

/* A full ring is never written over: the rest waits, in order. */
static void evd_backlog_keeps_order(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct test_rec recs[3 * QLEN];
	unsigned int i, n;

	recs_init(recs, ARRAY_SIZE(recs));
	for (i = 0; i < QLEN; i++)
		post(&tevd, &recs[i], i);
	KUNIT_EXPECT_EQ(test, flags_of(&tevd), 0);
	for (; i < 3 * QLEN; i++)
		post(&tevd, &recs[i], i);
	KUNIT_EXPECT_EQ(test, flags_of(&tevd), KDAPL_EV_BACKLOG);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(tevd.evd), 3 * QLEN);
	KUNIT_EXPECT_EQ(test, prog_events(&tevd), QLEN);
	KUNIT_EXPECT_EQ(test, atomic_read(&release_count), QLEN);

	/* There is room, but what waits must not be overtaken. */
	for (n = 0; n < 3; n++)
		expect_event(test, &tevd, n);
	EXPECT_SOON(test, prog_events(&tevd) == QLEN - 3);
	KUNIT_EXPECT_EQ(test, kdapl_evd_fill(tevd.evd), 3 * QLEN - 3);
	KUNIT_EXPECT_EQ(test, prog_events(&tevd), QLEN);
	KUNIT_EXPECT_EQ(test, flags_of(&tevd), KDAPL_EV_BACKLOG);

	for (; n < 3 * QLEN; n++) {
		if (!prog_events(&tevd))
			kdapl_evd_fill(tevd.evd);
		expect_event(test, &tevd, n);
	}
	KUNIT_EXPECT_EQ(test, kdapl_evd_fill(tevd.evd), 0);
	KUNIT_EXPECT_EQ(test, flags_of(&tevd), 0);
	for (i = 0; i < 3 * QLEN; i++)
		KUNIT_EXPECT_EQ(test, recs[i].order, i + 1);
}

static void evd_no_overtaking(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct test_rec recs[QLEN + 2];
	unsigned int i;

	recs_init(recs, ARRAY_SIZE(recs));
	for (i = 0; i <= QLEN; i++)
		post(&tevd, &recs[i], i);
	expect_event(test, &tevd, 0);
	/* One place is free and one event waits for it: this comes after it. */
	post(&tevd, &recs[i], i);
	for (i = 1; i < QLEN; i++)
		expect_event(test, &tevd, i);
	kdapl_evd_fill(tevd.evd);
	expect_event(test, &tevd, QLEN);
	expect_event(test, &tevd, QLEN + 1);
	EXPECT_NO_EVENT(test, &tevd);
}

/* Without a type nothing is queued, but the record comes back in order. */
static void evd_typeless(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct test_rec recs[QLEN + 4];
	unsigned int i;

	recs_init(recs, ARRAY_SIZE(recs));
	post_type(&tevd, &recs[0].rec, 0, 0);
	KUNIT_EXPECT_EQ(test, recs[0].order, 1);
	EXPECT_NO_EVENT(test, &tevd);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(tevd.evd), 0);

	for (i = 1; i <= QLEN; i++)
		post(&tevd, &recs[i], i);
	/* Even when the ring is full, as long as nothing waits. */
	post_type(&tevd, &recs[i].rec, 0, 0);
	KUNIT_EXPECT_EQ(test, recs[i].order, i + 1);
	KUNIT_EXPECT_EQ(test, flags_of(&tevd), 0);

	/* Behind one that waits it waits too, and is no event to be counted. */
	post(&tevd, &recs[QLEN + 2], QLEN + 2);
	post_type(&tevd, &recs[QLEN + 3].rec, 0, 0);
	KUNIT_EXPECT_EQ(test, recs[QLEN + 3].order, 0);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(tevd.evd), QLEN + 1);
	expect_event(test, &tevd, 1);
	KUNIT_EXPECT_EQ(test, kdapl_evd_fill(tevd.evd), QLEN);
	KUNIT_EXPECT_EQ(test, recs[QLEN + 2].order, QLEN + 3);
	KUNIT_EXPECT_EQ(test, recs[QLEN + 3].order, QLEN + 4);
	KUNIT_EXPECT_EQ(test, flags_of(&tevd), 0);
}

/*
 * What a program does when it sees an event must find the record's owner ready
 * for it: the record comes back before the event can be seen.
 */
struct early_rec {
	struct kdapl_evrec rec;
	struct test_evd *tevd;
	u32 seen;	/* events in the ring at the release */
};

static void early_release(struct kdapl_evrec *rec)
{
	struct early_rec *early = container_of(rec, struct early_rec, rec);

	early->seen = prog_events(early->tevd);
}

static void evd_released_before_seen(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct early_rec recs[QLEN + 1] = {};
	unsigned int i;

	for (i = 0; i <= QLEN; i++) {
		recs[i].tevd = &tevd;
		recs[i].rec.release = early_release;
		INIT_LIST_HEAD(&recs[i].rec.list);
		post_type(&tevd, &recs[i].rec, DAT_DTO_COMPLETION_EVENT, i);
	}
	for (i = 0; i < QLEN; i++)
		KUNIT_EXPECT_EQ(test, recs[i].seen, i);
	/* The last one waited for this room. */
	expect_event(test, &tevd, 0);
	kdapl_evd_fill(tevd.evd);
	KUNIT_EXPECT_EQ(test, recs[QLEN].seen, QLEN - 1);
	KUNIT_EXPECT_EQ(test, prog_events(&tevd), QLEN);
}

/* A head that cannot be counts as a full ring, and harms nothing else. */
static void evd_hostile_heads(struct kunit *test)
{
	static const u32 heads[] = { 1, QLEN, 1000, INT_MAX, BIT(31), U32_MAX,
				     -QLEN, -QLEN - 1 };
	struct test_rec recs[ARRAY_SIZE(heads)];
	struct test_evd other = evd_make(test), tevd = evd_make(test);
	unsigned int i;

	recs_init(recs, ARRAY_SIZE(recs));
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		set_head(&tevd, heads[i]);
		post(&tevd, &recs[i], i);
		KUNIT_EXPECT_LE(test, kdapl_evd_count(tevd.evd), QLEN + i + 1);
		KUNIT_EXPECT_LE(test, kdapl_evd_fill(tevd.evd), QLEN + i + 1);
	}
	/* Not one entry was written outside of what the honest tail allows. */
	KUNIT_EXPECT_LE(test, tevd.evd->tail, ARRAY_SIZE(heads));
	EXPECT_NO_EVENT(test, &other);

	/* Back to an honest head, everything is there. */
	set_head(&tevd, 0);
	kdapl_evd_fill(tevd.evd);
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		expect_event(test, &tevd, i);
		KUNIT_EXPECT_EQ(test, recs[i].order, i + 1);
	}
}

static void evd_cancelled(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct test_rec recs[QLEN + 3];
	unsigned int i;

	recs_init(recs, ARRAY_SIZE(recs));
	for (i = 0; i < QLEN + 3; i++)
		post(&tevd, &recs[i], i);
	kdapl_evd_cancel(tevd.evd, &recs[QLEN + 1].rec);
	KUNIT_EXPECT_TRUE(test, list_empty(&recs[QLEN + 1].rec.list));
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(tevd.evd), QLEN + 2);
	/* Again, and of one whose event is in the ring: nothing happens. */
	kdapl_evd_cancel(tevd.evd, &recs[QLEN + 1].rec);
	kdapl_evd_cancel(tevd.evd, &recs[0].rec);
	kdapl_evd_cancel(NULL, &recs[0].rec);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(tevd.evd), QLEN + 2);

	for (i = 0; i < QLEN; i++)
		expect_event(test, &tevd, i);
	KUNIT_EXPECT_EQ(test, kdapl_evd_fill(tevd.evd), 2);
	expect_event(test, &tevd, QLEN);
	expect_event(test, &tevd, QLEN + 2);
	EXPECT_NO_EVENT(test, &tevd);
	KUNIT_EXPECT_EQ(test, recs[QLEN + 1].order, 0);
}

/* Nobody is interested: the record comes back at once. */
static void evd_none(struct kunit *test)
{
	struct kdapl_event event = { .type = DAT_DTO_COMPLETION_EVENT };
	struct test_rec rec;

	recs_init(&rec, 1);
	kdapl_evd_post(NULL, &event, &rec.rec);
	KUNIT_EXPECT_EQ(test, rec.order, 1);
}

static void evd_heap_record(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	unsigned int i;

	/* kmemleak and KASAN tell when these are not freed, or twice. */
	for (i = 0; i < QLEN + 2; i++) {
		struct kdapl_evrec *rec = kdapl_evrec_alloc(tevd.evd->obj.ia);

		KUNIT_ASSERT_NOT_NULL(test, rec);
		post_type(&tevd, rec, DAT_DTO_COMPLETION_EVENT, i);
	}
	for (i = 0; i < QLEN; i++)
		expect_event(test, &tevd, i);
	kdapl_evd_fill(tevd.evd);
	expect_event(test, &tevd, QLEN);
	expect_event(test, &tevd, QLEN + 1);
}

/* ---- waiting ----------------------------------------------------------- */

struct waiter {
	struct test_evd *tevd;
	u32 threshold;
	u64 deadline_ns;
	struct task_struct *task;
	u32 began;
	unsigned long sleeps;	/* times that the task gave up the processor */
	int ret;
	struct completion done;
};

static int wait_thread(void *arg)
{
	struct waiter *waiter = arg;
	unsigned long before = current->nvcsw;

	waiter->ret = kdapl_evd_wait(waiter->tevd->evd, waiter->threshold,
				     waiter->deadline_ns, &waiter->began);
	waiter->sleeps = current->nvcsw - before;
	complete(&waiter->done);
	return 0;
}

static bool is_asleep(struct waiter *waiter)
{
	/* The state is what counts; it is set after the task is queued. */
	return waitqueue_active(&waiter->tevd->evd->wait) &&
	       READ_ONCE(waiter->task->__state) == TASK_INTERRUPTIBLE &&
	       !READ_ONCE(waiter->task->on_rq);
}

static void waiter_start(struct kunit *test, struct waiter *waiter,
			 struct test_evd *tevd, u32 threshold, u64 deadline_ns)
{
	*waiter = (struct waiter) {
		.tevd = tevd,
		.threshold = threshold,
		.deadline_ns = deadline_ns,
	};
	init_completion(&waiter->done);
	waiter->task = kthread_create(wait_thread, waiter, "waiter");
	KUNIT_ASSERT_FALSE(test, IS_ERR(waiter->task));
	get_task_struct(waiter->task);
	wake_up_process(waiter->task);
}

static void expect_waited(struct kunit *test, struct waiter *waiter, int ret)
{
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&waiter->done, 20 * HZ), 0);
	kthread_stop_put(waiter->task);
	KUNIT_EXPECT_EQ(test, waiter->ret, ret);
}

static int wait_now(struct test_evd *tevd, u32 threshold)
{
	return env_wait(tevd->evd, threshold, 0);
}

static void evd_wait_checks(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);

	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, QLEN + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, U32_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), -ETIMEDOUT);
	post(&tevd, NULL, 1);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), 0);
	/* It takes none. */
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), 0);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 2), -ETIMEDOUT);
	expect_event(test, &tevd, 1);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), -ETIMEDOUT);
}

/* What waits for room counts, and the wait makes room for it. */
static void evd_wait_fills(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct test_rec recs[QLEN + 2];
	unsigned int i;

	recs_init(recs, ARRAY_SIZE(recs));
	for (i = 0; i < QLEN + 2; i++)
		post(&tevd, &recs[i], i);
	for (i = 0; i < QLEN; i++)
		expect_event(test, &tevd, i);
	EXPECT_NO_EVENT(test, &tevd);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 3), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, prog_events(&tevd), 2);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 2), 0);
}

/* Events below the threshold wake nobody; the one that reaches it wakes once. */
static void evd_one_wakeup(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct waiter waiter;
	unsigned int i;

	waiter_start(test, &waiter, &tevd, QLEN, KDAPL_DEADLINE_NONE);
	EXPECT_SOON(test, is_asleep(&waiter));
	for (i = 0; i < QLEN - 1; i++) {
		post(&tevd, NULL, i);
		KUNIT_EXPECT_TRUE(test, is_asleep(&waiter));
	}
	usleep_range(2000, 3000);
	KUNIT_EXPECT_TRUE(test, is_asleep(&waiter));
	post(&tevd, NULL, i);
	expect_waited(test, &waiter, 0);
	KUNIT_EXPECT_EQ(test, waiter.sleeps, 1);
	KUNIT_EXPECT_EQ(test, prog_events(&tevd), QLEN);
}

static void evd_deadline(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	u64 start = ktime_get_ns(), deadline = start + 20 * NSEC_PER_MSEC;
	struct waiter waiter;

	waiter_start(test, &waiter, &tevd, 2, deadline);
	post(&tevd, NULL, 1);
	expect_waited(test, &waiter, -ETIMEDOUT);
	KUNIT_EXPECT_GE(test, ktime_get_ns(), deadline);

	/* Any deadline that the word can hold: long past, or never reached. */
	KUNIT_EXPECT_EQ(test, env_wait(tevd.evd, 2, 1), -ETIMEDOUT);
	waiter_start(test, &waiter, &tevd, 2, KDAPL_DEADLINE_NONE - 1);
	EXPECT_SOON(test, is_asleep(&waiter));
	usleep_range(2000, 3000);
	KUNIT_EXPECT_TRUE(test, is_asleep(&waiter));
	post(&tevd, NULL, 2);
	expect_waited(test, &waiter, 0);
}

static void evd_one_waiter(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct waiter waiter;

	waiter_start(test, &waiter, &tevd, 1, KDAPL_DEADLINE_NONE);
	EXPECT_SOON(test, is_asleep(&waiter));
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), -EBUSY);
	post(&tevd, NULL, 1);
	expect_waited(test, &waiter, 0);
	/* The place is free again. */
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), 0);
}

static void evd_destroy_releases(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_evd tevd = evd_make(test);
	struct waiter waiter;

	post(&tevd, NULL, 1);
	waiter_start(test, &waiter, &tevd, 2, KDAPL_DEADLINE_NONE);
	EXPECT_SOON(test, is_asleep(&waiter));
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tevd.id,
						KDAPL_OBJ_EVD), 0);
	expect_waited(test, &waiter, -ECANCELED);
}

static void evd_kill_releases(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct waiter waiter;

	post(&tevd, NULL, 1);
	waiter_start(test, &waiter, &tevd, 3, KDAPL_DEADLINE_NONE);
	EXPECT_SOON(test, is_asleep(&waiter));
	kdapl_evd_kill(tevd.evd);
	expect_waited(test, &waiter, -ECANCELED);
	KUNIT_EXPECT_TRUE(test, flags_of(&tevd) & KDAPL_EV_DEAD);
	/* What is queued stays, and can be waited for. */
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), 0);
}

/* Where other IAs may still tell of their end a wait goes on until they have. */
static void evd_kill_of_a_lender(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct waiter waiter;

	kdapl_evd_lend(tevd.evd);
	kdapl_evd_lend(tevd.evd);
	waiter_start(test, &waiter, &tevd, 1, KDAPL_DEADLINE_NONE);
	EXPECT_SOON(test, is_asleep(&waiter));
	kdapl_evd_kill(tevd.evd);
	kdapl_evd_unlend(tevd.evd);
	KUNIT_EXPECT_FALSE(test, flags_of(&tevd) & KDAPL_EV_DEAD);
	post(&tevd, NULL, 1);
	expect_waited(test, &waiter, 0);
	KUNIT_EXPECT_EQ(test, prog_next(&tevd).cookie, 1);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), -ETIMEDOUT);
	kdapl_evd_unlend(tevd.evd);
	KUNIT_EXPECT_TRUE(test, flags_of(&tevd) & KDAPL_EV_DEAD);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), -ECANCELED);
}

static void evd_unwaitable(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct waiter waiter;

	waiter_start(test, &waiter, &tevd, 2, KDAPL_DEADLINE_NONE);
	EXPECT_SOON(test, is_asleep(&waiter));
	kdapl_evd_set_waitable(tevd.evd, false);
	expect_waited(test, &waiter, -EBADFD);
	kdapl_evd_set_waitable(tevd.evd, true);
	waiter_start(test, &waiter, &tevd, 1, KDAPL_DEADLINE_NONE);
	EXPECT_SOON(test, is_asleep(&waiter));
	/* It goes, though it may not look before others may wait again. */
	local_bh_disable();
	kdapl_evd_set_waitable(tevd.evd, false);
	kdapl_evd_set_waitable(tevd.evd, true);
	local_bh_enable();
	expect_waited(test, &waiter, -EBADFD);
	kdapl_evd_set_waitable(tevd.evd, false);
	post(&tevd, NULL, 1);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), -EBADFD);
	kdapl_evd_set_waitable(tevd.evd, true);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), 0);
	expect_event(test, &tevd, 1);
}

static void evd_signal(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct waiter waiter;

	waiter_start(test, &waiter, &tevd, 1, KDAPL_DEADLINE_NONE);
	EXPECT_SOON(test, is_asleep(&waiter));
	set_tsk_thread_flag(waiter.task, TIF_SIGPENDING);
	wake_up_process(waiter.task);
	expect_waited(test, &waiter, -EINTR);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), -ETIMEDOUT);
	/* It goes on as the wait that it was, and is sent away as that. */
	KUNIT_EXPECT_EQ(test, kdapl_evd_wait(tevd.evd, 1, 0, &waiter.began),
			-ETIMEDOUT);
	kdapl_evd_set_waitable(tevd.evd, false);
	kdapl_evd_set_waitable(tevd.evd, true);
	KUNIT_EXPECT_EQ(test, kdapl_evd_wait(tevd.evd, 1, 0, &waiter.began),
			-EBADFD);
	KUNIT_EXPECT_EQ(test, wait_now(&tevd, 1), -ETIMEDOUT);
}

/* A producer in softirq and a consumer that sleeps: none is lost. */
#define STREAM	4000

static int stream_thread(void *arg)
{
	struct test_evd *tevd = arg;
	u64 i;

	for (i = 0; i < STREAM; i++) {
		/* Never more than the ring holds: there are no records. */
		while (kdapl_evd_count(tevd->evd) == QLEN)
			cond_resched();
		local_bh_disable();
		post(tevd, NULL, i);
		local_bh_enable();
	}
	return 0;
}

static void evd_stream(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct task_struct *producer;
	u64 i, late = 0;

	producer = kthread_create(stream_thread, &tevd, "producer");
	KUNIT_ASSERT_FALSE(test, IS_ERR(producer));
	get_task_struct(producer);
	wake_up_process(producer);
	for (i = 0; i < STREAM; i++) {
		u64 deadline = ktime_get_ns() + 20 * NSEC_PER_SEC;
		u32 left = STREAM - i;

		if (!prog_events(&tevd) &&
		    env_wait(tevd.evd, min(left, 1 + (u32)i % QLEN), deadline)) {
			late++;
			break;
		}
		expect_event(test, &tevd, i);
	}
	KUNIT_EXPECT_EQ(test, late, 0);
	/* Were it still at work, it would wait for room for ever. */
	set_head(&tevd, tevd.evd->tail);
	kthread_stop_put(producer);
}

/* Who polls has found it just before it was freed, and its ring with it. */
static void evd_polled_when_freed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_evd tevd = env_evd(env, 8, DAT_EVD_DTO_FLAG);
	struct kdapl_obj *obj = &tevd.evd->obj;

	obj->ops->destroy(obj);
	KUNIT_EXPECT_NE(test, kdapl_cq_busy_poll(env->ia, tevd.id), 0);
	KUNIT_ASSERT_EQ(test, kdapl_obj_retire(obj), 0);
	kdapl_obj_put(obj);
	KUNIT_EXPECT_EQ(test, kdapl_cq_busy_poll(env->ia, tevd.id), -ENOENT);
}

/* Queues that a poll leaves out, were its own one not the first. */
#define OTHER_CQS	10
#define CQ_FULL		4096

/* The device tells nobody of the completion, so it is found by polling or not at all. */
static void evd_polls_what_feeds_it(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, 8);
	struct kdapl_cq *others[OTHER_CQS];
	int i, ret, tries = 0;

	env_connect(env, &tep);
	for (i = 0; i < OTHER_CQS; i++) {
		others[i] = kdapl_cq_reserve(env->ia, NULL, CQ_FULL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(others[i]));
		KUNIT_ASSERT_PTR_NE(test, others[i], tep.ep->cq);
	}
	/* Somebody may want the processor just then; the softirq takes it then. */
	do {
		prog_post_op(env, &tep, KDAPL_OP_SEND, 1);
		KUNIT_EXPECT_EQ(test, fake_finish(env_qp(&tep), &env_qp(&tep)->sq,
						  1, IB_WC_SUCCESS), 1);
		ret = kdapl_cq_busy_poll(env->ia, tep.request.id);
		EXPECT_SOON(test, prog_events(&tep.request) == 1);
		EXPECT_DTO(test, &tep.request, 1, DAT_DTO_SUCCESS);
	} while (ret == -EAGAIN && ++tries < 50);
	KUNIT_EXPECT_EQ(test, ret, 0);
	while (i--)
		kdapl_cq_unreserve(others[i], CQ_FULL);
}

static struct kunit_case evd_cases[] = {
	KUNIT_CASE(evd_create_checks),
	KUNIT_CASE(evd_program_pays),
	KUNIT_CASE(evd_smallest_ring),
	KUNIT_CASE(evd_wraps),
	KUNIT_CASE(evd_backlog_keeps_order),
	KUNIT_CASE(evd_no_overtaking),
	KUNIT_CASE(evd_typeless),
	KUNIT_CASE(evd_released_before_seen),
	KUNIT_CASE(evd_hostile_heads),
	KUNIT_CASE(evd_cancelled),
	KUNIT_CASE(evd_none),
	KUNIT_CASE(evd_heap_record),
	KUNIT_CASE(evd_wait_checks),
	KUNIT_CASE(evd_wait_fills),
	KUNIT_CASE(evd_one_wakeup),
	KUNIT_CASE(evd_deadline),
	KUNIT_CASE(evd_one_waiter),
	KUNIT_CASE(evd_destroy_releases),
	KUNIT_CASE(evd_kill_releases),
	KUNIT_CASE(evd_kill_of_a_lender),
	KUNIT_CASE(evd_unwaitable),
	KUNIT_CASE(evd_signal),
	KUNIT_CASE_SLOW(evd_stream),
	KUNIT_CASE(evd_polled_when_freed),
	KUNIT_CASE(evd_polls_what_feeds_it),
	{}
};

static struct kunit_suite evd_suite = {
	.name = "kdapl-evd",
	.init = env_init,
	.exit = env_exit,
	.test_cases = evd_cases,
};

kunit_test_suite(evd_suite);

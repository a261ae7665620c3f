// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A long backlog: it is handled in parts, and others come in between.
 */

#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "env.h"

#define QLEN	8
#define LONG	3000	/* records: many times what is handled at a time */
#define EACH	5	/* every so many of them has an event ... */
#define TAKEN	3	/* ... and every so many is taken back */

struct test_rec {
	struct kdapl_evrec rec;
	atomic_t ends;		/* it was released or taken back so often */
};

/**
 * struct long_backlog - an EVD with more than its ring holds
 * @tevd: the EVD
 * @recs: LONG records
 * @events: that came out of the ring
 */
struct long_backlog {
	struct test_evd tevd;
	struct test_rec *recs;
	unsigned int events;
};

static void rec_release(struct kdapl_evrec *rec)
{
	atomic_inc(&container_of(rec, struct test_rec, rec)->ends);
}

static bool every_fifth(unsigned int i)
{
	return i % EACH == 0;
}

/* The last of these finds no room, and all others are behind it. */
static bool one_too_many(unsigned int i)
{
	return i <= QLEN;
}

static void fill_with(struct kunit *test, struct long_backlog *l,
		      bool (*has_event)(unsigned int i))
{
	struct kdapl_event event = {};
	unsigned int i;

	l->tevd = env_evd(test->priv, QLEN, DAT_EVD_SOFTWARE_FLAG);
	l->recs = kunit_kcalloc(test, LONG, sizeof(*l->recs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, l->recs);
	for (i = 0; i < LONG; i++) {
		INIT_LIST_HEAD(&l->recs[i].rec.list);
		l->recs[i].rec.release = rec_release;
		event.type = has_event(i) ? DAT_DTO_COMPLETION_EVENT : 0;
		event.cookie = i;
		kdapl_evd_post(l->tevd.evd, &event, &l->recs[i].rec);
	}
}

static void fill(struct kunit *test, struct long_backlog *l)
{
	fill_with(test, l, every_fifth);
}

/* Whoever is asked to take back any of them takes every third. */
static bool is_taken(struct kdapl_evrec *rec, void *arg)
{
	struct long_backlog *l = arg;
	struct test_rec *trec = container_of(rec, struct test_rec, rec);

	return rec->release && (trec - l->recs) % TAKEN == 0;
}

static unsigned int take_back(struct long_backlog *l)
{
	struct kdapl_evrec *rec, *next;
	unsigned int n = 0;
	LIST_HEAD(list);

	kdapl_evd_cancel_all(l->tevd.evd, is_taken, l, &list);
	list_for_each_entry_safe(rec, next, &list, list) {
		list_del_init(&rec->list);
		rec_release(rec);
		n++;
	}
	return n;
}

static void read_all(struct kunit *test, struct long_backlog *l)
{
	u64 last = 0;

	do {
		while (prog_events(&l->tevd)) {
			struct kdapl_event event = prog_next(&l->tevd);

			KUNIT_EXPECT_TRUE(test, !l->events || event.cookie > last);
			last = event.cookie;
			l->events++;
		}
	} while (kdapl_evd_fill(l->tevd.evd));
}

static void expect_one_end_each(struct kunit *test, struct long_backlog *l)
{
	unsigned int i;

	for (i = 0; i < LONG; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&l->recs[i].ends), 1);
	KUNIT_EXPECT_TRUE(test, list_empty(&l->tevd.evd->backlog));
	KUNIT_EXPECT_EQ(test, l->tevd.evd->backlog_len, 0);
	KUNIT_EXPECT_EQ(test, l->tevd.evd->backlog_loud, 0);
}

static void backlog_is_read(struct kunit *test)
{
	struct long_backlog l = {};

	fill(test, &l);
	read_all(test, &l);
	KUNIT_EXPECT_EQ(test, l.events, LONG / EACH);
	expect_one_end_each(test, &l);
}

/* What is taken back has no event, all else has, in order. */
static void backlog_is_taken_back(struct kunit *test)
{
	struct long_backlog l = {};
	unsigned int i, n = 0;

	fill(test, &l);
	for (i = 0; i < LONG; i++)
		n += i % TAKEN == 0 && !atomic_read(&l.recs[i].ends);
	KUNIT_EXPECT_EQ(test, take_back(&l), n);
	KUNIT_EXPECT_EQ(test, take_back(&l), 0);
	read_all(test, &l);
	expect_one_end_each(test, &l);
}

static void backlog_ends_with_its_evd(struct kunit *test)
{
	struct env *env = test->priv;
	struct long_backlog l = {};

	fill(test, &l);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, l.tevd.id, KDAPL_OBJ_EVD), 0);
	expect_one_end_each(test, &l);
}

/* The latest event is a notification, behind however many records without one. */
static void backlog_knows_its_last_event(struct kunit *test)
{
	struct long_backlog l = {};
	const unsigned int last = LONG - EACH;
	struct kdapl_evd *evd;

	fill(test, &l);
	evd = l.tevd.evd;
	kdapl_evd_notify(evd);
	KUNIT_EXPECT_TRUE(test, l.recs[last].rec.told);
	KUNIT_EXPECT_FALSE(test, l.recs[last - EACH].rec.told);

	/* Without it, it is the one before, which is told of in its place. */
	kdapl_evd_cancel(evd, &l.recs[last].rec);
	KUNIT_EXPECT_TRUE(test, l.recs[last - EACH].rec.told);
	rec_release(&l.recs[last].rec);

	read_all(test, &l);
	KUNIT_EXPECT_EQ(test, l.events, LONG / EACH - 1);
	expect_one_end_each(test, &l);
	KUNIT_EXPECT_NULL(test, evd->backlog_last);
}

static int reader(void *arg)
{
	struct long_backlog *l = arg;

	while (!kthread_should_stop()) {
		while (prog_events(&l->tevd)) {
			prog_next(&l->tevd);
			l->events++;
		}
		kdapl_evd_fill(l->tevd.evd);
		cond_resched();
	}
	return 0;
}

/* One takes back while another reads: each record ends once. */
static void backlog_from_both_ends(struct kunit *test)
{
	struct task_struct *task;
	unsigned int round;

	for (round = 0; round < 20; round++) {
		struct long_backlog l = {};

		fill(test, &l);
		task = kthread_run(reader, &l, "reader");
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		take_back(&l);
		EXPECT_SOON(test, !kdapl_evd_count(l.tevd.evd));
		kthread_stop(task);
		kdapl_evd_fill(l.tevd.evd);
		expect_one_end_each(test, &l);
	}
}

/**
 * struct softirq_take - what a consumer in the kernel does in its upcall
 * @tasklet: takes
 * @evd: from here
 * @event: the first one
 * @there: with how many it was there
 */
struct softirq_take {
	struct tasklet_struct tasklet;
	struct kdapl_evd *evd;
	struct kdapl_event event;
	u32 there;
};

static void take_in_softirq(struct tasklet_struct *tasklet)
{
	struct softirq_take *take = from_tasklet(take, tasklet, tasklet);

	WRITE_ONCE(take->there, kdapl_evd_take(take->evd, &take->event));
}

static void take_by_tasklet(struct kunit *test, struct softirq_take *take)
{
	tasklet_setup(&take->tasklet, take_in_softirq);
	tasklet_schedule(&take->tasklet);
	EXPECT_SOON(test, READ_ONCE(take->there));
	tasklet_kill(&take->tasklet);
}

static void take_in_process(struct kunit *test, struct softirq_take *take)
{
	local_bh_disable();
	take->there = kdapl_evd_take(take->evd, &take->event);
	local_bh_enable();
}

/* With one event that is taken the rest moves up, many times what is handled at a time. */
static void expect_all_move_up(struct kunit *test,
			       void (*take_one)(struct kunit *test,
						struct softirq_take *take))
{
	struct long_backlog l = {};
	struct softirq_take take = {};
	unsigned int released = 0, i;

	fill_with(test, &l, one_too_many);
	for (i = 0; i < LONG; i++)
		released += atomic_read(&l.recs[i].ends);
	KUNIT_ASSERT_EQ(test, released, QLEN);

	take.evd = l.tevd.evd;
	take_one(test, &take);
	KUNIT_EXPECT_EQ(test, take.there, QLEN + 1);
	KUNIT_EXPECT_EQ(test, take.event.cookie, 0);
	expect_one_end_each(test, &l);
	KUNIT_EXPECT_FALSE(test, in_softirq());
}

static void backlog_moves_up_in_softirq(struct kunit *test)
{
	expect_all_move_up(test, take_by_tasklet);
}

static void backlog_moves_up_in_process(struct kunit *test)
{
	expect_all_move_up(test, take_in_process);
}

static struct kunit_case evd_backlog_cases[] = {
	KUNIT_CASE(backlog_is_read),
	KUNIT_CASE(backlog_is_taken_back),
	KUNIT_CASE(backlog_ends_with_its_evd),
	KUNIT_CASE(backlog_knows_its_last_event),
	KUNIT_CASE(backlog_from_both_ends),
	KUNIT_CASE(backlog_moves_up_in_softirq),
	KUNIT_CASE(backlog_moves_up_in_process),
	{}
};

static struct kunit_suite evd_backlog_suite = {
	.name = "kdapl-evd-backlog",
	.init = env_init,
	.exit = env_exit,
	.test_cases = evd_backlog_cases,
};

kunit_test_suite(evd_backlog_suite);

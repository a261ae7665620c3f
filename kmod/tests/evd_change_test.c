// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Software events, and event rings that grow. */

#include "env.h"

#define QLEN	8

static struct test_evd evd_make(struct kunit *test)
{
	return env_evd(test->priv, QLEN, DAT_EVD_SOFTWARE_FLAG |
		       DAT_EVD_DTO_FLAG);
}

static void expect_se(struct kunit *test, struct test_evd *tevd, u64 cookie)
{
	struct kdapl_event event = prog_next(tevd);

	KUNIT_EXPECT_EQ(test, event.type, DAT_SOFTWARE_EVENT);
	KUNIT_EXPECT_EQ(test, event.cookie, cookie);
}

static int prepare(struct test_evd *tevd, struct kdapl_evd_resize *arg,
		   u32 qlen)
{
	*arg = (struct kdapl_evd_resize){ .qlen = qlen };
	return kdapl_evd_resize(tevd->evd, arg);
}

static int commit(struct test_evd *tevd)
{
	struct kdapl_evd_resize arg = { .flags = KDAPL_EVD_RESIZE_COMMIT };

	return kdapl_evd_resize(tevd->evd, &arg);
}

static void se_until_full(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	u64 i;

	for (i = 0; i < QLEN; i++)
		KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, i), 0);
	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, i), -ENOBUFS);
	for (i = 0; i < QLEN; i++)
		expect_se(test, &tevd, i);
	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, 99), 0);
	expect_se(test, &tevd, 99);
	EXPECT_NO_EVENT(test, &tevd);
}

static void se_needs_its_stream(struct kunit *test)
{
	struct test_evd tevd = env_evd(test->priv, QLEN, DAT_EVD_DTO_FLAG);

	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, 1), -EINVAL);
	EXPECT_NO_EVENT(test, &tevd);
}

/* Nothing overtakes an event that waits for room. */
static void se_behind_a_backlog(struct kunit *test)
{
	struct kdapl_event event = { .type = DAT_DTO_COMPLETION_EVENT };
	struct test_evd tevd = evd_make(test);
	unsigned int i;

	for (i = 0; i < QLEN + 2; i++) {
		struct kdapl_evrec *rec = kdapl_evrec_alloc(tevd.evd->obj.ia);

		KUNIT_ASSERT_NOT_NULL(test, rec);
		kdapl_evd_post(tevd.evd, &event, rec);
	}
	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, 1), -ENOBUFS);
	prog_next(&tevd);
	/* Room for one of the two that wait. */
	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, 1), -ENOBUFS);
	for (i = 0; i < 4; i++)
		prog_next(&tevd);
	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, 1), 0);
	for (i = 0; i < QLEN + 2 - 5; i++)
		KUNIT_EXPECT_EQ(test, prog_next(&tevd).type,
				DAT_DTO_COMPLETION_EVENT);
	expect_se(test, &tevd, 1);
}

static void resize_checks(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct kdapl_evd_resize arg;

	KUNIT_EXPECT_EQ(test, prepare(&tevd, &arg, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, prepare(&tevd, &arg, KDAPL_EVD_QLEN_MAX + 1),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, prepare(&tevd, &arg, U32_MAX), -ENOSPC);
	arg = (struct kdapl_evd_resize){ .qlen = 64, .flags = 2 };
	KUNIT_EXPECT_EQ(test, kdapl_evd_resize(tevd.evd, &arg), -EINVAL);
	KUNIT_EXPECT_EQ(test, commit(&tevd), -EBADFD);

	/* It is long enough: nothing to commit. */
	KUNIT_EXPECT_EQ(test, prepare(&tevd, &arg, 3), 0);
	KUNIT_EXPECT_EQ(test, arg.qlen, QLEN);
	KUNIT_EXPECT_EQ(test, commit(&tevd), -EBADFD);
}

static void resize_below_what_is_queued(struct kunit *test)
{
	struct test_evd tevd = evd_make(test);
	struct kdapl_evd_resize arg;
	u64 i;

	for (i = 0; i < 4; i++)
		kdapl_evd_post_se(tevd.evd, i);
	KUNIT_EXPECT_EQ(test, prepare(&tevd, &arg, 3), -EBADFD);
	KUNIT_EXPECT_EQ(test, prepare(&tevd, &arg, 4), 0);
	for (i = 0; i < 4; i++)
		expect_se(test, &tevd, i);
}

static void resize_keeps_events(struct kunit *test)
{
	struct kdapl_event event = { .type = DAT_DTO_COMPLETION_EVENT };
	struct test_evd tevd = evd_make(test);
	struct kdapl_evd_resize arg;
	struct kdapl_evrec *rec;
	u64 i;

	/* Indices that are not at the ring's beginning. */
	for (i = 0; i < 5; i++) {
		kdapl_evd_post_se(tevd.evd, i);
		expect_se(test, &tevd, i);
	}
	for (i = 0; i < QLEN; i++)
		KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, i), 0);
	rec = kdapl_evrec_alloc(tevd.evd->obj.ia);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	kdapl_evd_post(tevd.evd, &event, rec);

	KUNIT_ASSERT_EQ(test, prepare(&tevd, &arg, 4 * QLEN - 1), 0);
	KUNIT_EXPECT_EQ(test, arg.qlen, 4 * QLEN);
	/* The old ring is in use until the commit. */
	KUNIT_EXPECT_EQ(test, tevd.evd->qlen, QLEN);
	expect_se(test, &tevd, 0);
	KUNIT_ASSERT_EQ(test, commit(&tevd), 0);
	KUNIT_EXPECT_EQ(test, commit(&tevd), -EBADFD);
	KUNIT_EXPECT_EQ(test, READ_ONCE(tevd.evd->ring->flags), 0);
	for (i = 1; i < QLEN; i++)
		expect_se(test, &tevd, i);
	KUNIT_EXPECT_EQ(test, prog_next(&tevd).type, DAT_DTO_COMPLETION_EVENT);
	for (i = 0; i < 4 * QLEN; i++)
		KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, i), 0);
	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, i), -ENOBUFS);
	for (i = 0; i < 4 * QLEN; i++)
		expect_se(test, &tevd, i);
}

/* Only the last offer counts; the others' memory comes back. */
static void resize_offers(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_evd tevd = evd_make(test);
	size_t before = env->ia->regions.bytes;
	struct kdapl_evd_resize arg;
	unsigned int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, prepare(&tevd, &arg, 4096), 0);
	KUNIT_EXPECT_EQ(test, prepare(&tevd, &arg, 16), 0);
	KUNIT_EXPECT_EQ(test, arg.qlen, 16);
	KUNIT_ASSERT_EQ(test, commit(&tevd), 0);
	KUNIT_EXPECT_EQ(test, tevd.evd->qlen, 16);
	KUNIT_EXPECT_EQ(test, env->ia->regions.bytes, before);
	KUNIT_EXPECT_EQ(test, prepare(&tevd, &arg, 64), 0);
	/* It goes with the EVD. */
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tevd.id,
						KDAPL_OBJ_EVD), 0);
	KUNIT_EXPECT_EQ(test, prepare(&tevd, &arg, 128), -ENOENT);
	KUNIT_EXPECT_EQ(test, commit(&tevd), -ENOENT);
	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, 1), -ENOENT);
}

/* A head that cannot be: at most the old ring's events are moved. */
static void resize_with_hostile_heads(struct kunit *test)
{
	static const u32 heads[] = { 0, 1, QLEN, QLEN + 1, 0x7fffffff,
				     0x80000000, U32_MAX };
	struct test_evd tevd = evd_make(test);
	struct kdapl_ev_head *head = tevd.evd->head.addr;
	struct kdapl_evd_resize arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		WRITE_ONCE(head->head, tevd.evd->tail);
		KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, i), 0);
		KUNIT_ASSERT_EQ(test, prepare(&tevd, &arg,
					      2 * tevd.evd->qlen), 0);
		WRITE_ONCE(head->head, heads[i]);
		KUNIT_EXPECT_EQ(test, commit(&tevd), 0);
	}
	WRITE_ONCE(head->head, tevd.evd->tail);
	tevd.head = tevd.evd->tail;
	KUNIT_EXPECT_EQ(test, kdapl_evd_post_se(tevd.evd, 7), 0);
	expect_se(test, &tevd, 7);
}

static struct kunit_case evd_change_cases[] = {
	KUNIT_CASE(se_until_full),
	KUNIT_CASE(se_needs_its_stream),
	KUNIT_CASE(se_behind_a_backlog),
	KUNIT_CASE(resize_checks),
	KUNIT_CASE(resize_below_what_is_queued),
	KUNIT_CASE(resize_keeps_events),
	KUNIT_CASE(resize_offers),
	KUNIT_CASE(resize_with_hostile_heads),
	{}
};

static struct kunit_suite evd_change_suite = {
	.name = "kdapl-evd-change",
	.init = env_init,
	.exit = env_exit,
	.test_cases = evd_change_cases,
};

kunit_test_suite(evd_change_suite);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids, references, and who may be freed when. */

#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "env.h"

struct thing {
	struct kdapl_obj obj;
	struct kunit *test;
	unsigned int number;
};

static atomic_t destroyed, released;
static unsigned int destroy_order[8];

static void thing_destroy(struct kdapl_obj *obj)
{
	struct thing *thing = container_of(obj, struct thing, obj);
	int n = atomic_inc_return(&destroyed) - 1;

	if (n < ARRAY_SIZE(destroy_order))
		destroy_order[n] = thing->number;
}

static void thing_release(struct kdapl_obj *obj)
{
	atomic_inc(&released);
	kfree(container_of(obj, struct thing, obj));
}

/* Two types that the environment has none of. */
static const struct kdapl_obj_ops psp_ops = {
	.type = KDAPL_OBJ_PSP,
	.destroy = thing_destroy,
	.release = thing_release,
};

static const struct kdapl_obj_ops cr_ops = {
	.type = KDAPL_OBJ_CR,
	.destroy = thing_destroy,
	.release = thing_release,
};

static int obj_init(struct kunit *test)
{
	atomic_set(&destroyed, 0);
	atomic_set(&released, 0);
	return env_init(test);
}

static struct thing *thing_reserve(struct kunit *test,
				   const struct kdapl_obj_ops *ops)
{
	struct env *env = test->priv;
	struct thing *thing = kzalloc(sizeof(*thing), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, thing);
	KUNIT_ASSERT_EQ(test, kdapl_obj_init(&thing->obj, env->ia, ops, 7), 0);
	return thing;
}

static struct thing *thing_make(struct kunit *test,
				const struct kdapl_obj_ops *ops)
{
	struct thing *thing = thing_reserve(test, ops);

	kdapl_obj_publish(&thing->obj);
	return thing;
}

static int psp_destroy(struct kunit *test, u32 id)
{
	struct env *env = test->priv;

	return kdapl_obj_destroy(env->ia, id, KDAPL_OBJ_PSP);
}

static void expect_counts(struct kunit *test, int want_destroyed,
			  int want_released)
{
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, atomic_read(&destroyed), want_destroyed);
	KUNIT_EXPECT_EQ(test, atomic_read(&released), want_released);
}

static void obj_invisible_until_published(struct kunit *test)
{
	struct env *env = test->priv;
	struct thing *thing = thing_reserve(test, &psp_ops);
	struct kdapl_obj *obj;
	u32 id = thing->obj.id;

	KUNIT_EXPECT_NE(test, id, 0);
	KUNIT_EXPECT_NULL(test, kdapl_obj_get(env->ia, id, KDAPL_OBJ_PSP));
	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), -ENOENT);

	kdapl_obj_publish(&thing->obj);
	obj = kdapl_obj_get(env->ia, id, KDAPL_OBJ_PSP);
	KUNIT_EXPECT_PTR_EQ(test, obj, &thing->obj);
	KUNIT_EXPECT_EQ(test, obj->user, 7);
	kdapl_obj_put(obj);

	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), 0);
	expect_counts(test, 1, 1);
}

static void obj_aborted(struct kunit *test)
{
	struct env *env = test->priv;
	struct thing *thing = thing_reserve(test, &psp_ops);
	u32 id = thing->obj.id;

	kdapl_obj_abort(&thing->obj);
	KUNIT_EXPECT_NULL(test, kdapl_obj_get(env->ia, id, KDAPL_OBJ_PSP));
	expect_counts(test, 0, 1);
}

static void obj_types(struct kunit *test)
{
	static const u32 types[] = { 0, KDAPL_OBJ_PZ, KDAPL_OBJ_LMR,
				     KDAPL_OBJ_EVD, KDAPL_OBJ_EP,
				     KDAPL_OBJ_CR, 7, U32_MAX };
	struct env *env = test->priv;
	u32 id = thing_make(test, &psp_ops)->obj.id;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		KUNIT_EXPECT_NULL(test, kdapl_obj_get(env->ia, id, types[i]));
		KUNIT_EXPECT_NULL(test, kdapl_obj_use(env->ia, id, types[i]));
		KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, id, types[i]),
				-ENOENT);
	}
	expect_counts(test, 0, 0);
	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), 0);
}

static void obj_foreign_ids(struct kunit *test)
{
	struct env *env = test->priv;
	u32 id = thing_make(test, &psp_ops)->obj.id;
	const u32 ids[] = { 0, id + 1, id - 1, INT_MAX, (u32)INT_MAX + 1,
			    id | BIT(31), U32_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		KUNIT_EXPECT_NULL(test, kdapl_obj_get(env->ia, ids[i],
						      KDAPL_OBJ_PSP));
		KUNIT_EXPECT_EQ(test, psp_destroy(test, ids[i]), -ENOENT);
	}
	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), 0);
}

/* A stale id names nothing until all the others were handed out. */
static void obj_ids_are_cyclic(struct kunit *test)
{
	struct env *env = test->priv;
	u32 first = 0, last = 0;
	unsigned int i;

	for (i = 0; i < 500; i++) {
		struct thing *thing = thing_make(test, &psp_ops);
		u32 id = thing->obj.id;

		if (!first)
			first = id;
		else
			KUNIT_EXPECT_EQ(test, id, last + 1);
		KUNIT_EXPECT_EQ(test, psp_destroy(test, id), 0);
		KUNIT_EXPECT_EQ(test, psp_destroy(test, id), -ENOENT);
		last = id;
	}
	KUNIT_EXPECT_NULL(test, kdapl_obj_get(env->ia, first, KDAPL_OBJ_PSP));
	expect_counts(test, 500, 500);
}

static void obj_ids_wrap(struct kunit *test)
{
	struct env *env = test->priv;
	u32 ids[4];
	int i;

	env->ia->objs.next = INT_MAX - 1;
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = thing_make(test, &psp_ops)->obj.id;
	KUNIT_EXPECT_EQ(test, ids[0], (u32)INT_MAX - 1);
	KUNIT_EXPECT_EQ(test, ids[1], (u32)INT_MAX);
	/* On from 1, past what is in use: the environment's PZ and LMR. */
	KUNIT_EXPECT_NE(test, ids[2], 0);
	KUNIT_EXPECT_LT(test, ids[2], 16);
	KUNIT_EXPECT_NE(test, ids[2], env->pz);
	KUNIT_EXPECT_NE(test, ids[2], env->lmr);
	KUNIT_EXPECT_EQ(test, ids[3], ids[2] + 1);
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		KUNIT_EXPECT_EQ(test, psp_destroy(test, ids[i]), 0);
}

static void obj_busy_while_used(struct kunit *test)
{
	struct env *env = test->priv;
	u32 id = thing_make(test, &psp_ops)->obj.id;
	struct kdapl_obj *one = kdapl_obj_use(env->ia, id, KDAPL_OBJ_PSP);
	struct kdapl_obj *two = kdapl_obj_use(env->ia, id, KDAPL_OBJ_PSP);

	KUNIT_ASSERT_NOT_NULL(test, one);
	KUNIT_ASSERT_PTR_EQ(test, one, two);
	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), -EBUSY);
	kdapl_obj_unuse(one);
	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), -EBUSY);
	expect_counts(test, 0, 0);
	kdapl_obj_unuse(two);
	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), 0);
	expect_counts(test, 1, 1);
}

/* A reference keeps the memory, not the object. */
static void obj_reference_outlives(struct kunit *test)
{
	struct env *env = test->priv;
	u32 id = thing_make(test, &psp_ops)->obj.id;
	struct kdapl_obj *obj = kdapl_obj_get(env->ia, id, KDAPL_OBJ_PSP);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), 0);
	expect_counts(test, 1, 0);
	KUNIT_EXPECT_NULL(test, kdapl_obj_get(env->ia, id, KDAPL_OBJ_PSP));
	KUNIT_EXPECT_NULL(test, kdapl_obj_use(env->ia, id, KDAPL_OBJ_PSP));
	kdapl_obj_put(obj);
	expect_counts(test, 1, 1);
}

static void obj_retired_once(struct kunit *test)
{
	struct env *env = test->priv;
	struct thing *thing = thing_make(test, &psp_ops);
	u32 id = thing->obj.id;

	KUNIT_EXPECT_EQ(test, kdapl_obj_retire(&thing->obj), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_retire(&thing->obj), -ENOENT);
	KUNIT_EXPECT_NULL(test, kdapl_obj_use(env->ia, id, KDAPL_OBJ_PSP));
	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), -ENOENT);
	expect_counts(test, 0, 0);
	kdapl_obj_put(&thing->obj);
	expect_counts(test, 0, 1);
}

static struct kdapl_obj *peek(struct env *env, u32 id, struct kdapl_obj_hint *hint)
{
	struct kdapl_obj *obj;

	rcu_read_lock();
	obj = kdapl_obj_peek_hint(&env->ia->objs, id, hint);
	rcu_read_unlock();
	return obj;
}

/* What was found last is found again, until anything is freed: then it is looked for. */
static void obj_hinted(struct kunit *test)
{
	struct env *env = test->priv;
	struct thing *one = thing_make(test, &psp_ops);
	struct thing *two = thing_make(test, &cr_ops);
	u32 id = one->obj.id, other = two->obj.id;
	struct kdapl_obj_hint hint = {};

	KUNIT_EXPECT_NULL(test, peek(env, 0, &hint));
	KUNIT_EXPECT_NULL(test, peek(env, other + 1, &hint));
	KUNIT_EXPECT_PTR_EQ(test, peek(env, id, &hint), &one->obj);
	KUNIT_EXPECT_PTR_EQ(test, hint.obj, &one->obj);
	KUNIT_EXPECT_PTR_EQ(test, peek(env, id, &hint), &one->obj);
	KUNIT_EXPECT_PTR_EQ(test, peek(env, other, &hint), &two->obj);
	KUNIT_EXPECT_PTR_EQ(test, peek(env, id, &hint), &one->obj);

	/* Another one goes: the same is found, but not by the hint. */
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, other, KDAPL_OBJ_CR), 0);
	KUNIT_EXPECT_NE(test, hint.round, atomic64_read(&env->ia->objs.round));
	KUNIT_EXPECT_PTR_EQ(test, peek(env, id, &hint), &one->obj);
	KUNIT_EXPECT_EQ(test, hint.round, atomic64_read(&env->ia->objs.round));

	/* Itself goes, and its memory: nothing looks into that. */
	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), 0);
	expect_counts(test, 2, 2);
	KUNIT_EXPECT_NULL(test, peek(env, id, &hint));
	KUNIT_EXPECT_NULL(test, peek(env, other, &hint));
}

/* A round that begins where another one was is 2^64 objects away, not 2^32. */
static void obj_hinted_many_rounds_later(struct kunit *test)
{
	struct env *env = test->priv;
	struct thing *thing = thing_make(test, &psp_ops);
	u32 id = thing->obj.id;
	struct kdapl_obj_hint hint = {};

	KUNIT_EXPECT_PTR_EQ(test, peek(env, id, &hint), &thing->obj);
	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), 0);
	atomic64_add(U32_MAX, &env->ia->objs.round);
	KUNIT_EXPECT_EQ(test, (u32)hint.round,
			(u32)atomic64_read(&env->ia->objs.round));
	expect_counts(test, 1, 1);
	KUNIT_EXPECT_NULL(test, peek(env, id, &hint));
}

/* An id that was given again names the new object. */
static void obj_hinted_id_given_again(struct kunit *test)
{
	struct env *env = test->priv;
	struct thing *thing = thing_make(test, &psp_ops);
	u32 id = thing->obj.id;
	struct kdapl_obj_hint hint = {};

	KUNIT_EXPECT_PTR_EQ(test, peek(env, id, &hint), &thing->obj);
	KUNIT_EXPECT_EQ(test, psp_destroy(test, id), 0);
	env->ia->objs.next = id;
	thing = thing_make(test, &cr_ops);
	KUNIT_ASSERT_EQ(test, thing->obj.id, id);
	KUNIT_EXPECT_PTR_EQ(test, peek(env, id, &hint), &thing->obj);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, id, KDAPL_OBJ_CR), 0);
}

static void obj_destroy_all_of_a_type(struct kunit *test)
{
	struct env *env = test->priv;
	u32 ids[8], cr = thing_make(test, &cr_ops)->obj.id;
	struct kdapl_obj *obj;
	int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		struct thing *thing = thing_make(test, &psp_ops);

		thing->number = i;
		ids[i] = thing->obj.id;
	}
	/* A hole, and an id that is only reserved. */
	KUNIT_EXPECT_EQ(test, psp_destroy(test, ids[3]), 0);
	obj = &thing_reserve(test, &psp_ops)->obj;
	atomic_set(&destroyed, 0);

	kdapl_obj_destroy_all(env->ia, KDAPL_OBJ_PSP);
	expect_counts(test, 7, 8);
	for (i = 0; i < 7; i++)
		KUNIT_EXPECT_EQ(test, destroy_order[i], i < 3 ? i : i + 1);
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		KUNIT_EXPECT_NULL(test, kdapl_obj_get(env->ia, ids[i],
						      KDAPL_OBJ_PSP));

	kdapl_obj_abort(obj);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, cr, KDAPL_OBJ_CR), 0);
}

/* ---- many at once ------------------------------------------------------ */

struct racer {
	struct kunit *test;
	atomic_t *wins;
	u32 id;
};

static int race(void *arg)
{
	struct racer *racer = arg;

	if (!psp_destroy(racer->test, racer->id))
		atomic_inc(racer->wins);
	return 0;
}

/* Two threads free the same object: one of them does. */
static void obj_freed_by_one(struct kunit *test)
{
	struct task_struct *threads[2];
	int round, i;

	for (round = 0; round < 50; round++) {
		atomic_t wins = ATOMIC_INIT(0);
		struct racer racer = {
			.test = test,
			.wins = &wins,
			.id = thing_make(test, &psp_ops)->obj.id,
		};

		for (i = 0; i < 2; i++) {
			threads[i] = kthread_create(race, &racer, "racer%d", i);
			KUNIT_ASSERT_FALSE(test, IS_ERR(threads[i]));
			get_task_struct(threads[i]);
		}
		for (i = 0; i < 2; i++)
			wake_up_process(threads[i]);
		race(&racer);
		for (i = 0; i < 2; i++)
			kthread_stop_put(threads[i]);
		KUNIT_ASSERT_EQ(test, atomic_read(&wins), 1);
	}
	expect_counts(test, 50, 50);
}

static struct kunit_case obj_cases[] = {
	KUNIT_CASE(obj_invisible_until_published),
	KUNIT_CASE(obj_aborted),
	KUNIT_CASE(obj_types),
	KUNIT_CASE(obj_foreign_ids),
	KUNIT_CASE(obj_ids_are_cyclic),
	KUNIT_CASE(obj_ids_wrap),
	KUNIT_CASE(obj_busy_while_used),
	KUNIT_CASE(obj_reference_outlives),
	KUNIT_CASE(obj_retired_once),
	KUNIT_CASE(obj_hinted),
	KUNIT_CASE(obj_hinted_many_rounds_later),
	KUNIT_CASE(obj_hinted_id_given_again),
	KUNIT_CASE(obj_destroy_all_of_a_type),
	KUNIT_CASE_SLOW(obj_freed_by_one),
	{}
};

static struct kunit_suite obj_suite = {
	.name = "kdapl-obj",
	.init = obj_init,
	.exit = env_exit,
	.test_cases = obj_cases,
};

kunit_test_suite(obj_suite);

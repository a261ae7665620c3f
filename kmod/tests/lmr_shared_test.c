// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A cookie means one user's one piece of one object, as long as it lives. */

#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>

#include "../lmr.h"
#include "../lmr_shared.h"
#include "env.h"

#define LENGTH	(4 * PAGE_SIZE)

static struct file *object(struct kunit *test)
{
	struct file *file = shmem_file_setup("kdapl-test", LENGTH, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	return file;
}

/* ---- the table ----------------------------------------------------------- */

/* A claim as the module makes it; the tests change what they are about. */
static struct kdapl_shared *want(struct kunit *test, struct file *file)
{
	struct kdapl_shared *shared = kzalloc(sizeof(*shared), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, shared);
	memset(shared->cookie, 'c', sizeof(shared->cookie));
	shared->user = KUIDT_INIT(1000);
	shared->file = get_file(file);
	shared->offset = PAGE_SIZE;
	shared->length = 2 * PAGE_SIZE;
	return shared;
}

static void shared_once(struct kunit *test)
{
	struct file *file = object(test);
	struct kdapl_shared *first, *second;

	first = kdapl_shared_claim(want(test, file));
	second = kdapl_shared_claim(want(test, file));
	KUNIT_EXPECT_PTR_EQ(test, first, second);
	KUNIT_EXPECT_EQ(test, first->users, 2);
	kdapl_shared_leave(first);
	KUNIT_EXPECT_EQ(test, second->users, 1);
	kdapl_shared_leave(second);
	fput(file);
}

static void shared_whole_cookie(struct kunit *test)
{
	struct file *file = object(test), *other = object(test);
	struct kdapl_shared *first, *second, *claim;
	int i;

	first = kdapl_shared_claim(want(test, file));
	for (i = 0; i < KDAPL_COOKIE_SIZE; i++) {
		claim = want(test, other);
		claim->cookie[i] = 0;
		second = kdapl_shared_claim(claim);
		KUNIT_ASSERT_FALSE(test, IS_ERR(second));
		KUNIT_EXPECT_PTR_NE(test, first, second);
		kdapl_shared_leave(second);
	}
	kdapl_shared_leave(first);
	fput(other);
	fput(file);
}

#define EXPECT_REFUSED(test, claim) \
	KUNIT_EXPECT_EQ(test, PTR_ERR(kdapl_shared_claim(claim)), -EBADFD)

static void shared_other_memory(struct kunit *test)
{
	struct file *file = object(test), *other = object(test);
	struct kdapl_shared *first, *claim;

	first = kdapl_shared_claim(want(test, file));
	EXPECT_REFUSED(test, want(test, other));
	claim = want(test, file);
	claim->offset += PAGE_SIZE;
	EXPECT_REFUSED(test, claim);
	claim = want(test, file);
	claim->length -= 1;
	EXPECT_REFUSED(test, claim);
	claim = want(test, file);
	claim->user = KUIDT_INIT(1001);
	EXPECT_REFUSED(test, claim);
	KUNIT_EXPECT_EQ(test, first->users, 1);
	kdapl_shared_leave(first);

	/* The last is gone, and with it what the cookie meant. */
	first = kdapl_shared_claim(want(test, other));
	KUNIT_EXPECT_FALSE(test, IS_ERR(first));
	kdapl_shared_leave(first);
	fput(other);
	fput(file);
}

/* Another adapter knows nothing of it. */
static void shared_adapters(struct kunit *test)
{
	struct file *file = object(test), *other = object(test);
	struct kdapl_shared *first, *second, *claim;

	first = kdapl_shared_claim(want(test, file));
	claim = want(test, other);
	claim->adapter = (void *)test;
	second = kdapl_shared_claim(claim);
	KUNIT_EXPECT_FALSE(test, IS_ERR(second));
	kdapl_shared_leave(second);
	kdapl_shared_leave(first);
	fput(other);
	fput(file);
}

/* ---- a program's memory -------------------------------------------------- */

static int create(struct env *env, unsigned long addr, u64 length, u32 *id)
{
	struct kdapl_lmr_create arg = {
		.pz = env->pz,
		.mem_type = KDAPL_MEM_SHARED,
		.privileges = KDAPL_PRIV_ALL,
		.addr = addr,
		.length = length,
		.cookie = "a cookie",
	};
	int ret = kdapl_lmr_create(env->ia, &arg);

	*id = arg.id;
	return ret;
}

static unsigned long map(struct kunit *test, struct file *file, int prot,
			 int flags)
{
	unsigned long addr = kunit_vm_mmap(test, file, 0, LENGTH, prot, flags, 0);

	KUNIT_ASSERT_NE(test, addr, 0);
	return addr;
}

#define READ_WRITE	(PROT_READ | PROT_WRITE)

static void shared_mappings(struct kunit *test)
{
	struct env *env = test->priv;
	struct file *file = object(test);
	unsigned long one = map(test, file, READ_WRITE, MAP_SHARED);
	unsigned long two = map(test, file, READ_WRITE, MAP_SHARED);
	unsigned long copy = map(test, file, READ_WRITE, MAP_PRIVATE);
	unsigned long fixed = map(test, file, PROT_READ, MAP_SHARED);
	u32 first, second, id;

	KUNIT_EXPECT_EQ(test, create(env, copy, LENGTH, &id), -EBADFD);
	KUNIT_EXPECT_EQ(test, create(env, fixed, LENGTH, &id), -EBADFD);
	KUNIT_EXPECT_EQ(test, create(env, TASK_SIZE - LENGTH, LENGTH, &id),
			-EBADFD);

	KUNIT_ASSERT_EQ(test, create(env, one + 100, PAGE_SIZE, &first), 0);
	KUNIT_EXPECT_EQ(test, create(env, two + 100, PAGE_SIZE, &second), 0);
	KUNIT_EXPECT_EQ(test, create(env, two + 101, PAGE_SIZE, &id), -EBADFD);
	KUNIT_EXPECT_EQ(test, create(env, two, PAGE_SIZE, &id), -EBADFD);

	/* Two mappings beside each other of what is not beside each other. */
	KUNIT_EXPECT_EQ(test, vm_mmap(file, two + PAGE_SIZE, PAGE_SIZE, READ_WRITE,
				      MAP_SHARED | MAP_FIXED, 3 * PAGE_SIZE),
			two + PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, create(env, two + 100, PAGE_SIZE, &id), -EBADFD);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, first, KDAPL_OBJ_LMR), 0);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, second, KDAPL_OBJ_LMR), 0);
	KUNIT_EXPECT_EQ(test, create(env, two, PAGE_SIZE, &id), 0);
	fput(file);
}

/* What another thread does between the look and the pin. */
static struct {
	struct file *file;	/* mapped there instead */
	int often;
	int calls;
	bool failed;
} replace;

static void replace_memory(u64 addr, u64 length)
{
	if (replace.calls++ < replace.often)
		replace.failed |= vm_mmap(replace.file, addr, length, READ_WRITE,
					  MAP_SHARED | MAP_FIXED, 0) != addr;
}

static void shared_race(struct kunit *test)
{
	struct env *env = test->priv;
	struct file *file = object(test), *other = object(test);
	unsigned long one = map(test, file, READ_WRITE, MAP_SHARED);
	unsigned long two = map(test, file, READ_WRITE, MAP_SHARED);
	int mrs = env->dev->mrs;
	u32 first, second;

	KUNIT_ASSERT_EQ(test, create(env, one, LENGTH, &first), 0);
	replace.file = other;
	replace.often = 1;
	replace.calls = 0;
	env->dev->registering = replace_memory;
	KUNIT_EXPECT_EQ(test, create(env, two, LENGTH, &second), -EBADFD);
	KUNIT_EXPECT_EQ(test, replace.calls, 1);
	KUNIT_EXPECT_EQ(test, env->dev->mrs, mrs + 1);

	/* Nobody else has the cookie: it means what is there in the end. */
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, first, KDAPL_OBJ_LMR), 0);
	replace.calls = 0;
	KUNIT_EXPECT_EQ(test, create(env, one, LENGTH, &first), 0);
	KUNIT_EXPECT_EQ(test, replace.calls, 2);
	KUNIT_EXPECT_EQ(test, create(env, two, LENGTH, &second), 0);

	/* It never ends. */
	replace.often = INT_MAX;
	replace.calls = 0;
	KUNIT_EXPECT_EQ(test, create(env, one, LENGTH, &second), -EBADFD);
	KUNIT_EXPECT_GT(test, replace.calls, 1);
	KUNIT_EXPECT_LT(test, replace.calls, 10);
	KUNIT_EXPECT_FALSE(test, replace.failed);
	KUNIT_EXPECT_EQ(test, env->dev->mrs, mrs + 2);
	env->dev->registering = NULL;
	fput(other);
	fput(file);
}

static struct kunit_case shared_cases[] = {
	KUNIT_CASE(shared_once),
	KUNIT_CASE(shared_whole_cookie),
	KUNIT_CASE(shared_other_memory),
	KUNIT_CASE(shared_adapters),
	KUNIT_CASE(shared_mappings),
	KUNIT_CASE(shared_race),
	{}
};

static struct kunit_suite shared_suite = {
	.name = "kdapl-lmr-shared",
	.init = env_init,
	.exit = env_exit,
	.test_cases = shared_cases,
};

kunit_test_suite(shared_suite);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a program pins is charged to it, within RLIMIT_MEMLOCK. */

#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "../account.h"
#include "../cno.h"
#include "../rmr.h"
#include "../srq.h"
#include "env.h"

#define LIMIT_PAGES	100

/*
 * The test's thread becomes what a program is to the module: a task with a
 * memory map, a limit, and no right to exceed it.
 */
struct program {
	const struct cred *creds;
	struct cred *poor;
	struct rlimit limit;
};

static void set_limit(u64 bytes)
{
	task_lock(current->group_leader);
	current->signal->rlim[RLIMIT_MEMLOCK].rlim_cur = bytes;
	task_unlock(current->group_leader);
}

static void program_become(struct kunit *test, struct program *program)
{
	/* Attaches a memory map to the test's thread, until the thread ends. */
	KUNIT_ASSERT_NE(test, kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ,
					    MAP_ANONYMOUS | MAP_PRIVATE, 0), 0);
	KUNIT_ASSERT_NOT_NULL(test, current->mm);
	program->limit = current->signal->rlim[RLIMIT_MEMLOCK];
	set_limit(LIMIT_PAGES * PAGE_SIZE);
	program->poor = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, program->poor);
	cap_lower(program->poor->cap_effective, CAP_IPC_LOCK);
	program->creds = override_creds(program->poor);
}

static void program_end(struct program *program)
{
	revert_creds(program->creds);
	put_cred(program->poor);
	set_limit(program->limit.rlim_cur);
}

static s64 pinned(void)
{
	return atomic64_read(&current->mm->pinned_vm);
}

static void account_npages(struct kunit *test)
{
	static const struct { u64 addr, length, pages; } cases[] = {
		{ 0, 1, 1 },
		{ 0, PAGE_SIZE, 1 },
		{ 0, PAGE_SIZE + 1, 2 },
		{ 1, PAGE_SIZE, 2 },
		{ PAGE_SIZE - 1, 1, 1 },
		{ PAGE_SIZE - 1, 2, 2 },
		{ PAGE_SIZE - 1, PAGE_SIZE + 2, 3 },
		{ 0x7fffffff0000, 1ULL << 40, 1ULL << (40 - PAGE_SHIFT) },
		{ 0x7fffffff0001, 1ULL << 40, (1ULL << (40 - PAGE_SHIFT)) + 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, kdapl_npages(cases[i].addr, cases[i].length),
				    cases[i].pages, "case %u", i);
}

static void account_exceeded(struct kunit *test)
{
	struct kdapl_memlock why = {};

	KUNIT_EXPECT_FALSE(test, kdapl_memlock_exceeded(0, 0, 0, &why));
	KUNIT_EXPECT_FALSE(test, kdapl_memlock_exceeded(0, 10, 10, &why));
	KUNIT_EXPECT_FALSE(test, kdapl_memlock_exceeded(7, 3, 10, &why));
	/* Unlimited, in pages. */
	KUNIT_EXPECT_FALSE(test, kdapl_memlock_exceeded(1ULL << 40, 1ULL << 40,
							U64_MAX >> PAGE_SHIFT,
							&why));
	KUNIT_EXPECT_EQ(test, why.limit, 0);
	KUNIT_EXPECT_TRUE(test, kdapl_memlock_exceeded(7, 4, 10, &why));
	KUNIT_EXPECT_EQ(test, why.limit, 10 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, why.needed, 11 * PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, kdapl_memlock_exceeded(0, 1, 0, &why));
	KUNIT_EXPECT_EQ(test, why.limit, 0);
	KUNIT_EXPECT_EQ(test, why.needed, PAGE_SIZE);
}

static void account_charge(struct kunit *test)
{
	struct kdapl_memlock why = {};
	struct program program;

	program_become(test, &program);
	KUNIT_EXPECT_EQ(test, pinned(), 0);
	KUNIT_EXPECT_EQ(test, kdapl_memlock_charge(60, &why), 0);
	KUNIT_EXPECT_EQ(test, kdapl_memlock_charge(40, &why), 0);
	KUNIT_EXPECT_EQ(test, pinned(), LIMIT_PAGES);
	/* One page more: refused, told why, and nothing is charged. */
	KUNIT_EXPECT_EQ(test, kdapl_memlock_charge(1, &why), -EDQUOT);
	KUNIT_EXPECT_EQ(test, why.limit, LIMIT_PAGES * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, why.needed, (LIMIT_PAGES + 1) * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, pinned(), LIMIT_PAGES);
	kdapl_memlock_uncharge(current->mm, 1);
	KUNIT_EXPECT_EQ(test, kdapl_memlock_charge(1, &why), 0);

	/* The limit counts whole pages; a later, lower one hits at once. */
	set_limit(LIMIT_PAGES * PAGE_SIZE + PAGE_SIZE - 1);
	KUNIT_EXPECT_EQ(test, kdapl_memlock_charge(1, &why), -EDQUOT);
	set_limit(0);
	KUNIT_EXPECT_EQ(test, kdapl_memlock_charge(1, &why), -EDQUOT);
	KUNIT_EXPECT_EQ(test, why.limit, 0);
	set_limit(RLIM_INFINITY);
	KUNIT_EXPECT_EQ(test, kdapl_memlock_charge(1ULL << 40, &why), 0);
	kdapl_memlock_uncharge(current->mm, (1ULL << 40) + LIMIT_PAGES);
	KUNIT_EXPECT_EQ(test, pinned(), 0);
	program_end(&program);
}

static void account_privileged(struct kunit *test)
{
	struct kdapl_memlock why = {};
	struct program program;

	program_become(test, &program);
	KUNIT_EXPECT_EQ(test, kdapl_memlock_charge(LIMIT_PAGES + 1, &why), -EDQUOT);
	cap_raise(program.poor->cap_effective, CAP_IPC_LOCK);
	KUNIT_EXPECT_EQ(test, kdapl_memlock_charge(LIMIT_PAGES + 1, &why), 0);
	KUNIT_EXPECT_EQ(test, pinned(), LIMIT_PAGES + 1);
	kdapl_memlock_uncharge(current->mm, LIMIT_PAGES + 1);
	program_end(&program);
}

/* Drivers that charge themselves only say -ENOMEM or -EPERM. */
static void account_explain(struct kunit *test)
{
	static const int limits[] = { -ENOMEM, -EPERM };
	static const int others[] = { -EFAULT, -EINVAL, -EOPNOTSUPP };
	struct kdapl_memlock why = {};
	struct program program;
	unsigned int i;

	program_become(test, &program);
	KUNIT_EXPECT_EQ(test, kdapl_memlock_charge(90, &why), 0);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		KUNIT_EXPECT_EQ(test, kdapl_memlock_explain(others[i], 1000, &why),
				others[i]);
	KUNIT_EXPECT_EQ(test, why.needed, 0);
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		memset(&why, 0, sizeof(why));
		/* Within the limit it was something else. */
		KUNIT_EXPECT_EQ(test, kdapl_memlock_explain(limits[i], 10, &why),
				limits[i]);
		KUNIT_EXPECT_EQ(test, kdapl_memlock_explain(limits[i], 11, &why),
				-EDQUOT);
		KUNIT_EXPECT_EQ(test, why.limit, LIMIT_PAGES * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, why.needed, (LIMIT_PAGES + 1) * PAGE_SIZE);
	}
	KUNIT_EXPECT_EQ(test, pinned(), 90);
	kdapl_memlock_uncharge(current->mm, 90);
	program_end(&program);
}

/* Several threads of a program at its limit: never more than it allows. */
struct charger {
	struct mm_struct *mm;
	u64 limit;
	atomic_t failed, charged;
	struct program *program;
};

static int charge_thread(void *arg)
{
	struct charger *charger = arg;
	struct kdapl_memlock why;
	const struct cred *creds;
	unsigned int i;

	kthread_use_mm(charger->mm);
	set_limit(charger->limit);
	creds = override_creds(charger->program->poor);
	for (i = 0; i < 20000; i++) {
		if (kdapl_memlock_charge(LIMIT_PAGES / 2 + 1, &why)) {
			atomic_inc(&charger->failed);
			continue;
		}
		/* Two such charges at once would be over the limit. */
		if (atomic_inc_return(&charger->charged) > 1)
			atomic_set(&charger->charged, 1000);
		atomic_dec(&charger->charged);
		kdapl_memlock_uncharge(charger->mm, LIMIT_PAGES / 2 + 1);
	}
	revert_creds(creds);
	kthread_unuse_mm(charger->mm);
	return 0;
}

static void account_threads(struct kunit *test)
{
	struct task_struct *threads[2];
	struct charger charger = { .limit = LIMIT_PAGES * PAGE_SIZE };
	struct program program;
	unsigned int i;

	program_become(test, &program);
	charger.mm = current->mm;
	charger.program = &program;
	for (i = 0; i < 2; i++) {
		threads[i] = kthread_run(charge_thread, &charger, "charger%u", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(threads[i]));
		get_task_struct(threads[i]);
	}
	for (i = 0; i < 2; i++)
		kthread_stop_put(threads[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&charger.charged), 0);
	KUNIT_EXPECT_EQ(test, pinned(), 0);
	program_end(&program);
}

/* What the module holds pinned in all: counted with each LMR, and back. */
static void account_lmrs(struct kunit *test)
{
	struct env *env = test->priv;
	u64 before = kdapl_pinned_read();
	u32 one, two;

	one = env_lmr(env, env->pz, KDAPL_PRIV_LOCAL_READ);
	two = env_lmr(env, env->pz, KDAPL_PRIV_LOCAL_WRITE);
	KUNIT_EXPECT_EQ(test, kdapl_pinned_read() - before, 2 * ENV_LMR_LENGTH);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, one, KDAPL_OBJ_LMR), 0);
	KUNIT_EXPECT_EQ(test, kdapl_pinned_read() - before, ENV_LMR_LENGTH);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, two, KDAPL_OBJ_LMR), 0);
	KUNIT_EXPECT_EQ(test, kdapl_pinned_read(), before);
}

/* ---- memory of the kernel ------------------------------------------------------ */

static void make_bound_rmr(struct env *env, const struct test_ep *tep)
{
	struct kdapl_rmr_create rmr = { .pz = env->pz };
	struct kdapl_rmr_bind bind = {
		.ep = tep->id,
		.lmr = env->lmr,
		.addr = ENV_LMR_ADDR,
		.length = PAGE_SIZE,
		.privileges = KDAPL_PRIV_REMOTE_READ,
	};

	KUNIT_ASSERT_EQ(env->test, kdapl_rmr_create(env->ia, &rmr), 0);
	bind.rmr = rmr.id;
	KUNIT_EXPECT_EQ(env->test, kdapl_rmr_bind(env->ia, &bind), 0);
	KUNIT_EXPECT_EQ(env->test, fake_complete(env_qp(tep), &env_qp(tep)->sq,
						 1, IB_WC_SUCCESS), 1);
}

/* What an IA's owner can make, and what that makes in its turn. */
static void make_all(struct env *env)
{
	struct kdapl_srq_create srq = {
		.pz = env->pz, .max_recvs = 8, .max_recv_iov = 1,
	};
	struct kdapl_cno_create cno = {};
	struct test_ep tep;

	env->ia->drop_async = true;
	/* Its EPs have a queue more. */
	env->ia->iwarp = true;
	tep = env_ep(env, 8);
	env_connect(env, &tep);
	make_bound_rmr(env, &tep);
	KUNIT_EXPECT_EQ(env->test, kdapl_srq_create(env->ia, &srq), 0);
	KUNIT_EXPECT_EQ(env->test, kdapl_cno_create(env->ia, &cno), 0);
}

/* To its control group: it could have as much as it likes otherwise. */
static void account_memory(struct kunit *test)
{
	make_all(test->priv);
	KUNIT_EXPECT_GT(test, atomic_read(&fake_cm.paid), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake_cm.unpaid), 0);
}

/* The process that happens to run is not the consumer's. */
static void account_no_memory(struct kunit *test)
{
	make_all(test->priv);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake_cm.paid), 0);
	KUNIT_EXPECT_GT(test, atomic_read(&fake_cm.unpaid), 0);
}

static struct kunit_case account_cases[] = {
	KUNIT_CASE(account_npages),
	KUNIT_CASE(account_exceeded),
	KUNIT_CASE(account_charge),
	KUNIT_CASE(account_privileged),
	KUNIT_CASE(account_explain),
	KUNIT_CASE(account_threads),
	KUNIT_CASE(account_lmrs),
	KUNIT_CASE(account_memory),
	{}
};

static struct kunit_case account_kernel_cases[] = {
	KUNIT_CASE(account_no_memory),
	{}
};

static struct kunit_suite account_suite = {
	.name = "kdapl-account",
	.init = env_init,
	.exit = env_exit,
	.test_cases = account_cases,
};

static struct kunit_suite account_kernel_suite = {
	.name = "kdapl-account-kernel",
	.init = env_init_kernel,
	.exit = env_exit,
	.test_cases = account_kernel_cases,
};

kunit_test_suites(&account_suite, &account_kernel_suite);

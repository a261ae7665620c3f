// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* LMRs over memory of the kernel: its pages, its keys, its addresses. */

#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../account.h"
#include "../kmem.h"
#include "../lmr.h"
#include "env.h"

#define NPAGES	4

/* ---- pages ------------------------------------------------------------------ */

static void expect_pages(struct kunit *test, const struct kdapl_kmem *mem,
			 struct page **want, unsigned int npages)
{
	struct page *page[NPAGES + 1] = {};
	unsigned int i;

	KUNIT_ASSERT_EQ(test, kdapl_npages(kdapl_kmem_offset(mem), mem->length),
			npages);
	KUNIT_EXPECT_EQ(test, kdapl_kmem_pages(mem, page), 0);
	for (i = 0; i < npages; i++)
		KUNIT_EXPECT_PTR_EQ(test, page[i], want[i]);
	KUNIT_EXPECT_NULL(test, page[npages]);
}

static void expect_no_pages(struct kunit *test, const struct kdapl_kmem *mem,
			    int error)
{
	struct page *page[NPAGES];

	KUNIT_EXPECT_EQ(test, kdapl_kmem_pages(mem, page), error);
}

static void pages_of_vmalloc(struct kunit *test)
{
	void *va = vmalloc(NPAGES * PAGE_SIZE);
	struct kdapl_kmem mem = { .va = va, .length = NPAGES * PAGE_SIZE };
	struct page *want[NPAGES];
	int i;

	KUNIT_ASSERT_NOT_NULL(test, va);
	for (i = 0; i < NPAGES; i++)
		want[i] = vmalloc_to_page(va + i * PAGE_SIZE);
	expect_pages(test, &mem, want, NPAGES);
	/* The last byte of one page to the first of another. */
	mem.va = va + PAGE_SIZE - 1;
	mem.length = PAGE_SIZE + 2;
	KUNIT_EXPECT_EQ(test, kdapl_kmem_offset(&mem), PAGE_SIZE - 1);
	expect_pages(test, &mem, want, 3);
	/* Behind the end is a page that is not there. */
	mem.va = va + PAGE_SIZE;
	mem.length = NPAGES * PAGE_SIZE;
	expect_no_pages(test, &mem, -EFAULT);
	vfree(va);
}

static void pages_of_kmalloc(struct kunit *test)
{
	void *va = kmalloc(NPAGES * PAGE_SIZE, GFP_KERNEL);
	struct kdapl_kmem mem = { .va = va + 100, .length = 2 * PAGE_SIZE };
	struct page *want[NPAGES];
	int i;

	KUNIT_ASSERT_NOT_NULL(test, va);
	for (i = 0; i < NPAGES; i++)
		want[i] = virt_to_page(va + i * PAGE_SIZE);
	expect_pages(test, &mem, want, 3);
	kfree(va);
	/* What a program would name is none of the kernel's. */
	mem.va = (void *)0x10000;
	expect_no_pages(test, &mem, -EFAULT);
}

static void pages_of_addresses(struct kunit *test)
{
	struct page *want[2] = { alloc_page(GFP_KERNEL), alloc_page(GFP_KERNEL) };
	u64 physical[2];
	struct kdapl_kmem mem = {
		.type = KDAPL_KMEM_PHYSICAL,
		.physical = physical,
		.length = PAGE_SIZE + 1,
	};

	KUNIT_ASSERT_NOT_NULL(test, want[0]);
	KUNIT_ASSERT_NOT_NULL(test, want[1]);
	physical[0] = page_to_phys(want[0]);
	physical[1] = page_to_phys(want[1]);
	expect_pages(test, &mem, want, 2);
	physical[1]++;
	expect_no_pages(test, &mem, -EINVAL);
	physical[1] = 1ULL << 51;
	expect_no_pages(test, &mem, -EFAULT);
	__free_page(want[0]);
	__free_page(want[1]);
}

static void pages_of_scatterlist(struct kunit *test)
{
	struct page *want[NPAGES], *two = alloc_pages(GFP_KERNEL, 1);
	struct scatterlist sg[3];
	struct kdapl_kmem mem = {
		.type = KDAPL_KMEM_SG,
		.sgl = sg,
		.length = 100 + 2 * PAGE_SIZE + 50,
	};

	KUNIT_ASSERT_NOT_NULL(test, two);
	want[0] = alloc_page(GFP_KERNEL);
	want[1] = two;
	want[2] = two + 1;
	want[3] = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, want[0]);
	KUNIT_ASSERT_NOT_NULL(test, want[3]);
	sg_init_table(sg, 3);
	sg_set_page(&sg[0], want[0], 100, PAGE_SIZE - 100);
	sg_set_page(&sg[1], two, 2 * PAGE_SIZE, 0);
	sg_set_page(&sg[2], want[3], 50, 0);
	KUNIT_EXPECT_EQ(test, kdapl_kmem_offset(&mem), PAGE_SIZE - 100);
	expect_pages(test, &mem, want, NPAGES);
	/* More than there is. */
	mem.length++;
	expect_no_pages(test, &mem, -EINVAL);
	mem.length--;
	/* A hole before the end of an entry, or at its start. */
	sg_set_page(&sg[1], two, 2 * PAGE_SIZE - 4, 0);
	sg_set_page(&sg[2], want[3], 54, 0);
	expect_no_pages(test, &mem, -EINVAL);
	sg_set_page(&sg[1], two, 2 * PAGE_SIZE, 0);
	sg_set_page(&sg[2], want[3], 50, 8);
	expect_no_pages(test, &mem, -EINVAL);
	__free_page(want[0]);
	__free_pages(two, 1);
	__free_page(want[3]);
}

/* ---- LMRs ------------------------------------------------------------------- */

#define LOCAL	(KDAPL_PRIV_LOCAL_READ | KDAPL_PRIV_LOCAL_WRITE)
#define ADDR	0x7000100ULL
#define LENGTH	0x3000ULL

static const struct kdapl_kmem memory = {
	.va = (void *)(uintptr_t)ADDR, .length = LENGTH,
};

static int make(struct env *env, u32 privileges, struct kdapl_lmr_create *arg)
{
	*arg = (struct kdapl_lmr_create){
		.pz = env->pz,
		.privileges = privileges,
		.addr = ADDR,
	};
	return kdapl_lmr_create_over(env->ia, arg, &memory);
}

static struct ib_sge sge_of(struct env *env, u32 lmr, u64 addr, u32 length,
			    enum kdapl_dto_status want)
{
	struct kdapl_seg seg = { addr, length, lmr };
	struct ib_sge sge = {};
	struct kdapl_obj *pz = kdapl_obj_get(env->ia, env->pz, KDAPL_OBJ_PZ);
	struct kdapl_obj_hint hint = {};
	enum kdapl_dto_status status;

	KUNIT_ASSERT_NOT_NULL(env->test, pz);
	local_bh_disable();
	status = kdapl_lmr_sge(env->ia, to_pz(pz), &seg, KDAPL_PRIV_LOCAL_READ,
			       &hint, &sge);
	local_bh_enable();
	KUNIT_EXPECT_EQ(env->test, status, want);
	kdapl_obj_put(pz);
	return sge;
}

/* In pieces, or for a peer, or without a safe key: with an MR. */
static void lmr_with_mr(struct kunit *test)
{
	static const struct {
		int pieces;
		bool local_key, iwarp;
		u32 privileges;
	} row[] = {
		{ 2, true, false, LOCAL },
		{ 1, false, false, LOCAL },
		{ 1, true, false, LOCAL | KDAPL_PRIV_REMOTE_READ },
		{ 1, true, false, LOCAL | KDAPL_PRIV_REMOTE_WRITE },
		{ 1, true, true, LOCAL },
	};
	struct env *env = test->priv;
	struct kdapl_lmr_create arg;
	struct ib_sge sge;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		int before = fake_cm.registered;

		fake_cm.pieces = row[i].pieces;
		env->ia->local_key = row[i].local_key;
		env->ia->iwarp = row[i].iwarp;
		KUNIT_ASSERT_EQ(test, make(env, row[i].privileges, &arg), 0);
		KUNIT_EXPECT_EQ(test, fake_cm.registered, before + 1);
		sge = sge_of(env, arg.id, ADDR + 8, 16, DAT_DTO_SUCCESS);
		KUNIT_EXPECT_EQ(test, sge.addr, ADDR + 8);
		KUNIT_EXPECT_GE(test, sge.lkey, FAKE_LKEY);
		KUNIT_EXPECT_EQ(test, !arg.rkey, row[i].privileges == LOCAL);
		KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, arg.id,
							KDAPL_OBJ_LMR), 0);
		KUNIT_EXPECT_EQ(test, fake_cm.registered, before);
	}
}

/* In one piece, and for nobody else: the device's address under its own key. */
static void lmr_without_mr(struct kunit *test)
{
	struct env *env = test->priv;
	int before = fake_cm.registered, pinned = fake_cm.pinned;
	struct kdapl_lmr_create arg;
	struct ib_sge sge;

	fake_cm.pieces = 1;
	env->ia->local_key = true;
	KUNIT_ASSERT_EQ(test, make(env, LOCAL, &arg), 0);
	KUNIT_EXPECT_EQ(test, fake_cm.registered, before);
	KUNIT_EXPECT_EQ(test, fake_cm.pinned, pinned + 1);
	KUNIT_EXPECT_EQ(test, arg.rkey, 0);
	KUNIT_EXPECT_EQ(test, arg.length, LENGTH);
	sge = sge_of(env, arg.id, ADDR + LENGTH - 4, 4, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, sge.addr, FAKE_DMA + 0x100 + LENGTH - 4);
	KUNIT_EXPECT_EQ(test, sge.length, 4);
	KUNIT_EXPECT_EQ(test, sge.lkey, FAKE_LOCAL_KEY);
	/* The key reaches all of memory: nothing but the check is in between. */
	sge_of(env, arg.id, ADDR + LENGTH - 4, 5, DAT_DTO_ERR_LOCAL_PROTECTION);
	sge_of(env, arg.id, ADDR - 1, 1, DAT_DTO_ERR_LOCAL_PROTECTION);
	KUNIT_EXPECT_EQ(test,
			kdapl_obj_destroy(env->ia, arg.id, KDAPL_OBJ_LMR), 0);
	KUNIT_EXPECT_EQ(test, fake_cm.pinned, pinned);
}

static void lmr_checks(struct kunit *test)
{
	struct env *env = test->priv;
	struct kdapl_lmr_create arg = {
		.pz = env->pz, .privileges = LOCAL, .addr = ADDR + 1,
	};
	struct kdapl_kmem mem = memory;
	int pinned = fake_cm.pinned;

	KUNIT_EXPECT_EQ(test, kdapl_lmr_create_over(env->ia, &arg, &mem),
			-EINVAL);
	arg.addr = ADDR;
	mem.length = 0;
	KUNIT_EXPECT_EQ(test, kdapl_lmr_create_over(env->ia, &arg, &mem),
			-EINVAL);
	mem.length = env->ia->max_lmr_size + 1;
	KUNIT_EXPECT_EQ(test, kdapl_lmr_create_over(env->ia, &arg, &mem),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, make(env, 1U << 30, &arg), -EINVAL);
	fake_cm.register_error = -EADDRNOTAVAIL;
	KUNIT_EXPECT_EQ(test, make(env, LOCAL, &arg), -EADDRNOTAVAIL);
	fake_cm.register_error = 0;
	KUNIT_EXPECT_EQ(test, fake_cm.pinned, pinned);

	/* A program's memory is none that a consumer in the kernel has. */
	arg = (struct kdapl_lmr_create){
		.pz = env->pz, .mem_type = KDAPL_MEM_VIRTUAL,
		.privileges = LOCAL, .addr = ADDR, .length = LENGTH,
	};
	KUNIT_EXPECT_EQ(test, kdapl_lmr_create(env->ia, &arg), -EINVAL);
	/* And a program none of the kernel's. */
	env->ia->kernel = false;
	KUNIT_EXPECT_EQ(test, make(env, LOCAL, &arg), -EINVAL);
	env->ia->kernel = true;
}

static void lmr_reserved(struct kunit *test)
{
	struct env *env = test->priv;
	struct ib_sge sge;

	sge_of(env, KDAPL_LMR_RESERVED, 0x1234, 8, DAT_DTO_ERR_LOCAL_PROTECTION);
	env->ia->local_key = true;
	sge = sge_of(env, KDAPL_LMR_RESERVED, 0x1234, 8, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, sge.addr, 0x1234);
	KUNIT_EXPECT_EQ(test, sge.length, 8);
	KUNIT_EXPECT_EQ(test, sge.lkey, FAKE_LOCAL_KEY);
}

/* ---- what a request carries itself ------------------------------------------- */

/* @want: where the processor finds it; NULL: the device gets it by a key. */
static void expect_inline(struct env *env, u32 lmr, u64 addr, u32 length,
			  enum kdapl_dto_status status, const void *want)
{
	struct kdapl_seg seg = { addr, length, lmr };
	struct ib_sge sge = {};
	struct kdapl_obj *pz = kdapl_obj_get(env->ia, env->pz, KDAPL_OBJ_PZ);
	struct kdapl_obj_hint hint = {};
	bool is_inline = false;

	KUNIT_ASSERT_NOT_NULL(env->test, pz);
	local_bh_disable();
	KUNIT_EXPECT_EQ(env->test,
			kdapl_lmr_sge_inline(env->ia, to_pz(pz), &seg, &hint,
					     &sge, &is_inline), status);
	local_bh_enable();
	KUNIT_EXPECT_EQ(env->test, is_inline, !!want);
	if (want)
		KUNIT_EXPECT_EQ(env->test, sge.addr, (uintptr_t)want);
	if (status == DAT_DTO_SUCCESS)
		KUNIT_EXPECT_EQ(env->test, sge.length, length);
	kdapl_obj_put(pz);
}

/* By the pages that it has, whose order is not that of their addresses. */
static void lmr_inline(struct kunit *test)
{
	struct env *env = test->priv;
	struct page *page[NPAGES], *all = alloc_pages(GFP_KERNEL, 2);
	struct kdapl_lmr_create arg;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, all);
	for (i = 0; i < NPAGES; i++)
		page[i] = all + NPAGES - 1 - i;
	fake_cm.page = page;
	fake_cm.npages = NPAGES;
	KUNIT_ASSERT_EQ(test, make(env, LOCAL, &arg), 0);
	expect_inline(env, arg.id, ADDR, 64, DAT_DTO_SUCCESS,
		      page_address(page[0]) + 0x100);
	expect_inline(env, arg.id, ADDR + 0xf00 - 64, 64, DAT_DTO_SUCCESS,
		      page_address(page[0]) + PAGE_SIZE - 64);
	expect_inline(env, arg.id, ADDR + 0xf00, 1, DAT_DTO_SUCCESS,
		      page_address(page[1]));
	expect_inline(env, arg.id, ADDR + LENGTH - 1, 1, DAT_DTO_SUCCESS,
		      page_address(page[3]) + 0xff);
	/* The device can still have what is in two pages, by its key. */
	expect_inline(env, arg.id, ADDR + 0xf00 - 63, 64, DAT_DTO_SUCCESS,
		      NULL);
	expect_inline(env, arg.id, ADDR - 1, 1,
		      DAT_DTO_ERR_LOCAL_PROTECTION, NULL);
	expect_inline(env, arg.id, ADDR + LENGTH - 1, 2,
		      DAT_DTO_ERR_LOCAL_PROTECTION, NULL);
	expect_inline(env, arg.id + 1000, ADDR, 1,
		      DAT_DTO_ERR_LOCAL_PROTECTION, NULL);
	KUNIT_EXPECT_EQ(test,
			kdapl_obj_destroy(env->ia, arg.id, KDAPL_OBJ_LMR), 0);

	/* What may not be read may not be sent. */
	KUNIT_ASSERT_EQ(test, make(env, KDAPL_PRIV_LOCAL_WRITE, &arg), 0);
	expect_inline(env, arg.id, ADDR, 64,
		      DAT_DTO_ERR_LOCAL_PROTECTION, NULL);
	/* Where the reserved LMR's memory is, only the device knows. */
	env->ia->local_key = true;
	expect_inline(env, KDAPL_LMR_RESERVED, 0x1234, 8, DAT_DTO_SUCCESS,
		      NULL);
	__free_pages(all, 2);
}

/* The device goes: it keeps nothing mapped, with an MR or without. */
static void lmr_killed(struct kunit *test)
{
	struct env *env = test->priv;
	struct kdapl_lmr_create arg;
	int pinned = fake_cm.pinned;

	fake_cm.pieces = 1;
	env->ia->local_key = true;
	KUNIT_ASSERT_EQ(test, make(env, LOCAL, &arg), 0);
	kdapl_lmr_kill(to_lmr(env_hold(env, arg.id, KDAPL_OBJ_LMR)));
	KUNIT_EXPECT_EQ(test, fake_cm.pinned, pinned);
	KUNIT_EXPECT_EQ(test,
			kdapl_obj_destroy(env->ia, arg.id, KDAPL_OBJ_LMR), 0);
	KUNIT_EXPECT_EQ(test, fake_cm.pinned, pinned);
}

static struct kunit_case kernel_lmr_cases[] = {
	KUNIT_CASE(pages_of_vmalloc),
	KUNIT_CASE(pages_of_kmalloc),
	KUNIT_CASE(pages_of_addresses),
	KUNIT_CASE(pages_of_scatterlist),
	KUNIT_CASE(lmr_with_mr),
	KUNIT_CASE(lmr_without_mr),
	KUNIT_CASE(lmr_checks),
	KUNIT_CASE(lmr_reserved),
	KUNIT_CASE(lmr_inline),
	KUNIT_CASE(lmr_killed),
	{}
};

static struct kunit_suite kernel_lmr_suite = {
	.name = "kdapl-kernel-lmr",
	.init = env_init_kernel,
	.exit = env_exit,
	.test_cases = kernel_lmr_cases,
};

kunit_test_suite(kernel_lmr_suite);

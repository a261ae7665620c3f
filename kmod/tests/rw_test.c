// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RDMA by scatterlists: what is posted for which list, what follows it, when it is over,
 * what is left.
 */

#include <linux/gfp.h>

#include <dat2/kdat_ext.h>

#include "../kapi/kapi.h"
#include "../bounce.h"
#include "../rw.h"
#include "env.h"

#define DEPTH		64
#define ORDER		5		/* of the memory: more than one part of it */
#define MR_PAGES	4		/* that the device registers at once */
#define REMOTE		0x7f0000000123ULL
#define RKEY		0x5566
#define MAX_ENTRIES	32
#define THREE		15		/* pages: as many requests, not registered */

/* Of the test that runs: memory, and a list of pieces of it. */
static struct page *memory;
static struct scatterlist list[MAX_ENTRIES];

static int rw_init(struct kunit *test)
{
	int ret = env_init_kernel(test);
	struct env *env = test->priv;

	if (ret)
		return ret;
	env->ia->local_key = true;
	memory = alloc_pages(GFP_KERNEL | __GFP_COMP, ORDER);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	return 0;
}

static void rw_exit(struct kunit *test)
{
	env_exit(test);
	__free_pages(memory, ORDER);
}

/* As much of the memory as entry @n is to have. */
static void entry(unsigned int n, unsigned int offset, unsigned int length)
{
	sg_set_page(&list[n], memory, length, offset);
}

/* Every second page, back to front: nothing can be merged. */
static void list_pages(unsigned int n)
{
	unsigned int i;

	sg_init_table(list, n);
	for (i = 0; i < n; i++)
		entry(i, 2 * (n - 1 - i) * PAGE_SIZE, PAGE_SIZE);
}

static u64 address(unsigned int offset)
{
	return (uintptr_t)page_address(memory) + offset;
}

static struct kdapl_rw_post request(enum dma_data_direction dir,
				    unsigned int nents, u32 length)
{
	return (struct kdapl_rw_post){
		.sgl = list,
		.nents = nents,
		.dir = dir,
		.remote_addr = REMOTE,
		.rkey = RKEY,
		.length = length,
		.cookie = 7,
	};
}

static int rw(const struct test_ep *tep, enum dma_data_direction dir,
	      unsigned int nents, u32 length)
{
	const struct kdapl_rw_post post = request(dir, nents, length);

	return kdapl_rw(tep->ep, &post);
}

static struct test_ep connected(struct env *env, u32 depth)
{
	struct test_ep tep = env_ep(env, depth);

	env_connect(env, &tep);
	return tep;
}

static void finish(struct env *env, const struct test_ep *tep, u32 n,
		   enum ib_wc_status status)
{
	KUNIT_EXPECT_EQ(env->test, fake_complete(env_qp(tep), &env_qp(tep)->sq,
						 n, status), n);
}

static u32 outstanding(const struct test_ep *tep)
{
	const struct fake_queue *sq = &env_qp(tep)->sq;

	return sq->head - sq->tail;
}

/* The one event of an operation; and nothing is mapped any more. */
static void expect_over(struct env *env, struct test_ep *tep,
			enum dat_dtos operation, u8 status, u32 length)
{
	struct kdapl_event event = prog_next(&tep->request);

	KUNIT_EXPECT_EQ(env->test, event.type, DAT_DTO_COMPLETION_EVENT);
	KUNIT_EXPECT_EQ(env->test, event.cookie, 7);
	KUNIT_EXPECT_EQ(env->test, KDAPL_DTO_STATUS(event.status), status);
	KUNIT_EXPECT_EQ(env->test, KDAPL_DTO_OPERATION(event.status), operation);
	KUNIT_EXPECT_EQ(env->test, event.length, length);
	EXPECT_NO_EVENT(env->test, &tep->request);
	KUNIT_EXPECT_EQ(env->test, fake_cm.mapped, 0);
}

static void expect_rdma(struct kunit *test, const struct test_ep *tep, u32 n,
			enum ib_wr_opcode opcode, u64 offset, int num_sge)
{
	const struct fake_wr *wr = fake_wr(&env_qp(tep)->sq, n);

	KUNIT_EXPECT_EQ(test, wr->opcode, opcode);
	KUNIT_EXPECT_EQ(test, wr->send_flags & ~IB_SEND_SIGNALED, 0);
	KUNIT_EXPECT_EQ(test, wr->remote_addr, REMOTE + offset);
	KUNIT_EXPECT_EQ(test, wr->rkey, RKEY);
	KUNIT_EXPECT_EQ(test, wr->num_sge, num_sge);
}

/* Which of the requests from @n tell that they are done: a bit each. */
static void expect_tells(struct kunit *test, const struct test_ep *tep, u32 n,
			 unsigned int count, unsigned int bits)
{
	unsigned int i, tell = 0;

	for (i = 0; i < count; i++)
		if (fake_wr(&env_qp(tep)->sq, n + i)->send_flags &
		    IB_SEND_SIGNALED)
			tell |= BIT(i);
	KUNIT_EXPECT_EQ(test, tell, bits);
}

static void expect_sge(struct kunit *test, const struct test_ep *tep, u32 n,
		       unsigned int i, unsigned int offset, u32 length)
{
	const struct ib_sge *sge = &fake_wr(&env_qp(tep)->sq, n)->sge[i];

	KUNIT_EXPECT_EQ(test, sge->addr, address(offset));
	KUNIT_EXPECT_EQ(test, sge->length, length);
	KUNIT_EXPECT_EQ(test, sge->lkey, FAKE_LOCAL_KEY);
}

/* ---- without registration ----------------------------------------------- */

static void rw_writes(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);

	sg_init_table(list, 8);
	entry(0, 100, 50);
	entry(1, 3 * PAGE_SIZE + 1, 2 * PAGE_SIZE);
	entry(2, 7, 0);
	entry(3, PAGE_SIZE, 1);
	entry(4, 0, 10);
	entry(5, 20, 10);
	entry(6, 40, 10);
	entry(7, 60, 9);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_TO_DEVICE, 8, 2 * PAGE_SIZE + 90), 0);
	/* What the list says is done with. */
	sg_init_table(list, 8);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 2);
	expect_rdma(test, &tep, 0, IB_WR_RDMA_WRITE, 0, KDAPL_SEGS_MAX);
	expect_sge(test, &tep, 0, 0, 100, 50);
	expect_sge(test, &tep, 0, 1, 3 * PAGE_SIZE + 1, 2 * PAGE_SIZE);
	expect_sge(test, &tep, 0, 2, PAGE_SIZE, 1);
	expect_rdma(test, &tep, 1, IB_WR_RDMA_WRITE, 2 * PAGE_SIZE + 81, 1);
	expect_sge(test, &tep, 1, 0, 60, 9);

	finish(env, &tep, 1, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 1);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS,
		    2 * PAGE_SIZE + 90);
}

/* The last one does, and one in a quarter of the queue. */
static void rw_tells(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	u32 i;

	list_pages(15);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_TO_DEVICE, 15, 15 * PAGE_SIZE), 0);
	expect_tells(test, &tep, 0, 3, BIT(2));
	finish(env, &tep, 3, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS,
		    15 * PAGE_SIZE);
	/* A queue of its size has room for it each time: nothing is lost. */
	tep = connected(env, 8);
	for (i = 0; i < 5; i++) {
		KUNIT_ASSERT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 15,
					 15 * PAGE_SIZE), 0);
		expect_tells(test, &tep, 3 * i, 3, BIT(1) | BIT(2));
		finish(env, &tep, 3, IB_WC_SUCCESS);
		expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS,
			    15 * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, tep.ep->sq.hw, 0);
	}
}

/* The last one was not done: the event does not say that those before it were. */
static void rw_silent_and_flushed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);

	list_pages(15);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_TO_DEVICE, 15, 15 * PAGE_SIZE), 0);
	finish(env, &tep, 2, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_EQ(test, tep.ep->sq.hw, 3);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	KUNIT_EXPECT_EQ(test, tep.ep->sq.hw, 0);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_ERR_FLUSHED, 0);
}

/* The queue pair goes with requests that nobody told of. */
static void rw_silent_and_stuck(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);

	list_pages(15);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_TO_DEVICE, 15, 15 * PAGE_SIZE), 0);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	env_qp(&tep)->stuck = true;
	kdapl_ep_kill(tep.ep);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_ERR_FLUSHED, 0);
	KUNIT_EXPECT_EQ(test, tep.ep->sq.hw, 0);
}

/* The length is the peer's; and one request is enough for one entry. */
static void rw_reads(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);

	list_pages(3);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 3, PAGE_SIZE + 1), 0);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 1);
	expect_rdma(test, &tep, 0, IB_WR_RDMA_READ, 0, 2);
	expect_sge(test, &tep, 0, 0, 4 * PAGE_SIZE, PAGE_SIZE);
	expect_sge(test, &tep, 0, 1, 2 * PAGE_SIZE, 1);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS,
		    PAGE_SIZE + 1);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 3, 64), 0);
	expect_rdma(test, &tep, 1, IB_WR_RDMA_READ, 0, 1);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS, 64);
}

/* What is moved begins, and ends, anywhere in the list. */
static void rw_from_the_midst(struct kunit *test)
{
	struct kdapl_rw_post post = request(DMA_TO_DEVICE, 4, 20);
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	u32 i;

	sg_init_table(list, 4);
	entry(0, 100, 50);
	entry(1, 7, 0);
	entry(2, PAGE_SIZE, 10);
	entry(3, 200, 30);
	post.offset = 45;
	KUNIT_ASSERT_EQ(test, kdapl_rw(tep.ep, &post), 0);
	expect_rdma(test, &tep, 0, IB_WR_RDMA_WRITE, 0, 3);
	expect_sge(test, &tep, 0, 0, 145, 5);
	expect_sge(test, &tep, 0, 1, PAGE_SIZE, 10);
	expect_sge(test, &tep, 0, 2, 200, 5);
	/* From where an entry begins, and to the list's end. */
	for (i = 1; i < 3; i++) {
		post.offset = i == 1 ? 50 : 60;
		post.length = 90 - post.offset;
		post.dir = DMA_FROM_DEVICE;
		KUNIT_ASSERT_EQ(test, kdapl_rw(tep.ep, &post), 0);
		expect_rdma(test, &tep, i, IB_WR_RDMA_READ, 0, 3 - i);
		expect_sge(test, &tep, i, 2 - i, 200, 30);
	}
	finish(env, &tep, 3, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, prog_events(&tep.request), 3);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
}

/* No request is longer than the device's longest message. */
static void rw_long(struct kunit *test)
{
	const u32 length = (PAGE_SIZE << ORDER) - 5;
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);

	KUNIT_ASSERT_GT(test, length, ENV_MAX_MESSAGE);
	sg_init_table(list, 2);
	entry(0, 5, 10);
	entry(1, 15, length - 10);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, length), 0);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 2);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 2);
	/* The first piece counts for a page. */
	expect_rdma(test, &tep, 0, IB_WR_RDMA_WRITE, 0, 2);
	expect_sge(test, &tep, 0, 0, 5, 10);
	expect_sge(test, &tep, 0, 1, 15, ENV_MAX_MESSAGE - PAGE_SIZE - 15);
	expect_rdma(test, &tep, 1, IB_WR_RDMA_WRITE,
		    ENV_MAX_MESSAGE - PAGE_SIZE - 5, 1);
	expect_sge(test, &tep, 1, 0, ENV_MAX_MESSAGE - PAGE_SIZE,
		   length + 5 - (ENV_MAX_MESSAGE - PAGE_SIZE));
	finish(env, &tep, 2, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS, length);
}

/* ---- with registration -------------------------------------------------- */

static void make_iwarp(struct env *env)
{
	fake_dev_iwarp(env->dev);
	env->ia->iwarp = true;
	env->dev->ib.attrs.max_fast_reg_page_list_len = MR_PAGES;
}

/* A registration and the read into it: requests @n and @n + 1. */
static void expect_pair(struct kunit *test, const struct test_ep *tep, u32 n,
			u64 offset, u32 length)
{
	const struct fake_wr *reg = fake_wr(&env_qp(tep)->sq, n);
	const struct fake_wr *read = fake_wr(&env_qp(tep)->sq, n + 1);

	KUNIT_EXPECT_EQ(test, reg->opcode, IB_WR_REG_MR);
	KUNIT_EXPECT_EQ(test, reg->send_flags, IB_SEND_SIGNALED);
	KUNIT_EXPECT_EQ(test, reg->access,
			IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE);
	expect_rdma(test, tep, n + 1, IB_WR_RDMA_READ_WITH_INV, offset, 1);
	KUNIT_EXPECT_EQ(test, read->inv_key, reg->rkey);
	KUNIT_EXPECT_EQ(test, read->sge[0].lkey, reg->rkey);
	KUNIT_EXPECT_EQ(test, read->sge[0].length, length);
}

/* An MR has so many pages, and no gaps. */
static void rw_registers(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep;
	u32 length;

	make_iwarp(env);
	tep = connected(env, DEPTH);
	sg_init_table(list, 5);
	entry(0, 24, 6 * PAGE_SIZE);		/* longer than an MR */
	entry(1, 8 * PAGE_SIZE + 1, 9);		/* begins and ends in a page */
	entry(2, 10 * PAGE_SIZE, PAGE_SIZE);
	entry(3, 12 * PAGE_SIZE, PAGE_SIZE);	/* as it should be */
	entry(4, 14 * PAGE_SIZE, 77);
	length = 8 * PAGE_SIZE + 86;
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 5, length), 0);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 8);
	expect_pair(test, &tep, 0, 0, 4 * PAGE_SIZE - 24);
	expect_pair(test, &tep, 2, 4 * PAGE_SIZE - 24, 2 * PAGE_SIZE + 24);
	expect_pair(test, &tep, 4, 6 * PAGE_SIZE, 9);
	expect_pair(test, &tep, 6, 6 * PAGE_SIZE + 9, 2 * PAGE_SIZE + 77);
	/* Over iWARP all tell. */
	expect_tells(test, &tep, 0, 8, GENMASK(7, 0));
	finish(env, &tep, 7, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 4);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS, length);
}

/* The pool grows to what is out at once, and goes with the queue pair. */
static void rw_pool(struct kunit *test)
{
	struct env *env = test->priv;
	int others = env->dev->mrs, i;
	struct test_ep tep;

	make_iwarp(env);
	tep = connected(env, DEPTH);
	list_pages(4);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 4, 64), 0);
		finish(env, &tep, 2, IB_WC_SUCCESS);
		expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS, 64);
		KUNIT_EXPECT_EQ(test, env->dev->mrs, others + 1);
	}
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 4, 64), 0);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 4, 64), 0);
	KUNIT_EXPECT_EQ(test, env->dev->mrs, others + 2);
	env->dev->no_mr = true;
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 4, 64), -ENOMEM);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 2);
	/* To write it is not needed. */
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 4, 4 * PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, env->dev->mrs, others + 2);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 5);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	KUNIT_EXPECT_EQ(test, env->dev->mrs, others);
	KUNIT_EXPECT_EQ(test, prog_events(&tep.request), 3);
}

/* Where the pool is empty, too: an MR is there before rdma_rw looks for one. */
static void rw_prefers_registration(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, 2);

	env->dev->ib.attrs.max_sgl_rd = 2;
	env->dev->ib.attrs.max_fast_reg_page_list_len = 16;
	list_pages(THREE);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_FROM_DEVICE, THREE,
				 THREE * PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 2);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 0)->opcode,
			IB_WR_REG_MR);
	expect_rdma(test, &tep, 1, IB_WR_RDMA_READ, 0, 1);
	finish(env, &tep, 2, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS,
		    THREE * PAGE_SIZE);
}

/* ---- by copies, without a key for all memory ------------------------------ */

#define COPIED	(KDAPL_BOUNCE_SIZE + 4464)	/* bytes of two pieces */

static u8 pattern(u32 at, u8 seed)
{
	return (at * 2654435761U >> 24) + seed;
}

/* The bytes of entry 0, and then those of entry 1. */
static u8 *byte_of_list(u32 at)
{
	unsigned int n = at < list[0].length ? 0 : 1;

	return (u8 *)sg_virt(&list[n]) + at - (n ? list[0].length : 0);
}

/* Two entries, which border nowhere and begin within a page. */
static struct test_ep copying(struct kunit *test, u32 depth)
{
	struct env *env = test->priv;

	env->ia->local_key = false;
	sg_init_table(list, 2);
	entry(0, 3 * PAGE_SIZE + 5, 70);
	entry(1, 4 * PAGE_SIZE + 1, COPIED - 70);
	return connected(env, depth);
}

/* Request @n's memory. */
static u8 *copy_of(struct kunit *test, const struct test_ep *tep, u32 n,
		   enum ib_wr_opcode opcode, u64 offset, u32 length)
{
	const struct ib_sge *sge = &fake_wr(&env_qp(tep)->sq, n)->sge[0];

	expect_rdma(test, tep, n, opcode, offset, 1);
	KUNIT_EXPECT_EQ(test, sge->length, length);
	KUNIT_EXPECT_GE(test, sge->lkey, FAKE_LKEY);
	return (u8 *)(uintptr_t)sge->addr;
}

static void rw_copies_to_write(struct kunit *test)
{
	struct test_ep tep = copying(test, DEPTH);
	struct env *env = test->priv;
	u32 i, wrong = 0;
	u8 *at[2];

	for (i = 0; i < COPIED; i++)
		*byte_of_list(i) = pattern(i, 1);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, COPIED), 0);
	KUNIT_ASSERT_EQ(test, outstanding(&tep), 2);
	at[0] = copy_of(test, &tep, 0, IB_WR_RDMA_WRITE, 0, KDAPL_BOUNCE_SIZE);
	at[1] = copy_of(test, &tep, 1, IB_WR_RDMA_WRITE, KDAPL_BOUNCE_SIZE,
			COPIED - KDAPL_BOUNCE_SIZE);
	for (i = 0; i < COPIED; i++)
		wrong += at[i / KDAPL_BOUNCE_SIZE][i % KDAPL_BOUNCE_SIZE] !=
			 pattern(i, 1);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS, COPIED);
}

static void rw_copies_what_was_read(struct kunit *test)
{
	struct test_ep tep = copying(test, DEPTH);
	struct env *env = test->priv;
	u32 i, wrong = 0;
	u8 *at[2];

	memset(page_address(memory), 0, PAGE_SIZE << ORDER);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, COPIED - 1), 0);
	KUNIT_ASSERT_EQ(test, outstanding(&tep), 2);
	at[0] = copy_of(test, &tep, 0, IB_WR_RDMA_READ, 0, KDAPL_BOUNCE_SIZE);
	at[1] = copy_of(test, &tep, 1, IB_WR_RDMA_READ, KDAPL_BOUNCE_SIZE,
			COPIED - 1 - KDAPL_BOUNCE_SIZE);
	for (i = 0; i < COPIED; i++)
		at[i / KDAPL_BOUNCE_SIZE][i % KDAPL_BOUNCE_SIZE] = pattern(i, 2);
	finish(env, &tep, 2, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS, COPIED - 1);
	for (i = 0; i < COPIED - 1; i++)
		wrong += *byte_of_list(i) != pattern(i, 2);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	/* The list is longer than what was asked for. */
	KUNIT_EXPECT_EQ(test, *byte_of_list(COPIED - 1), 0);
}

/* Not the bytes before, nor those behind. */
static void rw_copies_from_the_midst(struct kunit *test)
{
	struct kdapl_rw_post post = request(DMA_FROM_DEVICE, 2, 100);
	struct test_ep tep = copying(test, DEPTH);
	struct env *env = test->priv;
	u32 i, wrong = 0;

	memset(page_address(memory), 0, PAGE_SIZE << ORDER);
	post.offset = COPIED - 200;
	KUNIT_ASSERT_EQ(test, kdapl_rw(tep.ep, &post), 0);
	memset(copy_of(test, &tep, 0, IB_WR_RDMA_READ, 0, 100), 0x33, 100);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS, 100);
	for (i = 0; i < COPIED; i++)
		wrong += *byte_of_list(i) !=
			 (i >= COPIED - 200 && i < COPIED - 100 ? 0x33 : 0);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

/* What did not come is not copied. */
static void rw_copies_no_failure(struct kunit *test)
{
	struct test_ep tep = copying(test, DEPTH);
	struct env *env = test->priv;

	memset(page_address(memory), 0x11, PAGE_SIZE << ORDER);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, COPIED), 0);
	memset(copy_of(test, &tep, 1, IB_WR_RDMA_READ, KDAPL_BOUNCE_SIZE,
		       COPIED - KDAPL_BOUNCE_SIZE), 0x22, 8);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	finish(env, &tep, 1, IB_WC_REM_ACCESS_ERR);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_ERR_REMOTE_ACCESS, 0);
	KUNIT_EXPECT_EQ(test, *byte_of_list(KDAPL_BOUNCE_SIZE), 0x11);
	/* All of it came back. */
	KUNIT_EXPECT_EQ(test, tep.ep->num_bounces, 2);
}

/* It is made when it is needed, used again, and no more than there may be. */
/* The next peer gets memory that the one before knows no key of, and has nothing in it. */
static void rw_copies_for_one_peer(struct kunit *test)
{
	struct test_ep tep = copying(test, DEPTH);
	struct env *env = test->priv;

	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, COPIED), 0);
	finish(env, &tep, 2, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS, COPIED);
	KUNIT_EXPECT_EQ(test, tep.ep->num_bounces, 2);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	KUNIT_EXPECT_EQ(test, tep.ep->num_bounces, 2);
	KUNIT_EXPECT_EQ(test, kdapl_ep_reset(tep.ep), 0);
	KUNIT_EXPECT_EQ(test, tep.ep->num_bounces, 0);
}

/* The PD is gone as well. */
static void rw_copies_nothing_without_a_device(struct kunit *test)
{
	struct test_ep tep = copying(test, DEPTH);
	struct env *env = test->priv;
	struct ib_pd *pd = tep.ep->pz->pd;

	kdapl_ep_kill(tep.ep);
	tep.ep->pz->pd = NULL;
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, COPIED), 0);
	tep.ep->pz->pd = pd;
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_ERR_FLUSHED, 0);
}

static void rw_copies_room(struct kunit *test)
{
	struct test_ep tep = copying(test, KDAPL_BOUNCES + 8);
	struct env *env = test->priv;
	int before = fake_cm.registered, i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, 64), 0);
		finish(env, &tep, 1, IB_WC_SUCCESS);
		expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS, 64);
		KUNIT_EXPECT_EQ(test, fake_cm.registered, before + 1);
	}
	for (i = 0; i < KDAPL_BOUNCES - 1; i++)
		KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, 64), 0);
	/* One is left, and taken by nobody who needs two. */
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, COPIED), -ENOSPC);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, 64), 0);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, 64), -ENOSPC);
	KUNIT_EXPECT_EQ(test, fake_cm.registered, before + KDAPL_BOUNCES);
	finish(env, &tep, 2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, COPIED), 0);
	KUNIT_EXPECT_EQ(test, fake_cm.registered, before + KDAPL_BOUNCES);
	KUNIT_EXPECT_EQ(test, prog_events(&tep.request), 2);
	KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(env->ia, tep.id, KDAPL_OBJ_EP), 0);
	KUNIT_EXPECT_EQ(test, fake_cm.registered, before);
}

/* As many requests as the EP never has room for: nothing is made for them. */
static void rw_copies_too_much(struct kunit *test)
{
	struct test_ep tep = copying(test, 1);
	int before = fake_cm.registered;

	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, COPIED), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, fake_cm.registered, before);
	KUNIT_EXPECT_EQ(test, tep.ep->num_bounces, 0);
}

/* What it has is registered for no less than a piece. */
static void rw_cannot_copy(struct kunit *test)
{
	struct test_ep tep = copying(test, DEPTH);

	tep.ep->obj.ia->max_lmr_size = KDAPL_BOUNCE_SIZE - 1;
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, COPIED), -EOPNOTSUPP);
	tep.ep->obj.ia->max_lmr_size = KDAPL_BOUNCE_SIZE;
	tep.ep->rdma_read_out = 0;
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, 64), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 0);
}

/* ---- what goes wrong ---------------------------------------------------- */

/* What fails first is told. */
static void rw_fails(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);

	list_pages(15);
	KUNIT_ASSERT_EQ(test, rw(&tep, DMA_TO_DEVICE, 15, 15 * PAGE_SIZE), 0);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	/* The rest is flushed at once: the connection ends. */
	fake_report(env_qp(&tep), &env_qp(&tep)->sq, 1, IB_WC_REM_ACCESS_ERR);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_ERR_REMOTE_ACCESS, 0);
	/* It is queued after the state is stored. */
	EXPECT_SOON(test, prog_events(&tep.conn) == 1);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
}

static void rw_refused(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);

	list_pages(15);
	env_qp(&tep)->post_error = -ENOMEM;
	env_qp(&tep)->post_good = 1;
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 15, 15 * PAGE_SIZE), 0);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	/* The one that was taken came back flushed, and first. */
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_ERR_LOCAL_EP, 0);
}

static void rw_flushed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep;

	make_iwarp(env);
	tep = connected(env, DEPTH);
	list_pages(10);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 10, 10 * PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 3);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_ERR_FLUSHED, 0);
	/* From now on it takes one slot, and the device knows nothing of it. */
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 10, 10 * PAGE_SIZE), 0);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_ERR_FLUSHED, 0);
	kdapl_ep_kill(tep.ep);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 10, 10 * PAGE_SIZE), 0);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_ERR_FLUSHED, 0);
}

/* The queue pair and its MRs go, whatever the device still has. */
static void rw_stuck(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep;

	make_iwarp(env);
	tep = connected(env, DEPTH);
	list_pages(10);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 10, 10 * PAGE_SIZE), 0);
	finish(env, &tep, 3, IB_WC_SUCCESS);
	env_qp(&tep)->stuck = true;
	kdapl_ep_kill(tep.ep);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_ERR_FLUSHED, 0);
}

/* All of its requests are posted, or none. */
static void rw_room(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, 3);

	list_pages(15);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 1, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 15, 15 * PAGE_SIZE),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 1);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 1);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 15, 15 * PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 1, PAGE_SIZE), -ENOSPC);
	finish(env, &tep, 3, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS,
		    15 * PAGE_SIZE);
}

static void rw_checks(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = env_ep(env, DEPTH);
	struct kdapl_rw_post post;

	list_pages(2);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, 2 * PAGE_SIZE),
			-EBADFD);
	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, 2 * PAGE_SIZE + 1),
			-EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, 2 * PAGE_SIZE + 1),
			-EMSGSIZE);
	post = request(DMA_FROM_DEVICE, 2, PAGE_SIZE);
	post.offset = PAGE_SIZE + 1;
	KUNIT_EXPECT_EQ(test, kdapl_rw(tep.ep, &post), -EMSGSIZE);
	/* No sum to run over. */
	post.offset = SIZE_MAX;
	KUNIT_EXPECT_EQ(test, kdapl_rw(tep.ep, &post), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 3, 2 * PAGE_SIZE),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, 0), -EINVAL);
	env->dev->map_error = -EREMOTEIO;
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, PAGE_SIZE),
			-EREMOTEIO);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 0);
	EXPECT_NO_EVENT(test, &tep.request);
}

/* A device that does not say how many segments it reads into may write. */
static void rw_unknown_read_segments(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);

	env_qp(&tep)->ib.max_read_sge = 0;
	list_pages(2);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, 2 * PAGE_SIZE),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, 2 * PAGE_SIZE), 0);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS,
		    2 * PAGE_SIZE);
}

/* Nor one whose MRs have no pages. */
static void rw_without_pages(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep;

	make_iwarp(env);
	env->dev->ib.attrs.max_fast_reg_page_list_len = 0;
	tep = connected(env, DEPTH);
	list_pages(1);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 1, PAGE_SIZE),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 0);
}

/* ---- by the call of the API --------------------------------------------- */

#define EXPECT_TYPE(test, call, type) \
	KUNIT_EXPECT_EQ(test, (u32)(type), DAT_GET_TYPE(call))

static struct kapi_ep door(const struct test_ep *tep)
{
	return (struct kapi_ep){
		.obj.magic = KAPI_MAGIC,
		.obj.type = DAT_HANDLE_TYPE_EP,
		.obj.core = &tep->ep->obj,
		.obj.id = tep->id,
	};
}

static void rw_by_call(struct kunit *test)
{
	const DAT_DTO_COOKIE cookie = { .as_64 = 7 };
	DAT_RMR_TRIPLET remote = { REMOTE, 2 * PAGE_SIZE, RKEY };
	struct env *env = test->priv;
	struct test_ep tep = connected(env, 1);
	struct kapi_ep kep = door(&tep);

	list_pages(2);
	EXPECT_TYPE(test, dat_ext_ep_rw(NULL, list, 2, 0, &remote, DMA_TO_DEVICE,
					cookie), DAT_INVALID_HANDLE);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, NULL, 2, 0, &remote, DMA_TO_DEVICE,
					cookie), DAT_INVALID_PARAMETER);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, list, 2, 0, NULL, DMA_TO_DEVICE,
					cookie), DAT_INVALID_PARAMETER);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, list, 2, 0, &remote,
					DMA_BIDIRECTIONAL, cookie),
		    DAT_INVALID_PARAMETER);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, list, 1, 0, &remote, DMA_TO_DEVICE,
					cookie), DAT_LENGTH_ERROR);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, list, 2, 0, &remote, DMA_TO_DEVICE,
					cookie), DAT_SUCCESS);
	KUNIT_EXPECT_EQ(test, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES,
					DAT_RESOURCE_CREDITS),
			dat_ext_ep_rw(&kep, list, 2, 0, &remote, DMA_TO_DEVICE,
				      cookie));
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS,
		    2 * PAGE_SIZE);

	/* Of nothing at all. */
	remote.segment_length = 0;
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, NULL, 0, 0, &remote, DMA_FROM_DEVICE,
					cookie), DAT_SUCCESS);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS, 0);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, NULL, 0, 0, &remote, DMA_TO_DEVICE,
					cookie), DAT_SUCCESS);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS, 0);
	/* And of nothing of a list. */
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, list, 2, 0, &remote, DMA_TO_DEVICE,
					cookie), DAT_SUCCESS);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS, 0);
}

/* What the manual names, and nothing internal. */
static void rw_map_errors(struct kunit *test)
{
	static const struct {
		int error;
		DAT_RETURN ret;
	} row[] = {
		{ -EIO, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES,
				  DAT_RESOURCE_MEMORY) },
		{ -EAGAIN, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES,
				     DAT_RESOURCE_MEMORY) },
		{ -ENOMEM, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES,
				     DAT_RESOURCE_MEMORY) },
		{ -EREMOTEIO, DAT_ERROR(DAT_INVALID_PARAMETER,
					DAT_INVALID_ARG2) },
	};
	const DAT_DTO_COOKIE cookie = { .as_64 = 7 };
	const DAT_RMR_TRIPLET remote = { REMOTE, 2 * PAGE_SIZE, RKEY };
	struct env *env = test->priv;
	struct test_ep tep = connected(env, 1);
	struct kapi_ep kep = door(&tep);
	u32 i;

	list_pages(2);
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		env->dev->map_error = row[i].error;
		KUNIT_EXPECT_EQ(test, row[i].ret,
				dat_ext_ep_rw(&kep, list, 2, 0, &remote,
					      DMA_TO_DEVICE, cookie));
	}
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 0);
	EXPECT_NO_EVENT(test, &tep.request);
}

/* ---- what follows ------------------------------------------------------- */

/* What follows a transfer: a write, and a message that tells of both. */
struct follow {
	DAT_LMR_TRIPLET iov;
	DAT_EXT_DTO dto[2];
};

static void follow_init(const struct env *env, struct follow *follow)
{
	*follow = (struct follow){
		.iov = { ENV_LMR_ADDR, 64, env->lmr },
		.dto[0] = {
			.op = DAT_DTO_RDMA_WRITE,
			.remote = { 0x99, 64, 0x77 },
			.cookie.as_64 = 8,
		},
		.dto[1] = {
			.op = DAT_DTO_SEND,
			.flags = DAT_COMPLETION_BARRIER_FENCE_FLAG,
			.cookie.as_64 = 9,
			.invalidate = DAT_TRUE,
			.rmr_context = 0x44,
		},
	};
	follow->dto[0].num_segments = 1;
	follow->dto[0].iov = &follow->iov;
	follow->dto[1].num_segments = 1;
	follow->dto[1].iov = &follow->iov;
}

/* Of @nents pages, with both behind it. */
static DAT_RETURN transfer(const struct test_ep *tep,
			   enum dma_data_direction dir, unsigned int nents,
			   DAT_COMPLETION_FLAGS flags,
			   const struct follow *follow)
{
	const DAT_RMR_TRIPLET remote = { REMOTE, nents * PAGE_SIZE, RKEY };
	const DAT_DTO_COOKIE cookie = { .as_64 = 7 };
	struct kapi_ep kep = door(tep);

	list_pages(nents);
	return dat_ext_ep_transfer(&kep, list, nents, 0, &remote, dir, cookie,
				   flags, 2, follow->dto);
}

static void expect_follows(struct kunit *test, const struct test_ep *tep, u32 n)
{
	const struct fake_wr *wr = fake_wr(&env_qp(tep)->sq, n);

	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_RDMA_WRITE);
	KUNIT_EXPECT_EQ(test, wr->remote_addr, 0x99);
	KUNIT_EXPECT_EQ(test, wr->rkey, 0x77);
	KUNIT_EXPECT_EQ(test, wr->sge[0].addr, ENV_LMR_ADDR);
	wr = fake_wr(&env_qp(tep)->sq, n + 1);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_SEND_WITH_INV);
	KUNIT_EXPECT_EQ(test, wr->inv_key, 0x44);
	KUNIT_EXPECT_EQ(test, wr->send_flags,
			IB_SEND_SIGNALED | IB_SEND_FENCE);
}

/* All of it ended like this, in its order, and nothing is left. */
static void expect_ends(struct env *env, struct test_ep *tep, u8 transfer,
			u8 first, u8 second)
{
	EXPECT_DTO(env->test, &tep->request, 7, transfer);
	EXPECT_DTO(env->test, &tep->request, 8, first);
	EXPECT_DTO(env->test, &tep->request, 9, second);
	EXPECT_NO_EVENT(env->test, &tep->request);
	KUNIT_EXPECT_EQ(env->test, fake_cm.mapped, 0);
}

static void expect_untouched(struct kunit *test, struct test_ep *tep)
{
	KUNIT_EXPECT_EQ(test, outstanding(tep), 0);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
	KUNIT_EXPECT_EQ(test, env_qp(tep)->calls, 0);
	EXPECT_NO_EVENT(test, &tep->request);
	KUNIT_EXPECT_EQ(test, prog_ep(tep, state), KDAPL_EP_CONNECTED);
}

/* One call of the driver, whose order is that of the events. */
static void transfer_is_one_chain(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, 5);
	struct follow follow;
	u32 i;

	follow_init(env, &follow);
	EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, THREE,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_SUCCESS);
	/* Nobody looks at it any more. */
	memset(&follow, 0, sizeof(follow));
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->calls, 1);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 5);
	for (i = 0; i < 3; i++)
		expect_rdma(test, &tep, i, IB_WR_RDMA_WRITE,
			    i * KDAPL_SEGS_MAX * PAGE_SIZE,
			    i < 2 ? KDAPL_SEGS_MAX : 3);
	expect_follows(test, &tep, 3);
	expect_tells(test, &tep, 0, 5, GENMASK(4, 0));
	finish(env, &tep, 2, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, prog_events(&tep.request), 1);
	finish(env, &tep, 2, IB_WC_SUCCESS);
	expect_ends(env, &tep, DAT_DTO_SUCCESS, DAT_DTO_SUCCESS,
		    DAT_DTO_SUCCESS);
}

/* What follows tells of the transfer, and does not come before its event. */
static void transfer_is_silent(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct follow follow;

	follow_init(env, &follow);
	EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, THREE,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_SUCCESS);
	expect_tells(test, &tep, 0, 5, BIT(3) | BIT(4));
	finish(env, &tep, 3, IB_WC_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_EQ(test, tep.ep->sq.hw, 5);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, prog_events(&tep.request), 2);
	KUNIT_EXPECT_EQ(test, tep.ep->sq.hw, 1);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_ends(env, &tep, DAT_DTO_SUCCESS, DAT_DTO_SUCCESS,
		    DAT_DTO_SUCCESS);
}

/* The same with registrations in the chain. */
static void transfer_registers(struct kunit *test)
{
	struct env *env = test->priv;
	struct follow follow;
	struct test_ep tep;

	make_iwarp(env);
	tep = connected(env, 6);
	follow_init(env, &follow);
	EXPECT_TYPE(test, transfer(&tep, DMA_FROM_DEVICE, MR_PAGES + 2,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_SUCCESS);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->calls, 1);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 6);
	expect_pair(test, &tep, 0, 0, MR_PAGES * PAGE_SIZE);
	expect_pair(test, &tep, 2, MR_PAGES * PAGE_SIZE, 2 * PAGE_SIZE);
	expect_follows(test, &tep, 4);
	finish(env, &tep, 6, IB_WC_SUCCESS);
	expect_ends(env, &tep, DAT_DTO_SUCCESS, DAT_DTO_SUCCESS,
		    DAT_DTO_SUCCESS);
}

/* Its room is free again without an event of it. */
static void transfer_is_suppressed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, 5);
	struct follow follow;
	u32 i;

	follow_init(env, &follow);
	follow.dto[0].flags = DAT_COMPLETION_SUPPRESS_FLAG;
	for (i = 0; i < 3; i++) {
		EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, THREE,
					   DAT_COMPLETION_SUPPRESS_FLAG,
					   &follow), DAT_SUCCESS);
		finish(env, &tep, 4, IB_WC_SUCCESS);
		EXPECT_NO_EVENT(test, &tep.request);
		KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
		finish(env, &tep, 1, IB_WC_SUCCESS);
		EXPECT_DTO(test, &tep.request, 9, DAT_DTO_SUCCESS);
		EXPECT_NO_EVENT(test, &tep.request);
	}
}

/* Then there is an event of it, suppressed or not, and what follows is flushed. */
static void transfer_fails(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct follow follow;

	follow_init(env, &follow);
	EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, THREE,
				   DAT_COMPLETION_SUPPRESS_FLAG, &follow),
		    DAT_SUCCESS);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	fake_report(env_qp(&tep), &env_qp(&tep)->sq, 1, IB_WC_REM_ACCESS_ERR);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	expect_ends(env, &tep, DAT_DTO_ERR_REMOTE_ACCESS, DAT_DTO_ERR_FLUSHED,
		    DAT_DTO_ERR_FLUSHED);
	EXPECT_SOON(test, prog_events(&tep.conn) == 1);
	EXPECT_CONN(test, &tep.conn, DAT_CONNECTION_EVENT_BROKEN);
}

/* Also where its last request says that all is well. */
static void transfer_fails_at_first(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct fake_qp *qp = env_qp(&tep);
	struct follow follow;

	follow_init(env, &follow);
	EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, THREE,
				   DAT_COMPLETION_SUPPRESS_FLAG, &follow),
		    DAT_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_finish(qp, &qp->sq, 1, IB_WC_LOC_PROT_ERR),
			1);
	fake_report(qp, &qp->sq, 4, IB_WC_SUCCESS);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	expect_ends(env, &tep, DAT_DTO_ERR_LOCAL_PROTECTION, DAT_DTO_SUCCESS,
		    DAT_DTO_SUCCESS);
}

/* It and what follows, or nothing. */
static void transfer_room(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, 5);
	struct follow follow;

	follow_init(env, &follow);
	list_pages(1);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 1, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES,
					DAT_RESOURCE_CREDITS),
			transfer(&tep, DMA_TO_DEVICE, THREE,
				 DAT_COMPLETION_DEFAULT_FLAG, &follow));
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 1);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 1);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS, PAGE_SIZE);

	EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, THREE,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_SUCCESS);
	finish(env, &tep, 5, IB_WC_SUCCESS);
	expect_ends(env, &tep, DAT_DTO_SUCCESS, DAT_DTO_SUCCESS,
		    DAT_DTO_SUCCESS);
}

/* Not even in an EP that has nothing else: no wait would help. */
static void transfer_never_fits(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, 4);
	struct follow follow;

	follow_init(env, &follow);
	EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, THREE,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_LENGTH_ERROR);
	expect_untouched(test, &tep);
	/* What follows is too much by itself. */
	tep = connected(env, 2);
	EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, 1,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_LENGTH_ERROR);
	expect_untouched(test, &tep);
}

/* Of what follows something is wrong: nothing happened, and no key was used up. */
static void transfer_is_taken_back(struct kunit *test)
{
	struct env *env = test->priv;
	struct follow follow;
	struct test_ep tep;

	make_iwarp(env);
	tep = connected(env, 6);
	follow_init(env, &follow);
	follow.iov.lmr_context++;
	EXPECT_TYPE(test, transfer(&tep, DMA_FROM_DEVICE, MR_PAGES + 2,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_PROTECTION_VIOLATION);
	expect_untouched(test, &tep);
	follow.iov.lmr_context--;
	/* The second one alone. */
	follow.dto[1].op = DAT_DTO_RDMA_WRITE;
	follow.dto[1].remote.segment_length = 65;
	EXPECT_TYPE(test, transfer(&tep, DMA_FROM_DEVICE, MR_PAGES + 2,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_LENGTH_ERROR);
	expect_untouched(test, &tep);

	follow_init(env, &follow);
	EXPECT_TYPE(test, transfer(&tep, DMA_FROM_DEVICE, MR_PAGES + 2,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_SUCCESS);
	finish(env, &tep, 6, IB_WC_SUCCESS);
	expect_ends(env, &tep, DAT_DTO_SUCCESS, DAT_DTO_SUCCESS,
		    DAT_DTO_SUCCESS);
}

/* One slot for the transfer, and one for each that follows. */
static void transfer_is_flushed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, 3);
	struct follow follow;

	follow_init(env, &follow);
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(tep.ep, KDAPL_CLOSE_ABRUPT), 0);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, THREE,
				   DAT_COMPLETION_SUPPRESS_FLAG, &follow),
		    DAT_SUCCESS);
	expect_ends(env, &tep, DAT_DTO_ERR_FLUSHED, DAT_DTO_ERR_FLUSHED,
		    DAT_DTO_ERR_FLUSHED);
	follow.dto[1].op = DAT_DTO_BIND_MW;
	EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, THREE,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_INVALID_PARAMETER);
	EXPECT_NO_EVENT(test, &tep.request);
}

/* The driver takes some of the chain. */
static void transfer_is_not_posted(struct kunit *test)
{
	static const struct {
		unsigned int good;
		u8 transfer, first, second;
	} row[] = {
		{ 0, DAT_DTO_ERR_LOCAL_EP, DAT_DTO_ERR_FLUSHED,
		  DAT_DTO_ERR_FLUSHED },
		{ 2, DAT_DTO_ERR_LOCAL_EP, DAT_DTO_ERR_FLUSHED,
		  DAT_DTO_ERR_FLUSHED },
		{ 3, DAT_DTO_ERR_FLUSHED, DAT_DTO_ERR_LOCAL_EP,
		  DAT_DTO_ERR_FLUSHED },
		{ 4, DAT_DTO_ERR_FLUSHED, DAT_DTO_ERR_FLUSHED,
		  DAT_DTO_ERR_LOCAL_EP },
	};
	struct env *env = test->priv;
	struct follow follow;
	struct test_ep tep;
	u32 i;

	follow_init(env, &follow);
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		tep = connected(env, DEPTH);
		env_qp(&tep)->post_error = -ENOMEM;
		env_qp(&tep)->post_good = row[i].good;
		EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, THREE,
					   DAT_COMPLETION_SUPPRESS_FLAG,
					   &follow), DAT_SUCCESS);
		EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
		expect_ends(env, &tep, row[i].transfer, row[i].first,
			    row[i].second);
	}
}

/* The queue pair goes with all that it has of it. */
static void transfer_is_stuck(struct kunit *test)
{
	struct env *env = test->priv;
	struct follow follow;
	struct test_ep tep;

	make_iwarp(env);
	tep = connected(env, DEPTH);
	follow_init(env, &follow);
	EXPECT_TYPE(test, transfer(&tep, DMA_FROM_DEVICE, MR_PAGES + 2,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_SUCCESS);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	env_qp(&tep)->stuck = true;
	kdapl_ep_kill(tep.ep);
	expect_ends(env, &tep, DAT_DTO_ERR_FLUSHED, DAT_DTO_ERR_FLUSHED,
		    DAT_DTO_ERR_FLUSHED);
}

/* The peer serves none: they would be waited for without end. */
static void transfer_cannot_read(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct follow follow;

	follow_init(env, &follow);
	tep.ep->rdma_read_out = 0;
	EXPECT_TYPE(test, transfer(&tep, DMA_FROM_DEVICE, 1,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_MODEL_NOT_SUPPORTED);
	expect_untouched(test, &tep);
	follow.dto[0].op = DAT_DTO_RDMA_READ;
	EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, 1,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_INVALID_PARAMETER);
	expect_untouched(test, &tep);
	follow.dto[0].op = DAT_DTO_RDMA_WRITE;
	EXPECT_TYPE(test, transfer(&tep, DMA_TO_DEVICE, 1,
				   DAT_COMPLETION_DEFAULT_FLAG, &follow),
		    DAT_SUCCESS);
	finish(env, &tep, 3, IB_WC_SUCCESS);
	expect_ends(env, &tep, DAT_DTO_SUCCESS, DAT_DTO_SUCCESS,
		    DAT_DTO_SUCCESS);
}

static void transfer_checks(struct kunit *test)
{
	const DAT_RMR_TRIPLET remote = { REMOTE, PAGE_SIZE, RKEY };
	const DAT_DTO_COOKIE cookie = { .as_64 = 7 };
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct kapi_ep kep = door(&tep);
	struct follow follow;

	follow_init(env, &follow);
	list_pages(1);
#define EXPECT_BAD(arg, flags, num, dtos)				\
	KUNIT_EXPECT_EQ(test, DAT_ERROR(DAT_INVALID_PARAMETER, arg),	\
			dat_ext_ep_transfer(&kep, list, 1, 0, &remote, \
					    DMA_TO_DEVICE, cookie, flags, \
					    num, dtos))
	EXPECT_BAD(DAT_INVALID_ARG8, DAT_COMPLETION_SOLICITED_WAIT_FLAG, 0, NULL);
	EXPECT_BAD(DAT_INVALID_ARG8, DAT_COMPLETION_BARRIER_FENCE_FLAG, 0, NULL);
	EXPECT_BAD(DAT_INVALID_ARG9, 0, -1, follow.dto);
	EXPECT_BAD(DAT_INVALID_ARG9, 0, KDAPL_SQ_CHAIN, follow.dto);
	EXPECT_BAD(DAT_INVALID_ARG10, 0, 1, NULL);
	follow.dto[1].flags = DAT_COMPLETION_EVD_THRESHOLD_FLAG;
	EXPECT_BAD(DAT_INVALID_ARG10, 0, 2, follow.dto);
	follow.dto[0].op = DAT_DTO_RECEIVE;
	EXPECT_BAD(DAT_INVALID_ARG10, 0, 1, follow.dto);
	follow.dto[0].op = DAT_DTO_SEND;
	follow.dto[0].num_segments = KDAPL_SEGS_MAX + 1;
	EXPECT_BAD(DAT_INVALID_ARG10, 0, 1, follow.dto);
#undef EXPECT_BAD
	expect_untouched(test, &tep);
}

/* Of nothing at all: what follows comes behind it all the same, as many as ever. */
static void transfer_of_nothing(struct kunit *test)
{
	static DAT_EXT_DTO dtos[KDAPL_SQ_CHAIN - 1];
	const DAT_RMR_TRIPLET remote = { REMOTE, 0, RKEY };
	const DAT_DTO_COOKIE cookie = { .as_64 = 7 };
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct kapi_ep kep = door(&tep);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(dtos); i++) {
		dtos[i].op = DAT_DTO_SEND;
		dtos[i].cookie.as_64 = 8 + i;
	}
	EXPECT_TYPE(test, dat_ext_ep_transfer(&kep, NULL, 0, 0, &remote,
					      DMA_TO_DEVICE, cookie,
					      DAT_COMPLETION_SUPPRESS_FLAG,
					      ARRAY_SIZE(dtos), dtos),
		    DAT_SUCCESS);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->calls, 1);
	KUNIT_EXPECT_EQ(test, outstanding(&tep), KDAPL_SQ_CHAIN);
	expect_rdma(test, &tep, 0, IB_WR_RDMA_WRITE, 0, 0);
	finish(env, &tep, KDAPL_SQ_CHAIN, IB_WC_SUCCESS);
	for (i = 0; i < ARRAY_SIZE(dtos); i++)
		EXPECT_DTO(test, &tep.request, 8 + i, DAT_DTO_SUCCESS);
	EXPECT_NO_EVENT(test, &tep.request);
}

static struct kunit_case rw_cases[] = {
	KUNIT_CASE(rw_writes),
	KUNIT_CASE(rw_tells),
	KUNIT_CASE(rw_silent_and_flushed),
	KUNIT_CASE(rw_silent_and_stuck),
	KUNIT_CASE(rw_reads),
	KUNIT_CASE(rw_from_the_midst),
	KUNIT_CASE(rw_long),
	KUNIT_CASE(rw_registers),
	KUNIT_CASE(rw_pool),
	KUNIT_CASE(rw_copies_to_write),
	KUNIT_CASE(rw_copies_what_was_read),
	KUNIT_CASE(rw_copies_from_the_midst),
	KUNIT_CASE(rw_copies_no_failure),
	KUNIT_CASE(rw_copies_for_one_peer),
	KUNIT_CASE(rw_copies_nothing_without_a_device),
	KUNIT_CASE(rw_copies_room),
	KUNIT_CASE(rw_copies_too_much),
	KUNIT_CASE(rw_cannot_copy),
	KUNIT_CASE(rw_fails),
	KUNIT_CASE(rw_refused),
	KUNIT_CASE(rw_flushed),
	KUNIT_CASE(rw_stuck),
	KUNIT_CASE(rw_room),
	KUNIT_CASE(rw_checks),
	KUNIT_CASE(rw_unknown_read_segments),
	KUNIT_CASE(rw_without_pages),
	KUNIT_CASE(rw_prefers_registration),
	KUNIT_CASE(rw_by_call),
	KUNIT_CASE(rw_map_errors),
	KUNIT_CASE(transfer_is_one_chain),
	KUNIT_CASE(transfer_is_silent),
	KUNIT_CASE(transfer_registers),
	KUNIT_CASE(transfer_is_suppressed),
	KUNIT_CASE(transfer_fails),
	KUNIT_CASE(transfer_fails_at_first),
	KUNIT_CASE(transfer_room),
	KUNIT_CASE(transfer_never_fits),
	KUNIT_CASE(transfer_is_taken_back),
	KUNIT_CASE(transfer_is_flushed),
	KUNIT_CASE(transfer_is_not_posted),
	KUNIT_CASE(transfer_is_stuck),
	KUNIT_CASE(transfer_cannot_read),
	KUNIT_CASE(transfer_checks),
	KUNIT_CASE(transfer_of_nothing),
	{}
};

static struct kunit_suite rw_suite = {
	.name = "kdapl-rw",
	.init = rw_init,
	.exit = rw_exit,
	.test_cases = rw_cases,
};

kunit_test_suite(rw_suite);

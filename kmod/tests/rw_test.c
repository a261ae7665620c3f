// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RDMA by scatterlists: what is posted for which list, when it is over, what is left. */

#include <linux/gfp.h>

#include <dat2/kdat_ext.h>

#include "../kapi/kapi.h"
#include "../rw.h"
#include "env.h"

#define DEPTH		64
#define ORDER		5		/* of the memory: more than one part of it */
#define MR_PAGES	4		/* that the device registers at once */
#define REMOTE		0x7f0000000123ULL
#define RKEY		0x5566
#define MAX_ENTRIES	32

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
	KUNIT_EXPECT_EQ(test, wr->send_flags, IB_SEND_SIGNALED);
	KUNIT_EXPECT_EQ(test, wr->remote_addr, REMOTE + offset);
	KUNIT_EXPECT_EQ(test, wr->rkey, RKEY);
	KUNIT_EXPECT_EQ(test, wr->num_sge, num_sge);
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

	list_pages(2);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, 2 * PAGE_SIZE),
			-EBADFD);
	env_connect(env, &tep);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, 2 * PAGE_SIZE + 1),
			-EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_TO_DEVICE, 2, 2 * PAGE_SIZE - 1),
			-EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rw(&tep, DMA_FROM_DEVICE, 2, 2 * PAGE_SIZE + 1),
			-EMSGSIZE);
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

/* ---- by the call of the API --------------------------------------------- */

#define EXPECT_TYPE(test, call, type) \
	KUNIT_EXPECT_EQ(test, (u32)(type), DAT_GET_TYPE(call))

static void rw_by_call(struct kunit *test)
{
	const DAT_DTO_COOKIE cookie = { .as_64 = 7 };
	DAT_RMR_TRIPLET remote = { REMOTE, 2 * PAGE_SIZE, RKEY };
	struct env *env = test->priv;
	struct test_ep tep = connected(env, 1);
	struct kapi_ep kep = {
		.obj.magic = KAPI_MAGIC,
		.obj.type = DAT_HANDLE_TYPE_EP,
		.obj.core = &tep.ep->obj,
		.obj.id = tep.id,
	};

	list_pages(2);
	EXPECT_TYPE(test, dat_ext_ep_rw(NULL, list, 2, &remote, DMA_TO_DEVICE,
					cookie), DAT_INVALID_HANDLE);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, NULL, 2, &remote, DMA_TO_DEVICE,
					cookie), DAT_INVALID_PARAMETER);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, list, 2, NULL, DMA_TO_DEVICE,
					cookie), DAT_INVALID_PARAMETER);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, list, 2, &remote,
					DMA_BIDIRECTIONAL, cookie),
		    DAT_INVALID_PARAMETER);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, list, 1, &remote, DMA_TO_DEVICE,
					cookie), DAT_LENGTH_ERROR);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, list, 2, &remote, DMA_TO_DEVICE,
					cookie), DAT_SUCCESS);
	KUNIT_EXPECT_EQ(test, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES,
					DAT_RESOURCE_CREDITS),
			dat_ext_ep_rw(&kep, list, 2, &remote, DMA_TO_DEVICE,
				      cookie));
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_WRITE, DAT_DTO_SUCCESS,
		    2 * PAGE_SIZE);

	/* Of nothing at all. */
	remote.segment_length = 0;
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, NULL, 0, &remote, DMA_FROM_DEVICE,
					cookie), DAT_SUCCESS);
	finish(env, &tep, 1, IB_WC_SUCCESS);
	expect_over(env, &tep, DAT_DTO_RDMA_READ, DAT_DTO_SUCCESS, 0);
	EXPECT_TYPE(test, dat_ext_ep_rw(&kep, NULL, 0, &remote, DMA_TO_DEVICE,
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
	struct kapi_ep kep = {
		.obj.magic = KAPI_MAGIC,
		.obj.type = DAT_HANDLE_TYPE_EP,
		.obj.core = &tep.ep->obj,
		.obj.id = tep.id,
	};
	u32 i;

	list_pages(2);
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		env->dev->map_error = row[i].error;
		KUNIT_EXPECT_EQ(test, row[i].ret,
				dat_ext_ep_rw(&kep, list, 2, &remote,
					      DMA_TO_DEVICE, cookie));
	}
	KUNIT_EXPECT_EQ(test, outstanding(&tep), 0);
	EXPECT_NO_EVENT(test, &tep.request);
}

static struct kunit_case rw_cases[] = {
	KUNIT_CASE(rw_writes),
	KUNIT_CASE(rw_reads),
	KUNIT_CASE(rw_long),
	KUNIT_CASE(rw_registers),
	KUNIT_CASE(rw_pool),
	KUNIT_CASE(rw_fails),
	KUNIT_CASE(rw_refused),
	KUNIT_CASE(rw_flushed),
	KUNIT_CASE(rw_stuck),
	KUNIT_CASE(rw_room),
	KUNIT_CASE(rw_checks),
	KUNIT_CASE(rw_unknown_read_segments),
	KUNIT_CASE(rw_by_call),
	KUNIT_CASE(rw_map_errors),
	{}
};

static struct kunit_suite rw_suite = {
	.name = "kdapl-rw",
	.init = rw_init,
	.exit = rw_exit,
	.test_cases = rw_cases,
};

kunit_test_suite(rw_suite);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fast registration: what is tied when, who has the MR, what is left of a failure. */

#include <linux/gfp.h>

#include "../fmr.h"
#include "../kapi/kapi.h"
#include "../kmem.h"
#include "../lmr.h"
#include "env.h"

#define DEPTH		8
#define NPAGES		2
#define DEVICE_PAGES	4
#define LOCAL		(KDAPL_PRIV_LOCAL_READ | KDAPL_PRIV_LOCAL_WRITE)
#define ALL		(LOCAL | KDAPL_PRIV_REMOTE_READ | KDAPL_PRIV_REMOTE_WRITE)

/* Of the test that runs: an LMR and pages to tie it to. */
static struct page *page[NPAGES];
static u64 physical[NPAGES];
static struct kdapl_lmr *lmr;

static const struct kdapl_kmem memory = {
	.type = KDAPL_KMEM_PHYSICAL,
	.physical = physical,
	.length = NPAGES * PAGE_SIZE,
};

static int fmr_init(struct kunit *test)
{
	struct kdapl_lmr_create arg = {};
	struct env *env;
	int ret, i;

	ret = env_init_kernel(test);
	if (ret)
		return ret;
	env = test->priv;
	env->dev->ib.attrs.device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
	env->dev->ib.attrs.max_fast_reg_page_list_len = DEVICE_PAGES;
	for (i = 0; i < NPAGES; i++) {
		page[i] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, page[i]);
		physical[i] = page_to_phys(page[i]);
	}
	arg.pz = env->pz;
	KUNIT_ASSERT_EQ(test, kdapl_lmr_create_empty(env->ia, &arg, NPAGES), 0);
	lmr = to_lmr(env_hold(env, arg.id, KDAPL_OBJ_LMR));
	return 0;
}

static void fmr_exit(struct kunit *test)
{
	int i;

	env_exit(test);
	for (i = 0; i < NPAGES; i++)
		__free_page(page[i]);
}

static struct kdapl_fmr_post request(u64 cookie)
{
	return (struct kdapl_fmr_post){
		.mem = &memory,
		.addr = physical[0],
		.cookie = cookie,
		.privileges = ALL,
	};
}

static int tie(struct test_ep *tep, u64 cookie)
{
	struct kdapl_fmr_post post = request(cookie);

	return kdapl_fmr_tie(lmr, tep->ep, &post);
}

static int untie(struct test_ep *tep, u64 cookie)
{
	return kdapl_fmr_untie(lmr, tep->ep, cookie, 0);
}

static int destroy(struct env *env)
{
	return kdapl_obj_destroy(env->ia, lmr->obj.id, KDAPL_OBJ_LMR);
}

static void finish(struct env *env, struct test_ep *tep, u32 n)
{
	KUNIT_EXPECT_EQ(env->test,
			fake_complete(env_qp(tep), &env_qp(tep)->sq, n,
				      IB_WC_SUCCESS), n);
}

/* A message comes that makes @key invalid. */
static void peer_invalidates(struct env *env, struct test_ep *tep, u32 key)
{
	struct fake_qp *qp = env_qp(tep);

	*kdapl_post_begin(tep->ep, true) =
		prog_sqe(env, tep->id, KDAPL_OP_RECV, 50);
	KUNIT_EXPECT_EQ(env->test, kdapl_post_add(tep->ep), 0);
	kdapl_post_end(tep->ep, true, true);
	qp->invalidates = key;
	KUNIT_EXPECT_EQ(env->test,
			fake_complete(qp, &qp->rq, 1, IB_WC_SUCCESS), 1);
}

static struct test_ep connected(struct env *env, u32 depth)
{
	struct test_ep tep = env_ep(env, depth);

	env_connect(env, &tep);
	return tep;
}

static void disconnect(struct env *env, struct test_ep *tep)
{
	KUNIT_EXPECT_EQ(env->test,
			kdapl_ep_disconnect(tep->ep, KDAPL_CLOSE_ABRUPT), 0);
	EXPECT_SOON(env->test, prog_ep(tep, state) == KDAPL_EP_DISCONNECTED);
}

/* Whether a segment of it can be posted now. */
static enum kdapl_dto_status segment(struct env *env)
{
	struct kdapl_seg seg = { physical[0] + 8, 16, lmr->obj.id };
	struct kdapl_obj_hint hint = {};
	enum kdapl_dto_status status;
	struct ib_sge sge;

	local_bh_disable();
	status = kdapl_lmr_sge(env->ia, lmr->pz, &seg, KDAPL_PRIV_LOCAL_READ,
			       &hint, &sge);
	local_bh_enable();
	return status;
}

#define EXPECT_SEGMENT(environment, status)				\
	do {								\
		struct env *e = (environment);				\
									\
		KUNIT_EXPECT_EQ(e->test, segment(e), status);		\
	} while (0)

static void fmr_ties_and_unties(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct kdapl_fmr_post first = request(1), second = request(3);
	struct fake_wr *wr = fake_wr(&env_qp(&tep)->sq, 0);

	EXPECT_SEGMENT(env, DAT_DTO_ERR_LOCAL_PROTECTION);
	KUNIT_ASSERT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &first), 0);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_REG_MR);
	KUNIT_EXPECT_EQ(test, wr->rkey, first.rkey);
	KUNIT_EXPECT_EQ(test, wr->send_flags, IB_SEND_SIGNALED);
	KUNIT_EXPECT_EQ(test, wr->access, IB_ACCESS_LOCAL_WRITE |
			IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	/* For what is posted behind it, and not yet for the peer. */
	EXPECT_SEGMENT(env, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_reaches(first.rkey), 0);
	EXPECT_NO_EVENT(test, &tep.request);
	finish(env, &tep, 1);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_reaches(first.rkey), FAKE_DMA + physical[0]);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 1);

	KUNIT_EXPECT_EQ(test, untie(&tep, 2), 0);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 1)->opcode,
			IB_WR_LOCAL_INV);
	EXPECT_SEGMENT(env, DAT_DTO_ERR_LOCAL_PROTECTION);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 1);
	finish(env, &tep, 1);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_reaches(first.rkey), 0);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);

	/* The old key stays dead. */
	KUNIT_EXPECT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &second), 0);
	finish(env, &tep, 1);
	EXPECT_DTO(test, &tep.request, 3, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_NE(test, first.rkey, second.rkey);
	KUNIT_EXPECT_EQ(test, fake_reaches(first.rkey), 0);
	KUNIT_EXPECT_NE(test, fake_reaches(second.rkey), 0);
}

/* What is posted in one go: the segment is the device's by the new key. */
static void fmr_then_send(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct kdapl_sqe sqe = prog_sqe(env, tep.id, KDAPL_OP_SEND, 2);
	struct kdapl_fmr_post post = request(1);
	struct fake_wr *wr = fake_wr(&env_qp(&tep)->sq, 1);

	sqe.seg[0] = (struct kdapl_seg){ physical[0] + 4, 64, lmr->obj.id };
	KUNIT_EXPECT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &post), 0);
	*kdapl_post_begin(tep.ep, false) = sqe;
	KUNIT_EXPECT_EQ(test, kdapl_post_add(tep.ep), 0);
	kdapl_post_end(tep.ep, false, true);
	KUNIT_EXPECT_EQ(test, wr->sge[0].addr, physical[0] + 4);
	KUNIT_EXPECT_EQ(test, wr->sge[0].lkey, post.rkey);
	finish(env, &tep, 2);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_SUCCESS);
}

/* The MR is neither mapped nor freed while a request has it. */
static void fmr_in_use(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);

	KUNIT_EXPECT_EQ(test, untie(&tep, 1), -EBADFD);
	KUNIT_EXPECT_EQ(test, tie(&tep, 1), 0);
	KUNIT_EXPECT_EQ(test, tie(&tep, 1), -EBUSY);
	KUNIT_EXPECT_EQ(test, destroy(env), -EBUSY);
	finish(env, &tep, 1);
	KUNIT_EXPECT_EQ(test, tie(&tep, 2), -EBUSY);
	KUNIT_EXPECT_EQ(test, untie(&tep, 2), 0);
	KUNIT_EXPECT_EQ(test, untie(&tep, 2), -EBADFD);
	KUNIT_EXPECT_EQ(test, tie(&tep, 2), -EBUSY);
	KUNIT_EXPECT_EQ(test, destroy(env), -EBUSY);
	finish(env, &tep, 1);
	KUNIT_EXPECT_EQ(test, tie(&tep, 3), 0);
	finish(env, &tep, 1);
	/* Tied is no work. */
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 1);
	KUNIT_EXPECT_EQ(test, destroy(env), 0);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
}

/* Two queue pairs do not wait for each other. */
static void fmr_on_other_ep(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep a = connected(env, DEPTH), b = connected(env, DEPTH);

	KUNIT_EXPECT_EQ(test, tie(&a, 1), 0);
	KUNIT_EXPECT_EQ(test, untie(&b, 2), -EBUSY);
	finish(env, &a, 1);
	KUNIT_EXPECT_EQ(test, untie(&b, 2), 0);
	finish(env, &b, 1);
	EXPECT_DTO(test, &a.request, 1, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &b.request, 2, DAT_DTO_SUCCESS);
}

static void fmr_flags(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct kdapl_fmr_post post = request(1);

	post.flags = KDAPL_SQE_SUPPRESS | KDAPL_SQE_FENCE;
	KUNIT_EXPECT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &post), 0);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 0)->send_flags,
			IB_SEND_SIGNALED | IB_SEND_FENCE);
	finish(env, &tep, 1);
	EXPECT_NO_EVENT(test, &tep.request);
	KUNIT_EXPECT_EQ(test, kdapl_fmr_untie(lmr, tep.ep, 2, KDAPL_SQE_FENCE),
			0);
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 1)->send_flags,
			IB_SEND_SIGNALED | IB_SEND_FENCE);
	finish(env, &tep, 1);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_SUCCESS);
	post.flags = KDAPL_SQE_SOLICITED;
	KUNIT_EXPECT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &post), -EINVAL);
	KUNIT_EXPECT_EQ(test, kdapl_fmr_untie(lmr, tep.ep, 3, post.flags),
			-EINVAL);
}

/* What does not come to the device changes nothing. */
static void fmr_behind_the_end(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep over = connected(env, DEPTH), tep = connected(env, DEPTH);

	disconnect(env, &over);
	KUNIT_EXPECT_EQ(test, tie(&over, 1), 0);
	EXPECT_DTO(test, &over.request, 1, DAT_DTO_ERR_FLUSHED);
	EXPECT_SEGMENT(env, DAT_DTO_ERR_LOCAL_PROTECTION);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
	KUNIT_EXPECT_EQ(test, tie(&tep, 2), 0);
	finish(env, &tep, 1);
	KUNIT_EXPECT_EQ(test, untie(&over, 3), 0);
	EXPECT_DTO(test, &over.request, 3, DAT_DTO_ERR_FLUSHED);
	EXPECT_SEGMENT(env, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, untie(&tep, 4), 0);
	finish(env, &tep, 1);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &tep.request, 4, DAT_DTO_SUCCESS);
}

static void expect_broken(struct env *env, struct test_ep *other)
{
	EXPECT_SEGMENT(env, DAT_DTO_ERR_LOCAL_PROTECTION);
	KUNIT_EXPECT_EQ(env->test, tie(other, 9), -EBADFD);
	KUNIT_EXPECT_EQ(env->test, untie(other, 9), -EBADFD);
	KUNIT_EXPECT_EQ(env->test, destroy(env), 0);
	KUNIT_EXPECT_EQ(env->test, fake_cm.mapped, 0);
}

/* What the device gives back undone can only be freed. */
static void fmr_flushed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH), other = connected(env, DEPTH);

	KUNIT_EXPECT_EQ(test, tie(&tep, 1), 0);
	disconnect(env, &tep);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);
	expect_broken(env, &other);
}

static void fmr_flushed_untying(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH), other = connected(env, DEPTH);

	KUNIT_EXPECT_EQ(test, tie(&tep, 1), 0);
	finish(env, &tep, 1);
	KUNIT_EXPECT_EQ(test, untie(&tep, 2), 0);
	disconnect(env, &tep);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_SUCCESS);
	EXPECT_DTO(test, &tep.request, 2, DAT_DTO_ERR_FLUSHED);
	expect_broken(env, &other);
}

static void fmr_refused_by_device(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH), other = connected(env, DEPTH);

	env_qp(&tep)->post_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, tie(&tep, 1), 0);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_LOCAL_EP);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	expect_broken(env, &other);
}

/* What failed says more than what was flushed behind it. */
static void fmr_refused_behind_invalidation(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);

	env->ia->rmr_inv_first = true;
	env->dev->invalidates_idle = true;
	env_qp(&tep)->post_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, tie(&tep, 1), 0);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_LOCAL_EP);
	EXPECT_SOON(test, prog_ep(&tep, state) == KDAPL_EP_DISCONNECTED);
	EXPECT_NO_EVENT(test, &tep.request);
}

/* It would come round again: peers may still have it. */
static void fmr_refused_uses_up_no_key(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH), small = connected(env, 1);
	struct kdapl_fmr_post post = request(1);
	u32 first, i;

	KUNIT_ASSERT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &post), 0);
	first = post.rkey;
	KUNIT_EXPECT_EQ(test, untie(&tep, 2), 0);
	finish(env, &tep, 2);
	/* It would need two slots there. */
	env->ia->rmr_inv_first = true;
	for (i = 0; i < 255; i++)
		KUNIT_ASSERT_EQ(test, tie(&small, 3), -ENOSPC);
	env->ia->rmr_inv_first = false;
	post = request(4);
	KUNIT_ASSERT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &post), 0);
	KUNIT_EXPECT_EQ(test, post.rkey, ib_inc_rkey(first));
	finish(env, &tep, 1);
	KUNIT_EXPECT_EQ(test, untie(&tep, 5), 0);
	finish(env, &tep, 1);
}

/* A device that would register twice: two slots, and one event. */
static void fmr_behind_invalidation(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH), small = connected(env, 1);
	struct fake_queue *sq = &env_qp(&tep)->sq;
	u32 i;

	env->ia->rmr_inv_first = true;
	env->dev->invalidates_idle = true;
	KUNIT_EXPECT_EQ(test, tie(&small, 1), -ENOSPC);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, tie(&tep, i), 0);
		KUNIT_EXPECT_EQ(test, fake_wr(sq, 3 * i)->opcode,
				IB_WR_LOCAL_INV);
		KUNIT_EXPECT_EQ(test, fake_wr(sq, 3 * i + 1)->opcode,
				IB_WR_REG_MR);
		finish(env, &tep, 1);
		EXPECT_NO_EVENT(test, &tep.request);
		finish(env, &tep, 1);
		EXPECT_DTO(test, &tep.request, i, DAT_DTO_SUCCESS);
		KUNIT_EXPECT_EQ(test, untie(&tep, 10 + i), 0);
		finish(env, &tep, 1);
		EXPECT_DTO(test, &tep.request, 10 + i, DAT_DTO_SUCCESS);
	}
	EXPECT_NO_EVENT(test, &tep.request);
}

/* By the key that it is tied under, over any connection, and by no other key. */
static void fmr_lost(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH), other = connected(env, DEPTH);
	struct kdapl_fmr_post first = request(1), second = request(3);

	KUNIT_ASSERT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &first), 0);
	finish(env, &tep, 1);
	peer_invalidates(env, &tep, first.rkey ^ 1);
	peer_invalidates(env, &tep, 0xdeadbeef);
	EXPECT_SEGMENT(env, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 1);
	peer_invalidates(env, &other, first.rkey);
	EXPECT_SEGMENT(env, DAT_DTO_ERR_LOCAL_PROTECTION);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
	KUNIT_EXPECT_EQ(test, untie(&tep, 2), -EBADFD);

	/* Its former key is nothing to it. */
	KUNIT_ASSERT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &second), 0);
	KUNIT_EXPECT_NE(test, first.rkey, second.rkey);
	finish(env, &tep, 1);
	peer_invalidates(env, &tep, first.rkey);
	EXPECT_SEGMENT(env, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_NE(test, fake_reaches(second.rkey), 0);
	KUNIT_EXPECT_EQ(test, untie(&tep, 4), 0);
	peer_invalidates(env, &tep, second.rkey);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 1);
}

/* The message is there before the request is retired, which has the MR until then. */
static void fmr_lost_early(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct kdapl_fmr_post post = request(1);

	KUNIT_ASSERT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &post), 0);
	peer_invalidates(env, &tep, post.rkey);
	EXPECT_SEGMENT(env, DAT_DTO_ERR_LOCAL_PROTECTION);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 1);
	KUNIT_EXPECT_EQ(test, untie(&tep, 2), -EBADFD);
	KUNIT_EXPECT_EQ(test, tie(&tep, 2), -EBUSY);
	KUNIT_EXPECT_EQ(test, destroy(env), -EBUSY);
	finish(env, &tep, 1);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
	/* The device is played: for it the message comes only now. */
	peer_invalidates(env, &tep, post.rkey);
	KUNIT_EXPECT_EQ(test, tie(&tep, 3), 0);
	finish(env, &tep, 1);
	EXPECT_DTO(test, &tep.request, 3, DAT_DTO_SUCCESS);
}

/*
 * A device that compares no key says that one is invalid which the request before it
 * has not even opened yet. What is tied then stays tied.
 */
static void fmr_lost_to_no_key(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct kdapl_fmr_post post = request(1);

	env->dev->ib.ops.driver_id = RDMA_DRIVER_SIW;
	KUNIT_ASSERT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &post), 0);
	peer_invalidates(env, &tep, post.rkey);
	finish(env, &tep, 1);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_NE(test, fake_reaches(post.rkey), 0);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 1);
	KUNIT_EXPECT_EQ(test, tie(&tep, 2), -EBUSY);
	KUNIT_EXPECT_EQ(test, untie(&tep, 3), 0);
	finish(env, &tep, 1);
	KUNIT_EXPECT_EQ(test, fake_reaches(post.rkey), 0);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
}

/* What siw cannot register was no message that the peer could cut off. */
static void fmr_fails_over_siw(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct fake_qp *qp = env_qp(&tep);

	env->dev->ib.ops.driver_id = RDMA_DRIVER_SIW;
	KUNIT_ASSERT_EQ(test, tie(&tep, 1), 0);
	KUNIT_EXPECT_EQ(test, fake_complete(qp, &qp->sq, 1, IB_WC_LOC_QP_OP_ERR), 1);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_LOCAL_EP);
}

static void fmr_lost_then_freed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct kdapl_fmr_post post = request(1);

	KUNIT_ASSERT_EQ(test, kdapl_fmr_tie(lmr, tep.ep, &post), 0);
	finish(env, &tep, 1);
	peer_invalidates(env, &tep, post.rkey);
	KUNIT_EXPECT_EQ(test, destroy(env), 0);
	/* Nobody is found any more. */
	peer_invalidates(env, &tep, post.rkey);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
}

static int tie_memory(struct test_ep *tep, const struct kdapl_kmem *mem,
		      u64 addr, u32 privileges)
{
	struct kdapl_fmr_post post = request(1);

	post.mem = mem;
	post.addr = addr;
	post.privileges = privileges;
	return kdapl_fmr_tie(lmr, tep->ep, &post);
}

/* What is wrong is an error of the call, and the LMR is as before. */
static void fmr_checks(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep idle = env_ep(env, DEPTH), tep = connected(env, DEPTH);
	struct kdapl_kmem mem = memory;
	u64 addr = physical[0];

	KUNIT_EXPECT_EQ(test, tie(&idle, 1), -EBADFD);
	KUNIT_EXPECT_EQ(test, tie_memory(&tep, &mem, addr + 1, ALL), -EINVAL);
	KUNIT_EXPECT_EQ(test, tie_memory(&tep, &mem, addr, 1U << 30), -EINVAL);
	mem.length++;
	KUNIT_EXPECT_EQ(test, tie_memory(&tep, &mem, addr, ALL), -EINVAL);
	mem.length = 0;
	KUNIT_EXPECT_EQ(test, tie_memory(&tep, &mem, addr, ALL), -EINVAL);
	mem = memory;
	KUNIT_EXPECT_EQ(test, tie_memory(&tep, &mem, -PAGE_SIZE, ALL), -EINVAL);
	physical[1] = 1ULL << 51;
	KUNIT_EXPECT_EQ(test, tie_memory(&tep, &mem, addr, ALL), -EFAULT);
	physical[1] = page_to_phys(page[1]);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
	KUNIT_EXPECT_EQ(test, env_qp(&tep)->calls, 0);
	KUNIT_EXPECT_EQ(test, tie_memory(&tep, &mem, addr, LOCAL), 0);
	finish(env, &tep, 1);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_SUCCESS);
}

static void fmr_of_other_zone(struct kunit *test)
{
	struct env *env = test->priv;
	struct kdapl_pz_create pz = {};
	u32 first = env->pz;
	struct test_ep tep;

	KUNIT_ASSERT_EQ(test, kdapl_pz_create(env->ia, &pz), 0);
	env->pz = pz.id;
	tep = connected(env, DEPTH);
	env->pz = first;
	KUNIT_EXPECT_EQ(test, tie(&tep, 1), -EPERM);
	KUNIT_EXPECT_EQ(test, untie(&tep, 1), -EPERM);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
}

static void fmr_makes(struct kunit *test)
{
	struct env *env = test->priv;
	struct kdapl_lmr_create arg = { .pz = env->pz };
	struct kdapl_lmr_create over = {
		.pz = env->pz,
		.mem_type = KDAPL_MEM_LMR,
		.privileges = LOCAL,
		.source = lmr->obj.id,
	};
	int mrs = env->dev->mrs;

	KUNIT_EXPECT_EQ(test, kdapl_lmr_create_empty(env->ia, &arg, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, kdapl_lmr_create_empty(env->ia, &arg,
						     DEVICE_PAGES + 1), -ENOSPC);
	env->dev->no_mr = true;
	KUNIT_EXPECT_EQ(test, kdapl_lmr_create_empty(env->ia, &arg, 1), -ENOMEM);
	env->ia->kernel = false;
	KUNIT_EXPECT_EQ(test, kdapl_lmr_create_empty(env->ia, &arg, 1), -EINVAL);
	env->ia->kernel = true;
	env->dev->ib.attrs.device_cap_flags = 0;
	KUNIT_EXPECT_EQ(test, kdapl_lmr_create_empty(env->ia, &arg, 1),
			-EOPNOTSUPP);
	/* Nothing else is made of one. */
	KUNIT_EXPECT_EQ(test, kdapl_lmr_create(env->ia, &over), -EBADFD);
	KUNIT_EXPECT_EQ(test, env->dev->mrs, mrs);
}

/* The device goes while a request has the MR, and while it is tied. */
static void fmr_killed(struct kunit *test)
{
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);

	KUNIT_EXPECT_EQ(test, tie(&tep, 1), 0);
	kdapl_ep_kill(tep.ep);
	EXPECT_DTO(test, &tep.request, 1, DAT_DTO_ERR_FLUSHED);
	kdapl_lmr_kill(lmr);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
	KUNIT_EXPECT_EQ(test, tie(&tep, 2), -ENODEV);
	KUNIT_EXPECT_EQ(test, destroy(env), 0);
}

/* ---- by the calls of the API -------------------------------------------- */

static struct kapi_ia *kapi_ia_of(struct env *env)
{
	struct kapi_ia *kia = kunit_kzalloc(env->test, sizeof(*kia), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(env->test, kia);
	kia->obj.magic = KAPI_MAGIC;
	kia->obj.type = DAT_HANDLE_TYPE_IA;
	kia->obj.ia = kia;
	kia->core = env->ia;
	xa_init(&kia->live);
	return kia;
}

static struct kapi_obj *handle_of(struct env *env, struct kapi_ia *kia,
				  DAT_HANDLE_TYPE handle_type, size_t size,
				  u32 id, enum kdapl_obj_type type)
{
	struct kapi_obj *obj = kapi_new(kia, handle_type, size);

	KUNIT_ASSERT_NOT_NULL(env->test, obj);
	KUNIT_ASSERT_EQ(env->test, kapi_tie(obj, id, type), 0);
	return obj;
}

static DAT_RETURN fmr_call(DAT_LMR_HANDLE handle, struct scatterlist *sg,
			   DAT_VLEN num_pages, DAT_EP_HANDLE ep,
			   DAT_LMR_CONTEXT *context, DAT_RMR_CONTEXT *remote)
{
	const DAT_REGION_DESCRIPTION region = { .for_platform = sg };
	const DAT_LMR_COOKIE cookie = { .as_64 = 7 };

	return dat_lmr_fmr(handle, DAT_MEM_TYPE_PLATFORM, region, num_pages,
			   (DAT_MEM_PRIV_FLAGS)ALL, DAT_VA_TYPE_VA, ep, cookie,
			   DAT_COMPLETION_DEFAULT_FLAG, context, remote);
}

static void expect_param(struct kunit *test, DAT_LMR_HANDLE handle,
			 struct scatterlist *sg, DAT_VLEN length, bool bound)
{
	DAT_LMR_PARAM param;

	KUNIT_EXPECT_EQ(test, DAT_SUCCESS,
			dat_lmr_query(handle, DAT_LMR_FIELD_ALL, &param));
	KUNIT_EXPECT_EQ(test, (int)param.lmr_state.fmr_support, DAT_TRUE);
	KUNIT_EXPECT_EQ(test, (int)param.lmr_state.bound, (int)bound);
	KUNIT_EXPECT_EQ(test, (int)param.mem_type, DAT_MEM_TYPE_PLATFORM);
	KUNIT_EXPECT_PTR_EQ(test, param.region_desc.for_platform, (void *)sg);
	KUNIT_EXPECT_EQ(test, param.registered_size, length);
	KUNIT_EXPECT_EQ(test, param.registered_address, sg_phys(sg));
}

struct handles {
	struct kapi_ia *kia;
	struct kapi_obj *pz, *ep;
	DAT_LMR_HANDLE lmr;
};

static struct handles handles_make(struct env *env, struct test_ep *tep)
{
	struct kapi_ia *kia = kapi_ia_of(env);
	struct handles h = {
		.kia = kia,
		.pz = handle_of(env, kia, DAT_HANDLE_TYPE_PZ,
				sizeof(struct kapi_pz), env->pz, KDAPL_OBJ_PZ),
		.ep = handle_of(env, kia, DAT_HANDLE_TYPE_EP,
				sizeof(struct kapi_ep), tep->id, KDAPL_OBJ_EP),
	};

	KUNIT_EXPECT_EQ(env->test, DAT_MODEL_NOT_SUPPORTED,
			DAT_GET_TYPE(dat_lmr_allocate(kia, h.pz, NPAGES,
						      DAT_LMR_SCOPE_EP,
						      &h.lmr)));
	KUNIT_ASSERT_EQ(env->test, DAT_SUCCESS,
			dat_lmr_allocate(kia, h.pz, NPAGES, DAT_LMR_SCOPE_PZ,
					 &h.lmr));
	return h;
}

/* As the consumer gets it. */
static DAT_DTO_COMPLETION_EVENT_DATA
expect_event(struct env *env, struct kapi_ia *kia, struct test_evd *tevd,
	     u64 cookie, DAT_DTOS operation)
{
	const DAT_DTO_COMPLETION_EVENT_DATA *data;
	struct kdapl_event from = prog_next(tevd);
	struct kapi_evd *kevd;
	DAT_EVENT event;

	kevd = kunit_kzalloc(env->test, sizeof(*kevd), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(env->test, kevd);
	kevd->obj.ia = kia;
	rcu_read_lock();
	KUNIT_EXPECT_TRUE(env->test, kapi_event(kevd, &from, &event, NULL));
	rcu_read_unlock();
	data = &event.event_data.dto_completion_event_data;
	KUNIT_EXPECT_EQ(env->test, (int)event.event_number,
			DAT_DTO_COMPLETION_EVENT);
	KUNIT_EXPECT_EQ(env->test, data->user_cookie.as_64, cookie);
	KUNIT_EXPECT_EQ(env->test, (int)data->operation, (int)operation);
	KUNIT_EXPECT_EQ(env->test, (int)data->status, DAT_DTO_SUCCESS);
	return *data;
}

static void handles_free(struct env *env, struct handles *h)
{
	KUNIT_EXPECT_EQ(env->test, DAT_SUCCESS, dat_lmr_free(h->lmr));
	kapi_forget(h->ep);
	kapi_forget(h->pz);
	KUNIT_EXPECT_TRUE(env->test, xa_empty(&h->kia->live));
}

static void fmr_by_calls(struct kunit *test)
{
	const DAT_LMR_COOKIE cookie = { .as_64 = 8 };
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct handles h = handles_make(env, &tep);
	DAT_LMR_CONTEXT context = 0;
	DAT_RMR_CONTEXT remote = 0;
	struct scatterlist sg[2];

	sg_init_table(sg, 2);
	sg_set_page(&sg[0], page[0], PAGE_SIZE - 100, 100);
	sg_set_page(&sg[1], page[1], 50, 0);
	KUNIT_EXPECT_EQ(test, DAT_INVALID_PARAMETER,
			DAT_GET_TYPE(fmr_call(h.lmr, sg, 1, h.ep, NULL, NULL)));
	KUNIT_EXPECT_EQ(test, DAT_SUCCESS,
			fmr_call(h.lmr, sg, 2, h.ep, &context, &remote));
	KUNIT_EXPECT_NE(test, context, 0);
	expect_param(test, h.lmr, sg, PAGE_SIZE - 50, true);
	KUNIT_EXPECT_EQ(test, DAT_INVALID_STATE,
			DAT_GET_TYPE(dat_lmr_free(h.lmr)));
	finish(env, &tep, 1);
	expect_event(env, h.kia, &tep.request, 7, DAT_DTO_LMR_FMR);
	KUNIT_EXPECT_EQ(test, fake_reaches(remote),
			FAKE_DMA + physical[0] + 100);

	KUNIT_EXPECT_EQ(test, DAT_SUCCESS,
			dat_lmr_invalidate(h.lmr, h.ep, cookie,
					   DAT_COMPLETION_LMR_INVALIDATE_FENCE_FLAG));
	KUNIT_EXPECT_EQ(test, fake_wr(&env_qp(&tep)->sq, 1)->send_flags,
			IB_SEND_SIGNALED | IB_SEND_FENCE);
	expect_param(test, h.lmr, sg, PAGE_SIZE - 50, false);
	finish(env, &tep, 1);
	expect_event(env, h.kia, &tep.request, 8, DAT_DTO_LMR_INVALIDATE);
	handles_free(env, &h);
}

/* What was tied is not any more, and the message's event says so. */
static void fmr_lost_by_calls(struct kunit *test)
{
	const DAT_LMR_COOKIE cookie = { .as_64 = 8 };
	struct env *env = test->priv;
	struct test_ep tep = connected(env, DEPTH);
	struct handles h = handles_make(env, &tep);
	DAT_DTO_COMPLETION_EVENT_DATA data;
	DAT_RMR_CONTEXT remote = 0;
	struct scatterlist sg;

	sg_init_one(&sg, page_address(page[0]), PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, DAT_SUCCESS,
			fmr_call(h.lmr, &sg, 1, h.ep, NULL, &remote));
	finish(env, &tep, 1);
	data = expect_event(env, h.kia, &tep.request, 7, DAT_DTO_LMR_FMR);
	KUNIT_EXPECT_EQ(test, data.rmr_context, 0);
	peer_invalidates(env, &tep, remote);
	data = expect_event(env, h.kia, &tep.recv, 50,
			    DAT_DTO_RECEIVE_WITH_INVALIDATE);
	KUNIT_EXPECT_EQ(test, data.rmr_context, remote);
	expect_param(test, h.lmr, &sg, PAGE_SIZE, false);
	KUNIT_EXPECT_EQ(test, DAT_INVALID_STATE,
			DAT_GET_TYPE(dat_lmr_invalidate(h.lmr, h.ep, cookie,
							DAT_COMPLETION_DEFAULT_FLAG)));
	handles_free(env, &h);
}

static struct kunit_case fmr_cases[] = {
	KUNIT_CASE(fmr_ties_and_unties),
	KUNIT_CASE(fmr_then_send),
	KUNIT_CASE(fmr_in_use),
	KUNIT_CASE(fmr_on_other_ep),
	KUNIT_CASE(fmr_flags),
	KUNIT_CASE(fmr_behind_the_end),
	KUNIT_CASE(fmr_flushed),
	KUNIT_CASE(fmr_flushed_untying),
	KUNIT_CASE(fmr_refused_by_device),
	KUNIT_CASE(fmr_behind_invalidation),
	KUNIT_CASE(fmr_refused_behind_invalidation),
	KUNIT_CASE(fmr_refused_uses_up_no_key),
	KUNIT_CASE(fmr_lost),
	KUNIT_CASE(fmr_lost_early),
	KUNIT_CASE(fmr_lost_to_no_key),
	KUNIT_CASE(fmr_fails_over_siw),
	KUNIT_CASE(fmr_lost_then_freed),
	KUNIT_CASE(fmr_checks),
	KUNIT_CASE(fmr_of_other_zone),
	KUNIT_CASE(fmr_makes),
	KUNIT_CASE(fmr_killed),
	KUNIT_CASE(fmr_by_calls),
	KUNIT_CASE(fmr_lost_by_calls),
	{}
};

static struct kunit_suite fmr_suite = {
	.name = "kdapl-fmr",
	.init = fmr_init,
	.exit = fmr_exit,
	.test_cases = fmr_cases,
};

kunit_test_suite(fmr_suite);

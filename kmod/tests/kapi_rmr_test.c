// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The door of the kernel: RMRs over the kernel's memory, what a peer reaches by
 * them, and reads into them. What becomes of MRs is in rmr_test.c.
 */

#include <linux/gfp.h>

#include "../kapi/kapi.h"
#include "../lmr.h"
#include "../rmr.h"
#include "env.h"

#define ADDR	0x7000100ULL
#define LENGTH	0x10000ULL
#define DEPTH	16
#define OFFSET	0x40U	/* of what is bound, in an LMR */
#define PART	0x1000U
#define REMOTE	(DAT_MEM_PRIV_REMOTE_READ_FLAG | DAT_MEM_PRIV_REMOTE_WRITE_FLAG)
#define LOCAL	(DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG)
#define DEFAULT	DAT_COMPLETION_DEFAULT_FLAG

/**
 * struct world - a consumer and what every test needs
 * @env: below it
 * @kia: its IA
 * @pz: PZ
 * @evd: for completions
 * @conn: for the end of the connection
 * @ep: connected
 * @lmr: ADDR and LENGTH of memory, in two pieces
 * @rmr: bound to nothing
 */
struct world {
	struct env *env;
	struct kapi_ia kia;
	DAT_PZ_HANDLE pz;
	DAT_EVD_HANDLE evd, conn;
	DAT_EP_HANDLE ep;
	DAT_LMR_HANDLE lmr;
	DAT_RMR_HANDLE rmr;
};

/* Of the test that runs. */
static struct world *the;

#define EXPECT_DONE(test, call) \
	KUNIT_EXPECT_EQ(test, (DAT_RETURN)DAT_SUCCESS, call)
#define EXPECT_ERROR(test, call, type, subtype) \
	KUNIT_EXPECT_EQ(test, DAT_ERROR(type, subtype), call)

/* ---- what a consumer has ---------------------------------------------------- */

static struct kapi_obj *obj_of(DAT_HANDLE handle)
{
	return handle;
}

static struct kdapl_ep *core_ep(DAT_EP_HANDLE ep)
{
	return to_ep(obj_of(ep)->core);
}

static struct fake_qp *qp_of(DAT_EP_HANDLE ep)
{
	return to_fake_qp(core_ep(ep)->qp);
}

static DAT_LMR_HANDLE make_lmr(struct kunit *test, DAT_PZ_HANDLE pz,
			       DAT_MEM_TYPE type, void *memory, u64 length,
			       DAT_MEM_PRIV_FLAGS privileges)
{
	const DAT_REGION_DESCRIPTION region = { .for_va = memory };
	DAT_LMR_HANDLE lmr = NULL;

	EXPECT_DONE(test, dat_lmr_kcreate(&the->kia, type, region, length, pz,
					  privileges, DAT_VA_TYPE_VA,
					  DAT_MEM_OPTIMIZE_DONT_CARE, &lmr,
					  NULL, NULL, NULL, NULL));
	KUNIT_ASSERT_NOT_NULL(test, lmr);
	return lmr;
}

static DAT_LMR_HANDLE make_virtual(struct kunit *test, DAT_PZ_HANDLE pz,
				   DAT_MEM_PRIV_FLAGS privileges)
{
	return make_lmr(test, pz, DAT_MEM_TYPE_VIRTUAL,
			(void *)(uintptr_t)ADDR, LENGTH, privileges);
}

static DAT_RMR_HANDLE make_rmr(struct kunit *test, DAT_PZ_HANDLE pz)
{
	DAT_RMR_HANDLE rmr = NULL;

	EXPECT_DONE(test, dat_rmr_create(pz, &rmr));
	KUNIT_ASSERT_NOT_NULL(test, rmr);
	return rmr;
}

static DAT_EP_HANDLE make_ep(struct kunit *test, DAT_PZ_HANDLE pz)
{
	const DAT_EP_ATTR attr = {
		.max_request_dtos = DEPTH,
		.max_request_iov = 1,
	};
	DAT_EP_HANDLE ep = NULL;

	EXPECT_DONE(test, dat_ep_create(&the->kia, pz, NULL, the->evd,
					the->conn, &attr, &ep));
	KUNIT_ASSERT_NOT_NULL(test, ep);
	return ep;
}

static void connect(struct kunit *test, DAT_EP_HANDLE ep)
{
	struct kdapl_ep *core = core_ep(ep);
	DAT_EVENT event;

	mutex_lock(&core->mutex);
	KUNIT_EXPECT_EQ(test, kdapl_ep_begin(core, KDAPL_EP_ACTIVE_PENDING), 0);
	mutex_unlock(&core->mutex);
	kdapl_ep_established(core, 0);
	EXPECT_DONE(test, dat_evd_dequeue(the->conn, &event));
}

static int rmr_init(struct kunit *test)
{
	struct kapi_ia *kia;
	int ret;

	the = NULL;
	ret = env_init_kernel(test);
	if (ret)
		return ret;
	the = kunit_kzalloc(test, sizeof(*the), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, the);
	the->env = test->priv;
	kia = &the->kia;
	kia->obj.magic = KAPI_MAGIC;
	kia->obj.type = DAT_HANDLE_TYPE_IA;
	kia->obj.ia = kia;
	kia->core = the->env->ia;
	xa_init(&kia->live);
	EXPECT_DONE(test, dat_pz_create(kia, &the->pz));
	EXPECT_DONE(test, dat_evd_kcreate(kia, 64, DAT_UPCALL_DISABLE, NULL,
					  DAT_EVD_DTO_FLAG |
					  DAT_EVD_RMR_BIND_FLAG, &the->evd));
	EXPECT_DONE(test, dat_evd_kcreate(kia, 8, DAT_UPCALL_DISABLE, NULL,
					  DAT_EVD_CONNECTION_FLAG, &the->conn));
	the->ep = make_ep(test, the->pz);
	connect(test, the->ep);
	the->lmr = make_virtual(test, the->pz, LOCAL);
	the->rmr = make_rmr(test, the->pz);
	return 0;
}

/* In an order in which nothing is in use. */
static void rmr_exit(struct kunit *test)
{
	if (the && the->rmr) {
		EXPECT_DONE(test, dat_ep_free(the->ep));
		EXPECT_DONE(test, dat_rmr_free(the->rmr));
		EXPECT_DONE(test, dat_lmr_free(the->lmr));
		EXPECT_DONE(test, dat_evd_free(the->evd));
		EXPECT_DONE(test, dat_evd_free(the->conn));
		EXPECT_DONE(test, dat_pz_free(the->pz));
		KUNIT_EXPECT_TRUE(test, xa_empty(&the->kia.live));
		kapi_reserved_free(&the->kia);
		KUNIT_EXPECT_TRUE(test, xa_empty(&the->env->ia->windows));
		rcu_barrier();
	}
	env_exit(test);
}

/* ---- what it does ----------------------------------------------------------- */

static DAT_CONTEXT numbered(u64 cookie)
{
	return (DAT_CONTEXT){ .as_64 = cookie };
}

/* From OFFSET bytes behind the start of the LMR. */
static DAT_LMR_TRIPLET part_of(struct kunit *test, DAT_LMR_HANDLE lmr,
			       u32 length)
{
	DAT_LMR_PARAM param = {};

	EXPECT_DONE(test, dat_lmr_query(lmr, DAT_LMR_FIELD_ALL, &param));
	return (DAT_LMR_TRIPLET){
		.virtual_address = param.registered_address + OFFSET,
		.segment_length = length,
		.lmr_context = param.lmr_context,
	};
}

static DAT_RETURN bind(struct kunit *test, DAT_LMR_HANDLE lmr, u64 cookie,
		       DAT_RMR_CONTEXT *context)
{
	const DAT_LMR_TRIPLET part = part_of(test, lmr, PART);

	return dat_rmr_bind(the->rmr, lmr, &part, REMOTE, DAT_VA_TYPE_VA,
			    the->ep, numbered(cookie),
			    DEFAULT, context);
}

static DAT_RETURN unbind(u64 cookie, DAT_RMR_CONTEXT *context)
{
	const DAT_LMR_TRIPLET nothing = {};

	return dat_rmr_bind(the->rmr, NULL, &nothing, 0, DAT_VA_TYPE_VA,
			    the->ep, numbered(cookie),
			    DEFAULT, context);
}

static void finish(struct kunit *test, DAT_EP_HANDLE ep, u32 n)
{
	KUNIT_EXPECT_EQ(test, fake_complete(qp_of(ep), &qp_of(ep)->sq, n,
					    IB_WC_SUCCESS), n);
}

static DAT_EVENT next(struct kunit *test, DAT_EVD_HANDLE evd)
{
	DAT_EVENT event = {};

	KUNIT_EXPECT_TRUE(test, env_comes_true(dat_evd_dequeue(evd, &event) ==
					       DAT_SUCCESS));
	return event;
}

static void expect_none(struct kunit *test)
{
	DAT_EVENT event;

	KUNIT_EXPECT_EQ(test, (u32)DAT_QUEUE_EMPTY,
			DAT_GET_TYPE(dat_evd_dequeue(the->evd, &event)));
}

static void expect_bound(struct kunit *test, DAT_RMR_HANDLE rmr, u64 cookie,
			 DAT_DTO_COMPLETION_STATUS status)
{
	const DAT_EVENT event = next(test, the->evd);
	const DAT_RMR_BIND_COMPLETION_EVENT_DATA *data =
		&event.event_data.rmr_completion_event_data;

	KUNIT_EXPECT_EQ(test, (int)event.event_number,
			DAT_RMR_BIND_COMPLETION_EVENT);
	KUNIT_EXPECT_PTR_EQ(test, event.evd_handle, the->evd);
	KUNIT_EXPECT_PTR_EQ(test, data->rmr_handle, rmr);
	KUNIT_EXPECT_EQ(test, data->user_cookie.as_64, cookie);
	KUNIT_EXPECT_EQ(test, (int)data->status, (int)status);
}

static void expect_conn(struct kunit *test, int number)
{
	KUNIT_EXPECT_EQ(test, (int)next(test, the->conn).event_number, number);
}

/* Bound by @context to OFFSET of an LMR; to nothing, where that is 0. */
static void expect_query(struct kunit *test, DAT_LMR_HANDLE lmr,
			 DAT_RMR_CONTEXT context)
{
	DAT_LMR_TRIPLET part = {};
	DAT_RMR_PARAM param;

	if (context)
		part = part_of(test, lmr, PART);
	memset(&param, 0xff, sizeof(param));
	EXPECT_DONE(test, dat_rmr_query(the->rmr, DAT_RMR_FIELD_ALL, &param));
	KUNIT_EXPECT_PTR_EQ(test, param.ia_handle, (DAT_HANDLE)&the->kia);
	KUNIT_EXPECT_PTR_EQ(test, param.pz_handle, the->pz);
	KUNIT_EXPECT_EQ(test, param.lmr_triplet.virtual_address,
			part.virtual_address);
	KUNIT_EXPECT_EQ(test, param.lmr_triplet.segment_length,
			part.segment_length);
	KUNIT_EXPECT_EQ(test, param.lmr_triplet.lmr_context, part.lmr_context);
	KUNIT_EXPECT_EQ(test, (int)param.mem_priv, context ? REMOTE : 0);
	KUNIT_EXPECT_EQ(test, param.rmr_context, context);
	KUNIT_EXPECT_EQ(test, (int)param.rmr_scope, DAT_RMR_SCOPE_PZ);
	KUNIT_EXPECT_EQ(test, (int)param.va_type, DAT_VA_TYPE_VA);
}

/* Where the device sees OFFSET of an LMR that begins so far into its page. */
static u64 shown(u64 addr)
{
	return FAKE_DMA + offset_in_page((unsigned long)addr) + OFFSET;
}

static void expect_invalidated(struct kunit *test, DAT_EP_HANDLE ep,
			       DAT_RMR_CONTEXT context)
{
	const DAT_EVENT event = next(test, the->evd);
	const DAT_DTO_COMPLETION_EVENT_DATA *data =
		&event.event_data.dto_completion_event_data;

	KUNIT_EXPECT_EQ(test, (int)event.event_number,
			DAT_DTO_COMPLETION_EVENT);
	KUNIT_EXPECT_PTR_EQ(test, data->ep_handle, ep);
	KUNIT_EXPECT_EQ(test, data->user_cookie.as_64, 5);
	KUNIT_EXPECT_EQ(test, (int)data->status, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, (int)data->operation,
			DAT_DTO_RECEIVE_WITH_INVALIDATE);
	KUNIT_EXPECT_EQ(test, data->rmr_context, context);
}

/* A message, over a connection of its own, makes @context invalid. */
static void peer_invalidates(struct kunit *test, DAT_RMR_CONTEXT context)
{
	const DAT_EP_ATTR attr = { .max_recv_dtos = 1 };
	DAT_EP_HANDLE ep = NULL;

	EXPECT_DONE(test, dat_ep_create(&the->kia, the->pz, the->evd, the->evd,
					the->conn, &attr, &ep));
	KUNIT_ASSERT_NOT_NULL(test, ep);
	connect(test, ep);
	EXPECT_DONE(test, dat_ep_post_recv(ep, 0, NULL, numbered(5), DEFAULT));
	qp_of(ep)->invalidates = context;
	KUNIT_EXPECT_EQ(test, fake_complete(qp_of(ep), &qp_of(ep)->rq, 1,
					    IB_WC_SUCCESS), 1);
	expect_invalidated(test, ep, context);
	EXPECT_DONE(test, dat_ep_free(ep));
}

/* ---- bound, moved, unbound -------------------------------------------------- */

static void rmr_is_made(struct kunit *test)
{
	DAT_RMR_HANDLE rmr = NULL;
	DAT_HANDLE_TYPE type;

	EXPECT_DONE(test, dat_get_handle_type(the->rmr, &type));
	KUNIT_EXPECT_EQ(test, (int)type, DAT_HANDLE_TYPE_RMR);
	expect_query(test, NULL, 0);
	EXPECT_ERROR(test, dat_pz_free(the->pz), DAT_INVALID_STATE,
		     DAT_INVALID_STATE_PZ_IN_USE);
	EXPECT_ERROR(test, dat_rmr_create(the->evd, &rmr), DAT_INVALID_HANDLE,
		     DAT_INVALID_HANDLE_PZ);
	EXPECT_ERROR(test, dat_rmr_create(NULL, &rmr), DAT_INVALID_HANDLE,
		     DAT_INVALID_HANDLE_PZ);
	EXPECT_ERROR(test, dat_rmr_create(the->pz, NULL), DAT_INVALID_PARAMETER,
		     DAT_INVALID_ARG2);
	the->env->ia->max_rmr_size = 0;
	EXPECT_ERROR(test, dat_rmr_create(the->pz, &rmr),
		     DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	KUNIT_EXPECT_NULL(test, rmr);
}

static void rmr_is_for_a_zone(struct kunit *test)
{
	DAT_RMR_HANDLE rmr;

	EXPECT_ERROR(test, dat_rmr_create_for_ep(the->pz, &rmr),
		     DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	EXPECT_ERROR(test, dat_rmr_create_for_ep(the->ep, &rmr),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	EXPECT_ERROR(test, dat_rmr_create_for_ep(the->pz, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

static void rmr_query_checks(struct kunit *test)
{
	DAT_RMR_PARAM param;

	EXPECT_ERROR(test, dat_rmr_query(the->lmr, DAT_RMR_FIELD_ALL, &param),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR);
	EXPECT_ERROR(test, dat_rmr_query(the->rmr, DAT_RMR_FIELD_ALL + 1,
					 &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_rmr_query(the->rmr, DAT_RMR_FIELD_ALL, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

static void rmr_binds_and_unbinds(struct kunit *test)
{
	DAT_RMR_CONTEXT old = 0, context = 0, none = 1;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &old));
	expect_query(test, the->lmr, old);
	expect_none(test);
	KUNIT_EXPECT_EQ(test, fake_reaches(old), 0);
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_reaches(old), shown(ADDR));

	EXPECT_DONE(test, bind(test, the->lmr, 2, &context));
	KUNIT_EXPECT_NE(test, context, old);
	finish(test, the->ep, 2);
	expect_bound(test, the->rmr, 2, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_reaches(old), 0);
	KUNIT_EXPECT_EQ(test, fake_reaches(context), shown(ADDR));
	EXPECT_ERROR(test, dat_lmr_free(the->lmr), DAT_INVALID_STATE,
		     DAT_INVALID_STATE_LMR_IN_USE);

	EXPECT_DONE(test, unbind(3, &none));
	KUNIT_EXPECT_EQ(test, none, 0);
	expect_query(test, NULL, 0);
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, 3, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_reaches(context), 0);
	expect_none(test);
}

/* Behind the first page is the second piece. */
static void rmr_across_pieces(struct kunit *test)
{
	DAT_LMR_TRIPLET part = part_of(test, the->lmr, PAGE_SIZE);
	DAT_RMR_CONTEXT context = 0;
	struct ib_mr *mr;

	part.virtual_address = ADDR + PAGE_SIZE;
	EXPECT_DONE(test, dat_rmr_bind(the->rmr, the->lmr, &part,
				       DAT_MEM_PRIV_REMOTE_READ_FLAG,
				       DAT_VA_TYPE_VA, the->ep,
				       numbered(1), DEFAULT,
				       &context));
	mr = fake_wr(&qp_of(the->ep)->sq, 0)->mr;
	KUNIT_EXPECT_EQ(test, mr->iova, ADDR + PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, mr->length, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, fake_wr(&qp_of(the->ep)->sq, 0)->access,
			IB_ACCESS_REMOTE_READ);
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_reaches(context), FAKE_DMA + FAKE_PIECE +
			offset_in_page((unsigned long)ADDR));
}

/* To an LMR of a kind, and off it again. */
static void bind_to(struct kunit *test, DAT_LMR_HANDLE lmr, u64 addr)
{
	DAT_RMR_CONTEXT context = 0, none;

	EXPECT_DONE(test, bind(test, lmr, addr, &context));
	expect_query(test, lmr, context);
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, addr, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_reaches(context), shown(addr));
	EXPECT_DONE(test, unbind(1, &none));
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
	EXPECT_DONE(test, dat_lmr_free(lmr));
}

static void rmr_over_all_memory(struct kunit *test)
{
	static u64 physical[] = { 0x10000, 0x14000 };
	struct page *page = alloc_pages(GFP_KERNEL, 1);
	struct scatterlist sg;

	KUNIT_ASSERT_NOT_NULL(test, page);
	sg_init_table(&sg, 1);
	sg_set_page(&sg, page, 2 * PAGE_SIZE - 0x80, 0x80);
	bind_to(test, make_lmr(test, the->pz, DAT_MEM_TYPE_PHYSICAL, physical,
			       2 * PAGE_SIZE, LOCAL), physical[0]);
	fake_cm.pieces = 3;
	bind_to(test, make_virtual(test, the->pz, LOCAL | REMOTE), ADDR);
	/* It has no MR of its own. */
	the->env->ia->local_key = true;
	fake_cm.pieces = 1;
	bind_to(test, make_lmr(test, the->pz, DAT_MEM_TYPE_PLATFORM, &sg,
			       PART + OFFSET, LOCAL), sg_phys(&sg));
	__free_pages(page, 1);
}

static void rmr_flags(struct kunit *test)
{
	const DAT_LMR_TRIPLET part = part_of(test, the->lmr, PART);
	const DAT_RMR_COOKIE cookie = { .as_64 = 1 };
	DAT_RMR_CONTEXT context;

	EXPECT_DONE(test, dat_rmr_bind(the->rmr, the->lmr, &part, REMOTE,
				       DAT_VA_TYPE_VA, the->ep, cookie,
				       DAT_COMPLETION_SUPPRESS_FLAG |
				       DAT_COMPLETION_BARRIER_FENCE_FLAG,
				       &context));
	KUNIT_EXPECT_EQ(test, fake_wr(&qp_of(the->ep)->sq, 0)->send_flags,
			IB_SEND_SIGNALED | IB_SEND_FENCE);
	finish(test, the->ep, 1);
	expect_none(test);
	EXPECT_DONE(test, dat_rmr_bind(the->rmr, the->lmr, &part, REMOTE,
				       DAT_VA_TYPE_VA, the->ep, cookie,
				       DAT_COMPLETION_UNSIGNALLED_FLAG,
				       &context));
	KUNIT_EXPECT_EQ(test, fake_wr(&qp_of(the->ep)->sq, 1)->send_flags,
			IB_SEND_SIGNALED);
	finish(test, the->ep, 2);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
}

/* ---- made invalid by a peer ------------------------------------------------- */

/* By the context that it is bound under, and by nothing else. */
static void rmr_lost(struct kunit *test)
{
	DAT_RMR_CONTEXT context = 0, again = 0;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &context));
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
	peer_invalidates(test, context ^ 1);
	peer_invalidates(test, 0xdeadbeef);
	expect_query(test, the->lmr, context);
	KUNIT_EXPECT_EQ(test, fake_reaches(context), shown(ADDR));
	peer_invalidates(test, context);
	expect_query(test, NULL, 0);
	EXPECT_DONE(test, dat_lmr_free(the->lmr));

	/* There is nothing to end: it is one request. */
	the->lmr = make_virtual(test, the->pz, LOCAL);
	EXPECT_DONE(test, bind(test, the->lmr, 2, &again));
	KUNIT_EXPECT_EQ(test, qp_of(the->ep)->sq.head, 2);
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, 2, DAT_DTO_SUCCESS);
	expect_query(test, the->lmr, again);
	KUNIT_EXPECT_EQ(test, fake_reaches(again), shown(ADDR));
}

/* Unbinding what is not bound any more asks nothing of the device. */
static void rmr_lost_then_unbound(struct kunit *test)
{
	DAT_RMR_CONTEXT context = 0, none = 1;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &context));
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
	peer_invalidates(test, context);
	EXPECT_DONE(test, unbind(2, &none));
	KUNIT_EXPECT_EQ(test, none, 0);
	KUNIT_EXPECT_EQ(test, qp_of(the->ep)->sq.head, 1);
	expect_bound(test, the->rmr, 2, DAT_DTO_SUCCESS);
	expect_none(test);
}

/* The message is there before the bind is retired, which has the MR until then. */
static void rmr_lost_early(struct kunit *test)
{
	DAT_RMR_CONTEXT context = 0;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &context));
	peer_invalidates(test, context);
	expect_query(test, NULL, 0);
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
	kdapl_reaper_flush(&the->env->ia->reaper);
	KUNIT_EXPECT_EQ(test, fake_reaches(context), 0);
	EXPECT_DONE(test, dat_lmr_free(the->lmr));
	the->lmr = make_virtual(test, the->pz, LOCAL);
}

/* What a bind under way invalidates is its own. */
static void rmr_lost_while_moved(struct kunit *test)
{
	DAT_RMR_CONTEXT old = 0, context = 0;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &old));
	EXPECT_DONE(test, bind(test, the->lmr, 2, &context));
	peer_invalidates(test, old);
	expect_query(test, the->lmr, context);
	finish(test, the->ep, 3);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
	expect_bound(test, the->rmr, 2, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_reaches(old), 0);
	KUNIT_EXPECT_EQ(test, fake_reaches(context), shown(ADDR));
}

/* ---- what is refused -------------------------------------------------------- */

/* What one bind is called with. */
struct call {
	DAT_RMR_HANDLE rmr;
	DAT_LMR_HANDLE lmr;
	DAT_LMR_TRIPLET part;
	DAT_MEM_PRIV_FLAGS privileges;
	DAT_VA_TYPE va_type;
	DAT_EP_HANDLE ep;
	DAT_COMPLETION_FLAGS flags;
};

static struct call good_call(struct kunit *test)
{
	return (struct call){
		.rmr = the->rmr,
		.lmr = the->lmr,
		.part = part_of(test, the->lmr, PART),
		.privileges = REMOTE,
		.ep = the->ep,
	};
}

static DAT_RETURN do_call(const struct call *call)
{
	DAT_RMR_CONTEXT context = 0xabcd;
	DAT_RETURN ret;

	ret = dat_rmr_bind(call->rmr, call->lmr, &call->part, call->privileges,
			   call->va_type, call->ep, numbered(0),
			   call->flags, &context);
	return ret == DAT_SUCCESS || context == 0xabcd ?
	       ret : DAT_ERROR(DAT_INTERNAL_ERROR, DAT_NO_SUBTYPE);
}

#define EXPECT_REFUSED(test, field, value, type, subtype) do {		\
	struct kunit *_test = (test);					\
	struct call _call = good_call(_test);				\
									\
	_call.field = value;						\
	EXPECT_ERROR(_test, do_call(&_call), type, subtype);		\
} while (0)

static void bind_checks(struct kunit *test)
{
	const DAT_LMR_TRIPLET part = part_of(test, the->lmr, PART);
	const u32 id = part.lmr_context;
	DAT_RMR_CONTEXT context;

	EXPECT_REFUSED(test, rmr, the->ep, DAT_INVALID_HANDLE,
		       DAT_INVALID_HANDLE_RMR);
	EXPECT_REFUSED(test, lmr, the->rmr, DAT_INVALID_HANDLE,
		       DAT_INVALID_HANDLE_LMR);
	EXPECT_REFUSED(test, lmr, NULL, DAT_INVALID_HANDLE,
		       DAT_INVALID_HANDLE_LMR);
	EXPECT_REFUSED(test, part.lmr_context, id + 1, DAT_INVALID_PARAMETER,
		       DAT_INVALID_ARG3);
	EXPECT_REFUSED(test, part.virtual_address, ADDR - 1,
		       DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_REFUSED(test, part.virtual_address, ADDR + LENGTH - PART + 1,
		       DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_REFUSED(test, part.segment_length, LENGTH - OFFSET + 1,
		       DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_REFUSED(test, part.segment_length, ENV_RMR_LENGTH + 1,
		       DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY_REGION);
	EXPECT_REFUSED(test, privileges, 0x40, DAT_INVALID_PARAMETER,
		       DAT_INVALID_ARG4);
	EXPECT_REFUSED(test, va_type, DAT_VA_TYPE_ZB, DAT_MODEL_NOT_SUPPORTED,
		       DAT_NO_SUBTYPE);
	EXPECT_REFUSED(test, ep, the->lmr, DAT_INVALID_HANDLE,
		       DAT_INVALID_HANDLE_EP);
	EXPECT_REFUSED(test, flags, DAT_COMPLETION_SOLICITED_WAIT_FLAG,
		       DAT_INVALID_PARAMETER, DAT_INVALID_ARG8);
	EXPECT_ERROR(test, dat_rmr_bind(the->rmr, the->lmr, NULL, REMOTE, 0,
					the->ep, numbered(0), 0,
					&context),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_ERROR(test, dat_rmr_bind(the->rmr, the->lmr, &part, REMOTE, 0,
					the->ep, numbered(0), 0, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG9);
	the->env->dev->no_mr = true;
	EXPECT_REFUSED(test, flags, 0, DAT_INSUFFICIENT_RESOURCES,
		       DAT_RESOURCE_MEMORY);
	KUNIT_EXPECT_EQ(test, qp_of(the->ep)->calls, 0);
	expect_query(test, NULL, 0);
	expect_none(test);
}

/* They have ids that are as good as this one's. */
static void bind_of_another_ia(struct kunit *test)
{
	struct kapi_ia *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, other);
	obj_of(the->lmr)->ia = other;
	EXPECT_REFUSED(test, flags, 0, DAT_INVALID_HANDLE,
		       DAT_INVALID_HANDLE_LMR);
	obj_of(the->lmr)->ia = &the->kia;
	obj_of(the->ep)->ia = other;
	EXPECT_REFUSED(test, flags, 0, DAT_INVALID_HANDLE,
		       DAT_INVALID_HANDLE_EP);
	obj_of(the->ep)->ia = &the->kia;
}

static void bind_of_other_memory(struct kunit *test)
{
	DAT_LMR_HANDLE reads = make_virtual(test, the->pz,
					    DAT_MEM_PRIV_LOCAL_READ_FLAG);
	struct ib_device_attr *attrs = &the->env->dev->ib.attrs;
	struct call call = good_call(test);
	DAT_LMR_CONTEXT context;
	DAT_LMR_HANDLE fast;

	call.lmr = reads;
	call.part = part_of(test, reads, PART);
	EXPECT_ERROR(test, do_call(&call), DAT_PRIVILEGES_VIOLATION,
		     DAT_NO_SUBTYPE);
	call.privileges = DAT_MEM_PRIV_REMOTE_READ_FLAG;
	EXPECT_DONE(test, do_call(&call));
	finish(test, the->ep, 1);

	attrs->device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
	attrs->max_fast_reg_page_list_len = 4;
	EXPECT_DONE(test, dat_lmr_allocate(&the->kia, the->pz, 2,
					   DAT_LMR_SCOPE_PZ, &fast));
	call.lmr = fast;
	call.part.lmr_context = obj_of(fast)->id;
	EXPECT_ERROR(test, do_call(&call), DAT_INVALID_STATE, DAT_NO_SUBTYPE);
	EXPECT_DONE(test, dat_lmr_free(fast));

	the->env->ia->local_key = true;
	KUNIT_EXPECT_EQ(test, kapi_reserved_make(&the->kia), 0);
	EXPECT_DONE(test, dat_ia_reserved_lmr(&the->kia, &call.lmr, &context));
	call.part.lmr_context = context;
	EXPECT_ERROR(test, do_call(&call), DAT_RESERVED_LMR, DAT_NO_SUBTYPE);

	EXPECT_DONE(test, dat_rmr_free(the->rmr));
	the->rmr = make_rmr(test, the->pz);
	EXPECT_DONE(test, dat_lmr_free(reads));
}

static void bind_of_other_zone(struct kunit *test)
{
	struct call call = good_call(test);
	DAT_PZ_HANDLE pz;
	DAT_LMR_HANDLE lmr;
	DAT_EP_HANDLE ep;

	EXPECT_DONE(test, dat_pz_create(&the->kia, &pz));
	lmr = make_virtual(test, pz, LOCAL);
	call.lmr = lmr;
	call.part = part_of(test, lmr, PART);
	EXPECT_ERROR(test, do_call(&call), DAT_PROTECTION_VIOLATION,
		     DAT_NO_SUBTYPE);
	EXPECT_DONE(test, dat_lmr_free(lmr));
	ep = make_ep(test, pz);
	connect(test, ep);
	call = good_call(test);
	call.ep = ep;
	EXPECT_ERROR(test, do_call(&call), DAT_PROTECTION_VIOLATION,
		     DAT_NO_SUBTYPE);
	EXPECT_DONE(test, dat_ep_free(ep));
	EXPECT_DONE(test, dat_pz_free(pz));
}

static void bind_in_other_states(struct kunit *test)
{
	DAT_EP_HANDLE idle = make_ep(test, the->pz), other;
	DAT_RMR_CONTEXT context = 0, flushed;
	int i;

	EXPECT_REFUSED(test, ep, idle, DAT_INVALID_STATE, DAT_NO_SUBTYPE);
	EXPECT_DONE(test, dat_ep_free(idle));

	EXPECT_DONE(test, bind(test, the->lmr, 1, &context));
	other = make_ep(test, the->pz);
	connect(test, other);
	EXPECT_REFUSED(test, ep, other, DAT_INVALID_STATE, DAT_NO_SUBTYPE);
	EXPECT_DONE(test, dat_ep_free(other));
	for (i = 1; i < DEPTH / KDAPL_BIND_SLOTS; i++)
		EXPECT_DONE(test, bind(test, the->lmr, 1, &context));
	EXPECT_REFUSED(test, flags, 0, DAT_INSUFFICIENT_RESOURCES,
		       DAT_RESOURCE_CREDITS);
	finish(test, the->ep, DEPTH - 1);
	for (i = 0; i < DEPTH / KDAPL_BIND_SLOTS; i++)
		expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);

	/* The connection is over: it is flushed, and stays as it is. */
	kdapl_ep_end(core_ep(the->ep), DAT_CONNECTION_EVENT_DISCONNECTED, false);
	expect_conn(test, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_DONE(test, bind(test, the->lmr, 2, &flushed));
	expect_bound(test, the->rmr, 2, DAT_DTO_ERR_FLUSHED);
	EXPECT_DONE(test, unbind(3, &flushed));
	expect_bound(test, the->rmr, 3, DAT_DTO_ERR_FLUSHED);
	expect_query(test, the->lmr, context);
	KUNIT_EXPECT_EQ(test, fake_reaches(context), shown(ADDR));
}

/* ---- the ends --------------------------------------------------------------- */

static void rmr_freed_while_bound(struct kunit *test)
{
	DAT_RMR_CONTEXT context = 0;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &context));
	finish(test, the->ep, 1);
	EXPECT_DONE(test, dat_rmr_free(the->rmr));
	KUNIT_EXPECT_EQ(test, fake_reaches(context), 0);
	/* Its event is older than its end. */
	expect_bound(test, NULL, 1, DAT_DTO_SUCCESS);
	EXPECT_ERROR(test, dat_rmr_free(the->lmr), DAT_INVALID_HANDLE,
		     DAT_INVALID_HANDLE_RMR);
	EXPECT_DONE(test, dat_lmr_free(the->lmr));
	the->lmr = make_virtual(test, the->pz, LOCAL);
	the->rmr = make_rmr(test, the->pz);
}

/* The peer lets nothing finish: in the end that is an end of the connection. */
static void rmr_freed_under_a_bind(struct kunit *test)
{
	DAT_RMR_CONTEXT context;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &context));
	EXPECT_DONE(test, dat_rmr_free(the->rmr));
	expect_bound(test, NULL, 1, DAT_DTO_ERR_FLUSHED);
	expect_conn(test, DAT_CONNECTION_EVENT_BROKEN);
	the->rmr = make_rmr(test, the->pz);
}

static void rmr_flushed(struct kunit *test)
{
	DAT_RMR_CONTEXT first = 0, second = 0;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &first));
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
	EXPECT_DONE(test, bind(test, the->lmr, 2, &second));
	kdapl_ep_end(core_ep(the->ep), DAT_CONNECTION_EVENT_DISCONNECTED, false);
	expect_bound(test, the->rmr, 2, DAT_DTO_ERR_FLUSHED);
	expect_conn(test, DAT_CONNECTION_EVENT_DISCONNECTED);
	/* Neither is known to be alive: nothing is left of them. */
	expect_query(test, NULL, 0);
	kdapl_reaper_flush(&the->env->ia->reaper);
	KUNIT_EXPECT_EQ(test, fake_reaches(first), 0);
	KUNIT_EXPECT_EQ(test, fake_reaches(second), 0);
}

static void rmr_fails(struct kunit *test)
{
	DAT_RMR_CONTEXT context;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &context));
	fake_complete(qp_of(the->ep), &qp_of(the->ep)->sq, 1,
		      IB_WC_LOC_QP_OP_ERR);
	expect_bound(test, the->rmr, 1, DAT_RMR_OPERATION_FAILED);
	expect_conn(test, DAT_CONNECTION_EVENT_BROKEN);
	expect_query(test, NULL, 0);
}

/* While it is bound, and while another bind is under way. */
static void rmr_device_goes(struct kunit *test)
{
	DAT_RMR_CONTEXT first = 0, second = 0;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &first));
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
	EXPECT_DONE(test, bind(test, the->lmr, 2, &second));
	kdapl_ep_kill(core_ep(the->ep));
	kdapl_rmr_kill(to_rmr(obj_of(the->rmr)->core));
	kdapl_lmr_kill(to_lmr(obj_of(the->lmr)->core));
	/* Its MR is deregistered without an invalidation. */
	fake_cm.registered--;
	expect_bound(test, the->rmr, 2, DAT_DTO_ERR_FLUSHED);
	KUNIT_EXPECT_EQ(test, fake_reaches(first), 0);
	KUNIT_EXPECT_EQ(test, fake_reaches(second), 0);
	KUNIT_EXPECT_NE(test, (DAT_RETURN)DAT_SUCCESS,
			bind(test, the->lmr, 3, &second));
	expect_query(test, NULL, 0);
}

/* ---- reads into an RMR ------------------------------------------------------ */

static const DAT_RMR_TRIPLET remote = {
	.virtual_address = 0x5000,
	.segment_length = 64,
	.rmr_context = 0x77,
};

/* Of @length bytes, where @context is bound. */
static DAT_RETURN read_to(DAT_EP_HANDLE ep, u64 offset, u32 length,
			  DAT_RMR_CONTEXT context)
{
	const DAT_RMR_TRIPLET local = {
		.virtual_address = ADDR + OFFSET + offset,
		.segment_length = length,
		.rmr_context = context,
	};

	return dat_ep_post_rdma_read_to_rmr(ep, &local,
					    numbered(9),
					    &remote,
					    DAT_COMPLETION_BARRIER_FENCE_FLAG);
}

static void expect_read(struct kunit *test)
{
	const DAT_EVENT event = next(test, the->evd);
	const DAT_DTO_COMPLETION_EVENT_DATA *data =
		&event.event_data.dto_completion_event_data;

	KUNIT_EXPECT_EQ(test, (int)event.event_number,
			DAT_DTO_COMPLETION_EVENT);
	KUNIT_EXPECT_PTR_EQ(test, data->ep_handle, the->ep);
	KUNIT_EXPECT_EQ(test, data->user_cookie.as_64, 9);
	KUNIT_EXPECT_EQ(test, (int)data->status, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, (int)data->operation, DAT_DTO_RDMA_READ);
	KUNIT_EXPECT_EQ(test, data->transfered_length, 64);
}

/* Behind its bind, and longer than what is read. */
static void read_to_rmr(struct kunit *test)
{
	struct fake_wr *wr = fake_wr(&qp_of(the->ep)->sq, 1);
	DAT_RMR_CONTEXT context = 0;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &context));
	EXPECT_DONE(test, read_to(the->ep, 8, 100, context));
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_RDMA_READ);
	KUNIT_EXPECT_EQ(test, wr->send_flags, IB_SEND_SIGNALED | IB_SEND_FENCE);
	KUNIT_EXPECT_EQ(test, wr->remote_addr, remote.virtual_address);
	KUNIT_EXPECT_EQ(test, wr->rkey, remote.rmr_context);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 1);
	KUNIT_EXPECT_EQ(test, wr->sge[0].addr, ADDR + OFFSET + 8);
	KUNIT_EXPECT_EQ(test, wr->sge[0].length, 64);
	KUNIT_EXPECT_EQ(test, wr->sge[0].lkey, context);
	finish(test, the->ep, 2);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
	expect_read(test);
	/* To its last byte. */
	EXPECT_DONE(test, read_to(the->ep, PART - 64, 64, context));
	finish(test, the->ep, 1);
	expect_read(test);
}

static void read_checks(struct kunit *test)
{
	const DAT_RMR_TRIPLET local = remote;
	const DAT_DTO_COOKIE cookie = {};

	EXPECT_ERROR(test, dat_ep_post_rdma_read_to_rmr(the->rmr, &local, cookie,
							&remote, DEFAULT),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	EXPECT_ERROR(test, dat_ep_post_rdma_read_to_rmr(the->ep, NULL, cookie,
							&remote, DEFAULT),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_ep_post_rdma_read_to_rmr(the->ep, &local, cookie,
							NULL, DEFAULT),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	EXPECT_ERROR(test, dat_ep_post_rdma_read_to_rmr(the->ep, &local, cookie,
							&remote,
							DAT_COMPLETION_SOLICITED_WAIT_FLAG),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	EXPECT_ERROR(test, read_to(the->ep, 0, 63, 1), DAT_LENGTH_ERROR,
		     DAT_NO_SUBTYPE);
}

#define EXPECT_NO_READ(test, ep, offset, context) \
	EXPECT_ERROR(test, read_to(ep, offset, 64, context), \
		     DAT_PROTECTION_VIOLATION, DAT_NO_SUBTYPE)

static void read_needs_the_rmr(struct kunit *test)
{
	DAT_RMR_CONTEXT old = 0, context = 0, none;
	DAT_LMR_PARAM param = {};
	DAT_LMR_HANDLE lmr;

	lmr = make_virtual(test, the->pz, LOCAL | REMOTE);
	EXPECT_DONE(test, dat_lmr_query(lmr, DAT_LMR_FIELD_ALL, &param));
	EXPECT_NO_READ(test, the->ep, 0, param.rmr_context);
	EXPECT_DONE(test, dat_lmr_free(lmr));

	EXPECT_DONE(test, bind(test, the->lmr, 1, &old));
	EXPECT_DONE(test, bind(test, the->lmr, 2, &context));
	EXPECT_NO_READ(test, the->ep, 0, old);
	EXPECT_NO_READ(test, the->ep, 0, context ^ 1);
	EXPECT_NO_READ(test, the->ep, -1ULL, context);
	EXPECT_NO_READ(test, the->ep, PART - 63, context);
	EXPECT_DONE(test, unbind(3, &none));
	EXPECT_NO_READ(test, the->ep, 0, context);
	/* What was refused took no slot, and is not known to the device. */
	finish(test, the->ep, 4);
	KUNIT_EXPECT_EQ(test, qp_of(the->ep)->sq.head, 4);
	EXPECT_DONE(test, dat_rmr_free(the->rmr));
	EXPECT_NO_READ(test, the->ep, 0, context);
	the->rmr = make_rmr(test, the->pz);
}

static void read_needs_remote_write(struct kunit *test)
{
	const DAT_LMR_TRIPLET part = part_of(test, the->lmr, PART);
	DAT_RMR_CONTEXT context = 0;

	EXPECT_DONE(test, dat_rmr_bind(the->rmr, the->lmr, &part,
				       LOCAL | DAT_MEM_PRIV_REMOTE_READ_FLAG,
				       DAT_VA_TYPE_VA, the->ep,
				       numbered(0), DEFAULT, &context));
	EXPECT_NO_READ(test, the->ep, 0, context);
	finish(test, the->ep, 1);
}

static void read_on_other_eps(struct kunit *test)
{
	DAT_EP_HANDLE idle = make_ep(test, the->pz), far;
	DAT_RMR_CONTEXT context = 0;
	DAT_PZ_HANDLE pz;
	DAT_EVENT event;

	EXPECT_DONE(test, bind(test, the->lmr, 1, &context));
	finish(test, the->ep, 1);
	expect_bound(test, the->rmr, 1, DAT_DTO_SUCCESS);
	EXPECT_ERROR(test, read_to(idle, 0, 64, context), DAT_INVALID_STATE,
		     DAT_NO_SUBTYPE);
	EXPECT_DONE(test, dat_ep_free(idle));

	EXPECT_DONE(test, dat_pz_create(&the->kia, &pz));
	far = make_ep(test, pz);
	connect(test, far);
	EXPECT_NO_READ(test, far, 0, context);
	EXPECT_DONE(test, dat_ep_free(far));
	EXPECT_DONE(test, dat_pz_free(pz));

	EXPECT_DONE(test, read_to(the->ep, 0, 64, context));
	kdapl_ep_end(core_ep(the->ep), DAT_CONNECTION_EVENT_DISCONNECTED, false);
	event = next(test, the->evd);
	KUNIT_EXPECT_EQ(test,
			(int)event.event_data.dto_completion_event_data.status,
			DAT_DTO_ERR_FLUSHED);
	expect_conn(test, DAT_CONNECTION_EVENT_DISCONNECTED);
}

static struct kunit_case kapi_rmr_cases[] = {
	KUNIT_CASE(rmr_is_made),
	KUNIT_CASE(rmr_is_for_a_zone),
	KUNIT_CASE(rmr_query_checks),
	KUNIT_CASE(rmr_binds_and_unbinds),
	KUNIT_CASE(rmr_across_pieces),
	KUNIT_CASE(rmr_over_all_memory),
	KUNIT_CASE(rmr_flags),
	KUNIT_CASE(rmr_lost),
	KUNIT_CASE(rmr_lost_then_unbound),
	KUNIT_CASE(rmr_lost_early),
	KUNIT_CASE(rmr_lost_while_moved),
	KUNIT_CASE(bind_checks),
	KUNIT_CASE(bind_of_another_ia),
	KUNIT_CASE(bind_of_other_memory),
	KUNIT_CASE(bind_of_other_zone),
	KUNIT_CASE(bind_in_other_states),
	KUNIT_CASE(rmr_freed_while_bound),
	KUNIT_CASE(rmr_freed_under_a_bind),
	KUNIT_CASE(rmr_flushed),
	KUNIT_CASE(rmr_fails),
	KUNIT_CASE(rmr_device_goes),
	KUNIT_CASE(read_to_rmr),
	KUNIT_CASE(read_checks),
	KUNIT_CASE(read_needs_the_rmr),
	KUNIT_CASE(read_needs_remote_write),
	KUNIT_CASE(read_on_other_eps),
	{}
};

static struct kunit_suite kapi_rmr_suite = {
	.name = "kdapl-kapi-rmr",
	.init = rmr_init,
	.exit = rmr_exit,
	.test_cases = kapi_rmr_cases,
};

kunit_test_suite(kapi_rmr_suite);

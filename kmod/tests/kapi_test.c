// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The door of the kernel: shared receive queues and their events, endpoints that
 * change, marks, drain, and what is asked of memory.
 */

#include <dat2/kdat_ext.h>

#include "../kapi/kapi.h"
#include "../lmr.h"
#include "../srq.h"
#include "env.h"

#define ADDR	0x7000100ULL
#define LENGTH	0x3000ULL
#define DEPTH	8
#define SLOTS	8

/**
 * struct world - a consumer and what every test needs
 * @env: below it
 * @kia: its IA
 * @pz: PZ
 * @dto: EVD for completions
 * @conn: EVD for connections
 * @lmr: ADDR and LENGTH of local memory
 * @context: its
 */
struct world {
	struct env *env;
	struct kapi_ia kia;
	DAT_PZ_HANDLE pz;
	DAT_EVD_HANDLE dto, conn;
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT context;
};

/* Of the test that runs. */
static struct world *the;

#define EXPECT_DONE(test, call) \
	KUNIT_EXPECT_EQ(test, (DAT_RETURN)DAT_SUCCESS, call)
#define EXPECT_ERROR(test, call, type, subtype) \
	KUNIT_EXPECT_EQ(test, DAT_ERROR(type, subtype), call)
/* Whatever it says about why. */
#define EXPECT_TYPE(test, call, type) \
	KUNIT_EXPECT_EQ(test, (u32)(type), DAT_GET_TYPE(call))

static void make_world(struct kunit *test, struct kapi_ia *kia)
{
	const DAT_REGION_DESCRIPTION region = {
		.for_va = (void *)(uintptr_t)ADDR,
	};

	kia->async = kapi_evd_create(kia, 8, DAT_UPCALL_DISABLE, NULL,
				     DAT_EVD_ASYNC_FLAG);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kia->async));
	EXPECT_DONE(test, dat_pz_create(kia, &the->pz));
	EXPECT_DONE(test, dat_evd_kcreate(kia, 32, DAT_UPCALL_DISABLE, NULL,
					  DAT_EVD_DTO_FLAG, &the->dto));
	EXPECT_DONE(test, dat_evd_kcreate(kia, 8, DAT_UPCALL_DISABLE, NULL,
					  DAT_EVD_CONNECTION_FLAG, &the->conn));
	EXPECT_DONE(test, dat_lmr_kcreate(kia, DAT_MEM_TYPE_VIRTUAL, region,
					  LENGTH, the->pz,
					  DAT_MEM_PRIV_LOCAL_READ_FLAG |
					  DAT_MEM_PRIV_LOCAL_WRITE_FLAG,
					  DAT_VA_TYPE_VA,
					  DAT_MEM_OPTIMIZE_DONT_CARE,
					  &the->lmr, &the->context, NULL, NULL,
					  NULL));
}

static void ia_init(struct kapi_ia *kia)
{
	kia->obj.magic = KAPI_MAGIC;
	kia->obj.type = DAT_HANDLE_TYPE_IA;
	kia->obj.ia = kia;
	kia->core = the->env->ia;
	xa_init(&kia->live);
}

static int kapi_init(struct kunit *test)
{
	int ret;

	the = NULL;
	ret = env_init_kernel(test);
	if (ret)
		return ret;
	the = kunit_kzalloc(test, sizeof(*the), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, the);
	the->env = test->priv;
	ia_init(&the->kia);
	make_world(test, &the->kia);
	return 0;
}

static void kapi_exit(struct kunit *test)
{
	DAT_EVD_HANDLE async;

	if (the) {
		async = the->kia.async;
		the->kia.async = NULL;
		EXPECT_DONE(test, dat_lmr_free(the->lmr));
		EXPECT_DONE(test, dat_evd_free(the->dto));
		EXPECT_DONE(test, dat_evd_free(the->conn));
		EXPECT_DONE(test, dat_evd_free(async));
		EXPECT_DONE(test, dat_pz_free(the->pz));
		KUNIT_EXPECT_TRUE(test, xa_empty(&the->kia.live));
		kapi_reserved_free(&the->kia);
		rcu_barrier();
	}
	env_exit(test);
}

/* ---- what a consumer does ---------------------------------------------------- */

static DAT_SRQ_HANDLE make_srq(struct kunit *test)
{
	DAT_SRQ_ATTR attr = { .max_recv_dtos = SLOTS, .max_recv_iov = 2 };
	DAT_SRQ_HANDLE srq = NULL;

	EXPECT_DONE(test, dat_srq_create(&the->kia, the->pz, &attr, &srq));
	KUNIT_ASSERT_NOT_NULL(test, srq);
	return srq;
}

/* With an SRQ, or without. */
static DAT_EP_HANDLE make_ep(struct kunit *test, DAT_SRQ_HANDLE srq)
{
	const DAT_EP_ATTR attr = {
		.max_recv_dtos = DEPTH,
		.max_request_dtos = DEPTH,
	};
	DAT_EP_HANDLE ep = NULL;

	if (srq)
		EXPECT_DONE(test, dat_ep_create_with_srq(&the->kia, the->pz,
							 the->dto, the->dto,
							 the->conn, srq, &attr,
							 &ep));
	else
		EXPECT_DONE(test, dat_ep_create(&the->kia, the->pz, the->dto,
						the->dto, the->conn, &attr,
						&ep));
	KUNIT_ASSERT_NOT_NULL(test, ep);
	return ep;
}

static struct kdapl_ep *core_ep(DAT_EP_HANDLE ep)
{
	return to_ep(((struct kapi_obj *)ep)->core);
}

static struct fake_qp *qp_of(DAT_EP_HANDLE ep)
{
	return to_fake_qp(core_ep(ep)->qp);
}

static struct kdapl_srq *core_srq(DAT_SRQ_HANDLE srq)
{
	return to_srq(((struct kapi_obj *)srq)->core);
}

static DAT_EP_PARAM query_ep(struct kunit *test, DAT_EP_HANDLE ep)
{
	DAT_EP_PARAM param = {};

	EXPECT_DONE(test, dat_ep_query(ep, DAT_EP_FIELD_ALL, &param));
	return param;
}

static DAT_EVENT next(struct kunit *test, DAT_EVD_HANDLE evd)
{
	DAT_EVENT event = {};

	KUNIT_EXPECT_TRUE(test, env_comes_true(dat_evd_dequeue(evd, &event) ==
					       DAT_SUCCESS));
	return event;
}

static void expect_none(struct kunit *test, DAT_EVD_HANDLE evd)
{
	DAT_EVENT event;

	EXPECT_TYPE(test, dat_evd_dequeue(evd, &event), DAT_QUEUE_EMPTY);
}

static void expect_conn(struct kunit *test, DAT_EP_HANDLE ep, int number)
{
	const DAT_EVENT event = next(test, the->conn);

	KUNIT_EXPECT_EQ(test, (int)event.event_number, number);
	KUNIT_EXPECT_PTR_EQ(test,
			    event.event_data.connect_event_data.ep_handle, ep);
}

static void expect_recv(struct kunit *test, DAT_EVD_HANDLE evd,
			DAT_EP_HANDLE ep, u64 cookie)
{
	const DAT_EVENT event = next(test, evd);
	const DAT_DTO_COMPLETION_EVENT_DATA *data =
		&event.event_data.dto_completion_event_data;

	KUNIT_EXPECT_EQ(test, (int)event.event_number,
			DAT_DTO_COMPLETION_EVENT);
	KUNIT_EXPECT_PTR_EQ(test, data->ep_handle, ep);
	KUNIT_EXPECT_EQ(test, data->user_cookie.as_64, cookie);
	KUNIT_EXPECT_EQ(test, (int)data->status, DAT_DTO_SUCCESS);
	KUNIT_EXPECT_EQ(test, data->transfered_length, 64);
}

static void expect_async(struct kunit *test, DAT_HANDLE handle, int reason)
{
	const DAT_EVENT event = next(test, the->kia.async);
	const DAT_ASYNCH_ERROR_EVENT_DATA *data =
		&event.event_data.asynch_error_event_data;

	KUNIT_EXPECT_EQ(test, (int)event.event_number,
			DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR);
	KUNIT_EXPECT_PTR_EQ(test, data->dat_handle, handle);
	KUNIT_EXPECT_EQ(test, data->reason, reason);
	expect_none(test, the->kia.async);
}

static void connect(struct kunit *test, DAT_EP_HANDLE ep)
{
	struct kdapl_ep *core = core_ep(ep);

	mutex_lock(&core->mutex);
	KUNIT_EXPECT_EQ(test, kdapl_ep_begin(core, KDAPL_EP_ACTIVE_PENDING), 0);
	mutex_unlock(&core->mutex);
	kdapl_ep_established(core, 0);
	expect_conn(test, ep, DAT_CONNECTION_EVENT_ESTABLISHED);
}

static DAT_LMR_TRIPLET piece(u64 offset, u32 length)
{
	return (DAT_LMR_TRIPLET){
		.virtual_address = ADDR + offset,
		.segment_length = length,
		.lmr_context = the->context,
	};
}

static DAT_RETURN post_srq(DAT_SRQ_HANDLE srq, u64 cookie)
{
	const DAT_DTO_COOKIE user = { .as_64 = cookie };
	DAT_LMR_TRIPLET iov = piece(0, 64);

	return dat_srq_post_recv(srq, 1, &iov, user);
}

static DAT_RETURN post_ep(DAT_EP_HANDLE ep, u64 cookie)
{
	const DAT_DTO_COOKIE user = { .as_64 = cookie };
	DAT_LMR_TRIPLET iov = piece(0, 64);

	return dat_ep_post_recv(ep, 1, &iov, user, DAT_COMPLETION_DEFAULT_FLAG);
}

/* ---- SRQs -------------------------------------------------------------------- */

static void srq_create_checks(struct kunit *test)
{
	static const DAT_SRQ_ATTR bad[] = {
		{ .max_recv_dtos = 0, .max_recv_iov = 1 },
		{ .max_recv_dtos = -1, .max_recv_iov = 1 },
		{ .max_recv_dtos = 1, .max_recv_iov = -1 },
		{ .max_recv_dtos = 1, .max_recv_iov = KDAPL_SEGS_MAX + 1 },
		{ .max_recv_dtos = 1, .max_recv_iov = 1, .low_watermark = 1 },
	};
	DAT_SRQ_ATTR attr = { .max_recv_dtos = 1, .max_recv_iov = 1 };
	DAT_SRQ_HANDLE srq;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		attr = bad[i];
		EXPECT_ERROR(test, dat_srq_create(&the->kia, the->pz, &attr, &srq),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	}
	EXPECT_ERROR(test, dat_srq_create(&the->kia, the->pz, NULL, &srq),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	attr = (DAT_SRQ_ATTR){ .max_recv_dtos = KDAPL_SRQ_MAX + 1 };
	EXPECT_ERROR(test, dat_srq_create(&the->kia, the->pz, &attr, &srq),
		     DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_SRQ);
	attr.max_recv_dtos = 1;
	EXPECT_ERROR(test, dat_srq_create(&the->kia, the->pz, &attr, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	EXPECT_ERROR(test, dat_srq_create(&the->kia, the->dto, &attr, &srq),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	the->env->ia->max_srqs = 0;
	EXPECT_TYPE(test, dat_srq_create(&the->kia, the->pz, &attr, &srq),
		    DAT_MODEL_NOT_SUPPORTED);
}

static void srq_ep_create_checks(struct kunit *test)
{
	DAT_SRQ_HANDLE srq = make_srq(test);
	const DAT_EP_ATTR attr = {};
	DAT_PZ_HANDLE pz;
	DAT_EP_HANDLE ep;

	EXPECT_DONE(test, dat_pz_create(&the->kia, &pz));
	EXPECT_ERROR(test, dat_ep_create_with_srq(&the->kia, pz, the->dto, NULL,
						  NULL, srq, &attr, &ep),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_DONE(test, dat_pz_free(pz));
	EXPECT_ERROR(test, dat_ep_create_with_srq(&the->kia, the->pz, NULL, NULL,
						  NULL, srq, &attr, &ep),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_RECV);
	EXPECT_ERROR(test, dat_ep_create_with_srq(&the->kia, the->pz, the->dto,
						  NULL, NULL, the->dto, &attr,
						  &ep),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
	EXPECT_ERROR(test, dat_ep_create_with_srq(&the->kia, the->pz, the->dto,
						  NULL, NULL, srq, NULL, &ep),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
	EXPECT_ERROR(test, dat_ep_create_with_srq(&the->kia, the->pz, the->dto,
						  NULL, NULL, srq, &attr, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG8);
	EXPECT_DONE(test, dat_srq_free(srq));
}

static void srq_and_its_ep(struct kunit *test)
{
	DAT_SRQ_HANDLE srq = make_srq(test);
	DAT_EP_HANDLE ep = make_ep(test, srq);
	DAT_EP_PARAM param = query_ep(test, ep);
	DAT_HANDLE_TYPE type;

	EXPECT_DONE(test, dat_get_handle_type(srq, &type));
	KUNIT_EXPECT_EQ(test, (int)type, DAT_HANDLE_TYPE_SRQ);
	KUNIT_EXPECT_PTR_EQ(test, param.srq_handle, srq);
	/* The exact value that was asked for. */
	KUNIT_EXPECT_EQ(test, param.ep_attr.max_recv_dtos, DEPTH);
	KUNIT_EXPECT_EQ(test, param.ep_attr.max_recv_iov, 2);
	param.ep_attr.max_recv_dtos = DAT_HW_DEFAULT;
	EXPECT_DONE(test, dat_ep_modify(ep, DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &param));
	KUNIT_EXPECT_EQ(test, query_ep(test, ep).ep_attr.max_recv_dtos, DAT_HW_DEFAULT);
	EXPECT_TYPE(test, post_ep(ep, 1), DAT_INVALID_STATE);
	EXPECT_ERROR(test, dat_srq_free(srq), DAT_INVALID_STATE,
		     DAT_INVALID_STATE_SRQ_IN_USE);
	EXPECT_DONE(test, dat_ep_free(ep));
	EXPECT_DONE(test, dat_srq_free(srq));
}

static void expect_counts(struct kunit *test, DAT_SRQ_HANDLE srq,
			  DAT_COUNT available, DAT_COUNT outstanding)
{
	DAT_SRQ_PARAM param = {};

	EXPECT_DONE(test, dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param));
	KUNIT_EXPECT_EQ(test, param.available_dto_count, available);
	KUNIT_EXPECT_EQ(test, param.outstanding_dto_count, outstanding);
}

/* On the SRQ, with the EP, in the EVD, gone. */
static void srq_counts(struct kunit *test)
{
	DAT_SRQ_HANDLE srq = make_srq(test);
	DAT_EP_HANDLE ep = make_ep(test, srq);
	u64 i;

	for (i = 0; i < 3; i++)
		EXPECT_DONE(test, post_srq(srq, 10 + i));
	expect_counts(test, srq, 3, 3);
	connect(test, ep);
	KUNIT_EXPECT_EQ(test, fake_take(qp_of(ep), 1, IB_WC_SUCCESS), 1);
	expect_counts(test, srq, 2, 3);
	expect_recv(test, the->dto, ep, 10);
	expect_counts(test, srq, 2, 2);
	/* What is dropped with its EP is not waited for. */
	EXPECT_DONE(test, dat_ep_free(ep));
	expect_counts(test, srq, 2, 2);
	EXPECT_DONE(test, dat_srq_free(srq));
}

/* Events that go with their EVD are not waited for. */
static void srq_counts_what_went_unread(struct kunit *test)
{
	DAT_SRQ_HANDLE srq = make_srq(test);
	const DAT_EP_ATTR attr = { .max_request_dtos = DEPTH };
	DAT_EVD_HANDLE evd;
	DAT_EP_HANDLE ep;
	u64 i;

	EXPECT_DONE(test, dat_evd_kcreate(&the->kia, 8, DAT_UPCALL_DISABLE, NULL,
					  DAT_EVD_DTO_FLAG, &evd));
	EXPECT_DONE(test, dat_ep_create_with_srq(&the->kia, the->pz, evd, NULL,
						 the->conn, srq, &attr, &ep));
	for (i = 0; i < 3; i++)
		EXPECT_DONE(test, post_srq(srq, i));
	connect(test, ep);
	KUNIT_EXPECT_EQ(test, fake_take(qp_of(ep), 2, IB_WC_SUCCESS), 2);
	EXPECT_DONE(test, dat_ep_free(ep));
	expect_counts(test, srq, 1, 3);
	EXPECT_DONE(test, dat_evd_free(evd));
	expect_counts(test, srq, 1, 1);
	EXPECT_DONE(test, dat_srq_free(srq));
}

/* A message was on its way into one of its receives. */
static void drain_with_an_srq(struct kunit *test)
{
	DAT_SRQ_HANDLE srq = make_srq(test);
	DAT_EP_HANDLE ep = make_ep(test, srq);
	DAT_EVENT event = {};

	EXPECT_DONE(test, post_srq(srq, 10));
	connect(test, ep);
	KUNIT_EXPECT_TRUE(test, fake_take_half(qp_of(ep)));
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(core_ep(ep),
						  KDAPL_CLOSE_ABRUPT), 0);
	EXPECT_DONE(test, dat_ext_ep_drain(ep));
	EXPECT_DONE(test, dat_evd_dequeue(the->dto, &event));
	KUNIT_EXPECT_EQ(test, event.event_data.dto_completion_event_data.user_cookie.as_64,
			10);
	expect_conn(test, ep, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_DONE(test, dat_ep_free(ep));
	EXPECT_DONE(test, dat_srq_free(srq));
}

/* The queue pair goes, and with it what it had. The EP can be used again. */
static void drain_where_nothing_comes_back(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test, NULL);
	const DAT_DTO_COMPLETION_EVENT_DATA *dto;
	DAT_EVENT event = {};

	EXPECT_DONE(test, post_ep(ep, 1));
	connect(test, ep);
	qp_of(ep)->stuck = true;
	KUNIT_EXPECT_EQ(test, kdapl_ep_disconnect(core_ep(ep),
						  KDAPL_CLOSE_ABRUPT), 0);
	EXPECT_DONE(test, dat_ext_ep_drain(ep));
	KUNIT_EXPECT_NULL(test, core_ep(ep)->qp);
	EXPECT_DONE(test, dat_evd_dequeue(the->dto, &event));
	dto = &event.event_data.dto_completion_event_data;
	KUNIT_EXPECT_EQ(test, dto->user_cookie.as_64, 1);
	KUNIT_EXPECT_EQ(test, dto->status, DAT_DTO_ERR_FLUSHED);
	expect_conn(test, ep, DAT_CONNECTION_EVENT_DISCONNECTED);
	EXPECT_DONE(test, dat_ext_ep_drain(ep));
	EXPECT_DONE(test, dat_ep_reset(ep));
	connect(test, ep);
	EXPECT_DONE(test, dat_ep_free(ep));
}

static void srq_query(struct kunit *test)
{
	DAT_SRQ_HANDLE srq = make_srq(test);
	DAT_SRQ_PARAM param = {};

	EXPECT_ERROR(test, dat_srq_query(srq, 0x100, &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_srq_query(srq, 1, NULL), DAT_INVALID_PARAMETER,
		     DAT_INVALID_ARG3);
	EXPECT_DONE(test, dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param));
	KUNIT_EXPECT_PTR_EQ(test, param.ia_handle, (DAT_HANDLE)&the->kia);
	KUNIT_EXPECT_PTR_EQ(test, param.pz_handle, the->pz);
	KUNIT_EXPECT_EQ(test, (int)param.srq_state, DAT_SRQ_STATE_OPERATIONAL);
	KUNIT_EXPECT_EQ(test, param.max_recv_dtos, SLOTS);
	KUNIT_EXPECT_EQ(test, param.max_recv_iov, 2);
	KUNIT_EXPECT_EQ(test, param.low_watermark, 0);
	EXPECT_DONE(test, dat_srq_free(srq));
}

static void srq_post_checks(struct kunit *test)
{
	DAT_LMR_TRIPLET iov[3] = { piece(0, 8), piece(8, 8), piece(16, 8) };
	const DAT_DTO_COOKIE cookie = {};
	DAT_SRQ_HANDLE srq = make_srq(test);
	int i;

	EXPECT_ERROR(test, dat_srq_post_recv(srq, 3, iov, cookie),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_srq_post_recv(srq, -1, iov, cookie),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_srq_post_recv(srq, 1, NULL, cookie),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	iov[1] = piece(LENGTH - 4, 8);
	EXPECT_TYPE(test, dat_srq_post_recv(srq, 2, iov, cookie),
		    DAT_PROTECTION_VIOLATION);
	expect_counts(test, srq, 0, 0);
	for (i = 0; i < SLOTS; i++)
		EXPECT_DONE(test, post_srq(srq, i));
	EXPECT_ERROR(test, post_srq(srq, i), DAT_INSUFFICIENT_RESOURCES,
		     DAT_RESOURCE_CREDITS);
	EXPECT_DONE(test, dat_srq_free(srq));
}

static void expect_slots(struct kunit *test, DAT_SRQ_HANDLE srq, DAT_COUNT n)
{
	DAT_SRQ_PARAM param = {};

	EXPECT_DONE(test, dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param));
	KUNIT_EXPECT_EQ(test, param.max_recv_dtos, n);
}

static void srq_resize(struct kunit *test)
{
	DAT_SRQ_HANDLE srq = make_srq(test);
	int i;

	for (i = 0; i < 3; i++)
		EXPECT_DONE(test, post_srq(srq, i));
	EXPECT_ERROR(test, dat_srq_resize(srq, 0), DAT_INVALID_PARAMETER,
		     DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_srq_resize(srq, KDAPL_SRQ_MAX + 1),
		     DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_SRQ);
	EXPECT_TYPE(test, dat_srq_resize(srq, 2), DAT_INVALID_STATE);
	EXPECT_DONE(test, dat_srq_resize(srq, 3));
	expect_slots(test, srq, SLOTS);
	EXPECT_DONE(test, dat_srq_resize(srq, 2 * SLOTS));
	expect_slots(test, srq, 2 * SLOTS);
	for (; i < 2 * SLOTS; i++)
		EXPECT_DONE(test, post_srq(srq, i));
	EXPECT_DONE(test, dat_srq_free(srq));

	srq = make_srq(test);
	EXPECT_DONE(test, dat_srq_set_lw(srq, 4));
	EXPECT_TYPE(test, dat_srq_resize(srq, 3), DAT_INVALID_STATE);
	EXPECT_DONE(test, dat_srq_free(srq));
}

static void srq_low_mark(struct kunit *test)
{
	DAT_SRQ_HANDLE srq = make_srq(test);
	DAT_EP_HANDLE ep = make_ep(test, srq);
	int i;

	EXPECT_ERROR(test, dat_srq_set_lw(srq, SLOTS + 1), DAT_INVALID_PARAMETER,
		     DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_srq_set_lw(srq, -1), DAT_INVALID_PARAMETER,
		     DAT_INVALID_ARG2);
	for (i = 0; i < 3; i++)
		EXPECT_DONE(test, post_srq(srq, i));
	EXPECT_DONE(test, dat_srq_set_lw(srq, 2));
	connect(test, ep);
	fake_take(qp_of(ep), 1, IB_WC_SUCCESS);
	flush_work(&core_srq(srq)->tell_work);
	expect_none(test, the->kia.async);
	fake_take(qp_of(ep), 1, IB_WC_SUCCESS);
	expect_async(test, srq, DAT_SRQ_LOW_WATERMARK_EVENT);
	EXPECT_DONE(test, dat_ep_free(ep));
	EXPECT_DONE(test, dat_srq_free(srq));
}

static void srq_fails(struct kunit *test)
{
	DAT_SRQ_HANDLE srq = make_srq(test);
	DAT_SRQ_PARAM param = {};

	to_fake_srq(core_srq(srq)->ibsrq)->post_error = -EINVAL;
	EXPECT_DONE(test, post_srq(srq, 1));
	expect_async(test, srq, DAT_SRQ_TRANSFER_TO_ERROR);
	EXPECT_DONE(test, dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param));
	KUNIT_EXPECT_EQ(test, (int)param.srq_state, DAT_SRQ_STATE_ERROR);
	EXPECT_ERROR(test, post_srq(srq, 2), DAT_INVALID_STATE,
		     DAT_INVALID_STATE_SRQ_ERROR);
	EXPECT_DONE(test, dat_srq_free(srq));
}

/* An event that is older than the SRQ's end names nothing. */
static void srq_event_outlives_it(struct kunit *test)
{
	DAT_SRQ_HANDLE srq = make_srq(test);
	DAT_EVENT event;

	EXPECT_DONE(test, dat_srq_set_lw(srq, 1));
	EXPECT_DONE(test, dat_srq_free(srq));
	event = next(test, the->kia.async);
	KUNIT_EXPECT_NULL(test, event.event_data.asynch_error_event_data
				     .dat_handle);
}

/* ---- marks ------------------------------------------------------------------- */

static void expect_held(struct kunit *test, DAT_EP_HANDLE ep, DAT_COUNT want)
{
	DAT_COUNT nbufs = -1, span = -1;
	DAT_BOOLEAN idle;

	EXPECT_DONE(test, dat_ep_recv_query(ep, &nbufs, &span));
	KUNIT_EXPECT_EQ(test, nbufs, want);
	KUNIT_EXPECT_EQ(test, span, want);
	EXPECT_DONE(test, dat_ep_recv_query(ep, NULL, NULL));
	EXPECT_DONE(test, dat_ep_get_status(ep, NULL, &idle, NULL));
	KUNIT_EXPECT_EQ(test, (int)idle, want ? DAT_FALSE : DAT_TRUE);
}

static void ep_soft_mark(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test, NULL);
	int i;

	expect_held(test, ep, 0);
	for (i = 0; i < 3; i++)
		EXPECT_DONE(test, post_ep(ep, i));
	expect_held(test, ep, 3);
	EXPECT_ERROR(test, dat_ep_set_watermark(ep, -3, 1),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_ep_set_watermark(ep, 1, -3),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	KUNIT_EXPECT_EQ(test, query_ep(test, ep).ep_attr.srq_soft_hw,
			DAT_HW_DEFAULT);
	EXPECT_DONE(test, dat_ep_set_watermark(ep, 3, DAT_WATERMARK_INFINITE));
	expect_none(test, the->kia.async);
	KUNIT_EXPECT_EQ(test, query_ep(test, ep).ep_attr.srq_soft_hw, 3);
	EXPECT_DONE(test, post_ep(ep, i));
	expect_async(test, ep, DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT);
	EXPECT_DONE(test, dat_ep_free(ep));
}

/* By the receives that it took and has no room for an event of. */
static void ep_is_made_with_a_mark(struct kunit *test)
{
	const DAT_EP_ATTR attr = { .max_request_dtos = DEPTH, .srq_soft_hw = 1 };
	DAT_SRQ_HANDLE srq = make_srq(test);
	DAT_EVD_HANDLE evd;
	DAT_EP_HANDLE ep;
	int i;

	EXPECT_DONE(test, dat_evd_kcreate(&the->kia, 4, DAT_UPCALL_DISABLE, NULL,
					  DAT_EVD_DTO_FLAG, &evd));
	EXPECT_DONE(test, dat_ep_create_with_srq(&the->kia, the->pz, evd, NULL,
						 the->conn, srq, &attr, &ep));
	KUNIT_EXPECT_EQ(test, query_ep(test, ep).ep_attr.srq_soft_hw, 1);
	for (i = 0; i < SLOTS; i++)
		EXPECT_DONE(test, post_srq(srq, i));
	connect(test, ep);
	KUNIT_EXPECT_EQ(test, fake_take(qp_of(ep), 5, IB_WC_SUCCESS), 5);
	expect_none(test, the->kia.async);
	KUNIT_EXPECT_EQ(test, fake_take(qp_of(ep), 1, IB_WC_SUCCESS), 1);
	expect_async(test, ep, DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT);
	EXPECT_DONE(test, dat_ep_free(ep));
	EXPECT_DONE(test, dat_evd_free(evd));
	EXPECT_DONE(test, dat_srq_free(srq));
}

/* There it is what happened to lie on somebody's stack. */
static void ep_without_srq_has_no_mark_of_it(struct kunit *test)
{
	const DAT_EP_ATTR attr = { .max_recv_dtos = DEPTH, .srq_soft_hw = 1 };
	DAT_EP_HANDLE ep;
	int i;

	EXPECT_DONE(test, dat_ep_create(&the->kia, the->pz, the->dto, NULL,
					NULL, &attr, &ep));
	KUNIT_EXPECT_EQ(test, query_ep(test, ep).ep_attr.srq_soft_hw,
			DAT_HW_DEFAULT);
	for (i = 0; i < 2; i++)
		EXPECT_DONE(test, post_ep(ep, i));
	expect_none(test, the->kia.async);
	EXPECT_DONE(test, dat_ep_free(ep));
}

static void ep_hard_mark(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test, NULL);

	EXPECT_DONE(test, post_ep(ep, 1));
	connect(test, ep);
	EXPECT_DONE(test, dat_ep_set_watermark(ep, DAT_WATERMARK_INFINITE, 1));
	EXPECT_DONE(test, post_ep(ep, 2));
	expect_conn(test, ep, DAT_CONNECTION_EVENT_BROKEN);
	expect_none(test, the->kia.async);
	EXPECT_DONE(test, dat_ep_free(ep));
}

/* ---- endpoints that change --------------------------------------------------- */

static void modify_keeps_the_rest(struct kunit *test)
{
	const DAT_EP_PARAM param = { .ep_attr.max_recv_dtos = 2 * DEPTH };
	DAT_EP_HANDLE ep = make_ep(test, NULL);
	DAT_EP_PARAM now;
	int i;

	EXPECT_DONE(test, dat_ep_set_watermark(ep, 20, DAT_WATERMARK_INFINITE));
	EXPECT_DONE(test, dat_ep_modify(ep, 0, &param));
	KUNIT_EXPECT_EQ(test, core_ep(ep)->rq.size, DEPTH);
	EXPECT_DONE(test, dat_ep_modify(ep, DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS,
					&param));
	now = query_ep(test, ep);
	KUNIT_EXPECT_EQ(test, now.ep_attr.max_recv_dtos, 2 * DEPTH);
	KUNIT_EXPECT_EQ(test, now.ep_attr.max_request_dtos, DEPTH);
	KUNIT_EXPECT_EQ(test, now.ep_attr.srq_soft_hw, 20);
	KUNIT_EXPECT_PTR_EQ(test, now.pz_handle, the->pz);
	KUNIT_EXPECT_PTR_EQ(test, now.recv_evd_handle, the->dto);
	KUNIT_EXPECT_PTR_EQ(test, now.connect_evd_handle, the->conn);
	for (i = 0; i < 2 * DEPTH; i++)
		EXPECT_DONE(test, post_ep(ep, i));
	EXPECT_TYPE(test, post_ep(ep, i), DAT_INSUFFICIENT_RESOURCES);
	EXPECT_DONE(test, dat_ep_free(ep));
}

/* What a consumer has got by a query, and changed a bit, can be given back. */
static void modify_all_attributes(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test, NULL);
	DAT_EP_PARAM param = query_ep(test, ep);

	param.ep_attr.max_rdma_read_in = 7;
	EXPECT_DONE(test, dat_ep_modify(ep, DAT_EP_FIELD_EP_ATTR_ALL, &param));
	KUNIT_EXPECT_EQ(test, query_ep(test, ep).ep_attr.max_rdma_read_in, 7);
	KUNIT_EXPECT_TRUE(test, core_ep(ep)->rdma_read_fixed);
	EXPECT_DONE(test, dat_ep_free(ep));
}

/* As many as a request has, and as the device reads into. */
static void segments_of_reads(struct kunit *test)
{
	static const struct {
		u32 request, device, read;
	} row[] = { { 2, 1, 1 }, { 2, KDAPL_SEGS_MAX, 2 }, { 3, 3, 3 } };
	DAT_EP_HANDLE ep = make_ep(test, NULL);
	DAT_EP_PARAM param = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		the->env->ia->max_iov_read = row[i].device;
		param.ep_attr.max_request_iov = row[i].request;
		EXPECT_DONE(test, dat_ep_modify(ep,
						DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV,
						&param));
		KUNIT_EXPECT_EQ(test, row[i].read,
				query_ep(test, ep).ep_attr.max_rdma_read_iov);
		KUNIT_EXPECT_EQ(test, row[i].request,
				query_ep(test, ep).ep_attr.max_rdma_write_iov);
	}
	EXPECT_DONE(test, dat_ep_free(ep));
}

/* More than the EP has, but not more than any: no buffer is too long. */
static void post_too_many_segments(struct kunit *test)
{
	const DAT_RMR_TRIPLET remote = { .virtual_address = ADDR, .segment_length = 192 };
	const DAT_DTO_COOKIE user = { .as_64 = 1 };
	DAT_LMR_TRIPLET iov[] = { piece(0, 64), piece(64, 64), piece(128, 64) };
	DAT_EP_HANDLE ep = make_ep(test, NULL);

	connect(test, ep);
	core_ep(ep)->max_recv_iov = 2;
	core_ep(ep)->max_request_iov = 2;
	EXPECT_ERROR(test, dat_ep_post_recv(ep, 3, iov, user,
					    DAT_COMPLETION_DEFAULT_FLAG),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_ep_post_send(ep, 3, iov, user,
					    DAT_COMPLETION_DEFAULT_FLAG),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_ep_post_rdma_write(ep, 3, iov, user, &remote,
						  DAT_COMPLETION_DEFAULT_FLAG),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	/* Of the peer's memory there is less than that. */
	EXPECT_TYPE(test, dat_ep_post_rdma_write(ep, 2, iov, user,
						 &(DAT_RMR_TRIPLET){ 0 },
						 DAT_COMPLETION_DEFAULT_FLAG),
		    DAT_LENGTH_ERROR);
	EXPECT_DONE(test, dat_ep_post_recv(ep, 2, iov, user,
					   DAT_COMPLETION_DEFAULT_FLAG));
	EXPECT_DONE(test, dat_ep_free(ep));
}

static void modify_evd(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test, NULL);
	DAT_EP_PARAM param = {};
	DAT_EVD_HANDLE evd;

	EXPECT_DONE(test, dat_evd_kcreate(&the->kia, 8, DAT_UPCALL_DISABLE, NULL,
					  DAT_EVD_DTO_FLAG, &evd));
	/* First none, then another one: the queue goes and comes. */
	EXPECT_DONE(test, dat_ep_modify(ep, DAT_EP_FIELD_RECV_EVD_HANDLE,
					&param));
	KUNIT_EXPECT_EQ(test, core_ep(ep)->rq.size, 0);
	KUNIT_EXPECT_NULL(test, query_ep(test, ep).recv_evd_handle);
	param.recv_evd_handle = evd;
	EXPECT_DONE(test, dat_ep_modify(ep, DAT_EP_FIELD_RECV_EVD_HANDLE,
					&param));
	KUNIT_EXPECT_PTR_EQ(test, query_ep(test, ep).recv_evd_handle, evd);
	EXPECT_DONE(test, post_ep(ep, 5));
	connect(test, ep);
	fake_complete(qp_of(ep), &qp_of(ep)->rq, 1, IB_WC_SUCCESS);
	expect_recv(test, evd, ep, 5);
	EXPECT_TYPE(test, dat_ep_modify(ep, DAT_EP_FIELD_RECV_EVD_HANDLE,
					&param), DAT_INVALID_STATE);
	EXPECT_DONE(test, dat_ep_free(ep));
	EXPECT_DONE(test, dat_evd_free(evd));
}

static void modify_pz(struct kunit *test)
{
	DAT_SRQ_HANDLE srq = make_srq(test);
	DAT_EP_HANDLE ep = make_ep(test, NULL);
	DAT_EP_HANDLE shared = make_ep(test, srq);
	DAT_EP_PARAM param = {};

	EXPECT_DONE(test, dat_pz_create(&the->kia, &param.pz_handle));
	EXPECT_DONE(test, dat_ep_modify(ep, DAT_EP_FIELD_PZ_HANDLE, &param));
	KUNIT_EXPECT_PTR_EQ(test, query_ep(test, ep).pz_handle,
			    param.pz_handle);
	EXPECT_TYPE(test, post_ep(ep, 1), DAT_PROTECTION_VIOLATION);
	/* The SRQ's is for its EPs. */
	EXPECT_ERROR(test, dat_ep_modify(shared, DAT_EP_FIELD_PZ_HANDLE, &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_DONE(test, dat_ep_free(ep));
	EXPECT_DONE(test, dat_pz_free(param.pz_handle));
	param.pz_handle = the->pz;
	EXPECT_DONE(test, dat_ep_modify(shared, DAT_EP_FIELD_PZ_HANDLE, &param));
	EXPECT_DONE(test, dat_ep_free(shared));
	EXPECT_DONE(test, dat_srq_free(srq));
}

static void modify_checks(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test, NULL);
	DAT_EP_PARAM param = {};

	EXPECT_ERROR(test, dat_ep_modify(ep, DAT_EP_FIELD_EP_STATE, &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_ep_modify(ep, DAT_EP_FIELD_SRQ_HANDLE, &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_ep_modify(ep, 1ULL << 31, &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_ep_modify(ep, DAT_EP_FIELD_PZ_HANDLE, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_ERROR(test, dat_ep_modify(ep, DAT_EP_FIELD_PZ_HANDLE, &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	param.recv_evd_handle = the->pz;
	EXPECT_ERROR(test, dat_ep_modify(ep, DAT_EP_FIELD_RECV_EVD_HANDLE,
					 &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_DONE(test, dat_ep_free(ep));
}

/* What is wrong with one attribute, by its mask. */
static void modify_checks_attributes(struct kunit *test)
{
	static const struct {
		DAT_EP_PARAM_MASK mask;
		u32 type;
	} bad[] = {
		{ DAT_EP_FIELD_EP_ATTR_QOS, DAT_MODEL_NOT_SUPPORTED },
		{ DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE, DAT_INVALID_PARAMETER },
		{ DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS, DAT_INVALID_PARAMETER },
		{ DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, DAT_INSUFFICIENT_RESOURCES },
		{ DAT_EP_FIELD_EP_ATTR_SRQ_SOFT_HW, DAT_INVALID_PARAMETER },
		{ DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IOV, DAT_INVALID_PARAMETER },
		{ DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV, DAT_INVALID_PARAMETER },
		{ DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR, DAT_INVALID_PARAMETER },
	};
	const DAT_EP_PARAM param = {
		.ep_attr = {
			.qos = DAT_QOS_PREMIUM,
			.max_message_size = ENV_MAX_MESSAGE + 1,
			.max_request_dtos = -1,
			.max_recv_dtos = FAKE_QUEUE + 1,
			.srq_soft_hw = 1,
			.max_rdma_read_iov = 2,
			.max_rdma_write_iov = KDAPL_SEGS_MAX,
			.ep_transport_specific_count = 1,
		},
	};
	DAT_EP_HANDLE ep = make_ep(test, NULL);
	struct ib_qp *qp = core_ep(ep)->qp;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_TYPE(test, dat_ep_modify(ep, bad[i].mask, &param),
			    bad[i].type);
	KUNIT_EXPECT_PTR_EQ(test, core_ep(ep)->qp, qp);
	KUNIT_EXPECT_EQ(test, core_ep(ep)->rq.size, DEPTH);
	KUNIT_EXPECT_EQ(test, query_ep(test, ep).ep_attr.max_recv_dtos, DEPTH);
	EXPECT_DONE(test, dat_ep_free(ep));
}

/* They have ids that are as good as this one's. */
static void handles_of_another_ia(struct kunit *test)
{
	struct kapi_ia *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	DAT_EP_HANDLE ep = make_ep(test, NULL), none;
	DAT_EP_PARAM param = {};

	KUNIT_ASSERT_NOT_NULL(test, other);
	ia_init(other);
	EXPECT_DONE(test, dat_evd_kcreate(other, 8, DAT_UPCALL_DISABLE, NULL,
					  DAT_EVD_DTO_FLAG,
					  &param.recv_evd_handle));
	EXPECT_ERROR(test, dat_ep_create(&the->kia, the->pz,
					 param.recv_evd_handle, NULL, NULL, NULL,
					 &none),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_RECV);
	EXPECT_ERROR(test, dat_ep_modify(ep, DAT_EP_FIELD_RECV_EVD_HANDLE,
					 &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_DONE(test, dat_evd_free(param.recv_evd_handle));
	EXPECT_DONE(test, dat_ep_free(ep));
}

static void memory_of_another_ia(struct kunit *test)
{
	struct kapi_ia *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	DAT_REGION_DESCRIPTION region = { .for_va = (void *)(uintptr_t)ADDR };
	DAT_SRQ_ATTR attr = { .max_recv_dtos = 1, .max_recv_iov = 1 };
	DAT_LMR_HANDLE none;
	DAT_SRQ_HANDLE no_srq;
	DAT_PZ_HANDLE pz;

	KUNIT_ASSERT_NOT_NULL(test, other);
	ia_init(other);
	EXPECT_DONE(test, dat_pz_create(other, &pz));
	EXPECT_ERROR(test, dat_lmr_kcreate(&the->kia, DAT_MEM_TYPE_VIRTUAL,
					   region, LENGTH, pz,
					   DAT_MEM_PRIV_LOCAL_READ_FLAG,
					   DAT_VA_TYPE_VA,
					   DAT_MEM_OPTIMIZE_DONT_CARE, &none,
					   NULL, NULL, NULL, NULL),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	EXPECT_ERROR(test, dat_lmr_allocate(&the->kia, pz, 1, DAT_LMR_SCOPE_PZ,
					    &none),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	EXPECT_ERROR(test, dat_srq_create(&the->kia, pz, &attr, &no_srq),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	region.for_lmr_handle = the->lmr;
	EXPECT_TYPE(test, dat_lmr_kcreate(other, DAT_MEM_TYPE_LMR, region, 0,
					  pz, DAT_MEM_PRIV_LOCAL_READ_FLAG,
					  DAT_VA_TYPE_VA,
					  DAT_MEM_OPTIMIZE_DONT_CARE, &none,
					  NULL, NULL, NULL, NULL),
		    DAT_INVALID_HANDLE);
	EXPECT_DONE(test, dat_pz_free(pz));
}

/* All of it, however long it was said to be. */
static void memory_of_another_lmr(struct kunit *test)
{
	const DAT_REGION_DESCRIPTION region = { .for_lmr_handle = the->lmr };
	DAT_LMR_HANDLE over;
	DAT_LMR_PARAM param;
	DAT_VLEN size = 0;

	EXPECT_DONE(test, dat_lmr_kcreate(&the->kia, DAT_MEM_TYPE_LMR, region, 8,
					  the->pz, DAT_MEM_PRIV_LOCAL_READ_FLAG,
					  DAT_VA_TYPE_VA,
					  DAT_MEM_OPTIMIZE_DONT_CARE, &over,
					  NULL, NULL, &size, NULL));
	KUNIT_EXPECT_EQ(test, size, LENGTH);
	EXPECT_DONE(test, dat_lmr_query(over, DAT_LMR_FIELD_ALL, &param));
	KUNIT_EXPECT_EQ(test, param.length, LENGTH);
	KUNIT_EXPECT_PTR_EQ(test, param.region_desc.for_lmr_handle, the->lmr);
	EXPECT_DONE(test, dat_lmr_free(over));
}

/* Made and registered in one call, and nothing is left where that fails. */
static void memory_in_one_piece(struct kunit *test)
{
	const DAT_MEM_PRIV_FLAGS local = DAT_MEM_PRIV_LOCAL_READ_FLAG |
					 DAT_MEM_PRIV_LOCAL_WRITE_FLAG;
	DAT_EXT_MEMORY memory;
	DAT_LMR_TRIPLET part;

	EXPECT_DONE(test, dat_ext_memory_alloc(&the->kia, the->pz,
					       2 * PAGE_SIZE + 1, local, &memory));
	KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(memory.at));
	KUNIT_EXPECT_NULL(test, memchr_inv(memory.at, 0, 2 * PAGE_SIZE + 1));
	KUNIT_EXPECT_EQ(test, memory.rmr_context, 0);
	part = dat_ext_memory_segment(&memory, memory.at + PAGE_SIZE, 5);
	KUNIT_EXPECT_EQ(test, part.virtual_address,
			(uintptr_t)memory.at + PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, part.segment_length, 5);
	EXPECT_DONE(test, dat_lmr_sync_rdma_read(&the->kia, &part, 1));
	dat_ext_memory_free(&memory);
	EXPECT_TYPE(test, dat_lmr_sync_rdma_read(&the->kia, &part, 1),
		    DAT_INVALID_PARAMETER);
	/* What is free may be freed again. */
	dat_ext_memory_free(&memory);
	EXPECT_ERROR(test, dat_ext_memory_alloc(&the->kia, the->pz, 0, local,
						&memory),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_ERROR(test, dat_ext_memory_alloc(&the->kia, the->pz, 1, local,
						NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	memory.lmr = the->lmr;
	EXPECT_TYPE(test, dat_ext_memory_alloc(&the->kia, NULL, 1, local,
					       &memory), DAT_INVALID_HANDLE);
	KUNIT_EXPECT_NULL(test, memory.at);
	KUNIT_EXPECT_NULL(test, memory.lmr);
	/* More than there ever is in one piece. */
	EXPECT_ERROR(test, dat_ext_memory_alloc(&the->kia, the->pz, SZ_1G, local,
						&memory),
		     DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
	dat_ext_memory_free(&memory);
}

/* ---- limits ------------------------------------------------------------------ */

#define EXPECT_LACK(test, call, kind) \
	EXPECT_ERROR(test, call, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_##kind)

/* What there is no more of has a name, which is that of the library. */
static void limits_of_memory(struct kunit *test)
{
	const DAT_REGION_DESCRIPTION region = {
		.for_va = (void *)(uintptr_t)ADDR,
	};
	struct ib_device_attr *attrs = &the->env->dev->ib.attrs;
	DAT_LMR_HANDLE lmr;

	fake_cm.register_error = -ENOSPC;
	EXPECT_LACK(test, dat_lmr_kcreate(&the->kia, DAT_MEM_TYPE_VIRTUAL,
					  region, LENGTH, the->pz,
					  DAT_MEM_PRIV_REMOTE_READ_FLAG |
					  DAT_MEM_PRIV_LOCAL_READ_FLAG,
					  DAT_VA_TYPE_VA,
					  DAT_MEM_OPTIMIZE_DONT_CARE, &lmr,
					  NULL, NULL, NULL, NULL),
		    MEMORY_REGION);
	attrs->device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
	attrs->max_fast_reg_page_list_len = 4;
	EXPECT_LACK(test, dat_lmr_allocate(&the->kia, the->pz, 5,
					   DAT_LMR_SCOPE_PZ, &lmr),
		    MEMORY_REGION);
}

static void limits_of_queues(struct kunit *test)
{
	DAT_EVD_HANDLE evd;

	EXPECT_LACK(test, dat_evd_kcreate(&the->kia, KDAPL_EVD_QLEN_MAX + 1,
					  DAT_UPCALL_DISABLE, NULL,
					  DAT_EVD_DTO_FLAG, &evd),
		    TEVD);
	EXPECT_LACK(test, dat_evd_resize(the->dto, KDAPL_EVD_QLEN_MAX + 1),
		    TEVD);
}

static void limits_of_endpoints(struct kunit *test)
{
	struct sockaddr to = { .sa_family = AF_INET };
	DAT_EP_ATTR attr = { .max_recv_dtos = FAKE_QUEUE + 1 };
	DAT_EP_PARAM param = { .ep_attr = attr };
	DAT_EP_HANDLE ep = make_ep(test, NULL), none;

	EXPECT_LACK(test, dat_ep_create(&the->kia, the->pz, the->dto, the->dto,
					the->conn, &attr, &none),
		    TEP);
	EXPECT_LACK(test, dat_ep_modify(ep, DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS,
					&param),
		    TEP);
	/* No local port is left. */
	fake_cm.connect_result = -ENOSPC;
	EXPECT_LACK(test, dat_ep_connect(ep, &to, 1, 1, 0, NULL,
					 DAT_QOS_BEST_EFFORT,
					 DAT_CONNECT_DEFAULT_FLAG),
		    TEP);
	EXPECT_DONE(test, dat_ep_free(ep));
}

/* ---- memory ------------------------------------------------------------------ */

static void expect_sync(struct kunit *test, unsigned int n, u64 addr,
			size_t length, bool for_device)
{
	const struct fake_sync *sync = &the->env->dev->sync[n];

	KUNIT_EXPECT_EQ(test, sync->addr, addr);
	KUNIT_EXPECT_EQ(test, sync->length, length);
	KUNIT_EXPECT_EQ(test, sync->for_device, for_device);
}

/* Across two pieces, by pages: the first piece is what is left of its page. */
static void sync_goes_by_pages(struct kunit *test)
{
	u64 end = PAGE_SIZE - offset_in_page((unsigned long)ADDR);
	const DAT_LMR_TRIPLET part[] = {
		piece(end - 0x40, PAGE_SIZE + 0x80),
		piece(LENGTH - 4, 4),
	};

	EXPECT_DONE(test, dat_lmr_sync_rdma_read(&the->kia, part, 2));
	KUNIT_ASSERT_EQ(test, the->env->dev->syncs, 4);
	expect_sync(test, 0, FAKE_DMA + PAGE_SIZE - 0x40, 0x40, true);
	expect_sync(test, 1, FAKE_DMA + FAKE_PIECE, PAGE_SIZE, true);
	expect_sync(test, 2, FAKE_DMA + FAKE_PIECE + PAGE_SIZE, 0x40, true);
	expect_sync(test, 3, FAKE_DMA + FAKE_PIECE + LENGTH - end - 4, 4, true);
	EXPECT_DONE(test, dat_lmr_sync_rdma_write(&the->kia, &part[1], 1));
	KUNIT_ASSERT_EQ(test, the->env->dev->syncs, 5);
	expect_sync(test, 4, FAKE_DMA + FAKE_PIECE + LENGTH - end - 4, 4, false);
}

static void sync_checks(struct kunit *test)
{
	DAT_LMR_TRIPLET part = piece(LENGTH - 4, 5);

	EXPECT_ERROR(test, dat_lmr_sync_rdma_read(&the->kia, &part, 1),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	part = piece(-1ULL, 1);
	EXPECT_ERROR(test, dat_lmr_sync_rdma_write(&the->kia, &part, 1),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	part = piece(0, 1);
	part.lmr_context++;
	EXPECT_ERROR(test, dat_lmr_sync_rdma_read(&the->kia, &part, 1),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	part.lmr_context = KDAPL_LMR_RESERVED;
	EXPECT_TYPE(test, dat_lmr_sync_rdma_read(&the->kia, &part, 1),
		    DAT_RESERVED_LMR);
	EXPECT_ERROR(test, dat_lmr_sync_rdma_read(&the->kia, NULL, 1),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_DONE(test, dat_lmr_sync_rdma_read(&the->kia, NULL, 0));
	EXPECT_ERROR(test, dat_lmr_sync_rdma_read(the->pz, NULL, 0),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
	KUNIT_EXPECT_EQ(test, the->env->dev->syncs, 0);
}

/* The device has gone, and its mappings with it. */
static void sync_without_device(struct kunit *test)
{
	const DAT_LMR_TRIPLET part = piece(0, 4);

	kdapl_lmr_kill(to_lmr(((struct kapi_obj *)the->lmr)->core));
	EXPECT_DONE(test, dat_lmr_sync_rdma_read(&the->kia, &part, 1));
	KUNIT_EXPECT_EQ(test, the->env->dev->syncs, 0);
	/* Its MR is deregistered by the device's end, without an invalidation. */
	fake_cm.registered--;
}

/* It is no LMR that another could be made from, or that is tied to memory. */
static void reserved_lmr_misused(struct kunit *test, DAT_LMR_HANDLE lmr)
{
	DAT_REGION_DESCRIPTION region = { .for_lmr_handle = lmr };
	DAT_LMR_COOKIE cookie = {};
	DAT_LMR_HANDLE other;

	EXPECT_TYPE(test, dat_lmr_free(lmr), DAT_RESERVED_LMR);
	EXPECT_TYPE(test, dat_lmr_kcreate(&the->kia, DAT_MEM_TYPE_LMR, region, 8,
					  the->pz, 0, DAT_VA_TYPE_VA, 0, &other,
					  NULL, NULL, NULL, NULL),
		    DAT_RESERVED_LMR);
	region.for_va = &other;
	EXPECT_TYPE(test, dat_lmr_fmr(lmr, DAT_MEM_TYPE_VIRTUAL, region, 1, 0,
				      DAT_VA_TYPE_VA, NULL, cookie, 0, NULL,
				      NULL),
		    DAT_RESERVED_LMR);
	EXPECT_TYPE(test, dat_lmr_invalidate(lmr, NULL, cookie, 0),
		    DAT_RESERVED_LMR);
}

static void reserved_lmr(struct kunit *test)
{
	DAT_LMR_CONTEXT context = 0;
	DAT_LMR_HANDLE lmr = NULL;
	DAT_HANDLE_TYPE type;
	DAT_LMR_PARAM param;

	KUNIT_EXPECT_EQ(test, kapi_reserved_make(&the->kia), 0);
	EXPECT_TYPE(test, dat_ia_reserved_lmr(&the->kia, &lmr, &context),
		    DAT_MODEL_NOT_SUPPORTED);
	the->env->ia->local_key = true;
	KUNIT_EXPECT_EQ(test, kapi_reserved_make(&the->kia), 0);
	EXPECT_DONE(test, dat_ia_reserved_lmr(&the->kia, &lmr, &context));
	KUNIT_ASSERT_NOT_NULL(test, lmr);
	KUNIT_EXPECT_EQ(test, context, KDAPL_LMR_RESERVED);
	EXPECT_DONE(test, dat_get_handle_type(lmr, &type));
	KUNIT_EXPECT_EQ(test, (int)type, DAT_HANDLE_TYPE_LMR);
	EXPECT_DONE(test, dat_lmr_query(lmr, DAT_LMR_FIELD_ALL, &param));
	KUNIT_EXPECT_EQ(test, param.lmr_context, context);
	reserved_lmr_misused(test, lmr);
	EXPECT_ERROR(test, dat_ia_reserved_lmr(&the->kia, NULL, &context),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_ia_reserved_lmr(&the->kia, &lmr, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

static void expect_hint(struct kunit *test, DAT_MEM_TYPE type,
			DAT_MEM_OPTIMIZE_FLAGS optimize, u64 length,
			u64 alignment)
{
	DAT_VADDR preferred_alignment = 0;
	DAT_VLEN preferred_length = 0;

	EXPECT_DONE(test, dat_ia_memtype_hint(&the->kia, type, 5000, optimize,
					      &preferred_length,
					      &preferred_alignment));
	KUNIT_EXPECT_EQ(test, preferred_length, length);
	KUNIT_EXPECT_EQ(test, preferred_alignment, alignment);
}

static void memtype_hint(struct kunit *test)
{
	u64 most = the->env->ia->max_lmr_size;
	DAT_VLEN length;
	DAT_VADDR at;

	expect_hint(test, DAT_MEM_TYPE_VIRTUAL, DAT_MEM_OPTIMIZE_DONT_CARE,
		    5000, DAT_OPTIMAL_ALIGNMENT);
	expect_hint(test, DAT_MEM_TYPE_PLATFORM, DAT_MEM_OPTIMIZE_IA,
		    PAGE_ALIGN(5000), PAGE_SIZE);
	expect_hint(test, DAT_MEM_TYPE_PHYSICAL,
		    DAT_MEM_OPTIMIZE_EXACT_EXPOSURE, 5000, PAGE_SIZE);
	expect_hint(test, DAT_MEM_TYPE_LMR, DAT_MEM_OPTIMIZE_IA, 5000, 1);
	EXPECT_TYPE(test, dat_ia_memtype_hint(&the->kia, DAT_MEM_TYPE_IA, 5000,
					      0, &length, &at),
		    DAT_MODEL_NOT_SUPPORTED);
	EXPECT_ERROR(test, dat_ia_memtype_hint(&the->kia, 0, 0, 0, &length, &at),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_ERROR(test, dat_ia_memtype_hint(&the->kia, 0, most + 1, 0,
					       &length, &at),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_ERROR(test, dat_ia_memtype_hint(&the->kia, 0, most, 3, &length,
					       &at),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	EXPECT_ERROR(test, dat_ia_memtype_hint(&the->kia, 0, 1, 0, NULL, &at),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	EXPECT_ERROR(test, dat_ia_memtype_hint(&the->kia, 0, 1, 0, &length, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
}

/* ---- what is asked of objects -------------------------------------------------- */

static void no_upcall(DAT_PVOID instance, const DAT_EVENT *event,
		      DAT_BOOLEAN more)
{
}

static void evd_query(struct kunit *test)
{
	const DAT_UPCALL_OBJECT upcall = { the, no_upcall };
	DAT_EVD_PARAM param = {};

	EXPECT_ERROR(test, dat_evd_query(the->pz, 0, &param),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	EXPECT_ERROR(test, dat_evd_query(the->dto, DAT_EVD_FIELD_ALL + 1,
					 &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_evd_query(the->dto, DAT_EVD_FIELD_ALL, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_DONE(test, dat_evd_query(the->dto, DAT_EVD_FIELD_ALL, &param));
	KUNIT_EXPECT_PTR_EQ(test, param.ia_handle, (DAT_HANDLE)&the->kia);
	KUNIT_EXPECT_GE(test, param.evd_qlen, 32);
	KUNIT_EXPECT_EQ(test, (int)param.upcall_policy, DAT_UPCALL_DISABLE);
	KUNIT_EXPECT_EQ(test, (int)param.evd_flags, DAT_EVD_DTO_FLAG);

	EXPECT_DONE(test, dat_evd_modify_upcall(the->dto, DAT_UPCALL_MANY,
						&upcall, DAT_UPCALL_INVOC_NEW));
	EXPECT_DONE(test, dat_evd_resize(the->dto, 100));
	EXPECT_DONE(test, dat_evd_query(the->dto, DAT_EVD_FIELD_ALL, &param));
	KUNIT_EXPECT_GE(test, param.evd_qlen, 100);
	KUNIT_EXPECT_EQ(test, (int)param.upcall_policy, DAT_UPCALL_MANY);
	KUNIT_EXPECT_PTR_EQ(test, param.upcall.instance_data, (DAT_PVOID)the);
	KUNIT_EXPECT_TRUE(test, param.upcall.upcall_func == no_upcall);
}

static void pz_query(struct kunit *test)
{
	DAT_PZ_PARAM param = {};

	EXPECT_ERROR(test, dat_pz_query(the->dto, 0, &param),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	EXPECT_ERROR(test, dat_pz_query(the->pz, DAT_PZ_FIELD_ALL + 1, &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_pz_query(the->pz, DAT_PZ_FIELD_ALL, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_DONE(test, dat_pz_query(the->pz, DAT_PZ_FIELD_ALL, &param));
	KUNIT_EXPECT_PTR_EQ(test, param.ia_handle, (DAT_HANDLE)&the->kia);
}

/* What events name is found again without a search, but not when it is gone. */
static void hint_of_a_handle(struct kunit *test)
{
	struct kapi_hint hint = {};
	DAT_PZ_HANDLE pz[2];
	u64 word[2];
	int i;

	for (i = 0; i < 2; i++) {
		EXPECT_DONE(test, dat_pz_create(&the->kia, &pz[i]));
		word[i] = ((struct kapi_obj *)pz[i])->word;
	}
	local_bh_disable();
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_PTR_EQ(test, (void *)pz[i / 2 % 2],
				    (void *)kapi_live_hint(word[i / 2 % 2],
							   DAT_HANDLE_TYPE_PZ,
							   &hint));
	/* With another word it is found by nothing else. */
	((struct kapi_obj *)pz[0])->word = 0;
	KUNIT_EXPECT_PTR_EQ(test, (void *)pz[0],
			    (void *)kapi_live_hint(0, DAT_HANDLE_TYPE_PZ,
						   &hint));
	((struct kapi_obj *)pz[0])->word = word[0];
	KUNIT_EXPECT_NULL(test, kapi_live_hint(word[0], DAT_HANDLE_TYPE_EP,
					       &hint));
	KUNIT_EXPECT_PTR_EQ(test, (void *)pz[0],
			    (void *)kapi_live_hint(word[0], DAT_HANDLE_TYPE_PZ,
						   &hint));
	local_bh_enable();
	EXPECT_DONE(test, dat_pz_free(pz[0]));
	local_bh_disable();
	KUNIT_EXPECT_NULL(test, kapi_live_hint(word[0], DAT_HANDLE_TYPE_PZ,
					       &hint));
	KUNIT_EXPECT_PTR_EQ(test, (void *)pz[1],
			    (void *)kapi_live_hint(word[1], DAT_HANDLE_TYPE_PZ,
						   &hint));
	local_bh_enable();
	EXPECT_DONE(test, dat_pz_free(pz[1]));
}

/* Each object keeps its own, and begins with none. */
static void consumer_contexts(struct kunit *test)
{
	DAT_HANDLE handles[] = { &the->kia, the->pz, the->dto, the->lmr };
	DAT_CONTEXT context;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(handles); i++) {
		context.as_64 = ~0ULL;
		EXPECT_DONE(test, dat_get_consumer_context(handles[i], &context));
		KUNIT_EXPECT_EQ(test, context.as_64, 0);
		context.as_64 = 0xfedcba9876543210ULL + i;
		EXPECT_DONE(test, dat_set_consumer_context(handles[i], context));
	}
	for (i = 0; i < ARRAY_SIZE(handles); i++) {
		EXPECT_DONE(test, dat_get_consumer_context(handles[i], &context));
		KUNIT_EXPECT_EQ(test, context.as_64, 0xfedcba9876543210ULL + i);
	}
	EXPECT_ERROR(test, dat_set_consumer_context(NULL, context),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	EXPECT_ERROR(test, dat_get_consumer_context(NULL, &context),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	EXPECT_ERROR(test, dat_get_consumer_context(the->pz, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

static struct kunit_case kapi_cases[] = {
	KUNIT_CASE(srq_create_checks),
	KUNIT_CASE(srq_ep_create_checks),
	KUNIT_CASE(srq_and_its_ep),
	KUNIT_CASE(srq_counts),
	KUNIT_CASE(srq_query),
	KUNIT_CASE(srq_post_checks),
	KUNIT_CASE(srq_resize),
	KUNIT_CASE(srq_low_mark),
	KUNIT_CASE(srq_fails),
	KUNIT_CASE(srq_event_outlives_it),
	KUNIT_CASE(ep_soft_mark),
	KUNIT_CASE(ep_is_made_with_a_mark),
	KUNIT_CASE(ep_without_srq_has_no_mark_of_it),
	KUNIT_CASE(ep_hard_mark),
	KUNIT_CASE(modify_keeps_the_rest),
	KUNIT_CASE(modify_all_attributes),
	KUNIT_CASE(segments_of_reads),
	KUNIT_CASE(post_too_many_segments),
	KUNIT_CASE(modify_evd),
	KUNIT_CASE(modify_pz),
	KUNIT_CASE(modify_checks),
	KUNIT_CASE(modify_checks_attributes),
	KUNIT_CASE(handles_of_another_ia),
	KUNIT_CASE(memory_of_another_ia),
	KUNIT_CASE(memory_of_another_lmr),
	KUNIT_CASE(memory_in_one_piece),
	KUNIT_CASE(drain_with_an_srq),
	KUNIT_CASE(drain_where_nothing_comes_back),
	KUNIT_CASE(srq_counts_what_went_unread),
	KUNIT_CASE(limits_of_memory),
	KUNIT_CASE(limits_of_queues),
	KUNIT_CASE(limits_of_endpoints),
	KUNIT_CASE(sync_goes_by_pages),
	KUNIT_CASE(sync_checks),
	KUNIT_CASE(sync_without_device),
	KUNIT_CASE(reserved_lmr),
	KUNIT_CASE(memtype_hint),
	KUNIT_CASE(evd_query),
	KUNIT_CASE(pz_query),
	KUNIT_CASE(hint_of_a_handle),
	KUNIT_CASE(consumer_contexts),
	{}
};

static struct kunit_suite kapi_suite = {
	.name = "kdapl-kapi",
	.init = kapi_init,
	.exit = kapi_exit,
	.test_cases = kapi_cases,
};

kunit_test_suite(kapi_suite);

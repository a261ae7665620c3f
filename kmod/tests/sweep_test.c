// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a consumer in the kernel does, again and again: in the first run the first
 * call that can fail does, in the second one the second, until one run has no
 * failure any more. Each run is over with an error that is documented, and leaves
 * nothing behind.
 */

#include <linux/gfp.h>
#include <linux/net.h>

#include <dat2/kdat_ext.h>

#include "../kapi/kapi.h"
#include "env.h"
#include "fault.h"

#define MOST		1000U	/* calls of one run */
#define PORT		4711
#define DEPTH		16
#define SLOTS		8
#define ORDER		1	/* of the memory that is really there */
#define PAGES		BIT(ORDER)
#define DEVICE_PAGES	4	/* that the device registers at once */
/* Of the LMR, whose memory the device sees in two pieces. */
#define ADDR		0x7000100ULL
#define LENGTH		0x4000ULL
#define PART		0x1000U
#define LOCAL	(DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG)
#define REMOTE	(DAT_MEM_PRIV_REMOTE_READ_FLAG | DAT_MEM_PRIV_REMOTE_WRITE_FLAG)
#define DEFAULT	DAT_COMPLETION_DEFAULT_FLAG

/**
 * struct world - a consumer and what every scenario needs
 * @env: below it
 * @kia: its IA
 * @pz: PZ
 * @evd: for completions
 * @conn: for connections
 * @cr_evd: for requests
 * @lmr: ADDR and LENGTH of memory
 * @context: of @lmr
 * @memory: PAGES
 * @physical: their addresses
 * @nth: which call fails
 * @told: an event told of the failure, or a request was refused for it
 */
struct world {
	struct env *env;
	struct kapi_ia kia;
	DAT_PZ_HANDLE pz;
	DAT_EVD_HANDLE evd, conn, cr_evd;
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT context;
	struct page *memory;
	DAT_PADDR physical[PAGES];
	unsigned int nth;
	bool told;
};

/* Of the test that runs. */
static struct world *the;

static const DAT_CONTEXT cookie = { .as_64 = 7 };

#define EXPECT_DONE(test, call) \
	KUNIT_EXPECT_EQ(test, (DAT_RETURN)DAT_SUCCESS, call)

/* ---- the world ---------------------------------------------------------- */

static void make_ia(struct kunit *test)
{
	struct kapi_ia *kia = &the->kia;
	struct kdapl_ia *core = the->env->ia;

	kia->obj.magic = KAPI_MAGIC;
	kia->obj.type = DAT_HANDLE_TYPE_IA;
	kia->obj.ia = kia;
	kia->core = core;
	xa_init(&kia->live);
	KUNIT_ASSERT_EQ(test, kapi_word_give(&kia->obj), 0);
	core->user = kia->obj.word;
	core->cr_arrives = kapi_cr_arrives;
	core->local_key = true;
	kia->async = kapi_evd_create(kia, 8, DAT_UPCALL_DISABLE, NULL,
				     DAT_EVD_ASYNC_FLAG);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kia->async));
}

static DAT_EVD_HANDLE make_evd(struct kunit *test, DAT_EVD_FLAGS flags)
{
	DAT_EVD_HANDLE evd = NULL;

	EXPECT_DONE(test, dat_evd_kcreate(&the->kia, 16, DAT_UPCALL_DISABLE,
					  NULL, flags, &evd));
	KUNIT_ASSERT_NOT_NULL(test, evd);
	return evd;
}

static void make_memory(struct kunit *test)
{
	const DAT_REGION_DESCRIPTION region = {
		.for_va = (void *)(uintptr_t)ADDR,
	};
	int i;

	the->memory = alloc_pages(GFP_KERNEL | __GFP_COMP, ORDER);
	KUNIT_ASSERT_NOT_NULL(test, the->memory);
	for (i = 0; i < PAGES; i++)
		the->physical[i] = page_to_phys(the->memory + i);
	EXPECT_DONE(test, dat_lmr_kcreate(&the->kia, DAT_MEM_TYPE_VIRTUAL,
					  region, LENGTH, the->pz, LOCAL,
					  DAT_VA_TYPE_VA,
					  DAT_MEM_OPTIMIZE_DONT_CARE, &the->lmr,
					  &the->context, NULL, NULL, NULL));
	KUNIT_ASSERT_NOT_NULL(test, the->lmr);
}

static int sweep_init(struct kunit *test)
{
	struct ib_device_attr *attrs;
	int ret;

	the = NULL;
	ret = env_init_kernel(test);
	if (ret)
		return ret;
	the = kunit_kzalloc(test, sizeof(*the), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, the);
	the->env = test->priv;
	attrs = &the->env->dev->ib.attrs;
	attrs->device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
	attrs->max_fast_reg_page_list_len = DEVICE_PAGES;
	make_ia(test);
	EXPECT_DONE(test, dat_pz_create(&the->kia, &the->pz));
	the->evd = make_evd(test, DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG);
	the->conn = make_evd(test, DAT_EVD_CONNECTION_FLAG);
	the->cr_evd = make_evd(test, DAT_EVD_CR_FLAG);
	make_memory(test);
	return 0;
}

static void free_world(struct kunit *test)
{
	DAT_EVD_HANDLE async = the->kia.async;

	the->kia.async = NULL;
	EXPECT_DONE(test, dat_lmr_free(the->lmr));
	EXPECT_DONE(test, dat_evd_free(the->evd));
	EXPECT_DONE(test, dat_evd_free(the->conn));
	EXPECT_DONE(test, dat_evd_free(the->cr_evd));
	EXPECT_DONE(test, dat_evd_free(async));
	EXPECT_DONE(test, dat_pz_free(the->pz));
	KUNIT_EXPECT_TRUE(test, xa_empty(&the->kia.live));
	KUNIT_EXPECT_TRUE(test, xa_empty(&the->env->ia->windows));
	kapi_word_take(&the->kia.obj);
	__free_pages(the->memory, ORDER);
	rcu_barrier();
}

static void sweep_exit(struct kunit *test)
{
	/* A scenario that was given up may have been in the midst of a run. */
	fault_disarm();
	if (the && the->lmr)
		free_world(test);
	env_exit(test);
}

/* ---- what there is ------------------------------------------------------ */

enum {
	QPS, CQS, PDS, MRS, SRQS, PINNED, REGISTERED, MAPPED, IDS, BYTES,
	OBJECTS, HANDLES, PZ_USERS, EVD_USERS, CONN_USERS, CR_USERS,
	ASYNC_USERS, LMR_USERS, COUNTS,
};

static const char * const count_of[COUNTS] = {
	[QPS] = "queue pairs",
	[CQS] = "completion queues",
	[PDS] = "protection domains",
	[MRS] = "memory regions",
	[SRQS] = "shared receive queues",
	[PINNED] = "lists of pages",
	[REGISTERED] = "registrations",
	[MAPPED] = "mappings",
	[IDS] = "ids of rdma_cm",
	[BYTES] = "bytes of rings",
	[OBJECTS] = "objects",
	[HANDLES] = "handles",
	[PZ_USERS] = "users of the PZ",
	[EVD_USERS] = "users of the completions' EVD",
	[CONN_USERS] = "users of the connections' EVD",
	[CR_USERS] = "users of the requests' EVD",
	[ASYNC_USERS] = "users of the asynchronous EVD",
	[LMR_USERS] = "users of the LMR",
};

static int entries(struct xarray *xa)
{
	unsigned long index;
	void *entry;
	int n = 0;

	xa_for_each(xa, index, entry)
		n++;
	return n;
}

static int users(DAT_HANDLE handle)
{
	return refcount_read(&((struct kapi_obj *)handle)->core->users);
}

static void count(int n[COUNTS])
{
	const struct fake_dev *dev = the->env->dev;
	struct kdapl_ia *ia = the->env->ia;

	/* MRs of RMRs go by a work item. */
	kdapl_reaper_flush(&ia->reaper);
	n[QPS] = dev->qps;
	n[CQS] = dev->cqs;
	n[PDS] = dev->pds;
	n[MRS] = dev->mrs;
	n[SRQS] = dev->srqs;
	n[PINNED] = fake_cm.pinned;
	n[REGISTERED] = fake_cm.registered;
	n[MAPPED] = fake_cm.mapped;
	n[IDS] = fake_listen.num_ids;
	n[BYTES] = ia->regions.bytes;
	n[OBJECTS] = entries(&ia->objs.xa);
	n[HANDLES] = entries(&the->kia.live);
	n[PZ_USERS] = users(the->pz);
	n[EVD_USERS] = users(the->evd);
	n[CONN_USERS] = users(the->conn);
	n[CR_USERS] = users(the->cr_evd);
	n[ASYNC_USERS] = users(the->kia.async);
	n[LMR_USERS] = users(the->lmr);
}

/* ---- the sweep ---------------------------------------------------------- */

/* How many events it had. */
static unsigned int drain(DAT_EVD_HANDLE evd)
{
	unsigned int n = 0;
	DAT_EVENT event;

	while (dat_evd_dequeue(evd, &event) == DAT_SUCCESS)
		n++;
	return n;
}

/* All that is injected is a want of memory. Nobody may keep it to himself. */
static bool documented(DAT_RETURN ret)
{
	return (ret == DAT_SUCCESS && the->told) ||
	       ret == DAT_ERROR(DAT_INSUFFICIENT_RESOURCES,
				DAT_RESOURCE_MEMORY);
}

/* Does what it does from fault_arm(the->nth) on with a failure. Its first error. */
typedef DAT_RETURN (*scenario)(struct kunit *test);

/* Return: the call that failed, NULL when the run has fewer than @nth. */
static const char *sweep_once(struct kunit *test, scenario run,
			      unsigned int nth)
{
	int before[COUNTS], after[COUNTS], i;
	const char *failed;
	DAT_RETURN ret;

	count(before);
	the->nth = nth;
	the->told = false;
	ret = run(test);
	failed = fault_disarm();
	drain(the->evd);
	drain(the->conn);
	drain(the->cr_evd);
	/* It tells of errors only. */
	the->told |= drain(the->kia.async) > 0;
	count(after);
	KUNIT_EXPECT_TRUE_MSG(test, failed ? documented(ret) :
					     ret == DAT_SUCCESS,
			      "call %u, %s: 0x%x", nth, failed ?: "none", ret);
	for (i = 0; i < COUNTS; i++)
		KUNIT_EXPECT_EQ_MSG(test, before[i], after[i],
				    "call %u, %s: %s", nth, failed ?: "none",
				    count_of[i]);
	return failed;
}

static void sweep(struct kunit *test, scenario run)
{
	unsigned int calls = 0;

	while (calls < MOST && sweep_once(test, run, calls + 1))
		calls++;
	kunit_info(test, "%u calls failed, one in each run\n", calls);
	KUNIT_EXPECT_GT(test, calls, 0U);
	KUNIT_EXPECT_LT(test, calls, MOST);
}

/* ---- what a consumer does ----------------------------------------------- */

static struct kdapl_ep *core_ep(DAT_EP_HANDLE ep)
{
	return to_ep(((struct kapi_obj *)ep)->core);
}

static struct fake_qp *qp_of(DAT_EP_HANDLE ep)
{
	return to_fake_qp(core_ep(ep)->qp);
}

static DAT_RETURN create_ep(DAT_SRQ_HANDLE srq, DAT_EP_HANDLE *ep)
{
	const DAT_EP_ATTR attr = {
		.max_recv_dtos = DEPTH,
		.max_request_dtos = DEPTH,
		/* An SRQ's EP has no marks of its own. */
		.srq_soft_hw = srq ? DAT_HW_DEFAULT : DEPTH,
	};

	if (srq)
		return dat_ep_create_with_srq(&the->kia, the->pz, the->evd,
					      the->evd, the->conn, srq, &attr,
					      ep);
	return dat_ep_create(&the->kia, the->pz, the->evd, the->evd, the->conn,
			     &attr, ep);
}

static DAT_EP_HANDLE make_ep(struct kunit *test)
{
	DAT_EP_HANDLE ep = NULL;

	EXPECT_DONE(test, create_ep(NULL, &ep));
	KUNIT_ASSERT_NOT_NULL(test, ep);
	return ep;
}

static DAT_EP_HANDLE make_connected(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test);
	struct kdapl_ep *core = core_ep(ep);

	mutex_lock(&core->mutex);
	KUNIT_EXPECT_EQ(test, kdapl_ep_begin(core, KDAPL_EP_ACTIVE_PENDING), 0);
	mutex_unlock(&core->mutex);
	kdapl_ep_established(core, 0);
	return ep;
}

static DAT_EP_STATE state_of(struct kunit *test, DAT_EP_HANDLE ep)
{
	DAT_EP_STATE state = -1;

	EXPECT_DONE(test, dat_ep_get_status(ep, &state, NULL, NULL));
	return state;
}

/*
 * The device does what was posted by one call, which has one event. That tells of
 * a failure, too: then the connection breaks, and the run is over.
 */
static void finish(struct kunit *test, DAT_EP_HANDLE ep,
		   struct fake_queue *queue)
{
	DAT_EVENT event = {};
	int status;

	fake_complete(qp_of(ep), queue, FAKE_QUEUE, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test,
			  env_comes_true(dat_evd_dequeue(the->evd, &event) ==
					 DAT_SUCCESS));
	if (event.event_number == DAT_RMR_BIND_COMPLETION_EVENT)
		status = event.event_data.rmr_completion_event_data.status;
	else
		status = event.event_data.dto_completion_event_data.status;
	the->told = status != DAT_DTO_SUCCESS;
	KUNIT_EXPECT_EQ_MSG(test, the->told && !fault_was_hit(), false,
			    "status %d", status);
	KUNIT_EXPECT_EQ(test, (u32)DAT_QUEUE_EMPTY,
			DAT_GET_TYPE(dat_evd_dequeue(the->evd, &event)));
}

/* ---- objects ------------------------------------------------------------ */

static DAT_RETURN pz(struct kunit *test)
{
	DAT_PZ_HANDLE handle;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_pz_create(&the->kia, &handle);
	if (ret == DAT_SUCCESS)
		EXPECT_DONE(test, dat_pz_free(handle));
	return ret;
}

static void upcall(DAT_PVOID instance, const DAT_EVENT *event, DAT_BOOLEAN more)
{
}

static DAT_RETURN evd(struct kunit *test)
{
	const DAT_UPCALL_OBJECT object = { .upcall_func = upcall };
	DAT_EVD_HANDLE handle;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_evd_kcreate(&the->kia, 8, DAT_UPCALL_MANY, &object,
			      DAT_EVD_DTO_FLAG, &handle);
	if (ret != DAT_SUCCESS)
		return ret;
	ret = dat_evd_resize(handle, 1024);
	EXPECT_DONE(test, dat_evd_free(handle));
	return ret;
}

static DAT_RETURN ep(struct kunit *test)
{
	const DAT_EP_PARAM more = {
		.ep_attr.max_recv_dtos = 4 * DEPTH,
		.ep_attr.max_request_dtos = 4 * DEPTH,
	};
	DAT_EP_HANDLE handle;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = create_ep(NULL, &handle);
	if (ret != DAT_SUCCESS)
		return ret;
	ret = dat_ep_set_watermark(handle, DEPTH / 2, DAT_WATERMARK_INFINITE);
	if (ret == DAT_SUCCESS)
		ret = dat_ep_modify(handle,
				    DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS |
				    DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS,
				    &more);
	EXPECT_DONE(test, dat_ep_free(handle));
	return ret;
}

static DAT_RETURN use_srq(DAT_SRQ_HANDLE handle)
{
	DAT_LMR_TRIPLET iov = { ADDR, 64, the->context };
	DAT_RETURN ret;

	ret = dat_srq_resize(handle, 2 * SLOTS);
	if (ret == DAT_SUCCESS)
		ret = dat_srq_set_lw(handle, 1);
	/* Where the device refuses it an event says that the SRQ has failed. */
	if (ret == DAT_SUCCESS)
		ret = dat_srq_post_recv(handle, 1, &iov, cookie);
	return ret;
}

static DAT_RETURN srq(struct kunit *test)
{
	DAT_SRQ_ATTR attr = { .max_recv_dtos = SLOTS, .max_recv_iov = 1 };
	DAT_EP_HANDLE user;
	DAT_SRQ_HANDLE handle;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_srq_create(&the->kia, the->pz, &attr, &handle);
	if (ret != DAT_SUCCESS)
		return ret;
	ret = create_ep(handle, &user);
	if (ret == DAT_SUCCESS) {
		ret = use_srq(handle);
		EXPECT_DONE(test, dat_ep_free(user));
	}
	EXPECT_DONE(test, dat_srq_free(handle));
	return ret;
}

static DAT_RETURN reserved(struct kunit *test)
{
	int ret;

	fault_arm(the->nth);
	ret = kapi_reserved_make(&the->kia);
	kapi_reserved_free(&the->kia);
	return kapi_error(ret);
}

/* ---- memory ------------------------------------------------------------- */

static DAT_RETURN lmr_of(struct kunit *test, DAT_MEM_TYPE type,
			 DAT_REGION_DESCRIPTION region, DAT_VLEN length,
			 DAT_MEM_PRIV_FLAGS privileges)
{
	DAT_LMR_HANDLE lmr;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_lmr_kcreate(&the->kia, type, region, length, the->pz,
			      privileges, DAT_VA_TYPE_VA,
			      DAT_MEM_OPTIMIZE_DONT_CARE, &lmr, NULL, NULL,
			      NULL, NULL);
	if (ret == DAT_SUCCESS)
		EXPECT_DONE(test, dat_lmr_free(lmr));
	return ret;
}

static DAT_RETURN lmr_virtual(struct kunit *test)
{
	const DAT_REGION_DESCRIPTION region = {
		.for_va = page_address(the->memory),
	};

	return lmr_of(test, DAT_MEM_TYPE_VIRTUAL, region, PAGES * PAGE_SIZE,
		      LOCAL | REMOTE);
}

static DAT_RETURN memory(struct kunit *test)
{
	DAT_EXT_MEMORY made;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_ext_memory_alloc(&the->kia, the->pz, PAGE_SIZE, LOCAL | REMOTE,
				   &made);
	dat_ext_memory_free(&made);
	return ret;
}

static DAT_RETURN lmr_physical(struct kunit *test)
{
	const DAT_REGION_DESCRIPTION region = { .for_physical = the->physical };

	return lmr_of(test, DAT_MEM_TYPE_PHYSICAL, region, PAGES * PAGE_SIZE,
		      LOCAL | REMOTE);
}

static DAT_RETURN lmr_platform(struct kunit *test)
{
	struct scatterlist list;
	const DAT_REGION_DESCRIPTION region = { .for_platform = &list };

	sg_init_table(&list, 1);
	sg_set_page(&list, the->memory, PAGES * PAGE_SIZE, 0);
	return lmr_of(test, DAT_MEM_TYPE_PLATFORM, region, PAGES * PAGE_SIZE,
		      LOCAL | REMOTE);
}

/* In one piece, and only for the consumer itself: without an MR. */
static DAT_RETURN lmr_direct(struct kunit *test)
{
	const DAT_REGION_DESCRIPTION region = {
		.for_va = page_address(the->memory),
	};
	DAT_RETURN ret;

	fake_cm.pieces = 1;
	ret = lmr_of(test, DAT_MEM_TYPE_VIRTUAL, region, PAGES * PAGE_SIZE,
		     LOCAL);
	fake_cm.pieces = 2;
	return ret;
}

static DAT_RETURN lmr_over_lmr(struct kunit *test)
{
	const DAT_REGION_DESCRIPTION region = { .for_lmr_handle = the->lmr };

	return lmr_of(test, DAT_MEM_TYPE_LMR, region, 0, LOCAL | REMOTE);
}

static DAT_RETURN tie(struct kunit *test, DAT_LMR_HANDLE lmr, DAT_EP_HANDLE ep)
{
	const DAT_REGION_DESCRIPTION region = { .for_physical = the->physical };
	struct fake_queue *queue = &qp_of(ep)->sq;
	DAT_RETURN ret;

	ret = dat_lmr_fmr(lmr, DAT_MEM_TYPE_PHYSICAL, region, PAGES,
			  LOCAL | REMOTE, DAT_VA_TYPE_VA, ep, cookie, DEFAULT,
			  NULL, NULL);
	if (ret != DAT_SUCCESS)
		return ret;
	finish(test, ep, queue);
	if (the->told)
		return ret;
	ret = dat_lmr_invalidate(lmr, ep, cookie, DEFAULT);
	if (ret == DAT_SUCCESS)
		finish(test, ep, queue);
	return ret;
}

static DAT_RETURN lmr_for_fmr(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_connected(test);
	DAT_LMR_HANDLE lmr;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_lmr_allocate(&the->kia, the->pz, PAGES, DAT_LMR_SCOPE_PZ,
			       &lmr);
	if (ret == DAT_SUCCESS) {
		ret = tie(test, lmr, ep);
		/* It is as it was: the next one succeeds. */
		if (ret != DAT_SUCCESS)
			EXPECT_DONE(test, tie(test, lmr, ep));
		EXPECT_DONE(test, dat_lmr_free(lmr));
	}
	EXPECT_DONE(test, dat_ep_free(ep));
	return ret;
}

static DAT_RETURN bind(struct kunit *test, DAT_RMR_HANDLE rmr, DAT_EP_HANDLE ep,
		       u32 length)
{
	const DAT_LMR_TRIPLET part = { ADDR + 0x40, length, the->context };
	DAT_RMR_CONTEXT context;
	DAT_RETURN ret;

	ret = dat_rmr_bind(rmr, the->lmr, &part, length ? REMOTE : 0,
			   DAT_VA_TYPE_VA, ep, cookie, DEFAULT, &context);
	if (ret == DAT_SUCCESS)
		finish(test, ep, &qp_of(ep)->sq);
	return ret;
}

/* Bound, moved to a longer part, moved again, and bound to nothing. */
static DAT_RETURN rmr(struct kunit *test)
{
	static const u32 lengths[] = { PART, 2 * PART, PART, 0 };
	DAT_EP_HANDLE ep = make_connected(test);
	DAT_RMR_HANDLE handle;
	unsigned int i;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_rmr_create(the->pz, &handle);
	if (ret != DAT_SUCCESS) {
		EXPECT_DONE(test, dat_ep_free(ep));
		return ret;
	}
	for (i = 0; i < ARRAY_SIZE(lengths) && ret == DAT_SUCCESS && !the->told;
	     i++)
		ret = bind(test, handle, ep, lengths[i]);
	/* What it was bound to it still is: it can be moved. */
	if (ret != DAT_SUCCESS)
		EXPECT_DONE(test, bind(test, handle, ep, PART));
	EXPECT_DONE(test, dat_ep_free(ep));
	EXPECT_DONE(test, dat_rmr_free(handle));
	return ret;
}

/* ---- connections -------------------------------------------------------- */

static DAT_RETURN transfer(struct kunit *test, DAT_EP_HANDLE ep)
{
	DAT_LMR_TRIPLET iov = { ADDR, 64, the->context };
	DAT_RETURN ret;

	ret = dat_ep_post_recv(ep, 1, &iov, cookie, DEFAULT);
	if (ret != DAT_SUCCESS)
		return ret;
	finish(test, ep, &qp_of(ep)->rq);
	if (the->told)
		return ret;
	ret = dat_ep_post_send(ep, 1, &iov, cookie, DEFAULT);
	if (ret == DAT_SUCCESS)
		finish(test, ep, &qp_of(ep)->sq);
	return ret;
}

static DAT_RETURN reset(struct kunit *test, DAT_EP_HANDLE ep)
{
	DAT_RETURN ret;

	EXPECT_DONE(test, dat_ep_disconnect(ep, DAT_CLOSE_ABRUPT_FLAG));
	EXPECT_SOON(test, state_of(test, ep) == DAT_EP_STATE_DISCONNECTED);
	ret = dat_ep_reset(ep);
	if (ret != DAT_SUCCESS) {
		KUNIT_EXPECT_EQ(test, (int)state_of(test, ep),
				DAT_EP_STATE_DISCONNECTED);
		EXPECT_DONE(test, dat_ep_reset(ep));
	}
	KUNIT_EXPECT_EQ(test, (int)state_of(test, ep),
			DAT_EP_STATE_UNCONNECTED);
	return ret;
}

static DAT_RETURN connect(struct kunit *test)
{
	struct sockaddr_storage to = fake_address(FAKE_ADDR, PORT);
	DAT_EP_HANDLE ep = make_ep(test);
	DAT_RETURN ret, end;

	fault_arm(the->nth);
	ret = dat_ep_common_connect(ep, (void *)&to, 1000, 3, "hi");
	if (ret == DAT_SUCCESS) {
		kdapl_ep_established(core_ep(ep), 0);
		ret = transfer(test, ep);
		end = reset(test, ep);
		if (ret == DAT_SUCCESS)
			ret = end;
	} else {
		KUNIT_EXPECT_EQ(test, (int)state_of(test, ep),
				DAT_EP_STATE_UNCONNECTED);
	}
	EXPECT_DONE(test, dat_ep_free(ep));
	return ret;
}

/* To who listens at PORT. NULL: it was refused, for want of memory. */
static DAT_CR_HANDLE request(struct kunit *test)
{
	bool taken = fake_request(FAKE_ADDR, PORT);
	DAT_EVENT event = {};

	KUNIT_EXPECT_TRUE(test, taken || fault_was_hit());
	if (!taken) {
		the->told = true;
		return NULL;
	}
	EXPECT_DONE(test, dat_evd_dequeue(the->cr_evd, &event));
	KUNIT_EXPECT_EQ(test, (int)event.event_number,
			DAT_CONNECTION_REQUEST_EVENT);
	return event.event_data.cr_arrival_event_data.cr_handle;
}

/* Where it is not accepted nothing has happened: it can still be rejected. */
static DAT_RETURN accept(struct kunit *test, DAT_CR_HANDLE cr, DAT_EP_HANDLE ep)
{
	DAT_RETURN ret = dat_cr_accept(cr, ep, 3, "hi");

	if (ret != DAT_SUCCESS)
		EXPECT_DONE(test, dat_cr_reject(cr, 3, "no"));
	return ret;
}

static DAT_RETURN psp(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test);
	DAT_PSP_HANDLE handle;
	DAT_CR_HANDLE cr;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_psp_create(&the->kia, PORT, the->cr_evd,
			     DAT_PSP_CONSUMER_FLAG, &handle);
	if (ret == DAT_SUCCESS) {
		cr = request(test);
		if (cr)
			ret = accept(test, cr, ep);
		EXPECT_DONE(test, dat_psp_free(handle));
	}
	EXPECT_DONE(test, dat_ep_free(ep));
	return ret;
}

static DAT_RETURN psp_any(struct kunit *test)
{
	DAT_CONN_QUAL conn_qual;
	DAT_PSP_HANDLE handle;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_psp_create_any(&the->kia, &conn_qual, the->cr_evd,
				 DAT_PSP_CONSUMER_FLAG, &handle);
	if (ret == DAT_SUCCESS)
		EXPECT_DONE(test, dat_psp_free(handle));
	return ret;
}

/* The EP that it brings is given what it lacks, and is the consumer's then. */
static DAT_RETURN accept_on_its_ep(struct kunit *test, DAT_CR_HANDLE cr)
{
	const DAT_EP_PARAM give = {
		.pz_handle = the->pz,
		.recv_evd_handle = the->evd,
		.request_evd_handle = the->evd,
		.connect_evd_handle = the->conn,
	};
	DAT_CR_PARAM param = {};
	DAT_RETURN ret;

	EXPECT_DONE(test, dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
	KUNIT_EXPECT_NOT_NULL(test, param.local_ep_handle);
	ret = dat_ep_modify(param.local_ep_handle,
			    DAT_EP_FIELD_PZ_HANDLE |
			    DAT_EP_FIELD_RECV_EVD_HANDLE |
			    DAT_EP_FIELD_REQUEST_EVD_HANDLE |
			    DAT_EP_FIELD_CONNECT_EVD_HANDLE, &give);
	if (ret != DAT_SUCCESS) {
		EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
		return ret;
	}
	ret = accept(test, cr, NULL);
	if (ret == DAT_SUCCESS)
		EXPECT_DONE(test, dat_ep_free(param.local_ep_handle));
	return ret;
}

static DAT_RETURN psp_with_eps(struct kunit *test)
{
	DAT_PSP_HANDLE handle;
	DAT_CR_HANDLE cr;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_psp_create(&the->kia, PORT, the->cr_evd,
			     DAT_PSP_PROVIDER_FLAG, &handle);
	if (ret != DAT_SUCCESS)
		return ret;
	cr = request(test);
	if (cr)
		ret = accept_on_its_ep(test, cr);
	EXPECT_DONE(test, dat_psp_free(handle));
	return ret;
}

static DAT_RETURN rsp(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test);
	DAT_RSP_HANDLE handle;
	DAT_CR_HANDLE cr;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_rsp_create(&the->kia, PORT, ep, the->cr_evd, &handle);
	if (ret == DAT_SUCCESS) {
		cr = request(test);
		if (cr)
			ret = accept(test, cr, NULL);
		EXPECT_DONE(test, dat_rsp_free(handle));
	}
	EXPECT_DONE(test, dat_ep_free(ep));
	return ret;
}

static DAT_RETURN csp(struct kunit *test)
{
	struct sockaddr_storage at = fake_address("0.0.0.0", PORT);
	DAT_COMM comm = { .domain = AF_INET, .type = SOCK_STREAM };
	DAT_CSP_HANDLE handle;
	DAT_CR_HANDLE cr;
	DAT_RETURN ret;

	fault_arm(the->nth);
	ret = dat_csp_create(&the->kia, &comm, (void *)&at, the->cr_evd,
			     &handle);
	if (ret != DAT_SUCCESS)
		return ret;
	cr = request(test);
	if (cr)
		EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	EXPECT_DONE(test, dat_csp_free(handle));
	return ret;
}

/* Whose it is in the end rejects it. */
static DAT_RETURN hand_over(struct kunit *test, DAT_CR_HANDLE cr)
{
	DAT_EVENT event = {};
	DAT_RETURN ret = dat_cr_handoff(cr, PORT + 1);

	if (ret == DAT_SUCCESS) {
		EXPECT_DONE(test, dat_evd_dequeue(the->cr_evd, &event));
		cr = event.event_data.cr_arrival_event_data.cr_handle;
	}
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	return ret;
}

/* From one whose requests bring EPs to another one. */
static DAT_RETURN handoff(struct kunit *test)
{
	DAT_RETURN ret = DAT_SUCCESS;
	DAT_PSP_HANDLE from, to;
	DAT_CR_HANDLE cr;

	EXPECT_DONE(test, dat_psp_create(&the->kia, PORT, the->cr_evd,
					 DAT_PSP_PROVIDER_FLAG, &from));
	EXPECT_DONE(test, dat_psp_create(&the->kia, PORT + 1, the->cr_evd,
					 DAT_PSP_PROVIDER_FLAG, &to));
	fault_arm(the->nth);
	cr = request(test);
	if (cr)
		ret = hand_over(test, cr);
	EXPECT_DONE(test, dat_psp_free(from));
	EXPECT_DONE(test, dat_psp_free(to));
	return ret;
}

/* ---- RDMA by scatterlists ----------------------------------------------- */

/* In two parts, where memory is registered: the first one ends within a page. */
static DAT_RETURN rw(struct kunit *test, enum dma_data_direction dir)
{
	const DAT_RMR_TRIPLET remote = {
		.virtual_address = 0x7f0000000123ULL,
		.segment_length = PAGES * PAGE_SIZE - 8,
		.rmr_context = 0x5566,
	};
	DAT_EP_HANDLE ep = make_connected(test);
	struct scatterlist list[PAGES];
	DAT_RETURN ret;

	sg_init_table(list, PAGES);
	sg_set_page(&list[0], the->memory, PAGE_SIZE - 8, 0);
	sg_set_page(&list[1], the->memory + 1, PAGE_SIZE, 0);
	fault_arm(the->nth);
	ret = dat_ext_ep_rw(ep, list, PAGES, 0, &remote, dir, cookie);
	if (ret == DAT_SUCCESS)
		finish(test, ep, &qp_of(ep)->sq);
	EXPECT_DONE(test, dat_ep_free(ep));
	return ret;
}

static DAT_RETURN rw_write(struct kunit *test)
{
	return rw(test, DMA_TO_DEVICE);
}

static DAT_RETURN rw_read(struct kunit *test)
{
	return rw(test, DMA_FROM_DEVICE);
}

/* ---- the cases ---------------------------------------------------------- */

#define SWEEP(scenario)							\
static void sweep_ ## scenario(struct kunit *test)			\
{									\
	sweep(test, scenario);						\
}

SWEEP(pz)
SWEEP(evd)
SWEEP(ep)
SWEEP(srq)
SWEEP(reserved)
SWEEP(lmr_virtual)
SWEEP(memory)
SWEEP(lmr_physical)
SWEEP(lmr_platform)
SWEEP(lmr_direct)
SWEEP(lmr_over_lmr)
SWEEP(lmr_for_fmr)
SWEEP(rmr)
SWEEP(connect)
SWEEP(psp)
SWEEP(psp_any)
SWEEP(psp_with_eps)
SWEEP(rsp)
SWEEP(csp)
SWEEP(handoff)
SWEEP(rw_write)

static void make_iwarp(void)
{
	fake_dev_iwarp(the->env->dev);
	the->env->ia->iwarp = true;
}

/* Receives that can be parked. */
static void sweep_connect_iwarp(struct kunit *test)
{
	make_iwarp();
	sweep(test, connect);
}

/* Its sink is registered. */
static void sweep_rw_read_iwarp(struct kunit *test)
{
	make_iwarp();
	sweep(test, rw_read);
}

/* Its data are copied, through memory that is registered for it. */
static void sweep_rw_copies(struct kunit *test)
{
	the->env->ia->local_key = false;
	sweep(test, rw_write);
	sweep(test, rw_read);
}

static struct kunit_case sweep_cases[] = {
	KUNIT_CASE(sweep_pz),
	KUNIT_CASE(sweep_evd),
	KUNIT_CASE(sweep_ep),
	KUNIT_CASE(sweep_srq),
	KUNIT_CASE(sweep_reserved),
	KUNIT_CASE(sweep_lmr_virtual),
	KUNIT_CASE(sweep_memory),
	KUNIT_CASE(sweep_lmr_physical),
	KUNIT_CASE(sweep_lmr_platform),
	KUNIT_CASE(sweep_lmr_direct),
	KUNIT_CASE(sweep_lmr_over_lmr),
	KUNIT_CASE(sweep_lmr_for_fmr),
	KUNIT_CASE(sweep_rmr),
	KUNIT_CASE(sweep_connect),
	KUNIT_CASE(sweep_psp),
	KUNIT_CASE(sweep_psp_any),
	KUNIT_CASE(sweep_psp_with_eps),
	KUNIT_CASE(sweep_rsp),
	KUNIT_CASE(sweep_csp),
	KUNIT_CASE(sweep_handoff),
	KUNIT_CASE(sweep_rw_write),
	KUNIT_CASE(sweep_connect_iwarp),
	KUNIT_CASE(sweep_rw_read_iwarp),
	KUNIT_CASE(sweep_rw_copies),
	{}
};

static struct kunit_suite sweep_suite = {
	.name = "kdapl-sweep",
	.init = sweep_init,
	.exit = sweep_exit,
	.test_cases = sweep_cases,
};

kunit_test_suite(sweep_suite);

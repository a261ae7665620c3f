// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the suites share. */

#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../adapter.h"
#include "../kmem.h"
#include "../lmr.h"
#include "../pz.h"
#include "../srq.h"
#include "env.h"
#include "fault.h"

MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("KUnit suites of kdapl");

struct workqueue_struct *kdapl_workqueue;

/* ---- the submission ring in use ---------------------------------------- */

const struct sq_variant *sq_used;
struct sq_halt sq_halt;

void sq_test_pause(unsigned int us)
{
	atomic_inc(&sq_halt.count);
	if (sq_halt.fn)
		sq_halt.fn(sq_halt.context);
	else
		udelay(us);
}

int kdapl_sq_init(struct kdapl_sq *sq, struct kdapl_ia *ia, u32 entries)
{
	return sq_used->init(sq, ia, entries);
}

void kdapl_sq_destroy(struct kdapl_sq *sq)
{
	sq_used->destroy(sq);
}

void kdapl_sq_kick(struct kdapl_sq *sq)
{
	sq_used->kick(sq);
}

void kdapl_sq_drain(struct kdapl_sq *sq)
{
	sq_used->drain(sq);
}

void kdapl_sq_sync(struct kdapl_sq *sq)
{
	sq_used->sync(sq);
}

void kdapl_sq_stop(struct kdapl_sq *sq)
{
	sq_used->stop(sq);
}

void kdapl_sq_doorbell(struct kdapl_sq *sq)
{
	sq_used->doorbell(sq);
}

void kdapl_sq_doorbell_atomic(struct kdapl_sq *sq)
{
	sq_used->doorbell_atomic(sq);
}

bool kdapl_sq_has_few(const struct kdapl_sq *sq)
{
	return sq_used->has_few(sq);
}

void kdapl_sq_counters(u64 *posts, u64 *doorbells)
{
	sq_used->counters(posts, doorbells);
}

/* ---- the driver --------------------------------------------------------- */

bool kdapl_driver_forgets(const struct ib_device *dev)
{
	return container_of(dev, const struct fake_dev, ib)->forgets;
}

bool kdapl_driver_flushes(const struct ib_device *dev)
{
	return !container_of(dev, const struct fake_dev, ib)->mute;
}

bool kdapl_driver_flushes_at_once(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_SIW;
}

u32 kdapl_driver_pages(const struct ib_device *dev)
{
	return dev->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS ?
	       dev->attrs.max_fast_reg_page_list_len : 0;
}

bool kdapl_driver_invalidates(const struct ib_device *dev)
{
	return true;
}

bool kdapl_driver_needs_key(const struct ib_device *dev)
{
	return false;
}

bool kdapl_driver_local_key(const struct ib_device *dev)
{
	return dev->attrs.kernel_cap_flags & IBK_LOCAL_DMA_LKEY;
}

bool kdapl_driver_acks_late(const struct ib_device *dev)
{
	return container_of(dev, const struct fake_dev, ib)->acks_late;
}

bool kdapl_driver_cuts_off(const struct ib_device *dev,
			   enum ib_wc_opcode opcode)
{
	return dev->ops.driver_id == RDMA_DRIVER_SIW &&
	       opcode <= IB_WC_RDMA_READ;
}

/* Like rxe: it says nothing when a queue pair has left its SRQ. */
bool kdapl_driver_last_wqe(const struct ib_device *dev)
{
	return false;
}

/* ---- the IA ------------------------------------------------------------ */

static void ia_init(struct kdapl_ia *ia, struct fake_dev *dev, bool kernel)
{
	ia->kernel = kernel;
	ia->frwr = kernel;
	ia->dev = &dev->ib;
	ia->port = 1;
	strscpy(ia->name, "fake", sizeof(ia->name));
	init_rwsem(&ia->hw_lock);
	mutex_init(&ia->join_lock);
	mutex_init(&ia->cq_lock);
	INIT_LIST_HEAD(&ia->cqs);
	INIT_LIST_HEAD(&ia->work_cqs);
	kdapl_reaper_init(&ia->reaper);
	xa_init(&ia->windows);
	xa_init(&ia->fmrs);
	ia->rmr_reuse = true;
	kdapl_obj_table_init(&ia->objs, kdapl_ia_gfp(ia));
	kdapl_region_table_init(&ia->regions, kdapl_ia_gfp(ia));
	ia->max_requests = FAKE_QUEUE;
	ia->max_recvs = FAKE_QUEUE;
	ia->max_iov = KDAPL_SEGS_MAX;
	ia->max_iov_read = 1;
	ia->max_read_in = 16;
	ia->max_read_out = 16;
	ia->max_lmr_size = 1ULL << 40;
	ia->max_rmr_size = ENV_RMR_LENGTH;
	ia->max_message = ENV_MAX_MESSAGE;
	ia->imm = true;
	ia->atomic = true;
	ia->max_srqs = 16;
	ia->max_srq_window = ENV_SRQ_WINDOW;
	ia->max_srq_iov = KDAPL_SEGS_MAX;
}

static int env_start(struct kunit *test, bool kernel)
{
	struct kdapl_pz_create pz = {};
	struct env *env;

	sq_used = &product_sq;
	memset(&sq_halt, 0, sizeof(sq_halt));
	memset(&fake_cm, 0, sizeof(fake_cm));
	fake_listen_reset();
	kdapl_workqueue = alloc_workqueue("kdapl_kunit", WQ_UNBOUND, 0);
	KUNIT_ASSERT_NOT_NULL(test, kdapl_workqueue);

	env = kzalloc(sizeof(*env), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, env);
	test->priv = env;
	env->test = test;
	env->dev = fake_dev_create();
	KUNIT_ASSERT_NOT_NULL(test, env->dev);
	env->ia = kzalloc(sizeof(*env->ia), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, env->ia);
	ia_init(env->ia, env->dev, kernel);
	fake_cm.pieces = 2;
	if (!kernel)
		KUNIT_ASSERT_EQ(test, kdapl_sq_init(&env->ia->sq, env->ia,
						    ENV_SQ_ENTRIES), 0);
	KUNIT_ASSERT_EQ(test, kdapl_pz_create(env->ia, &pz), 0);
	env->pz = pz.id;
	env->lmr = env_lmr(env, pz.id, KDAPL_PRIV_LOCAL_READ |
				       KDAPL_PRIV_LOCAL_WRITE);
	return 0;
}

int env_init(struct kunit *test)
{
	return env_start(test, false);
}

int env_init_kernel(struct kunit *test)
{
	return env_start(test, true);
}

/* As the close of a file does it; afterwards nothing is left. */
static void ia_close(struct kdapl_ia *ia)
{
	kdapl_sq_stop(&ia->sq);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_PSP);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_RSP);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_CR);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_EP);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_SRQ);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_RMR);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_LMR);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_EVD);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_CNO);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_PZ);
	kdapl_sq_destroy(&ia->sq);
	kdapl_obj_table_destroy(&ia->objs);
	kdapl_region_table_destroy(&ia->regions);
}

void env_exit(struct kunit *test)
{
	struct env *env = test->priv;

	/* A test that was given up may have been in the midst of something. */
	fault_disarm();
	/* The test's init failed: the log says so, what it had is left. */
	if (!env || !env->lmr)
		return;
	sq_used->set_pause(0);
	ia_close(env->ia);
	KUNIT_EXPECT_EQ(test, env->dev->qps, 0);
	KUNIT_EXPECT_EQ(test, env->dev->srqs, 0);
	KUNIT_EXPECT_EQ(test, env->dev->cqs, 0);
	KUNIT_EXPECT_EQ(test, env->dev->mrs, 0);
	KUNIT_EXPECT_EQ(test, env->dev->pds, 0);
	KUNIT_EXPECT_TRUE(test, xa_empty(&env->ia->windows));
	KUNIT_EXPECT_TRUE(test, xa_empty(&env->ia->fmrs));
	KUNIT_EXPECT_FALSE(test, env->dev->bad_sge);
	KUNIT_EXPECT_FALSE(test, env->dev->bad_mr);
	KUNIT_EXPECT_EQ(test, fake_cm.pinned, 0);
	KUNIT_EXPECT_EQ(test, fake_cm.registered, 0);
	KUNIT_EXPECT_EQ(test, fake_cm.mapped, 0);
	KUNIT_EXPECT_EQ(test, fake_listen.num_ids, 0);
	while (env->num_held)
		kdapl_obj_put(env->held[--env->num_held]);
	destroy_workqueue(kdapl_workqueue);
	/* The objects' memory goes after a grace period. */
	rcu_barrier();
	kfree(env->ia);
	fake_dev_destroy(env->dev);
	kfree(env);
}

struct kdapl_obj *env_hold(struct env *env, u32 id, enum kdapl_obj_type type)
{
	struct kdapl_obj *obj = kdapl_obj_get(env->ia, id, type);

	KUNIT_ASSERT_NOT_NULL(env->test, obj);
	KUNIT_ASSERT_LT(env->test, env->num_held, ARRAY_SIZE(env->held));
	env->held[env->num_held++] = obj;
	return obj;
}

/* ---- its objects ------------------------------------------------------- */

u32 env_lmr(struct env *env, u32 pz, u32 privileges)
{
	struct kdapl_lmr_create arg = {
		.pz = pz,
		.mem_type = KDAPL_MEM_VIRTUAL,
		.privileges = privileges,
		.addr = ENV_LMR_ADDR,
		.length = ENV_LMR_LENGTH,
	};
	const struct kdapl_kmem mem = {
		.va = (void *)(uintptr_t)ENV_LMR_ADDR,
		.length = ENV_LMR_LENGTH,
	};

	if (env->ia->kernel) {
		KUNIT_ASSERT_EQ(env->test,
				kdapl_lmr_create_over(env->ia, &arg, &mem), 0);
		return arg.id;
	}
	KUNIT_ASSERT_EQ(env->test, kdapl_lmr_create(env->ia, &arg), 0);
	return arg.id;
}

struct test_evd env_evd(struct env *env, u32 qlen, u32 flags)
{
	struct kdapl_evd_create arg = { .flags = flags, .qlen = qlen };
	struct test_evd tevd = {};

	KUNIT_ASSERT_EQ(env->test, kdapl_evd_create(env->ia, &arg), 0);
	tevd.id = arg.id;
	tevd.evd = to_evd(env_hold(env, arg.id, KDAPL_OBJ_EVD));
	return tevd;
}

void env_ep_over(struct env *env, struct test_ep *tep, u32 max)
{
	struct kdapl_ep_create arg = {
		.pz = env->pz,
		.recv_evd = tep->recv.id,
		.request_evd = tep->request.id,
		.connect_evd = tep->conn.id,
		.max_recvs = max,
		.max_requests = max,
		.max_recv_iov = KDAPL_SEGS_MAX,
		.max_request_iov = KDAPL_SEGS_MAX,
		.max_rdma_read_in = 1,
		.max_rdma_read_out = 1,
		.user = ENV_USER,
	};

	KUNIT_ASSERT_EQ(env->test, kdapl_ep_create(env->ia, &arg), 0);
	tep->id = arg.id;
	tep->ep = to_ep(env_hold(env, arg.id, KDAPL_OBJ_EP));
}

struct test_ep env_ep(struct env *env, u32 max)
{
	struct test_ep tep = {
		.recv = env_evd(env, 256, DAT_EVD_DTO_FLAG),
		.request = env_evd(env, 256, DAT_EVD_DTO_FLAG),
		.conn = env_evd(env, 8, DAT_EVD_CONNECTION_FLAG),
	};

	env_ep_over(env, &tep, max);
	return tep;
}

void env_connect(struct env *env, struct test_ep *tep)
{
	mutex_lock(&tep->ep->mutex);
	KUNIT_EXPECT_EQ(env->test,
			kdapl_ep_begin(tep->ep, KDAPL_EP_ACTIVE_PENDING), 0);
	mutex_unlock(&tep->ep->mutex);
	/* As kdapl_cm_qp_ready() does it. */
	kdapl_srq_begin(tep->ep);
	kdapl_ep_established(tep->ep, 0);
	KUNIT_EXPECT_EQ(env->test, prog_ep(tep, state), KDAPL_EP_CONNECTED);
	EXPECT_CONN(env->test, &tep->conn, DAT_CONNECTION_EVENT_ESTABLISHED);
}

void env_peer_leaves(struct test_ep *tep)
{
	spin_lock_bh(&tep->ep->lock);
	kdapl_ep_left_locked(tep->ep);
	spin_unlock_bh(&tep->ep->lock);
}

/* ---- the program ------------------------------------------------------- */

struct kdapl_sqe prog_sqe(struct env *env, u32 ep, u8 op, u64 cookie)
{
	return (struct kdapl_sqe) {
		.ep = ep,
		.op = op,
		.num_seg = 1,
		.cookie = cookie,
		.seg[0] = { ENV_LMR_ADDR, 64, env->lmr },
	};
}

void prog_store(struct env *env, const struct kdapl_sqe *sqe)
{
	struct kdapl_sq *sq = &env->ia->sq;

	sq->entries[env->tail & (ENV_SQ_ENTRIES - 1)] = *sqe;
	/* (A) of the uapi header. */
	smp_store_release(&sq->ring->tail, ++env->tail);
}

void prog_ring(struct env *env)
{
	struct kdapl_sq_status *status = env->ia->sq.status.addr;

	/* The tail, a full barrier, the flag. */
	smp_mb();
	if (READ_ONCE(status->flags) & KDAPL_SQ_NEED_WAKEUP) {
		env->rings++;
		kdapl_sq_doorbell(&env->ia->sq);
	}
}

void prog_post(struct env *env, const struct kdapl_sqe *sqe)
{
	prog_store(env, sqe);
	prog_ring(env);
}

void prog_post_op(struct env *env, const struct test_ep *tep, u8 op, u64 cookie)
{
	struct kdapl_sqe sqe = prog_sqe(env, tep->id, op, cookie);

	prog_post(env, &sqe);
}

int env_wait(struct kdapl_evd *evd, u32 threshold, u64 deadline_ns)
{
	u32 began = 0;

	return kdapl_evd_wait(evd, threshold, deadline_ns, &began);
}

u32 prog_events(const struct test_evd *tevd)
{
	/* (F) of the uapi header. */
	return smp_load_acquire(&tevd->evd->ring->tail) - tevd->head;
}

struct kdapl_event prog_next(struct test_evd *tevd)
{
	struct kdapl_ev_head *head = tevd->evd->head.addr;
	struct kdapl_event event = {};

	if (!prog_events(tevd))
		return event;
	event = tevd->evd->entries[tevd->head & tevd->evd->entries_mask];
	/* (G) of the uapi header. */
	smp_store_release(&head->head, ++tevd->head);
	return event;
}

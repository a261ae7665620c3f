// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fast registration over a PZ's connection with itself.
 *
 * One work request at a time, under the PZ's frwr_lock: registration is not
 * the fast path, and a wait that a fatal signal ends can then simply take the
 * connection down, after which no work request refers to the MR any more.
 */

#include <linux/completion.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/rdma_cm.h>

#include "account.h"
#include "adapter.h"
#include "cm.h"
#include "frwr.h"
#include "ia.h"
#include "pz.h"

#define FRWR_CM_TIMEOUT_MS	5000
#define FRWR_CQE		16
/* Of the device: the completion queue, and each end's queue pair. */
#define FRWR_OBJECTS		3

/**
 * struct kdapl_frwr - the connection
 * @pz: whose it is
 * @cq: completions of both ends
 * @listen: waits for the passive end, gone when it has come
 * @active: the end that registers
 * @passive: the other end, which does nothing
 * @cg: who is charged for its objects
 * @token: tells our own connection request from a stranger's
 * @step: the last step of setting up is over
 * @step_error: how it went
 * @broken: the connection is down
 */
struct kdapl_frwr {
	struct kdapl_pz *pz;
	struct ib_cq *cq;
	struct rdma_cm_id *listen;
	struct rdma_cm_id *active;
	struct rdma_cm_id *passive;
	struct rdma_cgroup *cg[FRWR_OBJECTS];
	u8 token[16];
	struct completion step;
	int step_error;
	bool broken;
};

/* A work request that is waited for. */
struct frwr_work {
	struct ib_cqe cqe;
	struct completion done;
	enum ib_wc_status status;
};

u64 kdapl_frwr_max_size(const struct ib_device *dev)
{
	u32 pages = kdapl_driver_pages(dev);

	if (pages < 2)
		return 0;
	/* Memory that starts within a page touches one page more. */
	return (u64)(pages - 1) << PAGE_SHIFT;
}

static void frwr_step(struct kdapl_frwr *frwr, int error)
{
	frwr->step_error = error;
	complete(&frwr->step);
}

static int frwr_wait(struct kdapl_frwr *frwr)
{
	unsigned long timeout = msecs_to_jiffies(FRWR_CM_TIMEOUT_MS);
	long ret = wait_for_completion_killable_timeout(&frwr->step, timeout);

	if (ret < 0)
		return -EINTR;
	return ret ? frwr->step_error : -EADDRNOTAVAIL;
}

static int frwr_create_qp(struct kdapl_frwr *frwr, struct rdma_cm_id *id)
{
	struct ib_qp_init_attr attr = {
		.send_cq = frwr->cq,
		.recv_cq = frwr->cq,
		.cap = {
			.max_send_wr = 2,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};

	return rdma_create_qp(id, frwr->pz->pd, &attr);
}

/* Our own request has come back to us. Non-zero destroys @id. */
static int frwr_accept(struct kdapl_frwr *frwr, struct rdma_cm_id *id,
		       const struct rdma_conn_param *request)
{
	struct rdma_conn_param param = {};
	int ret;

	if (frwr->passive || !request->private_data ||
	    request->private_data_len < sizeof(frwr->token) ||
	    memcmp(request->private_data, frwr->token, sizeof(frwr->token)))
		return -EACCES;

	ret = id->device == frwr->pz->obj.ia->dev ? 0 : -EADDRNOTAVAIL;
	if (!ret)
		ret = frwr_create_qp(frwr, id);
	if (ret)
		goto fail;
	ret = rdma_accept(id, &param);
	if (ret) {
		rdma_destroy_qp(id);
		goto fail;
	}
	frwr->passive = id;
	return 0;

fail:
	frwr_step(frwr, ret);
	return ret;
}

static int frwr_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct kdapl_frwr *frwr = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return frwr_accept(frwr, id, &event->param.conn);
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		frwr_step(frwr, 0);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		/* The passive end has one, too. */
		if (id == frwr->active)
			frwr_step(frwr, 0);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		WRITE_ONCE(frwr->broken, true);
		frwr_step(frwr, -EADDRNOTAVAIL);
		break;
	default:
		break;
	}
	return 0;
}

static void frwr_destroy_id(struct rdma_cm_id *id)
{
	if (!id)
		return;
	rdma_disconnect(id);
	if (id->qp)
		rdma_destroy_qp(id);
	rdma_destroy_id(id);
}

static void frwr_uncharge(struct kdapl_frwr *frwr)
{
	int i;

	for (i = 0; i < FRWR_OBJECTS; i++)
		kdapl_cgroup_uncharge(frwr->pz->obj.ia->dev, &frwr->cg[i],
				      RDMACG_RESOURCE_HCA_OBJECT);
}

/* All at once: the passive end is made where nobody knows whose it is. */
static int frwr_charge(struct kdapl_frwr *frwr)
{
	int i, ret = 0;

	for (i = 0; i < FRWR_OBJECTS && !ret; i++)
		ret = kdapl_ia_charge(frwr->pz->obj.ia, &frwr->cg[i],
				      RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		frwr_uncharge(frwr);
	return ret;
}

static void frwr_free(struct kdapl_frwr *frwr)
{
	/* The listener first: then no passive end can come any more. */
	if (frwr->listen)
		rdma_destroy_id(frwr->listen);
	frwr_destroy_id(frwr->active);
	frwr_destroy_id(frwr->passive);
	ib_free_cq(frwr->cq);
	frwr_uncharge(frwr);
	kfree(frwr);
}

static struct kdapl_frwr *frwr_alloc(struct kdapl_pz *pz)
{
	struct kdapl_ia *ia = pz->obj.ia;
	struct kdapl_frwr *frwr;
	int ret;

	frwr = kzalloc(sizeof(*frwr), kdapl_ia_gfp(ia));
	if (!frwr)
		return ERR_PTR(-ENOMEM);
	frwr->pz = pz;
	init_completion(&frwr->step);
	ret = frwr_charge(frwr);
	if (ret)
		goto err_free;
	frwr->cq = ib_alloc_cq(ia->dev, NULL, FRWR_CQE, 0, IB_POLL_WORKQUEUE);
	if (!IS_ERR(frwr->cq))
		return frwr;
	ret = PTR_ERR(frwr->cq);
	frwr_uncharge(frwr);
err_free:
	kfree(frwr);
	return ERR_PTR(ret);
}

static struct rdma_cm_id *frwr_create_id(struct kdapl_frwr *frwr)
{
	return rdma_create_id(frwr->pz->obj.ia->net, frwr_handler, frwr,
			      RDMA_PS_TCP, IB_QPT_RC);
}

static int frwr_listen(struct kdapl_frwr *frwr, struct sockaddr *addr)
{
	struct rdma_cm_id *id;
	int ret;

	if (!kdapl_ia_may_listen(frwr->pz->obj.ia))
		return -EADDRNOTAVAIL;
	id = frwr_create_id(frwr);
	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_bind_addr(id, addr);
	/* The address is the adapter's: what it lacks is a port. */
	if (ret == -EADDRNOTAVAIL)
		ret = -ENOSPC;
	if (!ret && id->device != frwr->pz->obj.ia->dev)
		ret = -EADDRNOTAVAIL;
	if (!ret)
		ret = rdma_listen(id, 1);
	if (ret) {
		rdma_destroy_id(id);
		return ret;
	}
	frwr->listen = id;
	return 0;
}

static int frwr_resolve(struct kdapl_frwr *frwr, struct sockaddr *addr)
{
	struct sockaddr *to =
		(struct sockaddr *)&frwr->listen->route.addr.src_addr;
	struct rdma_cm_id *id = frwr_create_id(frwr);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	frwr->active = id;

	ret = rdma_resolve_addr(id, addr, to, FRWR_CM_TIMEOUT_MS);
	if (!ret)
		ret = frwr_wait(frwr);
	if (ret)
		return ret;
	if (id->device != frwr->pz->obj.ia->dev)
		return -EADDRNOTAVAIL;
	ret = rdma_resolve_route(id, FRWR_CM_TIMEOUT_MS);
	return ret ?: frwr_wait(frwr);
}

static int frwr_connect(struct kdapl_frwr *frwr, struct sockaddr *addr)
{
	struct rdma_conn_param param = {
		.private_data = frwr->token,
		.private_data_len = sizeof(frwr->token),
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
	int ret;

	get_random_bytes(frwr->token, sizeof(frwr->token));
	ret = frwr_listen(frwr, addr);
	if (!ret)
		ret = frwr_resolve(frwr, addr);
	if (!ret)
		ret = frwr_create_qp(frwr, frwr->active);
	if (!ret)
		ret = rdma_connect(frwr->active, &param);
	if (!ret)
		ret = frwr_wait(frwr);
	if (ret)
		return ret;

	rdma_destroy_id(frwr->listen);
	frwr->listen = NULL;
	return 0;
}

static struct kdapl_frwr *frwr_create(struct kdapl_pz *pz,
				      const struct kdapl_addr *addr)
{
	struct sockaddr_storage sa;
	struct kdapl_frwr *frwr;
	int ret;

	ret = kdapl_addr_to_sockaddr(addr, &sa);
	if (ret)
		return ERR_PTR(ret);
	frwr = frwr_alloc(pz);
	if (IS_ERR(frwr))
		return frwr;
	ret = frwr_connect(frwr, (struct sockaddr *)&sa);
	if (ret) {
		frwr_free(frwr);
		return ERR_PTR(ret);
	}
	return frwr;
}

/* Over the first of the IA's addresses that lets us. Caller holds the lock. */
static int frwr_open(struct kdapl_pz *pz)
{
	struct kdapl_addr addrs[KDAPL_ADDRS_MAX];
	struct kdapl_frwr *frwr = ERR_PTR(-EADDRNOTAVAIL);
	int i, n;

	n = kdapl_ia_addrs(pz->obj.ia, NULL, addrs, ARRAY_SIZE(addrs));
	for (i = 0; i < n; i++) {
		frwr = frwr_create(pz, &addrs[i]);
		if (!IS_ERR(frwr)) {
			pz->frwr = frwr;
			return 0;
		}
		if (PTR_ERR(frwr) == -EINTR || PTR_ERR(frwr) == -ENOMEM ||
		    PTR_ERR(frwr) == -EDQUOT)
			break;
	}
	return PTR_ERR(frwr);
}

/* Caller holds the lock. */
static void frwr_close(struct kdapl_pz *pz)
{
	if (pz->frwr)
		frwr_free(pz->frwr);
	pz->frwr = NULL;
}

static void frwr_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct frwr_work *work =
		container_of(wc->wr_cqe, struct frwr_work, cqe);

	work->status = wc->status;
	complete(&work->done);
}

/*
 * Post @wr and wait. On failure the connection is closed, so that @wr is gone
 * from the device when this returns. Caller holds the lock.
 */
static int frwr_post(struct kdapl_pz *pz, struct ib_send_wr *wr)
{
	struct frwr_work work = { .cqe.done = frwr_done };
	int ret;

	init_completion(&work.done);
	wr->wr_cqe = &work.cqe;
	wr->send_flags = IB_SEND_SIGNALED;

	ret = ib_post_send(pz->frwr->active->qp, wr, NULL);
	if (!ret && wait_for_completion_killable(&work.done))
		ret = -EINTR;
	if (!ret && work.status != IB_WC_SUCCESS)
		ret = -EOPNOTSUPP;
	if (ret)
		frwr_close(pz);
	return ret;
}

/*
 * An idle connection may have gone down unnoticed. That the first request
 * finds out; a connection made just now has no such excuse.
 */
static int frwr_post_connected(struct kdapl_pz *pz, struct ib_send_wr *wr)
{
	bool idle = false;
	int ret;

	if (pz->frwr && READ_ONCE(pz->frwr->broken))
		frwr_close(pz);
	if (pz->frwr) {
		idle = true;
		ret = frwr_post(pz, wr);
		if (!ret || ret == -EINTR)
			return ret;
	}
	ret = frwr_open(pz);
	if (ret)
		return ret;
	if (idle)
		pr_debug("%s: the loopback connection was made anew\n",
			 pz->obj.ia->name);
	return frwr_post(pz, wr);
}

struct ib_mr *kdapl_frwr_register(struct kdapl_pz *pz, struct sg_table *sgt,
				  u64 iova, u64 length, int access)
{
	struct ib_reg_wr wr = { .wr.opcode = IB_WR_REG_MR, .access = access };
	struct ib_mr *mr;
	int ret;

	mr = ib_alloc_mr(pz->pd, IB_MR_TYPE_MEM_REG,
			 ((iova & ~PAGE_MASK) + length + PAGE_SIZE - 1) >>
				 PAGE_SHIFT);
	if (IS_ERR(mr))
		return mr;
	ret = kdapl_frwr_map(mr, sgt->sgl, sgt->nents, iova, length);
	if (ret)
		goto fail;

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	wr.mr = mr;
	wr.key = mr->rkey;
	ret = -EINTR;
	if (!mutex_lock_killable(&pz->frwr_lock)) {
		ret = frwr_post_connected(pz, &wr.wr);
		mutex_unlock(&pz->frwr_lock);
	}
	if (!ret)
		return mr;
fail:
	ib_dereg_mr(mr);
	return ERR_PTR(ret);
}

void kdapl_frwr_invalidate(struct kdapl_pz *pz, struct ib_mr *mr)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = mr->rkey,
	};

	/* Else it is over when the MR goes. */
	if (!kdapl_driver_invalidates(pz->obj.ia->dev))
		return;
	mutex_lock(&pz->frwr_lock);
	if (pz->frwr && !READ_ONCE(pz->frwr->broken))
		frwr_post(pz, &wr);
	mutex_unlock(&pz->frwr_lock);
}

void kdapl_frwr_destroy(struct kdapl_pz *pz)
{
	mutex_lock(&pz->frwr_lock);
	frwr_close(pz);
	mutex_unlock(&pz->frwr_lock);
}

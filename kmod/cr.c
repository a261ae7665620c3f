// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CR: a connection request that waits for accept or reject. */

#include <linux/slab.h>
#include <rdma/ib_cm.h>

#include "cm.h"
#include "cm_data.h"
#include "cr.h"
#include "ep.h"
#include "ia.h"
#include "sp.h"
#include "user_count.h"

DEFINE_XARRAY(kdapl_cr_users);

static struct kdapl_cr *to_cr(struct kdapl_obj *obj)
{
	return container_of(obj, struct kdapl_cr, obj);
}

/* ---- creation ---------------------------------------------------------- */

/* The request's id, until it is accepted: any event means that the peer left. */
static int cr_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct kdapl_cr *cr = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		cr->gone = true;
		break;
	default:
		break;
	}
	return 0;
}

static void cr_fill(struct kdapl_cr *cr, struct rdma_cm_id *id,
		    const struct rdma_conn_param *request)
{
	cr->request = *request;
	cr->request.private_data = NULL;
	kdapl_addr_from_sockaddr(&cr->local, &id->route.addr.src_addr);
	kdapl_addr_from_sockaddr(&cr->remote, &id->route.addr.dst_addr);

	/* From the wire: as many bytes as rdma_cm says are there. */
	BUILD_BUG_ON(sizeof(cr->private_data) <= U8_MAX);
	if (request->private_data)
		cr->private_data_size = request->private_data_len;
	memcpy(cr->private_data, request->private_data, cr->private_data_size);
}

void kdapl_cr_bring(struct kdapl_cr *cr, struct kdapl_ep *ep)
{
	refcount_inc(&ep->obj.ref);
	refcount_inc(&ep->obj.users);
	/* Nobody knows it yet. */
	ep->lent = true;
	cr->ep = ep;
}

/* The one that was made for it; or the RSP's, which has no more of it. */
static void cr_take_ep(struct kdapl_cr *cr, struct kdapl_sp *sp)
{
	enum kdapl_ep_trigger on = KDAPL_ON_OFFER;

	if (sp->ep) {
		on = KDAPL_ON_REQUEST;
		cr->ep = sp->ep;
		sp->ep = NULL;
	}
	if (!cr->ep)
		return;
	kdapl_cm_request(cr->ep, cr->id);
	kdapl_ep_move(cr->ep, on);
}

/* The request's events are the CR's from now on. */
static void cr_take_id(struct kdapl_cr *cr, struct rdma_cm_id *id)
{
	id->context = cr;
	id->event_handler = cr_handler;
	cr->id = id;
}

/*
 * Peers cause them. Where one is handed over its old one goes, perhaps of the same IA,
 * or the same user's.
 */
static bool cr_count(struct kdapl_ia *ia, bool handed_over)
{
	int n = atomic_read(&ia->crs);

	do {
		if (n >= KDAPL_CR_MAX + handed_over)
			return false;
	} while (!atomic_try_cmpxchg(&ia->crs, &n, n + 1));
	if (!kdapl_user_count(&kdapl_cr_users, ia,
			      KDAPL_CR_USER_MAX + handed_over))
		return true;
	atomic_dec(&ia->crs);
	return false;
}

static void cr_uncount(struct kdapl_ia *ia)
{
	kdapl_user_uncount(&kdapl_cr_users, ia);
	atomic_dec(&ia->crs);
}

int kdapl_cr_create(struct kdapl_sp *sp, struct rdma_cm_id *id,
		    const struct rdma_conn_param *request,
		    const struct kdapl_cr *from)
{
	struct kdapl_evrec *rec = kdapl_evrec_alloc(sp->obj.ia);
	struct kdapl_cr *cr = kzalloc(sizeof(*cr), GFP_KERNEL);
	struct kdapl_event event = {
		.user = sp->obj.user,
		.cookie = sp->conn_qual,
		.type = DAT_CONNECTION_REQUEST_EVENT,
		.status = sp->ep_source,
	};
	int ret = -ENOMEM;

	if (!rec || !cr)
		goto err;
	ret = -ENOSPC;
	if (!cr_count(sp->obj.ia, from))
		goto err;
	ret = kdapl_obj_init(&cr->obj, sp->obj.ia, &kdapl_cr_ops, 0);
	if (ret)
		goto err_count;

	mutex_init(&cr->mutex);
	cr_fill(cr, id, request);
	if (sp->obj.ia->cr_arrives) {
		cr->obj.user = sp->obj.ia->cr_arrives(sp, cr);
		if (!cr->obj.user)
			goto err_obj;
	}
	refcount_inc(&sp->obj.ref);
	atomic_inc(&sp->pending);
	cr->sp = sp;
	/* Unlocked before it is published: then the id may go at any time. */
	if (from) {
		rdma_lock_handler(id);
		cr->gone = from->gone;
	}
	cr_take_id(cr, id);
	if (from)
		rdma_unlock_handler(id);
	cr_take_ep(cr, sp);
	event.length = cr->obj.id;
	/* A program that guesses the id can free the CR before its event. */
	kdapl_obj_publish(&cr->obj);
	kdapl_evd_post(sp->evd, &event, rec);
	return 0;

err_obj:
	cr_uncount(sp->obj.ia);
	/* It frees the CR. */
	kdapl_obj_abort(&cr->obj);
	kfree(rec);
	return -ENOMEM;
err_count:
	cr_uncount(sp->obj.ia);
err:
	kfree(rec);
	kfree(cr);
	return ret;
}

/* Caller holds the mutexes of both. */
static int cr_offer(struct kdapl_cr *cr, struct kdapl_ep *ep)
{
	int ret;

	if (!cr->id)
		return -ENOENT;
	if (cr->ep)
		return -EBADFD;
	ret = kdapl_ep_here(ep) ?: kdapl_ep_move(ep, KDAPL_ON_OFFER);
	if (ret)
		return ret;
	kdapl_cm_request(ep, cr->id);
	cr->ep = ep;
	return 0;
}

int kdapl_cr_offer(struct kdapl_ia *ia, const struct kdapl_cr_offer *arg)
{
	struct kdapl_obj *cr_obj, *ep_obj;
	struct kdapl_cr *cr;
	struct kdapl_ep *ep;
	int ret;

	if (arg->pad)
		return -EINVAL;
	cr_obj = kdapl_obj_get(ia, arg->cr, KDAPL_OBJ_CR);
	if (!cr_obj)
		return -ENOENT;
	ep_obj = kdapl_obj_use(ia, arg->ep, KDAPL_OBJ_EP);
	if (!ep_obj) {
		kdapl_obj_put(cr_obj);
		return -ENOENT;
	}

	cr = to_cr(cr_obj);
	ep = to_ep(ep_obj);
	mutex_lock(&cr->mutex);
	mutex_lock(&ep->mutex);
	ret = cr_offer(cr, ep);
	mutex_unlock(&ep->mutex);
	mutex_unlock(&cr->mutex);
	/* Else it is in use for as long as the CR has it. */
	if (ret)
		kdapl_obj_unuse(ep_obj);
	kdapl_obj_put(cr_obj);
	return ret;
}

/* ---- the decision ------------------------------------------------------ */

/* No longer in its service point's backlog, and needs its EP no more. */
static void cr_decided(struct kdapl_cr *cr)
{
	lockdep_assert_held(&cr->mutex);
	if (cr->ep)
		kdapl_obj_unuse(&cr->ep->obj);
	cr->ep = NULL;
	atomic_dec(&cr->sp->pending);
	cr_uncount(cr->obj.ia);
	kdapl_obj_put(&cr->sp->obj);
	cr->sp = NULL;
}

/* Another has the id, or it is destroyed. */
static void cr_forget_id(struct kdapl_cr *cr)
{
	cr->id = NULL;
	/* Back to whom it was reserved for. */
	if (cr->ep)
		kdapl_ep_move(cr->ep, KDAPL_ON_RELEASE);
	cr_decided(cr);
}

static void cr_drop_id(struct kdapl_cr *cr)
{
	rdma_destroy_id(cr->id);
	cr_forget_id(cr);
}

/* A destroy call may come to the same point: once only. */
static void cr_finish(struct kdapl_cr *cr)
{
	if (!kdapl_obj_retire(&cr->obj))
		kdapl_obj_put(&cr->obj);
}

static int cr_accept_on(struct kdapl_cr *cr, struct kdapl_ep *ep,
			const struct kdapl_cr_accept *arg)
{
	int ret = kdapl_ep_here(ep);

	if (ret)
		return ret;
	if (!ep->connect_evd)
		return -EINVAL;
	if (!ep->qp)
		return -EBADFD;
	/* Another request's EP: UNCONNECTED is left under the mutex only. */
	if (ep != cr->ep && READ_ONCE(ep->state) != KDAPL_EP_UNCONNECTED)
		return -EBADFD;
	ret = kdapl_ep_begin(ep, KDAPL_EP_COMPLETION_PENDING);
	if (ret)
		return ret;
	ret = kdapl_cm_accept(ep, cr, arg->private_data,
			      arg->private_data_size);
	if (ret)
		kdapl_ep_cancel(ep);
	return ret;
}

/*
 * The EP with a reference: the one that the request brings, or else the one that
 * is named.
 */
static struct kdapl_ep *cr_accept_ep(struct kdapl_cr *cr, u32 id)
{
	struct kdapl_obj *obj;

	if (!cr->ep) {
		obj = kdapl_obj_get(cr->obj.ia, id, KDAPL_OBJ_EP);
		return obj ? to_ep(obj) : ERR_PTR(-ENOENT);
	}
	if (id)
		return ERR_PTR(-EINVAL);
	refcount_inc(&cr->ep->obj.ref);
	return cr->ep;
}

static int cr_accept(struct kdapl_cr *cr, const struct kdapl_cr_accept *arg)
{
	struct kdapl_ep *ep;
	int ret;

	lockdep_assert_held(&cr->mutex);
	if (!cr->id)
		return -ENOENT;
	ep = cr_accept_ep(cr, arg->ep);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	mutex_lock(&ep->mutex);
	ret = cr_accept_on(cr, ep, arg);
	if (!ret) {
		ep->lent = false;
		cr_decided(cr);
	}
	mutex_unlock(&ep->mutex);
	kdapl_obj_put(&ep->obj);
	return ret;
}

int kdapl_cr_accept(struct kdapl_ia *ia, const struct kdapl_cr_accept *arg)
{
	struct kdapl_obj *obj;
	struct kdapl_cr *cr;
	int ret;

	if (arg->private_data_size > kdapl_cm_max_private_data(ia, true))
		return -EMSGSIZE;
	obj = kdapl_obj_get(ia, arg->cr, KDAPL_OBJ_CR);
	if (!obj)
		return -ENOENT;

	cr = to_cr(obj);
	mutex_lock(&cr->mutex);
	ret = cr_accept(cr, arg);
	mutex_unlock(&cr->mutex);
	if (!ret)
		cr_finish(cr);
	kdapl_obj_put(obj);
	return ret;
}

int kdapl_cr_reject(struct kdapl_ia *ia, const struct kdapl_cr_reject *arg)
{
	struct kdapl_obj *obj;
	struct kdapl_cr *cr;
	int ret = 0;

	if (arg->pad)
		return -EINVAL;
	if (arg->private_data_size > kdapl_cm_max_reject_data(ia))
		return -EMSGSIZE;
	obj = kdapl_obj_get(ia, arg->cr, KDAPL_OBJ_CR);
	if (!obj)
		return -ENOENT;

	cr = to_cr(obj);
	mutex_lock(&cr->mutex);
	if (cr->id) {
		/* Where it does not get out the peer has left, or sees that. */
		rdma_lock_handler(cr->id);
		kdapl_cm_reject(cr->id, arg->private_data,
				arg->private_data_size);
		rdma_unlock_handler(cr->id);
		cr_drop_id(cr);
	} else {
		ret = -ENOENT;
	}
	mutex_unlock(&cr->mutex);
	if (!ret)
		cr_finish(cr);
	kdapl_obj_put(obj);
	return ret;
}

int kdapl_cr_handoff(struct kdapl_ia *ia, const struct kdapl_cr_handoff *arg)
{
	struct kdapl_obj *obj;
	struct kdapl_cr *cr;
	int ret;

	if (!kdapl_conn_qual_to_port(arg->conn_qual))
		return -EINVAL;
	obj = kdapl_obj_get(ia, arg->cr, KDAPL_OBJ_CR);
	if (!obj)
		return -ENOENT;

	cr = to_cr(obj);
	mutex_lock(&cr->mutex);
	ret = cr->id ? kdapl_sp_hand_over(cr, arg->conn_qual) : -ENOENT;
	if (!ret)
		cr_forget_id(cr);
	mutex_unlock(&cr->mutex);
	if (!ret)
		cr_finish(cr);
	kdapl_obj_put(obj);
	return ret;
}

int kdapl_cr_query(struct kdapl_ia *ia, struct kdapl_cr_query *arg)
{
	struct kdapl_obj *obj = kdapl_obj_get(ia, arg->cr, KDAPL_OBJ_CR);
	struct kdapl_cr *cr;

	if (!obj)
		return -ENOENT;
	BUILD_BUG_ON(sizeof(arg->private_data) != sizeof(cr->private_data));
	cr = to_cr(obj);
	arg->remote = cr->remote;
	arg->local = cr->local;
	arg->private_data_size = cr->private_data_size;
	arg->pad = 0;
	memcpy(arg->private_data, cr->private_data, sizeof(arg->private_data));
	mutex_lock(&cr->mutex);
	arg->ep_user = cr->ep ? cr->ep->obj.user : 0;
	mutex_unlock(&cr->mutex);
	kdapl_obj_put(obj);
	return 0;
}

/* ---- the end ----------------------------------------------------------- */

void kdapl_cr_kill(struct kdapl_obj *obj)
{
	struct kdapl_cr *cr = to_cr(obj);

	mutex_lock(&cr->mutex);
	if (cr->id) {
		/* Not in the consumer's name: as if nobody listened. */
		rdma_lock_handler(cr->id);
		rdma_reject(cr->id, NULL, 0, IB_CM_REJ_INVALID_SERVICE_ID);
		rdma_unlock_handler(cr->id);
		cr_drop_id(cr);
	}
	mutex_unlock(&cr->mutex);
}

static void cr_obj_destroy(struct kdapl_obj *obj)
{
	kdapl_cr_kill(obj);
}

static void cr_obj_release(struct kdapl_obj *obj)
{
	kfree(to_cr(obj));
}

const struct kdapl_obj_ops kdapl_cr_ops = {
	.type = KDAPL_OBJ_CR,
	.destroy = cr_obj_destroy,
	.release = cr_obj_release,
};

void kdapl_cr_exit(void)
{
	kdapl_table_end(&kdapl_cr_users);
}

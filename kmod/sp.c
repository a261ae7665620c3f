// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Service points: listen with one rdma_cm_id on each address of the IA. */

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/in.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <rdma/ib_cm.h>

#include "cm.h"
#include "cr.h"
#include "ep.h"
#include "ia.h"
#include "sp.h"

/* Ports that are tried until one is free on every address. */
#define SP_ANY_TRIES		32
/* What rdma_cm and TCP keep for us, beyond the EVD. */
#define SP_BACKLOG_MAX		1024

/*
 * All that have a conn_qual, of all IAs. One that is in the list can take a request while the
 * lock is held: its IA is not taken apart further than to its service points.
 * Outside the handler locks of requests.
 */
static DEFINE_MUTEX(sp_lock);
static LIST_HEAD(sp_list);

/* ---- requests ---------------------------------------------------------- */

static bool sp_is_full(struct kdapl_sp *sp)
{
	u32 limit = max_t(u32, sp->evd->qlen, KDAPL_SP_PENDING_MIN);

	return kdapl_evd_count(sp->evd) >= sp->evd->qlen ||
	       atomic_read(&sp->pending) >= limit;
}

/* Of the requests that come to an RSP at a time, one is the first. */
static bool sp_claim(struct kdapl_sp *sp)
{
	return !sp->reserved || !atomic_xchg(&sp->taken, 1);
}

static int sp_take(struct kdapl_sp *sp, struct rdma_cm_id *id,
		   const struct rdma_conn_param *request,
		   const struct kdapl_cr *from)
{
	int ret;

	/* (K) pairs with (L): what a CR takes from the SP is complete. */
	if (!smp_load_acquire(&sp->listening) || sp_is_full(sp) ||
	    !sp_claim(sp))
		return -ENOSPC;
	ret = kdapl_cr_create(sp, id, request, from);
	if (ret)
		atomic_set(&sp->taken, 0);
	return ret;
}

/* The handler lock of the listening id and of the request's are held. */
static int sp_request(struct kdapl_sp *sp, struct rdma_cm_id *id,
		      const struct rdma_conn_param *request)
{
	if (!sp_take(sp, id, request, NULL))
		return 0;

	/* The peer must not take it for the consumer's answer. */
	rdma_reject(id, NULL, 0, IB_CM_REJ_NO_RESOURCES);
	/* An error has rdma_cm destroy the request's id. */
	return -ECONNREFUSED;
}

static int sp_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	/* All else concerns the listening id, which is destroyed elsewhere. */
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	return sp_request(id->context, id, &event->param.conn);
}

/* ---- handing over ------------------------------------------------------ */

/* Caller holds sp_lock. */
static struct kdapl_sp *sp_find(const struct kdapl_ia *ia, u64 conn_qual)
{
	u16 port = kdapl_conn_qual_to_port(conn_qual);
	struct kdapl_sp *sp;

	list_for_each_entry(sp, &sp_list, list) {
		if (sp->obj.ia->adapter == ia->adapter &&
		    net_eq(sp->obj.ia->net, ia->net) &&
		    kdapl_conn_qual_to_port(sp->conn_qual) == port)
			return sp;
	}
	return NULL;
}

static bool sp_trusts(const struct kdapl_sp *sp, const struct kdapl_ia *ia)
{
	return ia->kernel || uid_eq(sp->obj.ia->uid, ia->uid) ||
	       ns_capable(ia->net->user_ns, CAP_NET_ADMIN);
}

int kdapl_sp_hand_over(struct kdapl_cr *cr, u64 conn_qual)
{
	struct rdma_conn_param request = cr->request;
	struct kdapl_ia *ia = cr->obj.ia;
	struct kdapl_sp *sp;
	int ret;

	lockdep_assert_held(&cr->mutex);
	request.private_data = cr->private_data;
	request.private_data_len = cr->private_data_size;
	mutex_lock(&sp_lock);
	sp = sp_find(ia, conn_qual);
	if (!sp || sp == cr->sp)
		ret = -EADDRNOTAVAIL;
	else if (!sp_trusts(sp, ia))
		ret = -EACCES;
	else
		ret = sp_take(sp, cr->id, &request, cr);
	mutex_unlock(&sp_lock);
	return ret;
}

/* ---- listening --------------------------------------------------------- */

static u16 sp_port(const struct kdapl_sp *sp, unsigned int i)
{
	return kdapl_sockaddr_port(&sp->ids[i]->route.addr.src_addr);
}

static void sp_stop(struct kdapl_sp *sp)
{
	mutex_lock(&sp_lock);
	list_del_init(&sp->list);
	mutex_unlock(&sp_lock);
	/* No new requests; destroying an id waits for its handler. */
	WRITE_ONCE(sp->listening, false);
	while (sp->num_ids)
		rdma_destroy_id(sp->ids[--sp->num_ids]);
}

/* One more id, bound to @addr and @port; 0 has rdma_cm choose one. */
static int sp_bind_one(struct kdapl_sp *sp, const struct kdapl_addr *addr,
		       u16 port)
{
	struct kdapl_ia *ia = sp->obj.ia;
	struct sockaddr_storage ss;
	struct rdma_cm_id *id;
	int ret;

	ret = kdapl_addr_to_sockaddr(addr, &ss);
	if (ret)
		return ret;
	kdapl_sockaddr_set_port(&ss, port);
	id = kdapl_cm_create_id(ia, sp_handler, sp);
	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_bind_addr(id, (struct sockaddr *)&ss);
	/* Another adapter can have the same address. */
	if (!ret && (id->device != ia->dev || id->port_num != ia->port))
		ret = -ENODEV;
	if (ret) {
		rdma_destroy_id(id);
		return ret;
	}
	sp->ids[sp->num_ids++] = id;
	return 0;
}

/*
 * Bind to each of the IA's addresses. One that this adapter cannot use now (an
 * address that is just being set up or taken away) is left out, a port that is
 * taken on any is an error.
 */
static int sp_bind(struct kdapl_sp *sp, const struct kdapl_addr *addrs,
		   int num_addrs, u16 port)
{
	int i, ret, last = -EADDRNOTAVAIL;

	for (i = 0; i < num_addrs; i++) {
		ret = sp_bind_one(sp, &addrs[i], port);
		switch (ret) {
		case 0:
			port = sp_port(sp, 0);
			break;
		case -ENODEV:
			break;
		case -EADDRNOTAVAIL:
			/* Also a listener on the port for all addresses. */
			last = -EADDRINUSE;
			break;
		default:
			return ret;
		}
	}
	return sp->num_ids ? 0 : last;
}

static int sp_listen(struct kdapl_sp *sp)
{
	int backlog = clamp_t(u32, sp->evd->qlen, 16, SP_BACKLOG_MAX);
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < sp->num_ids; i++)
		ret = rdma_listen(sp->ids[i], backlog);
	return ret;
}

static int sp_start(struct kdapl_sp *sp, const struct kdapl_addr *addrs,
		    int num_addrs, u16 port)
{
	int ret = sp_bind(sp, addrs, num_addrs, port);

	if (!ret)
		ret = sp_listen(sp);
	if (ret)
		sp_stop(sp);
	return ret;
}

/* A port that is free on all addresses: rdma_cm chooses for the first one. */
static int sp_start_any(struct kdapl_sp *sp, const struct kdapl_addr *addrs,
			int num_addrs)
{
	int i, ret = -EADDRNOTAVAIL;

	for (i = 0; i < SP_ANY_TRIES; i++) {
		ret = sp_start(sp, addrs, num_addrs, 0);
		if (ret != -EADDRINUSE)
			break;
	}
	if (!ret)
		sp->conn_qual = sp_port(sp, 0);
	return ret;
}

/*
 * On all addresses of the IA, or on those that @only stands for. @any: any port will do,
 * and the conn_qual is that.
 */
static int sp_open(struct kdapl_sp *sp, const struct kdapl_addr *only, bool any)
{
	struct kdapl_addr addrs[KDAPL_SP_ADDRS];
	int num_addrs;

	num_addrs = kdapl_ia_addrs(sp->obj.ia, only, addrs, ARRAY_SIZE(addrs));
	if (any)
		return sp_start_any(sp, addrs, num_addrs);
	return sp_start(sp, addrs, num_addrs,
			kdapl_conn_qual_to_port(sp->conn_qual));
}

/* ---- creation and freeing ---------------------------------------------- */

static int sp_use_evd(struct kdapl_sp *sp, u32 id)
{
	struct kdapl_obj *obj = kdapl_obj_use(sp->obj.ia, id, KDAPL_OBJ_EVD);

	if (!obj)
		return -ENOENT;
	sp->evd = to_evd(obj);
	return sp->evd->flags & DAT_EVD_CR_FLAG ? 0 : -EINVAL;
}

/* From now on the EP is RESERVED, and cannot be freed. */
static int sp_use_ep(struct kdapl_sp *sp, u32 id)
{
	struct kdapl_obj *obj = kdapl_obj_use(sp->obj.ia, id, KDAPL_OBJ_EP);
	struct kdapl_ep *ep;
	int ret;

	if (!obj)
		return -ENOENT;
	ep = to_ep(obj);
	mutex_lock(&ep->mutex);
	ret = kdapl_ep_here(ep) ?: kdapl_ep_move(ep, KDAPL_ON_RESERVE);
	mutex_unlock(&ep->mutex);
	if (ret) {
		kdapl_obj_unuse(obj);
		return ret;
	}
	sp->ep = ep;
	return 0;
}

static void sp_unuse(struct kdapl_sp *sp)
{
	if (sp->ep) {
		kdapl_ep_move(sp->ep, KDAPL_ON_RELEASE);
		kdapl_obj_unuse(&sp->ep->obj);
	}
	if (sp->evd)
		kdapl_obj_unuse(&sp->evd->obj);
}

void kdapl_sp_kill(struct kdapl_obj *obj)
{
	sp_stop(to_sp(obj));
}

static void sp_obj_destroy(struct kdapl_obj *obj)
{
	struct kdapl_sp *sp = to_sp(obj);

	sp_stop(sp);
	sp_unuse(sp);
}

static void sp_obj_release(struct kdapl_obj *obj)
{
	kfree(to_sp(obj));
}

static const struct kdapl_obj_ops kdapl_psp_ops = {
	.type = KDAPL_OBJ_PSP,
	.destroy = sp_obj_destroy,
	.release = sp_obj_release,
};

static const struct kdapl_obj_ops kdapl_rsp_ops = {
	.type = KDAPL_OBJ_RSP,
	.destroy = sp_obj_destroy,
	.release = sp_obj_release,
};

static struct kdapl_sp *sp_alloc(struct kdapl_ia *ia,
				 const struct kdapl_obj_ops *ops, u64 user)
{
	struct kdapl_sp *sp;
	int ret;

	if (!kdapl_ia_may_bind(ia))
		return ERR_PTR(-EACCES);
	if (!kdapl_ia_may_listen(ia))
		return ERR_PTR(-EADDRNOTAVAIL);
	sp = kzalloc(sizeof(*sp), kdapl_ia_gfp(ia));
	if (!sp)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&sp->list);
	ret = kdapl_obj_init(&sp->obj, ia, ops, user);
	if (ret) {
		kfree(sp);
		return ERR_PTR(ret);
	}
	return sp;
}

static void sp_abort(struct kdapl_sp *sp)
{
	sp_unuse(sp);
	kdapl_obj_abort(&sp->obj);
}

/* @named: requests can be handed over to its conn_qual. */
static void sp_publish(struct kdapl_sp *sp, bool named)
{
	/*
	 * (L) pairs with (K). Before it is published: a program that guesses the
	 * id can free it at once.
	 */
	smp_store_release(&sp->listening, true);
	mutex_lock(&sp_lock);
	if (named)
		list_add_tail(&sp->list, &sp_list);
	mutex_unlock(&sp_lock);
	kdapl_obj_publish(&sp->obj);
}

int kdapl_psp_create(struct kdapl_ia *ia, struct kdapl_psp_create *arg)
{
	bool any = arg->flags & KDAPL_PSP_ANY;
	struct kdapl_sp *sp;
	int ret;

	if (arg->flags & ~(KDAPL_PSP_ANY | KDAPL_PSP_PROVIDER))
		return -EINVAL;
	if (!any && !kdapl_conn_qual_to_port(arg->conn_qual))
		return -EINVAL;
	sp = sp_alloc(ia, &kdapl_psp_ops, arg->user);
	if (IS_ERR(sp))
		return PTR_ERR(sp);
	sp->conn_qual = arg->conn_qual;
	sp->ep_source = arg->flags & KDAPL_PSP_PROVIDER ? KDAPL_CR_EP_OFFER :
							  KDAPL_CR_EP_ACCEPT;
	ret = sp_use_evd(sp, arg->evd);
	if (!ret)
		ret = sp_open(sp, NULL, any);
	if (ret) {
		sp_abort(sp);
		return any && ret == -EADDRINUSE ? -EADDRNOTAVAIL : ret;
	}
	arg->id = sp->obj.id;
	arg->conn_qual = sp->conn_qual;
	sp_publish(sp, true);
	return 0;
}

int kdapl_rsp_create(struct kdapl_ia *ia, struct kdapl_rsp_create *arg)
{
	struct kdapl_sp *sp;
	int ret;

	if (arg->flags || arg->pad || !kdapl_conn_qual_to_port(arg->conn_qual))
		return -EINVAL;
	sp = sp_alloc(ia, &kdapl_rsp_ops, arg->user);
	if (IS_ERR(sp))
		return PTR_ERR(sp);
	sp->conn_qual = arg->conn_qual;
	sp->reserved = true;
	sp->ep_source = arg->ep ? KDAPL_CR_EP_RESERVED : KDAPL_CR_EP_OFFER;
	ret = sp_use_evd(sp, arg->evd);
	if (!ret && arg->ep)
		ret = sp_use_ep(sp, arg->ep);
	if (!ret)
		ret = sp_open(sp, NULL, false);
	if (ret) {
		sp_abort(sp);
		return ret;
	}
	arg->id = sp->obj.id;
	sp_publish(sp, true);
	return 0;
}

static int csp_check(const struct kdapl_csp_create *arg)
{
	if ((arg->domain != AF_INET && arg->domain != AF_INET6) ||
	    arg->type != SOCK_STREAM ||
	    (arg->protocol && arg->protocol != IPPROTO_TCP))
		return -EPROTONOSUPPORT;
	return arg->addr.family == arg->domain ? 0 : -EINVAL;
}

int kdapl_csp_create(struct kdapl_ia *ia, struct kdapl_csp_create *arg,
		     struct sockaddr_storage *shown)
{
	struct kdapl_sp *sp;
	int ret;

	ret = csp_check(arg);
	if (ret)
		return ret;
	sp = sp_alloc(ia, &kdapl_psp_ops, arg->user);
	if (IS_ERR(sp))
		return PTR_ERR(sp);
	/* Its port is a conn_qual to who connects to it that way. */
	sp->conn_qual = arg->addr.port;
	sp->ep_source = KDAPL_CR_EP_ACCEPT;
	ret = sp_use_evd(sp, arg->evd);
	if (!ret)
		ret = sp_open(sp, &arg->addr, !arg->addr.port);
	if (ret) {
		sp_abort(sp);
		return ret;
	}
	arg->id = sp->obj.id;
	arg->addr.port = sp->conn_qual;
	if (shown)
		kdapl_sockaddr_set_port(shown, sp->conn_qual);
	sp_publish(sp, false);
	return 0;
}

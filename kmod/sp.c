// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* PSP: listens with one rdma_cm_id on every address of the IA. */

#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <rdma/ib_cm.h>

#include "cm.h"
#include "cr.h"
#include "ia.h"
#include "sp.h"

/* Ports that are tried until one is free on every address. */
#define PSP_ANY_TRIES		32
/* What rdma_cm and TCP keep for us, beyond the EVD. */
#define PSP_BACKLOG_MAX		1024

/* ---- requests ---------------------------------------------------------- */

static bool psp_is_full(struct kdapl_psp *psp)
{
	u32 limit = max_t(u32, psp->evd->qlen, KDAPL_PSP_PENDING_MIN);

	return kdapl_evd_count(psp->evd) >= psp->evd->qlen ||
	       atomic_read(&psp->pending) >= limit;
}

/* The handler lock of the listening id and of the request's are held. */
static int psp_request(struct kdapl_psp *psp, struct rdma_cm_id *id,
		       const struct rdma_conn_param *request)
{
	/* (K) pairs with (L): what a CR takes from the PSP is complete. */
	if (smp_load_acquire(&psp->listening) && !psp_is_full(psp) &&
	    !kdapl_cr_create(psp, id, request))
		return 0;

	/* The peer must not take it for the consumer's answer. */
	rdma_reject(id, NULL, 0, IB_CM_REJ_NO_RESOURCES);
	/* An error has rdma_cm destroy the request's id. */
	return -ECONNREFUSED;
}

static int psp_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	/* All else concerns the listening id, which is destroyed elsewhere. */
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	return psp_request(id->context, id, &event->param.conn);
}

/* ---- listening --------------------------------------------------------- */

static u16 psp_port(const struct kdapl_psp *psp, unsigned int i)
{
	return kdapl_sockaddr_port(&psp->ids[i]->route.addr.src_addr);
}

static void psp_stop(struct kdapl_psp *psp)
{
	/* No new requests; destroying an id waits for its handler. */
	WRITE_ONCE(psp->listening, false);
	while (psp->num_ids)
		rdma_destroy_id(psp->ids[--psp->num_ids]);
}

/* One more id, bound to @addr and @port; 0 has rdma_cm choose one. */
static int psp_bind_one(struct kdapl_psp *psp, const struct kdapl_addr *addr,
			u16 port)
{
	struct kdapl_ia *ia = psp->obj.ia;
	struct sockaddr_storage ss;
	struct rdma_cm_id *id;
	int ret;

	ret = kdapl_addr_to_sockaddr(addr, &ss);
	if (ret)
		return ret;
	kdapl_sockaddr_set_port(&ss, port);
	id = rdma_create_user_id(psp_handler, psp, RDMA_PS_TCP, IB_QPT_RC);
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
	psp->ids[psp->num_ids++] = id;
	return 0;
}

/*
 * Bind to each of the IA's addresses. One that this adapter cannot use now (an
 * address that is just being set up or taken away) is left out, a port that is
 * taken on any is an error.
 */
static int psp_bind(struct kdapl_psp *psp, const struct kdapl_addr *addrs,
		    int num_addrs, u16 port)
{
	int i, ret, last = -EADDRNOTAVAIL;

	for (i = 0; i < num_addrs; i++) {
		ret = psp_bind_one(psp, &addrs[i], port);
		switch (ret) {
		case 0:
			port = psp_port(psp, 0);
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
	return psp->num_ids ? 0 : last;
}

static int psp_listen(struct kdapl_psp *psp)
{
	int backlog = clamp_t(u32, psp->evd->qlen, 16, PSP_BACKLOG_MAX);
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < psp->num_ids; i++)
		ret = rdma_listen(psp->ids[i], backlog);
	return ret;
}

static int psp_start(struct kdapl_psp *psp, const struct kdapl_addr *addrs,
		     int num_addrs, u16 port)
{
	int ret = psp_bind(psp, addrs, num_addrs, port);

	if (!ret)
		ret = psp_listen(psp);
	if (ret)
		psp_stop(psp);
	return ret;
}

/* A port that is free on all addresses: rdma_cm chooses for the first one. */
static int psp_start_any(struct kdapl_psp *psp, const struct kdapl_addr *addrs,
			 int num_addrs)
{
	int i, ret = -EADDRNOTAVAIL;

	for (i = 0; i < PSP_ANY_TRIES; i++) {
		ret = psp_start(psp, addrs, num_addrs, 0);
		if (ret != -EADDRINUSE)
			break;
	}
	if (!ret)
		psp->conn_qual = psp_port(psp, 0);
	return ret == -EADDRINUSE ? -EADDRNOTAVAIL : ret;
}

static int psp_open(struct kdapl_psp *psp, const struct kdapl_psp_create *arg)
{
	struct kdapl_addr addrs[KDAPL_PSP_ADDRS];
	int num_addrs;

	num_addrs = kdapl_ia_addrs(psp->obj.ia, addrs, ARRAY_SIZE(addrs));
	if (arg->flags & KDAPL_PSP_ANY)
		return psp_start_any(psp, addrs, num_addrs);
	psp->conn_qual = arg->conn_qual;
	return psp_start(psp, addrs, num_addrs,
			 kdapl_conn_qual_to_port(arg->conn_qual));
}

/* ---- creation and freeing ---------------------------------------------- */

static int psp_use_evd(struct kdapl_psp *psp, u32 id)
{
	struct kdapl_obj *obj = kdapl_obj_use(psp->obj.ia, id, KDAPL_OBJ_EVD);

	if (!obj)
		return -ENOENT;
	psp->evd = to_evd(obj);
	return psp->evd->flags & DAT_EVD_CR_FLAG ? 0 : -EINVAL;
}

static int psp_check(struct kdapl_ia *ia, const struct kdapl_psp_create *arg)
{
	if (arg->flags & ~KDAPL_PSP_ANY)
		return -EINVAL;
	if (!(arg->flags & KDAPL_PSP_ANY) &&
	    !kdapl_conn_qual_to_port(arg->conn_qual))
		return -EINVAL;
	return current->nsproxy->net_ns == ia->net ? 0 : -EACCES;
}

int kdapl_psp_create(struct kdapl_ia *ia, struct kdapl_psp_create *arg)
{
	struct kdapl_psp *psp;
	int ret;

	ret = psp_check(ia, arg);
	if (ret)
		return ret;
	psp = kzalloc(sizeof(*psp), GFP_KERNEL_ACCOUNT);
	if (!psp)
		return -ENOMEM;
	ret = kdapl_obj_init(&psp->obj, ia, &kdapl_psp_ops, arg->user);
	if (ret) {
		kfree(psp);
		return ret;
	}
	ret = psp_use_evd(psp, arg->evd);
	if (!ret)
		ret = psp_open(psp, arg);
	if (ret) {
		if (psp->evd)
			kdapl_obj_unuse(&psp->evd->obj);
		kdapl_obj_abort(&psp->obj);
		return ret;
	}

	arg->id = psp->obj.id;
	arg->conn_qual = psp->conn_qual;
	/*
	 * (L) pairs with (K). Before it is published: a program that guesses the
	 * id can free it at once.
	 */
	smp_store_release(&psp->listening, true);
	kdapl_obj_publish(&psp->obj);
	return 0;
}

void kdapl_psp_kill(struct kdapl_obj *obj)
{
	psp_stop(to_psp(obj));
}

static void psp_obj_destroy(struct kdapl_obj *obj)
{
	struct kdapl_psp *psp = to_psp(obj);

	psp_stop(psp);
	kdapl_obj_unuse(&psp->evd->obj);
}

static void psp_obj_release(struct kdapl_obj *obj)
{
	kfree(to_psp(obj));
}

const struct kdapl_obj_ops kdapl_psp_ops = {
	.type = KDAPL_OBJ_PSP,
	.destroy = psp_obj_destroy,
	.release = psp_obj_release,
};

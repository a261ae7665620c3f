// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What an EP uses while it lives: its zone, its EVDs, its SRQ.
 *
 * Each is kept from being freed. The EVDs besides count the EP among the streams of
 * completions that go to them, since not every stream can go along with every other:
 * see kdapl_evd_join().
 */

#include "ep.h"
#include "ia.h"
#include "srq.h"

int kdapl_ep_use_evd(struct kdapl_ia *ia, u32 id, u32 stream,
		     struct kdapl_evd **evd)
{
	struct kdapl_obj *obj;

	if (!id)
		return 0;
	obj = kdapl_obj_use(ia, id, KDAPL_OBJ_EVD);
	if (!obj)
		return -ENOENT;
	*evd = to_evd(obj);
	return (*evd)->flags & stream ? 0 : -EINVAL;
}

/* Where it is of another PZ some devices look for the memory in the EP's. */
static int ep_use_srq(struct kdapl_ep *ep, u32 id)
{
	struct kdapl_obj *obj;

	if (!id)
		return 0;
	obj = kdapl_obj_use(ep->obj.ia, id, KDAPL_OBJ_SRQ);
	if (!obj)
		return -ENOENT;
	ep->srq = to_srq(obj);
	return ep->srq->pz == ep->pz ? 0 : -EPERM;
}

static int ep_use(struct kdapl_ep *ep, const struct kdapl_ep_create *arg)
{
	struct kdapl_ia *ia = ep->obj.ia;
	struct kdapl_obj *pz;
	int ret;

	if (arg->pz) {
		pz = kdapl_obj_use(ia, arg->pz, KDAPL_OBJ_PZ);
		if (!pz)
			return -ENOENT;
		ep->pz = to_pz(pz);
	}
	ret = kdapl_ep_use_evd(ia, arg->recv_evd, DAT_EVD_DTO_FLAG,
			       &ep->recv_evd);
	if (!ret)
		ret = kdapl_ep_use_evd(ia, arg->request_evd, DAT_EVD_DTO_FLAG,
				       &ep->request_evd);
	if (!ret)
		ret = kdapl_ep_use_evd(ia, arg->connect_evd,
				       DAT_EVD_CONNECTION_FLAG,
				       &ep->connect_evd);
	if (!ret)
		ret = ep_use_srq(ep, arg->srq);
	return ret;
}

/* Both or none. Caller holds the join_lock. */
static int evds_join(struct kdapl_evd *recv, u32 recv_notify,
		     struct kdapl_evd *request, u32 request_notify)
{
	int ret = kdapl_evd_join(recv, recv_notify);

	if (ret)
		return ret;
	ret = kdapl_evd_join(request, request_notify);
	if (ret)
		kdapl_evd_leave(recv);
	return ret;
}

static int ep_join(struct kdapl_ep *ep, u16 recv_notify, u16 request_notify)
{
	struct kdapl_ia *ia = ep->obj.ia;
	int ret;

	mutex_lock(&ia->join_lock);
	ret = evds_join(ep->recv_evd, recv_notify, ep->request_evd,
			request_notify);
	mutex_unlock(&ia->join_lock);
	if (ret)
		return ret;
	ep->recv_notify = recv_notify;
	ep->request_notify = request_notify;
	ep->joined = true;
	return 0;
}

int kdapl_ep_use(struct kdapl_ep *ep, const struct kdapl_ep_create *arg)
{
	int ret = ep_use(ep, arg);

	return ret ?: ep_join(ep, arg->recv_notify, arg->request_notify);
}

static void ep_leave(struct kdapl_ep *ep)
{
	struct kdapl_ia *ia = ep->obj.ia;

	if (!ep->joined)
		return;
	mutex_lock(&ia->join_lock);
	kdapl_evd_leave(ep->recv_evd);
	kdapl_evd_leave(ep->request_evd);
	mutex_unlock(&ia->join_lock);
	ep->joined = false;
}

/* The EP itself must not stand in the way, and nobody else may come between. */
int kdapl_ep_rejoin(struct kdapl_ep *ep, struct kdapl_evd *recv,
		    u32 recv_notify, struct kdapl_evd *request,
		    u32 request_notify)
{
	struct kdapl_ia *ia = ep->obj.ia;
	int ret;

	mutex_lock(&ia->join_lock);
	kdapl_evd_leave(ep->recv_evd);
	kdapl_evd_leave(ep->request_evd);
	ret = evds_join(recv, recv_notify, request, request_notify);
	if (ret)
		WARN_ON(evds_join(ep->recv_evd, ep->recv_notify,
				  ep->request_evd, ep->request_notify));
	mutex_unlock(&ia->join_lock);
	return ret;
}

void kdapl_ep_unuse(struct kdapl_ep *ep)
{
	ep_leave(ep);
	if (ep->recv_evd)
		kdapl_obj_unuse(&ep->recv_evd->obj);
	if (ep->request_evd)
		kdapl_obj_unuse(&ep->request_evd->obj);
	if (ep->connect_evd)
		kdapl_obj_unuse(&ep->connect_evd->obj);
	kdapl_evd_unuse_async(ep->obj.ia, ep->async_evd);
	if (ep->srq)
		kdapl_obj_unuse(&ep->srq->obj);
	if (ep->pz)
		kdapl_obj_unuse(&ep->pz->obj);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Endpoints: their life and state. */

#include <linux/export.h>

#include <dat2/kdat_ext.h>

#include "kapi.h"

/* What an EP is for that its consumer leaves to us. */
#define DTOS_DEFAULT	64
#define IOV_DEFAULT	4
#define READS_DEFAULT	4

static const DAT_EP_ATTR no_attr;

static u32 or_default(DAT_COUNT wanted, u32 value, u32 most)
{
	return wanted > 0 ? wanted : min(value, most);
}

/* -EOPNOTSUPP for what nobody offers here. */
static int attr_check(const DAT_EP_ATTR *attr)
{
	const DAT_COUNT counts[] = {
		attr->max_recv_dtos, attr->max_request_dtos,
		attr->max_recv_iov, attr->max_request_iov,
		attr->max_rdma_read_in, attr->max_rdma_read_out,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++)
		if (counts[i] < 0)
			return -EINVAL;
	if (attr->service_type != DAT_SERVICE_TYPE_RC ||
	    attr->qos != DAT_QOS_BEST_EFFORT ||
	    attr->recv_completion_flags == DAT_COMPLETION_SOLICITED_WAIT_FLAG)
		return -EOPNOTSUPP;
	return 0;
}

static u16 notify_of(DAT_COMPLETION_FLAGS flags)
{
	return flags == DAT_COMPLETION_UNSIGNALLED_FLAG ?
	       KDAPL_NOTIFY_QUIET : KDAPL_NOTIFY_THRESHOLD;
}

static void ep_arg(const struct kdapl_ia *ia, const DAT_EP_ATTR *attr,
		   struct kdapl_ep_create *arg)
{
	if (arg->recv_evd)
		arg->max_recvs = or_default(attr->max_recv_dtos, DTOS_DEFAULT,
					    ia->max_recvs);
	if (arg->request_evd)
		arg->max_requests = or_default(attr->max_request_dtos,
					       DTOS_DEFAULT, ia->max_requests);
	arg->max_recv_iov = or_default(attr->max_recv_iov, IOV_DEFAULT,
				       ia->max_iov);
	arg->max_request_iov = or_default(attr->max_request_iov, IOV_DEFAULT,
					  ia->max_iov);
	arg->max_rdma_read_in = or_default(attr->max_rdma_read_in,
					   READS_DEFAULT, ia->max_read_in);
	arg->max_rdma_read_out = or_default(attr->max_rdma_read_out,
					    READS_DEFAULT, ia->max_read_out);
	arg->recv_notify = notify_of(attr->recv_completion_flags);
	arg->request_notify = notify_of(attr->request_completion_flags);
}

/* What it has, for queries. */
static void ep_keep(struct kapi_ep *kep, const DAT_EP_ATTR *attr,
		    const struct kdapl_ep_create *arg)
{
	const struct kdapl_ia *ia = kep->obj.ia->core;

	kep->attr = *attr;
	kep->attr.max_message_size = min_t(u64, ia->max_message, U32_MAX);
	kep->attr.max_rdma_size = kep->attr.max_message_size;
	kep->attr.max_recv_dtos = arg->max_recvs;
	kep->attr.max_request_dtos = arg->max_requests;
	kep->attr.max_recv_iov = arg->max_recv_iov;
	kep->attr.max_request_iov = arg->max_request_iov;
	kep->attr.max_rdma_read_in = arg->max_rdma_read_in;
	kep->attr.max_rdma_read_out = arg->max_rdma_read_out;
	kep->attr.max_rdma_read_iov = ia->max_iov_read;
	kep->attr.max_rdma_write_iov = arg->max_request_iov;
	kep->attr.srq_soft_hw = DAT_HW_DEFAULT;
}

static int ep_make(struct kapi_ep *kep, const DAT_EP_ATTR *attr,
		   struct kdapl_ep_create *arg)
{
	struct kapi_ia *kia = kep->obj.ia;
	int ret;

	ret = attr_check(attr);
	if (ret)
		return ret;
	ep_arg(kia->core, attr, arg);
	arg->size = sizeof(*arg);
	arg->user = kep->obj.word;
	ret = kapi_enter(kia);
	if (ret)
		return ret;
	ret = kdapl_ep_create(kia->core, arg);
	kapi_leave(kia);
	if (ret)
		return ret;
	ep_keep(kep, attr, arg);
	return kapi_tie(&kep->obj, arg->id, KDAPL_OBJ_EP);
}

DAT_RETURN dat_ep_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz,
			 DAT_EVD_HANDLE recv_evd, DAT_EVD_HANDLE request_evd,
			 DAT_EVD_HANDLE connect_evd, const DAT_EP_ATTR *attr,
			 DAT_EP_HANDLE *ep)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);
	struct kdapl_ep_create arg = {};
	struct kapi_ep *kep;
	int ret;

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (!kapi_id(pz, DAT_HANDLE_TYPE_PZ, &arg.pz))
		return KAPI_BAD_HANDLE(PZ);
	if (!kapi_id(recv_evd, DAT_HANDLE_TYPE_EVD, &arg.recv_evd))
		return KAPI_BAD_HANDLE(EVD_RECV);
	if (!kapi_id(request_evd, DAT_HANDLE_TYPE_EVD, &arg.request_evd))
		return KAPI_BAD_HANDLE(EVD_REQUEST);
	if (!kapi_id(connect_evd, DAT_HANDLE_TYPE_EVD, &arg.connect_evd))
		return KAPI_BAD_HANDLE(EVD_CONN);
	if (!ep)
		return KAPI_BAD_ARG(7);

	kep = kapi_new(kia, DAT_HANDLE_TYPE_EP, sizeof(*kep));
	if (!kep)
		return kapi_error(-ENOMEM);
	kep->pz = pz;
	kep->recv_evd = recv_evd;
	kep->request_evd = request_evd;
	kep->connect_evd = connect_evd;
	ret = ep_make(kep, attr ?: &no_attr, &arg);
	if (ret) {
		kapi_forget(&kep->obj);
		return kapi_error(ret);
	}
	*ep = kep;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ep_create);

DAT_RETURN dat_ep_query(DAT_EP_HANDLE ep, DAT_EP_PARAM_MASK mask,
			DAT_EP_PARAM *param)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	struct kdapl_ep_query q = { .size = sizeof(q) };

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (mask & ~DAT_EP_FIELD_ALL)
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	kdapl_ep_query(to_ep(kep->obj.core), &q);
	kapi_sockaddr(&kep->local, &q.local);
	kapi_sockaddr(&kep->remote, &q.remote);
	*param = (DAT_EP_PARAM){
		.ia_handle = kep->obj.ia,
		.ep_state = q.state,
		.local_ia_address_ptr = (void *)&kep->local,
		.local_port_qual = q.local.port,
		.remote_ia_address_ptr = (void *)&kep->remote,
		.remote_port_qual = q.remote.port,
		.pz_handle = kep->pz,
		.recv_evd_handle = kep->recv_evd,
		.request_evd_handle = kep->request_evd,
		.connect_evd_handle = kep->connect_evd,
		.ep_attr = kep->attr,
	};
	param->ep_attr.max_rdma_read_in = q.max_rdma_read_in;
	param->ep_attr.max_rdma_read_out = q.max_rdma_read_out;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ep_query);

DAT_RETURN dat_ep_get_status(DAT_EP_HANDLE ep, DAT_EP_STATE *state,
			     DAT_BOOLEAN *recv_idle, DAT_BOOLEAN *request_idle)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	struct kdapl_ep *core;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	core = to_ep(kep->obj.core);
	spin_lock_bh(&core->lock);
	if (state)
		*state = (DAT_EP_STATE)core->state;
	if (recv_idle)
		*recv_idle = core->rq.head == core->rq.tail ? DAT_TRUE :
							      DAT_FALSE;
	if (request_idle)
		*request_idle = core->sq.head == core->sq.tail ? DAT_TRUE :
								 DAT_FALSE;
	spin_unlock_bh(&core->lock);
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ep_get_status);

DAT_RETURN dat_ep_reset(DAT_EP_HANDLE ep)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	int ret;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	ret = kapi_enter(kep->obj.ia);
	if (ret)
		return kapi_error(ret);
	ret = kdapl_ep_reset(to_ep(kep->obj.core));
	kapi_leave(kep->obj.ia);
	return kapi_error(ret);
}
EXPORT_SYMBOL_GPL(dat_ep_reset);

/* Not kept out of the end of the device, which ends the wait. */
DAT_RETURN dat_ext_ep_drain(DAT_EP_HANDLE ep)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	return kapi_error(kdapl_ep_drain(to_ep(kep->obj.core)));
}
EXPORT_SYMBOL_GPL(dat_ext_ep_drain);

/* An RSP or a request has it. */
static bool ep_is_lent(const struct kdapl_ep *ep)
{
	switch (READ_ONCE(ep->state)) {
	case KDAPL_EP_RESERVED:
	case KDAPL_EP_PASSIVE_PENDING:
	case KDAPL_EP_TENTATIVE_PENDING:
		return true;
	default:
		return false;
	}
}

DAT_RETURN dat_ep_free(DAT_EP_HANDLE ep)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (ep_is_lent(to_ep(kep->obj.core)))
		return DAT_ERROR(DAT_INVALID_STATE,
				 DAT_INVALID_STATE_EP_RESERVED);
	return kapi_error(kapi_destroy(&kep->obj, KDAPL_OBJ_EP));
}
EXPORT_SYMBOL_GPL(dat_ep_free);

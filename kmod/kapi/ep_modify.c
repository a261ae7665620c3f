// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Changing an endpoint. The core is told all that it shall be: what is not named
 * stays as it is.
 */

#include <linux/export.h>

#include "kapi.h"

#define NEVER_CHANGES	(DAT_EP_FIELD_IA_HANDLE | DAT_EP_FIELD_EP_STATE | \
			 DAT_EP_FIELD_COMM | \
			 DAT_EP_FIELD_LOCAL_IA_ADDRESS_PTR | \
			 DAT_EP_FIELD_LOCAL_PORT_QUAL | \
			 DAT_EP_FIELD_REMOTE_IA_ADDRESS_PTR | \
			 DAT_EP_FIELD_REMOTE_PORT_QUAL | \
			 DAT_EP_FIELD_SRQ_HANDLE)

#define READ_DEPTHS	(DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN | \
			 DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT)

#define TRANSPORT_ATTRS	(DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR | \
			 DAT_EP_FIELD_EP_ATTR_TRANSPORT_SPECIFIC_ATTR)
#define PROVIDER_ATTRS	(DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR | \
			 DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR)

struct ep_handles {
	struct kapi_obj *pz, *recv_evd, *request_evd, *connect_evd;
};

/* Of the same IA, or none. */
static bool find(const struct kapi_ep *kep, DAT_HANDLE handle,
		 DAT_HANDLE_TYPE type, struct kapi_obj **obj)
{
	*obj = kapi_of(kep->obj.ia, handle, type);
	return *obj || !handle;
}

static bool handles_merge(const struct kapi_ep *kep, DAT_EP_PARAM_MASK mask,
			  const DAT_EP_PARAM *from, struct ep_handles *to)
{
	*to = (struct ep_handles){
		.pz = kep->pz,
		.recv_evd = kep->recv_evd,
		.request_evd = kep->request_evd,
		.connect_evd = kep->connect_evd,
	};
	if (mask & DAT_EP_FIELD_PZ_HANDLE) {
		if (!find(kep, from->pz_handle, DAT_HANDLE_TYPE_PZ, &to->pz) ||
		    !to->pz)
			return false;
		/* The zone of its SRQ is its own. */
		if (kep->srq && to->pz != kep->pz)
			return false;
	}
	if (mask & DAT_EP_FIELD_RECV_EVD_HANDLE &&
	    !find(kep, from->recv_evd_handle, DAT_HANDLE_TYPE_EVD,
		  &to->recv_evd))
		return false;
	if (mask & DAT_EP_FIELD_REQUEST_EVD_HANDLE &&
	    !find(kep, from->request_evd_handle, DAT_HANDLE_TYPE_EVD,
		  &to->request_evd))
		return false;
	return !(mask & DAT_EP_FIELD_CONNECT_EVD_HANDLE) ||
	       find(kep, from->connect_evd_handle, DAT_HANDLE_TYPE_EVD,
		    &to->connect_evd);
}

static void attr_merge(DAT_EP_PARAM_MASK mask, const DAT_EP_ATTR *from,
		       DAT_EP_ATTR *to)
{
	if (mask & DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE)
		to->service_type = from->service_type;
	if (mask & DAT_EP_FIELD_EP_ATTR_QOS)
		to->qos = from->qos;
	if (mask & DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS)
		to->recv_completion_flags = from->recv_completion_flags;
	if (mask & DAT_EP_FIELD_EP_ATTR_REQUEST_COMPLETION_FLAGS)
		to->request_completion_flags = from->request_completion_flags;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS)
		to->max_recv_dtos = from->max_recv_dtos;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS)
		to->max_request_dtos = from->max_request_dtos;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV)
		to->max_recv_iov = from->max_recv_iov;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV)
		to->max_request_iov = from->max_request_iov;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN)
		to->max_rdma_read_in = from->max_rdma_read_in;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT)
		to->max_rdma_read_out = from->max_rdma_read_out;
}

/* What cannot be chosen may be asked for where the EP has as much anyway. */
static bool rest_suffices(const struct kapi_ep *kep, DAT_EP_PARAM_MASK mask,
			  const DAT_EP_ATTR *want,
			  const struct kdapl_ep_create *arg)
{
	const struct {
		DAT_EP_PARAM_MASK field;
		bool right;
	} rule[] = {
		{ DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE,
		  want->max_message_size <= kep->attr.max_message_size },
		{ DAT_EP_FIELD_EP_ATTR_MAX_RDMA_SIZE,
		  want->max_rdma_size <= kep->attr.max_rdma_size },
		{ DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IOV,
		  (u32)want->max_rdma_read_iov <=
		  min(arg->max_request_iov, kep->obj.ia->core->max_iov_read) },
		{ DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV,
		  (u32)want->max_rdma_write_iov <= arg->max_request_iov },
		{ DAT_EP_FIELD_EP_ATTR_SRQ_SOFT_HW,
		  want->srq_soft_hw == kep->attr.srq_soft_hw },
		{ TRANSPORT_ATTRS, !want->ep_transport_specific_count },
		{ PROVIDER_ATTRS, !want->ep_provider_specific_count },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rule); i++)
		if (mask & rule[i].field && !rule[i].right)
			return false;
	return true;
}

static u32 id_of(const struct kapi_obj *obj)
{
	return obj ? obj->id : 0;
}

static int core_modify(struct kapi_ep *kep, const struct kdapl_ep_create *want)
{
	const struct kdapl_ep_modify arg = {
		.size = sizeof(arg),
		.ep = kep->obj.id,
		.pz = want->pz,
		.recv_evd = want->recv_evd,
		.request_evd = want->request_evd,
		.connect_evd = want->connect_evd,
		.max_recvs = want->max_recvs,
		.max_requests = want->max_requests,
		.max_recv_iov = want->max_recv_iov,
		.max_request_iov = want->max_request_iov,
		.max_rdma_read_in = want->max_rdma_read_in,
		.max_rdma_read_out = want->max_rdma_read_out,
		.rdma_read_fixed = want->rdma_read_fixed,
		.recv_notify = want->recv_notify,
		.request_notify = want->request_notify,
	};
	int ret;

	ret = kapi_enter(kep->obj.ia);
	if (ret)
		return ret;
	ret = kdapl_ep_modify(to_ep(kep->obj.core), &arg);
	kapi_leave(kep->obj.ia);
	return ret;
}

/* Caller holds kep->lock. */
static DAT_RETURN ep_modify(struct kapi_ep *kep, DAT_EP_PARAM_MASK mask,
			    const DAT_EP_PARAM *param)
{
	struct kdapl_ep_create want = {};
	DAT_EP_ATTR attr = kep->attr;
	struct ep_handles to;
	int ret;

	if (!handles_merge(kep, mask, param, &to))
		return KAPI_BAD_ARG(3);
	attr_merge(mask, &param->ep_attr, &attr);
	ret = kapi_ep_check(&attr, kep->srq);
	if (ret)
		return kapi_error(ret);
	want.pz = id_of(to.pz);
	want.recv_evd = id_of(to.recv_evd);
	want.request_evd = id_of(to.request_evd);
	want.connect_evd = id_of(to.connect_evd);
	kapi_ep_arg(kep, &attr, &want);
	if (!rest_suffices(kep, mask, &param->ep_attr, &want))
		return KAPI_BAD_ARG(3);
	want.rdma_read_fixed = mask & READ_DEPTHS ||
			       to_ep(kep->obj.core)->rdma_read_fixed;
	ret = core_modify(kep, &want);
	if (ret)
		return kapi_lack(ret, DAT_RESOURCE_TEP);
	kep->pz = to.pz;
	kep->recv_evd = to.recv_evd;
	kep->request_evd = to.request_evd;
	kep->connect_evd = to.connect_evd;
	kapi_ep_keep(kep, &attr, &want);
	return DAT_SUCCESS;
}

DAT_RETURN dat_ep_modify(DAT_EP_HANDLE ep, DAT_EP_PARAM_MASK mask,
			 const DAT_EP_PARAM *param)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	DAT_RETURN ret;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (mask & (~DAT_EP_FIELD_ALL | NEVER_CHANGES))
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	if (!mask)
		return DAT_SUCCESS;
	mutex_lock(&kep->lock);
	ret = ep_modify(kep, mask, param);
	mutex_unlock(&kep->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(dat_ep_modify);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connecting and disconnecting. */

#include <linux/export.h>
#include <linux/slab.h>

#include "kapi.h"

static DAT_RETURN ep_connect(struct kapi_ep *kep,
			     const struct kdapl_addr *remote,
			     DAT_CONN_QUAL conn_qual, DAT_TIMEOUT timeout,
			     DAT_COUNT size, const void *private_data)
{
	struct kapi_ia *kia = kep->obj.ia;
	struct kdapl_ep_connect *arg;
	int ret;

	if (size < 0 || size > KDAPL_PRIVATE_DATA_MAX || (size && !private_data))
		return kapi_error(-EINVAL);
	arg = kzalloc(sizeof(*arg), GFP_KERNEL);
	if (!arg)
		return kapi_error(-ENOMEM);
	arg->size = sizeof(*arg);
	arg->ep = kep->obj.id;
	arg->remote = *remote;
	arg->conn_qual = conn_qual;
	arg->timeout_us = timeout;
	arg->private_data_size = size;
	if (size)
		memcpy(arg->private_data, private_data, size);
	ret = kapi_enter(kia);
	if (!ret) {
		ret = kdapl_ep_connect(to_ep(kep->obj.core), arg);
		kapi_leave(kia);
	}
	kfree(arg);
	return kapi_lack(ret, DAT_RESOURCE_TEP);
}

DAT_RETURN dat_ep_connect(DAT_EP_HANDLE ep, DAT_IA_ADDRESS_PTR address,
			  DAT_CONN_QUAL conn_qual, DAT_TIMEOUT timeout,
			  DAT_COUNT size, const DAT_PVOID private_data,
			  DAT_QOS qos, DAT_CONNECT_FLAGS flags)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	struct kdapl_addr remote;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (!address)
		return KAPI_BAD_ARG(2);
	if (!kapi_addr(&remote, address))
		return DAT_ERROR(DAT_INVALID_ADDRESS,
				 DAT_INVALID_ADDRESS_UNSUPPORTED);
	if (!timeout)
		return KAPI_BAD_ARG(4);
	if (qos != DAT_QOS_BEST_EFFORT || flags != DAT_CONNECT_DEFAULT_FLAG)
		return DAT_ERROR(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	return ep_connect(kep, &remote, conn_qual, timeout, size, private_data);
}
EXPORT_SYMBOL_GPL(dat_ep_connect);

/* The address has the port, and nothing else can be asked for. */
DAT_RETURN dat_ep_common_connect(DAT_EP_HANDLE ep, DAT_IA_ADDRESS_PTR address,
				 DAT_TIMEOUT timeout, DAT_COUNT size,
				 const DAT_PVOID private_data)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	struct kdapl_addr remote;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (!address)
		return KAPI_BAD_ARG(2);
	if (!kapi_addr(&remote, address))
		return DAT_ERROR(DAT_INVALID_ADDRESS,
				 DAT_INVALID_ADDRESS_UNSUPPORTED);
	if (!remote.port)
		return DAT_ERROR(DAT_INVALID_ADDRESS,
				 DAT_INVALID_ADDRESS_MALFORMED);
	if (!timeout)
		return KAPI_BAD_ARG(3);
	return ep_connect(kep, &remote, remote.port, timeout, size,
			  private_data);
}
EXPORT_SYMBOL_GPL(dat_ep_common_connect);

DAT_RETURN dat_ep_dup_connect(DAT_EP_HANDLE ep, DAT_EP_HANDLE dup,
			      DAT_TIMEOUT timeout, DAT_COUNT size,
			      const DAT_PVOID private_data, DAT_QOS qos)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	struct kapi_ep *other = kapi_to(ep, dup, EP);
	struct kdapl_ep_query q = { .size = sizeof(q) };

	if (!kep || !other || kep->obj.ia != other->obj.ia)
		return KAPI_BAD_HANDLE(EP);
	if (!timeout)
		return KAPI_BAD_ARG(3);
	if (qos != DAT_QOS_BEST_EFFORT)
		return DAT_ERROR(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	kdapl_ep_query(to_ep(other->obj.core), &q);
	/* Who accepted does not know where the peer listens. */
	if (q.state != KDAPL_EP_CONNECTED || !q.remote_conn_qual)
		return DAT_ERROR(DAT_INVALID_STATE, DAT_NO_SUBTYPE);
	return ep_connect(kep, &q.remote, q.remote_conn_qual, timeout, size,
			  private_data);
}
EXPORT_SYMBOL_GPL(dat_ep_dup_connect);

DAT_RETURN dat_ep_disconnect(DAT_EP_HANDLE ep, DAT_CLOSE_FLAGS flags)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	int ret;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (flags != DAT_CLOSE_ABRUPT_FLAG && flags != DAT_CLOSE_GRACEFUL_FLAG)
		return KAPI_BAD_ARG(2);
	ret = kapi_enter(kep->obj.ia);
	if (ret)
		return kapi_error(ret);
	ret = kdapl_ep_disconnect(to_ep(kep->obj.core),
				  flags == DAT_CLOSE_GRACEFUL_FLAG ?
				  KDAPL_CLOSE_GRACEFUL : KDAPL_CLOSE_ABRUPT);
	kapi_leave(kep->obj.ia);
	return kapi_error(ret);
}
EXPORT_SYMBOL_GPL(dat_ep_disconnect);

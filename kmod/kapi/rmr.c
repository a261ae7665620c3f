// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Windows onto registered memory. */

#include <linux/export.h>

#include "../rmr.h"
#include "../sq.h"
#include "kapi.h"

#define READ_FLAGS	(DAT_COMPLETION_SUPPRESS_FLAG | \
			 DAT_COMPLETION_UNSIGNALLED_FLAG | \
			 DAT_COMPLETION_BARRIER_FENCE_FLAG)
#define BIND_FLAGS	READ_FLAGS

static int rmr_make(struct kapi_rmr *krmr)
{
	struct kapi_ia *kia = krmr->obj.ia;
	struct kdapl_rmr_create arg = {
		.size = sizeof(arg),
		.pz = krmr->pz->id,
		.user = krmr->obj.word,
	};
	int ret = kapi_enter(kia);

	if (ret)
		return ret;
	ret = kdapl_rmr_create(kia->core, &arg);
	kapi_leave(kia);
	return ret ?: kapi_tie(&krmr->obj, arg.id, KDAPL_OBJ_RMR);
}

DAT_RETURN dat_rmr_create(DAT_PZ_HANDLE pz, DAT_RMR_HANDLE *rmr)
{
	struct kapi_obj *kpz = kapi_obj(pz, DAT_HANDLE_TYPE_PZ);
	struct kapi_rmr *krmr;
	int ret;

	if (!kpz)
		return KAPI_BAD_HANDLE(PZ);
	if (!rmr)
		return KAPI_BAD_ARG(2);
	krmr = kapi_new(kpz->ia, DAT_HANDLE_TYPE_RMR, sizeof(*krmr));
	if (!krmr)
		return kapi_error(-ENOMEM);
	krmr->pz = kpz;
	ret = rmr_make(krmr);
	if (ret) {
		kapi_forget(&krmr->obj);
		return kapi_lack(ret, DAT_RESOURCE_MEMORY_REGION);
	}
	*rmr = krmr;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_rmr_create);

/* A key of an MR is good for all queue pairs of its PD. */
DAT_RETURN dat_rmr_create_for_ep(DAT_PZ_HANDLE pz, DAT_RMR_HANDLE *rmr)
{
	if (!kapi_obj(pz, DAT_HANDLE_TYPE_PZ))
		return KAPI_BAD_HANDLE(PZ);
	if (!rmr)
		return KAPI_BAD_ARG(2);
	return DAT_ERROR(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
}
EXPORT_SYMBOL_GPL(dat_rmr_create_for_ep);

DAT_RETURN dat_rmr_query(DAT_RMR_HANDLE rmr, DAT_RMR_PARAM_MASK mask,
			 DAT_RMR_PARAM *param)
{
	struct kapi_rmr *krmr = kapi_to(rmr, rmr, RMR);
	struct kdapl_rmr_bind now;

	if (!krmr)
		return KAPI_BAD_HANDLE(RMR);
	if (mask & ~DAT_RMR_FIELD_ALL)
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	kdapl_rmr_query(to_rmr(krmr->obj.core), &now);
	*param = (DAT_RMR_PARAM){
		.ia_handle = krmr->obj.ia,
		.pz_handle = krmr->pz,
		.lmr_triplet = {
			.virtual_address = now.addr,
			.segment_length = now.length,
			.lmr_context = now.lmr,
		},
		.mem_priv = now.privileges,
		.rmr_context = now.rkey,
		.rmr_scope = DAT_RMR_SCOPE_PZ,
		.va_type = DAT_VA_TYPE_VA,
	};
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_rmr_query);

/* What it shall be bound to, which an unbinding does not have. */
static DAT_RETURN bind_check_lmr(const struct kapi_ia *kia, DAT_LMR_HANDLE lmr,
				 const DAT_LMR_TRIPLET *part)
{
	struct kapi_obj *obj = kapi_obj(lmr, DAT_HANDLE_TYPE_LMR);

	if (!part->segment_length)
		return DAT_SUCCESS;
	if (!obj || obj->ia != kia)
		return KAPI_BAD_HANDLE(LMR);
	if (kapi_is_reserved(obj))
		return DAT_ERROR(DAT_RESERVED_LMR, DAT_NO_SUBTYPE);
	return part->lmr_context == obj->id ? DAT_SUCCESS : KAPI_BAD_ARG(3);
}

static DAT_RETURN bind_error(const struct kapi_ia *kia, int err, u64 length)
{
	switch (err) {
	case -EINVAL:
		return KAPI_BAD_ARG(3);
	case -ENOSPC:
		return DAT_ERROR(DAT_INSUFFICIENT_RESOURCES,
				 length > kia->core->max_rmr_size ?
				 DAT_RESOURCE_MEMORY_REGION :
				 DAT_RESOURCE_CREDITS);
	default:
		return kapi_lack(err, DAT_RESOURCE_MEMORY_REGION);
	}
}

/* After success the RMR may be gone: who gets the event may free it. */
static DAT_RETURN bind(struct kapi_ia *kia, struct kdapl_rmr_bind *arg)
{
	int ret = kapi_enter(kia);

	if (ret)
		return kapi_error(ret);
	ret = kdapl_rmr_bind(kia->core, arg);
	kapi_leave(kia);
	return bind_error(kia, ret, arg->length);
}

DAT_RETURN dat_rmr_bind(DAT_RMR_HANDLE rmr, DAT_LMR_HANDLE lmr,
			const DAT_LMR_TRIPLET *part,
			DAT_MEM_PRIV_FLAGS privileges, DAT_VA_TYPE va_type,
			DAT_EP_HANDLE ep, DAT_RMR_COOKIE cookie,
			DAT_COMPLETION_FLAGS flags, DAT_RMR_CONTEXT *context)
{
	struct kapi_obj *krmr = kapi_obj(rmr, DAT_HANDLE_TYPE_RMR);
	struct kapi_obj *kep = kapi_obj(ep, DAT_HANDLE_TYPE_EP);
	struct kdapl_rmr_bind arg = { .size = sizeof(arg) };
	DAT_RETURN ret;

	if (!krmr)
		return KAPI_BAD_HANDLE(RMR);
	if (!part)
		return KAPI_BAD_ARG(3);
	ret = bind_check_lmr(krmr->ia, lmr, part);
	if (ret != DAT_SUCCESS)
		return ret;
	if (privileges & ~DAT_MEM_PRIV_ALL_FLAG)
		return KAPI_BAD_ARG(4);
	if (va_type != DAT_VA_TYPE_VA)
		return DAT_ERROR(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	if (!kep || kep->ia != krmr->ia)
		return KAPI_BAD_HANDLE(EP);
	if (flags & ~BIND_FLAGS)
		return KAPI_BAD_ARG(8);
	if (!context)
		return KAPI_BAD_ARG(9);
	arg.rmr = krmr->id;
	arg.ep = kep->id;
	arg.lmr = part->lmr_context;
	arg.addr = part->virtual_address;
	arg.length = part->segment_length;
	arg.cookie = cookie.as_64;
	arg.flags = kapi_sqe_flags(flags);
	arg.privileges = privileges;
	ret = bind(krmr->ia, &arg);
	if (ret == DAT_SUCCESS)
		*context = arg.rkey;
	return ret;
}
EXPORT_SYMBOL_GPL(dat_rmr_bind);

DAT_RETURN dat_rmr_free(DAT_RMR_HANDLE rmr)
{
	struct kapi_obj *obj = kapi_obj(rmr, DAT_HANDLE_TYPE_RMR);

	if (!obj)
		return KAPI_BAD_HANDLE(RMR);
	return kapi_error(kapi_destroy(obj, KDAPL_OBJ_RMR));
}
EXPORT_SYMBOL_GPL(dat_rmr_free);

/* As with every read the remote segment decides how much. */
DAT_RETURN dat_ep_post_rdma_read_to_rmr(DAT_EP_HANDLE ep,
					const DAT_RMR_TRIPLET *local,
					DAT_DTO_COOKIE cookie,
					const DAT_RMR_TRIPLET *remote,
					DAT_COMPLETION_FLAGS flags)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	struct kdapl_ep *core;
	int ret;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (!local)
		return KAPI_BAD_ARG(2);
	if (!remote)
		return KAPI_BAD_ARG(4);
	if (flags & ~READ_FLAGS)
		return KAPI_BAD_ARG(5);
	if (local->segment_length < remote->segment_length)
		return kapi_post_error(-EMSGSIZE);
	core = to_ep(kep->obj.core);
	*kdapl_post_begin(core, false) = (struct kdapl_sqe){
		.ep = kep->obj.id,
		.op = KDAPL_OP_READ_RMR,
		.num_seg = 1,
		.flags = kapi_sqe_flags(flags),
		.cookie = cookie.as_64,
		.remote_addr = remote->virtual_address,
		.rkey = remote->rmr_context,
		.seg[0] = {
			.addr = local->virtual_address,
			.length = remote->segment_length,
			.lmr = local->rmr_context,
		},
	};
	ret = kdapl_post_add(core);
	kdapl_post_end(core, false, !ret);
	return kapi_post_error(ret);
}
EXPORT_SYMBOL_GPL(dat_ep_post_rdma_read_to_rmr);

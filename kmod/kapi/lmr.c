// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Registered memory. */

#include <linux/export.h>

#include "../kmem.h"
#include "../lmr.h"
#include "kapi.h"

int kapi_lmr_memory(DAT_MEM_TYPE type, const DAT_REGION_DESCRIPTION *region,
		    struct kdapl_kmem *mem, u64 *addr)
{
	switch (type) {
	case DAT_MEM_TYPE_VIRTUAL:
		mem->type = KDAPL_KMEM_VIRTUAL;
		mem->va = region->for_va;
		*addr = (uintptr_t)region->for_va;
		break;
	case DAT_MEM_TYPE_PHYSICAL:
		mem->type = KDAPL_KMEM_PHYSICAL;
		mem->physical = region->for_physical;
		*addr = mem->physical ? mem->physical[0] : 0;
		break;
	case DAT_MEM_TYPE_PLATFORM:
		mem->type = KDAPL_KMEM_SG;
		mem->sgl = region->for_platform;
		*addr = mem->sgl ? sg_phys(mem->sgl) : 0;
		break;
	default:
		return -EOPNOTSUPP;
	}
	/* Of all three the pointer is in the same place. */
	return mem->va ? 0 : -EINVAL;
}

static int lmr_make(struct kapi_lmr *klmr, struct kdapl_lmr_create *arg)
{
	const DAT_LMR_PARAM *param = &klmr->param;
	struct kdapl_ia *ia = klmr->obj.ia->core;
	struct kdapl_kmem mem = { .length = param->length };
	int ret;

	if (param->mem_type == DAT_MEM_TYPE_LMR) {
		arg->mem_type = KDAPL_MEM_LMR;
		if (!kapi_id(klmr->obj.ia, param->region_desc.for_lmr_handle,
			     DAT_HANDLE_TYPE_LMR, &arg->source))
			return -ENOENT;
		ret = kapi_enter(klmr->obj.ia);
		if (ret)
			return ret;
		ret = kdapl_lmr_create(ia, arg);
	} else {
		ret = kapi_lmr_memory(param->mem_type, &param->region_desc,
				      &mem, &arg->addr);
		if (ret)
			return ret;
		ret = kapi_enter(klmr->obj.ia);
		if (ret)
			return ret;
		ret = kdapl_lmr_create_over(ia, arg, &mem);
	}
	kapi_leave(klmr->obj.ia);
	return ret ?: kapi_tie(&klmr->obj, arg->id, KDAPL_OBJ_LMR);
}

static void lmr_fill(struct kapi_lmr *klmr, const struct kdapl_lmr_create *arg)
{
	const struct kdapl_lmr *lmr = to_lmr(klmr->obj.core);

	klmr->param.lmr_context = arg->id;
	klmr->param.rmr_context = arg->rkey;
	/* That of another LMR is not asked for. */
	if (klmr->param.mem_type == DAT_MEM_TYPE_LMR)
		klmr->param.length = lmr->length;
	klmr->param.registered_size = lmr->length;
	klmr->param.registered_address = lmr->addr;
	klmr->param.lmr_state.bound = DAT_TRUE;
}

DAT_RETURN dat_lmr_kcreate(DAT_IA_HANDLE ia, DAT_MEM_TYPE mem_type,
			   DAT_REGION_DESCRIPTION region, DAT_VLEN length,
			   DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS privileges,
			   DAT_VA_TYPE va_type, DAT_MEM_OPTIMIZE_FLAGS optimize,
			   DAT_LMR_HANDLE *lmr, DAT_LMR_CONTEXT *lmr_context,
			   DAT_RMR_CONTEXT *rmr_context,
			   DAT_VLEN *registered_size,
			   DAT_VADDR *registered_address)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);
	struct kdapl_lmr_create arg = { .privileges = privileges };
	struct kapi_lmr *klmr;
	int ret;

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (!pz || !kapi_id(kia, pz, DAT_HANDLE_TYPE_PZ, &arg.pz))
		return KAPI_BAD_HANDLE(PZ);
	if (va_type != DAT_VA_TYPE_VA)
		return DAT_ERROR(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	if (mem_type == DAT_MEM_TYPE_LMR &&
	    kapi_is_reserved_handle(kia, region.for_lmr_handle))
		return DAT_ERROR(DAT_RESERVED_LMR, DAT_NO_SUBTYPE);
	if (!lmr)
		return KAPI_BAD_ARG(9);
	klmr = kapi_new(kia, DAT_HANDLE_TYPE_LMR, sizeof(*klmr));
	if (!klmr)
		return kapi_error(-ENOMEM);
	klmr->param = (DAT_LMR_PARAM){
		.ia_handle = ia,
		.mem_type = mem_type,
		.region_desc = region,
		.length = length,
		.pz_handle = pz,
		.mem_priv = privileges,
	};
	ret = lmr_make(klmr, &arg);
	if (ret) {
		kapi_forget(&klmr->obj);
		return kapi_lmr_error(ret);
	}
	lmr_fill(klmr, &arg);
	*lmr = klmr;
	if (lmr_context)
		*lmr_context = klmr->param.lmr_context;
	if (rmr_context)
		*rmr_context = klmr->param.rmr_context;
	if (registered_size)
		*registered_size = klmr->param.registered_size;
	if (registered_address)
		*registered_address = klmr->param.registered_address;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_lmr_kcreate);

DAT_RETURN dat_lmr_query(DAT_LMR_HANDLE lmr, DAT_LMR_PARAM_MASK mask,
			 DAT_LMR_PARAM *param)
{
	struct kapi_lmr *klmr = kapi_to(lmr, lmr, LMR);

	if (!klmr)
		return KAPI_BAD_HANDLE(LMR);
	if (mask & ~DAT_LMR_FIELD_ALL)
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	*param = klmr->param;
	if (param->lmr_state.fmr_support)
		kapi_fmr_query(to_lmr(klmr->obj.core), param);
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_lmr_query);

DAT_RETURN dat_lmr_free(DAT_LMR_HANDLE lmr)
{
	struct kapi_obj *obj = kapi_obj(lmr, DAT_HANDLE_TYPE_LMR);
	int ret;

	if (!obj)
		return KAPI_BAD_HANDLE(LMR);
	if (kapi_is_reserved(obj))
		return DAT_ERROR(DAT_RESERVED_LMR, DAT_NO_SUBTYPE);
	/* RMRs that are bound to it no more may not have let go of it yet. */
	kdapl_reaper_flush(&obj->ia->core->reaper);
	ret = kapi_destroy(obj, KDAPL_OBJ_LMR);
	if (ret == -EBUSY)
		return DAT_ERROR(DAT_INVALID_STATE,
				 DAT_INVALID_STATE_LMR_IN_USE);
	return kapi_error(ret);
}
EXPORT_SYMBOL_GPL(dat_lmr_free);

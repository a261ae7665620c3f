// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fast registration. */

#include <linux/export.h>

#include "../account.h"
#include "../fmr.h"
#include "../lmr.h"
#include "kapi.h"

#define TIE_FLAGS	(DAT_COMPLETION_SUPPRESS_FLAG | \
			 DAT_COMPLETION_UNSIGNALLED_FLAG | \
			 DAT_COMPLETION_BARRIER_FENCE_FLAG)
#define UNTIE_FLAGS	(TIE_FLAGS | DAT_COMPLETION_LMR_INVALIDATE_FENCE_FLAG)

static int fmr_make(struct kapi_lmr *klmr, struct kdapl_lmr_create *arg,
		    u32 max_pages)
{
	struct kapi_ia *kia = klmr->obj.ia;
	int ret = kapi_enter(kia);

	if (ret)
		return ret;
	ret = kdapl_lmr_create_empty(kia->core, arg, max_pages);
	kapi_leave(kia);
	return ret ?: kapi_tie(&klmr->obj, arg->id, KDAPL_OBJ_LMR);
}

DAT_RETURN dat_lmr_allocate(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz,
			    DAT_COUNT max_pages, DAT_LMR_SCOPE scope,
			    DAT_LMR_HANDLE *lmr)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);
	struct kdapl_lmr_create arg = {};
	struct kapi_lmr *klmr;
	int ret;

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (!pz || !kapi_id(kia, pz, DAT_HANDLE_TYPE_PZ, &arg.pz))
		return KAPI_BAD_HANDLE(PZ);
	if (max_pages < 1)
		return KAPI_BAD_ARG(3);
	/* It can be used with all EPs of its zone. */
	if (scope != DAT_LMR_SCOPE_PZ && scope != DAT_LMR_SCOPE_ANY)
		return scope == DAT_LMR_SCOPE_EP ?
		       DAT_ERROR(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE) :
		       KAPI_BAD_ARG(4);
	if (!lmr)
		return KAPI_BAD_ARG(5);
	klmr = kapi_new(kia, DAT_HANDLE_TYPE_LMR, sizeof(*klmr));
	if (!klmr)
		return kapi_error(-ENOMEM);
	klmr->param.ia_handle = ia;
	klmr->param.pz_handle = pz;
	klmr->param.lmr_state.fmr_support = DAT_TRUE;
	ret = fmr_make(klmr, &arg, max_pages);
	if (ret) {
		kapi_forget(&klmr->obj);
		return kapi_lack(ret, DAT_RESOURCE_MEMORY_REGION);
	}
	*lmr = klmr;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_lmr_allocate);

/* NULL, and what to say, when it is not of dat_lmr_allocate(). */
static struct kdapl_lmr *fmr_of(DAT_LMR_HANDLE handle, DAT_RETURN *wrong)
{
	struct kapi_lmr *klmr = kapi_to(lmr, handle, LMR);
	struct kdapl_lmr *lmr;

	*wrong = KAPI_BAD_HANDLE(LMR);
	if (!klmr)
		return NULL;
	if (kapi_is_reserved(&klmr->obj)) {
		*wrong = DAT_ERROR(DAT_RESERVED_LMR, DAT_NO_SUBTYPE);
		return NULL;
	}
	lmr = to_lmr(klmr->obj.core);
	return lmr->fmr ? lmr : NULL;
}

static DAT_RETURN fmr_error(int err)
{
	return err == -ENOSPC ? DAT_ERROR(DAT_INSUFFICIENT_RESOURCES,
					  DAT_RESOURCE_CREDITS) :
				kapi_lmr_error(err);
}

static bool is_remote(u32 privileges)
{
	return privileges & (KDAPL_PRIV_REMOTE_READ | KDAPL_PRIV_REMOTE_WRITE);
}

/* A scatterlist says itself how long it is. */
static int fmr_length(struct kdapl_kmem *mem, DAT_VLEN num_pages)
{
	unsigned int offset = kdapl_kmem_offset(mem);
	struct scatterlist *sg;

	if (mem->type != KDAPL_KMEM_SG) {
		mem->length = (num_pages << PAGE_SHIFT) - offset;
		return 0;
	}
	for (sg = mem->sgl; sg; sg = sg_next(sg))
		mem->length += sg->length;
	return mem->length && kdapl_npages(offset, mem->length) == num_pages ?
	       0 : -EINVAL;
}

static int fmr_memory(const struct kdapl_fmr *fmr, DAT_MEM_TYPE type,
		      const DAT_REGION_DESCRIPTION *region, DAT_VLEN num_pages,
		      struct kdapl_kmem *mem, u64 *addr)
{
	if (!num_pages || num_pages > fmr->max_pages)
		return -EINVAL;
	return kapi_lmr_memory(type, region, mem, addr) ?:
	       fmr_length(mem, num_pages);
}

/* As soon as it is posted the LMR may be freed, by who gets the event. */
DAT_RETURN dat_lmr_fmr(DAT_LMR_HANDLE lmr, DAT_MEM_TYPE mem_type,
		       DAT_REGION_DESCRIPTION region, DAT_VLEN num_pages,
		       DAT_MEM_PRIV_FLAGS privileges, DAT_VA_TYPE va_type,
		       DAT_EP_HANDLE ep, DAT_LMR_COOKIE cookie,
		       DAT_COMPLETION_FLAGS flags, DAT_LMR_CONTEXT *lmr_context,
		       DAT_RMR_CONTEXT *rmr_context)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	DAT_RETURN wrong;
	struct kdapl_lmr *core = fmr_of(lmr, &wrong);
	struct kdapl_kmem mem = {};
	struct kdapl_fmr_post post = {
		.mem = &mem,
		.cookie = cookie.as_64,
		.privileges = privileges,
		.flags = kapi_sqe_flags(flags),
	};
	u32 id;
	int ret;

	if (!core || !kep)
		return core ? KAPI_BAD_HANDLE(EP) : wrong;
	if (va_type != DAT_VA_TYPE_VA)
		return DAT_ERROR(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	if (flags & ~TIE_FLAGS)
		return KAPI_BAD_ARG(9);
	ret = fmr_memory(core->fmr, mem_type, &region, num_pages, &mem,
			 &post.addr);
	if (ret)
		return kapi_error(ret);
	id = core->obj.id;
	ret = kdapl_fmr_tie(core, to_ep(kep->obj.core), &post);
	if (ret)
		return fmr_error(ret);
	if (lmr_context)
		*lmr_context = id;
	if (rmr_context)
		*rmr_context = is_remote(privileges) ? post.rkey : 0;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_lmr_fmr);

DAT_RETURN dat_lmr_invalidate(DAT_LMR_HANDLE lmr, DAT_EP_HANDLE ep,
			      DAT_LMR_COOKIE cookie, DAT_COMPLETION_FLAGS flags)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	DAT_RETURN wrong;
	struct kdapl_lmr *core = fmr_of(lmr, &wrong);
	u32 sqe_flags = kapi_sqe_flags(flags);

	if (!core)
		return wrong;
	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (flags & ~UNTIE_FLAGS)
		return KAPI_BAD_ARG(4);
	/* Verbs have one fence, which is for this, too. */
	if (flags & DAT_COMPLETION_LMR_INVALIDATE_FENCE_FLAG)
		sqe_flags |= KDAPL_SQE_FENCE;
	return fmr_error(kdapl_fmr_untie(core, to_ep(kep->obj.core),
					 cookie.as_64, sqe_flags));
}
EXPORT_SYMBOL_GPL(dat_lmr_invalidate);

static DAT_MEM_TYPE fmr_region(const struct kdapl_kmem *mem,
			       DAT_REGION_DESCRIPTION *region)
{
	switch (mem->type) {
	case KDAPL_KMEM_PHYSICAL:
		region->for_physical = (DAT_PADDR *)mem->physical;
		return DAT_MEM_TYPE_PHYSICAL;
	case KDAPL_KMEM_SG:
		region->for_platform = mem->sgl;
		return DAT_MEM_TYPE_PLATFORM;
	default:
		region->for_va = (void *)mem->va;
		return DAT_MEM_TYPE_VIRTUAL;
	}
}

void kapi_fmr_query(struct kdapl_lmr *lmr, DAT_LMR_PARAM *param)
{
	struct kdapl_fmr_post last;
	struct kdapl_kmem mem;

	param->lmr_state.bound = DAT_FALSE;
	if (kdapl_fmr_query(lmr, &mem, &last))
		param->lmr_state.bound = DAT_TRUE;
	param->mem_type = fmr_region(&mem, &param->region_desc);
	param->length = mem.length;
	param->mem_priv = last.privileges;
	param->lmr_context = lmr->obj.id;
	if (is_remote(last.privileges))
		param->rmr_context = last.rkey;
	param->registered_size = mem.length;
	param->registered_address = last.addr;
}

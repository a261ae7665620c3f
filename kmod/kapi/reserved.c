// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The reserved LMR: all of memory, by addresses that the consumer mapped itself. */

#include <linux/export.h>
#include <linux/slab.h>

#include "../lmr.h"
#include "kapi.h"

int kapi_reserved_make(struct kapi_ia *ia)
{
	struct kapi_lmr *klmr;

	if (!ia->core->local_key)
		return 0;
	klmr = kzalloc(sizeof(*klmr), GFP_KERNEL);
	if (!klmr)
		return -ENOMEM;
	klmr->obj.provider = &kapi_provider;
	klmr->obj.magic = KAPI_MAGIC;
	klmr->obj.type = DAT_HANDLE_TYPE_LMR;
	klmr->obj.ia = ia;
	/* No object of the core's has this id. */
	klmr->obj.id = KDAPL_LMR_RESERVED;
	klmr->param = (struct dat_lmr_param){
		.ia_handle = ia,
		.mem_type = DAT_MEM_TYPE_IA,
		.length = U64_MAX,
		.mem_priv = DAT_MEM_PRIV_LOCAL_READ_FLAG |
			    DAT_MEM_PRIV_LOCAL_WRITE_FLAG,
		.lmr_context = KDAPL_LMR_RESERVED,
		.registered_size = U64_MAX,
		.lmr_state.bound = DAT_TRUE,
	};
	ia->reserved = klmr;
	return 0;
}

void kapi_reserved_free(struct kapi_ia *ia)
{
	kfree(ia->reserved);
	ia->reserved = NULL;
}

DAT_RETURN dat_ia_reserved_lmr(DAT_IA_HANDLE ia, DAT_LMR_HANDLE *lmr,
			       DAT_LMR_CONTEXT *context)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (!lmr)
		return KAPI_BAD_ARG(2);
	if (!context)
		return KAPI_BAD_ARG(3);
	if (!kia->reserved)
		return DAT_ERROR(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	*lmr = kia->reserved;
	*context = KDAPL_LMR_RESERVED;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ia_reserved_lmr);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory that is made and registered in one call. */

#include <linux/export.h>
#include <linux/gfp.h>

#include <dat2/kdat_ext.h>

#include "kapi.h"

DAT_RETURN dat_ext_memory_alloc(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, size_t size,
				DAT_MEM_PRIV_FLAGS privileges,
				DAT_EXT_MEMORY *memory)
{
	DAT_REGION_DESCRIPTION region;
	DAT_RETURN ret;

	if (!memory)
		return KAPI_BAD_ARG(5);
	*memory = (DAT_EXT_MEMORY){};
	if (!size)
		return KAPI_BAD_ARG(3);
	memory->size = size;
	memory->at = alloc_pages_exact(size, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!memory->at) {
		memory->size = 0;
		return kapi_error(-ENOMEM);
	}
	region.for_va = memory->at;
	ret = dat_lmr_kcreate(ia, DAT_MEM_TYPE_VIRTUAL, region, size, pz,
			      privileges, DAT_VA_TYPE_VA,
			      DAT_MEM_OPTIMIZE_DONT_CARE, &memory->lmr,
			      &memory->lmr_context, &memory->rmr_context,
			      NULL, NULL);
	if (ret != DAT_SUCCESS)
		dat_ext_memory_free(memory);
	return ret;
}
EXPORT_SYMBOL_GPL(dat_ext_memory_alloc);

void dat_ext_memory_free(DAT_EXT_MEMORY *memory)
{
	/* What an RMR is still bound to may be in a peer's hands. */
	if (memory->lmr && WARN_ON(dat_lmr_free(memory->lmr) != DAT_SUCCESS))
		return;
	if (memory->at)
		free_pages_exact(memory->at, memory->size);
	*memory = (DAT_EXT_MEMORY){};
}
EXPORT_SYMBOL_GPL(dat_ext_memory_free);

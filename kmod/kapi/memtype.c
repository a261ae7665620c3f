// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How memory is best laid out before it is registered. */

#include <linux/export.h>
#include <linux/mm.h>

#include "kapi.h"

/* 0 for what cannot be registered. */
static DAT_VADDR alignment_of(DAT_MEM_TYPE mem_type)
{
	switch (mem_type) {
	case DAT_MEM_TYPE_VIRTUAL:
	case DAT_MEM_TYPE_PLATFORM:
		return DAT_OPTIMAL_ALIGNMENT;
	case DAT_MEM_TYPE_PHYSICAL:
		return PAGE_SIZE;
	case DAT_MEM_TYPE_LMR:
		/* It is where it is. */
		return 1;
	default:
		return 0;
	}
}

static bool optimize_valid(DAT_MEM_OPTIMIZE_FLAGS optimize)
{
	switch (optimize) {
	case DAT_MEM_OPTIMIZE_DONT_CARE:
	case DAT_MEM_OPTIMIZE_IA:
	case DAT_MEM_OPTIMIZE_MIN_EXPOSURE:
	case DAT_MEM_OPTIMIZE_EXACT_EXPOSURE:
		return true;
	}
	return false;
}

/*
 * An LMR is as long as its memory, to the byte: for what a peer shall see there is
 * nothing to prefer. For the adapter whole pages are.
 */
DAT_RETURN dat_ia_memtype_hint(DAT_IA_HANDLE ia, DAT_MEM_TYPE mem_type,
			       DAT_VLEN length, DAT_MEM_OPTIMIZE_FLAGS optimize,
			       DAT_VLEN *preferred_length,
			       DAT_VADDR *preferred_alignment)
{
	DAT_VADDR alignment = alignment_of(mem_type);
	struct kapi_ia *kia = kapi_to(ia, ia, IA);

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (!alignment)
		return DAT_ERROR(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	if (!length || length > kia->core->max_lmr_size)
		return KAPI_BAD_ARG(3);
	if (!optimize_valid(optimize))
		return KAPI_BAD_ARG(4);
	if (!preferred_length)
		return KAPI_BAD_ARG(5);
	if (!preferred_alignment)
		return KAPI_BAD_ARG(6);
	if (optimize == DAT_MEM_OPTIMIZE_IA && mem_type != DAT_MEM_TYPE_LMR) {
		length = min(PAGE_ALIGN(length), kia->core->max_lmr_size);
		alignment = PAGE_SIZE;
	}
	*preferred_length = length;
	*preferred_alignment = alignment;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ia_memtype_hint);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the processor and the adapter see of registered memory. */

#include <linux/export.h>

#include "../lmr.h"
#include "kapi.h"

static DAT_RETURN lmr_sync(DAT_IA_HANDLE ia, const DAT_LMR_TRIPLET *segments,
			   DAT_VLEN num, bool for_device)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);
	struct kdapl_seg seg;
	DAT_VLEN i;

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (num && !segments)
		return KAPI_BAD_ARG(2);
	for (i = 0; i < num; i++) {
		/* The rest of an empty one may be anything. */
		if (!segments[i].segment_length)
			continue;
		/* Who mapped it knows how, and syncs it. */
		if (segments[i].lmr_context == KDAPL_LMR_RESERVED)
			return DAT_ERROR(DAT_RESERVED_LMR, DAT_NO_SUBTYPE);
		seg = (struct kdapl_seg){
			.addr = segments[i].virtual_address,
			.length = segments[i].segment_length,
			.lmr = segments[i].lmr_context,
		};
		if (kdapl_lmr_sync(kia->core, &seg, for_device))
			return KAPI_BAD_ARG(2);
	}
	return DAT_SUCCESS;
}

DAT_RETURN dat_lmr_sync_rdma_read(DAT_IA_HANDLE ia,
				  const DAT_LMR_TRIPLET *segments, DAT_VLEN num)
{
	return lmr_sync(ia, segments, num, true);
}
EXPORT_SYMBOL_GPL(dat_lmr_sync_rdma_read);

DAT_RETURN dat_lmr_sync_rdma_write(DAT_IA_HANDLE ia,
				   const DAT_LMR_TRIPLET *segments, DAT_VLEN num)
{
	return lmr_sync(ia, segments, num, false);
}
EXPORT_SYMBOL_GPL(dat_lmr_sync_rdma_write);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls that are not there yet: a consumer that has them is told so.
 */

#include <linux/export.h>

#include <dat2/kdat_ext.h>
#include <dat2/kdat_redirection.h>

#define NOT_YET	DAT_ERROR(DAT_NOT_IMPLEMENTED, DAT_NO_SUBTYPE)


DAT_RETURN dat_ext_ep_rw(DAT_EP_HANDLE ep, struct scatterlist *sgl,
			 unsigned int nents, const DAT_RMR_TRIPLET *remote,
			 enum dma_data_direction dir, DAT_DTO_COOKIE cookie)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_ext_ep_rw);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RDMA straight from or to a scatterlist. */

#include <linux/export.h>

#include <dat2/kdat_ext.h>

#include "../rw.h"
#include "kapi.h"

/* Nothing is moved, so there is nothing to map. */
static DAT_RETURN rw_nothing(DAT_EP_HANDLE ep, const DAT_RMR_TRIPLET *remote,
			     enum dma_data_direction dir, DAT_DTO_COOKIE cookie)
{
	if (dir == DMA_TO_DEVICE)
		return dat_ep_post_rdma_write(ep, 0, NULL, cookie, remote,
					      DAT_COMPLETION_DEFAULT_FLAG);
	return dat_ep_post_rdma_read(ep, 0, NULL, cookie, remote,
				     DAT_COMPLETION_DEFAULT_FLAG);
}

static DAT_RETURN rw_error(int err)
{
	switch (err) {
	case -ENOSPC:
		return kapi_post_error(-ENOBUFS);
	case -EREMOTEIO:
		/* Another device's, which this one does not reach. */
		return KAPI_BAD_ARG(2);
	case -EIO:
	case -EAGAIN:
		return kapi_lmr_error(err);
	default:
		return kapi_post_error(err);
	}
}

DAT_RETURN dat_ext_ep_rw(DAT_EP_HANDLE ep, struct scatterlist *sgl,
			 unsigned int nents, const DAT_RMR_TRIPLET *remote,
			 enum dma_data_direction dir, DAT_DTO_COOKIE cookie)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	int ret;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (nents && !sgl)
		return KAPI_BAD_ARG(2);
	if (!remote)
		return KAPI_BAD_ARG(4);
	if (dir != DMA_FROM_DEVICE && dir != DMA_TO_DEVICE)
		return KAPI_BAD_ARG(5);
	if (!remote->segment_length && !nents)
		return rw_nothing(ep, remote, dir, cookie);

	ret = kdapl_rw(to_ep(kep->obj.core), &(struct kdapl_rw_post){
		.sgl = sgl,
		.nents = nents,
		.dir = dir,
		.remote_addr = remote->virtual_address,
		.rkey = remote->rmr_context,
		.length = remote->segment_length,
		.cookie = cookie.as_64,
	});
	return rw_error(ret);
}
EXPORT_SYMBOL_GPL(dat_ext_ep_rw);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RDMA straight from or to a scatterlist. */

#include <linux/export.h>

#include <dat2/kdat_ext.h>

#include "../rw.h"
#include "../sq.h"
#include "kapi.h"

#define TRANSFER_FLAGS	(DAT_COMPLETION_SUPPRESS_FLAG | \
			 DAT_COMPLETION_UNSIGNALLED_FLAG)

static int rw_follow(struct kdapl_ep *ep, const struct kdapl_rw_post *post)
{
	return kapi_post_add(ep, post->num, post->ops);
}

/* Nothing is moved, so there is nothing to map. */
static DAT_RETURN rw_nothing(struct kdapl_ep *ep, const DAT_RMR_TRIPLET *remote,
			     DAT_COMPLETION_FLAGS flags,
			     const struct kdapl_rw_post *post)
{
	const DAT_EXT_DTO nothing = {
		.op = post->dir == DMA_TO_DEVICE ? DAT_DTO_RDMA_WRITE :
						   DAT_DTO_RDMA_READ,
		.flags = flags,
		.remote = *remote,
		.cookie.as_64 = post->cookie,
	};
	int ret;

	kdapl_post_begin(ep, false);
	ret = kapi_post_add(ep, 1, &nothing) ?: rw_follow(ep, post);
	/* Whoever waits for room must not wait for what there never is. */
	if (ret == -ENOBUFS && 1 + post->num > ep->sq.size)
		ret = -EMSGSIZE;
	kdapl_post_end(ep, false, !ret);
	return kapi_post_error(ret);
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

static DAT_RETURN transfer_check(const struct scatterlist *sgl,
				 unsigned int nents,
				 const DAT_RMR_TRIPLET *remote,
				 enum dma_data_direction dir,
				 DAT_COMPLETION_FLAGS flags, DAT_COUNT num,
				 const DAT_EXT_DTO *dtos)
{
	if (nents && !sgl)
		return KAPI_BAD_ARG(2);
	if (!remote)
		return KAPI_BAD_ARG(5);
	if (dir != DMA_FROM_DEVICE && dir != DMA_TO_DEVICE)
		return KAPI_BAD_ARG(6);
	if (flags & ~TRANSFER_FLAGS)
		return KAPI_BAD_ARG(8);
	/* One more is in the chain where nothing is moved. */
	if (num < 0 || num >= KDAPL_SQ_CHAIN)
		return KAPI_BAD_ARG(9);
	return kapi_dtos_check(num, dtos) ? DAT_SUCCESS : KAPI_BAD_ARG(10);
}

DAT_RETURN dat_ext_ep_transfer(DAT_EP_HANDLE ep, struct scatterlist *sgl,
			       unsigned int nents, size_t offset,
			       const DAT_RMR_TRIPLET *remote,
			       enum dma_data_direction dir,
			       DAT_DTO_COOKIE cookie,
			       DAT_COMPLETION_FLAGS flags, DAT_COUNT num,
			       const DAT_EXT_DTO *dtos)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	struct kdapl_rw_post post;
	DAT_RETURN bad;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	bad = transfer_check(sgl, nents, remote, dir, flags, num, dtos);
	if (bad)
		return bad;
	post = (struct kdapl_rw_post){
		.sgl = sgl,
		.nents = nents,
		.offset = offset,
		.dir = dir,
		.remote_addr = remote->virtual_address,
		.rkey = remote->rmr_context,
		.length = remote->segment_length,
		.cookie = cookie.as_64,
		.flags = kapi_sqe_flags(flags),
		.num = num,
		.follow = rw_follow,
		.ops = dtos,
	};
	if (!post.length)
		return rw_nothing(to_ep(kep->obj.core), remote, flags, &post);
	return rw_error(kdapl_rw(to_ep(kep->obj.core), &post));
}
EXPORT_SYMBOL_GPL(dat_ext_ep_transfer);

DAT_RETURN dat_ext_ep_rw(DAT_EP_HANDLE ep, struct scatterlist *sgl,
			 unsigned int nents, size_t offset,
			 const DAT_RMR_TRIPLET *remote,
			 enum dma_data_direction dir, DAT_DTO_COOKIE cookie)
{
	return dat_ext_ep_transfer(ep, sgl, nents, offset, remote, dir, cookie,
				   DAT_COMPLETION_DEFAULT_FLAG, 0, NULL);
}
EXPORT_SYMBOL_GPL(dat_ext_ep_rw);

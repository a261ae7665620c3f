// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Transfers. */

#include <linux/export.h>

#include <dat2/kdat_ext.h>

#include "kapi.h"
#include "../sq.h"

#define REQUEST_FLAGS	(DAT_COMPLETION_SUPPRESS_FLAG | \
			 DAT_COMPLETION_SOLICITED_WAIT_FLAG | \
			 DAT_COMPLETION_UNSIGNALLED_FLAG | \
			 DAT_COMPLETION_BARRIER_FENCE_FLAG)

DAT_RETURN kapi_post_error(int err)
{
	if (!err)
		return DAT_SUCCESS;
	switch (err) {
	case -ENOBUFS:
		return DAT_ERROR(DAT_INSUFFICIENT_RESOURCES,
				 DAT_RESOURCE_CREDITS);
	case -EACCES:
		return DAT_ERROR(DAT_PROTECTION_VIOLATION, DAT_NO_SUBTYPE);
	case -EMSGSIZE:
		return DAT_ERROR(DAT_LENGTH_ERROR, DAT_NO_SUBTYPE);
	default:
		return kapi_error(err);
	}
}

u16 kapi_sqe_flags(DAT_COMPLETION_FLAGS flags)
{
	u16 out = 0;

	if (flags & DAT_COMPLETION_SUPPRESS_FLAG)
		out |= KDAPL_SQE_SUPPRESS;
	if (flags & DAT_COMPLETION_SOLICITED_WAIT_FLAG)
		out |= KDAPL_SQE_SOLICITED;
	if (flags & DAT_COMPLETION_UNSIGNALLED_FLAG)
		out |= KDAPL_SQE_QUIET;
	if (flags & DAT_COMPLETION_BARRIER_FENCE_FLAG)
		out |= KDAPL_SQE_FENCE;
	return out;
}

DAT_RETURN kapi_iov_check(DAT_COUNT num, const DAT_LMR_TRIPLET *iov)
{
	if (num < 0 || num > KDAPL_SEGS_MAX)
		return KAPI_BAD_ARG(2);
	if (num && !iov)
		return KAPI_BAD_ARG(3);
	return DAT_SUCCESS;
}

void kapi_sqe_iov(struct kdapl_sqe *sqe, DAT_COUNT num,
		  const DAT_LMR_TRIPLET *iov)
{
	int i;

	sqe->num_seg = num;
	for (i = 0; i < num; i++) {
		sqe->seg[i].addr = iov[i].virtual_address;
		sqe->seg[i].length = iov[i].segment_length;
		sqe->seg[i].lmr = iov[i].lmr_context;
	}
}

static int dto_op(const DAT_EXT_DTO *dto)
{
	switch (dto->op) {
	case DAT_DTO_SEND:
		return dto->invalidate ? KDAPL_OP_SEND_INV : KDAPL_OP_SEND;
	case DAT_DTO_RDMA_WRITE:
		return KDAPL_OP_RDMA_WRITE;
	case DAT_DTO_RDMA_READ:
		return KDAPL_OP_RDMA_READ;
	default:
		return -EINVAL;
	}
}

static u64 dto_length(const DAT_EXT_DTO *dto)
{
	u64 length = 0;
	int i;

	for (i = 0; i < dto->num_segments; i++)
		length += dto->iov[i].segment_length;
	return length;
}

/*
 * The length of an RDMA operation is the remote segment's. The device takes the
 * local ones: a read's may be longer, and is filled in part.
 */
static int sqe_remote(struct kdapl_sqe *sqe, const DAT_EXT_DTO *dto)
{
	u64 left = dto->remote.segment_length;
	u64 local = dto_length(dto);
	unsigned int i;

	if (local < left)
		return -EMSGSIZE;
	if (dto->op == DAT_DTO_RDMA_WRITE && local > left)
		return -EMSGSIZE;
	for (i = 0; i < sqe->num_seg; i++) {
		sqe->seg[i].length = min_t(u64, sqe->seg[i].length, left);
		left -= sqe->seg[i].length;
	}
	sqe->remote_addr = dto->remote.virtual_address;
	sqe->rkey = dto->remote.rmr_context;
	return 0;
}

/* All but what names the peer's memory; not the unused segments, which nobody looks at. */
static void sqe_local(struct kdapl_sqe *sqe, u32 ep, u8 op, DAT_COUNT num,
		      const DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie,
		      DAT_COMPLETION_FLAGS flags)
{
	sqe->ep = ep;
	sqe->op = op;
	sqe->flags = kapi_sqe_flags(flags);
	sqe->cookie = cookie.as_64;
	sqe->remote_addr = 0;
	sqe->rkey = 0;
	sqe->imm = 0;
	kapi_sqe_iov(sqe, num, iov);
}

static int sqe_fill(struct kdapl_sqe *sqe, u32 ep, const DAT_EXT_DTO *dto)
{
	int op = dto_op(dto);

	if (op < 0)
		return op;
	sqe_local(sqe, ep, op, dto->num_segments, dto->iov, dto->cookie,
		  dto->flags);
	if (is_rdma(sqe))
		return sqe_remote(sqe, dto);
	if (dto->invalidate)
		sqe->rkey = dto->rmr_context;
	return 0;
}

int kapi_post_add(struct kdapl_ep *ep, DAT_COUNT num, const DAT_EXT_DTO *dtos)
{
	int i, ret = 0;

	for (i = 0; i < num && !ret; i++) {
		ret = sqe_fill(&ep->chain->sqe, ep->obj.id, &dtos[i]);
		if (!ret)
			ret = kdapl_post_add(ep);
	}
	return ret;
}

/* All of them, or none. */
static DAT_RETURN post(struct kapi_ep *kep, DAT_COUNT num,
		       const DAT_EXT_DTO *dtos)
{
	struct kdapl_ep *ep = to_ep(kep->obj.core);
	int ret;

	kdapl_post_begin(ep, false);
	ret = kapi_post_add(ep, num, dtos);
	kdapl_post_end(ep, false, !ret);
	return kapi_post_error(ret);
}

static DAT_RETURN post_check(const struct kapi_ep *kep, DAT_COUNT num,
			     const DAT_LMR_TRIPLET *iov,
			     DAT_COMPLETION_FLAGS flags)
{
	DAT_RETURN ret;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	ret = kapi_iov_check(num, iov);
	if (ret)
		return ret;
	return flags & ~REQUEST_FLAGS ?
	       DAT_ERROR(DAT_INVALID_PARAMETER, DAT_NO_SUBTYPE) : DAT_SUCCESS;
}

/* To the core, too many segments are too long as well. */
static DAT_RETURN post_length(const struct kdapl_ep *ep, u8 op, DAT_COUNT num,
			      DAT_RETURN ret)
{
	if (DAT_GET_TYPE(ret) == DAT_LENGTH_ERROR &&
	    num > kdapl_ep_max_iov(ep, op))
		return KAPI_BAD_ARG(2);
	return ret;
}

static DAT_RETURN post_one(DAT_EP_HANDLE ep, const DAT_EXT_DTO *dto)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	DAT_RETURN ret;

	ret = post_check(kep, dto->num_segments, dto->iov, dto->flags);
	if (ret)
		return ret;
	return post_length(to_ep(kep->obj.core), dto_op(dto),
			   dto->num_segments, post(kep, 1, dto));
}

/* A send or a receive, which have no more than that. */
static DAT_RETURN post_message(DAT_EP_HANDLE handle, u8 op, DAT_COUNT num,
			       const DAT_LMR_TRIPLET *iov,
			       DAT_DTO_COOKIE cookie,
			       DAT_COMPLETION_FLAGS flags)
{
	struct kapi_ep *kep = kapi_to(ep, handle, EP);
	bool recv = op == KDAPL_OP_RECV;
	struct kdapl_ep *ep;
	DAT_RETURN dat;
	int ret;

	dat = post_check(kep, num, iov, flags);
	if (dat)
		return dat;
	ep = to_ep(kep->obj.core);
	sqe_local(kdapl_post_begin(ep, recv), ep->obj.id, op, num, iov, cookie,
		  flags);
	ret = kdapl_post_message(ep, recv);
	if (likely(!ret))
		return DAT_SUCCESS;
	return post_length(ep, op, num, kapi_post_error(ret));
}

DAT_RETURN dat_ep_post_send(DAT_EP_HANDLE ep, DAT_COUNT num,
			    DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie,
			    DAT_COMPLETION_FLAGS flags)
{
	return post_message(ep, KDAPL_OP_SEND, num, iov, cookie, flags);
}
EXPORT_SYMBOL_GPL(dat_ep_post_send);

DAT_RETURN dat_ep_post_send_with_invalidate(DAT_EP_HANDLE ep, DAT_COUNT num,
					    DAT_LMR_TRIPLET *iov,
					    DAT_DTO_COOKIE cookie,
					    DAT_COMPLETION_FLAGS flags,
					    DAT_BOOLEAN invalidate,
					    DAT_RMR_CONTEXT rmr_context)
{
	return post_one(ep, &(DAT_EXT_DTO){
		.op = DAT_DTO_SEND,
		.flags = flags,
		.num_segments = num,
		.iov = iov,
		.cookie = cookie,
		.invalidate = invalidate,
		.rmr_context = rmr_context,
	});
}
EXPORT_SYMBOL_GPL(dat_ep_post_send_with_invalidate);

DAT_RETURN dat_ep_post_recv(DAT_EP_HANDLE ep, DAT_COUNT num,
			    DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie,
			    DAT_COMPLETION_FLAGS flags)
{
	if (flags & ~DAT_COMPLETION_UNSIGNALLED_FLAG)
		return KAPI_BAD_ARG(5);
	return post_message(ep, KDAPL_OP_RECV, num, iov, cookie, flags);
}
EXPORT_SYMBOL_GPL(dat_ep_post_recv);

static DAT_RETURN post_rdma(DAT_EP_HANDLE ep, DAT_DTOS op, DAT_COUNT num,
			    DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie,
			    const DAT_RMR_TRIPLET *remote,
			    DAT_COMPLETION_FLAGS flags)
{
	if (!remote)
		return KAPI_BAD_ARG(5);
	return post_one(ep, &(DAT_EXT_DTO){
		.op = op,
		.flags = flags,
		.num_segments = num,
		.iov = iov,
		.remote = *remote,
		.cookie = cookie,
	});
}

DAT_RETURN dat_ep_post_rdma_read(DAT_EP_HANDLE ep, DAT_COUNT num,
				 DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie,
				 const DAT_RMR_TRIPLET *remote,
				 DAT_COMPLETION_FLAGS flags)
{
	return post_rdma(ep, DAT_DTO_RDMA_READ, num, iov, cookie, remote,
			 flags);
}
EXPORT_SYMBOL_GPL(dat_ep_post_rdma_read);

DAT_RETURN dat_ep_post_rdma_write(DAT_EP_HANDLE ep, DAT_COUNT num,
				  DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie,
				  const DAT_RMR_TRIPLET *remote,
				  DAT_COMPLETION_FLAGS flags)
{
	return post_rdma(ep, DAT_DTO_RDMA_WRITE, num, iov, cookie, remote,
			 flags);
}
EXPORT_SYMBOL_GPL(dat_ep_post_rdma_write);

bool kapi_dtos_check(DAT_COUNT num, const DAT_EXT_DTO *dtos)
{
	int i;

	if (num && !dtos)
		return false;
	for (i = 0; i < num; i++)
		if (kapi_iov_check(dtos[i].num_segments, dtos[i].iov) ||
		    dtos[i].flags & ~REQUEST_FLAGS ||
		    dtos[i].op == DAT_DTO_RECEIVE)
			return false;
	return true;
}

DAT_RETURN dat_ext_ep_post(DAT_EP_HANDLE ep, DAT_COUNT num,
			   const DAT_EXT_DTO *dtos)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (num < 1 || num > KDAPL_SQ_CHAIN)
		return KAPI_BAD_ARG(2);
	if (!kapi_dtos_check(num, dtos))
		return KAPI_BAD_ARG(3);
	return post(kep, num, dtos);
}
EXPORT_SYMBOL_GPL(dat_ext_ep_post);

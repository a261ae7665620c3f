// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What an adapter and its provider can do. */

#include <linux/export.h>
#include <linux/slab.h>

#include "../fmr.h"
#include "kapi.h"

static void fill_ia(struct kapi_ia *kia, const struct kdapl_ia_query *q,
		    DAT_IA_ATTR *attr)
{
	*attr = (DAT_IA_ATTR){
		.hardware_version_major = q->hw_version,
		.max_eps = q->max_eps,
		.max_dto_per_ep = min(q->max_requests, q->max_recvs),
		.max_rdma_read_per_ep_in = q->max_rdma_read_in,
		.max_rdma_read_per_ep_out = q->max_rdma_read_out,
		.max_evds = q->max_evds,
		.max_evd_qlen = q->max_evd_qlen,
		.max_iov_segments_per_dto = q->max_iov,
		.max_lmrs = q->max_lmrs,
		.max_lmr_block_size = min_t(u64, q->max_lmr_size, U32_MAX),
		.max_lmr_virtual_address = U64_MAX,
		.max_pzs = q->max_pzs,
		.max_message_size = min_t(u64, q->max_message, U32_MAX),
		.max_rdma_size = min_t(u64, q->max_message, U32_MAX),
		.max_iov_segments_per_rdma_read = q->max_iov_read,
		.max_iov_segments_per_rdma_write = q->max_iov,
		.max_rdma_read_in = q->max_rdma_read_in,
		.max_rdma_read_out = q->max_rdma_read_out,
		.max_rdma_read_per_ep_in_guaranteed = DAT_TRUE,
		.max_rdma_read_per_ep_out_guaranteed = DAT_TRUE,
		.max_rmrs = q->max_rmr_size ? q->max_lmrs : 0,
		.max_rmr_target_address = q->max_rmr_size ? U64_MAX : 0,
		.max_srqs = q->max_srqs,
		.max_ep_per_srq = q->max_srqs ? q->max_eps : 0,
		.max_recv_per_srq = q->max_srq_recvs,
		.reserved_lmr_supported = kia->reserved ? DAT_TRUE : DAT_FALSE,
	};
	strscpy(attr->adapter_name, q->name, sizeof(attr->adapter_name));
	strscpy(attr->vendor_name, q->driver, sizeof(attr->vendor_name));
	if (q->num_addrs)
		kapi_sockaddr(&kia->address, &q->addrs[0]);
	attr->ia_address_ptr = (void *)&kia->address;
}

/* All streams may be mixed. */
static void fill_merging(DAT_PROVIDER_ATTR *attr)
{
	/* The member is const for its readers. */
	DAT_BOOLEAN *merging =
		(DAT_BOOLEAN *)attr->evd_stream_merging_supported;
	int i;

	for (i = 0; i < 36; i++)
		merging[i] = DAT_TRUE;
}

/* Bits for each count and mark: see dat_srq_query(), dat_ep_recv_query(). */
#define BOTH_COUNTS	0x11
#define SRQ_LOW_MARK	0x001
#define EP_MARKS	0x110

static void fill_srq(const struct kdapl_ia_query *q, DAT_PROVIDER_ATTR *attr)
{
	/* An EP's marks hold for receives of its own, too. */
	attr->srq_watermarks_supported = EP_MARKS;
	attr->ep_recv_info_supported = BOTH_COUNTS;
	if (!q->max_srqs)
		return;
	attr->srq_supported = DAT_TRUE;
	attr->srq_watermarks_supported |= SRQ_LOW_MARK;
	attr->srq_info_supported = BOTH_COUNTS;
}

static void fill_provider(const struct kdapl_ia_query *q, bool real_dma,
			  bool fmr, DAT_PROVIDER_ATTR *attr)
{
	memset(attr, 0, sizeof(*attr));
	strscpy(attr->provider_name, "kdapl", sizeof(attr->provider_name));
	attr->dapl_version_major = DAT_VERSION_MAJOR;
	attr->dapl_version_minor = DAT_VERSION_MINOR;
	attr->lmr_mem_types_supported = DAT_MEM_TYPE_VIRTUAL |
					DAT_MEM_TYPE_LMR |
					DAT_MEM_TYPE_PHYSICAL |
					DAT_MEM_TYPE_PLATFORM;
	attr->iov_ownership_on_return = DAT_IOV_CONSUMER;
	attr->dat_qos_supported = DAT_QOS_BEST_EFFORT;
	attr->completion_flags_supported = DAT_COMPLETION_SUPPRESS_FLAG |
					   DAT_COMPLETION_UNSIGNALLED_FLAG |
					   DAT_COMPLETION_BARRIER_FENCE_FLAG |
					   DAT_COMPLETION_LMR_INVALIDATE_FENCE_FLAG;
	attr->is_thread_safe = DAT_TRUE;
	attr->max_private_data_size = q->max_private_data;
	attr->ep_creator = DAT_PSP_CREATES_EP_IFASKED;
	attr->upcall_policy = DAT_UPCALL_MANY;
	attr->optimal_buffer_alignment = DAT_OPTIMAL_ALIGNMENT;
	attr->is_interrupt_safe = DAT_FALSE;
	/* The device may see memory through a bounce buffer, or past a cache. */
	attr->lmr_sync_req = real_dma ? DAT_TRUE : DAT_FALSE;
	fill_srq(q, attr);
	attr->fmr_supported = fmr ? DAT_TRUE : DAT_FALSE;
	attr->lmr_for_fmr_scope_supported = DAT_LMR_SCOPE_PZ;
	attr->rmr_scope_supported = DAT_RMR_SCOPE_PZ;
	/* iWARP's reads name their sink to the peer. */
	attr->rdma_read_lmr_rmr_context_exposure =
		q->transport == KDAPL_TRANSPORT_IWARP ? DAT_TRUE : DAT_FALSE;
	fill_merging(attr);
}

DAT_RETURN dat_ia_query(DAT_IA_HANDLE ia, DAT_EVD_HANDLE *async_evd,
			DAT_IA_ATTR_MASK ia_mask, DAT_IA_ATTR *ia_attr,
			DAT_PROVIDER_ATTR_MASK provider_mask,
			DAT_PROVIDER_ATTR *provider_attr)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);
	struct kdapl_ia_query *q;
	bool real_dma = false, fmr = false;
	int ret;

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (ia_mask & ~DAT_IA_FIELD_ALL || (ia_mask && !ia_attr))
		return ia_mask & ~DAT_IA_FIELD_ALL ? KAPI_BAD_ARG(3) :
						     KAPI_BAD_ARG(4);
	if (provider_mask & ~DAT_PROVIDER_FIELD_ALL)
		return KAPI_BAD_ARG(5);
	if (provider_mask && !provider_attr)
		return KAPI_BAD_ARG(6);

	q = kzalloc(sizeof(*q), GFP_KERNEL);
	if (!q)
		return kapi_error(-ENOMEM);
	ret = kapi_enter(kia);
	if (!ret) {
		ret = kdapl_ia_query(kia->core, q);
		real_dma = !ib_uses_virt_dma(kia->core->dev);
		fmr = kdapl_fmr_max_pages(kia->core->dev);
		kapi_leave(kia);
	}
	if (!ret) {
		if (async_evd)
			*async_evd = kia->async;
		if (ia_mask)
			fill_ia(kia, q, ia_attr);
		if (provider_mask)
			fill_provider(q, real_dma, fmr, provider_attr);
	}
	kfree(q);
	return kapi_error(ret);
}
EXPORT_SYMBOL_GPL(dat_ia_query);

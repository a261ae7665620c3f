// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table behind every handle: the same functions as are exported. */

#include "kapi.h"

static DAT_RETURN ia_open(const DAT_NAME_PTR name, DAT_COUNT qlen,
			  DAT_EVD_HANDLE *async_evd, DAT_IA_HANDLE *ia)
{
	return dat_ia_open(name, qlen, async_evd, ia);
}

static DAT_RETURN ia_ha_related(DAT_IA_HANDLE ia, const DAT_NAME_PTR name,
				DAT_BOOLEAN *answer)
{
	return DAT_ERROR(DAT_NOT_IMPLEMENTED, DAT_NO_SUBTYPE);
}

static DAT_RETURN handle_extendedop(DAT_HANDLE handle, int op, va_list args)
{
	return DAT_ERROR(DAT_NOT_IMPLEMENTED, DAT_NO_SUBTYPE);
}

const DAT_PROVIDER kapi_provider = {
	.device_name = "kdapl",
	.ia_open_func = ia_open,
	.ia_query_func = dat_ia_query,
	.ia_close_func = dat_ia_close,
	.ia_memtype_hint_func = dat_ia_memtype_hint,
	.set_consumer_context_func = dat_set_consumer_context,
	.get_consumer_context_func = dat_get_consumer_context,
	.get_handle_type_func = dat_get_handle_type,
	.cr_query_func = dat_cr_query,
	.cr_accept_func = dat_cr_accept,
	.cr_reject_func = dat_cr_reject,
	.cr_handoff_func = dat_cr_handoff,
	.evd_kcreate_func = dat_evd_kcreate,
	.evd_query_func = dat_evd_query,
	.evd_modify_upcall_func = dat_evd_modify_upcall,
	.evd_resize_func = dat_evd_resize,
	.evd_post_se_func = dat_evd_post_se,
	.evd_dequeue_func = dat_evd_dequeue,
	.evd_free_func = dat_evd_free,
	.ep_create_func = dat_ep_create,
	.ep_query_func = dat_ep_query,
	.ep_modify_func = dat_ep_modify,
	.ep_connect_func = dat_ep_connect,
	.ep_dup_connect_func = dat_ep_dup_connect,
	.ep_disconnect_func = dat_ep_disconnect,
	.ep_post_send_func = dat_ep_post_send,
	.ep_post_recv_func = dat_ep_post_recv,
	.ep_post_rdma_read_func = dat_ep_post_rdma_read,
	.ep_post_rdma_write_func = dat_ep_post_rdma_write,
	.ep_get_status_func = dat_ep_get_status,
	.ep_free_func = dat_ep_free,
	.lmr_kcreate_func = dat_lmr_kcreate,
	.lmr_query_func = dat_lmr_query,
	.lmr_free_func = dat_lmr_free,
	.rmr_create_func = dat_rmr_create,
	.rmr_query_func = dat_rmr_query,
	.rmr_bind_func = dat_rmr_bind,
	.rmr_free_func = dat_rmr_free,
	.psp_create_func = dat_psp_create,
	.psp_query_func = dat_psp_query,
	.psp_free_func = dat_psp_free,
	.rsp_create_func = dat_rsp_create,
	.rsp_query_func = dat_rsp_query,
	.rsp_free_func = dat_rsp_free,
	.pz_create_func = dat_pz_create,
	.pz_query_func = dat_pz_query,
	.pz_free_func = dat_pz_free,
	.psp_create_any_func = dat_psp_create_any,
	.ep_reset_func = dat_ep_reset,
	.lmr_sync_rdma_read_func = dat_lmr_sync_rdma_read,
	.lmr_sync_rdma_write_func = dat_lmr_sync_rdma_write,
	.ep_create_with_srq_func = dat_ep_create_with_srq,
	.ep_recv_query_func = dat_ep_recv_query,
	.ep_set_watermark_func = dat_ep_set_watermark,
	.srq_create_func = dat_srq_create,
	.srq_free_func = dat_srq_free,
	.srq_post_recv_func = dat_srq_post_recv,
	.srq_query_func = dat_srq_query,
	.srq_resize_func = dat_srq_resize,
	.srq_set_lw_func = dat_srq_set_lw,
	.csp_create_func = dat_csp_create,
	.csp_query_func = dat_csp_query,
	.csp_free_func = dat_csp_free,
	.ep_common_connect_func = dat_ep_common_connect,
	.rmr_create_for_ep_func = dat_rmr_create_for_ep,
	.ep_post_send_with_invalidate_func = dat_ep_post_send_with_invalidate,
	.ep_post_rdma_read_to_rmr_func = dat_ep_post_rdma_read_to_rmr,
	.lmr_allocate_func = dat_lmr_allocate,
	.lmr_fmr_func = dat_lmr_fmr,
	.lmr_invalidate_func = dat_lmr_invalidate,
	.ia_reserved_lmr_func = dat_ia_reserved_lmr,
	.handle_extendedop_func = handle_extendedop,
	.ia_ha_related_func = ia_ha_related,
};

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The calls as this library's own objects answer them. What programs call
 * (redirect.cpp, registry.cpp) comes here unless the handle is of another
 * provider. A version's table.hpp has its table of them.
 */
#pragma once

#include "face.hpp"
#include "provider.hpp"

#include <string>

namespace face_own {

decltype(::dat_ia_query) dat_ia_query;
decltype(::dat_ia_close) dat_ia_close;
decltype(::dat_set_consumer_context) dat_set_consumer_context;
decltype(::dat_get_consumer_context) dat_get_consumer_context;
decltype(::dat_get_handle_type) dat_get_handle_type;
decltype(::dat_cno_create) dat_cno_create;
decltype(::dat_cno_modify_agent) dat_cno_modify_agent;
decltype(::dat_cno_query) dat_cno_query;
decltype(::dat_cno_free) dat_cno_free;
decltype(::dat_cno_wait) dat_cno_wait;
decltype(::dat_cr_query) dat_cr_query;
decltype(::dat_cr_accept) dat_cr_accept;
decltype(::dat_cr_reject) dat_cr_reject;
decltype(::dat_cr_handoff) dat_cr_handoff;
decltype(::dat_evd_create) dat_evd_create;
decltype(::dat_evd_query) dat_evd_query;
decltype(::dat_evd_modify_cno) dat_evd_modify_cno;
decltype(::dat_evd_enable) dat_evd_enable;
decltype(::dat_evd_disable) dat_evd_disable;
decltype(::dat_evd_wait) dat_evd_wait;
decltype(::dat_evd_resize) dat_evd_resize;
decltype(::dat_evd_post_se) dat_evd_post_se;
decltype(::dat_evd_dequeue) dat_evd_dequeue;
decltype(::dat_evd_free) dat_evd_free;
decltype(::dat_ep_create) dat_ep_create;
decltype(::dat_ep_query) dat_ep_query;
decltype(::dat_ep_modify) dat_ep_modify;
decltype(::dat_ep_connect) dat_ep_connect;
decltype(::dat_ep_dup_connect) dat_ep_dup_connect;
decltype(::dat_ep_disconnect) dat_ep_disconnect;
decltype(::dat_ep_post_send) dat_ep_post_send;
decltype(::dat_ep_post_recv) dat_ep_post_recv;
decltype(::dat_ep_post_rdma_read) dat_ep_post_rdma_read;
decltype(::dat_ep_post_rdma_write) dat_ep_post_rdma_write;
decltype(::dat_ep_get_status) dat_ep_get_status;
decltype(::dat_ep_free) dat_ep_free;
decltype(::dat_lmr_create) dat_lmr_create;
decltype(::dat_lmr_query) dat_lmr_query;
decltype(::dat_lmr_free) dat_lmr_free;
decltype(::dat_rmr_create) dat_rmr_create;
decltype(::dat_rmr_query) dat_rmr_query;
decltype(::dat_rmr_bind) dat_rmr_bind;
decltype(::dat_rmr_free) dat_rmr_free;
decltype(::dat_psp_create) dat_psp_create;
decltype(::dat_psp_query) dat_psp_query;
decltype(::dat_psp_free) dat_psp_free;
decltype(::dat_rsp_create) dat_rsp_create;
decltype(::dat_rsp_query) dat_rsp_query;
decltype(::dat_rsp_free) dat_rsp_free;
decltype(::dat_pz_create) dat_pz_create;
decltype(::dat_pz_query) dat_pz_query;
decltype(::dat_pz_free) dat_pz_free;
decltype(::dat_psp_create_any) dat_psp_create_any;
decltype(::dat_ep_reset) dat_ep_reset;
decltype(::dat_evd_set_unwaitable) dat_evd_set_unwaitable;
decltype(::dat_evd_clear_unwaitable) dat_evd_clear_unwaitable;
decltype(::dat_lmr_sync_rdma_read) dat_lmr_sync_rdma_read;
decltype(::dat_lmr_sync_rdma_write) dat_lmr_sync_rdma_write;
decltype(::dat_ep_create_with_srq) dat_ep_create_with_srq;
decltype(::dat_ep_recv_query) dat_ep_recv_query;
decltype(::dat_ep_set_watermark) dat_ep_set_watermark;
decltype(::dat_srq_create) dat_srq_create;
decltype(::dat_srq_free) dat_srq_free;
decltype(::dat_srq_post_recv) dat_srq_post_recv;
decltype(::dat_srq_query) dat_srq_query;
decltype(::dat_srq_resize) dat_srq_resize;
decltype(::dat_srq_set_lw) dat_srq_set_lw;

/** dat_ia_openv() for an adapter that is registered by its name, thread-safe or not. */
DAT_RETURN ia_open_name(const char *ia_name, bool thread_safe, DAT_COUNT async_min_qlen,
			DAT_EVD_HANDLE *async_evd, DAT_IA_HANDLE *ia_handle, bool ro_aware);

/** The same for one that is known to be registered so. */
DAT_RETURN ia_open_device(const std::string &ia_name, const face::Registered &as,
			  DAT_COUNT async_min_qlen, DAT_EVD_HANDLE *async_evd,
			  DAT_IA_HANDLE *ia_handle, bool ro_aware);

/*
 * Calls whose arguments differ between versions; what all have in common. Results
 * count the arguments as 1.2 does. They may throw.
 */

/** dat_cr_reject() */
face::Status cr_reject(DAT_CR_HANDLE cr_handle, DAT_COUNT private_data_size,
		       const void *private_data);

/** The arguments of dat_lmr_create(). */
struct LmrCreate {
	DAT_IA_HANDLE ia;
	DAT_MEM_TYPE mem_type;
	DAT_REGION_DESCRIPTION region;
	DAT_VLEN length;
	DAT_PZ_HANDLE pz;
	DAT_MEM_PRIV_FLAGS privileges;
	DAT_LMR_HANDLE *lmr;
	DAT_LMR_CONTEXT *lmr_context;
	DAT_RMR_CONTEXT *rmr_context;
	DAT_VLEN *registered_size;
	DAT_VADDR *registered_address;
};
face::Status lmr_create(const LmrCreate &asked);

/** The arguments of dat_rmr_bind(). */
struct RmrBind {
	DAT_RMR_HANDLE rmr;
	const DAT_LMR_TRIPLET *lmr_triplet;
	DAT_MEM_PRIV_FLAGS privileges;
	DAT_EP_HANDLE ep;
	DAT_RMR_COOKIE cookie;
	DAT_COMPLETION_FLAGS flags;
	DAT_RMR_CONTEXT *context;
};
face::Status rmr_bind(const RmrBind &asked);

/* The entries that all versions have alike. A version may have others besides. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
inline constexpr DAT_PROVIDER shared_entries = {
	.device_name = nullptr,
	.extension = nullptr,
	.ia_open_func = nullptr,
	.ia_query_func = dat_ia_query,
	.ia_close_func = dat_ia_close,
	.set_consumer_context_func = dat_set_consumer_context,
	.get_consumer_context_func = dat_get_consumer_context,
	.get_handle_type_func = dat_get_handle_type,
	.cno_create_func = dat_cno_create,
	.cno_modify_agent_func = dat_cno_modify_agent,
	.cno_query_func = dat_cno_query,
	.cno_free_func = dat_cno_free,
	.cno_wait_func = dat_cno_wait,
	.cr_query_func = dat_cr_query,
	.cr_accept_func = dat_cr_accept,
	.cr_reject_func = dat_cr_reject,
	.cr_handoff_func = dat_cr_handoff,
	.evd_create_func = dat_evd_create,
	.evd_query_func = dat_evd_query,
	.evd_modify_cno_func = dat_evd_modify_cno,
	.evd_enable_func = dat_evd_enable,
	.evd_disable_func = dat_evd_disable,
	.evd_wait_func = dat_evd_wait,
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
	.lmr_create_func = dat_lmr_create,
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
	.evd_set_unwaitable_func = dat_evd_set_unwaitable,
	.evd_clear_unwaitable_func = dat_evd_clear_unwaitable,
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
};
#pragma GCC diagnostic pop

} // namespace face_own

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For providers and for the registry, not for programs: the type of each entry
 * point of a provider.
 *
 * Each is the type of the public call of the same name; only ia_open differs.
 */
#ifndef _DAT_REDIRECTION_H_
#define _DAT_REDIRECTION_H_

#include <dat/dat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A provider's table of entry points; see udat_redirection.h. */
typedef struct dat_provider DAT_PROVIDER;

/** The first word of every object points to the table of its provider. */
#define DAT_HANDLE_TO_PROVIDER(handle) (*(DAT_PROVIDER **)(handle))

/**
 * Opens an adapter. The version is settled already, and the name has lost its
 * prefix RO_AWARE_; ro_aware_client tells whether it had one.
 */
typedef DAT_RETURN (*DAT_IA_OPEN_FUNC)(const DAT_NAME_PTR ia_name, DAT_COUNT async_min_qlen,
		DAT_EVD_HANDLE *async_evd, DAT_IA_HANDLE *ia_handle,
		DAT_BOOLEAN ro_aware_client);

/* ---- Adapters and handles of any kind ---- */

/** dat_ia_query() */
typedef DAT_RETURN (*DAT_IA_QUERY_FUNC)(DAT_IA_HANDLE, DAT_EVD_HANDLE *, DAT_IA_ATTR_MASK,
		DAT_IA_ATTR *, DAT_PROVIDER_ATTR_MASK, DAT_PROVIDER_ATTR *);
/** dat_ia_close() */
typedef DAT_RETURN (*DAT_IA_CLOSE_FUNC)(DAT_IA_HANDLE, DAT_CLOSE_FLAGS);
/** dat_set_consumer_context() */
typedef DAT_RETURN (*DAT_SET_CONSUMER_CONTEXT_FUNC)(DAT_HANDLE, DAT_CONTEXT);
/** dat_get_consumer_context() */
typedef DAT_RETURN (*DAT_GET_CONSUMER_CONTEXT_FUNC)(DAT_HANDLE, DAT_CONTEXT *);
/** dat_get_handle_type() */
typedef DAT_RETURN (*DAT_GET_HANDLE_TYPE_FUNC)(DAT_HANDLE, DAT_HANDLE_TYPE *);

/* ---- Notification objects ---- */

/** dat_cno_create() */
typedef DAT_RETURN (*DAT_CNO_CREATE_FUNC)(DAT_IA_HANDLE, DAT_OS_WAIT_PROXY_AGENT,
		DAT_CNO_HANDLE *);
/** dat_cno_modify_agent() */
typedef DAT_RETURN (*DAT_CNO_MODIFY_AGENT_FUNC)(DAT_CNO_HANDLE, DAT_OS_WAIT_PROXY_AGENT);
/** dat_cno_query() */
typedef DAT_RETURN (*DAT_CNO_QUERY_FUNC)(DAT_CNO_HANDLE, DAT_CNO_PARAM_MASK, DAT_CNO_PARAM *);
/** dat_cno_free() */
typedef DAT_RETURN (*DAT_CNO_FREE_FUNC)(DAT_CNO_HANDLE);
/** dat_cno_wait() */
typedef DAT_RETURN (*DAT_CNO_WAIT_FUNC)(DAT_CNO_HANDLE, DAT_TIMEOUT, DAT_EVD_HANDLE *);

/* ---- Connection requests ---- */

/** dat_cr_query() */
typedef DAT_RETURN (*DAT_CR_QUERY_FUNC)(DAT_CR_HANDLE, DAT_CR_PARAM_MASK, DAT_CR_PARAM *);
/** dat_cr_accept() */
typedef DAT_RETURN (*DAT_CR_ACCEPT_FUNC)(DAT_CR_HANDLE, DAT_EP_HANDLE, DAT_COUNT,
		const DAT_PVOID);
/** dat_cr_reject() */
typedef DAT_RETURN (*DAT_CR_REJECT_FUNC)(DAT_CR_HANDLE);
/** dat_cr_handoff() */
typedef DAT_RETURN (*DAT_CR_HANDOFF_FUNC)(DAT_CR_HANDLE, DAT_CONN_QUAL);

/* ---- Event dispatchers ---- */

/** dat_evd_create() */
typedef DAT_RETURN (*DAT_EVD_CREATE_FUNC)(DAT_IA_HANDLE, DAT_COUNT, DAT_CNO_HANDLE,
		DAT_EVD_FLAGS, DAT_EVD_HANDLE *);
/** dat_evd_query() */
typedef DAT_RETURN (*DAT_EVD_QUERY_FUNC)(DAT_EVD_HANDLE, DAT_EVD_PARAM_MASK, DAT_EVD_PARAM *);
/** dat_evd_modify_cno() */
typedef DAT_RETURN (*DAT_EVD_MODIFY_CNO_FUNC)(DAT_EVD_HANDLE, DAT_CNO_HANDLE);
/** dat_evd_enable() */
typedef DAT_RETURN (*DAT_EVD_ENABLE_FUNC)(DAT_EVD_HANDLE);
/** dat_evd_disable() */
typedef DAT_RETURN (*DAT_EVD_DISABLE_FUNC)(DAT_EVD_HANDLE);
/** dat_evd_wait() */
typedef DAT_RETURN (*DAT_EVD_WAIT_FUNC)(DAT_EVD_HANDLE, DAT_TIMEOUT, DAT_COUNT, DAT_EVENT *,
		DAT_COUNT *);
/** dat_evd_resize() */
typedef DAT_RETURN (*DAT_EVD_RESIZE_FUNC)(DAT_EVD_HANDLE, DAT_COUNT);
/** dat_evd_post_se() */
typedef DAT_RETURN (*DAT_EVD_POST_SE_FUNC)(DAT_EVD_HANDLE, const DAT_EVENT *);
/** dat_evd_dequeue() */
typedef DAT_RETURN (*DAT_EVD_DEQUEUE_FUNC)(DAT_EVD_HANDLE, DAT_EVENT *);
/** dat_evd_free() */
typedef DAT_RETURN (*DAT_EVD_FREE_FUNC)(DAT_EVD_HANDLE);
/** dat_evd_set_unwaitable() */
typedef DAT_RETURN (*DAT_EVD_SET_UNWAITABLE_FUNC)(DAT_EVD_HANDLE);
/** dat_evd_clear_unwaitable() */
typedef DAT_RETURN (*DAT_EVD_CLEAR_UNWAITABLE_FUNC)(DAT_EVD_HANDLE);

/* ---- Endpoints and transfers ---- */

/** dat_ep_create() */
typedef DAT_RETURN (*DAT_EP_CREATE_FUNC)(DAT_IA_HANDLE, DAT_PZ_HANDLE, DAT_EVD_HANDLE,
		DAT_EVD_HANDLE, DAT_EVD_HANDLE, const DAT_EP_ATTR *, DAT_EP_HANDLE *);
/** dat_ep_create_with_srq() */
typedef DAT_RETURN (*DAT_EP_CREATE_WITH_SRQ_FUNC)(DAT_IA_HANDLE, DAT_PZ_HANDLE, DAT_EVD_HANDLE,
		DAT_EVD_HANDLE, DAT_EVD_HANDLE, DAT_SRQ_HANDLE, const DAT_EP_ATTR *,
		DAT_EP_HANDLE *);
/** dat_ep_query() */
typedef DAT_RETURN (*DAT_EP_QUERY_FUNC)(DAT_EP_HANDLE, DAT_EP_PARAM_MASK, DAT_EP_PARAM *);
/** dat_ep_modify() */
typedef DAT_RETURN (*DAT_EP_MODIFY_FUNC)(DAT_EP_HANDLE, DAT_EP_PARAM_MASK,
		const DAT_EP_PARAM *);
/** dat_ep_connect() */
typedef DAT_RETURN (*DAT_EP_CONNECT_FUNC)(DAT_EP_HANDLE, DAT_IA_ADDRESS_PTR, DAT_CONN_QUAL,
		DAT_TIMEOUT, DAT_COUNT, const DAT_PVOID, DAT_QOS, DAT_CONNECT_FLAGS);
/** dat_ep_dup_connect() */
typedef DAT_RETURN (*DAT_EP_DUP_CONNECT_FUNC)(DAT_EP_HANDLE, DAT_EP_HANDLE, DAT_TIMEOUT,
		DAT_COUNT, const DAT_PVOID, DAT_QOS);
/** dat_ep_disconnect() */
typedef DAT_RETURN (*DAT_EP_DISCONNECT_FUNC)(DAT_EP_HANDLE, DAT_CLOSE_FLAGS);
/** dat_ep_post_send() */
typedef DAT_RETURN (*DAT_EP_POST_SEND_FUNC)(DAT_EP_HANDLE, DAT_COUNT, DAT_LMR_TRIPLET *,
		DAT_DTO_COOKIE, DAT_COMPLETION_FLAGS);
/** dat_ep_post_recv() */
typedef DAT_RETURN (*DAT_EP_POST_RECV_FUNC)(DAT_EP_HANDLE, DAT_COUNT, DAT_LMR_TRIPLET *,
		DAT_DTO_COOKIE, DAT_COMPLETION_FLAGS);
/** dat_ep_post_rdma_read() */
typedef DAT_RETURN (*DAT_EP_POST_RDMA_READ_FUNC)(DAT_EP_HANDLE, DAT_COUNT, DAT_LMR_TRIPLET *,
		DAT_DTO_COOKIE, const DAT_RMR_TRIPLET *, DAT_COMPLETION_FLAGS);
/** dat_ep_post_rdma_write() */
typedef DAT_RETURN (*DAT_EP_POST_RDMA_WRITE_FUNC)(DAT_EP_HANDLE, DAT_COUNT, DAT_LMR_TRIPLET *,
		DAT_DTO_COOKIE, const DAT_RMR_TRIPLET *, DAT_COMPLETION_FLAGS);
/** dat_ep_get_status() */
typedef DAT_RETURN (*DAT_EP_GET_STATUS_FUNC)(DAT_EP_HANDLE, DAT_EP_STATE *, DAT_BOOLEAN *,
		DAT_BOOLEAN *);
/** dat_ep_free() */
typedef DAT_RETURN (*DAT_EP_FREE_FUNC)(DAT_EP_HANDLE);
/** dat_ep_reset() */
typedef DAT_RETURN (*DAT_EP_RESET_FUNC)(DAT_EP_HANDLE);
/** dat_ep_recv_query() */
typedef DAT_RETURN (*DAT_EP_RECV_QUERY_FUNC)(DAT_EP_HANDLE, DAT_COUNT *, DAT_COUNT *);
/** dat_ep_set_watermark() */
typedef DAT_RETURN (*DAT_EP_SET_WATERMARK_FUNC)(DAT_EP_HANDLE, DAT_COUNT, DAT_COUNT);

/* ---- Memory ---- */

/** dat_pz_create() */
typedef DAT_RETURN (*DAT_PZ_CREATE_FUNC)(DAT_IA_HANDLE, DAT_PZ_HANDLE *);
/** dat_pz_query() */
typedef DAT_RETURN (*DAT_PZ_QUERY_FUNC)(DAT_PZ_HANDLE, DAT_PZ_PARAM_MASK, DAT_PZ_PARAM *);
/** dat_pz_free() */
typedef DAT_RETURN (*DAT_PZ_FREE_FUNC)(DAT_PZ_HANDLE);
/** dat_lmr_create() */
typedef DAT_RETURN (*DAT_LMR_CREATE_FUNC)(DAT_IA_HANDLE, DAT_MEM_TYPE, DAT_REGION_DESCRIPTION,
		DAT_VLEN, DAT_PZ_HANDLE, DAT_MEM_PRIV_FLAGS, DAT_LMR_HANDLE *,
		DAT_LMR_CONTEXT *, DAT_RMR_CONTEXT *, DAT_VLEN *, DAT_VADDR *);
/** dat_lmr_query() */
typedef DAT_RETURN (*DAT_LMR_QUERY_FUNC)(DAT_LMR_HANDLE, DAT_LMR_PARAM_MASK, DAT_LMR_PARAM *);
/** dat_lmr_free() */
typedef DAT_RETURN (*DAT_LMR_FREE_FUNC)(DAT_LMR_HANDLE);
/** dat_lmr_sync_rdma_read() */
typedef DAT_RETURN (*DAT_LMR_SYNC_RDMA_READ_FUNC)(DAT_IA_HANDLE, const DAT_LMR_TRIPLET *,
		DAT_VLEN);
/** dat_lmr_sync_rdma_write() */
typedef DAT_RETURN (*DAT_LMR_SYNC_RDMA_WRITE_FUNC)(DAT_IA_HANDLE, const DAT_LMR_TRIPLET *,
		DAT_VLEN);
/** dat_rmr_create() */
typedef DAT_RETURN (*DAT_RMR_CREATE_FUNC)(DAT_PZ_HANDLE, DAT_RMR_HANDLE *);
/** dat_rmr_query() */
typedef DAT_RETURN (*DAT_RMR_QUERY_FUNC)(DAT_RMR_HANDLE, DAT_RMR_PARAM_MASK, DAT_RMR_PARAM *);
/** dat_rmr_bind() */
typedef DAT_RETURN (*DAT_RMR_BIND_FUNC)(DAT_RMR_HANDLE, const DAT_LMR_TRIPLET *,
		DAT_MEM_PRIV_FLAGS, DAT_EP_HANDLE, DAT_RMR_COOKIE, DAT_COMPLETION_FLAGS,
		DAT_RMR_CONTEXT *);
/** dat_rmr_free() */
typedef DAT_RETURN (*DAT_RMR_FREE_FUNC)(DAT_RMR_HANDLE);

/* ---- Service points ---- */

/** dat_psp_create() */
typedef DAT_RETURN (*DAT_PSP_CREATE_FUNC)(DAT_IA_HANDLE, DAT_CONN_QUAL, DAT_EVD_HANDLE,
		DAT_PSP_FLAGS, DAT_PSP_HANDLE *);
/** dat_psp_create_any() */
typedef DAT_RETURN (*DAT_PSP_CREATE_ANY_FUNC)(DAT_IA_HANDLE, DAT_CONN_QUAL *, DAT_EVD_HANDLE,
		DAT_PSP_FLAGS, DAT_PSP_HANDLE *);
/** dat_psp_query() */
typedef DAT_RETURN (*DAT_PSP_QUERY_FUNC)(DAT_PSP_HANDLE, DAT_PSP_PARAM_MASK, DAT_PSP_PARAM *);
/** dat_psp_free() */
typedef DAT_RETURN (*DAT_PSP_FREE_FUNC)(DAT_PSP_HANDLE);
/** dat_rsp_create() */
typedef DAT_RETURN (*DAT_RSP_CREATE_FUNC)(DAT_IA_HANDLE, DAT_CONN_QUAL, DAT_EP_HANDLE,
		DAT_EVD_HANDLE, DAT_RSP_HANDLE *);
/** dat_rsp_query() */
typedef DAT_RETURN (*DAT_RSP_QUERY_FUNC)(DAT_RSP_HANDLE, DAT_RSP_PARAM_MASK, DAT_RSP_PARAM *);
/** dat_rsp_free() */
typedef DAT_RETURN (*DAT_RSP_FREE_FUNC)(DAT_RSP_HANDLE);

/* ---- Shared receive queues ---- */

/** dat_srq_create() */
typedef DAT_RETURN (*DAT_SRQ_CREATE_FUNC)(DAT_IA_HANDLE, DAT_PZ_HANDLE, DAT_SRQ_ATTR *,
		DAT_SRQ_HANDLE *);
/** dat_srq_free() */
typedef DAT_RETURN (*DAT_SRQ_FREE_FUNC)(DAT_SRQ_HANDLE);
/** dat_srq_post_recv() */
typedef DAT_RETURN (*DAT_SRQ_POST_RECV_FUNC)(DAT_SRQ_HANDLE, DAT_COUNT, DAT_LMR_TRIPLET *,
		DAT_DTO_COOKIE);
/** dat_srq_query() */
typedef DAT_RETURN (*DAT_SRQ_QUERY_FUNC)(DAT_SRQ_HANDLE, DAT_SRQ_PARAM_MASK, DAT_SRQ_PARAM *);
/** dat_srq_resize() */
typedef DAT_RETURN (*DAT_SRQ_RESIZE_FUNC)(DAT_SRQ_HANDLE, DAT_COUNT);
/** dat_srq_set_lw() */
typedef DAT_RETURN (*DAT_SRQ_SET_LW_FUNC)(DAT_SRQ_HANDLE, DAT_COUNT);

#ifdef __cplusplus
}
#endif

#endif /* _DAT_REDIRECTION_H_ */

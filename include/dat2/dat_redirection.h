/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types of the calls that a provider's table has, as far as both sides have them. The
 * tables are in udat_redirection.h and kdat_redirection.h.
 */
#ifndef _DAT_REDIRECTION_H_
#define _DAT_REDIRECTION_H_

#include <dat2/dat.h>

#ifdef __KERNEL__
#include <linux/stdarg.h>
#else
#include <stdarg.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dat_provider DAT_PROVIDER;

/* The first word of every object is its provider's table. */
#define DAT_HANDLE_TO_PROVIDER(handle)	(*(const DAT_PROVIDER **)(handle))

/* What the registry makes of dat_ia_openv(): the version is settled. */
typedef DAT_RETURN (*DAT_IA_OPEN_FUNC)(const DAT_NAME_PTR name, DAT_COUNT qlen,
				       DAT_EVD_HANDLE *async_evd,
				       DAT_IA_HANDLE *ia);
/* Whether two adapters back each other up. */
typedef DAT_RETURN (*DAT_IA_HA_RELATED_FUNC)(DAT_IA_HANDLE ia,
					     const DAT_NAME_PTR name,
					     DAT_BOOLEAN *answer);
/* A call that some providers have beyond DAT. */
typedef DAT_RETURN (*DAT_HANDLE_EXTENDEDOP_FUNC)(DAT_HANDLE handle, int op,
						 va_list args);

typedef __typeof__(&dat_ia_openv) DAT_IA_OPENV_FUNC;
typedef __typeof__(&dat_ia_query) DAT_IA_QUERY_FUNC;
typedef __typeof__(&dat_ia_close) DAT_IA_CLOSE_FUNC;
typedef __typeof__(&dat_set_consumer_context) DAT_SET_CONSUMER_CONTEXT_FUNC;
typedef __typeof__(&dat_get_consumer_context) DAT_GET_CONSUMER_CONTEXT_FUNC;
typedef __typeof__(&dat_get_handle_type) DAT_GET_HANDLE_TYPE_FUNC;
typedef __typeof__(&dat_pz_create) DAT_PZ_CREATE_FUNC;
typedef __typeof__(&dat_pz_query) DAT_PZ_QUERY_FUNC;
typedef __typeof__(&dat_pz_free) DAT_PZ_FREE_FUNC;
typedef __typeof__(&dat_evd_query) DAT_EVD_QUERY_FUNC;
typedef __typeof__(&dat_evd_resize) DAT_EVD_RESIZE_FUNC;
typedef __typeof__(&dat_evd_dequeue) DAT_EVD_DEQUEUE_FUNC;
typedef __typeof__(&dat_evd_post_se) DAT_EVD_POST_SE_FUNC;
typedef __typeof__(&dat_evd_free) DAT_EVD_FREE_FUNC;
typedef __typeof__(&dat_ep_create) DAT_EP_CREATE_FUNC;
typedef __typeof__(&dat_ep_create_with_srq) DAT_EP_CREATE_WITH_SRQ_FUNC;
typedef __typeof__(&dat_ep_query) DAT_EP_QUERY_FUNC;
typedef __typeof__(&dat_ep_modify) DAT_EP_MODIFY_FUNC;
typedef __typeof__(&dat_ep_connect) DAT_EP_CONNECT_FUNC;
typedef __typeof__(&dat_ep_dup_connect) DAT_EP_DUP_CONNECT_FUNC;
typedef __typeof__(&dat_ep_common_connect) DAT_EP_COMMON_CONNECT_FUNC;
typedef __typeof__(&dat_ep_disconnect) DAT_EP_DISCONNECT_FUNC;
typedef __typeof__(&dat_ep_reset) DAT_EP_RESET_FUNC;
typedef __typeof__(&dat_ep_free) DAT_EP_FREE_FUNC;
typedef __typeof__(&dat_ep_get_status) DAT_EP_GET_STATUS_FUNC;
typedef __typeof__(&dat_ep_recv_query) DAT_EP_RECV_QUERY_FUNC;
typedef __typeof__(&dat_ep_set_watermark) DAT_EP_SET_WATERMARK_FUNC;
typedef __typeof__(&dat_ep_post_send) DAT_EP_POST_SEND_FUNC;
typedef __typeof__(&dat_ep_post_send_with_invalidate) DAT_EP_POST_SEND_WITH_INVALIDATE_FUNC;
typedef __typeof__(&dat_ep_post_recv) DAT_EP_POST_RECV_FUNC;
typedef __typeof__(&dat_ep_post_rdma_read) DAT_EP_POST_RDMA_READ_FUNC;
typedef __typeof__(&dat_ep_post_rdma_write) DAT_EP_POST_RDMA_WRITE_FUNC;
typedef __typeof__(&dat_ep_post_rdma_read_to_rmr) DAT_EP_POST_RDMA_READ_TO_RMR_FUNC;
typedef __typeof__(&dat_srq_create) DAT_SRQ_CREATE_FUNC;
typedef __typeof__(&dat_srq_query) DAT_SRQ_QUERY_FUNC;
typedef __typeof__(&dat_srq_post_recv) DAT_SRQ_POST_RECV_FUNC;
typedef __typeof__(&dat_srq_resize) DAT_SRQ_RESIZE_FUNC;
typedef __typeof__(&dat_srq_set_lw) DAT_SRQ_SET_LW_FUNC;
typedef __typeof__(&dat_srq_free) DAT_SRQ_FREE_FUNC;
typedef __typeof__(&dat_psp_create) DAT_PSP_CREATE_FUNC;
typedef __typeof__(&dat_psp_create_any) DAT_PSP_CREATE_ANY_FUNC;
typedef __typeof__(&dat_psp_query) DAT_PSP_QUERY_FUNC;
typedef __typeof__(&dat_psp_free) DAT_PSP_FREE_FUNC;
typedef __typeof__(&dat_rsp_create) DAT_RSP_CREATE_FUNC;
typedef __typeof__(&dat_rsp_query) DAT_RSP_QUERY_FUNC;
typedef __typeof__(&dat_rsp_free) DAT_RSP_FREE_FUNC;
typedef __typeof__(&dat_csp_create) DAT_CSP_CREATE_FUNC;
typedef __typeof__(&dat_csp_query) DAT_CSP_QUERY_FUNC;
typedef __typeof__(&dat_csp_free) DAT_CSP_FREE_FUNC;
typedef __typeof__(&dat_cr_query) DAT_CR_QUERY_FUNC;
typedef __typeof__(&dat_cr_accept) DAT_CR_ACCEPT_FUNC;
typedef __typeof__(&dat_cr_reject) DAT_CR_REJECT_FUNC;
typedef __typeof__(&dat_cr_handoff) DAT_CR_HANDOFF_FUNC;
typedef __typeof__(&dat_lmr_free) DAT_LMR_FREE_FUNC;
typedef __typeof__(&dat_lmr_sync_rdma_read) DAT_LMR_SYNC_RDMA_READ_FUNC;
typedef __typeof__(&dat_lmr_sync_rdma_write) DAT_LMR_SYNC_RDMA_WRITE_FUNC;
typedef __typeof__(&dat_rmr_create) DAT_RMR_CREATE_FUNC;
typedef __typeof__(&dat_rmr_create_for_ep) DAT_RMR_CREATE_FOR_EP_FUNC;
typedef __typeof__(&dat_rmr_query) DAT_RMR_QUERY_FUNC;
typedef __typeof__(&dat_rmr_bind) DAT_RMR_BIND_FUNC;
typedef __typeof__(&dat_rmr_free) DAT_RMR_FREE_FUNC;

#ifdef __cplusplus
}
#endif

#endif /* _DAT_REDIRECTION_H_ */

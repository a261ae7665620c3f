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
#define DAT_HANDLE_TO_PROVIDER(handle) (*(const DAT_PROVIDER **)(handle))

/* What the registry makes of dat_ia_openv(): the version is settled. */
typedef DAT_RETURN (*DAT_IA_OPEN_FUNC)(const DAT_NAME_PTR name, DAT_COUNT qlen,
				       DAT_EVD_HANDLE *async_evd, DAT_IA_HANDLE *ia);
/* Whether two adapters back each other up. */
typedef DAT_RETURN (*DAT_IA_HA_RELATED_FUNC)(DAT_IA_HANDLE ia, const DAT_NAME_PTR name,
					     DAT_BOOLEAN *answer);
/* A call that some providers have beyond DAT. */
typedef DAT_RETURN (*DAT_HANDLE_EXTENDEDOP_FUNC)(DAT_HANDLE handle, int op, va_list args);

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

/*
 * The calls by the table of a handle's provider, which a registry is made of. Their
 * arguments are those of the call of that name.
 */
/* Calls what the table of the handle's provider has. */
#define DAT_CALL_PROVIDER(handle, call, ...) \
	(DAT_HANDLE_TO_PROVIDER(handle)->call##_func(__VA_ARGS__))
#define DAT_IA_QUERY(ia, ...) DAT_CALL_PROVIDER(ia, ia_query, ia, __VA_ARGS__)
#define DAT_SET_CONSUMER_CONTEXT(handle, ...) \
	DAT_CALL_PROVIDER(handle, set_consumer_context, handle, __VA_ARGS__)
#define DAT_GET_CONSUMER_CONTEXT(handle, ...) \
	DAT_CALL_PROVIDER(handle, get_consumer_context, handle, __VA_ARGS__)
#define DAT_GET_HANDLE_TYPE(handle, ...) \
	DAT_CALL_PROVIDER(handle, get_handle_type, handle, __VA_ARGS__)
#define DAT_CR_QUERY(cr, ...) DAT_CALL_PROVIDER(cr, cr_query, cr, __VA_ARGS__)
#define DAT_CR_ACCEPT(cr, ...) DAT_CALL_PROVIDER(cr, cr_accept, cr, __VA_ARGS__)
#define DAT_CR_REJECT(cr, ...) DAT_CALL_PROVIDER(cr, cr_reject, cr, __VA_ARGS__)
#define DAT_CR_HANDOFF(cr, ...) DAT_CALL_PROVIDER(cr, cr_handoff, cr, __VA_ARGS__)
#define DAT_EVD_QUERY(evd, ...) DAT_CALL_PROVIDER(evd, evd_query, evd, __VA_ARGS__)
#define DAT_EVD_RESIZE(evd, ...) DAT_CALL_PROVIDER(evd, evd_resize, evd, __VA_ARGS__)
#define DAT_EVD_POST_SE(evd, ...) DAT_CALL_PROVIDER(evd, evd_post_se, evd, __VA_ARGS__)
#define DAT_EVD_DEQUEUE(evd, ...) DAT_CALL_PROVIDER(evd, evd_dequeue, evd, __VA_ARGS__)
#define DAT_EVD_FREE(evd) DAT_CALL_PROVIDER(evd, evd_free, evd)
#define DAT_EP_CREATE(ia, ...) DAT_CALL_PROVIDER(ia, ep_create, ia, __VA_ARGS__)
#define DAT_EP_CREATE_WITH_SRQ(ia, ...) DAT_CALL_PROVIDER(ia, ep_create_with_srq, ia, __VA_ARGS__)
#define DAT_EP_QUERY(ep, ...) DAT_CALL_PROVIDER(ep, ep_query, ep, __VA_ARGS__)
#define DAT_EP_MODIFY(ep, ...) DAT_CALL_PROVIDER(ep, ep_modify, ep, __VA_ARGS__)
#define DAT_EP_CONNECT(ep, ...) DAT_CALL_PROVIDER(ep, ep_connect, ep, __VA_ARGS__)
#define DAT_EP_COMMON_CONNECT(ep, ...) DAT_CALL_PROVIDER(ep, ep_common_connect, ep, __VA_ARGS__)
#define DAT_EP_DUP_CONNECT(ep, ...) DAT_CALL_PROVIDER(ep, ep_dup_connect, ep, __VA_ARGS__)
#define DAT_EP_DISCONNECT(ep, ...) DAT_CALL_PROVIDER(ep, ep_disconnect, ep, __VA_ARGS__)
#define DAT_EP_POST_SEND(ep, ...) DAT_CALL_PROVIDER(ep, ep_post_send, ep, __VA_ARGS__)
#define DAT_EP_POST_SEND_WITH_INVALIDATE(ep, ...) \
	DAT_CALL_PROVIDER(ep, ep_post_send_with_invalidate, ep, __VA_ARGS__)
#define DAT_EP_POST_RECV(ep, ...) DAT_CALL_PROVIDER(ep, ep_post_recv, ep, __VA_ARGS__)
#define DAT_EP_POST_RDMA_READ(ep, ...) DAT_CALL_PROVIDER(ep, ep_post_rdma_read, ep, __VA_ARGS__)
#define DAT_EP_POST_RDMA_READ_TO_RMR(ep, ...) \
	DAT_CALL_PROVIDER(ep, ep_post_rdma_read_to_rmr, ep, __VA_ARGS__)
#define DAT_EP_POST_RDMA_WRITE(ep, ...) DAT_CALL_PROVIDER(ep, ep_post_rdma_write, ep, __VA_ARGS__)
#define DAT_EP_GET_STATUS(ep, ...) DAT_CALL_PROVIDER(ep, ep_get_status, ep, __VA_ARGS__)
#define DAT_EP_FREE(ep) DAT_CALL_PROVIDER(ep, ep_free, ep)
#define DAT_EP_RESET(ep) DAT_CALL_PROVIDER(ep, ep_reset, ep)
#define DAT_EP_RECV_QUERY(ep, ...) DAT_CALL_PROVIDER(ep, ep_recv_query, ep, __VA_ARGS__)
#define DAT_EP_SET_WATERMARK(ep, ...) DAT_CALL_PROVIDER(ep, ep_set_watermark, ep, __VA_ARGS__)
#define DAT_LMR_QUERY(lmr, ...) DAT_CALL_PROVIDER(lmr, lmr_query, lmr, __VA_ARGS__)
#define DAT_LMR_FREE(lmr) DAT_CALL_PROVIDER(lmr, lmr_free, lmr)
#define DAT_LMR_SYNC_RDMA_READ(ia, ...) DAT_CALL_PROVIDER(ia, lmr_sync_rdma_read, ia, __VA_ARGS__)
#define DAT_LMR_SYNC_RDMA_WRITE(ia, ...) DAT_CALL_PROVIDER(ia, lmr_sync_rdma_write, ia, __VA_ARGS__)
#define DAT_RMR_CREATE(pz, ...) DAT_CALL_PROVIDER(pz, rmr_create, pz, __VA_ARGS__)
#define DAT_RMR_CREATE_FOR_EP(pz, ...) DAT_CALL_PROVIDER(pz, rmr_create_for_ep, pz, __VA_ARGS__)
#define DAT_RMR_QUERY(rmr, ...) DAT_CALL_PROVIDER(rmr, rmr_query, rmr, __VA_ARGS__)
#define DAT_RMR_BIND(rmr, ...) DAT_CALL_PROVIDER(rmr, rmr_bind, rmr, __VA_ARGS__)
#define DAT_RMR_FREE(rmr) DAT_CALL_PROVIDER(rmr, rmr_free, rmr)
#define DAT_PSP_CREATE(ia, ...) DAT_CALL_PROVIDER(ia, psp_create, ia, __VA_ARGS__)
#define DAT_PSP_CREATE_ANY(ia, ...) DAT_CALL_PROVIDER(ia, psp_create_any, ia, __VA_ARGS__)
#define DAT_PSP_QUERY(psp, ...) DAT_CALL_PROVIDER(psp, psp_query, psp, __VA_ARGS__)
#define DAT_PSP_FREE(psp) DAT_CALL_PROVIDER(psp, psp_free, psp)
#define DAT_RSP_CREATE(ia, ...) DAT_CALL_PROVIDER(ia, rsp_create, ia, __VA_ARGS__)
#define DAT_RSP_QUERY(rsp, ...) DAT_CALL_PROVIDER(rsp, rsp_query, rsp, __VA_ARGS__)
#define DAT_RSP_FREE(rsp) DAT_CALL_PROVIDER(rsp, rsp_free, rsp)
#define DAT_CSP_CREATE(ia, ...) DAT_CALL_PROVIDER(ia, csp_create, ia, __VA_ARGS__)
#define DAT_CSP_QUERY(csp, ...) DAT_CALL_PROVIDER(csp, csp_query, csp, __VA_ARGS__)
#define DAT_CSP_FREE(csp) DAT_CALL_PROVIDER(csp, csp_free, csp)
#define DAT_PZ_CREATE(ia, ...) DAT_CALL_PROVIDER(ia, pz_create, ia, __VA_ARGS__)
#define DAT_PZ_QUERY(pz, ...) DAT_CALL_PROVIDER(pz, pz_query, pz, __VA_ARGS__)
#define DAT_PZ_FREE(pz) DAT_CALL_PROVIDER(pz, pz_free, pz)
#define DAT_SRQ_CREATE(ia, ...) DAT_CALL_PROVIDER(ia, srq_create, ia, __VA_ARGS__)
#define DAT_SRQ_SET_LW(srq, ...) DAT_CALL_PROVIDER(srq, srq_set_lw, srq, __VA_ARGS__)
#define DAT_SRQ_FREE(srq) DAT_CALL_PROVIDER(srq, srq_free, srq)
#define DAT_SRQ_QUERY(srq, ...) DAT_CALL_PROVIDER(srq, srq_query, srq, __VA_ARGS__)
#define DAT_SRQ_RESIZE(srq, ...) DAT_CALL_PROVIDER(srq, srq_resize, srq, __VA_ARGS__)
#define DAT_SRQ_POST_RECV(srq, ...) DAT_CALL_PROVIDER(srq, srq_post_recv, srq, __VA_ARGS__)
#define DAT_HANDLE_EXTENDEDOP(handle, ...) \
	DAT_CALL_PROVIDER(handle, handle_extendedop, handle, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif /* _DAT_REDIRECTION_H_ */

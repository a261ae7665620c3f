/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For providers and registries, not for programs: the table of entry points that a
 * provider registers. Its order is its binary interface. Up to the SRQs' calls it is
 * that of uDAPL 1.2, whose calls have other arguments.
 */
#ifndef _UDAT_REDIRECTION_H_
#define _UDAT_REDIRECTION_H_

#include <dat2/udat.h>
#include <dat2/dat_redirection.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef __typeof__(&dat_evd_create) DAT_EVD_CREATE_FUNC;
typedef __typeof__(&dat_evd_wait) DAT_EVD_WAIT_FUNC;
typedef __typeof__(&dat_evd_modify_cno) DAT_EVD_MODIFY_CNO_FUNC;
typedef __typeof__(&dat_evd_enable) DAT_EVD_ENABLE_FUNC;
typedef __typeof__(&dat_evd_disable) DAT_EVD_DISABLE_FUNC;
typedef __typeof__(&dat_evd_set_unwaitable) DAT_EVD_SET_UNWAITABLE_FUNC;
typedef __typeof__(&dat_evd_clear_unwaitable) DAT_EVD_CLEAR_UNWAITABLE_FUNC;
typedef __typeof__(&dat_cno_create) DAT_CNO_CREATE_FUNC;
typedef __typeof__(&dat_cno_fd_create) DAT_CNO_FD_CREATE_FUNC;
typedef __typeof__(&dat_cno_trigger) DAT_CNO_TRIGGER_FUNC;
typedef __typeof__(&dat_cno_modify_agent) DAT_CNO_MODIFY_AGENT_FUNC;
typedef __typeof__(&dat_cno_query) DAT_CNO_QUERY_FUNC;
typedef __typeof__(&dat_cno_wait) DAT_CNO_WAIT_FUNC;
typedef __typeof__(&dat_cno_free) DAT_CNO_FREE_FUNC;
typedef __typeof__(&dat_lmr_create) DAT_LMR_CREATE_FUNC;
typedef __typeof__(&dat_lmr_query) DAT_LMR_QUERY_FUNC;

struct dat_provider {
	const char *device_name; /* the adapter's name, as it is registered */
	DAT_PVOID extension; /* the provider's own */
	DAT_IA_OPEN_FUNC ia_open_func;
	DAT_IA_QUERY_FUNC ia_query_func;
	DAT_IA_CLOSE_FUNC ia_close_func;
	DAT_SET_CONSUMER_CONTEXT_FUNC set_consumer_context_func;
	DAT_GET_CONSUMER_CONTEXT_FUNC get_consumer_context_func;
	DAT_GET_HANDLE_TYPE_FUNC get_handle_type_func;
	DAT_CNO_CREATE_FUNC cno_create_func;
	DAT_CNO_MODIFY_AGENT_FUNC cno_modify_agent_func;
	DAT_CNO_QUERY_FUNC cno_query_func;
	DAT_CNO_FREE_FUNC cno_free_func;
	DAT_CNO_WAIT_FUNC cno_wait_func;
	DAT_CR_QUERY_FUNC cr_query_func;
	DAT_CR_ACCEPT_FUNC cr_accept_func;
	DAT_CR_REJECT_FUNC cr_reject_func;
	DAT_CR_HANDOFF_FUNC cr_handoff_func;
	DAT_EVD_CREATE_FUNC evd_create_func;
	DAT_EVD_QUERY_FUNC evd_query_func;
	DAT_EVD_MODIFY_CNO_FUNC evd_modify_cno_func;
	DAT_EVD_ENABLE_FUNC evd_enable_func;
	DAT_EVD_DISABLE_FUNC evd_disable_func;
	DAT_EVD_WAIT_FUNC evd_wait_func;
	DAT_EVD_RESIZE_FUNC evd_resize_func;
	DAT_EVD_POST_SE_FUNC evd_post_se_func;
	DAT_EVD_DEQUEUE_FUNC evd_dequeue_func;
	DAT_EVD_FREE_FUNC evd_free_func;
	DAT_EP_CREATE_FUNC ep_create_func;
	DAT_EP_QUERY_FUNC ep_query_func;
	DAT_EP_MODIFY_FUNC ep_modify_func;
	DAT_EP_CONNECT_FUNC ep_connect_func;
	DAT_EP_DUP_CONNECT_FUNC ep_dup_connect_func;
	DAT_EP_DISCONNECT_FUNC ep_disconnect_func;
	DAT_EP_POST_SEND_FUNC ep_post_send_func;
	DAT_EP_POST_RECV_FUNC ep_post_recv_func;
	DAT_EP_POST_RDMA_READ_FUNC ep_post_rdma_read_func;
	DAT_EP_POST_RDMA_WRITE_FUNC ep_post_rdma_write_func;
	DAT_EP_GET_STATUS_FUNC ep_get_status_func;
	DAT_EP_FREE_FUNC ep_free_func;
	DAT_LMR_CREATE_FUNC lmr_create_func;
	DAT_LMR_QUERY_FUNC lmr_query_func;
	DAT_LMR_FREE_FUNC lmr_free_func;
	DAT_RMR_CREATE_FUNC rmr_create_func;
	DAT_RMR_QUERY_FUNC rmr_query_func;
	DAT_RMR_BIND_FUNC rmr_bind_func;
	DAT_RMR_FREE_FUNC rmr_free_func;
	DAT_PSP_CREATE_FUNC psp_create_func;
	DAT_PSP_QUERY_FUNC psp_query_func;
	DAT_PSP_FREE_FUNC psp_free_func;
	DAT_RSP_CREATE_FUNC rsp_create_func;
	DAT_RSP_QUERY_FUNC rsp_query_func;
	DAT_RSP_FREE_FUNC rsp_free_func;
	DAT_PZ_CREATE_FUNC pz_create_func;
	DAT_PZ_QUERY_FUNC pz_query_func;
	DAT_PZ_FREE_FUNC pz_free_func;

	/* since 1.1 */
	DAT_PSP_CREATE_ANY_FUNC psp_create_any_func;
	DAT_EP_RESET_FUNC ep_reset_func;
	DAT_EVD_SET_UNWAITABLE_FUNC evd_set_unwaitable_func;
	DAT_EVD_CLEAR_UNWAITABLE_FUNC evd_clear_unwaitable_func;

	/* since 1.2 */
	DAT_LMR_SYNC_RDMA_READ_FUNC lmr_sync_rdma_read_func;
	DAT_LMR_SYNC_RDMA_WRITE_FUNC lmr_sync_rdma_write_func;
	DAT_EP_CREATE_WITH_SRQ_FUNC ep_create_with_srq_func;
	DAT_EP_RECV_QUERY_FUNC ep_recv_query_func;
	DAT_EP_SET_WATERMARK_FUNC ep_set_watermark_func;
	DAT_SRQ_CREATE_FUNC srq_create_func;
	DAT_SRQ_FREE_FUNC srq_free_func;
	DAT_SRQ_POST_RECV_FUNC srq_post_recv_func;
	DAT_SRQ_QUERY_FUNC srq_query_func;
	DAT_SRQ_RESIZE_FUNC srq_resize_func;
	DAT_SRQ_SET_LW_FUNC srq_set_lw_func;

	/* since 2.0 */
	DAT_CSP_CREATE_FUNC csp_create_func;
	DAT_CSP_QUERY_FUNC csp_query_func;
	DAT_CSP_FREE_FUNC csp_free_func;
	DAT_EP_COMMON_CONNECT_FUNC ep_common_connect_func;
	DAT_RMR_CREATE_FOR_EP_FUNC rmr_create_for_ep_func;
	DAT_EP_POST_SEND_WITH_INVALIDATE_FUNC ep_post_send_with_invalidate_func;
	DAT_EP_POST_RDMA_READ_TO_RMR_FUNC ep_post_rdma_read_to_rmr_func;
	DAT_CNO_FD_CREATE_FUNC cno_fd_create_func;
	DAT_CNO_TRIGGER_FUNC cno_trigger_func;
	DAT_IA_HA_RELATED_FUNC ia_ha_related_func;
	DAT_HANDLE_EXTENDEDOP_FUNC handle_extendedop_func;
};

/* As in dat_redirection.h, for what programs alone have. */
#define DAT_LMR_CREATE(ia, ...) DAT_CALL_PROVIDER(ia, lmr_create, ia, __VA_ARGS__)
#define DAT_EVD_CREATE(ia, ...) DAT_CALL_PROVIDER(ia, evd_create, ia, __VA_ARGS__)
#define DAT_EVD_ENABLE(evd) DAT_CALL_PROVIDER(evd, evd_enable, evd)
#define DAT_EVD_WAIT(evd, ...) DAT_CALL_PROVIDER(evd, evd_wait, evd, __VA_ARGS__)
#define DAT_EVD_DISABLE(evd) DAT_CALL_PROVIDER(evd, evd_disable, evd)
#define DAT_EVD_SET_UNWAITABLE(evd) DAT_CALL_PROVIDER(evd, evd_set_unwaitable, evd)
#define DAT_EVD_CLEAR_UNWAITABLE(evd) DAT_CALL_PROVIDER(evd, evd_clear_unwaitable, evd)
#define DAT_EVD_MODIFY_CNO(evd, ...) DAT_CALL_PROVIDER(evd, evd_modify_cno, evd, __VA_ARGS__)
#define DAT_CNO_CREATE(ia, ...) DAT_CALL_PROVIDER(ia, cno_create, ia, __VA_ARGS__)
#define DAT_CNO_FD_CREATE(ia, ...) DAT_CALL_PROVIDER(ia, cno_fd_create, ia, __VA_ARGS__)
#define DAT_CNO_TRIGGER(cno, ...) DAT_CALL_PROVIDER(cno, cno_trigger, cno, __VA_ARGS__)
#define DAT_CNO_MODIFY_AGENT(cno, ...) DAT_CALL_PROVIDER(cno, cno_modify_agent, cno, __VA_ARGS__)
#define DAT_CNO_QUERY(cno, ...) DAT_CALL_PROVIDER(cno, cno_query, cno, __VA_ARGS__)
#define DAT_CNO_FREE(cno) DAT_CALL_PROVIDER(cno, cno_free, cno)
#define DAT_CNO_WAIT(cno, ...) DAT_CALL_PROVIDER(cno, cno_wait, cno, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif /* _UDAT_REDIRECTION_H_ */

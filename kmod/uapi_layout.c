// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The layouts that programs were compiled with. A number here never changes;
 * a structure that grows gets new lines at its end.
 */

#include <linux/build_bug.h>
#include <linux/stddef.h>

#include "kdapl_uapi.h"

#define SIZE(type, bytes)	static_assert(sizeof(struct type) == (bytes))
#define AT(type, member, bytes)	\
	static_assert(offsetof(struct type, member) == (bytes))

SIZE(kdapl_map, 16);
AT(kdapl_map, size, 8);
AT(kdapl_map, start, 12);

SIZE(kdapl_sq_ring, 64);

SIZE(kdapl_sq_status, 64);
AT(kdapl_sq_status, flags, 4);

SIZE(kdapl_seg, 16);
AT(kdapl_seg, length, 8);
AT(kdapl_seg, lmr, 12);

SIZE(kdapl_sqe, 128);
AT(kdapl_sqe, op, 4);
AT(kdapl_sqe, num_seg, 5);
AT(kdapl_sqe, flags, 6);
AT(kdapl_sqe, cookie, 8);
AT(kdapl_sqe, remote_addr, 16);
AT(kdapl_sqe, rkey, 24);
AT(kdapl_sqe, imm, 28);
AT(kdapl_sqe, seg, 32);

SIZE(kdapl_ep_status, 64);
AT(kdapl_ep_status, done, 4);
AT(kdapl_ep_status, recv_done, 8);
AT(kdapl_ep_status, hw_recv, 12);
AT(kdapl_ep_status, recvs, 16);
AT(kdapl_ep_status, recv_bytes, 40);

SIZE(kdapl_ev_ring, 64);
AT(kdapl_ev_ring, flags, 4);

SIZE(kdapl_ev_head, 64);

SIZE(kdapl_event, 32);
AT(kdapl_event, cookie, 8);
AT(kdapl_event, length, 16);
AT(kdapl_event, type, 24);
AT(kdapl_event, status, 28);

SIZE(kdapl_query, 88);
AT(kdapl_query, abi_version, 4);
AT(kdapl_query, features, 8);
AT(kdapl_query, num_adapters, 16);
AT(kdapl_query, max_sq_entries, 20);
AT(kdapl_query, max_evd_qlen, 24);
AT(kdapl_query, module_version, 32);
AT(kdapl_query, posts, 64);
AT(kdapl_query, doorbells, 72);
AT(kdapl_query, pinned, 80);

SIZE(kdapl_adapter, 200);
AT(kdapl_adapter, index, 4);
AT(kdapl_adapter, name, 8);
AT(kdapl_adapter, netdev, 72);
AT(kdapl_adapter, driver, 136);

SIZE(kdapl_ia_open, 128);
AT(kdapl_ia_open, flags, 4);
AT(kdapl_ia_open, name, 8);
AT(kdapl_ia_open, sq_entries, 72);
AT(kdapl_ia_open, async_evd, 76);
AT(kdapl_ia_open, sq, 80);
AT(kdapl_ia_open, sq_status, 96);
AT(kdapl_ia_open, user, 112);
AT(kdapl_ia_open, async_file, 120);

SIZE(kdapl_addr, 24);
AT(kdapl_addr, port, 2);
AT(kdapl_addr, scope_id, 4);
AT(kdapl_addr, addr, 8);

SIZE(kdapl_ia_query, 592);
AT(kdapl_ia_query, transport, 4);
AT(kdapl_ia_query, name, 8);
AT(kdapl_ia_query, netdev, 72);
AT(kdapl_ia_query, driver, 136);
AT(kdapl_ia_query, fw_version, 200);
AT(kdapl_ia_query, vendor_id, 264);
AT(kdapl_ia_query, hw_version, 268);
AT(kdapl_ia_query, num_addrs, 272);
AT(kdapl_ia_query, max_private_data, 276);
AT(kdapl_ia_query, max_private_data_accept, 280);
AT(kdapl_ia_query, max_eps, 284);
AT(kdapl_ia_query, max_requests, 288);
AT(kdapl_ia_query, max_recvs, 292);
AT(kdapl_ia_query, max_iov, 296);
AT(kdapl_ia_query, max_iov_read, 300);
AT(kdapl_ia_query, max_rdma_read_in, 304);
AT(kdapl_ia_query, max_rdma_read_out, 308);
AT(kdapl_ia_query, max_evds, 312);
AT(kdapl_ia_query, max_evd_qlen, 316);
AT(kdapl_ia_query, max_lmrs, 320);
AT(kdapl_ia_query, max_pzs, 324);
AT(kdapl_ia_query, max_lmr_size, 328);
AT(kdapl_ia_query, max_message, 336);
AT(kdapl_ia_query, flags, 344);
AT(kdapl_ia_query, addrs, 352);
AT(kdapl_ia_query, max_srqs, 544);
AT(kdapl_ia_query, max_srq_recvs, 548);
AT(kdapl_ia_query, max_srq_iov, 552);
AT(kdapl_ia_query, max_rmr_size, 560);
AT(kdapl_ia_query, node_guid, 568);
AT(kdapl_ia_query, port, 576);
AT(kdapl_ia_query, port_state, 580);
AT(kdapl_ia_query, mtu, 584);

SIZE(kdapl_destroy, 16);
AT(kdapl_destroy, type, 4);
AT(kdapl_destroy, id, 8);

SIZE(kdapl_pz_create, 8);
AT(kdapl_pz_create, id, 4);

SIZE(kdapl_lmr_create, 104);
AT(kdapl_lmr_create, pz, 4);
AT(kdapl_lmr_create, mem_type, 8);
AT(kdapl_lmr_create, privileges, 12);
AT(kdapl_lmr_create, addr, 16);
AT(kdapl_lmr_create, length, 24);
AT(kdapl_lmr_create, id, 32);
AT(kdapl_lmr_create, rkey, 36);
AT(kdapl_lmr_create, memlock_limit, 40);
AT(kdapl_lmr_create, memlock_needed, 48);
AT(kdapl_lmr_create, source, 56);
AT(kdapl_lmr_create, pad, 60);
AT(kdapl_lmr_create, cookie, 64);

SIZE(kdapl_evd_create, 56);
AT(kdapl_evd_create, flags, 4);
AT(kdapl_evd_create, qlen, 8);
AT(kdapl_evd_create, id, 12);
AT(kdapl_evd_create, user, 16);
AT(kdapl_evd_create, ring, 24);
AT(kdapl_evd_create, head, 40);

SIZE(kdapl_evd_wait, 24);
AT(kdapl_evd_wait, evd, 4);
AT(kdapl_evd_wait, threshold, 8);
AT(kdapl_evd_wait, began, 12);
AT(kdapl_evd_wait, deadline_ns, 16);

SIZE(kdapl_evd_fill, 16);
AT(kdapl_evd_fill, evd, 4);
AT(kdapl_evd_fill, queued, 8);

SIZE(kdapl_ep_create, 88);
AT(kdapl_ep_create, flags, 4);
AT(kdapl_ep_create, pz, 8);
AT(kdapl_ep_create, recv_evd, 12);
AT(kdapl_ep_create, request_evd, 16);
AT(kdapl_ep_create, connect_evd, 20);
AT(kdapl_ep_create, max_recvs, 24);
AT(kdapl_ep_create, max_requests, 28);
AT(kdapl_ep_create, max_recv_iov, 32);
AT(kdapl_ep_create, max_request_iov, 36);
AT(kdapl_ep_create, max_rdma_read_in, 40);
AT(kdapl_ep_create, max_rdma_read_out, 44);
AT(kdapl_ep_create, rdma_read_fixed, 48);
AT(kdapl_ep_create, id, 52);
AT(kdapl_ep_create, user, 56);
AT(kdapl_ep_create, status, 64);
AT(kdapl_ep_create, srq, 80);
AT(kdapl_ep_create, recv_notify, 84);
AT(kdapl_ep_create, request_notify, 86);

SIZE(kdapl_ep_query, 336);
AT(kdapl_ep_query, ep, 4);
AT(kdapl_ep_query, state, 8);
AT(kdapl_ep_query, private_data_size, 12);
AT(kdapl_ep_query, max_rdma_read_in, 16);
AT(kdapl_ep_query, max_rdma_read_out, 20);
AT(kdapl_ep_query, local, 24);
AT(kdapl_ep_query, remote, 48);
AT(kdapl_ep_query, remote_conn_qual, 72);
AT(kdapl_ep_query, private_data, 80);

SIZE(kdapl_ep_connect, 304);
AT(kdapl_ep_connect, ep, 4);
AT(kdapl_ep_connect, remote, 8);
AT(kdapl_ep_connect, conn_qual, 32);
AT(kdapl_ep_connect, timeout_us, 40);
AT(kdapl_ep_connect, private_data_size, 44);
AT(kdapl_ep_connect, private_data, 48);

SIZE(kdapl_ep_disconnect, 16);
AT(kdapl_ep_disconnect, ep, 4);
AT(kdapl_ep_disconnect, close_flags, 8);

SIZE(kdapl_ep_reset, 8);
AT(kdapl_ep_reset, ep, 4);

SIZE(kdapl_psp_create, 32);
AT(kdapl_psp_create, flags, 4);
AT(kdapl_psp_create, evd, 8);
AT(kdapl_psp_create, id, 12);
AT(kdapl_psp_create, conn_qual, 16);
AT(kdapl_psp_create, user, 24);

SIZE(kdapl_rsp_create, 40);
AT(kdapl_rsp_create, flags, 4);
AT(kdapl_rsp_create, evd, 8);
AT(kdapl_rsp_create, ep, 12);
AT(kdapl_rsp_create, id, 16);
AT(kdapl_rsp_create, conn_qual, 24);
AT(kdapl_rsp_create, user, 32);

SIZE(kdapl_csp_create, 56);
AT(kdapl_csp_create, evd, 4);
AT(kdapl_csp_create, id, 8);
AT(kdapl_csp_create, domain, 12);
AT(kdapl_csp_create, type, 16);
AT(kdapl_csp_create, protocol, 20);
AT(kdapl_csp_create, addr, 24);
AT(kdapl_csp_create, user, 48);

SIZE(kdapl_ep_modify, 56);
AT(kdapl_ep_modify, ep, 4);
AT(kdapl_ep_modify, pz, 8);
AT(kdapl_ep_modify, recv_evd, 12);
AT(kdapl_ep_modify, request_evd, 16);
AT(kdapl_ep_modify, connect_evd, 20);
AT(kdapl_ep_modify, max_recvs, 24);
AT(kdapl_ep_modify, max_requests, 28);
AT(kdapl_ep_modify, max_recv_iov, 32);
AT(kdapl_ep_modify, max_request_iov, 36);
AT(kdapl_ep_modify, max_rdma_read_in, 40);
AT(kdapl_ep_modify, max_rdma_read_out, 44);
AT(kdapl_ep_modify, rdma_read_fixed, 48);
AT(kdapl_ep_modify, recv_notify, 52);
AT(kdapl_ep_modify, request_notify, 54);

SIZE(kdapl_cr_offer, 16);
AT(kdapl_cr_offer, cr, 4);
AT(kdapl_cr_offer, ep, 8);
AT(kdapl_cr_offer, pad, 12);

SIZE(kdapl_cr_handoff, 16);
AT(kdapl_cr_handoff, cr, 4);
AT(kdapl_cr_handoff, conn_qual, 8);

SIZE(kdapl_cr_query, 328);
AT(kdapl_cr_query, cr, 4);
AT(kdapl_cr_query, remote, 8);
AT(kdapl_cr_query, local, 32);
AT(kdapl_cr_query, private_data_size, 56);
AT(kdapl_cr_query, private_data, 64);
AT(kdapl_cr_query, ep_user, 320);

SIZE(kdapl_cr_accept, 272);
AT(kdapl_cr_accept, cr, 4);
AT(kdapl_cr_accept, ep, 8);
AT(kdapl_cr_accept, private_data_size, 12);
AT(kdapl_cr_accept, private_data, 16);

SIZE(kdapl_cr_reject, 272);
AT(kdapl_cr_reject, cr, 4);
AT(kdapl_cr_reject, private_data_size, 8);
AT(kdapl_cr_reject, private_data, 16);

SIZE(kdapl_evd_waitable, 16);
AT(kdapl_evd_waitable, evd, 4);
AT(kdapl_evd_waitable, waitable, 8);
AT(kdapl_evd_waitable, pad, 12);

SIZE(kdapl_evd_post_se, 16);
AT(kdapl_evd_post_se, evd, 4);
AT(kdapl_evd_post_se, cookie, 8);

SIZE(kdapl_evd_notify, 16);
AT(kdapl_evd_notify, evd, 4);
AT(kdapl_evd_notify, cno, 8);
AT(kdapl_evd_notify, enabled, 12);

SIZE(kdapl_cno_create, 16);
AT(kdapl_cno_create, id, 4);
AT(kdapl_cno_create, user, 8);

SIZE(kdapl_cno_wait, 40);
AT(kdapl_cno_wait, cno, 4);
AT(kdapl_cno_wait, flags, 8);
AT(kdapl_cno_wait, agent, 12);
AT(kdapl_cno_wait, deadline_ns, 16);
AT(kdapl_cno_wait, evd_user, 24);
AT(kdapl_cno_wait, began, 32);

SIZE(kdapl_cno_modify, 16);
AT(kdapl_cno_modify, cno, 4);
AT(kdapl_cno_modify, op, 8);
AT(kdapl_cno_modify, agent, 12);

SIZE(kdapl_cno_fd, 16);
AT(kdapl_cno_fd, cno, 4);
AT(kdapl_cno_fd, fd, 8);
AT(kdapl_cno_fd, pad, 12);

SIZE(kdapl_evd_resize, 32);
AT(kdapl_evd_resize, evd, 4);
AT(kdapl_evd_resize, qlen, 8);
AT(kdapl_evd_resize, flags, 12);
AT(kdapl_evd_resize, ring, 16);

SIZE(kdapl_rmr_create, 24);
AT(kdapl_rmr_create, pz, 4);
AT(kdapl_rmr_create, id, 8);
AT(kdapl_rmr_create, pad, 12);
AT(kdapl_rmr_create, user, 16);

SIZE(kdapl_rmr_bind, 56);
AT(kdapl_rmr_bind, rmr, 4);
AT(kdapl_rmr_bind, ep, 8);
AT(kdapl_rmr_bind, lmr, 12);
AT(kdapl_rmr_bind, addr, 16);
AT(kdapl_rmr_bind, length, 24);
AT(kdapl_rmr_bind, cookie, 32);
AT(kdapl_rmr_bind, flags, 40);
AT(kdapl_rmr_bind, privileges, 44);
AT(kdapl_rmr_bind, rkey, 48);
AT(kdapl_rmr_bind, pad, 52);

SIZE(kdapl_submit, 16);
AT(kdapl_submit, flags, 4);
AT(kdapl_submit, evd, 8);
AT(kdapl_submit, pad, 12);

static_assert(KDAPL_SQ_ENTRIES_OFFSET % 64 == 0);
static_assert(sizeof(struct kdapl_sq_ring) <= KDAPL_SQ_ENTRIES_OFFSET);
static_assert(sizeof(struct kdapl_ev_ring) <= KDAPL_EV_ENTRIES_OFFSET);

SIZE(kdapl_srq_status, 64);
AT(kdapl_srq_status, taken, 4);
AT(kdapl_srq_status, done, 8);
AT(kdapl_srq_status, dropped, 12);
AT(kdapl_srq_status, state, 16);

SIZE(kdapl_ep_set_marks, 24);
AT(kdapl_ep_set_marks, ep, 4);
AT(kdapl_ep_set_marks, soft, 8);
AT(kdapl_ep_set_marks, hard, 12);
AT(kdapl_ep_set_marks, async_evd, 16);

SIZE(kdapl_srq_create, 56);
AT(kdapl_srq_create, pz, 4);
AT(kdapl_srq_create, max_recvs, 8);
AT(kdapl_srq_create, max_recv_iov, 12);
AT(kdapl_srq_create, async_evd, 16);
AT(kdapl_srq_create, tag, 20);
AT(kdapl_srq_create, id, 24);
AT(kdapl_srq_create, user, 32);
AT(kdapl_srq_create, status, 40);

SIZE(kdapl_srq_resize, 16);
AT(kdapl_srq_resize, srq, 4);
AT(kdapl_srq_resize, max_recvs, 8);

SIZE(kdapl_srq_set_low, 16);
AT(kdapl_srq_set_low, srq, 4);
AT(kdapl_srq_set_low, low, 8);

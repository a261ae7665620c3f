// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of entry points of uDAPL 2.0. */
#pragma once

#include "face/own.hpp"

#include <cstdarg>

namespace face_own {

decltype(::dat_csp_create) dat_csp_create;
decltype(::dat_csp_query) dat_csp_query;
decltype(::dat_csp_free) dat_csp_free;
decltype(::dat_ep_common_connect) dat_ep_common_connect;
decltype(::dat_rmr_create_for_ep) dat_rmr_create_for_ep;
decltype(::dat_ep_post_send_with_invalidate) dat_ep_post_send_with_invalidate;
decltype(::dat_ep_post_rdma_read_to_rmr) dat_ep_post_rdma_read_to_rmr;
decltype(::dat_cno_fd_create) dat_cno_fd_create;
decltype(::dat_cno_trigger) dat_cno_trigger;
decltype(::dat_ia_ha_related) dat_ia_ha_related;

/** dat_ia_openv() as the table has it. */
template <bool thread_safe>
DAT_RETURN ia_open(const DAT_NAME_PTR ia_name, DAT_COUNT async_min_qlen, DAT_EVD_HANDLE *async_evd,
		   DAT_IA_HANDLE *ia_handle);

/** dat_extension_op() as the table has it. */
template <bool thread_safe>
DAT_RETURN handle_extendedop(DAT_HANDLE handle, DAT_EXTENDED_OP op, va_list args);

constexpr DAT_PROVIDER make_table(bool thread_safe) noexcept
{
	DAT_PROVIDER made = shared_entries;

	made.ia_open_func = thread_safe ? ia_open<true> : ia_open<false>;
	made.csp_create_func = dat_csp_create;
	made.csp_query_func = dat_csp_query;
	made.csp_free_func = dat_csp_free;
	made.ep_common_connect_func = dat_ep_common_connect;
	made.rmr_create_for_ep_func = dat_rmr_create_for_ep;
	made.ep_post_send_with_invalidate_func = dat_ep_post_send_with_invalidate;
	made.ep_post_rdma_read_to_rmr_func = dat_ep_post_rdma_read_to_rmr;
	made.cno_fd_create_func = dat_cno_fd_create;
	made.cno_trigger_func = dat_cno_trigger;
	made.ia_ha_related_func = dat_ia_ha_related;
	made.handle_extendedop_func =
		thread_safe ? handle_extendedop<true> : handle_extendedop<false>;
	return made;
}

/** All of them. Each adapter's table is one with its name. */
inline constexpr DAT_PROVIDER table = make_table(true);

} // namespace face_own

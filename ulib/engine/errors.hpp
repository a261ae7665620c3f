// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What an engine call returns, in no DAT version's numbers: the faces translate
 * (the two DAT versions number the same reasons differently).
 */
#pragma once

#include <cstdint>

namespace kdapl {

/** What went wrong; the types of DAT_RETURN. */
enum class Type : std::uint8_t {
	success,
	abort,
	conn_qual_in_use,
	insufficient_resources,
	internal_error,
	invalid_handle,
	invalid_parameter,
	invalid_state,
	length_error,
	model_not_supported,
	provider_not_found,
	provider_already_registered,
	provider_in_use,
	privileges_violation,
	protection_violation,
	queue_empty,
	queue_full,
	timeout_expired,
	invalid_address,
	interrupted_call,
	conn_qual_unavailable,
	port_in_use,
	comm_not_supported,
	not_implemented,
};

/** Why; those subtypes of DAT_RETURN that the library tells. */
enum class Sub : std::uint8_t {
	none,
	resource_memory,
	resource_device,
	resource_tep,
	resource_tevd,
	resource_protection_domain,
	resource_memory_region,
	resource_credits,
	resource_srq,
	handle_ia,
	handle_ep,
	handle_lmr,
	handle_rmr,
	handle_pz,
	handle_psp,
	handle_rsp,
	handle_cr,
	handle_cno,
	handle_evd_cr,
	handle_evd_request,
	handle_evd_recv,
	handle_evd_conn,
	handle_evd_async,
	handle_srq,
	handle_csp,
	handle1,
	handle2,
	arg1,
	arg2,
	arg3,
	arg4,
	arg5,
	arg6,
	arg7,
	arg8,
	arg9,
	ep_unconnected,
	ep_active_pending,
	ep_passive_pending,
	ep_tentative_pending,
	ep_connected,
	ep_disconnected,
	ep_reserved,
	ep_completion_pending,
	ep_disconnect_pending,
	ep_not_ready,
	cno_in_use,
	evd_unwaitable,
	evd_in_use,
	evd_waiter,
	evd_config_notify,
	evd_config_solicited,
	ia_in_use,
	lmr_in_use,
	pz_in_use,
	srq_in_use,
	privileges_read,
	privileges_write,
	protection_read,
	protection_write,
	address_unsupported,
	address_unreachable,
	address_malformed,
	name_not_registered,
	major_not_found,
	minor_not_found,
	thread_safety_not_found,
};

/** Result of an engine call. */
struct [[nodiscard]] Status {
	Type type = Type::success;
	Sub sub = Sub::none;

	bool ok() const noexcept { return type == Type::success; }
	bool operator==(const Status &) const noexcept = default;
};

inline constexpr Status success{};

constexpr Status fail(Type type, Sub sub = Sub::none) noexcept
{
	return Status{ type, sub };
}

/** What the module's errnos mean for one call, where that depends on the call. */
struct ErrnoMeaning {
	Sub object = Sub::none; /**< ENOENT: the handle that is stale */
	Sub busy = Sub::none; /**< EBUSY: who still uses it */
	Sub limit = Sub::resource_device; /**< ENOSPC, EDQUOT: what there is no more of */
	Sub state = Sub::none; /**< EBADFD: the state it is in */
	Sub argument = Sub::none; /**< EINVAL: which one does not go with the others */
};

/** The meaning of an errno of the module (0 for success). */
Status from_errno(int err, const ErrnoMeaning &meaning = {}) noexcept;

} // namespace kdapl

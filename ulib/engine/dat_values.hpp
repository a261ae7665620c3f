// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * DAT numbers that the module speaks and that both DAT versions share. (The
 * engine includes neither version's headers: their names collide.)
 */
#pragma once

#include "errors.hpp"

#include <cstdint>

namespace kdapl {

/** Handle types, in DAT_HANDLE_TYPE's numbers. */
enum class Kind : std::uint8_t {
	cr = 0,
	ep = 1,
	evd = 2,
	ia = 3,
	lmr = 4,
	psp = 5,
	pz = 6,
	rmr = 7,
	rsp = 8,
	cno = 9,
	srq = 10,
	csp = 11, /**< of 2.0 */
};

/** States of an EP, in DAT_EP_STATE's numbers. */
enum class EpState : std::uint32_t {
	unconnected = 0,
	reserved = 2,
	passive_pending = 4,
	active_pending = 6,
	tentative_pending = 7,
	connected = 9,
	disconnect_pending = 10,
	disconnected = 11,
	completion_pending = 12,
};

/** The subtype that says that an EP is in a state. */
constexpr Sub state_sub(EpState state) noexcept
{
	switch (state) {
	case EpState::unconnected:
		return Sub::ep_unconnected;
	case EpState::reserved:
		return Sub::ep_reserved;
	case EpState::passive_pending:
		return Sub::ep_passive_pending;
	case EpState::active_pending:
		return Sub::ep_active_pending;
	case EpState::tentative_pending:
		return Sub::ep_tentative_pending;
	case EpState::connected:
		return Sub::ep_connected;
	case EpState::disconnect_pending:
		return Sub::ep_disconnect_pending;
	case EpState::disconnected:
		return Sub::ep_disconnected;
	case EpState::completion_pending:
		return Sub::ep_completion_pending;
	}
	return Sub::none;
}

/** Event numbers, as DAT_EVENT_NUMBER. */
enum EventNumber : std::uint32_t {
	event_dto = 0x00001,
	event_rmr_bind = 0x01001,
	event_connection_request = 0x02001,
	event_connection_first = 0x04001,
	event_connection_last = 0x04008,
	event_async_first = 0x08001,
	event_async_evd_overflow = 0x08001,
	event_async_ep_broken = 0x08003,
	event_async_internal = 0x08005,
	event_async_last = 0x08005,
	event_software = 0x10001,
};

/** Operations of completions, as DAT_DTOS of 2.0. */
enum Operation : std::uint32_t {
	operation_receive_with_invalidate = 4,
};

/** Streams that may feed an EVD, as DAT_EVD_FLAGS. */
enum EvdFlags : std::uint32_t {
	evd_software = 0x001,
	evd_cr = 0x010,
	evd_dto = 0x020,
	evd_connection = 0x040,
	evd_rmr_bind = 0x080,
	evd_async = 0x100,
	evd_all = 0x1f1,
};

/** Completion flags, as DAT_COMPLETION_FLAGS. */
enum CompletionFlags : std::uint32_t {
	completion_default = 0x00,
	completion_suppress = 0x01,
	completion_solicited = 0x02,
	completion_unsignalled = 0x04,
	completion_fence = 0x08,
	completion_threshold = 0x10,
};

/** No watermark, as DAT_WATERMARK_INFINITE. */
inline constexpr std::uint32_t mark_infinite = ~std::uint32_t{ 0 };

} // namespace kdapl

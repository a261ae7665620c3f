// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Software events, which come when the test wants them. */
#pragma once

#include "endpoint.hpp"

#include <cstdint>

namespace suite {

/** An EVD for software events and nothing else. */
class SoftwareQueue : public EventQueue {
public:
	explicit SoftwareQueue(const Adapter &adapter, DAT_COUNT length = 8)
		: EventQueue(adapter, length, DAT_EVD_SOFTWARE_FLAG)
	{
	}
};

/** Posts an event that carries a number; the call's own result. */
inline DAT_RETURN post_se(DAT_EVD_HANDLE evd, std::uintptr_t number = 0)
{
	DAT_EVENT event{};

	event.event_number = DAT_SOFTWARE_EVENT;
	event.event_data.software_event_data.pointer = reinterpret_cast<DAT_PVOID>(number);
	return dat_evd_post_se(evd, &event);
}

inline DAT_RETURN post_se(const EventQueue &queue, std::uintptr_t number = 0)
{
	return post_se(queue.evd(), number);
}

/** Fails unless this is the software event with this number. */
inline void require_se(const DAT_EVENT &event, std::uintptr_t number,
		       Location where = Location::current())
{
	require(event.event_number == DAT_SOFTWARE_EVENT, "another event", where);
	require(event.event_data.software_event_data.pointer == reinterpret_cast<DAT_PVOID>(number),
		"another software event", where);
}

/** The next event must be the one with this number. */
inline void expect_se(EventQueue &queue, std::uintptr_t number,
		      Location where = Location::current())
{
	require_se(queue.wait(where), number, where);
}

} // namespace suite

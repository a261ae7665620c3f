// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An event dispatcher.
 */
#pragma once

#include <dat/udat.h>

#include "adapter.hpp"
#include "deadline.hpp"
#include "handle.hpp"

namespace tools {

/** How a tool waits for events. */
enum class Waiting {
	Sleep, /**< dat_evd_wait() */
	Poll, /**< dat_evd_dequeue() until there is one, for a second; then as above */
};

/** Owns an EVD. */
class EventQueue {
public:
	EventQueue(const Adapter &adapter, DAT_COUNT length, DAT_EVD_FLAGS streams);

	DAT_EVD_HANDLE get() const { return evd_.get(); }
	/** Takes an event if there is one. */
	bool take(DAT_EVENT &event);
	/** Sleeps for an event; false when the deadline passed first. */
	bool wait(DAT_EVENT &event, const Deadline &deadline);

private:
	EvdHandle evd_;
};

} // namespace tools

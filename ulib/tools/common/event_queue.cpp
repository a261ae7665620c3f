// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "event_queue.hpp"

#include <fmt/format.h>

#include "error.hpp"

namespace tools {

EventQueue::EventQueue(const Adapter &adapter, DAT_COUNT length, DAT_EVD_FLAGS streams)
{
	DAT_RETURN ret = dat_evd_create(adapter.ia(), length, DAT_HANDLE_NULL, streams, evd_.out());

	check(ret, fmt::format("make a queue for {} events", length));
}

bool EventQueue::take(DAT_EVENT &event)
{
	DAT_RETURN ret = dat_evd_dequeue(get(), &event);

	if (ret == DAT_SUCCESS)
		return true;
	if (DAT_GET_TYPE(ret) != DAT_QUEUE_EMPTY)
		check(ret, "take an event");
	return false;
}

bool EventQueue::wait(DAT_EVENT &event, const Deadline &deadline)
{
	for (;;) {
		DAT_COUNT more = 0;
		DAT_RETURN ret = dat_evd_wait(get(), deadline.left(), 1, &event, &more);

		if (ret == DAT_SUCCESS)
			return true;
		if (DAT_GET_TYPE(ret) == DAT_TIMEOUT_EXPIRED) {
			if (deadline.passed())
				return false;
			continue;
		}
		/* A signal that the tool has survived: go on. */
		if (DAT_GET_TYPE(ret) != DAT_INTERRUPTED_CALL)
			check(ret, "wait for an event");
	}
}

} // namespace tools

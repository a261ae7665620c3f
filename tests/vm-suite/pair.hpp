// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two connected endpoints in one program. */
#pragma once

#include "endpoint.hpp"

namespace suite {

struct Pair {
	explicit Pair(const Adapter &adapter, const EndpointSizes &sizes = {})
		: listener(adapter), active(adapter, sizes), passive(adapter, sizes)
	{
		connect(adapter);
	}

	void connect(const Adapter &adapter, Location where = Location::current())
	{
		ok(active.connect(adapter.address(), listener.qual()), where);
		listener.accept(passive, {}, where);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED, where);
	}

	/**
	 * What was written is in its place: a message that was sent behind it has
	 * arrived. On iWARP the writer's own completion does not say that.
	 */
	void settle(Location where = Location::current())
	{
		ok(passive.recv(Segments(), 0), where);
		ok(active.send(Segments(), 0), where);
		passive.expect_recv(0, 0, where);
		active.expect_request(0, 0, where);
	}

	Listener listener;
	Endpoint active, passive;
};

} // namespace suite

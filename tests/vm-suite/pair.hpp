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

	Listener listener;
	Endpoint active, passive;
};

} // namespace suite

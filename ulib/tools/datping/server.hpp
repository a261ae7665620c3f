// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The side of datping that answers.
 */
#pragma once

#include "../common/adapter.hpp"
#include "../common/listener.hpp"
#include "session.hpp"

namespace ping {

/** How a server behaves. */
struct ServerOptions {
	/** How it waits; nothing: as the client does. */
	std::optional<tools::Waiting> waiting;
	tools::Seconds timeout;
	tools::Seconds idle;
};

/** What one client wanted, and what the server saw of it. */
struct Served {
	Hello hello;
	Verdict verdict;
};

/**
 * Serves one request until its client disconnects. Throws when the client is
 * refused, breaks off, or does not keep to the protocol.
 */
Served serve(const tools::Adapter &adapter, tools::Request request, const ServerOptions &options);

} // namespace ping

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Listening for connection requests.
 */
#pragma once

#include <cstddef>
#include <vector>

#include <dat/udat.h>

#include "adapter.hpp"
#include "address.hpp"
#include "event_queue.hpp"
#include "handle.hpp"

namespace tools {

/** A connection request. It is rejected when it goes out of scope unanswered. */
struct Request {
	CrHandle cr;
	Address from;
	std::vector<std::byte> private_data;
};

/** Listens on a port of an adapter. */
class Listener {
public:
	Listener(const Adapter &adapter, DAT_CONN_QUAL port);
	/** Waits for the next request, for as long as it takes. */
	Request next();

private:
	static constexpr DAT_COUNT backlog = 16;
	EventQueue requests_;
	PspHandle psp_;
};

} // namespace tools

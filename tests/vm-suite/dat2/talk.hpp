// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How two programs of uDAPL 2.0 begin: one answers, one calls, and who calls sends. */
#pragma once

#include "objects.hpp"

#include <cstddef>

namespace suite {

/** Accepts. As iWARP wants it, who connects sends first. */
inline void answer(Listener &listener, Endpoint &endpoint, const Memory &inbox, std::size_t size)
{
	const DAT_CR_HANDLE cr = listener.request();

	endpoint.recv(inbox, size);
	ok(dat_cr_accept(cr, endpoint.ep(), 0, nullptr));
	endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	endpoint.expect_done(DAT_DTO_RECEIVE, size);
}

/** Connects, and sends. */
inline void call(Endpoint &endpoint, const Memory &outbox, const sockaddr_storage &to,
		 std::size_t size)
{
	endpoint.connect(to);
	endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	endpoint.send(outbox, size);
	endpoint.expect_done(DAT_DTO_SEND, size);
}

} // namespace suite

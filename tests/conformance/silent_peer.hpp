// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Somebody who asks for a connection, is accepted, and says nothing to it. */
#pragma once

#include "endpoint.hpp"

#include <cstddef>
#include <cstdint>

namespace suite {

/**
 * A peer over the kernel's own connection manager (the interface that librdmacm
 * uses), without a queue pair. It never confirms an acceptance, so that the accepting
 * endpoint stays in COMPLETION_PENDING until this goes. Not over iWARP, where nothing
 * is to be confirmed.
 */
class SilentPeer {
public:
	/** Its request is on its way on return. */
	SilentPeer(DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qual);
	SilentPeer(const SilentPeer &) = delete;
	SilentPeer &operator=(const SilentPeer &) = delete;
	~SilentPeer();

	/** It has been accepted, and knows. */
	void await_acceptance(Location where = Location::current());

private:
	void write(const void *message, std::size_t size) const;
	template <typename Command>
	void call(std::uint32_t number, Command command, std::size_t answer = 0) const;
	void await(std::uint32_t event, Location where) const;
	void resolve(DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qual) const;
	void connect() const;

	const int fd_;
	std::uint32_t id_ = 0;
};

} // namespace suite

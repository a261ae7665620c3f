// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Buffers for incoming messages, all of them posted all the time.
 */
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "connection.hpp"
#include "slots.hpp"

namespace tools {

/** A message that arrived. Its buffer is lent until RecvRing::repost(). */
struct Message {
	std::size_t slot;
	std::span<const std::byte> bytes;
};

/**
 * Receive buffers for messages up to a size. At least `enough` of them keep the
 * device supplied while the library posts new ones without a system call.
 */
class RecvRing {
public:
	static constexpr std::size_t enough = 32;

	RecvRing(const Adapter &adapter, std::size_t slots, std::size_t slot_size);

	std::size_t slots() const { return slots_.count(); }
	/** Posts all buffers; to be done before connecting. */
	void post_all(Connection &connection);
	/** Waits for the next message. */
	Message next(Connection &connection) { return arrived(connection.next_recv()); }
	/** The next message if it is there already. */
	std::optional<Message> try_next(Connection &connection);
	/** Posts the buffer of a message again. */
	void repost(Connection &connection, const Message &message)
	{
		post(connection, message.slot);
	}

private:
	Message arrived(const Completion &completion) const;
	void post(Connection &connection, std::size_t slot);

	Slots slots_;
};

} // namespace tools

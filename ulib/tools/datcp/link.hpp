// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What sender and receiver of datcp both have: a connection, the messages over
 * it, and the slots that data goes through.
 */
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "../common/adapter.hpp"
#include "../common/connection.hpp"
#include "../common/recv_ring.hpp"
#include "../common/send_ring.hpp"
#include "../common/slots.hpp"
#include "protocol.hpp"

namespace copy {

/** How patient to be. */
struct Patience {
	tools::Seconds connect; /**< for a connection, and for its end */
	tools::Seconds idle; /**< while the peer has something to do */
};

/** A message that arrived. Its buffer is lent until Link::release(). */
struct Incoming {
	Header header;
	std::span<const std::byte> body;
	tools::Message message;
};

/** Which end of a copy. */
enum class Role { Sender, Receiver };

/** One end. */
class Link {
public:
	Link(const tools::Adapter &adapter, const Hello &hello, Role role);

	/** Waits for a message. Throws what a Fail says. */
	Incoming next();
	/** The same without waiting. */
	std::optional<Incoming> try_next();
	/** Waits for a message of a kind, and takes its header; the body is gone. */
	Header expect(Kind kind);
	/** The message's buffer may take another message. */
	void release(const Incoming &incoming) { recvs_.repost(connection, incoming.message); }

	/** Sends a message with a body of up to max_body bytes. */
	std::uint64_t send(Header header, std::span<const std::byte> body = {},
			   tools::Tell tell = tools::Tell::Some);
	/** Sends a message whose body is the beginning of a slot. */
	std::uint64_t send_slot(Header header, std::size_t slot, std::size_t length);
	/** Waits until a send is done, and with it all that was posted before it. */
	void await_send(std::uint64_t number);
	/** Waits for the next RDMA read; they finish in the order of their posts. */
	void await_read();

	/** Names the own slots to the peer. */
	void send_windows();
	/** Learns the slots of the peer. */
	std::vector<DAT_RMR_TRIPLET> receive_windows();

	/** Tells the peer why it ends here, as far as the peer still listens. */
	void fail(std::string_view why);

	const Hello hello;

private:
	tools::RecvRing recvs_;
	tools::SendRing sends_;

public:
	/** The slots of this end; a receiver has none in mode send. */
	std::optional<tools::Slots> slots;
	/* After the memory: the endpoint must go first. */
	tools::Connection connection;

private:
	Incoming take(const tools::Message &message);
	std::span<std::byte> room();
	void reap();

	std::uint64_t reads_done_ = 0;
	std::uint64_t reads_awaited_ = 0;
};

/** The error to throw when the peer breaks the rules. */
tools::Error nonsense(std::string_view what);

} // namespace copy

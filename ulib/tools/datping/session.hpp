// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What client and server of datping both have: buffers, a connection, and
 * the messages over it.
 */
#pragma once

#include <functional>
#include <optional>

#include "../common/adapter.hpp"
#include "../common/connection.hpp"
#include "../common/recv_ring.hpp"
#include "../common/send_ring.hpp"
#include "../common/slots.hpp"
#include "protocol.hpp"

namespace ping {

/** Counts what was looked at. */
struct Verdict {
	std::uint64_t verified = 0;
	std::uint64_t wrong = 0;
	/** The first message that was wrong, in words. */
	std::string first;

	/** Looks at a message. */
	void look(std::uint64_t stream, std::uint64_t sequence, std::span<const std::byte> bytes);
};

/** One side of a test. */
struct Session {
	/** Access tells what the peer may do with the data buffers. */
	Session(const tools::Adapter &adapter, const Hello &hello, DAT_MEM_PRIV_FLAGS access,
		tools::Waiting waiting);

	/** The next message, which must be a Control. Its buffer is posted again. */
	Control next_control();
	/** The same without waiting. */
	std::optional<Control> try_control();
	/** Sends, when needed after waiting for a free buffer. */
	std::uint64_t send(const Control &control, tools::Tell tell = tools::Tell::Some);
	/** Waits until a send with Tell::Each is done, and all posted before it. */
	void await_send(std::uint64_t number);
	/** A buffer for a data message to be sent with send_data(). */
	std::span<std::byte> next_data();
	void send_data() { sends.send(connection, hello.size); }
	/** Hands the completion of a request to whom it concerns. */
	void handle(const tools::Completion &completion);

	Hello hello;
	tools::RecvRing recvs;
	tools::SendRing sends;
	/** Buffers that RDMA moves data from and to; not in mode send. */
	std::optional<tools::Slots> data;
	/** Called with the sequence number of an RDMA that finished. */
	std::function<void(std::uint64_t)> rdma_done;
	Verdict verdict;
	/* After the memory: the endpoint must go first. */
	tools::Connection connection;

private:
	Control take(const tools::Message &message);
};

} // namespace ping

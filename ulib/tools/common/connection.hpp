// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An endpoint with its event queues: connecting, posting, and waiting for what
 * was posted.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <dat/udat.h>

#include "adapter.hpp"
#include "address.hpp"
#include "deadline.hpp"
#include "error.hpp"
#include "event_queue.hpp"
#include "listener.hpp"

namespace tools {

/** What an endpoint must be able to hold. */
struct EndpointSizes {
	DAT_COUNT recvs; /**< receives posted at a time */
	DAT_COUNT requests; /**< sends and RDMA posted at a time */
	DAT_COUNT segments; /**< segments of one of them */
};

/** A finished transfer. */
struct Completion {
	std::uint64_t cookie;
	std::size_t length;
};

/** The peer went away, or the connection broke. */
class ConnectionLost : public Error {
public:
	ConnectionLost(const std::string &sentence, bool by_peer)
		: Error(sentence), by_peer_(by_peer)
	{
	}
	/** Whether the peer disconnected, as opposed to a failure. */
	bool by_peer() const { return by_peer_; }

private:
	bool by_peer_;
};

/** One endpoint. */
class Connection {
public:
	Connection(const Adapter &adapter, const EndpointSizes &sizes, Waiting waiting);

	/**
	 * Connects, and waits until that worked. Throws a sentence that says what
	 * to do for every way in which it can fail.
	 */
	void connect(Address peer, DAT_CONN_QUAL port, std::span<const std::byte> private_data,
		     Seconds timeout);
	/** Accepts a request, and waits until the connection stands. */
	void accept(Request &request, std::span<const std::byte> private_data, Seconds timeout);
	/** What the peer gave when it accepted; possibly padded with zeros. */
	std::span<const std::byte> peer_data() const { return peer_data_; }

	/** Posting; a throw means that it was not posted. @{ */
	void post_recv(std::span<DAT_LMR_TRIPLET> local, std::uint64_t cookie);
	void post_send(std::span<DAT_LMR_TRIPLET> local, std::uint64_t cookie,
		       DAT_COMPLETION_FLAGS flags);
	void post_write(DAT_LMR_TRIPLET local, const DAT_RMR_TRIPLET &remote, std::uint64_t cookie,
			DAT_COMPLETION_FLAGS flags);
	void post_read(DAT_LMR_TRIPLET local, const DAT_RMR_TRIPLET &remote, std::uint64_t cookie);
	/** @} */

	/**
	 * The next receive, or the next send or RDMA, that finished. Throws
	 * ConnectionLost when there will be no more, and Error when the peer was
	 * silent for too long. @{
	 */
	Completion next_recv() { return next(recv_); }
	Completion next_request() { return next(request_); }
	/** @} */
	/** The same without waiting. @{ */
	std::optional<Completion> try_recv() { return try_next(recv_); }
	std::optional<Completion> try_request() { return try_next(request_); }
	/** @} */

	/** How long next_*() waits; never gives up unless this is set. */
	void set_idle_limit(std::optional<Seconds> limit) { idle_limit_ = limit; }

	/** Ends the connection when all that was posted is done. */
	void disconnect(Seconds timeout);
	/** Waits until the peer ended the connection. */
	void wait_disconnected(Seconds timeout);

private:
	Completion next(EventQueue &queue);
	std::optional<Completion> try_next(EventQueue &queue);
	/** False where nothing came until then. */
	bool poll(EventQueue &queue, DAT_EVENT &event, const Deadline &until);
	Completion completed(const DAT_EVENT &event);
	[[noreturn]] void silent() const;
	[[noreturn]] void lost();
	void post_failed(DAT_RETURN ret, const char *what);

	EventQueue recv_;
	EventQueue request_;
	EventQueue connect_;
	EpHandle ep_;
	Waiting waiting_;
	std::optional<Seconds> idle_limit_;
	std::optional<DAT_EVENT_NUMBER> end_;
	std::span<const std::byte> peer_data_;
	std::string peer_ = "the peer";
};

} // namespace tools

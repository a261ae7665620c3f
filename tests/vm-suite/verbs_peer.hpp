// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The other end is a program of verbs and rdma_cm, which need not behave as one of DAT does. */
#pragma once

#include "failure.hpp"

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace suite {

/** What a verbs object is freed by. */
template <auto release>
struct VerbsDeleter {
	void operator()(auto *object) const noexcept { release(object); }
};

template <typename T, auto release>
using VerbsHandle = std::unique_ptr<T, VerbsDeleter<release>>;

/**
 * An end of a connection. Its queue pair is its own, of which librdmacm knows nothing: so
 * it says that it is ready when the test wants that, or never.
 */
class VerbsPeer {
public:
	VerbsPeer();
	VerbsPeer(const VerbsPeer &) = delete;
	VerbsPeer &operator=(const VerbsPeer &) = delete;
	~VerbsPeer();

	/**
	 * Asks for a connection; CONNECT_RESPONSE is the answer.
	 *
	 * @param serves  reads of the acceptor's at a time
	 * @param asks    reads of its own at a time
	 */
	void connect(sockaddr *address, std::uint64_t qual, std::uint8_t serves, std::uint8_t asks);

	/** Of the answer: how many reads the acceptor serves, and asks at a time. */
	std::uint8_t peer_serves() const noexcept { return peer_serves_; }
	std::uint8_t peer_asks() const noexcept { return peer_asks_; }

	/** A port that it listens on, at this address. */
	std::uint64_t listen(sockaddr *address);

	/** Takes the next request: the other one's id is this end's from now on. */
	void take_request();

	/** Accepts the request that it took. */
	void accept(std::uint8_t serves, std::uint8_t asks);

	/** Rejects the request that it took, with data that no provider of DAT would send. */
	void reject(std::span<const unsigned char> data);

	/** The queue pair can send and receive; the acceptor has not been told. */
	void ready();

	/** Tells the acceptor. */
	void establish();

	/** Posts a message of its memory's first bytes, and has it completed. */
	void send(std::size_t length);

	/** Posts a receive for its memory. */
	void post_recv();

	/** Waits for its message; the length. */
	std::size_t received();

	std::span<unsigned char> memory() noexcept { return memory_; }

	/** The next event, which must be this one. */
	void expect(rdma_cm_event_type type, Location where = Location::current());

	/** Leaves: whatever it is in the midst of is taken back. */
	void leave() noexcept;

private:
	void make_queues();
	void move(ibv_qp_state state);
	ibv_wc completion();
	rdma_conn_param parameters(std::uint8_t serves, std::uint8_t asks) const noexcept;

	VerbsHandle<rdma_event_channel, rdma_destroy_event_channel> channel_;
	VerbsHandle<rdma_cm_id, rdma_destroy_id> listener_, id_;
	VerbsHandle<ibv_pd, ibv_dealloc_pd> pd_;
	VerbsHandle<ibv_cq, ibv_destroy_cq> cq_;
	VerbsHandle<ibv_mr, ibv_dereg_mr> mr_;
	VerbsHandle<ibv_qp, ibv_destroy_qp> qp_;
	alignas(64) unsigned char memory_[4096] = {};
	std::uint8_t peer_serves_ = 0, peer_asks_ = 0;
};

} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The side of datping that measures.
 */
#pragma once

#include <optional>
#include <vector>

#include "../common/deadline.hpp"
#include "../common/latency.hpp"
#include "session.hpp"

namespace ping {

/** What came out. */
struct Report {
	tools::Latencies latency;
	double seconds = 0;
	Verdict local;
	/** What the server found; its text stays with the server. */
	Verdict remote;
};

/** Where to, and how long to be patient. */
struct Target {
	tools::Address peer;
	DAT_CONN_QUAL port;
	tools::Seconds timeout;
	tools::Seconds idle;
};

/** One run against a server. */
class Client {
public:
	Client(const tools::Adapter &adapter, const Hello &hello);

	Report run(const Target &target);

private:
	enum class State {
		Free,
		WaitControl, /**< for Acknowledge or Ready */
		WaitRdma,
	};
	/** A buffer's message that is under way. */
	struct Slot {
		State state = State::Free;
		std::uint64_t sequence = 0;
		/** The Notify after which the buffer is ours again. */
		std::optional<std::uint64_t> notify;
		tools::Clock::time_point start;
	};

	void learn_windows();
	void ping_pong();
	void move_rdma();
	void start_write(Slot &slot);
	void start_read(Slot &slot);
	void post_read(Slot &slot);
	void progress(const Slot &awaited);
	void on_control(const Control &control);
	void on_rdma(std::uint64_t sequence);
	void finish(Slot &slot);
	Slot &expect(std::uint64_t sequence, State state);
	std::size_t index(std::uint64_t sequence) const { return sequence % session_.hello.depth; }

	Session session_;
	std::vector<Slot> slots_;
	std::vector<DAT_RMR_TRIPLET> windows_;
	Report report_;
};

} // namespace ping

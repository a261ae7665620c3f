// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Buffers for outgoing messages, used in turn.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "connection.hpp"
#include "slots.hpp"

namespace tools {

/** Which sends ask for a completion event. */
enum class Tell {
	Some, /**< one in every quarter of the ring */
	Each,
};

/**
 * A ring of equal slots. Not every send asks for a completion event: requests complete
 * in order, so one tells about the ones before it too. The cookies of sends
 * carry a tag: whoever takes the completions of the connection's requests hands
 * those to completed().
 */
class SendRing {
public:
	static constexpr std::uint64_t tag = std::uint64_t{ 1 } << 63;

	/** At least four slots are made. */
	SendRing(const Adapter &adapter, std::size_t slots, std::size_t slot_size);

	/** Requests that the ring can have outstanding, for the endpoint's size. */
	std::size_t slots() const { return slots_.count(); }
	/** Whether a completion must be awaited before next(). */
	bool full() const { return posted_ - completed_ == slots(); }
	/** The slot that the next send() takes. Not to be called when full. */
	std::span<std::byte> next() const { return slots_.bytes(posted_ % slots()); }
	/**
	 * Sends the first bytes of next(), followed by a segment of other memory if
	 * one is given. When finished() exceeds the number returned, the send is
	 * done, and so are all requests posted before it. With Tell::Each that
	 * becomes known without further sends.
	 */
	std::uint64_t send(Connection &connection, std::size_t length, Tell tell = Tell::Some,
			   const DAT_LMR_TRIPLET *more = nullptr);
	/** Takes note of a completion that carries the tag. */
	void completed(std::uint64_t cookie) { completed_ = (cookie & ~tag) + 1; }
	/** How many sends are known to be finished. */
	std::uint64_t finished() const { return completed_; }

private:
	Slots slots_;
	std::uint64_t posted_ = 0;
	std::uint64_t completed_ = 0;
};

} // namespace tools

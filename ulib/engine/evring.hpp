// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The event ring of an EVD: the program's end. The letters of the barriers are
 * those of ring.hpp.
 */
#pragma once

#include "mapping.hpp"
#include "ring.hpp"

#include <atomic>

namespace kdapl {

/** Empties the ring. peek() and pop() are for one thread at a time. */
class EvRing {
public:
	/** Take the mapped ring into use. False when its description is absurd. */
	bool attach(Shared<const kdapl_ev_ring> ring, Shared<kdapl_ev_head> head,
		    std::uint32_t entries) noexcept;

	/** Events there are (F). */
	std::uint32_t count() const noexcept
	{
		return load_acquire(ring_->tail) - head_.load(std::memory_order_relaxed);
	}

	/** The module has more events, or must look for them: KDAPL_EVD_FILL. */
	bool module_has_more() const noexcept
	{
		return load_relaxed(ring_->flags) & (KDAPL_EV_BACKLOG | KDAPL_EV_ASK);
	}

	/** The oldest event. Only when there is one. */
	const kdapl_event &peek() const noexcept
	{
		return events_[head_.load(std::memory_order_relaxed) & (entries_ - 1)];
	}

	/** Give its slot back to the module (G). */
	void pop() noexcept
	{
		const std::uint32_t head = head_.load(std::memory_order_relaxed) + 1;

		head_.store(head, std::memory_order_relaxed);
		store_release(shared_head_->head, head);
	}

	/** Events it can hold. */
	std::uint32_t entries() const noexcept { return entries_; }

private:
	Shared<const kdapl_ev_ring> ring_;
	Shared<kdapl_ev_head> shared_head_;
	const kdapl_event *events_ = nullptr;
	std::uint32_t entries_ = 0;
	std::atomic<std::uint32_t> head_ = 0; /**< polled without the consumer's lock */
};

} // namespace kdapl

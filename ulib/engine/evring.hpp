// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The event ring of an EVD: the program's end. The letters of the barriers are
 * those of ring.hpp.
 */
#pragma once

#include "mapping.hpp"
#include "ring.hpp"

#include <atomic>
#include <vector>

namespace kdapl {

/** Empties the ring. peek() and pop() are for one thread at a time. */
class EvRing {
public:
	/** Take the mapped ring into use. False when its description is absurd. */
	bool attach(Shared<const kdapl_ev_ring> ring, Shared<kdapl_ev_head> head,
		    std::uint32_t entries) noexcept;

	/** Room to remember one more ring, so that move_to() cannot fail. May throw. */
	void reserve_move() { old_rings_.reserve(old_rings_.size() + 1); }

	/** Whether a mapped ring of so many entries is what the module says it is. */
	static bool fits(const Shared<const kdapl_ev_ring> &ring, std::uint32_t entries) noexcept;

	/**
	 * The module has moved the events to a larger ring that fits(). For one thread
	 * at a time, like peek(); the old ring stays mapped for who looks at it without
	 * the consumer's lock.
	 */
	void move_to(Shared<const kdapl_ev_ring> ring, std::uint32_t entries) noexcept;

	/** Events there are (F). */
	std::uint32_t count() const noexcept
	{
		return load_acquire(view()->tail) - head_.load(std::memory_order_relaxed);
	}

	/** The module has more events, or must look for them: KDAPL_EVD_FILL. */
	bool module_has_more() const noexcept
	{
		return load_relaxed(view()->flags) & (KDAPL_EV_BACKLOG | KDAPL_EV_ASK);
	}

	/** Not every event ends a wait: only the module knows which does. */
	bool waits_in_module() const noexcept
	{
		return load_relaxed(view()->flags) & KDAPL_EV_QUIET;
	}

	/** The device tells the module of solicited messages only. */
	bool is_solicited() const noexcept { return load_relaxed(view()->flags) & KDAPL_EV_ASK; }

	/** The oldest event. Only when there is one. */
	const kdapl_event &peek() const noexcept
	{
		return events_[head_.load(std::memory_order_relaxed) & (entries() - 1)];
	}

	/** Give its slot back to the module (G). */
	void pop() noexcept
	{
		const std::uint32_t head = head_.load(std::memory_order_relaxed) + 1;

		head_.store(head, std::memory_order_relaxed);
		store_release(shown_->head, head);
	}

	/**
	 * The module has destroyed it: the head's place may be another ring's, and is not
	 * written any more. For one thread at a time, like peek().
	 */
	void leave_head() noexcept { shown_ = &own_; }

	/** Events it can hold. */
	std::uint32_t entries() const noexcept { return entries_.load(std::memory_order_relaxed); }

private:
	const kdapl_ev_ring *view() const noexcept { return view_.load(std::memory_order_acquire); }
	void use(Shared<const kdapl_ev_ring> ring, std::uint32_t entries) noexcept;

	Shared<const kdapl_ev_ring> ring_;
	std::vector<Shared<const kdapl_ev_ring>> old_rings_; /**< each twice the one before */
	Shared<kdapl_ev_head> shared_head_;
	kdapl_ev_head own_{};
	kdapl_ev_head *shown_ = &own_; /**< where the module looks */
	std::atomic<const kdapl_ev_ring *> view_ = nullptr; /**< read without the consumer's lock */
	const kdapl_event *events_ = nullptr;
	std::atomic<std::uint32_t> entries_ = 0;
	std::atomic<std::uint32_t> head_ = 0; /**< polled without the consumer's lock */
};

} // namespace kdapl

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The submission ring of an IA: the program's end. The letters of the barriers
 * are those of ring.hpp.
 */
#pragma once

#include "alone.hpp"
#include "mapping.hpp"
#include "ring.hpp"

#include <algorithm>

namespace kdapl {

/** So many waiting entries are worth a call: the module posts as many in one go. */
inline constexpr std::uint32_t sq_batch = 16;

/** Fills the ring. Everything but mutex() needs the mutex held. */
class Sq {
public:
	/** Take the mapped ring into use. False when its description is absurd. */
	bool attach(Shared<kdapl_sq_ring> ring, Shared<const kdapl_sq_status> status,
		    std::uint32_t entries) noexcept;

	Mutex &mutex() noexcept { return mutex_; }

	/** No slot is free until the module takes an entry (D). */
	bool full() const noexcept { return tail_ - load_acquire(status_->head) >= entries_; }

	/** The slot to fill. Only when not full. */
	kdapl_sqe &next() const noexcept { return slots_[tail_ & (entries_ - 1)]; }

	/** Hand the filled slot to the module (A). */
	void push() noexcept { store_release(ring_->tail, ++tail_); }

	/** Whether the module must be called. After push() and full_barrier(). */
	bool needs_wakeup() const noexcept
	{
		return load_relaxed(status_->flags) & KDAPL_SQ_NEED_WAKEUP;
	}

	/**
	 * Whether a batch has gathered since the last call. The module would come for
	 * it by itself, but perhaps only by its timer; a call starts it at once.
	 */
	bool has_batch() const noexcept
	{
		return std::min(tail_ - load_relaxed(status_->head), tail_ - rung_) >= sq_batch;
	}

	/** The module is about to be called, or was. */
	void note_doorbell() noexcept { rung_ = tail_; }

private:
	Mutex mutex_;
	Shared<kdapl_sq_ring> ring_;
	Shared<const kdapl_sq_status> status_;
	kdapl_sqe *slots_ = nullptr;
	std::uint32_t entries_ = 0;
	std::uint32_t tail_ = 0;
	std::uint32_t rung_ = 0; /**< tail at the last doorbell */
};

/** Below this many receives in the device a receive rings, whatever was posted. */
inline constexpr std::uint32_t recv_low_mark = 16;

/** With more than this many receives waiting in the ring a receive rings. */
inline constexpr std::uint32_t recv_lag = 16;

/** What decides whether a posted receive needs a doorbell. */
struct RecvDoorbell {
	bool always; /**< no RNR on the transport, a solicited-wait EVD, marks */
	std::uint32_t in_device; /**< kdapl_ep_status::hw_recv, read after full_barrier() */
	std::uint32_t outstanding; /**< posted and not completed */
};

/**
 * Whether a posted receive must ring. While the device holds enough, the module
 * takes the rest by itself before they run low. A peer's burst can be as long as
 * all that was posted and come before the module looks, so few may be missing.
 */
constexpr bool recv_needs_doorbell(const RecvDoorbell &d) noexcept
{
	return d.always || d.in_device < recv_low_mark || d.outstanding > d.in_device + recv_lag;
}

} // namespace kdapl

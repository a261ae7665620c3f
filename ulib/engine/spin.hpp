// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the program spin? Such a program posts a request and then looks at an EVD
 * until its answer is there. The module can do that looking for it, in the very
 * call that the doorbell is, and see the answer sooner (KDAPL_DOORBELL with an EVD).
 *
 * A program that does other work between its post and its looks must not lose
 * that time. So it is found out, from post to post: the program spins on an EVD if
 * it spent most of the time looking at it. That is believed for some doorbells and
 * then found out again.
 *
 * All of it is a guess that costs or saves time and nothing else, so threads may
 * overwrite each other's words.
 */
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace kdapl {

class Spin {
public:
	/** Doorbells for which a program is believed to spin. */
	static constexpr std::uint32_t believed = 64;
	/** After a vain poll, doorbells until the next attempt; twice as many each time. */
	static constexpr std::uint32_t least_distrust = 16;
	static constexpr std::uint32_t most_distrust = 4096;

	/**
	 * A lone request is about to ring.
	 * @return  which of the EP's EVDs the module shall poll; 0 for none
	 */
	std::uint32_t rings(std::uint32_t recv_evd, std::uint32_t request_evd,
			    std::uint64_t (*clock)() noexcept) noexcept;

	/** It has rung, and the module did not poll. */
	void rang(std::uint64_t now) noexcept
	{
		waited_.store(0, relaxed);
		looked_at_.store(0, relaxed);
		rang_at_.store(now, relaxed);
	}

	/** The module polled, and whether an event came. */
	void polled(bool found) noexcept;

	/** Nothing was in an EVD. */
	void looked(std::uint64_t (*clock)() noexcept) noexcept
	{
		if (rang_at_.load(relaxed) && !looked_at_.load(relaxed))
			looked_at_.store(clock(), relaxed);
	}

	/** An event was in an EVD. */
	void found(std::uint32_t evd, std::uint64_t (*clock)() noexcept) noexcept
	{
		if (looked_at_.load(relaxed))
			count_looks(evd, clock());
	}

private:
	static constexpr auto relaxed = std::memory_order_relaxed;

	void count_looks(std::uint32_t evd, std::uint64_t now) noexcept;

	std::atomic<std::uint64_t> rang_at_ = 0; /**< 0: nothing to find out */
	std::atomic<std::uint64_t> looked_at_ = 0; /**< first look in vain, 0: none */
	std::atomic<std::uint64_t> waited_ = 0; /**< for an event, at the longest */
	std::atomic<std::uint32_t> waited_for_ = 0; /**< an EVD */

	/* Guarded by the submission ring's mutex, but for what polled() leaves. */
	std::uint32_t evd_ = 0; /**< spun on */
	std::uint32_t left_ = 0; /**< doorbells for which that is believed */
	std::atomic<std::uint32_t> distrust_ = 0; /**< doorbells to let pass */
	std::atomic<std::uint32_t> next_distrust_ = least_distrust;
};

inline std::uint32_t Spin::rings(std::uint32_t recv_evd, std::uint32_t request_evd,
				 std::uint64_t (*clock)() noexcept) noexcept
{
	if (const std::uint32_t distrust = distrust_.load(relaxed)) {
		distrust_.store(distrust - 1, relaxed);
		left_ = 0;
		return 0;
	}
	if (left_) {
		left_--;
	} else {
		const std::uint64_t rang_at = rang_at_.load(relaxed);

		evd_ = 0;
		if (rang_at && waited_.load(relaxed) > (clock() - rang_at) / 2) {
			evd_ = waited_for_.load(relaxed);
			left_ = believed;
		}
	}
	rang_at_.store(0, relaxed);
	return evd_ && (evd_ == recv_evd || evd_ == request_evd) ? evd_ : 0;
}

inline void Spin::polled(bool found) noexcept
{
	const std::uint32_t next = next_distrust_.load(relaxed);

	if (!found)
		distrust_.store(next, relaxed);
	next_distrust_.store(found ? least_distrust : std::min(next * 2, most_distrust), relaxed);
}

/**
 * A clock that never costs a system call. Its unit does not matter to Spin, nor
 * that processors may disagree a little.
 */
inline std::uint64_t spin_clock() noexcept
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	std::uint64_t ticks;

	asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return static_cast<std::uint64_t>(
		std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

} // namespace kdapl

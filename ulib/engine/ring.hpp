// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The barriers of the rings that module and program share; the pairs carry the
 * letters of include/uapi/kdapl.h:
 *
 *   submission ring  tail  program releases (A), module acquires (B)
 *                    head  module releases (C), program acquires (D)
 *   event ring       tail  module releases (E), program acquires (F)
 *                    head  program releases (G), module acquires (H)
 *
 * and for the flags that spare a system call: who stops looking writes its flag,
 * full barrier, looks once more; who brings work writes the tail, full barrier,
 * reads the flag. One of the two then sees the other.
 */
#pragma once

#include <linux/types.h>

#include <atomic>
#include <cstdint>

namespace kdapl {

/** Read a word of the other side's, and what it wrote before that word (D, F). */
inline std::uint32_t load_acquire(const std::uint32_t &word) noexcept
{
	return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

/** Read a word of the other side's that announces nothing but itself. */
inline std::uint32_t load_relaxed(const std::uint32_t &word) noexcept
{
	return __atomic_load_n(&word, __ATOMIC_RELAXED);
}
inline std::uint64_t load_relaxed(const __u64 &word) noexcept
{
	return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

/** Hand over what was written before (A), or what was read before (G). */
inline void store_release(std::uint32_t &word, std::uint32_t value) noexcept
{
	__atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

/* GCC's thread sanitizer does not model fences; no data depends on this one. */
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan"
#endif

/** Between storing a tail and reading a flag that decides on a doorbell. */
inline void full_barrier() noexcept
{
	std::atomic_thread_fence(std::memory_order_seq_cst);
}

#pragma GCC diagnostic pop

} // namespace kdapl

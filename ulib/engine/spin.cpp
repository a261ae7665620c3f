// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "spin.hpp"

#include <algorithm>
#include <chrono>

namespace kdapl {

std::uint32_t Spin::rings(std::uint32_t recv_evd, std::uint32_t request_evd,
			  std::uint64_t now) noexcept
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
		if (rang_at && waited_.load(relaxed) > (now - rang_at) / 2) {
			evd_ = waited_for_.load(relaxed);
			left_ = believed;
		}
	}
	rang_at_.store(0, relaxed);
	return evd_ && (evd_ == recv_evd || evd_ == request_evd) ? evd_ : 0;
}

void Spin::polled(bool found) noexcept
{
	const std::uint32_t next = next_distrust_.load(relaxed);

	if (!found)
		distrust_.store(next, relaxed);
	next_distrust_.store(found ? least_distrust : std::min(next * 2, most_distrust), relaxed);
}

void Spin::count_looks(std::uint32_t evd, std::uint64_t now) noexcept
{
	const std::uint64_t waited = now - looked_at_.load(relaxed);

	looked_at_.store(0, relaxed);
	if (waited > waited_.load(relaxed)) {
		waited_.store(waited, relaxed);
		waited_for_.store(evd, relaxed);
	}
}

std::uint64_t spin_clock() noexcept
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

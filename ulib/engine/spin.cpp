// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "spin.hpp"

#include <algorithm>

namespace kdapl {

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

} // namespace kdapl

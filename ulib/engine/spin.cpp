// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "spin.hpp"

namespace kdapl {

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

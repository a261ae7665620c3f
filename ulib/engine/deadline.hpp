// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Time-outs of DAT calls as the module's deadlines. */
#pragma once

#include "uapi/kdapl.h"

#include <cstdint>
#include <ctime>

namespace kdapl {

/** DAT_TIMEOUT_INFINITE. */
inline constexpr std::uint32_t timeout_infinite = ~UINT32_C(0);

/** The point of CLOCK_MONOTONIC, in nanoseconds, so many microseconds from now. */
inline std::uint64_t deadline_after(std::uint32_t timeout_us) noexcept
{
	if (timeout_us == timeout_infinite)
		return KDAPL_DEADLINE_NONE;

	timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return static_cast<std::uint64_t>(now.tv_sec) * 1000000000U +
	       static_cast<std::uint64_t>(now.tv_nsec) + std::uint64_t{ timeout_us } * 1000U;
}

} // namespace kdapl

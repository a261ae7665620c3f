// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the environment says about the machine that the suite runs in. */
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace suite {

/** How long to wait for what must come: only a failure takes so long. */
std::chrono::milliseconds patience();

/** How long a test may take. */
std::chrono::milliseconds test_limit();

/** Adapter to open: KDAPL_IA, KDAPL_DEVICE, or the first there is. */
std::string adapter_name();

/** A count of repetitions, times KDAPL_SCALE (1 where it is not set), at least 1. */
std::uint64_t scaled(std::uint64_t count);

} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whether a call takes memory from the heap. */
#pragma once

#include <cstddef>

namespace suite {

/** How often this thread has asked the heap for memory, by whatever call. */
std::size_t allocations() noexcept;

/** Whether they are counted: a sanitizer has a malloc() of its own. */
#ifdef SANITIZED_HEAP
constexpr bool counts_allocations = false;
#else
constexpr bool counts_allocations = true;
#endif

} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whether a call takes memory from the heap, and what it does without. */
#pragma once

#include <cstddef>

namespace suite {

/** How often this thread has asked the heap for memory, by whatever call. */
std::size_t allocations() noexcept;

/** While it lives the heap has nothing for this thread; not for what is checked meanwhile. */
class NoHeap {
public:
	/** @p after: so many more it has, first */
	explicit NoHeap(std::size_t after) noexcept;
	NoHeap(const NoHeap &) = delete;
	NoHeap &operator=(const NoHeap &) = delete;
	~NoHeap();
};

/** Whether they are counted, and can fail: a sanitizer has a malloc() of its own. */
#ifdef SANITIZED_HEAP
constexpr bool counts_allocations = false;
#else
constexpr bool counts_allocations = true;
#endif

} // namespace suite

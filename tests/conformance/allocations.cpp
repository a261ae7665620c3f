// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The program's own malloc() counts, and can fail; operator new and the library use it, too.

#include "allocations.hpp"

#include <cerrno>
#include <cstdint>

namespace {

thread_local std::size_t count;
thread_local std::size_t left = SIZE_MAX;

} // namespace

namespace suite {

std::size_t allocations() noexcept
{
	return count;
}

NoHeap::NoHeap(std::size_t after) noexcept
{
	left = after;
}

NoHeap::~NoHeap()
{
	left = SIZE_MAX;
}

} // namespace suite

#ifndef SANITIZED_HEAP

namespace {

/** Counts; whether there is still something. */
bool may_have() noexcept
{
	count++;
	if (left == 0) {
		errno = ENOMEM;
		return false;
	}
	if (left != SIZE_MAX)
		left--;
	return true;
}

} // namespace

extern "C" {

/* The C library's own, under the names that it keeps for this. */
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t number, std::size_t size);
void *__libc_realloc(void *memory, std::size_t size);
void *__libc_memalign(std::size_t alignment, std::size_t size);

void *malloc(std::size_t size)
{
	return may_have() ? __libc_malloc(size) : nullptr;
}

void *calloc(std::size_t number, std::size_t size)
{
	return may_have() ? __libc_calloc(number, size) : nullptr;
}

void *realloc(void *memory, std::size_t size)
{
	return may_have() ? __libc_realloc(memory, size) : nullptr;
}

void *aligned_alloc(std::size_t alignment, std::size_t size)
{
	return may_have() ? __libc_memalign(alignment, size) : nullptr;
}

} /* extern "C" */

#endif

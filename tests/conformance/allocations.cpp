// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The program's own malloc() counts; operator new and the library use it, too.

#include "allocations.hpp"

namespace {

thread_local std::size_t count;

} // namespace

namespace suite {

std::size_t allocations() noexcept
{
	return count;
}

} // namespace suite

#ifndef SANITIZED_HEAP

extern "C" {

/* The C library's own, under the names that it keeps for this. */
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t number, std::size_t size);
void *__libc_realloc(void *memory, std::size_t size);
void *__libc_memalign(std::size_t alignment, std::size_t size);

void *malloc(std::size_t size)
{
	count++;
	return __libc_malloc(size);
}

void *calloc(std::size_t number, std::size_t size)
{
	count++;
	return __libc_calloc(number, size);
}

void *realloc(void *memory, std::size_t size)
{
	count++;
	return __libc_realloc(memory, size);
}

void *aligned_alloc(std::size_t alignment, std::size_t size)
{
	count++;
	return __libc_memalign(alignment, size);
}

} /* extern "C" */

#endif

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/** Memory to register: whole pages, touched before they are timed. */
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace bench {

struct FreeMemory {
	void operator()(std::byte *p) const noexcept { std::free(p); }
};

using Memory = std::unique_ptr<std::byte[], FreeMemory>;

inline Memory make_memory(std::size_t size)
{
	constexpr std::size_t page = 4096;
	const std::size_t whole = (size + page - 1) / page * page;
	void *p = std::aligned_alloc(page, whole);

	if (!p)
		throw std::bad_alloc();
	std::memset(p, 0x5a, whole);
	return Memory(static_cast<std::byte *>(p));
}

} // namespace bench

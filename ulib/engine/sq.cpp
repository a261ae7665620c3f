// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "sq.hpp"

#include <bit>
#include <utility>

namespace kdapl {

bool Sq::attach(Shared<kdapl_sq_ring> ring, Shared<const kdapl_sq_status> status,
		std::uint32_t entries) noexcept
{
	if (!ring || !status || !std::has_single_bit(entries))
		return false;

	char *base = reinterpret_cast<char *>(ring.ptr);
	const std::size_t before = static_cast<std::size_t>(base - ring.mapping->at(0));
	const std::size_t needed =
		before + KDAPL_SQ_ENTRIES_OFFSET + std::size_t{ entries } * sizeof(kdapl_sqe);
	if (needed > ring.mapping->size())
		return false;

	slots_ = reinterpret_cast<kdapl_sqe *>(base + KDAPL_SQ_ENTRIES_OFFSET);
	entries_ = entries;
	tail_ = load_relaxed(ring->tail);
	rung_ = tail_;
	ring_ = std::move(ring);
	status_ = std::move(status);
	return true;
}

} // namespace kdapl

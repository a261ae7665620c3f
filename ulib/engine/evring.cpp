// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "evring.hpp"

#include <bit>
#include <utility>

namespace kdapl {

bool EvRing::attach(Shared<const kdapl_ev_ring> ring, Shared<kdapl_ev_head> head,
		    std::uint32_t entries) noexcept
{
	if (!ring || !head || !std::has_single_bit(entries))
		return false;

	const char *base = reinterpret_cast<const char *>(ring.ptr);
	const std::size_t before = static_cast<std::size_t>(base - ring.mapping->at(0));
	const std::size_t needed =
		before + KDAPL_EV_ENTRIES_OFFSET + std::size_t{ entries } * sizeof(kdapl_event);
	if (needed > ring.mapping->size())
		return false;

	events_ = reinterpret_cast<const kdapl_event *>(base + KDAPL_EV_ENTRIES_OFFSET);
	entries_ = entries;
	head_ = load_relaxed(head->head);
	ring_ = std::move(ring);
	shared_head_ = std::move(head);
	return true;
}

} // namespace kdapl

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "evring.hpp"

#include <bit>
#include <utility>

namespace kdapl {

bool EvRing::fits(const Shared<const kdapl_ev_ring> &ring, std::uint32_t entries) noexcept
{
	if (!ring || !std::has_single_bit(entries))
		return false;

	const char *base = reinterpret_cast<const char *>(ring.ptr);
	const std::size_t before = static_cast<std::size_t>(base - ring.mapping->at(0));
	const std::size_t needed =
		before + KDAPL_EV_ENTRIES_OFFSET + std::size_t{ entries } * sizeof(kdapl_event);

	return needed <= ring.mapping->size();
}

void EvRing::use(Shared<const kdapl_ev_ring> ring, std::uint32_t entries) noexcept
{
	events_ = reinterpret_cast<const kdapl_event *>(reinterpret_cast<const char *>(ring.ptr) +
							KDAPL_EV_ENTRIES_OFFSET);
	entries_.store(entries, std::memory_order_relaxed);
	ring_ = std::move(ring);
	view_.store(ring_.ptr, std::memory_order_release);
}

bool EvRing::attach(Shared<const kdapl_ev_ring> ring, Shared<kdapl_ev_head> head,
		    std::uint32_t entries) noexcept
{
	if (!head || !fits(ring, entries))
		return false;

	head_ = load_relaxed(head->head);
	shared_head_ = std::move(head);
	shown_ = shared_head_.ptr;
	use(std::move(ring), entries);
	return true;
}

void EvRing::move_to(Shared<const kdapl_ev_ring> ring, std::uint32_t entries) noexcept
{
	old_rings_.push_back(std::move(ring_));
	use(std::move(ring), entries);
}

} // namespace kdapl

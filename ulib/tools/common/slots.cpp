// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "slots.hpp"

#include <algorithm>

namespace tools {

/* Slots do not share cache lines. */
static constexpr std::size_t line = 64;

Slots::Slots(const Adapter &adapter, std::size_t count, std::size_t size,
	     DAT_MEM_PRIV_FLAGS privileges)
	: count_(count), size_(size), stride_(std::max((size + line - 1) / line * line, line)),
	  per_region_(
		  std::clamp<std::size_t>(adapter.attr().max_lmr_block_size / stride_, 1, count))
{
	for (std::size_t first = 0; first < count; first += per_region_)
		regions_.emplace_back(adapter, std::min(per_region_, count - first) * stride_,
				      privileges);
}

std::span<std::byte> Slots::bytes(std::size_t slot) const
{
	return region(slot).bytes().subspan(offset(slot), size_);
}

DAT_LMR_TRIPLET Slots::segment(std::size_t slot, std::size_t length) const
{
	return region(slot).segment(offset(slot), length);
}

DAT_RMR_TRIPLET Slots::remote(std::size_t slot) const
{
	DAT_RMR_TRIPLET triplet{};

	triplet.rmr_context = region(slot).rmr_context();
	triplet.target_address = region(slot).address() + offset(slot);
	triplet.segment_length = size_;
	return triplet;
}

} // namespace tools

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Equal buffers in registered memory.
 */
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <dat/udat.h>

#include "adapter.hpp"
#include "region.hpp"

namespace tools {

/**
 * A number of buffers, in as few regions as the adapter allows: one where it
 * can, several where it limits the size of a region.
 */
class Slots {
public:
	Slots(const Adapter &adapter, std::size_t count, std::size_t size,
	      DAT_MEM_PRIV_FLAGS privileges);

	std::size_t count() const { return count_; }
	/** Bytes that each slot was asked to have. */
	std::size_t size() const { return size_; }
	std::span<std::byte> bytes(std::size_t slot) const;
	/** A slot's first bytes as a local segment of a post. */
	DAT_LMR_TRIPLET segment(std::size_t slot, std::size_t length) const;
	/** A whole slot as a peer names it. */
	DAT_RMR_TRIPLET remote(std::size_t slot) const;

private:
	const Region &region(std::size_t slot) const { return regions_[slot / per_region_]; }
	std::size_t offset(std::size_t slot) const { return slot % per_region_ * stride_; }

	std::size_t count_;
	std::size_t size_;
	std::size_t stride_;
	std::size_t per_region_;
	std::vector<Region> regions_;
};

} // namespace tools

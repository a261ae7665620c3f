// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "mapping.hpp"

namespace kdapl {

std::shared_ptr<Mapping> Mappings::find_or_map(const kdapl_map &piece, bool writable)
{
	std::lock_guard lock(mutex_);

	if (by_offset_.size() >= prune_at_) {
		std::erase_if(by_offset_, [](const auto &item) { return item.second.expired(); });
		prune_at_ = 2 * by_offset_.size() + 16;
	}

	auto &known = by_offset_[piece.offset];
	if (auto mapping = known.lock(); mapping && mapping->size() == piece.size)
		return mapping;

	void *address = device_.map(piece.offset, piece.size, writable);
	if (!address)
		return nullptr;
	try {
		auto mapping = std::make_shared<Mapping>(device_, address, piece.size);
		known = mapping;
		return mapping;
	} catch (...) {
		device_.unmap(address, piece.size);
		throw;
	}
}

} // namespace kdapl

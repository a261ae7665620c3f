// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "lmr_table.hpp"

#include <algorithm>
#include <utility>

namespace kdapl {

void LmrTable::insert(const LmrEntry &entry)
{
	if (2 * (size_ + 1) > places_.size())
		grow();
	place(entry);
	size_++;
}

bool LmrTable::erase(std::uint32_t context) noexcept
{
	const LmrEntry *found = find(context);

	if (!found)
		return false;

	/* Close the gap: entries behind it that may move to it do. */
	std::size_t gap = static_cast<std::size_t>(found - places_.data());
	for (std::size_t i = after(gap); places_[i].context; i = after(i)) {
		const std::size_t from_home = (i - home(places_[i].context)) & (places_.size() - 1);
		const std::size_t from_gap = (i - gap) & (places_.size() - 1);
		if (from_home >= from_gap) {
			places_[gap] = places_[i];
			gap = i;
		}
	}
	places_[gap] = LmrEntry{};
	size_--;
	return true;
}

void LmrTable::place(const LmrEntry &entry) noexcept
{
	std::size_t i = home(entry.context);

	while (places_[i].context)
		i = after(i);
	places_[i] = entry;
}

void LmrTable::grow()
{
	std::vector<LmrEntry> old(std::max<std::size_t>(64, 2 * places_.size()));

	old.swap(places_);
	for (const LmrEntry &entry : old) {
		if (entry.context)
			place(entry);
	}
}

} // namespace kdapl

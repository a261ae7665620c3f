// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The registered memory of an IA by LMR context, for the checks of a post. Open
 * addressing, so that a look-up costs one cache line. Posts look up while they
 * hold the submission ring's mutex, and that mutex guards the table.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kdapl {

/** What a post must know of an LMR. */
struct LmrEntry {
	std::uint32_t context = 0; /**< 0: no entry */
	std::uint32_t pz = 0; /**< the module's id */
	std::uint64_t address = 0;
	std::uint64_t length = 0;
	std::uint32_t privileges = 0; /**< KDAPL_PRIV_* */

	/** The range lies inside. */
	bool covers(std::uint64_t start, std::uint64_t bytes) const noexcept
	{
		return start >= address && start - address <= length &&
		       bytes <= length - (start - address);
	}
};

/** Contexts to entries. */
class LmrTable {
public:
	/** nullptr when there is none. */
	const LmrEntry *find(std::uint32_t context) const noexcept;

	/** The context must not be 0 and not be there yet. May throw std::bad_alloc. */
	void insert(const LmrEntry &entry);

	/** False when it is not there. */
	bool erase(std::uint32_t context) noexcept;

	std::size_t size() const noexcept { return size_; }

private:
	std::size_t home(std::uint32_t context) const noexcept
	{
		return (context * UINT32_C(2654435761) >> 8) & (places_.size() - 1);
	}
	std::size_t after(std::size_t place) const noexcept
	{
		return (place + 1) & (places_.size() - 1);
	}
	void grow();
	void place(const LmrEntry &entry) noexcept;

	std::vector<LmrEntry> places_; /**< a power of two, at most half full */
	std::size_t size_ = 0;
};

inline const LmrEntry *LmrTable::find(std::uint32_t context) const noexcept
{
	if (!size_ || !context)
		return nullptr;
	for (std::size_t i = home(context); places_[i].context; i = after(i)) {
		if (places_[i].context == context)
			return &places_[i];
	}
	return nullptr;
}

} // namespace kdapl

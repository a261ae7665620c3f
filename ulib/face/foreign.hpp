// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Handles of other providers. DAT has the first word of an object point to its
 * provider's table, and that is all that is known of them: a handle is another
 * provider's if that word can be read and points to a table that is registered.
 *
 * Own handles never come to that question, and as long as no other provider is
 * registered no handle does.
 */
#pragma once

#include "face.hpp"

#include <array>
#include <atomic>

namespace face {

/** The tables of all registered providers; to be changed by one thread at a time. */
class ForeignTables {
public:
	/** False when there is no room. A table may be added several times. */
	bool add(const DAT_PROVIDER *table) noexcept;
	void remove(const DAT_PROVIDER *table) noexcept;

	bool empty() const noexcept { return !used_.load(std::memory_order_acquire); }
	/** The table that a handle points to, if it is one of these. */
	const DAT_PROVIDER *of(DAT_HANDLE handle) const noexcept;
	/** Objects were freed: handles that could be read may be so no more. */
	void forget_handles() noexcept
	{
		if (!empty())
			frees_.fetch_add(1, std::memory_order_relaxed);
	}

private:
	static constexpr std::size_t most = 256;

	bool is_readable(DAT_HANDLE handle) const noexcept;

	std::atomic<std::size_t> used_ = 0; /**< places that may hold a table */
	std::array<std::atomic<const DAT_PROVIDER *>, most> tables_{};
	std::atomic<std::uint64_t> frees_ = 1;
};

/* Never destroyed: handles are looked at while other destructors run. */
extern constinit ForeignTables foreign_tables;

/** The table of another provider's handle; nullptr for all else. */
inline const DAT_PROVIDER *foreign_provider(DAT_HANDLE handle) noexcept
{
	return foreign_tables.empty() ? nullptr : foreign_tables.of(handle);
}

} // namespace face

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of entry points that every handle's first word points to. One per
 * adapter name; never freed, because freed handles keep pointing to it.
 */
#pragma once

#include "face.hpp"

#include <list>
#include <string>
#include <string_view>

namespace dat1 {

/** A table and the name in it. */
struct Provider {
	explicit Provider(std::string_view adapter);
	Provider(const Provider &) = delete;
	Provider &operator=(const Provider &) = delete;

	std::string name;
	DAT_PROVIDER table;
};

/** The table for an adapter: a known one, or one that keep() makes known. */
class ProviderForOpen {
public:
	explicit ProviderForOpen(std::string_view adapter);

	const DAT_PROVIDER *table() const noexcept { return table_; }
	/** The adapter was opened. */
	void keep() noexcept;

private:
	std::list<Provider> made_;
	const DAT_PROVIDER *table_;
};

} // namespace dat1

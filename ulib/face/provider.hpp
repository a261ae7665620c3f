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

namespace face {

/** How an adapter is registered. */
struct Registered {
	std::string device; /**< what the module calls it */
	bool thread_safe = true;

	bool operator==(const Registered &) const = default;
};

/** A table and the name in it. */
struct Provider {
	Provider(std::string_view ia_name, const Registered &as);
	Provider(const Provider &) = delete;
	Provider &operator=(const Provider &) = delete;

	std::string name;
	Registered as;
	DAT_PROVIDER table;
};

/** The table for an adapter: a known one, or one that keep() makes known. */
class ProviderForOpen {
public:
	ProviderForOpen(std::string_view ia_name, const Registered &as);

	DAT_PROVIDER *table() const noexcept { return table_; }
	/** The adapter was opened. */
	void keep() noexcept;

private:
	std::list<Provider> made_;
	DAT_PROVIDER *table_;
};

/**
 * How an adapter was registered last, among those that are thread-safe or those that are
 * not: a registry may have both. Without that the module calls it by its name.
 */
Registered registered_as(std::string_view ia_name, bool thread_safe);

} // namespace face

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interface adapters: which there are, which one to take, and an open one.
 */
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dat/udat.h>

#include "address.hpp"
#include "handle.hpp"

namespace tools {

/** The names of all adapters. Throws when the module is not there to ask. */
std::vector<std::string> list_adapters();

/** An open adapter with a protection zone. */
class Adapter {
public:
	/** Opens by name. Throws with the names that exist when there is no such. */
	explicit Adapter(const std::string &name);

	const std::string &name() const { return name_; }
	DAT_IA_HANDLE ia() const { return ia_.get(); }
	DAT_PZ_HANDLE pz() const { return pz_.get(); }
	const DAT_IA_ATTR &attr() const { return attr_; }
	const DAT_PROVIDER_ATTR &provider() const { return provider_; }
	/** The adapter's first address. */
	Address address() const { return Address(attr_.ia_address_ptr); }
	/** All of its addresses, as text. */
	std::vector<std::string> addresses() const;
	/** An attribute that the provider gives as text, by its name. */
	std::optional<std::string> named(std::string_view name) const;

private:
	std::string name_;
	IaHandle ia_;
	PzHandle pz_;
	DAT_IA_ATTR attr_{};
	DAT_PROVIDER_ATTR provider_{};
};

/**
 * Opens the adapter the user named; without a name the first that has an address. When
 * there was a choice, says on stderr which it took.
 */
Adapter open_adapter(const std::optional<std::string> &wanted);

/** An adapter, and the address of a peer that is to be reached through it. */
struct Route {
	Adapter adapter;
	Address peer;
};

/**
 * Opens the adapter the user named; without a name the one whose address the routes choose
 * for the peer, else the first that has an address of the peer's family. When there was a
 * choice, says on stderr which it took.
 * @param peers  all addresses of the peer; one that the routes lead to through an adapter is
 *               taken before those that they do not
 */
Route open_route(const std::optional<std::string> &wanted, const std::vector<Address> &peers);

} // namespace tools

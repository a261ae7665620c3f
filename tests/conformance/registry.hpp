// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Providers that are not ours, and what the registry does with them. */
#pragma once

#include "dat_conf.hpp"
#include "failure.hpp"

#include <dat/dat_registry.h>

#include <string>
#include <vector>

namespace suite {

using Names = std::vector<std::string>;

/** The names that the registry lists. */
Names listed();

/** Opens an adapter as a program of some version does; the call's own result. */
DAT_RETURN open_ia(const std::string &name, DAT_IA_HANDLE &ia, DAT_UINT32 minor = DAT_VERSION_MINOR,
		   DAT_UINT32 major = DAT_VERSION_MAJOR);

/** Opens and closes it. */
void open_and_close(const std::string &name);

/** What a provider registers with. */
DAT_PROVIDER_INFO info_of(const std::string &name, DAT_UINT32 minor = DAT_VERSION_MINOR);

/** A line of dat.conf, mostly for the small provider of the unit tests. */
std::string conf_line(const std::string &name, const std::string &instance = "",
		      const std::string &library = FOREIGN_PROVIDER,
		      const std::string &api = "u1.2 threadsafe default");

/** What that provider told since the program began: "init a", "add a refused", ... */
Names &told();

/** A provider with which adapters can be opened and closed, and no more. */
class SmallProvider {
public:
	SmallProvider();
	SmallProvider(const SmallProvider &) = delete;
	SmallProvider &operator=(const SmallProvider &) = delete;

	DAT_PROVIDER *table() noexcept { return &table_; }
	unsigned opens() const noexcept { return opens_; }

private:
	static DAT_RETURN open_one(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE *, DAT_IA_HANDLE *,
				   DAT_BOOLEAN);

	DAT_PROVIDER table_{};
	unsigned opens_ = 0;
};

} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "settings.hpp"

#include "failure.hpp"

#include <algorithm>
#include <cstdlib>

namespace suite {

std::chrono::milliseconds patience()
{
	return std::chrono::seconds(20);
}

std::chrono::milliseconds test_limit()
{
	return std::chrono::seconds(120);
}

std::string adapter_name()
{
	DAT_PROVIDER_INFO info;
	DAT_PROVIDER_INFO *list[] = { &info };
	DAT_COUNT count = 0;

	for (const char *variable : { "KDAPL_IA", "KDAPL_DEVICE" }) {
		if (const char *name = std::getenv(variable))
			return name;
	}
	ok(dat_registry_list_providers(1, &count, list));
	require(count >= 1, "there is no adapter");
	return info.ia_name;
}

std::uint64_t scaled(std::uint64_t count)
{
	const char *scale = std::getenv("KDAPL_SCALE");
	double factor = scale ? std::strtod(scale, nullptr) : 1.0;

	return std::max<std::uint64_t>(
		1, static_cast<std::uint64_t>(static_cast<double>(count) * factor));
}

} // namespace suite

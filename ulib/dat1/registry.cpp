// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which adapters can be opened.

#include "face.hpp"

#include "engine/registry.hpp"

using namespace dat1;

namespace {

void fill(const std::string &name, DAT_PROVIDER_INFO &info) noexcept
{
	info = {};
	name.copy(info.ia_name, sizeof info.ia_name - 1);
	info.dapl_version_major = DAT_VERSION_MAJOR;
	info.dapl_version_minor = DAT_VERSION_MINOR;
	info.is_thread_safe = DAT_TRUE;
}

} // namespace

DAT_RETURN dat_registry_list_providers(DAT_COUNT max_to_return, DAT_COUNT *number_entries,
				       DAT_PROVIDER_INFO *(dat_provider_list[]))
{
	return call([&] {
		std::vector<std::string> names;

		if (max_to_return < 0)
			return bad_parameter(Sub::arg1);
		if (!number_entries)
			return bad_parameter(Sub::arg2);
		if (Status status = kdapl::list_adapters(names); !status.ok())
			return status;

		*number_entries = to_count(names.size());
		if (names.size() > static_cast<std::size_t>(max_to_return))
			return bad_parameter(Sub::arg1);
		for (std::size_t i = 0; i < names.size(); i++) {
			if (!dat_provider_list || !dat_provider_list[i])
				return bad_parameter(Sub::arg3);
			fill(names[i], *dat_provider_list[i]);
		}
		return success;
	});
}

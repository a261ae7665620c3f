// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The registry's calls that only 2.0 has.

#include "face/adapter_registry.hpp"

#include "engine/ia.hpp"

using namespace face;

namespace {

bool is_listed(const std::vector<DAT_PROVIDER_INFO> &infos, std::string_view ia_name) noexcept
{
	return std::any_of(infos.begin(), infos.end(),
			   [=](const DAT_PROVIDER_INFO &info) { return info.ia_name == ia_name; });
}

} // namespace

DAT_RETURN dat_registry_providers_related(const DAT_NAME_PTR ia_name, const DAT_NAME_PTR other,
					  DAT_HA_RELATIONSHIP *answer)
{
	return call([&] {
		std::vector<DAT_PROVIDER_INFO> infos;

		if (!ia_name)
			return bad_parameter(Sub::arg1);
		if (!other)
			return bad_parameter(Sub::arg2);
		if (!answer)
			return bad_parameter(Sub::arg3);
		if (Status status = AdapterRegistry::instance().list(infos); !status.ok())
			return status;
		if (!is_listed(infos, ia_name) || !is_listed(infos, other))
			return fail(Type::provider_not_found, Sub::name_not_registered);
		/* A connection has one adapter for life. */
		*answer = DAT_HA_FALSE;
		return success;
	});
}

/* Programs hold providers' own handles: the other name of an IA is the one it has. */
DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE handle, DAT_IA_HANDLE *other)
{
	return call([&] {
		if (!other)
			return bad_parameter(Sub::arg2);
		if (!kdapl::pin<kdapl::Ia>(handle) && !AdapterRegistry::instance().is_open(handle))
			return bad_handle(Sub::handle_ia);
		*other = handle;
		return success;
	});
}

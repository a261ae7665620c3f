// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The registry's calls that only 2.0 has.

#include "face/adapter_registry.hpp"
#include "face/redirect.hpp"

#include "engine/ia.hpp"

using namespace face;

namespace {

/** Whether all these adapters are registered. */
Status check_listed(std::initializer_list<std::string_view> names)
{
	std::vector<DAT_PROVIDER_INFO> infos;

	if (Status status = AdapterRegistry::instance().list(infos); !status.ok())
		return status;
	for (const std::string_view name : names) {
		if (std::none_of(infos.begin(), infos.end(),
				 [=](const auto &info) { return info.ia_name == name; }))
			return fail(Type::provider_not_found, Sub::name_not_registered);
	}
	return success;
}

} // namespace

DAT_RETURN dat_registry_providers_related(const DAT_NAME_PTR ia_name, const DAT_NAME_PTR other,
					  DAT_HA_RELATIONSHIP *answer)
{
	return call([&] {
		if (!ia_name)
			return bad_parameter(Sub::arg1);
		if (!other)
			return bad_parameter(Sub::arg2);
		if (!answer)
			return bad_parameter(Sub::arg3);
		if (Status status = check_listed({ ia_name, other }); !status.ok())
			return status;
		/* A connection has one adapter for life. */
		*answer = DAT_HA_FALSE;
		return success;
	});
}

/* Providers know nothing of others' names. */
DAT_RETURN dat_ia_ha_related(DAT_IA_HANDLE ia_handle, const DAT_NAME_PTR ia_name,
			     DAT_BOOLEAN *answer)
{
	const DAT_RETURN ret =
		send_on<&DAT_PROVIDER::ia_ha_related_func>(ia_handle, ia_name, answer);

	if (ret != DAT_SUCCESS)
		return ret;
	return call([&] { return check_listed({ ia_name }); });
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

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The registry's calls: which adapters there are, and opening and closing one,
// which is where programs meet providers.

#include "adapter_registry.hpp"
#include "foreign.hpp"
#include "table.hpp"

#include "engine/ia.hpp"
#include "engine/uncancelled.hpp"

#include <cstring>
#include <utility>

using namespace face;

namespace {

/** The arguments of dat_ia_openv() that say how, not which. */
struct Open {
	DAT_COUNT async_min_qlen;
	DAT_EVD_HANDLE *async_evd;
	DAT_IA_HANDLE *ia_handle;
	bool ro_aware;
};

/* As its end, uncancelled: who was cancelled in the provider would leave its user count. */
DAT_RETURN open_foreign(const DAT_PROVIDER &provider, const std::string &ia_name, const Open &open)
{
	const kdapl::Uncancelled uncancelled;
	AdapterRegistry &registry = AdapterRegistry::instance();
	auto opened = AdapterRegistry::make_open(ia_name);
	std::string name = ia_name;

	const DAT_RETURN ret = version::open_ia(provider, name.data(), open.async_min_qlen,
						open.async_evd, open.ia_handle, open.ro_aware);
	if (ret == DAT_SUCCESS) {
		opened.key() = *open.ia_handle;
		registry.put_open(std::move(opened));
	}
	return ret;
}

DAT_RETURN open_at(const Server &server, const std::string &ia_name, const Open &open)
{
	if (!server.provider)
		return face_own::ia_open_device(ia_name, server.own, open.async_min_qlen,
						open.async_evd, open.ia_handle, open.ro_aware);

	DAT_RETURN ret = error(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
	try {
		ret = open_foreign(*server.provider, ia_name, open);
	} catch (const std::bad_alloc &) {
	}
	if (ret != DAT_SUCCESS)
		AdapterRegistry::instance().release(ia_name);
	return ret;
}

Request make_request(std::string_view ia_name, DAT_UINT32 major, DAT_UINT32 minor, bool thread_safe,
		     bool &ro_aware)
{
	constexpr std::string_view prefix = version::ro_aware_prefix;

	ro_aware = !prefix.empty() && ia_name.starts_with(prefix);
	if (ro_aware)
		ia_name.remove_prefix(prefix.size());
	return { std::string(ia_name), major, minor, thread_safe };
}

} // namespace

DAT_RETURN dat_ia_openv(const DAT_NAME_PTR ia_name, DAT_COUNT async_min_qlen,
			DAT_EVD_HANDLE *async_evd, DAT_IA_HANDLE *ia_handle, DAT_UINT32 dapl_major,
			DAT_UINT32 dapl_minor, DAT_BOOLEAN thread_safety)
{
	Open open = { async_min_qlen, async_evd, ia_handle, false };
	Request request;
	Server server;

	const DAT_RETURN ret = call([&] {
		if (!ia_name || strnlen(ia_name, DAT_NAME_MAX_LENGTH) >= DAT_NAME_MAX_LENGTH)
			return bad_parameter(Sub::arg1);
		if (!async_evd)
			return bad_parameter(Sub::arg3);
		if (*async_evd == DAT_HANDLE_NULL && async_min_qlen < 0)
			return bad_parameter(Sub::arg2);
		if (!ia_handle)
			return bad_handle(Sub::handle_ia);
		request =
			make_request(ia_name, dapl_major, dapl_minor, thread_safety, open.ro_aware);
		return AdapterRegistry::instance().acquire(request, server);
	});
	return ret == DAT_SUCCESS ? open_at(server, request.name, open) : ret;
}

DAT_RETURN dat_ia_close(DAT_IA_HANDLE ia_handle, DAT_CLOSE_FLAGS ia_flags)
{
	const kdapl::Uncancelled uncancelled;
	AdapterRegistry &registry = AdapterRegistry::instance();
	const DAT_PROVIDER *foreign = foreign_provider(ia_handle);
	/* Own ones are here only if somebody registered our table. */
	auto opened = registry.take_open(ia_handle);

	if (opened.empty() && foreign)
		return to_dat(bad_handle(Sub::handle_ia));

	const DAT_RETURN ret =
		(foreign ? *foreign : face_own::table).ia_close_func(ia_handle, ia_flags);
	if (opened.empty())
		return ret;
	foreign_tables.forget_handles();
	if (ret == DAT_SUCCESS)
		registry.release(opened.mapped());
	else
		registry.put_open(std::move(opened));
	return ret;
}

DAT_RETURN dat_registry_list_providers(DAT_COUNT max_to_return, DAT_COUNT *number_entries,
				       DAT_PROVIDER_INFO *(dat_provider_list[]))
{
	return call([&] {
		std::vector<DAT_PROVIDER_INFO> infos;

		if (!number_entries)
			return bad_parameter(max_to_return < 0 ? Sub::arg1 : Sub::arg2);
		*number_entries = 0;
		if (Status status = AdapterRegistry::instance().list(infos); !status.ok())
			return status;

		*number_entries = to_count(infos.size());
		if (std::cmp_less(max_to_return, infos.size())) {
			if (!version::lists_what_fits || max_to_return <= 0)
				return bad_parameter(Sub::arg1);
			infos.resize(static_cast<std::size_t>(max_to_return));
			*number_entries = max_to_return;
		}
		for (std::size_t i = 0; i < infos.size(); i++) {
			if (!dat_provider_list || !dat_provider_list[i])
				return bad_parameter(Sub::arg3);
			*dat_provider_list[i] = infos[i];
		}
		return success;
	});
}

DAT_RETURN dat_registry_add_provider(version::RegisteredTable *provider,
				     const DAT_PROVIDER_INFO *provider_info)
{
	return call([&] {
		/* The others may be missing, and are then not implemented. */
		if (!provider || !provider->ia_open_func || !provider->ia_close_func)
			return bad_parameter(Sub::arg1);
		if (!provider_info)
			return bad_parameter(Sub::arg2);
		return AdapterRegistry::instance().dynamic().add(provider, *provider_info);
	});
}

DAT_RETURN dat_registry_remove_provider(version::RegisteredTable *provider,
					const DAT_PROVIDER_INFO *provider_info)
{
	return call([&] {
		if (!provider)
			return bad_parameter(Sub::arg1);
		if (!provider_info)
			return bad_parameter(Sub::arg2);
		return AdapterRegistry::instance().dynamic().remove(provider, *provider_info);
	});
}

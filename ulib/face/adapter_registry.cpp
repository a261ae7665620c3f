// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "adapter_registry.hpp"

#include "engine/debug.hpp"
#include "engine/registry.hpp"
#include "engine/uncancelled.hpp"

#include <cstring>

namespace face {

namespace {

using kdapl::ConfEntry;
using kdapl::RegistryState;
using kdapl::StaticRegistry;

DAT_PROVIDER_INFO make_info(std::string_view name, DAT_UINT32 major, DAT_UINT32 minor,
			    bool thread_safe) noexcept
{
	DAT_PROVIDER_INFO info{};

	name.copy(info.ia_name, sizeof info.ia_name - 1);
	info.dapl_version_major = major;
	info.dapl_version_minor = minor;
	info.is_thread_safe = to_dat(thread_safe);
	return info;
}

DAT_PROVIDER_INFO info_of(const ConfEntry &entry) noexcept
{
	return make_info(entry.ia_name, entry.major, entry.minor, entry.thread_safe);
}

/** What this library is for every adapter. */
DAT_PROVIDER_INFO own_info(std::string_view name) noexcept
{
	return make_info(name, DAT_VERSION_MAJOR, DAT_VERSION_MINOR, true);
}

/** Lines for the kernel, and libraries that nobody gets who does not ask, are not for us. */
bool is_for_programs(const ConfEntry &entry) noexcept
{
	return !entry.for_kernel && entry.is_default;
}

/** The library may be named with or without the folder that it is in. */
bool is_built_in(const ConfEntry &entry) noexcept
{
	const std::string_view path = entry.library;

	return path.substr(path.rfind('/') + 1) == version::own_provider_library;
}

/** The lines that a request may have, the nearest first, else as they stand. */
std::vector<const ConfEntry *> candidates(const Request &request, const StaticRegistry &conf,
					  Match &nearest)
{
	std::vector<const ConfEntry *> good;

	for (const ConfEntry &entry : conf.entries) {
		if (!is_for_programs(entry))
			continue;
		const Match found = match(request, info_of(entry));
		nearest = std::max(nearest, found);
		if (is_good(found))
			good.push_back(&entry);
	}
	std::stable_sort(good.begin(), good.end(), [](const ConfEntry *a, const ConfEntry *b) {
		return a->minor < b->minor;
	});
	return good;
}

bool is_same(const DAT_PROVIDER_INFO &a, const DAT_PROVIDER_INFO &b) noexcept
{
	return !std::strcmp(a.ia_name, b.ia_name) && a.dapl_version_major == b.dapl_version_major &&
	       a.dapl_version_minor == b.dapl_version_minor && a.is_thread_safe == b.is_thread_safe;
}

void add_new(std::vector<DAT_PROVIDER_INFO> &infos, const DAT_PROVIDER_INFO &info)
{
	if (std::none_of(infos.begin(), infos.end(),
			 [&](const DAT_PROVIDER_INFO &known) { return is_same(known, info); }))
		infos.push_back(info);
}

Status list_static(std::vector<DAT_PROVIDER_INFO> &infos)
{
	std::shared_ptr<const StaticRegistry> conf;
	std::vector<std::string> names;

	switch (read_static_registry(KDAPL_DAT_CONF, conf)) {
	case RegistryState::unreadable:
	case RegistryState::unknown:
		return fail(Type::internal_error);
	case RegistryState::present:
		for (const ConfEntry &entry : conf->entries) {
			if (is_for_programs(entry))
				add_new(infos, info_of(entry));
		}
		return success;
	case RegistryState::absent:
		break;
	}
	if (Status status = kdapl::list_adapters(names); !status.ok())
		return status;
	for (const std::string &name : names)
		add_new(infos, own_info(name));
	return success;
}

} // namespace

AdapterRegistry &AdapterRegistry::instance()
{
	/* Never destroyed: adapters are closed while other destructors run. */
	static auto *registry = new AdapterRegistry;

	return *registry;
}

Status AdapterRegistry::acquire(const Request &request, Server &server)
{
	const kdapl::Uncancelled uncancelled;
	std::lock_guard lock(loading_);
	Match nearest = Match::other_name;

	server.provider = dynamic_.use(request, nearest);
	if (server.provider)
		return success;
	/* A name is registered once: none of the other kind could join it. */
	if (nearest != Match::other_name)
		return not_found(nearest);
	return acquire_static(request, server);
}

Status AdapterRegistry::acquire_static(const Request &request, Server &server)
{
	Match nearest = Match::other_name;
	std::shared_ptr<const StaticRegistry> conf;

	switch (read_static_registry(KDAPL_DAT_CONF, conf)) {
	case RegistryState::unreadable:
		return not_found(nearest);
	case RegistryState::unknown:
		return fail(Type::insufficient_resources);
	case RegistryState::absent:
		nearest = match(request, own_info(request.name));
		server.own = { .device = request.name };
		return is_good(nearest) ? success : not_found(nearest);
	case RegistryState::present:
		break;
	}
	for (const ConfEntry *entry : candidates(request, *conf, nearest)) {
		if (is_built_in(*entry)) {
			server.own = { .device = kdapl::adapter_of(entry->instance_data,
								   request.name),
				       .thread_safe = entry->thread_safe };
			return success;
		}
		server.provider = load(request, *conf, *entry);
		if (server.provider)
			return success;
	}
	return not_found(nearest);
}

/** The provider that a line names, with one user; nullptr when it does not come up. */
const DAT_PROVIDER *AdapterRegistry::load(const Request &request, const StaticRegistry &conf,
					  const ConfEntry &entry)
{
	const std::string where = conf.file + ':' + std::to_string(entry.line);
	const DAT_PROVIDER_INFO info = info_of(entry);
	ProviderLibrary &library = libraries_.try_emplace(entry.ia_name).first->second;
	const Registering registering(info.ia_name, &library);
	Match found = Match::other_name;

	if (library.load(where, entry.library)) {
		library.start(info, entry.instance_data);
		if (const DAT_PROVIDER *provider = dynamic_.use(request, found))
			return provider;
		kdapl::debug_warning("%s: %s did not register %s", where.c_str(),
				     entry.library.c_str(), entry.ia_name.c_str());
	}
	unload(entry.ia_name);
	return nullptr;
}

/** Stop the library that was loaded for an adapter, if one was. */
void AdapterRegistry::unload(const std::string &ia_name) noexcept
{
	const auto library = libraries_.find(ia_name);

	if (library == libraries_.end())
		return;
	/* It removes its adapter when it is stopped; or else it is done here. */
	library->second.stop();
	dynamic_.drop(&library->second);
	libraries_.erase(library);
}

void AdapterRegistry::release(const std::string &ia_name) noexcept
{
	const kdapl::Uncancelled uncancelled;
	std::lock_guard lock(loading_);

	if (!dynamic_.unuse(ia_name))
		unload(ia_name);
}

Status AdapterRegistry::list(std::vector<DAT_PROVIDER_INFO> &infos)
{
	if (Status status = list_static(infos); !status.ok())
		return status;
	for (const DAT_PROVIDER_INFO &info : dynamic_.list())
		add_new(infos, info);
	return success;
}

AdapterRegistry::OpenIa AdapterRegistry::make_open(const std::string &ia_name)
{
	OpenIas list;

	return list.extract(list.emplace(DAT_HANDLE_NULL, ia_name));
}

void AdapterRegistry::put_open(OpenIa ia) noexcept
{
	std::lock_guard lock(open_mutex_);

	open_.insert(std::move(ia));
}

bool AdapterRegistry::is_open(DAT_IA_HANDLE handle) noexcept
{
	std::lock_guard lock(open_mutex_);

	return open_.contains(handle);
}

AdapterRegistry::OpenIa AdapterRegistry::take_open(DAT_IA_HANDLE handle) noexcept
{
	std::lock_guard lock(open_mutex_);

	return open_.extract(handle);
}

} // namespace face

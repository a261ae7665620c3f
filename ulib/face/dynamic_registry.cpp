// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "dynamic_registry.hpp"

#include "foreign.hpp"

#include <cstring>

namespace face {

namespace {

thread_local const Registering *registering;

/** Whether a name is there and ends. */
bool is_name(const char (&name)[DAT_NAME_MAX_LENGTH]) noexcept
{
	const std::size_t length = strnlen(name, DAT_NAME_MAX_LENGTH);

	return length && length < DAT_NAME_MAX_LENGTH;
}

/** Tables of other versions have other entries; older ones are shorter, too. */
bool is_version_ours(const DAT_PROVIDER_INFO &info) noexcept
{
	return info.dapl_version_major == DAT_VERSION_MAJOR &&
	       !is_older(info.dapl_version_minor, DAT_VERSION_MINOR);
}

} // namespace

Registering::Registering(const char *ia_name, const void *owner) noexcept
	: ia_name(ia_name), owner(owner)
{
	registering = this;
}

Registering::~Registering()
{
	registering = nullptr;
}

DynamicRegistry::Entries::iterator DynamicRegistry::find(std::string_view ia_name) noexcept
{
	return std::find_if(entries_.begin(), entries_.end(),
			    [&](const Entry &entry) { return entry.info.ia_name == ia_name; });
}

void DynamicRegistry::erase(Entries::iterator entry) noexcept
{
	foreign_tables.remove(entry->provider);
	entries_.erase(entry);
}

Status DynamicRegistry::add(const DAT_PROVIDER *provider, const DAT_PROVIDER_INFO &info)
{
	/* The manual page has no other result for a bad name. */
	if (!is_name(info.ia_name))
		return fail(Type::provider_already_registered);
	if (!is_version_ours(info))
		return bad_parameter(Sub::arg2);
	if (registering && std::strcmp(info.ia_name, registering->ia_name))
		return bad_parameter(Sub::arg2);

	std::lock_guard lock(mutex_);
	if (find(info.ia_name) != entries_.end())
		return fail(Type::provider_already_registered);
	entries_.push_back({ provider, info, registering ? registering->owner : nullptr });
	if (!foreign_tables.add(provider)) {
		entries_.pop_back();
		return fail(Type::insufficient_resources);
	}
	return success;
}

Status DynamicRegistry::remove(const DAT_PROVIDER *provider, const DAT_PROVIDER_INFO &info) noexcept
{
	if (!is_name(info.ia_name))
		return bad_parameter(Sub::arg2);

	std::lock_guard lock(mutex_);
	const auto entry = find(info.ia_name);
	if (entry == entries_.end())
		return bad_parameter(Sub::arg2);
	if (entry->provider != provider)
		return bad_parameter(Sub::arg1);
	if (entry->users)
		return fail(Type::provider_in_use);
	erase(entry);
	return success;
}

const DAT_PROVIDER *DynamicRegistry::use(const Request &request, Match &nearest) noexcept
{
	std::lock_guard lock(mutex_);

	for (Entry &entry : entries_) {
		const Match found = match(request, entry.info);
		nearest = std::max(nearest, found);
		if (is_good(found)) {
			entry.users++;
			return entry.provider;
		}
	}
	return nullptr;
}

unsigned DynamicRegistry::unuse(std::string_view ia_name) noexcept
{
	std::lock_guard lock(mutex_);
	const auto entry = find(ia_name);

	return entry == entries_.end() ? 0 : --entry->users;
}

void DynamicRegistry::drop(const void *owner) noexcept
{
	std::lock_guard lock(mutex_);

	for (auto entry = entries_.begin(); entry != entries_.end();) {
		const auto next = std::next(entry);
		if (entry->owner == owner)
			erase(entry);
		entry = next;
	}
}

std::vector<DAT_PROVIDER_INFO> DynamicRegistry::list()
{
	std::lock_guard lock(mutex_);
	std::vector<DAT_PROVIDER_INFO> infos;

	for (const Entry &entry : entries_)
		infos.push_back(entry.info);
	return infos;
}

} // namespace face

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "provider.hpp"

#include "own.hpp"

#include <mutex>

namespace face {

namespace {

std::mutex providers_mutex;

std::list<Provider> &known_providers()
{
	/* Never destroyed: handles point into it. */
	static auto *providers = new std::list<Provider>;

	return *providers;
}

DAT_PROVIDER table_for(const char *ia_name) noexcept
{
	DAT_PROVIDER table = face_own::table;

	table.device_name = ia_name;
	return table;
}

} // namespace

Provider::Provider(std::string_view ia_name, std::string_view device)
	: name(ia_name), device(device), table(table_for(name.c_str()))
{
}

ProviderForOpen::ProviderForOpen(std::string_view ia_name, std::string_view device)
{
	std::lock_guard lock(providers_mutex);
	auto &providers = known_providers();
	const auto known =
		std::find_if(providers.begin(), providers.end(), [&](const Provider &provider) {
			return provider.name == ia_name && provider.device == device;
		});

	if (known == providers.end()) {
		table_ = &made_.emplace_back(ia_name, device).table;
		return;
	}
	table_ = &known->table;
	/* The latest first: that is the one that its name stands for. */
	providers.splice(providers.begin(), providers, known);
}

void ProviderForOpen::keep() noexcept
{
	std::lock_guard lock(providers_mutex);

	known_providers().splice(known_providers().begin(), made_);
}

std::string device_of(std::string_view ia_name)
{
	std::lock_guard lock(providers_mutex);

	for (const Provider &known : known_providers()) {
		if (known.name == ia_name)
			return known.device;
	}
	return std::string(ia_name);
}

} // namespace face

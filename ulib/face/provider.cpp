// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "provider.hpp"

#include "table.hpp"

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

DAT_PROVIDER table_for(const char *ia_name, const Registered &as) noexcept
{
	DAT_PROVIDER table = face_own::make_table(as.thread_safe);

	table.device_name = ia_name;
	return table;
}

} // namespace

Provider::Provider(std::string_view ia_name, const Registered &as)
	: name(ia_name), as(as), table(table_for(name.c_str(), as))
{
}

ProviderForOpen::ProviderForOpen(std::string_view ia_name, const Registered &as)
{
	std::lock_guard lock(providers_mutex);
	auto &providers = known_providers();
	const auto known =
		std::find_if(providers.begin(), providers.end(), [&](const Provider &provider) {
			return provider.name == ia_name && provider.as == as;
		});

	if (known == providers.end()) {
		table_ = &made_.emplace_back(ia_name, as).table;
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

Registered registered_as(std::string_view ia_name, bool thread_safe)
{
	std::lock_guard lock(providers_mutex);

	for (const Provider &known : known_providers()) {
		if (known.name == ia_name && known.as.thread_safe == thread_safe)
			return known.as;
	}
	return { .device = std::string(ia_name), .thread_safe = thread_safe };
}

} // namespace face

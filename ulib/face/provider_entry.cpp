// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What makes the engine a provider for another registry than libdat's own.

#include "provider.hpp"

#include "engine/dat_conf.hpp"
#include "engine/debug.hpp"

using namespace face;

namespace {

/* A provider has no result for its registry but whether it registered. */
void tell(const char *what, const DAT_PROVIDER_INFO &info, DAT_RETURN ret) noexcept
{
	if (ret != DAT_SUCCESS)
		kdapl::debug_error("%s %s: 0x%08x", what, info.ia_name, ret);
}

} // namespace

void dat_provider_init(const DAT_PROVIDER_INFO *provider_info, const char *instance_data)
{
	const char *name = provider_info->ia_name;

	try {
		ProviderForOpen provider(
			name,
			{ .device = kdapl::adapter_of(instance_data ? instance_data : "", name),
			  .thread_safe = provider_info->is_thread_safe != DAT_FALSE });
		DAT_PROVIDER *table = provider.table();

		provider.keep();
		tell("registering", *provider_info,
		     dat_registry_add_provider(table, provider_info));
	} catch (const std::bad_alloc &) {
		kdapl::debug_error("registering %s: out of memory", name);
	}
}

void dat_provider_fini(const DAT_PROVIDER_INFO *provider_info)
{
	try {
		const bool thread_safe = provider_info->is_thread_safe != DAT_FALSE;
		ProviderForOpen provider(provider_info->ia_name,
					 registered_as(provider_info->ia_name, thread_safe));

		tell("removing", *provider_info,
		     dat_registry_remove_provider(provider.table(), provider_info));
	} catch (const std::bad_alloc &) {
		kdapl::debug_error("removing %s: out of memory", provider_info->ia_name);
	}
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_registry_add_provider(3DAT)

#include "adapter.hpp"
#include "play.hpp"
#include "registry.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "Each registration provides an Interface Adapter to DAT." */
TEST(DatRegistryAddProvider, DescriptionProvidesAnAdapter)
{
	play([](Line &) {
		const DatConf conf("");
		const DAT_PROVIDER_INFO info = info_of("dyn0");
		SmallProvider provider;
		DAT_IA_HANDLE ia;

		refused(open_ia("dyn0", ia), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED);
		ok(dat_registry_add_provider(provider.table(), &info));
		EXPECT_EQ(listed(), Names{ "dyn0" });
		open_and_close("dyn0");
		EXPECT_EQ(provider.opens(), 1U);
		ok(dat_registry_remove_provider(provider.table(), &info));
	});
}

/* "register itself multiple times, for example once for each port" */
TEST(DatRegistryAddProvider, DescriptionOnceForEachPort)
{
	play([](Line &) {
		const DatConf conf("");
		const DAT_PROVIDER_INFO one = info_of("dyn0"), two = info_of("dyn0-2");
		SmallProvider provider;

		ok(dat_registry_add_provider(provider.table(), &one));
		ok(dat_registry_add_provider(provider.table(), &two));
		EXPECT_EQ(listed(), (Names{ "dyn0", "dyn0-2" }));
		open_and_close("dyn0");
		open_and_close("dyn0-2");
		EXPECT_EQ(provider.opens(), 2U);
		ok(dat_registry_remove_provider(provider.table(), &one));
		ok(dat_registry_remove_provider(provider.table(), &two));
	});
}

/* "The contents of provider_info must be the same as those the Consumer uses" */
TEST(DatRegistryAddProvider, DescriptionInformationMustFit)
{
	play([](Line &) {
		const DatConf conf("");
		DAT_PROVIDER_INFO info = info_of("dyn0");
		SmallProvider provider;
		DAT_IA_HANDLE ia;

		info.is_thread_safe = DAT_FALSE;
		ok(dat_registry_add_provider(provider.table(), &info));
		refused(open_ia("dyn0", ia), DAT_PROVIDER_NOT_FOUND, DAT_THREAD_SAFETY_NOT_FOUND);
		refused(open_ia("dyn0", ia, 3), DAT_PROVIDER_NOT_FOUND, DAT_MINOR_NOT_FOUND);
		refused(open_ia("dyn0", ia, 0, 2), DAT_PROVIDER_NOT_FOUND, DAT_MAJOR_NOT_FOUND);
		EXPECT_EQ(provider.opens(), 0U);
		ok(dat_registry_remove_provider(provider.table(), &info));
	});
}

/* "The same IA Name cannot be added multiple times.", by anybody */
TEST(DatRegistryAddProvider, ProviderAlreadyRegisteredSameName)
{
	play([](Line &) {
		const DatConf conf("");
		const DAT_PROVIDER_INFO info = info_of("dyn0"), later = info_of("dyn0", 3);
		SmallProvider provider, another;

		ok(dat_registry_add_provider(provider.table(), &info));
		for (DAT_PROVIDER *table : { provider.table(), another.table() }) {
			refused(dat_registry_add_provider(table, &info),
				DAT_PROVIDER_ALREADY_REGISTERED, DAT_NO_SUBTYPE);
			refused(dat_registry_add_provider(table, &later),
				DAT_PROVIDER_ALREADY_REGISTERED, DAT_NO_SUBTYPE);
		}
		ok(dat_registry_remove_provider(provider.table(), &info));
		ok(dat_registry_add_provider(another.table(), &info));
		ok(dat_registry_remove_provider(another.table(), &info));
	});
}

/* "Invalid or nonunique name." */
TEST(DatRegistryAddProvider, ProviderAlreadyRegisteredInvalidName)
{
	play([](Line &) {
		SmallProvider provider;

		for (const std::string &name :
		     { std::string(), std::string(DAT_NAME_MAX_LENGTH, 'n') }) {
			const DAT_PROVIDER_INFO info = info_of(name);
			refused(dat_registry_add_provider(provider.table(), &info),
				DAT_PROVIDER_ALREADY_REGISTERED, DAT_NO_SUBTYPE);
		}
	});
}

TEST(DatRegistryAddProvider, InvalidParameter)
{
	play([](Line &) {
		const DAT_PROVIDER_INFO info = info_of("dyn0"), older = info_of("dyn0", 1);
		SmallProvider provider;
		DAT_PROVIDER empty{};

		for (DAT_PROVIDER *table : { static_cast<DAT_PROVIDER *>(nullptr), &empty })
			refused(dat_registry_add_provider(table, &info), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG1);
		refused(dat_registry_add_provider(provider.table(), nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG2);
		refused(dat_registry_add_provider(provider.table(), &older), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG2);
	});
}

/* "The maximum number of Providers was already registered." */
TEST(DatRegistryAddProvider, InsufficientResources)
{
	play([](Line &) {
		std::vector<DAT_PROVIDER_INFO> infos;
		SmallProvider provider;
		DAT_RETURN result;

		do {
			infos.push_back(info_of("dyn" + std::to_string(infos.size())));
			result = dat_registry_add_provider(provider.table(), &infos.back());
		} while (result == DAT_SUCCESS && infos.size() < 10000);
		refused(result, DAT_INSUFFICIENT_RESOURCES, DAT_NO_SUBTYPE);
		infos.pop_back();
		EXPECT_GE(infos.size(), 64U);
		for (const DAT_PROVIDER_INFO &info : infos)
			ok(dat_registry_remove_provider(provider.table(), &info));
	});
}

} // namespace
} // namespace suite

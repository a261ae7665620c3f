// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_registry_remove_provider(3DAT)

#include "play.hpp"
#include "registry.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "Removal of the registration only prevents new sessions." */
TEST(DatRegistryRemoveProvider, DescriptionPreventsNewSessions)
{
	play([](Line &) {
		const DatConf conf("");
		const DAT_PROVIDER_INFO info = info_of("dyn0");
		SmallProvider provider;
		DAT_IA_HANDLE ia;

		ok(dat_registry_add_provider(provider.table(), &info));
		open_and_close("dyn0");
		ok(dat_registry_remove_provider(provider.table(), &info));
		EXPECT_EQ(listed(), Names{});
		refused(open_ia("dyn0", ia), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED);
	});
}

/* "The Provider cannot be removed while it is in use." */
TEST(DatRegistryRemoveProvider, ProviderInUse)
{
	play([](Line &) {
		const DatConf conf("");
		const DAT_PROVIDER_INFO info = info_of("dyn0");
		SmallProvider provider;
		DAT_IA_HANDLE one, two;

		ok(dat_registry_add_provider(provider.table(), &info));
		ok(open_ia("dyn0", one));
		ok(open_ia("dyn0", two));
		for (DAT_IA_HANDLE ia : { one, two }) {
			refused(dat_registry_remove_provider(provider.table(), &info),
				DAT_PROVIDER_IN_USE, DAT_NO_SUBTYPE);
			ok(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG));
		}
		ok(dat_registry_remove_provider(provider.table(), &info));
	});
}

/* "The Provider was not found." */
TEST(DatRegistryRemoveProvider, InvalidParameterProviderWasNotFound)
{
	play([](Line &) {
		const DAT_PROVIDER_INFO info = info_of("dyn0"), unknown = info_of("dyn1");
		SmallProvider provider, another;

		refused(dat_registry_remove_provider(provider.table(), &info),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		ok(dat_registry_add_provider(provider.table(), &info));
		refused(dat_registry_remove_provider(provider.table(), &unknown),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_registry_remove_provider(another.table(), &info), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG1);
		ok(dat_registry_remove_provider(provider.table(), &info));
		refused(dat_registry_remove_provider(provider.table(), &info),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	});
}

TEST(DatRegistryRemoveProvider, InvalidParameter)
{
	play([](Line &) {
		const DAT_PROVIDER_INFO info = info_of("dyn0");
		SmallProvider provider;

		refused(dat_registry_remove_provider(nullptr, &info), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG1);
		refused(dat_registry_remove_provider(provider.table(), nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_provider_fini(3DAT)

#include "play.hpp"
#include "registry.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>

namespace suite {
namespace {

bool is_loaded(const char *library)
{
	void *image = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);

	if (image)
		dlclose(image);
	return image;
}

/* "at any time after all open instances of that IA are closed", "before ... unloads" */
TEST(DatProviderFini, DescriptionAfterTheLastClose)
{
	play([](Line &) {
		const DatConf conf(conf_line("a"));
		DAT_IA_HANDLE one, two;

		ok(open_ia("a", one));
		ok(open_ia("a", two));
		told().clear();
		ok(dat_ia_close(one, DAT_CLOSE_ABRUPT_FLAG));
		EXPECT_EQ(told(), Names{});
		EXPECT_TRUE(is_loaded(FOREIGN_PROVIDER));
		ok(dat_ia_close(two, DAT_CLOSE_ABRUPT_FLAG));
		EXPECT_EQ(told(), (Names{ "fini a", "remove a" }));
		EXPECT_FALSE(is_loaded(FOREIGN_PROVIDER));
	});
}

/* "for a given IA name": the others of the library live on */
TEST(DatProviderFini, DescriptionForEachName)
{
	play([](Line &) {
		const DatConf conf(conf_line("a") + conf_line("b"));
		DAT_IA_HANDLE a, b;

		ok(open_ia("a", a));
		ok(open_ia("b", b));
		told().clear();
		ok(dat_ia_close(a, DAT_CLOSE_ABRUPT_FLAG));
		EXPECT_EQ(told(), (Names{ "fini a", "remove a" }));
		EXPECT_TRUE(is_loaded(FOREIGN_PROVIDER));
		ok(dat_ia_close(b, DAT_CLOSE_ABRUPT_FLAG));
		EXPECT_EQ(told(), (Names{ "fini a", "remove a", "fini b", "remove b" }));
	});
}

/* "If it does not, the Registry might remove the entry itself." */
TEST(DatProviderFini, DescriptionRegistryRemovesWhatIsLeft)
{
	play([](Line &) {
		const DatConf conf(conf_line("a", "forgetful"));

		for (int i = 0; i < 2; i++) {
			told().clear();
			open_and_close("a");
			EXPECT_EQ(told(), (Names{ "init a", "add a", "open a", "fini a" }));
		}
	});
}

/* "not called more than once without an intervening call to dat_provider_init()" */
TEST(DatProviderFini, DescriptionOnceForEachInit)
{
	play([](Line &) {
		const DatConf conf(conf_line("a", "refuse"));
		DAT_IA_HANDLE ia;

		for (int i = 0; i < 2; i++) {
			told().clear();
			refused(open_ia("a", ia), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
			EXPECT_EQ(told(), (Names{ "init a", "add a", "fini a", "remove a" }));
		}
	});
}

} // namespace
} // namespace suite

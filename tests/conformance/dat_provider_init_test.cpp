// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_provider_init(3DAT)

#include "adapter.hpp"
#include "play.hpp"
#include "registry.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>

namespace suite {
namespace {

/* "calls on a Provider before the first call to dat_ia_open": and before no other */
TEST(DatProviderInit, DescriptionBeforeTheFirstOpen)
{
	play([](Line &) {
		const DatConf conf(conf_line("a"));
		DAT_IA_HANDLE one, two;

		EXPECT_EQ(listed(), Names{ "a" });
		EXPECT_EQ(told(), Names{});
		ok(open_ia("a", one));
		ok(open_ia("a", two));
		EXPECT_EQ(told(), (Names{ "init a", "add a", "open a", "open a" }));
		ok(dat_ia_close(one, DAT_CLOSE_ABRUPT_FLAG));
		ok(dat_ia_close(two, DAT_CLOSE_ABRUPT_FLAG));
	});
}

/* "before the first call ... for a given IA name" */
TEST(DatProviderInit, DescriptionForEachName)
{
	play([](Line &) {
		const DatConf conf(conf_line("a") + conf_line("b"));
		DAT_IA_HANDLE a, b;

		ok(open_ia("a", a));
		ok(open_ia("b", b));
		EXPECT_EQ(told(),
			  (Names{ "init a", "add a", "open a", "init b", "add b", "open b" }));
		ok(dat_ia_close(a, DAT_CLOSE_ABRUPT_FLAG));
		ok(dat_ia_close(b, DAT_CLOSE_ABRUPT_FLAG));
	});
}

/* "The Registry called dat_provider_fini(3DAT) for that IA name." */
TEST(DatProviderInit, DescriptionAgainAfterFini)
{
	play([](Line &) {
		const DatConf conf(conf_line("a"));

		for (int i = 0; i < 2; i++) {
			told().clear();
			open_and_close("a");
			EXPECT_EQ(told(),
				  (Names{ "init a", "add a", "open a", "fini a", "remove a" }));
		}
	});
}

/* "instance data string obtained from the entry": it is what makes this one refuse */
TEST(DatProviderInit, ParametersInstanceData)
{
	play([](Line &) {
		const DatConf conf(conf_line("a", "refuse") + conf_line("b"));
		DAT_IA_HANDLE ia;

		refused(open_ia("a", ia), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
		open_and_close("b");
	});
}

/* "must not register other IA names at this time" */
TEST(DatProviderInit, DescriptionRegistersNoOtherName)
{
	play([](Line &) {
		const DatConf conf(conf_line("a", "other"));
		DAT_IA_HANDLE ia;

		refused(open_ia("a", ia), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED);
		EXPECT_EQ(told(), (Names{ "init a", "add other0 refused", "fini a" }));
		EXPECT_EQ(listed(), Names{ "a" });
	});
}

/* "should ensure that it does not leave its entry": the next line's turn */
TEST(DatProviderInit, DescriptionFailsAndLeavesNoEntry)
{
	play([](Line &) {
		const DatConf conf(conf_line("a", "silent") + conf_line("a", "good"));

		open_and_close("a");
		EXPECT_EQ(told(), (Names{ "init a", "fini a", "init a", "add a", "open a", "fini a",
					  "remove a" }));
	});
}

/* "An application that explicitly loads a Provider on its own": here ours */
TEST(DatProviderInit, DescriptionCalledByTheApplication)
{
	play([](Line &) {
		const DatConf conf("");
		void *image = dlopen(LIBDAPL_FILE, RTLD_NOW | RTLD_LOCAL);
		require(image, "the provider is loaded");
		const auto init = reinterpret_cast<DAT_PROVIDER_INIT_FUNC>(
			dlsym(image, DAT_PROVIDER_INIT_FUNC_STR));
		const auto fini = reinterpret_cast<DAT_PROVIDER_FINI_FUNC>(
			dlsym(image, DAT_PROVIDER_FINI_FUNC_STR));
		require(init && fini, "it has both calls");
		const DAT_PROVIDER_INFO info = info_of("mine");

		init(&info, adapter_name().c_str());
		EXPECT_EQ(listed(), Names{ "mine" });
		{
			const Adapter adapter("mine");
			EXPECT_STREQ(DAT_HANDLE_TO_PROVIDER(adapter.ia())->device_name, "mine");
		}
		fini(&info);
		EXPECT_EQ(listed(), Names{});
		dlclose(image);
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adapters under other names, and the library's calls over another provider's
 * handles: the provider is this project's own one, as another registry loads it.
 */

#include "dat_conf.hpp"
#include "pair.hpp"
#include "play.hpp"

#include <dat/dat_registry.h>

#include <gtest/gtest.h>

#include <dlfcn.h>

namespace suite {
namespace {

std::string only_listed()
{
	DAT_PROVIDER_INFO info;
	DAT_PROVIDER_INFO *list[] = { &info };
	DAT_COUNT count = 0;

	ok(dat_registry_list_providers(1, &count, list));
	require(count == 1, "one adapter is listed");
	return info.ia_name;
}

void exchange(const Adapter &adapter)
{
	Pair pair(adapter);
	Region source(adapter, 4096), target(adapter, 4096);

	fill(source.bytes(0, 1000), 1);
	ok(pair.passive.recv(target.local(0, 4096), 2));
	ok(pair.active.send(source.local(0, 1000), 1));
	pair.active.expect_request(1, 1000);
	pair.passive.expect_recv(2, 1000);
	require_pattern(target.bytes(0, 1000), 1);
	pair.active.end_and_reset(DAT_CLOSE_GRACEFUL_FLAG);
	pair.passive.expect_end();
}

TEST(Registry, DatConfNamesAnAdapter)
{
	play([](Line &) {
		const DatConf conf(
			"storage u1.2 threadsafe default libdapl_kdapl.so.1 kdapl.1.2 \"" +
			adapter_name() + "\" \"\"\n");

		EXPECT_EQ(only_listed(), "storage");
		DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
		DAT_IA_HANDLE ia;
		std::string device = adapter_name();
		fails(DAT_PROVIDER_NOT_FOUND, dat_ia_open(device.data(), 1, &async, &ia));

		const Adapter adapter("storage");
		EXPECT_STREQ(adapter.attributes().adapter_name, "storage");
		exchange(adapter);
	});
}

TEST(Registry, AnotherProvidersHandlesDoAllThatOwnOnesDo)
{
	play([](Line &) {
		const DatConf conf("# nothing\n");
		void *image = dlopen(LIBDAPL_FILE, RTLD_NOW | RTLD_LOCAL);
		require(image, "the provider is loaded");
		const auto init = reinterpret_cast<DAT_PROVIDER_INIT_FUNC>(
			dlsym(image, DAT_PROVIDER_INIT_FUNC_STR));
		const auto fini = reinterpret_cast<DAT_PROVIDER_FINI_FUNC>(
			dlsym(image, DAT_PROVIDER_FINI_FUNC_STR));
		require(init && fini, "the provider can be started and stopped");
		const DAT_PROVIDER_INFO info = { "other", 1, 2, DAT_FALSE };

		init(&info, adapter_name().c_str());
		EXPECT_EQ(only_listed(), "other");
		{
			const Adapter adapter("other");
			EXPECT_STREQ(DAT_HANDLE_TO_PROVIDER(adapter.pz())->device_name, "other");
			exchange(adapter);
			fails(DAT_PROVIDER_IN_USE,
			      dat_registry_remove_provider(DAT_HANDLE_TO_PROVIDER(adapter.ia()),
							   &info));
		}
		fini(&info);
		DAT_PROVIDER_INFO none;
		DAT_PROVIDER_INFO *list[] = { &none };
		DAT_COUNT count = -1;
		ok(dat_registry_list_providers(1, &count, list));
		EXPECT_EQ(count, 0);
		dlclose(image);
	});
}

} // namespace
} // namespace suite

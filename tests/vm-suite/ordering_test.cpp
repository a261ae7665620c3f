// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Strong ordering: who opens how, and what dat_lmr_query() tells of it. */

#include "pair.hpp"
#include "play.hpp"
#include "raw_device.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/** What a region of this type has become. */
DAT_MEM_TYPE registered_as(const Adapter &adapter, DAT_MEM_TYPE type)
{
	Pages pages(4096);
	DAT_REGION_DESCRIPTION where{ .for_va = pages.data() };
	DAT_LMR_PARAM param;
	DAT_LMR_HANDLE lmr;

	ok(dat_lmr_create(adapter.ia(), type, where, 4096, adapter.pz(), DAT_MEM_PRIV_ALL_FLAG,
			  &lmr, nullptr, nullptr, nullptr, nullptr));
	ok(dat_lmr_query(lmr, DAT_LMR_FIELD_ALL, &param));
	ok(dat_lmr_free(lmr));
	return param.mem_type;
}

TEST(Ordering, PlainOpenIsStrong)
{
	play([](Line &) {
		Adapter adapter;

		EXPECT_EQ(registered_as(adapter, DAT_MEM_TYPE_VIRTUAL), DAT_MEM_TYPE_SO_VIRTUAL);
		EXPECT_EQ(registered_as(adapter, DAT_MEM_TYPE_SO_VIRTUAL), DAT_MEM_TYPE_SO_VIRTUAL);
	});
}

/** Whether the device does anything about relaxed ordering. */
bool device_relaxes()
{
	RawFile file;
	kdapl_ia_open open{};
	kdapl_ia_query query{};

	adapter_name().copy(reinterpret_cast<char *>(open.name), sizeof open.name - 1);
	open.flags = KDAPL_IA_RO_AWARE;
	require(file.call(KDAPL_IA_OPEN, open) == 0, "the IA cannot be opened");
	require(file.call(KDAPL_IA_QUERY, query) == 0, "no answer to a query");
	return query.flags & KDAPL_IA_RELAXED_ORDERING;
}

/* Where the device has relaxed ordering, it is used for what did not ask for more. */
TEST(Ordering, AwareOpenMayBeRelaxed)
{
	play([](Line &) {
		Adapter adapter("RO_AWARE_" + adapter_name());
		DAT_MEM_TYPE plain =
			device_relaxes() ? DAT_MEM_TYPE_VIRTUAL : DAT_MEM_TYPE_SO_VIRTUAL;

		EXPECT_EQ(adapter.attributes().adapter_name, adapter_name());
		EXPECT_EQ(registered_as(adapter, DAT_MEM_TYPE_VIRTUAL), plain);
		EXPECT_EQ(registered_as(adapter, DAT_MEM_TYPE_SO_VIRTUAL), DAT_MEM_TYPE_SO_VIRTUAL);
	});
}

TEST(Ordering, DataOverRelaxedRegions)
{
	play([](Line &) {
		Adapter adapter("RO_AWARE_" + adapter_name());
		Pair pair(adapter);
		Region source(adapter, 8192), target(adapter, 8192);

		fill(source.bytes(0, 5000), 4);
		ok(pair.active.write(source.local(0, 5000), target.remote(100, 5000), 1));
		pair.active.expect_request(1, 5000);
		pair.settle();
		require_pattern(target.bytes(100, 5000), 4);
	});
}

TEST(Ordering, UnknownNames)
{
	play([](Line &) {
		for (std::string name : { std::string("no_such_adapter"), std::string(""),
					  "RO_AWARE_no_such_adapter" + std::string(),
					  std::string("RO_AWARE_"), std::string(200, 'x') }) {
			DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
			DAT_IA_HANDLE ia;

			fails(DAT_PROVIDER_NOT_FOUND, dat_ia_open(name.data(), 8, &evd, &ia));
		}
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_rmr_create(3DAT)

#include "no_resources.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "window.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace suite {
namespace {

/* "creates an RMR for the specified Protection Zone" */
TEST(DatRmrCreate, DescriptionIsOfTheZone)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE pz;
		DAT_RMR_HANDLE rmr;
		DAT_RMR_PARAM param;

		ok(dat_pz_create(adapter.ia(), &pz));
		ok(dat_rmr_create(pz, &rmr));
		ok(dat_rmr_query(rmr, DAT_RMR_FIELD_PZ_HANDLE, &param));
		EXPECT_EQ(param.pz_handle, pz);
		refused(dat_pz_free(pz), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE);
		ok(dat_rmr_free(rmr));
		ok(dat_pz_free(pz));
	});
}

/* "can be bound to a memory region within the LMR through ... dat_rmr_bind" */
TEST(DatRmrCreate, DescriptionCanBeBound)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 8192), own(adapter, 4096);
		Window window(adapter);
		Pair pair(adapter);

		auto remote = window.bind(pair.passive, region.local(100, 200));
		fill(own.bytes(0, 200), 1);
		ok(pair.active.write(own.local(0, 200), remote, 1));
		pair.active.expect_request(1, 200);
		pair.settle();
		require_pattern(region.bytes(100, 200), 1);
	});
}

/* "restrict access to an RMR by authorized connection only": one of the same zone */
TEST(DatRmrCreate, DescriptionAConnectionOfAnotherZoneHasNoAccess)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE pz;

		ok(dat_pz_create(adapter.ia(), &pz));
		{
			Region region(adapter, 4096), own(adapter, 4096, all_privileges, pz);
			Window window(adapter);
			Pair inside(adapter), outside(adapter, { .pz = pz });

			std::fill_n(region.data(), 64, 0xee);
			auto remote = window.bind(inside.passive, region.local(0, 64));
			ok(outside.active.write(own.local(0, 64), remote, 1));
			outside.active.expect_broken(adapter);
			outside.passive.expect_end();
			require_bytes(region.bytes(0, 64), 0xee);
		}
		ok(dat_pz_free(pz));
	});
}

TEST(DatRmrCreate, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_RMR_HANDLE rmr;

		for (DAT_PZ_HANDLE pz :
		     { DAT_PZ_HANDLE(DAT_HANDLE_NULL), DAT_PZ_HANDLE(adapter.ia()) })
			refused(dat_rmr_create(pz, &rmr), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_PZ);
	});
}

TEST(DatRmrCreate, ReturnValuesInvalidParameter)
{
	play([](Line &) {
		Adapter adapter;

		refused(dat_rmr_create(adapter.pz(), nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG2);
	});
}

/* It takes nothing of the device before it is bound: no limit of its objects refuses it. */
TEST(DatRmrCreate, DescriptionTakesNoObjectOfTheDevice)
{
	play([](Line &) {
		Adapter adapter;
		DeviceLimit limit("hca_object=0");
		DAT_RMR_HANDLE rmr;

		ok(dat_rmr_create(adapter.pz(), &rmr));
		ok(dat_rmr_free(rmr));
	});
}

/* "failed due to resource limitations" */
TEST(DatRmrCreate, ReturnValuesInsufficientResourcesNoHeap)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	play([](Line &) {
		Adapter adapter;
		DAT_RMR_HANDLE rmr;

		check_without_heap([&] { return dat_rmr_create(adapter.pz(), &rmr); });
		ok(dat_rmr_free(rmr));
	});
}

} // namespace
} // namespace suite

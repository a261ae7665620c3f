// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_pz_create(3DAT)

#include "no_resources.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "association Endpoints with LMRs ... to provide protection ... by DTOs" */
TEST(DatPzCreate, DescriptionZonesKeepEndpointsAndLmrsApart)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE zone;
		ok(dat_pz_create(adapter.ia(), &zone));
		{
			Region inside(adapter, 64), outside(adapter, 64, all_privileges, zone);
			Pair pair(adapter);

			ok(pair.passive.recv(inside.local(0, 64), 1));
			refused(pair.passive.recv(outside.local(0, 64), 2),
				DAT_PROTECTION_VIOLATION, DAT_PROTECTION_WRITE);
			refused(pair.active.send(outside.local(0, 8), 3), DAT_PROTECTION_VIOLATION,
				DAT_PROTECTION_READ);
			ok(pair.active.send(inside.local(0, 8), 4));
			pair.passive.expect_recv(1, 8);
		}
		ok(dat_pz_free(zone));
	});
}

/* Several zones of one IA. */
TEST(DatPzCreate, DescriptionAnInstanceOfItsOwn)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE one, two;

		ok(dat_pz_create(adapter.ia(), &one));
		ok(dat_pz_create(adapter.ia(), &two));
		EXPECT_NE(one, two);
		ok(dat_pz_free(one));
		ok(dat_pz_free(two));
	});
}

TEST(DatPzCreate, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;

		refused(dat_pz_create(adapter.ia(), nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG2);
	});
}

/* "The ia_handle parameter is invalid." */
TEST(DatPzCreate, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE zone;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.pz(), adapter.async_evd() })
			refused(dat_pz_create(other, &zone), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_IA);
	});
}

/* "failed due to resource limitations": the device has no zone left, the program no memory */
TEST(DatPzCreate, InsufficientResourcesObjects)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE pz;

		check_without_objects([&] { return dat_pz_create(adapter.ia(), &pz); },
				      DAT_RESOURCE_PROTECTION_DOMAIN);
		ok(dat_pz_free(pz));
	});
}

TEST(DatPzCreate, InsufficientResourcesNoHeap)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE pz;

		check_without_heap([&] { return dat_pz_create(adapter.ia(), &pz); });
		ok(dat_pz_free(pz));
	});
}

} // namespace
} // namespace suite

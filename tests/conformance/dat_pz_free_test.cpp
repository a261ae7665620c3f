// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_pz_free(3DAT)

#include "endpoint.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace suite {
namespace {

/** A zone of its own, refused while something is in it, freed afterwards. */
void busy_with(
	const std::function<void(const Adapter &, DAT_PZ_HANDLE, std::function<void()>)> &use)
{
	play([&](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE zone;

		ok(dat_pz_create(adapter.ia(), &zone));
		use(adapter, zone, [&] {
			refused(dat_pz_free(zone), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE);
		});
		ok(dat_pz_free(zone));
	});
}

/* "cannot be destroyed if it is in use by an Endpoint" */
TEST(DatPzFree, InvalidStateInUseByAnEndpoint)
{
	busy_with([](const Adapter &adapter, DAT_PZ_HANDLE zone, auto in_use) {
		Endpoint endpoint(adapter, { .pz = zone });
		in_use();
	});
}

/* "... LMR" */
TEST(DatPzFree, InvalidStateInUseByAnLmr)
{
	busy_with([](const Adapter &adapter, DAT_PZ_HANDLE zone, auto in_use) {
		Region region(adapter, 64, all_privileges, zone);
		in_use();
	});
}

/* "... or RMR" */
TEST(DatPzFree, InvalidStateInUseByAnRmr)
{
	busy_with([](const Adapter &, DAT_PZ_HANDLE zone, auto in_use) {
		DAT_RMR_HANDLE rmr;

		ok(dat_rmr_create(zone, &rmr));
		in_use();
		ok(dat_rmr_free(rmr));
	});
}

/* The page is older than SRQs. */
TEST(DatPzFree, InvalidStateInUseByAnSrq)
{
	busy_with([](const Adapter &adapter, DAT_PZ_HANDLE zone, auto in_use) {
		DAT_SRQ_ATTR attributes = { 4, 1, DAT_SRQ_LW_DEFAULT };
		DAT_SRQ_HANDLE srq;

		ok(dat_srq_create(adapter.ia(), zone, &attributes, &srq));
		in_use();
		ok(dat_srq_free(srq));
	});
}

/* "Use of the handle of the destroyed Protection Zone ... fails" */
TEST(DatPzFree, DescriptionHandleIsDead)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE zone, copy;
		DAT_PZ_PARAM param;
		DAT_RMR_HANDLE rmr;

		ok(dat_pz_create(adapter.ia(), &zone));
		copy = zone;
		ok(dat_pz_free(zone));
		refused(dat_pz_query(copy, DAT_PZ_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE_PZ);
		refused(dat_rmr_create(copy, &rmr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	});
}

/* "except for dat_pz_free()": which says so with an error */
TEST(DatPzFree, DescriptionFreedTwice)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE zone;

		ok(dat_pz_create(adapter.ia(), &zone));
		ok(dat_pz_free(zone));
		refused(dat_pz_free(zone), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	});
}

TEST(DatPzFree, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.async_evd() })
			refused(dat_pz_free(other), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	});
}

} // namespace
} // namespace suite

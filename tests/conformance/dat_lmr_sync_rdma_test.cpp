// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_lmr_sync_rdma_read(3DAT), dat_lmr_sync_rdma_write(3DAT)

#include "adapter.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

constexpr std::size_t size = 8192;
constexpr auto both = { dat_lmr_sync_rdma_read, dat_lmr_sync_rdma_write };

/* "entries need not contain the same LMR and need not be in the same Protection Zone" */
TEST(DatLmrSyncRdma, DescriptionSegmentsOfSeveralLmrsAndZones)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE zone;
		ok(dat_pz_create(adapter.ia(), &zone));
		{
			Region one(adapter, size), two(adapter, size, all_privileges, zone);
			const DAT_LMR_TRIPLET segments[] = { one.local(0, size), two.local(8, 8) };

			for (auto sync : both) {
				ok(sync(adapter.ia(), segments, 2));
				ok(sync(adapter.ia(), nullptr, 0));
			}
		}
		ok(dat_pz_free(zone));
	});
}

/* "fell outside the boundaries of the ... Region or the LMR handle was invalid" */
TEST(DatLmrSyncRdma, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, size), gone(adapter, size);
		DAT_LMR_TRIPLET segments[] = { region.local(0, 8), region.local(1, size) };

		gone.free();
		for (auto sync : both) {
			segments[1] = region.local(1, size);
			refused(sync(adapter.ia(), segments, 2), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG2);
			segments[1] = gone.local(0, 8);
			refused(sync(adapter.ia(), segments, 2), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG2);
			refused(sync(adapter.ia(), nullptr, 1), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG2);
		}
	});
}

TEST(DatLmrSyncRdma, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, size);
		const DAT_LMR_TRIPLET segment = region.local(0, 8);

		for (auto sync : both)
			refused(sync(adapter.pz(), &segment, 1), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_IA);
	});
}

} // namespace
} // namespace suite

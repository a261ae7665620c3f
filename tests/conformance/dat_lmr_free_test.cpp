// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_lmr_free(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

constexpr std::size_t size = 8192;

/* "does not deallocate the memory region" */
TEST(DatLmrFree, DescriptionMemoryStays)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, size);

		fill(region.bytes(0, size), 1);
		region.free();
		require_pattern(region.bytes(0, size), 1);
	});
}

/* "Any DTO operation that uses the destroyed LMR ... shall fail" */
TEST(DatLmrFree, DescriptionDtoWithTheDestroyedLmrFails)
{
	play([](Line &) {
		Adapter adapter;
		Region gone(adapter, size);
		Pair pair(adapter);
		const DAT_LMR_TRIPLET segment = gone.local(0, 8);

		gone.free();
		EXPECT_NE(pair.active.send(segment, 1), DAT_SUCCESS);
		EXPECT_NE(pair.active.recv(segment, 1), DAT_SUCCESS);
	});
}

/* "The use of rmr_context of the destroyed LMR by a remote peer ... broken connection" */
TEST(DatLmrFree, DescriptionRemoteUseOfDataBreaksTheConnection)
{
	play([](Line &) {
		Adapter adapter;
		Region gone(adapter, size), own(adapter, size);
		Pair pair(adapter);
		const DAT_RMR_TRIPLET target = gone.remote(0, 8);

		gone.free();
		ok(pair.active.write(own.local(0, 8), target, 1));
		if (!adapter.iwarp())
			pair.active.expect_request_failure(1, DAT_DTO_ERR_REMOTE_ACCESS);
		pair.active.expect_broken(adapter);
	});
}

/* "Use of the handle of the destroyed LMR in any subsequent operation ... fails" */
TEST(DatLmrFree, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, size);
		const DAT_LMR_HANDLE lmr = region.lmr();
		DAT_LMR_PARAM param;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_lmr_free(other), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR);
		region.free();
		refused(dat_lmr_free(lmr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR);
		refused(dat_lmr_query(lmr, DAT_LMR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE_LMR);
	});
}

} // namespace
} // namespace suite

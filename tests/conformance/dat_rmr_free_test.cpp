// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_rmr_free(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "window.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace suite {
namespace {

/* "allowed on either bound or unbound RMR" */
TEST(DatRmrFree, DescriptionUnbound)
{
	play([](Line &) {
		Adapter adapter;
		Window window(adapter);

		window.free();
	});
}

/* "If RMR is bound, dat_rmr_free() unbinds": its LMR can be freed then */
TEST(DatRmrFree, DescriptionBound)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		Window window(adapter);
		Pair pair(adapter);

		window.bind(pair.passive, region.local(0, 64));
		refused(dat_lmr_free(region.lmr()), DAT_INVALID_STATE,
			DAT_INVALID_STATE_LMR_IN_USE);
		window.free();
		region.free();
	});
}

/* "remote RDMA operation that uses the destroyed RMR rmr_context ... fails" */
TEST(DatRmrFree, DescriptionItsContextIsDead)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096), own(adapter, 4096);
		Window window(adapter);
		Pair pair(adapter);

		std::fill_n(region.data(), 64, 0xee);
		auto remote = window.bind(pair.passive, region.local(0, 64));
		window.free();
		ok(pair.active.write(own.local(0, 64), remote, 1));
		/* iWARP completes a write before the peer has seen it. */
		if (!adapter.iwarp())
			pair.active.expect_request_failure(1, DAT_DTO_ERR_REMOTE_ACCESS);
		pair.active.expect_broken(adapter);
		pair.passive.expect_end();
		require_bytes(region.bytes(0, 64), 0xee);
	});
}

/* "Use of the handle of the destroyed RMR in any subsequent operation ... fails." */
TEST(DatRmrFree, DescriptionTheHandleIsDead)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		Window window(adapter);
		Pair pair(adapter);
		const DAT_RMR_HANDLE rmr = window.rmr();
		const DAT_LMR_TRIPLET what = region.local(0, 64);
		DAT_RMR_PARAM param;
		DAT_RMR_CONTEXT context;

		window.free();
		for (DAT_RETURN result :
		     { dat_rmr_free(rmr), dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &param),
		       dat_rmr_bind(rmr, &what, both, pair.active.ep(), cookie_of(1),
				    DAT_COMPLETION_DEFAULT_FLAG, &context) })
			refused(result, DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR);
		pair.settle();
	});
}

TEST(DatRmrFree, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_RMR_HANDLE rmr :
		     { DAT_RMR_HANDLE(DAT_HANDLE_NULL), DAT_RMR_HANDLE(adapter.pz()) })
			refused(dat_rmr_free(rmr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR);
	});
}

} // namespace
} // namespace suite

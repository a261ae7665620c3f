// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_rmr_query(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "window.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "The Provider returns values for rmr_param_mask requested parameters." */
TEST(DatRmrQuery, DescriptionOneParameterAtATime)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 8192);
		Window window(adapter);
		Pair pair(adapter);
		DAT_RMR_PARAM p;

		ok(dat_rmr_query(window.rmr(), DAT_RMR_FIELD_IA_HANDLE, &p));
		EXPECT_EQ(p.ia_handle, adapter.ia());
		ok(dat_rmr_query(window.rmr(), DAT_RMR_FIELD_PZ_HANDLE, &p));
		EXPECT_EQ(p.pz_handle, adapter.pz());

		const DAT_LMR_TRIPLET what = region.local(100, 200);
		const DAT_RMR_TRIPLET remote =
			window.bind(pair.active, what, DAT_MEM_PRIV_REMOTE_READ_FLAG);
		ok(dat_rmr_query(window.rmr(), DAT_RMR_FIELD_LMR_TRIPLET, &p));
		EXPECT_EQ(p.lmr_triplet.lmr_context, what.lmr_context);
		EXPECT_EQ(p.lmr_triplet.virtual_address, what.virtual_address);
		EXPECT_EQ(p.lmr_triplet.segment_length, what.segment_length);
		ok(dat_rmr_query(window.rmr(), DAT_RMR_FIELD_MEM_PRIV, &p));
		EXPECT_EQ(p.mem_priv, DAT_MEM_PRIV_REMOTE_READ_FLAG);
		ok(dat_rmr_query(window.rmr(), DAT_RMR_FIELD_RMR_CONTEXT, &p));
		EXPECT_EQ(p.rmr_context, remote.rmr_context);
	});
}

/* "not defined for an unbound RMR": asking for them is no error */
TEST(DatRmrQuery, DescriptionUnbound)
{
	play([](Line &) {
		Adapter adapter;
		Window window(adapter);
		DAT_RMR_PARAM p;

		ok(dat_rmr_query(window.rmr(), DAT_RMR_FIELD_ALL, &p));
		EXPECT_EQ(p.ia_handle, adapter.ia());
		EXPECT_EQ(p.pz_handle, adapter.pz());
	});
}

/* "The rmr_param_mask parameter is invalid." */
TEST(DatRmrQuery, ReturnValuesInvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		Window window(adapter);
		DAT_RMR_PARAM p;

		refused(dat_rmr_query(window.rmr(),
				      static_cast<DAT_RMR_PARAM_MASK>(DAT_RMR_FIELD_ALL + 1), &p),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_rmr_query(window.rmr(), DAT_RMR_FIELD_ALL, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	});
}

TEST(DatRmrQuery, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_RMR_PARAM p;

		for (DAT_RMR_HANDLE rmr :
		     { DAT_RMR_HANDLE(DAT_HANDLE_NULL), DAT_RMR_HANDLE(adapter.pz()) })
			refused(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &p), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_RMR);
	});
}

} // namespace
} // namespace suite

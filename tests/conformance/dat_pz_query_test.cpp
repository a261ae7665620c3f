// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_pz_query(3DAT)

#include "adapter.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "returns values for pz_param_mask requested parameters" */
TEST(DatPzQuery, DescriptionIaOfTheZone)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_PARAM param{};

		ok(dat_pz_query(adapter.pz(), DAT_PZ_FIELD_ALL, &param));
		EXPECT_EQ(param.ia_handle, adapter.ia());
		ok(dat_pz_query(adapter.pz(), DAT_PZ_FIELD_IA_HANDLE, &param));
		EXPECT_EQ(param.ia_handle, adapter.ia());
	});
}

/* "The pz_param_mask parameter is invalid." */
TEST(DatPzQuery, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_PARAM param;

		refused(dat_pz_query(adapter.pz(), static_cast<DAT_PZ_PARAM_MASK>(2), &param),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_pz_query(adapter.pz(), DAT_PZ_FIELD_ALL, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	});
}

TEST(DatPzQuery, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_PARAM param;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.async_evd() })
			refused(dat_pz_query(other, DAT_PZ_FIELD_ALL, &param), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_PZ);
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_query(3DAT)

#include "cno.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "returns values for evd_param_mask requested parameters" */
TEST(DatEvdQuery, DescriptionAllParameters)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		EventQueue queue(adapter, 100, DAT_EVD_CR_FLAG | DAT_EVD_SOFTWARE_FLAG);
		DAT_EVD_PARAM param{};

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(dat_evd_query(queue.evd(), DAT_EVD_FIELD_ALL, &param));
		EXPECT_EQ(param.ia_handle, adapter.ia());
		EXPECT_GE(param.evd_qlen, 100);
		EXPECT_EQ(param.evd_state, DAT_EVD_STATE_ENABLED | DAT_EVD_STATE_WAITABLE |
						   DAT_EVD_STATE_CONFIG_THRESHOLD);
		EXPECT_EQ(param.cno_handle, cno.handle());
		EXPECT_EQ(param.evd_flags, DAT_EVD_CR_FLAG | DAT_EVD_SOFTWARE_FLAG);
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "specify which parameters to query" */
TEST(DatEvdQuery, DescriptionEachParameterAlone)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		DAT_EVD_PARAM all{}, one{};
		const auto query = [&](DAT_EVD_PARAM_MASK mask) {
			one = {};
			ok(dat_evd_query(queue.evd(), mask, &one));
		};

		ok(dat_evd_query(queue.evd(), DAT_EVD_FIELD_ALL, &all));
		query(DAT_EVD_FIELD_IA_HANDLE);
		EXPECT_EQ(one.ia_handle, all.ia_handle);
		query(DAT_EVD_FIELD_EVD_QLEN);
		EXPECT_EQ(one.evd_qlen, all.evd_qlen);
		query(DAT_EVD_FIELD_EVD_STATE);
		EXPECT_EQ(one.evd_state, all.evd_state);
		query(DAT_EVD_FIELD_CNO);
		EXPECT_EQ(one.cno_handle, all.cno_handle);
		query(DAT_EVD_FIELD_EVD_FLAGS);
		EXPECT_EQ(one.evd_flags, all.evd_flags);
	});
}

/* "including the state of the EVD (enabled/disabled)" */
TEST(DatEvdQuery, DescriptionStateOfTheEvd)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		const DAT_EVD_HANDLE evd = queue.evd();
		const auto state = [&] {
			DAT_EVD_PARAM param{};
			ok(dat_evd_query(evd, DAT_EVD_FIELD_EVD_STATE, &param));
			return static_cast<unsigned>(param.evd_state) & 0xfU;
		};

		ok(dat_evd_disable(evd));
		EXPECT_EQ(state(), DAT_EVD_STATE_DISABLED | DAT_EVD_STATE_WAITABLE);
		ok(dat_evd_set_unwaitable(evd));
		EXPECT_EQ(state(), DAT_EVD_STATE_DISABLED | DAT_EVD_STATE_UNWAITABLE);
		ok(dat_evd_enable(evd));
		EXPECT_EQ(state(), DAT_EVD_STATE_ENABLED | DAT_EVD_STATE_UNWAITABLE);
		ok(dat_evd_clear_unwaitable(evd));
		EXPECT_EQ(state(), DAT_EVD_STATE_ENABLED | DAT_EVD_STATE_WAITABLE);
	});
}

/* "The evd_param_mask parameter is invalid." */
TEST(DatEvdQuery, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_PARAM param;

		refused(dat_evd_query(adapter.async_evd(), static_cast<DAT_EVD_PARAM_MASK>(0x20),
				      &param),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_evd_query(adapter.async_evd(), DAT_EVD_FIELD_ALL, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	});
}

TEST(DatEvdQuery, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_PARAM param;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_evd_query(other, DAT_EVD_FIELD_ALL, &param), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE1);
	});
}

} // namespace
} // namespace suite

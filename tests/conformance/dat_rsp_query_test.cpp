// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_rsp_query(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "service_point.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "The Provider returns values for rsp_param_mask requested parameters." */
TEST(DatRspQuery, DescriptionOneParameterAtATime)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		DAT_RSP_PARAM p;

		ok(dat_rsp_query(r.rsp, DAT_RSP_FIELD_IA_HANDLE, &p));
		EXPECT_EQ(p.ia_handle, adapter.ia());
		ok(dat_rsp_query(r.rsp, DAT_RSP_FIELD_CONN_QUAL, &p));
		EXPECT_EQ(p.conn_qual, r.qual);
		ok(dat_rsp_query(r.rsp, DAT_RSP_FIELD_EVD_HANDLE, &p));
		EXPECT_EQ(p.evd_handle, r.queue.evd());
		ok(dat_rsp_query(r.rsp, DAT_RSP_FIELD_EP_HANDLE, &p));
		EXPECT_EQ(p.ep_handle, r.passive.ep());
	});
}

TEST(DatRspQuery, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		DAT_RSP_PARAM p;

		for (DAT_RSP_HANDLE rsp :
		     { DAT_RSP_HANDLE(DAT_HANDLE_NULL), DAT_RSP_HANDLE(listener.psp()) })
			refused(dat_rsp_query(rsp, DAT_RSP_FIELD_ALL, &p), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_RSP);
	});
}

/* "The rsp_param_mask parameter is invalid." */
TEST(DatRspQuery, ReturnValuesInvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		DAT_RSP_PARAM p;

		refused(dat_rsp_query(r.rsp, static_cast<DAT_RSP_PARAM_MASK>(DAT_RSP_FIELD_ALL + 1),
				      &p),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_rsp_query(r.rsp, DAT_RSP_FIELD_ALL, nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG3);
	});
}

} // namespace
} // namespace suite

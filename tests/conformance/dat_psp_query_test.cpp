// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_psp_query(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "service_point.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "The Provider will return values for psp_param_mask requested parameters." */
TEST(DatPspQuery, DescriptionOneParameterAtATime)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		const DAT_PSP_HANDLE psp = listener.psp();
		DAT_PSP_PARAM p;

		ok(dat_psp_query(psp, DAT_PSP_FIELD_IA_HANDLE, &p));
		EXPECT_EQ(p.ia_handle, adapter.ia());
		ok(dat_psp_query(psp, DAT_PSP_FIELD_CONN_QUAL, &p));
		EXPECT_EQ(p.conn_qual, listener.qual());
		ok(dat_psp_query(psp, DAT_PSP_FIELD_EVD_HANDLE, &p));
		EXPECT_EQ(p.evd_handle, listener.queue().evd());
		ok(dat_psp_query(psp, DAT_PSP_FIELD_PSP_FLAGS, &p));
		EXPECT_EQ(p.psp_flags, DAT_PSP_CONSUMER_FLAG);
	});
}

TEST(DatPspQuery, DescriptionTheProvidersFlag)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		DAT_PSP_PARAM p;

		ok(dat_psp_query(maker.psp, DAT_PSP_FIELD_ALL, &p));
		EXPECT_EQ(p.psp_flags, DAT_PSP_PROVIDER_FLAG);
		EXPECT_EQ(p.conn_qual, maker.qual);
	});
}

/* A qualifier that is wider than a port is told as it was given. */
TEST(DatPspQuery, DescriptionAWideQualifier)
{
	play([](Line &) {
		constexpr DAT_CONN_QUAL qual = 0xfedc'ba98'7654'3210;
		Adapter adapter;
		EventQueue queue(adapter, 4, DAT_EVD_CR_FLAG);
		DAT_PSP_HANDLE psp;
		DAT_PSP_PARAM p;

		ok(dat_psp_create(adapter.ia(), qual, queue.evd(), DAT_PSP_CONSUMER_FLAG, &psp));
		ok(dat_psp_query(psp, DAT_PSP_FIELD_CONN_QUAL, &p));
		EXPECT_EQ(p.conn_qual, qual);
		ok(dat_psp_free(psp));
	});
}

TEST(DatPspQuery, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 4);
		DAT_PSP_PARAM p;

		for (DAT_PSP_HANDLE psp :
		     { DAT_PSP_HANDLE(DAT_HANDLE_NULL), DAT_PSP_HANDLE(queue.evd()) })
			refused(dat_psp_query(psp, DAT_PSP_FIELD_ALL, &p), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_PSP);
	});
}

/* "The psp_param_mask parameter is invalid." */
TEST(DatPspQuery, ReturnValuesInvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		DAT_PSP_PARAM p;

		refused(dat_psp_query(listener.psp(),
				      static_cast<DAT_PSP_PARAM_MASK>(DAT_PSP_FIELD_ALL + 1), &p),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_psp_query(listener.psp(), DAT_PSP_FIELD_ALL, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	});
}

} // namespace
} // namespace suite

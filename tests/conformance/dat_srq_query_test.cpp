// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_srq_query(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "shared_queue.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "The Provider returns values for the requested srq_param_mask parameters." */
TEST(DatSrqQuery, DescriptionOneParameterAtATime)
{
	play([](Line &) {
		Adapter adapter;
		SharedQueue queue(adapter, 10, 2);
		const DAT_SRQ_HANDLE srq = queue.srq();
		DAT_SRQ_PARAM p;

		ok(dat_srq_query(srq, DAT_SRQ_FIELD_IA_HANDLE, &p));
		EXPECT_EQ(p.ia_handle, adapter.ia());
		ok(dat_srq_query(srq, DAT_SRQ_FIELD_SRQ_STATE, &p));
		EXPECT_EQ(p.srq_state, DAT_SRQ_STATE_OPERATIONAL);
		ok(dat_srq_query(srq, DAT_SRQ_FIELD_PZ_HANDLE, &p));
		EXPECT_EQ(p.pz_handle, adapter.pz());
		ok(dat_srq_query(srq, DAT_SRQ_FIELD_MAX_RECV_DTO, &p));
		EXPECT_EQ(p.max_recv_dtos, 10);
		ok(dat_srq_query(srq, DAT_SRQ_FIELD_MAX_RECV_IOV, &p));
		EXPECT_EQ(p.max_recv_iov, 2);
		ok(dat_srq_query(srq, DAT_SRQ_FIELD_LOW_WATERMARK, &p));
		EXPECT_EQ(p.low_watermark, DAT_SRQ_LW_DEFAULT);
		ok(dat_srq_query(srq, DAT_SRQ_FIELD_AVAILABLE_DTO_COUNT, &p));
		EXPECT_EQ(p.available_dto_count, 0);
		ok(dat_srq_query(srq, DAT_SRQ_FIELD_OUTSTANDING_DTO_COUNT, &p));
		EXPECT_EQ(p.outstanding_dto_count, 0);
	});
}

/* "Example: Consumer created SRQ with 10 entries and associated 1 EP with it." */
TEST(DatSrqQuery, UsageTheExample)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Taker one(adapter, queue);

		EXPECT_EQ(adapter.provider().srq_info_supported, 0x11);
		for (DAT_UINT64 i = 0; i < 3; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		EXPECT_EQ(queue.query().max_recv_dtos, 10);
		queue.require_counts(3, 3);
		one.send(region.local(1024, 64), 1);
		/* The sender hears of the arrival before the receiver's event is there. */
		while (queue.query().available_dto_count == 3)
			;
		queue.require_counts(2, 3);
		one.taker.recv_queue().expect(DAT_DTO_COMPLETION_EVENT);
		queue.require_counts(2, 2);
	});
}

/* "The srq_param_mask argument is invalid." */
TEST(DatSrqQuery, ReturnValuesInvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		SharedQueue queue(adapter, 10);
		DAT_SRQ_PARAM param;

		refused(dat_srq_query(queue.srq(),
				      static_cast<DAT_SRQ_PARAM_MASK>(DAT_SRQ_FIELD_ALL + 1),
				      &param),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_srq_query(queue.srq(), DAT_SRQ_FIELD_ALL, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	});
}

TEST(DatSrqQuery, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_SRQ_PARAM param;

		for (DAT_SRQ_HANDLE srq :
		     { DAT_SRQ_HANDLE(DAT_HANDLE_NULL), DAT_SRQ_HANDLE(adapter.pz()) })
			refused(dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_SRQ);
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_srq_resize(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "shared_queue.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "modifies the size of the queue": a longer one takes more buffers */
TEST(DatSrqResize, DescriptionALongerQueueTakesMore)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 4);

		for (DAT_UINT64 i = 0; i < 4; i++)
			ok(queue.post(region.local(0, 64), i));
		refused(queue.post(region.local(0, 64), 4), DAT_INSUFFICIENT_RESOURCES,
			DAT_RESOURCE_CREDITS);
		ok(dat_srq_resize(queue.srq(), 8));
		EXPECT_GE(queue.query().max_recv_dtos, 8);
		for (DAT_UINT64 i = 4; i < 8; i++)
			ok(queue.post(region.local(0, 64), i));
		queue.require_counts(8, 8);
	});
}

/* "should not cause any incoming messages ... to be lost" */
TEST(DatSrqResize, DescriptionNoMessageIsLost)
{
	play([](Line &) {
		constexpr DAT_UINT64 messages = 24;
		Adapter adapter;
		Region region(adapter, 8192);
		SharedQueue queue(adapter, messages);
		Taker one(adapter, queue);

		for (DAT_UINT64 i = 0; i < messages; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		for (DAT_UINT64 i = 0; i < messages; i++) {
			fill(region.bytes(4096, 64), i);
			ok(dat_srq_resize(queue.srq(), static_cast<DAT_COUNT>(messages + i)));
			one.send(region.local(4096, 64), i);
		}
		for (DAT_UINT64 i = 0; i < messages; i++) {
			one.taker.expect_recv(i, 64);
			require_pattern(region.bytes(64 * i, 64), i);
		}
	});
}

/* "outstanding Recv buffers on the SRQ is larger ... DAT_INVALID_STATE and do not change SRQ" */
TEST(DatSrqResize, DescriptionBelowTheBuffersOnIt)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);

		for (DAT_UINT64 i = 0; i < 5; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		refused(dat_srq_resize(queue.srq(), 4), DAT_INVALID_STATE, DAT_NO_SUBTYPE);
		EXPECT_EQ(queue.query().max_recv_dtos, 10);
		queue.require_counts(5, 5);
		ok(dat_srq_resize(queue.srq(), 5));
	});
}

/* "completions have been generated but not yet reaped by Consumer" */
TEST(DatSrqResize, DescriptionCompletionsThatAreNotReapedCount)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Taker one(adapter, queue);

		for (DAT_UINT64 i = 0; i < 3; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		for (DAT_UINT64 i = 0; i < 3; i++)
			one.send(region.local(1024, 64), i);
		refused(dat_srq_resize(queue.srq(), 2), DAT_INVALID_STATE, DAT_NO_SUBTYPE);
		one.taker.expect_recv(0, 64);
		ok(dat_srq_resize(queue.srq(), 2));
	});
}

/* "below the SRQ low watermark, the operation returns DAT_INVALID_STATE" */
TEST(DatSrqResize, DescriptionBelowTheLowWatermark)
{
	play([](Line &) {
		Adapter adapter;
		SharedQueue queue(adapter, 10);

		ok(dat_srq_set_lw(queue.srq(), 5));
		refused(dat_srq_resize(queue.srq(), 4), DAT_INVALID_STATE, DAT_NO_SUBTYPE);
		EXPECT_EQ(queue.query().max_recv_dtos, 10);
		EXPECT_EQ(queue.query().low_watermark, 5);
		ok(dat_srq_resize(queue.srq(), 5));
	});
}

/* "not lose any buffers" */
TEST(DatSrqResize, UsageBuffersStay)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Taker one(adapter, queue);

		for (DAT_UINT64 i = 0; i < 6; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		for (DAT_COUNT size : { 6, 600, 7, 6 }) {
			ok(dat_srq_resize(queue.srq(), size));
			queue.require_counts(6, 6);
		}
		for (DAT_UINT64 i = 0; i < 6; i++) {
			one.send(region.local(1024, 64), i);
			one.taker.expect_recv(i, 64);
		}
	});
}

TEST(DatSrqResize, ReturnValuesInvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		SharedQueue queue(adapter, 10);

		for (DAT_COUNT size : { 0, -1, INT32_MIN })
			refused(dat_srq_resize(queue.srq(), size), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG2);
	});
}

TEST(DatSrqResize, ReturnValuesInsufficientResources)
{
	play([](Line &) {
		Adapter adapter;
		SharedQueue queue(adapter, 10);
		const DAT_COUNT most = adapter.attributes().max_recv_per_srq;

		refused(dat_srq_resize(queue.srq(), most + 1), DAT_INSUFFICIENT_RESOURCES,
			DAT_RESOURCE_SRQ);
		EXPECT_EQ(queue.query().max_recv_dtos, 10);
		ok(dat_srq_resize(queue.srq(), most));
	});
}

TEST(DatSrqResize, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_SRQ_HANDLE srq :
		     { DAT_SRQ_HANDLE(DAT_HANDLE_NULL), DAT_SRQ_HANDLE(adapter.pz()) })
			refused(dat_srq_resize(srq, 10), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_SRQ);
	});
}

} // namespace
} // namespace suite

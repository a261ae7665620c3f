// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_srq_set_lw(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "shared_queue.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/** An SRQ with four buffers, and an endpoint that takes from it. */
struct Scene {
	Scene() : region(adapter, 4096), queue(adapter, 10), one(adapter, queue)
	{
		for (DAT_UINT64 i = 0; i < 4; i++)
			ok(queue.post(region.local(64 * i, 64), i));
	}
	/** A message takes a buffer. */
	void take(DAT_UINT64 cookie, Location where = Location::current())
	{
		one.send(region.local(1024, 64), 1);
		one.taker.expect_recv(cookie, 64, where);
	}
	void expect_low(Location where = Location::current())
	{
		const DAT_ASYNCH_ERROR_EVENT_DATA data = expect_async(adapter, where);

		require(data.dat_handle == queue.srq(), "it is of another SRQ", where);
		require(data.reason == DAT_SRQ_LOW_WATERMARK_EVENT, "another reason", where);
	}

	Adapter adapter;
	Region region;
	SharedQueue queue;
	Taker one;
};

void with_scene(void (*body)(Scene &))
{
	play([body](Line &) {
		Scene scene;

		body(scene);
	});
}

/* "when the number of buffers on the SRQ is below the low watermark": fewer, not as many */
TEST(DatSrqSetLw, DescriptionWhenAnEndpointTakesABuffer)
{
	with_scene([](Scene &s) {
		ok(dat_srq_set_lw(s.queue.srq(), 3));
		s.take(0);
		require_no_async(s.adapter);
		s.take(1);
		s.expect_low();
	});
}

/* "This can occur during the current call" */
TEST(DatSrqSetLw, DescriptionDuringTheCall)
{
	with_scene([](Scene &s) {
		ok(dat_srq_set_lw(s.queue.srq(), 4));
		require_no_async(s.adapter);
		ok(dat_srq_set_lw(s.queue.srq(), 5));
		s.expect_low();
	});
}

/* "generated only once per setting of the low watermark" */
TEST(DatSrqSetLw, DescriptionOncePerSetting)
{
	with_scene([](Scene &s) {
		ok(dat_srq_set_lw(s.queue.srq(), 4));
		s.take(0);
		s.expect_low();
		s.take(1);
		/* Up above the mark and below it again. */
		for (DAT_UINT64 i = 4; i < 7; i++)
			ok(s.queue.post(s.region.local(64 * i, 64), i));
		s.take(2);
		s.take(3);
		require_no_async(s.adapter);
		/* "should set the low watermark again" */
		ok(dat_srq_set_lw(s.queue.srq(), 4));
		s.expect_low();
	});
}

/* "the old low watermark value is simply replaced with the new one" */
TEST(DatSrqSetLw, UsageReplacesTheOldMark)
{
	with_scene([](Scene &s) {
		ok(dat_srq_set_lw(s.queue.srq(), 4));
		ok(dat_srq_set_lw(s.queue.srq(), 2));
		EXPECT_EQ(s.queue.query().low_watermark, 2);
		s.take(0);
		s.take(1);
		require_no_async(s.adapter);
		s.take(2);
		s.expect_low();
	});
}

/* "If Consumers do not want to receive ... DAT_SRQ_LW_DEFAULT" (dat_srq_create) */
TEST(DatSrqSetLw, UsageTheDefaultTellsNothing)
{
	with_scene([](Scene &s) {
		ok(dat_srq_set_lw(s.queue.srq(), 4));
		ok(dat_srq_set_lw(s.queue.srq(), DAT_SRQ_LW_DEFAULT));
		for (DAT_UINT64 i = 0; i < 4; i++)
			s.take(i);
		require_no_async(s.adapter);
	});
}

/* "exceeds the value of max_recv_dtos" */
TEST(DatSrqSetLw, ReturnValuesInvalidParameter)
{
	with_scene([](Scene &s) {
		ok(dat_srq_set_lw(s.queue.srq(), 2));
		for (DAT_COUNT mark : { 11, -1, INT32_MAX })
			refused(dat_srq_set_lw(s.queue.srq(), mark), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG2);
		EXPECT_EQ(s.queue.query().low_watermark, 2);
		require_no_async(s.adapter);
		ok(dat_srq_set_lw(s.queue.srq(), 10));
	});
}

TEST(DatSrqSetLw, ReturnValuesInvalidHandle)
{
	with_scene([](Scene &s) {
		for (DAT_SRQ_HANDLE srq :
		     { DAT_SRQ_HANDLE(DAT_HANDLE_NULL), DAT_SRQ_HANDLE(s.one.taker.ep()) })
			refused(dat_srq_set_lw(srq, 1), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
	});
}

/* "The Provider does not support SRQ Low Watermark.": this one does */
TEST(DatSrqSetLw, ReturnValuesModelIsSupported)
{
	with_scene(
		[](Scene &s) { EXPECT_EQ(s.adapter.provider().srq_watermarks_supported & 1, 1); });
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_set_watermark(3DAT)

#include "ep_states.hpp"
#include "play.hpp"
#include "result.hpp"
#include "shared_queue.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

constexpr DAT_COUNT none = DAT_WATERMARK_INFINITE;

void expect_soft(const Adapter &adapter, const Endpoint &endpoint,
		 Location where = Location::current())
{
	const DAT_ASYNCH_ERROR_EVENT_DATA data = expect_async(adapter, where);

	require(data.dat_handle == endpoint.ep(), "it is of another EP", where);
	require(data.reason == DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT, "another reason", where);
}

/* "when the number of Recv buffers at EP exceeds the soft high watermark": more, not as many */
TEST(DatEpSetWatermark, DescriptionTheSoftMark)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		Region region(adapter, 4096);

		ok(dat_ep_set_watermark(endpoint.ep(), 2, none));
		for (DAT_UINT64 i = 0; i < 2; i++)
			ok(endpoint.recv(region.local(0, 64), i));
		/* With a mark set no post waits for the module's next look. */
		require_no_async(adapter);
		ok(endpoint.recv(region.local(0, 64), 2));
		expect_soft(adapter, endpoint);
		endpoint.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

/* "generated only once per setting" */
TEST(DatEpSetWatermark, DescriptionTheSoftMarkTellsOncePerSetting)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		Region region(adapter, 4096);

		ok(dat_ep_set_watermark(endpoint.ep(), 1, none));
		for (DAT_UINT64 i = 0; i < 4; i++)
			ok(endpoint.recv(region.local(0, 64), i));
		expect_soft(adapter, endpoint);
		ok(endpoint.recv(region.local(0, 64), 4));
		require_no_async(adapter);
		/* "should again set the soft high watermark": "generated immediately" */
		ok(dat_ep_set_watermark(endpoint.ep(), 1, none));
		expect_soft(adapter, endpoint);
	});
}

/* "A connection broken event ... when the number of Recv buffers ... exceeds the hard" mark */
TEST(DatEpSetWatermark, DescriptionTheHardMark)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		ok(dat_ep_set_watermark(pair.active.ep(), none, 2));
		for (DAT_UINT64 i = 0; i < 2; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		pair.active.require_state(DAT_EP_STATE_CONNECTED);
		pair.active.connect_queue().require_empty();
		ok(pair.active.recv(region.local(0, 64), 2));
		pair.active.expect_connection(DAT_CONNECTION_EVENT_BROKEN);
		pair.active.require_state(DAT_EP_STATE_DISCONNECTED);
		pair.passive.expect_end();
		/* It is told on the connect EVD, not as an asynchronous event. */
		require_no_async(adapter);
	});
}

/* "These can occur during this call" */
TEST(DatEpSetWatermark, DescriptionDuringTheCall)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		for (DAT_UINT64 i = 0; i < 3; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		ok(dat_ep_set_watermark(pair.active.ep(), 2, none));
		expect_soft(adapter, pair.active);
		ok(dat_ep_set_watermark(pair.active.ep(), none, 2));
		pair.active.expect_connection(DAT_CONNECTION_EVENT_BROKEN);
	});
}

/* "or when EP takes a buffer from the SRQ" */
TEST(DatEpSetWatermark, DescriptionBuffersOfAnSrq)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 8192);
		SharedQueue queue(adapter, 60);
		Taker one(adapter, queue, 8);
		const DAT_COUNT room = one.taker.recv_queue().length();
		DAT_COUNT held;

		/* It holds what it took until that stands in the ring of its recv EVD. */
		ok(dat_ep_set_watermark(one.taker.ep(), 1, none));
		for (DAT_COUNT i = 0; i < room + 2; i++)
			ok(queue.post(region.local(0, 64), 1));
		for (DAT_COUNT i = 0; i < room + 1; i++)
			one.send(region.local(4096, 64), 1);
		do
			ok(dat_ep_recv_query(one.taker.ep(), &held, nullptr));
		while (held < 1);
		require_no_async(adapter);
		one.send(region.local(4096, 64), 1);
		expect_soft(adapter, one.taker);
	});
}

/* "the soft and hard ... are independent of each other" */
TEST(DatEpSetWatermark, DescriptionTheMarksAreIndependent)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		ok(dat_ep_set_watermark(pair.active.ep(), 1, 3));
		for (DAT_UINT64 i = 0; i < 2; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		expect_soft(adapter, pair.active);
		pair.active.require_state(DAT_EP_STATE_CONNECTED);
		for (DAT_UINT64 i = 2; i < 4; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		pair.active.expect_connection(DAT_CONNECTION_EVENT_BROKEN);
	});
}

/* "DAT_WATERMARK_INFINITE ... that is the default value" */
TEST(DatEpSetWatermark, DescriptionTheDefaultTellsNothing)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		for (DAT_UINT64 i = 0; i < 16; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		ok(dat_ep_set_watermark(pair.active.ep(), none, none));
		require_no_async(adapter);
		pair.active.require_state(DAT_EP_STATE_CONNECTED);
		pair.settle();
	});
}

/* "The operation is supported for all states of Endpoint." */
TEST(DatEpSetWatermark, DescriptionInAllStates)
{
	play([](Line &) {
		Adapter adapter;

		in_every_state(adapter, [](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			DAT_EP_STATE after;

			ok(dat_ep_set_watermark(ep, 5, 6));
			ok(dat_ep_get_status(ep, &after, nullptr, nullptr));
			EXPECT_EQ(after, state);
		});
	});
}

/* "For a hard high watermark, ... as soon as the connection is established." */
TEST(DatEpSetWatermark, UsageTheHardMarkWaitsForTheConnection)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		Region region(adapter, 4096);

		ok(dat_ep_set_watermark(active.ep(), none, 0));
		ok(active.recv(region.local(0, 64), 1));
		active.require_state(DAT_EP_STATE_UNCONNECTED);
		ok(active.connect(adapter.address(), listener.qual()));
		ok(accept_request(listener.request(), passive));
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_BROKEN);
	});
}

/* "the old soft or hard (or both) high watermark values are simply replaced" */
TEST(DatEpSetWatermark, UsageReplacesTheOldMarks)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		ok(dat_ep_set_watermark(pair.active.ep(), 1, 1));
		ok(dat_ep_set_watermark(pair.active.ep(), 10, 10));
		for (DAT_UINT64 i = 0; i < 5; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		require_no_async(adapter);
		pair.active.require_state(DAT_EP_STATE_CONNECTED);
	});
}

/* "One of the parameters is invalid." */
TEST(DatEpSetWatermark, ReturnValuesInvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);

		for (DAT_COUNT mark : { -2, INT32_MIN }) {
			refused(dat_ep_set_watermark(endpoint.ep(), mark, none),
				DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
			refused(dat_ep_set_watermark(endpoint.ep(), none, mark),
				DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		}
	});
}

TEST(DatEpSetWatermark, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_EP_HANDLE ep :
		     { DAT_EP_HANDLE(DAT_HANDLE_NULL), DAT_EP_HANDLE(adapter.pz()) })
			refused(dat_ep_set_watermark(ep, 1, 1), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_EP);
	});
}

/* "The Provider does not support EP Soft or Hard High Watermarks.": this one does */
TEST(DatEpSetWatermark, ReturnValuesModelIsSupported)
{
	play([](Line &) {
		Adapter adapter;

		EXPECT_EQ(adapter.provider().srq_watermarks_supported & 0x110, 0x110);
	});
}

} // namespace
} // namespace suite

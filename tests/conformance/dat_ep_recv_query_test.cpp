// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_recv_query(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "shared_queue.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

void require_held(const Endpoint &endpoint, DAT_COUNT expected,
		  Location where = Location::current())
{
	DAT_COUNT held = -3, span = -3;

	ok(dat_ep_recv_query(endpoint.ep(), &held, &span), where);
	require(held == expected, "it holds " + std::to_string(held), where);
	/* "The implementation must never report n buffers in a span that is less than n." */
	require(span >= held, "in a span of " + std::to_string(span), where);
}

/* "When an EP does not use SRQ, a buffer is allocated as soon as it is posted to the EP." */
TEST(DatEpRecvQuery, DescriptionReceivesOfItsOwn)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		EXPECT_EQ(adapter.provider().ep_recv_info_supported, 0x11);
		require_held(pair.passive, 0);
		for (DAT_UINT64 i = 0; i < 3; i++)
			ok(pair.passive.recv(region.local(0, 64), i));
		require_held(pair.passive, 3);
		/* "allocated to ep_handle but not yet completed" */
		ok(pair.active.send(region.local(64, 64), 9));
		pair.passive.expect_recv(0, 64);
		require_held(pair.passive, 2);
	});
}

/* "For EP that uses SRQ, a buffer is allocated to the EP when EP removes it from SRQ." */
TEST(DatEpRecvQuery, DescriptionReceivesOfAnSrq)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Taker one(adapter, queue);

		for (DAT_UINT64 i = 0; i < 3; i++)
			ok(queue.post(region.local(0, 64), i));
		require_held(one.taker, 0);
		one.send(region.local(64, 64), 1);
		one.taker.expect_recv(0, 64);
		require_held(one.taker, 0);
	});
}

/* After the end nothing is left that could complete. */
TEST(DatEpRecvQuery, DescriptionNothingAfterTheEnd)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		for (DAT_UINT64 i = 0; i < 3; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_end();
		require_held(pair.active, 0);
	});
}

/* "If nbufs_allocated is not NULL"; "If bufs_alloc_span is not NULL" */
TEST(DatEpRecvQuery, DescriptionEitherMayBeNull)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		Region region(adapter, 4096);
		DAT_COUNT count = -3;

		ok(endpoint.recv(region.local(0, 64), 1));
		ok(dat_ep_recv_query(endpoint.ep(), &count, nullptr));
		EXPECT_EQ(count, 1);
		count = -3;
		ok(dat_ep_recv_query(endpoint.ep(), nullptr, &count));
		EXPECT_EQ(count, 1);
		ok(dat_ep_recv_query(endpoint.ep(), nullptr, nullptr));
	});
}

TEST(DatEpRecvQuery, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_COUNT count;

		for (DAT_EP_HANDLE ep :
		     { DAT_EP_HANDLE(DAT_HANDLE_NULL), DAT_EP_HANDLE(adapter.pz()) })
			refused(dat_ep_recv_query(ep, &count, &count), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_EP);
	});
}

} // namespace
} // namespace suite

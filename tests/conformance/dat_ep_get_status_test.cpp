// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_get_status(3DAT)

#include "ep_states.hpp"
#include "play.hpp"
#include "result.hpp"
#include "window.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

struct Status {
	explicit Status(DAT_EP_HANDLE ep)
	{
		ok(dat_ep_get_status(ep, &state, &recv_idle, &request_idle));
	}
	DAT_EP_STATE state{};
	DAT_BOOLEAN recv_idle{}, request_idle{};
};

/* "ep_state parameter returns the value of the current state" */
TEST(DatEpGetStatus, DescriptionTheState)
{
	play([](Line &) {
		Adapter adapter;

		in_every_state(adapter, [](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			EXPECT_EQ(Status(ep).state, state);
		});
	});
}

/* "DAT_TRUE specifies that there are no outstanding or in-progress Receive DTOs" */
TEST(DatEpGetStatus, DescriptionRecvIdle)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		EXPECT_TRUE(Status(pair.passive.ep()).recv_idle);
		ok(pair.passive.recv(region.local(0, 64), 1));
		EXPECT_FALSE(Status(pair.passive.ep()).recv_idle);
		EXPECT_TRUE(Status(pair.passive.ep()).request_idle);
		ok(pair.active.send(region.local(64, 64), 2));
		pair.passive.expect_recv(1, 64);
		EXPECT_TRUE(Status(pair.passive.ep()).recv_idle);
	});
}

/* Receives are outstanding before there is a connection. */
TEST(DatEpGetStatus, DescriptionRecvIdleBeforeTheConnection)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		Region region(adapter, 4096);

		EXPECT_TRUE(Status(endpoint.ep()).recv_idle);
		ok(endpoint.recv(region.local(0, 64), 1));
		EXPECT_FALSE(Status(endpoint.ep()).recv_idle);
	});
}

/* "no outstanding or in-progress Send, RDMA Read, and RDMA Write DTOs": one that waits */
TEST(DatEpGetStatus, DescriptionRequestIdle)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "a message without a receive ends the connection";
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		EXPECT_TRUE(Status(pair.active.ep()).request_idle);
		ok(pair.active.send(region.local(0, 64), 1));
		EXPECT_FALSE(Status(pair.active.ep()).request_idle);
		EXPECT_TRUE(Status(pair.active.ep()).recv_idle);
		ok(pair.passive.recv(region.local(64, 64), 2));
		pair.active.expect_request(1, 64);
		EXPECT_TRUE(Status(pair.active.ep()).request_idle);
	});
}

/* Once its completion is there a request is outstanding no more, of whatever kind. */
TEST(DatEpGetStatus, DescriptionRequestIdleAfterEachKind)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);
		Window window(adapter);

		ok(pair.active.write(region.local(0, 64), region.remote(64, 64), 1));
		pair.active.expect_request(1, 64);
		EXPECT_TRUE(Status(pair.active.ep()).request_idle);
		ok(pair.active.read(region.local(0, 64), region.remote(64, 64), 2));
		pair.active.expect_request(2, 64);
		EXPECT_TRUE(Status(pair.active.ep()).request_idle);
		window.bind(pair.active, region.local(0, 64));
		EXPECT_TRUE(Status(pair.active.ep()).request_idle);
	});
}

/* What was flushed is outstanding no more. */
TEST(DatEpGetStatus, DescriptionIdleAfterTheEnd)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		for (DAT_UINT64 i = 0; i < 4; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_end();
		EXPECT_TRUE(Status(pair.active.ep()).recv_idle);
		EXPECT_TRUE(Status(pair.active.ep()).request_idle);
	});
}

/* Any of the three may be left out. */
TEST(DatEpGetStatus, DescriptionOutParametersMayBeNull)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		DAT_EP_STATE state;
		DAT_BOOLEAN idle;

		ok(dat_ep_get_status(endpoint.ep(), &state, nullptr, nullptr));
		ok(dat_ep_get_status(endpoint.ep(), nullptr, &idle, nullptr));
		ok(dat_ep_get_status(endpoint.ep(), nullptr, nullptr, &idle));
		ok(dat_ep_get_status(endpoint.ep(), nullptr, nullptr, nullptr));
	});
}

TEST(DatEpGetStatus, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EP_STATE state;

		for (DAT_EP_HANDLE ep :
		     { DAT_EP_HANDLE(DAT_HANDLE_NULL), DAT_EP_HANDLE(adapter.pz()) })
			refused(dat_ep_get_status(ep, &state, nullptr, nullptr), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_EP);
	});
}

} // namespace
} // namespace suite

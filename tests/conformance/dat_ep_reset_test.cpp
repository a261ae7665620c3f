// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_reset(3DAT)

#include "ep_states.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "transitions the local Endpoint from a Disconnected to an Unconnected state" */
TEST(DatEpReset, DescriptionDisconnectedBecomesUnconnected)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);

		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_end();
		pair.passive.expect_end();
		ok(dat_ep_reset(pair.active.ep()));
		ok(dat_ep_reset(pair.passive.ep()));
		pair.active.require_state(DAT_EP_STATE_UNCONNECTED);
		/* As good as new. */
		pair.connect(adapter);
		pair.settle();
	});
}

/* ... after a connection that never was, too */
TEST(DatEpReset, DescriptionAfterARejection)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);

		ok(active.connect(adapter.address(), listener.qual()));
		ok(dat_cr_reject(listener.request()));
		active.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		ok(dat_ep_reset(active.ep()));
		ok(active.connect(adapter.address(), listener.qual()));
		listener.accept(passive);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* "For Unconnected state, ... no-op"; "the preposted Recvs are not affected by the call" */
TEST(DatEpReset, DescriptionUnconnectedKeepsItsReceives)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		Region region(adapter, 4096);

		ok(passive.recv(region.local(0, 64), 5));
		for (int i = 0; i < 3; i++)
			ok(dat_ep_reset(passive.ep()));
		passive.require_state(DAT_EP_STATE_UNCONNECTED);
		passive.recv_queue().require_empty();
		ok(active.connect(adapter.address(), listener.qual()));
		listener.accept(passive);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(active.send(region.local(64, 64), 6));
		passive.expect_recv(5, 64);
	});
}

/* "post DTO or RMR operations as a marker": it comes last */
TEST(DatEpReset, UsageAMarkerIsTheLastCompletion)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		for (DAT_UINT64 i = 0; i < 5; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_end();
		ok(pair.active.recv(region.local(0, 64), 100));
		ok(pair.active.send(region.local(0, 64), 101));
		for (DAT_UINT64 i = 0; i < 5; i++)
			pair.active.expect_recv_failure(i, DAT_DTO_ERR_FLUSHED);
		pair.active.expect_recv_failure(100, DAT_DTO_ERR_FLUSHED);
		pair.active.expect_request_failure(101, DAT_DTO_ERR_FLUSHED);
		ok(dat_ep_reset(pair.active.ep()));
		pair.active.recv_queue().require_empty();
		pair.active.request_queue().require_empty();
	});
}

TEST(DatEpReset, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_EP_HANDLE ep :
		     { DAT_EP_HANDLE(DAT_HANDLE_NULL), DAT_EP_HANDLE(adapter.pz()) })
			refused(dat_ep_reset(ep), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	});
}

/* "Endpoint is not in the valid state for reset.": it must be over, or not have begun */
TEST(DatEpReset, ReturnValuesInvalidState)
{
	play([](Line &) {
		Adapter adapter;

		in_every_state(adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			DAT_EP_STATE after;

			if (state == DAT_EP_STATE_UNCONNECTED || state == DAT_EP_STATE_DISCONNECTED)
				return;
			refused(dat_ep_reset(ep), DAT_INVALID_STATE, subtype_of(state));
			ok(dat_ep_get_status(ep, &after, nullptr, nullptr));
			EXPECT_EQ(after, state);
		});
	});
}

} // namespace
} // namespace suite

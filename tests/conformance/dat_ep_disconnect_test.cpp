// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_disconnect(3DAT)

#include "ep_states.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace suite {
namespace {

constexpr DAT_CLOSE_FLAGS both_flags[] = { DAT_CLOSE_ABRUPT_FLAG, DAT_CLOSE_GRACEFUL_FLAG };

/* "requests a termination of a connection"; both ends are told */
TEST(DatEpDisconnect, DescriptionEndsAConnection)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);

		for (DAT_CLOSE_FLAGS flags : both_flags) {
			ok(dat_ep_disconnect(pair.active.ep(), flags));
			pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
			pair.active.require_state(DAT_EP_STATE_DISCONNECTED);
			pair.passive.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
			pair.passive.require_state(DAT_EP_STATE_DISCONNECTED);
			ok(dat_ep_reset(pair.active.ep()));
			ok(dat_ep_reset(pair.passive.ep()));
			pair.connect(adapter);
		}
	});
}

/* "used by the active/client or a passive/server side" */
TEST(DatEpDisconnect, DescriptionThePassiveSideMay)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_CLOSE_FLAGS flags : both_flags) {
			Pair pair(adapter);

			ok(dat_ep_disconnect(pair.passive.ep(), flags));
			pair.passive.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
			pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		}
	});
}

/* "For abrupt disconnect, all outstanding DTOs ... are completed unsuccessfully" */
TEST(DatEpDisconnect, DescriptionAbruptCompletesReceivesUnsuccessfully)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		for (DAT_UINT64 i = 0; i < 8; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		for (DAT_UINT64 i = 0; i < 8; i++)
			pair.active.expect_recv_failure(i, DAT_DTO_ERR_FLUSHED);
	});
}

/* "If an in-progress DTO is completed unsuccessfully, all follow on ... must be ..., too" */
TEST(DatEpDisconnect, DescriptionAfterTheFirstFailureAllFail)
{
	play([](Line &) {
		constexpr DAT_UINT64 count = 12;
		constexpr std::size_t size = 1 << 16;
		Adapter adapter;
		Pair pair(adapter);
		Region source(adapter, size), target(adapter, size);
		bool failed = false;

		for (DAT_UINT64 i = 0; i < count; i++)
			ok(pair.active.write(source.local(0, size), target.remote(0, size), i));
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		/* Each one completes, in the order of posting. */
		for (DAT_UINT64 i = 0; i < count; i++) {
			DAT_EVENT event =
				pair.active.request_queue().expect(DAT_DTO_COMPLETION_EVENT);
			const auto &dto = event.event_data.dto_completion_event_data;

			EXPECT_EQ(dto.user_cookie.as_64, i);
			EXPECT_FALSE(failed && dto.status == DAT_DTO_SUCCESS);
			failed = failed || dto.status != DAT_DTO_SUCCESS;
		}
	});
}

/* "For graceful disconnect, all outstanding ... request DTOs ... completed successfully first" */
TEST(DatEpDisconnect, DescriptionGracefulFinishesRequests)
{
	play([](Line &) {
		constexpr DAT_UINT64 count = 12;
		constexpr std::size_t size = 1 << 14;
		Adapter adapter;
		Pair pair(adapter);
		Region source(adapter, size), target(adapter, size);

		for (DAT_UINT64 i = 0; i < count; i++)
			ok(pair.active.read(source.local(0, size), target.remote(0, size), i));
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
		for (DAT_UINT64 i = 0; i < count; i++)
			pair.active.expect_request(i, size);
		pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
	});
}

/** A connection whose active end cannot end gracefully: its message has no receive. */
struct Pending {
	Pending() : region(adapter, 4096), pair(adapter, { .one_queue = true })
	{
		ok(pair.active.send(region.local(0, 64), 1));
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
		pair.active.require_state(DAT_EP_STATE_DISCONNECT_PENDING);
	}
	Adapter adapter;
	Region region;
	Pair pair;
};

void with_pending(void (*body)(Pending &))
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "a message without a receive ends the connection";
	play([=](Line &) {
		Pending pending;

		body(pending);
	});
}

/* "During that time, the local Endpoint is in a DAT_EP_DISCONNECT_PENDING state." */
TEST(DatEpDisconnect, DescriptionGracefulIsPendingMeanwhile)
{
	with_pending([](Pending &p) {
		p.pair.active.recv_queue().require_empty();
		ok(p.pair.passive.recv(p.region.local(64, 64), 2));
		p.pair.active.expect_request(1, 64);
		p.pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		p.pair.active.require_state(DAT_EP_STATE_DISCONNECTED);
		p.pair.passive.expect_recv(2, 64);
	});
}

/* "can call abrupt ... when ... DISCONNECT_PENDING ... without waiting" */
TEST(DatEpDisconnect, DescriptionAbruptEndsAPendingOne)
{
	with_pending([](Pending &p) {
		ok(dat_ep_disconnect(p.pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		p.pair.active.expect_request_failure(1, DAT_DTO_ERR_FLUSHED);
		p.pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		p.pair.passive.expect_end();
	});
}

/* "graceful ... when ... DISCONNECT_PENDING state has no effect" */
TEST(DatEpDisconnect, DescriptionGracefulOfAPendingOneHasNoEffect)
{
	with_pending([](Pending &p) {
		ok(dat_ep_disconnect(p.pair.active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
		p.pair.active.require_state(DAT_EP_STATE_DISCONNECT_PENDING);
		p.pair.active.recv_queue().require_empty();
		ok(p.pair.passive.recv(p.region.local(64, 64), 2));
		p.pair.active.expect_request(1, 64);
		p.pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		p.pair.active.recv_queue().require_empty();
	});
}

/* "No new Send, RDMA Read, and RDMA Write DTOs ... in the DAT_EP_DISCONNECT_PENDING state" */
TEST(DatEpDisconnect, DescriptionNoNewRequestsWhilePending)
{
	with_pending([](Pending &p) {
		Endpoint &active = p.pair.active;
		const DAT_LMR_TRIPLET local = p.region.local(0, 64);
		const DAT_RMR_TRIPLET remote = p.region.remote(64, 64);

		for (DAT_RETURN result : { active.send(local, 3), active.write(local, remote, 4),
					   active.read(local, remote, 5) })
			refused(result, DAT_INVALID_STATE, DAT_INVALID_STATE_EP_DISCPENDING);
		ok(active.recv(local, 6));
	});
}

/* "all successful Completion events ... precede the Disconnect Completion event" */
TEST(DatEpDisconnect, DescriptionCompletionsPrecedeTheEvent)
{
	play([](Line &) {
		constexpr DAT_UINT64 count = 8;
		Adapter adapter;
		Pair pair(adapter, { .one_queue = true });
		Region region(adapter, 4096);
		bool seen[2 * count] = {};

		for (DAT_UINT64 i = 0; i < count; i++) {
			ok(pair.active.recv(region.local(0, 64), i));
			ok(pair.active.write(region.local(0, 64), region.remote(64, 64),
					     count + i));
		}
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
		for (DAT_UINT64 i = 0; i < 2 * count; i++) {
			DAT_EVENT event = pair.active.recv_queue().expect(DAT_DTO_COMPLETION_EVENT);
			const auto &dto = event.event_data.dto_completion_event_data;

			ASSERT_LT(dto.user_cookie.as_64, 2 * count);
			EXPECT_FALSE(std::exchange(seen[dto.user_cookie.as_64], true));
		}
		pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		pair.active.recv_queue().require_empty();
	});
}

/* "Disconnecting an unconnected Disconnected Endpoint is no-op." */
TEST(DatEpDisconnect, DescriptionDisconnectedIsNoOp)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);

		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_end();
		for (DAT_CLOSE_FLAGS flags : both_flags)
			ok(dat_ep_disconnect(pair.active.ep(), flags));
		pair.active.require_state(DAT_EP_STATE_DISCONNECTED);
		pair.active.connect_queue().require_empty();
	});
}

/* "Disconnecting ... UNCONNECTED, RESERVED, PASSIVE ..., and TENTATIVE ... is disallowed" */
TEST(DatEpDisconnect, DescriptionDisallowedStates)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_EP_STATE state : { DAT_EP_STATE_UNCONNECTED, DAT_EP_STATE_RESERVED,
					    DAT_EP_STATE_PASSIVE_CONNECTION_PENDING,
					    DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING }) {
			Staged staged(adapter, state);

			for (DAT_CLOSE_FLAGS flags : both_flags)
				refused(dat_ep_disconnect(staged.ep(), flags), DAT_INVALID_STATE,
					subtype_of(state));
			EXPECT_EQ(staged.state(), state);
		}
	});
}

/* "Both ... during connection establishment ... aborts"; "preposted Recv DTOs to be flushed" */
TEST(DatEpDisconnect, DescriptionAbortsTheConnectionEstablishment)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Region region(adapter, 4096);

		for (DAT_CLOSE_FLAGS flags : both_flags) {
			Endpoint active(adapter);

			ok(active.recv(region.local(0, 64), 3));
			ok(active.connect(adapter.address(), listener.qual()));
			DAT_CR_HANDLE cr = listener.request();
			ok(dat_ep_disconnect(active.ep(), flags));
			active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
			active.require_state(DAT_EP_STATE_DISCONNECTED);
			active.expect_recv_failure(3, DAT_DTO_ERR_FLUSHED);
			ok(dat_cr_reject(cr));
		}
	});
}

TEST(DatEpDisconnect, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_EP_HANDLE ep :
		     { DAT_EP_HANDLE(DAT_HANDLE_NULL), DAT_EP_HANDLE(adapter.pz()) })
			refused(dat_ep_disconnect(ep, DAT_CLOSE_ABRUPT_FLAG), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_EP);
	});
}

/* "The disconnect_flags parameter is invalid." */
TEST(DatEpDisconnect, ReturnValuesInvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);

		for (unsigned flags : { 2U, 3U, 0x100U })
			refused(dat_ep_disconnect(pair.active.ep(),
						  static_cast<DAT_CLOSE_FLAGS>(flags)),
				DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		pair.settle();
	});
}

/* "completed unsuccessfully": requests and receives of all kinds, each queue in its order */
TEST(DatEpDisconnect, DescriptionFlushedInTheOrderOfPosting)
{
	play([](Line &) {
		constexpr DAT_UINT64 count = 9;
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_end();
		for (DAT_UINT64 i = 0; i < count; i++) {
			ok(pair.active.recv(region.local(0, 64), 100 + i));
			ok(i % 3 == 0 ? pair.active.send(region.local(0, 64), i) :
			   i % 3 == 1 ? pair.active.write(region.local(0, 64),
							  region.remote(64, 64), i) :
					pair.active.read(region.local(0, 64), region.remote(64, 64),
							 i));
		}
		for (DAT_UINT64 i = 0; i < count; i++) {
			pair.active.expect_request_failure(i, DAT_DTO_ERR_FLUSHED);
			pair.active.expect_recv_failure(100 + i, DAT_DTO_ERR_FLUSHED);
		}
		pair.active.request_queue().require_empty();
		pair.active.recv_queue().require_empty();
	});
}

/* A suppressed completion that fails is reported nevertheless. */
TEST(DatEpDisconnect, DescriptionSuppressedRequestsAreFlushedAudibly)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);
		const DAT_LMR_TRIPLET segment = region.local(0, 64);

		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_end();
		ok(pair.active.send(Segments(&segment, 1), 1, DAT_COMPLETION_SUPPRESS_FLAG));
		ok(pair.active.write(Segments(&segment, 1), region.remote(64, 64), 2,
				     DAT_COMPLETION_SUPPRESS_FLAG));
		ok(pair.active.read(Segments(&segment, 1), region.remote(64, 64), 3,
				    DAT_COMPLETION_SUPPRESS_FLAG));
		for (DAT_UINT64 cookie = 1; cookie <= 3; cookie++)
			pair.active.expect_request_failure(cookie, DAT_DTO_ERR_FLUSHED);
	});
}

} // namespace
} // namespace suite

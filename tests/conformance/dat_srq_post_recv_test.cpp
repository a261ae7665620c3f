// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_srq_post_recv(3DAT)

#include "allocations.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "shared_queue.hpp"
#include "sleeper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace suite {
namespace {

/** An SRQ of ten buffers, memory to post on it, and an endpoint that takes from it. */
struct Scene {
	Scene() : region(adapter, 8192), queue(adapter, 10, 4), one(adapter, queue) {}

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

/* "Can be 0 for receiving a zero-size message." "Can be NULL" */
TEST(DatSrqPostRecv, ParametersNoSegments)
{
	with_scene([](Scene &s) {
		DAT_DTO_COOKIE cookie{};

		cookie.as_64 = 5;
		ok(dat_srq_post_recv(s.queue.srq(), 0, nullptr, cookie));
		ok(s.one.sender.send(Segments(), 1));
		s.one.taker.expect_recv(5, 0);
	});
}

TEST(DatSrqPostRecv, ParametersNumSegments)
{
	with_scene([](Scene &s) {
		std::vector<DAT_LMR_TRIPLET> segments(100, s.region.local(0, 8));
		const DAT_COUNT most = s.queue.query().max_recv_iov;

		for (DAT_COUNT count : { -1, INT32_MIN, most + 1, 100 })
			refused(dat_srq_post_recv(s.queue.srq(), count, segments.data(),
						  DAT_DTO_COOKIE{}),
				DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_srq_post_recv(s.queue.srq(), 1, nullptr, DAT_DTO_COOKIE{}),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		s.queue.require_counts(0, 0);
		ok(dat_srq_post_recv(s.queue.srq(), most, segments.data(), DAT_DTO_COOKIE{}));
		s.queue.require_counts(1, 1);
	});
}

/* The address and the context of a segment without a byte mean nothing. */
TEST(DatSrqPostRecv, DescriptionAnEmptySegmentMayNameNoMemory)
{
	with_scene([](Scene &s) {
		const DAT_LMR_TRIPLET segments[] = { {}, s.region.local(0, 64), {} };

		ok(s.queue.post(DAT_LMR_TRIPLET{}, 4));
		ok(s.queue.post(segments, 5));
		ok(s.one.sender.send(Segments(), 1));
		s.one.taker.expect_recv(4, 0);
		s.one.sender.expect_request(1, 0);
		s.one.send(s.region.local(4096, 64), 2);
		s.one.taker.expect_recv(5, 64);
	});
}

/* "used for the incoming message ... by any connected EP that uses SRQ" */
TEST(DatSrqPostRecv, DescriptionAnyConnectedEndpointMayTakeIt)
{
	with_scene([](Scene &s) {
		Taker two(s.adapter, s.queue);

		for (Taker *taker : { &two, &s.one }) {
			ok(s.queue.post(s.region.local(0, 64), 9));
			fill(s.region.bytes(4096, 64), 9);
			taker->send(s.region.local(4096, 64), 1);
			taker->taker.expect_recv(9, 64);
			require_pattern(s.region.bytes(0, 64), 9);
		}
		s.one.taker.recv_queue().require_empty();
	});
}

/* "all the front segments ... completely filled, only one segment is partially filled" */
TEST(DatSrqPostRecv, DescriptionSegmentsAreFilledInTheirOrder)
{
	with_scene([](Scene &s) {
		const DAT_LMR_TRIPLET segments[] = { s.region.local(300, 10), s.region.local(0, 20),
						     s.region.local(200, 30),
						     s.region.local(100, 40) };
		unsigned char *data = s.region.data();

		std::fill_n(data, 4096, 0xee);
		ok(s.queue.post(segments, 1));
		fill(s.region.bytes(4096, 35), 3);
		s.one.send(s.region.local(4096, 35), 2);
		s.one.taker.expect_recv(1, 35);
		EXPECT_TRUE(std::equal(data + 300, data + 310, data + 4096));
		EXPECT_TRUE(std::equal(data, data + 20, data + 4106));
		EXPECT_TRUE(std::equal(data + 200, data + 205, data + 4126));
		require_bytes(s.region.bytes(205, 25), 0xee);
		require_bytes(s.region.bytes(100, 40), 0xee);
		require_bytes(s.region.bytes(20, 80), 0xee);
		require_bytes(s.region.bytes(310, 100), 0xee);
	});
}

/* "user_cookie is returned"; "no requirement ... unique for each DTO"; "Can be NULL" */
TEST(DatSrqPostRecv, DescriptionTheCookieIsReturned)
{
	with_scene([](Scene &s) {
		for (DAT_UINT64 cookie :
		     { DAT_UINT64{ 7 }, DAT_UINT64{ 7 }, DAT_UINT64{ 0 }, ~DAT_UINT64{ 0 } })
			ok(s.queue.post(s.region.local(0, 64), cookie));
		for (DAT_UINT64 cookie :
		     { DAT_UINT64{ 7 }, DAT_UINT64{ 7 }, DAT_UINT64{ 0 }, ~DAT_UINT64{ 0 } }) {
			s.one.send(s.region.local(4096, 64), 1);
			s.one.taker.expect_recv(cookie, 64);
		}
	});
}

/* "based on the configuration of the EP ... and ... Solicited Wait for the matching Send" */
TEST(DatSrqPostRecv, DescriptionCompletionsAreSignalledWhateverTheSender)
{
	with_scene([](Scene &s) {
		const DAT_LMR_TRIPLET message = s.region.local(4096, 64);

		for (DAT_COMPLETION_FLAGS flags :
		     { DAT_COMPLETION_DEFAULT_FLAG, DAT_COMPLETION_SOLICITED_WAIT_FLAG,
		       DAT_COMPLETION_SUPPRESS_FLAG }) {
			ok(s.queue.post(s.region.local(0, 64), flags));
			ok(s.one.sender.send(Segments(&message, 1), 1, flags));
			/* This sleeps, if it comes too early, until it is told. */
			s.one.taker.expect_recv(flags, 64);
		}
	});
}

/* "ownership of the local_iov but not the memory ... after ... returns" */
TEST(DatSrqPostRecv, DescriptionTheListIsTheConsumersAgain)
{
	with_scene([](Scene &s) {
		DAT_LMR_TRIPLET list[2] = { s.region.local(0, 32), s.region.local(64, 32) };

		EXPECT_EQ(s.adapter.provider().iov_ownership_on_return, DAT_IOV_CONSUMER);
		ok(s.queue.post(list, 1));
		std::fill(std::begin(list), std::end(list), DAT_LMR_TRIPLET{});
		s.one.send(s.region.local(4096, 64), 2);
		s.one.taker.expect_recv(1, 64);
	});
}

/* "Providers shall avoid resource allocation as part of dat_srq_post_recv()" */
TEST(DatSrqPostRecv, DescriptionAllocatesNothing)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	with_scene([](Scene &s) {
		const std::size_t before = allocations();

		EXPECT_GT(before, 0U);
		for (DAT_UINT64 i = 0; i < 10; i++)
			ok(s.queue.post(s.region.local(0, 64), i));
		EXPECT_EQ(allocations(), before);
	});
}

/* "complete in the order of Send postings to the other endpoint" */
TEST(DatSrqPostRecv, DescriptionCompletesInTheOrderOfTheSends)
{
	with_scene([](Scene &s) {
		for (DAT_UINT64 i = 0; i < 10; i++)
			ok(s.queue.post(s.region.local(64 * i, 64), i));
		for (DAT_UINT64 i = 0; i < 10; i++)
			ok(s.one.sender.send(s.region.local(4096, 20 + i), i));
		for (DAT_UINT64 i = 0; i < 10; i++) {
			DAT_EVENT event = s.one.taker.recv_queue().expect(DAT_DTO_COMPLETION_EVENT);

			EXPECT_EQ(event.event_data.dto_completion_event_data.transfered_length,
				  20 + i);
		}
	});
}

/* "equivalent to what happened to the Receive posted to the Endpoint": when it fails */
TEST(DatSrqPostRecv, DescriptionAMessageThatIsTooLong)
{
	with_scene([](Scene &s) {
		ok(s.queue.post(s.region.local(0, 32), 1));
		ok(s.one.sender.send(s.region.local(4096, 64), 2));
		s.one.taker.expect_recv_failure(1, DAT_DTO_ERR_LOCAL_LENGTH);
		s.one.taker.expect_broken(s.adapter);
		s.one.sender.expect_end();
	});
}

/* "valid for all states of the Shared Receive Queue": also before any endpoint has it */
TEST(DatSrqPostRecv, DescriptionBeforeAnEndpointIsThere)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);

		ok(queue.post(region.local(0, 64), 3));
		queue.require_counts(1, 1);
		Taker one(adapter, queue);
		one.send(region.local(1024, 64), 1);
		one.taker.expect_recv(3, 64);
	});
}

/* How an endpoint takes receives, how a message was sent, and whether that ends a wait. */
struct Notification {
	DAT_COMPLETION_FLAGS style, send;
	bool notifies;
};

/* Behind it comes one that notifies in any case: how many does the wait find? */
void check_notification(const Notification &row)
{
	Adapter adapter;
	SharedQueue queue(adapter, 10);
	Taker one(adapter, queue, 64, row.style);

	for (DAT_UINT64 i = 1; i <= 2; i++)
		ok(queue.post(Segments(), i));
	EvdWait wait(one.taker.recv_queue().evd());
	one.send(1, row.send);
	if (row.notifies)
		ok(wait.result());
	one.send(2, DAT_COMPLETION_SOLICITED_WAIT_FLAG);
	if (!row.notifies)
		ok(wait.result());
	EXPECT_EQ(wait.event.event_data.dto_completion_event_data.user_cookie.as_64, 1u);
	EXPECT_EQ(wait.more, row.notifies ? 0 : 1);
	one.taker.expect_recv(2, 0);
}

/* "The configuration of the Recv Completion flag of an Endpoint that dequeues the posted buffer" */
TEST(DatSrqPostRecv, UsageNotificationByTheEndpointsAndTheSendersFlags)
{
	const DAT_COMPLETION_FLAGS none = DAT_COMPLETION_DEFAULT_FLAG;
	const DAT_COMPLETION_FLAGS every = DAT_COMPLETION_EVD_THRESHOLD_FLAG;
	const DAT_COMPLETION_FLAGS quiet = DAT_COMPLETION_UNSIGNALLED_FLAG;
	const DAT_COMPLETION_FLAGS solicited = DAT_COMPLETION_SOLICITED_WAIT_FLAG;

	for (const Notification &row : {
		     Notification{ none, none, true },
		     Notification{ none, solicited, true },
		     Notification{ quiet, none, true },
		     Notification{ quiet, solicited, true },
		     Notification{ every, none, true },
		     Notification{ every, solicited, true },
		     Notification{ solicited, none, false },
		     Notification{ solicited, solicited, true },
	     }) {
		/* siw does not tell them apart: every message wakes. */
		if (row.style == solicited && Adapter::iwarp())
			continue;
		play([&row](Line &) { check_notification(row); });
	}
}

/* "DAT_COMPLETION_EVD_THRESHOLD_FLAG ... threshold value controls if the waiter will be unblocked"
 */
TEST(DatSrqPostRecv, UsageTheThresholdControlsTheWait)
{
	play([](Line &) {
		Adapter adapter;
		SharedQueue queue(adapter, 10);
		Taker one(adapter, queue, 64, DAT_COMPLETION_EVD_THRESHOLD_FLAG);

		for (DAT_UINT64 i = 1; i <= 3; i++)
			ok(queue.post(Segments(), i));
		EvdWait wait(one.taker.recv_queue().evd(), 3);
		one.send(1);
		one.send(2);
		EXPECT_FALSE(wait.sleeper.over());
		one.send(3);
		ok(wait.result());
		EXPECT_EQ(wait.event.event_data.dto_completion_event_data.user_cookie.as_64, 1u);
		EXPECT_EQ(wait.more, 2);
		EXPECT_EQ(wait.sleeper.further_sleeps(), 0);
		one.taker.expect_recv(2, 0);
		one.taker.expect_recv(3, 0);
	});
}

/* "Only the Endpoint that is in Connected or Disconnect Pending states can dequeue" */
TEST(DatSrqPostRecv, UsageAnEndpointThatIsNotConnectedTakesNothing)
{
	with_scene([](Scene &s) {
		for (DAT_UINT64 i = 0; i < 5; i++)
			ok(s.queue.post(s.region.local(64 * i, 64), i));
		s.queue.require_counts(5, 5);
		s.one.end();
		s.queue.require_counts(5, 5);
		ok(dat_ep_reset(s.one.taker.ep()));
		s.queue.require_counts(5, 5);
		s.one.taker.recv_queue().require_empty();
		s.one.taker.free();
		s.queue.require_counts(5, 5);
	});
}

/* "or Disconnect Pending": a request that cannot end keeps the endpoint there */
TEST(DatSrqPostRecv, UsageAnEndpointThatIsDisconnectingStillTakes)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "a message without a receive ends the connection";
	with_scene([](Scene &s) {
		ok(s.queue.post(s.region.local(0, 64), 1));
		ok(s.one.taker.send(s.region.local(1024, 64), 2));
		ok(dat_ep_disconnect(s.one.taker.ep(), DAT_CLOSE_GRACEFUL_FLAG));
		s.one.taker.require_state(DAT_EP_STATE_DISCONNECT_PENDING);
		s.one.send(s.region.local(4096, 64), 3);
		s.one.taker.expect_recv(1, 64);
		s.one.taker.require_state(DAT_EP_STATE_DISCONNECT_PENDING);
		/* Now the request can end, and so can the connection. */
		ok(s.one.sender.recv(s.region.local(2048, 64), 4));
		s.one.taker.expect_request(2, 64);
		s.one.taker.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		s.one.sender.expect_end();
	});
}

/* "all the buffers that it dequeued from SRQ are queued on the Endpoint recv_evd" */
TEST(DatSrqPostRecv, UsageWhatAnEndpointTookIsOnItsQueueAfterTheEnd)
{
	with_scene([](Scene &s) {
		for (DAT_UINT64 i = 0; i < 5; i++)
			ok(s.queue.post(s.region.local(64 * i, 64), i));
		for (DAT_UINT64 i = 0; i < 3; i++)
			s.one.send(s.region.local(4096, 64), i);
		s.one.end();
		for (DAT_UINT64 i = 0; i < 3; i++)
			s.one.taker.expect_recv(i, 64);
		s.one.taker.recv_queue().require_empty();
		s.queue.require_counts(2, 2);
	});
}

TEST(DatSrqPostRecv, ReturnValuesInvalidHandle)
{
	with_scene([](Scene &s) {
		DAT_SRQ_HANDLE freed;
		DAT_SRQ_ATTR attributes = { 1, 1, DAT_SRQ_LW_DEFAULT };
		DAT_LMR_TRIPLET segment = s.region.local(0, 64);

		ok(dat_srq_create(s.adapter.ia(), s.adapter.pz(), &attributes, &freed));
		ok(dat_srq_free(freed));
		for (DAT_SRQ_HANDLE srq :
		     { freed, DAT_SRQ_HANDLE(DAT_HANDLE_NULL), DAT_SRQ_HANDLE(s.one.taker.ep()) })
			refused(dat_srq_post_recv(srq, 1, &segment, DAT_DTO_COOKIE{}),
				DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
	});
}

/* The queue is full: buffers count until their completions are taken. */
TEST(DatSrqPostRecv, ReturnValuesInsufficientResources)
{
	with_scene([](Scene &s) {
		const DAT_COUNT most = s.queue.query().max_recv_dtos;

		for (DAT_COUNT i = 0; i < most; i++)
			ok(s.queue.post(s.region.local(0, 64), 1));
		refused(s.queue.post(s.region.local(0, 64), 1), DAT_INSUFFICIENT_RESOURCES,
			DAT_RESOURCE_CREDITS);
		s.one.send(s.region.local(4096, 64), 2);
		DAT_EVENT event = s.one.taker.recv_queue().expect(DAT_DTO_COMPLETION_EVENT);
		EXPECT_EQ(event.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
		ok(s.queue.post(s.region.local(0, 64), 1));
	});
}

/* "one of the IOV segments pointed to a memory outside its LMR" */
TEST(DatSrqPostRecv, ReturnValuesInvalidParameterOutsideOfItsLmr)
{
	with_scene([](Scene &s) {
		DAT_LMR_TRIPLET segments[2] = { s.region.local(0, 64), s.region.local(64, 64) };
		const DAT_VADDR start = segments[0].virtual_address;
		const DAT_VLEN all = s.region.size();

		for (auto [address, length] : { std::pair<DAT_VADDR, DAT_VLEN>{ start - 1, 64 },
						{ start + all - 63, 64 },
						{ start + all, 1 },
						{ start, all + 1 },
						{ start, ~DAT_VLEN{ 0 } },
						{ ~DAT_VADDR{ 0 }, 1 } }) {
			segments[1].virtual_address = address;
			segments[1].segment_length = length;
			refused(s.queue.post(segments, 1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		}
		s.queue.require_counts(0, 0);
	});
}

/* "Protection Zone mismatch between an LMR ... and the SRQ" */
TEST(DatSrqPostRecv, ReturnValuesProtectionViolation)
{
	with_scene([](Scene &s) {
		DAT_PZ_HANDLE pz;

		ok(dat_pz_create(s.adapter.ia(), &pz));
		{
			Region foreign(s.adapter, 4096, all_privileges, pz);
			const DAT_LMR_TRIPLET segments[] = { s.region.local(0, 64),
							     foreign.local(0, 64) };

			refused(s.queue.post(segments, 1), DAT_PROTECTION_VIOLATION,
				DAT_PROTECTION_WRITE);
		}
		ok(dat_pz_free(pz));
		s.queue.require_counts(0, 0);
	});
}

/* "One of the LMRs used in local_iov was either invalid" */
TEST(DatSrqPostRecv, ReturnValuesPrivilegesViolationNoSuchLmr)
{
	with_scene([](Scene &s) {
		Region gone(s.adapter, 4096);
		const DAT_LMR_TRIPLET freed = gone.local(0, 64);
		DAT_LMR_TRIPLET random = s.region.local(0, 64);

		gone.free();
		random.lmr_context ^= 0x5a5a5a5a;
		for (const DAT_LMR_TRIPLET &invalid : { freed, random })
			refused(s.queue.post(invalid, 1), DAT_PRIVILEGES_VIOLATION,
				DAT_PRIVILEGES_WRITE);
		s.queue.require_counts(0, 0);
	});
}

/* "or did not have the local write privileges" */
TEST(DatSrqPostRecv, ReturnValuesPrivilegesViolationNoLocalWrite)
{
	with_scene([](Scene &s) {
		for (DAT_MEM_PRIV_FLAGS privileges :
		     { DAT_MEM_PRIV_NONE_FLAG, DAT_MEM_PRIV_LOCAL_READ_FLAG,
		       DAT_MEM_PRIV_REMOTE_READ_FLAG, DAT_MEM_PRIV_REMOTE_WRITE_FLAG }) {
			Region region(s.adapter, 4096, privileges);

			refused(s.queue.post(region.local(0, 64), 1), DAT_PRIVILEGES_VIOLATION,
				DAT_PRIVILEGES_WRITE);
		}
		s.queue.require_counts(0, 0);
		Region writable(s.adapter, 4096, DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
		ok(s.queue.post(writable.local(0, 64), 1));
		s.one.send(s.region.local(0, 64), 2);
		s.one.taker.expect_recv(1, 64);
	});
}

} // namespace
} // namespace suite

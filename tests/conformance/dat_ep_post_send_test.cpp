// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_post_send(3DAT)

#include "posting.hpp"

#include <algorithm>

namespace suite {
namespace {

void with_send(void (*body)(PostScene &))
{
	with_post(Transfer::send, body);
}

/* "segments are traversed in the I/O Vector order until all the data is transferred" */
TEST(DatEpPostSend, DescriptionSegmentsAreTraversedInTheirOrder)
{
	with_send([](PostScene &s) {
		DAT_LMR_TRIPLET list[] = { s.region.local(3000, 10), s.region.local(0, 20),
					   s.region.local(1000, 30) };
		const unsigned char *from = s.region.data(), *to = s.far.data();

		fill(s.region.bytes(0, 4096), 1);
		ok(s.pair.passive.recv(s.far.local(0, 4096), 2));
		s.call.iov = list;
		s.call.count = 3;
		ok(s.call());
		s.pair.passive.expect_recv(2, 60);
		EXPECT_TRUE(std::equal(to, to + 10, from + 3000));
		EXPECT_TRUE(std::equal(to + 10, to + 30, from));
		EXPECT_TRUE(std::equal(to + 30, to + 60, from + 1000));
		s.pair.active.expect_request(1, 60);
	});
}

/* A message of nothing has no segments, or empty ones. */
TEST(DatEpPostSend, DescriptionAMessageOfNothing)
{
	with_send([](PostScene &s) {
		ok(s.pair.passive.recv(s.far.local(0, 64), 2));
		s.segment.segment_length = 0;
		ok(s.call());
		s.pair.passive.expect_recv(2, 0);
		s.pair.active.expect_request(1, 0);
		ok(s.pair.passive.recv(s.far.local(0, 64), 3));
		s.call.count = 0;
		s.call.iov = nullptr;
		ok(s.call());
		s.pair.passive.expect_recv(3, 0);
		s.pair.active.expect_request(1, 0);
	});
}

/* The address and the context of a segment without a byte mean nothing. */
TEST(DatEpPostSend, DescriptionAnEmptySegmentMayNameNoMemory)
{
	with_send([](PostScene &s) {
		const std::array iov = { DAT_LMR_TRIPLET{}, s.segment, DAT_LMR_TRIPLET{} };

		ok(s.pair.passive.recv(DAT_LMR_TRIPLET{}, 2));
		s.call.count = 1;
		s.call.iov = const_cast<DAT_LMR_TRIPLET *>(iov.data());
		ok(s.call());
		s.pair.passive.expect_recv(2, 0);
		s.pair.active.expect_request(1, 0);
		const std::array room = { DAT_LMR_TRIPLET{}, s.far.local(0, 64) };
		ok(s.pair.passive.recv(room, 3));
		s.call.count = 3;
		ok(s.call());
		s.pair.passive.expect_recv(3, s.segment.segment_length);
		s.pair.active.expect_request(1, s.segment.segment_length);
	});
}

/* "Consumers to get ownership of the local_iov back after the dat_ep_post_send() returns" */
TEST(DatEpPostSend, DescriptionTheListIsTheConsumersAgain)
{
	with_send([](PostScene &s) {
		ok(s.pair.passive.recv(s.far.local(0, 64), 2));
		ok(s.call());
		s.segment = {};
		s.pair.passive.expect_recv(2, 64);
		s.pair.active.expect_request(1, 64);
	});
}

/* "reported ... through a DTO Completion event based on the specified completion_flags" */
TEST(DatEpPostSend, DescriptionASuppressedCompletionIsNotReported)
{
	with_send([](PostScene &s) {
		for (DAT_UINT64 i = 0; i < 2; i++)
			ok(s.pair.passive.recv(s.far.local(0, 64), i));
		s.call.flags = DAT_COMPLETION_SUPPRESS_FLAG;
		ok(s.call());
		s.call.flags = DAT_COMPLETION_DEFAULT_FLAG;
		s.call.cookie = 2;
		ok(s.call());
		s.pair.active.expect_request(2, 64);
		s.pair.active.request_queue().require_empty();
		s.pair.passive.expect_recv(0, 64);
		s.pair.passive.expect_recv(1, 64);
	});
}

/* ... but a failure is. */
TEST(DatEpPostSend, DescriptionASuppressedFailureIsReported)
{
	with_send([](PostScene &s) {
		s.call.flags = DAT_COMPLETION_SUPPRESS_FLAG;
		check_flushed(s);
	});
}

/* The other flags of a request. */
TEST(DatEpPostSend, DescriptionFlagsThatARequestMayHave)
{
	with_send([](PostScene &s) {
		for (unsigned flags :
		     { DAT_COMPLETION_SOLICITED_WAIT_FLAG, DAT_COMPLETION_BARRIER_FENCE_FLAG }) {
			ok(s.pair.passive.recv(s.far.local(0, 64), 2));
			s.call.flags = flags;
			ok(s.call());
			s.pair.passive.expect_recv(2, 64);
			s.pair.active.expect_request(1, 64);
		}
		for (unsigned flags : { 0x20U, 0x400U }) {
			s.call.flags = flags;
			refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
		}
		s.require_no_effect();
	});
}

TEST(DatEpPostSend, DescriptionUnsignalledIsNotThisEndpoints)
{
	with_send(check_unsignalled);
}

TEST(DatEpPostSend, DescriptionTheCookieIsReturned)
{
	with_send([](PostScene &s) {
		for (DAT_UINT64 i = 0; i < 3; i++)
			ok(s.pair.passive.recv(s.far.local(0, 64), i));
		check_cookies(s, [] {});
	});
}

TEST(DatEpPostSend, DescriptionAllocatesNothing)
{
	check_allocates_nothing(Transfer::send);
}

TEST(DatEpPostSend, DescriptionIsFlushedInDisconnected)
{
	with_send(check_flushed);
}

TEST(DatEpPostSend, ReturnValuesInsufficientResources)
{
	check_full_request_queue(Transfer::send);
}

TEST(DatEpPostSend, ReturnValuesInvalidParameterNumSegments)
{
	with_send(check_num_segments);
}

TEST(DatEpPostSend, ReturnValuesInvalidParameterOutsideOfItsLmr)
{
	with_send(check_outside_of_lmr);
}

/* More than the attribute max_message_size of the endpoint. */
TEST(DatEpPostSend, ReturnValuesInvalidParameterMessageSize)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);
		DAT_EP_PARAM param{};

		pair.active.end_and_reset(DAT_CLOSE_ABRUPT_FLAG);
		pair.passive.expect_end();
		ok(dat_ep_reset(pair.passive.ep()));
		param.ep_attr.max_message_size = 100;
		ok(dat_ep_modify(pair.active.ep(), DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE, &param));
		pair.connect(adapter);
		refused(pair.active.send(region.local(0, 101), 1), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG3);
		ok(pair.passive.recv(region.local(1024, 100), 1));
		ok(pair.active.send(region.local(0, 100), 2));
		pair.passive.expect_recv(1, 100);
	});
}

TEST(DatEpPostSend, ReturnValuesInvalidHandle)
{
	with_send(check_invalid_handle);
}

TEST(DatEpPostSend, ReturnValuesInvalidState)
{
	with_send(check_request_states);
}

TEST(DatEpPostSend, ReturnValuesProtectionViolation)
{
	with_send(check_protection);
}

TEST(DatEpPostSend, ReturnValuesPrivilegesViolation)
{
	with_send(check_privileges);
}

/* "the local read privileges" suffice */
TEST(DatEpPostSend, ReturnValuesLocalReadSuffices)
{
	with_send([](PostScene &s) {
		Region readable(s.adapter, 4096, DAT_MEM_PRIV_LOCAL_READ_FLAG);

		ok(s.pair.passive.recv(s.far.local(0, 64), 2));
		s.segment = readable.local(0, 64);
		ok(s.call());
		s.pair.passive.expect_recv(2, 64);
		s.pair.active.expect_request(1, 64);
	});
}

/* "DAT_COMPLETION_UNSIGNALLED_FLAG": a completion that notifies nobody */
TEST(DatEpPostSend, DescriptionAnUnsignalledCompletionEndsNoWait)
{
	check_quiet_transfer(Transfer::send);
}

} // namespace
} // namespace suite

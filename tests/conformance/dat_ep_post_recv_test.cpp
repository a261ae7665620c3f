// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_post_recv(3DAT)

#include "posting.hpp"
#include "shared_queue.hpp"
#include "sleeper.hpp"

#include <algorithm>

namespace suite {
namespace {

void with_recv(void (*body)(PostScene &))
{
	with_post(Transfer::recv, body);
}

/* The posting end is the active one, which on iWARP sends first. */
void send_back(PostScene &s, std::size_t length, Location where = Location::current())
{
	ok(s.pair.passive.send(s.far.local(0, length), 9), where);
	s.pair.passive.expect_request(9, length, where);
}

/* "front segments ... completely filled, only one segment is partially filled" */
TEST(DatEpPostRecv, DescriptionSegmentsAreFilledInTheirOrder)
{
	with_recv([](PostScene &s) {
		DAT_LMR_TRIPLET list[] = { s.region.local(300, 10), s.region.local(0, 20),
					   s.region.local(200, 30), s.region.local(100, 40) };
		unsigned char *data = s.region.data();

		s.pair.settle();
		std::fill_n(data, 4096, 0xee);
		fill(s.far.bytes(0, 35), 3);
		s.call.iov = list;
		s.call.count = 4;
		ok(s.call());
		send_back(s, 35);
		s.pair.active.expect_recv(1, 35);
		EXPECT_TRUE(std::equal(data + 300, data + 310, s.far.data()));
		EXPECT_TRUE(std::equal(data, data + 20, s.far.data() + 10));
		EXPECT_TRUE(std::equal(data + 200, data + 205, s.far.data() + 30));
		require_bytes(s.region.bytes(205, 25), 0xee);
		require_bytes(s.region.bytes(100, 40), 0xee);
	});
}

TEST(DatEpPostRecv, DescriptionTheCookieIsReturned)
{
	with_recv([](PostScene &s) {
		s.pair.settle();
		check_cookies(s, [&] { send_back(s, 64); });
	});
}

/* "ownership of the local_iov back ... after the dat_ep_post_recv() returns" */
TEST(DatEpPostRecv, DescriptionTheListIsTheConsumersAgain)
{
	with_recv([](PostScene &s) {
		s.pair.settle();
		ok(s.call());
		s.segment = {};
		send_back(s, 64);
		s.pair.active.expect_recv(1, 64);
	});
}

/* "based on the configuration ... for Solicited Wait and the ... matching Send" */
TEST(DatEpPostRecv, DescriptionCompletesWhateverTheSendersFlags)
{
	with_recv([](PostScene &s) {
		const DAT_LMR_TRIPLET message = s.far.local(0, 64);

		s.pair.settle();
		for (DAT_COMPLETION_FLAGS flags :
		     { DAT_COMPLETION_DEFAULT_FLAG, DAT_COMPLETION_SOLICITED_WAIT_FLAG,
		       DAT_COMPLETION_SUPPRESS_FLAG, DAT_COMPLETION_BARRIER_FENCE_FLAG }) {
			ok(s.call());
			ok(s.pair.passive.send(Segments(&message, 1), 2, flags));
			s.pair.active.expect_recv(1, 64);
		}
	});
}

/* How a receive and its message were posted, and whether that ends a wait. */
struct Notification {
	DAT_COMPLETION_FLAGS style, recv, send;
	bool notifies;
};

/* Behind it comes one that notifies in any case: how many does the wait find? */
void check_notification(const Notification &row)
{
	const bool quiet = row.style == DAT_COMPLETION_UNSIGNALLED_FLAG;
	Adapter adapter;
	Pair pair(adapter, { .recv_style = row.style, .dto_streams = DAT_EVD_DTO_FLAG });
	DAT_DTO_COOKIE cookie{ .as_64 = 1 };

	ok(dat_ep_post_recv(pair.passive.ep(), 0, nullptr, cookie, row.recv));
	ok(pair.passive.recv(Segments(), 2));
	EvdWait wait(pair.passive.recv_queue().evd());
	ok(pair.active.send(Segments(), 1, row.send));
	pair.active.expect_request(1, 0);
	if (row.notifies)
		ok(wait.result());
	ok(pair.active.send(Segments(), 2,
			    quiet ? DAT_COMPLETION_DEFAULT_FLAG :
				    DAT_COMPLETION_SOLICITED_WAIT_FLAG));
	pair.active.expect_request(2, 0);
	if (!row.notifies)
		ok(wait.result());
	EXPECT_EQ(wait.event.event_data.dto_completion_event_data.user_cookie.as_64, 1u);
	EXPECT_EQ(wait.more, row.notifies ? 0 : 1);
	pair.passive.expect_recv(2, 0);
}

/* "Non-notification completion", and "matching Send" for Solicited Wait */
TEST(DatEpPostRecv, DescriptionNotificationByBothSidesFlags)
{
	const DAT_COMPLETION_FLAGS none = DAT_COMPLETION_DEFAULT_FLAG;
	const DAT_COMPLETION_FLAGS every = DAT_COMPLETION_EVD_THRESHOLD_FLAG;
	const DAT_COMPLETION_FLAGS quiet = DAT_COMPLETION_UNSIGNALLED_FLAG;
	const DAT_COMPLETION_FLAGS solicited = DAT_COMPLETION_SOLICITED_WAIT_FLAG;

	for (const Notification &row : {
		     Notification{ none, none, none, true },
		     Notification{ every, none, none, true },
		     Notification{ every, none, solicited, true },
		     Notification{ quiet, none, none, true },
		     Notification{ quiet, quiet, none, false },
		     Notification{ quiet, quiet, solicited, false },
		     Notification{ solicited, none, none, false },
		     Notification{ solicited, none, solicited, true },
	     }) {
		/* siw does not tell them apart: every message wakes. */
		if (row.style == solicited && Adapter::iwarp())
			continue;
		play([&row](Line &) { check_notification(row); });
	}
}

TEST(DatEpPostRecv, DescriptionUnsignalledIsNotThisEndpoints)
{
	with_recv(check_unsignalled);
}

/* "Recv posting does not support" (dat_ep_modify) what is a request's */
TEST(DatEpPostRecv, DescriptionFlagsOfRequestsAreInvalid)
{
	with_recv([](PostScene &s) {
		for (unsigned flags :
		     { DAT_COMPLETION_SUPPRESS_FLAG, DAT_COMPLETION_BARRIER_FENCE_FLAG }) {
			s.call.flags = flags;
			refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
		}
		s.require_no_effect();
	});
}

/* "size of an incoming message is larger ... DAT_DTO_LENGTH_ERROR" */
TEST(DatEpPostRecv, DescriptionAMessageThatIsTooLong)
{
	with_recv([](PostScene &s) {
		s.pair.settle();
		ok(s.call());
		ok(s.pair.passive.send(s.far.local(0, 65), 2));
		s.pair.active.expect_recv_failure(1, DAT_DTO_LENGTH_ERROR);
		s.pair.active.expect_broken(s.adapter);
		s.pair.passive.expect_end();
	});
}

/* "The operation is valid for all states of the Endpoint." */
TEST(DatEpPostRecv, DescriptionIsValidInAllStates)
{
	with_recv([](PostScene &s) {
		in_every_state(s.adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE) {
			s.call.ep = ep;
			ok(s.call());
		});
	});
}

/* "The actual data transfer does not take place until ... CONNECTED" */
TEST(DatEpPostRecv, DescriptionPostedBeforeTheConnection)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		Region region(adapter, 4096);

		ok(passive.recv(region.local(0, 64), 1));
		ok(active.connect(adapter.address(), listener.qual()));
		passive.recv_queue().require_empty();
		listener.accept(passive);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		passive.recv_queue().require_empty();
		ok(active.send(region.local(64, 64), 2));
		passive.expect_recv(1, 64);
	});
}

TEST(DatEpPostRecv, DescriptionAllocatesNothing)
{
	check_allocates_nothing(Transfer::recv);
}

TEST(DatEpPostRecv, DescriptionIsFlushedInDisconnected)
{
	with_recv(check_flushed);
}

/* "due to resource limitations": more than max_recv_dtos */
TEST(DatEpPostRecv, ReturnValuesInsufficientResources)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter, { .recvs = 8 });
		Region region(adapter, 4096);

		for (DAT_UINT64 i = 0; i < 8; i++)
			ok(endpoint.recv(region.local(0, 64), i));
		refused(endpoint.recv(region.local(0, 64), 8), DAT_INSUFFICIENT_RESOURCES,
			DAT_RESOURCE_CREDITS);
	});
}

TEST(DatEpPostRecv, ReturnValuesInvalidParameterNumSegments)
{
	with_recv(check_num_segments);
}

TEST(DatEpPostRecv, ReturnValuesInvalidParameterOutsideOfItsLmr)
{
	with_recv(check_outside_of_lmr);
}

TEST(DatEpPostRecv, ReturnValuesInvalidHandle)
{
	with_recv(check_invalid_handle);
}

TEST(DatEpPostRecv, ReturnValuesProtectionViolation)
{
	with_recv(check_protection);
}

/* The page says local read; what is needed is local write. */
TEST(DatEpPostRecv, ReturnValuesPrivilegesViolation)
{
	with_recv(check_privileges);
}

TEST(DatEpPostRecv, ReturnValuesLocalWriteSuffices)
{
	with_recv([](PostScene &s) {
		Region writable(s.adapter, 4096, DAT_MEM_PRIV_LOCAL_WRITE_FLAG);

		s.pair.settle();
		s.segment = writable.local(0, 64);
		ok(s.call());
		send_back(s, 64);
		s.pair.active.expect_recv(1, 64);
	});
}

/* "Receive buffers cannot be posted" (dat_ep_create_with_srq) to an EP with an SRQ */
TEST(DatEpPostRecv, ReturnValuesInvalidStateWithAnSrq)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Endpoint endpoint(adapter, { .srq = queue.srq() });

		refused(endpoint.recv(region.local(0, 64), 1), DAT_INVALID_STATE,
			DAT_INVALID_STATE_SRQ_IN_USE);
	});
}

} // namespace
} // namespace suite

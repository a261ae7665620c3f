// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Requests that one service point hands to another. */

#include "pair.hpp"
#include "play.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace suite {
namespace {

constexpr std::string_view greeting = "for whom it may concern";

void require_greeting(DAT_CR_HANDLE request, Location where = Location::current())
{
	DAT_CR_PARAM param;

	ok(dat_cr_query(request, DAT_CR_FIELD_ALL, &param), where);
	require(param.private_data_size >= static_cast<DAT_COUNT>(greeting.size()) &&
			std::string_view(static_cast<char *>(param.private_data),
					 greeting.size()) == greeting,
		"private data changed", where);
}

void require_dead(DAT_CR_HANDLE request, Location where = Location::current())
{
	DAT_CR_PARAM param;

	fails(DAT_INVALID_HANDLE, dat_cr_query(request, DAT_CR_FIELD_ALL, &param), where);
	fails(DAT_INVALID_HANDLE, dat_cr_handoff(request, 4711), where);
	fails(DAT_INVALID_HANDLE, dat_cr_reject(request), where);
}

/** Connects to a listener of this program, and hands the request on. */
void hand_on(Adapter &adapter, Listener &listener, Endpoint &caller, DAT_CONN_QUAL other,
	     Location where = Location::current())
{
	ok(caller.connect(adapter.address(), listener.qual(), greeting), where);
	DAT_CR_HANDLE request = listener.request(where);
	require_greeting(request, where);
	ok(dat_cr_handoff(request, other), where);
	require_dead(request, where);
}

/**
 * Takes a request that was handed on and one message over its connection, which stays
 * until the sender has its completion: over siw that fails when the peer goes meanwhile.
 */
void take_over(Line &line, Adapter &adapter, Listener &listener,
	       Location where = Location::current())
{
	Endpoint endpoint(adapter);
	Region region(adapter, 4096);

	DAT_CR_HANDLE request = listener.request(where);
	require_greeting(request, where);
	ok(endpoint.recv(region.local(0, 4096), 5), where);
	ok(accept_request(request, endpoint), where);
	endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED, where);
	endpoint.expect_recv(5, 1000, where);
	require_pattern(region.bytes(0, 1000), 3, where);
	listener.queue().require_empty(where);
	line.meet(where);
}

void send_message(Adapter &adapter, Endpoint &caller)
{
	Region region(adapter, 4096);

	caller.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	fill(region.bytes(0, 1000), 3);
	ok(caller.send(region.local(0, 1000), 1));
	caller.expect_request(1, 1000);
}

TEST(Handoff, ToAnotherProgram)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint caller(adapter);

			hand_on(adapter, listener, caller, line.receive<DAT_CONN_QUAL>());
			send_message(adapter, caller);
			listener.queue().require_empty();
			line.meet();
		},
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);

			line.send(listener.qual());
			take_over(line, adapter, listener);
		});
}

TEST(Handoff, TheGiverMayGo)
{
	play(
		[](Line &line) {
			DAT_CONN_QUAL other = line.receive<DAT_CONN_QUAL>();
			Adapter calling;
			Endpoint caller(calling);
			{
				Adapter adapter;
				Listener listener(adapter);

				hand_on(adapter, listener, caller, other);
			}
			line.tell();
			send_message(calling, caller);
			line.meet();
		},
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);

			line.send(listener.qual());
			line.await();
			take_over(line, adapter, listener);
		});
}

TEST(Handoff, TheTakerRejects)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint caller(adapter);

			hand_on(adapter, listener, caller, line.receive<DAT_CONN_QUAL>());
			caller.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		},
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);

			line.send(listener.qual());
			ok(dat_cr_reject(listener.request()));
			line.await_end();
		});
}

/* The other program goes with the request undecided, its event even unread. */
TEST(Handoff, TheTakerGoes)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint caller(adapter);

			hand_on(adapter, listener, caller, line.receive<DAT_CONN_QUAL>());
			line.tell();
			caller.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		},
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);

			line.send(listener.qual());
			line.await();
		});
}

/* A handoff that fails has no effect. */
TEST(Handoff, ToNobody)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint caller(adapter), passive(adapter);
		DAT_CONN_QUAL nobody = Listener(adapter).qual();

		fails(DAT_INVALID_HANDLE, dat_cr_handoff(listener.psp(), nobody));
		ok(caller.connect(adapter.address(), listener.qual(), greeting));
		DAT_CR_HANDLE request = listener.request();
		for (DAT_CONN_QUAL qual : { nobody, listener.qual(), DAT_CONN_QUAL(0) })
			fails(DAT_INVALID_PARAMETER, dat_cr_handoff(request, qual));
		require_greeting(request);
		ok(accept_request(request, passive));
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		caller.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

TEST(Handoff, FromAndToReservedOnes)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 8, DAT_EVD_CR_FLAG);
		Endpoint caller(adapter), first(adapter), second(adapter), late(adapter);
		DAT_CONN_QUAL quals[2] = { Listener(adapter).qual(), Listener(adapter).qual() };
		DAT_RSP_HANDLE rsps[2];

		ok(dat_rsp_create(adapter.ia(), quals[0], first.ep(), queue.evd(), &rsps[0]));
		while (quals[1] == quals[0])
			quals[1] = Listener(adapter).qual();
		ok(dat_rsp_create(adapter.ia(), quals[1], second.ep(), queue.evd(), &rsps[1]));
		ok(caller.connect(adapter.address(), quals[0], greeting));
		DAT_EVENT event = queue.expect(DAT_CONNECTION_REQUEST_EVENT);
		ok(dat_cr_handoff(event.event_data.cr_arrival_event_data.cr_handle, quals[1]));
		first.require_state(DAT_EP_STATE_UNCONNECTED);
		second.require_state(DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);

		event = queue.expect(DAT_CONNECTION_REQUEST_EVENT);
		const auto &data = event.event_data.cr_arrival_event_data;
		EXPECT_EQ(data.sp_handle.rsp_handle, rsps[1]);
		EXPECT_EQ(data.conn_qual, quals[1]);
		require_greeting(data.cr_handle);

		/* It has had its one request. */
		Listener listener(adapter);
		ok(late.connect(adapter.address(), listener.qual()));
		DAT_CR_HANDLE refused = listener.request();
		fails(DAT_INSUFFICIENT_RESOURCES, dat_cr_handoff(refused, quals[1]));
		ok(dat_cr_reject(refused));
		late.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);

		ok(dat_cr_accept(data.cr_handle, DAT_HANDLE_NULL, 0, nullptr));
		second.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		caller.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		for (DAT_RSP_HANDLE rsp : rsps)
			ok(dat_rsp_free(rsp));
	});
}

/* ---- between users ---- */

constexpr uid_t some_user = 4711, other_user = 4712;

void become(uid_t user)
{
	sys(chmod("/dev/kdapl", 0666));
	if (user)
		sys(setresuid(user, user, user));
}

/** A program of one user hands a request to one of another's. */
void play_users(uid_t giver, uid_t taker, bool allowed)
{
	play(
		[=](Line &line) {
			become(giver);
			Adapter adapter;
			Listener listener(adapter);
			Endpoint caller(adapter);
			auto other = line.receive<DAT_CONN_QUAL>();

			if (allowed) {
				hand_on(adapter, listener, caller, other);
				line.meet();
				caller.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
				return;
			}
			ok(caller.connect(adapter.address(), listener.qual(), greeting));
			DAT_CR_HANDLE request = listener.request();
			fails(DAT_INVALID_PARAMETER, dat_cr_handoff(request, other));
			line.meet();
			ok(dat_cr_reject(request));
			caller.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		},
		[=](Line &line) {
			become(taker);
			Adapter adapter;
			Listener listener(adapter);

			line.send(listener.qual());
			line.meet();
			if (allowed)
				ok(dat_cr_reject(listener.request()));
			else
				listener.queue().require_empty();
		});
}

TEST(Handoff, NotToAnotherUser)
{
	play_users(some_user, other_user, false);
	play_users(some_user, 0, false);
}

TEST(Handoff, ToTheSameUserOrByAPrivilegedOne)
{
	play_users(some_user, some_user, true);
	play_users(0, some_user, true);
}

} // namespace
} // namespace suite

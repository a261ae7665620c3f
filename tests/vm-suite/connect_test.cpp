// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How connections come about, and how they do not. */

#include "pair.hpp"
#include "play.hpp"
#include "private_data.hpp"
#include "settings.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <set>

namespace suite {
namespace {

using Clock = std::chrono::steady_clock;

DAT_CR_PARAM query(DAT_CR_HANDLE request)
{
	DAT_CR_PARAM param;

	ok(dat_cr_query(request, DAT_CR_FIELD_ALL, &param));
	return param;
}

void accept_with_private_data(Listener &listener, Endpoint &endpoint, std::string_view expected,
			      std::string_view answer)
{
	DAT_CR_HANDLE request = listener.request();
	DAT_CR_PARAM param = query(request);

	require_private_data(param.private_data, param.private_data_size, expected);
	require(param.local_ep_handle == DAT_HANDLE_NULL, "a PSP's request carries an EP");
	ok(accept_request(request, endpoint, answer));
	endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	fails(DAT_INVALID_HANDLE, dat_cr_query(request, DAT_CR_FIELD_ALL, &param));
}

TEST(Connect, PrivateDataGoesBothWays)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);

			line.send(listener.qual());
			accept_with_private_data(listener, endpoint, "a request", "an acceptance");
			endpoint.require_state(DAT_EP_STATE_CONNECTED);
			line.meet();
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);

			ok(endpoint.connect(adapter.address(), line.receive<DAT_CONN_QUAL>(),
					    "a request"));
			auto data = endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			require_private_data(data.private_data, data.private_data_size,
					     "an acceptance");
			endpoint.require_state(DAT_EP_STATE_CONNECTED);
			line.meet();
		});
}

/* None, one byte, all that the provider promises; one more is refused. */
TEST(Connect, PrivateDataOfEveryLength)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		auto most = static_cast<std::size_t>(adapter.provider().max_private_data_size);

		EXPECT_GE(most, adapter.iwarp() ? 64U : 56U);
		for (std::size_t size : { std::size_t(0), std::size_t(1), most }) {
			Endpoint active(adapter), passive(adapter);
			std::string data(size, 'x');

			ok(active.connect(adapter.address(), listener.qual(), data));
			accept_with_private_data(listener, passive, data, data);
			auto answer = active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			require_private_data(answer.private_data, answer.private_data_size, data);
		}

		Endpoint endpoint(adapter);
		fails(DAT_INVALID_PARAMETER, endpoint.connect(adapter.address(), listener.qual(),
							      std::string(most + 1, 'x')));
		endpoint.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

TEST(Connect, RequestTellsWhoAsks)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);

		ok(active.connect(adapter.address(), listener.qual()));
		DAT_EVENT event = listener.queue().expect(DAT_CONNECTION_REQUEST_EVENT);
		const DAT_CR_ARRIVAL_EVENT_DATA &arrival = event.event_data.cr_arrival_event_data;
		EXPECT_EQ(arrival.sp_handle.psp_handle, listener.psp());
		EXPECT_EQ(arrival.conn_qual, listener.qual());
		EXPECT_EQ(std::memcmp(arrival.local_ia_address_ptr, adapter.address(),
				      sizeof(DAT_SOCK_ADDR)),
			  0);
		auto remote = reinterpret_cast<sockaddr_in *>(
			query(arrival.cr_handle).remote_ia_address_ptr);
		auto own = reinterpret_cast<sockaddr_in *>(adapter.address());
		EXPECT_EQ(remote->sin_family, AF_INET);
		EXPECT_EQ(remote->sin_addr.s_addr, own->sin_addr.s_addr);

		ok(accept_request(arrival.cr_handle, passive));
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		DAT_EP_PARAM param;
		ok(dat_ep_query(active.ep(), DAT_EP_FIELD_ALL, &param));
		EXPECT_EQ(param.ep_state, DAT_EP_STATE_CONNECTED);
		auto peer = reinterpret_cast<sockaddr_in *>(param.remote_ia_address_ptr);
		EXPECT_EQ(peer->sin_addr.s_addr, own->sin_addr.s_addr);
	});
}

/* The passive side may send as soon as it is connected; on iWARP it may not. */
TEST(Connect, ThePassiveSideSpeaksFirst)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "MPA: the side that connected must send first";
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);

		for (DAT_UINT64 round = 0; round < scaled(400) + 20; round++) {
			ok(active.recv(Segments(), round));
			ok(active.connect(adapter.address(), listener.qual()));
			listener.accept(passive);
			ok(passive.send(Segments(), round));
			active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			active.expect_recv(round, 0);
			passive.expect_request(round, 0);
			active.end_and_reset(DAT_CLOSE_GRACEFUL_FLAG);
			passive.end_and_reset(DAT_CLOSE_ABRUPT_FLAG);
		}
	});
}

TEST(Connect, RejectedThenAccepted)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);

			line.send(listener.qual());
			for (int i = 0; i < 3; i++) {
				DAT_CR_HANDLE request = listener.request();
				ok(dat_cr_reject(request));
				fails(DAT_INVALID_HANDLE, dat_cr_reject(request));
			}
			endpoint.require_state(DAT_EP_STATE_UNCONNECTED);
			listener.accept(endpoint);
			line.meet();
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);
			auto qual = line.receive<DAT_CONN_QUAL>();

			for (int i = 0; i < 3; i++) {
				ok(endpoint.connect(adapter.address(), qual));
				endpoint.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
				endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
				ok(dat_ep_reset(endpoint.ep()));
			}
			ok(endpoint.connect(adapter.address(), qual));
			endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			line.meet();
		});
}

TEST(Connect, NobodyListens)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		DAT_CONN_QUAL qual;
		{
			Listener listener(adapter);
			qual = listener.qual();
		}

		ok(endpoint.connect(adapter.address(), qual));
		endpoint.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* There is no route to this address: it is reserved for documents. */
TEST(Connect, NoRoute)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		sockaddr_in address{};

		address.sin_family = AF_INET;
		inet_pton(AF_INET, "192.0.2.1", &address.sin_addr);
		ok(endpoint.connect(reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address), 4711));
		endpoint.expect_connection(DAT_CONNECTION_EVENT_UNREACHABLE);
		endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

TEST(Connect, NoRouteByIPv6)
{
	if (!std::getenv("KDAPL_ADDR6"))
		GTEST_SKIP() << "KDAPL_ADDR6 is not set: the adapter's IPv6 address";
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		sockaddr_in6 address{};

		address.sin6_family = AF_INET6;
		inet_pton(AF_INET6, "2001:db8::1", &address.sin6_addr);
		ok(endpoint.connect(reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address), 4711));
		endpoint.expect_connection(DAT_CONNECTION_EVENT_UNREACHABLE);
		endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

TEST(Connect, BadAddress)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		sockaddr_storage address{};

		fails(DAT_INVALID_PARAMETER, endpoint.connect(nullptr, 4711));
		address.ss_family = AF_UNIX;
		fails(DAT_INVALID_ADDRESS,
		      endpoint.connect(reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address), 4711));
		endpoint.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

/* Routed to the adapter's own network, where nobody has the address. */
TEST(Connect, AbsentHostTimesOut)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		sockaddr_in address = *reinterpret_cast<sockaddr_in *>(adapter.address());

		address.sin_addr.s_addr = htonl((ntohl(address.sin_addr.s_addr) & ~0xffU) | 0x63);
		ok(endpoint.connect(reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address), 4711, {},
				    2'000'000));
		endpoint.require_state(DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
		auto begin = Clock::now();
		endpoint.expect_connection(DAT_CONNECTION_EVENT_TIMED_OUT);
		EXPECT_LT(Clock::now() - begin, std::chrono::seconds(15));
		endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* The peer lives and listens, but its program does not answer. */
TEST(Connect, UnansweredTimesOut)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		auto begin = Clock::now();

		/* Long enough for the request to come. */
		ok(active.connect(adapter.address(), listener.qual(), {}, 2'000'000));
		DAT_CR_HANDLE request = listener.request();
		active.expect_connection(DAT_CONNECTION_EVENT_TIMED_OUT);
		EXPECT_GE(Clock::now() - begin, std::chrono::seconds(2));
		EXPECT_LT(Clock::now() - begin, std::chrono::seconds(15));
		active.require_state(DAT_EP_STATE_DISCONNECTED);

		/*
		 * Too late, which the acceptor learns by an event. On iWARP the TCP
		 * connection is still there, so first it succeeds.
		 */
		ok(accept_request(request, passive));
		if (adapter.iwarp()) {
			passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			passive.expect_end();
		} else {
			passive.expect_connection(DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
		}
		passive.require_state(DAT_EP_STATE_DISCONNECTED);

		/* Both endpoints work again. */
		ok(dat_ep_reset(active.ep()));
		ok(dat_ep_reset(passive.ep()));
		ok(active.connect(adapter.address(), listener.qual()));
		listener.accept(passive);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

TEST(Connect, TimeoutOfNothingIsRefused)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint endpoint(adapter);

		fails(DAT_INVALID_PARAMETER,
		      endpoint.connect(adapter.address(), listener.qual(), {}, 0));
		endpoint.require_state(DAT_EP_STATE_UNCONNECTED);
		listener.queue().require_empty();
	});
}

TEST(Connect, WrongStates)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter), other(adapter);

		ok(active.connect(adapter.address(), listener.qual()));
		fails(DAT_INVALID_STATE, active.connect(adapter.address(), listener.qual()));
		listener.accept(passive);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		fails(DAT_INVALID_STATE, active.connect(adapter.address(), listener.qual()));
		fails(DAT_INVALID_STATE, dat_ep_reset(active.ep()));

		/* A request outlives an acceptance that was refused. */
		ok(other.connect(adapter.address(), listener.qual()));
		DAT_CR_HANDLE request = listener.request();
		fails(DAT_INVALID_STATE, accept_request(request, passive));
		fails(DAT_INVALID_HANDLE, dat_cr_accept(request, DAT_HANDLE_NULL, 0, nullptr));
		ok(dat_cr_reject(request));
		other.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
	});
}

TEST(Connect, ByIPv6)
{
	const char *text = std::getenv("KDAPL_ADDR6");

	if (!text)
		GTEST_SKIP() << "KDAPL_ADDR6 is not set: the adapter's IPv6 address";
	play([text](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		sockaddr_in6 address{};

		address.sin6_family = AF_INET6;
		inet_pton(AF_INET6, text, &address.sin6_addr);
		ok(active.connect(reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address), listener.qual()));
		DAT_CR_HANDLE request = listener.request();
		auto remote =
			reinterpret_cast<sockaddr_in6 *>(query(request).remote_ia_address_ptr);
		EXPECT_EQ(remote->sin6_family, AF_INET6);
		EXPECT_EQ(std::memcmp(&remote->sin6_addr, &address.sin6_addr, 16), 0);
		ok(accept_request(request, passive));
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

TEST(Connect, InfiniteTimeout)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);

		ok(active.connect(adapter.address(), listener.qual(), {}, DAT_TIMEOUT_INFINITE));
		listener.accept(passive);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* Nobody listens at first: a patient caller is still told, not kept. */
TEST(Connect, InfiniteTimeoutEndsWithARejection)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		DAT_CONN_QUAL qual = Listener(adapter).qual();

		ok(endpoint.connect(adapter.address(), qual, {}, DAT_TIMEOUT_INFINITE));
		endpoint.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
	});
}

/* ---- service points ---- */

DAT_RETURN listen(const Adapter &adapter, EventQueue &queue, DAT_CONN_QUAL qual,
		  DAT_PSP_HANDLE *psp)
{
	return dat_psp_create(adapter.ia(), qual, queue.evd(), DAT_PSP_CONSUMER_FLAG, psp);
}

/* ---- where another endpoint is connected ---- */

TEST(DupConnect, GoesToTheSamePeer)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Endpoint second(adapter), second_peer(adapter);
		DAT_EP_PARAM first_param, second_param;

		ok(dat_ep_dup_connect(second.ep(), pair.active.ep(), 20'000'000, 0, nullptr,
				      DAT_QOS_BEST_EFFORT));
		pair.listener.accept(second_peer);
		second.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(dat_ep_query(pair.active.ep(), DAT_EP_FIELD_ALL, &first_param));
		ok(dat_ep_query(second.ep(), DAT_EP_FIELD_ALL, &second_param));
		EXPECT_EQ(second_param.remote_port_qual, first_param.remote_port_qual);
		EXPECT_NE(second_param.local_port_qual, first_param.local_port_qual);
		/* The first connection is as it was. */
		pair.settle();
	});
}

/* Nobody listens where the active side of a connection is: there is no qualifier. */
TEST(DupConnect, OfThePassiveSide)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Endpoint second(adapter);

		fails(DAT_INVALID_STATE,
		      dat_ep_dup_connect(second.ep(), pair.passive.ep(), 20'000'000, 0, nullptr,
					 DAT_QOS_BEST_EFFORT));
		second.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

TEST(DupConnect, NeedsAConnectionToDuplicate)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Endpoint second(adapter), third(adapter);

		fails(DAT_INVALID_STATE, dat_ep_dup_connect(second.ep(), third.ep(), 20'000'000, 0,
							    nullptr, DAT_QOS_BEST_EFFORT));
		fails(DAT_INVALID_STATE,
		      dat_ep_dup_connect(pair.passive.ep(), pair.active.ep(), 20'000'000, 0,
					 nullptr, DAT_QOS_BEST_EFFORT));
	});
}

TEST(ServicePoint, QualifierInUse)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			EventQueue queue(adapter, 4);
			DAT_PSP_HANDLE psp;

			fails(DAT_CONN_QUAL_IN_USE, listen(adapter, queue, listener.qual(), &psp));
			line.send(listener.qual());
			line.await();
			listener.free();
			line.meet();
		},
		[](Line &line) {
			Adapter adapter;
			EventQueue queue(adapter, 4);
			auto qual = line.receive<DAT_CONN_QUAL>();
			DAT_PSP_HANDLE psp;

			fails(DAT_CONN_QUAL_IN_USE, listen(adapter, queue, qual, &psp));
			line.tell();
			line.meet();
			ok(listen(adapter, queue, qual, &psp));
			ok(dat_psp_free(psp));
		});
}

TEST(ServicePoint, AnyQualifierIsFreeAndOrdinary)
{
	play([](Line &) {
		Adapter adapter;
		std::set<DAT_CONN_QUAL> seen;
		Listener first(adapter), second(adapter), third(adapter);

		for (Listener *listener : { &first, &second, &third }) {
			Endpoint active(adapter), passive(adapter);

			EXPECT_GE(listener->qual(), 1024U);
			EXPECT_TRUE(seen.insert(listener->qual()).second);
			ok(active.connect(adapter.address(), listener->qual()));
			listener->accept(passive);
			active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		}
	});
}

/* Wider than a port: both sides fold it in the same way. */
TEST(ServicePoint, WideQualifier)
{
	play([](Line &) {
		constexpr DAT_CONN_QUAL qual = 0x1234'5678'9abc;
		Adapter adapter;
		EventQueue queue(adapter, 4);
		Endpoint active(adapter), passive(adapter);
		DAT_PSP_HANDLE psp;

		ok(listen(adapter, queue, qual, &psp));
		ok(active.connect(adapter.address(), qual));
		DAT_EVENT event = queue.expect(DAT_CONNECTION_REQUEST_EVENT);
		EXPECT_EQ(event.event_data.cr_arrival_event_data.conn_qual, qual);
		ok(accept_request(event.event_data.cr_arrival_event_data.cr_handle, passive));
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(dat_psp_free(psp));
	});
}

TEST(ServicePoint, DeliveredRequestsOutliveIt)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), late(adapter), passive(adapter);

		ok(active.connect(adapter.address(), listener.qual()));
		DAT_CR_HANDLE request = listener.request();
		listener.free();
		ok(late.connect(adapter.address(), listener.qual()));
		late.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		ok(accept_request(request, passive));
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/** Looks into all connect queues until one endpoint was turned away; which one. */
std::size_t await_turned_away(const std::vector<std::unique_ptr<Endpoint>> &endpoints)
{
	auto deadline = Clock::now() + patience();
	DAT_EVENT event;

	for (std::size_t i = 0;; i = (i + 1) % endpoints.size()) {
		require(Clock::now() < deadline, "nobody is turned away");
		if (dat_evd_dequeue(endpoints[i]->connect_queue().evd(), &event) != DAT_SUCCESS)
			continue;
		require(event.event_number == DAT_CONNECTION_EVENT_NON_PEER_REJECTED,
			"an endpoint got another event");
		return i;
	}
}

/* The EVD's length is the backlog. What is beyond is turned away, not lost. */
TEST(ServicePoint, FullBacklogTurnsAway)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter, 2);
		DAT_COUNT room = listener.queue().length();
		std::vector<std::unique_ptr<Endpoint>> active;

		for (DAT_COUNT i = 0; i < room + 1; i++) {
			active.push_back(std::make_unique<Endpoint>(adapter));
			ok(active.back()->connect(adapter.address(), listener.qual()));
		}
		std::size_t turned_away = await_turned_away(active);
		for (DAT_COUNT i = 0; i < room; i++)
			ok(dat_cr_reject(listener.request()));
		listener.queue().require_empty();
		for (std::size_t i = 0; i < active.size(); i++) {
			if (i != turned_away)
				active[i]->expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		}
	});
}

TEST(ServicePoint, WrongEvd)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 4, DAT_EVD_DTO_FLAG);
		DAT_PSP_HANDLE psp;

		fails(DAT_INVALID_HANDLE, listen(adapter, queue, 4711, &psp));
		fails(DAT_INVALID_HANDLE, dat_psp_free(queue.evd()));
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reserved service points: one request, for one endpoint. */

#include "pair.hpp"
#include "play.hpp"
#include "service_point.hpp"
#include "sleeper.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

TEST(Reserved, TakesOneRequestOnItsEndpoint)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		Endpoint late(adapter);
		DAT_CR_PARAM param;
		DAT_EP_PARAM ep_param;

		r.passive.require_state(DAT_EP_STATE_RESERVED);
		DAT_CR_HANDLE request = r.request();
		ok(dat_cr_query(request, DAT_CR_FIELD_ALL, &param));
		EXPECT_EQ(param.local_ep_handle, r.passive.ep());
		EXPECT_EQ(std::string_view(static_cast<char *>(param.private_data), 5), "hello");
		ok(dat_ep_query(r.passive.ep(), DAT_EP_FIELD_ALL, &ep_param));
		EXPECT_EQ(ep_param.remote_port_qual, param.remote_port_qual);
		EXPECT_EQ(ep_param.local_port_qual, r.qual);

		/* Nobody listens any more. */
		ok(late.connect(adapter.address(), r.qual));
		late.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		r.queue.require_empty();

		/* Its own endpoint, and no other. */
		fails(DAT_INVALID_HANDLE, dat_cr_accept(request, late.ep(), 0, nullptr));
		fails(DAT_INVALID_HANDLE, dat_cr_accept(request, r.passive.ep(), 0, nullptr));
		r.passive.require_state(DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
		ok(dat_cr_accept(request, DAT_HANDLE_NULL, 0, nullptr));
		fails(DAT_INVALID_HANDLE, dat_cr_accept(request, DAT_HANDLE_NULL, 0, nullptr));
		r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.require_data_moves();

		ok(dat_ep_reset(late.ep()));
		ok(late.connect(adapter.address(), r.qual));
		late.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
	});
}

TEST(Reserved, TellsAboutItself)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		DAT_RSP_PARAM param;

		ok(dat_rsp_query(r.rsp, DAT_RSP_FIELD_ALL, &param));
		EXPECT_EQ(param.ia_handle, adapter.ia());
		EXPECT_EQ(param.conn_qual, r.qual);
		EXPECT_EQ(param.evd_handle, r.queue.evd());
		EXPECT_EQ(param.ep_handle, r.passive.ep());
	});
}

TEST(Reserved, RejectGivesTheEndpointBack)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		Listener listener(adapter);

		DAT_CR_HANDLE request = r.request();
		ok(dat_cr_reject(request));
		r.passive.require_state(DAT_EP_STATE_UNCONNECTED);
		r.active.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		fails(DAT_INVALID_HANDLE, dat_cr_reject(request));

		/* For anything, on the active side too. */
		ok(dat_ep_reset(r.active.ep()));
		ok(r.passive.connect(adapter.address(), listener.qual()));
		listener.accept(r.active);
		r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.require_data_moves();
	});
}

TEST(Reserved, FreedBeforeARequest)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		r.free();
		r.passive.require_state(DAT_EP_STATE_UNCONNECTED);
		ok(r.active.connect(adapter.address(), r.qual));
		r.active.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		r.queue.require_empty();

		/* The qualifier and the endpoint are free for the next one. */
		ok(dat_ep_reset(r.active.ep()));
		ok(dat_rsp_create(adapter.ia(), r.qual, r.passive.ep(), r.queue.evd(), &r.rsp));
		ok(dat_cr_accept(r.request(), DAT_HANDLE_NULL, 0, nullptr));
		r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

TEST(Reserved, FreedAfterItsRequest)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		DAT_CR_HANDLE request = r.request();
		r.free();
		r.passive.require_state(DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
		ok(dat_cr_accept(request, DAT_HANDLE_NULL, 0, nullptr));
		r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.require_data_moves();
	});
}

/* The event waits in the queue, or was not taken from it. */
TEST(Reserved, RequestLostWithItsQueue)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint passive(adapter), active(adapter);
		DAT_CONN_QUAL qual = free_qualifier(adapter);
		DAT_RSP_HANDLE rsp;
		{
			EventQueue queue(adapter, 4, DAT_EVD_CR_FLAG);
			DAT_EVENT event;

			ok(dat_rsp_create(adapter.ia(), qual, passive.ep(), queue.evd(), &rsp));
			ok(active.connect(adapter.address(), qual));
			event = queue.wait();
			ok(dat_cr_reject(event.event_data.cr_arrival_event_data.cr_handle));
			active.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
			ok(dat_rsp_free(rsp));

			ok(dat_ep_reset(active.ep()));
			ok(dat_rsp_create(adapter.ia(), qual, passive.ep(), queue.evd(), &rsp));
			ok(active.connect(adapter.address(), qual));
			while (passive.state() == DAT_EP_STATE_RESERVED)
				;
			fails(DAT_INVALID_STATE, dat_evd_free(queue.evd()));
			ok(dat_rsp_free(rsp));
		}
		active.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		passive.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

/* What a service point's or a request's endpoint may not do. */
void require_locked(Adapter &adapter, Endpoint &endpoint, EventQueue &queue, DAT_EP_STATE state,
		    Location where = Location::current())
{
	Listener listener(adapter);
	Endpoint caller(adapter);
	DAT_RSP_HANDLE rsp;

	fails(DAT_INVALID_STATE, endpoint.connect(adapter.address(), listener.qual()), where);
	fails(DAT_INVALID_STATE, dat_ep_disconnect(endpoint.ep(), DAT_CLOSE_ABRUPT_FLAG), where);
	fails(DAT_INVALID_STATE, dat_ep_disconnect(endpoint.ep(), DAT_CLOSE_GRACEFUL_FLAG), where);
	fails(DAT_INVALID_STATE, dat_ep_reset(endpoint.ep()), where);
	fails(DAT_INVALID_STATE, dat_ep_free(endpoint.ep()), where);
	fails(DAT_INVALID_STATE, endpoint.send(Segments(), 1), where);
	fails(DAT_INVALID_STATE,
	      dat_rsp_create(adapter.ia(), free_qualifier(adapter), endpoint.ep(), queue.evd(),
			     &rsp),
	      where);

	ok(caller.connect(adapter.address(), listener.qual()), where);
	DAT_CR_HANDLE request = listener.request(where);
	fails(DAT_INVALID_STATE, accept_request(request, endpoint), where);
	ok(dat_cr_reject(request), where);
	caller.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED, where);
	endpoint.require_state(state, where);
}

TEST(Reserved, EndpointIsNotTheConsumersMeanwhile)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		require_locked(adapter, r.passive, r.queue, DAT_EP_STATE_RESERVED);
		DAT_CR_HANDLE request = r.request();
		require_locked(adapter, r.passive, r.queue,
			       DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
		ok(dat_cr_accept(request, DAT_HANDLE_NULL, 0, nullptr));
		r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

TEST(Reserved, ReceivesPostedBeforeTheRequest)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		Region region(adapter, 8192);

		ok(r.passive.recv(region.local(0, 4096), 11));
		DAT_CR_HANDLE request = r.request();
		ok(r.passive.recv(region.local(4096, 4096), 12));
		ok(dat_cr_accept(request, DAT_HANDLE_NULL, 0, nullptr));
		r.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(r.active.send(Segments(), 1));
		ok(r.active.send(Segments(), 2));
		r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.passive.expect_recv(11, 0);
		r.passive.expect_recv(12, 0);
	});
}

TEST(Reserved, QualifierInUse)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		Listener listener(adapter);
		Endpoint other(adapter);
		DAT_RSP_HANDLE rsp;
		DAT_PSP_HANDLE psp;

		for (DAT_CONN_QUAL qual : { listener.qual(), r.qual }) {
			fails(DAT_CONN_QUAL_IN_USE,
			      dat_rsp_create(adapter.ia(), qual, other.ep(), r.queue.evd(), &rsp));
			fails(DAT_CONN_QUAL_IN_USE,
			      dat_psp_create(adapter.ia(), qual, r.queue.evd(),
					     DAT_PSP_CONSUMER_FLAG, &psp));
			other.require_state(DAT_EP_STATE_UNCONNECTED);
		}
		fails(DAT_INVALID_PARAMETER,
		      dat_rsp_create(adapter.ia(), 0, other.ep(), r.queue.evd(), &rsp));
		other.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

/* The peer gives up before its request is answered. */
TEST(Reserved, PeerGivesUp)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		/* Long enough for the request to come. */
		ok(r.active.connect(adapter.address(), r.qual, {}, 2'000'000));
		DAT_EVENT event = r.queue.expect(DAT_CONNECTION_REQUEST_EVENT);
		r.active.expect_connection(DAT_CONNECTION_EVENT_TIMED_OUT);
		ok(dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, DAT_HANDLE_NULL,
				 0, nullptr));
		if (adapter.iwarp()) {
			r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			r.passive.expect_end();
		} else {
			r.passive.expect_connection(DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
		}
		ok(dat_ep_reset(r.passive.ep()));
	});
}

/* RSP, request and endpoint go with the adapter, in every state. */
TEST(Reserved, ClosedInTheMiddle)
{
	play([](Line &) {
		Adapter listening, calling;
		Reserved idle(listening), asked(listening);
		Endpoint caller(calling);

		ok(caller.connect(calling.address(), asked.qual));
		asked.queue.expect(DAT_CONNECTION_REQUEST_EVENT);
		idle.rsp = asked.rsp = DAT_HANDLE_NULL;
		listening.close_abruptly();
		caller.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
	});
}

/* A request that nobody has taken has the endpoint, and goes as well. */
TEST(Reserved, ClosedWhileSomebodyWaits)
{
	play([](Line &) {
		Adapter listening, calling;
		Reserved asked(listening);
		Endpoint caller(calling);
		EvdWait wait(asked.passive.connect_queue().evd());
		DAT_EVENT event;
		DAT_COUNT more = 0;

		ok(caller.connect(calling.address(), asked.qual));
		while (more == 0)
			fails(DAT_TIMEOUT_EXPIRED,
			      dat_evd_wait(asked.queue.evd(), 10'000, 2, &event, &more));
		asked.rsp = DAT_HANDLE_NULL;
		listening.close_abruptly();
		fails(DAT_ABORT, wait.result());
		caller.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
	});
}

/* One request of many that come at a time. */
TEST(Reserved, OneOfManyCallers)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		std::vector<std::unique_ptr<Endpoint>> callers;
		int rejected = 0;

		for (int i = 0; i < 6; i++) {
			callers.push_back(std::make_unique<Endpoint>(adapter));
			ok(callers.back()->connect(adapter.address(), r.qual));
		}
		DAT_EVENT event = r.queue.expect(DAT_CONNECTION_REQUEST_EVENT);
		ok(dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, DAT_HANDLE_NULL,
				 0, nullptr));
		r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		for (auto &caller : callers) {
			DAT_EVENT outcome = caller->connect_queue().expect(
				{ DAT_CONNECTION_EVENT_ESTABLISHED,
				  DAT_CONNECTION_EVENT_NON_PEER_REJECTED });
			rejected += outcome.event_number == DAT_CONNECTION_EVENT_NON_PEER_REJECTED;
		}
		EXPECT_EQ(rejected, 5);
		r.queue.require_empty();
	});
}

} // namespace
} // namespace suite

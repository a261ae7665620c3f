// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_connect(3DAT)

#include "ep_states.hpp"
#include "no_network.hpp"
#include "play.hpp"
#include "private_data.hpp"
#include "read_depths.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <chrono>

namespace suite {
namespace {

/** The arguments of the call; tests change what they are about. */
struct Call {
	Call(const Adapter &adapter, DAT_EP_HANDLE endpoint, DAT_CONN_QUAL conn_qual)
		: ep(endpoint), address(adapter.address()), qual(conn_qual)
	{
	}
	DAT_RETURN operator()()
	{
		return dat_ep_connect(ep, address, qual, timeout, size, data, qos,
				      static_cast<DAT_CONNECT_FLAGS>(flags));
	}

	DAT_EP_HANDLE ep;
	DAT_IA_ADDRESS_PTR address;
	DAT_CONN_QUAL qual;
	DAT_TIMEOUT timeout = 20'000'000;
	DAT_COUNT size = 0;
	DAT_PVOID data = nullptr;
	DAT_QOS qos = DAT_QOS_BEST_EFFORT;
	unsigned flags = DAT_CONNECT_DEFAULT_FLAG;
};

/** Somebody who listens, an endpoint, and a call that connects it to them. */
struct Scene {
	Scene() : listener(adapter), active(adapter), call(adapter, active.ep(), listener.qual()) {}

	/** The call failed: nobody heard of it, and the endpoint is as it was. */
	void require_no_effect(Location where = Location::current())
	{
		active.require_state(DAT_EP_STATE_UNCONNECTED, where);
		active.connect_queue().require_empty(where);
		listener.queue().require_empty(where);
	}
	DAT_EP_PARAM query() const
	{
		DAT_EP_PARAM param;

		ok(dat_ep_query(active.ep(), DAT_EP_FIELD_ALL, &param));
		return param;
	}

	/** The endpoint's own port is another than this: a further attempt has begun. */
	void await_other_port(DAT_PORT_QUAL port, Location where = Location::current()) const
	{
		const auto deadline = std::chrono::steady_clock::now() + patience();

		while (query().local_port_qual == port)
			suite::require(std::chrono::steady_clock::now() < deadline,
				       "there is no further attempt", where);
	}

	Adapter adapter;
	Listener listener;
	Endpoint active;
	Call call;
};

void with_scene(void (*body)(Scene &))
{
	play([body](Line &) {
		Scene scene;

		body(scene);
	});
}

/* "remote_conn_qual ... from which an Endpoint requests a connection" */
TEST(DatEpConnect, DescriptionTheQualifierTellsWhoIsAsked)
{
	with_scene([](Scene &s) {
		Listener other(s.adapter);

		ok(s.call());
		s.active.require_state(DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
		ok(dat_cr_reject(s.listener.request()));
		s.active.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		other.queue().require_empty();
	});
}

/* "timeout ... DAT_TIMEOUT_INFINITE represents no timeout": others give up meanwhile */
TEST(DatEpConnect, ParametersTimeoutInfinite)
{
	with_scene([](Scene &s) {
		Endpoint hasty(s.adapter), passive(s.adapter);

		s.call.timeout = DAT_TIMEOUT_INFINITE;
		ok(s.call());
		DAT_CR_HANDLE request = s.listener.request();
		ok(hasty.connect(s.adapter.address(), s.listener.qual(), {}, 200'000));
		hasty.expect_connection(DAT_CONNECTION_EVENT_TIMED_OUT);
		s.active.require_state(DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
		ok(accept_request(request, passive));
		s.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* "no timeout, indefinite wait": the device gives up, and is made to try again */
TEST(DatEpConnect, ParametersTimeoutInfiniteOutlastsTheDevice)
{
	if (!Adapter::iwarp())
		GTEST_SKIP() << "the connection manager asks for a minute before it gives up; "
				"TCP can be told not to";
	with_scene([](Scene &s) {
		Endpoint other(s.adapter), passive(s.adapter);
		NetworkSetting retries("ipv4/tcp_syn_retries", "1");
		SilentLoopback loopback;

		s.call.timeout = DAT_TIMEOUT_INFINITE;
		ok(s.call());
		const DAT_PORT_QUAL first = s.query().local_port_qual;
		/* Who gave a time, however long, hears that the device gave up. */
		ok(other.connect(s.adapter.address(), s.listener.qual(), {}, 60'000'000));
		other.expect_connection(DAT_CONNECTION_EVENT_UNREACHABLE);
		s.await_other_port(first);
		s.active.require_state(DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
		s.active.connect_queue().require_empty();

		loopback.speak();
		s.listener.accept(passive);
		s.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* "indefinite wait": nor does it end where a further attempt finds every port taken */
TEST(DatEpConnect, ParametersTimeoutInfiniteOutlastsALackOfPorts)
{
	if (!Adapter::iwarp())
		GTEST_SKIP() << "the connection manager asks for a minute before it gives up; "
				"TCP can be told not to";
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter);
		NetworkSetting retries("ipv4/tcp_syn_retries", "1");
		SilentLoopback loopback;
		DAT_EVENT event;
		DAT_COUNT more;

		s.call.timeout = DAT_TIMEOUT_INFINITE;
		ok(s.call());
		const DAT_PORT_QUAL first = s.query().local_port_qual;
		{
			const std::string own = std::to_string(first);
			NetworkSetting ports("ipv4/ip_local_port_range", own + ' ' + own);

			/* TCP gives up after 3 s; the attempts that follow find no port. */
			fails(DAT_TIMEOUT_EXPIRED, dat_evd_wait(s.active.connect_queue().evd(),
								8'000'000, 1, &event, &more));
			EXPECT_EQ(s.query().local_port_qual, first);
		}
		s.await_other_port(first);
		s.active.require_state(DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);

		loopback.speak();
		s.listener.accept(passive);
		s.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* "Values must be positive." */
TEST(DatEpConnect, ParametersTimeoutMustBePositive)
{
	with_scene([](Scene &s) {
		s.call.timeout = 0;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
		s.require_no_effect();
	});
}

/* "Must be nonnegative." */
TEST(DatEpConnect, ParametersPrivateDataSizeMustBeNonnegative)
{
	with_scene([](Scene &s) {
		char data[1] = {};

		s.call.data = data;
		for (DAT_COUNT size : { -1, INT32_MIN }) {
			s.call.size = size;
			refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
		}
		s.require_no_effect();
	});
}

/* More than the provider attribute max_private_data_size promises. */
TEST(DatEpConnect, ParametersPrivateDataMustFit)
{
	with_scene([](Scene &s) {
		s.call.size = s.adapter.provider().max_private_data_size + 1;
		std::string data(static_cast<std::size_t>(s.call.size), 'x');
		s.call.data = data.data();
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
		s.require_no_effect();
		s.call.size--;
		ok(s.call());
		ok(dat_cr_reject(s.listener.request()));
	});
}

/* "If private_data_size is zero, then private_data can be NULL." */
TEST(DatEpConnect, ParametersPrivateDataMayBeNullOnlyWithoutSize)
{
	with_scene([](Scene &s) {
		s.call.size = 1;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
		s.require_no_effect();
		s.call.size = 0;
		ok(s.call());
		ok(dat_cr_reject(s.listener.request()));
	});
}

/* "If the least significant bit ... is 1, the Consumer requests multipathing." */
TEST(DatEpConnect, ParametersMultipathIsNotSupported)
{
	with_scene([](Scene &s) {
		EXPECT_FALSE(s.adapter.provider().supports_multipath);
		s.call.flags = DAT_CONNECT_MULTIPATH_FLAG;
		refused(s.call(), DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
		s.call.flags = 2;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG8);
		s.require_no_effect();
	});
}

/* "the local Endpoint is bound to a Port Qualifier of the local IA ... available to the remote" */
TEST(DatEpConnect, DescriptionTheLocalPortIsThePeersRemotePort)
{
	with_scene([](Scene &s) {
		DAT_CR_PARAM request;

		ok(s.call());
		DAT_CR_HANDLE cr = s.listener.request();
		ok(dat_cr_query(cr, DAT_CR_FIELD_ALL, &request));
		EXPECT_NE(request.remote_port_qual, 0U);
		EXPECT_EQ(s.query().local_port_qual, request.remote_port_qual);
		ok(dat_cr_reject(cr));
	});
}

/* "private_data is passed to the remote side ... in the Connection Request" */
TEST(DatEpConnect, DescriptionPrivateDataIsPassed)
{
	with_scene([](Scene &s) {
		char data[] = "who I am";
		DAT_CR_PARAM request;

		s.call.data = data;
		s.call.size = sizeof data - 1;
		ok(s.call());
		/* It is the caller's again: it was passed by value. */
		std::fill(std::begin(data), std::end(data), 'x');
		DAT_CR_HANDLE cr = s.listener.request();
		ok(dat_cr_query(cr, DAT_CR_FIELD_ALL, &request));
		require_private_data(request.private_data, request.private_data_size, "who I am");
		ok(dat_cr_reject(cr));
	});
}

/* "transferred into DAT_EP_STATE_ACTIVE_CONNECTION_PENDING" */
TEST(DatEpConnect, DescriptionTheStateIsActiveConnectionPending)
{
	with_scene([](Scene &s) {
		ok(s.call());
		DAT_CR_HANDLE cr = s.listener.request();
		s.active.require_state(DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
		s.active.connect_queue().require_empty();
		ok(dat_cr_reject(cr));
	});
}

/* "does not support the requested qos ... DAT_MODEL_NOT_SUPPORTED is returned synchronously" */
TEST(DatEpConnect, DescriptionQosIsNotSupported)
{
	with_scene([](Scene &s) {
		EXPECT_EQ(s.adapter.provider().dat_qos_supported, DAT_QOS_BEST_EFFORT);
		for (DAT_QOS qos : { DAT_QOS_HIGH_THROUGHPUT, DAT_QOS_LOW_LATENCY, DAT_QOS_ECONOMY,
				     DAT_QOS_PREMIUM }) {
			s.call.qos = qos;
			refused(s.call(), DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
		}
		s.require_no_effect();
	});
}

/* "remote Consumer is not listening ... DISCONNECTED state" */
TEST(DatEpConnect, DescriptionNobodyListens)
{
	with_scene([](Scene &s) {
		s.listener.free();
		ok(s.call());
		s.active.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		s.active.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* "Backlog of the requested Service Point is full" */
TEST(DatEpConnect, DescriptionTheBacklogIsFull)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter, 2);
		const DAT_COUNT room = listener.queue().length();
		EventQueue events(adapter, 16, DAT_EVD_CONNECTION_FLAG);
		std::vector<DAT_EP_HANDLE> callers;
		DAT_EP_STATE state;

		for (DAT_COUNT i = 0; i <= room; i++) {
			DAT_EP_HANDLE ep;

			ok(dat_ep_create(adapter.ia(), adapter.pz(), DAT_HANDLE_NULL,
					 DAT_HANDLE_NULL, events.evd(), nullptr, &ep));
			callers.push_back(ep);
			ok(Call(adapter, ep, listener.qual())());
		}
		DAT_EVENT event = events.expect(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		ok(dat_ep_get_status(event.event_data.connect_event_data.ep_handle, &state, nullptr,
				     nullptr));
		EXPECT_EQ(state, DAT_EP_STATE_DISCONNECTED);
		for (DAT_COUNT i = 0; i < room; i++)
			ok(dat_cr_reject(listener.request()));
		for (DAT_EP_HANDLE ep : callers)
			ok(dat_ep_free(ep));
	});
}

/* "all reasons ... except timeout, remote host not reachable, and remote peer reject" */
TEST(DatEpConnect, DescriptionTheOtherSideEndsWithoutAnAnswer)
{
	play([](Line &) {
		Adapter here, there;
		Endpoint active(here);
		DAT_CONN_QUAL qual;
		DAT_PSP_HANDLE psp;
		DAT_EVD_HANDLE evd;
		DAT_EVENT event;
		DAT_COUNT more;

		ok(dat_evd_create(there.ia(), 8, DAT_HANDLE_NULL, DAT_EVD_CR_FLAG, &evd));
		ok(dat_psp_create_any(there.ia(), &qual, evd, DAT_PSP_CONSUMER_FLAG, &psp));
		ok(Call(here, active.ep(), qual)());
		ok(dat_evd_wait(evd, 20'000'000, 1, &event, &more));
		active.require_state(DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
		there.close_abruptly();
		active.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		active.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* "acceptance ... DAT_CONNECTION_EVENT_ESTABLISHED ... DAT_EP_STATE_CONNECTED" */
TEST(DatEpConnect, DescriptionAccepted)
{
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter);

		ok(s.call());
		s.listener.accept(passive);
		s.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		s.active.require_state(DAT_EP_STATE_CONNECTED);
		s.active.connect_queue().require_empty();
	});
}

/* "rejection ... DAT_CONNECTION_EVENT_PEER_REJECTED ... DISCONNECTED state" */
TEST(DatEpConnect, DescriptionRejected)
{
	with_scene([](Scene &s) {
		ok(s.call());
		ok(dat_cr_reject(s.listener.request()));
		s.active.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		s.active.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* "cannot reach the remote host ... DAT_CONNECTION_EVENT_UNREACHABLE" */
TEST(DatEpConnect, DescriptionUnreachable)
{
	with_scene([](Scene &s) {
		sockaddr_in documents{};

		documents.sin_family = AF_INET;
		inet_pton(AF_INET, "192.0.2.1", &documents.sin_addr);
		s.call.address = reinterpret_cast<DAT_IA_ADDRESS_PTR>(&documents);
		ok(s.call());
		s.active.expect_connection(DAT_CONNECTION_EVENT_UNREACHABLE);
		s.active.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* "timeout expired prior to completion ... DAT_CONNECTION_EVENT_TIMED_OUT": nobody answers */
TEST(DatEpConnect, DescriptionTimedOut)
{
	with_scene([](Scene &s) {
		s.call.timeout = 200'000;
		ok(s.call());
		s.active.expect_connection(DAT_CONNECTION_EVENT_TIMED_OUT);
		s.active.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* "remote_ia_address is invalid ... can fail synchronously" */
TEST(DatEpConnect, DescriptionInvalidAddress)
{
	with_scene([](Scene &s) {
		sockaddr_storage address{};

		for (sa_family_t family : { AF_UNSPEC, AF_UNIX }) {
			address.ss_family = family;
			s.call.address = reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address);
			refused(s.call(), DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_UNSUPPORTED);
		}
		s.call.address = nullptr;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		s.require_no_effect();
	});
}

/* "due to resource limitations": every port that the machine has for it is taken */
TEST(DatEpConnect, ReturnValuesInsufficientResources)
{
	with_scene([](Scene &s) {
		Endpoint one(s.adapter), two(s.adapter);
		{
			NetworkSetting ports("ipv4/ip_local_port_range", "61000 61001");

			ok(one.connect(s.adapter.address(), s.listener.qual()));
			ok(two.connect(s.adapter.address(), s.listener.qual()));
			refused(s.call(), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP);
		}
		for (int i = 0; i < 2; i++)
			ok(dat_cr_reject(s.listener.request()));
		s.require_no_effect();
		ok(s.call());
		ok(dat_cr_reject(s.listener.request()));
	});
}

TEST(DatEpConnect, ReturnValuesInvalidHandle)
{
	with_scene([](Scene &s) {
		DAT_EP_HANDLE freed;

		for (DAT_EP_HANDLE ep : { DAT_EP_HANDLE(DAT_HANDLE_NULL), s.listener.queue().evd(),
					  DAT_EP_HANDLE(s.adapter.ia()) }) {
			s.call.ep = ep;
			refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
		}
		ok(dat_ep_create(s.adapter.ia(), s.adapter.pz(), DAT_HANDLE_NULL, DAT_HANDLE_NULL,
				 s.active.connect_queue().evd(), nullptr, &freed));
		ok(dat_ep_free(freed));
		s.call.ep = freed;
		refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
		s.require_no_effect();
	});
}

/* The outcome is told on connect_evd_handle: without it there is nowhere to tell it. */
TEST(DatEpConnect, ReturnValuesInvalidHandleWithoutConnectEvd)
{
	with_scene([](Scene &s) {
		ok(dat_ep_create(s.adapter.ia(), s.adapter.pz(), DAT_HANDLE_NULL, DAT_HANDLE_NULL,
				 DAT_HANDLE_NULL, nullptr, &s.call.ep));
		refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN);
		ok(dat_ep_free(s.call.ep));
	});
}

/* "Endpoint was not in DAT_EP_STATE_UNCONNECTED state." */
TEST(DatEpConnect, ReturnValuesInvalidStateUnlessUnconnected)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);

		in_every_state(adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			DAT_EP_STATE after;

			if (state == DAT_EP_STATE_UNCONNECTED)
				return;
			refused(Call(adapter, ep, listener.qual())(), DAT_INVALID_STATE,
				subtype_of(state));
			ok(dat_ep_get_status(ep, &after, nullptr, nullptr));
			EXPECT_EQ(after, state);
		});
		listener.queue().require_empty();
	});
}

/* "certain Endpoint attributes are set" (dat_ep_create): a zone, for one. */
TEST(DatEpConnect, ReturnValuesInvalidStateWithoutAZone)
{
	with_scene([](Scene &s) {
		ok(dat_ep_create(s.adapter.ia(), DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL,
				 s.active.connect_queue().evd(), nullptr, &s.call.ep));
		refused(s.call(), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_NOTREADY);
		ok(dat_ep_free(s.call.ep));
	});
}

/* ---- outstanding RDMA reads ---- */

/** An endpoint that was created with these depths, or modified to have them. */
struct Depths {
	Depths(const Adapter &adapter, DAT_COUNT in, DAT_COUNT out) : endpoint(adapter)
	{
		set_depths(endpoint.ep(), in, out);
	}
	void require(DAT_COUNT in, DAT_COUNT out, Location where = Location::current()) const
	{
		DAT_EP_PARAM param;

		ok(dat_ep_query(endpoint.ep(), DAT_EP_FIELD_ALL, &param));
		suite::require(param.ep_attr.max_rdma_read_in == in &&
				       param.ep_attr.max_rdma_read_out == out,
			       "the depths are " + std::to_string(param.ep_attr.max_rdma_read_in) +
				       " and " + std::to_string(param.ep_attr.max_rdma_read_out),
			       where);
	}

	Endpoint endpoint;
};

/* "outgoing attribute should be smaller than the remote ... incoming": what is set is used */
TEST(DatEpConnect, UsageDepthsThatFitAreUsedAsSet)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Depths active(adapter, 3, 1), passive(adapter, 2, 3);

		ok(active.endpoint.connect(adapter.address(), listener.qual()));
		listener.accept(passive.endpoint);
		active.endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.require(3, 1);
		passive.require(2, 3);
	});
}

/* "If this is not the case, Connection establishment might fail.": here it does */
TEST(DatEpConnect, UsageDepthsThatDoNotFitFail)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Depths active(adapter, 1, 4), passive(adapter, 2, 1);

		ok(active.endpoint.connect(adapter.address(), listener.qual()));
		DAT_CR_HANDLE request = listener.request();
		if (adapter.iwarp()) {
			/* Over iWARP the accepting side knows, and says so at once. */
			refused(accept_request(request, passive.endpoint), DAT_INVALID_PARAMETER,
				DAT_NO_SUBTYPE);
			ok(dat_cr_reject(request));
			active.endpoint.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		} else {
			ok(accept_request(request, passive.endpoint));
			active.endpoint.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
			active.endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
			passive.endpoint.expect_connection(
				DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
			passive.endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
		}
		active.require(1, 4);
		passive.require(2, 1);
	});
}

/* "it can set the two outstanding RDMA Read attribute values to 0" */
TEST(DatEpConnect, UsageDepthsOfNothing)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Depths active(adapter, 0, 0), passive(adapter, 0, 0);
		Region region(adapter, 4096);

		ok(active.endpoint.connect(adapter.address(), listener.qual()));
		listener.accept(passive.endpoint);
		active.endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.require(0, 0);
		passive.require(0, 0);
		ok(passive.endpoint.recv(region.local(0, 64), 1));
		ok(active.endpoint.send(region.local(64, 64), 2));
		passive.endpoint.expect_recv(1, 64);
	});
}

/* "The Provider is allowed to change these default values during connection setup." */
TEST(DatEpConnect, UsageDefaultDepthsAreFittedToThePeers)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "the accepting side cannot know that they are defaults";
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		EventQueue events(adapter, 16);
		Depths passive(adapter, 1, 1);
		DAT_EP_PARAM param;
		DAT_EP_HANDLE ep;

		ok(dat_ep_create(adapter.ia(), adapter.pz(), events.evd(), events.evd(),
				 events.evd(), nullptr, &ep));
		ok(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param));
		EXPECT_GT(param.ep_attr.max_rdma_read_out, 1);
		ok(Call(adapter, ep, listener.qual())());
		listener.accept(passive.endpoint);
		events.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param));
		EXPECT_EQ(param.ep_attr.max_rdma_read_out, 1);
		passive.require(1, 1);
		ok(dat_ep_free(ep));
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_dup_connect(3DAT)

#include "ep_states.hpp"
#include "extra_adapter.hpp"
#include "no_network.hpp"
#include "play.hpp"
#include "private_data.hpp"
#include "read_depths.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cstring>
#include <vector>

namespace suite {
namespace {

/** A connection, and a call that connects another endpoint to the same end. */
struct Scene {
	Scene() : pair(adapter), second(adapter), ep(second.ep()), dup(pair.active.ep()) {}

	DAT_RETURN call() { return dat_ep_dup_connect(ep, dup, timeout, size, data, qos); }
	void require_no_effect(Location where = Location::current())
	{
		second.require_state(DAT_EP_STATE_UNCONNECTED, where);
		second.connect_queue().require_empty(where);
		pair.listener.queue().require_empty(where);
	}
	DAT_EP_PARAM query(DAT_EP_HANDLE endpoint) const
	{
		DAT_EP_PARAM param;

		ok(dat_ep_query(endpoint, DAT_EP_FIELD_ALL, &param));
		return param;
	}

	Adapter adapter;
	Pair pair;
	Endpoint second;
	DAT_EP_HANDLE ep, dup;
	DAT_TIMEOUT timeout = 20'000'000;
	DAT_COUNT size = 0;
	DAT_PVOID data = nullptr;
	DAT_QOS qos = DAT_QOS_BEST_EFFORT;
};

void with_scene(void (*body)(Scene &))
{
	play([body](Line &) {
		Scene scene;

		body(scene);
	});
}

/* "Values must be positive." */
TEST(DatEpDupConnect, ParametersTimeoutMustBePositive)
{
	with_scene([](Scene &s) {
		s.timeout = 0;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		s.require_no_effect();
	});
}

/* "DAT_TIMEOUT_INFINITE represents no timeout" */
TEST(DatEpDupConnect, ParametersTimeoutInfinite)
{
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter);

		s.timeout = DAT_TIMEOUT_INFINITE;
		ok(s.call());
		s.pair.listener.accept(passive);
		s.second.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* "Must be nonnegative.", and no more than max_private_data_size */
TEST(DatEpDupConnect, ParametersPrivateDataSize)
{
	with_scene([](Scene &s) {
		const DAT_COUNT most = s.adapter.provider().max_private_data_size;
		std::string bytes(static_cast<std::size_t>(most) + 1, 'x');

		s.data = bytes.data();
		for (DAT_COUNT size : { -1, most + 1 }) {
			s.size = size;
			refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
		}
		s.require_no_effect();
	});
}

/* "If private_data_size is zero, then private_data can be NULL." */
TEST(DatEpDupConnect, ParametersPrivateDataMayBeNullOnlyWithoutSize)
{
	with_scene([](Scene &s) {
		s.size = 1;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
		s.require_no_effect();
		s.size = 0;
		ok(s.call());
		ok(dat_cr_reject(s.pair.listener.request()));
	});
}

/* "The remote end ... shall be the same as the remote end of the dup_ep_handle." */
TEST(DatEpDupConnect, DescriptionTheRemoteEndIsTheSame)
{
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter);

		ok(s.call());
		s.pair.listener.accept(passive);
		s.second.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		const DAT_EP_PARAM first = s.query(s.dup), second = s.query(s.ep);
		EXPECT_EQ(second.remote_port_qual, first.remote_port_qual);
		EXPECT_EQ(std::memcmp(second.remote_ia_address_ptr, first.remote_ia_address_ptr,
				      sizeof(DAT_SOCK_ADDR)),
			  0);
	});
}

/* "the same ... Connection Qualifier", also where it is wider than a port */
TEST(DatEpDupConnect, DescriptionTheQualifierIsTheSame)
{
	play([](Line &) {
		constexpr DAT_CONN_QUAL qual = 0x1'0000'0001'2345;
		Adapter adapter;
		EventQueue queue(adapter, 4, DAT_EVD_CR_FLAG);
		Endpoint first(adapter), second(adapter), passive(adapter);
		DAT_PSP_HANDLE psp;

		ok(dat_psp_create(adapter.ia(), qual, queue.evd(), DAT_PSP_CONSUMER_FLAG, &psp));
		ok(first.connect(adapter.address(), qual));
		DAT_EVENT event = queue.expect(DAT_CONNECTION_REQUEST_EVENT);
		ok(accept_request(event.event_data.cr_arrival_event_data.cr_handle, passive));
		first.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);

		ok(dat_ep_dup_connect(second.ep(), first.ep(), 20'000'000, 0, nullptr,
				      DAT_QOS_BEST_EFFORT));
		event = queue.expect(DAT_CONNECTION_REQUEST_EVENT);
		EXPECT_EQ(event.event_data.cr_arrival_event_data.conn_qual, qual);
		ok(dat_cr_reject(event.event_data.cr_arrival_event_data.cr_handle));
		ok(dat_psp_free(psp));
	});
}

/* A duplicate's remote end can be duplicated, too, and the first one may go. */
TEST(DatEpDupConnect, DescriptionADuplicateOfADuplicate)
{
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter), third(s.adapter);

		ok(s.call());
		s.pair.listener.accept(passive);
		s.second.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		s.pair.active.free();
		s.dup = s.second.ep();
		s.ep = third.ep();
		ok(s.call());
		ok(dat_cr_reject(s.pair.listener.request()));
		third.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
	});
}

/* "the local Endpoint is bound to a Port Qualifier of the local IA ... passed to the remote" */
TEST(DatEpDupConnect, DescriptionTheLocalPortIsThePeersRemotePort)
{
	with_scene([](Scene &s) {
		DAT_CR_PARAM request;

		ok(s.call());
		DAT_CR_HANDLE cr = s.pair.listener.request();
		ok(dat_cr_query(cr, DAT_CR_FIELD_ALL, &request));
		EXPECT_EQ(s.query(s.ep).local_port_qual, request.remote_port_qual);
		EXPECT_NE(s.query(s.ep).local_port_qual, s.query(s.dup).local_port_qual);
		ok(dat_cr_reject(cr));
	});
}

/* "private_data is passed to the remote side": its own, not the first connection's */
TEST(DatEpDupConnect, DescriptionPrivateDataIsPassed)
{
	with_scene([](Scene &s) {
		char bytes[] = "a second time";
		DAT_CR_PARAM request;

		s.data = bytes;
		s.size = sizeof bytes - 1;
		ok(s.call());
		DAT_CR_HANDLE cr = s.pair.listener.request();
		ok(dat_cr_query(cr, DAT_CR_FIELD_ALL, &request));
		require_private_data(request.private_data, request.private_data_size,
				     "a second time");
		ok(dat_cr_reject(cr));
	});
}

/* "transferred into DAT_EP_STATE_ACTIVE_CONNECTION_PENDING" */
TEST(DatEpDupConnect, DescriptionTheStateIsActiveConnectionPending)
{
	with_scene([](Scene &s) {
		ok(s.call());
		DAT_CR_HANDLE cr = s.pair.listener.request();
		s.second.require_state(DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
		s.second.connect_queue().require_empty();
		ok(dat_cr_reject(cr));
	});
}

/* "does not support the requested qos ... DAT_MODEL_NOT_SUPPORTED is returned synchronously" */
TEST(DatEpDupConnect, DescriptionQosIsNotSupported)
{
	with_scene([](Scene &s) {
		for (DAT_QOS qos : { DAT_QOS_HIGH_THROUGHPUT, DAT_QOS_LOW_LATENCY, DAT_QOS_ECONOMY,
				     DAT_QOS_PREMIUM }) {
			s.qos = qos;
			refused(s.call(), DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
		}
		s.require_no_effect();
	});
}

/* "remote Consumer is not listening"; the page's UNDISCONNECTED is DISCONNECTED */
TEST(DatEpDupConnect, DescriptionNobodyListens)
{
	with_scene([](Scene &s) {
		s.pair.listener.free();
		ok(s.call());
		s.second.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		s.second.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* "acceptance ... DAT_CONNECTION_EVENT_ESTABLISHED", and both connections are whole */
TEST(DatEpDupConnect, DescriptionAccepted)
{
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter);

		ok(s.call());
		s.pair.listener.accept(passive);
		s.second.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		s.second.require_state(DAT_EP_STATE_CONNECTED);
		ok(passive.recv(Segments(), 1));
		ok(s.second.send(Segments(), 2));
		passive.expect_recv(1, 0);
		s.pair.settle();
	});
}

/* "rejection ... DAT_CONNECTION_EVENT_PEER_REJECTED" */
TEST(DatEpDupConnect, DescriptionRejected)
{
	with_scene([](Scene &s) {
		ok(s.call());
		ok(dat_cr_reject(s.pair.listener.request()));
		s.second.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		s.second.require_state(DAT_EP_STATE_DISCONNECTED);
		s.pair.settle();
	});
}

/* "cannot reach the remote host ... DAT_CONNECTION_EVENT_UNREACHABLE": it has gone since */
TEST(DatEpDupConnect, DescriptionUnreachable)
{
	play([](Line &) {
		ExtraAdapter extra("7", { "10.77.1.1/24", "10.77.2.1/24" });
		Adapter adapter(extra.name());
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter), second(adapter);
		sockaddr_in there{};

		there.sin_family = AF_INET;
		inet_pton(AF_INET, "10.77.2.1", &there.sin_addr);
		ok(active.connect(reinterpret_cast<DAT_IA_ADDRESS_PTR>(&there), listener.qual()));
		listener.accept(passive);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);

		extra.remove("10.77.2.1/24");
		ok(dat_ep_dup_connect(second.ep(), active.ep(), 20'000'000, 0, nullptr,
				      DAT_QOS_BEST_EFFORT));
		second.expect_connection(DAT_CONNECTION_EVENT_UNREACHABLE);
		second.require_state(DAT_EP_STATE_DISCONNECTED);
		listener.queue().require_empty();
	});
}

/* "timeout expired ... DAT_CONNECTION_EVENT_TIMED_OUT": nobody answers */
TEST(DatEpDupConnect, DescriptionTimedOut)
{
	with_scene([](Scene &s) {
		s.timeout = 200'000;
		ok(s.call());
		s.second.expect_connection(DAT_CONNECTION_EVENT_TIMED_OUT);
		s.second.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* "The ep_handle or dup_ep_handle parameter is invalid." */
TEST(DatEpDupConnect, ReturnValuesInvalidHandle)
{
	with_scene([](Scene &s) {
		s.ep = s.second.connect_queue().evd();
		refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
		s.ep = DAT_HANDLE_NULL;
		refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
		s.ep = s.second.ep();
		s.dup = DAT_HANDLE_NULL;
		refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE2);
		s.dup = s.pair.active.ep();
		s.pair.active.free();
		refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE2);
		s.require_no_effect();
	});
}

/* "due to resource limitations": every port that the machine has for it is taken */
TEST(DatEpDupConnect, ReturnValuesInsufficientResources)
{
	with_scene([](Scene &s) {
		Listener &listener = s.pair.listener;
		Endpoint one(s.adapter), two(s.adapter);
		{
			NetworkSetting ports("ipv4/ip_local_port_range", "61000 61001");

			ok(one.connect(s.adapter.address(), listener.qual()));
			ok(two.connect(s.adapter.address(), listener.qual()));
			refused(s.call(), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP);
		}
		for (int i = 0; i < 2; i++)
			ok(dat_cr_reject(listener.request()));
		s.require_no_effect();
		s.pair.settle();
	});
}

/* "A parameter is in an invalid state.": the endpoint that is to be connected */
TEST(DatEpDupConnect, ReturnValuesInvalidStateOfTheEndpoint)
{
	with_scene([](Scene &s) {
		in_every_state(s.adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			if (state == DAT_EP_STATE_UNCONNECTED)
				return;
			s.ep = ep;
			refused(s.call(), DAT_INVALID_STATE, subtype_of(state));
		});
		s.pair.listener.queue().require_empty();
	});
}

/* "dup_ep_handle Connected local Endpoint" */
TEST(DatEpDupConnect, ReturnValuesInvalidStateOfTheDuplicated)
{
	with_scene([](Scene &s) {
		in_every_state(s.adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			if (state == DAT_EP_STATE_CONNECTED)
				return;
			s.dup = ep;
			refused(s.call(), DAT_INVALID_STATE, subtype_of(state));
		});
		s.require_no_effect();
	});
}

/* Nobody listens where the active side of a connection is: there is no qualifier. */
TEST(DatEpDupConnect, ReturnValuesInvalidStateOfThePassiveSide)
{
	with_scene([](Scene &s) {
		s.dup = s.pair.passive.ep();
		refused(s.call(), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_CONNECTED);
		s.require_no_effect();
	});
}

/* One endpoint cannot be both: it is connected already. */
TEST(DatEpDupConnect, ReturnValuesInvalidStateOfTheSameEndpoint)
{
	with_scene([](Scene &s) {
		s.ep = s.dup;
		refused(s.call(), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_CONNECTED);
		s.pair.settle();
	});
}

/* What dat_ep_create() makes of EPs that lack something cannot be connected. */
TEST(DatEpDupConnect, ReturnValuesInvalidStateWithoutAZone)
{
	with_scene([](Scene &s) {
		ok(dat_ep_create(s.adapter.ia(), DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL,
				 s.second.connect_queue().evd(), nullptr, &s.ep));
		refused(s.call(), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_NOTREADY);
		ok(dat_ep_free(s.ep));
		s.require_no_effect();
	});
}

TEST(DatEpDupConnect, ReturnValuesInvalidHandleWithoutConnectEvd)
{
	with_scene([](Scene &s) {
		ok(dat_ep_create(s.adapter.ia(), s.adapter.pz(), DAT_HANDLE_NULL, DAT_HANDLE_NULL,
				 DAT_HANDLE_NULL, nullptr, &s.ep));
		refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN);
		ok(dat_ep_free(s.ep));
		s.require_no_effect();
	});
}

/* "the same ... connect_flags as used for establishing the connection on duplicated Endpoints" */
TEST(DatEpDupConnect, DescriptionFlagsAndQosAreTheSame)
{
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter);

		ok(s.call());
		s.pair.listener.accept(passive);
		s.second.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		/* One path, and the best effort, are all that there is: of both it has the same. */
		EXPECT_EQ(s.query(s.ep).ep_attr.qos, s.query(s.dup).ep_attr.qos);
		EXPECT_EQ(s.query(s.ep).ep_attr.service_type, s.query(s.dup).ep_attr.service_type);
		EXPECT_EQ(s.query(s.ep).ep_attr.qos, DAT_QOS_BEST_EFFORT);
	});
}

/* The connection that was duplicated goes on whatever becomes of the duplicate. */
TEST(DatEpDupConnect, DescriptionTheDuplicatedConnectionIsUntouched)
{
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter);

		ok(s.call());
		s.pair.listener.accept(passive);
		s.second.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(dat_ep_disconnect(s.second.ep(), DAT_CLOSE_ABRUPT_FLAG));
		s.second.expect_end();
		passive.expect_end();
		s.pair.settle();
		s.pair.active.require_state(DAT_EP_STATE_CONNECTED);
	});
}

/* "Backlog of the requested Service Point is full" */
TEST(DatEpDupConnect, DescriptionTheBacklogIsFull)
{
	with_scene([](Scene &s) {
		const DAT_COUNT room = s.pair.listener.queue().length();
		EventQueue events(s.adapter, 64, DAT_EVD_CONNECTION_FLAG);
		std::vector<DAT_EP_HANDLE> callers;
		DAT_EP_STATE state;

		for (DAT_COUNT i = 0; i <= room; i++) {
			ok(dat_ep_create(s.adapter.ia(), s.adapter.pz(), DAT_HANDLE_NULL,
					 DAT_HANDLE_NULL, events.evd(), nullptr, &s.ep));
			callers.push_back(s.ep);
			ok(s.call());
		}
		DAT_EVENT event = events.expect(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		ok(dat_ep_get_status(event.event_data.connect_event_data.ep_handle, &state, nullptr,
				     nullptr));
		EXPECT_EQ(state, DAT_EP_STATE_DISCONNECTED);
		for (DAT_COUNT i = 0; i < room; i++)
			ok(dat_cr_reject(s.pair.listener.request()));
		for (DAT_EP_HANDLE ep : callers)
			ok(dat_ep_free(ep));
		s.pair.settle();
	});
}

/* "equivalent to requesting a connection": it ends like any, and can be made again */
TEST(DatEpDupConnect, DescriptionCanBeMadeAgain)
{
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter);

		ok(s.call());
		s.pair.listener.accept(passive);
		s.second.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		s.second.end_and_reset(DAT_CLOSE_ABRUPT_FLAG);
		passive.expect_end();
		/* Reset, it may be connected the same way once more. */
		ok(s.call());
		ok(dat_cr_reject(s.pair.listener.request()));
		s.second.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
	});
}

/* "it can set the two outstanding RDMA Read attribute values to 0": its own, not the first's */
TEST(DatEpDupConnect, UsageDepthsOfNothing)
{
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter);

		set_depths(s.ep, 0, 0);
		set_depths(passive.ep(), 0, 0);
		ok(s.call());
		s.pair.listener.accept(passive);
		s.second.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		EXPECT_EQ(s.query(s.ep).ep_attr.max_rdma_read_in, 0);
		EXPECT_EQ(s.query(s.ep).ep_attr.max_rdma_read_out, 0);
		EXPECT_GT(s.query(s.dup).ep_attr.max_rdma_read_out, 0);
	});
}

/* "If this is not the case, connection establishment might fail.": here it does */
TEST(DatEpDupConnect, UsageDepthsThatDoNotFitFail)
{
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter);

		set_depths(s.ep, 1, 4);
		set_depths(passive.ep(), 2, 1);
		ok(s.call());
		DAT_CR_HANDLE request = s.pair.listener.request();
		if (s.adapter.iwarp()) {
			/* Over iWARP the accepting side knows, and says so at once. */
			refused(accept_request(request, passive), DAT_INVALID_PARAMETER,
				DAT_NO_SUBTYPE);
			ok(dat_cr_reject(request));
			s.second.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		} else {
			ok(accept_request(request, passive));
			s.second.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
			passive.expect_connection(DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
		}
		s.second.require_state(DAT_EP_STATE_DISCONNECTED);
		s.pair.settle();
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_cr_accept(3DAT)

#include "ep_states.hpp"
#include "play.hpp"
#include "private_data.hpp"
#include "read_depths.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/** A request for a connection, and an endpoint to accept it on. */
struct Scene {
	Scene() : listener(adapter), active(adapter), passive(adapter), ep(passive.ep())
	{
		ok(active.connect(adapter.address(), listener.qual()));
		cr = listener.request();
	}
	DAT_RETURN call() { return dat_cr_accept(cr, ep, size, data); }

	/** The call failed: the request can still be accepted, and is bare of its data. */
	void require_no_effect(Location where = Location::current())
	{
		passive.require_state(DAT_EP_STATE_UNCONNECTED, where);
		passive.connect_queue().require_empty(where);
		active.connect_queue().require_empty(where);
		active.require_state(DAT_EP_STATE_ACTIVE_CONNECTION_PENDING, where);
		ok(dat_cr_accept(cr, passive.ep(), 0, nullptr), where);
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED, where);
		auto answer = active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED, where);
		require_private_data(answer.private_data, answer.private_data_size, {}, where);
	}

	Adapter adapter;
	Listener listener;
	Endpoint active, passive;
	DAT_CR_HANDLE cr = DAT_HANDLE_NULL;
	DAT_EP_HANDLE ep;
	DAT_COUNT size = 0;
	DAT_PVOID data = nullptr;
};

void with_scene(void (*body)(Scene &))
{
	play([body](Line &) {
		Scene scene;

		body(scene);
	});
}

/* "The local Endpoint is either specified explicitly by ep_handle" */
TEST(DatCrAccept, DescriptionOnAnEndpointOfTheConsumers)
{
	with_scene([](Scene &s) {
		ok(s.call());
		s.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		s.passive.require_state(DAT_EP_STATE_CONNECTED);
		s.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		s.active.require_state(DAT_EP_STATE_CONNECTED);
	});
}

/* "or implicitly by a Connection Request ... DAT_HANDLE_NULL": that of an RSP */
TEST(DatCrAccept, DescriptionOnTheEndpointOfAnRsp)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		ok(dat_cr_accept(r.request(), DAT_HANDLE_NULL, 0, nullptr));
		r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.require_data_moves();
	});
}

/* "or implicitly by a Connection Request": that of a PSP with DAT_PSP_PROVIDER_FLAG */
TEST(DatCrAccept, DescriptionOnAnEndpointOfTheProviders)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		DAT_EP_HANDLE ep;

		DAT_CR_HANDLE cr = maker.request(ep);
		maker.adopt(ep);
		ok(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr));
		maker.events.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
		maker.caller.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		Maker::require_state(ep, DAT_EP_STATE_CONNECTED);
		ok(dat_ep_free(ep));
	});
}

/* "If the local Endpoint is specified by the Connection Request ... shall be DAT_HANDLE_NULL" */
TEST(DatCrAccept, ParametersTheEndpointMustBeNullWhereTheRequestHasOne)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		Endpoint other(adapter);

		DAT_CR_HANDLE cr = r.request();
		for (DAT_EP_HANDLE ep : { r.passive.ep(), other.ep() })
			refused(dat_cr_accept(cr, ep, 0, nullptr), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_EP);
		r.passive.require_state(DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
		other.require_state(DAT_EP_STATE_UNCONNECTED);
		ok(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr));
		r.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* ... and must not where it has none */
TEST(DatCrAccept, ParametersTheEndpointMustBeGivenWhereTheRequestHasNone)
{
	with_scene([](Scene &s) {
		s.ep = DAT_HANDLE_NULL;
		refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
		s.require_no_effect();
	});
}

/* "Size of the private_data, which must be nonnegative." */
TEST(DatCrAccept, ParametersPrivateDataSizeMustBeNonnegative)
{
	with_scene([](Scene &s) {
		char bytes[1] = {};

		s.data = bytes;
		for (DAT_COUNT size : { -1, INT32_MIN }) {
			s.size = size;
			refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		}
		s.require_no_effect();
	});
}

/* "out of range" */
TEST(DatCrAccept, ParametersPrivateDataMustFit)
{
	with_scene([](Scene &s) {
		const int most =
			std::stoi(s.adapter.named_attribute("KDAPL_MAX_PRIVATE_DATA_ACCEPT"));
		std::string bytes(static_cast<std::size_t>(most) + 1, 'x');

		EXPECT_GE(most, s.adapter.provider().max_private_data_size);
		s.data = bytes.data();
		s.size = most + 1;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		s.require_no_effect();
	});
}

/* "If private_data_size is zero, then private_data can be NULL." */
TEST(DatCrAccept, ParametersPrivateDataMayBeNullOnlyWithoutSize)
{
	with_scene([](Scene &s) {
		s.size = 1;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
		s.require_no_effect();
	});
}

/* "private data that is provided to the remote side upon Connection establishment" */
TEST(DatCrAccept, DescriptionPrivateDataIsProvidedToTheRemoteSide)
{
	with_scene([](Scene &s) {
		std::string bytes(
			static_cast<std::size_t>(s.adapter.provider().max_private_data_size), 'y');

		s.data = bytes.data();
		s.size = static_cast<DAT_COUNT>(bytes.size());
		ok(s.call());
		auto answer = s.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		require_private_data(answer.private_data, answer.private_data_size, bytes);
		/* The passive side gets none. */
		auto own = s.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		EXPECT_EQ(own.private_data_size, 0);
	});
}

/* "does not satisfy the requested Connection Request ... without any effect": its state */
TEST(DatCrAccept, DescriptionAnEndpointInAnotherStateHasNoEffect)
{
	with_scene([](Scene &s) {
		in_every_state(s.adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			DAT_EP_STATE after;

			if (state == DAT_EP_STATE_UNCONNECTED)
				return;
			s.ep = ep;
			refused(s.call(), DAT_INVALID_STATE, subtype_of(state));
			ok(dat_ep_get_status(ep, &after, nullptr, nullptr));
			EXPECT_EQ(after, state);
		});
		s.require_no_effect();
	});
}

/* "without any effect": an endpoint without a zone, or without connect_evd */
TEST(DatCrAccept, DescriptionAnIncompleteEndpointHasNoEffect)
{
	with_scene([](Scene &s) {
		DAT_EVD_HANDLE events = s.passive.connect_queue().evd();

		ok(dat_ep_create(s.adapter.ia(), DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL,
				 events, nullptr, &s.ep));
		refused(s.call(), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_NOTREADY);
		ok(dat_ep_free(s.ep));
		ok(dat_ep_create(s.adapter.ia(), s.adapter.pz(), DAT_HANDLE_NULL, DAT_HANDLE_NULL,
				 DAT_HANDLE_NULL, nullptr, &s.ep));
		refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN);
		ok(dat_ep_free(s.ep));
		s.require_no_effect();
	});
}

/* "without any effect on ... private data": receives of the endpoint stay, too */
TEST(DatCrAccept, DescriptionAFailureLeavesPostedReceives)
{
	with_scene([](Scene &s) {
		Region region(s.adapter, 4096);

		ok(s.passive.recv(region.local(0, 64), 7));
		s.size = -1;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		s.require_no_effect();
		s.passive.recv_queue().require_empty();
		ok(s.active.send(region.local(64, 64), 8));
		s.passive.expect_recv(7, 64);
	});
}

/* "reported through ... DAT_CONNECTION_EVENT_ESTABLISHED on the connect_evd" */
TEST(DatCrAccept, DescriptionTheOperationIsAsynchronous)
{
	with_scene([](Scene &s) {
		ok(s.call());
		const DAT_EP_STATE state = s.passive.state();
		EXPECT_TRUE(state == DAT_EP_STATE_COMPLETION_PENDING ||
			    state == DAT_EP_STATE_CONNECTED)
			<< state;
		s.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		s.passive.connect_queue().require_empty();
	});
}

/**
 * Accepts a request whose caller is gone. On iWARP its TCP connection may still be
 * there, so that first it succeeds.
 */
void accept_in_vain(Scene &s, Location where = Location::current())
{
	ok(s.call(), where);
	DAT_EVENT event = s.passive.connect_queue().wait(where);
	if (s.adapter.iwarp() && event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED)
		s.passive.expect_end(where);
	else
		require(event.event_number == DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR,
			"event " + std::to_string(event.event_number), where);
	s.passive.require_state(DAT_EP_STATE_DISCONNECTED, where);
}

/* "ACCEPT_COMPLETION_ERROR ... can be caused by the active side timeout expiration" */
TEST(DatCrAccept, DescriptionTheActiveSideTimedOut)
{
	with_scene([](Scene &s) {
		Endpoint hasty(s.adapter);

		/* Long enough for the request to come. */
		ok(hasty.connect(s.adapter.address(), s.listener.qual(), {}, 3'000'000));
		DAT_CR_HANDLE first = std::exchange(s.cr, s.listener.request());
		hasty.expect_connection(DAT_CONNECTION_EVENT_TIMED_OUT);
		accept_in_vain(s);
		ok(dat_cr_reject(first));
	});
}

/* "or any other reason ... all posted Recv DTOs are flushed to its recv_evd_handle" */
TEST(DatCrAccept, DescriptionReceivesAreFlushedWhereItFails)
{
	with_scene([](Scene &s) {
		Region region(s.adapter, 4096);

		ok(s.passive.recv(region.local(0, 64), 1));
		ok(s.passive.recv(region.local(64, 64), 2));
		ok(dat_ep_disconnect(s.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		s.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		accept_in_vain(s);
		s.passive.expect_recv_failure(1, DAT_DTO_ERR_FLUSHED);
		s.passive.expect_recv_failure(2, DAT_DTO_ERR_FLUSHED);
	});
}

/* "Use of the handle of the destroyed cr_handle in any consequent operation fails." */
TEST(DatCrAccept, DescriptionDestroysTheRequest)
{
	with_scene([](Scene &s) {
		Endpoint other(s.adapter);
		DAT_CR_PARAM param;
		DAT_CONTEXT context{};
		DAT_HANDLE_TYPE type;

		ok(s.call());
		s.ep = other.ep();
		refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
		refused(dat_cr_query(s.cr, DAT_CR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE_CR);
		refused(dat_cr_reject(s.cr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
		refused(dat_cr_handoff(s.cr, s.listener.qual()), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE_CR);
		fails(DAT_INVALID_HANDLE, dat_get_consumer_context(s.cr, &context));
		fails(DAT_INVALID_HANDLE, dat_get_handle_type(s.cr, &type));
		other.require_state(DAT_EP_STATE_UNCONNECTED);
		s.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* "The cr_handle or ep_handle parameter is invalid." */
TEST(DatCrAccept, ReturnValuesInvalidHandle)
{
	with_scene([](Scene &s) {
		const DAT_CR_HANDLE cr = s.cr;
		Adapter elsewhere;
		Endpoint foreign(elsewhere);

		for (DAT_HANDLE wrong : { DAT_HANDLE(DAT_HANDLE_NULL), DAT_HANDLE(s.listener.psp()),
					  DAT_HANDLE(s.ep) }) {
			s.cr = wrong;
			refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
		}
		s.cr = cr;
		for (DAT_HANDLE wrong :
		     { DAT_HANDLE(s.listener.psp()), DAT_HANDLE(foreign.ep()) }) {
			s.ep = wrong;
			refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
		}
		s.require_no_effect();
	});
}

/** Accepts on an endpoint with these depths; the caller serves and asks four. */
DAT_RETURN accept_with_depths(Scene &s, DAT_COUNT in, DAT_COUNT out)
{
	set_depths(s.passive.ep(), in, out);
	return s.call();
}

/* "incoming ... larger than or equal to the remote ... outgoing": that establishes it */
TEST(DatCrAccept, UsageDepthsThatFit)
{
	with_scene([](Scene &s) {
		ok(accept_with_depths(s, 5, 3));
		s.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		s.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

void require_misfit(Scene &s, DAT_COUNT in, DAT_COUNT out)
{
	if (s.adapter.iwarp()) {
		refused(accept_with_depths(s, in, out), DAT_INVALID_PARAMETER, DAT_NO_SUBTYPE);
		s.passive.require_state(DAT_EP_STATE_UNCONNECTED);
		ok(dat_cr_reject(s.cr));
		return;
	}
	ok(accept_with_depths(s, in, out));
	s.passive.expect_connection(DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
	s.passive.require_state(DAT_EP_STATE_DISCONNECTED);
	s.active.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
	s.active.require_state(DAT_EP_STATE_DISCONNECTED);
}

/* "outgoing attribute larger than the requesting remote Endpoint ... incoming" */
TEST(DatCrAccept, UsageAsksMoreReadsThanThePeerServes)
{
	with_scene([](Scene &s) { require_misfit(s, 4, 5); });
}

/* "incoming attribute is smaller than the requesting remote Endpoint ... outgoing" */
TEST(DatCrAccept, UsageServesFewerReadsThanThePeerAsks)
{
	with_scene([](Scene &s) { require_misfit(s, 3, 4); });
}

/* "it can set the two outstanding RDMA Read attribute values to 0" */
TEST(DatCrAccept, UsageDepthsOfNothing)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);

		set_depths(active.ep(), 0, 0);
		set_depths(passive.ep(), 0, 0);
		ok(active.connect(adapter.address(), listener.qual()));
		ok(dat_cr_accept(listener.request(), passive.ep(), 0, nullptr));
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* "The Provider can change these default values during connection setup." */
TEST(DatCrAccept, UsageDefaultDepthsAreFittedToThePeers)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter);
		EventQueue events(adapter, 16);
		DAT_EP_PARAM param;
		DAT_EP_HANDLE ep;

		set_depths(active.ep(), 1, 1);
		ok(dat_ep_create(adapter.ia(), adapter.pz(), events.evd(), events.evd(),
				 events.evd(), nullptr, &ep));
		ok(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param));
		EXPECT_GT(param.ep_attr.max_rdma_read_out, 1);
		ok(active.connect(adapter.address(), listener.qual()));
		ok(dat_cr_accept(listener.request(), ep, 0, nullptr));
		events.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param));
		EXPECT_EQ(param.ep_attr.max_rdma_read_out, 1);
		EXPECT_GE(param.ep_attr.max_rdma_read_in, 1);
		ok(dat_ep_free(ep));
	});
}

} // namespace
} // namespace suite

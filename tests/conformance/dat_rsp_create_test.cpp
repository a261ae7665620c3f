// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_rsp_create(3DAT)

#include "ep_states.hpp"
#include "no_resources.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/** The arguments of the call; tests change what they are about. */
struct Call {
	explicit Call(const Adapter &adapter)
		: queue(adapter, 16, DAT_EVD_CR_FLAG), passive(adapter), ia(adapter.ia()),
		  qual(free_qualifier(adapter)), ep(passive.ep()), evd(queue.evd())
	{
	}
	DAT_RETURN operator()() { return dat_rsp_create(ia, qual, ep, evd, &rsp); }

	EventQueue queue;
	Endpoint passive;
	DAT_IA_HANDLE ia;
	DAT_CONN_QUAL qual;
	DAT_EP_HANDLE ep;
	DAT_EVD_HANDLE evd;
	DAT_RSP_HANDLE rsp = DAT_HANDLE_NULL;
};

void with_call(void (*body)(const Adapter &adapter, Call &call))
{
	play([body](Line &) {
		Adapter adapter;
		Call call(adapter);

		body(adapter, call);
	});
}

/* The endpoint is the service point's meanwhile. */
TEST(DatRspCreate, DescriptionTheEndpointIsReserved)
{
	with_call([](const Adapter &, Call &call) {
		ok(call());
		call.passive.require_state(DAT_EP_STATE_RESERVED);
		ok(dat_rsp_free(call.rsp));
		call.passive.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

/* "generates, at most, one Connection Request": later ones find nobody */
TEST(DatRspCreate, DescriptionAtMostOneRequest)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		Endpoint late(adapter);

		DAT_CR_HANDLE cr = r.request();
		ok(late.connect(adapter.address(), r.qual));
		late.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		r.queue.require_empty();
		ok(dat_cr_reject(cr));
		ok(dat_ep_reset(late.ep()));
		ok(late.connect(adapter.address(), r.qual));
		late.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
	});
}

/* "delivered to the specified Event Dispatcher in a Notification event" */
TEST(DatRspCreate, DescriptionTheEventTellsOfTheServicePoint)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		/* Reserved::request() looks at the handle and at the qualifier. */
		ok(dat_cr_reject(r.request()));
	});
}

/* "transitioned from Reserved to Passive Connection Pending state" */
TEST(DatRspCreate, UsageTheRequestMakesTheEndpointPassivePending)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		DAT_CR_PARAM param;

		r.passive.require_state(DAT_EP_STATE_RESERVED);
		DAT_CR_HANDLE cr = r.request();
		r.passive.require_state(DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
		/* "includes, among others, ... its Local Endpoint" */
		ok(dat_cr_query(cr, DAT_CR_FIELD_LOCAL_EP_HANDLE, &param));
		EXPECT_EQ(param.local_ep_handle, r.passive.ep());
		ok(dat_cr_reject(cr));
	});
}

/* "If accepted, the original Local Endpoint is now in a Connected state and fully usable" */
TEST(DatRspCreate, UsageAccepted)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		ok(dat_cr_accept(r.request(), DAT_HANDLE_NULL, 0, nullptr));
		r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.passive.require_state(DAT_EP_STATE_CONNECTED);
		r.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		r.require_data_moves();
	});
}

/* "If rejected, the Local Endpoint point transitions into Unconnected state." */
TEST(DatRspCreate, UsageRejected)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		ok(dat_cr_reject(r.request()));
		r.passive.require_state(DAT_EP_STATE_UNCONNECTED);
		/* "can elect to destroy it" */
		r.passive.free();
	});
}

/* Receives that were posted before are for its connection. */
TEST(DatRspCreate, UsageReceivesMayBePostedBefore)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		Region region(adapter, 4096);

		ok(r.passive.recv(region.local(0, 64), 5));
		ok(dat_cr_accept(r.request(), DAT_HANDLE_NULL, 0, nullptr));
		r.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(r.active.send(region.local(64, 64), 6));
		r.passive.expect_recv(5, 64);
	});
}

/* "The ia_handle, evd_handle, or ep_handle parameter is invalid." */
TEST(DatRspCreate, ReturnValuesInvalidHandle)
{
	with_call([](const Adapter &adapter, Call &call) {
		EventQueue no_requests(adapter, 4, DAT_EVD_DTO_FLAG);
		Adapter elsewhere;
		Endpoint foreign(elsewhere);

		call.ia = adapter.pz();
		refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
		call.ia = adapter.ia();
		for (DAT_EP_HANDLE ep : { DAT_EP_HANDLE(adapter.pz()), foreign.ep() }) {
			call.ep = ep;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
		}
		call.ep = call.passive.ep();
		for (DAT_EVD_HANDLE evd : { DAT_EVD_HANDLE(DAT_HANDLE_NULL), no_requests.evd() }) {
			call.evd = evd;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
		}
		call.passive.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

/* "The conn_qual parameter is invalid." */
TEST(DatRspCreate, ReturnValuesInvalidParameter)
{
	with_call([](const Adapter &adapter, Call &call) {
		refused(dat_rsp_create(adapter.ia(), call.qual, call.ep, call.evd, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
		call.qual = 0;
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		call.passive.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

/* "an Endpoint was not in the Idle state", which is UNCONNECTED */
TEST(DatRspCreate, ReturnValuesInvalidState)
{
	with_call([](const Adapter &adapter, Call &call) {
		in_every_state(adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			DAT_EP_STATE after;

			if (state == DAT_EP_STATE_UNCONNECTED)
				return;
			call.ep = ep;
			refused(call(), DAT_INVALID_STATE, subtype_of(state));
			ok(dat_ep_get_status(ep, &after, nullptr, nullptr));
			EXPECT_EQ(after, state);
		});
	});
}

/* "Specified Connection Qualifier is in use." */
TEST(DatRspCreate, ReturnValuesConnQualInUse)
{
	with_call([](const Adapter &adapter, Call &call) {
		Listener listener(adapter);
		Reserved r(adapter);

		for (DAT_CONN_QUAL qual : { listener.qual(), r.qual }) {
			call.qual = qual;
			refused(call(), DAT_CONN_QUAL_IN_USE, DAT_NO_SUBTYPE);
			call.passive.require_state(DAT_EP_STATE_UNCONNECTED);
		}
	});
}

/* "due to resource limitations": of memory */
TEST(DatRspCreate, ReturnValuesInsufficientResourcesNoHeap)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	with_call([](const Adapter &, Call &call) {
		check_without_heap(call);
		ok(dat_rsp_free(call.rsp));
	});
}

} // namespace
} // namespace suite

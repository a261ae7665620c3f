// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_cr_reject(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "service_point.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "rejects a Connection Request from the Active remote side" */
TEST(DatCrReject, DescriptionTheActiveSideIsToldThatThePeerRejected)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter);

		ok(active.connect(adapter.address(), listener.qual()));
		ok(dat_cr_reject(listener.request()));
		active.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		active.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* "that Endpoint reverts to Provider Control": its handle is dead */
TEST(DatCrReject, DescriptionTheProvidersEndpointReverts)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		DAT_EP_HANDLE ep;

		DAT_CR_HANDLE cr = maker.request(ep);
		maker.adopt(ep);
		ok(dat_cr_reject(cr));
		refused(dat_ep_free(ep), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
		maker.caller.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
	});
}

/* "reverts to Consumer control, and the Consumer is free to use in any way it wants" */
TEST(DatCrReject, DescriptionTheEndpointOfAnRspReverts)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		Listener listener(adapter);
		Endpoint other(adapter);

		ok(dat_cr_reject(r.request()));
		r.passive.require_state(DAT_EP_STATE_UNCONNECTED);
		r.active.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		ok(r.passive.connect(adapter.address(), listener.qual()));
		listener.accept(other);
		r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* Receives that were posted on it stay. */
TEST(DatCrReject, DescriptionTheEndpointOfAnRspKeepsItsReceives)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		Listener listener(adapter);
		Endpoint other(adapter);
		Region region(adapter, 4096);

		ok(r.passive.recv(region.local(0, 64), 5));
		ok(dat_cr_reject(r.request()));
		ok(other.connect(adapter.address(), listener.qual()));
		listener.accept(r.passive);
		other.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(other.send(region.local(64, 64), 6));
		r.passive.expect_recv(5, 64);
	});
}

/* "Use of the handle of the destroyed Connection Request in any consequent operation fails." */
TEST(DatCrReject, DescriptionDestroysTheRequest)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		DAT_CR_PARAM param;

		ok(active.connect(adapter.address(), listener.qual()));
		DAT_CR_HANDLE cr = listener.request();
		ok(dat_cr_reject(cr));
		for (DAT_RETURN result :
		     { dat_cr_reject(cr), dat_cr_query(cr, DAT_CR_FIELD_ALL, &param),
		       accept_request(cr, passive), dat_cr_handoff(cr, listener.qual()) })
			refused(result, DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
		passive.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

/* A request whose caller is gone can be rejected like any other. */
TEST(DatCrReject, DescriptionTheCallerIsGone)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter);

		ok(active.connect(adapter.address(), listener.qual()));
		DAT_CR_HANDLE cr = listener.request();
		active.free();
		ok(dat_cr_reject(cr));
	});
}

TEST(DatCrReject, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);

		for (DAT_CR_HANDLE cr :
		     { DAT_CR_HANDLE(DAT_HANDLE_NULL), DAT_CR_HANDLE(listener.psp()) })
			refused(dat_cr_reject(cr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
	});
}

} // namespace
} // namespace suite

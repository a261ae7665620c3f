// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_free(3DAT)

#include "ep_states.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

bool is_locked(DAT_EP_STATE state)
{
	return state == DAT_EP_STATE_RESERVED || state == DAT_EP_STATE_PASSIVE_CONNECTION_PENDING ||
	       state == DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING;
}

/* "in any Endpoint state except Reserved, Passive ... and Tentative Connection Pending" */
TEST(DatEpFree, DescriptionInEveryStateButThree)
{
	play([](Line &) {
		Adapter adapter;

		in_every_state(adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			if (is_locked(state))
				return;
			ok(dat_ep_free(ep));
			refused(dat_ep_free(ep), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
		});
	});
}

/* "The destruction of the Endpoint during connection setup aborts connection establishment." */
TEST(DatEpFree, DescriptionAbortsTheConnectionEstablishment)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);

		ok(active.connect(adapter.address(), listener.qual()));
		DAT_CR_HANDLE cr = listener.request();
		active.free();
		ok(accept_request(cr, passive));
		/* On iWARP the TCP connection may still be there, so that first it succeeds. */
		DAT_EVENT event = passive.connect_queue().expect(
			{ DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR,
			  DAT_CONNECTION_EVENT_ESTABLISHED });
		if (event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED)
			passive.expect_end();
		passive.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* "If the Endpoint is in the Reserved state, ... first destroy the ... Reserved Service Point" */
TEST(DatEpFree, DescriptionReserved)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		refused(dat_ep_free(r.passive.ep()), DAT_INVALID_STATE,
			DAT_INVALID_STATE_EP_RESERVED);
		r.free();
		r.passive.free();
	});
}

/* "Passive Connection Pending ... first reject the associated Connection Request" */
TEST(DatEpFree, DescriptionPassiveConnectionPending)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		DAT_CR_HANDLE cr = r.request();
		refused(dat_ep_free(r.passive.ep()), DAT_INVALID_STATE,
			DAT_INVALID_STATE_EP_PASSCONNPENDING);
		ok(dat_cr_reject(cr));
		r.passive.free();
	});
}

/* "Tentative ... reject ... and the Endpoint is destroyed as far as the Consumer is concerned" */
TEST(DatEpFree, DescriptionTentativeConnectionPending)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		DAT_EP_HANDLE ep;

		DAT_CR_HANDLE cr = maker.request(ep);
		refused(dat_ep_free(ep), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_TENTCONNPENDING);
		ok(dat_cr_reject(cr));
		refused(dat_ep_free(ep), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	});
}

/* "also destroys an Event Stream for each of the associated Event Dispatchers" */
TEST(DatEpFree, DescriptionGivesBackItsEvdsAndItsZone)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE evd;
		DAT_PZ_HANDLE pz;
		DAT_EP_HANDLE ep;

		ok(dat_pz_create(adapter.ia(), &pz));
		ok(dat_evd_create(adapter.ia(), 8, DAT_HANDLE_NULL, any_stream, &evd));
		ok(dat_ep_create(adapter.ia(), pz, evd, evd, evd, nullptr, &ep));
		refused(dat_evd_free(evd), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
		refused(dat_pz_free(pz), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE);
		ok(dat_ep_free(ep));
		ok(dat_evd_free(evd));
		ok(dat_pz_free(pz));
	});
}

/* The peer of a connection hears of it. */
TEST(DatEpFree, DescriptionEndsTheConnection)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);

		pair.active.free();
		pair.passive.expect_end();
	});
}

/* "either still being on the Endpoint recv_evd_handle ... or not being there" */
TEST(DatEpFree, DescriptionCompletionsThatRemainCanBeTaken)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);
		DAT_EVENT event;

		for (DAT_UINT64 i = 0; i < 8; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		pair.active.free();
		while (dat_evd_dequeue(pair.active.recv_queue().evd(), &event) == DAT_SUCCESS)
			EXPECT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
	});
}

/* "Use of the handle of the destroyed Endpoint in any subsequent operation ... fails." */
TEST(DatEpFree, DescriptionTheHandleIsDead)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		const DAT_EP_HANDLE ep = endpoint.ep();
		DAT_EP_PARAM param{};
		DAT_EP_STATE state;
		DAT_COUNT count;

		endpoint.free();
		for (DAT_RETURN result :
		     { dat_ep_query(ep, DAT_EP_FIELD_ALL, &param),
		       dat_ep_modify(ep, DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &param),
		       dat_ep_get_status(ep, &state, nullptr, nullptr), dat_ep_reset(ep),
		       dat_ep_recv_query(ep, &count, &count), dat_ep_set_watermark(ep, 1, 1),
		       dat_ep_disconnect(ep, DAT_CLOSE_ABRUPT_FLAG), dat_ep_free(ep) })
			refused(result, DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	});
}

TEST(DatEpFree, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_EP_HANDLE ep :
		     { DAT_EP_HANDLE(DAT_HANDLE_NULL), DAT_EP_HANDLE(adapter.pz()) })
			refused(dat_ep_free(ep), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	});
}

TEST(DatEpFree, ReturnValuesInvalidState)
{
	play([](Line &) {
		Adapter adapter;

		in_every_state(adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			DAT_EP_STATE after;

			if (!is_locked(state))
				return;
			refused(dat_ep_free(ep), DAT_INVALID_STATE, subtype_of(state));
			ok(dat_ep_get_status(ep, &after, nullptr, nullptr));
			EXPECT_EQ(after, state);
		});
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Service points whose requests come with an endpoint. */

#include "endpoint.hpp"
#include "play.hpp"
#include "service_point.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace suite {
namespace {

DAT_RETURN post_recv(DAT_EP_HANDLE ep, DAT_LMR_TRIPLET segment, DAT_UINT64 cookie)
{
	DAT_DTO_COOKIE c;

	c.as_64 = cookie;
	return dat_ep_post_recv(ep, 1, &segment, c, DAT_COMPLETION_DEFAULT_FLAG);
}

TEST(ProviderEp, AdoptedAcceptedAndUsed)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		Region region(adapter, 8192);
		DAT_EP_HANDLE ep;
		DAT_PSP_PARAM psp;
		DAT_EP_PARAM param;

		EXPECT_EQ(adapter.provider().ep_creator, DAT_PSP_CREATES_EP_IFASKED);
		ok(dat_psp_query(maker.psp, DAT_PSP_FIELD_ALL, &psp));
		EXPECT_EQ(psp.psp_flags, DAT_PSP_PROVIDER_FLAG);
		EXPECT_EQ(psp.conn_qual, maker.qual);

		DAT_CR_HANDLE cr = maker.request(ep);
		ok(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param));
		EXPECT_EQ(param.pz_handle, DAT_HANDLE_NULL);
		EXPECT_EQ(param.recv_evd_handle, DAT_HANDLE_NULL);
		EXPECT_EQ(param.request_evd_handle, DAT_HANDLE_NULL);
		EXPECT_EQ(param.connect_evd_handle, DAT_HANDLE_NULL);
		EXPECT_NE(param.remote_ia_address_ptr, nullptr);

		/* Not before it is complete, and not by anything else. */
		fails(DAT_INVALID_HANDLE, dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr));
		fails(DAT_INVALID_STATE, dat_ep_free(ep));
		fails(DAT_INVALID_STATE, dat_ep_reset(ep));
		fails(DAT_INVALID_STATE, dat_ep_disconnect(ep, DAT_CLOSE_ABRUPT_FLAG));
		fails(DAT_INVALID_STATE, post_recv(ep, region.local(0, 4096), 1));
		maker.adopt(ep);
		ok(post_recv(ep, region.local(0, 4096), 1));
		ok(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr));
		maker.events.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
		maker.caller.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		Maker::require_state(ep, DAT_EP_STATE_CONNECTED);

		fill(region.bytes(4096, 1000), 9);
		ok(maker.caller.send(region.local(4096, 1000), 2));
		maker.caller.expect_request(2, 1000);
		DAT_EVENT event = maker.events.expect(DAT_DTO_COMPLETION_EVENT);
		EXPECT_EQ(event.event_data.dto_completion_event_data.ep_handle, ep);
		EXPECT_EQ(event.event_data.dto_completion_event_data.transfered_length, 1000U);
		require_pattern(region.bytes(0, 1000), 9);

		/* From now on it is like any other. */
		ok(dat_ep_disconnect(ep, DAT_CLOSE_GRACEFUL_FLAG));
		maker.events.expect(DAT_CONNECTION_EVENT_DISCONNECTED);
		ok(dat_ep_reset(ep));
		ok(dat_ep_free(ep));
	});
}

TEST(ProviderEp, GoesWithARejectedRequest)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		DAT_EP_STATE state;
		DAT_EP_HANDLE ep;

		for (bool adopted : { false, true }) {
			DAT_CR_HANDLE cr = maker.request(ep);
			if (adopted)
				maker.adopt(ep);
			ok(dat_cr_reject(cr));
			fails(DAT_INVALID_HANDLE, dat_ep_get_status(ep, &state, nullptr, nullptr));
			maker.caller.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
			ok(dat_ep_reset(maker.caller.ep()));
		}
	});
}

TEST(ProviderEp, GoesWithARequestHandedOff)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		Listener listener(adapter);
		Endpoint passive(adapter);
		DAT_EP_STATE state;
		DAT_EP_HANDLE ep;

		ok(dat_cr_handoff(maker.request(ep), listener.qual()));
		fails(DAT_INVALID_HANDLE, dat_ep_get_status(ep, &state, nullptr, nullptr));
		listener.accept(passive);
		maker.caller.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

TEST(ProviderEp, OutlivesItsServicePoint)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		DAT_EP_HANDLE ep;

		DAT_CR_HANDLE cr = maker.request(ep);
		ok(dat_psp_free(std::exchange(maker.psp, DAT_HANDLE_NULL)));
		maker.adopt(ep);
		ok(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr));
		maker.events.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
		maker.caller.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(dat_ep_free(ep));
	});
}

/* No call has the program free what the provider made. */
TEST(ProviderEp, UndecidedAtTheClose)
{
	play([](Line &) {
		Adapter calling;
		Endpoint caller(calling);
		{
			Adapter adapter;
			EventQueue queue(adapter, 4, DAT_EVD_CR_FLAG);
			DAT_CONN_QUAL qual;
			DAT_PSP_HANDLE psp;

			ok(dat_psp_create_any(adapter.ia(), &qual, queue.evd(),
					      DAT_PSP_PROVIDER_FLAG, &psp));
			ok(caller.connect(calling.address(), qual));
			queue.expect(DAT_CONNECTION_REQUEST_EVENT);
			ok(dat_psp_free(psp));
		}
		caller.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
	});
}

TEST(ProviderEp, ForAReservedServicePointToo)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		DAT_RSP_HANDLE rsp;
		DAT_EP_HANDLE ep;

		ok(dat_psp_free(std::exchange(maker.psp, DAT_HANDLE_NULL)));
		ok(dat_rsp_create(adapter.ia(), maker.qual, DAT_HANDLE_NULL, maker.queue.evd(),
				  &rsp));
		DAT_CR_HANDLE cr = maker.request(ep);
		maker.adopt(ep);
		ok(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr));
		maker.events.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
		maker.caller.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(dat_rsp_free(rsp));
		ok(dat_ep_free(ep));
	});
}

} // namespace
} // namespace suite

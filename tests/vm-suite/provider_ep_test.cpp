// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Service points whose requests come with an endpoint. */

#include "endpoint.hpp"
#include "play.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace suite {
namespace {

/** A listener whose requests come with an endpoint, and somebody who calls. */
struct Maker {
	explicit Maker(const Adapter &a)
		: adapter(a), queue(a, 16, DAT_EVD_CR_FLAG), events(a, 64), caller(a)
	{
		ok(dat_psp_create_any(a.ia(), &qual, queue.evd(), DAT_PSP_PROVIDER_FLAG, &psp));
	}
	Maker(const Maker &) = delete;
	Maker &operator=(const Maker &) = delete;
	~Maker()
	{
		if (psp != DAT_HANDLE_NULL)
			dat_psp_free(psp);
	}

	/** A request, and its endpoint. */
	DAT_CR_HANDLE request(DAT_EP_HANDLE &ep, Location where = Location::current())
	{
		DAT_CR_PARAM param;

		ok(caller.connect(adapter.address(), qual, "hello"), where);
		DAT_EVENT event = queue.expect(DAT_CONNECTION_REQUEST_EVENT, where);
		DAT_CR_HANDLE cr = event.event_data.cr_arrival_event_data.cr_handle;
		ok(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param), where);
		ep = param.local_ep_handle;
		require(ep != DAT_HANDLE_NULL, "the request brings no EP", where);
		require_state(ep, DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING, where);
		return cr;
	}

	/** The zone and the queues that it lacks. */
	void adopt(DAT_EP_HANDLE ep, Location where = Location::current())
	{
		DAT_EP_PARAM param{};

		param.pz_handle = adapter.pz();
		param.recv_evd_handle = events.evd();
		param.request_evd_handle = events.evd();
		param.connect_evd_handle = events.evd();
		ok(dat_ep_modify(ep,
				 DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE |
					 DAT_EP_FIELD_REQUEST_EVD_HANDLE |
					 DAT_EP_FIELD_CONNECT_EVD_HANDLE,
				 &param),
		   where);
	}

	static void require_state(DAT_EP_HANDLE ep, DAT_EP_STATE expected,
				  Location where = Location::current())
	{
		DAT_EP_STATE state;

		ok(dat_ep_get_status(ep, &state, nullptr, nullptr), where);
		require(state == expected, "the EP is in state " + std::to_string(state), where);
	}

	const Adapter &adapter;
	EventQueue queue, events;
	Endpoint caller;
	DAT_CONN_QUAL qual = 0;
	DAT_PSP_HANDLE psp = DAT_HANDLE_NULL;
};

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

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Service points that bring an endpoint with a request. */
#pragma once

#include "endpoint.hpp"

#include <string>
#include <utility>

namespace suite {

/** A qualifier that nobody listens on. */
inline DAT_CONN_QUAL free_qualifier(const Adapter &adapter)
{
	return Listener(adapter).qual();
}

/** An endpoint with an RSP, and somebody who connects to it. */
struct Reserved {
	explicit Reserved(const Adapter &a)
		: adapter(a), queue(a, 16, DAT_EVD_CR_FLAG), passive(a), active(a),
		  qual(free_qualifier(a))
	{
		ok(dat_rsp_create(a.ia(), qual, passive.ep(), queue.evd(), &rsp));
	}
	Reserved(const Reserved &) = delete;
	Reserved &operator=(const Reserved &) = delete;
	~Reserved()
	{
		if (rsp != DAT_HANDLE_NULL)
			dat_rsp_free(rsp);
	}

	void free(Location where = Location::current())
	{
		ok(dat_rsp_free(std::exchange(rsp, DAT_HANDLE_NULL)), where);
	}

	/** The active side's request, as the passive side sees it. */
	DAT_CR_HANDLE request(Location where = Location::current())
	{
		ok(active.connect(adapter.address(), qual, "hello"), where);
		DAT_EVENT event = queue.expect(DAT_CONNECTION_REQUEST_EVENT, where);
		auto &data = event.event_data.cr_arrival_event_data;
		require(data.sp_handle.rsp_handle == rsp, "the request names another RSP", where);
		require(data.conn_qual == qual, "the request names another qualifier", where);
		passive.require_state(DAT_EP_STATE_PASSIVE_CONNECTION_PENDING, where);
		return data.cr_handle;
	}

	void require_data_moves(Location where = Location::current())
	{
		Region here(adapter, 4096), there(adapter, 4096);

		fill(here.bytes(0, 1000), 7);
		ok(passive.recv(there.local(0, 4096), 1), where);
		ok(active.send(here.local(0, 1000), 2), where);
		passive.expect_recv(1, 1000, where);
		active.expect_request(2, 1000, where);
		require_pattern(there.bytes(0, 1000), 7, where);
	}

	const Adapter &adapter;
	EventQueue queue;
	Endpoint passive, active;
	DAT_CONN_QUAL qual;
	DAT_RSP_HANDLE rsp = DAT_HANDLE_NULL;
};

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

} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_query(3DAT)

#include "ep_states.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>

namespace suite {
namespace {

DAT_EP_PARAM query(DAT_EP_HANDLE ep, DAT_EP_PARAM_MASK mask = DAT_EP_FIELD_ALL)
{
	DAT_EP_PARAM param{};

	ok(dat_ep_query(ep, mask, &param));
	return param;
}

in_addr_t ip(DAT_IA_ADDRESS_PTR address)
{
	return reinterpret_cast<sockaddr_in *>(address)->sin_addr.s_addr;
}

/* "The Provider returns values for ep_param_mask requested parameters." */
TEST(DatEpQuery, DescriptionOneParameterAtATime)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint e(adapter, { .recvs = 7, .requests = 9, .recv_iov = 2 });

		EXPECT_EQ(query(e.ep(), DAT_EP_FIELD_IA_HANDLE).ia_handle, adapter.ia());
		EXPECT_EQ(query(e.ep(), DAT_EP_FIELD_EP_STATE).ep_state, DAT_EP_STATE_UNCONNECTED);
		EXPECT_EQ(query(e.ep(), DAT_EP_FIELD_PZ_HANDLE).pz_handle, adapter.pz());
		EXPECT_EQ(query(e.ep(), DAT_EP_FIELD_RECV_EVD_HANDLE).recv_evd_handle,
			  e.recv_queue().evd());
		EXPECT_EQ(query(e.ep(), DAT_EP_FIELD_REQUEST_EVD_HANDLE).request_evd_handle,
			  e.request_queue().evd());
		EXPECT_EQ(query(e.ep(), DAT_EP_FIELD_CONNECT_EVD_HANDLE).connect_evd_handle,
			  e.connect_queue().evd());
		EXPECT_EQ(query(e.ep(), DAT_EP_FIELD_SRQ_HANDLE).srq_handle, DAT_HANDLE_NULL);
		EXPECT_EQ(query(e.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS).ep_attr.max_recv_dtos,
			  7);
		EXPECT_EQ(query(e.ep(), DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS)
				  .ep_attr.max_request_dtos,
			  9);
		EXPECT_EQ(query(e.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV).ep_attr.max_recv_iov, 2);
	});
}

/* The state, in each one of them. */
TEST(DatEpQuery, DescriptionTheState)
{
	play([](Line &) {
		Adapter adapter;

		in_every_state(adapter, [](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			EXPECT_EQ(query(ep).ep_state, state);
		});
	});
}

/* "remote_ia_address and remote_port_qual are valid" while there is a peer */
TEST(DatEpQuery, DescriptionTheRemoteEnd)
{
	play([](Line &) {
		Adapter adapter;

		in_every_state(adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			const DAT_EP_PARAM param = query(ep);

			if (state == DAT_EP_STATE_UNCONNECTED || state == DAT_EP_STATE_RESERVED ||
			    state == DAT_EP_STATE_DISCONNECTED)
				return;
			ASSERT_NE(param.remote_ia_address_ptr, nullptr) << state;
			EXPECT_EQ(ip(param.remote_ia_address_ptr), ip(adapter.address())) << state;
			EXPECT_NE(param.remote_port_qual, 0U) << state;
		});
	});
}

/* "local_port_qual is valid", and each end's is the other's remote one */
TEST(DatEpQuery, DescriptionThePortsOfAConnection)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		const DAT_EP_PARAM active = query(pair.active.ep());
		const DAT_EP_PARAM passive = query(pair.passive.ep());

		EXPECT_EQ(active.local_port_qual, passive.remote_port_qual);
		EXPECT_EQ(active.remote_port_qual, passive.local_port_qual);
		EXPECT_EQ(passive.local_port_qual, pair.listener.qual());
		EXPECT_EQ(ip(active.local_ia_address_ptr), ip(adapter.address()));
		EXPECT_EQ(ip(passive.local_ia_address_ptr), ip(adapter.address()));
	});
}

TEST(DatEpQuery, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EP_PARAM param;

		for (DAT_EP_HANDLE ep :
		     { DAT_EP_HANDLE(DAT_HANDLE_NULL), DAT_EP_HANDLE(adapter.pz()) })
			refused(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_EP);
	});
}

/* "The ep_param_mask parameter is invalid." */
TEST(DatEpQuery, ReturnValuesInvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		DAT_EP_PARAM param;

		for (DAT_EP_PARAM_MASK mask :
		     { DAT_EP_PARAM_MASK{ 0x800 }, DAT_EP_PARAM_MASK{ 0x80000000 },
		       ~DAT_EP_PARAM_MASK{ 0 } })
			refused(dat_ep_query(endpoint.ep(), mask, &param), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG2);
		refused(dat_ep_query(endpoint.ep(), DAT_EP_FIELD_ALL, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_modify(3DAT)

#include "ep_states.hpp"
#include "no_resources.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

DAT_EP_PARAM query(DAT_EP_HANDLE ep, Location where = Location::current())
{
	DAT_EP_PARAM param{};

	ok(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), where);
	return param;
}

/** Sets one parameter to what it is already. */
DAT_RETURN set_again(DAT_EP_HANDLE ep, DAT_EP_PARAM_MASK mask)
{
	const DAT_EP_PARAM param = query(ep);

	return dat_ep_modify(ep, mask, &param);
}

bool is_before_connection(DAT_EP_STATE state)
{
	return state == DAT_EP_STATE_UNCONNECTED || state == DAT_EP_STATE_RESERVED ||
	       state == DAT_EP_STATE_PASSIVE_CONNECTION_PENDING ||
	       state == DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING;
}

/* "Providers modify values for ep_param_mask requested parameters only." */
TEST(DatEpModify, DescriptionOnlyWhatTheMaskNames)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter, { .recvs = 5, .requests = 6 });
		DAT_EP_PARAM param{};

		param.ep_attr.max_recv_dtos = 7;
		param.ep_attr.max_request_dtos = 8;
		param.pz_handle = adapter.ia();
		ok(dat_ep_modify(endpoint.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &param));
		const DAT_EP_PARAM after = query(endpoint.ep());
		EXPECT_EQ(after.ep_attr.max_recv_dtos, 7);
		EXPECT_EQ(after.ep_attr.max_request_dtos, 6);
		EXPECT_EQ(after.pz_handle, adapter.pz());
	});
}

/* "Cannot be modified.": IA, state, addresses and port qualifiers */
TEST(DatEpModify, DescriptionWhatCannotBeModified)
{
	play([](Line &) {
		Adapter adapter;

		in_every_state(adapter, [](DAT_EP_HANDLE ep, DAT_EP_STATE) {
			for (DAT_EP_PARAM_MASK mask :
			     { DAT_EP_FIELD_IA_HANDLE, DAT_EP_FIELD_EP_STATE,
			       DAT_EP_FIELD_LOCAL_IA_ADDRESS_PTR, DAT_EP_FIELD_LOCAL_PORT_QUAL,
			       DAT_EP_FIELD_REMOTE_IA_ADDRESS_PTR, DAT_EP_FIELD_REMOTE_PORT_QUAL })
				refused(set_again(ep, mask | DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS),
					DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		});
	});
}

/* "The only ... states that are quiescent are ... UNCONNECTED and ... TENTATIVE" */
TEST(DatEpModify, DescriptionTheZoneInQuiescentStates)
{
	play([](Line &) {
		Adapter adapter;

		in_every_state(adapter, [](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			if (state == DAT_EP_STATE_UNCONNECTED ||
			    state == DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING)
				ok(set_again(ep, DAT_EP_FIELD_PZ_HANDLE));
			else
				refused(set_again(ep, DAT_EP_FIELD_PZ_HANDLE), DAT_INVALID_STATE,
					subtype_of(state));
		});
	});
}

/* "Receive DTOs currently posted ... that do not match the new Protection Zone fail" */
TEST(DatEpModify, DescriptionAnotherZoneFailsPostedReceives)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EP_PARAM param{};

		ok(dat_pz_create(adapter.ia(), &param.pz_handle));
		{
			Endpoint endpoint(adapter);
			Region old(adapter, 4096);
			Region fresh(adapter, 4096, all_privileges, param.pz_handle);

			ok(endpoint.recv(old.local(0, 64), 1));
			ok(dat_ep_modify(endpoint.ep(), DAT_EP_FIELD_PZ_HANDLE, &param));
			EXPECT_EQ(query(endpoint.ep()).pz_handle, param.pz_handle);
			DAT_EVENT event = endpoint.recv_queue().expect(DAT_DTO_COMPLETION_EVENT);
			EXPECT_NE(event.event_data.dto_completion_event_data.status,
				  DAT_DTO_SUCCESS);
			refused(endpoint.recv(old.local(0, 64), 2), DAT_PROTECTION_VIOLATION,
				DAT_PROTECTION_WRITE);
			ok(endpoint.recv(fresh.local(0, 64), 3));
		}
		ok(dat_pz_free(param.pz_handle));
	});
}

/* "when in Unconnected, Reserved, Passive ..., and Tentative Connection Pending states" */
TEST(DatEpModify, DescriptionTheOthersBeforeTheConnection)
{
	play([](Line &) {
		constexpr DAT_EP_PARAM_MASK masks[] = {
			DAT_EP_FIELD_RECV_EVD_HANDLE,
			DAT_EP_FIELD_REQUEST_EVD_HANDLE,
			DAT_EP_FIELD_CONNECT_EVD_HANDLE,
			DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE,
			DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE,
			DAT_EP_FIELD_EP_ATTR_MAX_RDMA_SIZE,
			DAT_EP_FIELD_EP_ATTR_QOS,
			DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS,
			DAT_EP_FIELD_EP_ATTR_REQUEST_COMPLETION_FLAGS,
			DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS,
			DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS,
			DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV,
			DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV,
			DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN,
			DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT,
			DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IOV,
			DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV,
		};
		Adapter adapter;

		in_every_state(adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			for (DAT_EP_PARAM_MASK mask : masks) {
				const DAT_RETURN result = set_again(ep, mask);

				if (is_before_connection(state))
					EXPECT_EQ(result, DAT_SUCCESS) << state << ' ' << mask;
				else
					refused(result, DAT_INVALID_STATE, subtype_of(state));
			}
		});
	});
}

/* "Can be modified when in Quiescent (unconnected) state.": there are none, everywhere else not */
TEST(DatEpModify, DescriptionNamedAttributesInUnconnected)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint unconnected(adapter);
		DAT_EP_PARAM param = query(unconnected.ep());

		ok(set_again(unconnected.ep(), DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR |
						       DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR));
		param.ep_attr.ep_transport_specific_count = 1;
		refused(dat_ep_modify(unconnected.ep(), DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR,
				      &param),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		in_every_state(adapter, [](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			if (state == DAT_EP_STATE_UNCONNECTED)
				return;
			refused(set_again(ep, DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR),
				DAT_INVALID_STATE, subtype_of(state));
		});
	});
}

/* "Event Dispatcher for incoming DTOs (Receive) can be changed": events come to the new one */
TEST(DatEpModify, DescriptionEventsComeToTheNewEvds)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		EventQueue recv(adapter, 16), request(adapter, 16), connect(adapter, 16);
		Endpoint active(adapter), passive(adapter);
		DAT_EP_PARAM param{};

		param.recv_evd_handle = recv.evd();
		param.request_evd_handle = request.evd();
		param.connect_evd_handle = connect.evd();
		ok(dat_ep_modify(passive.ep(),
				 DAT_EP_FIELD_RECV_EVD_HANDLE | DAT_EP_FIELD_REQUEST_EVD_HANDLE |
					 DAT_EP_FIELD_CONNECT_EVD_HANDLE,
				 &param));
		ok(passive.recv(Segments(), 1));
		ok(active.connect(adapter.address(), listener.qual()));
		ok(accept_request(listener.request(), passive));
		connect.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(active.recv(Segments(), 2));
		ok(active.send(Segments(), 3));
		recv.expect(DAT_DTO_COMPLETION_EVENT);
		ok(passive.send(Segments(), 4));
		request.expect(DAT_DTO_COMPLETION_EVENT);
		passive.connect_queue().require_empty();
		passive.recv_queue().require_empty();
		passive.request_queue().require_empty();
		passive.free();
	});
}

/* "Maximum Recv DTO specifies the maximum number of outstanding" ones */
TEST(DatEpModify, DescriptionMoreReceives)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter, { .recvs = 2 });
		DAT_EP_PARAM param{};

		param.ep_attr.max_recv_dtos = 20;
		ok(dat_ep_modify(endpoint.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &param));
		for (DAT_UINT64 i = 0; i < 20; i++)
			ok(endpoint.recv(Segments(), i));
		refused(endpoint.recv(Segments(), 20), DAT_INSUFFICIENT_RESOURCES,
			DAT_RESOURCE_CREDITS);
	});
}

TEST(DatEpModify, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EP_PARAM param{};

		for (DAT_EP_HANDLE ep :
		     { DAT_EP_HANDLE(DAT_HANDLE_NULL), DAT_EP_HANDLE(adapter.pz()) })
			refused(dat_ep_modify(ep, DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &param),
				DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	});
}

/* "The ep_param_mask parameter is invalid" */
TEST(DatEpModify, ReturnValuesInvalidParameterMask)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		DAT_EP_PARAM param = query(endpoint.ep());

		for (DAT_EP_PARAM_MASK mask :
		     { DAT_EP_PARAM_MASK{ 0x800 }, ~DAT_EP_PARAM_MASK{ 0 } })
			refused(dat_ep_modify(endpoint.ep(), mask, &param), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG2);
		refused(dat_ep_modify(endpoint.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	});
}

/* "one of the requested Endpoint parameters or attributes was invalid, not supported" */
TEST(DatEpModify, ReturnValuesInvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		EventQueue requests(adapter, 4, DAT_EVD_CR_FLAG);
		const DAT_EP_PARAM good = query(endpoint.ep());
		DAT_EP_PARAM param = good;
		const auto require_refused = [&](DAT_EP_PARAM_MASK mask,
						 Location where = Location::current()) {
			refused(dat_ep_modify(endpoint.ep(), mask, &param), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG3, where);
			param = good;
		};

		param.pz_handle = adapter.ia();
		require_refused(DAT_EP_FIELD_PZ_HANDLE);
		param.recv_evd_handle = requests.evd();
		require_refused(DAT_EP_FIELD_RECV_EVD_HANDLE);
		param.request_evd_handle = adapter.pz();
		require_refused(DAT_EP_FIELD_REQUEST_EVD_HANDLE);
		param.connect_evd_handle = requests.evd();
		require_refused(DAT_EP_FIELD_CONNECT_EVD_HANDLE);
		param.ep_attr.service_type = static_cast<DAT_SERVICE_TYPE>(1);
		require_refused(DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE);
		param.ep_attr.qos = DAT_QOS_PREMIUM;
		require_refused(DAT_EP_FIELD_EP_ATTR_QOS);
		param.ep_attr.max_recv_dtos = -1;
		require_refused(DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS);
		param.ep_attr.max_request_iov = INT32_MAX;
		require_refused(DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV);
		param.ep_attr.max_message_size = adapter.attributes().max_message_size + 1;
		require_refused(DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE);
		param.ep_attr.max_rdma_read_in = adapter.attributes().max_rdma_read_per_ep_in + 1;
		require_refused(DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN);
		param.ep_attr.request_completion_flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
		require_refused(DAT_EP_FIELD_EP_ATTR_REQUEST_COMPLETION_FLAGS);
		const DAT_EP_PARAM after = query(endpoint.ep());
		EXPECT_EQ(after.pz_handle, good.pz_handle);
		EXPECT_EQ(after.ep_attr.max_recv_dtos, good.ep_attr.max_recv_dtos);
	});
}

/* "due to resource limitations": a larger queue is another object of the device's */
TEST(DatEpModify, ReturnValuesInsufficientResources)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter, { .recvs = 5 });
		DAT_EP_PARAM param = query(endpoint.ep());
		const DAT_COUNT before = param.ep_attr.max_recv_dtos;

		param.ep_attr.max_recv_dtos = 300;
		{
			DeviceLimit limit("hca_object=0");
			refused(dat_ep_modify(endpoint.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS,
					      &param),
				DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP);
		}
		EXPECT_EQ(query(endpoint.ep()).ep_attr.max_recv_dtos, before);
		ok(dat_ep_modify(endpoint.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &param));
	});
}

} // namespace
} // namespace suite

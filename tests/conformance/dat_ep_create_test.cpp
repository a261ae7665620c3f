// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_create(3DAT)

#include "no_resources.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/** The arguments of the call; tests change what they are about. */
struct Call {
	explicit Call(const Adapter &adapter)
		: events(adapter, 32), ia(adapter.ia()), pz(adapter.pz()), recv(events.evd()),
		  request(events.evd()), connect(events.evd())
	{
		attributes.max_message_size = 4096;
		attributes.max_rdma_size = 8192;
		attributes.max_recv_dtos = 5;
		attributes.max_request_dtos = 6;
		attributes.max_recv_iov = 2;
		attributes.max_request_iov = 3;
		attributes.max_rdma_read_in = 1;
		attributes.max_rdma_read_out = 2;
		attributes.max_rdma_read_iov = 1;
		attributes.max_rdma_write_iov = 2;
		attributes.srq_soft_hw = DAT_HW_DEFAULT;
	}
	DAT_RETURN operator()() { return create(&attributes); }
	DAT_RETURN create(const DAT_EP_ATTR *attr)
	{
		return dat_ep_create(ia, pz, recv, request, connect, attr, &ep);
	}
	DAT_EP_PARAM query(Location where = Location::current()) const
	{
		DAT_EP_PARAM param;

		ok(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), where);
		return param;
	}

	EventQueue events;
	DAT_IA_HANDLE ia;
	DAT_PZ_HANDLE pz;
	DAT_EVD_HANDLE recv, request, connect;
	DAT_EP_ATTR attributes{};
	DAT_EP_HANDLE ep = DAT_HANDLE_NULL;
};

void with_call(void (*body)(const Adapter &adapter, Call &call))
{
	play([body](Line &) {
		Adapter adapter;
		Call call(adapter);

		body(adapter, call);
	});
}

/* "The Endpoint is created in the Unconnected state." */
TEST(DatEpCreate, DescriptionIsUnconnected)
{
	with_call([](const Adapter &, Call &call) {
		ok(call());
		EXPECT_EQ(call.query().ep_state, DAT_EP_STATE_UNCONNECTED);
		ok(dat_ep_free(call.ep));
	});
}

/* "Only memory referred to by LMRs ... that match the Endpoint Protection Zone" */
TEST(DatEpCreate, DescriptionTheZoneIsThatOfItsMemory)
{
	with_call([](const Adapter &adapter, Call &call) {
		Region inside(adapter, 4096);
		DAT_PZ_HANDLE pz;
		DAT_LMR_TRIPLET segment = inside.local(0, 64);

		ok(dat_pz_create(adapter.ia(), &pz));
		ok(call());
		EXPECT_EQ(call.query().pz_handle, adapter.pz());
		ok(dat_ep_post_recv(call.ep, 1, &segment, DAT_DTO_COOKIE{},
				    DAT_COMPLETION_DEFAULT_FLAG));
		{
			Region outside(adapter, 4096, all_privileges, pz);

			segment = outside.local(0, 64);
			refused(dat_ep_post_recv(call.ep, 1, &segment, DAT_DTO_COOKIE{},
						 DAT_COMPLETION_DEFAULT_FLAG),
				DAT_PROTECTION_VIOLATION, DAT_PROTECTION_WRITE);
		}
		ok(dat_ep_free(call.ep));
		ok(dat_pz_free(pz));
	});
}

/* "Completions of Receive DTOs are reported in recv_evd_handle ... in request_evd_handle" */
TEST(DatEpCreate, DescriptionEachEvdHasItsOwnEvents)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);
		DAT_EP_PARAM param;

		ok(dat_ep_query(pair.active.ep(), DAT_EP_FIELD_ALL, &param));
		EXPECT_EQ(param.recv_evd_handle, pair.active.recv_queue().evd());
		EXPECT_EQ(param.request_evd_handle, pair.active.request_queue().evd());
		EXPECT_EQ(param.connect_evd_handle, pair.active.connect_queue().evd());
		pair.settle();
		ok(pair.active.recv(region.local(0, 64), 1));
		ok(pair.passive.send(region.local(64, 64), 2));
		pair.active.expect_recv(1, 64);
		ok(pair.active.write(region.local(0, 64), region.remote(64, 64), 3));
		pair.active.expect_request(3, 64);
		ok(pair.active.read(region.local(0, 64), region.remote(64, 64), 4));
		pair.active.expect_request(4, 64);
		pair.active.recv_queue().require_empty();
		pair.active.request_queue().require_empty();
		pair.active.connect_queue().require_empty();
	});
}

/* "ep_attributes ... specifies the initial attributes of the created Endpoint" */
TEST(DatEpCreate, DescriptionTheAttributesAreTheRequested)
{
	with_call([](const Adapter &, Call &call) {
		ok(call());
		const DAT_EP_ATTR attr = call.query().ep_attr;
		EXPECT_EQ(attr.service_type, DAT_SERVICE_TYPE_RC);
		EXPECT_EQ(attr.qos, DAT_QOS_BEST_EFFORT);
		EXPECT_EQ(attr.max_message_size, 4096U);
		EXPECT_EQ(attr.max_rdma_size, 8192U);
		EXPECT_EQ(attr.max_recv_dtos, 5);
		EXPECT_EQ(attr.max_request_dtos, 6);
		EXPECT_EQ(attr.max_recv_iov, 2);
		EXPECT_EQ(attr.max_request_iov, 3);
		EXPECT_EQ(attr.max_rdma_read_in, 1);
		EXPECT_EQ(attr.max_rdma_read_out, 2);
		EXPECT_EQ(attr.max_rdma_read_iov, 1);
		EXPECT_EQ(attr.max_rdma_write_iov, 2);
		ok(dat_ep_free(call.ep));
	});
}

/* "If the Consumer specifies NULL, the Provider fills it with its default": usable ones */
TEST(DatEpCreate, DescriptionDefaultAttributes)
{
	with_call([](const Adapter &, Call &call) {
		ok(call.create(nullptr));
		DAT_EP_ATTR attr = call.query().ep_attr;
		EXPECT_GT(attr.max_message_size, 0U);
		EXPECT_GT(attr.max_rdma_size, 0U);
		EXPECT_GT(attr.max_recv_dtos, 0);
		EXPECT_GT(attr.max_request_dtos, 0);
		EXPECT_GT(attr.max_recv_iov, 0);
		EXPECT_GT(attr.max_request_iov, 0);
		EXPECT_GT(attr.max_rdma_read_in, 0);
		EXPECT_GT(attr.max_rdma_read_out, 0);
		ok(dat_ep_free(call.ep));
		/* What the provider tells it takes. */
		ok(call.create(&attr));
		ok(dat_ep_free(call.ep));
	});
}

/* With NULL attributes "dat_ep_query ... dat_ep_free", and here everything else */
TEST(DatEpCreate, UsageDefaultAttributesConnectAndTransfer)
{
	with_call([](const Adapter &adapter, Call &call) {
		Listener listener(adapter);
		Endpoint active(adapter);
		Region region(adapter, 4096);
		DAT_LMR_TRIPLET segment = region.local(0, 64);

		ok(call.create(nullptr));
		ok(dat_ep_post_recv(call.ep, 1, &segment, DAT_DTO_COOKIE{},
				    DAT_COMPLETION_DEFAULT_FLAG));
		ok(active.connect(adapter.address(), listener.qual()));
		ok(dat_cr_accept(listener.request(), call.ep, 0, nullptr));
		call.events.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(active.send(region.local(64, 64), 1));
		call.events.expect(DAT_DTO_COMPLETION_EVENT);
		ok(dat_ep_free(call.ep));
	});
}

/* Without an EVD there is no interest in its stream, and nothing to be posted. */
TEST(DatEpCreate, DescriptionWithoutEvds)
{
	with_call([](const Adapter &, Call &call) {
		call.recv = call.request = call.connect = DAT_HANDLE_NULL;
		ok(call.create(nullptr));
		const DAT_EP_PARAM param = call.query();
		EXPECT_EQ(param.recv_evd_handle, DAT_HANDLE_NULL);
		EXPECT_EQ(param.ep_attr.max_recv_dtos, 0);
		EXPECT_EQ(param.ep_attr.max_request_dtos, 0);
		refused(dat_ep_post_recv(call.ep, 0, nullptr, DAT_DTO_COOKIE{},
					 DAT_COMPLETION_DEFAULT_FLAG),
			DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS);
		ok(dat_ep_free(call.ep));
		/* "a combination of attributes or parameters is invalid" */
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
	});
}

TEST(DatEpCreate, ReturnValuesInvalidHandle)
{
	with_call([](const Adapter &adapter, Call &call) {
		const DAT_EVD_HANDLE good = call.recv;
		EventQueue requests(adapter, 4, DAT_EVD_CR_FLAG);
		Adapter elsewhere;
		EventQueue foreign(elsewhere, 4);

		call.ia = adapter.pz();
		refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
		call.ia = adapter.ia();
		for (DAT_PZ_HANDLE pz : { DAT_PZ_HANDLE(adapter.ia()), elsewhere.pz() }) {
			call.pz = pz;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
		}
		call.pz = adapter.pz();
		for (DAT_EVD_HANDLE bad :
		     { DAT_EVD_HANDLE(adapter.pz()), requests.evd(), foreign.evd() }) {
			call.recv = bad;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_RECV);
			call.recv = good;
			call.request = bad;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_REQUEST);
			call.request = good;
			call.connect = bad;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN);
			call.connect = good;
		}
	});
}

/* "One of the requested EP parameters or attributes was invalid" */
TEST(DatEpCreate, ReturnValuesInvalidParameterAttributes)
{
	with_call([](const Adapter &adapter, Call &call) {
		const DAT_IA_ATTR &limit = adapter.attributes();
		const DAT_EP_ATTR good = call.attributes;
		const auto try_attribute = [&](auto DAT_EP_ATTR::*attribute, auto bad) {
			call.attributes = good;
			call.attributes.*attribute = bad;
			refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
		};

		for (DAT_COUNT DAT_EP_ATTR::*count :
		     { &DAT_EP_ATTR::max_recv_dtos, &DAT_EP_ATTR::max_request_dtos,
		       &DAT_EP_ATTR::max_recv_iov, &DAT_EP_ATTR::max_request_iov,
		       &DAT_EP_ATTR::max_rdma_read_in, &DAT_EP_ATTR::max_rdma_read_out,
		       &DAT_EP_ATTR::max_rdma_read_iov, &DAT_EP_ATTR::max_rdma_write_iov }) {
			try_attribute(count, -1);
			try_attribute(count, INT32_MAX);
		}
		try_attribute(&DAT_EP_ATTR::max_message_size, limit.max_message_size + 1);
		try_attribute(&DAT_EP_ATTR::max_rdma_size, limit.max_rdma_size + 1);
		try_attribute(&DAT_EP_ATTR::max_rdma_read_in, limit.max_rdma_read_per_ep_in + 1);
		try_attribute(&DAT_EP_ATTR::max_rdma_read_out, limit.max_rdma_read_per_ep_out + 1);
		/* An EVD whose stream can carry nothing. */
		try_attribute(&DAT_EP_ATTR::max_recv_dtos, 0);
		try_attribute(&DAT_EP_ATTR::max_request_dtos, 0);
		/* Solicited waits are for receives, suppression for the single request. */
		try_attribute(&DAT_EP_ATTR::request_completion_flags,
			      DAT_COMPLETION_SOLICITED_WAIT_FLAG);
		try_attribute(&DAT_EP_ATTR::recv_completion_flags, DAT_COMPLETION_SUPPRESS_FLAG);
	});
}

/* "DAT_COMPLETION_EVD_THRESHOLD_FLAG": what every wait has, beside another style too */
TEST(DatEpCreate, AttributesTheThresholdStandsBesideAnotherStyle)
{
	with_call([](const Adapter &adapter, Call &call) {
		const auto both = static_cast<DAT_COMPLETION_FLAGS>(
			DAT_COMPLETION_EVD_THRESHOLD_FLAG | DAT_COMPLETION_UNSIGNALLED_FLAG);
		const auto solicited = static_cast<DAT_COMPLETION_FLAGS>(
			DAT_COMPLETION_EVD_THRESHOLD_FLAG | DAT_COMPLETION_SOLICITED_WAIT_FLAG);
		EventQueue recvs(adapter, 16, DAT_EVD_DTO_FLAG);
		EventQueue requests(adapter, 16, DAT_EVD_DTO_FLAG);

		call.recv = recvs.evd();
		call.request = requests.evd();
		call.attributes.request_completion_flags = both;
		for (DAT_COMPLETION_FLAGS flags : { both, solicited }) {
			call.attributes.recv_completion_flags = flags;
			ok(call());
			EXPECT_EQ(call.query().ep_attr.recv_completion_flags, flags);
			ok(dat_ep_free(call.ep));
		}
	});
}

/* "DAT_COMPLETION_SUPPRESS_FLAG" is no style, but of each request: here it is no error. */
TEST(DatEpCreate, AttributesMayNameSuppression)
{
	with_call([](const Adapter &adapter, Call &call) {
		EventQueue requests(adapter, 16, DAT_EVD_DTO_FLAG);

		call.request = requests.evd();
		call.attributes.request_completion_flags = DAT_COMPLETION_SUPPRESS_FLAG;
		ok(call());
		EXPECT_EQ(call.query().ep_attr.request_completion_flags,
			  DAT_COMPLETION_SUPPRESS_FLAG);
		ok(dat_ep_free(call.ep));
	});
}

TEST(DatEpCreate, ReturnValuesInvalidParameterNoHandle)
{
	with_call([](const Adapter &, Call &call) {
		refused(dat_ep_create(call.ia, call.pz, call.recv, call.request, call.connect,
				      &call.attributes, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
	});
}

/* "The requested Provider Model was not supported.": as the provider attributes say */
TEST(DatEpCreate, ReturnValuesModelNotSupported)
{
	with_call([](const Adapter &adapter, Call &call) {
		EXPECT_EQ(adapter.provider().dat_qos_supported, DAT_QOS_BEST_EFFORT);
		call.attributes.qos = DAT_QOS_PREMIUM;
		refused(call(), DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
		call.attributes.qos = DAT_QOS_BEST_EFFORT;
		call.attributes.service_type = static_cast<DAT_SERVICE_TYPE>(1);
		refused(call(), DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	});
}

/* "due to resource limitations": of the device's objects */
TEST(DatEpCreate, ReturnValuesInsufficientResourcesObjects)
{
	with_call([](const Adapter &, Call &call) {
		check_without_objects(call, DAT_RESOURCE_TEP);
		ok(dat_ep_free(call.ep));
	});
}

/* "due to resource limitations": of memory */
TEST(DatEpCreate, ReturnValuesInsufficientResourcesNoHeap)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	with_call([](const Adapter &, Call &call) {
		check_without_heap(call);
		ok(dat_ep_free(call.ep));
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_srq_create(3DAT)

#include "no_resources.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "shared_queue.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/** The arguments of the call; tests change what they are about. */
struct Call {
	explicit Call(const Adapter &adapter) : ia(adapter.ia()), pz(adapter.pz()) {}
	DAT_RETURN operator()() { return dat_srq_create(ia, pz, &attributes, &srq); }

	DAT_IA_HANDLE ia;
	DAT_PZ_HANDLE pz;
	DAT_SRQ_ATTR attributes = { 10, 2, DAT_SRQ_LW_DEFAULT };
	DAT_SRQ_HANDLE srq = DAT_HANDLE_NULL;
};

void with_call(void (*body)(const Adapter &adapter, Call &call))
{
	play([body](Line &) {
		Adapter adapter;
		Call call(adapter);

		body(adapter, call);
	});
}

/* "The created SRQ is unattached to any Endpoints.": it can be freed at once */
TEST(DatSrqCreate, DescriptionIsUnattached)
{
	with_call([](const Adapter &, Call &call) {
		ok(call());
		ok(dat_srq_free(call.srq));
	});
}

/* "queue size at least max_recv_dtos and ... at least max_recv_iov" */
TEST(DatSrqCreate, DescriptionSizesAreAtLeastTheRequested)
{
	with_call([](const Adapter &adapter, Call &call) {
		DAT_SRQ_PARAM param;

		for (DAT_COUNT recvs : { 1, 10, 1000, adapter.attributes().max_recv_per_srq }) {
			call.attributes = { recvs, 2, DAT_SRQ_LW_DEFAULT };
			ok(call());
			ok(dat_srq_query(call.srq, DAT_SRQ_FIELD_ALL, &param));
			EXPECT_GE(param.max_recv_dtos, recvs);
			EXPECT_GE(param.max_recv_iov, 2);
			ok(dat_srq_free(call.srq));
		}
	});
}

/* "must set low_watermark to DAT_SRQ_LW_DEFAULT" */
TEST(DatSrqCreate, DescriptionTheLowWatermarkMustBeTheDefault)
{
	with_call([](const Adapter &adapter, Call &call) {
		DAT_SRQ_PARAM param;

		for (DAT_COUNT mark : { 1, -1, 10 }) {
			call.attributes.low_watermark = mark;
			refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		}
		call.attributes.low_watermark = DAT_SRQ_LW_DEFAULT;
		ok(call());
		ok(dat_srq_query(call.srq, DAT_SRQ_FIELD_ALL, &param));
		EXPECT_EQ(param.low_watermark, DAT_SRQ_LW_DEFAULT);
		/* "an asynchronous event will not be generated immediately" */
		require_no_async(adapter);
		ok(dat_srq_free(call.srq));
	});
}

/* "Only memory referred to by LMRs ... that match the SRQ Protection Zone" */
TEST(DatSrqCreate, DescriptionTheZoneIsThatOfItsBuffers)
{
	with_call([](const Adapter &adapter, Call &call) {
		DAT_SRQ_PARAM param;
		DAT_DTO_COOKIE cookie{};

		ok(dat_pz_create(adapter.ia(), &call.pz));
		ok(call());
		ok(dat_srq_query(call.srq, DAT_SRQ_FIELD_ALL, &param));
		EXPECT_EQ(param.pz_handle, call.pz);
		{
			Region inside(adapter, 4096, all_privileges, call.pz);
			Region outside(adapter, 4096);
			DAT_LMR_TRIPLET in = inside.local(0, 64), out = outside.local(0, 64);

			ok(dat_srq_post_recv(call.srq, 1, &in, cookie));
			refused(dat_srq_post_recv(call.srq, 1, &out, cookie),
				DAT_PROTECTION_VIOLATION, DAT_PROTECTION_WRITE);
			refused(dat_pz_free(call.pz), DAT_INVALID_STATE,
				DAT_INVALID_STATE_PZ_IN_USE);
			ok(dat_srq_free(call.srq));
		}
		ok(dat_pz_free(call.pz));
	});
}

/* "no buffers available ... the same as when there are no buffers on the EP Recv Work Queue" */
TEST(DatSrqCreate, DescriptionWithoutBuffersAMessageWaits)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "without a receive the connection ends, with an SRQ or not";
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Taker one(adapter, queue);

		ok(one.sender.send(region.local(0, 64), 1));
		ok(queue.post(region.local(1024, 64), 2));
		one.taker.expect_recv(2, 64);
		one.sender.expect_request(1, 64);
	});
}

/* "The EPs that use SRQ might or might not use the same recv_evd." */
TEST(DatSrqCreate, UsageEndpointsMayShareTheRecvEvd)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		EventQueue shared(adapter, 32);
		DAT_EP_HANDLE eps[2];
		DAT_EP_ATTR attributes{};

		attributes.max_request_dtos = 4;
		attributes.max_rdma_read_in = attributes.max_rdma_read_out = 4;
		for (DAT_EP_HANDLE &ep : eps) {
			Listener listener(adapter);
			Endpoint sender(adapter);

			ok(dat_ep_create_with_srq(adapter.ia(), adapter.pz(), shared.evd(),
						  shared.evd(), shared.evd(), queue.srq(),
						  &attributes, &ep));
			ok(sender.connect(adapter.address(), listener.qual()));
			ok(dat_cr_accept(listener.request(), ep, 0, nullptr));
			shared.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
			ok(queue.post(region.local(0, 64), 1));
			sender.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			ok(sender.send(region.local(1024, 64), 2));
			DAT_EVENT event = shared.expect(DAT_DTO_COMPLETION_EVENT);
			EXPECT_EQ(event.event_data.dto_completion_event_data.ep_handle, ep);
			sender.free();
			shared.expect(
				{ DAT_CONNECTION_EVENT_DISCONNECTED, DAT_CONNECTION_EVENT_BROKEN });
		}
		for (DAT_EP_HANDLE ep : eps)
			ok(dat_ep_free(ep));
	});
}

/* "due to resource limitations": more buffers than the adapter offers */
TEST(DatSrqCreate, ReturnValuesInsufficientResources)
{
	with_call([](const Adapter &adapter, Call &call) {
		call.attributes.max_recv_dtos = adapter.attributes().max_recv_per_srq + 1;
		refused(call(), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_SRQ);
	});
}

/* "Either ia_handle or pz_handle is an invalid DAT handle." */
TEST(DatSrqCreate, ReturnValuesInvalidHandle)
{
	with_call([](const Adapter &adapter, Call &call) {
		Adapter other;

		call.ia = adapter.pz();
		refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
		call.ia = adapter.ia();
		for (DAT_PZ_HANDLE pz :
		     { DAT_PZ_HANDLE(DAT_HANDLE_NULL), DAT_PZ_HANDLE(adapter.ia()), other.pz() }) {
			call.pz = pz;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
		}
	});
}

/* "one of the requested SRQ attributes was invalid" */
TEST(DatSrqCreate, ReturnValuesInvalidParameter)
{
	with_call([](const Adapter &adapter, Call &call) {
		for (DAT_SRQ_ATTR bad : { DAT_SRQ_ATTR{ 0, 1, 0 }, DAT_SRQ_ATTR{ -1, 1, 0 },
					  DAT_SRQ_ATTR{ 1, -1, 0 }, DAT_SRQ_ATTR{ 1, 1000, 0 } }) {
			call.attributes = bad;
			refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		}
		refused(dat_srq_create(adapter.ia(), adapter.pz(), nullptr, &call.srq),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		call.attributes = { 1, 1, 0 };
		refused(dat_srq_create(adapter.ia(), adapter.pz(), &call.attributes, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	});
}

/* DAT_MODEL_NOT_SUPPORTED is for providers without SRQs. */
TEST(DatSrqCreate, ReturnValuesModelIsSupported)
{
	with_call([](const Adapter &adapter, Call &) {
		EXPECT_TRUE(adapter.provider().srq_supported);
		EXPECT_GT(adapter.attributes().max_srqs, 0);
		EXPECT_GT(adapter.attributes().max_ep_per_srq, 0);
	});
}

/* "due to resource limitations": of the device's objects */
TEST(DatSrqCreate, ReturnValuesInsufficientResourcesObjects)
{
	with_call([](const Adapter &, Call &call) {
		check_without_objects(call, DAT_RESOURCE_SRQ);
		ok(dat_srq_free(call.srq));
	});
}

/* "due to resource limitations": of memory */
TEST(DatSrqCreate, ReturnValuesInsufficientResourcesNoHeap)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	with_call([](const Adapter &, Call &call) {
		check_without_heap(call);
		ok(dat_srq_free(call.srq));
	});
}

} // namespace
} // namespace suite

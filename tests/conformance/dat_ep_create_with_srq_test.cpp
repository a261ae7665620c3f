// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_create_with_srq(3DAT)

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
	explicit Call(const Adapter &adapter)
		: queue(adapter, 10, 2), events(adapter, 32), ia(adapter.ia()), pz(adapter.pz()),
		  recv(events.evd()), request(events.evd()), connect(events.evd()), srq(queue.srq())
	{
		attributes.max_request_dtos = 6;
		attributes.srq_soft_hw = DAT_HW_DEFAULT;
	}
	DAT_RETURN operator()()
	{
		return dat_ep_create_with_srq(ia, pz, recv, request, connect, srq, &attributes,
					      &ep);
	}
	DAT_EP_PARAM query(Location where = Location::current()) const
	{
		DAT_EP_PARAM param;

		ok(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), where);
		return param;
	}

	SharedQueue queue;
	EventQueue events;
	DAT_IA_HANDLE ia;
	DAT_PZ_HANDLE pz;
	DAT_EVD_HANDLE recv, request, connect;
	DAT_SRQ_HANDLE srq;
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

/* "created in the Unconnected state"; "srq_handle specifies where the EP will dequeue" */
TEST(DatEpCreateWithSrq, DescriptionIsUnconnectedAndHasTheSrq)
{
	with_call([](const Adapter &, Call &call) {
		ok(call());
		EXPECT_EQ(call.query().ep_state, DAT_EP_STATE_UNCONNECTED);
		EXPECT_EQ(call.query().srq_handle, call.srq);
		ok(dat_ep_free(call.ep));
	});
}

/* "The relationship between SRQ and EP is not effected by dat_ep_reset" */
TEST(DatEpCreateWithSrq, DescriptionSurvivesAReset)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Taker one(adapter, queue);
		DAT_EP_PARAM param;

		one.end();
		ok(dat_ep_reset(one.sender.ep()));
		ok(dat_ep_reset(one.taker.ep()));
		ok(dat_ep_query(one.taker.ep(), DAT_EP_FIELD_ALL, &param));
		EXPECT_EQ(param.srq_handle, queue.srq());
		one.connect(adapter);
		ok(queue.post(region.local(0, 64), 1));
		one.send(region.local(64, 64), 2);
		one.taker.expect_recv(1, 64);
	});
}

/* "SRQ can not be disassociated or replaced from created EP." */
TEST(DatEpCreateWithSrq, DescriptionTheSrqCannotBeReplaced)
{
	with_call([](const Adapter &adapter, Call &call) {
		SharedQueue other(adapter, 10);
		DAT_EP_PARAM param{};

		ok(call());
		for (DAT_SRQ_HANDLE srq : { other.srq(), DAT_SRQ_HANDLE(DAT_HANDLE_NULL) }) {
			param.srq_handle = srq;
			refused(dat_ep_modify(call.ep, DAT_EP_FIELD_SRQ_HANDLE, &param),
				DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		}
		EXPECT_EQ(call.query().srq_handle, call.srq);
		/* "The only way to disassociate SRQ from EP is to destroy EP." */
		refused(dat_srq_free(call.srq), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE);
		ok(dat_ep_free(call.ep));
		call.queue.free();
	});
}

/* "Receive buffers cannot be posted to the created Endpoint." */
TEST(DatEpCreateWithSrq, DescriptionHasNoReceivesOfItsOwn)
{
	with_call([](const Adapter &adapter, Call &call) {
		Region region(adapter, 4096);
		DAT_LMR_TRIPLET segment = region.local(0, 64);

		ok(call());
		refused(dat_ep_post_recv(call.ep, 1, &segment, DAT_DTO_COOKIE{},
					 DAT_COMPLETION_DEFAULT_FLAG),
			DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE);
		ok(dat_ep_free(call.ep));
	});
}

/* "Consumer can not specify NULL for ep_attributes" */
TEST(DatEpCreateWithSrq, DescriptionTheAttributesMustBeGiven)
{
	with_call([](const Adapter &, Call &call) {
		refused(dat_ep_create_with_srq(call.ia, call.pz, call.recv, call.request,
					       call.connect, call.srq, nullptr, &call.ep),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
	});
}

/* "at least the Consumer requested values" of these two */
TEST(DatEpCreateWithSrq, DescriptionAtLeastTheRequestsAskedFor)
{
	with_call([](const Adapter &, Call &call) {
		call.attributes.max_request_dtos = 7;
		call.attributes.max_request_iov = 2;
		ok(call());
		EXPECT_GE(call.query().ep_attr.max_request_dtos, 7);
		EXPECT_GE(call.query().ep_attr.max_request_iov, 2);
		ok(dat_ep_free(call.ep));
	});
}

/* "the exact Consumer requested values for" these */
TEST(DatEpCreateWithSrq, DescriptionTheExactValuesAskedFor)
{
	with_call([](const Adapter &, Call &call) {
		call.attributes.max_recv_dtos = 4;
		call.attributes.max_message_size = 5000;
		call.attributes.max_rdma_size = 6000;
		call.attributes.max_rdma_read_in = 2;
		call.attributes.max_rdma_read_out = 1;
		call.attributes.max_rdma_read_iov = 1;
		call.attributes.max_rdma_write_iov = 2;
		ok(call());
		const DAT_EP_ATTR attr = call.query().ep_attr;
		EXPECT_EQ(attr.max_recv_dtos, 4);
		EXPECT_EQ(attr.max_message_size, 5000U);
		EXPECT_EQ(attr.max_rdma_size, 6000U);
		EXPECT_EQ(attr.max_rdma_read_in, 2);
		EXPECT_EQ(attr.max_rdma_read_out, 1);
		EXPECT_EQ(attr.max_rdma_read_iov, 1);
		EXPECT_EQ(attr.max_rdma_write_iov, 2);
		ok(dat_ep_free(call.ep));
		call.attributes.max_recv_dtos = DAT_HW_DEFAULT;
		ok(call());
		EXPECT_EQ(call.query().ep_attr.max_recv_dtos, DAT_HW_DEFAULT);
		ok(dat_ep_free(call.ep));
	});
}

/* "except max_recv_iov that is ignored" */
TEST(DatEpCreateWithSrq, DescriptionMaxRecvIovIsIgnored)
{
	with_call([](const Adapter &, Call &call) {
		for (DAT_COUNT iov : { 0, 1, 1'000'000 }) {
			call.attributes.max_recv_iov = iov;
			ok(call());
			ok(dat_ep_free(call.ep));
		}
	});
}

/* "the requested maximum RDMA Read IOV exceeds IA capabilities" */
TEST(DatEpCreateWithSrq, ReturnValuesInvalidParameterAttributes)
{
	with_call([](const Adapter &adapter, Call &call) {
		const DAT_IA_ATTR &limit = adapter.attributes();
		const DAT_EP_ATTR good = call.attributes;

		call.attributes.max_rdma_read_iov = limit.max_iov_segments_per_rdma_read + 1;
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
		call.attributes = good;
		call.attributes.max_request_dtos = -1;
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
		call.attributes = good;
		call.attributes.max_message_size = limit.max_message_size + 1;
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
		call.attributes = good;
		refused(dat_ep_create_with_srq(call.ia, call.pz, call.recv, call.request,
					       call.connect, call.srq, &call.attributes, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG8);
	});
}

/* "pz_handle specified does not match the one for SRQ", as the provider attribute says */
TEST(DatEpCreateWithSrq, ReturnValuesInvalidParameterAnotherZone)
{
	with_call([](const Adapter &adapter, Call &call) {
		EXPECT_FALSE(adapter.provider().srq_ep_pz_difference_supported);
		ok(dat_pz_create(adapter.ia(), &call.pz));
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		ok(dat_pz_free(call.pz));
	});
}

TEST(DatEpCreateWithSrq, ReturnValuesInvalidHandle)
{
	with_call([](const Adapter &adapter, Call &call) {
		const DAT_EVD_HANDLE good = call.recv;
		Adapter elsewhere;
		SharedQueue foreign(elsewhere, 10);

		call.ia = adapter.pz();
		refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
		call.ia = adapter.ia();
		call.pz = adapter.ia();
		refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
		call.pz = adapter.pz();
		for (DAT_SRQ_HANDLE srq : { DAT_SRQ_HANDLE(DAT_HANDLE_NULL),
					    DAT_SRQ_HANDLE(adapter.pz()), foreign.srq() }) {
			call.srq = srq;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
		}
		call.srq = call.queue.srq();
		/* Without an EVD nobody would hear of what the endpoint takes. */
		for (DAT_EVD_HANDLE evd :
		     { DAT_EVD_HANDLE(DAT_HANDLE_NULL), DAT_EVD_HANDLE(adapter.pz()) }) {
			call.recv = evd;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_RECV);
		}
		call.recv = good;
		call.request = adapter.pz();
		refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_REQUEST);
		call.request = good;
		call.connect = adapter.pz();
		refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN);
	});
}

TEST(DatEpCreateWithSrq, ReturnValuesModelNotSupported)
{
	with_call([](const Adapter &, Call &call) {
		call.attributes.qos = DAT_QOS_ECONOMY;
		refused(call(), DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	});
}

/* "due to resource limitations": of the device's objects */
TEST(DatEpCreateWithSrq, ReturnValuesInsufficientResourcesObjects)
{
	with_call([](const Adapter &, Call &call) {
		check_without_objects(call, DAT_RESOURCE_TEP);
		ok(dat_ep_free(call.ep));
	});
}

/* "due to resource limitations": of memory */
TEST(DatEpCreateWithSrq, ReturnValuesInsufficientResourcesNoHeap)
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

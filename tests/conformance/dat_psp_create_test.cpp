// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_psp_create(3DAT)

#include "no_resources.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "service_point.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace suite {
namespace {

/** The arguments of the call; tests change what they are about. */
struct Call {
	explicit Call(const Adapter &adapter)
		: queue(adapter, 16, DAT_EVD_CR_FLAG), ia(adapter.ia()),
		  qual(free_qualifier(adapter)), evd(queue.evd())
	{
	}
	Call(const Call &) = delete;
	Call &operator=(const Call &) = delete;
	~Call()
	{
		if (psp != DAT_HANDLE_NULL)
			dat_psp_free(psp);
	}
	DAT_RETURN operator()()
	{
		return dat_psp_create(ia, qual, evd, static_cast<DAT_PSP_FLAGS>(flags), &psp);
	}
	DAT_CR_ARRIVAL_EVENT_DATA request(Location where = Location::current())
	{
		return queue.expect(DAT_CONNECTION_REQUEST_EVENT, where)
			.event_data.cr_arrival_event_data;
	}

	EventQueue queue;
	DAT_IA_HANDLE ia;
	DAT_CONN_QUAL qual;
	DAT_EVD_HANDLE evd;
	unsigned flags = DAT_PSP_CONSUMER_FLAG;
	DAT_PSP_HANDLE psp = DAT_HANDLE_NULL;
};

void with_call(void (*body)(const Adapter &adapter, Call &call))
{
	play([body](Line &) {
		Adapter adapter;
		Call call(adapter);

		body(adapter, call);
	});
}

/* "persistent ... can receive multiple requests for connection" */
TEST(DatPspCreate, DescriptionTakesManyRequests)
{
	with_call([](const Adapter &adapter, Call &call) {
		std::vector<std::unique_ptr<Endpoint>> callers;

		ok(call());
		for (int i = 0; i < 5; i++) {
			callers.push_back(std::make_unique<Endpoint>(adapter));
			ok(callers.back()->connect(adapter.address(), call.qual));
		}
		for (int i = 0; i < 5; i++)
			ok(dat_cr_reject(call.request().cr_handle));
		for (auto &caller : callers)
			caller->expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		Endpoint late(adapter);
		ok(late.connect(adapter.address(), call.qual));
		ok(dat_cr_reject(call.request().cr_handle));
	});
}

/* "delivered through the specified Event Dispatcher in Notification events" */
TEST(DatPspCreate, DescriptionTheEventTellsOfTheServicePoint)
{
	with_call([](const Adapter &adapter, Call &call) {
		Endpoint caller(adapter);

		ok(call());
		ok(caller.connect(adapter.address(), call.qual));
		const DAT_CR_ARRIVAL_EVENT_DATA data = call.request();
		EXPECT_EQ(data.sp_handle.psp_handle, call.psp);
		EXPECT_EQ(data.conn_qual, call.qual);
		EXPECT_EQ(std::memcmp(data.local_ia_address_ptr, adapter.address(),
				      sizeof(DAT_SOCK_ADDR)),
			  0);
		ok(dat_cr_reject(data.cr_handle));
	});
}

/* "control the size of backlog through the queue size of the associated Event Dispatcher" */
TEST(DatPspCreate, DescriptionTheEvdsSizeIsTheBacklog)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 4, DAT_EVD_CR_FLAG), outcome(adapter, 32);
		const DAT_COUNT room = queue.length();
		const DAT_CONN_QUAL qual = free_qualifier(adapter);
		DAT_PSP_HANDLE psp;

		ok(dat_psp_create(adapter.ia(), qual, queue.evd(), DAT_PSP_CONSUMER_FLAG, &psp));
		std::vector<DAT_EP_HANDLE> callers(static_cast<std::size_t>(room) + 2);
		for (DAT_EP_HANDLE &ep : callers) {
			ok(dat_ep_create(adapter.ia(), adapter.pz(), DAT_HANDLE_NULL,
					 DAT_HANDLE_NULL, outcome.evd(), nullptr, &ep));
			ok(dat_ep_connect(ep, adapter.address(), qual, 20'000'000, 0, nullptr,
					  DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
		}
		for (int i = 0; i < 2; i++)
			outcome.expect(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		for (DAT_COUNT i = 0; i < room; i++) {
			DAT_EVENT event = queue.expect(DAT_CONNECTION_REQUEST_EVENT);
			ok(dat_cr_reject(event.event_data.cr_arrival_event_data.cr_handle));
		}
		for (DAT_COUNT i = 0; i < room; i++)
			outcome.expect(DAT_CONNECTION_EVENT_PEER_REJECTED);
		queue.require_empty();
		for (DAT_EP_HANDLE ep : callers)
			ok(dat_ep_free(ep));
		ok(dat_psp_free(psp));
	});
}

/* "or request that the Provider should not create one per Connection Request" */
TEST(DatPspCreate, DescriptionConsumerFlag)
{
	with_call([](const Adapter &adapter, Call &call) {
		Endpoint caller(adapter);
		DAT_CR_PARAM param;

		ok(call());
		ok(caller.connect(adapter.address(), call.qual));
		DAT_CR_HANDLE cr = call.request().cr_handle;
		ok(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
		EXPECT_EQ(param.local_ep_handle, DAT_HANDLE_NULL);
		ok(dat_cr_reject(cr));
	});
}

/* "All Endpoints created by the Provider have DAT_HANDLE_NULL for the Protection Zone and" */
TEST(DatPspCreate, DescriptionProviderFlag)
{
	with_call([](const Adapter &adapter, Call &call) {
		Endpoint caller(adapter);
		DAT_CR_PARAM param;
		DAT_EP_PARAM ep;

		EXPECT_EQ(adapter.provider().ep_creator, DAT_PSP_CREATES_EP_IFASKED);
		call.flags = DAT_PSP_PROVIDER_FLAG;
		ok(call());
		ok(caller.connect(adapter.address(), call.qual));
		DAT_CR_HANDLE cr = call.request().cr_handle;
		ok(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
		ok(dat_ep_query(param.local_ep_handle, DAT_EP_FIELD_ALL, &ep));
		EXPECT_EQ(ep.ep_state, DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING);
		for (DAT_HANDLE handle :
		     { DAT_HANDLE(ep.pz_handle), DAT_HANDLE(ep.recv_evd_handle),
		       DAT_HANDLE(ep.request_evd_handle), DAT_HANDLE(ep.connect_evd_handle) })
			EXPECT_EQ(handle, DAT_HANDLE_NULL);
		ok(dat_cr_reject(cr));
	});
}

/* "Consumers should change Endpoint parameters, especially PZ and EVD ... prior to" accepting */
TEST(DatPspCreate, DescriptionTheProvidersEndpointMustBeCompleted)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		DAT_EP_HANDLE ep;

		DAT_CR_HANDLE cr = maker.request(ep);
		refused(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE_EVD_CONN);
		maker.adopt(ep);
		ok(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr));
		/* "notified ... by a Connection Established Event on the ... connect_evd_handle" */
		maker.events.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
		Maker::require_state(ep, DAT_EP_STATE_CONNECTED);
		ok(dat_ep_free(ep));
	});
}

/* "If rejected, control of the Local Endpoint point is returned back to the Provider" */
TEST(DatPspCreate, UsageARejectedRequestsEndpointIsUnusable)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		DAT_EP_HANDLE ep;
		DAT_EP_PARAM param;

		ok(dat_cr_reject(maker.request(ep)));
		refused(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE_EP);
	});
}

/* "Endpoints can be created and modified at any time prior to accepting" */
TEST(DatPspCreate, UsageAnEndpointMadeAfterTheRequest)
{
	with_call([](const Adapter &adapter, Call &call) {
		Endpoint caller(adapter);

		ok(call());
		ok(caller.connect(adapter.address(), call.qual));
		DAT_CR_HANDLE cr = call.request().cr_handle;
		Endpoint passive(adapter);
		ok(accept_request(cr, passive));
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		caller.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* "The ia_handle or evd_handle parameter is invalid." */
TEST(DatPspCreate, ReturnValuesInvalidHandle)
{
	with_call([](const Adapter &adapter, Call &call) {
		EventQueue no_requests(adapter, 4, DAT_EVD_DTO_FLAG);
		Adapter elsewhere;
		EventQueue foreign(elsewhere, 4, DAT_EVD_CR_FLAG);

		call.ia = adapter.pz();
		refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
		call.ia = adapter.ia();
		for (DAT_EVD_HANDLE evd :
		     { DAT_EVD_HANDLE(DAT_HANDLE_NULL), DAT_EVD_HANDLE(adapter.pz()),
		       no_requests.evd(), foreign.evd() }) {
			call.evd = evd;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
		}
	});
}

/* "The conn_qual or psp_flags parameter is invalid." */
TEST(DatPspCreate, ReturnValuesInvalidParameter)
{
	with_call([](const Adapter &adapter, Call &call) {
		const DAT_CONN_QUAL qual = call.qual;

		call.qual = 0;
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		call.qual = qual;
		for (unsigned flags : { 2U, 3U, 0x100U }) {
			call.flags = flags;
			refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
		}
		refused(dat_psp_create(adapter.ia(), qual, call.evd, DAT_PSP_CONSUMER_FLAG,
				       nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	});
}

/* "The specified Connection Qualifier was in use.": by a PSP, or by an RSP */
TEST(DatPspCreate, ReturnValuesConnQualInUse)
{
	with_call([](const Adapter &adapter, Call &call) {
		Listener listener(adapter);
		Reserved r(adapter);

		for (DAT_CONN_QUAL qual : { listener.qual(), r.qual }) {
			call.qual = qual;
			refused(call(), DAT_CONN_QUAL_IN_USE, DAT_NO_SUBTYPE);
		}
		listener.free();
		call.qual = listener.qual();
		ok(call());
	});
}

/* "due to resource limitations": of memory */
TEST(DatPspCreate, ReturnValuesInsufficientResourcesNoHeap)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	with_call([](const Adapter &, Call &call) { check_without_heap(call); });
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_psp_free(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "service_point.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "rejected by the Provider with the return analogous to the no listening Service Point" */
TEST(DatPspFree, DescriptionLaterRequestsFindNobody)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter);

		listener.free();
		ok(active.connect(adapter.address(), listener.qual()));
		active.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		listener.queue().require_empty();
	});
}

/* "no effect on previously generated Connection Requested Events": whether taken or not */
TEST(DatPspFree, DescriptionEarlierRequestsLiveOn)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint first(adapter), second(adapter), passive(adapter);

		ok(first.connect(adapter.address(), listener.qual()));
		DAT_CR_HANDLE taken = listener.request();
		listener.free();
		ok(accept_request(taken, passive));
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		first.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* "and, potentially, Endpoint instances created by the Provider" */
TEST(DatPspFree, DescriptionEarlierEndpointsOfTheProviderLiveOn)
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
		ok(dat_ep_free(ep));
	});
}

/* Connections that came about over it stay. */
TEST(DatPspFree, DescriptionConnectionsStay)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);

		pair.listener.free();
		pair.settle();
	});
}

/* The qualifier and the EVD are free. */
TEST(DatPspFree, DescriptionGivesBackWhatItHad)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 4, DAT_EVD_CR_FLAG);
		const DAT_CONN_QUAL qual = free_qualifier(adapter);
		DAT_PSP_HANDLE psp;

		for (int i = 0; i < 3; i++) {
			ok(dat_psp_create(adapter.ia(), qual, queue.evd(), DAT_PSP_CONSUMER_FLAG,
					  &psp));
			refused(dat_evd_free(queue.evd()), DAT_INVALID_STATE,
				DAT_INVALID_STATE_EVD_IN_USE);
			ok(dat_psp_free(psp));
		}
		/* The queue's own end frees the EVD; the adapter's checks that it could. */
	});
}

/* "Use of the handle of the destroyed Public Service Point in any consequent operation fails." */
TEST(DatPspFree, DescriptionTheHandleIsDead)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		const DAT_PSP_HANDLE psp = listener.psp();
		DAT_PSP_PARAM param;
		DAT_HANDLE_TYPE type;

		listener.free();
		refused(dat_psp_free(psp), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PSP);
		refused(dat_psp_query(psp, DAT_PSP_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE_PSP);
		fails(DAT_INVALID_HANDLE, dat_get_handle_type(psp, &type));
	});
}

TEST(DatPspFree, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		for (DAT_PSP_HANDLE psp :
		     { DAT_PSP_HANDLE(DAT_HANDLE_NULL), DAT_PSP_HANDLE(r.rsp) })
			refused(dat_psp_free(psp), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PSP);
	});
}

} // namespace
} // namespace suite

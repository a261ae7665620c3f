// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_free(3DAT)

#include "cno.hpp"
#include "endpoint.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

DAT_EVD_HANDLE make_evd(const Adapter &adapter, DAT_EVD_FLAGS streams = any_stream,
			DAT_CNO_HANDLE cno = DAT_HANDLE_NULL)
{
	DAT_EVD_HANDLE evd;

	ok(dat_evd_create(adapter.ia(), 16, cno, streams, &evd));
	return evd;
}

/* "All events on the queue of the specified Event Dispatcher are lost." */
TEST(DatEvdFree, DescriptionEventsAreLost)
{
	play([](Line &) {
		Adapter adapter;
		const DAT_EVD_HANDLE evd = make_evd(adapter, DAT_EVD_SOFTWARE_FLAG);

		for (int i = 0; i < 3; i++)
			ok(post_se(evd));
		ok(dat_evd_free(evd));
	});
}

/* ... and a connection's request with them: its peer is told */
TEST(DatEvdFree, DescriptionRequestsAreLost)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint active(adapter);
		const DAT_EVD_HANDLE evd = make_evd(adapter, DAT_EVD_CR_FLAG);
		Cno cno(adapter);
		DAT_CONN_QUAL qual;
		DAT_PSP_HANDLE psp;

		ok(dat_evd_modify_cno(evd, cno.handle()));
		ok(dat_psp_create_any(adapter.ia(), &qual, evd, DAT_PSP_CONSUMER_FLAG, &psp));
		ok(active.connect(adapter.address(), qual));
		EXPECT_EQ(cno.wait(), evd);
		ok(dat_psp_free(psp));
		ok(dat_evd_free(evd));
		active.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
	});
}

/* "no threads blocked on the Event Dispatcher": one that is gets its own answer */
TEST(DatEvdFree, DescriptionWaiterIsReleased)
{
	play([](Line &) {
		Adapter adapter;
		const DAT_EVD_HANDLE evd = make_evd(adapter);
		EvdWait wait(evd, 1, DAT_TIMEOUT_INFINITE);

		ok(dat_evd_free(evd));
		refused(wait.result(), DAT_ABORT, DAT_NO_SUBTYPE);
	});
}

/* "There are Event Streams associated with the Event Dispatcher": an EP's */
TEST(DatEvdFree, InvalidStateFedByAnEndpoint)
{
	play([](Line &) {
		Adapter adapter;
		const DAT_EVD_HANDLE recv = make_evd(adapter), request = make_evd(adapter),
				     connect = make_evd(adapter);
		DAT_EP_HANDLE ep;

		ok(dat_ep_create(adapter.ia(), adapter.pz(), recv, request, connect, nullptr, &ep));
		for (DAT_EVD_HANDLE evd : { recv, request, connect })
			refused(dat_evd_free(evd), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
		ok(dat_ep_free(ep));
		for (DAT_EVD_HANDLE evd : { recv, request, connect })
			ok(dat_evd_free(evd));
	});
}

/* ... a service point's */
TEST(DatEvdFree, InvalidStateFedByAServicePoint)
{
	play([](Line &) {
		Adapter adapter;
		const DAT_EVD_HANDLE evd = make_evd(adapter);
		Endpoint endpoint(adapter);
		DAT_CONN_QUAL qual;
		DAT_PSP_HANDLE psp;
		DAT_RSP_HANDLE rsp;

		ok(dat_psp_create_any(adapter.ia(), &qual, evd, DAT_PSP_CONSUMER_FLAG, &psp));
		refused(dat_evd_free(evd), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
		ok(dat_psp_free(psp));
		ok(dat_rsp_create(adapter.ia(), qual, endpoint.ep(), evd, &rsp));
		refused(dat_evd_free(evd), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
		ok(dat_rsp_free(rsp));
		ok(dat_evd_free(evd));
	});
}

/* "An exception to this rule is Event Dispatchers of an IA.": the IA feeds it for life */
TEST(DatEvdFree, InvalidStateFedByTheIa)
{
	play([](Line &) {
		Adapter adapter;

		refused(dat_evd_free(adapter.async_evd()), DAT_INVALID_STATE,
			DAT_INVALID_STATE_EVD_IN_USE);
	});
}

/* A CNO is fed by the EVD, and does not keep it. */
TEST(DatEvdFree, DescriptionCnoDoesNotKeepIt)
{
	play([](Line &) {
		Adapter adapter;
		DAT_CNO_HANDLE cno;

		ok(dat_cno_create(adapter.ia(), DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
		ok(dat_evd_free(make_evd(adapter, any_stream, cno)));
		ok(dat_cno_free(cno));
	});
}

/* "Freeing an IA automatically destroys all Objects ... including Event Dispatchers." */
TEST(DatEvdFree, UsageClosingTheIaDestroysIt)
{
	play([](Line &) {
		Adapter adapter;
		const DAT_EVD_HANDLE evd = make_evd(adapter);

		adapter.close_abruptly();
		refused(dat_evd_free(evd), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	});
}

/* "Use of the handle of the destroyed Event Dispatcher in any consequent operation fails." */
TEST(DatEvdFree, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		const DAT_EVD_HANDLE evd = make_evd(adapter);
		DAT_EVD_PARAM param;
		DAT_EVENT event;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_evd_free(other), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
		ok(dat_evd_free(evd));
		refused(dat_evd_free(evd), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
		refused(dat_evd_dequeue(evd, &event), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
		refused(dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE1);
		refused(dat_evd_enable(evd), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	});
}

} // namespace
} // namespace suite

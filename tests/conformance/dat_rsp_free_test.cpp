// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_rsp_free(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "service_point.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "rejected by the Provider with the return analogous to the no listening Service Point" */
TEST(DatRspFree, DescriptionLaterRequestsFindNobody)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		r.free();
		ok(r.active.connect(adapter.address(), r.qual));
		r.active.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		r.queue.require_empty();
	});
}

/* "no effect on previously generated Connection Request Event and Connection Request" */
TEST(DatRspFree, DescriptionAnEarlierRequestLivesOn)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		DAT_CR_HANDLE cr = r.request();
		r.free();
		r.passive.require_state(DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
		ok(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr));
		r.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* "the Consumer-provided Endpoint reverts to Consumer control" */
TEST(DatRspFree, DescriptionTheEndpointReverts)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		Listener listener(adapter);

		r.free();
		r.passive.require_state(DAT_EP_STATE_UNCONNECTED);
		ok(r.active.connect(adapter.address(), listener.qual()));
		listener.accept(r.passive);
		r.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* Its qualifier is free again. */
TEST(DatRspFree, DescriptionGivesBackTheQualifier)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);

		r.free();
		ok(dat_rsp_create(adapter.ia(), r.qual, r.passive.ep(), r.queue.evd(), &r.rsp));
		r.passive.require_state(DAT_EP_STATE_RESERVED);
	});
}

/* "Use of the handle of the destroyed Service Point in any consequent operation fails." */
TEST(DatRspFree, DescriptionTheHandleIsDead)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		const DAT_RSP_HANDLE rsp = r.rsp;
		DAT_RSP_PARAM param;

		r.free();
		refused(dat_rsp_free(rsp), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RSP);
		refused(dat_rsp_query(rsp, DAT_RSP_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE_RSP);
	});
}

TEST(DatRspFree, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);

		for (DAT_RSP_HANDLE rsp :
		     { DAT_RSP_HANDLE(DAT_HANDLE_NULL), DAT_RSP_HANDLE(listener.psp()) })
			refused(dat_rsp_free(rsp), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RSP);
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_srq_free(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "shared_queue.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "cannot be destroyed if it is in use by an EP"; the page's DAT_SRQ_IN_USE is a subtype */
TEST(DatSrqFree, DescriptionInUseByAnEndpoint)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Taker one(adapter, queue);

		refused(dat_srq_free(queue.srq()), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE);
		/* It is none the worse for it. */
		ok(queue.post(region.local(0, 64), 1));
		one.send(region.local(1024, 64), 2);
		one.taker.expect_recv(1, 64);
		one.end();
		refused(dat_srq_free(queue.srq()), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE);
		one.taker.free();
		queue.free();
	});
}

/* Buffers on it are no reason to keep it. */
TEST(DatSrqFree, DescriptionWithBuffersPosted)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);

		for (DAT_UINT64 i = 0; i < 10; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		queue.free();
	});
}

/* "It is illegal to use the destroyed handle in any consequent operation." */
TEST(DatSrqFree, DescriptionTheHandleIsDead)
{
	play([](Line &) {
		Adapter adapter;
		SharedQueue queue(adapter, 10);
		const DAT_SRQ_HANDLE srq = queue.srq();
		EventQueue events(adapter, 8);
		DAT_EP_ATTR attributes{};
		DAT_SRQ_PARAM param;
		DAT_EP_HANDLE ep;
		DAT_HANDLE_TYPE type;

		queue.free();
		for (DAT_RETURN result :
		     { dat_srq_free(srq), dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param),
		       dat_srq_resize(srq, 20), dat_srq_set_lw(srq, 1),
		       dat_srq_post_recv(srq, 0, nullptr, DAT_DTO_COOKIE{}),
		       dat_ep_create_with_srq(adapter.ia(), adapter.pz(), events.evd(),
					      events.evd(), events.evd(), srq, &attributes, &ep) })
			refused(result, DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
		fails(DAT_INVALID_HANDLE, dat_get_handle_type(srq, &type));
	});
}

/* "should avoid assigning the used handle as long as possible" */
TEST(DatSrqFree, UsageTheHandleIsNotAssignedAgainSoon)
{
	play([](Line &) {
		Adapter adapter;
		SharedQueue first(adapter, 1);
		const DAT_SRQ_HANDLE srq = first.srq();

		first.free();
		for (int i = 0; i < 10; i++) {
			SharedQueue next(adapter, 1);

			EXPECT_NE(next.srq(), srq);
			refused(dat_srq_free(srq), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
		}
	});
}

TEST(DatSrqFree, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_SRQ_HANDLE srq :
		     { DAT_SRQ_HANDLE(DAT_HANDLE_NULL), DAT_SRQ_HANDLE(adapter.pz()) })
			refused(dat_srq_free(srq), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_set_unwaitable(3DAT)

#include "cno.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "calls to dat_evd_wait(3DAT) return synchronously with a DAT_INVALID_STATE" */
TEST(DatEvdSetUnwaitable, DescriptionWaitsAreRefused)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		DAT_EVENT event;
		DAT_COUNT more;

		ok(dat_evd_set_unwaitable(queue.evd()));
		refused(dat_evd_wait(queue.evd(), DAT_TIMEOUT_INFINITE, 1, &event, &more),
			DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_UNWAITABLE);
	});
}

/* "threads already blocked in dat_evd_wait() are awakened" */
TEST(DatEvdSetUnwaitable, DescriptionWaiterIsAwakened)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		EvdWait waiting(queue.evd(), 1, DAT_TIMEOUT_INFINITE);

		ok(dat_evd_set_unwaitable(queue.evd()));
		refused(waiting.result(), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_UNWAITABLE);
	});
}

/* The same, however soon others may wait again: it is woken where only one thread runs. */
TEST(DatEvdSetUnwaitable, DescriptionWaiterIsAwakenedForGood)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);

		for (int i = 0; i < 20; i++) {
			EvdWait waiting(queue.evd(), 1, DAT_TIMEOUT_INFINITE);

			ok(dat_evd_set_unwaitable(queue.evd()));
			ok(dat_evd_clear_unwaitable(queue.evd()));
			refused(waiting.result(), DAT_INVALID_STATE,
				DAT_INVALID_STATE_EVD_UNWAITABLE);
		}
	});
}

/* "is DAT_EVD_UNWAITABLE after the return of this operation" */
TEST(DatEvdSetUnwaitable, DescriptionStateIsShown)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		DAT_EVD_PARAM param;

		for (int i = 0; i < 2; i++) {
			ok(dat_evd_set_unwaitable(queue.evd()));
			ok(dat_evd_query(queue.evd(), DAT_EVD_FIELD_EVD_STATE, &param));
			EXPECT_TRUE(param.evd_state & DAT_EVD_STATE_UNWAITABLE);
			EXPECT_FALSE(param.evd_state & DAT_EVD_STATE_WAITABLE);
		}
	});
}

/* "Events arriving ... still trigger the CNO ... and can be retrieved with dat_evd_dequeue" */
TEST(DatEvdSetUnwaitable, DescriptionCnoAndDequeueWorkOn)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		SoftwareQueue queue(adapter);
		DAT_EVENT event;

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(dat_evd_set_unwaitable(queue.evd()));
		ok(post_se(queue, 1));
		EXPECT_EQ(cno.wait(), queue.evd());
		ok(dat_evd_dequeue(queue.evd(), &event));
		require_se(event, 1);
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "the EVD might overflow": software events are refused then, as ever */
TEST(DatEvdSetUnwaitable, DescriptionQueueMayFill)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter, 4);
		DAT_EVENT event;

		ok(dat_evd_set_unwaitable(queue.evd()));
		for (DAT_COUNT i = 0; i < queue.length(); i++)
			ok(post_se(queue, static_cast<std::uintptr_t>(i)));
		refused(post_se(queue), DAT_QUEUE_FULL, DAT_NO_SUBTYPE);
		for (DAT_COUNT i = 0; i < queue.length(); i++) {
			ok(dat_evd_dequeue(queue.evd(), &event));
			require_se(event, static_cast<std::uintptr_t>(i));
		}
	});
}

TEST(DatEvdSetUnwaitable, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_evd_set_unwaitable(other), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE1);
	});
}

} // namespace
} // namespace suite

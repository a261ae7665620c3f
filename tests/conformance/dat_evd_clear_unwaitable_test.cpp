// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_clear_unwaitable(3DAT)

#include "cno.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "calls to dat_evd_wait(3DAT) are permitted on the EVD" */
TEST(DatEvdClearUnwaitable, DescriptionWaitsArePermitted)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);

		for (std::uintptr_t i = 0; i < 3; i++) {
			ok(dat_evd_set_unwaitable(queue.evd()));
			ok(dat_evd_clear_unwaitable(queue.evd()));
			EvdWait waiting(queue.evd());
			ok(post_se(queue, i));
			ok(waiting.result());
			require_se(waiting.event, i);
		}
	});
}

/* "is DAT_EVD_WAITABLE after the return of this operation" */
TEST(DatEvdClearUnwaitable, DescriptionStateIsShown)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		DAT_EVD_PARAM param;

		ok(dat_evd_set_unwaitable(queue.evd()));
		for (int i = 0; i < 2; i++) {
			ok(dat_evd_clear_unwaitable(queue.evd()));
			ok(dat_evd_query(queue.evd(), DAT_EVD_FIELD_EVD_STATE, &param));
			EXPECT_TRUE(param.evd_state & DAT_EVD_STATE_WAITABLE);
			EXPECT_FALSE(param.evd_state & DAT_EVD_STATE_UNWAITABLE);
		}
	});
}

/* "does not affect a CNO": what came meanwhile is there, and its trigger */
TEST(DatEvdClearUnwaitable, DescriptionCnoAndEventsStay)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(dat_evd_set_unwaitable(queue.evd()));
		ok(post_se(queue, 1));
		ok(dat_evd_clear_unwaitable(queue.evd()));
		EXPECT_EQ(cno.wait(), queue.evd());
		ok(post_se(queue, 2));
		EXPECT_EQ(cno.wait(), queue.evd());
		expect_se(queue, 1);
		expect_se(queue, 2);
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* A thread that waits already goes on. */
TEST(DatEvdClearUnwaitable, DescriptionWaiterGoesOn)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		EvdWait waiting(queue.evd());

		ok(dat_evd_clear_unwaitable(queue.evd()));
		EXPECT_FALSE(waiting.sleeper.over());
		ok(post_se(queue, 1));
		ok(waiting.result());
		require_se(waiting.event, 1);
	});
}

TEST(DatEvdClearUnwaitable, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_evd_clear_unwaitable(other), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE1);
	});
}

} // namespace
} // namespace suite

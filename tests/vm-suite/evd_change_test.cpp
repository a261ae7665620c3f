// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Event queues that grow under traffic, that nobody may wait on, software events. */

#include "pair.hpp"
#include "play.hpp"
#include "raw_device.hpp"
#include "settings.hpp"
#include "sleeper.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <future>
#include <thread>

namespace suite {
namespace {

/* ---- software events ---- */

TEST(EvdSoftware, UntilTheQueueIsFull)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 8, DAT_EVD_SOFTWARE_FLAG);
		const auto length = static_cast<std::uintptr_t>(queue.length());

		for (unsigned round = 0; round < 3; round++) {
			for (std::uintptr_t i = 0; i < length; i++)
				ok(post_se(queue, i));
			fails(DAT_QUEUE_FULL, post_se(queue, length));
			for (std::uintptr_t i = 0; i < length; i++)
				expect_se(queue, i);
			queue.require_empty();
		}
	});
}

TEST(EvdSoftware, WakesTheWaiter)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 8, DAT_EVD_SOFTWARE_FLAG);
		DAT_EVENT event;
		DAT_COUNT more;

		auto waiter = std::async(std::launch::async, [&] {
			return dat_evd_wait(queue.evd(), long_time, 3, &event, &more);
		});
		for (std::uintptr_t i = 1; i <= 3; i++)
			ok(post_se(queue, i));
		ok(waiter.get());
		EXPECT_EQ(event.event_data.software_event_data.pointer,
			  reinterpret_cast<DAT_PVOID>(1));
		EXPECT_EQ(more, 2);
	});
}

TEST(EvdSoftware, NeedsItsStream)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 8, DAT_EVD_DTO_FLAG);

		fails(DAT_INVALID_PARAMETER, post_se(queue, 1));
	});
}

/* ---- unwaitable ---- */

TEST(EvdUnwaitable, SendsTheWaiterAwayAndBack)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 8, DAT_EVD_SOFTWARE_FLAG);
		DAT_EVENT event;
		DAT_COUNT more;

		for (unsigned round = 0; round < 20; round++) {
			auto waiter = std::async(std::launch::async, [&] {
				return dat_evd_wait(queue.evd(), long_time, 2, &event, &more);
			});
			/* The thread sleeps, or has not yet begun to: both must end alike. */
			if (round % 2)
				std::this_thread::sleep_for(std::chrono::milliseconds(5));
			ok(dat_evd_set_unwaitable(queue.evd()));
			fails(DAT_INVALID_STATE, waiter.get());
			ok(post_se(queue, round));
			fails(DAT_INVALID_STATE,
			      dat_evd_wait(queue.evd(), long_time, 1, &event, &more));
			ok(dat_evd_dequeue(queue.evd(), &event));
			ok(dat_evd_clear_unwaitable(queue.evd()));
			ok(post_se(queue, round));
			expect_se(queue, round);
		}
	});
}

/* ---- resize ---- */

/*
 * A queue of few events and completions without end, while the queue grows to its
 * limit: each comes once and in order, to a program that waits and one that looks.
 */
void grow_under_traffic(bool waits)
{
	constexpr DAT_UINT64 depth = 128;

	play([&](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = depth, .events = 2 });
		Region target(adapter, 64);
		EventQueue &queue = pair.active.request_queue();
		std::atomic<bool> over = false;

		auto grower = std::async(std::launch::async, [&] {
			DAT_RETURN result = DAT_SUCCESS;
			for (DAT_COUNT length = 4; length <= 65536 && result == DAT_SUCCESS;
			     length *= 2) {
				result = dat_evd_resize(queue.evd(), length);
				std::this_thread::sleep_for(std::chrono::milliseconds(1));
			}
			over = true;
			return result;
		});
		DAT_UINT64 posted = 0, taken = 0;
		while (!over || taken < posted) {
			for (; !over && posted - taken < depth; posted++)
				ok(pair.active.write(Segments(), target.remote(0, 0), posted));
			if (taken == posted)
				continue;
			const DAT_EVENT event = waits ? queue.wait() : queue.spin();
			require(event.event_data.dto_completion_event_data.user_cookie.as_64 ==
					taken,
				"another completion");
			taken++;
		}
		ok(grower.get());
		queue.require_empty();
		EXPECT_EQ(queue.length(), 65536);
		fails(DAT_INSUFFICIENT_RESOURCES, dat_evd_resize(queue.evd(), 65537));
	});
}

TEST(EvdResize, UnderTrafficWhileSomeoneWaits)
{
	grow_under_traffic(true);
}

TEST(EvdResize, UnderTrafficWhileSomeoneLooks)
{
	grow_under_traffic(false);
}

TEST(EvdResize, ShrinkingLosesNothing)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 64, DAT_EVD_SOFTWARE_FLAG);

		for (std::uintptr_t i = 0; i < 10; i++)
			ok(post_se(queue, i));
		fails(DAT_INVALID_STATE, dat_evd_resize(queue.evd(), 9));
		ok(dat_evd_resize(queue.evd(), 10));
		for (std::uintptr_t i = 0; i < 10; i++)
			expect_se(queue, i);
		for (DAT_COUNT bad : { 0, -1 })
			fails(DAT_INVALID_PARAMETER, dat_evd_resize(queue.evd(), bad));
	});
}

/* Offers that nobody takes, commits of nothing, and an EVD that goes meanwhile. */
TEST(EvdResize, ByAHostileProgram)
{
	play([](Line &) {
		RawIa ia;
		kdapl_evd_resize resize{};

		resize.evd = ia.evd(8);
		resize.flags = KDAPL_EVD_RESIZE_COMMIT;
		EXPECT_EQ(ia.file().call(KDAPL_EVD_RESIZE, resize), EBADFD);
		resize.flags = 2;
		resize.qlen = 64;
		EXPECT_EQ(ia.file().call(KDAPL_EVD_RESIZE, resize), EINVAL);
		resize.flags = 0;
		for (unsigned i = 0; i < scaled(1000); i++) {
			resize.qlen = 65536;
			ASSERT_EQ(ia.file().call(KDAPL_EVD_RESIZE, resize), 0);
		}
		EXPECT_EQ(ia.destroy(KDAPL_OBJ_EVD, resize.evd), 0);
		resize.flags = KDAPL_EVD_RESIZE_COMMIT;
		EXPECT_EQ(ia.file().call(KDAPL_EVD_RESIZE, resize), ENOENT);
	});
}

} // namespace
} // namespace suite

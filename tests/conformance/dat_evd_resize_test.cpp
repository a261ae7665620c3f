// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_resize(3DAT)

#include "no_memory.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "sleeper.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>

namespace suite {
namespace {

/* "New number of events the Event Dispatcher event queue must hold." */
TEST(DatEvdResize, ParametersQueueHoldsSoMany)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter, 1);

		for (DAT_COUNT length : { 2, 3, 64, 100, 5, 1000 }) {
			ok(dat_evd_resize(queue.evd(), length));
			EXPECT_GE(queue.length(), length);
			for (DAT_COUNT i = 0; i < length; i++)
				ok(post_se(queue, static_cast<std::uintptr_t>(i)));
			for (DAT_COUNT i = 0; i < length; i++)
				expect_se(queue, static_cast<std::uintptr_t>(i));
		}
	});
}

/* "should not cause any incoming or current events ... to be lost" */
TEST(DatEvdResize, DescriptionCurrentEventsStay)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter, 8);
		std::uintptr_t posted = 0, taken = 0;

		for (DAT_COUNT length : { 16, 8, 100, 7, 300, 8 }) {
			while (posted - taken < 7)
				ok(post_se(queue, posted++));
			ok(dat_evd_resize(queue.evd(), length));
			for (int i = 0; i < 5; i++)
				expect_se(queue, taken++);
		}
		while (taken < posted)
			expect_se(queue, taken++);
		queue.require_empty();
	});
}

/* ... of those that come meanwhile none either, whether it grows or shrinks */
void resize_under_traffic(bool waits)
{
	constexpr DAT_UINT64 depth = 64;

	play([&](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = depth, .events = 2 });
		Region target(adapter, 64);
		EventQueue &queue = pair.active.request_queue();
		std::atomic<bool> over = false;
		DAT_UINT64 posted = 0, taken = 0;

		auto resizer = std::async(std::launch::async, [&] {
			const DAT_RETURN full = DAT_ERROR(DAT_INVALID_STATE, DAT_NO_SUBTYPE);
			DAT_RETURN result = DAT_SUCCESS;
			for (DAT_COUNT length = 4; length <= 2048 && result == DAT_SUCCESS;
			     length *= 2) {
				result = dat_evd_resize(queue.evd(), length);
				/* Smaller again, if what is queued allows it. */
				const DAT_RETURN back = dat_evd_resize(queue.evd(), length / 4);
				if (result == DAT_SUCCESS && back != full)
					result = back;
			}
			over = true;
			return result;
		});
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
		ok(resizer.get());
		queue.require_empty();
	});
}

TEST(DatEvdResize, DescriptionIncomingEventsWhileSomeoneWaits)
{
	resize_under_traffic(true);
}

TEST(DatEvdResize, DescriptionIncomingEventsWhileSomeoneLooks)
{
	resize_under_traffic(false);
}

/* A wait for more events than fitted at its beginning goes on. */
TEST(DatEvdResize, DescriptionWhileAThreadSleeps)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter, 4);
		EvdWait waiting(queue.evd(), 4);

		ok(post_se(queue, 0));
		ok(dat_evd_resize(queue.evd(), 64));
		for (std::uintptr_t i = 1; i < 4; i++)
			ok(post_se(queue, i));
		ok(waiting.result());
		require_se(waiting.event, 0);
		EXPECT_EQ(waiting.more, 3);
	});
}

/* "exceeds the requested event queue length ... and not change an instance" */
TEST(DatEvdResize, InvalidStateMoreEventsThanThat)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter, 64);

		for (std::uintptr_t i = 0; i < 10; i++)
			ok(post_se(queue, i));
		const DAT_COUNT before = queue.length();
		refused(dat_evd_resize(queue.evd(), 9), DAT_INVALID_STATE, DAT_NO_SUBTYPE);
		EXPECT_EQ(queue.length(), before);
		ok(dat_evd_resize(queue.evd(), 10));
		for (std::uintptr_t i = 0; i < 10; i++)
			expect_se(queue, i);
	});
}

/* Of the EVD of asynchronous events, too: dat_ia_open() says so. */
TEST(DatEvdResize, UsageOfTheAsyncEvd)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_PARAM param;

		ok(dat_evd_resize(adapter.async_evd(), 100));
		ok(dat_evd_query(adapter.async_evd(), DAT_EVD_FIELD_EVD_QLEN, &param));
		EXPECT_GE(param.evd_qlen, 100);
	});
}

/* "The evd_min_qlen parameter is invalid" */
TEST(DatEvdResize, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);

		for (DAT_COUNT length : { 0, -1 })
			refused(dat_evd_resize(queue.evd(), length), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG2);
	});
}

/* More than max_evd_qlen tells. */
TEST(DatEvdResize, InsufficientResources)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		const DAT_COUNT longest = adapter.attributes().max_evd_qlen;

		refused(dat_evd_resize(queue.evd(), longest + 1), DAT_INSUFFICIENT_RESOURCES,
			DAT_RESOURCE_TEVD);
		ok(dat_evd_resize(queue.evd(), longest));
		EXPECT_EQ(queue.length(), longest);
	});
}

/* No memory for a longer queue: the EVD stays as it was. */
TEST(DatEvdResize, InsufficientResourcesNoMemory)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		const DAT_COUNT before = queue.length();

		ok(post_se(queue, 1));
		{
			NoMemory limit;
			refused(dat_evd_resize(queue.evd(), 1000), DAT_INSUFFICIENT_RESOURCES,
				DAT_RESOURCE_MEMORY);
		}
		EXPECT_EQ(queue.length(), before);
		expect_se(queue, 1);
	});
}

TEST(DatEvdResize, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_evd_resize(other, 8), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	});
}

} // namespace
} // namespace suite

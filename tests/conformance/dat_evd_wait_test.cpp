// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_wait(3DAT)

#include "cno.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

namespace suite {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

/** What a wait left behind besides its result. */
struct Left {
	DAT_EVENT event{};
	DAT_COUNT more = -1;
};

DAT_RETURN wait(const EventQueue &queue, DAT_TIMEOUT timeout, DAT_COUNT threshold, Left &left)
{
	return dat_evd_wait(queue.evd(), timeout, threshold, &left.event, &left.more);
}

/* ---- what it does ---- */

/* "removes the first event ... and fills the Consumer-allocated event structure" */
TEST(DatEvdWait, DescriptionRemovesTheFirstEvent)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		Left left;

		for (std::uintptr_t i = 1; i <= 3; i++)
			ok(post_se(queue, i));
		for (std::uintptr_t i = 1; i <= 3; i++) {
			left = {};
			ok(wait(queue, 0, 1, left));
			EXPECT_EQ(left.event.evd_handle, queue.evd());
			require_se(left.event, i);
		}
		queue.require_empty();
	});
}

/* "creates a Connection Request whose cr_handle is returned", gone after accept or reject */
TEST(DatEvdWait, DescriptionConnectionRequestUntilItIsDecided)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint first(adapter), second(adapter), passive(adapter);
		DAT_HANDLE_TYPE type;

		ok(first.connect(adapter.address(), listener.qual()));
		const DAT_CR_HANDLE accepted = listener.request();
		ok(dat_get_handle_type(accepted, &type));
		EXPECT_EQ(type, DAT_HANDLE_TYPE_CR);
		ok(accept_request(accepted, passive));
		refused(dat_cr_reject(accepted), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);

		ok(second.connect(adapter.address(), listener.qual()));
		const DAT_CR_HANDLE rejected = listener.request();
		ok(dat_cr_reject(rejected));
		refused(dat_cr_reject(rejected), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
		second.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
	});
}

/* "must pass to the Consumer the entire Private Data"; the passive side's size "returns zero" */
TEST(DatEvdWait, DescriptionPrivateDataOfEstablished)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		const std::string_view answer = "an answer";

		ok(active.connect(adapter.address(), listener.qual()));
		ok(accept_request(listener.request(), passive, answer));
		const auto got = active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		const auto none = passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		const auto is_whole = [&] {
			return got.private_data_size >= static_cast<DAT_COUNT>(answer.size()) &&
			       !std::memcmp(got.private_data, answer.data(), answer.size());
		};

		EXPECT_TRUE(is_whole());
		EXPECT_EQ(none.private_data_size, 0);
		/* "while the Endpoint is in Connected, Disconnect Pending, or Disconnected state"
		 */
		ok(dat_ep_disconnect(active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
		EXPECT_TRUE(is_whole());
		active.expect_end();
		EXPECT_TRUE(is_whole());
	});
}

/* "events that were posted from the same Event Stream prior ... were already returned" */
TEST(DatEvdWait, DescriptionOrderOfAStream)
{
	constexpr DAT_UINT64 count = 64;

	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = count });
		Region target(adapter, 64);

		for (DAT_UINT64 i = 0; i < count; i++)
			ok(pair.active.write(Segments(), target.remote(0, 0), i));
		for (DAT_UINT64 i = 0; i < count; i++)
			pair.active.expect_request(i, 0);
	});
}

/* ---- thresholds, nmore ---- */

/* "wait for a requested number of event arrivals prior to waking": one sleep, one wake */
TEST(DatEvdWait, DescriptionThresholdWakesOnce)
{
	constexpr DAT_COUNT count = 30;

	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter, count);
		EvdWait waiting(queue.evd(), count);

		for (std::uintptr_t i = 0; i < count; i++) {
			EXPECT_FALSE(waiting.sleeper.over());
			ok(post_se(queue, i));
		}
		ok(waiting.result());
		require_se(waiting.event, 0);
		EXPECT_EQ(waiting.more, count - 1);
		EXPECT_EQ(waiting.sleeper.further_sleeps(), 0);
	});
}

/* The same for completions. */
TEST(DatEvdWait, DescriptionThresholdOfCompletions)
{
	constexpr DAT_UINT64 count = 16;

	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = count });
		Region target(adapter, 64);
		EvdWait waiting(pair.active.request_queue().evd(), count);

		for (DAT_UINT64 i = 0; i < count; i++)
			ok(pair.active.write(Segments(), target.remote(0, 0), i));
		ok(waiting.result());
		EXPECT_EQ(waiting.event.event_data.dto_completion_event_data.user_cookie.as_64, 0U);
		EXPECT_EQ(waiting.more, static_cast<DAT_COUNT>(count - 1));
		EXPECT_EQ(waiting.sleeper.further_sleeps(), 0);
		for (DAT_UINT64 i = 1; i < count; i++)
			pair.active.expect_request(i, 0);
	});
}

/* "the number of events left on the Event Dispatcher queue", "at least ... (threshold -1)" */
TEST(DatEvdWait, DescriptionNmoreIsWhatIsLeft)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		Left left;

		for (std::uintptr_t i = 0; i < 8; i++)
			ok(post_se(queue, i));
		for (DAT_COUNT threshold : { 1, 7, 6, 2, 4, 1, 2, 1 }) {
			const DAT_COUNT before = left.more;
			ok(wait(queue, 0, threshold, left));
			EXPECT_EQ(left.more, before < 0 ? 7 : before - 1);
			EXPECT_GE(left.more, threshold - 1);
		}
		EXPECT_EQ(left.more, 0);
	});
}

/* More complete than the queue holds: nothing lost, order kept, and nmore counts all. */
TEST(DatEvdWait, DescriptionMoreEventsThanTheQueueHolds)
{
	constexpr DAT_UINT64 count = 64;

	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = count, .events = 2 });
		Region target(adapter, 64);
		EventQueue &queue = pair.active.request_queue();
		Left left;

		ASSERT_LT(queue.length(), 8);
		for (DAT_UINT64 i = 0; i < count; i++)
			ok(pair.active.write(Segments(), target.remote(0, 0), i));
		/* All have completed before the end is told, on another EVD. */
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
		pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		for (DAT_UINT64 i = 0; i < count; i++) {
			const DAT_COUNT here = static_cast<DAT_COUNT>(count - i);
			const DAT_COUNT threshold = std::min(here, queue.length());
			ok(wait(queue, long_time, threshold, left));
			EXPECT_EQ(left.event.event_data.dto_completion_event_data.user_cookie.as_64,
				  i);
			EXPECT_EQ(left.more, here - 1);
		}
		queue.require_empty();
	});
}

/* ---- time ---- */

/* "no event is dequeued", "nmore ... the snapshot of the number of the events" */
TEST(DatEvdWait, TimeoutExpiredTakesNothing)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);

		for (DAT_COUNT posted = 0; posted < 3; posted++) {
			for (DAT_TIMEOUT timeout : { 0U, 20'000U }) {
				const auto begin = Clock::now();
				Left left;
				refused(wait(queue, timeout, 3, left), DAT_TIMEOUT_EXPIRED,
					DAT_NO_SUBTYPE);
				EXPECT_EQ(left.more, posted);
				EXPECT_GE(Clock::now() - begin, microseconds(timeout));
			}
			ok(post_se(queue, static_cast<std::uintptr_t>(posted)));
		}
		Left left;
		ok(wait(queue, 0, 3, left));
		require_se(left.event, 0);
	});
}

/* "restrict the amount of time it is blocked": events below the threshold do not prolong it */
TEST(DatEvdWait, DescriptionTimeoutCountsFromTheBeginning)
{
	constexpr DAT_COUNT many = 4096;

	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter, many);
		const auto begin = Clock::now();
		EvdWait waiting(queue.evd(), many, 2'000'000);
		DAT_COUNT posted = 0;

		/* Were each event to begin it anew, it would end with the last of them. */
		while (!waiting.sleeper.over() && posted < many - 1) {
			ok(post_se(queue));
			posted++;
			std::this_thread::sleep_for(std::chrono::milliseconds(5));
		}
		EXPECT_LT(posted, many - 1);
		refused(waiting.result(), DAT_TIMEOUT_EXPIRED, DAT_NO_SUBTYPE);
		EXPECT_GE(Clock::now() - begin, microseconds(2'000'000));
		EXPECT_LE(waiting.more, posted);
		EXPECT_EQ(waiting.sleeper.further_sleeps(), 0);
	});
}

/* "DAT_TIMEOUT_INFINITE indicates that the Consumer waits indefinitely" */
TEST(DatEvdWait, DescriptionTimeoutInfinite)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		EvdWait waiting(queue.evd(), 1, DAT_TIMEOUT_INFINITE);

		ok(post_se(queue, 1));
		ok(waiting.result());
		require_se(waiting.event, 1);
	});
}

/* ---- who waits ---- */

/* "Any other dequeue operation ... is rejected", by a wait of no time, too */
TEST(DatEvdWait, InvalidStateThereIsAWaiter)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		EvdWait waiting(queue.evd(), 2);
		Left left;

		ok(post_se(queue, 1));
		for (DAT_TIMEOUT timeout : { DAT_TIMEOUT{ 0 }, long_time })
			refused(wait(queue, timeout, 1, left), DAT_INVALID_STATE,
				DAT_INVALID_STATE_EVD_WAITER);
		refused(dat_evd_dequeue(queue.evd(), &left.event), DAT_INVALID_STATE,
			DAT_INVALID_STATE_EVD_WAITER);
		ok(post_se(queue, 2));
		ok(waiting.result());
		require_se(waiting.event, 1);
		expect_se(queue, 2);
	});
}

/* "The CNO ... is not triggered ... if there is a Consumer blocked on dat_evd_wait()" */
TEST(DatEvdWait, DescriptionKeepsTheCnoOut)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		Cno cno(adapter);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		{
			EvdWait waiting(queue.evd(), 3);
			for (int i = 0; i < 3; i++)
				ok(post_se(queue));
			ok(waiting.result());
		}
		cno.require_untriggered();
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "called on an EVD in an unwaitable state": even where events are there */
TEST(DatEvdWait, InvalidStateUnwaitable)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		Left left;

		ok(post_se(queue, 1));
		ok(dat_evd_set_unwaitable(queue.evd()));
		for (DAT_TIMEOUT timeout : { DAT_TIMEOUT{ 0 }, long_time })
			refused(wait(queue, timeout, 1, left), DAT_INVALID_STATE,
				DAT_INVALID_STATE_EVD_UNWAITABLE);
		ok(dat_evd_clear_unwaitable(queue.evd()));
		expect_se(queue, 1);
	});
}

/* "dat_evd_set_unwaitable(3DAT) is called on an EVD on which a thread is blocked" */
TEST(DatEvdWait, InvalidStateBecomesUnwaitable)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		EvdWait waiting(queue.evd(), 2);

		ok(post_se(queue, 1));
		ok(dat_evd_set_unwaitable(queue.evd()));
		refused(waiting.result(), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_UNWAITABLE);
		ok(dat_evd_clear_unwaitable(queue.evd()));
		expect_se(queue, 1);
	});
}

/* ---- ends and errors ---- */

/* "aborted because ... EVD was destroyed" */
TEST(DatEvdWait, AbortEvdDestroyed)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE evd;

		ok(dat_evd_create(adapter.ia(), 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &evd));
		EvdWait waiting(evd, 1, DAT_TIMEOUT_INFINITE);
		ok(dat_evd_free(evd));
		refused(waiting.result(), DAT_ABORT, DAT_NO_SUBTYPE);
	});
}

/* "aborted because IA was closed" */
TEST(DatEvdWait, AbortIaClosed)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE evd;

		ok(dat_evd_create(adapter.ia(), 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &evd));
		EvdWait waiting(evd, 1, DAT_TIMEOUT_INFINITE), async(adapter.async_evd());
		adapter.close_abruptly();
		refused(waiting.result(), DAT_ABORT, DAT_NO_SUBTYPE);
		refused(async.result(), DAT_ABORT, DAT_NO_SUBTYPE);
	});
}

void on_signal(int) {}

/* "interrupted by a signal"; nmore is told, by one of the page's two readings */
TEST(DatEvdWait, InterruptedCall)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		struct sigaction action {};

		action.sa_handler = on_signal;
		action.sa_flags = SA_RESTART;
		sys(sigaction(SIGUSR1, &action, nullptr));
		ok(post_se(queue, 1));
		ok(post_se(queue, 2));
		EvdWait waiting(queue.evd(), 3);
		waiting.sleeper.signal(SIGUSR1);
		refused(waiting.result(), DAT_INTERRUPTED_CALL, DAT_NO_SUBTYPE);
		EXPECT_EQ(waiting.more, 2);
		expect_se(queue, 1);
	});
}

/* "non-positive", "larger than the Event Dispatcher queue length" */
TEST(DatEvdWait, InvalidParameterThreshold)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter, 5);
		Left left;

		for (DAT_COUNT threshold : { 0, -1, queue.length() + 1 })
			refused(wait(queue, 0, threshold, left), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG3);
		/* The queue's own length counts, not the least that was asked for. */
		EXPECT_GT(queue.length(), 5);
		refused(wait(queue, 0, queue.length(), left), DAT_TIMEOUT_EXPIRED, DAT_NO_SUBTYPE);
	});
}

TEST(DatEvdWait, InvalidParameterNowhereToPutIt)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		Left left;

		ok(post_se(queue, 1));
		refused(dat_evd_wait(queue.evd(), 0, 1, nullptr, &left.more), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG4);
		refused(dat_evd_wait(queue.evd(), 0, 1, &left.event, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
		expect_se(queue, 1);
	});
}

TEST(DatEvdWait, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		Left left;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_evd_wait(other, 0, 1, &left.event, &left.more),
				DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	});
}

} // namespace
} // namespace suite

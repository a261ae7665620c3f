// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_dequeue(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "sleeper.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace suite {
namespace {

/* "removes the first event from the Event Dispatcher event queue" */
TEST(DatEvdDequeue, DescriptionRemovesTheFirstEvent)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		DAT_EVENT event;

		for (std::uintptr_t i = 1; i <= 3; i++)
			ok(post_se(queue, i));
		for (std::uintptr_t i = 1; i <= 3; i++) {
			event = {};
			ok(dat_evd_dequeue(queue.evd(), &event));
			EXPECT_EQ(event.evd_handle, queue.evd());
			require_se(event, i);
		}
	});
}

/* "The first element in this structure provides the type of the event": of a connection */
TEST(DatEvdDequeue, DescriptionEventsOfAConnection)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);

		ok(active.connect(adapter.address(), listener.qual()));
		DAT_EVENT event = listener.queue().spin();
		EXPECT_EQ(event.event_number, DAT_CONNECTION_REQUEST_EVENT);
		const DAT_CR_ARRIVAL_EVENT_DATA &request = event.event_data.cr_arrival_event_data;
		EXPECT_EQ(request.sp_handle.psp_handle, listener.psp());
		EXPECT_EQ(request.conn_qual, listener.qual());
		ok(accept_request(request.cr_handle, passive));
		for (Endpoint *endpoint : { &active, &passive }) {
			event = endpoint->connect_queue().spin();
			EXPECT_EQ(event.event_number, DAT_CONNECTION_EVENT_ESTABLISHED);
			EXPECT_EQ(event.event_data.connect_event_data.ep_handle, endpoint->ep());
		}
	});
}

/* "from the same Event Stream prior to the returned event were already returned" */
TEST(DatEvdDequeue, DescriptionOrderOfAStream)
{
	constexpr DAT_UINT64 count = 64;

	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = count, .events = 2 });
		Region target(adapter, 64);

		for (DAT_UINT64 i = 0; i < count; i++)
			ok(pair.active.write(Segments(), target.remote(0, 0), i));
		for (DAT_UINT64 i = 0; i < count; i++) {
			const DAT_EVENT event = pair.active.request_queue().spin();
			EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, i);
		}
	});
}

/* "No matter how many contexts attempt to dequeue ... each event is delivered exactly once." */
TEST(DatEvdDequeue, UsageEachEventIsDeliveredOnce)
{
	constexpr std::uintptr_t count = 2000, last = ~std::uintptr_t{ 0 };
	constexpr int threads = 4;

	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter, count + threads);
		std::vector<std::future<std::vector<std::uintptr_t>>> takers;
		std::vector<unsigned> seen(count);

		for (int i = 0; i < threads; i++)
			takers.push_back(std::async(std::launch::async, [&] {
				std::vector<std::uintptr_t> taken;
				DAT_EVENT event;
				for (;;) {
					if (dat_evd_dequeue(queue.evd(), &event) != DAT_SUCCESS)
						continue;
					const auto number = reinterpret_cast<std::uintptr_t>(
						event.event_data.software_event_data.pointer);
					if (number == last)
						return taken;
					taken.push_back(number);
				}
			}));
		for (std::uintptr_t i = 0; i < count; i++)
			ok(post_se(queue, i));
		for (int i = 0; i < threads; i++)
			ok(post_se(queue, last));
		for (auto &taker : takers) {
			std::uintptr_t next = 0;
			for (std::uintptr_t number : taker.get()) {
				/* "the order that it delivers events into the EVD" */
				EXPECT_GE(number, next);
				next = number + 1;
				seen[number]++;
			}
		}
		EXPECT_EQ(seen, std::vector<unsigned>(count, 1));
	});
}

/* "There are no entries on the Event Dispatcher queue.", with the error's class */
TEST(DatEvdDequeue, QueueEmpty)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		DAT_EVENT event;

		refused(dat_evd_dequeue(queue.evd(), &event), DAT_QUEUE_EMPTY, DAT_NO_SUBTYPE);
		ok(post_se(queue));
		ok(dat_evd_dequeue(queue.evd(), &event));
		refused(dat_evd_dequeue(queue.evd(), &event), DAT_QUEUE_EMPTY, DAT_NO_SUBTYPE);
	});
}

/* "There is already a waiter on the EVD." */
TEST(DatEvdDequeue, InvalidStateThereIsAWaiter)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		EvdWait waiting(queue.evd());
		DAT_EVENT event;

		refused(dat_evd_dequeue(queue.evd(), &event), DAT_INVALID_STATE,
			DAT_INVALID_STATE_EVD_WAITER);
		ok(post_se(queue, 1));
		ok(waiting.result());
		require_se(waiting.event, 1);
	});
}

TEST(DatEvdDequeue, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);

		refused(dat_evd_dequeue(queue.evd(), nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG2);
	});
}

TEST(DatEvdDequeue, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVENT event;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_evd_dequeue(other, &event), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE1);
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_post_se(3DAT)

#include "cno.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace suite {
namespace {

/* "analogous to event arrival on the Event Dispatcher software Event Stream" */
TEST(DatEvdPostSe, DescriptionArrivesLikeOthers)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		Cno cno(adapter);

		{
			EvdWait waiting(queue.evd());
			ok(post_se(queue, 1));
			ok(waiting.result());
			require_se(waiting.event, 1);
		}
		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(post_se(queue, 2));
		EXPECT_EQ(cno.wait(), queue.evd());
		expect_se(queue, 2);
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "These parameters are opaque to a Provider." */
TEST(DatEvdPostSe, DescriptionParametersAreOpaque)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);

		for (std::uintptr_t value :
		     { std::uintptr_t{ 0 }, std::uintptr_t{ 1 }, ~std::uintptr_t{ 0 },
		       reinterpret_cast<std::uintptr_t>(&queue) }) {
			ok(post_se(queue, value));
			expect_se(queue, value);
		}
	});
}

/* "Allocation and release of the memory ... are the Consumer's responsibility": at once */
TEST(DatEvdPostSe, DescriptionEventIsCopied)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		DAT_EVENT event{};

		event.event_number = DAT_SOFTWARE_EVENT;
		event.event_data.software_event_data.pointer = &queue;
		ok(dat_evd_post_se(queue.evd(), &event));
		std::memset(&event, 0xff, sizeof event);
		expect_se(queue, reinterpret_cast<std::uintptr_t>(&queue));
	});
}

/* "DAT_QUEUE_FULL. The event is not queued." */
TEST(DatEvdPostSe, QueueFull)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		const auto length = static_cast<std::uintptr_t>(queue.length());

		for (std::uintptr_t round = 0; round < 3; round++) {
			for (std::uintptr_t i = 0; i < length; i++)
				ok(post_se(queue, i));
			refused(post_se(queue, length), DAT_QUEUE_FULL, DAT_NO_SUBTYPE);
			for (std::uintptr_t i = 0; i < length; i++)
				expect_se(queue, i);
			queue.require_empty();
		}
	});
}

/* "the asynchronous Event Dispatcher is not effected" */
TEST(DatEvdPostSe, QueueFullIsNoOverflow)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter, 1);
		DAT_EVENT event;

		while (post_se(queue) == DAT_SUCCESS)
			;
		refused(post_se(queue), DAT_QUEUE_FULL, DAT_NO_SUBTYPE);
		refused(dat_evd_dequeue(adapter.async_evd(), &event), DAT_QUEUE_EMPTY,
			DAT_NO_SUBTYPE);
		queue.expect(DAT_SOFTWARE_EVENT);
		ok(post_se(queue));
	});
}

/* Room for other streams' events is not for software events while those wait for it. */
TEST(DatEvdPostSe, QueueFullBehindWhatWaits)
{
	constexpr DAT_UINT64 count = 16;

	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 2, DAT_EVD_DTO_FLAG | DAT_EVD_SOFTWARE_FLAG);
		EventQueue connections(adapter, 16), others(adapter, 16);
		Listener listener(adapter);
		Region target(adapter, 64);
		DAT_RMR_TRIPLET nowhere = target.remote(0, 0);
		DAT_EP_HANDLE active, passive;

		ok(dat_ep_create(adapter.ia(), adapter.pz(), queue.evd(), queue.evd(),
				 connections.evd(), nullptr, &active));
		ok(dat_ep_create(adapter.ia(), adapter.pz(), others.evd(), others.evd(),
				 others.evd(), nullptr, &passive));
		ok(dat_ep_connect(active, adapter.address(), listener.qual(), long_time, 0, nullptr,
				  DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
		ok(dat_cr_accept(listener.request(), passive, 0, nullptr));
		connections.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
		for (DAT_UINT64 i = 0; i < count; i++)
			ok(dat_ep_post_rdma_write(active, 0, nullptr, DAT_DTO_COOKIE{ .as_64 = i },
						  &nowhere, DAT_COMPLETION_DEFAULT_FLAG));
		/* All have completed before the end is told. */
		ok(dat_ep_disconnect(active, DAT_CLOSE_GRACEFUL_FLAG));
		connections.expect(DAT_CONNECTION_EVENT_DISCONNECTED);
		refused(post_se(queue, 1), DAT_QUEUE_FULL, DAT_NO_SUBTYPE);
		for (DAT_UINT64 i = 0; i < count; i++)
			queue.expect(DAT_DTO_COMPLETION_EVENT);
		ok(post_se(queue, 2));
		expect_se(queue, 2);
		ok(dat_ep_free(active));
		ok(dat_ep_free(passive));
	});
}

/* "The event parameter is invalid.": no software event, or none at all */
TEST(DatEvdPostSe, InvalidParameterEvent)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 8, DAT_EVD_SOFTWARE_FLAG | any_stream);
		DAT_EVENT event{};

		refused(dat_evd_post_se(queue.evd(), nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG2);
		for (DAT_EVENT_NUMBER number :
		     { static_cast<DAT_EVENT_NUMBER>(0), DAT_DTO_COMPLETION_EVENT,
		       DAT_CONNECTION_EVENT_BROKEN }) {
			event.event_number = number;
			refused(dat_evd_post_se(queue.evd(), &event), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG2);
		}
		queue.require_empty();
	});
}

/* An EVD that software events may not feed. */
TEST(DatEvdPostSe, InvalidParameterStream)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 8, DAT_EVD_DEFAULT_FLAG);

		refused(post_se(queue), DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
		queue.require_empty();
	});
}

TEST(DatEvdPostSe, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(post_se(other), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	});
}

} // namespace
} // namespace suite

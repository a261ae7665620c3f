// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shared receive queues, and how many receives an EP may hold. */

#include "pair.hpp"
#include "play.hpp"
#include "shared_queue.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <vector>

namespace suite {
namespace {

/* The module's window on the device. */
constexpr DAT_COUNT window = 512;

/* ---- what it is ---- */

TEST(Srq, CreateQueryFree)
{
	play([](Line &) {
		Adapter adapter;
		const DAT_COUNT most = adapter.attributes().max_recv_per_srq;
		SharedQueue queue(adapter, 10, 2);
		const DAT_SRQ_PARAM param = queue.query();
		DAT_HANDLE_TYPE type;

		EXPECT_TRUE(adapter.provider().srq_supported);
		EXPECT_EQ(adapter.provider().srq_info_supported, 0x11);
		EXPECT_EQ(adapter.provider().srq_watermarks_supported, 0x111);
		EXPECT_FALSE(adapter.provider().srq_ep_pz_difference_supported);
		EXPECT_EQ(param.ia_handle, adapter.ia());
		EXPECT_EQ(param.pz_handle, adapter.pz());
		EXPECT_EQ(param.srq_state, DAT_SRQ_STATE_OPERATIONAL);
		EXPECT_EQ(param.max_recv_dtos, 10);
		EXPECT_EQ(param.max_recv_iov, 2);
		EXPECT_EQ(param.low_watermark, DAT_SRQ_LW_DEFAULT);
		queue.require_counts(0, 0);
		ok(dat_get_handle_type(queue.srq(), &type));
		EXPECT_EQ(type, DAT_HANDLE_TYPE_SRQ);
		fails(DAT_INVALID_STATE, dat_pz_free(adapter.pz()));

		DAT_SRQ_HANDLE srq;
		for (DAT_SRQ_ATTR bad :
		     { DAT_SRQ_ATTR{ 0, 1, 0 }, DAT_SRQ_ATTR{ -1, 1, 0 }, DAT_SRQ_ATTR{ 1, -1, 0 },
		       DAT_SRQ_ATTR{ 1, 1000, 0 }, DAT_SRQ_ATTR{ 4, 1, 1 } })
			fails(DAT_INVALID_PARAMETER,
			      dat_srq_create(adapter.ia(), adapter.pz(), &bad, &srq));
		DAT_SRQ_ATTR huge = { most + 1, 1, 0 };
		fails(DAT_INSUFFICIENT_RESOURCES,
		      dat_srq_create(adapter.ia(), adapter.pz(), &huge, &srq));
		DAT_SRQ_ATTR largest = { most, 1, 0 };
		ok(dat_srq_create(adapter.ia(), adapter.pz(), &largest, &srq));
		ok(dat_srq_free(srq));
		fails(DAT_INVALID_HANDLE, dat_srq_free(srq));
	});
}

TEST(Srq, BelongsToItsEpsForLife)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		DAT_EP_PARAM param;
		{
			Taker one(adapter, queue);

			ok(dat_ep_query(one.taker.ep(), DAT_EP_FIELD_ALL, &param));
			EXPECT_EQ(param.srq_handle, queue.srq());
			fails(DAT_INVALID_STATE, one.taker.recv(region.local(0, 64), 1));
			fails(DAT_INVALID_STATE, dat_srq_free(queue.srq()));

			one.end();
			ok(dat_ep_reset(one.sender.ep()));
			ok(dat_ep_reset(one.taker.ep()));
			one.connect(adapter);
			fill(region.bytes(0, 64), 7);
			ok(queue.post(region.local(1024, 64), 5));
			one.send(region.local(0, 64), 1);
			one.taker.expect_recv(5, 64);
			require_pattern(region.bytes(1024, 64), 7);
			one.end();
		}
		queue.free();
	});
}

TEST(Srq, OfAnotherZone)
{
	play([](Line &) {
		Adapter adapter;
		SharedQueue queue(adapter, 10);
		EventQueue events(adapter, 8);
		DAT_EP_ATTR attributes{};
		DAT_PZ_HANDLE pz;
		DAT_EP_HANDLE ep;

		attributes.max_request_dtos = 4;
		attributes.recv_completion_flags = DAT_COMPLETION_DEFAULT_FLAG;
		ok(dat_pz_create(adapter.ia(), &pz));
		fails(DAT_INVALID_PARAMETER,
		      dat_ep_create_with_srq(adapter.ia(), pz, events.evd(), events.evd(),
					     events.evd(), queue.srq(), &attributes, &ep));
		fails(DAT_INVALID_PARAMETER,
		      dat_ep_create_with_srq(adapter.ia(), adapter.pz(), events.evd(), events.evd(),
					     events.evd(), queue.srq(), nullptr, &ep));
		fails(DAT_INVALID_HANDLE,
		      dat_ep_create_with_srq(adapter.ia(), adapter.pz(), DAT_HANDLE_NULL,
					     events.evd(), events.evd(), queue.srq(), &attributes,
					     &ep));
		fails(DAT_INVALID_HANDLE,
		      dat_ep_create_with_srq(adapter.ia(), adapter.pz(), events.evd(), events.evd(),
					     events.evd(), events.evd(), &attributes, &ep));
		ok(dat_pz_free(pz));
	});
}

TEST(Srq, RefusesWhatItCanKnow)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096), readable(adapter, 4096, DAT_MEM_PRIV_LOCAL_READ_FLAG);
		SharedQueue queue(adapter, 3);
		DAT_LMR_TRIPLET three[3] = { region.local(0, 8), region.local(8, 8),
					     region.local(16, 8) };
		DAT_LMR_TRIPLET unknown = region.local(0, 64);
		DAT_PZ_HANDLE pz;

		ok(dat_pz_create(adapter.ia(), &pz));
		{
			Region foreign(adapter, 4096, all_privileges, pz);

			unknown.lmr_context ^= 0x40000000;
			fails(DAT_INVALID_PARAMETER, queue.post(region.local(4090, 64), 1));
			fails(DAT_INVALID_PARAMETER, queue.post(three, 1));
			fails(DAT_INVALID_PARAMETER,
			      dat_srq_post_recv(queue.srq(), 1, nullptr, DAT_DTO_COOKIE{}));
			fails(DAT_INVALID_PARAMETER,
			      dat_srq_post_recv(queue.srq(), -1, three, DAT_DTO_COOKIE{}));
			fails(DAT_PROTECTION_VIOLATION, queue.post(foreign.local(0, 64), 1));
			fails(DAT_PRIVILEGES_VIOLATION, queue.post(readable.local(0, 64), 1));
			fails(DAT_PRIVILEGES_VIOLATION, queue.post(unknown, 1));
		}
		ok(dat_pz_free(pz));
		queue.require_counts(0, 0);

		/* A message of nothing needs no memory. */
		ok(queue.post(Segments(), 1));
		ok(queue.post(region.local(0, 64), 2));
		ok(queue.post(region.local(64, 64), 3));
		fails(DAT_INSUFFICIENT_RESOURCES, queue.post(region.local(128, 64), 4));
		queue.require_counts(3, 3);
	});
}

/* ---- many endpoints ---- */

/* The example of the manual page dat_srq_query. */
TEST(Srq, CountsWhatIsAvailableAndOutstanding)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Taker one(adapter, queue);

		for (std::uint64_t i = 0; i < 3; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		queue.require_counts(3, 3);
		one.send(region.local(1024, 64), 1);
		/* The sender hears of it before the receiver's event is there. */
		DAT_EVENT event{};
		while (queue.query().available_dto_count == 3)
			;
		queue.require_counts(2, 3);
		event = one.taker.recv_queue().expect(DAT_DTO_COMPLETION_EVENT);
		EXPECT_EQ(event.event_data.dto_completion_event_data.transfered_length, 64U);
		queue.require_counts(2, 2);
		one.end();
		queue.require_counts(2, 2);
	});
}

TEST(Srq, ManyEndpointsTakeFromOne)
{
	static constexpr std::size_t takers = 4, rounds = 25, size = 3000;

	play([](Line &) {
		Adapter adapter;
		Region source(adapter, takers * size), target(adapter, takers * rounds * size);
		SharedQueue queue(adapter, takers * rounds);
		std::vector<std::unique_ptr<Taker>> all;

		for (std::size_t t = 0; t < takers; t++)
			all.push_back(std::make_unique<Taker>(adapter, queue));
		for (std::size_t i = 0; i < takers * rounds; i++)
			ok(queue.post(target.local(i * size, size), i));
		for (std::size_t i = 0; i < rounds; i++) {
			for (std::size_t t = 0; t < takers; t++) {
				fill(source.bytes(t * size, size), i * takers + t);
				all[t]->send(source.local(t * size, size), i);
			}
		}
		/* Each endpoint got its own messages, in their order, in whatever buffers. */
		for (std::size_t t = 0; t < takers; t++) {
			for (std::size_t i = 0; i < rounds; i++) {
				const DAT_EVENT event =
					all[t]->taker.recv_queue().expect(DAT_DTO_COMPLETION_EVENT);
				const auto &dto = event.event_data.dto_completion_event_data;

				EXPECT_EQ(dto.ep_handle, all[t]->taker.ep());
				EXPECT_EQ(dto.status, DAT_DTO_SUCCESS);
				EXPECT_EQ(dto.transfered_length, size);
				require_pattern(target.bytes(dto.user_cookie.as_64 * size, size),
						i * takers + t);
			}
			all[t]->taker.recv_queue().require_empty();
		}
		queue.require_counts(0, 0);
	});
}

TEST(Srq, LongerThanTheDevicesWindow)
{
	play([](Line &) {
		constexpr std::size_t count = 2 * window + 100;
		Adapter adapter;
		Region region(adapter, 64 + 8 * count);
		SharedQueue queue(adapter, count);
		Taker one(adapter, queue);

		for (std::size_t i = 0; i < count; i++)
			ok(queue.post(region.local(64 + 8 * i, 8), i));
		queue.require_counts(count, count);
		fails(DAT_INSUFFICIENT_RESOURCES, queue.post(region.local(0, 8), 0));
		for (std::size_t i = 0; i < count; i++) {
			fill(region.bytes(0, 8), i);
			one.send(region.local(0, 8), i);
			one.taker.expect_recv(i, 8);
			require_pattern(region.bytes(64 + 8 * i, 8), i);
		}
		queue.require_counts(0, 0);
		one.end();
	});
}

/* Over IB a sender waits for a receive; over iWARP its connection ends. */
TEST(Srq, EmptyIsLikeAnEmptyReceiveQueue)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "without a receive the connection ends";
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Taker one(adapter, queue);

		ok(one.sender.send(region.local(0, 64), 1));
		ok(queue.post(region.local(1024, 64), 2));
		one.taker.expect_recv(2, 64);
		one.sender.expect_request(1, 64);
		one.end();
	});
}

/* What no endpoint took stays there for others. */
TEST(Srq, KeepsWhatNobodyTook)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);

		ok(queue.post(region.local(1024, 64), 1));
		ok(queue.post(region.local(2048, 64), 2));
		{
			Taker first(adapter, queue);

			first.send(region.local(0, 64), 1);
			first.end();
			first.taker.expect_recv(1, 64);
			first.taker.recv_queue().require_empty();
		}
		queue.require_counts(1, 1);
		Taker second(adapter, queue);
		second.send(region.local(0, 64), 1);
		second.taker.expect_recv(2, 64);
		queue.require_counts(0, 0);
		second.end();
	});
}

/* A message that is too long breaks the connection that it came over, no other. */
TEST(Srq, AnErrorIsOneEndpointsOwn)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Taker wrong(adapter, queue), right(adapter, queue);

		ok(queue.post(region.local(1024, 32), 1));
		ok(wrong.sender.send(region.local(0, 64), 1));
		wrong.taker.expect_recv_failure(1, DAT_DTO_ERR_LOCAL_LENGTH);
		wrong.taker.expect_broken(adapter);
		wrong.sender.expect_end();

		ok(queue.post(region.local(1024, 64), 2));
		right.send(region.local(0, 64), 1);
		right.taker.expect_recv(2, 64);
		queue.require_counts(0, 0);
		right.end();
	});
}

/** All that the endpoint received goes back to the queue; how many of it were flushed. */
std::size_t repost_received(Endpoint &taker, SharedQueue &queue, const Region &region,
			    std::size_t size)
{
	std::size_t flushed = 0;
	DAT_EVENT event;

	while (dat_evd_dequeue(taker.recv_queue().evd(), &event) == DAT_SUCCESS) {
		const auto &dto = event.event_data.dto_completion_event_data;

		require(event.event_number == DAT_DTO_COMPLETION_EVENT, "it is no completion");
		flushed += dto.status == DAT_DTO_ERR_FLUSHED;
		ok(queue.post(region.local(dto.user_cookie.as_64 * size, size),
			      dto.user_cookie.as_64));
	}
	return flushed;
}

/*
 * Who ends in the midst of a message, again and again, leaves the SRQ to the others:
 * what it took comes back, over rxe (which forgets it) when a later connection ends.
 */
TEST(Srq, CutOffMessagesDoNotUseItUp)
{
	play([](Line &) {
		constexpr DAT_COUNT count = 4;
		constexpr std::size_t size = 256 * 1024;
		Adapter adapter;
		Region from(adapter, size), to(adapter, count * size);
		SharedQueue queue(adapter, count);
		Taker honest(adapter, queue);
		std::size_t flushed = 0;

		for (DAT_UINT64 i = 0; i < count; i++)
			ok(queue.post(to.local(i * size, size), i));
		for (DAT_UINT64 round = 0; round < scaled(100) + 20; round++) {
			Taker cut(adapter, queue);

			ok(cut.sender.send(from.local(0, size), round));
			cut.end();
			flushed += repost_received(cut.taker, queue, to, size);
			honest.send(from.local(0, 8), round);
			repost_received(honest.taker, queue, to, size);
		}
		honest.end();
		flushed += repost_received(honest.taker, queue, to, size);
		std::cout << "of them " << flushed << " in the midst of a message\n";
		/* That of the last one may have been in time for nobody. */
		EXPECT_GE(queue.query().available_dto_count, count - 1);
	});
}

/* Receives that an endpoint took and nobody has seen go back when it is freed. */
TEST(Srq, UnseenEventsOfAFreedEndpoint)
{
	play([](Line &) {
		constexpr std::size_t count = 20;
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, count);

		for (unsigned round = 0; round < 3; round++) {
			Taker one(adapter, queue, 8);

			for (std::size_t i = 0; i < count; i++)
				ok(queue.post(region.local(64 * i, 64), i));
			for (std::size_t i = 0; i < count; i++)
				one.send(region.local(2048, 64), i);
			one.end();
			one.taker.free();
			/* Eight or more stand in the ring, the others never got there. */
			DAT_COUNT in_ring = one.taker.recv_queue().length();
			queue.require_counts(0, in_ring);
			for (DAT_COUNT i = 0; i < in_ring; i++)
				one.taker.recv_queue().expect(DAT_DTO_COMPLETION_EVENT);
			queue.require_counts(0, 0);
		}
	});
}

/* ---- watermarks and sizes ---- */

TEST(Srq, LowWatermarkOncePerSetting)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 10);
		Taker one(adapter, queue);
		const auto expect_low = [&](Location where = Location::current()) {
			const DAT_ASYNCH_ERROR_EVENT_DATA data = expect_async(adapter, where);

			require(data.dat_handle == queue.srq() &&
					data.reason == DAT_SRQ_LOW_WATERMARK_EVENT,
				"another event", where);
		};

		fails(DAT_INVALID_PARAMETER, dat_srq_set_lw(queue.srq(), 11));
		fails(DAT_INVALID_PARAMETER, dat_srq_set_lw(queue.srq(), -1));
		/* At once: nothing is there. */
		ok(dat_srq_set_lw(queue.srq(), 1));
		expect_low();
		for (std::uint64_t i = 0; i < 4; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		ok(dat_srq_set_lw(queue.srq(), 3));
		require_no_async(adapter);
		EXPECT_EQ(queue.query().low_watermark, 3);
		one.send(region.local(1024, 64), 0);
		one.taker.expect_recv(0, 64);
		require_no_async(adapter);
		one.send(region.local(1024, 64), 1);
		one.taker.expect_recv(1, 64);
		expect_low();
		one.send(region.local(1024, 64), 2);
		one.taker.expect_recv(2, 64);
		require_no_async(adapter);
		/* Set again, it is told again. */
		ok(dat_srq_set_lw(queue.srq(), 2));
		expect_low();
		one.end();
	});
}

TEST(Srq, ResizeBothWays)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 4);
		Taker one(adapter, queue);

		for (std::uint64_t i = 0; i < 4; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		ok(dat_srq_resize(queue.srq(), 40));
		EXPECT_EQ(queue.query().max_recv_dtos, 40);
		for (std::uint64_t i = 4; i < 40; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		fails(DAT_INSUFFICIENT_RESOURCES, queue.post(region.local(0, 64), 0));
		fails(DAT_INVALID_STATE, dat_srq_resize(queue.srq(), 39));
		fails(DAT_INVALID_PARAMETER, dat_srq_resize(queue.srq(), 0));
		fails(DAT_INSUFFICIENT_RESOURCES,
		      dat_srq_resize(queue.srq(), adapter.attributes().max_recv_per_srq + 1));
		for (std::uint64_t i = 0; i < 40; i++) {
			one.send(region.local(3000, 64), i);
			one.taker.expect_recv(i, 64);
		}
		ok(dat_srq_resize(queue.srq(), 4));
		EXPECT_EQ(queue.query().max_recv_dtos, 4);
		for (std::uint64_t i = 0; i < 4; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		fails(DAT_INSUFFICIENT_RESOURCES, queue.post(region.local(0, 64), 0));
		ok(dat_srq_set_lw(queue.srq(), 4));
		fails(DAT_INVALID_STATE, dat_srq_resize(queue.srq(), 3));
		one.end();
	});
}

/* Slots come and go while others post; nothing is lost. */
TEST(Srq, GrowsUnderTraffic)
{
	play([](Line &) {
		constexpr std::uint64_t messages = 600;
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 16);
		Taker one(adapter, queue);
		std::uint64_t posted = 0, seen = 0;

		for (std::uint64_t sent = 0; sent < messages; sent++) {
			if (sent % 50 == 0)
				ok(dat_srq_resize(queue.srq(), 16 + static_cast<DAT_COUNT>(sent)));
			while (posted < messages && posted - seen < 8) {
				ok(queue.post(region.local(64 * (posted % 32), 64), posted));
				posted++;
			}
			one.send(region.local(3000, 64), sent);
			one.taker.expect_recv(seen++, 64);
		}
		queue.require_counts(0, 0);
		one.end();
	});
}

/* ---- how many an endpoint may hold ---- */

void expect_soft(const Adapter &adapter, const Endpoint &endpoint,
		 Location where = Location::current())
{
	const DAT_ASYNCH_ERROR_EVENT_DATA data = expect_async(adapter, where);

	require(data.dat_handle == endpoint.ep() &&
			data.reason == DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT,
		"another event", where);
}

TEST(Watermark, SoftTellsOncePerSetting)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		Endpoint endpoint(adapter);

		fails(DAT_INVALID_PARAMETER,
		      dat_ep_set_watermark(endpoint.ep(), -2, DAT_WATERMARK_INFINITE));
		ok(dat_ep_set_watermark(endpoint.ep(), 2, DAT_WATERMARK_INFINITE));
		ok(endpoint.recv(region.local(0, 64), 1));
		ok(endpoint.recv(region.local(0, 64), 2));
		require_no_async(adapter);
		ok(endpoint.recv(region.local(0, 64), 3));
		expect_soft(adapter, endpoint);
		ok(endpoint.recv(region.local(0, 64), 4));
		/* At once, where it holds more already. */
		ok(dat_ep_set_watermark(endpoint.ep(), 3, DAT_WATERMARK_INFINITE));
		expect_soft(adapter, endpoint);
		ok(dat_ep_set_watermark(endpoint.ep(), 4, DAT_WATERMARK_INFINITE));
		require_no_async(adapter);
		ok(dat_ep_set_watermark(endpoint.ep(), DAT_WATERMARK_INFINITE,
					DAT_WATERMARK_INFINITE));
		ok(endpoint.recv(region.local(0, 64), 5));
		require_no_async(adapter);
		EXPECT_EQ(endpoint.state(), DAT_EP_STATE_UNCONNECTED);
	});
}

/* As many as the device has without a look of the module's, and one more. */
constexpr std::uint64_t unseen = 20;

TEST(Watermark, SoftNeedsNoFurtherCall)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		Endpoint endpoint(adapter, { .recvs = 64 });

		ok(dat_ep_set_watermark(endpoint.ep(), unseen, DAT_WATERMARK_INFINITE));
		for (std::uint64_t i = 0; i < unseen; i++)
			ok(endpoint.recv(region.local(0, 64), i));
		require_no_async(adapter);
		ok(endpoint.recv(region.local(0, 64), unseen));
		/* It stands there when the post returns: a wait would be a call. */
		DAT_EVENT event;
		ok(dat_evd_dequeue(adapter.async_evd(), &event));
		EXPECT_EQ(event.event_data.asynch_error_event_data.reason,
			  DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT);
	});
}

/* Receives that no post rang for are counted when a mark is set. */
TEST(Watermark, CountsWhatStandsInTheRing)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		Endpoint endpoint(adapter, { .recvs = 64 });
		DAT_EVENT event;

		for (std::uint64_t i = 0; i <= unseen; i++)
			ok(endpoint.recv(region.local(0, 64), i));
		ok(dat_ep_set_watermark(endpoint.ep(), unseen, DAT_WATERMARK_INFINITE));
		ok(dat_evd_dequeue(adapter.async_evd(), &event));
		EXPECT_EQ(event.event_data.asynch_error_event_data.reason,
			  DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT);
	});
}

TEST(Watermark, HardNeedsNoFurtherCall)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		Pair pair(adapter, { .recvs = 64 });

		ok(dat_ep_set_watermark(pair.active.ep(), DAT_WATERMARK_INFINITE, unseen));
		for (std::uint64_t i = 0; i <= unseen; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		/* Looking into mapped memory is no call. */
		const DAT_EVENT event = pair.active.connect_queue().spin();
		EXPECT_EQ(event.event_number, DAT_CONNECTION_EVENT_BROKEN);
		pair.passive.expect_end();
	});
}

TEST(Watermark, HardBreaksTheConnection)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		Pair pair(adapter);

		ok(dat_ep_set_watermark(pair.active.ep(), DAT_WATERMARK_INFINITE, 2));
		for (std::uint64_t i = 1; i <= 3; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		pair.active.expect_connection(DAT_CONNECTION_EVENT_BROKEN);
		for (std::uint64_t i = 1; i <= 3; i++)
			pair.active.expect_recv_failure(i, DAT_DTO_ERR_FLUSHED);
		pair.passive.expect_end();
		pair.active.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

TEST(Watermark, HardWaitsForTheConnection)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);

		ok(dat_ep_set_watermark(active.ep(), DAT_WATERMARK_INFINITE, 0));
		ok(active.recv(region.local(0, 64), 1));
		ok(active.connect(adapter.address(), listener.qual()));
		ok(accept_request(listener.request(), passive));
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_BROKEN);
		active.expect_recv_failure(1, DAT_DTO_ERR_FLUSHED);
	});
}

/* It holds what it took from its SRQ until that stands in its event ring. */
TEST(Watermark, CountsWhatWasTakenFromAnSrq)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		SharedQueue queue(adapter, 40);
		Taker one(adapter, queue, 8);
		const DAT_COUNT room = one.taker.recv_queue().length();
		DAT_COUNT held, span;

		ok(dat_ep_set_watermark(one.taker.ep(), 2, DAT_WATERMARK_INFINITE));
		for (std::uint64_t i = 0; i < 40; i++)
			ok(queue.post(region.local(64 * i, 64), i));
		for (DAT_COUNT i = 0; i < room + 2; i++)
			one.send(region.local(3000, 64), 1);
		ok(dat_ep_recv_query(one.taker.ep(), &held, &span));
		while (held < 2)
			ok(dat_ep_recv_query(one.taker.ep(), &held, &span));
		EXPECT_EQ(held, 2);
		EXPECT_EQ(span, 2);
		require_no_async(adapter);
		one.send(region.local(3000, 64), 1);
		expect_soft(adapter, one.taker);
		for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(room) + 3; i++)
			one.taker.expect_recv(i, 64);
		ok(dat_ep_recv_query(one.taker.ep(), &held, &span));
		EXPECT_EQ(held, 0);
		one.end();
	});
}

/* All of it goes with the adapter, in whatever state it is. */
TEST(Srq, GoesWithItsAdapter)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		auto queue = std::make_unique<SharedQueue>(adapter, 40);
		auto one = std::make_unique<Taker>(adapter, *queue, 8);

		for (std::uint64_t i = 0; i < 40; i++)
			ok(queue->post(region.local(64 * i, 64), i));
		for (std::uint64_t i = 0; i < 20; i++)
			one->send(region.local(3000, 64), i);
		adapter.close_abruptly();
		fails(DAT_INVALID_HANDLE, dat_srq_free(queue->srq()));
	});
}

} // namespace
} // namespace suite

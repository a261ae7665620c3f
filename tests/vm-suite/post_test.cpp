// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a post refuses at once, and with which code. Nothing of it may have an effect. */

#include "pair.hpp"
#include "play.hpp"

#include <gtest/gtest.h>

#include <array>

namespace suite {
namespace {

constexpr std::size_t size = 8192;

/** Fails unless the pair still works and no refused post left a trace. */
void require_untouched(Pair &pair, Region &region)
{
	pair.active.request_queue().require_empty();
	pair.active.recv_queue().require_empty();
	pair.passive.recv_queue().require_empty();
	pair.active.require_state(DAT_EP_STATE_CONNECTED);
	ok(pair.passive.recv(region.local(0, 10), 900));
	ok(pair.active.send(region.local(20, 10), 901));
	pair.passive.expect_recv(900, 10);
	pair.active.expect_request(901, 10);
}

TEST(Post, HandleOfAnotherKindOrNone)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		Region region(adapter, size);
		DAT_LMR_TRIPLET segment = region.local(0, 8);
		DAT_DTO_COOKIE cookie{};
		DAT_EP_HANDLE freed = endpoint.ep();

		endpoint.free();
		for (DAT_EP_HANDLE handle :
		     { freed, DAT_EP_HANDLE(region.lmr()), DAT_EP_HANDLE(adapter.ia()),
		       DAT_HANDLE_NULL, DAT_EP_HANDLE(0x1234) }) {
			fails(DAT_INVALID_HANDLE, dat_ep_post_send(handle, 1, &segment, cookie,
								   DAT_COMPLETION_DEFAULT_FLAG));
			fails(DAT_INVALID_HANDLE, dat_ep_post_recv(handle, 1, &segment, cookie,
								   DAT_COMPLETION_DEFAULT_FLAG));
		}
	});
}

TEST(Post, RequestsNeedAConnection)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint endpoint(adapter);
		Region region(adapter, size);
		auto refuses = [&] {
			fails(DAT_INVALID_STATE, endpoint.send(region.local(0, 8), 1));
			fails(DAT_INVALID_STATE,
			      endpoint.write(region.local(0, 8), region.remote(8, 8), 1));
			fails(DAT_INVALID_STATE,
			      endpoint.read(region.local(0, 8), region.remote(8, 8), 1));
		};

		refuses();
		ok(endpoint.recv(region.local(0, 8), 1));
		ok(endpoint.connect(adapter.address(), listener.qual()));
		refuses();
		ok(endpoint.recv(region.local(0, 8), 2));
		ok(dat_cr_reject(listener.request()));
		endpoint.expect_recv_failure(1, DAT_DTO_ERR_FLUSHED);
		endpoint.expect_recv_failure(2, DAT_DTO_ERR_FLUSHED);
		endpoint.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
	});
}

TEST(Post, SegmentOutsideOfItsRegion)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, size);
		/* A length that suits both, so that the segment alone is wrong. */
		DAT_RMR_TRIPLET short_remote = region.remote(0, 1);
		DAT_RMR_TRIPLET long_remote = region.remote(0, size + 1);
		DAT_LMR_TRIPLET before = region.local(0, 8), wrapped = region.local(8, 8),
				huge = region.local(0, 8);

		before.virtual_address--;
		wrapped.segment_length = ~DAT_VLEN(0);
		huge.segment_length = (DAT_VLEN(1) << 32) + 8;
		for (const DAT_LMR_TRIPLET &bad :
		     { region.local(0, size + 1), region.local(size - 7, 8), region.local(size, 1),
		       before }) {
			fails(DAT_INVALID_PARAMETER, pair.active.send(bad, 1));
			fails(DAT_INVALID_PARAMETER, pair.active.recv(bad, 1));
			fails(DAT_INVALID_PARAMETER, pair.active.write(bad, long_remote, 1));
			fails(DAT_INVALID_PARAMETER, pair.active.read(bad, short_remote, 1));
		}
		for (const DAT_LMR_TRIPLET &bad : { wrapped, huge }) {
			fails(DAT_INVALID_PARAMETER, pair.active.send(bad, 1));
			fails(DAT_INVALID_PARAMETER, pair.active.recv(bad, 1));
			fails(DAT_LENGTH_ERROR, pair.active.write(bad, long_remote, 1));
			fails(DAT_INVALID_PARAMETER, pair.active.read(bad, short_remote, 1));
		}
		/* The bad one may stand behind good ones. */
		const std::array list = { region.local(0, 8), region.local(size - 7, 8) };
		fails(DAT_INVALID_PARAMETER, pair.active.send(list, 1));
		require_untouched(pair, region);
	});
}

TEST(Post, RegionThatDoesNotExist)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, size), gone(adapter, size);
		DAT_LMR_TRIPLET freed = gone.local(0, 8), never = region.local(0, 8);

		gone.free();
		never.lmr_context += 1000;
		for (const DAT_LMR_TRIPLET &bad : { freed, never }) {
			fails(DAT_PRIVILEGES_VIOLATION, pair.active.send(bad, 1));
			fails(DAT_PRIVILEGES_VIOLATION, pair.active.recv(bad, 1));
		}
		require_untouched(pair, region);
	});
}

TEST(Post, RegionOfAnotherZone)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE zone;

		ok(dat_pz_create(adapter.ia(), &zone));
		{
			Pair pair(adapter);
			Region region(adapter, size);
			Region foreign(adapter, size, DAT_MEM_PRIV_ALL_FLAG, zone);

			fails(DAT_PROTECTION_VIOLATION, pair.active.send(foreign.local(0, 8), 1));
			fails(DAT_PROTECTION_VIOLATION, pair.active.recv(foreign.local(0, 8), 1));
			fails(DAT_PROTECTION_VIOLATION,
			      pair.active.write(foreign.local(0, 8), region.remote(0, 8), 1));
			fails(DAT_PROTECTION_VIOLATION,
			      pair.active.read(foreign.local(0, 8), region.remote(0, 8), 1));
			require_untouched(pair, region);
		}
		ok(dat_pz_free(zone));
	});
}

/* Sends and writes read locally, receives and reads write locally. */
TEST(Post, MissingPrivilege)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, size);
		Region readable(adapter, size, DAT_MEM_PRIV_READ_FLAG);
		Region writable(adapter, size, DAT_MEM_PRIV_WRITE_FLAG);
		DAT_RMR_TRIPLET remote = region.remote(0, 8);

		fails(DAT_PRIVILEGES_VIOLATION, pair.active.send(writable.local(0, 8), 1));
		fails(DAT_PRIVILEGES_VIOLATION, pair.active.write(writable.local(0, 8), remote, 1));
		fails(DAT_PRIVILEGES_VIOLATION, pair.active.recv(readable.local(0, 8), 1));
		fails(DAT_PRIVILEGES_VIOLATION, pair.active.read(readable.local(0, 8), remote, 1));
		require_untouched(pair, region);

		ok(pair.active.write(readable.local(0, 8), remote, 2));
		pair.active.expect_request(2, 8);
		ok(pair.active.read(writable.local(0, 8), remote, 3));
		pair.active.expect_request(3, 8);
	});
}

TEST(Post, LengthAgainstTheRemoteSegment)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, size);

		fails(DAT_LENGTH_ERROR,
		      pair.active.write(region.local(0, 9), region.remote(100, 8), 1));
		fails(DAT_LENGTH_ERROR,
		      pair.active.read(region.local(0, 8), region.remote(100, 9), 1));
		require_untouched(pair, region);
	});
}

/* Receives of an unconnected endpoint stay. */
TEST(Post, FullReceiveQueue)
{
	constexpr DAT_UINT64 depth = 8;

	play([&](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter, { .recvs = depth });
		Region region(adapter, size);

		for (DAT_UINT64 i = 0; i < depth; i++)
			ok(endpoint.recv(region.local(0, 8), i));
		fails(DAT_INSUFFICIENT_RESOURCES, endpoint.recv(region.local(0, 8), depth));
	});
}

/*
 * A request keeps its slot until its completion is in the EVD. With an EVD that
 * is shorter than the queue, slots stay in use until events are taken.
 */
TEST(Post, FullRequestQueue)
{
	constexpr DAT_UINT64 depth = 32;

	play([&](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = depth, .events = 2 });
		Region region(adapter, size), target(adapter, size);
		auto room = static_cast<DAT_UINT64>(pair.active.request_queue().length());
		DAT_UINT64 posted = 0, taken = 0;
		auto post = [&] {
			return pair.active.write(region.local(0, 8), target.remote(0, 8), posted);
		};

		while (posted < depth + room && post() == DAT_SUCCESS)
			posted++;
		EXPECT_GE(posted, depth);
		if (posted == depth + room)
			fails(DAT_INSUFFICIENT_RESOURCES, post());
		/* One more than fits: it came into the EVD just now. */
		while (taken < room + 1)
			pair.active.expect_request(taken++, 8);
		ok(post());
		posted++;
		while (taken < posted)
			pair.active.expect_request(taken++, 8);
		pair.active.request_queue().require_empty();
	});
}

TEST(Post, BadArguments)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .recv_iov = 2, .request_iov = 2 });
		Region region(adapter, size);
		DAT_LMR_TRIPLET segment = region.local(0, 8);
		const std::array three = { segment, segment, segment };
		DAT_RMR_TRIPLET remote = region.remote(0, 8);
		DAT_DTO_COOKIE cookie{};
		DAT_EP_HANDLE ep = pair.active.ep();
		auto bad_flags = static_cast<DAT_COMPLETION_FLAGS>(0x400);

		fails(DAT_INVALID_PARAMETER, pair.active.send(three, 1));
		fails(DAT_INVALID_PARAMETER, pair.active.recv(three, 1));
		fails(DAT_INVALID_PARAMETER,
		      dat_ep_post_send(ep, -1, &segment, cookie, DAT_COMPLETION_DEFAULT_FLAG));
		fails(DAT_INVALID_PARAMETER,
		      dat_ep_post_send(ep, 1, nullptr, cookie, DAT_COMPLETION_DEFAULT_FLAG));
		fails(DAT_INVALID_PARAMETER,
		      dat_ep_post_rdma_write(ep, 1, &segment, cookie, nullptr,
					     DAT_COMPLETION_DEFAULT_FLAG));
		fails(DAT_INVALID_PARAMETER, dat_ep_post_rdma_read(ep, 1, &segment, cookie, nullptr,
								   DAT_COMPLETION_DEFAULT_FLAG));
		fails(DAT_INVALID_PARAMETER, pair.active.send(Segments(&segment, 1), 1, bad_flags));
		fails(DAT_INVALID_PARAMETER,
		      pair.active.write(Segments(&segment, 1), remote, 1, bad_flags));
		/* The endpoint's attributes do not say that its requests may be so. */
		fails(DAT_INVALID_PARAMETER,
		      pair.active.send(Segments(&segment, 1), 1, DAT_COMPLETION_UNSIGNALLED_FLAG));
		require_untouched(pair, region);
	});
}

/* The list is the caller's again when the post returns. */
TEST(Post, ListMayBeReused)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region source(adapter, size), target(adapter, size);
		DAT_LMR_TRIPLET segment = source.local(0, 100);

		fill(source.bytes(0, 100), 1);
		for (DAT_UINT64 i = 0; i < 10; i++) {
			segment = source.local(0, 100);
			ok(pair.active.write(Segments(&segment, 1), target.remote(i * 100, 100),
					     i));
			segment = {};
		}
		for (DAT_UINT64 i = 0; i < 10; i++)
			pair.active.expect_request(i, 100);
		pair.settle();
		for (std::size_t i = 0; i < 10; i++)
			require_pattern(target.bytes(i * 100, 100), 1);
	});
}

} // namespace
} // namespace suite

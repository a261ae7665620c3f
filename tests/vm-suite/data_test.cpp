// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Data in all three modes, every byte checked, around it too. The module
 * registers memory in one of two ways; these tests hold for both.
 */

#include "module_state.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "raw_device.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace suite {
namespace {

/* The longest with what lies around it: siw's fast registration takes 255 pages. */
constexpr std::size_t longest = 960 << 10;
constexpr std::size_t room = longest + 16384;
constexpr std::array<std::size_t, 11> odd_sizes = { 0,	  1,	7,    63,    64,	 65,
						    4095, 4096, 4097, 65537, longest + 3 };
constexpr std::array<std::size_t, 3> odd_offsets = { 0, 1, 4093 };
constexpr unsigned char untouched = 0xa5;
/* A message lies at its offset behind this much memory that nobody may touch. */
constexpr std::size_t margin = 4096;

/** Calls the function with every size and offset; the number is one of a kind. */
template <typename Function>
void for_every_shape(Function function)
{
	std::uint64_t number = 1;

	for (std::size_t size : odd_sizes) {
		for (std::size_t offset : odd_offsets)
			function(size, margin + offset, number++);
	}
}

/**
 * Where to send from. siw's transmit path copies a message of a few bytes wrongly
 * when it crosses a page (siw_try_1seg), for whoever posts it; there, it begins
 * with the next page.
 */
std::size_t source_offset(const Adapter &adapter, std::size_t offset, std::size_t size)
{
	constexpr std::size_t page = 4096;

	if (!adapter.iwarp() || !size || size > 64 || offset / page == (offset + size - 1) / page)
		return offset;
	return (offset + page - 1) / page * page;
}

void clear(Region &region)
{
	std::fill_n(region.data(), region.size(), untouched);
}

/** The pattern is at its place, and nothing around it was changed. */
void require_arrived(const Region &region, std::size_t offset, std::size_t size,
		     std::uint64_t number, Location where = Location::current())
{
	require_pattern(region.bytes(offset, size), number, where);
	require_bytes(region.bytes(offset - margin, margin), untouched, where);
	require_bytes(region.bytes(offset + size, margin), untouched, where);
}

/* What was asked of the module when it was loaded is what is tested here. */
TEST(Data, IsRegisteredAsAskedFor)
{
	play([](Line &) {
		bool frwr = RawIa().query().flags & KDAPL_IA_FRWR;

		EXPECT_EQ(frwr, module_parameter("frwr_only") == "Y");
	});
}

/* Sender and receiver use different offsets in their pages. */
TEST(Data, SendAndReceive)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			Region region(adapter, room);

			serve(line, listener, endpoint);
			for_every_shape([&](std::size_t size, std::size_t offset, auto number) {
				std::size_t own = offset + number % 61;

				clear(region);
				ok(endpoint.recv(region.local(own, size), number));
				line.tell();
				endpoint.expect_recv(number, size);
				require_arrived(region, own, size, number);
			});
			line.meet();
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);
			Region region(adapter, room);

			dial(line, adapter, endpoint);
			for_every_shape([&](std::size_t size, std::size_t offset, auto number) {
				std::size_t from = source_offset(adapter, offset, size);

				fill(region.bytes(from, size), number);
				line.await();
				ok(endpoint.send(region.local(from, size), number));
				endpoint.expect_request(number, size);
			});
			line.meet();
		});
}

/*
 * The target is looked at when a message has come that was sent behind the write:
 * on iWARP the writer's own completion does not say that the data has arrived.
 */
TEST(Data, RdmaWrite)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			Region region(adapter, room);

			serve(line, listener, endpoint);
			for_every_shape([&](std::size_t size, std::size_t offset, auto number) {
				std::size_t own = offset + number % 61;

				clear(region);
				ok(endpoint.recv(Segments(), number));
				line.send(region.remote(own, size));
				endpoint.expect_recv(number, 0);
				require_arrived(region, own, size, number);
			});
			/* The last message's sender has its completion. */
			line.meet();
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);
			Region region(adapter, room);

			dial(line, adapter, endpoint);
			for_every_shape([&](std::size_t size, std::size_t offset, auto number) {
				std::size_t from = source_offset(adapter, offset, size);

				fill(region.bytes(from, size), number);
				auto remote = line.receive<DAT_RMR_TRIPLET>();
				ok(endpoint.write(region.local(from, size), remote, number));
				ok(endpoint.send(Segments(), number));
				endpoint.expect_request(number, size);
				endpoint.expect_request(number, 0);
			});
			line.meet();
		});
}

TEST(Data, RdmaRead)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			Region region(adapter, room);

			serve(line, listener, endpoint);
			for_every_shape([&](std::size_t size, std::size_t offset, auto number) {
				std::size_t own =
					source_offset(adapter, offset + number % 61, size);

				fill(region.bytes(own, size), number);
				line.send(region.remote(own, size));
				line.await();
			});
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);
			Region region(adapter, room);

			dial(line, adapter, endpoint);
			for_every_shape([&](std::size_t size, std::size_t offset, auto number) {
				clear(region);
				auto remote = line.receive<DAT_RMR_TRIPLET>();
				ok(endpoint.read(region.local(offset, size), remote, number));
				endpoint.expect_request(number, size);
				require_arrived(region, offset, size, number);
				line.tell();
			});
			line.await_end();
		});
}

/* ---- several segments ---- */

/** Pieces of a region, some empty, that together take so many bytes. */
std::vector<DAT_LMR_TRIPLET> scatter(const Region &region, std::size_t total, std::size_t pieces,
				     std::size_t first)
{
	std::vector<DAT_LMR_TRIPLET> segments;
	std::size_t offset = first;

	for (std::size_t i = 0; i < pieces; i++) {
		std::size_t length = i + 1 == pieces ? total : std::min(total, (i * 977) % 5000);

		segments.push_back(region.local(offset, length));
		offset += length + 131;
		total -= length;
	}
	return segments;
}

/** The bytes of all pieces one after the other. */
std::vector<unsigned char> gather(const std::vector<DAT_LMR_TRIPLET> &segments)
{
	std::vector<unsigned char> bytes;

	for (const DAT_LMR_TRIPLET &segment : segments) {
		auto begin = reinterpret_cast<const unsigned char *>(segment.virtual_address);
		bytes.insert(bytes.end(), begin, begin + segment.segment_length);
	}
	return bytes;
}

void spread(const std::vector<unsigned char> &bytes, const std::vector<DAT_LMR_TRIPLET> &segments)
{
	std::size_t at = 0;

	for (const DAT_LMR_TRIPLET &segment : segments) {
		std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), segment.segment_length,
			    reinterpret_cast<unsigned char *>(segment.virtual_address));
		at += segment.segment_length;
	}
}

TEST(Data, SegmentsOfSendsReceivesAndWrites)
{
	constexpr std::size_t total = 20011;

	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Endpoint &active = pair.active, &passive = pair.passive;
		Region source(adapter, 1 << 16), target(adapter, 1 << 16);
		std::vector<unsigned char> message(total);

		for (std::size_t from = 1; from <= 4; from++) {
			for (std::size_t to = 1; to <= 4; to++) {
				auto segments = scatter(source, total, from, 17 * to);
				auto buffers = scatter(target, total, to, 29 * from);

				fill(message, from * 10 + to);
				spread(message, segments);
				ok(passive.recv(buffers, to));
				ok(active.send(segments, from));
				passive.expect_recv(to, total);
				active.expect_request(from, total);
				require_pattern(gather(buffers), from * 10 + to);
			}
			auto segments = scatter(source, total, from, 5);
			fill(message, from);
			spread(message, segments);
			ok(active.write(segments, target.remote(3, total), from));
			active.expect_request(from, total);
			pair.settle();
			require_pattern(target.bytes(3, total), from);
		}
	});
}

/* The remote length counts; a longer local list is filled partly. */
TEST(Data, SegmentsOfReads)
{
	constexpr std::size_t total = 9001;

	play([](Line &) {
		Adapter adapter;
		auto pieces = static_cast<std::size_t>(
			adapter.attributes().max_iov_segments_per_rdma_read);
		Pair pair(adapter);
		Endpoint &active = pair.active;
		Region source(adapter, 1 << 16), target(adapter, 1 << 16);

		EXPECT_GE(pieces, 1U);
		fill(source.bytes(7, total), 1);
		for (std::size_t n = 1; n <= std::min<std::size_t>(pieces, 4); n++) {
			clear(target);
			auto segments = scatter(target, total + 100, n, 50);

			ok(active.read(segments, source.remote(7, total), n));
			active.expect_request(n, total);
			auto bytes = gather(segments);
			require_pattern(std::span(bytes).first(total), 1);
			require_bytes(std::span(bytes).subspan(total), untouched);
		}
	});
}

TEST(Data, NoSegments)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Endpoint &active = pair.active, &passive = pair.passive;

		ok(passive.recv(Segments(), 1));
		ok(active.send(Segments(), 2));
		passive.expect_recv(1, 0);
		active.expect_request(2, 0);
	});
}

/* ---- many at a time ---- */

/*
 * Far more than the queues hold: what completes makes room for the next. The
 * receiver tells of every block that it has posted anew, since on iWARP a
 * message without a buffer ends the connection.
 */
TEST(Data, PipelineOfSends)
{
	constexpr DAT_UINT64 block = 16;
	constexpr DAT_UINT64 posted = 2 * block;
	constexpr std::size_t size = 1001;
	const DAT_UINT64 count = (scaled(4000) / block + 3) * block;
	const EndpointSizes sizes{ .recvs = posted, .requests = block };

	play(
		[&](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter, sizes);
			Region region(adapter, posted * size);

			for (DAT_UINT64 i = 0; i < posted; i++)
				ok(endpoint.recv(region.local(i * size, size), i));
			serve(line, listener, endpoint);
			for (DAT_UINT64 i = 0; i < count; i++) {
				std::size_t slot = i % posted;

				endpoint.expect_recv(i, size);
				require_pattern(region.bytes(slot * size, size), i);
				if (i + posted < count)
					ok(endpoint.recv(region.local(slot * size, size),
							 i + posted));
				if (i % block == block - 1)
					line.tell();
			}
			line.await();
		},
		[&](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter, sizes);
			Region region(adapter, block * size);

			dial(line, adapter, endpoint);
			for (DAT_UINT64 i = 0; i < count; i++) {
				std::size_t slot = i % block;

				if (i >= posted && i % block == 0)
					line.await();
				if (i >= block)
					endpoint.expect_request(i - block, size);
				fill(region.bytes(slot * size, size), i);
				ok(endpoint.send(region.local(slot * size, size), i));
			}
			for (DAT_UINT64 i = count - block; i < count; i++)
				endpoint.expect_request(i, size);
			line.await();
			line.await();
			line.tell();
		});
}

/* A read after a write of the same place gives what was written, 16 at a time. */
TEST(Data, PipelineOfWritesAndReads)
{
	constexpr DAT_UINT64 depth = 8;
	constexpr std::size_t size = 5003;
	const DAT_UINT64 rounds = scaled(100);

	play([&](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Endpoint &active = pair.active;
		Region source(adapter, depth * size), far(adapter, depth * size);
		Region back(adapter, depth * size);

		for (DAT_UINT64 round = 0; round < rounds; round++) {
			for (DAT_UINT64 i = 0; i < depth; i++) {
				fill(source.bytes(i * size, size), round * depth + i);
				ok(active.write(source.local(i * size, size),
						far.remote(i * size, size), 2 * i));
				ok(active.read(back.local(i * size, size),
					       far.remote(i * size, size), 2 * i + 1));
			}
			for (DAT_UINT64 i = 0; i < 2 * depth; i++)
				active.expect_request(i, size);
			for (DAT_UINT64 i = 0; i < depth; i++)
				require_pattern(back.bytes(i * size, size), round * depth + i);
		}
	});
}

/* Success says nothing, errors always do; the slots come back all the same. */
TEST(Data, SuppressedSuccess)
{
	constexpr DAT_UINT64 count = 500;

	play([&](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Endpoint &active = pair.active;
		Region region(adapter, 4096), target(adapter, 4096);
		const DAT_LMR_TRIPLET segment = region.local(0, 64);

		for (DAT_UINT64 i = 0; i < count; i++) {
			bool last = i % 10 == 9;
			ok(active.write(Segments(&segment, 1), target.remote(0, 64), i,
					last ? DAT_COMPLETION_DEFAULT_FLAG :
					       DAT_COMPLETION_SUPPRESS_FLAG));
			if (last)
				active.expect_request(i, 64);
		}
		active.request_queue().require_empty();
		DAT_BOOLEAN idle = DAT_FALSE;
		ok(dat_ep_get_status(active.ep(), nullptr, nullptr, &idle));
		EXPECT_EQ(idle, DAT_TRUE);

		/* On iWARP the failure of a write is the peer's to notice. */
		DAT_RMR_TRIPLET wrong = target.remote(0, 64);
		wrong.rmr_context ^= 0x5a5a00;
		ok(active.write(Segments(&segment, 1), wrong, count, DAT_COMPLETION_SUPPRESS_FLAG));
		if (!adapter.iwarp())
			active.expect_request_failure(count, DAT_DTO_ERR_REMOTE_ACCESS);
		active.expect_broken(adapter);
	});
}

/* A fenced send goes after the read, and so brings what the read fetched. */
TEST(Data, FenceAfterRead)
{
	constexpr std::size_t size = 40009;

	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Endpoint &active = pair.active, &passive = pair.passive;
		Region far(adapter, size), here(adapter, size), buffer(adapter, size);
		const DAT_LMR_TRIPLET segment = here.local(0, size);

		for (DAT_UINT64 i = 0; i < 20; i++) {
			fill(far.bytes(0, size), i);
			ok(passive.recv(buffer.local(0, size), i));
			ok(active.read(segment, far.remote(0, size), 1));
			ok(active.send(Segments(&segment, 1), 2,
				       DAT_COMPLETION_BARRIER_FENCE_FLAG));
			active.expect_request(1, size);
			active.expect_request(2, size);
			passive.expect_recv(i, size);
			require_pattern(buffer.bytes(0, size), i);
		}
	});
}

/* Many endpoints over one submission ring, each with its own data. */
TEST(Data, ManyEndpoints)
{
	constexpr std::size_t count = 24, size = 3001;

	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter, count);
		std::vector<std::unique_ptr<Endpoint>> active, passive;
		Region source(adapter, count * size), target(adapter, count * size);

		for (std::size_t i = 0; i < count; i++) {
			active.push_back(std::make_unique<Endpoint>(adapter));
			passive.push_back(std::make_unique<Endpoint>(adapter));
			ok(active[i]->connect(adapter.address(), listener.qual()));
			listener.accept(*passive[i]);
			active[i]->expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		}
		for (std::size_t i = 0; i < count; i++) {
			fill(source.bytes(i * size, size), i);
			ok(passive[i]->recv(target.local(i * size, size), i));
		}
		for (std::size_t i = 0; i < count; i++)
			ok(active[i]->send(source.local(i * size, size), i));
		for (std::size_t i = 0; i < count; i++) {
			passive[i]->expect_recv(i, size);
			active[i]->expect_request(i, size);
			require_pattern(target.bytes(i * size, size), i);
		}
	});
}

/* Regions that begin and end anywhere in their pages. */
TEST(Data, UnalignedRegions)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Endpoint &active = pair.active;
		Region source(adapter, 1 << 16);
		Pages pages(1 << 16);

		for (std::size_t begin : { 1, 63, 4095, 4096, 5000 }) {
			for (std::size_t size : { 1, 4096, 8193, 40000 }) {
				DAT_REGION_DESCRIPTION where{ .for_va = pages.data() + begin };
				DAT_LMR_HANDLE lmr;
				DAT_RMR_TRIPLET remote{};
				DAT_VLEN registered = 0;
				DAT_VADDR address = 0;

				ok(dat_lmr_create(adapter.ia(), DAT_MEM_TYPE_VIRTUAL, where, size,
						  adapter.pz(), DAT_MEM_PRIV_ALL_FLAG, &lmr,
						  nullptr, &remote.rmr_context, &registered,
						  &address));
				remote.target_address =
					reinterpret_cast<DAT_VADDR>(pages.data() + begin);
				remote.segment_length = size;
				EXPECT_LE(address, remote.target_address);
				EXPECT_GE(address + registered, remote.target_address + size);
				fill(source.bytes(11, size), begin + size);
				ok(active.write(source.local(11, size), remote, size));
				active.expect_request(size, size);
				pair.settle();
				require_pattern({ pages.data() + begin, size }, begin + size);
				ok(dat_lmr_free(lmr));
			}
		}
	});
}

} // namespace
} // namespace suite

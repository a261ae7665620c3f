// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Transfers that must fail: the documented status, the connection breaks, and
 * both programs live on and connect again. On iWARP the one who asked may hear
 * of it by BROKEN alone.
 */

#include "pair.hpp"
#include "play.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

namespace suite {
namespace {

constexpr std::size_t size = 8192;
constexpr unsigned char untouched = 0x3c;

/** A few bytes go through the connection, which therefore works. */
void exchange_as_receiver(Line &line, Endpoint &endpoint, Region &region)
{
	ok(endpoint.recv(region.local(0, 100), 77));
	line.tell();
	endpoint.expect_recv(77, 100);
	require_pattern(region.bytes(0, 100), 99);
	line.meet();
}

void exchange_as_sender(Line &line, Endpoint &endpoint, Region &region)
{
	fill(region.bytes(0, 100), 99);
	line.await();
	ok(endpoint.send(region.local(0, 100), 78));
	endpoint.expect_request(78, 100);
	line.meet();
}

/** The request fails with this status; on iWARP it may as well not. */
void expect_remote_failure(const Adapter &adapter, Endpoint &endpoint, DAT_UINT64 cookie,
			   DAT_DTO_COMPLETION_STATUS status, Location where = Location::current())
{
	if (!adapter.iwarp()) {
		endpoint.expect_request_failure(cookie, status, where);
		return;
	}
	DAT_EVENT event = endpoint.request_queue().expect(DAT_DTO_COMPLETION_EVENT, where);
	require(event.event_data.dto_completion_event_data.user_cookie.as_64 == cookie,
		"another request completes", where);
}

/* ---- a message longer than its buffer ---- */

/**
 * The message fails. Why, its device hears in an answer of the peer's device; but the peer's EP
 * ends of itself as well, and over other queue pairs that news can come first. Over iWARP the
 * message may as well not fail.
 */
void expect_too_long(const Adapter &adapter, Endpoint &endpoint, DAT_UINT64 cookie)
{
	DAT_EVENT event = endpoint.request_queue().expect(DAT_DTO_COMPLETION_EVENT);
	const auto &completion = event.event_data.dto_completion_event_data;

	require(completion.user_cookie.as_64 == cookie, "another request completes");
	require(adapter.iwarp() || completion.status == DAT_DTO_ERR_REMOTE_RESPONDER ||
			completion.status == DAT_DTO_ERR_FLUSHED,
		"the completion has status " + std::to_string(completion.status));
}

/* The device has no other work of the endpoint, or it has some to flush. */
void send_too_long(bool more_receives)
{
	play(
		[more_receives](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			Region region(adapter, size);

			std::fill_n(region.data(), size, untouched);
			ok(endpoint.recv(region.local(0, 1000), 1));
			if (more_receives)
				ok(endpoint.recv(region.local(4000, 1000), 2));
			serve(line, listener, endpoint);
			line.tell();
			endpoint.expect_recv_failure(1, DAT_DTO_ERR_LOCAL_LENGTH);
			if (more_receives)
				endpoint.expect_recv_failure(2, DAT_DTO_ERR_FLUSHED);
			endpoint.expect_connection(DAT_CONNECTION_EVENT_BROKEN);
			endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
			require_bytes(region.bytes(1000, size - 1000), untouched);

			ok(dat_ep_reset(endpoint.ep()));
			serve(line, listener, endpoint);
			exchange_as_receiver(line, endpoint, region);
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);
			Region region(adapter, size);

			dial(line, adapter, endpoint);
			line.await();
			ok(endpoint.send(region.local(0, 1001), 3));
			expect_too_long(adapter, endpoint, 3);
			endpoint.expect_end();

			ok(dat_ep_reset(endpoint.ep()));
			dial(line, adapter, endpoint);
			exchange_as_sender(line, endpoint, region);
		});
}

TEST(DataError, MessageLongerThanTheBuffer)
{
	send_too_long(true);
}

TEST(DataError, MessageLongerThanTheOnlyBuffer)
{
	send_too_long(false);
}

/* ---- remote access ---- */

enum class Direction { write, read };

/** What the asking program makes of the triplet that it was given. */
using Spoil = std::function<void(DAT_RMR_TRIPLET &)>;

/** One forbidden access, then both sides connect again and exchange a message. */
struct RemoteAccess {
	Direction direction;
	std::function<void(Region &)> prepare;
	Spoil spoil;
	DAT_MEM_PRIV_FLAGS privileges = DAT_MEM_PRIV_ALL_FLAG;
	std::size_t offset = 1024, length = 2048;

	void run() const
	{
		play([this](Line &line) { target(line); }, [this](Line &line) { asker(line); });
	}

private:
	void target(Line &line) const
	{
		Adapter adapter;
		Listener listener(adapter);
		Endpoint endpoint(adapter);
		Region region(adapter, size, privileges), buffer(adapter, size);

		std::fill_n(region.data(), size, untouched);
		DAT_RMR_TRIPLET remote = region.remote(offset, length);
		if (prepare)
			prepare(region);
		serve(line, listener, endpoint);
		line.send(remote);
		endpoint.expect_end();
		require_bytes(region.bytes(0, size), untouched);

		ok(dat_ep_reset(endpoint.ep()));
		serve(line, listener, endpoint);
		exchange_as_receiver(line, endpoint, buffer);
	}

	void asker(Line &line) const
	{
		Adapter adapter;
		Endpoint endpoint(adapter);
		Region region(adapter, size);

		std::fill_n(region.data(), size, static_cast<unsigned char>(~untouched));
		dial(line, adapter, endpoint);
		auto remote = line.receive<DAT_RMR_TRIPLET>();
		if (spoil)
			spoil(remote);
		if (direction == Direction::write)
			ok(endpoint.write(region.local(0, length), remote, 5));
		else
			ok(endpoint.read(region.local(0, length), remote, 5));
		expect_remote_failure(adapter, endpoint, 5, DAT_DTO_ERR_REMOTE_ACCESS);
		endpoint.expect_broken(adapter);
		if (direction == Direction::read)
			require_bytes(region.bytes(0, size),
				      static_cast<unsigned char>(~untouched));

		ok(dat_ep_reset(endpoint.ep()));
		dial(line, adapter, endpoint);
		exchange_as_sender(line, endpoint, region);
	}
};

class DataErrorRemote : public testing::TestWithParam<Direction> {};

INSTANTIATE_TEST_SUITE_P(Rdma, DataErrorRemote, testing::Values(Direction::write, Direction::read),
			 [](const auto &info) {
				 return info.param == Direction::write ? "Write" : "Read";
			 });

TEST_P(DataErrorRemote, BehindTheRegion)
{
	RemoteAccess{
		.direction = GetParam(),
		.prepare = {},
		.spoil = [](DAT_RMR_TRIPLET &remote) { remote.target_address += size; }
	}.run();
}

/* Begins inside, ends one byte outside. */
TEST_P(DataErrorRemote, OverTheEnd)
{
	RemoteAccess{ .direction = GetParam(), .prepare = {}, .spoil = {}, .offset = size - 2047 }
		.run();
}

TEST_P(DataErrorRemote, WrongContext)
{
	RemoteAccess{
		.direction = GetParam(),
		.prepare = {},
		.spoil = [](DAT_RMR_TRIPLET &remote) { remote.rmr_context ^= 0x7f00; }
	}.run();
}

TEST_P(DataErrorRemote, ContextOfNothing)
{
	RemoteAccess{
		.direction = GetParam(),
		.prepare = {},
		.spoil = [](DAT_RMR_TRIPLET &remote) { remote.rmr_context = 0; }
	}.run();
}

TEST_P(DataErrorRemote, AfterLmrFree)
{
	RemoteAccess{
		.direction = GetParam(),
		.prepare = [](Region &region) { region.free(); },
		.spoil = {}
	}.run();
}

TEST_P(DataErrorRemote, WithoutThePrivilege)
{
	if (Adapter::iwarp() && GetParam() == Direction::read)
		GTEST_SKIP() << "siw answers a read without asking for the privilege "
				"(siw_check_sgl_tx() is told to check none)";

	DAT_MEM_PRIV_FLAGS other = GetParam() == Direction::write ? DAT_MEM_PRIV_REMOTE_READ_FLAG :
								    DAT_MEM_PRIV_REMOTE_WRITE_FLAG;

	RemoteAccess{ .direction = GetParam(),
		      .prepare = {},
		      .spoil = {},
		      .privileges =
			      DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG | other }
		.run();
}

/* The region belongs to another zone than the endpoint that it is asked through. */
TEST(DataError, RemoteRegionOfAnotherZone)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE zone;

		ok(dat_pz_create(adapter.ia(), &zone));
		{
			Pair pair(adapter);
			Endpoint &active = pair.active, &passive = pair.passive;
			Region foreign(adapter, size, DAT_MEM_PRIV_ALL_FLAG, zone);
			Region source(adapter, size);

			std::fill_n(foreign.data(), size, untouched);
			ok(active.write(source.local(0, 64), foreign.remote(0, 64), 5));
			expect_remote_failure(adapter, active, 5, DAT_DTO_ERR_REMOTE_ACCESS);
			active.expect_broken(adapter);
			passive.expect_end();
			require_bytes(foreign.bytes(0, size), untouched);
		}
		ok(dat_pz_free(zone));
	});
}

/* Remote write without local write: DAT allows it, for the peer alone. */
TEST(DataError, RemoteWriteWithoutLocalWrite)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Endpoint &active = pair.active, &passive = pair.passive;
		Region source(adapter, size), target(adapter, size, DAT_MEM_PRIV_REMOTE_WRITE_FLAG);

		fill(source.bytes(0, 64), 3);
		ok(active.write(source.local(0, 64), target.remote(0, 64), 5));
		active.expect_request(5, 64);
		pair.settle();
		require_pattern(target.bytes(0, 64), 3);
		fails(DAT_PRIVILEGES_VIOLATION, passive.recv(target.local(0, 64), 6));
		fails(DAT_PRIVILEGES_VIOLATION, passive.send(target.local(0, 64), 6));
	});
}

} // namespace
} // namespace suite

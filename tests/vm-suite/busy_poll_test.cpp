// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that look for an event all the time have the module look for them, in
 * the call for the doorbell. While it does so the device's queues are quiet, and
 * still nobody else may miss a completion.
 */

#include "module_state.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "raw_device.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <future>

namespace suite {
namespace {

/** An entry that belongs to no endpoint: nothing happens when it is taken. */
kdapl_sqe no_endpoints_entry()
{
	kdapl_sqe sqe{};

	sqe.ep = 0xffffff00;
	sqe.op = KDAPL_OP_SEND;
	return sqe;
}

/** A doorbell that has an EVD polled for; 0 or the errno. */
using Ring = int (*)(const RawFile &file, std::uint32_t evd);

int ring_by_structure(const RawFile &file, std::uint32_t evd)
{
	kdapl_submit submit{};

	submit.flags = KDAPL_SUBMIT_POLL;
	submit.evd = evd;
	return file.call(KDAPL_SUBMIT, submit);
}

int ring_by_number(const RawFile &file, std::uint32_t evd)
{
	return file.ring(evd);
}

class BusyPoll : public testing::TestWithParam<Ring> {};

INSTANTIATE_TEST_SUITE_P(Call, BusyPoll, testing::Values(ring_by_structure, ring_by_number),
			 [](const auto &info) {
				 return info.param == ring_by_number ? "number" : "structure";
			 });

TEST_P(BusyPoll, EntriesAreTakenWhateverThePollFinds)
{
	play([&](Line &) {
		RawIa ia;
		const Ring ring = GetParam();

		ia.push(no_endpoints_entry());
		/* In vain, unless something else wanted the processor just then. */
		const int err = ring(ia.file(), ia.evd());
		EXPECT_TRUE(err == ETIME || err == EAGAIN) << err;
		EXPECT_EQ(ia.status()->head, 1U);

		ia.push(no_endpoints_entry());
		EXPECT_EQ(ring(ia.file(), ia.evd() + 1000), ENOENT);
		EXPECT_EQ(ia.status()->head, 2U);

		{
			ModuleParameter never("busy_poll_us", "0");
			ia.push(no_endpoints_entry());
			EXPECT_EQ(ring(ia.file(), ia.evd()), EAGAIN);
			EXPECT_EQ(ia.status()->head, 3U);
		}

		/* Not an EVD. */
		ia.push(no_endpoints_entry());
		EXPECT_EQ(ring(ia.file(), ia.pz()), ENOENT);
		EXPECT_EQ(ia.status()->head, 4U);
	});
}

/** Microseconds that the module polls. */
class BusyPollFor : public testing::TestWithParam<unsigned> {};

INSTANTIATE_TEST_SUITE_P(Time, BusyPollFor, testing::Values(0, 50, 1000),
			 [](const auto &info) { return std::to_string(info.param) + "us"; });

/** One side of a ping-pong that never sleeps; its first receive is posted. */
void bounce(Endpoint &endpoint, const Region &region, std::uint64_t count, bool serves)
{
	for (DAT_UINT64 i = 0; i < count; i++) {
		if (!serves)
			ok(endpoint.send(region.local(64, 64), i));
		const DAT_EVENT event = endpoint.recv_queue().spin();
		const auto &dto = event.event_data.dto_completion_event_data;
		require(dto.user_cookie.as_64 == i && dto.status == DAT_DTO_SUCCESS,
			"another receive: " + std::to_string(dto.user_cookie.as_64));
		ok(endpoint.recv(region.local(0, 64), i + 1));
		if (serves)
			ok(endpoint.send(region.local(64, 64), i));
		endpoint.request_queue().spin();
	}
}

TEST_P(BusyPollFor, PingPong)
{
	ModuleParameter time("busy_poll_us", std::to_string(GetParam()));
	const std::uint64_t count = scaled(1'000);

	play(
		[&](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			Region region(adapter, 128);

			ok(endpoint.recv(region.local(0, 64), 0));
			serve(line, listener, endpoint);
			bounce(endpoint, region, count, true);
			line.meet();
		},
		[&](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);
			Region region(adapter, 128);

			ok(endpoint.recv(region.local(0, 64), 0));
			dial(line, adapter, endpoint);
			bounce(endpoint, region, count, false);
			line.meet();
		});
}

/** Requests one after the other, each of them slept for. */
void sleep_for_each(Endpoint &endpoint, const DAT_RMR_TRIPLET &remote,
		    const std::atomic<bool> &over)
{
	for (DAT_UINT64 i = 0; !over; i++) {
		ok(endpoint.write(Segments(), remote, i));
		endpoint.expect_request(i, 0);
	}
}

/** Endpoints that come and go, and with them the device's queues. */
void come_and_go(const Adapter &adapter, const std::atomic<bool> &over)
{
	while (!over)
		Endpoint(adapter, { .recvs = 1000, .requests = 1000, .events = 2000 });
}

/* The sleeper shares the queues that the other one polls; its events must come. */
TEST(BusyPoll, BesideASleeperAndNewQueues)
{
	ModuleParameter time("busy_poll_us", "1000");
	const std::uint64_t count = scaled(1'000);

	play([&](Line &) {
		Adapter adapter;
		Pair spinner(adapter), sleeper(adapter);
		Region target(adapter, 64);
		std::atomic<bool> over = false;

		auto sleeps = std::async(std::launch::async, [&] {
			sleep_for_each(sleeper.active, target.remote(0, 0), over);
		});
		auto changes = std::async(std::launch::async, [&] { come_and_go(adapter, over); });
		try {
			for (DAT_UINT64 i = 0; i < count; i++) {
				ok(spinner.active.write(Segments(), target.remote(0, 0), i));
				spinner.active.request_queue().spin();
			}
		} catch (...) {
			over = true;
			throw;
		}
		over = true;
		sleeps.get();
		changes.get();
	});
}

} // namespace
} // namespace suite

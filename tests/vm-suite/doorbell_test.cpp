// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Doorbells are spared, and no wake-up is lost: what was posted starts without
 * any further call. The programs here never enter the module while they wait,
 * so an entry that it overlooked stays overlooked, and the test fails.
 */

#include "module_state.hpp"
#include "pair.hpp"
#include "play.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <random>
#include <sys/mman.h>

namespace suite {
namespace {

/** Does nothing, for some time that differs from call to call. */
void dally(std::mt19937 &random, unsigned most)
{
	for (unsigned i = random() % most; i > 0; i--)
		std::atomic_signal_fence(std::memory_order_seq_cst);
}

/** Takes the next completion without entering the module. */
void take(Endpoint &endpoint, DAT_UINT64 cookie, DAT_DTO_COMPLETION_STATUS status)
{
	DAT_EVENT event = endpoint.request_queue().spin();
	const DAT_DTO_COMPLETION_EVENT_DATA &dto = event.event_data.dto_completion_event_data;

	require(dto.user_cookie.as_64 == cookie && dto.status == status,
		"another completion: cookie " + std::to_string(dto.user_cookie.as_64) +
			", status " + std::to_string(dto.status));
}

/** Microseconds that the module stops at the worst moment. */
class Doorbell : public testing::TestWithParam<unsigned> {};

INSTANTIATE_TEST_SUITE_P(Pause, Doorbell, testing::Values(0, 3, 30),
			 [](const auto &info) { return std::to_string(info.param) + "us"; });

/** What was posted and rung for since an earlier moment; some must not have rung. */
void require_spared(const kdapl_query &before, std::uint64_t count)
{
	kdapl_query now = module_query();
	std::uint64_t posts = now.posts - before.posts;
	std::uint64_t doorbells = now.doorbells - before.doorbells;

	std::printf("%llu posts, %llu doorbells\n", static_cast<unsigned long long>(posts),
		    static_cast<unsigned long long>(doorbells));
	EXPECT_GE(posts, count);
	EXPECT_LT(doorbells, posts) << "every post rang: nothing was tested";
}

/**
 * Requests that the device holds, so that the module keeps looking into the
 * ring by its timer: sends that find no receive, until the receives are posted.
 * On iWARP that would end the connection; there, long writes take their time.
 */
class Busy {
public:
	explicit Busy(const Adapter &adapter)
		: stalls_(!adapter.iwarp()), pair_(adapter), source_(adapter, size),
		  target_(adapter, size)
	{
	}

	void begin()
	{
		for (unsigned i = 0; i < count; i++) {
			if (stalls_)
				ok(pair_.active.send(Segments(), i));
			else
				ok(pair_.active.write(source_.local(0, size),
						      target_.remote(0, size), i));
		}
	}

	/** Lets them complete, and takes the completions. */
	void end()
	{
		for (unsigned i = 0; stalls_ && i < count; i++)
			ok(pair_.passive.recv(Segments(), i));
		for (unsigned i = 0; i < count; i++) {
			take(pair_.active, i, DAT_DTO_SUCCESS);
			if (stalls_)
				pair_.passive.recv_queue().spin();
		}
	}

private:
	static constexpr unsigned count = 12;
	static constexpr std::size_t size = 128 << 10;
	bool stalls_;
	Pair pair_;
	Region source_, target_;
};

/** Bursts of posts on an endpoint beside a busy one; each burst is awaited. */
void post_bursts(const Adapter &adapter, std::uint64_t count, unsigned most, unsigned seed,
		 const std::function<void(std::uint64_t)> &post,
		 const std::function<void(std::uint64_t)> &await)
{
	Busy busy(adapter);
	std::mt19937 random(seed);
	kdapl_query before = module_query();

	for (std::uint64_t posted = 0, taken = 0; posted < count;) {
		busy.begin();
		for (unsigned bursts = 1 + random() % 64; bursts > 0; bursts--) {
			for (unsigned burst = 1 + random() % most; burst > 0; burst--) {
				post(posted++);
				dally(random, 1 + (burst % 8) * 50);
			}
			while (taken < posted)
				await(taken++);
		}
		busy.end();
	}
	require_spared(before, count);
}

/* Operations that the device carries out: their completions look into the ring too. */
TEST_P(Doorbell, BurstsOfWrites)
{
	ModuleParameter pause("sq_pause_us", std::to_string(GetParam()));

	play([&](Line &) {
		constexpr unsigned most = 48;
		Adapter adapter;
		Pair pair(adapter, { .requests = most, .events = 4 * most });
		Region target(adapter, 64);

		post_bursts(
			adapter, scaled(50'000), most, GetParam(),
			[&](std::uint64_t i) {
				ok(pair.active.write(Segments(), target.remote(0, 0), i));
			},
			[&](std::uint64_t i) { take(pair.active, i, DAT_DTO_SUCCESS); });
	});
}

/* Many more posts, on an endpoint that flushes them at once. */
TEST_P(Doorbell, MillionsOfPosts)
{
	ModuleParameter pause("sq_pause_us", std::to_string(GetParam()));

	play([&](Line &) {
		constexpr unsigned most = 100;
		Adapter adapter;
		Pair pair(adapter, { .requests = most, .events = 2 * most });

		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_end();
		post_bursts(
			adapter, scaled(700'000), most, GetParam(),
			[&](std::uint64_t i) { ok(pair.active.send(Segments(), i)); },
			[&](std::uint64_t i) { take(pair.active, i, DAT_DTO_ERR_FLUSHED); });
	});
}

/* The ring has fewer entries than are posted before anybody looks. */
TEST(DoorbellRing, LongerThanTheRing)
{
	constexpr DAT_COUNT depth = 3000;

	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = depth, .events = depth });
		Region target(adapter, 64);

		for (DAT_UINT64 i = 0; i < depth; i++)
			ok(pair.active.write(Segments(), target.remote(0, 0), i));
		for (DAT_UINT64 i = 0; i < depth; i++)
			take(pair.active, i, DAT_DTO_SUCCESS);
	});
}

/* ---- receives ---- */

/** Shared by both programs: receives posted so far. */
using Credit = std::atomic<std::uint64_t>;

void receive_all(Line &line, Credit &posted, std::uint64_t count)
{
	constexpr DAT_COUNT depth = 128;
	Adapter adapter;
	Listener listener(adapter);
	Endpoint endpoint(adapter, { .recvs = depth, .events = 2 * depth });
	Region region(adapter, depth * 64);

	for (DAT_UINT64 i = 0; i < depth; i++)
		ok(endpoint.recv(region.local(i * 64, 64), i));
	posted = depth;
	serve(line, listener, endpoint);
	for (DAT_UINT64 i = 0; i < count; i++) {
		endpoint.expect_recv(i, 64);
		ok(endpoint.recv(region.local(i % depth * 64, 64), i + depth));
		posted++;
	}
	line.meet();
}

/** Bursts that use up every receive that was posted. */
void send_all(Line &line, Credit &posted, std::uint64_t count)
{
	constexpr DAT_COUNT depth = 128;
	Adapter adapter;
	Endpoint endpoint(adapter, { .requests = depth, .events = 2 * depth });
	Region region(adapter, 64);
	std::uint64_t sent = 0, done = 0;

	dial(line, adapter, endpoint);
	while (sent < count) {
		std::uint64_t allowed = std::min(posted.load(), count);

		while (sent < allowed && sent - done < depth)
			ok(endpoint.send(region.local(0, 64), sent++));
		while (done < sent)
			endpoint.expect_request(done++, 64);
	}
	line.meet();
}

/*
 * The module takes what lies in the ring when a message has used up a receive. A host
 * that puts the machine's processor aside just then can make the next message come
 * first, once in many thousands; where nobody took them, each burst would be refused.
 */
TEST(DoorbellReceive, LazilyPostedOnesAreThere)
{
	/* So many bursts that the few of a slow machine stand out. */
	const std::uint64_t count = std::max<std::uint64_t>(scaled(20'000), 2'000);
	const auto few = static_cast<std::int64_t>(count / 500 + 2);
	void *memory = mmap(nullptr, sizeof(Credit), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(memory, MAP_FAILED);
	auto posted = new (memory) Credit(0);
	std::int64_t sent_before = hardware_counter("send_rnr_err");
	std::int64_t received_before = hardware_counter("rcvd_rnr_err");

	play([&](Line &line) { receive_all(line, *posted, count); },
	     [&](Line &line) { send_all(line, *posted, count); });
	EXPECT_LE(hardware_counter("send_rnr_err"), sent_before + few);
	EXPECT_LE(hardware_counter("rcvd_rnr_err"), received_before + few);
	munmap(memory, sizeof(Credit));
}

} // namespace
} // namespace suite

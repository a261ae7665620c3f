// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Event queues: order, overflow, thresholds, time, one waiter at a time. */

#include "cno.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "sleeper.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <pthread.h>
#include <string>
#include <thread>

namespace suite {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/** Empty RDMA writes to nowhere: each gives one completion and moves nothing. */
void post_writes(Endpoint &endpoint, const Region &target, DAT_UINT64 first, DAT_UINT64 count)
{
	for (DAT_UINT64 i = first; i < first + count; i++)
		ok(endpoint.write(Segments(), target.remote(0, 0), i));
}

/* ---- nothing lost, order kept ---- */

TEST(Evd, SmallRingLosesNothing)
{
	constexpr DAT_UINT64 count = 200;

	play([&](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = count, .events = 2 });
		Region target(adapter, 64);

		EXPECT_LT(pair.active.request_queue().length(), 16);
		for (DAT_UINT64 round = 0; round < 3; round++) {
			post_writes(pair.active, target, round * count, count);
			for (DAT_UINT64 i = 0; i < count; i++)
				pair.active.expect_request(round * count + i, 0);
			pair.active.request_queue().require_empty();
		}
	});
}

/* The same without ever sleeping: dequeue finds what waits for room. */
TEST(Evd, SmallRingLosesNothingWhenPolled)
{
	constexpr DAT_UINT64 count = 200;

	play([&](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = count, .events = 2 });
		Region target(adapter, 64);

		post_writes(pair.active, target, 0, count);
		for (DAT_UINT64 i = 0; i < count; i++) {
			DAT_EVENT event = pair.active.request_queue().spin();
			EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, i);
		}
		pair.active.request_queue().require_empty();
	});
}

/* Connection requests wait for room too, and the queue stays in order. */
TEST(Evd, OneQueueForEverything)
{
	constexpr DAT_UINT64 count = 64;

	play([&](Line &) {
		Adapter adapter;
		Pair pair(adapter,
			  { .recvs = count, .requests = count, .events = 2, .one_queue = true });
		Region region(adapter, 4096);

		for (DAT_UINT64 i = 0; i < count; i++)
			ok(pair.passive.recv(region.local(0, 8), i));
		for (DAT_UINT64 i = 0; i < count; i++)
			ok(pair.active.send(region.local(8, 8), i));
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
		for (DAT_UINT64 i = 0; i < count; i++)
			pair.active.expect_request(i, 8);
		pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		for (DAT_UINT64 i = 0; i < count; i++)
			pair.passive.expect_recv(i, 8);
		pair.passive.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
	});
}

/* The first message may arrive before the acceptor is told of the connection. */
TEST(Evd, EstablishedComesBeforeData)
{
	const DAT_UINT64 rounds = std::max<DAT_UINT64>(5, scaled(20));

	play([&](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter, { .one_queue = true });
		Region region(adapter, 4096);

		for (DAT_UINT64 i = 0; i < rounds; i++) {
			ok(passive.recv(region.local(0, 8), i));
			ok(active.connect(adapter.address(), listener.qual()));
			ok(accept_request(listener.request(), passive));
			active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			ok(active.send(region.local(8, 8), i));
			passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			passive.expect_recv(i, 8);
			active.expect_request(i, 8);
			ok(dat_ep_disconnect(active.ep(), DAT_CLOSE_ABRUPT_FLAG));
			active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
			passive.expect_end();
			ok(dat_ep_reset(active.ep()));
			ok(dat_ep_reset(passive.ep()));
		}
	});
}

/* ---- thresholds and time ---- */

TEST(EvdWait, Threshold)
{
	constexpr DAT_UINT64 count = 10;

	play([&](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region target(adapter, 64);
		DAT_EVD_HANDLE evd = pair.active.request_queue().evd();
		DAT_EVENT event;
		DAT_COUNT more = -1;

		post_writes(pair.active, target, 0, count - 1);
		/* They may take longer, on a machine that is slow and busy. */
		do {
			fails(DAT_TIMEOUT_EXPIRED,
			      dat_evd_wait(evd, 200'000, count, &event, &more));
		} while (more < static_cast<DAT_COUNT>(count - 1));
		EXPECT_EQ(more, static_cast<DAT_COUNT>(count - 1));
		post_writes(pair.active, target, count - 1, 1);
		ok(dat_evd_wait(evd, long_time, count, &event, &more));
		EXPECT_EQ(more, static_cast<DAT_COUNT>(count - 1));
		EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, 0U);
		for (DAT_UINT64 i = 1; i < count; i++) {
			ok(dat_evd_wait(evd, 0, 1, &event, &more));
			EXPECT_EQ(more, static_cast<DAT_COUNT>(count - 1 - i));
			EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, i);
		}
	});
}

/* A thread sleeps until the last of the events has come, and only once. */
TEST(EvdWait, ThresholdWhileAsleep)
{
	constexpr DAT_UINT64 count = 30;

	play([&](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = count });
		Region target(adapter, 64);
		DAT_EVENT event;
		DAT_COUNT more = -1;

		auto waiter = std::async(std::launch::async, [&] {
			return dat_evd_wait(pair.active.request_queue().evd(), long_time, count,
					    &event, &more);
		});
		post_writes(pair.active, target, 0, count / 2);
		post_writes(pair.active, target, count / 2, count / 2);
		ok(waiter.get());
		EXPECT_EQ(more, static_cast<DAT_COUNT>(count - 1));
		for (DAT_UINT64 i = 1; i < count; i++)
			pair.active.expect_request(i, 0);
	});
}

TEST(EvdWait, BadThreshold)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 8);
		DAT_EVENT event;
		DAT_COUNT more;

		for (DAT_COUNT threshold : { 0, -1, queue.length() + 1 })
			fails(DAT_INVALID_PARAMETER,
			      dat_evd_wait(queue.evd(), 0, threshold, &event, &more));
		fails(DAT_TIMEOUT_EXPIRED,
		      dat_evd_wait(queue.evd(), 0, queue.length(), &event, &more));
	});
}

TEST(EvdWait, TimeoutIsKept)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 8);
		DAT_EVENT event;
		DAT_COUNT more = -1;

		for (DAT_TIMEOUT timeout : { 0U, 1U, 10'000U, 150'000U }) {
			auto begin = Clock::now();
			fails(DAT_TIMEOUT_EXPIRED,
			      dat_evd_wait(queue.evd(), timeout, 1, &event, &more));
			EXPECT_GE(Clock::now() - begin, std::chrono::microseconds(timeout));
			EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
			EXPECT_EQ(more, 0);
		}
	});
}

/* ---- one waiter ---- */

/** Calls the function while another thread sleeps in a wait on the EVD. */
void while_waiting(EventQueue &queue, const std::function<void()> &function,
		   const std::function<void()> &end_wait)
{
	DAT_EVENT event;
	DAT_COUNT more;
	auto deadline = Clock::now() + patience();

	auto waiter = std::async(std::launch::async, [&] {
		return dat_evd_wait(queue.evd(), long_time, 1, &event, &more);
	});
	/* The wait has begun when the queue may not be dequeued any more. */
	DAT_EVENT other;
	while (DAT_GET_TYPE(dat_evd_dequeue(queue.evd(), &other)) == DAT_QUEUE_EMPTY) {
		if (Clock::now() > deadline)
			break;
	}
	bool waiting = Clock::now() <= deadline;
	if (waiting)
		function();
	end_wait();
	ok(waiter.get());
	require(waiting, "a wait keeps nobody from dequeuing");
}

TEST(EvdWait, IsExclusive)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region target(adapter, 64);
		EventQueue &queue = pair.active.request_queue();
		DAT_EVENT event;
		DAT_COUNT more;

		while_waiting(
			queue,
			[&] {
				EXPECT_EQ(DAT_GET_TYPE(dat_evd_dequeue(queue.evd(), &event)),
					  DAT_INVALID_STATE);
				EXPECT_EQ(DAT_GET_TYPE(
						  dat_evd_wait(queue.evd(), 0, 1, &event, &more)),
					  DAT_INVALID_STATE);
			},
			[&] { post_writes(pair.active, target, 0, 1); });
		queue.require_empty();
		post_writes(pair.active, target, 1, 1);
		pair.active.expect_request(1, 0);
	});
}

/* ---- signals ---- */

std::atomic<int> signals_seen;

void on_signal(int)
{
	signals_seen++;
}

/* Whether or not the handler asks for system calls to go on. */
TEST(EvdWait, SignalInterrupts)
{
	for (int flags : { 0, SA_RESTART }) {
		play([flags](Line &) {
			Adapter adapter;
			EventQueue queue(adapter, 8);
			struct sigaction action {};
			std::atomic<bool> over = false;
			DAT_RETURN result = DAT_SUCCESS;

			action.sa_handler = on_signal;
			action.sa_flags = flags;
			sys(sigaction(SIGUSR1, &action, nullptr));
			std::thread waiter([&] {
				DAT_EVENT event;
				DAT_COUNT more;
				result = dat_evd_wait(queue.evd(), long_time, 1, &event, &more);
				over = true;
			});
			/* A signal that comes before the wait begins ends nothing. */
			while (!over) {
				pthread_kill(waiter.native_handle(), SIGUSR1);
				std::this_thread::yield();
			}
			waiter.join();
			fails(DAT_INTERRUPTED_CALL, result);
			EXPECT_GE(signals_seen.load(), 1);
			queue.require_empty();
		});
	}
}

/** Whether each of its threads has come to rest. */
bool all_stopped(pid_t program)
{
	const auto tasks = "/proc/" + std::to_string(program) + "/task";

	return std::ranges::all_of(std::filesystem::directory_iterator(tasks),
				   [](const auto &task) {
					   std::ifstream file(task.path() / "stat");
					   std::string number, name, state;

					   file >> number >> name >> state;
					   return state == "T";
				   });
}

/* As a shell does it, or a debugger that looks at the program: nothing has happened. */
TEST(EvdWait, GoesOnWhenTheProgramDoes)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Cno cno(adapter);
			SoftwareQueue queue(adapter), other(adapter);

			ok(dat_evd_modify_cno(other.evd(), cno.handle()));
			EvdWait evd_wait(queue.evd());
			CnoWait cno_wait(cno.handle());
			line.send(getpid());
			line.await();
			ok(post_se(queue, 7));
			ok(post_se(other, 8));
			ok(evd_wait.result());
			require_se(evd_wait.event, 7);
			ok(cno_wait.result());
			EXPECT_EQ(cno_wait.hint, other.evd());
		},
		[](Line &line) {
			const auto waiter = line.receive<pid_t>();
			const auto deadline = Clock::now() + patience();

			sys(kill(waiter, SIGSTOP));
			while (!all_stopped(waiter))
				require(Clock::now() < deadline, "it does not stop");
			sys(kill(waiter, SIGCONT));
			line.tell();
		});
}

/* ---- the end of an EVD ---- */

TEST(Evd, FreedWhileWaitedOn)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE evd;
		DAT_EVENT event;
		DAT_COUNT more;
		auto deadline = Clock::now() + patience();

		ok(dat_evd_create(adapter.ia(), 8, DAT_HANDLE_NULL, any_stream, &evd));
		auto waiter = std::async(std::launch::async, [&] {
			DAT_EVENT mine;
			DAT_COUNT left;
			return dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &mine, &left);
		});
		while (DAT_GET_TYPE(dat_evd_dequeue(evd, &event)) == DAT_QUEUE_EMPTY)
			require(Clock::now() < deadline, "the wait does not begin");
		ok(dat_evd_free(evd));
		fails(DAT_ABORT, waiter.get());
		fails(DAT_INVALID_HANDLE, dat_evd_wait(evd, 0, 1, &event, &more));
		fails(DAT_INVALID_HANDLE, dat_evd_dequeue(evd, &event));
		fails(DAT_INVALID_HANDLE, dat_evd_free(evd));
	});
}

TEST(Evd, BadArguments)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE evd;
		auto create = [&](DAT_COUNT length, unsigned flags) {
			return dat_evd_create(adapter.ia(), length, DAT_HANDLE_NULL,
					      static_cast<DAT_EVD_FLAGS>(flags), &evd);
		};

		fails(DAT_INVALID_PARAMETER, create(0, DAT_EVD_DTO_FLAG));
		fails(DAT_INVALID_PARAMETER, create(-1, DAT_EVD_DTO_FLAG));
		fails(DAT_INVALID_PARAMETER, create(8, 0));
		fails(DAT_INVALID_PARAMETER, create(8, 0x1000));
		fails(DAT_INSUFFICIENT_RESOURCES,
		      create(adapter.attributes().max_evd_qlen + 1, DAT_EVD_DTO_FLAG));
		fails(DAT_INVALID_HANDLE,
		      dat_evd_create(adapter.pz(), 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &evd));
		ok(create(adapter.attributes().max_evd_qlen, DAT_EVD_DTO_FLAG));
		ok(dat_evd_free(evd));
	});
}

} // namespace
} // namespace suite

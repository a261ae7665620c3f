// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads that are cancelled, with pthread_cancel(), within the library. */

#include "cno.hpp"
#include "endpoint.hpp"
#include "play.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <pthread.h>
#include <string>
#include <unistd.h>

namespace suite {
namespace {

struct Calls {
	std::string name = adapter_name();
	DAT_RETURN listed = DAT_INTERNAL_ERROR, opened = DAT_INTERNAL_ERROR;
	DAT_RETURN made = DAT_INTERNAL_ERROR, freed = DAT_INTERNAL_ERROR;
	DAT_RETURN closed = DAT_INTERNAL_ERROR;
};

/** Calls with open(), read(), pthread_join() and close() in them, which it does not survive. */
void *call_and_die(void *arg)
{
	auto &calls = *static_cast<Calls *>(arg);
	const DAT_OS_WAIT_PROXY_AGENT agent = { nullptr, [](DAT_PVOID, DAT_EVD_HANDLE) {} };
	DAT_PROVIDER_INFO info, *infos[] = { &info };
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	DAT_CNO_HANDLE cno;
	DAT_IA_HANDLE ia;
	DAT_COUNT count;

	pthread_cancel(pthread_self());
	calls.listed = dat_registry_list_providers(1, &count, infos);
	calls.opened = dat_ia_open(calls.name.data(), 8, &async, &ia);
	if (calls.opened != DAT_SUCCESS)
		return nullptr;
	calls.made = dat_cno_create(ia, agent, &cno);
	if (calls.made == DAT_SUCCESS)
		calls.freed = dat_cno_free(cno);
	calls.closed = dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
	pthread_testcancel();
	return nullptr;
}

TEST(Cancel, IsDoneBehindTheCalls)
{
	Calls calls;
	pthread_t thread;
	void *result = nullptr;

	ASSERT_EQ(pthread_create(&thread, nullptr, call_and_die, &calls), 0);
	ASSERT_EQ(pthread_join(thread, &result), 0);
	EXPECT_EQ(result, PTHREAD_CANCELED);
	EXPECT_NE(calls.listed, DAT_INTERNAL_ERROR);
	ok(calls.opened);
	ok(calls.made);
	ok(calls.freed);
	ok(calls.closed);
}

/** A thread that waits until it is cancelled, and can be so in this way. */
struct Waiter {
	int type;
	std::function<DAT_RETURN()> wait;
	std::atomic<pid_t> tid = 0;
	std::atomic<bool> returned = false;

	static void *run(void *arg)
	{
		auto &self = *static_cast<Waiter *>(arg);

		pthread_setcanceltype(self.type, nullptr);
		self.tid = gettid();
		self.wait();
		self.returned = true;
		return nullptr;
	}
};

/** Before it sleeps, or when it does, and then just behind @first. False: it was faster. */
bool cancel(int type, bool asleep, std::function<DAT_RETURN()> wait,
	    const std::function<void()> &first = {})
{
	Waiter waiter{ type, std::move(wait) };
	const auto deadline = std::chrono::steady_clock::now() + patience();
	pthread_t thread;
	void *result = nullptr;

	require(pthread_create(&thread, nullptr, Waiter::run, &waiter) == 0, "no thread");
	while (!waiter.tid || (asleep && !sleeps_in_module(waiter.tid)))
		require(std::chrono::steady_clock::now() < deadline, "it does not sleep");
	if (first)
		first();
	pthread_cancel(thread);
	pthread_join(thread, &result);
	/* A thread that is told late, on its way out, counts as cancelled, too. */
	EXPECT_TRUE(waiter.returned || result == PTHREAD_CANCELED);
	return !waiter.returned;
}

void cancelled(int type, bool asleep, std::function<DAT_RETURN()> wait)
{
	EXPECT_TRUE(cancel(type, asleep, std::move(wait)));
}

TEST(Cancel, EndsAWait)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		EventQueue queue(adapter, 8);

		for (int type : { PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS })
			for (bool asleep : { true, false }) {
				cancelled(type, asleep, [&] {
					DAT_EVENT event;
					DAT_COUNT more;
					return dat_evd_wait(queue.evd(), DAT_TIMEOUT_INFINITE, 1,
							    &event, &more);
				});
				cancelled(type, asleep, [&] {
					DAT_EVD_HANDLE evd;
					return dat_cno_wait(cno.handle(), DAT_TIMEOUT_INFINITE,
							    &evd);
				});
			}
		/* Nobody waits any more; and what a cancelled thread held is free. */
		queue.require_empty();
		cno.require_untriggered();
		DAT_EVENT event;
		DAT_COUNT more;
		fails(DAT_TIMEOUT_EXPIRED, dat_evd_wait(queue.evd(), 1000, 1, &event, &more));
	});
}

/** An EVD with a CNO, where something comes just before the thread that waits is cancelled. */
struct Crossing {
	Crossing() { ok(dat_evd_modify_cno(queue.evd(), cno.handle())); }

	/* False: the thread was faster, and has what came. */
	bool happens(std::function<DAT_RETURN()> wait)
	{
		return cancel(PTHREAD_CANCEL_DEFERRED, true, std::move(wait), [this] {
			DAT_EVENT event{};

			event.event_number = DAT_SOFTWARE_EVENT;
			ok(dat_evd_post_se(queue.evd(), &event));
		});
	}

	/* The CNO tells of the event that the cancelled thread did not take. */
	void require_told()
	{
		DAT_EVD_HANDLE evd;

		ok(dat_cno_wait(cno.handle(), 5'000'000, &evd));
		EXPECT_EQ(evd, queue.evd());
		queue.expect(DAT_SOFTWARE_EVENT);
		crossed++;
	}

	unsigned crossed = 0;

	Adapter adapter;
	Cno cno{ adapter };
	EventQueue queue{ adapter, 8, DAT_EVD_SOFTWARE_FLAG };
};

TEST(Cancel, LeavesTheTriggerToOthers)
{
	play([](Line &) {
		Crossing crossing;

		for (int i = 0; i < 100; i++) {
			DAT_EVD_HANDLE evd;

			if (crossing.happens([&] {
				    return dat_cno_wait(crossing.cno.handle(), DAT_TIMEOUT_INFINITE,
							&evd);
			    }))
				crossing.require_told();
			else
				crossing.queue.expect(DAT_SOFTWARE_EVENT);
		}
		EXPECT_GT(crossing.crossed, 0U);
	});
}

TEST(Cancel, LeavesTheEventToOthers)
{
	play([](Line &) {
		Crossing crossing;

		for (int i = 0; i < 100; i++) {
			DAT_EVENT event;
			DAT_COUNT more;

			if (crossing.happens([&] {
				    return dat_evd_wait(crossing.queue.evd(), DAT_TIMEOUT_INFINITE,
							1, &event, &more);
			    }))
				crossing.require_told();
		}
		EXPECT_GT(crossing.crossed, 0U);
	});
}

} // namespace
} // namespace suite

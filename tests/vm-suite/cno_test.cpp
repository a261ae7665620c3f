// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CNOs: many event queues, one thread that sleeps or one agent that is called. */

#include "cno.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <vector>

namespace suite {
namespace {

TEST(Cno, OneWaitForManyEndpoints)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		Pair pairs[] = { Pair(adapter), Pair(adapter), Pair(adapter) };
		Region target(adapter, 64);

		for (Pair &pair : pairs)
			ok(dat_evd_modify_cno(pair.active.request_queue().evd(), cno.handle()));
		for (DAT_UINT64 i = 0; i < 30; i++) {
			Pair &pair = pairs[i % 3];
			ok(pair.active.write(Segments(), target.remote(0, 0), i));
			EXPECT_EQ(cno.wait(), pair.active.request_queue().evd());
			pair.active.expect_request(i, 0);
			cno.require_untriggered();
		}
		for (Pair &pair : pairs)
			ok(dat_evd_modify_cno(pair.active.request_queue().evd(), DAT_HANDLE_NULL));
	});
}

/* Who sees the trigger looks into all queues, and so misses no event. */
TEST(Cno, NoEventIsMissed)
{
	constexpr DAT_UINT64 count = 64;

	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		Pair pairs[] = { Pair(adapter, { .requests = 16 }),
				 Pair(adapter, { .requests = 16 }) };
		Region target(adapter, 64);

		for (Pair &pair : pairs)
			ok(dat_evd_modify_cno(pair.active.request_queue().evd(), cno.handle()));
		for (std::uint64_t round = 0; round < scaled(50); round++) {
			DAT_UINT64 posted[2] = {}, taken[2] = {};
			while (taken[0] + taken[1] < 2 * count) {
				for (int i = 0; i < 2; i++)
					for (; posted[i] < count && posted[i] - taken[i] < 16;
					     posted[i]++)
						ok(pairs[i].active.write(Segments(),
									 target.remote(0, 0),
									 posted[i]));
				cno.wait();
				for (int i = 0; i < 2; i++) {
					DAT_EVENT event;
					DAT_EVD_HANDLE evd = pairs[i].active.request_queue().evd();
					while (dat_evd_dequeue(evd, &event) == DAT_SUCCESS)
						taken[i]++;
				}
				if (taken[0] + taken[1] == 2 * count)
					break;
			}
			/* The last trigger may still stand. */
			DAT_EVD_HANDLE ignored;
			dat_cno_wait(cno.handle(), 0, &ignored);
		}
		for (Pair &pair : pairs)
			ok(dat_evd_modify_cno(pair.active.request_queue().evd(), DAT_HANDLE_NULL));
	});
}

TEST(Cno, AgentIsCalledOncePerSetting)
{
	struct Calls {
		std::atomic<unsigned> count = 0;
		std::atomic<DAT_EVD_HANDLE> evd = DAT_HANDLE_NULL;
	};

	play([](Line &) {
		Adapter adapter;
		Calls calls;
		const DAT_OS_WAIT_PROXY_AGENT agent = { &calls,
							[](DAT_PVOID instance, DAT_EVD_HANDLE evd) {
								auto *c = static_cast<Calls *>(
									instance);
								c->evd = evd;
								c->count++;
							} };
		EventQueue queue(adapter, 64, DAT_EVD_SOFTWARE_FLAG);
		Cno cno(adapter, agent);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		for (unsigned i = 1; i <= 5; i++) {
			ok(post_se(queue));
			ok(post_se(queue));
			auto deadline = std::chrono::steady_clock::now() + patience();
			while (calls.count < i)
				require(std::chrono::steady_clock::now() < deadline,
					"the agent is not called");
			EXPECT_EQ(calls.evd, queue.evd());
			EXPECT_EQ(calls.count, i);
			EXPECT_EQ(cno.wait(), queue.evd());
			ok(dat_cno_modify_agent(cno.handle(), agent));
		}
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* A program's handler may mend them; all other signals are for its own threads. */
TEST(Cno, AgentTakesTheSignalsThatItRaises)
{
	struct Mask {
		sigset_t set;
		std::atomic<bool> known = false;
	};

	play([](Line &) {
		Adapter adapter;
		Mask mask;
		const DAT_OS_WAIT_PROXY_AGENT agent = {
			&mask,
			[](DAT_PVOID instance, DAT_EVD_HANDLE) {
				auto *m = static_cast<Mask *>(instance);
				pthread_sigmask(SIG_SETMASK, nullptr, &m->set);
				m->known = true;
			}
		};
		EventQueue queue(adapter, 64, DAT_EVD_SOFTWARE_FLAG);
		Cno cno(adapter, agent);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(post_se(queue));
		const auto deadline = std::chrono::steady_clock::now() + patience();
		while (!mask.known)
			require(std::chrono::steady_clock::now() < deadline,
				"the agent is not called");
		for (int raised : { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS })
			EXPECT_FALSE(sigismember(&mask.set, raised)) << raised;
		for (int sent : { SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD })
			EXPECT_TRUE(sigismember(&mask.set, sent)) << sent;
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

TEST(Cno, AWaiterOnTheEvdKeepsItOut)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 8, DAT_EVD_SOFTWARE_FLAG);
		Cno cno(adapter);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		EvdWait waiter(queue.evd());
		ok(post_se(queue));
		ok(waiter.result());
		cno.require_untriggered();
		ok(post_se(queue));
		EXPECT_EQ(cno.wait(), queue.evd());
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* The page's own way to free a CNO that somebody waits on. */
TEST(Cno, FreeNeedsItsWaitersGone)
{
	play([](Line &) {
		Adapter adapter;
		DAT_CNO_HANDLE cno;
		DAT_EVD_HANDLE temporary;

		ok(dat_cno_create(adapter.ia(), DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
		CnoWait waiter(cno);
		fails(DAT_INVALID_STATE, dat_cno_free(cno));
		ok(dat_evd_create(adapter.ia(), 1, cno, DAT_EVD_SOFTWARE_FLAG, &temporary));
		DAT_EVENT event{};
		event.event_number = DAT_SOFTWARE_EVENT;
		ok(dat_evd_post_se(temporary, &event));
		ok(waiter.result());
		EXPECT_EQ(waiter.hint, temporary);
		fails(DAT_INVALID_STATE, dat_cno_free(cno));
		ok(dat_evd_free(temporary));
		ok(dat_cno_free(cno));
	});
}

TEST(Cno, ClosingTheAdapterReleasesAll)
{
	play([](Line &) {
		DAT_EVD_HANDLE async = DAT_HANDLE_NULL, evd = DAT_HANDLE_NULL;
		DAT_IA_HANDLE ia;
		DAT_CNO_HANDLE cno;
		std::atomic<unsigned> calls = 0;
		const DAT_OS_WAIT_PROXY_AGENT agent = {
			&calls,
			[](DAT_PVOID instance, DAT_EVD_HANDLE called_for) {
				EXPECT_EQ(called_for, DAT_HANDLE_NULL);
				++*static_cast<std::atomic<unsigned> *>(instance);
			}
		};

		ok(dat_ia_open(const_cast<char *>(adapter_name().c_str()), 8, &async, &ia));
		ok(dat_cno_create(ia, agent, &cno));
		ok(dat_evd_create(ia, 8, cno, DAT_EVD_SOFTWARE_FLAG, &evd));
		CnoWait waiter(cno);
		ok(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG));
		ok(waiter.result());
		EXPECT_EQ(waiter.hint, DAT_HANDLE_NULL);
		EXPECT_EQ(calls, 1U);
	});
}

} // namespace
} // namespace suite

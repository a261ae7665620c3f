// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_cno_wait(3DAT)

#include "cno.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>

namespace suite {
namespace {

/** A CNO with two EVDs. */
struct Stage {
	Stage() : one(adapter), two(adapter), cno(adapter)
	{
		ok(dat_evd_modify_cno(one.evd(), cno.handle()));
		ok(dat_evd_modify_cno(two.evd(), cno.handle()));
	}
	Stage(const Stage &) = delete;
	Stage &operator=(const Stage &) = delete;
	~Stage()
	{
		dat_evd_modify_cno(one.evd(), DAT_HANDLE_NULL);
		dat_evd_modify_cno(two.evd(), DAT_HANDLE_NULL);
	}

	Adapter adapter;
	SoftwareQueue one, two;
	Cno cno;
};

/* "notification events from a set of Event Dispatchers" */
TEST(DatCnoWait, DescriptionOfManyEvds)
{
	play([](Line &) {
		Stage stage;

		for (SoftwareQueue *queue : { &stage.one, &stage.two, &stage.one }) {
			CnoWait wait(stage.cno.handle());
			ok(post_se(*queue, 1));
			ok(wait.result());
			EXPECT_EQ(wait.hint, queue->evd());
			expect_se(*queue, 1);
		}
	});
}

/* ... of any stream */
TEST(DatCnoWait, DescriptionOfEventsOfAConnection)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		Pair pair(adapter);
		const DAT_EVD_HANDLE recv = pair.passive.recv_queue().evd(),
				     end = pair.passive.connect_queue().evd();

		ok(dat_evd_modify_cno(recv, cno.handle()));
		ok(dat_evd_modify_cno(end, cno.handle()));
		ok(pair.passive.recv(Segments(), 1));
		ok(pair.active.send(Segments(), 2));
		EXPECT_EQ(cno.wait(), recv);
		pair.passive.expect_recv(1, 0);
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
		EXPECT_EQ(cno.wait(), end);
		pair.passive.expect_end();
		ok(dat_evd_modify_cno(recv, DAT_HANDLE_NULL));
		ok(dat_evd_modify_cno(end, DAT_HANDLE_NULL));
	});
}

/* A trigger stays until a wait takes it, and one wait takes it. */
TEST(DatCnoWait, DescriptionNotifiedBeforeTheWait)
{
	play([](Line &) {
		Stage stage;

		ok(post_se(stage.one));
		EXPECT_EQ(stage.cno.wait(), stage.one.evd());
		stage.cno.require_untriggered();
	});
}

/* "other Event Dispatchers feeding this CNO might have been notified" */
TEST(DatCnoWait, DescriptionOneWaitForSeveralNotifications)
{
	play([](Line &) {
		Stage stage;

		ok(post_se(stage.two, 2));
		ok(post_se(stage.one, 1));
		ok(post_se(stage.two, 3));
		EXPECT_EQ(stage.cno.wait(), stage.two.evd());
		stage.cno.require_untriggered();
		expect_se(stage.one, 1);
		expect_se(stage.two, 2);
		expect_se(stage.two, 3);
	});
}

/* "is only a hint. Another Consumer can reap the Event" */
TEST(DatCnoWait, DescriptionHintWithoutAnEvent)
{
	play([](Line &) {
		Stage stage;

		ok(post_se(stage.one, 1));
		expect_se(stage.one, 1);
		EXPECT_EQ(stage.cno.wait(), stage.one.evd());
		stage.one.require_empty();
	});
}

/* "An Event Dispatcher that is disabled ... does not deliver notifications." */
TEST(DatCnoWait, DescriptionDisabledEvd)
{
	play([](Line &) {
		Stage stage;

		ok(dat_evd_disable(stage.one.evd()));
		ok(post_se(stage.one));
		stage.cno.require_untriggered();
		ok(post_se(stage.two));
		EXPECT_EQ(stage.cno.wait(), stage.two.evd());
	});
}

/* "A uDAPL Consumer waiting directly upon an Event Dispatcher preempts the CNO." */
TEST(DatCnoWait, DescriptionEvdWithAWaiter)
{
	play([](Line &) {
		Stage stage;
		EvdWait wait(stage.one.evd(), 2);

		ok(post_se(stage.one, 1));
		stage.cno.require_untriggered();
		ok(post_se(stage.one, 2));
		ok(wait.result());
		require_se(wait.event, 1);
		stage.cno.require_untriggered();
		ok(post_se(stage.one, 3));
		EXPECT_EQ(stage.cno.wait(), stage.one.evd());
	});
}

/* "On a timeout, evd_handle is explicitly set to a null handle." */
TEST(DatCnoWait, QueueEmptyAfterTheTimeout)
{
	play([](Line &) {
		Stage stage;

		for (DAT_TIMEOUT timeout : { 0U, 1U, 50'000U }) {
			DAT_EVD_HANDLE evd = stage.one.evd();
			const auto begin = std::chrono::steady_clock::now();
			refused(dat_cno_wait(stage.cno.handle(), timeout, &evd), DAT_QUEUE_EMPTY,
				DAT_NO_SUBTYPE);
			EXPECT_GE(std::chrono::steady_clock::now() - begin,
				  std::chrono::microseconds(timeout));
			EXPECT_EQ(evd, DAT_HANDLE_NULL);
		}
	});
}

/* "DAT_TIMEOUT_INFINITE can be used to wait indefinitely." */
TEST(DatCnoWait, ParametersTimeoutInfinite)
{
	play([](Line &) {
		Stage stage;
		CnoWait wait(stage.cno.handle(), DAT_TIMEOUT_INFINITE);

		ok(post_se(stage.one));
		ok(wait.result());
		EXPECT_EQ(wait.hint, stage.one.evd());
	});
}

/* "unblocked with the NULL handle ... when all EVDs the CNO is associated with are freed" */
TEST(DatCnoWait, DescriptionReleasedWithTheLastEvd)
{
	play([](Line &) {
		Adapter adapter;
		CountingAgent agent;
		Cno cno(adapter, agent.agent());
		auto one = std::make_unique<SoftwareQueue>(adapter);
		auto two = std::make_unique<SoftwareQueue>(adapter);

		ok(dat_evd_modify_cno(one->evd(), cno.handle()));
		ok(dat_evd_modify_cno(two->evd(), cno.handle()));
		CnoWait first(cno.handle()), second(cno.handle());
		one.reset();
		EXPECT_FALSE(first.sleeper.over());
		EXPECT_FALSE(second.sleeper.over());
		two.reset();
		ok(first.result());
		ok(second.result());
		EXPECT_EQ(first.hint, DAT_HANDLE_NULL);
		EXPECT_EQ(second.hint, DAT_HANDLE_NULL);
		agent.await(1);
		EXPECT_EQ(agent.evd(), DAT_HANDLE_NULL);
		cno.require_untriggered();
	});
}

/* ... which is not what happens when it is only given another CNO */
TEST(DatCnoWait, DescriptionNotReleasedWithoutAnEvd)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		CnoWait wait(cno.handle());
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
		EXPECT_FALSE(wait.sleeper.over());
		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(post_se(queue));
		ok(wait.result());
		EXPECT_EQ(wait.hint, queue.evd());
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "... when the IA instance is destroyed": all waiters, and the agent */
TEST(DatCnoWait, DescriptionReleasedWithTheIa)
{
	play([](Line &) {
		Adapter adapter;
		CountingAgent agent;
		DAT_CNO_HANDLE cno;

		ok(dat_cno_create(adapter.ia(), agent.agent(), &cno));
		CnoWait first(cno, DAT_TIMEOUT_INFINITE), second(cno);
		adapter.close_abruptly();
		ok(first.result());
		ok(second.result());
		EXPECT_EQ(first.hint, DAT_HANDLE_NULL);
		EXPECT_EQ(second.hint, DAT_HANDLE_NULL);
		agent.await(1);
		EXPECT_EQ(agent.evd(), DAT_HANDLE_NULL);
	});
}

void on_signal(int) {}

/* "The operation was interrupted by a signal." */
TEST(DatCnoWait, InterruptedCall)
{
	play([](Line &) {
		Stage stage;
		struct sigaction action {};

		action.sa_handler = on_signal;
		sys(sigaction(SIGUSR1, &action, nullptr));
		CnoWait wait(stage.cno.handle());
		wait.sleeper.signal(SIGUSR1);
		refused(wait.result(), DAT_INTERRUPTED_CALL, DAT_NO_SUBTYPE);
		EXPECT_EQ(wait.hint, DAT_HANDLE_NULL);
	});
}

TEST(DatCnoWait, InvalidParameter)
{
	play([](Line &) {
		Stage stage;

		refused(dat_cno_wait(stage.cno.handle(), 0, nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG3);
	});
}

TEST(DatCnoWait, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE evd;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.async_evd() })
			refused(dat_cno_wait(other, 0, &evd), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_CNO);
	});
}

} // namespace
} // namespace suite

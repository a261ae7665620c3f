// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// CNOs: triggers that stay until they are taken, agents that are called once.

#include "fake/session.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using fake::is_error;

/** Remembers the calls of an agent. */
class Calls {
public:
	DAT_OS_WAIT_PROXY_AGENT agent() { return { this, called }; }

	/** Waits until there were so many; the EVD of the last. */
	DAT_EVD_HANDLE wait_for(std::size_t count)
	{
		std::unique_lock lock(mutex_);

		came_.wait(lock, [&] { return evds_.size() >= count; });
		return evds_.back();
	}
	std::size_t count()
	{
		std::lock_guard lock(mutex_);

		return evds_.size();
	}

private:
	static void called(DAT_PVOID instance, DAT_EVD_HANDLE evd)
	{
		auto *self = static_cast<Calls *>(instance);
		std::lock_guard lock(self->mutex_);

		self->evds_.push_back(evd);
		self->came_.notify_all();
	}

	std::mutex mutex_;
	std::condition_variable came_;
	std::vector<DAT_EVD_HANDLE> evds_;
};

class CnoTest : public fake::Session {
protected:
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Session::SetUp());
		ASSERT_EQ(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno), DAT_SUCCESS);
		cno_id = module.last_id();
		one = make();
		two = make();
	}
	DAT_EVD_HANDLE make()
	{
		DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;

		EXPECT_EQ(dat_evd_create(ia, 8, cno, DAT_EVD_SOFTWARE_FLAG, &evd), DAT_SUCCESS);
		return evd;
	}
	static void post_se(DAT_EVD_HANDLE evd)
	{
		DAT_EVENT event{};

		event.event_number = DAT_SOFTWARE_EVENT;
		ASSERT_EQ(dat_evd_post_se(evd, &event), DAT_SUCCESS);
	}
	DAT_RETURN wait(DAT_TIMEOUT timeout = 0) { return dat_cno_wait(cno, timeout, &hint); }
	void expect_nothing()
	{
		hint = one;
		EXPECT_TRUE(is_error(wait(), DAT_QUEUE_EMPTY));
		EXPECT_EQ(hint, DAT_HANDLE_NULL);
	}

	DAT_CNO_HANDLE cno = DAT_HANDLE_NULL;
	std::uint32_t cno_id = 0;
	DAT_EVD_HANDLE one = DAT_HANDLE_NULL, two = DAT_HANDLE_NULL, hint = DAT_HANDLE_NULL;
};

TEST_F(CnoTest, ATriggerStaysUntilItIsTaken)
{
	expect_nothing();
	post_se(two);
	post_se(one);
	ASSERT_EQ(wait(), DAT_SUCCESS);
	EXPECT_EQ(hint, two);
	expect_nothing();
	/* Events that nobody took trigger nothing again. */
	post_se(one);
	ASSERT_EQ(wait(DAT_TIMEOUT_INFINITE), DAT_SUCCESS);
	EXPECT_EQ(hint, one);
}

TEST_F(CnoTest, WakesASleeper)
{
	std::jthread poster([&] {
		module.wait_for_cno_waiters(cno_id, 1);
		post_se(one);
	});
	ASSERT_EQ(wait(DAT_TIMEOUT_INFINITE), DAT_SUCCESS);
	EXPECT_EQ(hint, one);
}

TEST_F(CnoTest, DisabledEvdsDoNotTrigger)
{
	ASSERT_EQ(dat_evd_disable(one), DAT_SUCCESS);
	post_se(one);
	expect_nothing();
	ASSERT_EQ(dat_evd_enable(one), DAT_SUCCESS);
	expect_nothing();
	post_se(one);
	EXPECT_EQ(wait(), DAT_SUCCESS);
}

TEST_F(CnoTest, ModifyCno)
{
	DAT_CNO_HANDLE other;
	DAT_EVD_PARAM param{};

	ASSERT_EQ(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &other), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_modify_cno(one, other), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_query(one, DAT_EVD_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.cno_handle, other);
	post_se(one);
	expect_nothing();
	ASSERT_EQ(dat_cno_wait(other, 0, &hint), DAT_SUCCESS);
	EXPECT_EQ(hint, one);
	ASSERT_EQ(dat_evd_modify_cno(one, DAT_HANDLE_NULL), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_query(one, DAT_EVD_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.cno_handle, DAT_HANDLE_NULL);
	post_se(one);
	EXPECT_TRUE(is_error(dat_cno_wait(other, 0, &hint), DAT_QUEUE_EMPTY));
	EXPECT_EQ(dat_cno_free(other), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_evd_modify_cno(one, other), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_CNO));
	EXPECT_TRUE(
		is_error(dat_evd_modify_cno(cno, cno), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1));
}

TEST_F(CnoTest, InUseIsRefused)
{
	EXPECT_TRUE(is_error(dat_cno_free(cno), DAT_INVALID_STATE, DAT_INVALID_STATE_CNO_IN_USE));
	ASSERT_EQ(dat_evd_free(one), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_free(two), DAT_SUCCESS);
	EXPECT_EQ(dat_cno_free(cno), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_cno_free(cno), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO));
	EXPECT_TRUE(is_error(wait(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO));
}

TEST_F(CnoTest, TheLastEvdsEndReleasesWithoutAnEvd)
{
	std::jthread other([&] {
		module.wait_for_cno_waiters(cno_id, 1);
		EXPECT_EQ(dat_evd_free(one), DAT_SUCCESS);
		EXPECT_EQ(dat_evd_free(two), DAT_SUCCESS);
	});
	hint = one;
	ASSERT_EQ(wait(DAT_TIMEOUT_INFINITE), DAT_SUCCESS);
	EXPECT_EQ(hint, DAT_HANDLE_NULL);
}

TEST_F(CnoTest, ClosingTheAdapterReleases)
{
	std::jthread other([&] {
		module.wait_for_cno_waiters(cno_id, 1);
		EXPECT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	});
	hint = one;
	ASSERT_EQ(wait(DAT_TIMEOUT_INFINITE), DAT_SUCCESS);
	EXPECT_EQ(hint, DAT_HANDLE_NULL);
	other.join();
	ia = DAT_HANDLE_NULL;
}

TEST_F(CnoTest, AnAgentIsCalledOnce)
{
	Calls calls;
	DAT_CNO_PARAM param{};

	ASSERT_EQ(dat_cno_modify_agent(cno, calls.agent()), DAT_SUCCESS);
	ASSERT_EQ(dat_cno_query(cno, DAT_CNO_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.ia_handle, ia);
	EXPECT_EQ(fake::agent_of(param).instance_data, &calls);
	post_se(two);
	EXPECT_EQ(calls.wait_for(1), two);
	/* The trigger is a waiter's all the same. */
	ASSERT_EQ(wait(), DAT_SUCCESS);
	EXPECT_EQ(hint, two);
	ASSERT_EQ(dat_cno_query(cno, fake::cno_agent_field, &param), DAT_SUCCESS);
	EXPECT_EQ(fake::agent_of(param).proxy_agent_func, nullptr);
	post_se(one);
	ASSERT_EQ(wait(), DAT_SUCCESS);
	EXPECT_EQ(calls.count(), 1u);

	ASSERT_EQ(dat_cno_modify_agent(cno, calls.agent()), DAT_SUCCESS);
	post_se(one);
	EXPECT_EQ(calls.wait_for(2), one);
}

TEST_F(CnoTest, AnAgentThatIsRemovedIsNotCalled)
{
	Calls calls;

	ASSERT_EQ(dat_cno_modify_agent(cno, calls.agent()), DAT_SUCCESS);
	ASSERT_EQ(dat_cno_modify_agent(cno, DAT_OS_WAIT_PROXY_AGENT_NULL), DAT_SUCCESS);
	post_se(one);
	ASSERT_EQ(dat_evd_free(one), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_free(two), DAT_SUCCESS);
	ASSERT_EQ(dat_cno_free(cno), DAT_SUCCESS);
	EXPECT_EQ(calls.count(), 0u);
}

TEST_F(CnoTest, ATriggerOfTheLastAgentIsNotToldToTheNext)
{
	Calls last, next;

	ASSERT_EQ(dat_cno_modify_agent(cno, last.agent()), DAT_SUCCESS);
	ASSERT_EQ(dat_cno_modify_agent(cno, next.agent()), DAT_SUCCESS);
	module.tell_of_last_agent(cno_id);
	post_se(two);
	EXPECT_EQ(next.wait_for(1), two);
	EXPECT_EQ(next.count(), 1u);
	EXPECT_EQ(last.count(), 0u);
}

TEST_F(CnoTest, ClosingTheAdapterCallsTheAgentWithoutAnEvd)
{
	Calls calls;

	ASSERT_EQ(dat_cno_modify_agent(cno, calls.agent()), DAT_SUCCESS);
	ASSERT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	ia = DAT_HANDLE_NULL;
	ASSERT_EQ(calls.count(), 1u);
	EXPECT_EQ(calls.wait_for(1), DAT_HANDLE_NULL);
}

TEST_F(CnoTest, AnAgentMayFreeItsCno)
{
	struct Args {
		DAT_CNO_HANDLE cno;
		std::atomic<DAT_RETURN> result = ~0u;
	} args{ cno };
	const DAT_OS_WAIT_PROXY_AGENT agent = { &args, [](DAT_PVOID instance, DAT_EVD_HANDLE evd) {
						       auto *a = static_cast<Args *>(instance);
						       EXPECT_EQ(evd, DAT_HANDLE_NULL);
						       a->result = dat_cno_free(a->cno);
					       } };

	ASSERT_EQ(dat_cno_modify_agent(cno, agent), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_free(one), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_free(two), DAT_SUCCESS);
	while (args.result == ~0u)
		std::this_thread::yield();
	EXPECT_EQ(args.result, DAT_SUCCESS);
}

TEST_F(CnoTest, ChecksItsArguments)
{
	DAT_CNO_HANDLE made;
	DAT_CNO_PARAM param;

	EXPECT_TRUE(is_error(dat_cno_create(pz, DAT_OS_WAIT_PROXY_AGENT_NULL, &made),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(is_error(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(
		is_error(dat_cno_wait(pz, 0, &hint), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO));
	EXPECT_TRUE(
		is_error(dat_cno_wait(cno, 0, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_cno_query(cno, static_cast<DAT_CNO_PARAM_MASK>(8), &param),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_cno_query(cno, DAT_CNO_FIELD_ALL, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_cno_modify_agent(ep, DAT_OS_WAIT_PROXY_AGENT_NULL),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO));
	EXPECT_TRUE(is_error(dat_evd_create(ia, 8, pz, DAT_EVD_SOFTWARE_FLAG, &hint),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO));
	DAT_HANDLE_TYPE type;
	ASSERT_EQ(dat_get_handle_type(cno, &type), DAT_SUCCESS);
	EXPECT_EQ(type, DAT_HANDLE_TYPE_CNO);
}

} // namespace

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_cno_modify_agent(3DAT)

#include "cno.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/** A CNO with one EVD. */
struct Stage {
	Stage() : queue(adapter), cno(adapter)
	{
		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
	}
	Stage(const Stage &) = delete;
	Stage &operator=(const Stage &) = delete;
	~Stage() { dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL); }

	void trigger()
	{
		ok(post_se(queue));
		EXPECT_EQ(cno.wait(), queue.evd());
		queue.expect(DAT_SOFTWARE_EVENT);
	}

	Adapter adapter;
	SoftwareQueue queue;
	Cno cno;
};

/* "any trigger received by the CNO is also passed to the OS Wait Proxy Agent" */
TEST(DatCnoModifyAgent, DescriptionTriggerIsPassedToTheAgent)
{
	play([](Line &) {
		CountingAgent agent;
		Stage stage;

		ok(dat_cno_modify_agent(stage.cno.handle(), agent.agent()));
		ok(post_se(stage.queue));
		agent.await(1);
		EXPECT_EQ(agent.evd(), stage.queue.evd());
	});
}

/* "in addition to any local delivery through the CNO" */
TEST(DatCnoModifyAgent, DescriptionWaitersGetItToo)
{
	play([](Line &) {
		CountingAgent agent;
		Stage stage;

		ok(dat_cno_modify_agent(stage.cno.handle(), agent.agent()));
		CnoWait wait(stage.cno.handle());
		ok(post_se(stage.queue));
		ok(wait.result());
		EXPECT_EQ(wait.hint, stage.queue.evd());
		agent.await(1);
	});
}

/* "any trigger": one, as dat_cno_create() has it; each setting is good for another */
TEST(DatCnoModifyAgent, DescriptionOnceForEachSetting)
{
	play([](Line &) {
		CountingAgent agent;
		Stage stage;

		for (unsigned i = 1; i <= 3; i++) {
			ok(dat_cno_modify_agent(stage.cno.handle(), agent.agent()));
			stage.trigger();
			agent.await(i);
			stage.trigger();
			stage.trigger();
		}
		EXPECT_EQ(agent.calls(), 3U);
	});
}

/* "modifies the OS Wait Proxy Agent": the new one stands for the old one */
TEST(DatCnoModifyAgent, DescriptionReplacesTheAgent)
{
	play([](Line &) {
		CountingAgent old, agent;
		Stage stage;
		DAT_CNO_PARAM param;

		ok(dat_cno_modify_agent(stage.cno.handle(), old.agent()));
		ok(dat_cno_modify_agent(stage.cno.handle(), agent.agent()));
		ok(dat_cno_query(stage.cno.handle(), DAT_CNO_FIELD_AGENT, &param));
		EXPECT_EQ(param.agent.instance_data, &agent);
		stage.trigger();
		agent.await(1);
		EXPECT_EQ(old.calls(), 0U);
	});
}

/* "DAT_OS_WAIT_PROXY_AGENT_NULL to disassociate the current Proxy agent" */
TEST(DatCnoModifyAgent, DescriptionNullDisassociates)
{
	play([](Line &) {
		CountingAgent old, agent;
		Stage stage;

		ok(dat_cno_modify_agent(stage.cno.handle(), old.agent()));
		ok(dat_cno_modify_agent(stage.cno.handle(), DAT_OS_WAIT_PROXY_AGENT_NULL));
		stage.trigger();
		ok(dat_cno_modify_agent(stage.cno.handle(), agent.agent()));
		stage.trigger();
		agent.await(1);
		EXPECT_EQ(old.calls(), 0U);
	});
}

/* An agent may set itself again. */
TEST(DatCnoModifyAgent, DescriptionFromWithinTheAgent)
{
	struct Again {
		static void called(DAT_PVOID instance, DAT_EVD_HANDLE)
		{
			auto *self = static_cast<Again *>(instance);

			ok(dat_cno_modify_agent(self->cno, { self, called }));
			self->calls++;
		}
		DAT_CNO_HANDLE cno;
		std::atomic<unsigned> calls = 0;
	};

	play([](Line &) {
		Again again;
		Stage stage;
		const auto deadline = std::chrono::steady_clock::now() + patience();

		again.cno = stage.cno.handle();
		ok(dat_cno_modify_agent(stage.cno.handle(), { &again, Again::called }));
		for (unsigned i = 1; i <= 3; i++) {
			stage.trigger();
			while (again.calls < i) {
				require(std::chrono::steady_clock::now() < deadline,
					"the agent is not called");
				std::this_thread::yield();
			}
		}
	});
}

TEST(DatCnoModifyAgent, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.async_evd() })
			refused(dat_cno_modify_agent(other, DAT_OS_WAIT_PROXY_AGENT_NULL),
				DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO);
	});
}

} // namespace
} // namespace suite

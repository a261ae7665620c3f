// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_cno_create(3DAT)

#include "cno.hpp"
#include "no_memory.hpp"
#include "no_resources.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "no Event Dispatchers feeding it", "has no waiters": it can be freed */
TEST(DatCnoCreate, DescriptionWithoutEvdsAndWaiters)
{
	play([](Line &) {
		Adapter adapter;
		DAT_CNO_HANDLE cno;

		ok(dat_cno_create(adapter.ia(), DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
		ok(dat_cno_free(cno));
	});
}

/* "invoked when the CNO is triggered" */
TEST(DatCnoCreate, DescriptionAgentIsInvoked)
{
	play([](Line &) {
		Adapter adapter;
		CountingAgent agent;
		SoftwareQueue queue(adapter);
		Cno cno(adapter, agent.agent());

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		EXPECT_EQ(agent.calls(), 0U);
		ok(post_se(queue));
		agent.await(1);
		EXPECT_EQ(agent.evd(), queue.evd());
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "After it is invoked, it is no longer associated with the CNO." */
TEST(DatCnoCreate, DescriptionAgentIsInvokedOnce)
{
	play([](Line &) {
		Adapter adapter;
		CountingAgent first, second;
		SoftwareQueue queue(adapter);
		Cno cno(adapter, first.agent());

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(post_se(queue));
		first.await(1);
		EXPECT_EQ(cno.wait(), queue.evd());
		ok(post_se(queue));
		EXPECT_EQ(cno.wait(), queue.evd());
		/* Agents are called in order: the first would have been before the second. */
		ok(dat_cno_modify_agent(cno.handle(), second.agent()));
		ok(post_se(queue));
		second.await(1);
		EXPECT_EQ(first.calls(), 1U);
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "DAT_OS_WAIT_PROXY_AGENT_NULL ... no OS Wait Proxy Agent", whatever its data */
TEST(DatCnoCreate, DescriptionNullAgentIsNone)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		int data = 0;

		for (DAT_OS_WAIT_PROXY_AGENT agent :
		     { DAT_OS_WAIT_PROXY_AGENT_NULL, DAT_OS_WAIT_PROXY_AGENT{ &data, nullptr } }) {
			Cno cno(adapter, agent);
			DAT_CNO_PARAM param;

			ok(dat_cno_query(cno.handle(), DAT_CNO_FIELD_ALL, &param));
			EXPECT_EQ(param.agent.proxy_agent_func, nullptr);
			ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
			ok(post_se(queue));
			EXPECT_EQ(cno.wait(), queue.evd());
			ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
		}
	});
}

/* "failed due to resource limitations": no thread for the agent, and no CNO left */
TEST(DatCnoCreate, InsufficientResources)
{
	play([](Line &) {
		Adapter adapter;
		CountingAgent agent;
		DAT_CNO_HANDLE cno;
		{
			NoMemory limit;
			refused(dat_cno_create(adapter.ia(), agent.agent(), &cno),
				DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
		}
		ok(dat_cno_create(adapter.ia(), agent.agent(), &cno));
		ok(dat_cno_free(cno));
	});
}

TEST(DatCnoCreate, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_CNO_HANDLE cno;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.pz(), adapter.async_evd() })
			refused(dat_cno_create(other, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno),
				DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
	});
}

TEST(DatCnoCreate, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;

		refused(dat_cno_create(adapter.ia(), DAT_OS_WAIT_PROXY_AGENT_NULL, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	});
}

TEST(DatCnoCreate, InsufficientResourcesNoHeap)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	play([](Line &) {
		Adapter adapter;
		CountingAgent agent;
		DAT_CNO_HANDLE cno;

		check_without_heap([&] {
			return dat_cno_create(adapter.ia(), DAT_OS_WAIT_PROXY_AGENT_NULL, &cno);
		});
		ok(dat_cno_free(cno));
		check_without_heap(
			[&] { return dat_cno_create(adapter.ia(), agent.agent(), &cno); });
		ok(dat_cno_free(cno));
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_cno_free(3DAT)

#include "cno.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

DAT_CNO_HANDLE make_cno(const Adapter &adapter)
{
	DAT_CNO_HANDLE cno;

	ok(dat_cno_create(adapter.ia(), DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	return cno;
}

/* "CNO is in use by an EVD instance" */
TEST(DatCnoFree, InvalidStateInUseByAnEvd)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue one(adapter), two(adapter);
		const DAT_CNO_HANDLE cno = make_cno(adapter);

		ok(dat_evd_modify_cno(one.evd(), cno));
		ok(dat_evd_modify_cno(two.evd(), cno));
		refused(dat_cno_free(cno), DAT_INVALID_STATE, DAT_INVALID_STATE_CNO_IN_USE);
		ok(dat_evd_modify_cno(one.evd(), DAT_HANDLE_NULL));
		refused(dat_cno_free(cno), DAT_INVALID_STATE, DAT_INVALID_STATE_CNO_IN_USE);
		ok(dat_evd_modify_cno(two.evd(), DAT_HANDLE_NULL));
		ok(dat_cno_free(cno));
	});
}

/* "there is a thread blocked on it"; and the page's own way to end that */
TEST(DatCnoFree, UsageUnblockTheWaiter)
{
	play([](Line &) {
		Adapter adapter;
		const DAT_CNO_HANDLE cno = make_cno(adapter);
		CnoWait wait(cno);

		refused(dat_cno_free(cno), DAT_INVALID_STATE, DAT_INVALID_STATE_CNO_IN_USE);
		{
			SoftwareQueue temporary(adapter);
			ok(dat_evd_modify_cno(temporary.evd(), cno));
			ok(post_se(temporary));
			ok(wait.result());
			EXPECT_EQ(wait.hint, temporary.evd());
		}
		ok(dat_cno_free(cno));
	});
}

/* An agent that waits to be called is no thread of the program's. */
TEST(DatCnoFree, DescriptionAgentDoesNotKeepIt)
{
	play([](Line &) {
		Adapter adapter;
		CountingAgent agent;
		DAT_CNO_HANDLE cno;

		ok(dat_cno_create(adapter.ia(), agent.agent(), &cno));
		ok(dat_cno_free(cno));
		EXPECT_EQ(agent.calls(), 0U);
	});
}

TEST(DatCnoFree, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		const DAT_CNO_HANDLE cno = make_cno(adapter);
		DAT_EVD_HANDLE hint;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.async_evd() })
			refused(dat_cno_free(other), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO);
		ok(dat_cno_free(cno));
		refused(dat_cno_free(cno), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO);
		refused(dat_cno_wait(cno, 0, &hint), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO);
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_disable(3DAT)

#include "cno.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "the arrival of an event does not affect the associated CNO" */
TEST(DatEvdDisable, DescriptionEventsDoNotAffectTheCno)
{
	play([](Line &) {
		Adapter adapter;
		CountingAgent agent;
		SoftwareQueue queue(adapter), another(adapter);
		Cno cno(adapter, agent.agent());

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(dat_evd_modify_cno(another.evd(), cno.handle()));
		ok(dat_evd_disable(queue.evd()));
		ok(post_se(queue, 1));
		cno.require_untriggered();
		ok(post_se(another));
		agent.await(1);
		EXPECT_EQ(agent.evd(), another.evd());
		EXPECT_EQ(cno.wait(), another.evd());
		/* The event came all the same. */
		expect_se(queue, 1);
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
		ok(dat_evd_modify_cno(another.evd(), DAT_HANDLE_NULL));
	});
}

/* dat_evd_enable(): "no effect on direct waiters on the EVD" */
TEST(DatEvdDisable, DescriptionDirectWaitersAreServed)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		EvdWait waiting(queue.evd(), 2);

		ok(dat_evd_disable(queue.evd()));
		ok(post_se(queue, 1));
		ok(post_se(queue, 2));
		ok(waiting.result());
		require_se(waiting.event, 1);
		EXPECT_EQ(waiting.more, 1);
	});
}

/* "If the Event Dispatcher is already disabled, this operation is no-op." */
TEST(DatEvdDisable, DescriptionDisabledAlready)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		for (int i = 0; i < 2; i++)
			ok(dat_evd_disable(queue.evd()));
		ok(dat_evd_enable(queue.evd()));
		ok(post_se(queue));
		EXPECT_EQ(cno.wait(), queue.evd());
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* Also with the CNO that the EVD gets later. */
TEST(DatEvdDisable, DescriptionBeforeThereIsACno)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_disable(queue.evd()));
		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(post_se(queue));
		cno.require_untriggered();
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

TEST(DatEvdDisable, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_evd_disable(other), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	});
}

} // namespace
} // namespace suite

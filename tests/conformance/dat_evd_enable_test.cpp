// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_enable(3DAT)

#include "cno.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "the arrival of an event can trigger the associated CNO" */
TEST(DatEvdEnable, DescriptionEventsTriggerTheCno)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(dat_evd_disable(queue.evd()));
		ok(post_se(queue));
		cno.require_untriggered();
		ok(dat_evd_enable(queue.evd()));
		/* It is arrival that triggers: what lies there already does not. */
		cno.require_untriggered();
		ok(post_se(queue));
		EXPECT_EQ(cno.wait(), queue.evd());
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* Also with the CNO that the EVD gets later. */
TEST(DatEvdEnable, DescriptionBeforeThereIsACno)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_disable(queue.evd()));
		ok(dat_evd_enable(queue.evd()));
		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(post_se(queue));
		EXPECT_EQ(cno.wait(), queue.evd());
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "direct waiters effectively take ownership of the EVD ... even if is enabled" */
TEST(DatEvdEnable, DescriptionDirectWaitersComeFirst)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		EvdWait waiting(queue.evd());
		ok(dat_evd_enable(queue.evd()));
		ok(post_se(queue, 1));
		ok(waiting.result());
		require_se(waiting.event, 1);
		cno.require_untriggered();
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "If the Event Dispatcher is already enabled, this operation is no-op." */
TEST(DatEvdEnable, DescriptionEnabledAlready)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		for (int i = 0; i < 2; i++)
			ok(dat_evd_enable(queue.evd()));
		ok(dat_evd_disable(queue.evd()));
		ok(post_se(queue));
		cno.require_untriggered();
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

TEST(DatEvdEnable, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_evd_enable(other), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_modify_cno(3DAT)

#include "cno.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

DAT_CNO_HANDLE cno_of(const EventQueue &queue)
{
	DAT_EVD_PARAM param;

	ok(dat_evd_query(queue.evd(), DAT_EVD_FIELD_CNO, &param));
	return param.cno_handle;
}

/* "Upon completion ... the passed IN new CNO is used for notification." */
TEST(DatEvdModifyCno, DescriptionNewCnoIsNotified)
{
	play([](Line &) {
		Adapter adapter;
		Cno old(adapter), cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_modify_cno(queue.evd(), old.handle()));
		EXPECT_EQ(cno_of(queue), old.handle());
		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		EXPECT_EQ(cno_of(queue), cno.handle());
		ok(post_se(queue));
		EXPECT_EQ(cno.wait(), queue.evd());
		old.require_untriggered();
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "DAT_HANDLE_NULL ... to associate not CNO with the Event Dispatcher" */
TEST(DatEvdModifyCno, DescriptionNullIsNone)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
		EXPECT_EQ(cno_of(queue), DAT_HANDLE_NULL);
		ok(post_se(queue));
		cno.require_untriggered();
	});
}

/* "collect a notification event on the EVD's old CNO": one that came before */
TEST(DatEvdModifyCno, DescriptionOldCnoKeepsItsTrigger)
{
	play([](Line &) {
		Adapter adapter;
		Cno old(adapter), cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_modify_cno(queue.evd(), old.handle()));
		ok(post_se(queue, 1));
		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		EXPECT_EQ(old.wait(), queue.evd());
		expect_se(queue, 1);
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "disable EVD before ... and enable it afterwards ... to the new CNO only" */
TEST(DatEvdModifyCno, DescriptionDisabledMeanwhile)
{
	play([](Line &) {
		Adapter adapter;
		Cno old(adapter), cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_modify_cno(queue.evd(), old.handle()));
		ok(dat_evd_disable(queue.evd()));
		ok(post_se(queue));
		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(post_se(queue));
		cno.require_untriggered();
		ok(dat_evd_enable(queue.evd()));
		ok(post_se(queue));
		EXPECT_EQ(cno.wait(), queue.evd());
		old.require_untriggered();
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "the events ... are present on the EVD upon return" */
TEST(DatEvdModifyCno, DescriptionEventsStay)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		SoftwareQueue queue(adapter);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		CnoWait wait(cno.handle());
		ok(post_se(queue, 1));
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
		ok(wait.result());
		EXPECT_EQ(wait.hint, queue.evd());
		expect_se(queue, 1);
	});
}

/* Of the EVD of asynchronous events, too: dat_ia_open() says so. */
TEST(DatEvdModifyCno, DescriptionOfTheAsyncEvd)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);

		ok(dat_evd_modify_cno(adapter.async_evd(), cno.handle()));
		ok(dat_evd_modify_cno(adapter.async_evd(), DAT_HANDLE_NULL));
	});
}

/* "Invalid DAT handle.": of the EVD, of the CNO; CNOs serve one IA */
TEST(DatEvdModifyCno, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter, another;
		Cno foreign(another), cno(adapter);
		SoftwareQueue queue(adapter);

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_evd_modify_cno(other, cno.handle()), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE1);
		for (DAT_HANDLE other : { adapter.pz(), queue.evd(), foreign.handle() })
			refused(dat_evd_modify_cno(queue.evd(), other), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_CNO);
		EXPECT_EQ(cno_of(queue), DAT_HANDLE_NULL);
	});
}

} // namespace
} // namespace suite

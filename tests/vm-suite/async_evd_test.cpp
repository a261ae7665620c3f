// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An EVD for the asynchronous events of several IAs. */

#include "play.hpp"
#include "raw_device.hpp"
#include "shared_queue.hpp"
#include "sleeper.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace suite {
namespace {

/** An IA, and another that it lends its EVD. */
struct Lending {
	Adapter owner, borrower{ adapter_name(), owner.async_evd() };
};

/** The SRQ is empty, so the event comes at once. */
void expect_low(const Adapter &adapter, const SharedQueue &queue,
		Location where = Location::current())
{
	ok(dat_srq_set_lw(queue.srq(), 1), where);
	const DAT_ASYNCH_ERROR_EVENT_DATA data = expect_async(adapter, where);
	require(data.dat_handle == queue.srq() && data.reason == DAT_SRQ_LOW_WATERMARK_EVENT,
		"another event", where);
}

TEST(LentAsyncEvd, GetsTheEventsOfBoth)
{
	play([](Line &) {
		Lending both;
		SharedQueue here(both.owner, 4), there(both.borrower, 4);

		EXPECT_EQ(both.borrower.async_evd(), both.owner.async_evd());
		expect_low(both.owner, there);
		expect_low(both.owner, here);
		expect_low(both.owner, there);
		require_no_async(both.owner);
	});
}

TEST(LentAsyncEvd, GetsTheMarksOfEndpoints)
{
	play([](Line &) {
		Lending both;
		Endpoint endpoint(both.borrower);

		ok(endpoint.recv(Segments(), 1));
		ok(dat_ep_set_watermark(endpoint.ep(), 1, DAT_WATERMARK_INFINITE));
		require_no_async(both.owner);
		ok(endpoint.recv(Segments(), 2));
		EXPECT_EQ(expect_async(both.owner).dat_handle, endpoint.ep());
		/* Once more, with the EVD that it has already. */
		ok(dat_ep_set_watermark(endpoint.ep(), 1, DAT_WATERMARK_INFINITE));
		EXPECT_EQ(expect_async(both.owner).dat_handle, endpoint.ep());
	});
}

/* Who waits is woken by the other IA's events, too. */
TEST(LentAsyncEvd, WakesWhoWaits)
{
	play([](Line &) {
		Lending both;
		SharedQueue queue(both.borrower, 4);
		EvdWait wait(both.owner.async_evd());

		ok(dat_srq_set_lw(queue.srq(), 1));
		ok(wait.result());
		EXPECT_EQ(wait.event.event_data.asynch_error_event_data.dat_handle, queue.srq());
	});
}

/* The borrower goes on; nobody hears of him any more. */
TEST(LentAsyncEvd, TheOwnerIsClosedFirst)
{
	play([](Line &) {
		auto owner = std::make_unique<Adapter>();
		Adapter borrower(adapter_name(), owner->async_evd());
		SharedQueue before(borrower, 4);

		EvdWait wait(owner->async_evd());
		owner->close_abruptly();
		EXPECT_EQ(DAT_GET_TYPE(wait.result()), DAT_ABORT);
		owner.reset();
		SharedQueue after(borrower, 4);
		for (int i = 0; i < 3; i++) {
			ok(dat_srq_set_lw(before.srq(), 1));
			ok(dat_srq_set_lw(after.srq(), 1));
		}
	});
}

/* What the EVD has no room for waits behind it, also when its object is gone. */
TEST(LentAsyncEvd, TheBorrowerIsClosedFirst)
{
	play([](Line &) {
		Adapter owner;
		DAT_EVD_PARAM param;
		DAT_EVENT event;

		ok(dat_evd_query(owner.async_evd(), DAT_EVD_FIELD_EVD_QLEN, &param));
		{
			Adapter borrower(adapter_name(), owner.async_evd());
			SharedQueue queue(borrower, 4);

			for (DAT_COUNT i = 0; i < param.evd_qlen + 3; i++)
				ok(dat_srq_set_lw(queue.srq(), 1));
		}
		for (DAT_COUNT i = 0; i < param.evd_qlen + 3; i++)
			ok(dat_evd_dequeue(owner.async_evd(), &event));
		require_no_async(owner);
	});
}

/* An owner's EVD may trigger his CNO for what the borrower has to tell. */
TEST(LentAsyncEvd, TriggersTheOwnersCno)
{
	play([](Line &) {
		Lending both;
		SharedQueue queue(both.borrower, 4);
		DAT_EVD_HANDLE hint;
		DAT_CNO_HANDLE cno;

		ok(dat_cno_create(both.owner.ia(), DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
		ok(dat_evd_modify_cno(both.owner.async_evd(), cno));
		ok(dat_srq_set_lw(queue.srq(), 1));
		ok(dat_cno_wait(cno, long_time, &hint));
		EXPECT_EQ(hint, both.owner.async_evd());
		expect_async(both.owner);
		ok(dat_evd_modify_cno(both.owner.async_evd(), DAT_HANDLE_NULL));
		ok(dat_cno_free(cno));
	});
}

TEST(LentAsyncEvd, NotAnyEvd)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 16);
		DAT_EVD_HANDLE evd = queue.evd();
		std::string name = adapter_name();
		DAT_IA_HANDLE ia;

		EXPECT_EQ(dat_ia_open(name.data(), 8, &evd, &ia),
			  DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_ASYNC));
		EXPECT_EQ(evd, queue.evd());
	});
}

/* Somebody else has the EVD, and this program need not know who. */
TEST(LentAsyncEvd, Elsewhere)
{
	play([](Line &) {
		std::string name = adapter_name();
		DAT_EVENT event;

		Adapter adapter(name, DAT_EVD_ASYNC_EXISTS);
		SharedQueue queue(adapter, 4);

		EXPECT_EQ(adapter.async_evd(), DAT_EVD_OUT_OF_SCOPE);
		fails(DAT_INVALID_HANDLE, dat_evd_dequeue(adapter.async_evd(), &event));
		/* Nothing fills up. */
		for (int i = 0; i < 100; i++)
			ok(dat_srq_set_lw(queue.srq(), 1));
	});
}

/* ---- without the library ------------------------------------------------- */

constexpr std::uint32_t async_stream = 0x100;

struct RawOpen {
	explicit RawOpen(const RawIa &like) : open(like.opened()) { open.flags = 0; }
	int operator()(std::int32_t owner, std::uint32_t evd)
	{
		open.async_file = owner;
		open.async_evd = evd;
		return file.call(KDAPL_IA_OPEN, open);
	}
	RawFile file;
	kdapl_ia_open open;
};

TEST(LentAsyncEvd, FilesThatCannotLend)
{
	play([](Line &) {
		RawIa ia;
		const std::uint32_t evd = ia.evd(8, async_stream), other = ia.evd(8, 0x20);
		RawFile empty;
		const int null = ::open("/dev/null", O_RDWR);
		RawOpen open(ia);

		EXPECT_EQ(open(-1, evd), EBADF);
		EXPECT_EQ(open(1000, evd), EBADF);
		EXPECT_EQ(open(null, evd), EBADF);
		EXPECT_EQ(open(empty.fd(), evd), EBADF);
		EXPECT_EQ(open(open.file.fd(), evd), EBADF);
		EXPECT_EQ(open(ia.file().fd(), 0), EINVAL);
		EXPECT_EQ(open(ia.file().fd(), other), EINVAL);
		EXPECT_EQ(open(ia.file().fd(), ia.pz()), ENOENT);
		EXPECT_EQ(open(ia.file().fd(), 0x7fffffff), ENOENT);
		EXPECT_EQ(open(ia.file().fd(), evd), 0);
		EXPECT_EQ(open(ia.file().fd(), evd), EBADFD);
		close(null);
	});
}

/* A child has the file, but not the memory of who opened it. */
TEST(LentAsyncEvd, NotAnotherProcessesFile)
{
	play([](Line &) {
		RawIa ia;
		const std::uint32_t evd = ia.evd(8, async_stream);
		const pid_t child = fork();

		if (child == 0) {
			RawOpen open(ia);
			_exit(open(ia.file().fd(), evd) == EACCES ? 0 : 1);
		}
		int status = -1;
		EXPECT_EQ(waitpid(child, &status, 0), child);
		EXPECT_EQ(status, 0);
	});
}

/* The file is closed, its IA with it; what is left of the EVD takes no events. */
TEST(LentAsyncEvd, TheFileIsClosed)
{
	play([](Line &) {
		auto ia = std::make_unique<RawIa>();
		const std::uint32_t evd = ia->evd(8, async_stream);
		RawOpen open(*ia);
		kdapl_pz_create pz{};
		kdapl_srq_create srq{};

		EXPECT_EQ(open(ia->file().fd(), evd), 0);
		ia.reset();
		EXPECT_EQ(open.file.call(KDAPL_PZ_CREATE, pz), 0);
		srq.pz = pz.id;
		srq.max_recvs = 4;
		EXPECT_EQ(open.file.call(KDAPL_SRQ_CREATE, srq), 0);
		for (int i = 0; i < 3; i++) {
			kdapl_srq_set_low low{};
			low.srq = srq.id;
			low.low = 1;
			EXPECT_EQ(open.file.call(KDAPL_SRQ_SET_LOW, low), 0);
		}
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * LMRs over other LMRs, and over memory that programs share and know by a
 * cookie.
 */

#include "module_state.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "raw_device.hpp"
#include "shared_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <memory>
#include <string_view>
#include <sys/shm.h>
#include <thread>
#include <unistd.h>

namespace suite {
namespace {

constexpr std::size_t size = shared_size;

/* ---- over another LMR ---- */

TEST(LmrOverLmr, DataHasTheOthersMemoryAndItsOwnZone)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE zone;
		ok(dat_pz_create(adapter.ia(), &zone));
		{
			Region first(adapter, size), target(adapter, size, all_privileges, zone);
			Pair pair(adapter, { .pz = zone });
			Lmr second(adapter, DAT_MEM_TYPE_LMR, over(first.lmr()), 1,
				   DAT_MEM_PRIV_LOCAL_READ_FLAG, zone);
			ok(second.result);
			EXPECT_EQ(second.registered, size);
			EXPECT_EQ(second.address, reinterpret_cast<DAT_VADDR>(first.data()));
			EXPECT_EQ(second.rmr_context, 0U);
			EXPECT_EQ(dat_pz_free(zone),
				  DAT_ERROR(DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE));

			fails(DAT_PROTECTION_VIOLATION, pair.active.send(first.local(0, 8), 1));
			fails(DAT_PRIVILEGES_VIOLATION, pair.active.recv(second.local(0, 8), 1));
			for (unsigned seed : { 5, 6 }) {
				fill(first.bytes(0, size), seed);
				ok(pair.active.write(second.local(0, size), target.remote(0, size),
						     seed));
				pair.active.expect_request(seed, size);
				pair.settle();
				require_pattern(target.bytes(0, size), seed);
				/* The other way round it needs the first no more. */
				if (seed == 5)
					first.free();
			}
		}
		ok(dat_pz_free(zone));
	});
}

/* The first may be read only, the second is to be written. */
TEST(LmrOverLmr, DataWithMorePrivileges)
{
	play([](Line &) {
		Adapter adapter;
		Region first(adapter, size, DAT_MEM_PRIV_LOCAL_READ_FLAG), source(adapter, size);
		Lmr second(adapter, DAT_MEM_TYPE_LMR, over(first.lmr()), 0);
		Lmr third(adapter, DAT_MEM_TYPE_LMR, over(second.lmr), 0,
			  DAT_MEM_PRIV_LOCAL_READ_FLAG);
		Pair pair(adapter);
		ok(second.result);
		ok(third.result);
		EXPECT_NE(second.rmr_context, 0U);

		fill(source.bytes(0, size), 7);
		ok(pair.active.write(source.local(0, size), second.remote(0, size), 1));
		pair.active.expect_request(1, size);
		pair.settle();
		require_pattern(first.bytes(0, size), 7);
		ok(pair.active.write(third.local(0, size), second.remote(0, size), 2));
		pair.active.expect_request(2, size);
	});
}

TEST(LmrOverLmr, NothingIsPinnedInTheEnd)
{
	play([](Line &) {
		Adapter adapter;
		Region first(adapter, size);
		Lmr second(adapter, DAT_MEM_TYPE_LMR, over(first.lmr()), 0);

		ok(second.result);
		EXPECT_GT(module_query().pinned, 0U);
		first.free();
		EXPECT_GT(module_query().pinned, 0U);
		second.free();
		EXPECT_EQ(module_query().pinned, 0U);
	});
}

TEST(LmrOverLmr, MemoryIsNotMappedAnyMore)
{
	play([](Line &) {
		Adapter adapter;
		auto pages = std::make_unique<Pages>(size);
		DAT_LMR_HANDLE first;
		ok(register_pages(adapter, *pages, &first));
		pages.reset();
		{
			Lmr second(adapter, DAT_MEM_TYPE_LMR, over(first), 0);

			/* Registered by FRWR the pages are the first one's. */
			if (adapter.named_attribute("KDAPL_REGISTRATION") != "FRWR")
				fails(DAT_INVALID_STATE, second.result);
			else
				ok(second.result);
		}
		ok(dat_lmr_free(first));
	});
}

/* ---- shared memory ---- */

/** Sends the LMR's first bytes to itself by way of the second page. */
void use(const Adapter &adapter, const Lmr &lmr, const unsigned char *seen)
{
	Pair pair(adapter);

	ok(pair.active.write(lmr.local(0, 1000), lmr.remote(page, 1000), 1));
	pair.active.expect_request(1, 1000);
	pair.settle();
	EXPECT_EQ(std::string_view(reinterpret_cast<const char *>(seen), 1000),
		  std::string_view(reinterpret_cast<const char *>(seen) + page, 1000));
}

/* Two programs, different addresses, each with an LMR of its own. */
TEST(LmrShared, DataIsTheSameInTwoPrograms)
{
	const int fd = make_object();

	play(
		[fd](Line &line) {
			Adapter adapter;
			Mapping pages(fd, size);
			SharedLmr lmr(adapter, pages.data(), shared_cookie());

			ok(lmr.result);
			line.meet();
			line.await();
			require_pattern({ pages.data() + page, 1000 }, 11);
			fill({ pages.data(), 1000 }, 12);
			use(adapter, lmr, pages.data());
			line.meet();
		},
		[fd](Line &line) {
			Adapter adapter;
			Mapping elsewhere(fd), pages(fd, size), more(fd, size);

			line.meet();
			SharedLmr lmr(adapter, pages.data(), shared_cookie());
			SharedLmr again(adapter, more.data(), shared_cookie());
			ok(lmr.result);
			ok(again.result);
			fill({ pages.data(), 1000 }, 11);
			use(adapter, again, pages.data());
			line.tell();
			line.meet();
			require_pattern({ pages.data() + page, 1000 }, 12);
			SharedLmr other(adapter, elsewhere.data(), shared_cookie());
			fails(DAT_INVALID_STATE, other.result);
		});
	close(fd);
}

TEST(LmrShared, DataOfEveryKindOfSharedMemory)
{
	play([](Line &) {
		Adapter adapter;
		const int object = make_object();
		const int segment = static_cast<int>(sys(shmget(IPC_PRIVATE, size, 0600)));
		void *attached = shmat(segment, nullptr, 0);
		Mapping memory(object),
			anonymous(-1, 0, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);

		sys(shmctl(segment, IPC_RMID, nullptr));
		for (unsigned char *pages :
		     { memory.data(), anonymous.data(), static_cast<unsigned char *>(attached) }) {
			SharedLmr lmr(adapter, pages, shared_cookie());
			ok(lmr.result);
			fill({ pages, 1000 }, 3);
			use(adapter, lmr, pages);
		}
		shmdt(attached);
		close(object);
	});
}

/* All 40 bytes: the last one alone makes another cookie, and zeros end nothing. */
TEST(LmrShared, CookieIsComparedWhole)
{
	play([](Line &) {
		Adapter adapter;
		Mapping one(make_object()), two(make_object());
		Cookie zeros{}, last{};
		last.back() = 1;

		SharedLmr a(adapter, one.data(), shared_cookie('y'));
		SharedLmr b(adapter, two.data(), shared_cookie('z'));
		SharedLmr c(adapter, one.data(), zeros);
		SharedLmr d(adapter, two.data(), last);
		for (const Lmr *lmr : { &a, &b, &c, &d })
			ok(lmr->result);
		fails(DAT_INVALID_STATE, SharedLmr(adapter, two.data(), shared_cookie('y')).result);
		fails(DAT_INVALID_STATE, SharedLmr(adapter, one.data(), last).result);
	});
}

TEST(LmrShared, CookieMeansOnePieceOfMemory)
{
	play([](Line &) {
		Adapter adapter;
		const int fd = make_object();
		Mapping pages(fd), next(fd, page), other(make_object());
		SharedLmr lmr(adapter, pages.data() + 1, shared_cookie(), page);

		ok(lmr.result);
		ok(SharedLmr(adapter, pages.data() + 1, shared_cookie(), page).result);
		for (unsigned char *start : { pages.data(), next.data() + 1, other.data() + 1 })
			fails(DAT_INVALID_STATE,
			      SharedLmr(adapter, start, shared_cookie(), page).result);
		for (std::size_t length : { page - 1, page + 1 })
			fails(DAT_INVALID_STATE,
			      SharedLmr(adapter, pages.data() + 1, shared_cookie(), length).result);
	});
}

TEST(LmrShared, MemoryThatIsNotShared)
{
	play([](Line &) {
		Adapter adapter;
		const int fd = make_object();
		Pages anonymous(size);
		Mapping copy(fd, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE);
		Mapping fixed(fd, 0, PROT_READ);
		Mapping half(fd);
		sys(mprotect(half.data() + page, page, PROT_READ));

		for (unsigned char *pages :
		     { anonymous.data(), copy.data(), fixed.data(), half.data() })
			fails(DAT_INVALID_STATE, SharedLmr(adapter, pages, shared_cookie()).result);
		munmap(half.data() + page, page);
		fails(DAT_INVALID_STATE, SharedLmr(adapter, half.data(), shared_cookie()).result);
		/* What is left of it is fine, in two mappings as well. */
		sys(mprotect(half.data() + 3 * page, page, PROT_READ | PROT_WRITE | PROT_EXEC));
		ok(SharedLmr(adapter, half.data() + 2 * page, shared_cookie(), 2 * page).result);
		EXPECT_EQ(module_query().pinned, 0U);
	});
}

/* Nobody comes in by a cookie of another user's. */
TEST(LmrShared, CookieIsOneUsers)
{
	const int fd = make_object();

	play(
		[fd](Line &line) {
			Adapter adapter;
			Mapping pages(fd);
			SharedLmr lmr(adapter, pages.data(), shared_cookie());
			ok(lmr.result);
			line.meet();
			line.await();
		},
		[fd](Line &line) {
			Adapter adapter;
			Mapping pages(fd);
			line.meet();
			sys(seteuid(1000));
			fails(DAT_INVALID_STATE,
			      SharedLmr(adapter, pages.data(), shared_cookie()).result);
			ok(SharedLmr(adapter, pages.data(), shared_cookie('y')).result);
			sys(seteuid(0));
			ok(SharedLmr(adapter, pages.data(), shared_cookie()).result);
			line.tell();
		});
	close(fd);
}

/* Freed, closed abruptly, or dead: the cookie is forgotten with its last LMR. */
TEST(LmrShared, CookieIsForgotten)
{
	play([](Line &) {
		Adapter adapter;
		Mapping one(make_object()), two(make_object());
		{
			SharedLmr first(adapter, one.data(), shared_cookie());
			SharedLmr second(adapter, one.data(), shared_cookie());
			first.free();
			fails(DAT_INVALID_STATE,
			      SharedLmr(adapter, two.data(), shared_cookie()).result);
			second.free();
			ok(SharedLmr(adapter, two.data(), shared_cookie()).result);
		}
		Adapter other;
		auto *left = new SharedLmr(other, one.data(), shared_cookie());
		ok(left->result);
		fails(DAT_INVALID_STATE, SharedLmr(adapter, two.data(), shared_cookie()).result);
		other.close_abruptly();
		ok(SharedLmr(adapter, two.data(), shared_cookie()).result);
	});
}

TEST(LmrShared, CookieOfADeadProgramIsForgotten)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Mapping pages(make_object());
			const pid_t other = line.receive<pid_t>();
			fails(DAT_INVALID_STATE,
			      SharedLmr(adapter, pages.data(), shared_cookie()).result);
			kill(other, SIGKILL);
			line.await_end();
			/* Its files are closed when it is gone, a moment later. */
			while (module_query().pinned)
				std::this_thread::yield();
			for (;;) {
				SharedLmr lmr(adapter, pages.data(), shared_cookie());
				if (lmr.result == DAT_SUCCESS)
					break;
				fails(DAT_INVALID_STATE, lmr.result);
			}
		},
		[](Line &line) {
			Adapter adapter;
			Mapping pages(make_object());
			SharedLmr lmr(adapter, pages.data(), shared_cookie());
			ok(lmr.result);
			line.send(getpid());
			line.await();
		},
		Ending::killed);
}

/*
 * Another thread puts other memory in the place of the shared one all the time.
 * Where the registration succeeds it is nevertheless over what the cookie means.
 */
TEST(LmrShared, DataIsTheCookiesWhateverMovesMeanwhile)
{
	play([](Line &) {
		Adapter adapter;
		const int object = make_object(), other = make_object();
		Mapping seen(object), place(object);
		Region source(adapter, page);
		SharedLmr first(adapter, seen.data(), shared_cookie());
		Pair pair(adapter);
		std::atomic<bool> stop = false;
		ok(first.result);

		std::thread mover([&] {
			while (!stop) {
				for (int fd : { other, object })
					mmap(place.data(), size, PROT_READ | PROT_WRITE,
					     MAP_SHARED | MAP_FIXED, fd, 0);
			}
		});
		const std::uint64_t tries = scaled(1000);
		for (unsigned i = 1; i <= tries; i++) {
			SharedLmr lmr(adapter, place.data(), shared_cookie());
			if (lmr.result != DAT_SUCCESS) {
				fails(DAT_INVALID_STATE, lmr.result);
				continue;
			}
			fill(source.bytes(0, page), i);
			ok(pair.active.write(source.local(0, page), lmr.remote(0, page), i));
			pair.active.expect_request(i, page);
			pair.settle();
			require_pattern({ seen.data(), page }, i);
		}
		stop = true;
		mover.join();
	});
}

/* ---- the device's own call ---- */

TEST(LmrCall, ChecksWhatATypeHasNoUseFor)
{
	play([](Line &) {
		RawIa ia;
		Mapping pages(make_object());
		kdapl_lmr_create good{}, arg;
		const auto fails_with = [&](int error) {
			EXPECT_EQ(ia.file().call(KDAPL_LMR_CREATE, arg), error);
			arg = good;
		};

		good.pz = ia.pz();
		good.privileges = KDAPL_PRIV_ALL;
		good.addr = reinterpret_cast<std::uintptr_t>(pages.data());
		good.length = size;
		arg = good;
		arg.pad = 1;
		fails_with(EINVAL);
		arg.source = 1;
		fails_with(EINVAL);
		arg.cookie[39] = 1;
		fails_with(EINVAL);
		arg.mem_type = 4;
		fails_with(EINVAL);

		good.mem_type = KDAPL_MEM_LMR;
		good.source = ia.lmr_create(good.pz, pages.data(), size).id;
		arg = good;
		fails_with(EINVAL);
		good.addr = 0;
		arg = good;
		fails_with(EINVAL);
		good.length = 0;
		arg = good;
		arg.cookie[0] = 1;
		fails_with(EINVAL);
		for (std::uint32_t id : { 0U, good.pz, good.source + 1, ~0U }) {
			arg.source = id;
			fails_with(ENOENT);
		}
		fails_with(0);

		good.mem_type = KDAPL_MEM_SHARED;
		good.source = 0;
		good.addr = reinterpret_cast<std::uintptr_t>(pages.data());
		good.length = size;
		arg = good;
		arg.source = 1;
		fails_with(EINVAL);
		arg.addr = ~0ULL - page;
		fails_with(EINVAL);
		arg.addr = 0;
		fails_with(EBADFD);
		/* Its file would never be closed. */
		arg.addr = reinterpret_cast<std::uintptr_t>(ia.ring());
		arg.length = page;
		fails_with(EBADFD);
		fails_with(0);
		/* As the first version of the structure was. */
		arg.size = offsetof(kdapl_lmr_create, source);
		arg.mem_type = KDAPL_MEM_SO_VIRTUAL;
		EXPECT_EQ(ia.file().ioctl_errno(KDAPL_LMR_CREATE, &arg), 0);
	});
}

} // namespace
} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shared memory: what may be mapped how, and by whom. */

#include "bystander.hpp"
#include "raw_device.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

namespace suite {
namespace {

constexpr int both = PROT_READ | PROT_WRITE;

/** Runs the function in a forked child, and gives what it returns. */
int in_child(const std::function<int()> &function)
{
	int status = 0;
	pid_t pid = static_cast<pid_t>(sys(fork()));

	if (pid == 0)
		_exit(function());
	sys(waitpid(pid, &status, 0));
	require(WIFEXITED(status), "the child died");
	return WEXITSTATUS(status);
}

/** Whether an address can be read, asked without touching it. */
bool readable(const void *address)
{
	int ends[2];

	sys(pipe(ends));
	ssize_t written = write(ends[1], address, 1);
	close(ends[0]);
	close(ends[1]);
	return written == 1;
}

TEST(HostileMap, WrongOffsetsAndSizes)
{
	play_hostile([] {
		RawIa ia;
		const kdapl_map &sq = ia.opened().sq;

		EXPECT_EQ(map_errno(ia.file(), sq.size, both, MAP_SHARED, sq.offset), 0);
		for (std::size_t size : { std::size_t(sq.size) - 4096, std::size_t(sq.size) + 4096,
					  std::size_t(1) << 30 })
			EXPECT_EQ(map_errno(ia.file(), size, both, MAP_SHARED, sq.offset), EINVAL);
		const std::array<std::uint64_t, 4> offsets = { 0, sq.offset + 4096 * 1000,
							       1ULL << 40, 1ULL << 44 };
		for (std::uint64_t offset : offsets)
			EXPECT_EQ(map_errno(ia.file(), sq.size, both, MAP_SHARED, offset), EINVAL);
		EXPECT_EQ(map_errno(ia.file(), sq.size, both, MAP_PRIVATE, sq.offset), EINVAL);
		EXPECT_EQ(map_errno(ia.file(), sq.size, both | PROT_EXEC, MAP_SHARED, sq.offset),
			  EACCES);
		RawFile unopened;
		EXPECT_EQ(map_errno(unopened, 4096, both, MAP_SHARED, 4096), EBADFD);
	});
}

/** What the module writes can be mapped for reading alone, and stays so. */
void expect_read_only(RawIa &ia, const kdapl_map &map)
{
	EXPECT_EQ(map_errno(ia.file(), map.size, both, MAP_SHARED, map.offset), EACCES);
	EXPECT_EQ(map_errno(ia.file(), map.size, PROT_WRITE, MAP_SHARED, map.offset), EACCES);
	RawMap mapped(ia.file(), map, PROT_READ);
	EXPECT_EQ(mprotect(mapped.base(), mapped.size(), both), -1);
	EXPECT_EQ(errno, EACCES);
	EXPECT_EQ(mprotect(mapped.base(), mapped.size(), PROT_READ | PROT_EXEC), -1);
	EXPECT_EQ(errno, EACCES);
}

TEST(HostileMap, ReadOnlyMeansReadOnly)
{
	play_hostile([] {
		RawIa ia;
		std::uint32_t pz = ia.pz();
		RawEvd evd(ia, 64);
		kdapl_ep_create ep = ia.ep_create(pz, evd.id());

		expect_read_only(ia, ia.opened().sq_status);
		expect_read_only(ia, ep.status);
		expect_read_only(ia, evd.created().ring);
		EXPECT_EQ(map_errno(ia.file(), evd.created().head.size, both, MAP_SHARED,
				    evd.created().head.offset),
			  0);
	});
}

TEST(HostileMap, CannotGrow)
{
	play_hostile([] {
		RawIa ia;
		RawMap map(ia.file(), ia.opened().sq_status, PROT_READ);

		EXPECT_EQ(mremap(map.base(), map.size(), map.size() + 4096, MREMAP_MAYMOVE),
			  MAP_FAILED);
	});
}

/* The rings are the opener's alone: a child has neither them nor a way to get them. */
TEST(HostileMap, NothingForChildren)
{
	play_hostile([] {
		RawIa ia;
		RawMap status(ia.file(), ia.opened().sq_status, PROT_READ);

		EXPECT_TRUE(readable(ia.ring()));
		EXPECT_EQ(in_child([&] { return readable(ia.ring()) ? 1 : 0; }), 0);
		/* Also who wants it so does not give them away. */
		EXPECT_EQ(madvise(status.base(), status.size(), MADV_DOFORK), -1);
		EXPECT_EQ(errno, EINVAL);
		EXPECT_EQ(in_child([&] { return readable(status.base()) ? 1 : 0; }), 0);
		EXPECT_EQ(in_child([&] {
				  return map_errno(ia.file(), ia.opened().sq.size, both, MAP_SHARED,
						   ia.opened().sq.offset);
			  }),
			  EACCES);
	});
}

TEST(HostileMap, UnmappedWhileInUse)
{
	play_hostile([] {
		for (int round = 0; round < 10; round++) {
			RawIa ia;
			std::uint32_t pz = ia.pz();
			RawEvd evd(ia, 64);
			std::uint32_t ep = ia.ep_create(pz, evd.id()).id;
			RawMap again(ia.file(), ia.opened().sq);

			for (int i = 0; i < 8; i++)
				ia.push({ .ep = ep,
					  .op = KDAPL_OP_RECV,
					  .num_seg = 0,
					  .flags = 0,
					  .cookie = 1,
					  .remote_addr = 0,
					  .rkey = 0,
					  .imm = 0,
					  .seg = {} });
			again.unmap();
			munmap(reinterpret_cast<void *>(
				       reinterpret_cast<std::uintptr_t>(ia.ring()) & ~0xfffUL),
			       ia.opened().sq.size);
			EXPECT_EQ(ia.submit(), 0);
			EXPECT_EQ(ia.destroy(KDAPL_OBJ_EP, ep), 0);
			EXPECT_EQ(evd.wait(64, deadline_after_ms(1)), ETIMEDOUT);
		}
	});
}

/* A mapping outlives its object, and even the file. */
TEST(HostileMap, OutlivesItsObject)
{
	play_hostile([] {
		RawIa ia;
		kdapl_evd_create evd = ia.evd_create(64, 0x60);
		RawMap ring(ia.file(), evd.ring, PROT_READ), head(ia.file(), evd.head);

		EXPECT_EQ(ia.destroy(KDAPL_OBJ_EVD, evd.id), 0);
		head.at<kdapl_ev_head>()->head = 0xdeadbeef;
		EXPECT_EQ(ring.at<const volatile kdapl_ev_ring>()->tail, 0U);
		EXPECT_EQ(
			map_errno(ia.file(), evd.ring.size, PROT_READ, MAP_SHARED, evd.ring.offset),
			EINVAL);
		ia.file().close();
		head.at<kdapl_ev_head>()->head = 0xdeadbeef;
		ia.ring()->tail = 0x12345678;
		EXPECT_EQ(ring.at<const volatile kdapl_ev_ring>()->tail, 0U);
	});
}

} // namespace
} // namespace suite

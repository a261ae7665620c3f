// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pinned memory: the limit, and the account that goes back to zero. */

#include "endpoint.hpp"
#include "module_state.hpp"
#include "play.hpp"
#include "raw_device.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace suite {
namespace {

constexpr std::size_t mega = 1 << 20;

/** From here on the limit holds for this program, though it is root's. */
void limit_memlock(rlim_t bytes)
{
	rlimit limit{ .rlim_cur = bytes, .rlim_max = bytes };
	__user_cap_header_struct header{ .version = _LINUX_CAPABILITY_VERSION_3, .pid = 0 };
	__user_cap_data_struct data[2]{};

	sys(setrlimit(RLIMIT_MEMLOCK, &limit));
	sys(syscall(SYS_capget, &header, data));
	data[CAP_IPC_LOCK / 32].effective &= ~(1U << (CAP_IPC_LOCK % 32));
	data[CAP_IPC_LOCK / 32].permitted &= ~(1U << (CAP_IPC_LOCK % 32));
	sys(syscall(SYS_capset, &header, data));
}

/** Bytes pinned by this program, as the kernel accounts for them. */
std::uint64_t pinned_by_us()
{
	std::ifstream status("/proc/self/status");
	std::string word;
	std::uint64_t kilobytes = 0;

	while (status >> word) {
		if (word == "VmPin:")
			status >> kilobytes;
	}
	return kilobytes * 1024;
}

DAT_LMR_HANDLE must_register(const Adapter &adapter, const Pages &pages)
{
	DAT_LMR_HANDLE lmr;

	ok(register_pages(adapter, pages, &lmr));
	return lmr;
}

TEST(Memlock, LimitIsKept)
{
	play([](Line &) {
		limit_memlock(4 * mega);
		Adapter adapter;
		Pages half(2 * mega), most(3 * mega), whole(4 * mega), more(5 * mega);
		DAT_LMR_HANDLE lmr, other;

		EXPECT_EQ(pinned_by_us(), 0U);
		fails(DAT_INSUFFICIENT_RESOURCES, register_pages(adapter, more, &lmr));
		EXPECT_EQ(pinned_by_us(), 0U);

		ok(register_pages(adapter, half, &lmr));
		EXPECT_EQ(pinned_by_us(), 2 * mega);
		EXPECT_EQ(module_query().pinned, 2 * mega);
		fails(DAT_INSUFFICIENT_RESOURCES, register_pages(adapter, most, &other));
		EXPECT_EQ(pinned_by_us(), 2 * mega);
		ok(dat_lmr_free(lmr));
		EXPECT_EQ(pinned_by_us(), 0U);

		ok(register_pages(adapter, whole, &lmr));
		ok(dat_lmr_free(lmr));
		EXPECT_EQ(pinned_by_us(), 0U);
		EXPECT_EQ(module_query().pinned, 0U);
	});
}

/* What a failure leaves behind would add up. */
TEST(Memlock, FailuresLeaveNothing)
{
	play([](Line &) {
		limit_memlock(mega);
		Adapter adapter;
		Pages fits(mega - 65536), does_not(mega + 4096);
		DAT_LMR_HANDLE lmr;

		for (int i = 0; i < 20; i++) {
			fails(DAT_INSUFFICIENT_RESOURCES, register_pages(adapter, does_not, &lmr));
			ok(dat_lmr_free(must_register(adapter, fits)));
		}
		EXPECT_EQ(pinned_by_us(), 0U);
	});
}

/* The module tells what was allowed and what was needed. */
TEST(Memlock, ModuleTellsTheNumbers)
{
	play([](Line &) {
		limit_memlock(mega);
		RawIa ia;
		Pages first(mega / 2), second(mega);
		std::uint32_t pz = ia.pz();
		kdapl_lmr_create create{};

		ia.lmr_create(pz, first.data(), first.size());
		create.pz = pz;
		create.privileges = KDAPL_PRIV_ALL;
		create.addr = reinterpret_cast<std::uintptr_t>(second.data());
		create.length = second.size();
		EXPECT_EQ(ia.file().call(KDAPL_LMR_CREATE, create), EDQUOT);
		EXPECT_EQ(create.memlock_limit, mega);
		EXPECT_EQ(create.memlock_needed, mega / 2 + mega);
	});
}

/* Every page counts, of however little of it a region is. */
TEST(Memlock, AccountCountsPages)
{
	play([](Line &) {
		Adapter adapter;
		Pages pages(4 * 4096);
		DAT_REGION_DESCRIPTION where{ .for_va = pages.data() + 4095 };
		DAT_LMR_HANDLE lmr;

		ok(dat_lmr_create(adapter.ia(), DAT_MEM_TYPE_VIRTUAL, where, 2, adapter.pz(),
				  DAT_MEM_PRIV_ALL_FLAG, &lmr, nullptr, nullptr, nullptr, nullptr));
		EXPECT_EQ(pinned_by_us(), 2 * 4096U);
		EXPECT_EQ(module_query().pinned, 2 * 4096U);
		ok(dat_lmr_free(lmr));
		EXPECT_EQ(pinned_by_us(), 0U);
	});
}

/* The program ends with regions; the fixture looks whether anything is left. */
TEST(Memlock, ExitUnpins)
{
	play([](Line &) {
		auto adapter = new Adapter;
		auto pages = new Pages(2 * mega);

		must_register(*adapter, *pages);
		EXPECT_EQ(module_query().pinned, 2 * mega);
	});
}

TEST(Memlock, BadMemory)
{
	play([](Line &) {
		Adapter adapter;
		Pages pages(4 * 4096);
		DAT_LMR_HANDLE lmr;
		auto create = [&](void *address, DAT_VLEN length, unsigned privileges) {
			DAT_REGION_DESCRIPTION where{ .for_va = address };
			return dat_lmr_create(adapter.ia(), DAT_MEM_TYPE_VIRTUAL, where, length,
					      adapter.pz(),
					      static_cast<DAT_MEM_PRIV_FLAGS>(privileges), &lmr,
					      nullptr, nullptr, nullptr, nullptr);
		};
		auto refused = [](DAT_RETURN result) {
			return result != DAT_SUCCESS && (result & DAT_CLASS_ERROR);
		};

		EXPECT_TRUE(refused(create(pages.data(), 0, 0x33)));
		EXPECT_TRUE(refused(create(nullptr, 4096, 0x33)));
		EXPECT_TRUE(refused(create(pages.data(), ~DAT_VLEN(0), 0x33)));
		EXPECT_TRUE(refused(create(reinterpret_cast<void *>(~0xfffUL), 4096, 0x33)));
		EXPECT_TRUE(refused(create(reinterpret_cast<void *>(0x10000), 4096, 0x33)));
		fails(DAT_INVALID_PARAMETER, create(pages.data(), 4096, 0x1000));
		EXPECT_EQ(pinned_by_us(), 0U);

		/* Memory that may only be read cannot be registered for writing. */
		sys(mprotect(pages.data(), 4096, PROT_READ));
		EXPECT_TRUE(refused(create(pages.data(), 4096, 0x33)));
		EXPECT_EQ(pinned_by_us(), 0U);
	});
}

} // namespace
} // namespace suite

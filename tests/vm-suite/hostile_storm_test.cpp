// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Everything in any order, by several threads and files at once. */

#include "adapter.hpp"
#include "bystander.hpp"
#include "settings.hpp"
#include "storm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

namespace suite {
namespace {

/** KDAPL_SEED, or one that is always the same. */
std::uint32_t first_seed()
{
	const char *seed = std::getenv("KDAPL_SEED");

	return seed ? static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 0)) : 20261128;
}

constexpr std::uint32_t threads_of_a_file = 3;

/** Threads in a storm's file. */
void rage_all(Storm &storm, std::uint32_t seed, std::uint64_t calls,
	      std::vector<std::thread> &threads)
{
	for (std::uint32_t i = 0; i < threads_of_a_file; i++)
		threads.emplace_back([&storm, seed, i, calls] { storm.rage(seed + i, calls); });
}

/** It was not all in vain. */
void expect_success(std::uint64_t requests, std::uint64_t established, std::uint64_t transfers)
{
	std::printf("requests %" PRIu64 ", connections %" PRIu64 ", transfers %" PRIu64 "\n",
		    requests, established, transfers);
	EXPECT_GT(requests, 0u);
	EXPECT_GT(established, 0u);
}

/**
 * Over siw any peer brings a listener down that connects and leaves before the driver has
 * got to it, without RDMA even: the driver takes that for the listener's own end, and uses
 * it when it is free; see the README.
 */
class HostileStorm : public testing::Test {
protected:
	void SetUp() override
	{
		if (Adapter::iwarp())
			GTEST_SKIP() << "siw's listeners do not survive peers that leave at once";
	}
};

/* Two files, which connect to each other and to themselves. */
TEST_F(HostileStorm, AnythingInAnyOrder)
{
	play_hostile([] {
		const std::uint64_t calls = scaled(3200) + 200;
		std::uint64_t requests = 0, established = 0, transfers = 0;

		for (std::uint32_t round = 0; round < 2; round++) {
			const std::uint32_t seed = first_seed() + 100 * round;
			Rumours rumours;
			Storm first(rumours), second(rumours);
			std::vector<std::thread> threads;

			rage_all(first, seed, calls, threads);
			rage_all(second, seed + 50, calls, threads);
			for (std::thread &thread : threads)
				thread.join();
			for (const Storm *storm : { &first, &second }) {
				requests += storm->tally().requests;
				established += storm->tally().established;
				transfers += storm->tally().transfers;
			}
		}
		expect_success(requests, established, transfers);
	});
}

/* One file goes while the other one is connected to it, and in the midst of it. */
TEST_F(HostileStorm, EndsInItsMidst)
{
	play_hostile([] {
		for (std::uint32_t round = 0; round < scaled(10) + 2; round++) {
			const std::uint32_t seed = first_seed() + 100 * round;
			Rumours rumours;
			Storm stays(rumours);
			auto goes = std::make_unique<Storm>(rumours);
			std::vector<std::thread> staying, going;

			rage_all(stays, seed, 600, staying);
			rage_all(*goes, seed + 50, 200, going);
			for (std::thread &thread : going)
				thread.join();
			goes.reset();
			for (std::thread &thread : staying)
				thread.join();
		}
	});
}

/* ---- without memory ---- */

void write_word(const std::filesystem::path &file, const char *word)
{
	std::ofstream out(file);

	out << word << std::flush;
	require(out.good(), "cannot write " + file.string());
}

/** Of the allocations of threads that asked for it, this many per cent fail. */
class FailingAllocations {
public:
	explicit FailingAllocations(const char *percent)
	{
		for (const auto &kind : kinds) {
			write_word(kind / "task-filter", "Y");
			write_word(kind / "times", "-1");
			write_word(kind / "verbose", "0");
			write_word(kind / "ignore-gfp-wait", "N");
			write_word(kind / "probability", percent);
		}
	}
	FailingAllocations(const FailingAllocations &) = delete;
	FailingAllocations &operator=(const FailingAllocations &) = delete;
	~FailingAllocations()
	{
		for (const auto &kind : kinds)
			write_word(kind / "probability", "0");
	}

	static bool possible() { return std::filesystem::exists(kinds.front()); }
	static void of_this_thread() { write_word("/proc/thread-self/make-it-fail", "1"); }

private:
	static inline const std::array<std::filesystem::path, 2> kinds = {
		"/sys/kernel/debug/failslab", "/sys/kernel/debug/fail_page_alloc"
	};
};

/* One allocation in fifty fails, within calls and within what they have drivers do. */
TEST_F(HostileStorm, WithoutMemory)
{
	if (!FailingAllocations::possible())
		GTEST_SKIP() << "this kernel injects no failures";
	play_hostile([] {
		const std::uint64_t calls = scaled(3200) + 200;
		Rumours rumours;
		Storm first(rumours), second(rumours);
		const FailingAllocations failing("2");
		std::vector<std::thread> threads;

		for (Storm *storm : { &first, &second })
			for (std::uint32_t i = 0; i < threads_of_a_file; i++)
				threads.emplace_back([storm, calls,
						      seed = first_seed() + threads.size()] {
					FailingAllocations::of_this_thread();
					storm->rage(static_cast<std::uint32_t>(seed), calls);
				});
		for (std::thread &thread : threads)
			thread.join();
		EXPECT_GT(first.tally().established + second.tally().established, 0u);
		/* They do fail. */
		EXPECT_GT(first.tally().without_memory + second.tally().without_memory, 0u);
	});
}

} // namespace
} // namespace suite

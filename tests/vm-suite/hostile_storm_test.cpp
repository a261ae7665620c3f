// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Everything in any order, by several threads and files at once. */

#include "bystander.hpp"
#include "settings.hpp"
#include "storm.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
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

/* Two files, which connect to each other and to themselves. */
TEST(HostileStorm, AnythingInAnyOrder)
{
	play_hostile([] {
		const std::uint64_t calls = scaled(20000) + 300;

		for (std::uint32_t round = 0; round < 3; round++) {
			const std::uint32_t seed = first_seed() + 100 * round;
			Rumours rumours;
			Storm first(rumours), second(rumours);
			std::vector<std::thread> threads;

			rage_all(first, seed, calls, threads);
			rage_all(second, seed + 50, calls, threads);
			for (std::thread &thread : threads)
				thread.join();
		}
	});
}

/* Its files go in the midst of it. */
TEST(HostileStorm, EndsInItsMidst)
{
	play_hostile([] {
		for (std::uint32_t round = 0; round < scaled(20) + 2; round++) {
			const std::uint32_t seed = first_seed() + 100 * round;
			Rumours rumours;
			Storm first(rumours), second(rumours);
			std::vector<std::thread> threads;

			rage_all(first, seed, 200, threads);
			rage_all(second, seed + 50, 600, threads);
			for (std::uint32_t i = 0; i < threads_of_a_file; i++)
				threads[i].join();
			second.close();
			for (std::size_t i = threads_of_a_file; i < threads.size(); i++)
				threads[i].join();
		}
	});
}

} // namespace
} // namespace suite

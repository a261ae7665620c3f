// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "one_processor.hpp"

#include "failure.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sched.h>

namespace suite {
namespace {

constexpr const char *cpumask = "/sys/devices/virtual/workqueue/cpumask";
constexpr int priority = 50; /* of 99: above threads of interrupts is not asked for */

void write_mask(const std::string &mask)
{
	std::ofstream file(cpumask);

	file << mask << std::flush;
	EXPECT_TRUE(file.good()) << cpumask;
}

} // namespace

OneProcessor::OneProcessor()
{
	std::ifstream file(cpumask);

	std::getline(file, before_);
	write_mask("1");
}

OneProcessor::~OneProcessor()
{
	write_mask(before_);
}

void OneProcessor::move_in()
{
	const sched_param parameter{ .sched_priority = priority };
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	require(!sched_setaffinity(0, sizeof(first), &first) &&
			!sched_setscheduler(0, SCHED_FIFO, &parameter),
		"no priority on the first processor");
}

} // namespace suite

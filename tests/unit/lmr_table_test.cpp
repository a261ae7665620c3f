// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The table of LMR contexts, and whether a range lies in an LMR.

#include "engine/lmr_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace {

using kdapl::LmrEntry;
using kdapl::LmrTable;

TEST(LmrTable, EmptyFindsNothing)
{
	LmrTable table;

	EXPECT_EQ(table.find(0), nullptr);
	EXPECT_EQ(table.find(1), nullptr);
	EXPECT_FALSE(table.erase(1));
}

// Against a map, with contexts as the module hands them out (in sequence, round
// the end of 2^31) and at random.
TEST(LmrTable, AgreesWithAMap)
{
	std::mt19937 random(7);
	LmrTable table;
	std::map<std::uint32_t, std::uint64_t> map;
	std::uint32_t next = 0x7fffff00;

	for (int i = 0; i < 200000; i++) {
		const bool sequence = random() % 2;
		const std::uint32_t context =
			sequence ? (next++ & 0x7fffffff) : random() % 5000 + 1;
		if (!context)
			continue;
		if (map.count(context)) {
			EXPECT_TRUE(table.erase(context));
			map.erase(context);
		} else {
			table.insert({ .context = context, .address = random() });
			map[context] = table.find(context)->address;
		}
		if (map.size() > 3000) {
			EXPECT_TRUE(table.erase(map.begin()->first));
			map.erase(map.begin());
		}
	}
	EXPECT_EQ(table.size(), map.size());
	for (const auto &[context, address] : map) {
		ASSERT_NE(table.find(context), nullptr) << context;
		EXPECT_EQ(table.find(context)->address, address);
	}
	for (std::uint32_t context = 1; context < 6000; context++)
		EXPECT_EQ(table.find(context) != nullptr, map.count(context) != 0);
}

TEST(LmrTable, RangesAndTheirEnds)
{
	const LmrEntry lmr = { .context = 1, .address = 1000, .length = 100 };

	EXPECT_TRUE(lmr.covers(1000, 100));
	EXPECT_TRUE(lmr.covers(1099, 1));
	EXPECT_TRUE(lmr.covers(1100, 0));
	EXPECT_FALSE(lmr.covers(1101, 0));
	EXPECT_FALSE(lmr.covers(1099, 2));
	EXPECT_FALSE(lmr.covers(999, 1));
	EXPECT_FALSE(lmr.covers(1000, 101));
	EXPECT_FALSE(lmr.covers(1050, ~0ULL));
	EXPECT_FALSE(lmr.covers(~0ULL, 2));

	const LmrEntry top = { .context = 1, .address = ~0ULL - 99, .length = 100 };
	EXPECT_TRUE(top.covers(~0ULL, 1));
	EXPECT_FALSE(top.covers(~0ULL, 2));
	EXPECT_FALSE(top.covers(0, 1));
}

} // namespace

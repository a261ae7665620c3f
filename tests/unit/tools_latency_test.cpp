// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Percentiles of datping, against sorting.

#include "common/latency.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

using tools::Latencies;

TEST(Latencies, EmptyIsZero)
{
	Latencies l;

	EXPECT_EQ(l.count(), 0U);
	EXPECT_EQ(l.min(), 0U);
	EXPECT_EQ(l.max(), 0U);
	EXPECT_EQ(l.mean(), 0);
	EXPECT_EQ(l.percentile(50), 0U);
}

TEST(Latencies, OneValueIsEveryPercentile)
{
	Latencies l;

	l.add(123456789);
	for (double p : { 0.0, 1.0, 50.0, 99.9, 100.0 })
		EXPECT_EQ(l.percentile(p), 123456789U) << p;
}

TEST(Latencies, SmallValuesAreExact)
{
	Latencies l;

	for (std::uint64_t v = 1; v <= 100; v++)
		l.add(v);
	EXPECT_EQ(l.percentile(50), 50U);
	EXPECT_EQ(l.percentile(90), 90U);
	EXPECT_EQ(l.percentile(99), 99U);
	EXPECT_EQ(l.percentile(100), 100U);
	EXPECT_EQ(l.percentile(0), 1U);
	EXPECT_EQ(l.min(), 1U);
	EXPECT_EQ(l.max(), 100U);
	EXPECT_DOUBLE_EQ(l.mean(), 50.5);
}

TEST(Latencies, ExtremesOfTheRange)
{
	Latencies l;

	l.add(0);
	l.add(UINT64_MAX);
	EXPECT_EQ(l.percentile(50), 0U);
	EXPECT_EQ(l.percentile(100), UINT64_MAX);
}

TEST(Latencies, LargeValuesAreWithinABucket)
{
	std::mt19937_64 random(42);
	std::lognormal_distribution<double> spread(11, 2);
	std::vector<std::uint64_t> all;
	Latencies l;

	for (int i = 0; i < 20000; i++) {
		all.push_back(static_cast<std::uint64_t>(spread(random)));
		l.add(all.back());
	}
	std::sort(all.begin(), all.end());
	for (double p : { 1.0, 10.0, 50.0, 90.0, 99.0, 99.9 }) {
		auto rank = static_cast<std::size_t>(std::ceil(p / 100 * 20000));
		auto exact = static_cast<double>(all[rank - 1]);
		auto got = static_cast<double>(l.percentile(p));
		EXPECT_GE(got, exact) << p;
		EXPECT_LE(got, exact * (1 + 1.0 / 128)) << p;
	}
	EXPECT_EQ(l.min(), all.front());
	EXPECT_EQ(l.max(), all.back());
}

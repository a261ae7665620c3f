// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The test data of datping: every kind of damage must be noticed.

#include "common/pattern.hpp"

#include <vector>

#include <gtest/gtest.h>

using tools::Pattern;

static std::vector<std::byte> data(Pattern pattern, std::size_t size)
{
	std::vector<std::byte> bytes(size);

	pattern.fill(bytes);
	return bytes;
}

TEST(Pattern, WhatWasFilledMatchesAtEverySize)
{
	for (std::size_t size = 0; size <= 70; size++)
		EXPECT_FALSE((Pattern{ 1, 7 }.mismatch(data({ 1, 7 }, size)))) << size;
}

TEST(Pattern, EverySingleBitCounts)
{
	auto bytes = data({ 1, 7 }, 67);

	for (std::size_t at = 0; at < bytes.size(); at++) {
		for (int bit = 0; bit < 8; bit++) {
			bytes[at] ^= std::byte{ 1 } << bit;
			auto found = Pattern{ 1, 7 }.mismatch(bytes);
			ASSERT_TRUE(found);
			EXPECT_EQ(*found, at);
			bytes[at] ^= std::byte{ 1 } << bit;
		}
	}
}

TEST(Pattern, TheFirstOfSeveralErrorsIsTold)
{
	auto bytes = data({ 1, 7 }, 64);

	bytes[50] ^= std::byte{ 1 };
	bytes[13] ^= std::byte{ 1 };
	EXPECT_EQ((Pattern{ 1, 7 }.mismatch(bytes)), 13U);
}

TEST(Pattern, OtherMessagesDiffer)
{
	auto bytes = data({ 1, 7 }, 64);

	EXPECT_TRUE((Pattern{ 1, 8 }.mismatch(bytes)));
	EXPECT_TRUE((Pattern{ 2, 7 }.mismatch(bytes)));
	EXPECT_TRUE((Pattern{ 7, 1 }.mismatch(bytes)));
	EXPECT_TRUE((Pattern{ 1, 7 }.mismatch(std::vector<std::byte>(64))));
}

TEST(Pattern, ShiftedDataDiffers)
{
	auto bytes = data({ 1, 7 }, 128);

	for (std::size_t shift : { 1, 8, 16, 64 })
		EXPECT_TRUE((Pattern{ 1, 7 }.mismatch(std::span(bytes).subspan(shift)))) << shift;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The language of dat.conf: what each line says, and why a line is skipped.

#include "engine/dat_conf.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace {

using kdapl::ConfEntry;

struct Parsed {
	std::vector<ConfEntry> entries;
	std::vector<std::pair<unsigned, std::string>> problems;
};

Parsed parse(std::string_view text)
{
	Parsed parsed;
	parsed.entries = kdapl::parse_dat_conf(text, [&](unsigned line, const std::string &reason) {
		parsed.problems.emplace_back(line, reason);
	});
	return parsed;
}

TEST(DatConf, AnEntryHasEightFields)
{
	const Parsed parsed = parse("ibd0 u1.2 nonthreadsafe default udapl_tavor.so.1 SUNW.1.0 "
				    "\"mtu 1\" \"driver_name=tavor\"\n");

	ASSERT_EQ(parsed.entries.size(), 1u);
	EXPECT_TRUE(parsed.problems.empty());
	const ConfEntry &entry = parsed.entries[0];
	EXPECT_EQ(entry.ia_name, "ibd0");
	EXPECT_FALSE(entry.for_kernel);
	EXPECT_EQ(entry.major, 1u);
	EXPECT_EQ(entry.minor, 2u);
	EXPECT_FALSE(entry.thread_safe);
	EXPECT_TRUE(entry.is_default);
	EXPECT_EQ(entry.library, "udapl_tavor.so.1");
	EXPECT_EQ(entry.provider_version, "SUNW.1.0");
	EXPECT_EQ(entry.instance_data, "mtu 1");
	EXPECT_EQ(entry.platform_data, "driver_name=tavor");
	EXPECT_EQ(entry.line, 1u);
}

/* OFED's lines name a netdev and 0, or a device and its port. */
TEST(DatConf, WhatTheInstanceDataNames)
{
	const struct {
		const char *data, *adapter;
	} rows[] = {
		{ "", "ia" },
		{ " \t", "ia" },
		{ "rxe0", "rxe0" },
		{ "ib0 0", "ib0" },
		{ "mlx4_0 1", "mlx4_0" },
		{ " mlx4_0\t2 ", "mlx4_0-2" },
		{ "rxe0 port 2", "rxe0" },
		{ "ib0 -1", "ib0" },
	};

	for (const auto &row : rows)
		EXPECT_EQ(kdapl::adapter_of(row.data, "ia"), row.adapter) << row.data;
}

TEST(DatConf, TheOtherWords)
{
	const Parsed parsed =
		parse("k0 k2.10 threadsafe nondefault /usr/lib/a.so dapl.2.0 \"\" \"\"");

	ASSERT_EQ(parsed.entries.size(), 1u);
	EXPECT_TRUE(parsed.entries[0].for_kernel);
	EXPECT_EQ(parsed.entries[0].major, 2u);
	EXPECT_EQ(parsed.entries[0].minor, 10u);
	EXPECT_TRUE(parsed.entries[0].thread_safe);
	EXPECT_FALSE(parsed.entries[0].is_default);
}

TEST(DatConf, GoodLines)
{
	struct Row {
		const char *line;
		const char *name, *instance;
	};
	const Row rows[] = {
		{ "a u1.2 threadsafe default l.so V.1.0 \"\" \"\"", "a", "" },
		{ " \ta\tu1.2  threadsafe\tdefault l.so V.1.0 \"\" \"\" \t", "a", "" },
		{ "a u1.2 threadsafe default l.so V.1.0 bare \"\"", "a", "bare" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"\" \"\"\r", "a", "" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"\" \"\" # why", "a", "" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"\" \"\"# why \"", "a", "" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"\" x# why", "a", "" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"# no comment\" \"\"", "a",
		  "# no comment" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"say \\\"hi\\\"\" \"\"", "a",
		  "say \"hi\"" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"\\\\\" \"\"", "a", "\\" },
		{ "a u1.2 threadsafe default l.so V.1.0 back\\slash \"\"", "a", "back\\slash" },
		{ "\"a b\" \"u1.2\" \"threadsafe\" \"default\" \"l.so\" \"V.1.0\" \"\" \"\"", "a b",
		  "" },
		{ "a u1.2 threadsafe default l.so SUNW1.0 \"\" \"\"", "a", "" },
		{ "a u1.2 threadsafe default l.so my.own.10.20 \"\" \"\"", "a", "" },
	};

	for (const Row &row : rows) {
		const Parsed parsed = parse(row.line);
		ASSERT_EQ(parsed.entries.size(), 1u)
			<< row.line << ": "
			<< (parsed.problems.empty() ? "nothing" : parsed.problems[0].second);
		EXPECT_EQ(parsed.entries[0].ia_name, row.name) << row.line;
		EXPECT_EQ(parsed.entries[0].instance_data, row.instance) << row.line;
	}
}

TEST(DatConf, LinesThatHoldNothing)
{
	for (const char *text : { "", "\n", "\n\n", "#", "# a b c", "  \t# x\n", "\r\n", "#\"" }) {
		const Parsed parsed = parse(text);
		EXPECT_TRUE(parsed.entries.empty()) << text;
		EXPECT_TRUE(parsed.problems.empty()) << text;
	}
}

TEST(DatConf, BrokenLinesTellWhy)
{
	struct Row {
		std::string line;
		const char *reason;
	};
	const Row rows[] = {
		{ "a", "1 fields, not 8" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"\"", "7 fields, not 8" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"\" # \"\"", "7 fields, not 8" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"\" \"\" more", "9 fields, not 8" },
		{ "\"\" u1.2 threadsafe default l.so V.1.0 \"\" \"\"", "the adapter has no name" },
		{ std::string(256, 'x').append(" u1.2 threadsafe default l.so V.1.0 \"\" \"\""),
		  "the adapter's name is longer than 255 bytes" },
		{ "a 1.2 threadsafe default l.so V.1.0 \"\" \"\"",
		  "the API version is \"1.2\", not like u1.2 or k1.2" },
		{ "a u1 threadsafe default l.so V.1.0 \"\" \"\"",
		  "the API version is \"u1\", not like u1.2 or k1.2" },
		{ "a u1. threadsafe default l.so V.1.0 \"\" \"\"",
		  "the API version is \"u1.\", not like u1.2 or k1.2" },
		{ "a u1.2x threadsafe default l.so V.1.0 \"\" \"\"",
		  "the API version is \"u1.2x\", not like u1.2 or k1.2" },
		{ "a u-1.2 threadsafe default l.so V.1.0 \"\" \"\"",
		  "the API version is \"u-1.2\", not like u1.2 or k1.2" },
		{ "a u1.4294967296 threadsafe default l.so V.1.0 \"\" \"\"",
		  "the API version is \"u1.4294967296\", not like u1.2 or k1.2" },
		{ "a u1.2 Threadsafe default l.so V.1.0 \"\" \"\"",
		  "\"Threadsafe\" is neither threadsafe nor nonthreadsafe" },
		{ "a u1.2 threadsafe other l.so V.1.0 \"\" \"\"",
		  "\"other\" is neither default nor nondefault" },
		{ "a u1.2 threadsafe default \"\" V.1.0 \"\" \"\"", "the library has no name" },
		{ "a u1.2 threadsafe default l.so V.1 \"\" \"\"",
		  "the provider's version is \"V.1\", not like NAME.1.0" },
		{ "a u1.2 threadsafe default l.so 1.0 \"\" \"\"",
		  "the provider's version is \"1.0\", not like NAME.1.0" },
		{ "a u1.2 threadsafe default l.so V.1. \"\" \"\"",
		  "the provider's version is \"V.1.\", not like NAME.1.0" },
		{ "a u1.2 threadsafe default l.so .0 \"\" \"\"",
		  "the provider's version is \".0\", not like NAME.1.0" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"open", "a quote without its end" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"\" \"\\", "a quote without its end" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"\\n\" \"\"",
		  "a backslash before neither quote nor backslash" },
		{ "a u1.2 threadsafe default l.so V.1.0 in\"side\" \"\"", "a quote inside a word" },
		{ "a u1.2 threadsafe default l.so V.1.0 \"\"x \"\"", "no space after a quote" },
		{ std::string("a\0b", 3), "a NUL byte" },
	};

	for (const Row &row : rows) {
		const Parsed parsed = parse(row.line);
		EXPECT_TRUE(parsed.entries.empty()) << row.line;
		ASSERT_EQ(parsed.problems.size(), 1u) << row.line;
		EXPECT_EQ(parsed.problems[0].first, 1u);
		EXPECT_EQ(parsed.problems[0].second, row.reason);
	}
}

// What is broken ends with its line, even where a quote is open.
TEST(DatConf, ABrokenLineHurtsNoOther)
{
	const Parsed parsed = parse("# registry\n"
				    "a u1.2 threadsafe default l.so V.1.0 \"\" \"\"\n"
				    "b u1.2 threadsafe default l.so V.1.0 \"open \"\"\n"
				    "\n"
				    "c u1.2 threadsafe default l.so V.1.0 \"\" \"\"\n"
				    "d\n"
				    "e u1.2 threadsafe default l.so V.1.0 \"\" \"\"");

	ASSERT_EQ(parsed.entries.size(), 3u);
	EXPECT_EQ(parsed.entries[0].line, 2u);
	EXPECT_EQ(parsed.entries[1].ia_name, "c");
	EXPECT_EQ(parsed.entries[1].line, 5u);
	EXPECT_EQ(parsed.entries[2].ia_name, "e");
	ASSERT_EQ(parsed.problems.size(), 2u);
	EXPECT_EQ(parsed.problems[0].first, 3u);
	EXPECT_EQ(parsed.problems[1].first, 6u);
}

} // namespace

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Names that a hostile sender of datcp may try.

#include "datcp/file_name.hpp"

#include <gtest/gtest.h>

using copy::safe_file_name;

TEST(SafeFileName, KeepsOrdinaryNames)
{
	EXPECT_EQ(safe_file_name("vmlinuz-6.1.0-amd64"), "vmlinuz-6.1.0-amd64");
	EXPECT_EQ(safe_file_name("name with spaces"), "name with spaces");
	EXPECT_EQ(safe_file_name("...three"), "...three");
	EXPECT_EQ(safe_file_name("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
}

TEST(SafeFileName, TakesOnlyTheLastComponent)
{
	EXPECT_EQ(safe_file_name("/etc/passwd"), "passwd");
	EXPECT_EQ(safe_file_name("../../etc/shadow"), "shadow");
	EXPECT_EQ(safe_file_name("a/b/c"), "c");
	EXPECT_EQ(safe_file_name("//x"), "x");
}

TEST(SafeFileName, RefusesWhatNamesNoFile)
{
	EXPECT_FALSE(safe_file_name(""));
	EXPECT_FALSE(safe_file_name("."));
	EXPECT_FALSE(safe_file_name(".."));
	EXPECT_FALSE(safe_file_name("/"));
	EXPECT_FALSE(safe_file_name("dir/"));
	EXPECT_FALSE(safe_file_name("dir/.."));
	EXPECT_FALSE(safe_file_name("dir/."));
}

TEST(SafeFileName, RefusesControlCharacters)
{
	EXPECT_FALSE(safe_file_name(std::string_view("a\0b", 3)));
	EXPECT_FALSE(safe_file_name("line\nbreak"));
	EXPECT_FALSE(safe_file_name("\x1b[2J"));
	EXPECT_FALSE(safe_file_name("del\x7f"));
	EXPECT_FALSE(safe_file_name("bad\n/good"));
}

TEST(SafeFileName, RefusesNamesThatAreTooLong)
{
	EXPECT_TRUE(safe_file_name(std::string(255, 'x')));
	EXPECT_FALSE(safe_file_name(std::string(256, 'x')));
	EXPECT_TRUE(safe_file_name(std::string(300, 'd') + "/x"));
}

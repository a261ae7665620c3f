// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What leaves libdat.so and libdat2.so: the calls of uDAPL 1.2 and of 2.0, each under one
// version, and not a symbol more. A version script alone does not tell of a call it names that the
// library forgot to define.

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <string>

namespace {

using Names = std::set<std::string>;

// The first group of each line that the pattern is found in.
Names grep(const std::filesystem::path &path, const std::string &pattern)
{
	std::ifstream file(path);
	const std::regex regex(pattern);
	Names names;
	std::smatch match;
	for (std::string line; std::getline(file, line);)
		if (std::regex_search(line, match, regex))
			names.insert(match[1]);
	return names;
}

Names names_in_map(const std::string &file)
{
	return grep(file, R"(^\s*(dats?_\w+);$)");
}

Names names_in_headers()
{
	Names names;
	for (const auto &header : std::filesystem::directory_iterator(LIBDAT_HEADERS))
		names.merge(grep(header.path(), R"(^extern DAT_RETURN (dat_\w+)\()"));
	return names;
}

// Of 2.0, those for programs and for providers.
Names names_in_headers2()
{
	Names names;
	for (const char *header : { "dat.h", "udat.h", "dat_registry.h" })
		names.merge(grep(std::filesystem::path(LIBDAT2_HEADERS) / header,
				 R"(^DAT_RETURN (dats?_\w+)\()"));
	return names;
}

Names names_in_library(const std::string &file)
{
	const std::string command = "nm --dynamic --defined-only --with-symbol-versions '";
	const std::unique_ptr<std::FILE, int (*)(std::FILE *)> nm(
		popen((command + file + "'").c_str(), "r"), pclose);
	Names names;
	char type = 0;
	char name[256];
	while (nm && std::fscanf(nm.get(), "%*s %c %255s", &type, name) == 2)
		if (type != 'A') // the version node itself
			names.insert(name);
	return names;
}

Names with_version(const Names &names, const std::string &version)
{
	Names versioned;
	for (const std::string &name : names)
		versioned.insert(name + "@@" + version);
	return versioned;
}

TEST(Exports, MapNamesEveryCall)
{
	const Names names = names_in_map(LIBDAT_MAP);
	EXPECT_EQ(names.size(), 72u);
	EXPECT_EQ(names, names_in_headers());
	EXPECT_TRUE(names.count("dat_ia_openv"));
	EXPECT_FALSE(names.count("dat_ia_open")) << "is a macro";
	EXPECT_FALSE(names.count("dat_provider_init")) << "is a provider's";
}

TEST(Exports, LibraryDefinesTheMapAndNothingElse)
{
	EXPECT_EQ(names_in_library(LIBDAT_FILE), with_version(names_in_map(LIBDAT_MAP), "DAT_1.2"));
}

TEST(Exports, ProviderIsWhatRegistriesLookFor)
{
	EXPECT_EQ(names_in_library(LIBDAPL_FILE), (Names{ "dat_provider_fini@@DAPL_KDAPL_1.2",
							  "dat_provider_init@@DAPL_KDAPL_1.2" }));
}

TEST(Exports, MapOf2NamesEveryCall)
{
	const Names names = names_in_map(LIBDAT2_MAP);
	EXPECT_EQ(names.size(), 85u);
	EXPECT_EQ(names, names_in_headers2());
	EXPECT_TRUE(names.count("dats_get_ia_handle"));
}

TEST(Exports, LibraryOf2DefinesTheMapAndNothingElse)
{
	EXPECT_EQ(names_in_library(LIBDAT2_FILE),
		  with_version(names_in_map(LIBDAT2_MAP), "DAT_2.0"));
}

TEST(Exports, ProviderOf2IsWhatRegistriesLookFor)
{
	EXPECT_EQ(names_in_library(LIBDAPL2_FILE), (Names{ "dat_provider_fini@@DAPL_KDAPL_2.0",
							   "dat_provider_init@@DAPL_KDAPL_2.0" }));
}

// What programs and providers were linked to must be there in ours.
TEST(Exports, LibraryOf2HasWhatTheDistributionsHas)
{
	if (!*DISTRIBUTION_LIBDAT2)
		GTEST_SKIP() << "there is none";
	const Names theirs = names_in_library(DISTRIBUTION_LIBDAT2);
	const Names ours = names_in_library(LIBDAT2_FILE);
	EXPECT_GE(theirs.size(), 74u);
	for (const std::string &name : theirs)
		EXPECT_TRUE(ours.count(name)) << name;
}

} // namespace

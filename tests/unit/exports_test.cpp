// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What leaves libdat.so: the calls of uDAPL 1.2, under one version, and not a
// symbol more. A version script alone does not tell of a call it names that the
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

Names names_in_map()
{
	return grep(LIBDAT_MAP, R"(^\s*(dat_\w+);$)");
}

Names names_in_headers()
{
	Names names;
	for (const auto &header : std::filesystem::directory_iterator(LIBDAT_HEADERS))
		names.merge(grep(header.path(), R"(^extern DAT_RETURN (dat_\w+)\()"));
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

Names with_version(const Names &names)
{
	Names versioned;
	for (const std::string &name : names)
		versioned.insert(name + "@@DAT_1.2");
	return versioned;
}

TEST(Exports, MapNamesEveryCall)
{
	const Names names = names_in_map();
	EXPECT_EQ(names.size(), 72u);
	EXPECT_EQ(names, names_in_headers());
	EXPECT_TRUE(names.count("dat_ia_openv"));
	EXPECT_FALSE(names.count("dat_ia_open")) << "is a macro";
	EXPECT_FALSE(names.count("dat_provider_init")) << "is a provider's";
}

TEST(Exports, LibraryDefinesTheMapAndNothingElse)
{
	EXPECT_EQ(names_in_library(LIBDAT_FILE), with_version(names_in_map()));
}

TEST(Exports, ProviderIsWhatRegistriesLookFor)
{
	EXPECT_EQ(names_in_library(LIBDAPL_FILE), (Names{ "dat_provider_fini@@DAPL_KDAPL_1.2",
							  "dat_provider_init@@DAPL_KDAPL_1.2" }));
}

} // namespace

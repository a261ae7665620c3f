// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the library says, and where, by the environment.

#include "engine/debug.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace {

using Variable = std::pair<const char *, const char *>;

/** The environment is read once, so each case has a process of its own. */
class Debug : public testing::Test {
protected:
	Debug() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

	[[noreturn]] static void speak(std::initializer_list<Variable> environment)
	{
		for (const char *name :
		     { "DAT_DBG_TYPE", "DAT_DBG_DEST", "DAPL_DBG_TYPE", "DAPL_DBG_DEST" })
			unsetenv(name);
		for (const auto &[name, value] : environment)
			setenv(name, value, 1);
		kdapl::debug_error("an error");
		kdapl::debug_warning("a warning");
		std::_Exit(0);
	}
};

constexpr char both[] = "^libdat: an error\nlibdat: a warning\n$";
constexpr char warning[] = "^libdat: a warning\n$";
constexpr char nothing[] = "^$";

TEST_F(Debug, WarningsAreToldUnlessSwitchedOff)
{
	EXPECT_EXIT(speak({}), testing::ExitedWithCode(0), warning);
	EXPECT_EXIT(speak({ { "DAT_DBG_TYPE", "0" } }), testing::ExitedWithCode(0), nothing);
}

TEST_F(Debug, ErrorsAreToldWhereAskedFor)
{
	EXPECT_EXIT(speak({ { "DAT_DBG_TYPE", "0x1" } }), testing::ExitedWithCode(0), both);
	EXPECT_EXIT(speak({ { "DAT_DBG_TYPE", "2" } }), testing::ExitedWithCode(0), warning);
	EXPECT_EXIT(speak({ { "DAT_DBG_TYPE", "4" } }), testing::ExitedWithCode(0), nothing);
}

TEST_F(Debug, StandardOutputIsAnotherPlace)
{
	EXPECT_EXIT(speak({ { "DAT_DBG_TYPE", "1" }, { "DAT_DBG_DEST", "1" } }),
		    testing::ExitedWithCode(0), nothing);
}

/* Programs of OFED's have their providers' names set, not the registry's. */
TEST_F(Debug, OfedsNamesMeanTheSame)
{
	EXPECT_EXIT(speak({ { "DAPL_DBG_TYPE", "1" } }), testing::ExitedWithCode(0), both);
	EXPECT_EXIT(speak({ { "DAPL_DBG_TYPE", "1" }, { "DAPL_DBG_DEST", "1" } }),
		    testing::ExitedWithCode(0), nothing);
	EXPECT_EXIT(speak({ { "DAT_DBG_TYPE", "0" }, { "DAPL_DBG_TYPE", "1" } }),
		    testing::ExitedWithCode(0), nothing);
}

} // namespace

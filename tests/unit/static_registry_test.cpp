// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which file is the static registry, and what is told of it.

#include "engine/static_registry.hpp"

#include "fake/dat_conf.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using kdapl::read_static_registry;
using kdapl::RegistryState;

const std::string good = "a u1.2 threadsafe default l.so V.1.0 \"\" \"\"\n";

class StaticRegistry : public testing::Test {
protected:
	void SetUp() override
	{
		unsetenv("DAT_OVERRIDE");
		conf.use();
	}
	void TearDown() override
	{
		unsetenv("DAT_OVERRIDE");
		kdapl::set_dat_conf({});
	}
	RegistryState read()
	{
		testing::internal::CaptureStderr();
		const RegistryState state = read_static_registry("", registry);
		told = testing::internal::GetCapturedStderr();
		return state;
	}

	fake::DatConf conf;
	std::shared_ptr<const kdapl::StaticRegistry> registry;
	std::string told;
};

TEST_F(StaticRegistry, NoFileIsNoRegistry)
{
	EXPECT_EQ(read(), RegistryState::absent);
	EXPECT_EQ(told, "");
	kdapl::set_dat_conf(conf.path("no-folder") / "dat.conf");
	EXPECT_EQ(read(), RegistryState::absent);
	EXPECT_EQ(told, "");
}

TEST_F(StaticRegistry, AnEmptyFileIsAnEmptyRegistry)
{
	conf.write("");
	ASSERT_EQ(read(), RegistryState::present);
	EXPECT_TRUE(registry->entries.empty());
}

TEST_F(StaticRegistry, BrokenLinesAreToldOnce)
{
	conf.write(good + "broken\n" + good + "b u1.2 threadsafe default\n");
	const std::string file = conf.path();

	ASSERT_EQ(read(), RegistryState::present);
	EXPECT_EQ(registry->entries.size(), 2u);
	EXPECT_EQ(told, "libdat: " + file + ":2: line skipped: 1 fields, not 8\n" + //
				"libdat: " + file + ":4: line skipped: 4 fields, not 8\n");
	ASSERT_EQ(read(), RegistryState::present);
	EXPECT_EQ(registry->entries.size(), 2u);
	EXPECT_EQ(told, "");
}

TEST_F(StaticRegistry, AChangedFileIsReadAgain)
{
	conf.write(good);
	ASSERT_EQ(read(), RegistryState::present);
	const auto before = registry;
	conf.write(good + good);
	ASSERT_EQ(read(), RegistryState::present);
	EXPECT_EQ(registry->entries.size(), 2u);
	EXPECT_EQ(before->entries.size(), 1u) << "what was handed out stays";
	std::filesystem::remove(conf.path());
	EXPECT_EQ(read(), RegistryState::absent);
}

TEST_F(StaticRegistry, WhatCannotBeReadIsTold)
{
	std::filesystem::create_directory(conf.path());
	EXPECT_EQ(read(), RegistryState::unreadable);
	EXPECT_EQ(told, "libdat: " + conf.path().string() + ": Is a directory\n");
	std::filesystem::remove(conf.path());
	conf.write(std::string((1 << 20) + 1, '#'));
	EXPECT_EQ(read(), RegistryState::unreadable);
	EXPECT_EQ(told, "libdat: " + conf.path().string() + ": File too large\n");
}

TEST_F(StaticRegistry, TheEnvironmentNamesAnother)
{
	conf.write(good);
	conf.write(good + good + good, "other.conf");
	setenv("DAT_OVERRIDE", conf.path("other.conf").c_str(), 1);
	ASSERT_EQ(read(), RegistryState::present);
	EXPECT_EQ(registry->entries.size(), 3u);
	EXPECT_EQ(registry->file, conf.path("other.conf"));

	setenv("DAT_OVERRIDE", "", 1);
	ASSERT_EQ(read(), RegistryState::present);
	EXPECT_EQ(registry->entries.size(), 1u) << "an empty one names none";

	setenv("DAT_OVERRIDE", conf.path("missing.conf").c_str(), 1);
	EXPECT_EQ(read(), RegistryState::unreadable) << "who names a file means it";
	EXPECT_EQ(told, "libdat: " + conf.path("missing.conf").string() +
				": No such file or directory\n");
}

// A program with its owner's rights must not be led to a file of the caller's.
TEST_F(StaticRegistry, TheEnvironmentIsNothingToASetUidProgram)
{
	if (geteuid() != 0)
		GTEST_SKIP() << "only root can make one for somebody else";
	const auto probe = conf.path("probe");
	conf.write(good, "other.conf");
	std::filesystem::copy_file(OVERRIDE_PROBE, probe);
	ASSERT_EQ(chmod(conf.path("").c_str(), 0755), 0);

	const auto run_probe = [&](mode_t mode) {
		EXPECT_EQ(chmod(probe.c_str(), mode), 0);
		const pid_t child = fork();
		if (!child) {
			setenv("DAT_OVERRIDE", conf.path("other.conf").c_str(), 1);
			if (setgid(65534) || setuid(65534))
				_exit(98);
			execl(probe.c_str(), "probe", nullptr);
			_exit(99);
		}
		int status = -1;
		EXPECT_EQ(waitpid(child, &status, 0), child);
		return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	};
	ASSERT_EQ(run_probe(0755), 1) << "sees the override";
	EXPECT_EQ(run_probe(04755), 0) << "does not see it";
}

} // namespace

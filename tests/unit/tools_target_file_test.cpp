// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A received file appears only when it is complete, and nothing else stays.

#include "common/error.hpp"
#include "datcp/target_file.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace fs = std::filesystem;
using copy::TargetFile;

class TargetFileTest : public testing::Test {
protected:
	void SetUp() override
	{
		char name[] = "/tmp/target-file-XXXXXX";
		ASSERT_NE(mkdtemp(name), nullptr);
		directory_ = name;
	}
	void TearDown() override { fs::remove_all(directory_); }

	std::string directory() const { return directory_.string(); }
	std::size_t entries() const
	{
		return static_cast<std::size_t>(
			std::distance(fs::directory_iterator(directory_), {}));
	}
	std::string content(const std::string &name) const
	{
		std::ifstream in(directory_ / name);
		return { std::istreambuf_iterator<char>(in), {} };
	}
	void put(const std::string &name, const std::string &text) const
	{
		std::ofstream(directory_ / name) << text;
	}

	fs::path directory_;
};

static void add(TargetFile &file, std::string_view text)
{
	file.write(std::as_bytes(std::span(text)));
}

TEST_F(TargetFileTest, HasItsNameOnlyAfterCommit)
{
	TargetFile file(directory(), "name", false);

	add(file, "hello ");
	add(file, "world");
	EXPECT_FALSE(fs::exists(directory_ / "name"));
	file.commit(0644);
	EXPECT_EQ(content("name"), "hello world");
	EXPECT_EQ(entries(), 1U);
}

TEST_F(TargetFileTest, AnEmptyFileIsAFile)
{
	TargetFile(directory(), "name", false).commit(0600);
	EXPECT_TRUE(fs::exists(directory_ / "name"));
	EXPECT_EQ(fs::file_size(directory_ / "name"), 0U);
}

TEST_F(TargetFileTest, LeavesNothingWithoutCommit)
{
	{
		TargetFile file(directory(), "name", false);
		add(file, "half");
		EXPECT_EQ(entries(), 1U);
	}
	EXPECT_EQ(entries(), 0U);
}

TEST_F(TargetFileTest, DoesNotReplaceUnasked)
{
	put("name", "old");
	EXPECT_THROW(TargetFile(directory(), "name", false), tools::Error);
	EXPECT_EQ(content("name"), "old");
	EXPECT_EQ(entries(), 1U);
}

TEST_F(TargetFileTest, DoesNotReplaceAFileThatAppearedMeanwhile)
{
	{
		TargetFile file(directory(), "name", false);
		add(file, "new");
		put("name", "old");
		EXPECT_THROW(file.commit(0644), tools::Error);
	}
	EXPECT_EQ(content("name"), "old");
	EXPECT_EQ(entries(), 1U);
}

TEST_F(TargetFileTest, ReplacesWhenAsked)
{
	put("name", "old");
	TargetFile file(directory(), "name", true);
	add(file, "new");
	EXPECT_EQ(content("name"), "old");
	file.commit(0644);
	EXPECT_EQ(content("name"), "new");
}

TEST_F(TargetFileTest, GivesNoMoreThanPermissionBits)
{
	const mode_t old = umask(022);
	struct stat status;

	TargetFile(directory(), "name", false).commit(06777);
	umask(old);
	ASSERT_EQ(stat((directory_ / "name").c_str(), &status), 0);
	EXPECT_EQ(status.st_mode & 07777, 0755U);
}

TEST_F(TargetFileTest, RefusesADirectoryThatIsNotThere)
{
	EXPECT_THROW(TargetFile(directory() + "/none", "name", false), tools::Error);
}

TEST_F(TargetFileTest, ASignalRemovesWhatIsUnfinished)
{
	for (int signal : { SIGINT, SIGTERM, SIGHUP }) {
		pid_t child = fork();
		ASSERT_GE(child, 0);
		if (child == 0) {
			TargetFile file(directory(), "name", false);
			add(file, "half");
			raise(signal);
			_exit(0);
		}
		int status = 0;
		ASSERT_EQ(waitpid(child, &status, 0), child);
		ASSERT_TRUE(WIFSIGNALED(status)) << signal;
		EXPECT_EQ(WTERMSIG(status), signal);
		EXPECT_EQ(entries(), 0U) << signal;
	}
}

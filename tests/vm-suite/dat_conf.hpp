// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A dat.conf of the test's own. */
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace suite {

/** A dat.conf in the environment while the test needs it. */
class DatConf {
public:
	explicit DatConf(const std::string &text)
		: path_(std::filesystem::temp_directory_path() /
			("dat.conf-" + std::to_string(getpid())))
	{
		std::ofstream(path_) << text;
		setenv("DAT_OVERRIDE", path_.c_str(), 1);
	}
	DatConf(const DatConf &) = delete;
	DatConf &operator=(const DatConf &) = delete;
	~DatConf()
	{
		unsetenv("DAT_OVERRIDE");
		std::filesystem::remove(path_);
	}

	const std::filesystem::path &path() const noexcept { return path_; }

private:
	std::filesystem::path path_;
};

} // namespace suite

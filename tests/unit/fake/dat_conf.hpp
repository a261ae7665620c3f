// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A dat.conf of the test's own, in a folder that goes with it.
#pragma once

#include "engine/static_registry.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace fake {

class DatConf {
public:
	DatConf()
	{
		std::string name = std::filesystem::temp_directory_path() / "dat-conf-XXXXXX";
		if (!mkdtemp(name.data()))
			throw std::runtime_error("no folder for dat.conf");
		folder_ = name;
	}
	DatConf(const DatConf &) = delete;
	DatConf &operator=(const DatConf &) = delete;
	~DatConf() { std::filesystem::remove_all(folder_); }

	std::filesystem::path path(const char *name = "dat.conf") const { return folder_ / name; }
	void write(const std::string &text, const char *name = "dat.conf") const
	{
		/* A new file, so that no two are the same by their times. */
		std::filesystem::remove(path(name));
		std::ofstream(path(name)) << text;
	}
	/** From now on it is where the library looks. */
	void use() const { kdapl::set_dat_conf(path()); }

private:
	std::filesystem::path folder_;
};

} // namespace fake

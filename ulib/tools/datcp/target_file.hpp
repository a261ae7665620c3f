// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A file that appears under its name only when it is complete.
 */
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <sys/types.h>

namespace copy {

/**
 * Collects data under a temporary name in the directory of the final one. What
 * was not committed is removed: when the object goes, and when SIGINT, SIGTERM
 * or SIGHUP ends the program (one object at a time has that protection).
 */
class TargetFile {
public:
	/** Throws when the file exists already and must not be replaced. */
	TargetFile(const std::string &directory, const std::string &name, bool replace);
	~TargetFile();
	TargetFile(const TargetFile &) = delete;
	TargetFile &operator=(const TargetFile &) = delete;

	/** Appends. */
	void write(std::span<const std::byte> bytes);
	/** Makes the data durable, and gives the file its permissions and its name. */
	void commit(mode_t permissions);
	/** The final name, with the directory. */
	const std::string &path() const { return path_; }

private:
	void create();
	void rename();

	std::string path_;
	std::string name_;
	std::string temporary_;
	bool replace_;
	bool pending_ = false;
	int directory_ = -1;
	int file_ = -1;
};

} // namespace copy

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The results of datcp, for people and for programs.
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../common/sha256.hpp"
#include "protocol.hpp"

namespace copy {

/** A file whose checksum was the same at both ends. */
struct Copied {
	std::string name;
	std::uint64_t bytes;
	double seconds;
	tools::Digest digest;
};

/** Prints a line about a file, unless the report will be JSON. */
void print_copied(const Copied &file, Mode mode, bool json);

/** The files, as JSON's array. */
nlohmann::json list_copied(const std::vector<Copied> &files);

/** Prints all files as JSON, if that is wanted. */
void print_summary(const std::vector<Copied> &files, Mode mode, const std::string &role,
		   const std::string &adapter, const std::string &peer, bool json);

} // namespace copy

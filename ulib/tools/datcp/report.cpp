// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "report.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "../common/error.hpp"
#include "../common/json.hpp"
#include "../common/progress.hpp"

namespace copy {

using nlohmann::json;

static double rate(const Copied &file)
{
	return file.seconds > 0 ? static_cast<double>(file.bytes) / file.seconds : 0;
}

json list_copied(const std::vector<Copied> &files)
{
	json list = json::array();

	for (const auto &file : files) {
		json entry = json::object();
		entry["name"] = file.name;
		entry["bytes"] = file.bytes;
		entry["seconds"] = file.seconds;
		entry["bytes_per_second"] = rate(file);
		entry["sha256"] = tools::hex_text(file.digest);
		list.push_back(entry);
	}
	return list;
}

void print_copied(const Copied &file, Mode mode, bool json)
{
	if (json)
		return;
	fmt::print("{}: {} bytes by {} in {:.2f} s ({}/s), sha256 {} at both ends\n",
		   tools::printable(file.name), file.bytes, name(mode), file.seconds,
		   tools::bytes_text(rate(file)), tools::hex_text(file.digest));
	std::fflush(stdout);
}

void print_summary(const std::vector<Copied> &files, Mode mode, const std::string &role,
		   const std::string &adapter, const std::string &peer, bool as_json)
{
	if (!as_json)
		return;
	json out = json::object();
	out["tool"] = "datcp";
	out["ok"] = true;
	out["role"] = role;
	out["adapter"] = adapter;
	out["peer"] = peer;
	out["mode"] = name(mode);
	out["files"] = list_copied(files);
	fmt::print("{}\n", tools::json_text(out));
	std::fflush(stdout);
}

} // namespace copy

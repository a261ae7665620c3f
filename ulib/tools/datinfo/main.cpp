// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * datinfo: the adapters there are, and what each of them is and can do.
 */
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../common/adapter.hpp"
#include "../common/json.hpp"
#include "../common/program.hpp"

#include "describe.hpp"

namespace {

using json = nlohmann::ordered_json;
using tools::Exit;

/* A list is one of words. */
std::string text_of(const json &value)
{
	if (value.is_array())
		return value.empty() ?
			       "none" :
			       fmt::format("{}",
					   fmt::join(value.get<std::vector<std::string>>(), ", "));
	return value.is_string() ? value.get<std::string>() : tools::json_text(value);
}

/* Members one to a line; members of members indented below their name. */
void print_table(const json &object, int indent)
{
	constexpr int column = 40;

	for (const auto &[key, value] : object.items()) {
		if (!value.is_object()) {
			fmt::print("{:{}}{:<{}}{}\n", "", indent, key, column - indent,
				   text_of(value));
		} else if (!value.empty()) {
			fmt::print("{:{}}{}\n", "", indent, key);
			print_table(value, indent + 2);
		}
	}
}

/* One that cannot be looked at does not hide the others. */
json describe_all(Exit &result)
{
	json adapters = json::array();

	for (const auto &name : tools::list_adapters()) {
		try {
			adapters.push_back(info::describe(name));
		} catch (const tools::Error &e) {
			fmt::print(stderr, "datinfo: {}: {}\n", name, e.what());
			adapters.push_back({ { "name", name }, { "error", e.what() } });
			result = Exit::Failed;
		}
	}
	return adapters;
}

void print_adapters(const json &adapters)
{
	if (adapters.empty())
		fmt::print("The kdapl module is loaded, and there is no RDMA adapter. Create one, "
			   "e.g. "
			   "'rdma link add rxe0 type rxe netdev eth0'.\n");
	for (const auto &adapter : adapters) {
		print_table(adapter, 0);
		fmt::print("\n");
	}
}

Exit run(const tools::CommonOptions &options)
{
	Exit result = Exit::Ok;
	const json adapters =
		options.ia ? json::array({ info::describe(*options.ia) }) : describe_all(result);

	if (options.json)
		fmt::print("{}\n", tools::json_text(json{ { "tool", "datinfo" },
							  { "ok", result == Exit::Ok },
							  { "adapters", adapters } },
						    2));
	else
		print_adapters(adapters);
	return result;
}

} // namespace

int main(int argc, char **argv)
{
	CLI::App app("Lists the adapters that DAT programs can open: their addresses, limits, "
		     "memory ordering, and the version of the module that serves them.",
		     "datinfo");
	tools::CommonOptions options;

	tools::add_common_options(app, options);
	return tools::run_program(app, options, argc, argv, [&] { return run(options); });
}

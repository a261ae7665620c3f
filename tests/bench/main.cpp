// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One side of one row of the benchmark, over the one interface that this
 * program is linked with. The client prints the result of a run as a line of JSON.
 */

#include "rows.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <string>

namespace {

struct Arguments {
	bench::Options options;
	bool paced = false;
	std::string address;
	std::string adapter = "rxe0";
	std::string row;
	std::uint16_t port = 7471;
};

/** One run; or one for each line that comes, so that others can run in between. */
std::function<bool()> starts(bool paced)
{
	if (paced)
		return [line = std::string()]() mutable {
			return static_cast<bool>(std::getline(std::cin, line));
		};
	return [left = 1]() mutable { return left-- > 0; };
}

void print(const Arguments &arguments, const bench::Row &row, const bench::Result &result)
{
	const double ops = 1e9 / result.ns_per_op;
	const nlohmann::json line = {
		{ "transport", bench::transport_name },
		{ "row", arguments.row },
		{ "wait", arguments.options.wait },
		{ "count", arguments.options.count },
		{ "ns_per_op", result.ns_per_op },
		{ "median_ns", result.median_ns },
		{ "ops_per_s", ops },
		{ "bytes_per_s", ops * row.size },
	};
	fmt::print("{}\n", line.dump());
	std::fflush(stdout);
}

void run(const Arguments &arguments)
{
	const bench::Row *row = bench::find_row(arguments.row);
	if (!row)
		throw std::runtime_error("there is no row " + arguments.row);

	bench::Config config = bench::row_config(*row);
	config.server = arguments.options.server;
	config.address = arguments.address;
	config.adapter = arguments.adapter;
	config.port = arguments.port;
	const auto transport = bench::make_transport(config);
	if (config.server) {
		fmt::print("ready\n");
		std::fflush(stdout);
	}

	bench::run_row(*row, *transport, arguments.options,
		       { starts(arguments.paced),
			 [&](const bench::Result &result) { print(arguments, *row, result); } });
	if (config.server)
		transport->await_end();
}

} // namespace

int main(int argc, char **argv)
{
	Arguments arguments;
	bench::Options &options = arguments.options;
	CLI::App app{ fmt::format("One side of a benchmark over {}.", bench::transport_name) };

	app.add_flag("--server", options.server, "listen; prints 'ready' when a client may come");
	app.add_option("--address", arguments.address, "the server's IPv4 address")->required();
	app.add_option("--adapter", arguments.adapter, "adapter to open (not for raw verbs)");
	app.add_option("--port", arguments.port, "port or connection qualifier");
	app.add_option("--row", arguments.row, "what to measure")->required();
	app.add_flag("--wait", options.wait, "sleep for completions instead of polling");
	app.add_option("--count", options.count, "messages to measure")->check(CLI::PositiveNumber);
	app.add_flag("--paced", arguments.paced,
		     "measure so many for each line of the standard input, until it ends");
	CLI11_PARSE(app, argc, argv);

	try {
		run(arguments);
	} catch (const std::exception &error) {
		fmt::print(stderr, "{}: {}\n", argv[0], error.what());
		return 1;
	}
	return 0;
}

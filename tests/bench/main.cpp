// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One side of one row of the benchmark, over the one interface that this
 * program is linked with. The client prints its result as a line of JSON.
 */

#include "rows.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <string>

namespace {

struct Options {
	bool server = false;
	bool wait = false;
	std::string address;
	std::string adapter = "rxe0";
	std::string row;
	std::uint16_t port = 7471;
	unsigned count = 1000;
};

void run(const Options &options)
{
	const bench::Row *row = bench::find_row(options.row);
	if (!row)
		throw std::runtime_error("there is no row " + options.row);

	bench::Config config = bench::row_config(*row);
	config.server = options.server;
	config.address = options.address;
	config.adapter = options.adapter;
	config.port = options.port;
	const auto transport = bench::make_transport(config);
	if (options.server) {
		fmt::print("ready\n");
		std::fflush(stdout);
	}

	const bench::Result result =
		bench::run_row(*row, *transport, options.server, options.wait, options.count);
	if (options.server) {
		transport->await_end();
		return;
	}
	const double ops = 1e9 / result.ns_per_op;
	const nlohmann::json line = {
		{ "transport", bench::transport_name },
		{ "row", options.row },
		{ "wait", options.wait },
		{ "count", options.count },
		{ "ns_per_op", result.ns_per_op },
		{ "median_ns", result.median_ns },
		{ "ops_per_s", ops },
		{ "bytes_per_s", ops * row->size },
	};
	fmt::print("{}\n", line.dump());
	std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
	Options options;
	CLI::App app{ fmt::format("One side of a benchmark over {}.", bench::transport_name) };

	app.add_flag("--server", options.server, "listen; prints 'ready' when a client may come");
	app.add_option("--address", options.address, "the server's IPv4 address")->required();
	app.add_option("--adapter", options.adapter, "adapter to open (not for raw verbs)");
	app.add_option("--port", options.port, "port or connection qualifier");
	app.add_option("--row", options.row, "what to measure")->required();
	app.add_flag("--wait", options.wait, "sleep for completions instead of polling");
	app.add_option("--count", options.count, "messages to measure")->check(CLI::PositiveNumber);
	CLI11_PARSE(app, argc, argv);

	try {
		run(options);
	} catch (const std::exception &error) {
		fmt::print(stderr, "{}: {}\n", argv[0], error.what());
		return 1;
	}
	return 0;
}

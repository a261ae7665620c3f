// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "json.hpp"

namespace tools {

void add_common_options(CLI::App &app, CommonOptions &options)
{
	app.set_version_flag("--version", app.get_name() + " " TOOLS_VERSION);
	app.add_option("--ia", options.ia, "Adapter to use (datinfo lists them)")
		->type_name("NAME");
	app.add_flag("--json", options.json, "Print the result as JSON on standard output");
}

/* A number that a clock can count to. */
static const CLI::Validator seconds(
	[](const std::string &text) {
		double value = 0;
		const bool is_number = CLI::detail::lexical_cast(text, value);

		return is_number && value > 0 && value <= 1e9 ?
			       std::string() :
			       fmt::format("'{}' is no number of seconds above 0", text);
	},
	"SECONDS");

void add_connection_options(CLI::App &app, ConnectionOptions &options)
{
	app.add_option("--port", options.port, "Connection qualifier to listen on or connect to")
		->check(CLI::Range(1, 65535))
		->capture_default_str();
	app.add_option("--timeout", options.timeout, "Seconds to wait for a connection")
		->check(seconds)
		->capture_default_str();
	app.add_option("--idle", options.idle, "Seconds of silence after which to give up")
		->check(seconds)
		->capture_default_str();
}

void usage_error(const std::string &sentence)
{
	throw Error(sentence, Exit::Usage);
}

static void print_json_error(const CLI::App &app, const Error &error, const nlohmann::json &done)
{
	nlohmann::json out = { { "tool", app.get_name() },
			       { "ok", false },
			       { "error", error.what() },
			       { "exit", static_cast<int>(error.code()) } };

	out.update(done);
	fmt::print("{}\n", json_text(out));
	std::fflush(stdout);
}

void complain(const CLI::App &app, const CommonOptions &options, const Error &error,
	      const nlohmann::json &done)
{
	fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
	if (error.code() == Exit::Usage)
		fmt::print(stderr, "Try '{} --help'.\n", app.get_name());
	if (options.json)
		print_json_error(app, error, done);
}

/* Of a command line that was not understood. CLI11 prints help and version as such, too. */
static int parse_failed(const CLI::App &app, const CLI::ParseError &error, int argc, char **argv)
{
	if (app.exit(error) == 0)
		return 0;
	if (std::find(argv, argv + argc, std::string_view("--json")) != argv + argc)
		print_json_error(app, Error(error.what(), Exit::Usage), nlohmann::json::object());
	return static_cast<int>(Exit::Usage);
}

/* What was not written nobody has been told. */
static void flush_output()
{
	errno = 0;
	if (std::fflush(stdout) || std::ferror(stdout))
		throw errno_error("write to standard output", errno ? errno : EIO);
}

int run_program(CLI::App &app, const CommonOptions &options, int argc, char **argv,
		const std::function<Exit()> &body)
{
	try {
		app.parse(argc, argv);
	} catch (const CLI::ParseError &e) {
		return parse_failed(app, e, argc, argv);
	}
	try {
		const Exit result = body();
		flush_output();
		return static_cast<int>(result);
	} catch (const Error &e) {
		complain(app, options, e);
		return static_cast<int>(e.code());
	} catch (const std::exception &e) {
		complain(app, options, Error(e.what()));
		return static_cast<int>(Exit::Failed);
	}
}

} // namespace tools

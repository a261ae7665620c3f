// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the tools have in common as programs: options, exit codes, how an error
 * is told.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "error.hpp"

namespace tools {

/** Options that every tool has. */
struct CommonOptions {
	std::optional<std::string> ia;
	bool json = false;
};

/** Options of the tools that connect. */
struct ConnectionOptions {
	std::uint64_t port;
	double timeout = 10;
	double idle = 30;
};

/** Adds --version, --ia and --json. */
void add_common_options(CLI::App &app, CommonOptions &options);

/** Adds --port, --timeout and --idle. */
void add_connection_options(CLI::App &app, ConnectionOptions &options);

/** Adds an option that is one of several words. */
template <class T>
CLI::Option *add_choice(CLI::App &app, const std::string &option, T &value,
			const std::map<std::string, T> &choices, const std::string &standard,
			const std::string &description)
{
	std::vector<std::string> words;
	std::string list;

	for (const auto &choice : choices) {
		words.push_back(choice.first);
		list += (list.empty() ? "" : "|") + choice.first;
	}
	return app
		.add_option_function<std::string>(
			option, [&](const std::string &word) { value = choices.at(word); },
			description)
		->check(CLI::IsMember(words).description(""))
		->type_name(list)
		->default_str(standard);
}

/** Throws a usage error. */
[[noreturn]] void usage_error(const std::string &sentence);

/** Parses the command line, then runs the tool. Errors: see complain(). Returns the exit code. */
int run_program(CLI::App &app, const CommonOptions &options, int argc, char **argv,
		const std::function<Exit()> &body);

/**
 * Prints "NAME: sentence" to stderr and, with --json, {"ok": false, ...} to stdout.
 * @param done  members for that object: what was done before the error
 */
void complain(const CLI::App &app, const CommonOptions &options, const Error &error,
	      const nlohmann::json &done = nlohmann::json::object());

} // namespace tools

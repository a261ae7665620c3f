// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * datping: messages between two machines, each one verified, with their
 * latency and rate.
 */
#include <cstdio>

#include <fmt/format.h>

#include "../common/program.hpp"
#include "../common/progress.hpp"

#include "client.hpp"
#include "report.hpp"
#include "server.hpp"

namespace {

using tools::Exit;

struct Options {
	tools::CommonOptions common;
	tools::ConnectionOptions connection{ 45248 };
	bool server = false;
	bool once = false;
	std::optional<std::string> connect;
	ping::Hello hello;
	bool wait = false;
};

/* What is to be measured, the client says. */
void define_test(CLI::App &app, CLI::Option *server, Options &o)
{
	static const std::map<std::string, ping::Mode> modes = { { "send", ping::Mode::Send },
								 { "write", ping::Mode::Write },
								 { "read", ping::Mode::Read } };
	static const std::map<std::string, ping::Verify> verifies = {
		{ "none", ping::Verify::None },
		{ "ends", ping::Verify::Ends },
		{ "all", ping::Verify::All }
	};

	tools::add_choice(app, "--mode", o.hello.mode, modes, "send", "How data moves")
		->excludes(server);
	app.add_option("--size", o.hello.size, "Bytes in a message")
		->capture_default_str()
		->excludes(server);
	app.add_option("--count", o.hello.count, "Messages")
		/* Of 64 bits: a negative one would be taken for a large one. */
		->check([](const std::string &text) {
			return text.starts_with('-') ? text + " is no number of messages" :
						       std::string();
		})
		->capture_default_str()
		->excludes(server);
	app.add_option("--depth", o.hello.depth,
		       fmt::format("Messages under way at a time, at most {}", ping::max_depth))
		->capture_default_str()
		->excludes(server);
	auto *wait = app.add_flag("--wait", o.wait, "Sleep until something happens (default)");
	app.add_flag("--poll", o.hello.poll, "Ask all the time whether something happened")
		->excludes(wait);
	tools::add_choice(app, "--verify", o.hello.verify, verifies, "all",
			  "Messages to fill with a pattern and check")
		->excludes(server);
}

void define(CLI::App &app, Options &o)
{
	tools::add_common_options(app, o.common);
	tools::add_connection_options(app, o.connection);
	auto *role = app.add_option_group("role", "What to be (one of these)");
	auto *server = role->add_flag("--server", o.server, "Answer clients");
	role->add_option("--connect", o.connect,
			 "Measure against the server at ADDR, ADDR:PORT or [IPV6]:PORT")
		->type_name("ADDR");
	role->require_option(1);
	app.add_flag("--once", o.once, "Server: exit after one client")->needs(server);
	define_test(app, server, o);
}

/* Empty where all arrived as it was sent. */
std::string what_is_wrong(const ping::Report &report)
{
	if (report.local.wrong)
		return fmt::format("{} of the messages that arrived here are wrong: {}",
				   report.local.wrong, report.local.first);
	if (report.remote.wrong)
		return fmt::format("{} of the messages that arrived at the server are wrong; its "
				   "own output says more",
				   report.remote.wrong);
	return {};
}

Exit run_client(const Options &o)
{
	auto where = tools::parse_host_port(*o.connect);
	if (!where)
		tools::usage_error(fmt::format(
			"'{}' is no address (ADDR, ADDR:PORT or [IPV6]:PORT)", *o.connect));
	const std::vector<tools::Address> peers = tools::resolve(where->host);

	if (!o.hello.acceptable())
		tools::usage_error(fmt::format(
			"size, count and depth must be at least 1 (size 0 works in mode send), "
			"depth at most {}, and the buffers at most {} MiB: these would take {}",
			ping::max_depth, ping::max_memory / (1 << 20),
			tools::bytes_text(o.hello.memory())));
	auto [adapter, peer] = tools::open_route(o.common.ia, peers);
	ping::Client client(adapter, o.hello);
	ping::Report report = client.run({ peer, where->port.value_or(o.connection.port),
					   tools::Seconds(o.connection.timeout),
					   tools::Seconds(o.connection.idle) });
	ping::print_report(o.hello, report, adapter.name(), peer.text(), o.common.json);
	const std::string wrong = what_is_wrong(report);
	if (wrong.empty())
		return Exit::Ok;
	/* The report on standard output is the one JSON value. */
	fmt::print(stderr, "datping: {}\n", wrong);
	return Exit::Failed;
}

/* Serves one client; whatever goes wrong with it is no reason to stop serving. */
Exit serve_one(const CLI::App &app, const Options &o, const tools::Adapter &adapter,
	       tools::Request request)
{
	const std::string peer = request.from.text();
	ping::ServerOptions options{ std::nullopt, tools::Seconds(o.connection.timeout),
				     tools::Seconds(o.connection.idle) };

	if (o.wait || o.hello.poll)
		options.waiting = o.wait ? tools::Waiting::Sleep : tools::Waiting::Poll;
	try {
		ping::Served served = ping::serve(adapter, std::move(request), options);
		ping::print_served(served, adapter.name(), peer, o.common.json);
		return served.verdict.wrong ? Exit::Failed : Exit::Ok;
	} catch (const tools::Error &e) {
		tools::complain(
			app, o.common,
			tools::Error(fmt::format("client {}: {}", peer, e.what()), e.code()));
		return e.code();
	}
}

Exit run_server(const CLI::App &app, const Options &o)
{
	tools::Adapter adapter = tools::open_adapter(o.common.ia);
	tools::Listener listener(adapter, o.connection.port);

	fmt::print(stderr, "datping: listening on {} ({}) port {}\n", adapter.name(),
		   adapter.address().text(), o.connection.port);
	for (;;) {
		Exit result = serve_one(app, o, adapter, listener.next());
		if (o.once)
			return result;
	}
}

} // namespace

int main(int argc, char **argv)
{
	CLI::App app("Moves messages between two machines by DAT and verifies each of them; "
		     "prints latency percentiles and rates.",
		     "datping");
	Options options;

	define(app, options);
	return tools::run_program(app, options.common, argc, argv, [&] {
		return options.server ? run_server(app, options) : run_client(options);
	});
}

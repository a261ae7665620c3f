// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * datcp: copies files to a listening peer by RDMA.
 */
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "../common/program.hpp"
#include "../common/progress.hpp"

#include "receiver.hpp"
#include "sender.hpp"

namespace {

using tools::Exit;

struct Options {
	tools::CommonOptions common;
	tools::ConnectionOptions connection{ 45249 };
	bool listen = false;
	bool once = false;
	bool force = false;
	bool progress = false;
	std::optional<std::string> directory;
	std::optional<std::string> output;
	std::vector<std::string> arguments;
	copy::Mode mode = copy::Mode::Write;
	std::optional<std::uint32_t> chunk;
	std::uint16_t slots = 4;

	copy::Patience patience() const
	{
		return { tools::Seconds(connection.timeout), tools::Seconds(connection.idle) };
	}
	bool show_progress() const { return progress || tools::stderr_is_terminal(); }
};

/* What only one of the two roles knows, the other one refuses. */
void define_sender(CLI::App &app, CLI::Option *listen, Options &o)
{
	static const std::map<std::string, copy::Mode> modes = { { "write", copy::Mode::Write },
								 { "read", copy::Mode::Read },
								 { "send", copy::Mode::Send } };

	app.add_option("arguments", o.arguments,
		       "Files to copy, and the peer: ADDR, ADDR:PORT or [IPV6]:PORT")
		->type_name("FILE... ADDR");
	tools::add_choice(app, "--mode", o.mode, modes, "write", "How data moves")
		->excludes(listen);
	app.add_option("--chunk", o.chunk,
		       "Bytes moved at a time (1 MiB; 256 KiB in mode send; less where the "
		       "adapter allows less)")
		->check(CLI::Range(copy::min_chunk, copy::max_chunk))
		->type_name("BYTES")
		->excludes(listen);
	app.add_option("--slots", o.slots, "Chunks under way at a time")
		->check(CLI::Range(1, int{ copy::max_slots }))
		->capture_default_str()
		->excludes(listen);
}

void define_receiver(CLI::App &app, CLI::Option *listen, Options &o)
{
	auto *directory = app.add_option("--output-dir", o.directory,
					 "Receiver: directory to put files into (.)")
				  ->check(CLI::ExistingDirectory)
				  ->type_name("DIR")
				  ->needs(listen);
	app.add_option("--output", o.output, "Receiver: name to give to the one file that comes")
		->excludes(directory)
		->needs(listen)
		->type_name("FILE");
	app.add_flag("--force", o.force, "Receiver: replace files that exist")->needs(listen);
	app.add_flag("--once", o.once, "Receiver: exit after one sender")->needs(listen);
}

void define(CLI::App &app, Options &o)
{
	tools::add_common_options(app, o.common);
	tools::add_connection_options(app, o.connection);
	auto *listen = app.add_flag("--listen", o.listen, "Receive files instead of sending them");
	define_sender(app, listen, o);
	define_receiver(app, listen, o);
	app.add_flag("--progress", o.progress, "Show progress even if stderr is no terminal");
}

/* How to move data: what was asked for, else what this adapter can do at best. */
copy::Hello negotiable(const Options &o, const tools::Adapter &adapter)
{
	const std::uint64_t usual = o.mode == copy::Mode::Send ? 256U << 10 : 1U << 20;
	const DAT_IA_ATTR &attr = adapter.attr();
	copy::Hello how;

	how.mode = o.mode;
	how.slots = o.slots;
	how.chunk = o.chunk.value_or(static_cast<std::uint32_t>(std::min(
		{ usual, std::uint64_t{ attr.max_lmr_block_size },
		  std::uint64_t{ attr.max_message_size }, std::uint64_t{ attr.max_rdma_size } })));
	return how;
}

/* With the files that have their names at the receiver, whatever became of the others. */
Exit failed(const CLI::App &app, const Options &o, const tools::Error &error,
	    const std::vector<copy::Copied> &files)
{
	tools::complain(app, o.common, error, { { "files", copy::list_copied(files) } });
	return error.code();
}

Exit run_sender(const CLI::App &app, const Options &o)
{
	if (o.arguments.size() < 2)
		tools::usage_error("name at least one file and the address to copy it to");
	auto where = tools::parse_host_port(o.arguments.back());
	if (!where)
		tools::usage_error(fmt::format(
			"'{}' is no address (ADDR, ADDR:PORT or [IPV6]:PORT)", o.arguments.back()));
	copy::SendJob job;
	job.files.assign(o.arguments.begin(), o.arguments.end() - 1);
	copy::check_sources(job.files);
	const std::vector<tools::Address> peers = tools::resolve(where->host);
	job.port = where->port.value_or(o.connection.port);
	job.patience = o.patience();
	job.progress = o.show_progress();

	auto [adapter, peer] = tools::open_route(o.common.ia, peers);
	job.peer = peer;
	std::vector<copy::Copied> files;
	job.how = negotiable(o, adapter);
	job.copied = [&](const copy::Copied &file) {
		copy::print_copied(file, o.mode, o.common.json);
		files.push_back(file);
	};
	try {
		copy::send_files(adapter, job);
	} catch (const tools::Error &e) {
		return failed(app, o, e, files);
	}
	copy::print_summary(files, o.mode, "sender", adapter.name(), job.peer.text(),
			    o.common.json);
	return Exit::Ok;
}

/* Receives from one sender; what goes wrong with it is no reason to stop. */
Exit receive_one(const CLI::App &app, const Options &o, const tools::Adapter &adapter,
		 copy::ReceiveJob job, tools::Request request)
{
	const std::string peer = request.from.text();
	std::vector<copy::Copied> files;

	job.copied = [&](const copy::Copied &file, copy::Mode mode) {
		copy::print_copied(file, mode, o.common.json);
		files.push_back(file);
	};
	try {
		copy::Mode mode = copy::receive_files(adapter, std::move(request), job);
		copy::print_summary(files, mode, "receiver", adapter.name(), peer, o.common.json);
		return Exit::Ok;
	} catch (const tools::Error &e) {
		return failed(app, o,
			      tools::Error(fmt::format("sender {}: {}", peer, e.what()), e.code()),
			      files);
	}
}

/* What would only be found out when the data has come. */
void check_target(const copy::ReceiveJob &job)
{
	std::error_code none;

	if (!std::filesystem::is_directory(job.directory, none))
		tools::usage_error(fmt::format("'{}' is no directory", job.directory));
	if (job.name && std::filesystem::is_directory(job.directory + "/" + *job.name, none))
		tools::usage_error(
			fmt::format("'{}' is a directory: --output-dir takes those", *job.name));
}

copy::ReceiveJob receive_job(const Options &o)
{
	copy::ReceiveJob job;

	job.directory = o.directory.value_or(".");
	if (o.output) {
		std::filesystem::path path(*o.output);
		job.name = path.filename();
		job.directory = path.has_parent_path() ? path.parent_path() : ".";
		if (job.name->empty() || *job.name == "." || *job.name == "..")
			tools::usage_error(fmt::format("'{}' is no name for a file", *o.output));
	}
	check_target(job);
	job.replace = o.force;
	job.patience = o.patience();
	job.progress = o.show_progress();
	return job;
}

Exit run_receiver(const CLI::App &app, const Options &o)
{
	if (!o.arguments.empty())
		tools::usage_error("--listen takes neither files nor an address");
	copy::ReceiveJob job = receive_job(o);
	tools::Adapter adapter = tools::open_adapter(o.common.ia);
	tools::Listener listener(adapter, o.connection.port);

	fmt::print(stderr, "datcp: listening on {} ({}) port {}\n", adapter.name(),
		   adapter.address().text(), o.connection.port);
	for (;;) {
		Exit result = receive_one(app, o, adapter, job, listener.next());
		if (o.once)
			return result;
	}
}

} // namespace

int main(int argc, char **argv)
{
	CLI::App app("Copies files to a listening peer by RDMA, and compares their SHA-256 at both "
		     "ends. A file gets its name at the receiver only when it is complete.",
		     "datcp");
	Options options;

	define(app, options);
	return tools::run_program(app, options.common, argc, argv, [&] {
		return options.listen ? run_receiver(app, options) : run_sender(app, options);
	});
}

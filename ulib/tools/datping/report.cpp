// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "report.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "../common/json.hpp"
#include "../common/progress.hpp"

namespace ping {

using nlohmann::json;

static json describe(const Hello &hello, const std::string &adapter, const std::string &peer)
{
	return { { "tool", "datping" },
		 { "adapter", adapter },
		 { "peer", peer },
		 { "mode", name(hello.mode) },
		 { "size", hello.size },
		 { "count", hello.count },
		 { "depth", hello.depth },
		 { "completion", hello.poll ? "poll" : "wait" },
		 { "verify", name(hello.verify) } };
}

static double microseconds(std::uint64_t ns)
{
	return static_cast<double>(ns) / 1000;
}

/* What the time of one message spans. */
static std::string_view latency_spans(const Hello &hello)
{
	if (hello.mode == Mode::Send)
		return "message and answer";
	if (hello.mode == Mode::Write && hello.verify == Verify::All)
		return "write, check at the server, acknowledgement";
	return "post to completion";
}

static void print_json(const Hello &hello, const Report &report, const std::string &adapter,
		       const std::string &peer)
{
	const auto &latency = report.latency;
	const double rate = static_cast<double>(hello.count) / report.seconds;
	json out = describe(hello, adapter, peer);

	out["role"] = "client";
	out["ok"] = !report.local.wrong && !report.remote.wrong;
	out["seconds"] = report.seconds;
	out["messages_per_second"] = rate;
	out["bytes_per_second"] = rate * hello.size;
	out["latency_spans"] = latency_spans(hello);
	out["latency_us"] = { { "min", microseconds(latency.min()) },
			      { "p50", microseconds(latency.percentile(50)) },
			      { "p90", microseconds(latency.percentile(90)) },
			      { "p99", microseconds(latency.percentile(99)) },
			      { "max", microseconds(latency.max()) },
			      { "mean", latency.mean() / 1000 } };
	out["verified"] = { { "client", report.local.verified },
			    { "server", report.remote.verified } };
	out["wrong"] = { { "client", report.local.wrong }, { "server", report.remote.wrong } };
	fmt::print("{}\n", tools::json_text(out));
}

static void print_text(const Hello &hello, const Report &report, const std::string &adapter,
		       const std::string &peer)
{
	const auto &latency = report.latency;
	const double rate = static_cast<double>(hello.count) / report.seconds;

	fmt::print("{} messages of {} bytes by {} from {} to {}, depth {}, {}\n", hello.count,
		   hello.size, name(hello.mode), adapter, peer, hello.depth,
		   hello.poll ? "polling" : "waiting");
	fmt::print("  verified       {} here, {} at the server: {}\n", report.local.verified,
		   report.remote.verified,
		   report.local.wrong || report.remote.wrong ? "WRONG DATA" : "all correct");
	fmt::print("  time           {:.3f} s\n", report.seconds);
	fmt::print("  rate           {:.0f} messages/s, {}/s\n", rate,
		   tools::bytes_text(rate * hello.size));
	fmt::print("  latency [us]   min {:.1f}  p50 {:.1f}  p90 {:.1f}  p99 {:.1f}  max {:.1f}\n",
		   microseconds(latency.min()), microseconds(latency.percentile(50)),
		   microseconds(latency.percentile(90)), microseconds(latency.percentile(99)),
		   microseconds(latency.max()));
	fmt::print("                 ({})\n", latency_spans(hello));
}

void print_report(const Hello &hello, const Report &report, const std::string &adapter,
		  const std::string &peer, bool json)
{
	if (json)
		print_json(hello, report, adapter, peer);
	else
		print_text(hello, report, adapter, peer);
	std::fflush(stdout);
}

void print_served(const Served &served, const std::string &adapter, const std::string &peer,
		  bool as_json)
{
	if (as_json) {
		json out = describe(served.hello, adapter, peer);
		out["role"] = "server";
		out["ok"] = served.verdict.wrong == 0;
		out["verified"] = { { "server", served.verdict.verified } };
		out["wrong"] = { { "server", served.verdict.wrong } };
		fmt::print("{}\n", tools::json_text(out));
	} else {
		fmt::print("{}: {} messages of {} bytes by {}, {} verified here: {}\n", peer,
			   served.hello.count, served.hello.size, name(served.hello.mode),
			   served.verdict.verified,
			   served.verdict.wrong ? served.verdict.first : "all correct");
	}
	std::fflush(stdout);
}

} // namespace ping

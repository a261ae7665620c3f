// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/** The rows of the benchmark: what is sent, how deep, and what is timed. */
#pragma once

#include "transport.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

namespace bench {

enum class Pattern {
	ping_pong, /**< one message on the way; both sides send */
	stream, /**< many sends on the way, one direction */
	write, /**< many RDMA writes on the way; the server sleeps */
	read, /**< many RDMA reads on the way; the server sleeps */
};

struct Row {
	std::string_view name;
	Pattern pattern;
	std::uint32_t size; /**< bytes of one message */
	unsigned depth; /**< messages on the way at a time */
	unsigned recvs; /**< receives kept posted */
	unsigned take; /**< completions taken before the program does something else */
};

/** nullptr when there is no such row. */
const Row *find_row(std::string_view name);

/** The configuration that a row needs; the caller adds who and where. */
Config row_config(const Row &row);

struct Result {
	double ns_per_op; /**< over the whole run */
	double median_ns; /**< ping-pong: half a round trip; else as ns_per_op */
};

struct Options {
	bool server = false;
	bool wait = false; /**< sleep for completions instead of polling */
	unsigned count = 1000; /**< messages of a run */
};

/** When runs begin, and what becomes of their results. */
struct Pace {
	std::function<bool()> next; /**< wait for the next run; false when there is none */
	std::function<void(const Result &)> done; /**< the client's, of a run */
};

/** One side of a row over a fresh transport: connects, does all runs, ends. */
void run_row(const Row &row, Transport &transport, const Options &options, const Pace &pace);

} // namespace bench

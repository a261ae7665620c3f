// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A progress bar on stderr, and amounts in words.
 */
#pragma once

#include <cstdint>
#include <string>

#include "deadline.hpp"

namespace tools {

/** Bytes with a unit, e.g. "1.5 GiB". */
std::string bytes_text(double bytes);

/** Shows how far a transfer is: redrawn on a terminal, a line a second elsewhere. */
class Progress {
public:
	/** Shows nothing when off. */
	Progress(bool on, std::string label, std::uint64_t total);
	~Progress();
	Progress(const Progress &) = delete;
	Progress &operator=(const Progress &) = delete;

	/** Tells how many bytes of the total are done. */
	void update(std::uint64_t done);

private:
	void draw(std::uint64_t done, Clock::time_point now);

	bool on_;
	bool terminal_;
	std::string label_;
	std::uint64_t total_;
	Clock::time_point start_;
	Clock::time_point next_;
	bool drawn_ = false;
};

/** Whether stderr is a terminal, so that a bar makes sense unasked. */
bool stderr_is_terminal();

} // namespace tools

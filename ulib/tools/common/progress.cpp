// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "progress.hpp"

#include <array>
#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

namespace tools {

std::string bytes_text(double bytes)
{
	static constexpr std::array units = { "B", "KiB", "MiB", "GiB", "TiB" };
	std::size_t unit = 0;

	while (bytes >= 1024 && unit + 1 < units.size()) {
		bytes /= 1024;
		unit++;
	}
	return unit ? fmt::format("{:.1f} {}", bytes, units[unit]) :
		      fmt::format("{:.0f} {}", bytes, units[unit]);
}

bool stderr_is_terminal()
{
	return isatty(STDERR_FILENO) == 1;
}

Progress::Progress(bool on, std::string label, std::uint64_t total)
	: on_(on), terminal_(stderr_is_terminal()), label_(std::move(label)), total_(total),
	  start_(Clock::now()), next_(start_)
{
}

Progress::~Progress()
{
	if (drawn_ && terminal_)
		fmt::print(stderr, "\n");
}

void Progress::update(std::uint64_t done)
{
	if (!on_)
		return;
	auto now = Clock::now();
	if (now < next_ && done < total_)
		return;
	next_ = now + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(1));
	draw(done, now);
}

void Progress::draw(std::uint64_t done, Clock::time_point now)
{
	constexpr std::size_t width = 30;
	double part = total_ ? static_cast<double>(done) / static_cast<double>(total_) : 1;
	double seconds = Seconds(now - start_).count();
	double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
	auto full = static_cast<std::size_t>(part * width);
	std::string bar = std::string(full, '#') + std::string(width - full, '.');
	std::string left = "--:--";

	if (rate > 0) {
		auto s = static_cast<std::uint64_t>(static_cast<double>(total_ - done) / rate);
		left = fmt::format("{:02}:{:02}", s / 60, s % 60);
	}
	fmt::print(stderr, "{}{} [{}] {:3.0f} %  {} of {}  {}/s  {} left{}", terminal_ ? "\r" : "",
		   label_, bar, part * 100, bytes_text(static_cast<double>(done)),
		   bytes_text(static_cast<double>(total_)), bytes_text(rate), left,
		   terminal_ ? "\033[K" : "\n");
	std::fflush(stderr);
	drawn_ = true;
}

} // namespace tools

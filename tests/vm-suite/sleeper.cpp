// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "sleeper.hpp"

#include <chrono>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace suite {

/* The kernel shows the system call of a thread that sleeps, and of no other. */
bool sleeps_in_module(pid_t thread)
{
	std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/syscall");
	std::string number;

	file >> number;
	return number == std::to_string(SYS_ioctl);
}

Sleeper::Sleeper(std::function<DAT_RETURN()> call, Location where)
{
	result_ = std::async(std::launch::async, [this, call = std::move(call)] {
		tid_ = gettid();
		const DAT_RETURN result = call();
		rusage usage{};
		sys(getrusage(RUSAGE_THREAD, &usage));
		sleeps_ = usage.ru_nvcsw;
		return result;
	});
	const auto deadline = std::chrono::steady_clock::now() + patience();
	while (!asleep()) {
		require(!over(), "the call does not wait", where);
		require(std::chrono::steady_clock::now() < deadline, "the call does not sleep",
			where);
		std::this_thread::yield();
	}
	first_sleep_ = sleeps_so_far();
}

bool Sleeper::over() const
{
	return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

/** What getrusage() tells the thread itself. The sleep that it is in counts. */
long Sleeper::sleeps_so_far() const
{
	std::ifstream file("/proc/self/task/" + std::to_string(tid_) + "/status");
	const std::string name = "voluntary_ctxt_switches:";

	for (std::string line; std::getline(file, line);) {
		if (line.starts_with(name))
			return std::stol(line.substr(name.size()));
	}
	throw Failure("a thread has no count of its sleeps", Location::current());
}

void Sleeper::signal(int number) const
{
	sys(syscall(SYS_tgkill, getpid(), tid_.load(), number));
}

bool Sleeper::asleep() const
{
	return tid_ && sleeps_in_module(tid_);
}

} // namespace suite

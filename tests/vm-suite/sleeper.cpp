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

namespace {

long sleeps_so_far()
{
	rusage usage{};

	sys(getrusage(RUSAGE_THREAD, &usage));
	return usage.ru_nvcsw;
}

} // namespace

Sleeper::Sleeper(std::function<DAT_RETURN()> call, Location where)
{
	result_ = std::async(std::launch::async, [this, call = std::move(call)] {
		const long before = sleeps_so_far();
		tid_ = gettid();
		const DAT_RETURN result = call();
		sleeps_ = sleeps_so_far() - before;
		return result;
	});
	const auto deadline = std::chrono::steady_clock::now() + patience();
	while (!asleep()) {
		require(!over(), "the call does not wait", where);
		require(std::chrono::steady_clock::now() < deadline, "the call does not sleep",
			where);
		std::this_thread::yield();
	}
}

bool Sleeper::over() const
{
	return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void Sleeper::signal(int number) const
{
	sys(syscall(SYS_tgkill, getpid(), tid_.load(), number));
}

/** The kernel shows the system call of a thread that sleeps, and of no other. */
bool Sleeper::asleep() const
{
	if (!tid_)
		return false;
	std::ifstream file("/proc/self/task/" + std::to_string(tid_) + "/syscall");
	std::string number;

	file >> number;
	return number == std::to_string(SYS_ioctl);
}

} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "play.hpp"

#include "module_state.hpp"
#include "settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace suite {

namespace {

using Clock = std::chrono::steady_clock;

/** What the child's checks found, for the parent to report. */
void write_failures(int report_fd)
{
	const testing::TestResult &result =
		*testing::UnitTest::GetInstance()->current_test_info()->result();

	for (int i = 0; i < result.total_part_count(); i++) {
		const testing::TestPartResult &part = result.GetTestPartResult(i);

		if (!part.failed())
			continue;
		if (part.file_name())
			dprintf(report_fd, "%s:%d: ", part.file_name(), part.line_number());
		dprintf(report_fd, "%s\n", part.message());
	}
}

/** The child: runs the program and tells by its exit status how it went. */
[[noreturn]] void perform(const Program &program, int line_fd, int report_fd, pid_t parent)
{
	testing::TestEventListeners &listeners = testing::UnitTest::GetInstance()->listeners();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	delete listeners.Release(listeners.default_result_printer());
	try {
		Line line(line_fd);
		program(line);
	} catch (const std::exception &failure) {
		ADD_FAILURE() << failure.what();
	}
	write_failures(report_fd);
	std::fflush(nullptr);
	_exit(testing::Test::HasFailure() ? 1 : 0);
}

/** A process that runs a program. */
class Actor {
public:
	Actor(const Program &program, int line_fd, int other_fd, Ending ending) : ending_(ending)
	{
		pid_t parent = getpid();

		std::fflush(nullptr);
		report_fd_ = static_cast<int>(sys(memfd_create("report", MFD_CLOEXEC)));
		pid_ = static_cast<pid_t>(sys(fork()));
		if (pid_ == 0) {
			close(other_fd);
			perform(program, line_fd, report_fd_, parent);
		}
		pidfd_ = static_cast<int>(sys(syscall(SYS_pidfd_open, pid_, 0)));
	}
	Actor(const Actor &) = delete;
	Actor &operator=(const Actor &) = delete;
	~Actor()
	{
		if (pidfd_ >= 0)
			end();
		close(report_fd_);
	}

	/** True when the process is over and ended as it should. */
	bool await(Clock::time_point deadline)
	{
		auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline -
										  Clock::now());
		pollfd poll_fd{ .fd = pidfd_, .events = POLLIN, .revents = 0 };

		if (poll(&poll_fd, 1, std::max<int>(0, static_cast<int>(left.count()))) == 1)
			return reap();
		ADD_FAILURE() << "a program hangs and is killed";
		end();
		return false;
	}

private:
	bool reap()
	{
		int status = 0;

		sys(waitpid(pid_, &status, 0));
		close(pidfd_);
		pidfd_ = -1;
		if (ending_ == Ending::killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			return true;
		if (ending_ == Ending::by_itself && WIFEXITED(status) && WEXITSTATUS(status) == 0)
			return true;
		if (WIFSIGNALED(status))
			ADD_FAILURE() << "a program was ended by signal " << WTERMSIG(status);
		else
			ADD_FAILURE() << report();
		return false;
	}

	void end()
	{
		kill(pid_, SIGKILL);
		waitpid(pid_, nullptr, 0);
		close(pidfd_);
		pidfd_ = -1;
	}

	std::string report() const
	{
		std::string text(1 << 16, '\0');
		ssize_t size = pread(report_fd_, text.data(), text.size(), 0);

		text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
		return text.empty() ? "a program failed without a word" : text;
	}

	Ending ending_;
	int report_fd_ = -1;
	pid_t pid_ = -1;
	int pidfd_ = -1;
};

/** After a failure the other program gets little time to see that it is alone. */
void await_all(std::vector<std::unique_ptr<Actor>> &actors)
{
	Clock::time_point deadline = Clock::now() + test_limit();

	for (auto &actor : actors) {
		if (!actor->await(deadline))
			deadline = std::min(deadline, Clock::now() + std::chrono::seconds(5));
	}
}

void perform_all(const Program &first, const Program *second, Ending ending)
{
	std::vector<std::unique_ptr<Actor>> actors;
	std::array<int, 2> fds{};

	sys(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds.data()));
	actors.push_back(std::make_unique<Actor>(first, fds[0], fds[1], Ending::by_itself));
	if (second)
		actors.push_back(std::make_unique<Actor>(*second, fds[1], fds[0], ending));
	close(fds[0]);
	close(fds[1]);
	await_all(actors);
	actors.clear();
	expect_nothing_left();
}

} // namespace

void play(const Program &program)
{
	perform_all(program, nullptr, Ending::by_itself);
}

void play(const Program &first, const Program &second, Ending ending)
{
	perform_all(first, &second, ending);
}

} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "heir.hpp"

#include <csignal>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace suite {

pid_t make_heir(const Line &line)
{
	/* Behind fork() the library would close them. */
	pid_t heir = static_cast<pid_t>(sys(_Fork()));

	if (heir)
		return heir;
	while (!line.ready())
		usleep(10000);
	_exit(0);
}

void end_process(pid_t pid)
{
	int fd = static_cast<int>(sys(syscall(SYS_pidfd_open, pid, 0)));
	pollfd over{ .fd = fd, .events = POLLIN, .revents = 0 };

	sys(kill(pid, SIGKILL));
	sys(poll(&over, 1, -1));
	close(fd);
}

} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "line.hpp"

#include "settings.hpp"

#include <poll.h>
#include <sys/socket.h>

namespace suite {

void Line::send_bytes(const void *bytes, std::size_t size, const Location &where)
{
	long sent = sys(::send(fd_, bytes, size, MSG_NOSIGNAL), where);

	require(static_cast<std::size_t>(sent) == size, "a message was cut", where);
}

void Line::await_readable(const Location &where)
{
	pollfd poll_fd{ .fd = fd_, .events = POLLIN, .revents = 0 };
	int timeout = static_cast<int>(patience().count());

	require(sys(poll(&poll_fd, 1, timeout), where) == 1, "the other program says nothing",
		where);
}

void Line::receive_bytes(void *bytes, std::size_t size, const Location &where)
{
	await_readable(where);
	long received = sys(recv(fd_, bytes, size, MSG_TRUNC), where);

	require(received != 0, "the other program is gone", where);
	require(static_cast<std::size_t>(received) == size, "the other program says another thing",
		where);
}

bool Line::ready() const
{
	pollfd poll_fd{ .fd = fd_, .events = POLLIN, .revents = 0 };

	return sys(poll(&poll_fd, 1, 0)) == 1;
}

void Line::await_end(const Location where)
{
	char byte;

	await_readable(where);
	require(sys(recv(fd_, &byte, 1, 0), where) == 0, "the other program still talks", where);
}

} // namespace suite

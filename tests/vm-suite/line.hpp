// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The line that two test programs agree on things over; no part of DAT. */
#pragma once

#include "failure.hpp"

#include <cstddef>
#include <type_traits>

namespace suite {

/** One end of a line of messages between two programs. */
class Line {
public:
	explicit Line(int fd) noexcept : fd_(fd) {}

	/** Send a value; the other end receives one of the same type. */
	template <typename T>
	void send(const T &value, Location where = Location::current())
	{
		static_assert(std::is_trivially_copyable_v<T>);
		send_bytes(&value, sizeof value, where);
	}

	/** Receive a value; fails when the other end is gone or takes too long. */
	template <typename T>
	T receive(Location where = Location::current())
	{
		static_assert(std::is_trivially_copyable_v<T>);
		T value;
		receive_bytes(&value, sizeof value, where);
		return value;
	}

	/** Tell the other program that it may go on. */
	void tell(Location where = Location::current()) { send('.', where); }

	/** Wait until the other program tells. */
	void await(Location where = Location::current()) { receive<char>(where); }

	/** Both programs have come here. */
	void meet(Location where = Location::current())
	{
		tell(where);
		await(where);
	}

	/** Whether the other program has said something, or is gone. */
	bool ready() const;

	/** Wait until the other program is gone. */
	void await_end(Location where = Location::current());

private:
	void send_bytes(const void *bytes, std::size_t size, const Location &where);
	void receive_bytes(void *bytes, std::size_t size, const Location &where);
	void await_readable(const Location &where);

	int fd_;
};

} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a test program throws when it cannot go on, and the checks that throw
 * it. The process that runs the program turns it into a failure of the test.
 */
#pragma once

#include "dat_version.hpp"

#include <stdexcept>
#include <string>

namespace suite {

/** A place in the source: that of the call where it is the default of a parameter. */
class Location {
public:
	static constexpr Location current(const char *file = __builtin_FILE(),
					  unsigned line = __builtin_LINE()) noexcept
	{
		return Location(file, line);
	}

	constexpr const char *file_name() const noexcept { return file_; }
	constexpr unsigned line() const noexcept { return line_; }

private:
	constexpr Location(const char *file, unsigned line) noexcept : file_(file), line_(line) {}

	const char *file_;
	unsigned line_;
};

/** A test program cannot go on. */
class Failure : public std::runtime_error {
public:
	Failure(const std::string &what, const Location &where);
};

/** The name of a result: "DAT_INVALID_STATE (DAT_INVALID_STATE_EP_CONNECTED)". */
std::string result_name(DAT_RETURN result);

/** Fails unless the condition holds. */
void require(bool condition, const std::string &what, Location where = Location::current());

/** Fails unless a DAT call succeeded. */
void ok(DAT_RETURN result, Location where = Location::current());

/** Fails unless a DAT call failed with this type, the error class bit included. */
void fails(DAT_RETURN_TYPE type, DAT_RETURN result, Location where = Location::current());

/** Fails with errno's text unless a system call gave something not negative. */
long sys(long result, Location where = Location::current());

} // namespace suite

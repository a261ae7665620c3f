// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program that gets no memory any more. */
#pragma once

#include "failure.hpp"

#include <sys/resource.h>

namespace suite {

/** While it lives nothing can be mapped, no stack of a new thread either. */
class NoMemory {
public:
	NoMemory()
	{
		sys(getrlimit(RLIMIT_AS, &before_));
		rlimit none = before_;
		none.rlim_cur = 1 << 20;
		sys(setrlimit(RLIMIT_AS, &none));
	}
	NoMemory(const NoMemory &) = delete;
	NoMemory &operator=(const NoMemory &) = delete;
	~NoMemory() { setrlimit(RLIMIT_AS, &before_); }

private:
	rlimit before_{};
};

} // namespace suite

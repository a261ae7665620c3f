// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A page that who touches it waits for: a call that pins it stays in the module. */
#pragma once

#include "failure.hpp"

namespace suite {

class HeldPage {
public:
	explicit HeldPage(Location where = Location::current());
	HeldPage(const HeldPage &) = delete;
	HeldPage &operator=(const HeldPage &) = delete;
	~HeldPage();

	/** Whether the kernel has what this is made of. */
	static bool possible();

	void *address() const noexcept { return address_; }
	/** Returns when somebody waits for the page. */
	void await_touch(Location where = Location::current());
	/** Lets everybody have it. */
	void release() noexcept;

private:
	int fd_;
	void *address_;
};

} // namespace suite

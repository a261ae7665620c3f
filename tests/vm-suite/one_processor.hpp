// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Workers of the kernel on one processor, where a program goes before them: what
 * they still have to do when it is woken waits until it sleeps, and then they
 * overtake each other.
 */
#pragma once

#include <string>

namespace suite {

class OneProcessor {
public:
	/** Until it goes, workers that are bound to no processor run on the first alone. */
	OneProcessor();
	OneProcessor(const OneProcessor &) = delete;
	OneProcessor &operator=(const OneProcessor &) = delete;
	~OneProcessor();

	/** The caller's thread goes there, too, and before all of them. */
	static void move_in();

private:
	std::string before_;
};

} // namespace suite

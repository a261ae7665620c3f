// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A process that has copies of another one's files, also when that one is gone. */
#pragma once

#include "line.hpp"

#include <sys/types.h>

namespace suite {

/**
 * Makes a child that has this program's files, and does nothing with them. It ends by
 * end_process(), or when the other program says something or is gone.
 */
pid_t make_heir(const Line &line);

/** Ends a process, whosever child it is: its files are closed on return. */
void end_process(pid_t pid);

} // namespace suite

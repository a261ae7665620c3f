// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every test is a play of one or more programs, each in a process of its own.
 * The process of GoogleTest never opens the device: it starts the programs,
 * waits for them up to a limit, ends those that hang, and then looks whether
 * the module holds anything that they left behind.
 */
#pragma once

#include "line.hpp"

#include <functional>

namespace suite {

/** What a program does; the line leads to the other program. */
using Program = std::function<void(Line &)>;

/** How a program is supposed to end. */
enum class Ending { by_itself, killed };

/** Runs one program. */
void play(const Program &program);

/**
 * Runs two programs that talk to each other.
 *
 * @param ending  how the second one ends: another program kills it, or not
 */
void play(const Program &first, const Program &second, Ending ending = Ending::by_itself);

} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The instruction that instructions.cpp waits for: one that does nothing, with a place in
 * memory that is never looked at. No compiler makes this one.
 */
#pragma once

#include <array>

// nopl 0x7461646b(%rax,%rax,1); the number is "kdat".
#define MARK_INSTRUCTION ".byte 0x0f, 0x1f, 0x84, 0x00, 0x6b, 0x64, 0x61, 0x74"
inline constexpr std::array<unsigned char, 8> mark_code = { 0x0f, 0x1f, 0x84, 0x00,
							    0x6b, 0x64, 0x61, 0x74 };

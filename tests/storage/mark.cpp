// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Executes the instruction at which instructions.cpp writes down how many there were.
 */

#include "mark.hpp"

int main()
{
	asm volatile(MARK_INSTRUCTION);
}

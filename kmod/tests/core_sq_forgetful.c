// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The submission ring with one fault: the look at the tail that comes after
 * NEED_WAKEUP was set sees what the look before saw.
 */

#define SQ_VARIANT forgetful
#include "core_sq_variant.h"

static bool forgets;

static u32 forgetful_load(u32 *tail)
{
	static u32 last;

	if (forgets)
		forgets = false;
	else
		/* As the one that it stands for. */
		last = smp_load_acquire(tail);
	return last;
}

#undef smp_load_acquire
/* Not a barrier: the variant's own, above. */
#define smp_load_acquire(tail)	forgetful_load(tail)
#undef udelay
#define udelay(us)		(sq_test_pause(us), forgets = true)
#include "../sq.c"

SQ_VARIANT_TABLE;

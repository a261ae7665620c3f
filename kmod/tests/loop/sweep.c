// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A test again and again, with a failure one allocation later each time. Which
 * allocations count is set in debugfs, in failslab: see tests/vm-suite/ksweep.sh.
 */

#include <linux/sched.h>

#include "loop.h"

#define MOST	2000U

static bool armed, sparing;

/* As in /proc/PID/fail-nth; it counts down, and is 0 when the failure was. */
static unsigned int *fail_nth(void)
{
#ifdef CONFIG_FAULT_INJECTION
	return &current->fail_nth;
#else
	static unsigned int never;

	return &never;
#endif
}

bool loop_was_hit(void)
{
	return armed && !READ_ONCE(*fail_nth());
}

bool loop_spares(void)
{
	return sparing;
}

unsigned int loop_spare(void)
{
	unsigned int left = READ_ONCE(*fail_nth());

	if (!sparing || !left)
		return 0;
	armed = false;
	WRITE_ONCE(*fail_nth(), 0);
	return left;
}

void loop_spare_no_more(unsigned int left)
{
	if (!left)
		return;
	WRITE_ONCE(*fail_nth(), left);
	armed = true;
}

static bool run_armed(const struct loop_test *test, unsigned int nth)
{
	bool hit;

	armed = true;
	WRITE_ONCE(*fail_nth(), nth);
	test->run();
	hit = loop_was_hit();
	WRITE_ONCE(*fail_nth(), 0);
	armed = false;
	return hit;
}

/* False: nothing failed, or what it left behind is in loop.why. */
static bool sweep_once(const struct loop_test *test, unsigned int nth)
{
	bool hit = false;

	loop_begin();
	if (loop_fine())
		hit = run_armed(test, nth);
	if (hit) {
		/* Something had to go wrong. From now on nothing may. */
		loop.why[0] = 0;
		loop_give_up();
	}
	loop_end();
	return hit && loop_fine();
}

unsigned int loop_sweep(const struct loop_test *test, bool own,
			unsigned int step)
{
	unsigned int hits = 0;

	sparing = own;
	while (hits < MOST && sweep_once(test, hits * step + 1))
		hits++;
	EXPECT(hits > 0 || own || loop.skip);
	EXPECT(hits < MOST);
	return hits;
}

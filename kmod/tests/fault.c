// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Failures on demand. */

#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "fault.h"

/*
 * Only @task itself writes the rest while it is armed.
 *
 * @task: whose calls are counted, NULL for nobody's
 * @left: how many until one fails; 0: that one is over
 * @hit: which one it was
 */
static struct {
	struct task_struct *task;
	unsigned int left;
	const char *hit;
} fault;

void fault_arm(unsigned int nth)
{
	fault.left = nth;
	fault.hit = NULL;
	WRITE_ONCE(fault.task, current);
}

const char *fault_disarm(void)
{
	const char *hit = fault.hit;

	WRITE_ONCE(fault.task, NULL);
	fault.hit = NULL;
	return hit;
}

bool fault_was_hit(void)
{
	return fault.hit;
}

bool fault_hit(const char *call)
{
	if (!in_task() || READ_ONCE(fault.task) != current)
		return false;
	if (!fault.left || --fault.left)
		return false;
	fault.hit = call;
	return true;
}

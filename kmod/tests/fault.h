/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failures on demand: of the calls that can fail (for memory, to the device, to
 * the connection manager) the n-th one that a test makes does. They are those of
 * core_alloc.h, and of the functions that the tests play.
 */
#ifndef KDAPL_TEST_FAULT_H
#define KDAPL_TEST_FAULT_H

#include <linux/types.h>

/* From now on the calling thread's @nth such call fails; the first one is 1. */
void fault_arm(unsigned int nth);
/* No call fails any more. Return: the one that did, or NULL. */
const char *fault_disarm(void);
/* A call has failed since fault_arm(). */
bool fault_was_hit(void);

/*
 * @call is made: whether it shall fail. Any context; work items, softirqs and
 * other threads are never hit, since what they do is not in the same order each
 * time.
 */
bool fault_hit(const char *call);

#endif /* KDAPL_TEST_FAULT_H */

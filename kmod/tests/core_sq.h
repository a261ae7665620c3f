/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The submission ring under test, and a variant of it that forgets one step.
 *
 * Both stop where the module's parameter sq_pause_us says: the ring was found
 * empty, NEED_WAKEUP is still clear. What a program posts there finds no flag
 * and does not ring. The forgetful variant does not look at the tail again
 * after it has set the flag: a test for lost posts that cannot catch it would
 * be worth nothing.
 *
 * sq.c is compiled twice with its functions renamed (core_sq_variant.h); what
 * the rest of the module calls leads to the variant in use.
 */
#ifndef KDAPL_TEST_CORE_SQ_H
#define KDAPL_TEST_CORE_SQ_H

#include <linux/atomic.h>

#include "../sq.h"

struct sq_variant {
	int (*init)(struct kdapl_sq *sq, struct kdapl_ia *ia, u32 entries);
	void (*destroy)(struct kdapl_sq *sq);
	void (*kick)(struct kdapl_sq *sq);
	void (*drain)(struct kdapl_sq *sq);
	void (*sync)(struct kdapl_sq *sq);
	void (*stop)(struct kdapl_sq *sq);
	void (*doorbell)(struct kdapl_sq *sq);
	void (*doorbell_atomic)(struct kdapl_sq *sq);
	bool (*has_few)(const struct kdapl_sq *sq);
	void (*counters)(u64 *posts, u64 *doorbells);
	void (*set_pause)(unsigned int us);
};

extern const struct sq_variant product_sq, forgetful_sq;
extern const struct sq_variant *sq_used;	/* product_sq unless changed */

/**
 * struct sq_halt - what happens where the module stops
 * @fn: called there with the ring's lock held; NULL to wait as long as the
 *	parameter says
 * @context: for @fn
 * @count: how often the module stopped
 */
struct sq_halt {
	void (*fn)(void *context);
	void *context;
	atomic_t count;
};

extern struct sq_halt sq_halt;
void sq_test_pause(unsigned int us);

#endif /* KDAPL_TEST_CORE_SQ_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes a variant of sq.c. To be included once, after SQ_VARIANT was defined
 * as the prefix of its names, and before any other header; then include
 * ../sq.c and SQ_VARIANT_TABLE.
 */
#define SQ_NAME(name)		CONCATENATE(SQ_VARIANT, name)

#define kdapl_sq_init		SQ_NAME(_init)
#define kdapl_sq_destroy	SQ_NAME(_destroy)
#define kdapl_sq_kick		SQ_NAME(_kick)
#define kdapl_sq_drain		SQ_NAME(_drain)
#define kdapl_sq_sync		SQ_NAME(_sync)
#define kdapl_sq_stop		SQ_NAME(_stop)
#define kdapl_sq_doorbell	SQ_NAME(_doorbell)
#define kdapl_sq_doorbell_atomic	SQ_NAME(_doorbell_atomic)
#define kdapl_sq_has_few	SQ_NAME(_has_few)
#define kdapl_sq_counters	SQ_NAME(_counters)

#include <linux/args.h>
#include <linux/build_bug.h>
#include <linux/delay.h>
#include <linux/moduleparam.h>

#include "../ep.h"
#include "../ia.h"
#include "core_sq.h"

/* The variants share no parameter: the tests set it by a call. */
#undef module_param
#undef MODULE_PARM_DESC
#define module_param(name, type, perm)	static_assert(sizeof(name) && (perm))
#define MODULE_PARM_DESC(name, text)	static_assert(sizeof(name) && sizeof(text))

#undef udelay
#define udelay(us)			sq_test_pause(us)

#define SQ_VARIANT_TABLE						\
static void set_pause(unsigned int us)					\
{									\
	WRITE_ONCE(sq_pause_us, us);					\
}									\
									\
const struct sq_variant SQ_NAME(_sq) = {				\
	.init = kdapl_sq_init,						\
	.destroy = kdapl_sq_destroy,					\
	.kick = kdapl_sq_kick,						\
	.drain = kdapl_sq_drain,					\
	.sync = kdapl_sq_sync,						\
	.stop = kdapl_sq_stop,						\
	.doorbell = kdapl_sq_doorbell,					\
	.doorbell_atomic = kdapl_sq_doorbell_atomic,			\
	.has_few = kdapl_sq_has_few,					\
	.counters = kdapl_sq_counters,					\
	.set_pause = set_pause,						\
}

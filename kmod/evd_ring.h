/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the EVD share: evd.c, evd_ring.c and evd_wait.c. The caller of
 * all of it holds the EVD's lock, or is alone with an EVD that is new or dead. Where the
 * lock is let go softirqs are off by local_bh_disable(), or this is one of them.
 */
#ifndef KDAPL_EVD_RING_H
#define KDAPL_EVD_RING_H

#include "evd.h"

/* Events in the ring, as far as the program tells. */
u32 kdapl_evd_in_ring(struct kdapl_evd *evd);

/* Set a flag of the ring, KDAPL_EV_*, or take it away. */
void kdapl_evd_set_flag(struct kdapl_evd *evd, u32 flag, bool on);

/* From now on its events go to @region, a ring of @qlen. */
void kdapl_evd_use(struct kdapl_evd *evd, struct kdapl_region *region, u32 qlen);

/*
 * Move what waits into the ring, as far as there is room. The lock is let go
 * meanwhile, and the EVD may be dead on return.
 */
void kdapl_evd_refill(struct kdapl_evd *evd);

/* Release all that waits, of an EVD that is dead. The lock is let go meanwhile. */
void kdapl_evd_drop_backlog(struct kdapl_evd *evd);

/*
 * An event came. A wake-up nobody waits for is not issued; who waits for more of
 * them keeps the CNO from being triggered, too.
 */
void kdapl_evd_wake_up(struct kdapl_evd *evd);
static inline void kdapl_evd_wake(struct kdapl_evd *evd, bool quiet)
{
	if (evd->dead || (quiet && evd->notify != KDAPL_NOTIFY_THRESHOLD))
		return;
	if (evd->arrived || evd->wait_threshold || evd->cno)
		kdapl_evd_wake_up(evd);
}

/* Records went that told (@told) of what came before, too: that may still be there. */
void kdapl_evd_keep_told(struct kdapl_evd *evd, bool told);

#endif /* KDAPL_EVD_RING_H */

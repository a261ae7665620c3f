/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registered memory of an EP that data of transfers go through (rw.h), where the device
 * has no key for all memory and so cannot get at the consumer's.
 *
 * A piece is an LMR of the IA, made when it is first needed, and the EP's until it is
 * freed, reset or gets another PZ: registering takes longer than copying. The next peer
 * gets others, since a peer may know a piece's key, and what it may do by that is read the
 * data of the one before, or make the key invalid. There are as many as the longest
 * transfer takes, and KDAPL_BOUNCES at least before anyone has to wait for others to come
 * back.
 */
#ifndef KDAPL_BOUNCE_H
#define KDAPL_BOUNCE_H

#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/types.h>

struct kdapl_ep;

#define KDAPL_BOUNCE_SIZE	SZ_64K
#define KDAPL_BOUNCES		64

struct kdapl_bounce {
	struct list_head list;	/* the EP's; its lock guards it */
	unsigned long busy;	/* bit 0 */
	bool stale;		/* it was in use when the others were dropped */
	void *at;		/* NULL: not made */
	u32 lmr;		/* its id */
	u32 pz;			/* that it was made for */
};

/**
 * kdapl_bounce_get() - take pieces
 * @ep: of a kernel consumer
 * @pz: its PZ's id
 * @n: how many
 * @piece: all NULL; out: @n of them, the caller's until kdapl_bounce_put()
 *
 * All of them, or none. Process context, and not in a handler of rdma_cm: it may be that
 * a connection is made to register by. Not with the EP's mutex held, which such handlers
 * take.
 *
 * Return: 0; -ENOSPC: others have to come back first; -ENOMEM; -ENODEV; -EINTR: a fatal
 * signal; what registering says.
 */
int kdapl_bounce_get(struct kdapl_ep *ep, u32 pz, unsigned int n,
		     struct kdapl_bounce **piece);

/* Any context, with or without the EP's lock. */
void kdapl_bounce_put(struct kdapl_bounce *bounce);

/* Process context: those that nobody has are freed, the others when they are needed again. */
void kdapl_bounce_drop(struct kdapl_ep *ep);

#endif /* KDAPL_BOUNCE_H */

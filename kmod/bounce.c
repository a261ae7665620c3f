// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Registered memory that data of transfers go through. */

#include <linux/gfp.h>
#include <linux/slab.h>

#include "bounce.h"
#include "ep.h"
#include "ia.h"
#include "kmem.h"
#include "lmr.h"

static void put_all(struct kdapl_bounce **piece, unsigned int n)
{
	while (n--)
		if (piece[n])
			kdapl_bounce_put(piece[n]);
}

/*
 * Of those that are free as many as there are up to @n, and leave for the rest to be
 * added. In one go: two callers would keep from each other what is left.
 */
static int bounce_claim(struct kdapl_ep *ep, unsigned int n,
			struct kdapl_bounce **piece)
{
	unsigned int most = max_t(unsigned int, n, KDAPL_BOUNCES), found = 0;
	struct kdapl_bounce *bounce;
	bool room;

	spin_lock_bh(&ep->lock);
	list_for_each_entry(bounce, &ep->bounces, list) {
		if (found == n)
			break;
		/* Pairs with kdapl_bounce_put(): what was in it is copied. */
		if (!test_and_set_bit_lock(0, &bounce->busy))
			piece[found++] = bounce;
	}
	room = ep->num_bounces + n - found <= most;
	if (room)
		ep->num_bounces += n - found;
	spin_unlock_bh(&ep->lock);
	if (room)
		return found;
	put_all(piece, found);
	return -ENOSPC;
}

/* Those that were left: the caller's from the start. */
static int bounce_add(struct kdapl_ep *ep, unsigned int n,
		      struct kdapl_bounce **piece)
{
	struct kdapl_bounce *bounce;

	for (; n; n--) {
		bounce = kzalloc(sizeof(*bounce), GFP_KERNEL);
		if (!bounce)
			break;
		bounce->busy = 1;
		*piece++ = bounce;
		spin_lock_bh(&ep->lock);
		list_add_tail(&bounce->list, &ep->bounces);
		spin_unlock_bh(&ep->lock);
	}
	if (!n)
		return 0;
	spin_lock_bh(&ep->lock);
	ep->num_bounces -= n;
	spin_unlock_bh(&ep->lock);
	return -ENOMEM;
}

static int bounce_make(struct kdapl_ia *ia, u32 pz, struct kdapl_bounce *bounce)
{
	/* Of all of it the peer may learn the key (a read's sink), and read by that. */
	void *at = alloc_pages_exact(KDAPL_BOUNCE_SIZE,
				     GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	const struct kdapl_kmem mem = {
		.type = KDAPL_KMEM_VIRTUAL,
		.va = at,
		.length = KDAPL_BOUNCE_SIZE,
	};
	struct kdapl_lmr_create arg = {
		.pz = pz,
		.privileges = KDAPL_PRIV_LOCAL_READ | KDAPL_PRIV_LOCAL_WRITE,
	};
	int ret;

	if (!at)
		return -ENOMEM;
	WRITE_ONCE(bounce->stale, false);
	arg.addr = (uintptr_t)at;
	ret = kdapl_lmr_create_over(ia, &arg, &mem);
	if (ret) {
		free_pages_exact(at, KDAPL_BOUNCE_SIZE);
		return ret;
	}
	bounce->at = at;
	bounce->lmr = arg.id;
	bounce->pz = pz;
	return 0;
}

static void bounce_unmake(struct kdapl_ia *ia, struct kdapl_bounce *bounce)
{
	if (!bounce->at)
		return;
	kdapl_obj_destroy(ia, bounce->lmr, KDAPL_OBJ_LMR);
	free_pages_exact(bounce->at, KDAPL_BOUNCE_SIZE);
	bounce->at = NULL;
}

/* Those that are new, or of the EP's former connection or PZ. */
static int make_all(struct kdapl_ia *ia, u32 pz, unsigned int n,
		    struct kdapl_bounce **piece)
{
	int ret = kdapl_ia_enter(ia);
	unsigned int i;

	if (ret)
		return ret;
	for (i = 0; !ret && i < n; i++) {
		if (piece[i]->at && piece[i]->pz == pz &&
		    !READ_ONCE(piece[i]->stale))
			continue;
		bounce_unmake(ia, piece[i]);
		ret = bounce_make(ia, pz, piece[i]);
	}
	kdapl_ia_leave(ia);
	return ret;
}

int kdapl_bounce_get(struct kdapl_ep *ep, u32 pz, unsigned int n,
		     struct kdapl_bounce **piece)
{
	int found = bounce_claim(ep, n, piece), ret;

	if (found < 0)
		return found;
	ret = bounce_add(ep, n - found, piece + found);
	if (!ret)
		ret = make_all(ep->obj.ia, pz, n, piece);
	if (ret)
		put_all(piece, n);
	return ret;
}

void kdapl_bounce_put(struct kdapl_bounce *bounce)
{
	clear_bit_unlock(0, &bounce->busy);
}

void kdapl_bounce_drop(struct kdapl_ep *ep)
{
	struct kdapl_bounce *bounce, *next;
	LIST_HEAD(dropped);

	spin_lock_bh(&ep->lock);
	list_for_each_entry_safe(bounce, next, &ep->bounces, list) {
		if (test_and_set_bit_lock(0, &bounce->busy)) {
			WRITE_ONCE(bounce->stale, true);
			continue;
		}
		list_move(&bounce->list, &dropped);
		ep->num_bounces--;
	}
	spin_unlock_bh(&ep->lock);
	list_for_each_entry_safe(bounce, next, &dropped, list) {
		bounce_unmake(ep->obj.ia, bounce);
		kfree(bounce);
	}
}

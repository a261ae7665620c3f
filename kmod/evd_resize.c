// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A longer event ring for an EVD, in two steps: the program has to map the new
 * ring before events go there. A ring only ever grows. A program that wants a
 * shorter one keeps what it has, which holds at least as much.
 */

#include <linux/log2.h>

#include "evd.h"
#include "ia.h"

static int resize_prepare(struct kdapl_evd *evd, struct kdapl_evd_resize *arg)
{
	u32 qlen = roundup_pow_of_two(arg->qlen);
	struct kdapl_region *region = NULL;
	int ret = 0;

	/* It only grows: where it is long enough now it stays so. */
	if (qlen > READ_ONCE(evd->qlen)) {
		ret = kdapl_evd_ring_create(evd->obj.ia, qlen, &region);
		if (ret)
			return ret;
	}

	spin_lock_bh(&evd->lock);
	if (evd->dead) {
		ret = -ENOENT;
	} else if (qlen > evd->qlen) {
		swap(evd->next, region);
		evd->next_qlen = qlen;
		arg->qlen = qlen;
		arg->ring = kdapl_region_map(evd->next, 0);
	} else if (kdapl_evd_queued(evd) > arg->qlen) {
		ret = -EBADFD;
	} else {
		arg->qlen = evd->qlen;
		arg->ring = kdapl_region_map(evd->region, 0);
	}
	spin_unlock_bh(&evd->lock);

	/* One that was prepared earlier, or that is not needed any more. */
	if (region)
		kdapl_region_free(&evd->obj.ia->regions, region);
	return ret;
}

static int resize_commit(struct kdapl_evd *evd, struct kdapl_evd_resize *arg)
{
	struct kdapl_region *old = NULL;
	int ret = -ENOENT;

	spin_lock_bh(&evd->lock);
	if (!evd->dead)
		ret = kdapl_evd_move(evd);
	if (!ret) {
		old = evd->next;
		evd->next = NULL;
		arg->qlen = evd->qlen;
		arg->ring = kdapl_region_map(evd->region, 0);
	}
	spin_unlock_bh(&evd->lock);

	if (old)
		kdapl_region_free(&evd->obj.ia->regions, old);
	/* There is room for what waits. */
	if (!ret)
		kdapl_evd_fill(evd);
	return ret;
}

int kdapl_evd_resize(struct kdapl_evd *evd, struct kdapl_evd_resize *arg)
{
	if (arg->flags == KDAPL_EVD_RESIZE_COMMIT)
		return resize_commit(evd, arg);
	if (arg->flags || !arg->qlen)
		return -EINVAL;
	if (arg->qlen > KDAPL_EVD_QLEN_MAX)
		return -ENOSPC;
	return resize_prepare(evd, arg);
}

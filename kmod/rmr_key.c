// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An RMR by its key, the RMR context: a read of the program's writes to what is bound
 * to one, and a peer's message makes one invalid.
 */

#include "frwr.h"
#include "ia.h"
#include "rmr.h"

/* Caller holds the RMR's lock. Only what is bound is not being freed. */
static enum kdapl_dto_status window_sge(const struct kdapl_window *window,
					const struct kdapl_seg *seg,
					struct ib_sge *sge)
{
	u64 offset;

	if (window->rmr->bound != window || window->mr->rkey != seg->lmr ||
	    !(window->privileges & KDAPL_PRIV_REMOTE_WRITE))
		return DAT_DTO_ERR_LOCAL_PROTECTION;
	/* Below the start it wraps to something larger than any window. */
	offset = seg->addr - window->addr;
	if (offset > window->length ||
	    seg->length > window->length - offset)
		return DAT_DTO_ERR_LOCAL_PROTECTION;
	sge->addr = seg->addr;
	sge->length = seg->length;
	sge->lkey = window->mr->lkey;
	return DAT_DTO_SUCCESS;
}

enum kdapl_dto_status kdapl_rmr_sge(struct kdapl_ia *ia,
				    const struct kdapl_pz *pz,
				    const struct kdapl_seg *seg,
				    struct ib_sge *sge)
{
	enum kdapl_dto_status status = DAT_DTO_ERR_LOCAL_PROTECTION;
	const struct kdapl_window *window;

	/* It keeps the RMR, too: that is freed after its windows. */
	rcu_read_lock();
	window = xa_load(&ia->windows, kdapl_key_index(seg->lmr));
	if (window && window->rmr->pz == pz) {
		spin_lock(&window->rmr->lock);
		status = window_sge(window, seg, sge);
		spin_unlock(&window->rmr->lock);
	}
	rcu_read_unlock();
	return status;
}

/*
 * It is not bound any more, and nothing is to be posted for that. Whether accesses
 * that had begun are over as well depends on the device: it is deregistered, which
 * waits. Caller holds the RMR's lock.
 */
static void window_lose(struct kdapl_window *window)
{
	window->rmr->bound = NULL;
	window->dead = true;
	if (!window->works)
		kdapl_window_bury(window);
}

u32 kdapl_rmr_lost(struct kdapl_ia *ia, u32 key)
{
	struct kdapl_window *window;

	/* See kdapl_rmr_sge(). */
	rcu_read_lock();
	window = xa_load(&ia->windows, kdapl_key_index(key));
	if (window) {
		spin_lock(&window->rmr->lock);
		/*
		 * A former key of the MR, or one to come, says nothing of it. One that
		 * is registered has a single key for life, and siw, which alone has
		 * such (for programs), looks at no more of a key than its index.
		 */
		if (window->rmr->bound == window &&
		    (window->registered || window->mr->rkey == key)) {
			key = window->mr->rkey;
			window_lose(window);
		}
		spin_unlock(&window->rmr->lock);
	}
	rcu_read_unlock();
	return key;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * EVDs for asynchronous events: an IA's own, or one that another IA of the same
 * process has lent it.
 *
 * What is lent stays its owner's, who frees it when he likes. The borrower keeps
 * the memory alone, until he is closed himself: an EVD that is dead drops its
 * events, and nothing else of its owner is touched then.
 */

#include "evd.h"
#include "ia.h"

int kdapl_evd_borrow(struct kdapl_ia *ia, struct kdapl_ia *owner, u32 id)
{
	struct kdapl_obj *obj;

	INIT_LIST_HEAD(&ia->catastrophe.list);
	if (!owner)
		return 0;
	if (owner->adapter != ia->adapter)
		return -EINVAL;
	obj = kdapl_obj_get(owner, id, KDAPL_OBJ_EVD);
	if (!obj)
		return -ENOENT;
	if (!(to_evd(obj)->flags & DAT_EVD_ASYNC_FLAG)) {
		kdapl_obj_put(obj);
		return -EINVAL;
	}
	ia->lent_evd = to_evd(obj);
	kdapl_evd_lend(ia->lent_evd);
	return 0;
}

void kdapl_evd_give_back(struct kdapl_ia *ia)
{
	if (!ia->lent_evd)
		return;
	kdapl_evd_cancel(ia->lent_evd, &ia->catastrophe);
	if (!ia->dead)
		kdapl_evd_unlend(ia->lent_evd);
	kdapl_obj_put(&ia->lent_evd->obj);
}

struct kdapl_evd *kdapl_evd_use_async(struct kdapl_ia *ia, u32 id)
{
	struct kdapl_obj *obj;

	if (!id && ia->drop_async)
		return NULL;
	if (!id)
		return ia->lent_evd ?: ERR_PTR(-ENOENT);
	obj = kdapl_obj_use(ia, id, KDAPL_OBJ_EVD);
	if (!obj)
		return ERR_PTR(-ENOENT);
	if (!(to_evd(obj)->flags & DAT_EVD_ASYNC_FLAG)) {
		kdapl_obj_unuse(obj);
		return ERR_PTR(-EINVAL);
	}
	return to_evd(obj);
}

void kdapl_evd_unuse_async(struct kdapl_ia *ia, struct kdapl_evd *evd)
{
	if (evd && evd != ia->lent_evd)
		kdapl_obj_unuse(&evd->obj);
}

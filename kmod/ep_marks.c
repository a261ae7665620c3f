// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Watermarks of an EP: how many receives it may hold. */

#include <linux/slab.h>

#include "ep.h"
#include "ia.h"

#define REASON_SOFT_MARK	2

u32 kdapl_ep_held(const struct kdapl_ep *ep)
{
	lockdep_assert_held(&ep->lock);
	/* "done" is counted under the EVD's lock: it may be a bit behind. */
	return (ep->srq ? ep->srq_taken : ep->rq.head) - READ_ONCE(ep->rq.done);
}

static void tell_soft(struct kdapl_ep *ep)
{
	const struct kdapl_event event = {
		.user = ep->obj.user,
		.type = DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR,
		.status = REASON_SOFT_MARK,
	};
	struct kdapl_evrec *rec = NULL;

	swap(rec, ep->rec_soft);
	kdapl_evd_post(ep->async_evd, &event, rec);
}

void kdapl_ep_mark_check(struct kdapl_ep *ep)
{
	u32 held;

	lockdep_assert_held(&ep->lock);
	held = kdapl_ep_held(ep);
	if (held > ep->soft_mark && ep->rec_soft)
		tell_soft(ep);
	/* Before there is a connection it waits until there is one. */
	if (held > ep->hard_mark && ep->state == KDAPL_EP_CONNECTED)
		kdapl_ep_end_locked(ep, DAT_CONNECTION_EVENT_BROKEN, false);
}

/* The EVD is the same for the EP's life: an IA has one for these events. */
static int use_async_evd(struct kdapl_ep *ep, u32 id)
{
	struct kdapl_evd *evd = kdapl_evd_use_async(ep->obj.ia, id);

	if (IS_ERR(evd))
		return PTR_ERR(evd);
	if (!ep->async_evd) {
		ep->async_evd = evd;
		return 0;
	}
	kdapl_evd_unuse_async(ep->obj.ia, evd);
	return evd == ep->async_evd ? 0 : -EINVAL;
}

int kdapl_ep_set_marks(struct kdapl_ep *ep, const struct kdapl_ep_set_marks *arg)
{
	struct kdapl_evrec *rec = kdapl_evrec_alloc(ep->obj.ia);
	int ret;

	if (!rec)
		return -ENOMEM;
	mutex_lock(&ep->mutex);
	ret = kdapl_ep_here(ep) ?: use_async_evd(ep, arg->async_evd);
	if (!ret && kdapl_evd_crowded(ep->async_evd))
		ret = -ENOMEM;
	if (!ret) {
		spin_lock_bh(&ep->lock);
		swap(ep->rec_soft, rec);
		ep->soft_mark = arg->soft;
		ep->hard_mark = arg->hard;
		kdapl_ep_check_marks(ep);
		spin_unlock_bh(&ep->lock);
	}
	mutex_unlock(&ep->mutex);
	kfree(rec);
	return ret;
}

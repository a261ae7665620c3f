// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How many receives an endpoint holds, and may hold. */

#include <linux/export.h>

#include "kapi.h"

DAT_RETURN dat_ep_recv_query(DAT_EP_HANDLE ep, DAT_COUNT *nbufs,
			     DAT_COUNT *span)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	struct kdapl_ep *core;
	DAT_COUNT held;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	core = to_ep(kep->obj.core);
	spin_lock_bh(&core->lock);
	held = kdapl_ep_held(core);
	spin_unlock_bh(&core->lock);
	/* Each receive is for a message of its own: the span has no gaps. */
	if (nbufs)
		*nbufs = held;
	if (span)
		*span = held;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ep_recv_query);

int kapi_ep_mark(struct kapi_ep *kep, DAT_COUNT soft, DAT_COUNT hard)
{
	struct kapi_ia *kia = kep->obj.ia;
	const struct kdapl_ep_set_marks arg = {
		.size = sizeof(arg),
		.ep = kep->obj.id,
		.soft = soft,
		.hard = hard,
		.async_evd = kapi_async_id(kia),
	};
	int ret;

	/* What is not set has one value on both sides. */
	BUILD_BUG_ON((u32)DAT_WATERMARK_INFINITE != KDAPL_MARK_INFINITE);
	ret = kapi_enter(kia);
	if (ret)
		return ret;
	ret = kdapl_ep_set_marks(to_ep(kep->obj.core), &arg);
	kapi_leave(kia);
	if (!ret)
		kep->attr.srq_soft_hw = soft;
	return ret;
}

static bool mark_valid(DAT_COUNT mark)
{
	return mark >= 0 || mark == DAT_WATERMARK_INFINITE;
}

DAT_RETURN dat_ep_set_watermark(DAT_EP_HANDLE ep, DAT_COUNT soft,
				DAT_COUNT hard)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	int ret;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (!mark_valid(soft))
		return KAPI_BAD_ARG(2);
	if (!mark_valid(hard))
		return KAPI_BAD_ARG(3);
	mutex_lock(&kep->lock);
	ret = kapi_ep_mark(kep, soft, hard);
	mutex_unlock(&kep->lock);
	return kapi_error(ret);
}
EXPORT_SYMBOL_GPL(dat_ep_set_watermark);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Event dispatchers. */

#include <linux/export.h>

#include <dat2/kdat_ext.h>

#include "kapi.h"

static int evd_make(struct kapi_evd *kevd, u32 qlen, u32 flags)
{
	struct kapi_ia *ia = kevd->obj.ia;
	struct kdapl_evd_create arg = {
		.size = sizeof(arg),
		.flags = flags,
		.qlen = qlen,
		/* It is in no event: only its hooks, while it lives, look. */
		.user = (uintptr_t)kevd,
	};
	int ret;

	ret = kapi_upcall_init(kevd);
	if (ret)
		return ret;
	ret = kapi_enter(ia);
	if (ret)
		return ret;
	ret = kdapl_evd_create(ia->core, &arg);
	kapi_leave(ia);
	if (ret)
		return ret;
	ret = kapi_tie(&kevd->obj, arg.id, KDAPL_OBJ_EVD);
	if (ret)
		return ret;
	kevd->evd = to_evd(kevd->obj.core);
	kdapl_evd_hook(kevd->evd, &kapi_upcall_hooks);
	kapi_upcall_set_direct(kevd, kevd->policy);
	kevd->evd->unread = kapi_event_unread;
	return 0;
}

struct kapi_evd *kapi_evd_create(struct kapi_ia *ia, DAT_COUNT qlen,
				 DAT_UPCALL_POLICY policy,
				 const DAT_UPCALL_OBJECT *upcall, u32 flags)
{
	struct kapi_evd *kevd;
	int ret;

	kevd = kapi_new(ia, DAT_HANDLE_TYPE_EVD, sizeof(*kevd));
	if (!kevd)
		return ERR_PTR(-ENOMEM);
	kevd->policy = policy;
	if (upcall)
		kevd->upcall = *upcall;
	ret = evd_make(kevd, qlen, flags);
	if (ret) {
		kapi_upcall_exit(kevd);
		kapi_forget(&kevd->obj);
		return ERR_PTR(ret);
	}
	return kevd;
}

void kapi_evd_work_stop(struct kapi_evd *kevd)
{
	if (kevd->evd->work)
		cancel_work_sync(kevd->evd->work);
}

static bool policy_valid(DAT_UPCALL_POLICY policy)
{
	return policy == DAT_UPCALL_DISABLE ||
	       policy == DAT_UPCALL_SINGLE_INSTANCE ||
	       policy == DAT_UPCALL_NOTIFY || policy == DAT_UPCALL_MANY;
}

DAT_RETURN dat_evd_kcreate(DAT_IA_HANDLE ia, DAT_COUNT min_qlen,
			   DAT_UPCALL_POLICY policy,
			   const DAT_UPCALL_OBJECT *upcall, DAT_EVD_FLAGS flags,
			   DAT_EVD_HANDLE *evd)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);
	struct kapi_evd *kevd;

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (min_qlen <= 0)
		return KAPI_BAD_ARG(2);
	if (!policy_valid(policy))
		return KAPI_BAD_ARG(3);
	if (policy != DAT_UPCALL_DISABLE && (!upcall || !upcall->upcall_func))
		return KAPI_BAD_ARG(4);
	if (!evd)
		return KAPI_BAD_ARG(6);
	kevd = kapi_evd_create(kia, min_qlen, policy, upcall, flags);
	if (IS_ERR(kevd))
		return kapi_lack(PTR_ERR(kevd), DAT_RESOURCE_TEVD);
	*evd = kevd;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_evd_kcreate);

DAT_RETURN dat_ext_evd_create(DAT_IA_HANDLE ia, DAT_COUNT min_qlen,
			      struct workqueue_struct *wq,
			      struct work_struct *work, DAT_EVD_FLAGS flags,
			      DAT_EVD_HANDLE *evd)
{
	struct kapi_evd *kevd;
	DAT_RETURN ret;

	if (!wq)
		return KAPI_BAD_ARG(3);
	if (!work)
		return KAPI_BAD_ARG(4);
	ret = dat_evd_kcreate(ia, min_qlen, DAT_UPCALL_DISABLE, NULL, flags,
			      evd);
	if (ret != DAT_SUCCESS)
		return ret;
	kevd = *evd;
	kdapl_evd_set_work(kevd->evd, wq, work);
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ext_evd_create);

DAT_RETURN dat_evd_query(DAT_EVD_HANDLE evd, DAT_EVD_PARAM_MASK mask,
			 DAT_EVD_PARAM *param)
{
	struct kapi_evd *kevd = kapi_to(evd, evd, EVD);

	if (!kevd)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	if (mask & ~DAT_EVD_FIELD_ALL)
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	spin_lock_bh(&kevd->lock);
	*param = (DAT_EVD_PARAM){
		.ia_handle = kevd->obj.ia,
		.evd_qlen = READ_ONCE(kevd->evd->qlen),
		.upcall_policy = kevd->policy,
		.upcall = kevd->upcall,
		.evd_flags = kevd->evd->flags,
	};
	spin_unlock_bh(&kevd->lock);
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_evd_query);

DAT_RETURN dat_evd_resize(DAT_EVD_HANDLE evd, DAT_COUNT qlen)
{
	struct kapi_evd *kevd = kapi_to(evd, evd, EVD);
	struct kdapl_evd_resize arg = { .size = sizeof(arg), .qlen = qlen };
	int ret;

	if (!kevd)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	if (qlen <= 0)
		return KAPI_BAD_ARG(2);
	ret = kapi_enter(kevd->obj.ia);
	if (ret)
		return kapi_error(ret);
	ret = kdapl_evd_resize(kevd->evd, &arg);
	if (!ret) {
		arg.flags = KDAPL_EVD_RESIZE_COMMIT;
		ret = kdapl_evd_resize(kevd->evd, &arg);
		/* It is long enough: there was nothing to move to. */
		if (ret == -EBADFD)
			ret = 0;
	}
	kapi_leave(kevd->obj.ia);
	return kapi_lack(ret, DAT_RESOURCE_TEVD);
}
EXPORT_SYMBOL_GPL(dat_evd_resize);

DAT_RETURN dat_evd_dequeue(DAT_EVD_HANDLE evd, DAT_EVENT *event)
{
	struct kapi_evd *kevd = kapi_to(evd, evd, EVD);
	bool found, more;

	if (!kevd)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	if (!event)
		return KAPI_BAD_ARG(2);
	/* What is fetched may be no events: softirqs get their turn between. */
	do {
		local_bh_disable();
		found = kapi_evd_next(kevd, event, NULL);
		more = !found && kdapl_evd_fetch(kevd->evd);
		local_bh_enable();
	} while (more);
	return found ? DAT_SUCCESS :
		       DAT_ERROR(DAT_QUEUE_EMPTY, DAT_NO_SUBTYPE);
}
EXPORT_SYMBOL_GPL(dat_evd_dequeue);

DAT_RETURN dat_evd_post_se(DAT_EVD_HANDLE evd, const DAT_EVENT *event)
{
	struct kapi_evd *kevd = kapi_to(evd, evd, EVD);
	void *pointer;

	if (!kevd)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	if (!event || event->event_number != DAT_SOFTWARE_EVENT)
		return KAPI_BAD_ARG(2);
	pointer = event->event_data.software_event_data.pointer;
	return kapi_error(kdapl_evd_post_se(kevd->evd, (uintptr_t)pointer));
}
EXPORT_SYMBOL_GPL(dat_evd_post_se);

DAT_RETURN dat_evd_free(DAT_EVD_HANDLE evd)
{
	struct kapi_evd *kevd = kapi_to(evd, evd, EVD);
	struct kapi_ia *ia;
	int ret;

	if (!kevd)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	ia = kevd->obj.ia;
	if (kevd == ia->async)
		return DAT_ERROR(DAT_INVALID_STATE,
				 DAT_INVALID_STATE_EVD_IN_USE);
	kdapl_ia_enter_free(ia->core);
	ret = kdapl_obj_destroy(ia->core, kevd->obj.id, KDAPL_OBJ_EVD);
	kdapl_ia_leave(ia->core);
	if (ret == -EBUSY)
		return DAT_ERROR(DAT_INVALID_STATE,
				 DAT_INVALID_STATE_EVD_IN_USE);
	if (ret)
		return kapi_error(ret);
	kapi_crs_forget(kevd->lost);
	/* Nothing arrives any more: it has no completion queues, either. */
	kapi_evd_work_stop(kevd);
	kapi_upcall_stop(kevd);
	kapi_upcall_exit(kevd);
	kapi_forget(&kevd->obj);
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_evd_free);

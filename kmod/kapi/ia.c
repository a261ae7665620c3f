// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adapters: opening and closing them. */

#include <linux/export.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "kapi.h"

/* ---- open ---------------------------------------------------------------- */

static struct kapi_ia *ia_new(void)
{
	struct kapi_ia *kia = kzalloc(sizeof(*kia), GFP_KERNEL);

	if (!kia)
		return NULL;
	kia->obj.provider = &kapi_provider;
	kia->obj.magic = KAPI_MAGIC;
	kia->obj.type = DAT_HANDLE_TYPE_IA;
	kia->obj.ia = kia;
	xa_init(&kia->live);
	if (kapi_word_give(&kia->obj)) {
		kfree(kia);
		return NULL;
	}
	return kia;
}

static void ia_forget(struct kapi_ia *kia)
{
	kapi_reserved_free(kia);
	xa_destroy(&kia->live);
	kapi_word_take(&kia->obj);
	kia->obj.magic = 0;
	kfree_rcu(&kia->obj, rcu);
}

static int ia_make_async(struct kapi_ia *kia, DAT_COUNT qlen)
{
	struct kapi_evd *kevd;

	kevd = kapi_evd_create(kia, qlen, DAT_UPCALL_DISABLE, NULL,
			       DAT_EVD_ASYNC_FLAG);
	if (IS_ERR(kevd))
		return PTR_ERR(kevd);
	kia->async = kevd;
	return 0;
}

static int ia_open(struct kapi_ia *kia, const char *name, DAT_COUNT qlen,
		   struct kapi_evd *lent)
{
	struct kdapl_ia_open arg = {
		.size = sizeof(arg),
		.async_evd = lent ? lent->obj.id : 0,
		.user = kia->obj.word,
	};
	struct kdapl_ia *core;
	int ret;

	if (strscpy(arg.name, name, sizeof(arg.name)) < 0)
		return -ENODEV;
	core = kdapl_ia_open_kernel(&arg, lent ? lent->obj.ia->core : NULL);
	if (IS_ERR(core))
		return PTR_ERR(core);
	core->cr_arrives = kapi_cr_arrives;
	kia->core = core;
	ret = kapi_reserved_make(kia);
	if (!ret && !lent)
		ret = ia_make_async(kia, qlen);
	if (ret)
		kdapl_ia_close(core);
	return ret;
}

DAT_RETURN dat_ia_openv(const DAT_NAME_PTR name, DAT_COUNT qlen,
			DAT_EVD_HANDLE *async_evd, DAT_IA_HANDLE *ia,
			DAT_UINT32 major, DAT_UINT32 minor,
			DAT_BOOLEAN threadsafe)
{
	struct kapi_evd *lent = NULL;
	struct kapi_ia *kia;
	int ret;

	if (!name)
		return KAPI_BAD_ARG(1);
	if (!async_evd || !ia)
		return async_evd ? KAPI_BAD_ARG(4) : KAPI_BAD_ARG(3);
	if (*async_evd)
		lent = kapi_to(evd, *async_evd, EVD);
	if (*async_evd && !lent)
		return KAPI_BAD_HANDLE(EVD_ASYNC);
	if (!lent && qlen <= 0)
		return KAPI_BAD_ARG(2);
	if (major != DAT_VERSION_MAJOR)
		return DAT_ERROR(DAT_PROVIDER_NOT_FOUND, DAT_MAJOR_NOT_FOUND);
	if (minor != DAT_VERSION_MINOR)
		return DAT_ERROR(DAT_PROVIDER_NOT_FOUND, DAT_MINOR_NOT_FOUND);

	kia = ia_new();
	if (!kia)
		return kapi_error(-ENOMEM);
	/* The consumer's, until it closes. It runs our code: this cannot fail. */
	__module_get(THIS_MODULE);
	ret = ia_open(kia, name, qlen, lent);
	if (ret) {
		module_put(THIS_MODULE);
		ia_forget(kia);
		return ret == -ENODEV ? DAT_ERROR(DAT_PROVIDER_NOT_FOUND,
						  DAT_NAME_NOT_REGISTERED) :
					kapi_error(ret);
	}
	if (!lent)
		*async_evd = kia->async;
	*ia = kia;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ia_openv);

/* ---- close --------------------------------------------------------------- */

/* Only its own EVD is left of its objects. */
static bool ia_unused(struct kapi_ia *kia)
{
	struct kapi_obj *obj;
	unsigned long index;

	xa_for_each(&kia->live, index, obj)
		if (!kia->async || obj != &kia->async->obj)
			return false;
	return true;
}

static void evd_quiet(struct kapi_evd *kevd)
{
	kdapl_evd_hook(kevd->evd, NULL);
	kdapl_evd_silence(kevd->evd);
	kapi_upcall_close(kevd);
}

static void each_evd(struct kapi_ia *kia, void (*act)(struct kapi_evd *kevd))
{
	struct kapi_obj *obj;
	unsigned long index;

	xa_for_each(&kia->live, index, obj)
		if (obj->type == DAT_HANDLE_TYPE_EVD)
			act(container_of(obj, struct kapi_evd, obj));
}

/* The consumer is not called any more, then everything goes. */
static void ia_close(struct kapi_ia *kia)
{
	struct kapi_obj *obj;
	unsigned long index;

	/* One EVD's upcall may want to enable another's: first all are closed. */
	each_evd(kia, evd_quiet);
	synchronize_rcu();
	each_evd(kia, kapi_evd_work_stop);
	each_evd(kia, kapi_upcall_exit);
	kdapl_ia_close(kia->core);
	xa_for_each(&kia->live, index, obj)
		kapi_forget(obj);
	ia_forget(kia);
}

DAT_RETURN dat_ia_close(DAT_IA_HANDLE ia, DAT_CLOSE_FLAGS flags)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (flags != DAT_CLOSE_ABRUPT_FLAG && flags != DAT_CLOSE_GRACEFUL_FLAG)
		return KAPI_BAD_ARG(2);
	if (flags == DAT_CLOSE_GRACEFUL_FLAG && !ia_unused(kia))
		return DAT_ERROR(DAT_INVALID_STATE,
				 DAT_INVALID_STATE_IA_IN_USE);
	ia_close(kia);
	module_put(THIS_MODULE);
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ia_close);

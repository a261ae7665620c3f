// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Handles: their life, their kind, the consumer's context. */

#include <linux/export.h>
#include <linux/slab.h>

#include "kapi.h"

static unsigned long live_index(const void *obj)
{
	/* The xarray takes what a pointer's low bits leave. */
	return (unsigned long)obj / ARCH_KMALLOC_MINALIGN;
}

bool kapi_id(DAT_HANDLE handle, DAT_HANDLE_TYPE type, u32 *id)
{
	struct kapi_obj *obj = kapi_obj(handle, type);

	*id = obj ? obj->id : 0;
	return obj || !handle;
}

void *kapi_new(struct kapi_ia *ia, DAT_HANDLE_TYPE type, size_t size)
{
	struct kapi_obj *obj = kzalloc(size, GFP_KERNEL);

	if (!obj)
		return NULL;
	obj->provider = &kapi_provider;
	obj->magic = KAPI_MAGIC;
	obj->type = type;
	obj->ia = ia;
	if (xa_err(xa_store(&ia->live, live_index(obj), obj, GFP_KERNEL))) {
		kfree(obj);
		return NULL;
	}
	return obj;
}

int kapi_tie(struct kapi_obj *obj, u32 id, enum kdapl_obj_type type)
{
	obj->id = id;
	obj->core = kdapl_obj_get(obj->ia->core, id, type);
	return obj->core ? 0 : -ENOENT;
}

void kapi_forget(struct kapi_obj *obj)
{
	xa_erase(&obj->ia->live, live_index(obj));
	obj->magic = 0;
	if (obj->core)
		kdapl_obj_put(obj->core);
	kfree_rcu(obj, rcu);
}

int kapi_destroy(struct kapi_obj *obj, enum kdapl_obj_type type)
{
	struct kapi_ia *ia = obj->ia;
	int ret;

	kdapl_ia_enter_free(ia->core);
	ret = kdapl_obj_destroy(ia->core, obj->id, type);
	kdapl_ia_leave(ia->core);
	if (!ret)
		kapi_forget(obj);
	return ret;
}

struct kapi_obj *kapi_live(struct kapi_ia *ia, u64 word)
{
	void *obj = (void *)(uintptr_t)word;

	return obj ? xa_load(&ia->live, live_index(obj)) : NULL;
}

static struct kapi_obj *any_obj(DAT_HANDLE handle)
{
	struct kapi_obj *obj = handle;

	return obj && obj->magic == KAPI_MAGIC ? obj : NULL;
}

DAT_RETURN dat_set_consumer_context(DAT_HANDLE handle, DAT_CONTEXT context)
{
	struct kapi_obj *obj = any_obj(handle);

	if (!obj)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	obj->context = context;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_set_consumer_context);

DAT_RETURN dat_get_consumer_context(DAT_HANDLE handle, DAT_CONTEXT *context)
{
	struct kapi_obj *obj = any_obj(handle);

	if (!obj)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	if (!context)
		return KAPI_BAD_ARG(2);
	*context = obj->context;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_get_consumer_context);

DAT_RETURN dat_get_handle_type(DAT_HANDLE handle, DAT_HANDLE_TYPE *type)
{
	struct kapi_obj *obj = any_obj(handle);

	if (!obj)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	if (!type)
		return KAPI_BAD_ARG(2);
	*type = obj->type;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_get_handle_type);

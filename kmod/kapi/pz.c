// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Protection zones. */

#include <linux/export.h>

#include "../pz.h"
#include "kapi.h"

DAT_RETURN dat_pz_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE *pz)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);
	struct kdapl_pz_create arg = { .size = sizeof(arg) };
	struct kapi_pz *kpz;
	int ret;

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (!pz)
		return KAPI_BAD_ARG(2);
	kpz = kapi_new(kia, DAT_HANDLE_TYPE_PZ, sizeof(*kpz));
	if (!kpz)
		return kapi_error(-ENOMEM);
	ret = kapi_enter(kia);
	if (!ret) {
		ret = kdapl_pz_create(kia->core, &arg);
		kapi_leave(kia);
	}
	if (!ret)
		ret = kapi_tie(&kpz->obj, arg.id, KDAPL_OBJ_PZ);
	if (ret) {
		kapi_forget(&kpz->obj);
		return kapi_lack(ret, DAT_RESOURCE_PROTECTION_DOMAIN);
	}
	*pz = kpz;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_pz_create);

DAT_RETURN dat_pz_query(DAT_PZ_HANDLE pz, DAT_PZ_PARAM_MASK mask,
			DAT_PZ_PARAM *param)
{
	struct kapi_obj *obj = kapi_obj(pz, DAT_HANDLE_TYPE_PZ);

	if (!obj)
		return KAPI_BAD_HANDLE(PZ);
	if (mask & ~DAT_PZ_FIELD_ALL)
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	param->ia_handle = obj->ia;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_pz_query);

DAT_RETURN dat_pz_free(DAT_PZ_HANDLE pz)
{
	struct kapi_obj *obj = kapi_obj(pz, DAT_HANDLE_TYPE_PZ);
	int ret;

	if (!obj)
		return KAPI_BAD_HANDLE(PZ);
	ret = kapi_destroy(obj, KDAPL_OBJ_PZ);
	if (ret == -EBUSY)
		return DAT_ERROR(DAT_INVALID_STATE,
				 DAT_INVALID_STATE_PZ_IN_USE);
	return kapi_error(ret);
}
EXPORT_SYMBOL_GPL(dat_pz_free);

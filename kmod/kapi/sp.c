// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Service points, public and reserved. */

#include <linux/export.h>

#include "../sp.h"
#include "kapi.h"

static int psp_make(struct kapi_sp *ksp, bool any)
{
	struct kapi_ia *kia = ksp->obj.ia;
	struct kdapl_psp_create arg = {
		.size = sizeof(arg),
		.evd = ksp->evd->id,
		.conn_qual = ksp->conn_qual,
		.user = ksp->obj.word,
	};
	int ret;

	if (any)
		arg.flags |= KDAPL_PSP_ANY;
	if (ksp->flags == DAT_PSP_PROVIDER_FLAG)
		arg.flags |= KDAPL_PSP_PROVIDER;
	ret = kapi_enter(kia);
	if (ret)
		return ret;
	ret = kdapl_psp_create(kia->core, &arg);
	kapi_leave(kia);
	WRITE_ONCE(ksp->conn_qual, arg.conn_qual);
	return ret ?: kapi_tie(&ksp->obj, arg.id, KDAPL_OBJ_PSP);
}

static DAT_RETURN psp_create(struct kapi_ia *kia, DAT_CONN_QUAL *conn_qual,
			     DAT_EVD_HANDLE evd, DAT_PSP_FLAGS flags, bool any,
			     DAT_PSP_HANDLE *psp)
{
	struct kapi_sp *ksp;
	int ret;

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (!kapi_of(kia, evd, DAT_HANDLE_TYPE_EVD))
		return KAPI_BAD_HANDLE(EVD_CR);
	if (flags != DAT_PSP_PROVIDER_FLAG && flags != DAT_PSP_CONSUMER_FLAG)
		return KAPI_BAD_ARG(4);
	if (!psp)
		return KAPI_BAD_ARG(5);
	ksp = kapi_new(kia, DAT_HANDLE_TYPE_PSP, sizeof(*ksp));
	if (!ksp)
		return kapi_error(-ENOMEM);
	ksp->evd = evd;
	ksp->flags = flags;
	ksp->conn_qual = any ? 0 : *conn_qual;
	ret = psp_make(ksp, any);
	if (ret) {
		kapi_forget(&ksp->obj);
		if (any && ret == -EADDRNOTAVAIL)
			return DAT_ERROR(DAT_CONN_QUAL_UNAVAILABLE,
					 DAT_NO_SUBTYPE);
		return kapi_error(ret);
	}
	*conn_qual = ksp->conn_qual;
	*psp = ksp;
	return DAT_SUCCESS;
}

DAT_RETURN dat_psp_create(DAT_IA_HANDLE ia, DAT_CONN_QUAL conn_qual,
			  DAT_EVD_HANDLE evd, DAT_PSP_FLAGS flags,
			  DAT_PSP_HANDLE *psp)
{
	return psp_create(kapi_to(ia, ia, IA), &conn_qual, evd, flags, false,
			  psp);
}
EXPORT_SYMBOL_GPL(dat_psp_create);

DAT_RETURN dat_psp_create_any(DAT_IA_HANDLE ia, DAT_CONN_QUAL *conn_qual,
			      DAT_EVD_HANDLE evd, DAT_PSP_FLAGS flags,
			      DAT_PSP_HANDLE *psp)
{
	if (!conn_qual)
		return KAPI_BAD_ARG(2);
	return psp_create(kapi_to(ia, ia, IA), conn_qual, evd, flags, true,
			  psp);
}
EXPORT_SYMBOL_GPL(dat_psp_create_any);

DAT_RETURN dat_psp_query(DAT_PSP_HANDLE psp, DAT_PSP_PARAM_MASK mask,
			 DAT_PSP_PARAM *param)
{
	struct kapi_sp *ksp = kapi_to(sp, psp, PSP);

	if (!ksp)
		return KAPI_BAD_HANDLE(PSP);
	if (mask & ~DAT_PSP_FIELD_ALL)
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	*param = (DAT_PSP_PARAM){
		.ia_handle = ksp->obj.ia,
		.conn_qual = READ_ONCE(ksp->conn_qual),
		.evd_handle = ksp->evd,
		.psp_flags = ksp->flags,
	};
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_psp_query);

DAT_RETURN dat_psp_free(DAT_PSP_HANDLE psp)
{
	struct kapi_sp *ksp = kapi_to(sp, psp, PSP);

	if (!ksp)
		return KAPI_BAD_HANDLE(PSP);
	return kapi_error(kapi_destroy(&ksp->obj, KDAPL_OBJ_PSP));
}
EXPORT_SYMBOL_GPL(dat_psp_free);

static int rsp_make(struct kapi_sp *ksp)
{
	struct kapi_ia *kia = ksp->obj.ia;
	struct kdapl_rsp_create arg = {
		.size = sizeof(arg),
		.evd = ksp->evd->id,
		.ep = ksp->ep ? ksp->ep->id : 0,
		.conn_qual = ksp->conn_qual,
		.user = ksp->obj.word,
	};
	int ret;

	ret = kapi_enter(kia);
	if (ret)
		return ret;
	ret = kdapl_rsp_create(kia->core, &arg);
	kapi_leave(kia);
	return ret ?: kapi_tie(&ksp->obj, arg.id, KDAPL_OBJ_RSP);
}

DAT_RETURN dat_rsp_create(DAT_IA_HANDLE ia, DAT_CONN_QUAL conn_qual,
			  DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd,
			  DAT_RSP_HANDLE *rsp)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);
	struct kapi_sp *ksp;
	int ret;

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (ep && !kapi_of(kia, ep, DAT_HANDLE_TYPE_EP))
		return KAPI_BAD_HANDLE(EP);
	if (!kapi_of(kia, evd, DAT_HANDLE_TYPE_EVD))
		return KAPI_BAD_HANDLE(EVD_CR);
	if (!rsp)
		return KAPI_BAD_ARG(5);
	ksp = kapi_new(kia, DAT_HANDLE_TYPE_RSP, sizeof(*ksp));
	if (!ksp)
		return kapi_error(-ENOMEM);
	ksp->ep = ep;
	ksp->evd = evd;
	ksp->conn_qual = conn_qual;
	ret = rsp_make(ksp);
	if (ret) {
		kapi_forget(&ksp->obj);
		return kapi_error(ret);
	}
	*rsp = ksp;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_rsp_create);

DAT_RETURN dat_rsp_query(DAT_RSP_HANDLE rsp, DAT_RSP_PARAM_MASK mask,
			 DAT_RSP_PARAM *param)
{
	struct kapi_sp *ksp = kapi_to(sp, rsp, RSP);

	if (!ksp)
		return KAPI_BAD_HANDLE(RSP);
	if (mask & ~DAT_RSP_FIELD_ALL)
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	*param = (DAT_RSP_PARAM){
		.ia_handle = ksp->obj.ia,
		.conn_qual = ksp->conn_qual,
		.evd_handle = ksp->evd,
		.ep_handle = ksp->ep,
	};
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_rsp_query);

DAT_RETURN dat_rsp_free(DAT_RSP_HANDLE rsp)
{
	struct kapi_sp *ksp = kapi_to(sp, rsp, RSP);

	if (!ksp)
		return KAPI_BAD_HANDLE(RSP);
	return kapi_error(kapi_destroy(&ksp->obj, KDAPL_OBJ_RSP));
}
EXPORT_SYMBOL_GPL(dat_rsp_free);

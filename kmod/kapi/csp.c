// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Common service points: they listen on a socket address. */

#include <linux/export.h>

#include "../sp.h"
#include "kapi.h"

static int csp_make(struct kapi_csp *kcsp, const struct kdapl_addr *addr)
{
	struct kapi_ia *kia = kcsp->obj.ia;
	struct kdapl_csp_create arg = {
		.evd = kcsp->evd->id,
		.domain = kcsp->comm.domain,
		.type = kcsp->comm.type,
		.protocol = kcsp->comm.protocol,
		.addr = *addr,
		.user = kcsp->obj.word,
	};
	int ret;

	ret = kapi_enter(kia);
	if (ret)
		return ret;
	/* A request can come, and who gets it ask for this, before the call returns. */
	kapi_sockaddr(&kcsp->address, addr);
	ret = kdapl_csp_create(kia->core, &arg, &kcsp->address);
	kapi_leave(kia);
	if (ret)
		return ret;
	return kapi_tie(&kcsp->obj, arg.id, KDAPL_OBJ_PSP);
}

static DAT_RETURN csp_error(int err)
{
	if (err == -EADDRINUSE)
		return DAT_ERROR(DAT_PORT_IN_USE, DAT_NO_SUBTYPE);
	return kapi_error(err);
}

DAT_RETURN dat_csp_create(DAT_IA_HANDLE ia, DAT_COMM *comm,
			  DAT_IA_ADDRESS_PTR address, DAT_EVD_HANDLE evd,
			  DAT_CSP_HANDLE *csp)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);
	struct kdapl_addr addr;
	struct kapi_csp *kcsp;
	int ret;

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (!comm)
		return KAPI_BAD_ARG(2);
	if (!address)
		return KAPI_BAD_ARG(3);
	if (!kapi_of(kia, evd, DAT_HANDLE_TYPE_EVD))
		return KAPI_BAD_HANDLE(EVD_CR);
	if (!csp)
		return KAPI_BAD_ARG(5);
	if (!kapi_addr(&addr, address))
		return csp_error(-EPROTONOSUPPORT);
	kcsp = kapi_new(kia, DAT_HANDLE_TYPE_CSP, sizeof(*kcsp));
	if (!kcsp)
		return kapi_error(-ENOMEM);
	kcsp->evd = evd;
	kcsp->comm = *comm;
	ret = csp_make(kcsp, &addr);
	if (ret) {
		kapi_forget(&kcsp->obj);
		return csp_error(ret);
	}
	*csp = kcsp;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_csp_create);

DAT_RETURN dat_csp_query(DAT_CSP_HANDLE csp, DAT_CSP_PARAM_MASK mask,
			 DAT_CSP_PARAM *param)
{
	struct kapi_csp *kcsp = kapi_to(csp, csp, CSP);

	if (!kcsp)
		return KAPI_BAD_HANDLE(CSP);
	if (mask & ~DAT_CSP_FIELD_ALL)
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	*param = (DAT_CSP_PARAM){
		.ia_handle = kcsp->obj.ia,
		.comm = &kcsp->comm,
		.address_ptr = (void *)&kcsp->address,
		.evd_handle = kcsp->evd,
	};
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_csp_query);

DAT_RETURN dat_csp_free(DAT_CSP_HANDLE csp)
{
	struct kapi_csp *kcsp = kapi_to(csp, csp, CSP);

	if (!kcsp)
		return KAPI_BAD_HANDLE(CSP);
	return kapi_error(kapi_destroy(&kcsp->obj, KDAPL_OBJ_PSP));
}
EXPORT_SYMBOL_GPL(dat_csp_free);

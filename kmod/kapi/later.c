// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls that are not there yet: a consumer that has them is told so.
 */

#include <linux/export.h>

#include <dat2/kdat_redirection.h>

#define NOT_YET	DAT_ERROR(DAT_NOT_IMPLEMENTED, DAT_NO_SUBTYPE)

DAT_RETURN dat_registry_providers_related(const DAT_NAME_PTR name,
					  const DAT_NAME_PTR other,
					  DAT_HA_RELATIONSHIP *answer)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_registry_providers_related);

DAT_RETURN dat_ep_common_connect(DAT_EP_HANDLE ep, DAT_IA_ADDRESS_PTR address,
				 DAT_TIMEOUT timeout, DAT_COUNT size,
				 const DAT_PVOID private_data)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_ep_common_connect);

DAT_RETURN dat_ep_post_rdma_read_to_rmr(DAT_EP_HANDLE ep,
					const DAT_RMR_TRIPLET *local,
					DAT_DTO_COOKIE cookie,
					const DAT_RMR_TRIPLET *remote,
					DAT_COMPLETION_FLAGS flags)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_ep_post_rdma_read_to_rmr);

DAT_RETURN dat_csp_create(DAT_IA_HANDLE ia, DAT_COMM *comm,
			  DAT_IA_ADDRESS_PTR address, DAT_EVD_HANDLE evd,
			  DAT_CSP_HANDLE *csp)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_csp_create);

DAT_RETURN dat_csp_query(DAT_CSP_HANDLE csp, DAT_CSP_PARAM_MASK mask,
			 DAT_CSP_PARAM *param)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_csp_query);

DAT_RETURN dat_csp_free(DAT_CSP_HANDLE csp)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_csp_free);

DAT_RETURN dat_rmr_create(DAT_PZ_HANDLE pz, DAT_RMR_HANDLE *rmr)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_rmr_create);

DAT_RETURN dat_rmr_create_for_ep(DAT_PZ_HANDLE pz, DAT_RMR_HANDLE *rmr)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_rmr_create_for_ep);

DAT_RETURN dat_rmr_query(DAT_RMR_HANDLE rmr, DAT_RMR_PARAM_MASK mask,
			 DAT_RMR_PARAM *param)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_rmr_query);

DAT_RETURN dat_rmr_bind(DAT_RMR_HANDLE rmr, DAT_LMR_HANDLE lmr,
			const DAT_LMR_TRIPLET *part,
			DAT_MEM_PRIV_FLAGS privileges, DAT_VA_TYPE va_type,
			DAT_EP_HANDLE ep, DAT_RMR_COOKIE cookie,
			DAT_COMPLETION_FLAGS flags, DAT_RMR_CONTEXT *context)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_rmr_bind);

DAT_RETURN dat_rmr_free(DAT_RMR_HANDLE rmr)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_rmr_free);

DAT_RETURN dat_registry_add_provider(const DAT_PROVIDER *provider,
				     const DAT_PROVIDER_INFO *info)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_registry_add_provider);

DAT_RETURN dat_registry_remove_provider(const DAT_PROVIDER *provider,
					const DAT_PROVIDER_INFO *info)
{
	return NOT_YET;
}
EXPORT_SYMBOL_GPL(dat_registry_remove_provider);

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The calls of 1.2 that the library does not have yet.

#include "face.hpp"

namespace {

constexpr DAT_RETURN not_implemented = DAT_ERROR(DAT_NOT_IMPLEMENTED, DAT_NO_SUBTYPE);

} // namespace

DAT_RETURN dat_ep_create_with_srq(DAT_IA_HANDLE, DAT_PZ_HANDLE, DAT_EVD_HANDLE, DAT_EVD_HANDLE,
				  DAT_EVD_HANDLE, DAT_SRQ_HANDLE, const DAT_EP_ATTR *,
				  DAT_EP_HANDLE *)
{
	return not_implemented;
}

DAT_RETURN dat_ep_set_watermark(DAT_EP_HANDLE, DAT_COUNT, DAT_COUNT)
{
	return not_implemented;
}

DAT_RETURN dat_rmr_create(DAT_PZ_HANDLE, DAT_RMR_HANDLE *)
{
	return not_implemented;
}

DAT_RETURN dat_rmr_query(DAT_RMR_HANDLE, DAT_RMR_PARAM_MASK, DAT_RMR_PARAM *)
{
	return not_implemented;
}

DAT_RETURN dat_rmr_bind(DAT_RMR_HANDLE, const DAT_LMR_TRIPLET *, DAT_MEM_PRIV_FLAGS, DAT_EP_HANDLE,
			DAT_RMR_COOKIE, DAT_COMPLETION_FLAGS, DAT_RMR_CONTEXT *)
{
	return not_implemented;
}

DAT_RETURN dat_rmr_free(DAT_RMR_HANDLE)
{
	return not_implemented;
}

DAT_RETURN dat_srq_create(DAT_IA_HANDLE, DAT_PZ_HANDLE, DAT_SRQ_ATTR *, DAT_SRQ_HANDLE *)
{
	return not_implemented;
}

DAT_RETURN dat_srq_free(DAT_SRQ_HANDLE)
{
	return not_implemented;
}

DAT_RETURN dat_srq_post_recv(DAT_SRQ_HANDLE, DAT_COUNT, DAT_LMR_TRIPLET *, DAT_DTO_COOKIE)
{
	return not_implemented;
}

DAT_RETURN dat_srq_query(DAT_SRQ_HANDLE, DAT_SRQ_PARAM_MASK, DAT_SRQ_PARAM *)
{
	return not_implemented;
}

DAT_RETURN dat_srq_resize(DAT_SRQ_HANDLE, DAT_COUNT)
{
	return not_implemented;
}

DAT_RETURN dat_srq_set_lw(DAT_SRQ_HANDLE, DAT_COUNT)
{
	return not_implemented;
}

DAT_RETURN dat_registry_add_provider(DAT_PROVIDER *, const DAT_PROVIDER_INFO *)
{
	return not_implemented;
}

DAT_RETURN dat_registry_remove_provider(DAT_PROVIDER *, const DAT_PROVIDER_INFO *)
{
	return not_implemented;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Own objects: calls whose arguments in 1.2 are not those of other versions.

#include "table.hpp"

#include "engine/lmr.hpp"

using namespace face;

static_assert(DAT_MEM_TYPE_SO_VIRTUAL == KDAPL_MEM_SO_VIRTUAL);

namespace face_own {

template <bool thread_safe>
DAT_RETURN ia_open(const DAT_NAME_PTR ia_name, DAT_COUNT async_min_qlen, DAT_EVD_HANDLE *async_evd,
		   DAT_IA_HANDLE *ia_handle, DAT_BOOLEAN ro_aware_client)
{
	return ia_open_name(ia_name, thread_safe, async_min_qlen, async_evd, ia_handle,
			    ro_aware_client);
}
template decltype(ia_open<true>) ia_open<true>;
template decltype(ia_open<false>) ia_open<false>;

DAT_RETURN dat_cr_reject(DAT_CR_HANDLE cr_handle)
{
	return call([&] { return cr_reject(cr_handle, 0, nullptr); });
}

DAT_RETURN dat_lmr_create(DAT_IA_HANDLE ia_handle, DAT_MEM_TYPE mem_type,
			  DAT_REGION_DESCRIPTION region_description, DAT_VLEN length,
			  DAT_PZ_HANDLE pz_handle, DAT_MEM_PRIV_FLAGS mem_privileges,
			  DAT_LMR_HANDLE *lmr_handle, DAT_LMR_CONTEXT *lmr_context,
			  DAT_RMR_CONTEXT *rmr_context, DAT_VLEN *registered_size,
			  DAT_VADDR *registered_address)
{
	return call([&] {
		return lmr_create({ ia_handle, mem_type, region_description, length, pz_handle,
				    mem_privileges, lmr_handle, lmr_context, rmr_context,
				    registered_size, registered_address });
	});
}

DAT_RETURN dat_rmr_bind(DAT_RMR_HANDLE rmr_handle, const DAT_LMR_TRIPLET *lmr_triplet,
			DAT_MEM_PRIV_FLAGS mem_privileges, DAT_EP_HANDLE ep_handle,
			DAT_RMR_COOKIE user_cookie, DAT_COMPLETION_FLAGS completion_flags,
			DAT_RMR_CONTEXT *context)
{
	return call([&] {
		return rmr_bind({ rmr_handle, lmr_triplet, mem_privileges, ep_handle, user_cookie,
				  completion_flags, context });
	});
}

} // namespace face_own

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Own objects: calls of 2.0 that the module has nothing for yet.

#include "table.hpp"

using face::error;

namespace face_own {

DAT_RETURN dat_ep_post_send_with_invalidate(DAT_EP_HANDLE, DAT_COUNT, DAT_LMR_TRIPLET *,
					    DAT_DTO_COOKIE, DAT_COMPLETION_FLAGS, DAT_BOOLEAN,
					    DAT_RMR_CONTEXT)
{
	return error(DAT_NOT_IMPLEMENTED);
}

DAT_RETURN dat_ep_post_rdma_read_to_rmr(DAT_EP_HANDLE, const DAT_RMR_TRIPLET *, DAT_DTO_COOKIE,
					const DAT_RMR_TRIPLET *, DAT_COMPLETION_FLAGS)
{
	return error(DAT_NOT_IMPLEMENTED);
}

} // namespace face_own

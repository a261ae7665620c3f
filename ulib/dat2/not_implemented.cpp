// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Own objects: calls of 2.0 that the module has nothing for yet.

#include "table.hpp"

using face::error;

namespace face_own {

DAT_RETURN dat_csp_create(DAT_IA_HANDLE, DAT_COMM *, DAT_IA_ADDRESS_PTR, DAT_EVD_HANDLE,
			  DAT_CSP_HANDLE *)
{
	return error(DAT_NOT_IMPLEMENTED);
}

DAT_RETURN dat_csp_query(DAT_CSP_HANDLE, DAT_CSP_PARAM_MASK, DAT_CSP_PARAM *)
{
	return error(DAT_NOT_IMPLEMENTED);
}

DAT_RETURN dat_csp_free(DAT_CSP_HANDLE)
{
	return error(DAT_NOT_IMPLEMENTED);
}

DAT_RETURN dat_cno_fd_create(DAT_IA_HANDLE, DAT_FD *, DAT_CNO_HANDLE *)
{
	return error(DAT_NOT_IMPLEMENTED);
}

DAT_RETURN dat_cno_trigger(DAT_CNO_HANDLE, DAT_EVD_HANDLE *)
{
	return error(DAT_NOT_IMPLEMENTED);
}

} // namespace face_own

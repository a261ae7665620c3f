// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The calls of 1.2 that the library does not have yet.

#include "face.hpp"

namespace {

constexpr DAT_RETURN not_implemented = DAT_ERROR(DAT_NOT_IMPLEMENTED, DAT_NO_SUBTYPE);

} // namespace

namespace dat1_own {

DAT_RETURN dat_cr_handoff(DAT_CR_HANDLE, DAT_CONN_QUAL)
{
	return not_implemented;
}

DAT_RETURN dat_ep_modify(DAT_EP_HANDLE, DAT_EP_PARAM_MASK, const DAT_EP_PARAM *)
{
	return not_implemented;
}

DAT_RETURN dat_rsp_create(DAT_IA_HANDLE, DAT_CONN_QUAL, DAT_EP_HANDLE, DAT_EVD_HANDLE,
			  DAT_RSP_HANDLE *)
{
	return not_implemented;
}

DAT_RETURN dat_rsp_query(DAT_RSP_HANDLE, DAT_RSP_PARAM_MASK, DAT_RSP_PARAM *)
{
	return not_implemented;
}

DAT_RETURN dat_rsp_free(DAT_RSP_HANDLE)
{
	return not_implemented;
}

} // namespace dat1_own

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The header of uDAPL 2.0 as a strict C89 program uses it: this file compiles. Those of
 * providers and of extensions are C99.
 */
#include <dat2/udat.h>

DAT_RETURN c89_frees(DAT_EP_HANDLE ep)
{
	return dat_ep_free(ep);
}

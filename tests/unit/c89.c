/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The headers of uDAPL 1.2 as a strict C89 program uses them: this file compiles. */
#include <dat/udat.h>
#include <dat/dat_registry.h>

DAT_RETURN c89_frees(DAT_EP_HANDLE ep)
{
	return dat_ep_free(ep);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* uDAPL 2.0 for the test's provider, which is compiled for each version. */
#ifndef PROVIDER_VERSION_H
#define PROVIDER_VERSION_H

#include <dat2/dat_registry.h>

#define DAT_ERROR(type, subtype) \
	((DAT_RETURN)(DAT_CLASS_ERROR | (DAT_UINT32)(type) | (DAT_UINT32)(subtype)))

static DAT_RETURN open_adapter(const DAT_NAME_PTR ia_name, DAT_EVD_HANDLE *async_evd,
			       DAT_IA_HANDLE *ia_handle, int ro_aware);

static DAT_RETURN ia_open(const DAT_NAME_PTR ia_name, DAT_COUNT qlen, DAT_EVD_HANDLE *async_evd,
			  DAT_IA_HANDLE *ia_handle)
{
	(void)qlen;
	return open_adapter(ia_name, async_evd, ia_handle, 0);
}

#endif

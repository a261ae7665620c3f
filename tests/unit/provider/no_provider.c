/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A library that is no provider: it cannot be stopped. */
#include <dat/dat_registry.h>

void dat_provider_init(const DAT_PROVIDER_INFO *info, const char *instance_data)
{
	(void)info;
	(void)instance_data;
}

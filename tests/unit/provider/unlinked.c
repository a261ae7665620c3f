/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A provider that needs what is nowhere. */
#include <dat/dat_registry.h>

extern void nobody_has_this(void);

void dat_provider_init(const DAT_PROVIDER_INFO *info, const char *instance_data)
{
	(void)info;
	(void)instance_data;
	nobody_has_this();
}

void dat_provider_fini(const DAT_PROVIDER_INFO *info)
{
	(void)info;
}

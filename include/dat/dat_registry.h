/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For providers: how one makes its adapters known to the registry, and what it
 * exports for the registry to find.
 */
#ifndef _DAT_REGISTRY_H_
#define _DAT_REGISTRY_H_

#include <dat/udat_redirection.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Registers an adapter: from now on dat_ia_open() finds it. The provider keeps
 * its table until it removes the adapter again. The version is 1.2 or a later 1.x;
 * while dat_provider_init() runs, the adapter is the one that it was called for.
 *
 * Errors: DAT_INVALID_PARAMETER, DAT_INSUFFICIENT_RESOURCES (256 adapters are
 * registered), DAT_PROVIDER_ALREADY_REGISTERED (also for what is no name).
 *
 * Thread-safe. May block. dat_registry_add_provider(3DAT)
 */
extern DAT_RETURN dat_registry_add_provider(DAT_PROVIDER *provider,
					    const DAT_PROVIDER_INFO *provider_info);

/**
 * Takes an adapter back that nobody has open.
 *
 * Errors: DAT_INVALID_PARAMETER (also where it is not registered),
 * DAT_PROVIDER_IN_USE.
 *
 * Thread-safe. May block. dat_registry_remove_provider(3DAT)
 */
extern DAT_RETURN dat_registry_remove_provider(DAT_PROVIDER *provider,
					       const DAT_PROVIDER_INFO *provider_info);

/** Name of the function that a provider exports to be started by. */
#define DAT_PROVIDER_INIT_FUNC_NAME dat_provider_init

/** Name of the function that a provider exports to be stopped by. */
#define DAT_PROVIDER_FINI_FUNC_NAME dat_provider_fini

/** The first name as a string, for dlsym(3). */
#define DAT_PROVIDER_INIT_FUNC_STR "dat_provider_init"

/** The second name as a string, for dlsym(3). */
#define DAT_PROVIDER_FINI_FUNC_STR "dat_provider_fini"

/** Type of dat_provider_init(). */
typedef void (*DAT_PROVIDER_INIT_FUNC)(const DAT_PROVIDER_INFO *provider_info,
				       const char *instance_data);

/** Type of dat_provider_fini(). */
typedef void (*DAT_PROVIDER_FINI_FUNC)(const DAT_PROVIDER_INFO *provider_info);

/**
 * A provider defines this; the registry calls it when it has loaded the provider
 * for an adapter. It answers with dat_registry_add_provider().
 *
 * @param instance_data  what the registry's configuration has for the adapter
 *
 * Called once per adapter, by one thread. May block, but must not open or close
 * adapters. dat_provider_init(3DAT)
 */
extern void dat_provider_init(const DAT_PROVIDER_INFO *provider_info, const char *instance_data);

/**
 * A provider defines this; the registry calls it before it unloads the provider.
 * It answers with dat_registry_remove_provider().
 *
 * Called once per adapter, by one thread. May block, but must not open or close
 * adapters. dat_provider_fini(3DAT)
 */
extern void dat_provider_fini(const DAT_PROVIDER_INFO *provider_info);

#ifdef __cplusplus
}
#endif

#endif /* _DAT_REGISTRY_H_ */

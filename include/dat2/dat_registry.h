/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For providers of programs: how one makes its adapters known to the registry, and
 * what it exports for the registry to find. (The kernel's registry: kdat_redirection.h.)
 */
#ifndef _DAT_REGISTRY_H_
#define _DAT_REGISTRY_H_

#include <dat2/udat_redirection.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * dat_registry_add_provider() - make an adapter known
 * @provider: its table, which stays until it is removed
 * @info: its name; version and thread safety are what dat_ia_open() looks for
 *
 * Return: DAT_SUCCESS; DAT_INVALID_PARAMETER, DAT_INSUFFICIENT_RESOURCES,
 * DAT_PROVIDER_ALREADY_REGISTERED.
 */
DAT_RETURN dat_registry_add_provider(const DAT_PROVIDER *provider,
				     const DAT_PROVIDER_INFO *info);

/**
 * dat_registry_remove_provider() - take an adapter back that nobody has open
 * @provider: its table
 * @info: as it was added
 *
 * Return: DAT_SUCCESS; DAT_INVALID_PARAMETER, DAT_PROVIDER_IN_USE.
 */
DAT_RETURN dat_registry_remove_provider(const DAT_PROVIDER *provider,
					const DAT_PROVIDER_INFO *info);

/**
 * dats_get_ia_handle() - the other name of an IA
 * @handle: the provider's object, or the number that the registry gave the program
 * @other: out: of an object the number, of a number the object
 *
 * The registry has numbers for IAs, so that a program holds no pointer to one. A
 * provider tells the number wherever a query tells an IA.
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE for what no dat_ia_open() gave.
 */
DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE handle, DAT_IA_HANDLE *other);

/* What a registry looks for in a provider's library: these two, by name. */
#define DAT_PROVIDER_INIT_FUNC_NAME	dat_provider_init
#define DAT_PROVIDER_FINI_FUNC_NAME	dat_provider_fini
#define DAT_PROVIDER_INIT_FUNC_STR	"dat_provider_init"
#define DAT_PROVIDER_FINI_FUNC_STR	"dat_provider_fini"

typedef void (*DAT_PROVIDER_INIT_FUNC)(const DAT_PROVIDER_INFO *info,
				       const char *instance_data);
typedef void (*DAT_PROVIDER_FINI_FUNC)(const DAT_PROVIDER_INFO *info);

/**
 * dat_provider_init() - the registry loaded the provider for an adapter
 * @info: the adapter
 * @instance_data: what dat.conf has for it
 *
 * A provider defines it, and answers with dat_registry_add_provider() whatever is
 * wrong: a registry that finds the name missing afterwards may never ask again. What
 * is wrong its ia_open tells.
 */
void dat_provider_init(const DAT_PROVIDER_INFO *info, const char *instance_data);

/**
 * dat_provider_fini() - the adapter's last IA was closed
 * @info: the adapter
 *
 * A provider defines it, and answers with dat_registry_remove_provider().
 */
void dat_provider_fini(const DAT_PROVIDER_INFO *info);

#ifdef __cplusplus
}
#endif

#endif /* _DAT_REGISTRY_H_ */

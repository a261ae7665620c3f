// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The registry: which adapters there are. They are this module's, and no others:
 * the calls that a consumer makes are its functions, and not redirected to whose
 * table a handle begins with.
 */

#include <linux/export.h>

#include <dat2/kdat_ext.h>
#include <dat2/kdat_redirection.h>

#include "../adapter.h"
#include "kapi.h"

static bool adapter_known(const char *name)
{
	struct kdapl_adapter_dev *adapter;
	char label[KDAPL_NAME_MAX];

	adapter = kdapl_adapter_get(&init_net, name, label);
	if (!adapter)
		return false;
	kdapl_adapter_put(adapter);
	return true;
}

DAT_RETURN dat_ext_registry_entry(DAT_COUNT index, DAT_PROVIDER_INFO *info)
{
	struct kdapl_adapter adapter = { .index = index };

	if (index < 0)
		return KAPI_BAD_ARG(1);
	if (!info)
		return KAPI_BAD_ARG(2);
	if (kdapl_adapter_describe(&init_net, &adapter))
		return DAT_ERROR(DAT_PROVIDER_NOT_FOUND,
				 DAT_NAME_NOT_REGISTERED);
	*info = (DAT_PROVIDER_INFO){
		.dapl_version_major = DAT_VERSION_MAJOR,
		.dapl_version_minor = DAT_VERSION_MINOR,
		.is_thread_safe = DAT_TRUE,
	};
	strscpy(info->ia_name, adapter.name, sizeof(info->ia_name));
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ext_registry_entry);

DAT_RETURN dat_registry_list_providers(DAT_COUNT max, DAT_COUNT *entries,
				       struct dat_provider_info *list[])
{
	DAT_COUNT n, count;

	if (max < 0)
		return KAPI_BAD_ARG(1);
	if (!entries)
		return KAPI_BAD_ARG(2);
	count = kdapl_adapter_count(&init_net);
	*entries = count;
	if (count > max || (count && !list))
		return DAT_ERROR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
	/* One may have gone meanwhile. */
	for (n = 0; n < count; n++)
		if (dat_ext_registry_entry(n, list[n]) != DAT_SUCCESS)
			break;
	*entries = n;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_registry_list_providers);

/* No connection goes on over another adapter than its own. */
DAT_RETURN dat_registry_providers_related(const DAT_NAME_PTR name,
					  const DAT_NAME_PTR other,
					  DAT_HA_RELATIONSHIP *answer)
{
	if (!name)
		return KAPI_BAD_ARG(1);
	if (!other)
		return KAPI_BAD_ARG(2);
	if (!answer)
		return KAPI_BAD_ARG(3);
	if (!adapter_known(name) || !adapter_known(other))
		return DAT_ERROR(DAT_PROVIDER_NOT_FOUND,
				 DAT_NAME_NOT_REGISTERED);
	*answer = DAT_HA_FALSE;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_registry_providers_related);

DAT_RETURN kapi_ia_ha_related(DAT_IA_HANDLE ia, const DAT_NAME_PTR name,
			      DAT_BOOLEAN *answer)
{
	if (!kapi_obj(ia, DAT_HANDLE_TYPE_IA))
		return KAPI_BAD_HANDLE(IA);
	if (!name)
		return KAPI_BAD_ARG(2);
	if (!answer)
		return KAPI_BAD_ARG(3);
	if (!adapter_known(name))
		return DAT_ERROR(DAT_PROVIDER_NOT_FOUND,
				 DAT_NAME_NOT_REGISTERED);
	*answer = DAT_FALSE;
	return DAT_SUCCESS;
}

static DAT_RETURN check_entry(const DAT_PROVIDER *provider,
			      const DAT_PROVIDER_INFO *info)
{
	if (!provider)
		return KAPI_BAD_ARG(1);
	if (!info || !info->ia_name[0] ||
	    strnlen(info->ia_name, sizeof(info->ia_name)) ==
	    sizeof(info->ia_name))
		return KAPI_BAD_ARG(2);
	return DAT_SUCCESS;
}

/* The registry is full: it has this one provider. */
DAT_RETURN dat_registry_add_provider(const DAT_PROVIDER *provider,
				     const DAT_PROVIDER_INFO *info)
{
	DAT_RETURN bad = check_entry(provider, info);

	if (bad != DAT_SUCCESS)
		return bad;
	if (adapter_known(info->ia_name))
		return DAT_ERROR(DAT_PROVIDER_ALREADY_REGISTERED,
				 DAT_NO_SUBTYPE);
	return DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_NO_SUBTYPE);
}
EXPORT_SYMBOL_GPL(dat_registry_add_provider);

/* The module's own is taken back when the device goes, or the module. */
DAT_RETURN dat_registry_remove_provider(const DAT_PROVIDER *provider,
					const DAT_PROVIDER_INFO *info)
{
	DAT_RETURN bad = check_entry(provider, info);

	if (bad != DAT_SUCCESS)
		return bad;
	if (provider == &kapi_provider && adapter_known(info->ia_name))
		return DAT_ERROR(DAT_PROVIDER_IN_USE, DAT_NO_SUBTYPE);
	return KAPI_BAD_ARG(1);
}
EXPORT_SYMBOL_GPL(dat_registry_remove_provider);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small provider of another make. Its instance data says how it behaves. It
 * tells the test of what is done with it by way of provider_told().
 */
#include "provider_version.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The test has it. */
extern void provider_told(const char *what, const char *ia_name, DAT_RETURN ret);

struct adapter {
	DAT_PROVIDER table;
	DAT_PROVIDER_INFO info;
	char behaviour[32];
};

struct object {
	DAT_PROVIDER *provider;
	DAT_HANDLE_TYPE type;
	DAT_CONTEXT context;
};

static struct adapter adapters[8];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct adapter *find(const char *ia_name)
{
	for (size_t i = 0; i < sizeof(adapters) / sizeof(adapters[0]); i++)
		if (!strcmp(adapters[i].info.ia_name, ia_name))
			return &adapters[i];
	return NULL;
}

static struct object *make(DAT_PROVIDER *provider, DAT_HANDLE_TYPE type)
{
	struct object *object = calloc(1, sizeof(*object));

	if (object) {
		object->provider = provider;
		object->type = type;
	}
	return object;
}

static DAT_RETURN open_adapter(const DAT_NAME_PTR ia_name, DAT_EVD_HANDLE *async_evd,
			       DAT_IA_HANDLE *ia_handle, int ro_aware)
{
	struct adapter *adapter;

	pthread_mutex_lock(&mutex);
	adapter = find(ia_name);
	pthread_mutex_unlock(&mutex);
	if (!adapter)
		return DAT_ERROR(DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED);
	if (!strcmp(adapter->behaviour, "refuse"))
		return DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
	*ia_handle = make(&adapter->table, DAT_HANDLE_TYPE_IA);
	*async_evd = DAT_EVD_OUT_OF_SCOPE;
	provider_told(ro_aware ? "open ro_aware" : "open", ia_name, DAT_SUCCESS);
	return DAT_SUCCESS;
}

static DAT_RETURN ia_close(DAT_IA_HANDLE ia, DAT_CLOSE_FLAGS flags)
{
	if (flags != DAT_CLOSE_ABRUPT_FLAG)
		return DAT_ERROR(DAT_INVALID_STATE, DAT_INVALID_STATE_IA_IN_USE);
	free(ia);
	return DAT_SUCCESS;
}

static DAT_RETURN get_handle_type(DAT_HANDLE handle, DAT_HANDLE_TYPE *type)
{
	*type = ((struct object *)handle)->type;
	return DAT_SUCCESS;
}

static DAT_RETURN set_context(DAT_HANDLE handle, DAT_CONTEXT context)
{
	((struct object *)handle)->context = context;
	return DAT_SUCCESS;
}

static DAT_RETURN get_context(DAT_HANDLE handle, DAT_CONTEXT *context)
{
	*context = ((struct object *)handle)->context;
	return DAT_SUCCESS;
}

static DAT_RETURN pz_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE *pz)
{
	*pz = make(((struct object *)ia)->provider, DAT_HANDLE_TYPE_PZ);
	return DAT_SUCCESS;
}

static DAT_RETURN pz_free(DAT_PZ_HANDLE pz)
{
	free(pz);
	return DAT_SUCCESS;
}

/* A call of many arguments, which comes back in its error. */
static DAT_RETURN ep_post_rdma_read(DAT_EP_HANDLE ep, DAT_COUNT segments, DAT_LMR_TRIPLET *local,
				    DAT_DTO_COOKIE cookie, const DAT_RMR_TRIPLET *remote,
				    DAT_COMPLETION_FLAGS flags)
{
	(void)ep;
	(void)local;
	(void)remote;
	return DAT_ERROR(DAT_INTERNAL_ERROR, segments + cookie.as_64 + flags);
}

static void register_adapter(struct adapter *adapter)
{
	adapter->table = (DAT_PROVIDER){
		.device_name = adapter->info.ia_name,
		.ia_open_func = ia_open,
		.ia_close_func = ia_close,
		.get_handle_type_func = get_handle_type,
		.set_consumer_context_func = set_context,
		.get_consumer_context_func = get_context,
		.pz_create_func = pz_create,
		.pz_free_func = pz_free,
		.ep_post_rdma_read_func = ep_post_rdma_read,
	};
	provider_told("add", adapter->info.ia_name,
		      dat_registry_add_provider(&adapter->table, &adapter->info));
}

void dat_provider_init(const DAT_PROVIDER_INFO *info, const char *instance_data)
{
	DAT_PROVIDER_INFO registered = *info;
	struct adapter *adapter;

	provider_told("init", info->ia_name, DAT_SUCCESS);
	if (!strcmp(instance_data, "silent"))
		return;
	if (!strcmp(instance_data, "other"))
		strcpy(registered.ia_name, "other0");
	if (!strcmp(instance_data, "older"))
		registered.dapl_version_minor = 1;

	pthread_mutex_lock(&mutex);
	adapter = find("");
	adapter->info = registered;
	strncpy(adapter->behaviour, instance_data, sizeof(adapter->behaviour) - 1);
	register_adapter(adapter);
	pthread_mutex_unlock(&mutex);
}

void dat_provider_fini(const DAT_PROVIDER_INFO *info)
{
	struct adapter *adapter;

	provider_told("fini", info->ia_name, DAT_SUCCESS);
	pthread_mutex_lock(&mutex);
	adapter = find(info->ia_name);
	if (adapter && strcmp(adapter->behaviour, "forgetful"))
		provider_told("remove", info->ia_name,
			      dat_registry_remove_provider(&adapter->table, &adapter->info));
	if (adapter)
		memset(adapter, 0, sizeof(*adapter));
	pthread_mutex_unlock(&mutex);
}

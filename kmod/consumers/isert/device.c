// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adapters, and memory that they may use.
 *
 * An adapter is opened once, for all portals and connections on it; the last one of
 * them closes it. When the device goes, the connections on it break, and a portal that
 * is made later opens the adapter anew.
 *
 * Memory is in one piece where it can be: such costs no registration.
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include "isert.h"

static DEFINE_MUTEX(device_lock);
static LIST_HEAD(devices);

void isert_complain(DAT_RETURN ret, const char *what)
{
	const char *major = "?", *minor = "?";

	dat_strerror(ret, &major, &minor);
	pr_err_ratelimited("kdapl_isert: %s: %s %s\n", what, major, minor);
}

/* ---- adapters ------------------------------------------------------------ */

static void async_upcall(DAT_PVOID instance, const DAT_EVENT *event, DAT_BOOLEAN more)
{
	struct isert_device *device = instance;

	if (event->event_number != DAT_ASYNC_ERROR_IA_CATASTROPHIC)
		return;
	pr_warn("kdapl_isert: %s: the device is gone\n", device->name);
	WRITE_ONCE(device->gone, true);
}

static DAT_RETURN device_open(struct isert_device *device)
{
	const DAT_UPCALL_OBJECT upcall = { device, async_upcall };
	DAT_PROVIDER_ATTR provider = {};
	DAT_RETURN ret;

	ret = dat_ia_open(device->name, 8, &device->async_evd, &device->ia);
	if (ret != DAT_SUCCESS)
		return ret;
	ret = dat_evd_modify_upcall(device->async_evd, DAT_UPCALL_SINGLE_INSTANCE, &upcall,
				    DAT_UPCALL_INVOC_ANY);
	if (ret == DAT_SUCCESS)
		ret = dat_pz_create(device->ia, &device->pz);
	if (ret == DAT_SUCCESS)
		ret = dat_ia_query(device->ia, NULL, DAT_IA_FIELD_ALL, &device->attr,
				   DAT_PROVIDER_FIELD_ALL, &provider);
	if (ret != DAT_SUCCESS)
		dat_ia_close(device->ia, DAT_CLOSE_ABRUPT_FLAG);
	device->sync = provider.lmr_sync_req;
	return ret;
}

static struct isert_device *device_new(const char *name)
{
	struct isert_device *device = kzalloc(sizeof(*device), GFP_KERNEL);
	DAT_RETURN ret;

	if (!device)
		return NULL;
	strscpy(device->name, name, sizeof(device->name));
	ret = device_open(device);
	if (ret != DAT_SUCCESS) {
		isert_complain(ret, name);
		kfree(device);
		return NULL;
	}
	list_add(&device->list, &devices);
	return device;
}

struct isert_device *isert_device_get(const char *name)
{
	struct isert_device *device;

	mutex_lock(&device_lock);
	list_for_each_entry(device, &devices, list)
		if (!strcmp(device->name, name) && !READ_ONCE(device->gone))
			goto found;
	device = device_new(name);
found:
	if (device)
		device->users++;
	mutex_unlock(&device_lock);
	return device;
}

void isert_device_hold(struct isert_device *device)
{
	mutex_lock(&device_lock);
	device->users++;
	mutex_unlock(&device_lock);
}

void isert_device_put(struct isert_device *device)
{
	mutex_lock(&device_lock);
	if (!--device->users) {
		list_del(&device->list);
		dat_ia_close(device->ia, DAT_CLOSE_ABRUPT_FLAG);
		kfree(device);
	}
	mutex_unlock(&device_lock);
}

/* ---- memory -------------------------------------------------------------- */

int isert_memory_make(struct isert_device *device, struct isert_memory *memory, size_t size)
{
	const DAT_MEM_PRIV_FLAGS local = DAT_MEM_PRIV_LOCAL_READ_FLAG |
					 DAT_MEM_PRIV_LOCAL_WRITE_FLAG;
	DAT_REGION_DESCRIPTION region;
	DAT_RETURN ret;

	/* Not kvmalloc(): commands have scatterlists that point into it. */
	memory->at = kzalloc(size, GFP_KERNEL);
	if (!memory->at)
		return -ENOMEM;
	region.for_va = memory->at;
	ret = dat_lmr_kcreate(device->ia, DAT_MEM_TYPE_VIRTUAL, region, size, device->pz, local,
			      DAT_VA_TYPE_VA, DAT_MEM_OPTIMIZE_DONT_CARE, &memory->lmr,
			      &memory->context, NULL, NULL, NULL);
	if (ret == DAT_SUCCESS)
		return 0;
	isert_complain(ret, "dat_lmr_kcreate");
	memory->lmr = NULL;
	isert_memory_free(memory);
	return -ENOMEM;
}

void isert_memory_free(struct isert_memory *memory)
{
	if (memory->lmr)
		dat_lmr_free(memory->lmr);
	kfree(memory->at);
	*memory = (struct isert_memory){};
}

DAT_LMR_TRIPLET isert_segment(const struct isert_memory *memory, const void *at, u32 size)
{
	return (DAT_LMR_TRIPLET){
		.virtual_address = (uintptr_t)at,
		.segment_length = size,
		.lmr_context = memory->context,
	};
}

void isert_sync_out(struct isert_device *device, DAT_LMR_TRIPLET *iov)
{
	if (device->sync)
		dat_lmr_sync_rdma_read(device->ia, iov, 1);
}

void isert_sync_in(struct isert_device *device, DAT_LMR_TRIPLET *iov)
{
	if (device->sync)
		dat_lmr_sync_rdma_write(device->ia, iov, 1);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adapters, and memory that they may use. A portal opens each adapter that it listens
 * on; the last of its connections closes it. Memory is in one piece, and so costs no
 * registration where the adapter has a key for all of it.
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include "isert.h"

void isert_complain(DAT_RETURN ret, const char *what)
{
	const char *major = "?", *minor = "?";

	dat_strerror(ret, &major, &minor);
	pr_err_ratelimited("kdapl_isert: %s: %s %s\n", what, major, minor);
}

/* Then its connections break; it listens no more, even if it comes back. */
static void async_upcall(DAT_PVOID instance, const DAT_EVENT *event, DAT_BOOLEAN more)
{
	const struct isert_device *device = instance;

	if (event->event_number == DAT_ASYNC_ERROR_IA_CATASTROPHIC)
		pr_warn("kdapl_isert: %s: the device is gone\n", device->name);
}

static DAT_RETURN open(struct isert_device *device)
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

struct isert_device *isert_device_open(const char *name)
{
	struct isert_device *device = kzalloc(sizeof(*device), GFP_KERNEL);
	DAT_RETURN ret;

	if (!device)
		return NULL;
	kref_init(&device->users);
	strscpy(device->name, name, sizeof(device->name));
	ret = open(device);
	if (ret == DAT_SUCCESS)
		return device;
	isert_complain(ret, name);
	kfree(device);
	return NULL;
}

static void device_free(struct kref *users)
{
	struct isert_device *device = container_of(users, struct isert_device, users);

	dat_ia_close(device->ia, DAT_CLOSE_ABRUPT_FLAG);
	kfree(device);
}

void isert_device_put(struct isert_device *device)
{
	kref_put(&device->users, device_free);
}

int isert_memory_make(struct isert_device *device, struct isert_memory *memory, size_t size)
{
	const DAT_MEM_PRIV_FLAGS local = DAT_MEM_PRIV_LOCAL_READ_FLAG |
					 DAT_MEM_PRIV_LOCAL_WRITE_FLAG;
	DAT_REGION_DESCRIPTION region;
	DAT_RETURN ret;

	/* Of pages: commands have scatterlists that point into it. */
	memory->at = alloc_pages_exact(size, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!memory->at)
		return -ENOMEM;
	memory->size = size;
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
	if (memory->at)
		free_pages_exact(memory->at, memory->size);
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

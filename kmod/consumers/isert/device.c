// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adapters of a portal: it opens each that it listens on; its last connection closes it. */

#include <linux/net.h>

#include "isert.h"

/* 0; else a message, and -EIO. */
int isert_check(DAT_RETURN ret, const char *what)
{
	const char *major = "?", *minor = "?";

	if (ret == DAT_SUCCESS)
		return 0;
	dat_strerror(ret, &major, &minor);
	pr_err_ratelimited("kdapl_isert: %s: %s %s\n", what, major, minor);
	return -EIO;
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
	DAT_EVD_HANDLE async_evd = NULL;
	DAT_RETURN ret;

	ret = dat_ia_open(device->name, 8, &async_evd, &device->ia);
	if (ret == DAT_SUCCESS)
		ret = dat_evd_modify_upcall(async_evd, DAT_UPCALL_SINGLE_INSTANCE, &upcall,
					    DAT_UPCALL_INVOC_ANY);
	if (ret == DAT_SUCCESS)
		ret = dat_pz_create(device->ia, &device->pz);
	if (ret == DAT_SUCCESS)
		ret = dat_ia_query(device->ia, NULL, DAT_IA_FIELD_ALL, &device->attr,
				   DAT_PROVIDER_FIELD_ALL, &provider);
	device->sync = provider.lmr_sync_req;
	device->invalidates = provider.fmr_supported;
	return ret;
}

static void device_free(struct kref *users)
{
	struct isert_device *device = container_of(users, struct isert_device, users);

	if (device->ia)
		dat_ia_close(device->ia, DAT_CLOSE_ABRUPT_FLAG);
	kfree(device);
}

void isert_device_put(struct isert_device *device)
{
	kref_put(&device->users, device_free);
}

static void accept_work(struct work_struct *work)
{
	struct isert_device *device = container_of(work, struct isert_device, work);
	const DAT_CR_ARRIVAL_EVENT_DATA *request;
	DAT_EVENT event;

	while (dat_evd_dequeue(device->cr_evd, &event) == DAT_SUCCESS) {
		request = &event.event_data.cr_arrival_event_data;
		if (!isert_np_accept(device, request))
			dat_cr_reject(request->cr_handle, 0, NULL);
	}
}

static DAT_RETURN listen(struct isert_device *device)
{
	struct sockaddr_storage *at = &device->np->np->np_sockaddr;
	DAT_COMM comm = { .domain = at->ss_family, .type = SOCK_STREAM };
	DAT_RETURN ret;

	ret = dat_ext_evd_create(device->ia, 64, system_unbound_wq, &device->work, DAT_EVD_CR_FLAG,
				 &device->cr_evd);
	return ret ?: dat_csp_create(device->ia, &comm, (void *)at, device->cr_evd, &device->csp);
}

/* Nobody is accepted any more when it returns, and all that asked have their answer. */
void isert_device_end(struct isert_device *device)
{
	if (device->csp)
		dat_csp_free(device->csp);
	if (device->cr_evd) {
		queue_work(system_unbound_wq, &device->work);
		flush_work(&device->work);
		dat_evd_free(device->cr_evd);
	}
	isert_device_put(device);
}

/* One that cannot be opened, or has not the address, is none of the portal's. */
int isert_device_add(struct isert_np *np, const char *name)
{
	struct isert_device *device = kzalloc(sizeof(*device), GFP_KERNEL);
	DAT_RETURN ret;

	if (!device)
		return -ENOMEM;
	kref_init(&device->users);
	INIT_WORK(&device->work, accept_work);
	strscpy(device->name, name, sizeof(device->name));
	device->np = np;
	if (isert_check(open(device), name)) {
		isert_device_put(device);
		return 0;
	}
	ret = listen(device);
	if (ret == DAT_SUCCESS) {
		list_add(&device->list, &np->devices);
		return 0;
	}
	isert_device_end(device);
	if (DAT_GET_TYPE(ret) == DAT_INVALID_ADDRESS)
		return 0;
	isert_check(ret, name);
	return DAT_GET_TYPE(ret) == DAT_PORT_IN_USE ? -EADDRINUSE : -EIO;
}

/* In one piece, so that commands can have scatterlists that point into it. */
int isert_memory_make(struct isert_device *device, DAT_EXT_MEMORY *memory, size_t size)
{
	return isert_check(dat_ext_memory_alloc(device->ia, device->pz, size,
						DAT_MEM_PRIV_LOCAL_READ_FLAG |
						DAT_MEM_PRIV_LOCAL_WRITE_FLAG, memory), "memory");
}

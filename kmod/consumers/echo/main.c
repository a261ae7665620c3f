// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The server half of datping in the kernel: an example of a kDAPL consumer.
 *
 * Upcalls, in softirq, only queue work, which may sleep: here for requests, in session.c
 * for each client's events.
 */

#include <linux/inet.h>
#include <linux/module.h>
#include <linux/net.h>
#include <net/net_namespace.h>

#include "echo.h"

/* That wait to be looked at. */
#define MAX_REQUESTS	1024

static char *ia = "";
module_param(ia, charp, 0444);
MODULE_PARM_DESC(ia, "adapter, or network device; the first one unless given");

static ushort port = 45248;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "what clients connect to");

static char *address = "";
module_param(address, charp, 0444);
MODULE_PARM_DESC(address, "own one that clients connect to; all unless given");

struct echo echo = {
	.lock = __MUTEX_INITIALIZER(echo.lock),
	.sessions = LIST_HEAD_INIT(echo.sessions),
	.idle = __WAIT_QUEUE_HEAD_INITIALIZER(echo.idle),
};

static void request_work(struct work_struct *work)
{
	DAT_EVENT event;

	while (dat_evd_dequeue(echo.cr_evd, &event) == DAT_SUCCESS)
		echo_session_begin(event.event_data.cr_arrival_event_data.cr_handle);
}

/* DAT_UPCALL_NOTIFY: there is no event, the work dequeues them. */
static void cr_upcall(DAT_PVOID instance, const DAT_EVENT *event,
		      DAT_BOOLEAN more)
{
	queue_work(echo.queue, &echo.request);
}

static void async_upcall(DAT_PVOID instance, const DAT_EVENT *event,
			 DAT_BOOLEAN more)
{
	if (event->event_number == DAT_ASYNC_ERROR_IA_CATASTROPHIC)
		pr_warn("kdapl_echo: the device is gone\n");
}

static DAT_RETURN open_first(void)
{
	DAT_PROVIDER_INFO info;
	char *name = ia;

	if (!*name && dat_ext_registry_entry(0, &info) == DAT_SUCCESS)
		name = info.ia_name;
	return dat_ia_open(name, 8, &echo.async_evd, &echo.ia);
}

/* A common service point: the same port of other addresses is not ours. */
static DAT_RETURN listen_on_address(void)
{
	DAT_COMM comm = { .type = SOCK_STREAM };
	struct sockaddr_storage at;
	char service[8];

	snprintf(service, sizeof(service), "%u", port);
	if (inet_pton_with_scope(&init_net, AF_UNSPEC, address, service, &at))
		return DAT_ERROR(DAT_INVALID_ADDRESS,
				 DAT_INVALID_ADDRESS_MALFORMED);
	comm.domain = at.ss_family;
	return dat_csp_create(echo.ia, &comm, (void *)&at,
			      echo.cr_evd, &echo.csp);
}

static DAT_RETURN listen(void)
{
	if (*address)
		return listen_on_address();
	return dat_psp_create(echo.ia, port, echo.cr_evd, DAT_PSP_CONSUMER_FLAG,
			      &echo.psp);
}

static void listen_no_more(void)
{
	if (echo.csp)
		dat_csp_free(echo.csp);
	else
		dat_psp_free(echo.psp);
}

static DAT_RETURN serve(void)
{
	const DAT_UPCALL_OBJECT on_async = { NULL, async_upcall };
	const DAT_UPCALL_OBJECT on_cr = { NULL, cr_upcall };
	DAT_RETURN ret;

	ret = dat_evd_modify_upcall(echo.async_evd, DAT_UPCALL_SINGLE_INSTANCE,
				    &on_async, DAT_UPCALL_INVOC_ANY);
	if (ret != DAT_SUCCESS)
		return ret;
	ret = dat_pz_create(echo.ia, &echo.pz);
	if (ret != DAT_SUCCESS)
		return ret;
	ret = dat_evd_kcreate(echo.ia, MAX_REQUESTS, DAT_UPCALL_NOTIFY, &on_cr,
			      DAT_EVD_CR_FLAG, &echo.cr_evd);
	if (ret != DAT_SUCCESS)
		return ret;
	return listen();
}

static void complain(DAT_RETURN ret)
{
	const char *major = "?", *minor = "?";

	dat_strerror(ret, &major, &minor);
	pr_err("kdapl_echo: cannot serve: %s %s\n", major, minor);
}

static int __init echo_init(void)
{
	DAT_RETURN ret;

	INIT_WORK(&echo.request, request_work);
	echo.queue = alloc_workqueue("kdapl_echo", WQ_UNBOUND, 0);
	if (!echo.queue)
		return -ENOMEM;
	ret = open_first();
	if (ret == DAT_SUCCESS) {
		ret = serve();
		if (ret == DAT_SUCCESS)
			return 0;
		dat_ia_close(echo.ia, DAT_CLOSE_ABRUPT_FLAG);
	}
	complain(ret);
	destroy_workqueue(echo.queue);
	return -ENODEV;
}

/* First nobody asks any more, then the clients go; the abrupt close frees what is left. */
static void __exit echo_exit(void)
{
	listen_no_more();
	echo_teardown(echo.cr_evd);
	cancel_work_sync(&echo.request);
	echo_sessions_end();
	destroy_workqueue(echo.queue);
	dat_ia_close(echo.ia, DAT_CLOSE_ABRUPT_FLAG);
}

module_init(echo_init);
module_exit(echo_exit);

MODULE_DESCRIPTION("server half of datping, over kDAPL");
MODULE_LICENSE("Dual BSD/GPL");

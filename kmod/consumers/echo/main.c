// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The server half of datping in the kernel: an example of a kDAPL consumer.
 *
 * An upcall takes each request; a worker, which may sleep, accepts it. From then on
 * the upcalls of the session's EVD do all the work.
 */

#include <linux/inet.h>
#include <linux/module.h>
#include <linux/net.h>
#include <net/net_namespace.h>

#include "echo.h"

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
};

static void cr_upcall(DAT_PVOID instance, const DAT_EVENT *event,
		      DAT_BOOLEAN more)
{
	echo_session_ask(event->event_data.cr_arrival_event_data.cr_handle);
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
	ret = dat_evd_kcreate(echo.ia, 64, DAT_UPCALL_SINGLE_INSTANCE, &on_cr,
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

	echo.queue = alloc_ordered_workqueue("kdapl_echo", 0);
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

static void __exit echo_exit(void)
{
	struct echo_session *session, *next;

	/* First nobody asks any more, then no session's upcall runs. */
	listen_no_more();
	dat_evd_modify_upcall(echo.cr_evd, DAT_UPCALL_TEARDOWN, DAT_UPCALL_SAME,
			      DAT_UPCALL_INVOC_NEW);
	flush_workqueue(echo.queue);
	mutex_lock(&echo.lock);
	list_for_each_entry(session, &echo.sessions, list) {
		/* Else one that is served by the queue would keep it busy. */
		WRITE_ONCE(session->ending, true);
		dat_evd_modify_upcall(session->evd, DAT_UPCALL_TEARDOWN,
				      DAT_UPCALL_SAME, DAT_UPCALL_INVOC_NEW);
	}
	mutex_unlock(&echo.lock);
	destroy_workqueue(echo.queue);
	list_for_each_entry_safe(session, next, &echo.sessions, list)
		echo_session_free(session);
	dat_ia_close(echo.ia, DAT_CLOSE_ABRUPT_FLAG);
}

module_init(echo_init);
module_exit(echo_exit);

MODULE_DESCRIPTION("server half of datping, over kDAPL");
MODULE_LICENSE("Dual BSD/GPL");

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The server half of datping in the kernel: an example of a kDAPL consumer.
 *
 * Upcalls, in softirq, only wake work; all else is done in one queue, which may sleep, one
 * thing at a time. So nothing needs a lock.
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
	.sessions = LIST_HEAD_INIT(echo.sessions),
};

/* One at a time: between two of them the sessions have their turn. */
static void request_work(struct work_struct *work)
{
	DAT_CR_HANDLE cr;
	DAT_EVENT event;
	int ret;

	if (dat_evd_dequeue(echo.cr_evd, &event) != DAT_SUCCESS)
		return;
	cr = event.event_data.cr_arrival_event_data.cr_handle;
	ret = echo_session_start(cr);
	if (ret) {
		pr_warn_ratelimited("kdapl_echo: a client was refused: %d\n", ret);
		dat_cr_reject(cr, 0, NULL);
	}
	queue_work(echo.queue, work);
}

static void stop_work(struct work_struct *work)
{
	struct echo_session *session, *next;

	list_for_each_entry_safe(session, next, &echo.sessions, list)
		echo_session_free(session);
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
	ret = dat_evd_kcreate(echo.ia, 64, DAT_UPCALL_NOTIFY, &on_cr,
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
	INIT_WORK(&echo.stop, stop_work);
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

/*
 * First nobody asks any more; then, behind the last request, the sessions go, in the queue
 * as ever: their upcalls queue work until then. The abrupt close frees what is left.
 */
static void __exit echo_exit(void)
{
	listen_no_more();
	echo_teardown(echo.cr_evd);
	queue_work(echo.queue, &echo.stop);
	/* A queue that is being destroyed takes no more work. */
	flush_work(&echo.stop);
	destroy_workqueue(echo.queue);
	dat_ia_close(echo.ia, DAT_CLOSE_ABRUPT_FLAG);
}

module_init(echo_init);
module_exit(echo_exit);

MODULE_DESCRIPTION("server half of datping, over kDAPL");
MODULE_LICENSE("Dual BSD/GPL");

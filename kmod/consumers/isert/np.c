// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Portals: where initiators connect.
 *
 * A portal has a listener on each adapter that has its address, or, where that is the
 * wildcard, on all adapters that there are when it is made: a common service point, so
 * that requests for other addresses never get here. A worker accepts the requests.
 *
 * LIO has one login thread for a portal, and whoever keeps it keeps all others out. So
 * it gets a connection only when the first login request is there. Those that send none
 * are limited in number, and are dropped after a while.
 */

#include <linux/in.h>
#include <linux/net.h>
#include <linux/slab.h>

#include "isert.h"

#define MAX_ADAPTERS	32
/* Requests that wait for the worker. */
#define BACKLOG		64

struct listener {
	struct list_head list;
	struct isert_np *np;
	struct isert_device *device;
	DAT_EVD_HANDLE evd;
	DAT_CSP_HANDLE csp;
	struct work_struct work;
};

/* ---- connections that LIO has not got ------------------------------------ */

static bool over(const struct isert_conn *conn)
{
	return READ_ONCE(conn->down) || time_after(jiffies, conn->deadline);
}

/* Each second. All of them where @all. */
static void drop(struct isert_np *np, bool all)
{
	struct isert_conn *conn, *next;
	LIST_HEAD(dropped);

	spin_lock(&isert_login_lock);
	list_for_each_entry_safe(conn, next, &np->pending, list) {
		if (!all && !over(conn))
			continue;
		list_move(&conn->list, &dropped);
		conn->np = NULL;
	}
	spin_unlock(&isert_login_lock);
	list_for_each_entry_safe(conn, next, &dropped, list) {
		isert_say(conn, "dropped: %s",
			  conn->down ? "it was lost, and never logged in" : "it did not log in");
		isert_conn_free(conn);
		atomic_dec(&np->count);
	}
}

static void reap(struct work_struct *work)
{
	struct isert_np *np = container_of(to_delayed_work(work), struct isert_np, reap);

	drop(np, false);
	if (atomic_read(&np->count))
		queue_delayed_work(isert_np_wq, &np->reap, HZ);
}

/* ---- listeners ----------------------------------------------------------- */

/* LIO does not want any at the moment. */
static bool np_is_off(struct isert_np *np)
{
	bool off;

	spin_lock_bh(&np->np->np_thread_lock);
	off = !np->np->enabled;
	spin_unlock_bh(&np->np->np_thread_lock);
	return off;
}

static struct isert_conn *accept(struct listener *listener,
				 const DAT_CR_ARRIVAL_EVENT_DATA *request)
{
	struct isert_np *np = listener->np;
	struct isert_conn *conn = NULL;

	if (atomic_inc_return(&np->count) > READ_ONCE(isert_max_pending))
		pr_info_ratelimited("kdapl_isert: refused: %u others have not logged in\n",
				    isert_max_pending);
	else if (!np_is_off(np))
		conn = isert_conn_make(listener->device, request->cr_handle,
				       request->local_ia_address_ptr, request->conn_qual);
	if (!conn)
		atomic_dec(&np->count);
	return conn;
}

/* A connection may have begun to log in, or be lost, before it gets to the list. */
static void listener_work(struct work_struct *work)
{
	struct listener *listener = container_of(work, struct listener, work);
	const DAT_CR_ARRIVAL_EVENT_DATA *request;
	struct isert_np *np = listener->np;
	struct isert_conn *conn;
	DAT_EVENT event;

	while (dat_evd_dequeue(listener->evd, &event) == DAT_SUCCESS) {
		request = &event.event_data.cr_arrival_event_data;
		conn = accept(listener, request);
		if (!conn) {
			dat_cr_reject(request->cr_handle, 0, NULL);
			continue;
		}
		spin_lock(&isert_login_lock);
		conn->np = np;
		list_add_tail(&conn->list, &np->pending);
		spin_unlock(&isert_login_lock);
		wake_up_interruptible(&np->wait);
	}
	queue_delayed_work(isert_np_wq, &np->reap, HZ);
}

static void cr_upcall(DAT_PVOID instance, const DAT_EVENT *event, DAT_BOOLEAN more)
{
	struct listener *listener = instance;

	queue_work(isert_np_wq, &listener->work);
}

static DAT_RETURN listener_start(struct listener *listener)
{
	const DAT_UPCALL_OBJECT upcall = { listener, cr_upcall };
	struct sockaddr_storage *at = &listener->np->np->np_sockaddr;
	DAT_COMM comm = { .domain = at->ss_family, .type = SOCK_STREAM };
	DAT_RETURN ret;

	ret = dat_evd_kcreate(listener->device->ia, BACKLOG, DAT_UPCALL_NOTIFY, &upcall,
			      DAT_EVD_CR_FLAG, &listener->evd);
	if (ret != DAT_SUCCESS)
		return ret;
	return dat_csp_create(listener->device->ia, &comm, (void *)at, listener->evd,
			      &listener->csp);
}

/* Nobody is accepted any more when it returns; who still asks is rejected. */
static void listener_free(struct listener *listener)
{
	DAT_EVENT event;

	if (listener->csp)
		dat_csp_free(listener->csp);
	if (listener->evd) {
		dat_evd_modify_upcall(listener->evd, DAT_UPCALL_TEARDOWN, DAT_UPCALL_SAME,
				      DAT_UPCALL_INVOC_NEW);
		cancel_work_sync(&listener->work);
		while (dat_evd_dequeue(listener->evd, &event) == DAT_SUCCESS)
			dat_cr_reject(event.event_data.cr_arrival_event_data.cr_handle, 0, NULL);
		dat_evd_free(listener->evd);
	}
	isert_device_put(listener->device);
	kfree(listener);
}

/* An adapter that has not the address is none of the portal's. */
static int listen_on(struct isert_np *np, const char *name)
{
	struct listener *listener = kzalloc(sizeof(*listener), GFP_KERNEL);
	DAT_RETURN ret;

	if (!listener)
		return -ENOMEM;
	listener->device = isert_device_get(name);
	if (!listener->device) {
		kfree(listener);
		return 0;
	}
	listener->np = np;
	INIT_WORK(&listener->work, listener_work);
	ret = listener_start(listener);
	if (ret == DAT_SUCCESS) {
		list_add(&listener->list, &np->listeners);
		return 0;
	}
	listener_free(listener);
	if (DAT_GET_TYPE(ret) == DAT_INVALID_ADDRESS)
		return 0;
	isert_complain(ret, name);
	return DAT_GET_TYPE(ret) == DAT_PORT_IN_USE ? -EADDRINUSE : -EIO;
}

static int listen_on_all(struct isert_np *np)
{
	struct dat_provider_info *list[MAX_ADAPTERS], *info;
	DAT_COUNT n = 0, i;
	int ret = 0;

	info = kcalloc(MAX_ADAPTERS, sizeof(*info), GFP_KERNEL);
	if (!info)
		return -ENOMEM;
	for (i = 0; i < MAX_ADAPTERS; i++)
		list[i] = &info[i];
	dat_registry_list_providers(MAX_ADAPTERS, &n, list);
	for (i = 0; !ret && i < min_t(DAT_COUNT, n, MAX_ADAPTERS); i++)
		ret = listen_on(np, info[i].ia_name);
	kfree(info);
	if (!ret && list_empty(&np->listeners))
		ret = -EADDRNOTAVAIL;
	return ret;
}

/* ---- portals ------------------------------------------------------------- */

void isert_free_np(struct iscsi_np *lio)
{
	struct isert_np *np = lio->np_context;
	struct listener *listener, *next;

	list_for_each_entry_safe(listener, next, &np->listeners, list)
		listener_free(listener);
	isert_login_np_idle(np);
	cancel_delayed_work_sync(&np->reap);
	drop(np, true);
	kfree(np);
	lio->np_context = NULL;
}

int isert_setup_np(struct iscsi_np *lio, struct sockaddr_storage *address)
{
	struct isert_np *np = kzalloc(sizeof(*np), GFP_KERNEL);
	int ret;

	if (!np)
		return -ENOMEM;
	np->np = lio;
	INIT_LIST_HEAD(&np->listeners);
	INIT_LIST_HEAD(&np->pending);
	INIT_DELAYED_WORK(&np->reap, reap);
	init_waitqueue_head(&np->wait);
	lio->np_sockaddr = *address;
	lio->np_context = np;
	ret = listen_on_all(np);
	if (ret) {
		pr_err("kdapl_isert: no adapter listens on %pISpc: %d\n", address, ret);
		isert_free_np(lio);
	}
	return ret;
}

/* The first connection that has begun to log in, for LIO's. */
static bool np_take(struct isert_np *np, struct iscsit_conn *lio)
{
	struct isert_conn *conn;

	spin_lock(&isert_login_lock);
	list_for_each_entry(conn, &np->pending, list) {
		if (!conn->login_rx || over(conn))
			continue;
		list_del_init(&conn->list);
		atomic_dec(&np->count);
		np->busy = conn;
		conn->conn = lio;
		conn->phase = ISERT_LOGIN;
		lio->context = conn;
		break;
	}
	spin_unlock(&isert_login_lock);
	return lio->context;
}

/* LIO ends the wait by a signal, and tells the reason here. */
static bool np_stops(struct iscsi_np *lio)
{
	bool stops;

	spin_lock_bh(&lio->np_thread_lock);
	stops = lio->np_thread_state >= ISCSI_NP_THREAD_RESET;
	spin_unlock_bh(&lio->np_thread_lock);
	return stops;
}

int isert_accept_np(struct iscsi_np *lio, struct iscsit_conn *lio_conn)
{
	struct isert_np *np = lio->np_context;
	struct isert_conn *conn;

	isert_login_np_idle(np);
	wait_event_interruptible(np->wait, np_stops(lio) || np_take(np, lio_conn));
	conn = lio_conn->context;
	if (!conn)
		return -ENODEV;
	lio_conn->login_family = lio->np_sockaddr.ss_family;
	lio_conn->login_sockaddr = conn->remote;
	lio_conn->local_sockaddr = conn->local;
	return 0;
}

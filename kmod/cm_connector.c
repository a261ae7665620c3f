// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Requests where sending one blocks: see cm_connector.h. */

#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/xarray.h>

#include "cm.h"
#include "cm_connector.h"
#include "ep.h"
#include "ia.h"
#include "user_count.h"

/* Where the peer answers a thread takes a moment: only who waits for nobody has more. */
#define CONNECTORS_MAX	256

/* How many threads each user has, by uid. */
static DEFINE_XARRAY(connectors);

static int connector_count(struct kdapl_ep *ep)
{
	int ret = kdapl_user_count(&connectors, ep->obj.ia, CONNECTORS_MAX);

	if (!ret)
		atomic_set(&ep->cm.connecting, 1);
	return ret;
}

/* The thread does it when it is through, or who stopped it before it began. */
static void connector_uncount(struct kdapl_ep *ep)
{
	if (atomic_xchg(&ep->cm.connecting, 0))
		kdapl_user_uncount(&connectors, ep->obj.ia);
}

static struct rdma_cm_id *connector_id(struct kdapl_ep *ep)
{
	struct rdma_cm_id *id;

	spin_lock_bh(&ep->lock);
	id = ep->cm.id;
	if (id && !kdapl_cm_pending(ep, id))
		id = NULL;
	spin_unlock_bh(&ep->lock);
	return id;
}

static int connector(void *data)
{
	struct kdapl_ep *ep = data;
	struct rdma_conn_param param;
	struct rdma_cm_id *id;
	int ret;

	/* Who stops it ends the attempt first, and then sends the signal. */
	allow_signal(SIGKILL);
	id = connector_id(ep);
	if (id) {
		kdapl_cm_connect_param(ep, &param);
		ret = rdma_connect(id, &param);
		if (ret)
			kdapl_cm_failed(ep, id, ret);
	}
	connector_uncount(ep);
	return 0;
}

/* False where the attempt has ended meanwhile. */
static bool connector_wake(struct kdapl_ep *ep, const struct rdma_cm_id *id,
			   struct task_struct *task)
{
	bool pending;

	spin_lock_bh(&ep->lock);
	pending = kdapl_cm_pending(ep, id);
	if (pending) {
		ep->cm.connector = task;
		wake_up_process(task);
	}
	spin_unlock_bh(&ep->lock);
	return pending;
}

static void connector_end(struct kdapl_ep *ep, struct task_struct *task)
{
	kthread_stop(task);
	put_task_struct(task);
	connector_uncount(ep);
}

void kdapl_cm_start_connector(struct kdapl_ep *ep, struct rdma_cm_id *id)
{
	int ret = connector_count(ep);
	struct task_struct *task;

	if (ret) {
		kdapl_cm_failed(ep, id, ret);
		return;
	}
	task = kthread_create(connector, ep, "kdapl_connect");
	if (IS_ERR(task)) {
		connector_uncount(ep);
		kdapl_cm_failed(ep, id, PTR_ERR(task));
		return;
	}
	get_task_struct(task);
	if (!connector_wake(ep, id, task))
		connector_end(ep, task);
}

void kdapl_cm_stop_connector(struct kdapl_ep *ep)
{
	struct task_struct *task;

	spin_lock_bh(&ep->lock);
	task = ep->cm.connector;
	ep->cm.connector = NULL;
	spin_unlock_bh(&ep->lock);
	if (!task)
		return;
	send_sig(SIGKILL, task, 1);
	connector_end(ep, task);
}

void kdapl_cm_exit_connectors(void)
{
	kdapl_table_end(&connectors);
}

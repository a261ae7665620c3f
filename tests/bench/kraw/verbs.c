// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The rival of kmod/consumers/perf/dat.c: the same work requests, by the kernel's verbs
 * and rdma_cm, as a driver posts them. Both queues complete to one CQ, in softirq.
 */

#include <linux/in.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "perf.h"

#define TIMEOUT_MS	20000

struct link {
	struct perf_end end;
	struct list_head list;		/* a server's */
	struct rdma_cm_id *id;
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_mr *mr;		/* of a server's data */
	struct scatterlist sg;
	u64 messages, data;		/* as the device has them */
	struct ib_cqe receive, request, registration;
	struct completion step;		/* a client's on its way to a route */
	int step_err;
	bool gone;			/* under the lock of id's handler */
};

static struct {
	struct rdma_cm_id *id;
	struct mutex lock;		/* guards the servers; all but one are over */
	struct list_head servers;
	struct work_struct sweep;
} self = {
	.lock = __MUTEX_INITIALIZER(self.lock),
	.servers = LIST_HEAD_INIT(self.servers),
};

static struct link *link_of(struct perf_end *end)
{
	return container_of(end, struct link, end);
}

/* ---- posts -------------------------------------------------------------------- */

int perf_post_receive(struct perf_end *end, u32 offset)
{
	struct link *link = link_of(end);
	struct ib_sge sge = {
		.addr = link->messages + offset,
		.length = PERF_MESSAGE,
		.lkey = link->pd->local_dma_lkey,
	};
	const struct ib_recv_wr wr = {
		.wr_cqe = &link->receive,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return ib_post_recv(link->id->qp, &wr, NULL);
}

/* As kDAPL posts them: a message goes with its request where the driver copies it anyway. */
static bool goes_inline(const struct link *link)
{
	return ib_uses_virt_dma(link->id->device);
}

int perf_post_send(struct perf_end *end, u32 offset)
{
	struct link *link = link_of(end);
	struct ib_sge sge = {
		.addr = link->messages + offset,
		.length = PERF_MESSAGE,
		.lkey = link->pd->local_dma_lkey,
	};
	const struct ib_send_wr wr = {
		.wr_cqe = &link->request,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED |
			      (goes_inline(link) ? IB_SEND_INLINE : 0),
	};

	return ib_post_send(link->id->qp, &wr, NULL);
}

int perf_post_rdma(struct perf_end *end, u32 offset)
{
	struct link *link = link_of(end);
	struct ib_sge sge = {
		.addr = link->data + offset,
		.length = end->row->size,
		.lkey = link->pd->local_dma_lkey,
	};
	const struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe = &link->request,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = end->row->pattern == PERF_WRITE ?
				  IB_WR_RDMA_WRITE : IB_WR_RDMA_READ,
			.send_flags = IB_SEND_SIGNALED,
		},
		.remote_addr = end->address + offset,
		.rkey = end->key,
	};

	return ib_post_send(link->id->qp, &wr.wr, NULL);
}

int perf_expose(struct perf_end *end)
{
	struct link *link = link_of(end);
	struct ib_mr *mr = link->mr;
	struct ib_reg_wr wr = {
		.wr.wr_cqe = &link->registration,
		.wr.opcode = IB_WR_REG_MR,
		.mr = mr,
		.key = mr ? mr->rkey : 0,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
			  IB_ACCESS_REMOTE_READ,
	};

	if (!mr)
		return 0;
	end->address = mr->iova;
	end->key = mr->rkey;
	return ib_post_send(link->id->qp, &wr.wr, NULL);
}

/* ---- completions: in softirq ---------------------------------------------------- */

static bool completed_well(struct link *link, const struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS && wc->status != IB_WC_WR_FLUSH_ERR)
		perf_over(&link->end, -EIO);
	return wc->status == IB_WC_SUCCESS;
}

static void receive_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct link *link = cq->cq_context;

	if (completed_well(link, wc))
		perf_received(&link->end, wc->byte_len);
}

static void request_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct link *link = cq->cq_context;

	if (completed_well(link, wc))
		perf_completed(&link->end);
}

/* Only when it failed: it is not signalled. */
static void registration_done(struct ib_cq *cq, struct ib_wc *wc)
{
	completed_well(cq->cq_context, wc);
}

/* ---- life of a connection -------------------------------------------------------- */

/* All but the id, whose handler does nothing any more. */
static void link_unmake(struct link *link)
{
	struct perf_end *end = &link->end;

	if (link->id->qp) {
		ib_drain_qp(link->id->qp);
		rdma_destroy_qp(link->id);
	}
	if (link->cq)
		ib_free_cq(link->cq);
	if (link->mr)
		ib_dereg_mr(link->mr);
	if (link->messages)
		ib_dma_unmap_single(link->dev, link->messages,
				    perf_messages_size(end), DMA_BIDIRECTIONAL);
	if (sg_dma_len(&link->sg))
		ib_dma_unmap_sg(link->dev, &link->sg, 1, DMA_BIDIRECTIONAL);
	if (link->pd)
		ib_dealloc_pd(link->pd);
	perf_end_exit(end);
}

static void link_free(struct link *link)
{
	rdma_lock_handler(link->id);
	link->gone = true;
	rdma_unlock_handler(link->id);
	rdma_disconnect(link->id);
	link_unmake(link);
	rdma_destroy_id(link->id);
	kfree(link);
}

static int link_map(struct link *link)
{
	struct perf_end *end = &link->end;
	u64 at;

	at = ib_dma_map_single(link->dev, end->messages,
			       perf_messages_size(end), DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(link->dev, at))
		return -EIO;
	link->messages = at;
	if (!end->data)
		return 0;
	sg_init_one(&link->sg, end->data, perf_data_size(end));
	if (ib_dma_map_sg(link->dev, &link->sg, 1, DMA_BIDIRECTIONAL) != 1) {
		sg_dma_len(&link->sg) = 0;
		return -EIO;
	}
	link->data = sg_dma_address(&link->sg);
	return 0;
}

static int link_make_mr(struct link *link)
{
	const struct perf_end *end = &link->end;
	u32 pages = perf_data_size(end) / PAGE_SIZE + 1;

	if (end->client || !end->data)
		return 0;
	link->mr = ib_alloc_mr(link->pd, IB_MR_TYPE_MEM_REG, pages);
	if (IS_ERR(link->mr)) {
		int ret = PTR_ERR(link->mr);

		link->mr = NULL;
		return ret;
	}
	return ib_map_mr_sg(link->mr, &link->sg, 1, NULL, PAGE_SIZE) == 1 ?
	       0 : -EIO;
}

static int link_make_qp(struct link *link)
{
	const struct perf_row *row = link->end.row;
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		/* And the registration, and one for the drain. */
		.cap = {
			.max_send_wr = perf_requests(&link->end) + 2,
			.max_recv_wr = row->recvs + 1,
			.max_send_sge = 1,
			.max_inline_data = goes_inline(link) ? PERF_MESSAGE : 0,
			.max_recv_sge = 1,
		},
	};
	struct ib_cq *cq;

	cq = ib_alloc_cq(link->dev, link, row->recvs + row->window + 5, 0,
			 IB_POLL_SOFTIRQ);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	link->cq = cq;
	attr.send_cq = cq;
	attr.recv_cq = cq;
	return rdma_create_qp(link->id, link->pd, &attr);
}

/* Where its id has a device. */
static int link_make(struct link *link)
{
	struct ib_pd *pd;
	int ret;

	link->dev = link->id->device;
	link->receive.done = receive_done;
	link->request.done = request_done;
	link->registration.done = registration_done;
	pd = ib_alloc_pd(link->dev, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	link->pd = pd;
	ret = link_map(link);
	if (!ret)
		ret = link_make_mr(link);
	if (!ret)
		ret = link_make_qp(link);
	return ret ?: perf_post_receives(&link->end);
}

static struct link *link_new(bool client, const void *hello, size_t size)
{
	struct link *link = kzalloc(sizeof(*link), GFP_KERNEL);
	int ret;

	if (!link)
		return ERR_PTR(-ENOMEM);
	init_completion(&link->step);
	ret = perf_end_init(&link->end, client, hello, size);
	if (!ret)
		return link;
	kfree(link);
	return ERR_PTR(ret);
}

/* ---- connections: in process context ------------------------------------------------ */

static int serve(struct rdma_cm_id *id, const struct rdma_conn_param *conn);

static void step(struct link *link, int err)
{
	link->step_err = err;
	complete(&link->step);
}

static int event_error(const struct rdma_cm_event *event)
{
	switch (event->event) {
	case RDMA_CM_EVENT_REJECTED:
		return -ECONNREFUSED;
	case RDMA_CM_EVENT_UNREACHABLE:
		return -EHOSTUNREACH;
	default:
		return -ECONNRESET;
	}
}

static int handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct link *link = id->context;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return serve(id, &event->param.conn);
	/* The one that listens has no link. */
	if (!link || link->gone)
		return 0;
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		step(link, 0);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
		step(link, -EHOSTUNREACH);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (link->end.client)
			perf_greet(&link->end);
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		perf_over(&link->end, event_error(event));
	}
	return 0;
}

/* Ends itself, in a while. */
static int await_step(struct link *link)
{
	wait_for_completion(&link->step);
	reinit_completion(&link->step);
	return link->step_err;
}

static int link_connect(struct link *link, const struct perf_order *order)
{
	struct sockaddr_storage to = order->to;
	struct rdma_conn_param conn = {
		.private_data = &order->hello,
		.private_data_len = sizeof(order->hello),
		.responder_resources = 16,
		.initiator_depth = 16,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
	int ret;

	if (to.ss_family == AF_INET)
		((struct sockaddr_in *)&to)->sin_port = htons(order->port);
	else
		((struct sockaddr_in6 *)&to)->sin6_port = htons(order->port);
	ret = rdma_resolve_addr(link->id, NULL, (void *)&to, TIMEOUT_MS) ?:
	      await_step(link);
	if (!ret)
		ret = rdma_resolve_route(link->id, TIMEOUT_MS) ?:
		      await_step(link);
	if (!ret)
		ret = link_make(link);
	return ret ?: rdma_connect(link->id, &conn);
}

struct perf_end *perf_connect(const struct perf_order *order)
{
	struct rdma_cm_id *id;
	struct link *link;
	int ret;

	link = link_new(true, &order->hello, sizeof(order->hello));
	if (IS_ERR(link))
		return ERR_CAST(link);
	id = rdma_create_id(&init_net, handler, link, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id)) {
		perf_end_exit(&link->end);
		kfree(link);
		return ERR_CAST(id);
	}
	link->id = id;
	ret = link_connect(link, order);
	if (!ret)
		return &link->end;
	link_free(link);
	return ERR_PTR(ret);
}

void perf_disconnect(struct perf_end *end)
{
	link_free(link_of(end));
}

/* ---- the server ------------------------------------------------------------------------ */

/* An id may not be destroyed in a handler, nor under the lock that one takes. */
static void sweep_work(struct work_struct *work)
{
	struct link *link, *next;
	LIST_HEAD(over);

	mutex_lock(&self.lock);
	list_for_each_entry_safe(link, next, &self.servers, list) {
		if (READ_ONCE(link->end.err))
			list_move(&link->list, &over);
	}
	mutex_unlock(&self.lock);
	list_for_each_entry_safe(link, next, &over, list)
		link_free(link);
}

void perf_hang_up(void)
{
	schedule_work(&self.sweep);
}

static void servers_end(void)
{
	struct link *link;

	mutex_lock(&self.lock);
	list_for_each_entry(link, &self.servers, list)
		perf_over(&link->end, -ECONNRESET);
	mutex_unlock(&self.lock);
}

static int serve_link(struct link *link)
{
	struct rdma_conn_param conn = {
		.responder_resources = 16,
		.initiator_depth = 16,
		.rnr_retry_count = 7,
	};

	return link_make(link) ?: rdma_accept(link->id, &conn);
}

/* A new client takes the place of the one before. With an error the id goes. */
static int serve(struct rdma_cm_id *id, const struct rdma_conn_param *conn)
{
	struct link *link;
	int ret;

	link = link_new(false, conn->private_data, conn->private_data_len);
	if (IS_ERR(link)) {
		rdma_reject(id, NULL, 0, IB_CM_REJ_CONSUMER_DEFINED);
		return PTR_ERR(link);
	}
	link->id = id;
	id->context = link;
	servers_end();
	ret = serve_link(link);
	if (ret) {
		rdma_reject(id, NULL, 0, IB_CM_REJ_CONSUMER_DEFINED);
		link_unmake(link);
		kfree(link);
		return ret;
	}
	mutex_lock(&self.lock);
	list_add(&link->list, &self.servers);
	mutex_unlock(&self.lock);
	/* It may be over already. */
	perf_hang_up();
	return 0;
}

/* ---- the module -------------------------------------------------------------------------- */

int perf_start(u16 port)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};
	struct rdma_cm_id *id;
	int ret;

	INIT_WORK(&self.sweep, sweep_work);
	id = rdma_create_id(&init_net, handler, NULL, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_bind_addr(id, (void *)&at) ?: rdma_listen(id, 16);
	if (ret) {
		pr_err("kdapl_perf_raw: cannot listen on port %u: %d\n", port,
		       ret);
		rdma_destroy_id(id);
		return ret;
	}
	self.id = id;
	return 0;
}

void perf_stop(void)
{
	rdma_destroy_id(self.id);
	servers_end();
	flush_work(&self.sweep);
	cancel_work_sync(&self.sweep);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Connections and posts by kDAPL. One EVD has all events of a connection, and its upcalls
 * come one at a time: nothing that they use needs a lock.
 */

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <dat2/kdat.h>

#include "perf.h"

#define TIMEOUT_US	20000000

static char *ia = "";
module_param(ia, charp, 0444);
MODULE_PARM_DESC(ia, "adapter, or its network device");

/* Cookies: what a completion is of. */
enum { FOR_REQUEST, FOR_RECEIVE };

struct memory {
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT local;	/* names it in our own segments */
	DAT_RMR_CONTEXT remote;	/* names it to the peer */
};

struct link {
	struct perf_end end;
	DAT_EP_HANDLE ep;
	DAT_EVD_HANDLE evd;
	struct memory messages, data;
};

static struct {
	DAT_IA_HANDLE ia;
	DAT_EVD_HANDLE async_evd, cr_evd;
	DAT_PZ_HANDLE pz;
	DAT_PSP_HANDLE psp;
	struct workqueue_struct *queue;	/* one at a time, in order */
	struct work_struct requests, sweep, stop;
	struct link *server;		/* of the queue alone */
} self;

static struct link *link_of(struct perf_end *end)
{
	return container_of(end, struct link, end);
}

/* In any context. */
static int failed(DAT_RETURN ret, const char *what)
{
	const char *major = "?", *minor = "?";

	if (ret == DAT_SUCCESS)
		return 0;
	dat_strerror(ret, &major, &minor);
	pr_err_ratelimited("kdapl_perf: %s: %s %s\n", what, major, minor);
	return -EIO;
}

/* ---- posts ------------------------------------------------------------------ */

/* An EP whose end has begun takes no more; an event tells of the end, and its cause. */
static int posted(DAT_RETURN ret, const char *what)
{
	return DAT_GET_TYPE(ret) == DAT_INVALID_STATE ? 0 : failed(ret, what);
}

int perf_post_receive(struct perf_end *end, u32 offset)
{
	struct link *link = link_of(end);
	DAT_LMR_TRIPLET iov = {
		.virtual_address = (uintptr_t)end->messages + offset,
		.segment_length = PERF_MESSAGE,
		.lmr_context = link->messages.local,
	};
	DAT_DTO_COOKIE cookie = { .as_64 = FOR_RECEIVE };

	return posted(dat_ep_post_recv(link->ep, 1, &iov, cookie,
				       DAT_COMPLETION_DEFAULT_FLAG),
		      "dat_ep_post_recv");
}

int perf_post_send(struct perf_end *end, u32 offset)
{
	struct link *link = link_of(end);
	DAT_LMR_TRIPLET iov = {
		.virtual_address = (uintptr_t)end->messages + offset,
		.segment_length = PERF_MESSAGE,
		.lmr_context = link->messages.local,
	};
	DAT_DTO_COOKIE cookie = { .as_64 = FOR_REQUEST };

	return posted(dat_ep_post_send(link->ep, 1, &iov, cookie,
				       DAT_COMPLETION_DEFAULT_FLAG),
		      "dat_ep_post_send");
}

int perf_post_rdma(struct perf_end *end, u32 offset)
{
	struct link *link = link_of(end);
	DAT_LMR_TRIPLET iov = {
		.virtual_address = (uintptr_t)end->data + offset,
		.segment_length = end->row->size,
		.lmr_context = link->data.local,
	};
	const DAT_RMR_TRIPLET remote = {
		.virtual_address = end->address + offset,
		.segment_length = end->row->size,
		.rmr_context = end->key,
	};
	DAT_DTO_COOKIE cookie = { .as_64 = FOR_REQUEST };

	if (end->row->pattern == PERF_WRITE)
		return posted(dat_ep_post_rdma_write(link->ep, 1, &iov, cookie,
						     &remote,
						     DAT_COMPLETION_DEFAULT_FLAG),
			      "dat_ep_post_rdma_write");
	return posted(dat_ep_post_rdma_read(link->ep, 1, &iov, cookie, &remote,
					    DAT_COMPLETION_DEFAULT_FLAG),
		      "dat_ep_post_rdma_read");
}

int perf_expose(struct perf_end *end)
{
	end->address = (uintptr_t)end->data;
	end->key = link_of(end)->data.remote;
	return 0;
}

/* ---- upcalls: in softirq, they must not sleep -------------------------------- */

static void link_completed(struct link *link,
			   const DAT_DTO_COMPLETION_EVENT_DATA *dto)
{
	/* A flush has its cause elsewhere, and an event says so. */
	if (dto->status == DAT_DTO_ERR_FLUSHED)
		return;
	if (dto->status != DAT_DTO_SUCCESS)
		perf_over(&link->end, -EIO);
	else if (dto->user_cookie.as_64 == FOR_REQUEST)
		perf_completed(&link->end);
	else
		perf_received(&link->end, dto->transfered_length);
}

static int connection_error(DAT_EVENT_NUMBER number)
{
	switch (number) {
	case DAT_CONNECTION_EVENT_PEER_REJECTED:
	case DAT_CONNECTION_EVENT_NON_PEER_REJECTED:
		return -ECONNREFUSED;
	case DAT_CONNECTION_EVENT_UNREACHABLE:
		return -EHOSTUNREACH;
	case DAT_CONNECTION_EVENT_TIMED_OUT:
		return -ETIMEDOUT;
	default:
		return -ECONNRESET;
	}
}

static void link_upcall(DAT_PVOID instance, const DAT_EVENT *event,
			DAT_BOOLEAN more)
{
	const DAT_EVENT_DATA *data = &event->event_data;
	struct link *link = instance;

	switch (event->event_number) {
	case DAT_DTO_COMPLETION_EVENT:
		link_completed(link, &data->dto_completion_event_data);
		break;
	case DAT_CONNECTION_EVENT_ESTABLISHED:
		if (link->end.client)
			perf_greet(&link->end);
		break;
	default:
		perf_over(&link->end, connection_error(event->event_number));
	}
}

/* DAT_UPCALL_NOTIFY: there is no event, a worker dequeues them. */
static void cr_upcall(DAT_PVOID instance, const DAT_EVENT *event,
		      DAT_BOOLEAN more)
{
	queue_work(self.queue, &self.requests);
}

/* ---- life of a connection: what follows may sleep ----------------------------- */

static void stop_upcalls(DAT_EVD_HANDLE evd)
{
	if (evd)
		dat_evd_modify_upcall(evd, DAT_UPCALL_TEARDOWN, DAT_UPCALL_SAME,
				      DAT_UPCALL_INVOC_NEW);
}

/* In this order: nothing goes that another one uses. */
static void link_free(struct link *link)
{
	stop_upcalls(link->evd);
	if (link->ep)
		dat_ep_free(link->ep);
	if (link->evd)
		dat_evd_free(link->evd);
	if (link->messages.lmr)
		dat_lmr_free(link->messages.lmr);
	if (link->data.lmr)
		dat_lmr_free(link->data.lmr);
	perf_end_exit(&link->end);
	kfree(link);
}

static int memory_register(struct memory *memory, void *at, size_t size,
			   DAT_MEM_PRIV_FLAGS privileges)
{
	DAT_REGION_DESCRIPTION region = { .for_va = at };

	return failed(dat_lmr_kcreate(self.ia, DAT_MEM_TYPE_VIRTUAL, region,
				      size, self.pz, privileges,
				      DAT_VA_TYPE_VA,
				      DAT_MEM_OPTIMIZE_DONT_CARE, &memory->lmr,
				      &memory->local, &memory->remote, NULL,
				      NULL), "dat_lmr_kcreate");
}

static int link_register(struct link *link)
{
	DAT_MEM_PRIV_FLAGS both = DAT_MEM_PRIV_LOCAL_READ_FLAG |
				  DAT_MEM_PRIV_LOCAL_WRITE_FLAG;
	struct perf_end *end = &link->end;
	int ret;

	ret = memory_register(&link->messages, end->messages,
			      perf_messages_size(end), both);
	if (ret || !end->data)
		return ret;
	if (!end->client)
		both |= end->row->pattern == PERF_WRITE ?
			DAT_MEM_PRIV_REMOTE_WRITE_FLAG :
			DAT_MEM_PRIV_REMOTE_READ_FLAG;
	return memory_register(&link->data, end->data, perf_data_size(end),
			       both);
}

static int link_make_ep(struct link *link)
{
	const struct perf_row *row = link->end.row;
	const DAT_UPCALL_OBJECT upcall = { link, link_upcall };
	const DAT_EP_ATTR attr = {
		.max_recv_dtos = row->recvs,
		.max_request_dtos = perf_requests(&link->end),
		.max_recv_iov = 1,
		.max_request_iov = 1,
		.max_rdma_read_in = 16,
		.max_rdma_read_out = 16,
	};
	int ret;

	ret = failed(dat_evd_kcreate(self.ia,
				     row->recvs + perf_requests(&link->end) + 4,
				     DAT_UPCALL_SINGLE_INSTANCE, &upcall,
				     DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG,
				     &link->evd), "dat_evd_kcreate");
	if (ret)
		return ret;
	return failed(dat_ep_create(self.ia, self.pz, link->evd, link->evd,
				    link->evd, &attr, &link->ep),
		      "dat_ep_create");
}

static struct link *link_make(bool client, const void *hello, size_t size)
{
	struct link *link = kzalloc(sizeof(*link), GFP_KERNEL);
	int ret;

	if (!link)
		return ERR_PTR(-ENOMEM);
	ret = perf_end_init(&link->end, client, hello, size);
	if (!ret)
		ret = link_register(link);
	if (!ret)
		ret = link_make_ep(link);
	if (!ret)
		ret = perf_post_receives(&link->end);
	if (!ret)
		return link;
	link_free(link);
	return ERR_PTR(ret);
}

/* ---- the client ---------------------------------------------------------------- */

struct perf_end *perf_connect(const struct perf_order *order)
{
	struct sockaddr_storage to = order->to;
	struct perf_hello hello = order->hello;
	struct link *link;
	int ret;

	link = link_make(true, &hello, sizeof(hello));
	if (IS_ERR(link))
		return ERR_CAST(link);
	ret = failed(dat_ep_connect(link->ep, (void *)&to, order->port,
				    TIMEOUT_US, sizeof(hello), &hello,
				    DAT_QOS_BEST_EFFORT,
				    DAT_CONNECT_DEFAULT_FLAG),
		     "dat_ep_connect");
	if (!ret)
		return &link->end;
	link_free(link);
	return ERR_PTR(ret);
}

void perf_disconnect(struct perf_end *end)
{
	link_free(link_of(end));
}

/* ---- the server: all in its queue, one client at a time ------------------------- */

static void server_free(void)
{
	if (self.server)
		link_free(self.server);
	self.server = NULL;
}

static void sweep_work(struct work_struct *work)
{
	if (self.server && READ_ONCE(self.server->end.err))
		server_free();
}

static void stop_work(struct work_struct *work)
{
	server_free();
}

void perf_hang_up(void)
{
	queue_work(self.queue, &self.sweep);
}

/* A new client takes the place of the one before, if it is one. */
static int server_accept(DAT_CR_HANDLE cr)
{
	struct link *link;
	DAT_CR_PARAM param;

	if (failed(dat_cr_query(cr, DAT_CR_FIELD_PRIVATE_DATA |
				DAT_CR_FIELD_PRIVATE_DATA_SIZE, &param),
		   "dat_cr_query"))
		return -EIO;
	if (!perf_hello_valid(param.private_data, param.private_data_size))
		return -EPROTO;
	server_free();
	link = link_make(false, param.private_data, param.private_data_size);
	if (IS_ERR(link))
		return PTR_ERR(link);
	self.server = link;
	return failed(dat_cr_accept(cr, link->ep, 0, NULL), "dat_cr_accept");
}

static void requests_work(struct work_struct *work)
{
	DAT_CR_HANDLE cr;
	DAT_EVENT event;

	while (dat_evd_dequeue(self.cr_evd, &event) == DAT_SUCCESS) {
		cr = event.event_data.cr_arrival_event_data.cr_handle;
		if (server_accept(cr))
			dat_cr_reject(cr, 0, NULL);
	}
}

/* ---- the module ------------------------------------------------------------------ */

static int serve(u16 port)
{
	const DAT_UPCALL_OBJECT upcall = { NULL, cr_upcall };
	int ret;

	ret = failed(dat_pz_create(self.ia, &self.pz), "dat_pz_create");
	if (!ret)
		ret = failed(dat_evd_kcreate(self.ia, 16, DAT_UPCALL_NOTIFY,
					     &upcall, DAT_EVD_CR_FLAG,
					     &self.cr_evd), "dat_evd_kcreate");
	if (!ret)
		ret = failed(dat_psp_create(self.ia, port, self.cr_evd,
					    DAT_PSP_CONSUMER_FLAG, &self.psp),
			     "dat_psp_create");
	return ret;
}

int perf_start(u16 port)
{
	INIT_WORK(&self.requests, requests_work);
	INIT_WORK(&self.sweep, sweep_work);
	INIT_WORK(&self.stop, stop_work);
	self.queue = alloc_ordered_workqueue("kdapl_perf", 0);
	if (!self.queue)
		return -ENOMEM;
	if (failed(dat_ia_open(ia, 8, &self.async_evd, &self.ia),
		   "dat_ia_open")) {
		pr_err("kdapl_perf: no adapter \"%s\"\n", ia);
		destroy_workqueue(self.queue);
		return -ENODEV;
	}
	if (!serve(port))
		return 0;
	perf_stop();
	return -EIO;
}

/*
 * First nobody asks any more; then, behind the last request, the server goes, in the
 * queue as ever: its upcalls queue work until then. The abrupt close frees what is left.
 */
void perf_stop(void)
{
	if (self.psp)
		dat_psp_free(self.psp);
	stop_upcalls(self.cr_evd);
	queue_work(self.queue, &self.stop);
	/* A queue that is being destroyed takes no more work. */
	flush_work(&self.stop);
	destroy_workqueue(self.queue);
	dat_ia_close(self.ia, DAT_CLOSE_ABRUPT_FLAG);
}

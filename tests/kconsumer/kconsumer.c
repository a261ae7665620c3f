// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A consumer of kDAPL: it waits for a client, and is one itself where it is told a
 * peer's address, which may be its own.
 *
 * In each round the client writes into the server's memory by RDMA, and sends a
 * message that says what every byte there must be. The server looks, and answers with
 * the same number, or 0.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/inet.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

#include <dat2/kdat.h>

#define SIZE	SZ_64K

static char *ia = "";
module_param(ia, charp, 0444);
MODULE_PARM_DESC(ia, "adapter, or its network device");

static char *peer = "";
module_param(peer, charp, 0444);
MODULE_PARM_DESC(peer, "address to connect to; none unless given");

static ushort port = 45250;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "where both sides meet");

static uint rounds = 1000;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "of the client; then it disconnects");

/* To be read in /sys/module. */
static uint right, wrong;
module_param(right, uint, 0444);
MODULE_PARM_DESC(right, "rounds that went well");
module_param(wrong, uint, 0444);
MODULE_PARM_DESC(wrong, "rounds that did not");

/* Memory that the adapter may use. */
struct memory {
	void *at;
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT local;	/* names it in our own segments */
	DAT_RMR_CONTEXT remote;	/* names it to the peer */
};

struct messages {
	__be32 in, out;
};

/* Where a client may write: private data of the acceptance. */
struct offer {
	__be64 address;
	__be32 context;
	__be32 length;
};

/* One end of a connection. Its upcalls, one at a time, are all that uses the rest. */
struct end {
	DAT_EP_HANDLE ep;
	DAT_EVD_HANDLE evd;
	struct memory data, messages;
	struct work_struct over;
	DAT_RMR_TRIPLET window;	/* of a client: the server's memory */
	u32 round;
	bool came, sent;	/* the peer's message; ours, so that its memory is free */
};

/* Cookies: what a completion is of. */
enum { FOR_WRITE, FOR_SEND, FOR_RECEIVE };

static struct {
	DAT_IA_HANDLE ia;
	DAT_EVD_HANDLE async_evd, cr_evd;
	DAT_PZ_HANDLE pz;
	DAT_PSP_HANDLE psp;
	struct workqueue_struct *queue;	/* one at a time, in order */
	struct work_struct requests;
	struct end server, client;
} self;

/* In any context. */
static int failed(DAT_RETURN ret, const char *what)
{
	const char *major = "?", *minor = "?";

	if (ret == DAT_SUCCESS)
		return 0;
	dat_strerror(ret, &major, &minor);
	pr_err_ratelimited("%s: %s %s\n", what, major, minor);
	return -EIO;
}

/* ---- memory -------------------------------------------------------------- */

static int memory_make(struct memory *memory, size_t size,
		       DAT_MEM_PRIV_FLAGS privileges)
{
	DAT_REGION_DESCRIPTION region;

	memory->at = kvzalloc(size, GFP_KERNEL);
	if (!memory->at)
		return -ENOMEM;
	region.for_va = memory->at;
	return failed(dat_lmr_kcreate(self.ia, DAT_MEM_TYPE_VIRTUAL, region,
				      size, self.pz, privileges,
				      DAT_VA_TYPE_VA,
				      DAT_MEM_OPTIMIZE_DONT_CARE, &memory->lmr,
				      &memory->local, &memory->remote, NULL,
				      NULL), "dat_lmr_kcreate");
}

static void memory_free(struct memory *memory)
{
	if (memory->lmr)
		failed(dat_lmr_free(memory->lmr), "dat_lmr_free");
	kvfree(memory->at);
	*memory = (struct memory){};
}

static DAT_LMR_TRIPLET segment(const struct memory *memory, const void *at,
			       u32 size)
{
	return (DAT_LMR_TRIPLET){
		.virtual_address = (uintptr_t)at,
		.segment_length = size,
		.lmr_context = memory->local,
	};
}

/* ---- posts: in any context up to softirq --------------------------------- */

static int post_receive(struct end *end)
{
	struct messages *messages = end->messages.at;
	DAT_LMR_TRIPLET iov = segment(&end->messages, &messages->in,
				      sizeof(messages->in));
	DAT_DTO_COOKIE cookie = { .as_64 = FOR_RECEIVE };

	return failed(dat_ep_post_recv(end->ep, 1, &iov, cookie,
				       DAT_COMPLETION_DEFAULT_FLAG),
		      "dat_ep_post_recv");
}

static int post_message(struct end *end, u32 number)
{
	struct messages *messages = end->messages.at;
	DAT_LMR_TRIPLET iov = segment(&end->messages, &messages->out,
				      sizeof(messages->out));
	DAT_DTO_COOKIE cookie = { .as_64 = FOR_SEND };

	messages->out = cpu_to_be32(number);
	end->sent = false;
	return failed(dat_ep_post_send(end->ep, 1, &iov, cookie,
				       DAT_COMPLETION_DEFAULT_FLAG),
		      "dat_ep_post_send");
}

/* What is posted first is done first: no event is needed between the two. */
static int next_round(struct end *end)
{
	DAT_LMR_TRIPLET iov = segment(&end->data, end->data.at, SIZE);
	DAT_DTO_COOKIE cookie = { .as_64 = FOR_WRITE };

	end->round++;
	memset(end->data.at, (u8)end->round, SIZE);
	if (failed(dat_ep_post_rdma_write(end->ep, 1, &iov, cookie,
					  &end->window,
					  DAT_COMPLETION_SUPPRESS_FLAG),
		   "dat_ep_post_rdma_write"))
		return -EIO;
	return post_message(end, end->round);
}

/* ---- upcalls: in softirq, they must not sleep ---------------------------- */

static int client_begin(struct end *end, const DAT_CONNECTION_EVENT_DATA *data)
{
	struct offer offer;

	/* There may be more: some networks fill up what they carry. */
	if (data->private_data_size < (DAT_COUNT)sizeof(offer))
		return -EPROTO;
	memcpy(&offer, data->private_data, sizeof(offer));
	if (be32_to_cpu(offer.length) < SIZE)
		return -EPROTO;
	end->window = (DAT_RMR_TRIPLET){
		.virtual_address = be64_to_cpu(offer.address),
		.segment_length = SIZE,
		.rmr_context = be32_to_cpu(offer.context),
	};
	return next_round(end);
}

static int client_go_on(struct end *end, u32 number)
{
	if (number == end->round)
		right++;
	else
		wrong++;
	if (end->round < rounds)
		return next_round(end);
	queue_work(self.queue, &end->over);
	return 0;
}

static int server_go_on(struct end *end, u32 number)
{
	if (memchr_inv(end->data.at, (u8)number, SIZE))
		number = 0;
	return post_message(end, number);
}

static int completed(struct end *end, const DAT_DTO_COMPLETION_EVENT_DATA *dto)
{
	const struct messages *messages = end->messages.at;
	u32 number;

	/* The connection has ended, or will: another event says so. */
	if (dto->status != DAT_DTO_SUCCESS)
		return 0;
	if (dto->user_cookie.as_64 == FOR_SEND) {
		end->sent = true;
	} else {
		if (dto->transfered_length != sizeof(messages->in))
			return -EPROTO;
		end->came = true;
	}
	if (!end->came || !end->sent)
		return 0;
	end->came = false;
	number = be32_to_cpu(messages->in);
	if (post_receive(end))
		return -EIO;
	return end == &self.client ? client_go_on(end, number) :
				     server_go_on(end, number);
}

/*
 * Both ends may come here at once, and a limit says nothing of who finds it locked. So
 * only the server has one, to whom any peer may come.
 */
static void not_connected(const struct end *end, DAT_EVENT_NUMBER event)
{
	if (end == &self.client)
		pr_info("client: not connected: event %#x\n", event);
	else
		pr_info_ratelimited("server: not connected: event %#x\n",
				    event);
}

static void end_upcall(DAT_PVOID instance, const DAT_EVENT *event,
		       DAT_BOOLEAN more)
{
	const DAT_EVENT_DATA *data = &event->event_data;
	struct end *end = instance;
	int ret = 0;

	switch (event->event_number) {
	case DAT_DTO_COMPLETION_EVENT:
		ret = completed(end, &data->dto_completion_event_data);
		break;
	case DAT_CONNECTION_EVENT_ESTABLISHED:
		if (end == &self.client)
			ret = client_begin(end, &data->connect_event_data);
		break;
	default:
		not_connected(end, event->event_number);
	}
	if (ret)
		queue_work(self.queue, &end->over);
}

/* DAT_UPCALL_NOTIFY: there is no event, a worker dequeues them. */
static void cr_upcall(DAT_PVOID instance, const DAT_EVENT *event,
		      DAT_BOOLEAN more)
{
	queue_work(self.queue, &self.requests);
}

static void async_upcall(DAT_PVOID instance, const DAT_EVENT *event,
			 DAT_BOOLEAN more)
{
	if (event->event_number == DAT_ASYNC_ERROR_IA_CATASTROPHIC)
		pr_warn("the device is gone\n");
}

/* ---- ends: from here on, what may sleep ---------------------------------- */

static void end_over(struct work_struct *work)
{
	struct end *end = container_of(work, struct end, over);

	dat_ep_disconnect(end->ep, DAT_CLOSE_GRACEFUL_FLAG);
}

static void stop_upcalls(DAT_EVD_HANDLE evd)
{
	if (evd)
		dat_evd_modify_upcall(evd, DAT_UPCALL_TEARDOWN, DAT_UPCALL_SAME,
				      DAT_UPCALL_INVOC_NEW);
}

static int end_make(struct end *end, DAT_MEM_PRIV_FLAGS privileges)
{
	const DAT_UPCALL_OBJECT upcall = { end, end_upcall };
	const DAT_EP_ATTR attr = {
		.max_recv_dtos = 1,
		.max_request_dtos = 2,
		.max_recv_iov = 1,
		.max_request_iov = 1,
	};
	int ret;

	end->round = 0;
	end->came = false;
	end->sent = true;
	ret = memory_make(&end->data, SIZE, privileges);
	if (!ret)
		ret = memory_make(&end->messages, sizeof(struct messages),
				  DAT_MEM_PRIV_LOCAL_READ_FLAG |
				  DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
	if (!ret)
		ret = failed(dat_evd_kcreate(self.ia, 8,
					     DAT_UPCALL_SINGLE_INSTANCE,
					     &upcall,
					     DAT_EVD_DTO_FLAG |
					     DAT_EVD_CONNECTION_FLAG,
					     &end->evd), "dat_evd_kcreate");
	if (!ret)
		ret = failed(dat_ep_create(self.ia, self.pz, end->evd, end->evd,
					   end->evd, &attr, &end->ep),
			     "dat_ep_create");
	return ret ?: post_receive(end);
}

/* In this order: nothing goes that another one uses. */
static void end_free(struct end *end)
{
	stop_upcalls(end->evd);
	cancel_work(&end->over);
	if (end->ep)
		failed(dat_ep_free(end->ep), "dat_ep_free");
	if (end->evd)
		failed(dat_evd_free(end->evd), "dat_evd_free");
	end->ep = NULL;
	end->evd = NULL;
	memory_free(&end->data);
	memory_free(&end->messages);
}

/* ---- the server ---------------------------------------------------------- */

static bool server_is_busy(void)
{
	DAT_EP_STATE state = DAT_EP_STATE_DISCONNECTED;

	if (self.server.ep)
		dat_ep_get_status(self.server.ep, &state, NULL, NULL);
	return state == DAT_EP_STATE_COMPLETION_PENDING ||
	       state == DAT_EP_STATE_CONNECTED;
}

static int server_accept(DAT_CR_HANDLE cr)
{
	struct end *end = &self.server;
	struct offer offer;

	if (server_is_busy())
		return -EBUSY;
	end_free(end);
	if (end_make(end, DAT_MEM_PRIV_LOCAL_WRITE_FLAG |
			  DAT_MEM_PRIV_REMOTE_WRITE_FLAG))
		return -EIO;
	offer.address = cpu_to_be64((uintptr_t)end->data.at);
	offer.context = cpu_to_be32(end->data.remote);
	offer.length = cpu_to_be32(SIZE);
	return failed(dat_cr_accept(cr, end->ep, sizeof(offer), &offer),
		      "dat_cr_accept");
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

static int server_start(void)
{
	const DAT_UPCALL_OBJECT upcall = { NULL, cr_upcall };

	if (failed(dat_evd_kcreate(self.ia, 16, DAT_UPCALL_NOTIFY, &upcall,
				   DAT_EVD_CR_FLAG, &self.cr_evd),
		   "dat_evd_kcreate"))
		return -EIO;
	return failed(dat_psp_create(self.ia, port, self.cr_evd,
				     DAT_PSP_CONSUMER_FLAG, &self.psp),
		      "dat_psp_create");
}

/* ---- the client ---------------------------------------------------------- */

static int client_start(void)
{
	struct sockaddr_storage to;
	int ret;

	ret = inet_pton_with_scope(&init_net, AF_UNSPEC, peer, NULL, &to);
	if (ret)
		return ret;
	ret = end_make(&self.client, DAT_MEM_PRIV_LOCAL_READ_FLAG);
	if (ret)
		return ret;
	return failed(dat_ep_connect(self.client.ep, (void *)&to, port, 5000000,
				     0, NULL, DAT_QOS_BEST_EFFORT,
				     DAT_CONNECT_DEFAULT_FLAG),
		      "dat_ep_connect");
}

/* ---- the module ---------------------------------------------------------- */

static int start(void)
{
	const DAT_UPCALL_OBJECT upcall = { NULL, async_upcall };
	int ret;

	ret = failed(dat_evd_modify_upcall(self.async_evd,
					   DAT_UPCALL_SINGLE_INSTANCE, &upcall,
					   DAT_UPCALL_INVOC_ANY),
		     "dat_evd_modify_upcall");
	if (!ret)
		ret = failed(dat_pz_create(self.ia, &self.pz), "dat_pz_create");
	if (!ret)
		ret = server_start();
	if (!ret && *peer)
		ret = client_start();
	return ret;
}

/*
 * First nobody asks any more, then no upcall runs, then no worker; only then is
 * freed what they used. The abrupt close frees what is left.
 */
static void stop(void)
{
	if (self.psp)
		failed(dat_psp_free(self.psp), "dat_psp_free");
	stop_upcalls(self.cr_evd);
	flush_workqueue(self.queue);
	stop_upcalls(self.server.evd);
	stop_upcalls(self.client.evd);
	destroy_workqueue(self.queue);
	end_free(&self.server);
	end_free(&self.client);
	dat_ia_close(self.ia, DAT_CLOSE_ABRUPT_FLAG);
}

static int __init kconsumer_init(void)
{
	int ret;

	INIT_WORK(&self.requests, requests_work);
	INIT_WORK(&self.server.over, end_over);
	INIT_WORK(&self.client.over, end_over);
	self.queue = alloc_ordered_workqueue("kconsumer", 0);
	if (!self.queue)
		return -ENOMEM;
	ret = failed(dat_ia_open(ia, 8, &self.async_evd, &self.ia),
		     "dat_ia_open");
	if (ret) {
		destroy_workqueue(self.queue);
		return ret;
	}
	ret = start();
	if (ret)
		stop();
	return ret;
}

static void __exit kconsumer_exit(void)
{
	stop();
}

module_init(kconsumer_init);
module_exit(kconsumer_exit);

MODULE_DESCRIPTION("example of a kDAPL consumer");
MODULE_LICENSE("Dual BSD/GPL");

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RDMA by scatterlists on a device: the module connects to itself, writes lists of
 * every shape into registered memory and reads them back, alone and with a message
 * behind that tells of it. It loads where all data are right.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/inet.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include <dat2/kdat_ext.h>

#define SIZE		(255 * PAGE_SIZE)	/* one LMR on every device */
#define TIMEOUT		(20 * HZ)
#define COOKIE		0x1234567890abcdefULL
#define NOTE_COOKIE	0xfedcba0987654321ULL

static char *ia = "";
module_param(ia, charp, 0444);
MODULE_PARM_DESC(ia, "adapter, or its network device");

static char *address = "";
module_param(address, charp, 0444);
MODULE_PARM_DESC(address, "its own");

static bool iwarp;
module_param(iwarp, bool, 0444);
MODULE_PARM_DESC(iwarp, "the adapter's protocol");

static struct {
	DAT_IA_HANDLE ia;
	DAT_EVD_HANDLE async_evd, cr_evd;
	DAT_PZ_HANDLE pz;
	DAT_PSP_HANDLE psp;
	DAT_EVD_HANDLE client_evd, server_evd;
	DAT_EP_HANDLE client, server;
	DAT_LMR_HANDLE lmr, notes_lmr;
	DAT_RMR_TRIPLET window;
	struct notes {
		u64 in, out;	/* of the server, of the client */
	} *notes;
	DAT_LMR_CONTEXT notes_context;
	u8 *memory;	/* of the server */
	u8 *data;	/* what should have come there, or from there */
	u8 *read;
} self;

static int failed(DAT_RETURN ret, const char *what)
{
	const char *major = "?", *minor = "?";

	if (ret == DAT_SUCCESS)
		return 0;
	dat_strerror(ret, &major, &minor);
	pr_err("%s: %s %s\n", what, major, minor);
	return -EIO;
}

/* ---- lists -------------------------------------------------------------- */

/**
 * struct shape - a kind of list
 * @name: for the log
 * @entries: how many
 * @order: of each one's pages
 * @ragged: they begin and end anywhere
 */
struct shape {
	const char *name;
	unsigned int entries, order;
	bool ragged;
};

static const struct shape shapes[] = {
	{ "one page", 1, 0, false },
	{ "pages", 255, 0, false },
	{ "blocks", 15, 4, false },
	{ "pieces", 200, 0, true },
	{ "pieces of blocks", 30, 3, true },
	/* Of which the second has what the EP has kept of the first. */
	{ "a few pieces", 7, 0, true },
	{ "a page once more", 1, 0, false },
};

static void list_free(struct sg_table *list, unsigned int order)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg(list, sg, i)
		if (sg_page(sg))
			__free_pages(sg_page(sg), order);
	sg_free_table(list);
}

static int list_make(struct sg_table *list, const struct shape *shape)
{
	unsigned int whole = PAGE_SIZE << shape->order, offset, rest, i;
	struct scatterlist *sg;
	struct page *page;

	if (sg_alloc_table(list, shape->entries, GFP_KERNEL))
		return -ENOMEM;
	for_each_sgtable_sg(list, sg, i) {
		page = alloc_pages(GFP_KERNEL | __GFP_COMP, shape->order);
		if (!page) {
			list_free(list, shape->order);
			return -ENOMEM;
		}
		offset = shape->ragged ? 1 + i * 13 : 0;
		rest = shape->ragged ? i % 3 : 0;
		sg_set_page(sg, page, whole - offset - rest, offset);
	}
	return 0;
}

static u32 list_length(const struct sg_table *list)
{
	struct scatterlist *sg;
	unsigned int i;
	u32 length = 0;

	for_each_sgtable_sg(list, sg, i)
		length += sg->length;
	return length;
}

/* ---- what is moved ------------------------------------------------------ */

static void fill(u8 *data, u32 length, u32 seed)
{
	u32 i;

	for (i = 0; i < length; i++)
		data[i] = (i + seed) * 2654435761U >> 24;
}

static int next_event(DAT_EVD_HANDLE evd, DAT_EVENT *event)
{
	unsigned long end = jiffies + TIMEOUT;

	while (dat_evd_dequeue(evd, event) != DAT_SUCCESS) {
		if (time_after(jiffies, end)) {
			pr_err("no event\n");
			return -ETIME;
		}
		usleep_range(100, 200);
	}
	return 0;
}

static int expect_event(DAT_EVD_HANDLE evd, int number)
{
	DAT_EVENT event;
	int ret = next_event(evd, &event);

	if (!ret && (int)event.event_number != number) {
		pr_err("event %#x, not %#x\n", event.event_number, number);
		ret = -EIO;
	}
	return ret;
}

/* The next event is a completion: of all of it, or, where it is to fail, of nothing. */
static int expect_dto(DAT_EVD_HANDLE evd, u64 cookie, DAT_DTOS operation,
		      u32 length, bool fails)
{
	const DAT_DTO_COMPLETION_EVENT_DATA *dto;
	DAT_EVENT event;

	if (next_event(evd, &event))
		return -EIO;
	dto = &event.event_data.dto_completion_event_data;
	if (event.event_number != DAT_DTO_COMPLETION_EVENT ||
	    dto->user_cookie.as_64 != cookie ||
	    fails != !!dto->status ||
	    dto->transfered_length != (fails ? 0 : length) ||
	    dto->operation != operation) {
		pr_err("operation %d: event %#x, status %d, length %u\n",
		       operation, event.event_number, dto->status,
		       dto->transfered_length);
		return -EIO;
	}
	return 0;
}

static int move(const struct sg_table *list, const DAT_RMR_TRIPLET *remote,
		enum dma_data_direction dir)
{
	const DAT_DTO_COOKIE cookie = { .as_64 = COOKIE };

	if (failed(dat_ext_ep_rw(self.client, list->sgl, list->orig_nents, 0,
				 remote, dir, cookie), "dat_ext_ep_rw"))
		return -EIO;
	return expect_dto(self.client_evd, COOKIE,
			  dir == DMA_TO_DEVICE ? DAT_DTO_RDMA_WRITE :
						 DAT_DTO_RDMA_READ,
			  remote->segment_length, false);
}

static int compare(const u8 *found, u32 length, const char *what)
{
	u32 i;

	for (i = 0; i < length; i++) {
		if (found[i] != self.data[i]) {
			pr_err("%s: byte %u of %u is wrong\n", what, i, length);
			return -EIO;
		}
	}
	return 0;
}

/* iWARP's writes are over when they are sent: but a read behind them finds them. */
static int written(const struct sg_table *list, const DAT_RMR_TRIPLET *remote)
{
	return move(list, remote, DMA_TO_DEVICE) ?:
	       (iwarp ? move(list, remote, DMA_FROM_DEVICE) : 0) ?:
	       compare(self.memory, remote->segment_length, "written");
}

static int there_and_back(const struct sg_table *list)
{
	DAT_RMR_TRIPLET remote = self.window;
	u32 length = list_length(list);

	remote.segment_length = length;
	fill(self.data, length, 1);
	memset(self.memory, 0, SIZE);
	sg_copy_from_buffer(list->sgl, list->orig_nents, self.data, length);
	if (written(list, &remote))
		return -EIO;
	fill(self.data, length, 2);
	memcpy(self.memory, self.data, length);
	if (move(list, &remote, DMA_FROM_DEVICE))
		return -EIO;
	sg_copy_to_buffer(list->sgl, list->orig_nents, self.read, length);
	return compare(self.read, length, "read");
}

/* ---- with a message behind it --------------------------------------------- */

/* Of the notes, what @at points to. */
static DAT_LMR_TRIPLET note(const u64 *at)
{
	return (DAT_LMR_TRIPLET){
		.virtual_address = (uintptr_t)at,
		.segment_length = sizeof(*at),
		.lmr_context = self.notes_context,
	};
}

static int wait_for_note(void)
{
	const DAT_DTO_COOKIE cookie = { .as_64 = NOTE_COOKIE };
	DAT_LMR_TRIPLET iov = note(&self.notes->in);

	return failed(dat_ep_post_recv(self.server, 1, &iov, cookie,
				       DAT_COMPLETION_DEFAULT_FLAG),
		      "dat_ep_post_recv");
}

/* No event tells of the move, unless it fails. */
static int move_and_tell(const struct sg_table *list,
			 const DAT_RMR_TRIPLET *remote,
			 enum dma_data_direction dir, u64 number)
{
	const DAT_DTO_COOKIE cookie = { .as_64 = COOKIE };
	DAT_LMR_TRIPLET iov = note(&self.notes->out);
	const DAT_EXT_DTO message = {
		.op = DAT_DTO_SEND,
		.flags = DAT_COMPLETION_BARRIER_FENCE_FLAG,
		.num_segments = 1,
		.iov = &iov,
		.cookie.as_64 = NOTE_COOKIE,
	};

	self.notes->out = number;
	return failed(dat_ext_ep_transfer(self.client, list->sgl,
					  list->orig_nents, 0, remote, dir, cookie,
					  DAT_COMPLETION_SUPPRESS_FLAG, 1,
					  &message), "dat_ext_ep_transfer");
}

static int expect_note(u64 number)
{
	int ret = expect_dto(self.server_evd, NOTE_COOKIE, DAT_DTO_RECEIVE,
			     sizeof(number), false);

	if (!ret && READ_ONCE(self.notes->in) != number) {
		pr_err("the message is wrong\n");
		ret = -EIO;
	}
	return ret;
}

/* The data are there when the message is, whatever the sender knows. */
static int write_and_tell(const struct sg_table *list, u32 length, u64 number)
{
	DAT_RMR_TRIPLET remote = self.window;

	remote.segment_length = length;
	fill(self.data, length, number);
	sg_copy_from_buffer(list->sgl, list->orig_nents, self.data, length);
	return wait_for_note() ?:
	       move_and_tell(list, &remote, DMA_TO_DEVICE, number) ?:
	       expect_note(number) ?:
	       compare(self.memory, length, "told of") ?:
	       expect_dto(self.client_evd, NOTE_COOKIE, DAT_DTO_SEND,
			  sizeof(number), false);
}

/* They are here when the message has gone, which waits for them. */
static int read_and_tell(const struct sg_table *list, u32 length, u64 number)
{
	DAT_RMR_TRIPLET remote = self.window;
	int ret;

	remote.segment_length = length;
	fill(self.data, length, number);
	memcpy(self.memory, self.data, length);
	ret = wait_for_note() ?:
	      move_and_tell(list, &remote, DMA_FROM_DEVICE, number) ?:
	      expect_note(number) ?:
	      expect_dto(self.client_evd, NOTE_COOKIE, DAT_DTO_SEND,
			 sizeof(number), false);
	if (ret)
		return ret;
	sg_copy_to_buffer(list->sgl, list->orig_nents, self.read, length);
	return compare(self.read, length, "read before the message");
}

/* ---- all of it --------------------------------------------------------------- */

/* More than once: what was registered is used again. */
static int move_shape(const struct shape *shape)
{
	struct sg_table list;
	u32 length;
	int ret, i;

	ret = list_make(&list, shape);
	if (ret)
		return ret;
	length = list_length(&list);
	for (i = 0; i < 3 && !ret; i++)
		ret = there_and_back(&list);
	for (i = 0; i < 4 && !ret; i++)
		ret = write_and_tell(&list, length, 100 + i) ?:
		      read_and_tell(&list, length, 200 + i);
	list_free(&list, shape->order);
	if (ret)
		pr_err("%s: wrong\n", shape->name);
	return ret;
}

/*
 * It fails in the middle: one event all the same, one of the message that was not
 * sent, and then the connection's.
 */
static int move_beyond(void)
{
	DAT_RMR_TRIPLET remote = self.window;
	struct sg_table list;
	DAT_EVENT event = {};
	int ret;

	ret = list_make(&list, &shapes[1]);
	if (ret)
		return ret;
	remote.virtual_address += SIZE / 2;
	remote.segment_length = SIZE;
	ret = move_and_tell(&list, &remote, DMA_FROM_DEVICE, 0) ?:
	      expect_dto(self.client_evd, COOKIE, DAT_DTO_RDMA_READ, 0, true) ?:
	      expect_dto(self.client_evd, NOTE_COOKIE, DAT_DTO_SEND, 0, true) ?:
	      next_event(self.client_evd, &event);
	list_free(&list, shapes[1].order);
	if (!ret && event.event_number == DAT_DTO_COMPLETION_EVENT) {
		pr_err("more than one event\n");
		ret = -EIO;
	}
	return ret;
}

/* ---- the connection ----------------------------------------------------- */

static int make_notes(void)
{
	DAT_REGION_DESCRIPTION region;

	self.notes = kzalloc(sizeof(*self.notes), GFP_KERNEL);
	if (!self.notes)
		return -ENOMEM;
	region.for_va = self.notes;
	return failed(dat_lmr_kcreate(self.ia, DAT_MEM_TYPE_VIRTUAL, region,
				      sizeof(*self.notes), self.pz,
				      DAT_MEM_PRIV_LOCAL_READ_FLAG |
				      DAT_MEM_PRIV_LOCAL_WRITE_FLAG,
				      DAT_VA_TYPE_VA,
				      DAT_MEM_OPTIMIZE_DONT_CARE,
				      &self.notes_lmr, &self.notes_context,
				      NULL, NULL, NULL), "dat_lmr_kcreate");
}

static int make_memory(void)
{
	DAT_REGION_DESCRIPTION region;

	self.memory = kvzalloc(SIZE, GFP_KERNEL);
	self.data = kvzalloc(SIZE, GFP_KERNEL);
	self.read = kvzalloc(SIZE, GFP_KERNEL);
	if (!self.memory || !self.data || !self.read)
		return -ENOMEM;
	region.for_va = self.memory;
	self.window.virtual_address = (uintptr_t)self.memory;
	return failed(dat_lmr_kcreate(self.ia, DAT_MEM_TYPE_VIRTUAL, region,
				      SIZE, self.pz, DAT_MEM_PRIV_ALL_FLAG,
				      DAT_VA_TYPE_VA,
				      DAT_MEM_OPTIMIZE_DONT_CARE, &self.lmr,
				      NULL, &self.window.rmr_context, NULL,
				      NULL), "dat_lmr_kcreate");
}

static int make_evd(DAT_EVD_FLAGS flags, DAT_EVD_HANDLE *evd)
{
	return failed(dat_evd_kcreate(self.ia, 2048, DAT_UPCALL_DISABLE, NULL,
				      flags, evd), "dat_evd_kcreate");
}

static int make_ep(DAT_EVD_HANDLE *evd, DAT_EP_HANDLE *ep)
{
	const DAT_EP_ATTR attr = {
		.max_recv_dtos = 1,
		.max_request_dtos = 1024,
		.max_recv_iov = 1,
		.max_request_iov = 3,
		.max_rdma_read_in = 16,
		.max_rdma_read_out = 16,
	};

	return make_evd(DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG, evd) ?:
	       failed(dat_ep_create(self.ia, self.pz, *evd, *evd, *evd, &attr,
				    ep), "dat_ep_create");
}

static int connect_to(DAT_CONN_QUAL port)
{
	struct sockaddr_storage to;
	DAT_EVENT event;
	int ret;

	ret = inet_pton_with_scope(&init_net, AF_UNSPEC, address, NULL, &to);
	if (ret)
		return ret;
	if (failed(dat_ep_connect(self.client, (void *)&to, port, 5000000, 0,
				  NULL, DAT_QOS_BEST_EFFORT,
				  DAT_CONNECT_DEFAULT_FLAG), "dat_ep_connect") ||
	    next_event(self.cr_evd, &event) ||
	    failed(dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle,
				 self.server, 0, NULL), "dat_cr_accept"))
		return -EIO;
	return expect_event(self.client_evd,
			    DAT_CONNECTION_EVENT_ESTABLISHED) ?:
	       expect_event(self.server_evd, DAT_CONNECTION_EVENT_ESTABLISHED);
}

static int make_connection(void)
{
	const DAT_CONN_QUAL port = 45260;

	if (failed(dat_pz_create(self.ia, &self.pz), "dat_pz_create") ||
	    make_memory() ||
	    make_notes() ||
	    make_evd(DAT_EVD_CR_FLAG, &self.cr_evd) ||
	    failed(dat_psp_create(self.ia, port, self.cr_evd,
				  DAT_PSP_CONSUMER_FLAG, &self.psp),
		   "dat_psp_create") ||
	    make_ep(&self.client_evd, &self.client) ||
	    make_ep(&self.server_evd, &self.server))
		return -EIO;
	return connect_to(port);
}

static int __init rw_test_init(void)
{
	unsigned int i;
	int ret;

	if (failed(dat_ia_open(ia, 8, &self.async_evd, &self.ia),
		   "dat_ia_open"))
		return -ENODEV;
	ret = make_connection();
	for (i = 0; i < ARRAY_SIZE(shapes) && !ret; i++)
		ret = move_shape(&shapes[i]);
	ret = ret ?: move_beyond();
	/* Frees all that is left. */
	dat_ia_close(self.ia, DAT_CLOSE_ABRUPT_FLAG);
	kvfree(self.memory);
	kvfree(self.data);
	kvfree(self.read);
	kfree(self.notes);
	if (!ret)
		pr_info("all data are right\n");
	return ret;
}

static void __exit rw_test_exit(void)
{
}

module_init(rw_test_init);
module_exit(rw_test_exit);

MODULE_DESCRIPTION("test of RDMA by scatterlists over kDAPL");
MODULE_LICENSE("Dual BSD/GPL");

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A connection manager that the tests play: who listens where, and who calls. */

#include <linux/bug.h>
#include <linux/err.h>
#include <linux/inet.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>

#include "../cm.h"
#include "../cm_data.h"
#include "../cr.h"
#include "../ep.h"
#include "../ia.h"
#include "fake_listen.h"
#include "fault.h"

/* An id that binds, listens, or is a request's. */
struct fake_id {
	struct rdma_cm_id id;
	struct list_head list;
	bool bound, listens;
	bool locked;
};

struct fake_listen fake_listen;

static struct fake_id *to_fake_id(struct rdma_cm_id *id)
{
	return container_of(id, struct fake_id, id);
}

void fake_listen_reset(void)
{
	memset(&fake_listen, 0, sizeof(fake_listen));
	INIT_LIST_HEAD(&fake_listen.ids);
	fake_listen.next_port = FAKE_PORT;
}

struct sockaddr_storage fake_address(const char *text, u16 port)
{
	struct sockaddr_storage ss = {};
	bool known;

	known = in4_pton(text, -1,
			 (u8 *)&((struct sockaddr_in *)&ss)->sin_addr, -1,
			 NULL);
	ss.ss_family = AF_INET;
	if (!known) {
		known = in6_pton(text, -1,
				 (u8 *)&((struct sockaddr_in6 *)&ss)->sin6_addr,
				 -1, NULL);
		ss.ss_family = AF_INET6;
	}
	WARN_ON(!known);
	kdapl_sockaddr_set_port(&ss, port);
	return ss;
}

/* ---- the adapter's addresses --------------------------------------------- */

static struct kdapl_addr own_address(int i)
{
	static const char * const own[FAKE_ADDRS] = {
		FAKE_ADDR, FAKE_ADDR2, FAKE_ADDR6, FAKE_LINK,
	};
	struct sockaddr_storage ss = fake_address(own[i], 0);
	struct kdapl_addr addr;

	if (i == 3)
		((struct sockaddr_in6 *)&ss)->sin6_scope_id = FAKE_SCOPE;
	kdapl_addr_from_sockaddr(&addr, &ss);
	return addr;
}

int kdapl_ia_addrs(struct kdapl_ia *ia, const struct kdapl_addr *only,
		   struct kdapl_addr *addr, int max)
{
	struct kdapl_addrs addrs = { .only = only, .addr = addr, .max = max };
	struct kdapl_addr one = { .family = AF_INET, .addr = { 10 } };
	int i;

	for (i = 0; i < fake_listen.more_addrs; i++) {
		one.addr[3] = i + 1;
		kdapl_addrs_add(&addrs, &one);
	}
	for (i = 0; i < FAKE_ADDRS; i++) {
		one = own_address(i);
		kdapl_addrs_add(&addrs, &one);
	}
	return addrs.n;
}

int kdapl_ia_addrs_toward(struct kdapl_ia *ia, const struct kdapl_addr *remote,
			  struct kdapl_addr *addr, int max)
{
	return kdapl_ia_addrs(ia, NULL, addr, max);
}

bool kdapl_ia_may_bind(const struct kdapl_ia *ia)
{
	return true;
}

bool kdapl_ia_may_listen(const struct kdapl_ia *ia)
{
	return true;
}

/* ---- ids ----------------------------------------------------------------- */

static struct fake_id *new_id(struct ib_device *dev, u32 port,
			      rdma_cm_event_handler handler, void *context)
{
	struct fake_id *fid = kzalloc(sizeof(*fid), GFP_KERNEL);

	if (!fid)
		return NULL;
	fid->id.device = dev;
	fid->id.port_num = port;
	fid->id.event_handler = handler;
	fid->id.context = context;
	list_add_tail(&fid->list, &fake_listen.ids);
	fake_listen.num_ids++;
	return fid;
}

struct rdma_cm_id *kdapl_cm_create_id(struct kdapl_ia *ia,
				      rdma_cm_event_handler handler,
				      void *context)
{
	struct fake_id *fid = NULL;

	if (!fault_hit("rdma_create_id"))
		fid = new_id(ia->dev, ia->port, handler, context);
	return fid ? &fid->id : ERR_PTR(-ENOMEM);
}

static bool same_address(const struct sockaddr_storage *a,
			 const struct sockaddr_storage *b)
{
	struct kdapl_addr one, two;

	kdapl_addr_from_sockaddr(&one, a);
	kdapl_addr_from_sockaddr(&two, b);
	return one.port == two.port && one.family == two.family &&
	       !memcmp(one.addr, two.addr, sizeof(one.addr));
}

static struct fake_id *find_id(const struct sockaddr_storage *ss)
{
	struct fake_id *fid;

	list_for_each_entry(fid, &fake_listen.ids, list)
		if (fid->bound && same_address(&fid->id.route.addr.src_addr, ss))
			return fid;
	return NULL;
}

int fake_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	struct sockaddr_storage *ss = (struct sockaddr_storage *)addr;
	struct sockaddr_storage busy;

	if (fault_hit("rdma_bind_addr"))
		return -ENOMEM;
	if (fake_listen.bind_error)
		return fake_listen.bind_error;
	if (!kdapl_sockaddr_port(ss))
		kdapl_sockaddr_set_port(ss, fake_listen.next_port++);
	busy = fake_address(FAKE_ADDR2, fake_listen.busy_port);
	if (find_id(ss) || same_address(ss, &busy))
		return -EADDRINUSE;
	id->route.addr.src_addr = *ss;
	to_fake_id(id)->bound = true;
	return 0;
}

int fake_rdma_listen(struct rdma_cm_id *id, int backlog)
{
	if (fault_hit("rdma_listen"))
		return -ENOMEM;
	to_fake_id(id)->listens = true;
	return 0;
}

void fake_destroy_id(struct rdma_cm_id *id)
{
	struct fake_id *fid = to_fake_id(id);

	WARN_ON(fid->locked);
	list_del(&fid->list);
	fake_listen.num_ids--;
	kfree(fid);
}

int fake_listeners(const char *text, u16 port)
{
	struct sockaddr_storage ss;
	struct fake_id *fid;
	int n = 0;

	if (text)
		ss = fake_address(text, port);
	list_for_each_entry(fid, &fake_listen.ids, list) {
		if (!fid->listens)
			continue;
		if (text ? same_address(&fid->id.route.addr.src_addr, &ss) :
		    kdapl_sockaddr_port(&fid->id.route.addr.src_addr) == port)
			n++;
	}
	return n;
}

/* ---- requests ------------------------------------------------------------ */

bool fake_request(const char *text, u16 port)
{
	struct sockaddr_storage ss = fake_address(text, port);
	struct rdma_cm_event event = {
		.event = RDMA_CM_EVENT_CONNECT_REQUEST,
		.param.conn.private_data = "hello",
		.param.conn.private_data_len = 6,
	};
	struct fake_id *at = find_id(&ss);
	struct fake_id *fid;

	if (!at || !at->listens)
		return false;
	fid = new_id(at->id.device, at->id.port_num, at->id.event_handler,
		     at->id.context);
	if (WARN_ON(!fid))
		return false;
	fid->id.route.addr.src_addr = ss;
	fid->id.route.addr.dst_addr = fake_address(FAKE_PEER, FAKE_PEER_PORT);
	if (!fid->id.event_handler(&fid->id, &event))
		return true;
	fake_destroy_id(&fid->id);
	return false;
}

int fake_reject(struct rdma_cm_id *id)
{
	fake_listen.rejects++;
	return 0;
}

int kdapl_cm_reject(struct rdma_cm_id *id, const void *private_data, u8 size)
{
	return fake_reject(id);
}

void fake_lock_handler(struct rdma_cm_id *id)
{
	WARN_ON(to_fake_id(id)->locked);
	to_fake_id(id)->locked = true;
}

void fake_unlock_handler(struct rdma_cm_id *id)
{
	WARN_ON(!to_fake_id(id)->locked);
	to_fake_id(id)->locked = false;
}

u32 kdapl_cm_max_private_data(const struct kdapl_ia *ia, bool accept)
{
	return accept ? 196 : 56;
}

u32 kdapl_cm_max_reject_data(const struct kdapl_ia *ia)
{
	return 144;
}

void kdapl_cm_request(struct kdapl_ep *ep, const struct rdma_cm_id *id)
{
}

/* The EP has the id now, and an EP has no more to do with it here. */
int kdapl_cm_accept(struct kdapl_ep *ep, struct kdapl_cr *cr,
		    const void *private_data, u8 size)
{
	if (fault_hit("kdapl_cm_accept"))
		return -ENOMEM;
	if (fake_listen.accept_result)
		return fake_listen.accept_result;
	fake_listen.accepts++;
	fake_destroy_id(cr->id);
	cr->id = NULL;
	if (fake_listen.accepting)
		fake_listen.accepting();
	return 0;
}

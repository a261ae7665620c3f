/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections over rdma_cm: what an EP and its rdma_cm_id do to each other.
 *
 * The queue pair is not attached to the id: it exists before and is moved to
 * RTS here (on iWARP by the driver). rdma_cm calls the handlers with the id's
 * handler lock held. Locks, outermost first: a CR's mutex, ep->mutex,
 * cm->mutex, the handler lock, cm->qp_mutex, ep->lock.
 */
#ifndef KDAPL_CM_H
#define KDAPL_CM_H

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>

#include "kdapl_uapi.h"

struct kdapl_cr;
struct kdapl_ep;
struct kdapl_ia;

/**
 * struct kdapl_cm - the connection part of an EP; guarded by ep->lock
 * @mutex: the id is not destroyed while it is held; not taken in handlers
 * @qp_mutex: the queue pair moves towards RTS
 * @id: NULL, or this attempt's id; its context is the EP
 * @infinite: keep trying past rdma_cm's own give-up
 * @up: there was a connection, which needs a disconnect
 * @overdue: the peer has not answered the acceptance for long
 * @local: own address and port
 * @remote: where to (active), from where (passive)
 * @conn_qual: the peer's conn_qual (active)
 * @timeout: the consumer's own timer (active), or the answer's (passive)
 * @retry: another attempt
 * @connector: the thread that sends the request where that blocks, or NULL
 * @connecting: it is one of its user's threads that count
 * @request: private data that goes out with the request
 * @request_size: bytes of it
 * @private_data_size: bytes that came back
 * @private_data: what came with the acceptance or rejection
 */
struct kdapl_cm {
	struct mutex mutex;	/* outside the handler lock */
	struct mutex qp_mutex;	/* inside it */
	struct rdma_cm_id *id;
	bool infinite;
	bool up;
	bool overdue;
	struct sockaddr_storage local, remote;
	u64 conn_qual;
	struct delayed_work timeout;
	struct delayed_work retry;
	struct task_struct *connector;
	atomic_t connecting;	/* 0 or 1 */
	u8 request_size;
	u8 private_data_size;
	u8 request[KDAPL_PRIVATE_DATA_MAX];
	u8 private_data[KDAPL_PRIVATE_DATA_MAX];
};

void kdapl_cm_init(struct kdapl_ep *ep);

/*
 * An id in the IA's net namespace: a program's is its process's, one of a consumer
 * in the kernel is nobody's. Process context.
 */
struct rdma_cm_id *kdapl_cm_create_id(struct kdapl_ia *ia,
				      rdma_cm_event_handler handler,
				      void *context);

/* ep->mutex is held, the EP is ACTIVE_PENDING. Does not wait for the peer. */
int kdapl_cm_connect(struct kdapl_ep *ep, const struct kdapl_ep_connect *arg);

/* A request came for an RSP's @ep: its addresses are those of the request's @id. */
void kdapl_cm_request(struct kdapl_ep *ep, const struct rdma_cm_id *id);

/**
 * kdapl_cm_accept() - accept a connection request
 * @ep: COMPLETION_PENDING, its mutex is held
 * @cr: with an id, its mutex is held
 * @private_data: for the peer
 * @size: at most kdapl_cm_max_private_data()
 *
 * Return: -EINVAL when the EP does not fit the request: nothing happened. 0
 * when the id belongs to the EP from now on; a failure past that point is an
 * event of the EP.
 */
int kdapl_cm_accept(struct kdapl_ep *ep, struct kdapl_cr *cr,
		    const void *private_data, u8 size);

/*
 * From the EP's end: tell the peer, give up what is under way. Does not wait
 * for the peer. On return the queue pair is not moved any more from here.
 */
void kdapl_cm_disconnect(struct kdapl_ep *ep);

/*
 * Stop the timers and destroy the id; no handler runs any more on return. May
 * be called again. On iWARP a peer that took the request but gives no answer
 * can hold this up for the driver's own time-out (siw: 10 s).
 */
void kdapl_cm_destroy(struct kdapl_ep *ep);

/* @id is the EP's, and its attempt can still succeed. Caller holds ep->lock. */
bool kdapl_cm_pending(const struct kdapl_ep *ep, const struct rdma_cm_id *id);

/* From ep->notify_work: data arrived before the RTU. */
void kdapl_cm_notify(struct kdapl_ep *ep);

/* Addresses, conn_qual and private data. */
void kdapl_cm_query(struct kdapl_ep *ep, struct kdapl_ep_query *arg);

/*
 * cm_siw.c: have soft iWARP look for data that came while it accepted @id. Nothing
 * with other drivers. Process context, the connection is up.
 */
void kdapl_cm_wake_siw(struct kdapl_ep *ep, const struct rdma_cm_id *id);

/* cm_addr.c */
void kdapl_addr_from_sockaddr(struct kdapl_addr *addr,
			      const struct sockaddr_storage *ss);
/* -EINVAL when it is no IPv4 or IPv6 address. */
int kdapl_addr_to_sockaddr(const struct kdapl_addr *addr,
			   struct sockaddr_storage *ss);
void kdapl_sockaddr_set_port(struct sockaddr_storage *ss, u16 port);
u16 kdapl_sockaddr_port(const struct sockaddr_storage *ss);
/* 0 when @conn_qual is none. */
u16 kdapl_conn_qual_to_port(u64 conn_qual);
/* Of IPv6. */
bool kdapl_addr_is_link_local(const struct kdapl_addr *addr);
/* Who listens on @asked listens on @own: it is the same, or is its family's for all. */
bool kdapl_addr_includes(const struct kdapl_addr *asked,
			 const struct kdapl_addr *own);

/**
 * struct kdapl_addrs - addresses that are collected
 * @only: those that it includes; NULL for all
 * @addr: room for them
 * @max: for how many
 * @n: how many there are
 */
struct kdapl_addrs {
	const struct kdapl_addr *only;
	struct kdapl_addr *addr;
	int max, n;
};

/* If it is asked for, and there is room. */
void kdapl_addrs_add(struct kdapl_addrs *addrs, const struct kdapl_addr *addr);

/**
 * kdapl_addr_source() - the own address to connect from
 * @ia: the IA
 * @remote: where to; a link-local one gets its scope from the IA
 * @local: out: port 0
 *
 * Return: -EADDRNOTAVAIL when @remote cannot be reached from this IA.
 */
int kdapl_addr_source(struct kdapl_ia *ia, struct sockaddr_storage *remote,
		      struct sockaddr_storage *local);

/* Process context. Both addresses are of one family. */
bool kdapl_addr_has_route(struct net *net, const struct sockaddr_storage *local,
			  const struct sockaddr_storage *remote);

#endif /* KDAPL_CM_H */

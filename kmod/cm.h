/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections over rdma_cm: what an EP and its rdma_cm_id do to each other.
 */
#ifndef KDAPL_CM_H
#define KDAPL_CM_H

#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>

#include "kdapl_uapi.h"

struct kdapl_ep;
struct kdapl_cr;
struct kdapl_ia;

/**
 * struct kdapl_cm - the connection part of an EP
 * @id: NULL, or this attempt's id; its context is the EP
 * @active: this side connects
 * @remote: where to (active), from where (passive)
 * @conn_qual: the peer's conn_qual (active)
 * @timeout: the consumer's own timer
 * @deadline: jiffies64 when the consumer's time is over; unused when infinite
 * @infinite: keep trying past rdma_cm's own give-up
 * @private_data: what goes out with the request; then what came back
 * @private_data_size: bytes of it
 */
struct kdapl_cm {
	struct rdma_cm_id *id;
	bool active;
	bool infinite;
	struct sockaddr_storage remote;
	u64 conn_qual;
	struct delayed_work timeout;
	u8 private_data[KDAPL_PRIVATE_DATA_MAX];
	u32 private_data_size;
};

void kdapl_cm_init(struct kdapl_ep *ep);

/* ep->mutex is held, the EP is ACTIVE_PENDING. Does not wait for the peer. */
int kdapl_cm_connect(struct kdapl_ep *ep, const struct kdapl_ep_connect *arg);

/*
 * From the EP's end: tell the peer. Does not wait for it. Nothing where there
 * is no id or the connection never came up.
 */
void kdapl_cm_disconnect(struct kdapl_ep *ep);

/* Stop the timer and destroy the id; no handler runs any more on return. */
void kdapl_cm_destroy(struct kdapl_ep *ep);

/* From ep->notify_work: data arrived before the RTU. */
void kdapl_cm_notify(struct kdapl_ep *ep);

void kdapl_cm_query(struct kdapl_ep *ep, struct kdapl_ep_query *arg);

/* Shared with the service points: sockaddr and its uapi form. */
void kdapl_addr_from_sockaddr(struct kdapl_addr *addr, const struct sockaddr *sa);
int kdapl_addr_to_sockaddr(const struct kdapl_addr *addr, struct sockaddr_storage *sa);
u16 kdapl_conn_qual_to_port(u64 conn_qual);

/* Accept @cr on @ep; both checked and locked by the caller (cr.c). */
int kdapl_cm_accept(struct kdapl_ep *ep, struct rdma_cm_id *id,
		    const void *private_data, u8 size,
		    const struct rdma_conn_param *request);

#endif /* KDAPL_CM_H */

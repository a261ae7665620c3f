/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What two ends settle when they connect, and the queue pair's way to RTS.
 *
 * The depths of RDMA reads that a consumer set are used as set; only defaults
 * are changed, and values that do not fit together fail the connection.
 */
#ifndef KDAPL_CM_QP_H
#define KDAPL_CM_QP_H

#include <rdma/rdma_cm.h>

struct kdapl_ep;

/* -EPROTO: the peer's @answer does not fit. -ECONNABORTED: too late. */
int kdapl_cm_settle_active(struct kdapl_ep *ep, const struct rdma_cm_id *id,
			   const struct rdma_conn_param *answer);

/* The same for the side that connected over soft iWARP; else 0. */
int kdapl_cm_settle_siw(struct kdapl_ep *ep, const struct rdma_cm_id *id,
			const struct rdma_conn_param *answer);

/* -EINVAL: the peer's @request does not fit; nothing was changed. */
int kdapl_cm_settle_passive(struct kdapl_ep *ep,
			    const struct rdma_conn_param *request);

/* What to connect or accept with. */
void kdapl_cm_conn_param(struct kdapl_ep *ep, struct rdma_conn_param *param,
			 const void *private_data, u8 size);

/* IB and RoCE: to RTS with what the peer told. -ECONNABORTED: too late. */
int kdapl_cm_qp_ready(struct kdapl_ep *ep, struct rdma_cm_id *id);

/* The EP is ending: on return kdapl_cm_qp_ready() moves nothing any more. */
void kdapl_cm_qp_stop(struct kdapl_ep *ep);

#endif /* KDAPL_CM_QP_H */

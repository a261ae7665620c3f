/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests where sending one blocks.
 *
 * siw sends a request with a TCP connect that blocks for minutes where nobody
 * answers. So a thread does it: rdma_cm's one worker stays free for others, and
 * a signal ends it. A user has a limited number of such threads over all IAs: the
 * kernel's number of tasks is everybody's.
 */
#ifndef KDAPL_CM_CONNECTOR_H
#define KDAPL_CM_CONNECTOR_H

#include <rdma/rdma_cm.h>

struct kdapl_ep;

/* @id's route is known: a thread sends its request. In a handler of rdma_cm. */
void kdapl_cm_start_connector(struct kdapl_ep *ep, struct rdma_cm_id *id);

/*
 * On return the thread has ended and needs the id no more. The attempt has ended
 * before, or is to be made again. Process context; may be called again.
 */
void kdapl_cm_stop_connector(struct kdapl_ep *ep);

/* The module's end: no IA is left. */
void kdapl_cm_exit_connectors(void);

/* cm.c: what the thread calls. The request as the consumer made it. */
void kdapl_cm_connect_param(struct kdapl_ep *ep, struct rdma_conn_param *param);
/* An attempt that failed with an errno, at once or in an event. */
void kdapl_cm_failed(struct kdapl_ep *ep, const struct rdma_cm_id *id, int err);

#endif /* KDAPL_CM_CONNECTOR_H */

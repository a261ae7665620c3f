// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What two ends settle when they connect, and the queue pair's way to RTS. */

#include <linux/minmax.h>

#include "cm_qp.h"
#include "ep.h"
#include "ia.h"
#include "srq.h"

/*
 * @answer tells how many reads the peer serves (initiator_depth) and how many
 * it may ask at a time (responder_resources).
 */
int kdapl_cm_settle_active(struct kdapl_ep *ep, const struct rdma_cm_id *id,
			   const struct rdma_conn_param *answer)
{
	u32 serves = answer->initiator_depth;
	u32 asks = answer->responder_resources;
	int ret = 0;

	spin_lock_bh(&ep->lock);
	if (!kdapl_cm_pending(ep, id)) {
		ret = -ECONNABORTED;
		goto out;
	}
	if (!ep->rdma_read_fixed) {
		ep->rdma_read_out = min(ep->rdma_read_out, serves);
		ep->rdma_read_in = min(max(ep->rdma_read_in, asks),
				       ep->obj.ia->max_read_in);
	}
	if (ep->rdma_read_out > serves || ep->rdma_read_in < asks)
		ret = -EPROTO;
out:
	spin_unlock_bh(&ep->lock);
	return ret;
}

/*
 * iWARP: the connection is up already. Where the peer serves fewer reads than were
 * asked for siw goes on, and where it serves none siw refuses a read and completes it
 * later as well. Other drivers find out what does not fit, and do not agree on which
 * field of @answer is whose.
 */
int kdapl_cm_settle_siw(struct kdapl_ep *ep, const struct rdma_cm_id *id,
			const struct rdma_conn_param *answer)
{
	u32 serves = answer->responder_resources;
	int ret = 0;

	if (ep->obj.ia->dev->ops.driver_id != RDMA_DRIVER_SIW)
		return 0;
	spin_lock_bh(&ep->lock);
	if (kdapl_cm_pending(ep, id) && ep->state == KDAPL_EP_ACTIVE_PENDING) {
		if (!ep->rdma_read_fixed)
			ep->rdma_read_out = min(ep->rdma_read_out, serves);
		if (ep->rdma_read_out > serves)
			ret = -EPROTO;
	}
	spin_unlock_bh(&ep->lock);
	return ret;
}

/*
 * Of the peer's reads an iWARP driver tells what it likes: erdma the limits of its own
 * device, cxgb4 and qedr these where the peer said nothing, irdma that it asks for none.
 * What does not fit they find out when the request is accepted.
 */
static bool wish_is_known(const struct kdapl_ia *ia)
{
	return !ia->iwarp || ia->dev->ops.driver_id == RDMA_DRIVER_SIW;
}

/* A default becomes what the peer wishes, as far as that is known. */
static void settle_defaults(struct kdapl_ep *ep, u32 serves, u32 asks)
{
	const struct kdapl_ia *ia = ep->obj.ia;

	if (wish_is_known(ia)) {
		ep->rdma_read_out = min(ep->rdma_read_out, serves);
		ep->rdma_read_in = min(asks, ia->max_read_in);
	} else if (serves) {
		ep->rdma_read_out = min(ep->rdma_read_out, serves);
	}
}

/*
 * Over IB the peer has the last word, and knows what is a default of its own.
 * siw would change fixed values by itself, so a mismatch is found here; an EP that
 * serves no reads at all does not care what the peer could ask.
 */
int kdapl_cm_settle_passive(struct kdapl_ep *ep,
			    const struct rdma_conn_param *request)
{
	u32 serves = request->initiator_depth;
	u32 asks = request->responder_resources;
	struct kdapl_ia *ia = ep->obj.ia;
	int ret = 0;

	spin_lock_bh(&ep->lock);
	if (!ep->rdma_read_fixed)
		settle_defaults(ep, serves, asks);
	else if (ia->iwarp && wish_is_known(ia) &&
		 (ep->rdma_read_out > serves ||
		  (ep->rdma_read_in && ep->rdma_read_in < asks)))
		ret = -EINVAL;
	spin_unlock_bh(&ep->lock);
	return ret;
}

void kdapl_cm_conn_param(struct kdapl_ep *ep, struct rdma_conn_param *param,
			 const void *private_data, u8 size)
{
	memset(param, 0, sizeof(*param));
	param->private_data = private_data;
	param->private_data_len = size;
	param->responder_resources = min_t(u32, ep->rdma_read_in, U8_MAX);
	param->initiator_depth = min_t(u32, ep->rdma_read_out, U8_MAX);
	param->flow_control = 1;
	param->retry_count = 7;
	param->rnr_retry_count = 7;
	param->qp_num = ep->qp->qp_num;
}

static int qp_move(struct kdapl_ep *ep, struct rdma_cm_id *id,
		   enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask, ret;

	ret = rdma_init_qp_attr(id, &attr, &mask);
	if (ret)
		return ret;
	/* A peer's request says it, rdma_cm passes it on, and to rxe 0 is a size of -1. */
	if (mask & IB_QP_PATH_MTU &&
	    (attr.path_mtu < IB_MTU_256 || attr.path_mtu > IB_MTU_4096))
		return -EINVAL;
	if (state == IB_QPS_INIT) {
		attr.qp_access_flags = IB_ACCESS_LOCAL_WRITE |
				       IB_ACCESS_REMOTE_WRITE;
		/* Atomic operations are served as reads are. */
		if (ep->rdma_read_in)
			attr.qp_access_flags |= IB_ACCESS_REMOTE_READ;
		if (ep->rdma_read_in && ep->obj.ia->atomic)
			attr.qp_access_flags |= IB_ACCESS_REMOTE_ATOMIC;
	}
	/* As settled; what rdma_cm has is the peer's wish. */
	attr.max_dest_rd_atomic = min_t(u32, ep->rdma_read_in, U8_MAX);
	attr.max_rd_atomic = min_t(u32, ep->rdma_read_out, U8_MAX);
	return ib_modify_qp(ep->qp, &attr, mask);
}

int kdapl_cm_qp_ready(struct kdapl_ep *ep, struct rdma_cm_id *id)
{
	static const enum ib_qp_state states[] = {
		IB_QPS_INIT, IB_QPS_RTR, IB_QPS_RTS,
	};
	unsigned int i;
	int ret;

	mutex_lock(&ep->cm.qp_mutex);
	spin_lock_bh(&ep->lock);
	ret = kdapl_cm_pending(ep, id) ? 0 : -ECONNABORTED;
	spin_unlock_bh(&ep->lock);
	if (!ret) {
		kdapl_srq_begin(ep);
		WRITE_ONCE(ep->qp_met, true);
	}
	for (i = 0; !ret && i < ARRAY_SIZE(states); i++)
		ret = qp_move(ep, id, states[i]);
	mutex_unlock(&ep->cm.qp_mutex);
	return ret;
}

void kdapl_cm_qp_stop(struct kdapl_ep *ep)
{
	/* Who gets the mutex later finds the EP ending. */
	mutex_lock(&ep->cm.qp_mutex);
	mutex_unlock(&ep->cm.qp_mutex);
}

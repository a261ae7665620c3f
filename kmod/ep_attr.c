// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attributes of an EP: what a program may ask for, and what it got. */

#include "ep.h"
#include "ia.h"

int kdapl_ep_check(struct kdapl_ia *ia, const struct kdapl_ep_create *arg)
{
	if (arg->flags || arg->rdma_read_fixed > 1 ||
	    arg->recv_notify > KDAPL_NOTIFY_SOLICITED ||
	    arg->request_notify > KDAPL_NOTIFY_QUIET)
		return -EINVAL;
	if (arg->srq && arg->max_recvs)
		return -EINVAL;
	if (!arg->recv_evd != !(arg->max_recvs || arg->srq))
		return -EINVAL;
	if (!arg->request_evd != !arg->max_requests)
		return -EINVAL;
	if (arg->max_recvs > ia->max_recvs ||
	    arg->max_requests > ia->max_requests ||
	    arg->max_recv_iov > ia->max_iov ||
	    arg->max_request_iov > ia->max_iov ||
	    arg->max_rdma_read_in > ia->max_read_in ||
	    arg->max_rdma_read_out > ia->max_read_out)
		return -ENOSPC;
	return 0;
}

void kdapl_ep_cap(const struct kdapl_ep_create *arg, struct ib_qp_cap *cap)
{
	/* A queue pair without one of its queues is nothing all drivers know. */
	cap->max_recv_wr = arg->srq ? 0 : max(arg->max_recvs, 1U);
	cap->max_send_wr = max(arg->max_requests, 1U);
	cap->max_recv_sge = arg->srq ? 0 : max(arg->max_recv_iov, 1U);
	cap->max_send_sge = max(arg->max_request_iov, 1U);
}

void kdapl_ep_set_limits(struct kdapl_ep *ep, const struct kdapl_ep_create *arg)
{
	ep->max_recv_iov = arg->max_recv_iov;
	ep->max_request_iov = arg->max_request_iov;
	ep->rdma_read_in = arg->max_rdma_read_in;
	ep->rdma_read_out = arg->max_rdma_read_out;
	ep->rdma_read_in_attr = arg->max_rdma_read_in;
	ep->rdma_read_out_attr = arg->max_rdma_read_out;
	ep->rdma_read_fixed = arg->rdma_read_fixed;
}

int kdapl_ep_query(struct kdapl_ep *ep, struct kdapl_ep_query *arg)
{
	mutex_lock(&ep->mutex);
	spin_lock_bh(&ep->lock);
	arg->state = ep->state;
	arg->max_rdma_read_in = ep->rdma_read_in;
	arg->max_rdma_read_out = ep->rdma_read_out;
	spin_unlock_bh(&ep->lock);
	kdapl_cm_query(ep, arg);
	mutex_unlock(&ep->mutex);
	return 0;
}

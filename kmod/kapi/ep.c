// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Endpoints: their life and state. */

#include <linux/export.h>

#include <dat2/kdat_ext.h>

#include "../srq.h"
#include "kapi.h"

/* What an EP is for that its consumer leaves to us. */
#define DTOS_DEFAULT	64
#define IOV_DEFAULT	4
#define READS_DEFAULT	4

static const DAT_EP_ATTR no_attr;

static u32 or_default(DAT_COUNT wanted, u32 value, u32 most)
{
	return wanted > 0 ? wanted : min(value, most);
}

int kapi_ep_check(const DAT_EP_ATTR *attr, bool srq)
{
	const DAT_COUNT counts[] = {
		/* Of an SRQ's buffers it may take as many as there are. */
		srq && attr->max_recv_dtos == DAT_HW_DEFAULT ? 0 : attr->max_recv_dtos,
		attr->max_request_dtos,
		attr->max_recv_iov, attr->max_request_iov,
		attr->max_rdma_read_in, attr->max_rdma_read_out,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++)
		if (counts[i] < 0)
			return -EINVAL;
	if (attr->service_type != DAT_SERVICE_TYPE_RC ||
	    attr->qos != DAT_QOS_BEST_EFFORT ||
	    attr->recv_completion_flags == DAT_COMPLETION_SOLICITED_WAIT_FLAG)
		return -EOPNOTSUPP;
	return 0;
}

static u16 notify_of(DAT_COMPLETION_FLAGS flags)
{
	return flags == DAT_COMPLETION_UNSIGNALLED_FLAG ?
	       KDAPL_NOTIFY_QUIET : KDAPL_NOTIFY_THRESHOLD;
}

void kapi_ep_arg(const struct kapi_ep *kep, const DAT_EP_ATTR *attr,
		 struct kdapl_ep_create *arg)
{
	const struct kdapl_ia *ia = kep->obj.ia->core;

	if (arg->recv_evd && !kep->srq)
		arg->max_recvs = or_default(attr->max_recv_dtos, DTOS_DEFAULT,
					    ia->max_recvs);
	if (arg->request_evd)
		arg->max_requests = or_default(attr->max_request_dtos,
					       DTOS_DEFAULT, ia->max_requests);
	arg->max_recv_iov = or_default(attr->max_recv_iov, IOV_DEFAULT,
				       ia->max_iov);
	arg->max_request_iov = or_default(attr->max_request_iov, IOV_DEFAULT,
					  ia->max_iov);
	arg->max_rdma_read_in = or_default(attr->max_rdma_read_in,
					   READS_DEFAULT, ia->max_read_in);
	arg->max_rdma_read_out = or_default(attr->max_rdma_read_out,
					    READS_DEFAULT, ia->max_read_out);
	/* Its receives are the SRQ's. */
	if (kep->srq)
		arg->max_recv_iov = to_srq(kep->srq->core)->max_iov;
	arg->recv_notify = notify_of(attr->recv_completion_flags);
	arg->request_notify = notify_of(attr->request_completion_flags);
}

void kapi_ep_keep(struct kapi_ep *kep, const DAT_EP_ATTR *attr,
		  const struct kdapl_ep_create *arg)
{
	const struct kdapl_ia *ia = kep->obj.ia->core;

	kep->attr = *attr;
	kep->attr.max_message_size = min_t(u64, ia->max_message, U32_MAX);
	kep->attr.max_rdma_size = kep->attr.max_message_size;
	if (!kep->srq)
		kep->attr.max_recv_dtos = arg->max_recvs;
	kep->attr.max_request_dtos = arg->max_requests;
	kep->attr.max_recv_iov = arg->max_recv_iov;
	kep->attr.max_request_iov = arg->max_request_iov;
	kep->attr.max_rdma_read_in = arg->max_rdma_read_in;
	kep->attr.max_rdma_read_out = arg->max_rdma_read_out;
	kep->attr.max_rdma_read_iov = min(arg->max_request_iov,
					  ia->max_iov_read);
	kep->attr.max_rdma_write_iov = arg->max_request_iov;
}

/* What it was made with may have a mark. The core's EP goes where that fails. */
static int ep_mark_new(struct kapi_ep *kep, DAT_COUNT soft)
{
	struct kapi_ia *kia = kep->obj.ia;
	int ret;

	kep->attr.srq_soft_hw = DAT_HW_DEFAULT;
	if (soft <= 0)
		return 0;
	ret = kapi_ep_mark(kep, soft, DAT_WATERMARK_INFINITE);
	if (ret) {
		kdapl_ia_enter_free(kia->core);
		kdapl_obj_destroy(kia->core, kep->obj.id, KDAPL_OBJ_EP);
		kdapl_ia_leave(kia->core);
	}
	return ret;
}

/* The core's. The device is kept. */
static int ep_make_core(struct kapi_ep *kep, const DAT_EP_ATTR *attr,
			struct kdapl_ep_create *arg)
{
	int ret;

	kapi_ep_arg(kep, attr, arg);
	arg->size = sizeof(*arg);
	arg->user = kep->obj.word;
	ret = kdapl_ep_create(kep->obj.ia->core, arg);
	return ret ?: kapi_tie(&kep->obj, arg->id, KDAPL_OBJ_EP);
}

static int ep_make(struct kapi_ep *kep, const DAT_EP_ATTR *attr,
		   struct kdapl_ep_create *arg)
{
	struct kapi_ia *kia = kep->obj.ia;
	int ret;

	ret = kapi_ep_check(attr, kep->srq);
	if (!ret)
		ret = kapi_enter(kia);
	if (ret)
		return ret;
	ret = ep_make_core(kep, attr, arg);
	kapi_leave(kia);
	if (ret)
		return ret;
	mutex_lock(&kep->lock);
	kapi_ep_keep(kep, attr, arg);
	/* Consumers without an SRQ do not know of it. */
	ret = ep_mark_new(kep, kep->srq ? attr->srq_soft_hw : 0);
	mutex_unlock(&kep->lock);
	return ret;
}

struct kapi_ep *kapi_ep_for_request(struct kapi_ia *kia)
{
	struct kdapl_ep_create arg = {};
	struct kapi_ep *kep;
	int ret;

	kep = kapi_new(kia, DAT_HANDLE_TYPE_EP, sizeof(*kep));
	if (!kep)
		return ERR_PTR(-ENOMEM);
	mutex_init(&kep->lock);
	ret = ep_make_core(kep, &no_attr, &arg);
	if (ret) {
		kapi_forget(&kep->obj);
		return ERR_PTR(ret);
	}
	/* Nobody knows it yet; and rdma_cm's lock is held, which comes inside. */
	kapi_ep_keep(kep, &no_attr, &arg);
	kep->attr.srq_soft_hw = DAT_HW_DEFAULT;
	return kep;
}

static DAT_RETURN ep_ids(const DAT_EP_PARAM *of, struct kdapl_ep_create *arg)
{
	const struct kapi_ia *kia = of->ia_handle;

	if (!kapi_id(kia, of->pz_handle, DAT_HANDLE_TYPE_PZ, &arg->pz))
		return KAPI_BAD_HANDLE(PZ);
	if (!kapi_id(kia, of->recv_evd_handle, DAT_HANDLE_TYPE_EVD,
		     &arg->recv_evd))
		return KAPI_BAD_HANDLE(EVD_RECV);
	if (!kapi_id(kia, of->request_evd_handle, DAT_HANDLE_TYPE_EVD,
		     &arg->request_evd))
		return KAPI_BAD_HANDLE(EVD_REQUEST);
	if (!kapi_id(kia, of->connect_evd_handle, DAT_HANDLE_TYPE_EVD,
		     &arg->connect_evd))
		return KAPI_BAD_HANDLE(EVD_CONN);
	if (!kapi_id(kia, of->srq_handle, DAT_HANDLE_TYPE_SRQ, &arg->srq))
		return KAPI_BAD_HANDLE(SRQ);
	return DAT_SUCCESS;
}

/* The IA and @ep are known to be right. */
static DAT_RETURN ep_create(const DAT_EP_PARAM *of, const DAT_EP_ATTR *attr,
			    DAT_EP_HANDLE *ep)
{
	struct kdapl_ep_create arg = {};
	struct kapi_ep *kep;
	DAT_RETURN bad;
	int ret;

	bad = ep_ids(of, &arg);
	if (bad != DAT_SUCCESS)
		return bad;
	kep = kapi_new(of->ia_handle, DAT_HANDLE_TYPE_EP, sizeof(*kep));
	if (!kep)
		return kapi_error(-ENOMEM);
	mutex_init(&kep->lock);
	kep->pz = of->pz_handle;
	kep->recv_evd = of->recv_evd_handle;
	kep->request_evd = of->request_evd_handle;
	kep->connect_evd = of->connect_evd_handle;
	kep->srq = of->srq_handle;
	ret = ep_make(kep, attr, &arg);
	if (ret) {
		kapi_forget(&kep->obj);
		return kapi_lack(ret, DAT_RESOURCE_TEP);
	}
	*ep = kep;
	return DAT_SUCCESS;
}

DAT_RETURN dat_ep_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz,
			 DAT_EVD_HANDLE recv_evd, DAT_EVD_HANDLE request_evd,
			 DAT_EVD_HANDLE connect_evd, const DAT_EP_ATTR *attr,
			 DAT_EP_HANDLE *ep)
{
	const DAT_EP_PARAM of = {
		.ia_handle = ia,
		.pz_handle = pz,
		.recv_evd_handle = recv_evd,
		.request_evd_handle = request_evd,
		.connect_evd_handle = connect_evd,
	};

	if (!kapi_obj(ia, DAT_HANDLE_TYPE_IA))
		return KAPI_BAD_HANDLE(IA);
	if (!ep)
		return KAPI_BAD_ARG(7);
	return ep_create(&of, attr ?: &no_attr, ep);
}
EXPORT_SYMBOL_GPL(dat_ep_create);

DAT_RETURN dat_ep_create_with_srq(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz,
				  DAT_EVD_HANDLE recv_evd,
				  DAT_EVD_HANDLE request_evd,
				  DAT_EVD_HANDLE connect_evd,
				  DAT_SRQ_HANDLE srq, const DAT_EP_ATTR *attr,
				  DAT_EP_HANDLE *ep)
{
	struct kapi_srq *ksrq = kapi_to(srq, srq, SRQ);
	const DAT_EP_PARAM of = {
		.ia_handle = ia,
		.pz_handle = pz,
		.recv_evd_handle = recv_evd,
		.request_evd_handle = request_evd,
		.connect_evd_handle = connect_evd,
		.srq_handle = srq,
	};

	if (!kapi_obj(ia, DAT_HANDLE_TYPE_IA))
		return KAPI_BAD_HANDLE(IA);
	if (!kapi_obj(pz, DAT_HANDLE_TYPE_PZ))
		return KAPI_BAD_HANDLE(PZ);
	if (!recv_evd)
		return KAPI_BAD_HANDLE(EVD_RECV);
	if (!ksrq)
		return KAPI_BAD_HANDLE(SRQ);
	if (pz != ksrq->pz)
		return KAPI_BAD_ARG(2);
	if (!attr)
		return KAPI_BAD_ARG(7);
	if (!ep)
		return KAPI_BAD_ARG(8);
	return ep_create(&of, attr, ep);
}
EXPORT_SYMBOL_GPL(dat_ep_create_with_srq);

DAT_RETURN dat_ep_query(DAT_EP_HANDLE ep, DAT_EP_PARAM_MASK mask,
			DAT_EP_PARAM *param)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	struct kdapl_ep_query q = { .size = sizeof(q) };

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (mask & ~DAT_EP_FIELD_ALL)
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	mutex_lock(&kep->lock);
	kdapl_ep_query(to_ep(kep->obj.core), &q);
	kapi_sockaddr(&kep->local, &q.local);
	kapi_sockaddr(&kep->remote, &q.remote);
	*param = (DAT_EP_PARAM){
		.ia_handle = kep->obj.ia,
		.ep_state = q.state,
		.comm = kapi_comm(q.remote.family),
		.local_ia_address_ptr = (void *)&kep->local,
		.local_port_qual = q.local.port,
		.remote_ia_address_ptr = (void *)&kep->remote,
		.remote_port_qual = q.remote.port,
		.pz_handle = kep->pz,
		.recv_evd_handle = kep->recv_evd,
		.request_evd_handle = kep->request_evd,
		.connect_evd_handle = kep->connect_evd,
		.srq_handle = kep->srq,
		.ep_attr = kep->attr,
	};
	mutex_unlock(&kep->lock);
	param->ep_attr.max_rdma_read_in = q.max_rdma_read_in;
	param->ep_attr.max_rdma_read_out = q.max_rdma_read_out;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ep_query);

DAT_RETURN dat_ep_get_status(DAT_EP_HANDLE ep, DAT_EP_STATE *state,
			     DAT_BOOLEAN *recv_idle, DAT_BOOLEAN *request_idle)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	struct kdapl_ep *core;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	core = to_ep(kep->obj.core);
	spin_lock_bh(&core->lock);
	if (state)
		*state = (DAT_EP_STATE)core->state;
	if (recv_idle)
		*recv_idle = kdapl_ep_held(core) ? DAT_FALSE : DAT_TRUE;
	if (request_idle)
		*request_idle = core->sq.head == core->sq.tail ? DAT_TRUE :
								 DAT_FALSE;
	spin_unlock_bh(&core->lock);
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_ep_get_status);

DAT_RETURN dat_ep_reset(DAT_EP_HANDLE ep)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);
	int ret;

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	ret = kapi_enter(kep->obj.ia);
	if (ret)
		return kapi_error(ret);
	ret = kdapl_ep_reset(to_ep(kep->obj.core));
	kapi_leave(kep->obj.ia);
	return kapi_lack(ret, DAT_RESOURCE_TEP);
}
EXPORT_SYMBOL_GPL(dat_ep_reset);

/* Its wait keeps out nobody: the end of the device ends it. */
DAT_RETURN dat_ext_ep_drain(DAT_EP_HANDLE ep)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	return kapi_error(kdapl_ep_drain(to_ep(kep->obj.core)));
}
EXPORT_SYMBOL_GPL(dat_ext_ep_drain);

/* An RSP or a request has it. An accept that is under way comes to its end first. */
static bool ep_is_lent(struct kdapl_ep *ep)
{
	enum kdapl_ep_state state;
	bool lent;

	mutex_lock(&ep->mutex);
	state = READ_ONCE(ep->state);
	/* Also when the device is gone, and the state does not say it any more. */
	lent = ep->lent || state == KDAPL_EP_RESERVED ||
	       state == KDAPL_EP_PASSIVE_PENDING ||
	       state == KDAPL_EP_TENTATIVE_PENDING;
	mutex_unlock(&ep->mutex);
	return lent;
}

DAT_RETURN dat_ep_free(DAT_EP_HANDLE ep)
{
	struct kapi_ep *kep = kapi_to(ep, ep, EP);

	if (!kep)
		return KAPI_BAD_HANDLE(EP);
	if (ep_is_lent(to_ep(kep->obj.core)))
		return DAT_ERROR(DAT_INVALID_STATE,
				 DAT_INVALID_STATE_EP_RESERVED);
	return kapi_error(kapi_destroy(&kep->obj, KDAPL_OBJ_EP));
}
EXPORT_SYMBOL_GPL(dat_ep_free);

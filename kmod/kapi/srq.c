// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shared receive queues. */

#include <linux/export.h>

#include "../srq.h"
#include "kapi.h"

static DAT_RETURN attr_check(const struct kapi_ia *kia,
			     const DAT_SRQ_ATTR *attr)
{
	if (!kia->core->max_srqs)
		return DAT_ERROR(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	if (!attr || attr->max_recv_dtos <= 0 || attr->max_recv_iov < 0 ||
	    attr->max_recv_iov > kia->core->max_srq_iov ||
	    attr->low_watermark != DAT_SRQ_LW_DEFAULT)
		return KAPI_BAD_ARG(3);
	if (attr->max_recv_dtos > KDAPL_SRQ_MAX)
		return DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_SRQ);
	return DAT_SUCCESS;
}

static int srq_make(struct kapi_srq *ksrq, const DAT_SRQ_ATTR *attr)
{
	struct kapi_ia *kia = ksrq->obj.ia;
	struct kdapl_srq_create arg = {
		.size = sizeof(arg),
		.pz = ksrq->pz->id,
		.max_recvs = attr->max_recv_dtos,
		.max_recv_iov = attr->max_recv_iov,
		.async_evd = kapi_async_id(kia),
		.tag = ksrq->obj.word,
		.user = ksrq->obj.word,
	};
	int ret;

	ret = kapi_enter(kia);
	if (ret)
		return ret;
	ret = kdapl_srq_create(kia->core, &arg);
	kapi_leave(kia);
	return ret ?: kapi_tie(&ksrq->obj, arg.id, KDAPL_OBJ_SRQ);
}

DAT_RETURN dat_srq_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz,
			  DAT_SRQ_ATTR *attr, DAT_SRQ_HANDLE *srq)
{
	struct kapi_ia *kia = kapi_to(ia, ia, IA);
	struct kapi_obj *kpz = kapi_of(kia, pz, DAT_HANDLE_TYPE_PZ);
	struct kapi_srq *ksrq;
	DAT_RETURN bad;
	int ret;

	if (!kia)
		return KAPI_BAD_HANDLE(IA);
	if (!kpz)
		return KAPI_BAD_HANDLE(PZ);
	bad = attr_check(kia, attr);
	if (bad != DAT_SUCCESS)
		return bad;
	if (!srq)
		return KAPI_BAD_ARG(4);
	ksrq = kapi_new(kia, DAT_HANDLE_TYPE_SRQ, sizeof(*ksrq));
	if (!ksrq)
		return kapi_error(-ENOMEM);
	ksrq->pz = kpz;
	ret = srq_make(ksrq, attr);
	if (ret) {
		kapi_forget(&ksrq->obj);
		return kapi_lack(ret, DAT_RESOURCE_SRQ);
	}
	*srq = ksrq;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_srq_create);

/* All but the handles. */
static void srq_fill(const struct kapi_srq *ksrq, DAT_SRQ_PARAM *param)
{
	struct kdapl_srq *srq = to_srq(ksrq->obj.core);
	/* Not behind the lock: each of them was taken before. */
	u32 reaped = atomic_read(&ksrq->reaped);

	spin_lock_bh(&srq->lock);
	param->srq_state = READ_ONCE(srq->failed) ? DAT_SRQ_STATE_ERROR :
						    DAT_SRQ_STATE_OPERATIONAL;
	param->max_recv_dtos = srq->slots;
	param->max_recv_iov = srq->max_iov;
	param->low_watermark = srq->low;
	param->available_dto_count = srq->waiting;
	/* Posted, and neither taken as an event nor without one. */
	param->outstanding_dto_count = srq->waiting + srq->taken -
				       srq->dropped - reaped;
	spin_unlock_bh(&srq->lock);
}

DAT_RETURN dat_srq_query(DAT_SRQ_HANDLE srq, DAT_SRQ_PARAM_MASK mask,
			 DAT_SRQ_PARAM *param)
{
	struct kapi_srq *ksrq = kapi_to(srq, srq, SRQ);

	if (!ksrq)
		return KAPI_BAD_HANDLE(SRQ);
	if (mask & ~DAT_SRQ_FIELD_ALL)
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	param->ia_handle = ksrq->obj.ia;
	param->pz_handle = ksrq->pz;
	srq_fill(ksrq, param);
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_srq_query);

DAT_RETURN dat_srq_post_recv(DAT_SRQ_HANDLE srq, DAT_COUNT num,
			     DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie)
{
	struct kapi_srq *ksrq = kapi_to(srq, srq, SRQ);
	struct kdapl_sqe sqe = {
		.op = KDAPL_OP_RECV,
		.cookie = cookie.as_64,
	};
	DAT_RETURN bad;
	int ret;

	if (!ksrq)
		return KAPI_BAD_HANDLE(SRQ);
	bad = kapi_iov_check(num, iov);
	if (bad != DAT_SUCCESS)
		return bad;
	if (num > to_srq(ksrq->obj.core)->max_iov)
		return KAPI_BAD_ARG(2);
	kapi_sqe_iov(&sqe, num, iov);
	ret = kdapl_srq_recv(to_srq(ksrq->obj.core), &sqe);
	if (ret == -EBADFD)
		return DAT_ERROR(DAT_INVALID_STATE,
				 DAT_INVALID_STATE_SRQ_ERROR);
	return kapi_post_error(ret);
}
EXPORT_SYMBOL_GPL(dat_srq_post_recv);

DAT_RETURN dat_srq_resize(DAT_SRQ_HANDLE srq, DAT_COUNT max_recvs)
{
	struct kapi_srq *ksrq = kapi_to(srq, srq, SRQ);
	struct kdapl_srq_resize arg = {
		.size = sizeof(arg),
		.max_recvs = max_recvs,
	};
	DAT_SRQ_PARAM now;
	int ret;

	if (!ksrq)
		return KAPI_BAD_HANDLE(SRQ);
	if (max_recvs <= 0)
		return KAPI_BAD_ARG(2);
	if (max_recvs > KDAPL_SRQ_MAX)
		return DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_SRQ);
	srq_fill(ksrq, &now);
	if (max_recvs < now.outstanding_dto_count ||
	    max_recvs < now.low_watermark)
		return DAT_ERROR(DAT_INVALID_STATE, DAT_NO_SUBTYPE);
	ret = kapi_enter(ksrq->obj.ia);
	if (ret)
		return kapi_error(ret);
	ret = kdapl_srq_resize(to_srq(ksrq->obj.core), &arg);
	kapi_leave(ksrq->obj.ia);
	return kapi_lack(ret, DAT_RESOURCE_SRQ);
}
EXPORT_SYMBOL_GPL(dat_srq_resize);

DAT_RETURN dat_srq_set_lw(DAT_SRQ_HANDLE srq, DAT_COUNT low)
{
	struct kapi_srq *ksrq = kapi_to(srq, srq, SRQ);
	int ret;

	if (!ksrq)
		return KAPI_BAD_HANDLE(SRQ);
	if (low < 0)
		return KAPI_BAD_ARG(2);
	ret = kapi_enter(ksrq->obj.ia);
	if (ret)
		return kapi_error(ret);
	ret = kdapl_srq_set_low(to_srq(ksrq->obj.core), low);
	kapi_leave(ksrq->obj.ia);
	return ret == -EINVAL ? KAPI_BAD_ARG(2) : kapi_error(ret);
}
EXPORT_SYMBOL_GPL(dat_srq_set_lw);

DAT_RETURN dat_srq_free(DAT_SRQ_HANDLE srq)
{
	struct kapi_obj *obj = kapi_obj(srq, DAT_HANDLE_TYPE_SRQ);
	int ret;

	if (!obj)
		return KAPI_BAD_HANDLE(SRQ);
	ret = kapi_destroy(obj, KDAPL_OBJ_SRQ);
	if (ret == -EBUSY)
		return DAT_ERROR(DAT_INVALID_STATE,
				 DAT_INVALID_STATE_SRQ_IN_USE);
	return kapi_error(ret);
}
EXPORT_SYMBOL_GPL(dat_srq_free);

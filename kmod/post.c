// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Posting: operations become work of a queue pair. A program's come from the
 * submission ring by the drainer, those of a consumer in the kernel by calls.
 *
 * Every entry of the ring takes a slot of the EP's work queue, whatever becomes of it, and
 * completes in the order of the slots. What the module refuses is finished at
 * once with the fitting status, and the EP is broken as the device would break
 * it; what comes behind it is flushed.
 */

#include <linux/nospec.h>
#include <linux/slab.h>

#include "ep.h"
#include "ia.h"
#include "lmr.h"
#include "rmr.h"
#include "sq.h"

static __always_inline struct kdapl_wq *wq_of(struct kdapl_ep *ep, u8 op)
{
	return op == KDAPL_OP_RECV ? &ep->rq : &ep->sq;
}

/* The EP takes no more work of this kind: it would be flushed by the device. */
static bool ep_flushes(const struct kdapl_ep *ep, bool recv)
{
	if (ep->refused || !ep->qp)
		return true;
	if (recv)
		return (ep->ending && !ep->graceful) ||
		       ep->state == KDAPL_EP_DISCONNECTED;
	return ep->state != KDAPL_EP_CONNECTED;
}

/* An operation that the device or the transport lacks is as one that nobody knows. */
static bool op_known(const struct kdapl_ia *ia, u8 op)
{
	switch (op) {
	case KDAPL_OP_SEND:
	case KDAPL_OP_RECV:
	case KDAPL_OP_RDMA_WRITE:
	case KDAPL_OP_RDMA_READ:
		return true;
	case KDAPL_OP_SEND_INV:
		/* It needs no RMRs here. A program is told of both by one flag. */
		return ia->kernel ? ia->dev->attrs.device_cap_flags &
				    IB_DEVICE_MEM_MGT_EXTENSIONS :
				    ia->max_rmr_size;
	case KDAPL_OP_READ_RMR:
		return ia->max_rmr_size;
	case KDAPL_OP_WRITE_IMM:
		return ia->imm;
	case KDAPL_OP_CMP_SWAP:
	case KDAPL_OP_FETCH_ADD:
		return ia->atomic;
	default:
		return false;
	}
}

/*
 * They are among the reads that may be out at a time. Over what is not aligned the
 * peer's device would end the connection.
 */
static enum kdapl_dto_status check_atomic(const struct kdapl_ep *ep,
					  const struct kdapl_sqe *sqe)
{
	if (!ep->rdma_read_out ||
	    !IS_ALIGNED(sqe->remote_addr, KDAPL_ATOMIC_SIZE))
		return DAT_DTO_ERR_LOCAL_EP;
	if (sqe->num_seg != 1 || !ep->max_request_iov ||
	    sqe->seg[0].length != KDAPL_ATOMIC_SIZE)
		return DAT_DTO_ERR_LOCAL_LENGTH;
	return DAT_DTO_SUCCESS;
}

static __always_inline u32 max_iov(const struct kdapl_ep *ep, u8 op)
{
	if (op == KDAPL_OP_RECV)
		return ep->max_recv_iov;
	if (op == KDAPL_OP_RDMA_READ || op == KDAPL_OP_READ_RMR)
		return min(ep->max_request_iov, ep->obj.ia->max_iov_read);
	return ep->max_request_iov;
}

u32 kdapl_ep_max_iov(const struct kdapl_ep *ep, u8 op)
{
	return max_iov(ep, op);
}

/*
 * From here on @op is the entry's, apart from it: sends and receives, which most posts
 * are, have code of their own, compiled for a constant.
 */
static __always_inline enum kdapl_dto_status
check_shape(const struct kdapl_ep *ep, const struct kdapl_sqe *sqe, u8 op)
{
	const struct kdapl_ia *ia = ep->obj.ia;

	if (sqe->flags & ~KDAPL_SQE_FLAGS || !op_known(ia, op) ||
	    (sqe->imm && op != KDAPL_OP_WRITE_IMM))
		return DAT_DTO_ERR_LOCAL_EP;
	if (op_is_atomic(op))
		return check_atomic(ep, sqe);
	/* Some devices would wait for a turn that never comes. */
	if ((op == KDAPL_OP_RDMA_READ || op == KDAPL_OP_READ_RMR) &&
	    !ep->rdma_read_out)
		return DAT_DTO_ERR_LOCAL_EP;
	return sqe->num_seg > max_iov(ep, op) ? DAT_DTO_ERR_LOCAL_LENGTH :
						DAT_DTO_SUCCESS;
}

/*
 * A small message can go with the request: then the device has no memory to look up.
 * What it brings are its bytes at the time of the post; so not behind a fence, which
 * waits for reads that may write them.
 */
static __always_inline bool is_small(const struct kdapl_ep *ep,
				     const struct kdapl_sqe *sqe, u8 op)
{
	return (op == KDAPL_OP_SEND || op == KDAPL_OP_RDMA_WRITE) &&
	       sqe->num_seg == 1 && !(sqe->flags & KDAPL_SQE_FENCE) &&
	       sqe->seg[0].length <= ep->cap.max_inline_data;
}

/*
 * The segments of the copy become the device's; adds up their length. None without a
 * byte is handed on, however it was checked: to some devices 0 may be 2 GiB.
 */
static __always_inline enum kdapl_dto_status
make_sges(struct kdapl_ep *ep, struct kdapl_chain *chain, u8 op, u64 *length)
{
	const struct kdapl_sqe *sqe = &chain->sqe;
	struct ib_sge *sge = chain->sge[chain->len];
	struct kdapl_obj_hint *hint = &wq_of(ep, op)->lmr_hint;
	struct ib_sge *end = sge;
	bool writes = op == KDAPL_OP_RECV || op == KDAPL_OP_RDMA_READ ||
		      op_is_atomic(op);
	u32 privilege = writes ? KDAPL_PRIV_LOCAL_WRITE : KDAPL_PRIV_LOCAL_READ;
	enum kdapl_dto_status status;
	unsigned int i, n;

	*length = 0;
	chain->is_inline = false;
	/* It was checked; not by a processor that guesses. */
	n = array_index_nospec(sqe->num_seg, KDAPL_SEGS_MAX + 1);
	for (i = 0; i < n; i++) {
		/* The rest of it may be anything. */
		if (!sqe->seg[i].length)
			continue;
		if (op == KDAPL_OP_READ_RMR)
			status = kdapl_rmr_sge(ep->obj.ia, ep->pz,
					       &sqe->seg[i], end);
		else if (is_small(ep, sqe, op))
			status = kdapl_lmr_sge_inline(ep->obj.ia, ep->pz,
						      &sqe->seg[i],
						      hint, end,
						      &chain->is_inline);
		else
			status = kdapl_lmr_sge(ep->obj.ia, ep->pz,
					       &sqe->seg[i], privilege,
					       hint, end);
		if (status != DAT_DTO_SUCCESS)
			return status;
		*length += end->length;
		end++;
	}
	chain->num_sge = end - sge;
	/* irdma looks at the first one also where there is none. */
	if (end == sge)
		*sge = (struct ib_sge){};
	return *length > ep->obj.ia->max_message ? DAT_DTO_ERR_LOCAL_LENGTH :
						   DAT_DTO_SUCCESS;
}

static enum ib_wr_opcode wr_opcode(u8 op)
{
	switch (op) {
	case KDAPL_OP_RDMA_WRITE:
		return IB_WR_RDMA_WRITE;
	case KDAPL_OP_RDMA_READ:
	case KDAPL_OP_READ_RMR:
		return IB_WR_RDMA_READ;
	case KDAPL_OP_SEND_INV:
		return IB_WR_SEND_WITH_INV;
	case KDAPL_OP_WRITE_IMM:
		return IB_WR_RDMA_WRITE_WITH_IMM;
	case KDAPL_OP_CMP_SWAP:
		return IB_WR_ATOMIC_CMP_AND_SWP;
	case KDAPL_OP_FETCH_ADD:
		return IB_WR_ATOMIC_FETCH_AND_ADD;
	default:
		return IB_WR_SEND;
	}
}

/*
 * siw ends a connection at a fenced read. Without the fence the peer still answers it
 * behind the reads before it, and its data lands behind theirs. Who reads from the
 * memory that an earlier read writes, both ends being here, can tell.
 */
static bool takes_fence(const struct kdapl_ep *ep, enum ib_wr_opcode opcode)
{
	return opcode != IB_WR_RDMA_READ ||
	       ep->obj.ia->dev->ops.driver_id != RDMA_DRIVER_SIW;
}

/* What it names at the peer's, and what it brings there besides its segments. */
static __always_inline void fill_remote(union kdapl_send *send,
					const struct kdapl_sqe *sqe, u8 op)
{
	if (op == KDAPL_OP_SEND)
		return;
	if (op_is_atomic(op)) {
		send->atomic.remote_addr = sqe->remote_addr;
		send->atomic.rkey = sqe->rkey;
		send->atomic.compare_add = sqe->seg[1].addr;
		send->atomic.swap = sqe->seg[2].addr;
		return;
	}
	if (op == KDAPL_OP_SEND_INV)
		send->wr.ex.invalidate_rkey = sqe->rkey;
	/* As the program's memory has it: that is how others send it, too. */
	if (op == KDAPL_OP_WRITE_IMM)
		send->wr.ex.imm_data = (__force __be32)sqe->imm;
	send->rdma.remote_addr = sqe->remote_addr;
	send->rdma.rkey = sqe->rkey;
}

/*
 * Every request of a ring is signalled to the module, also the ones whose success the
 * program does not want to hear of: the count of finished work is exact at any
 * time, which the drain and request_idle rest on. Those that rw.c makes are not.
 */
static __always_inline void fill_send(struct kdapl_ep *ep,
				      struct kdapl_chain *chain,
				      struct kdapl_work *work, u8 op)
{
	const struct kdapl_sqe *sqe = &chain->sqe;
	union kdapl_send *send = &chain->send[chain->len];
	struct ib_send_wr *wr = &send->wr;

	wr->wr_id = (uintptr_t)work;
	wr->sg_list = chain->sge[chain->len];
	wr->num_sge = chain->num_sge;
	wr->opcode = wr_opcode(op);
	/*
	 * An RDMA read over iWARP names a sink: siw refuses one that has none, and
	 * completes it later all the same.
	 */
	if (wr->opcode == IB_WR_RDMA_READ && !wr->num_sge && ep->obj.ia->iwarp)
		wr->num_sge = 1;
	wr->send_flags = IB_SEND_SIGNALED;
	if (chain->is_inline)
		wr->send_flags |= IB_SEND_INLINE;
	if (sqe->flags & KDAPL_SQE_SOLICITED && op_is_message(op))
		wr->send_flags |= IB_SEND_SOLICITED;
	if (sqe->flags & KDAPL_SQE_FENCE && takes_fence(ep, wr->opcode))
		wr->send_flags |= IB_SEND_FENCE;
	wr->next = NULL;
	if (chain->len)
		chain->send[chain->len - 1].wr.next = wr;
	fill_remote(send, sqe, op);
	chain->len++;
}

static __always_inline void fill_recv(struct kdapl_chain *chain,
				      struct kdapl_work *work)
{
	struct ib_recv_wr *wr = &chain->recv[chain->len];

	wr->wr_id = (uintptr_t)work;
	wr->sg_list = chain->sge[chain->len];
	wr->num_sge = chain->num_sge;
	wr->next = NULL;
	if (chain->len)
		chain->recv[chain->len - 1].next = wr;
	chain->len++;
}

void kdapl_work_refuse(struct kdapl_ep *ep, struct kdapl_work *work,
		       enum kdapl_dto_status status)
{
	work->state = KDAPL_WORK_DONE;
	work->status = status;
	/* What ends an EP that flushes is told by others. */
	if (status == DAT_DTO_ERR_FLUSHED)
		return;
	ep->refused = true;
	kdapl_ep_end_locked(ep, DAT_CONNECTION_EVENT_BROKEN, false);
}

/* The library counts and posts no more than fits. */
static bool wq_is_full(const struct kdapl_wq *wq)
{
	/* (I) pairs with (J): the slot's event is stored before the slot is free. */
	return wq->head - smp_load_acquire(&wq->done) >= wq->size;
}

/* The next slot is the operation's. */
static __always_inline struct kdapl_work *wq_next(struct kdapl_wq *wq, u8 op,
						  u64 cookie, u32 flags)
{
	struct kdapl_work *work = &wq->work[wq->head++ & wq->mask];

	work->cookie = cookie;
	work->op = op;
	work->suppress = flags & KDAPL_SQE_SUPPRESS && op != KDAPL_OP_RECV;
	work->quiet = flags & KDAPL_SQE_QUIET;
	work->brought = KDAPL_BROUGHT_NOTHING;
	work->length = 0;
	return work;
}

/* The operation goes to the device with the next kdapl_ep_flush_chain(). */
static __always_inline void chain_add(struct kdapl_ep *ep,
				      struct kdapl_chain *chain,
				      struct kdapl_work *work, u8 op, u64 length)
{
	work->state = KDAPL_WORK_POSTED;
	if (op == KDAPL_OP_RECV) {
		fill_recv(chain, work);
	} else {
		work->length = length;
		fill_send(ep, chain, work, op);
	}
}

static __always_inline enum kdapl_dto_status
chain_check(struct kdapl_ep *ep, struct kdapl_chain *chain, u8 op, u64 *length)
{
	enum kdapl_dto_status status = check_shape(ep, &chain->sqe, op);

	return status == DAT_DTO_SUCCESS ? make_sges(ep, chain, op, length) :
					   status;
}

static __always_inline void take(struct kdapl_ep *ep, struct kdapl_chain *chain,
				 u8 op)
{
	const struct kdapl_sqe *sqe = &chain->sqe;
	struct kdapl_wq *wq = wq_of(ep, op);
	enum kdapl_dto_status status;
	struct kdapl_work *work;
	u64 length;

	if (wq_is_full(wq)) {
		ep->refused = true;
		kdapl_ep_end_locked(ep, DAT_CONNECTION_EVENT_BROKEN, false);
		return;
	}

	work = wq_next(wq, op, sqe->cookie, sqe->flags);
	if (op == KDAPL_OP_RECV)
		kdapl_ep_check_marks(ep);
	if (ep_flushes(ep, op == KDAPL_OP_RECV)) {
		kdapl_work_refuse(ep, work, DAT_DTO_ERR_FLUSHED);
		return;
	}
	status = chain_check(ep, chain, op, &length);
	if (status == DAT_DTO_SUCCESS)
		chain_add(ep, chain, work, op, length);
	else
		kdapl_work_refuse(ep, work, status);
}

/**
 * kdapl_ep_take() - one entry
 * @ep: its EP; caller holds ep->lock
 * @chain: chain->sqe is the module's copy of the entry; work for the device is
 *	appended to the chain, which has room
 */
void kdapl_ep_take(struct kdapl_ep *ep, struct kdapl_chain *chain)
{
	switch (chain->sqe.op) {
	case KDAPL_OP_SEND:
		take(ep, chain, KDAPL_OP_SEND);
		break;
	case KDAPL_OP_RECV:
		take(ep, chain, KDAPL_OP_RECV);
		break;
	default:
		take(ep, chain, chain->sqe.op);
		break;
	}
}

/*
 * The device did not take these, for good. Where -ENOTCONN is for good the queue
 * pair leaves the connected state: what ends the connection is reported by
 * rdma_cm.
 */
static enum kdapl_dto_status refused_status(int err, bool first)
{
	return err == -ENOTCONN || !first ? DAT_DTO_ERR_FLUSHED :
					    DAT_DTO_ERR_LOCAL_EP;
}

static unsigned int refuse_send_chain(struct kdapl_ep *ep,
				      const struct ib_send_wr *wr, int err)
{
	unsigned int n;

	for (n = 0; wr; wr = wr->next, n++)
		kdapl_work_refuse(ep,
				  (struct kdapl_work *)(uintptr_t)wr->wr_id,
				  refused_status(err, !n));
	ep->refused = true;
	return n;
}

static unsigned int refuse_recv_chain(struct kdapl_ep *ep,
				      const struct ib_recv_wr *wr, int err)
{
	unsigned int n;

	for (n = 0; wr; wr = wr->next, n++)
		kdapl_work_refuse(ep,
				  (struct kdapl_work *)(uintptr_t)wr->wr_id,
				  refused_status(err, !n));
	ep->refused = true;
	return n;
}

/* Behind parked receives all others are parked, too. */
static __always_inline void post_recv_chain(struct kdapl_ep *ep,
					    struct kdapl_chain *chain)
{
	struct kdapl_ep_status *shown = ep->status.addr;
	const struct ib_recv_wr *bad = chain->recv;
	unsigned int back;
	int err = -ENOTCONN;

	ep->rq.hw += chain->len;
	if (!ep->parked_len)
		err = ib_post_recv(ep->qp, chain->recv, &bad);
	if (err) {
		back = kdapl_park(ep, bad, err) ?:
		       refuse_recv_chain(ep, bad, err);
		ep->rq.hw -= back;
	}
	WRITE_ONCE(shown->hw_recv, ep->rq.hw);
}

static __always_inline void post_requests(struct kdapl_ep *ep,
					  const struct ib_send_wr *first,
					  unsigned int n)
{
	struct kdapl_sq *sq = &ep->obj.ia->sq;
	/* All of it, where the driver does not say. */
	const struct ib_send_wr *bad = first;
	unsigned int refused;
	int err;

	ep->sq.hw += n;
	kdapl_sq_count(sq, n);
	err = ib_post_send(ep->qp, first, &bad);
	if (err) {
		refused = refuse_send_chain(ep, bad, err);
		ep->sq.hw -= refused;
		kdapl_sq_count(sq, -refused);
	}
}

void kdapl_post_requests(struct kdapl_ep *ep, const struct ib_send_wr *first,
			 unsigned int n)
{
	post_requests(ep, first, n);
}

static __always_inline void flush_chain(struct kdapl_ep *ep,
					struct kdapl_chain *chain, bool recv)
{
	if (chain->len) {
		if (recv)
			post_recv_chain(ep, chain);
		else
			post_requests(ep, &chain->send[0].wr, chain->len);
		chain->len = 0;
	}
	/* What was refused may be next in line. */
	kdapl_wq_retire(ep, recv ? &ep->rq : &ep->sq);
	kdapl_ep_end_start(ep);
}

/**
 * kdapl_ep_flush_chain() - hand the collected work to the device
 * @ep: its EP; caller holds ep->lock
 * @chain: the work, possibly none
 * @recv: it is receives
 */
void kdapl_ep_flush_chain(struct kdapl_ep *ep, struct kdapl_chain *chain,
			  bool recv)
{
	flush_chain(ep, chain, recv);
}

/* ---- work on MRs --------------------------------------------------------------- */

int kdapl_post_admit(const struct kdapl_ep *ep, const struct kdapl_pz *pz,
		     unsigned int slots)
{
	const struct kdapl_wq *wq = &ep->sq;

	lockdep_assert_held(&ep->lock);
	if (ep->closed || (ep->state != KDAPL_EP_CONNECTED &&
			   ep->state != KDAPL_EP_DISCONNECTED))
		return -EBADFD;
	if (ep->pz != pz)
		return -EPERM;
	/* (I) pairs with (J). */
	if (wq->head - smp_load_acquire(&wq->done) + slots > wq->size)
		return -ENOSPC;
	return ep_flushes(ep, false);
}

struct kdapl_work *kdapl_post_slot(struct kdapl_ep *ep, u8 op, u64 cookie,
				   u32 flags)
{
	struct kdapl_work *work = wq_next(&ep->sq, op, cookie, flags);

	work->state = KDAPL_WORK_DONE;
	work->status = DAT_DTO_SUCCESS;
	return work;
}

/* ---- consumers in the kernel ------------------------------------------------- */

int kdapl_post_init(struct kdapl_ep *ep)
{
	if (!ep->obj.ia->kernel)
		return 0;
	ep->chain = kzalloc(sizeof(*ep->chain), GFP_KERNEL);
	return ep->chain ? 0 : -ENOMEM;
}

struct kdapl_sqe *kdapl_post_begin(struct kdapl_ep *ep, bool recv)
	__acquires(&ep->lock)
{
	spin_lock_bh(&ep->lock);
	ep->chain->len = 0;
	ep->chain_start = recv ? ep->rq.head : ep->sq.head;
	return &ep->chain->sqe;
}

/* What the library finds out for a program. */
static __always_inline int post_check_state(const struct kdapl_ep *ep, bool recv)
{
	if (ep->closed || !ep->pz || (recv && ep->srq))
		return -EBADFD;
	if (!recv && ep->state != KDAPL_EP_CONNECTED &&
	    ep->state != KDAPL_EP_DISCONNECTED)
		return -EBADFD;
	return 0;
}

static int post_error(enum kdapl_dto_status status)
{
	switch (status) {
	case DAT_DTO_SUCCESS:
		return 0;
	case DAT_DTO_ERR_LOCAL_LENGTH:
		return -EMSGSIZE;
	case DAT_DTO_ERR_LOCAL_PROTECTION:
		return -EACCES;
	default:
		return -EINVAL;
	}
}

static __always_inline int post_add(struct kdapl_ep *ep, u8 op)
{
	struct kdapl_chain *chain = ep->chain;
	const struct kdapl_sqe *sqe = &chain->sqe;
	struct kdapl_wq *wq = wq_of(ep, op);
	struct kdapl_work *work;
	bool flushes;
	u64 length;
	int ret;

	lockdep_assert_held(&ep->lock);
	ret = post_check_state(ep, op == KDAPL_OP_RECV);
	if (ret)
		return ret;
	if (wq_is_full(wq) || chain->len == KDAPL_SQ_CHAIN)
		return -ENOBUFS;
	flushes = ep_flushes(ep, op == KDAPL_OP_RECV);
	ret = flushes ? 0 : post_error(chain_check(ep, chain, op, &length));
	if (ret)
		return ret;

	work = wq_next(wq, op, sqe->cookie, sqe->flags);
	if (flushes)
		kdapl_work_refuse(ep, work, DAT_DTO_ERR_FLUSHED);
	else
		chain_add(ep, chain, work, op, length);
	return 0;
}

int kdapl_post_add(struct kdapl_ep *ep)
{
	return post_add(ep, ep->chain->sqe.op);
}

static __always_inline void post_end(struct kdapl_ep *ep, bool recv, bool commit)
	__releases(&ep->lock)
{
	struct kdapl_wq *wq = recv ? &ep->rq : &ep->sq;

	if (commit) {
		flush_chain(ep, ep->chain, recv);
		if (recv)
			kdapl_ep_check_marks(ep);
	} else {
		/* Nobody has seen the slots. */
		wq->head = ep->chain_start;
	}
	spin_unlock_bh(&ep->lock);
}

void kdapl_post_end(struct kdapl_ep *ep, bool recv, bool commit)
	__releases(&ep->lock)
{
	post_end(ep, recv, commit);
}

int kdapl_post_message(struct kdapl_ep *ep, bool recv)
	__releases(&ep->lock)
{
	int ret;

	if (recv) {
		ret = post_add(ep, KDAPL_OP_RECV);
		post_end(ep, true, !ret);
	} else {
		ret = post_add(ep, KDAPL_OP_SEND);
		post_end(ep, false, !ret);
	}
	return ret;
}

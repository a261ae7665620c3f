// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RDMA straight from or to a scatterlist. */

#include <linux/slab.h>
#include <rdma/rw.h>

#include "account.h"
#include "bounce.h"
#include "ep.h"
#include "ia.h"
#include "lmr.h"
#include "pz.h"
#include "rw.h"
#include "rw_cut.h"
#include "sq.h"

/* Bytes that most transfers of a few pages need: their EP keeps as many for the next one. */
#define RW_SMALL	512U

/* What rdma_rw can do at a time, so that one MR is enough where it takes one. */
struct rw_part {
	struct rdma_rw_ctx ctx;
	struct scatterlist *sgl;
	unsigned int nents;
};

/* What goes through a piece of registered memory, as one request. */
struct rw_piece {
	struct ib_rdma_wr wr;
	struct ib_sge sge;
};

/**
 * struct kdapl_rw - an operation on its way
 * @qp: that has it
 * @port: of @qp
 * @dir: its direction
 * @status: the first failure
 * @slots: requests that are not retired
 * @sgl: the consumer's list, cut
 * @nents: its entries
 * @length: bytes of the operation
 * @pieces: that it is copied through; then nothing is mapped
 * @retired: of these
 * @small: it has RW_SMALL bytes
 * @piece: their requests
 * @bounce: their memory
 * @parts: that are mapped
 * @part: the parts
 */
struct kdapl_rw {
	struct ib_qp *qp;
	u32 port;
	enum dma_data_direction dir;
	enum kdapl_dto_status status;
	unsigned int slots;
	struct scatterlist *sgl;
	unsigned int nents;
	u32 length;
	unsigned int pieces, retired;
	bool small;
	struct rw_piece *piece;
	struct kdapl_bounce **bounce;
	unsigned int parts;
	struct rw_part part[];
};

/* ---- mapping ------------------------------------------------------------ */

/* The peer may fill, or be sent, this memory no more. Any context. */
static void rw_unmap(struct kdapl_rw *rw)
{
	struct rw_part *part;

	while (rw->parts) {
		part = &rw->part[--rw->parts];
		rdma_rw_ctx_destroy(&part->ctx, rw->qp, rw->port, part->sgl,
				    part->nents, rw->dir);
	}
}

/* What is asked for is 0. */
static struct kdapl_rw *rw_get(struct kdapl_ep *ep, size_t size)
{
	struct kdapl_rw *rw;

	if (size > RW_SMALL)
		return kvzalloc(size, GFP_KERNEL);
	rw = xchg(&ep->rw_spare, NULL);
	if (rw)
		memset(rw, 0, size);
	else
		rw = kzalloc(RW_SMALL, GFP_KERNEL);
	if (rw)
		rw->small = true;
	return rw;
}

/* Any context. */
static void rw_free(struct kdapl_ep *ep, struct kdapl_rw *rw)
{
	while (rw->retired < rw->pieces)
		kdapl_bounce_put(rw->bounce[rw->retired++]);
	kvfree(rw->bounce);
	kvfree(rw->piece);
	rw_unmap(rw);
	/* In exchange for the spare one. */
	if (rw->small)
		rw = xchg(&ep->rw_spare, rw);
	kvfree(rw);
}

static struct kdapl_rw *rw_alloc(struct kdapl_ep *ep,
				 const struct kdapl_rw_post *post, bool copy)
{
	struct kdapl_rw_cut cut = kdapl_rw_cut_begin(ep->obj.ia, post, copy);
	unsigned int parts = 0, nents = 0;
	struct kdapl_rw *rw;

	while (cut.left) {
		nents += kdapl_rw_cut_part(&cut, NULL);
		parts++;
	}
	/* Each is one request at least: nothing is made that cannot be posted. */
	if (parts > ep->sq.size)
		return ERR_PTR(-EMSGSIZE);
	rw = rw_get(ep, size_add(struct_size(rw, part, parts),
				 array_size(nents, sizeof(*rw->sgl))));
	if (!rw)
		return ERR_PTR(-ENOMEM);
	rw->sgl = (struct scatterlist *)&rw->part[parts];
	rw->nents = nents;
	sg_init_table(rw->sgl, nents);
	rw->qp = ep->qp;
	rw->port = ep->obj.ia->port;
	rw->dir = post->dir;
	rw->length = post->length;
	rw->status = DAT_DTO_SUCCESS;
	return rw;
}

/*
 * The queue pair's pool has as many MRs as were ever needed at once: who finds none
 * left adds one. The EP's mutex keeps others from taking it.
 */
static int pool_add(struct ib_qp *qp)
{
	return ib_mr_pool_init(qp, &qp->rdma_mrs, 1, IB_MR_TYPE_MEM_REG,
			       kdapl_rw_mr_pages(qp->device), 0);
}

static bool pool_is_empty(struct ib_qp *qp)
{
	unsigned long flags;
	bool empty;

	spin_lock_irqsave(&qp->mr_lock, flags);
	empty = list_empty(&qp->rdma_mrs);
	spin_unlock_irqrestore(&qp->mr_lock, flags);
	return empty;
}

/*
 * Where the device reads so many segments better into an MR, some kernels' rdma_rw does
 * without when the pool is empty, in as many requests as that takes.
 */
static int pool_prepare(const struct kdapl_rw *rw, const struct rw_part *part)
{
	u32 most = rw->qp->device->attrs.max_sgl_rd;

	if (rw->dir == DMA_FROM_DEVICE && most && part->nents > most &&
	    pool_is_empty(rw->qp))
		return pool_add(rw->qp);
	return 0;
}

static int part_map(struct kdapl_rw *rw, struct rw_part *part, u64 remote_addr,
		    u32 rkey)
{
	struct ib_qp *qp = rw->qp;
	int ret;

	ret = pool_prepare(rw, part);
	if (ret)
		return ret;
	ret = rdma_rw_ctx_init(&part->ctx, qp, rw->port, part->sgl, part->nents,
			       0, remote_addr, rkey, rw->dir);
	if (ret != -EAGAIN)
		return ret;
	ret = pool_add(qp);
	return ret ?: rdma_rw_ctx_init(&part->ctx, qp, rw->port, part->sgl,
				       part->nents, 0, remote_addr, rkey,
				       rw->dir);
}

static int rw_map(struct kdapl_rw *rw, const struct kdapl_ia *ia,
		  const struct kdapl_rw_post *post)
{
	struct kdapl_rw_cut cut = kdapl_rw_cut_begin(ia, post, false);
	struct scatterlist *sg = rw->sgl;
	u64 remote_addr = post->remote_addr;
	unsigned int n, i;
	struct rw_part *part;
	int ret;

	while (cut.left) {
		n = kdapl_rw_cut_part(&cut, sg);
		part = &rw->part[rw->parts];
		part->sgl = sg;
		part->nents = n;
		ret = part_map(rw, part, remote_addr, post->rkey);
		if (ret < 0)
			return ret;
		rw->parts++;
		rw->slots += ret;
		for (i = 0; i < n; i++, sg++)
			remote_addr += sg->length;
	}
	return 0;
}

/* ---- copying ------------------------------------------------------------ */

/* Of a piece, as an EP's segment. */
static struct kdapl_seg piece_seg(const struct kdapl_rw *rw, unsigned int i)
{
	return (struct kdapl_seg){
		.addr = (uintptr_t)rw->bounce[i]->at,
		.lmr = rw->bounce[i]->lmr,
		.length = min_t(u32, rw->length - i * KDAPL_BOUNCE_SIZE,
				KDAPL_BOUNCE_SIZE),
	};
}

/* What is written goes to the pieces. */
static void copy_in(const struct kdapl_rw *rw, struct kdapl_ia *ia)
{
	struct kdapl_seg seg;
	unsigned int i;

	for (i = 0; i < rw->pieces; i++) {
		seg = piece_seg(rw, i);
		sg_pcopy_to_buffer(rw->sgl, rw->nents,
				   rw->bounce[i]->at, seg.length,
				   i * KDAPL_BOUNCE_SIZE);
		kdapl_lmr_sync(ia, &seg, true);
	}
}

static int copy_prepare(struct kdapl_rw *rw, struct kdapl_ep *ep, u32 pz,
			const struct kdapl_rw_post *post)
{
	unsigned int n = (post->length - 1) / KDAPL_BOUNCE_SIZE + 1;
	struct kdapl_rw_cut cut = kdapl_rw_cut_begin(ep->obj.ia, post, true);
	int ret;

	if (n > ep->sq.size)
		return -EMSGSIZE;
	rw->piece = kvcalloc(n, sizeof(*rw->piece), GFP_KERNEL);
	rw->bounce = kvcalloc(n, sizeof(*rw->bounce), GFP_KERNEL);
	if (!rw->piece || !rw->bounce)
		return -ENOMEM;
	ret = kdapl_bounce_get(ep, pz, n, rw->bounce);
	if (ret)
		return ret;
	rw->pieces = n;
	rw->slots = n;
	kdapl_rw_cut_part(&cut, rw->sgl);
	/* No less than the device could see if it were not copied. */
	if (rw->dir == DMA_TO_DEVICE)
		copy_in(rw, ep->obj.ia);
	return 0;
}

/* Caller holds the EP's lock. */
static int piece_fill(struct kdapl_ep *ep, const struct kdapl_rw *rw,
		      unsigned int i, const struct kdapl_rw_post *post)
{
	bool in = rw->dir == DMA_FROM_DEVICE;
	struct rw_piece *piece = &rw->piece[i];
	struct kdapl_seg seg = piece_seg(rw, i);

	if (kdapl_lmr_sge(ep->obj.ia, ep->pz, &seg,
			  in ? KDAPL_PRIV_LOCAL_WRITE : KDAPL_PRIV_LOCAL_READ,
			  &ep->sq.lmr_hint, &piece->sge) != DAT_DTO_SUCCESS)
		return -EACCES;
	piece->wr = (struct ib_rdma_wr){
		.wr = {
			.opcode = in ? IB_WR_RDMA_READ : IB_WR_RDMA_WRITE,
			.sg_list = &piece->sge,
			.num_sge = 1,
		},
		.remote_addr = post->remote_addr + i * KDAPL_BOUNCE_SIZE,
		.rkey = post->rkey,
	};
	return 0;
}

/* What was read goes to the consumer's memory. Softirq. */
static void piece_retire(struct kdapl_rw *rw, const struct kdapl_work *work)
{
	unsigned int i = rw->retired++;
	struct kdapl_seg seg = piece_seg(rw, i);

	if (rw->dir == DMA_FROM_DEVICE && work->status == DAT_DTO_SUCCESS) {
		kdapl_lmr_sync(work->ep->obj.ia, &seg, false);
		sg_pcopy_from_buffer(rw->sgl, rw->nents,
				     rw->bounce[i]->at, seg.length,
				     i * KDAPL_BOUNCE_SIZE);
	}
	kdapl_bounce_put(rw->bounce[i]);
}

/* ---- posting ------------------------------------------------------------ */

static int rw_check(const struct kdapl_rw_post *post)
{
	struct scatterlist *sg = post->sgl;
	unsigned int i;
	u64 length = 0;

	for (i = 0; i < post->nents; i++, sg = sg_next(sg)) {
		if (!sg)
			return -EINVAL;
		length += sg->length;
	}
	if (post->offset > length || length - post->offset < post->length)
		return -EMSGSIZE;
	return post->length ? 0 : -EINVAL;
}

/*
 * The peer may serve no reads, or the device ask for none: soft ones would wait for a
 * turn that never comes. rdma_rw cuts a read without an MR into requests of as many
 * segments as the queue pair may read into, and one with MRs by their pages. It divides
 * by both: some drivers say 0, for not knowing.
 */
static bool rw_can_read(const struct kdapl_ep *ep)
{
	const struct kdapl_ia *ia = ep->obj.ia;

	if (kdapl_rw_may_register(ia, DMA_FROM_DEVICE) &&
	    !kdapl_rw_mr_pages(ia->dev))
		return false;
	return ia->iwarp || ep->qp->max_read_sge;
}

/*
 * rdma_rw names local memory by the PD's key for all of it. siw's has none (see pz.c).
 * It could read, which iWARP registers for: but rdma_rw uses an MR again as soon as a
 * read is over, when siw may still be at an access of the peer by its last key. So there
 * all goes through memory that stays registered.
 *
 * Return: the id of the EP's PZ then, else 0; also once the device is gone, which takes
 * the queue pair before the PD: then there is nothing to copy for.
 */
static u32 rw_copies(struct kdapl_ep *ep)
{
	u32 pz = 0;

	if (ep->obj.ia->local_key)
		return 0;
	spin_lock_bh(&ep->lock);
	if (ep->qp && ep->pz && !ep->pz->pd->__internal_mr)
		pz = ep->pz->obj.id;
	spin_unlock_bh(&ep->lock);
	return pz;
}

static bool rw_can(const struct kdapl_ep *ep, enum dma_data_direction dir,
		   bool copy)
{
	if (dir == DMA_FROM_DEVICE && !ep->rdma_read_out)
		return false;
	if (copy)
		return ep->obj.ia->max_lmr_size >= KDAPL_BOUNCE_SIZE;
	return dir == DMA_TO_DEVICE || rw_can_read(ep);
}

static u8 rw_op(enum dma_data_direction dir)
{
	return dir == DMA_TO_DEVICE ? KDAPL_OP_RDMA_WRITE : KDAPL_OP_RDMA_READ;
}

static int rw_follow(struct kdapl_ep *ep, const struct kdapl_rw_post *post)
{
	return post->num ? post->follow(ep, post) : 0;
}

/* Its requests, before what follows. */
static int rw_requests(struct kdapl_ep *ep, struct kdapl_rw *rw,
		       const struct kdapl_rw_post *post,
		       struct ib_send_wr **first)
{
	unsigned int i;
	int ret;

	for (i = rw->pieces; i--;) {
		ret = piece_fill(ep, rw, i, post);
		if (ret)
			return ret;
		rw->piece[i].wr.wr.next = *first;
		*first = &rw->piece[i].wr.wr;
	}
	for (i = rw->parts; i--;)
		*first = rdma_rw_ctx_wrs(&rw->part[i].ctx, rw->qp, rw->port,
					 NULL, *first);
	return 0;
}

/*
 * The last request of the chain tells that those before it are done: a completion of each
 * would cost more than a small request itself. Each quarter of the queue one tells, so
 * that a long chain gives its slots back before. Over iWARP all do.
 */
static bool rw_tells(const struct kdapl_ep *ep, const struct kdapl_rw *rw,
		     unsigned int i)
{
	unsigned int quarter = max(ep->sq.size / 4, 1U);

	return ep->obj.ia->iwarp || (i + 1) % quarter == 0 ||
	       (i + 1 == rw->slots && !ep->chain->len);
}

/* One of its requests, in its slot. */
static void rw_fill(struct kdapl_rw *rw, struct kdapl_work *work,
		    struct ib_send_wr *wr, u32 length, bool tells)
{
	work->rw = rw;
	work->state = tells ? KDAPL_WORK_POSTED : KDAPL_WORK_SILENT;
	work->length = length;
	wr->wr_id = (uintptr_t)work;
	if (tells)
		wr->send_flags |= IB_SEND_SIGNALED;
	/* rdma_rw names the key that the MR had before this. */
	if (wr->opcode == IB_WR_RDMA_READ_WITH_INV)
		wr->ex.invalidate_rkey = wr->sg_list->lkey;
}

/*
 * Its requests and what follows in one chain, whose order is that of the slots. What
 * follows is checked before rdma_rw makes the chain: it changes keys then, which must
 * be posted.
 */
static int rw_send(struct kdapl_ep *ep, struct kdapl_rw *rw,
		   const struct kdapl_rw_post *post)
{
	struct kdapl_chain *chain = ep->chain;
	struct ib_send_wr *first, *wr;
	struct kdapl_wq *wq = &ep->sq;
	u32 slot = wq->head;
	unsigned int i;
	int ret;

	for (i = 0; i < rw->slots; i++)
		kdapl_post_slot(ep, rw_op(rw->dir), post->cookie, post->flags);
	ret = rw_follow(ep, post);
	if (ret)
		return ret;
	first = chain->len ? &chain->send[0].wr : NULL;
	ret = rw_requests(ep, rw, post, &first);
	if (ret)
		return ret;
	for (i = 0, wr = first; i < rw->slots; i++, wr = wr->next)
		rw_fill(rw, &wq->work[slot++ & wq->mask], wr, post->length,
			rw_tells(ep, rw, i));
	kdapl_post_requests(ep, first, rw->slots + chain->len);
	chain->len = 0;
	return 0;
}

/* One slot tells of all its requests, which the device never sees. */
static int rw_flush(struct kdapl_ep *ep, const struct kdapl_rw_post *post)
{
	struct kdapl_work *work;

	work = kdapl_post_slot(ep, rw_op(post->dir), post->cookie, post->flags);
	kdapl_work_refuse(ep, work, DAT_DTO_ERR_FLUSHED);
	return rw_follow(ep, post);
}

/*
 * 1: it was flushed. 0: it was posted, or could be where there is no @rw, which is
 * the requests' from now on.
 */
static int rw_submit(struct kdapl_ep *ep, struct kdapl_rw *rw,
		     const struct kdapl_rw_post *post)
{
	unsigned int slots = rw ? rw->slots : 1;
	int ret = -EBADFD;

	kdapl_post_begin(ep, false);
	if (ep->pz)
		ret = kdapl_post_admit(ep, ep->pz, slots + post->num);
	/* Whoever waits for room must not wait for what there never is. */
	if (ret == -ENOSPC && slots + post->num > ep->sq.size)
		ret = -EMSGSIZE;
	if (ret > 0)
		ret = rw_flush(ep, post) ?: 1;
	else if (!ret && rw)
		ret = rw_send(ep, rw, post);
	kdapl_post_end(ep, false, ret > 0 || (rw && !ret));
	return ret;
}

/* @pz: of the EP, where it is to be copied, or 0: caller holds the EP's mutex. */
static struct kdapl_rw *rw_make(struct kdapl_ep *ep, u32 pz,
				const struct kdapl_rw_post *post)
{
	struct kdapl_rw *rw = rw_alloc(ep, post, pz);
	int ret;

	if (IS_ERR(rw))
		return rw;
	ret = pz ? copy_prepare(rw, ep, pz, post) :
		   rw_map(rw, ep->obj.ia, post);
	if (!ret)
		return rw;
	rw_free(ep, rw);
	return ERR_PTR(ret);
}

static int rw_do(struct kdapl_ep *ep, u32 pz, const struct kdapl_rw_post *post)
{
	int ret = rw_submit(ep, NULL, post);
	struct kdapl_rw *rw;

	if (ret)
		return ret;
	if (!rw_can(ep, post->dir, pz))
		return -EOPNOTSUPP;
	/* The EP was seen to have a queue pair. */
	rw = rw_make(ep, pz, post);
	if (IS_ERR(rw))
		return PTR_ERR(rw);
	ret = rw_submit(ep, rw, post);
	if (ret)
		rw_free(ep, rw);
	return ret;
}

int kdapl_rw(struct kdapl_ep *ep, const struct kdapl_rw_post *post)
{
	u32 pz;
	int ret;

	ret = rw_check(post);
	if (ret)
		return ret;
	pz = rw_copies(ep);
	/* Who maps needs the queue pair, and the device with it, meanwhile. */
	if (!pz && mutex_lock_killable(&ep->mutex))
		return -EINTR;
	ret = rw_do(ep, pz, post);
	if (!pz)
		mutex_unlock(&ep->mutex);
	return min(ret, 0);
}

/* ---- completion --------------------------------------------------------- */

void kdapl_rw_retire(struct kdapl_work *work, struct kdapl_event *event)
{
	struct kdapl_rw *rw = work->rw;

	work->rw = NULL;
	if (rw->pieces)
		piece_retire(rw, work);
	/* What failed says more than what was flushed behind it. */
	if (work->status != DAT_DTO_SUCCESS &&
	    (rw->status == DAT_DTO_SUCCESS ||
	     rw->status == DAT_DTO_ERR_FLUSHED))
		rw->status = work->status;
	if (--rw->slots) {
		event->type = 0;
		return;
	}
	event->status = rw->status;
	if (rw->status != DAT_DTO_SUCCESS) {
		event->length = 0;
		/* Whatever became of the last one. */
		event->type = DAT_DTO_COMPLETION_EVENT;
	}
	rw_free(work->ep, rw);
}

void kdapl_rw_abandon(struct kdapl_ep *ep)
{
	struct kdapl_wq *wq = &ep->sq;
	struct kdapl_work *work;
	u32 i;

	spin_lock_bh(&ep->lock);
	for (i = wq->tail; i != wq->head; i++) {
		work = &wq->work[i & wq->mask];
		if (work->rw)
			rw_unmap(work->rw);
	}
	spin_unlock_bh(&ep->lock);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receives that the device does not take yet.
 *
 * siw refuses every receive with -ENOTCONN while it moves a queue pair to RTS.
 * Nothing is wrong with the receive, nor with its EP: it keeps its slot, its
 * segments are kept here, and what is posted behind it queues up. A work item
 * posts them again, at once and then with every tick; so do an acceptance that is
 * over and ESTABLISHED, behind which the peer may send. An end flushes them.
 *
 * What is kept has the device's keys in it. Where a program frees the region of a
 * parked receive, siw finds the key invalid when a message comes, as it does for
 * any posted receive.
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include "ep.h"
#include "ia.h"

/* What kdapl_work has no room for, of one slot. */
struct kdapl_parked {
	u32 num_sge;
	struct ib_sge sge[KDAPL_SEGS_MAX];
};

/* The device may still change its mind about -ENOTCONN. */
static bool transient(const struct kdapl_ep *ep, int err)
{
	return err == -ENOTCONN && ep->parked && !ep->ending &&
	       (ep->state == KDAPL_EP_ACTIVE_PENDING ||
		ep->state == KDAPL_EP_COMPLETION_PENDING);
}

static void park(struct kdapl_ep *ep, const struct ib_recv_wr *wr)
{
	struct kdapl_work *work = (struct kdapl_work *)(uintptr_t)wr->wr_id;
	struct kdapl_parked *parked = &ep->parked[work - ep->rq.work];

	work->state = KDAPL_WORK_PARKED;
	parked->num_sge = wr->num_sge;
	memcpy(parked->sge, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
}

unsigned int kdapl_park(struct kdapl_ep *ep, const struct ib_recv_wr *wr,
			int err)
{
	unsigned int n = 0;

	lockdep_assert_held(&ep->lock);
	if (!ep->parked_len) {
		if (!transient(ep, err))
			return 0;
		queue_delayed_work(kdapl_workqueue, &ep->park_work, 0);
	}
	for (; wr; wr = wr->next, n++)
		park(ep, wr);
	ep->parked_len += n;
	return n;
}

static int post_again(struct kdapl_ep *ep, struct kdapl_work *work)
{
	struct kdapl_parked *parked = &ep->parked[work - ep->rq.work];
	struct ib_recv_wr wr = {
		.wr_id = (uintptr_t)work,
		.sg_list = parked->sge,
		.num_sge = parked->num_sge,
	};
	const struct ib_recv_wr *bad;

	return ib_post_recv(ep->qp, &wr, &bad);
}

/* The next that is parked, from slot @i on. */
static struct kdapl_work *next_parked(struct kdapl_ep *ep, u32 *i)
{
	struct kdapl_work *work;

	while (*i != ep->rq.head) {
		work = &ep->rq.work[(*i)++ & ep->rq.mask];
		if (work->state == KDAPL_WORK_PARKED)
			return work;
	}
	return NULL;
}

void kdapl_unpark(struct kdapl_ep *ep)
{
	struct kdapl_ep_status *shown = ep->status.addr;
	struct kdapl_work *work;
	u32 i = ep->rq.tail;
	int err;

	lockdep_assert_held(&ep->lock);
	if (!ep->parked_len || !ep->qp || ep->ending)
		return;
	while ((work = next_parked(ep, &i))) {
		err = post_again(ep, work);
		if (transient(ep, err))
			break;
		if (err) {
			kdapl_work_refuse(ep, work, err == -ENOTCONN ?
					  DAT_DTO_ERR_FLUSHED :
					  DAT_DTO_ERR_LOCAL_EP);
			kdapl_park_flush(ep);
			break;
		}
		work->state = KDAPL_WORK_POSTED;
		ep->parked_len--;
		ep->rq.hw++;
	}
	WRITE_ONCE(shown->hw_recv, ep->rq.hw);
}

void kdapl_park_flush(struct kdapl_ep *ep)
{
	struct kdapl_work *work;
	u32 i = ep->rq.tail;

	lockdep_assert_held(&ep->lock);
	if (!ep->parked_len)
		return;
	while ((work = next_parked(ep, &i))) {
		work->state = KDAPL_WORK_DONE;
		work->status = DAT_DTO_ERR_FLUSHED;
	}
	ep->parked_len = 0;
}

void kdapl_park_retry(struct kdapl_ep *ep)
{
	spin_lock_bh(&ep->lock);
	kdapl_unpark(ep);
	kdapl_wq_retire(ep, &ep->rq);
	if (ep->parked_len && transient(ep, -ENOTCONN))
		queue_delayed_work(kdapl_workqueue, &ep->park_work, 1);
	spin_unlock_bh(&ep->lock);
}

static void park_work(struct work_struct *work)
{
	kdapl_park_retry(container_of(to_delayed_work(work), struct kdapl_ep,
				      park_work));
}

int kdapl_park_alloc(const struct kdapl_ep *ep, const struct kdapl_wq *rq,
		     struct kdapl_parked **parked)
{
	if (!ep->obj.ia->iwarp || !rq->size)
		return 0;
	*parked = kvcalloc(rq->mask + 1, sizeof(**parked),
			   kdapl_ia_gfp(ep->obj.ia));
	return *parked ? 0 : -ENOMEM;
}

int kdapl_park_init(struct kdapl_ep *ep)
{
	INIT_DELAYED_WORK(&ep->park_work, park_work);
	return kdapl_park_alloc(ep, &ep->rq, &ep->parked);
}

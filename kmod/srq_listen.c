// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receives of an SRQ that an EP with solicited receives took.
 *
 * The device tells only of messages that were sent as solicited. The others would
 * lie in the EP's completion queue until one of those comes or the program looks,
 * which may be never; and meanwhile the SRQ, of which other EPs live, too, would
 * count them as there: nobody would fill the device's window again, or tell of a
 * watermark that was passed, or of a receive that failed. So somebody looks from
 * time to time, as long as there is something that can be taken.
 */

#include "ia.h"
#include "srq.h"

/* How long a look may be off, and how long when the last one found something. */
#define LISTEN_IDLE	max(HZ / 50, 1)
#define LISTEN_BUSY	1

static u32 listen_now(struct kdapl_srq *srq)
{
	struct kdapl_ep *ep;
	unsigned int bucket;
	u32 found = 0;

	mutex_lock(&srq->mutex);
	hash_for_each(srq->eps, bucket, ep, srq_node) {
		if (ep->srq_listened)
			found += kdapl_cq_drain(ep->recv_cq);
	}
	mutex_unlock(&srq->mutex);
	return found;
}

static void listen_work(struct work_struct *work)
{
	struct kdapl_srq *srq = container_of(to_delayed_work(work),
					     struct kdapl_srq, listen_work);
	u32 found = listen_now(srq);
	u32 hw;

	/* Who posts more after this starts it again. */
	spin_lock_bh(&srq->lock);
	hw = srq->hw;
	spin_unlock_bh(&srq->lock);
	if (!hw || !READ_ONCE(srq->listened))
		return;
	/* What was found has started it, too. */
	mod_delayed_work(kdapl_workqueue, &srq->listen_work,
			 found ? LISTEN_BUSY : LISTEN_IDLE);
}

void kdapl_srq_listen_init(struct kdapl_srq *srq)
{
	INIT_DELAYED_WORK(&srq->listen_work, listen_work);
}

/* Where the device tells of all of them (siw) there is nothing to look for. */
void kdapl_srq_listen_to(struct kdapl_srq *srq, struct kdapl_ep *ep)
{
	lockdep_assert_held(&srq->mutex);
	ep->srq_listened = ep->recv_cq && ep->recv_cq->arm == IB_CQ_SOLICITED;
	if (!ep->srq_listened)
		return;
	WRITE_ONCE(srq->listened, srq->listened + 1);
	kdapl_srq_listen(srq);
}

void kdapl_srq_listen_no_more(struct kdapl_srq *srq, struct kdapl_ep *ep)
{
	lockdep_assert_held(&srq->mutex);
	if (!ep->srq_listened)
		return;
	ep->srq_listened = false;
	WRITE_ONCE(srq->listened, srq->listened - 1);
}

void kdapl_srq_listen(struct kdapl_srq *srq)
{
	if (READ_ONCE(srq->listened))
		queue_delayed_work(kdapl_workqueue, &srq->listen_work,
				   LISTEN_IDLE);
}

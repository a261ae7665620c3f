/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SRQ: a queue of receives that many EPs take from.
 *
 * The device's queue is a window of fixed size over one in software, because
 * few devices can change the size of theirs. A receive is FREE, then pending (it
 * waits for room in the window) or with the device, then taken by the EP whose
 * message it got, and free again when that EP's event stands in its ring.
 */
#ifndef KDAPL_SRQ_H
#define KDAPL_SRQ_H

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "cq.h"
#include "ep.h"
#include "evd.h"
#include "obj.h"
#include "pz.h"
#include "region.h"

#define KDAPL_SRQ_MAX	16384		/* receives that a program can ask for */

/**
 * struct kdapl_srq_work - a slot: a receive, and what the device needs to know of it
 * @work: the receive; an EP's while that has taken it
 * @list: in free, pending, posted or passed
 * @seq: counts those that the device was given
 * @num_sge: segments
 * @sge: they
 */
struct kdapl_srq_work {
	struct kdapl_work work;
	struct list_head list;
	u64 seq;
	u32 num_sge;
	struct ib_sge sge[KDAPL_SEGS_MAX];
};

static inline struct kdapl_srq_work *to_srq_work(struct kdapl_work *work)
{
	return container_of(work, struct kdapl_srq_work, work);
}

/**
 * struct kdapl_srq - a shared receive queue
 * @obj: one user for each of its EPs
 * @pz: where its receives' memory must be
 * @async_evd: for its own events
 * @tag: the program's, for the events of its receives
 * @max_iov: segments of a receive
 * @window: receives that the device can hold
 * @mutex: serialises what makes it longer (memory is got before), and the coming and
 *	going of queue pairs
 * @cq: takes the completions of its receives, but for those of EPs with a queue of
 *	their own (solicited receives); NULL when the device is gone
 * @cg: who is charged for it
 * @chunks: all slots
 * @eps: EPs with a queue pair, by its address; read by who polls a completion
 *	queue of theirs
 * @many_cqs: there was one with a queue of its own
 * @holder: one that may have the first of @passed, or NULL: nobody knows; guarded by the
 *	mutex, as @eps is written
 * @listened: EPs whose receives are looked for; written under the mutex
 * @lock: guards all below; softirq-safe, outside the lock of an LMR for fast registration
 * @lmr_hint: of its receives
 * @ibsrq: the device's; NULL when the device is gone
 * @slots: how many slots there are
 * @free: slots that are not in use
 * @pending: receives that wait for room in the window, in order
 * @posted: receives that the device has, in order
 * @passed: likewise, but some EP has completed a later one
 * @seq: of the latest one that the device was given
 * @passed_seq: of the latest one that was completed
 * @forgets: the device may forget one: see srq_lost.c
 * @hw: receives that the device has
 * @waiting: receives on the SRQ: pending or with the device
 * @taken: mirrored to the program, as the next two are
 * @done: see struct kdapl_srq_status
 * @dropped: see struct kdapl_srq_status
 * @failed: it is in state ERROR
 * @low: the low watermark
 * @rec_low: for its event; NULL when it is not armed
 * @rec_error: for the event of the error, NULL after it
 * @listen_work: looks for receives of which the device does not tell
 * @tell_work: queues events that came due where it could not be done
 * @status: what the program sees
 */
struct kdapl_srq {
	struct kdapl_obj obj;
	struct kdapl_pz *pz;
	struct kdapl_evd *async_evd;
	u32 tag;
	u32 max_iov;
	u32 window;

	struct mutex mutex;		/* see above */
	bool gone;			/* freed; guarded by the mutex */
	struct kdapl_cq *cq;
	struct rdma_cgroup *cg;
	struct list_head chunks;
	DECLARE_HASHTABLE(eps, 6);
	bool many_cqs;
	struct kdapl_ep *holder;
	unsigned int listened;

	spinlock_t lock;		/* see above */
	struct kdapl_obj_hint lmr_hint;
	struct ib_srq *ibsrq;
	u32 slots;
	struct list_head free;
	struct list_head pending;
	struct list_head posted;
	struct list_head passed;
	u64 seq, passed_seq;
	bool forgets;
	u32 hw;
	u32 waiting;
	u32 taken, done, dropped;
	bool failed;
	u32 low;
	struct kdapl_evrec *rec_low, *rec_error;

	struct delayed_work listen_work;
	struct work_struct tell_work;
	struct kdapl_slot status;
};

static inline struct kdapl_srq *to_srq(struct kdapl_obj *obj)
{
	return container_of(obj, struct kdapl_srq, obj);
}

/* Where the completions of an EP's receives are. The EP has an SRQ. */
static inline struct kdapl_cq *kdapl_srq_cq(const struct kdapl_ep *ep)
{
	return ep->recv_cq ?: ep->srq->cq;
}

/* Doors; process context. */
int kdapl_srq_create(struct kdapl_ia *ia, struct kdapl_srq_create *arg);
int kdapl_srq_resize(struct kdapl_srq *srq, struct kdapl_srq_resize *arg);
int kdapl_srq_set_low(struct kdapl_srq *srq, u32 low);

/* The device is gone, and so are its EPs' queue pairs. */
void kdapl_srq_kill(struct kdapl_srq *srq);

/* The drainer: one entry, and, after the last of several, to the device with them. */
void kdapl_srq_take(struct kdapl_srq *srq, const struct kdapl_sqe *sqe);
void kdapl_srq_post(struct kdapl_srq *srq);

/**
 * kdapl_srq_recv() - post a receive for a consumer in the kernel
 * @srq: of a kernel consumer's IA
 * @sqe: as a program fills an entry of the submission ring
 *
 * Any context up to softirq. -EBADFD: the SRQ has failed. -ENOBUFS: it is full.
 * -EACCES: a segment is not in an LMR of the SRQ's zone with the privilege.
 * -EINVAL: else it is no receive that the SRQ takes.
 */
int kdapl_srq_recv(struct kdapl_srq *srq, const struct kdapl_sqe *sqe);

/*
 * An EP's queue pair can take receives from now on. Its EP is found by it. Both
 * under srq->mutex.
 */
void kdapl_srq_attach(struct kdapl_srq *srq, struct kdapl_ep *ep);
/* It takes none any more: it is destroyed. */
void kdapl_srq_detach(struct kdapl_srq *srq, struct kdapl_ep *ep);

/* The device has it no more. Any context up to softirq. */
void kdapl_srq_taken(struct kdapl_srq *srq, struct kdapl_srq_work *slot);

/* A completion of the device for a receive of an SRQ. Any context up to softirq. */
void kdapl_srq_complete(const struct ib_wc *wc);

/* Its event stands in a ring, or (@dropped) there is none. Any context up to softirq. */
void kdapl_srq_give_back(struct kdapl_work *work, bool dropped);

/* The events of @ep's receives that wait for room are not wanted any more. */
void kdapl_srq_cancel(struct kdapl_ep *ep);

/* ep->srq_seen of an EP whose queue pair can have none that is not completed. */
#define KDAPL_SRQ_TAKES_NONE	U64_MAX

/*
 * srq_lost.c. The device was given the first of those that wait: caller holds the
 * lock. It completed one that it still has: the lock is taken. Any context up to
 * softirq.
 */
void kdapl_srq_posted(struct kdapl_srq *srq, struct kdapl_srq_work *slot);
void kdapl_srq_completed(struct kdapl_srq *srq, struct kdapl_srq_work *slot);
/* The EP's queue pair will take receives; it does not yet. */
void kdapl_srq_begin(struct kdapl_ep *ep);
/*
 * The EP is ending: those that no queue pair will complete any more come back as
 * flushed, to it. Process context.
 */
void kdapl_srq_reclaim(struct kdapl_srq *srq, struct kdapl_ep *ep);

/*
 * srq_listen.c. An EP with solicited receives comes and goes, both under
 * srq->mutex; and the device has receives that such an EP may take: any context up
 * to softirq.
 */
void kdapl_srq_listen_init(struct kdapl_srq *srq);
void kdapl_srq_listen_to(struct kdapl_srq *srq, struct kdapl_ep *ep);
void kdapl_srq_listen_no_more(struct kdapl_srq *srq, struct kdapl_ep *ep);
void kdapl_srq_listen(struct kdapl_srq *srq);

#endif /* KDAPL_SRQ_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues of the device, private to an IA and shared by its EPs.
 *
 * An EP reserves as many entries as it can have work outstanding, so a
 * completion queue never overruns. The device's handler mostly only schedules; the
 * completions are taken in softirq context, where they become events, or by a
 * program that polls, or by the work of an EVD, for whose EPs there are queues of its own.
 */
#ifndef KDAPL_CQ_H
#define KDAPL_CQ_H

#include <linux/list.h>
#include <linux/irq_poll.h>
#include <linux/irq_work.h>
#include <rdma/ib_verbs.h>

#include "evd.h"

struct kdapl_ia;
struct rdma_cgroup;

/**
 * struct kdapl_cq - one completion queue
 * @list: in the IA's list, whose first ones are polled, or one of an EVD's; guarded by
 *	the IA's cq_lock
 * @ia: whose it is
 * @ibcq: the device's
 * @iop: the softirq that polls it
 * @raise: raises that softirq where a handler of process context cannot
 * @cg: who is charged for it
 * @size: entries
 * @used: entries reserved
 * @solicited: not shared, but of an EP whose solicited receives this EVD notifies of
 * @evd: shared only by EPs whose completions this EVD's work takes, or NULL
 * @work_list: then, in the IA's list of such; guarded likewise
 * @arm: which completions the handler is called for
 * @told_by_tasklet: the handler may take completions itself
 * @busy: a doorbell polls it and will arm it, so its handler has nothing to do
 * @order: held from the device's queue to the events, so that the receives of an EP
 *	with an SRQ, which have no other order, stay in that of their messages
 * @over: guarded by it: an event that a consumer in the kernel takes at once
 * @wc: likewise: what the device's queue gave
 */
struct kdapl_cq {
	struct list_head list;
	struct kdapl_ia *ia;
	struct ib_cq *ibcq;
	struct irq_poll iop;
	struct irq_work raise;
	struct rdma_cgroup *cg;
	u32 size;
	u32 used;
	struct kdapl_evd *solicited;
	struct kdapl_evd *evd;
	struct list_head work_list;
	enum ib_cq_notify_flags arm;
	bool told_by_tasklet;
	bool busy;
	spinlock_t order;	/* see above */
	struct kdapl_handover over;
	struct ib_wc wc[16];
};

/*
 * @evd: all completions are for its work; NULL: the queue is one of those that the IA's
 * other EPs share. Process context. ERR_PTR(-ENOMEM), ERR_PTR(-ENOSPC).
 */
struct kdapl_cq *kdapl_cq_reserve(struct kdapl_ia *ia, struct kdapl_evd *evd,
				  u32 entries);
void kdapl_cq_unreserve(struct kdapl_cq *cq, u32 entries);

/**
 * kdapl_cq_solicited() - a queue of its own for an EP's solicited receives
 * @evd: where they go; the device tells of solicited ones only, and the rest is
 *	taken along then, or when somebody asks
 * @entries: how many
 *
 * Process context. Given back by kdapl_cq_unreserve(). ERR_PTR(-ENOMEM),
 * ERR_PTR(-ENOSPC).
 */
struct kdapl_cq *kdapl_cq_solicited(struct kdapl_evd *evd, u32 entries);
/*
 * The EP ends: what is flushed is not solicited. There is no way back, since
 * devices forget no wish for more: a new connection takes a new queue. Process
 * context.
 */
void kdapl_cq_hear_all(struct kdapl_cq *cq);
/* What has come for @evd becomes events. Process context. */
void kdapl_cq_ask(struct kdapl_evd *evd);

/*
 * All that was completed before the call has become events; how many were found.
 * Process context.
 */
u32 kdapl_cq_drain(struct kdapl_cq *cq);

/*
 * What the queues of @evd's own have becomes events. False: there was nothing, and their
 * handlers will be called. Up to softirq.
 */
bool kdapl_cq_fetch(struct kdapl_evd *evd);

/*
 * For who waits until something is completed. Where the IA has queues that wait for works,
 * one of these may be the caller, which takes nothing meanwhile: so it waits no longer at a
 * time than the first says (jiffies), and has them all taken between by the second. Process
 * context.
 */
long kdapl_cq_patience(struct kdapl_ia *ia);
void kdapl_cq_attend(struct kdapl_ia *ia);

/* Who polls for an event of @evd (which may be NULL) polls @cq above all. */
void kdapl_cq_feeds(const struct kdapl_cq *cq, struct kdapl_evd *evd);

/**
 * kdapl_cq_busy_poll() - a doorbell, then poll some of the IA's queues for an event
 * @ia: the IA
 * @id: the EVD that is to have an event
 *
 * Process context. Does not sleep once it polls.
 *
 * Return: what became of the poll; the ring was looked into anyway.
 * 0 when the EVD has an event. -ETIME when it has none although it was polled as
 * long as the administrator wants. -EAGAIN when that says nothing of the program:
 * somebody else polls, or changes the queues, or the administrator does not want it,
 * a signal is there, the processor is wanted. -ENOENT: there is no such EVD.
 */
int kdapl_cq_busy_poll(struct kdapl_ia *ia, u32 id);

/*
 * A doorbell: on return all that stood in the ring at the call is taken. Takes what has
 * completed by then where that is likely and pays, unless the administrator wants no
 * polling. Process context.
 */
void kdapl_cq_doorbell(struct kdapl_ia *ia);

#endif /* KDAPL_CQ_H */

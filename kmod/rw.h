/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMA of a consumer in the kernel straight from or to a scatterlist, through the
 * kernel's rdma_rw; or, where the device has no key for all memory, by copies (bounce.h).
 *
 * One operation is as many requests as the device needs for it, each in a slot of the
 * EP's request queue. What is to follow is posted with them, in the same call of the
 * driver. Of all these the device reports the last, and some of the operation's where they
 * are many, or each over iWARP. One event tells of the operation.
 */
#ifndef KDAPL_RW_H
#define KDAPL_RW_H

#include <linux/dma-direction.h>
#include <linux/scatterlist.h>

struct kdapl_ep;
struct kdapl_event;
struct kdapl_work;

/**
 * struct kdapl_rw_post - an operation
 * @sgl: local memory, not mapped
 * @nents: its entries
 * @offset: bytes of the list that come before what is moved
 * @dir: DMA_FROM_DEVICE reads, DMA_TO_DEVICE writes
 * @remote_addr: the peer's memory
 * @rkey: its key
 * @length: its bytes, not 0; @sgl may have more
 * @cookie: for the completion event
 * @flags: KDAPL_SQE_SUPPRESS, KDAPL_SQE_QUIET, as of every operation
 * @num: operations that follow it
 * @follow: adds these by kdapl_post_add(), or fails as that does; called with the
 *	EP's lock held, and not where there are none
 * @ops: for @follow
 */
struct kdapl_rw_post {
	struct scatterlist *sgl;
	unsigned int nents;
	size_t offset;
	enum dma_data_direction dir;
	u64 remote_addr;
	u32 rkey;
	u32 length;
	u64 cookie;
	u32 flags;
	unsigned int num;
	int (*follow)(struct kdapl_ep *ep, const struct kdapl_rw_post *post);
	const void *ops;
};

/**
 * kdapl_rw() - post an operation and what follows it
 * @ep: of a kernel consumer
 * @post: what; not needed any more afterwards, nor is its list
 *
 * All of it is posted, or nothing. Where the connection is over it is flushed, and
 * takes one slot. Process context.
 *
 * Return: 0. -EBADFD: the state forbids it. -ENOSPC: others have to complete first.
 * -EMSGSIZE: the list is too short, or all of it takes more requests than the EP has room
 * for even when there are no others. -EOPNOTSUPP: the EP cannot read, or the device cannot
 * register what bounce.h is about. -ENOMEM. -EINTR: a fatal signal. What @post->follow
 * says. -EINVAL, or what the device's mapping says: all else.
 */
int kdapl_rw(struct kdapl_ep *ep, const struct kdapl_rw_post *post);

/**
 * kdapl_rw_retire() - a slot is next in line and finished
 * @work: the slot; caller holds its EP's lock
 * @event: the event for it; without a type afterwards where there is none
 */
void kdapl_rw_retire(struct kdapl_work *work, struct kdapl_event *event);

/*
 * The queue pair goes, and its MRs with it, although it never gave back all that it
 * has. Before it is destroyed.
 */
void kdapl_rw_abandon(struct kdapl_ep *ep);

#endif /* KDAPL_RW_H */

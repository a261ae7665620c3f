/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The submission ring of an IA: entries that the program wrote become work on
 * the device. The rules of the ring and its barriers stand in the uapi header.
 */
#ifndef KDAPL_SQ_H
#define KDAPL_SQ_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "obj.h"
#include "region.h"

#define KDAPL_SQ_DEFAULT	1024
#define KDAPL_SQ_MAX		32768
#define KDAPL_SQ_CHAIN		16

struct kdapl_ia;

/* A request of the ring, as one of the device. */
union kdapl_send {
	struct ib_send_wr wr;	/* which the others begin with */
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
};

/* One posting call's worth of work, all for one EP and one direction. */
struct kdapl_chain {
	struct kdapl_sqe sqe;	/* the one copy of the entry at hand */
	unsigned int num_sge;	/* of its segments, those with a byte in them */
	bool is_inline;		/* the request carries its bytes itself */
	unsigned int len;
	union {
		union kdapl_send send[KDAPL_SQ_CHAIN];
		struct ib_recv_wr recv[KDAPL_SQ_CHAIN];
	};
	struct ib_sge sge[KDAPL_SQ_CHAIN][KDAPL_SEGS_MAX];
};

static inline bool is_recv(const struct kdapl_sqe *sqe)
{
	return sqe->op == KDAPL_OP_RECV;
}

static inline bool is_rdma(const struct kdapl_sqe *sqe)
{
	return sqe->op == KDAPL_OP_RDMA_WRITE || sqe->op == KDAPL_OP_RDMA_READ;
}

/* Of an atomic operation, those with its operands included. */
#define KDAPL_ATOMIC_SEGS	3

static inline bool op_is_atomic(u8 op)
{
	return op == KDAPL_OP_CMP_SWAP || op == KDAPL_OP_FETCH_ADD;
}

/* It takes a receive of the peer's. */
static inline bool op_is_message(u8 op)
{
	return op == KDAPL_OP_SEND || op == KDAPL_OP_SEND_INV ||
	       op == KDAPL_OP_WRITE_IMM;
}

struct kdapl_sq {
	struct kdapl_ia *ia;
	spinlock_t lock;	/* one drainer at a time; outside an EP's lock */
	bool again;		/* another one wanted to drain meanwhile */
	struct kdapl_region *region;
	struct kdapl_sq_ring *ring;
	struct kdapl_sqe *entries;
	struct kdapl_slot status;
	u32 head;		/* the module's own copy */
	u32 mask;
	struct kdapl_obj_hint hint;
	bool loaded;		/* chain->sqe is the entry at head, or a late one */
	u32 num_late;		/* entries that head has passed and nobody has posted */
	u32 late_due;		/* so many of them, the last ones, are next */
	bool need_wakeup;	/* the module's own copy of the flag */
	bool recvs_low;		/* some EP or SRQ has not plenty with the device */
	u32 large;		/* so many times in a row, the last request posted was large */
	u32 drains;		/* calls that will settle the ring */
	bool stopped;		/* nothing is taken any more */
	atomic_t inflight;	/* requests that the device works on */
	u32 unread;		/* events in the EVD of the last request, 0 while off */
	u32 unread_off;		/* so many drains more unread is not looked at */
	u32 lone;		/* single entries that the timer found since the last batch */
	struct hrtimer timer;
	struct work_struct work;
	struct kdapl_chain *chain;
	struct kdapl_sqe *late;	/* copies of them */
};

/*
 * An IA of a kernel consumer has no ring: its sq is all zero, and for such a one
 * everything below but kdapl_sq_init() does nothing.
 */
int kdapl_sq_init(struct kdapl_sq *sq, struct kdapl_ia *ia, u32 entries);
void kdapl_sq_destroy(struct kdapl_sq *sq);

/* Any context up to softirq: take what is there, up to a budget; the rest goes to a worker. */
void kdapl_sq_kick(struct kdapl_sq *sq);

/* Process context: on return all that stood in the ring at the call is taken. */
void kdapl_sq_drain(struct kdapl_sq *sq);

/* Wait until no drainer uses an object that was taken out of the table. */
void kdapl_sq_sync(struct kdapl_sq *sq);

/* From now on entries stay where they are. */
void kdapl_sq_stop(struct kdapl_sq *sq);

/* Receives with the device that are plenty: twice what a program keeps there. */
#define KDAPL_SQ_PLENTY	32

/*
 * A receive has completed, and as many are left. Any context; the ring is kicked
 * afterwards.
 */
static inline void kdapl_sq_recvs_left(struct kdapl_sq *sq, u32 left)
{
	if (left < KDAPL_SQ_PLENTY)
		/* After hw_recv, which the caller has lowered: pairs with sq_run(). */
		smp_store_release(&sq->recvs_low, true);
}

/* So many more requests are with the device, or fewer. Any context. */
static inline void kdapl_sq_count(struct kdapl_sq *sq, int n)
{
	if (sq->ring)
		atomic_add(n, &sq->inflight);
}

/*
 * The program's doorbell, counted: kdapl_sq_drain(); and one for who may not sleep, and
 * leaves what is more than a budget to a worker.
 */
void kdapl_sq_doorbell(struct kdapl_sq *sq);
void kdapl_sq_doorbell_atomic(struct kdapl_sq *sq);

/* Far less than a budget stands in the ring. Any context. */
bool kdapl_sq_has_few(const struct kdapl_sq *sq);

/* Since the module was loaded: entries taken, doorbells. */
void kdapl_sq_counters(u64 *posts, u64 *doorbells);

#endif /* KDAPL_SQ_H */

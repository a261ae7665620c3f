/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * EP: one end of a connection; the queue pair behind it and its state.
 *
 * Life of a connection: connect or accept (ep_conn.c, cm.c) -> kdapl_ep_established()
 * -> ... -> kdapl_ep_end(), whoever calls it first: the consumer, the peer, an
 * error, a timer. The end is one work item (ep_end.c): it takes what stands in the
 * ring, lets the device tell the peer of a failed receive, disconnects, moves the
 * queue pair to error, waits until every outstanding operation came back, and only
 * then stores DISCONNECTED and queues the event that the end was begun with.
 */
#ifndef KDAPL_EP_H
#define KDAPL_EP_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "cm.h"
#include "cq.h"
#include "ep_state.h"
#include "evd.h"
#include "obj.h"
#include "pz.h"
#include "region.h"

struct kdapl_bind;
struct kdapl_chain;
struct kdapl_ep;
struct kdapl_lmr;
struct kdapl_parked;
struct kdapl_rw;
struct kdapl_srq;

/* Slots that no operation of the ring took: a bind. */
#define KDAPL_WORK_BIND		0xff
/*
 * Fast registration: an LMR is tied to memory, and untied; and what comes before
 * the first on devices that would do it twice otherwise.
 */
#define KDAPL_WORK_FMR		0xfd
#define KDAPL_WORK_LMR_INV	0xfc
#define KDAPL_WORK_FMR_FIRST	0xfb

/*
 * The status of a completion that a consumer in the kernel takes has its operation
 * besides, enum dat_dtos. A program's has it where it asked: KDAPL_IA_TELL_OP.
 */
#define KDAPL_DTO_STATUS(word)		((word) & 0xff)
#define KDAPL_DTO_OPERATION(word)	((word) >> KDAPL_EV_OP_SHIFT & 0xff)
#define KDAPL_DTO_WORD(status, op)	((status) | (op) << KDAPL_EV_OP_SHIFT)

/*
 * Its words have 32 bits. Above the EP's is what the message of a receive made invalid:
 * DAT_DTO_RECEIVE_WITH_INVALIDATE.
 */
#define KDAPL_DTO_USER(word)		lower_32_bits(word)
#define KDAPL_DTO_KEY(word)		upper_32_bits(word)
#define KDAPL_DTO_USER_WORD(user, key)	(lower_32_bits(user) | (u64)(key) << 32)

/* What came with the message of a receive, besides its bytes. */
enum kdapl_brought {
	KDAPL_BROUGHT_NOTHING,
	KDAPL_BROUGHT_INVALIDATION,	/* of a key */
	KDAPL_BROUGHT_IMM,		/* immediate data */
	KDAPL_BROUGHT_WRITE_IMM,	/* likewise; the message is an RDMA write */
};

enum kdapl_work_state {
	KDAPL_WORK_POSTED,	/* the device has it */
	KDAPL_WORK_SILENT,	/* likewise, but tells only of its failure: rw.c */
	KDAPL_WORK_PARKED,	/* the device does not take it yet: park.c */
	KDAPL_WORK_DONE,	/* finished, or refused by the module */
};

/* One operation that a program posted: a slot of a work queue. */
struct kdapl_work {
	struct kdapl_evrec rec;
	struct kdapl_ep *ep;	/* of a receive on an SRQ: who took it */
	struct kdapl_srq *srq;	/* whose slot it is, else NULL */
	struct kdapl_bind *bind;	/* whose slot it is, or NULL: rmr_bind.c */
	struct kdapl_lmr *lmr;	/* which it ties or unties, or NULL: fmr.c */
	struct kdapl_rw *rw;	/* of which it is one request, or NULL: rw.c */
	u64 cookie;
	u32 length;
	u32 value;		/* that its message brought */
	u8 op;			/* enum kdapl_op, or KDAPL_WORK_* */
	u8 state;
	u8 status;		/* enum kdapl_dto_status */
	bool suppress;
	bool quiet;		/* its event is no notification, unless it failed */
	u8 brought;		/* enum kdapl_brought */
};

/*
 * Slots in posting order: head is filled next, tail completes next. A slot is
 * free again when its event stands in the ring, or is on its way to the consumer.
 */
struct kdapl_wq {
	struct kdapl_work *work;
	u32 size;		/* slots that may be in use at once */
	u32 mask;
	u32 head;
	u32 tail;
	u32 done;		/* slots given back; mirrored to the program */
	u32 hw;			/* held by the device */
	struct kdapl_obj_hint lmr_hint;	/* of its segments */
};

struct kdapl_ep {
	struct kdapl_obj obj;
	struct kdapl_pz *pz;
	struct kdapl_evd *recv_evd, *request_evd, *connect_evd;
	u16 recv_notify, request_notify;	/* enum kdapl_notify */
	bool joined;		/* its EVDs count it among their streams */
	struct kdapl_srq *srq;	/* where its receives come from, or NULL */

	struct mutex mutex;	/* serialises the control calls of this EP */
	bool lent;		/* guarded by it: made for a request, not accepted yet */

	spinlock_t lock;	/* all below; softirq-safe, outside EVD locks */
	enum kdapl_ep_state state;
	enum kdapl_ep_state begun_in;	/* state before this attempt */
	bool ending;		/* kdapl_ep_end() was called */
	bool peer_left;		/* that is why, unless something failed here */
	bool graceful;		/* requests may finish first */
	bool unanswered;	/* the peer may not have had our acceptance yet */
	bool end_started;	/* end_work is queued, or ran */
	bool held;		/* completed receives wait for ESTABLISHED */
	bool told;		/* a consumer in the kernel has taken ESTABLISHED */
	bool refused;		/* an entry was refused: the rest is flushed */
	bool recv_failed;	/* the device moves the queue pair to error */
	bool gone;		/* freed, or its device is gone */
	bool closed;		/* freed: nobody posts any more */
	u32 end_event;
	struct kdapl_wq rq, sq;
	struct kdapl_parked *parked;	/* for each slot of rq; iWARP only */
	u32 parked_len;
	struct kdapl_chain *chain;	/* of kernel consumers' posts, else NULL */
	u32 chain_start;	/* its first slot */
	struct kdapl_rw *rw_spare;	/* of a transfer that is over, or NULL: rw.c */
	struct list_head bounces;	/* memory for transfers: bounce.h */
	unsigned int num_bounces;
	struct list_head taken;	/* from the SRQ, completed, not yet due */
	u32 srq_taken;		/* receives taken from it, mirrored to the program */
	bool last_wqe;		/* the device takes no more from it */
	bool qp_down;		/* the queue pair was sent to error from here */
	bool qp_met;		/* it may have heard of its peer */
	u32 soft_mark, hard_mark;
	struct kdapl_evrec *rec_soft;	/* NULL: not armed */
	struct kdapl_evd *async_evd;	/* for the soft mark; guarded by the mutex */
	struct ib_qp *qp;	/* NULL also while there is no PZ */
	struct rdma_cgroup *cg;	/* who is charged for it */

	struct hlist_node srq_node;	/* in its SRQ, guarded by the SRQ's mutex */
	struct ib_qp *srq_qp;		/* by which it is found there */
	bool srq_listened;		/* srq_listen.c looks for its receives */
	u64 srq_seen;			/* the latest receive it completed, see srq_lost.c */

	struct kdapl_slot status;	/* struct kdapl_ep_status */
	struct kdapl_cq *cq;
	struct kdapl_cq *recv_cq;	/* of solicited receives, else NULL */
	u32 cq_reserved;
	struct ib_qp_cap cap;
	u32 max_recv_iov, max_request_iov;
	u32 rdma_read_in, rdma_read_out;	/* as set, then as negotiated */
	u32 rdma_read_in_attr, rdma_read_out_attr;	/* as set */
	bool rdma_read_fixed;

	wait_queue_head_t idle;		/* queues became empty; the end is over */
	struct work_struct end_work;
	struct delayed_work acks_work;	/* the peer has left: no more of them come */
	struct work_struct break_work;	/* the device reports an error */
	struct work_struct notify_work;	/* data came before the RTU */
	struct delayed_work park_work;	/* receives are parked */
	struct kdapl_evrec *rec_outcome, *rec_end;
	struct kdapl_cm cm;
};

static inline struct kdapl_ep *to_ep(struct kdapl_obj *obj)
{
	return container_of(obj, struct kdapl_ep, obj);
}

extern const struct kdapl_obj_ops kdapl_ep_ops;

/* Doors; process context. */
int kdapl_ep_create(struct kdapl_ia *ia, struct kdapl_ep_create *arg);
int kdapl_ep_query(struct kdapl_ep *ep, struct kdapl_ep_query *arg);
int kdapl_ep_connect(struct kdapl_ep *ep, const struct kdapl_ep_connect *arg);
int kdapl_ep_disconnect(struct kdapl_ep *ep, u32 close_flags);
int kdapl_ep_reset(struct kdapl_ep *ep);
/*
 * All that was posted has completed, and its events are queued; where the device gives
 * nothing back the queue pair is destroyed for it. -EBADFD where it does not come to that:
 * the connection does not end. -EINTR: a fatal signal. Process context, without hw_lock.
 */
int kdapl_ep_drain(struct kdapl_ep *ep);
int kdapl_ep_set_marks(struct kdapl_ep *ep, const struct kdapl_ep_set_marks *arg);

/* ep_marks.c: the EP may hold more receives than before. Caller holds ep->lock. */
void kdapl_ep_mark_check(struct kdapl_ep *ep);
static inline void kdapl_ep_check_marks(struct kdapl_ep *ep)
{
	if (unlikely(ep->soft_mark != KDAPL_MARK_INFINITE ||
		     ep->hard_mark != KDAPL_MARK_INFINITE))
		kdapl_ep_mark_check(ep);
}

/* Receives that it has, or took from its SRQ, whose events are in no ring yet. */
u32 kdapl_ep_held(const struct kdapl_ep *ep);
/* -EBADFD in a state that forbids it, -EBUSY when work is outstanding. */
int kdapl_ep_modify(struct kdapl_ep *ep, const struct kdapl_ep_modify *arg);

/* The device is gone: everything of hardware goes, the EP becomes DISCONNECTED. */
void kdapl_ep_kill(struct kdapl_ep *ep);

/*
 * Another thread may have freed it since it was looked up (-ENOENT), or its device has
 * gone (-ENODEV). Caller holds the mutex.
 */
static inline int kdapl_ep_here(const struct kdapl_ep *ep)
{
	if (likely(!ep->gone))
		return 0;
	return refcount_read(&ep->obj.users) ? -ENODEV : -ENOENT;
}

/* ---- ep_conn.c: from one connection to the next ------------------------- */

/**
 * kdapl_ep_begin() - an attempt to connect or accept starts
 * @ep: the EP; caller holds its mutex
 * @state: ACTIVE_PENDING or COMPLETION_PENDING
 *
 * Prepares the event records, moves UNCONNECTED (or, to COMPLETION_PENDING, the
 * state in which it belongs to a request) to @state. -EBADFD in another state,
 * -ENOMEM.
 */
int kdapl_ep_begin(struct kdapl_ep *ep, enum kdapl_ep_state state);

/* The attempt failed before anything left the machine: back to what it was. */
void kdapl_ep_cancel(struct kdapl_ep *ep);

/**
 * kdapl_ep_move() - a step between a service point and its EP
 * @ep: the EP; UNCONNECTED is left only with its mutex held
 * @trigger: what happens to it
 *
 * Any context up to softirq. -EBADFD where the state forbids it.
 */
int kdapl_ep_move(struct kdapl_ep *ep, enum kdapl_ep_trigger trigger);
/* The same for who holds ep->lock. */
int kdapl_ep_move_locked(struct kdapl_ep *ep, enum kdapl_ep_trigger trigger);

/**
 * kdapl_ep_announce() - queue a connection event
 * @ep: the EP; caller holds its lock
 * @rec: one of its two records, which is used up
 * @type: of the event; 0 for none
 * @length: bytes of private data that came with it
 */
void kdapl_ep_announce(struct kdapl_ep *ep, struct kdapl_evrec **rec,
		       u32 type, u32 length);

/**
 * kdapl_ep_established() - the queue pair is ready to send
 * @ep: in ACTIVE_PENDING or COMPLETION_PENDING, else nothing happens
 * @private_data_size: bytes of private data that the event announces
 *
 * Stores CONNECTED, posts what is parked, then queues ESTABLISHED, then the
 * receives that completed early. A receive that is refused for good ends the EP
 * before ESTABLISHED is queued, but that is told after it. Process context or
 * softirq.
 */
void kdapl_ep_established(struct kdapl_ep *ep, u32 private_data_size);

/* ---- ep_end.c: the end --------------------------------------------------- */

/**
 * kdapl_ep_end() - begin the end of a connection or of an attempt
 * @ep: in any state; nothing happens where there is nothing to end
 * @event: connection event to queue when all is flushed, 0 for none; the first
 *	call wins, but BROKEN over kdapl_ep_left_locked()
 * @graceful: let outstanding requests finish; a later call without it cuts
 *	this short
 *
 * Any context up to softirq; the work is done by a work item.
 */
void kdapl_ep_end(struct kdapl_ep *ep, u32 event, bool graceful);
/* The same for who holds ep->lock. */
void kdapl_ep_end_locked(struct kdapl_ep *ep, u32 event, bool graceful);

/**
 * kdapl_ep_left_locked() - the peer has ended the connection
 * @ep: the EP; caller holds its lock
 *
 * DISCONNECTED, or BROKEN when by the end of the end something has turned out to
 * have failed here: an operation, or what the device says of the queue pair. Requests
 * have a tenth of a second to finish where kdapl_driver_acks_late().
 */
void kdapl_ep_left_locked(struct kdapl_ep *ep);

/**
 * kdapl_ep_answered_locked() - the peer has had our acceptance, or never will
 * @ep: the EP; caller holds its lock
 *
 * An end that has waited for this goes on. Nothing where none was sent.
 */
void kdapl_ep_answered_locked(struct kdapl_ep *ep);

/**
 * kdapl_ep_end_wait() - the end is over
 * @ep: one that ends, not gracefully; caller holds its mutex
 *
 * Process context. Waits a second at most for the peer, see
 * kdapl_ep_answered_locked(), and as long as the device takes to flush.
 */
void kdapl_ep_end_wait(struct kdapl_ep *ep);

/* Requests finished, ep->lock is held: a graceful end may go on. */
void kdapl_ep_end_go_on(struct kdapl_ep *ep);
static inline void kdapl_ep_end_start(struct kdapl_ep *ep)
{
	if (unlikely(ep->ending))
		kdapl_ep_end_go_on(ep);
}

/* What a new EP has for its end: the work items. */
void kdapl_ep_init_end(struct kdapl_ep *ep);

/* ---- ep_qp.c: what an EP has of the device ------------------------------- */

/* What a new EP has for what the device says of its queue pair: work items. */
void kdapl_ep_init_events(struct kdapl_ep *ep);
/* Create or destroy the queue pair, in state INIT. Caller holds the mutex. */
int kdapl_ep_make_qp(struct kdapl_ep *ep);
void kdapl_ep_drop_qp(struct kdapl_ep *ep);

/* What is known of another one is forgotten. Caller holds ep->lock. */
void kdapl_ep_qp_is_new(struct kdapl_ep *ep);

/**
 * kdapl_ep_qp_error() - the device shall give back what it holds
 * @ep: the EP
 * @qp: its queue pair, or that was its
 *
 * Process context. ep->idle is woken when all is back.
 *
 * Return: 0, or what the driver said: then nothing comes back.
 */
int kdapl_ep_qp_error(struct kdapl_ep *ep, struct ib_qp *qp);

/**
 * kdapl_ep_qp_flush() - the same, and wait for it
 * @ep: the EP
 * @qp: its queue pair, or that was its
 *
 * Process context. Ten seconds at most; then something may still be out.
 */
void kdapl_ep_qp_flush(struct kdapl_ep *ep, struct ib_qp *qp);

/**
 * kdapl_ep_make_recv_cq() - the completion queue of solicited receives
 * @ep: one without; caller holds its mutex, or is making it
 *
 * Return: 0, also where it needs none; else as kdapl_cq_solicited() fails.
 */
int kdapl_ep_make_recv_cq(struct kdapl_ep *ep);
/* Give it back, if there is one; or everything that the EP has of such queues. */
void kdapl_ep_drop_recv_cq(struct kdapl_ep *ep);
void kdapl_ep_drop_cqs(struct kdapl_ep *ep);
/* The EVD whose work takes all completions of the EP when it has these; NULL: none. */
static inline struct kdapl_evd *
kdapl_ep_work_evd(const struct kdapl_ep *ep, struct kdapl_evd *recv_evd,
		  struct kdapl_evd *request_evd)
{
	if (ep->srq || recv_evd != request_evd || !request_evd ||
	    !request_evd->work)
		return NULL;
	return request_evd;
}

/* For solicited receives that go to @evd; see kdapl_cq_solicited(). */
struct kdapl_cq *kdapl_ep_solicited_cq(const struct kdapl_ep *ep,
				       struct kdapl_evd *evd,
				       const struct ib_qp_cap *cap);
/* In state INIT, charged to @cg; not yet the EP's. @cap: also how much it takes inline. */
struct ib_qp *kdapl_ep_create_qp(struct kdapl_ep *ep, struct kdapl_pz *pz,
				 struct kdapl_cq *cq, struct kdapl_cq *recv_cq,
				 struct ib_qp_cap *cap,
				 struct rdma_cgroup **cg);

/* ---- ep_use.c: other objects --------------------------------------------- */

/**
 * kdapl_ep_use() - a new EP uses what it is to be made with
 * @ep: the EP
 * @arg: names its zone, its EVDs and its SRQ
 *
 * Return: 0; -ENOENT: there is no such object; -EINVAL: an EVD is not for these
 * events; -EPERM: the SRQ is of another zone; or as kdapl_evd_join() fails. Whatever
 * it is, kdapl_ep_unuse() undoes what was done.
 */
int kdapl_ep_use(struct kdapl_ep *ep, const struct kdapl_ep_create *arg);
/* The EVD for its marks as well. */
void kdapl_ep_unuse(struct kdapl_ep *ep);

/* Sets @evd where there is one, also when it then fails: it is not for @stream. */
int kdapl_ep_use_evd(struct kdapl_ia *ia, u32 id, u32 stream,
		     struct kdapl_evd **evd);
/*
 * Its completion streams will use other EVDs, or the same ones otherwise: see
 * kdapl_evd_join(). The EP is as it was when it fails.
 */
int kdapl_ep_rejoin(struct kdapl_ep *ep, struct kdapl_evd *recv,
		    u32 recv_notify, struct kdapl_evd *request,
		    u32 request_notify);

/* ---- ep_attr.c: attributes, for who makes or changes an EP -------------- */

/* -EINVAL or -ENOSPC. */
int kdapl_ep_check(struct kdapl_ia *ia, const struct kdapl_ep_create *arg);
void kdapl_ep_cap(const struct kdapl_ep_create *arg, struct ib_qp_cap *cap);
/* Numbers of segments and of RDMA reads. */
void kdapl_ep_set_limits(struct kdapl_ep *ep,
			 const struct kdapl_ep_create *arg);

/* Slots for a work queue of @ep; ep.c frees them. -ENOMEM. */
int kdapl_wq_init(struct kdapl_wq *wq, struct kdapl_ep *ep, u32 size);

/* post.c: entries to work; the caller is the drainer and holds ep->lock. */
void kdapl_ep_take(struct kdapl_ep *ep, struct kdapl_chain *chain);
void kdapl_ep_flush_chain(struct kdapl_ep *ep, struct kdapl_chain *chain,
			  bool recv);

/* What the calls below need, in an EP of a kernel consumer. */
int kdapl_post_init(struct kdapl_ep *ep);

/**
 * kdapl_post_begin() - begin to post for a consumer in the kernel
 * @ep: of a kernel consumer's IA; locked until kdapl_post_end()
 * @recv: receives will be posted, else requests
 *
 * Any context up to softirq.
 *
 * Return: where each operation is to be filled in, as a program fills an entry of
 * the submission ring, for kdapl_post_add().
 */
struct kdapl_sqe *kdapl_post_begin(struct kdapl_ep *ep, bool recv)
	__acquires(&ep->lock);

/**
 * kdapl_post_add() - add an operation, up to KDAPL_SQ_CHAIN of them
 * @ep: between kdapl_post_begin() and kdapl_post_end()
 *
 * Where the connection is over it is flushed, whatever it is: that is no error.
 *
 * Return: 0, or what is wrong with it, and then it was not added. -EBADFD: the
 * state forbids it. -ENOBUFS: too much is outstanding. -EACCES: a segment is not in
 * an LMR of the zone with the privilege. -EMSGSIZE: too many segments, too long.
 * -EINVAL: all else.
 */
int kdapl_post_add(struct kdapl_ep *ep);

/**
 * kdapl_post_end() - hand over what was added
 * @ep: unlocked now
 * @recv: as it was begun
 * @commit: false: nothing of it is posted
 */
void kdapl_post_end(struct kdapl_ep *ep, bool recv, bool commit)
	__releases(&ep->lock);

/**
 * kdapl_post_message() - post a send or a receive, alone
 * @ep: behind kdapl_post_begin(), with the entry filled in; unlocked now
 * @recv: as it was begun: it is a receive
 *
 * kdapl_post_add() and kdapl_post_end() in one. Return: as of kdapl_post_add().
 */
int kdapl_post_message(struct kdapl_ep *ep, bool recv)
	__releases(&ep->lock);

/** kdapl_ep_max_iov() - how many segments an operation @op of it may have */
u32 kdapl_ep_max_iov(const struct kdapl_ep *ep, u8 op);

/*
 * Work on MRs, for rmr_bind.c, fmr.c and rw.c, which make the requests themselves.
 * The caller holds ep->lock throughout, and ends with kdapl_wq_retire() and
 * kdapl_ep_end_start(), or, between kdapl_post_begin() and it, kdapl_post_end().
 *
 * kdapl_post_admit(): @slots of the request queue are free, for work on memory of @pz.
 * 1 when it would be flushed, 0 when not; -EBADFD: the state forbids it, -EPERM:
 * another zone, -ENOSPC: no room.
 */
int kdapl_post_admit(const struct kdapl_ep *ep, const struct kdapl_pz *pz,
		     unsigned int slots);
/* The next slot, finished with success: where the device has nothing to do for it. */
struct kdapl_work *kdapl_post_slot(struct kdapl_ep *ep, u8 op, u64 cookie,
				   u32 flags);
/* @n requests to the device, whose wr_ids are slots in their order, marked so. */
void kdapl_post_requests(struct kdapl_ep *ep, const struct ib_send_wr *first,
			 unsigned int n);

/*
 * The device did not take @work. It ends with @status; what is not just a flush
 * breaks the EP.
 */
void kdapl_work_refuse(struct kdapl_ep *ep, struct kdapl_work *work,
		       enum kdapl_dto_status status);

/* park.c: receives that the device does not take yet. After kdapl_wq_init(). */
int kdapl_park_init(struct kdapl_ep *ep);
/* Room for the receives of @rq, where they can be parked at all. */
int kdapl_park_alloc(const struct kdapl_ep *ep, const struct kdapl_wq *rq,
		     struct kdapl_parked **parked);
/* All below: caller holds ep->lock. */
/*
 * The device refused @wr and all behind it with @err. How many are parked: all,
 * or none when it is final.
 */
unsigned int kdapl_park(struct kdapl_ep *ep, const struct ib_recv_wr *wr,
			int err);
/* Post again what is parked; what is refused then is not yet delivered. */
void kdapl_unpark(struct kdapl_ep *ep);
/* The same for who does not hold the lock; what was refused is delivered. */
void kdapl_park_retry(struct kdapl_ep *ep);
/* What is parked is flushed; not yet delivered. */
void kdapl_park_flush(struct kdapl_ep *ep);

/* Where a completion's event goes, if it is not known to be of an SRQ; only to compare. */
static inline const struct kdapl_evd *kdapl_wc_evd(const struct ib_wc *wc)
{
	const struct kdapl_work *work =
		(const struct kdapl_work *)(uintptr_t)wc->wr_id;

	if (work->srq)
		return NULL;
	return work->op == KDAPL_OP_RECV ? work->ep->recv_evd :
					   work->ep->request_evd;
}

/*
 * comp.c: a completion of the device. Softirqs are off. @over: where its event may go, or
 * that of another one, that is not queued; NULL for nowhere.
 */
void kdapl_ep_complete(const struct ib_wc *wc, struct kdapl_handover *over);
/* The same for a receive of the EP's SRQ, which it took by this. */
void kdapl_ep_took(struct kdapl_ep *ep, struct kdapl_work *work,
		   const struct ib_wc *wc);
/* The device has it. */
static inline bool kdapl_work_is_out(const struct kdapl_work *work)
{
	return work->state == KDAPL_WORK_POSTED ||
	       work->state == KDAPL_WORK_SILENT;
}

/* The oldest operation is finished. Caller holds ep->lock. */
static inline bool kdapl_wq_is_done(const struct kdapl_wq *wq)
{
	return wq->tail != wq->head &&
	       wq->work[wq->tail & wq->mask].state == KDAPL_WORK_DONE;
}

/* Deliver what is finished, in order. Caller holds ep->lock. */
void kdapl_wq_retire_done(struct kdapl_ep *ep, struct kdapl_wq *wq);
static inline void kdapl_wq_retire(struct kdapl_ep *ep, struct kdapl_wq *wq)
{
	if (kdapl_wq_is_done(wq) ||
	    (wq == &ep->rq && (!list_empty(&ep->taken) || ep->held)))
		kdapl_wq_retire_done(ep, wq);
}

#endif /* KDAPL_EP_H */

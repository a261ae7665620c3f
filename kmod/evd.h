/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * EVD: a queue of events with one producer (the module) and one consumer.
 *
 * Pure software. Events go to the ring that the program has mapped; what finds
 * no room there waits in one FIFO, on the record that came with the event, so
 * that nothing is lost and nothing is allocated. Once the FIFO holds an event
 * no later one overtakes it.
 */
#ifndef KDAPL_EVD_H
#define KDAPL_EVD_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "obj.h"
#include "region.h"

#define KDAPL_EVD_QLEN_MAX	65536

/**
 * struct kdapl_evrec - where an event waits for room in the ring
 * @list: in the EVD's backlog, else empty
 * @event: the event, while it waits
 * @release: called once, when the event stands in the ring, is claimed, or is dropped
 *	with its EVD; under the EVD's lock, softirq (but a request's that is dropped:
 *	in process context). May be NULL.
 */
struct kdapl_evrec {
	struct list_head list;
	struct kdapl_event event;
	void (*release)(struct kdapl_evrec *rec);
	/* No notification, where the EVD makes a difference. Its own, while it waits. */
	bool quiet;
	bool told;		/* one, because an event before it may have been */
};

/* It is one; else its record only has to be given back in its turn. A value may be 0. */
static inline bool kdapl_event_tells(const struct kdapl_event *event)
{
	return event->type || event->status & KDAPL_EV_VALUE;
}

/* What a completion brought can look like the number of a request. */
static inline bool kdapl_event_is_request(const struct kdapl_event *event)
{
	return event->type == DAT_CONNECTION_REQUEST_EVENT &&
	       !(event->status & KDAPL_EV_VALUE);
}

struct kdapl_cno;
struct kdapl_cq;
struct kdapl_evd;

/**
 * struct kdapl_evd_hooks - how an EVD calls its consumer in the kernel
 * @arrived: called in place of waking anybody, for each event that is a notification,
 *	with the EVD's lock held and perhaps that of an EP: it may only schedule what
 *	takes the events
 * @claim: whether the consumer has an event at once that was to be queued, and has
 *	nothing before it; locks as above. Softirq.
 * @take: the event that was claimed: called in the same softirq, behind the EP's lock,
 *	under that of the completion queue
 *
 * The last two of an EVD that is direct.
 */
struct kdapl_evd_hooks {
	void (*arrived)(struct kdapl_evd *evd);
	bool (*claim)(struct kdapl_evd *evd);
	void (*take)(struct kdapl_evd *evd, const struct kdapl_event *event);
};

/**
 * struct kdapl_handover - an event that goes to its consumer past the ring
 * @evd: which has claimed it; NULL: there is none
 * @take: its hook, which may be gone from the EVD by then
 * @event: the event
 *
 * Of a softirq that takes completions. There is room for one: others are queued.
 */
struct kdapl_handover {
	struct kdapl_evd *evd;
	void (*take)(struct kdapl_evd *evd, const struct kdapl_event *event);
	struct kdapl_event event;
};

struct kdapl_evd {
	struct kdapl_obj obj;
	spinlock_t lock;	/* inside an EP's lock; softirq-safe */
	struct kdapl_region *region;
	struct kdapl_ev_ring *ring;
	struct kdapl_event *entries;
	struct kdapl_slot head;	/* struct kdapl_ev_head */
	u32 tail;		/* the module's own copy */
	u32 entries_mask;
	u32 qlen;
	u32 flags;		/* DAT_EVD_* streams */
	u32 flags_shown;	/* the module's own copy of ring->flags */
	struct list_head backlog;
	u32 backlog_len;	/* events in it; records without one do not count */
	u32 backlog_loud;	/* those of them that are notifications */
	struct kdapl_evrec *backlog_last;	/* the latest of them, NULL: not known */
	u32 notify;		/* enum kdapl_notify, of all that uses it */
	u32 notify_users;	/* completion streams of EPs */
	u32 notified;		/* index behind the last notification in the ring */
	struct list_head solicited;	/* completion queues; the IA's cq_lock */
	struct list_head cqs;	/* those that its work takes; likewise, and RCU */
	wait_queue_head_t wait;
	u32 wait_threshold;	/* 0: nobody waits */
	bool waitable;
	u32 ejections;	/* those who waited were sent away: another odd number */
	bool enabled;		/* events trigger the CNO */
	const struct kdapl_evd_hooks *hooks;	/* of a kernel consumer */
	bool direct;		/* likewise: its events may be claimed */
	struct work_struct *work;	/* likewise; NULL: none. Never changes */
	struct workqueue_struct *wq;	/* where that is queued */
	bool called;		/* it takes events, or will */
	bool silent;		/* the device does not call it any more */
	/* likewise */
	void (*unread)(struct kdapl_evd *evd, const struct kdapl_event *event);
	struct kdapl_cno *cno;
	bool dead;		/* freed: ring and head are not there any more */
	struct kdapl_region *next;	/* a larger ring, to be committed */
	u32 next_qlen;
	const struct kdapl_cq *feeder;	/* of the latest EP; only to compare */
	struct kdapl_evrec catastrophe;	/* for the last event, when the device goes */
	bool killed;		/* the device is gone for its own IA */
	u32 borrowers;		/* IAs that may still tell of their end here */
};

static inline struct kdapl_evd *to_evd(struct kdapl_obj *obj)
{
	return container_of(obj, struct kdapl_evd, obj);
}

/* Doors: kdapl_evd_create() may sleep; @arg is in and out. */
int kdapl_evd_create(struct kdapl_ia *ia, struct kdapl_evd_create *arg);
/* @began is 0, or what it was when the wait was interrupted. */
int kdapl_evd_wait(struct kdapl_evd *evd, u32 threshold, u64 deadline_ns,
		   u32 *began);
u32 kdapl_evd_fill(struct kdapl_evd *evd);
void kdapl_evd_set_waitable(struct kdapl_evd *evd, bool waitable);
/* -ENOENT: no such CNO. */
int kdapl_evd_set_notify(struct kdapl_evd *evd,
			 const struct kdapl_evd_notify *arg);
/* -EINVAL: no software stream. -ENOBUFS: the queue is full. */
int kdapl_evd_post_se(struct kdapl_evd *evd, u64 cookie);
/* evd_resize.c; may sleep; @arg is in and out. */
int kdapl_evd_resize(struct kdapl_evd *evd, struct kdapl_evd_resize *arg);

/**
 * kdapl_evd_take() - dequeue for a consumer in the kernel
 * @evd: of a kernel consumer's IA
 * @event: filled with the oldest event
 *
 * What waits for room moves up. In softirq, or between local_bh_disable() and
 * local_bh_enable(); any number of callers at a time, also from below the hook of
 * kdapl_evd_hook() but not in it.
 *
 * Return: how many there were with it, 0 when there is none.
 */
u32 kdapl_evd_take(struct kdapl_evd *evd, struct kdapl_event *event);

/**
 * kdapl_evd_hook() - have functions called for the events that come
 * @evd: of a kernel consumer's IA
 * @hooks: NULL for none
 *
 * Where events are queued already @hooks->arrived is called once at once. When this
 * returns the former @arrived and @claim are not running, and none is from the EVD's
 * end on; a claimed event may still be on its way to @take. Any context up to softirq.
 */
void kdapl_evd_hook(struct kdapl_evd *evd, const struct kdapl_evd_hooks *hooks);

/**
 * kdapl_evd_post() - queue an event
 * @evd: where to, NULL to drop it (the consumer is not interested)
 * @event: copied; without a type or a value nothing is queued, but the record still gets
 *	its release in order with the events before it
 * @rec: keeps the event while the ring is full; owned by the EVD until its
 *	release is called, which may be before this returns
 *
 * Any context up to softirq.
 */
void kdapl_evd_post(struct kdapl_evd *evd, const struct kdapl_event *event,
		    struct kdapl_evrec *rec);

/**
 * kdapl_evd_join() - a completion stream of an EP begins to use an EVD
 * @evd: the EVD, or NULL
 * @notify: enum kdapl_notify, as others of its streams have it
 *
 * Process context. -EINVAL where it does not fit the others.
 */
int kdapl_evd_join(struct kdapl_evd *evd, u32 notify);
void kdapl_evd_leave(struct kdapl_evd *evd);

/**
 * kdapl_evd_set_work() - have a work queued when there are events
 * @evd: of a kernel consumer's IA, not in use yet
 * @wq: where
 * @work: takes events until there is none; behind that the next one queues it again
 *
 * Completions of an EP that has @evd for receives and for requests are left in completion
 * queues of the EVD's own until the work takes them, by kdapl_evd_fetch().
 */
void kdapl_evd_set_work(struct kdapl_evd *evd, struct workqueue_struct *wq,
			struct work_struct *work);

/**
 * kdapl_evd_fetch() - have what the device has become events
 * @evd: of a kernel consumer's IA, in which nothing is queued
 *
 * Contexts as of kdapl_evd_take().
 *
 * Return: there may be an event now. Else there is none, and where the EVD has a work the
 * next one queues it.
 */
bool kdapl_evd_fetch(struct kdapl_evd *evd);

/*
 * The device has something for the work. Any context, under a driver's locks, too. False:
 * the EVD is silent, and others have to take it.
 */
bool kdapl_evd_call(struct kdapl_evd *evd);
/* A grace period of RCU later the device queues the work no more. Any context. */
void kdapl_evd_silence(struct kdapl_evd *evd);

/* What stands in the EVD is worth waking for. Any context up to softirq. */
void kdapl_evd_notify(struct kdapl_evd *evd);
/* Who waited is no more, without a word: the CNO hears of what there is. */
void kdapl_evd_tell(struct kdapl_evd *evd);

/**
 * kdapl_evd_borrow() - a new IA gets its asynchronous events into another's EVD
 * @ia: the new one
 * @owner: the other one, which is open until this returns; NULL for none
 * @id: an EVD of @owner
 *
 * Process context. -ENOENT: there is no such EVD; -EINVAL: it is not for such
 * events, or @owner has another adapter. Undone by kdapl_evd_give_back(), which
 * is also right after an error.
 */
int kdapl_evd_borrow(struct kdapl_ia *ia, struct kdapl_ia *owner, u32 id);
void kdapl_evd_give_back(struct kdapl_ia *ia);

/**
 * kdapl_evd_use_async() - an object will have asynchronous events
 * @ia: its IA
 * @id: an EVD of the IA for such events, 0 for the one it was lent
 *
 * Process context. Undone by kdapl_evd_unuse_async().
 *
 * Return: the EVD, NULL where events are to be dropped, or -ENOENT, -EINVAL.
 */
struct kdapl_evd *kdapl_evd_use_async(struct kdapl_ia *ia, u32 id);
void kdapl_evd_unuse_async(struct kdapl_ia *ia, struct kdapl_evd *evd);

/* Take back a record that may still wait: its event is dropped. */
void kdapl_evd_cancel(struct kdapl_evd *evd, struct kdapl_evrec *rec);

/*
 * The same for all records that @match says yes to; it runs under the EVD's lock,
 * which is let go now and then. They are added to @list. Process context.
 */
void kdapl_evd_cancel_all(struct kdapl_evd *evd,
			  bool (*match)(struct kdapl_evrec *rec, void *arg),
			  void *arg, struct list_head *list);

/* Wait until no release is running. */
void kdapl_evd_sync(struct kdapl_evd *evd);

/* Events in ring and backlog. For the backlog limit of service points. */
u32 kdapl_evd_count(struct kdapl_evd *evd);

/*
 * More waits for room than any program has a use for: what would only add to it
 * fails with -ENOMEM. Without a lock.
 */
#define KDAPL_BACKLOG_MAX	65536
static inline bool kdapl_evd_crowded(const struct kdapl_evd *evd)
{
	return evd && READ_ONCE(evd->backlog_len) >= KDAPL_BACKLOG_MAX;
}

/*
 * Events that the program has not read: a guess for who has to weigh something,
 * without a lock. The EVD is in use by the caller's object.
 */
static inline u32 kdapl_evd_unread(const struct kdapl_evd *evd)
{
	const struct kdapl_ev_head *head = evd->head.addr;
	u32 used = READ_ONCE(evd->tail) - READ_ONCE(head->head);

	return min(used, evd->entries_mask + 1);
}

/* Events in ring and backlog. Caller holds the lock, and the EVD is not dead. */
u32 kdapl_evd_queued(struct kdapl_evd *evd);

/* A ring of @qlen events, a power of two. May sleep. */
int kdapl_evd_ring_create(struct kdapl_ia *ia, u32 qlen,
			  struct kdapl_region **region);

/*
 * Move to the ring that was made by the first step of a resize; what waits for
 * room is still to be put there. Caller holds the lock, the EVD is not dead.
 * -EBADFD: there is none. What is no longer needed is at @evd->next then.
 */
int kdapl_evd_move(struct kdapl_evd *evd);

/*
 * The device is gone: mark the ring, wake the waiter. Where other IAs may still
 * tell of their end this is done when the last of them has done so, or is closed.
 */
void kdapl_evd_kill(struct kdapl_evd *evd);

/* One more IA may tell of its end here, or one less. Any context up to softirq. */
void kdapl_evd_lend(struct kdapl_evd *evd);
void kdapl_evd_unlend(struct kdapl_evd *evd);

/* comp.c: the release of a work's record, as nearly all of them are. */
void kdapl_work_release(struct kdapl_evrec *rec);

/* A record from the heap, which frees itself once its event is in the ring. */
struct kdapl_evrec *kdapl_evrec_alloc(const struct kdapl_ia *ia);

#endif /* KDAPL_EVD_H */

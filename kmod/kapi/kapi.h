/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The door of the kernel: kDAPL over the module's core.
 *
 * A handle is the address of an object here, which has a reference to the core's
 * object. Events lead back to handles by words, which the core keeps: a word is
 * looked up among those of live handles, and is not soon given again, because an
 * event may be older than the end of the object that it is about.
 */
#ifndef KAPI_H
#define KAPI_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <dat2/kdat_redirection.h>

#include "../ep.h"
#include "../evd.h"
#include "../ia.h"

struct dat_ext_dto;
struct kdapl_kmem;

/**
 * struct kapi_obj - what a handle points to
 * @provider: the first word of every object
 * @magic: KAPI_MAGIC while it lives
 * @type: kind of object
 * @ia: its IA; itself, of an IA
 * @core: with a reference; NULL of an IA and of a CR
 * @id: the core's
 * @word: names it in events, among all IAs' objects
 * @context: the consumer's
 * @rcu: freed after a grace period
 */
struct kapi_obj {
	const DAT_PROVIDER *provider;
	u32 magic;
	DAT_HANDLE_TYPE type;
	struct kapi_ia *ia;
	struct kdapl_obj *core;
	u32 id, word;
	DAT_CONTEXT context;
	struct rcu_head rcu;
};

#define KAPI_MAGIC	0x6b444150

/**
 * struct kapi_hint - what was looked for last, as struct kdapl_obj_hint
 * @obj: the object; NULL to begin with, and where there was none
 * @round: of all objects, when it was there
 */
struct kapi_hint {
	struct kapi_obj *obj;
	s64 round;
};

struct kapi_ia {
	struct kapi_obj obj;
	struct kdapl_ia *core;
	struct xarray live;	/* its objects, by their words */
	struct kapi_evd *async;	/* made with it; NULL when one is lent */
	struct kapi_lmr *reserved;	/* made with it; NULL: there is none */
	struct sockaddr_storage address;
};

struct kapi_pz {
	struct kapi_obj obj;
};

/**
 * struct kapi_evd - an EVD and its upcalls
 * @obj: common part
 * @evd: the core's
 * @lock: inside the core's EVD lock; guards the rest but @lost
 * @policy: now
 * @upcall: whom to call
 * @changes: of policy and upcall, counted
 * @running: processors that make upcalls
 * @missed: one was not begun because another ran
 * @closed: its IA closes: upcalls are not enabled any more
 * @stopping: who waits for the last one to end: nor are they meanwhile
 * @claimed: whom a claimed event is for; like the next two of who claimed it, until that
 *	upcall ends
 * @event: the event
 * @hint: its EP
 * @idle: none runs
 * @workers: one for each processor
 * @lost: requests that went with it unread; of who frees it
 */
struct kapi_evd {
	struct kapi_obj obj;
	struct kdapl_evd *evd;
	spinlock_t lock;	/* inside the core's EVD lock */
	DAT_UPCALL_POLICY policy;
	DAT_UPCALL_OBJECT upcall;
	unsigned int changes;
	unsigned int running;
	unsigned int stopping;
	bool missed;
	bool closed;
	DAT_UPCALL_OBJECT claimed;
	DAT_EVENT event;
	struct kapi_hint hint;
	wait_queue_head_t idle;
	struct kapi_worker __percpu *workers;
	struct kapi_cr *lost;
};

/**
 * struct kapi_ep - an EP and what it was made of
 * @obj: common part
 * @lock: serialises queries and changes; guards the rest
 * @pz: handle, like the next ones; NULL for none
 * @recv_evd: likewise
 * @request_evd: likewise
 * @connect_evd: likewise
 * @srq: likewise; of the same PZ
 * @attr: as they are, for queries
 * @local: of the latest query
 * @remote: likewise
 */
struct kapi_ep {
	struct kapi_obj obj;
	struct mutex lock;	/* outside the core's locks */
	struct kapi_obj *pz, *recv_evd, *request_evd, *connect_evd, *srq;
	DAT_EP_ATTR attr;
	struct sockaddr_storage local, remote;
};

/**
 * struct kapi_srq - an SRQ
 * @obj: common part
 * @pz: handle
 * @reaped: its receives whose events the consumer has taken
 */
struct kapi_srq {
	struct kapi_obj obj;
	struct kapi_obj *pz;
	atomic_t reaped;
};

struct kapi_lmr {
	struct kapi_obj obj;
	DAT_LMR_PARAM param;
};

/**
 * struct kapi_rmr - an RMR
 * @obj: common part
 * @pz: handle
 */
struct kapi_rmr {
	struct kapi_obj obj;
	struct kapi_obj *pz;
};

struct kapi_sp {
	struct kapi_obj obj;
	DAT_CONN_QUAL conn_qual;
	struct kapi_obj *evd, *ep;
	DAT_PSP_FLAGS flags;
};

struct kapi_csp {
	struct kapi_obj obj;
	struct kapi_obj *evd;
	DAT_COMM comm;
	struct sockaddr_storage address;
};

/**
 * struct kapi_cr - a request
 * @obj: common part
 * @ep: what was made for it, and goes with it unless it is accepted; or NULL
 * @next_lost: of kapi_evd.lost
 * @local: where it came
 * @remote: from whom
 * @size: bytes of @private_data
 * @private_data: as it came
 */
struct kapi_cr {
	struct kapi_obj obj;
	struct kapi_ep *ep;
	struct kapi_cr *next_lost;
	struct sockaddr_storage local, remote;
	u32 size;
	u8 private_data[KDAPL_PRIVATE_DATA_MAX];
};

extern const DAT_PROVIDER kapi_provider;

/* ---- handle.c ------------------------------------------------------------ */

/* NULL when @handle is no live object of that kind. */
static inline struct kapi_obj *kapi_obj(DAT_HANDLE handle, DAT_HANDLE_TYPE type)
{
	struct kapi_obj *obj = handle;

	if (!obj || obj->magic != KAPI_MAGIC || obj->type != type)
		return NULL;
	return obj;
}

/* And of this IA: another one's objects have the same ids. */
static inline struct kapi_obj *kapi_of(const struct kapi_ia *ia,
				       DAT_HANDLE handle, DAT_HANDLE_TYPE type)
{
	struct kapi_obj *obj = kapi_obj(handle, type);

	return obj && obj->ia == ia ? obj : NULL;
}

/* As above; NULL is fine, too: it becomes id 0. False for what is not. */
bool kapi_id(const struct kapi_ia *ia, DAT_HANDLE handle, DAT_HANDLE_TYPE type,
	     u32 *id);

#define kapi_to(kind, handle, handle_type) \
	((struct kapi_##kind *)kapi_obj(handle, DAT_HANDLE_TYPE_##handle_type))

/*
 * Life of a handle, process context: made, given its core's object (whose id it
 * takes a reference by), forgotten when that is gone.
 */
void *kapi_new(struct kapi_ia *ia, DAT_HANDLE_TYPE type, size_t size);
int kapi_tie(struct kapi_obj *obj, u32 id, enum kdapl_obj_type type);
void kapi_forget(struct kapi_obj *obj);
/* Frees the core's object, then the handle; -EBUSY while it is in use. */
int kapi_destroy(struct kapi_obj *obj, enum kdapl_obj_type type);

/* Process context. An object has its word from the first to the second. */
int kapi_word_give(struct kapi_obj *obj);
void kapi_word_take(struct kapi_obj *obj);
/* The module's end: no object is left. */
void kapi_exit_words(void);
/*
 * Caller is in an RCU read section, has softirqs off, or knows that it stays. NULL when
 * @word is no live object's of that kind.
 */
struct kapi_obj *kapi_live(u64 word, DAT_HANDLE_TYPE type);
/* The same for who looks for the same one mostly, and guards @hint. */
struct kapi_obj *kapi_live_hint(u64 word, DAT_HANDLE_TYPE type,
				struct kapi_hint *hint);

/* Bracket what uses the device: see kdapl_ia_enter(). */
static inline int kapi_enter(struct kapi_ia *ia)
{
	return kdapl_ia_enter(ia->core);
}

static inline void kapi_leave(struct kapi_ia *ia)
{
	kdapl_ia_leave(ia->core);
}

/* Where its objects' asynchronous events go; 0: to the EVD that it was lent. */
static inline u32 kapi_async_id(const struct kapi_ia *ia)
{
	return ia->async ? ia->async->obj.id : 0;
}

/* ---- error.c ------------------------------------------------------------- */

/* What the core says, in the API's words. */
DAT_RETURN kapi_error(int err);
/* The same, and at a limit that @resource, DAT_RESOURCE_*, is what there is no more of. */
DAT_RETURN kapi_lack(int err, u32 resource);
/* Of a call that maps memory for the device, which fails in ways of its own. */
DAT_RETURN kapi_lmr_error(int err);

#define KAPI_BAD_HANDLE(kind) \
	DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_##kind)
#define KAPI_BAD_ARG(n)	DAT_ERROR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG##n)

/* ---- addresses ----------------------------------------------------------- */

void kapi_sockaddr(struct sockaddr_storage *ss, const struct kdapl_addr *addr);
/* False when it is no address of IPv4 or IPv6. */
bool kapi_addr(struct kdapl_addr *addr, const DAT_SOCK_ADDR *sa);
/* What rdma_cm connects, whatever the transport; zeros for no family. */
DAT_COMM kapi_comm(int family);

/* ---- registry.c ---------------------------------------------------------- */

/* As a row of the table: whether another adapter takes over for this one. */
DAT_RETURN kapi_ia_ha_related(DAT_IA_HANDLE ia, const DAT_NAME_PTR name,
			      DAT_BOOLEAN *answer);

/* ---- evd.c, upcall.c ----------------------------------------------------- */

struct kapi_evd *kapi_evd_create(struct kapi_ia *ia, DAT_COUNT qlen,
				 DAT_UPCALL_POLICY policy,
				 const DAT_UPCALL_OBJECT *upcall, u32 flags);
/* From now on the consumer is not called; waits for calls that run. */
void kapi_upcall_stop(struct kapi_evd *kevd);
/* As above, and nobody can enable it again. */
void kapi_upcall_close(struct kapi_evd *kevd);
/* The EVD's work, if it has one, which nobody queues any more, does not run on return. */
void kapi_evd_work_stop(struct kapi_evd *kevd);
int kapi_upcall_init(struct kapi_evd *kevd);
void kapi_upcall_exit(struct kapi_evd *kevd);
void kapi_upcall_schedule(struct kapi_evd *kevd);
/* What the core calls. */
extern const struct kdapl_evd_hooks kapi_upcall_hooks;
/* Whether it may do so for an event that it does not queue. */
void kapi_upcall_set_direct(struct kapi_evd *kevd, DAT_UPCALL_POLICY policy);

/* ---- lmr.c, fmr.c, post.c -------------------------------------------------- */

/*
 * What the caller named, as the core has it, but for its length; and what its first
 * byte is called. -EOPNOTSUPP, -EINVAL.
 */
int kapi_lmr_memory(DAT_MEM_TYPE type, const DAT_REGION_DESCRIPTION *region,
		    struct kdapl_kmem *mem, u64 *addr);
/* What an LMR for fast registration is tied to, or was last. */
void kapi_fmr_query(struct kdapl_lmr *lmr, DAT_LMR_PARAM *param);
/* KDAPL_SQE_*; what they do not have is left out. */
u16 kapi_sqe_flags(DAT_COMPLETION_FLAGS flags);

/*
 * event.c: any context up to softirq. False: it is about what is gone. @hint: by which a
 * completion's EP is looked for, or NULL.
 */
bool kapi_event(struct kapi_evd *kevd, const struct kdapl_event *from,
		DAT_EVENT *event, struct kapi_hint *hint);
/* It went with its EVD. */
void kapi_event_unread(struct kdapl_evd *evd, const struct kdapl_event *event);
/*
 * The next event for the consumer; how many there were with it, 0 for none. Softirqs are
 * off. @hint: as of kapi_event().
 */
u32 kapi_evd_next(struct kapi_evd *kevd, DAT_EVENT *event,
		  struct kapi_hint *hint);

/* ---- ep.c, ep_marks.c ---------------------------------------------------- */

/*
 * For a request to bring along: without a zone and queues, which the consumer gives it.
 * Does not keep the device, which stays anyway. ERR_PTR().
 */
struct kapi_ep *kapi_ep_for_request(struct kapi_ia *kia);
/* -EINVAL, or -EOPNOTSUPP for what nobody offers here. */
int kapi_ep_check(const DAT_EP_ATTR *attr, bool srq);
/*
 * What the core is asked for. @arg has the EVDs and the SRQ that it shall have, which
 * decide about the queues; kep->srq is right already.
 */
void kapi_ep_arg(const struct kapi_ep *kep, const DAT_EP_ATTR *attr,
		 struct kdapl_ep_create *arg);
/* What the core gave. Caller holds kep->lock. */
void kapi_ep_keep(struct kapi_ep *kep, const DAT_EP_ATTR *attr,
		  const struct kdapl_ep_create *arg);
/* Caller holds kep->lock. */
int kapi_ep_mark(struct kapi_ep *kep, DAT_COUNT soft, DAT_COUNT hard);

/* ---- post.c -------------------------------------------------------------- */

/* What the core says of an operation. */
DAT_RETURN kapi_post_error(int err);
/* The arguments that can be wrong without anything being looked at. */
DAT_RETURN kapi_iov_check(DAT_COUNT num, const DAT_LMR_TRIPLET *iov);
/* After kapi_iov_check(). */
void kapi_sqe_iov(struct kdapl_sqe *sqe, DAT_COUNT num,
		  const DAT_LMR_TRIPLET *iov);
/* The same of several requests; that there is an array, too. */
bool kapi_dtos_check(DAT_COUNT num, const struct dat_ext_dto *dtos);
/*
 * Between kdapl_post_begin() and kdapl_post_end(), after these checks. As
 * kdapl_post_add(): then those before it stay added, for kdapl_post_end() to take back.
 */
int kapi_post_add(struct kdapl_ep *ep, DAT_COUNT num,
		  const struct dat_ext_dto *dtos);

/* ---- reserved.c ---------------------------------------------------------- */

/* With the core's IA, which says whether there is one. */
int kapi_reserved_make(struct kapi_ia *ia);
void kapi_reserved_free(struct kapi_ia *ia);

/* It is an LMR only in name: the core has none. @lmr: a handle, which may be bad. */
static inline bool kapi_is_reserved_handle(const struct kapi_ia *ia,
					   const void *lmr)
{
	return ia->reserved && lmr == &ia->reserved->obj;
}

static inline bool kapi_is_reserved(const struct kapi_obj *lmr)
{
	return kapi_is_reserved_handle(lmr->ia, lmr);
}

/* cr.c: a request came; its handle's word, 0 without memory. */
u64 kapi_cr_arrives(const struct kdapl_sp *sp, struct kdapl_cr *cr);
/* Requests that are gone, and that no consumer has heard of. May sleep. */
void kapi_crs_forget(struct kapi_cr *lost);

#endif /* KAPI_H */

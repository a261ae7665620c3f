/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IA: an opened adapter, and all objects that belong to it.
 *
 * An adapter is one port of an ib_device. When the device goes, its IAs lose
 * their hardware at once (every type's kill function, under hw_lock held for
 * writing) while the objects live on until they are freed.
 */
#ifndef KDAPL_IA_H
#define KDAPL_IA_H

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "account.h"
#include "evd.h"
#include "obj.h"
#include "region.h"
#include "rmr.h"
#include "sq.h"

struct kdapl_adapter_dev;
struct kdapl_cr;
struct kdapl_sp;

struct kdapl_ia {
	struct list_head list;		/* in its adapter's ias */
	struct kdapl_adapter_dev *adapter;
	struct ib_device *dev;
	u32 port;
	bool kernel;			/* of a consumer in the kernel */
	bool iwarp;
	bool relaxed;			/* plain LMRs are relaxed ordered */
	bool frwr;			/* memory is registered by FRWR */
	bool local_key;			/* a PD has a key for all memory */
	bool rmr_reuse;			/* an MR may be bound more than once */
	bool rmr_register;		/* a window is registered like an LMR */
	bool rmr_inv_first;		/* an MR is registered behind an invalidation */
	bool imm;			/* the transport carries immediate data */
	bool atomic;			/* the device does atomic operations */
	bool dead;			/* the device is gone */
	char name[KDAPL_NAME_MAX];
	struct rw_semaphore hw_lock;	/* read: the device may be used */
	struct work_struct kill_work;	/* the device goes */
	struct net *net;
	kuid_t uid;			/* who opened it */
	struct rdma_cgroup *cg;		/* charged for the opened device */

	bool drop_async;		/* nobody wants asynchronous events */
	bool tell_op;			/* completions tell their operation */
	u64 user;			/* the program's word, echoed in events */
	/*
	 * Of a consumer in the kernel: a request came to @sp. Gives the word of
	 * the CR, 0 without memory. An EP that the request shall bring along is
	 * kdapl_cr_bring(). Process context, in a handler of rdma_cm, or in a
	 * handoff: the device stays, and hw_lock is not to be had.
	 */
	u64 (*cr_arrives)(const struct kdapl_sp *sp, struct kdapl_cr *cr);
	struct kdapl_evd *lent_evd;	/* for asynchronous events, or NULL */
	struct kdapl_evrec catastrophe;	/* for the last one there */

	struct kdapl_obj_table objs;
	struct kdapl_region_table regions;
	struct kdapl_sq sq;

	struct mutex join_lock;		/* who changes what EVDs notify of */
	atomic_t crs;			/* connection requests without a decision */
	u32 tardy;			/* doorbells that do not look for a completion */
	struct mutex cq_lock;		/* guards the next three, and the lists of EVDs */
	struct list_head cqs;
	struct list_head work_cqs;	/* of EVDs that have a work */
	struct kdapl_obj_hint polled;	/* what a program named as its EVD */
	struct kdapl_reaper reaper;	/* of MRs of RMRs */
	struct xarray windows;		/* of RMRs, by key */
	struct xarray fmrs;		/* LMRs for fast registration, by key */

	/* limits: the smaller of the device's and ours */
	u32 max_requests, max_recvs, max_iov, max_iov_read;
	u32 max_read_in, max_read_out;
	u32 max_srqs, max_srq_window, max_srq_iov;
	u32 max_private_data, max_private_data_accept;
	u64 max_lmr_size, max_rmr_size, max_message;
};

/*
 * -ENODEV when no adapter (or netdev) of that name is visible to the caller.
 * @owner has the EVD that @arg names, NULL when it names none.
 */
struct kdapl_ia *kdapl_ia_open(struct kdapl_ia_open *arg,
			       struct kdapl_ia *owner);
/**
 * kdapl_ia_open_kernel() - open an adapter for a consumer in the kernel
 * @arg: @name, @flags, @async_evd and @user count, the rest is not looked at
 * @owner: as above
 *
 * Such an IA is in the first net namespace and nobody's in particular: nothing
 * of it is charged to the process that happens to run. It has no submission
 * ring, its consumer posts by calls; everything else is as a program's. Its
 * objects' words should be what their events are to lead back to. Process
 * context.
 */
struct kdapl_ia *kdapl_ia_open_kernel(const struct kdapl_ia_open *arg,
				      struct kdapl_ia *owner);
/* The abrupt close: frees everything. */
void kdapl_ia_close(struct kdapl_ia *ia);
int kdapl_ia_query(struct kdapl_ia *ia, struct kdapl_ia_query *arg);

/*
 * Bracket every control call, process context. kdapl_ia_enter() gives -ENODEV
 * when the device is gone; on 0 the device stays until kdapl_ia_leave(). The
 * frees use kdapl_ia_enter_free(), which always succeeds: what the device had
 * is then NULL in the objects. Not held while sleeping in kdapl_evd_wait().
 */
int kdapl_ia_enter(struct kdapl_ia *ia);
void kdapl_ia_enter_free(struct kdapl_ia *ia);
void kdapl_ia_leave(struct kdapl_ia *ia);

/* A program may use only addresses of its own net namespace. */
bool kdapl_ia_may_bind(const struct kdapl_ia *ia);

/*
 * siw makes the socket that it listens with where the thread is: of a kernel consumer's,
 * that can be another namespace than the one its addresses are in.
 */
bool kdapl_ia_may_listen(const struct kdapl_ia *ia);

/* kdapl_cgroup_charge() for what the IA's owner makes. */
static inline int kdapl_ia_charge(struct kdapl_ia *ia, struct rdma_cgroup **cg,
				  enum rdmacg_resource_type type)
{
	*cg = NULL;
	return ia->kernel ? 0 : kdapl_cgroup_charge(ia->dev, cg, type);
}

/* For what the IA's owner makes: no process pays for a consumer in the kernel. */
static inline gfp_t kdapl_ia_gfp(const struct kdapl_ia *ia)
{
	return ia->kernel ? GFP_KERNEL : GFP_KERNEL_ACCOUNT;
}

/*
 * The adapter's own addresses, for binding, or those that @only includes: fills up to @max,
 * those that a peer may know first, returns how many. Process context.
 */
int kdapl_ia_addrs(struct kdapl_ia *ia, const struct kdapl_addr *only,
		   struct kdapl_addr *addr, int max);
/* The same of @remote's family, and of the netdev that leads there; none if none does. */
int kdapl_ia_addrs_toward(struct kdapl_ia *ia, const struct kdapl_addr *remote,
			  struct kdapl_addr *addr, int max);

/*
 * The device goes, or the program is gone: all that the IA has of the device goes, the IA
 * and its own objects stay, and waits end. That is a work item of each IA, so that one that
 * is still in a call holds up nobody else; the adapter counts it as dying until it is done.
 * Once is enough, more do not harm. The IA is not closed meanwhile, or in the adapter's
 * list, whose lock the caller holds.
 */
void kdapl_ia_kill(struct kdapl_ia *ia);

/* Ends of connections, notifications. Unbound, may sleep. */
extern struct workqueue_struct *kdapl_workqueue;
/* Removals of devices, which wait for programs' calls. Unbound. */
extern struct workqueue_struct *kdapl_removal_workqueue;

#endif /* KDAPL_IA_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects of an IA: ids, references, and who may be freed when.
 *
 * An object has two counts. "users" is what other objects need it for (an EP
 * needs its PZ and its EVDs): it may be freed only while nobody does. "ref"
 * keeps the memory, for whoever looked it up and still works with it.
 *
 * Creation: kdapl_obj_init() reserves an id, kdapl_obj_publish() makes it
 * visible as the last step; nothing may fail after that. Freeing:
 * kdapl_obj_retire() takes it out of the table, the type's own code takes it
 * apart, kdapl_obj_put() drops the creator's reference.
 */
#ifndef KDAPL_OBJ_H
#define KDAPL_OBJ_H

#include <linux/limits.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "kdapl_uapi.h"

struct kdapl_ia;
struct kdapl_obj;

/*
 * The end of a table, in which nothing is left by then. An entry for which there was no
 * memory leaves nodes behind: these are no entries, so xa_empty() would be wrong here.
 */
static inline void kdapl_table_end(struct xarray *xa)
{
	unsigned long index = 0;

	WARN_ON(xa_find(xa, &index, ULONG_MAX, XA_PRESENT));
	xa_destroy(xa);
}

/*
 * A table takes its nodes without asking for the caller's @gfp first: whether the cgroup
 * pays for them it has to know itself.
 */
static inline gfp_t kdapl_xa_account(gfp_t gfp)
{
	return gfp & __GFP_ACCOUNT ? XA_FLAGS_ACCOUNT : 0;
}

/**
 * struct kdapl_obj_ops - what an object's type does
 * @type: the type, as a program names it
 * @destroy: take apart what the object holds; it was retired before. Process
 *	context, may sleep. Must not touch @users of the object itself.
 * @release: free the memory; no reference is left. Any context, runs after an
 *	RCU grace period unless the object was never published.
 */
struct kdapl_obj_ops {
	enum kdapl_obj_type type;
	void (*destroy)(struct kdapl_obj *obj);
	void (*release)(struct kdapl_obj *obj);
};

struct kdapl_obj {
	const struct kdapl_obj_ops *ops;
	struct kdapl_ia *ia;
	u64 user;		/* the program's word, echoed in events */
	u32 id;
	refcount_t users;	/* 1 + objects that need this one */
	refcount_t ref;
	struct rcu_head rcu;
};

/**
 * struct kdapl_obj_table - the objects of one IA
 * @xa: id to object; reserved ids hold no object yet
 * @next: where the next id is looked for, so that a stale id misses
 * @round: objects that were taken out, counted; a program may make and free as many as it
 *	likes, so this must never be the same again
 */
struct kdapl_obj_table {
	struct xarray xa;
	u32 next;
	atomic64_t round;
};

/**
 * struct kdapl_obj_hint - what was looked up last
 * @obj: the object; NULL to begin with
 * @round: of its table, when it was there
 *
 * Of somebody who looks for the same one mostly, with each transfer. It keeps nothing:
 * as soon as anything was taken out of the table it is looked for anew. Guarded by the
 * lock of its owner.
 */
struct kdapl_obj_hint {
	struct kdapl_obj *obj;
	s64 round;
};

/* @gfp: GFP_KERNEL, with __GFP_ACCOUNT where the caller's cgroup pays. */
void kdapl_obj_table_init(struct kdapl_obj_table *table, gfp_t gfp);
void kdapl_obj_table_destroy(struct kdapl_obj_table *table);

int kdapl_obj_init(struct kdapl_obj *obj, struct kdapl_ia *ia,
		   const struct kdapl_obj_ops *ops, u64 user);
void kdapl_obj_publish(struct kdapl_obj *obj);
void kdapl_obj_abort(struct kdapl_obj *obj);

/* Any context. NULL when @id names no object of that type. */
struct kdapl_obj *kdapl_obj_get(struct kdapl_ia *ia, u32 id,
				enum kdapl_obj_type type);
void kdapl_obj_put(struct kdapl_obj *obj);

/* Caller is in an RCU read section and keeps no reference. */
struct kdapl_obj *kdapl_obj_peek(struct kdapl_ia *ia, u32 id,
				 enum kdapl_obj_type type);

/*
 * The same for an object of any type. Whoever has softirqs off, or preemption, is in an
 * RCU read section: mostly that comes with the lock that guards @hint.
 */
struct kdapl_obj *kdapl_obj_search(struct kdapl_obj_table *table, u32 id,
				   struct kdapl_obj_hint *hint);
static inline struct kdapl_obj *
kdapl_obj_peek_hint(struct kdapl_obj_table *table, u32 id,
		    struct kdapl_obj_hint *hint)
{
	struct kdapl_obj *obj = hint->obj;

	/* Pairs with kdapl_obj_retire(): who sees no new round is waited for. */
	if (likely(obj && hint->round == atomic64_read(&table->round) &&
		   obj->id == id))
		return obj;
	return kdapl_obj_search(table, id, hint);
}

/*
 * For a new object that needs another one: looks it up and adds a user.
 * NULL when there is none or it is being freed. Undone by kdapl_obj_unuse().
 */
struct kdapl_obj *kdapl_obj_use(struct kdapl_ia *ia, u32 id,
				enum kdapl_obj_type type);
void kdapl_obj_unuse(struct kdapl_obj *obj);

/* 0, or -EBUSY while another object needs it, -ENOENT when another was first. */
int kdapl_obj_retire(struct kdapl_obj *obj);
int kdapl_obj_destroy(struct kdapl_ia *ia, u32 id, enum kdapl_obj_type type);

/* The abrupt close: frees every object of @type. Nobody else may be at work. */
void kdapl_obj_destroy_all(struct kdapl_ia *ia, enum kdapl_obj_type type);

#endif /* KDAPL_OBJ_H */

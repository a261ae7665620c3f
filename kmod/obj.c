// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Objects of an IA: ids, references, and who may be freed when. */

#include <linux/limits.h>

#include "ia.h"
#include "obj.h"

void kdapl_obj_table_init(struct kdapl_obj_table *table, gfp_t gfp)
{
	xa_init_flags(&table->xa, XA_FLAGS_ALLOC1 | kdapl_xa_account(gfp));
	table->next = 0;
	atomic64_set(&table->round, 0);
}

void kdapl_obj_table_destroy(struct kdapl_obj_table *table)
{
	kdapl_table_end(&table->xa);
}

/* Ids go round through 2^31, so that a stale id misses what came after it. */
int kdapl_obj_init(struct kdapl_obj *obj, struct kdapl_ia *ia,
		   const struct kdapl_obj_ops *ops, u64 user)
{
	int ret;

	obj->ops = ops;
	obj->ia = ia;
	obj->user = user;
	refcount_set(&obj->users, 1);
	refcount_set(&obj->ref, 1);

	ret = xa_alloc_cyclic(&ia->objs.xa, &obj->id, NULL,
			      XA_LIMIT(1, INT_MAX), &ia->objs.next,
			      kdapl_ia_gfp(ia));
	if (ret == -EBUSY)
		return -ENOSPC;
	return ret < 0 ? ret : 0;
}

void kdapl_obj_publish(struct kdapl_obj *obj)
{
	/* The slot was reserved: this allocates nothing and cannot fail. */
	xa_store(&obj->ia->objs.xa, obj->id, obj, GFP_KERNEL);
}

void kdapl_obj_abort(struct kdapl_obj *obj)
{
	xa_erase(&obj->ia->objs.xa, obj->id);
	obj->ops->release(obj);
}

struct kdapl_obj *kdapl_obj_peek(struct kdapl_ia *ia, u32 id,
				 enum kdapl_obj_type type)
{
	struct kdapl_obj *obj = xa_load(&ia->objs.xa, id);

	if (!obj || obj->ops->type != type)
		return NULL;
	return obj;
}

struct kdapl_obj *kdapl_obj_search(struct kdapl_obj_table *table, u32 id,
				   struct kdapl_obj_hint *hint)
{
	/* Pairs with kdapl_obj_retire(): what goes after this makes another round. */
	s64 round = atomic64_read_acquire(&table->round);
	struct kdapl_obj *obj = xa_load(&table->xa, id);

	if (obj) {
		hint->obj = obj;
		hint->round = round;
	}
	return obj;
}

struct kdapl_obj *kdapl_obj_get(struct kdapl_ia *ia, u32 id,
				enum kdapl_obj_type type)
{
	struct kdapl_obj *obj;

	rcu_read_lock();
	obj = kdapl_obj_peek(ia, id, type);
	if (obj && !refcount_inc_not_zero(&obj->ref))
		obj = NULL;
	rcu_read_unlock();
	return obj;
}

static void obj_release_rcu(struct rcu_head *rcu)
{
	struct kdapl_obj *obj = container_of(rcu, struct kdapl_obj, rcu);

	obj->ops->release(obj);
}

void kdapl_obj_put(struct kdapl_obj *obj)
{
	if (refcount_dec_and_test(&obj->ref))
		call_rcu(&obj->rcu, obj_release_rcu);
}

struct kdapl_obj *kdapl_obj_use(struct kdapl_ia *ia, u32 id,
				enum kdapl_obj_type type)
{
	struct kdapl_obj *obj = kdapl_obj_get(ia, id, type);

	if (obj && !refcount_inc_not_zero(&obj->users)) {
		kdapl_obj_put(obj);
		return NULL;
	}
	return obj;
}

void kdapl_obj_unuse(struct kdapl_obj *obj)
{
	refcount_dec(&obj->users);
	kdapl_obj_put(obj);
}

int kdapl_obj_retire(struct kdapl_obj *obj)
{
	if (!refcount_dec_if_one(&obj->users))
		return refcount_read(&obj->users) ? -EBUSY : -ENOENT;
	xa_erase(&obj->ia->objs.xa, obj->id);
	/* Pairs with kdapl_obj_peek_hint(), and with kdapl_obj_search(). */
	smp_mb__before_atomic();
	atomic64_inc(&obj->ia->objs.round);
	return 0;
}

int kdapl_obj_destroy(struct kdapl_ia *ia, u32 id, enum kdapl_obj_type type)
{
	struct kdapl_obj *obj = kdapl_obj_get(ia, id, type);
	int ret;

	if (!obj)
		return -ENOENT;
	ret = kdapl_obj_retire(obj);
	if (!ret) {
		obj->ops->destroy(obj);
		kdapl_obj_put(obj);
	}
	kdapl_obj_put(obj);
	return ret;
}

void kdapl_obj_destroy_all(struct kdapl_ia *ia, enum kdapl_obj_type type)
{
	struct kdapl_obj *obj;
	unsigned long id;

	xa_for_each(&ia->objs.xa, id, obj) {
		if (obj->ops->type == type)
			WARN_ON(kdapl_obj_destroy(ia, id, type));
		/* There may be millions, of any type. */
		cond_resched();
	}
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Handles: their life, their kind, the consumer's context. */

#include <linux/export.h>
#include <linux/slab.h>

#include "kapi.h"

/* Of all IAs: one's EVD may have events of another one. */
static DEFINE_XARRAY_ALLOC1(words);
static u32 next_word;
/* Objects that are not among them any more, counted: never the same again. */
static atomic64_t gone;

int kapi_word_give(struct kapi_obj *obj)
{
	int ret = xa_alloc_cyclic(&words, &obj->word, obj, xa_limit_32b,
				  &next_word, GFP_KERNEL);

	return min(ret, 0);
}

void kapi_word_take(struct kapi_obj *obj)
{
	xa_erase(&words, obj->word);
	/* Pairs with kapi_live_hint(): who finds it in spite of this keeps an old round. */
	smp_mb__before_atomic();
	atomic64_inc(&gone);
}

void kapi_exit_words(void)
{
	kdapl_table_end(&words);
}

bool kapi_id(const struct kapi_ia *ia, DAT_HANDLE handle, DAT_HANDLE_TYPE type,
	     u32 *id)
{
	struct kapi_obj *obj = kapi_of(ia, handle, type);

	*id = obj ? obj->id : 0;
	return obj || !handle;
}

void *kapi_new(struct kapi_ia *ia, DAT_HANDLE_TYPE type, size_t size)
{
	struct kapi_obj *obj = kzalloc(size, GFP_KERNEL);

	if (!obj)
		return NULL;
	obj->provider = &kapi_provider;
	obj->magic = KAPI_MAGIC;
	obj->type = type;
	obj->ia = ia;
	if (kapi_word_give(obj))
		goto err;
	if (xa_err(xa_store(&ia->live, obj->word, obj, GFP_KERNEL)))
		goto err_word;
	return obj;

err_word:
	kapi_word_take(obj);
err:
	/* An event's old word may lead here for a moment. */
	kfree_rcu(obj, rcu);
	return NULL;
}

int kapi_tie(struct kapi_obj *obj, u32 id, enum kdapl_obj_type type)
{
	obj->id = id;
	obj->core = kdapl_obj_get(obj->ia->core, id, type);
	return obj->core ? 0 : -ENOENT;
}

void kapi_forget(struct kapi_obj *obj)
{
	xa_erase(&obj->ia->live, obj->word);
	kapi_word_take(obj);
	obj->magic = 0;
	if (obj->core)
		kdapl_obj_put(obj->core);
	kfree_rcu(obj, rcu);
}

int kapi_destroy(struct kapi_obj *obj, enum kdapl_obj_type type)
{
	struct kapi_ia *ia = obj->ia;
	int ret;

	kdapl_ia_enter_free(ia->core);
	ret = kdapl_obj_destroy(ia->core, obj->id, type);
	kdapl_ia_leave(ia->core);
	if (!ret)
		kapi_forget(obj);
	return ret;
}

struct kapi_obj *kapi_live(u64 word, DAT_HANDLE_TYPE type)
{
	struct kapi_obj *obj = word <= U32_MAX ? xa_load(&words, word) : NULL;

	return obj && obj->type == type ? obj : NULL;
}

struct kapi_obj *kapi_live_hint(u64 word, DAT_HANDLE_TYPE type,
				struct kapi_hint *hint)
{
	/* Pairs with kapi_word_take(): who sees no new round is waited for. */
	s64 round = atomic64_read_acquire(&gone);

	if (unlikely(!hint->obj || hint->round != round ||
		     hint->obj->word != word || hint->obj->type != type)) {
		hint->obj = kapi_live(word, type);
		hint->round = round;
	}
	return hint->obj;
}

static struct kapi_obj *any_obj(DAT_HANDLE handle)
{
	struct kapi_obj *obj = handle;

	return obj && obj->magic == KAPI_MAGIC ? obj : NULL;
}

DAT_RETURN dat_set_consumer_context(DAT_HANDLE handle, DAT_CONTEXT context)
{
	struct kapi_obj *obj = any_obj(handle);

	if (!obj)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	obj->context = context;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_set_consumer_context);

DAT_RETURN dat_get_consumer_context(DAT_HANDLE handle, DAT_CONTEXT *context)
{
	struct kapi_obj *obj = any_obj(handle);

	if (!obj)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	if (!context)
		return KAPI_BAD_ARG(2);
	*context = obj->context;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_get_consumer_context);

DAT_RETURN dat_get_handle_type(DAT_HANDLE handle, DAT_HANDLE_TYPE *type)
{
	struct kapi_obj *obj = any_obj(handle);

	if (!obj)
		return DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	if (!type)
		return KAPI_BAD_ARG(2);
	*type = obj->type;
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_get_handle_type);

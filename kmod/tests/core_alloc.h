/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory, as the module's own files get it when they are compiled for the tests:
 * where a test says so there is none (fault.h), and who pays for it is counted.
 */
#ifndef KDAPL_TEST_CORE_ALLOC_H
#define KDAPL_TEST_CORE_ALLOC_H

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "fake_cm.h"
#include "fault.h"

static inline void *fault_kzalloc(size_t size, gfp_t gfp)
{
	if (fault_hit("kzalloc"))
		return NULL;
	fake_count_payer(gfp);
	return kzalloc(size, gfp);
}

static inline void *fault_kvzalloc(size_t size, gfp_t gfp)
{
	if (fault_hit("kvzalloc"))
		return NULL;
	fake_count_payer(gfp);
	return kvzalloc(size, gfp);
}

static inline void *fault_kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	if (fault_hit("kvcalloc"))
		return NULL;
	fake_count_payer(gfp);
	return kvcalloc(n, size, gfp);
}

static inline void *fault_kvmalloc_array(size_t n, size_t size, gfp_t gfp)
{
	if (fault_hit("kvmalloc_array"))
		return NULL;
	fake_count_payer(gfp);
	return kvmalloc_array(n, size, gfp);
}

static inline void *fault_alloc_pages_exact(size_t size, gfp_t gfp)
{
	if (fault_hit("alloc_pages_exact"))
		return NULL;
	return alloc_pages_exact(size, gfp);
}

static inline void __percpu *fault_alloc_percpu(size_t size, size_t align)
{
	if (fault_hit("alloc_percpu"))
		return NULL;
	return __alloc_percpu(size, align);
}

static inline int fault_xa_alloc_cyclic(struct xarray *xa, u32 *id, void *entry,
					struct xa_limit limit, u32 *next,
					gfp_t gfp)
{
	if (fault_hit("xa_alloc_cyclic"))
		return -ENOMEM;
	return xa_alloc_cyclic(xa, id, entry, limit, next, gfp);
}

static inline int fault_xa_insert(struct xarray *xa, unsigned long index,
				  void *entry, gfp_t gfp)
{
	return fault_hit("xa_insert") ? -ENOMEM :
					xa_insert(xa, index, entry, gfp);
}

static inline void *fault_xa_store(struct xarray *xa, unsigned long index,
				   void *entry, gfp_t gfp)
{
	/* An array that gives ids has reserved the slot with the id. */
	if (!(xa->xa_flags & XA_FLAGS_TRACK_FREE) && fault_hit("xa_store"))
		return xa_mk_internal((unsigned long)-ENOMEM);
	return xa_store(xa, index, entry, gfp);
}

#undef kzalloc
#undef kvzalloc
#undef kvcalloc
#undef kvmalloc_array
#undef alloc_pages_exact
#undef alloc_percpu
#define kzalloc			fault_kzalloc
#define kvzalloc		fault_kvzalloc
#define kvcalloc		fault_kvcalloc
#define kvmalloc_array		fault_kvmalloc_array
#define alloc_pages_exact	fault_alloc_pages_exact
#define xa_alloc_cyclic		fault_xa_alloc_cyclic
#define xa_insert		fault_xa_insert
#define xa_store		fault_xa_store
#define alloc_percpu(type)						\
	((typeof(type) __percpu *)fault_alloc_percpu(sizeof(type),	\
						     __alignof__(type)))

#endif /* KDAPL_TEST_CORE_ALLOC_H */

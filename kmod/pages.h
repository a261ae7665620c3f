/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pages that the module mapped for a device: of a program, which it pinned itself, or of
 * the kernel.
 */
#ifndef KDAPL_PAGES_H
#define KDAPL_PAGES_H

#include <linux/mm_types.h>
#include <linux/refcount.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

#include "account.h"

struct kdapl_kmem;

/**
 * struct kdapl_pages - pinned pages
 * @ref: LMRs over them
 * @dev: the device that they are mapped for
 * @mm: who is charged, held by mmgrab(); NULL: nobody
 * @page: the pages
 * @npages: how many
 * @writable: the device may write them
 * @kernel: of the kernel, whose consumer keeps them; nothing is pinned
 * @sgt: mapped for DMA
 * @rcu: the list, not the pages, is there until a grace period is over
 */
struct kdapl_pages {
	refcount_t ref;
	struct ib_device *dev;
	struct mm_struct *mm;
	struct page **page;
	unsigned int npages;
	bool writable;
	bool kernel;
	struct sg_table sgt;
	struct rcu_head rcu;
};

/**
 * kdapl_pages_pin() - pin, charge and map memory of the calling process
 * @dev: the device that is to reach it
 * @addr: start; @addr + @length does not wrap
 * @length: bytes, not 0; the caller has bounded it
 * @writable: the device may write it
 * @why: filled with -EDQUOT; NULL: the pages are charged already
 */
struct kdapl_pages *kdapl_pages_pin(struct ib_device *dev, u64 addr, u64 length,
				    bool writable, struct kdapl_memlock *why);
/**
 * kdapl_pages_of_kernel() - map memory of the kernel
 * @dev: the device that is to reach it
 * @mem: the memory; its length is not 0, the caller has bounded it
 *
 * Process context. -EINVAL, -EFAULT: see kdapl_kmem_pages().
 */
struct kdapl_pages *kdapl_pages_of_kernel(struct ib_device *dev,
					  const struct kdapl_kmem *mem);
struct kdapl_pages *kdapl_pages_get(struct kdapl_pages *pages);
/* The last one unpins and uncharges. */
void kdapl_pages_put(struct kdapl_pages *pages);
/* Both are the same pages of memory in the same order. */
bool kdapl_pages_same(const struct kdapl_pages *a, const struct kdapl_pages *b);

#endif /* KDAPL_PAGES_H */

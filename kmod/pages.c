// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pages that the module mapped for a device. */

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "kmem.h"
#include "pages.h"

/* Pages that are pinned at a time: interrupts are off while the kernel finds them. */
#define PAGES_AT_ONCE	(PAGE_SIZE / sizeof(struct page *))

static void pages_release(struct kdapl_pages *pages, unsigned int npinned)
{
	unsigned int done, n;

	if (pages->kernel)
		return;
	for (done = 0; done < npinned; done += n) {
		n = min_t(unsigned int, npinned - done, PAGES_AT_ONCE);
		unpin_user_pages_dirty_lock(pages->page + done, n,
					    pages->writable);
		cond_resched();
	}
}

static int pages_pin(struct kdapl_pages *pages, unsigned long start)
{
	unsigned int flags = KDAPL_PIN_READ;
	unsigned int done = 0;
	int ret;

	if (pages->writable)
		flags = FOLL_LONGTERM | FOLL_WRITE;

	while (done < pages->npages) {
		ret = -EINTR;
		if (!fatal_signal_pending(current))
			ret = pin_user_pages_fast(start + done * PAGE_SIZE,
						  min_t(unsigned int, pages->npages - done,
							PAGES_AT_ONCE),
						  flags, pages->page + done);
		if (ret <= 0) {
			pages_release(pages, done);
			return ret ?: -EFAULT;
		}
		done += ret;
		cond_resched();
	}
	return 0;
}

/* What the kernel's own pages take is no process's. */
static gfp_t pages_gfp(bool kernel)
{
	return kernel ? GFP_KERNEL : GFP_KERNEL_ACCOUNT;
}

static int pages_map(struct kdapl_pages *pages, u64 addr, u64 length)
{
	int ret;

	ret = sg_alloc_table_from_pages_segment(&pages->sgt, pages->page,
						pages->npages,
						addr & ~PAGE_MASK, length,
						ib_dma_max_seg_size(pages->dev),
						pages_gfp(pages->kernel));
	if (ret)
		return ret;
	ret = ib_dma_map_sgtable_attrs(pages->dev, &pages->sgt,
				       DMA_BIDIRECTIONAL, 0);
	if (ret)
		sg_free_table(&pages->sgt);
	return ret;
}

/* The same process is uncharged, whoever frees. */
static void pages_uncharge(struct kdapl_pages *pages)
{
	if (!pages->mm)
		return;
	kdapl_memlock_uncharge(pages->mm, pages->npages);
	mmdrop(pages->mm);
}

static int pages_fill(struct kdapl_pages *pages, u64 addr, u64 length,
		      struct kdapl_memlock *why)
{
	int ret;

	if (why) {
		ret = kdapl_memlock_charge(pages->npages, why);
		if (ret)
			return ret;
		mmgrab(current->mm);
		pages->mm = current->mm;
	}
	ret = pages_pin(pages, addr & PAGE_MASK);
	if (ret)
		goto uncharge;
	ret = pages_map(pages, addr, length);
	if (!ret)
		return 0;

	pages_release(pages, pages->npages);
uncharge:
	pages_uncharge(pages);
	return ret;
}

static struct kdapl_pages *pages_alloc(struct ib_device *dev, u64 npages,
				       bool writable, bool kernel)
{
	struct kdapl_pages *pages;

	/* No kernel gives so much at a time, and it warns of who asks. */
	if (npages > INT_MAX / sizeof(*pages->page))
		return NULL;
	pages = kzalloc(sizeof(*pages), pages_gfp(kernel));
	if (!pages)
		return NULL;
	refcount_set(&pages->ref, 1);
	pages->dev = dev;
	pages->npages = npages;
	pages->writable = writable;
	pages->kernel = kernel;
	pages->page = kvmalloc_array(pages->npages, sizeof(*pages->page),
				     pages_gfp(kernel));
	if (!pages->page) {
		kfree(pages);
		return NULL;
	}
	return pages;
}

/* A consumer in the kernel may be posting of it: kdapl_lmr_sge_inline(). */
static void pages_free_rcu(struct rcu_head *rcu)
{
	struct kdapl_pages *pages = container_of(rcu, struct kdapl_pages, rcu);

	kvfree(pages->page);
	kfree(pages);
}

static void pages_free(struct kdapl_pages *pages)
{
	call_rcu(&pages->rcu, pages_free_rcu);
}

struct kdapl_pages *kdapl_pages_of_kernel(struct ib_device *dev,
					  const struct kdapl_kmem *mem)
{
	unsigned int offset = kdapl_kmem_offset(mem);
	struct kdapl_pages *pages;
	int ret;

	pages = pages_alloc(dev, kdapl_npages(offset, mem->length), true, true);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	ret = kdapl_kmem_pages(mem, pages->page);
	if (!ret)
		ret = pages_map(pages, offset, mem->length);
	if (ret) {
		pages_free(pages);
		return ERR_PTR(ret);
	}
	return pages;
}

struct kdapl_pages *kdapl_pages_pin(struct ib_device *dev, u64 addr, u64 length,
				    bool writable, struct kdapl_memlock *why)
{
	struct kdapl_pages *pages;
	int ret;

	pages = pages_alloc(dev, kdapl_npages(addr, length), writable,
			    false);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	ret = pages_fill(pages, addr, length, why);
	if (ret) {
		pages_free(pages);
		return ERR_PTR(ret);
	}
	if (pages->mm)
		kdapl_pinned_add((s64)pages->npages << PAGE_SHIFT);
	return pages;
}

struct kdapl_pages *kdapl_pages_get(struct kdapl_pages *pages)
{
	refcount_inc(&pages->ref);
	return pages;
}

bool kdapl_pages_same(const struct kdapl_pages *a, const struct kdapl_pages *b)
{
	return a->npages == b->npages &&
	       !memcmp(a->page, b->page, array_size(a->npages, sizeof(*a->page)));
}

void kdapl_pages_put(struct kdapl_pages *pages)
{
	if (!refcount_dec_and_test(&pages->ref))
		return;
	if (pages->mm)
		kdapl_pinned_add(-((s64)pages->npages << PAGE_SHIFT));
	ib_dma_unmap_sgtable_attrs(pages->dev, &pages->sgt, DMA_BIDIRECTIONAL,
				   0);
	sg_free_table(&pages->sgt);
	pages_release(pages, pages->npages);
	pages_uncharge(pages);
	pages_free(pages);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the core calls and the tests play: connections, the registration of memory
 * by work requests, and pages that are not there.
 */

#include <linux/bug.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../ep.h"
#include "../frwr.h"
#include "../kmem.h"
#include "../pages.h"
#include "fake_cm.h"
#include "fake_verbs.h"
#include "fault.h"

struct fake_cm fake_cm;

void kdapl_cm_init(struct kdapl_ep *ep)
{
}

int kdapl_cm_connect(struct kdapl_ep *ep, const struct kdapl_ep_connect *arg)
{
	if (fault_hit("kdapl_cm_connect"))
		return -ENOMEM;
	fake_cm.connects++;
	fake_cm.connect = *arg;
	return fake_cm.connect_result;
}

bool kdapl_cm_pending(const struct kdapl_ep *ep, const struct rdma_cm_id *id)
{
	return true;
}

void kdapl_cm_disconnect(struct kdapl_ep *ep)
{
	fake_cm.disconnects++;
}

void kdapl_cm_destroy(struct kdapl_ep *ep)
{
	fake_cm.destroys++;
}

void kdapl_cm_notify(struct kdapl_ep *ep)
{
	fake_cm.notifies++;
}

void kdapl_cm_query(struct kdapl_ep *ep, struct kdapl_ep_query *arg)
{
}

struct ib_mr *kdapl_frwr_register(struct kdapl_pz *pz, struct sg_table *sgt,
				  u64 iova, u64 length, int access)
{
	struct ib_mr *mr;

	if (fake_cm.register_error)
		return ERR_PTR(fake_cm.register_error);
	/* Only memory of the kernel is registered so: as any other, here. */
	mr = fake_reg_user_mr(pz->pd, iova, length, access);
	if (!IS_ERR(mr)) {
		fake_cm.access = access;
		fake_cm.registered++;
	}
	return mr;
}

void kdapl_frwr_invalidate(struct kdapl_pz *pz, struct ib_mr *mr)
{
	fake_cm.registered--;
}

void kdapl_frwr_destroy(struct kdapl_pz *pz)
{
}

static struct kdapl_pages *pages_new(void)
{
	struct kdapl_pages *pages = NULL;

	if (!fault_hit("pages"))
		pages = kzalloc(sizeof(*pages), GFP_KERNEL);
	if (pages)
		refcount_set(&pages->ref, 1);
	return pages;
}

/* An entry a page, at a DMA address that tells where the page is. */
struct kdapl_pages *kdapl_pages_pin(struct ib_device *dev, u64 addr, u64 length,
				    bool writable, struct kdapl_memlock *why)
{
	struct kdapl_pages *pages = pages_new();
	struct scatterlist *sg;
	unsigned int i;

	/* No test has memory of its own registered in this way. */
	if (!pages || WARN_ON(why || offset_in_page(addr | length))) {
		kfree(pages);
		return ERR_PTR(-ENOMEM);
	}
	pages->npages = length >> PAGE_SHIFT;
	pages->writable = writable;
	if (sg_alloc_table(&pages->sgt, pages->npages, GFP_KERNEL)) {
		kfree(pages);
		return ERR_PTR(-ENOMEM);
	}
	for_each_sg(pages->sgt.sgl, sg, pages->npages, i) {
		sg_dma_address(sg) = FAKE_DMA + addr + i * PAGE_SIZE;
		sg_dma_len(sg) = PAGE_SIZE;
	}
	fake_cm.pinned++;
	return pages;
}

int fake_map_sgtable(struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i;

	if (fault_hit("ib_dma_map_sgtable_attrs"))
		return -ENOMEM;
	for_each_sg(sgt->sgl, sg, sgt->orig_nents, i) {
		sg_dma_address(sg) = FAKE_DMA + sg_phys(sg);
		sg_dma_len(sg) = sg->length;
	}
	fake_cm.mapped++;
	return 0;
}

void fake_unmap_sgtable(struct sg_table *sgt)
{
	fake_cm.mapped--;
}

void *fake_vmalloc(unsigned long size, gfp_t gfp)
{
	if (fault_hit("__vmalloc"))
		return NULL;
	if (gfp & __GFP_ACCOUNT)
		fake_cm.charged++;
	else
		fake_cm.free++;
	return __vmalloc(size, gfp);
}

void fake_count_payer(gfp_t gfp)
{
	atomic_inc(gfp & __GFP_ACCOUNT ? &fake_cm.paid : &fake_cm.unpaid);
}

/* Of as many pieces as the test says: a page each, then the rest. */
struct kdapl_pages *kdapl_pages_of_kernel(struct ib_device *dev,
					  const struct kdapl_kmem *mem)
{
	struct kdapl_pages *pages = pages_new();
	u64 offset = kdapl_kmem_offset(mem), left = mem->length;
	struct scatterlist *sg;
	unsigned int i;

	if (!pages || sg_alloc_table(&pages->sgt, fake_cm.pieces, GFP_KERNEL)) {
		kfree(pages);
		return ERR_PTR(-ENOMEM);
	}
	pages->kernel = true;
	pages->writable = true;
	pages->page = fake_cm.page;
	pages->npages = fake_cm.npages;
	for_each_sg(pages->sgt.sgl, sg, fake_cm.pieces, i) {
		sg_dma_address(sg) = FAKE_DMA + i * FAKE_PIECE + offset;
		sg_dma_len(sg) = sg_is_last(sg) ? left :
				 min_t(u64, left, PAGE_SIZE - offset);
		left -= sg_dma_len(sg);
		offset = 0;
	}
	fake_cm.pinned++;
	return pages;
}

struct kdapl_pages *kdapl_pages_get(struct kdapl_pages *pages)
{
	refcount_inc(&pages->ref);
	return pages;
}

void kdapl_pages_put(struct kdapl_pages *pages)
{
	if (!refcount_dec_and_test(&pages->ref))
		return;
	fake_cm.pinned--;
	sg_free_table(&pages->sgt);
	kfree(pages);
}

bool kdapl_pages_same(const struct kdapl_pages *a, const struct kdapl_pages *b)
{
	WARN_ON(1);
	return false;
}

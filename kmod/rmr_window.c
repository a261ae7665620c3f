// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The windows of an RMR: MRs, each of which shows part of an LMR, or nothing.
 *
 * ib_map_mr_sg() rewrites the page table that the device reads, at once. So an
 * MR is mapped only while nobody can reach it: when it is new, or when its
 * invalidation is over, and then under a key that it never had. Whether an
 * invalidation that completed also waited for accesses that had begun depends
 * on the device: rxe and siw check a key and copy the data afterwards. For them
 * every bind takes a new MR, and the old one is deregistered, which waits.
 *
 * siw does not even wait then, but goes on to read pages that it was given. It keeps
 * those that it pinned itself, so there every window is registered like an LMR, at
 * once: nobody has its key before the bind returns.
 *
 * Work that the device holds points to the MR. An MR is deregistered only when
 * none of its work is left, by a worker: completions come where nothing may
 * sleep. What was flushed is in a state that nobody knows, and goes, too.
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include "account.h"
#include "frwr.h"
#include "ia.h"
#include "lmr.h"
#include "pages.h"
#include "rmr.h"

int kdapl_window_access(u32 privileges)
{
	int access = 0;

	if (privileges & KDAPL_PRIV_REMOTE_READ)
		access |= IB_ACCESS_REMOTE_READ;
	if (privileges & KDAPL_PRIV_REMOTE_WRITE)
		access |= IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE;
	return access;
}

void kdapl_window_free(struct kdapl_window *window)
{
	struct kdapl_ia *ia = window->ia;

	/* Before the device can give the key to another one. */
	xa_cmpxchg(&ia->windows, kdapl_key_index(window->mr->rkey), window,
		   NULL, 0);
	/* A device that keeps its access keeps the pages as well. */
	if (ib_dereg_mr(window->mr)) {
		pr_warn_ratelimited("%s keeps an MR\n", ia->name);
		return;
	}
	if (window->lmr)
		kdapl_obj_unuse(&window->lmr->obj);
	kdapl_cgroup_uncharge(ia->dev, &window->cg, RDMACG_RESOURCE_HCA_OBJECT);
	kfree_rcu(window, rcu);
}

static void reap(struct work_struct *work)
{
	struct kdapl_reaper *reaper =
		container_of(work, struct kdapl_reaper, work);
	struct kdapl_window *window, *next;
	LIST_HEAD(dead);

	spin_lock_bh(&reaper->lock);
	list_splice_init(&reaper->dead, &dead);
	spin_unlock_bh(&reaper->lock);
	list_for_each_entry_safe(window, next, &dead, list)
		kdapl_window_free(window);
}

void kdapl_reaper_init(struct kdapl_reaper *reaper)
{
	spin_lock_init(&reaper->lock);
	INIT_LIST_HEAD(&reaper->dead);
	INIT_WORK(&reaper->work, reap);
}

void kdapl_reaper_flush(struct kdapl_reaper *reaper)
{
	flush_work(&reaper->work);
}

void kdapl_window_bury(struct kdapl_window *window)
{
	struct kdapl_reaper *reaper = &window->ia->reaper;

	spin_lock(&reaper->lock);
	list_add_tail(&window->list, &reaper->dead);
	spin_unlock(&reaper->lock);
	queue_work(kdapl_workqueue, &reaper->work);
}

static struct kdapl_window *window_alloc(struct kdapl_rmr *rmr,
					 unsigned int npages)
{
	struct kdapl_ia *ia = rmr->obj.ia;
	struct kdapl_window *window;
	int ret;

	window = kzalloc(sizeof(*window), kdapl_ia_gfp(ia));
	if (!window)
		return ERR_PTR(-ENOMEM);
	window->ia = ia;
	window->rmr = rmr;
	window->npages = npages;
	ret = kdapl_ia_charge(ia, &window->cg, RDMACG_RESOURCE_HCA_OBJECT);
	if (ret) {
		kfree(window);
		return ERR_PTR(ret);
	}
	return window;
}

/* With its MR, or the error that stands in its place. */
static struct kdapl_window *window_made(struct kdapl_window *window)
{
	struct ib_mr *mr = window->mr;

	if (!IS_ERR(mr))
		return window;
	kdapl_cgroup_uncharge(window->ia->dev, &window->cg,
			      RDMACG_RESOURCE_HCA_OBJECT);
	kfree(window);
	return ERR_CAST(mr);
}

/* A read can name it by its key: kdapl_rmr_sge(). So can the peer: kdapl_rmr_lost(). */
static struct kdapl_window *window_list(struct kdapl_window *window)
{
	struct kdapl_ia *ia = window->ia;
	int ret;

	ret = xa_insert(&ia->windows, kdapl_key_index(window->mr->rkey), window,
			GFP_KERNEL);
	if (!ret)
		return window;
	kdapl_window_free(window);
	return ERR_PTR(ret);
}

static struct kdapl_window *window_create(struct kdapl_rmr *rmr,
					  unsigned int npages)
{
	struct kdapl_window *window = window_alloc(rmr, npages);

	if (IS_ERR(window))
		return window;
	window->mr = ib_alloc_mr(rmr->pz->pd, IB_MR_TYPE_MEM_REG, npages);
	window = window_made(window);
	return IS_ERR(window) ? window : window_list(window);
}

static void window_shows(struct kdapl_window *window,
			 const struct kdapl_rmr_bind *arg)
{
	window->addr = arg->addr;
	window->length = arg->length;
	window->privileges = arg->privileges;
}

/* One over what is to be bound, pinned and charged by the device. */
static struct kdapl_window *window_register(struct kdapl_rmr *rmr,
					    const struct kdapl_rmr_bind *arg)
{
	struct kdapl_window *window = window_alloc(rmr, 0);
	struct kdapl_memlock why;

	if (IS_ERR(window))
		return window;
	window->registered = true;
	window_shows(window, arg);
	window->mr = ib_reg_user_mr(rmr->pz->pd, arg->addr, arg->length,
				    arg->addr,
				    kdapl_window_access(arg->privileges));
	window = window_made(window);
	if (!IS_ERR(window))
		return window_list(window);
	return ERR_PTR(kdapl_memlock_explain(PTR_ERR(window),
					     kdapl_npages(arg->addr, arg->length),
					     &why));
}

/* One that is not bound: the spare one if it will do. Caller holds the mutex. */
static struct kdapl_window *window_take(struct kdapl_rmr *rmr,
					unsigned int npages)
{
	struct kdapl_window *spare;

	spin_lock_bh(&rmr->lock);
	spare = rmr->spare;
	rmr->spare = NULL;
	spin_unlock_bh(&rmr->lock);
	if (spare && spare->npages >= npages)
		return spare;
	if (spare)
		kdapl_window_free(spare);
	return window_create(rmr, npages);
}

void kdapl_window_put_work(struct kdapl_window *window)
{
	if (!--window->works && window->dead)
		kdapl_window_bury(window);
}

void kdapl_window_retire(struct kdapl_rmr *rmr, struct kdapl_window *window)
{
	if (!rmr->obj.ia->rmr_reuse || window->registered || rmr->spare ||
	    window->keys == KDAPL_RMR_KEYS) {
		window->dead = true;
		return;
	}
	kdapl_obj_unuse(&window->lmr->obj);
	window->lmr = NULL;
	rmr->spare = window;
}

/*
 * The LMR's pages, pinned once more: the driver that registered them does not
 * say which they are. They are not charged a second time, because they are not
 * pinned a second time either, unless the program put other pages there
 * meanwhile; then an LMR holds at most twice what was charged for it, and all of
 * it the program's own. They stay until the LMR is freed.
 */
static const struct sg_table *lmr_pages(struct kdapl_lmr *lmr)
{
	bool writable = lmr->privileges & (KDAPL_PRIV_LOCAL_WRITE |
					   KDAPL_PRIV_REMOTE_WRITE);
	struct kdapl_pages *pages = lmr->pages;

	if (pages)
		return &pages->sgt;
	if (mutex_lock_killable(&lmr->bind_lock))
		return ERR_PTR(-EINTR);
	if (!lmr->bind_pages) {
		pages = kdapl_pages_pin(lmr->obj.ia->dev, lmr->addr,
					lmr->length, writable, NULL);
		if (!IS_ERR(pages))
			lmr->bind_pages = pages;
	} else {
		pages = lmr->bind_pages;
	}
	mutex_unlock(&lmr->bind_lock);
	return IS_ERR(pages) ? ERR_CAST(pages) : &pages->sgt;
}

/*
 * The part of @sgt from @offset on, @length bytes, in @part; how many entries
 * that are. Only counted where @part is NULL.
 */
static int sg_part(const struct sg_table *sgt, u64 offset, u64 length,
		   struct scatterlist *part)
{
	struct scatterlist *sg;
	unsigned int i;
	u64 bytes;
	int n = 0;

	for_each_sg(sgt->sgl, sg, sgt->nents, i) {
		bytes = sg_dma_len(sg);
		if (offset >= bytes) {
			offset -= bytes;
			continue;
		}
		bytes = min(bytes - offset, length);
		if (part) {
			sg_dma_address(&part[n]) = sg_dma_address(sg) + offset;
			sg_dma_len(&part[n]) = bytes;
		}
		n++;
		offset = 0;
		length -= bytes;
		if (!length)
			break;
	}
	return length ? -EINVAL : n;
}

static int window_map(struct kdapl_window *window, const struct sg_table *sgt,
		      const struct kdapl_rmr_bind *arg)
{
	u64 offset = arg->addr - window->lmr->addr;
	struct scatterlist *part;
	int n, ret;

	n = sg_part(sgt, offset, arg->length, NULL);
	if (n < 0)
		return n;
	part = kvmalloc_array(n, sizeof(*part),
			      kdapl_ia_gfp(window->lmr->obj.ia));
	if (!part)
		return -ENOMEM;
	sg_init_table(part, n);
	sg_part(sgt, offset, arg->length, part);
	ret = kdapl_frwr_map(window->mr, part, n, arg->addr, arg->length);
	kvfree(part);
	return ret;
}

/* A window over what is to be bound, mapped by the module. */
static struct kdapl_window *window_mapped(struct kdapl_rmr *rmr,
					  struct kdapl_lmr *lmr,
					  const struct kdapl_rmr_bind *arg)
{
	const struct sg_table *sgt = lmr_pages(lmr);
	struct kdapl_window *window;
	int ret;

	if (IS_ERR(sgt))
		return ERR_CAST(sgt);
	window = window_take(rmr, kdapl_npages(arg->addr, arg->length));
	if (IS_ERR(window))
		return window;
	window->lmr = lmr;
	ret = window_map(window, sgt, arg);
	if (ret) {
		window->lmr = NULL;
		kdapl_window_free(window);
		return ERR_PTR(ret);
	}
	window_shows(window, arg);
	window->idle_key = window->mr->rkey;
	ib_update_fast_reg_key(window->mr, ib_inc_rkey(window->mr->rkey));
	window->keys++;
	return window;
}

struct kdapl_window *kdapl_window_over(struct kdapl_rmr *rmr,
				       struct kdapl_lmr *lmr,
				       const struct kdapl_rmr_bind *arg)
{
	struct kdapl_window *window;

	if (!rmr->obj.ia->rmr_register)
		return window_mapped(rmr, lmr, arg);
	window = window_register(rmr, arg);
	if (!IS_ERR(window))
		window->lmr = lmr;
	return window;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* LMR: registered memory, of a program or of the kernel. */

#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "account.h"
#include "adapter.h"
#include "fmr.h"
#include "frwr.h"
#include "ia.h"
#include "kmem.h"
#include "lmr.h"
#include "lmr_shared.h"
#include "pages.h"

/* The kernel may move pages when they are pinned: once, then they stay. */
#define SHARED_TRIES	4

static bool lmr_type_known(u32 mem_type)
{
	switch (mem_type) {
	case KDAPL_MEM_VIRTUAL:
	case KDAPL_MEM_LMR:
	case KDAPL_MEM_SHARED:
	case KDAPL_MEM_SO_VIRTUAL:
		return true;
	}
	return false;
}

/* The kernel's memory is for no atomic operations: there are no calls for them. */
static u32 lmr_privileges(const struct kdapl_ia *ia)
{
	return ia->kernel ? KDAPL_PRIV_ALL :
			    KDAPL_PRIV_ALL | KDAPL_PRIV_REMOTE_ATOMIC;
}

/* What a type has no use for is zero. */
static int lmr_check(const struct kdapl_ia *ia,
		     const struct kdapl_lmr_create *arg)
{
	if (arg->privileges & ~lmr_privileges(ia) || arg->pad)
		return -EINVAL;
	if (!lmr_type_known(arg->mem_type))
		return -EINVAL;
	/* It has no memory of its own at hand: kdapl_lmr_create_over(). */
	if (ia->kernel && arg->mem_type != KDAPL_MEM_LMR)
		return -EINVAL;
	if (arg->mem_type != KDAPL_MEM_SHARED &&
	    memchr_inv(arg->cookie, 0, sizeof(arg->cookie)))
		return -EINVAL;
	/* A device that registers neither way; or one without atomic operations. */
	if (!ia->max_lmr_size ||
	    (arg->privileges & KDAPL_PRIV_REMOTE_ATOMIC && !ia->atomic))
		return -EOPNOTSUPP;
	if (arg->mem_type == KDAPL_MEM_LMR)
		return arg->addr || arg->length ? -EINVAL : 0;
	if (arg->source)
		return -EINVAL;
	if (!arg->length || arg->length > ia->max_lmr_size)
		return -EINVAL;
	if (arg->addr > TASK_SIZE || arg->length > TASK_SIZE - arg->addr)
		return -EINVAL;
	return 0;
}

/*
 * DAT's privileges as the device wants them. Local use is held to the
 * privileges by kdapl_lmr_sge(), so the device may be told more:
 *
 * Verbs want local write with remote write and atomic operations, DAT does not. iWARP's RDMA read
 * names its sink to the peer like the target of a write, and most of its
 * devices want remote write there; siw checks for local write alone.
 */
int kdapl_lmr_access(const struct kdapl_lmr *lmr)
{
	const struct kdapl_ia *ia = lmr->obj.ia;
	int access = 0;

	if (lmr->privileges & KDAPL_PRIV_LOCAL_WRITE) {
		access |= IB_ACCESS_LOCAL_WRITE;
		if (ia->iwarp && ia->dev->ops.driver_id != RDMA_DRIVER_SIW)
			access |= IB_ACCESS_REMOTE_WRITE;
	}
	if (lmr->privileges & KDAPL_PRIV_REMOTE_READ)
		access |= IB_ACCESS_REMOTE_READ;
	if (lmr->privileges & KDAPL_PRIV_REMOTE_WRITE)
		access |= IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE;
	if (lmr->privileges & KDAPL_PRIV_REMOTE_ATOMIC)
		access |= IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_LOCAL_WRITE;
	if (lmr->relaxed)
		access |= IB_ACCESS_RELAXED_ORDERING;
	return access;
}

/*
 * The driver pins the pages and charges for them. It keeps its list of them to
 * itself: an LMR over another one is registered by its addresses once more, and
 * is over what the program has there now.
 */
static int lmr_register_user(struct kdapl_lmr *lmr, int access,
			     struct kdapl_memlock *why)
{
	u64 npages = kdapl_npages(lmr->addr, lmr->length);
	struct ib_mr *mr;

	mr = ib_reg_user_mr(lmr->pz->pd, lmr->addr, lmr->length, lmr->addr,
			    access);
	if (IS_ERR(mr))
		return kdapl_memlock_explain(PTR_ERR(mr), npages, why);
	lmr->mr = mr;
	kdapl_pinned_add(npages << PAGE_SHIFT);
	return 0;
}

/* The pages of another LMR are taken as they are, where they do. */
static struct kdapl_pages *lmr_pages(struct kdapl_lmr *lmr,
				     const struct kdapl_lmr *source,
				     bool writable, struct kdapl_memlock *why)
{
	struct kdapl_pages *pages;

	if (source && (source->pages->writable || !writable))
		return kdapl_pages_get(source->pages);

	pages = kdapl_pages_pin(lmr->obj.ia->dev, lmr->addr, lmr->length,
				writable, why);
	if (source && !IS_ERR(pages) &&
	    !kdapl_pages_same(pages, source->pages)) {
		kdapl_pages_put(pages);
		return ERR_PTR(-EFAULT);
	}
	return pages;
}

/* The pages are the LMR's, or put. */
static int lmr_register_pages(struct kdapl_lmr *lmr, struct kdapl_pages *pages,
			      int access)
{
	struct ib_mr *mr;

	mr = kdapl_frwr_register(lmr->pz, &pages->sgt, lmr->addr, lmr->length,
				 access);
	if (IS_ERR(mr)) {
		kdapl_pages_put(pages);
		return PTR_ERR(mr);
	}
	lmr->mr = mr;
	lmr->pages = pages;
	return 0;
}

static int lmr_register_frwr(struct kdapl_lmr *lmr,
			     const struct kdapl_lmr *source, int access,
			     struct kdapl_memlock *why)
{
	struct kdapl_pages *pages;

	pages = lmr_pages(lmr, source, ib_access_writable(access), why);
	if (IS_ERR(pages))
		return PTR_ERR(pages);
	return lmr_register_pages(lmr, pages, access);
}

/*
 * The PD's key for all of memory is none that a peer can use, where the IA has one; siw's
 * would be: kdapl_pz_create() takes it away. iWARP names the sink of a read to the peer,
 * which is nothing for such a key.
 */
static bool lmr_can_be_direct(const struct kdapl_lmr *lmr,
			      const struct kdapl_pages *pages)
{
	u32 needs_mr = KDAPL_PRIV_REMOTE_READ | KDAPL_PRIV_REMOTE_WRITE;

	if (lmr->obj.ia->iwarp)
		needs_mr |= KDAPL_PRIV_LOCAL_WRITE;
	return lmr->obj.ia->local_key && !(lmr->privileges & needs_mr) &&
	       pages->sgt.nents == 1;
}

static int lmr_register_kernel(struct kdapl_lmr *lmr,
			       const struct kdapl_kmem *mem)
{
	struct kdapl_pages *pages;
	int ret;

	pages = kdapl_pages_of_kernel(lmr->obj.ia->dev, mem);
	if (IS_ERR(pages))
		return PTR_ERR(pages);
	if (lmr_can_be_direct(lmr, pages)) {
		lmr->pages = pages;
		lmr->base = sg_dma_address(pages->sgt.sgl);
		lmr->lkey = lmr->pz->local_key;
		return 0;
	}
	ret = lmr_register_pages(lmr, pages, kdapl_lmr_access(lmr));
	if (!ret)
		lmr->lkey = lmr->mr->lkey;
	return ret;
}

/* @source: the LMR whose memory it is, or NULL. */
static int lmr_register(struct kdapl_lmr *lmr, const struct kdapl_lmr *source,
			struct kdapl_memlock *why)
{
	struct kdapl_ia *ia = lmr->obj.ia;
	int access = kdapl_lmr_access(lmr);
	int ret;

	ret = kdapl_ia_charge(ia, &lmr->cg, RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		return ret;
	if (ia->frwr)
		ret = lmr_register_frwr(lmr, source, access, why);
	else
		ret = lmr_register_user(lmr, access, why);
	if (ret) {
		kdapl_cgroup_uncharge(ia->dev, &lmr->cg,
				      RDMACG_RESOURCE_HCA_OBJECT);
		return ret;
	}
	lmr->lkey = lmr->mr->lkey;
	return 0;
}

static void lmr_deregister(struct kdapl_lmr *lmr)
{
	struct kdapl_ia *ia = lmr->obj.ia;
	s64 pinned = kdapl_npages(lmr->addr, lmr->length) << PAGE_SHIFT;
	struct kdapl_pages *pages = NULL;

	if (lmr->fmr)
		kdapl_fmr_stop(lmr);
	/* A device that keeps its access keeps the pages as well. */
	if (lmr->mr && WARN_ON(ib_dereg_mr(lmr->mr)))
		return;
	lmr->mr = NULL;
	spin_lock_bh(&lmr->sync_lock);
	swap(pages, lmr->pages);
	spin_unlock_bh(&lmr->sync_lock);
	if (lmr->fmr)
		kdapl_fmr_unmap(lmr);
	else if (pages)
		kdapl_pages_put(pages);
	else
		kdapl_pinned_add(-pinned);
	if (lmr->bind_pages)
		kdapl_pages_put(lmr->bind_pages);
	lmr->bind_pages = NULL;
	kdapl_cgroup_uncharge(ia->dev, &lmr->cg, RDMACG_RESOURCE_HCA_OBJECT);
}

/* Of a device that is there. */
static void lmr_invalidate(struct kdapl_lmr *lmr)
{
	if (lmr->mr && lmr->pages)
		kdapl_frwr_invalidate(lmr->pz, lmr->mr);
	lmr_deregister(lmr);
}

static int lmr_register_watched(struct kdapl_lmr *lmr, const u8 *cookie,
				struct kdapl_shared_watch *watch,
				struct kdapl_memlock *why)
{
	struct kdapl_shared *shared;
	int ret;

	kdapl_shared_watch_begin(watch);
	shared = kdapl_shared_join(lmr->obj.ia->adapter, cookie, lmr->addr,
				   lmr->length);
	if (IS_ERR(shared))
		return PTR_ERR(shared);
	ret = lmr_register(lmr, NULL, why);
	if (!ret && kdapl_shared_watch_moved(watch)) {
		lmr_invalidate(lmr);
		ret = -EAGAIN;
	}
	if (ret)
		kdapl_shared_leave(shared);
	else
		lmr->shared = shared;
	return ret;
}

/*
 * What is pinned has to be what was found at the addresses, but both take the
 * lock of the address space for themselves. So it is watched from before the one
 * to behind the other, and when anything was unmapped meanwhile all is done again.
 */
static int lmr_register_shared(struct kdapl_lmr *lmr, const u8 *cookie,
			       struct kdapl_memlock *why)
{
	struct kdapl_shared_watch watch;
	int tries = SHARED_TRIES;
	int ret;

	ret = kdapl_shared_watch(&watch, lmr->addr, lmr->length);
	if (ret)
		return ret;
	do {
		ret = lmr_register_watched(lmr, cookie, &watch, why);
	} while (ret == -EAGAIN && --tries);
	kdapl_shared_unwatch(&watch);
	return ret == -EAGAIN ? -EBADFD : ret;
}

/* Some of it is still the device's. */
static bool lmr_is_live(const struct kdapl_lmr *lmr)
{
	return lmr->mr || lmr->pages;
}

void kdapl_lmr_kill(struct kdapl_lmr *lmr)
{
	if (lmr_is_live(lmr))
		lmr_deregister(lmr);
}

static void lmr_destroy(struct kdapl_obj *obj)
{
	struct kdapl_lmr *lmr = to_lmr(obj);

	/*
	 * It was taken out of the table: after this no drainer takes its lkey.
	 * A receive that is parked may have it, as one that is posted may: the device stops
	 * at an MR that is gone, but not where the PD's key serves. Nothing that is posted
	 * may name an LMR that is freed.
	 */
	kdapl_sq_sync(&obj->ia->sq);
	if (lmr_is_live(lmr))
		lmr_invalidate(lmr);
	if (lmr->shared)
		kdapl_shared_leave(lmr->shared);
	kdapl_obj_unuse(&lmr->pz->obj);
}

static void lmr_release(struct kdapl_obj *obj)
{
	kdapl_fmr_free(to_lmr(obj)->fmr);
	kfree(to_lmr(obj));
}

const struct kdapl_obj_ops kdapl_lmr_ops = {
	.type = KDAPL_OBJ_LMR,
	.destroy = lmr_destroy,
	.release = lmr_release,
};

static struct kdapl_lmr *lmr_alloc(struct kdapl_ia *ia,
				   const struct kdapl_lmr_create *arg)
{
	struct kdapl_lmr *lmr;
	struct kdapl_obj *pz;
	int ret;

	lmr = kzalloc(sizeof(*lmr), kdapl_ia_gfp(ia));
	if (!lmr)
		return ERR_PTR(-ENOMEM);
	mutex_init(&lmr->bind_lock);
	spin_lock_init(&lmr->sync_lock);
	lmr->addr = arg->addr;
	lmr->base = arg->addr;
	lmr->length = arg->length;
	lmr->privileges = arg->privileges;
	lmr->relaxed = arg->mem_type == KDAPL_MEM_VIRTUAL && ia->relaxed;

	ret = kdapl_obj_init(&lmr->obj, ia, &kdapl_lmr_ops, 0);
	if (ret) {
		kfree(lmr);
		return ERR_PTR(ret);
	}
	pz = kdapl_obj_use(ia, arg->pz, KDAPL_OBJ_PZ);
	if (!pz) {
		kdapl_obj_abort(&lmr->obj);
		return ERR_PTR(-ENOENT);
	}
	lmr->pz = to_pz(pz);
	return lmr;
}

/* Over the memory of another LMR, which stays while this takes. */
static int lmr_register_source(struct kdapl_lmr *lmr, u32 id,
			       struct kdapl_memlock *why)
{
	struct kdapl_obj *obj;
	struct kdapl_lmr *source;
	int ret;

	obj = kdapl_obj_use(lmr->obj.ia, id, KDAPL_OBJ_LMR);
	if (!obj)
		return -ENOENT;
	source = to_lmr(obj);
	if (source->fmr) {
		/* Its memory can be another any time. */
		ret = -EBADFD;
	} else {
		lmr->addr = source->addr;
		lmr->base = source->addr;
		lmr->length = source->length;
		lmr->relaxed = source->relaxed;
		ret = lmr_register(lmr, source, why);
	}
	kdapl_obj_unuse(obj);
	return ret == -EFAULT ? -EBADFD : ret;
}

static int lmr_register_type(struct kdapl_lmr *lmr,
			     const struct kdapl_lmr_create *arg,
			     struct kdapl_memlock *why)
{
	switch (arg->mem_type) {
	case KDAPL_MEM_LMR:
		return lmr_register_source(lmr, arg->source, why);
	case KDAPL_MEM_SHARED:
		return lmr_register_shared(lmr, arg->cookie, why);
	default:
		return lmr_register(lmr, NULL, why);
	}
}

/* Registering did not succeed. */
static void lmr_abort(struct kdapl_lmr *lmr)
{
	kdapl_obj_unuse(&lmr->pz->obj);
	kdapl_obj_abort(&lmr->obj);
}

static void lmr_publish(struct kdapl_lmr *lmr, struct kdapl_lmr_create *arg)
{
	arg->id = lmr->obj.id;
	arg->addr = lmr->addr;
	arg->length = lmr->length;
	arg->rkey = 0;
	if (arg->privileges & (KDAPL_PRIV_REMOTE_READ | KDAPL_PRIV_REMOTE_WRITE |
			       KDAPL_PRIV_REMOTE_ATOMIC))
		arg->rkey = lmr->mr->rkey;
	if (arg->mem_type == KDAPL_MEM_VIRTUAL && !lmr->relaxed)
		arg->mem_type = KDAPL_MEM_SO_VIRTUAL;
	kdapl_obj_publish(&lmr->obj);
}

static int lmr_check_over(const struct kdapl_ia *ia,
			  const struct kdapl_lmr_create *arg,
			  const struct kdapl_kmem *mem)
{
	if (!ia->kernel || arg->privileges & ~KDAPL_PRIV_ALL)
		return -EINVAL;
	if (!ia->max_lmr_size)
		return -EOPNOTSUPP;
	if (!mem->length || mem->length > ia->max_lmr_size ||
	    mem->length > -arg->addr - 1)
		return -EINVAL;
	if (offset_in_page((unsigned long)arg->addr) != kdapl_kmem_offset(mem))
		return -EINVAL;
	return 0;
}

int kdapl_lmr_create_over(struct kdapl_ia *ia, struct kdapl_lmr_create *arg,
			  const struct kdapl_kmem *mem)
{
	struct kdapl_lmr *lmr;
	int ret;

	ret = lmr_check_over(ia, arg, mem);
	if (ret)
		return ret;
	arg->mem_type = KDAPL_MEM_VIRTUAL;
	arg->length = mem->length;
	lmr = lmr_alloc(ia, arg);
	if (IS_ERR(lmr))
		return PTR_ERR(lmr);
	ret = lmr_register_kernel(lmr, mem);
	if (ret)
		lmr_abort(lmr);
	else
		lmr_publish(lmr, arg);
	return ret;
}

int kdapl_lmr_create_empty(struct kdapl_ia *ia, struct kdapl_lmr_create *arg,
			   u32 max_pages)
{
	struct kdapl_lmr *lmr;
	int ret;

	if (!ia->kernel)
		return -EINVAL;
	arg->mem_type = KDAPL_MEM_VIRTUAL;
	arg->privileges = 0;
	lmr = lmr_alloc(ia, arg);
	if (IS_ERR(lmr))
		return PTR_ERR(lmr);
	ret = kdapl_fmr_make(lmr, max_pages);
	if (ret)
		lmr_abort(lmr);
	else
		lmr_publish(lmr, arg);
	return ret;
}

int kdapl_lmr_create(struct kdapl_ia *ia, struct kdapl_lmr_create *arg)
{
	struct kdapl_memlock why = {};
	struct kdapl_lmr *lmr;
	int ret;

	ret = lmr_check(ia, arg);
	if (ret)
		return ret;
	lmr = lmr_alloc(ia, arg);
	if (IS_ERR(lmr))
		return PTR_ERR(lmr);

	ret = lmr_register_type(lmr, arg, &why);
	if (ret) {
		arg->memlock_limit = why.limit;
		arg->memlock_needed = why.needed;
		lmr_abort(lmr);
		return ret;
	}
	lmr_publish(lmr, arg);
	return 0;
}

/* Of no LMR: it may be of the reserved one. */
static enum kdapl_dto_status reserved_sge(const struct kdapl_ia *ia,
					  const struct kdapl_pz *pz,
					  const struct kdapl_seg *seg,
					  struct ib_sge *sge)
{
	if (seg->lmr != KDAPL_LMR_RESERVED || !ia->local_key)
		return DAT_DTO_ERR_LOCAL_PROTECTION;
	sge->addr = seg->addr;
	sge->length = seg->length;
	sge->lkey = pz->local_key;
	return DAT_DTO_SUCCESS;
}

static enum kdapl_dto_status lmr_sge(const struct kdapl_lmr *lmr,
				     const struct kdapl_seg *seg, u32 privilege,
				     struct ib_sge *sge)
{
	/* Below the start it wraps to something larger than any LMR. */
	u64 offset = seg->addr - lmr->addr;

	if ((lmr->privileges & privilege) != privilege ||
	    offset > lmr->length || seg->length > lmr->length - offset)
		return DAT_DTO_ERR_LOCAL_PROTECTION;
	sge->addr = lmr->base + offset;
	sge->length = seg->length;
	sge->lkey = lmr->lkey;
	return DAT_DTO_SUCCESS;
}

/* Of what the last request ties it to. */
static enum kdapl_dto_status fmr_sge(const struct kdapl_lmr *lmr,
				     const struct kdapl_seg *seg, u32 privilege,
				     struct ib_sge *sge)
{
	enum kdapl_dto_status status = DAT_DTO_ERR_LOCAL_PROTECTION;

	spin_lock_bh(&lmr->fmr->lock);
	if (lmr->fmr->state == KDAPL_FMR_TIED)
		status = lmr_sge(lmr, seg, privilege, sge);
	spin_unlock_bh(&lmr->fmr->lock);
	return status;
}

static __always_inline enum kdapl_dto_status
obj_sge(const struct kdapl_obj *obj, const struct kdapl_ia *ia,
	const struct kdapl_pz *pz, const struct kdapl_seg *seg, u32 privilege,
	struct ib_sge *sge)
{
	const struct kdapl_lmr *lmr;

	if (!obj || obj->ops->type != KDAPL_OBJ_LMR)
		return reserved_sge(ia, pz, seg, sge);
	lmr = container_of(obj, struct kdapl_lmr, obj);
	if (lmr->pz != pz)
		return DAT_DTO_ERR_LOCAL_PROTECTION;
	return lmr->fmr ? fmr_sge(lmr, seg, privilege, sge) :
			  lmr_sge(lmr, seg, privilege, sge);
}

enum kdapl_dto_status kdapl_lmr_sge(struct kdapl_ia *ia, const struct kdapl_pz *pz,
				    const struct kdapl_seg *seg, u32 privilege,
				    struct kdapl_obj_hint *hint,
				    struct ib_sge *sge)
{
	return obj_sge(kdapl_obj_peek_hint(&ia->objs, seg->lmr, hint), ia, pz,
		       seg, privilege, sge);
}

/* ---- what a request carries itself ---------------------------------------- */

/*
 * Where the processor finds a segment of the LMR; NULL when that is not one place. Who
 * frees the LMR meanwhile frees the list of its pages a grace period later.
 */
static void *lmr_at(const struct kdapl_lmr *lmr, const struct kdapl_seg *seg)
{
	const struct kdapl_pages *pages = READ_ONCE(lmr->pages);
	u64 offset = offset_in_page(lmr->addr) + (seg->addr - lmr->addr);
	unsigned long in_page = offset_in_page(offset);
	void *page;

	/* What a fast registration ties it to has no list of pages. */
	if (!pages || in_page + seg->length > PAGE_SIZE)
		return NULL;
	/* It was checked; not by a processor that guesses. */
	page = page_address(pages->page[array_index_nospec(offset >> PAGE_SHIFT,
							   pages->npages)]);
	return page ? page + in_page : NULL;
}

enum kdapl_dto_status kdapl_lmr_sge_inline(struct kdapl_ia *ia,
					   const struct kdapl_pz *pz,
					   const struct kdapl_seg *seg,
					   struct kdapl_obj_hint *hint,
					   struct ib_sge *sge, bool *is_inline)
{
	struct kdapl_obj *obj = kdapl_obj_peek_hint(&ia->objs, seg->lmr, hint);
	enum kdapl_dto_status status;
	void *at;

	status = obj_sge(obj, ia, pz, seg, KDAPL_PRIV_LOCAL_READ, sge);
	/* Of the reserved LMR the device alone knows where it is. */
	if (status != DAT_DTO_SUCCESS || !sge->length ||
	    !obj || obj->ops->type != KDAPL_OBJ_LMR)
		return status;
	at = lmr_at(to_lmr(obj), seg);
	if (at) {
		sge->addr = (uintptr_t)at;
		*is_inline = true;
	}
	return status;
}

/* ---- what the processor and the device see ------------------------------- */

static void sync_piece(struct ib_device *dev, u64 addr, size_t length,
		       bool for_device)
{
	if (for_device)
		ib_dma_sync_single_for_device(dev, addr, length,
					      DMA_BIDIRECTIONAL);
	else
		ib_dma_sync_single_for_cpu(dev, addr, length,
					   DMA_BIDIRECTIONAL);
}

/* By pages: what is one piece for the device may be several of memory. */
static void sync_pages(struct ib_device *dev, u64 addr, u64 length,
		       bool for_device)
{
	u64 n;

	for (; length; addr += n, length -= n) {
		n = min_t(u64, length,
			  PAGE_SIZE - offset_in_page((unsigned long)addr));
		sync_piece(dev, addr, n, for_device);
	}
}

static void sync_table(struct ib_device *dev, const struct sg_table *sgt,
		       u64 offset, u64 length, bool for_device)
{
	struct scatterlist *sg;
	unsigned int i;
	u64 n;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		n = sg_dma_len(sg);
		if (offset >= n) {
			offset -= n;
			continue;
		}
		n = min(n - offset, length);
		sync_pages(dev, sg_dma_address(sg) + offset, n, for_device);
		offset = 0;
		length -= n;
		if (!length)
			break;
	}
}

/*
 * NULL when there is nobody to agree with: its device is gone, or it is tied to no
 * memory. Caller holds what guards it.
 */
static const struct sg_table *lmr_mapped(const struct kdapl_lmr *lmr)
{
	if (lmr->fmr)
		return kdapl_fmr_mapped(lmr->fmr);
	return lmr->pages ? &lmr->pages->sgt : NULL;
}

static int lmr_sync(struct kdapl_lmr *lmr, const struct kdapl_seg *seg,
		    bool for_device)
{
	spinlock_t *lock = lmr->fmr ? &lmr->fmr->lock : &lmr->sync_lock;
	const struct sg_table *sgt;
	int ret = -EINVAL;
	u64 offset;

	spin_lock_bh(lock);
	/* Below the start it wraps to something larger than any LMR. */
	offset = seg->addr - lmr->addr;
	if (offset <= lmr->length && seg->length <= lmr->length - offset) {
		sgt = lmr_mapped(lmr);
		if (sgt)
			sync_table(lmr->obj.ia->dev, sgt, offset, seg->length,
				   for_device);
		ret = 0;
	}
	spin_unlock_bh(lock);
	return ret;
}

int kdapl_lmr_sync(struct kdapl_ia *ia, const struct kdapl_seg *seg,
		   bool for_device)
{
	struct kdapl_obj *obj = kdapl_obj_get(ia, seg->lmr, KDAPL_OBJ_LMR);
	int ret;

	if (!obj)
		return -ENOENT;
	ret = lmr_sync(to_lmr(obj), seg, for_device);
	kdapl_obj_put(obj);
	return ret;
}

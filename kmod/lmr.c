// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* LMR: registered memory of a program. */

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "account.h"
#include "adapter.h"
#include "frwr.h"
#include "ia.h"
#include "lmr.h"
#include "pages.h"

static int lmr_check(const struct kdapl_ia *ia,
		     const struct kdapl_lmr_create *arg)
{
	if (arg->privileges & ~KDAPL_PRIV_ALL)
		return -EINVAL;
	if (arg->mem_type != KDAPL_MEM_VIRTUAL &&
	    arg->mem_type != KDAPL_MEM_SO_VIRTUAL)
		return -EINVAL;
	/* A device that registers neither way. */
	if (!ia->max_lmr_size)
		return -EOPNOTSUPP;
	if (!arg->length || arg->length > ia->max_lmr_size)
		return -EINVAL;
	if (arg->addr > TASK_SIZE || arg->length > TASK_SIZE - arg->addr)
		return -EINVAL;
	return 0;
}

static bool lmr_relaxed(const struct kdapl_ia *ia, u32 mem_type)
{
	return mem_type == KDAPL_MEM_VIRTUAL && ia->relaxed;
}

/*
 * DAT's privileges as the device wants them. Local use is held to the
 * privileges by kdapl_lmr_sge(), so the device may be told more:
 *
 * Verbs want local write with remote write, DAT does not. iWARP's RDMA read
 * names its sink to the peer like the target of a write, and most of its
 * devices want remote write there; siw checks for local write alone.
 */
static int lmr_access(const struct kdapl_ia *ia,
		      const struct kdapl_lmr_create *arg)
{
	int access = 0;

	if (arg->privileges & KDAPL_PRIV_LOCAL_WRITE) {
		access |= IB_ACCESS_LOCAL_WRITE;
		if (ia->iwarp && ia->dev->ops.driver_id != RDMA_DRIVER_SIW)
			access |= IB_ACCESS_REMOTE_WRITE;
	}
	if (arg->privileges & KDAPL_PRIV_REMOTE_READ)
		access |= IB_ACCESS_REMOTE_READ;
	if (arg->privileges & KDAPL_PRIV_REMOTE_WRITE)
		access |= IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE;
	if (lmr_relaxed(ia, arg->mem_type))
		access |= IB_ACCESS_RELAXED_ORDERING;
	return access;
}

/* The driver pins the pages and charges for them. */
static int lmr_register_user(struct kdapl_lmr *lmr, int access,
			     struct kdapl_memlock *why)
{
	struct ib_mr *mr;

	mr = ib_reg_user_mr(lmr->pz->pd, lmr->addr, lmr->length, lmr->addr,
			    access);
	if (IS_ERR(mr))
		return kdapl_memlock_explain(PTR_ERR(mr),
					     kdapl_npages(lmr->addr,
							  lmr->length), why);
	lmr->mr = mr;
	return 0;
}

static int lmr_register_frwr(struct kdapl_lmr *lmr, int access,
			     struct kdapl_memlock *why)
{
	struct kdapl_pages *pages;
	struct ib_mr *mr;

	pages = kdapl_pages_pin(lmr->obj.ia->dev, lmr->addr, lmr->length,
				ib_access_writable(access), why);
	if (IS_ERR(pages))
		return PTR_ERR(pages);
	mr = kdapl_frwr_register(lmr->pz, &pages->sgt, lmr->addr, lmr->length,
				 access);
	if (IS_ERR(mr)) {
		kdapl_pages_unpin(pages);
		return PTR_ERR(mr);
	}
	lmr->mr = mr;
	lmr->pages = pages;
	return 0;
}

static int lmr_register(struct kdapl_lmr *lmr, int access,
			struct kdapl_memlock *why)
{
	struct kdapl_ia *ia = lmr->obj.ia;
	int ret;

	ret = kdapl_cgroup_charge(ia->dev, &lmr->cg,
				  RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		return ret;
	if (ia->frwr)
		ret = lmr_register_frwr(lmr, access, why);
	else
		ret = lmr_register_user(lmr, access, why);
	if (ret) {
		kdapl_cgroup_uncharge(ia->dev, &lmr->cg,
				      RDMACG_RESOURCE_HCA_OBJECT);
		return ret;
	}
	lmr->lkey = lmr->mr->lkey;
	kdapl_pinned_add(kdapl_npages(lmr->addr, lmr->length) << PAGE_SHIFT);
	return 0;
}

static void lmr_deregister(struct kdapl_lmr *lmr)
{
	struct kdapl_ia *ia = lmr->obj.ia;
	s64 pinned = kdapl_npages(lmr->addr, lmr->length) << PAGE_SHIFT;

	/* A device that keeps its access keeps the pages as well. */
	if (WARN_ON(ib_dereg_mr(lmr->mr)))
		return;
	lmr->mr = NULL;
	if (lmr->pages)
		kdapl_pages_unpin(lmr->pages);
	lmr->pages = NULL;
	if (lmr->bind_pages)
		kdapl_pages_unpin(lmr->bind_pages);
	lmr->bind_pages = NULL;
	kdapl_pinned_add(-pinned);
	kdapl_cgroup_uncharge(ia->dev, &lmr->cg, RDMACG_RESOURCE_HCA_OBJECT);
}

void kdapl_lmr_kill(struct kdapl_lmr *lmr)
{
	if (lmr->mr)
		lmr_deregister(lmr);
}

static void lmr_destroy(struct kdapl_obj *obj)
{
	struct kdapl_lmr *lmr = to_lmr(obj);

	/*
	 * It was taken out of the table: after this no drainer takes its lkey.
	 * A receive that is parked may have it, as one that is posted may.
	 */
	kdapl_sq_sync(&obj->ia->sq);
	if (lmr->mr) {
		if (lmr->pages)
			kdapl_frwr_invalidate(lmr->pz, lmr->mr);
		lmr_deregister(lmr);
	}
	kdapl_obj_unuse(&lmr->pz->obj);
}

static void lmr_release(struct kdapl_obj *obj)
{
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

	lmr = kzalloc(sizeof(*lmr), GFP_KERNEL_ACCOUNT);
	if (!lmr)
		return ERR_PTR(-ENOMEM);
	mutex_init(&lmr->bind_lock);
	lmr->addr = arg->addr;
	lmr->length = arg->length;
	lmr->privileges = arg->privileges;

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

	ret = lmr_register(lmr, lmr_access(ia, arg), &why);
	if (ret) {
		arg->memlock_limit = why.limit;
		arg->memlock_needed = why.needed;
		kdapl_obj_unuse(&lmr->pz->obj);
		kdapl_obj_abort(&lmr->obj);
		return ret;
	}

	arg->id = lmr->obj.id;
	arg->rkey = 0;
	if (arg->privileges & (KDAPL_PRIV_REMOTE_READ | KDAPL_PRIV_REMOTE_WRITE))
		arg->rkey = lmr->mr->rkey;
	if (!lmr_relaxed(ia, arg->mem_type))
		arg->mem_type = KDAPL_MEM_SO_VIRTUAL;
	kdapl_obj_publish(&lmr->obj);
	return 0;
}

enum kdapl_dto_status kdapl_lmr_sge(struct kdapl_ia *ia, const struct kdapl_pz *pz,
				    const struct kdapl_seg *seg, u32 privilege,
				    struct ib_sge *sge)
{
	enum kdapl_dto_status status = DAT_DTO_ERR_LOCAL_PROTECTION;
	const struct kdapl_lmr *lmr;
	struct kdapl_obj *obj;
	u64 offset;

	rcu_read_lock();
	obj = kdapl_obj_peek(ia, seg->lmr, KDAPL_OBJ_LMR);
	if (!obj)
		goto out;
	lmr = to_lmr(obj);
	if (lmr->pz != pz || (lmr->privileges & privilege) != privilege)
		goto out;
	/* Below the start it wraps to something larger than any LMR. */
	offset = seg->addr - lmr->addr;
	if (offset > lmr->length || seg->length > lmr->length - offset)
		goto out;
	sge->addr = seg->addr;
	sge->length = seg->length;
	sge->lkey = lmr->lkey;
	status = DAT_DTO_SUCCESS;
out:
	rcu_read_unlock();
	return status;
}

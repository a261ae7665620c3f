// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* PZ: a protection zone, which is a protection domain of the device. */

#include <linux/slab.h>

#include "account.h"
#include "adapter.h"
#include "frwr.h"
#include "ia.h"
#include "pz.h"

/* Also after the device went: then there is nothing left to free. */
void kdapl_pz_kill(struct kdapl_pz *pz)
{
	struct kdapl_ia *ia = pz->obj.ia;

	if (!pz->pd)
		return;
	kdapl_frwr_destroy(pz);
	ib_dealloc_pd(pz->pd);
	pz->pd = NULL;
	kdapl_cgroup_uncharge(ia->dev, &pz->cg, RDMACG_RESOURCE_HCA_OBJECT);
}

static void pz_destroy(struct kdapl_obj *obj)
{
	kdapl_pz_kill(to_pz(obj));
}

static void pz_release(struct kdapl_obj *obj)
{
	kfree(to_pz(obj));
}

const struct kdapl_obj_ops kdapl_pz_ops = {
	.type = KDAPL_OBJ_PZ,
	.destroy = pz_destroy,
	.release = pz_release,
};

/*
 * A device without a local key gets an MR over all memory with each PD, for work
 * of the kernel. rdma_rw uses it, of a consumer in the kernel, and over rxe LMRs without
 * an MR of their own and the reserved one; it must not
 * stand behind the EPs of a program, unless the driver needs it. Nor behind any of
 * siw's: there a peer may read through any key of the PD.
 */
static void pz_drop_dma_mr(struct ib_pd *pd)
{
	struct ib_mr *mr = pd->__internal_mr;

	if (!mr || WARN_ON(pd->device->ops.dereg_mr(mr, NULL)))
		return;
	pd->__internal_mr = NULL;
	pd->local_dma_lkey = 0;
}

static bool pz_has_no_key(const struct kdapl_ia *ia)
{
	return ia->dev->ops.driver_id == RDMA_DRIVER_SIW ||
	       (!ia->kernel && !kdapl_driver_needs_key(ia->dev));
}

static int pz_alloc_pd(struct kdapl_pz *pz)
{
	struct kdapl_ia *ia = pz->obj.ia;
	struct ib_pd *pd;
	int ret;

	ret = kdapl_ia_charge(ia, &pz->cg, RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		return ret;
	pd = ib_alloc_pd(ia->dev, 0);
	if (IS_ERR(pd)) {
		kdapl_cgroup_uncharge(ia->dev, &pz->cg,
				      RDMACG_RESOURCE_HCA_OBJECT);
		return PTR_ERR(pd);
	}
	if (pz_has_no_key(ia))
		pz_drop_dma_mr(pd);
	pz->pd = pd;
	pz->local_key = ia->kernel ? pd->local_dma_lkey : 0;
	return 0;
}

int kdapl_pz_create(struct kdapl_ia *ia, struct kdapl_pz_create *arg)
{
	struct kdapl_pz *pz;
	int ret;

	pz = kzalloc(sizeof(*pz), kdapl_ia_gfp(ia));
	if (!pz)
		return -ENOMEM;
	mutex_init(&pz->frwr_lock);

	ret = kdapl_obj_init(&pz->obj, ia, &kdapl_pz_ops, 0);
	if (ret) {
		kfree(pz);
		return ret;
	}
	ret = pz_alloc_pd(pz);
	if (ret) {
		kdapl_obj_abort(&pz->obj);
		return ret;
	}
	arg->id = pz->obj.id;
	kdapl_obj_publish(&pz->obj);
	return 0;
}

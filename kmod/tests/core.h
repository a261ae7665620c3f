/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the module's own files see when they are compiled for the tests: the
 * calls into ib_core go to a device that the test plays.
 */
#ifndef KDAPL_TEST_CORE_H
#define KDAPL_TEST_CORE_H

#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>
#include <rdma/rw.h>

#include "core_alloc.h"
#include "fake_cm.h"
#include "fake_listen.h"
#include "fake_verbs.h"

/* The module that is tested may be there, too. */
#undef EXPORT_SYMBOL_GPL
#define EXPORT_SYMBOL_GPL(symbol)	static_assert(sizeof(typeof(symbol) *))

#undef ib_alloc_pd
#undef ib_create_cq
#define ib_alloc_pd(dev, flags)		((void)(flags), fake_alloc_pd(dev))
#define ib_dealloc_pd(pd)		fake_dealloc_pd(pd)
#define ib_create_cq(dev, handler, event, context, attr) \
	((void)(event), fake_create_cq(dev, handler, context, attr))
#define ib_destroy_cq(cq)		fake_destroy_cq(cq)
#define ib_create_qp(pd, attr)		fake_create_qp(pd, attr)
#define ib_modify_qp(qp, attr, mask)	fake_modify_qp(qp, attr, mask)
#define ib_destroy_qp(qp)		fake_destroy_qp(qp)
#define ib_create_srq(pd, attr)		fake_create_srq(pd, attr)
#define ib_destroy_srq(srq)		fake_destroy_srq(srq)
#define ib_reg_user_mr(pd, start, length, iova, access) \
	((void)(iova), fake_reg_user_mr(pd, start, length, access))
#define ib_dereg_mr(mr)			fake_dereg_mr(mr)
#define ib_alloc_mr(pd, type, npages)	((void)(type), fake_alloc_mr(pd, npages))
#define ib_map_mr_sg(mr, sg, nents, offset, size) \
	((void)(offset), (void)(size), fake_map_mr_sg(mr, sg, nents))

#define ib_mr_pool_init(qp, pool, n, type, npages, meta) \
	((void)(type), (void)(meta), fake_mr_pool_init(qp, pool, n, npages))
#define rdma_rw_ctx_init(ctx, qp, port, sg, nents, offset, addr, rkey, dir) \
	((void)(offset), fake_rw_init(ctx, qp, port, sg, nents, addr, rkey, dir))
#define rdma_rw_ctx_destroy(ctx, qp, port, sg, nents, dir) \
	fake_rw_destroy(ctx, qp, port, sg, nents, dir)

#define ib_dma_sync_single_for_device(dev, addr, size, dir) \
	((void)(dir), fake_dma_sync(dev, addr, size, true))
#define ib_dma_sync_single_for_cpu(dev, addr, size, dir) \
	((void)(dir), fake_dma_sync(dev, addr, size, false))
#define ib_dma_map_sgtable_attrs(dev, sgt, direction, attrs) \
	((void)(dev), (void)(direction), (void)(attrs), fake_map_sgtable(sgt))
#define ib_dma_unmap_sgtable_attrs(dev, sgt, direction, attrs) \
	((void)(dev), (void)(direction), (void)(attrs), fake_unmap_sgtable(sgt))

#undef __vmalloc
#define __vmalloc(size, gfp)		fake_vmalloc(size, gfp)

#define rdma_bind_addr(id, addr)	fake_bind_addr(id, addr)
#define rdma_listen(id, backlog)	fake_rdma_listen(id, backlog)
#define rdma_init_qp_attr(id, attr, mask) \
	((void)(id), (void)(attr), *(mask) = IB_QP_STATE, 0)
#define rdma_destroy_id(id)		fake_destroy_id(id)
#define rdma_reject(id, data, size, reason) \
	((void)(data), (void)(size), (void)(reason), fake_reject(id))
#define rdma_lock_handler(id)		fake_lock_handler(id)
#define rdma_unlock_handler(id)		fake_unlock_handler(id)

#endif /* KDAPL_TEST_CORE_H */

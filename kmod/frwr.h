/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fast registration: memory registered by work requests on a queue pair.
 *
 * The way for drivers that cannot register user memory from the kernel. The
 * queue pair belongs to a connection of the PZ with itself, made by rdma_cm
 * over the IA's own address when it is first needed: iWARP devices bring a
 * queue pair to where it can send in no other way.
 */
#ifndef KDAPL_FRWR_H
#define KDAPL_FRWR_H

#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

struct kdapl_pz;

/* Bytes that one registration can cover, at any alignment; 0 for none. */
u64 kdapl_frwr_max_size(const struct ib_device *dev);

/* What of a key stays the same through an MR's life: who is found by it. */
static inline unsigned long kdapl_key_index(u32 key)
{
	return key >> 8;
}

/**
 * kdapl_frwr_map() - fill an MR's page table, which the device may not use now
 * @mr: the MR
 * @sg: mapped for its device
 * @nents: entries of @sg
 * @iova: address that the peer and the segments use; the same offset in a page
 *	as the first byte of @sg
 * @length: bytes, all that @sg has
 */
static inline int kdapl_frwr_map(struct ib_mr *mr, struct scatterlist *sg,
				 int nents, u64 iova, u64 length)
{
	int n;

	/* Some drivers look at the address while they map. */
	mr->iova = iova;
	n = ib_map_mr_sg(mr, sg, nents, NULL, PAGE_SIZE);
	if (n < 0)
		return n;
	if (n != nents || mr->length != length)
		return -EINVAL;
	mr->iova = iova;
	return 0;
}

/**
 * kdapl_frwr_register() - register mapped pages
 * @pz: the PZ
 * @sgt: mapped for the PZ's device
 * @iova: address that the peer and the segments use; the same offset in a page
 *	as the first byte of @sgt
 * @length: bytes
 * @access: IB_ACCESS_*
 *
 * Process context; waits, ends early on a fatal signal.
 */
struct ib_mr *kdapl_frwr_register(struct kdapl_pz *pz, struct sg_table *sgt,
				  u64 iova, u64 length, int access);

/*
 * Invalidate before the pages are unpinned, and wait for it. Where that cannot
 * be (the connection is down), deregistering the MR is what ends access.
 */
void kdapl_frwr_invalidate(struct kdapl_pz *pz, struct ib_mr *mr);

/* Take the connection down; no work request is left. */
void kdapl_frwr_destroy(struct kdapl_pz *pz);

#endif /* KDAPL_FRWR_H */

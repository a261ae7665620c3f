/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What else the tests play, mostly by counting: connections, pinned pages. */
#ifndef KDAPL_TEST_FAKE_CM_H
#define KDAPL_TEST_FAKE_CM_H

#include <linux/atomic.h>
#include <linux/gfp.h>

#include "../kdapl_uapi.h"

struct fake_cm {
	int connect_result;	/* what kdapl_cm_connect() returns */
	int connects, disconnects, destroys, notifies;
	struct kdapl_ep_connect connect;	/* the last one */
	int pinned;		/* kdapl_pages_pin() that was not undone, or the like */
	int pieces;		/* that the device sees of memory of the kernel */
	struct page **page;	/* of that memory; @npages of them */
	unsigned int npages;
	int register_error;	/* what kdapl_frwr_register() ends with */
	int registered;		/* by it, and not invalidated */
	int access;		/* of the last one */
	int charged, free;	/* rings that somebody pays for, and not */
	atomic_t paid, unpaid;	/* other memory, likewise */
	int mapped;		/* fake_map_sgtable() that was not undone */
};

/* The DMA address of a page lies so far from the program's. */
#define FAKE_DMA	0xd000000000ULL
/* And so far the pieces of memory of the kernel from each other. */
#define FAKE_PIECE	0x100000ULL

extern struct fake_cm fake_cm;

struct sg_table;

/* What the module's files call instead of ib_core, see core.h. */
int fake_map_sgtable(struct sg_table *sgt);
void fake_unmap_sgtable(struct sg_table *sgt);
void *fake_vmalloc(unsigned long size, gfp_t gfp);
/* For core_alloc.h: memory that is no ring. */
void fake_count_payer(gfp_t gfp);

#endif /* KDAPL_TEST_FAKE_CM_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that a program maps: whole regions (rings), and 64-byte slots that
 * many objects share a page for (EP status, EVD heads).
 *
 * Plain kernel memory, a program's is charged to its memory cgroup. The VMA holds
 * page references of its own, so the module may free a region at any time; a
 * mapping that is left shows the old pages until it is unmapped.
 */
#ifndef KDAPL_REGION_H
#define KDAPL_REGION_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

#include "kdapl_uapi.h"

struct vm_area_struct;

#define KDAPL_SLOT_SIZE		64
#define KDAPL_REGION_BYTES_MAX	(256UL << 20)	/* of one open file */

/**
 * struct kdapl_region - mapped memory
 * @addr: the module's view, zeroed at first
 * @size: bytes, whole pages
 * @cookie: page offset that a program gives to mmap()
 * @writable: the program may write it
 */
struct kdapl_region {
	void *addr;
	size_t size;
	u32 cookie;
	bool writable;
};

struct kdapl_slot_page;

/**
 * struct kdapl_slot - 64 bytes in a page shared with other objects
 * @addr: the module's view, zeroed at first
 * @page: the page that it lies in
 */
struct kdapl_slot {
	void *addr;
	struct kdapl_slot_page *page;
};

/**
 * struct kdapl_region_table - what one open file can map
 * @xa: cookie to region
 * @lock: guards everything here; inside mmap_lock
 * @slot_pages: pages with slots; [0] read-only for the program, [1] writable
 * @gfp: of all memory
 * @next: where the next cookie is looked for
 * @bytes: of all regions together
 */
struct kdapl_region_table {
	struct xarray xa;
	struct mutex lock;	/* guards the rest */
	struct list_head slot_pages[2];
	gfp_t gfp;
	u32 next;
	size_t bytes;
};

/* @gfp: GFP_KERNEL, with __GFP_ACCOUNT where the caller's cgroup pays. */
void kdapl_region_table_init(struct kdapl_region_table *table, gfp_t gfp);
void kdapl_region_table_destroy(struct kdapl_region_table *table);

/* Process context, may sleep. -ENOMEM, -ENOSPC. */
int kdapl_region_create(struct kdapl_region_table *table, size_t size,
			bool writable, struct kdapl_region **region);
void kdapl_region_free(struct kdapl_region_table *table,
		       struct kdapl_region *region);
struct kdapl_map kdapl_region_map(const struct kdapl_region *region, u32 start);

int kdapl_slot_alloc(struct kdapl_region_table *table, bool writable,
		     struct kdapl_slot *slot);
void kdapl_slot_free(struct kdapl_region_table *table, struct kdapl_slot *slot);
struct kdapl_map kdapl_slot_map(const struct kdapl_slot *slot);

/* The file's mmap(). */
int kdapl_region_mmap(struct kdapl_region_table *table,
		      struct vm_area_struct *vma);

#endif /* KDAPL_REGION_H */

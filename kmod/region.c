// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory that a program maps.
 *
 * mmap() and free exclude each other by the table's mutex, so that no page is
 * inserted into a VMA after its region was freed.
 */

#include <linux/bitmap.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "obj.h"
#include "region.h"

#define SLOTS_PER_PAGE	(PAGE_SIZE / KDAPL_SLOT_SIZE)

struct kdapl_slot_page {
	struct list_head list;
	struct kdapl_region *region;
	DECLARE_BITMAP(used, SLOTS_PER_PAGE);
};

void kdapl_region_table_init(struct kdapl_region_table *table, gfp_t gfp)
{
	xa_init_flags(&table->xa, XA_FLAGS_ALLOC1 | kdapl_xa_account(gfp));
	mutex_init(&table->lock);
	INIT_LIST_HEAD(&table->slot_pages[0]);
	INIT_LIST_HEAD(&table->slot_pages[1]);
	table->gfp = gfp;
	table->next = 0;
	table->bytes = 0;
}

void kdapl_region_table_destroy(struct kdapl_region_table *table)
{
	kdapl_table_end(&table->xa);
	mutex_destroy(&table->lock);
}

/* Caller holds the table's lock. */
static int region_create(struct kdapl_region_table *table, size_t size,
			 bool writable, struct kdapl_region **out)
{
	struct kdapl_region *region;
	int ret;

	if (!size || size > KDAPL_REGION_BYTES_MAX)
		return -ENOSPC;
	size = PAGE_ALIGN(size);
	if (size > KDAPL_REGION_BYTES_MAX - table->bytes)
		return -ENOSPC;

	region = kzalloc(sizeof(*region), table->gfp);
	if (!region)
		return -ENOMEM;
	region->size = size;
	region->writable = writable;
	region->addr = __vmalloc(size, table->gfp | __GFP_ZERO);
	if (!region->addr) {
		kfree(region);
		return -ENOMEM;
	}

	ret = xa_alloc_cyclic(&table->xa, &region->cookie, region,
			      XA_LIMIT(1, INT_MAX), &table->next,
			      table->gfp);
	if (ret < 0) {
		vfree(region->addr);
		kfree(region);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	table->bytes += size;
	*out = region;
	return 0;
}

static void region_free(struct kdapl_region_table *table,
			struct kdapl_region *region)
{
	xa_erase(&table->xa, region->cookie);
	table->bytes -= region->size;
	/* Pages that a VMA still shows live on by its own references. */
	vfree(region->addr);
	kfree(region);
}

int kdapl_region_create(struct kdapl_region_table *table, size_t size,
			bool writable, struct kdapl_region **region)
{
	int ret;

	mutex_lock(&table->lock);
	ret = region_create(table, size, writable, region);
	mutex_unlock(&table->lock);
	return ret;
}

void kdapl_region_free(struct kdapl_region_table *table,
		       struct kdapl_region *region)
{
	mutex_lock(&table->lock);
	region_free(table, region);
	mutex_unlock(&table->lock);
}

struct kdapl_map kdapl_region_map(const struct kdapl_region *region, u32 start)
{
	return (struct kdapl_map){
		.offset = (u64)region->cookie << PAGE_SHIFT,
		.size = region->size,
		.start = start,
	};
}

/* A page with a free slot. Caller holds the table's lock. */
static int slot_page_get(struct kdapl_region_table *table, bool writable,
			 struct kdapl_slot_page **out)
{
	struct list_head *pages = &table->slot_pages[writable];
	struct kdapl_slot_page *page;
	int ret;

	/* Pages with free slots stand first. */
	page = list_first_entry_or_null(pages, struct kdapl_slot_page, list);
	if (page && !bitmap_full(page->used, SLOTS_PER_PAGE)) {
		*out = page;
		return 0;
	}

	page = kzalloc(sizeof(*page), table->gfp);
	if (!page)
		return -ENOMEM;
	ret = region_create(table, PAGE_SIZE, writable, &page->region);
	if (ret) {
		kfree(page);
		return ret;
	}
	list_add(&page->list, pages);
	*out = page;
	return 0;
}

int kdapl_slot_alloc(struct kdapl_region_table *table, bool writable,
		     struct kdapl_slot *slot)
{
	struct kdapl_slot_page *page;
	unsigned int n;
	int ret;

	mutex_lock(&table->lock);
	ret = slot_page_get(table, writable, &page);
	if (!ret) {
		n = find_first_zero_bit(page->used, SLOTS_PER_PAGE);
		__set_bit(n, page->used);
		if (bitmap_full(page->used, SLOTS_PER_PAGE))
			list_move_tail(&page->list,
				       &table->slot_pages[writable]);
		slot->page = page;
		slot->addr = page->region->addr + n * KDAPL_SLOT_SIZE;
		memset(slot->addr, 0, KDAPL_SLOT_SIZE);
	}
	mutex_unlock(&table->lock);
	return ret;
}

void kdapl_slot_free(struct kdapl_region_table *table, struct kdapl_slot *slot)
{
	struct kdapl_slot_page *page = slot->page;
	bool writable = page->region->writable;

	mutex_lock(&table->lock);
	__clear_bit((slot->addr - page->region->addr) / KDAPL_SLOT_SIZE,
		    page->used);
	if (bitmap_empty(page->used, SLOTS_PER_PAGE)) {
		list_del(&page->list);
		region_free(table, page->region);
		kfree(page);
	} else {
		list_move(&page->list, &table->slot_pages[writable]);
	}
	mutex_unlock(&table->lock);
	slot->addr = NULL;
	slot->page = NULL;
}

struct kdapl_map kdapl_slot_map(const struct kdapl_slot *slot)
{
	const struct kdapl_region *region = slot->page->region;

	return kdapl_region_map(region, slot->addr - region->addr);
}

static int region_check_vma(const struct kdapl_region *region,
			    const struct vm_area_struct *vma)
{
	if (vma->vm_end - vma->vm_start != region->size)
		return -EINVAL;
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	if (!region->writable && vma->vm_flags & VM_WRITE)
		return -EACCES;
	return 0;
}

static int region_insert(const struct kdapl_region *region,
			 struct vm_area_struct *vma)
{
	size_t offset;
	int ret;

	for (offset = 0; offset < region->size; offset += PAGE_SIZE) {
		ret = vm_insert_page(vma, vma->vm_start + offset,
				     vmalloc_to_page(region->addr + offset));
		if (ret)
			return ret;
	}
	return 0;
}

int kdapl_region_mmap(struct kdapl_region_table *table,
		      struct vm_area_struct *vma)
{
	struct kdapl_region *region;
	vm_flags_t never = VM_MAYEXEC;
	int ret = -EINVAL;

	mutex_lock(&table->lock);
	region = xa_load(&table->xa, vma->vm_pgoff);
	if (!region)
		goto out;
	ret = region_check_vma(region, vma);
	if (ret)
		goto out;
	if (!region->writable)
		never |= VM_MAYWRITE;
	/* Without VM_IO, madvise() could give it to a child of fork() after all. */
	vm_flags_mod(vma, VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
		     never);
	ret = region_insert(region, vma);
out:
	mutex_unlock(&table->lock);
	return ret;
}

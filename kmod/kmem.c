// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory of the kernel, as its consumers name it. */

#include <linux/mm.h>

#include "account.h"
#include "kmem.h"

unsigned int kdapl_kmem_offset(const struct kdapl_kmem *mem)
{
	switch (mem->type) {
	case KDAPL_KMEM_VIRTUAL:
		return offset_in_page(mem->va);
	case KDAPL_KMEM_SG:
		return offset_in_page((unsigned long)mem->sgl->offset);
	default:
		return 0;
	}
}

static struct page *page_of_va(const void *va)
{
	if (is_vmalloc_addr(va))
		return vmalloc_to_page(va);
	return virt_addr_valid(va) ? virt_to_page(va) : NULL;
}

static int pages_of_va(const struct kdapl_kmem *mem, struct page **page,
		       u64 npages)
{
	const void *va = mem->va - offset_in_page(mem->va);
	u64 i;

	for (i = 0; i < npages; i++) {
		page[i] = page_of_va(va + i * PAGE_SIZE);
		if (!page[i])
			return -EFAULT;
	}
	return 0;
}

static int pages_of_physical(const struct kdapl_kmem *mem, struct page **page,
			     u64 npages)
{
	u64 i;

	for (i = 0; i < npages; i++) {
		if (offset_in_page((unsigned long)mem->physical[i]))
			return -EINVAL;
		if (!pfn_valid(PHYS_PFN(mem->physical[i])))
			return -EFAULT;
		page[i] = pfn_to_page(PHYS_PFN(mem->physical[i]));
	}
	return 0;
}

static int pages_of_sg(const struct kdapl_kmem *mem, struct page **page,
		       u64 npages)
{
	struct scatterlist *sg = mem->sgl;
	unsigned long pfn, end, bytes;
	u64 i = 0;

	while (i < npages) {
		if (!sg || !sg->length)
			return -EINVAL;
		/* Only the first one begins within a page. */
		if (i && offset_in_page((unsigned long)sg->offset))
			return -EINVAL;
		bytes = (unsigned long)sg->offset + sg->length;
		pfn = page_to_pfn(sg_page(sg)) + (sg->offset >> PAGE_SHIFT);
		end = page_to_pfn(sg_page(sg)) + DIV_ROUND_UP(bytes, PAGE_SIZE);
		while (i < npages && pfn < end)
			page[i++] = pfn_to_page(pfn++);
		/* Only the last one ends there. */
		if (i < npages && offset_in_page(bytes))
			return -EINVAL;
		sg = sg_next(sg);
	}
	return 0;
}

/* It may be that the last entry is too short for the end. */
static bool sg_is_long_enough(const struct kdapl_kmem *mem)
{
	struct scatterlist *sg;
	u64 bytes = 0;

	for (sg = mem->sgl; sg && bytes < mem->length; sg = sg_next(sg))
		bytes += sg->length;
	return bytes >= mem->length;
}

int kdapl_kmem_pages(const struct kdapl_kmem *mem, struct page **page)
{
	u64 npages = kdapl_npages(kdapl_kmem_offset(mem), mem->length);

	switch (mem->type) {
	case KDAPL_KMEM_VIRTUAL:
		return pages_of_va(mem, page, npages);
	case KDAPL_KMEM_PHYSICAL:
		return pages_of_physical(mem, page, npages);
	case KDAPL_KMEM_SG:
		if (!sg_is_long_enough(mem))
			return -EINVAL;
		return pages_of_sg(mem, page, npages);
	}
	return -EINVAL;
}

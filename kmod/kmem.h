/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of the kernel, as its consumers name it. */
#ifndef KDAPL_KMEM_H
#define KDAPL_KMEM_H

#include <linux/mm_types.h>
#include <linux/scatterlist.h>
#include <linux/types.h>

enum kdapl_kmem_type {
	KDAPL_KMEM_VIRTUAL,	/* of kmalloc() or vmalloc() */
	KDAPL_KMEM_PHYSICAL,	/* pages by their physical addresses */
	KDAPL_KMEM_SG,		/* a scatterlist, not mapped for any device */
};

/**
 * struct kdapl_kmem - memory of the kernel
 * @type: how it is named
 * @va: its address
 * @physical: of each page, PAGE_SIZE aligned
 * @sgl: its entries are whole pages, but for the start of the first one and the end
 *	of the last one
 * @length: bytes; of pages, the last one can be used in part
 *
 * It stays its owner's, who keeps it as long as anything here refers to it.
 */
struct kdapl_kmem {
	enum kdapl_kmem_type type;
	union {
		const void *va;
		const u64 *physical;
		struct scatterlist *sgl;
	};
	u64 length;
};

/* Where in its page the first byte is. */
unsigned int kdapl_kmem_offset(const struct kdapl_kmem *mem);

/**
 * kdapl_kmem_pages() - find the pages
 * @mem: the memory
 * @page: filled with all of them, see kdapl_npages()
 *
 * Any context. -EINVAL where they are not as described above, -EFAULT where there is
 * no memory.
 */
int kdapl_kmem_pages(const struct kdapl_kmem *mem, struct page **page);

#endif /* KDAPL_KMEM_H */

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A scatterlist, cut into what rdma_rw can do at a time. */

#include <linux/mm.h>
#include <linux/scatterlist.h>

#include "adapter.h"
#include "ia.h"
#include "rw.h"
#include "rw_cut.h"

/* What rdma_rw has room for in one MR, at most. */
#define RW_MR_PAGES	256U

bool kdapl_rw_may_register(const struct kdapl_ia *ia,
			   enum dma_data_direction dir)
{
	return dir == DMA_FROM_DEVICE &&
	       (ia->iwarp || ia->dev->attrs.max_sgl_rd);
}

u32 kdapl_rw_mr_pages(const struct ib_device *dev)
{
	return min(kdapl_driver_pages(dev), RW_MR_PAGES);
}

struct kdapl_rw_cut kdapl_rw_cut_begin(const struct kdapl_ia *ia,
				       const struct kdapl_rw_post *post,
				       bool copy)
{
	bool joined = !copy && kdapl_rw_may_register(ia, post->dir);
	u64 pages = joined ? kdapl_rw_mr_pages(ia->dev) :
			     ia->max_message >> PAGE_SHIFT;
	struct scatterlist *sg = post->sgl;
	size_t skip = post->offset;

	if (copy)
		pages = INT_MAX;
	/* The list is long enough, see rw_check() in rw.c. */
	while (skip >= sg->length) {
		skip -= sg->length;
		sg = sg_next(sg);
	}
	return (struct kdapl_rw_cut){
		.sg = sg,
		.done = skip,
		.left = post->length,
		.max_pages = clamp_t(u64, pages, 1, INT_MAX),
		.joined = joined,
	};
}

/* Of the next piece, from its @offset in a page: not more than @room pages. */
static unsigned int cut_bytes(const struct kdapl_rw_cut *cut,
			      unsigned int offset, unsigned int room)
{
	u32 bytes = min_t(u32, cut->sg->length - cut->done, cut->left);

	return min_t(u64, bytes, ((u64)room << PAGE_SHIFT) - offset);
}

static void cut_off(struct kdapl_rw_cut *cut, unsigned int bytes)
{
	cut->left -= bytes;
	cut->done += bytes;
	if (cut->done < cut->sg->length)
		return;
	cut->sg = sg_next(cut->sg);
	cut->done = 0;
}

unsigned int kdapl_rw_cut_part(struct kdapl_rw_cut *cut,
			       struct scatterlist *to)
{
	unsigned int room = cut->max_pages, n = 0;
	unsigned int at, offset, bytes;

	while (cut->left && room) {
		at = cut->sg->offset + cut->done;
		offset = offset_in_page((unsigned long)at);
		bytes = cut_bytes(cut, offset, room);
		if (bytes && n && cut->joined && offset)
			break;
		if (bytes && to)
			sg_set_page(to++, nth_page(sg_page(cut->sg),
						   at >> PAGE_SHIFT),
				    bytes, offset);
		cut_off(cut, bytes);
		if (!bytes)
			continue;
		room -= PFN_UP(offset + bytes);
		n++;
		if (cut->joined && !PAGE_ALIGNED((unsigned long)offset + bytes))
			break;
	}
	return n;
}

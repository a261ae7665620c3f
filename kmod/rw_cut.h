/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cuts a consumer's scatterlist into the parts that rdma_rw is given one by one: no more
 * pages than one MR has or one message may be long, and, where it may be an MR, nothing
 * between the entries' pages.
 */
#ifndef KDAPL_RW_CUT_H
#define KDAPL_RW_CUT_H

#include <linux/dma-direction.h>
#include <linux/types.h>

struct ib_device;
struct kdapl_ia;
struct kdapl_rw_post;
struct scatterlist;

/**
 * struct kdapl_rw_cut - what is still to be cut
 * @sg: the entry at hand
 * @done: bytes of it that are cut off
 * @left: bytes of the operation
 * @max_pages: of a part
 * @joined: within a part there is nothing between the entries' pages
 */
struct kdapl_rw_cut {
	struct scatterlist *sg;
	unsigned int done;
	u32 left;
	unsigned int max_pages;
	bool joined;
};

/**
 * kdapl_rw_may_register() - whether rdma_rw may want an MR for an operation
 * @ia: of the EP
 * @dir: the operation's direction
 *
 * Any context.
 *
 * Return: whether it may; else it takes none.
 */
bool kdapl_rw_may_register(const struct kdapl_ia *ia,
			   enum dma_data_direction dir);

/**
 * kdapl_rw_mr_pages() - what an MR of rdma_rw's pool has room for
 * @dev: the device
 *
 * Any context.
 *
 * Return: pages.
 */
u32 kdapl_rw_mr_pages(const struct ib_device *dev);

/**
 * kdapl_rw_cut_begin() - begin to cut an operation's list
 * @ia: of the EP
 * @post: the operation; its list has @post->offset and @post->length bytes at least
 * @copy: its bytes are copied: it is one part, however long
 *
 * Any context.
 *
 * Return: all that is to be cut.
 */
struct kdapl_rw_cut kdapl_rw_cut_begin(const struct kdapl_ia *ia,
				       const struct kdapl_rw_post *post,
				       bool copy);

/**
 * kdapl_rw_cut_part() - cut off the next part
 * @cut: of which there are bytes left
 * @to: room for the part's entries, or NULL: they are only counted
 *
 * The entries are of the consumer's pages, none is empty, and each begins in its first
 * page. Any context.
 *
 * Return: entries of the part.
 */
unsigned int kdapl_rw_cut_part(struct kdapl_rw_cut *cut,
			       struct scatterlist *to);

#endif

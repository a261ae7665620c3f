/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fragments: lists of free ones, which grow by chunks that are registered whole. */

#include "layer.h"
#include "report.h"

#include <stdlib.h>

#define CHUNK 32

static size_t capacity_of(enum connection which)
{
	return which == SMALL ? SMALL_SIZE : LARGE_SIZE;
}

/* Each begins where the adapter likes it best. */
static size_t stride_of(enum connection which)
{
	size_t size = capacity_of(which) + sizeof(struct footer);

	return (size + DAT_OPTIMAL_ALIGNMENT - 1) / DAT_OPTIMAL_ALIGNMENT * DAT_OPTIMAL_ALIGNMENT;
}

static void grow(struct mp *mp, enum connection which)
{
	struct fragment *fragments = calloc(CHUNK, sizeof(*fragments));
	char *memory = memory_get(CHUNK * stride_of(which));
	struct region *region = region_get(mp, memory, CHUNK * stride_of(which));
	int i;

	for (i = 0; i < CHUNK; i++) {
		struct fragment *fragment = &fragments[i];

		fragment->capacity = capacity_of(which);
		fragment->data = memory + (size_t)i * stride_of(which);
		fragment->local.lmr_context = region->lmr_context;
		fragment->local.virtual_address = (uintptr_t)fragment->data;
		fragment->next = mp->free_fragments[which];
		mp->free_fragments[which] = fragment;
	}
}

struct fragment *fragment_get(struct mp *mp, enum connection which)
{
	struct fragment *fragment;

	if (!mp->free_fragments[which])
		grow(mp, which);
	fragment = mp->free_fragments[which];
	mp->free_fragments[which] = fragment->next;
	return fragment;
}

struct fragment *fragment_get_put(struct mp *mp)
{
	struct fragment *fragment = mp->free_puts;

	if (!fragment)
		return calloc(1, sizeof(*fragment));
	mp->free_puts = fragment->next;
	return fragment;
}

void fragment_release(struct mp *mp, struct fragment *fragment)
{
	struct fragment **list = &mp->free_puts;

	if (fragment->capacity)
		list = &mp->free_fragments[fragment->capacity == SMALL_SIZE ? SMALL : LARGE];
	fragment->last_of = NULL;
	fragment->next = *list;
	*list = fragment;
}

void queue_init(struct queue *queue)
{
	queue->first = NULL;
	queue->end = &queue->first;
}

void queue_push(struct queue *queue, struct fragment *fragment)
{
	fragment->next = NULL;
	*queue->end = fragment;
	queue->end = &fragment->next;
}

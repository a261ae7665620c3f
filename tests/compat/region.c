/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registered memory is kept: the next message likely uses the same. */

#include "layer.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *memory_get(size_t length)
{
	void *memory;

	if (posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), length))
		fail("no memory");
	memset(memory, 0, length);
	return memory;
}

static struct region *region_find(struct mp *mp, const char *base, size_t length)
{
	struct region *region;

	for (region = mp->regions; region; region = region->next) {
		if (region->base <= base && base + length <= region->base + region->length)
			return region;
	}
	return NULL;
}

static void region_free(struct region *region)
{
	must(dat_lmr_free(region->lmr), "dat_lmr_free");
	free(region);
}

/* The oldest that nobody uses goes when there are too many of them. */
static void region_evict(struct mp *mp)
{
	struct region **link, **oldest = NULL, *region;
	int idle = 0;

	for (link = &mp->regions; *link; link = &(*link)->next) {
		if ((*link)->users)
			continue;
		idle++;
		if (!oldest || (*link)->used < (*oldest)->used)
			oldest = link;
	}
	if (idle < REGIONS)
		return;
	region = *oldest;
	*oldest = region->next;
	region_free(region);
	mp->counts.cache_evictions++;
}

static struct region *region_create(struct mp *mp, char *base, size_t length)
{
	struct region *region = calloc(1, sizeof(*region));
	DAT_REGION_DESCRIPTION description;
	DAT_VLEN registered_size;
	DAT_VADDR registered_address;

	memset(&description, 0, sizeof(description));
	description.for_va = base;
	must(dat_lmr_create(mp->ia, DAT_MEM_TYPE_VIRTUAL, description, length, mp->pz,
			    DAT_MEM_PRIV_ALL_FLAG, &region->lmr, &region->lmr_context,
			    &region->rmr_context, &registered_size, &registered_address),
	     "dat_lmr_create");
	if (registered_address > (uintptr_t)base ||
	    registered_address + registered_size < (uintptr_t)base + length)
		fail("dat_lmr_create registered less than it was asked for");
	region->base = base;
	region->length = length;
	region->next = mp->regions;
	mp->regions = region;
	return region;
}

struct region *region_get(struct mp *mp, char *base, size_t length)
{
	struct region *region = region_find(mp, base, length);

	if (region) {
		mp->counts.cache_hits++;
	} else {
		mp->counts.cache_misses++;
		region_evict(mp);
		region = region_create(mp, base, length);
	}
	region->users++;
	return region;
}

void region_put(struct mp *mp, struct region *region)
{
	region->users--;
	region->used = ++mp->clock;
}

void region_free_all(struct mp *mp)
{
	struct region *region;

	while ((region = mp->regions)) {
		mp->regions = region->next;
		region_free(region);
	}
}

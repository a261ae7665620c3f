// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory that a program maps: regions and slots. */

#include <linux/mm.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "../region.h"

#define PER_PAGE	(PAGE_SIZE / KDAPL_SLOT_SIZE)
#define SLOTS		(3 * PER_PAGE)

static int region_init(struct kunit *test)
{
	struct kdapl_region_table *table = kunit_kzalloc(test, sizeof(*table),
							 GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	kdapl_region_table_init(table, GFP_KERNEL_ACCOUNT);
	test->priv = table;
	return 0;
}

static void region_exit(struct kunit *test)
{
	struct kdapl_region_table *table = test->priv;

	/* It warns when something is left. */
	KUNIT_EXPECT_EQ(test, table->bytes, 0);
	kdapl_region_table_destroy(table);
}

static void region_zeroed_whole_pages(struct kunit *test)
{
	static const size_t sizes[] = { 1, 64, PAGE_SIZE, PAGE_SIZE + 1, 100000 };
	struct kdapl_region_table *table = test->priv;
	struct kdapl_region *region;
	unsigned int i, round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			KUNIT_ASSERT_EQ(test, kdapl_region_create(table, sizes[i], i & 1,
								  &region), 0);
			KUNIT_EXPECT_EQ(test, region->size, PAGE_ALIGN(sizes[i]));
			KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(region->addr));
			KUNIT_EXPECT_EQ(test, region->writable, i & 1);
			KUNIT_EXPECT_NULL(test, memchr_inv(region->addr, 0, region->size));
			memset(region->addr, 0xff, region->size);
			kdapl_region_free(table, region);
		}
	}
}

static void region_map(struct kunit *test)
{
	struct kdapl_region_table *table = test->priv;
	struct kdapl_region *one, *two;
	struct kdapl_map map_one, map_two;

	KUNIT_ASSERT_EQ(test, kdapl_region_create(table, 5000, true, &one), 0);
	KUNIT_ASSERT_EQ(test, kdapl_region_create(table, 5000, true, &two), 0);
	map_one = kdapl_region_map(one, 128);
	map_two = kdapl_region_map(two, 0);
	KUNIT_EXPECT_EQ(test, map_one.start, 128);
	KUNIT_EXPECT_EQ(test, map_one.size, 2 * PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(map_one.offset));
	KUNIT_EXPECT_NE(test, map_one.offset, map_two.offset);
	KUNIT_EXPECT_NE(test, map_one.offset, 0);
	kdapl_region_free(table, one);
	/* What comes next is not found under the old offset. */
	KUNIT_ASSERT_EQ(test, kdapl_region_create(table, 5000, true, &one), 0);
	KUNIT_EXPECT_NE(test, map_one.offset, kdapl_region_map(one, 0).offset);
	kdapl_region_free(table, one);
	kdapl_region_free(table, two);
}

static void region_limits(struct kunit *test)
{
	struct kdapl_region_table *table = test->priv;
	struct kdapl_region *region;

	KUNIT_EXPECT_EQ(test, kdapl_region_create(table, 0, true, &region), -ENOSPC);
	KUNIT_EXPECT_EQ(test, kdapl_region_create(table, SIZE_MAX, true, &region),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, kdapl_region_create(table, SIZE_MAX - PAGE_SIZE,
						  true, &region), -ENOSPC);
	KUNIT_EXPECT_EQ(test, kdapl_region_create(table, KDAPL_REGION_BYTES_MAX + 1,
						  true, &region), -ENOSPC);
	/* All together, not each alone. */
	table->bytes = KDAPL_REGION_BYTES_MAX - PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, kdapl_region_create(table, PAGE_SIZE + 1, true,
						  &region), -ENOSPC);
	KUNIT_EXPECT_EQ(test, kdapl_region_create(table, PAGE_SIZE, true,
						  &region), 0);
	KUNIT_EXPECT_EQ(test, kdapl_region_create(table, 1, true, &region), -ENOSPC);
	KUNIT_EXPECT_EQ(test, table->bytes, KDAPL_REGION_BYTES_MAX);
	kdapl_region_free(table, xa_load(&table->xa, 1));
	table->bytes = 0;
}

/* Slots are apart from each other, and writable ones from read-only ones. */
static void slot_apart(struct kunit *test)
{
	struct kdapl_region_table *table = test->priv;
	struct kdapl_slot *slots;
	unsigned int i, n;

	slots = kunit_kcalloc(test, SLOTS, sizeof(*slots), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, slots);
	for (i = 0; i < SLOTS; i++) {
		KUNIT_ASSERT_EQ(test, kdapl_slot_alloc(table, i & 1, &slots[i]), 0);
		memset(slots[i].addr, i, KDAPL_SLOT_SIZE);
	}
	/* Two kinds, each of a page and a half. */
	KUNIT_EXPECT_EQ(test, table->bytes, 4 * PAGE_SIZE);
	for (i = 0; i < SLOTS; i++) {
		KUNIT_EXPECT_NULL(test, memchr_inv(slots[i].addr, i,
						   KDAPL_SLOT_SIZE));
		for (n = 0; n < i; n++)
			KUNIT_EXPECT_TRUE(test, (i & 1) == (n & 1) ||
					  slots[i].page != slots[n].page);
	}
	for (i = 0; i < SLOTS; i++)
		kdapl_slot_free(table, &slots[i]);
	KUNIT_EXPECT_EQ(test, table->bytes, 0);
}

/* A slot that was another object's shows nothing of it. */
static void slot_reuse_is_zeroed(struct kunit *test)
{
	struct kdapl_region_table *table = test->priv;
	struct kdapl_slot keep, slot;
	struct kdapl_map map, again;
	void *addr;

	KUNIT_ASSERT_EQ(test, kdapl_slot_alloc(table, true, &keep), 0);
	KUNIT_ASSERT_EQ(test, kdapl_slot_alloc(table, true, &slot), 0);
	addr = slot.addr;
	map = kdapl_slot_map(&slot);
	memset(slot.addr, 0xff, KDAPL_SLOT_SIZE);
	memset(keep.addr, 0xee, KDAPL_SLOT_SIZE);
	kdapl_slot_free(table, &slot);
	KUNIT_EXPECT_NULL(test, slot.addr);
	KUNIT_ASSERT_EQ(test, kdapl_slot_alloc(table, true, &slot), 0);
	KUNIT_EXPECT_PTR_EQ(test, slot.addr, addr);
	KUNIT_EXPECT_NULL(test, memchr_inv(slot.addr, 0, KDAPL_SLOT_SIZE));
	KUNIT_EXPECT_NULL(test, memchr_inv(keep.addr, 0xee, KDAPL_SLOT_SIZE));
	again = kdapl_slot_map(&slot);
	KUNIT_EXPECT_MEMEQ(test, &map, &again, sizeof(map));
	KUNIT_EXPECT_EQ(test, again.size, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, again.start, KDAPL_SLOT_SIZE);
	kdapl_slot_free(table, &slot);
	kdapl_slot_free(table, &keep);
}

/* Holes in any page are found again; a page goes with its last slot. */
static void slot_pages_come_and_go(struct kunit *test)
{
	struct kdapl_region_table *table = test->priv;
	struct kdapl_slot *slots;
	unsigned int i;

	slots = kunit_kcalloc(test, SLOTS, sizeof(*slots), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, slots);
	for (i = 0; i < SLOTS; i++)
		KUNIT_ASSERT_EQ(test, kdapl_slot_alloc(table, false, &slots[i]), 0);
	KUNIT_EXPECT_EQ(test, table->bytes, 3 * PAGE_SIZE);
	for (i = 0; i < SLOTS; i += 3)
		kdapl_slot_free(table, &slots[i]);
	for (i = 0; i < SLOTS; i += 3)
		KUNIT_ASSERT_EQ(test, kdapl_slot_alloc(table, false, &slots[i]), 0);
	KUNIT_EXPECT_EQ(test, table->bytes, 3 * PAGE_SIZE);
	for (i = 0; i < SLOTS; i++)
		kdapl_slot_free(table, &slots[SLOTS - 1 - i]);
	KUNIT_EXPECT_EQ(test, table->bytes, 0);
}

static struct kunit_case region_cases[] = {
	KUNIT_CASE(region_zeroed_whole_pages),
	KUNIT_CASE(region_map),
	KUNIT_CASE(region_limits),
	KUNIT_CASE(slot_apart),
	KUNIT_CASE(slot_reuse_is_zeroed),
	KUNIT_CASE(slot_pages_come_and_go),
	{}
};

static struct kunit_suite region_suite = {
	.name = "kdapl-region",
	.init = region_init,
	.exit = region_exit,
	.test_cases = region_cases,
};

kunit_test_suite(region_suite);

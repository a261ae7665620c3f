// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory of all kinds, registered and tied. */

#include <linux/gfp.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "loop.h"

/* Memory in pieces: the first one may begin, the last one end within a page. */
#define PIECES	3

struct pieces {
	struct page *page[PIECES];
	DAT_PADDR physical[PIECES];
	struct scatterlist sgl[PIECES];
	u32 first, last;	/* bytes left out in the first page and in the last */
};

/* Nothing refers to them any more. */
static void pieces_free(struct pieces *pieces)
{
	int i;

	loop_free_ends();
	loop_free_lmrs();
	for (i = 0; i < PIECES; i++)
		if (pieces->page[i])
			__free_page(pieces->page[i]);
}

static bool pieces_make(struct pieces *pieces, u32 first, u32 last)
{
	u32 begin, end;
	int i;

	*pieces = (struct pieces){ .first = first, .last = last };
	sg_init_table(pieces->sgl, PIECES);
	for (i = 0; i < PIECES; i++) {
		pieces->page[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!EXPECT(pieces->page[i]))
			return false;
		begin = i ? 0 : first;
		end = i == PIECES - 1 ? PAGE_SIZE - last : PAGE_SIZE;
		pieces->physical[i] = page_to_phys(pieces->page[i]);
		sg_set_page(&pieces->sgl[i], pieces->page[i], end - begin,
			    begin);
	}
	return true;
}

static u32 pieces_size(const struct pieces *pieces)
{
	return PIECES * PAGE_SIZE - pieces->first - pieces->last;
}

static void pieces_fill(struct pieces *pieces, u8 seed)
{
	struct scatterlist *sg;
	u32 at = 0;
	int i;

	for_each_sg(pieces->sgl, sg, PIECES, i) {
		loop_fill(sg_virt(sg), sg->length, at, seed);
		at += sg->length;
	}
}

/* And nothing beside it was touched. */
static bool pieces_are(struct pieces *pieces, u8 seed)
{
	struct scatterlist *sg;
	u32 at = 0;
	int i;

	for_each_sg(pieces->sgl, sg, PIECES, i) {
		if (!loop_is(sg_virt(sg), sg->length, at, seed))
			return false;
		at += sg->length;
	}
	return !memchr_inv(page_address(pieces->page[0]), 0, pieces->first) &&
	       !memchr_inv(page_address(pieces->page[PIECES - 1]) + PAGE_SIZE -
			   pieces->last, 0, pieces->last);
}

/* The peer writes all of the window, and reads it. */
static void use_pieces(struct pieces *pieces)
{
	u32 size = pieces_size(pieces);

	EXPECT(loop.window.segment_length == size);
	if (!loop_fine())
		return;
	loop_fill(loop.a.own + DATA_AT, size, 0, 11);
	loop_write(&loop.a, &loop.b, size);
	EXPECT(pieces_are(pieces, 11));
	pieces_fill(pieces, 12);
	loop_read(&loop.a, size);
	EXPECT(loop_is(loop.a.own + DATA_AT, size, 0, 12));
}

static DAT_REGION_DESCRIPTION physical_of(struct pieces *pieces)
{
	return (DAT_REGION_DESCRIPTION){ .for_physical = pieces->physical };
}

static DAT_REGION_DESCRIPTION platform_of(struct pieces *pieces)
{
	return (DAT_REGION_DESCRIPTION){ .for_platform = pieces->sgl };
}

/* ---- tied ---------------------------------------------------------------- */

static void tie_physical(void)
{
	struct pieces pieces;

	loop_pair();
	if (pieces_make(&pieces, 0, 0)) {
		loop_tie(&loop.b, DAT_MEM_TYPE_PHYSICAL, physical_of(&pieces),
			 PIECES);
		EXPECT(loop.window.virtual_address == pieces.physical[0]);
		use_pieces(&pieces);
		loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	}
	pieces_free(&pieces);
}

static void tie_platform(void)
{
	struct pieces pieces;

	loop_pair();
	if (pieces_make(&pieces, 1000, 96)) {
		loop_tie(&loop.b, DAT_MEM_TYPE_PLATFORM, platform_of(&pieces),
			 PIECES);
		EXPECT(loop.window.virtual_address == sg_phys(pieces.sgl));
		use_pieces(&pieces);
		loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	}
	pieces_free(&pieces);
}

/* From within a page to the end of the last one. */
static void tie_part(void)
{
	u8 *memory = kmalloc(2 * PAGE_SIZE, GFP_KERNEL);
	u32 size = 2 * PAGE_SIZE - 200;

	loop_pair();
	if (EXPECT(memory)) {
		loop_tie(&loop.b, DAT_MEM_TYPE_VIRTUAL,
			 loop_virtual(memory + 200), 2);
		EXPECT(loop.window.virtual_address == (uintptr_t)memory + 200);
		EXPECT(loop.window.segment_length == size);
		loop_fill(loop.a.own + DATA_AT, size, 0, 13);
		loop_write(&loop.a, &loop.b, size);
		EXPECT(loop_is(memory + 200, size, 0, 13));
		loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	}
	loop_free_ends();
	loop_free_lmrs();
	kfree(memory);
}

/* ---- registered ---------------------------------------------------------- */

void loop_register(DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region,
		   DAT_VLEN length, DAT_MEM_PRIV_FLAGS privileges)
{
	DAT_VADDR address = 0;
	DAT_VLEN size = 0;

	WORKS(dat_lmr_kcreate(loop.ia, type, region, length, loop.pz,
			      privileges, DAT_VA_TYPE_VA,
			      DAT_MEM_OPTIMIZE_DONT_CARE, &loop.fixed,
			      &loop.context, &loop.window.rmr_context, &size,
			      &address));
	loop.window.virtual_address = address;
	loop.window.segment_length = size;
}

static void register_physical(void)
{
	struct pieces pieces;

	loop_pair();
	if (pieces_make(&pieces, 0, 40)) {
		loop_register(DAT_MEM_TYPE_PHYSICAL,
			      physical_of(&pieces),
			      pieces_size(&pieces), DAT_MEM_PRIV_ALL_FLAG);
		EXPECT(loop.window.virtual_address == pieces.physical[0]);
		use_pieces(&pieces);
	}
	pieces_free(&pieces);
}

static void register_platform(void)
{
	struct pieces pieces;

	loop_pair();
	if (pieces_make(&pieces, 3000, 4000)) {
		loop_register(DAT_MEM_TYPE_PLATFORM,
			      platform_of(&pieces),
			      pieces_size(&pieces), DAT_MEM_PRIV_ALL_FLAG);
		EXPECT(loop.window.virtual_address == sg_phys(pieces.sgl));
		use_pieces(&pieces);
	}
	pieces_free(&pieces);
}

/* The memory of another LMR, for reading only. */
static void register_again(void)
{
	DAT_REGION_DESCRIPTION again = {};
	DAT_LMR_HANDLE whole;
	DAT_RMR_CONTEXT key;

	loop_pair();
	loop_register(DAT_MEM_TYPE_VIRTUAL, loop_virtual(loop.room), ROOM_SIZE,
		      DAT_MEM_PRIV_ALL_FLAG);
	whole = loop.fixed;
	again.for_lmr_handle = whole;
	key = loop.window.rmr_context;
	loop_register(DAT_MEM_TYPE_LMR, again, ROOM_SIZE,
		      DAT_MEM_PRIV_READ_FLAG);
	EXPECT(loop.window.rmr_context != key);
	if (whole != loop.fixed)
		FREES(dat_lmr_free(whole));
	if (!loop_fine())
		return;
	loop_fill(loop.room, ROOM_SIZE, 0, 14);
	loop_read(&loop.a, ROOM_SIZE);
	EXPECT(loop_is(loop.a.own + DATA_AT, ROOM_SIZE, 0, 14));
	loop_refused(&loop.a, &loop.b);
	EXPECT(loop_is(loop.room, ROOM_SIZE, 0, 14));
}

/* ---- syncs --------------------------------------------------------------- */

/* What an LMR is tied to counts, too. */
static void syncs(void)
{
	DAT_LMR_TRIPLET piece[2];

	loop_pair();
	loop_tie_room();
	piece[0] = loop_own(&loop.b, DATA_AT, ROOM_SIZE);
	piece[1] = loop_room(8, 100);
	WORKS(dat_lmr_sync_rdma_read(loop.ia, piece, 2));
	WORKS(dat_lmr_sync_rdma_write(loop.ia, piece, 2));
	WORKS(dat_lmr_sync_rdma_write(loop.ia, NULL, 0));
	piece[1].segment_length = ROOM_SIZE;
	RETURNS(DAT_INVALID_PARAMETER,
		dat_lmr_sync_rdma_read(loop.ia, piece, 2));
	piece[1].segment_length = 100;
	loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	/* Nobody has it now: there is nothing to agree about. */
	WORKS(dat_lmr_sync_rdma_read(loop.ia, piece, 2));
	piece[0].virtual_address += OWN_SIZE;
	RETURNS(DAT_INVALID_PARAMETER,
		dat_lmr_sync_rdma_write(loop.ia, piece, 1));
}

/* ---- the reserved LMR ---------------------------------------------------- */

/* Of devices in software addresses of the kernel are those of the bus. */
static void use_reserved(DAT_LMR_CONTEXT context)
{
	DAT_LMR_TRIPLET iov = { .segment_length = MESSAGE,
				.lmr_context = context };
	u8 *memory = kmalloc(2 * MESSAGE, GFP_KERNEL);
	u64 received;

	if (EXPECT(memory)) {
		loop_fill(memory, MESSAGE, 0, 15);
		iov.virtual_address = (uintptr_t)memory + MESSAGE;
		WORKS(dat_ep_post_recv(loop.b.ep, 1, &iov, loop_cookie(), 0));
		received = loop.cookie;
		iov.virtual_address = (uintptr_t)memory;
		WORKS(dat_ep_post_send(loop.a.ep, 1, &iov, loop_cookie(), 0));
		loop_done(&loop.a, DAT_DTO_SEND, loop.cookie);
		loop_done(&loop.b, DAT_DTO_RECEIVE, received);
		EXPECT(loop_is(memory + MESSAGE, MESSAGE, 0, 15));
	}
	RETURNS(DAT_RESERVED_LMR, dat_lmr_sync_rdma_read(loop.ia, &iov, 1));
	/* Nothing may use it that is still posted. */
	loop_free_ends();
	kfree(memory);
}

static void reserved(void)
{
	DAT_LMR_CONTEXT context = 0;
	DAT_LMR_HANDLE lmr = NULL;
	DAT_IA_ATTR attr = {};

	WORKS(dat_ia_query(loop.ia, NULL,
			   DAT_IA_FIELD_IA_RESERVED_LMR_SUPPORTED, &attr,
			   DAT_PROVIDER_FIELD_NONE, NULL));
	if (!attr.reserved_lmr_supported) {
		/* Of devices in software siw alone has none. */
		EXPECT(iwarp);
		RETURNS(DAT_MODEL_NOT_SUPPORTED,
			dat_ia_reserved_lmr(loop.ia, &lmr, &context));
		EXPECT(!lmr);
		return;
	}
	loop_pair();
	WORKS(dat_ia_reserved_lmr(loop.ia, &lmr, &context));
	use_reserved(context);
	RETURNS(DAT_RESERVED_LMR, dat_lmr_free(lmr));
}

const struct loop_test memory_cases[] = {
	{ "tied: pages by their addresses", tie_physical },
	{ "tied: a scatterlist", tie_platform },
	{ "tied: from within a page", tie_part },
	{ "registered: pages by their addresses", register_physical },
	{ "registered: a scatterlist", register_platform },
	{ "registered: the memory of another LMR", register_again },
	{ "syncs", syncs },
	{ "the reserved LMR", reserved },
	{},
};

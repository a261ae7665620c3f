// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Windows onto registered memory. */

#include "loop.h"

/* Of loop.room. */
#define PART_AT		1000
#define PART_SIZE	(2 * PAGE_SIZE)

static void bind_done(u64 cookie)
{
	const DAT_RMR_BIND_COMPLETION_EVENT_DATA *data;
	DAT_EVENT event = {};

	loop_event(loop.b.request, &event);
	data = &event.event_data.rmr_completion_event_data;
	EXPECT(event.event_number == DAT_RMR_BIND_COMPLETION_EVENT);
	EXPECT(data->status == DAT_RMR_BIND_SUCCESS);
	EXPECT(data->rmr_handle == loop.rmr);
	EXPECT(data->user_cookie.as_64 == cookie);
}

/* To a part of loop.room; to nothing with size 0. */
static void bind(u32 size)
{
	const DAT_LMR_TRIPLET part = loop_room(PART_AT, size);
	DAT_RMR_CONTEXT context = 0;

	WORKS(dat_rmr_bind(loop.rmr, loop.fixed, &part,
			   DAT_MEM_PRIV_REMOTE_READ_FLAG |
			   DAT_MEM_PRIV_REMOTE_WRITE_FLAG, DAT_VA_TYPE_VA,
			   loop.b.ep, loop_cookie(),
			   DAT_COMPLETION_DEFAULT_FLAG, &context));
	bind_done(loop.cookie);
	if (!size) {
		EXPECT(!context);
		return;
	}
	EXPECT(context && context != loop.window.rmr_context);
	loop.window.virtual_address = part.virtual_address;
	loop.window.segment_length = size;
	loop.window.rmr_context = context;
}

/* The LMR has no remote privileges of its own. */
static void pair_with_rmr(void)
{
	loop_pair();
	loop_register(DAT_MEM_TYPE_VIRTUAL, loop_virtual(loop.room), ROOM_SIZE,
		      DAT_MEM_PRIV_LOCAL_READ_FLAG |
		      DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
	EXPECT(!loop.window.rmr_context);
	WORKS(dat_rmr_create(loop.pz, &loop.rmr));
	bind(PART_SIZE);
}

static void use_part(void)
{
	if (!loop_fine())
		return;
	loop_fill(loop.a.own + DATA_AT, PART_SIZE, 0, 70);
	loop_write(&loop.a, &loop.b, PART_SIZE);
	EXPECT(loop_is(loop.room + PART_AT, PART_SIZE, 0, 70));
	EXPECT(!memchr_inv(loop.room, 0, PART_AT));
	loop_fill(loop.room + PART_AT, PART_SIZE, 0, 71);
	loop_read(&loop.a, PART_SIZE);
	EXPECT(loop_is(loop.a.own + DATA_AT, PART_SIZE, 0, 71));
	memset(loop.a.own + DATA_AT, 0, PART_SIZE);
}

static void bind_and_unbind(void)
{
	pair_with_rmr();
	use_part();
	bind(0);
	loop_refused(&loop.a, &loop.b);
	EXPECT(loop_is(loop.room + PART_AT, PART_SIZE, 0, 71));
}

/* The former context ends. */
static void bind_again(void)
{
	DAT_RMR_TRIPLET first;

	pair_with_rmr();
	first = loop.window;
	bind(PART_SIZE);
	use_part();
	loop.window = first;
	loop_refused(&loop.a, &loop.b);
	EXPECT(loop_is(loop.room + PART_AT, PART_SIZE, 0, 71));
}

static void write_beyond(void)
{
	pair_with_rmr();
	use_part();
	loop.window.virtual_address += PART_SIZE - MESSAGE + 1;
	loop_refused(&loop.a, &loop.b);
	EXPECT(!memchr_inv(loop.room + PART_AT + PART_SIZE, 0,
			   ROOM_SIZE - PART_AT - PART_SIZE));
}

static void free_bound(void)
{
	pair_with_rmr();
	use_part();
	if (WORKS(dat_rmr_free(loop.rmr)))
		loop.rmr = NULL;
	loop_refused(&loop.a, &loop.b);
	EXPECT(loop_is(loop.room + PART_AT, PART_SIZE, 0, 71));
}

/* From where loop.a's LMR for fast registration is tied. */
static void read_to_rmr(void)
{
	DAT_RMR_TRIPLET sink, from;

	pair_with_rmr();
	sink = loop.window;
	loop_tie(&loop.a, DAT_MEM_TYPE_VIRTUAL, loop_virtual(loop.a.own),
		 ROOM_PAGES);
	from = loop.window;
	from.segment_length = PART_SIZE;
	if (!loop_fine())
		return;
	loop_fill(loop.a.own, PART_SIZE, 0, 72);
	WORKS(dat_ep_post_rdma_read_to_rmr(loop.b.ep, &sink, loop_cookie(),
					   &from, DAT_COMPLETION_DEFAULT_FLAG));
	loop_done(&loop.b, DAT_DTO_RDMA_READ, loop.cookie);
	EXPECT(loop_is(loop.room + PART_AT, PART_SIZE, 0, 72));
}

/* It is bound again without an end of what it was bound to. */
static void invalidated_by_peer(void)
{
	DAT_RMR_TRIPLET first;
	DAT_RMR_PARAM param = {};

	pair_with_rmr();
	first = loop.window;
	use_part();
	loop_invalidate(first.rmr_context);
	WORKS(dat_rmr_query(loop.rmr, DAT_RMR_FIELD_ALL, &param));
	EXPECT(!param.rmr_context);
	bind(PART_SIZE);
	use_part();
	loop.window = first;
	loop_refused(&loop.a, &loop.b);
	EXPECT(loop_is(loop.room + PART_AT, PART_SIZE, 0, 71));
}

const struct loop_test rmr_cases[] = {
	{ "an RMR is bound, used, unbound, used in vain", bind_and_unbind },
	{ "an RMR is bound again under another key", bind_again },
	{ "a write beyond an RMR", write_beyond },
	{ "an RMR is freed while it is bound", free_bound },
	{ "a read into an RMR", read_to_rmr },
	{ "an RMR is invalidated by the peer, and bound again",
	  invalidated_by_peer },
	{},
};

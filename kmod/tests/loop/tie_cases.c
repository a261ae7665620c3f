// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fast registration. */

#include <linux/completion.h>
#include <linux/preempt.h>

#include "loop.h"

/* A key may come back after so many others. */
#define KEYS	255

#define PRIVILEGES	DAT_MEM_PRIV_ALL_FLAG

static DAT_LMR_COOKIE cookie(void)
{
	return loop_cookie();
}

static DAT_REGION_DESCRIPTION room(void)
{
	return loop_virtual(loop.room);
}

/* What the peer is to be told. */
static void take_window(void)
{
	DAT_LMR_PARAM param = {};

	WORKS(dat_lmr_query(loop.lmr, DAT_LMR_FIELD_ALL, &param));
	EXPECT(param.lmr_state.bound == DAT_TRUE);
	EXPECT(param.rmr_context == loop.window.rmr_context);
	loop.window.virtual_address = param.registered_address;
	loop.window.segment_length = param.registered_size;
}

void loop_tie(struct loop_end *end, DAT_MEM_TYPE type,
	      DAT_REGION_DESCRIPTION region, u32 pages)
{
	if (loop_fine() && !loop.lmr)
		WORKS(dat_lmr_allocate(loop.ia, loop.pz, ROOM_PAGES,
				       DAT_LMR_SCOPE_PZ, &loop.lmr));
	WORKS(dat_lmr_fmr(loop.lmr, type, region, pages, PRIVILEGES,
			  DAT_VA_TYPE_VA, end->ep, cookie(),
			  DAT_COMPLETION_DEFAULT_FLAG, &loop.context,
			  &loop.window.rmr_context));
	loop_done(end, DAT_DTO_LMR_FMR, loop.cookie);
	take_window();
}

void loop_tie_room(void)
{
	loop_tie(&loop.b, DAT_MEM_TYPE_VIRTUAL, room(), ROOM_PAGES);
	EXPECT(loop.window.virtual_address == (uintptr_t)loop.room);
	EXPECT(loop.window.segment_length == ROOM_SIZE);
}

DAT_LMR_TRIPLET loop_room(u32 at, u32 size)
{
	return (DAT_LMR_TRIPLET){
		.virtual_address = (uintptr_t)loop.room + at,
		.segment_length = size,
		.lmr_context = loop.context,
	};
}

void loop_untie(DAT_COMPLETION_FLAGS flags)
{
	DAT_LMR_PARAM param = {};

	WORKS(dat_lmr_invalidate(loop.lmr, loop.b.ep, cookie(), flags));
	loop_done(&loop.b, DAT_DTO_LMR_INVALIDATE, loop.cookie);
	WORKS(dat_lmr_query(loop.lmr, DAT_LMR_FIELD_ALL, &param));
	EXPECT(param.lmr_state.bound == DAT_FALSE);
}

/* The peer writes all of it, and reads it. */
static void use_room(void)
{
	if (!loop_fine())
		return;
	loop_fill(loop.a.own + DATA_AT, ROOM_SIZE, 0, 3);
	loop_write(&loop.a, &loop.b, ROOM_SIZE);
	EXPECT(loop_is(loop.room, ROOM_SIZE, 0, 3));
	loop_fill(loop.room, ROOM_SIZE, 0, 4);
	loop_read(&loop.a, ROOM_SIZE);
	EXPECT(loop_is(loop.a.own + DATA_AT, ROOM_SIZE, 0, 4));
	if (loop_fine())
		loop_fill(loop.a.own + DATA_AT, ROOM_SIZE, 0, 5);
}

static void tie(void)
{
	loop_pair();
	loop_tie_room();
	use_room();
	loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	loop_refused(&loop.a, &loop.b);
	EXPECT(loop_is(loop.room, ROOM_SIZE, 0, 4));
}

static void tie_again(void)
{
	DAT_RMR_CONTEXT first;

	loop_pair();
	loop_tie_room();
	first = loop.window.rmr_context;
	use_room();
	loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	loop_tie_room();
	EXPECT(loop.window.rmr_context != first);
	use_room();
	loop.window.rmr_context = first;
	loop_refused(&loop.a, &loop.b);
	EXPECT(loop_is(loop.room, ROOM_SIZE, 0, 4));
}

/* No key comes back too soon, and each is good. */
static void tie_often(void)
{
	static DAT_RMR_CONTEXT keys[KEYS];
	unsigned int i, k;

	loop_pair();
	memset(keys, 0, sizeof(keys));
	for (i = 0; i < KEYS + 5 && loop_fine(); i++) {
		loop_tie_room();
		for (k = 0; k < KEYS; k++)
			EXPECT(keys[k] != loop.window.rmr_context);
		keys[i % KEYS] = loop.window.rmr_context;
		if (i % 50 == 0 || i >= KEYS)
			use_room();
		loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	}
}

/* ---- in an upcall -------------------------------------------------------- */

static struct {
	struct completion over;
	bool softirq;
	DAT_RETURN tied, untied;
} in_upcall;

static void tying_upcall(DAT_PVOID instance, const DAT_EVENT *event,
			 DAT_BOOLEAN more)
{
	in_upcall.softirq = in_serving_softirq();
	in_upcall.tied = dat_lmr_fmr(loop.lmr, DAT_MEM_TYPE_VIRTUAL, room(),
				     ROOM_PAGES, PRIVILEGES, DAT_VA_TYPE_VA,
				     loop.b.ep, cookie(),
				     DAT_COMPLETION_SUPPRESS_FLAG, NULL, NULL);
	in_upcall.untied = dat_lmr_invalidate(loop.lmr, loop.b.ep, cookie(),
					      DAT_COMPLETION_DEFAULT_FLAG);
	complete(&in_upcall.over);
}

static void tie_in_upcall(void)
{
	const DAT_UPCALL_OBJECT upcall = { NULL, tying_upcall };
	const DAT_EVENT event = { .event_number = DAT_SOFTWARE_EVENT };
	DAT_EVD_HANDLE evd = NULL;

	loop_pair();
	WORKS(dat_lmr_allocate(loop.ia, loop.pz, ROOM_PAGES, DAT_LMR_SCOPE_ANY,
			       &loop.lmr));
	WORKS(dat_evd_kcreate(loop.ia, 4, DAT_UPCALL_SINGLE_INSTANCE, &upcall,
			      DAT_EVD_SOFTWARE_FLAG, &evd));
	init_completion(&in_upcall.over);
	WORKS(dat_evd_post_se(evd, &event));
	EXPECT(wait_for_completion_timeout(&in_upcall.over, 30 * HZ));
	EXPECT(in_upcall.softirq);
	WORKS(in_upcall.tied);
	WORKS(in_upcall.untied);
	loop_done(&loop.b, DAT_DTO_LMR_INVALIDATE, loop.cookie);
	loop_tie_room();
	use_room();
	if (evd)
		FREES(dat_evd_free(evd));
}

/* ---- the order of requests ----------------------------------------------- */

/* A read goes where the LMR is tied to, which is untied right behind it. */
static void untie_with_fence(void)
{
	DAT_LMR_TRIPLET sink;
	DAT_RMR_TRIPLET from;
	u64 read;

	loop_pair();
	loop_register(DAT_MEM_TYPE_VIRTUAL, loop_virtual(loop.a.own), ROOM_SIZE,
		      DAT_MEM_PRIV_READ_FLAG);
	from = loop.window;
	loop_tie_room();
	if (!loop_fine())
		return;
	loop_fill(loop.a.own, ROOM_SIZE, 0, 6);
	sink = loop_room(0, ROOM_SIZE);
	WORKS(dat_ep_post_rdma_read(loop.b.ep, 1, &sink, loop_cookie(), &from,
				    DAT_COMPLETION_DEFAULT_FLAG));
	read = loop.cookie;
	WORKS(dat_lmr_invalidate(loop.lmr, loop.b.ep, cookie(),
				 DAT_COMPLETION_LMR_INVALIDATE_FENCE_FLAG));
	loop_done(&loop.b, DAT_DTO_RDMA_READ, read);
	loop_done(&loop.b, DAT_DTO_LMR_INVALIDATE, loop.cookie);
	EXPECT(loop_is(loop.room, ROOM_SIZE, 0, 6));
}

/* What is posted behind a request to tie can use the LMR, without an event between. */
static void use_at_once(void)
{
	DAT_LMR_TRIPLET piece;
	u64 sent;

	loop_pair();
	loop_post_recv(&loop.a, 0);
	sent = loop.cookie;
	WORKS(dat_lmr_allocate(loop.ia, loop.pz, ROOM_PAGES, DAT_LMR_SCOPE_PZ,
			       &loop.lmr));
	WORKS(dat_lmr_fmr(loop.lmr, DAT_MEM_TYPE_VIRTUAL, room(), ROOM_PAGES,
			  DAT_MEM_PRIV_LOCAL_READ_FLAG, DAT_VA_TYPE_VA,
			  loop.b.ep, cookie(), DAT_COMPLETION_SUPPRESS_FLAG,
			  &loop.context, &loop.window.rmr_context));
	EXPECT(!loop.window.rmr_context);
	loop_fill(loop.room, MESSAGE, 0, 7);
	piece = loop_room(0, MESSAGE);
	WORKS(dat_ep_post_send(loop.b.ep, 1, &piece, loop_cookie(),
			       DAT_COMPLETION_DEFAULT_FLAG));
	loop_done(&loop.b, DAT_DTO_SEND, loop.cookie);
	loop_done(&loop.a, DAT_DTO_RECEIVE, sent);
	EXPECT(loop_is(loop.a.own, MESSAGE, 0, 7));
	loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	RETURNS(DAT_PROTECTION_VIOLATION,
		dat_ep_post_send(loop.b.ep, 1, &piece, loop_cookie(),
				 DAT_COMPLETION_DEFAULT_FLAG));
}

static void free_while_tied(void)
{
	loop_pair();
	loop_tie_room();
	use_room();
	if (WORKS(dat_lmr_free(loop.lmr)))
		loop.lmr = NULL;
	loop_refused(&loop.a, &loop.b);
	EXPECT(loop_is(loop.room, ROOM_SIZE, 0, 4));
}

/* ---- what is refused ----------------------------------------------------- */

static DAT_RETURN try_tie(DAT_EP_HANDLE ep, u32 pages)
{
	return dat_lmr_fmr(loop.lmr, DAT_MEM_TYPE_VIRTUAL, room(), pages,
			   PRIVILEGES, DAT_VA_TYPE_VA, ep, cookie(),
			   DAT_COMPLETION_DEFAULT_FLAG, NULL, NULL);
}

static void refusals(void)
{
	loop_pair();
	WORKS(dat_lmr_allocate(loop.ia, loop.pz, ROOM_PAGES, DAT_LMR_SCOPE_PZ,
			       &loop.lmr));
	loop_make(&loop.c, false);
	RETURNS(DAT_INVALID_STATE, try_tie(loop.c.ep, ROOM_PAGES));
	RETURNS(DAT_INVALID_PARAMETER, try_tie(loop.b.ep, ROOM_PAGES + 1));
	RETURNS(DAT_INVALID_PARAMETER, try_tie(loop.b.ep, 0));
	RETURNS(DAT_INVALID_STATE,
		dat_lmr_invalidate(loop.lmr, loop.b.ep, cookie(), 0));
	loop_tie_room();
	RETURNS(DAT_INVALID_STATE, try_tie(loop.b.ep, ROOM_PAGES));
	RETURNS(DAT_INVALID_HANDLE,
		dat_lmr_invalidate(loop.b.lmr, loop.b.ep, cookie(), 0));
	/* Nothing of this has changed anything. */
	use_room();
	loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	RETURNS(DAT_INVALID_STATE,
		dat_lmr_invalidate(loop.lmr, loop.b.ep, cookie(), 0));
}

static void another_zone(void)
{
	DAT_PZ_HANDLE pz = NULL;

	loop_pair();
	WORKS(dat_pz_create(loop.ia, &pz));
	WORKS(dat_lmr_allocate(loop.ia, pz, ROOM_PAGES, DAT_LMR_SCOPE_PZ,
			       &loop.lmr));
	RETURNS(DAT_PROTECTION_VIOLATION, try_tie(loop.b.ep, ROOM_PAGES));
	RETURNS(DAT_MODEL_NOT_SUPPORTED,
		dat_lmr_allocate(loop.ia, pz, ROOM_PAGES, DAT_LMR_SCOPE_EP,
				 &loop.lmr));
	RETURNS(DAT_INSUFFICIENT_RESOURCES,
		dat_lmr_allocate(loop.ia, pz, INT_MAX, DAT_LMR_SCOPE_PZ,
				 &loop.lmr));
	loop_free_lmrs();
	if (pz)
		FREES(dat_pz_free(pz));
}

/* On an EP that is not connected any more it is flushed, and nothing else. */
static void tie_too_late(void)
{
	DAT_EVENT event = {};

	loop_pair();
	WORKS(dat_lmr_allocate(loop.ia, loop.pz, ROOM_PAGES, DAT_LMR_SCOPE_PZ,
			       &loop.lmr));
	WORKS(dat_ep_disconnect(loop.b.ep, DAT_CLOSE_ABRUPT_FLAG));
	loop_ended(&loop.b);
	WORKS(try_tie(loop.b.ep, ROOM_PAGES));
	loop_event(loop.b.request, &event);
	EXPECT(event.event_data.dto_completion_event_data.status ==
	       DAT_DTO_ERR_FLUSHED);
	EXPECT(event.event_data.dto_completion_event_data.operation ==
	       DAT_DTO_LMR_FMR);
	loop_ended(&loop.a);
	WORKS(dat_ep_reset(loop.a.ep));
	WORKS(dat_ep_reset(loop.b.ep));
	loop_connect(&loop.a, &loop.b);
	loop_tie_room();
	use_room();
}

/* ---- by the peer --------------------------------------------------------- */

static void invalidated_by_peer(void)
{
	DAT_LMR_PARAM param = {};

	loop_pair();
	loop_tie_room();
	use_room();
	loop_invalidate(loop.window.rmr_context);
	WORKS(dat_lmr_query(loop.lmr, DAT_LMR_FIELD_ALL, &param));
	/* Soft iWARP's word is not enough. */
	EXPECT(param.lmr_state.bound == (iwarp ? DAT_TRUE : DAT_FALSE));
	if (iwarp)
		loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	loop_refused(&loop.a, &loop.b);
	EXPECT(loop_is(loop.room, ROOM_SIZE, 0, 4));
}

/* It is untied already, save over soft iWARP. */
static void invalidated_and_tied(void)
{
	DAT_LMR_TRIPLET piece;
	DAT_RMR_CONTEXT first;

	loop_pair();
	loop_tie_room();
	first = loop.window.rmr_context;
	piece = loop_room(0, MESSAGE);
	loop_invalidate(first);
	if (iwarp)
		loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	RETURNS(DAT_INVALID_STATE,
		dat_lmr_invalidate(loop.lmr, loop.b.ep, cookie(), 0));
	RETURNS(DAT_PROTECTION_VIOLATION,
		dat_ep_post_send(loop.b.ep, 1, &piece, loop_cookie(),
				 DAT_COMPLETION_DEFAULT_FLAG));
	loop_tie_room();
	EXPECT(loop.window.rmr_context != first);
	use_room();
	loop_untie(DAT_COMPLETION_DEFAULT_FLAG);
	loop.window.rmr_context = first;
	loop_refused(&loop.a, &loop.b);
}

const struct loop_test tie_cases[] = {
	{ "tied, used by the peer, untied, used in vain", tie },
	{ "tied again under another key", tie_again },
	{ "tied often: keys do not come back soon", tie_often },
	{ "tied and untied in an upcall", tie_in_upcall },
	{ "untied behind a read, with a fence", untie_with_fence },
	{ "used behind the request that ties it", use_at_once },
	{ "freed while it is tied", free_while_tied },
	{ "requests that are refused", refusals },
	{ "an LMR of another zone", another_zone },
	{ "tied when the connection has ended", tie_too_late },
	{ "invalidated by the peer's message", invalidated_by_peer },
	{ "invalidated by the peer, and tied again", invalidated_and_tied },
	{},
};

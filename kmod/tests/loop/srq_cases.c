// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Receives that two endpoints share. */

#include "loop.h"

#define RECEIVES	6
#define LOW		4

/* Where each receive puts its message. */
static u32 slot(unsigned int n)
{
	return n * MESSAGE;
}

/* Two pairs; the accepting ends have the SRQ. All receives are loop.b's memory. */
static void make_pairs(void)
{
	DAT_SRQ_ATTR attr = { .max_recv_dtos = 8, .max_recv_iov = 1 };

	WORKS(dat_srq_create(loop.ia, loop.pz, &attr, &loop.srq));
	loop_make(&loop.a, false);
	loop_make(&loop.b, true);
	loop_make(&loop.c, false);
	loop_make(&loop.d, true);
	/* Each connection begins with a message, which takes one receive. */
	loop_connect(&loop.a, &loop.b);
	loop_connect(&loop.c, &loop.d);
}

static void expect_counts(DAT_COUNT available, DAT_COUNT outstanding)
{
	DAT_SRQ_PARAM param = {};

	WORKS(dat_srq_query(loop.srq, DAT_SRQ_FIELD_ALL, &param));
	EXPECT(param.srq_state == DAT_SRQ_STATE_OPERATIONAL);
	EXPECT(param.pz_handle == loop.pz);
	EXPECT(param.available_dto_count == available);
	EXPECT(param.outstanding_dto_count == outstanding);
}

static void expect_low_mark(void)
{
	DAT_EVENT event = {};

	loop_event(loop.async, &event);
	EXPECT(event.event_number == DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR);
	EXPECT(event.event_data.asynch_error_event_data.dat_handle == loop.srq);
	EXPECT(event.event_data.asynch_error_event_data.reason ==
	       DAT_SRQ_LOW_WATERMARK_EVENT);
}

/* The receives are taken in their order, by whoever has a message. */
static void share(void)
{
	u64 first;
	int i;

	make_pairs();
	for (i = 0; i < RECEIVES; i++)
		loop_post_recv(&loop.b, slot(i));
	first = loop.cookie - RECEIVES + 1;
	expect_counts(RECEIVES, RECEIVES);
	WORKS(dat_srq_set_lw(loop.srq, LOW));
	for (i = 0; i < 2; i++) {
		loop_post_send(&loop.a, 30 + i);
		loop_done(&loop.a, DAT_DTO_SEND, loop.cookie);
		loop_done(&loop.b, DAT_DTO_RECEIVE, first + 2 * i);
		EXPECT(loop_is(loop.b.own + slot(2 * i), MESSAGE, 0, 30 + i));
		loop_post_send(&loop.c, 40 + i);
		loop_done(&loop.c, DAT_DTO_SEND, loop.cookie);
		loop_done(&loop.d, DAT_DTO_RECEIVE, first + 2 * i + 1);
		EXPECT(loop_is(loop.b.own + slot(2 * i + 1), MESSAGE, 0,
			       40 + i));
	}
	expect_counts(RECEIVES - 4, RECEIVES - 4);
	/* Once. */
	expect_low_mark();
}

/* Longer, with receives on it; what is posted before and after comes. */
static void resize(void)
{
	struct loop_end *from;
	u64 first;
	int i;

	make_pairs();
	for (i = 0; i < 4; i++)
		loop_post_recv(&loop.b, slot(i));
	first = loop.cookie - 3;
	WORKS(dat_srq_resize(loop.srq, 20));
	for (i = 4; i < 20; i++)
		loop_post_recv(&loop.b, slot(i));
	expect_counts(20, 20);
	RETURNS(DAT_INVALID_STATE, dat_srq_resize(loop.srq, 2));
	for (i = 0; i < 20; i++) {
		from = i & 1 ? &loop.a : &loop.c;
		loop_post_send(from, 50 + i);
		loop_done(from, DAT_DTO_SEND, loop.cookie);
		loop_done(i & 1 ? &loop.b : &loop.d, DAT_DTO_RECEIVE,
			  first + i);
		EXPECT(loop_is(loop.b.own + slot(i), MESSAGE, 0, 50 + i));
	}
	expect_counts(0, 0);
}

/* The end of one connection leaves its receives to the other. */
static void one_ends(void)
{
	u64 first;

	make_pairs();
	loop_post_recv(&loop.b, slot(0));
	loop_post_recv(&loop.b, slot(1));
	first = loop.cookie - 1;
	RETURNS(DAT_INVALID_STATE, dat_srq_free(loop.srq));
	RETURNS(DAT_INVALID_STATE,
		dat_ep_post_recv(loop.b.ep, 0, NULL, loop_cookie(), 0));
	WORKS(dat_ep_disconnect(loop.a.ep, DAT_CLOSE_ABRUPT_FLAG));
	loop_ended(&loop.a);
	loop_ended(&loop.b);
	WORKS(dat_ext_ep_drain(loop.b.ep));
	loop_post_send(&loop.c, 60);
	loop_done(&loop.c, DAT_DTO_SEND, loop.cookie);
	loop_done(&loop.d, DAT_DTO_RECEIVE, first);
	expect_counts(1, 1);
}

const struct loop_test srq_cases[] = {
	{ "an SRQ of two EPs, and its low mark", share },
	{ "an SRQ is resized", resize },
	{ "an SRQ loses one of its EPs", one_ends },
	{},
};

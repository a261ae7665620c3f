// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Endpoints: draining, marks, changes, notifications, several requests at once. */

#include <linux/completion.h>

#include "loop.h"

#define POSTED	5

/* ---- draining ------------------------------------------------------------ */

/* Events of @evd that are there already. */
static int queued(DAT_EVD_HANDLE evd, int *successes)
{
	DAT_EVENT event;
	int n = 0;

	*successes = 0;
	while (dat_evd_dequeue(evd, &event) == DAT_SUCCESS) {
		n++;
		*successes += event.event_data.dto_completion_event_data.status ==
			      DAT_DTO_SUCCESS;
	}
	return n;
}

static void post_some(void)
{
	int i;

	loop_pair();
	for (i = 0; i < POSTED; i++) {
		loop_post_recv(&loop.a, i * MESSAGE);
		loop_post_recv(&loop.b, i * MESSAGE);
	}
	RETURNS(DAT_INVALID_STATE, dat_ext_ep_drain(loop.a.ep));
	for (i = 0; i < POSTED - 1; i++)
		loop_post_send(&loop.a, 20);
}

static void drain_abrupt(void)
{
	int successes;

	post_some();
	WORKS(dat_ep_disconnect(loop.a.ep, DAT_CLOSE_ABRUPT_FLAG));
	WORKS(dat_ext_ep_drain(loop.a.ep));
	EXPECT(queued(loop.a.recv, &successes) == POSTED);
	EXPECT(!successes);
	EXPECT(queued(loop.a.request, &successes) == POSTED - 1);
	loop_ended(&loop.a);
	loop_ended(&loop.b);
	WORKS(dat_ext_ep_drain(loop.b.ep));
	EXPECT(queued(loop.b.recv, &successes) == POSTED);
	/* Nothing is left: that is over at once. */
	WORKS(dat_ext_ep_drain(loop.b.ep));
}

static void drain_graceful(void)
{
	int successes;

	post_some();
	WORKS(dat_ep_disconnect(loop.a.ep, DAT_CLOSE_GRACEFUL_FLAG));
	WORKS(dat_ext_ep_drain(loop.a.ep));
	EXPECT(queued(loop.a.request, &successes) == POSTED - 1);
	EXPECT(successes == POSTED - 1);
	EXPECT(queued(loop.a.recv, &successes) == POSTED);
	loop_ended(&loop.a);
	loop_ended(&loop.b);
	WORKS(dat_ext_ep_drain(loop.b.ep));
	EXPECT(queued(loop.b.recv, &successes) == POSTED);
	EXPECT(successes == POSTED - 1);
}

static void drain_unused(void)
{
	loop_make(&loop.a, false);
	WORKS(dat_ext_ep_drain(loop.a.ep));
	loop_post_recv(&loop.a, 0);
	RETURNS(DAT_INVALID_STATE, dat_ext_ep_drain(loop.a.ep));
}

/* ---- marks --------------------------------------------------------------- */

static void soft_mark(void)
{
	DAT_EVENT event = {};
	DAT_COUNT held = -1;

	loop_pair();
	WORKS(dat_ep_set_watermark(loop.b.ep, 1, DAT_WATERMARK_INFINITE));
	loop_post_recv(&loop.b, 0);
	EXPECT(dat_evd_dequeue(loop.async, &event) != DAT_SUCCESS);
	loop_post_recv(&loop.b, MESSAGE);
	WORKS(dat_ep_recv_query(loop.b.ep, &held, NULL));
	EXPECT(held == 2);
	loop_event(loop.async, &event);
	EXPECT(event.event_number == DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR);
	EXPECT(event.event_data.asynch_error_event_data.dat_handle ==
	       loop.b.ep);
	EXPECT(event.event_data.asynch_error_event_data.reason ==
	       DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT);
	/* Once, and the connection is as it was. */
	loop_post_recv(&loop.b, 2 * MESSAGE);
	loop_post_send(&loop.a, 21);
	loop_done(&loop.a, DAT_DTO_SEND, loop.cookie);
	loop_done(&loop.b, DAT_DTO_RECEIVE, loop.cookie - 3);
}

static void hard_mark(void)
{
	loop_pair();
	WORKS(dat_ep_set_watermark(loop.b.ep, DAT_WATERMARK_INFINITE, 1));
	loop_post_recv(&loop.b, 0);
	loop_post_send(&loop.a, 22);
	loop_done(&loop.a, DAT_DTO_SEND, loop.cookie);
	loop_done(&loop.b, DAT_DTO_RECEIVE, loop.cookie - 1);
	loop_post_recv(&loop.b, 0);
	loop_post_recv(&loop.b, MESSAGE);
	EXPECT(loop_ended(&loop.b) == DAT_CONNECTION_EVENT_BROKEN);
	loop_ended(&loop.a);
}

/* ---- changes ------------------------------------------------------------- */

static void free_old(DAT_EVD_HANDLE old)
{
	/* Nothing feeds it any more, if it was replaced. */
	if (old && old != loop.b.request)
		FREES(dat_evd_free(old));
}

static void modify(void)
{
	DAT_EP_PARAM param = {}, now = {};
	DAT_EVD_HANDLE old;

	loop_make(&loop.a, false);
	loop_make(&loop.b, false);
	old = loop.b.request;
	param.request_evd_handle = loop_evd(DAT_EVD_DTO_FLAG);
	param.ep_attr.max_request_dtos = 40;
	param.ep_attr.max_recv_iov = 2;
	WORKS(dat_ep_modify(loop.b.ep,
			    DAT_EP_FIELD_REQUEST_EVD_HANDLE |
			    DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS |
			    DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV, &param));
	if (param.request_evd_handle)
		loop.b.request = param.request_evd_handle;
	free_old(old);
	WORKS(dat_ep_query(loop.b.ep, DAT_EP_FIELD_ALL, &now));
	EXPECT(now.request_evd_handle == loop.b.request);
	EXPECT(now.recv_evd_handle == loop.b.recv);
	EXPECT(now.ep_attr.max_request_dtos >= 40);
	EXPECT(now.ep_attr.max_recv_iov >= 2);
	EXPECT(now.ep_attr.max_recv_dtos >= 16);
	loop_connect(&loop.a, &loop.b);
	loop_message(&loop.b, &loop.a, 23);
	RETURNS(DAT_INVALID_STATE,
		dat_ep_modify(loop.b.ep, DAT_EP_FIELD_REQUEST_EVD_HANDLE,
			      &param));
}

/* ---- notifications ------------------------------------------------------- */

/* Upcalls of receives: the first one's event was not the last. */
static struct {
	struct completion over;
	int calls;
	bool more;
} told;

static void telling_upcall(DAT_PVOID instance, const DAT_EVENT *event,
			   DAT_BOOLEAN more)
{
	if (!told.calls++)
		told.more = more;
	if (!more)
		complete(&told.over);
}

static DAT_RETURN set_recv_flags(DAT_EP_HANDLE ep, DAT_COMPLETION_FLAGS flags)
{
	const DAT_EP_PARAM param = { .ep_attr.recv_completion_flags = flags };

	return dat_ep_modify(ep, DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS,
			     &param);
}

static void send_with(DAT_COMPLETION_FLAGS flags)
{
	DAT_LMR_TRIPLET iov = loop_own(&loop.a, SEND_AT, MESSAGE);

	WORKS(dat_ep_post_send(loop.a.ep, 1, &iov, loop_cookie(), flags));
	loop_done(&loop.a, DAT_DTO_SEND, loop.cookie);
}

/* It has its event, with which the upcalls begin that a later one leads to. */
static void unsignalled(void)
{
	const DAT_UPCALL_OBJECT upcall = { NULL, telling_upcall };
	DAT_LMR_TRIPLET iov;

	loop_make(&loop.a, false);
	loop_make(&loop.b, false);
	WORKS(set_recv_flags(loop.b.ep, DAT_COMPLETION_UNSIGNALLED_FLAG));
	loop_connect(&loop.a, &loop.b);
	iov = loop_own(&loop.b, 0, MESSAGE);
	WORKS(dat_ep_post_recv(loop.b.ep, 1, &iov, loop_cookie(),
			       DAT_COMPLETION_UNSIGNALLED_FLAG));
	loop_post_recv(&loop.b, MESSAGE);
	told.calls = 0;
	init_completion(&told.over);
	WORKS(dat_evd_modify_upcall(loop.b.recv, DAT_UPCALL_SINGLE_INSTANCE,
				    &upcall, DAT_UPCALL_INVOC_NEW));
	send_with(DAT_COMPLETION_DEFAULT_FLAG);
	send_with(DAT_COMPLETION_DEFAULT_FLAG);
	EXPECT(wait_for_completion_timeout(&told.over, 30 * HZ));
	EXPECT(told.more);
	EXPECT(told.calls == 2);
}

/* Nobody waits here; what a program's peer sends so comes like all else. */
static void solicited(void)
{
	loop_make(&loop.a, false);
	loop_make(&loop.b, false);
	RETURNS(DAT_MODEL_NOT_SUPPORTED,
		set_recv_flags(loop.b.ep, DAT_COMPLETION_SOLICITED_WAIT_FLAG));
	loop_connect(&loop.a, &loop.b);
	loop_post_recv(&loop.b, 0);
	loop_post_recv(&loop.b, MESSAGE);
	send_with(DAT_COMPLETION_SOLICITED_WAIT_FLAG);
	loop_done(&loop.b, DAT_DTO_RECEIVE, loop.cookie - 2);
	send_with(DAT_COMPLETION_DEFAULT_FLAG);
	loop_done(&loop.b, DAT_DTO_RECEIVE, loop.cookie - 2);
}

/* ---- several requests at once -------------------------------------------- */

static DAT_EXT_DTO write_dto(DAT_LMR_TRIPLET *iov)
{
	return (DAT_EXT_DTO){
		.op = DAT_DTO_RDMA_WRITE,
		.flags = DAT_COMPLETION_SUPPRESS_FLAG,
		.num_segments = 1,
		.iov = iov,
		.remote = loop.window,
		.cookie = loop_cookie(),
	};
}

/* When the message is there, what was written before is. */
static void several(void)
{
	DAT_LMR_TRIPLET data, text;
	DAT_EXT_DTO dto[2];
	u64 received;

	loop_pair();
	loop_tie_room();
	if (!loop_fine())
		return;
	data = loop_own(&loop.a, DATA_AT, ROOM_SIZE);
	text = loop_own(&loop.a, SEND_AT, MESSAGE);
	loop_fill(loop.a.own + DATA_AT, ROOM_SIZE, 0, 24);
	loop_post_recv(&loop.b, 0);
	received = loop.cookie;
	dto[0] = write_dto(&data);
	dto[1] = (DAT_EXT_DTO){
		.op = DAT_DTO_SEND,
		.num_segments = 1,
		.iov = &text,
		.cookie = loop_cookie(),
	};
	WORKS(dat_ext_ep_post(loop.a.ep, 2, dto));
	loop_done(&loop.b, DAT_DTO_RECEIVE, received);
	EXPECT(loop_is(loop.room, ROOM_SIZE, 0, 24));
	loop_done(&loop.a, DAT_DTO_SEND, loop.cookie);
}

/* One of them is wrong: none is posted. */
static void several_or_none(void)
{
	DAT_LMR_TRIPLET data, beyond;
	DAT_EXT_DTO dto[2];

	loop_pair();
	loop_tie_room();
	if (!loop_fine())
		return;
	data = loop_own(&loop.a, DATA_AT, ROOM_SIZE);
	beyond = loop_own(&loop.a, OWN_SIZE, MESSAGE);
	loop_fill(loop.a.own + DATA_AT, ROOM_SIZE, 0, 25);
	dto[0] = write_dto(&data);
	dto[0].flags = DAT_COMPLETION_DEFAULT_FLAG;
	dto[1] = (DAT_EXT_DTO){
		.op = DAT_DTO_SEND,
		.num_segments = 1,
		.iov = &beyond,
		.cookie = loop_cookie(),
	};
	RETURNS(DAT_PROTECTION_VIOLATION, dat_ext_ep_post(loop.a.ep, 2, dto));
	/* Its event is the next one. */
	loop_message(&loop.a, &loop.b, 26);
	EXPECT(!memchr_inv(loop.room, 0, ROOM_SIZE));
}

const struct loop_test ep_cases[] = {
	{ "drained after an abrupt disconnect", drain_abrupt },
	{ "drained after a graceful disconnect", drain_graceful },
	{ "drained without a connection", drain_unused },
	{ "more receives than the soft mark", soft_mark },
	{ "more receives than the hard mark", hard_mark },
	{ "an EP is changed", modify },
	{ "a receive that no upcall is made for", unsignalled },
	{ "messages that are solicited", solicited },
	{ "a write and the message that tells of it", several },
	{ "several requests, or none", several_or_none },
	{},
};

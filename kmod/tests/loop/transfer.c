// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Transfers, and the events that they end with. */

#include <linux/jiffies.h>

#include "loop.h"

/* Emulated processors with every check on are slow. */
#define PATIENCE	(30 * HZ)
/* Where a failure was injected not every event comes. */
#define PATIENCE_AFTER	(3 * HZ)

static u8 byte(u32 i, u8 seed)
{
	return seed + 3 * i + (i >> 8);
}

void loop_fill(void *at, u32 size, u32 from, u8 seed)
{
	u8 *bytes = at;
	u32 i;

	for (i = 0; i < size; i++)
		bytes[i] = byte(from + i, seed);
}

bool loop_is(const void *at, u32 size, u32 from, u8 seed)
{
	const u8 *bytes = at;
	u32 i;

	for (i = 0; i < size; i++)
		if (bytes[i] != byte(from + i, seed))
			return false;
	return true;
}

/* ---- events -------------------------------------------------------------- */

bool loop_event(DAT_EVD_HANDLE evd, DAT_EVENT *event)
{
	long patience = loop_was_hit() ? PATIENCE_AFTER : PATIENCE;

	return EXPECT(wait_event_timeout(loop.arrived,
					 dat_evd_dequeue(evd, event) ==
					 DAT_SUCCESS, patience));
}

void loop_done(struct loop_end *end, DAT_DTOS operation, u64 cookie)
{
	const DAT_DTO_COMPLETION_EVENT_DATA *dto;
	DAT_EVENT event = {};

	loop_event(operation == DAT_DTO_RECEIVE ? end->recv : end->request,
		   &event);
	dto = &event.event_data.dto_completion_event_data;
	EXPECT(event.event_number == DAT_DTO_COMPLETION_EVENT);
	EXPECT(dto->status == DAT_DTO_SUCCESS);
	EXPECT(dto->operation == operation);
	EXPECT(dto->user_cookie.as_64 == cookie);
	EXPECT(dto->ep_handle == end->ep);
	EXPECT(!dto->rmr_context);
}

DAT_EVENT_NUMBER loop_ended(struct loop_end *end)
{
	DAT_EVENT event = {};

	loop_event(end->connect, &event);
	EXPECT(event.event_number == DAT_CONNECTION_EVENT_BROKEN ||
	       event.event_number == DAT_CONNECTION_EVENT_DISCONNECTED);
	return event.event_number;
}

/* ---- posts --------------------------------------------------------------- */

DAT_LMR_TRIPLET loop_own(const struct loop_end *end, u32 at, u32 size)
{
	return (DAT_LMR_TRIPLET){
		.virtual_address = (uintptr_t)end->own + at,
		.segment_length = size,
		.lmr_context = end->context,
	};
}

DAT_DTO_COOKIE loop_cookie(void)
{
	return (DAT_DTO_COOKIE){ .as_64 = ++loop.cookie };
}

void loop_post_recv(struct loop_end *end, u32 at)
{
	DAT_LMR_TRIPLET iov = loop_own(end, at, MESSAGE);

	if (end->srq)
		WORKS(dat_srq_post_recv(loop.srq, 1, &iov, loop_cookie()));
	else
		WORKS(dat_ep_post_recv(end->ep, 1, &iov, loop_cookie(),
				       DAT_COMPLETION_DEFAULT_FLAG));
}

void loop_post_send(struct loop_end *end, u8 seed)
{
	DAT_LMR_TRIPLET iov = loop_own(end, SEND_AT, MESSAGE);

	if (!loop_fine())
		return;
	loop_fill(end->own + SEND_AT, MESSAGE, 0, seed);
	WORKS(dat_ep_post_send(end->ep, 1, &iov, loop_cookie(),
			       DAT_COMPLETION_DEFAULT_FLAG));
}

void loop_message(struct loop_end *from, struct loop_end *to, u8 seed)
{
	u64 sent, received;

	loop_post_recv(to, 0);
	received = loop.cookie;
	loop_post_send(from, seed);
	sent = loop.cookie;
	loop_done(from, DAT_DTO_SEND, sent);
	loop_done(to, DAT_DTO_RECEIVE, received);
	EXPECT(loop_is(to->own, MESSAGE, 0, seed));
}

void loop_invalidate(DAT_RMR_CONTEXT context)
{
	DAT_LMR_TRIPLET iov = loop_own(&loop.a, SEND_AT, MESSAGE);
	const DAT_DTO_COMPLETION_EVENT_DATA *dto;
	DAT_EVENT event = {};
	u64 received;

	loop_post_recv(&loop.b, 0);
	received = loop.cookie;
	WORKS(dat_ep_post_send_with_invalidate(loop.a.ep, 1, &iov,
					       loop_cookie(), 0, DAT_TRUE,
					       context));
	loop_done(&loop.a, DAT_DTO_SEND, loop.cookie);
	loop_event(loop.b.recv, &event);
	dto = &event.event_data.dto_completion_event_data;
	EXPECT(event.event_number == DAT_DTO_COMPLETION_EVENT);
	EXPECT(dto->status == DAT_DTO_SUCCESS);
	EXPECT(dto->operation == DAT_DTO_RECEIVE_WITH_INVALIDATE);
	EXPECT(dto->rmr_context == context);
	EXPECT(dto->user_cookie.as_64 == received);
	EXPECT(dto->ep_handle == loop.b.ep);
}

/* The end of a write says only that the bytes are on their way, over iWARP. */
void loop_write(struct loop_end *from, struct loop_end *to, u32 size)
{
	DAT_LMR_TRIPLET iov = loop_own(from, DATA_AT, size);
	DAT_RMR_TRIPLET window = loop.window;

	window.segment_length = size;
	WORKS(dat_ep_post_rdma_write(from->ep, 1, &iov, loop_cookie(), &window,
				     DAT_COMPLETION_DEFAULT_FLAG));
	loop_done(from, DAT_DTO_RDMA_WRITE, loop.cookie);
	loop_message(from, to, 2);
}

void loop_read(struct loop_end *from, u32 size)
{
	DAT_LMR_TRIPLET iov = loop_own(from, DATA_AT, size);
	DAT_RMR_TRIPLET window = loop.window;

	window.segment_length = size;
	WORKS(dat_ep_post_rdma_read(from->ep, 1, &iov, loop_cookie(), &window,
				    DAT_COMPLETION_DEFAULT_FLAG));
	loop_done(from, DAT_DTO_RDMA_READ, loop.cookie);
}

void loop_refused(struct loop_end *from, struct loop_end *to)
{
	DAT_LMR_TRIPLET iov = loop_own(from, DATA_AT, MESSAGE);
	DAT_RMR_TRIPLET window = loop.window;
	DAT_EVENT event = {};
	DAT_EVENT_NUMBER end;

	window.segment_length = MESSAGE;
	WORKS(dat_ep_post_rdma_write(from->ep, 1, &iov, loop_cookie(), &window,
				     DAT_COMPLETION_DEFAULT_FLAG));
	loop_event(from->request, &event);
	EXPECT(event.event_number == DAT_DTO_COMPLETION_EVENT);
	/* Over iWARP a write is done before the peer has seen it. */
	EXPECT(iwarp ||
	       event.event_data.dto_completion_event_data.status ==
	       DAT_DTO_ERR_REMOTE_ACCESS);
	end = loop_ended(from);
	EXPECT(iwarp || end == DAT_CONNECTION_EVENT_BROKEN);
	loop_ended(to);
}

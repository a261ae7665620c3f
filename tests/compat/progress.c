/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Everything is polled: three event queues, the slots, and the pipe. */

#include "layer.h"
#include "report.h"

#include <time.h>

#define ASYNC_EVERY 100

static bool takes_credit(uint32_t kind)
{
	return kind != KIND_GREETING && kind != KIND_SLOTS && kind != KIND_CREDITS;
}

/*
 * The receive is posted again before credits go anywhere: the peer's count of
 * what we have posted is never too high.
 */
static void progress_received(struct fragment *fragment, size_t size)
{
	struct header header = *post_header(fragment);
	struct link *link = fragment->link;
	bool whole = header.kind == KIND_MESSAGE || header.kind == KIND_GREETING;

	if (size < sizeof(header))
		fail("a message of %zu bytes", size);
	if (whole)
		receive_message(link->peer, fragment->data, size);
	post_receive(fragment);
	link->credits += takes_credit(header.kind);
	if (!whole)
		receive_message(link->peer, (const char *)&header, size);
}

static void progress_done(struct mp *mp, struct fragment *fragment)
{
	struct link *link = fragment->link;

	link->room += fragment->duty == DUTY_SLOT ? 2 : 1;
	if (fragment->last_of)
		transfer_written(mp, fragment->last_of);
	fragment_release(mp, fragment);
	post_waiting(link);
}

static void progress_dto(struct mp *mp, const DAT_EVENT *event)
{
	const DAT_DTO_COMPLETION_EVENT_DATA *dto = &event->event_data.dto_completion_event_data;
	struct fragment *fragment = dto->user_cookie.as_ptr;
	struct link *link = fragment->link;

	if (event->event_number != DAT_DTO_COMPLETION_EVENT || dto->ep_handle != link->ep)
		fail("event 0x%x where transfers end", (unsigned int)event->event_number);
	if (fragment->duty == DUTY_RECEIVE)
		link->receives--;
	if (dto->status == DAT_DTO_ERR_FLUSHED && mp->ending && fragment->duty == DUTY_RECEIVE) {
		fragment_release(mp, fragment);
		return;
	}
	if (dto->status != DAT_DTO_SUCCESS)
		fail("transfer of duty %d with rank %d: status %d", fragment->duty,
		     link->peer->rank, dto->status);
	if (fragment->duty == DUTY_RECEIVE)
		progress_received(fragment, dto->transfered_length);
	else
		progress_done(mp, fragment);
}

static bool progress_events(struct mp *mp)
{
	bool any = false;
	DAT_EVENT event;

	while (dat_evd_dequeue(mp->evd_dto, &event) == DAT_SUCCESS) {
		progress_dto(mp, &event);
		any = true;
	}
	while (dat_evd_dequeue(mp->evd_conn, &event) == DAT_SUCCESS) {
		connect_event(mp, &event);
		any = true;
	}
	if (++mp->rounds % ASYNC_EVERY == 0 &&
	    dat_evd_dequeue(mp->evd_async, &event) == DAT_SUCCESS)
		fail("asynchronous event 0x%x", (unsigned int)event.event_number);
	return any;
}

static bool progress_peer(struct peer *peer)
{
	bool any = false;

	while (slots_poll(peer))
		any = true;
	receive_return_credits(peer);
	post_waiting(&peer->links[SMALL]);
	post_waiting(&peer->links[LARGE]);
	return any;
}

static void progress_told(struct mp *mp, const struct oob_message *message)
{
	struct peer *peer = &mp->peers[message->from];

	switch (message->kind) {
	case OOB_ADDRESS:
		peer->address.ia = message->address;
		peer->address.port = message->port;
		mp->addresses++;
		break;
	case OOB_CONNECT:
		connect_start(peer);
		break;
	case OOB_BARRIER:
		mp->barriers_heard++;
		break;
	}
}

/* A peer that died, or an event that never came, must not hang everybody. */
static void progress_idle(struct mp *mp)
{
	struct oob_message message;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (mp->busy) {
		mp->busy = false;
		mp->idle_since = now.tv_sec;
	} else if (now.tv_sec - mp->idle_since > PATIENCE) {
		fail("nothing has happened for %d seconds", PATIENCE);
	}
	if (oob_hear(mp->oob, &message, 1)) {
		progress_told(mp, &message);
		mp->busy = true;
	}
}

void mp_progress(struct mp *mp)
{
	bool any = progress_events(mp);
	int rank;

	for (rank = 0; rank < mp->oob->ranks; rank++)
		any |= progress_peer(&mp->peers[rank]);
	if (any)
		mp->busy = true;
	else
		progress_idle(mp);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fragments wait, in order, until the peer and the endpoint have room. */

#include "layer.h"
#include "report.h"

#include <string.h>

static bool peer_connected(const struct peer *peer)
{
	return peer->links[SMALL].open && peer->links[LARGE].open;
}

struct header *post_header(struct fragment *fragment)
{
	return (struct header *)fragment->data;
}

struct fragment *post_new(struct link *link, enum kind kind)
{
	struct fragment *fragment = fragment_get(link->peer->mp, link->which);

	memset(fragment->data, 0, sizeof(struct header));
	post_header(fragment)->kind = kind;
	fragment->duty = DUTY_SEND;
	fragment->link = link;
	return fragment;
}

void post_receive(struct fragment *fragment)
{
	DAT_DTO_COOKIE cookie;

	cookie.as_ptr = fragment;
	fragment->local.segment_length = fragment->capacity;
	must(dat_ep_post_recv(fragment->link->ep, 1, &fragment->local, cookie,
			      DAT_COMPLETION_DEFAULT_FLAG),
	     "dat_ep_post_recv");
	fragment->link->receives++;
}

static void send_fragment(struct fragment *fragment)
{
	DAT_DTO_COOKIE cookie;

	cookie.as_ptr = fragment;
	fragment->link->room--;
	must(dat_ep_post_send(fragment->link->ep, 1, &fragment->local, cookie,
			      DAT_COMPLETION_DEFAULT_FLAG),
	     "dat_ep_post_send");
}

static void put_fragment(struct fragment *fragment)
{
	DAT_DTO_COOKIE cookie;

	cookie.as_ptr = fragment;
	fragment->link->room--;
	must(dat_ep_post_rdma_write(fragment->link->ep, 1, &fragment->local, cookie,
				    &fragment->remote, DAT_COMPLETION_DEFAULT_FLAG),
	     "dat_ep_post_rdma_write");
}

/* Whether it could be posted. */
static bool post_one(struct link *link, struct fragment *fragment)
{
	bool message;

	if (fragment->duty == DUTY_PUT) {
		if (link->room < 1)
			return false;
		put_fragment(fragment);
		return true;
	}
	message = post_header(fragment)->kind == KIND_MESSAGE;
	if (link->which == SMALL && slots_write(fragment)) {
		link->peer->mp->counts.slot_messages += message;
		return true;
	}
	if (link->tokens < 1 || link->room < 1)
		return false;
	link->tokens--;
	send_fragment(fragment);
	link->peer->mp->counts.sent_messages += message;
	return true;
}

void post_waiting(struct link *link)
{
	struct queue *queue = &link->waiting;
	struct fragment *first;

	while ((first = queue->first) && peer_connected(link->peer) && post_one(link, first)) {
		queue->first = first->next;
		if (!queue->first)
			queue_init(queue);
	}
}

void post_wait(struct fragment *fragment, size_t size)
{
	fragment->local.segment_length = size;
	queue_push(&fragment->link->waiting, fragment);
	post_waiting(fragment->link);
}

/* Takes no token: the peer keeps receives for what the layer itself says. */
void post_now(struct fragment *fragment, size_t size)
{
	fragment->local.segment_length = size;
	send_fragment(fragment);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections are made when the first message wants one. Of two processes the
 * one with the higher rank connects, the other may ask it to. SMALL comes
 * first, LARGE when SMALL stands. Over a new connection the side that connected
 * greets, and the other answers: iWARP lets only that side send first.
 */

#include "layer.h"
#include "report.h"

#include <string.h>

#define MAGIC 0x6d707031

static struct greeting own_greeting(const struct link *link)
{
	struct greeting greeting;

	memset(&greeting, 0, sizeof(greeting));
	greeting.address = link->peer->mp->address;
	greeting.connection = link->which;
	greeting.magic = MAGIC;
	return greeting;
}

/* Receives stand before the peer can send: not every transport would wait. */
static void connect_set_up(struct link *link)
{
	struct mp *mp = link->peer->mp;
	int i;

	must(dat_ep_create(mp->ia, mp->pz, mp->evd_dto, mp->evd_dto, mp->evd_conn, &mp->ep_attr,
			   &link->ep),
	     "dat_ep_create");
	link->room = mp->ep_attr.max_request_dtos;
	link->tokens = TOKENS;
	for (i = 0; i < RECEIVES; i++) {
		struct fragment *fragment = fragment_get(mp, link->which);

		fragment->duty = DUTY_RECEIVE;
		fragment->link = link;
		post_receive(fragment);
	}
}

static void connect_link(struct link *link)
{
	struct greeting greeting = own_greeting(link);
	struct peer *peer = link->peer;

	connect_set_up(link);
	must(dat_ep_connect(link->ep, &peer->address.ia, peer->address.port, CONNECT_TIMEOUT,
			    sizeof(greeting), &greeting, 0, DAT_CONNECT_DEFAULT_FLAG),
	     "dat_ep_connect");
}

void connect_start(struct peer *peer)
{
	struct oob_message ask = { 0 };

	if (peer->wanted)
		return;
	peer->wanted = true;
	ask.kind = OOB_CONNECT;
	if (peer->mp->oob->rank > peer->rank)
		connect_link(&peer->links[SMALL]);
	else
		oob_tell(peer->mp->oob, peer->rank, ask);
}

static struct peer *peer_at(struct mp *mp, const struct address *address)
{
	int rank;

	for (rank = 0; rank < mp->oob->ranks; rank++) {
		if (rank != mp->oob->rank &&
		    memcmp(address, &mp->peers[rank].address, sizeof(*address)) == 0)
			return &mp->peers[rank];
	}
	fail("a connection of a stranger");
}

static void connect_request(struct mp *mp, const DAT_CR_ARRIVAL_EVENT_DATA *request)
{
	struct greeting greeting;
	struct link *link;
	DAT_CR_PARAM param;

	if (request->sp_handle.psp_handle != mp->psp || request->conn_qual != mp->address.port)
		fail("a request for another service point");
	must(dat_cr_query(request->cr_handle, DAT_CR_FIELD_ALL, &param), "dat_cr_query");
	/* A transport may pad private data. */
	if (param.private_data_size < (DAT_COUNT)sizeof(greeting))
		fail("a request with %d bytes of private data", (int)param.private_data_size);
	memcpy(&greeting, param.private_data, sizeof(greeting));
	if (greeting.magic != MAGIC || greeting.connection >= CONNECTIONS)
		fail("a request with strange private data");
	link = &peer_at(mp, &greeting.address)->links[greeting.connection];
	if (link->ep != DAT_HANDLE_NULL)
		fail("a second request of rank %d", link->peer->rank);
	link->peer->wanted = true;
	connect_set_up(link);
	greeting = own_greeting(link);
	must(dat_cr_accept(request->cr_handle, link->ep, sizeof(greeting), &greeting),
	     "dat_cr_accept");
}

/* Says who we are once more, over the connection itself. */
static void connect_greet(struct link *link)
{
	struct greeting greeting = own_greeting(link);
	struct fragment *fragment = post_new(link, KIND_GREETING);

	memcpy(fragment->data + sizeof(struct header), &greeting, sizeof(greeting));
	post_now(fragment, sizeof(struct header) + sizeof(greeting));
}

static bool is_active(const struct link *link)
{
	return link->peer->mp->oob->rank > link->peer->rank;
}

/* The side that accepted gets no private data. */
static void connect_check_answer(struct link *link, const DAT_CONNECTION_EVENT_DATA *data)
{
	struct peer *peer = link->peer;
	struct greeting greeting;

	if (data->private_data_size < (DAT_COUNT)sizeof(greeting))
		fail("an answer with %d bytes of private data", (int)data->private_data_size);
	memcpy(&greeting, data->private_data, sizeof(greeting));
	if (greeting.connection != (uint32_t)link->which ||
	    peer_at(peer->mp, &greeting.address) != peer)
		fail("rank %d answered with other private data", peer->rank);
}

/* The greeting may be polled before the event that the connection stands. */
static void connect_open(struct link *link)
{
	struct peer *peer = link->peer;

	if (!link->established || link->open || !(link->greeted || is_active(link)))
		return;
	link->open = true;
	connect_greet(link);
	if (link->which == SMALL) {
		slots_announce(peer);
		if (is_active(link))
			connect_link(&peer->links[LARGE]);
	}
	post_waiting(&peer->links[SMALL]);
	post_waiting(&peer->links[LARGE]);
}

static void connect_established(struct link *link, const DAT_CONNECTION_EVENT_DATA *data)
{
	link->established = true;
	if (is_active(link))
		connect_check_answer(link, data);
	connect_open(link);
}

void connect_greeted(struct peer *peer, const char *data, size_t size)
{
	const struct greeting *greeting = (const struct greeting *)data;
	struct link *link;

	if (size != sizeof(*greeting) || greeting->connection >= CONNECTIONS ||
	    memcmp(&greeting->address, &peer->address, sizeof(peer->address)) != 0)
		fail("a strange greeting over a connection of rank %d", peer->rank);
	link = &peer->links[greeting->connection];
	if (link->greeted)
		fail("rank %d greeted twice", peer->rank);
	link->greeted = true;
	connect_open(link);
}

static struct link *link_of(struct mp *mp, DAT_EP_HANDLE ep)
{
	int rank, which;

	for (rank = 0; rank < mp->oob->ranks; rank++) {
		for (which = 0; which < CONNECTIONS; which++) {
			if (mp->peers[rank].links[which].ep == ep)
				return &mp->peers[rank].links[which];
		}
	}
	fail("an event of an unknown endpoint");
}

void connect_event(struct mp *mp, const DAT_EVENT *event)
{
	const DAT_CONNECTION_EVENT_DATA *data = &event->event_data.connect_event_data;
	struct link *link;

	if (event->event_number == DAT_CONNECTION_REQUEST_EVENT) {
		connect_request(mp, &event->event_data.cr_arrival_event_data);
		return;
	}
	link = link_of(mp, data->ep_handle);
	if (event->event_number == DAT_CONNECTION_EVENT_ESTABLISHED && !link->established)
		connect_established(link, data);
	else if (event->event_number == DAT_CONNECTION_EVENT_DISCONNECTED && mp->ending &&
		 !link->ended)
		link->ended = true;
	else
		fail("connection event 0x%x of connection %d to rank %d",
		     (unsigned int)event->event_number, link->which, link->peer->rank);
}

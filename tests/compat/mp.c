/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The calls of the layer, but for its end. */

#include "layer.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

size_t mp_small_limit(void)
{
	return SMALL_SIZE - sizeof(struct header);
}

size_t mp_fragment_limit(void)
{
	return LARGE_SIZE - sizeof(struct header);
}

static void peer_init(struct mp *mp, int rank)
{
	struct peer *peer = &mp->peers[rank];
	int which;

	peer->mp = mp;
	peer->rank = rank;
	for (which = 0; which < CONNECTIONS; which++) {
		peer->links[which].peer = peer;
		peer->links[which].which = which;
		peer->links[which].ep = DAT_HANDLE_NULL;
		queue_init(&peer->links[which].waiting);
	}
}

struct mp *mp_open(struct oob *oob, mp_deliver *deliver, void *user)
{
	struct mp *mp = calloc(1, sizeof(*mp));
	int rank;

	mp->oob = oob;
	mp->deliver = deliver;
	mp->user = user;
	mp->busy = true;
	for (rank = 0; rank < oob->ranks; rank++)
		peer_init(mp, rank);
	adapter_open(mp);
	return mp;
}

/* A peer is known by its address alone. */
static void check_addresses(const struct mp *mp)
{
	int rank, other;

	for (rank = 0; rank < mp->oob->ranks; rank++) {
		for (other = 0; other < rank; other++) {
			if (memcmp(&mp->peers[rank].address, &mp->peers[other].address,
				   sizeof(struct address)) == 0)
				fail("ranks %d and %d listen at the same address", rank, other);
		}
	}
}

/* A process that is ahead by one has told that everyone was at the last. */
void mp_barrier(struct mp *mp)
{
	struct oob_message reached = { 0 };

	reached.kind = OOB_BARRIER;
	oob_tell_all(mp->oob, reached);
	mp->barriers++;
	while (mp->barriers_heard < mp->barriers * (mp->oob->ranks - 1))
		mp_progress(mp);
}

/*
 * Who knows all addresses connects at once, and a request can overtake the
 * message with the address of who asks: so everybody has to know them first.
 */
void mp_join(struct mp *mp)
{
	struct oob_message here = { 0 };
	int rank;

	adapter_listen(mp);
	mp->peers[mp->oob->rank].address = mp->address;
	here.kind = OOB_ADDRESS;
	here.address = mp->address.ia;
	here.port = mp->address.port;
	oob_tell_all(mp->oob, here);
	for (rank = 1; rank < mp->oob->ranks; rank++)
		adapter_grow_queues(mp);
	while (mp->addresses < mp->oob->ranks - 1)
		mp_progress(mp);
	check_addresses(mp);
	mp_barrier(mp);
}

void mp_send(struct mp *mp, int to, uint32_t sequence, const void *data, size_t size, int *pending)
{
	struct peer *peer = &mp->peers[to];
	struct fragment *fragment;

	connect_start(peer);
	if (size > mp_fragment_limit()) {
		transfer_start(peer, sequence, data, size, pending);
		return;
	}
	fragment = post_new(&peer->links[size > mp_small_limit() ? LARGE : SMALL], KIND_MESSAGE);
	post_header(fragment)->sequence = sequence;
	post_header(fragment)->size = size;
	memcpy(fragment->data + sizeof(struct header), data, size);
	post_wait(fragment, sizeof(struct header) + size);
}

const struct mp_counts *mp_counts(const struct mp *mp)
{
	return &mp->counts;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Long messages: the sender asks, the receiver answers with registered memory,
 * the sender writes there, and says so behind its last write.
 */

#include "layer.h"
#include "report.h"

#include <stdlib.h>

struct buffer {
	struct buffer *next;
	char *data;
};

/* Buffers are used again at once, so that their registrations are too. */
static char *buffer_get(struct mp *mp)
{
	struct buffer *buffer = mp->free_buffers;
	char *data;

	if (!buffer)
		return memory_get(MP_LONGEST);
	mp->free_buffers = buffer->next;
	data = buffer->data;
	free(buffer);
	return data;
}

static void buffer_put(struct mp *mp, char *data)
{
	struct buffer *buffer = calloc(1, sizeof(*buffer));

	buffer->data = data;
	buffer->next = mp->free_buffers;
	mp->free_buffers = buffer;
}

static struct transfer *transfer_new(struct peer *peer, uint32_t sequence, char *data, size_t size)
{
	struct transfer *transfer = calloc(1, sizeof(*transfer));

	transfer->peer = peer;
	transfer->sequence = sequence;
	transfer->data = data;
	transfer->size = size;
	transfer->region = region_get(peer->mp, data, size);
	return transfer;
}

void transfer_start(struct peer *peer, uint32_t sequence, const void *data, size_t size,
		    int *pending)
{
	struct transfer *transfer = transfer_new(peer, sequence, (char *)data, size);
	struct fragment *fragment = post_new(&peer->links[SMALL], KIND_REQUEST);

	if (size > MP_LONGEST)
		fail("a message of %zu bytes is too long", size);
	transfer->pending = pending;
	++*pending;
	post_header(fragment)->sequence = sequence;
	post_header(fragment)->size = size;
	post_header(fragment)->sender = (uintptr_t)transfer;
	post_wait(fragment, sizeof(struct header));
}

void transfer_requested(struct peer *peer, const struct header *header)
{
	struct fragment *fragment = post_new(&peer->links[SMALL], KIND_CLEAR);
	struct transfer *transfer;

	transfer = transfer_new(peer, header->sequence, buffer_get(peer->mp), header->size);
	post_header(fragment)->sender = header->sender;
	post_header(fragment)->receiver = (uintptr_t)transfer;
	post_header(fragment)->base = (uintptr_t)transfer->data;
	post_header(fragment)->context = transfer->region->rmr_context;
	post_wait(fragment, sizeof(struct header));
}

static void transfer_put(struct transfer *transfer, const struct header *header, size_t offset)
{
	struct fragment *fragment = fragment_get_put(transfer->peer->mp);
	size_t size = transfer->size - offset;

	if (size > PUT_SIZE)
		size = PUT_SIZE;
	else
		fragment->last_of = transfer;
	fragment->duty = DUTY_PUT;
	fragment->link = &transfer->peer->links[LARGE];
	fragment->local.lmr_context = transfer->region->lmr_context;
	fragment->local.virtual_address = (uintptr_t)transfer->data + offset;
	fragment->remote.rmr_context = header->context;
	fragment->remote.target_address = header->base + offset;
	fragment->remote.segment_length = size;
	post_wait(fragment, size);
}

/* The last message comes behind the writes, so that they are in place by then. */
void transfer_cleared(struct peer *peer, const struct header *header)
{
	struct transfer *transfer = (struct transfer *)(uintptr_t)header->sender;
	struct fragment *finished = post_new(&peer->links[LARGE], KIND_FINISHED);
	size_t offset;

	for (offset = 0; offset < transfer->size; offset += PUT_SIZE)
		transfer_put(transfer, header, offset);
	post_header(finished)->receiver = header->receiver;
	post_wait(finished, sizeof(struct header));
	peer->mp->counts.written_messages++;
}

void transfer_finished(struct peer *peer, const struct header *header)
{
	struct transfer *transfer = (struct transfer *)(uintptr_t)header->receiver;
	struct mp *mp = peer->mp;

	mp->deliver(mp->user, peer->rank, transfer->sequence, transfer->data, transfer->size);
	region_put(mp, transfer->region);
	buffer_put(mp, transfer->data);
	free(transfer);
}

void transfer_written(struct mp *mp, struct transfer *transfer)
{
	region_put(mp, transfer->region);
	--*transfer->pending;
	free(transfer);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small messages without an event at the receiver: written to the end of a slot
 * in its memory, and behind them, by a second write, the footer that it polls.
 */

#include "layer.h"
#include "report.h"

/* Polling costs, so only the peers next in rank get slots; the others send. */
void slots_announce(struct peer *peer)
{
	struct mp *mp = peer->mp;
	int distance = (peer->rank - mp->oob->rank + mp->oob->ranks) % mp->oob->ranks;
	struct fragment *fragment;

	if (distance > SLOT_PEERS)
		return;
	peer->in.memory = memory_get(SLOTS * SLOT_SIZE);
	peer->in.region = region_get(mp, peer->in.memory, SLOTS * SLOT_SIZE);
	fragment = post_new(&peer->links[SMALL], KIND_SLOTS);
	post_header(fragment)->base = (uintptr_t)peer->in.memory;
	post_header(fragment)->context = peer->in.region->rmr_context;
	post_now(fragment, sizeof(struct header));
}

void slots_known(struct peer *peer, const struct header *header)
{
	if (peer->out.base)
		fail("rank %d announced its slots twice", peer->rank);
	peer->out.base = header->base;
	peer->out.context = header->context;
	peer->out.tokens = SLOTS;
}

static void write_piece(struct fragment *fragment, size_t offset, size_t size, DAT_VADDR target,
			DAT_COMPLETION_FLAGS flags)
{
	DAT_LMR_TRIPLET local = fragment->local;
	DAT_RMR_TRIPLET remote = { 0 };
	DAT_DTO_COOKIE cookie;

	cookie.as_ptr = fragment;
	local.virtual_address += offset;
	local.segment_length = size;
	remote.rmr_context = fragment->link->peer->out.context;
	remote.target_address = target;
	remote.segment_length = size;
	must(dat_ep_post_rdma_write(fragment->link->ep, 1, &local, cookie, &remote, flags),
	     "dat_ep_post_rdma_write to a slot");
}

/* Whether a slot was free. */
bool slots_write(struct fragment *fragment)
{
	struct remote_slots *out = &fragment->link->peer->out;
	struct footer *footer = (struct footer *)(fragment->data + SMALL_SIZE);
	size_t size = fragment->local.segment_length;
	DAT_VADDR end = out->base + (size_t)out->head * SLOT_SIZE + SMALL_SIZE;

	if (out->tokens < 1 || fragment->link->room < 2)
		return false;
	out->tokens--;
	out->head = (out->head + 1) % SLOTS;
	fragment->link->room -= 2;
	fragment->duty = DUTY_SLOT;
	footer->size = (uint32_t)size;
	footer->active = 1;
	write_piece(fragment, 0, size, end - size, DAT_COMPLETION_SUPPRESS_FLAG);
	write_piece(fragment, SMALL_SIZE, sizeof(*footer), end, DAT_COMPLETION_DEFAULT_FLAG);
	return true;
}

/* Whether the next slot held a message. */
bool slots_poll(struct peer *peer)
{
	struct slots *in = &peer->in;
	char *end = in->memory + (size_t)in->head * SLOT_SIZE + SMALL_SIZE;
	volatile struct footer *footer = (volatile struct footer *)end;

	if (!in->memory || !footer->active)
		return false;
	__sync_synchronize();
	if (footer->size > SMALL_SIZE)
		fail("a slot with %u bytes", footer->size);
	receive_message(peer, end - footer->size, footer->size);
	footer->active = 0;
	__sync_synchronize();
	in->head = (in->head + 1) % SLOTS;
	in->credits++;
	return true;
}

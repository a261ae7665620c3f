/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What arrives, whichever way it came, and the credits for it. */

#include "layer.h"
#include "report.h"

static void receive_credits(struct peer *peer, const struct header *header)
{
	peer->links[SMALL].tokens += (int)header->credits[SMALL];
	peer->links[LARGE].tokens += (int)header->credits[LARGE];
	peer->out.tokens += (int)header->slot_credits;
	if (peer->links[SMALL].tokens > TOKENS || peer->links[LARGE].tokens > TOKENS ||
	    peer->out.tokens > SLOTS)
		fail("rank %d gave more credits than it had", peer->rank);
}

void receive_message(struct peer *peer, const char *data, size_t size)
{
	const struct header *header = (const struct header *)data;
	struct mp *mp = peer->mp;

	switch (header->kind) {
	case KIND_GREETING:
		connect_greeted(peer, data + sizeof(*header), size - sizeof(*header));
		break;
	case KIND_SLOTS:
		slots_known(peer, header);
		break;
	case KIND_CREDITS:
		receive_credits(peer, header);
		break;
	case KIND_MESSAGE:
		if (header->size != size - sizeof(*header))
			fail("a message of %zu bytes says it has %zu", size, (size_t)header->size);
		mp->deliver(mp->user, peer->rank, header->sequence, data + sizeof(*header),
			    header->size);
		break;
	case KIND_REQUEST:
		transfer_requested(peer, header);
		break;
	case KIND_CLEAR:
		transfer_cleared(peer, header);
		break;
	case KIND_FINISHED:
		transfer_finished(peer, header);
		break;
	default:
		fail("a message of kind %u", header->kind);
	}
}

/* Credits for fewer than a window's worth would only beget more messages. */
void receive_return_credits(struct peer *peer)
{
	struct link *small = &peer->links[SMALL], *large = &peer->links[LARGE];
	struct fragment *fragment;
	struct header *header;

	if (!small->open || small->room < 1)
		return;
	if (small->credits < TOKENS_WINDOW && large->credits < TOKENS_WINDOW &&
	    peer->in.credits < SLOTS_WINDOW)
		return;
	fragment = post_new(small, KIND_CREDITS);
	header = post_header(fragment);
	header->credits[SMALL] = (uint32_t)small->credits;
	header->credits[LARGE] = (uint32_t)large->credits;
	header->slot_credits = (uint32_t)peer->in.credits;
	small->credits = large->credits = peer->in.credits = 0;
	post_now(fragment, sizeof(*header));
	peer->mp->counts.credit_messages++;
}

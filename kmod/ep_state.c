// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The states of an EP, as one table.
 *
 * Every end goes through DISCONNECT_PENDING: the work that is still out is
 * given back there, and only then the EP is DISCONNECTED.
 */

#include <linux/errno.h>
#include <linux/kernel.h>

#include "ep_state.h"

/* A state plus one; 0 is what may not happen. */
#define TO(state) (KDAPL_EP_##state + 1)

static const u8 next_state[KDAPL_EP_STATES][KDAPL_ON_COUNT] = {
	[KDAPL_EP_UNCONNECTED] = {
		[KDAPL_ON_CONNECT] = TO(ACTIVE_PENDING),
		[KDAPL_ON_ACCEPT] = TO(COMPLETION_PENDING),
		[KDAPL_ON_RESET] = TO(UNCONNECTED),
		[KDAPL_ON_FREE] = TO(UNCONNECTED),
	},
	[KDAPL_EP_ACTIVE_PENDING] = {
		[KDAPL_ON_CANCEL] = TO(UNCONNECTED),
		[KDAPL_ON_ESTABLISH] = TO(CONNECTED),
		[KDAPL_ON_END] = TO(DISCONNECT_PENDING),
		[KDAPL_ON_DISCONNECT] = TO(ACTIVE_PENDING),
		[KDAPL_ON_FREE] = TO(ACTIVE_PENDING),
	},
	[KDAPL_EP_COMPLETION_PENDING] = {
		[KDAPL_ON_CANCEL] = TO(UNCONNECTED),
		[KDAPL_ON_ESTABLISH] = TO(CONNECTED),
		[KDAPL_ON_END] = TO(DISCONNECT_PENDING),
		[KDAPL_ON_DISCONNECT] = TO(COMPLETION_PENDING),
		[KDAPL_ON_FREE] = TO(COMPLETION_PENDING),
	},
	[KDAPL_EP_CONNECTED] = {
		[KDAPL_ON_END] = TO(DISCONNECT_PENDING),
		[KDAPL_ON_DISCONNECT] = TO(CONNECTED),
		[KDAPL_ON_FREE] = TO(CONNECTED),
	},
	[KDAPL_EP_DISCONNECT_PENDING] = {
		[KDAPL_ON_ENDED] = TO(DISCONNECTED),
		[KDAPL_ON_DISCONNECT] = TO(DISCONNECT_PENDING),
		[KDAPL_ON_FREE] = TO(DISCONNECT_PENDING),
	},
	[KDAPL_EP_DISCONNECTED] = {
		[KDAPL_ON_RESET] = TO(UNCONNECTED),
		[KDAPL_ON_DISCONNECT] = TO(DISCONNECTED),
		[KDAPL_ON_FREE] = TO(DISCONNECTED),
	},
};

int kdapl_ep_next(enum kdapl_ep_state state, enum kdapl_ep_trigger trigger)
{
	u8 next;

	if (state >= KDAPL_EP_STATES || trigger >= KDAPL_ON_COUNT)
		return -EBADFD;
	next = next_state[state][trigger];
	return next ? next - 1 : -EBADFD;
}

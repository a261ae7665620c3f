/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The states of an EP, and what moves it from one to the next.
 */
#ifndef KDAPL_EP_STATE_H
#define KDAPL_EP_STATE_H

#include "kdapl_uapi.h"

/* What can happen to an EP. */
enum kdapl_ep_trigger {
	KDAPL_ON_CONNECT,	/* the consumer connects */
	KDAPL_ON_ACCEPT,	/* the consumer accepts a request on it */
	KDAPL_ON_CANCEL,	/* either one failed: may it be undone? */
	KDAPL_ON_RESERVE,	/* an RSP is made with it */
	KDAPL_ON_REQUEST,	/* a request came to its RSP */
	KDAPL_ON_OFFER,		/* the provider made it for a request */
	KDAPL_ON_RELEASE,	/* the RSP was freed, or the request rejected */
	KDAPL_ON_ESTABLISH,	/* the connection is up */
	KDAPL_ON_END,		/* the attempt or the connection begins to end */
	KDAPL_ON_ENDED,		/* all its work was given back */
	KDAPL_ON_RESET,		/* the consumer makes it usable again */
	KDAPL_ON_DISCONNECT,	/* may the consumer disconnect it? */
	KDAPL_ON_FREE,		/* may the consumer free it? */
	KDAPL_ON_MODIFY,	/* may the consumer change it? */
	KDAPL_ON_MODIFY_PZ,	/* may it get another zone? */
	KDAPL_ON_COUNT
};

#define KDAPL_EP_STATES	(KDAPL_EP_COMPLETION_PENDING + 1)

/**
 * kdapl_ep_next() - the state that follows
 * @state: the state now
 * @trigger: what happens
 *
 * Return: the next state (perhaps the same one), or -EBADFD where this may not
 * happen.
 */
int kdapl_ep_next(enum kdapl_ep_state state, enum kdapl_ep_trigger trigger);

#endif /* KDAPL_EP_STATE_H */

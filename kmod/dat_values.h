/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values of the DAT API that cross the boundary to user space as they are. */
#ifndef KDAPL_DAT_VALUES_H
#define KDAPL_DAT_VALUES_H

#include <dat2/kdat.h>

enum kdapl_ep_state {
	KDAPL_EP_UNCONNECTED = 0,
	KDAPL_EP_RESERVED = 2,
	KDAPL_EP_PASSIVE_PENDING = 4,
	KDAPL_EP_ACTIVE_PENDING = 6,
	KDAPL_EP_TENTATIVE_PENDING = 7,
	KDAPL_EP_CONNECTED = 9,
	KDAPL_EP_DISCONNECT_PENDING = 10,
	KDAPL_EP_DISCONNECTED = 11,
	KDAPL_EP_COMPLETION_PENDING = 12,
};

/* How a transfer ends: the API's own values. */
#define kdapl_dto_status	dat_dto_completion_status

/* EVD streams. */
#define DAT_EVD_ALL_FLAGS	(DAT_EVD_DEFAULT_FLAG | DAT_EVD_SOFTWARE_FLAG)

#endif /* KDAPL_DAT_VALUES_H */

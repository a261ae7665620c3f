// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Private data: how much fits, and what marks a consumer's rejection. */

#include <linux/limits.h>
#include <rdma/ib_cm.h>
#include <rdma/rdma_cm.h>

#include "cm_data.h"
#include "ia.h"

/*
 * Versions of DAT and of the provider, a byte each. A peer's may differ;
 * rdma_cm's own rejections have zeros or nothing there.
 */
#define REJECT_VERSION		0x01020100
#define REJECT_DAT_MAJOR_MAX	2

/* siw adds 4 bytes of its own, and lengths have 8 bits. */
#define IWARP_PRIVATE_DATA	(U8_MAX - 4)
/* What rdma_cm puts in front of a request's private data. */
#define IB_REQUEST_HEADER	36

u32 kdapl_cm_max_private_data(const struct kdapl_ia *ia, bool accept)
{
	if (ia->iwarp)
		return IWARP_PRIVATE_DATA;
	return accept ? IB_CM_REP_PRIVATE_DATA_SIZE :
			IB_CM_REQ_PRIVATE_DATA_SIZE - IB_REQUEST_HEADER;
}

u32 kdapl_cm_max_reject_data(const struct kdapl_ia *ia)
{
	u32 size = ia->iwarp ? IWARP_PRIVATE_DATA : IB_CM_REJ_PRIVATE_DATA_SIZE;

	return size - KDAPL_REJECT_HEADER;
}

int kdapl_cm_reject(struct rdma_cm_id *id, const void *private_data, u8 size)
{
	u8 data[KDAPL_REJECT_HEADER + KDAPL_PRIVATE_DATA_MAX];
	__be32 version = cpu_to_be32(REJECT_VERSION);

	memcpy(data, &version, KDAPL_REJECT_HEADER);
	memcpy(data + KDAPL_REJECT_HEADER, private_data, size);
	return rdma_reject(id, data, KDAPL_REJECT_HEADER + size,
			   IB_CM_REJ_CONSUMER_DEFINED);
}

u8 kdapl_cm_came(const struct kdapl_ia *ia, const void *data, u8 size)
{
	bool siw = ia->dev->ops.driver_id == RDMA_DRIVER_SIW;

	return data && !(siw && size > IWARP_PRIVATE_DATA) ? size : 0;
}

bool kdapl_cm_is_peer_reject(const u8 *data, u8 size)
{
	return data && size >= KDAPL_REJECT_HEADER && data[0] &&
	       data[0] <= REJECT_DAT_MAJOR_MAX;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Private data: how much fits, and how a consumer's rejection is told from all
 * the others.
 *
 * Every way in which a request can fail is a rejection to rdma_cm, with
 * statuses that differ between drivers. So the consumer's own begins with a
 * version word, as other DAT providers over rdma_cm do it; requests and
 * acceptances carry the consumer's bytes bare.
 */
#ifndef KDAPL_CM_DATA_H
#define KDAPL_CM_DATA_H

#include <linux/types.h>

struct kdapl_ia;
struct rdma_cm_id;

#define KDAPL_REJECT_HEADER	4

/* Bytes of private data that fit with a request, or with an acceptance. */
u32 kdapl_cm_max_private_data(const struct kdapl_ia *ia, bool accept);
/* Likewise for a consumer's rejection. */
u32 kdapl_cm_max_reject_data(const struct kdapl_ia *ia);

/**
 * kdapl_cm_reject() - reject in the consumer's name
 * @id: the request's id
 * @private_data: for the peer
 * @size: at most kdapl_cm_max_reject_data()
 */
int kdapl_cm_reject(struct rdma_cm_id *id, const void *private_data, u8 size);

/*
 * Bytes of private data that came with an answer: @size, unless there are none, or that is no
 * length: siw takes its own four bytes off one that may be shorter than that.
 */
u8 kdapl_cm_came(const struct kdapl_ia *ia, const void *data, u8 size);

/* The peer's consumer rejected: its data follows the header. */
bool kdapl_cm_is_peer_reject(const u8 *data, u8 size);

#endif /* KDAPL_CM_DATA_H */

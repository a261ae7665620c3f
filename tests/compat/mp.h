/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages between processes, as the MPI libraries of uDAPL's days passed them.
 * One process calls from one thread; whatever goes wrong ends the process.
 */
#ifndef COMPAT_MP_H
#define COMPAT_MP_H

#include <stddef.h>
#include <stdint.h>

/** Longest message, bytes. */
#define MP_LONGEST (1u << 20)

struct mp;
struct oob;

/** The longest message that one small fragment holds. */
size_t mp_small_limit(void);

/** The longest message that one fragment holds; longer ones go by RDMA write. */
size_t mp_fragment_limit(void);

/** A message has come; data is valid during the call. */
typedef void mp_deliver(void *user, int from, uint32_t sequence, const void *data, size_t size);

/** What went which way, to see that every way was gone. */
struct mp_counts {
	unsigned long slot_messages; /**< by RDMA write into the peer's slots */
	unsigned long sent_messages; /**< by send */
	unsigned long written_messages; /**< by RDMA write after a handshake */
	unsigned long credit_messages;
	unsigned long cache_hits;
	unsigned long cache_misses;
	unsigned long cache_evictions;
	unsigned long names_tried; /**< adapters that could not be opened */
	unsigned long ports_tried; /**< connection qualifiers that were in use */
};

/** Opens an adapter. */
struct mp *mp_open(struct oob *oob, mp_deliver *deliver, void *user);

/** Listens, and tells all others where; returns when all have told. */
void mp_join(struct mp *mp);

/**
 * Sends a message, connecting first where that has not been done.
 *
 * @param pending  counts up now, and down again when data may change
 */
void mp_send(struct mp *mp, int to, uint32_t sequence, const void *data, size_t size, int *pending);

/** Does what there is to do; waits a moment where there is nothing. */
void mp_progress(struct mp *mp);

/** Returns when every process has called it as often. */
void mp_barrier(struct mp *mp);

const struct mp_counts *mp_counts(const struct mp *mp);

/** Takes down in a careless order, as programs did: nothing in use goes away. */
void mp_free_too_early(struct mp *mp);

/** Ends all connections; returns when all have ended. */
void mp_disconnect(struct mp *mp);

/** Frees everything and closes the adapter gracefully. */
void mp_close(struct mp *mp);

#endif /* COMPAT_MP_H */

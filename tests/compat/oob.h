/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What processes tell each other outside the adapter, the part of an MPI
 * program's launcher: one pipe per process, that all write to.
 */
#ifndef COMPAT_OOB_H
#define COMPAT_OOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define OOB_RANKS_MAX 8

enum oob_kind {
	OOB_ADDRESS, /**< here I listen */
	OOB_CONNECT, /**< connect to me, please */
	OOB_BARRIER,
};

struct oob_message {
	int from;
	enum oob_kind kind;
	struct sockaddr address;
	uint64_t port;
};

struct oob {
	int rank;
	int ranks;
	int pipes[OOB_RANKS_MAX][2];
};

/** Before the processes are forked. */
void oob_open(struct oob *oob, int ranks);

void oob_tell(const struct oob *oob, int to, struct oob_message message);

void oob_tell_all(const struct oob *oob, struct oob_message message);

/** Waits for at most so many milliseconds. */
bool oob_hear(const struct oob *oob, struct oob_message *message, int milliseconds);

#endif /* COMPAT_OOB_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include "oob.h"
#include "report.h"

#include <poll.h>
#include <unistd.h>

void oob_open(struct oob *oob, int ranks)
{
	int rank;

	oob->ranks = ranks;
	for (rank = 0; rank < ranks; rank++) {
		if (pipe(oob->pipes[rank]))
			fail("no pipe");
	}
}

/* A pipe takes so few bytes in one piece. */
void oob_tell(const struct oob *oob, int to, struct oob_message message)
{
	message.from = oob->rank;
	if (write(oob->pipes[to][1], &message, sizeof(message)) != (ssize_t)sizeof(message))
		fail("cannot write to the pipe of rank %d", to);
}

void oob_tell_all(const struct oob *oob, struct oob_message message)
{
	int to;

	for (to = 0; to < oob->ranks; to++) {
		if (to != oob->rank)
			oob_tell(oob, to, message);
	}
}

bool oob_hear(const struct oob *oob, struct oob_message *message, int milliseconds)
{
	struct pollfd own = { oob->pipes[oob->rank][0], POLLIN, 0 };

	if (poll(&own, 1, milliseconds) <= 0)
		return false;
	if (read(own.fd, message, sizeof(*message)) != (ssize_t)sizeof(*message))
		fail("cannot read the own pipe");
	return true;
}

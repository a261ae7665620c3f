/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A connection manager that the tests play: it only counts what it is told. */
#ifndef KDAPL_TEST_FAKE_CM_H
#define KDAPL_TEST_FAKE_CM_H

struct fake_cm {
	int connect_result;	/* what kdapl_cm_connect() returns */
	int connects, disconnects, destroys, notifies;
};

extern struct fake_cm fake_cm;

#endif /* KDAPL_TEST_FAKE_CM_H */

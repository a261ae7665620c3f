/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What else the tests play, mostly by counting: connections, pinned pages. */
#ifndef KDAPL_TEST_FAKE_CM_H
#define KDAPL_TEST_FAKE_CM_H

struct fake_cm {
	int connect_result;	/* what kdapl_cm_connect() returns */
	int connects, disconnects, destroys, notifies;
	int pinned;		/* kdapl_pages_pin() that was not undone, or the like */
	int pieces;		/* that the device sees of memory of the kernel */
	int register_error;	/* what kdapl_frwr_register() ends with */
	int registered;		/* by it, and not invalidated */
	int access;		/* of the last one */
};

/* The DMA address of a page lies so far from the program's. */
#define FAKE_DMA	0xd000000000ULL
/* And so far the pieces of memory of the kernel from each other. */
#define FAKE_PIECE	0x100000ULL

extern struct fake_cm fake_cm;

#endif /* KDAPL_TEST_FAKE_CM_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The server half of datping in the kernel: an example of a kDAPL consumer. */
#ifndef ECHO_H
#define ECHO_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <dat2/kdat.h>
#include <dat2/kdat_ext.h>

#include "datping.h"

/* What a client wants, within what a server gives. */
struct echo_hello {
	u8 mode, verify;
	u32 size, depth;
	u64 count;
};

/* A registered buffer of equal slots. */
struct echo_buffer {
	void *memory;
	u32 slots, slot_size;
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT context;
	DAT_RMR_CONTEXT rmr_context;
	DAT_VADDR address;
};

/**
 * struct echo_session - one client
 * @list: in the list of sessions
 * @serve: accepts it, takes its events, and frees it
 * @cr: its request, until it is accepted
 * @hello: what it wants
 * @memory: bytes of echo.memory that are its own
 * @ep: of the connection
 * @evd: for all events of @ep but messages
 * @recv_evd: for messages, which wait in it until there is room for their answers
 * @recvs: for its messages
 * @sends: for ours
 * @data: what it reads or writes
 * @rmr: by what it does so; NULL: by the LMR's own context
 * @sent: slot of the next send
 * @sends_free: slots that may be used
 * @sequence: of the next message
 * @verified: messages looked at
 * @wrong: of them
 */
struct echo_session {
	struct list_head list;
	struct work_struct serve;
	DAT_CR_HANDLE cr;
	struct echo_hello hello;
	u64 memory;
	DAT_EP_HANDLE ep;
	DAT_EVD_HANDLE evd, recv_evd;
	struct echo_buffer recvs, sends, data;
	DAT_RMR_HANDLE rmr;
	u32 sent, sends_free;
	u64 sequence, verified, wrong;
};

/* The server: one adapter, one port. */
struct echo {
	DAT_IA_HANDLE ia;
	DAT_EVD_HANDLE async_evd, cr_evd;
	DAT_PZ_HANDLE pz;
	DAT_PSP_HANDLE psp;		/* of the two one */
	DAT_CSP_HANDLE csp;
	struct workqueue_struct *queue;
	struct work_struct request;
	struct mutex lock;		/* guards the rest */
	struct list_head sessions;
	u64 memory;			/* of them, in bytes */
	bool ending;
	wait_queue_head_t idle;		/* there are none any more */
};

extern struct echo echo;

/* Once it returns no upcall of the EVD, if there is one, runs or will. */
static inline void echo_teardown(DAT_EVD_HANDLE evd)
{
	if (evd)
		dat_evd_modify_upcall(evd, DAT_UPCALL_TEARDOWN, DAT_UPCALL_SAME,
				      DAT_UPCALL_INVOC_NEW);
}

/* ---- session.c: in process context ------------------------------------------ */

/* A client asks. Takes the request. */
void echo_session_begin(DAT_CR_HANDLE cr);
/* Nobody begins one any more. On return there are none. */
void echo_sessions_end(void);

/* ---- protocol.c ------------------------------------------------------------- */

/* False when it is none, or asks for more than a server gives. */
bool echo_hello_parse(struct echo_hello *hello, const void *bytes, size_t size);
/* Messages in each direction that a server has room for. */
u32 echo_hello_slots(const struct echo_hello *hello);
/* Bytes of memory that a server needs for it, roughly. */
u64 echo_hello_memory(const struct echo_hello *hello);
bool echo_verified(const struct echo_hello *hello, u64 sequence);

/* Test data to the client, and from it. */
void echo_fill(u64 sequence, void *bytes, size_t size);
bool echo_matches(u64 sequence, const void *bytes, size_t size);

#endif /* ECHO_H */

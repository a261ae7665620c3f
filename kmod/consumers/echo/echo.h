/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The server half of datping in the kernel: an example of a kDAPL consumer. */
#ifndef ECHO_H
#define ECHO_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include <dat2/kdat.h>
#include <dat2/kdat_ext.h>

#include "protocol.h"

/* A registered buffer of equal slots. */
struct echo_buffer {
	void *memory;
	u32 slots;
	u32 slot_size;
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT context;
	DAT_RMR_CONTEXT rmr_context;
	DAT_VADDR address;
};

/**
 * struct echo_session - one client
 * @list: in the list of sessions
 * @start: accepts it
 * @end: frees it
 * @bind: binds @rmr
 * @serve: takes the events of a client of long messages
 * @cr: its request, until it is decided
 * @hello: what it wants
 * @memory: bytes of echo.memory that are its own
 * @ep: of the connection
 * @evd: for all events of @ep, which come one at a time
 * @recvs: for its messages
 * @sends: for ours
 * @data: what it reads or writes
 * @rmr: by what it does so; NULL: by the LMR's own context
 * @todo: slots of @recvs that came, in order
 * @todo_head: where the next one goes
 * @todo_tail: the next to look at
 * @todo_count: those between
 * @lengths: of them
 * @sent: slot of the next send
 * @sends_free: slots that may be used
 * @windows: windows that it still has to be told of
 * @sequence: of the next message in mode send
 * @verified: messages looked at
 * @wrong: of them
 * @ending: @end is queued
 */
struct echo_session {
	struct list_head list;
	struct work_struct start, end, bind, serve;
	DAT_CR_HANDLE cr;
	struct echo_hello hello;
	u64 memory;
	DAT_EP_HANDLE ep;
	DAT_EVD_HANDLE evd;
	struct echo_buffer recvs, sends, data;
	DAT_RMR_HANDLE rmr;
	u32 *todo, *lengths;
	u32 todo_head, todo_tail, todo_count;
	u32 sent, sends_free;
	u32 windows;
	u64 sequence;
	u64 verified, wrong;
	bool ending;
};

/* The server: one adapter, one port. */
struct echo {
	DAT_IA_HANDLE ia;
	DAT_EVD_HANDLE async_evd, cr_evd;
	DAT_PZ_HANDLE pz;
	DAT_PSP_HANDLE psp;		/* of the two one */
	DAT_CSP_HANDLE csp;
	struct workqueue_struct *queue;	/* one at a time, in order */
	struct mutex lock;		/* guards the rest */
	struct list_head sessions;
	u64 memory;			/* of them, in bytes */
};

extern struct echo echo;

/* From an upcall: a client asks. Takes the request. */
void echo_session_ask(DAT_CR_HANDLE cr);
/* Process context; nobody uses it any more. */
void echo_session_free(struct echo_session *session);

#endif /* ECHO_H */

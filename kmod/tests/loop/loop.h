/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of the kernel's calls over a real device, connected with itself.
 *
 * A test is a function without arguments or result. The first thing that goes wrong
 * is kept in loop.why; from then on checks and helpers do nothing, so that a test is a
 * list of what happens, one line each.
 */
#ifndef LOOP_H
#define LOOP_H

#include <linux/mm.h>
#include <linux/socket.h>
#include <linux/wait.h>

#include <dat2/kdat.h>
#include <dat2/kdat_ext.h>

/* Each end's own memory: where messages come, where they are sent from, data. */
#define OWN_SIZE	(8 * PAGE_SIZE)
#define SEND_AT		PAGE_SIZE
#define DATA_AT		(2 * PAGE_SIZE)
#define MESSAGE		64

#define LOOP_TIMEOUT_US	10000000

/* What LMRs are tied to. */
#define ROOM_PAGES	4
#define ROOM_SIZE	(ROOM_PAGES * PAGE_SIZE)

/* One end of a connection. Nobody but its test takes its events. */
struct loop_end {
	DAT_EP_HANDLE ep;
	DAT_EVD_HANDLE recv, request, connect;
	bool srq;	/* its receives are loop.srq's */
	void *own;
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT context;
};

/**
 * struct loop - the one test that runs, and what it may use
 * @name: the adapter's
 * @ia: for all tests, like the next ones
 * @async: its EVD
 * @crs: requests that come
 * @psp: where they come to
 * @address: of the IA
 * @room: ROOM_SIZE of vmalloc()
 * @arrived: there is an event on some EVD
 * @pz: the test's, like all that follows
 * @a: connects
 * @b: accepts
 * @c: a second pair, where a test wants one
 * @d: likewise
 * @srq: where @b and @d take their receives from, or NULL
 * @lmr: for fast registration, or NULL
 * @fixed: of loop_register(), or NULL
 * @rmr: window, or NULL
 * @window: what one of the three is of, for the peer
 * @context: the same for this side
 * @cookie: of the latest post
 * @why: what went wrong first
 * @skip: why there is nothing to test
 */
struct loop {
	char *name;
	DAT_IA_HANDLE ia;
	DAT_EVD_HANDLE async, crs;
	DAT_PSP_HANDLE psp;
	struct sockaddr_storage address;
	void *room;
	wait_queue_head_t arrived;
	DAT_PZ_HANDLE pz;
	struct loop_end a, b, c, d;
	DAT_SRQ_HANDLE srq;
	DAT_LMR_HANDLE lmr, fixed;
	DAT_RMR_HANDLE rmr;
	DAT_RMR_TRIPLET window;
	DAT_LMR_CONTEXT context;
	u64 cookie;
	char why[256];
	const char *skip;
};

extern struct loop loop;
/* Parameters of the module. */
extern bool iwarp;
extern ushort port;

/* ---- checks -------------------------------------------------------------- */

static inline bool loop_fine(void)
{
	return !loop.why[0];
}

/* Keeps the first complaint; false where @good is. */
bool loop_check(bool good, const char *what, const char *where, int line);
/* Only the type of a result counts. */
bool loop_returned(DAT_RETURN ret, DAT_RETURN type, const char *what,
		   const char *where, int line);

/* For a caller who does not want to know. */
static inline bool loop_so(bool good)
{
	return good;
}

#define EXPECT(condition)						\
	loop_so(loop_fine() &&						\
		loop_check(condition, #condition, __func__, __LINE__))
#define RETURNS(type, call)						\
	loop_so(loop_fine() &&						\
		loop_returned(call, type, #call, __func__, __LINE__))
#define WORKS(call)	RETURNS(DAT_SUCCESS, call)
/* For what must be done also after something went wrong. */
#define FREES(call) \
	loop_returned(call, DAT_SUCCESS, #call, __func__, __LINE__)

/* ---- world.c: what a test begins with ------------------------------------ */

/* For all tests. */
void loop_open(char *name);
void loop_close(void);
/* For each. */
void loop_begin(void);
void loop_end(void);
/* A test ended early: what is under way is nobody's any more. */
void loop_give_up(void);
/* Earlier than that, for memory that goes first. */
void loop_free_ends(void);
void loop_free_lmrs(void);

DAT_EVD_HANDLE loop_evd(DAT_EVD_FLAGS flags);
/* Of loop.pz, with the SRQ if there is one and it wants it. */
void loop_make(struct loop_end *end, bool srq);
/* All but the EP. */
void loop_make_rest(struct loop_end *end);
/* The steps of a connection. @from asks at a port of the IA itself; */
void loop_ask(struct loop_end *from, u16 at);
/* the next request, which must have come to @sp; */
DAT_CR_HANDLE loop_request(DAT_HANDLE sp, u16 at);
/* it is accepted, or it is gone and this is false; */
bool loop_accept(DAT_CR_HANDLE cr, DAT_EP_HANDLE ep);
/* an end hears of it; */
void loop_is_up(struct loop_end *end);
/* or both do. As iWARP wants it, the first message is @from's. */
void loop_established(struct loop_end *from, struct loop_end *to);
/* All of them, at loop.psp. */
void loop_connect(struct loop_end *from, struct loop_end *to);
/* loop.a and loop.b, connected. */
void loop_pair(void);

/* ---- transfer.c ---------------------------------------------------------- */

/* Bytes that depend on @seed and on where they are. */
void loop_fill(void *at, u32 size, u32 from, u8 seed);
bool loop_is(const void *at, u32 size, u32 from, u8 seed);

/* The next event; false, and the test has failed, where none comes. */
bool loop_event(DAT_EVD_HANDLE evd, DAT_EVENT *event);
/* The next event is the success of @end's operation with that cookie. */
void loop_done(struct loop_end *end, DAT_DTOS operation, u64 cookie);
/* The end of the connection; its number. */
DAT_EVENT_NUMBER loop_ended(struct loop_end *end);

/* A piece of @end's own memory. */
DAT_LMR_TRIPLET loop_own(const struct loop_end *end, u32 at, u32 size);
DAT_DTO_COOKIE loop_cookie(void);
void loop_post_recv(struct loop_end *end, u32 at);
/* A message of @seed's bytes: as it stands, or with all that belongs to it. */
void loop_post_send(struct loop_end *end, u8 seed);
void loop_message(struct loop_end *from, struct loop_end *to, u8 seed);
/* One from loop.a that makes a context of loop.b's invalid; loop.b is told so. */
void loop_invalidate(DAT_RMR_CONTEXT context);
/* The data area, to the window's beginning and back. The bytes are there then. */
void loop_write(struct loop_end *from, struct loop_end *to, u32 size);
void loop_read(struct loop_end *from, u32 size);
/* The peer may not use the window: it is told so, and the connection is over. */
void loop_refused(struct loop_end *from, struct loop_end *to);

/* ---- memory_cases.c ------------------------------------------------------ */

static inline DAT_REGION_DESCRIPTION loop_virtual(void *at)
{
	return (DAT_REGION_DESCRIPTION){ .for_va = at };
}

/* loop.fixed, and loop.window and loop.context say so. */
void loop_register(DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region,
		   DAT_VLEN length, DAT_MEM_PRIV_FLAGS privileges);

/* ---- tie_cases.c --------------------------------------------------------- */

/* loop.lmr is tied to memory by @end, and loop.window and loop.context say so. */
void loop_tie(struct loop_end *end, DAT_MEM_TYPE type,
	      DAT_REGION_DESCRIPTION region, u32 pages);
/* loop.lmr, tied to loop.room by loop.b. */
void loop_tie_room(void);
/* A piece of loop.room by loop.context. */
DAT_LMR_TRIPLET loop_room(u32 at, u32 size);
void loop_untie(DAT_COMPLETION_FLAGS flags);

/* ---- sweep.c ------------------------------------------------------------- */

struct loop_test;

/* What was to fail has failed: some events will never come. */
bool loop_was_hit(void);
/*
 * The test, with the first allocation failing that this thread makes, then with the one
 * @step behind it, until none does. How many there were. @own: of what only this test does.
 */
unsigned int loop_sweep(const struct loop_test *test, bool own,
			unsigned int step);
/* What every test does: nothing fails in between, where only its own things are to. */
unsigned int loop_spare(void);
void loop_spare_no_more(unsigned int left);
/* That is so in this sweep. */
bool loop_spares(void);

/* ---- the tests ----------------------------------------------------------- */

struct loop_test {
	const char *name;
	void (*run)(void);
};

/* Each ends with one without a name. */
extern const struct loop_test tie_cases[], memory_cases[], rmr_cases[],
			      ep_cases[], srq_cases[], conn_cases[],
			      upcall_cases[], ia_cases[];

#endif /* LOOP_H */

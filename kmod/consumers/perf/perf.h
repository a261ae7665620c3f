/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How fast one kernel moves data to another, or to itself.
 *
 * rows.c knows what is to be posted when, and nothing of the interface below; dat.c is
 * kDAPL. Another interface is another file in the place of dat.c.
 */
#ifndef PERF_H
#define PERF_H

#include <linux/completion.h>
#include <linux/socket.h>
#include <linux/types.h>

/* Of every send and receive. */
#define PERF_MESSAGE	64
#define PERF_COUNT_MAX	100000000

enum perf_pattern { PERF_PING_PONG, PERF_STREAM, PERF_WRITE, PERF_READ };

/**
 * struct perf_row - what can be measured
 * @name: in orders and results
 * @pattern: who posts what
 * @size: bytes of what a request moves
 * @window: requests on the way at most
 * @recvs: receives that are always posted
 * @warm_up: requests before those that are timed
 */
struct perf_row {
	const char *name;
	enum perf_pattern pattern;
	u32 size, window, recvs, warm_up;
};

/* Private data of a client's request. */
struct perf_hello {
	__be32 magic;
	__be32 row;
	__be32 count;
	__be32 verify;
};

/* The first message; the server's says where a client may write or read. */
struct perf_offer {
	__be64 address;
	__be32 key;
};

/**
 * struct perf_end - one end of a connection
 * @row: what is measured
 * @client: the end that connects, and takes the time
 * @verify: bytes are set and looked at
 * @total: requests of the row
 * @greeted: the first message is sent
 * @met: the peer's came
 * @posted: requests, not counting the greeting
 * @completed: of them
 * @received: messages, not counting the greeting
 * @taken: receives, all of them
 * @finishing: one more message: a client's last, a server's answer to it
 * @wrong: what did not hold what it must
 * @begin: nanoseconds when the warm-up was over
 * @end: and the row
 * @messages: receives' memory, then sends'
 * @data: what RDMA moves; NULL where nothing does
 * @address: of the server's data
 * @key: of the server's data
 * @err: why it ended, not as it should
 * @done: a client's: it ended
 *
 * Whoever implements what stands below calls in one at a time.
 */
struct perf_end {
	const struct perf_row *row;
	bool client, verify, greeted, met;
	u32 total, posted, completed, received, taken;
	bool finishing;
	u32 wrong;
	u64 begin, end;
	void *messages, *data;
	u64 address;
	u32 key;
	int err;
	struct completion done;
};

/* What a client is to do. */
struct perf_order {
	struct sockaddr_storage to;
	u16 port;
	struct perf_hello hello;
};

/* ---- rows.c --------------------------------------------------------------- */

/* The number of the row with this name, or -ENOENT. */
int perf_row_find(const char *name);
void perf_hello_make(struct perf_hello *hello, u32 row, u32 count, bool verify);

/* Whether it is one. There may be more: some networks fill up what they carry. */
bool perf_hello_valid(const void *bytes, size_t size);

/* Process context. -EPROTO: that is no hello. */
int perf_end_init(struct perf_end *end, bool client, const void *hello,
		  size_t size);
void perf_end_exit(struct perf_end *end);
/* Once there is something to post on. */
int perf_post_receives(struct perf_end *end);

/* One for the greeting. */
static inline u32 perf_requests(const struct perf_end *end)
{
	return end->row->window + 1;
}

static inline size_t perf_messages_size(const struct perf_end *end)
{
	return (size_t)(end->row->recvs + end->row->window) * PERF_MESSAGE;
}

static inline size_t perf_data_size(const struct perf_end *end)
{
	return (size_t)end->row->window * end->row->size;
}

/* What happened. In softirq, but for the first and the last, which may be anywhere. */
/* A client is connected. */
void perf_greet(struct perf_end *end);
void perf_received(struct perf_end *end, u32 length);
void perf_completed(struct perf_end *end);
void perf_over(struct perf_end *end, int err);

/* ---- dat.c ---------------------------------------------------------------- */

int perf_start(u16 port);
void perf_stop(void);
/* Process context. What perf_disconnect() ends, or an error pointer. */
struct perf_end *perf_connect(const struct perf_order *order);
void perf_disconnect(struct perf_end *end);
/* In any context: the server's connection is to end. */
void perf_hang_up(void);

/* A server's data get their address and key, if there are any. */
int perf_expose(struct perf_end *end);
/* Offsets into the end's messages and data; the same ones in the server's data. */
int perf_post_receive(struct perf_end *end, u32 offset);
int perf_post_send(struct perf_end *end, u32 offset);
int perf_post_rdma(struct perf_end *end, u32 offset);

#endif /* PERF_H */

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is posted when. Each request is signalled and posted by a call of its own, each
 * receive is posted again at once.
 *
 * The client's first message is a greeting, as over iWARP who connected has to send
 * first. The server's says where its memory is; with it the row begins. The client's last
 * one ends it; the server's answer says what it found wrong.
 *
 * A stream needs the receiver's consent: every CREDIT messages the server sends one
 * back, and the client never has more on the way than receives are posted.
 */

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "perf.h"

#define MAGIC		0x6b504552
#define CREDIT		128

static const struct perf_row rows[] = {
	{ "send64_d1", PERF_PING_PONG, PERF_MESSAGE, 16, 256, 128 },
	{ "send64_d64", PERF_STREAM, PERF_MESSAGE, 64, 512, 128 },
	{ "write64k", PERF_WRITE, SZ_64K, 8, 16, 16 },
	{ "read64k", PERF_READ, SZ_64K, 8, 16, 16 },
};

int perf_row_find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!strcmp(name, rows[i].name))
			return i;
	}
	return -ENOENT;
}

/* To be read in /sys/module. */
static uint begun;
module_param(begun, uint, 0444);
MODULE_PARM_DESC(begun, "rows that a client began to measure");

static bool is_rdma(const struct perf_row *row)
{
	return row->pattern == PERF_WRITE || row->pattern == PERF_READ;
}

/* ---- bytes that tell one message from another ------------------------------ */

static u8 byte_of(u32 index)
{
	return 1 + index % 251;
}

static void check(struct perf_end *end, const void *at, u32 size, u32 index)
{
	end->wrong += !!memchr_inv(at, byte_of(index), size);
}

static void *slot(const struct perf_end *end, u32 index)
{
	return end->data + (size_t)(index % end->row->window) * end->row->size;
}

/* What lies there when all is over: the last that was written to each slot. */
static void check_written(struct perf_end *end)
{
	u32 i;

	for (i = end->total - end->row->window; i < end->total; i++)
		check(end, slot(end, i), end->row->size, i);
}

static void fill_for_reads(struct perf_end *end)
{
	u32 i;

	for (i = 0; i < end->row->window; i++)
		memset(slot(end, i), byte_of(i), end->row->size);
}

/* ---- requests --------------------------------------------------------------- */

/* Messages of the row that this end gets. */
static u32 messages_in(const struct perf_end *end)
{
	switch (end->row->pattern) {
	case PERF_PING_PONG:
		return end->total;
	case PERF_STREAM:
		return end->client ? end->total / CREDIT : end->total;
	default:
		return 0;
	}
}

/* How many requests of the row may have been posted by now. */
static u32 allowed(const struct perf_end *end)
{
	u32 in = min(end->received, messages_in(end));

	switch (end->row->pattern) {
	case PERF_PING_PONG:
		return min(in + end->client, end->total);
	case PERF_STREAM:
		return end->client ? min(end->row->recvs - CREDIT + in * CREDIT,
					 end->total) : in / CREDIT;
	default:
		return end->client ? end->total : 0;
	}
}

static int post_message(struct perf_end *end, u32 index, bool last)
{
	u32 offset = (end->row->recvs + end->posted % end->row->window) *
		     PERF_MESSAGE;
	void *at = end->messages + offset;

	if (last)
		*(__be32 *)at = cpu_to_be32(end->wrong);
	else if (end->verify)
		memset(at, byte_of(index), PERF_MESSAGE);
	end->posted++;
	return perf_post_send(end, offset);
}

static int post_rdma(struct perf_end *end, u32 index)
{
	const struct perf_row *row = end->row;

	if (end->verify)
		memset(slot(end, index),
		       row->pattern == PERF_WRITE ? byte_of(index) : 0,
		       row->size);
	end->posted++;
	return perf_post_rdma(end, index % row->window * row->size);
}

/* All that may be posted. */
static void go_on(struct perf_end *end)
{
	u32 in_row = allowed(end), index;
	int ret = 0;

	while (!ret && end->posted < in_row + end->finishing &&
	       end->posted - end->completed < end->row->window) {
		index = end->posted;
		if (index < in_row && is_rdma(end->row))
			ret = post_rdma(end, index);
		else
			ret = post_message(end, index, index >= in_row);
	}
	if (ret)
		perf_over(end, ret);
}

/* ---- what happens ----------------------------------------------------------- */

void perf_over(struct perf_end *end, int err)
{
	if (!READ_ONCE(end->err))
		WRITE_ONCE(end->err, err);
	if (end->client)
		complete(&end->done);
	else
		perf_hang_up();
}

/* The first message. Once it is posted others may call in: nothing is touched then. */
void perf_greet(struct perf_end *end)
{
	u32 offset = end->row->recvs * PERF_MESSAGE;
	struct perf_offer *offer = end->messages + offset;

	offer->address = cpu_to_be64(end->address);
	offer->key = cpu_to_be32(end->key);
	if (perf_post_send(end, offset))
		perf_over(end, -EIO);
}

/* The peer's. */
static void met(struct perf_end *end, const struct perf_offer *offer)
{
	end->met = true;
	if (end->client) {
		end->address = be64_to_cpu(offer->address);
		end->key = be32_to_cpu(offer->key);
		WRITE_ONCE(begun, begun + 1);
	} else if (perf_expose(end)) {
		perf_over(end, -EIO);
	} else {
		perf_greet(end);
	}
}

/* The client's clock, after @n of the row. */
static void passed(struct perf_end *end, u32 n)
{
	if (n == end->row->warm_up)
		end->begin = ktime_get_ns();
	else if (n == end->total)
		end->end = ktime_get_ns();
	if (end->completed == end->total && end->received == messages_in(end))
		end->finishing = true;
}

/* A message behind those of the row. */
static void received_last(struct perf_end *end, const void *at)
{
	if (end->client) {
		end->wrong += be32_to_cpu(*(const __be32 *)at);
		complete(&end->done);
		return;
	}
	if (end->verify && end->row->pattern == PERF_WRITE)
		check_written(end);
	end->finishing = true;
}

static void received(struct perf_end *end, const void *at)
{
	if (!end->met) {
		met(end, at);
		return;
	}
	if (end->received++ == messages_in(end)) {
		received_last(end, at);
		return;
	}
	if (end->verify)
		check(end, at, PERF_MESSAGE, end->received - 1);
	if (end->client)
		passed(end, end->row->pattern == PERF_PING_PONG ?
		       end->received : 0);
}

/* They come in the order of their posts. */
void perf_received(struct perf_end *end, u32 length)
{
	u32 offset = end->taken++ % end->row->recvs * PERF_MESSAGE;

	if (length != PERF_MESSAGE || end->received > messages_in(end)) {
		perf_over(end, -EPROTO);
		return;
	}
	received(end, end->messages + offset);
	if (perf_post_receive(end, offset))
		perf_over(end, -EIO);
	else
		go_on(end);
}

void perf_completed(struct perf_end *end)
{
	u32 index;

	if (!end->greeted) {
		end->greeted = true;
		return;
	}
	index = end->completed++;
	if (end->client && index < end->total) {
		if (end->verify && end->row->pattern == PERF_READ)
			check(end, slot(end, index), end->row->size,
			      index % end->row->window);
		passed(end, end->row->pattern == PERF_PING_PONG ?
		       0 : end->completed);
	}
	go_on(end);
}

/* ---- life ------------------------------------------------------------------- */

void perf_hello_make(struct perf_hello *hello, u32 row, u32 count, bool verify)
{
	hello->magic = cpu_to_be32(MAGIC);
	hello->row = cpu_to_be32(row);
	hello->count = cpu_to_be32(count);
	hello->verify = cpu_to_be32(verify);
}

bool perf_hello_valid(const void *bytes, size_t size)
{
	struct perf_hello hello;

	if (size < sizeof(hello))
		return false;
	memcpy(&hello, bytes, sizeof(hello));
	return be32_to_cpu(hello.magic) == MAGIC &&
	       be32_to_cpu(hello.row) < ARRAY_SIZE(rows) &&
	       be32_to_cpu(hello.count) &&
	       be32_to_cpu(hello.count) <= PERF_COUNT_MAX;
}

/* In one piece, which all interfaces reach by the same key. */
static int make_memory(struct perf_end *end)
{
	end->messages = kzalloc(perf_messages_size(end), GFP_KERNEL);
	if (!end->messages)
		return -ENOMEM;
	if (!is_rdma(end->row))
		return 0;
	end->data = kzalloc(perf_data_size(end), GFP_KERNEL);
	if (!end->data)
		return -ENOMEM;
	if (!end->client && end->row->pattern == PERF_READ)
		fill_for_reads(end);
	return 0;
}

int perf_end_init(struct perf_end *end, bool client, const void *bytes,
		  size_t size)
{
	struct perf_hello hello;
	int ret;

	if (!perf_hello_valid(bytes, size))
		return -EPROTO;
	memcpy(&hello, bytes, sizeof(hello));
	end->row = &rows[be32_to_cpu(hello.row)];
	end->client = client;
	end->verify = hello.verify;
	end->total = be32_to_cpu(hello.count) + end->row->warm_up;
	init_completion(&end->done);
	ret = make_memory(end);
	if (ret)
		perf_end_exit(end);
	return ret;
}

void perf_end_exit(struct perf_end *end)
{
	kfree(end->messages);
	kfree(end->data);
	end->messages = NULL;
	end->data = NULL;
}

int perf_post_receives(struct perf_end *end)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < end->row->recvs; i++)
		ret = perf_post_receive(end, i * PERF_MESSAGE);
	return ret;
}

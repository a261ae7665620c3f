/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What datping's two sides say to each other: see ulib/tools/datping/protocol.hpp. */
#ifndef ECHO_PROTOCOL_H
#define ECHO_PROTOCOL_H

#include <linux/types.h>

enum echo_mode { ECHO_SEND = 1, ECHO_WRITE, ECHO_READ };
enum echo_verify { ECHO_VERIFY_NONE, ECHO_VERIFY_ENDS, ECHO_VERIFY_ALL };

enum echo_kind {
	ECHO_BEGIN = 1,
	ECHO_WINDOW,
	ECHO_NOTIFY,
	ECHO_ACKNOWLEDGE,
	ECHO_FILL,
	ECHO_READY,
	ECHO_FINISH,
	ECHO_RESULT,
};

/* The streams that keep the patterns of the two directions apart. */
#define ECHO_TO_SERVER	1
#define ECHO_TO_CLIENT	2

/* What the client wants. */
struct echo_hello {
	u8 mode;
	u8 verify;
	u32 size;
	u32 depth;
	u64 count;
};

struct echo_control {
	u32 kind;
	u64 sequence;
	u64 address;
	u32 context;
};

#define ECHO_CONTROL_SIZE	28

/* False when it is none, or asks for more than a server gives. */
bool echo_hello_parse(struct echo_hello *hello, const void *bytes, size_t size);
/* Messages in each direction that a server has room for. */
u32 echo_hello_slots(const struct echo_hello *hello);
/* Bytes of memory that a server needs for it, roughly. */
u64 echo_hello_memory(const struct echo_hello *hello);
bool echo_verified(const struct echo_hello *hello, u64 sequence);

void echo_control_write(void *room, const struct echo_control *control);
bool echo_control_parse(struct echo_control *control, const void *bytes,
			size_t size);

/* Test data: every byte depends on stream, sequence and offset. */
void echo_pattern_fill(u64 stream, u64 sequence, void *bytes, size_t size);
bool echo_pattern_matches(u64 stream, u64 sequence, const void *bytes,
			  size_t size);

#endif /* ECHO_PROTOCOL_H */

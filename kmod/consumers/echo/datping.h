/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the two sides of datping say to each other, for the program and for the kernel.
 *
 * The client's connection request carries a hello. The client also speaks first, because
 * iWARP forbids it to the side that was connected to: over write and read it says begin,
 * and the server names its buffers in window messages. In mode send the messages are the
 * test itself: the client's number n is answered by the server's. In mode write every
 * message to be verified is followed by a notify and answered by an acknowledge, after
 * which its buffer may be written again; in mode read a buffer is refilled on a fill,
 * answered by a ready. A finish is answered by the server's result, and then the client
 * disconnects.
 *
 * Numbers are big endian, and lie anywhere.
 */
#ifndef DATPING_H
#define DATPING_H

#include <linux/types.h>

#define DATPING_HELLO_MAGIC	0x44504e47	/* "DPNG" */
#define DATPING_CONTROL_MAGIC	0x44504e43	/* "DPNC" */
#define DATPING_VERSION		1

enum datping_mode { DATPING_SEND = 1, DATPING_WRITE, DATPING_READ };
/* Which messages are filled with the pattern and looked at. */
enum datping_verify { DATPING_NONE, DATPING_ENDS, DATPING_ALL };

#pragma pack(push, 1)

/* What the client wants, in the private data of its request. */
struct datping_hello {
	__be32 magic;
	__be16 length;		/* of this */
	__be16 version;
	__u8 mode;
	__u8 verify;
	__u8 poll;		/* the server polls, too */
	__u8 reserved;
	__be32 size;		/* bytes of a message */
	__be32 depth;		/* messages on the way */
	__be32 reserved2;
	__be64 count;		/* messages in all */
};

/* What @sequence, @address and @context are. */
enum datping_kind {
	DATPING_BEGIN = 1,
	DATPING_WINDOW,		/* slot; where it is */
	DATPING_NOTIFY,		/* of the message that was written */
	DATPING_ACKNOWLEDGE,	/* of the message that was looked at */
	DATPING_FILL,		/* of the message to be read next from its slot */
	DATPING_READY,		/* of the message that can be read */
	DATPING_FINISH,
	DATPING_RESULT,		/* messages verified; address: how many were wrong */
};

/* A message beside the data. */
struct datping_control {
	__be32 magic;
	__be32 kind;
	__be64 sequence;
	__be64 address;
	__be32 context;
};

#pragma pack(pop)

/* The streams that keep the patterns of the two directions apart. */
#define DATPING_TO_SERVER	1
#define DATPING_TO_CLIENT	2

/* Spreads every bit of x over the whole word (the splitmix64 finalizer). */
static inline __u64 datping_mix(__u64 x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* Where the pattern of a message begins. */
static inline __u64 datping_pattern(__u64 stream, __u64 sequence)
{
	return datping_mix(sequence ^ datping_mix(stream + 1));
}

/* Its next eight bytes, as they lie in memory: one addition and one multiplication. */
static inline __u64 datping_pattern_next(__u64 *state)
{
	__u64 word;

	*state += 0x9e3779b97f4a7c15ULL;
	word = *state * 0xd6e8feb86659fd93ULL;
	return word ^ (word >> 32);
}

#endif /* DATPING_H */

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* datping's messages and test data. */

#include <linux/kernel.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "protocol.h"

#define HELLO_MAGIC	0x44504e47
#define HELLO_SIZE	32
#define CONTROL_MAGIC	0x44504e43
#define VERSION		1

/* What one client may make a server allocate. */
#define MAX_DEPTH	4096
#define MAX_SIZE	BIT(30)
#define MAX_MEMORY	(256U << 20)

/* What the adapter and its queues take, for each connection and message. */
#define EP_MEMORY	SZ_64K
#define SLOT_MEMORY	256

/* Numbers on the wire: big endian, anywhere. */
static u64 get_be(const u8 *at, int bytes)
{
	u64 value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static void put_be(u8 *at, int bytes, u64 value)
{
	while (bytes--) {
		at[bytes] = value;
		value >>= 8;
	}
}

u32 echo_hello_slots(const struct echo_hello *hello)
{
	return 2 * hello->depth + 4;
}

u64 echo_hello_memory(const struct echo_hello *hello)
{
	u64 slot = max_t(u64, hello->size, ECHO_CONTROL_SIZE);

	return EP_MEMORY + 2ULL * echo_hello_slots(hello) * (slot + SLOT_MEMORY);
}

static bool hello_acceptable(const struct echo_hello *hello)
{
	return hello->mode >= ECHO_SEND && hello->mode <= ECHO_READ &&
	       hello->verify <= ECHO_VERIFY_ALL &&
	       hello->depth >= 1 && hello->depth <= MAX_DEPTH &&
	       hello->count >= 1 && hello->size <= MAX_SIZE &&
	       (hello->size || hello->mode == ECHO_SEND) &&
	       echo_hello_memory(hello) <= MAX_MEMORY;
}

bool echo_hello_parse(struct echo_hello *hello, const void *bytes, size_t size)
{
	const u8 *at = bytes;

	if (size < HELLO_SIZE || get_be(at, 4) != HELLO_MAGIC ||
	    get_be(at + 4, 2) != HELLO_SIZE ||
	    get_be(at + 6, 2) != VERSION)
		return false;
	hello->mode = at[8];
	hello->verify = at[9];
	hello->size = get_be(at + 12, 4);
	hello->depth = get_be(at + 16, 4);
	hello->count = get_be(at + 24, 8);
	return hello_acceptable(hello);
}

bool echo_verified(const struct echo_hello *hello, u64 sequence)
{
	if (hello->verify == ECHO_VERIFY_ENDS)
		return sequence == 0 || sequence + 1 == hello->count;
	return hello->verify == ECHO_VERIFY_ALL;
}

void echo_control_write(void *room, const struct echo_control *control)
{
	u8 *at = room;

	put_be(at, 4, CONTROL_MAGIC);
	put_be(at + 4, 4, control->kind);
	put_be(at + 8, 8, control->sequence);
	put_be(at + 16, 8, control->address);
	put_be(at + 24, 4, control->context);
}

bool echo_control_parse(struct echo_control *control, const void *bytes,
			size_t size)
{
	const u8 *at = bytes;

	if (size != ECHO_CONTROL_SIZE || get_be(at, 4) != CONTROL_MAGIC)
		return false;
	control->kind = get_be(at + 4, 4);
	control->sequence = get_be(at + 8, 8);
	control->address = get_be(at + 16, 8);
	control->context = get_be(at + 24, 4);
	return control->kind >= ECHO_BEGIN && control->kind <= ECHO_RESULT;
}

static u64 mix(u64 x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static u64 pattern_begin(u64 stream, u64 sequence)
{
	return mix(sequence ^ mix(stream + 1));
}

static u64 pattern_next(u64 *state)
{
	u64 word;

	*state += 0x9e3779b97f4a7c15ULL;
	word = *state * 0xd6e8feb86659fd93ULL;
	return word ^ (word >> 32);
}

void echo_pattern_fill(u64 stream, u64 sequence, void *bytes, size_t size)
{
	u64 state = pattern_begin(stream, sequence);
	size_t at;
	u64 word;

	for (at = 0; at < size; at += sizeof(word)) {
		word = pattern_next(&state);
		memcpy(bytes + at, &word, min(size - at, sizeof(word)));
	}
}

bool echo_pattern_matches(u64 stream, u64 sequence, const void *bytes,
			  size_t size)
{
	u64 state = pattern_begin(stream, sequence);
	size_t at;
	u64 word;

	for (at = 0; at < size; at += sizeof(word)) {
		word = pattern_next(&state);
		if (memcmp(bytes + at, &word, min(size - at, sizeof(word))))
			return false;
	}
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a client may ask for, and test data. */

#include <linux/kernel.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "echo.h"

/* What one client may make a server allocate. */
#define MAX_DEPTH	4096
#define MAX_SIZE	BIT(30)
#define MAX_MEMORY	(256U << 20)

/* What the adapter and its queues take, for each connection and message. */
#define EP_MEMORY	SZ_64K
#define SLOT_MEMORY	256

u32 echo_hello_slots(const struct echo_hello *hello)
{
	return 2 * hello->depth + 4;
}

u64 echo_hello_memory(const struct echo_hello *hello)
{
	u64 slot = max_t(u64, hello->size, sizeof(struct datping_control));

	return EP_MEMORY + 2ULL * echo_hello_slots(hello) * (slot + SLOT_MEMORY);
}

static bool hello_acceptable(const struct echo_hello *hello)
{
	return hello->mode >= DATPING_SEND && hello->mode <= DATPING_READ &&
	       hello->verify <= DATPING_ALL &&
	       hello->depth >= 1 && hello->depth <= MAX_DEPTH &&
	       hello->count >= 1 && hello->size <= MAX_SIZE &&
	       (hello->size || hello->mode == DATPING_SEND) &&
	       echo_hello_memory(hello) <= MAX_MEMORY;
}

bool echo_hello_parse(struct echo_hello *hello, const void *bytes, size_t size)
{
	const struct datping_hello *wire = bytes;

	if (size < sizeof(*wire) ||
	    be32_to_cpu(wire->magic) != DATPING_HELLO_MAGIC ||
	    be16_to_cpu(wire->length) != sizeof(*wire) ||
	    be16_to_cpu(wire->version) != DATPING_VERSION)
		return false;
	*hello = (struct echo_hello){
		.mode = wire->mode,
		.verify = wire->verify,
		.size = be32_to_cpu(wire->size),
		.depth = be32_to_cpu(wire->depth),
		.count = be64_to_cpu(wire->count),
	};
	return hello_acceptable(hello);
}

bool echo_verified(const struct echo_hello *hello, u64 sequence)
{
	if (hello->verify == DATPING_ENDS)
		return sequence == 0 || sequence + 1 == hello->count;
	return hello->verify == DATPING_ALL;
}

void echo_fill(u64 sequence, void *bytes, size_t size)
{
	u64 state = datping_pattern(DATPING_TO_CLIENT, sequence);
	size_t at;
	u64 word;

	for (at = 0; at < size; at += sizeof(word)) {
		word = datping_pattern_next(&state);
		memcpy(bytes + at, &word, min(size - at, sizeof(word)));
	}
}

bool echo_matches(u64 sequence, const void *bytes, size_t size)
{
	u64 state = datping_pattern(DATPING_TO_SERVER, sequence);
	size_t at;
	u64 word;

	for (at = 0; at < size; at += sizeof(word)) {
		word = datping_pattern_next(&state);
		if (memcmp(bytes + at, &word, min(size - at, sizeof(word))))
			return false;
	}
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inside of the message passing layer.
 *
 * A peer has two connections: SMALL for messages that fit a small fragment,
 * LARGE for all others and for what belongs to them. A sender needs a token, a
 * receive that its peer has posted; the peer gives it back as a credit. Small
 * messages may instead be written into slots in the peer's memory, which the
 * peer polls; those have tokens of their own.
 */
#ifndef COMPAT_LAYER_H
#define COMPAT_LAYER_H

#include "mp.h"
#include "oob.h"

#include <stdbool.h>
#include <time.h>

#include <dat/udat.h>

#define SMALL_SIZE 1024 /* bytes of a small fragment, its header included */
#define LARGE_SIZE 16384
#define PUT_SIZE 131072 /* bytes of one RDMA write of a longer message */
#define TOKENS 8
#define TOKENS_WINDOW 4 /* credits that are worth a message */
#define SLOTS 16
#define SLOTS_WINDOW 8
#define SLOT_PEERS 2 /* so many peers write into a process's slots */
/* Credits of both connections and of the slots, the greeting, the slots' address. */
#define CONTROL_RECEIVES (2 * (TOKENS / TOKENS_WINDOW) + SLOTS / SLOTS_WINDOW + 2)
#define RECEIVES (TOKENS + CONTROL_RECEIVES)
#define REQUESTS 24
#define REGIONS 6 /* registrations kept that nobody uses */
#define CONNECT_TIMEOUT 60000000u
/* Seconds until a wait has failed: on the debug kernel a round of all takes minutes. */
#define PATIENCE 300

enum connection { SMALL, LARGE, CONNECTIONS };

/** Where a process listens; the private data of a connection begins with it. */
struct address {
	DAT_SOCK_ADDR ia;
	uint64_t port;
};

struct greeting {
	struct address address;
	uint32_t connection;
	uint32_t magic;
};

enum kind {
	KIND_GREETING = 1,
	KIND_SLOTS, /**< where the slots are */
	KIND_CREDITS,
	KIND_MESSAGE,
	KIND_REQUEST, /**< a long message waits */
	KIND_CLEAR, /**< where to write it */
	KIND_FINISHED, /**< it is written */
};

/** At the head of every fragment that is sent. */
struct header {
	uint32_t kind;
	uint32_t sequence;
	uint64_t size;
	uint64_t sender; /**< its struct transfer */
	uint64_t receiver; /**< its struct transfer */
	uint64_t base;
	uint32_t context;
	uint32_t credits[CONNECTIONS];
	uint32_t slot_credits;
};

/** At the end of a slot; written behind the data, by a write of its own. */
struct footer {
	uint32_t size;
	uint32_t active;
};

#define SLOT_SIZE (SMALL_SIZE + sizeof(struct footer))

enum duty { DUTY_RECEIVE, DUTY_SEND, DUTY_SLOT, DUTY_PUT };

/** A piece of registered memory, and what it is posted for. */
struct fragment {
	struct fragment *next;
	enum duty duty;
	size_t capacity; /**< 0: it borrows the memory of a transfer */
	char *data; /**< footer behind it */
	struct link *link;
	DAT_LMR_TRIPLET local;
	DAT_RMR_TRIPLET remote;
	struct transfer *last_of; /**< the transfer that its completion ends */
};

struct queue {
	struct fragment *first;
	struct fragment **end;
};

/** Registered memory of the cache. */
struct region {
	struct region *next;
	char *base;
	size_t length;
	int users;
	unsigned long used; /**< when, for choosing the oldest */
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT lmr_context;
	DAT_RMR_CONTEXT rmr_context;
};

/** A long message under way, at either end. */
struct transfer {
	struct peer *peer;
	uint32_t sequence;
	char *data;
	size_t size;
	struct region *region;
	int *pending;
};

/** One connection. */
struct link {
	struct peer *peer;
	enum connection which;
	DAT_EP_HANDLE ep;
	bool established;
	bool greeted; /**< by the peer */
	bool open; /**< we may send */
	bool ended;
	int room; /**< requests that may still be posted */
	int receives; /**< that are posted */
	int tokens;
	int credits; /**< to be given back */
	struct queue waiting;
};

struct slots {
	char *memory;
	struct region *region;
	int head;
	int credits;
};

struct remote_slots {
	uint64_t base;
	DAT_RMR_CONTEXT context;
	int head;
	int tokens;
};

struct peer {
	struct mp *mp;
	int rank;
	struct address address;
	bool wanted;
	struct link links[CONNECTIONS];
	struct slots in;
	struct remote_slots out;
};

struct mp {
	struct oob *oob;
	mp_deliver *deliver;
	void *user;
	DAT_IA_HANDLE ia;
	DAT_IA_ATTR ia_attr;
	DAT_PZ_HANDLE pz;
	DAT_EVD_HANDLE evd_async;
	DAT_EVD_HANDLE evd_dto;
	DAT_EVD_HANDLE evd_conn;
	DAT_COUNT dto_qlen;
	DAT_COUNT conn_qlen;
	DAT_PSP_HANDLE psp;
	DAT_EP_ATTR ep_attr;
	struct address address;
	struct peer peers[OOB_RANKS_MAX];
	struct fragment *free_fragments[CONNECTIONS];
	struct fragment *free_puts;
	struct region *regions;
	struct buffer *free_buffers;
	unsigned long clock;
	unsigned long rounds;
	int addresses;
	int barriers;
	int barriers_heard;
	bool busy; /**< something happened since the last look at the clock */
	time_t idle_since;
	bool ending;
	struct mp_counts counts;
};

/* adapter.c */
void adapter_open(struct mp *mp);
void adapter_listen(struct mp *mp);
void adapter_grow_queues(struct mp *mp);

/* region.c */
struct region *region_get(struct mp *mp, char *base, size_t length);
void region_put(struct mp *mp, struct region *region);
void region_free_all(struct mp *mp);
char *memory_get(size_t length);

/* fragment.c */
struct fragment *fragment_get(struct mp *mp, enum connection which);
struct fragment *fragment_get_put(struct mp *mp);
void fragment_release(struct mp *mp, struct fragment *fragment);
void queue_init(struct queue *queue);
void queue_push(struct queue *queue, struct fragment *fragment);

/* connect.c */
void connect_start(struct peer *peer);
void connect_event(struct mp *mp, const DAT_EVENT *event);
void connect_greeted(struct peer *peer, const char *data, size_t size);

/* post.c */
struct header *post_header(struct fragment *fragment);
struct fragment *post_new(struct link *link, enum kind kind);
void post_now(struct fragment *fragment, size_t size);
void post_wait(struct fragment *fragment, size_t size);
void post_waiting(struct link *link);
void post_receive(struct fragment *fragment);

/* slot.c */
void slots_announce(struct peer *peer);
void slots_known(struct peer *peer, const struct header *header);
bool slots_write(struct fragment *fragment);
bool slots_poll(struct peer *peer);

/* transfer.c */
void transfer_start(struct peer *peer, uint32_t sequence, const void *data, size_t size,
		    int *pending);
void transfer_requested(struct peer *peer, const struct header *header);
void transfer_cleared(struct peer *peer, const struct header *header);
void transfer_finished(struct peer *peer, const struct header *header);
void transfer_written(struct mp *mp, struct transfer *transfer);

/* receive.c */
void receive_message(struct peer *peer, const char *data, size_t size);
void receive_return_credits(struct peer *peer);

#endif /* COMPAT_LAYER_H */

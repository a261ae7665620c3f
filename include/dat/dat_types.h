/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every DAT object is made of: names, handles, contexts, flags, memory
 * triplets.
 */
#ifndef _DAT_TYPES_H_
#define _DAT_TYPES_H_

#include <dat/dat_platform_specific.h>

/** Name of an adapter, NUL-terminated. */
typedef char *DAT_NAME_PTR;

/** Room for a name, its NUL included. */
#define DAT_NAME_MAX_LENGTH 256

/** One attribute given as two strings; both belong to the provider. */
typedef struct dat_named_attr {
	const char *name;
	const char *value;
} DAT_NAMED_ATTR;

/** Truth value, an int wide. */
typedef enum dat_boolean {
	DAT_FALSE = 0,
	DAT_TRUE = 1
} DAT_BOOLEAN;

/** Eight bytes that belong to the program; DAT hands them back unread. */
typedef union dat_context {
	DAT_PVOID as_ptr;
	DAT_UINT64 as_64;
	DAT_UVERYLONG as_index;
} DAT_CONTEXT;

/** Context of one data transfer; comes back in its completion event. */
typedef DAT_CONTEXT DAT_DTO_COOKIE;

/** Context of one bind; comes back in its completion event. */
typedef DAT_CONTEXT DAT_RMR_COOKIE;

/** Microseconds. */
typedef DAT_UINT32 DAT_TIMEOUT;

/** No limit of time. */
#define DAT_TIMEOUT_INFINITE ((DAT_TIMEOUT)~0)

/** Names an object in this process; never to be dereferenced by a program. */
typedef DAT_PVOID DAT_HANDLE;

/** Connection request. */
typedef DAT_HANDLE DAT_CR_HANDLE;
/** Endpoint: one end of a connection. */
typedef DAT_HANDLE DAT_EP_HANDLE;
/** Event dispatcher: a queue of events. */
typedef DAT_HANDLE DAT_EVD_HANDLE;
/** Interface adapter, as opened by this program. */
typedef DAT_HANDLE DAT_IA_HANDLE;
/** Local memory region: registered memory. */
typedef DAT_HANDLE DAT_LMR_HANDLE;
/** Public service point: a listener. */
typedef DAT_HANDLE DAT_PSP_HANDLE;
/** Protection zone: ties endpoints to the memory they may touch. */
typedef DAT_HANDLE DAT_PZ_HANDLE;
/** Remote memory region: a window that can be bound to registered memory. */
typedef DAT_HANDLE DAT_RMR_HANDLE;
/** Reserved service point: a listener for one connection, with its endpoint. */
typedef DAT_HANDLE DAT_RSP_HANDLE;
/** Shared receive queue. */
typedef DAT_HANDLE DAT_SRQ_HANDLE;
/** Consumer notification object: one wait for many event dispatchers. */
typedef DAT_HANDLE DAT_CNO_HANDLE;

/** No object. */
#define DAT_HANDLE_NULL ((DAT_HANDLE)NULL)

/** Kind of the object behind a handle; see dat_get_handle_type(3DAT). */
typedef enum dat_handle_type {
	DAT_HANDLE_TYPE_CR = 0,
	DAT_HANDLE_TYPE_EP = 1,
	DAT_HANDLE_TYPE_EVD = 2,
	DAT_HANDLE_TYPE_IA = 3,
	DAT_HANDLE_TYPE_LMR = 4,
	DAT_HANDLE_TYPE_PSP = 5,
	DAT_HANDLE_TYPE_PZ = 6,
	DAT_HANDLE_TYPE_RMR = 7,
	DAT_HANDLE_TYPE_RSP = 8,
	DAT_HANDLE_TYPE_CNO = 9,
	DAT_HANDLE_TYPE_SRQ = 10
} DAT_HANDLE_TYPE;

/** Address of an adapter. */
typedef DAT_SOCK_ADDR *DAT_IA_ADDRESS_PTR;

/** Where a service point listens on its adapter; a TCP port on IP transports. */
typedef DAT_UINT64 DAT_CONN_QUAL;

/** The port of one end of a connection. */
typedef DAT_UINT64 DAT_PORT_QUAL;

/** Length of memory, in bytes. */
typedef DAT_UINT64 DAT_VLEN;

/** Virtual address. */
typedef DAT_UINT64 DAT_VADDR;

/** Names registered memory in local buffers. */
typedef DAT_UINT32 DAT_LMR_CONTEXT;

/** Names registered memory to the peer. */
typedef DAT_UINT32 DAT_RMR_CONTEXT;

/** One segment of a local buffer. Of one without a byte the rest may be anything. */
typedef struct dat_lmr_triplet {
	DAT_LMR_CONTEXT lmr_context;
	DAT_UINT32 pad; /**< not read */
	DAT_VADDR virtual_address;
	DAT_VLEN segment_length;
} DAT_LMR_TRIPLET;

/** A buffer in the peer's memory. */
typedef struct dat_rmr_triplet {
	DAT_RMR_CONTEXT rmr_context;
	DAT_UINT32 pad; /**< not read */
	DAT_VADDR target_address;
	DAT_VLEN segment_length;
} DAT_RMR_TRIPLET;

/**
 * How the completion of a posted operation is told. In an endpoint's attributes
 * the same names say which style its queue uses.
 */
typedef enum dat_completion_flags {
	/** An event that wakes a waiter. */
	DAT_COMPLETION_DEFAULT_FLAG = 0x00,
	/** No event on success; a failure is always told. */
	DAT_COMPLETION_SUPPRESS_FLAG = 0x01,
	/** On a send: wake the receiver's waiter (solicited-wait queues). */
	DAT_COMPLETION_SOLICITED_WAIT_FLAG = 0x02,
	/** An event that wakes nobody. */
	DAT_COMPLETION_UNSIGNALLED_FLAG = 0x04,
	/** Do not start before all earlier RDMA reads of the EP are done. */
	DAT_COMPLETION_BARRIER_FENCE_FLAG = 0x08,
	/** Attribute only: waiters count events against their threshold. */
	DAT_COMPLETION_EVD_THRESHOLD_FLAG = 0x10
} DAT_COMPLETION_FLAGS;

/** Quality of service wanted of a connection. */
typedef enum dat_qos {
	DAT_QOS_BEST_EFFORT = 0x00,
	DAT_QOS_HIGH_THROUGHPUT = 0x01,
	DAT_QOS_LOW_LATENCY = 0x02,
	DAT_QOS_ECONOMY = 0x04,
	DAT_QOS_PREMIUM = 0x08
} DAT_QOS;

/** Options of dat_ep_connect(). */
typedef enum dat_connect_flags {
	DAT_CONNECT_DEFAULT_FLAG = 0x00,
	DAT_CONNECT_MULTIPATH_FLAG = 0x01
} DAT_CONNECT_FLAGS;

/** How dat_ia_close() and dat_ep_disconnect() go about it. */
typedef enum dat_close_flags {
	/** At once; what is outstanding is flushed. */
	DAT_CLOSE_ABRUPT_FLAG = 0x00,
	/** Let what is outstanding finish; refuse where objects are in use. */
	DAT_CLOSE_GRACEFUL_FLAG = 0x01
} DAT_CLOSE_FLAGS;

/** What a program gets that does not choose. */
#define DAT_CLOSE_DEFAULT DAT_CLOSE_ABRUPT_FLAG

/** Who may do what with registered memory. */
typedef enum dat_mem_priv_flags {
	DAT_MEM_PRIV_NONE_FLAG = 0x00,
	DAT_MEM_PRIV_LOCAL_READ_FLAG = 0x01,
	DAT_MEM_PRIV_REMOTE_READ_FLAG = 0x02,
	DAT_MEM_PRIV_LOCAL_WRITE_FLAG = 0x10,
	DAT_MEM_PRIV_REMOTE_WRITE_FLAG = 0x20,
	/** The four above. */
	DAT_MEM_PRIV_ALL_FLAG = 0x33,
	/** Solaris addition: the region is strongly ordered. Ignored on input. */
	DAT_MEM_PRIV_RO_DISABLE_FLAG = 0x100
} DAT_MEM_PRIV_FLAGS;

/** Both read privileges. */
#define DAT_MEM_PRIV_READ_FLAG \
	(DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_REMOTE_READ_FLAG)

/** Both write privileges. */
#define DAT_MEM_PRIV_WRITE_FLAG \
	(DAT_MEM_PRIV_LOCAL_WRITE_FLAG | DAT_MEM_PRIV_REMOTE_WRITE_FLAG)

/** Count that the provider cannot tell (-2). */
#define DAT_VALUE_UNKNOWN (((DAT_COUNT)~0) - 1)

#endif /* _DAT_TYPES_H_ */

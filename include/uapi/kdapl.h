/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-2-Clause */
/*
 * /dev/kdapl: the contract between the kdapl module and user space.
 *
 * One open file is one IA instance. Objects are named by 32-bit ids that are
 * local to the file; an id is never reused before 2^31 others were handed out.
 * An object also carries a 64-bit word of the program's own ("user"), which
 * the module echoes in the events of that object and never interprets.
 */
#ifndef _UAPI_KDAPL_H
#define _UAPI_KDAPL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: ioctls
 *
 * Every argument structure begins with its own size in bytes. A longer
 * structure than the module knows is accepted when the rest is zero, a
 * shorter one down to the first version's size. The command is found by its
 * number alone, so a structure may grow without a new command. Only KDAPL_DOORBELL has
 * no structure.
 *
 * What an errno means, for every command:
 *
 *  - ENOTTY: the module does not know the command
 *  - E2BIG: the structure is longer than known and not zero there
 *  - EINVAL: a value is out of range, or an unknown flag is set
 *  - EFAULT: an address cannot be read, written or pinned
 *  - ENOENT: an id names no object of the type needed
 *  - EBADFD: the object (or the open file) is in a state that forbids this
 *  - EBUSY: the object is still used by another object, or waited on
 *  - EPERM: objects of different protection zones were mixed
 *  - EACCES: the caller may not: another process's file, another net namespace
 *  - ENOMEM: the kernel or the device is out of memory
 *  - EDQUOT: a limit of the user is reached (RLIMIT_MEMLOCK, rdma cgroup)
 *  - ENOSPC: a limit of the device or of the module is reached; no local port is left
 *  - EMSGSIZE: private data is longer than the transport carries
 *  - EMFILE, ENFILE: the process, or the machine, has no file descriptor left
 *  - ENODEV: no such adapter, or the device is gone
 *  - EOPNOTSUPP: the device or the transport cannot do this
 *  - EPROTONOSUPPORT: no connections have that kind of socket address
 *  - EADDRINUSE: the connection qualifier is taken
 *  - EADDRNOTAVAIL: no free connection qualifier; no usable address
 *  - ENOBUFS: the event queue is full
 *  - ETIMEDOUT: the deadline passed
 *  - ETIME, EAGAIN: see struct kdapl_submit
 *  - EINTR: a signal ended the wait
 *  - ECANCELED: the object waited on, or its device, went away; what may not be waited
 *    on is EBADFD
 */
#define KDAPL_DEVICE		"/dev/kdapl"
#define KDAPL_ABI_VERSION	1
#define KDAPL_IOC_TYPE		0xDA

#define KDAPL_NAME_MAX		64	/* adapter name, with its NUL */
#define KDAPL_ADDRS_MAX		8	/* addresses reported per adapter */
#define KDAPL_PRIVATE_DATA_MAX	256	/* no transport carries more */
#define KDAPL_SEGS_MAX		6	/* segments of one entry */

/* Object types, for kdapl_destroy. */
enum kdapl_obj_type {
	KDAPL_OBJ_PZ = 1,
	KDAPL_OBJ_LMR,
	KDAPL_OBJ_EVD,
	KDAPL_OBJ_EP,
	KDAPL_OBJ_PSP,
	KDAPL_OBJ_CR,
	KDAPL_OBJ_CNO,
	KDAPL_OBJ_SRQ,
	KDAPL_OBJ_RMR,
	KDAPL_OBJ_RSP,
};

/**
 * struct kdapl_map - where a program finds a piece of shared memory
 * @offset: what to give mmap() as the offset
 * @size: bytes to map; exactly this length is accepted, always MAP_SHARED
 * @start: byte offset of the piece within the mapping
 *
 * Several pieces can lie in one mapping (same @offset): map it once.
 */
struct kdapl_map {
	__aligned_u64 offset;
	__u32 size;
	__u32 start;
};

/**
 * DOC: submission ring
 *
 * The ring's memory is written by the program: struct kdapl_sq_ring, then the
 * entries from KDAPL_SQ_ENTRIES_OFFSET. What the module tells about the ring
 * (struct kdapl_sq_status) and about each endpoint (struct kdapl_ep_status)
 * lies in memory that the program can only read. Indices run freely through
 * 2^32; an entry's slot is its index modulo the number of entries.
 *
 * Barriers:
 *  - tail: the program stores it with release after the entries (A); the
 *    module loads it with acquire (B).
 *  - head: the module stores it with release after it copied the entry (C);
 *    the program loads it with acquire before it writes the slot again (D).
 *  - NEED_WAKEUP: the module sets it, full barrier, reads tail again; the
 *    program stores tail, full barrier, reads the flag.
 *  - hw_recv: the module lowers it, full barrier, reads tail again; the
 *    program stores tail, full barrier, reads hw_recv. While NEED_WAKEUP is set
 *    and hw_recv is 32 or more, the module may leave a few receives where they
 *    are: a program rings when hw_recv is low, or when many of its EP's wait.
 */
#define KDAPL_SQ_ENTRIES_OFFSET	128

struct kdapl_sq_ring {
	__u32 tail;		/* program: next index to fill */
	__u32 pad[15];
};

#define KDAPL_SQ_NEED_WAKEUP	(1U << 0)	/* KDAPL_DOORBELL is needed */

struct kdapl_sq_status {
	__u32 head;		/* module: next index to take */
	__u32 flags;		/* module: KDAPL_SQ_NEED_WAKEUP */
	__u32 pad[14];
};

enum kdapl_op {
	KDAPL_OP_SEND = 1,
	KDAPL_OP_RECV,
	KDAPL_OP_RDMA_WRITE,
	KDAPL_OP_RDMA_READ,
	KDAPL_OP_SEND_INV,	/* makes @rkey invalid at the peer's: KDAPL_IA_INV */
	KDAPL_OP_READ_RMR,	/* into what RMRs are bound to: KDAPL_IA_INV */
	KDAPL_OP_WRITE_IMM,	/* takes a receive of the peer's: KDAPL_IA_IMM */
	KDAPL_OP_CMP_SWAP,	/* on eight bytes of the peer's: KDAPL_IA_ATOMIC */
	KDAPL_OP_FETCH_ADD,	/* likewise */
};

#define KDAPL_ATOMIC_SIZE	8	/* bytes of an atomic operation, aligned so */

/* Entry flags. */
#define KDAPL_SQE_SUPPRESS	(1U << 0)	/* no event when it succeeds */
#define KDAPL_SQE_SOLICITED	(1U << 1)	/* wake a solicited waiter */
#define KDAPL_SQE_FENCE		(1U << 2)	/* after all earlier RDMA reads */
#define KDAPL_SQE_QUIET		(1U << 3)	/* no notification: KDAPL_NOTIFY_QUIET */
#define KDAPL_SQE_FLAGS		(KDAPL_SQE_SUPPRESS | KDAPL_SQE_SOLICITED | \
				 KDAPL_SQE_FENCE | KDAPL_SQE_QUIET)

/**
 * struct kdapl_seg - a piece of local memory
 * @addr: the program's address
 * @length: bytes; where there is none, the rest is not looked at
 * @lmr: the LMR's context, as KDAPL_LMR_CREATE returned it; of a KDAPL_OP_READ_RMR
 *	the RMR's, as KDAPL_RMR_BIND returned it
 */
struct kdapl_seg {
	__aligned_u64 addr;
	__u32 length;
	__u32 lmr;
};

/**
 * struct kdapl_sqe - one posted operation
 * @ep: id of the EP, or of an SRQ that a KDAPL_OP_RECV is for
 * @op: enum kdapl_op
 * @num_seg: segments used, at most KDAPL_SEGS_MAX
 * @flags: KDAPL_SQE_*; zero for an SRQ
 * @cookie: comes back in the completion event
 * @remote_addr: RDMA, atomic: address in the peer's memory
 * @rkey: RDMA, atomic: the peer's RMR context. KDAPL_OP_SEND_INV: the one that ends
 * @imm: KDAPL_OP_WRITE_IMM: goes to the peer as it lies in memory; else zero
 * @seg: local memory. Of an atomic operation the first one, of KDAPL_ATOMIC_SIZE
 *	bytes, gets what was there before, and two more have an operand each for
 *	@addr, which @num_seg does not count: what is compared or added, and what
 *	is stored if it was equal
 */
struct kdapl_sqe {
	__u32 ep;
	__u8 op;
	__u8 num_seg;
	__u16 flags;
	__aligned_u64 cookie;
	__aligned_u64 remote_addr;
	__u32 rkey;
	__u32 imm;
	struct kdapl_seg seg[KDAPL_SEGS_MAX];
};

/* Kinds of messages that take a receive. */
#define KDAPL_RECV_PLAIN	0
#define KDAPL_RECV_IMM		1	/* with immediate data */
#define KDAPL_RECV_WRITE_IMM	2	/* likewise; it is an RDMA write */
#define KDAPL_RECV_KINDS	3

/**
 * struct kdapl_ep_status - what the module tells about one EP
 * @state: DAT_EP_STATE_* value, stored before the event that announces it
 * @done: requests completed since the EP was made, suppressed ones too:
 *	posted minus @done are the request slots in use
 * @recv_done: receives completed, likewise
 * @hw_recv: receives that the device holds now. Of an EP with an SRQ: receives that
 *	it took since it was made; what is not in @recv_done waits for room in
 *	its EVD
 * @recvs: messages that receives of its took whole, by KDAPL_RECV_*
 * @recv_bytes: their bytes
 */
struct kdapl_ep_status {
	__u32 state;
	__u32 done;
	__u32 recv_done;
	__u32 hw_recv;
	__aligned_u64 recvs[KDAPL_RECV_KINDS];
	__aligned_u64 recv_bytes[KDAPL_RECV_KINDS];
};

/**
 * struct kdapl_srq_status - what the module tells about one SRQ
 * @hw_recv: receives that the module has and no EP has taken: those of the device,
 *	and those that wait for room in it. The barriers are those of an EP's.
 * @taken: receives that left the SRQ, since it was made
 * @done: slots given back: posted minus @done are in use
 * @dropped: of them, those that no event tells of
 * @state: DAT_SRQ_STATE_* of DAT 1.2
 */
struct kdapl_srq_status {
	__u32 hw_recv;
	__u32 taken;
	__u32 done;
	__u32 dropped;
	__u32 state;
	__u32 pad[11];
};

/**
 * DOC: event ring
 *
 * One per EVD; the module is the only producer. The program sees struct
 * kdapl_ev_ring and behind it, from KDAPL_EV_ENTRIES_OFFSET, the entries, all
 * read-only; its own head is in memory that it can write (struct
 * kdapl_ev_head).
 *
 * Barriers:
 *  - tail: the module stores it with release after the event (E); the program
 *    loads it with acquire (F).
 *  - head: the program stores it with release after it copied the event (G);
 *    the module loads it with acquire before it writes the slot again (H).
 */
#define KDAPL_EV_ENTRIES_OFFSET	64

#define KDAPL_EV_BACKLOG	(1U << 0)	/* more events wait for room: KDAPL_EVD_FILL */
#define KDAPL_EV_ASK		(1U << 1)	/* KDAPL_NOTIFY_SOLICITED: KDAPL_EVD_FILL looks */
#define KDAPL_EV_DEAD		(1U << 2)	/* the device is gone */
#define KDAPL_EV_QUIET		(1U << 3)	/* not all are notifications: wait in the module */

#define KDAPL_EV_OP_SHIFT	8	/* of the operation in kdapl_event.status */
#define KDAPL_EV_VALUE		(1U << 16)	/* there, too: @type is a value */

/* Operations in events that are none of DAT's own, by the numbers of its IB extensions. */
#define KDAPL_EV_OP_WRITE_IMM		8
#define KDAPL_EV_OP_RECV_WRITE_IMM	9	/* a receive that a write took */
#define KDAPL_EV_OP_FETCH_ADD		10
#define KDAPL_EV_OP_CMP_SWAP		11
#define KDAPL_EV_OP_RECV_IMM		12	/* of a message with immediate data */

struct kdapl_ev_ring {
	__u32 tail;		/* module: next index to fill */
	__u32 flags;		/* module: KDAPL_EV_* */
	__u32 pad[14];
};

struct kdapl_ev_head {
	__u32 head;		/* program: next index to take */
	__u32 pad[15];
};

/**
 * struct kdapl_event - one event
 * @user: the word of the object that it concerns: the EP (completions of transfers,
 *	connection events), the RMR (binds), the PSP or RSP (connection requests),
 *	or what an async event is about
 * @cookie: DTO and bind: the cookie given with it. Connection request: its conn_qual
 * @length: DTO: bytes moved in the low 32 bits, in the high ones the tag of the SRQ
 *	that a receive was taken from; of one that an RDMA write took, which puts
 *	nothing into its memory, the write's bytes with KDAPL_IA_TELL_OP, else 0.
 *	Connection request: the id of the CR in the low 32 bits. Connection event:
 *	bytes of private data; to be read with KDAPL_EP_QUERY
 * @type: the DAT event number. With KDAPL_EV_VALUE in @status, which only the receive
 *	of a DTO can have, it is that of a DTO, and here stands what came with the
 *	message: immediate data, or the RMR context that it made invalid
 * @status: DTO and bind: DAT_DTO_* status, of a DTO with KDAPL_IA_TELL_OP and the
 *	operation (DAT_DTOS of DAT 2.0, or KDAPL_EV_OP_*) in the eight bits from
 *	KDAPL_EV_OP_SHIFT on. Connection request: KDAPL_CR_EP_*. Async: the reason
 */
struct kdapl_event {
	__aligned_u64 user;
	__aligned_u64 cookie;
	__aligned_u64 length;
	__u32 type;
	__u32 status;
};

/* ---- control --------------------------------------------------------- */

/**
 * struct kdapl_query - what the module is (KDAPL_QUERY, any file)
 * @size: sizeof(struct kdapl_query)
 * @abi_version: out: KDAPL_ABI_VERSION of the module
 * @features: out: feature bits, none defined yet
 * @num_adapters: out: adapters that KDAPL_ADAPTER can describe
 * @max_sq_entries: out: largest submission ring
 * @max_evd_qlen: out: largest event ring
 * @module_version: out: the module's version, NUL-terminated
 * @posts: out: entries taken from rings since the module was loaded
 * @doorbells: out: KDAPL_DOORBELL and KDAPL_SUBMIT calls since the module was loaded
 * @pinned: out: bytes that the module holds pinned now
 */
struct kdapl_query {
	__u32 size;
	__u32 abi_version;
	__aligned_u64 features;
	__u32 num_adapters;
	__u32 max_sq_entries;
	__u32 max_evd_qlen;
	__u32 pad;
	__u8 module_version[32];
	__aligned_u64 posts;
	__aligned_u64 doorbells;
	__aligned_u64 pinned;
};

/**
 * struct kdapl_adapter - describes one adapter (KDAPL_ADAPTER, any file)
 * @size: sizeof(struct kdapl_adapter)
 * @index: in: 0 to num_adapters - 1; ENODEV past the end
 * @name: out: the name to open
 * @netdev: out: the network device that it belongs to, or empty
 * @driver: out: the RDMA driver's name
 */
struct kdapl_adapter {
	__u32 size;
	__u32 index;
	__u8 name[KDAPL_NAME_MAX];
	__u8 netdev[KDAPL_NAME_MAX];
	__u8 driver[KDAPL_NAME_MAX];
};

#define KDAPL_IA_RO_AWARE	(1U << 0)	/* plain LMRs may be relaxed ordered */
#define KDAPL_IA_DROP_ASYNC	(1U << 1)	/* nobody wants its asynchronous events */
#define KDAPL_IA_TELL_OP	(1U << 2)	/* completions tell their operation */

/**
 * struct kdapl_ia_open - make this file an IA instance (KDAPL_IA_OPEN)
 * @size: sizeof(struct kdapl_ia_open)
 * @flags: KDAPL_IA_RO_AWARE, KDAPL_IA_DROP_ASYNC, KDAPL_IA_TELL_OP
 * @name: adapter name or network device name
 * @sq_entries: in: entries wanted, 0 for the default; out: entries there are
 *	(a power of two)
 * @async_evd: 0: EVDs for asynchronous events are made with KDAPL_EVD_CREATE. Or the
 *	id of such an EVD of another IA with the same adapter (else EINVAL), which
 *	then gets the events of this IA, too. It may be freed before this IA is
 *	closed: nobody gets them any more.
 * @sq: out: the submission ring (program writes)
 * @sq_status: out: struct kdapl_sq_status (program reads)
 * @user: comes back in asynchronous events about the IA itself
 * @async_file: with @async_evd, the file of the other IA; else 0. EBADF: no such
 *	file, or no IA; EACCES: another process opened it
 * @pad: zero
 */
struct kdapl_ia_open {
	__u32 size;
	__u32 flags;
	__u8 name[KDAPL_NAME_MAX];
	__u32 sq_entries;
	__u32 async_evd;
	struct kdapl_map sq;
	struct kdapl_map sq_status;
	__aligned_u64 user;
	__s32 async_file;
	__u32 pad;
};

/**
 * struct kdapl_addr - an IPv4 or IPv6 address
 * @family: AF_INET or AF_INET6, 0 for none
 * @port: host order, where one belongs
 * @scope_id: IPv6 link-local only
 * @addr: network order; IPv4 in the first four bytes
 */
struct kdapl_addr {
	__u16 family;
	__u16 port;
	__u32 scope_id;
	__u8 addr[16];
};

#define KDAPL_TRANSPORT_IB	0	/* InfiniBand and RoCE */
#define KDAPL_TRANSPORT_IWARP	1

#define KDAPL_IA_RELAXED_ORDERING	(1U << 0)	/* this IA registers relaxed where it can */
#define KDAPL_IA_FRWR			(1U << 1)	/* registers by fast registration */
#define KDAPL_IA_ATOMIC			(1U << 2)	/* atomic operations */
#define KDAPL_IA_IMM			(1U << 3)	/* writes with immediate data */
#define KDAPL_IA_INV			(1U << 4)	/* sends that invalidate, reads to RMRs */

/**
 * struct kdapl_ia_query - attributes of the opened adapter (KDAPL_IA_QUERY)
 * @size: sizeof(struct kdapl_ia_query)
 * @transport: out: KDAPL_TRANSPORT_*
 * @name: out: adapter name
 * @netdev: out: network device
 * @driver: out: RDMA driver
 * @fw_version: out: firmware version as the device tells it
 * @vendor_id: out: vendor id
 * @hw_version: out: hardware version
 * @num_addrs: out: addresses of the adapter's network device
 * @max_private_data: out: bytes a connection request carries
 * @max_private_data_accept: out: bytes an acceptance carries
 * @max_eps: out
 * @max_requests: out: largest request queue of an EP
 * @max_recvs: out: largest receive queue of an EP
 * @max_iov: out: segments of a send, receive or RDMA write
 * @max_iov_read: out: segments of an RDMA read
 * @max_rdma_read_in: out: incoming RDMA reads and atomic operations per EP
 * @max_rdma_read_out: out: outgoing ones per EP
 * @max_evds: out
 * @max_evd_qlen: out
 * @max_lmrs: out
 * @max_pzs: out
 * @max_lmr_size: out: bytes of one LMR
 * @max_message: out: bytes of one message
 * @flags: out: KDAPL_IA_RELAXED_ORDERING, KDAPL_IA_FRWR, and what operations there
 *	are: KDAPL_IA_ATOMIC, KDAPL_IA_IMM, KDAPL_IA_INV. What the device or the
 *	transport lacks completes as an entry of an unknown operation does
 * @pad: zero
 * @addrs: out
 * @max_srqs: out: 0 where the device has none
 * @max_srq_recvs: out: longest SRQ
 * @max_srq_iov: out: segments of a receive on an SRQ
 * @pad2: zero
 * @max_rmr_size: out: bytes that an RMR can be bound to, 0: there are no RMRs
 * @node_guid: out: the device's, 0 where it has none
 * @port: out: the device's port, counted from 1
 * @port_state: out: enum ib_port_state, 0 where the device does not tell
 * @mtu: out: bytes of a packet's payload, 0 where the device does not tell
 * @pad3: zero
 */
struct kdapl_ia_query {
	__u32 size;
	__u32 transport;
	__u8 name[KDAPL_NAME_MAX];
	__u8 netdev[KDAPL_NAME_MAX];
	__u8 driver[KDAPL_NAME_MAX];
	__u8 fw_version[KDAPL_NAME_MAX];
	__u32 vendor_id;
	__u32 hw_version;
	__u32 num_addrs;
	__u32 max_private_data;
	__u32 max_private_data_accept;
	__u32 max_eps;
	__u32 max_requests;
	__u32 max_recvs;
	__u32 max_iov;
	__u32 max_iov_read;
	__u32 max_rdma_read_in;
	__u32 max_rdma_read_out;
	__u32 max_evds;
	__u32 max_evd_qlen;
	__u32 max_lmrs;
	__u32 max_pzs;
	__aligned_u64 max_lmr_size;
	__aligned_u64 max_message;
	__u32 flags;
	__u32 pad;
	struct kdapl_addr addrs[KDAPL_ADDRS_MAX];
	__u32 max_srqs;
	__u32 max_srq_recvs;
	__u32 max_srq_iov;
	__u32 pad2;
	__aligned_u64 max_rmr_size;
	__aligned_u64 node_guid;
	__u32 port;
	__u32 port_state;
	__u32 mtu;
	__u32 pad3;
};

/**
 * struct kdapl_destroy - free an object (KDAPL_DESTROY)
 * @size: sizeof(struct kdapl_destroy)
 * @type: enum kdapl_obj_type
 * @id: the object
 * @pad: zero
 *
 * An EVD's waiters are released with ECANCELED, and with it go the CRs of events that
 * nobody took, whether in its ring or behind it; an EP is disconnected
 * abruptly; a PSP or RSP stops listening, its delivered CRs live on; a CR is
 * rejected as if nobody listened. The EP of an RSP or of a CR is in use: EBUSY.
 *
 * What is mapped of an object (its status, or the head of its events) is another's as
 * soon as the call begins: the program neither reads nor writes it any more.
 */
struct kdapl_destroy {
	__u32 size;
	__u32 type;
	__u32 id;
	__u32 pad;
};

/**
 * struct kdapl_pz_create - protection zone (KDAPL_PZ_CREATE)
 * @size: sizeof(struct kdapl_pz_create)
 * @id: out
 */
struct kdapl_pz_create {
	__u32 size;
	__u32 id;
};

/* Privileges have the values of DAT_MEM_PRIV_*, memory types of DAT_MEM_TYPE_*. */
#define KDAPL_PRIV_LOCAL_READ	0x01
#define KDAPL_PRIV_REMOTE_READ	0x02
#define KDAPL_PRIV_LOCAL_WRITE	0x10
#define KDAPL_PRIV_REMOTE_WRITE	0x20
#define KDAPL_PRIV_ALL		0x33	/* of DAT's own */
#define KDAPL_PRIV_REMOTE_ATOMIC 0x40	/* with KDAPL_IA_ATOMIC, else EOPNOTSUPP */

#define KDAPL_MEM_VIRTUAL	0
#define KDAPL_MEM_LMR		1
#define KDAPL_MEM_SHARED	2
#define KDAPL_MEM_SO_VIRTUAL	3

#define KDAPL_COOKIE_SIZE	40

/**
 * struct kdapl_lmr_create - register memory (KDAPL_LMR_CREATE)
 * @size: sizeof(struct kdapl_lmr_create)
 * @pz: id of the PZ
 * @mem_type: in: KDAPL_MEM_*; out: SO_VIRTUAL where VIRTUAL became that
 * @privileges: KDAPL_PRIV_*, KDAPL_PRIV_REMOTE_ATOMIC included
 * @addr: start of the memory; with KDAPL_MEM_LMR zero, and out: @source's
 * @length: bytes, not zero; with KDAPL_MEM_LMR zero, and out: @source's
 * @id: out: the LMR, which is also its LMR context
 * @rkey: out: the RMR context, 0 without remote privileges
 * @memlock_limit: out, with EDQUOT: what RLIMIT_MEMLOCK allows, in bytes
 * @memlock_needed: out, with EDQUOT: what the process would have pinned
 * @source: with KDAPL_MEM_LMR, id of the LMR whose memory it is; else zero
 * @pad: zero
 * @cookie: with KDAPL_MEM_SHARED, what all who share call the memory; else zero
 *
 * Pins the pages and charges them against RLIMIT_MEMLOCK (the same account
 * as verbs use). May block.
 *
 * KDAPL_MEM_LMR: the new LMR does not need @source any longer. EBADFD: its
 * memory is not mapped there any more.
 *
 * KDAPL_MEM_SHARED: a cookie belongs to an adapter, from the first LMR that
 * brings it to the end of the last. All its LMRs are the same user's, over the
 * same piece of the same object, and that object is a tmpfs or hugetlbfs file, a
 * memfd, a System V segment or a shared anonymous mapping, mapped shared and
 * writable. EBADFD for all else.
 */
struct kdapl_lmr_create {
	__u32 size;
	__u32 pz;
	__u32 mem_type;
	__u32 privileges;
	__aligned_u64 addr;
	__aligned_u64 length;
	__u32 id;
	__u32 rkey;
	__aligned_u64 memlock_limit;
	__aligned_u64 memlock_needed;
	__u32 source;
	__u32 pad;
	__u8 cookie[KDAPL_COOKIE_SIZE];
};

/**
 * struct kdapl_rmr_create - window onto a part of an LMR (KDAPL_RMR_CREATE)
 * @size: sizeof(struct kdapl_rmr_create)
 * @pz: id of the PZ
 * @id: out
 * @pad: zero
 * @user: comes back in the events of its binds
 *
 * It is bound to nothing at first. EOPNOTSUPP where the device has no RMRs.
 */
struct kdapl_rmr_create {
	__u32 size;
	__u32 pz;
	__u32 id;
	__u32 pad;
	__aligned_u64 user;
};

#define KDAPL_BIND_SLOTS	2

/**
 * struct kdapl_rmr_bind - bind an RMR, or unbind it (KDAPL_RMR_BIND)
 * @size: sizeof(struct kdapl_rmr_bind)
 * @rmr: id
 * @ep: id of the EP that it is posted on, connected or disconnected
 * @lmr: the LMR's context; not looked at when it is unbound
 * @addr: first byte
 * @length: bytes; 0 unbinds
 * @cookie: comes back in the completion event
 * @flags: KDAPL_SQE_SUPPRESS, KDAPL_SQE_FENCE, KDAPL_SQE_QUIET
 * @privileges: KDAPL_PRIV_* of KDAPL_PRIV_ALL; the local ones mean nothing
 * @rkey: out: the RMR context, good for the peer when the bind has completed
 * @pad: zero
 *
 * Takes KDAPL_BIND_SLOTS of the EP's request slots. Comes after what stands in the
 * submission ring, and before what is posted from now on. The former context ends
 * with the bind. A bind that fails later leaves the RMR unbound.
 *
 * EPERM: the PZs differ. EACCES: the LMR lacks local read for remote read, or local
 * write for remote write. EINVAL: outside the LMR. ENOSPC: longer than max_rmr_size,
 * or no slots. EBADFD: the EP's state. EBUSY: binds of this RMR are outstanding on
 * another EP.
 */
struct kdapl_rmr_bind {
	__u32 size;
	__u32 rmr;
	__u32 ep;
	__u32 lmr;
	__aligned_u64 addr;
	__aligned_u64 length;
	__aligned_u64 cookie;
	__u32 flags;
	__u32 privileges;
	__u32 rkey;
	__u32 pad;
};

/**
 * struct kdapl_evd_create - event dispatcher (KDAPL_EVD_CREATE)
 * @size: sizeof(struct kdapl_evd_create)
 * @flags: DAT_EVD_* stream bits
 * @qlen: in: events it must hold; out: events it holds (a power of two)
 * @id: out
 * @user: comes back in async events about the EVD
 * @ring: out: struct kdapl_ev_ring and entries (program reads)
 * @head: out: struct kdapl_ev_head (program writes)
 */
struct kdapl_evd_create {
	__u32 size;
	__u32 flags;
	__u32 qlen;
	__u32 id;
	__aligned_u64 user;
	struct kdapl_map ring;
	struct kdapl_map head;
};

#define KDAPL_DEADLINE_NONE	(~0ULL)

/**
 * struct kdapl_evd_wait - sleep until events are there (KDAPL_EVD_WAIT)
 * @size: sizeof(struct kdapl_evd_wait)
 * @evd: id
 * @threshold: events to wait for, 1 to the EVD's length; 1 where KDAPL_EV_QUIET is
 *	shown
 * @began: zero; out: what the wait goes on with when the kernel repeats the call,
 *	because the program was stopped and continued, or a debugger looked at it
 * @deadline_ns: CLOCK_MONOTONIC time to give up, KDAPL_DEADLINE_NONE for never
 *
 * EINTR where a handler has taken a signal. Takes no event: the program takes them
 * from the ring afterwards. Only one waiter at a time: EBUSY for the second. Like every
 * command it first takes what stands in the submission ring.
 */
struct kdapl_evd_wait {
	__u32 size;
	__u32 evd;
	__u32 threshold;
	__u32 began;
	__aligned_u64 deadline_ns;
};

/**
 * struct kdapl_evd_fill - move events that wait for room (KDAPL_EVD_FILL)
 * @size: sizeof(struct kdapl_evd_fill)
 * @evd: id
 * @queued: out: events in ring and backlog together
 * @pad: zero
 */
struct kdapl_evd_fill {
	__u32 size;
	__u32 evd;
	__u32 queued;
	__u32 pad;
};

/**
 * struct kdapl_evd_waitable - whether an EVD can be waited on (KDAPL_EVD_WAITABLE)
 * @size: sizeof(struct kdapl_evd_waitable)
 * @evd: id
 * @waitable: 1 or 0. At 0, who waits and who wants to is told EBADFD.
 * @pad: zero
 */
struct kdapl_evd_waitable {
	__u32 size;
	__u32 evd;
	__u32 waitable;
	__u32 pad;
};

/**
 * struct kdapl_evd_post_se - queue a software event (KDAPL_EVD_POST_SE)
 * @size: sizeof(struct kdapl_evd_post_se)
 * @evd: id; its flags must have the software stream, else EINVAL
 * @cookie: of the event
 *
 * ENOBUFS when the ring is full or other events already wait for room.
 */
struct kdapl_evd_post_se {
	__u32 size;
	__u32 evd;
	__aligned_u64 cookie;
};

#define KDAPL_EVD_TELL		2

/**
 * struct kdapl_evd_notify - whom an EVD's events notify (KDAPL_EVD_NOTIFY)
 * @size: sizeof(struct kdapl_evd_notify)
 * @evd: id
 * @cno: id of the CNO that an event triggers while nobody waits on the EVD, 0 for
 *	none
 * @enabled: 1, or 0 when events trigger nothing for the time being; or KDAPL_EVD_TELL
 *
 * A new EVD has no CNO and is enabled. Events that are queued already trigger
 * nothing, but with KDAPL_EVD_TELL, which changes nothing (@cno is 0): somebody waited
 * for them, to whom alone they were told, and is no more.
 */
struct kdapl_evd_notify {
	__u32 size;
	__u32 evd;
	__u32 cno;
	__u32 enabled;
};

#define KDAPL_EVD_RESIZE_COMMIT	(1U << 0)

/**
 * struct kdapl_evd_resize - make an EVD hold more events (KDAPL_EVD_RESIZE)
 * @size: sizeof(struct kdapl_evd_resize)
 * @evd: id
 * @qlen: in: events to hold; out: how many the ring at @ring holds
 * @flags: zero, then KDAPL_EVD_RESIZE_COMMIT
 * @ring: out: where the ring is
 *
 * In two steps, so that the program can map the new ring before it counts. The
 * first makes the ring, where the present one is too small; a ring never gets
 * smaller, and where it stays as it is nothing is left to do. The second moves
 * the events into the new one: their indices and the head word stay the same.
 * The old ring must not be read from then on.
 *
 * EBADFD: the ring would not grow, and more events are queued than @qlen; there is
 * nothing to commit.
 */
struct kdapl_evd_resize {
	__u32 size;
	__u32 evd;
	__u32 qlen;
	__u32 flags;
	struct kdapl_map ring;
};

/**
 * struct kdapl_cno_create - notification object (KDAPL_CNO_CREATE)
 * @size: sizeof(struct kdapl_cno_create)
 * @id: out: its id
 * @user: the program's word
 *
 * It can be destroyed while no EVD has it and nobody waits but the agent.
 */
struct kdapl_cno_create {
	__u32 size;
	__u32 id;
	__aligned_u64 user;
};

#define KDAPL_CNO_AGENT		(1U << 0)

/**
 * struct kdapl_cno_wait - sleep until a CNO is triggered (KDAPL_CNO_WAIT)
 * @size: sizeof(struct kdapl_cno_wait)
 * @cno: id
 * @flags: zero, or KDAPL_CNO_AGENT: wait for what is the agent's
 * @agent: in: zero; out, with KDAPL_CNO_AGENT: the number that it was armed with
 * @deadline_ns: CLOCK_MONOTONIC time to give up, KDAPL_DEADLINE_NONE for never
 * @evd_user: out: the word of the EVD that triggered it first; 0 when the wait was
 *	only released, because the last of its EVDs was freed
 * @began: as in struct kdapl_evd_wait
 * @pad: zero
 *
 * A trigger stays until one wait takes it. The agent has one of its own, which
 * comes only after KDAPL_CNO_ARM; its wait ends with ECANCELED when the CNO goes.
 */
struct kdapl_cno_wait {
	__u32 size;
	__u32 cno;
	__u32 flags;
	__u32 agent;
	__aligned_u64 deadline_ns;
	__aligned_u64 evd_user;
	__u32 began;
	__u32 pad;
};

#define KDAPL_CNO_ARM		1	/* the next trigger is for the agent, too; none before */
#define KDAPL_CNO_DISARM	2	/* and no more */
#define KDAPL_CNO_RELEASE	3	/* for good: all waits end, now and later */
#define KDAPL_CNO_GIVE_BACK	4	/* the trigger that a thread took which is no more */

/**
 * struct kdapl_cno_modify - change a CNO (KDAPL_CNO_MODIFY)
 * @size: sizeof(struct kdapl_cno_modify)
 * @cno: id
 * @op: KDAPL_CNO_ARM, KDAPL_CNO_DISARM, KDAPL_CNO_RELEASE or KDAPL_CNO_GIVE_BACK
 * @agent: with KDAPL_CNO_ARM a number of the program's, which tells one agent from the
 *	next; else zero
 */
struct kdapl_cno_modify {
	__u32 size;
	__u32 cno;
	__u32 op;
	__u32 agent;
};

/**
 * struct kdapl_cno_fd - a file descriptor for poll() (KDAPL_CNO_FD)
 * @size: sizeof(struct kdapl_cno_fd)
 * @cno: id
 * @fd: out: a new one, close-on-exec
 * @pad: zero
 *
 * It is ready for reading while the CNO is triggered, and hung up from the CNO's end,
 * or its KDAPL_CNO_RELEASE, on. There is nothing to be read: a wait takes the trigger.
 * It keeps neither the CNO nor the IA from being freed. After EFAULT, which is for an
 * argument that cannot be written any more, it may be open without a name.
 */
struct kdapl_cno_fd {
	__u32 size;
	__u32 cno;
	__s32 fd;
	__u32 pad;
};

/**
 * enum kdapl_notify - which completions end a wait, and trigger a CNO
 * @KDAPL_NOTIFY_THRESHOLD: all, when there are enough of them
 * @KDAPL_NOTIFY_QUIET: those that were not posted with KDAPL_SQE_QUIET, and
 *	failures
 * @KDAPL_NOTIFY_SOLICITED: receives of messages that were sent with
 *	KDAPL_SQE_SOLICITED, and failures
 *
 * All EPs whose completions an EVD takes must be of one kind, else EINVAL; with
 * KDAPL_NOTIFY_QUIET it is for completions and binds only, with
 * KDAPL_NOTIFY_SOLICITED for completions only.
 */
enum kdapl_notify {
	KDAPL_NOTIFY_THRESHOLD,
	KDAPL_NOTIFY_QUIET,
	KDAPL_NOTIFY_SOLICITED,
};

/**
 * struct kdapl_ep_create - endpoint (KDAPL_EP_CREATE)
 * @size: sizeof(struct kdapl_ep_create)
 * @flags: zero
 * @pz: id of the PZ, 0 for none yet (it cannot connect, and flushes what is posted)
 * @recv_evd: EVD for receive completions, 0 for none (then @max_recvs is 0)
 * @request_evd: EVD for the other completions, 0 for none (then @max_requests is 0)
 * @connect_evd: EVD for connection events, 0 for none (it cannot connect then)
 * @max_recvs: receives that can be posted, at least 1 where there is an EVD for them
 * @max_requests: requests that can be posted, likewise
 * @max_recv_iov: segments of a receive
 * @max_request_iov: segments of a request
 * @max_rdma_read_in: incoming RDMA reads and atomic operations
 * @max_rdma_read_out: outgoing ones
 * @rdma_read_fixed: 1: the two depths are the consumer's and must be met
 * @id: out
 * @user: comes back in the EP's events
 * @status: out: struct kdapl_ep_status (program reads)
 * @srq: id of the SRQ that it takes its receives from, 0 for none; of the same PZ,
 *	else EPERM. Then @recv_evd is needed, and @max_recvs is 0.
 * @recv_notify: enum kdapl_notify
 * @request_notify: enum kdapl_notify, but for KDAPL_NOTIFY_SOLICITED
 */
struct kdapl_ep_create {
	__u32 size;
	__u32 flags;
	__u32 pz;
	__u32 recv_evd;
	__u32 request_evd;
	__u32 connect_evd;
	__u32 max_recvs;
	__u32 max_requests;
	__u32 max_recv_iov;
	__u32 max_request_iov;
	__u32 max_rdma_read_in;
	__u32 max_rdma_read_out;
	__u32 rdma_read_fixed;
	__u32 id;
	__aligned_u64 user;
	struct kdapl_map status;
	__u32 srq;
	__u16 recv_notify;
	__u16 request_notify;
};

/**
 * struct kdapl_ep_query - addresses and private data (KDAPL_EP_QUERY)
 * @size: sizeof(struct kdapl_ep_query)
 * @ep: id
 * @state: out: DAT_EP_STATE_*
 * @private_data_size: out: bytes that came with the acceptance or rejection
 * @max_rdma_read_in: out: as negotiated once connected
 * @max_rdma_read_out: out
 * @local: out: address and port qualifier
 * @remote: out
 * @remote_conn_qual: out: what ep_connect was given
 * @private_data: out
 */
struct kdapl_ep_query {
	__u32 size;
	__u32 ep;
	__u32 state;
	__u32 private_data_size;
	__u32 max_rdma_read_in;
	__u32 max_rdma_read_out;
	struct kdapl_addr local;
	struct kdapl_addr remote;
	__aligned_u64 remote_conn_qual;
	__u8 private_data[KDAPL_PRIVATE_DATA_MAX];
};

#define KDAPL_TIMEOUT_INFINITE	(~0U)

/**
 * struct kdapl_ep_connect - connect (KDAPL_EP_CONNECT); does not block
 * @size: sizeof(struct kdapl_ep_connect)
 * @ep: id, state UNCONNECTED
 * @remote: where to; its port is ignored
 * @conn_qual: the peer's connection qualifier
 * @timeout_us: microseconds, not 0; KDAPL_TIMEOUT_INFINITE keeps trying
 * @private_data_size: at most max_private_data of the IA
 * @private_data: in
 */
struct kdapl_ep_connect {
	__u32 size;
	__u32 ep;
	struct kdapl_addr remote;
	__aligned_u64 conn_qual;
	__u32 timeout_us;
	__u32 private_data_size;
	__u8 private_data[KDAPL_PRIVATE_DATA_MAX];
};

#define KDAPL_CLOSE_ABRUPT	0
#define KDAPL_CLOSE_GRACEFUL	1

/**
 * struct kdapl_ep_disconnect - disconnect (KDAPL_EP_DISCONNECT)
 * @size: sizeof(struct kdapl_ep_disconnect)
 * @ep: id
 * @close_flags: KDAPL_CLOSE_*
 * @pad: zero
 */
struct kdapl_ep_disconnect {
	__u32 size;
	__u32 ep;
	__u32 close_flags;
	__u32 pad;
};

/**
 * struct kdapl_ep_reset - DISCONNECTED to UNCONNECTED (KDAPL_EP_RESET)
 * @size: sizeof(struct kdapl_ep_reset)
 * @ep: id
 *
 * The counters of struct kdapl_ep_status run on: events of the former
 * connection may still wait in an EVD. May block.
 */
struct kdapl_ep_reset {
	__u32 size;
	__u32 ep;
};

#define KDAPL_MARK_INFINITE	(~0U)

/**
 * struct kdapl_ep_set_marks - how many receives an EP may hold (KDAPL_EP_SET_MARKS)
 * @size: sizeof(struct kdapl_ep_set_marks)
 * @ep: id
 * @soft: with more, one event on @async_evd: its type is
 *	DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR, its reason 2
 * @hard: with more the connection is broken
 * @async_evd: id of an EVD for asynchronous events, 0 for the one that the IA was
 *	lent, and with KDAPL_IA_DROP_ASYNC; another one from the second call on is EINVAL
 * @pad: zero
 *
 * KDAPL_MARK_INFINITE is no mark. Each call arms both again. An EP holds what is
 * posted on it, or what it took from its SRQ, until the event stands in the ring.
 */
struct kdapl_ep_set_marks {
	__u32 size;
	__u32 ep;
	__u32 soft;
	__u32 hard;
	__u32 async_evd;
	__u32 pad;
};

/**
 * struct kdapl_srq_create - shared receive queue (KDAPL_SRQ_CREATE)
 * @size: sizeof(struct kdapl_srq_create)
 * @pz: id of the PZ
 * @max_recvs: receives that can be posted
 * @max_recv_iov: segments of a receive
 * @async_evd: id of an EVD for asynchronous events, 0 for the one that the IA was
 *	lent, and with KDAPL_IA_DROP_ASYNC
 * @tag: comes back in the events of receives that were taken from it
 * @id: out
 * @pad: zero
 * @user: comes back in its asynchronous events
 * @status: out: struct kdapl_srq_status (program reads)
 *
 * EOPNOTSUPP where the device has none. It can be destroyed while no EP has it; what
 * is still on it does not complete. An entry that the module has to refuse ends it:
 * its state is ERROR, an event of reason 0 says so, and no EP takes from it any more.
 */
struct kdapl_srq_create {
	__u32 size;
	__u32 pz;
	__u32 max_recvs;
	__u32 max_recv_iov;
	__u32 async_evd;
	__u32 tag;
	__u32 id;
	__u32 pad;
	__aligned_u64 user;
	struct kdapl_map status;
};

/**
 * struct kdapl_srq_resize - make an SRQ longer (KDAPL_SRQ_RESIZE)
 * @size: sizeof(struct kdapl_srq_resize)
 * @srq: id
 * @max_recvs: in: receives to hold; out: how many it holds, never fewer than before
 * @pad: zero
 */
struct kdapl_srq_resize {
	__u32 size;
	__u32 srq;
	__u32 max_recvs;
	__u32 pad;
};

/**
 * struct kdapl_srq_set_low - low watermark of an SRQ (KDAPL_SRQ_SET_LOW)
 * @size: sizeof(struct kdapl_srq_set_low)
 * @srq: id
 * @low: with fewer receives on it, which can be now, one event: its type is
 *	DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR, its reason 2. 0 for none.
 * @pad: zero
 */
struct kdapl_srq_set_low {
	__u32 size;
	__u32 srq;
	__u32 low;
	__u32 pad;
};

/**
 * struct kdapl_ep_modify - change an EP (KDAPL_EP_MODIFY)
 * @size: sizeof(struct kdapl_ep_modify)
 * @ep: id, state UNCONNECTED, RESERVED, PASSIVE_PENDING or TENTATIVE_PENDING
 * @pz: the rest as in struct kdapl_ep_create: all that the EP shall be, not only
 *	what changes. Another @pz only when UNCONNECTED or TENTATIVE_PENDING
 * @recv_evd: in
 * @request_evd: in
 * @connect_evd: in
 * @max_recvs: in
 * @max_requests: in
 * @max_recv_iov: in
 * @max_request_iov: in
 * @max_rdma_read_in: in
 * @max_rdma_read_out: in
 * @rdma_read_fixed: in
 * @recv_notify: in
 * @request_notify: in
 *
 * Nothing has changed when it fails. With another @pz the receives that are posted
 * are flushed. EBUSY: the change needs another queue pair, and receives are posted;
 * more is outstanding than would fit; or events of the EP wait for room in an EVD
 * that shall be another. May block.
 */
struct kdapl_ep_modify {
	__u32 size;
	__u32 ep;
	__u32 pz;
	__u32 recv_evd;
	__u32 request_evd;
	__u32 connect_evd;
	__u32 max_recvs;
	__u32 max_requests;
	__u32 max_recv_iov;
	__u32 max_request_iov;
	__u32 max_rdma_read_in;
	__u32 max_rdma_read_out;
	__u32 rdma_read_fixed;
	__u16 recv_notify;
	__u16 request_notify;
};

#define KDAPL_PSP_ANY		(1U << 0)	/* choose a free conn_qual */
#define KDAPL_PSP_PROVIDER	(1U << 1)	/* requests say KDAPL_CR_EP_OFFER */

/**
 * struct kdapl_psp_create - listen (KDAPL_PSP_CREATE)
 * @size: sizeof(struct kdapl_psp_create)
 * @flags: KDAPL_PSP_ANY, KDAPL_PSP_PROVIDER
 * @evd: EVD for connection requests; its length bounds the backlog
 * @id: out
 * @conn_qual: in, or out with KDAPL_PSP_ANY
 * @user: comes back in connection request events
 */
struct kdapl_psp_create {
	__u32 size;
	__u32 flags;
	__u32 evd;
	__u32 id;
	__aligned_u64 conn_qual;
	__aligned_u64 user;
};

/**
 * struct kdapl_rsp_create - listen for one request (KDAPL_RSP_CREATE)
 * @size: sizeof(struct kdapl_rsp_create)
 * @flags: zero
 * @evd: EVD for the connection request
 * @ep: id of the EP for it: UNCONNECTED, then RESERVED until the request comes or
 *	the RSP is destroyed. 0: the request says KDAPL_CR_EP_OFFER
 * @id: out
 * @pad: zero
 * @conn_qual: in
 * @user: comes back in the connection request event
 */
struct kdapl_rsp_create {
	__u32 size;
	__u32 flags;
	__u32 evd;
	__u32 ep;
	__u32 id;
	__u32 pad;
	__aligned_u64 conn_qual;
	__aligned_u64 user;
};

/**
 * struct kdapl_csp_create - listen on a socket address (KDAPL_CSP_CREATE)
 * @size: sizeof(struct kdapl_csp_create)
 * @evd: EVD for connection requests; its length bounds the backlog
 * @id: out: of an object of type KDAPL_OBJ_PSP
 * @domain: AF_INET or AF_INET6: the one of @addr
 * @type: SOCK_STREAM
 * @protocol: IPPROTO_TCP, or 0 for the same
 * @addr: one of the IA's, or the family's that stands for all of them. Port 0 asks for
 *	a free one; out: with the port
 * @user: comes back in connection request events
 *
 * Its port is a conn_qual to who connects, and in its events; but no request can be
 * handed to it.
 *
 * EPROTONOSUPPORT: another kind of socket. EADDRNOTAVAIL: the address is not the IA's.
 * EADDRINUSE: the port is taken, or none is free.
 */
struct kdapl_csp_create {
	__u32 size;
	__u32 evd;
	__u32 id;
	__u32 domain;
	__u32 type;
	__u32 protocol;
	struct kdapl_addr addr;
	__aligned_u64 user;
};

/* Whose EP a connection request is accepted on; the status of its event. */
#define KDAPL_CR_EP_ACCEPT	0	/* the one that KDAPL_CR_ACCEPT names */
#define KDAPL_CR_EP_RESERVED	1	/* the RSP's, PASSIVE_PENDING now */
#define KDAPL_CR_EP_OFFER	2	/* one that the library makes: KDAPL_CR_OFFER */

/**
 * struct kdapl_cr_offer - an EP for a request (KDAPL_CR_OFFER)
 * @size: sizeof(struct kdapl_cr_offer)
 * @cr: id of a CR that brings no EP along
 * @ep: id, state UNCONNECTED, then TENTATIVE_PENDING
 * @pad: zero
 *
 * From now on it is the EP that the request brings along.
 */
struct kdapl_cr_offer {
	__u32 size;
	__u32 cr;
	__u32 ep;
	__u32 pad;
};

/**
 * struct kdapl_cr_query - a connection request (KDAPL_CR_QUERY)
 * @size: sizeof(struct kdapl_cr_query)
 * @cr: id, from the event
 * @remote: out: the requester's address and port
 * @local: out
 * @private_data_size: out: bytes; over IB and RoCE the padded maximum
 * @pad: zero
 * @private_data: out
 * @ep_user: out: the word of the EP that the request brings along, 0 for none
 */
struct kdapl_cr_query {
	__u32 size;
	__u32 cr;
	struct kdapl_addr remote;
	struct kdapl_addr local;
	__u32 private_data_size;
	__u32 pad;
	__u8 private_data[KDAPL_PRIVATE_DATA_MAX];
	__aligned_u64 ep_user;
};

/**
 * struct kdapl_cr_accept - accept (KDAPL_CR_ACCEPT)
 * @size: sizeof(struct kdapl_cr_accept)
 * @cr: id; gone when this succeeds, untouched when it fails
 * @ep: id, state UNCONNECTED; 0 for the EP that the request brings along
 * @private_data_size: bytes
 * @private_data: in
 */
struct kdapl_cr_accept {
	__u32 size;
	__u32 cr;
	__u32 ep;
	__u32 private_data_size;
	__u8 private_data[KDAPL_PRIVATE_DATA_MAX];
};

/**
 * struct kdapl_cr_reject - reject as the consumer (KDAPL_CR_REJECT)
 * @size: sizeof(struct kdapl_cr_reject)
 * @cr: id; gone afterwards, an EP that it brought along is UNCONNECTED
 * @private_data_size: bytes
 * @pad: zero
 * @private_data: in
 */
struct kdapl_cr_reject {
	__u32 size;
	__u32 cr;
	__u32 private_data_size;
	__u32 pad;
	__u8 private_data[KDAPL_PRIVATE_DATA_MAX];
};

/**
 * struct kdapl_cr_handoff - give a request to another PSP or RSP (KDAPL_CR_HANDOFF)
 * @size: sizeof(struct kdapl_cr_handoff)
 * @cr: id; gone when this succeeds, untouched when it fails. An EP that it brought
 *	along is UNCONNECTED then
 * @conn_qual: what the other one listens on: of any open file, on the same adapter
 *
 * There it is a new request, with the private data of the first.
 *
 * EADDRNOTAVAIL: nobody else listens there. EACCES: it is another user's (the one
 * who opened the file counts; who has CAP_NET_ADMIN may). ENOSPC: it takes no more
 * requests.
 */
struct kdapl_cr_handoff {
	__u32 size;
	__u32 cr;
	__aligned_u64 conn_qual;
};

#define KDAPL_SUBMIT_POLL	(1U << 0)

/**
 * struct kdapl_submit - take what stands in the submission ring (KDAPL_SUBMIT)
 * @size: sizeof(struct kdapl_submit)
 * @flags: zero or KDAPL_SUBMIT_POLL
 * @evd: with KDAPL_SUBMIT_POLL, an EVD; else zero
 * @pad: zero
 *
 * A program that would now look at an EVD until an event comes says
 * KDAPL_SUBMIT_POLL: the module polls the device for it, which sees a completion
 * sooner than the program can. That ends with the first event, after the module's
 * parameter busy_poll_us, or when something else wants the processor.
 *
 * With KDAPL_SUBMIT_POLL the entries were taken, or will be without another call, also
 * where this fails with -ETIME (no event came while the module polled), -EAGAIN (it did
 * not poll, or not to the end: another thread does, it is forbidden to, something else
 * wants the processor, there is a signal) or -ENOENT (no such EVD).
 */
struct kdapl_submit {
	__u32 size;
	__u32 flags;
	__u32 evd;
	__u32 pad;
};

/*
 * KDAPL_DOORBELL does the same, but its argument is no structure: it is the number of the
 * EVD to poll for, or zero, for none. The upper half is zero. It is the one call of the
 * data path, and spares the module the copy.
 */

#define KDAPL_QUERY		_IOWR(KDAPL_IOC_TYPE, 0, struct kdapl_query)
#define KDAPL_ADAPTER		_IOWR(KDAPL_IOC_TYPE, 1, struct kdapl_adapter)
#define KDAPL_IA_OPEN		_IOWR(KDAPL_IOC_TYPE, 2, struct kdapl_ia_open)
#define KDAPL_IA_QUERY		_IOWR(KDAPL_IOC_TYPE, 3, struct kdapl_ia_query)
#define KDAPL_DESTROY		_IOW(KDAPL_IOC_TYPE, 4, struct kdapl_destroy)
#define KDAPL_PZ_CREATE		_IOWR(KDAPL_IOC_TYPE, 5, struct kdapl_pz_create)
#define KDAPL_LMR_CREATE	_IOWR(KDAPL_IOC_TYPE, 6, struct kdapl_lmr_create)
#define KDAPL_EVD_CREATE	_IOWR(KDAPL_IOC_TYPE, 7, struct kdapl_evd_create)
#define KDAPL_EVD_WAIT		_IOWR(KDAPL_IOC_TYPE, 8, struct kdapl_evd_wait)
#define KDAPL_EVD_FILL		_IOWR(KDAPL_IOC_TYPE, 9, struct kdapl_evd_fill)
#define KDAPL_EP_CREATE		_IOWR(KDAPL_IOC_TYPE, 10, struct kdapl_ep_create)
#define KDAPL_EP_QUERY		_IOWR(KDAPL_IOC_TYPE, 11, struct kdapl_ep_query)
#define KDAPL_EP_CONNECT	_IOW(KDAPL_IOC_TYPE, 12, struct kdapl_ep_connect)
#define KDAPL_EP_DISCONNECT	_IOW(KDAPL_IOC_TYPE, 13, struct kdapl_ep_disconnect)
#define KDAPL_EP_RESET		_IOW(KDAPL_IOC_TYPE, 14, struct kdapl_ep_reset)
#define KDAPL_PSP_CREATE	_IOWR(KDAPL_IOC_TYPE, 15, struct kdapl_psp_create)
#define KDAPL_CR_QUERY		_IOWR(KDAPL_IOC_TYPE, 16, struct kdapl_cr_query)
#define KDAPL_CR_ACCEPT		_IOW(KDAPL_IOC_TYPE, 17, struct kdapl_cr_accept)
#define KDAPL_CR_REJECT		_IOW(KDAPL_IOC_TYPE, 18, struct kdapl_cr_reject)
#define KDAPL_SUBMIT		_IOW(KDAPL_IOC_TYPE, 19, struct kdapl_submit)
#define KDAPL_EVD_WAITABLE	_IOW(KDAPL_IOC_TYPE, 20, struct kdapl_evd_waitable)
#define KDAPL_EVD_POST_SE	_IOW(KDAPL_IOC_TYPE, 21, struct kdapl_evd_post_se)
#define KDAPL_EVD_RESIZE	_IOWR(KDAPL_IOC_TYPE, 22, struct kdapl_evd_resize)
#define KDAPL_EVD_NOTIFY	_IOW(KDAPL_IOC_TYPE, 23, struct kdapl_evd_notify)
#define KDAPL_CNO_CREATE	_IOWR(KDAPL_IOC_TYPE, 24, struct kdapl_cno_create)
#define KDAPL_CNO_WAIT		_IOWR(KDAPL_IOC_TYPE, 25, struct kdapl_cno_wait)
#define KDAPL_CNO_MODIFY	_IOW(KDAPL_IOC_TYPE, 26, struct kdapl_cno_modify)
#define KDAPL_EP_SET_MARKS	_IOW(KDAPL_IOC_TYPE, 27, struct kdapl_ep_set_marks)
#define KDAPL_SRQ_CREATE	_IOWR(KDAPL_IOC_TYPE, 28, struct kdapl_srq_create)
#define KDAPL_SRQ_RESIZE	_IOWR(KDAPL_IOC_TYPE, 29, struct kdapl_srq_resize)
#define KDAPL_SRQ_SET_LOW	_IOW(KDAPL_IOC_TYPE, 30, struct kdapl_srq_set_low)
#define KDAPL_RMR_CREATE	_IOWR(KDAPL_IOC_TYPE, 31, struct kdapl_rmr_create)
#define KDAPL_RMR_BIND		_IOWR(KDAPL_IOC_TYPE, 32, struct kdapl_rmr_bind)
#define KDAPL_RSP_CREATE	_IOWR(KDAPL_IOC_TYPE, 33, struct kdapl_rsp_create)
#define KDAPL_EP_MODIFY		_IOW(KDAPL_IOC_TYPE, 34, struct kdapl_ep_modify)
#define KDAPL_CR_OFFER		_IOW(KDAPL_IOC_TYPE, 35, struct kdapl_cr_offer)
#define KDAPL_CR_HANDOFF	_IOW(KDAPL_IOC_TYPE, 36, struct kdapl_cr_handoff)
#define KDAPL_CSP_CREATE	_IOWR(KDAPL_IOC_TYPE, 37, struct kdapl_csp_create)
#define KDAPL_CNO_FD		_IOWR(KDAPL_IOC_TYPE, 38, struct kdapl_cno_fd)
#define KDAPL_DOORBELL		_IO(KDAPL_IOC_TYPE, 39)

#endif /* _UAPI_KDAPL_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extensions of uDAPL 2.0 for InfiniBand and RoCE: RDMA write with immediate data,
 * atomic operations, counters. Programs include it behind <dat2/udat.h>.
 *
 * An adapter with extension_supported DAT_EXTENSION_IB has some of them; which ones
 * the named attributes of the provider tell, each with the value "TRUE". Unconnected
 * datagrams (UD) and collective operations no adapter here has: they are for programs
 * that ask first, and return DAT_NOT_IMPLEMENTED.
 *
 * Numbers and layouts are those that all programs were compiled with.
 */
#ifndef _DAT_IB_EXTENSIONS_H_
#define _DAT_IB_EXTENSIONS_H_

#include <dat2/udat.h>

/* extension_version */
#define DAT_IB_EXTENSION_VERSION	209

/* Named attributes of a provider. */
#define DAT_IB_ATTR_COUNTERS		"DAT_COUNTERS"
#define DAT_IB_ATTR_FETCH_AND_ADD	"DAT_IB_FETCH_AND_ADD"
#define DAT_IB_ATTR_CMP_AND_SWAP	"DAT_IB_CMP_AND_SWAP"
#define DAT_IB_ATTR_IMMED_DATA		"DAT_IB_IMMED_DATA"
#define DAT_IB_ATTR_UD			"DAT_IB_UD"
#define DAT_ATTR_COUNTERS		DAT_IB_ATTR_COUNTERS

/* The same of collective operations. */
#define DAT_IB_COLL_SET_CLOCK		"DAT_COLL_SET_CLOCK"
#define DAT_IB_COLL_READ_CLOCK		"DAT_COLL_READ_CLOCK"
#define DAT_IB_COLL_BROADCAST		"DAT_COLL_BROADCAST"
#define DAT_IB_COLL_BARRIER		"DAT_COLL_BARRIER"
#define DAT_IB_COLL_SCATTER		"DAT_COLL_SCATTER"
#define DAT_IB_COLL_SCATTERV		"DAT_COLL_SCATTERV"
#define DAT_IB_COLL_GATHER		"DAT_COLL_GATHER"
#define DAT_IB_COLL_GATHERV		"DAT_COLL_GATHERV"
#define DAT_IB_COLL_ALLGATHER		"DAT_COLL_ALLGATHER"
#define DAT_IB_COLL_ALLGATHERV		"DAT_COLL_ALLGATHERV"
#define DAT_IB_COLL_ALLTOALL		"DAT_COLL_ALLTOALL"
#define DAT_IB_COLL_ALLTOALLV		"DAT_COLL_ALLTOALLV"
#define DAT_IB_COLL_REDUCE		"DAT_COLL_REDUCE"
#define DAT_IB_COLL_ALLREDUCE		"DAT_COLL_ALLREDUCE"
#define DAT_IB_COLL_REDUCE_SCATTER	"DAT_COLL_REDUCE_SCATTER"
#define DAT_IB_COLL_SCAN		"DAT_COLL_SCAN"

/* ---- numbers ------------------------------------------------------------- */

/* The number of an event of an extension; DAT_IB_DTO_EVENT is a completion. */
typedef enum dat_ib_event_number {
	DAT_IB_DTO_EVENT = DAT_IB_EXTENSION_RANGE_BASE,
	DAT_IB_UD_CONNECTION_REQUEST_EVENT = DAT_IB_EXTENSION_RANGE_BASE + 1,
	DAT_IB_UD_CONNECTION_EVENT_ESTABLISHED = DAT_IB_EXTENSION_RANGE_BASE + 2,
	DAT_IB_UD_CONNECTION_REJECT_EVENT = DAT_IB_EXTENSION_RANGE_BASE + 3,
	DAT_IB_UD_CONNECTION_ERROR_EVENT = DAT_IB_EXTENSION_RANGE_BASE + 4,
	DAT_IB_COLLECTIVE_EVENT = DAT_IB_EXTENSION_RANGE_BASE + 5
} DAT_IB_EVENT_NUMBER;

/* Operations of dat_extension_op(). */
typedef enum dat_ib_op {
	DAT_IB_FETCH_AND_ADD_OP = 0,
	DAT_IB_CMP_AND_SWAP_OP = 1,
	DAT_IB_RDMA_WRITE_IMMED_OP = 2,
	DAT_IB_UD_SEND_OP = 3,
	DAT_IB_QUERY_COUNTERS_OP = 4,
	DAT_IB_PRINT_COUNTERS_OP = 5,
	DAT_IB_COLLECTIVE_CREATE_MEMBER_OP = 6,
	DAT_IB_COLLECTIVE_FREE_MEMBER_OP = 7,
	DAT_IB_COLLECTIVE_CREATE_GROUP_OP = 8,
	DAT_IB_COLLECTIVE_FREE_GROUP_OP = 9,
	DAT_IB_COLLECTIVE_SET_CLOCK_OP = 10,
	DAT_IB_COLLECTIVE_READ_CLOCK_OP = 11,
	DAT_IB_COLLECTIVE_SCATTER_OP = 12,
	DAT_IB_COLLECTIVE_SCATTERV_OP = 13,
	DAT_IB_COLLECTIVE_GATHER_OP = 14,
	DAT_IB_COLLECTIVE_GATHERV_OP = 15,
	DAT_IB_COLLECTIVE_ALLGATHER_OP = 16,
	DAT_IB_COLLECTIVE_ALLGATHERV_OP = 17,
	DAT_IB_COLLECTIVE_ALLTOALL_OP = 18,
	DAT_IB_COLLECTIVE_ALLTOALLV_OP = 19,
	DAT_IB_COLLECTIVE_REDUCE_OP = 20,
	DAT_IB_COLLECTIVE_ALLREDUCE_OP = 21,
	DAT_IB_COLLECTIVE_REDUCE_SCATTER_OP = 22,
	DAT_IB_COLLECTIVE_SCAN_OP = 23,
	DAT_IB_COLLECTIVE_BROADCAST_OP = 24,
	DAT_IB_COLLECTIVE_BARRIER_OP = 25,
	DAT_IB_START_COUNTERS_OP = 26,
	DAT_IB_STOP_COUNTERS_OP = 27,
	DAT_IB_UD_CM_FREE_OP = 28,
	DAT_IB_UD_AH_FREE_OP = 29,
	DAT_IB_OPEN_QUERY_OP = DAT_OPEN_EXTENSION_BASE,
	DAT_IB_CLOSE_QUERY_OP = DAT_CLOSE_EXTENSION_BASE
} DAT_IB_OP;

/* Earlier names. */
#define DAT_QUERY_COUNTERS_OP	DAT_IB_QUERY_COUNTERS_OP
#define DAT_PRINT_COUNTERS_OP	DAT_IB_PRINT_COUNTERS_OP

/*
 * What an event of an extension tells. Of a write with immediate data the writer gets
 * DAT_IB_RDMA_WRITE_IMMED; the peer, whose receive it took, gets
 * DAT_IB_RDMA_WRITE_IMMED_DATA with the data.
 */
typedef enum dat_ib_ext_type {
	DAT_IB_FETCH_AND_ADD = 0,
	DAT_IB_CMP_AND_SWAP = 1,
	DAT_IB_RDMA_WRITE_IMMED = 2,
	DAT_IB_RDMA_WRITE_IMMED_DATA = 3,
	DAT_IB_RECV_IMMED_DATA = 4,
	DAT_IB_UD_CONNECT_REQUEST = 5,
	DAT_IB_UD_REMOTE_AH = 6,
	DAT_IB_UD_PASSIVE_REMOTE_AH = 7,
	DAT_IB_UD_SEND = 8,
	DAT_IB_UD_RECV = 9,
	DAT_IB_UD_CONNECT_REJECT = 10,
	DAT_IB_UD_CONNECT_ERROR = 11,
	DAT_IB_COLLECTIVE_CREATE_STATUS = 12,
	DAT_IB_COLLECTIVE_CREATE_DATA = 13,
	DAT_IB_COLLECTIVE_CLOCK_SET_STATUS = 14,
	DAT_IB_COLLECTIVE_SCATTER_STATUS = 15,
	DAT_IB_COLLECTIVE_SCATTERV_STATUS = 16,
	DAT_IB_COLLECTIVE_GATHER_STATUS = 17,
	DAT_IB_COLLECTIVE_GATHERV_STATUS = 18,
	DAT_IB_COLLECTIVE_ALLGATHER_STATUS = 19,
	DAT_IB_COLLECTIVE_ALLGATHERV_STATUS = 20,
	DAT_IB_COLLECTIVE_ALLTOALL_STATUS = 21,
	DAT_IB_COLLECTIVE_ALLTOALLV_STATUS = 22,
	DAT_IB_COLLECTIVE_REDUCE_STATUS = 23,
	DAT_IB_COLLECTIVE_ALLREDUCE_STATUS = 24,
	DAT_IB_COLLECTIVE_REDUCE_SCATTER_STATUS = 25,
	DAT_IB_COLLECTIVE_SCAN_STATUS = 26,
	DAT_IB_COLLECTIVE_BROADCAST_STATUS = 27,
	DAT_IB_COLLECTIVE_BARRIER_STATUS = 28
} DAT_IB_EXT_TYPE;

/* How it ended. */
typedef enum dat_ib_status {
	DAT_OP_SUCCESS = DAT_SUCCESS,
	DAT_IB_OP_ERR = 1,
	DAT_IB_COLL_COMP_ERR = 2
} DAT_IB_STATUS;

/* Results that only extensions have. */
typedef enum dat_ib_return {
	DAT_IB_ERR = DAT_EXTENSION_BASE,
	DAT_IB_COLLECTIVE_ERR = DAT_EXTENSION_BASE + 1
} DAT_IB_RETURN;

/* Operations in completion events. */
typedef enum dat_ib_dtos {
	DAT_IB_DTO_RDMA_WRITE_IMMED = DAT_DTO_EXTENSION_BASE,
	DAT_IB_DTO_RECV_IMMED = DAT_DTO_EXTENSION_BASE + 1,
	DAT_IB_DTO_FETCH_ADD = DAT_DTO_EXTENSION_BASE + 2,
	DAT_IB_DTO_CMP_SWAP = DAT_DTO_EXTENSION_BASE + 3,
	DAT_IB_DTO_RECV_MSG_IMMED = DAT_DTO_EXTENSION_BASE + 4,
	DAT_IB_DTO_SEND_UD = DAT_DTO_EXTENSION_BASE + 5,
	DAT_IB_DTO_RECV_UD = DAT_DTO_EXTENSION_BASE + 6,
	DAT_IB_DTO_RECV_UD_IMMED = DAT_DTO_EXTENSION_BASE + 7,
	DAT_IB_DTO_COLLECTIVES = DAT_DTO_EXTENSION_BASE + 8
} DAT_IB_DTOS;

typedef enum dat_ib_handle_type {
	DAT_IB_HANDLE_TYPE_EXT = DAT_HANDLE_TYPE_EXTENSION_BASE,
	DAT_IB_HANDLE_TYPE_COLLECTIVE = DAT_HANDLE_TYPE_EXTENSION_BASE + 1
} DAT_IB_HANDLE_TYPE;

/*
 * Completions of extensions come where those of transfers do: an EVD that is made with
 * this flag is one for DAT_EVD_DTO_FLAG, and dat_evd_query() says so.
 */
typedef enum dat_ib_evd_extension_flags {
	DAT_IB_EVD_EXTENSION_FLAG = DAT_EVD_EXTENSION_BASE
} DAT_IB_EVD_EXTENSION_FLAGS;

/* One more privilege of memory: the peer may do atomic operations on it. */
typedef enum dat_ib_mem_priv_flags {
	DAT_IB_MEM_PRIV_REMOTE_ATOMIC = DAT_MEM_PRIV_EXTENSION_BASE
} DAT_IB_MEM_PRIV_FLAGS;

/* One more kind of EP, which no adapter here has. */
typedef enum dat_ib_service_type {
	DAT_IB_SERVICE_TYPE_UD = DAT_SERVICE_TYPE_EXTENSION_BASE
} DAT_IB_SERVICE_TYPE;

/* What a reduction works on; from SHORT_INT on they are pairs of a value and a place. */
typedef enum dat_ib_collective_data_type {
	DAT_IB_COLLECTIVE_TYPE_INT8 = 0,
	DAT_IB_COLLECTIVE_TYPE_UINT8 = 1,
	DAT_IB_COLLECTIVE_TYPE_INT16 = 2,
	DAT_IB_COLLECTIVE_TYPE_UINT16 = 3,
	DAT_IB_COLLECTIVE_TYPE_INT32 = 4,
	DAT_IB_COLLECTIVE_TYPE_UINT32 = 5,
	DAT_IB_COLLECTIVE_TYPE_INT64 = 6,
	DAT_IB_COLLECTIVE_TYPE_UINT64 = 7,
	DAT_IB_COLLECTIVE_TYPE_FLOAT = 8,
	DAT_IB_COLLECTIVE_TYPE_DOUBLE = 9,
	DAT_IB_COLLECTIVE_TYPE_LONG_DOUBLE = 10,
	DAT_IB_COLLECTIVE_TYPE_SHORT_INT = 11,
	DAT_IB_COLLECTIVE_TYPE_2INT = 12,
	DAT_IB_COLLECTIVE_TYPE_FLOAT_INT = 13,
	DAT_IB_COLLECTIVE_TYPE_LONG_INT = 14,
	DAT_IB_COLLECTIVE_TYPE_DOUBLE_INT = 15
} DAT_IB_COLLECTIVE_DATA_TYPE;

/* What it does: MAXLOC and MINLOC tell the place as well. */
typedef enum dat_ib_collective_reduce_data_op {
	DAT_IB_COLLECTIVE_REDUCE_OP_MAX = 0,
	DAT_IB_COLLECTIVE_REDUCE_OP_MIN = 1,
	DAT_IB_COLLECTIVE_REDUCE_OP_SUM = 2,
	DAT_IB_COLLECTIVE_REDUCE_OP_PROD = 3,
	DAT_IB_COLLECTIVE_REDUCE_OP_LAND = 4,
	DAT_IB_COLLECTIVE_REDUCE_OP_BAND = 5,
	DAT_IB_COLLECTIVE_REDUCE_OP_LOR = 6,
	DAT_IB_COLLECTIVE_REDUCE_OP_BOR = 7,
	DAT_IB_COLLECTIVE_REDUCE_OP_LXOR = 8,
	DAT_IB_COLLECTIVE_REDUCE_OP_BXOR = 9,
	DAT_IB_COLLECTIVE_REDUCE_OP_MAXLOC = 10,
	DAT_IB_COLLECTIVE_REDUCE_OP_MINLOC = 11
} DAT_IB_COLLECTIVE_REDUCE_DATA_OP;

/* ---- events -------------------------------------------------------------- */

typedef DAT_HANDLE DAT_IB_COLLECTIVE_HANDLE;

struct ibv_ah;

/* Where a datagram goes. */
typedef struct dat_ib_addr_handle {
	struct ibv_ah *ah;
	DAT_UINT32 qpn;
	DAT_SOCK_ADDR6 ia_addr;
} DAT_IB_ADDR_HANDLE;

/* 32 bits as the writer's memory has them: no byte is swapped under way. */
typedef struct dat_ib_immed_data {
	DAT_UINT32 data;
} DAT_IB_IMMED_DATA;

typedef struct dat_ib_collective_event_data {
	DAT_HANDLE handle;
	DAT_CONTEXT context;
} DAT_IB_COLLECTIVE_EVENT_DATA;

/*
 * What event_extension_data holds. The event's own data is filled in as of any
 * completion: EP, cookie, status, length, operation.
 */
typedef struct dat_ib_extension_event_data {
	DAT_IB_EXT_TYPE type;
	DAT_IB_STATUS status;
	union {
		DAT_IB_IMMED_DATA immed;
	} val;
	__extension__ union {
		DAT_IB_ADDR_HANDLE remote_ah;
		DAT_IB_COLLECTIVE_EVENT_DATA coll;
	};
	DAT_CONTEXT context;
} DAT_IB_EXTENSION_EVENT_DATA;

/* ---- counters ------------------------------------------------------------ */

/*
 * Their numbers follow from their order. Of an IA and an EP, calls that succeeded.
 *
 * Of an IA: objects made and freed, of EPs those that requests brought along as well;
 * requests that were fetched (SP_CR), and accepted and rejected ones; asynchronous
 * events that were fetched, by what they are about: an EP (QP), an EVD (CQ), the rest.
 *
 * The others are 0. MEM_* is the library's own memory. What the connection manager, the
 * port and the device count (CM_*, LNK_*, DIAG_*) is no adapter's that a program has
 * opened, but everybody's: it stands below /sys/class/infiniband.
 */
typedef enum dat_ia_counters {
	DCNT_IA_PZ_CREATE = 0,
	DCNT_IA_PZ_FREE,
	DCNT_IA_LMR_CREATE,
	DCNT_IA_LMR_FREE,
	DCNT_IA_RMR_CREATE,
	DCNT_IA_RMR_FREE,
	DCNT_IA_PSP_CREATE,
	DCNT_IA_PSP_CREATE_ANY,
	DCNT_IA_PSP_FREE,
	DCNT_IA_RSP_CREATE,
	DCNT_IA_RSP_FREE,
	DCNT_IA_EVD_CREATE,
	DCNT_IA_EVD_FREE,
	DCNT_IA_EP_CREATE,
	DCNT_IA_EP_FREE,
	DCNT_IA_SRQ_CREATE,
	DCNT_IA_SRQ_FREE,
	DCNT_IA_SP_CR,
	DCNT_IA_SP_CR_ACCEPTED,
	DCNT_IA_SP_CR_REJECTED,
	DCNT_IA_MEM_ALLOC,
	DCNT_IA_MEM_ALLOC_DATA,
	DCNT_IA_MEM_FREE,
	DCNT_IA_ASYNC_ERROR,
	DCNT_IA_ASYNC_QP_ERROR,
	DCNT_IA_ASYNC_CQ_ERROR,
	DCNT_IA_CM_LISTEN,
	DCNT_IA_CM_REQ_TX,
	DCNT_IA_CM_REQ_RX,
	DCNT_IA_CM_REP_TX,
	DCNT_IA_CM_REP_RX,
	DCNT_IA_CM_RTU_TX,
	DCNT_IA_CM_RTU_RX,
	DCNT_IA_CM_USER_REJ_TX,
	DCNT_IA_CM_USER_REJ_RX,
	DCNT_IA_CM_ACTIVE_EST,
	DCNT_IA_CM_PASSIVE_EST,
	DCNT_IA_CM_AH_REQ_TX,
	DCNT_IA_CM_AH_REQ_RX,
	DCNT_IA_CM_AH_RESOLVED,
	DCNT_IA_CM_DREQ_TX,
	DCNT_IA_CM_DREQ_RX,
	DCNT_IA_CM_DREP_TX,
	DCNT_IA_CM_DREP_RX,
	DCNT_IA_CM_MRA_TX,
	DCNT_IA_CM_MRA_RX,
	DCNT_IA_CM_REQ_FULLQ_POLL,
	DCNT_IA_CM_ERR,
	DCNT_IA_CM_ERR_REQ_FULLQ,
	DCNT_IA_CM_ERR_REQ_DUP,
	DCNT_IA_CM_ERR_REQ_RETRY,
	DCNT_IA_CM_ERR_REP_DUP,
	DCNT_IA_CM_ERR_REP_RETRY,
	DCNT_IA_CM_ERR_RTU_DUP,
	DCNT_IA_CM_ERR_RTU_RETRY,
	DCNT_IA_CM_ERR_REFUSED,
	DCNT_IA_CM_ERR_RESET,
	DCNT_IA_CM_ERR_TIMEOUT,
	DCNT_IA_CM_ERR_REJ_TX,
	DCNT_IA_CM_ERR_REJ_RX,
	DCNT_IA_CM_ERR_DREQ_DUP,
	DCNT_IA_CM_ERR_DREQ_RETRY,
	DCNT_IA_CM_ERR_DREP_DUP,
	DCNT_IA_CM_ERR_DREP_RETRY,
	DCNT_IA_CM_ERR_MRA_DUP,
	DCNT_IA_CM_ERR_MRA_RETRY,
	DCNT_IA_CM_ERR_UNEXPECTED,
	DCNT_IA_LNK_ERR_RCV,
	DCNT_IA_LNK_ERR_RCV_REM_PHYS,
	DCNT_IA_LNK_ERR_RCV_CONSTRAINT,
	DCNT_IA_LNK_ERR_XMT_DISCARDS,
	DCNT_IA_LNK_ERR_XMT_CONTRAINT,
	DCNT_IA_LNK_ERR_INTEGRITY,
	DCNT_IA_LNK_ERR_EXC_BUF_OVERRUN,
	DCNT_IA_LNK_WARN_RCV_SW_RELAY,
	DCNT_IA_LNK_WARN_XMT_WAIT,
	DCNT_IA_DIAG_ERR_RQ_RAE,
	DCNT_IA_DIAG_ERR_RQ_OOS,
	DCNT_IA_DIAG_ERR_RQ_RIRE,
	DCNT_IA_DIAG_ERR_RQ_UDSDPRD,
	DCNT_IA_DIAG_ERR_SQ_RAE,
	DCNT_IA_DIAG_ERR_SQ_OOS,
	DCNT_IA_DIAG_ERR_SQ_RIRE,
	DCNT_IA_DIAG_ERR_SQ_RREE,
	DCNT_IA_DIAG_ERR_SQ_TREE,
	DCNT_IA_ALL_COUNTERS
} DAT_IA_COUNTERS;

/*
 * Of an EP: operations posted and their bytes, and messages received, by what came with
 * them. A send that invalidates is a send, a read to an RMR is a read. UD_* are 0.
 */
typedef enum dat_ep_counters {
	DCNT_EP_CONNECT = 0,
	DCNT_EP_DISCONNECT,
	DCNT_EP_POST_SEND,
	DCNT_EP_POST_SEND_DATA,
	DCNT_EP_POST_SEND_UD,
	DCNT_EP_POST_SEND_UD_DATA,
	DCNT_EP_POST_RECV,
	DCNT_EP_POST_RECV_DATA,
	DCNT_EP_POST_WRITE,
	DCNT_EP_POST_WRITE_DATA,
	DCNT_EP_POST_WRITE_IMM,
	DCNT_EP_POST_WRITE_IMM_DATA,
	DCNT_EP_POST_READ,
	DCNT_EP_POST_READ_DATA,
	DCNT_EP_POST_CMP_SWAP,
	DCNT_EP_POST_FETCH_ADD,
	DCNT_EP_RECV,
	DCNT_EP_RECV_DATA,
	DCNT_EP_RECV_UD,
	DCNT_EP_RECV_UD_DATA,
	DCNT_EP_RECV_IMM,
	DCNT_EP_RECV_IMM_DATA,
	DCNT_EP_RECV_RDMA_IMM,
	DCNT_EP_RECV_RDMA_IMM_DATA,
	DCNT_EP_ALL_COUNTERS
} DAT_EP_COUNTERS;

/*
 * Of an EVD: waits, those that slept; dequeues, and how they ended. A dequeue that sees
 * at once that there is nothing is not counted; DEQUEUE_POLL are those that had to ask
 * the module. The others are 0: nothing here is armed for a wait, or called back.
 */
typedef enum dat_evd_counters {
	DCNT_EVD_WAIT = 0,
	DCNT_EVD_WAIT_BLOCKED,
	DCNT_EVD_WAIT_NOTIFY,
	DCNT_EVD_DEQUEUE,
	DCNT_EVD_DEQUEUE_FOUND,
	DCNT_EVD_DEQUEUE_NOT_FOUND,
	DCNT_EVD_DEQUEUE_POLL,
	DCNT_EVD_DEQUEUE_POLL_FOUND,
	DCNT_EVD_CONN_CALLBACK,
	DCNT_EVD_DTO_CALLBACK,
	DCNT_EVD_ALL_COUNTERS
} DAT_EVD_COUNTERS;

/* Groups that can be started and stopped. */
typedef enum dat_ia_counter_type {
	DCNT_IA_CM = 0,
	DCNT_IA_LNK,
	DCNT_IA_DIAG
} DAT_IA_COUNTER_TYPE;

/* The spelling that the macros below were given. */
typedef DAT_IA_COUNTER_TYPE DAT_COUNTER_TYPE;

/* ---- operations ---------------------------------------------------------- */

/*
 * A transfer is refused as dat_ep_post_rdma_write() refuses one, wrong arguments by
 * their places in that call; with DAT_MODEL_NOT_SUPPORTED where the adapter lacks it. An
 * atomic operation has DAT_LENGTH_ERROR for other than eight bytes, and counts among the
 * EP's RDMA reads.
 */

/*
 * dat_ib_post_rdma_write_immed() - write the peer's memory and tell it 32 bits
 * @ep: the EP
 * @size: segments of @lbuf
 * @lbuf: local memory
 * @cookie: a DAT_DTO_COOKIE, comes back in the completion event
 * @rbuf: the peer's memory
 * @idata: the data; it takes a receive of the peer's
 * @flgs: as of dat_ep_post_rdma_write(), and DAT_COMPLETION_SOLICITED_WAIT_FLAG
 */
#define dat_ib_post_rdma_write_immed(ep, size, lbuf, cookie, rbuf, idata, flgs) \
	dat_extension_op((DAT_EP_HANDLE)(ep), DAT_IB_RDMA_WRITE_IMMED_OP, \
			 (DAT_COUNT)(size), (DAT_LMR_TRIPLET *)(lbuf), (cookie), \
			 (const DAT_RMR_TRIPLET *)(rbuf), (DAT_UINT32)(idata), \
			 (DAT_COMPLETION_FLAGS)(flgs))

/*
 * dat_ib_post_fetch_and_add() - add to eight bytes of the peer's
 * @ep: the EP
 * @add_val: what is added
 * @lbuf: one segment of eight bytes, for what was there before
 * @cookie: a DAT_DTO_COOKIE
 * @rbuf: the eight bytes, aligned, of memory with DAT_IB_MEM_PRIV_REMOTE_ATOMIC
 * @flgs: as of dat_ep_post_rdma_read()
 */
#define dat_ib_post_fetch_and_add(ep, add_val, lbuf, cookie, rbuf, flgs) \
	dat_extension_op((DAT_EP_HANDLE)(ep), DAT_IB_FETCH_AND_ADD_OP, \
			 (DAT_UINT64)(add_val), (DAT_LMR_TRIPLET *)(lbuf), (cookie), \
			 (const DAT_RMR_TRIPLET *)(rbuf), (DAT_COMPLETION_FLAGS)(flgs))

/* dat_ib_post_cmp_and_swap() - the same: swap_val is stored where cmp_val was found */
#define dat_ib_post_cmp_and_swap(ep, cmp_val, swap_val, lbuf, cookie, rbuf, flgs) \
	dat_extension_op((DAT_EP_HANDLE)(ep), DAT_IB_CMP_AND_SWAP_OP, \
			 (DAT_UINT64)(cmp_val), (DAT_UINT64)(swap_val), \
			 (DAT_LMR_TRIPLET *)(lbuf), (cookie), \
			 (const DAT_RMR_TRIPLET *)(rbuf), (DAT_COMPLETION_FLAGS)(flgs))

/*
 * dat_ib_query_counters() - read counters
 * @dat_handle: an IA, an EP or an EVD
 * @cntr: one of its kind's, or DCNT_*_ALL_COUNTERS for all of them
 * @p_cntrs_out: out: array of DAT_UINT64 in which each has the place of its number, also
 *	where one alone is asked for; the rest stays as it is
 * @reset: whether they are 0 from now on
 */
#define dat_ib_query_counters(dat_handle, cntr, p_cntrs_out, reset) \
	dat_extension_op((DAT_HANDLE)(dat_handle), DAT_IB_QUERY_COUNTERS_OP, \
			 (int)(cntr), (DAT_UINT64 *)(p_cntrs_out), (int)(reset))

/* dat_ib_print_counters() - the same, written to stdout by their names */
#define dat_ib_print_counters(dat_handle, cntr, reset) \
	dat_extension_op((DAT_HANDLE)(dat_handle), DAT_IB_PRINT_COUNTERS_OP, \
			 (int)(cntr), (int)(reset))

#define dat_query_counters	dat_ib_query_counters
#define dat_print_counters	dat_ib_print_counters

/*
 * dat_ib_start_counter() - count a group from now on
 *
 * DAT_NOT_IMPLEMENTED: the groups are those that are everybody's.
 */
#define dat_ib_start_counter(dat_handle, type) \
	dat_extension_op((DAT_HANDLE)(dat_handle), DAT_IB_START_COUNTERS_OP, \
			 (DAT_COUNTER_TYPE)(type))

/* dat_ib_stop_counter() - and no more */
#define dat_ib_stop_counter(dat_handle, type) \
	dat_extension_op((DAT_HANDLE)(dat_handle), DAT_IB_STOP_COUNTERS_OP, \
			 (DAT_COUNTER_TYPE)(type))

/*
 * dat_ib_open_query() - ask an adapter for attributes without opening it
 * @name: of the adapter
 * @ia_handle: out: good for dat_ib_close_query() only
 * @ia_mask: attributes wanted, as of dat_ia_query()
 * @ia_attr: out
 * @prov_mask: likewise
 * @prov_attr: out
 */
#define dat_ib_open_query(name, ia_handle, ia_mask, ia_attr, prov_mask, prov_attr) \
	dat_extension_op((DAT_HANDLE)NULL, DAT_IB_OPEN_QUERY_OP, \
			 (DAT_NAME_PTR)(name), (DAT_HANDLE *)(ia_handle), \
			 (DAT_IA_ATTR_MASK)(ia_mask), (DAT_IA_ATTR *)(ia_attr), \
			 (DAT_PROVIDER_ATTR_MASK)(prov_mask), \
			 (DAT_PROVIDER_ATTR *)(prov_attr))

/* dat_ib_close_query() - it was enough */
#define dat_ib_close_query(ia_handle) \
	dat_extension_op((DAT_HANDLE)(ia_handle), DAT_IB_CLOSE_QUERY_OP)

/* Unconnected datagrams: for programs that ask first whether there are any. */
#define dat_ib_post_send_ud(ep, segments, lbuf, ah_ptr, cookie, flgs) \
	dat_extension_op((DAT_EP_HANDLE)(ep), DAT_IB_UD_SEND_OP, (DAT_COUNT)(segments), \
			 (DAT_LMR_TRIPLET *)(lbuf), (DAT_IB_ADDR_HANDLE *)(ah_ptr), \
			 (cookie), (DAT_COMPLETION_FLAGS)(flgs))
#define dat_ib_post_recv_ud	dat_ep_post_recv
#define dat_ib_ud_cm_free(ep, cm) \
	dat_extension_op((DAT_EP_HANDLE)(ep), DAT_IB_UD_CM_FREE_OP, (DAT_CONTEXT)(cm))
#define dat_ib_ud_ah_free(ep, ah) \
	dat_extension_op((DAT_EP_HANDLE)(ep), DAT_IB_UD_AH_FREE_OP, \
			 (DAT_IB_ADDR_HANDLE *)(ah))

/* ---- collective operations ----------------------------------------------- */

typedef unsigned int DAT_IB_COLLECTIVE_RANK;
typedef unsigned int DAT_IB_COLLECTIVE_ID;
typedef void *DAT_IB_COLLECTIVE_MEMBER;

/*
 * Where the processes of a group are: those of this machine are local, one of each
 * machine is external. Ranks are those of the whole group; the two tables turn one into
 * a place among the local or the external ones, -1 where it has none.
 */
typedef struct dat_ib_collective_group {
	int local_size;
	int local_rank;
	int *local_ranks;
	int external_size;
	int external_rank;
	int *external_ranks;
	int *intranode_table;
	int *internode_table;
	int is_comm_world;
} DAT_IB_COLLECTIVE_GROUP;

/* What several processes do together, each process with a member of its own. */
#define dat_ib_collective_create_member(ia, progress, member, size) \
	dat_extension_op((DAT_IA_HANDLE)(ia), DAT_IB_COLLECTIVE_CREATE_MEMBER_OP, \
			 __extension__ (void *)(progress), \
			 (DAT_IB_COLLECTIVE_MEMBER *)(member), (DAT_UINT32 *)(size))
#define dat_ib_collective_free_member(ia, member) \
	dat_extension_op((DAT_IA_HANDLE)(ia), DAT_IB_COLLECTIVE_FREE_MEMBER_OP, \
			 (DAT_IB_COLLECTIVE_MEMBER)(member))
#define dat_ib_collective_create_group(members, size, self, id, info, evd, pz, context) \
	dat_extension_op((DAT_EVD_HANDLE)(evd), DAT_IB_COLLECTIVE_CREATE_GROUP_OP, \
			 (DAT_IB_COLLECTIVE_MEMBER *)(members), (DAT_COUNT)(size), \
			 (DAT_IB_COLLECTIVE_RANK)(self), (DAT_IB_COLLECTIVE_ID)(id), \
			 (DAT_IB_COLLECTIVE_GROUP *)(info), (DAT_PZ_HANDLE)(pz), \
			 __extension__ (DAT_CONTEXT)(context))
#define dat_ib_collective_free_group(coll) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_FREE_GROUP_OP)

/* The clock of a group. */
#define dat_ib_collective_set_clock(coll, value, context) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_SET_CLOCK_OP, \
			 (DAT_UINT64)(value), __extension__ (DAT_CONTEXT)(context))
#define dat_ib_collective_read_clock(coll, value) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_READ_CLOCK_OP, \
			 (DAT_UINT64 *)(value))

/* One process's bytes for all, parts of them for each, all parts for one. */
#define dat_ib_collective_broadcast(coll, buf, size, root, context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_BROADCAST_OP, \
			 (DAT_PVOID)(buf), (DAT_COUNT)(size), \
			 (DAT_IB_COLLECTIVE_RANK)(root), \
			 __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))
#define dat_ib_collective_scatter(coll, src, src_size, dst, dst_size, root, context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_SCATTER_OP, \
			 (DAT_PVOID)(src), (DAT_COUNT)(src_size), (DAT_PVOID)(dst), \
			 (DAT_COUNT)(dst_size), (DAT_IB_COLLECTIVE_RANK)(root), \
			 __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))
#define dat_ib_collective_scatterv(coll, src, src_sizes, places, dst, dst_size, \
		root, context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_SCATTERV_OP, \
			 (DAT_PVOID)(src), (DAT_COUNT *)(src_sizes), \
			 (DAT_COUNT *)(places), (DAT_PVOID)(dst), (DAT_COUNT)(dst_size), \
			 (DAT_IB_COLLECTIVE_RANK)(root), \
			 __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))
#define dat_ib_collective_gather(coll, src, src_size, dst, dst_size, root, context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_GATHER_OP, \
			 (DAT_PVOID)(src), (DAT_COUNT)(src_size), (DAT_PVOID)(dst), \
			 (DAT_COUNT)(dst_size), (DAT_IB_COLLECTIVE_RANK)(root), \
			 __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))
#define dat_ib_collective_gatherv(coll, src, src_size, dst, dst_sizes, places, root, \
		context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_GATHERV_OP, \
			 (DAT_PVOID)(src), (DAT_COUNT)(src_size), (DAT_PVOID)(dst), \
			 (DAT_COUNT *)(dst_sizes), (DAT_COUNT *)(places), \
			 (DAT_IB_COLLECTIVE_RANK)(root), \
			 __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))

/* The parts of all for all; in ...v the parts differ in size. */
#define dat_ib_collective_allgather(coll, src, src_size, dst, dst_size, context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_ALLGATHER_OP, \
			 (DAT_PVOID)(src), (DAT_COUNT)(src_size), (DAT_PVOID)(dst), \
			 (DAT_COUNT)(dst_size), __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))
#define dat_ib_collective_allgatherv(coll, src, src_size, dst, dst_sizes, places, \
		context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), \
			 DAT_IB_COLLECTIVE_ALLGATHERV_OP, (DAT_PVOID)(src), \
			 (DAT_COUNT)(src_size), (DAT_PVOID)(dst), \
			 (DAT_COUNT *)(dst_sizes), (DAT_COUNT *)(places), \
			 __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))
#define dat_ib_collective_alltoall(coll, src, src_size, dst, dst_size, context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_ALLTOALL_OP, \
			 (DAT_PVOID)(src), (DAT_COUNT)(src_size), (DAT_PVOID)(dst), \
			 (DAT_COUNT)(dst_size), __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))
#define dat_ib_collective_alltoallv(coll, src, src_sizes, src_places, dst, \
		dst_sizes, dst_places, context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_ALLTOALLV_OP, \
			 (DAT_PVOID)(src), (DAT_COUNT *)(src_sizes), \
			 (DAT_COUNT *)(src_places), (DAT_PVOID)(dst), \
			 (DAT_COUNT *)(dst_sizes), (DAT_COUNT *)(dst_places), \
			 __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))

/* The elements of all made into one: for one process, for all, for each in part. */
#define dat_ib_collective_reduce(coll, src, src_size, dst, dst_size, op, type, root, \
		context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_REDUCE_OP, \
			 (DAT_PVOID)(src), (DAT_COUNT)(src_size), (DAT_PVOID)(dst), \
			 (DAT_COUNT)(dst_size), (DAT_IB_COLLECTIVE_REDUCE_DATA_OP)(op), \
			 (DAT_IB_COLLECTIVE_DATA_TYPE)(type), \
			 (DAT_IB_COLLECTIVE_RANK)(root), \
			 __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))
#define dat_ib_collective_allreduce(coll, src, src_size, dst, dst_size, op, type, \
		context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_ALLREDUCE_OP, \
			 (DAT_PVOID)(src), (DAT_COUNT)(src_size), (DAT_PVOID)(dst), \
			 (DAT_COUNT)(dst_size), (DAT_IB_COLLECTIVE_REDUCE_DATA_OP)(op), \
			 (DAT_IB_COLLECTIVE_DATA_TYPE)(type), \
			 __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))
#define dat_ib_collective_reduce_scatter(coll, src, src_size, dst, dst_sizes, op, \
		type, context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), \
			 DAT_IB_COLLECTIVE_REDUCE_SCATTER_OP, (DAT_PVOID)(src), \
			 (DAT_COUNT)(src_size), (DAT_PVOID)(dst), \
			 (DAT_COUNT *)(dst_sizes), (DAT_IB_COLLECTIVE_REDUCE_DATA_OP)(op), \
			 (DAT_IB_COLLECTIVE_DATA_TYPE)(type), \
			 __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))
#define dat_ib_collective_scan(coll, src, src_size, dst, dst_size, op, type, context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_SCAN_OP, \
			 (DAT_PVOID)(src), (DAT_COUNT)(src_size), (DAT_PVOID)(dst), \
			 (DAT_COUNT)(dst_size), (DAT_IB_COLLECTIVE_REDUCE_DATA_OP)(op), \
			 (DAT_IB_COLLECTIVE_DATA_TYPE)(type), \
			 __extension__ (DAT_CONTEXT)(context), \
			 (DAT_COMPLETION_FLAGS)(flgs))

/* All have come so far. */
#define dat_ib_collective_barrier(coll, context, flgs) \
	dat_extension_op((DAT_IB_COLLECTIVE_HANDLE)(coll), DAT_IB_COLLECTIVE_BARRIER_OP, \
			 __extension__ (DAT_CONTEXT)(context), (DAT_COMPLETION_FLAGS)(flgs))

/* ---- results in words ---------------------------------------------------- */

/* As dat_strerror(), for results of extensions as well. */
static inline DAT_RETURN dat_strerror_extension(DAT_IB_RETURN value, const char **message)
{
	const char *minor;

	if (DAT_GET_TYPE(value) != (DAT_UINT32)DAT_IB_ERR)
		return dat_strerror((DAT_RETURN)value, message, &minor);
	*message = "DAT_IB_ERR";
	return DAT_SUCCESS;
}

/* The status of an extension's event. */
static inline DAT_RETURN dat_strerror_ext_status(DAT_IB_STATUS value, const char **message)
{
	*message = value == DAT_OP_SUCCESS ? " " : "DAT_IB_OP_ERR";
	if (value == DAT_OP_SUCCESS || value == DAT_IB_OP_ERR)
		return DAT_SUCCESS;
	*message = "no status of an extension";
	return DAT_INVALID_PARAMETER;
}

#endif /* _DAT_IB_EXTENSIONS_H_ */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the two sides of DAT 2.0 have in common: types, events, and the calls that
 * both have. Programs include <dat2/udat.h>, kernel modules <dat2/kdat.h>.
 *
 * Every call says in which context a kernel module may use it:
 *  - "process": it may sleep.
 *  - "any up to softirq": it never sleeps, and may be used in an upcall.
 * A program may use every call in every thread, but for signal handlers. What never
 * sleeps in the kernel does not wait for a peer there.
 *
 * Calls for different objects may run at the same time. For one object it is the
 * consumer's business that none is used while, or after, it is freed. What a call
 * is given by pointer it has copied when it returns; memory that an operation
 * moves belongs to the adapter until the completion event.
 */
#ifndef _DAT_H_
#define _DAT_H_

#if !defined(_UDAT_H_) && !defined(_KDAT_H_)
#error "include <dat2/udat.h> or <dat2/kdat.h>: they have what differs"
#endif

#include <dat2/dat_error.h>
#include <dat2/dat_platform_specific.h>
#include <dat2/dat_vendor_specific.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- names, handles, contexts -------------------------------------------- */

/* Name of an adapter, NUL-terminated. */
typedef char *DAT_NAME_PTR;

/* Room for a name, with its NUL. */
#define DAT_NAME_MAX_LENGTH	256

/* An attribute that is given in words. */
typedef struct dat_named_attr {
	const char *name;
	const char *value;
} DAT_NAMED_ATTR;

typedef enum dat_boolean {
	DAT_FALSE = 0,
	DAT_TRUE = 1
} DAT_BOOLEAN;

/* Names an object; NULL names none. */
typedef DAT_PVOID DAT_HANDLE;
#define DAT_HANDLE_NULL	((DAT_HANDLE)NULL)

typedef DAT_HANDLE DAT_IA_HANDLE;	/* an adapter, as a consumer opened it */
typedef DAT_HANDLE DAT_PZ_HANDLE;	/* protection zone */
typedef DAT_HANDLE DAT_LMR_HANDLE;	/* registered memory */
typedef DAT_HANDLE DAT_RMR_HANDLE;	/* window onto registered memory */
typedef DAT_HANDLE DAT_EVD_HANDLE;	/* queue of events */
typedef DAT_HANDLE DAT_EP_HANDLE;	/* one end of a connection */
typedef DAT_HANDLE DAT_SRQ_HANDLE;	/* receives that several EPs share */
typedef DAT_HANDLE DAT_PSP_HANDLE;	/* public service point: it listens */
typedef DAT_HANDLE DAT_RSP_HANDLE;	/* the same, for one request */
typedef DAT_HANDLE DAT_CSP_HANDLE;	/* the same, on a socket address */
typedef DAT_HANDLE DAT_CR_HANDLE;	/* connection request */

/* Eight bytes of the consumer's own, given back as they are. */
typedef union dat_context {
	DAT_PVOID as_ptr;
	DAT_UINT64 as_64;
	DAT_UVERYLONG as_index;
} DAT_CONTEXT;

typedef DAT_CONTEXT DAT_DTO_COOKIE;
typedef DAT_CONTEXT DAT_RMR_COOKIE;

/* Microseconds. */
typedef DAT_UINT32 DAT_TIMEOUT;
#define DAT_TIMEOUT_INFINITE	((DAT_TIMEOUT)~0)

/* Where a service point listens, and the port of one end of a connection. */
typedef DAT_UINT64 DAT_CONN_QUAL;
typedef DAT_UINT64 DAT_PORT_QUAL;
typedef DAT_SOCK_ADDR *DAT_IA_ADDRESS_PTR;

/* ---- memory -------------------------------------------------------------- */

typedef DAT_UINT32 DAT_LMR_CONTEXT;	/* names memory in local segments */
typedef DAT_UINT32 DAT_RMR_CONTEXT;	/* names memory to the peer */
typedef DAT_UINT64 DAT_VLEN;
typedef DAT_UINT64 DAT_VADDR;
typedef DAT_UINT32 DAT_SEG_LENGTH;

/* A piece of local memory. Of one without a byte the rest may be anything. */
typedef struct dat_lmr_triplet {
	DAT_VADDR virtual_address;
	DAT_SEG_LENGTH segment_length;
	DAT_LMR_CONTEXT lmr_context;
} DAT_LMR_TRIPLET;

/* A piece of the peer's memory. */
typedef struct dat_rmr_triplet {
	DAT_VADDR virtual_address;
	DAT_SEG_LENGTH segment_length;
	DAT_RMR_CONTEXT rmr_context;
} DAT_RMR_TRIPLET;

typedef enum dat_mem_priv_flags {
	DAT_MEM_PRIV_NONE_FLAG = 0x00,
	DAT_MEM_PRIV_LOCAL_READ_FLAG = 0x01,
	DAT_MEM_PRIV_REMOTE_READ_FLAG = 0x02,
	DAT_MEM_PRIV_LOCAL_WRITE_FLAG = 0x10,
	DAT_MEM_PRIV_REMOTE_WRITE_FLAG = 0x20,
	DAT_MEM_PRIV_ALL_FLAG = 0x33,
	DAT_MEM_PRIV_EXTENSION_BASE = 0x40
} DAT_MEM_PRIV_FLAGS;

#define DAT_MEM_PRIV_READ_FLAG \
	(DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_REMOTE_READ_FLAG)
#define DAT_MEM_PRIV_WRITE_FLAG \
	(DAT_MEM_PRIV_LOCAL_WRITE_FLAG | DAT_MEM_PRIV_REMOTE_WRITE_FLAG)

/* What the first byte of registered memory is called. */
typedef enum dat_va_type {
	DAT_VA_TYPE_VA = 0,	/* its address */
	DAT_VA_TYPE_ZB = 1	/* zero */
} DAT_VA_TYPE;

/* Who may use an RMR: one EP, all of its PZ; ANY: a provider has both. */
typedef enum dat_rmr_scope {
	DAT_RMR_SCOPE_EP = 0,
	DAT_RMR_SCOPE_PZ = 1,
	DAT_RMR_SCOPE_ANY = 2
} DAT_RMR_SCOPE;

typedef struct dat_rmr_param {
	DAT_IA_HANDLE ia_handle;
	DAT_PZ_HANDLE pz_handle;
	DAT_LMR_TRIPLET lmr_triplet;
	DAT_MEM_PRIV_FLAGS mem_priv;
	DAT_RMR_CONTEXT rmr_context;
	DAT_RMR_SCOPE rmr_scope;
	DAT_VA_TYPE va_type;
} DAT_RMR_PARAM;

typedef enum dat_rmr_param_mask {
	DAT_RMR_FIELD_IA_HANDLE = 0x01,
	DAT_RMR_FIELD_PZ_HANDLE = 0x02,
	DAT_RMR_FIELD_LMR_TRIPLET = 0x04,
	DAT_RMR_FIELD_MEM_PRIV = 0x08,
	DAT_RMR_FIELD_RMR_CONTEXT = 0x10,
	DAT_RMR_FIELD_RMR_SCOPE = 0x20,
	DAT_RMR_FIELD_VA_TYPE = 0x40,
	DAT_RMR_FIELD_ALL = 0x7f
} DAT_RMR_PARAM_MASK;

/* ---- flags --------------------------------------------------------------- */

/*
 * How the completion of one operation is told. As attributes of an EP the names
 * say which completions of a queue are notifications.
 */
typedef enum dat_completion_flags {
	DAT_COMPLETION_DEFAULT_FLAG = 0x00,
	DAT_COMPLETION_SUPPRESS_FLAG = 0x01,	/* no event, unless it fails */
	DAT_COMPLETION_SOLICITED_WAIT_FLAG = 0x02, /* notifies the receiver */
	DAT_COMPLETION_UNSIGNALLED_FLAG = 0x04,	/* an event, no notification */
	DAT_COMPLETION_BARRIER_FENCE_FLAG = 0x08, /* after all RDMA reads */
	DAT_COMPLETION_EVD_THRESHOLD_FLAG = 0x10, /* attribute only */
	DAT_COMPLETION_LMR_INVALIDATE_FENCE_FLAG = 0x20 /* kernel: after all requests */
} DAT_COMPLETION_FLAGS;

/* What a completion event is about; the last two are the kernel's. */
typedef enum dat_dtos {
	DAT_DTO_SEND = 0,
	DAT_DTO_RDMA_WRITE = 1,
	DAT_DTO_RDMA_READ = 2,
	DAT_DTO_RECEIVE = 3,
	DAT_DTO_RECEIVE_WITH_INVALIDATE = 4,
	DAT_DTO_BIND_MW = 5,
	DAT_DTO_LMR_FMR = 6,
	DAT_DTO_LMR_INVALIDATE = 7,
	DAT_DTO_EXTENSION_BASE = 8
} DAT_DTOS;

typedef enum dat_qos {
	DAT_QOS_BEST_EFFORT = 0x00,
	DAT_QOS_HIGH_THROUGHPUT = 0x01,
	DAT_QOS_LOW_LATENCY = 0x02,
	DAT_QOS_ECONOMY = 0x04,
	DAT_QOS_PREMIUM = 0x08
} DAT_QOS;

typedef enum dat_connect_flags {
	DAT_CONNECT_DEFAULT_FLAG = 0x00,
	DAT_CONNECT_MULTIPATH_FLAG = 0x01,
	DAT_CONNECT_MULTIPATH_REQUIRED_FLAG = 0x02
} DAT_CONNECT_FLAGS;

#define DAT_CONNECT_MULTIPATH_REQUESTED_FLAG	DAT_CONNECT_MULTIPATH_FLAG

typedef enum dat_close_flags {
	DAT_CLOSE_ABRUPT_FLAG = 0x00,
	DAT_CLOSE_GRACEFUL_FLAG = 0x01
} DAT_CLOSE_FLAGS;

#define DAT_CLOSE_DEFAULT	DAT_CLOSE_ABRUPT_FLAG

/* Which streams of events may feed an EVD. */
typedef enum dat_evd_flags {
	DAT_EVD_SOFTWARE_FLAG = 0x001,
	DAT_EVD_CR_FLAG = 0x010,
	DAT_EVD_DTO_FLAG = 0x020,
	DAT_EVD_CONNECTION_FLAG = 0x040,
	DAT_EVD_RMR_BIND_FLAG = 0x080,
	DAT_EVD_ASYNC_FLAG = 0x100,
	DAT_EVD_DEFAULT_FLAG = 0x1f0,	/* all but software events */
	DAT_EVD_EXTENSION_BASE = 0x200
} DAT_EVD_FLAGS;

/* Who makes the EP for a request. */
typedef enum dat_psp_flags {
	DAT_PSP_CONSUMER_FLAG = 0x00,
	DAT_PSP_PROVIDER_FLAG = 0x01
} DAT_PSP_FLAGS;

typedef enum dat_ep_creator_for_psp {
	DAT_PSP_CREATES_EP_NEVER = 0,
	DAT_PSP_CREATES_EP_IFASKED = 1,
	DAT_PSP_CREATES_EP_ALWAYS = 2
} DAT_EP_CREATOR_FOR_PSP;

/* Whether a provider changes the array of segments that it was given. */
typedef enum dat_iov_ownership {
	DAT_IOV_CONSUMER = 0,	/* it is free when the call returns */
	DAT_IOV_PROVIDER_NOMOD = 1,
	DAT_IOV_PROVIDER_MOD = 2
} DAT_IOV_OWNERSHIP;

typedef DAT_UINT32 DAT_HA_LB;
#define DAT_HA_LB_NONE		((DAT_HA_LB)0)
#define DAT_HA_LB_INTERCOMM	((DAT_HA_LB)1)
#define DAT_HA_LB_INTRACOMM	((DAT_HA_LB)2)

/* ---- adapters ------------------------------------------------------------ */

typedef enum dat_extension {
	DAT_EXTENSION_NONE = 0,
	DAT_EXTENSION_IB = 1,
	DAT_EXTENSION_IW = 2
} DAT_EXTENSION;

#define DAT_IB_EXTENSION	1
#define DAT_IW_EXTENSION	2

typedef struct dat_ia_attr DAT_IA_ATTR;
typedef struct dat_provider_attr DAT_PROVIDER_ATTR;

/* Earlier names of members. */
#define max_rdma_read_per_ep	max_rdma_read_per_ep_in
#define max_mtu_size		max_message_size

/* Which attributes are wanted; the rest of the bits each side has. */
typedef DAT_UINT64 DAT_IA_ATTR_MASK;
typedef DAT_UINT64 DAT_PROVIDER_ATTR_MASK;
#define DAT_IA_FIELD_IA_ADAPTER_NAME UINT64_C(0x1)
#define DAT_IA_FIELD_IA_VENDOR_NAME UINT64_C(0x2)
#define DAT_IA_FIELD_IA_HARDWARE_MAJOR_VERSION UINT64_C(0x4)
#define DAT_IA_FIELD_IA_HARDWARE_MINOR_VERSION UINT64_C(0x8)
#define DAT_IA_FIELD_IA_FIRMWARE_MAJOR_VERSION UINT64_C(0x10)
#define DAT_IA_FIELD_IA_FIRMWARE_MINOR_VERSION UINT64_C(0x20)
#define DAT_IA_FIELD_IA_ADDRESS_PTR UINT64_C(0x40)
#define DAT_IA_FIELD_IA_MAX_EPS UINT64_C(0x80)
#define DAT_IA_FIELD_IA_MAX_DTO_PER_EP UINT64_C(0x100)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP_IN UINT64_C(0x200)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP_OUT UINT64_C(0x400)
#define DAT_IA_FIELD_IA_MAX_EVDS UINT64_C(0x800)
#define DAT_IA_FIELD_IA_MAX_EVD_QLEN UINT64_C(0x1000)
#define DAT_IA_FIELD_IA_MAX_IOV_SEGMENTS_PER_DTO UINT64_C(0x2000)
#define DAT_IA_FIELD_IA_MAX_LMRS UINT64_C(0x4000)
#define DAT_IA_FIELD_IA_MAX_LMR_BLOCK_SIZE UINT64_C(0x8000)
#define DAT_IA_FIELD_IA_MAX_LMR_VIRTUAL_ADDRESS UINT64_C(0x10000)
#define DAT_IA_FIELD_IA_MAX_PZS UINT64_C(0x20000)
#define DAT_IA_FIELD_IA_MAX_MESSAGE_SIZE UINT64_C(0x40000)
#define DAT_IA_FIELD_IA_MAX_RDMA_SIZE UINT64_C(0x80000)
#define DAT_IA_FIELD_IA_MAX_RMRS UINT64_C(0x100000)
#define DAT_IA_FIELD_IA_MAX_RMR_TARGET_ADDRESS UINT64_C(0x200000)
#define DAT_IA_FIELD_IA_MAX_SRQS UINT64_C(0x400000)
#define DAT_IA_FIELD_IA_MAX_EP_PER_SRQ UINT64_C(0x800000)
#define DAT_IA_FIELD_IA_MAX_RECV_PER_SRQ UINT64_C(0x1000000)
#define DAT_IA_FIELD_IA_MAX_IOV_SEGMENTS_PER_RDMA_READ UINT64_C(0x2000000)
#define DAT_IA_FIELD_IA_MAX_IOV_SEGMENTS_PER_RDMA_WRITE UINT64_C(0x4000000)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_IN UINT64_C(0x8000000)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_OUT UINT64_C(0x10000000)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP_IN_GUARANTEED UINT64_C(0x20000000)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP_OUT_GUARANTEED UINT64_C(0x40000000)
#define DAT_IA_FIELD_IA_ZB_SUPPORTED UINT64_C(0x80000000)
#define DAT_IA_FIELD_IA_MAX_MTU_SIZE	DAT_IA_FIELD_IA_MAX_MESSAGE_SIZE
#define DAT_IA_FIELD_IA_MAX_DTO_PER_OP	DAT_IA_FIELD_IA_MAX_DTO_PER_EP
#define DAT_IA_FIELD_NONE		UINT64_C(0x0)
#define DAT_IA_ALL			DAT_IA_FIELD_ALL

/* An adapter that can be opened. */
typedef struct dat_provider_info {
	char ia_name[DAT_NAME_MAX_LENGTH];
	DAT_UINT32 dapl_version_major;
	DAT_UINT32 dapl_version_minor;
	DAT_BOOLEAN is_thread_safe;
} DAT_PROVIDER_INFO;

/* ---- endpoints and shared receive queues --------------------------------- */

typedef enum dat_service_type {
	DAT_SERVICE_TYPE_RC = 0,
	DAT_SERVICE_TYPE_EXTENSION_BASE = 1
} DAT_SERVICE_TYPE;

/* Zero says: as the provider likes it; queried, what the EP has. */
typedef struct dat_ep_attr {
	DAT_SERVICE_TYPE service_type;
	DAT_SEG_LENGTH max_message_size;
	DAT_SEG_LENGTH max_rdma_size;
	DAT_QOS qos;
	DAT_COMPLETION_FLAGS recv_completion_flags;
	DAT_COMPLETION_FLAGS request_completion_flags;
	DAT_COUNT max_recv_dtos;
	DAT_COUNT max_request_dtos;
	DAT_COUNT max_recv_iov;
	DAT_COUNT max_request_iov;
	DAT_COUNT max_rdma_read_in;
	DAT_COUNT max_rdma_read_out;
	DAT_COUNT srq_soft_hw;
	DAT_COUNT max_rdma_read_iov;
	DAT_COUNT max_rdma_write_iov;
	DAT_COUNT ep_transport_specific_count;
	DAT_NAMED_ATTR *ep_transport_specific;
	DAT_COUNT ep_provider_specific_count;
	DAT_NAMED_ATTR *ep_provider_specific;
} DAT_EP_ATTR;

typedef enum dat_ep_state {
	DAT_EP_STATE_UNCONNECTED = 0,
	DAT_EP_STATE_UNCONFIGURED_UNCONNECTED = 1,
	DAT_EP_STATE_RESERVED = 2,		/* it is an RSP's */
	DAT_EP_STATE_UNCONFIGURED_RESERVED = 3,
	DAT_EP_STATE_PASSIVE_CONNECTION_PENDING = 4, /* it is a request's */
	DAT_EP_STATE_UNCONFIGURED_PASSIVE = 5,
	DAT_EP_STATE_ACTIVE_CONNECTION_PENDING = 6, /* it connects */
	DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING = 7, /* made for a request */
	DAT_EP_STATE_UNCONFIGURED_TENTATIVE = 8,
	DAT_EP_STATE_CONNECTED = 9,
	DAT_EP_STATE_DISCONNECT_PENDING = 10,	/* requests may finish */
	DAT_EP_STATE_DISCONNECTED = 11,
	DAT_EP_STATE_COMPLETION_PENDING = 12,	/* accepted, not yet connected */
	DAT_EP_STATE_CONNECTED_SINGLE_PATH = 13,
	DAT_EP_STATE_CONNECTED_MULTI_PATH = 14
} DAT_EP_STATE;

#define DAT_EP_STATE_ERROR	DAT_EP_STATE_DISCONNECTED

typedef struct dat_ep_param {
	DAT_IA_HANDLE ia_handle;
	DAT_EP_STATE ep_state;
	DAT_COMM comm;
	DAT_IA_ADDRESS_PTR local_ia_address_ptr;
	DAT_PORT_QUAL local_port_qual;
	DAT_IA_ADDRESS_PTR remote_ia_address_ptr;
	DAT_PORT_QUAL remote_port_qual;
	DAT_PZ_HANDLE pz_handle;
	DAT_EVD_HANDLE recv_evd_handle;
	DAT_EVD_HANDLE request_evd_handle;
	DAT_EVD_HANDLE connect_evd_handle;
	DAT_SRQ_HANDLE srq_handle;
	DAT_EP_ATTR ep_attr;
} DAT_EP_PARAM;

/* One bit for each member; attributes begin at bit 12. */
typedef DAT_UINT64 DAT_EP_PARAM_MASK;
#define DAT_EP_FIELD_IA_HANDLE UINT64_C(0x1)
#define DAT_EP_FIELD_EP_STATE UINT64_C(0x2)
#define DAT_EP_FIELD_COMM UINT64_C(0x4)
#define DAT_EP_FIELD_LOCAL_IA_ADDRESS_PTR UINT64_C(0x8)
#define DAT_EP_FIELD_LOCAL_PORT_QUAL UINT64_C(0x10)
#define DAT_EP_FIELD_REMOTE_IA_ADDRESS_PTR UINT64_C(0x20)
#define DAT_EP_FIELD_REMOTE_PORT_QUAL UINT64_C(0x40)
#define DAT_EP_FIELD_PZ_HANDLE UINT64_C(0x80)
#define DAT_EP_FIELD_RECV_EVD_HANDLE UINT64_C(0x100)
#define DAT_EP_FIELD_REQUEST_EVD_HANDLE UINT64_C(0x200)
#define DAT_EP_FIELD_CONNECT_EVD_HANDLE UINT64_C(0x400)
#define DAT_EP_FIELD_SRQ_HANDLE UINT64_C(0x800)
#define DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE UINT64_C(0x1000)
#define DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE UINT64_C(0x2000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RDMA_SIZE UINT64_C(0x4000)
#define DAT_EP_FIELD_EP_ATTR_QOS UINT64_C(0x8000)
#define DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS UINT64_C(0x10000)
#define DAT_EP_FIELD_EP_ATTR_REQUEST_COMPLETION_FLAGS UINT64_C(0x20000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS UINT64_C(0x40000)
#define DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS UINT64_C(0x80000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV UINT64_C(0x100000)
#define DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV UINT64_C(0x200000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN UINT64_C(0x400000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT UINT64_C(0x800000)
#define DAT_EP_FIELD_EP_ATTR_SRQ_SOFT_HW UINT64_C(0x1000000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IOV UINT64_C(0x2000000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV UINT64_C(0x4000000)
#define DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR UINT64_C(0x8000000)
#define DAT_EP_FIELD_EP_ATTR_TRANSPORT_SPECIFIC_ATTR UINT64_C(0x10000000)
#define DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR UINT64_C(0x20000000)
#define DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR UINT64_C(0x40000000)
#define DAT_EP_FIELD_EP_ATTR_ALL	UINT64_C(0x7ffff000)
#define DAT_EP_FIELD_ALL		UINT64_C(0x7fffffff)

#define DAT_WATERMARK_INFINITE	((DAT_COUNT)~0)
#define DAT_HW_DEFAULT		DAT_WATERMARK_INFINITE
#define DAT_SRQ_LW_DEFAULT	0x0

/* A count that the provider cannot tell. */
#define DAT_VALUE_UNKNOWN	(((DAT_COUNT)~0) - 1)

typedef enum dat_srq_state {
	DAT_SRQ_STATE_ERROR = 0,
	DAT_SRQ_STATE_OPERATIONAL = 1,
	DAT_SRQ_STATE_SHUTDOWN = 2
} DAT_SRQ_STATE;

typedef struct dat_srq_attr {
	DAT_COUNT max_recv_dtos;
	DAT_COUNT max_recv_iov;
	DAT_COUNT low_watermark;
} DAT_SRQ_ATTR;

typedef struct dat_srq_param {
	DAT_IA_HANDLE ia_handle;
	DAT_SRQ_STATE srq_state;
	DAT_PZ_HANDLE pz_handle;
	DAT_COUNT max_recv_dtos;
	DAT_COUNT max_recv_iov;
	DAT_COUNT low_watermark;
	DAT_COUNT available_dto_count;
	DAT_COUNT outstanding_dto_count;
} DAT_SRQ_PARAM;

typedef enum dat_srq_param_mask {
	DAT_SRQ_FIELD_IA_HANDLE = 0x001,
	DAT_SRQ_FIELD_SRQ_STATE = 0x002,
	DAT_SRQ_FIELD_PZ_HANDLE = 0x004,
	DAT_SRQ_FIELD_MAX_RECV_DTO = 0x008,
	DAT_SRQ_FIELD_MAX_RECV_IOV = 0x010,
	DAT_SRQ_FIELD_LOW_WATERMARK = 0x020,
	DAT_SRQ_FIELD_AVAILABLE_DTO_COUNT = 0x040,
	DAT_SRQ_FIELD_OUTSTANDING_DTO_COUNT = 0x080,
	DAT_SRQ_FIELD_ALL = 0x0ff
} DAT_SRQ_PARAM_MASK;

/* ---- what the other queries tell ----------------------------------------- */

typedef struct dat_pz_param {
	DAT_IA_HANDLE ia_handle;
} DAT_PZ_PARAM;

typedef enum dat_pz_param_mask {
	DAT_PZ_FIELD_IA_HANDLE = 0x01,
	DAT_PZ_FIELD_ALL = 0x01
} DAT_PZ_PARAM_MASK;

typedef struct dat_psp_param {
	DAT_IA_HANDLE ia_handle;
	DAT_CONN_QUAL conn_qual;
	DAT_EVD_HANDLE evd_handle;
	DAT_PSP_FLAGS psp_flags;
} DAT_PSP_PARAM;

typedef enum dat_psp_param_mask {
	DAT_PSP_FIELD_IA_HANDLE = 0x01,
	DAT_PSP_FIELD_CONN_QUAL = 0x02,
	DAT_PSP_FIELD_EVD_HANDLE = 0x04,
	DAT_PSP_FIELD_PSP_FLAGS = 0x08,
	DAT_PSP_FIELD_ALL = 0x0f
} DAT_PSP_PARAM_MASK;

typedef struct dat_rsp_param {
	DAT_IA_HANDLE ia_handle;
	DAT_CONN_QUAL conn_qual;
	DAT_EVD_HANDLE evd_handle;
	DAT_EP_HANDLE ep_handle;
} DAT_RSP_PARAM;

typedef enum dat_rsp_param_mask {
	DAT_RSP_FIELD_IA_HANDLE = 0x01,
	DAT_RSP_FIELD_CONN_QUAL = 0x02,
	DAT_RSP_FIELD_EVD_HANDLE = 0x04,
	DAT_RSP_FIELD_EP_HANDLE = 0x08,
	DAT_RSP_FIELD_ALL = 0x0f
} DAT_RSP_PARAM_MASK;

typedef struct dat_csp_param {
	DAT_IA_HANDLE ia_handle;
	DAT_COMM *comm;
	DAT_IA_ADDRESS_PTR address_ptr;
	DAT_EVD_HANDLE evd_handle;
} DAT_CSP_PARAM;

typedef enum dat_csp_param_mask {
	DAT_CSP_FIELD_IA_HANDLE = 0x01,
	DAT_CSP_FIELD_COMM = 0x02,
	DAT_CSP_FIELD_IA_ADDRESS = 0x04,
	DAT_CSP_FIELD_EVD_HANDLE = 0x08,
	DAT_CSP_FIELD_ALL = 0x0f
} DAT_CSP_PARAM_MASK;

/* The pointers are good until the request is accepted, rejected or handed on. */
typedef struct dat_cr_param {
	DAT_IA_ADDRESS_PTR remote_ia_address_ptr;
	DAT_PORT_QUAL remote_port_qual;
	DAT_COUNT private_data_size;
	DAT_PVOID private_data;
	DAT_EP_HANDLE local_ep_handle;	/* NULL: the consumer brings one */
} DAT_CR_PARAM;

typedef enum dat_cr_param_mask {
	DAT_CR_FIELD_REMOTE_IA_ADDRESS_PTR = 0x01,
	DAT_CR_FIELD_REMOTE_PORT_QUAL = 0x02,
	DAT_CR_FIELD_PRIVATE_DATA_SIZE = 0x04,
	DAT_CR_FIELD_PRIVATE_DATA = 0x08,
	DAT_CR_FIELD_LOCAL_EP_HANDLE = 0x10,
	DAT_CR_FIELD_ALL = 0x1f
} DAT_CR_PARAM_MASK;

/* Each side has its own: kdat.h, udat.h. */
typedef struct dat_evd_param DAT_EVD_PARAM;

/* ---- events -------------------------------------------------------------- */

/*
 * An event may be older than the end of what it is about. A handle in it is looked
 * up when the event is given to the consumer, by an upcall or by dat_evd_dequeue():
 * of an object that is gone by then it is NULL, and all else in the event is as it
 * was. Later it is the consumer's business, as with any handle, that the object is
 * not freed while he uses it.
 */
typedef enum dat_event_number {
	DAT_DTO_COMPLETION_EVENT = 0x00001,
	DAT_RMR_BIND_COMPLETION_EVENT = 0x01001,
	DAT_CONNECTION_REQUEST_EVENT = 0x02001,
	DAT_CONNECTION_EVENT_ESTABLISHED = 0x04001,
	DAT_CONNECTION_EVENT_PEER_REJECTED = 0x04002,
	DAT_CONNECTION_EVENT_NON_PEER_REJECTED = 0x04003,
	DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR = 0x04004,
	DAT_CONNECTION_EVENT_DISCONNECTED = 0x04005,
	DAT_CONNECTION_EVENT_BROKEN = 0x04006,
	DAT_CONNECTION_EVENT_TIMED_OUT = 0x04007,
	DAT_CONNECTION_EVENT_UNREACHABLE = 0x04008,
	DAT_ASYNC_ERROR_EVD_OVERFLOW = 0x08001,
	DAT_ASYNC_ERROR_IA_CATASTROPHIC = 0x08002,
	DAT_ASYNC_ERROR_EP_BROKEN = 0x08003,
	DAT_ASYNC_ERROR_TIMED_OUT = 0x08004,
	DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR = 0x08005,
	DAT_HA_DOWN_TO_1 = 0x08101,
	DAT_HA_UP_TO_MULTI_PATH = 0x08102,
	DAT_SOFTWARE_EVENT = 0x10001,
	DAT_EXTENSION_EVENT = 0x20000,
	DAT_IB_EXTENSION_RANGE_BASE = 0x40000,
	DAT_IW_EXTENSION_RANGE_BASE = 0x80000
} DAT_EVENT_NUMBER;

/* How a transfer or a bind ended. */
typedef enum dat_dto_completion_status {
	DAT_DTO_SUCCESS = 0,
	DAT_DTO_ERR_FLUSHED = 1,	/* the connection ended first */
	DAT_DTO_ERR_LOCAL_LENGTH = 2,
	DAT_DTO_ERR_LOCAL_EP = 3,
	DAT_DTO_ERR_LOCAL_PROTECTION = 4,
	DAT_DTO_ERR_BAD_RESPONSE = 5,
	DAT_DTO_ERR_REMOTE_ACCESS = 6,
	DAT_DTO_ERR_REMOTE_RESPONDER = 7,
	DAT_DTO_ERR_TRANSPORT = 8,
	DAT_DTO_ERR_RECEIVER_NOT_READY = 9,
	DAT_DTO_ERR_PARTIAL_PACKET = 10,
	DAT_RMR_OPERATION_FAILED = 11,
	DAT_DTO_ERR_LOCAL_MM_ERROR = 12
} DAT_DTO_COMPLETION_STATUS;

#define DAT_DTO_LENGTH_ERROR		DAT_DTO_ERR_LOCAL_LENGTH
#define DAT_DTO_FAILURE			DAT_DTO_ERR_FLUSHED
#define DAT_RMR_BIND_SUCCESS		DAT_DTO_SUCCESS
#define DAT_RMR_BIND_FAILURE		DAT_DTO_ERR_FLUSHED
#define DAT_RMR_BIND_COMPLETION_STATUS	DAT_DTO_COMPLETION_STATUS

/*
 * DAT_DTO_COMPLETION_EVENT; the length (sic) counts where it succeeded. The EP is NULL
 * where it was freed; the cookie still tells which operation it was.
 *
 * The context is of DAT_DTO_RECEIVE_WITH_INVALIDATE, else 0: what the peer's message
 * made invalid. It is what the peer named, so compare it with what the peer was to
 * name. An RMR that was bound under it is bound to nothing, an LMR of
 * dat_lmr_allocate() that was tied under it is tied to nothing, as their queries say,
 * and nothing is to be posted for that. Other LMRs are not made invalid by peers; where
 * a device does it all the same, transfers from and to them fail until they are freed.
 */
typedef struct dat_dto_completion_event_data {
	DAT_EP_HANDLE ep_handle;
	DAT_DTO_COOKIE user_cookie;
	DAT_DTO_COMPLETION_STATUS status;
	DAT_SEG_LENGTH transfered_length;
	DAT_DTOS operation;
	DAT_RMR_CONTEXT rmr_context;	/* see above */
} DAT_DTO_COMPLETION_EVENT_DATA;

/* DAT_RMR_BIND_COMPLETION_EVENT; the RMR is NULL where it was freed. */
typedef struct dat_rmr_bind_completion_event_data {
	DAT_RMR_HANDLE rmr_handle;
	DAT_RMR_COOKIE user_cookie;
	DAT_RMR_BIND_COMPLETION_STATUS status;
} DAT_RMR_BIND_COMPLETION_EVENT_DATA;

typedef union dat_sp_handle {
	DAT_RSP_HANDLE rsp_handle;
	DAT_PSP_HANDLE psp_handle;
	DAT_CSP_HANDLE csp_handle;
} DAT_SP_HANDLE;

/*
 * DAT_CONNECTION_REQUEST_EVENT: the request is the consumer's to answer. It is never
 * NULL: of one that is gone there is no event. The service point is, where it was
 * freed; the request can be answered all the same.
 */
typedef struct dat_cr_arrival_event_data {
	DAT_SP_HANDLE sp_handle;
	DAT_IA_ADDRESS_PTR local_ia_address_ptr;
	DAT_CONN_QUAL conn_qual;
	DAT_CR_HANDLE cr_handle;
	DAT_BOOLEAN truncate_flag;	/* private data was cut */
} DAT_CR_ARRIVAL_EVENT_DATA;

/*
 * DAT_CONNECTION_EVENT_*; the data is good until the EP is reset or freed. Where it was
 * freed before, the EP and the data are NULL and the size is 0.
 */
typedef struct dat_connection_event_data {
	DAT_EP_HANDLE ep_handle;
	DAT_COUNT private_data_size;
	DAT_PVOID private_data;
} DAT_CONNECTION_EVENT_DATA;

/*
 * DAT_ASYNC_ERROR_*: what it is about, and the reason, by the object's kind. The
 * handle is NULL where the object was freed.
 */
typedef struct dat_asynch_error_event_data {
	DAT_HANDLE dat_handle;
	DAT_COUNT reason;
} DAT_ASYNCH_ERROR_EVENT_DATA;

/* DAT_SOFTWARE_EVENT */
typedef struct dat_software_event_data {
	DAT_PVOID pointer;
} DAT_SOFTWARE_EVENT_DATA;

typedef union dat_event_data {
	DAT_DTO_COMPLETION_EVENT_DATA dto_completion_event_data;
	DAT_RMR_BIND_COMPLETION_EVENT_DATA rmr_completion_event_data;
	DAT_CR_ARRIVAL_EVENT_DATA cr_arrival_event_data;
	DAT_CONNECTION_EVENT_DATA connect_event_data;
	DAT_ASYNCH_ERROR_EVENT_DATA asynch_error_event_data;
	DAT_SOFTWARE_EVENT_DATA software_event_data;
} DAT_EVENT_DATA;

typedef struct dat_event {
	DAT_EVENT_NUMBER event_number;
	DAT_EVD_HANDLE evd_handle;
	DAT_EVENT_DATA event_data;
	DAT_UINT64 event_extension_data[8];
} DAT_EVENT;

typedef enum dat_ia_async_error_reason {
	DAT_IA_CATASTROPHIC_ERROR = 0,	/* the device is gone */
	DAT_IA_OTHER_ERROR = 1
} DAT_IA_ASYNC_ERROR_REASON;

typedef enum dat_ep_async_error_reason {
	DAT_EP_TRANSFER_TO_ERROR = 0,
	DAT_EP_OTHER_ERROR = 1,
	DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT = 2
} DAT_EP_ASYNC_ERROR_REASON;

typedef enum dat_evd_async_error_reason {
	DAT_EVD_OVERFLOW_ERROR = 0,
	DAT_EVD_OTHER_ERROR = 1
} DAT_EVD_ASYNC_ERROR_REASON;

typedef enum dat_srq_async_error_reason {
	DAT_SRQ_TRANSFER_TO_ERROR = 0,
	DAT_SRQ_OTHER_ERROR = 1,
	DAT_SRQ_LOW_WATERMARK_EVENT = 2
} DAT_SRQ_ASYNC_ERROR_REASON;

typedef enum dat_lmr_async_error_reason {
	DAT_LMR_OTHER_ERROR = 0
} DAT_LMR_ASYNC_ERROR_REASON;

typedef enum dat_rmr_async_error_reason {
	DAT_RMR_OTHER_ERROR = 0
} DAT_RMR_ASYNC_ERROR_REASON;

typedef enum dat_pz_async_error_reason {
	DAT_PZ_OTHER_ERROR = 0
} DAT_PZ_ASYNC_ERROR_REASON;

typedef enum dat_ha_relationship {
	DAT_HA_FALSE = 0,
	DAT_HA_TRUE = 1,
	DAT_HA_UNKNOWN = 2,
	DAT_HA_CONFLICTING = 3,
	DAT_HA_EXTENSION_BASE = 4
} DAT_HA_RELATIONSHIP;

/* ---- adapters ------------------------------------------------------------ */

/**
 * dat_ia_openv() - open an adapter
 * @name: of the adapter or of its network device
 * @qlen: events that the EVD made for @async_evd must hold
 * @async_evd: in: an EVD of another IA of the adapter, or NULL: one is made, in the
 *	kernel with upcalls disabled; out: the EVD for asynchronous events
 * @ia: out
 * @major: version of the consumer's headers
 * @minor: likewise
 * @threadsafe: whether a thread-safe provider is wanted; this one is
 *
 * The module cannot be unloaded before the IA is closed. When the device
 * is removed, DAT_ASYNC_ERROR_IA_CATASTROPHIC comes, and frees still succeed.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_PROVIDER_NOT_FOUND, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES.
 */
DAT_RETURN dat_ia_openv(const DAT_NAME_PTR name, DAT_COUNT qlen,
			DAT_EVD_HANDLE *async_evd, DAT_IA_HANDLE *ia,
			DAT_UINT32 major, DAT_UINT32 minor,
			DAT_BOOLEAN threadsafe);

/**
 * dat_ia_query() - what an adapter and its provider can do
 * @ia: the IA
 * @async_evd: out: the EVD for asynchronous events that was made with @ia; NULL
 *	when it was lent: it may have gone with its own IA. May be NULL
 * @ia_mask: attributes wanted
 * @ia_attr: out; NULL where none is wanted
 * @provider_mask: attributes wanted
 * @provider_attr: out; NULL where none is wanted
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_ia_query(DAT_IA_HANDLE ia, DAT_EVD_HANDLE *async_evd,
			DAT_IA_ATTR_MASK ia_mask, DAT_IA_ATTR *ia_attr,
			DAT_PROVIDER_ATTR_MASK provider_mask,
			DAT_PROVIDER_ATTR *provider_attr);

/**
 * dat_ia_close() - close an adapter
 * @ia: the IA
 * @flags: DAT_CLOSE_ABRUPT_FLAG frees all that belongs to it; with
 *	DAT_CLOSE_GRACEFUL_FLAG nothing of the consumer's may be left
 *
 * No upcall runs, and none will, when it returns; so it is not for upcalls.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE.
 */
DAT_RETURN dat_ia_close(DAT_IA_HANDLE ia, DAT_CLOSE_FLAGS flags);

/**
 * dat_registry_list_providers() - the adapters that can be opened
 * @max: entries of @list
 * @entries: out: adapters that there are
 * @list: pointers to where each is described
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_PARAMETER where @list is too short.
 */
DAT_RETURN dat_registry_list_providers(DAT_COUNT max, DAT_COUNT *entries,
				       DAT_PROVIDER_INFO *list[]);

/**
 * dat_registry_providers_related() - whether two adapters back each other up
 * @name: an adapter
 * @other: another
 * @answer: out: DAT_HA_FALSE, of any two: a connection has one adapter for life
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_PARAMETER, DAT_PROVIDER_NOT_FOUND.
 */
DAT_RETURN dat_registry_providers_related(const DAT_NAME_PTR name,
					  const DAT_NAME_PTR other,
					  DAT_HA_RELATIONSHIP *answer);

/**
 * dat_strerror() - a result in words
 * @value: what a call returned
 * @major: out: its type in words
 * @minor: out: its subtype in words
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_PARAMETER for what no call returns.
 */
DAT_RETURN dat_strerror(DAT_RETURN value, const char **major,
			const char **minor);

/* ---- all handles --------------------------------------------------------- */

/**
 * dat_set_consumer_context() - tie eight bytes to an object
 * @handle: any object
 * @context: the consumer's own
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_set_consumer_context(DAT_HANDLE handle, DAT_CONTEXT context);

/**
 * dat_get_consumer_context() - what was tied to an object
 * @handle: any object
 * @context: out: zero where none was set
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_get_consumer_context(DAT_HANDLE handle, DAT_CONTEXT *context);

/**
 * dat_get_handle_type() - what kind of object a handle names
 * @handle: any object
 * @type: out
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_get_handle_type(DAT_HANDLE handle, DAT_HANDLE_TYPE *type);

/* ---- protection zones ---------------------------------------------------- */

/**
 * dat_pz_create() - make a protection zone
 * @ia: the IA
 * @pz: out
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES.
 */
DAT_RETURN dat_pz_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE *pz);

/**
 * dat_pz_query() - what it is
 * @pz: the object
 * @mask: what is wanted; more may be filled in
 * @param: out
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_pz_query(DAT_PZ_HANDLE pz, DAT_PZ_PARAM_MASK mask,
			DAT_PZ_PARAM *param);

/**
 * dat_pz_free() - free a protection zone
 * @pz: the PZ
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE; DAT_INVALID_STATE while something is
 * in it.
 */
DAT_RETURN dat_pz_free(DAT_PZ_HANDLE pz);

/* ---- event dispatchers --------------------------------------------------- */

/**
 * dat_evd_query() - what it is
 * @evd: the object
 * @mask: what is wanted; more may be filled in
 * @param: out
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_evd_query(DAT_EVD_HANDLE evd, DAT_EVD_PARAM_MASK mask,
			 DAT_EVD_PARAM *param);

/**
 * dat_evd_resize() - change how many events an EVD holds
 * @evd: the EVD
 * @qlen: events it must hold
 *
 * No event is lost. It never gets shorter.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES; DAT_INVALID_STATE where more are queued.
 */
DAT_RETURN dat_evd_resize(DAT_EVD_HANDLE evd, DAT_COUNT qlen);

/**
 * dat_evd_dequeue() - take the oldest event
 * @evd: the EVD
 * @event: out
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_QUEUE_EMPTY.
 */
DAT_RETURN dat_evd_dequeue(DAT_EVD_HANDLE evd, DAT_EVENT *event);

/**
 * dat_evd_post_se() - queue a software event
 * @evd: an EVD for software events
 * @event: of number DAT_SOFTWARE_EVENT
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_QUEUE_FULL.
 */
DAT_RETURN dat_evd_post_se(DAT_EVD_HANDLE evd, const DAT_EVENT *event);

/**
 * dat_evd_free() - free an EVD
 * @evd: the EVD
 *
 * What is queued is lost; peers whose requests are among it are told that nobody takes
 * them. Upcalls that run have ended when it returns: it is not for an upcall of the same
 * EVD.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE; DAT_INVALID_STATE while something
 * feeds it.
 */
DAT_RETURN dat_evd_free(DAT_EVD_HANDLE evd);

/* ---- endpoints ----------------------------------------------------------- */

/**
 * dat_ep_create() - make an endpoint
 * @ia: the IA
 * @pz: of the memory it may use, NULL for none yet
 * @recv_evd: for completions of receives, or NULL
 * @request_evd: for all other completions, or NULL
 * @connect_evd: for connection events, or NULL
 * @attr: NULL for defaults
 * @ep: out: UNCONNECTED
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES, DAT_MODEL_NOT_SUPPORTED.
 */
DAT_RETURN dat_ep_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz,
			 DAT_EVD_HANDLE recv_evd, DAT_EVD_HANDLE request_evd,
			 DAT_EVD_HANDLE connect_evd, const DAT_EP_ATTR *attr,
			 DAT_EP_HANDLE *ep);

/**
 * dat_ep_create_with_srq() - make an endpoint that takes receives from an SRQ
 * @ia: the IA
 * @pz: the one of @srq
 * @recv_evd: for completions of receives; not NULL
 * @request_evd: for all other completions, or NULL
 * @connect_evd: for connection events, or NULL
 * @srq: where its receives come from
 * @attr: not NULL; how many receives it says, of how many segments, does not count
 * @ep: out: UNCONNECTED
 *
 * It has @srq as long as it lives, and takes no receives of its own.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES, DAT_MODEL_NOT_SUPPORTED.
 */
DAT_RETURN dat_ep_create_with_srq(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz,
				  DAT_EVD_HANDLE recv_evd,
				  DAT_EVD_HANDLE request_evd,
				  DAT_EVD_HANDLE connect_evd,
				  DAT_SRQ_HANDLE srq, const DAT_EP_ATTR *attr,
				  DAT_EP_HANDLE *ep);

/**
 * dat_ep_query() - what an endpoint is, and whom it is connected to
 * @ep: the EP
 * @mask: what is wanted; more may be filled in
 * @param: out; addresses live as long as the EP
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_ep_query(DAT_EP_HANDLE ep, DAT_EP_PARAM_MASK mask,
			DAT_EP_PARAM *param);

/**
 * dat_ep_modify() - change an endpoint that is not connected
 * @ep: UNCONNECTED, or it belongs to an RSP or to a request
 * @mask: what changes: the PZ, EVDs, attributes; the other members of the parameters
 *	never do
 * @param: to what; a count of zero says: as the provider likes it
 *
 * An EP that gets its first EVD for a kind of completion gets a queue with it, and
 * loses the queue with the EVD. An EP of an RSP keeps its PZ, one with an SRQ does always.
 * With another PZ the receives that are posted are flushed; for what else needs
 * another queue pair (longer queues, longer lists of segments) there must be none.
 * dat_ep_set_watermark() changes marks. Nothing has changed where this fails.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE, DAT_INSUFFICIENT_RESOURCES, DAT_MODEL_NOT_SUPPORTED.
 */
DAT_RETURN dat_ep_modify(DAT_EP_HANDLE ep, DAT_EP_PARAM_MASK mask,
			 const DAT_EP_PARAM *param);

/**
 * dat_ep_connect() - connect
 * @ep: the EP
 * @address: the peer's
 * @conn_qual: what the peer listens on
 * @timeout: not 0
 * @size: bytes of @private_data
 * @private_data: for the peer
 * @qos: DAT_QOS_BEST_EFFORT
 * @flags: DAT_CONNECT_DEFAULT_FLAG
 *
 * The outcome is an event on the connect EVD.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE, DAT_INVALID_ADDRESS, DAT_INSUFFICIENT_RESOURCES,
 * DAT_MODEL_NOT_SUPPORTED.
 */
DAT_RETURN dat_ep_connect(DAT_EP_HANDLE ep, DAT_IA_ADDRESS_PTR address,
			  DAT_CONN_QUAL conn_qual, DAT_TIMEOUT timeout,
			  DAT_COUNT size, const DAT_PVOID private_data,
			  DAT_QOS qos, DAT_CONNECT_FLAGS flags);

/**
 * dat_ep_dup_connect() - connect to where another endpoint is connected to
 * @ep: the EP
 * @dup: an EP that is connected to the peer
 * @timeout: not 0
 * @size: bytes of @private_data
 * @private_data: for the peer
 * @qos: DAT_QOS_BEST_EFFORT
 *
 * Context: Process, may sleep.
 * Return: as dat_ep_connect().
 */
DAT_RETURN dat_ep_dup_connect(DAT_EP_HANDLE ep, DAT_EP_HANDLE dup,
			      DAT_TIMEOUT timeout, DAT_COUNT size,
			      const DAT_PVOID private_data, DAT_QOS qos);

/**
 * dat_ep_common_connect() - connect to a common service point
 * @ep: the EP
 * @address: the peer's, with port
 * @timeout: not 0
 * @size: bytes of @private_data
 * @private_data: for the peer
 *
 * As dat_ep_connect() with the port as conn_qual: it leads to a PSP or an RSP as well
 * as to a CSP. A port of 0 is refused with DAT_INVALID_ADDRESS.
 *
 * Context: Process, may sleep.
 * Return: as dat_ep_connect().
 */
DAT_RETURN dat_ep_common_connect(DAT_EP_HANDLE ep, DAT_IA_ADDRESS_PTR address,
				 DAT_TIMEOUT timeout, DAT_COUNT size,
				 const DAT_PVOID private_data);

/**
 * dat_ep_disconnect() - end a connection or an attempt
 * @ep: the EP
 * @flags: graceful lets requests finish
 *
 * The end is told by an event, after all completions.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE.
 */
DAT_RETURN dat_ep_disconnect(DAT_EP_HANDLE ep, DAT_CLOSE_FLAGS flags);

/**
 * dat_ep_reset() - make a disconnected endpoint usable again
 * @ep: the EP
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_STATE,
 * DAT_INSUFFICIENT_RESOURCES.
 */
DAT_RETURN dat_ep_reset(DAT_EP_HANDLE ep);

/**
 * dat_ep_free() - free an endpoint
 * @ep: the EP
 *
 * A connection ends abruptly. No event of it comes later; those that are queued
 * stay. No post on it may run meanwhile, or follow: who posts in upcalls ends them
 * first.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE; DAT_INVALID_STATE while it is an
 * RSP's or a request's.
 */
DAT_RETURN dat_ep_free(DAT_EP_HANDLE ep);

/**
 * dat_ep_get_status() - the state of an endpoint
 * @ep: the EP
 * @state: out, or NULL
 * @recv_idle: out, or NULL: no receive is posted
 * @request_idle: out, or NULL: nothing else is
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_ep_get_status(DAT_EP_HANDLE ep, DAT_EP_STATE *state,
			     DAT_BOOLEAN *recv_idle, DAT_BOOLEAN *request_idle);

/**
 * dat_ep_recv_query() - receives that an endpoint holds
 * @ep: the EP
 * @nbufs: out, or NULL: receives that it holds
 * @span: out, or NULL: messages that they do for, which is as many
 *
 * It holds what is posted on it, or what it took from its SRQ, until the event is
 * queued.
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_ep_recv_query(DAT_EP_HANDLE ep, DAT_COUNT *nbufs,
			     DAT_COUNT *span);

/**
 * dat_ep_set_watermark() - how many receives an endpoint may hold
 * @ep: the EP
 * @soft: with more receives one event, once; DAT_WATERMARK_INFINITE for none
 * @hard: with more the connection breaks; likewise
 *
 * What it holds: see dat_ep_recv_query(). Each call arms both marks again. The event
 * is DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR with the EP's handle and
 * DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT; it may come at once.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES.
 */
DAT_RETURN dat_ep_set_watermark(DAT_EP_HANDLE ep, DAT_COUNT soft,
				DAT_COUNT hard);

/*
 * Of all posts: @iov has been read when the call returns. The memory that it names is the
 * device's, and stays registered, until the event of the operation's completion, or of one
 * that was posted behind it, has come. In the kernel a segment that no LMR of the EP's zone
 * holds, or whose LMR lacks the privilege, is DAT_PROTECTION_VIOLATION; a program is told
 * what the manual pages say, DAT_INVALID_PARAMETER and DAT_PRIVILEGES_VIOLATION among it.
 * DAT_LENGTH_ERROR: more bytes than a message of the adapter has.
 */

/**
 * dat_ep_post_send() - send a message
 * @ep: the EP
 * @num: segments of @iov
 * @iov: local memory
 * @cookie: comes back in the completion event
 * @flags: how the completion is told, and the fence
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE, DAT_INSUFFICIENT_RESOURCES, DAT_PROTECTION_VIOLATION,
 * DAT_PRIVILEGES_VIOLATION, DAT_LENGTH_ERROR.
 */
DAT_RETURN dat_ep_post_send(DAT_EP_HANDLE ep, DAT_COUNT num,
			    DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie,
			    DAT_COMPLETION_FLAGS flags);

/**
 * dat_ep_post_send_with_invalidate() - send a message and invalidate an RMR context
 * @ep: the EP
 * @num: segments of @iov
 * @iov: local memory
 * @cookie: comes back in the completion event
 * @flags: how the completion is told, and the fence
 * @invalidate: whether there is something to invalidate
 * @rmr_context: of the peer's, invalid when the message is there
 *
 * The peer's receive completes as DAT_DTO_RECEIVE_WITH_INVALIDATE, that of a program
 * of uDAPL 1.2 as any other. Where the peer has no such context the connection
 * breaks, save where its adapter compares less than the whole of it (soft iWARP).
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE, DAT_INSUFFICIENT_RESOURCES, DAT_PROTECTION_VIOLATION,
 * DAT_PRIVILEGES_VIOLATION, DAT_LENGTH_ERROR, DAT_MODEL_NOT_SUPPORTED.
 */
DAT_RETURN dat_ep_post_send_with_invalidate(DAT_EP_HANDLE ep, DAT_COUNT num,
					    DAT_LMR_TRIPLET *iov,
					    DAT_DTO_COOKIE cookie,
					    DAT_COMPLETION_FLAGS flags,
					    DAT_BOOLEAN invalidate,
					    DAT_RMR_CONTEXT rmr_context);

/**
 * dat_ep_post_recv() - post a receive
 * @ep: the EP
 * @num: segments of @iov
 * @iov: local memory
 * @cookie: comes back in the completion event
 * @flags: how the completion is told, and the fence
 *
 * In all states.
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE, DAT_INSUFFICIENT_RESOURCES, DAT_PROTECTION_VIOLATION,
 * DAT_PRIVILEGES_VIOLATION, DAT_LENGTH_ERROR.
 */
DAT_RETURN dat_ep_post_recv(DAT_EP_HANDLE ep, DAT_COUNT num,
			    DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie,
			    DAT_COMPLETION_FLAGS flags);

/**
 * dat_ep_post_rdma_read() - read the peer's memory
 * @ep: the EP
 * @num: segments of @iov
 * @iov: local memory
 * @cookie: comes back in the completion event
 * @remote: the peer's memory
 * @flags: how the completion is told, and the fence
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE, DAT_INSUFFICIENT_RESOURCES, DAT_PROTECTION_VIOLATION,
 * DAT_PRIVILEGES_VIOLATION, DAT_LENGTH_ERROR.
 */
DAT_RETURN dat_ep_post_rdma_read(DAT_EP_HANDLE ep, DAT_COUNT num,
				 DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie,
				 const DAT_RMR_TRIPLET *remote,
				 DAT_COMPLETION_FLAGS flags);

/**
 * dat_ep_post_rdma_write() - write the peer's memory
 * @ep: the EP
 * @num: segments of @iov
 * @iov: local memory
 * @cookie: comes back in the completion event
 * @remote: the peer's memory
 * @flags: how the completion is told, and the fence
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE, DAT_INSUFFICIENT_RESOURCES, DAT_PROTECTION_VIOLATION,
 * DAT_PRIVILEGES_VIOLATION, DAT_LENGTH_ERROR.
 */
DAT_RETURN dat_ep_post_rdma_write(DAT_EP_HANDLE ep, DAT_COUNT num,
				  DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie,
				  const DAT_RMR_TRIPLET *remote,
				  DAT_COMPLETION_FLAGS flags);

/**
 * dat_ep_post_rdma_read_to_rmr() - read the peer's memory into an RMR
 * @ep: the EP
 * @local: own memory, by its RMR context
 * @cookie: comes back in the completion event
 * @remote: the peer's memory
 * @flags: how the completion is told, and the fence
 *
 * @local lies in what an RMR of the EP's zone is bound to, with remote write, by the
 * last bind that was posted. That bind was posted on the same EP, or has completed.
 * The next one ends the context under a read that is not finished: it should have
 * DAT_COMPLETION_BARRIER_FENCE_FLAG, or wait for the read.
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE, DAT_INSUFFICIENT_RESOURCES, DAT_LENGTH_ERROR;
 * DAT_PROTECTION_VIOLATION where no RMR allows it.
 */
DAT_RETURN dat_ep_post_rdma_read_to_rmr(DAT_EP_HANDLE ep,
					const DAT_RMR_TRIPLET *local,
					DAT_DTO_COOKIE cookie,
					const DAT_RMR_TRIPLET *remote,
					DAT_COMPLETION_FLAGS flags);

/* ---- shared receive queues ----------------------------------------------- */

/**
 * dat_srq_create() - make a shared receive queue
 * @ia: the IA
 * @pz: of its receives, and its EPs
 * @attr: how many receives of how many segments; the mark is DAT_SRQ_LW_DEFAULT
 * @srq: out
 *
 * When the device fails it, or refuses a receive, its state is DAT_SRQ_STATE_ERROR, and
 * DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR comes with its handle and
 * DAT_SRQ_TRANSFER_TO_ERROR. An event of a receive names the EP that took it.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES, DAT_MODEL_NOT_SUPPORTED.
 */
DAT_RETURN dat_srq_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz,
			  DAT_SRQ_ATTR *attr, DAT_SRQ_HANDLE *srq);

/**
 * dat_srq_query() - what it is
 * @srq: the object
 * @mask: what is wanted; more may be filled in
 * @param: out: available are receives that no EP has taken, outstanding those and
 *	the ones whose events the consumer has not dequeued
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_srq_query(DAT_SRQ_HANDLE srq, DAT_SRQ_PARAM_MASK mask,
			 DAT_SRQ_PARAM *param);

/**
 * dat_srq_post_recv() - post a receive for any of its endpoints
 * @srq: the SRQ
 * @num: segments of @iov
 * @iov: local memory
 * @cookie: comes back in the completion event
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER;
 * DAT_INVALID_STATE where the SRQ has failed; DAT_INSUFFICIENT_RESOURCES where it
 * is full; DAT_PROTECTION_VIOLATION for memory that it may not write.
 */
DAT_RETURN dat_srq_post_recv(DAT_SRQ_HANDLE srq, DAT_COUNT num,
			     DAT_LMR_TRIPLET *iov, DAT_DTO_COOKIE cookie);

/**
 * dat_srq_resize() - change how many receives it holds
 * @srq: the SRQ
 * @max_recvs: receives it must hold
 *
 * It never gets shorter.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES; DAT_INVALID_STATE where more are outstanding, or
 * the low watermark is higher.
 */
DAT_RETURN dat_srq_resize(DAT_SRQ_HANDLE srq, DAT_COUNT max_recvs);

/**
 * dat_srq_set_lw() - ask to be told when receives run out
 * @srq: the SRQ
 * @low: with fewer that no EP has taken one event, once; it may come at once. 0 for
 *	none
 *
 * The event is DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR with the SRQ's handle and
 * DAT_SRQ_LOW_WATERMARK_EVENT. Each call arms it again.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INSUFFICIENT_RESOURCES;
 * DAT_INVALID_PARAMETER also where the SRQ holds fewer.
 */
DAT_RETURN dat_srq_set_lw(DAT_SRQ_HANDLE srq, DAT_COUNT low);

/**
 * dat_srq_free() - free a shared receive queue
 * @srq: the SRQ
 *
 * What is on it does not complete.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE; DAT_INVALID_STATE while an EP has
 * it.
 */
DAT_RETURN dat_srq_free(DAT_SRQ_HANDLE srq);

/* ---- service points and connection requests ------------------------------ */

/**
 * dat_psp_create() - listen
 * @ia: the IA
 * @conn_qual: what peers connect to
 * @evd: for the requests; its length bounds the backlog
 * @flags: who makes the EPs: with DAT_PSP_PROVIDER_FLAG each request brings one along
 * @psp: out
 *
 * dat_cr_query() names the EP that a request brings along. It is TENTATIVE, and has
 * no PZ and EVDs, nor room for transfers: dat_ep_modify() gives it those before
 * dat_cr_accept(), with NULL for the EP. From then on it is the consumer's; if the
 * request ends otherwise it is gone.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES, DAT_CONN_QUAL_IN_USE; in the kernel DAT_INVALID_ADDRESS
 * where no address of the adapter can be listened on.
 */
DAT_RETURN dat_psp_create(DAT_IA_HANDLE ia, DAT_CONN_QUAL conn_qual,
			  DAT_EVD_HANDLE evd, DAT_PSP_FLAGS flags,
			  DAT_PSP_HANDLE *psp);

/**
 * dat_psp_create_any() - listen on any free connection qualifier
 * @ia: the IA
 * @conn_qual: out
 * @evd: for the requests; its length bounds the backlog
 * @flags: who makes the EPs: with DAT_PSP_PROVIDER_FLAG each request brings one along
 * @psp: out
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES, DAT_CONN_QUAL_UNAVAILABLE.
 */
DAT_RETURN dat_psp_create_any(DAT_IA_HANDLE ia, DAT_CONN_QUAL *conn_qual,
			      DAT_EVD_HANDLE evd, DAT_PSP_FLAGS flags,
			      DAT_PSP_HANDLE *psp);

/**
 * dat_psp_query() - what it is
 * @psp: the object
 * @mask: what is wanted; more may be filled in
 * @param: out
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_psp_query(DAT_PSP_HANDLE psp, DAT_PSP_PARAM_MASK mask,
			 DAT_PSP_PARAM *param);

/**
 * dat_psp_free() - listen no more
 * @psp: the PSP
 *
 * Requests that were delivered live on.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_psp_free(DAT_PSP_HANDLE psp);

/**
 * dat_rsp_create() - listen for one request
 * @ia: the IA
 * @conn_qual: what the peer connects to
 * @ep: for the one request; NULL: it brings one along, see dat_psp_create()
 * @evd: for the requests; its length bounds the backlog
 * @rsp: out
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES, DAT_CONN_QUAL_IN_USE, DAT_INVALID_STATE.
 */
DAT_RETURN dat_rsp_create(DAT_IA_HANDLE ia, DAT_CONN_QUAL conn_qual,
			  DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd,
			  DAT_RSP_HANDLE *rsp);

/**
 * dat_rsp_query() - what it is
 * @rsp: the object
 * @mask: what is wanted; more may be filled in
 * @param: out
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_rsp_query(DAT_RSP_HANDLE rsp, DAT_RSP_PARAM_MASK mask,
			 DAT_RSP_PARAM *param);

/**
 * dat_rsp_free() - listen no more
 * @rsp: the RSP
 *
 * The EP is UNCONNECTED again, unless the request came.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_rsp_free(DAT_RSP_HANDLE rsp);

/**
 * dat_csp_create() - listen on a socket address
 * @ia: the IA
 * @comm: kind of @address: AF_INET or AF_INET6, SOCK_STREAM, IPPROTO_TCP or 0. Others
 *	are DAT_COMM_NOT_SUPPORTED
 * @address: one of @ia's own, with port; INADDR_ANY and in6addr_any stand for all of
 *	them. With port 0 a free one is chosen, which dat_csp_query() tells
 * @evd: for the requests; its length bounds the backlog
 * @csp: out
 *
 * The ports are those of PSPs, and peers get here with dat_ep_connect(), too; a PSP
 * has its port on all addresses, so one port can have several CSPs. The consumer makes
 * the EPs of the requests, whose events give the port as conn_qual. No request can be
 * handed over to a CSP with dat_cr_handoff().
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES, DAT_PORT_IN_USE, DAT_COMM_NOT_SUPPORTED;
 * DAT_INVALID_ADDRESS where @address is not @ia's.
 */
DAT_RETURN dat_csp_create(DAT_IA_HANDLE ia, DAT_COMM *comm,
			  DAT_IA_ADDRESS_PTR address, DAT_EVD_HANDLE evd,
			  DAT_CSP_HANDLE *csp);

/**
 * dat_csp_query() - what it is
 * @csp: the object
 * @mask: what is wanted; more may be filled in
 * @param: out; what it points to lives as long as @csp
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_csp_query(DAT_CSP_HANDLE csp, DAT_CSP_PARAM_MASK mask,
			 DAT_CSP_PARAM *param);

/**
 * dat_csp_free() - listen no more
 * @csp: the CSP
 *
 * Requests that were delivered live on.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_csp_free(DAT_CSP_HANDLE csp);

/**
 * dat_cr_query() - what it is
 * @cr: the object
 * @mask: what is wanted; more may be filled in
 * @param: out
 *
 * Context: Any up to softirq; with DAT_CR_FIELD_LOCAL_EP_HANDLE process, may
 * sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_cr_query(DAT_CR_HANDLE cr, DAT_CR_PARAM_MASK mask,
			DAT_CR_PARAM *param);

/**
 * dat_cr_accept() - accept a request
 * @cr: the request
 * @ep: UNCONNECTED; NULL for the one that the request brings along
 * @size: bytes of @private_data
 * @private_data: for the peer
 *
 * On success the CR is gone, and an event tells the outcome. Else nothing happened.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE, DAT_INSUFFICIENT_RESOURCES.
 */
DAT_RETURN dat_cr_accept(DAT_CR_HANDLE cr, DAT_EP_HANDLE ep, DAT_COUNT size,
			 const DAT_PVOID private_data);

/**
 * dat_cr_reject() - reject a request
 * @cr: the request
 * @size: bytes of @private_data
 * @private_data: for the peer
 *
 * The CR is gone. This needs no memory: it is there for who has none to accept.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_cr_reject(DAT_CR_HANDLE cr, DAT_COUNT size,
			 const DAT_PVOID private_data);

/**
 * dat_cr_handoff() - give a request to another service point
 * @cr: the request
 * @conn_qual: what the other one (a PSP or an RSP) listens on, on the same adapter
 *
 * On success the CR is gone. Else nothing happened.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_ADDRESS where nobody listens, DAT_INSUFFICIENT_RESOURCES without
 * memory or room in the other one's EVD.
 */
DAT_RETURN dat_cr_handoff(DAT_CR_HANDLE cr, DAT_CONN_QUAL conn_qual);

/* ---- memory -------------------------------------------------------------- */

/**
 * dat_lmr_free() - give registered memory back
 * @lmr: the LMR
 *
 * Nothing that is posted may still name it.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE; DAT_INVALID_STATE while it is in
 * use; DAT_RESERVED_LMR.
 */
DAT_RETURN dat_lmr_free(DAT_LMR_HANDLE lmr);

/**
 * dat_lmr_sync_rdma_read() - let peers read what the processor wrote
 * @ia: the IA
 * @segments: local memory, of any LMRs of @ia
 * @num: segments
 *
 * Needed between the two where the provider's lmr_sync_req says so.
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, and
 * DAT_RESERVED_LMR: who mapped its memory syncs it.
 */
DAT_RETURN dat_lmr_sync_rdma_read(DAT_IA_HANDLE ia,
				  const DAT_LMR_TRIPLET *segments,
				  DAT_VLEN num);

/**
 * dat_lmr_sync_rdma_write() - let the processor read what peers wrote
 * @ia: the IA
 * @segments: local memory, of any LMRs of @ia
 * @num: segments
 *
 * As above: before the processor reads what peers wrote, and before it writes there
 * itself.
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_RESERVED_LMR.
 */
DAT_RETURN dat_lmr_sync_rdma_write(DAT_IA_HANDLE ia,
				   const DAT_LMR_TRIPLET *segments,
				   DAT_VLEN num);

/**
 * dat_rmr_create() - make a window
 * @pz: the PZ
 * @rmr: out: bound to nothing
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES, DAT_MODEL_NOT_SUPPORTED.
 */
DAT_RETURN dat_rmr_create(DAT_PZ_HANDLE pz, DAT_RMR_HANDLE *rmr);

/**
 * dat_rmr_create_for_ep() - make a window for one endpoint at a time
 * @pz: the PZ
 * @rmr: out: bound to nothing
 *
 * There are none here: the kernel has no memory windows for its own use, and the key
 * of an MR is good for the peers of all EPs of its zone. An EP whose memory is
 * nobody else's has a zone of its own.
 *
 * Context: Process, may sleep.
 * Return: DAT_MODEL_NOT_SUPPORTED; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_rmr_create_for_ep(DAT_PZ_HANDLE pz, DAT_RMR_HANDLE *rmr);

/**
 * dat_rmr_query() - what it is
 * @rmr: the object
 * @mask: what is wanted; more may be filled in
 * @param: out
 *
 * The triplet, the privileges and the context are those of the last bind that was
 * posted to the device; all 0 when it is bound to nothing, as after one that failed.
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_rmr_query(DAT_RMR_HANDLE rmr, DAT_RMR_PARAM_MASK mask,
			 DAT_RMR_PARAM *param);

/**
 * dat_rmr_bind() - bind a window to memory
 * @rmr: the RMR
 * @lmr: what it is bound to; not one of dat_lmr_allocate()
 * @part: of the LMR; length 0 unbinds, and the rest and @lmr are not looked at
 * @privileges: of the peer; the local ones mean nothing
 * @va_type: what its first byte is called: DAT_VA_TYPE_VA
 * @ep: that it is posted on, connected or disconnected; of the same PZ, as the LMR
 * @cookie: comes back in the completion event
 * @flags: how the completion is told, and the fence
 * @context: out: for the peer, good when the bind has completed; 0 of an unbinding
 *
 * Takes two of the EP's max_request_dtos until it has completed, with a
 * DAT_RMR_BIND_COMPLETION_EVENT on the EP's request EVD. What is posted on the EP
 * behind it can tell the peer of @context at once. The former context ends with the
 * bind, as dat_rmr_free() says, or when a message of the peer's makes it invalid, which
 * leaves the RMR unbound; do not post a bind while such a message may be on its way:
 * some adapters let it fail. A bind that fails breaks the connection, and leaves the RMR
 * unbound; on an EP that is DISCONNECTED it is flushed, and the RMR stays as it is. An
 * upcall may get the event before @context is stored: dat_rmr_query() tells it there.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER;
 * DAT_INVALID_STATE: of the EP, or binds of this RMR on another EP have not
 * completed, or the LMR is for fast registration; DAT_INSUFFICIENT_RESOURCES;
 * DAT_PROTECTION_VIOLATION: the PZs differ; DAT_PRIVILEGES_VIOLATION: the LMR lacks
 * local read for remote read, or local write for remote write;
 * DAT_MODEL_NOT_SUPPORTED: @va_type; DAT_RESERVED_LMR.
 */
DAT_RETURN dat_rmr_bind(DAT_RMR_HANDLE rmr, DAT_LMR_HANDLE lmr,
			const DAT_LMR_TRIPLET *part,
			DAT_MEM_PRIV_FLAGS privileges, DAT_VA_TYPE va_type,
			DAT_EP_HANDLE ep, DAT_RMR_COOKIE cookie,
			DAT_COMPLETION_FLAGS flags, DAT_RMR_CONTEXT *context);

/**
 * dat_rmr_free() - free a window
 * @rmr: the RMR, bound or not
 *
 * When it returns the context is dead. Soft iWARP still finishes a read of the peer's
 * that had begun: there the memory is the consumer's when the connection is over. Waits for binds that are under way; where they
 * stand behind requests that the peer does not let finish, the connection breaks after
 * two seconds.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_rmr_free(DAT_RMR_HANDLE rmr);

/* Opens an adapter for a consumer that was compiled against these headers. */
#define dat_ia_open(name, qlen, async_evd, ia) \
	dat_ia_openv((name), (qlen), (async_evd), (ia), DAT_VERSION_MAJOR, \
		     DAT_VERSION_MINOR, DAT_THREADSAFE)

#ifdef __cplusplus
}
#endif

#endif /* _DAT_H_ */

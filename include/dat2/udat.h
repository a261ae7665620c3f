/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uDAPL 2.0: the DAT API of programs.
 *
 * <dat2/dat.h> has what the kernel's side has as well: objects, transfers, events.
 * Here is what only programs have: waiting for events, alone or on several queues at
 * once (CNO), registering their own memory, what an adapter and its provider can do,
 * and extensions.
 *
 * All calls are thread-safe in this provider. "Does not sleep" is said of calls that
 * a program can use where it must not be held up.
 */
#ifndef _UDAT_H_
#define _UDAT_H_

#include <dat2/udat_config.h>

/* ---- what dat.h needs to know beforehand --------------------------------- */

/* Kinds of objects, as programs number them. */
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
	DAT_HANDLE_TYPE_SRQ = 10,
	DAT_HANDLE_TYPE_CSP = 11,
	DAT_HANDLE_TYPE_EXTENSION_BASE = 12
} DAT_HANDLE_TYPE;

typedef enum dat_evd_param_mask {
	DAT_EVD_FIELD_IA_HANDLE = 0x01,
	DAT_EVD_FIELD_EVD_QLEN = 0x02,
	DAT_EVD_FIELD_EVD_STATE = 0x04,
	DAT_EVD_FIELD_CNO = 0x08,
	DAT_EVD_FIELD_EVD_FLAGS = 0x10,
	DAT_EVD_FIELD_ALL = 0x1f
} DAT_EVD_PARAM_MASK;

#include <dat2/dat.h>
#include <dat2/udat_vendor_specific.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names that were used for one and the same bit. */
#define DAT_IA_FIELD_IA_EXTENSIONS_SUPPORTED	DAT_IA_FIELD_IA_EXTENSION

/* ---- events and notification --------------------------------------------- */

/* What several EVDs wake together. */
typedef DAT_HANDLE DAT_CNO_HANDLE;

/*
 * Three answers in one word: whether events trigger the CNO, whether the EVD can be
 * waited on, and which completions of its streams are notifications.
 */
typedef enum dat_evd_state {
	DAT_EVD_STATE_ENABLED = 0x01,
	DAT_EVD_STATE_DISABLED = 0x02,
	DAT_EVD_STATE_WAITABLE = 0x04,
	DAT_EVD_STATE_UNWAITABLE = 0x08,
	DAT_EVD_STATE_CONFIG_NOTIFY = 0x10,	/* those not UNSIGNALLED */
	DAT_EVD_STATE_CONFIG_SOLICITED = 0x20,	/* those the sender solicited */
	DAT_EVD_STATE_CONFIG_THRESHOLD = 0x30	/* all; waits may have thresholds */
} DAT_EVD_STATE;

struct dat_evd_param {
	DAT_IA_HANDLE ia_handle;
	DAT_COUNT evd_qlen;
	DAT_EVD_STATE evd_state;
	DAT_CNO_HANDLE cno_handle;
	DAT_EVD_FLAGS evd_flags;
};

/* In place of an EVD, to and from dat_ia_open(): others have the asynchronous events. */
#define DAT_EVD_ASYNC_EXISTS	((DAT_EVD_HANDLE)0x1)
#define DAT_EVD_OUT_OF_SCOPE	((DAT_EVD_HANDLE)0x2)

/* Called once, in a thread of the library, when the CNO is triggered. */
typedef void (*DAT_AGENT_FUNC)(DAT_PVOID instance_data, DAT_EVD_HANDLE evd);

typedef struct dat_os_wait_proxy_agent {
	DAT_PVOID instance_data;
	DAT_AGENT_FUNC proxy_agent_func;
} DAT_OS_WAIT_PROXY_AGENT;

/* No agent. */
#ifdef __cplusplus
#define DAT_OS_WAIT_PROXY_AGENT_NULL	(DAT_OS_WAIT_PROXY_AGENT())
#else
#define DAT_OS_WAIT_PROXY_AGENT_NULL	((DAT_OS_WAIT_PROXY_AGENT){ NULL, NULL })
#endif

/* Who else hears of a trigger. */
typedef enum dat_proxy_type {
	DAT_PROXY_TYPE_NONE = 0,
	DAT_PROXY_TYPE_AGENT = 1,
	DAT_PROXY_TYPE_FD = 2
} DAT_PROXY_TYPE;

typedef struct dat_cno_param {
	DAT_IA_HANDLE ia_handle;
	DAT_PROXY_TYPE proxy_type;
	union {
		DAT_OS_WAIT_PROXY_AGENT agent;
		DAT_FD fd;
		DAT_PVOID none;
	} proxy; /* by proxy_type */
} DAT_CNO_PARAM;

/*
 * The standard's values: they are no set of bits. A query fills in everything whatever
 * it is asked for.
 */
typedef enum dat_cno_param_mask {
	DAT_CNO_FIELD_IA_HANDLE = 0x1,
	DAT_CNO_FIELD_PROXY_TYPE = 0x2,
	DAT_CNO_FIELD_PROXY = 0x3,
	DAT_CNO_FIELD_ALL = 0x4
} DAT_CNO_PARAM_MASK;

/* ---- memory -------------------------------------------------------------- */

/* What an LMR is made of; which member of the region says where it is. */
typedef enum dat_mem_type {
	DAT_MEM_TYPE_VIRTUAL = 0x00,		/* for_va */
	DAT_MEM_TYPE_LMR = 0x01,		/* for_lmr_handle: the same memory */
	DAT_MEM_TYPE_SHARED_VIRTUAL = 0x02	/* for_shared_memory: pinned once for all */
} DAT_MEM_TYPE;

/* What sharers of memory agree on: 40 bytes of any content. */
#define DAT_LMR_COOKIE_SIZE	40
typedef char (*DAT_LMR_COOKIE)[DAT_LMR_COOKIE_SIZE];

typedef struct dat_shared_memory {
	DAT_PVOID virtual_address;
	DAT_LMR_COOKIE shared_memory_id;
} DAT_SHARED_MEMORY;

typedef union dat_region_description {
	DAT_PVOID for_va;
	DAT_LMR_HANDLE for_lmr_handle;
	DAT_SHARED_MEMORY for_shared_memory;
} DAT_REGION_DESCRIPTION;

typedef struct dat_lmr_param {
	DAT_IA_HANDLE ia_handle;
	DAT_MEM_TYPE mem_type;
	DAT_REGION_DESCRIPTION region_desc;
	DAT_VLEN length;
	DAT_PZ_HANDLE pz_handle;
	DAT_MEM_PRIV_FLAGS mem_priv;
	DAT_VA_TYPE va_type;
	DAT_LMR_CONTEXT lmr_context;
	DAT_RMR_CONTEXT rmr_context;
	DAT_VLEN registered_size;
	DAT_VADDR registered_address;
} DAT_LMR_PARAM;

typedef enum dat_lmr_param_mask {
	DAT_LMR_FIELD_IA_HANDLE = 0x001,
	DAT_LMR_FIELD_MEM_TYPE = 0x002,
	DAT_LMR_FIELD_REGION_DESC = 0x004,
	DAT_LMR_FIELD_LENGTH = 0x008,
	DAT_LMR_FIELD_PZ_HANDLE = 0x010,
	DAT_LMR_FIELD_MEM_PRIV = 0x020,
	DAT_LMR_FIELD_VA_TYPE = 0x040,
	DAT_LMR_FIELD_LMR_CONTEXT = 0x080,
	DAT_LMR_FIELD_RMR_CONTEXT = 0x100,
	DAT_LMR_FIELD_REGISTERED_SIZE = 0x200,
	DAT_LMR_FIELD_REGISTERED_ADDRESS = 0x400,
	DAT_LMR_FIELD_ALL = 0x7ff
} DAT_LMR_PARAM_MASK;

/* ---- what an adapter and its provider can do ----------------------------- */

struct dat_ia_attr {
	char adapter_name[DAT_NAME_MAX_LENGTH];
	char vendor_name[DAT_NAME_MAX_LENGTH];
	DAT_UINT32 hardware_version_major;
	DAT_UINT32 hardware_version_minor;
	DAT_UINT32 firmware_version_major;
	DAT_UINT32 firmware_version_minor;
	DAT_IA_ADDRESS_PTR ia_address_ptr;
	DAT_COUNT max_eps;
	DAT_COUNT max_dto_per_ep;		/* posted, in each direction */
	DAT_COUNT max_rdma_read_per_ep_in;	/* answered at a time */
	DAT_COUNT max_rdma_read_per_ep_out;	/* asked at a time */
	DAT_COUNT max_evds;
	DAT_COUNT max_evd_qlen;
	DAT_COUNT max_iov_segments_per_dto;	/* of sends and receives */
	DAT_COUNT max_lmrs;
	DAT_SEG_LENGTH max_lmr_block_size;	/* 4 GiB - 1 where it is more */
	DAT_VADDR max_lmr_virtual_address;
	DAT_COUNT max_pzs;
	DAT_SEG_LENGTH max_message_size;
	DAT_SEG_LENGTH max_rdma_size;
	DAT_COUNT max_rmrs;
	DAT_VADDR max_rmr_target_address;
	DAT_COUNT max_srqs;
	DAT_COUNT max_ep_per_srq;
	DAT_COUNT max_recv_per_srq;
	DAT_COUNT max_iov_segments_per_rdma_read;
	DAT_COUNT max_iov_segments_per_rdma_write;
	DAT_COUNT max_rdma_read_in;		/* of all EPs together */
	DAT_COUNT max_rdma_read_out;
	DAT_BOOLEAN max_rdma_read_per_ep_in_guaranteed;
	DAT_BOOLEAN max_rdma_read_per_ep_out_guaranteed;
	DAT_BOOLEAN zb_supported;		/* DAT_VA_TYPE_ZB */
	DAT_EXTENSION extension_supported;
	DAT_COUNT extension_version;
	DAT_COUNT num_transport_attr;
	DAT_NAMED_ATTR *transport_attr;
	DAT_COUNT num_vendor_attr;
	DAT_NAMED_ATTR *vendor_attr;
};

#define DAT_IA_FIELD_IA_EXTENSION UINT64_C(0x100000000)
#define DAT_IA_FIELD_IA_EXTENSION_VERSION UINT64_C(0x200000000)
#define DAT_IA_FIELD_IA_NUM_TRANSPORT_ATTR UINT64_C(0x400000000)
#define DAT_IA_FIELD_IA_TRANSPORT_ATTR UINT64_C(0x800000000)
#define DAT_IA_FIELD_IA_NUM_VENDOR_ATTR UINT64_C(0x1000000000)
#define DAT_IA_FIELD_IA_VENDOR_ATTR UINT64_C(0x2000000000)
#define DAT_IA_FIELD_ALL UINT64_C(0x3fffffffff)

/* Whether objects of different IAs may be in one zone. */
typedef enum dat_pz_support {
	DAT_PZ_UNIQUE = 0,
	DAT_PZ_SHAREABLE = 1
} DAT_PZ_SUPPORT;

/*
 * The merging matrix has a row and a column for each stream, in the order of
 * DAT_EVD_FLAGS: whether the two may feed one EVD.
 */
struct dat_provider_attr {
	char provider_name[DAT_NAME_MAX_LENGTH];
	DAT_UINT32 provider_version_major;
	DAT_UINT32 provider_version_minor;
	DAT_UINT32 dapl_version_major;		/* as it is registered */
	DAT_UINT32 dapl_version_minor;
	DAT_MEM_TYPE lmr_mem_types_supported;
	DAT_IOV_OWNERSHIP iov_ownership_on_return;
	DAT_QOS dat_qos_supported;
	DAT_COMPLETION_FLAGS completion_flags_supported;
	DAT_BOOLEAN is_thread_safe;		/* as it is registered */
	DAT_COUNT max_private_data_size;
	DAT_BOOLEAN supports_multipath;
	DAT_EP_CREATOR_FOR_PSP ep_creator;
	DAT_PZ_SUPPORT pz_support;
	DAT_UINT32 optimal_buffer_alignment;
	const DAT_BOOLEAN evd_stream_merging_supported[6][6];
	DAT_BOOLEAN srq_supported;
	DAT_COUNT srq_watermarks_supported;	/* 0x001 low, 0x010 soft, 0x100 hard */
	DAT_BOOLEAN srq_ep_pz_difference_supported;
	DAT_COUNT srq_info_supported;		/* 0x01 available, 0x10 outstanding */
	DAT_COUNT ep_recv_info_supported;	/* 0x01 buffers, 0x10 span */
	DAT_BOOLEAN lmr_sync_req;
	DAT_BOOLEAN dto_async_return_guaranteed;
	DAT_BOOLEAN rdma_write_for_rdma_read_req;
	DAT_BOOLEAN rdma_read_lmr_rmr_context_exposure;
	DAT_RMR_SCOPE rmr_scope_supported;
	DAT_BOOLEAN is_signal_safe;
	DAT_BOOLEAN ha_supported;
	DAT_HA_LB ha_loadbalancing;
	DAT_COUNT num_provider_specific_attr;
	DAT_NAMED_ATTR *provider_specific_attr;
};

#define DAT_PROVIDER_FIELD_PROVIDER_NAME UINT64_C(0x1)
#define DAT_PROVIDER_FIELD_PROVIDER_VERSION_MAJOR UINT64_C(0x2)
#define DAT_PROVIDER_FIELD_PROVIDER_VERSION_MINOR UINT64_C(0x4)
#define DAT_PROVIDER_FIELD_DAPL_VERSION_MAJOR UINT64_C(0x8)
#define DAT_PROVIDER_FIELD_DAPL_VERSION_MINOR UINT64_C(0x10)
#define DAT_PROVIDER_FIELD_LMR_MEM_TYPE_SUPPORTED UINT64_C(0x20)
#define DAT_PROVIDER_FIELD_IOV_OWNERSHIP UINT64_C(0x40)
#define DAT_PROVIDER_FIELD_DAT_QOS_SUPPORTED UINT64_C(0x80)
#define DAT_PROVIDER_FIELD_COMPLETION_FLAGS_SUPPORTED UINT64_C(0x100)
#define DAT_PROVIDER_FIELD_IS_THREAD_SAFE UINT64_C(0x200)
#define DAT_PROVIDER_FIELD_MAX_PRIVATE_DATA_SIZE UINT64_C(0x400)
#define DAT_PROVIDER_FIELD_SUPPORTS_MULTIPATH UINT64_C(0x800)
#define DAT_PROVIDER_FIELD_EP_CREATOR UINT64_C(0x1000)
#define DAT_PROVIDER_FIELD_PZ_SUPPORT UINT64_C(0x2000)
#define DAT_PROVIDER_FIELD_OPTIMAL_BUFFER_ALIGNMENT UINT64_C(0x4000)
#define DAT_PROVIDER_FIELD_EVD_STREAM_MERGING_SUPPORTED UINT64_C(0x8000)
#define DAT_PROVIDER_FIELD_SRQ_SUPPORTED UINT64_C(0x10000)
#define DAT_PROVIDER_FIELD_SRQ_WATERMARKS_SUPPORTED UINT64_C(0x20000)
#define DAT_PROVIDER_FIELD_SRQ_EP_PZ_DIFFERENCE_SUPPORTED UINT64_C(0x40000)
#define DAT_PROVIDER_FIELD_SRQ_INFO_SUPPORTED UINT64_C(0x80000)
#define DAT_PROVIDER_FIELD_EP_RECV_INFO_SUPPORTED UINT64_C(0x100000)
#define DAT_PROVIDER_FIELD_LMR_SYNC_REQ UINT64_C(0x200000)
#define DAT_PROVIDER_FIELD_DTO_ASYNC_RETURN_GUARANTEED UINT64_C(0x400000)
#define DAT_PROVIDER_FIELD_RDMA_WRITE_FOR_RDMA_READ_REQ UINT64_C(0x800000)
#define DAT_PROVIDER_FIELD_RDMA_READ_LMR_RMR_CONTEXT_EXPOSURE UINT64_C(0x1000000)
#define DAT_PROVIDER_FIELD_RMR_SCOPE_SUPPORTED UINT64_C(0x2000000)
#define DAT_PROVIDER_FIELD_IS_SIGNAL_SAFE UINT64_C(0x4000000)
#define DAT_PROVIDER_FIELD_HA_SUPPORTED UINT64_C(0x8000000)
#define DAT_PROVIDER_FIELD_HA_LB UINT64_C(0x10000000)
#define DAT_PROVIDER_FIELD_NUM_PROVIDER_SPECIFIC_ATTR UINT64_C(0x20000000)
#define DAT_PROVIDER_FIELD_PROVIDER_SPECIFIC_ATTR UINT64_C(0x40000000)
#define DAT_PROVIDER_FIELD_ALL UINT64_C(0x7fffffff)
#define DAT_PROVIDER_FIELD_NONE UINT64_C(0x0)

/* ---- calls: event dispatchers -------------------------------------------- */

/**
 * dat_evd_create() - make an EVD
 * @ia: the IA
 * @min_qlen: events it must hold; it may hold more
 * @cno: what its events trigger, or DAT_HANDLE_NULL
 * @flags: streams that may feed it; any of them together
 * @evd: out: ENABLED and WAITABLE
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES.
 */
DAT_RETURN dat_evd_create(DAT_IA_HANDLE ia, DAT_COUNT min_qlen,
			  DAT_CNO_HANDLE cno, DAT_EVD_FLAGS flags,
			  DAT_EVD_HANDLE *evd);

/**
 * dat_evd_wait() - wait until so many events are there, and take the first
 * @evd: the EVD
 * @timeout: 0 looks once
 * @threshold: events that end the wait; more than one only where all completions are
 *	notifications
 * @event: out
 * @nmore: out: events left behind, also when the time passed
 *
 * While a thread waits no other one takes events, and the CNO is not triggered. The
 * time counts from the call, however often the wait is interrupted inside.
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER;
 * DAT_INVALID_STATE: it is UNWAITABLE, or another thread waits;
 * DAT_TIMEOUT_EXPIRED; DAT_INTERRUPTED_CALL by a signal; DAT_ABORT: the EVD is
 * gone.
 */
DAT_RETURN dat_evd_wait(DAT_EVD_HANDLE evd, DAT_TIMEOUT timeout,
			DAT_COUNT threshold, DAT_EVENT *event,
			DAT_COUNT *nmore);

/**
 * dat_evd_modify_cno() - change what an EVD's events trigger
 * @evd: the EVD
 * @cno: of the same IA, or DAT_HANDLE_NULL
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_evd_modify_cno(DAT_EVD_HANDLE evd, DAT_CNO_HANDLE cno);

/**
 * dat_evd_enable() - let events trigger the CNO
 * @evd: the EVD
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_evd_enable(DAT_EVD_HANDLE evd);

/**
 * dat_evd_disable() - let them not; who waits on the EVD itself is still woken
 * @evd: the EVD
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_evd_disable(DAT_EVD_HANDLE evd);

/**
 * dat_evd_set_unwaitable() - send away who waits, now and later
 * @evd: the EVD
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_evd_set_unwaitable(DAT_EVD_HANDLE evd);

/**
 * dat_evd_clear_unwaitable() - let threads wait again
 * @evd: the EVD
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_evd_clear_unwaitable(DAT_EVD_HANDLE evd);

/* ---- calls: notification ------------------------------------------------- */

/**
 * dat_cno_create() - make a CNO
 * @ia: the IA
 * @agent: called at the first trigger, or DAT_OS_WAIT_PROXY_AGENT_NULL
 * @cno: out: not triggered
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES.
 */
DAT_RETURN dat_cno_create(DAT_IA_HANDLE ia, DAT_OS_WAIT_PROXY_AGENT agent,
			  DAT_CNO_HANDLE *cno);

/**
 * dat_cno_fd_create() - make a CNO that poll() can wait for
 * @ia: the IA
 * @fd: out: readable while the CNO is triggered; it is the library's, which closes it
 *	with the CNO
 * @cno: out: not triggered
 *
 * It is used as dat_cno_trigger() says: there is nothing to be read from @fd, which is
 * for poll(), select() and epoll. A copy of it that outlives the CNO is hung up.
 * dat_cno_wait() works as well, and so do agents.
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES.
 */
DAT_RETURN dat_cno_fd_create(DAT_IA_HANDLE ia, DAT_FD *fd, DAT_CNO_HANDLE *cno);

/**
 * dat_cno_trigger() - take the trigger of a CNO that has a file descriptor
 * @cno: of dat_cno_fd_create()
 * @evd: out: an EVD that triggered it; a hint, as of dat_cno_wait()
 *
 * Does not sleep. The descriptor is readable no more, until the next event.
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER; DAT_QUEUE_EMPTY:
 * it was not triggered; DAT_INVALID_STATE: it has no descriptor.
 */
DAT_RETURN dat_cno_trigger(DAT_CNO_HANDLE cno, DAT_EVD_HANDLE *evd);

/**
 * dat_cno_modify_agent() - change who is called at the next trigger
 * @cno: the CNO
 * @agent: called once, or DAT_OS_WAIT_PROXY_AGENT_NULL
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE.
 */
DAT_RETURN dat_cno_modify_agent(DAT_CNO_HANDLE cno,
				DAT_OS_WAIT_PROXY_AGENT agent);

/**
 * dat_cno_query() - what it is
 * @cno: the CNO
 * @mask: DAT_CNO_FIELD_*
 * @param: out
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_cno_query(DAT_CNO_HANDLE cno, DAT_CNO_PARAM_MASK mask,
			 DAT_CNO_PARAM *param);

/**
 * dat_cno_wait() - wait until the CNO is triggered, and take the trigger
 * @cno: the CNO
 * @timeout: 0 looks once
 * @evd: out: an EVD that triggered it, which need not have an event any more, nor be
 *	the only one; DAT_HANDLE_NULL when the last EVD went or the IA was closed
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER;
 * DAT_QUEUE_EMPTY, without the bit of an error: the time passed;
 * DAT_INTERRUPTED_CALL.
 */
DAT_RETURN dat_cno_wait(DAT_CNO_HANDLE cno, DAT_TIMEOUT timeout,
			DAT_EVD_HANDLE *evd);

/**
 * dat_cno_free() - free a CNO
 * @cno: the CNO
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE; DAT_INVALID_STATE while an EVD has it
 * or a thread waits.
 */
DAT_RETURN dat_cno_free(DAT_CNO_HANDLE cno);

/* ---- calls: memory ------------------------------------------------------- */

/**
 * dat_lmr_create() - register memory
 * @ia: the IA
 * @mem_type: one of them
 * @region: what is registered, by @mem_type
 * @length: bytes; what an LMR is made from another one is as long as that
 * @pz: the PZ
 * @privileges: who may do what
 * @va_type: what its first byte is called: DAT_VA_TYPE_VA, and DAT_VA_TYPE_ZB where
 *	the adapter's zb_supported says so
 * @lmr: out
 * @lmr_context: out, or NULL: for local segments
 * @rmr_context: out, or NULL: for the peer, 0 without remote privileges
 * @registered_size: out, or NULL
 * @registered_address: out, or NULL
 *
 * The memory stays pinned until the LMR is freed.
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES, DAT_LENGTH_ERROR, DAT_INVALID_STATE,
 * DAT_MODEL_NOT_SUPPORTED.
 */
DAT_RETURN dat_lmr_create(DAT_IA_HANDLE ia, DAT_MEM_TYPE mem_type,
			  DAT_REGION_DESCRIPTION region, DAT_VLEN length,
			  DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS privileges,
			  DAT_VA_TYPE va_type, DAT_LMR_HANDLE *lmr,
			  DAT_LMR_CONTEXT *lmr_context,
			  DAT_RMR_CONTEXT *rmr_context,
			  DAT_VLEN *registered_size,
			  DAT_VADDR *registered_address);

/**
 * dat_lmr_query() - what is registered
 * @lmr: the LMR
 * @mask: what is wanted; more may be filled in
 * @param: out
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_lmr_query(DAT_LMR_HANDLE lmr, DAT_LMR_PARAM_MASK mask,
			 DAT_LMR_PARAM *param);

/* ---- calls: adapters that back each other up, extensions ----------------- */

/**
 * dat_ia_ha_related() - whether another adapter backs an open one up
 * @ia: the IA
 * @name: the other adapter
 * @answer: out: DAT_FALSE: a connection has one adapter for life
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_PROVIDER_NOT_FOUND.
 */
DAT_RETURN dat_ia_ha_related(DAT_IA_HANDLE ia, const DAT_NAME_PTR name,
			     DAT_BOOLEAN *answer);

/* Which extension; the first of those that need no open IA, or close one. */
typedef int DAT_EXTENDED_OP;
#define DAT_OPEN_EXTENSION_BASE		0x1000
#define DAT_CLOSE_EXTENSION_BASE	0x2000

/**
 * dat_extension_op() - what some providers can do beyond DAT
 * @handle: what it is done with
 * @op: see dat_ib_extensions.h, whose macros know the arguments
 *
 * An adapter's extension_supported says whether there are any.
 *
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE; DAT_NOT_IMPLEMENTED for an @op that the
 * provider does not have; as the operation says.
 */
DAT_RETURN dat_extension_op(DAT_HANDLE handle, DAT_EXTENDED_OP op, ...);

#ifdef __cplusplus
}
#include <dat/dat_flag_operators.h>
#endif

#endif /* _UDAT_H_ */

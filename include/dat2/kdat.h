/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kDAPL 2.0: the DAT API of the kernel.
 *
 * A consumer opens an adapter, gets events by upcalls and posts from there. An
 * upcall runs in softirq context: it must not sleep, and may use every call of
 * context "any up to softirq". What a call says about its context and about how
 * it fails stands with it here and in <dat2/dat.h>. Once the device is gone, which the
 * asynchronous event DAT_ASYNC_ERROR_IA_CATASTROPHIC tells, calls that need it fail with
 * DAT_INTERNAL_ERROR besides; those that free succeed.
 *
 * The addresses of a request, its own and the peer's, lie in a struct sockaddr_storage
 * each, with their ports.
 */
#ifndef _KDAT_H_
#define _KDAT_H_

#include <dat2/kdat_config.h>

/* Kinds of objects, as the kernel's side numbers them. */
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
	DAT_HANDLE_TYPE_SRQ = 9,
	DAT_HANDLE_TYPE_CSP = 10,
	DAT_HANDLE_TYPE_EXTENSION_BASE = 11,
} DAT_HANDLE_TYPE;

typedef enum dat_evd_param_mask {
	DAT_EVD_FIELD_IA_HANDLE = 0x01,
	DAT_EVD_FIELD_EVD_QLEN = 0x02,
	DAT_EVD_FIELD_UPCALL_POLICY = 0x04,
	DAT_EVD_FIELD_UPCALL = 0x08,
	DAT_EVD_FIELD_EVD_FLAGS = 0x10,
	DAT_EVD_FIELD_ALL = 0x1f,
} DAT_EVD_PARAM_MASK;

#include <dat2/dat.h>
#include <dat2/kdat_vendor_specific.h>

/* ---- upcalls ------------------------------------------------------------- */

/* How many upcalls of an EVD may run at once, and what they are given. */
typedef enum dat_upcall_policy {
	/* None run; events stay queued. */
	DAT_UPCALL_DISABLE = 0,
	/* One, with the event. */
	DAT_UPCALL_SINGLE_INSTANCE = 1,
	/*
	 * One (the name is the standard's), with no event: it says that some
	 * are queued, and the consumer dequeues until there are none.
	 */
	DAT_UPCALL_NORIFY = 2,
	/* One on each processor, with the event; events may overtake. */
	DAT_UPCALL_MANY = 100,
	/* None run any more, and those that ran have ended. */
	DAT_UPCALL_TEARDOWN = -1,
} DAT_UPCALL_POLICY;

/* What the name is meant to be. */
#define DAT_UPCALL_NOTIFY	DAT_UPCALL_NORIFY

/*
 * @instance_data is the consumer's; @event is the upcall's until it returns, NULL
 * with DAT_UPCALL_NOTIFY; @more_events says that others are queued behind it. Where
 * none were, others may have come since: they have upcalls of their own.
 */
typedef void (*DAT_UPCALL_FUNC)(DAT_PVOID instance_data, const DAT_EVENT *event,
				DAT_BOOLEAN more_events);

typedef struct dat_upcall_object {
	DAT_PVOID instance_data;
	DAT_UPCALL_FUNC upcall_func;
} DAT_UPCALL_OBJECT;

#define DAT_UPCALL_NULL	((DAT_UPCALL_OBJECT){ NULL, NULL })
#define DAT_UPCALL_SAME	((DAT_UPCALL_OBJECT *)NULL)

typedef enum dat_upcall_flag {
	DAT_UPCALL_INVOC_NEW = 0,	/* when the next event arrives */
	DAT_UPCALL_INVOC_ANY = 1,	/* at once, when an event is queued */
} DAT_UPCALL_FLAG;

struct dat_evd_param {
	DAT_IA_HANDLE ia_handle;
	DAT_COUNT evd_qlen;
	DAT_UPCALL_POLICY upcall_policy;
	DAT_UPCALL_OBJECT upcall;
	DAT_EVD_FLAGS evd_flags;
};

/* ---- memory -------------------------------------------------------------- */

/* What an LMR is made of; which member of the region says where it is. */
typedef enum dat_mem_type {
	DAT_MEM_TYPE_VIRTUAL = 0x00,	/* for_va: of kmalloc() or vmalloc() */
	DAT_MEM_TYPE_LMR = 0x01,	/* for_lmr_handle: the same memory */
	DAT_MEM_TYPE_PHYSICAL = 0x10,	/* for_physical: pages of PAGE_SIZE */
	/*
	 * for_platform: a struct scatterlist, not mapped for any device, whose
	 * entries are whole pages except at the first one's start and the last
	 * one's end.
	 */
	DAT_MEM_TYPE_PLATFORM = 0x20,
	DAT_MEM_TYPE_IA = 0x40,		/* for_ia: a bus address */
	DAT_MEM_TYPE_BYPASS = 0x80,	/* for_platform: without protection */
	DAT_MEM_TYPE_PHYSICAL_VAR_PAGES = 0x100, /* for_array */
} DAT_MEM_TYPE;

typedef enum dat_mem_optimize_flags {
	DAT_MEM_OPTIMIZE_DONT_CARE = 0x00,
	DAT_MEM_OPTIMIZE_IA = 0x01,
	DAT_MEM_OPTIMIZE_MIN_EXPOSURE = 0x02,
	DAT_MEM_OPTIMIZE_EXACT_EXPOSURE = 0x04,
} DAT_MEM_OPTIMIZE_FLAGS;

#define DAT_MEM_OPT	DAT_MEM_OPTIMIZE_FLAGS

typedef struct dat_physical_var_pages {
	DAT_VLEN page_size;
	void *pages;
} DAT_PHYSICAL_VAR_PAGES;

typedef union dat_region_description {
	DAT_PVOID for_va;
	DAT_LMR_HANDLE for_lmr_handle;
	void *for_platform;
	DAT_PHYSICAL_VAR_PAGES for_array;
	DAT_PADDR *for_physical;
	DAT_PADDR for_ia;
} DAT_REGION_DESCRIPTION;

/* Comes back in the completion of a fast registration. */
typedef DAT_CONTEXT DAT_LMR_COOKIE;

typedef struct dat_lmr_state {
	DAT_BOOLEAN fmr_support;
	DAT_BOOLEAN bound;
} DAT_LMR_STATE;

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
	DAT_LMR_STATE lmr_state;
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
	DAT_LMR_FIELD_LMR_STATE = 0x800,
	DAT_LMR_FIELD_ALL = 0xfff,
} DAT_LMR_PARAM_MASK;

/* Who may use a fast registered LMR. */
typedef enum dat_lmr_scope {
	DAT_LMR_SCOPE_EP = 0,
	DAT_LMR_SCOPE_PZ = 1,
	DAT_LMR_SCOPE_ANY = 2,
} DAT_LMR_SCOPE;

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
	DAT_COUNT max_dto_per_ep;
	DAT_COUNT max_rdma_read_per_ep_in;
	DAT_COUNT max_rdma_read_per_ep_out;
	DAT_COUNT max_evds;
	DAT_COUNT max_evd_qlen;
	DAT_COUNT max_iov_segments_per_dto;
	DAT_COUNT max_lmrs;
	DAT_SEG_LENGTH max_lmr_block_size;
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
	DAT_COUNT max_rdma_read_in;
	DAT_COUNT max_rdma_read_out;
	DAT_BOOLEAN max_rdma_read_per_ep_in_guaranteed;
	DAT_BOOLEAN max_rdma_read_per_ep_out_guaranteed;
	DAT_BOOLEAN zb_supported;
	DAT_BOOLEAN reserved_lmr_supported;
	DAT_EXTENSION extension_supported;
	DAT_COUNT extension_version;
	DAT_COUNT num_transport_attr;
	DAT_NAMED_ATTR *transport_attr;
	DAT_COUNT num_vendor_attr;
	DAT_NAMED_ATTR *vendor_attr;
};

#define DAT_IA_FIELD_IA_RESERVED_LMR_SUPPORTED UINT64_C(0x100000000)
#define DAT_IA_FIELD_IA_EXTENSION UINT64_C(0x200000000)
#define DAT_IA_FIELD_IA_EXTENSION_VERSION UINT64_C(0x400000000)
#define DAT_IA_FIELD_IA_NUM_TRANSPORT_ATTR UINT64_C(0x800000000)
#define DAT_IA_FIELD_IA_TRANSPORT_ATTR UINT64_C(0x1000000000)
#define DAT_IA_FIELD_IA_NUM_VENDOR_ATTR UINT64_C(0x2000000000)
#define DAT_IA_FIELD_IA_VENDOR_ATTR UINT64_C(0x4000000000)
#define DAT_IA_FIELD_ALL UINT64_C(0x7fffffffff)

/*
 * The merging matrix has a row and a column for each stream, in the order of
 * DAT_EVD_FLAGS: whether the two may feed one EVD.
 */
struct dat_provider_attr {
	char provider_name[DAT_NAME_MAX_LENGTH];
	DAT_UINT32 provider_version_major;
	DAT_UINT32 provider_version_minor;
	DAT_UINT32 dapl_version_major;
	DAT_UINT32 dapl_version_minor;
	DAT_MEM_TYPE lmr_mem_types_supported;
	DAT_IOV_OWNERSHIP iov_ownership_on_return;
	DAT_QOS dat_qos_supported;
	DAT_COMPLETION_FLAGS completion_flags_supported;
	DAT_BOOLEAN is_thread_safe;
	DAT_COUNT max_private_data_size;
	DAT_BOOLEAN supports_multipath;
	DAT_EP_CREATOR_FOR_PSP ep_creator;
	DAT_UPCALL_POLICY upcall_policy;
	DAT_UINT32 optimal_buffer_alignment;
	const DAT_BOOLEAN evd_stream_merging_supported[6][6];
	DAT_BOOLEAN srq_supported;
	DAT_COUNT srq_watermarks_supported;
	DAT_BOOLEAN srq_ep_pz_difference_supported;
	DAT_COUNT srq_info_supported;
	DAT_COUNT ep_recv_info_supported;
	DAT_BOOLEAN lmr_sync_req;
	DAT_BOOLEAN dto_async_return_guaranteed;
	DAT_BOOLEAN rdma_write_for_rdma_read_req;
	DAT_BOOLEAN rdma_read_lmr_rmr_context_exposure;
	DAT_RMR_SCOPE rmr_scope_supported;
	DAT_BOOLEAN is_interrupt_safe;
	DAT_BOOLEAN fmr_supported;
	DAT_LMR_SCOPE lmr_for_fmr_scope_supported;
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
#define DAT_PROVIDER_FIELD_UPCALL_POLICY UINT64_C(0x2000)
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
#define DAT_PROVIDER_FIELD_IS_INTERRUPT_SAFE UINT64_C(0x4000000)
#define DAT_PROVIDER_FIELD_FMR_SUPPORTED UINT64_C(0x8000000)
#define DAT_PROVIDER_FIELD_LMR_FOR_FMR_SCOPE UINT64_C(0x10000000)
#define DAT_PROVIDER_FIELD_HA_SUPPORTED UINT64_C(0x20000000)
#define DAT_PROVIDER_FIELD_HA_LB UINT64_C(0x40000000)
#define DAT_PROVIDER_FIELD_NUM_PROVIDER_SPECIFIC_ATTR UINT64_C(0x80000000)
#define DAT_PROVIDER_FIELD_PROVIDER_SPECIFIC_ATTR UINT64_C(0x100000000)
#define DAT_PROVIDER_FIELD_ALL UINT64_C(0x1ffffffff)
#define DAT_PROVIDER_FIELD_NONE UINT64_C(0x0)

/* ---- the kernel's own calls ---------------------------------------------- */

/**
 * dat_evd_kcreate() - make an EVD
 * @ia: the IA
 * @min_qlen: events it must hold
 * @policy: all but DAT_UPCALL_TEARDOWN
 * @upcall: whom to call; may be NULL where @policy is DISABLE
 * @flags: streams that may feed it
 * @evd: out
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES.
 */
DAT_RETURN dat_evd_kcreate(DAT_IA_HANDLE ia, DAT_COUNT min_qlen,
			   DAT_UPCALL_POLICY policy,
			   const DAT_UPCALL_OBJECT *upcall, DAT_EVD_FLAGS flags,
			   DAT_EVD_HANDLE *evd);

/**
 * dat_evd_modify_upcall() - change how an EVD's events are told
 * @evd: the EVD
 * @policy: from now on; DAT_UPCALL_TEARDOWN disables, and waits until upcalls
 *	that run have ended: it is not for an upcall of the same EVD
 * @upcall: whom to call, or DAT_UPCALL_SAME
 * @flag: whether events that are queued already lead to an upcall
 *
 * An upcall that has begun may still run with what was before, unless @policy is
 * DAT_UPCALL_TEARDOWN.
 *
 * Context: Any up to softirq; with DAT_UPCALL_TEARDOWN process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER;
 * DAT_INVALID_STATE for a @policy that calls while the IA is being closed, or a
 * DAT_UPCALL_TEARDOWN waits.
 */
DAT_RETURN dat_evd_modify_upcall(DAT_EVD_HANDLE evd, DAT_UPCALL_POLICY policy,
				 const DAT_UPCALL_OBJECT *upcall,
				 DAT_UPCALL_FLAG flag);

/**
 * dat_lmr_kcreate() - register memory
 * @ia: the IA
 * @mem_type: one of them
 * @region: what is registered, by @mem_type
 * @length: bytes; the last page may be used in part. Of DAT_MEM_TYPE_LMR not looked at:
 *	it is all that the other LMR is
 * @pz: the PZ
 * @privileges: who may do what
 * @va_type: what its first byte is called
 * @optimize: a wish
 * @lmr: out
 * @lmr_context: out, or NULL: for local segments
 * @rmr_context: out, or NULL: for the peer, 0 without remote privileges
 * @registered_size: out, or NULL
 * @registered_address: out, or NULL
 *
 * The memory stays the consumer's and must live as long as the LMR.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES, DAT_MODEL_NOT_SUPPORTED, DAT_RESERVED_LMR;
 * DAT_INVALID_STATE: the LMR in @region is of dat_lmr_allocate(); DAT_INTERRUPTED_CALL: a
 * fatal signal; DAT_INVALID_ADDRESS where the device has to be connected with itself to
 * register, and none of its addresses lets us.
 */
DAT_RETURN dat_lmr_kcreate(DAT_IA_HANDLE ia, DAT_MEM_TYPE mem_type,
			   DAT_REGION_DESCRIPTION region, DAT_VLEN length,
			   DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS privileges,
			   DAT_VA_TYPE va_type, DAT_MEM_OPTIMIZE_FLAGS optimize,
			   DAT_LMR_HANDLE *lmr, DAT_LMR_CONTEXT *lmr_context,
			   DAT_RMR_CONTEXT *rmr_context,
			   DAT_VLEN *registered_size,
			   DAT_VADDR *registered_address);

/**
 * dat_lmr_query() - what is registered
 * @lmr: the LMR
 * @mask: what is wanted; more may be filled in
 * @param: out
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_lmr_query(DAT_LMR_HANDLE lmr, DAT_LMR_PARAM_MASK mask,
			 DAT_LMR_PARAM *param);

/**
 * dat_ia_memtype_hint() - how memory is best laid out
 * @ia: the IA
 * @mem_type: one of them
 * @length: bytes to be registered
 * @optimize: a wish
 * @preferred_length: out: whole pages for the adapter's sake, else @length: an LMR
 *	is as long as its memory to the byte, whoever sees it
 * @preferred_alignment: out: of the first byte; 1 where it does not matter
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_MODEL_NOT_SUPPORTED.
 */
DAT_RETURN dat_ia_memtype_hint(DAT_IA_HANDLE ia, DAT_MEM_TYPE mem_type,
			       DAT_VLEN length, DAT_MEM_OPTIMIZE_FLAGS optimize,
			       DAT_VLEN *preferred_length,
			       DAT_VADDR *preferred_alignment);

/**
 * dat_lmr_allocate() - make an LMR for fast registration
 * @ia: the IA
 * @pz: the PZ
 * @max_pages: that it can be tied to; what the adapter cannot is refused with
 *	DAT_INSUFFICIENT_RESOURCES
 * @scope: who may use it: DAT_LMR_SCOPE_PZ or DAT_LMR_SCOPE_ANY, all EPs of @pz
 * @lmr: out: tied to nothing
 *
 * dat_lmr_fmr() ties it to memory, dat_lmr_invalidate() unties it, any number of
 * times. dat_lmr_free() fails with DAT_INVALID_STATE while one of them is
 * outstanding; an LMR that is tied can be freed, and then is not any more.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INSUFFICIENT_RESOURCES, DAT_MODEL_NOT_SUPPORTED.
 */
DAT_RETURN dat_lmr_allocate(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz,
			    DAT_COUNT max_pages, DAT_LMR_SCOPE scope,
			    DAT_LMR_HANDLE *lmr);

/**
 * dat_lmr_fmr() - register memory by a request
 * @lmr: of dat_lmr_allocate()
 * @mem_type: PHYSICAL, PLATFORM or VIRTUAL
 * @region: what is registered, by @mem_type
 * @num_pages: pages that @region touches: of PHYSICAL and VIRTUAL all up to the
 *	end of the last one are registered, of PLATFORM what the scatterlist says
 * @privileges: who may do what
 * @va_type: what its first byte is called: DAT_VA_TYPE_VA
 * @ep: that it is posted on
 * @cookie: comes back in the completion event
 * @flags: SUPPRESS, UNSIGNALLED, BARRIER_FENCE, as of a transfer
 * @lmr_context: out, or NULL: for what is posted on @ep behind it, and on other
 *	EPs once it has completed
 * @rmr_context: out, or NULL: for the peer, 0 without remote privileges
 *
 * It is a request as a transfer is, with a DAT_DTO_COMPLETION_EVENT; of @ep's
 * max_request_dtos it takes one, with some adapters two until it has completed. The
 * memory stays the consumer's and must live until dat_lmr_invalidate() has
 * completed, or the LMR is freed; see there for verbs in software, which hold for
 * freeing a tied LMR as well. The contexts are good if it succeeds, until
 * dat_lmr_invalidate() is posted or a message of a peer's makes @rmr_context invalid.
 * An @rmr_context may come back, but not before 255 others.
 *
 * With the event of such a message (DAT_DTO_RECEIVE_WITH_INVALIDATE) the LMR is untied,
 * as if dat_lmr_invalidate() had completed, and that is refused with DAT_INVALID_STATE.
 * It can be tied again at once, and the memory is the consumer's; but where the event
 * of this request has not come yet, only when it has, or, where that is suppressed, the
 * event of a later request on @ep. Over soft iWARP, whose word is not enough, it
 * stays tied: dat_lmr_query() says bound, and dat_lmr_invalidate() unties it.
 *
 * One that is tied, or whose dat_lmr_invalidate() has not completed, is refused with
 * DAT_INVALID_STATE. When a request for it fails, or is flushed, it can be tied or
 * untied no more, but only freed; what is posted on an EP that is disconnected
 * already changes nothing.
 *
 * An upcall may get the event before @lmr_context and @rmr_context are stored:
 * dat_lmr_query() tells them there.
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE, DAT_INSUFFICIENT_RESOURCES, DAT_PROTECTION_VIOLATION,
 * DAT_PRIVILEGES_VIOLATION, DAT_MODEL_NOT_SUPPORTED, DAT_RESERVED_LMR.
 */
DAT_RETURN dat_lmr_fmr(DAT_LMR_HANDLE lmr, DAT_MEM_TYPE mem_type,
		       DAT_REGION_DESCRIPTION region, DAT_VLEN num_pages,
		       DAT_MEM_PRIV_FLAGS privileges, DAT_VA_TYPE va_type,
		       DAT_EP_HANDLE ep, DAT_LMR_COOKIE cookie,
		       DAT_COMPLETION_FLAGS flags, DAT_LMR_CONTEXT *lmr_context,
		       DAT_RMR_CONTEXT *rmr_context);

/**
 * dat_lmr_invalidate() - untie a fast registered LMR by a request
 * @lmr: of dat_lmr_allocate(), tied by a request on @ep or by one that has completed
 * @ep: that it is posted on
 * @cookie: comes back in the completion event
 * @flags: as of dat_lmr_fmr(), and LMR_INVALIDATE_FENCE, which is done by the
 *	adapter's only fence: RDMA reads before it have completed. Where other
 *	requests use the LMR, wait for their completions first.
 *
 * What is posted behind it cannot use the LMR. Do not post it while a message of the
 * peer's that does the same may be on its way: some adapters let it fail, which ends
 * the connection. The memory is the consumer's when it has completed. Verbs in software
 * (soft RoCE, soft iWARP) then still finish an access of the peer that had begun: there,
 * be told by the peer that it is through.
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_INVALID_STATE, DAT_INSUFFICIENT_RESOURCES, DAT_PROTECTION_VIOLATION,
 * DAT_PRIVILEGES_VIOLATION, DAT_MODEL_NOT_SUPPORTED, DAT_RESERVED_LMR.
 */
DAT_RETURN dat_lmr_invalidate(DAT_LMR_HANDLE lmr, DAT_EP_HANDLE ep,
			      DAT_LMR_COOKIE cookie,
			      DAT_COMPLETION_FLAGS flags);

/**
 * dat_ia_reserved_lmr() - the LMR that reaches all local memory
 * @ia: the IA
 * @lmr: out; it goes with @ia, and is none for dat_lmr_free()
 * @context: out: with it, addresses of segments are bus addresses
 *
 * The consumer maps memory for the device himself. It is for local use: no peer
 * reaches it, and over iWARP it cannot be where an RDMA read goes.
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
 * DAT_MODEL_NOT_SUPPORTED.
 */
DAT_RETURN dat_ia_reserved_lmr(DAT_IA_HANDLE ia, DAT_LMR_HANDLE *lmr,
			       DAT_LMR_CONTEXT *context);

#endif /* _KDAT_H_ */

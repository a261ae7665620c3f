/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Interface adapters: finding, opening, asking, closing; and the calls that
 * take a handle of any kind.
 */
#ifndef _DAT_IA_H_
#define _DAT_IA_H_

#include <dat/dat_error.h>
#include <dat/dat_mem.h>
#include <dat/dat_types.h>
#include <dat/udat_config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Older spelling of a member of DAT_IA_ATTR. */
#define max_rdma_read_per_ep max_rdma_read_per_ep_in

/** Older spelling of a member of DAT_IA_ATTR and of DAT_EP_ATTR. */
#define max_mtu_size max_message_size

/** What an adapter is and can do. Pointers belong to the provider. */
typedef struct dat_ia_attr {
	char adapter_name[DAT_NAME_MAX_LENGTH];
	char vendor_name[DAT_NAME_MAX_LENGTH];
	DAT_UINT32 hardware_version_major;
	DAT_UINT32 hardware_version_minor;
	DAT_UINT32 firmware_version_major;
	DAT_UINT32 firmware_version_minor;
	DAT_IA_ADDRESS_PTR ia_address_ptr;
	DAT_COUNT max_eps;
	DAT_COUNT max_dto_per_ep; /**< posted, per direction */
	DAT_COUNT max_rdma_read_per_ep_in; /**< answered at a time */
	DAT_COUNT max_rdma_read_per_ep_out; /**< asked at a time */
	DAT_COUNT max_evds;
	DAT_COUNT max_evd_qlen;
	DAT_COUNT max_iov_segments_per_dto; /**< of a send or a receive */
	DAT_COUNT max_lmrs;
	DAT_VLEN max_lmr_block_size; /**< bytes in one LMR */
	DAT_VADDR max_lmr_virtual_address;
	DAT_COUNT max_pzs;
	DAT_VLEN max_message_size; /**< bytes in one send */
	DAT_VLEN max_rdma_size; /**< bytes in one RDMA read or write */
	DAT_COUNT max_rmrs;
	DAT_VADDR max_rmr_target_address;
	DAT_COUNT max_srqs;
	DAT_COUNT max_ep_per_srq;
	DAT_COUNT max_recv_per_srq;
	DAT_COUNT max_iov_segments_per_rdma_read;
	DAT_COUNT max_iov_segments_per_rdma_write;
	DAT_COUNT max_rdma_read_in; /**< answered at a time, all EPs */
	DAT_COUNT max_rdma_read_out; /**< asked at a time, all EPs */
	DAT_BOOLEAN max_rdma_read_per_ep_in_guaranteed;
	DAT_BOOLEAN max_rdma_read_per_ep_out_guaranteed;
	DAT_COUNT num_transport_attr;
	DAT_NAMED_ATTR *transport_attr;
	DAT_COUNT num_vendor_attr;
	DAT_NAMED_ATTR *vendor_attr;
} DAT_IA_ATTR;

/** Set of DAT_IA_ATTR members. */
typedef DAT_UINT64 DAT_IA_ATTR_MASK;

/* One bit per member, in the members' order. */
#define DAT_IA_FIELD_IA_ADAPTER_NAME UINT64_C(0x000000001)
#define DAT_IA_FIELD_IA_VENDOR_NAME UINT64_C(0x000000002)
#define DAT_IA_FIELD_IA_HARDWARE_MAJOR_VERSION UINT64_C(0x000000004)
#define DAT_IA_FIELD_IA_HARDWARE_MINOR_VERSION UINT64_C(0x000000008)
#define DAT_IA_FIELD_IA_FIRMWARE_MAJOR_VERSION UINT64_C(0x000000010)
#define DAT_IA_FIELD_IA_FIRMWARE_MINOR_VERSION UINT64_C(0x000000020)
#define DAT_IA_FIELD_IA_ADDRESS_PTR UINT64_C(0x000000040)
#define DAT_IA_FIELD_IA_MAX_EPS UINT64_C(0x000000080)
#define DAT_IA_FIELD_IA_MAX_DTO_PER_EP UINT64_C(0x000000100)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP_IN UINT64_C(0x000000200)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP_OUT UINT64_C(0x000000400)
#define DAT_IA_FIELD_IA_MAX_EVDS UINT64_C(0x000000800)
#define DAT_IA_FIELD_IA_MAX_EVD_QLEN UINT64_C(0x000001000)
#define DAT_IA_FIELD_IA_MAX_IOV_SEGMENTS_PER_DTO UINT64_C(0x000002000)
#define DAT_IA_FIELD_IA_MAX_LMRS UINT64_C(0x000004000)
#define DAT_IA_FIELD_IA_MAX_LMR_BLOCK_SIZE UINT64_C(0x000008000)
#define DAT_IA_FIELD_IA_MAX_LMR_VIRTUAL_ADDRESS UINT64_C(0x000010000)
#define DAT_IA_FIELD_IA_MAX_PZS UINT64_C(0x000020000)
#define DAT_IA_FIELD_IA_MAX_MESSAGE_SIZE UINT64_C(0x000040000)
#define DAT_IA_FIELD_IA_MAX_RDMA_SIZE UINT64_C(0x000080000)
#define DAT_IA_FIELD_IA_MAX_RMRS UINT64_C(0x000100000)
#define DAT_IA_FIELD_IA_MAX_RMR_TARGET_ADDRESS UINT64_C(0x000200000)
#define DAT_IA_FIELD_IA_MAX_SRQS UINT64_C(0x000400000)
#define DAT_IA_FIELD_IA_MAX_EP_PER_SRQ UINT64_C(0x000800000)
#define DAT_IA_FIELD_IA_MAX_RECV_PER_SRQ UINT64_C(0x001000000)
#define DAT_IA_FIELD_IA_MAX_IOV_SEGMENTS_PER_RDMA_READ UINT64_C(0x002000000)
#define DAT_IA_FIELD_IA_MAX_IOV_SEGMENTS_PER_RDMA_WRITE UINT64_C(0x004000000)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_IN UINT64_C(0x008000000)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_OUT UINT64_C(0x010000000)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP_IN_GUARANTEED UINT64_C(0x020000000)
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP_OUT_GUARANTEED UINT64_C(0x040000000)
#define DAT_IA_FIELD_IA_NUM_TRANSPORT_ATTR UINT64_C(0x080000000)
#define DAT_IA_FIELD_IA_TRANSPORT_ATTR UINT64_C(0x100000000)
#define DAT_IA_FIELD_IA_NUM_VENDOR_ATTR UINT64_C(0x200000000)
#define DAT_IA_FIELD_IA_VENDOR_ATTR UINT64_C(0x400000000)
#define DAT_IA_FIELD_ALL UINT64_C(0x7ffffffff)
#define DAT_IA_FIELD_NONE UINT64_C(0x0)

/* Older spellings of mask bits. */
#define DAT_IA_ALL DAT_IA_FIELD_ALL
#define DAT_IA_FIELD_IA_MAX_MTU_SIZE DAT_IA_FIELD_IA_MAX_MESSAGE_SIZE
#define DAT_IA_FIELD_IA_MAX_DTO_PER_OP DAT_IA_FIELD_IA_MAX_DTO_PER_EP
#define DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP DAT_IA_FIELD_IA_MAX_RDMA_READ_PER_EP_IN

/** What a provider does with the segment list of a post after it returned. */
typedef enum dat_iov_ownership {
	/** The list is the program's again at once. */
	DAT_IOV_CONSUMER = 0x0,
	/** The provider reads it until completion. */
	DAT_IOV_PROVIDER_NOMOD = 0x1,
	/** The provider may even change it until completion. */
	DAT_IOV_PROVIDER_MOD = 0x2
} DAT_IOV_OWNERSHIP;

/** When a PSP makes the endpoint of a request by itself. */
typedef enum dat_ep_creator_for_psp {
	DAT_PSP_CREATES_EP_NEVER = 0,
	DAT_PSP_CREATES_EP_IFASKED = 1,
	DAT_PSP_CREATES_EP_ALWAYS = 2
} DAT_EP_CREATOR_FOR_PSP;

/** What protection zones of one adapter may share. */
typedef enum dat_pz_support {
	DAT_PZ_UNIQUE = 0,
	DAT_PZ_SAME = 1,
	DAT_PZ_SHAREABLE = 2
} DAT_PZ_SUPPORT;

/*
 * Indices of evd_stream_merging_supported are the event streams in this order:
 * software, connection request, transfer completion, connection, bind
 * completion, asynchronous error. Entry [a][b] tells whether one EVD may carry
 * both.
 */

/** What the provider of an adapter does. Pointers belong to the provider. */
typedef struct dat_provider_attr {
	char provider_name[DAT_NAME_MAX_LENGTH];
	DAT_UINT32 provider_version_major;
	DAT_UINT32 provider_version_minor;
	DAT_UINT32 dapl_version_major;
	DAT_UINT32 dapl_version_minor;
	DAT_MEM_TYPE lmr_mem_types_supported; /**< OR of the types */
	DAT_IOV_OWNERSHIP iov_ownership_on_return;
	DAT_QOS dat_qos_supported; /**< OR of the qualities */
	DAT_COMPLETION_FLAGS completion_flags_supported; /**< OR of the flags */
	DAT_BOOLEAN is_thread_safe;
	DAT_COUNT max_private_data_size; /**< bytes of the program's own */
	DAT_BOOLEAN supports_multipath;
	DAT_EP_CREATOR_FOR_PSP ep_creator;
	DAT_PZ_SUPPORT pz_support;
	DAT_UINT32 optimal_buffer_alignment;
	DAT_BOOLEAN evd_stream_merging_supported[6][6];
	DAT_BOOLEAN srq_supported;
	DAT_COUNT srq_watermarks_supported; /**< 0x1 low, 0x10 soft, 0x100 hard */
	DAT_BOOLEAN srq_ep_pz_difference_supported;
	DAT_COUNT srq_info_supported; /**< 0x1 available, 0x10 outstanding */
	DAT_COUNT ep_recv_info_supported; /**< 0x1 buffers, 0x10 span */
	DAT_BOOLEAN lmr_sync_req; /**< dat_lmr_sync_*() must be called */
	DAT_BOOLEAN dto_async_return_guaranteed;
	DAT_BOOLEAN rdma_write_for_rdma_read_req; /**< RDMA read needs local write */
	DAT_COUNT num_provider_specific_attr;
	DAT_NAMED_ATTR *provider_specific_attr;
} DAT_PROVIDER_ATTR;

/** Set of DAT_PROVIDER_ATTR members. */
typedef DAT_UINT64 DAT_PROVIDER_ATTR_MASK;

/* One bit per member, in the members' order. */
#define DAT_PROVIDER_FIELD_PROVIDER_NAME UINT64_C(0x0000001)
#define DAT_PROVIDER_FIELD_PROVIDER_VERSION_MAJOR UINT64_C(0x0000002)
#define DAT_PROVIDER_FIELD_PROVIDER_VERSION_MINOR UINT64_C(0x0000004)
#define DAT_PROVIDER_FIELD_DAPL_VERSION_MAJOR UINT64_C(0x0000008)
#define DAT_PROVIDER_FIELD_DAPL_VERSION_MINOR UINT64_C(0x0000010)
#define DAT_PROVIDER_FIELD_LMR_MEM_TYPE_SUPPORTED UINT64_C(0x0000020)
#define DAT_PROVIDER_FIELD_IOV_OWNERSHIP UINT64_C(0x0000040)
#define DAT_PROVIDER_FIELD_DAT_QOS_SUPPORTED UINT64_C(0x0000080)
#define DAT_PROVIDER_FIELD_COMPLETION_FLAGS_SUPPORTED UINT64_C(0x0000100)
#define DAT_PROVIDER_FIELD_IS_THREAD_SAFE UINT64_C(0x0000200)
#define DAT_PROVIDER_FIELD_MAX_PRIVATE_DATA_SIZE UINT64_C(0x0000400)
#define DAT_PROVIDER_FIELD_SUPPORTS_MULTIPATH UINT64_C(0x0000800)
#define DAT_PROVIDER_FIELD_EP_CREATOR UINT64_C(0x0001000)
#define DAT_PROVIDER_FIELD_PZ_SUPPORT UINT64_C(0x0002000)
#define DAT_PROVIDER_FIELD_OPTIMAL_BUFFER_ALIGNMENT UINT64_C(0x0004000)
#define DAT_PROVIDER_FIELD_EVD_STREAM_MERGING_SUPPORTED UINT64_C(0x0008000)
#define DAT_PROVIDER_FIELD_SRQ_SUPPORTED UINT64_C(0x0010000)
#define DAT_PROVIDER_FIELD_SRQ_WATERMARKS_SUPPORTED UINT64_C(0x0020000)
#define DAT_PROVIDER_FIELD_SRQ_EP_PZ_DIFFERENCE_SUPPORTED UINT64_C(0x0040000)
#define DAT_PROVIDER_FIELD_SRQ_INFO_SUPPORTED UINT64_C(0x0080000)
#define DAT_PROVIDER_FIELD_EP_RECV_INFO_SUPPORTED UINT64_C(0x0100000)
#define DAT_PROVIDER_FIELD_LMR_SYNC_REQ UINT64_C(0x0200000)
#define DAT_PROVIDER_FIELD_DTO_ASYNC_RETURN_GUARANTEED UINT64_C(0x0400000)
#define DAT_PROVIDER_FIELD_RDMA_WRITE_FOR_RDMA_READ_REQ UINT64_C(0x0800000)
#define DAT_PROVIDER_FIELD_NUM_PROVIDER_SPECIFIC_ATTR UINT64_C(0x1000000)
#define DAT_PROVIDER_FIELD_PROVIDER_SPECIFIC_ATTR UINT64_C(0x2000000)
#define DAT_PROVIDER_FIELD_ALL UINT64_C(0x3ffffff)
#define DAT_PROVIDER_FIELD_NONE UINT64_C(0x0)

/** One adapter that can be opened, as dat_registry_list_providers() tells it. */
typedef struct dat_provider_info {
	char ia_name[DAT_NAME_MAX_LENGTH];
	DAT_UINT32 dapl_version_major;
	DAT_UINT32 dapl_version_minor;
	DAT_BOOLEAN is_thread_safe;
} DAT_PROVIDER_INFO;

/** In dat_ia_openv(): another opener owns the asynchronous EVD. */
#define DAT_EVD_ASYNC_EXISTS ((DAT_EVD_HANDLE)0x1)

/** From dat_ia_openv(): the asynchronous EVD is not visible to this program. */
#define DAT_EVD_OUT_OF_SCOPE ((DAT_EVD_HANDLE)0x2)

/**
 * Opens an adapter by name, for a given version of DAT. Programs call it
 * through dat_ia_open(), which fills in the last three arguments.
 *
 * The name may carry the prefix RO_AWARE_: the program then copes with relaxed
 * ordering of memory, and regions of type DAT_MEM_TYPE_VIRTUAL may get it.
 *
 * @param ia_name         adapter, as dat_registry_list_providers() names it
 * @param async_min_qlen  least length of the asynchronous EVD that is made
 * @param async_evd       in: DAT_HANDLE_NULL to have an EVD for asynchronous
 *                        errors made, or an existing one of the same adapter;
 *                        out: the one in use
 * @param ia_handle       out: the open adapter
 *
 * Errors: DAT_PROVIDER_NOT_FOUND, DAT_INVALID_PARAMETER, DAT_INVALID_HANDLE,
 * DAT_INSUFFICIENT_RESOURCES.
 *
 * Thread-safe. May block. dat_ia_open(3DAT)
 */
extern DAT_RETURN dat_ia_openv(const DAT_NAME_PTR ia_name, DAT_COUNT async_min_qlen,
			       DAT_EVD_HANDLE *async_evd, DAT_IA_HANDLE *ia_handle,
			       DAT_UINT32 dapl_major, DAT_UINT32 dapl_minor,
			       DAT_BOOLEAN thread_safety);

/** Opens an adapter for the version and thread safety of udat_config.h. */
#define dat_ia_open(name, qlen, async_evd, ia) \
	dat_ia_openv((name), (qlen), (async_evd), (ia), DAT_VERSION_MAJOR, DAT_VERSION_MINOR, \
		     DAT_THREADSAFE)

/**
 * Tells what an adapter and its provider are. More members may be filled than
 * the masks ask for; a structure may be NULL where its mask is zero, and
 * async_evd may be NULL.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Thread-safe. Does not block. dat_ia_query(3DAT)
 */
extern DAT_RETURN dat_ia_query(DAT_IA_HANDLE ia_handle, DAT_EVD_HANDLE *async_evd,
			       DAT_IA_ATTR_MASK ia_attr_mask, DAT_IA_ATTR *ia_attributes,
			       DAT_PROVIDER_ATTR_MASK provider_attr_mask,
			       DAT_PROVIDER_ATTR *provider_attributes);

/**
 * Closes an adapter. Abruptly: every object of it goes too, and whoever waits
 * on one returns. Gracefully: only when no object is left.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE (in use),
 * DAT_INSUFFICIENT_RESOURCES.
 *
 * Not thread-safe. May block. dat_ia_close(3DAT)
 */
extern DAT_RETURN dat_ia_close(DAT_IA_HANDLE ia_handle, DAT_CLOSE_FLAGS ia_flags);

/**
 * Stores eight bytes of the program's with an object of any kind.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. Does not block. dat_set_consumer_context(3DAT)
 */
extern DAT_RETURN dat_set_consumer_context(DAT_HANDLE dat_handle, DAT_CONTEXT context);

/**
 * Fetches what dat_set_consumer_context() stored; zero if it never did.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. Does not block. dat_get_consumer_context(3DAT)
 */
extern DAT_RETURN dat_get_consumer_context(DAT_HANDLE dat_handle, DAT_CONTEXT *context);

/**
 * Tells the kind of an object.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. Does not block. dat_get_handle_type(3DAT)
 */
extern DAT_RETURN dat_get_handle_type(DAT_HANDLE dat_handle, DAT_HANDLE_TYPE *handle_type);

/**
 * Lists the adapters that can be opened: those of dat.conf, or where there is none
 * those that the module serves; and those that providers registered besides.
 *
 * @param max_to_return      length of the list
 * @param number_entries     out: adapters listed, or needed if the list is short
 * @param dat_provider_list  pointers to structures of the program's, to be filled
 *
 * Errors: DAT_INVALID_PARAMETER (list missing or too short), DAT_INTERNAL_ERROR
 * (dat.conf cannot be read).
 *
 * Thread-safe. May block. dat_registry_list_providers(3DAT)
 */
extern DAT_RETURN dat_registry_list_providers(DAT_COUNT max_to_return, DAT_COUNT *number_entries,
					      DAT_PROVIDER_INFO *(dat_provider_list[]));

/**
 * Turns a result into two constant strings: its type, and its subtype.
 *
 * Errors: DAT_INVALID_PARAMETER (no such result).
 *
 * Thread-safe. Does not block. dat_strerror(3DAT)
 */
extern DAT_RETURN dat_strerror(DAT_RETURN value, const char **major_message,
			       const char **minor_message);

#ifdef __cplusplus
}
#endif

#endif /* _DAT_IA_H_ */

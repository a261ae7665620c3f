/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory: protection zones (PZ), registered regions (LMR), windows bound to
 * them (RMR).
 */
#ifndef _DAT_MEM_H_
#define _DAT_MEM_H_

#include <dat/dat_error.h>
#include <dat/dat_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Protection zones ---- */

/** What dat_pz_query() tells. */
typedef struct dat_pz_param {
	DAT_IA_HANDLE ia_handle;
} DAT_PZ_PARAM;

/** Set of DAT_PZ_PARAM members. */
typedef enum dat_pz_param_mask {
	DAT_PZ_FIELD_IA_HANDLE = 0x01,
	DAT_PZ_FIELD_ALL = 0x01
} DAT_PZ_PARAM_MASK;

/**
 * Makes a protection zone.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INSUFFICIENT_RESOURCES.
 *
 * Thread-safe. Does not block. dat_pz_create(3DAT)
 */
extern DAT_RETURN dat_pz_create(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE *pz_handle);

/**
 * Tells about a protection zone.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Thread-safe. Does not block. dat_pz_query(3DAT)
 */
extern DAT_RETURN dat_pz_query(DAT_PZ_HANDLE pz_handle, DAT_PZ_PARAM_MASK pz_param_mask,
			       DAT_PZ_PARAM *pz_param);

/**
 * Destroys a protection zone that nothing refers to.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE (an EP, LMR, RMR or SRQ uses it).
 *
 * Not thread-safe. Does not block. dat_pz_free(3DAT)
 */
extern DAT_RETURN dat_pz_free(DAT_PZ_HANDLE pz_handle);

/* ---- Local memory regions ---- */

/** What a region is made from. */
typedef enum dat_mem_type {
	/** A range of the program's memory. */
	DAT_MEM_TYPE_VIRTUAL = 0x00,
	/** An existing LMR, with another zone or other privileges. */
	DAT_MEM_TYPE_LMR = 0x01,
	/** Memory that processes share, known to them by a cookie. */
	DAT_MEM_TYPE_SHARED_VIRTUAL = 0x02,
	/** Solaris addition: like VIRTUAL, and always strongly ordered. */
	DAT_MEM_TYPE_SO_VIRTUAL = 0x03
} DAT_MEM_TYPE;

/** Length of the cookie that names shared memory; all of it is compared. */
#define DAT_LMR_COOKIE_SIZE 40

/** Points to the cookie that names shared memory. */
typedef char (*DAT_LMR_COOKIE)[DAT_LMR_COOKIE_SIZE];

/** Shared memory: where it is here, and what all sharers call it. */
typedef struct dat_shared_memory {
	DAT_PVOID virtual_address;
	DAT_LMR_COOKIE shared_memory_id;
} DAT_SHARED_MEMORY;

/** The memory to register; the memory type tells the member. */
typedef union dat_region_description {
	DAT_PVOID for_va; /**< VIRTUAL, SO_VIRTUAL */
	DAT_LMR_HANDLE for_lmr_handle; /**< LMR */
	DAT_SHARED_MEMORY for_shared_memory; /**< SHARED_VIRTUAL */
} DAT_REGION_DESCRIPTION;

/** What dat_lmr_query() tells. */
typedef struct dat_lmr_param {
	DAT_IA_HANDLE ia_handle;
	DAT_MEM_TYPE mem_type;
	DAT_REGION_DESCRIPTION region_desc;
	DAT_VLEN length;
	DAT_PZ_HANDLE pz_handle;
	DAT_MEM_PRIV_FLAGS mem_priv;
	DAT_LMR_CONTEXT lmr_context;
	DAT_RMR_CONTEXT rmr_context;
	DAT_VLEN registered_size;
	DAT_VADDR registered_address;
} DAT_LMR_PARAM;

/** Set of DAT_LMR_PARAM members. */
typedef enum dat_lmr_param_mask {
	DAT_LMR_FIELD_IA_HANDLE = 0x001,
	DAT_LMR_FIELD_MEM_TYPE = 0x002,
	DAT_LMR_FIELD_REGION_DESC = 0x004,
	DAT_LMR_FIELD_LENGTH = 0x008,
	DAT_LMR_FIELD_PZ_HANDLE = 0x010,
	DAT_LMR_FIELD_MEM_PRIV = 0x020,
	DAT_LMR_FIELD_LMR_CONTEXT = 0x040,
	DAT_LMR_FIELD_RMR_CONTEXT = 0x080,
	DAT_LMR_FIELD_REGISTERED_SIZE = 0x100,
	DAT_LMR_FIELD_REGISTERED_ADDRESS = 0x200,
	DAT_LMR_FIELD_ALL = 0x3ff
} DAT_LMR_PARAM_MASK;

/**
 * Registers memory: pins it and gives it names for local and remote use.
 *
 * @param rmr_context         out: name for the peer; zero without a remote
 *                            privilege
 * @param registered_size     out: bytes registered, possibly more than asked
 * @param registered_address  out: where the registered range begins
 *
 * The out parameters after lmr_handle may be NULL.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE,
 * DAT_INSUFFICIENT_RESOURCES (the limit on locked memory, too),
 * DAT_MODEL_NOT_SUPPORTED.
 *
 * Thread-safe. May block. dat_lmr_create(3DAT)
 */
extern DAT_RETURN dat_lmr_create(DAT_IA_HANDLE ia_handle, DAT_MEM_TYPE mem_type,
				 DAT_REGION_DESCRIPTION region_description, DAT_VLEN length,
				 DAT_PZ_HANDLE pz_handle, DAT_MEM_PRIV_FLAGS mem_privileges,
				 DAT_LMR_HANDLE *lmr_handle, DAT_LMR_CONTEXT *lmr_context,
				 DAT_RMR_CONTEXT *rmr_context, DAT_VLEN *registered_size,
				 DAT_VADDR *registered_address);

/**
 * Tells about a region.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. Does not block. dat_lmr_query(3DAT)
 */
extern DAT_RETURN dat_lmr_query(DAT_LMR_HANDLE lmr_handle, DAT_LMR_PARAM_MASK lmr_param_mask,
				DAT_LMR_PARAM *lmr_param);

/**
 * Ends a registration. A peer that uses its context afterwards gets an error and
 * the connection breaks. The memory itself stays as it is.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE (an RMR is bound to it).
 *
 * Not thread-safe. May block. dat_lmr_free(3DAT)
 */
extern DAT_RETURN dat_lmr_free(DAT_LMR_HANDLE lmr_handle);

/**
 * Makes local writes visible to peers that read by RDMA. Needed only where the
 * provider's attribute lmr_sync_req says so; harmless elsewhere.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. May block. dat_lmr_sync_rdma_read(3DAT)
 */
extern DAT_RETURN dat_lmr_sync_rdma_read(DAT_IA_HANDLE ia_handle,
					 const DAT_LMR_TRIPLET *local_segments,
					 DAT_VLEN num_segments);

/**
 * Makes what peers wrote by RDMA visible to local reads. Needed only where the
 * provider's attribute lmr_sync_req says so; harmless elsewhere.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. May block. dat_lmr_sync_rdma_write(3DAT)
 */
extern DAT_RETURN dat_lmr_sync_rdma_write(DAT_IA_HANDLE ia_handle,
					  const DAT_LMR_TRIPLET *local_segments,
					  DAT_VLEN num_segments);

/* ---- Remote memory regions ---- */

/** What dat_rmr_query() tells; all but the first two are defined while bound. */
typedef struct dat_rmr_param {
	DAT_IA_HANDLE ia_handle;
	DAT_PZ_HANDLE pz_handle;
	DAT_LMR_TRIPLET lmr_triplet;
	DAT_MEM_PRIV_FLAGS mem_priv;
	DAT_RMR_CONTEXT rmr_context;
} DAT_RMR_PARAM;

/** Set of DAT_RMR_PARAM members. */
typedef enum dat_rmr_param_mask {
	DAT_RMR_FIELD_IA_HANDLE = 0x01,
	DAT_RMR_FIELD_PZ_HANDLE = 0x02,
	DAT_RMR_FIELD_LMR_TRIPLET = 0x04,
	DAT_RMR_FIELD_MEM_PRIV = 0x08,
	DAT_RMR_FIELD_RMR_CONTEXT = 0x10,
	DAT_RMR_FIELD_ALL = 0x1f
} DAT_RMR_PARAM_MASK;

/**
 * Makes a window that is not bound yet.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INSUFFICIENT_RESOURCES.
 *
 * Thread-safe. May block. dat_rmr_create(3DAT)
 */
extern DAT_RETURN dat_rmr_create(DAT_PZ_HANDLE pz_handle, DAT_RMR_HANDLE *rmr_handle);

/**
 * Tells about a window.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. Does not block. dat_rmr_query(3DAT)
 */
extern DAT_RETURN dat_rmr_query(DAT_RMR_HANDLE rmr_handle, DAT_RMR_PARAM_MASK rmr_param_mask,
				DAT_RMR_PARAM *rmr_param);

/**
 * Posts the binding of a window to part of a registered region, or (length zero)
 * its unbinding. The new context is returned at once; the peer may use it when
 * the bind has completed, and later requests on the same EP wait for that. The
 * old context dies with the bind. Completion is an event on the request EVD.
 *
 * A bind takes two of the EP's request slots. The provider's named attribute
 * KDAPL_MAX_RMR_SIZE tells how long a segment can be; a longer one gives
 * DAT_INSUFFICIENT_RESOURCES (DAT_RESOURCE_MEMORY_REGION). Binds of one RMR that
 * are outstanding are all on one EP, else DAT_INVALID_STATE.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE,
 * DAT_PROTECTION_VIOLATION, DAT_PRIVILEGES_VIOLATION, DAT_MODEL_NOT_SUPPORTED,
 * DAT_INSUFFICIENT_RESOURCES.
 *
 * Not thread-safe. Does not block. dat_rmr_bind(3DAT)
 */
extern DAT_RETURN dat_rmr_bind(DAT_RMR_HANDLE rmr_handle, const DAT_LMR_TRIPLET *lmr_triplet,
			       DAT_MEM_PRIV_FLAGS mem_privileges, DAT_EP_HANDLE ep_handle,
			       DAT_RMR_COOKIE user_cookie, DAT_COMPLETION_FLAGS completion_flags,
			       DAT_RMR_CONTEXT *context);

/**
 * Destroys a window, bound or not.
 *
 * Errors: DAT_INVALID_HANDLE.
 *
 * Not thread-safe. May block. dat_rmr_free(3DAT)
 */
extern DAT_RETURN dat_rmr_free(DAT_RMR_HANDLE rmr_handle);

#ifdef __cplusplus
}
#endif

#endif /* _DAT_MEM_H_ */

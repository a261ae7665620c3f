/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Listening: public and reserved service points (PSP, RSP), and the connection
 * requests (CR) that arrive at them.
 */
#ifndef _DAT_SP_H_
#define _DAT_SP_H_

#include <dat/dat_error.h>
#include <dat/dat_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Public service points ---- */

/** Who makes the endpoint for a request. */
typedef enum dat_psp_flags {
	/** The program gives one to dat_cr_accept(). */
	DAT_PSP_CONSUMER_FLAG = 0x00,
	/** The provider makes one, which comes with the request. */
	DAT_PSP_PROVIDER_FLAG = 0x01
} DAT_PSP_FLAGS;

/** What dat_psp_query() tells. */
typedef struct dat_psp_param {
	DAT_IA_HANDLE ia_handle;
	DAT_CONN_QUAL conn_qual;
	DAT_EVD_HANDLE evd_handle;
	DAT_PSP_FLAGS psp_flags;
} DAT_PSP_PARAM;

/** Set of DAT_PSP_PARAM members. */
typedef enum dat_psp_param_mask {
	DAT_PSP_FIELD_IA_HANDLE = 0x01,
	DAT_PSP_FIELD_CONN_QUAL = 0x02,
	DAT_PSP_FIELD_EVD_HANDLE = 0x04,
	DAT_PSP_FIELD_PSP_FLAGS = 0x08,
	DAT_PSP_FIELD_ALL = 0x0f
} DAT_PSP_PARAM_MASK;

/**
 * Listens on a connection qualifier until freed. Each request is an event on the
 * EVD, whose length is the backlog.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_CONN_QUAL_IN_USE,
 * DAT_MODEL_NOT_SUPPORTED, DAT_INSUFFICIENT_RESOURCES.
 *
 * Thread-safe. May block. dat_psp_create(3DAT)
 */
extern DAT_RETURN dat_psp_create(DAT_IA_HANDLE ia_handle, DAT_CONN_QUAL conn_qual,
				 DAT_EVD_HANDLE evd_handle, DAT_PSP_FLAGS psp_flags,
				 DAT_PSP_HANDLE *psp_handle);

/**
 * The same on a qualifier that the provider picks.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_CONN_QUAL_UNAVAILABLE,
 * DAT_MODEL_NOT_SUPPORTED, DAT_INSUFFICIENT_RESOURCES.
 *
 * Thread-safe. May block. dat_psp_create_any(3DAT)
 */
extern DAT_RETURN dat_psp_create_any(DAT_IA_HANDLE ia_handle, DAT_CONN_QUAL *conn_qual,
				     DAT_EVD_HANDLE evd_handle, DAT_PSP_FLAGS psp_flags,
				     DAT_PSP_HANDLE *psp_handle);

/**
 * Tells about a PSP.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Thread-safe. Does not block. dat_psp_query(3DAT)
 */
extern DAT_RETURN dat_psp_query(DAT_PSP_HANDLE psp_handle, DAT_PSP_PARAM_MASK psp_param_mask,
				DAT_PSP_PARAM *psp_param);

/**
 * Stops listening. Requests that were delivered can still be answered.
 *
 * Errors: DAT_INVALID_HANDLE.
 *
 * Not thread-safe. May block. dat_psp_free(3DAT)
 */
extern DAT_RETURN dat_psp_free(DAT_PSP_HANDLE psp_handle);

/* ---- Reserved service points ---- */

/** What dat_rsp_query() tells. */
typedef struct dat_rsp_param {
	DAT_IA_HANDLE ia_handle;
	DAT_CONN_QUAL conn_qual;
	DAT_EVD_HANDLE evd_handle;
	DAT_EP_HANDLE ep_handle;
} DAT_RSP_PARAM;

/** Set of DAT_RSP_PARAM members. */
typedef enum dat_rsp_param_mask {
	DAT_RSP_FIELD_IA_HANDLE = 0x01,
	DAT_RSP_FIELD_CONN_QUAL = 0x02,
	DAT_RSP_FIELD_EVD_HANDLE = 0x04,
	DAT_RSP_FIELD_EP_HANDLE = 0x08,
	DAT_RSP_FIELD_ALL = 0x0f
} DAT_RSP_PARAM_MASK;

/**
 * Listens for one request, to be connected to the given UNCONNECTED EP, which
 * becomes RESERVED.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE,
 * DAT_CONN_QUAL_IN_USE, DAT_INSUFFICIENT_RESOURCES.
 *
 * Thread-safe. May block. dat_rsp_create(3DAT)
 */
extern DAT_RETURN dat_rsp_create(DAT_IA_HANDLE ia_handle, DAT_CONN_QUAL conn_qual,
				 DAT_EP_HANDLE ep_handle, DAT_EVD_HANDLE evd_handle,
				 DAT_RSP_HANDLE *rsp_handle);

/**
 * Tells about an RSP.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Thread-safe. Does not block. dat_rsp_query(3DAT)
 */
extern DAT_RETURN dat_rsp_query(DAT_RSP_HANDLE rsp_handle, DAT_RSP_PARAM_MASK rsp_param_mask,
				DAT_RSP_PARAM *rsp_param);

/**
 * Stops listening. An EP that no request took is UNCONNECTED again.
 *
 * Errors: DAT_INVALID_HANDLE.
 *
 * Not thread-safe. May block. dat_rsp_free(3DAT)
 */
extern DAT_RETURN dat_rsp_free(DAT_RSP_HANDLE rsp_handle);

/* ---- Connection requests ---- */

/** What dat_cr_query() tells. Pointers are valid until the CR is answered. */
typedef struct dat_cr_param {
	DAT_IA_ADDRESS_PTR remote_ia_address_ptr;
	DAT_PORT_QUAL remote_port_qual;
	DAT_COUNT private_data_size;
	DAT_PVOID private_data;
	DAT_EP_HANDLE local_ep_handle; /**< DAT_HANDLE_NULL if accept brings it */
} DAT_CR_PARAM;

/** Set of DAT_CR_PARAM members. */
typedef enum dat_cr_param_mask {
	DAT_CR_FIELD_REMOTE_IA_ADDRESS_PTR = 0x01,
	DAT_CR_FIELD_REMOTE_PORT_QUAL = 0x02,
	DAT_CR_FIELD_PRIVATE_DATA_SIZE = 0x04,
	DAT_CR_FIELD_PRIVATE_DATA = 0x08,
	DAT_CR_FIELD_LOCAL_EP_HANDLE = 0x10,
	DAT_CR_FIELD_ALL = 0x1f
} DAT_CR_PARAM_MASK;

/**
 * Tells who asks for a connection, and with what private data.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Thread-safe. Does not block. dat_cr_query(3DAT)
 */
extern DAT_RETURN dat_cr_query(DAT_CR_HANDLE cr_handle, DAT_CR_PARAM_MASK cr_param_mask,
			       DAT_CR_PARAM *cr_param);

/**
 * Accepts a request. The outcome is an event on the EP's connect EVD:
 * ESTABLISHED, or ACCEPT_COMPLETION_ERROR. On success the CR is gone; on failure
 * nothing has changed.
 *
 * @param ep_handle     an UNCONNECTED EP, or DAT_HANDLE_NULL if the request came
 *                      with one
 * @param private_data  bytes the peer sees in its ESTABLISHED event
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE.
 *
 * Not thread-safe. Does not wait for the outcome. dat_cr_accept(3DAT)
 */
extern DAT_RETURN dat_cr_accept(DAT_CR_HANDLE cr_handle, DAT_EP_HANDLE ep_handle,
				DAT_COUNT private_data_size, const DAT_PVOID private_data);

/**
 * Rejects a request; the peer gets PEER_REJECTED. The CR is gone.
 *
 * Errors: DAT_INVALID_HANDLE.
 *
 * Not thread-safe. May block. dat_cr_reject(3DAT)
 */
extern DAT_RETURN dat_cr_reject(DAT_CR_HANDLE cr_handle);

/**
 * Moves a request to another service point of the adapter, perhaps another
 * program's. The CR is gone.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. Does not block. dat_cr_handoff(3DAT)
 */
extern DAT_RETURN dat_cr_handoff(DAT_CR_HANDLE cr_handle, DAT_CONN_QUAL handoff);

#ifdef __cplusplus
}
#endif

#endif /* _DAT_SP_H_ */

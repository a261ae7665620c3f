/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Endpoints (EP), the transfers posted on them, and shared receive queues (SRQ).
 */
#ifndef _DAT_EP_H_
#define _DAT_EP_H_

#include <dat/dat_error.h>
#include <dat/dat_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Attributes and state of an EP ---- */

/** Service of a connection. */
typedef enum dat_service_type {
	/** Reliable and in order. */
	DAT_SERVICE_TYPE_RC = 0
} DAT_SERVICE_TYPE;

/** Sizes and styles of an EP. */
typedef struct dat_ep_attr {
	DAT_SERVICE_TYPE service_type;
	DAT_VLEN max_message_size; /**< bytes in one send or receive */
	DAT_VLEN max_rdma_size; /**< bytes in one RDMA read or write */
	DAT_QOS qos;
	DAT_COMPLETION_FLAGS recv_completion_flags;
	DAT_COMPLETION_FLAGS request_completion_flags;
	DAT_COUNT max_recv_dtos; /**< receives posted at a time */
	DAT_COUNT max_request_dtos; /**< all others posted at a time */
	DAT_COUNT max_recv_iov; /**< segments of a receive */
	DAT_COUNT max_request_iov; /**< segments of a send */
	DAT_COUNT max_rdma_read_in; /**< RDMA reads answered at a time */
	DAT_COUNT max_rdma_read_out; /**< RDMA reads asked at a time */
	DAT_COUNT srq_soft_hw; /**< soft high watermark of SRQ buffers */
	DAT_COUNT max_rdma_read_iov;
	DAT_COUNT max_rdma_write_iov;
	DAT_COUNT ep_transport_specific_count;
	DAT_NAMED_ATTR *ep_transport_specific;
	DAT_COUNT ep_provider_specific_count;
	DAT_NAMED_ATTR *ep_provider_specific;
} DAT_EP_ATTR;

/** State of an EP. */
typedef enum dat_ep_state {
	DAT_EP_STATE_UNCONNECTED = 0,
	DAT_EP_STATE_UNCONFIGURED_UNCONNECTED = 1,
	/** Belongs to an RSP. */
	DAT_EP_STATE_RESERVED = 2,
	DAT_EP_STATE_UNCONFIGURED_RESERVED = 3,
	/** Belongs to a CR that came through an RSP. */
	DAT_EP_STATE_PASSIVE_CONNECTION_PENDING = 4,
	DAT_EP_STATE_UNCONFIGURED_PASSIVE = 5,
	/** dat_ep_connect() is under way. */
	DAT_EP_STATE_ACTIVE_CONNECTION_PENDING = 6,
	/** Belongs to a CR whose PSP makes endpoints. */
	DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING = 7,
	DAT_EP_STATE_UNCONFIGURED_TENTATIVE = 8,
	DAT_EP_STATE_CONNECTED = 9,
	/** A graceful disconnect lets requests finish. */
	DAT_EP_STATE_DISCONNECT_PENDING = 10,
	/** dat_ep_reset() makes it UNCONNECTED again. */
	DAT_EP_STATE_DISCONNECTED = 11,
	/** Accepted, not yet CONNECTED. */
	DAT_EP_STATE_COMPLETION_PENDING = 12
} DAT_EP_STATE;

/** Older spelling of DAT_EP_STATE_DISCONNECTED. */
#define DAT_EP_STATE_ERROR DAT_EP_STATE_DISCONNECTED

/**
 * What dat_ep_query() tells and dat_ep_modify() takes. Addresses live as long as
 * the EP; the remote ones are defined from pending to DISCONNECT_PENDING.
 */
typedef struct dat_ep_param {
	DAT_IA_HANDLE ia_handle;
	DAT_EP_STATE ep_state;
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

/** Set of DAT_EP_PARAM members, those of its attributes each by itself. */
typedef DAT_UINT64 DAT_EP_PARAM_MASK;

/* One bit per member, in the members' order; attributes begin at bit 12. */
#define DAT_EP_FIELD_IA_HANDLE UINT64_C(0x00000001)
#define DAT_EP_FIELD_EP_STATE UINT64_C(0x00000002)
#define DAT_EP_FIELD_LOCAL_IA_ADDRESS_PTR UINT64_C(0x00000004)
#define DAT_EP_FIELD_LOCAL_PORT_QUAL UINT64_C(0x00000008)
#define DAT_EP_FIELD_REMOTE_IA_ADDRESS_PTR UINT64_C(0x00000010)
#define DAT_EP_FIELD_REMOTE_PORT_QUAL UINT64_C(0x00000020)
#define DAT_EP_FIELD_PZ_HANDLE UINT64_C(0x00000040)
#define DAT_EP_FIELD_RECV_EVD_HANDLE UINT64_C(0x00000080)
#define DAT_EP_FIELD_REQUEST_EVD_HANDLE UINT64_C(0x00000100)
#define DAT_EP_FIELD_CONNECT_EVD_HANDLE UINT64_C(0x00000200)
#define DAT_EP_FIELD_SRQ_HANDLE UINT64_C(0x00000400)
#define DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE UINT64_C(0x00001000)
#define DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE UINT64_C(0x00002000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RDMA_SIZE UINT64_C(0x00004000)
#define DAT_EP_FIELD_EP_ATTR_QOS UINT64_C(0x00008000)
#define DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS UINT64_C(0x00010000)
#define DAT_EP_FIELD_EP_ATTR_REQUEST_COMPLETION_FLAGS UINT64_C(0x00020000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS UINT64_C(0x00040000)
#define DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS UINT64_C(0x00080000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV UINT64_C(0x00100000)
#define DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV UINT64_C(0x00200000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN UINT64_C(0x00400000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT UINT64_C(0x00800000)
#define DAT_EP_FIELD_EP_ATTR_SRQ_SOFT_HW UINT64_C(0x01000000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IOV UINT64_C(0x02000000)
#define DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV UINT64_C(0x04000000)
#define DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR UINT64_C(0x08000000)
#define DAT_EP_FIELD_EP_ATTR_TRANSPORT_SPECIFIC_ATTR UINT64_C(0x10000000)
#define DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR UINT64_C(0x20000000)
#define DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR UINT64_C(0x40000000)
#define DAT_EP_FIELD_EP_ATTR_ALL UINT64_C(0x7ffff000)
#define DAT_EP_FIELD_ALL UINT64_C(0x7ffff7ff)

/** High watermark: none. */
#define DAT_WATERMARK_INFINITE ((DAT_COUNT)~0)

/** High watermark of an EP whose program sets none. */
#define DAT_HW_DEFAULT DAT_WATERMARK_INFINITE

/* ---- Life of an EP ---- */

/**
 * Makes an endpoint, UNCONNECTED. Receives can be posted at once.
 *
 * @param pz_handle      zone of the memory it may touch; DAT_HANDLE_NULL leaves
 *                       that to dat_ep_modify()
 * @param *_evd_handle   EVDs for receive completions, for all other completions,
 *                       for connection events; DAT_HANDLE_NULL for no interest
 * @param ep_attributes  NULL for the provider's defaults
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED,
 * DAT_INSUFFICIENT_RESOURCES.
 *
 * Thread-safe. May block. dat_ep_create(3DAT)
 */
extern DAT_RETURN dat_ep_create(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE pz_handle,
				DAT_EVD_HANDLE recv_evd_handle, DAT_EVD_HANDLE request_evd_handle,
				DAT_EVD_HANDLE connect_evd_handle,
				const DAT_EP_ATTR *ep_attributes, DAT_EP_HANDLE *ep_handle);

/**
 * Makes an endpoint that takes its receive buffers from an SRQ, for life.
 * ep_attributes must be given; its max_recv_iov is not read.
 *
 * Errors: as dat_ep_create().
 *
 * Thread-safe. May block. dat_ep_create_with_srq(3DAT)
 */
extern DAT_RETURN dat_ep_create_with_srq(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE pz_handle,
					 DAT_EVD_HANDLE recv_evd_handle,
					 DAT_EVD_HANDLE request_evd_handle,
					 DAT_EVD_HANDLE connect_evd_handle,
					 DAT_SRQ_HANDLE srq_handle,
					 const DAT_EP_ATTR *ep_attributes,
					 DAT_EP_HANDLE *ep_handle);

/**
 * Tells about an EP.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. Does not block. dat_ep_query(3DAT)
 */
extern DAT_RETURN dat_ep_query(DAT_EP_HANDLE ep_handle, DAT_EP_PARAM_MASK ep_param_mask,
			       DAT_EP_PARAM *ep_param);

/**
 * Changes the members of an EP that the mask names. IA, state, addresses and
 * ports never change like this; the others only before the EP connects.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE.
 *
 * Not thread-safe. May block. dat_ep_modify(3DAT)
 */
extern DAT_RETURN dat_ep_modify(DAT_EP_HANDLE ep_handle, DAT_EP_PARAM_MASK ep_param_mask,
				const DAT_EP_PARAM *ep_param);

/**
 * Tells the state of an EP, and which of its queues have nothing outstanding.
 * Any of the out parameters may be NULL.
 *
 * Errors: DAT_INVALID_HANDLE.
 *
 * Thread-safe. Never blocks. dat_ep_get_status(3DAT)
 */
extern DAT_RETURN dat_ep_get_status(DAT_EP_HANDLE ep_handle, DAT_EP_STATE *ep_state,
				    DAT_BOOLEAN *recv_idle, DAT_BOOLEAN *request_idle);

/**
 * Tells how many receive buffers an EP holds, and over how many of an SRQ's
 * they are spread. DAT_VALUE_UNKNOWN is a valid answer; either out parameter may
 * be NULL.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED.
 *
 * Not thread-safe. Does not block. dat_ep_recv_query(3DAT)
 */
extern DAT_RETURN dat_ep_recv_query(DAT_EP_HANDLE ep_handle, DAT_COUNT *nbufs_allocated,
				    DAT_COUNT *bufs_alloc_span);

/**
 * Limits the SRQ buffers an EP may hold: over the soft mark one asynchronous
 * event is raised, over the hard mark the connection breaks.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED.
 *
 * Not thread-safe. Does not block. dat_ep_set_watermark(3DAT)
 */
extern DAT_RETURN dat_ep_set_watermark(DAT_EP_HANDLE ep_handle, DAT_COUNT soft_high_watermark,
				       DAT_COUNT hard_high_watermark);

/**
 * Starts connecting an UNCONNECTED EP. The outcome is an event on its connect
 * EVD.
 *
 * @param remote_ia_address  the peer's adapter
 * @param remote_conn_qual   where its service point listens
 * @param timeout            microseconds until TIMED_OUT
 * @param private_data       bytes the peer sees in the request
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_ADDRESS,
 * DAT_INVALID_STATE, DAT_MODEL_NOT_SUPPORTED, DAT_INSUFFICIENT_RESOURCES.
 *
 * Not thread-safe. Does not wait for the outcome. dat_ep_connect(3DAT)
 */
extern DAT_RETURN dat_ep_connect(DAT_EP_HANDLE ep_handle, DAT_IA_ADDRESS_PTR remote_ia_address,
				 DAT_CONN_QUAL remote_conn_qual, DAT_TIMEOUT timeout,
				 DAT_COUNT private_data_size, const DAT_PVOID private_data,
				 DAT_QOS qos, DAT_CONNECT_FLAGS connect_flags);

/**
 * Starts connecting an EP to where another, CONNECTED one is connected.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE,
 * DAT_MODEL_NOT_SUPPORTED, DAT_INSUFFICIENT_RESOURCES.
 *
 * Not thread-safe. Does not wait for the outcome. dat_ep_dup_connect(3DAT)
 */
extern DAT_RETURN dat_ep_dup_connect(DAT_EP_HANDLE ep_handle, DAT_EP_HANDLE dup_ep_handle,
				     DAT_TIMEOUT timeout, DAT_COUNT private_data_size,
				     const DAT_PVOID private_data, DAT_QOS qos);

/**
 * Ends a connection, or an attempt at one. Gracefully: requests posted so far
 * finish first. Abruptly: they are flushed. DISCONNECTED follows as an event.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE,
 * DAT_INSUFFICIENT_RESOURCES.
 *
 * Not thread-safe. Does not wait for the outcome. dat_ep_disconnect(3DAT)
 */
extern DAT_RETURN dat_ep_disconnect(DAT_EP_HANDLE ep_handle, DAT_CLOSE_FLAGS disconnect_flags);

/**
 * Makes a DISCONNECTED EP UNCONNECTED, to be used again. Completions not yet
 * taken from its EVDs may be lost.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE.
 *
 * Not thread-safe. May block. dat_ep_reset(3DAT)
 */
extern DAT_RETURN dat_ep_reset(DAT_EP_HANDLE ep_handle);

/**
 * Destroys an EP and its connection, if any.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE (a service point or a request
 * owns it).
 *
 * Not thread-safe. May block. dat_ep_free(3DAT)
 */
extern DAT_RETURN dat_ep_free(DAT_EP_HANDLE ep_handle);

/* ---- Transfers ---- */

/**
 * Posts a send of the given local segments, as one message. Zero segments make
 * an empty message. Allowed when CONNECTED; when DISCONNECTED it is flushed.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE,
 * DAT_INSUFFICIENT_RESOURCES (queue full), DAT_PROTECTION_VIOLATION,
 * DAT_PRIVILEGES_VIOLATION.
 *
 * Not thread-safe. Never blocks. dat_ep_post_send(3DAT)
 */
extern DAT_RETURN dat_ep_post_send(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
				   DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
				   DAT_COMPLETION_FLAGS completion_flags);

/**
 * Posts a buffer for one message, in any state of the EP. The memory needs local
 * write privilege. Not for an EP with an SRQ.
 *
 * Errors: as dat_ep_post_send().
 *
 * Not thread-safe. Never blocks. dat_ep_post_recv(3DAT)
 */
extern DAT_RETURN dat_ep_post_recv(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
				   DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
				   DAT_COMPLETION_FLAGS completion_flags);

/**
 * Posts a read of the peer's memory into the given local segments. The remote
 * length counts; the local segments must be long enough.
 *
 * Errors: as dat_ep_post_send(), and DAT_LENGTH_ERROR.
 *
 * Not thread-safe. Never blocks. dat_ep_post_rdma_read(3DAT)
 */
extern DAT_RETURN dat_ep_post_rdma_read(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
					DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
					const DAT_RMR_TRIPLET *remote_buffer,
					DAT_COMPLETION_FLAGS completion_flags);

/**
 * Posts a write of the given local segments into the peer's memory, which must
 * be long enough for them.
 *
 * Errors: as dat_ep_post_send(), and DAT_LENGTH_ERROR.
 *
 * Not thread-safe. Never blocks. dat_ep_post_rdma_write(3DAT)
 */
extern DAT_RETURN dat_ep_post_rdma_write(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
					 DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
					 const DAT_RMR_TRIPLET *remote_buffer,
					 DAT_COMPLETION_FLAGS completion_flags);

/* ---- Shared receive queues ---- */

/** Low watermark of an SRQ whose program sets none. */
#define DAT_SRQ_LW_DEFAULT 0x0

/** State of an SRQ. */
typedef enum dat_srq_state {
	DAT_SRQ_STATE_OPERATIONAL = 0,
	DAT_SRQ_STATE_ERROR = 1
} DAT_SRQ_STATE;

/** Sizes of an SRQ. */
typedef struct dat_srq_attr {
	DAT_COUNT max_recv_dtos;
	DAT_COUNT max_recv_iov;
	DAT_COUNT low_watermark; /**< DAT_SRQ_LW_DEFAULT at creation */
} DAT_SRQ_ATTR;

/** What dat_srq_query() tells. */
typedef struct dat_srq_param {
	DAT_IA_HANDLE ia_handle;
	DAT_SRQ_STATE srq_state;
	DAT_PZ_HANDLE pz_handle;
	DAT_COUNT max_recv_dtos;
	DAT_COUNT max_recv_iov;
	DAT_COUNT low_watermark;
	DAT_COUNT available_dto_count; /**< buffers still on the queue */
	DAT_COUNT outstanding_dto_count; /**< posted and not yet reaped */
} DAT_SRQ_PARAM;

/** Set of DAT_SRQ_PARAM members. */
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

/**
 * Makes a shared receive queue, at least as large as asked.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED,
 * DAT_INSUFFICIENT_RESOURCES.
 *
 * Thread-safe. May block. dat_srq_create(3DAT)
 */
extern DAT_RETURN dat_srq_create(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE pz_handle,
				 DAT_SRQ_ATTR *srq_attr, DAT_SRQ_HANDLE *srq_handle);

/**
 * Destroys an SRQ; buffers left on it do not complete.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE (an EP uses it).
 *
 * Not thread-safe. May block. dat_srq_free(3DAT)
 */
extern DAT_RETURN dat_srq_free(DAT_SRQ_HANDLE srq_handle);

/**
 * Posts a buffer that any EP of the SRQ may take. It completes on the receive
 * EVD of the one that did.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INSUFFICIENT_RESOURCES,
 * DAT_PROTECTION_VIOLATION, DAT_PRIVILEGES_VIOLATION.
 *
 * Not thread-safe. Never blocks. dat_srq_post_recv(3DAT)
 */
extern DAT_RETURN dat_srq_post_recv(DAT_SRQ_HANDLE srq_handle, DAT_COUNT num_segments,
				    DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie);

/**
 * Tells about an SRQ. The two counts may be DAT_VALUE_UNKNOWN.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. Does not block. dat_srq_query(3DAT)
 */
extern DAT_RETURN dat_srq_query(DAT_SRQ_HANDLE srq_handle, DAT_SRQ_PARAM_MASK srq_param_mask,
				DAT_SRQ_PARAM *srq_param);

/**
 * Changes the size of an SRQ.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INSUFFICIENT_RESOURCES,
 * DAT_INVALID_STATE (more are outstanding, or the low watermark is higher).
 *
 * Not thread-safe. May block. dat_srq_resize(3DAT)
 */
extern DAT_RETURN dat_srq_resize(DAT_SRQ_HANDLE srq_handle, DAT_COUNT srq_max_recv_dto);

/**
 * Arms the low watermark: one asynchronous event is raised when fewer buffers
 * are on the SRQ, which may be at once.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED.
 *
 * Not thread-safe. Does not block. dat_srq_set_lw(3DAT)
 */
extern DAT_RETURN dat_srq_set_lw(DAT_SRQ_HANDLE srq_handle, DAT_COUNT low_watermark);

#ifdef __cplusplus
}
#endif

#endif /* _DAT_EP_H_ */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events: what dat_evd_wait() and dat_evd_dequeue() deliver.
 *
 * The event number tells which member of the data union is meant.
 */
#ifndef _DAT_EVENT_H_
#define _DAT_EVENT_H_

#include <dat/dat_types.h>

/** What happened. */
typedef enum dat_event_number {
	/** A posted transfer finished: dto_completion_event_data. */
	DAT_DTO_COMPLETION_EVENT = 0x00001,
	/** A posted bind finished: rmr_completion_event_data. */
	DAT_RMR_BIND_COMPLETION_EVENT = 0x01001,
	/** A peer asks for a connection: cr_arrival_event_data. */
	DAT_CONNECTION_REQUEST_EVENT = 0x02001,
	/*
	 * What became of a connection: connect_event_data.
	 */
	/** The connection stands. */
	DAT_CONNECTION_EVENT_ESTABLISHED = 0x04001,
	/** The peer program refused. */
	DAT_CONNECTION_EVENT_PEER_REJECTED = 0x04002,
	/** Refused, but not by a peer program: nobody listens, no room. */
	DAT_CONNECTION_EVENT_NON_PEER_REJECTED = 0x04003,
	/** An accepted connection did not come about. */
	DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR = 0x04004,
	/** One side disconnected. */
	DAT_CONNECTION_EVENT_DISCONNECTED = 0x04005,
	/** A failure ended the connection. */
	DAT_CONNECTION_EVENT_BROKEN = 0x04006,
	/** The time given to dat_ep_connect() passed. */
	DAT_CONNECTION_EVENT_TIMED_OUT = 0x04007,
	/** The peer's address cannot be reached. */
	DAT_CONNECTION_EVENT_UNREACHABLE = 0x04008,
	/*
	 * Errors that belong to no call: asynch_error_event_data.
	 */
	/** An event was lost for want of room. */
	DAT_ASYNC_ERROR_EVD_OVERFLOW = 0x08001,
	/** The adapter is gone or unusable. */
	DAT_ASYNC_ERROR_IA_CATASTROPHIC = 0x08002,
	/** An endpoint broke. */
	DAT_ASYNC_ERROR_EP_BROKEN = 0x08003,
	/** Something timed out. */
	DAT_ASYNC_ERROR_TIMED_OUT = 0x08004,
	/** The provider failed; also carries the watermark events. */
	DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR = 0x08005,
	/** The program posted it with dat_evd_post_se(): software_event_data. */
	DAT_SOFTWARE_EVENT = 0x10001
} DAT_EVENT_NUMBER;

/** How a transfer or a bind ended. */
typedef enum dat_dto_completion_status {
	DAT_DTO_SUCCESS = 0,
	/** Not carried out: the connection went down first. */
	DAT_DTO_ERR_FLUSHED = 1,
	/** The message is longer than the buffer it arrived at. */
	DAT_DTO_ERR_LOCAL_LENGTH = 2,
	/** The local endpoint is inconsistent. */
	DAT_DTO_ERR_LOCAL_EP = 3,
	/** The local buffer may not be used like this. */
	DAT_DTO_ERR_LOCAL_PROTECTION = 4,
	/** The peer's device answered with something unexpected. */
	DAT_DTO_ERR_BAD_RESPONSE = 5,
	/** The remote buffer may not be used like this. */
	DAT_DTO_ERR_REMOTE_ACCESS = 6,
	/** The peer's device could not carry it out. */
	DAT_DTO_ERR_REMOTE_RESPONDER = 7,
	/** The transport gave up. */
	DAT_DTO_ERR_TRANSPORT = 8,
	/** The peer had no receive buffer posted for too long. */
	DAT_DTO_ERR_RECEIVER_NOT_READY = 9,
	/** Part of a packet arrived. */
	DAT_DTO_ERR_PARTIAL_PACKET = 10,
	/** A bind failed. */
	DAT_RMR_OPERATION_FAILED = 11
} DAT_DTO_COMPLETION_STATUS;

/** Older spelling of DAT_DTO_ERR_LOCAL_LENGTH. */
#define DAT_DTO_LENGTH_ERROR DAT_DTO_ERR_LOCAL_LENGTH

/** Older spelling of DAT_DTO_ERR_FLUSHED. */
#define DAT_DTO_FAILURE DAT_DTO_ERR_FLUSHED

/** A bind ends with the same statuses as a transfer. */
#define DAT_RMR_BIND_COMPLETION_STATUS DAT_DTO_COMPLETION_STATUS

/** The bind is in effect. */
#define DAT_RMR_BIND_SUCCESS DAT_DTO_SUCCESS

/** The bind was flushed. */
#define DAT_RMR_BIND_FAILURE DAT_DTO_ERR_FLUSHED

/** Completion of a transfer. */
typedef struct dat_dto_completion_event_data {
	DAT_EP_HANDLE ep_handle;
	DAT_DTO_COOKIE user_cookie;
	DAT_DTO_COMPLETION_STATUS status;
	DAT_VLEN transfered_length; /**< defined on success only */
} DAT_DTO_COMPLETION_EVENT_DATA;

/** Completion of a bind. */
typedef struct dat_rmr_bind_completion_event_data {
	DAT_RMR_HANDLE rmr_handle;
	DAT_RMR_COOKIE user_cookie;
	DAT_RMR_BIND_COMPLETION_STATUS status;
} DAT_RMR_BIND_COMPLETION_EVENT_DATA;

/** The service point that a request arrived at. */
typedef union dat_sp_handle {
	DAT_RSP_HANDLE rsp_handle;
	DAT_PSP_HANDLE psp_handle;
} DAT_SP_HANDLE;

/** A connection request; answer it with dat_cr_accept() or dat_cr_reject(). */
typedef struct dat_cr_arrival_event_data {
	DAT_SP_HANDLE sp_handle;
	DAT_IA_ADDRESS_PTR local_ia_address_ptr;
	DAT_CONN_QUAL conn_qual;
	DAT_CR_HANDLE cr_handle;
} DAT_CR_ARRIVAL_EVENT_DATA;

/**
 * A change of a connection. On the side that connected, ESTABLISHED carries what
 * the peer gave to dat_cr_accept(); it stays valid until the EP is reset or
 * freed. The size may be the transport's maximum, zero-padded.
 */
typedef struct dat_connection_event_data {
	DAT_EP_HANDLE ep_handle;
	DAT_COUNT private_data_size;
	DAT_PVOID private_data;
} DAT_CONNECTION_EVENT_DATA;

/** An asynchronous error; the object's kind tells which reasons apply. */
typedef struct dat_asynch_error_event_data {
	DAT_HANDLE dat_handle; /**< the object, or the IA when none is at fault */
	DAT_COUNT reason;
} DAT_ASYNCH_ERROR_EVENT_DATA;

/** What the program gave to dat_evd_post_se(). */
typedef struct dat_software_event_data {
	DAT_PVOID pointer;
} DAT_SOFTWARE_EVENT_DATA;

/** Data of an event, by its number. */
typedef union dat_event_data {
	DAT_DTO_COMPLETION_EVENT_DATA dto_completion_event_data;
	DAT_RMR_BIND_COMPLETION_EVENT_DATA rmr_completion_event_data;
	DAT_CR_ARRIVAL_EVENT_DATA cr_arrival_event_data;
	DAT_CONNECTION_EVENT_DATA connect_event_data;
	DAT_ASYNCH_ERROR_EVENT_DATA asynch_error_event_data;
	DAT_SOFTWARE_EVENT_DATA software_event_data;
} DAT_EVENT_DATA;

/** One event. */
typedef struct dat_event {
	DAT_EVENT_NUMBER event_number;
	DAT_EVD_HANDLE evd_handle; /**< the dispatcher it came from */
	DAT_EVENT_DATA event_data;
} DAT_EVENT;

/** Reasons of an asynchronous error of an IA. */
typedef enum dat_ia_async_error_reason {
	DAT_IA_CATASTROPHIC_ERROR = 0,
	DAT_IA_OTHER_ERROR = 1
} DAT_IA_ASYNC_ERROR_REASON;

/** Reasons of an asynchronous error of an EP. */
typedef enum dat_ep_async_error_reason {
	DAT_EP_TRANSFER_TO_ERROR = 0,
	DAT_EP_OTHER_ERROR = 1,
	/** No error: the EP holds more SRQ buffers than its soft watermark. */
	DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT = 2
} DAT_EP_ASYNC_ERROR_REASON;

/** Reasons of an asynchronous error of an EVD. */
typedef enum dat_evd_async_error_reason {
	DAT_EVD_OVERFLOW_ERROR = 0,
	DAT_EVD_OTHER_ERROR = 1
} DAT_EVD_ASYNC_ERROR_REASON;

/** Reasons of an asynchronous error of an SRQ. */
typedef enum dat_srq_async_error_reason {
	DAT_SRQ_TRANSFER_TO_ERROR = 0,
	DAT_SRQ_OTHER_ERROR = 1,
	/** No error: fewer buffers are left than the low watermark. */
	DAT_SRQ_LOW_WATERMARK_EVENT = 2
} DAT_SRQ_ASYNC_ERROR_REASON;

/** Reasons of an asynchronous error of an LMR. */
typedef enum dat_lmr_async_error_reason {
	DAT_LMR_OTHER_ERROR = 0
} DAT_LMR_ASYNC_ERROR_REASON;

/** Reasons of an asynchronous error of an RMR. */
typedef enum dat_rmr_async_error_reason {
	DAT_RMR_OTHER_ERROR = 0
} DAT_RMR_ASYNC_ERROR_REASON;

/** Reasons of an asynchronous error of a PZ. */
typedef enum dat_pz_async_error_reason {
	DAT_PZ_OTHER_ERROR = 0
} DAT_PZ_ASYNC_ERROR_REASON;

#endif /* _DAT_EVENT_H_ */

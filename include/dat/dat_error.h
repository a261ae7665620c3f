/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a DAT call returns: one 32-bit word of three fields.
 *
 *   31-30  class    error, warning or success
 *   29-16  type     what went wrong; programs decide on this
 *   15-0   subtype  why, as far as the library knows
 *
 * DAT_GET_TYPE() is the portable way to look at a result: two providers need
 * not agree on the subtype. dat_strerror(3DAT) turns a result into words.
 */
#ifndef _DAT_ERROR_H_
#define _DAT_ERROR_H_

#include <dat/dat_platform_specific.h>

/** The result of every DAT call. */
typedef DAT_UINT32 DAT_RETURN;

/** Class bits of a failure. */
#define DAT_CLASS_ERROR 0x80000000

/** Class bits of a warning: the call did its work, with a remark. */
#define DAT_CLASS_WARNING 0x40000000

/** Class bits of success. */
#define DAT_CLASS_SUCCESS 0x00000000

/** Bits of the type field. */
#define DAT_TYPE_MASK 0x3fff0000

/** Bits of the subtype field. */
#define DAT_SUBTYPE_MASK 0x0000ffff

/** Non-zero when the result is a warning. */
#define DAT_IS_WARNING(status) ((DAT_UINT32)(status)&DAT_CLASS_WARNING)

/** The type of a result, comparable with the DAT_RETURN_TYPE names. */
#define DAT_GET_TYPE(status) ((DAT_UINT32)(status)&DAT_TYPE_MASK)

/** The subtype of a result, comparable with the DAT_RETURN_SUBTYPE names. */
#define DAT_GET_SUBTYPE(status) ((DAT_UINT32)(status)&DAT_SUBTYPE_MASK)

/** The result of class error with the given type and subtype. */
#define DAT_ERROR(type, subtype) \
	((DAT_RETURN)(DAT_CLASS_ERROR | (DAT_UINT32)(type) | (DAT_UINT32)(subtype)))

/** What went wrong. Stands in bits 29-16 of a result. */
typedef enum dat_return_type {
	/** Done. */
	DAT_SUCCESS = 0x00000000,
	/** The object was destroyed, or its IA closed, while the call waited. */
	DAT_ABORT = 0x00010000,
	/** Another service point listens on this connection qualifier. */
	DAT_CONN_QUAL_IN_USE = 0x00020000,
	/** Memory, a device limit or a queue is exhausted. */
	DAT_INSUFFICIENT_RESOURCES = 0x00030000,
	/** The library, the module or the device failed on its own. */
	DAT_INTERNAL_ERROR = 0x00040000,
	/** Not a live handle of the kind that the call takes. */
	DAT_INVALID_HANDLE = 0x00050000,
	/** An argument is out of range; the subtype may tell which. */
	DAT_INVALID_PARAMETER = 0x00060000,
	/** The object is in a state that forbids the call. */
	DAT_INVALID_STATE = 0x00070000,
	/** A length does not fit the buffers it is about. */
	DAT_LENGTH_ERROR = 0x00080000,
	/** The provider does not offer this optional feature. */
	DAT_MODEL_NOT_SUPPORTED = 0x00090000,
	/** No adapter has this name (or none in this version). */
	DAT_PROVIDER_NOT_FOUND = 0x000a0000,
	/** A memory region lacks the access privilege needed. */
	DAT_PRIVILEGES_VIOLATION = 0x000b0000,
	/** Memory and queue belong to different protection zones. */
	DAT_PROTECTION_VIOLATION = 0x000c0000,
	/** No event is queued. */
	DAT_QUEUE_EMPTY = 0x000d0000,
	/** No room for another software event. */
	DAT_QUEUE_FULL = 0x000e0000,
	/** The time given passed first. */
	DAT_TIMEOUT_EXPIRED = 0x000f0000,
	/** A provider of this name is registered already. */
	DAT_PROVIDER_ALREADY_REGISTERED = 0x00100000,
	/** The provider still has open adapters. */
	DAT_PROVIDER_IN_USE = 0x00110000,
	/** The peer's address cannot be used. */
	DAT_INVALID_ADDRESS = 0x00120000,
	/** A signal ended the wait. */
	DAT_INTERRUPTED_CALL = 0x00130000,
	/** No free connection qualifier could be found. */
	DAT_CONN_QUAL_UNAVAILABLE = 0x00140000,
	/** The library does not have this call yet. */
	DAT_NOT_IMPLEMENTED = 0x0fff0000
} DAT_RETURN_TYPE;

/** Older spelling of DAT_PROVIDER_NOT_FOUND. */
#define DAT_NAME_NOT_FOUND DAT_PROVIDER_NOT_FOUND

/** Why it went wrong. Stands in bits 15-0 of a result. */
typedef enum dat_return_subtype {
	DAT_NO_SUBTYPE = 0x00, /**< Nothing more to tell. */
	DAT_SUB_INTERRUPTED = 0x01, /**< Interrupted. */
	DAT_RESOURCE_MEMORY = 0x02, /**< Out of memory, or over the limit of locked memory. */
	DAT_RESOURCE_DEVICE = 0x03, /**< Out of device resources. */
	DAT_RESOURCE_TEP = 0x04, /**< Out of transport endpoints. */
	DAT_RESOURCE_TEVD = 0x05, /**< Out of transport event queues. */
	DAT_RESOURCE_PROTECTION_DOMAIN = 0x06, /**< Out of protection domains. */
	DAT_RESOURCE_MEMORY_REGION = 0x07, /**< Out of memory registrations. */
	DAT_RESOURCE_ERROR_HANDLER = 0x08, /**< Out of error handlers. */
	DAT_RESOURCE_CREDITS = 0x09, /**< Out of queue slots. */
	DAT_RESOURCE_SRQ = 0x0a, /**< Out of shared receive queues. */
	DAT_INVALID_HANDLE_IA = 0x0b, /**< Not an IA. */
	DAT_INVALID_HANDLE_EP = 0x0c, /**< Not an EP. */
	DAT_INVALID_HANDLE_LMR = 0x0d, /**< Not an LMR. */
	DAT_INVALID_HANDLE_RMR = 0x0e, /**< Not an RMR. */
	DAT_INVALID_HANDLE_PZ = 0x0f, /**< Not a PZ. */
	DAT_INVALID_HANDLE_PSP = 0x10, /**< Not a PSP. */
	DAT_INVALID_HANDLE_RSP = 0x11, /**< Not an RSP. */
	DAT_INVALID_HANDLE_CR = 0x12, /**< Not a CR. */
	DAT_INVALID_HANDLE_CNO = 0x13, /**< Not a CNO. */
	DAT_INVALID_HANDLE_EVD_CR = 0x14, /**< Not an EVD for connection requests. */
	DAT_INVALID_HANDLE_EVD_REQUEST = 0x15, /**< Not an EVD for request completions. */
	DAT_INVALID_HANDLE_EVD_RECV = 0x16, /**< Not an EVD for receive completions. */
	DAT_INVALID_HANDLE_EVD_CONN = 0x17, /**< Not an EVD for connection events. */
	DAT_INVALID_HANDLE_EVD_ASYNC = 0x18, /**< Not an EVD for asynchronous errors. */
	DAT_INVALID_HANDLE_SRQ = 0x19, /**< Not an SRQ. */
	DAT_INVALID_HANDLE1 = 0x1a, /**< The handle in argument 1. */
	DAT_INVALID_HANDLE2 = 0x1b, /**< The handle in argument 2. */
	DAT_INVALID_HANDLE3 = 0x1c, /**< The handle in argument 3. */
	DAT_INVALID_HANDLE4 = 0x1d, /**< The handle in argument 4. */
	DAT_INVALID_HANDLE5 = 0x1e, /**< The handle in argument 5. */
	DAT_INVALID_HANDLE6 = 0x1f, /**< The handle in argument 6. */
	DAT_INVALID_HANDLE7 = 0x20, /**< The handle in argument 7. */
	DAT_INVALID_HANDLE8 = 0x21, /**< The handle in argument 8. */
	DAT_INVALID_HANDLE9 = 0x22, /**< The handle in argument 9. */
	DAT_INVALID_HANDLE10 = 0x23, /**< The handle in argument 10. */
	DAT_INVALID_ARG1 = 0x24, /**< Argument 1. */
	DAT_INVALID_ARG2 = 0x25, /**< Argument 2. */
	DAT_INVALID_ARG3 = 0x26, /**< Argument 3. */
	DAT_INVALID_ARG4 = 0x27, /**< Argument 4. */
	DAT_INVALID_ARG5 = 0x28, /**< Argument 5. */
	DAT_INVALID_ARG6 = 0x29, /**< Argument 6. */
	DAT_INVALID_ARG7 = 0x2a, /**< Argument 7. */
	DAT_INVALID_ARG8 = 0x2b, /**< Argument 8. */
	DAT_INVALID_ARG9 = 0x2c, /**< Argument 9. */
	DAT_INVALID_ARG10 = 0x2d, /**< Argument 10. */
	DAT_INVALID_STATE_EP_UNCONNECTED = 0x2e, /**< EP is unconnected. */
	DAT_INVALID_STATE_EP_ACTCONNPENDING = 0x2f, /**< EP is connecting. */
	DAT_INVALID_STATE_EP_PASSCONNPENDING = 0x30, /**< EP waits for accept or reject. */
	DAT_INVALID_STATE_EP_TENTCONNPENDING = 0x31, /**< Provider-made EP waits for accept or reject. */
	DAT_INVALID_STATE_EP_CONNECTED = 0x32, /**< EP is connected. */
	DAT_INVALID_STATE_EP_DISCONNECTED = 0x33, /**< EP is disconnected. */
	DAT_INVALID_STATE_EP_RESERVED = 0x34, /**< EP is reserved by an RSP. */
	DAT_INVALID_STATE_EP_COMPLPENDING = 0x35, /**< EP was accepted, not yet connected. */
	DAT_INVALID_STATE_EP_DISCPENDING = 0x36, /**< EP is disconnecting. */
	DAT_INVALID_STATE_EP_PROVIDERCONTROL = 0x37, /**< EP is under the provider's control. */
	DAT_INVALID_STATE_EP_NOTREADY = 0x38, /**< EP lacks something it needs. */
	DAT_INVALID_STATE_EP_RECV_WATERMARK = 0x39, /**< EP's receive watermark. */
	DAT_INVALID_STATE_EP_PZ = 0x3a, /**< EP's protection zone. */
	DAT_INVALID_STATE_EP_EVD_REQUEST = 0x3b, /**< EP's request EVD. */
	DAT_INVALID_STATE_EP_EVD_RECV = 0x3c, /**< EP's receive EVD. */
	DAT_INVALID_STATE_EP_EVD_CONNECT = 0x3d, /**< EP's connect EVD. */
	DAT_INVALID_STATE_EP_UNCONFIGURED = 0x3e, /**< EP is unconfigured. */
	DAT_INVALID_STATE_EP_UNCONFRESERVED = 0x3f, /**< EP is reserved and unconfigured. */
	DAT_INVALID_STATE_EP_UNCONFPASSIVE = 0x40, /**< EP is pending and unconfigured. */
	DAT_INVALID_STATE_EP_UNCONFTENTATIVE = 0x41, /**< Provider-made EP is unconfigured. */
	DAT_INVALID_STATE_CNO_IN_USE = 0x42, /**< CNO has EVDs or a waiter. */
	DAT_INVALID_STATE_CNO_DEAD = 0x43, /**< CNO is being destroyed. */
	DAT_INVALID_STATE_EVD_OPEN = 0x44, /**< EVD is open. */
	DAT_INVALID_STATE_EVD_ENABLED = 0x45, /**< EVD is enabled. */
	DAT_INVALID_STATE_EVD_DISABLED = 0x46, /**< EVD is disabled. */
	DAT_INVALID_STATE_EVD_WAITABLE = 0x47, /**< EVD is waitable. */
	DAT_INVALID_STATE_EVD_UNWAITABLE = 0x48, /**< EVD is unwaitable. */
	DAT_INVALID_STATE_EVD_IN_USE = 0x49, /**< EVD is still fed by another object. */
	DAT_INVALID_STATE_EVD_CONFIG_NOTIFY = 0x4a, /**< EVD notifies per completion. */
	DAT_INVALID_STATE_EVD_CONFIG_SOLICITED = 0x4b, /**< EVD notifies for solicited events. */
	DAT_INVALID_STATE_EVD_CONFIG_THRESHOLD = 0x4c, /**< EVD notifies by threshold. */
	DAT_INVALID_STATE_EVD_WAITER = 0x4d, /**< EVD has a waiter already. */
	DAT_INVALID_STATE_EVD_ASYNC = 0x4e, /**< EVD is the IA's asynchronous one. */
	DAT_INVALID_STATE_IA_IN_USE = 0x4f, /**< IA still has objects. */
	DAT_INVALID_STATE_LMR_IN_USE = 0x50, /**< LMR still has users. */
	DAT_INVALID_STATE_LMR_FREE = 0x51, /**< LMR is being freed. */
	DAT_INVALID_STATE_PZ_IN_USE = 0x52, /**< PZ still has users. */
	DAT_INVALID_STATE_PZ_FREE = 0x53, /**< PZ is being freed. */
	DAT_INVALID_STATE_SRQ_OPERATIONAL = 0x54, /**< SRQ is operational. */
	DAT_INVALID_STATE_SRQ_ERROR = 0x55, /**< SRQ is in error. */
	DAT_INVALID_STATE_SRQ_IN_USE = 0x56, /**< SRQ still has EPs, or the EP has an SRQ. */
	DAT_PRIVILEGES_READ = 0x57, /**< No local read privilege. */
	DAT_PRIVILEGES_WRITE = 0x58, /**< No local write privilege. */
	DAT_PRIVILEGES_RDMA_READ = 0x59, /**< No remote read privilege. */
	DAT_PRIVILEGES_RDMA_WRITE = 0x5a, /**< No remote write privilege. */
	DAT_PROTECTION_READ = 0x5b, /**< Wrong zone for local read. */
	DAT_PROTECTION_WRITE = 0x5c, /**< Wrong zone for local write. */
	DAT_PROTECTION_RDMA_READ = 0x5d, /**< Wrong zone for remote read. */
	DAT_PROTECTION_RDMA_WRITE = 0x5e, /**< Wrong zone for remote write. */
	DAT_INVALID_ADDRESS_UNSUPPORTED = 0x5f, /**< Address family not supported. */
	DAT_INVALID_ADDRESS_UNREACHABLE = 0x60, /**< No route to the address. */
	DAT_INVALID_ADDRESS_MALFORMED = 0x61, /**< Not a well-formed address. */
	DAT_NAME_NOT_REGISTERED = 0x62, /**< No provider of this name. */
	DAT_MAJOR_NOT_FOUND = 0x63, /**< None with this major version. */
	DAT_MINOR_NOT_FOUND = 0x64, /**< None with this minor version. */
	DAT_THREAD_SAFETY_NOT_FOUND = 0x65, /**< None with this thread safety. */
	DAT_INVALID_RO_COOKIE = 0x66 /**< Solaris addition: the opener must name relaxed ordering. */
} DAT_RETURN_SUBTYPE;

#endif /* _DAT_ERROR_H_ */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Event dispatchers (EVD) and the notification objects (CNO) that watch them.
 */
#ifndef _DAT_EVD_H_
#define _DAT_EVD_H_

#include <dat/dat_error.h>
#include <dat/dat_event.h>
#include <dat/dat_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Event dispatchers ---- */

/** The event streams that may feed an EVD. */
typedef enum dat_evd_flags {
	DAT_EVD_SOFTWARE_FLAG = 0x001,
	DAT_EVD_CR_FLAG = 0x010,
	DAT_EVD_DTO_FLAG = 0x020,
	DAT_EVD_CONNECTION_FLAG = 0x040,
	DAT_EVD_RMR_BIND_FLAG = 0x080,
	DAT_EVD_ASYNC_FLAG = 0x100,
	/** All but software. */
	DAT_EVD_DEFAULT_FLAG = 0x1f0
} DAT_EVD_FLAGS;

/** State of an EVD: one value of each of three bands, ORed. */
typedef enum dat_evd_state {
	/** Events trigger the CNO. */
	DAT_EVD_STATE_ENABLED = 0x01,
	DAT_EVD_STATE_DISABLED = 0x02,
	/** dat_evd_wait() is allowed. */
	DAT_EVD_STATE_WAITABLE = 0x04,
	DAT_EVD_STATE_UNWAITABLE = 0x08,
	/** Notification: per unsuppressed completion, solicited, or by threshold. */
	DAT_EVD_STATE_CONFIG_NOTIFY = 0x10,
	DAT_EVD_STATE_CONFIG_SOLICITED = 0x20,
	DAT_EVD_STATE_CONFIG_THRESHOLD = 0x30
} DAT_EVD_STATE;

/** What dat_evd_query() tells. */
typedef struct dat_evd_param {
	DAT_IA_HANDLE ia_handle;
	DAT_COUNT evd_qlen;
	DAT_EVD_STATE evd_state;
	DAT_CNO_HANDLE cno_handle;
	DAT_EVD_FLAGS evd_flags;
} DAT_EVD_PARAM;

/** Set of DAT_EVD_PARAM members. */
typedef enum dat_evd_param_mask {
	DAT_EVD_FIELD_IA_HANDLE = 0x01,
	DAT_EVD_FIELD_EVD_QLEN = 0x02,
	DAT_EVD_FIELD_EVD_STATE = 0x04,
	DAT_EVD_FIELD_CNO = 0x08,
	DAT_EVD_FIELD_EVD_FLAGS = 0x10,
	DAT_EVD_FIELD_ALL = 0x1f
} DAT_EVD_PARAM_MASK;

/**
 * Makes an event dispatcher, enabled and waitable.
 *
 * @param evd_min_qlen  least number of events it must hold
 * @param cno_handle    object to notify, or DAT_HANDLE_NULL
 * @param evd_flags     streams it may be fed by
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INSUFFICIENT_RESOURCES.
 *
 * Thread-safe. May block. (The manual has no page for this call.)
 */
extern DAT_RETURN dat_evd_create(DAT_IA_HANDLE ia_handle, DAT_COUNT evd_min_qlen,
				 DAT_CNO_HANDLE cno_handle, DAT_EVD_FLAGS evd_flags,
				 DAT_EVD_HANDLE *evd_handle);

/**
 * Tells about an EVD.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. Does not block. dat_evd_query(3DAT)
 */
extern DAT_RETURN dat_evd_query(DAT_EVD_HANDLE evd_handle, DAT_EVD_PARAM_MASK evd_param_mask,
				DAT_EVD_PARAM *evd_param);

/**
 * Gives an EVD another CNO, or (DAT_HANDLE_NULL) none. Events that arrive
 * meanwhile may notify either.
 *
 * Errors: DAT_INVALID_HANDLE.
 *
 * Not thread-safe. Does not block. dat_evd_modify_cno(3DAT)
 */
extern DAT_RETURN dat_evd_modify_cno(DAT_EVD_HANDLE evd_handle, DAT_CNO_HANDLE cno_handle);

/**
 * Lets the EVD's events trigger its CNO. No effect on dat_evd_wait().
 *
 * Errors: DAT_INVALID_HANDLE.
 *
 * Thread-safe. Does not block. dat_evd_enable(3DAT)
 */
extern DAT_RETURN dat_evd_enable(DAT_EVD_HANDLE evd_handle);

/**
 * Keeps the EVD's events from triggering its CNO. No effect on dat_evd_wait().
 *
 * Errors: DAT_INVALID_HANDLE.
 *
 * Thread-safe. Does not block. dat_evd_disable(3DAT)
 */
extern DAT_RETURN dat_evd_disable(DAT_EVD_HANDLE evd_handle);

/**
 * Forbids dat_evd_wait(), for the present waiter too.
 *
 * Errors: DAT_INVALID_HANDLE.
 *
 * Thread-safe. Does not block. dat_evd_set_unwaitable(3DAT)
 */
extern DAT_RETURN dat_evd_set_unwaitable(DAT_EVD_HANDLE evd_handle);

/**
 * Allows dat_evd_wait() again.
 *
 * Errors: DAT_INVALID_HANDLE.
 *
 * Thread-safe. Does not block. dat_evd_clear_unwaitable(3DAT)
 */
extern DAT_RETURN dat_evd_clear_unwaitable(DAT_EVD_HANDLE evd_handle);

/**
 * Waits until as many events as the threshold are queued, and takes the first.
 * One waiter at a time; while it waits, nobody else may take events.
 *
 * @param timeout    microseconds; 0 polls, DAT_TIMEOUT_INFINITE has no limit
 * @param threshold  1 up to the queue's length
 * @param event      out: the event
 * @param nmore      out: events left in the queue, at some recent moment
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE (has a
 * waiter, or unwaitable), DAT_TIMEOUT_EXPIRED, DAT_INTERRUPTED_CALL, DAT_ABORT.
 *
 * Thread-safe. Blocks. dat_evd_wait(3DAT)
 */
extern DAT_RETURN dat_evd_wait(DAT_EVD_HANDLE evd_handle, DAT_TIMEOUT timeout, DAT_COUNT threshold,
			       DAT_EVENT *event, DAT_COUNT *nmore);

/**
 * Takes an event if there is one.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_QUEUE_EMPTY,
 * DAT_INVALID_STATE (somebody waits on the EVD).
 *
 * Thread-safe. Does not block. dat_evd_dequeue(3DAT)
 */
extern DAT_RETURN dat_evd_dequeue(DAT_EVD_HANDLE evd_handle, DAT_EVENT *event);

/**
 * Queues an event of the program's own.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER (no software event, or an EVD
 * without DAT_EVD_SOFTWARE_FLAG), DAT_QUEUE_FULL.
 *
 * Not thread-safe. Does not block. dat_evd_post_se(3DAT)
 */
extern DAT_RETURN dat_evd_post_se(DAT_EVD_HANDLE evd_handle, const DAT_EVENT *event);

/**
 * Changes how many events an EVD must hold. No event is lost.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INSUFFICIENT_RESOURCES,
 * DAT_INVALID_STATE (more are queued now).
 *
 * Not thread-safe. May block. dat_evd_resize(3DAT)
 */
extern DAT_RETURN dat_evd_resize(DAT_EVD_HANDLE evd_handle, DAT_COUNT evd_min_qlen);

/**
 * Destroys an EVD and the events left in it.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE (something still feeds it).
 *
 * Not thread-safe. Does not block. dat_evd_free(3DAT)
 */
extern DAT_RETURN dat_evd_free(DAT_EVD_HANDLE evd_handle);

/* ---- Consumer notification objects ---- */

/** Called once when the CNO triggers, with the EVD that did it. */
typedef void (*DAT_AGENT_FUNC)(DAT_PVOID instance_data, DAT_EVD_HANDLE evd_handle);

/** A call-back and its argument. */
typedef struct dat_os_wait_proxy_agent {
	DAT_PVOID instance_data;
	DAT_AGENT_FUNC proxy_agent_func;
} DAT_OS_WAIT_PROXY_AGENT;

/** No agent. */
#ifdef __cplusplus
#define DAT_OS_WAIT_PROXY_AGENT_NULL (DAT_OS_WAIT_PROXY_AGENT())
#else
#define DAT_OS_WAIT_PROXY_AGENT_NULL \
	((DAT_OS_WAIT_PROXY_AGENT){ (DAT_PVOID)NULL, (DAT_AGENT_FUNC)NULL })
#endif

/** What dat_cno_query() tells. */
typedef struct dat_cno_param {
	DAT_IA_HANDLE ia_handle;
	DAT_OS_WAIT_PROXY_AGENT agent;
} DAT_CNO_PARAM;

/** Set of DAT_CNO_PARAM members. */
typedef enum dat_cno_param_mask {
	DAT_CNO_FIELD_IA_HANDLE = 0x1,
	DAT_CNO_FIELD_AGENT = 0x2,
	DAT_CNO_FIELD_ALL = 0x3
} DAT_CNO_PARAM_MASK;

/**
 * Makes a notification object. Its agent, if any, is called for the first
 * trigger and then dropped; dat_cno_modify_agent() sets it again.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INSUFFICIENT_RESOURCES.
 *
 * Thread-safe. May block. dat_cno_create(3DAT)
 */
extern DAT_RETURN dat_cno_create(DAT_IA_HANDLE ia_handle, DAT_OS_WAIT_PROXY_AGENT agent,
				 DAT_CNO_HANDLE *cno_handle);

/**
 * Sets, replaces or removes the agent of a CNO.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. Does not block. dat_cno_modify_agent(3DAT)
 */
extern DAT_RETURN dat_cno_modify_agent(DAT_CNO_HANDLE cno_handle, DAT_OS_WAIT_PROXY_AGENT agent);

/**
 * Tells about a CNO.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
 *
 * Not thread-safe. Does not block. dat_cno_query(3DAT)
 */
extern DAT_RETURN dat_cno_query(DAT_CNO_HANDLE cno_handle, DAT_CNO_PARAM_MASK cno_param_mask,
				DAT_CNO_PARAM *cno_param);

/**
 * Waits until an event arrives at one of the CNO's EVDs. The EVD returned is a
 * hint: the program looks into all of them. It is DAT_HANDLE_NULL when the time
 * ran out and when the last EVD of the CNO is gone.
 *
 * @param timeout  microseconds; 0 polls, DAT_TIMEOUT_INFINITE has no limit
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_QUEUE_EMPTY (time ran
 * out), DAT_INTERRUPTED_CALL.
 *
 * Thread-safe. Blocks. dat_cno_wait(3DAT)
 */
extern DAT_RETURN dat_cno_wait(DAT_CNO_HANDLE cno_handle, DAT_TIMEOUT timeout,
			       DAT_EVD_HANDLE *evd_handle);

/**
 * Destroys a CNO.
 *
 * Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE (has EVDs or a waiter).
 *
 * Not thread-safe. Does not block. dat_cno_free(3DAT)
 */
extern DAT_RETURN dat_cno_free(DAT_CNO_HANDLE cno_handle);

#ifdef __cplusplus
}
#endif

#endif /* _DAT_EVD_H_ */

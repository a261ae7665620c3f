/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uDAPL 1.2: the one header that programs include.
 *
 *   dat_ia.h     adapters: list, open, query, close; any handle; error strings
 *   dat_mem.h    protection zones, registered memory, windows
 *   dat_evd.h    event queues and notification
 *   dat_event.h  the events themselves
 *   dat_ep.h     endpoints, transfers, shared receive queues
 *   dat_sp.h     listening, connection requests
 *
 * What the comments on the calls mean by their last line:
 *
 *   Thread-safe      may run concurrently with any call, on the same object too.
 *   Not thread-safe  the program keeps two such calls on one object apart.
 *   Never blocks     for data-path calls: no wait for memory, nor for a lock that others
 *                    hold for more than moments; but dat_ep_modify() of an EP of the IA
 *                    does while it has a queue pair made anew.
 *   Does not block   returns without waiting for a peer or for a transfer.
 *   May block        may wait for the kernel, the device or the network.
 *   Blocks           waits, as its purpose is.
 *
 * "dat_xxx(3DAT)" names the manual page that defines the call. A call that takes
 * a handle returns DAT_INVALID_HANDLE for anything that is not a live handle of
 * the right kind.
 */
#ifndef _UDAT_H_
#define _UDAT_H_

#include <dat/dat.h>
#include <dat/udat_config.h>
#include <dat/udat_vendor_specific.h>

#ifdef __cplusplus
#include <dat/dat_flag_operators.h>
#endif

#endif /* _UDAT_H_ */

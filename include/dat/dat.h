/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All of the DAT 1.2 objects. Programs include udat.h, which adds what is the
 * user library's alone.
 */
#ifndef _DAT_H_
#define _DAT_H_

#include <dat/dat_error.h>
#include <dat/dat_types.h>

#include <dat/dat_ep.h>
#include <dat/dat_evd.h>
#include <dat/dat_event.h>
#include <dat/dat_ia.h>
#include <dat/dat_mem.h>
#include <dat/dat_sp.h>

#endif /* _DAT_H_ */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a C compiler makes of calls of uDAPL 2.0. */
#ifndef STRICT_C_H
#define STRICT_C_H

#include <dat2/udat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The size of what each of some calls returns, all the same. */
size_t calls_from_c(void);
/** The same of the macros for collective operations. */
size_t collectives_from_c(void);

#ifdef __cplusplus
}
#endif

#endif /* STRICT_C_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The version of kDAPL that a consumer compiled against these headers wants. */
#ifndef _KDAT_CONFIG_H_
#define _KDAT_CONFIG_H_

#define DAT_VERSION_MAJOR	2
#define DAT_VERSION_MINOR	0

/* Calls for different objects may run at the same time. */
#define DAT_THREADSAFE		DAT_TRUE

/* The layout with room for extensions. */
#define DAT_EXTENSIONS		1

#endif /* _KDAT_CONFIG_H_ */

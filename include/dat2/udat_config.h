/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which DAT a program wants that was compiled against these headers. */
#ifndef _UDAT_CONFIG_H_
#define _UDAT_CONFIG_H_

#define DAT_VERSION_MAJOR	2
#define DAT_VERSION_MINOR	0

/*
 * What dat_ia_open() asks of a provider. Registries compare it exactly, and their
 * entries say "nonthreadsafe"; a program that wants the other ones defines it before
 * it includes these headers. This provider is thread-safe whatever is asked.
 */
#ifndef DAT_THREADSAFE
#define DAT_THREADSAFE		DAT_FALSE
#endif

/* The layout with room for extensions. */
#ifndef DAT_EXTENSIONS
#define DAT_EXTENSIONS		1
#endif

#endif /* _UDAT_CONFIG_H_ */

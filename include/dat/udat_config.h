/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which DAT this is, and what dat_ia_open() asks of a provider.
 */
#ifndef _UDAT_CONFIG_H_
#define _UDAT_CONFIG_H_

/** Major version of the interface that these headers declare. */
#define DAT_VERSION_MAJOR 1

/** Minor version of the interface that these headers declare. */
#define DAT_VERSION_MINOR 2

/**
 * Whether dat_ia_open() asks for a provider whose calls may run concurrently on
 * one object. A program that wants it defines DAT_THREADSAFE as DAT_TRUE before
 * it includes these headers.
 */
#ifndef DAT_THREADSAFE
#define DAT_THREADSAFE DAT_FALSE
#endif

#endif /* _UDAT_CONFIG_H_ */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DAT scalars and addresses, spelled for Linux.
 *
 * Everything above this file speaks DAT names only, so that the width of each
 * type is decided in one place.
 */
#ifndef _DAT_PLATFORM_SPECIFIC_H_
#define _DAT_PLATFORM_SPECIFIC_H_

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

/** Buffer alignment, in bytes, that is good on every provider. */
#ifndef DAT_OPTIMAL_ALIGNMENT
#define DAT_OPTIMAL_ALIGNMENT 256
#endif

/** 32 bits, unsigned. */
typedef uint32_t DAT_UINT32;

/** 64 bits, unsigned. */
typedef uint64_t DAT_UINT64;

/** The widest unsigned integer a context can carry as a number. */
__extension__ typedef unsigned long long DAT_UVERYLONG;

/** Untyped pointer. */
typedef void *DAT_PVOID;

/** Number of things; signed, because two negative values are sentinels. */
typedef int DAT_COUNT;

/** Physical address (kept for source compatibility; no user call takes one). */
typedef DAT_UINT64 DAT_PADDR;

/** Address of an interface adapter: any family the system knows. */
typedef struct sockaddr DAT_SOCK_ADDR;

/** The same, for IPv6. */
typedef struct sockaddr_in6 DAT_SOCK_ADDR6;

/** Address family of an IPv4 adapter address. */
#define DAT_AF_INET AF_INET

/** Address family of an IPv6 adapter address. */
#define DAT_AF_INET6 AF_INET6

/*
 * Parameter directions. These headers tell the direction in words; the empty
 * markers are here for programs that use them in declarations of their own.
 */
#ifndef IN
#define IN
#endif
#ifndef OUT
#define OUT
#endif
#ifndef INOUT
#define INOUT
#endif

#endif /* _DAT_PLATFORM_SPECIFIC_H_ */

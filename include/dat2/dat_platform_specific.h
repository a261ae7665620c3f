/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DAT scalars and addresses on Linux, in the kernel and in programs. Everything
 * above speaks DAT names only, so that the width of each type is decided here.
 */
#ifndef _DAT_PLATFORM_SPECIFIC_H_
#define _DAT_PLATFORM_SPECIFIC_H_

#ifdef __KERNEL__

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/socket.h>
#include <linux/types.h>

typedef u32 DAT_UINT32;
typedef u64 DAT_UINT64;

#else

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
/* Programs use stdio without naming it: other DAT headers bring it along. */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>

typedef uint32_t DAT_UINT32;
typedef uint64_t DAT_UINT64;

/* A file descriptor. */
typedef int DAT_FD;

/* An IA's handle is a number where a registry gives it. */
#define DAT_IA_HANDLE_TO_UL(handle)	((unsigned long)(handle))
#define DAT_UL_TO_IA_HANDLE(number)	((DAT_IA_HANDLE)(number))

#endif /* __KERNEL__ */

__extension__ typedef unsigned long long DAT_UVERYLONG;
typedef void *DAT_PVOID;

/* Signed: two negative values are sentinels. */
typedef int DAT_COUNT;

/* Physical address. */
typedef DAT_UINT64 DAT_PADDR;

/* Address of an adapter: of IPv4 or IPv6. */
typedef struct sockaddr DAT_SOCK_ADDR;
typedef struct sockaddr_in6 DAT_SOCK_ADDR6;

#define DAT_AF_INET	AF_INET
#define DAT_AF_INET6	AF_INET6

/**
 * struct dat_comm - what kind of socket address a common service point has
 * @domain: AF_*
 * @type: SOCK_*
 * @protocol: IPPROTO_*
 */
typedef struct dat_comm {
	int domain;
	int type;
	int protocol;
} DAT_COMM;

/* Alignment of buffers, in bytes, that is good everywhere. */
#ifndef DAT_OPTIMAL_ALIGNMENT
#define DAT_OPTIMAL_ALIGNMENT	256
#endif

/* Consumers may mark parameters' directions with these; here words tell them. */
#ifndef IN
#define IN
#endif
#ifndef OUT
#define OUT
#endif
#ifndef INOUT
#define INOUT
#endif

/* Calling convention, and how a declaration says that it is one: nothing special. */
#define DAT_API
#define DAT_EXPORT	extern

#ifndef UINT64_C
#define UINT64_C(c)	c ## ULL
#endif

#endif /* _DAT_PLATFORM_SPECIFIC_H_ */

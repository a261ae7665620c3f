// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Addresses as the API has them, and as the core does. */

#include <linux/net.h>

#include "../cm.h"
#include "kapi.h"

void kapi_sockaddr(struct sockaddr_storage *ss, const struct kdapl_addr *addr)
{
	struct sockaddr_storage now = {};

	if (!kdapl_addr_to_sockaddr(addr, &now))
		kdapl_sockaddr_set_port(&now, addr->port);
	/* Who was given a pointer to it by a query may be reading. */
	if (memcmp(ss, &now, sizeof(now)))
		*ss = now;
}

bool kapi_addr(struct kdapl_addr *addr, const DAT_SOCK_ADDR *sa)
{
	struct sockaddr_storage ss = {};

	if (sa->sa_family == AF_INET)
		memcpy(&ss, sa, sizeof(struct sockaddr_in));
	else if (sa->sa_family == AF_INET6)
		memcpy(&ss, sa, sizeof(struct sockaddr_in6));
	else
		return false;
	kdapl_addr_from_sockaddr(addr, &ss);
	return true;
}

DAT_COMM kapi_comm(int family)
{
	if (!family)
		return (DAT_COMM){};
	return (DAT_COMM){
		.domain = family,
		.type = SOCK_STREAM,
		.protocol = IPPROTO_TCP,
	};
}

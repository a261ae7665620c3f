// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Addresses: their form at the boundary, conn_quals, and which own address a
 * connection leaves from.
 */

#include <linux/bitops.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/math64.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "cm.h"
#include "ia.h"

static struct sockaddr_in *as_in(struct sockaddr_storage *ss)
{
	return (struct sockaddr_in *)ss;
}

static struct sockaddr_in6 *as_in6(struct sockaddr_storage *ss)
{
	return (struct sockaddr_in6 *)ss;
}

void kdapl_addr_from_sockaddr(struct kdapl_addr *addr,
			      const struct sockaddr_storage *ss)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)ss;
	const struct sockaddr_in *in = (const struct sockaddr_in *)ss;

	memset(addr, 0, sizeof(*addr));
	switch (ss->ss_family) {
	case AF_INET:
		addr->family = AF_INET;
		addr->port = ntohs(in->sin_port);
		memcpy(addr->addr, &in->sin_addr, sizeof(in->sin_addr));
		break;
	case AF_INET6:
		addr->family = AF_INET6;
		addr->port = ntohs(in6->sin6_port);
		if (ipv6_addr_type(&in6->sin6_addr) & IPV6_ADDR_LINKLOCAL)
			addr->scope_id = in6->sin6_scope_id;
		memcpy(addr->addr, &in6->sin6_addr, sizeof(in6->sin6_addr));
		break;
	}
}

int kdapl_addr_to_sockaddr(const struct kdapl_addr *addr,
			   struct sockaddr_storage *ss)
{
	memset(ss, 0, sizeof(*ss));
	switch (addr->family) {
	case AF_INET:
		as_in(ss)->sin_family = AF_INET;
		as_in(ss)->sin_port = htons(addr->port);
		memcpy(&as_in(ss)->sin_addr, addr->addr, sizeof(struct in_addr));
		return 0;
	case AF_INET6:
		as_in6(ss)->sin6_family = AF_INET6;
		as_in6(ss)->sin6_port = htons(addr->port);
		as_in6(ss)->sin6_scope_id = addr->scope_id;
		memcpy(&as_in6(ss)->sin6_addr, addr->addr,
		       sizeof(struct in6_addr));
		return 0;
	default:
		return -EINVAL;
	}
}

void kdapl_sockaddr_set_port(struct sockaddr_storage *ss, u16 port)
{
	if (ss->ss_family == AF_INET6)
		as_in6(ss)->sin6_port = htons(port);
	else
		as_in(ss)->sin_port = htons(port);
}

u16 kdapl_sockaddr_port(const struct sockaddr_storage *ss)
{
	if (ss->ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)ss)->sin6_port);
	return ntohs(((const struct sockaddr_in *)ss)->sin_port);
}

/* The mapping that other DAT providers over rdma_cm use. */
u16 kdapl_conn_qual_to_port(u64 conn_qual)
{
	u32 rest;

	if (conn_qual <= U16_MAX)
		return conn_qual;
	div_u64_rem(conn_qual, 32001, &rest);
	return rest + 33534;
}

bool kdapl_addr_is_link_local(const struct kdapl_addr *addr)
{
	struct in6_addr in6;

	if (addr->family != AF_INET6)
		return false;
	memcpy(&in6, addr->addr, sizeof(in6));
	return ipv6_addr_type(&in6) & IPV6_ADDR_LINKLOCAL;
}

/* An address that one peer can have. */
static bool is_unicast(const struct kdapl_addr *addr)
{
	struct in6_addr in6;
	__be32 in;

	if (addr->family == AF_INET) {
		memcpy(&in, addr->addr, sizeof(in));
		return !ipv4_is_zeronet(in) && !ipv4_is_multicast(in) &&
		       !ipv4_is_lbcast(in);
	}
	memcpy(&in6, addr->addr, sizeof(in6));
	return !ipv6_addr_any(&in6) && !ipv6_addr_is_multicast(&in6);
}

static unsigned int addr_bytes(const struct kdapl_addr *addr)
{
	return addr->family == AF_INET ? sizeof(struct in_addr) :
					 sizeof(struct in6_addr);
}

static unsigned int common_bits(const struct kdapl_addr *a,
				const struct kdapl_addr *b)
{
	unsigned int bytes = addr_bytes(a);
	unsigned int i;

	for (i = 0; i < bytes; i++) {
		u8 diff = a->addr[i] ^ b->addr[i];

		if (diff)
			return i * 8 + 8 - fls(diff);
	}
	return bytes * 8;
}

bool kdapl_addr_includes(const struct kdapl_addr *asked,
			 const struct kdapl_addr *own)
{
	if (asked->family != own->family)
		return false;
	if (!memchr_inv(asked->addr, 0, addr_bytes(asked)))
		return true;
	return common_bits(asked, own) == addr_bytes(asked) * 8 &&
	       (!asked->scope_id || asked->scope_id == own->scope_id);
}

void kdapl_addrs_add(struct kdapl_addrs *addrs, const struct kdapl_addr *addr)
{
	if (addrs->n < addrs->max &&
	    (!addrs->only || kdapl_addr_includes(addrs->only, addr)))
		addrs->addr[addrs->n++] = *addr;
}

/*
 * The own address that shares the longest prefix with @remote, or NULL. A link-local one
 * is of the link that @remote says, if it says one.
 */
static const struct kdapl_addr *nearest(const struct kdapl_addr *addrs, int n,
					const struct kdapl_addr *remote)
{
	const struct kdapl_addr *best = NULL;
	int i;

	for (i = 0; i < n; i++) {
		if (addrs[i].family != remote->family ||
		    kdapl_addr_is_link_local(&addrs[i]) != kdapl_addr_is_link_local(remote))
			continue;
		/* Each link is a netdev's own: no other one is reached. */
		if (remote->scope_id && remote->scope_id != addrs[i].scope_id)
			continue;
		if (!best || common_bits(&addrs[i], remote) >
			     common_bits(best, remote))
			best = &addrs[i];
	}
	return best;
}

/*
 * Of the netdev that routes lead by; or of any, as where a rule leads there, or routes lead
 * by somebody else's. @addrs: room for KDAPL_ADDRS_MAX.
 */
static const struct kdapl_addr *find_source(struct kdapl_ia *ia,
					    const struct kdapl_addr *to,
					    struct kdapl_addr *addrs)
{
	const struct kdapl_addr any = { .family = to->family };
	const struct kdapl_addr *best;
	int n;

	n = kdapl_ia_addrs_toward(ia, to, addrs, KDAPL_ADDRS_MAX);
	best = nearest(addrs, n, to);
	if (best || kdapl_addr_is_link_local(to))
		return best;
	n = kdapl_ia_addrs(ia, &any, addrs, KDAPL_ADDRS_MAX);
	return nearest(addrs, n, to);
}

int kdapl_addr_source(struct kdapl_ia *ia, struct sockaddr_storage *remote,
		      struct sockaddr_storage *local)
{
	struct kdapl_addr addrs[KDAPL_ADDRS_MAX];
	const struct kdapl_addr *best;
	struct kdapl_addr to;
	int ret;

	kdapl_addr_from_sockaddr(&to, remote);
	if (!is_unicast(&to))
		return -EADDRNOTAVAIL;

	best = find_source(ia, &to, addrs);
	if (!best)
		return -EADDRNOTAVAIL;
	ret = kdapl_addr_to_sockaddr(best, local);
	if (ret)
		return ret;
	kdapl_sockaddr_set_port(local, 0);

	if (kdapl_addr_is_link_local(&to))
		as_in6(remote)->sin6_scope_id = best->scope_id;
	return 0;
}

/*
 * rdma_cm asks with the device given, and then IPv4 takes what no route leads
 * to for a neighbour on the link, which never answers. Without the device it
 * tells the truth. IPv6 tells it anyway.
 */
bool kdapl_addr_has_route(struct net *net, const struct sockaddr_storage *local,
			  const struct sockaddr_storage *remote)
{
	struct flowi4 flow = {
		.saddr = ((const struct sockaddr_in *)local)->sin_addr.s_addr,
		.daddr = ((const struct sockaddr_in *)remote)->sin_addr.s_addr,
	};
	struct rtable *route;

	if (remote->ss_family != AF_INET)
		return true;
	route = ip_route_output_key(net, &flow);
	if (IS_ERR(route))
		return false;
	ip_rt_put(route);
	return true;
}

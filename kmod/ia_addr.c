// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The addresses of an IA's adapter, and those of them that lead to a peer. */

#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <net/ipv6_stubs.h>
#include <net/route.h>

#include "cm.h"
#include "ia.h"
#include "netdevs.h"

static void addrs_ipv4(struct net_device *ndev, bool global,
		       struct kdapl_addrs *addrs)
{
	struct in_device *in_dev = __in_dev_get_rcu(ndev);
	struct kdapl_addr addr = { .family = AF_INET };
	const struct in_ifaddr *ifa;
	bool wide;

	if (!in_dev)
		return;
	in_dev_for_each_ifa_rcu(ifa, in_dev) {
		wide = ifa->ifa_scope < RT_SCOPE_LINK;
		if (global != wide)
			continue;
		memcpy(addr.addr, &ifa->ifa_local, sizeof(ifa->ifa_local));
		kdapl_addrs_add(addrs, &addr);
	}
}

static void addrs_ipv6(struct net_device *ndev, bool global,
		       struct kdapl_addrs *addrs)
{
#if IS_ENABLED(CONFIG_IPV6)
	struct kdapl_addr addr = { .family = AF_INET6 };
	struct inet6_dev *idev = __in6_dev_get(ndev);
	const struct inet6_ifaddr *ifp;
	bool link_local;

	if (!idev)
		return;
	read_lock_bh(&idev->lock);
	list_for_each_entry(ifp, &idev->addr_list, if_list) {
		link_local = ipv6_addr_type(&ifp->addr) & IPV6_ADDR_LINKLOCAL;
		if (global == link_local)
			continue;
		/* Nothing can be bound to it before it is known to be ours. */
		if (ifp->flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED))
			continue;
		addr.scope_id = link_local ? ndev->ifindex : 0;
		memcpy(addr.addr, &ifp->addr, sizeof(ifp->addr));
		kdapl_addrs_add(addrs, &addr);
	}
	read_unlock_bh(&idev->lock);
#endif
}

static void addrs_of(const struct kdapl_netdevs *netdevs, bool global,
		     struct kdapl_addrs *addrs)
{
	unsigned int i;

	rcu_read_lock();
	for (i = 0; i < netdevs->n; i++)
		addrs_ipv4(netdevs->ndev[i], global, addrs);
	for (i = 0; i < netdevs->n; i++)
		addrs_ipv6(netdevs->ndev[i], global, addrs);
	rcu_read_unlock();
}

int kdapl_ia_addrs(struct kdapl_ia *ia, const struct kdapl_addr *only,
		   struct kdapl_addr *addr, int max)
{
	struct kdapl_addrs addrs = { .only = only, .addr = addr, .max = max };
	struct kdapl_netdevs netdevs;

	kdapl_netdevs_get(&netdevs, ia->dev, ia->port, ia->net);
	addrs_of(&netdevs, true, &addrs);
	addrs_of(&netdevs, false, &addrs);
	kdapl_netdevs_put(&netdevs);
	return addrs.n;
}

/* ---- on the way to a peer ------------------------------------------------ */

/* A route may lose its netdev meanwhile. */
static int route_ifindex(const struct dst_entry *dst)
{
	int ifindex;

	rcu_read_lock();
	ifindex = READ_ONCE(dst->dev)->ifindex;
	rcu_read_unlock();
	return ifindex;
}

static int route_ipv4(struct net *net, const struct kdapl_addr *remote)
{
	struct flowi4 flow = {};
	struct rtable *route;
	int ifindex;

	memcpy(&flow.daddr, remote->addr, sizeof(flow.daddr));
	route = ip_route_output_key(net, &flow);
	if (IS_ERR(route))
		return 0;
	ifindex = route_ifindex(&route->dst);
	ip_rt_put(route);
	return ifindex;
}

static int route_ipv6(struct net *net, const struct kdapl_addr *remote)
{
	struct flowi6 flow = {};
	struct dst_entry *dst;
	int ifindex;

	memcpy(&flow.daddr, remote->addr, sizeof(flow.daddr));
	dst = ipv6_stub->ipv6_dst_lookup_flow(net, NULL, &flow, NULL);
	if (IS_ERR(dst))
		return 0;
	ifindex = route_ifindex(dst);
	dst_release(dst);
	return ifindex;
}

/* The index of the netdev that leads there, or 0. */
static int route(struct net *net, const struct kdapl_addr *remote)
{
	if (kdapl_addr_is_link_local(remote))
		return remote->scope_id;
	return remote->family == AF_INET ? route_ipv4(net, remote) :
					   route_ipv6(net, remote);
}

/* All of one netdev. */
static void addrs_of_netdev(struct net_device *ndev, struct kdapl_addrs *addrs)
{
	rcu_read_lock();
	addrs_ipv4(ndev, true, addrs);
	addrs_ipv4(ndev, false, addrs);
	addrs_ipv6(ndev, true, addrs);
	addrs_ipv6(ndev, false, addrs);
	rcu_read_unlock();
}

static bool has_addr(struct net_device *ndev, const struct kdapl_addr *addr)
{
	struct kdapl_addr found;
	struct kdapl_addrs addrs = { .only = addr, .addr = &found, .max = 1 };

	addrs_of_netdev(ndev, &addrs);
	return addrs.n;
}

/* It is found by the routes, or the address is our own; or NULL. */
static struct net_device *netdev_toward(const struct kdapl_netdevs *netdevs,
					const struct kdapl_addr *remote)
{
	int ifindex = route(netdevs->net, remote);
	unsigned int i;

	for (i = 0; i < netdevs->n; i++) {
		if (netdevs->ndev[i]->ifindex == ifindex ||
		    has_addr(netdevs->ndev[i], remote))
			return netdevs->ndev[i];
	}
	/* A link that is not said is the port's own. */
	if (netdevs->n && kdapl_addr_is_link_local(remote) && !remote->scope_id)
		return netdevs->ndev[0];
	return NULL;
}

int kdapl_ia_addrs_toward(struct kdapl_ia *ia, const struct kdapl_addr *remote,
			  struct kdapl_addr *addr, int max)
{
	const struct kdapl_addr any = { .family = remote->family };
	struct kdapl_addrs addrs = { .only = &any, .addr = addr, .max = max };
	struct kdapl_netdevs netdevs;
	struct net_device *ndev;

	kdapl_netdevs_get(&netdevs, ia->dev, ia->port, ia->net);
	ndev = netdev_toward(&netdevs, remote);
	if (ndev)
		addrs_of_netdev(ndev, &addrs);
	kdapl_netdevs_put(&netdevs);
	return addrs.n;
}

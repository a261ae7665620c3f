// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The addresses of an IA's adapter: those that a peer may know first. */

#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>

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

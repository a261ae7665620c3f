// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The netdevs of an adapter. */

#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <rdma/ib_cache.h>

#include "compat.h"
#include "netdevs.h"

/* If it is where they are looked for, is not there yet, and there is room. */
static void netdevs_add(struct kdapl_netdevs *netdevs, struct net_device *ndev)
{
	unsigned int i;

	if (!net_eq(dev_net(ndev), netdevs->net) ||
	    netdevs->n == ARRAY_SIZE(netdevs->ndev))
		return;
	for (i = 0; i < netdevs->n; i++) {
		if (netdevs->ndev[i] == ndev)
			return;
	}
	dev_hold(ndev);
	netdevs->ndev[netdevs->n++] = ndev;
}

/* InfiniBand has no netdev of its own, but IPoIB netdevs with its GID. */
static bool is_ipoib_of(struct net_device *ndev, struct ib_device *dev,
			u32 port)
{
	const struct ib_gid_attr *attr;
	union ib_gid gid;

	if (ndev->type != ARPHRD_INFINIBAND)
		return false;
	memcpy(&gid, ndev->dev_addr + 4, sizeof(gid));
	attr = rdma_find_gid_by_port(dev, &gid, IB_GID_TYPE_IB, port, NULL);
	if (IS_ERR(attr))
		return false;
	rdma_put_gid_attr(attr);
	return true;
}

static void add_ipoib(struct kdapl_netdevs *netdevs, struct ib_device *dev,
		      u32 port)
{
	struct net_device *ndev;

	for_each_netdev_rcu(netdevs->net, ndev) {
		if (is_ipoib_of(ndev, dev, port))
			netdevs_add(netdevs, ndev);
	}
}

/*
 * ib_core has a GID for each address of each netdev that the port can be reached by. Not
 * so rxe: what comes to it by another netdev than its own and VLANs upon that is dropped.
 */
static void add_by_gids(struct kdapl_netdevs *netdevs, struct ib_device *dev,
			u32 port)
{
	int n = dev->port_data[port].immutable.gid_tbl_len;
	const struct ib_gid_attr *attr;
	struct net_device *ndev;
	int i;

	for (i = 0; i < n; i++) {
		attr = rdma_get_gid_attr(dev, port, i);
		if (IS_ERR(attr))
			continue;
		ndev = rdma_read_gid_attr_ndev_rcu(attr);
		if (!IS_ERR(ndev))
			netdevs_add(netdevs, ndev);
		rdma_put_gid_attr(attr);
	}
}

/* siw can lie upon a VLAN itself. */
static bool has_device(struct net_device *ndev)
{
	struct ib_device *dev;

	dev = ib_device_get_by_netdev(ndev, RDMA_DRIVER_UNKNOWN);
	if (dev)
		ib_device_put(dev);
	return dev;
}

static void add_vlans(struct kdapl_netdevs *netdevs, struct net_device *real)
{
	struct net_device *ndev;

	for_each_netdev_rcu(netdevs->net, ndev) {
		if (is_vlan_dev(ndev) && vlan_dev_real_dev(ndev) == real &&
		    !has_device(ndev))
			netdevs_add(netdevs, ndev);
	}
}

static void add_upon(struct kdapl_netdevs *netdevs, struct ib_device *dev,
		     u32 port, struct net_device *own)
{
	if (rdma_protocol_ib(dev, port))
		add_ipoib(netdevs, dev, port);
	else if (rdma_protocol_roce(dev, port) &&
		 dev->ops.driver_id != RDMA_DRIVER_RXE)
		add_by_gids(netdevs, dev, port);
	else if (own)
		add_vlans(netdevs, own);
}

void kdapl_netdevs_get(struct kdapl_netdevs *netdevs, struct ib_device *dev,
		       u32 port, struct net *net)
{
	struct net_device *own = NULL;

	netdevs->net = net;
	netdevs->n = 0;
	if (!rdma_protocol_ib(dev, port))
		own = kdapl_port_netdev(dev, port, net);
	if (own)
		netdevs_add(netdevs, own);
	rcu_read_lock();
	add_upon(netdevs, dev, port, own);
	rcu_read_unlock();
	dev_put(own);
}

void kdapl_netdevs_put(struct kdapl_netdevs *netdevs)
{
	while (netdevs->n)
		dev_put(netdevs->ndev[--netdevs->n]);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The netdevs of an adapter: its own one, and those that lie upon it. rdma_cm reaches
 * the adapter by the addresses of all.
 */
#ifndef KDAPL_NETDEVS_H
#define KDAPL_NETDEVS_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

#define KDAPL_NETDEVS_MAX	32

/**
 * struct kdapl_netdevs - netdevs of a port
 * @net: where they are looked for
 * @ndev: them, with a reference each, the port's own one first if it is there
 * @n: how many there are
 */
struct kdapl_netdevs {
	struct net *net;
	struct net_device *ndev[KDAPL_NETDEVS_MAX];
	unsigned int n;
};

/**
 * kdapl_netdevs_get() - find a port's netdevs
 * @netdevs: filled; kdapl_netdevs_put() gives it back
 * @dev: the device
 * @port: its port
 * @net: where they are looked for
 *
 * Of InfiniBand they are IPoIB's, for each partition one; of RoCE those of its GIDs: a
 * bond, VLANs; of iWARP and soft RoCE the port's own and its VLANs. Process context.
 */
void kdapl_netdevs_get(struct kdapl_netdevs *netdevs, struct ib_device *dev,
		       u32 port, struct net *net);
void kdapl_netdevs_put(struct kdapl_netdevs *netdevs);

#endif /* KDAPL_NETDEVS_H */

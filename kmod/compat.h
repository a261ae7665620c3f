/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What differs between the kernels that the module builds for. */
#ifndef KDAPL_COMPAT_H
#define KDAPL_COMPAT_H

#include <linux/etherdevice.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/version.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set,
				vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/* A driver that came later; its number in the interface to user space. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define RDMA_DRIVER_MANA	(RDMA_DRIVER_ERDMA + 1)
#endif

/*
 * Up to 6.1 only a forced write breaks copy-on-write for a pin that reads;
 * later kernels do it for every long-term pin.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define KDAPL_PIN_READ	(FOLL_LONGTERM | FOLL_WRITE | FOLL_FORCE)
#else
#define KDAPL_PIN_READ	FOLL_LONGTERM
#endif

/*
 * In 6.1 rxe tells of a completion from a tasklet of its queue's, in which it holds no lock
 * (rxe_send_complete()). In 6.12 it does so where it works, under the queue's lock; what is
 * in between was not looked up. A distribution's kernel of an older number may have a newer
 * rxe.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0) && !defined(RHEL_RELEASE_CODE)
#define KDAPL_RXE_TELLS_BY_TASKLET true
#else
#define KDAPL_RXE_TELLS_BY_TASKLET false
#endif

/* rxe came to tell when a queue pair in error takes no more of its SRQ; by 6.12 it does. */
#define KDAPL_RXE_TELLS_LAST_WQE (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
/* Of several ports each has a GID that begins with the address of its netdev. */
static inline bool kdapl_may_be_port(struct ib_device *dev, u32 port,
				     const struct net_device *ndev)
{
	union ib_gid gid;

	return dev->phys_port_cnt == 1 ||
	       (!rdma_query_gid(dev, port, 0, &gid) &&
		!memcmp(&gid, ndev->dev_addr, ETH_ALEN));
}
#endif

/**
 * kdapl_port_netdev() - the netdev of a RoCE or iWARP port
 * @dev: the device
 * @port: its port
 * @net: where the netdev is expected
 *
 * Old kernels do not export ib_device_get_netdev(). There, a driver without
 * get_netdev() told ib_core about its netdevs, which can only be asked for
 * the other way round.
 *
 * Return: the netdev, with a reference, or NULL.
 */
static inline struct net_device *
kdapl_port_netdev(struct ib_device *dev, u32 port, struct net *net)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return ib_device_get_netdev(dev, port);
#else
	struct net_device *ndev, *found = NULL;
	struct ib_device *owner;

	if (dev->ops.get_netdev)
		return dev->ops.get_netdev(dev, port);

	rcu_read_lock();
	for_each_netdev_rcu(net, ndev) {
		owner = ib_device_get_by_netdev(ndev, dev->ops.driver_id);
		if (!owner)
			continue;
		ib_device_put(owner);
		if (owner == dev && kdapl_may_be_port(dev, port, ndev)) {
			dev_hold(ndev);
			found = ndev;
			break;
		}
	}
	rcu_read_unlock();
	return found;
#endif
}

#endif /* KDAPL_COMPAT_H */

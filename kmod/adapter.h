/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters: the ports of the RDMA devices that a program can open.
 *
 * A port is served when rdma_cm can use it. When its device goes, every IA
 * that was opened on it loses its hardware before the device's client call
 * returns.
 */
#ifndef KDAPL_ADAPTER_H
#define KDAPL_ADAPTER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

#include "kdapl_uapi.h"

struct kdapl_ia;

/**
 * struct kdapl_adapter_dev - one port of a device that the module serves
 * @list: in the list of adapters
 * @ref: the list's, and one for each of @ias
 * @dev: the device
 * @port: its port
 * @name: what it is opened by; guarded by the list's lock
 * @lock: guards @ias and @gone; outside an IA's hw_lock
 * @ias: opened instances
 * @gone: the device is gone, no IA can be opened
 * @dying: IAs that are still losing it
 */
struct kdapl_adapter_dev {
	struct list_head list;
	struct kref ref;
	struct ib_device *dev;
	u32 port;
	char name[KDAPL_NAME_MAX];
	struct mutex lock;	/* guards the two below */
	struct list_head ias;
	bool gone;
	atomic_t dying;
};

int kdapl_adapter_init(void);	/* registers the ib_client */
void kdapl_adapter_exit(void);

/**
 * kdapl_adapter_get() - find an adapter by its name or a netdev's of it
 * @net: the caller's, which must have access to the device
 * @name: what to look for
 * @label: filled with the adapter's name, KDAPL_NAME_MAX bytes
 *
 * Return: the adapter with a reference, NULL when there is none.
 */
struct kdapl_adapter_dev *kdapl_adapter_get(struct net *net, const char *name,
					    char *label);
void kdapl_adapter_put(struct kdapl_adapter_dev *adapter);

/* What KDAPL_QUERY and KDAPL_ADAPTER tell, as far as @net may see it. */
u32 kdapl_adapter_count(struct net *net);
int kdapl_adapter_describe(struct net *net, struct kdapl_adapter *arg);

/* The name of its first netdev in @net, or none; KDAPL_NAME_MAX bytes. */
void kdapl_adapter_netdev(const struct kdapl_adapter_dev *adapter,
			  struct net *net, char *name);
/* A queue pair in error tells when it has given back its SRQ's receives. */
bool kdapl_driver_last_wqe(const struct ib_device *dev);
/* A queue pair in error gives back all that it held, also if it never was connected. */
bool kdapl_driver_flushes(const struct ib_device *dev);
/* It does so before it is in error; what is still out then never comes back. */
bool kdapl_driver_flushes_at_once(const struct ib_device *dev);
/* A receive of an SRQ whose message is cut off by the connection's end is lost. */
bool kdapl_driver_forgets(const struct ib_device *dev);
/* Acknowledgements may still wait for it when the peer's last word has been heard. */
bool kdapl_driver_acks_late(const struct ib_device *dev);
/* Its word for an operation that fails here may say that the peer left amid @opcode. */
bool kdapl_driver_cuts_off(const struct ib_device *dev, enum ib_wc_opcode opcode);
const char *kdapl_driver_name(const struct ib_device *dev);
/* The driver registers a program's memory rightly when the kernel asks it to. */
bool kdapl_driver_registers(const struct ib_device *dev);
/* The device can write into memory out of order. */
bool kdapl_driver_relaxed(const struct ib_device *dev);
/* Where a local invalidation is over, so are all accesses to what it ended. */
bool kdapl_driver_fences(const struct ib_device *dev);
/* It goes on to use what it has begun with, also when the MR is gone. */
bool kdapl_driver_goes_on(const struct ib_device *dev);
/* A registration needs an invalidation before it, or it may be done twice. */
bool kdapl_driver_repeats(const struct ib_device *dev);
/* Pages that one request can register; 0: none does. */
u32 kdapl_driver_pages(const struct ib_device *dev);
/* It has requests that end what one registered, too. */
bool kdapl_driver_invalidates(const struct ib_device *dev);
/* Registrations take a PD's key for all memory, also where no segment has it. */
bool kdapl_driver_needs_key(const struct ib_device *dev);
/* A PD has a key for all memory that is of no use to peers. */
bool kdapl_driver_local_key(const struct ib_device *dev);
/* It takes atomic operations of the kernel. */
bool kdapl_driver_atomic(const struct ib_device *dev);

#endif /* KDAPL_ADAPTER_H */

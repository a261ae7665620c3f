// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adapters: the ports of the RDMA devices that a program can open. */

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "adapter.h"
#include "compat.h"
#include "ia.h"
#include "netdevs.h"

static LIST_HEAD(adapters);
/* Guards the list and the names; outside an adapter's own lock. */
static DEFINE_MUTEX(adapters_lock);

/*
 * ib_reg_user_mr() calls the driver without udata. These were read and do
 * right by it; others dereference it.
 */
static const u32 registering_drivers[] = {
	RDMA_DRIVER_RXE,
	RDMA_DRIVER_SIW,
	RDMA_DRIVER_MLX5,
	RDMA_DRIVER_MLX4,
	RDMA_DRIVER_ERDMA,
	RDMA_DRIVER_BNXT_RE,
	RDMA_DRIVER_CXGB4,
	RDMA_DRIVER_QEDR,
	RDMA_DRIVER_OCRDMA,
	RDMA_DRIVER_VMW_PVRDMA,
	RDMA_DRIVER_MANA,
	RDMA_DRIVER_EFA,
};

bool kdapl_driver_registers(const struct ib_device *dev)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(registering_drivers); i++) {
		if (dev->ops.driver_id == registering_drivers[i])
			return true;
	}
	return false;
}

/* Every driver accepts the flag; these do something about it. */
bool kdapl_driver_relaxed(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_MLX5 ||
	       dev->ops.driver_id == RDMA_DRIVER_BNXT_RE;
}

bool kdapl_driver_last_wqe(const struct ib_device *dev)
{
	switch (dev->ops.driver_id) {
	case RDMA_DRIVER_RXE:
		return KDAPL_RXE_TELLS_LAST_WQE;
	case RDMA_DRIVER_SIW:
		return false;
	default:
		return true;
	}
}

/*
 * qedr leaves the flush to its device, which knows nothing of a queue pair before it
 * is connected.
 */
bool kdapl_driver_flushes(const struct ib_device *dev)
{
	return dev->ops.driver_id != RDMA_DRIVER_QEDR;
}

/* siw forgets a read, and all behind it, when the answer to the one before was wrong. */
bool kdapl_driver_flushes_at_once(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_SIW;
}

bool kdapl_driver_forgets(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_RXE;
}

/*
 * rxe does the work of each queue pair by an item of its own, and they overtake each
 * other. A queue pair that is moved to error forgets what waits for it.
 */
bool kdapl_driver_acks_late(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_RXE;
}

/*
 * rxe goes back to a message that found no receive and repeats what stood behind
 * it, also a registration, which then fails. It does not begin an invalidation
 * before all else is over.
 */
bool kdapl_driver_repeats(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_RXE;
}

/*
 * siw has one word for all that ends a request while it sends it: mostly the peer, who
 * left, even upon the request's last byte. It says what the request was also then.
 */
bool kdapl_driver_cuts_off(const struct ib_device *dev,
			   enum ib_wc_opcode opcode)
{
	return dev->ops.driver_id == RDMA_DRIVER_SIW &&
	       opcode != IB_WC_REG_MR && opcode != IB_WC_LOCAL_INV;
}

/* siw looks at an MR when it begins to send from it, and then no more. */
bool kdapl_driver_goes_on(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_SIW;
}

/*
 * irdma gives a longer list a table of two levels where memory is scattered, and its
 * device takes one of one. So do qedr's, which begins to write the list into the table's
 * root, and ocrdma's, which goes on behind the end of its first part.
 */
u32 kdapl_driver_pages(const struct ib_device *dev)
{
	u32 pages = dev->attrs.max_fast_reg_page_list_len;

	if (!(dev->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return 0;
	switch (dev->ops.driver_id) {
	case RDMA_DRIVER_IRDMA:
		/* Of other pages its device is told that they have 4 KiB. */
		return PAGE_SHIFT == 12 ? min(pages, 512U) : 0;
	case RDMA_DRIVER_QEDR:
		return min(pages, 8192U);
	case RDMA_DRIVER_OCRDMA:
		return min(pages, 512U);
	default:
		return pages;
	}
}

bool kdapl_driver_invalidates(const struct ib_device *dev)
{
	return dev->ops.driver_id != RDMA_DRIVER_HNS;
}

/* mlx5's device reads the list of a registration by the PD's key, where it is long. */
bool kdapl_driver_needs_key(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_MLX5;
}

/*
 * rxe has no such key. But the MR that ib_core makes for each PD of the kernel in its place
 * serves as well: rxe holds a peer's requests to an MR's access, which is local. (What gets
 * past that check on 6.12 needs no MR of this PD's: see the README.)
 */
bool kdapl_driver_local_key(const struct ib_device *dev)
{
	return dev->attrs.kernel_cap_flags & IBK_LOCAL_DMA_LKEY ||
	       dev->ops.driver_id == RDMA_DRIVER_RXE;
}

/* mlx5 says that its device has them, and refuses the kernel's. */
bool kdapl_driver_atomic(const struct ib_device *dev)
{
	return dev->ops.driver_id != RDMA_DRIVER_MLX5 &&
	       dev->attrs.atomic_cap != IB_ATOMIC_NONE;
}

/* Verbs in software: a key is looked up first, the data is copied afterwards. */
bool kdapl_driver_fences(const struct ib_device *dev)
{
	switch (dev->ops.driver_id) {
	case RDMA_DRIVER_RXE:
	case RDMA_DRIVER_SIW:
		return false;
	default:
		return true;
	}
}

const char *kdapl_driver_name(const struct ib_device *dev)
{
	return dev->ops.owner ? module_name(dev->ops.owner) : "kernel";
}

void kdapl_adapter_netdev(const struct kdapl_adapter_dev *adapter,
			  struct net *net, char *name)
{
	struct kdapl_netdevs netdevs;

	name[0] = '\0';
	kdapl_netdevs_get(&netdevs, adapter->dev, adapter->port, net);
	if (netdevs.n)
		strscpy(name, netdevs.ndev[0]->name, KDAPL_NAME_MAX);
	kdapl_netdevs_put(&netdevs);
}

static bool adapter_visible(const struct kdapl_adapter_dev *adapter,
			    struct net *net)
{
	return rdma_dev_access_netns(adapter->dev, net);
}

static bool has_netdev(const struct kdapl_adapter_dev *adapter,
		       struct net *net, const char *name, unsigned int most)
{
	struct kdapl_netdevs netdevs;
	bool found = false;
	unsigned int i;

	kdapl_netdevs_get(&netdevs, adapter->dev, adapter->port, net);
	for (i = 0; i < min(netdevs.n, most) && !found; i++)
		found = !strcmp(netdevs.ndev[i]->name, name);
	kdapl_netdevs_put(&netdevs);
	return found;
}

/* How an adapter has a name: the nearest comes first. */
enum adapter_name {
	ITS_NAME,
	ITS_FIRST_NETDEV,
	ANY_NETDEV,
	ADAPTER_NAMES,
};

static bool adapter_named(const struct kdapl_adapter_dev *adapter,
			  struct net *net, const char *name,
			  enum adapter_name how)
{
	switch (how) {
	case ITS_NAME:
		return !strcmp(adapter->name, name);
	case ITS_FIRST_NETDEV:
		return has_netdev(adapter, net, name, 1);
	default:
		return has_netdev(adapter, net, name, KDAPL_NETDEVS_MAX);
	}
}

/* Caller holds the list's lock. */
static struct kdapl_adapter_dev *adapter_find(struct net *net, const char *name)
{
	struct kdapl_adapter_dev *adapter;
	enum adapter_name how;

	for (how = ITS_NAME; how < ADAPTER_NAMES; how++) {
		list_for_each_entry(adapter, &adapters, list) {
			if (adapter_visible(adapter, net) &&
			    adapter_named(adapter, net, name, how))
				return adapter;
		}
	}
	return NULL;
}

struct kdapl_adapter_dev *kdapl_adapter_get(struct net *net, const char *name,
					    char *label)
{
	struct kdapl_adapter_dev *adapter;

	mutex_lock(&adapters_lock);
	adapter = adapter_find(net, name);
	if (adapter) {
		kref_get(&adapter->ref);
		strscpy(label, adapter->name, KDAPL_NAME_MAX);
	}
	mutex_unlock(&adapters_lock);
	return adapter;
}

static void adapter_release(struct kref *ref)
{
	struct kdapl_adapter_dev *adapter =
		container_of(ref, struct kdapl_adapter_dev, ref);

	mutex_destroy(&adapter->lock);
	kfree(adapter);
}

void kdapl_adapter_put(struct kdapl_adapter_dev *adapter)
{
	kref_put(&adapter->ref, adapter_release);
}

u32 kdapl_adapter_count(struct net *net)
{
	struct kdapl_adapter_dev *adapter;
	u32 n = 0;

	mutex_lock(&adapters_lock);
	list_for_each_entry(adapter, &adapters, list)
		n += adapter_visible(adapter, net);
	mutex_unlock(&adapters_lock);
	return n;
}

int kdapl_adapter_describe(struct net *net, struct kdapl_adapter *arg)
{
	struct kdapl_adapter_dev *adapter;
	int ret = -ENODEV;
	u32 n = 0;

	mutex_lock(&adapters_lock);
	list_for_each_entry(adapter, &adapters, list) {
		if (!adapter_visible(adapter, net) || n++ != arg->index)
			continue;
		memset(arg->name, 0, sizeof(arg->name));
		memset(arg->netdev, 0, sizeof(arg->netdev));
		memset(arg->driver, 0, sizeof(arg->driver));
		strscpy(arg->name, adapter->name, sizeof(arg->name));
		kdapl_adapter_netdev(adapter, net, arg->netdev);
		strscpy(arg->driver, kdapl_driver_name(adapter->dev),
			sizeof(arg->driver));
		ret = 0;
		break;
	}
	mutex_unlock(&adapters_lock);
	return ret;
}

static void adapter_set_name(struct kdapl_adapter_dev *adapter)
{
	if (adapter->port == rdma_start_port(adapter->dev))
		strscpy(adapter->name, dev_name(&adapter->dev->dev),
			sizeof(adapter->name));
	else
		snprintf(adapter->name, sizeof(adapter->name), "%s-%u",
			 dev_name(&adapter->dev->dev), adapter->port);
}

static int adapter_add(struct ib_device *dev, u32 port)
{
	struct kdapl_adapter_dev *adapter;

	adapter = kzalloc(sizeof(*adapter), GFP_KERNEL);
	if (!adapter)
		return -ENOMEM;
	kref_init(&adapter->ref);
	mutex_init(&adapter->lock);
	INIT_LIST_HEAD(&adapter->ias);
	adapter->dev = dev;
	adapter->port = port;
	adapter_set_name(adapter);

	mutex_lock(&adapters_lock);
	list_add_tail(&adapter->list, &adapters);
	mutex_unlock(&adapters_lock);
	return 0;
}

/*
 * Every IA loses its hardware; then the device may go. The lock is not held until
 * then, so that an IA can be closed while another one is slow.
 */
static void adapter_remove(struct kdapl_adapter_dev *adapter)
{
	struct kdapl_ia *ia;

	mutex_lock(&adapter->lock);
	adapter->gone = true;
	list_for_each_entry(ia, &adapter->ias, list)
		kdapl_ia_kill(ia);
	mutex_unlock(&adapter->lock);
	wait_var_event(&adapter->dying, !atomic_read(&adapter->dying));
	kdapl_adapter_put(adapter);
}

static void client_remove(struct ib_device *dev, void *client_data)
{
	struct kdapl_adapter_dev *adapter, *next;
	LIST_HEAD(gone);

	mutex_lock(&adapters_lock);
	list_for_each_entry_safe(adapter, next, &adapters, list) {
		if (adapter->dev == dev)
			list_move_tail(&adapter->list, &gone);
	}
	mutex_unlock(&adapters_lock);

	list_for_each_entry_safe(adapter, next, &gone, list) {
		list_del(&adapter->list);
		adapter_remove(adapter);
	}
}

/*
 * rdmavt takes key 0 for all memory, without a further look, at queue pairs of the
 * kernel: theirs would be open to every peer, and to programs connected with
 * themselves.
 */
static bool driver_is_open(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_HFI1 ||
	       dev->ops.driver_id == RDMA_DRIVER_QIB;
}

static int client_add(struct ib_device *dev)
{
	u32 port;
	int ret;

	if (driver_is_open(dev)) {
		dev_info(&dev->dev, "kdapl: not served: peers could reach all memory by key 0\n");
		return 0;
	}
	rdma_for_each_port(dev, port) {
		if (!rdma_cap_ib_cm(dev, port) && !rdma_cap_iw_cm(dev, port))
			continue;
		ret = adapter_add(dev, port);
		if (ret) {
			client_remove(dev, NULL);
			return ret;
		}
	}
	return 0;
}

static void client_rename(struct ib_device *dev, void *client_data)
{
	struct kdapl_adapter_dev *adapter;

	mutex_lock(&adapters_lock);
	list_for_each_entry(adapter, &adapters, list) {
		if (adapter->dev == dev)
			adapter_set_name(adapter);
	}
	mutex_unlock(&adapters_lock);
}

static struct ib_client kdapl_client = {
	.name = "kdapl",
	.add = client_add,
	.remove = client_remove,
	.rename = client_rename,
};

int kdapl_adapter_init(void)
{
	return ib_register_client(&kdapl_client);
}

void kdapl_adapter_exit(void)
{
	ib_unregister_client(&kdapl_client);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Loading and unloading of the module. */

#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "adapter.h"
#include "chardev.h"
#include "cm_connector.h"
#include "cr.h"
#include "ia.h"
#include "kapi/kapi.h"

struct workqueue_struct *kdapl_workqueue;
struct workqueue_struct *kdapl_removal_workqueue;

static int __init kdapl_init(void)
{
	int ret = -ENOMEM;

	kdapl_workqueue = alloc_workqueue("kdapl", WQ_UNBOUND, 0);
	if (!kdapl_workqueue)
		return ret;
	kdapl_removal_workqueue = alloc_workqueue("kdapl_removal", WQ_UNBOUND,
						  WQ_MAX_ACTIVE);
	if (!kdapl_removal_workqueue)
		goto free_workqueue;
	ret = kdapl_adapter_init();
	if (ret)
		goto free_removal_workqueue;
	/* Last: from here on programs come in. */
	ret = kdapl_chardev_init();
	if (ret)
		goto exit_adapter;
	return 0;

exit_adapter:
	kdapl_adapter_exit();
free_removal_workqueue:
	destroy_workqueue(kdapl_removal_workqueue);
free_workqueue:
	destroy_workqueue(kdapl_workqueue);
	return ret;
}

static void __exit kdapl_exit(void)
{
	kdapl_chardev_exit();
	kdapl_adapter_exit();
	destroy_workqueue(kdapl_removal_workqueue);
	destroy_workqueue(kdapl_workqueue);
	/* Objects that were freed last wait for a grace period with our code. */
	rcu_barrier();
	kdapl_cr_exit();
	kdapl_cm_exit_connectors();
	kapi_exit_words();
}

module_init(kdapl_init);
module_exit(kdapl_exit);

MODULE_DESCRIPTION("DAT: direct access transport over RDMA");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KDAPL_VERSION);

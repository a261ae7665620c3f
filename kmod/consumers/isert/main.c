// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The module: LIO's transport of type iSER, and what can be set. */

#include <linux/module.h>

#include "isert.h"

uint isert_depth = 128;
module_param_named(depth, isert_depth, uint, 0444);
MODULE_PARM_DESC(depth, "requests that a connection has room for (16 to 1024)");

uint isert_max_pending = 64;
module_param_named(max_pending, isert_max_pending, uint, 0644);
MODULE_PARM_DESC(max_pending, "connections of a portal that have not begun to log in");

struct workqueue_struct *isert_wq;

static enum target_prot_op isert_get_sup_prot_ops(struct iscsit_conn *lio)
{
	return TARGET_PROT_NORMAL;
}

/*
 * Nothing takes up the commands of a connection that fails, or joins it, from TCP even: who
 * tries is refused at once, or LIO would take a session that is being freed for one with
 * room. An answer to what LIO itself proposed it takes as it comes: so it is asked twice.
 */
int isert_set_params(struct iscsit_conn *lio)
{
	static const char * const params[] = {
		"ErrorRecoveryLevel=0", "MaxConnections=1", "DefaultTime2Retain=0",
		"DataPDUInOrder=Yes", "DataSequenceInOrder=Yes",
	};
	int i, ret = lio->login->leading_connection ? 0 : -1;

	for (i = 0; !ret && i < ARRAY_SIZE(params); i++)
		ret = iscsi_change_param_sprintf(lio, "%s", params[i]);
	return ret;
}

static struct iscsit_transport isert_transport = {
	.name = "kDAPL/iSER",
	.transport_type = ISCSI_INFINIBAND,
	.priv_size = sizeof(struct isert_cmd),
	.owner = THIS_MODULE,
	.iscsit_setup_np = isert_setup_np,
	.iscsit_accept_np = isert_accept_np,
	.iscsit_free_np = isert_free_np,
	.iscsit_free_conn = isert_free_conn,
	.iscsit_get_login_rx = isert_get_login_rx,
	.iscsit_put_login_tx = isert_put_login_tx,
	.iscsit_immediate_queue = isert_immediate_queue,
	.iscsit_response_queue = isert_response_queue,
	.iscsit_get_dataout = isert_get_dataout,
	.iscsit_queue_data_in = isert_queue_data_in,
	.iscsit_queue_status = isert_queue_status,
	.iscsit_aborted_task = isert_aborted_task,
	.iscsit_get_rx_pdu = isert_get_rx_pdu,
	.iscsit_validate_params = isert_set_params,
	.iscsit_get_sup_prot_ops = isert_get_sup_prot_ops,
};

static int __init isert_init(void)
{
	isert_depth = clamp(isert_depth, 16U, 1024U);
	isert_wq = alloc_workqueue("kdapl_isert", WQ_MEM_RECLAIM, 0);
	if (!isert_wq)
		return -ENOMEM;
	iscsit_register_transport(&isert_transport);
	return 0;
}

static void __exit isert_exit(void)
{
	iscsit_unregister_transport(&isert_transport);
	destroy_workqueue(isert_wq);
}

module_init(isert_init);
module_exit(isert_exit);

MODULE_DESCRIPTION("LIO's iSER target, over kDAPL");
MODULE_LICENSE("Dual BSD/GPL");

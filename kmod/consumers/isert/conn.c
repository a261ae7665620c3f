// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A connection belongs to its portal until LIO's login thread takes it, then to LIO
 * until isert_free_conn(). When it is lost, the one or the other is told and frees it.
 */

#include <linux/kthread.h>

#include "isert.h"

/* A request's data is where commands can use it as it is, for any disk; an answer before. */
#define RX_DATA_AT	SZ_4K
#define SLOT_SIZE	(RX_DATA_AT + ISERT_DATA)
/* Requests of the EP for each of our requests: reads and writes take several. */
#define DTOS_PER_CMD	8

static void received(struct isert_conn *conn, struct isert_dto *dto, bool ok)
{
	if (ok)
		list_add_tail(&container_of(dto, struct isert_rx, dto)->list, &conn->received);
}

static int make_memory(struct isert_conn *conn)
{
	struct isert_rx *rx;
	unsigned int i;

	conn->depth = min_t(unsigned int, isert_depth, conn->device->attr.max_dto_per_ep);
	conn->rx = kcalloc(conn->depth, sizeof(*conn->rx), GFP_KERNEL);
	conn->tx = kcalloc(conn->depth, sizeof(*conn->tx), GFP_KERNEL);
	if (!conn->rx || !conn->tx)
		return -ENOMEM;
	for (i = 0; i < conn->depth; i++) {
		rx = &conn->rx[i];
		if (isert_memory_make(conn->device, &rx->memory, SLOT_SIZE))
			return -ENOMEM;
		rx->dto.done = received;
		rx->pdu = rx->memory.at + RX_DATA_AT - sizeof(struct isert_pdu);
		isert_tx_init(&conn->tx[i], &rx->memory);
		list_add_tail(&conn->tx[i].list, &conn->tx_free);
	}
	return 0;
}

static void free_memory(struct isert_conn *conn)
{
	unsigned int i;

	for (i = 0; conn->rx && i < conn->depth; i++)
		dat_ext_memory_free(&conn->rx[i].memory);
	kfree(conn->tx);
	kfree(conn->rx);
}

static void completed(struct isert_conn *conn, const DAT_DTO_COMPLETION_EVENT_DATA *data)
{
	struct isert_dto *dto = data->user_cookie.as_ptr;
	bool ok = data->status == DAT_DTO_SUCCESS;

	if (!ok && data->status != DAT_DTO_ERR_FLUSHED)
		isert_say(conn, "a transfer failed: status %d", data->status);
	if (!dto)
		return;
	dto->length = data->transfered_length;
	dto->done(conn, dto, ok);
}

static void conn_work(struct work_struct *work)
{
	struct isert_conn *conn = container_of(work, struct isert_conn, work);
	DAT_EVENT event;

	while (dat_evd_dequeue(conn->evd, &event) == DAT_SUCCESS) {
		if (event.event_number == DAT_DTO_COMPLETION_EVENT)
			completed(conn, &event.event_data.dto_completion_event_data);
		else if (event.event_number != DAT_CONNECTION_EVENT_ESTABLISHED)
			isert_conn_down(conn);
		cond_resched();
	}
	isert_waiting_go_on(conn);
	isert_rx_go_on(conn);
}

void isert_conn_down(struct isert_conn *conn)
{
	if (xchg(&conn->down, true))
		return;
	wake_up_all(&conn->wait);
	wake_up_all(&conn->sent);
	isert_login_lost(conn);
}

/* Whoever posts, or takes a command off LIO's list before all ends, is between these. */
bool isert_enter(struct isert_conn *conn)
{
	down_read(&conn->gate);
	if (!conn->closed)
		return true;
	up_read(&conn->gate);
	return false;
}

/* Nothing is on its way, but receives: no event will come that makes room. */
bool isert_idle(struct isert_conn *conn)
{
	DAT_BOOLEAN idle = DAT_TRUE;

	dat_ep_get_status(conn->ep, NULL, NULL, &idle);
	return idle;
}

/* In the worker, which then has nothing that would wake it. */
void isert_later(struct isert_conn *conn)
{
	schedule_timeout_uninterruptible(1);
	queue_work(isert_wq, &conn->work);
}

static int make_ep(struct isert_conn *conn)
{
	const struct dat_ia_attr *can = &conn->device->attr;
	const DAT_EP_ATTR attr = {
		.max_recv_dtos = conn->depth,
		.max_request_dtos = min_t(DAT_COUNT, can->max_dto_per_ep,
					  conn->depth * DTOS_PER_CMD),
		.max_recv_iov = 1,
		.max_request_iov = min_t(DAT_COUNT, 32, can->max_iov_segments_per_dto),
		/* Or as many as the initiator serves, which the connection finds out. */
		.max_rdma_read_out = can->max_rdma_read_per_ep_out,
	};
	DAT_RETURN ret;

	ret = dat_ext_evd_create(conn->device->ia, 2 * conn->depth + 16, isert_wq, &conn->work,
				 DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG, &conn->evd);
	if (ret == DAT_SUCCESS)
		ret = dat_ep_create(conn->device->ia, conn->device->pz, conn->evd, conn->evd,
				    conn->evd, &attr, &conn->ep);
	return isert_check(ret, "a connection's EP");
}

static int look_at(struct isert_conn *conn, const DAT_CR_ARRIVAL_EVENT_DATA *request)
{
	const struct iser_cm_hdr *hello;
	DAT_CR_PARAM param;

	if (dat_cr_query(request->cr_handle, DAT_CR_FIELD_ALL & ~DAT_CR_FIELD_LOCAL_EP_HANDLE,
			 &param) != DAT_SUCCESS)
		return -EIO;
	conn->local = *(const struct sockaddr_storage *)request->local_ia_address_ptr;
	conn->remote = *(const struct sockaddr_storage *)param.remote_ia_address_ptr;
	hello = param.private_data;
	conn->invalidate = conn->device->invalidates &&
			   param.private_data_size >= (DAT_COUNT)sizeof(*hello) &&
			   !(hello->flags & ISER_SEND_W_INV_NOT_SUP);
	return 0;
}

/* One receive is enough: requests of a login come one by one. */
static int accept(struct isert_conn *conn, DAT_CR_HANDLE cr)
{
	struct iser_cm_hdr answer = { .flags = ISERT_ZBVA_NOT_USED |
		(conn->invalidate ? 0 : ISERT_SEND_W_INV_NOT_USED) };

	return isert_rx_post(conn, &conn->rx[0]) ?:
	       isert_check(dat_cr_accept(cr, conn->ep, sizeof(answer), &answer), "dat_cr_accept");
}

struct isert_conn *isert_conn_make(struct isert_device *device,
				   const DAT_CR_ARRIVAL_EVENT_DATA *request)
{
	struct isert_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	kref_get(&device->users);
	conn->device = device;
	conn->deadline = jiffies + ISERT_LOGIN_TIME;
	INIT_LIST_HEAD(&conn->list);
	INIT_LIST_HEAD(&conn->received);
	INIT_LIST_HEAD(&conn->waiting);
	INIT_LIST_HEAD(&conn->tx_free);
	INIT_WORK(&conn->work, conn_work);
	init_rwsem(&conn->gate);
	init_waitqueue_head(&conn->wait);
	init_waitqueue_head(&conn->sent);
	spin_lock_init(&conn->lock);
	mutex_init(&conn->statsn);
	if (!look_at(conn, request) && !make_memory(conn) && !make_ep(conn) &&
	    !accept(conn, request->cr_handle))
		return conn;
	isert_conn_free(conn);
	return NULL;
}

/* When it returns nothing is on its way, the worker has seen all, and nothing will be posted. */
static void conn_close(struct isert_conn *conn)
{
	if (!conn->ep)
		return;
	isert_conn_down(conn);
	dat_ep_disconnect(conn->ep, DAT_CLOSE_ABRUPT_FLAG);
	down_write(&conn->gate);
	conn->closed = true;
	up_write(&conn->gate);
	dat_ext_ep_drain(conn->ep);
	/* All events are queued. */
	queue_work(isert_wq, &conn->work);
	flush_work(&conn->work);
}

void isert_conn_free(struct isert_conn *conn)
{
	conn_close(conn);
	if (conn->ep)
		dat_ep_free(conn->ep);
	if (conn->evd)
		dat_evd_free(conn->evd);
	free_memory(conn);
	isert_device_put(conn->device);
	kfree(conn);
}

/*
 * Marks a command; whether it is not for LIO to free. The caller holds its lock. A write that
 * waits for data LIO would complete and free at once, and perhaps put once too often. For one
 * that was aborted with a status LIO waits, one by one, as what aborted them does in another
 * order: for ever. Nobody can be told the status any more.
 */
static bool is_ours(struct iscsit_cmd *cmd)
{
	struct se_cmd *se_cmd = &cmd->se_cmd;
	bool waits = se_cmd->t_state == TRANSPORT_WRITE_PENDING;
	bool aborted = se_cmd->transport_state & CMD_T_ABORTED;

	if (!aborted)
		se_cmd->transport_state |= CMD_T_FABRIC_STOP;
	/* Else LIO would take it for one that waits, and complete it once more. */
	else if (waits && cmd->cmd_flags & ICF_GOT_LAST_DATAOUT)
		se_cmd->t_state = TRANSPORT_PROCESSING;
	else if (waits)
		se_cmd->transport_state &= ~CMD_T_TAS;
	return aborted ? se_cmd->transport_state & CMD_T_TAS : waits;
}

static void end_commands(struct iscsit_conn *lio)
{
	struct iscsit_cmd *cmd, *next;
	LIST_HEAD(ours);

	spin_lock_bh(&lio->cmd_lock);
	list_for_each_entry_safe(cmd, next, &lio->conn_cmd_list, i_conn_node) {
		if (!cmd->se_cmd.se_tfo)
			continue;
		spin_lock_irq(&cmd->se_cmd.t_state_lock);
		if (is_ours(cmd))
			list_move_tail(&cmd->i_conn_node, &ours);
		spin_unlock_irq(&cmd->se_cmd.t_state_lock);
	}
	spin_unlock_bh(&lio->cmd_lock);
	list_for_each_entry_safe(cmd, next, &ours, i_conn_node) {
		list_del_init(&cmd->i_conn_node);
		iscsit_stop_dataout_timer(cmd);
		if (cmd->se_cmd.transport_state & CMD_T_ABORTED)
			target_put_sess_cmd(&cmd->se_cmd);
		else
			iscsit_free_cmd(cmd, true);
	}
}

/* LIO has it end before it frees the commands; that it returns asks for that. */
void isert_get_rx_pdu(struct iscsit_conn *lio)
{
	struct isert_conn *conn = lio->context;

	WRITE_ONCE(conn->ready, true);
	queue_work(isert_wq, &conn->work);
	wait_event_interruptible(conn->wait, READ_ONCE(conn->down) || kthread_should_stop());
	conn_close(conn);
	end_commands(lio);
	/* The transmit thread may be at a logout's end: it must not meet this one there. */
	if (atomic_read(&lio->conn_logout_remove))
		wait_for_completion_timeout(&lio->conn_logout_comp, SECONDS_FOR_LOGOUT_COMP * HZ);
}

void isert_free_conn(struct iscsit_conn *lio)
{
	struct isert_conn *conn = lio->context;

	/* LIO also frees one for which there never was an initiator. */
	if (conn) {
		isert_login_end(conn);
		isert_conn_free(conn);
	}
}

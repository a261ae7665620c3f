// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Answers, and what else the target says.
 *
 * An answer is built in a piece of memory of its own, and needs nothing of its command
 * once it is posted but the pointer to end it with; and whoever has posted it does not
 * look at the command again, for its completion may be there before the call returns.
 *
 * SCSI commands are answered where LIO completes them, and wait for room (data.c). All else
 * the worker posts, which takes completions, too: it may look at such a command after that.
 */

#include "isert.h"

static void tx_done(struct isert_conn *conn, struct isert_dto *dto, bool ok)
{
	isert_tx_end(conn, container_of(dto, struct isert_tx, dto));
}

void isert_tx_init(struct isert_tx *tx, const DAT_EXT_MEMORY *memory)
{
	tx->dto.done = tx_done;
	tx->memory = *memory;
	tx->pdu = memory->at;
}

static struct isert_tx *clear(struct isert_tx *tx)
{
	memset(tx->pdu, 0, sizeof(*tx->pdu));
	tx->pdu->iser.flags = ISCSI_CTRL;
	tx->data = 0;
	tx->cmd = NULL;
	return tx;
}

/* NULL: they are all on their way. */
static struct isert_tx *tx_get(struct isert_conn *conn)
{
	struct isert_tx *tx;

	spin_lock(&conn->lock);
	tx = list_first_entry_or_null(&conn->tx_free, struct isert_tx, list);
	if (tx)
		list_del(&tx->list);
	spin_unlock(&conn->lock);
	return tx ? clear(tx) : NULL;
}

/* One with room for ISERT_DATA, for logins and text: few at a time. */
struct isert_tx *isert_tx_make(struct isert_conn *conn)
{
	struct isert_tx *tx = kzalloc(sizeof(*tx), GFP_KERNEL);
	DAT_EXT_MEMORY memory = {};

	if (!tx || isert_memory_make(conn->device, &memory, sizeof(*tx->pdu) + ISERT_DATA)) {
		kfree(tx);
		return NULL;
	}
	isert_tx_init(tx, &memory);
	tx->single = true;
	return clear(tx);
}

static void cmd_take(struct isert_conn *conn, struct iscsit_cmd *cmd)
{
	spin_lock_bh(&conn->conn->cmd_lock);
	list_del_init(&cmd->i_conn_node);
	spin_unlock_bh(&conn->conn->cmd_lock);
}

/* Gives up the transport's reference to a command that was taken. */
static void cmd_end(struct iscsit_cmd *cmd)
{
	if (cmd->data_direction == DMA_TO_DEVICE)
		iscsit_stop_dataout_timer(cmd);
	if (cmd->se_cmd.se_tfo)
		transport_generic_free_cmd(&cmd->se_cmd, 0);
	else
		iscsit_release_cmd(cmd);
}

/* It is sent, or will not be. A logout end_logout() ends, all else ends here. */
void isert_tx_end(struct isert_conn *conn, struct isert_tx *tx)
{
	struct iscsit_cmd *cmd = tx->cmd;
	const struct isert_cmd *icmd = cmd ? iscsit_priv_cmd(cmd) : NULL;

	if (tx->single) {
		dat_ext_memory_free(&tx->memory);
		kfree(tx);
	} else {
		spin_lock(&conn->lock);
		list_add(&tx->list, &conn->tx_free);
		spin_unlock(&conn->lock);
	}
	if (cmd && icmd->state == ISTATE_SEND_LOGOUTRSP)
		WRITE_ONCE(conn->logout, ISERT_LOGOUT_ANSWERED);
	else if (cmd)
		cmd_end(cmd);
	if (wq_has_sleeper(&conn->sent))
		wake_up_all(&conn->sent);
}

static void release(struct isert_conn *conn, struct iscsit_cmd *cmd)
{
	if (!isert_enter(conn))
		return;
	isert_rx_release(conn, iscsit_priv_cmd(cmd));
	isert_leave(conn);
}

/* LIO drops all references to it; with no answer its place in the window would be lost. */
void isert_aborted_task(struct iscsit_conn *lio, struct iscsit_cmd *cmd)
{
	iscsit_increment_maxcmdsn(cmd, lio->sess);
	iscsit_aborted_task(lio, cmd);
	release(lio->context, cmd);
}

DAT_EXT_DTO isert_tx_dto(struct isert_conn *conn, struct isert_tx *tx, DAT_LMR_TRIPLET *iov)
{
	const struct isert_cmd *icmd = tx->cmd ? iscsit_priv_cmd(tx->cmd) : NULL;
	/* An initiator looks for the command that it belongs to, which a reject does not say. */
	u32 key = icmd && icmd->state == ISTATE_SEND_STATUS ? icmd->key : 0;

	*iov = dat_ext_memory_segment(&tx->memory, tx->pdu, sizeof(*tx->pdu) + tx->data);
	if (conn->device->sync)
		dat_lmr_sync_rdma_read(conn->device->ia, iov, 1);
	return (DAT_EXT_DTO){
		.op = DAT_DTO_SEND,
		.flags = DAT_COMPLETION_DEFAULT_FLAG,
		.num_segments = 1,
		.iov = iov,
		.cookie.as_ptr = &tx->dto,
		.invalidate = key ? DAT_TRUE : DAT_FALSE,
		.rmr_context = key,
	};
}

/* The caller is within the gate. -EAGAIN: there is no room. */
int isert_tx_post(struct isert_conn *conn, struct isert_tx *tx)
{
	DAT_LMR_TRIPLET iov;
	DAT_EXT_DTO dto = isert_tx_dto(conn, tx, &iov);

	return isert_post_error(dat_ext_ep_post(conn->ep, 1, &dto), "dat_ext_ep_post");
}

static void add_sense(struct isert_tx *tx, struct iscsit_cmd *cmd)
{
	u32 size = min_t(u32, cmd->se_cmd.scsi_sense_length, TRANSPORT_SENSE_BUFFER);

	if (!(cmd->se_cmd.se_cmd_flags & (SCF_TRANSPORT_TASK_SENSE | SCF_EMULATED_TASK_SENSE)))
		return;
	*(__be16 *)tx->pdu->data = cpu_to_be16(size);
	memcpy(tx->pdu->data + 2, cmd->sense_buffer + 2, size);
	size += 2;
	hton24(tx->pdu->iscsi.dlength, size);
	tx->data = ALIGN(size, ISCSI_PAD_LEN);
	memset(tx->pdu->data + size, 0, tx->data - size);
}

static int build_text(struct iscsit_conn *lio, struct iscsit_cmd *cmd, struct isert_tx *tx)
{
	struct isert_cmd *icmd = iscsit_priv_cmd(cmd);
	struct iscsi_text_rsp *rsp = (void *)&tx->pdu->iscsi;
	u32 *room = &lio->conn_ops->MaxRecvDataSegmentLength;
	int size;

	/* Linux's initiator says more, but has no more, and asks for the rest. */
	*room = min_not_zero(*room, (u32)ISERT_DATA);
	size = iscsit_build_text_rsp(cmd, lio, rsp, ISCSI_INFINIBAND);
	if (size < 0 || size > ISERT_DATA)
		return -EIO;
	memset(tx->pdu->data, 0, size);
	memcpy(tx->pdu->data, cmd->buf_ptr, ntoh24(rsp->dlength));
	tx->data = size;
	kfree(cmd->buf_ptr);
	cmd->buf_ptr = NULL;
	/* LIO keeps it where the initiator has to ask for the rest. */
	if (rsp->flags & ISCSI_FLAG_TEXT_CONTINUE)
		icmd->kept = ISTATE_SENT_STATUS;
	return 0;
}

/* Below 0: LIO can build none. */
static int build(struct iscsit_conn *lio, struct isert_cmd *icmd, struct isert_tx *tx)
{
	struct iscsit_cmd *cmd = isert_lio_cmd(icmd);
	void *pdu = &tx->pdu->iscsi;

	switch (icmd->state) {
	case ISTATE_SEND_STATUS:
		iscsit_build_rsp_pdu(cmd, lio, true, pdu);
		add_sense(tx, cmd);
		return 0;
	case ISTATE_SEND_NOPIN_WANT_RESPONSE:
		/* LIO keeps it until the initiator has answered. */
		icmd->kept = ISTATE_SENT_NOPIN_WANT_RESPONSE;
		fallthrough;
	case ISTATE_SEND_NOPIN:
	case ISTATE_SEND_NOPIN_NO_RESPONSE:
		iscsit_build_nopin_rsp(cmd, lio, pdu, icmd->state == ISTATE_SEND_NOPIN);
		return 0;
	case ISTATE_SEND_TASKMGTRSP:
		iscsit_build_task_mgt_rsp(cmd, lio, pdu);
		return 0;
	case ISTATE_SEND_REJECT:
		iscsit_build_reject(cmd, lio, pdu);
		memcpy(tx->pdu->data, cmd->buf_ptr, ISCSI_HDR_LEN);
		tx->data = ISCSI_HDR_LEN;
		return 0;
	case ISTATE_SEND_TEXTRSP:
		return build_text(lio, cmd, tx);
	case ISTATE_SEND_LOGOUTRSP:
		return iscsit_build_logout_rsp(cmd, lio, pdu);
	default:
		return -EINVAL;
	}
}

static int make_answer(struct isert_conn *conn, struct isert_cmd *icmd)
{
	bool text = icmd->state == ISTATE_SEND_TEXTRSP;
	struct isert_tx *tx = text ? isert_tx_make(conn) : tx_get(conn);
	struct iscsit_cmd *cmd = isert_lio_cmd(icmd);
	int ret;

	if (!tx)
		return text ? -ENOMEM : -EAGAIN;
	icmd->kept = 0;
	mutex_lock(&conn->statsn);
	ret = build(conn->conn, icmd, tx);
	mutex_unlock(&conn->statsn);
	if (ret) {
		isert_tx_end(conn, tx);
		return -EIO;
	}
	icmd->tx = tx;
	tx->cmd = icmd->kept ? NULL : cmd;
	if (tx->cmd && icmd->state != ISTATE_SEND_LOGOUTRSP)
		cmd_take(conn, cmd);
	return 0;
}

/* The caller is within the gate; and in the worker, unless it is of a SCSI command. */
int isert_answer(struct isert_conn *conn, struct isert_cmd *icmd)
{
	int kept, ret = icmd->tx ? 0 : make_answer(conn, icmd);

	if (ret || icmd->data_in)
		return ret ?: isert_data_in(conn, icmd);
	kept = icmd->kept;
	ret = isert_tx_post(conn, icmd->tx);
	if (!ret && kept) {
		icmd->tx = NULL;
		isert_lio_cmd(icmd)->i_state = kept;
	}
	return ret;
}

/* Behind the closed gate the command stays on LIO's list, and LIO frees it. */
static int answer(struct iscsit_conn *lio, struct iscsit_cmd *cmd, int state, bool data_in)
{
	struct isert_cmd *icmd = iscsit_priv_cmd(cmd);
	struct isert_conn *conn = lio->context;

	if (!isert_enter(conn))
		return 0;
	isert_rx_release(conn, icmd);
	icmd->state = state;
	icmd->data_in = data_in;
	isert_submit(conn, icmd, state == ISTATE_SEND_STATUS);
	isert_leave(conn);
	return 0;
}

int isert_queue_status(struct iscsit_conn *lio, struct iscsit_cmd *cmd)
{
	return answer(lio, cmd, ISTATE_SEND_STATUS, false);
}

int isert_queue_data_in(struct iscsit_conn *lio, struct iscsit_cmd *cmd)
{
	return answer(lio, cmd, ISTATE_SEND_STATUS, cmd->se_cmd.data_length);
}

/* When the initiator has the answer, or in 5 s, LIO ends the connection; its thread waits. */
static int end_logout(struct isert_conn *conn, struct iscsit_cmd *cmd)
{
	if (wait_event_interruptible_timeout(conn->sent, READ_ONCE(conn->down) ||
					     READ_ONCE(conn->logout) == ISERT_LOGOUT_ANSWERED,
					     5 * HZ) <= 0)
		return -EIO;
	/* The connection is gone, unless the logout was of another one. */
	if (!iscsit_logout_post_handler(cmd, conn->conn))
		return -ECONNRESET;
	if (READ_ONCE(conn->logout) != ISERT_LOGOUT_ANSWERED)
		return -EIO;
	if (isert_enter(conn)) {
		cmd_take(conn, cmd);
		isert_leave(conn);
		cmd_end(cmd);
		WRITE_ONCE(conn->logout, ISERT_NO_LOGOUT);
	}
	return 0;
}

/* Below 0: LIO ends the connection. */
int isert_response_queue(struct iscsit_conn *lio, struct iscsit_cmd *cmd, int state)
{
	int ret = answer(lio, cmd, state, false);

	return state == ISTATE_SEND_LOGOUTRSP ? end_logout(lio->context, cmd) : ret;
}

int isert_immediate_queue(struct iscsit_conn *lio, struct iscsit_cmd *cmd, int state)
{
	if (state != ISTATE_REMOVE)
		return answer(lio, cmd, state, false);
	release(lio->context, cmd);
	return iscsit_immediate_queue(lio, cmd, state);
}

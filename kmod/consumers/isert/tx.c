// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Answers, and what else the target says.
 *
 * An answer is built in a piece of memory of its own, and needs nothing of its command
 * once it is posted but the pointer to end it with; and whoever has posted it does not
 * look at the command again, for its completion may be there before the call returns.
 *
 * SCSI commands are answered from wherever LIO completes them. Where there is no room
 * at the moment, they wait in the connection's queue (data.c). All else LIO's transmit
 * thread sends, one at a time, and waits for the room itself.
 */

#include <linux/slab.h>

#include "isert.h"

/* How long a logout's answer may take. */
#define LOGOUT_TIME	(5 * HZ)

/* ---- memory of answers --------------------------------------------------- */

static struct isert_tx *clear(struct isert_tx *tx)
{
	memset(tx->pdu, 0, sizeof(*tx->pdu));
	tx->pdu->iser.flags = ISCSI_CTRL;
	tx->data = 0;
	tx->cmd = NULL;
	return tx;
}

/* NULL: they are all on their way. */
struct isert_tx *isert_tx_get(struct isert_conn *conn)
{
	struct isert_tx *tx;

	spin_lock(&conn->lock);
	tx = list_first_entry_or_null(&conn->tx_free, struct isert_tx, list);
	if (tx)
		list_del(&tx->list);
	spin_unlock(&conn->lock);
	return tx ? clear(tx) : NULL;
}

void isert_tx_put(struct isert_conn *conn, struct isert_tx *tx)
{
	if (tx == &conn->big) {
		smp_store_release(&tx->busy, false);
	} else {
		spin_lock(&conn->lock);
		list_add(&tx->list, &conn->tx_free);
		spin_unlock(&conn->lock);
	}
	if (wq_has_sleeper(&conn->wait))
		wake_up_all(&conn->wait);
}

/* Waits for it; NULL: there is no connection, or no time, any more. */
struct isert_tx *isert_tx_big(struct isert_conn *conn)
{
	bool taken = false;

	wait_event_interruptible(conn->wait, READ_ONCE(conn->down) ||
				 (taken = !xchg(&conn->big.busy, true)));
	return taken ? clear(&conn->big) : NULL;
}

/* ---- the ends of commands ------------------------------------------------ */

/* LIO's list has it no more. */
static void cmd_take(struct isert_conn *conn, struct iscsit_cmd *cmd)
{
	spin_lock_bh(&conn->conn->cmd_lock);
	list_del_init(&cmd->i_conn_node);
	spin_unlock_bh(&conn->conn->cmd_lock);
}

/* Gives up the transport's reference to a command that was taken. */
void isert_cmd_end(struct iscsit_cmd *cmd)
{
	if (cmd->data_direction == DMA_TO_DEVICE)
		iscsit_stop_dataout_timer(cmd);
	if (cmd->se_cmd.se_tfo)
		transport_generic_free_cmd(&cmd->se_cmd, 0);
	else
		iscsit_release_cmd(cmd);
}

void isert_tx_done(struct isert_conn *conn, struct isert_tx *tx)
{
	struct iscsit_cmd *cmd = tx->cmd;

	isert_tx_put(conn, tx);
	if (cmd)
		isert_cmd_end(cmd);
}

static void release(struct isert_conn *conn, struct iscsit_cmd *cmd)
{
	if (!isert_enter(conn))
		return;
	isert_rx_release(conn, iscsit_priv_cmd(cmd));
	isert_leave(conn);
}

/* It was aborted, and LIO drops all references to it. */
void isert_aborted_task(struct iscsit_conn *lio, struct iscsit_cmd *cmd)
{
	iscsit_aborted_task(lio, cmd);
	release(lio->context, cmd);
}

/* ---- posting ------------------------------------------------------------- */

/* With the answer the initiator's key may become invalid. */
static u32 key_of(const struct isert_conn *conn, const struct isert_cmd *icmd)
{
	if (!icmd || !conn->invalidate)
		return 0;
	if (icmd->flags & ISER_RSV)
		return icmd->read.rmr_context;
	return icmd->flags & ISER_WSV ? icmd->write.rmr_context : 0;
}

/* To be posted: @iov is for it to point to, @icmd a SCSI command or NULL. */
DAT_EXT_DTO isert_tx_dto(struct isert_conn *conn, struct isert_tx *tx, DAT_LMR_TRIPLET *iov,
			 const struct isert_cmd *icmd)
{
	u32 key = key_of(conn, icmd);

	*iov = isert_segment(tx->memory, tx->pdu, sizeof(*tx->pdu) + tx->data);
	isert_sync_out(conn->device, iov);
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
int isert_tx_post(struct isert_conn *conn, struct isert_tx *tx, const struct isert_cmd *icmd)
{
	DAT_LMR_TRIPLET iov;
	DAT_EXT_DTO dto = isert_tx_dto(conn, tx, &iov, icmd);
	int ret;

	atomic_inc(&conn->posted);
	ret = isert_error(dat_ext_ep_post(conn->ep, 1, &dto), "an answer");
	if (ret)
		atomic_dec(&conn->posted);
	return ret;
}

static int post_and_wait(struct isert_conn *conn, struct isert_tx *tx)
{
	unsigned int seen;
	int ret;

	for (;;) {
		seen = READ_ONCE(conn->completed);
		ret = isert_tx_post(conn, tx, NULL);
		if (ret != -EAGAIN || !atomic_read(&conn->posted))
			return ret;
		ret = wait_event_interruptible(conn->wait, READ_ONCE(conn->down) ||
					       READ_ONCE(conn->completed) != seen);
		if (ret || READ_ONCE(conn->down))
			return -EIO;
	}
}

/* ---- SCSI ---------------------------------------------------------------- */

static void add_sense(struct isert_tx *tx, struct iscsit_cmd *cmd)
{
	u32 size = min_t(u32, cmd->se_cmd.scsi_sense_length, TRANSPORT_SENSE_BUFFER);

	if (!(cmd->se_cmd.se_cmd_flags & (SCF_TRANSPORT_TASK_SENSE | SCF_EMULATED_TASK_SENSE)))
		return;
	tx->pdu->data[0] = size >> 8;
	tx->pdu->data[1] = size;
	memcpy(tx->pdu->data + 2, cmd->sense_buffer + 2, size);
	size += 2;
	hton24(tx->pdu->iscsi.dlength, size);
	tx->data = ALIGN(size, ISCSI_PAD_LEN);
	memset(tx->pdu->data + size, 0, tx->data - size);
}

void isert_build_answer(struct isert_conn *conn, struct isert_cmd *icmd)
{
	struct iscsit_cmd *cmd = isert_lio_cmd(icmd);

	mutex_lock(&conn->statsn);
	iscsit_build_rsp_pdu(cmd, conn->conn, true, (void *)&icmd->tx->pdu->iscsi);
	mutex_unlock(&conn->statsn);
	add_sense(icmd->tx, cmd);
	icmd->tx->cmd = cmd;
}

/* Behind the closed gate the command stays on LIO's list, and LIO frees it. */
static int answer(struct isert_conn *conn, struct iscsit_cmd *cmd, bool data_in)
{
	struct isert_cmd *icmd = iscsit_priv_cmd(cmd);

	if (!isert_enter(conn))
		return 0;
	cmd_take(conn, cmd);
	isert_rx_release(conn, icmd);
	icmd->mine = true;
	icmd->data_in = data_in;
	isert_submit(conn, icmd);
	isert_leave(conn);
	return 0;
}

int isert_queue_status(struct iscsit_conn *lio, struct iscsit_cmd *cmd)
{
	return answer(lio->context, cmd, false);
}

int isert_queue_data_in(struct iscsit_conn *lio, struct iscsit_cmd *cmd)
{
	return answer(lio->context, cmd, cmd->se_cmd.data_length);
}

/* ---- the transmit thread ------------------------------------------------- */

/* LIO has this one only where connections are recovered; its builder it keeps. */
static void build_async(struct iscsit_conn *lio, struct iscsit_cmd *cmd, struct iscsi_async *async)
{
	cmd->stat_sn = lio->stat_sn++;
	async->opcode = ISCSI_OP_ASYNC_EVENT;
	async->flags = ISCSI_FLAG_CMD_FINAL;
	memset(async->rsvd4, 0xff, sizeof(async->rsvd4));
	async->statsn = cpu_to_be32(cmd->stat_sn);
	async->exp_cmdsn = cpu_to_be32(lio->sess->exp_cmd_sn);
	async->max_cmdsn = cpu_to_be32(atomic_read(&lio->sess->max_cmd_sn));
	async->async_event = ISCSI_ASYNC_MSG_DROPPING_CONNECTION;
	async->param1 = cpu_to_be16(cmd->logout_cid);
	async->param2 = cpu_to_be16(lio->sess->sess_ops->DefaultTime2Wait);
	async->param3 = cpu_to_be16(lio->sess->sess_ops->DefaultTime2Retain);
}

static int build_text(struct iscsit_conn *lio, struct iscsit_cmd *cmd, struct isert_tx *tx)
{
	struct iscsi_text_rsp *rsp = (void *)&tx->pdu->iscsi;
	int size = iscsit_build_text_rsp(cmd, lio, rsp, ISCSI_INFINIBAND);

	/* An honest initiator has no more room in one answer. */
	if (size < 0 || size > ISERT_DATA)
		return -EIO;
	memset(tx->pdu->data, 0, size);
	memcpy(tx->pdu->data, cmd->buf_ptr, ntoh24(rsp->dlength));
	tx->data = size;
	kfree(cmd->buf_ptr);
	cmd->buf_ptr = NULL;
	return 0;
}

/* Below 0: LIO can build none. */
static int build(struct iscsit_conn *lio, struct iscsit_cmd *cmd, struct isert_tx *tx, int state)
{
	void *pdu = &tx->pdu->iscsi;

	switch (state) {
	case ISTATE_SEND_NOPIN:
		iscsit_build_nopin_rsp(cmd, lio, pdu, true);
		return 0;
	case ISTATE_SEND_NOPIN_WANT_RESPONSE:
	case ISTATE_SEND_NOPIN_NO_RESPONSE:
		iscsit_build_nopin_rsp(cmd, lio, pdu, false);
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
	case ISTATE_SEND_ASYNCMSG:
		build_async(lio, cmd, pdu);
		return 0;
	default:
		return -EINVAL;
	}
}

/* What the initiator has to say something to ends not with this: LIO keeps it. */
static bool ends(struct iscsit_cmd *cmd, const struct isert_tx *tx, int state)
{
	const u8 more = ISCSI_FLAG_TEXT_CONTINUE;

	if (state == ISTATE_SEND_NOPIN_WANT_RESPONSE)
		cmd->i_state = ISTATE_SENT_NOPIN_WANT_RESPONSE;
	else if (state == ISTATE_SEND_TEXTRSP && tx->pdu->iscsi.flags & more)
		cmd->i_state = ISTATE_SENT_STATUS;
	else
		return state != ISTATE_SEND_LOGOUTRSP;
	return false;
}

/* The command is not looked at afterwards, unless it is a logout. */
static int say(struct isert_conn *conn, struct iscsit_cmd *cmd, int state)
{
	struct isert_tx *tx = isert_tx_big(conn);
	int ret;

	if (!tx)
		return -EIO;
	mutex_lock(&conn->statsn);
	ret = build(conn->conn, cmd, tx, state);
	mutex_unlock(&conn->statsn);
	if (ret || !isert_enter(conn)) {
		isert_tx_put(conn, tx);
		return -EIO;
	}
	if (ends(cmd, tx, state)) {
		cmd_take(conn, cmd);
		tx->cmd = cmd;
	}
	ret = post_and_wait(conn, tx);
	if (ret)
		isert_tx_done(conn, tx);
	isert_leave(conn);
	return ret;
}

/* When the initiator has the answer, LIO ends the connection; this thread waits. */
static int say_logout(struct isert_conn *conn, struct iscsit_cmd *cmd)
{
	int ret = say(conn, cmd, ISTATE_SEND_LOGOUTRSP);

	if (!ret)
		ret = wait_event_interruptible_timeout(conn->wait, !READ_ONCE(conn->big.busy) ||
						       READ_ONCE(conn->down), LOGOUT_TIME);
	if (ret < 0)
		return ret;
	/* The connection is gone, unless the logout was of another one. */
	if (!iscsit_logout_post_handler(cmd, conn->conn))
		return -ECONNRESET;
	WRITE_ONCE(conn->logout, false);
	if (isert_enter(conn)) {
		cmd_take(conn, cmd);
		isert_leave(conn);
		isert_cmd_end(cmd);
	}
	return 0;
}

/* Below 0: LIO ends the connection. */
int isert_response_queue(struct iscsit_conn *lio, struct iscsit_cmd *cmd, int state)
{
	if (state == ISTATE_SEND_STATUS)
		return answer(lio->context, cmd, false);
	if (state == ISTATE_SEND_LOGOUTRSP)
		return say_logout(lio->context, cmd);
	return say(lio->context, cmd, state);
}

int isert_immediate_queue(struct iscsit_conn *lio, struct iscsit_cmd *cmd, int state)
{
	if (state != ISTATE_REMOVE)
		return say(lio->context, cmd, state);
	release(lio->context, cmd);
	return iscsit_immediate_queue(lio, cmd, state);
}

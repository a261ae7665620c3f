// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Requests of the initiator.
 *
 * The worker looks at each request, and gives it to LIO. What LIO does not check itself is
 * checked here: that the data a request speaks of has come, that there are no additional
 * headers, that it fits the state it meets. Who sends anything else is dropped, with a
 * message. What an honest initiator may send too late is ignored.
 */

#include "isert.h"

static DAT_LMR_TRIPLET receive_segment(const struct isert_rx *rx)
{
	return dat_ext_memory_segment(&rx->memory, rx->pdu, sizeof(*rx->pdu) + ISERT_DATA);
}

int isert_rx_post(struct isert_conn *conn, struct isert_rx *rx)
{
	DAT_LMR_TRIPLET iov = receive_segment(rx);
	DAT_DTO_COOKIE cookie = { .as_ptr = &rx->dto };

	if (!isert_post_error(dat_ep_post_recv(conn->ep, 1, &iov, cookie,
					       DAT_COMPLETION_DEFAULT_FLAG), "dat_ep_post_recv"))
		return 0;
	isert_conn_down(conn);
	return -EIO;
}

void isert_rx_release(struct isert_conn *conn, struct isert_cmd *icmd)
{
	struct isert_rx *rx = icmd->rx;

	icmd->rx = NULL;
	if (rx)
		isert_rx_post(conn, rx);
}

static u32 data_of(const struct isert_rx *rx)
{
	return ntoh24(rx->pdu->iscsi.dlength);
}

static bool has_ttt(const struct isert_rx *rx)
{
	return rx->pdu->iscsi.ttt != cpu_to_be32(ISCSI_RESERVED_TAG);
}

/*
 * LIO allocates what a command expects before it finds that the command has no use for it,
 * or, with data, that it is not its turn: it would be executed at once, and again then.
 */
static bool scsi_is_right(struct isert_conn *conn, const struct isert_rx *rx)
{
	const struct iscsi_scsi_req *req = (const void *)&rx->pdu->iscsi;
	struct iscsit_session *sess = conn->conn->sess;
	u32 sn = be32_to_cpu(req->cmdsn);

	return be32_to_cpu(req->data_length) <= ISERT_TRANSFER_MAX &&
	       (!data_of(rx) || (sn == READ_ONCE(sess->exp_cmd_sn) &&
				 iscsi_sna_lte(sn, atomic_read(&sess->max_cmd_sn))));
}

static void take_keys(struct isert_conn *conn, struct isert_cmd *icmd, const struct iser_ctrl *iser)
{
	icmd->iser = *iser;
	if (conn->invalidate && iser->flags & (ISER_RSV | ISER_WSV))
		icmd->key = be32_to_cpu(iser->flags & ISER_RSV ? iser->read_stag :
								 iser->write_stag);
}

/* Where that is all of its data, it works on it in place, and LIO allocates nothing. */
static void take_data(struct iscsit_cmd *cmd, struct isert_rx *rx)
{
	struct isert_cmd *icmd = iscsit_priv_cmd(cmd);
	struct se_cmd *se_cmd = &cmd->se_cmd;
	u32 at, size = min(cmd->first_burst_len, se_cmd->data_length);

	if (se_cmd->se_cmd_flags & SCF_PASSTHROUGH_SG_TO_MEM_NOALLOC) {
		icmd->rx = rx;
		rx->kept = true;
		se_cmd->t_data_sg = icmd->sg;
		se_cmd->t_data_nents = DIV_ROUND_UP(size, SZ_4K);
		sg_init_table(icmd->sg, se_cmd->t_data_nents);
		for (at = 0; at < size; at += SZ_4K)
			sg_set_buf(&icmd->sg[at / SZ_4K], rx->pdu->data + at,
				   min_t(u32, size - at, SZ_4K));
	} else {
		sg_copy_from_buffer(se_cmd->t_data_sg, se_cmd->t_data_nents, rx->pdu->data, size);
	}
	cmd->write_data_done += size;
	if (cmd->write_data_done == se_cmd->data_length)
		isert_data_is_there(cmd);
}

static int rx_scsi(struct isert_conn *conn, struct iscsit_cmd *cmd, struct isert_rx *rx)
{
	struct iscsi_scsi_req *req = (void *)&rx->pdu->iscsi;
	struct se_cmd *se_cmd = &cmd->se_cmd;
	bool failed, more;
	int ret;

	take_keys(conn, iscsit_priv_cmd(cmd), &rx->pdu->iser);
	/* LIO has queued a reject. */
	if (iscsit_setup_scsi_cmd(conn->conn, cmd, (void *)req) < 0)
		return 0;
	if (!cmd->immediate_data)
		return iscsit_process_scsi_cmd(conn->conn, cmd, req);
	/* LIO would execute it at once, and again, or ask for more, as its data came. */
	if (!cmd->sense_reason && (cmd->data_direction != DMA_TO_DEVICE || !se_cmd->data_length))
		return -EPROTO;
	if (cmd->first_burst_len == se_cmd->data_length)
		se_cmd->se_cmd_flags |= SCF_PASSTHROUGH_SG_TO_MEM_NOALLOC;
	ret = iscsit_process_scsi_cmd(conn->conn, cmd, req);
	if (ret < 0)
		return ret;
	if (!ret)
		take_data(cmd, rx);
	/* It may be over as soon as it is in sequence. */
	failed = cmd->sense_reason;
	more = cmd->write_data_done < se_cmd->data_length;
	ret = iscsit_sequence_cmd(conn->conn, cmd, (void *)req, req->cmdsn);
	if (ret == CMDSN_ERROR_CANNOT_RECOVER)
		return -EPROTO;
	if (failed)
		target_put_sess_cmd(se_cmd);
	else if (more)
		iscsit_set_unsolicited_dataout(cmd);
	return 0;
}

/* By LIO's tag, or by the initiator's, as LIO looks for it: the first one. */
static struct iscsit_cmd *find(struct isert_conn *conn, const struct isert_rx *rx, bool by_ttt)
{
	const struct iscsi_hdr *hdr = &rx->pdu->iscsi;
	struct iscsit_cmd *cmd, *found = NULL;
	struct iscsit_conn *lio = conn->conn;

	if (!by_ttt && hdr->itt == RESERVED_ITT)
		return NULL;
	spin_lock_bh(&lio->cmd_lock);
	list_for_each_entry(cmd, &lio->conn_cmd_list, i_conn_node) {
		if (by_ttt ? cmd->targ_xfer_tag != be32_to_cpu(hdr->ttt) :
		    cmd->init_task_tag != hdr->itt || cmd->cmd_flags & ICF_GOT_LAST_DATAOUT)
			continue;
		found = cmd;
		break;
	}
	spin_unlock_bh(&lio->cmd_lock);
	return found;
}

/* Within the first burst; LIO would answer what is not, and lose a reference by that. */
static bool data_is_right(const struct iscsit_cmd *cmd, const struct iscsi_data *req)
{
	const struct iscsi_sess_ops *ops = cmd->conn->sess->sess_ops;
	u32 size = ntoh24(req->dlength), burst = cmd->first_burst_len + size;

	return !ops->InitialR2T && size && size <= cmd->conn->conn_ops->MaxXmitDataSegmentLength &&
	       (u64)be32_to_cpu(req->offset) + size <= cmd->se_cmd.data_length &&
	       burst <= ops->FirstBurstLength &&
	       (!(req->flags & ISCSI_FLAG_CMD_FINAL) || burst == ops->FirstBurstLength ||
		burst == cmd->se_cmd.data_length);
}

/* Only these bring the command on; it may have failed while they were on the way. */
static int rx_data_out(struct isert_conn *conn, struct iscsit_cmd *cmd, struct isert_rx *rx)
{
	struct iscsi_data *req = (void *)&rx->pdu->iscsi;

	cmd = find(conn, rx, false);
	if (!cmd || cmd->iscsi_opcode != ISCSI_OP_SCSI_CMD || !cmd->unsolicited_data ||
	    cmd->data_direction != DMA_TO_DEVICE || cmd->se_cmd.t_state != TRANSPORT_WRITE_PENDING)
		return 0;
	if (!data_is_right(cmd, req))
		return -EPROTO;
	cmd = NULL;
	if (iscsit_check_dataout_hdr(conn->conn, req, &cmd) < 0)
		return -EPROTO;
	if (!cmd)
		return 0;
	sg_pcopy_from_buffer(cmd->se_cmd.t_data_sg, cmd->se_cmd.t_data_nents, rx->pdu->data,
			     data_of(rx), be32_to_cpu(req->offset));
	return iscsit_check_dataout_payload(cmd, req, false);
}

/*
 * Checked is what LIO would reject in a way that leaks. An answer to a NOP-In ends that;
 * but LIO looks for its tag only, which reads have too, and two would end it twice.
 */
static bool nop_is_right(struct isert_conn *conn, const struct isert_rx *rx)
{
	const struct iscsi_nopout *req = (void *)&rx->pdu->iscsi;
	struct iscsit_cmd *cmd;

	if (!(req->flags & ISCSI_FLAG_CMD_FINAL) ||
	    data_of(rx) > conn->conn->conn_ops->MaxXmitDataSegmentLength)
		return false;
	if (req->itt != RESERVED_ITT)
		return !has_ttt(rx);
	if (!(req->opcode & ISCSI_OP_IMMEDIATE) || !has_ttt(rx))
		return req->opcode & ISCSI_OP_IMMEDIATE;
	cmd = find(conn, rx, true);
	return cmd && cmd->iscsi_opcode == ISCSI_OP_NOOP_IN &&
	       cmd->i_state == ISTATE_SENT_NOPIN_WANT_RESPONSE;
}

static int rx_nop(struct isert_conn *conn, struct iscsit_cmd *cmd, struct isert_rx *rx)
{
	struct iscsi_nopout *req = (void *)&rx->pdu->iscsi;

	return iscsit_setup_nop_out(conn->conn, cmd, req) < 0 ? -EPROTO :
	       iscsit_process_nop_out(conn->conn, cmd, req);
}

/* What LIO knows is SendTargets, and, without data, the next part of the answer. */
static bool text_is_right(struct isert_conn *conn, const struct isert_rx *rx)
{
	static const char ask[][17] = { "SendTargets=All", "SendTargets=iqn.", "SendTargets=eui." };
	const struct iscsi_text *req = (void *)&rx->pdu->iscsi;
	const u8 *data = rx->pdu->data;
	u32 i, size = data_of(rx), len = strlen(ask[1]);

	if (!(req->flags & ISCSI_FLAG_CMD_FINAL) || req->flags & ISCSI_FLAG_TEXT_CONTINUE ||
	    size > conn->conn->conn_ops->MaxXmitDataSegmentLength)
		return false;
	if (has_ttt(rx))
		return !size;
	/* The first one's end counts as well. */
	for (i = 0; i < ARRAY_SIZE(ask); i++)
		if (size >= len && !memcmp(data, ask[i], len))
			return true;
	return false;
}

/* LIO has no next part for a single target. */
static struct iscsit_cmd *text_find(struct isert_conn *conn, const struct isert_rx *rx)
{
	struct iscsit_cmd *cmd = find(conn, rx, false);

	if (!cmd || cmd->iscsi_opcode != ISCSI_OP_TEXT || cmd->i_state != ISTATE_SENT_STATUS ||
	    cmd->cmd_flags & ICF_SENDTARGETS_SINGLE ||
	    cmd->targ_xfer_tag != be32_to_cpu(rx->pdu->iscsi.ttt))
		return NULL;
	return cmd;
}

static int rx_text(struct isert_conn *conn, struct iscsit_cmd *cmd, struct isert_rx *rx)
{
	struct iscsi_text *req = (void *)&rx->pdu->iscsi;

	if (!cmd)
		cmd = text_find(conn, rx);
	if (!cmd || iscsit_setup_text_cmd(conn->conn, cmd, req) < 0)
		return -EPROTO;
	if (data_of(rx)) {
		cmd->text_in_ptr = kmemdup_nul(rx->pdu->data, data_of(rx), GFP_KERNEL);
		if (!cmd->text_in_ptr) {
			iscsit_free_cmd(cmd, false);
			return -ENOMEM;
		}
	}
	return iscsit_process_text_cmd(conn->conn, cmd, req);
}

static bool is_whole(struct isert_conn *conn, const struct isert_rx *rx)
{
	const struct isert_pdu *pdu = rx->pdu;
	DAT_LMR_TRIPLET iov = receive_segment(rx);

	if (conn->device->sync)
		dat_lmr_sync_rdma_write(conn->device->ia, &iov, 1);
	return rx->dto.length >= sizeof(*pdu) && (pdu->iser.flags & 0xf0) == ISCSI_CTRL &&
	       !pdu->iscsi.hlength && data_of(rx) <= rx->dto.length - sizeof(*pdu);
}

/* Task management that is in sequence LIO cannot refuse without a leak. */
static bool tmf_is_right(struct isert_conn *conn, const struct isert_rx *rx)
{
	return rx->pdu->iscsi.opcode & ISCSI_OP_IMMEDIATE;
}

static int rx_tmf(struct isert_conn *conn, struct iscsit_cmd *cmd, struct isert_rx *rx)
{
	return iscsit_handle_task_mgt_cmd(conn->conn, cmd, (void *)&rx->pdu->iscsi);
}

/* A second one would end the session twice. */
static bool logout_is_right(struct isert_conn *conn, const struct isert_rx *rx)
{
	return READ_ONCE(conn->logout) == ISERT_NO_LOGOUT;
}

static int rx_logout(struct isert_conn *conn, struct iscsit_cmd *cmd, struct isert_rx *rx)
{
	struct iscsi_logout *req = (void *)&rx->pdu->iscsi;

	/* Of the only one: LIO would end the session from a timer, with mutexes. */
	if (be16_to_cpu(req->cid) == conn->conn->cid &&
	    (req->flags & ISCSI_FLAG_LOGOUT_REASON_MASK) == ISCSI_LOGOUT_REASON_CLOSE_CONNECTION)
		req->flags &= ~ISCSI_FLAG_LOGOUT_REASON_MASK;
	WRITE_ONCE(conn->logout, ISERT_LOGOUT_CAME);
	return iscsit_handle_logout_cmd(conn->conn, cmd, (void *)&rx->pdu->iscsi);
}

static const struct {
	bool (*is_right)(struct isert_conn *conn, const struct isert_rx *rx);
	int (*take)(struct isert_conn *conn, struct iscsit_cmd *cmd, struct isert_rx *rx);
	bool discovery;
} requests[] = {
	[ISCSI_OP_NOOP_OUT] = { nop_is_right, rx_nop },
	[ISCSI_OP_SCSI_CMD] = { scsi_is_right, rx_scsi },
	[ISCSI_OP_SCSI_TMFUNC] = { tmf_is_right, rx_tmf },
	[ISCSI_OP_TEXT] = { text_is_right, rx_text, true },
	[ISCSI_OP_SCSI_DATA_OUT] = { NULL, rx_data_out },
	[ISCSI_OP_LOGOUT] = { logout_is_right, rx_logout, true },
};

/* What goes on with a command that there is brings none of its own: NULL for it. */
static int dispatch(struct isert_conn *conn, struct isert_rx *rx)
{
	const struct iscsi_sess_ops *ops = conn->conn->sess->sess_ops;
	u8 op = rx->pdu->iscsi.opcode & ISCSI_OPCODE_MASK;
	struct iscsit_cmd *cmd = NULL;
	bool goes_on;
	int ret;

	if (op >= ARRAY_SIZE(requests) || !requests[op].take ||
	    (ops->SessionType ? !requests[op].discovery : !ops->RDMAExtensions) ||
	    (requests[op].is_right && !requests[op].is_right(conn, rx)))
		return -EPROTO;
	goes_on = op == ISCSI_OP_SCSI_DATA_OUT ||
		  ((op == ISCSI_OP_TEXT || op == ISCSI_OP_NOOP_OUT) && has_ttt(rx));
	if (!goes_on) {
		/* It must not wait for a free one: this worker is who frees them. */
		cmd = iscsit_allocate_cmd(conn->conn, TASK_RUNNING);
		if (!cmd)
			return -EAGAIN;
	}
	ret = requests[op].take(conn, cmd, rx);
	return ret == -EAGAIN ? -EPROTO : ret;
}

/* Below 0: the initiator is dropped; but -EAGAIN: later. */
static int rx_one(struct isert_conn *conn, struct isert_rx *rx)
{
	rx->kept = false;
	if (!is_whole(conn, rx))
		return -EPROTO;
	if (READ_ONCE(conn->phase) < ISERT_FULL) {
		/* What was not posted for a login's answer is its own. */
		rx->kept = true;
		return isert_login_arrived(conn, rx) ? 0 : -EPROTO;
	}
	return conn->conn->conn_state == TARG_CONN_STATE_LOGGED_IN ? dispatch(conn, rx) : 0;
}

void isert_rx_go_on(struct isert_conn *conn)
{
	struct isert_rx *rx;
	int ret;

	while (!list_empty(&conn->received) && !READ_ONCE(conn->down)) {
		if (READ_ONCE(conn->phase) == ISERT_FULL && !READ_ONCE(conn->ready))
			return;
		rx = list_first_entry(&conn->received, struct isert_rx, list);
		ret = rx_one(conn, rx);
		if (ret == -EAGAIN) {
			/* LIO tells nobody when it has a command again. */
			isert_later(conn);
			return;
		}
		list_del(&rx->list);
		if (ret < 0) {
			isert_say(conn, "dropped: bad request of %u bytes, opcode %#x",
				  rx->dto.length, rx->pdu->iscsi.opcode);
			isert_conn_down(conn);
		} else if (!rx->kept) {
			isert_rx_post(conn, rx);
		}
	}
}

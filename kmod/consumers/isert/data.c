// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Data of commands: by RDMA between the initiator's memory and LIO's.
 *
 * A command for which the EP has no room waits, and those after it behind it. Each
 * completion makes the worker look for room; one that the EP never has room for ends the
 * connection. One that waits for its data is LIO's, but LIO does not touch it meanwhile.
 */

#include "isert.h"

/* -EAGAIN: there is no room. */
int isert_post_error(DAT_RETURN ret, const char *what)
{
	if (DAT_GET_TYPE(ret) == DAT_INSUFFICIENT_RESOURCES)
		return -EAGAIN;
	/* The connection ends. */
	if (DAT_GET_TYPE(ret) == DAT_INVALID_STATE)
		return -ENOTCONN;
	return isert_check(ret, what);
}

void isert_data_is_there(struct iscsit_cmd *cmd)
{
	spin_lock_bh(&cmd->istate_lock);
	cmd->cmd_flags |= ICF_GOT_LAST_DATAOUT;
	cmd->i_state = ISTATE_RECEIVED_LAST_DATAOUT;
	spin_unlock_bh(&cmd->istate_lock);
}

/* If it is not there, the command ends with the connection. */
static void read_done(struct isert_conn *conn, struct isert_dto *dto, bool ok)
{
	struct iscsit_cmd *cmd = isert_lio_cmd(container_of(dto, struct isert_cmd, dto));

	if (!ok)
		return;
	iscsit_stop_dataout_timer(cmd);
	cmd->write_data_done = cmd->se_cmd.data_length;
	isert_data_is_there(cmd);
	target_execute_cmd(&cmd->se_cmd);
}

/* It was not posted, and will not be. What has no answer yet ends with the connection. */
static void give_up(struct isert_conn *conn, struct isert_cmd *icmd)
{
	isert_conn_down(conn);
	if (icmd->tx)
		isert_tx_end(conn, icmd->tx);
}

/* All of what the initiator writes that did not come with requests. */
static int read_rest(struct isert_conn *conn, struct isert_cmd *icmd)
{
	const struct iscsit_cmd *cmd = isert_lio_cmd(icmd);
	const struct se_cmd *se_cmd = &cmd->se_cmd;
	const DAT_DTO_COOKIE cookie = { .as_ptr = &icmd->dto };
	const DAT_RMR_TRIPLET remote = {
		.virtual_address = be64_to_cpu(icmd->iser.write_va),
		.segment_length = se_cmd->data_length - cmd->write_data_done,
		.rmr_context = be32_to_cpu(icmd->iser.write_stag),
	};

	if (!(icmd->iser.flags & ISER_WSV) || cmd->write_data_done >= se_cmd->data_length) {
		isert_say(conn, "dropped: a write without data");
		return -EPROTO;
	}
	icmd->dto.done = read_done;
	return isert_post_error(dat_ext_ep_rw(conn->ep, se_cmd->t_data_sg, se_cmd->t_data_nents,
					      cmd->write_data_done, &remote, DMA_FROM_DEVICE,
					      cookie), "data to be written");
}

/* What the initiator reads, and the answer. The list may have room for more than there is. */
int isert_data_in(struct isert_conn *conn, struct isert_cmd *icmd)
{
	const struct se_cmd *se_cmd = &isert_lio_cmd(icmd)->se_cmd;
	const DAT_RMR_TRIPLET remote = {
		.virtual_address = be64_to_cpu(icmd->iser.read_va),
		.segment_length = se_cmd->data_length,
		.rmr_context = be32_to_cpu(icmd->iser.read_stag),
	};
	DAT_LMR_TRIPLET iov;
	DAT_EXT_DTO answer;

	if (!(icmd->iser.flags & ISER_RSV)) {
		isert_say(conn, "dropped: a read without a place for its data");
		return -EPROTO;
	}
	answer = isert_tx_dto(conn, icmd->tx, &iov);
	return isert_post_error(dat_ext_ep_transfer(conn->ep, se_cmd->t_data_sg,
						    se_cmd->t_data_nents, 0, &remote,
						    DMA_TO_DEVICE, (DAT_DTO_COOKIE){},
						    DAT_COMPLETION_SUPPRESS_FLAG, 1, &answer),
				"data that is read");
}

static int post(struct isert_conn *conn, struct isert_cmd *icmd)
{
	return icmd->state ? isert_answer(conn, icmd) : read_rest(conn, icmd);
}

/* The caller is within the gate, and does not look at the command afterwards. */
void isert_submit(struct isert_conn *conn, struct isert_cmd *icmd, bool now)
{
	int ret = now && list_empty_careful(&conn->waiting) ? post(conn, icmd) : -EAGAIN;

	if (!ret)
		return;
	if (ret != -EAGAIN) {
		give_up(conn, icmd);
		return;
	}
	spin_lock(&conn->lock);
	/* First those that have room for their answers: others may wait for that. */
	list_add(&icmd->wait, icmd->tx ? &conn->waiting : conn->waiting.prev);
	spin_unlock(&conn->lock);
	/* The last completion may have come before. */
	queue_work(isert_wq, &conn->work);
}

static struct isert_cmd *first(struct isert_conn *conn)
{
	struct isert_cmd *icmd;

	spin_lock(&conn->lock);
	icmd = list_first_entry_or_null(&conn->waiting, struct isert_cmd, wait);
	spin_unlock(&conn->lock);
	return icmd;
}

/*
 * In the worker, which alone takes commands from the list. It also takes completions, so
 * until it returns a command that it has posted is there. Behind the closed gate, all that
 * wait are given up.
 */
void isert_waiting_go_on(struct isert_conn *conn)
{
	struct isert_cmd *icmd;
	int ret = 0;
	bool open;

	if (list_empty_careful(&conn->waiting))
		return;
	open = isert_enter(conn);
	while ((icmd = first(conn))) {
		ret = open ? post(conn, icmd) : -ENOTCONN;
		if (ret == -EAGAIN)
			break;
		spin_lock(&conn->lock);
		list_del(&icmd->wait);
		spin_unlock(&conn->lock);
		if (ret)
			give_up(conn, icmd);
	}
	if (open)
		isert_leave(conn);
	/* It is not room that is missing, but memory. */
	if (ret == -EAGAIN && isert_idle(conn))
		isert_later(conn);
}

int isert_get_dataout(struct iscsit_conn *lio, struct iscsit_cmd *cmd, bool recovery)
{
	struct isert_conn *conn = lio->context;

	if (!isert_enter(conn))
		return 0;
	isert_submit(conn, iscsit_priv_cmd(cmd), true);
	isert_leave(conn);
	return 0;
}

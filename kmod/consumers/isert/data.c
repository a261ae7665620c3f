// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Data of commands: by RDMA between the initiator's memory and LIO's.
 *
 * What an initiator reads is written to its memory, and the answer goes in the same
 * chain of requests: it tells that the data is there. What it writes is read from its
 * memory, behind the data that came with requests, and then LIO executes the command.
 *
 * A command for which the EP has no room waits, and those after it behind it. Each
 * completion makes the worker look for room. One that waits for its data is LIO's, but
 * LIO does not touch it meanwhile.
 */

#include <linux/scatterlist.h>

#include "isert.h"

/* -EAGAIN: there is no room. */
int isert_error(DAT_RETURN ret, const char *what)
{
	switch (DAT_GET_TYPE(ret)) {
	case DAT_SUCCESS:
		return 0;
	case DAT_INSUFFICIENT_RESOURCES:
		return -EAGAIN;
	case DAT_INVALID_STATE:
		/* The connection ends. */
		return -ENOTCONN;
	default:
		isert_complain(ret, what);
		return -EIO;
	}
}

/* All data of a write is there. */
void isert_data_is_there(struct iscsit_cmd *cmd)
{
	spin_lock_bh(&cmd->istate_lock);
	cmd->cmd_flags |= ICF_GOT_LAST_DATAOUT;
	cmd->i_state = ISTATE_RECEIVED_LAST_DATAOUT;
	spin_unlock_bh(&cmd->istate_lock);
}

static void execute(struct isert_cmd *icmd)
{
	struct iscsit_cmd *cmd = isert_lio_cmd(icmd);

	iscsit_stop_dataout_timer(cmd);
	cmd->write_data_done = cmd->se_cmd.data_length;
	isert_data_is_there(cmd);
	target_execute_cmd(&cmd->se_cmd);
}

/* If it is not there, LIO frees the command with the connection. */
static void read_done(struct isert_conn *conn, struct isert_dto *dto, bool ok)
{
	if (ok)
		execute(container_of(dto, struct isert_cmd, dto));
}

/* All or none. */
int isert_post(struct isert_conn *conn, int num, const DAT_EXT_DTO *dtos)
{
	int ret;

	atomic_add(num, &conn->posted);
	ret = isert_error(dat_ext_ep_post(conn->ep, num, dtos), "dat_ext_ep_post");
	if (ret)
		atomic_sub(num, &conn->posted);
	return ret;
}

/* It was not posted, and will not be. What is LIO's it frees with the connection. */
static void give_up(struct isert_conn *conn, struct isert_cmd *icmd)
{
	isert_conn_down(conn);
	if (icmd->tx)
		isert_tx_end(conn, icmd->tx);
}

/* Of its list all behind @skip, to or from where the initiator said. */
static int move(struct isert_conn *conn, struct isert_cmd *icmd, u32 skip, u32 length)
{
	struct se_cmd *se_cmd = &isert_lio_cmd(icmd)->se_cmd;
	bool in = icmd->data_in;
	DAT_RMR_TRIPLET remote = in ? icmd->read : icmd->write;
	DAT_DTO_COOKIE cookie = { .as_ptr = in ? NULL : &icmd->dto };
	DAT_COMPLETION_FLAGS flags = in ? DAT_COMPLETION_SUPPRESS_FLAG :
					  DAT_COMPLETION_DEFAULT_FLAG;
	DAT_LMR_TRIPLET iov;
	DAT_EXT_DTO dto;
	int ret;

	remote.segment_length = length;
	if (in)
		dto = isert_tx_dto(conn, icmd->tx, &iov);
	atomic_inc(&conn->posted);
	ret = isert_error(dat_ext_ep_transfer(conn->ep, se_cmd->t_data_sg, se_cmd->t_data_nents,
					      skip, &remote,
					      in ? DMA_TO_DEVICE : DMA_FROM_DEVICE, cookie,
					      flags, in, in ? &dto : NULL), "a command's data");
	if (ret)
		atomic_dec(&conn->posted);
	return ret;
}

/* All else of what the initiator writes. */
static int read_rest(struct isert_conn *conn, struct isert_cmd *icmd)
{
	struct iscsit_cmd *cmd = isert_lio_cmd(icmd);
	u32 done = cmd->write_data_done;

	icmd->dto.done = read_done;
	if (icmd->flags & ISER_WSV && done < cmd->se_cmd.data_length)
		return move(conn, icmd, done, cmd->se_cmd.data_length - done);
	isert_say(conn, "dropped: a write without data");
	return -EPROTO;
}

/* What the initiator reads, and the answer. */
int isert_data_in(struct isert_conn *conn, struct isert_cmd *icmd)
{
	if (icmd->flags & ISER_RSV)
		return move(conn, icmd, 0, isert_lio_cmd(icmd)->se_cmd.data_length);
	isert_say(conn, "dropped: a read without a place for its data");
	return -EPROTO;
}

static int post(struct isert_conn *conn, struct isert_cmd *icmd)
{
	return icmd->state ? isert_answer(conn, icmd) : read_rest(conn, icmd);
}

/* The caller is within the gate, and does not look at the command afterwards. */
void isert_submit(struct isert_conn *conn, struct isert_cmd *icmd, bool now)
{
	int ret = -EAGAIN;

	if (now && list_empty_careful(&conn->waiting)) {
		/* What it holds until it has posted comes back. */
		atomic_inc(&conn->posted);
		ret = post(conn, icmd);
		/* Pairs with put_back(): the worker may count on this one. */
		if (!atomic_dec_return(&conn->posted) && !list_empty_careful(&conn->waiting))
			queue_work(isert_wq, &conn->work);
	}
	if (!ret)
		return;
	if (ret != -EAGAIN) {
		give_up(conn, icmd);
		return;
	}
	spin_lock(&conn->lock);
	list_add_tail(&icmd->wait, &conn->waiting);
	spin_unlock(&conn->lock);
	/* The last completion may have come before. */
	queue_work(isert_wq, &conn->work);
}

static struct isert_cmd *next(struct isert_conn *conn)
{
	struct isert_cmd *icmd;

	spin_lock(&conn->lock);
	icmd = list_first_entry_or_null(&conn->waiting, struct isert_cmd, wait);
	if (icmd)
		list_del(&icmd->wait);
	spin_unlock(&conn->lock);
	return icmd;
}

/* To the head of the queue. */
static void put_back(struct isert_conn *conn, struct isert_cmd *icmd)
{
	spin_lock(&conn->lock);
	list_add(&icmd->wait, &conn->waiting);
	spin_unlock(&conn->lock);
	/* Pairs with isert_submit(): who tried to post may be through. */
	smp_mb();
	if (!atomic_read(&conn->posted))
		queue_work(isert_wq, &conn->work);
}

/* In the worker. Where nothing is on its way there will never be more room. */
void isert_waiting_go_on(struct isert_conn *conn)
{
	struct isert_cmd *icmd;
	int ret = 0, others;

	if (list_empty_careful(&conn->waiting) || !isert_enter(conn))
		return;
	while (ret != -EAGAIN && (icmd = next(conn))) {
		others = atomic_read(&conn->posted);
		ret = post(conn, icmd);
		if (ret == -EAGAIN && (others || atomic_read(&conn->posted)))
			put_back(conn, icmd);
		else if (ret)
			give_up(conn, icmd);
	}
	isert_leave(conn);
}

/* The gate is closed. */
void isert_waiting_purge(struct isert_conn *conn)
{
	struct isert_cmd *icmd;

	while ((icmd = next(conn)))
		give_up(conn, icmd);
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

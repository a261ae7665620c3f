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

/* ---- moving -------------------------------------------------------------- */

/* -EAGAIN: there is no room. -EOPNOTSUPP: the adapter cannot. */
int isert_error(DAT_RETURN ret, const char *what)
{
	switch (DAT_GET_TYPE(ret)) {
	case DAT_SUCCESS:
		return 0;
	case DAT_INSUFFICIENT_RESOURCES:
		return -EAGAIN;
	case DAT_MODEL_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	default:
		isert_complain(ret, what);
		return -EIO;
	}
}

/* LIO's list without its first @skip bytes; @part is room for where that cuts. */
static struct scatterlist *list_from(struct scatterlist *sgl, unsigned int *nents, u32 skip,
				     struct scatterlist part[2])
{
	while (*nents > 1 && skip >= sgl->length) {
		skip -= sgl->length;
		sgl = sg_next(sgl);
		(*nents)--;
	}
	if (!skip)
		return sgl;
	sg_init_table(part, 2);
	sg_set_page(part, sg_page(sgl), sgl->length - skip, sgl->offset + skip);
	if (*nents > 1)
		sg_chain(part, 2, sg_next(sgl));
	else
		sg_mark_end(part);
	return part;
}

/* LIO's list may be longer than what the command was good for, but never than asked. */
static u32 list_length(const struct se_cmd *se_cmd)
{
	struct scatterlist *sg;
	unsigned int i;
	u32 length = 0;

	for_each_sg(se_cmd->t_data_sg, sg, se_cmd->t_data_nents, i)
		length += sg->length;
	return length;
}

/* Of its list all behind @skip, to or from where the initiator said. */
static int move(struct isert_conn *conn, struct isert_cmd *icmd, u32 skip, u32 length)
{
	struct se_cmd *se_cmd = &isert_lio_cmd(icmd)->se_cmd;
	bool in = icmd->data_in;
	DAT_RMR_TRIPLET remote = in ? icmd->read : icmd->write;
	DAT_DTO_COOKIE cookie = { .as_ptr = in ? NULL : &icmd->dto };
	unsigned int nents = se_cmd->t_data_nents;
	struct scatterlist part[2], *sgl;
	DAT_LMR_TRIPLET iov;
	DAT_EXT_DTO dto;
	int ret;

	if (READ_ONCE(conn->bounces))
		return isert_bounce(conn, icmd, skip, length);
	remote.segment_length = length;
	sgl = list_from(se_cmd->t_data_sg, &nents, skip, part);
	if (in)
		dto = isert_tx_dto(conn, icmd->tx, &iov, icmd);
	atomic_inc(&conn->posted);
	ret = isert_error(dat_ext_ep_transfer(conn->ep, sgl, nents, &remote,
					      in ? DMA_TO_DEVICE : DMA_FROM_DEVICE, cookie,
					      in ? DAT_COMPLETION_SUPPRESS_FLAG :
						   DAT_COMPLETION_DEFAULT_FLAG,
					      in, in ? &dto : NULL), "a command's data");
	if (!ret)
		return 0;
	atomic_dec(&conn->posted);
	return ret == -EOPNOTSUPP ? isert_bounce(conn, icmd, skip, length) : ret;
}

static int post_read(struct isert_conn *conn, struct isert_cmd *icmd)
{
	struct iscsit_cmd *cmd = isert_lio_cmd(icmd);
	u32 done = cmd->write_data_done;

	if (icmd->flags & ISER_WSV && done < cmd->se_cmd.data_length)
		return move(conn, icmd, done, cmd->se_cmd.data_length - done);
	isert_say(conn, "dropped: a write without data");
	return -EPROTO;
}

static int post_answer(struct isert_conn *conn, struct isert_cmd *icmd)
{
	if (!icmd->tx) {
		icmd->tx = isert_tx_get(conn);
		if (!icmd->tx)
			return -EAGAIN;
		isert_build_answer(conn, icmd);
	}
	if (!icmd->data_in)
		return isert_tx_post(conn, icmd->tx, icmd);
	if (icmd->flags & ISER_RSV)
		return move(conn, icmd, 0, list_length(&isert_lio_cmd(icmd)->se_cmd));
	isert_say(conn, "dropped: a read without a place for its data");
	return -EPROTO;
}

/* ---- the queue ----------------------------------------------------------- */

static int post(struct isert_conn *conn, struct isert_cmd *icmd)
{
	return icmd->mine ? post_answer(conn, icmd) : post_read(conn, icmd);
}

/* It was not posted, and will not be. What is LIO's it frees with the connection. */
static void give_up(struct isert_conn *conn, struct isert_cmd *icmd)
{
	isert_conn_down(conn);
	if (!icmd->mine)
		return;
	if (icmd->tx)
		isert_tx_done(conn, icmd->tx);
	else
		isert_cmd_end(isert_lio_cmd(icmd));
}

/* The caller is within the gate, and does not look at the command afterwards. */
void isert_submit(struct isert_conn *conn, struct isert_cmd *icmd)
{
	int ret = -EAGAIN;

	if (list_empty_careful(&conn->waiting))
		ret = post(conn, icmd);
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

/* In the worker. Where nothing is on its way there will never be more room. */
void isert_waiting_go_on(struct isert_conn *conn)
{
	struct isert_cmd *icmd;
	int ret = 0;

	if (list_empty_careful(&conn->waiting) || !isert_enter(conn))
		return;
	while (ret != -EAGAIN && (icmd = next(conn))) {
		ret = post(conn, icmd);
		if (ret == -EAGAIN && atomic_read(&conn->posted)) {
			spin_lock(&conn->lock);
			list_add(&icmd->wait, &conn->waiting);
			spin_unlock(&conn->lock);
		} else if (ret) {
			give_up(conn, icmd);
		}
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

/* ---- writes of the initiator --------------------------------------------- */

int isert_get_dataout(struct iscsit_conn *lio, struct iscsit_cmd *cmd, bool recovery)
{
	struct isert_conn *conn = lio->context;

	if (!isert_enter(conn))
		return 0;
	isert_submit(conn, iscsit_priv_cmd(cmd));
	isert_leave(conn);
	return 0;
}

/* In the worker: all of its data is there. */
void isert_read_done(struct isert_cmd *icmd)
{
	struct iscsit_cmd *cmd = isert_lio_cmd(icmd);

	iscsit_stop_dataout_timer(cmd);
	cmd->write_data_done = cmd->se_cmd.data_length;
	spin_lock_bh(&cmd->istate_lock);
	cmd->cmd_flags |= ICF_GOT_LAST_DATAOUT;
	cmd->i_state = ISTATE_RECEIVED_LAST_DATAOUT;
	spin_unlock_bh(&cmd->istate_lock);
	target_execute_cmd(&cmd->se_cmd);
}

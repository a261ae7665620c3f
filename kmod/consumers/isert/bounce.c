// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * For adapters that cannot move a scatterlist's memory, such as soft iWARP: data goes
 * through memory that is registered once, piece by piece.
 *
 * A connection has some such buffers from the first command on that is refused the
 * direct way. A command has one of them until its data is moved; without a free one it
 * waits in the connection's queue, as any command without room.
 */

#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "isert.h"

#define BOUNCES		8
#define BOUNCE_SIZE	SZ_64K

struct isert_bounce {
	struct isert_dto dto;
	struct isert_memory memory;
	struct isert_cmd *icmd;	/* NULL: the answer has it */
	u32 skip;		/* bytes of its memory before @length to move */
	u32 done, piece, length;
	bool busy;
};

/* ---- buffers ------------------------------------------------------------- */

void isert_bounce_free(struct isert_conn *conn)
{
	unsigned int i;

	for (i = 0; conn->bounces && i < BOUNCES; i++)
		isert_memory_free(&conn->bounces[i].memory);
	kfree(conn->bounces);
}

static struct isert_bounce *bounces_make(struct isert_conn *conn)
{
	struct isert_bounce *bounces = kcalloc(BOUNCES, sizeof(*bounces), GFP_KERNEL);
	unsigned int i;

	for (i = 0; bounces && i < BOUNCES; i++) {
		bounces[i].dto.kind = ISERT_BOUNCE;
		if (!isert_memory_make(conn->device, &bounces[i].memory, BOUNCE_SIZE))
			continue;
		while (i--)
			isert_memory_free(&bounces[i].memory);
		kfree(bounces);
		return NULL;
	}
	return bounces;
}

static struct isert_bounce *bounce_get(struct isert_conn *conn)
{
	struct isert_bounce *found = NULL;
	unsigned int i;

	mutex_lock(&conn->bounce_lock);
	if (!conn->bounces)
		WRITE_ONCE(conn->bounces, bounces_make(conn));
	for (i = 0; conn->bounces && !found && i < BOUNCES; i++)
		if (!conn->bounces[i].busy)
			found = &conn->bounces[i];
	if (found)
		found->busy = true;
	mutex_unlock(&conn->bounce_lock);
	return found;
}

static void bounce_put(struct isert_conn *conn, struct isert_bounce *bounce)
{
	mutex_lock(&conn->bounce_lock);
	bounce->busy = false;
	mutex_unlock(&conn->bounce_lock);
}

/* ---- pieces -------------------------------------------------------------- */

static DAT_LMR_TRIPLET segment(const struct isert_bounce *bounce)
{
	return isert_segment(&bounce->memory, bounce->memory.at, bounce->piece);
}

/* With the last piece to be read goes the answer: then the command is the answer's. */
static int post_piece(struct isert_conn *conn, struct isert_bounce *bounce)
{
	struct isert_cmd *icmd = bounce->icmd;
	struct se_cmd *se_cmd = &isert_lio_cmd(icmd)->se_cmd;
	const DAT_RMR_TRIPLET *at = icmd->data_in ? &icmd->read : &icmd->write;
	DAT_EXT_DTO dto[2] = {};
	DAT_LMR_TRIPLET iov[2];
	bool last;
	int ret;

	bounce->piece = min_t(u32, bounce->length - bounce->done, BOUNCE_SIZE);
	last = icmd->data_in && bounce->done + bounce->piece == bounce->length;
	iov[0] = segment(bounce);
	dto[0].op = icmd->data_in ? DAT_DTO_RDMA_WRITE : DAT_DTO_RDMA_READ;
	dto[0].num_segments = 1;
	dto[0].iov = iov;
	dto[0].remote.virtual_address = at->virtual_address + bounce->done;
	dto[0].remote.segment_length = bounce->piece;
	dto[0].remote.rmr_context = at->rmr_context;
	dto[0].cookie.as_ptr = &bounce->dto;
	if (icmd->data_in) {
		sg_pcopy_to_buffer(se_cmd->t_data_sg, se_cmd->t_data_nents, bounce->memory.at,
				   bounce->piece, bounce->done);
		isert_sync_out(conn->device, iov);
	}
	if (last) {
		dto[1] = isert_tx_dto(conn, icmd->tx, &iov[1], icmd);
		bounce->icmd = NULL;
	}
	atomic_add(1 + last, &conn->posted);
	ret = isert_error(dat_ext_ep_post(conn->ep, 1 + last, dto), "a piece of data");
	if (!ret)
		return 0;
	atomic_sub(1 + last, &conn->posted);
	bounce->icmd = icmd;
	return ret;
}

/* @length bytes of its data, behind the first @skip of its memory. */
int isert_bounce(struct isert_conn *conn, struct isert_cmd *icmd, u32 skip, u32 length)
{
	struct isert_bounce *bounce = bounce_get(conn);
	int ret;

	if (!bounce)
		return -EAGAIN;
	bounce->icmd = icmd;
	bounce->skip = skip;
	bounce->done = 0;
	bounce->length = length;
	ret = post_piece(conn, bounce);
	if (ret)
		bounce_put(conn, bounce);
	return ret;
}

/* In the worker: it has moved, and if it was written into our memory, is copied. */
static bool take_piece(struct isert_conn *conn, struct isert_bounce *bounce)
{
	struct se_cmd *se_cmd = &isert_lio_cmd(bounce->icmd)->se_cmd;
	DAT_LMR_TRIPLET iov = segment(bounce);

	if (!bounce->icmd->data_in) {
		isert_sync_in(conn->device, &iov);
		sg_pcopy_from_buffer(se_cmd->t_data_sg, se_cmd->t_data_nents, bounce->memory.at,
				     bounce->piece, bounce->skip + bounce->done);
	}
	bounce->done += bounce->piece;
	return bounce->done == bounce->length;
}

/* If it cannot go on, LIO frees what is its own with the connection. */
void isert_bounce_done(struct isert_conn *conn, struct isert_dto *dto, bool ok)
{
	struct isert_bounce *bounce = container_of(dto, struct isert_bounce, dto);
	struct isert_cmd *icmd = bounce->icmd;
	bool all = ok && icmd && take_piece(conn, bounce);

	if (ok && icmd && !all && isert_enter(conn)) {
		ok = !post_piece(conn, bounce);
		isert_leave(conn);
		if (ok)
			return;
	}
	bounce_put(conn, bounce);
	if (all) {
		isert_read_done(icmd);
	} else if (icmd) {
		isert_conn_down(conn);
		if (icmd->mine)
			isert_tx_done(conn, icmd->tx);
	}
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Logins.
 *
 * The first request waits until the portal's login thread takes it. The answer to it
 * makes room for the next one, which LIO wants to be told of by its login_work: for TCP
 * it does so itself, and sees to it that the work does not begin before the login thread
 * has left the connection. Here that is our business: an initiator may be as fast as it
 * likes, and if LIO gave up in the work, it would free what the thread still uses. So as
 * long as the thread has not come back for another connection, the work is held.
 *
 * A connection that is lost is the same: the work finds no request, and gives up.
 *
 * With the last answer all receives are posted. What comes before LIO is ready for it
 * waits in the worker's list.
 */

#include <linux/slab.h>

#include "isert.h"

/* How long an answer may take where somebody waits for it. */
#define ANSWER_TIME	HZ

DEFINE_SPINLOCK(isert_login_lock);

/* ---- telling LIO --------------------------------------------------------- */

/* Somebody has to look at it. Caller holds the lock. */
static void kick(struct isert_conn *conn)
{
	if (conn->phase == ISERT_LOGIN && conn->np) {
		conn->held = true;
	} else if (conn->phase == ISERT_LOGIN) {
		conn->kicked = true;
		schedule_delayed_work(&conn->conn->login_work, 0);
	} else if (conn->phase == ISERT_NEW && conn->np) {
		wake_up_interruptible(&conn->np->wait);
	}
}

void isert_login_lost(struct isert_conn *conn)
{
	spin_lock(&isert_login_lock);
	kick(conn);
	spin_unlock(&isert_login_lock);
}

/* LIO's login thread has left the connection that it was busy with. */
void isert_login_np_idle(struct isert_np *np)
{
	struct isert_conn *conn;

	spin_lock(&isert_login_lock);
	conn = np->busy;
	np->busy = NULL;
	if (conn) {
		conn->np = NULL;
		if (conn->held)
			kick(conn);
	}
	spin_unlock(&isert_login_lock);
}

/* LIO frees it: nobody kicks any more. */
void isert_login_end(struct isert_conn *conn)
{
	spin_lock(&isert_login_lock);
	conn->phase = ISERT_END;
	if (conn->np)
		conn->np->busy = NULL;
	conn->np = NULL;
	spin_unlock(&isert_login_lock);
	/* Where this is the work itself, another run of it may be queued. */
	if (conn->kicked)
		cancel_delayed_work(&conn->conn->login_work);
}

/* ---- requests ------------------------------------------------------------ */

/* In the worker; it is a whole PDU. False: it is not one for now. */
bool isert_login_arrived(struct isert_conn *conn, struct isert_rx *rx)
{
	bool right = (rx->pdu->iscsi.opcode & ISCSI_OPCODE_MASK) == ISCSI_OP_LOGIN;

	spin_lock(&isert_login_lock);
	right = right && !conn->login_rx && conn->phase < ISERT_FULL;
	if (right) {
		conn->login_rx = rx;
		kick(conn);
	}
	spin_unlock(&isert_login_lock);
	return right;
}

static void begin(struct iscsi_login *login)
{
	const struct iscsi_login_req *request = (void *)login->req;

	login->leading_connection = !request->tsih;
	login->current_stage = ISCSI_LOGIN_CURRENT_STAGE(request->flags);
	login->version_min = request->min_version;
	login->version_max = request->max_version;
	memcpy(login->isid, request->isid, sizeof(request->isid));
	login->cmd_sn = be32_to_cpu(request->cmdsn);
	login->init_task_tag = request->itt;
	login->initial_exp_statsn = be32_to_cpu(request->exp_statsn);
	login->cid = be16_to_cpu(request->cid);
	login->tsih = be16_to_cpu(request->tsih);
}

int isert_get_login_rx(struct iscsit_conn *lio, struct iscsi_login *login)
{
	struct isert_conn *conn = lio->context;
	const struct isert_pdu *pdu;
	struct isert_rx *rx;

	spin_lock(&isert_login_lock);
	rx = conn->login_rx;
	conn->login_rx = NULL;
	spin_unlock(&isert_login_lock);
	if (!rx || READ_ONCE(conn->down))
		return -1;
	pdu = rx->pdu;
	memcpy(login->req, &pdu->iscsi, ISCSI_HDR_LEN);
	if (login->first_request)
		begin(login);
	if (iscsi_target_check_login_request(lio, login) < 0)
		return -1;
	BUILD_BUG_ON(ISERT_DATA > MAX_KEY_VALUE_PAIRS);
	memset(login->req_buf, 0, MAX_KEY_VALUE_PAIRS);
	memcpy(login->req_buf, pdu->data, ntoh24(pdu->iscsi.dlength));
	return 0;
}

/* ---- answers ------------------------------------------------------------- */

/* There must be room before the initiator has the answer. */
static int make_room(struct isert_conn *conn, const struct iscsi_login *login)
{
	unsigned int i, receives = login->login_complete ? conn->depth : 1;

	if (login->login_failed)
		return 0;
	/* From here on a loss is told to the receive thread. */
	spin_lock(&isert_login_lock);
	if (login->login_complete)
		conn->phase = ISERT_FULL;
	spin_unlock(&isert_login_lock);
	for (i = 0; i < receives; i++)
		if (isert_rx_post(conn, &conn->rx[i]))
			return -EIO;
	return 0;
}

int isert_put_login_tx(struct iscsit_conn *lio, struct iscsi_login *login, u32 length)
{
	struct isert_conn *conn = lio->context;
	struct isert_tx *tx = isert_tx_big(conn);
	int ret;

	if (!tx)
		return -1;
	ret = length > ISERT_DATA || !isert_enter(conn) ? -1 : 0;
	if (!ret) {
		memcpy(&tx->pdu->iscsi, login->rsp, ISCSI_HDR_LEN);
		memcpy(tx->pdu->data, login->rsp_buf, length);
		tx->data = length;
		ret = make_room(conn, login) ?: isert_tx_post(conn, tx, NULL);
		isert_leave(conn);
	}
	if (ret) {
		isert_tx_put(conn, tx);
		return -1;
	}
	/* LIO ends the connection at once: the initiator shall know why. */
	if (login->login_failed)
		wait_event_interruptible_timeout(conn->wait, !READ_ONCE(tx->busy) ||
						 READ_ONCE(conn->down), ANSWER_TIME);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Portals, where initiators connect, and logins.
 *
 * LIO has one login thread for a portal, and whoever keeps it keeps all others out. So it
 * gets a connection only when the first login request is there. Those that send none are
 * limited, and are dropped after a while.
 *
 * Of later requests, or that there will be none, LIO wants to be told by its login_work.
 * If that gave up while the login thread is still at the connection, it would free what
 * the thread uses: so the work is held until the thread has come back for another one.
 */

#include "isert.h"

/* Guards what struct isert_np and the first part of struct isert_conn say. */
static DEFINE_SPINLOCK(login_lock);

/*
 * Somebody has to look at it; LIO's login thread does anyway. Its work: now, if there is
 * something for it, or when the login has taken too long. Caller holds the lock.
 */
static void kick(struct isert_conn *conn)
{
	long left = conn->login_rx || READ_ONCE(conn->down) ? 0 : conn->deadline - jiffies;

	if (conn->phase == ISERT_LOGIN && !conn->np)
		mod_delayed_work(system_wq, &conn->conn->login_work, max(left, 0L));
	else if (conn->phase == ISERT_NEW && conn->np)
		wake_up_interruptible(&conn->np->wait);
}

void isert_login_lost(struct isert_conn *conn)
{
	spin_lock(&login_lock);
	kick(conn);
	spin_unlock(&login_lock);
}

/* LIO's login thread has left the connection that it was busy with. */
static void np_idle(struct isert_np *np)
{
	struct isert_conn *conn;

	spin_lock(&login_lock);
	conn = np->busy;
	np->busy = NULL;
	if (conn) {
		conn->np = NULL;
		conn->deadline = jiffies + ISERT_LOGIN_TIME;
		kick(conn);
	}
	spin_unlock(&login_lock);
}

/* Where there are too many the oldest silent ones make room. */
static bool over(const struct isert_conn *conn)
{
	return READ_ONCE(conn->down) ||
	       (!conn->login_rx && (time_after(jiffies, conn->deadline) ||
				    atomic_read(&conn->np->count) > READ_ONCE(isert_max_pending)));
}

/* Each second, and where there are too many. All of them where @all. */
static void drop(struct isert_np *np, bool all)
{
	struct isert_conn *conn, *next;
	LIST_HEAD(dropped);

	spin_lock(&login_lock);
	list_for_each_entry_safe(conn, next, &np->pending, list) {
		if (!all && !over(conn))
			continue;
		list_move(&conn->list, &dropped);
		conn->np = NULL;
		atomic_dec(&np->count);
	}
	spin_unlock(&login_lock);
	list_for_each_entry_safe(conn, next, &dropped, list) {
		isert_say(conn, "dropped: %s",
			  conn->down ? "it was lost, and never logged in" : "it did not log in");
		isert_conn_free(conn);
	}
}

static void reap(struct work_struct *work)
{
	struct isert_np *np = container_of(to_delayed_work(work), struct isert_np, reap);

	drop(np, false);
	if (atomic_read(&np->count))
		queue_delayed_work(system_unbound_wq, &np->reap, HZ);
}

/* Makes a connection of a request, which waits for its login. False: it is refused. */
bool isert_np_accept(struct isert_device *device, const DAT_CR_ARRIVAL_EVENT_DATA *request)
{
	struct isert_np *np = device->np;
	struct isert_conn *conn = NULL;

	atomic_inc(&np->count);
	drop(np, false);
	if (atomic_read(&np->count) > READ_ONCE(isert_max_pending) ||
	    kref_read(&device->users) > ISERT_CONNECTIONS)
		pr_info_ratelimited("kdapl_isert: refused: %d have not logged in, there are %u\n",
				    atomic_read(&np->count) - 1, kref_read(&device->users) - 1);
	else if (READ_ONCE(np->np->enabled))
		conn = isert_conn_make(device, request);
	if (!conn) {
		atomic_dec(&np->count);
		return false;
	}
	/* It may have begun to log in already, or be lost. */
	spin_lock(&login_lock);
	conn->np = np;
	list_add_tail(&conn->list, &np->pending);
	spin_unlock(&login_lock);
	wake_up_interruptible(&np->wait);
	queue_delayed_work(system_unbound_wq, &np->reap, HZ);
	return true;
}

static int listen_on_all(struct isert_np *np)
{
	DAT_PROVIDER_INFO info;
	DAT_COUNT n;
	int ret = 0;

	for (n = 0; !ret && dat_ext_registry_entry(n, &info) == DAT_SUCCESS; n++)
		ret = isert_device_add(np, info.ia_name);
	return ret ?: (list_empty(&np->devices) ? -EADDRNOTAVAIL : 0);
}

void isert_free_np(struct iscsi_np *lio)
{
	struct isert_np *np = lio->np_context;
	struct isert_device *device, *next;

	list_for_each_entry_safe(device, next, &np->devices, list)
		isert_device_end(device);
	np_idle(np);
	cancel_delayed_work_sync(&np->reap);
	drop(np, true);
	kfree(np);
	lio->np_context = NULL;
}

int isert_setup_np(struct iscsi_np *lio, struct sockaddr_storage *address)
{
	struct isert_np *np = kzalloc(sizeof(*np), GFP_KERNEL);
	int ret;

	if (!np)
		return -ENOMEM;
	np->np = lio;
	INIT_LIST_HEAD(&np->devices);
	INIT_LIST_HEAD(&np->pending);
	INIT_DELAYED_WORK(&np->reap, reap);
	init_waitqueue_head(&np->wait);
	lio->np_sockaddr = *address;
	lio->np_context = np;
	ret = listen_on_all(np);
	if (ret) {
		pr_err("kdapl_isert: no adapter listens on %pISpc: %d\n", address, ret);
		isert_free_np(lio);
	}
	return ret;
}

/* The first connection that has begun to log in, for LIO's. */
static bool np_take(struct isert_np *np, struct iscsit_conn *lio)
{
	struct isert_conn *conn;

	spin_lock(&login_lock);
	list_for_each_entry(conn, &np->pending, list) {
		if (!conn->login_rx || over(conn))
			continue;
		list_del_init(&conn->list);
		atomic_dec(&np->count);
		np->busy = conn;
		conn->conn = lio;
		conn->phase = ISERT_LOGIN;
		lio->context = conn;
		break;
	}
	spin_unlock(&login_lock);
	return lio->context;
}

int isert_accept_np(struct iscsi_np *lio, struct iscsit_conn *lio_conn)
{
	struct isert_np *np = lio->np_context;
	struct isert_conn *conn;

	np_idle(np);
	/* LIO ends the wait by a signal, and tells the reason here. */
	wait_event_interruptible(np->wait,
				 READ_ONCE(lio->np_thread_state) >= ISCSI_NP_THREAD_RESET ||
				 np_take(np, lio_conn));
	conn = lio_conn->context;
	if (!conn)
		return -ENODEV;
	lio_conn->login_family = lio->np_sockaddr.ss_family;
	lio_conn->login_sockaddr = conn->remote;
	lio_conn->local_sockaddr = conn->local;
	return 0;
}

/* LIO frees it: nobody kicks any more. */
void isert_login_end(struct isert_conn *conn)
{
	struct isert_np *np;

	spin_lock(&login_lock);
	conn->phase = ISERT_END;
	np = conn->np;
	conn->np = NULL;
	if (np)
		np->busy = NULL;
	spin_unlock(&login_lock);
	/* Where this is the work itself, another run of it may be queued. */
	if (!np)
		cancel_delayed_work(&conn->conn->login_work);
}

/* In the worker; it is a whole PDU. False: it is not one for now. */
bool isert_login_arrived(struct isert_conn *conn, struct isert_rx *rx)
{
	bool right = (rx->pdu->iscsi.opcode & ISCSI_OPCODE_MASK) == ISCSI_OP_LOGIN;

	spin_lock(&login_lock);
	right = right && !conn->login_rx && conn->phase < ISERT_FULL;
	if (right) {
		conn->login_rx = rx;
		kick(conn);
	}
	spin_unlock(&login_lock);
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

/*
 * Who it is and what it wants LIO takes from the last of these keys, by their beginnings,
 * and at the end from the first: so one of each, and none behind a key at which LIO stops.
 */
static bool keys_are_right(const char *key, u32 size)
{
	static const char * const keys[] = {
		"InitiatorName", "SessionType", "TargetName", "CHAP_", "SRP_",
	};
	const char *end = key + size;
	u32 i, seen = 0;

	for (; key < end; key += strlen(key) + 1)
		for (i = 0; i < ARRAY_SIZE(keys); i++) {
			if (!str_has_prefix(key, keys[i]))
				continue;
			if (key[strlen(keys[i])] != '=' || seen & BIT(i))
				return false;
			seen |= BIT(i);
		}
	return true;
}

int isert_get_login_rx(struct iscsit_conn *lio, struct iscsi_login *login)
{
	struct isert_conn *conn = lio->context;
	const struct isert_pdu *pdu;
	struct isert_rx *rx;
	u32 size;

	spin_lock(&login_lock);
	rx = conn->login_rx;
	conn->login_rx = NULL;
	spin_unlock(&login_lock);
	if (!rx || READ_ONCE(conn->down))
		return -1;
	pdu = rx->pdu;
	size = ntoh24(pdu->iscsi.dlength);
	/* LIO looks for strings in it. */
	if (size == MAX_KEY_VALUE_PAIRS && pdu->data[size - 1])
		return -1;
	memcpy(login->req, &pdu->iscsi, ISCSI_HDR_LEN);
	if (login->first_request)
		begin(login);
	if (iscsi_target_check_login_request(lio, login) < 0)
		return -1;
	BUILD_BUG_ON(ISERT_DATA > MAX_KEY_VALUE_PAIRS);
	memset(login->req_buf, 0, MAX_KEY_VALUE_PAIRS);
	memcpy(login->req_buf, pdu->data, size);
	return !login->first_request ||
	       (login->current_stage < 2 && keys_are_right(login->req_buf, size)) ? 0 : -1;
}

/* LIO's login_failed can be its timer's as well, too late for a login that is done. */
static bool is_refused(const struct iscsi_login *login)
{
	return ((const struct iscsi_login_rsp *)login->rsp)->status_class;
}

/* There must be room before the initiator has the answer. */
static int make_room(struct isert_conn *conn, const struct iscsi_login *login)
{
	unsigned int i, receives = login->login_complete ? conn->depth : 1;

	if (is_refused(login))
		return 0;
	/* From here on a loss is told to the receive thread. */
	spin_lock(&login_lock);
	if (login->login_complete)
		conn->phase = ISERT_FULL;
	kick(conn);
	spin_unlock(&login_lock);
	for (i = 0; i < receives; i++)
		if (isert_rx_post(conn, &conn->rx[i]))
			return -EIO;
	return 0;
}

int isert_put_login_tx(struct iscsit_conn *lio, struct iscsi_login *login, u32 length)
{
	struct isert_conn *conn = lio->context;
	struct isert_tx *tx = NULL;
	int ret = -EIO;

	if (length <= ISERT_DATA && (is_refused(login) || !isert_set_params(lio)))
		tx = isert_tx_make(conn);
	if (!tx)
		return -1;
	memcpy(&tx->pdu->iscsi, login->rsp, ISCSI_HDR_LEN);
	memcpy(tx->pdu->data, login->rsp_buf, length);
	tx->data = length;
	if (isert_enter(conn)) {
		ret = make_room(conn, login) ?: isert_tx_post(conn, tx);
		isert_leave(conn);
	}
	if (ret) {
		isert_tx_end(conn, tx);
		return -1;
	}
	/* LIO ends the connection at once: the initiator shall know why. */
	if (is_refused(login))
		wait_event_interruptible_timeout(conn->sent, isert_idle(conn) ||
						 READ_ONCE(conn->down), HZ / 4);
	return 0;
}

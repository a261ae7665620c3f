// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Connections over rdma_cm.
 *
 * Every event of rdma_cm may come in every state: each is judged under
 * ep->lock, by whether its id is still the EP's and by the EP's state. What
 * begins an end there decides the outcome; everything later finds the EP
 * ending. Only the peer's leaving may still turn out to follow from a failure
 * here (ep_end.c). A failure is an event, never an error of a call that already
 * changed something.
 */

#include <linux/slab.h>
#include <rdma/ib_cm.h>

#include "cm.h"
#include "cm_connector.h"
#include "cm_data.h"
#include "cm_qp.h"
#include "cr.h"
#include "ep.h"
#include "ia.h"

/* For an address, and again for a route. */
#define CM_RESOLVE_MS		4000
#define CM_RETRY_DELAY		HZ
#define CM_PORT_DELAY		(HZ / 100)
/* An acceptance that the peer has not answered by then need not be waited for. */
#define CM_ANSWER		HZ
/*
 * Nor for ever: how long rdma_cm waits is the peer's word, up to 37 hours. A silent rdma_cm
 * at the other end would have it wait 69 seconds; one whose program answers by itself may
 * ask for more.
 */
#define CM_ACCEPT_MAX		(300 * HZ)

static struct kdapl_ia *cm_ia(const struct kdapl_ep *ep)
{
	return ep->obj.ia;
}

static bool cm_is_siw(const struct kdapl_ep *ep)
{
	return cm_ia(ep)->dev->ops.driver_id == RDMA_DRIVER_SIW;
}

bool kdapl_cm_pending(const struct kdapl_ep *ep, const struct rdma_cm_id *id)
{
	lockdep_assert_held(&ep->lock);
	return ep->cm.id == id && !ep->ending &&
	       (ep->state == KDAPL_EP_ACTIVE_PENDING ||
		ep->state == KDAPL_EP_COMPLETION_PENDING);
}

/*
 * The id is of no more use. @attempt is the event when it was still to connect,
 * @connection when the connection was up; 0 for none.
 */
static void cm_end(struct kdapl_ep *ep, const struct rdma_cm_id *id,
		   u32 attempt, u32 connection)
{
	u32 event = connection;

	spin_lock_bh(&ep->lock);
	if (ep->state == KDAPL_EP_ACTIVE_PENDING)
		event = attempt;
	else if (ep->state == KDAPL_EP_COMPLETION_PENDING)
		event = DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR;
	if (ep->cm.id == id)
		kdapl_ep_answered_locked(ep);
	if (ep->cm.id == id && event == DAT_CONNECTION_EVENT_DISCONNECTED)
		kdapl_ep_left_locked(ep);
	else if (ep->cm.id == id && event)
		kdapl_ep_end_locked(ep, event, false);
	spin_unlock_bh(&ep->lock);
}

static void cm_unreachable(struct kdapl_ep *ep, const struct rdma_cm_id *id)
{
	cm_end(ep, id, DAT_CONNECTION_EVENT_UNREACHABLE, 0);
}

/* Another attempt: an id that failed cannot connect again. */
static bool cm_again(struct kdapl_ep *ep, const struct rdma_cm_id *id,
		     unsigned long delay)
{
	bool again;

	spin_lock_bh(&ep->lock);
	again = ep->state == KDAPL_EP_ACTIVE_PENDING &&
		kdapl_cm_pending(ep, id);
	if (again)
		queue_delayed_work(kdapl_workqueue, &ep->cm.retry, delay);
	spin_unlock_bh(&ep->lock);
	return again;
}

/*
 * Nobody answered within rdma_cm's own time. A consumer that gave no time-out
 * waits on.
 */
static void cm_no_answer(struct kdapl_ep *ep, const struct rdma_cm_id *id)
{
	/* Stays as it is for as long as the EP has this id. */
	if (!ep->cm.infinite || !cm_again(ep, id, CM_RETRY_DELAY))
		cm_unreachable(ep, id);
}

void kdapl_cm_failed(struct kdapl_ep *ep, const struct rdma_cm_id *id, int err)
{
	switch (err) {
	case -ETIMEDOUT:
		cm_no_answer(ep, id);
		break;
	case -EADDRINUSE:
	case -EADDRNOTAVAIL:
		/* TCP has the port that rdma_cm chose: it chooses another. */
		if (!cm_again(ep, id, CM_PORT_DELAY))
			cm_unreachable(ep, id);
		break;
	case -EHOSTUNREACH:
	case -ENETUNREACH:
	case -EHOSTDOWN:
	case -ENETDOWN:
		cm_unreachable(ep, id);
		break;
	case -EUSERS:
		/* Its user waits for the answers of too many. */
		if (!cm_again(ep, id, CM_RETRY_DELAY))
			cm_unreachable(ep, id);
		break;
	default:
		cm_end(ep, id, DAT_CONNECTION_EVENT_NON_PEER_REJECTED,
		       DAT_CONNECTION_EVENT_BROKEN);
		break;
	}
}

/* From the wire: @size bytes, as many as rdma_cm says are there. */
static void cm_keep_private_data(struct kdapl_ep *ep, const void *data, u8 size)
{
	lockdep_assert_held(&ep->lock);
	BUILD_BUG_ON(sizeof(ep->cm.private_data) <= U8_MAX);
	memcpy(ep->cm.private_data, data, size);
	ep->cm.private_data_size = size;
}

/* The queue pair can send. False when the EP does not want it any more. */
static bool cm_up(struct kdapl_ep *ep, struct rdma_cm_id *id,
		  const struct rdma_conn_param *answer)
{
	bool up, active;

	spin_lock_bh(&ep->lock);
	up = kdapl_cm_pending(ep, id);
	active = ep->state == KDAPL_EP_ACTIVE_PENDING;
	if (up && active)
		cm_keep_private_data(ep, answer->private_data,
				     kdapl_cm_came(ep->obj.ia,
						   answer->private_data,
						   answer->private_data_len));
	/* An end that waited for this takes it down, as any other connection. */
	if (up || (ep->cm.id == id && ep->unanswered)) {
		ep->cm.up = true;
		kdapl_ep_answered_locked(ep);
	}
	spin_unlock_bh(&ep->lock);
	if (!up)
		return false;
	cancel_delayed_work(&ep->cm.timeout);
	kdapl_ep_established(ep, ep->cm.private_data_size);
	return true;
}

/* ---- the active side --------------------------------------------------- */

void kdapl_cm_connect_param(struct kdapl_ep *ep, struct rdma_conn_param *param)
{
	kdapl_cm_conn_param(ep, param, ep->cm.request, ep->cm.request_size);
}

static void cm_route_resolved(struct kdapl_ep *ep, struct rdma_cm_id *id)
{
	struct rdma_conn_param param;
	bool pending;
	int ret;

	spin_lock_bh(&ep->lock);
	pending = kdapl_cm_pending(ep, id);
	spin_unlock_bh(&ep->lock);
	if (!pending)
		return;
	if (cm_ia(ep)->iwarp) {
		kdapl_cm_start_connector(ep, id);
		return;
	}

	kdapl_cm_connect_param(ep, &param);
	ret = rdma_connect_locked(id, &param);
	if (ret)
		kdapl_cm_failed(ep, id, ret);
}

static void cm_addr_resolved(struct kdapl_ep *ep, struct rdma_cm_id *id)
{
	/* Where the EP ended meanwhile this changes nothing. */
	if (rdma_resolve_route(id, CM_RESOLVE_MS))
		cm_unreachable(ep, id);
}

/* The peer accepted, and waits for us to say that we are ready. */
static void cm_response(struct kdapl_ep *ep, struct rdma_cm_id *id,
			const struct rdma_conn_param *answer)
{
	int ret;

	ret = kdapl_cm_settle_active(ep, id, answer);
	if (!ret)
		ret = kdapl_cm_qp_ready(ep, id);
	if (ret) {
		rdma_reject(id, NULL, 0, IB_CM_REJ_CONSUMER_DEFINED);
		kdapl_cm_failed(ep, id, ret);
		return;
	}

	/* On failure it rejects. */
	ret = rdma_accept(id, NULL);
	if (ret)
		kdapl_cm_failed(ep, id, ret);
	else if (!cm_up(ep, id, answer))
		rdma_disconnect(id);
}

static void cm_rejected(struct kdapl_ep *ep, struct rdma_cm_id *id,
			const struct rdma_conn_param *answer)
{
	const u8 *data = answer->private_data;
	u8 size = kdapl_cm_came(ep->obj.ia, data, answer->private_data_len);
	u32 event = DAT_CONNECTION_EVENT_NON_PEER_REJECTED;

	if (kdapl_cm_is_peer_reject(data, size)) {
		event = DAT_CONNECTION_EVENT_PEER_REJECTED;
		spin_lock_bh(&ep->lock);
		if (kdapl_cm_pending(ep, id))
			cm_keep_private_data(ep, data + KDAPL_REJECT_HEADER,
					     size - KDAPL_REJECT_HEADER);
		spin_unlock_bh(&ep->lock);
	}
	cm_end(ep, id, event, DAT_CONNECTION_EVENT_BROKEN);
}

/* ---- both sides -------------------------------------------------------- */

/*
 * The passive side's RTU, or the only answer there is on iWARP. An EP that is
 * up already hears nothing new; one that gave up takes the connection down.
 */
static void cm_established(struct kdapl_ep *ep, struct rdma_cm_id *id,
			   const struct rdma_conn_param *answer)
{
	bool known;
	int ret;

	spin_lock_bh(&ep->lock);
	known = ep->cm.id == id && ep->cm.up;
	spin_unlock_bh(&ep->lock);
	if (known)
		return;
	ret = kdapl_cm_settle_siw(ep, id, answer);
	if (ret)
		kdapl_cm_failed(ep, id, ret);
	if (ret || !cm_up(ep, id, answer))
		rdma_disconnect(id);
}

/*
 * Over InfiniBand who asks for an end has had our answer and said so, but ib_cm may
 * come to the one before the other: its messages are worked on by each processor in
 * an order of its own. An acceptor that still waits is up, then, and hears both.
 */
static void cm_disconnected(struct kdapl_ep *ep, struct rdma_cm_id *id)
{
	bool overtook;

	spin_lock_bh(&ep->lock);
	overtook = !cm_ia(ep)->iwarp &&
		   (ep->unanswered ||
		    (kdapl_cm_pending(ep, id) &&
		     ep->state == KDAPL_EP_COMPLETION_PENDING));
	spin_unlock_bh(&ep->lock);
	if (overtook)
		cm_up(ep, id, NULL);
	cm_end(ep, id, DAT_CONNECTION_EVENT_NON_PEER_REJECTED,
	       DAT_CONNECTION_EVENT_DISCONNECTED);
}

static int cm_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct kdapl_ep *ep = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		cm_addr_resolved(ep, id);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		cm_route_resolved(ep, id);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
		cm_unreachable(ep, id);
		break;
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		cm_response(ep, id, &event->param.conn);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (event->status)
			kdapl_cm_failed(ep, id, event->status);
		else
			cm_established(ep, id, &event->param.conn);
		break;
	case RDMA_CM_EVENT_UNREACHABLE:
		/*
		 * Once connected this only says that a neighbour's entry
		 * changed; the transport's own retries tell more. siw has brought
		 * the queue pair into its error state: it takes no new attempt.
		 */
		if (cm_is_siw(ep))
			cm_unreachable(ep, id);
		else
			cm_no_answer(ep, id);
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
		kdapl_cm_failed(ep, id, event->status);
		break;
	case RDMA_CM_EVENT_REJECTED:
		cm_rejected(ep, id, &event->param.conn);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		cm_disconnected(ep, id);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		/* The adapter's own removal destroys the id. */
		cm_end(ep, id, DAT_CONNECTION_EVENT_BROKEN,
		       DAT_CONNECTION_EVENT_BROKEN);
		break;
	default:
		break;
	}
	/* Never destroyed from here: kdapl_cm_destroy() does that. */
	return 0;
}

/* 0.08 ms: the default of 0 means 655 ms of waiting for a receive. */
static void cm_set_rnr_timer(struct rdma_cm_id *id)
{
	rdma_set_min_rnr_timer(id, IB_RNR_TIMER_000_08);
}

/* ---- an attempt to connect --------------------------------------------- */

/* The id leaves from this adapter, or fails; -ENOSPC: no port is left for it. */
static int cm_bind(struct kdapl_ep *ep, struct rdma_cm_id *id,
		   struct sockaddr_storage *remote)
{
	struct kdapl_ia *ia = cm_ia(ep);
	struct sockaddr_storage local;
	int ret;

	ret = kdapl_addr_source(ia, remote, &local);
	if (ret)
		return ret;
	ret = rdma_bind_addr(id, (struct sockaddr *)&local);
	/* The address was there a moment ago: what it lacks is a port. */
	if (ret == -EADDRNOTAVAIL)
		return -ENOSPC;
	if (ret)
		return ret;
	if (id->device != ia->dev || id->port_num != ia->port)
		return -EADDRNOTAVAIL;
	cm_set_rnr_timer(id);
	return 0;
}

/* @id is the EP's from now on. */
static void cm_resolve(struct kdapl_ep *ep, struct rdma_cm_id *id,
		       const struct sockaddr_storage *remote)
{
	if (!kdapl_addr_has_route(cm_ia(ep)->net, &id->route.addr.src_addr,
				  remote) ||
	    rdma_resolve_addr(id, NULL, (const struct sockaddr *)remote,
			      CM_RESOLVE_MS))
		cm_unreachable(ep, id);
}

static void cm_retry_work(struct work_struct *work)
{
	struct kdapl_ep *ep = container_of(to_delayed_work(work),
					   struct kdapl_ep, cm.retry);
	struct kdapl_cm *cm = &ep->cm;
	struct sockaddr_storage remote;
	struct rdma_cm_id *old, *id;
	bool again;
	int ret;

	/* The error that led here was its own, or came after it. */
	kdapl_cm_stop_connector(ep);
	spin_lock_bh(&ep->lock);
	old = cm->id;
	again = old && kdapl_cm_pending(ep, old);
	remote = cm->remote;
	spin_unlock_bh(&ep->lock);
	if (!again)
		return;

	id = rdma_create_id(cm_ia(ep)->net, cm_handler, ep, RDMA_PS_TCP,
			    IB_QPT_RC);
	if (IS_ERR(id)) {
		kdapl_cm_failed(ep, old, PTR_ERR(id));
		return;
	}
	ret = cm_bind(ep, id, &remote);
	if (ret) {
		rdma_destroy_id(id);
		/* Of the peer a lack of ports says nothing, and it passes. */
		if (ret != -ENOSPC || !cm_again(ep, old, CM_RETRY_DELAY))
			cm_unreachable(ep, old);
		return;
	}

	mutex_lock(&cm->mutex);
	spin_lock_bh(&ep->lock);
	again = kdapl_cm_pending(ep, old);
	if (again) {
		cm->id = id;
		cm->local = id->route.addr.src_addr;
	}
	spin_unlock_bh(&ep->lock);
	mutex_unlock(&cm->mutex);

	rdma_destroy_id(again ? old : id);
	if (again)
		cm_resolve(ep, id, &remote);
}

/*
 * Of an acceptance it comes twice: from the first time on its end need not wait for the
 * answer, the second time it is the end. One that is up has stopped it, or is about to.
 */
static void cm_accept_timeout(struct kdapl_ep *ep)
{
	struct kdapl_cm *cm = &ep->cm;

	lockdep_assert_held(&ep->lock);
	if (ep->state == KDAPL_EP_COMPLETION_PENDING && cm->id && !cm->up) {
		if (cm->overdue)
			kdapl_ep_end_locked(ep, DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR,
					    false);
		else
			queue_delayed_work(kdapl_workqueue, &cm->timeout, CM_ACCEPT_MAX);
		cm->overdue = true;
	}
	kdapl_ep_answered_locked(ep);
}

static void cm_timeout_work(struct work_struct *work)
{
	struct kdapl_ep *ep = container_of(to_delayed_work(work),
					   struct kdapl_ep, cm.timeout);

	spin_lock_bh(&ep->lock);
	if (ep->state == KDAPL_EP_ACTIVE_PENDING)
		kdapl_ep_end_locked(ep, DAT_CONNECTION_EVENT_TIMED_OUT, false);
	else
		cm_accept_timeout(ep);
	spin_unlock_bh(&ep->lock);
}

/* The EP's attempt is this one. Passive: with @id's addresses. */
static void cm_begin(struct kdapl_ep *ep, struct rdma_cm_id *id)
{
	struct kdapl_cm *cm = &ep->cm;

	lockdep_assert_held(&ep->lock);
	cm->id = id;
	cm->infinite = false;
	cm->up = false;
	cm->overdue = false;
	cm->local = id->route.addr.src_addr;
	cm->remote = id->route.addr.dst_addr;
	cm->conn_qual = 0;
	cm->request_size = 0;
	cm->private_data_size = 0;
}

struct rdma_cm_id *kdapl_cm_create_id(struct kdapl_ia *ia,
				      rdma_cm_event_handler handler,
				      void *context)
{
	if (ia->kernel)
		return rdma_create_id(ia->net, handler, context, RDMA_PS_TCP,
				      IB_QPT_RC);
	return rdma_create_user_id(handler, context, RDMA_PS_TCP, IB_QPT_RC);
}

static int cm_connect_check(struct kdapl_ep *ep,
			    const struct kdapl_ep_connect *arg,
			    struct sockaddr_storage *remote)
{
	u16 port = kdapl_conn_qual_to_port(arg->conn_qual);
	int ret;

	if (!kdapl_ia_may_bind(cm_ia(ep)))
		return -EACCES;
	/* siw makes its socket where the thread is that connects: in the first namespace. */
	if (cm_is_siw(ep) && !net_eq(cm_ia(ep)->net, &init_net))
		return -EADDRNOTAVAIL;
	if (!port)
		return -EINVAL;
	if (arg->private_data_size > kdapl_cm_max_private_data(cm_ia(ep), false))
		return -EMSGSIZE;
	ret = kdapl_addr_to_sockaddr(&arg->remote, remote);
	if (ret)
		return ret;
	kdapl_sockaddr_set_port(remote, port);
	return 0;
}

int kdapl_cm_connect(struct kdapl_ep *ep, const struct kdapl_ep_connect *arg)
{
	bool infinite = arg->timeout_us == KDAPL_TIMEOUT_INFINITE;
	struct kdapl_cm *cm = &ep->cm;
	struct sockaddr_storage remote;
	struct rdma_cm_id *id;
	int ret;

	ret = cm_connect_check(ep, arg, &remote);
	if (ret)
		return ret;
	id = kdapl_cm_create_id(cm_ia(ep), cm_handler, ep);
	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = cm_bind(ep, id, &remote);
	if (ret) {
		rdma_destroy_id(id);
		return ret == -ENODEV ? -EADDRNOTAVAIL : ret;
	}

	/* The timer may end the attempt before this returns. */
	mutex_lock(&cm->mutex);
	spin_lock_bh(&ep->lock);
	cm_begin(ep, id);
	cm->infinite = infinite;
	cm->remote = remote;
	cm->conn_qual = arg->conn_qual;
	cm->request_size = arg->private_data_size;
	memcpy(cm->request, arg->private_data, cm->request_size);
	if (!infinite)
		queue_delayed_work(kdapl_workqueue, &cm->timeout,
				   usecs_to_jiffies(arg->timeout_us));
	spin_unlock_bh(&ep->lock);
	cm_resolve(ep, id, &remote);
	mutex_unlock(&cm->mutex);
	return 0;
}

/* ---- accept ------------------------------------------------------------ */

void kdapl_cm_request(struct kdapl_ep *ep, const struct rdma_cm_id *id)
{
	spin_lock_bh(&ep->lock);
	ep->cm.local = id->route.addr.src_addr;
	ep->cm.remote = id->route.addr.dst_addr;
	spin_unlock_bh(&ep->lock);
}

/* The request's events are the EP's from now on. */
static void cm_adopt(struct kdapl_ep *ep, struct kdapl_cr *cr)
{
	struct rdma_cm_id *id = cr->id;

	id->context = ep;
	id->event_handler = cm_handler;
	cr->id = NULL;
	spin_lock_bh(&ep->lock);
	cm_begin(ep, id);
	/* Who ends it at once finds the acceptance on its way. */
	ep->unanswered = !cm_ia(ep)->iwarp;
	spin_unlock_bh(&ep->lock);
}

static int cm_accept(struct kdapl_ep *ep, struct rdma_cm_id *id,
		     const void *private_data, u8 size)
{
	struct rdma_conn_param param;
	int ret;

	if (!cm_ia(ep)->iwarp) {
		cm_set_rnr_timer(id);
		ret = kdapl_cm_qp_ready(ep, id);
		if (ret) {
			rdma_reject(id, NULL, 0, IB_CM_REJ_CONSUMER_DEFINED);
			return ret;
		}
	}
	kdapl_cm_conn_param(ep, &param, private_data, size);
	/* On failure it rejects. */
	ret = rdma_accept(id, &param);
	if (ret)
		return ret;
	/*
	 * The handler is locked out: nobody has heard anything yet. Over iWARP a peer that
	 * asked for MPA's peer-to-peer mode has to send something first.
	 */
	queue_delayed_work(kdapl_workqueue, &ep->cm.timeout, CM_ANSWER);
	kdapl_park_retry(ep);
	kdapl_cm_wake_siw(ep, id);
	return 0;
}

int kdapl_cm_accept(struct kdapl_ep *ep, struct kdapl_cr *cr,
		    const void *private_data, u8 size)
{
	struct rdma_cm_id *id = cr->id;
	int ret;

	/* The EP may end at once: the id stays until both are unlocked. */
	mutex_lock(&ep->cm.mutex);
	rdma_lock_handler(id);
	ret = cr->gone ? 0 : kdapl_cm_settle_passive(ep, &cr->request);
	if (!ret) {
		cm_adopt(ep, cr);
		if (cr->gone || cm_accept(ep, id, private_data, size))
			cm_end(ep, id, 0, 0);
	}
	rdma_unlock_handler(id);
	mutex_unlock(&ep->cm.mutex);
	return ret;
}

/* ---- the end ----------------------------------------------------------- */

void kdapl_cm_disconnect(struct kdapl_ep *ep)
{
	struct kdapl_cm *cm = &ep->cm;
	bool up;

	mutex_lock(&cm->mutex);
	spin_lock_bh(&ep->lock);
	up = cm->id && cm->up;
	spin_unlock_bh(&ep->lock);
	/* Also the answer to a peer that disconnected. */
	if (up)
		rdma_disconnect(cm->id);
	mutex_unlock(&cm->mutex);
	kdapl_cm_qp_stop(ep);

	/*
	 * What never came up is best taken back by destroying the id: that tells
	 * the peer in every state (of an acceptance: once it was answered, for which
	 * the end has waited). On iWARP it can wait for the peer, and is left to the
	 * reset or the freeing of the EP; what still comes up is taken down.
	 */
	kdapl_cm_stop_connector(ep);
	if (!up && !cm_ia(ep)->iwarp)
		kdapl_cm_destroy(ep);
}

void kdapl_cm_destroy(struct kdapl_ep *ep)
{
	struct kdapl_cm *cm = &ep->cm;
	struct rdma_cm_id *id;

	mutex_lock(&cm->mutex);
	spin_lock_bh(&ep->lock);
	id = cm->id;
	cm->id = NULL;
	spin_unlock_bh(&ep->lock);
	mutex_unlock(&cm->mutex);

	/* Without an id nobody queues these again. */
	cancel_delayed_work_sync(&cm->timeout);
	cancel_delayed_work_sync(&cm->retry);
	kdapl_cm_stop_connector(ep);
	if (id)
		rdma_destroy_id(id);
}

void kdapl_cm_notify(struct kdapl_ep *ep)
{
	struct kdapl_cm *cm = &ep->cm;

	mutex_lock(&cm->mutex);
	if (cm->id)
		rdma_notify(cm->id, IB_EVENT_COMM_EST);
	mutex_unlock(&cm->mutex);
}

/* A reset EP has nothing left of its last connection. */
static void cm_forget(struct kdapl_cm *cm)
{
	memset(&cm->local, 0, sizeof(cm->local));
	memset(&cm->remote, 0, sizeof(cm->remote));
	cm->conn_qual = 0;
	cm->private_data_size = 0;
}

void kdapl_cm_query(struct kdapl_ep *ep, struct kdapl_ep_query *arg)
{
	struct kdapl_cm *cm = &ep->cm;

	BUILD_BUG_ON(sizeof(arg->private_data) != sizeof(cm->private_data));
	spin_lock_bh(&ep->lock);
	if (ep->state == KDAPL_EP_UNCONNECTED)
		cm_forget(cm);
	kdapl_addr_from_sockaddr(&arg->local, &cm->local);
	kdapl_addr_from_sockaddr(&arg->remote, &cm->remote);
	arg->remote_conn_qual = cm->conn_qual;
	arg->private_data_size = cm->private_data_size;
	memset(arg->private_data, 0, sizeof(arg->private_data));
	memcpy(arg->private_data, cm->private_data, cm->private_data_size);
	spin_unlock_bh(&ep->lock);
}

void kdapl_cm_init(struct kdapl_ep *ep)
{
	struct kdapl_cm *cm = &ep->cm;

	mutex_init(&cm->mutex);
	mutex_init(&cm->qp_mutex);
	INIT_DELAYED_WORK(&cm->timeout, cm_timeout_work);
	INIT_DELAYED_WORK(&cm->retry, cm_retry_work);
}

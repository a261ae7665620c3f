// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One client: from its request to its end. */

#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "echo.h"

#define SEND_TAG	BIT_ULL(32)
/* Requests that a bind takes. */
#define BIND_DTOS	2
/* Longer messages are not for a softirq, which keeps everybody else waiting. */
#define UPCALL_SIZE	SZ_16K
/* Events of one client until it is the next one's turn. */
#define TURN		16

static uint memory_mb = 256;
module_param(memory_mb, uint, 0644);
MODULE_PARM_DESC(memory_mb, "megabytes that all clients together may use");

static bool rmr;
module_param(rmr, bool, 0444);
MODULE_PARM_DESC(rmr, "clients read and write by RMRs");

/* ---- buffers ------------------------------------------------------------- */

static int buffer_make(struct echo_buffer *buffer, u32 slots, u32 slot_size,
		       DAT_MEM_PRIV_FLAGS privileges)
{
	size_t size = (size_t)slots * slot_size;
	DAT_REGION_DESCRIPTION region;

	buffer->slots = slots;
	buffer->slot_size = slot_size;
	buffer->memory = kvzalloc(size, GFP_KERNEL);
	if (!buffer->memory)
		return -ENOMEM;
	region.for_va = buffer->memory;
	if (dat_lmr_kcreate(echo.ia, DAT_MEM_TYPE_VIRTUAL, region, size,
			    echo.pz, privileges, DAT_VA_TYPE_VA,
			    DAT_MEM_OPTIMIZE_DONT_CARE, &buffer->lmr,
			    &buffer->context, &buffer->rmr_context, NULL,
			    &buffer->address) != DAT_SUCCESS)
		return -EIO;
	return 0;
}

static void buffer_free(struct echo_buffer *buffer)
{
	if (buffer->lmr)
		dat_lmr_free(buffer->lmr);
	kvfree(buffer->memory);
}

static void *buffer_slot(const struct echo_buffer *buffer, u32 slot)
{
	return buffer->memory + (size_t)slot * buffer->slot_size;
}

/* Their number is no power of two: a counter would jump where it wraps. */
static u32 buffer_next(const struct echo_buffer *buffer, u32 slot)
{
	return slot + 1 == buffer->slots ? 0 : slot + 1;
}

static DAT_LMR_TRIPLET buffer_segment(const struct echo_buffer *buffer,
				      u32 slot, u32 size)
{
	return (DAT_LMR_TRIPLET){
		.virtual_address = (uintptr_t)buffer_slot(buffer, slot),
		.segment_length = size,
		.lmr_context = buffer->context,
	};
}

/* ---- messages ------------------------------------------------------------ */

static int post_recv(struct echo_session *session, u32 slot)
{
	DAT_LMR_TRIPLET segment = buffer_segment(&session->recvs, slot,
						 session->recvs.slot_size);
	DAT_DTO_COOKIE cookie = { .as_64 = slot };

	return dat_ep_post_recv(session->ep, 1, &segment, cookie,
				DAT_COMPLETION_DEFAULT_FLAG) == DAT_SUCCESS ?
	       0 : -EIO;
}

/* The next slot's first @size bytes. */
static int send_slot(struct echo_session *session, u32 size)
{
	u32 slot = session->sent;
	DAT_LMR_TRIPLET segment = buffer_segment(&session->sends, slot, size);
	DAT_DTO_COOKIE cookie = { .as_64 = SEND_TAG | slot };

	session->sent = buffer_next(&session->sends, slot);
	session->sends_free--;
	return dat_ep_post_send(session->ep, 1, &segment, cookie,
				DAT_COMPLETION_DEFAULT_FLAG) == DAT_SUCCESS ?
	       0 : -EIO;
}

static void *next_slot(struct echo_session *session)
{
	return buffer_slot(&session->sends, session->sent);
}

static int send_control(struct echo_session *session, u32 kind, u64 sequence,
			u64 address, u32 context)
{
	const struct echo_control control = {
		.kind = kind,
		.sequence = sequence,
		.address = address,
		.context = context,
	};

	echo_control_write(next_slot(session), &control);
	return send_slot(session, ECHO_CONTROL_SIZE);
}

static void look(struct echo_session *session, u64 sequence, const void *bytes)
{
	session->verified++;
	if (!echo_pattern_matches(ECHO_TO_SERVER, sequence, bytes,
				  session->hello.size))
		session->wrong++;
}

static int send_result(struct echo_session *session)
{
	return send_control(session, ECHO_RESULT, session->verified,
			    session->wrong, 0);
}

static int send_window(struct echo_session *session)
{
	const struct echo_buffer *data = &session->data;
	u32 slot = data->slots - session->windows--;

	return send_control(session, ECHO_WINDOW, slot,
			    data->address + (u64)slot * data->slot_size,
			    data->rmr_context);
}

/* Mode send: every message is answered by one of the same size. */
static int answer(struct echo_session *session, const void *bytes, u32 size)
{
	const struct echo_hello *hello = &session->hello;
	u64 sequence = session->sequence++;
	struct echo_control control;

	if (sequence == hello->count) {
		if (!echo_control_parse(&control, bytes, size) ||
		    control.kind != ECHO_FINISH)
			return -EPROTO;
		return send_result(session);
	}
	if (sequence > hello->count || size != hello->size)
		return -EPROTO;
	if (echo_verified(hello, sequence)) {
		look(session, sequence, bytes);
		echo_pattern_fill(ECHO_TO_CLIENT, sequence, next_slot(session),
				  size);
	}
	return send_slot(session, size);
}

/* Modes write and read: looks at what was written, fills what will be read. */
static int attend(struct echo_session *session, const void *bytes, u32 size)
{
	const struct echo_hello *hello = &session->hello;
	struct echo_control control;
	void *data;
	u32 slot;

	if (!echo_control_parse(&control, bytes, size))
		return -EPROTO;
	div_u64_rem(control.sequence, hello->depth, &slot);
	data = buffer_slot(&session->data, slot);
	if (control.kind == ECHO_BEGIN) {
		if (session->rmr)
			queue_work(echo.queue, &session->bind);
		else
			session->windows = hello->depth;
		return 0;
	}
	if (control.kind == ECHO_FINISH)
		return send_result(session);
	if (control.sequence >= hello->count)
		return -EPROTO;
	if (control.kind == ECHO_NOTIFY && hello->mode == ECHO_WRITE) {
		look(session, control.sequence, data);
		return send_control(session, ECHO_ACKNOWLEDGE,
				    control.sequence, 0, 0);
	}
	if (control.kind == ECHO_FILL && hello->mode == ECHO_READ) {
		echo_pattern_fill(ECHO_TO_CLIENT, control.sequence, data,
				  hello->size);
		return send_control(session, ECHO_READY, control.sequence, 0, 0);
	}
	return -EPROTO;
}

static int handle(struct echo_session *session)
{
	u32 at = session->todo_tail;
	u32 slot = session->todo[at];
	const void *bytes = buffer_slot(&session->recvs, slot);
	int ret;

	session->todo_tail = buffer_next(&session->recvs, at);
	session->todo_count--;
	ret = session->hello.mode == ECHO_SEND ?
	      answer(session, bytes, session->lengths[at]) :
	      attend(session, bytes, session->lengths[at]);
	return ret ?: post_recv(session, slot);
}

/* As far as there are slots for what it answers. */
static int go_on(struct echo_session *session)
{
	int ret = 0;

	while (!ret && session->sends_free) {
		if (session->windows)
			ret = send_window(session);
		else if (session->todo_count)
			ret = handle(session);
		else
			break;
	}
	return ret;
}

/* ---- events -------------------------------------------------------------- */

static void session_over(struct echo_session *session)
{
	if (READ_ONCE(session->ending))
		return;
	WRITE_ONCE(session->ending, true);
	queue_work(echo.queue, &session->end);
}

static int completed(struct echo_session *session,
		     const DAT_DTO_COMPLETION_EVENT_DATA *data)
{
	u32 at;

	/* The event that ends the connection says why. */
	if (data->status != DAT_DTO_SUCCESS)
		return 0;
	if (data->user_cookie.as_64 & SEND_TAG) {
		session->sends_free++;
	} else {
		at = session->todo_head;
		session->todo_head = buffer_next(&session->recvs, at);
		session->todo_count++;
		session->todo[at] = data->user_cookie.as_64;
		session->lengths[at] = data->transfered_length;
	}
	return go_on(session);
}

/* The client is told of the windows: they are open. */
static int bound(struct echo_session *session,
		 const DAT_RMR_BIND_COMPLETION_EVENT_DATA *data)
{
	DAT_RMR_PARAM param;

	if (data->status != DAT_RMR_BIND_SUCCESS)
		return 0;
	/* The call that bound it may not have returned yet. */
	if (dat_rmr_query(session->rmr, DAT_RMR_FIELD_RMR_CONTEXT, &param))
		return -EIO;
	session->data.rmr_context = param.rmr_context;
	session->windows = session->hello.depth;
	return go_on(session);
}

static void session_event(struct echo_session *session, const DAT_EVENT *event)
{
	if (READ_ONCE(session->ending))
		return;
	switch (event->event_number) {
	case DAT_DTO_COMPLETION_EVENT:
		if (completed(session,
			      &event->event_data.dto_completion_event_data))
			session_over(session);
		break;
	case DAT_RMR_BIND_COMPLETION_EVENT:
		if (bound(session,
			  &event->event_data.rmr_completion_event_data))
			session_over(session);
		break;
	case DAT_CONNECTION_EVENT_ESTABLISHED:
		break;
	default:
		session_over(session);
	}
}

/* The EVD's lock, between any two upcalls, orders them. */
static void session_upcall(DAT_PVOID instance, const DAT_EVENT *event,
			   DAT_BOOLEAN more)
{
	session_event(instance, event);
}

static void session_notice(DAT_PVOID instance, const DAT_EVENT *event,
			   DAT_BOOLEAN more)
{
	struct echo_session *session = instance;

	queue_work(echo.queue, &session->serve);
}

static void session_serve(struct work_struct *work)
{
	struct echo_session *session =
		container_of(work, struct echo_session, serve);
	DAT_EVENT event;
	int i;

	for (i = 0; i < TURN; i++) {
		if (dat_evd_dequeue(session->evd, &event) != DAT_SUCCESS)
			return;
		session_event(session, &event);
		cond_resched();
	}
	queue_work(echo.queue, work);
}

/* ---- life ---------------------------------------------------------------- */

/* A client must not take what others need: neither alone nor as many. */
static int session_charge(struct echo_session *session)
{
	u64 memory = echo_hello_memory(&session->hello);
	int ret = -ENOSPC;

	mutex_lock(&echo.lock);
	if (echo.memory + memory <= (u64)READ_ONCE(memory_mb) << 20) {
		echo.memory += memory;
		session->memory = memory;
		ret = 0;
	}
	mutex_unlock(&echo.lock);
	return ret;
}

static DAT_MEM_PRIV_FLAGS privileges_of(const struct echo_session *session)
{
	return session->hello.mode == ECHO_WRITE ? DAT_MEM_PRIV_WRITE_FLAG :
						   DAT_MEM_PRIV_READ_FLAG;
}

static int session_make_data(struct echo_session *session)
{
	const DAT_MEM_PRIV_FLAGS remote = DAT_MEM_PRIV_REMOTE_READ_FLAG |
					  DAT_MEM_PRIV_REMOTE_WRITE_FLAG;
	DAT_MEM_PRIV_FLAGS privileges = privileges_of(session);

	if (rmr) {
		if (dat_rmr_create(echo.pz, &session->rmr) != DAT_SUCCESS)
			return -EIO;
		privileges &= ~remote;
	}
	return buffer_make(&session->data, session->hello.depth,
			   session->hello.size, privileges);
}

/* Not in an upcall: it may sleep. */
static void session_bind(struct work_struct *work)
{
	struct echo_session *session =
		container_of(work, struct echo_session, bind);
	const struct echo_buffer *data = &session->data;
	const DAT_LMR_TRIPLET all = {
		.virtual_address = data->address,
		.segment_length = data->slots * data->slot_size,
		.lmr_context = data->context,
	};
	const DAT_RMR_COOKIE cookie = {};
	DAT_RMR_CONTEXT context;

	if (dat_rmr_bind(session->rmr, data->lmr, &all, privileges_of(session),
			 DAT_VA_TYPE_VA, session->ep, cookie,
			 DAT_COMPLETION_DEFAULT_FLAG, &context) != DAT_SUCCESS)
		session_over(session);
}

static int session_make_buffers(struct echo_session *session)
{
	const struct echo_hello *hello = &session->hello;
	u32 slots = echo_hello_slots(hello);
	u32 size = ECHO_CONTROL_SIZE;
	int ret;

	if (hello->mode == ECHO_SEND)
		size = max_t(u32, hello->size, size);
	session->todo = kvcalloc(slots, sizeof(u32), GFP_KERNEL);
	session->lengths = kvcalloc(slots, sizeof(u32), GFP_KERNEL);
	if (!session->todo || !session->lengths)
		return -ENOMEM;
	ret = buffer_make(&session->recvs, slots, size,
			  DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
	if (ret)
		return ret;
	ret = buffer_make(&session->sends, slots, size,
			  DAT_MEM_PRIV_LOCAL_READ_FLAG);
	if (ret || hello->mode == ECHO_SEND)
		return ret;
	return session_make_data(session);
}

static int session_make_ep(struct echo_session *session)
{
	bool at_once = session->hello.size <= UPCALL_SIZE;
	const DAT_UPCALL_OBJECT upcall = {
		.instance_data = session,
		.upcall_func = at_once ? session_upcall : session_notice,
	};
	const DAT_EP_ATTR attr = {
		.max_recv_dtos = session->recvs.slots,
		.max_request_dtos = session->sends.slots + BIND_DTOS,
		.max_recv_iov = 1,
		.max_request_iov = 1,
		.max_rdma_read_in = 16,
		.max_rdma_read_out = 16,
	};

	if (dat_evd_kcreate(echo.ia, 2 * session->recvs.slots + 5,
			    at_once ? DAT_UPCALL_SINGLE_INSTANCE :
				      DAT_UPCALL_NOTIFY, &upcall,
			    DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG |
			    DAT_EVD_RMR_BIND_FLAG, &session->evd) != DAT_SUCCESS)
		return -EIO;
	if (dat_ep_create(echo.ia, echo.pz, session->evd, session->evd,
			  session->evd, &attr, &session->ep) != DAT_SUCCESS)
		return -EIO;
	return 0;
}

static int session_make(struct echo_session *session)
{
	u32 slot;
	int ret;

	ret = session_make_buffers(session);
	if (!ret)
		ret = session_make_ep(session);
	for (slot = 0; !ret && slot < session->recvs.slots; slot++)
		ret = post_recv(session, slot);
	if (ret)
		return ret;
	session->sends_free = session->sends.slots;
	if (session->hello.mode == ECHO_READ)
		for (slot = 0; slot < session->hello.depth; slot++)
			echo_pattern_fill(ECHO_TO_CLIENT, slot,
					  buffer_slot(&session->data, slot),
					  session->hello.size);
	return 0;
}

static int session_accept(struct echo_session *session)
{
	DAT_CR_PARAM param;
	int ret;

	if (dat_cr_query(session->cr, DAT_CR_FIELD_PRIVATE_DATA, &param))
		return -EIO;
	if (!echo_hello_parse(&session->hello, param.private_data,
			      param.private_data_size))
		return -EPROTO;
	ret = session_charge(session);
	if (!ret)
		ret = session_make(session);
	if (ret)
		return ret;
	if (dat_cr_accept(session->cr, session->ep, 0, NULL) != DAT_SUCCESS)
		return -EIO;
	session->cr = NULL;
	return 0;
}

static void session_start(struct work_struct *work)
{
	struct echo_session *session =
		container_of(work, struct echo_session, start);
	int ret;

	mutex_lock(&echo.lock);
	list_add(&session->list, &echo.sessions);
	mutex_unlock(&echo.lock);
	ret = session_accept(session);
	if (!ret)
		return;
	pr_warn_ratelimited("kdapl_echo: a client was refused: %d\n", ret);
	echo_session_free(session);
}

void echo_session_free(struct echo_session *session)
{
	mutex_lock(&echo.lock);
	list_del(&session->list);
	mutex_unlock(&echo.lock);
	if (session->cr)
		dat_cr_reject(session->cr, 0, NULL);
	/* First no upcall runs: it posts on the EP. */
	if (session->evd)
		dat_evd_modify_upcall(session->evd, DAT_UPCALL_TEARDOWN,
				      DAT_UPCALL_SAME, DAT_UPCALL_INVOC_NEW);
	/* An upcall may have ended a session that could not start, or began to bind. */
	cancel_work(&session->end);
	cancel_work(&session->bind);
	cancel_work(&session->serve);
	/* In this order: nothing is freed that another one uses. */
	if (session->ep)
		dat_ep_free(session->ep);
	if (session->evd)
		dat_evd_free(session->evd);
	if (session->rmr)
		dat_rmr_free(session->rmr);
	buffer_free(&session->recvs);
	buffer_free(&session->sends);
	buffer_free(&session->data);
	kvfree(session->todo);
	kvfree(session->lengths);
	mutex_lock(&echo.lock);
	echo.memory -= session->memory;
	mutex_unlock(&echo.lock);
	kfree(session);
}

static void session_end(struct work_struct *work)
{
	struct echo_session *session =
		container_of(work, struct echo_session, end);

	pr_info_ratelimited("kdapl_echo: a client is done: %llu messages verified, %llu wrong\n",
			    session->verified, session->wrong);
	echo_session_free(session);
}

void echo_session_ask(DAT_CR_HANDLE cr)
{
	struct echo_session *session;

	/* Without memory the request stays until the IA is closed. */
	session = kzalloc(sizeof(*session), GFP_ATOMIC);
	if (!session)
		return;
	INIT_WORK(&session->start, session_start);
	INIT_WORK(&session->end, session_end);
	INIT_WORK(&session->bind, session_bind);
	INIT_WORK(&session->serve, session_serve);
	session->cr = cr;
	queue_work(echo.queue, &session->start);
}

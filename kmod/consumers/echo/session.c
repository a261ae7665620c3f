// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One client: from its request to its end.
 *
 * Upcalls only queue the client's work, which alone uses its session. It may sleep, and
 * takes no message before there is room for what answers it.
 */

#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "echo.h"

#define SEND_TAG	BIT_ULL(32)
/* Requests that a bind takes. */
#define BIND_DTOS	2
/* What is done for one client until it is the next one's turn. */
#define TURN		16

static uint memory_mb = 256;
module_param(memory_mb, uint, 0644);
MODULE_PARM_DESC(memory_mb, "megabytes that all clients together may use");

static bool rmr;
module_param(rmr, bool, 0444);
MODULE_PARM_DESC(rmr, "clients read and write by RMRs");

static int done(DAT_RETURN ret)
{
	return ret == DAT_SUCCESS ? 0 : -EIO;
}

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
	return done(dat_lmr_kcreate(echo.ia, DAT_MEM_TYPE_VIRTUAL, region, size,
				    echo.pz, privileges, DAT_VA_TYPE_VA,
				    DAT_MEM_OPTIMIZE_DONT_CARE, &buffer->lmr,
				    &buffer->context, &buffer->rmr_context,
				    NULL, &buffer->address));
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

	return done(dat_ep_post_recv(session->ep, 1, &segment, cookie,
				     DAT_COMPLETION_DEFAULT_FLAG));
}

static void *next_slot(struct echo_session *session)
{
	return buffer_slot(&session->sends, session->sent);
}

/* The next slot's first @size bytes. */
static int send_slot(struct echo_session *session, u32 size)
{
	u32 slot = session->sent;
	DAT_LMR_TRIPLET segment = buffer_segment(&session->sends, slot, size);
	DAT_DTO_COOKIE cookie = { .as_64 = SEND_TAG | slot };

	session->sent = (slot + 1) % session->sends.slots;
	session->sends_free--;
	return done(dat_ep_post_send(session->ep, 1, &segment, cookie,
				     DAT_COMPLETION_DEFAULT_FLAG));
}

static int send_control(struct echo_session *session, u32 kind, u64 sequence,
			u64 address, u32 context)
{
	struct datping_control *control = next_slot(session);

	*control = (struct datping_control){
		.magic = cpu_to_be32(DATPING_CONTROL_MAGIC),
		.kind = cpu_to_be32(kind),
		.sequence = cpu_to_be64(sequence),
		.address = cpu_to_be64(address),
		.context = cpu_to_be32(context),
	};
	return send_slot(session, sizeof(*control));
}

static void look(struct echo_session *session, u64 sequence, const void *bytes)
{
	session->verified++;
	session->wrong += !echo_matches(sequence, bytes, session->hello.size);
}

static int send_result(struct echo_session *session)
{
	return send_control(session, DATPING_RESULT, session->verified,
			    session->wrong, 0);
}

/* Where the client may read or write. It has asked for nothing else yet: there is room. */
static int send_windows(struct echo_session *session)
{
	const struct echo_buffer *data = &session->data;
	int ret = 0;
	u32 slot;

	if (session->sends_free < data->slots)
		return -EPROTO;
	for (slot = 0; !ret && slot < data->slots; slot++)
		ret = send_control(session, DATPING_WINDOW, slot,
				   data->address + (u64)slot * data->slot_size,
				   data->rmr_context);
	return ret;
}

static DAT_MEM_PRIV_FLAGS privileges_of(const struct echo_session *session)
{
	return session->hello.mode == DATPING_WRITE ? DAT_MEM_PRIV_WRITE_FLAG :
						      DAT_MEM_PRIV_READ_FLAG;
}

/* The client is told of the windows once they are bound. */
static int bind(struct echo_session *session)
{
	struct echo_buffer *data = &session->data;
	const DAT_LMR_TRIPLET all = {
		.virtual_address = data->address,
		.segment_length = data->slots * data->slot_size,
		.lmr_context = data->context,
	};
	const DAT_RMR_COOKIE cookie = {};

	return done(dat_rmr_bind(session->rmr, data->lmr, &all,
				 privileges_of(session), DAT_VA_TYPE_VA,
				 session->ep, cookie,
				 DAT_COMPLETION_DEFAULT_FLAG,
				 &data->rmr_context));
}

static u32 kind_of(const struct datping_control *control, u64 size)
{
	if (size != sizeof(*control) ||
	    be32_to_cpu(control->magic) != DATPING_CONTROL_MAGIC)
		return 0;
	return be32_to_cpu(control->kind);
}

/* Mode send: every message is answered by one of the same size. */
static int answer(struct echo_session *session, const void *bytes, u64 size)
{
	const struct echo_hello *hello = &session->hello;
	u64 sequence = session->sequence++;

	if (sequence == hello->count && kind_of(bytes, size) == DATPING_FINISH)
		return send_result(session);
	if (sequence >= hello->count || size != hello->size)
		return -EPROTO;
	if (echo_verified(hello, sequence)) {
		look(session, sequence, bytes);
		echo_fill(sequence, next_slot(session), size);
	}
	return send_slot(session, size);
}

/* Modes write and read: looks at what was written, fills what will be read. */
static int attend(struct echo_session *session, const void *bytes, u64 size)
{
	const struct echo_hello *hello = &session->hello;
	const struct datping_control *control = bytes;
	u32 kind = kind_of(control, size);
	bool begins = kind == DATPING_BEGIN;
	u64 sequence;
	void *data;
	u32 slot;

	/* First of all, and once. */
	if (begins == !!session->sequence++)
		return -EPROTO;
	if (begins)
		return session->rmr ? bind(session) : send_windows(session);
	if (kind == DATPING_FINISH)
		return send_result(session);
	if (kind != (hello->mode == DATPING_WRITE ? DATPING_NOTIFY : DATPING_FILL))
		return -EPROTO;
	sequence = be64_to_cpu(control->sequence);
	if (sequence >= hello->count)
		return -EPROTO;
	div_u64_rem(sequence, hello->depth, &slot);
	data = buffer_slot(&session->data, slot);
	if (kind == DATPING_NOTIFY) {
		look(session, sequence, data);
		return send_control(session, DATPING_ACKNOWLEDGE, sequence, 0, 0);
	}
	echo_fill(sequence, data, hello->size);
	return send_control(session, DATPING_READY, sequence, 0, 0);
}

/* ---- events -------------------------------------------------------------- */

static int received(struct echo_session *session,
		    const DAT_DTO_COMPLETION_EVENT_DATA *data)
{
	u32 slot = data->user_cookie.as_64;
	const void *bytes = buffer_slot(&session->recvs, slot);
	int ret;

	/* The event that ends the connection says why. */
	if (data->status != DAT_DTO_SUCCESS)
		return 0;
	ret = session->hello.mode == DATPING_SEND ?
	      answer(session, bytes, data->transfered_length) :
	      attend(session, bytes, data->transfered_length);
	return ret ?: post_recv(session, slot);
}

static int happened(struct echo_session *session, const DAT_EVENT *event)
{
	const DAT_EVENT_DATA *data = &event->event_data;

	switch (event->event_number) {
	case DAT_DTO_COMPLETION_EVENT:
		session->sends_free +=
			data->dto_completion_event_data.status == DAT_DTO_SUCCESS;
		return 0;
	case DAT_RMR_BIND_COMPLETION_EVENT:
		if (data->rmr_completion_event_data.status != DAT_RMR_BIND_SUCCESS)
			return 0;
		return send_windows(session);
	case DAT_CONNECTION_EVENT_ESTABLISHED:
		return 0;
	default:
		return -ECONNRESET;
	}
}

/* DAT_UPCALL_NOTIFY: there is no event, the work dequeues them. */
static void session_upcall(DAT_PVOID instance, const DAT_EVENT *event,
			   DAT_BOOLEAN more)
{
	struct echo_session *session = instance;

	queue_work(echo.queue, &session->serve);
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

static int session_make_data(struct echo_session *session)
{
	const DAT_MEM_PRIV_FLAGS remote = DAT_MEM_PRIV_REMOTE_READ_FLAG |
					  DAT_MEM_PRIV_REMOTE_WRITE_FLAG;
	DAT_MEM_PRIV_FLAGS privileges = privileges_of(session);
	const struct echo_hello *hello = &session->hello;
	u32 slot;
	int ret;

	if (rmr) {
		if (dat_rmr_create(echo.pz, &session->rmr) != DAT_SUCCESS)
			return -EIO;
		privileges &= ~remote;
	}
	ret = buffer_make(&session->data, hello->depth, hello->size, privileges);
	if (ret || hello->mode != DATPING_READ)
		return ret;
	for (slot = 0; slot < hello->depth; slot++)
		echo_fill(slot, buffer_slot(&session->data, slot), hello->size);
	return 0;
}

static int session_make_buffers(struct echo_session *session)
{
	const struct echo_hello *hello = &session->hello;
	u32 slots = echo_hello_slots(hello);
	u32 size = sizeof(struct datping_control);
	int ret;

	if (hello->mode == DATPING_SEND)
		size = max(hello->size, size);
	ret = buffer_make(&session->recvs, slots, size,
			  DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
	if (!ret)
		ret = buffer_make(&session->sends, slots, size,
				  DAT_MEM_PRIV_LOCAL_READ_FLAG);
	session->sends_free = slots;
	if (ret || hello->mode == DATPING_SEND)
		return ret;
	return session_make_data(session);
}

static int session_make_evd(struct echo_session *session, DAT_COUNT events,
			    DAT_EVD_FLAGS flags, DAT_EVD_HANDLE *evd)
{
	const DAT_UPCALL_OBJECT upcall = { session, session_upcall };

	return done(dat_evd_kcreate(echo.ia, events, DAT_UPCALL_NOTIFY, &upcall,
				    flags, evd));
}

static int session_make_ep(struct echo_session *session)
{
	u32 slots = session->recvs.slots, slot;
	const DAT_EP_ATTR attr = {
		.max_recv_dtos = slots,
		.max_request_dtos = slots + BIND_DTOS,
		.max_recv_iov = 1,
		.max_request_iov = 1,
		.max_rdma_read_in = 16,
		.max_rdma_read_out = 16,
	};
	int ret;

	ret = session_make_evd(session, slots + 5,
			       DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG |
			       DAT_EVD_RMR_BIND_FLAG, &session->evd);
	if (!ret)
		ret = session_make_evd(session, slots, DAT_EVD_DTO_FLAG,
				       &session->recv_evd);
	if (!ret)
		ret = done(dat_ep_create(echo.ia, echo.pz, session->recv_evd,
					 session->evd, session->evd, &attr,
					 &session->ep));
	for (slot = 0; !ret && slot < slots; slot++)
		ret = post_recv(session, slot);
	return ret;
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
		ret = session_make_buffers(session);
	if (!ret)
		ret = session_make_ep(session);
	if (!ret)
		ret = done(dat_cr_accept(session->cr, session->ep, 0, NULL));
	if (!ret)
		session->cr = NULL;
	return ret;
}

/* In this order: first no upcall runs, then nothing goes that another one uses. */
static void session_unmake(struct echo_session *session)
{
	echo_teardown(session->evd);
	echo_teardown(session->recv_evd);
	if (session->cr)
		dat_cr_reject(session->cr, 0, NULL);
	if (session->ep)
		dat_ep_free(session->ep);
	if (session->evd)
		dat_evd_free(session->evd);
	if (session->recv_evd)
		dat_evd_free(session->recv_evd);
	if (session->rmr)
		dat_rmr_free(session->rmr);
	buffer_free(&session->recvs);
	buffer_free(&session->sends);
	buffer_free(&session->data);
}

static void session_free(struct echo_session *session)
{
	session_unmake(session);
	mutex_lock(&echo.lock);
	echo.memory -= session->memory;
	list_del(&session->list);
	if (list_empty(&echo.sessions))
		wake_up(&echo.idle);
	mutex_unlock(&echo.lock);
	/* Now nobody can queue it any more. */
	cancel_work(&session->serve);
	kfree(session);
}

/* One thing to do. -EAGAIN: there is none now. */
static int session_step(struct echo_session *session)
{
	DAT_EVENT event;

	if (READ_ONCE(echo.ending))
		return -ESHUTDOWN;
	if (session->cr)
		return session_accept(session);
	if (dat_evd_dequeue(session->evd, &event) == DAT_SUCCESS)
		return happened(session, &event);
	if (session->sends_free &&
	    dat_evd_dequeue(session->recv_evd, &event) == DAT_SUCCESS)
		return received(session,
				&event.event_data.dto_completion_event_data);
	return -EAGAIN;
}

static void session_serve(struct work_struct *work)
{
	struct echo_session *session =
		container_of(work, struct echo_session, serve);
	int i, ret = 0;

	for (i = 0; !ret && i < TURN; i++) {
		ret = session_step(session);
		cond_resched();
	}
	if (!ret)
		queue_work(echo.queue, work);
	if (!ret || ret == -EAGAIN)
		return;
	if (session->cr)
		pr_warn_ratelimited("kdapl_echo: a client was refused: %d\n", ret);
	else
		pr_info_ratelimited("kdapl_echo: a client is done: %llu messages verified, %llu wrong\n",
				    session->verified, session->wrong);
	session_free(session);
}

void echo_session_begin(DAT_CR_HANDLE cr)
{
	struct echo_session *session = kzalloc(sizeof(*session), GFP_KERNEL);

	if (!session) {
		dat_cr_reject(cr, 0, NULL);
		return;
	}
	INIT_WORK(&session->serve, session_serve);
	session->cr = cr;
	mutex_lock(&echo.lock);
	list_add(&session->list, &echo.sessions);
	mutex_unlock(&echo.lock);
	queue_work(echo.queue, &session->serve);
}

void echo_sessions_end(void)
{
	struct echo_session *session;

	mutex_lock(&echo.lock);
	WRITE_ONCE(echo.ending, true);
	list_for_each_entry(session, &echo.sessions, list)
		queue_work(echo.queue, &session->serve);
	mutex_unlock(&echo.lock);
	wait_event(echo.idle, list_empty_careful(&echo.sessions));
}

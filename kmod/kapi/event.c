// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The core's events as the API has them. */

#include "kapi.h"

/*
 * Handles that are gone are NULL in events. The caller has softirqs off: what is looked
 * up stays meanwhile.
 */

/* A receive came from the SRQ with this word, if it came from one. */
static void srq_reaped(u32 word)
{
	struct kapi_obj *obj;

	obj = word ? kapi_live(word, DAT_HANDLE_TYPE_SRQ) : NULL;
	if (obj)
		atomic_inc(&container_of(obj, struct kapi_srq, obj)->reaped);
}

static struct kapi_cr *cr_of(struct kdapl_ia *ia, const struct kdapl_event *event)
{
	struct kdapl_obj *core;
	struct kapi_obj *obj;

	core = kdapl_obj_peek(ia, lower_32_bits(event->length), KDAPL_OBJ_CR);
	obj = core ? kapi_live(core->user, DAT_HANDLE_TYPE_CR) : NULL;
	return obj ? container_of(obj, struct kapi_cr, obj) : NULL;
}

/* Nobody has its handle, which can go when the request went. */
static void cr_unread(struct kdapl_evd *evd, const struct kdapl_event *event)
{
	struct kapi_cr *kcr = cr_of(evd->obj.ia, event);
	struct kapi_evd *kevd = (void *)(uintptr_t)evd->obj.user;

	if (!kcr)
		return;
	kcr->next_lost = kevd->lost;
	kevd->lost = kcr;
}

void kapi_event_unread(struct kdapl_evd *evd, const struct kdapl_event *event)
{
	rcu_read_lock();
	if (event->type == DAT_DTO_COMPLETION_EVENT)
		srq_reaped(upper_32_bits(event->length));
	else if (kdapl_event_is_request(event))
		cr_unread(evd, event);
	rcu_read_unlock();
}

static void event_dto(const struct kdapl_event *from, DAT_EVENT_DATA *data,
		      struct kapi_hint *hint)
{
	DAT_DTOS operation = KDAPL_DTO_OPERATION(from->status);
	u32 ep = KDAPL_DTO_USER(from->user);

	srq_reaped(upper_32_bits(from->length));
	data->dto_completion_event_data = (struct dat_dto_completion_event_data){
		.ep_handle = hint ?
			     kapi_live_hint(ep, DAT_HANDLE_TYPE_EP, hint) :
			     kapi_live(ep, DAT_HANDLE_TYPE_EP),
		.user_cookie.as_64 = from->cookie,
		.status = KDAPL_DTO_STATUS(from->status),
		.transfered_length = lower_32_bits(from->length),
		.operation = operation,
		.rmr_context = operation == DAT_DTO_RECEIVE_WITH_INVALIDATE ?
			       KDAPL_DTO_KEY(from->user) : 0,
	};
}

static void event_bind(const struct kdapl_event *from, DAT_EVENT_DATA *data)
{
	data->rmr_completion_event_data = (struct dat_rmr_bind_completion_event_data){
		.rmr_handle = kapi_live(from->user, DAT_HANDLE_TYPE_RMR),
		.user_cookie.as_64 = from->cookie,
		.status = from->status,
	};
}

/* False when the request is gone, with its IA's end. */
static bool event_cr(struct kapi_ia *ia, const struct kdapl_event *from,
		     DAT_EVENT_DATA *data)
{
	struct kapi_cr *kcr = cr_of(ia->core, from);
	struct kapi_obj *sp;

	if (!kcr)
		return false;
	sp = kapi_live(from->user, DAT_HANDLE_TYPE_PSP) ?:
	     kapi_live(from->user, DAT_HANDLE_TYPE_RSP) ?:
	     kapi_live(from->user, DAT_HANDLE_TYPE_CSP);
	data->cr_arrival_event_data = (struct dat_cr_arrival_event_data){
		.sp_handle.psp_handle = sp,
		.local_ia_address_ptr = (void *)&kcr->local,
		.conn_qual = from->cookie,
		.cr_handle = kcr,
	};
	return true;
}

/* What came with it is where the EP keeps it. */
static void event_connection(const struct kdapl_event *from,
			     DAT_EVENT_DATA *data)
{
	struct kapi_obj *obj = kapi_live(from->user, DAT_HANDLE_TYPE_EP);

	data->connect_event_data = (struct dat_connection_event_data){
		.ep_handle = obj,
	};
	if (obj && obj->core && from->length) {
		data->connect_event_data.private_data_size = from->length;
		data->connect_event_data.private_data =
			to_ep(obj->core)->cm.private_data;
	}
}

static void event_async(const struct kdapl_event *from, DAT_EVENT_DATA *data)
{
	data->asynch_error_event_data = (struct dat_asynch_error_event_data){
		.dat_handle = kapi_live(from->user, DAT_HANDLE_TYPE_IA) ?:
			      kapi_live(from->user, DAT_HANDLE_TYPE_EP) ?:
			      kapi_live(from->user, DAT_HANDLE_TYPE_SRQ),
		.reason = from->status,
	};
}

bool kapi_event(struct kapi_evd *kevd, const struct kdapl_event *from,
		DAT_EVENT *event, struct kapi_hint *hint)
{
	struct kapi_ia *ia = kevd->obj.ia;
	DAT_EVENT_DATA *data = &event->event_data;

	event->event_number = from->type;
	event->evd_handle = kevd;
	switch (from->type) {
	case DAT_DTO_COMPLETION_EVENT:
		event_dto(from, data, hint);
		break;
	case DAT_RMR_BIND_COMPLETION_EVENT:
		event_bind(from, data);
		break;
	case DAT_CONNECTION_REQUEST_EVENT:
		return event_cr(ia, from, data);
	case DAT_SOFTWARE_EVENT:
		data->software_event_data.pointer =
			(void *)(uintptr_t)from->cookie;
		break;
	case DAT_ASYNC_ERROR_EVD_OVERFLOW:
	case DAT_ASYNC_ERROR_IA_CATASTROPHIC:
	case DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR:
		event_async(from, data);
		break;
	default:
		event_connection(from, data);
	}
	return true;
}

u32 kapi_evd_next(struct kapi_evd *kevd, DAT_EVENT *event,
		  struct kapi_hint *hint)
{
	struct kdapl_event from;
	bool found = false;
	u32 n;

	do {
		n = kdapl_evd_take(kevd->evd, &from);
		if (!n)
			break;
		found = kapi_event(kevd, &from, event, hint);
	} while (!found);
	return n;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a test begins with, and how it ends. */

#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "loop.h"

struct loop loop;

bool loop_check(bool good, const char *what, const char *where, int line)
{
	if (!good && loop_fine())
		snprintf(loop.why, sizeof(loop.why), "%s:%d: not so: %s", where,
			 line, what);
	return good;
}

bool loop_returned(DAT_RETURN ret, DAT_RETURN type, const char *what,
		   const char *where, int line)
{
	const char *major = "?", *minor = "?";

	if (DAT_GET_TYPE(ret) == type)
		return true;
	dat_strerror(ret, &major, &minor);
	if (loop_fine())
		snprintf(loop.why, sizeof(loop.why), "%s:%d: %s %s (%#x): %s",
			 where, line, major, minor, ret, what);
	return false;
}

/* The events stay queued: a test takes them. */
static void wake(DAT_PVOID instance, const DAT_EVENT *event, DAT_BOOLEAN more)
{
	wake_up(&loop.arrived);
}

static const DAT_UPCALL_OBJECT waker = { NULL, wake };

DAT_EVD_HANDLE loop_evd(DAT_EVD_FLAGS flags)
{
	DAT_EVD_HANDLE evd = NULL;

	WORKS(dat_evd_kcreate(loop.ia, 64, DAT_UPCALL_NOTIFY, &waker, flags,
			      &evd));
	return evd;
}

/* ---- for all tests ------------------------------------------------------- */

void loop_open(char *name)
{
	init_waitqueue_head(&loop.arrived);
	loop.name = name;
	WORKS(dat_ia_open(name, 64, &loop.async, &loop.ia));
	WORKS(dat_evd_modify_upcall(loop.async, DAT_UPCALL_NOTIFY, &waker,
				    DAT_UPCALL_INVOC_ANY));
	loop.crs = loop_evd(DAT_EVD_CR_FLAG);
	WORKS(dat_psp_create(loop.ia, port, loop.crs, DAT_PSP_CONSUMER_FLAG,
			     &loop.psp));
}

/* Each test has freed what it made: nothing is left but the IA's own EVD. */
void loop_close(void)
{
	if (loop.psp)
		dat_psp_free(loop.psp);
	if (loop.crs)
		dat_evd_free(loop.crs);
	if (loop.ia)
		dat_ia_close(loop.ia, DAT_CLOSE_ABRUPT_FLAG);
}

/* ---- ends ---------------------------------------------------------------- */

/*
 * Memory of vmalloc() is registered page by page, which takes a connection over rxe: too
 * long for each time where that is not what the test is about.
 */
static void own_make(struct loop_end *end)
{
	DAT_REGION_DESCRIPTION region = {};

	end->own = loop_spares() ? kzalloc(OWN_SIZE, GFP_KERNEL) :
				   vzalloc(OWN_SIZE);
	region.for_va = end->own;
	if (!EXPECT(end->own))
		return;
	WORKS(dat_lmr_kcreate(loop.ia, DAT_MEM_TYPE_VIRTUAL, region, OWN_SIZE,
			      loop.pz,
			      DAT_MEM_PRIV_LOCAL_READ_FLAG |
			      DAT_MEM_PRIV_LOCAL_WRITE_FLAG,
			      DAT_VA_TYPE_VA, DAT_MEM_OPTIMIZE_DONT_CARE,
			      &end->lmr, &end->context, NULL, NULL, NULL));
}

void loop_make_rest(struct loop_end *end)
{
	unsigned int left = loop_spare();

	own_make(end);
	end->recv = loop_evd(DAT_EVD_DTO_FLAG);
	end->request = loop_evd(DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG);
	end->connect = loop_evd(DAT_EVD_CONNECTION_FLAG);
	loop_spare_no_more(left);
}

void loop_make(struct loop_end *end, bool srq)
{
	const DAT_EP_ATTR attr = {
		.max_recv_dtos = 16,
		.max_request_dtos = 16,
		.max_recv_iov = 1,
		.max_request_iov = 1,
		.max_rdma_read_in = 4,
		.max_rdma_read_out = 4,
	};
	unsigned int left = loop_spare();

	end->srq = srq;
	loop_make_rest(end);
	if (srq)
		WORKS(dat_ep_create_with_srq(loop.ia, loop.pz, end->recv,
					     end->request, end->connect,
					     loop.srq, &attr, &end->ep));
	else
		WORKS(dat_ep_create(loop.ia, loop.pz, end->recv, end->request,
				    end->connect, &attr, &end->ep));
	loop_spare_no_more(left);
}

static void end_free(struct loop_end *end)
{
	if (end->ep)
		FREES(dat_ep_free(end->ep));
	if (end->recv)
		FREES(dat_evd_free(end->recv));
	if (end->request)
		FREES(dat_evd_free(end->request));
	if (end->connect)
		FREES(dat_evd_free(end->connect));
	if (end->lmr)
		FREES(dat_lmr_free(end->lmr));
	kvfree(end->own);
	*end = (struct loop_end){};
}

void loop_ask(struct loop_end *from, u16 at)
{
	WORKS(dat_ep_connect(from->ep, (void *)&loop.address, at,
			     LOOP_TIMEOUT_US, 0, NULL, DAT_QOS_BEST_EFFORT,
			     DAT_CONNECT_DEFAULT_FLAG));
}

DAT_CR_HANDLE loop_request(DAT_HANDLE sp, u16 at)
{
	const DAT_CR_ARRIVAL_EVENT_DATA *data;
	DAT_EVENT event = {};

	loop_event(loop.crs, &event);
	data = &event.event_data.cr_arrival_event_data;
	EXPECT(event.event_number == DAT_CONNECTION_REQUEST_EVENT);
	EXPECT(data->sp_handle.psp_handle == sp);
	EXPECT(data->conn_qual == at);
	return data->cr_handle;
}

bool loop_accept(DAT_CR_HANDLE cr, DAT_EP_HANDLE ep)
{
	if (WORKS(dat_cr_accept(cr, ep, 0, NULL)))
		return true;
	if (cr)
		FREES(dat_cr_reject(cr, 0, NULL));
	return false;
}

void loop_is_up(struct loop_end *end)
{
	DAT_EVENT event = {};

	loop_event(end->connect, &event);
	EXPECT(event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED);
	EXPECT(event.event_data.connect_event_data.ep_handle == end->ep);
}

void loop_established(struct loop_end *from, struct loop_end *to)
{
	loop_is_up(from);
	loop_is_up(to);
	loop_message(from, to, 1);
}

void loop_connect(struct loop_end *from, struct loop_end *to)
{
	unsigned int left = loop_spare();

	loop_ask(from, port);
	loop_accept(loop_request(loop.psp, port), to->ep);
	loop_established(from, to);
	loop_spare_no_more(left);
}

void loop_pair(void)
{
	loop_make(&loop.a, false);
	loop_make(&loop.b, false);
	loop_connect(&loop.a, &loop.b);
}

/* ---- for each test ------------------------------------------------------- */

void loop_begin(void)
{
	loop.why[0] = 0;
	loop.skip = NULL;
	memset(loop.room, 0, ROOM_SIZE);
	WORKS(dat_pz_create(loop.ia, &loop.pz));
}

/* What was not asked for is a fault, too. */
static void expect_quiet(DAT_EVD_HANDLE evd)
{
	DAT_EVENT event;

	while (dat_evd_dequeue(evd, &event) == DAT_SUCCESS)
		EXPECT(!event.event_number);
}

void loop_free_ends(void)
{
	end_free(&loop.a);
	end_free(&loop.b);
	end_free(&loop.c);
	end_free(&loop.d);
}

void loop_free_lmrs(void)
{
	if (loop.rmr)
		FREES(dat_rmr_free(loop.rmr));
	if (loop.lmr)
		FREES(dat_lmr_free(loop.lmr));
	if (loop.fixed)
		FREES(dat_lmr_free(loop.fixed));
	loop.rmr = NULL;
	loop.lmr = NULL;
	loop.fixed = NULL;
}

void loop_give_up(void)
{
	DAT_EVENT event;

	loop_free_ends();
	while (dat_evd_dequeue(loop.crs, &event) == DAT_SUCCESS)
		FREES(dat_cr_reject(event.event_data.cr_arrival_event_data
					 .cr_handle, 0, NULL));
	while (dat_evd_dequeue(loop.async, &event) == DAT_SUCCESS)
		;
}

void loop_end(void)
{
	loop_free_ends();
	loop_free_lmrs();
	if (loop.srq)
		FREES(dat_srq_free(loop.srq));
	if (loop.pz)
		FREES(dat_pz_free(loop.pz));
	loop.srq = NULL;
	loop.pz = NULL;
	expect_quiet(loop.async);
	expect_quiet(loop.crs);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How connections come about: service points of each kind, and ways to ask. */

#include <linux/in.h>
#include <linux/net.h>
#include <linux/string.h>

#include "loop.h"

/* Of a service point of the test's own; and nobody's. */
#define OTHER_PORT	((u16)(port + 1))
#define NO_PORT		((u16)(port + 2))

/* ---- steps --------------------------------------------------------------- */

/* Messages go both ways. */
static void use_both(struct loop_end *from, struct loop_end *to)
{
	loop_message(from, to, 60);
	loop_message(to, from, 61);
}

static void connected(struct loop_end *from, struct loop_end *to)
{
	loop_established(from, to);
	use_both(from, to);
}

/* Why there is no connection: over iWARP nobody is told who refused it. */
static void expect_refused(struct loop_end *end, DAT_EVENT_NUMBER why)
{
	DAT_EVENT event = {};

	loop_event(end->connect, &event);
	EXPECT(event.event_number == why ||
	       (iwarp && event.event_number ==
		DAT_CONNECTION_EVENT_PEER_REJECTED) ||
	       (iwarp && event.event_number ==
		DAT_CONNECTION_EVENT_NON_PEER_REJECTED));
}

static void expect_state(DAT_EP_HANDLE ep, DAT_EP_STATE wanted)
{
	DAT_EP_STATE state = -1;

	WORKS(dat_ep_get_status(ep, &state, NULL, NULL));
	EXPECT(state == wanted);
}

static DAT_PSP_HANDLE make_psp(DAT_PSP_FLAGS flags)
{
	DAT_PSP_HANDLE psp = NULL;

	WORKS(dat_psp_create(loop.ia, OTHER_PORT, loop.crs, flags, &psp));
	return psp;
}

static void free_psp(DAT_PSP_HANDLE psp)
{
	if (psp)
		FREES(dat_psp_free(psp));
}

/* ---- EPs that requests bring along ---------------------------------------- */

/* It is the request's: it gets what @end has for it, and cannot be freed. */
static DAT_EP_HANDLE prepare_brought(DAT_CR_HANDLE cr, struct loop_end *end)
{
	const DAT_EP_PARAM gets = {
		.pz_handle = loop.pz,
		.recv_evd_handle = end->recv,
		.request_evd_handle = end->request,
		.connect_evd_handle = end->connect,
	};
	DAT_CR_PARAM param = {};

	WORKS(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
	if (!EXPECT(param.local_ep_handle))
		return NULL;
	expect_state(param.local_ep_handle,
		     DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING);
	RETURNS(DAT_INVALID_STATE, dat_ep_free(param.local_ep_handle));
	WORKS(dat_ep_modify(param.local_ep_handle,
			    DAT_EP_FIELD_PZ_HANDLE |
			    DAT_EP_FIELD_RECV_EVD_HANDLE |
			    DAT_EP_FIELD_REQUEST_EVD_HANDLE |
			    DAT_EP_FIELD_CONNECT_EVD_HANDLE, &gets));
	return param.local_ep_handle;
}

/* From loop.a to loop.b, which has no EP before. */
static void accept_brought(DAT_CR_HANDLE cr)
{
	DAT_EP_HANDLE ep = prepare_brought(cr, &loop.b);

	if (loop_accept(cr, NULL))
		loop.b.ep = ep;
	connected(&loop.a, &loop.b);
}

static void make_unequal_ends(void)
{
	loop_make(&loop.a, false);
	loop_make_rest(&loop.b);
}

static void psp_brings(void)
{
	DAT_PSP_HANDLE psp;

	make_unequal_ends();
	psp = make_psp(DAT_PSP_PROVIDER_FLAG);
	loop_ask(&loop.a, OTHER_PORT);
	accept_brought(loop_request(psp, OTHER_PORT));
	free_psp(psp);
	/* Neither goes with the service point. */
	use_both(&loop.a, &loop.b);
}

/* The EP goes with it: nobody uses what it was given any more. */
static void brought_and_rejected(void)
{
	DAT_PSP_HANDLE psp;
	DAT_CR_HANDLE cr;

	make_unequal_ends();
	psp = make_psp(DAT_PSP_PROVIDER_FLAG);
	loop_ask(&loop.a, OTHER_PORT);
	cr = loop_request(psp, OTHER_PORT);
	prepare_brought(cr, &loop.b);
	RETURNS(DAT_INVALID_STATE, dat_evd_free(loop.b.recv));
	if (cr)
		FREES(dat_cr_reject(cr, 0, NULL));
	if (WORKS(dat_evd_free(loop.b.recv)))
		loop.b.recv = NULL;
	expect_refused(&loop.a, DAT_CONNECTION_EVENT_PEER_REJECTED);
	free_psp(psp);
}

static void rsp_brings(void)
{
	DAT_RSP_HANDLE rsp = NULL;

	make_unequal_ends();
	WORKS(dat_rsp_create(loop.ia, OTHER_PORT, NULL, loop.crs, &rsp));
	loop_ask(&loop.a, OTHER_PORT);
	accept_brought(loop_request(rsp, OTHER_PORT));
	if (rsp)
		FREES(dat_rsp_free(rsp));
	use_both(&loop.a, &loop.b);
}

/* ---- a reserved service point -------------------------------------------- */

/* It is for one request, and for that EP. */
static void rsp_has_one(void)
{
	DAT_RSP_HANDLE rsp = NULL;
	DAT_CR_PARAM param = {};
	DAT_CR_HANDLE cr;

	loop_make(&loop.a, false);
	loop_make(&loop.b, false);
	loop_make(&loop.c, false);
	WORKS(dat_rsp_create(loop.ia, OTHER_PORT, loop.b.ep, loop.crs, &rsp));
	expect_state(loop.b.ep, DAT_EP_STATE_RESERVED);
	RETURNS(DAT_INVALID_STATE, dat_ep_free(loop.b.ep));
	loop_ask(&loop.a, OTHER_PORT);
	cr = loop_request(rsp, OTHER_PORT);
	expect_state(loop.b.ep, DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
	WORKS(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
	EXPECT(param.local_ep_handle == loop.b.ep);
	loop_accept(cr, NULL);
	connected(&loop.a, &loop.b);
	loop_ask(&loop.c, OTHER_PORT);
	expect_refused(&loop.c, DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
	if (rsp)
		FREES(dat_rsp_free(rsp));
	use_both(&loop.a, &loop.b);
}

/* Nobody asked: the EP is as before. */
static void rsp_unused(void)
{
	DAT_RSP_HANDLE rsp = NULL;

	loop_make(&loop.a, false);
	loop_make(&loop.b, false);
	WORKS(dat_rsp_create(loop.ia, OTHER_PORT, loop.b.ep, loop.crs, &rsp));
	RETURNS(DAT_INVALID_STATE,
		dat_ep_connect(loop.b.ep, (void *)&loop.address, port,
			       LOOP_TIMEOUT_US, 0, NULL, DAT_QOS_BEST_EFFORT,
			       DAT_CONNECT_DEFAULT_FLAG));
	if (rsp)
		FREES(dat_rsp_free(rsp));
	expect_state(loop.b.ep, DAT_EP_STATE_UNCONNECTED);
	loop_connect(&loop.a, &loop.b);
}

/* ---- handing over --------------------------------------------------------- */

/* loop.a asks at loop.psp, which hands over to @psp. */
static DAT_CR_HANDLE hand_over(DAT_PSP_HANDLE psp)
{
	DAT_CR_HANDLE cr;

	loop_ask(&loop.a, port);
	cr = loop_request(loop.psp, port);
	RETURNS(DAT_INVALID_ADDRESS, dat_cr_handoff(cr, NO_PORT));
	if (!WORKS(dat_cr_handoff(cr, OTHER_PORT)) && cr)
		FREES(dat_cr_reject(cr, 0, NULL));
	return loop_request(psp, OTHER_PORT);
}

static void handoff(void)
{
	DAT_PSP_HANDLE psp;

	loop_make(&loop.a, false);
	loop_make(&loop.b, false);
	psp = make_psp(DAT_PSP_CONSUMER_FLAG);
	loop_accept(hand_over(psp), loop.b.ep);
	connected(&loop.a, &loop.b);
	free_psp(psp);
}

/* Who gets the request has it bring an EP. */
static void handoff_brings(void)
{
	DAT_PSP_HANDLE psp;

	make_unequal_ends();
	psp = make_psp(DAT_PSP_PROVIDER_FLAG);
	accept_brought(hand_over(psp));
	free_psp(psp);
}

/* ---- ways to ask ---------------------------------------------------------- */

static DAT_RETURN dup_connect(struct loop_end *end, struct loop_end *like)
{
	return dat_ep_dup_connect(end->ep, like->ep, LOOP_TIMEOUT_US, 0, NULL,
				  DAT_QOS_BEST_EFFORT);
}

/* Where another EP is connected to, which stays as it is. */
static void connect_like_another(void)
{
	loop_pair();
	loop_make(&loop.c, false);
	loop_make(&loop.d, false);
	RETURNS(DAT_INVALID_STATE, dup_connect(&loop.c, &loop.d));
	/* It accepted: where its peer listens, if anywhere, it does not know. */
	RETURNS(DAT_INVALID_STATE, dup_connect(&loop.c, &loop.b));
	WORKS(dup_connect(&loop.c, &loop.a));
	loop_accept(loop_request(loop.psp, port), loop.d.ep);
	connected(&loop.c, &loop.d);
	use_both(&loop.a, &loop.b);
	WORKS(dat_ep_disconnect(loop.a.ep, DAT_CLOSE_ABRUPT_FLAG));
	loop_ended(&loop.a);
	loop_ended(&loop.b);
	use_both(&loop.c, &loop.d);
}

/* The address, and a port in it. */
static struct sockaddr_storage address_with(u16 at)
{
	struct sockaddr_storage ss = loop.address;

	/* At the same place in one of IPv6. */
	((struct sockaddr_in *)&ss)->sin_port = htons(at);
	return ss;
}

/* By a socket address, to a PSP and to a CSP; the private data come along. */
static void common_connect_to(DAT_HANDLE sp, u16 at)
{
	static const char words[] = "by a socket address";
	struct sockaddr_storage to = address_with(at);
	DAT_CR_PARAM param = {};
	DAT_CR_HANDLE cr;

	loop_make(&loop.a, false);
	loop_make(&loop.b, false);
	WORKS(dat_ep_common_connect(loop.a.ep, (void *)&to, LOOP_TIMEOUT_US,
				    sizeof(words), (DAT_PVOID)words));
	cr = loop_request(sp, at);
	WORKS(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
	/* There may be zeros behind them. */
	EXPECT(param.private_data_size >= sizeof(words));
	EXPECT(!memcmp(param.private_data, words, sizeof(words)));
	loop_accept(cr, loop.b.ep);
	connected(&loop.a, &loop.b);
}

static void common_connect(void)
{
	common_connect_to(loop.psp, port);
}

static void common_to_common(void)
{
	struct sockaddr_storage at = address_with(OTHER_PORT);
	DAT_COMM comm = { .domain = at.ss_family, .type = SOCK_STREAM };
	DAT_CSP_HANDLE csp = NULL;

	WORKS(dat_csp_create(loop.ia, &comm, (void *)&at, loop.crs, &csp));
	common_connect_to(csp, OTHER_PORT);
	if (csp)
		FREES(dat_csp_free(csp));
}

const struct loop_test conn_cases[] = {
	{ "a PSP whose requests bring EPs", psp_brings },
	{ "a request with an EP is rejected", brought_and_rejected },
	{ "an RSP whose request brings an EP", rsp_brings },
	{ "an RSP has one EP for one request", rsp_has_one },
	{ "an RSP that nobody asks", rsp_unused },
	{ "a request is handed over", handoff },
	{ "a request is handed over to where it brings an EP",
	  handoff_brings },
	{ "connected like another EP", connect_like_another },
	{ "connected by a socket address", common_connect },
	{ "connected to a common service point", common_to_common },
	{},
};

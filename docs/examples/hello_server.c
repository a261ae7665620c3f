// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The other end of the README's example: listens, prints what a client sends, ends.
 *
 *	cc hello_server.c $(pkg-config --cflags --libs dat) -o hello_server
 *	./hello_server rxe0 7000
 */
#include <stdio.h>
#include <stdlib.h>
#include <dat/udat.h>

static void check(DAT_RETURN ret, const char *what)
{
	const char *major = "", *minor = "";

	if (ret == DAT_SUCCESS)
		return;
	dat_strerror(ret, &major, &minor);
	fprintf(stderr, "%s: %s %s\n", what, major, minor);
	exit(1);
}

/* The next event, which must be this one. */
static DAT_EVENT next_event(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER wanted)
{
	DAT_EVENT event;
	DAT_COUNT more;

	check(dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event, &more), "dat_evd_wait");
	if (event.event_number != wanted) {
		fprintf(stderr, "event %#x, not %#x\n", event.event_number, wanted);
		exit(1);
	}
	return event;
}

/* An EP with one receive, which is there before the client may send. */
static DAT_EP_HANDLE make_ep(DAT_IA_HANDLE ia, DAT_EVD_HANDLE evd, char *text, DAT_COUNT size)
{
	DAT_REGION_DESCRIPTION region = { .for_va = text };
	DAT_LMR_TRIPLET iov = { .virtual_address = (DAT_VADDR)(size_t)text,
				.segment_length = size };
	DAT_RMR_CONTEXT rmr;
	DAT_LMR_HANDLE lmr;
	DAT_PZ_HANDLE pz;
	DAT_EP_HANDLE ep;

	check(dat_pz_create(ia, &pz), "dat_pz_create");
	check(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, size, pz,
			     DAT_MEM_PRIV_LOCAL_WRITE_FLAG, &lmr, &iov.lmr_context, &rmr, NULL, NULL),
	      "dat_lmr_create");
	check(dat_ep_create(ia, pz, evd, evd, evd, NULL, &ep), "dat_ep_create");
	check(dat_ep_post_recv(ep, 1, &iov, (DAT_DTO_COOKIE){ .as_64 = 1 },
			       DAT_COMPLETION_DEFAULT_FLAG),
	      "dat_ep_post_recv");
	return ep;
}

int main(int argc, char **argv) /* usage: hello_server ADAPTER PORT */
{
	static char text[64 + 1];
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL, requests, evd;
	DAT_IA_HANDLE ia;
	DAT_PSP_HANDLE psp;
	DAT_EP_HANDLE ep;
	DAT_EVENT event;

	if (argc != 3)
		return 2;
	check(dat_ia_open(argv[1], 8, &async, &ia), "dat_ia_open");
	check(dat_evd_create(ia, 8, DAT_HANDLE_NULL, DAT_EVD_CR_FLAG, &requests), "dat_evd_create");
	check(dat_evd_create(ia, 16, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG,
			     &evd),
	      "dat_evd_create");
	check(dat_psp_create(ia, atoi(argv[2]), requests, DAT_PSP_CONSUMER_FLAG, &psp),
	      "dat_psp_create");
	printf("listening on port %s\n", argv[2]);
	fflush(stdout);

	event = next_event(requests, DAT_CONNECTION_REQUEST_EVENT);
	ep = make_ep(ia, evd, text, sizeof(text) - 1);
	check(dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, ep, 0, NULL),
	      "dat_cr_accept");
	next_event(evd, DAT_CONNECTION_EVENT_ESTABLISHED);
	event = next_event(evd, DAT_DTO_COMPLETION_EVENT);
	if (event.event_data.dto_completion_event_data.status != DAT_DTO_SUCCESS)
		return fprintf(stderr, "the message did not arrive\n"), 1;
	printf("%s\n", text);
	next_event(evd, DAT_CONNECTION_EVENT_DISCONNECTED);
	return dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG) != DAT_SUCCESS;
}

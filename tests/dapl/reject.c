// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A request with private data that is rejected with as much, or both with none, by uDAPL
 * 2.0; and one to a port that nobody listens on. None of the distribution's programs does
 * that as they are built there. This one is linked with our libdat2, and runs with any.
 *
 * usage: dapl_reject -s IA SIZE         says "ready", rejects one request, and ends
 *        dapl_reject IA SIZE ADDRESS    asks, and wants to be rejected, by a peer
 *        dapl_reject -u IA ADDRESS      by nobody: the port is unused
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dat2/udat.h>

#define PORT 45253
#define UNUSED_PORT 45254
#define LONGEST 48
#define QLEN 8

/* In the request the bytes count from 1, in the rejection from 101. */
#define ASKED 1
#define REFUSED 101

static void check(DAT_RETURN result, const char *call)
{
	if (result == DAT_SUCCESS)
		return;
	fprintf(stderr, "error: %s: %#x\n", call, (unsigned int)result);
	exit(1);
}

static void fill(unsigned char *data, DAT_COUNT size, int first)
{
	for (DAT_COUNT i = 0; i < size; i++)
		data[i] = (unsigned char)(first + i);
}

/* The transport may have made it longer, with zeroes. */
static void compare(const void *got, DAT_COUNT got_size, DAT_COUNT size, int first)
{
	const unsigned char *bytes = got;
	unsigned char wanted[LONGEST];
	DAT_COUNT more = size;

	fill(wanted, size, first);
	while (more < got_size && !bytes[more])
		more++;
	if (got_size >= size && more == got_size && (!size || !memcmp(bytes, wanted, size)))
		return;
	fprintf(stderr, "error: other private data, %d bytes\n", (int)got_size);
	exit(1);
}

static DAT_IA_HANDLE open_ia(char *name)
{
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	DAT_IA_HANDLE ia;

	check(dat_ia_open(name, QLEN, &async, &ia), "dat_ia_open");
	return ia;
}

static DAT_EVD_HANDLE make_evd(DAT_IA_HANDLE ia, DAT_EVD_FLAGS flags)
{
	DAT_EVD_HANDLE evd;

	check(dat_evd_create(ia, QLEN, DAT_HANDLE_NULL, flags, &evd), "dat_evd_create");
	return evd;
}

static DAT_EVENT next(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER wanted)
{
	DAT_EVENT event;
	DAT_COUNT more;

	check(dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event, &more), "dat_evd_wait");
	if (event.event_number == wanted)
		return event;
	fprintf(stderr, "error: event %#x and not %#x\n", (unsigned int)event.event_number,
		(unsigned int)wanted);
	exit(1);
}

static void serve(char *name, DAT_COUNT size)
{
	DAT_IA_HANDLE ia = open_ia(name);
	DAT_EVD_HANDLE evd = make_evd(ia, DAT_EVD_CR_FLAG);
	unsigned char answer[LONGEST];
	DAT_PSP_HANDLE psp;
	DAT_CR_HANDLE cr;
	DAT_CR_PARAM param;
	DAT_EVENT event;

	check(dat_psp_create(ia, PORT, evd, DAT_PSP_CONSUMER_FLAG, &psp), "dat_psp_create");
	puts("ready");
	fflush(stdout);
	event = next(evd, DAT_CONNECTION_REQUEST_EVENT);
	cr = event.event_data.cr_arrival_event_data.cr_handle;
	check(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param), "dat_cr_query");
	compare(param.private_data, param.private_data_size, size, ASKED);
	fill(answer, size, REFUSED);
	check(dat_cr_reject(cr, size, size ? answer : NULL), "dat_cr_reject");
	printf("rejected a request of %d bytes\n", (int)size);
	check(dat_psp_free(psp), "dat_psp_free");
	check(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), "dat_ia_close");
}

/* The event that must come of a request; its IA stays until the caller closes it. */
static DAT_EVENT ask(DAT_IA_HANDLE ia, const char *address, DAT_CONN_QUAL port, DAT_COUNT size,
		     DAT_EVENT_NUMBER wanted)
{
	DAT_EVD_HANDLE dto = make_evd(ia, DAT_EVD_DTO_FLAG);
	DAT_EVD_HANDLE evd = make_evd(ia, DAT_EVD_CONNECTION_FLAG);
	/* As long as any socket address: providers read all of it. */
	union {
		DAT_SOCK_ADDR any;
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
	} to = { .ipv4 = { .sin_family = AF_INET } };
	unsigned char data[LONGEST];
	DAT_EP_HANDLE ep;
	DAT_PZ_HANDLE pz;

	if (inet_pton(AF_INET, address, &to.ipv4.sin_addr) != 1) {
		fprintf(stderr, "error: %s is no address\n", address);
		exit(1);
	}
	check(dat_pz_create(ia, &pz), "dat_pz_create");
	check(dat_ep_create(ia, pz, dto, dto, evd, NULL, &ep), "dat_ep_create");
	fill(data, size, ASKED);
	check(dat_ep_connect(ep, &to.any, port, DAT_TIMEOUT_INFINITE, size, size ? data : NULL,
			     DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG),
	      "dat_ep_connect");
	return next(evd, wanted);
}

static void be_rejected(char *name, DAT_COUNT size, const char *address)
{
	DAT_IA_HANDLE ia = open_ia(name);
	DAT_EVENT event = ask(ia, address, PORT, size, DAT_CONNECTION_EVENT_PEER_REJECTED);

	compare(event.event_data.connect_event_data.private_data,
		event.event_data.connect_event_data.private_data_size, size, REFUSED);
	printf("rejected with %d bytes\n", (int)size);
	check(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), "dat_ia_close");
}

static void find_nobody(char *name, const char *address)
{
	DAT_IA_HANDLE ia = open_ia(name);

	ask(ia, address, UNUSED_PORT, 0, DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
	puts("nobody is there");
	check(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), "dat_ia_close");
}

static DAT_COUNT size_of(const char *text)
{
	long size = strtol(text, NULL, 10);

	if (size >= 0 && size <= LONGEST)
		return (DAT_COUNT)size;
	fprintf(stderr, "error: %s: 0 to %d bytes\n", text, LONGEST);
	exit(1);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "error: usage: dapl_reject -s IA SIZE | IA SIZE ADDRESS | "
				"-u IA ADDRESS\n");
		return 1;
	}
	if (!strcmp(argv[1], "-s"))
		serve(argv[2], size_of(argv[3]));
	else if (!strcmp(argv[1], "-u"))
		find_nobody(argv[2], argv[3]);
	else
		be_rejected(argv[1], size_of(argv[2]), argv[3]);
	return 0;
}

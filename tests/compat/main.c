/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that pass messages, each to each, through a layer that calls uDAPL
 * as the MPI libraries of its days did. Prints TAP.
 *
 *     scripts/vm -- build/ulib/tests/vm-suite/message_passing [PROCESSES]
 */

#include "mp.h"
#include "oob.h"
#include "report.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZES_MAX 12
#define SEND_BUFFERS 4
#define PHASE_SHIFT 16

/* What all processes must get done, in this order. */
enum test {
	TEST_OPEN,
	TEST_JOIN,
	TEST_SMALL,
	TEST_FRAGMENT,
	TEST_WRITTEN,
	TEST_MIXED,
	TEST_COUNTS,
	TEST_IN_USE,
	TEST_DISCONNECT,
	TEST_CLOSE,
	TESTS,
};

static const char *const test_names[TESTS] = {
	"every process finds its adapter in the registry",
	"every process listens, and knows where the others do",
	"small messages, which make the connections",
	"messages of one fragment",
	"long messages, by RDMA write",
	"messages of all sizes",
	"every way was gone: slots, sends, writes, registrations kept and dropped",
	"what is in use cannot be freed",
	"every connection ends, and every posted receive comes back",
	"the adapter closes gracefully",
};

/* Messages of these sizes, to each other process, so often. */
struct phase {
	int rounds;
	int sizes;
	size_t size[SIZES_MAX];
};

struct process {
	int rank;
	int ranks;
	int phase;
	struct phase phases[TESTS];
	struct mp *mp;
	/* Of this phase and the next, into which others may be ahead. */
	unsigned char *seen[TESTS][OOB_RANKS_MAX];
	int received[TESTS];
	unsigned char *buffers[SEND_BUFFERS];
	int pending[SEND_BUFFERS];
	int next_buffer;
};

struct report {
	int rank;
	int test;
};

static int scaled(int count)
{
	const char *scale = getenv("KDAPL_SCALE");
	int result = (int)(count * (scale ? strtod(scale, NULL) : 1.0));

	return result > 2 ? result : 2;
}

static void plan(struct phase *phases)
{
	size_t small = mp_small_limit(), whole = mp_fragment_limit();
	struct phase of_small = { scaled(50), 10, { 0, 1, 2, 7, 8, 63, 200, 500, small - 1, small } };
	struct phase of_whole = { scaled(20), 6, { small + 1, 2000, 4096, 10001, whole - 1, whole } };
	struct phase of_long = { scaled(5),
				 6,
				 { whole + 1, 65536, 131072, 131073, MP_LONGEST - 1, MP_LONGEST } };
	struct phase of_all = { scaled(10), 8, { 3, 30000, small, 0, whole + 1, whole, 77, 300001 } };

	phases[TEST_SMALL] = of_small;
	phases[TEST_FRAGMENT] = of_whole;
	phases[TEST_WRITTEN] = of_long;
	phases[TEST_MIXED] = of_all;
}

static int messages_of(const struct phase *phase)
{
	return phase->rounds * phase->sizes;
}

static size_t size_of(const struct phase *phase, int number)
{
	return phase->size[number % phase->sizes];
}

/* Differs with both ends, with the message, and with the place in it. */
static unsigned char pattern(int from, int to, uint32_t sequence, size_t at)
{
	return (unsigned char)(from * 131 + to * 17 + (int)sequence * 29 + (int)(at * 7) +
			       (int)(at >> 8) * 3);
}

/* ---- one process ---- */

static void arrived(void *user, int from, uint32_t sequence, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	struct process *process = user;
	int phase = (int)(sequence >> PHASE_SHIFT);
	int number = (int)(sequence & ((1u << PHASE_SHIFT) - 1));
	size_t i;

	if (phase < process->phase || phase >= TESTS ||
	    number >= messages_of(&process->phases[phase]))
		fail("message %x of rank %d comes in phase %d", sequence, from, process->phase);
	if (process->seen[phase][from][number]++)
		fail("message %x of rank %d came twice", sequence, from);
	if (size != size_of(&process->phases[phase], number))
		fail("message %x of rank %d has %zu bytes", sequence, from, size);
	for (i = 0; i < size; i++) {
		if (bytes[i] != pattern(from, process->rank, sequence, i))
			fail("message %x of rank %d is wrong at byte %zu of %zu", sequence, from, i,
			     size);
	}
	process->received[phase]++;
}

/* Long messages are read from the buffer until they are through. */
static void send_one(struct process *process, int to, int number)
{
	size_t size = size_of(&process->phases[process->phase], number), i;
	uint32_t sequence = (uint32_t)process->phase << PHASE_SHIFT | (uint32_t)number;
	int buffer = process->next_buffer;

	process->next_buffer = (buffer + 1) % SEND_BUFFERS;
	while (process->pending[buffer])
		mp_progress(process->mp);
	for (i = 0; i < size; i++)
		process->buffers[buffer][i] = pattern(process->rank, to, sequence, i);
	mp_send(process->mp, to, sequence, process->buffers[buffer], size,
		&process->pending[buffer]);
	mp_progress(process->mp);
}

static bool sending(const struct process *process)
{
	int buffer;

	for (buffer = 0; buffer < SEND_BUFFERS; buffer++) {
		if (process->pending[buffer])
			return true;
	}
	return false;
}

static void run_phase(struct process *process, int phase)
{
	int messages = messages_of(&process->phases[phase]), number, step;

	process->phase = phase;
	for (number = 0; number < messages; number++) {
		for (step = 1; step < process->ranks; step++)
			send_one(process, (process->rank + step) % process->ranks, number);
	}
	while (sending(process) || process->received[phase] < messages * (process->ranks - 1))
		mp_progress(process->mp);
	mp_barrier(process->mp);
}

static void check_counts(const struct process *process)
{
	const struct mp_counts *counts = mp_counts(process->mp);
	struct {
		const char *name;
		unsigned long count;
	} rows[] = {
		{ "messages into slots", counts->slot_messages },
		{ "messages by send", counts->sent_messages },
		{ "messages by RDMA write", counts->written_messages },
		{ "messages of credits", counts->credit_messages },
		{ "registrations used again", counts->cache_hits },
		{ "registrations made", counts->cache_misses },
		{ "registrations dropped", counts->cache_evictions },
		{ "adapters that could not be opened", counts->names_tried },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		note("%s: %lu", rows[i].name, rows[i].count);
		if (!rows[i].count)
			fail("no %s", rows[i].name);
	}
	note("connection qualifiers that were in use: %lu", counts->ports_tried);
}

static void done(const struct process *process, int results, int test)
{
	struct report report = { process->rank, test };

	if (write(results, &report, sizeof(report)) != (ssize_t)sizeof(report))
		fail("cannot report");
}

static void prepare(struct process *process)
{
	int phase, rank, buffer;

	plan(process->phases);
	for (phase = 0; phase < TESTS; phase++) {
		for (rank = 0; rank < process->ranks; rank++)
			process->seen[phase][rank] =
				calloc(1, (size_t)messages_of(&process->phases[phase]) + 1);
	}
	for (buffer = 0; buffer < SEND_BUFFERS; buffer++)
		process->buffers[buffer] = malloc(MP_LONGEST);
}

static void run_process(struct oob *oob, int results)
{
	struct process *process = calloc(1, sizeof(*process));
	int phase;

	process->rank = oob->rank;
	process->ranks = oob->ranks;
	report_rank(oob->rank);
	prepare(process);
	process->mp = mp_open(oob, arrived, process);
	done(process, results, TEST_OPEN);
	mp_join(process->mp);
	done(process, results, TEST_JOIN);
	for (phase = TEST_SMALL; phase <= TEST_MIXED; phase++) {
		run_phase(process, phase);
		done(process, results, phase);
	}
	check_counts(process);
	done(process, results, TEST_COUNTS);
	mp_free_too_early(process->mp);
	done(process, results, TEST_IN_USE);
	mp_disconnect(process->mp);
	done(process, results, TEST_DISCONNECT);
	mp_close(process->mp);
	done(process, results, TEST_CLOSE);
}

/* ---- the launcher ---- */

/* One that fails would leave the others waiting. */
static void await_all(pid_t *children, int count)
{
	int left, rank, status;
	pid_t ended;

	for (left = count; left > 0; left--) {
		ended = wait(&status);
		if (ended < 0)
			fail("a process is gone");
		for (rank = 0; rank < count; rank++) {
			if (children[rank] == ended)
				children[rank] = 0;
			else if (children[rank] && status)
				kill(children[rank], SIGKILL);
		}
		if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
			note("a process ended by signal %d", WTERMSIG(status));
	}
}

static int print_results(int results, int ranks)
{
	int counts[TESTS] = { 0 }, test, failed = 0;
	struct report report;

	while (read(results, &report, sizeof(report)) == (ssize_t)sizeof(report))
		counts[report.test]++;
	printf("1..%d\n", TESTS);
	for (test = 0; test < TESTS; test++) {
		failed |= counts[test] != ranks;
		printf("%sok %d - %s\n", counts[test] == ranks ? "" : "not ", test + 1,
		       test_names[test]);
	}
	return failed;
}

int main(int argc, char **argv)
{
	int ranks = argc > 1 ? atoi(argv[1]) : 4;
	pid_t children[OOB_RANKS_MAX];
	int results[2], rank;
	struct oob oob;

	if (ranks < 2 || ranks > OOB_RANKS_MAX) {
		fprintf(stderr, "usage: %s [2..%d]\n", argv[0], OOB_RANKS_MAX);
		return 2;
	}
	if (pipe(results))
		fail("no pipe");
	oob_open(&oob, ranks);
	for (rank = 0; rank < ranks; rank++) {
		children[rank] = fork();
		if (children[rank] < 0)
			fail("no process");
		oob.rank = rank;
		if (children[rank] == 0) {
			run_process(&oob, results[1]);
			exit(0);
		}
	}
	close(results[1]);
	await_all(children, ranks);
	return print_results(results[0], ranks);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Upcalls of completions: mostly they come where the completion is taken. And a work in
 * their place, which takes the completions itself.
 */

#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/workqueue.h>

#include "loop.h"

#define MESSAGES	500
#define RECVS		8

/**
 * struct seen - what the upcalls of loop.b's receives saw
 * @first: cookie of the first receive
 * @inside: upcalls that run
 * @recvs: receives, in order
 * @software: software events, in order
 * @over: the test is, but for its work
 * @wrong: something was not as it should be; written by upcall or work alone
 */
struct seen {
	u64 first;
	atomic_t inside, recvs, software;
	bool over;
	const char *wrong;
};

static struct seen seen;

static void complain(bool good, const char *what)
{
	if (!good && !seen.wrong)
		seen.wrong = what;
}

/* As many are posted as at the beginning, all over the same memory. */
static void post_again(void)
{
	DAT_LMR_TRIPLET iov = loop_own(&loop.b, 0, MESSAGE);
	DAT_DTO_COOKIE cookie = {
		.as_64 = seen.first + atomic_read(&seen.recvs) + RECVS,
	};

	complain(dat_ep_post_recv(loop.b.ep, 1, &iov, cookie,
				  DAT_COMPLETION_DEFAULT_FLAG) == DAT_SUCCESS,
		 "a receive was not posted");
}

static void saw_recv(const DAT_DTO_COMPLETION_EVENT_DATA *dto)
{
	complain(dto->ep_handle == loop.b.ep, "another EP");
	complain(dto->status == DAT_DTO_SUCCESS, "a receive failed");
	complain(dto->operation == DAT_DTO_RECEIVE, "another operation");
	complain(dto->transfered_length == MESSAGE, "another length");
	complain(dto->user_cookie.as_64 ==
		 seen.first + atomic_read(&seen.recvs), "receives out of order");
	post_again();
	atomic_inc(&seen.recvs);
}

static void saw_software(const DAT_SOFTWARE_EVENT_DATA *data)
{
	complain((uintptr_t)data->pointer == atomic_read(&seen.software),
		 "software events out of order");
	atomic_inc(&seen.software);
}

static void seeing_upcall(DAT_PVOID instance, const DAT_EVENT *event,
			  DAT_BOOLEAN more)
{
	complain(in_serving_softirq(), "no softirq");
	complain(atomic_inc_return(&seen.inside) == 1, "two at a time");
	complain(event->evd_handle == loop.b.recv, "another EVD");
	if (event->event_number == DAT_DTO_COMPLETION_EVENT)
		saw_recv(&event->event_data.dto_completion_event_data);
	else if (event->event_number == DAT_SOFTWARE_EVENT)
		saw_software(&event->event_data.software_event_data);
	else
		complain(false, "another event");
	atomic_dec(&seen.inside);
}

/* The pair is made; loop.b's receives go to another EVD, which is freed if they do not. */
static void make_over(DAT_EVD_HANDLE evd)
{
	DAT_EP_PARAM param = { .recv_evd_handle = evd };

	loop_make(&loop.a, false);
	loop_make(&loop.b, false);
	if (WORKS(dat_ep_modify(loop.b.ep, DAT_EP_FIELD_RECV_EVD_HANDLE,
				&param)))
		swap(loop.b.recv, evd);
	if (evd)
		FREES(dat_evd_free(evd));
}

static void post_recvs(void)
{
	int i;

	/* Each post takes the next one. */
	seen.first = loop.cookie + 1;
	for (i = 0; i < RECVS; i++)
		loop_post_recv(&loop.b, 0);
}

/* loop.b's receives go to an EVD of @flags, with upcalls one at a time. */
static void begin(DAT_EVD_FLAGS flags)
{
	const DAT_UPCALL_OBJECT upcall = { NULL, seeing_upcall };

	make_over(loop_evd(flags));
	loop_connect(&loop.a, &loop.b);
	WORKS(dat_evd_modify_upcall(loop.b.recv, DAT_UPCALL_SINGLE_INSTANCE,
				    &upcall, DAT_UPCALL_INVOC_NEW));
	memset(&seen, 0, sizeof(seen));
	post_recvs();
}

static bool have_come(int recvs, int software)
{
	return atomic_read(&seen.recvs) >= recvs &&
	       atomic_read(&seen.software) >= software;
}

/* What was sent, or even acknowledged, may be yet to come, or its upcall. */
static bool wait_for(int recvs, int software)
{
	unsigned long end = jiffies + 30 * HZ;

	while (loop_fine() && time_before(jiffies, end) &&
	       !have_come(recvs, software))
		usleep_range(100, 200);
	return have_come(recvs, software);
}

/*
 * No more are under way than there are receives for: over iWARP a send is done when it has
 * been handed to TCP, and the peer ends a connection whose message finds no receive.
 */
static void send_all(void)
{
	DAT_LMR_TRIPLET iov = loop_own(&loop.a, SEND_AT, MESSAGE);
	DAT_DTO_COOKIE cookie = { .as_64 = 1 };
	int i;

	for (i = 0; i < MESSAGES && loop_fine(); i++) {
		EXPECT(wait_for(i + 1 - RECVS, 0));
		WORKS(dat_ep_post_send(loop.a.ep, 1, &iov, cookie,
				       DAT_COMPLETION_DEFAULT_FLAG));
		loop_done(&loop.a, DAT_DTO_SEND, cookie.as_64);
	}
}

static void expect_seen(int recvs, int software)
{
	wait_for(recvs, software);
	/* None runs any more, and none will. */
	WORKS(dat_evd_modify_upcall(loop.b.recv, DAT_UPCALL_TEARDOWN,
				    DAT_UPCALL_SAME, DAT_UPCALL_INVOC_NEW));
	EXPECT(!atomic_read(&seen.inside));
	EXPECT(atomic_read(&seen.recvs) == recvs);
	EXPECT(atomic_read(&seen.software) == software);
	if (seen.wrong)
		loop_check(false, seen.wrong, "seeing_upcall", 0);
}

static void in_order(void)
{
	begin(DAT_EVD_DTO_FLAG);
	send_all();
	expect_seen(MESSAGES, 0);
}

/* ---- with events of another processor ---------------------------------------- */

static void post_software(struct work_struct *work)
{
	DAT_EVENT event = { .event_number = DAT_SOFTWARE_EVENT };
	unsigned long end = jiffies + 30 * HZ;
	int i;

	for (i = 0; i < MESSAGES && loop_fine(); i++) {
		event.event_data.software_event_data.pointer =
			(void *)(uintptr_t)i;
		/* The queue is full: its upcalls have to have their turn. */
		while (DAT_GET_TYPE(dat_evd_post_se(loop.b.recv, &event)) ==
		       DAT_QUEUE_FULL && time_before(jiffies, end))
			cond_resched();
	}
}

/* Each of a kind in its order, and still one at a time. */
static void among_others(void)
{
	struct work_struct work;

	begin(DAT_EVD_DTO_FLAG | DAT_EVD_SOFTWARE_FLAG);
	INIT_WORK_ONSTACK(&work, post_software);
	queue_work(system_unbound_wq, &work);
	send_all();
	flush_work(&work);
	destroy_work_on_stack(&work);
	expect_seen(MESSAGES, MESSAGES);
}

/* ---- a work -------------------------------------------------------------------- */

static void see_all(struct work_struct *work)
{
	DAT_EVENT event;

	while (dat_evd_dequeue(loop.b.recv, &event) == DAT_SUCCESS) {
		if (READ_ONCE(seen.over))
			continue;
		if (event.event_number == DAT_DTO_COMPLETION_EVENT)
			saw_recv(&event.event_data.dto_completion_event_data);
		else
			complain(false, "another event");
	}
}

static DECLARE_WORK(seer, see_all);

/* loop.b's EVD for both, so that the device's own queue is left to the work. */
static void begin_work(void)
{
	DAT_EP_PARAM param = {};
	DAT_EVD_HANDLE evd = NULL;

	memset(&seen, 0, sizeof(seen));
	WORKS(dat_ext_evd_create(loop.ia, 64, system_unbound_wq, &seer,
				 DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG,
				 &evd));
	make_over(evd);
	param.request_evd_handle = loop.b.recv;
	if (WORKS(dat_ep_modify(loop.b.ep, DAT_EP_FIELD_REQUEST_EVD_HANDLE,
				&param))) {
		FREES(dat_evd_free(loop.b.request));
		loop.b.request = NULL;
	}
	post_recvs();
}

/* As loop_connect(), but for the first message. */
static void connect_work(void)
{
	unsigned int left = loop_spare();

	loop_ask(&loop.a, port);
	loop_accept(loop_request(loop.psp, port), loop.b.ep);
	loop_is_up(&loop.a);
	loop_is_up(&loop.b);
	loop_spare_no_more(left);
}

static void work_takes_all(void)
{
	begin_work();
	connect_work();
	send_all();
	wait_for(MESSAGES, 0);
	EXPECT(atomic_read(&seen.recvs) == MESSAGES);
	/* What is flushed when the EP is freed is for nobody to see, or to answer. */
	WRITE_ONCE(seen.over, true);
	flush_work(&seer);
	if (seen.wrong)
		loop_check(false, seen.wrong, "see_all", 0);
}

const struct loop_test upcall_cases[] = {
	{ "upcalls of completions, in order", in_order },
	{ "upcalls of completions among other events", among_others },
	{ "a work in place of upcalls", work_takes_all },
	{},
};

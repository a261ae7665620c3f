// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Upcalls of completions: mostly they come where the completion is taken. */

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
 * @wrong: something was not as it should be; written by the upcall alone
 */
struct seen {
	u64 first;
	atomic_t inside, recvs, software;
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

/* loop.b's receives go to an EVD of @flags, with upcalls one at a time. */
static void begin(DAT_EVD_FLAGS flags)
{
	const DAT_UPCALL_OBJECT upcall = { NULL, seeing_upcall };
	DAT_EP_PARAM param = {};
	DAT_EVD_HANDLE evd;
	int i;

	loop_make(&loop.a, false);
	loop_make(&loop.b, false);
	evd = loop.b.recv;
	loop.b.recv = loop_evd(flags);
	param.recv_evd_handle = loop.b.recv;
	WORKS(dat_ep_modify(loop.b.ep, DAT_EP_FIELD_RECV_EVD_HANDLE, &param));
	FREES(dat_evd_free(evd));
	loop_connect(&loop.a, &loop.b);
	WORKS(dat_evd_modify_upcall(loop.b.recv, DAT_UPCALL_SINGLE_INSTANCE,
				    &upcall, DAT_UPCALL_INVOC_NEW));
	memset(&seen, 0, sizeof(seen));
	/* Each post takes the next one. */
	seen.first = loop.cookie + 1;
	for (i = 0; i < RECVS; i++)
		loop_post_recv(&loop.b, 0);
}

static void send_all(void)
{
	DAT_LMR_TRIPLET iov = loop_own(&loop.a, SEND_AT, MESSAGE);
	DAT_DTO_COOKIE cookie = { .as_64 = 1 };
	int i;

	for (i = 0; i < MESSAGES && loop_fine(); i++) {
		WORKS(dat_ep_post_send(loop.a.ep, 1, &iov, cookie,
				       DAT_COMPLETION_DEFAULT_FLAG));
		loop_done(&loop.a, DAT_DTO_SEND, cookie.as_64);
	}
}

/* The last message is acknowledged; its upcall may be yet to come. */
static void expect_seen(int recvs, int software)
{
	unsigned long end = jiffies + 30 * HZ;

	while (loop_fine() && time_before(jiffies, end) &&
	       (atomic_read(&seen.recvs) < recvs ||
		atomic_read(&seen.software) < software))
		usleep_range(100, 200);
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

const struct loop_test upcall_cases[] = {
	{ "upcalls of completions, in order", in_order },
	{ "upcalls of completions among other events", among_others },
	{},
};

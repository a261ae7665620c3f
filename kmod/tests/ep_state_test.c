// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The states of an EP: every state against every trigger, as uDAPL's manual
 * pages have it, written down here a second time and in their own words.
 */

#include <kunit/test.h>
#include <linux/errno.h>

#include "../dat_values.h"
#include "../ep_state.h"

/* What the pages say to a consumer's call or to an event of the transport. */
struct rule {
	enum kdapl_ep_state from;
	enum kdapl_ep_trigger on;
	int to;
};

/* Only what is allowed stands here; a pair that does not is -EBADFD. */
static const struct rule rules[] = {
	/* dat_ep_connect: UNCONNECTED only. */
	{ KDAPL_EP_UNCONNECTED, KDAPL_ON_CONNECT, KDAPL_EP_ACTIVE_PENDING },
	/* dat_cr_accept of a PSP's request: an UNCONNECTED EP only. */
	{ KDAPL_EP_UNCONNECTED, KDAPL_ON_ACCEPT, KDAPL_EP_COMPLETION_PENDING },
	/* dat_rsp_create: an UNCONNECTED EP only. */
	{ KDAPL_EP_UNCONNECTED, KDAPL_ON_RESERVE, KDAPL_EP_RESERVED },
	/* Then a request comes, or dat_rsp_free. */
	{ KDAPL_EP_RESERVED, KDAPL_ON_REQUEST, KDAPL_EP_PASSIVE_PENDING },
	{ KDAPL_EP_RESERVED, KDAPL_ON_RELEASE, KDAPL_EP_UNCONNECTED },
	/* dat_cr_accept and dat_cr_reject of an RSP's request. */
	{ KDAPL_EP_PASSIVE_PENDING, KDAPL_ON_ACCEPT, KDAPL_EP_COMPLETION_PENDING },
	{ KDAPL_EP_PASSIVE_PENDING, KDAPL_ON_RELEASE, KDAPL_EP_UNCONNECTED },
	/* The same for an endpoint that the provider made. */
	{ KDAPL_EP_UNCONNECTED, KDAPL_ON_OFFER, KDAPL_EP_TENTATIVE_PENDING },
	{ KDAPL_EP_TENTATIVE_PENDING, KDAPL_ON_ACCEPT,
	  KDAPL_EP_COMPLETION_PENDING },
	{ KDAPL_EP_TENTATIVE_PENDING, KDAPL_ON_RELEASE, KDAPL_EP_UNCONNECTED },
	/* dat_ep_modify: before there is a connection; its zone more rarely. */
	{ KDAPL_EP_UNCONNECTED, KDAPL_ON_MODIFY, KDAPL_EP_UNCONNECTED },
	{ KDAPL_EP_RESERVED, KDAPL_ON_MODIFY, KDAPL_EP_RESERVED },
	{ KDAPL_EP_PASSIVE_PENDING, KDAPL_ON_MODIFY, KDAPL_EP_PASSIVE_PENDING },
	{ KDAPL_EP_TENTATIVE_PENDING, KDAPL_ON_MODIFY,
	  KDAPL_EP_TENTATIVE_PENDING },
	{ KDAPL_EP_UNCONNECTED, KDAPL_ON_MODIFY_PZ, KDAPL_EP_UNCONNECTED },
	{ KDAPL_EP_TENTATIVE_PENDING, KDAPL_ON_MODIFY_PZ,
	  KDAPL_EP_TENTATIVE_PENDING },
	/* Connect or accept failed: as if it had not been called. */
	{ KDAPL_EP_ACTIVE_PENDING, KDAPL_ON_CANCEL, KDAPL_EP_ACTIVE_PENDING },
	{ KDAPL_EP_COMPLETION_PENDING, KDAPL_ON_CANCEL,
	  KDAPL_EP_COMPLETION_PENDING },
	/* The peer accepted; the peer's confirmation came. */
	{ KDAPL_EP_ACTIVE_PENDING, KDAPL_ON_ESTABLISH, KDAPL_EP_CONNECTED },
	{ KDAPL_EP_COMPLETION_PENDING, KDAPL_ON_ESTABLISH, KDAPL_EP_CONNECTED },
	/* Rejected, unreachable, timed out, disconnected by either side. */
	{ KDAPL_EP_ACTIVE_PENDING, KDAPL_ON_END, KDAPL_EP_DISCONNECT_PENDING },
	{ KDAPL_EP_COMPLETION_PENDING, KDAPL_ON_END, KDAPL_EP_DISCONNECT_PENDING },
	{ KDAPL_EP_CONNECTED, KDAPL_ON_END, KDAPL_EP_DISCONNECT_PENDING },
	/* Everything is flushed; only now DISCONNECTED. */
	{ KDAPL_EP_DISCONNECT_PENDING, KDAPL_ON_ENDED, KDAPL_EP_DISCONNECTED },
	/* dat_ep_reset: DISCONNECTED, and no effect when UNCONNECTED. */
	{ KDAPL_EP_DISCONNECTED, KDAPL_ON_RESET, KDAPL_EP_UNCONNECTED },
	{ KDAPL_EP_UNCONNECTED, KDAPL_ON_RESET, KDAPL_EP_UNCONNECTED },
	/* dat_ep_disconnect: once there is something, even if it is over. */
	{ KDAPL_EP_ACTIVE_PENDING, KDAPL_ON_DISCONNECT, KDAPL_EP_ACTIVE_PENDING },
	{ KDAPL_EP_COMPLETION_PENDING, KDAPL_ON_DISCONNECT,
	  KDAPL_EP_COMPLETION_PENDING },
	{ KDAPL_EP_CONNECTED, KDAPL_ON_DISCONNECT, KDAPL_EP_CONNECTED },
	{ KDAPL_EP_DISCONNECT_PENDING, KDAPL_ON_DISCONNECT,
	  KDAPL_EP_DISCONNECT_PENDING },
	{ KDAPL_EP_DISCONNECTED, KDAPL_ON_DISCONNECT, KDAPL_EP_DISCONNECTED },
	/* dat_ep_free: in every state but the three named above. */
	{ KDAPL_EP_UNCONNECTED, KDAPL_ON_FREE, KDAPL_EP_UNCONNECTED },
	{ KDAPL_EP_ACTIVE_PENDING, KDAPL_ON_FREE, KDAPL_EP_ACTIVE_PENDING },
	{ KDAPL_EP_COMPLETION_PENDING, KDAPL_ON_FREE, KDAPL_EP_COMPLETION_PENDING },
	{ KDAPL_EP_CONNECTED, KDAPL_ON_FREE, KDAPL_EP_CONNECTED },
	{ KDAPL_EP_DISCONNECT_PENDING, KDAPL_ON_FREE, KDAPL_EP_DISCONNECT_PENDING },
	{ KDAPL_EP_DISCONNECTED, KDAPL_ON_FREE, KDAPL_EP_DISCONNECTED },
};

static int wanted(u32 from, u32 on)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		if (rules[i].from == from && rules[i].on == on)
			return rules[i].to;
	}
	return -EBADFD;
}

static void ep_state_every_pair(struct kunit *test)
{
	unsigned int from, on;

	for (from = 0; from < KDAPL_EP_STATES; from++) {
		for (on = 0; on < KDAPL_ON_COUNT; on++)
			KUNIT_EXPECT_EQ_MSG(test, kdapl_ep_next(from, on),
					    wanted(from, on),
					    "state %u, trigger %u", from, on);
	}
}

/* Numbers that are no state and no trigger. */
static void ep_state_out_of_range(struct kunit *test)
{
	static const u32 odd[] = { KDAPL_EP_STATES, KDAPL_EP_STATES + 1, 255,
				   256, INT_MAX, U32_MAX };
	static const u32 odd_triggers[] = { KDAPL_ON_COUNT, KDAPL_ON_COUNT + 1,
					    255, 256, INT_MAX, U32_MAX };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		for (n = 0; n < KDAPL_ON_COUNT; n++)
			KUNIT_EXPECT_EQ(test, kdapl_ep_next(odd[i], n), -EBADFD);
		for (n = 0; n < KDAPL_EP_STATES; n++)
			KUNIT_EXPECT_EQ(test, kdapl_ep_next(n, odd_triggers[i]),
					-EBADFD);
	}
}

/* The numbers that programs see, as dat.h has them. */
static void ep_state_values(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, KDAPL_EP_UNCONNECTED, 0);
	KUNIT_EXPECT_EQ(test, KDAPL_EP_RESERVED, 2);
	KUNIT_EXPECT_EQ(test, KDAPL_EP_PASSIVE_PENDING, 4);
	KUNIT_EXPECT_EQ(test, KDAPL_EP_ACTIVE_PENDING, 6);
	KUNIT_EXPECT_EQ(test, KDAPL_EP_TENTATIVE_PENDING, 7);
	KUNIT_EXPECT_EQ(test, KDAPL_EP_CONNECTED, 9);
	KUNIT_EXPECT_EQ(test, KDAPL_EP_DISCONNECT_PENDING, 10);
	KUNIT_EXPECT_EQ(test, KDAPL_EP_DISCONNECTED, 11);
	KUNIT_EXPECT_EQ(test, KDAPL_EP_COMPLETION_PENDING, 12);
}

static struct kunit_case ep_state_cases[] = {
	KUNIT_CASE(ep_state_every_pair),
	KUNIT_CASE(ep_state_out_of_range),
	KUNIT_CASE(ep_state_values),
	{}
};

static struct kunit_suite ep_state_suite = {
	.name = "kdapl-ep-state",
	.test_cases = ep_state_cases,
};

kunit_test_suite(ep_state_suite);

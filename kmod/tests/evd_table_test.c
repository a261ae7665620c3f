// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every state of an EVD against everything that can happen to it. */

#include <linux/kthread.h>

#include "env.h"

#define QLEN	4

enum state { IDLE, WAITING, FULL, BACKLOG, DEAD, KILLED, STATES };
enum trigger { POST, WAIT, FILL, CANCEL, DESTROY, KILL, TRIGGERS };

static const char *const state_name[] = {
	"idle", "waiting", "full", "backlog", "dead", "killed",
};

static const char *const trigger_name[] = {
	"post", "wait", "fill", "cancel", "destroy", "kill",
};

/**
 * struct outcome - what must hold afterwards
 * @ret: what the call returned, for wait, fill and destroy
 * @count: events in ring and backlog
 * @flags: what the program sees
 * @released: whether the trigger's own record was released
 * @waiter: what the waiter of state "waiting" came back with; 1: it sleeps on
 */
struct outcome {
	int ret;
	u32 count;
	u32 flags;
	bool released;
	int waiter;
};

/*
 * "post" brings an event with a record. "wait" is for one event, with a
 * deadline that has passed. "cancel" takes back the record that waits last in
 * the backlog, or one that waits nowhere. A killed EVD keeps what it has (here
 * nothing) and still takes events; a dead one is nothing any more.
 */
static const struct outcome table[STATES][TRIGGERS] = {
	[IDLE] = {
		[POST] = { .count = 1, .released = true },
		[WAIT] = { .ret = -ETIMEDOUT },
		[FILL] = { .ret = 0 },
		[CANCEL] = { .count = 0 },
		[DESTROY] = { .ret = 0 },
		[KILL] = { .flags = KDAPL_EV_DEAD },
	},
	[WAITING] = {
		[POST] = { .count = 1, .released = true, .waiter = 0 },
		[WAIT] = { .ret = -EBUSY, .waiter = 1 },
		[FILL] = { .ret = 0, .waiter = 1 },
		[CANCEL] = { .waiter = 1 },
		[DESTROY] = { .ret = 0, .waiter = -ECANCELED },
		[KILL] = { .flags = KDAPL_EV_DEAD, .waiter = -ECANCELED },
	},
	[FULL] = {
		[POST] = { .count = QLEN + 1, .flags = KDAPL_EV_BACKLOG },
		[WAIT] = { .ret = 0, .count = QLEN },
		[FILL] = { .ret = QLEN, .count = QLEN },
		[CANCEL] = { .count = QLEN },
		[DESTROY] = { .ret = 0 },
		[KILL] = { .count = QLEN, .flags = KDAPL_EV_DEAD },
	},
	[BACKLOG] = {
		[POST] = { .count = QLEN + 2, .flags = KDAPL_EV_BACKLOG },
		[WAIT] = { .ret = 0, .count = QLEN + 1,
			   .flags = KDAPL_EV_BACKLOG },
		[FILL] = { .ret = QLEN + 1, .count = QLEN + 1,
			   .flags = KDAPL_EV_BACKLOG },
		/* The flag goes with the next fill, for which it asks. */
		[CANCEL] = { .count = QLEN, .flags = KDAPL_EV_BACKLOG },
		[DESTROY] = { .ret = 0, .released = true },
		[KILL] = { .count = QLEN + 1,
			   .flags = KDAPL_EV_BACKLOG | KDAPL_EV_DEAD },
	},
	[DEAD] = {
		[POST] = { .released = true },
		[WAIT] = { .ret = -ECANCELED },
		[FILL] = { .ret = 0 },
		[CANCEL] = { .count = 0 },
		[DESTROY] = { .ret = -ENOENT },
		[KILL] = { .count = 0 },
	},
	[KILLED] = {
		[POST] = { .count = 1, .flags = KDAPL_EV_DEAD, .released = true },
		[WAIT] = { .ret = -ECANCELED, .flags = KDAPL_EV_DEAD },
		[FILL] = { .ret = 0, .flags = KDAPL_EV_DEAD },
		[CANCEL] = { .flags = KDAPL_EV_DEAD },
		[DESTROY] = { .ret = 0 },
		[KILL] = { .flags = KDAPL_EV_DEAD },
	},
};

struct cell {
	struct env *env;
	struct test_evd tevd;
	struct kdapl_evrec queued, fresh;
	int queued_released, fresh_released;
	struct task_struct *waiter;
	int waited;
};

static void queued_release(struct kdapl_evrec *rec)
{
	container_of(rec, struct cell, queued)->queued_released++;
}

static void fresh_release(struct kdapl_evrec *rec)
{
	container_of(rec, struct cell, fresh)->fresh_released++;
}

static const struct kdapl_event an_event = { .type = DAT_DTO_COMPLETION_EVENT };

static int cell_waiter(void *arg)
{
	struct cell *cell = arg;

	WRITE_ONCE(cell->waited, env_wait(cell->tevd.evd, 1,
					  KDAPL_DEADLINE_NONE));
	return 0;
}

static void enter_waiting(struct kunit *test, struct cell *cell)
{
	cell->waited = 1;
	cell->waiter = kthread_create(cell_waiter, cell, "waiter");
	KUNIT_ASSERT_FALSE(test, IS_ERR(cell->waiter));
	get_task_struct(cell->waiter);
	wake_up_process(cell->waiter);
	/* Nothing is done with the answer but to ask again. */
	EXPECT_SOON(test, waitqueue_active(&cell->tevd.evd->wait));
}

static void enter(struct kunit *test, struct cell *cell, enum state state)
{
	struct kdapl_evd *evd = cell->tevd.evd;
	int i;

	switch (state) {
	case WAITING:
		enter_waiting(test, cell);
		break;
	case FULL:
	case BACKLOG:
		for (i = 0; i < QLEN; i++)
			kdapl_evd_post(evd, &an_event, NULL);
		if (state == BACKLOG)
			kdapl_evd_post(evd, &an_event, &cell->queued);
		break;
	case DEAD:
		KUNIT_EXPECT_EQ(test, kdapl_obj_destroy(cell->env->ia,
							cell->tevd.id,
							KDAPL_OBJ_EVD), 0);
		break;
	case KILLED:
		kdapl_evd_kill(evd);
		break;
	default:
		break;
	}
}

static int apply(struct cell *cell, enum trigger trigger)
{
	struct kdapl_evd *evd = cell->tevd.evd;

	switch (trigger) {
	case POST:
		kdapl_evd_post(evd, &an_event, &cell->fresh);
		return 0;
	case WAIT:
		return env_wait(evd, 1, 0);
	case FILL:
		return kdapl_evd_fill(evd);
	case CANCEL:
		kdapl_evd_cancel(evd, &cell->queued);
		return 0;
	case DESTROY:
		return kdapl_obj_destroy(cell->env->ia, cell->tevd.id,
					 KDAPL_OBJ_EVD);
	case KILL:
		kdapl_evd_kill(evd);
		return 0;
	default:
		return -EINVAL;
	}
}

static void check_waiter(struct kunit *test, struct cell *cell,
			 const struct outcome *want)
{
	if (want->waiter == 1) {
		usleep_range(1000, 2000);
		KUNIT_EXPECT_EQ(test, READ_ONCE(cell->waited), 1);
		kdapl_evd_kill(cell->tevd.evd);
		EXPECT_SOON(test, READ_ONCE(cell->waited) == -ECANCELED);
	} else {
		EXPECT_SOON(test, READ_ONCE(cell->waited) == want->waiter);
	}
	kthread_stop_put(cell->waiter);
}

static void check(struct kunit *test, enum state state, enum trigger trigger)
{
	const struct outcome *want = &table[state][trigger];
	struct env *env = test->priv;
	struct cell cell = {
		.env = env,
		.queued.release = queued_release,
		.fresh.release = fresh_release,
	};
	bool gone = state == DEAD || trigger == DESTROY;
	int ret;

	INIT_LIST_HEAD(&cell.queued.list);
	INIT_LIST_HEAD(&cell.fresh.list);
	cell.tevd = env_evd(env, QLEN, DAT_EVD_SOFTWARE_FLAG);
	enter(test, &cell, state);
	ret = apply(&cell, trigger);

	KUNIT_EXPECT_EQ(test, ret, want->ret);
	KUNIT_EXPECT_EQ(test, kdapl_evd_count(cell.tevd.evd), want->count);
	if (!gone)
		KUNIT_EXPECT_EQ(test, READ_ONCE(cell.tevd.evd->ring->flags),
				want->flags);
	KUNIT_EXPECT_EQ(test, cell.fresh_released + cell.queued_released,
			want->released);
	if (state == WAITING)
		check_waiter(test, &cell, want);
	if (test->status == KUNIT_FAILURE)
		kunit_err(test, "at the latest in: %s, %s", state_name[state],
			  trigger_name[trigger]);

	/* The records are on this stack: the EVD must not keep them. */
	kdapl_evd_cancel(cell.tevd.evd, &cell.fresh);
	kdapl_evd_cancel(cell.tevd.evd, &cell.queued);
}

static void evd_table_state(struct kunit *test)
{
	const enum state *state = test->param_value;
	enum trigger trigger;

	for (trigger = 0; trigger < TRIGGERS; trigger++)
		check(test, *state, trigger);
}

static const enum state states[] = { IDLE, WAITING, FULL, BACKLOG, DEAD, KILLED };

static void state_desc(const enum state *state, char *desc)
{
	strscpy(desc, state_name[*state], KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(states, states, state_desc);

static struct kunit_case evd_table_cases[] = {
	KUNIT_CASE_PARAM(evd_table_state, states_gen_params),
	{}
};

static struct kunit_suite evd_table_suite = {
	.name = "kdapl-evd-table",
	.init = env_init,
	.exit = env_exit,
	.test_cases = evd_table_cases,
};

kunit_test_suite(evd_table_suite);

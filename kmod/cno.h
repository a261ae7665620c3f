/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CNO: wakes one thread, or a program's agent, for the events of many EVDs.
 *
 * A trigger stays until a wait takes it; more of them meanwhile change nothing.
 * The agent is told of the first trigger after it was armed, whatever becomes of
 * the waits.
 */
#ifndef KDAPL_CNO_H
#define KDAPL_CNO_H

#include <linux/spinlock.h>
#include <linux/wait.h>

#include "obj.h"

struct file;

/**
 * struct kdapl_cno - a consumer notification object
 * @obj: one user for each EVD and for each wait; a reference for each file
 * @lock: guards the rest; inside an EVD's lock, softirq-safe
 * @wait: waits, the agent's and those in poll()
 * @evds: EVDs that it is the CNO of
 * @releases: all waits were released: another odd number
 * @triggered: an event came, and no wait has taken it
 * @released: for good, before it is freed
 * @agent_armed: the next trigger is the agent's, too
 * @agent_due: the agent has to be told
 * @trigger: the word of the EVD that triggered it
 * @agent_trigger: the same for the agent
 * @agent: the number of the agent that was armed last; who has to be told is that one
 */
struct kdapl_cno {
	struct kdapl_obj obj;
	spinlock_t lock;	/* see above */
	wait_queue_head_t wait;
	u32 evds;
	u32 releases;
	bool triggered;
	bool released;
	bool agent_armed;
	bool agent_due;
	u64 trigger;
	u64 agent_trigger;
	u32 agent;
};

static inline struct kdapl_cno *to_cno(struct kdapl_obj *obj)
{
	return container_of(obj, struct kdapl_cno, obj);
}

/* Doors: may sleep. */
int kdapl_cno_create(struct kdapl_ia *ia, struct kdapl_cno_create *arg);
int kdapl_cno_wait(struct kdapl_cno *cno, struct kdapl_cno_wait *arg);
int kdapl_cno_modify(struct kdapl_cno *cno, u32 op, u32 agent);
/**
 * kdapl_cno_file() - make a file that tells poll() of the triggers
 * @cno: the CNO
 *
 * The file needs nothing of the IA, and of the CNO only the memory: which of them is
 * freed first does not matter.
 *
 * Return: the file, or -ENFILE or -ENOMEM as a pointer.
 */
struct file *kdapl_cno_file(struct kdapl_cno *cno);

/* An event came to the EVD with this word. Any context up to softirq. */
void kdapl_cno_trigger(struct kdapl_cno *cno, u64 evd);

/* An EVD begins to use it, and ends; @freed: because it is freed. */
void kdapl_cno_attach(struct kdapl_cno *cno);
void kdapl_cno_detach(struct kdapl_cno *cno, bool freed);

#endif /* KDAPL_CNO_H */

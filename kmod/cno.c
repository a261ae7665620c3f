// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CNO: wakes one thread, or a program's agent, for the events of many EVDs. */

#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "cno.h"
#include "ia.h"

/* Caller holds the lock. @evd is 0 when everybody is only to be released. */
static void cno_wake_agent(struct kdapl_cno *cno, u64 evd)
{
	if (!cno->agent_armed)
		return;
	cno->agent_armed = false;
	cno->agent_due = true;
	cno->agent_trigger = evd;
}

void kdapl_cno_trigger(struct kdapl_cno *cno, u64 evd)
{
	bool wake;

	spin_lock_bh(&cno->lock);
	/*
	 * Everybody was woken when it was triggered, and who came since has seen it.
	 * Those that poll stay in the queue: they are not to be walked for each event
	 * of a burst.
	 */
	wake = cno->agent_armed || !cno->triggered;
	cno_wake_agent(cno, evd);
	if (!cno->triggered) {
		cno->triggered = true;
		cno->trigger = evd;
	}
	/*
	 * All of them: one that is woken may leave for a signal. Who finds the
	 * trigger taken sleeps again.
	 */
	if (wake)
		wake_up_all(&cno->wait);
	spin_unlock_bh(&cno->lock);
}

/* Caller holds the lock. */
static void cno_release(struct kdapl_cno *cno)
{
	cno->releases += 2;
	cno_wake_agent(cno, 0);
	wake_up_all(&cno->wait);
}

void kdapl_cno_attach(struct kdapl_cno *cno)
{
	spin_lock_bh(&cno->lock);
	cno->evds++;
	spin_unlock_bh(&cno->lock);
}

void kdapl_cno_detach(struct kdapl_cno *cno, bool freed)
{
	spin_lock_bh(&cno->lock);
	if (!--cno->evds && freed)
		cno_release(cno);
	spin_unlock_bh(&cno->lock);
}

/* 0: there is something, for a wait or for the agent. 1: go on waiting. */
static int cno_take(struct kdapl_cno *cno, struct kdapl_cno_wait *arg)
{
	bool agent = arg->flags & KDAPL_CNO_AGENT;
	int ret = 0;

	spin_lock_bh(&cno->lock);
	if (agent && cno->agent_due) {
		cno->agent_due = false;
		arg->evd_user = cno->agent_trigger;
		arg->agent = cno->agent;
	} else if (!agent && cno->triggered) {
		cno->triggered = false;
		arg->evd_user = cno->trigger;
	} else if (agent && cno->released) {
		ret = -ECANCELED;
	} else if (!agent && (cno->released || cno->releases != arg->began)) {
		arg->evd_user = 0;
	} else {
		ret = 1;
	}
	spin_unlock_bh(&cno->lock);
	return ret;
}

int kdapl_cno_wait(struct kdapl_cno *cno, struct kdapl_cno_wait *arg)
{
	/* Past KTIME_MAX a deadline would count as long gone. */
	ktime_t deadline = min_t(u64, arg->deadline_ns, KTIME_MAX);
	bool expired = false;
	DEFINE_WAIT(entry);
	int ret;

	if (!arg->began)
		arg->began = READ_ONCE(cno->releases);
	for (;;) {
		prepare_to_wait(&cno->wait, &entry, TASK_INTERRUPTIBLE);
		ret = cno_take(cno, arg);
		if (ret <= 0)
			break;
		ret = -ETIMEDOUT;
		if (expired)
			break;
		ret = -EINTR;
		if (signal_pending(current))
			break;
		if (arg->deadline_ns == KDAPL_DEADLINE_NONE)
			schedule();
		else
			expired = !schedule_hrtimeout(&deadline,
						      HRTIMER_MODE_ABS);
	}
	finish_wait(&cno->wait, &entry);
	return ret;
}

int kdapl_cno_modify(struct kdapl_cno *cno, u32 op, u32 agent)
{
	int ret = 0;

	spin_lock_bh(&cno->lock);
	switch (op) {
	case KDAPL_CNO_ARM:
		/* Of a trigger before this one the new agent is not told. */
		cno->agent_armed = true;
		cno->agent_due = false;
		cno->agent = agent;
		break;
	case KDAPL_CNO_DISARM:
		cno->agent_armed = false;
		cno->agent_due = false;
		break;
	case KDAPL_CNO_GIVE_BACK:
		/* It still says of which EVD the latest one was. */
		if (!cno->triggered) {
			cno->triggered = true;
			wake_up_all(&cno->wait);
		}
		break;
	case KDAPL_CNO_RELEASE:
		cno->released = true;
		cno_release(cno);
		break;
	default:
		ret = -EINVAL;
	}
	spin_unlock_bh(&cno->lock);
	return ret;
}

/* ---- the file for poll() ------------------------------------------------- */

static __poll_t cno_poll(struct file *filp, poll_table *wait)
{
	struct kdapl_cno *cno = filp->private_data;
	__poll_t events = 0;

	/* First: what triggers it from now on wakes. */
	poll_wait(filp, &cno->wait, wait);
	spin_lock_bh(&cno->lock);
	if (cno->triggered || cno->released)
		events |= EPOLLIN | EPOLLRDNORM;
	if (cno->released)
		events |= EPOLLHUP;
	spin_unlock_bh(&cno->lock);
	return events;
}

static int cno_close(struct inode *inode, struct file *filp)
{
	struct kdapl_cno *cno = filp->private_data;

	kdapl_obj_put(&cno->obj);
	return 0;
}

static const struct file_operations kdapl_cno_fops = {
	.owner = THIS_MODULE,
	.poll = cno_poll,
	.release = cno_close,
};

struct file *kdapl_cno_file(struct kdapl_cno *cno)
{
	struct file *filp;

	refcount_inc(&cno->obj.ref);
	filp = anon_inode_getfile("[kdapl-cno]", &kdapl_cno_fops, cno, O_RDONLY);
	if (IS_ERR(filp))
		kdapl_obj_put(&cno->obj);
	return filp;
}

/* ---- creation and freeing ------------------------------------------------ */

/* No EVD has it, and nobody waits but perhaps the agent, who is not called. */
static void cno_obj_destroy(struct kdapl_obj *obj)
{
	struct kdapl_cno *cno = to_cno(obj);

	spin_lock_bh(&cno->lock);
	cno->agent_armed = false;
	cno->agent_due = false;
	cno->released = true;
	wake_up_all(&cno->wait);
	spin_unlock_bh(&cno->lock);
}

static void cno_obj_release(struct kdapl_obj *obj)
{
	kfree(to_cno(obj));
}

static const struct kdapl_obj_ops kdapl_cno_ops = {
	.type = KDAPL_OBJ_CNO,
	.destroy = cno_obj_destroy,
	.release = cno_obj_release,
};

int kdapl_cno_create(struct kdapl_ia *ia, struct kdapl_cno_create *arg)
{
	struct kdapl_cno *cno;
	int ret;

	cno = kzalloc(sizeof(*cno), kdapl_ia_gfp(ia));
	if (!cno)
		return -ENOMEM;
	spin_lock_init(&cno->lock);
	init_waitqueue_head(&cno->wait);
	cno->releases = 1;
	ret = kdapl_obj_init(&cno->obj, ia, &kdapl_cno_ops, arg->user);
	if (ret) {
		kfree(cno);
		return ret;
	}
	arg->id = cno->obj.id;
	kdapl_obj_publish(&cno->obj);
	return 0;
}

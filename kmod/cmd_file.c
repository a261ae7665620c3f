// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Commands of any file: those that there are before it has an IA, and those that are
 * not bracketed by kdapl_ia_enter(), since they sleep long, are called often, or are
 * of use when the device is gone.
 */

#include <linux/err.h>
#include <linux/file.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "account.h"
#include "adapter.h"
#include "chardev.h"
#include "cmd.h"
#include "cno.h"
#include "cq.h"
#include "evd.h"
#include "ia.h"

int kdapl_cmd_query(struct kdapl_file *file, void *data)
{
	struct kdapl_query *arg = data;

	*arg = (struct kdapl_query){
		.size = arg->size,
		.abi_version = KDAPL_ABI_VERSION,
		.num_adapters = kdapl_adapter_count(current->nsproxy->net_ns),
		.max_sq_entries = KDAPL_SQ_MAX,
		.max_evd_qlen = KDAPL_EVD_QLEN_MAX,
		.module_version = KDAPL_VERSION,
		.pinned = kdapl_pinned_read(),
	};
	kdapl_sq_counters(&arg->posts, &arg->doorbells);
	return 0;
}

int kdapl_cmd_adapter(struct kdapl_file *file, void *data)
{
	return kdapl_adapter_describe(current->nsproxy->net_ns, data);
}

static struct kdapl_ia *ia_open(struct kdapl_ia_open *arg)
{
	struct kdapl_ia *ia, *owner;
	struct file *filp;

	if (!arg->async_evd)
		return arg->async_file ? ERR_PTR(-EINVAL) :
					 kdapl_ia_open(arg, NULL);
	owner = kdapl_ia_of_fd(arg->async_file, &filp);
	if (IS_ERR(owner))
		return owner;
	ia = kdapl_ia_open(arg, owner);
	fput(filp);
	return ia;
}

int kdapl_cmd_ia_open(struct kdapl_file *file, void *data)
{
	struct kdapl_ia *ia;
	int ret = 0;

	if (mutex_lock_killable(&file->lock))
		return -EINTR;
	if (file->ia) {
		ret = -EBADFD;
		goto out;
	}
	ret = kdapl_file_follow(file);
	if (ret)
		goto out;
	ia = ia_open(data);
	if (IS_ERR(ia)) {
		ret = PTR_ERR(ia);
		goto out;
	}
	/* Pairs with kdapl_file_ia(). */
	smp_store_release(&file->ia, ia);
out:
	mutex_unlock(&file->lock);
	return ret;
}

/*
 * Not inside kdapl_ia_enter(): posting finds an EP's queue pair under the EP's
 * lock, and polling an IA's completion queues under its cq_lock. A removal of the
 * device takes them away under the same locks.
 */
static int ring(struct kdapl_ia *ia, bool poll, u32 evd)
{
	/*
	 * What is in the ring is posted already, and ends as flushed: an error would say
	 * that it is not. There is nothing to poll any more.
	 */
	if (poll && !READ_ONCE(ia->dead))
		return kdapl_cq_busy_poll(ia, evd);
	kdapl_cq_doorbell(ia);
	return 0;
}

int kdapl_cmd_submit(struct kdapl_file *file, void *data)
{
	struct kdapl_ia *ia = kdapl_file_ia(file);
	struct kdapl_submit *arg = data;

	if (!ia)
		return -EBADFD;
	if (arg->flags & ~KDAPL_SUBMIT_POLL || arg->pad)
		return -EINVAL;
	if (!(arg->flags & KDAPL_SUBMIT_POLL) && arg->evd)
		return -EINVAL;
	return ring(ia, arg->flags & KDAPL_SUBMIT_POLL, arg->evd);
}

long kdapl_doorbell(struct kdapl_file *file, unsigned long evd)
{
	struct kdapl_ia *ia = kdapl_file_ia(file);

	if (!ia)
		return -EBADFD;
	if (upper_32_bits(evd))
		return -EINVAL;
	return ring(ia, evd, evd);
}

/* Sleeps with nothing held but a reference to the EVD. */
int kdapl_cmd_evd_wait(struct kdapl_file *file, void *data)
{
	struct kdapl_ia *ia = kdapl_file_ia(file);
	struct kdapl_evd_wait *arg = data;
	struct kdapl_obj *obj;
	int ret;

	if (!ia)
		return -EBADFD;
	kdapl_sq_drain(&ia->sq);
	obj = kdapl_obj_get(ia, arg->evd, KDAPL_OBJ_EVD);
	if (!obj)
		return -ENOENT;
	ret = kdapl_evd_wait(to_evd(obj), arg->threshold, arg->deadline_ns,
			     &arg->began);
	kdapl_obj_put(obj);
	return ret;
}

/* Also after the device went: its last events may still wait for room. */
int kdapl_cmd_evd_fill(struct kdapl_file *file, void *data)
{
	struct kdapl_ia *ia = kdapl_file_ia(file);
	struct kdapl_evd_fill *arg = data;
	struct kdapl_obj *obj;

	if (!ia)
		return -EBADFD;
	if (arg->pad)
		return -EINVAL;
	kdapl_sq_drain(&ia->sq);
	obj = kdapl_obj_get(ia, arg->evd, KDAPL_OBJ_EVD);
	if (!obj)
		return -ENOENT;
	kdapl_cq_ask(to_evd(obj));
	arg->queued = kdapl_evd_fill(to_evd(obj));
	kdapl_obj_put(obj);
	return 0;
}

/* Sleeps; a wait is a user of the CNO, which so cannot be freed, the agent's not. */
int kdapl_cmd_cno_wait(struct kdapl_file *file, void *data)
{
	struct kdapl_ia *ia = kdapl_file_ia(file);
	struct kdapl_cno_wait *arg = data;
	bool agent = arg->flags & KDAPL_CNO_AGENT;
	struct kdapl_obj *obj;
	int ret;

	if (!ia)
		return -EBADFD;
	if (arg->flags & ~KDAPL_CNO_AGENT || arg->agent || arg->pad)
		return -EINVAL;
	kdapl_sq_drain(&ia->sq);
	obj = agent ? kdapl_obj_get(ia, arg->cno, KDAPL_OBJ_CNO) :
		      kdapl_obj_use(ia, arg->cno, KDAPL_OBJ_CNO);
	if (!obj)
		return -ENOENT;
	ret = kdapl_cno_wait(to_cno(obj), arg);
	if (agent)
		kdapl_obj_put(obj);
	else
		kdapl_obj_unuse(obj);
	return ret;
}

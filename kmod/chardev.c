// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * /dev/kdapl: the door for programs.
 *
 * A command's number finds its row in a table; what a row's function gets is
 * the module's own copy of the argument. The functions here look objects up
 * and call the core, no more.
 */

#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/nsproxy.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "account.h"
#include "adapter.h"
#include "chardev.h"
#include "cno.h"
#include "cr.h"
#include "ep.h"
#include "evd.h"
#include "ia.h"
#include "lmr.h"
#include "sp.h"
#include "srq.h"

/**
 * struct kdapl_file - an open file
 * @mm: the opener's, held by mmgrab(); nobody else may use the file
 * @lock: one IA_OPEN at a time
 * @ia: NULL, then the IA for the rest of the file's life
 */
struct kdapl_file {
	struct mm_struct *mm;
	struct mutex lock;	/* guards the opening */
	struct kdapl_ia *ia;
};

/* The file's IA, or NULL before IA_OPEN. */
static struct kdapl_ia *file_ia(struct kdapl_file *file)
{
	/* Pairs with the release in cmd_ia_open(): the IA is complete. */
	return smp_load_acquire(&file->ia);
}

/* ---- commands of any file ------------------------------------------------ */

static int cmd_query(struct kdapl_file *file, void *data)
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

static int cmd_adapter(struct kdapl_file *file, void *data)
{
	return kdapl_adapter_describe(current->nsproxy->net_ns, data);
}

static const struct file_operations kdapl_fops;

/* The file keeps its IA. */
static struct kdapl_ia *ia_of_fd(int fd, struct file **filp)
{
	struct kdapl_file *file;
	struct kdapl_ia *ia = NULL;
	int ret = -EBADF;

	*filp = fget(fd);
	if (!*filp)
		return ERR_PTR(ret);
	if ((*filp)->f_op == &kdapl_fops) {
		file = (*filp)->private_data;
		if (file->mm == current->mm)
			ia = file_ia(file);
		else
			ret = -EACCES;
	}
	if (ia)
		return ia;
	fput(*filp);
	return ERR_PTR(ret);
}

static struct kdapl_ia *ia_open(struct kdapl_ia_open *arg)
{
	struct kdapl_ia *ia, *owner;
	struct file *filp;

	if (!arg->async_evd)
		return arg->async_file ? ERR_PTR(-EINVAL) :
					 kdapl_ia_open(arg, NULL);
	owner = ia_of_fd(arg->async_file, &filp);
	if (IS_ERR(owner))
		return owner;
	ia = kdapl_ia_open(arg, owner);
	fput(filp);
	return ia;
}

static int cmd_ia_open(struct kdapl_file *file, void *data)
{
	struct kdapl_ia *ia;
	int ret = 0;

	if (mutex_lock_killable(&file->lock))
		return -EINTR;
	if (file->ia) {
		ret = -EBADFD;
		goto out;
	}
	ia = ia_open(data);
	if (IS_ERR(ia)) {
		ret = PTR_ERR(ia);
		goto out;
	}
	/* Pairs with file_ia(). */
	smp_store_release(&file->ia, ia);
out:
	mutex_unlock(&file->lock);
	return ret;
}

static int submit_and_poll(struct kdapl_ia *ia, u32 id)
{
	struct kdapl_obj *evd;
	int ret;

	kdapl_sq_doorbell(&ia->sq);
	evd = kdapl_obj_get(ia, id, KDAPL_OBJ_EVD);
	if (!evd)
		return -ENOENT;
	ret = kdapl_cq_busy_poll(ia, to_evd(evd));
	kdapl_obj_put(evd);
	return ret;
}

/*
 * Not inside kdapl_ia_enter(): posting finds an EP's queue pair under the EP's
 * lock, and polling an IA's completion queues under its cq_lock. A removal of the
 * device takes them away under the same locks.
 */
static int cmd_submit(struct kdapl_file *file, void *data)
{
	struct kdapl_ia *ia = file_ia(file);
	struct kdapl_submit *arg = data;

	if (!ia)
		return -EBADFD;
	if (arg->flags & ~KDAPL_SUBMIT_POLL || arg->pad)
		return -EINVAL;
	if (READ_ONCE(ia->dead))
		return -ENODEV;
	if (arg->flags & KDAPL_SUBMIT_POLL)
		return submit_and_poll(ia, arg->evd);
	if (arg->evd)
		return -EINVAL;
	kdapl_sq_doorbell(&ia->sq);
	return 0;
}

/* Sleeps with nothing held but a reference to the EVD. */
static int cmd_evd_wait(struct kdapl_file *file, void *data)
{
	struct kdapl_ia *ia = file_ia(file);
	struct kdapl_evd_wait *arg = data;
	struct kdapl_obj *obj;
	int ret;

	if (!ia)
		return -EBADFD;
	if (arg->pad)
		return -EINVAL;
	kdapl_sq_drain(&ia->sq);
	obj = kdapl_obj_get(ia, arg->evd, KDAPL_OBJ_EVD);
	if (!obj)
		return -ENOENT;
	ret = kdapl_evd_wait(to_evd(obj), arg->threshold, arg->deadline_ns);
	kdapl_obj_put(obj);
	return ret;
}

/* Also after the device went: its last events may still wait for room. */
static int cmd_evd_fill(struct kdapl_file *file, void *data)
{
	struct kdapl_ia *ia = file_ia(file);
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
static int cmd_cno_wait(struct kdapl_file *file, void *data)
{
	struct kdapl_ia *ia = file_ia(file);
	struct kdapl_cno_wait *arg = data;
	bool agent = arg->flags & KDAPL_CNO_AGENT;
	struct kdapl_obj *obj;
	int ret;

	if (!ia)
		return -EBADFD;
	if (arg->flags & ~KDAPL_CNO_AGENT || arg->pad)
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

/* ---- commands of an IA --------------------------------------------------- */

static int cmd_ia_query(struct kdapl_ia *ia, void *data)
{
	return kdapl_ia_query(ia, data);
}

static int cmd_destroy(struct kdapl_ia *ia, void *data)
{
	struct kdapl_destroy *arg = data;

	if (arg->pad || arg->type < KDAPL_OBJ_PZ || arg->type > KDAPL_OBJ_RSP)
		return -EINVAL;
	/* RMRs that are bound to it no more may not have let go of it yet. */
	if (arg->type == KDAPL_OBJ_LMR)
		kdapl_reaper_flush(&ia->reaper);
	return kdapl_obj_destroy(ia, arg->id, arg->type);
}

static int cmd_pz_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_pz_create(ia, data);
}

static int cmd_lmr_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_lmr_create(ia, data);
}

static int cmd_rmr_create(struct kdapl_ia *ia, void *data)
{
	struct kdapl_rmr_create *arg = data;

	return arg->pad ? -EINVAL : kdapl_rmr_create(ia, arg);
}

static int cmd_rmr_bind(struct kdapl_ia *ia, void *data)
{
	return kdapl_rmr_bind(ia, data);
}

static int cmd_evd_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_evd_create(ia, data);
}

static int cmd_evd_waitable(struct kdapl_ia *ia, void *data)
{
	struct kdapl_evd_waitable *arg = data;
	struct kdapl_obj *obj;

	if (arg->waitable > 1 || arg->pad)
		return -EINVAL;
	obj = kdapl_obj_get(ia, arg->evd, KDAPL_OBJ_EVD);
	if (!obj)
		return -ENOENT;
	kdapl_evd_set_waitable(to_evd(obj), arg->waitable);
	kdapl_obj_put(obj);
	return 0;
}

static int cmd_evd_post_se(struct kdapl_ia *ia, void *data)
{
	struct kdapl_evd_post_se *arg = data;
	struct kdapl_obj *obj = kdapl_obj_get(ia, arg->evd, KDAPL_OBJ_EVD);
	int ret;

	if (!obj)
		return -ENOENT;
	ret = kdapl_evd_post_se(to_evd(obj), arg->cookie);
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_evd_notify(struct kdapl_ia *ia, void *data)
{
	struct kdapl_evd_notify *arg = data;
	struct kdapl_obj *obj;
	int ret;

	if (arg->enabled > 1)
		return -EINVAL;
	obj = kdapl_obj_get(ia, arg->evd, KDAPL_OBJ_EVD);
	if (!obj)
		return -ENOENT;
	ret = kdapl_evd_set_notify(to_evd(obj), arg);
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_cno_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_cno_create(ia, data);
}

static int cmd_cno_modify(struct kdapl_ia *ia, void *data)
{
	struct kdapl_cno_modify *arg = data;
	struct kdapl_obj *obj;
	int ret;

	if (arg->pad)
		return -EINVAL;
	obj = kdapl_obj_get(ia, arg->cno, KDAPL_OBJ_CNO);
	if (!obj)
		return -ENOENT;
	ret = kdapl_cno_modify(to_cno(obj), arg->op);
	kdapl_obj_put(obj);
	return ret;
}

static int cno_open_fd(struct kdapl_cno *cno, s32 *fd)
{
	struct file *filp;
	int ret;

	ret = get_unused_fd_flags(O_CLOEXEC);
	if (ret < 0)
		return ret;
	filp = kdapl_cno_file(cno);
	if (IS_ERR(filp)) {
		put_unused_fd(ret);
		return PTR_ERR(filp);
	}
	*fd = ret;
	/* From here on another thread can close it. */
	fd_install(ret, filp);
	return 0;
}

static int cmd_cno_fd(struct kdapl_ia *ia, void *data)
{
	struct kdapl_cno_fd *arg = data;
	struct kdapl_obj *obj;
	int ret;

	if (arg->pad)
		return -EINVAL;
	obj = kdapl_obj_get(ia, arg->cno, KDAPL_OBJ_CNO);
	if (!obj)
		return -ENOENT;
	ret = cno_open_fd(to_cno(obj), &arg->fd);
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_evd_resize(struct kdapl_ia *ia, void *data)
{
	struct kdapl_evd_resize *arg = data;
	struct kdapl_obj *obj = kdapl_obj_get(ia, arg->evd, KDAPL_OBJ_EVD);
	int ret;

	if (!obj)
		return -ENOENT;
	ret = kdapl_evd_resize(to_evd(obj), arg);
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_ep_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_ep_create(ia, data);
}

static int cmd_ep_query(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_query *arg = data;
	struct kdapl_obj *obj = kdapl_obj_get(ia, arg->ep, KDAPL_OBJ_EP);
	int ret;

	if (!obj)
		return -ENOENT;
	ret = kdapl_ep_query(to_ep(obj), arg);
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_ep_connect(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_connect *arg = data;
	struct kdapl_obj *obj = kdapl_obj_get(ia, arg->ep, KDAPL_OBJ_EP);
	int ret;

	if (!obj)
		return -ENOENT;
	ret = kdapl_ep_connect(to_ep(obj), arg);
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_ep_disconnect(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_disconnect *arg = data;
	struct kdapl_obj *obj;
	int ret;

	if (arg->pad)
		return -EINVAL;
	obj = kdapl_obj_get(ia, arg->ep, KDAPL_OBJ_EP);
	if (!obj)
		return -ENOENT;
	ret = kdapl_ep_disconnect(to_ep(obj), arg->close_flags);
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_ep_reset(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_reset *arg = data;
	struct kdapl_obj *obj = kdapl_obj_get(ia, arg->ep, KDAPL_OBJ_EP);
	int ret;

	if (!obj)
		return -ENOENT;
	ret = kdapl_ep_reset(to_ep(obj));
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_ep_set_marks(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_set_marks *arg = data;
	struct kdapl_obj *obj;
	int ret;

	if (arg->pad)
		return -EINVAL;
	obj = kdapl_obj_get(ia, arg->ep, KDAPL_OBJ_EP);
	if (!obj)
		return -ENOENT;
	ret = kdapl_ep_set_marks(to_ep(obj), arg);
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_ep_modify(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_modify *arg = data;
	struct kdapl_obj *obj = kdapl_obj_get(ia, arg->ep, KDAPL_OBJ_EP);
	int ret;

	if (!obj)
		return -ENOENT;
	ret = kdapl_ep_modify(to_ep(obj), arg);
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_srq_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_srq_create(ia, data);
}

static int cmd_srq_resize(struct kdapl_ia *ia, void *data)
{
	struct kdapl_srq_resize *arg = data;
	struct kdapl_obj *obj = kdapl_obj_get(ia, arg->srq, KDAPL_OBJ_SRQ);
	int ret;

	if (!obj)
		return -ENOENT;
	ret = kdapl_srq_resize(to_srq(obj), arg);
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_srq_set_low(struct kdapl_ia *ia, void *data)
{
	struct kdapl_srq_set_low *arg = data;
	struct kdapl_obj *obj;
	int ret;

	if (arg->pad)
		return -EINVAL;
	obj = kdapl_obj_get(ia, arg->srq, KDAPL_OBJ_SRQ);
	if (!obj)
		return -ENOENT;
	ret = kdapl_srq_set_low(to_srq(obj), arg->low);
	kdapl_obj_put(obj);
	return ret;
}

static int cmd_psp_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_psp_create(ia, data);
}

static int cmd_rsp_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_rsp_create(ia, data);
}

static int cmd_csp_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_csp_create(ia, data, NULL);
}

static int cmd_cr_offer(struct kdapl_ia *ia, void *data)
{
	return kdapl_cr_offer(ia, data);
}

static int cmd_cr_handoff(struct kdapl_ia *ia, void *data)
{
	return kdapl_cr_handoff(ia, data);
}

static int cmd_cr_query(struct kdapl_ia *ia, void *data)
{
	return kdapl_cr_query(ia, data);
}

static int cmd_cr_accept(struct kdapl_ia *ia, void *data)
{
	return kdapl_cr_accept(ia, data);
}

static int cmd_cr_reject(struct kdapl_ia *ia, void *data)
{
	return kdapl_cr_reject(ia, data);
}

/* ---- the table ----------------------------------------------------------- */

/**
 * struct kdapl_cmd - one command
 * @number: as the uapi header has it, with the size of the argument
 * @min_size: of the argument's first version
 * @frees: works without the device
 * @any: the function, for a command that can do without an IA
 * @ia: the function, for one that is bracketed by kdapl_ia_enter()
 */
struct kdapl_cmd {
	u32 number;
	u32 min_size;
	bool frees;
	int (*any)(struct kdapl_file *file, void *data);
	int (*ia)(struct kdapl_ia *ia, void *data);
};

/* The end of a structure's first version. */
#define V1(type, member)	offsetofend(struct type, member)

static const struct kdapl_cmd kdapl_cmds[] = {
	[_IOC_NR(KDAPL_QUERY)] = {
		KDAPL_QUERY, V1(kdapl_query, pinned),
		.any = cmd_query,
	},
	[_IOC_NR(KDAPL_ADAPTER)] = {
		KDAPL_ADAPTER, V1(kdapl_adapter, driver),
		.any = cmd_adapter,
	},
	[_IOC_NR(KDAPL_IA_OPEN)] = {
		KDAPL_IA_OPEN, V1(kdapl_ia_open, pad),
		.any = cmd_ia_open,
	},
	[_IOC_NR(KDAPL_IA_QUERY)] = {
		KDAPL_IA_QUERY, V1(kdapl_ia_query, pad3),
		.ia = cmd_ia_query,
	},
	[_IOC_NR(KDAPL_DESTROY)] = {
		KDAPL_DESTROY, V1(kdapl_destroy, pad),
		.ia = cmd_destroy, .frees = true,
	},
	[_IOC_NR(KDAPL_PZ_CREATE)] = {
		KDAPL_PZ_CREATE, V1(kdapl_pz_create, id),
		.ia = cmd_pz_create,
	},
	[_IOC_NR(KDAPL_LMR_CREATE)] = {
		KDAPL_LMR_CREATE, V1(kdapl_lmr_create, memlock_needed),
		.ia = cmd_lmr_create,
	},
	[_IOC_NR(KDAPL_EVD_CREATE)] = {
		KDAPL_EVD_CREATE, V1(kdapl_evd_create, head),
		.ia = cmd_evd_create,
	},
	[_IOC_NR(KDAPL_EVD_WAIT)] = {
		KDAPL_EVD_WAIT, V1(kdapl_evd_wait, deadline_ns),
		.any = cmd_evd_wait,
	},
	[_IOC_NR(KDAPL_EVD_FILL)] = {
		KDAPL_EVD_FILL, V1(kdapl_evd_fill, pad),
		.any = cmd_evd_fill,
	},
	[_IOC_NR(KDAPL_EP_CREATE)] = {
		KDAPL_EP_CREATE, V1(kdapl_ep_create, request_notify),
		.ia = cmd_ep_create,
	},
	[_IOC_NR(KDAPL_EP_QUERY)] = {
		KDAPL_EP_QUERY, V1(kdapl_ep_query, private_data),
		.ia = cmd_ep_query,
	},
	[_IOC_NR(KDAPL_EP_CONNECT)] = {
		KDAPL_EP_CONNECT, V1(kdapl_ep_connect, private_data),
		.ia = cmd_ep_connect,
	},
	[_IOC_NR(KDAPL_EP_DISCONNECT)] = {
		KDAPL_EP_DISCONNECT, V1(kdapl_ep_disconnect, pad),
		.ia = cmd_ep_disconnect,
	},
	[_IOC_NR(KDAPL_EP_RESET)] = {
		KDAPL_EP_RESET, V1(kdapl_ep_reset, ep),
		.ia = cmd_ep_reset,
	},
	[_IOC_NR(KDAPL_PSP_CREATE)] = {
		KDAPL_PSP_CREATE, V1(kdapl_psp_create, user),
		.ia = cmd_psp_create,
	},
	[_IOC_NR(KDAPL_CR_QUERY)] = {
		KDAPL_CR_QUERY, V1(kdapl_cr_query, ep_user),
		.ia = cmd_cr_query,
	},
	[_IOC_NR(KDAPL_CR_ACCEPT)] = {
		KDAPL_CR_ACCEPT, V1(kdapl_cr_accept, private_data),
		.ia = cmd_cr_accept,
	},
	[_IOC_NR(KDAPL_CR_REJECT)] = {
		KDAPL_CR_REJECT, V1(kdapl_cr_reject, private_data),
		.ia = cmd_cr_reject,
	},
	[_IOC_NR(KDAPL_SUBMIT)] = {
		KDAPL_SUBMIT, V1(kdapl_submit, pad),
		.any = cmd_submit,
	},
	[_IOC_NR(KDAPL_EVD_WAITABLE)] = {
		KDAPL_EVD_WAITABLE, V1(kdapl_evd_waitable, pad),
		.frees = true, .ia = cmd_evd_waitable,
	},
	[_IOC_NR(KDAPL_EVD_POST_SE)] = {
		KDAPL_EVD_POST_SE, V1(kdapl_evd_post_se, cookie),
		.frees = true, .ia = cmd_evd_post_se,
	},
	[_IOC_NR(KDAPL_EVD_RESIZE)] = {
		KDAPL_EVD_RESIZE, V1(kdapl_evd_resize, ring),
		.frees = true, .ia = cmd_evd_resize,
	},
	[_IOC_NR(KDAPL_EVD_NOTIFY)] = {
		KDAPL_EVD_NOTIFY, V1(kdapl_evd_notify, enabled),
		.frees = true, .ia = cmd_evd_notify,
	},
	[_IOC_NR(KDAPL_CNO_CREATE)] = {
		KDAPL_CNO_CREATE, V1(kdapl_cno_create, user),
		.ia = cmd_cno_create,
	},
	[_IOC_NR(KDAPL_CNO_WAIT)] = {
		KDAPL_CNO_WAIT, V1(kdapl_cno_wait, evd_user),
		.any = cmd_cno_wait,
	},
	[_IOC_NR(KDAPL_CNO_MODIFY)] = {
		KDAPL_CNO_MODIFY, V1(kdapl_cno_modify, pad),
		.frees = true, .ia = cmd_cno_modify,
	},
	[_IOC_NR(KDAPL_EP_SET_MARKS)] = {
		KDAPL_EP_SET_MARKS, V1(kdapl_ep_set_marks, pad),
		.ia = cmd_ep_set_marks,
	},
	[_IOC_NR(KDAPL_SRQ_CREATE)] = {
		KDAPL_SRQ_CREATE, V1(kdapl_srq_create, status),
		.ia = cmd_srq_create,
	},
	[_IOC_NR(KDAPL_SRQ_RESIZE)] = {
		KDAPL_SRQ_RESIZE, V1(kdapl_srq_resize, pad),
		.ia = cmd_srq_resize,
	},
	[_IOC_NR(KDAPL_SRQ_SET_LOW)] = {
		KDAPL_SRQ_SET_LOW, V1(kdapl_srq_set_low, pad),
		.ia = cmd_srq_set_low,
	},
	[_IOC_NR(KDAPL_RMR_CREATE)] = {
		KDAPL_RMR_CREATE, V1(kdapl_rmr_create, user),
		.ia = cmd_rmr_create,
	},
	[_IOC_NR(KDAPL_RMR_BIND)] = {
		KDAPL_RMR_BIND, V1(kdapl_rmr_bind, pad),
		.ia = cmd_rmr_bind,
	},
	[_IOC_NR(KDAPL_RSP_CREATE)] = {
		KDAPL_RSP_CREATE, V1(kdapl_rsp_create, user),
		.ia = cmd_rsp_create,
	},
	[_IOC_NR(KDAPL_EP_MODIFY)] = {
		KDAPL_EP_MODIFY, V1(kdapl_ep_modify, request_notify),
		.ia = cmd_ep_modify,
	},
	[_IOC_NR(KDAPL_CR_OFFER)] = {
		KDAPL_CR_OFFER, V1(kdapl_cr_offer, pad),
		.ia = cmd_cr_offer,
	},
	[_IOC_NR(KDAPL_CR_HANDOFF)] = {
		KDAPL_CR_HANDOFF, V1(kdapl_cr_handoff, conn_qual),
		.ia = cmd_cr_handoff,
	},
	[_IOC_NR(KDAPL_CSP_CREATE)] = {
		KDAPL_CSP_CREATE, V1(kdapl_csp_create, user),
		.ia = cmd_csp_create,
	},
	[_IOC_NR(KDAPL_CNO_FD)] = {
		KDAPL_CNO_FD, V1(kdapl_cno_fd, pad),
		.frees = true, .ia = cmd_cno_fd,
	},
};

/* One buffer takes every argument. */
union kdapl_arg {
	u32 size;
	struct kdapl_query query;
	struct kdapl_adapter adapter;
	struct kdapl_ia_open ia_open;
	struct kdapl_ia_query ia_query;
	struct kdapl_destroy destroy;
	struct kdapl_pz_create pz_create;
	struct kdapl_lmr_create lmr_create;
	struct kdapl_evd_create evd_create;
	struct kdapl_evd_wait evd_wait;
	struct kdapl_evd_fill evd_fill;
	struct kdapl_ep_create ep_create;
	struct kdapl_ep_query ep_query;
	struct kdapl_ep_connect ep_connect;
	struct kdapl_ep_disconnect ep_disconnect;
	struct kdapl_ep_reset ep_reset;
	struct kdapl_psp_create psp_create;
	struct kdapl_cr_query cr_query;
	struct kdapl_cr_accept cr_accept;
	struct kdapl_cr_reject cr_reject;
	struct kdapl_submit submit;
	struct kdapl_evd_waitable evd_waitable;
	struct kdapl_evd_post_se evd_post_se;
	struct kdapl_evd_resize evd_resize;
	struct kdapl_evd_notify evd_notify;
	struct kdapl_cno_create cno_create;
	struct kdapl_cno_wait cno_wait;
	struct kdapl_cno_modify cno_modify;
	struct kdapl_ep_set_marks ep_set_marks;
	struct kdapl_srq_create srq_create;
	struct kdapl_srq_resize srq_resize;
	struct kdapl_srq_set_low srq_set_low;
	struct kdapl_rmr_create rmr_create;
	struct kdapl_rmr_bind rmr_bind;
	struct kdapl_rsp_create rsp_create;
	struct kdapl_ep_modify ep_modify;
	struct kdapl_cr_offer cr_offer;
	struct kdapl_cr_handoff cr_handoff;
	struct kdapl_csp_create csp_create;
	struct kdapl_cno_fd cno_fd;
};

static int kdapl_run(struct kdapl_file *file, const struct kdapl_cmd *cmd,
		     void *data)
{
	struct kdapl_ia *ia;
	int ret;

	if (cmd->any)
		return cmd->any(file, data);

	ia = file_ia(file);
	if (!ia)
		return -EBADFD;
	if (cmd->frees) {
		kdapl_ia_enter_free(ia);
	} else {
		ret = kdapl_ia_enter(ia);
		if (ret)
			return ret;
	}
	/* What was posted before this call comes before it. */
	kdapl_sq_drain(&ia->sq);
	ret = cmd->ia(ia, data);
	kdapl_ia_leave(ia);
	return ret;
}

static long kdapl_control(struct kdapl_file *file, unsigned int nr,
			  void __user *user)
{
	const struct kdapl_cmd *cmd;
	union kdapl_arg arg;
	u32 size, known;
	int ret;

	if (nr >= ARRAY_SIZE(kdapl_cmds))
		return -ENOTTY;
	cmd = &kdapl_cmds[array_index_nospec(nr, ARRAY_SIZE(kdapl_cmds))];

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < cmd->min_size)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	known = _IOC_SIZE(cmd->number);
	ret = copy_struct_from_user(&arg, known, user, size);
	if (ret)
		return ret;
	/* The program may have changed it since. */
	arg.size = size;

	ret = kdapl_run(file, cmd, &arg);
	if (_IOC_DIR(cmd->number) & _IOC_READ &&
	    copy_to_user(user, &arg, min(size, known)))
		return -EFAULT;
	return ret;
}

/* The doorbell is the one command that is called often. */
static long kdapl_doorbell(struct kdapl_file *file, void __user *user)
{
	struct kdapl_submit arg;

	if (likely(!copy_from_user(&arg, user, sizeof(arg)) &&
		   arg.size == sizeof(arg)))
		return cmd_submit(file, &arg);
	return kdapl_control(file, _IOC_NR(KDAPL_SUBMIT), user);
}

static long kdapl_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct kdapl_file *file = filp->private_data;
	void __user *user = (void __user *)arg;

	if (current->mm != file->mm)
		return -EACCES;
	if (_IOC_TYPE(cmd) != KDAPL_IOC_TYPE)
		return -ENOTTY;
	if (_IOC_NR(cmd) == _IOC_NR(KDAPL_SUBMIT))
		return kdapl_doorbell(file, user);
	return kdapl_control(file, _IOC_NR(cmd), user);
}

/* ---- the file ------------------------------------------------------------ */

static int kdapl_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct kdapl_file *file = filp->private_data;
	struct kdapl_ia *ia = file_ia(file);

	if (current->mm != file->mm)
		return -EACCES;
	if (!ia)
		return -EBADFD;
	return kdapl_region_mmap(&ia->regions, vma);
}

static int kdapl_open(struct inode *inode, struct file *filp)
{
	struct kdapl_file *file;

	if (!current->mm)
		return -EACCES;
	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file)
		return -ENOMEM;
	mutex_init(&file->lock);
	file->mm = current->mm;
	mmgrab(file->mm);
	filp->private_data = file;
	return stream_open(inode, filp);
}

/* The last reference is gone: no call runs, nothing is mapped. */
static int kdapl_release(struct inode *inode, struct file *filp)
{
	struct kdapl_file *file = filp->private_data;

	if (file->ia)
		kdapl_ia_close(file->ia);
	mmdrop(file->mm);
	mutex_destroy(&file->lock);
	kfree(file);
	return 0;
}

static const struct file_operations kdapl_fops = {
	.owner = THIS_MODULE,
	.open = kdapl_open,
	.release = kdapl_release,
	.unlocked_ioctl = kdapl_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = kdapl_mmap,
};

static struct miscdevice kdapl_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kdapl",
	.fops = &kdapl_fops,
	/* Root's, until the udev rule gives it to the group for verbs. */
	.mode = 0600,
};

int kdapl_chardev_init(void)
{
	return misc_register(&kdapl_misc);
}

void kdapl_chardev_exit(void)
{
	misc_deregister(&kdapl_misc);
}

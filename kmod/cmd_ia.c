// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Commands of an IA: the object that one is about is looked up, and the core called;
 * no more. What a command's argument has to be zero for now is checked here, and the
 * rest where it has a meaning.
 */

#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>

#include "cmd.h"
#include "cno.h"
#include "cr.h"
#include "ep.h"
#include "evd.h"
#include "ia.h"
#include "lmr.h"
#include "rmr.h"
#include "sp.h"
#include "srq.h"

/* What @call returns for the object, or -ENOENT. */
static int call_on(struct kdapl_ia *ia, u32 id, enum kdapl_obj_type type,
		   int (*call)(struct kdapl_obj *obj, void *data), void *data)
{
	struct kdapl_obj *obj = kdapl_obj_get(ia, id, type);
	int ret;

	if (!obj)
		return -ENOENT;
	ret = call(obj, data);
	kdapl_obj_put(obj);
	return ret;
}

int kdapl_cmd_ia_query(struct kdapl_ia *ia, void *data)
{
	return kdapl_ia_query(ia, data);
}

int kdapl_cmd_destroy(struct kdapl_ia *ia, void *data)
{
	struct kdapl_destroy *arg = data;

	if (arg->pad || arg->type < KDAPL_OBJ_PZ || arg->type > KDAPL_OBJ_RSP)
		return -EINVAL;
	/* RMRs that are bound to it no more may not have let go of it yet. */
	if (arg->type == KDAPL_OBJ_LMR)
		kdapl_reaper_flush(&ia->reaper);
	return kdapl_obj_destroy(ia, arg->id, arg->type);
}

int kdapl_cmd_pz_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_pz_create(ia, data);
}

int kdapl_cmd_lmr_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_lmr_create(ia, data);
}

int kdapl_cmd_rmr_create(struct kdapl_ia *ia, void *data)
{
	struct kdapl_rmr_create *arg = data;

	return arg->pad ? -EINVAL : kdapl_rmr_create(ia, arg);
}

int kdapl_cmd_rmr_bind(struct kdapl_ia *ia, void *data)
{
	return kdapl_rmr_bind(ia, data);
}

int kdapl_cmd_evd_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_evd_create(ia, data);
}

static int evd_waitable(struct kdapl_obj *obj, void *data)
{
	struct kdapl_evd_waitable *arg = data;

	kdapl_evd_set_waitable(to_evd(obj), arg->waitable);
	return 0;
}

int kdapl_cmd_evd_waitable(struct kdapl_ia *ia, void *data)
{
	struct kdapl_evd_waitable *arg = data;

	if (arg->waitable > 1 || arg->pad)
		return -EINVAL;
	return call_on(ia, arg->evd, KDAPL_OBJ_EVD, evd_waitable, arg);
}

static int evd_post_se(struct kdapl_obj *obj, void *data)
{
	struct kdapl_evd_post_se *arg = data;

	return kdapl_evd_post_se(to_evd(obj), arg->cookie);
}

int kdapl_cmd_evd_post_se(struct kdapl_ia *ia, void *data)
{
	struct kdapl_evd_post_se *arg = data;

	return call_on(ia, arg->evd, KDAPL_OBJ_EVD, evd_post_se, arg);
}

static int evd_notify(struct kdapl_obj *obj, void *data)
{
	struct kdapl_evd_notify *arg = data;

	if (arg->enabled != KDAPL_EVD_TELL)
		return kdapl_evd_set_notify(to_evd(obj), arg);
	kdapl_evd_tell(to_evd(obj));
	return 0;
}

int kdapl_cmd_evd_notify(struct kdapl_ia *ia, void *data)
{
	struct kdapl_evd_notify *arg = data;

	if (arg->enabled > KDAPL_EVD_TELL ||
	    (arg->enabled == KDAPL_EVD_TELL && arg->cno))
		return -EINVAL;
	return call_on(ia, arg->evd, KDAPL_OBJ_EVD, evd_notify, arg);
}

static int evd_resize(struct kdapl_obj *obj, void *data)
{
	return kdapl_evd_resize(to_evd(obj), data);
}

int kdapl_cmd_evd_resize(struct kdapl_ia *ia, void *data)
{
	struct kdapl_evd_resize *arg = data;

	return call_on(ia, arg->evd, KDAPL_OBJ_EVD, evd_resize, arg);
}

int kdapl_cmd_cno_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_cno_create(ia, data);
}

static int cno_modify(struct kdapl_obj *obj, void *data)
{
	struct kdapl_cno_modify *arg = data;

	return kdapl_cno_modify(to_cno(obj), arg->op, arg->agent);
}

int kdapl_cmd_cno_modify(struct kdapl_ia *ia, void *data)
{
	struct kdapl_cno_modify *arg = data;

	if (arg->agent && arg->op != KDAPL_CNO_ARM)
		return -EINVAL;
	return call_on(ia, arg->cno, KDAPL_OBJ_CNO, cno_modify, arg);
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

static int cno_fd(struct kdapl_obj *obj, void *data)
{
	struct kdapl_cno_fd *arg = data;

	return cno_open_fd(to_cno(obj), &arg->fd);
}

int kdapl_cmd_cno_fd(struct kdapl_ia *ia, void *data)
{
	struct kdapl_cno_fd *arg = data;

	if (arg->pad)
		return -EINVAL;
	return call_on(ia, arg->cno, KDAPL_OBJ_CNO, cno_fd, arg);
}

int kdapl_cmd_ep_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_ep_create(ia, data);
}

static int ep_query(struct kdapl_obj *obj, void *data)
{
	return kdapl_ep_query(to_ep(obj), data);
}

int kdapl_cmd_ep_query(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_query *arg = data;

	return call_on(ia, arg->ep, KDAPL_OBJ_EP, ep_query, arg);
}

static int ep_connect(struct kdapl_obj *obj, void *data)
{
	return kdapl_ep_connect(to_ep(obj), data);
}

int kdapl_cmd_ep_connect(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_connect *arg = data;

	return call_on(ia, arg->ep, KDAPL_OBJ_EP, ep_connect, arg);
}

static int ep_disconnect(struct kdapl_obj *obj, void *data)
{
	struct kdapl_ep_disconnect *arg = data;

	return kdapl_ep_disconnect(to_ep(obj), arg->close_flags);
}

int kdapl_cmd_ep_disconnect(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_disconnect *arg = data;

	if (arg->pad)
		return -EINVAL;
	return call_on(ia, arg->ep, KDAPL_OBJ_EP, ep_disconnect, arg);
}

static int ep_reset(struct kdapl_obj *obj, void *data)
{
	return kdapl_ep_reset(to_ep(obj));
}

int kdapl_cmd_ep_reset(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_reset *arg = data;

	return call_on(ia, arg->ep, KDAPL_OBJ_EP, ep_reset, arg);
}

static int ep_set_marks(struct kdapl_obj *obj, void *data)
{
	return kdapl_ep_set_marks(to_ep(obj), data);
}

int kdapl_cmd_ep_set_marks(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_set_marks *arg = data;

	if (arg->pad)
		return -EINVAL;
	return call_on(ia, arg->ep, KDAPL_OBJ_EP, ep_set_marks, arg);
}

static int ep_modify(struct kdapl_obj *obj, void *data)
{
	return kdapl_ep_modify(to_ep(obj), data);
}

int kdapl_cmd_ep_modify(struct kdapl_ia *ia, void *data)
{
	struct kdapl_ep_modify *arg = data;

	return call_on(ia, arg->ep, KDAPL_OBJ_EP, ep_modify, arg);
}

int kdapl_cmd_srq_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_srq_create(ia, data);
}

static int srq_resize(struct kdapl_obj *obj, void *data)
{
	return kdapl_srq_resize(to_srq(obj), data);
}

int kdapl_cmd_srq_resize(struct kdapl_ia *ia, void *data)
{
	struct kdapl_srq_resize *arg = data;

	return call_on(ia, arg->srq, KDAPL_OBJ_SRQ, srq_resize, arg);
}

static int srq_set_low(struct kdapl_obj *obj, void *data)
{
	struct kdapl_srq_set_low *arg = data;

	return kdapl_srq_set_low(to_srq(obj), arg->low);
}

int kdapl_cmd_srq_set_low(struct kdapl_ia *ia, void *data)
{
	struct kdapl_srq_set_low *arg = data;

	if (arg->pad)
		return -EINVAL;
	return call_on(ia, arg->srq, KDAPL_OBJ_SRQ, srq_set_low, arg);
}

int kdapl_cmd_psp_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_psp_create(ia, data);
}

int kdapl_cmd_rsp_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_rsp_create(ia, data);
}

int kdapl_cmd_csp_create(struct kdapl_ia *ia, void *data)
{
	return kdapl_csp_create(ia, data, NULL);
}

int kdapl_cmd_cr_offer(struct kdapl_ia *ia, void *data)
{
	return kdapl_cr_offer(ia, data);
}

int kdapl_cmd_cr_handoff(struct kdapl_ia *ia, void *data)
{
	return kdapl_cr_handoff(ia, data);
}

int kdapl_cmd_cr_query(struct kdapl_ia *ia, void *data)
{
	return kdapl_cr_query(ia, data);
}

int kdapl_cmd_cr_accept(struct kdapl_ia *ia, void *data)
{
	return kdapl_cr_accept(ia, data);
}

int kdapl_cmd_cr_reject(struct kdapl_ia *ia, void *data)
{
	return kdapl_cr_reject(ia, data);
}

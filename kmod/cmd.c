// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The commands of /dev/kdapl: a command's number finds its row in a table. What a
 * row's function gets is the module's own copy of the argument.
 */

#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "chardev.h"
#include "cmd.h"
#include "ia.h"

/**
 * struct kdapl_cmd - one command
 * @number: as the uapi header has it, with the size of the argument
 * @min_size: of the argument's first version
 * @frees: works without the device
 * @waits: sleeps; goes on where a signal has no handler
 * @any: the function, for a command that can do without an IA
 * @ia: the function, for one that is bracketed by kdapl_ia_enter()
 */
struct kdapl_cmd {
	u32 number;
	u32 min_size;
	bool frees;
	bool waits;
	int (*any)(struct kdapl_file *file, void *data);
	int (*ia)(struct kdapl_ia *ia, void *data);
};

/* The end of a structure's first version. */
#define V1(type, member)	offsetofend(struct type, member)

static const struct kdapl_cmd kdapl_cmds[] = {
	[_IOC_NR(KDAPL_QUERY)] = {
		KDAPL_QUERY, V1(kdapl_query, pinned),
		.any = kdapl_cmd_query,
	},
	[_IOC_NR(KDAPL_ADAPTER)] = {
		KDAPL_ADAPTER, V1(kdapl_adapter, driver),
		.any = kdapl_cmd_adapter,
	},
	[_IOC_NR(KDAPL_IA_OPEN)] = {
		KDAPL_IA_OPEN, V1(kdapl_ia_open, pad),
		.any = kdapl_cmd_ia_open,
	},
	[_IOC_NR(KDAPL_IA_QUERY)] = {
		KDAPL_IA_QUERY, V1(kdapl_ia_query, pad3),
		.ia = kdapl_cmd_ia_query,
	},
	[_IOC_NR(KDAPL_DESTROY)] = {
		KDAPL_DESTROY, V1(kdapl_destroy, pad),
		.ia = kdapl_cmd_destroy, .frees = true,
	},
	[_IOC_NR(KDAPL_PZ_CREATE)] = {
		KDAPL_PZ_CREATE, V1(kdapl_pz_create, id),
		.ia = kdapl_cmd_pz_create,
	},
	[_IOC_NR(KDAPL_LMR_CREATE)] = {
		KDAPL_LMR_CREATE, V1(kdapl_lmr_create, memlock_needed),
		.ia = kdapl_cmd_lmr_create,
	},
	[_IOC_NR(KDAPL_EVD_CREATE)] = {
		KDAPL_EVD_CREATE, V1(kdapl_evd_create, head),
		.ia = kdapl_cmd_evd_create,
	},
	[_IOC_NR(KDAPL_EVD_WAIT)] = {
		KDAPL_EVD_WAIT, V1(kdapl_evd_wait, deadline_ns),
		.waits = true, .any = kdapl_cmd_evd_wait,
	},
	[_IOC_NR(KDAPL_EVD_FILL)] = {
		KDAPL_EVD_FILL, V1(kdapl_evd_fill, pad),
		.any = kdapl_cmd_evd_fill,
	},
	[_IOC_NR(KDAPL_EP_CREATE)] = {
		KDAPL_EP_CREATE, V1(kdapl_ep_create, request_notify),
		.ia = kdapl_cmd_ep_create,
	},
	[_IOC_NR(KDAPL_EP_QUERY)] = {
		KDAPL_EP_QUERY, V1(kdapl_ep_query, private_data),
		.ia = kdapl_cmd_ep_query,
	},
	[_IOC_NR(KDAPL_EP_CONNECT)] = {
		KDAPL_EP_CONNECT, V1(kdapl_ep_connect, private_data),
		.ia = kdapl_cmd_ep_connect,
	},
	[_IOC_NR(KDAPL_EP_DISCONNECT)] = {
		KDAPL_EP_DISCONNECT, V1(kdapl_ep_disconnect, pad),
		.ia = kdapl_cmd_ep_disconnect,
	},
	[_IOC_NR(KDAPL_EP_RESET)] = {
		KDAPL_EP_RESET, V1(kdapl_ep_reset, ep),
		.ia = kdapl_cmd_ep_reset,
	},
	[_IOC_NR(KDAPL_PSP_CREATE)] = {
		KDAPL_PSP_CREATE, V1(kdapl_psp_create, user),
		.ia = kdapl_cmd_psp_create,
	},
	[_IOC_NR(KDAPL_CR_QUERY)] = {
		KDAPL_CR_QUERY, V1(kdapl_cr_query, ep_user),
		.ia = kdapl_cmd_cr_query,
	},
	[_IOC_NR(KDAPL_CR_ACCEPT)] = {
		KDAPL_CR_ACCEPT, V1(kdapl_cr_accept, private_data),
		.ia = kdapl_cmd_cr_accept,
	},
	[_IOC_NR(KDAPL_CR_REJECT)] = {
		KDAPL_CR_REJECT, V1(kdapl_cr_reject, private_data),
		.ia = kdapl_cmd_cr_reject,
	},
	[_IOC_NR(KDAPL_SUBMIT)] = {
		KDAPL_SUBMIT, V1(kdapl_submit, pad),
		.any = kdapl_cmd_submit,
	},
	[_IOC_NR(KDAPL_EVD_WAITABLE)] = {
		KDAPL_EVD_WAITABLE, V1(kdapl_evd_waitable, pad),
		.frees = true, .ia = kdapl_cmd_evd_waitable,
	},
	[_IOC_NR(KDAPL_EVD_POST_SE)] = {
		KDAPL_EVD_POST_SE, V1(kdapl_evd_post_se, cookie),
		.frees = true, .ia = kdapl_cmd_evd_post_se,
	},
	[_IOC_NR(KDAPL_EVD_RESIZE)] = {
		KDAPL_EVD_RESIZE, V1(kdapl_evd_resize, ring),
		.frees = true, .ia = kdapl_cmd_evd_resize,
	},
	[_IOC_NR(KDAPL_EVD_NOTIFY)] = {
		KDAPL_EVD_NOTIFY, V1(kdapl_evd_notify, enabled),
		.frees = true, .ia = kdapl_cmd_evd_notify,
	},
	[_IOC_NR(KDAPL_CNO_CREATE)] = {
		KDAPL_CNO_CREATE, V1(kdapl_cno_create, user),
		.ia = kdapl_cmd_cno_create,
	},
	[_IOC_NR(KDAPL_CNO_WAIT)] = {
		KDAPL_CNO_WAIT, V1(kdapl_cno_wait, evd_user),
		.waits = true, .any = kdapl_cmd_cno_wait,
	},
	[_IOC_NR(KDAPL_CNO_MODIFY)] = {
		KDAPL_CNO_MODIFY, V1(kdapl_cno_modify, agent),
		.frees = true, .ia = kdapl_cmd_cno_modify,
	},
	[_IOC_NR(KDAPL_EP_SET_MARKS)] = {
		KDAPL_EP_SET_MARKS, V1(kdapl_ep_set_marks, pad),
		.ia = kdapl_cmd_ep_set_marks,
	},
	[_IOC_NR(KDAPL_SRQ_CREATE)] = {
		KDAPL_SRQ_CREATE, V1(kdapl_srq_create, status),
		.ia = kdapl_cmd_srq_create,
	},
	[_IOC_NR(KDAPL_SRQ_RESIZE)] = {
		KDAPL_SRQ_RESIZE, V1(kdapl_srq_resize, pad),
		.ia = kdapl_cmd_srq_resize,
	},
	[_IOC_NR(KDAPL_SRQ_SET_LOW)] = {
		KDAPL_SRQ_SET_LOW, V1(kdapl_srq_set_low, pad),
		.ia = kdapl_cmd_srq_set_low,
	},
	[_IOC_NR(KDAPL_RMR_CREATE)] = {
		KDAPL_RMR_CREATE, V1(kdapl_rmr_create, user),
		.ia = kdapl_cmd_rmr_create,
	},
	[_IOC_NR(KDAPL_RMR_BIND)] = {
		KDAPL_RMR_BIND, V1(kdapl_rmr_bind, pad),
		.ia = kdapl_cmd_rmr_bind,
	},
	[_IOC_NR(KDAPL_RSP_CREATE)] = {
		KDAPL_RSP_CREATE, V1(kdapl_rsp_create, user),
		.ia = kdapl_cmd_rsp_create,
	},
	[_IOC_NR(KDAPL_EP_MODIFY)] = {
		KDAPL_EP_MODIFY, V1(kdapl_ep_modify, request_notify),
		.ia = kdapl_cmd_ep_modify,
	},
	[_IOC_NR(KDAPL_CR_OFFER)] = {
		KDAPL_CR_OFFER, V1(kdapl_cr_offer, pad),
		.ia = kdapl_cmd_cr_offer,
	},
	[_IOC_NR(KDAPL_CR_HANDOFF)] = {
		KDAPL_CR_HANDOFF, V1(kdapl_cr_handoff, conn_qual),
		.ia = kdapl_cmd_cr_handoff,
	},
	[_IOC_NR(KDAPL_CSP_CREATE)] = {
		KDAPL_CSP_CREATE, V1(kdapl_csp_create, user),
		.ia = kdapl_cmd_csp_create,
	},
	[_IOC_NR(KDAPL_CNO_FD)] = {
		KDAPL_CNO_FD, V1(kdapl_cno_fd, pad),
		.frees = true, .ia = kdapl_cmd_cno_fd,
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

	ia = kdapl_file_ia(file);
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

long kdapl_control(struct kdapl_file *file, unsigned int nr,
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
	/*
	 * Repeated, or EINTR, by what comes of the signal. An argument of an earlier
	 * version cannot say what it would go on with.
	 */
	if (ret == -EINTR && cmd->waits && size >= known)
		return -ERESTARTNOHAND;
	return ret;
}

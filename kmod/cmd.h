/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The commands of /dev/kdapl. cmd.c has the table; cmd_file.c and cmd_ia.c have what
 * stands in it: functions that are given the module's own copy of the argument, of a
 * structure of include/uapi/kdapl.h.
 */
#ifndef KDAPL_CMD_H
#define KDAPL_CMD_H

#include <linux/compiler_types.h>
#include <linux/types.h>

#include "kdapl_uapi.h"

struct kdapl_file;
struct kdapl_ia;

/**
 * kdapl_control() - run a command
 * @file: of the program that calls
 * @nr: the command's number
 * @user: its argument
 *
 * Return: what the command returned; -ENOTTY: there is none of that number; what is
 * wrong with the argument's size or memory.
 */
long kdapl_control(struct kdapl_file *file, unsigned int nr,
		   void __user *user);
/* KDAPL_DOORBELL, the one command that is called often. */
long kdapl_doorbell(struct kdapl_file *file, unsigned long evd);

/* cmd_file.c: can do without an IA. */
int kdapl_cmd_query(struct kdapl_file *file, void *data);
int kdapl_cmd_adapter(struct kdapl_file *file, void *data);
int kdapl_cmd_ia_open(struct kdapl_file *file, void *data);
int kdapl_cmd_submit(struct kdapl_file *file, void *data);
int kdapl_cmd_evd_wait(struct kdapl_file *file, void *data);
int kdapl_cmd_evd_fill(struct kdapl_file *file, void *data);
int kdapl_cmd_cno_wait(struct kdapl_file *file, void *data);

/* cmd_ia.c: between kdapl_ia_enter() and kdapl_ia_leave(). */
int kdapl_cmd_ia_query(struct kdapl_ia *ia, void *data);
int kdapl_cmd_destroy(struct kdapl_ia *ia, void *data);
int kdapl_cmd_pz_create(struct kdapl_ia *ia, void *data);
int kdapl_cmd_lmr_create(struct kdapl_ia *ia, void *data);
int kdapl_cmd_rmr_create(struct kdapl_ia *ia, void *data);
int kdapl_cmd_rmr_bind(struct kdapl_ia *ia, void *data);
int kdapl_cmd_evd_create(struct kdapl_ia *ia, void *data);
int kdapl_cmd_evd_waitable(struct kdapl_ia *ia, void *data);
int kdapl_cmd_evd_post_se(struct kdapl_ia *ia, void *data);
int kdapl_cmd_evd_notify(struct kdapl_ia *ia, void *data);
int kdapl_cmd_cno_create(struct kdapl_ia *ia, void *data);
int kdapl_cmd_cno_modify(struct kdapl_ia *ia, void *data);
int kdapl_cmd_cno_fd(struct kdapl_ia *ia, void *data);
int kdapl_cmd_evd_resize(struct kdapl_ia *ia, void *data);
int kdapl_cmd_ep_create(struct kdapl_ia *ia, void *data);
int kdapl_cmd_ep_query(struct kdapl_ia *ia, void *data);
int kdapl_cmd_ep_connect(struct kdapl_ia *ia, void *data);
int kdapl_cmd_ep_disconnect(struct kdapl_ia *ia, void *data);
int kdapl_cmd_ep_reset(struct kdapl_ia *ia, void *data);
int kdapl_cmd_ep_set_marks(struct kdapl_ia *ia, void *data);
int kdapl_cmd_ep_modify(struct kdapl_ia *ia, void *data);
int kdapl_cmd_srq_create(struct kdapl_ia *ia, void *data);
int kdapl_cmd_srq_resize(struct kdapl_ia *ia, void *data);
int kdapl_cmd_srq_set_low(struct kdapl_ia *ia, void *data);
int kdapl_cmd_psp_create(struct kdapl_ia *ia, void *data);
int kdapl_cmd_rsp_create(struct kdapl_ia *ia, void *data);
int kdapl_cmd_csp_create(struct kdapl_ia *ia, void *data);
int kdapl_cmd_cr_offer(struct kdapl_ia *ia, void *data);
int kdapl_cmd_cr_handoff(struct kdapl_ia *ia, void *data);
int kdapl_cmd_cr_query(struct kdapl_ia *ia, void *data);
int kdapl_cmd_cr_accept(struct kdapl_ia *ia, void *data);
int kdapl_cmd_cr_reject(struct kdapl_ia *ia, void *data);

#endif /* KDAPL_CMD_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PSP: a listening rdma_cm_id on every address of the IA. */
#ifndef KDAPL_SP_H
#define KDAPL_SP_H

#include "evd.h"
#include "obj.h"

extern const struct kdapl_obj_ops kdapl_psp_ops;

int kdapl_psp_create(struct kdapl_ia *ia, struct kdapl_psp_create *arg);
/* The device is gone: stop listening. */
void kdapl_psp_kill(struct kdapl_obj *obj);

#endif /* KDAPL_SP_H */

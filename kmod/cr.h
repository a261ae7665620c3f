/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CR: a connection request that waits for accept or reject. */
#ifndef KDAPL_CR_H
#define KDAPL_CR_H

#include <rdma/rdma_cm.h>

#include "evd.h"
#include "obj.h"

struct kdapl_ep;

extern const struct kdapl_obj_ops kdapl_cr_ops;

int kdapl_cr_query(struct kdapl_ia *ia, struct kdapl_cr_query *arg);
int kdapl_cr_accept(struct kdapl_ia *ia, const struct kdapl_cr_accept *arg);
int kdapl_cr_reject(struct kdapl_ia *ia, const struct kdapl_cr_reject *arg);
/* The device is gone. */
void kdapl_cr_kill(struct kdapl_obj *obj);

#endif /* KDAPL_CR_H */

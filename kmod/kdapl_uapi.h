/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The contract with user space, from include/uapi of the project. */
#ifndef KDAPL_UAPI_H
#define KDAPL_UAPI_H

#include "../include/uapi/kdapl.h"
#include "dat_values.h"

#endif /* KDAPL_UAPI_H */

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The submission ring as it is, but for what happens where it pauses. */

#define SQ_VARIANT product
#include "core_sq_variant.h"
#include "../sq.c"

SQ_VARIANT_TABLE;

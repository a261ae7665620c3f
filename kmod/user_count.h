/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many of something each user has, over all IAs: what a control group does not pay
 * for, a user has a limited number of. Consumers in the kernel are trusted, and nobody's.
 */
#ifndef KDAPL_USER_COUNT_H
#define KDAPL_USER_COUNT_H

#include <linux/xarray.h>

struct kdapl_ia;

/**
 * kdapl_user_count() - one more, of who opened the IA
 * @users: how many each has, by uid: an empty xarray at first
 * @ia: where it is
 * @max: as many a user may have
 *
 * Process context, does not sleep.
 *
 * Return: 0, -EUSERS where there are so many, -ENOMEM.
 */
int kdapl_user_count(struct xarray *users, const struct kdapl_ia *ia,
		     unsigned long max);

/* One less, of what was counted. */
void kdapl_user_uncount(struct xarray *users, const struct kdapl_ia *ia);

#endif /* KDAPL_USER_COUNT_H */

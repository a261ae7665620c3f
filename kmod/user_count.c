// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How many of something each user has: see user_count.h. */

#include <linux/uidgid.h>

#include "ia.h"
#include "user_count.h"

static unsigned long count_get(struct xarray *users, unsigned long uid)
{
	void *entry = xa_load(users, uid);

	return entry ? xa_to_value(entry) : 0;
}

/* Caller holds the table's lock. One more for who has some needs no memory. */
static int count_set(struct xarray *users, unsigned long uid, unsigned long n)
{
	if (n)
		return xa_err(__xa_store(users, uid, xa_mk_value(n),
					 GFP_ATOMIC));
	__xa_erase(users, uid);
	return 0;
}

int kdapl_user_count(struct xarray *users, const struct kdapl_ia *ia,
		     unsigned long max)
{
	unsigned long uid = __kuid_val(ia->uid), n;
	int ret;

	if (ia->kernel)
		return 0;
	xa_lock(users);
	n = count_get(users, uid);
	ret = n < max ? count_set(users, uid, n + 1) : -EUSERS;
	xa_unlock(users);
	return ret;
}

void kdapl_user_uncount(struct xarray *users, const struct kdapl_ia *ia)
{
	unsigned long uid = __kuid_val(ia->uid);

	if (ia->kernel)
		return;
	xa_lock(users);
	count_set(users, uid, count_get(users, uid) - 1);
	xa_unlock(users);
}

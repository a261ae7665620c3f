// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the core calls and the tests play: connections, and the registration of
 * memory by work requests, which no test lets happen.
 */

#include <linux/bug.h>
#include <linux/err.h>
#include <linux/errno.h>

#include "../ep.h"
#include "../frwr.h"
#include "../pages.h"
#include "fake_cm.h"

struct fake_cm fake_cm;

void kdapl_cm_init(struct kdapl_ep *ep)
{
}

int kdapl_cm_connect(struct kdapl_ep *ep, const struct kdapl_ep_connect *arg)
{
	fake_cm.connects++;
	return fake_cm.connect_result;
}

void kdapl_cm_disconnect(struct kdapl_ep *ep)
{
	fake_cm.disconnects++;
}

void kdapl_cm_destroy(struct kdapl_ep *ep)
{
	fake_cm.destroys++;
}

void kdapl_cm_notify(struct kdapl_ep *ep)
{
	fake_cm.notifies++;
}

void kdapl_cm_query(struct kdapl_ep *ep, struct kdapl_ep_query *arg)
{
}

struct ib_mr *kdapl_frwr_register(struct kdapl_pz *pz, struct sg_table *sgt,
				  u64 iova, u64 length, int access)
{
	WARN_ON(1);
	return ERR_PTR(-EOPNOTSUPP);
}

void kdapl_frwr_invalidate(struct kdapl_pz *pz, struct ib_mr *mr)
{
	WARN_ON(1);
}

void kdapl_frwr_destroy(struct kdapl_pz *pz)
{
}

struct kdapl_pages *kdapl_pages_pin(struct ib_device *dev, u64 addr, u64 length,
				    bool writable, struct kdapl_memlock *why)
{
	WARN_ON(1);
	return ERR_PTR(-EOPNOTSUPP);
}

struct kdapl_pages *kdapl_pages_get(struct kdapl_pages *pages)
{
	WARN_ON(1);
	return pages;
}

void kdapl_pages_put(struct kdapl_pages *pages)
{
	WARN_ON(1);
}

bool kdapl_pages_same(const struct kdapl_pages *a, const struct kdapl_pages *b)
{
	WARN_ON(1);
	return false;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pinned memory and device objects, charged to who uses them. */

#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include "account.h"

static atomic64_t pinned_bytes;

u64 kdapl_npages(u64 addr, u64 length)
{
	return ((addr & ~PAGE_MASK) + length + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

bool kdapl_memlock_exceeded(u64 pinned, u64 npages, u64 limit,
			    struct kdapl_memlock *why)
{
	if (pinned + npages <= limit)
		return false;
	why->limit = limit << PAGE_SHIFT;
	why->needed = (pinned + npages) << PAGE_SHIFT;
	return true;
}

/* The limit is given in bytes and counts in whole pages. */
static u64 memlock_limit(void)
{
	return rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
}

int kdapl_memlock_charge(u64 npages, struct kdapl_memlock *why)
{
	u64 pinned = atomic64_add_return(npages, &current->mm->pinned_vm);

	if (kdapl_memlock_exceeded(pinned - npages, npages, memlock_limit(),
				   why) &&
	    !capable(CAP_IPC_LOCK)) {
		kdapl_memlock_uncharge(current->mm, npages);
		return -EDQUOT;
	}
	return 0;
}

void kdapl_memlock_uncharge(struct mm_struct *mm, u64 npages)
{
	atomic64_sub(npages, &mm->pinned_vm);
}

int kdapl_memlock_explain(int error, u64 npages, struct kdapl_memlock *why)
{
	u64 pinned = atomic64_read(&current->mm->pinned_vm);

	/* ib_core: -ENOMEM over the limit, -EPERM where the limit is zero. */
	if (error != -ENOMEM && error != -EPERM)
		return error;
	if (!kdapl_memlock_exceeded(pinned, npages, memlock_limit(), why) ||
	    capable(CAP_IPC_LOCK))
		return error;
	return -EDQUOT;
}

void kdapl_pinned_add(s64 bytes)
{
	atomic64_add(bytes, &pinned_bytes);
}

u64 kdapl_pinned_read(void)
{
	return atomic64_read(&pinned_bytes);
}

#ifdef CONFIG_CGROUP_RDMA
int kdapl_cgroup_charge(struct ib_device *dev, struct rdma_cgroup **cg,
			enum rdmacg_resource_type type)
{
	int ret = rdmacg_try_charge(cg, &dev->cg_device, type);

	if (ret)
		*cg = NULL;
	return ret == -EAGAIN ? -EDQUOT : ret;
}

void kdapl_cgroup_uncharge(struct ib_device *dev, struct rdma_cgroup **cg,
			   enum rdmacg_resource_type type)
{
	if (*cg)
		rdmacg_uncharge(*cg, &dev->cg_device, type);
	*cg = NULL;
}
#else
int kdapl_cgroup_charge(struct ib_device *dev, struct rdma_cgroup **cg,
			enum rdmacg_resource_type type)
{
	*cg = NULL;
	return 0;
}

void kdapl_cgroup_uncharge(struct ib_device *dev, struct rdma_cgroup **cg,
			   enum rdmacg_resource_type type)
{
}
#endif

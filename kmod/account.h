/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a program uses is charged to it: pinned memory against RLIMIT_MEMLOCK,
 * in the account that verbs use (mm->pinned_vm), and the device's objects to
 * its rdma cgroup.
 */
#ifndef KDAPL_ACCOUNT_H
#define KDAPL_ACCOUNT_H

#include <linux/cgroup_rdma.h>
#include <linux/mm_types.h>
#include <rdma/ib_verbs.h>

struct rdma_cgroup;

/**
 * struct kdapl_memlock - why memory could not be pinned
 * @limit: bytes that RLIMIT_MEMLOCK allows
 * @needed: bytes that the process would have pinned
 */
struct kdapl_memlock {
	u64 limit;
	u64 needed;
};

/* Pages that @length bytes at @addr touch. The range does not wrap. */
u64 kdapl_npages(u64 addr, u64 length);

/**
 * kdapl_memlock_exceeded() - would pinning go over the limit?
 * @pinned: pages that are pinned
 * @npages: pages to add
 * @limit: pages that are allowed
 * @why: filled when the answer is yes
 */
bool kdapl_memlock_exceeded(u64 pinned, u64 npages, u64 limit,
			    struct kdapl_memlock *why);

/*
 * Charge the calling process for @npages. -EDQUOT, and @why is filled, over
 * the limit, unless the caller has CAP_IPC_LOCK.
 */
int kdapl_memlock_charge(u64 npages, struct kdapl_memlock *why);
void kdapl_memlock_uncharge(struct mm_struct *mm, u64 npages);

/*
 * Somebody else did the charging and failed: was it for the limit? Then
 * -EDQUOT and @why, else @error.
 */
int kdapl_memlock_explain(int error, u64 npages, struct kdapl_memlock *why);

/* Bytes that the module holds pinned, for all programs together. */
void kdapl_pinned_add(s64 bytes);
u64 kdapl_pinned_read(void);

/* -EDQUOT over the cgroup's limit. */
int kdapl_cgroup_charge(struct ib_device *dev, struct rdma_cgroup **cg,
			enum rdmacg_resource_type type);
/* Before the device goes. Clears @cg; nothing when it is clear already. */
void kdapl_cgroup_uncharge(struct ib_device *dev, struct rdma_cgroup **cg,
			   enum rdmacg_resource_type type);

#endif /* KDAPL_ACCOUNT_H */

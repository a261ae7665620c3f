/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that programs share and know by a cookie.
 *
 * Every program registers its own mapping, so a cookie opens nothing to anybody.
 * It says that the memory is the same, and the module sees to it that it is: a
 * cookie belongs to one user and to one piece of one object (of a tmpfs or
 * hugetlbfs, where all shared memory of Linux lives), until its last LMR goes.
 */
#ifndef KDAPL_LMR_SHARED_H
#define KDAPL_LMR_SHARED_H

#include <linux/mmu_notifier.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#include "kdapl_uapi.h"

struct file;
struct kdapl_adapter_dev;

/**
 * struct kdapl_shared - a cookie that is in use
 * @node: in the table
 * @users: LMRs that have it; guarded by the table's lock
 * @adapter: where it is known
 * @cookie: what the programs say
 * @user: the one who may
 * @file: the object, whose pages it is about
 * @offset: where in the object they begin, in bytes
 * @length: bytes
 */
struct kdapl_shared {
	struct hlist_node node;
	unsigned int users;
	const struct kdapl_adapter_dev *adapter;
	u8 cookie[KDAPL_COOKIE_SIZE];
	kuid_t user;
	struct file *file;
	u64 offset;
	u64 length;
};

/**
 * kdapl_shared_join() - a cookie for memory of the calling process
 * @adapter: where it is to be known
 * @cookie: KDAPL_COOKIE_SIZE bytes, all of which count
 * @addr: start of the memory
 * @length: bytes, not zero
 *
 * Return: the cookie, with a user more. ERR_PTR(-EBADFD) when the memory is not
 * shared, or the cookie means other memory or is another user's.
 */
struct kdapl_shared *kdapl_shared_join(const struct kdapl_adapter_dev *adapter,
				       const u8 *cookie, u64 addr, u64 length);

/* The same when it is known what the memory is. Takes @want, which kfree() frees. */
struct kdapl_shared *kdapl_shared_claim(struct kdapl_shared *want);

void kdapl_shared_leave(struct kdapl_shared *shared);

/**
 * struct kdapl_shared_watch - whether addresses keep their memory
 * @notifier: tells of what is unmapped, moved or replaced there
 * @seq: where the watching began
 * @lock: guards the notifier's count
 */
struct kdapl_shared_watch {
#ifdef CONFIG_MMU_NOTIFIER
	struct mmu_interval_notifier notifier;
#endif
	unsigned long seq;
	spinlock_t lock;	/* guards the notifier's count */
};

/* Memory of the calling process. -EOPNOTSUPP: this kernel cannot. */
int kdapl_shared_watch(struct kdapl_shared_watch *watch, u64 addr, u64 length);
void kdapl_shared_unwatch(struct kdapl_shared_watch *watch);

/* Has anything moved since the beginning? */
void kdapl_shared_watch_begin(struct kdapl_shared_watch *watch);
bool kdapl_shared_watch_moved(struct kdapl_shared_watch *watch);

#endif /* KDAPL_LMR_SHARED_H */

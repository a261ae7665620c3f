// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory that programs share and know by a cookie. */

#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "adapter.h"
#include "lmr_shared.h"

static DEFINE_HASHTABLE(cookies, 8);
static DEFINE_MUTEX(cookies_lock);	/* guards the table and the users */

/* ---- what the memory is -------------------------------------------------- */

/*
 * Where the pages of a file may be pinned for as long as an LMR lives: not where
 * the file system writes them back. Linux refuses that itself since 6.5. And not a
 * device's: /dev is a tmpfs, too, and an LMR of our own file's rings would keep that file
 * for as long as the file keeps the LMR.
 */
static bool vma_shared(const struct vm_area_struct *vma)
{
	unsigned long magic;

	if (~vma->vm_flags & (VM_SHARED | VM_WRITE) || !vma->vm_file)
		return false;
	if (!S_ISREG(file_inode(vma->vm_file)->i_mode))
		return false;
	magic = file_inode(vma->vm_file)->i_sb->s_magic;
	return magic == TMPFS_MAGIC || magic == HUGETLBFS_MAGIC;
}

/*
 * The object at the addresses, with a reference, and where in it they begin.
 * Mappings beside each other are fine when they go on with the same object.
 * Caller holds the lock of the address space.
 */
static struct file *shared_find(struct mm_struct *mm, unsigned long start,
				unsigned long end, u64 *offset)
{
	const struct vm_area_struct *vma;
	struct file *file = NULL;
	unsigned long at;
	u64 pos;

	for (at = start; at < end; at = vma->vm_end) {
		vma = vma_lookup(mm, at);
		if (!vma || !vma_shared(vma))
			return ERR_PTR(-EBADFD);
		pos = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (at - vma->vm_start);
		if (!file) {
			file = vma->vm_file;
			*offset = pos;
		}
		if (file_inode(vma->vm_file) != file_inode(file) ||
		    pos != *offset + (at - start))
			return ERR_PTR(-EBADFD);
	}
	return get_file(file);
}

static int shared_look(struct kdapl_shared *want, u64 addr)
{
	struct mm_struct *mm = current->mm;
	struct file *file;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	file = shared_find(mm, addr & PAGE_MASK,
			   PAGE_ALIGN(addr + want->length), &want->offset);
	mmap_read_unlock(mm);
	if (IS_ERR(file))
		return PTR_ERR(file);
	want->file = file;
	want->offset += addr & ~PAGE_MASK;
	return 0;
}

/* ---- the table ----------------------------------------------------------- */

static u32 cookie_hash(const struct kdapl_shared *shared)
{
	/* No program knows the address, nor so the hash. */
	return jhash(shared->cookie, sizeof(shared->cookie),
		     (u32)(unsigned long)shared->adapter);
}

static struct kdapl_shared *cookie_find(const struct kdapl_shared *want)
{
	struct kdapl_shared *shared;

	hash_for_each_possible(cookies, shared, node, cookie_hash(want)) {
		if (shared->adapter == want->adapter &&
		    !memcmp(shared->cookie, want->cookie,
			    sizeof(shared->cookie)))
			return shared;
	}
	return NULL;
}

static bool shared_same(const struct kdapl_shared *a,
			const struct kdapl_shared *b)
{
	return uid_eq(a->user, b->user) && a->offset == b->offset &&
	       a->length == b->length &&
	       file_inode(a->file) == file_inode(b->file);
}

static void shared_free(struct kdapl_shared *shared)
{
	if (shared->file)
		fput(shared->file);
	kfree(shared);
}

struct kdapl_shared *kdapl_shared_claim(struct kdapl_shared *want)
{
	struct kdapl_shared *shared;

	mutex_lock(&cookies_lock);
	shared = cookie_find(want);
	if (!shared) {
		hash_add(cookies, &want->node, cookie_hash(want));
		shared = want;
	} else if (!shared_same(shared, want)) {
		shared = ERR_PTR(-EBADFD);
	}
	if (!IS_ERR(shared))
		shared->users++;
	mutex_unlock(&cookies_lock);

	if (shared != want)
		shared_free(want);
	return shared;
}

struct kdapl_shared *kdapl_shared_join(const struct kdapl_adapter_dev *adapter,
				       const u8 *cookie, u64 addr, u64 length)
{
	struct kdapl_shared *want;
	int ret;

	want = kzalloc(sizeof(*want), GFP_KERNEL_ACCOUNT);
	if (!want)
		return ERR_PTR(-ENOMEM);
	want->adapter = adapter;
	want->user = current_euid();
	want->length = length;
	memcpy(want->cookie, cookie, sizeof(want->cookie));

	ret = shared_look(want, addr);
	if (ret) {
		shared_free(want);
		return ERR_PTR(ret);
	}
	return kdapl_shared_claim(want);
}

void kdapl_shared_leave(struct kdapl_shared *shared)
{
	bool last;

	mutex_lock(&cookies_lock);
	last = !--shared->users;
	if (last)
		hash_del(&shared->node);
	mutex_unlock(&cookies_lock);
	if (last)
		shared_free(shared);
}

/* ---- whether it stays so ------------------------------------------------- */

#ifdef CONFIG_MMU_NOTIFIER
static bool watch_invalidate(struct mmu_interval_notifier *notifier,
			     const struct mmu_notifier_range *range,
			     unsigned long seq)
{
	struct kdapl_shared_watch *watch =
		container_of(notifier, struct kdapl_shared_watch, notifier);

	/* These leave the pages where they are. */
	if (range->event == MMU_NOTIFY_PROTECTION_VMA ||
	    range->event == MMU_NOTIFY_PROTECTION_PAGE ||
	    range->event == MMU_NOTIFY_SOFT_DIRTY)
		return true;
	spin_lock(&watch->lock);
	mmu_interval_set_seq(notifier, seq);
	spin_unlock(&watch->lock);
	return true;
}

static const struct mmu_interval_notifier_ops watch_ops = {
	.invalidate = watch_invalidate,
};

int kdapl_shared_watch(struct kdapl_shared_watch *watch, u64 addr, u64 length)
{
	unsigned long start = addr & PAGE_MASK;

	spin_lock_init(&watch->lock);
	return mmu_interval_notifier_insert(&watch->notifier, current->mm, start,
					    PAGE_ALIGN(addr + length) - start,
					    &watch_ops);
}

void kdapl_shared_unwatch(struct kdapl_shared_watch *watch)
{
	mmu_interval_notifier_remove(&watch->notifier);
}

void kdapl_shared_watch_begin(struct kdapl_shared_watch *watch)
{
	watch->seq = mmu_interval_read_begin(&watch->notifier);
}

bool kdapl_shared_watch_moved(struct kdapl_shared_watch *watch)
{
	bool moved;

	spin_lock(&watch->lock);
	moved = mmu_interval_read_retry(&watch->notifier, watch->seq);
	spin_unlock(&watch->lock);
	return moved;
}
#else
int kdapl_shared_watch(struct kdapl_shared_watch *watch, u64 addr, u64 length)
{
	return -EOPNOTSUPP;
}

void kdapl_shared_unwatch(struct kdapl_shared_watch *watch)
{
}

void kdapl_shared_watch_begin(struct kdapl_shared_watch *watch)
{
}

bool kdapl_shared_watch_moved(struct kdapl_shared_watch *watch)
{
	return true;
}
#endif

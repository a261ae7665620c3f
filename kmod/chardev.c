// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * /dev/kdapl: the door for programs. A file is its opener's alone, and becomes one
 * IA; cmd.c has the commands.
 *
 * A child may have a copy of the file, or somebody whom it was sent to, who can do nothing
 * with it, but keeps it open. So when the opener's memory is gone, by exit or exec, the IA
 * loses what it has of the device, as if that were removed: nothing stays pinned or
 * connected. The kernel closes a program's files right after that; what is closed within
 * a second ends as ever.
 */

#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mmap_lock.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "chardev.h"
#include "cmd.h"
#include "ia.h"

/* In which the files of a program that has ended are closed. */
#define ORPHAN_GRACE	HZ

static void file_orphaned(struct work_struct *work)
{
	struct kdapl_file *file = container_of(to_delayed_work(work),
					       struct kdapl_file, orphaned);
	struct kdapl_ia *ia = kdapl_file_ia(file);

	if (ia)
		kdapl_ia_kill(ia);
}

#ifdef CONFIG_MMU_NOTIFIER
/* It is also called when the file is closed: then there are users. */
static void file_mm_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct kdapl_file *file = container_of(notifier, struct kdapl_file,
					       notifier);

	if (!atomic_read(&mm->mm_users))
		queue_delayed_work(system_wq, &file->orphaned, ORPHAN_GRACE);
}

static const struct mmu_notifier_ops file_mm_ops = {
	.release = file_mm_release,
};

int kdapl_file_follow(struct kdapl_file *file)
{
	int ret;

	if (file->notifier.mm)
		return 0;
	if (mmap_write_lock_killable(file->mm))
		return -EINTR;
	file->notifier.ops = &file_mm_ops;
	ret = __mmu_notifier_register(&file->notifier, file->mm);
	mmap_write_unlock(file->mm);
	/* Any signal ends that, and nothing was done. */
	return ret == -EINTR ? -ERESTARTNOINTR : ret;
}

static void file_leave(struct kdapl_file *file)
{
	if (file->notifier.mm)
		mmu_notifier_unregister(&file->notifier, file->mm);
	cancel_delayed_work_sync(&file->orphaned);
}
#else
int kdapl_file_follow(struct kdapl_file *file)
{
	return 0;
}

static void file_leave(struct kdapl_file *file) {}
#endif

static long kdapl_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct kdapl_file *file = filp->private_data;
	void __user *user = (void __user *)arg;

	if (current->mm != file->mm)
		return -EACCES;
	if (_IOC_TYPE(cmd) != KDAPL_IOC_TYPE)
		return -ENOTTY;
	if (cmd == KDAPL_DOORBELL)
		return kdapl_doorbell(file, arg);
	return kdapl_control(file, _IOC_NR(cmd), user);
}

static int kdapl_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct kdapl_file *file = filp->private_data;
	struct kdapl_ia *ia = kdapl_file_ia(file);

	if (current->mm != file->mm)
		return -EACCES;
	if (!ia)
		return -EBADFD;
	return kdapl_region_mmap(&ia->regions, vma);
}

static int kdapl_open(struct inode *inode, struct file *filp)
{
	struct kdapl_file *file;

	if (!current->mm)
		return -EACCES;
	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file)
		return -ENOMEM;
	mutex_init(&file->lock);
	INIT_DELAYED_WORK(&file->orphaned, file_orphaned);
	file->mm = current->mm;
	mmgrab(file->mm);
	filp->private_data = file;
	return stream_open(inode, filp);
}

/* The last reference is gone: no call runs, nothing is mapped. */
static int kdapl_release(struct inode *inode, struct file *filp)
{
	struct kdapl_file *file = filp->private_data;

	file_leave(file);
	if (file->ia)
		kdapl_ia_close(file->ia);
	mmdrop(file->mm);
	mutex_destroy(&file->lock);
	kfree(file);
	return 0;
}

static const struct file_operations kdapl_fops = {
	.owner = THIS_MODULE,
	.open = kdapl_open,
	.release = kdapl_release,
	.unlocked_ioctl = kdapl_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = kdapl_mmap,
};

/* The file keeps its IA. */
struct kdapl_ia *kdapl_ia_of_fd(int fd, struct file **filp)
{
	struct kdapl_file *file;
	struct kdapl_ia *ia = NULL;
	int ret = -EBADF;

	*filp = fget(fd);
	if (!*filp)
		return ERR_PTR(ret);
	if ((*filp)->f_op == &kdapl_fops) {
		file = (*filp)->private_data;
		if (file->mm == current->mm)
			ia = kdapl_file_ia(file);
		else
			ret = -EACCES;
	}
	if (ia)
		return ia;
	fput(*filp);
	return ERR_PTR(ret);
}

static struct miscdevice kdapl_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kdapl",
	.fops = &kdapl_fops,
	/* Root's, until the udev rule gives it to the group for verbs. */
	.mode = 0600,
};

int kdapl_chardev_init(void)
{
	return misc_register(&kdapl_misc);
}

void kdapl_chardev_exit(void)
{
	misc_deregister(&kdapl_misc);
}

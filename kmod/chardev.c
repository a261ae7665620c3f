// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * /dev/kdapl: the door for programs. A file is its opener's alone, and becomes one
 * IA; cmd.c has the commands.
 */

#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "chardev.h"
#include "cmd.h"
#include "ia.h"

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
	file->mm = current->mm;
	mmgrab(file->mm);
	filp->private_data = file;
	return stream_open(inode, filp);
}

/* The last reference is gone: no call runs, nothing is mapped. */
static int kdapl_release(struct inode *inode, struct file *filp)
{
	struct kdapl_file *file = filp->private_data;

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

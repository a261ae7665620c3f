/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* /dev/kdapl: the door for programs. */
#ifndef KDAPL_CHARDEV_H
#define KDAPL_CHARDEV_H

#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <asm/barrier.h>

struct file;
struct kdapl_ia;
struct mm_struct;

#define KDAPL_VERSION	"0.1.0"

/**
 * struct kdapl_file - an open file
 * @mm: the opener's, held by mmgrab(); nobody else may use the file
 * @notifier: tells of the end of @mm
 * @orphaned: the file has outlived @mm
 * @lock: one IA_OPEN at a time
 * @ia: NULL, then the IA for the rest of the file's life
 */
struct kdapl_file {
	struct mm_struct *mm;
	struct mmu_notifier notifier;
	struct delayed_work orphaned;
	struct mutex lock;	/* guards the opening */
	struct kdapl_ia *ia;
};

/* The file's IA, or NULL before IA_OPEN. */
static inline struct kdapl_ia *kdapl_file_ia(struct kdapl_file *file)
{
	/* Pairs with the release in kdapl_cmd_ia_open(): the IA is complete. */
	return smp_load_acquire(&file->ia);
}

/**
 * kdapl_file_follow() - hear of the end of the opener's memory
 * @file: the file, whose lock the caller holds
 *
 * Once for a file, before it has an IA: it may wait for that memory's lock as long as
 * somebody else has it, which nobody but the program may suffer from.
 *
 * Return: 0, also where it was called before; -ENOMEM; -EINTR: killed; -ERESTARTNOINTR.
 */
int kdapl_file_follow(struct kdapl_file *file);

/**
 * kdapl_ia_of_fd() - the IA that another file is
 * @fd: a descriptor of the calling program
 * @filp: out: the file, with a reference, which keeps the IA; nothing when it fails
 *
 * Return: the IA; -EBADF: @fd is no file, no /dev/kdapl, or has no IA yet; -EACCES: it
 * is another program's.
 */
struct kdapl_ia *kdapl_ia_of_fd(int fd, struct file **filp);

int kdapl_chardev_init(void);
void kdapl_chardev_exit(void);

#endif /* KDAPL_CHARDEV_H */

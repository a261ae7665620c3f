/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* /dev/kdapl: the door for programs. */
#ifndef KDAPL_CHARDEV_H
#define KDAPL_CHARDEV_H

#define KDAPL_VERSION	"0.1.0"

int kdapl_chardev_init(void);
void kdapl_chardev_exit(void);

#endif /* KDAPL_CHARDEV_H */

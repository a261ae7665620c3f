/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names that one vendor's provider adds for user and kernel consumers alike.
 *
 * There are none: the provider runs over the kernel's own RDMA stack and treats
 * all devices alike. The file exists because sources written for other DAT
 * libraries include it.
 */
#ifndef _DAT_VENDOR_SPECIFIC_H_
#define _DAT_VENDOR_SPECIFIC_H_

#endif /* _DAT_VENDOR_SPECIFIC_H_ */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Additions of one vendor to what both sides of DAT have: there are none. */
#ifndef _DAT_VENDOR_SPECIFIC_H_
#define _DAT_VENDOR_SPECIFIC_H_
#endif /* _DAT_VENDOR_SPECIFIC_H_ */

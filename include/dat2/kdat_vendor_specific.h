/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Additions of one vendor to kDAPL: there are none. See kdat_ext.h for ours. */
#ifndef _KDAT_VENDOR_SPECIFIC_H_
#define _KDAT_VENDOR_SPECIFIC_H_
#endif /* _KDAT_VENDOR_SPECIFIC_H_ */

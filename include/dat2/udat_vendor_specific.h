/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Additions of one vendor to uDAPL: there are none. */
#ifndef _UDAT_VENDOR_SPECIFIC_H_
#define _UDAT_VENDOR_SPECIFIC_H_

#include <dat2/dat_vendor_specific.h>

#endif /* _UDAT_VENDOR_SPECIFIC_H_ */

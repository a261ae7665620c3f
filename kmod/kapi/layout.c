// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The layouts of kDAPL 2.0, pinned: a consumer that was compiled against another
 * copy of the headers has the same.
 */

#include <dat2/kdat_ext.h>
#include <dat2/kdat_redirection.h>

#define SIZE(type, size)	static_assert(sizeof(type) == (size))
#define AT(type, member, offset) \
	static_assert(offsetof(type, member) == (offset))

#ifdef CONFIG_64BIT
SIZE(DAT_CONTEXT, 8);
SIZE(DAT_LMR_TRIPLET, 16);
AT(DAT_LMR_TRIPLET, segment_length, 8);
AT(DAT_LMR_TRIPLET, lmr_context, 12);
SIZE(DAT_RMR_TRIPLET, 16);
AT(DAT_RMR_TRIPLET, rmr_context, 12);
SIZE(DAT_EVENT, 120);
AT(DAT_EVENT, event_data, 16);
AT(DAT_EVENT, event_extension_data, 56);
SIZE(DAT_DTO_COMPLETION_EVENT_DATA, 32);
AT(DAT_DTO_COMPLETION_EVENT_DATA, transfered_length, 20);
AT(DAT_DTO_COMPLETION_EVENT_DATA, rmr_context, 28);
SIZE(DAT_RMR_BIND_COMPLETION_EVENT_DATA, 24);
SIZE(DAT_CR_ARRIVAL_EVENT_DATA, 40);
SIZE(DAT_CONNECTION_EVENT_DATA, 24);
SIZE(DAT_ASYNCH_ERROR_EVENT_DATA, 16);
SIZE(DAT_EP_ATTR, 88);
SIZE(DAT_EP_PARAM, 184);
AT(DAT_EP_PARAM, pz_handle, 56);
AT(DAT_EP_PARAM, ep_attr, 96);
AT(DAT_IA_ATTR, ia_address_ptr, 528);
AT(DAT_IA_ATTR, max_eps, 536);
SIZE(DAT_PROVIDER_INFO, 268);
SIZE(DAT_RMR_PARAM, 48);
SIZE(DAT_SRQ_PARAM, 48);
SIZE(DAT_SRQ_ATTR, 12);
SIZE(DAT_CR_PARAM, 40);
SIZE(DAT_PSP_PARAM, 32);
SIZE(DAT_RSP_PARAM, 32);
SIZE(DAT_EVD_PARAM, 40);
SIZE(DAT_UPCALL_OBJECT, 16);
SIZE(DAT_REGION_DESCRIPTION, 16);
SIZE(DAT_LMR_PARAM, 88);
AT(DAT_LMR_PARAM, lmr_state, 80);
AT(DAT_PROVIDER, ia_open_func, 16);
AT(DAT_PROVIDER, ia_memtype_hint_func, 40);
#endif

static_assert(DAT_THREAD_SAFETY_NOT_FOUND == 0x67);
static_assert(DAT_IA_FIELD_IA_ZB_SUPPORTED == 0x80000000);
static_assert(DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR == 0x40000000);
static_assert(DAT_PROVIDER_FIELD_PROVIDER_SPECIFIC_ATTR == 0x100000000);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a C compiler makes of the public headers, for layout_test.cpp to compare.
 */
#ifndef HEADER_C_TEST_H
#define HEADER_C_TEST_H

#include <dat/udat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes in bytes and values of constants, as C sees them. */
struct c_view {
	size_t event;
	size_t ep_attr;
	size_t ep_param;
	size_t ia_attr;
	size_t provider_attr;
	size_t provider;
	size_t lmr_param;
	size_t boolean;
	size_t dat_return;
	size_t mem_priv;
	size_t call_result_size;
	DAT_HANDLE null_handle;
	DAT_EVD_HANDLE async_exists;
	DAT_OS_WAIT_PROXY_AGENT no_agent;
	DAT_RETURN error;
	DAT_MEM_PRIV_FLAGS read_and_write;
	DAT_EVD_FLAGS evd_flags;
	DAT_TIMEOUT forever;
	DAT_COUNT unknown;
	DAT_IA_ATTR_MASK ia_mask;
};

/** Fills the structure from C. */
void look_from_c(struct c_view *view);

#ifdef __cplusplus
}
#endif

#endif /* HEADER_C_TEST_H */

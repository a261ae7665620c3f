// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// uDAPL 2.0 for tests that are compiled for each version: what the versions have
// otherwise, by the same names.
#pragma once

#include <dat2/dat_registry.h>
#include <dat2/udat.h>

#include <set>
#include <string>

/* Programs of 2.0 bring their own. */
#define DAT_ERROR(type, subtype) \
	((DAT_RETURN)(DAT_CLASS_ERROR | (DAT_UINT32)(type) | (DAT_UINT32)(subtype)))

namespace fake {

/** Of an empty queue. */
inline constexpr DAT_RETURN queue_empty = DAT_QUEUE_EMPTY;

/** What is said of common service points. */
inline constexpr DAT_RETURN_TYPE port_in_use = DAT_PORT_IN_USE;
inline constexpr DAT_RETURN_TYPE comm_not_supported = DAT_COMM_NOT_SUPPORTED;
inline constexpr DAT_RETURN_SUBTYPE handle_csp = DAT_INVALID_HANDLE_CSP;

/** How many types and subtypes of results there are, and a type that is none. */
inline constexpr std::size_t result_types = 26, result_subtypes = 0x68;
inline constexpr DAT_RETURN no_type = 0x00180000;

/** Calls that no other version has; their tests are this version's. */
inline const std::set<std::string> own_calls = {
	"dat_cno_fd_create",
	"dat_cno_trigger",
	"dat_csp_create",
	"dat_csp_free",
	"dat_csp_query",
	"dat_ep_common_connect",
	"dat_ep_post_rdma_read_to_rmr",
	"dat_ep_post_send_with_invalidate",
	"dat_extension_op",
	"dat_ia_ha_related",
	"dat_registry_providers_related",
	"dat_rmr_create_for_ep",
};

/* Whether an EP may have two styles on one EVD: every completion counts, then. */
inline constexpr bool mixes_styles = true;

/* Whether an LMR has the privilege of local read unasked. */
inline constexpr bool all_memory_is_readable = true;

inline DAT_RETURN lmr_create(DAT_IA_HANDLE ia, DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region,
			     DAT_VLEN length, DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS privileges,
			     DAT_LMR_HANDLE *lmr, DAT_LMR_CONTEXT *lmr_context = nullptr,
			     DAT_RMR_CONTEXT *rmr_context = nullptr, DAT_VLEN *size = nullptr,
			     DAT_VADDR *address = nullptr)
{
	return dat_lmr_create(ia, type, region, length, pz, privileges, DAT_VA_TYPE_VA, lmr,
			      lmr_context, rmr_context, size, address);
}

inline DAT_RETURN rmr_bind(DAT_RMR_HANDLE rmr, DAT_LMR_HANDLE lmr, const DAT_LMR_TRIPLET *triplet,
			   DAT_MEM_PRIV_FLAGS privileges, DAT_EP_HANDLE ep, DAT_RMR_COOKIE cookie,
			   DAT_COMPLETION_FLAGS flags, DAT_RMR_CONTEXT *context)
{
	return dat_rmr_bind(rmr, lmr, triplet, privileges, DAT_VA_TYPE_VA, ep, cookie, flags,
			    context);
}

inline DAT_RETURN cr_reject(DAT_CR_HANDLE cr)
{
	return dat_cr_reject(cr, 0, nullptr);
}

/* Lengths have 32 bits; what is more ends there. */
inline DAT_LMR_TRIPLET local(DAT_LMR_CONTEXT context, DAT_VADDR address, DAT_VLEN length)
{
	return { address, static_cast<DAT_SEG_LENGTH>(length), context };
}

inline DAT_RMR_TRIPLET remote(DAT_RMR_CONTEXT context, DAT_VADDR address, DAT_VLEN length)
{
	return { address, static_cast<DAT_SEG_LENGTH>(length), context };
}

inline constexpr DAT_CNO_PARAM_MASK cno_agent_field = DAT_CNO_FIELD_PROXY;

inline const DAT_OS_WAIT_PROXY_AGENT &agent_of(const DAT_CNO_PARAM &param)
{
	return param.proxy.agent;
}

} // namespace fake

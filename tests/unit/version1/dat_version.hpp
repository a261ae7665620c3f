// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// uDAPL 1.2 for tests that are compiled for each version: what the versions have
// otherwise, by the same names.
#pragma once

#include <dat/dat_registry.h>
#include <dat/udat.h>

#include <set>
#include <string>

namespace fake {

/** Of an empty queue. */
inline constexpr DAT_RETURN queue_empty = DAT_ERROR(DAT_QUEUE_EMPTY, DAT_NO_SUBTYPE);

/** What is said of common service points, of which there are none. */
inline constexpr DAT_RETURN_TYPE port_in_use = DAT_CONN_QUAL_IN_USE;
inline constexpr DAT_RETURN_TYPE comm_not_supported = DAT_INVALID_ADDRESS;
inline constexpr DAT_RETURN_SUBTYPE handle_csp = DAT_INVALID_HANDLE1;

/** How many types and subtypes of results there are, and a type that is none. */
inline constexpr std::size_t result_types = 22, result_subtypes = 0x67;
inline constexpr DAT_RETURN no_type = 0x00150000;

/** Calls that no other version has; their tests are this version's. */
inline const std::set<std::string> own_calls = {};

/* Whether an EP may have two styles on one EVD: every completion counts, then. */
inline constexpr bool mixes_styles = false;

/* Whether an LMR has the privilege of local read unasked. */
inline constexpr bool all_memory_is_readable = false;

inline DAT_RETURN lmr_create(DAT_IA_HANDLE ia, DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region,
			     DAT_VLEN length, DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS privileges,
			     DAT_LMR_HANDLE *lmr, DAT_LMR_CONTEXT *lmr_context = nullptr,
			     DAT_RMR_CONTEXT *rmr_context = nullptr, DAT_VLEN *size = nullptr,
			     DAT_VADDR *address = nullptr)
{
	return dat_lmr_create(ia, type, region, length, pz, privileges, lmr, lmr_context,
			      rmr_context, size, address);
}

inline DAT_RETURN rmr_bind(DAT_RMR_HANDLE rmr, DAT_LMR_HANDLE, const DAT_LMR_TRIPLET *triplet,
			   DAT_MEM_PRIV_FLAGS privileges, DAT_EP_HANDLE ep, DAT_RMR_COOKIE cookie,
			   DAT_COMPLETION_FLAGS flags, DAT_RMR_CONTEXT *context)
{
	return dat_rmr_bind(rmr, triplet, privileges, ep, cookie, flags, context);
}

inline DAT_RETURN cr_reject(DAT_CR_HANDLE cr)
{
	return dat_cr_reject(cr);
}

inline DAT_LMR_TRIPLET local(DAT_LMR_CONTEXT context, DAT_VADDR address, DAT_VLEN length)
{
	return { context, 0, address, length };
}

inline DAT_RMR_TRIPLET remote(DAT_RMR_CONTEXT context, DAT_VADDR address, DAT_VLEN length)
{
	return { context, 0, address, length };
}

inline constexpr DAT_CNO_PARAM_MASK cno_agent_field = DAT_CNO_FIELD_AGENT;

inline const DAT_OS_WAIT_PROXY_AGENT &agent_of(const DAT_CNO_PARAM &param)
{
	return param.agent;
}

} // namespace fake

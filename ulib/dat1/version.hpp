// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What uDAPL 1.2 has otherwise than other versions. The face is compiled once for
 * each version, and takes this file from the version's folder: every version's has the
 * same names.
 */
#pragma once

/* Everything is hidden but the calls; libdat.map picks from what is visible. */
#pragma GCC visibility push(default)
#include <dat/dat_registry.h>
#include <dat/udat.h>
#pragma GCC visibility pop

#include "engine/errors.hpp"
#include "engine/evd.hpp"

#include <string_view>

namespace version {

/* ---- the registry -------------------------------------------------------- */

/** The library of our own provider, for other registries; here it is built in. */
inline constexpr std::string_view own_provider_library = "libdapl_kdapl.so.1";

/** Before an adapter's name it says that the program copes with relaxed ordering. */
inline constexpr std::string_view ro_aware_prefix = kdapl::ro_aware_prefix;

/** Whether a list with room for some of the adapters is filled. */
inline constexpr bool lists_what_fits = false;

/** A provider's table as it is registered. */
using RegisteredTable = DAT_PROVIDER;

inline DAT_RETURN open_ia(const DAT_PROVIDER &provider, const DAT_NAME_PTR ia_name,
			  DAT_COUNT async_min_qlen, DAT_EVD_HANDLE *async_evd,
			  DAT_IA_HANDLE *ia_handle, bool ro_aware)
{
	return provider.ia_open_func(ia_name, async_min_qlen, async_evd, ia_handle,
				     ro_aware ? DAT_TRUE : DAT_FALSE);
}

/** What programs know an IA by. */
inline DAT_IA_HANDLE shown_ia(kdapl::Handle ia) noexcept
{
	return const_cast<DAT_IA_HANDLE>(ia);
}

/* ---- results ------------------------------------------------------------- */

/** Of a queue that is empty, and of a CNO that was not triggered. */
inline constexpr DAT_RETURN queue_empty = DAT_CLASS_ERROR | DAT_QUEUE_EMPTY;

/** What common service points would end with: there are none. @{ */
inline constexpr DAT_RETURN_TYPE port_in_use = DAT_CONN_QUAL_IN_USE;
inline constexpr DAT_RETURN_TYPE comm_not_supported = DAT_INVALID_ADDRESS;
inline constexpr DAT_RETURN_SUBTYPE handle_csp = DAT_INVALID_HANDLE1;
/** @} */

/** Memory to register that has no length. */
inline constexpr kdapl::Status no_length =
	kdapl::fail(kdapl::Type::invalid_parameter, kdapl::Sub::arg4);

/* ---- arguments ----------------------------------------------------------- */

inline DAT_VADDR remote_address(const DAT_RMR_TRIPLET &triplet) noexcept
{
	return triplet.target_address;
}

/** The last of the types of memory. */
inline constexpr DAT_MEM_TYPE last_mem_type = DAT_MEM_TYPE_SO_VIRTUAL;

/** Privileges of an LMR that change nothing here. */
inline constexpr DAT_MEM_PRIV_FLAGS idle_privileges = DAT_MEM_PRIV_RO_DISABLE_FLAG;

/** Privileges that every LMR has. */
inline constexpr DAT_MEM_PRIV_FLAGS implied_privileges = DAT_MEM_PRIV_NONE_FLAG;

/** The privilege of memory on which the peer may do atomic operations. */
inline constexpr DAT_MEM_PRIV_FLAGS atomic_privilege = DAT_MEM_PRIV_NONE_FLAG;

/** The stream of an EVD that has completions of extensions. */
inline constexpr std::uint32_t extension_stream = 0;

/** Whether memory without a length needs a start to be wrong for its length. */
inline constexpr bool length_needs_start = true;

/** What of an EP never changes, besides what no version lets change. */
inline constexpr DAT_EP_PARAM_MASK fixed_ep_fields = 0;

/** All values of the mask of dat_cno_query(). */
inline constexpr DAT_CNO_PARAM_MASK cno_fields = DAT_CNO_FIELD_ALL;

/* ---- what is told -------------------------------------------------------- */

/** Whether an IA tells its device's name, however it was opened. */
inline constexpr bool adapter_is_device = false;

/** Whether completions tell their operation. */
inline constexpr bool tells_operation = false;

/** An EP whose two directions notify in different ways needs two EVDs, as its page says. */
inline constexpr bool mixes_styles = false;

/** What may be asked for when connecting, though no adapter has it. */
inline constexpr DAT_CONNECT_FLAGS connect_flags = DAT_CONNECT_MULTIPATH_FLAG;

/** Whether the provider is thread-safe: it is, however it was registered. */
inline DAT_BOOLEAN thread_safety(bool /*registered*/) noexcept
{
	return DAT_TRUE;
}

/** The type of memory that an LMR became. */
inline DAT_MEM_TYPE told_mem_type(std::uint32_t type) noexcept
{
	return static_cast<DAT_MEM_TYPE>(type);
}

/** Who else hears of a trigger. */
inline void set_proxy(DAT_CNO_PARAM &param, const DAT_OS_WAIT_PROXY_AGENT &agent,
		      int /*fd*/) noexcept
{
	param.agent = agent;
}

/** Members that only some versions have. @{ */
inline void finish(DAT_EVENT &, const kdapl::Event &) noexcept {}
inline void finish(DAT_IA_ATTR &, const kdapl_ia_query &) noexcept {}
inline void finish(DAT_EP_PARAM &) noexcept {}
inline void finish(DAT_RMR_PARAM &) noexcept {}
inline void finish(DAT_PROVIDER_ATTR &, const kdapl_ia_query &) noexcept {}
/** @} */

} // namespace version

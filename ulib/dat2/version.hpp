// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What uDAPL 2.0 has otherwise than other versions. The face is compiled once for
 * each version, and takes this file from the version's folder: every version's has the
 * same names.
 */
#pragma once

/* Everything is hidden but the calls; libdat2.map picks from what is visible. */
#pragma GCC visibility push(default)
#include <dat2/dat_registry.h>
#include <dat2/udat.h>
#include <dat2/dat_ib_extensions.h>
#pragma GCC visibility pop

#include "engine/errors.hpp"
#include "engine/evd.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace version {

/* ---- the registry -------------------------------------------------------- */

/** The library of our own provider, for other registries; here it is built in. */
inline constexpr std::string_view own_provider_library = "libdapl2_kdapl.so.2";

/** None: a name is the adapter's, whatever it begins with. */
inline constexpr std::string_view ro_aware_prefix = {};

/** A list with room for some of the adapters gets as many, as from the distribution's libdat2. */
inline constexpr bool lists_what_fits = true;

/** A provider's table as it is registered. */
using RegisteredTable = const DAT_PROVIDER;

inline DAT_RETURN open_ia(const DAT_PROVIDER &provider, const DAT_NAME_PTR ia_name,
			  DAT_COUNT async_min_qlen, DAT_EVD_HANDLE *async_evd,
			  DAT_IA_HANDLE *ia_handle, bool /*ro_aware*/)
{
	return provider.ia_open_func(ia_name, async_min_qlen, async_evd, ia_handle);
}

/**
 * What programs know an IA by: the registry that serves them may have a name of its
 * own for it. While it is being opened or closed there is none.
 */
inline DAT_IA_HANDLE shown_ia(kdapl::Handle ia) noexcept
{
	const auto own = const_cast<DAT_IA_HANDLE>(ia);
	DAT_IA_HANDLE shown = DAT_HANDLE_NULL;

	return dats_get_ia_handle(own, &shown) == DAT_SUCCESS ? shown : own;
}

/* ---- results ------------------------------------------------------------- */

/** Of a queue that is empty, and of a CNO that was not triggered: no error. */
inline constexpr DAT_RETURN queue_empty = DAT_QUEUE_EMPTY;

/** What common service points may end with. @{ */
inline constexpr DAT_RETURN_TYPE port_in_use = DAT_PORT_IN_USE;
inline constexpr DAT_RETURN_TYPE comm_not_supported = DAT_COMM_NOT_SUPPORTED;
inline constexpr DAT_RETURN_SUBTYPE handle_csp = DAT_INVALID_HANDLE_CSP;
/** @} */

/** Memory to register that has no length. */
inline constexpr kdapl::Status no_length = kdapl::fail(kdapl::Type::length_error);

/* ---- arguments ----------------------------------------------------------- */

inline DAT_VADDR remote_address(const DAT_RMR_TRIPLET &triplet) noexcept
{
	return triplet.virtual_address;
}

/** The last of the types of memory. */
inline constexpr DAT_MEM_TYPE last_mem_type = DAT_MEM_TYPE_SHARED_VIRTUAL;

/** Privileges of an LMR that change nothing here. */
inline constexpr DAT_MEM_PRIV_FLAGS idle_privileges = DAT_MEM_PRIV_NONE_FLAG;

/**
 * Privileges that every LMR has: programs send from memory that they registered for
 * writing alone. No device that other providers run on forbids that.
 */
inline constexpr DAT_MEM_PRIV_FLAGS implied_privileges = DAT_MEM_PRIV_LOCAL_READ_FLAG;

/** The privilege of memory on which the peer may do atomic operations. */
inline constexpr DAT_MEM_PRIV_FLAGS atomic_privilege = DAT_MEM_PRIV_EXTENSION_BASE;
static_assert(DAT_MEM_PRIV_EXTENSION_BASE == KDAPL_PRIV_REMOTE_ATOMIC);

/** The stream of an EVD that has completions of extensions. */
inline constexpr std::uint32_t extension_stream = DAT_EVD_EXTENSION_BASE;

/** Whether memory without a length needs a start to be wrong for its length. */
inline constexpr bool length_needs_start = false;

/** What of an EP never changes, besides what no version lets change. */
inline constexpr DAT_EP_PARAM_MASK fixed_ep_fields = DAT_EP_FIELD_COMM;

/** All values of the mask of dat_cno_query(), which are no bits: 1 to 4. */
inline constexpr auto cno_fields = static_cast<DAT_CNO_PARAM_MASK>(0x7);

/* ---- what is told -------------------------------------------------------- */

/** Whether an IA tells its device's name, however it was opened. */
inline constexpr bool adapter_is_device = true;

/** Whether completions tell their operation. */
inline constexpr bool tells_operation = true;

/** OFED's providers take it, and MVAPICH2 relies on that. */
inline constexpr bool mixes_styles = true;

/** What may be asked for when connecting, though no adapter has it. */
inline constexpr auto connect_flags = static_cast<DAT_CONNECT_FLAGS>(
	DAT_CONNECT_MULTIPATH_REQUESTED_FLAG | DAT_CONNECT_MULTIPATH_REQUIRED_FLAG);

/** Registries look an adapter up by what its provider says here. */
inline DAT_BOOLEAN thread_safety(bool registered) noexcept
{
	return registered ? DAT_TRUE : DAT_FALSE;
}

/** The type of memory that an LMR became; that it is strongly ordered has no name here. */
inline DAT_MEM_TYPE told_mem_type(std::uint32_t type) noexcept
{
	return type > last_mem_type ? DAT_MEM_TYPE_VIRTUAL : static_cast<DAT_MEM_TYPE>(type);
}

/** Who else hears of a trigger: an agent before a descriptor, which is -1 for none. */
inline void set_proxy(DAT_CNO_PARAM &param, const DAT_OS_WAIT_PROXY_AGENT &agent, int fd) noexcept
{
	param.proxy.agent = agent;
	if (agent.proxy_agent_func) {
		param.proxy_type = DAT_PROXY_TYPE_AGENT;
	} else if (fd >= 0) {
		param.proxy_type = DAT_PROXY_TYPE_FD;
		param.proxy.fd = fd;
	} else {
		param.proxy_type = DAT_PROXY_TYPE_NONE;
	}
}

/** What an event has more of an operation that is an extension. */
void finish_extension(DAT_EVENT &to, const kdapl::Event &from) noexcept;

/** Members that only some versions have. @{ */
inline void finish(DAT_EVENT &to, const kdapl::Event &from) noexcept
{
	auto &dto = to.event_data.dto_completion_event_data;

	dto.operation = static_cast<DAT_DTOS>(from.operation);
	dto.rmr_context = from.operation == DAT_DTO_RECEIVE_WITH_INVALIDATE ? from.value : 0;
	std::fill(std::begin(to.event_extension_data), std::end(to.event_extension_data), 0);
	if (from.operation >= DAT_DTO_EXTENSION_BASE)
		finish_extension(to, from);
}

inline void finish(DAT_IA_ATTR &attr, const kdapl_ia_query &query) noexcept
{
	if (!(query.flags & KDAPL_IA_IMM))
		return;
	attr.extension_supported = DAT_EXTENSION_IB;
	attr.extension_version = DAT_IB_EXTENSION_VERSION;
}

inline void finish(DAT_EP_PARAM &param) noexcept
{
	const DAT_SOCK_ADDR *address = param.remote_ia_address_ptr ? param.remote_ia_address_ptr :
								     param.local_ia_address_ptr;

	param.comm = { address->sa_family, SOCK_STREAM, IPPROTO_TCP };
}

inline void finish(DAT_RMR_PARAM &param) noexcept
{
	param.rmr_scope = DAT_RMR_SCOPE_PZ;
	param.va_type = DAT_VA_TYPE_VA;
}

inline void finish(DAT_PROVIDER_ATTR &attr, const kdapl_ia_query &query) noexcept
{
	/* iWARP's reads name their sink to the peer. */
	attr.rdma_read_lmr_rmr_context_exposure =
		query.transport == KDAPL_TRANSPORT_IWARP ? DAT_TRUE : DAT_FALSE;
	attr.rmr_scope_supported = DAT_RMR_SCOPE_PZ;
}
/** @} */

} // namespace version

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attributes of a provider by names that not all versions have: those that OFED's
 * providers have and programs look for.
 */
#pragma once

#include "version.hpp"

#include "face/named_attribute.hpp"
#include "uapi/kdapl.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

namespace version {

/** enum ib_port_state of the kernel */
inline const char *port_state_name(std::uint32_t state) noexcept
{
	constexpr std::array names{ "UNKNOWN", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER" };

	return names[state < names.size() ? state : 0];
}

inline std::string guid_text(std::uint64_t guid)
{
	char text[20];

	std::snprintf(text, sizeof text, "%04x:%04x:%04x:%04x", static_cast<unsigned>(guid >> 48),
		      static_cast<unsigned>(guid >> 32 & 0xffff),
		      static_cast<unsigned>(guid >> 16 & 0xffff),
		      static_cast<unsigned>(guid & 0xffff));
	return text;
}

inline void add_attributes(const kdapl_ia_query &query, std::vector<face::NamedAttribute> &list)
{
	const char *name = reinterpret_cast<const char *>(query.name);

	list.push_back({ "DAT_IB_PROVIDER_NAME", "kdapl" });
	list.push_back(
		{ "DAT_IB_DEVICE_NAME", std::string(name, strnlen(name, sizeof query.name)) });
	list.push_back({ "DAT_IB_CONNECTIVITY_MODE", "DIRECT" });
	list.push_back({ "DAT_IB_RDMA_READ", "TRUE" });
	list.push_back({ "DAT_IB_NODE_GUID", guid_text(query.node_guid) });
	list.push_back({ "DAT_IB_PORT_NUMBER", std::to_string(query.port) });
	list.push_back({ "DAT_IB_PORT_STATUS", port_state_name(query.port_state) });
	list.push_back(
		{ "DAT_EXTENSION_INTERFACE", query.flags & KDAPL_IA_IMM ? "TRUE" : "FALSE" });
	if (query.flags & KDAPL_IA_IMM) {
		list.push_back({ DAT_IB_ATTR_IMMED_DATA, "TRUE" });
		list.push_back({ DAT_IB_ATTR_COUNTERS, "TRUE" });
	}
	if (query.flags & KDAPL_IA_ATOMIC) {
		list.push_back({ DAT_IB_ATTR_FETCH_AND_ADD, "TRUE" });
		list.push_back({ DAT_IB_ATTR_CMP_AND_SWAP, "TRUE" });
	}
	/* Programs take it for a number that is there. */
	if (query.mtu)
		list.push_back({ "DAT_IB_TRANSPORT_MTU", std::to_string(query.mtu) });
}

} // namespace version

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "describe.hpp"

#include <fmt/format.h>

#include "../common/adapter.hpp"
#include "../common/region.hpp"

namespace info {

using json = nlohmann::ordered_json;
using tools::Adapter;

/* What a program that copes with relaxed ordering puts before a name. */
static constexpr std::string_view ro_aware = "RO_AWARE_";

/*
 * How a region of the plain type is ordered when the adapter is opened under
 * this name: the query of an LMR tells what the type became.
 */
static std::string ordering(const std::string &name)
{
	Adapter adapter(name);
	tools::Region region(adapter, 1, tools::local_access);

	return region.mem_type() == DAT_MEM_TYPE_SO_VIRTUAL ? "strong" : "relaxed";
}

static json limits(const DAT_IA_ATTR &attr)
{
	return {
		{ "max_eps", attr.max_eps },
		{ "max_dto_per_ep", attr.max_dto_per_ep },
		{ "max_rdma_read_per_ep_in", attr.max_rdma_read_per_ep_in },
		{ "max_rdma_read_per_ep_out", attr.max_rdma_read_per_ep_out },
		{ "max_evds", attr.max_evds },
		{ "max_evd_qlen", attr.max_evd_qlen },
		{ "max_iov_segments_per_dto", attr.max_iov_segments_per_dto },
		{ "max_iov_segments_per_rdma_read", attr.max_iov_segments_per_rdma_read },
		{ "max_iov_segments_per_rdma_write", attr.max_iov_segments_per_rdma_write },
		{ "max_lmrs", attr.max_lmrs },
		{ "max_lmr_block_size", attr.max_lmr_block_size },
		{ "max_pzs", attr.max_pzs },
		{ "max_message_size", attr.max_message_size },
		{ "max_rdma_size", attr.max_rdma_size },
		{ "max_rmrs", attr.max_rmrs },
		{ "max_srqs", attr.max_srqs },
	};
}

static json provider(const DAT_PROVIDER_ATTR &attr)
{
	return {
		{ "name", attr.provider_name },
		{ "version",
		  fmt::format("{}.{}", attr.provider_version_major, attr.provider_version_minor) },
		{ "dat_version",
		  fmt::format("{}.{}", attr.dapl_version_major, attr.dapl_version_minor) },
		{ "thread_safe", attr.is_thread_safe == DAT_TRUE },
		{ "max_private_data_size", attr.max_private_data_size },
		{ "optimal_buffer_alignment", attr.optimal_buffer_alignment },
		{ "srq_supported", attr.srq_supported == DAT_TRUE },
		{ "lmr_sync_required", attr.lmr_sync_req == DAT_TRUE },
	};
}

static json named(DAT_COUNT count, const DAT_NAMED_ATTR *attr)
{
	json out = json::object();

	for (DAT_COUNT i = 0; i < count; i++)
		out[attr[i].name] = attr[i].value ? attr[i].value : "";
	return out;
}

json describe(const std::string &asked)
{
	Adapter adapter(asked);
	const std::string name =
		asked.starts_with(ro_aware) ? asked.substr(ro_aware.size()) : asked;
	const std::string prefixed = std::string(ro_aware) + name;
	const DAT_IA_ATTR &attr = adapter.attr();
	const DAT_PROVIDER_ATTR &prov = adapter.provider();

	return {
		{ "name", name },
		{ "address", adapter.address().text() },
		{ "adapter", attr.adapter_name },
		{ "vendor", attr.vendor_name },
		{ "hardware_version",
		  fmt::format("{}.{}", attr.hardware_version_major, attr.hardware_version_minor) },
		{ "firmware_version",
		  fmt::format("{}.{}", attr.firmware_version_major, attr.firmware_version_minor) },
		{ "ordering", { { name, ordering(name) }, { prefixed, ordering(prefixed) } } },
		{ "named", named(prov.num_provider_specific_attr, prov.provider_specific_attr) },
		{ "transport", named(attr.num_transport_attr, attr.transport_attr) },
		{ "vendor_specific", named(attr.num_vendor_attr, attr.vendor_attr) },
		{ "provider", provider(prov) },
		{ "limits", limits(attr) },
	};
}

} // namespace info

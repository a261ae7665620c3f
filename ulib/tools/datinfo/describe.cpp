// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "describe.hpp"

#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

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
		{ "max_ep_per_srq", attr.max_ep_per_srq },
		{ "max_recv_per_srq", attr.max_recv_per_srq },
		{ "max_rdma_read_in", attr.max_rdma_read_in },
		{ "max_rdma_read_out", attr.max_rdma_read_out },
		{ "max_rdma_read_per_ep_in_guaranteed",
		  attr.max_rdma_read_per_ep_in_guaranteed == DAT_TRUE },
		{ "max_rdma_read_per_ep_out_guaranteed",
		  attr.max_rdma_read_per_ep_out_guaranteed == DAT_TRUE },
		{ "max_lmr_virtual_address", fmt::format("{:#x}", attr.max_lmr_virtual_address) },
		{ "max_rmr_target_address", fmt::format("{:#x}", attr.max_rmr_target_address) },
	};
}

using Names = std::initializer_list<std::pair<DAT_UINT64, std::string_view>>;

/* Those of the bits that are set. */
static json set_of(DAT_UINT64 bits, Names names)
{
	json out = json::array();

	for (const auto &[bit, name] : names)
		if (bits & bit)
			out.push_back(name);
	return out;
}

static json one_of(DAT_UINT64 value, Names names)
{
	for (const auto &[number, name] : names)
		if (value == number)
			return name;
	return value;
}

/* Of each stream of events, with which others it may share an EVD. */
static json merging(const DAT_PROVIDER_ATTR &attr)
{
	static constexpr std::array<std::string_view, 6> streams = {
		"software", "request", "dto", "connection", "bind", "async",
	};
	json out = json::object();

	for (std::size_t i = 0; i < streams.size(); i++) {
		json with = json::array();

		for (std::size_t j = 0; j < streams.size(); j++)
			if (i != j && attr.evd_stream_merging_supported[i][j])
				with.push_back(streams[j]);
		out[std::string(streams[i])] = with;
	}
	return out;
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
		/* An OR of numbers that are no bits. */
		{ "lmr_mem_types", fmt::format("{:#x}", +attr.lmr_mem_types_supported) },
		{ "iov_ownership", one_of(attr.iov_ownership_on_return,
					  { { DAT_IOV_CONSUMER, "consumer" },
					    { DAT_IOV_PROVIDER_NOMOD, "provider_nomod" },
					    { DAT_IOV_PROVIDER_MOD, "provider_mod" } }) },
		{ "qos", attr.dat_qos_supported == DAT_QOS_BEST_EFFORT ?
				 json::array({ "best_effort" }) :
				 set_of(attr.dat_qos_supported,
					{ { DAT_QOS_HIGH_THROUGHPUT, "high_throughput" },
					  { DAT_QOS_LOW_LATENCY, "low_latency" },
					  { DAT_QOS_ECONOMY, "economy" },
					  { DAT_QOS_PREMIUM, "premium" } }) },
		{ "completion_flags",
		  set_of(attr.completion_flags_supported,
			 { { DAT_COMPLETION_SUPPRESS_FLAG, "suppress" },
			   { DAT_COMPLETION_SOLICITED_WAIT_FLAG, "solicited_wait" },
			   { DAT_COMPLETION_UNSIGNALLED_FLAG, "unsignalled" },
			   { DAT_COMPLETION_BARRIER_FENCE_FLAG, "barrier_fence" },
			   { DAT_COMPLETION_EVD_THRESHOLD_FLAG, "evd_threshold" } }) },
		{ "multipath", attr.supports_multipath == DAT_TRUE },
		{ "psp_creates_ep",
		  one_of(attr.ep_creator, { { DAT_PSP_CREATES_EP_NEVER, "never" },
					    { DAT_PSP_CREATES_EP_IFASKED, "if_asked" },
					    { DAT_PSP_CREATES_EP_ALWAYS, "always" } }) },
		{ "pz_support", one_of(attr.pz_support, { { DAT_PZ_UNIQUE, "unique" },
							  { DAT_PZ_SAME, "same" },
							  { DAT_PZ_SHAREABLE, "shareable" } }) },
		{ "srq_watermarks",
		  set_of(attr.srq_watermarks_supported,
			 { { 0x1, "low" }, { 0x10, "soft" }, { 0x100, "hard" } }) },
		{ "srq_pz_may_differ", attr.srq_ep_pz_difference_supported == DAT_TRUE },
		{ "srq_info", set_of(attr.srq_info_supported,
				     { { 0x1, "available" }, { 0x10, "outstanding" } }) },
		{ "ep_recv_info",
		  set_of(attr.ep_recv_info_supported, { { 0x1, "buffers" }, { 0x10, "span" } }) },
		{ "dto_async_return_guaranteed", attr.dto_async_return_guaranteed == DAT_TRUE },
		{ "rdma_read_needs_local_write", attr.rdma_write_for_rdma_read_req == DAT_TRUE },
		{ "evd_merging", merging(attr) },
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

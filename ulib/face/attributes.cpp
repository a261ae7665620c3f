// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "attributes.hpp"

#include "more_attributes.hpp"

#include <cstdio>
#include <cstring>

namespace face {

namespace {

template <std::size_t N>
std::string text(const __u8 (&field)[N])
{
	const char *start = reinterpret_cast<const char *>(field);

	return std::string(start, strnlen(start, N));
}

/** The name that it was opened by, or the device's. */
void copy_name(const kdapl::Ia &ia, char (&to)[DAT_NAME_MAX_LENGTH]) noexcept
{
	const auto &device = ia.attributes().name;
	const char *name = static_cast<const DAT_PROVIDER *>(ia.provider())->device_name;
	std::size_t length = strnlen(name, sizeof to - 1);

	if (version::adapter_is_device) {
		static_assert(sizeof device <= sizeof to);
		name = reinterpret_cast<const char *>(device);
		length = strnlen(name, sizeof device - 1);
	}
	std::memset(to, 0, sizeof to);
	std::memcpy(to, name, length);
}

std::string addresses(const kdapl_ia_query &query)
{
	std::string all;

	for (std::uint32_t i = 0; i < query.num_addrs && i < KDAPL_ADDRS_MAX; i++) {
		if (!all.empty())
			all += ' ';
		all += kdapl::to_text(query.addrs[i]);
	}
	return all;
}

/** The leading two numbers of a dotted version, 0 where there is none. */
void split_version(const __u8 *version, DAT_UINT32 &major, DAT_UINT32 &minor) noexcept
{
	major = minor = 0;
	std::sscanf(reinterpret_cast<const char *>(version), "%u.%u", &major, &minor);
}

} // namespace

IaAttributes::IaAttributes(const kdapl::Ia &ia, bool thread_safe) : thread_safe_(thread_safe)
{
	const kdapl_ia_query &query = ia.attributes();
	const kdapl_query &module = ia.module_attributes();
	const bool iwarp = ia.is_iwarp();
	const bool relaxed = query.flags & KDAPL_IA_RELAXED_ORDERING;
	const bool frwr = query.flags & KDAPL_IA_FRWR;

	attributes_ = {
		{ "KDAPL_MODULE_VERSION", text(module.module_version) },
		{ "KDAPL_ABI_VERSION", std::to_string(module.abi_version) },
		{ "KDAPL_NETDEV", text(query.netdev) },
		{ "KDAPL_DRIVER", text(query.driver) },
		{ "KDAPL_FIRMWARE", text(query.fw_version) },
		{ "KDAPL_TRANSPORT", iwarp ? "iWARP" : "IB" },
		{ "KDAPL_ORDERING", relaxed ? "relaxed" : "strong" },
		{ "KDAPL_REGISTRATION", frwr ? "FRWR" : "device" },
		{ "KDAPL_ADDRESSES", addresses(query) },
		{ "KDAPL_MAX_PRIVATE_DATA_ACCEPT", std::to_string(query.max_private_data_accept) },
		{ "KDAPL_MAX_RMR_SIZE", std::to_string(query.max_rmr_size) },
		{ "KDAPL_DEVICE", text(query.name) },
	};
	version::add_attributes(query, attributes_);
	for (const NamedAttribute &attribute : attributes_)
		list_.push_back({ attribute.name, attribute.value.c_str() });
}

void fill(const kdapl::Ia &ia, DAT_IA_ATTR &attr) noexcept
{
	const kdapl_ia_query &q = ia.attributes();

	attr = {};
	copy_name(ia, attr.adapter_name);
	std::snprintf(attr.vendor_name, sizeof attr.vendor_name, "0x%06x", q.vendor_id);
	attr.hardware_version_major = q.hw_version;
	split_version(q.fw_version, attr.firmware_version_major, attr.firmware_version_minor);
	attr.ia_address_ptr = const_cast<DAT_IA_ADDRESS_PTR>(ia.address());
	attr.max_eps = to_count(q.max_eps);
	attr.max_dto_per_ep = to_count(std::min(q.max_requests, q.max_recvs));
	attr.max_rdma_read_per_ep_in = to_count(q.max_rdma_read_in);
	attr.max_rdma_read_per_ep_out = to_count(q.max_rdma_read_out);
	attr.max_evds = to_count(q.max_evds);
	attr.max_evd_qlen = to_count(q.max_evd_qlen);
	attr.max_iov_segments_per_dto = to_count(q.max_iov);
	attr.max_lmrs = to_count(q.max_lmrs);
	tell_size(q.max_lmr_size, attr.max_lmr_block_size);
	attr.max_lmr_virtual_address = ~DAT_VADDR{ 0 };
	attr.max_pzs = to_count(q.max_pzs);
	/* The device's memory regions serve both. */
	attr.max_rmrs = q.max_rmr_size ? to_count(q.max_lmrs) : 0;
	attr.max_rmr_target_address = q.max_rmr_size ? ~DAT_VADDR{ 0 } : 0;
	tell_size(q.max_message, attr.max_message_size);
	tell_size(q.max_message, attr.max_rdma_size);
	attr.max_srqs = to_count(q.max_srqs);
	attr.max_ep_per_srq = q.max_srqs ? attr.max_eps : 0;
	attr.max_recv_per_srq = to_count(q.max_srq_recvs);
	attr.max_iov_segments_per_rdma_read = to_count(q.max_iov_read);
	attr.max_iov_segments_per_rdma_write = to_count(q.max_iov);
	attr.max_rdma_read_in = to_count(std::uint64_t{ q.max_rdma_read_in } * q.max_eps);
	attr.max_rdma_read_out = to_count(std::uint64_t{ q.max_rdma_read_out } * q.max_eps);
	attr.max_rdma_read_per_ep_in_guaranteed = DAT_TRUE;
	attr.max_rdma_read_per_ep_out_guaranteed = DAT_TRUE;
	version::finish(attr, q);
}

void fill(const kdapl::Ia &ia, DAT_PROVIDER_ATTR &attr) noexcept
{
	const kdapl_ia_query &q = ia.attributes();

	/* No assignment: in some versions the streams' matrix is a constant. */
	std::memset(static_cast<void *>(&attr), 0, sizeof attr);
	std::snprintf(attr.provider_name, sizeof attr.provider_name, "kdapl");
	attr.provider_version_major = KDAPL_ABI_VERSION;
	attr.dapl_version_major = DAT_VERSION_MAJOR;
	attr.dapl_version_minor = DAT_VERSION_MINOR;
	/* VIRTUAL is 0 and SO_VIRTUAL, where it is, 3: the OR of all. */
	attr.lmr_mem_types_supported =
		static_cast<DAT_MEM_TYPE>(DAT_MEM_TYPE_LMR | DAT_MEM_TYPE_SHARED_VIRTUAL);
	attr.iov_ownership_on_return = DAT_IOV_CONSUMER;
	attr.dat_qos_supported = DAT_QOS_BEST_EFFORT;
	attr.completion_flags_supported =
		DAT_COMPLETION_SUPPRESS_FLAG | DAT_COMPLETION_SOLICITED_WAIT_FLAG |
		DAT_COMPLETION_UNSIGNALLED_FLAG | DAT_COMPLETION_BARRIER_FENCE_FLAG |
		DAT_COMPLETION_EVD_THRESHOLD_FLAG;
	attr.max_private_data_size = to_count(q.max_private_data);
	attr.supports_multipath = DAT_FALSE;
	attr.ep_creator = DAT_PSP_CREATES_EP_IFASKED;
	attr.pz_support = DAT_PZ_UNIQUE;
	attr.optimal_buffer_alignment = DAT_OPTIMAL_ALIGNMENT;
	for (auto &row : attr.evd_stream_merging_supported) {
		for (auto &merges : row)
			const_cast<DAT_BOOLEAN &>(merges) = DAT_TRUE;
	}
	attr.srq_supported = to_dat(q.max_srqs != 0);
	/* An EP's marks hold for receives of its own, too. */
	attr.srq_watermarks_supported = q.max_srqs ? 0x111 : 0x110;
	attr.srq_ep_pz_difference_supported = DAT_FALSE;
	attr.srq_info_supported = q.max_srqs ? 0x11 : 0; /* available and outstanding */
	attr.lmr_sync_req = DAT_FALSE;
	attr.ep_recv_info_supported = 0x11; /* buffers and their span */
	attr.dto_async_return_guaranteed = DAT_TRUE;
	attr.rdma_write_for_rdma_read_req = DAT_FALSE;
	if (auto *more = static_cast<IaAttributes *>(ia.face_data())) {
		attr.is_thread_safe = version::thread_safety(more->thread_safe());
		attr.num_provider_specific_attr = more->count();
		attr.provider_specific_attr = more->list();
	}
	version::finish(attr, q);
}

} // namespace face

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The binary interface of uDAPL 1.2 on LP64: sizes and offsets, pinned as
// numbers so that no edit of the headers moves them unnoticed.

#include "header_c_test.h"

#include <dat/dat_registry.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <type_traits>

namespace {

struct Pin {
	const char *what;
	std::size_t got;
	std::size_t want;
};

void expect_pins(std::initializer_list<Pin> pins)
{
	for (const Pin &pin : pins)
		EXPECT_EQ(pin.got, pin.want) << pin.what;
}

/* clang-format takes the braces of an initializer in a macro for a block. */
/* clang-format off */
#define SIZE(type, want) Pin{ "sizeof " #type, sizeof(type), want }
#define AT(type, member, want) Pin{ #type "." #member, offsetof(type, member), want }
/* clang-format on */

TEST(Layout, Scalars)
{
	expect_pins({
		SIZE(DAT_BOOLEAN, 4),
		SIZE(DAT_COUNT, 4),
		SIZE(DAT_RETURN, 4),
		SIZE(DAT_TIMEOUT, 4),
		SIZE(DAT_CONTEXT, 8),
		SIZE(DAT_DTO_COOKIE, 8),
		SIZE(DAT_RMR_COOKIE, 8),
		SIZE(DAT_HANDLE, 8),
		SIZE(DAT_CONN_QUAL, 8),
		SIZE(DAT_PORT_QUAL, 8),
		SIZE(DAT_LMR_CONTEXT, 4),
		SIZE(DAT_RMR_CONTEXT, 4),
		SIZE(DAT_VLEN, 8),
		SIZE(DAT_VADDR, 8),
		SIZE(DAT_NAMED_ATTR, 16),
		AT(DAT_NAMED_ATTR, name, 0),
		AT(DAT_NAMED_ATTR, value, 8),
	});
	EXPECT_TRUE(std::is_signed_v<DAT_COUNT>);
	EXPECT_TRUE(std::is_unsigned_v<DAT_RETURN>);
	EXPECT_TRUE(std::is_unsigned_v<DAT_TIMEOUT>);
}

TEST(Layout, Triplets)
{
	expect_pins({
		SIZE(DAT_LMR_TRIPLET, 24),
		AT(DAT_LMR_TRIPLET, lmr_context, 0),
		AT(DAT_LMR_TRIPLET, pad, 4),
		AT(DAT_LMR_TRIPLET, virtual_address, 8),
		AT(DAT_LMR_TRIPLET, segment_length, 16),
		SIZE(DAT_RMR_TRIPLET, 24),
		AT(DAT_RMR_TRIPLET, rmr_context, 0),
		AT(DAT_RMR_TRIPLET, pad, 4),
		AT(DAT_RMR_TRIPLET, target_address, 8),
		AT(DAT_RMR_TRIPLET, segment_length, 16),
	});
}

TEST(Layout, Event)
{
	expect_pins({
		SIZE(DAT_EVENT, 48),
		AT(DAT_EVENT, event_number, 0),
		AT(DAT_EVENT, evd_handle, 8),
		AT(DAT_EVENT, event_data, 16),
		SIZE(DAT_EVENT_DATA, 32),
	});
}

TEST(Layout, EventData)
{
	expect_pins({
		SIZE(DAT_DTO_COMPLETION_EVENT_DATA, 32),
		AT(DAT_DTO_COMPLETION_EVENT_DATA, ep_handle, 0),
		AT(DAT_DTO_COMPLETION_EVENT_DATA, user_cookie, 8),
		AT(DAT_DTO_COMPLETION_EVENT_DATA, status, 16),
		AT(DAT_DTO_COMPLETION_EVENT_DATA, transfered_length, 24),
		SIZE(DAT_RMR_BIND_COMPLETION_EVENT_DATA, 24),
		AT(DAT_RMR_BIND_COMPLETION_EVENT_DATA, rmr_handle, 0),
		AT(DAT_RMR_BIND_COMPLETION_EVENT_DATA, user_cookie, 8),
		AT(DAT_RMR_BIND_COMPLETION_EVENT_DATA, status, 16),
		SIZE(DAT_CR_ARRIVAL_EVENT_DATA, 32),
		AT(DAT_CR_ARRIVAL_EVENT_DATA, sp_handle, 0),
		AT(DAT_CR_ARRIVAL_EVENT_DATA, local_ia_address_ptr, 8),
		AT(DAT_CR_ARRIVAL_EVENT_DATA, conn_qual, 16),
		AT(DAT_CR_ARRIVAL_EVENT_DATA, cr_handle, 24),
		SIZE(DAT_CONNECTION_EVENT_DATA, 24),
		AT(DAT_CONNECTION_EVENT_DATA, ep_handle, 0),
		AT(DAT_CONNECTION_EVENT_DATA, private_data_size, 8),
		AT(DAT_CONNECTION_EVENT_DATA, private_data, 16),
		SIZE(DAT_ASYNCH_ERROR_EVENT_DATA, 16),
		AT(DAT_ASYNCH_ERROR_EVENT_DATA, dat_handle, 0),
		AT(DAT_ASYNCH_ERROR_EVENT_DATA, reason, 8),
		SIZE(DAT_SOFTWARE_EVENT_DATA, 8),
		SIZE(DAT_SP_HANDLE, 8),
	});
}

TEST(Layout, EpAttr)
{
	expect_pins({
		SIZE(DAT_EP_ATTR, 104),
		AT(DAT_EP_ATTR, service_type, 0),
		AT(DAT_EP_ATTR, max_message_size, 8),
		AT(DAT_EP_ATTR, max_mtu_size, 8),
		AT(DAT_EP_ATTR, max_rdma_size, 16),
		AT(DAT_EP_ATTR, qos, 24),
		AT(DAT_EP_ATTR, recv_completion_flags, 28),
		AT(DAT_EP_ATTR, request_completion_flags, 32),
		AT(DAT_EP_ATTR, max_recv_dtos, 36),
		AT(DAT_EP_ATTR, max_request_dtos, 40),
		AT(DAT_EP_ATTR, max_recv_iov, 44),
		AT(DAT_EP_ATTR, max_request_iov, 48),
		AT(DAT_EP_ATTR, max_rdma_read_in, 52),
		AT(DAT_EP_ATTR, max_rdma_read_out, 56),
		AT(DAT_EP_ATTR, srq_soft_hw, 60),
		AT(DAT_EP_ATTR, max_rdma_read_iov, 64),
		AT(DAT_EP_ATTR, max_rdma_write_iov, 68),
		AT(DAT_EP_ATTR, ep_transport_specific_count, 72),
		AT(DAT_EP_ATTR, ep_transport_specific, 80),
		AT(DAT_EP_ATTR, ep_provider_specific_count, 88),
		AT(DAT_EP_ATTR, ep_provider_specific, 96),
	});
}

TEST(Layout, EpParam)
{
	expect_pins({
		SIZE(DAT_EP_PARAM, 192),
		AT(DAT_EP_PARAM, ia_handle, 0),
		AT(DAT_EP_PARAM, ep_state, 8),
		AT(DAT_EP_PARAM, local_ia_address_ptr, 16),
		AT(DAT_EP_PARAM, local_port_qual, 24),
		AT(DAT_EP_PARAM, remote_ia_address_ptr, 32),
		AT(DAT_EP_PARAM, remote_port_qual, 40),
		AT(DAT_EP_PARAM, pz_handle, 48),
		AT(DAT_EP_PARAM, recv_evd_handle, 56),
		AT(DAT_EP_PARAM, request_evd_handle, 64),
		AT(DAT_EP_PARAM, connect_evd_handle, 72),
		AT(DAT_EP_PARAM, srq_handle, 80),
		AT(DAT_EP_PARAM, ep_attr, 88),
	});
}

TEST(Layout, IaAttr)
{
	expect_pins({
		SIZE(DAT_IA_ATTR, 688),
		AT(DAT_IA_ATTR, adapter_name, 0),
		AT(DAT_IA_ATTR, vendor_name, 256),
		AT(DAT_IA_ATTR, hardware_version_major, 512),
		AT(DAT_IA_ATTR, hardware_version_minor, 516),
		AT(DAT_IA_ATTR, firmware_version_major, 520),
		AT(DAT_IA_ATTR, firmware_version_minor, 524),
		AT(DAT_IA_ATTR, ia_address_ptr, 528),
		AT(DAT_IA_ATTR, max_eps, 536),
		AT(DAT_IA_ATTR, max_dto_per_ep, 540),
		AT(DAT_IA_ATTR, max_rdma_read_per_ep_in, 544),
		AT(DAT_IA_ATTR, max_rdma_read_per_ep, 544),
		AT(DAT_IA_ATTR, max_rdma_read_per_ep_out, 548),
		AT(DAT_IA_ATTR, max_evds, 552),
		AT(DAT_IA_ATTR, max_evd_qlen, 556),
		AT(DAT_IA_ATTR, max_iov_segments_per_dto, 560),
		AT(DAT_IA_ATTR, max_lmrs, 564),
		AT(DAT_IA_ATTR, max_lmr_block_size, 568),
		AT(DAT_IA_ATTR, max_lmr_virtual_address, 576),
		AT(DAT_IA_ATTR, max_pzs, 584),
		AT(DAT_IA_ATTR, max_message_size, 592),
		AT(DAT_IA_ATTR, max_mtu_size, 592),
		AT(DAT_IA_ATTR, max_rdma_size, 600),
		AT(DAT_IA_ATTR, max_rmrs, 608),
		AT(DAT_IA_ATTR, max_rmr_target_address, 616),
		AT(DAT_IA_ATTR, max_srqs, 624),
		AT(DAT_IA_ATTR, max_ep_per_srq, 628),
		AT(DAT_IA_ATTR, max_recv_per_srq, 632),
		AT(DAT_IA_ATTR, max_iov_segments_per_rdma_read, 636),
		AT(DAT_IA_ATTR, max_iov_segments_per_rdma_write, 640),
		AT(DAT_IA_ATTR, max_rdma_read_in, 644),
		AT(DAT_IA_ATTR, max_rdma_read_out, 648),
		AT(DAT_IA_ATTR, max_rdma_read_per_ep_in_guaranteed, 652),
		AT(DAT_IA_ATTR, max_rdma_read_per_ep_out_guaranteed, 656),
		AT(DAT_IA_ATTR, num_transport_attr, 660),
		AT(DAT_IA_ATTR, transport_attr, 664),
		AT(DAT_IA_ATTR, num_vendor_attr, 672),
		AT(DAT_IA_ATTR, vendor_attr, 680),
	});
}

TEST(Layout, ProviderAttr)
{
	expect_pins({
		SIZE(DAT_PROVIDER_ATTR, 504),
		AT(DAT_PROVIDER_ATTR, provider_name, 0),
		AT(DAT_PROVIDER_ATTR, provider_version_major, 256),
		AT(DAT_PROVIDER_ATTR, provider_version_minor, 260),
		AT(DAT_PROVIDER_ATTR, dapl_version_major, 264),
		AT(DAT_PROVIDER_ATTR, dapl_version_minor, 268),
		AT(DAT_PROVIDER_ATTR, lmr_mem_types_supported, 272),
		AT(DAT_PROVIDER_ATTR, iov_ownership_on_return, 276),
		AT(DAT_PROVIDER_ATTR, dat_qos_supported, 280),
		AT(DAT_PROVIDER_ATTR, completion_flags_supported, 284),
		AT(DAT_PROVIDER_ATTR, is_thread_safe, 288),
		AT(DAT_PROVIDER_ATTR, max_private_data_size, 292),
		AT(DAT_PROVIDER_ATTR, supports_multipath, 296),
		AT(DAT_PROVIDER_ATTR, ep_creator, 300),
		AT(DAT_PROVIDER_ATTR, pz_support, 304),
		AT(DAT_PROVIDER_ATTR, optimal_buffer_alignment, 308),
		AT(DAT_PROVIDER_ATTR, evd_stream_merging_supported, 312),
		AT(DAT_PROVIDER_ATTR, srq_supported, 456),
		AT(DAT_PROVIDER_ATTR, srq_watermarks_supported, 460),
		AT(DAT_PROVIDER_ATTR, srq_ep_pz_difference_supported, 464),
		AT(DAT_PROVIDER_ATTR, srq_info_supported, 468),
		AT(DAT_PROVIDER_ATTR, ep_recv_info_supported, 472),
		AT(DAT_PROVIDER_ATTR, lmr_sync_req, 476),
		AT(DAT_PROVIDER_ATTR, dto_async_return_guaranteed, 480),
		AT(DAT_PROVIDER_ATTR, rdma_write_for_rdma_read_req, 484),
		AT(DAT_PROVIDER_ATTR, num_provider_specific_attr, 488),
		AT(DAT_PROVIDER_ATTR, provider_specific_attr, 496),
		SIZE(DAT_PROVIDER_INFO, 268),
		AT(DAT_PROVIDER_INFO, ia_name, 0),
		AT(DAT_PROVIDER_INFO, dapl_version_major, 256),
		AT(DAT_PROVIDER_INFO, dapl_version_minor, 260),
		AT(DAT_PROVIDER_INFO, is_thread_safe, 264),
	});
}

TEST(Layout, MemoryParams)
{
	expect_pins({
		SIZE(DAT_REGION_DESCRIPTION, 16),
		SIZE(DAT_SHARED_MEMORY, 16),
		AT(DAT_SHARED_MEMORY, virtual_address, 0),
		AT(DAT_SHARED_MEMORY, shared_memory_id, 8),
		SIZE(*DAT_LMR_COOKIE{}, 40),
		SIZE(DAT_LMR_PARAM, 80),
		AT(DAT_LMR_PARAM, ia_handle, 0),
		AT(DAT_LMR_PARAM, mem_type, 8),
		AT(DAT_LMR_PARAM, region_desc, 16),
		AT(DAT_LMR_PARAM, length, 32),
		AT(DAT_LMR_PARAM, pz_handle, 40),
		AT(DAT_LMR_PARAM, mem_priv, 48),
		AT(DAT_LMR_PARAM, lmr_context, 52),
		AT(DAT_LMR_PARAM, rmr_context, 56),
		AT(DAT_LMR_PARAM, registered_size, 64),
		AT(DAT_LMR_PARAM, registered_address, 72),
		SIZE(DAT_RMR_PARAM, 48),
		AT(DAT_RMR_PARAM, ia_handle, 0),
		AT(DAT_RMR_PARAM, pz_handle, 8),
		AT(DAT_RMR_PARAM, lmr_triplet, 16),
		AT(DAT_RMR_PARAM, mem_priv, 40),
		AT(DAT_RMR_PARAM, rmr_context, 44),
		SIZE(DAT_PZ_PARAM, 8),
		AT(DAT_PZ_PARAM, ia_handle, 0),
	});
}

TEST(Layout, EventQueueParams)
{
	expect_pins({
		SIZE(DAT_EVD_PARAM, 32),
		AT(DAT_EVD_PARAM, ia_handle, 0),
		AT(DAT_EVD_PARAM, evd_qlen, 8),
		AT(DAT_EVD_PARAM, evd_state, 12),
		AT(DAT_EVD_PARAM, cno_handle, 16),
		AT(DAT_EVD_PARAM, evd_flags, 24),
		SIZE(DAT_OS_WAIT_PROXY_AGENT, 16),
		AT(DAT_OS_WAIT_PROXY_AGENT, instance_data, 0),
		AT(DAT_OS_WAIT_PROXY_AGENT, proxy_agent_func, 8),
		SIZE(DAT_CNO_PARAM, 24),
		AT(DAT_CNO_PARAM, ia_handle, 0),
		AT(DAT_CNO_PARAM, agent, 8),
	});
}

TEST(Layout, SrqParams)
{
	expect_pins({
		SIZE(DAT_SRQ_ATTR, 12),
		AT(DAT_SRQ_ATTR, max_recv_dtos, 0),
		AT(DAT_SRQ_ATTR, max_recv_iov, 4),
		AT(DAT_SRQ_ATTR, low_watermark, 8),
		SIZE(DAT_SRQ_PARAM, 48),
		AT(DAT_SRQ_PARAM, ia_handle, 0),
		AT(DAT_SRQ_PARAM, srq_state, 8),
		AT(DAT_SRQ_PARAM, pz_handle, 16),
		AT(DAT_SRQ_PARAM, max_recv_dtos, 24),
		AT(DAT_SRQ_PARAM, max_recv_iov, 28),
		AT(DAT_SRQ_PARAM, low_watermark, 32),
		AT(DAT_SRQ_PARAM, available_dto_count, 36),
		AT(DAT_SRQ_PARAM, outstanding_dto_count, 40),
	});
}

TEST(Layout, ServicePointParams)
{
	expect_pins({
		SIZE(DAT_CR_PARAM, 40),
		AT(DAT_CR_PARAM, remote_ia_address_ptr, 0),
		AT(DAT_CR_PARAM, remote_port_qual, 8),
		AT(DAT_CR_PARAM, private_data_size, 16),
		AT(DAT_CR_PARAM, private_data, 24),
		AT(DAT_CR_PARAM, local_ep_handle, 32),
		SIZE(DAT_PSP_PARAM, 32),
		AT(DAT_PSP_PARAM, ia_handle, 0),
		AT(DAT_PSP_PARAM, conn_qual, 8),
		AT(DAT_PSP_PARAM, evd_handle, 16),
		AT(DAT_PSP_PARAM, psp_flags, 24),
		SIZE(DAT_RSP_PARAM, 32),
		AT(DAT_RSP_PARAM, ia_handle, 0),
		AT(DAT_RSP_PARAM, conn_qual, 8),
		AT(DAT_RSP_PARAM, evd_handle, 16),
		AT(DAT_RSP_PARAM, ep_handle, 24),
	});
}

// A C program and the C++ library must mean the same bytes.
TEST(Layout, SameInC)
{
	c_view c{};
	look_from_c(&c);
	expect_pins({
		Pin{ "DAT_EVENT", c.event, sizeof(DAT_EVENT) },
		Pin{ "DAT_EP_ATTR", c.ep_attr, sizeof(DAT_EP_ATTR) },
		Pin{ "DAT_EP_PARAM", c.ep_param, sizeof(DAT_EP_PARAM) },
		Pin{ "DAT_IA_ATTR", c.ia_attr, sizeof(DAT_IA_ATTR) },
		Pin{ "DAT_PROVIDER_ATTR", c.provider_attr, sizeof(DAT_PROVIDER_ATTR) },
		Pin{ "DAT_PROVIDER", c.provider, sizeof(DAT_PROVIDER) },
		Pin{ "DAT_LMR_PARAM", c.lmr_param, sizeof(DAT_LMR_PARAM) },
		Pin{ "DAT_BOOLEAN", c.boolean, sizeof(DAT_BOOLEAN) },
		Pin{ "DAT_RETURN", c.dat_return, sizeof(DAT_RETURN) },
		Pin{ "DAT_MEM_PRIV_FLAGS", c.mem_priv, sizeof(DAT_MEM_PRIV_FLAGS) },
	});
}

TEST(Layout, SameConstantsInC)
{
	const DAT_OS_WAIT_PROXY_AGENT no_agent = DAT_OS_WAIT_PROXY_AGENT_NULL;
	c_view c{};
	look_from_c(&c);
	EXPECT_EQ(c.null_handle, DAT_HANDLE_NULL);
	EXPECT_EQ(c.async_exists, DAT_EVD_ASYNC_EXISTS);
	EXPECT_EQ(c.no_agent.instance_data, no_agent.instance_data);
	EXPECT_EQ(c.no_agent.proxy_agent_func, no_agent.proxy_agent_func);
	EXPECT_EQ(c.error, DAT_ERROR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_EQ(c.read_and_write, DAT_MEM_PRIV_ALL_FLAG);
	EXPECT_EQ(c.evd_flags, DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG);
	EXPECT_EQ(c.forever, DAT_TIMEOUT_INFINITE);
	EXPECT_EQ(c.unknown, DAT_VALUE_UNKNOWN);
	EXPECT_EQ(c.ia_mask, DAT_IA_FIELD_ALL);
	EXPECT_EQ(c.call_result_size, sizeof(DAT_RETURN));
}

} // namespace

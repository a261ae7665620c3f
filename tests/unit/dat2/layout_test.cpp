// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The binary interface of uDAPL 2.0 on LP64, pinned as numbers so that no edit of the
// headers moves it unnoticed. dump.c compares all of it with the distribution's headers;
// this is what must not move where those are not installed.

#include "strict_c.h"

#include <dat2/dat_registry.h>

#include <dat2/dat_ib_extensions.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#define SIZE(type, size) static_assert(sizeof(type) == (size))
#define AT(type, member, offset) static_assert(offsetof(type, member) == (offset))

// What crosses to a provider of somebody else's.
SIZE(DAT_CONTEXT, 8);
SIZE(DAT_LMR_TRIPLET, 16);
AT(DAT_LMR_TRIPLET, segment_length, 8);
AT(DAT_LMR_TRIPLET, lmr_context, 12);
SIZE(DAT_RMR_TRIPLET, 16);
AT(DAT_RMR_TRIPLET, virtual_address, 0);
AT(DAT_RMR_TRIPLET, rmr_context, 12);
SIZE(DAT_REGION_DESCRIPTION, 16);
SIZE(DAT_OS_WAIT_PROXY_AGENT, 16);
SIZE(DAT_PROVIDER_INFO, 268);

SIZE(DAT_EVENT, 120);
AT(DAT_EVENT, event_data, 16);
AT(DAT_EVENT, event_extension_data, 56);
SIZE(DAT_DTO_COMPLETION_EVENT_DATA, 32);
AT(DAT_DTO_COMPLETION_EVENT_DATA, status, 16);
AT(DAT_DTO_COMPLETION_EVENT_DATA, transfered_length, 20);
AT(DAT_DTO_COMPLETION_EVENT_DATA, operation, 24);
AT(DAT_DTO_COMPLETION_EVENT_DATA, rmr_context, 28);
SIZE(DAT_RMR_BIND_COMPLETION_EVENT_DATA, 24);
SIZE(DAT_CR_ARRIVAL_EVENT_DATA, 40);
AT(DAT_CR_ARRIVAL_EVENT_DATA, truncate_flag, 32);
SIZE(DAT_CONNECTION_EVENT_DATA, 24);
SIZE(DAT_ASYNCH_ERROR_EVENT_DATA, 16);
SIZE(DAT_IB_EXTENSION_EVENT_DATA, 64);
AT(DAT_IB_EXTENSION_EVENT_DATA, val, 8);
AT(DAT_IB_EXTENSION_EVENT_DATA, context, 56);
static_assert(sizeof(DAT_IB_EXTENSION_EVENT_DATA) == sizeof(DAT_EVENT::event_extension_data));
SIZE(DAT_IB_COLLECTIVE_GROUP, 56);
AT(DAT_IB_COLLECTIVE_GROUP, external_ranks, 24);
AT(DAT_IB_COLLECTIVE_GROUP, is_comm_world, 48);

// What queries fill in.
SIZE(DAT_EP_ATTR, 88);
SIZE(DAT_EP_PARAM, 184);
AT(DAT_EP_PARAM, comm, 12);
AT(DAT_EP_PARAM, pz_handle, 56);
AT(DAT_EP_PARAM, ep_attr, 96);
SIZE(DAT_IA_ATTR, 688);
AT(DAT_IA_ATTR, ia_address_ptr, 528);
AT(DAT_IA_ATTR, max_eps, 536);
AT(DAT_IA_ATTR, extension_supported, 648);
AT(DAT_IA_ATTR, num_vendor_attr, 672);
SIZE(DAT_PROVIDER_ATTR, 520);
AT(DAT_PROVIDER_ATTR, provider_specific_attr, 512);
SIZE(DAT_LMR_PARAM, 80);
SIZE(DAT_RMR_PARAM, 48);
SIZE(DAT_EVD_PARAM, 32);
SIZE(DAT_CNO_PARAM, 32);
SIZE(DAT_SRQ_PARAM, 48);
SIZE(DAT_SRQ_ATTR, 12);
SIZE(DAT_CR_PARAM, 40);
SIZE(DAT_PSP_PARAM, 32);
SIZE(DAT_RSP_PARAM, 32);
SIZE(DAT_CSP_PARAM, 32);

// Numbers that 1.2, or the kernel's side, has otherwise.
static_assert(DAT_HANDLE_TYPE_CNO == 9 && DAT_HANDLE_TYPE_SRQ == 10 && DAT_HANDLE_TYPE_CSP == 11);
static_assert(DAT_SRQ_STATE_ERROR == 0 && DAT_SRQ_STATE_OPERATIONAL == 1);
static_assert(DAT_EVD_FIELD_EVD_STATE == 4 && DAT_EVD_FIELD_CNO == 8);
static_assert(DAT_CNO_FIELD_PROXY == 3 && DAT_CNO_FIELD_ALL == 4);
static_assert(DAT_LMR_FIELD_VA_TYPE == 0x40 && DAT_LMR_FIELD_ALL == 0x7ff);
static_assert(DAT_EP_FIELD_COMM == 4 && DAT_EP_FIELD_SRQ_HANDLE == 0x800);
static_assert(DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR == 0x40000000);
static_assert(DAT_IA_FIELD_IA_ZB_SUPPORTED == 0x80000000);
static_assert(DAT_IA_FIELD_IA_EXTENSION == 0x100000000);
static_assert(DAT_IA_FIELD_ALL == 0x3fffffffff);
static_assert(DAT_PROVIDER_FIELD_PZ_SUPPORT == 0x2000);
static_assert(DAT_PROVIDER_FIELD_IS_SIGNAL_SAFE == 0x4000000);
static_assert(DAT_PROVIDER_FIELD_ALL == 0x7fffffff);
static_assert(DAT_PZ_SHAREABLE == 1);
static_assert(DAT_QUEUE_EMPTY == 0xd0000);
static_assert(DAT_NOT_IMPLEMENTED == 0x3fff0000);
static_assert(DAT_INVALID_HANDLE1 == 0x1b && DAT_INVALID_ARG1 == 0x25);
static_assert(DAT_INVALID_STATE_SRQ_SHUTDOWN == 0x58 && DAT_THREAD_SAFETY_NOT_FOUND == 0x67);
static_assert(DAT_IB_DTO_EVENT == 0x40000 && DAT_IB_MEM_PRIV_REMOTE_ATOMIC == 0x40);
static_assert(DAT_IB_UD_AH_FREE_OP == 29 && DAT_IB_OPEN_QUERY_OP == 0x1000);
static_assert(DCNT_IA_ALL_COUNTERS == 85 && DCNT_EP_ALL_COUNTERS == 24 &&
	      DCNT_EVD_ALL_COUNTERS == 10);

namespace {

#define ENTRY(call, want) \
	EXPECT_EQ(offsetof(DAT_PROVIDER, call##_func), want##u) << #call; \
	EXPECT_TRUE((std::is_same_v<decltype(DAT_PROVIDER::call##_func), decltype(&dat_##call)>)) \
		<< #call

TEST(Dat2ProviderTable, EachCallHasItsPlace)
{
	ENTRY(ia_query, 24);
	ENTRY(ia_close, 32);
	ENTRY(set_consumer_context, 40);
	ENTRY(get_consumer_context, 48);
	ENTRY(get_handle_type, 56);
	ENTRY(cno_create, 64);
	ENTRY(cno_modify_agent, 72);
	ENTRY(cno_query, 80);
	ENTRY(cno_free, 88);
	ENTRY(cno_wait, 96);
	ENTRY(cr_query, 104);
	ENTRY(cr_accept, 112);
	ENTRY(cr_reject, 120);
	ENTRY(cr_handoff, 128);
	ENTRY(evd_create, 136);
	ENTRY(evd_query, 144);
	ENTRY(evd_modify_cno, 152);
	ENTRY(evd_enable, 160);
	ENTRY(evd_disable, 168);
	ENTRY(evd_wait, 176);
	ENTRY(evd_resize, 184);
	ENTRY(evd_post_se, 192);
	ENTRY(evd_dequeue, 200);
	ENTRY(evd_free, 208);
	ENTRY(ep_create, 216);
	ENTRY(ep_query, 224);
	ENTRY(ep_modify, 232);
	ENTRY(ep_connect, 240);
	ENTRY(ep_dup_connect, 248);
	ENTRY(ep_disconnect, 256);
	ENTRY(ep_post_send, 264);
	ENTRY(ep_post_recv, 272);
	ENTRY(ep_post_rdma_read, 280);
	ENTRY(ep_post_rdma_write, 288);
	ENTRY(ep_get_status, 296);
	ENTRY(ep_free, 304);
	ENTRY(lmr_create, 312);
	ENTRY(lmr_query, 320);
	ENTRY(lmr_free, 328);
	ENTRY(rmr_create, 336);
	ENTRY(rmr_query, 344);
	ENTRY(rmr_bind, 352);
	ENTRY(rmr_free, 360);
	ENTRY(psp_create, 368);
	ENTRY(psp_query, 376);
	ENTRY(psp_free, 384);
	ENTRY(rsp_create, 392);
	ENTRY(rsp_query, 400);
	ENTRY(rsp_free, 408);
	ENTRY(pz_create, 416);
	ENTRY(pz_query, 424);
	ENTRY(pz_free, 432);
	ENTRY(psp_create_any, 440);
	ENTRY(ep_reset, 448);
	ENTRY(evd_set_unwaitable, 456);
	ENTRY(evd_clear_unwaitable, 464);
	ENTRY(lmr_sync_rdma_read, 472);
	ENTRY(lmr_sync_rdma_write, 480);
	ENTRY(ep_create_with_srq, 488);
	ENTRY(ep_recv_query, 496);
	ENTRY(ep_set_watermark, 504);
	ENTRY(srq_create, 512);
	ENTRY(srq_free, 520);
	ENTRY(srq_post_recv, 528);
	ENTRY(srq_query, 536);
	ENTRY(srq_resize, 544);
	ENTRY(srq_set_lw, 552);
	ENTRY(csp_create, 560);
	ENTRY(csp_query, 568);
	ENTRY(csp_free, 576);
	ENTRY(ep_common_connect, 584);
	ENTRY(rmr_create_for_ep, 592);
	ENTRY(ep_post_send_with_invalidate, 600);
	ENTRY(ep_post_rdma_read_to_rmr, 608);
	ENTRY(cno_fd_create, 616);
	ENTRY(cno_trigger, 624);
	ENTRY(ia_ha_related, 632);
}

// The registry settles the version; the operation's arguments come as a list.
TEST(Dat2ProviderTable, TwoEntriesAreNoPublicCalls)
{
	EXPECT_EQ(sizeof(DAT_PROVIDER), 648u);
	EXPECT_EQ(offsetof(DAT_PROVIDER, device_name), 0u);
	EXPECT_EQ(offsetof(DAT_PROVIDER, extension), 8u);
	EXPECT_EQ(offsetof(DAT_PROVIDER, ia_open_func), 16u);
	EXPECT_EQ(offsetof(DAT_PROVIDER, handle_extendedop_func), 640u);
	EXPECT_TRUE((std::is_same_v<DAT_IA_OPEN_FUNC,
				    DAT_RETURN (*)(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE *,
						   DAT_IA_HANDLE *)>));
	EXPECT_TRUE((std::is_same_v<DAT_HANDLE_EXTENDEDOP_FUNC,
				    DAT_RETURN (*)(DAT_HANDLE, DAT_EXTENDED_OP, va_list)>));
}

TEST(Dat2Headers, StrictCHasTheCalls)
{
	EXPECT_EQ(calls_from_c(), sizeof(DAT_RETURN));
	EXPECT_EQ(collectives_from_c(), sizeof(DAT_RETURN));
}

TEST(Dat2Headers, FlagsKeepTheirTypeInCxx)
{
	const DAT_EVD_FLAGS flags = DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG;

	EXPECT_EQ(static_cast<unsigned>(flags), 0x0a0u);
}

TEST(Dat2Headers, StatusOfAnExtensionInWords)
{
	const char *words = nullptr;

	EXPECT_EQ(dat_strerror_ext_status(DAT_IB_OP_ERR, &words), DAT_SUCCESS);
	EXPECT_STREQ(words, "DAT_IB_OP_ERR");
	EXPECT_EQ(dat_strerror_ext_status(DAT_IB_COLL_COMP_ERR, &words), DAT_INVALID_PARAMETER);
}

} // namespace

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The table of entry points that a provider registers: where each stands, and
// that its type is the type of the public call.

#include <dat/dat_registry.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace {

#define ENTRY(call, want) \
	EXPECT_EQ(offsetof(DAT_PROVIDER, call##_func), want##u) << #call; \
	EXPECT_TRUE((std::is_same_v<decltype(DAT_PROVIDER::call##_func), decltype(&dat_##call)>)) \
		<< #call

TEST(ProviderTable, Head)
{
	EXPECT_EQ(sizeof(DAT_PROVIDER), 560u);
	EXPECT_EQ(offsetof(DAT_PROVIDER, device_name), 0u);
	EXPECT_EQ(offsetof(DAT_PROVIDER, extension), 8u);
	EXPECT_EQ(offsetof(DAT_PROVIDER, ia_open_func), 16u);
	ENTRY(ia_query, 24);
	ENTRY(ia_close, 32);
	ENTRY(set_consumer_context, 40);
	ENTRY(get_consumer_context, 48);
	ENTRY(get_handle_type, 56);
}

// The library settles the version, and tells whether the name was RO_AWARE_.
TEST(ProviderTable, OpenTakesRelaxedOrdering)
{
	EXPECT_TRUE((std::is_same_v<DAT_IA_OPEN_FUNC,
				    DAT_RETURN (*)(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE *,
						   DAT_IA_HANDLE *, DAT_BOOLEAN)>));
}

TEST(ProviderTable, Events)
{
	ENTRY(cno_create, 64);
	ENTRY(cno_modify_agent, 72);
	ENTRY(cno_query, 80);
	ENTRY(cno_free, 88);
	ENTRY(cno_wait, 96);
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
	ENTRY(evd_set_unwaitable, 456);
	ENTRY(evd_clear_unwaitable, 464);
}

TEST(ProviderTable, Requests)
{
	ENTRY(cr_query, 104);
	ENTRY(cr_accept, 112);
	ENTRY(cr_reject, 120);
	ENTRY(cr_handoff, 128);
	ENTRY(psp_create, 368);
	ENTRY(psp_query, 376);
	ENTRY(psp_free, 384);
	ENTRY(rsp_create, 392);
	ENTRY(rsp_query, 400);
	ENTRY(rsp_free, 408);
	ENTRY(psp_create_any, 440);
}

TEST(ProviderTable, Endpoints)
{
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
	ENTRY(ep_reset, 448);
	ENTRY(ep_create_with_srq, 488);
	ENTRY(ep_recv_query, 496);
	ENTRY(ep_set_watermark, 504);
	ENTRY(srq_create, 512);
	ENTRY(srq_free, 520);
	ENTRY(srq_post_recv, 528);
	ENTRY(srq_query, 536);
	ENTRY(srq_resize, 544);
	ENTRY(srq_set_lw, 552);
}

TEST(ProviderTable, Memory)
{
	ENTRY(lmr_create, 312);
	ENTRY(lmr_query, 320);
	ENTRY(lmr_free, 328);
	ENTRY(rmr_create, 336);
	ENTRY(rmr_query, 344);
	ENTRY(rmr_bind, 352);
	ENTRY(rmr_free, 360);
	ENTRY(pz_create, 416);
	ENTRY(pz_query, 424);
	ENTRY(pz_free, 432);
	ENTRY(lmr_sync_rdma_read, 472);
	ENTRY(lmr_sync_rdma_write, 480);
}

TEST(ProviderTable, ProviderExports)
{
	EXPECT_TRUE((std::is_same_v<DAT_PROVIDER_INIT_FUNC, decltype(&dat_provider_init)>));
	EXPECT_TRUE((std::is_same_v<DAT_PROVIDER_FINI_FUNC, decltype(&dat_provider_fini)>));
	EXPECT_STREQ(DAT_PROVIDER_INIT_FUNC_STR, "dat_provider_init");
	EXPECT_STREQ(DAT_PROVIDER_FINI_FUNC_STR, "dat_provider_fini");
}

TEST(ProviderTable, FoundThroughTheFirstWordOfAHandle)
{
	DAT_PROVIDER provider{};
	struct {
		DAT_PROVIDER *provider;
		int rest;
	} object{ &provider, 0 };
	EXPECT_EQ(DAT_HANDLE_TO_PROVIDER(&object), &provider);
}

} // namespace

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_lmr_query(3DAT)

#include "adapter.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <sys/mman.h>

namespace suite {
namespace {

constexpr std::size_t size = 8192;

/* "returns values for lmr_param_mask requested parameters" */
TEST(DatLmrQuery, DescriptionAllParameters)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, size, DAT_MEM_PRIV_REMOTE_READ_FLAG);
		DAT_LMR_PARAM param;

		ok(dat_lmr_query(region.lmr(), DAT_LMR_FIELD_ALL, &param));
		EXPECT_EQ(param.ia_handle, adapter.ia());
		EXPECT_EQ(param.mem_type, DAT_MEM_TYPE_SO_VIRTUAL);
		EXPECT_EQ(param.region_desc.for_va, region.data());
		EXPECT_EQ(param.length, size);
		EXPECT_EQ(param.pz_handle, adapter.pz());
		EXPECT_EQ(param.mem_priv, DAT_MEM_PRIV_REMOTE_READ_FLAG);
		EXPECT_EQ(param.lmr_context, region.local(0, 1).lmr_context);
		EXPECT_EQ(param.rmr_context, region.remote(0, 1).rmr_context);
		EXPECT_EQ(param.registered_size, size);
		EXPECT_EQ(param.registered_address, reinterpret_cast<DAT_VADDR>(region.data()));
	});
}

TEST(DatLmrQuery, DescriptionRegionOfSharedMemoryAndOfAnLmr)
{
	play([](Line &) {
		Adapter adapter;
		char cookie[DAT_LMR_COOKIE_SIZE] = "a cookie";
		DAT_PVOID pages = mmap(nullptr, size, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		DAT_REGION_DESCRIPTION where{ .for_shared_memory = { pages, &cookie } };
		DAT_LMR_HANDLE shared, over;
		DAT_LMR_PARAM param;

		ok(dat_lmr_create(adapter.ia(), DAT_MEM_TYPE_SHARED_VIRTUAL, where, size,
				  adapter.pz(), DAT_MEM_PRIV_NONE_FLAG, &shared, nullptr, nullptr,
				  nullptr, nullptr));
		ok(dat_lmr_query(shared, DAT_LMR_FIELD_ALL, &param));
		EXPECT_EQ(param.mem_type, DAT_MEM_TYPE_SHARED_VIRTUAL);
		EXPECT_EQ(param.region_desc.for_shared_memory.virtual_address, pages);
		EXPECT_EQ(std::memcmp(param.region_desc.for_shared_memory.shared_memory_id, cookie,
				      sizeof cookie),
			  0);

		where.for_lmr_handle = shared;
		ok(dat_lmr_create(adapter.ia(), DAT_MEM_TYPE_LMR, where, 0, adapter.pz(),
				  DAT_MEM_PRIV_NONE_FLAG, &over, nullptr, nullptr, nullptr,
				  nullptr));
		ok(dat_lmr_query(over, DAT_LMR_FIELD_ALL, &param));
		EXPECT_EQ(param.mem_type, DAT_MEM_TYPE_LMR);
		EXPECT_EQ(param.region_desc.for_lmr_handle, shared);
		EXPECT_EQ(param.length, size);
		ok(dat_lmr_free(shared));
		ok(dat_lmr_free(over));
	});
}

/* "The lmr_param_mask function is invalid." */
TEST(DatLmrQuery, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, size);
		DAT_LMR_PARAM param;

		refused(dat_lmr_query(region.lmr(), static_cast<DAT_LMR_PARAM_MASK>(0x400), &param),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_lmr_query(region.lmr(), DAT_LMR_FIELD_ALL, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	});
}

TEST(DatLmrQuery, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_LMR_PARAM param;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.pz() })
			refused(dat_lmr_query(other, DAT_LMR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_LMR);
	});
}

} // namespace
} // namespace suite

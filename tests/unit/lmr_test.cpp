// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// LMRs over other LMRs, and over memory that is shared under a cookie.

#include "fake/session.hpp"

#include <cerrno>
#include <cstring>

namespace {

using fake::is_error;

class LmrTypes : public fake::Session {
protected:
	/** What dat_lmr_create() tells besides the handle. */
	struct Made {
		DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
		DAT_LMR_CONTEXT context = 0;
		DAT_RMR_CONTEXT rmr_context = 1;
		DAT_VLEN size = 0;
		DAT_VADDR address = 0;
	};

	DAT_RETURN over(DAT_LMR_HANDLE source, Made &made, DAT_PZ_HANDLE zone,
			DAT_MEM_PRIV_FLAGS privileges)
	{
		DAT_REGION_DESCRIPTION region{};
		region.for_lmr_handle = source;
		return dat_lmr_create(ia, DAT_MEM_TYPE_LMR, region, 12345, zone, privileges,
				      &made.lmr, &made.context, &made.rmr_context, &made.size,
				      &made.address);
	}
	DAT_RETURN shared(void *start, DAT_VLEN length, DAT_LMR_COOKIE cookie, Made &made)
	{
		DAT_REGION_DESCRIPTION region{};
		region.for_shared_memory = { start, cookie };
		return dat_lmr_create(ia, DAT_MEM_TYPE_SHARED_VIRTUAL, region, length, pz,
				      DAT_MEM_PRIV_ALL_FLAG, &made.lmr, &made.context,
				      &made.rmr_context, &made.size, &made.address);
	}

	char name[DAT_LMR_COOKIE_SIZE] = {};
};

TEST_F(LmrTypes, OverAnotherLmr)
{
	DAT_LMR_PARAM param;
	DAT_PZ_HANDLE zone;
	Made made;
	ASSERT_EQ(dat_pz_create(ia, &zone), DAT_SUCCESS);
	ASSERT_EQ(over(lmr, made, zone, DAT_MEM_PRIV_LOCAL_READ_FLAG), DAT_SUCCESS);

	EXPECT_EQ(module.lmr_asked.source, lmr_context);
	EXPECT_EQ(module.lmr_asked.addr, 0u);
	EXPECT_EQ(module.lmr_asked.length, 0u) << "the length is ignored";
	EXPECT_NE(made.context, lmr_context);
	EXPECT_EQ(made.rmr_context, 0u);
	EXPECT_EQ(made.size, memory.size());
	EXPECT_EQ(made.address, reinterpret_cast<DAT_VADDR>(memory.data()));

	ASSERT_EQ(dat_lmr_query(made.lmr, DAT_LMR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.mem_type, DAT_MEM_TYPE_LMR);
	EXPECT_EQ(param.region_desc.for_lmr_handle, lmr);
	EXPECT_EQ(param.length, memory.size());
	EXPECT_EQ(param.pz_handle, zone);
	EXPECT_EQ(param.mem_priv, DAT_MEM_PRIV_LOCAL_READ_FLAG);
	EXPECT_EQ(param.registered_size, memory.size());
}

TEST_F(LmrTypes, OverAnotherLmrPostsAreCheckedByItsOwnZoneAndPrivileges)
{
	DAT_LMR_TRIPLET one = segment(0, 8);
	Made made;
	ASSERT_EQ(over(lmr, made, pz, DAT_MEM_PRIV_NONE_FLAG), DAT_SUCCESS);

	one.lmr_context = made.context;
	EXPECT_TRUE(is_error(dat_ep_post_recv(ep, 1, &one, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
			     DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE));
	one.lmr_context = lmr_context;
	EXPECT_EQ(dat_ep_post_recv(ep, 1, &one, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
		  DAT_SUCCESS);
}

TEST_F(LmrTypes, OverWhatIsNoLmrOfThisAdapter)
{
	Made made;

	for (DAT_HANDLE other : { DAT_HANDLE_NULL, ep, pz, static_cast<DAT_HANDLE>(this) })
		EXPECT_TRUE(is_error(over(other, made, pz, DAT_MEM_PRIV_ALL_FLAG),
				     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR));
	ASSERT_EQ(dat_lmr_free(lmr), DAT_SUCCESS);
	EXPECT_TRUE(is_error(over(lmr, made, pz, DAT_MEM_PRIV_ALL_FLAG), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_LMR));

	fake::Module second;
	second.install();
	DAT_IA_HANDLE mine = ia;
	DAT_PZ_HANDLE other_pz;
	DAT_LMR_CONTEXT context;
	ASSERT_NO_FATAL_FAILURE(open());
	ASSERT_EQ(dat_pz_create(ia, &other_pz), DAT_SUCCESS);
	DAT_LMR_HANDLE foreign = make_lmr(DAT_MEM_PRIV_ALL_FLAG, other_pz, &context);
	std::swap(ia, mine);
	EXPECT_TRUE(is_error(over(foreign, made, pz, DAT_MEM_PRIV_ALL_FLAG), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_LMR));
	EXPECT_EQ(dat_ia_close(mine, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
}

TEST_F(LmrTypes, OverAnotherLmrFailuresOfTheModule)
{
	Made made;

	module.fail_next(KDAPL_LMR_CREATE, ENOENT);
	EXPECT_TRUE(is_error(over(lmr, made, pz, DAT_MEM_PRIV_ALL_FLAG), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_LMR));
	module.fail_next(KDAPL_LMR_CREATE, EBADFD);
	EXPECT_TRUE(is_error(over(lmr, made, pz, DAT_MEM_PRIV_ALL_FLAG), DAT_INVALID_STATE));
}

TEST_F(LmrTypes, SharedTakesTheWholeCookie)
{
	DAT_LMR_PARAM param;
	Made made;
	std::memset(name, 0, sizeof name);
	name[0] = 'a';
	name[39] = 'z';
	ASSERT_EQ(shared(memory.data(), 4096, &name, made), DAT_SUCCESS);
	EXPECT_EQ(std::memcmp(module.lmr_asked.cookie, name, sizeof name), 0);
	EXPECT_EQ(made.size, 4096u);
	EXPECT_EQ(made.address, reinterpret_cast<DAT_VADDR>(memory.data()));

	/* The program may do with its cookie what it wants. */
	std::memset(name, 0, sizeof name);
	ASSERT_EQ(dat_lmr_query(made.lmr, DAT_LMR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.mem_type, DAT_MEM_TYPE_SHARED_VIRTUAL);
	EXPECT_EQ(param.region_desc.for_shared_memory.virtual_address, memory.data());
	EXPECT_EQ(std::memcmp(param.region_desc.for_shared_memory.shared_memory_id,
			      module.lmr_asked.cookie, sizeof name),
		  0);
	EXPECT_EQ(param.length, 4096u);
}

TEST_F(LmrTypes, SharedChecksItsArguments)
{
	Made made;

	EXPECT_TRUE(is_error(shared(memory.data(), 8, nullptr, made), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(
		is_error(shared(nullptr, 8, &name, made), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(shared(memory.data(), 0, &name, made), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(shared(memory.data(), ~DAT_VLEN{ 0 }, &name, made),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
	module.fail_next(KDAPL_LMR_CREATE, EBADFD);
	EXPECT_TRUE(is_error(shared(memory.data(), 8, &name, made), DAT_INVALID_STATE));
}

} // namespace

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A program's usual objects over the fake module, made by the public calls.
#pragma once

#include "fake/module.hpp"

#include "dat_version.hpp"

#include <gtest/gtest.h>

#include <array>

namespace fake {

/** Compares a result by type and subtype. */
inline testing::AssertionResult is_error(DAT_RETURN got, DAT_RETURN_TYPE type,
					 DAT_RETURN_SUBTYPE subtype = DAT_NO_SUBTYPE)
{
	if (got == (type == DAT_QUEUE_EMPTY ? queue_empty : DAT_ERROR(type, subtype)))
		return testing::AssertionSuccess();
	const char *major = "?", *minor = "?";
	dat_strerror(got, &major, &minor);
	return testing::AssertionFailure()
	       << "0x" << std::hex << got << " " << major << " " << minor;
}

/** An open adapter. */
class OpenAdapter : public testing::Test {
protected:
	void SetUp() override
	{
		module.install();
		ASSERT_NO_FATAL_FAILURE(open());
	}
	void TearDown() override
	{
		if (ia) {
			EXPECT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
		}
		EXPECT_FALSE(module.file_open);
		EXPECT_EQ(module.mappings, 0);
	}
	void open(const char *name = "fake0")
	{
		async_evd = DAT_HANDLE_NULL;
		ASSERT_EQ(dat_ia_open(const_cast<char *>(name), 4, &async_evd, &ia), DAT_SUCCESS);
	}
	DAT_EVD_HANDLE make_evd(DAT_EVD_FLAGS flags, DAT_COUNT qlen = 8)
	{
		DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
		EXPECT_EQ(dat_evd_create(ia, qlen, DAT_HANDLE_NULL, flags, &evd), DAT_SUCCESS);
		return evd;
	}

	Module module;
	DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
};

/** A PZ, two EVDs, an EP and registered memory besides. */
class Session : public OpenAdapter {
protected:
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(OpenAdapter::SetUp());
		ASSERT_NO_FATAL_FAILURE(make_objects());
	}
	void make_objects()
	{
		ASSERT_EQ(dat_pz_create(ia, &pz), DAT_SUCCESS);
		dto_evd = make_evd(DAT_EVD_DTO_FLAG);
		dto_evd_id = module.last_id();
		conn_evd = make_evd(DAT_EVD_CONNECTION_FLAG | DAT_EVD_CR_FLAG);
		conn_evd_id = module.last_id();
		ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, nullptr, &ep),
			  DAT_SUCCESS);
		ep_id = module.last_id();
		lmr = make_lmr(DAT_MEM_PRIV_ALL_FLAG, pz, &lmr_context);
	}
	DAT_LMR_HANDLE make_lmr(DAT_MEM_PRIV_FLAGS privileges, DAT_PZ_HANDLE zone,
				DAT_LMR_CONTEXT *context)
	{
		DAT_LMR_HANDLE made = DAT_HANDLE_NULL;
		DAT_REGION_DESCRIPTION region;
		region.for_va = memory.data();
		EXPECT_EQ(lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, memory.size(), zone,
				     privileges, &made, context),
			  DAT_SUCCESS);
		return made;
	}
	DAT_LMR_TRIPLET segment(std::size_t offset, DAT_VLEN length)
	{
		return local(lmr_context, reinterpret_cast<DAT_VADDR>(memory.data()) + offset,
			     length);
	}
	static DAT_DTO_COOKIE cookie(DAT_UINT64 number)
	{
		DAT_DTO_COOKIE made;
		made.as_64 = number;
		return made;
	}

	std::array<char, 65536> memory{};
	DAT_PZ_HANDLE pz = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE dto_evd = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE conn_evd = DAT_HANDLE_NULL;
	DAT_EP_HANDLE ep = DAT_HANDLE_NULL;
	DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
	DAT_LMR_CONTEXT lmr_context = 0;
	std::uint32_t dto_evd_id = 0, conn_evd_id = 0, ep_id = 0;
};

} // namespace fake

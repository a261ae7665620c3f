// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Whose EVD gets the asynchronous events of an adapter.

#include "fake/session.hpp"

#include <cerrno>

namespace {

using fake::is_error;

/** The usual adapter, and a second file of the module for another one. */
class AsyncEvd : public fake::OpenAdapter {
protected:
	void SetUp() override
	{
		OpenAdapter::SetUp();
		second.file = 17;
		second.install();
	}
	DAT_RETURN open_second(DAT_EVD_HANDLE evd)
	{
		async = evd;
		return dat_ia_open(name, 4, &async, &other);
	}
	DAT_EVD_HANDLE asked(DAT_IA_HANDLE of)
	{
		DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;

		EXPECT_EQ(dat_ia_query(of, &evd, 0, nullptr, 0, nullptr), DAT_SUCCESS);
		return evd;
	}

	static constexpr std::uint32_t async_id = 1; /**< the first object of its file */
	char name[6] = "fake0";
	fake::Module second;
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	DAT_IA_HANDLE other = DAT_HANDLE_NULL;
};

TEST_F(AsyncEvd, IsNamedByFileAndId)
{
	ASSERT_EQ(open_second(async_evd), DAT_SUCCESS);

	EXPECT_EQ(second.opened.async_file, module.file);
	EXPECT_EQ(second.opened.async_evd, async_id);
	EXPECT_EQ(async, async_evd);
	EXPECT_EQ(asked(other), async_evd);
	EXPECT_EQ(asked(ia), async_evd);
	EXPECT_EQ(second.calls(KDAPL_EVD_CREATE), 0u);
	EXPECT_EQ(module.opened.async_file, 0);
	EXPECT_EQ(module.opened.async_evd, 0u);
	EXPECT_EQ(dat_ia_close(other, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
	EXPECT_EQ(asked(ia), async_evd);
}

TEST_F(AsyncEvd, OneThatWasLentIsLentOn)
{
	fake::Module third;
	DAT_IA_HANDLE last;

	ASSERT_EQ(open_second(async_evd), DAT_SUCCESS);
	third.install();
	DAT_EVD_HANDLE again = async;
	ASSERT_EQ(dat_ia_open(name, 4, &again, &last), DAT_SUCCESS);
	EXPECT_EQ(third.opened.async_file, module.file);
	EXPECT_EQ(dat_ia_close(last, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	EXPECT_EQ(dat_ia_close(other, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
}

TEST_F(AsyncEvd, EventsTellWhoseTheyAre)
{
	DAT_EVENT event;
	kdapl_event end{};

	ASSERT_EQ(open_second(async_evd), DAT_SUCCESS);
	EXPECT_NE(second.opened.user, module.opened.user);
	end.type = DAT_ASYNC_ERROR_IA_CATASTROPHIC;
	for (const auto &[opened, handle] :
	     { std::pair{ &second.opened, other }, std::pair{ &module.opened, ia } }) {
		end.user = opened->user;
		module.post(async_id, end);
		ASSERT_EQ(dat_evd_dequeue(async_evd, &event), DAT_SUCCESS);
		EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, handle);
	}
	EXPECT_EQ(dat_ia_close(other, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
}

TEST_F(AsyncEvd, ALengthCountsOnlyWhereOneIsMade)
{
	async = async_evd;
	ASSERT_EQ(dat_ia_open(name, -1, &async, &other), DAT_SUCCESS);
	EXPECT_EQ(dat_ia_close(other, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
	async = DAT_HANDLE_NULL;
	EXPECT_TRUE(is_error(dat_ia_open(name, -1, &async, &other), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
}

/* It goes with the adapter that it was made with, whoever uses it. */
TEST_F(AsyncEvd, GoesWithItsOwner)
{
	DAT_EVENT event;

	ASSERT_EQ(open_second(async_evd), DAT_SUCCESS);
	EXPECT_EQ(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
	ia = DAT_HANDLE_NULL;
	EXPECT_TRUE(is_error(dat_evd_dequeue(async_evd, &event), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE1));
	EXPECT_EQ(asked(other), DAT_EVD_OUT_OF_SCOPE) << "a handle that is none any more";
	EXPECT_TRUE(
		is_error(open_second(async_evd), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_ASYNC));
	EXPECT_EQ(dat_ia_close(other, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
}

TEST_F(AsyncEvd, RefusedIsAWrongHandle)
{
	DAT_PZ_HANDLE pz;

	for (int err : { ENOENT, EINVAL, EBADF, EACCES }) {
		second.fail_next(KDAPL_IA_OPEN, err);
		EXPECT_TRUE(is_error(open_second(async_evd), DAT_INVALID_HANDLE,
				     DAT_INVALID_HANDLE_EVD_ASYNC));
		EXPECT_EQ(async, async_evd);
		EXPECT_FALSE(second.file_open);
	}
	second.fail_next(KDAPL_IA_OPEN, ENODEV);
	EXPECT_TRUE(
		is_error(open_second(async_evd), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED));
	ASSERT_EQ(dat_pz_create(ia, &pz), DAT_SUCCESS);
	EXPECT_TRUE(is_error(open_second(pz), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_ASYNC));
}

/* Nobody here can ask for it, so the module need not keep anything. */
TEST_F(AsyncEvd, IsElsewhere)
{
	ASSERT_EQ(open_second(DAT_EVD_ASYNC_EXISTS), DAT_SUCCESS);

	EXPECT_EQ(async, DAT_EVD_OUT_OF_SCOPE);
	EXPECT_EQ(asked(other), DAT_EVD_OUT_OF_SCOPE);
	EXPECT_EQ(second.opened.async_evd, 0u);
	EXPECT_TRUE(second.opened.flags & KDAPL_IA_DROP_ASYNC);
	EXPECT_EQ(second.calls(KDAPL_EVD_CREATE), 0u);
	EXPECT_EQ(dat_ia_close(other, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
}

} // namespace

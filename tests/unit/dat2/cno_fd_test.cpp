// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// CNOs with a descriptor, which poll() finds readable while they are triggered.

#include "fake/session.hpp"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>

namespace {

using fake::is_error;

class CnoFdTest : public fake::Session {
protected:
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Session::SetUp());
		ASSERT_EQ(dat_cno_fd_create(ia, &fd, &cno), DAT_SUCCESS);
		ASSERT_EQ(dat_evd_create(ia, 8, cno, DAT_EVD_SOFTWARE_FLAG, &evd), DAT_SUCCESS);
	}
	void trigger()
	{
		DAT_EVENT event{};

		event.event_number = DAT_SOFTWARE_EVENT;
		ASSERT_EQ(dat_evd_post_se(evd, &event), DAT_SUCCESS);
	}
	bool readable() const
	{
		pollfd look{ .fd = fd, .events = POLLIN, .revents = 0 };

		return poll(&look, 1, 0) == 1 && look.revents == POLLIN;
	}
	bool open_still() const { return fcntl(fd, F_GETFD) >= 0 || errno != EBADF; }
	DAT_PROXY_TYPE proxy_type(DAT_CNO_HANDLE which)
	{
		DAT_CNO_PARAM param{};

		EXPECT_EQ(dat_cno_query(which, DAT_CNO_FIELD_ALL, &param), DAT_SUCCESS);
		return param.proxy_type;
	}

	DAT_FD fd = -1;
	DAT_CNO_HANDLE cno = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE evd = DAT_HANDLE_NULL, hint = DAT_HANDLE_NULL;
};

TEST_F(CnoFdTest, IsReadableUntilTheTriggerIsTaken)
{
	EXPECT_FALSE(readable());
	hint = evd;
	EXPECT_EQ(dat_cno_trigger(cno, &hint), fake::queue_empty);
	EXPECT_EQ(hint, DAT_HANDLE_NULL);
	trigger();
	trigger();
	EXPECT_TRUE(readable());
	ASSERT_EQ(dat_cno_trigger(cno, &hint), DAT_SUCCESS);
	EXPECT_EQ(hint, evd);
	EXPECT_FALSE(readable());
	EXPECT_EQ(dat_cno_trigger(cno, &hint), fake::queue_empty);
	trigger();
	EXPECT_TRUE(readable());
	ASSERT_EQ(dat_cno_wait(cno, 0, &hint), DAT_SUCCESS) << "a wait takes it, too";
	EXPECT_FALSE(readable());
}

/* It does not sleep, and so no signal ends it. */
TEST_F(CnoFdTest, ASignalIsNoTrigger)
{
	module.fail_next(KDAPL_CNO_WAIT, EINTR);
	EXPECT_EQ(dat_cno_trigger(cno, &hint), fake::queue_empty);
}

TEST_F(CnoFdTest, IsClosedWithTheCno)
{
	EXPECT_TRUE(is_error(dat_cno_free(cno), DAT_INVALID_STATE, DAT_INVALID_STATE_CNO_IN_USE));
	EXPECT_TRUE(open_still());
	ASSERT_EQ(dat_evd_free(evd), DAT_SUCCESS);
	ASSERT_EQ(dat_cno_free(cno), DAT_SUCCESS);
	EXPECT_FALSE(open_still());
	EXPECT_TRUE(
		is_error(dat_cno_trigger(cno, &hint), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO));
}

TEST_F(CnoFdTest, IsClosedWithTheAdapter)
{
	ASSERT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	ia = DAT_HANDLE_NULL;
	EXPECT_FALSE(open_still());
}

TEST_F(CnoFdTest, QueriesTellIt)
{
	const DAT_OS_WAIT_PROXY_AGENT agent = { this, [](DAT_PVOID, DAT_EVD_HANDLE) {} };
	DAT_CNO_PARAM param{};

	ASSERT_EQ(dat_cno_query(cno, DAT_CNO_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.ia_handle, ia);
	EXPECT_EQ(param.proxy_type, DAT_PROXY_TYPE_FD);
	EXPECT_EQ(param.proxy.fd, fd);
	ASSERT_EQ(dat_cno_modify_agent(cno, agent), DAT_SUCCESS);
	EXPECT_EQ(proxy_type(cno), DAT_PROXY_TYPE_AGENT);
	ASSERT_EQ(dat_cno_modify_agent(cno, DAT_OS_WAIT_PROXY_AGENT_NULL), DAT_SUCCESS);
	EXPECT_EQ(proxy_type(cno), DAT_PROXY_TYPE_FD);
}

TEST_F(CnoFdTest, OtherCnosHaveNone)
{
	DAT_CNO_HANDLE other;

	ASSERT_EQ(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &other), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_cno_trigger(other, &hint), DAT_INVALID_STATE));
	EXPECT_EQ(proxy_type(other), DAT_PROXY_TYPE_NONE);
}

TEST_F(CnoFdTest, WithoutADescriptorThereIsNoCno)
{
	const std::size_t before = module.objects();
	DAT_CNO_HANDLE made = DAT_HANDLE_NULL;
	DAT_FD none = -1;

	module.fail_next(KDAPL_CNO_FD, EMFILE);
	EXPECT_TRUE(is_error(dat_cno_fd_create(ia, &none, &made), DAT_INSUFFICIENT_RESOURCES));
	module.fail_next(KDAPL_CNO_FD, ENOTTY);
	EXPECT_TRUE(is_error(dat_cno_fd_create(ia, &none, &made), DAT_NOT_IMPLEMENTED));
	EXPECT_EQ(made, DAT_HANDLE_NULL);
	EXPECT_EQ(none, -1);
	EXPECT_EQ(module.objects(), before);
}

TEST_F(CnoFdTest, ChecksItsArguments)
{
	DAT_CNO_HANDLE made;
	DAT_FD other;

	EXPECT_TRUE(is_error(dat_cno_fd_create(pz, &other, &made), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(is_error(dat_cno_fd_create(ia, nullptr, &made), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_cno_fd_create(ia, &other, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	for (const DAT_HANDLE handle : { DAT_HANDLE_NULL, evd, ia })
		EXPECT_TRUE(is_error(dat_cno_trigger(handle, &hint), DAT_INVALID_HANDLE,
				     DAT_INVALID_HANDLE_CNO));
	EXPECT_TRUE(
		is_error(dat_cno_trigger(cno, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
}

} // namespace

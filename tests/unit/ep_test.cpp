// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// EPs: connecting where another one is connected, and what receives they hold.

#include "fake/session.hpp"

#include <arpa/inet.h>

#include <cerrno>
#include <cstring>

namespace {

using fake::is_error;

/** One EP that is connected, and one that is not. */
class EpTest : public fake::Session {
protected:
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Session::SetUp());
		connected_id = ep_id;
		module.set_state(connected_id, DAT_EP_STATE_CONNECTED);
		kdapl_ep_query &query = module.ep(connected_id).query;
		query.remote.family = AF_INET;
		query.remote.port = 4242;
		inet_pton(AF_INET, "192.0.2.7", query.remote.addr);
		query.remote_conn_qual = 4242;
		ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, nullptr, &other),
			  DAT_SUCCESS);
		other_id = module.last_id();
	}
	DAT_RETURN dup(DAT_TIMEOUT timeout = 1000, DAT_COUNT size = 0, char *data = nullptr,
		       DAT_QOS qos = DAT_QOS_BEST_EFFORT)
	{
		return dat_ep_dup_connect(other, ep, timeout, size, data, qos);
	}

	std::uint32_t connected_id = 0, other_id = 0;
	DAT_EP_HANDLE other = DAT_HANDLE_NULL;
};

TEST_F(EpTest, DupConnectsToTheSamePeer)
{
	char data[] = "hello";

	ASSERT_EQ(dup(5000, sizeof data, data), DAT_SUCCESS);
	EXPECT_EQ(module.connected.ep, other_id);
	EXPECT_EQ(module.connected.conn_qual, 4242u);
	EXPECT_EQ(module.connected.remote.family, AF_INET);
	unsigned char address[4];
	inet_pton(AF_INET, "192.0.2.7", address);
	EXPECT_EQ(std::memcmp(module.connected.remote.addr, address, sizeof address), 0);
	EXPECT_EQ(module.connected.timeout_us, 5000u);
	EXPECT_EQ(module.connected.private_data_size, sizeof data);
	EXPECT_EQ(std::memcmp(module.connected.private_data, data, sizeof data), 0);
}

TEST_F(EpTest, DupChecksItsArguments)
{
	char byte = 0;

	EXPECT_TRUE(is_error(dat_ep_dup_connect(pz, ep, 1, 0, nullptr, DAT_QOS_BEST_EFFORT),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1));
	EXPECT_TRUE(is_error(dat_ep_dup_connect(other, pz, 1, 0, nullptr, DAT_QOS_BEST_EFFORT),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE2));
	EXPECT_TRUE(is_error(dup(0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dup(1, -1, &byte), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(dup(1, 10'000, &byte), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(dup(1, 1, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
	EXPECT_TRUE(is_error(dup(1, 0, nullptr, DAT_QOS_HIGH_THROUGHPUT), DAT_MODEL_NOT_SUPPORTED));
	EXPECT_EQ(module.calls(KDAPL_EP_CONNECT), 0u);
}

TEST_F(EpTest, DupNeedsAConnectedAndAnUnconnectedEp)
{
	module.set_state(connected_id, DAT_EP_STATE_DISCONNECTED);
	EXPECT_TRUE(is_error(dup(), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_DISCONNECTED));
	module.set_state(connected_id, DAT_EP_STATE_CONNECTED);
	module.ep(connected_id).query.remote_conn_qual = 0;
	EXPECT_TRUE(is_error(dup(), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_CONNECTED));
	module.ep(connected_id).query.remote_conn_qual = 4242;
	module.set_state(other_id, DAT_EP_STATE_CONNECTED);
	EXPECT_TRUE(is_error(dup(), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_CONNECTED));
	EXPECT_EQ(module.calls(KDAPL_EP_CONNECT), 0u);
}

TEST_F(EpTest, RecvQueryCountsWhatIsNotCompleted)
{
	DAT_COUNT buffers = -1, span = -1;
	DAT_LMR_TRIPLET one = segment(0, 8);

	ASSERT_EQ(dat_ep_recv_query(ep, &buffers, &span), DAT_SUCCESS);
	EXPECT_EQ(buffers, 0);
	EXPECT_EQ(span, 0);
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(dat_ep_post_recv(ep, 1, &one, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
			  DAT_SUCCESS);
	module.complete(connected_id, 0, 2);
	ASSERT_EQ(dat_ep_recv_query(ep, &buffers, nullptr), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_recv_query(ep, nullptr, &span), DAT_SUCCESS);
	EXPECT_EQ(buffers, 3);
	EXPECT_EQ(span, 3);
	EXPECT_EQ(dat_ep_recv_query(ep, nullptr, nullptr), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_ep_recv_query(pz, &buffers, &span), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EP));
}

} // namespace

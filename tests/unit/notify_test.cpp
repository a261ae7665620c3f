// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Completions that are no notifications: what the module is told of them, and that
// it alone knows when a wait ends.

#include "fake/session.hpp"

namespace {

using fake::is_error;

class Notify : public fake::Session {
protected:
	void SetUp() override
	{
		DAT_EP_PARAM param;

		ASSERT_NO_FATAL_FAILURE(Session::SetUp());
		ASSERT_EQ(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
		attr = param.ep_attr;
		evd = make_evd(DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG);
		evd_id = module.last_id();
		attr.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
		attr.recv_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
		ASSERT_EQ(dat_ep_create(ia, pz, evd, evd, conn_evd, &attr, &quiet_ep), DAT_SUCCESS);
		quiet_id = module.last_id();
		module.set_state(quiet_id, DAT_EP_STATE_CONNECTED);
	}
	DAT_EVD_STATE state()
	{
		DAT_EVD_PARAM param;

		EXPECT_EQ(dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param), DAT_SUCCESS);
		return param.evd_state & DAT_EVD_STATE_CONFIG_THRESHOLD;
	}

	DAT_EP_ATTR attr;
	DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
	DAT_EP_HANDLE quiet_ep = DAT_HANDLE_NULL;
	std::uint32_t evd_id = 0, quiet_id = 0;
	DAT_EVENT event{};
	DAT_COUNT more = -1;
};

TEST_F(Notify, TheModuleIsToldOfTheStyles)
{
	const kdapl_ep_create &created = module.ep(quiet_id).created;
	DAT_EP_PARAM param;

	EXPECT_EQ(created.recv_notify, KDAPL_NOTIFY_QUIET);
	EXPECT_EQ(created.request_notify, KDAPL_NOTIFY_QUIET);
	EXPECT_EQ(module.ep(ep_id).created.recv_notify, KDAPL_NOTIFY_THRESHOLD);
	ASSERT_EQ(dat_ep_query(quiet_ep, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.ep_attr.recv_completion_flags, DAT_COMPLETION_UNSIGNALLED_FLAG);

	param.ep_attr.recv_completion_flags = DAT_COMPLETION_EVD_THRESHOLD_FLAG;
	module.set_state(quiet_id, DAT_EP_STATE_UNCONNECTED);
	ASSERT_EQ(dat_ep_modify(quiet_ep, DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS, &param),
		  DAT_SUCCESS);
	EXPECT_EQ(module.modified.recv_notify, KDAPL_NOTIFY_THRESHOLD);
	EXPECT_EQ(module.modified.request_notify,
		  fake::mixes_styles ? KDAPL_NOTIFY_THRESHOLD : KDAPL_NOTIFY_QUIET);
}

/* Others of an EVD's streams may notify in another way, which the module knows. */
TEST_F(Notify, AStyleThatDoesNotGoWithTheEvd)
{
	DAT_EP_HANDLE made = DAT_HANDLE_NULL;
	DAT_SRQ_ATTR srq_attr{};
	DAT_SRQ_HANDLE srq;

	module.fail_next(KDAPL_EP_CREATE, EINVAL);
	EXPECT_TRUE(is_error(dat_ep_create(ia, pz, evd, evd, conn_evd, &attr, &made),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG6));
	srq_attr.max_recv_dtos = srq_attr.max_recv_iov = 1;
	srq_attr.low_watermark = DAT_SRQ_LW_DEFAULT;
	ASSERT_EQ(dat_srq_create(ia, pz, &srq_attr, &srq), DAT_SUCCESS);
	module.fail_next(KDAPL_EP_CREATE, EINVAL);
	EXPECT_TRUE(is_error(dat_ep_create_with_srq(ia, pz, evd, evd, conn_evd, srq, &attr, &made),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG7));
	EXPECT_EQ(made, DAT_HANDLE_NULL);
}

/* Every wait has a threshold: to say so beside another style changes nothing. */
TEST_F(Notify, TheDefaultStyleStandsBesideAnother)
{
	DAT_EP_HANDLE made;
	DAT_EP_PARAM param;

	attr.recv_completion_flags = static_cast<DAT_COMPLETION_FLAGS>(
		DAT_COMPLETION_UNSIGNALLED_FLAG | DAT_COMPLETION_EVD_THRESHOLD_FLAG);
	attr.request_completion_flags = attr.recv_completion_flags;
	ASSERT_EQ(dat_ep_create(ia, pz, evd, evd, conn_evd, &attr, &made), DAT_SUCCESS);
	EXPECT_EQ(module.ep(module.last_id()).created.recv_notify, KDAPL_NOTIFY_QUIET);
	EXPECT_EQ(module.ep(module.last_id()).created.request_notify, KDAPL_NOTIFY_QUIET);
	ASSERT_EQ(dat_ep_query(made, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.ep_attr.recv_completion_flags, attr.recv_completion_flags);

	param.ep_attr.recv_completion_flags = static_cast<DAT_COMPLETION_FLAGS>(
		DAT_COMPLETION_SOLICITED_WAIT_FLAG | DAT_COMPLETION_EVD_THRESHOLD_FLAG);
	ASSERT_EQ(dat_ep_modify(made, DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS, &param),
		  DAT_SUCCESS);
	EXPECT_EQ(module.modified.recv_notify, KDAPL_NOTIFY_SOLICITED);

	param.ep_attr.recv_completion_flags = static_cast<DAT_COMPLETION_FLAGS>(
		DAT_COMPLETION_SOLICITED_WAIT_FLAG | DAT_COMPLETION_UNSIGNALLED_FLAG);
	EXPECT_TRUE(
		is_error(dat_ep_modify(made, DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS, &param),
			 DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
}

TEST_F(Notify, PostsSayWhatIsNone)
{
	constexpr auto quiet = DAT_COMPLETION_UNSIGNALLED_FLAG;
	DAT_LMR_TRIPLET one = segment(0, 8);
	const DAT_RMR_TRIPLET remote = fake::remote(77, 0x1000, 8);

	ASSERT_EQ(dat_ep_post_send(quiet_ep, 1, &one, cookie(1), quiet), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_post_recv(quiet_ep, 1, &one, cookie(2), quiet), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_post_rdma_write(quiet_ep, 1, &one, cookie(3), &remote, quiet),
		  DAT_SUCCESS);
	ASSERT_EQ(dat_ep_post_rdma_read(quiet_ep, 1, &one, cookie(4), &remote, quiet), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_post_send(quiet_ep, 1, &one, cookie(5), DAT_COMPLETION_DEFAULT_FLAG),
		  DAT_SUCCESS);
	module.take();
	ASSERT_EQ(module.taken.size(), 5u);
	for (const kdapl_sqe &sqe : module.taken)
		EXPECT_EQ(sqe.flags, sqe.cookie == 5 ? 0u : KDAPL_SQE_QUIET);

	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	EXPECT_TRUE(is_error(dat_ep_post_send(ep, 1, &one, cookie(1), quiet), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG5));
	EXPECT_TRUE(is_error(dat_ep_post_recv(ep, 1, &one, cookie(1), quiet), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG5));
}

TEST_F(Notify, AWaitIsTheModules)
{
	EXPECT_EQ(state(), DAT_EVD_STATE_CONFIG_NOTIFY);
	EXPECT_TRUE(is_error(dat_evd_wait(evd, 0, 2, &event, &more), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_EVD_CONFIG_NOTIFY));
	module.post_dto(evd_id, quiet_id, 1);
	module.post_dto(evd_id, quiet_id, 2);
	module.post_dto(evd_id, quiet_id, 3);
	ASSERT_EQ(dat_evd_wait(evd, 1000, 1, &event, &more), DAT_SUCCESS);
	EXPECT_EQ(more, 2);
	EXPECT_EQ(module.calls(KDAPL_EVD_WAIT), 1u) << "an event in the ring may be a quiet one";

	/* A look, and taking one, need nobody. */
	ASSERT_EQ(dat_evd_wait(evd, 0, 1, &event, &more), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_dequeue(evd, &event), DAT_SUCCESS);
	EXPECT_EQ(module.calls(KDAPL_EVD_WAIT), 1u);
}

/* What is in the ring then is left for who does not wait. */
TEST_F(Notify, ATimeOutTellsOfQuietEvents)
{
	module.post_dto(evd_id, quiet_id, 1);
	module.fail_next(KDAPL_EVD_WAIT, ETIMEDOUT);
	EXPECT_TRUE(is_error(dat_evd_wait(evd, 1000, 1, &event, &more), DAT_TIMEOUT_EXPIRED));
	EXPECT_EQ(more, 1);
	ASSERT_EQ(dat_evd_dequeue(evd, &event), DAT_SUCCESS);
}

/* The device tells of solicited messages only: for the rest the module must look. */
TEST_F(Notify, ASolicitedQueueIsAskedFor)
{
	const DAT_EVD_HANDLE recvs = make_evd(DAT_EVD_DTO_FLAG);
	const std::uint32_t recvs_id = module.last_id();
	DAT_LMR_TRIPLET one = segment(0, 8);
	DAT_EP_HANDLE made;
	DAT_EVD_PARAM param;

	attr.recv_completion_flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
	ASSERT_EQ(dat_ep_create(ia, pz, recvs, evd, conn_evd, &attr, &made), DAT_SUCCESS);
	EXPECT_EQ(module.ep(module.last_id()).created.recv_notify, KDAPL_NOTIFY_SOLICITED);
	module.set_hw_recv(module.last_id(), 100);
	ASSERT_EQ(dat_evd_query(recvs, DAT_EVD_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.evd_state & DAT_EVD_STATE_CONFIG_THRESHOLD, DAT_EVD_STATE_CONFIG_SOLICITED);
	EXPECT_TRUE(is_error(dat_evd_wait(recvs, 0, 2, &event, &more), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_EVD_CONFIG_SOLICITED));

	EXPECT_TRUE(is_error(dat_evd_dequeue(recvs, &event), DAT_QUEUE_EMPTY));
	EXPECT_EQ(module.calls(KDAPL_EVD_FILL), 1u);
	module.post_dto(recvs_id, module.last_id(), 1);
	ASSERT_EQ(dat_evd_dequeue(recvs, &event), DAT_SUCCESS);
	EXPECT_EQ(module.calls(KDAPL_EVD_FILL), 1u) << "it is in the ring";

	/* Nothing else would tell the module of it. */
	const unsigned before = module.calls(KDAPL_DOORBELL);
	ASSERT_EQ(dat_ep_post_recv(made, 1, &one, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
		  DAT_SUCCESS);
	EXPECT_EQ(module.calls(KDAPL_DOORBELL), before + 1);
}

} // namespace

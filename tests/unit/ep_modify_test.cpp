// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_modify, and endpoints that the provider makes for a request.

#include "fake/session.hpp"

#include <cerrno>

namespace {

using fake::is_error;

class EpModify : public fake::Session {
protected:
	DAT_RETURN modify(DAT_EP_PARAM_MASK mask) { return dat_ep_modify(ep, mask, &param); }
	DAT_EP_PARAM query(DAT_EP_HANDLE which)
	{
		DAT_EP_PARAM told;
		EXPECT_EQ(dat_ep_query(which, DAT_EP_FIELD_ALL, &told), DAT_SUCCESS);
		return told;
	}
	/** A request to a PSP that makes endpoints. */
	DAT_CR_HANDLE request(DAT_PSP_HANDLE *psp)
	{
		kdapl_event event{};
		DAT_EVENT arrival;
		EXPECT_EQ(dat_psp_create(ia, 4567, conn_evd, DAT_PSP_PROVIDER_FLAG, psp),
			  DAT_SUCCESS);
		event.user = module.psp_user(module.last_id());
		event.type = DAT_CONNECTION_REQUEST_EVENT;
		event.cookie = 4567;
		event.length = 1000001;
		event.status = KDAPL_CR_EP_OFFER;
		module.post(conn_evd_id, event);
		EXPECT_EQ(dat_evd_dequeue(conn_evd, &arrival), DAT_SUCCESS);
		return arrival.event_data.cr_arrival_event_data.cr_handle;
	}
	DAT_EP_HANDLE ep_of(DAT_CR_HANDLE cr)
	{
		DAT_CR_PARAM told;
		EXPECT_EQ(dat_cr_query(cr, DAT_CR_FIELD_ALL, &told), DAT_SUCCESS);
		return told.local_ep_handle;
	}

	DAT_EP_PARAM param{};
};

TEST_F(EpModify, OnlyWhatIsAskedForChanges)
{
	const DAT_EP_PARAM before = query(ep);
	DAT_PZ_HANDLE zone;
	ASSERT_EQ(dat_pz_create(ia, &zone), DAT_SUCCESS);
	const std::uint32_t zone_id = module.last_id();
	const DAT_EVD_HANDLE evd = make_evd(DAT_EVD_DTO_FLAG);
	const std::uint32_t evd_id = module.last_id();

	param.pz_handle = zone;
	param.recv_evd_handle = evd;
	param.ep_attr.max_recv_dtos = 77;
	param.ep_attr.max_request_dtos = 88;
	ASSERT_EQ(modify(DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE |
			 DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS),
		  DAT_SUCCESS);
	EXPECT_EQ(module.modified.ep, ep_id);
	EXPECT_EQ(module.modified.pz, zone_id);
	EXPECT_EQ(module.modified.recv_evd, evd_id);
	EXPECT_EQ(module.modified.request_evd, dto_evd_id);
	EXPECT_EQ(module.modified.connect_evd, conn_evd_id);
	EXPECT_EQ(module.modified.max_recvs, 77u);
	EXPECT_EQ(module.modified.rdma_read_fixed, 0u);

	const DAT_EP_PARAM after = query(ep);
	EXPECT_EQ(after.pz_handle, zone);
	EXPECT_EQ(after.recv_evd_handle, evd);
	EXPECT_EQ(after.request_evd_handle, before.request_evd_handle);
	EXPECT_EQ(after.connect_evd_handle, before.connect_evd_handle);
	EXPECT_EQ(after.ep_attr.max_recv_dtos, 77);
	EXPECT_EQ(after.ep_attr.max_request_dtos, before.ep_attr.max_request_dtos);
}

TEST_F(EpModify, EveryAttribute)
{
	param.ep_attr.service_type = DAT_SERVICE_TYPE_RC;
	param.ep_attr.max_message_size = 1000;
	param.ep_attr.max_rdma_size = 2000;
	param.ep_attr.qos = DAT_QOS_BEST_EFFORT;
	param.ep_attr.recv_completion_flags = DAT_COMPLETION_EVD_THRESHOLD_FLAG;
	param.ep_attr.request_completion_flags = DAT_COMPLETION_EVD_THRESHOLD_FLAG;
	param.ep_attr.max_recv_dtos = 11;
	param.ep_attr.max_request_dtos = 12;
	param.ep_attr.max_recv_iov = 2;
	param.ep_attr.max_request_iov = 3;
	param.ep_attr.max_rdma_read_in = 5;
	param.ep_attr.max_rdma_read_out = 6;
	param.ep_attr.srq_soft_hw = DAT_HW_DEFAULT;
	param.ep_attr.max_rdma_read_iov = 1;
	param.ep_attr.max_rdma_write_iov = 4;
	ASSERT_EQ(modify(DAT_EP_FIELD_EP_ATTR_ALL), DAT_SUCCESS);
	EXPECT_EQ(module.modified.max_request_iov, 4u) << "the longest of three";
	EXPECT_EQ(module.modified.rdma_read_fixed, 1u);

	const DAT_EP_ATTR told = query(ep).ep_attr;
	EXPECT_EQ(told.max_message_size, 1000u);
	EXPECT_EQ(told.max_rdma_size, 2000u);
	EXPECT_EQ(told.max_recv_dtos, 11);
	EXPECT_EQ(told.max_request_dtos, 12);
	EXPECT_EQ(told.max_recv_iov, 2);
	EXPECT_EQ(told.max_request_iov, 3);
	EXPECT_EQ(told.max_rdma_read_in, 5);
	EXPECT_EQ(told.max_rdma_read_out, 6);
	EXPECT_EQ(told.max_rdma_read_iov, 1);
	EXPECT_EQ(told.max_rdma_write_iov, 4);
}

/* What one connection came to is told while it lasts, and is no wish for the next one. */
TEST_F(EpModify, DepthsOfAConnectionAreNotTheEps)
{
	const DAT_EP_ATTR before = query(ep).ep_attr;
	kdapl_ep_query &told = module.ep(ep_id).query;
	const kdapl_ep_query own = told;

	told.max_rdma_read_in = told.max_rdma_read_out = 0;
	EXPECT_EQ(query(ep).ep_attr.max_rdma_read_in, 0);
	EXPECT_EQ(query(ep).ep_attr.max_rdma_read_out, 0);
	told = own;
	param.connect_evd_handle = conn_evd;
	ASSERT_EQ(modify(DAT_EP_FIELD_CONNECT_EVD_HANDLE), DAT_SUCCESS);
	EXPECT_EQ(module.modified.max_rdma_read_in, unsigned(before.max_rdma_read_in));
	EXPECT_EQ(module.modified.max_rdma_read_out, unsigned(before.max_rdma_read_out));
	EXPECT_EQ(module.modified.rdma_read_fixed, 0u);
}

TEST_F(EpModify, TheSoftMarkAndNoOther)
{
	ASSERT_EQ(dat_ep_set_watermark(ep, 5, 9), DAT_SUCCESS);
	param = query(ep);
	EXPECT_EQ(modify(DAT_EP_FIELD_EP_ATTR_ALL), DAT_SUCCESS) << "as it is";
	EXPECT_EQ(module.calls(KDAPL_EP_SET_MARKS), 1u);
	param.ep_attr.srq_soft_hw = 3;
	ASSERT_EQ(modify(DAT_EP_FIELD_EP_ATTR_SRQ_SOFT_HW), DAT_SUCCESS);
	EXPECT_EQ(module.marks.soft, 3u);
	EXPECT_EQ(module.marks.hard, 9u);
	EXPECT_EQ(query(ep).ep_attr.srq_soft_hw, 3);
	param.ep_attr.srq_soft_hw = DAT_HW_DEFAULT;
	ASSERT_EQ(modify(DAT_EP_FIELD_EP_ATTR_SRQ_SOFT_HW), DAT_SUCCESS);
	EXPECT_EQ(module.marks.soft, KDAPL_MARK_INFINITE);
	EXPECT_EQ(module.marks.hard, 9u);
}

TEST_F(EpModify, ARequestThatNoEpCanBeMadeFor)
{
	DAT_PSP_HANDLE psp;
	DAT_EVENT arrival;

	module.fail_next(KDAPL_EP_CREATE, ENODEV);
	const DAT_CR_HANDLE cr = request(&psp);
	ASSERT_NE(cr, DAT_HANDLE_NULL);
	EXPECT_EQ(ep_of(cr), DAT_HANDLE_NULL);
	EXPECT_TRUE(is_error(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EP));
	EXPECT_EQ(DAT_GET_TYPE(dat_evd_dequeue(conn_evd, &arrival)), DAT_QUEUE_EMPTY);
}

/* What it tells then is what another EP could be made of. */
TEST_F(EpModify, AQueueGoesWithItsEvd)
{
	DAT_EP_HANDLE made;

	param.request_evd_handle = param.recv_evd_handle = DAT_HANDLE_NULL;
	ASSERT_EQ(modify(DAT_EP_FIELD_REQUEST_EVD_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE),
		  DAT_SUCCESS);
	DAT_EP_PARAM now = query(ep);
	EXPECT_EQ(now.ep_attr.max_request_dtos, 0);
	EXPECT_EQ(now.ep_attr.max_recv_dtos, 0);
	EXPECT_EQ(dat_ep_create(ia, pz, DAT_HANDLE_NULL, DAT_HANDLE_NULL, conn_evd, &now.ep_attr,
				&made),
		  DAT_SUCCESS);
	param.request_evd_handle = param.recv_evd_handle = dto_evd;
	ASSERT_EQ(modify(DAT_EP_FIELD_REQUEST_EVD_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE),
		  DAT_SUCCESS);
	now = query(ep);
	EXPECT_GT(now.ep_attr.max_request_dtos, 0);
	EXPECT_GT(now.ep_attr.max_recv_dtos, 0);
}

TEST_F(EpModify, WhatCannotBeModified)
{
	param = query(ep);
	for (const DAT_EP_PARAM_MASK field :
	     { DAT_EP_FIELD_IA_HANDLE, DAT_EP_FIELD_EP_STATE, DAT_EP_FIELD_LOCAL_IA_ADDRESS_PTR,
	       DAT_EP_FIELD_LOCAL_PORT_QUAL, DAT_EP_FIELD_REMOTE_IA_ADDRESS_PTR,
	       DAT_EP_FIELD_REMOTE_PORT_QUAL, DAT_EP_FIELD_SRQ_HANDLE, DAT_EP_PARAM_MASK{ 0x800 },
	       DAT_EP_PARAM_MASK{ 1 } << 31 })
		EXPECT_TRUE(is_error(modify(field), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2))
			<< field;
	EXPECT_TRUE(is_error(dat_ep_modify(ep, DAT_EP_FIELD_PZ_HANDLE, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(
		is_error(dat_ep_modify(pz, 0, &param), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
	EXPECT_EQ(modify(0), DAT_SUCCESS);
	EXPECT_EQ(module.calls(KDAPL_EP_MODIFY), 0u);
}

TEST_F(EpModify, WrongValues)
{
	const auto refused = [&](DAT_EP_PARAM_MASK field, auto set) {
		param = query(ep);
		set(param);
		return is_error(modify(field), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	};

	EXPECT_TRUE(refused(DAT_EP_FIELD_PZ_HANDLE, [&](auto &p) { p.pz_handle = ep; }));
	EXPECT_TRUE(
		refused(DAT_EP_FIELD_PZ_HANDLE, [&](auto &p) { p.pz_handle = DAT_HANDLE_NULL; }));
	EXPECT_TRUE(refused(DAT_EP_FIELD_RECV_EVD_HANDLE,
			    [&](auto &p) { p.recv_evd_handle = conn_evd; }));
	EXPECT_TRUE(refused(DAT_EP_FIELD_REQUEST_EVD_HANDLE,
			    [&](auto &p) { p.request_evd_handle = lmr; }));
	EXPECT_TRUE(refused(DAT_EP_FIELD_CONNECT_EVD_HANDLE,
			    [&](auto &p) { p.connect_evd_handle = dto_evd; }));
	EXPECT_TRUE(refused(DAT_EP_FIELD_EP_ATTR_QOS,
			    [](auto &p) { p.ep_attr.qos = DAT_QOS_PREMIUM; }));
	EXPECT_TRUE(refused(DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE, [](auto &p) {
		p.ep_attr.service_type = static_cast<DAT_SERVICE_TYPE>(9);
	}));
	EXPECT_TRUE(refused(DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS,
			    [](auto &p) { p.ep_attr.max_recv_dtos = -1; }));
	EXPECT_TRUE(refused(DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS,
			    [](auto &p) { p.ep_attr.max_recv_dtos = 513; }));
	EXPECT_TRUE(refused(DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS,
			    [](auto &p) { p.ep_attr.max_request_dtos = 0; }));
	EXPECT_TRUE(refused(DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT,
			    [](auto &p) { p.ep_attr.max_rdma_read_out = 9; }));
	EXPECT_TRUE(refused(DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV,
			    [](auto &p) { p.ep_attr.max_recv_iov = 7; }));
	EXPECT_TRUE(refused(DAT_EP_FIELD_EP_ATTR_SRQ_SOFT_HW,
			    [](auto &p) { p.ep_attr.srq_soft_hw = 0; }));
	EXPECT_TRUE(refused(DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR,
			    [](auto &p) { p.ep_attr.ep_provider_specific_count = 1; }));
	EXPECT_EQ(module.calls(KDAPL_EP_MODIFY), 0u);
}

TEST_F(EpModify, InTheStatesOfThePage)
{
	const DAT_EP_STATE all[] = {
		DAT_EP_STATE_UNCONNECTED,
		DAT_EP_STATE_RESERVED,
		DAT_EP_STATE_PASSIVE_CONNECTION_PENDING,
		DAT_EP_STATE_ACTIVE_CONNECTION_PENDING,
		DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING,
		DAT_EP_STATE_CONNECTED,
		DAT_EP_STATE_DISCONNECT_PENDING,
		DAT_EP_STATE_DISCONNECTED,
		DAT_EP_STATE_COMPLETION_PENDING,
	};

	param = query(ep);
	for (const DAT_EP_STATE state : all) {
		const bool quiet = state == DAT_EP_STATE_UNCONNECTED ||
				   state == DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING;
		const bool before = quiet || state == DAT_EP_STATE_RESERVED ||
				    state == DAT_EP_STATE_PASSIVE_CONNECTION_PENDING;
		module.set_state(ep_id, state);
		EXPECT_EQ(DAT_GET_TYPE(modify(DAT_EP_FIELD_PZ_HANDLE)),
			  quiet ? DAT_SUCCESS : DAT_INVALID_STATE)
			<< state;
		EXPECT_EQ(DAT_GET_TYPE(modify(DAT_EP_FIELD_CONNECT_EVD_HANDLE |
					      DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS)),
			  before ? DAT_SUCCESS : DAT_INVALID_STATE)
			<< state;
		EXPECT_EQ(DAT_GET_TYPE(modify(DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR)),
			  state == DAT_EP_STATE_UNCONNECTED ? DAT_SUCCESS : DAT_INVALID_STATE)
			<< state;
	}
	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	EXPECT_TRUE(is_error(modify(DAT_EP_FIELD_PZ_HANDLE), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_EP_CONNECTED));
	module.set_state(ep_id, DAT_EP_STATE_UNCONNECTED);
}

TEST_F(EpModify, AFailureChangesNothing)
{
	const DAT_EVD_HANDLE evd = make_evd(DAT_EVD_DTO_FLAG);
	param.recv_evd_handle = evd;
	for (const auto &[err, type] : { std::pair{ EBUSY, DAT_INVALID_STATE },
					 std::pair{ ENOMEM, DAT_INSUFFICIENT_RESOURCES },
					 std::pair{ EBADFD, DAT_INVALID_STATE } }) {
		module.fail_next(KDAPL_EP_MODIFY, err);
		EXPECT_EQ(DAT_GET_TYPE(modify(DAT_EP_FIELD_RECV_EVD_HANDLE)), type);
		EXPECT_EQ(query(ep).recv_evd_handle, dto_evd);
	}
	/* Of an EVD that others want to notify in another way. */
	module.fail_next(KDAPL_EP_MODIFY, EINVAL);
	EXPECT_TRUE(is_error(modify(DAT_EP_FIELD_RECV_EVD_HANDLE), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
}

TEST_F(EpModify, AQueueThatGetsAnEvdGetsASize)
{
	ASSERT_EQ(dat_ep_create(ia, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL,
				DAT_HANDLE_NULL, nullptr, &ep),
		  DAT_SUCCESS);
	EXPECT_EQ(query(ep).pz_handle, DAT_HANDLE_NULL);
	EXPECT_TRUE(
		is_error(dat_ep_post_recv(ep, 0, nullptr, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
			 DAT_INVALID_STATE, DAT_INVALID_STATE_EP_NOTREADY));
	param.pz_handle = pz;
	param.recv_evd_handle = dto_evd;
	param.request_evd_handle = dto_evd;
	ASSERT_EQ(modify(DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE |
			 DAT_EP_FIELD_REQUEST_EVD_HANDLE),
		  DAT_SUCCESS);
	EXPECT_EQ(module.modified.max_recvs, 256u);
	EXPECT_EQ(module.modified.max_requests, 256u);
	EXPECT_EQ(dat_ep_post_recv(ep, 0, nullptr, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
		  DAT_SUCCESS);

	/* Without its EVD a queue has no room, whatever its size was. */
	param.recv_evd_handle = DAT_HANDLE_NULL;
	ASSERT_EQ(modify(DAT_EP_FIELD_RECV_EVD_HANDLE), DAT_SUCCESS);
	EXPECT_EQ(module.modified.max_recvs, 0u);
	EXPECT_TRUE(
		is_error(dat_ep_post_recv(ep, 0, nullptr, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
			 DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS));
}

TEST_F(EpModify, ARequestOfAMakingPspBringsAnEp)
{
	DAT_PSP_HANDLE psp;
	const DAT_CR_HANDLE cr = request(&psp);
	const DAT_EP_HANDLE made = ep_of(cr);
	ASSERT_NE(made, DAT_HANDLE_NULL);
	const DAT_EP_PARAM told = query(made);

	EXPECT_EQ(told.ep_state, DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING);
	EXPECT_EQ(told.pz_handle, DAT_HANDLE_NULL);
	EXPECT_EQ(told.recv_evd_handle, DAT_HANDLE_NULL);
	EXPECT_EQ(told.request_evd_handle, DAT_HANDLE_NULL);
	EXPECT_EQ(told.connect_evd_handle, DAT_HANDLE_NULL);
	EXPECT_GT(told.ep_attr.max_recv_dtos, 0);
	EXPECT_TRUE(is_error(dat_ep_free(made), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_EP_TENTCONNPENDING));
	EXPECT_TRUE(is_error(dat_cr_accept(cr, ep, 0, nullptr), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EP));
	EXPECT_TRUE(is_error(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EVD_CONN));
	param.connect_evd_handle = conn_evd;
	ASSERT_EQ(dat_ep_modify(made, DAT_EP_FIELD_CONNECT_EVD_HANDLE, &param), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_EP_NOTREADY));
	param.pz_handle = pz;
	ASSERT_EQ(dat_ep_modify(made, DAT_EP_FIELD_PZ_HANDLE, &param), DAT_SUCCESS);
	ASSERT_EQ(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr), DAT_SUCCESS);
	EXPECT_EQ(module.accepted.ep, 0u);
	EXPECT_EQ(dat_ep_free(made), DAT_SUCCESS);
}

TEST_F(EpModify, ARejectedRequestTakesItsEpAlong)
{
	DAT_PSP_HANDLE psp;
	DAT_EP_STATE state;
	const std::size_t before = module.objects();
	const DAT_CR_HANDLE cr = request(&psp);
	const DAT_EP_HANDLE made = ep_of(cr);

	ASSERT_EQ(fake::cr_reject(cr), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_ep_get_status(made, &state, nullptr, nullptr), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EP));
	EXPECT_EQ(module.objects(), before + 1) << "the PSP";
}

TEST_F(EpModify, AnRspWithoutEpMakesOneToo)
{
	DAT_RSP_HANDLE rsp;
	DAT_RSP_PARAM told;

	ASSERT_EQ(dat_rsp_create(ia, 4567, DAT_HANDLE_NULL, conn_evd, &rsp), DAT_SUCCESS);
	ASSERT_EQ(dat_rsp_query(rsp, DAT_RSP_FIELD_ALL, &told), DAT_SUCCESS);
	EXPECT_EQ(told.ep_handle, DAT_HANDLE_NULL);
	EXPECT_EQ(dat_rsp_free(rsp), DAT_SUCCESS);
}

} // namespace

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// RMRs: what is refused at once and with which code, what the module is told, and
// how many of an EP's slots that takes.

#include "fake/session.hpp"

#include <cerrno>
#include <cstring>
#include <map>

namespace {

using fake::is_error;

constexpr DAT_MEM_PRIV_FLAGS remote =
	DAT_MEM_PRIV_REMOTE_READ_FLAG | DAT_MEM_PRIV_REMOTE_WRITE_FLAG;

class Rmr : public fake::Session {
protected:
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Session::SetUp());
		module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
		ASSERT_EQ(dat_rmr_create(pz, &rmr), DAT_SUCCESS);
		rmr_id = module.last_id();
	}
	DAT_RETURN bind(DAT_LMR_TRIPLET triplet, DAT_MEM_PRIV_FLAGS privileges = remote,
			DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG)
	{
		DAT_RMR_COOKIE number;
		number.as_64 = 0x1122334455667788;
		return dat_rmr_bind(rmr, &triplet, privileges, ep, number, flags, &context);
	}
	DAT_RMR_PARAM query()
	{
		DAT_RMR_PARAM param;
		EXPECT_EQ(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &param), DAT_SUCCESS);
		return param;
	}
	unsigned binds() { return module.calls(KDAPL_RMR_BIND); }

	DAT_RMR_HANDLE rmr = DAT_HANDLE_NULL;
	DAT_RMR_CONTEXT context = 0;
	std::uint32_t rmr_id = 0;
};

TEST_F(Rmr, TheModuleIsToldAll)
{
	const auto triplet = segment(100, 5000);

	ASSERT_EQ(bind(triplet, DAT_MEM_PRIV_REMOTE_READ_FLAG,
		       DAT_COMPLETION_SUPPRESS_FLAG | DAT_COMPLETION_BARRIER_FENCE_FLAG),
		  DAT_SUCCESS);
	EXPECT_EQ(module.bound.rmr, rmr_id);
	EXPECT_EQ(module.bound.ep, ep_id);
	EXPECT_EQ(module.bound.lmr, lmr_context);
	EXPECT_EQ(module.bound.addr, triplet.virtual_address);
	EXPECT_EQ(module.bound.length, 5000u);
	EXPECT_EQ(module.bound.cookie, 0x1122334455667788u);
	EXPECT_EQ(module.bound.flags, KDAPL_SQE_SUPPRESS | KDAPL_SQE_FENCE);
	EXPECT_EQ(module.bound.privileges, KDAPL_PRIV_REMOTE_READ);
	EXPECT_EQ(module.bound.pad, 0u);
	EXPECT_EQ(context, module.bound.rkey);

	const DAT_RMR_PARAM param = query();
	EXPECT_EQ(param.ia_handle, ia);
	EXPECT_EQ(param.pz_handle, pz);
	EXPECT_EQ(param.lmr_triplet.lmr_context, lmr_context);
	EXPECT_EQ(param.lmr_triplet.virtual_address, triplet.virtual_address);
	EXPECT_EQ(param.lmr_triplet.segment_length, 5000u);
	EXPECT_EQ(param.mem_priv, DAT_MEM_PRIV_REMOTE_READ_FLAG);
	EXPECT_EQ(param.rmr_context, context);
}

/* Nothing of an unbinding's triplet counts but its length. */
TEST_F(Rmr, UnbindsWithNoLength)
{
	ASSERT_EQ(bind(segment(0, 10)), DAT_SUCCESS);
	ASSERT_EQ(bind({ 12345, 0, 0, 0 }), DAT_SUCCESS);
	EXPECT_EQ(module.bound.length, 0u);
	EXPECT_EQ(query().lmr_triplet.segment_length, 0u);
	EXPECT_EQ(query().rmr_context, 0u);
}

TEST_F(Rmr, CompletionIsAnEventOfTheRmr)
{
	kdapl_event event{};
	DAT_EVENT got;

	event.type = DAT_RMR_BIND_COMPLETION_EVENT;
	event.user = module.rmr_user;
	event.cookie = 77;
	event.status = DAT_RMR_OPERATION_FAILED;
	module.post(dto_evd_id, event);
	ASSERT_EQ(dat_evd_dequeue(dto_evd, &got), DAT_SUCCESS);
	EXPECT_EQ(got.event_number, DAT_RMR_BIND_COMPLETION_EVENT);
	EXPECT_EQ(got.evd_handle, dto_evd);
	EXPECT_EQ(got.event_data.rmr_completion_event_data.rmr_handle, rmr);
	EXPECT_EQ(got.event_data.rmr_completion_event_data.user_cookie.as_64, 77u);
	EXPECT_EQ(got.event_data.rmr_completion_event_data.status, DAT_RMR_OPERATION_FAILED);
}

TEST_F(Rmr, TakesTwoSlots)
{
	DAT_EP_ATTR attr{};
	attr.service_type = DAT_SERVICE_TYPE_RC;
	attr.max_mtu_size = 1000;
	attr.max_rdma_size = 1000;
	attr.max_recv_dtos = attr.max_request_dtos = 5;
	attr.max_recv_iov = attr.max_request_iov = 1;
	ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, &attr, &ep), DAT_SUCCESS);
	ep_id = module.last_id();
	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);

	EXPECT_EQ(bind(segment(0, 1)), DAT_SUCCESS);
	EXPECT_EQ(bind(segment(0, 1)), DAT_SUCCESS);
	EXPECT_TRUE(
		is_error(bind(segment(0, 1)), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS));
	EXPECT_EQ(binds(), 2u);
	DAT_BOOLEAN idle = DAT_TRUE;
	ASSERT_EQ(dat_ep_get_status(ep, nullptr, nullptr, &idle), DAT_SUCCESS);
	EXPECT_FALSE(idle);
	module.complete(ep_id, 2, 0);
	EXPECT_EQ(bind(segment(0, 1)), DAT_SUCCESS);
	module.complete(ep_id, 4, 0);
	ASSERT_EQ(dat_ep_get_status(ep, nullptr, nullptr, &idle), DAT_SUCCESS);
	EXPECT_TRUE(idle);

	/* What the module did not take takes no slots. */
	for (int i = 0; i < 10; i++) {
		module.fail_next(KDAPL_RMR_BIND, ENOMEM);
		EXPECT_TRUE(is_error(bind(segment(0, 1)), DAT_INSUFFICIENT_RESOURCES,
				     DAT_RESOURCE_MEMORY));
	}
	ASSERT_EQ(dat_ep_get_status(ep, nullptr, nullptr, &idle), DAT_SUCCESS);
	EXPECT_TRUE(idle);
}

TEST_F(Rmr, WhatTheModuleRefusesChangesNothing)
{
	const struct {
		int err;
		DAT_RETURN_TYPE type;
		DAT_RETURN_SUBTYPE subtype;
	} rows[] = {
		{ EPERM, DAT_PROTECTION_VIOLATION, DAT_NO_SUBTYPE },
		{ EACCES, DAT_PRIVILEGES_VIOLATION, DAT_NO_SUBTYPE },
		{ EINVAL, DAT_INVALID_PARAMETER, DAT_NO_SUBTYPE },
		{ ENOENT, DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR },
		{ ENOSPC, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY_REGION },
		{ EBADFD, DAT_INVALID_STATE, DAT_INVALID_STATE_EP_CONNECTED },
		{ EBUSY, DAT_INVALID_STATE, DAT_NO_SUBTYPE },
		{ EOPNOTSUPP, DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE },
	};
	const auto triplet = segment(0, 64);

	ASSERT_EQ(bind(triplet), DAT_SUCCESS);
	const DAT_RMR_CONTEXT before = context;
	for (const auto &row : rows) {
		module.fail_next(KDAPL_RMR_BIND, row.err);
		EXPECT_TRUE(is_error(bind(segment(64, 64)), row.type, row.subtype)) << row.err;
		EXPECT_EQ(query().lmr_triplet.virtual_address, triplet.virtual_address);
		EXPECT_EQ(query().rmr_context, before);
	}
}

TEST_F(Rmr, RangeAndLength)
{
	EXPECT_EQ(bind(segment(0, 32768)), DAT_SUCCESS);
	EXPECT_TRUE(is_error(bind(segment(0, 32769)), DAT_INSUFFICIENT_RESOURCES,
			     DAT_RESOURCE_MEMORY_REGION));
	EXPECT_TRUE(
		is_error(bind(segment(1, memory.size())), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(bind(segment(memory.size() - 1, 2)), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	auto before = segment(0, 10);
	before.virtual_address--;
	EXPECT_TRUE(is_error(bind(before), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(bind(segment(0, ~DAT_VLEN{ 0 })), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_EQ(binds(), 1u);
}

TEST_F(Rmr, PrivilegesAndZones)
{
	DAT_LMR_CONTEXT read, write, foreign;
	DAT_PZ_HANDLE other;
	ASSERT_EQ(dat_pz_create(ia, &other), DAT_SUCCESS);
	make_lmr(DAT_MEM_PRIV_LOCAL_READ_FLAG, pz, &read);
	make_lmr(DAT_MEM_PRIV_LOCAL_WRITE_FLAG, pz, &write);
	make_lmr(DAT_MEM_PRIV_ALL_FLAG, other, &foreign);
	auto in = [&](DAT_LMR_CONTEXT lmr) {
		auto triplet = segment(0, 8);
		triplet.lmr_context = lmr;
		return triplet;
	};

	EXPECT_TRUE(is_error(bind(in(read)), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE));
	EXPECT_TRUE(is_error(bind(in(write)), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_READ));
	EXPECT_EQ(bind(in(read), DAT_MEM_PRIV_REMOTE_READ_FLAG), DAT_SUCCESS);
	EXPECT_EQ(bind(in(write), DAT_MEM_PRIV_REMOTE_WRITE_FLAG), DAT_SUCCESS);
	EXPECT_EQ(bind(in(read), DAT_MEM_PRIV_NONE_FLAG), DAT_SUCCESS);
	EXPECT_TRUE(is_error(bind(in(0x7777)), DAT_PRIVILEGES_VIOLATION));
	EXPECT_TRUE(is_error(bind(in(foreign)), DAT_PROTECTION_VIOLATION));
	EXPECT_EQ(binds(), 3u);

	DAT_EP_HANDLE strange;
	ASSERT_EQ(dat_ep_create(ia, other, dto_evd, dto_evd, conn_evd, nullptr, &strange),
		  DAT_SUCCESS);
	module.set_state(module.last_id(), DAT_EP_STATE_CONNECTED);
	ep = strange;
	EXPECT_TRUE(is_error(bind(segment(0, 8)), DAT_PROTECTION_VIOLATION));
}

TEST_F(Rmr, StatesOfTheEndpoint)
{
	const std::map<DAT_EP_STATE, DAT_RETURN_SUBTYPE> refused = {
		{ DAT_EP_STATE_UNCONNECTED, DAT_INVALID_STATE_EP_UNCONNECTED },
		{ DAT_EP_STATE_ACTIVE_CONNECTION_PENDING, DAT_INVALID_STATE_EP_ACTCONNPENDING },
		{ DAT_EP_STATE_COMPLETION_PENDING, DAT_INVALID_STATE_EP_COMPLPENDING },
		{ DAT_EP_STATE_DISCONNECT_PENDING, DAT_INVALID_STATE_EP_DISCPENDING },
	};

	for (const auto &[state, subtype] : refused) {
		module.set_state(ep_id, state);
		EXPECT_TRUE(is_error(bind(segment(0, 8)), DAT_INVALID_STATE, subtype)) << state;
	}
	module.set_state(ep_id, DAT_EP_STATE_DISCONNECTED);
	EXPECT_EQ(bind(segment(0, 8)), DAT_SUCCESS);
}

TEST_F(Rmr, BadHandlesAndArguments)
{
	const auto triplet = segment(0, 8);
	const DAT_RMR_COOKIE number = cookie(1);
	DAT_RMR_HANDLE made;
	DAT_RMR_PARAM param;

	for (const DAT_HANDLE bad : { DAT_HANDLE{ ep }, DAT_HANDLE{ ia }, DAT_HANDLE_NULL }) {
		EXPECT_TRUE(is_error(dat_rmr_create(bad, &made), DAT_INVALID_HANDLE,
				     DAT_INVALID_HANDLE_PZ));
		EXPECT_TRUE(
			is_error(dat_rmr_free(bad), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR));
		EXPECT_TRUE(is_error(dat_rmr_query(bad, DAT_RMR_FIELD_ALL, &param),
				     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR));
		EXPECT_TRUE(is_error(dat_rmr_bind(bad, &triplet, remote, ep, number,
						  DAT_COMPLETION_DEFAULT_FLAG, &context),
				     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR));
	}
	EXPECT_TRUE(is_error(dat_rmr_bind(rmr, &triplet, remote, pz, number,
					  DAT_COMPLETION_DEFAULT_FLAG, &context),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
	EXPECT_TRUE(is_error(dat_rmr_create(pz, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_rmr_query(rmr, static_cast<DAT_RMR_PARAM_MASK>(0x40), &param),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_rmr_bind(rmr, nullptr, remote, ep, number,
					  DAT_COMPLETION_DEFAULT_FLAG, &context),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(bind(triplet, static_cast<DAT_MEM_PRIV_FLAGS>(0x100)),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	for (const auto flags :
	     { DAT_COMPLETION_SOLICITED_WAIT_FLAG, DAT_COMPLETION_UNSIGNALLED_FLAG,
	       DAT_COMPLETION_EVD_THRESHOLD_FLAG })
		EXPECT_TRUE(is_error(bind(triplet, remote, flags), DAT_INVALID_PARAMETER,
				     DAT_INVALID_ARG6));
	EXPECT_TRUE(is_error(dat_rmr_bind(rmr, &triplet, remote, ep, number,
					  DAT_COMPLETION_DEFAULT_FLAG, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG7));
	EXPECT_EQ(binds(), 0u);
}

TEST_F(Rmr, LivesAndGoes)
{
	DAT_HANDLE_TYPE type;
	DAT_RMR_HANDLE other;

	ASSERT_EQ(dat_get_handle_type(rmr, &type), DAT_SUCCESS);
	EXPECT_EQ(type, DAT_HANDLE_TYPE_RMR);
	module.fail_next(KDAPL_RMR_CREATE, EOPNOTSUPP);
	EXPECT_TRUE(is_error(dat_rmr_create(pz, &other), DAT_MODEL_NOT_SUPPORTED));
	module.fail_next(KDAPL_RMR_CREATE, ENOMEM);
	EXPECT_TRUE(is_error(dat_rmr_create(pz, &other), DAT_INSUFFICIENT_RESOURCES,
			     DAT_RESOURCE_MEMORY));
	EXPECT_EQ(dat_rmr_free(rmr), DAT_SUCCESS);
	EXPECT_FALSE(module.exists(rmr_id));
	EXPECT_TRUE(is_error(dat_rmr_free(rmr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR));
	/* One is left for the close. */
	EXPECT_EQ(dat_rmr_create(pz, &other), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_IA_IN_USE));
}

TEST_F(Rmr, LongestBindIsAnAttribute)
{
	DAT_PROVIDER_ATTR attr;
	const char *value = nullptr;

	ASSERT_EQ(dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &attr),
		  DAT_SUCCESS);
	for (DAT_COUNT i = 0; i < attr.num_provider_specific_attr; i++) {
		if (!std::strcmp(attr.provider_specific_attr[i].name, "KDAPL_MAX_RMR_SIZE"))
			value = attr.provider_specific_attr[i].value;
	}
	ASSERT_NE(value, nullptr);
	EXPECT_STREQ(value, "32768");
}

} // namespace

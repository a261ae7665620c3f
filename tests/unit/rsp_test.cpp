// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// RSPs and their requests: whose the EP is at what time.

#include "fake/session.hpp"

#include <cerrno>

namespace {

using fake::is_error;

class Rsp : public fake::Session {
protected:
	void reserve()
	{
		ASSERT_EQ(dat_rsp_create(ia, 4567, ep, conn_evd, &rsp), DAT_SUCCESS);
		rsp_id = module.last_id();
	}
	/** The request, as the module brings it. */
	DAT_CR_HANDLE request()
	{
		kdapl_event event{};
		module.cr_ep = ep_id;
		module.set_state(ep_id, DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
		event.user = module.psp_user(rsp_id);
		event.type = DAT_CONNECTION_REQUEST_EVENT;
		event.cookie = 4567;
		event.length = 1000001;
		event.status = KDAPL_CR_EP_RESERVED;
		module.post(conn_evd_id, event);
		EXPECT_EQ(dat_evd_dequeue(conn_evd, &arrival), DAT_SUCCESS);
		return arrival.event_data.cr_arrival_event_data.cr_handle;
	}

	DAT_RSP_HANDLE rsp = DAT_HANDLE_NULL;
	std::uint32_t rsp_id = 0;
	DAT_EVENT arrival{};
};

TEST_F(Rsp, Life)
{
	DAT_RSP_PARAM param;
	DAT_HANDLE_TYPE type;
	DAT_EP_STATE state;

	ASSERT_NO_FATAL_FAILURE(reserve());
	ASSERT_EQ(dat_get_handle_type(rsp, &type), DAT_SUCCESS);
	EXPECT_EQ(type, DAT_HANDLE_TYPE_RSP);
	ASSERT_EQ(dat_rsp_query(rsp, DAT_RSP_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.ia_handle, ia);
	EXPECT_EQ(param.conn_qual, 4567u);
	EXPECT_EQ(param.evd_handle, conn_evd);
	EXPECT_EQ(param.ep_handle, ep);
	EXPECT_TRUE(is_error(dat_rsp_query(rsp, DAT_RSP_FIELD_ALL, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_rsp_query(rsp, static_cast<DAT_RSP_PARAM_MASK>(0x10), &param),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_ep_free(ep), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_RESERVED));
	EXPECT_TRUE(is_error(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_IA_IN_USE));
	ASSERT_EQ(dat_rsp_free(rsp), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_rsp_free(rsp), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RSP));
	EXPECT_TRUE(is_error(dat_rsp_query(rsp, DAT_RSP_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_RSP));
	ASSERT_EQ(dat_ep_get_status(ep, &state, nullptr, nullptr), DAT_SUCCESS);
	EXPECT_EQ(state, DAT_EP_STATE_UNCONNECTED);
	EXPECT_EQ(dat_ep_free(ep), DAT_SUCCESS);
}

TEST_F(Rsp, CreationChecksItsArguments)
{
	EXPECT_TRUE(is_error(dat_rsp_create(ep, 1, ep, conn_evd, &rsp), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(is_error(dat_rsp_create(ia, 1, pz, conn_evd, &rsp), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EP));
	EXPECT_TRUE(is_error(dat_rsp_create(ia, 1, ep, dto_evd, &rsp), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EVD_CR));
	EXPECT_TRUE(is_error(dat_rsp_create(ia, 0, ep, conn_evd, &rsp), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_rsp_create(ia, 1, ep, conn_evd, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG5));
	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	EXPECT_TRUE(is_error(dat_rsp_create(ia, 1, ep, conn_evd, &rsp), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_EP_CONNECTED));
	module.set_state(ep_id, DAT_EP_STATE_UNCONNECTED);
	module.fail_next(KDAPL_RSP_CREATE, EADDRINUSE);
	EXPECT_TRUE(is_error(dat_rsp_create(ia, 1, ep, conn_evd, &rsp), DAT_CONN_QUAL_IN_USE));
	module.fail_next(KDAPL_RSP_CREATE, ENOMEM);
	EXPECT_TRUE(is_error(dat_rsp_create(ia, 1, ep, conn_evd, &rsp), DAT_INSUFFICIENT_RESOURCES,
			     DAT_RESOURCE_MEMORY));
}

TEST_F(Rsp, TheRequestBringsTheEp)
{
	ASSERT_NO_FATAL_FAILURE(reserve());
	const DAT_CR_HANDLE cr = request();
	DAT_CR_PARAM param;

	EXPECT_EQ(arrival.event_data.cr_arrival_event_data.sp_handle.rsp_handle, rsp);
	EXPECT_EQ(arrival.event_data.cr_arrival_event_data.conn_qual, 4567u);
	ASSERT_EQ(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.local_ep_handle, ep);
	EXPECT_TRUE(
		is_error(dat_ep_free(ep), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_PASSCONNPENDING));
	EXPECT_TRUE(is_error(dat_cr_accept(cr, ep, 0, nullptr), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EP));
	ASSERT_EQ(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr), DAT_SUCCESS);
	EXPECT_EQ(module.accepted.ep, 0u);
	EXPECT_EQ(module.accepted.cr, 1000001u);
}

TEST_F(Rsp, RejectGivesTheEpBack)
{
	ASSERT_NO_FATAL_FAILURE(reserve());
	const DAT_CR_HANDLE cr = request();
	DAT_EP_STATE state;

	ASSERT_EQ(dat_rsp_free(rsp), DAT_SUCCESS) << "has no effect on the request";
	ASSERT_EQ(fake::cr_reject(cr), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_get_status(ep, &state, nullptr, nullptr), DAT_SUCCESS);
	EXPECT_EQ(state, DAT_EP_STATE_UNCONNECTED);
	EXPECT_EQ(dat_ep_free(ep), DAT_SUCCESS);
}

} // namespace

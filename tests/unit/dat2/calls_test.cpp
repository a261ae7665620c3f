// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What uDAPL 2.0 does otherwise than 1.2, and the calls that only it has.

#include "fake/session.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

using fake::is_error;

class Calls2 : public fake::Session {
protected:
	/** A request as the module brings it. */
	DAT_CR_HANDLE request()
	{
		kdapl_event event{};
		DAT_PSP_HANDLE psp;
		DAT_EVENT arrival{};
		EXPECT_EQ(dat_psp_create(ia, 4567, conn_evd, DAT_PSP_CONSUMER_FLAG, &psp),
			  DAT_SUCCESS);
		event.user = module.psp_user(module.last_id());
		event.type = DAT_CONNECTION_REQUEST_EVENT;
		event.cookie = 4567;
		event.length = 1000001;
		module.post(conn_evd_id, event);
		EXPECT_EQ(dat_evd_dequeue(conn_evd, &arrival), DAT_SUCCESS);
		return arrival.event_data.cr_arrival_event_data.cr_handle;
	}
	/** The peer rejects the EP's request, with these words. */
	const DAT_CONNECTION_EVENT_DATA &event_of_rejection(std::string_view why)
	{
		kdapl_event event{};
		kdapl_ep_query &query = module.ep(ep_id).query;
		query.private_data_size = static_cast<__u32>(why.size());
		std::copy(why.begin(), why.end(), query.private_data);
		event.user = module.ep(ep_id).created.user;
		event.type = DAT_CONNECTION_EVENT_PEER_REJECTED;
		event.length = why.size();
		module.post(conn_evd_id, event);
		EXPECT_EQ(dat_evd_dequeue(conn_evd, &rejection), DAT_SUCCESS);
		EXPECT_EQ(rejection.event_number, DAT_CONNECTION_EVENT_PEER_REJECTED);
		return rejection.event_data.connect_event_data;
	}
	DAT_RETURN create(DAT_VLEN length, DAT_VA_TYPE va_type, DAT_LMR_HANDLE *made)
	{
		DAT_REGION_DESCRIPTION region;
		region.for_va = memory.data();
		return dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, length, pz,
				      DAT_MEM_PRIV_ALL_FLAG, va_type, made, nullptr, nullptr,
				      nullptr, nullptr);
	}

	DAT_EVENT rejection{};
};

/* ---- What is told otherwise ---- */

TEST_F(Calls2, AttributesOfTheAdapter)
{
	DAT_IA_ATTR attr;

	ASSERT_EQ(dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL, &attr, 0, nullptr), DAT_SUCCESS);
	EXPECT_EQ(attr.max_lmr_block_size, 0xffffffffu) << "the module says 1 << 40";
	EXPECT_EQ(attr.max_message_size, 1u << 30);
	EXPECT_EQ(attr.zb_supported, DAT_FALSE);
	EXPECT_EQ(attr.extension_supported, DAT_EXTENSION_NONE);
	EXPECT_EQ(dat_ia_query(ia, nullptr, 0, nullptr, 0, nullptr), DAT_SUCCESS);
}

TEST_F(Calls2, AttributesOfTheProvider)
{
	DAT_PROVIDER_ATTR attr{};

	ASSERT_EQ(dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &attr),
		  DAT_SUCCESS);
	EXPECT_EQ(attr.dapl_version_major, 2u);
	EXPECT_EQ(attr.dapl_version_minor, 0u);
	EXPECT_EQ(attr.is_thread_safe, DAT_TRUE);
	EXPECT_EQ(attr.rmr_scope_supported, DAT_RMR_SCOPE_PZ);
	EXPECT_EQ(attr.is_signal_safe, DAT_FALSE);
	EXPECT_EQ(attr.ha_supported, DAT_FALSE);
	EXPECT_EQ(attr.pz_support, DAT_PZ_UNIQUE);
	EXPECT_EQ(attr.lmr_mem_types_supported, DAT_MEM_TYPE_LMR | DAT_MEM_TYPE_SHARED_VIRTUAL);
	for (const auto &row : attr.evd_stream_merging_supported)
		EXPECT_EQ(std::count(std::begin(row), std::end(row), DAT_TRUE), 6);
}

/** The value of an attribute by its name, "none" where it is not told. */
std::string named_attribute(DAT_IA_HANDLE ia, std::string_view name)
{
	DAT_PROVIDER_ATTR attr{};

	EXPECT_EQ(dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &attr),
		  DAT_SUCCESS);
	for (DAT_COUNT i = 0; i < attr.num_provider_specific_attr; i++) {
		if (attr.provider_specific_attr[i].name == name)
			return attr.provider_specific_attr[i].value;
	}
	return "none";
}

/* Programs decide by them what they do. */
TEST_F(Calls2, AttributesByOfedsNames)
{
	DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
	DAT_IA_HANDLE other;

	EXPECT_EQ(named_attribute(ia, "DAT_IB_RDMA_READ"), "TRUE");
	EXPECT_EQ(named_attribute(ia, "DAT_IB_PORT_STATUS"), "UNKNOWN");
	EXPECT_EQ(named_attribute(ia, "DAT_IB_TRANSPORT_MTU"), "none");
	EXPECT_EQ(named_attribute(ia, "DAT_EXTENSION_INTERFACE"), "FALSE");
	module.attributes.flags = KDAPL_IA_IMM;
	module.attributes.node_guid = 0x0123456789abcdef;
	module.attributes.port = 2;
	module.attributes.port_state = 4;
	module.attributes.mtu = 4096;
	ASSERT_EQ(dat_ia_open(const_cast<char *>("fake0"), 8, &async_evd, &other), DAT_SUCCESS);
	EXPECT_EQ(named_attribute(other, "DAT_IB_NODE_GUID"), "0123:4567:89ab:cdef");
	EXPECT_EQ(named_attribute(other, "DAT_IB_PORT_NUMBER"), "2");
	EXPECT_EQ(named_attribute(other, "DAT_IB_PORT_STATUS"), "ACTIVE");
	EXPECT_EQ(named_attribute(other, "DAT_IB_TRANSPORT_MTU"), "4096");
	EXPECT_EQ(named_attribute(other, "DAT_EXTENSION_INTERFACE"), "TRUE");
	EXPECT_EQ(dat_ia_close(other, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
}

/* iWARP's name the memory that they read into to the peer. */
TEST_F(Calls2, WhatReadsExposeIsTold)
{
	DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
	DAT_PROVIDER_ATTR attr{};
	DAT_IA_HANDLE other;

	ASSERT_EQ(dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &attr),
		  DAT_SUCCESS);
	EXPECT_EQ(attr.rdma_read_lmr_rmr_context_exposure, DAT_FALSE);
	module.attributes.transport = KDAPL_TRANSPORT_IWARP;
	ASSERT_EQ(dat_ia_open(const_cast<char *>("fake0"), 8, &async_evd, &other), DAT_SUCCESS);
	ASSERT_EQ(dat_ia_query(other, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &attr),
		  DAT_SUCCESS);
	EXPECT_EQ(attr.rdma_read_lmr_rmr_context_exposure, DAT_TRUE);
	EXPECT_EQ(dat_ia_close(other, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
}

/* Numbers, not names: programs were compiled against other headers. */
TEST_F(Calls2, AnSrqIsOperationalAsOne)
{
	DAT_SRQ_ATTR attr = { 8, 1, DAT_SRQ_LW_DEFAULT };
	DAT_SRQ_PARAM param{};
	DAT_SRQ_HANDLE srq;

	ASSERT_EQ(dat_srq_create(ia, pz, &attr, &srq), DAT_SUCCESS);
	const std::uint32_t id = module.last_id();
	ASSERT_EQ(dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(static_cast<int>(param.srq_state), 1);
	module.srq(id).status->state = 1;
	ASSERT_EQ(dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(static_cast<int>(param.srq_state), 0);
}

TEST_F(Calls2, AnEmptyQueueIsNoError)
{
	DAT_CNO_HANDLE cno;
	DAT_EVD_HANDLE evd;
	DAT_EVENT event;

	EXPECT_EQ(dat_evd_dequeue(dto_evd, &event), 0x000d0000u);
	ASSERT_EQ(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno), DAT_SUCCESS);
	EXPECT_EQ(dat_cno_wait(cno, 0, &evd), 0x000d0000u);
}

TEST_F(Calls2, ACompletionTellsItsOperation)
{
	DAT_EVENT event;

	EXPECT_EQ(module.opened.flags, KDAPL_IA_TELL_OP);
	std::memset(&event, 0xff, sizeof event);
	module.post_dto(dto_evd_id, ep_id, 77, 4711,
			DAT_DTO_ERR_REMOTE_ACCESS | DAT_DTO_RECEIVE << 8);
	ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
	const auto &dto = event.event_data.dto_completion_event_data;
	EXPECT_EQ(dto.status, DAT_DTO_ERR_REMOTE_ACCESS);
	EXPECT_EQ(dto.operation, DAT_DTO_RECEIVE);
	EXPECT_EQ(dto.transfered_length, 4711u);
	EXPECT_EQ(dto.rmr_context, 0u);
	EXPECT_EQ(event.event_extension_data[7], 0u);
}

TEST_F(Calls2, AnEpTellsItsKindOfAddress)
{
	DAT_EP_PARAM param;

	std::memset(&param, 0xff, sizeof param);
	ASSERT_EQ(dat_ep_query(ep, DAT_EP_FIELD_COMM, &param), DAT_SUCCESS);
	EXPECT_EQ(param.comm.domain, AF_INET);
	EXPECT_EQ(param.comm.type, SOCK_STREAM);
	EXPECT_EQ(param.comm.protocol, IPPROTO_TCP);
	EXPECT_TRUE(is_error(dat_ep_modify(ep, DAT_EP_FIELD_COMM, &param), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
}

/* The values of the mask are no bits: ALL is the last of four. */
TEST_F(Calls2, ACnoTellsItsAgentWhateverIsAsked)
{
	const DAT_OS_WAIT_PROXY_AGENT agent = { this, [](DAT_PVOID, DAT_EVD_HANDLE) {} };
	DAT_CNO_HANDLE cno;

	ASSERT_EQ(dat_cno_create(ia, agent, &cno), DAT_SUCCESS);
	for (const auto mask : { DAT_CNO_FIELD_IA_HANDLE, DAT_CNO_FIELD_PROXY_TYPE,
				 DAT_CNO_FIELD_PROXY, DAT_CNO_FIELD_ALL }) {
		DAT_CNO_PARAM param{};
		ASSERT_EQ(dat_cno_query(cno, mask, &param), DAT_SUCCESS) << mask;
		EXPECT_EQ(param.ia_handle, ia);
		EXPECT_EQ(param.proxy_type, DAT_PROXY_TYPE_AGENT);
		EXPECT_EQ(param.proxy.agent.instance_data, this);
	}
	DAT_CNO_PARAM param{};
	ASSERT_EQ(dat_cno_modify_agent(cno, DAT_OS_WAIT_PROXY_AGENT_NULL), DAT_SUCCESS);
	ASSERT_EQ(dat_cno_query(cno, DAT_CNO_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.proxy_type, DAT_PROXY_TYPE_NONE);
}

/* ---- Calls with other arguments ---- */

TEST_F(Calls2, LmrCreateCountsTheKindOfAddress)
{
	DAT_LMR_HANDLE made;

	EXPECT_EQ(create(8, DAT_VA_TYPE_VA, &made), DAT_SUCCESS);
	EXPECT_TRUE(is_error(create(8, DAT_VA_TYPE_ZB, &made), DAT_MODEL_NOT_SUPPORTED));
	EXPECT_TRUE(is_error(create(8, DAT_VA_TYPE_VA, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG8));
	EXPECT_TRUE(is_error(create(0, DAT_VA_TYPE_VA, &made), DAT_LENGTH_ERROR));
	EXPECT_TRUE(
		is_error(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, {}, 0, pz, DAT_MEM_PRIV_ALL_FLAG,
					DAT_VA_TYPE_VA, &made, nullptr, nullptr, nullptr, nullptr),
			 DAT_LENGTH_ERROR))
		<< "nor does it need to be anywhere";
	EXPECT_TRUE(is_error(create(~DAT_VLEN{ 0 }, DAT_VA_TYPE_VA, &made), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG4));
}

/* Debian's dtest sends from such memory. */
TEST_F(Calls2, MemoryForWritingCanBeSent)
{
	DAT_LMR_PARAM param;
	DAT_LMR_TRIPLET part = segment(0, 8);
	const DAT_LMR_HANDLE made = make_lmr(DAT_MEM_PRIV_LOCAL_WRITE_FLAG, pz, &part.lmr_context);

	ASSERT_EQ(dat_lmr_query(made, DAT_LMR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.mem_priv, DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	EXPECT_EQ(dat_ep_post_send(ep, 1, &part, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
		  DAT_SUCCESS);
}

TEST_F(Calls2, AnLmrHasNoTypeThatThereIsNot)
{
	DAT_REGION_DESCRIPTION region;
	DAT_LMR_HANDLE made;
	DAT_LMR_PARAM param;

	ASSERT_EQ(dat_lmr_query(lmr, DAT_LMR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.mem_type, DAT_MEM_TYPE_VIRTUAL) << "for the module it is SO_VIRTUAL";
	EXPECT_EQ(param.va_type, DAT_VA_TYPE_VA);
	EXPECT_EQ(param.ia_handle, ia);
	region.for_va = memory.data();
	EXPECT_TRUE(is_error(fake::lmr_create(ia, static_cast<DAT_MEM_TYPE>(KDAPL_MEM_SO_VIRTUAL),
					      region, 8, pz, DAT_MEM_PRIV_ALL_FLAG, &made),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
}

/** An RMR of a connected EP. */
class Bind2 : public Calls2 {
protected:
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Calls2::SetUp());
		module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
		ASSERT_EQ(dat_rmr_create(pz, &rmr), DAT_SUCCESS);
	}
	DAT_RETURN bind(DAT_LMR_HANDLE of, const DAT_LMR_TRIPLET *triplet,
			DAT_VA_TYPE va_type = DAT_VA_TYPE_VA, int privileges = 0x22,
			DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG)
	{
		return dat_rmr_bind(rmr, of, triplet, static_cast<DAT_MEM_PRIV_FLAGS>(privileges),
				    va_type, ep, cookie(1), flags, where);
	}

	DAT_RMR_HANDLE rmr = DAT_HANDLE_NULL;
	DAT_RMR_CONTEXT context = 0;
	DAT_RMR_CONTEXT *where = &context;
};

TEST_F(Bind2, NamesTheLmrTwice)
{
	const DAT_LMR_TRIPLET part = segment(100, 8), nothing = fake::local(12345, 0, 0);
	DAT_LMR_CONTEXT other_context;
	const DAT_LMR_HANDLE other = make_lmr(DAT_MEM_PRIV_ALL_FLAG, pz, &other_context);
	DAT_RMR_PARAM param;

	EXPECT_TRUE(is_error(bind(other, &part), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(bind(pz, &part), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR));
	EXPECT_EQ(module.calls(KDAPL_RMR_BIND), 0u);
	ASSERT_EQ(bind(lmr, &part), DAT_SUCCESS);
	EXPECT_EQ(context, module.bound.rkey);
	ASSERT_EQ(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.rmr_context, context);
	EXPECT_EQ(param.rmr_scope, DAT_RMR_SCOPE_PZ);
	EXPECT_EQ(param.va_type, DAT_VA_TYPE_VA);
	where = nullptr;
	EXPECT_EQ(bind(DAT_HANDLE_NULL, &nothing, DAT_VA_TYPE_ZB), DAT_SUCCESS)
		<< "an unbinding has neither LMR nor addresses nor a context";
}

TEST_F(Bind2, CountsItsOwnArguments)
{
	const DAT_LMR_TRIPLET part = segment(0, 8), outside = segment(memory.size(), 8);

	EXPECT_TRUE(is_error(bind(lmr, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(bind(lmr, &outside), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(bind(lmr, &part, DAT_VA_TYPE_VA, 0x40), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(bind(lmr, &part, DAT_VA_TYPE_ZB), DAT_MODEL_NOT_SUPPORTED));
	EXPECT_TRUE(
		is_error(bind(lmr, &part, DAT_VA_TYPE_VA, 0x22, DAT_COMPLETION_SOLICITED_WAIT_FLAG),
			 DAT_INVALID_PARAMETER, DAT_INVALID_ARG8));
	where = nullptr;
	EXPECT_TRUE(is_error(bind(lmr, &part), DAT_INVALID_PARAMETER, DAT_INVALID_ARG9));
	EXPECT_EQ(module.calls(KDAPL_RMR_BIND), 0u);
}

TEST_F(Calls2, ARejectionCanSayWhy)
{
	char why[] = "busy";
	const DAT_CR_HANDLE cr = request();

	EXPECT_TRUE(is_error(dat_cr_reject(cr, -1, why), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(
		is_error(dat_cr_reject(cr, 4, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	module.fail_next(KDAPL_CR_REJECT, EMSGSIZE);
	EXPECT_TRUE(is_error(dat_cr_reject(cr, 4, why), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	ASSERT_EQ(dat_cr_reject(cr, 4, why), DAT_SUCCESS);
	EXPECT_EQ(module.rejected.private_data_size, 4u);
	EXPECT_EQ(std::memcmp(module.rejected.private_data, why, 4), 0);
	EXPECT_TRUE(
		is_error(dat_cr_reject(cr, 0, nullptr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR));
}

/* And who was rejected hears it. */
TEST_F(Calls2, ARejectionSaysWhy)
{
	const auto &told = event_of_rejection("busy");

	EXPECT_EQ(told.ep_handle, ep);
	ASSERT_EQ(told.private_data_size, 4);
	EXPECT_EQ(std::memcmp(told.private_data, "busy", 4), 0);
}

/* ---- What OFED's providers take ---- */

TEST_F(Calls2, OneEvdForTwoStyles)
{
	DAT_EP_ATTR attr{};
	DAT_EP_HANDLE made;
	DAT_EP_PARAM param;
	attr.service_type = DAT_SERVICE_TYPE_RC;
	attr.max_recv_dtos = attr.max_request_dtos = 4;
	attr.max_recv_iov = attr.max_request_iov = 1;
	attr.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;

	ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, &attr, &made), DAT_SUCCESS);
	EXPECT_EQ(module.ep(module.last_id()).created.recv_notify, KDAPL_NOTIFY_THRESHOLD);
	EXPECT_EQ(module.ep(module.last_id()).created.request_notify, KDAPL_NOTIFY_THRESHOLD);
	ASSERT_EQ(dat_ep_query(made, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.ep_attr.request_completion_flags, DAT_COMPLETION_UNSIGNALLED_FLAG);
	module.set_state(module.last_id(), DAT_EP_STATE_CONNECTED);
	DAT_LMR_TRIPLET iov = segment(0, 8);
	EXPECT_EQ(dat_ep_post_send(made, 1, &iov, cookie(1), DAT_COMPLETION_UNSIGNALLED_FLAG),
		  DAT_SUCCESS);

	/* On two, or where both want the same, they have what they want. */
	const DAT_EVD_HANDLE other = make_evd(DAT_EVD_DTO_FLAG);
	ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, other, conn_evd, &attr, &made), DAT_SUCCESS);
	EXPECT_EQ(module.ep(module.last_id()).created.request_notify, KDAPL_NOTIFY_QUIET);
	attr.recv_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
	ASSERT_EQ(dat_ep_create(ia, pz, other, other, conn_evd, &attr, &made), DAT_SUCCESS);
	EXPECT_EQ(module.ep(module.last_id()).created.recv_notify, KDAPL_NOTIFY_QUIET);
	EXPECT_EQ(module.ep(module.last_id()).created.request_notify, KDAPL_NOTIFY_QUIET);
}

TEST_F(Calls2, ManyWaysThatNoAdapterHas)
{
	sockaddr_in peer{};
	const auto connect = [&](int flags) {
		return dat_ep_connect(ep, reinterpret_cast<DAT_IA_ADDRESS_PTR>(&peer), 1, 1000, 0,
				      nullptr, DAT_QOS_BEST_EFFORT,
				      static_cast<DAT_CONNECT_FLAGS>(flags));
	};

	EXPECT_TRUE(
		is_error(connect(DAT_CONNECT_MULTIPATH_REQUESTED_FLAG), DAT_MODEL_NOT_SUPPORTED));
	EXPECT_TRUE(
		is_error(connect(DAT_CONNECT_MULTIPATH_REQUIRED_FLAG), DAT_MODEL_NOT_SUPPORTED));
	EXPECT_TRUE(is_error(connect(4), DAT_INVALID_PARAMETER, DAT_INVALID_ARG8));
}

/* ---- Calls that only 2.0 has ---- */

TEST_F(Calls2, CommonConnectTakesThePortOfTheAddress)
{
	sockaddr_in peer{};
	char data[] = "hello";
	const auto connect = [&](DAT_EP_HANDLE from, DAT_TIMEOUT timeout, DAT_COUNT size,
				 DAT_PVOID what) {
		return dat_ep_common_connect(from, reinterpret_cast<DAT_IA_ADDRESS_PTR>(&peer),
					     timeout, size, what);
	};

	EXPECT_TRUE(is_error(dat_ep_common_connect(ep, nullptr, 1, 0, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(connect(ep, 1, 0, nullptr), DAT_INVALID_ADDRESS,
			     DAT_INVALID_ADDRESS_UNSUPPORTED));
	peer.sin_family = AF_INET;
	peer.sin_addr.s_addr = htonl(0x0a000008);
	EXPECT_TRUE(is_error(connect(ep, 1, 0, nullptr), DAT_INVALID_ADDRESS,
			     DAT_INVALID_ADDRESS_MALFORMED));
	peer.sin_port = htons(4242);
	EXPECT_TRUE(
		is_error(connect(pz, 1, 0, nullptr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
	EXPECT_TRUE(is_error(connect(ep, 0, 0, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(connect(ep, 1, -1, data), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(connect(ep, 1, 57, data), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(connect(ep, 1, 5, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
	ASSERT_EQ(connect(ep, 5000, sizeof data, data), DAT_SUCCESS);
	EXPECT_EQ(module.connected.conn_qual, 4242u);
	EXPECT_EQ(module.connected.timeout_us, 5000u);
	EXPECT_EQ(module.connected.private_data_size, sizeof data);
}

TEST_F(Calls2, RmrsForOneEpAreNotThere)
{
	DAT_RMR_HANDLE rmr;

	EXPECT_TRUE(is_error(dat_rmr_create_for_ep(pz, &rmr), DAT_MODEL_NOT_SUPPORTED));
	EXPECT_TRUE(is_error(dat_rmr_create_for_ep(ep, &rmr), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_PZ));
	EXPECT_TRUE(is_error(dat_rmr_create_for_ep(pz, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
}

TEST_F(Calls2, NoAdapterBacksAnotherUp)
{
	char known[] = "fake0", unknown[] = "nosuch";
	DAT_HA_RELATIONSHIP relation = DAT_HA_UNKNOWN;
	DAT_BOOLEAN answer = DAT_TRUE;

	ASSERT_EQ(dat_ia_ha_related(ia, known, &answer), DAT_SUCCESS);
	EXPECT_EQ(answer, DAT_FALSE);
	EXPECT_TRUE(is_error(dat_ia_ha_related(ia, unknown, &answer), DAT_PROVIDER_NOT_FOUND,
			     DAT_NAME_NOT_REGISTERED));
	EXPECT_TRUE(is_error(dat_ia_ha_related(ep, known, &answer), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(is_error(dat_ia_ha_related(ia, nullptr, &answer), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_ia_ha_related(ia, known, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));

	ASSERT_EQ(dat_registry_providers_related(known, known, &relation), DAT_SUCCESS);
	EXPECT_EQ(relation, DAT_HA_FALSE);
	EXPECT_TRUE(is_error(dat_registry_providers_related(known, unknown, &relation),
			     DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED));
	EXPECT_TRUE(is_error(dat_registry_providers_related(nullptr, known, &relation),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG1));
	EXPECT_TRUE(is_error(dat_registry_providers_related(known, nullptr, &relation),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_registry_providers_related(known, known, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
}

TEST_F(Calls2, AnIaHasOneName)
{
	DAT_IA_HANDLE other = DAT_HANDLE_NULL;

	ASSERT_EQ(dats_get_ia_handle(ia, &other), DAT_SUCCESS);
	EXPECT_EQ(other, ia);
	EXPECT_TRUE(is_error(dats_get_ia_handle(ep, &other), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(is_error(dats_get_ia_handle(DAT_HANDLE_NULL, &other), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(
		is_error(dats_get_ia_handle(ia, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
}

/* Other registries call an entry without looking whether it is there. */
TEST_F(Calls2, TheTableIsFull)
{
	std::vector<const void *> entries(sizeof(DAT_PROVIDER) / sizeof(void *));

	std::memcpy(entries.data(), DAT_HANDLE_TO_PROVIDER(ia), sizeof(DAT_PROVIDER));
	EXPECT_STREQ(static_cast<const char *>(entries[0]), "fake0");
	EXPECT_EQ(std::count(entries.begin() + 2, entries.end(), nullptr), 0)
		<< "but for the provider's own, the second";
}

} // namespace

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// PZ, LMR, EP, PSP and CR: making, asking, connecting, freeing.

#include "fake/session.hpp"

#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <thread>

namespace {

using fake::is_error;

class Objects : public fake::Session {
protected:
	sockaddr *peer()
	{
		address.sin_family = AF_INET;
		address.sin_addr.s_addr = htonl(0x0a000008);
		return reinterpret_cast<sockaddr *>(&address);
	}
	DAT_RETURN connect(DAT_COUNT size = 0, DAT_PVOID data = nullptr, DAT_TIMEOUT timeout = 1000,
			   DAT_QOS qos = DAT_QOS_BEST_EFFORT,
			   DAT_CONNECT_FLAGS flags = DAT_CONNECT_DEFAULT_FLAG)
	{
		return dat_ep_connect(ep, peer(), 4567, timeout, size, data, qos, flags);
	}
	DAT_RETURN create_lmr(DAT_MEM_TYPE type, void *start, DAT_VLEN length,
			      int privileges = 0x33)
	{
		DAT_REGION_DESCRIPTION region;
		DAT_LMR_HANDLE made;
		region.for_va = start;
		return dat_lmr_create(ia, type, region, length, pz,
				      static_cast<DAT_MEM_PRIV_FLAGS>(privileges), &made, nullptr,
				      nullptr, nullptr, nullptr);
	}
	/** A request as the module brings it. */
	DAT_CR_HANDLE request(DAT_PSP_HANDLE *psp)
	{
		kdapl_event event{};
		EXPECT_EQ(dat_psp_create(ia, 4567, conn_evd, DAT_PSP_CONSUMER_FLAG, psp),
			  DAT_SUCCESS);
		event.user = module.psp_user(module.last_id());
		event.type = DAT_CONNECTION_REQUEST_EVENT;
		event.cookie = 4567;
		event.length = 1000001;
		module.post(conn_evd_id, event);
		EXPECT_EQ(dat_evd_dequeue(conn_evd, &arrival), DAT_SUCCESS);
		EXPECT_EQ(arrival.event_number, DAT_CONNECTION_REQUEST_EVENT);
		return arrival.event_data.cr_arrival_event_data.cr_handle;
	}

	sockaddr_in address{};
	DAT_EVENT arrival{};
};

TEST_F(Objects, PzLife)
{
	DAT_PZ_PARAM param;

	ASSERT_EQ(dat_pz_query(pz, DAT_PZ_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.ia_handle, ia);
	EXPECT_TRUE(is_error(dat_pz_query(pz, DAT_PZ_FIELD_ALL, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_pz_query(ep, DAT_PZ_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_PZ));
	EXPECT_TRUE(is_error(dat_pz_create(ia, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	module.fail_next(KDAPL_DESTROY, EBUSY);
	EXPECT_TRUE(is_error(dat_pz_free(pz), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE));
	EXPECT_EQ(dat_pz_free(pz), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_pz_free(pz), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ));
}

TEST_F(Objects, LmrTellsWhatItIs)
{
	DAT_LMR_PARAM param;
	ASSERT_EQ(dat_lmr_query(lmr, DAT_LMR_FIELD_ALL, &param), DAT_SUCCESS);

	EXPECT_EQ(param.mem_type, DAT_MEM_TYPE_SO_VIRTUAL) << "strong ordering is the default";
	EXPECT_EQ(param.region_desc.for_va, memory.data());
	EXPECT_EQ(param.length, memory.size());
	EXPECT_EQ(param.pz_handle, pz);
	EXPECT_EQ(param.mem_priv, DAT_MEM_PRIV_ALL_FLAG);
	EXPECT_EQ(param.lmr_context, lmr_context);
	EXPECT_NE(param.rmr_context, 0u);
	EXPECT_EQ(param.registered_size, memory.size());
	EXPECT_EQ(param.registered_address, reinterpret_cast<DAT_VADDR>(memory.data()));
}

TEST_F(Objects, LmrCreationChecksItsArguments)
{
	char *start = memory.data();

	EXPECT_TRUE(is_error(create_lmr(static_cast<DAT_MEM_TYPE>(7), start, 8),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(create_lmr(DAT_MEM_TYPE_VIRTUAL, nullptr, 8), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(create_lmr(DAT_MEM_TYPE_VIRTUAL, start, 0), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(create_lmr(DAT_MEM_TYPE_VIRTUAL, start, ~DAT_VLEN{ 0 }),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(create_lmr(DAT_MEM_TYPE_VIRTUAL, start, 8, 0x44),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG6));
	EXPECT_EQ(create_lmr(DAT_MEM_TYPE_SO_VIRTUAL, start, 8, 0x133), DAT_SUCCESS)
		<< "RO_DISABLE is ignored";
}

TEST_F(Objects, LmrFailuresOfTheModule)
{
	struct Row {
		int err;
		DAT_RETURN_TYPE type;
		DAT_RETURN_SUBTYPE subtype;
	};
	const Row rows[] = {
		{ EDQUOT, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY_REGION },
		{ ENOSPC, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY_REGION },
		{ EFAULT, DAT_INVALID_PARAMETER, DAT_NO_SUBTYPE },
		{ EOPNOTSUPP, DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE },
	};

	for (const Row &row : rows) {
		module.fail_next(KDAPL_LMR_CREATE, row.err);
		EXPECT_TRUE(is_error(create_lmr(DAT_MEM_TYPE_VIRTUAL, memory.data(), 8), row.type,
				     row.subtype));
	}

	/* Over RLIMIT_MEMLOCK it is memory that is short, not regions. */
	module.lmr_limit.memlock_needed = 4096;
	module.fail_next(KDAPL_LMR_CREATE, EDQUOT);
	EXPECT_TRUE(is_error(create_lmr(DAT_MEM_TYPE_VIRTUAL, memory.data(), 8),
			     DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY));
}

TEST_F(Objects, ZonesAndEvdsOfAnotherAdapterAreForeign)
{
	fake::Module second;
	second.install();
	DAT_IA_HANDLE other_ia;
	DAT_EVD_HANDLE other_async = DAT_HANDLE_NULL;
	DAT_PZ_HANDLE other_pz;
	DAT_EP_HANDLE made;
	char name[] = "fake0";
	ASSERT_EQ(dat_ia_open(name, 1, &other_async, &other_ia), DAT_SUCCESS);
	ASSERT_EQ(dat_pz_create(other_ia, &other_pz), DAT_SUCCESS);

	EXPECT_TRUE(
		is_error(dat_ep_create(ia, other_pz, dto_evd, dto_evd, conn_evd, nullptr, &made),
			 DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ));
	EXPECT_TRUE(is_error(dat_ep_create(other_ia, other_pz, dto_evd, DAT_HANDLE_NULL,
					   DAT_HANDLE_NULL, nullptr, &made),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_RECV));
	EXPECT_EQ(dat_ia_close(other_ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
}

TEST_F(Objects, SyncChecksAndHasNothingToDo)
{
	DAT_LMR_TRIPLET segments[] = { segment(0, 10), segment(100, 10) };

	EXPECT_EQ(dat_lmr_sync_rdma_read(ia, segments, 2), DAT_SUCCESS);
	EXPECT_EQ(dat_lmr_sync_rdma_write(ia, segments, 2), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_lmr_sync_rdma_read(ep, segments, 2), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(is_error(dat_lmr_sync_rdma_read(ia, nullptr, 2), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	segments[1].segment_length = memory.size();
	EXPECT_TRUE(is_error(dat_lmr_sync_rdma_write(ia, segments, 2), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
}

TEST_F(Objects, DefaultAttributesCanBePassedBack)
{
	DAT_EP_PARAM param;
	DAT_EP_HANDLE second;

	ASSERT_EQ(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.ia_handle, ia);
	EXPECT_EQ(param.ep_state, DAT_EP_STATE_UNCONNECTED);
	EXPECT_EQ(param.pz_handle, pz);
	EXPECT_EQ(param.recv_evd_handle, dto_evd);
	EXPECT_EQ(param.connect_evd_handle, conn_evd);
	EXPECT_NE(param.local_ia_address_ptr, nullptr);
	EXPECT_EQ(param.remote_ia_address_ptr, nullptr);
	EXPECT_EQ(param.ep_attr.max_rdma_read_in, 8);
	EXPECT_EQ(param.ep_attr.max_rdma_read_out, 8);
	ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, &param.ep_attr, &second),
		  DAT_SUCCESS);
	EXPECT_EQ(module.ep(module.last_id()).created.rdma_read_fixed, 1u);
	EXPECT_EQ(module.ep(ep_id).created.rdma_read_fixed, 0u);
}

TEST_F(Objects, ZeroSizesStandForTheDefault)
{
	DAT_EP_ATTR attr{};
	DAT_EP_HANDLE made;
	attr.max_recv_dtos = 103;
	attr.max_request_dtos = 107;
	ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, &attr, &made), DAT_SUCCESS);

	const kdapl_ep_create &created = module.ep(module.last_id()).created;
	EXPECT_EQ(created.max_recvs, 103u);
	EXPECT_EQ(created.max_requests, 107u);
	EXPECT_EQ(created.max_recv_iov, 6u);
	EXPECT_EQ(created.max_request_iov, 6u);
	EXPECT_EQ(created.max_rdma_read_in, 0u) << "a depth of zero is a wish";
}

TEST_F(Objects, EpCreationChecksItsArguments)
{
	DAT_EP_HANDLE made;
	DAT_EP_PARAM param;
	ASSERT_EQ(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
	const DAT_EP_ATTR good = param.ep_attr;
	const auto create = [&](const DAT_EP_ATTR &attr) {
		return dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, &attr, &made);
	};
	const auto refused = [&](auto member, auto value) {
		DAT_EP_ATTR bad = good;
		bad.*member = value;
		return is_error(create(bad), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
	};

	EXPECT_TRUE(refused(&DAT_EP_ATTR::max_recv_dtos, 513));
	EXPECT_TRUE(refused(&DAT_EP_ATTR::max_request_dtos, 513));
	EXPECT_TRUE(refused(&DAT_EP_ATTR::max_recv_dtos, -1));
	EXPECT_TRUE(refused(&DAT_EP_ATTR::max_recv_iov, 7));
	EXPECT_TRUE(refused(&DAT_EP_ATTR::max_rdma_read_iov, 4));
	EXPECT_TRUE(refused(&DAT_EP_ATTR::max_rdma_read_in, 17));
	EXPECT_TRUE(refused(&DAT_EP_ATTR::max_rdma_read_out, 9));
	EXPECT_TRUE(refused(&DAT_EP_ATTR::max_message_size, (1ULL << 30) + 1));
	EXPECT_TRUE(refused(&DAT_EP_ATTR::max_recv_dtos, 0)) << "an EVD for no receives";
	EXPECT_TRUE(refused(&DAT_EP_ATTR::request_completion_flags,
			    DAT_COMPLETION_SOLICITED_WAIT_FLAG));
	DAT_EP_ATTR qos = good;
	qos.qos = DAT_QOS_PREMIUM;
	EXPECT_TRUE(is_error(create(qos), DAT_MODEL_NOT_SUPPORTED));

	EXPECT_TRUE(is_error(dat_ep_create(ia, pz, conn_evd, dto_evd, conn_evd, &good, &made),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_RECV));
	EXPECT_TRUE(is_error(dat_ep_create(ia, pz, dto_evd, conn_evd, conn_evd, &good, &made),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_REQUEST));
	EXPECT_TRUE(is_error(dat_ep_create(ia, pz, dto_evd, dto_evd, dto_evd, &good, &made),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN));
	EXPECT_TRUE(is_error(dat_ep_create(ia, ep, dto_evd, dto_evd, conn_evd, &good, &made),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ));
	EXPECT_TRUE(is_error(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, &good, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG7));
	EXPECT_EQ(dat_ep_create(ia, pz, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, nullptr,
				&made),
		  DAT_SUCCESS)
		<< "no interest in events";
}

TEST_F(Objects, ConnectPassesEverythingOn)
{
	char data[] = "private";
	ASSERT_EQ(connect(sizeof data, data), DAT_SUCCESS);

	EXPECT_EQ(module.connected.ep, ep_id);
	EXPECT_EQ(module.connected.conn_qual, 4567u);
	EXPECT_EQ(module.connected.timeout_us, 1000u);
	EXPECT_EQ(module.connected.private_data_size, sizeof data);
	EXPECT_STREQ(reinterpret_cast<char *>(module.connected.private_data), data);
	EXPECT_EQ(module.connected.remote.family, AF_INET);
	EXPECT_EQ(module.connected.remote.addr[3], 8);
	EXPECT_TRUE(is_error(connect(), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_ACTCONNPENDING));
}

TEST_F(Objects, ConnectChecksItsArguments)
{
	char data[57] = {};
	sockaddr unknown{};
	unknown.sa_family = AF_UNIX;

	EXPECT_TRUE(is_error(dat_ep_connect(ep, nullptr, 1, 1, 0, nullptr, DAT_QOS_BEST_EFFORT,
					    DAT_CONNECT_DEFAULT_FLAG),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_ep_connect(ep, &unknown, 1, 1, 0, nullptr, DAT_QOS_BEST_EFFORT,
					    DAT_CONNECT_DEFAULT_FLAG),
			     DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_UNSUPPORTED));
	EXPECT_TRUE(is_error(connect(0, nullptr, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(connect(-1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
	EXPECT_TRUE(is_error(connect(57, data), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
	EXPECT_TRUE(is_error(connect(1, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6));
	EXPECT_TRUE(is_error(connect(0, nullptr, 1, DAT_QOS_PREMIUM), DAT_MODEL_NOT_SUPPORTED));
	EXPECT_TRUE(
		is_error(connect(0, nullptr, 1, DAT_QOS_BEST_EFFORT, DAT_CONNECT_MULTIPATH_FLAG),
			 DAT_MODEL_NOT_SUPPORTED));
	EXPECT_EQ(connect(56, data), DAT_SUCCESS);

	DAT_EP_HANDLE deaf;
	ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, DAT_HANDLE_NULL, nullptr, &deaf),
		  DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_ep_connect(deaf, peer(), 1, 1, 0, nullptr, DAT_QOS_BEST_EFFORT,
					    DAT_CONNECT_DEFAULT_FLAG),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN));
}

TEST_F(Objects, StateOfTheModuleIsTold)
{
	module.fail_next(KDAPL_EP_DISCONNECT, EBADFD);
	EXPECT_TRUE(is_error(dat_ep_disconnect(ep, DAT_CLOSE_ABRUPT_FLAG), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_EP_UNCONNECTED));
	EXPECT_TRUE(is_error(dat_ep_disconnect(ep, static_cast<DAT_CLOSE_FLAGS>(2)),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	module.fail_next(KDAPL_EP_RESET, EBADFD);
	EXPECT_TRUE(is_error(dat_ep_reset(ep), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_CONNECTED));
}

TEST_F(Objects, PspLife)
{
	DAT_PSP_HANDLE psp;
	DAT_PSP_PARAM param;
	DAT_CONN_QUAL qualifier = 0;
	const auto consumer = DAT_PSP_CONSUMER_FLAG;

	ASSERT_EQ(dat_psp_create(ia, 4567, conn_evd, consumer, &psp), DAT_SUCCESS);
	ASSERT_EQ(dat_psp_query(psp, DAT_PSP_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.conn_qual, 4567u);
	EXPECT_EQ(param.evd_handle, conn_evd);
	EXPECT_EQ(param.ia_handle, ia);
	EXPECT_EQ(param.psp_flags, DAT_PSP_CONSUMER_FLAG);
	EXPECT_EQ(dat_psp_free(psp), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_psp_free(psp), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PSP));
	ASSERT_EQ(dat_psp_create_any(ia, &qualifier, conn_evd, consumer, &psp), DAT_SUCCESS);
	EXPECT_EQ(qualifier, 49152u);

	module.fail_next(KDAPL_PSP_CREATE, EADDRINUSE);
	EXPECT_TRUE(
		is_error(dat_psp_create(ia, 1, conn_evd, consumer, &psp), DAT_CONN_QUAL_IN_USE));
	module.fail_next(KDAPL_PSP_CREATE, EADDRNOTAVAIL);
	EXPECT_TRUE(is_error(dat_psp_create_any(ia, &qualifier, conn_evd, consumer, &psp),
			     DAT_CONN_QUAL_UNAVAILABLE));
	EXPECT_TRUE(is_error(dat_psp_create(ia, 1, dto_evd, consumer, &psp), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EVD_CR));
	ASSERT_EQ(dat_psp_create(ia, 1, conn_evd, DAT_PSP_PROVIDER_FLAG, &psp), DAT_SUCCESS);
	ASSERT_EQ(dat_psp_query(psp, DAT_PSP_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.psp_flags, DAT_PSP_PROVIDER_FLAG);
	EXPECT_TRUE(is_error(dat_psp_create(ia, 0, conn_evd, consumer, &psp), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_psp_create(ia, 1, conn_evd, static_cast<DAT_PSP_FLAGS>(2), &psp),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(dat_psp_create_any(ia, nullptr, conn_evd, consumer, &psp),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
}

TEST_F(Objects, ARequestIsTranslated)
{
	DAT_PSP_HANDLE psp;
	const DAT_CR_HANDLE cr = request(&psp);
	const auto &data = arrival.event_data.cr_arrival_event_data;
	DAT_HANDLE_TYPE type;
	DAT_IA_ATTR attr;

	EXPECT_EQ(data.sp_handle.psp_handle, psp);
	EXPECT_EQ(data.conn_qual, 4567u);
	ASSERT_EQ(dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL, &attr, 0, nullptr), DAT_SUCCESS);
	EXPECT_EQ(data.local_ia_address_ptr, attr.ia_address_ptr);
	ASSERT_EQ(dat_get_handle_type(cr, &type), DAT_SUCCESS);
	EXPECT_EQ(type, DAT_HANDLE_TYPE_CR);
}

TEST_F(Objects, CrQueryAsksOnceAndItsDataIsWritable)
{
	DAT_PSP_HANDLE psp;
	const DAT_CR_HANDLE cr = request(&psp);
	DAT_CR_PARAM param;
	module.cr.private_data_size = 4;
	std::memcpy(module.cr.private_data, "ping", 4);
	module.cr.remote.family = AF_INET;
	module.cr.remote.port = 5555;

	ASSERT_EQ(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.private_data_size, 4);
	EXPECT_EQ(std::memcmp(param.private_data, "ping", 4), 0);
	EXPECT_EQ(param.remote_port_qual, 5555u);
	EXPECT_EQ(param.remote_ia_address_ptr->sa_family, AF_INET);
	EXPECT_EQ(param.local_ep_handle, DAT_HANDLE_NULL);
	static_cast<char *>(param.private_data)[0] = 'P';
	ASSERT_EQ(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(std::memcmp(param.private_data, "Ping", 4), 0);
	EXPECT_EQ(module.calls(KDAPL_CR_QUERY), 1u);
	EXPECT_TRUE(is_error(dat_cr_query(cr, DAT_CR_FIELD_ALL, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_cr_query(psp, DAT_CR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_CR));
}

TEST_F(Objects, AcceptTakesTheRequest)
{
	DAT_PSP_HANDLE psp;
	const DAT_CR_HANDLE cr = request(&psp);
	char data[197] = "pong";

	EXPECT_TRUE(is_error(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EP));
	EXPECT_TRUE(
		is_error(dat_cr_accept(cr, ep, -1, data), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_cr_accept(cr, ep, 197, data), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_cr_accept(cr, ep, 1, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG4));
	module.set_state(ep_id, DAT_EP_STATE_DISCONNECTED);
	EXPECT_TRUE(is_error(dat_cr_accept(cr, ep, 0, nullptr), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_EP_DISCONNECTED));
	module.set_state(ep_id, DAT_EP_STATE_UNCONNECTED);
	module.fail_next(KDAPL_CR_ACCEPT, ENOMEM);
	EXPECT_TRUE(is_error(dat_cr_accept(cr, ep, 4, data), DAT_INSUFFICIENT_RESOURCES,
			     DAT_RESOURCE_MEMORY));
	ASSERT_EQ(dat_cr_accept(cr, ep, 4, data), DAT_SUCCESS) << "the failure left it alive";
	EXPECT_EQ(module.accepted.cr, 1000001u);
	EXPECT_EQ(module.accepted.ep, ep_id);
	EXPECT_EQ(module.accepted.private_data_size, 4u);
	EXPECT_TRUE(is_error(dat_cr_accept(cr, ep, 0, nullptr), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_CR));
}

TEST_F(Objects, RejectEndsTheRequest)
{
	DAT_PSP_HANDLE psp;
	const DAT_CR_HANDLE cr = request(&psp);

	ASSERT_EQ(dat_cr_reject(cr), DAT_SUCCESS);
	EXPECT_EQ(module.calls(KDAPL_CR_REJECT), 1u);
	EXPECT_TRUE(is_error(dat_cr_reject(cr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR));
}

TEST_F(Objects, HandoffEndsTheRequest)
{
	DAT_PSP_HANDLE psp;
	const DAT_CR_HANDLE cr = request(&psp);

	EXPECT_TRUE(is_error(dat_cr_handoff(psp, 4568), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR));
	for (const int err : { EADDRNOTAVAIL, EACCES, EINVAL }) {
		module.fail_next(KDAPL_CR_HANDOFF, err);
		EXPECT_TRUE(is_error(dat_cr_handoff(cr, 4568), DAT_INVALID_PARAMETER,
				     DAT_INVALID_ARG2));
	}
	module.fail_next(KDAPL_CR_HANDOFF, ENOSPC);
	EXPECT_TRUE(is_error(dat_cr_handoff(cr, 4568), DAT_INSUFFICIENT_RESOURCES,
			     DAT_RESOURCE_DEVICE));
	ASSERT_EQ(dat_cr_handoff(cr, 4568), DAT_SUCCESS) << "the failures left it alive";
	EXPECT_EQ(module.handed_off.cr, 1000001u);
	EXPECT_EQ(module.handed_off.conn_qual, 4568u);
	EXPECT_TRUE(is_error(dat_cr_handoff(cr, 4568), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR));
}

/* By the module, which knows of those that wait in it as well. */
TEST_F(Objects, UnreadRequestsAreLeftToTheModuleWithTheirEvd)
{
	const DAT_EVD_HANDLE evd = make_evd(DAT_EVD_CR_FLAG);
	const std::uint32_t evd_id = module.last_id();
	kdapl_event event{};
	event.type = DAT_CONNECTION_REQUEST_EVENT;
	module.post(evd_id, event);
	module.post(evd_id, event);
	const unsigned before = module.calls(KDAPL_DESTROY);

	ASSERT_EQ(dat_evd_free(evd), DAT_SUCCESS);
	EXPECT_EQ(module.calls(KDAPL_DESTROY), before + 1);
}

TEST_F(Objects, EveryHandleOfAWrongKindIsRefused)
{
	const DAT_HANDLE all[] = { ia, pz, dto_evd, ep, lmr, DAT_HANDLE_NULL, this };
	DAT_EP_STATE state;
	DAT_LMR_PARAM lmr_param;
	DAT_PSP_PARAM psp_param;

	for (const DAT_HANDLE handle : all) {
		if (handle != ep) {
			EXPECT_TRUE(is_error(dat_ep_get_status(handle, &state, nullptr, nullptr),
					     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
		}
		if (handle != lmr) {
			EXPECT_TRUE(is_error(dat_lmr_query(handle, DAT_LMR_FIELD_ALL, &lmr_param),
					     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR));
			EXPECT_TRUE(is_error(dat_lmr_free(handle), DAT_INVALID_HANDLE,
					     DAT_INVALID_HANDLE_LMR));
		}
		EXPECT_TRUE(is_error(dat_psp_query(handle, DAT_PSP_FIELD_ALL, &psp_param),
				     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PSP));
		EXPECT_TRUE(
			is_error(dat_cr_reject(handle), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR));
	}
}

// Objects come and go in several threads while others use them.
TEST_F(Objects, ManyThreadsMakeAndFree)
{
	const std::size_t before = module.objects();
	std::vector<std::jthread> running;

	for (int t = 0; t < 3; t++) {
		running.emplace_back([&] {
			for (int i = 0; i < 300; i++) {
				DAT_PZ_HANDLE zone;
				DAT_LMR_HANDLE region;
				DAT_LMR_CONTEXT context;
				ASSERT_EQ(dat_pz_create(ia, &zone), DAT_SUCCESS);
				region = make_lmr(DAT_MEM_PRIV_ALL_FLAG, zone, &context);
				EXPECT_EQ(dat_lmr_free(region), DAT_SUCCESS);
				EXPECT_EQ(dat_pz_free(zone), DAT_SUCCESS);
			}
		});
	}
	running.clear();
	EXPECT_EQ(module.objects(), before);
}

} // namespace

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The counters of uDAPL 2.0's extensions.

#include "fake/session.hpp"

#include <dat2/dat_ib_extensions.h>

#include <algorithm>
#include <array>
#include <netinet/in.h>
#include <sstream>
#include <string>
#include <vector>

namespace {

using fake::is_error;

constexpr DAT_COMPLETION_FLAGS plain = DAT_COMPLETION_DEFAULT_FLAG;

class Counters2 : public fake::Session {
protected:
	Counters2() { module.attributes.flags = KDAPL_IA_ATOMIC | KDAPL_IA_IMM | KDAPL_IA_INV; }

	/** One of an object's; nothing else is written. */
	DAT_UINT64 of(DAT_HANDLE handle, int counter, int reset = 0)
	{
		constexpr DAT_UINT64 untouched = 0x5555555555555555;
		std::array<DAT_UINT64, DCNT_IA_ALL_COUNTERS + 1> values;
		const auto place = static_cast<std::size_t>(counter);
		values.fill(untouched);

		EXPECT_EQ(dat_ib_query_counters(handle, counter, values.data(), reset),
			  DAT_SUCCESS);
		const DAT_UINT64 value = values[place];
		values[place] = untouched;
		EXPECT_EQ(std::count(values.begin(), values.end(), untouched),
			  DCNT_IA_ALL_COUNTERS + 1);
		return value;
	}
	/** All of an object's. */
	std::vector<DAT_UINT64> all_of(DAT_HANDLE handle, int how_many, int reset = 0)
	{
		std::vector<DAT_UINT64> values(static_cast<std::size_t>(how_many), 77);

		EXPECT_EQ(dat_ib_query_counters(handle, how_many, values.data(), reset),
			  DAT_SUCCESS);
		return values;
	}
	DAT_RETURN send(DAT_VLEN length, DAT_LMR_CONTEXT context)
	{
		DAT_LMR_TRIPLET local = segment(0, length);

		local.lmr_context = context;
		return dat_ep_post_send(ep, 1, &local, cookie(1), plain);
	}
	void complete(unsigned count)
	{
		for (unsigned i = 0; i < count; i++)
			module.post_dto(dto_evd_id, ep_id, i);
	}
	DAT_CR_HANDLE request()
	{
		kdapl_event event{};
		DAT_EVENT arrival{};

		event.user = psp_user;
		event.type = DAT_CONNECTION_REQUEST_EVENT;
		event.length = next_cr++;
		module.post(conn_evd_id, event);
		EXPECT_EQ(dat_evd_dequeue(conn_evd, &arrival), DAT_SUCCESS);
		return arrival.event_data.cr_arrival_event_data.cr_handle;
	}
	void asynchronous(std::uint32_t number)
	{
		kdapl_event event{};
		DAT_EVENT taken;

		event.type = number;
		/* The EVD is the first object that is made. */
		module.post(1, event);
		EXPECT_EQ(dat_evd_dequeue(async_evd, &taken), DAT_SUCCESS);
	}

	DAT_EVENT event{};
	DAT_COUNT more = 0;
	std::uint64_t psp_user = 0;
	std::uint32_t next_cr = 1000001;
};

/* ---- EPs ---- */

TEST_F(Counters2, AnEpCountsMessagesThatArePosted)
{
	DAT_LMR_TRIPLET two[] = { segment(0, 100), segment(200, 50) };

	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	ASSERT_EQ(dat_ep_post_send(ep, 2, two, cookie(1), plain), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_post_send(ep, 1, two, cookie(1), plain), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_post_send_with_invalidate(ep, 1, two, cookie(1), plain, DAT_TRUE, 77),
		  DAT_SUCCESS);
	ASSERT_EQ(dat_ep_post_send(ep, 0, nullptr, cookie(1), plain), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_post_recv(ep, 2, two, cookie(1), plain), DAT_SUCCESS);

	EXPECT_EQ(of(ep, DCNT_EP_POST_SEND), 4u);
	EXPECT_EQ(of(ep, DCNT_EP_POST_SEND_DATA), 350u);
	EXPECT_EQ(of(ep, DCNT_EP_POST_RECV), 1u);
	EXPECT_EQ(of(ep, DCNT_EP_POST_RECV_DATA), 150u);
	EXPECT_EQ(of(ep, DCNT_EP_POST_WRITE), 0u);
	EXPECT_EQ(of(ep, DCNT_EP_POST_SEND_UD), 0u);
}

TEST_F(Counters2, AnEpCountsRdmaThatIsPosted)
{
	DAT_LMR_TRIPLET two[] = { segment(0, 100), segment(200, 50) };
	DAT_LMR_TRIPLET eight = segment(400, 8);
	DAT_RMR_TRIPLET window = fake::remote(99, 0x5000, 16);
	DAT_RMR_TRIPLET far = fake::remote(88, 0x1000, 4096);
	DAT_RMR_TRIPLET near = fake::remote(88, 0x1000, 8);

	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	ASSERT_EQ(dat_ep_post_rdma_write(ep, 2, two, cookie(1), &far, plain), DAT_SUCCESS);
	ASSERT_EQ(dat_ib_post_rdma_write_immed(ep, 1, &eight, cookie(1), &far, 0x7777, plain),
		  DAT_SUCCESS);
	far.segment_length = 120;
	ASSERT_EQ(dat_ep_post_rdma_read(ep, 2, two, cookie(1), &far, plain), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_post_rdma_read_to_rmr(ep, &window, cookie(1), &near, plain), DAT_SUCCESS);
	ASSERT_EQ(dat_ib_post_cmp_and_swap(ep, 6, 7, &eight, cookie(1), &near, plain), DAT_SUCCESS);
	ASSERT_EQ(dat_ib_post_fetch_and_add(ep, 5, &eight, cookie(1), &near, plain), DAT_SUCCESS);
	ASSERT_EQ(dat_ib_post_fetch_and_add(ep, 5, &eight, cookie(1), &near, plain), DAT_SUCCESS);

	const std::vector<DAT_UINT64> all = all_of(ep, DCNT_EP_ALL_COUNTERS);
	std::vector<DAT_UINT64> expected(DCNT_EP_ALL_COUNTERS);
	expected[DCNT_EP_POST_WRITE] = 1;
	expected[DCNT_EP_POST_WRITE_DATA] = 150;
	expected[DCNT_EP_POST_WRITE_IMM] = 1;
	expected[DCNT_EP_POST_WRITE_IMM_DATA] = 8;
	expected[DCNT_EP_POST_READ] = 2;
	expected[DCNT_EP_POST_READ_DATA] = 128;
	expected[DCNT_EP_POST_CMP_SWAP] = 1;
	expected[DCNT_EP_POST_FETCH_ADD] = 2;
	EXPECT_EQ(all, expected);
}

TEST_F(Counters2, APostThatFailsIsNotCounted)
{
	EXPECT_NE(send(100, lmr_context), DAT_SUCCESS) << "not connected";
	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	EXPECT_NE(send(100, lmr_context + 1), DAT_SUCCESS) << "not registered";
	EXPECT_EQ(all_of(ep, DCNT_EP_ALL_COUNTERS), std::vector<DAT_UINT64>(DCNT_EP_ALL_COUNTERS));
	EXPECT_EQ(send(100, lmr_context), DAT_SUCCESS);
	EXPECT_EQ(of(ep, DCNT_EP_POST_SEND), 1u);
}

/* Only what is asked for, and only of that object. */
TEST_F(Counters2, ACounterCanBeginAgain)
{
	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	ASSERT_EQ(send(100, lmr_context), DAT_SUCCESS);
	EXPECT_EQ(of(ep, DCNT_EP_POST_SEND, 1), 1u);
	EXPECT_EQ(of(ep, DCNT_EP_POST_SEND), 0u);
	EXPECT_EQ(of(ep, DCNT_EP_POST_SEND_DATA), 100u);
	EXPECT_EQ(of(ia, DCNT_IA_EP_CREATE), 1u);
	ASSERT_EQ(send(10, lmr_context), DAT_SUCCESS);
	EXPECT_EQ(of(ep, DCNT_EP_POST_SEND), 1u);
	EXPECT_EQ(all_of(ep, DCNT_EP_ALL_COUNTERS, 1)[DCNT_EP_POST_SEND_DATA], 110u);
	EXPECT_EQ(all_of(ep, DCNT_EP_ALL_COUNTERS), std::vector<DAT_UINT64>(DCNT_EP_ALL_COUNTERS));
}

/* The module counts them, and goes on when the program begins again. */
TEST_F(Counters2, AnEpCountsWhatItReceives)
{
	kdapl_ep_status &status = *module.ep(ep_id).status;

	status.recvs[KDAPL_RECV_PLAIN] = 5;
	status.recv_bytes[KDAPL_RECV_PLAIN] = std::uint64_t{ 7 } << 32;
	status.recvs[KDAPL_RECV_IMM] = 6;
	status.recv_bytes[KDAPL_RECV_IMM] = 600;
	status.recvs[KDAPL_RECV_WRITE_IMM] = 8;
	status.recv_bytes[KDAPL_RECV_WRITE_IMM] = 800;
	EXPECT_EQ(of(ep, DCNT_EP_RECV), 5u);
	EXPECT_EQ(of(ep, DCNT_EP_RECV_DATA), std::uint64_t{ 7 } << 32);
	EXPECT_EQ(of(ep, DCNT_EP_RECV_IMM), 6u);
	EXPECT_EQ(of(ep, DCNT_EP_RECV_IMM_DATA), 600u);
	EXPECT_EQ(of(ep, DCNT_EP_RECV_RDMA_IMM), 8u);
	EXPECT_EQ(of(ep, DCNT_EP_RECV_RDMA_IMM_DATA), 800u);
	EXPECT_EQ(of(ep, DCNT_EP_RECV_UD), 0u);
	EXPECT_EQ(of(ep, DCNT_EP_RECV_UD_DATA), 0u);

	EXPECT_EQ(of(ep, DCNT_EP_RECV, 1), 5u);
	EXPECT_EQ(of(ep, DCNT_EP_RECV), 0u);
	status.recvs[KDAPL_RECV_PLAIN] = 7;
	EXPECT_EQ(of(ep, DCNT_EP_RECV, 1), 2u);
	EXPECT_EQ(of(ep, DCNT_EP_RECV), 0u);
	EXPECT_EQ(of(ep, DCNT_EP_RECV_IMM), 6u);
}

TEST_F(Counters2, AnEpCountsItsConnections)
{
	sockaddr_in peer{};
	peer.sin_family = AF_INET;
	peer.sin_addr.s_addr = htonl(0x0a000008);
	const auto connect = [&] {
		return dat_ep_connect(ep, reinterpret_cast<sockaddr *>(&peer), 4567, 1000, 0,
				      nullptr, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG);
	};

	module.fail_next(KDAPL_EP_CONNECT, ENOMEM);
	EXPECT_NE(connect(), DAT_SUCCESS);
	EXPECT_EQ(of(ep, DCNT_EP_CONNECT), 0u);
	ASSERT_EQ(connect(), DAT_SUCCESS);
	EXPECT_EQ(of(ep, DCNT_EP_CONNECT), 1u);
	EXPECT_EQ(of(ep, DCNT_EP_DISCONNECT), 0u);
	ASSERT_EQ(dat_ep_disconnect(ep, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	EXPECT_EQ(of(ep, DCNT_EP_DISCONNECT), 1u);
}

/* ---- EVDs ---- */

TEST_F(Counters2, AnEvdCountsWhatIsTaken)
{
	ASSERT_TRUE(is_error(dat_evd_dequeue(dto_evd, &event), DAT_QUEUE_EMPTY));
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE), 0u) << "seen to be empty";
	complete(2);
	ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE), 2u);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE_FOUND), 2u);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE_NOT_FOUND), 0u);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE_POLL), 0u);
	EXPECT_EQ(of(conn_evd, DCNT_EVD_DEQUEUE), 0u);
}

TEST_F(Counters2, AnEvdCountsHowOftenTheModuleWasAsked)
{
	complete(9);
	for (int i = 0; i < 9; i++)
		ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE), 9u);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE_POLL), 1u) << "it holds eight";
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE_POLL_FOUND), 1u);

	/* The module says that it has to be asked, and has nothing. */
	module.evd(dto_evd_id).ring->flags = KDAPL_EV_ASK;
	ASSERT_TRUE(is_error(dat_evd_dequeue(dto_evd, &event), DAT_QUEUE_EMPTY));
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE), 10u);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE_FOUND), 9u);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE_NOT_FOUND), 1u);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE_POLL), 2u);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_DEQUEUE_POLL_FOUND), 1u);
}

TEST_F(Counters2, AnEvdCountsWaits)
{
	EXPECT_TRUE(is_error(dat_evd_wait(dto_evd, 0, 9, &event, &more), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_EQ(of(dto_evd, DCNT_EVD_WAIT), 0u);
	EXPECT_TRUE(is_error(dat_evd_wait(dto_evd, 0, 1, &event, &more), DAT_TIMEOUT_EXPIRED));
	EXPECT_EQ(of(dto_evd, DCNT_EVD_WAIT), 1u);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_WAIT_BLOCKED), 0u);
	EXPECT_TRUE(is_error(dat_evd_wait(dto_evd, 1000, 1, &event, &more), DAT_TIMEOUT_EXPIRED));
	EXPECT_EQ(of(dto_evd, DCNT_EVD_WAIT_BLOCKED), 1u);
	complete(1);
	EXPECT_EQ(dat_evd_wait(dto_evd, 1000, 1, &event, &more), DAT_SUCCESS);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_WAIT, 1), 3u);
	EXPECT_EQ(of(dto_evd, DCNT_EVD_WAIT_BLOCKED, 1), 1u);
	EXPECT_EQ(all_of(dto_evd, DCNT_EVD_ALL_COUNTERS),
		  std::vector<DAT_UINT64>(DCNT_EVD_ALL_COUNTERS));
}

/* ---- IAs ---- */

/* The asynchronous EVD is not the program's. */
TEST_F(Counters2, AnIaCountsObjects)
{
	DAT_RMR_HANDLE rmr;
	DAT_SRQ_HANDLE srq;
	DAT_SRQ_ATTR attr{};
	std::vector<DAT_UINT64> expected(DCNT_IA_ALL_COUNTERS);

	attr.max_recv_dtos = 8;
	attr.max_recv_iov = 2;
	attr.low_watermark = DAT_SRQ_LW_DEFAULT;
	ASSERT_EQ(dat_rmr_create(pz, &rmr), DAT_SUCCESS);
	ASSERT_EQ(dat_srq_create(ia, pz, &attr, &srq), DAT_SUCCESS);
	expected[DCNT_IA_PZ_CREATE] = 1;
	expected[DCNT_IA_LMR_CREATE] = 1;
	expected[DCNT_IA_RMR_CREATE] = 1;
	expected[DCNT_IA_EVD_CREATE] = 2;
	expected[DCNT_IA_EP_CREATE] = 1;
	expected[DCNT_IA_SRQ_CREATE] = 1;
	EXPECT_EQ(all_of(ia, DCNT_IA_ALL_COUNTERS), expected);

	ASSERT_EQ(dat_srq_free(srq), DAT_SUCCESS);
	ASSERT_EQ(dat_rmr_free(rmr), DAT_SUCCESS);
	ASSERT_EQ(dat_lmr_free(lmr), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_free(ep), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_free(dto_evd), DAT_SUCCESS);
	ASSERT_EQ(dat_pz_free(pz), DAT_SUCCESS);
	EXPECT_NE(dat_pz_free(pz), DAT_SUCCESS);
	for (const int freed : { DCNT_IA_SRQ_FREE, DCNT_IA_RMR_FREE, DCNT_IA_LMR_FREE,
				 DCNT_IA_EP_FREE, DCNT_IA_EVD_FREE, DCNT_IA_PZ_FREE })
		expected[static_cast<std::size_t>(freed)] = 1;
	EXPECT_EQ(all_of(ia, DCNT_IA_ALL_COUNTERS), expected);
}

TEST_F(Counters2, AnIaCountsServicePoints)
{
	DAT_PSP_HANDLE psp, any;
	DAT_CONN_QUAL qualifier;
	DAT_RSP_HANDLE rsp;

	ASSERT_EQ(dat_psp_create(ia, 4567, conn_evd, DAT_PSP_CONSUMER_FLAG, &psp), DAT_SUCCESS);
	ASSERT_EQ(dat_psp_create_any(ia, &qualifier, conn_evd, DAT_PSP_CONSUMER_FLAG, &any),
		  DAT_SUCCESS);
	ASSERT_EQ(dat_rsp_create(ia, 4568, ep, conn_evd, &rsp), DAT_SUCCESS);
	EXPECT_EQ(of(ia, DCNT_IA_PSP_CREATE), 1u);
	EXPECT_EQ(of(ia, DCNT_IA_PSP_CREATE_ANY), 1u);
	EXPECT_EQ(of(ia, DCNT_IA_PSP_FREE), 0u);
	EXPECT_EQ(of(ia, DCNT_IA_RSP_CREATE), 1u);
	ASSERT_EQ(dat_psp_free(psp), DAT_SUCCESS);
	ASSERT_EQ(dat_psp_free(any), DAT_SUCCESS);
	ASSERT_EQ(dat_rsp_free(rsp), DAT_SUCCESS);
	EXPECT_EQ(of(ia, DCNT_IA_PSP_FREE), 2u);
	EXPECT_EQ(of(ia, DCNT_IA_RSP_FREE), 1u);
}

TEST_F(Counters2, AnIaCountsRequests)
{
	DAT_PSP_HANDLE psp;

	ASSERT_EQ(dat_psp_create(ia, 4567, conn_evd, DAT_PSP_CONSUMER_FLAG, &psp), DAT_SUCCESS);
	psp_user = module.psp_user(module.last_id());
	const DAT_CR_HANDLE first = request(), second = request();
	request();
	EXPECT_EQ(of(ia, DCNT_IA_SP_CR), 3u);
	ASSERT_EQ(dat_cr_accept(first, ep, 0, nullptr), DAT_SUCCESS);
	ASSERT_EQ(dat_cr_reject(second, 0, nullptr), DAT_SUCCESS);
	EXPECT_EQ(of(ia, DCNT_IA_SP_CR), 3u);
	EXPECT_EQ(of(ia, DCNT_IA_SP_CR_ACCEPTED), 1u);
	EXPECT_EQ(of(ia, DCNT_IA_SP_CR_REJECTED), 1u);
}

TEST_F(Counters2, AnIaCountsAsynchronousEvents)
{
	asynchronous(DAT_ASYNC_ERROR_EP_BROKEN);
	asynchronous(DAT_ASYNC_ERROR_EVD_OVERFLOW);
	asynchronous(DAT_ASYNC_ERROR_EVD_OVERFLOW);
	for (const std::uint32_t other :
	     { DAT_ASYNC_ERROR_IA_CATASTROPHIC, DAT_ASYNC_ERROR_TIMED_OUT,
	       DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR })
		asynchronous(other);
	EXPECT_EQ(of(ia, DCNT_IA_ASYNC_QP_ERROR), 1u);
	EXPECT_EQ(of(ia, DCNT_IA_ASYNC_CQ_ERROR), 2u);
	EXPECT_EQ(of(ia, DCNT_IA_ASYNC_ERROR), 3u);
}

/* One that has another's EVD counts what is about it; a watermark is no error. */
TEST_F(Counters2, AnIaCountsWhatIsAboutIt)
{
	fake::Module second;
	char name[] = "fake0";
	DAT_EVD_HANDLE lent = async_evd;
	DAT_IA_HANDLE other;
	DAT_EVENT taken;
	kdapl_event end{};

	second.attributes.flags = module.attributes.flags;
	second.file = 17;
	second.install();
	ASSERT_EQ(dat_ia_open(name, 4, &lent, &other), DAT_SUCCESS);
	end.type = DAT_ASYNC_ERROR_IA_CATASTROPHIC;
	end.user = second.opened.user;
	module.post(1, end);
	ASSERT_EQ(dat_evd_dequeue(async_evd, &taken), DAT_SUCCESS);
	EXPECT_EQ(of(other, DCNT_IA_ASYNC_ERROR), 1u);
	EXPECT_EQ(of(ia, DCNT_IA_ASYNC_ERROR), 0u);
	end.type = DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR;
	end.status = DAT_SRQ_LOW_WATERMARK_EVENT;
	module.post(1, end);
	ASSERT_EQ(dat_evd_dequeue(async_evd, &taken), DAT_SUCCESS);
	EXPECT_EQ(of(other, DCNT_IA_ASYNC_ERROR), 1u);
	EXPECT_EQ(dat_ia_close(other, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	/* Of what has gone, the EVD's own does. */
	end.status = 0;
	module.post(1, end);
	ASSERT_EQ(dat_evd_dequeue(async_evd, &taken), DAT_SUCCESS);
	EXPECT_EQ(of(ia, DCNT_IA_ASYNC_ERROR), 1u);
}

/* ---- Printing ---- */

TEST_F(Counters2, TheyCanBePrinted)
{
	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	ASSERT_EQ(send(100, lmr_context), DAT_SUCCESS);
	testing::internal::CaptureStdout();
	EXPECT_EQ(dat_ib_print_counters(ep, DCNT_EP_POST_SEND_DATA, 0), DAT_SUCCESS);
	EXPECT_EQ(testing::internal::GetCapturedStdout(), "DCNT_EP_POST_SEND_DATA = 100\n");

	testing::internal::CaptureStdout();
	EXPECT_EQ(dat_ib_print_counters(ep, DCNT_EP_ALL_COUNTERS, 1), DAT_SUCCESS);
	const std::string all = testing::internal::GetCapturedStdout();
	EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), DCNT_EP_ALL_COUNTERS);
	EXPECT_NE(all.find("DCNT_EP_POST_SEND = 1\n"), std::string::npos) << all;
	EXPECT_NE(all.find("DCNT_EP_RECV_RDMA_IMM_DATA = 0\n"), std::string::npos) << all;
	EXPECT_EQ(of(ep, DCNT_EP_POST_SEND), 0u);
}

TEST_F(Counters2, EachKindHasItsOwn)
{
	const struct {
		DAT_HANDLE handle;
		int all;
		const char *prefix;
	} kinds[] = {
		{ ia, DCNT_IA_ALL_COUNTERS, "DCNT_IA_" },
		{ ep, DCNT_EP_ALL_COUNTERS, "DCNT_EP_" },
		{ dto_evd, DCNT_EVD_ALL_COUNTERS, "DCNT_EVD_" },
	};

	for (const auto &kind : kinds) {
		std::string line;
		int lines = 0;

		testing::internal::CaptureStdout();
		EXPECT_EQ(dat_ib_print_counters(kind.handle, kind.all, 0), DAT_SUCCESS);
		std::istringstream text(testing::internal::GetCapturedStdout());
		for (; std::getline(text, line); lines++)
			EXPECT_EQ(line.rfind(kind.prefix, 0), 0u) << line;
		EXPECT_EQ(lines, kind.all);
	}
}

/* ---- What is wrong ---- */

TEST_F(Counters2, WrongArguments)
{
	DAT_UINT64 value = 5;

	for (const DAT_HANDLE none :
	     { pz, lmr, DAT_HANDLE{ this }, DAT_HANDLE{ DAT_HANDLE_NULL } }) {
		EXPECT_TRUE(is_error(dat_ib_query_counters(none, 0, &value, 1), DAT_INVALID_HANDLE,
				     DAT_INVALID_HANDLE1));
		EXPECT_TRUE(is_error(dat_ib_print_counters(none, 0, 1), DAT_INVALID_HANDLE,
				     DAT_INVALID_HANDLE1));
	}
	for (const int none : { -1, DCNT_EVD_ALL_COUNTERS + 1 }) {
		EXPECT_TRUE(is_error(dat_ib_query_counters(dto_evd, none, &value, 1),
				     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
		EXPECT_TRUE(is_error(dat_ib_print_counters(dto_evd, none, 1), DAT_INVALID_PARAMETER,
				     DAT_INVALID_ARG2));
	}
	EXPECT_TRUE(is_error(dat_ib_query_counters(dto_evd, 0, nullptr, 1), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_EQ(value, 5u);
}

/* What the whole machine counts is nobody's to begin or to end. */
TEST_F(Counters2, GroupsCannotBeStarted)
{
	for (const auto group : { DCNT_IA_CM, DCNT_IA_LNK, DCNT_IA_DIAG }) {
		EXPECT_TRUE(is_error(dat_ib_start_counter(ia, group), DAT_NOT_IMPLEMENTED));
		EXPECT_TRUE(is_error(dat_ib_stop_counter(ia, group), DAT_NOT_IMPLEMENTED));
	}
}

/** An adapter without extensions. */
class NoCounters2 : public fake::Session {};

TEST_F(NoCounters2, NoneWithoutOtherExtensions)
{
	DAT_UINT64 value = 5;

	for (const DAT_HANDLE handle : { ia, ep, dto_evd }) {
		EXPECT_TRUE(is_error(dat_ib_query_counters(handle, 0, &value, 0),
				     DAT_MODEL_NOT_SUPPORTED));
		EXPECT_TRUE(is_error(dat_ib_print_counters(handle, 0, 0), DAT_MODEL_NOT_SUPPORTED));
	}
	EXPECT_EQ(value, 5u);
}

} // namespace

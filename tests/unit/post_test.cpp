// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Posting transfers: what is refused at once and with which code, what goes into
// the submission ring, and when the module is called.

#include "engine/alone.hpp"
#include "engine/sq.hpp"
#include "fake/session.hpp"

#include <atomic>
#include <cerrno>
#include <map>
#include <thread>
#include <vector>

namespace {

using fake::is_error;
using kdapl::sq_batch;

class Post : public fake::Session {
protected:
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Session::SetUp());
		module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	}
	DAT_RETURN send(DAT_LMR_TRIPLET triplet,
			DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG)
	{
		return dat_ep_post_send(ep, 1, &triplet, cookie(1), flags);
	}
	DAT_RETURN recv(DAT_LMR_TRIPLET triplet,
			DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG)
	{
		return dat_ep_post_recv(ep, 1, &triplet, cookie(1), flags);
	}
	DAT_RETURN read(DAT_LMR_TRIPLET triplet, DAT_VLEN remote_length,
			DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG)
	{
		const DAT_RMR_TRIPLET remote = fake::remote(77, 0x1000, remote_length);
		return dat_ep_post_rdma_read(ep, 1, &triplet, cookie(1), &remote, flags);
	}
	DAT_RETURN write(DAT_LMR_TRIPLET triplet, DAT_VLEN remote_length,
			 DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG)
	{
		const DAT_RMR_TRIPLET remote = fake::remote(77, 0x1000, remote_length);
		return dat_ep_post_rdma_write(ep, 1, &triplet, cookie(1), &remote, flags);
	}
	unsigned doorbells() { return module.calls(KDAPL_DOORBELL); }
};

TEST_F(Post, SendGoesOutAsItWasPosted)
{
	DAT_LMR_TRIPLET iov[] = { segment(0, 100), segment(1000, 28) };

	ASSERT_EQ(dat_ep_post_send(ep, 2, iov, cookie(0x123456789abcdef0),
				   DAT_COMPLETION_SUPPRESS_FLAG |
					   DAT_COMPLETION_SOLICITED_WAIT_FLAG |
					   DAT_COMPLETION_BARRIER_FENCE_FLAG),
		  DAT_SUCCESS);
	ASSERT_EQ(module.taken.size(), 1u);
	const kdapl_sqe &sqe = module.taken[0];
	EXPECT_EQ(sqe.ep, ep_id);
	EXPECT_EQ(sqe.op, KDAPL_OP_SEND);
	EXPECT_EQ(sqe.flags, KDAPL_SQE_SUPPRESS | KDAPL_SQE_SOLICITED | KDAPL_SQE_FENCE);
	EXPECT_EQ(sqe.cookie, 0x123456789abcdef0u);
	EXPECT_EQ(sqe.rkey, 0u);
	EXPECT_EQ(sqe.imm, 0u);
	ASSERT_EQ(sqe.num_seg, 2);
	EXPECT_EQ(sqe.seg[0].addr, iov[0].virtual_address);
	EXPECT_EQ(sqe.seg[0].length, 100u);
	EXPECT_EQ(sqe.seg[0].lmr, lmr_context);
	EXPECT_EQ(sqe.seg[1].addr, iov[1].virtual_address);
	EXPECT_EQ(sqe.seg[1].length, 28u);
}

TEST_F(Post, RdmaCarriesTheRemoteSegment)
{
	ASSERT_EQ(write(segment(0, 64), 64), DAT_SUCCESS);
	ASSERT_EQ(read(segment(0, 64), 64), DAT_SUCCESS);
	ASSERT_EQ(module.taken.size(), 2u);
	EXPECT_EQ(module.taken[0].op, KDAPL_OP_RDMA_WRITE);
	EXPECT_EQ(module.taken[1].op, KDAPL_OP_RDMA_READ);
	for (const kdapl_sqe &sqe : module.taken) {
		EXPECT_EQ(sqe.remote_addr, 0x1000u);
		EXPECT_EQ(sqe.rkey, 77u);
	}
}

TEST_F(Post, EmptyMessagesNeedNoSegment)
{
	ASSERT_EQ(dat_ep_post_send(ep, 0, nullptr, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
		  DAT_SUCCESS);
	ASSERT_EQ(send(segment(0, 0)), DAT_SUCCESS);
	ASSERT_EQ(module.taken.size(), 2u);
	EXPECT_EQ(module.taken[0].num_seg, 0);
	EXPECT_EQ(module.taken[1].num_seg, 0);
}

/* The address and the context of a segment without a byte mean nothing. */
TEST_F(Post, AnEmptySegmentMayNameNoMemory)
{
	DAT_LMR_TRIPLET iov[3] = { {}, segment(0, 8), {} };

	iov[2].virtual_address = ~DAT_VADDR{ 0 };
	iov[2].lmr_context = 12345;
	for (const DAT_LMR_TRIPLET &empty : { iov[0], iov[2] }) {
		ASSERT_EQ(send(empty), DAT_SUCCESS);
		ASSERT_EQ(recv(empty), DAT_SUCCESS);
		ASSERT_EQ(write(empty, 0), DAT_SUCCESS);
		ASSERT_EQ(read(empty, 0), DAT_SUCCESS);
		EXPECT_EQ(dat_lmr_sync_rdma_read(ia, &empty, 1), DAT_SUCCESS);
		EXPECT_EQ(dat_lmr_sync_rdma_write(ia, &empty, 1), DAT_SUCCESS);
	}
	ASSERT_EQ(module.taken.size(), 8u);
	for (const kdapl_sqe &sqe : module.taken)
		EXPECT_EQ(sqe.num_seg, 0);
	ASSERT_EQ(dat_ep_post_send(ep, 3, iov, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
		  DAT_SUCCESS);
	ASSERT_EQ(module.taken.back().num_seg, 1);
	EXPECT_EQ(module.taken.back().seg[0].addr, iov[1].virtual_address);
}

TEST_F(Post, BadHandles)
{
	DAT_LMR_TRIPLET triplet = segment(0, 8);
	const DAT_RMR_TRIPLET remote = fake::remote(1, 0, 8);

	for (const DAT_EP_HANDLE bad :
	     { DAT_EP_HANDLE{ pz }, DAT_EP_HANDLE{ ia }, DAT_EP_HANDLE{ this }, DAT_HANDLE_NULL }) {
		EXPECT_TRUE(is_error(
			dat_ep_post_send(bad, 1, &triplet, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
			DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
		EXPECT_TRUE(is_error(
			dat_ep_post_recv(bad, 1, &triplet, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
			DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
		EXPECT_TRUE(is_error(dat_ep_post_rdma_write(bad, 1, &triplet, cookie(1), &remote,
							    DAT_COMPLETION_DEFAULT_FLAG),
				     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
	}
}

TEST_F(Post, BadArguments)
{
	DAT_LMR_TRIPLET iov[8];
	for (DAT_LMR_TRIPLET &triplet : iov)
		triplet = segment(0, 8);
	const auto plain = DAT_COMPLETION_DEFAULT_FLAG;

	EXPECT_TRUE(is_error(dat_ep_post_send(ep, -1, iov, cookie(1), plain), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_ep_post_send(ep, 7, iov, cookie(1), plain), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_ep_post_send(ep, 1, nullptr, cookie(1), plain),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	const DAT_RMR_TRIPLET remote = fake::remote(1, 0, 1000);
	EXPECT_TRUE(is_error(dat_ep_post_rdma_read(ep, 4, iov, cookie(1), &remote, plain),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2))
		<< "the device reads into 3 segments only";
	EXPECT_TRUE(is_error(dat_ep_post_rdma_read(ep, 1, iov, cookie(1), nullptr, plain),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
	EXPECT_EQ(doorbells(), 0u);
}

TEST_F(Post, CompletionFlagsByOperation)
{
	const auto bad = [](DAT_RETURN got, DAT_RETURN_SUBTYPE arg) {
		return is_error(got, DAT_INVALID_PARAMETER, arg);
	};
	const DAT_LMR_TRIPLET one = segment(0, 8);

	EXPECT_TRUE(bad(send(one, DAT_COMPLETION_UNSIGNALLED_FLAG), DAT_INVALID_ARG5));
	EXPECT_TRUE(bad(send(one, DAT_COMPLETION_EVD_THRESHOLD_FLAG), DAT_INVALID_ARG5));
	EXPECT_TRUE(bad(send(one, static_cast<DAT_COMPLETION_FLAGS>(0x20)), DAT_INVALID_ARG5));
	EXPECT_TRUE(bad(recv(one, DAT_COMPLETION_SUPPRESS_FLAG), DAT_INVALID_ARG5));
	EXPECT_TRUE(bad(recv(one, DAT_COMPLETION_BARRIER_FENCE_FLAG), DAT_INVALID_ARG5));
	EXPECT_TRUE(bad(write(one, 8, DAT_COMPLETION_SOLICITED_WAIT_FLAG), DAT_INVALID_ARG6));
	EXPECT_TRUE(bad(read(one, 8, DAT_COMPLETION_SOLICITED_WAIT_FLAG), DAT_INVALID_ARG6));
	EXPECT_EQ(write(one, 8, DAT_COMPLETION_SUPPRESS_FLAG), DAT_SUCCESS);
	EXPECT_EQ(read(one, 8, DAT_COMPLETION_BARRIER_FENCE_FLAG), DAT_SUCCESS);
}

TEST_F(Post, RequestsNeedAConnectionOrItsEnd)
{
	struct Row {
		DAT_EP_STATE state;
		DAT_RETURN_SUBTYPE subtype;
	};
	const Row rows[] = {
		{ DAT_EP_STATE_UNCONNECTED, DAT_INVALID_STATE_EP_UNCONNECTED },
		{ DAT_EP_STATE_RESERVED, DAT_INVALID_STATE_EP_RESERVED },
		{ DAT_EP_STATE_PASSIVE_CONNECTION_PENDING, DAT_INVALID_STATE_EP_PASSCONNPENDING },
		{ DAT_EP_STATE_ACTIVE_CONNECTION_PENDING, DAT_INVALID_STATE_EP_ACTCONNPENDING },
		{ DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING, DAT_INVALID_STATE_EP_TENTCONNPENDING },
		{ DAT_EP_STATE_DISCONNECT_PENDING, DAT_INVALID_STATE_EP_DISCPENDING },
		{ DAT_EP_STATE_COMPLETION_PENDING, DAT_INVALID_STATE_EP_COMPLPENDING },
	};
	const DAT_LMR_TRIPLET one = segment(0, 8);

	for (const Row &row : rows) {
		module.set_state(ep_id, row.state);
		EXPECT_TRUE(is_error(send(one), DAT_INVALID_STATE, row.subtype));
		EXPECT_TRUE(is_error(write(one, 8), DAT_INVALID_STATE, row.subtype));
		EXPECT_TRUE(is_error(read(one, 8), DAT_INVALID_STATE, row.subtype));
		EXPECT_EQ(recv(one), DAT_SUCCESS) << "receives are for all states";
	}
	module.set_state(ep_id, DAT_EP_STATE_DISCONNECTED);
	EXPECT_EQ(send(one), DAT_SUCCESS);
	EXPECT_EQ(recv(one), DAT_SUCCESS);
}

TEST_F(Post, SegmentsOutsideTheirMemory)
{
	const auto outside = [](DAT_RETURN got) {
		return is_error(got, DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	};
	DAT_LMR_TRIPLET before = segment(0, 8);
	before.virtual_address--;

	EXPECT_EQ(send(segment(0, memory.size())), DAT_SUCCESS);
	EXPECT_EQ(send(segment(memory.size() - 1, 1)), DAT_SUCCESS);
	EXPECT_TRUE(outside(send(segment(0, memory.size() + 1))));
	EXPECT_TRUE(outside(send(segment(memory.size(), 1))));
	EXPECT_TRUE(outside(send(before)));
	EXPECT_TRUE(outside(recv(segment(memory.size() - 7, 8))));
	EXPECT_TRUE(outside(recv(segment(8, ~DAT_VLEN{ 0 }))));
	EXPECT_TRUE(outside(write(before, 8)));
	EXPECT_TRUE(outside(read(before, 8)));
}

TEST_F(Post, UnknownMemoryIsAPrivilegeViolation)
{
	DAT_LMR_TRIPLET unknown = segment(0, 8);

	for (const DAT_LMR_CONTEXT context : { 0u, lmr_context + 1, 0xffffffffu, ep_id }) {
		unknown.lmr_context = context;
		EXPECT_TRUE(is_error(send(unknown), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_READ));
		EXPECT_TRUE(
			is_error(recv(unknown), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE));
		EXPECT_TRUE(
			is_error(write(unknown, 8), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_READ));
		EXPECT_TRUE(
			is_error(read(unknown, 8), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE));
	}
	ASSERT_EQ(dat_lmr_free(lmr), DAT_SUCCESS);
	EXPECT_TRUE(is_error(send(segment(0, 8)), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_READ));
}

TEST_F(Post, PrivilegesByDirection)
{
	make_lmr(DAT_MEM_PRIV_LOCAL_READ_FLAG, pz, &lmr_context);
	EXPECT_EQ(send(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(write(segment(0, 8), 8), DAT_SUCCESS);
	EXPECT_TRUE(is_error(recv(segment(0, 8)), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE));
	EXPECT_TRUE(
		is_error(read(segment(0, 8), 8), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE));

	make_lmr(DAT_MEM_PRIV_LOCAL_WRITE_FLAG, pz, &lmr_context);
	for (const DAT_RETURN sent : { send(segment(0, 8)), write(segment(0, 8), 8) })
		EXPECT_TRUE(fake::all_memory_is_readable ?
				    testing::AssertionResult(sent == DAT_SUCCESS) :
				    is_error(sent, DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_READ));
	EXPECT_EQ(recv(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(read(segment(0, 8), 8), DAT_SUCCESS);

	make_lmr(DAT_MEM_PRIV_REMOTE_WRITE_FLAG, pz, &lmr_context);
	EXPECT_TRUE(is_error(recv(segment(0, 8)), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE))
		<< "remote write is no local privilege";
}

TEST_F(Post, AnotherZoneIsAProtectionViolation)
{
	DAT_PZ_HANDLE other;
	ASSERT_EQ(dat_pz_create(ia, &other), DAT_SUCCESS);
	make_lmr(DAT_MEM_PRIV_ALL_FLAG, other, &lmr_context);

	EXPECT_TRUE(is_error(send(segment(0, 8)), DAT_PROTECTION_VIOLATION, DAT_PROTECTION_READ));
	EXPECT_TRUE(is_error(recv(segment(0, 8)), DAT_PROTECTION_VIOLATION, DAT_PROTECTION_WRITE));
}

TEST_F(Post, RdmaLengths)
{
	EXPECT_TRUE(is_error(write(segment(0, 100), 99), DAT_LENGTH_ERROR));
	EXPECT_EQ(write(segment(0, 100), 101), DAT_SUCCESS);
	EXPECT_TRUE(is_error(read(segment(0, 99), 100), DAT_LENGTH_ERROR));
	EXPECT_EQ(read(segment(0, 101), 100), DAT_SUCCESS);
}

/* What its program asked for is no bound; what the adapter can is. */
TEST_F(Post, RdmaMayBeLongerThanTheEpWasMadeFor)
{
	DAT_EP_PARAM param;

	ASSERT_EQ(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
	const DAT_VLEN most = param.ep_attr.max_rdma_size;
	DAT_EP_HANDLE made;
	param.ep_attr.max_rdma_size = 100;
	ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, &param.ep_attr, &made),
		  DAT_SUCCESS);
	module.set_state(module.last_id(), DAT_EP_STATE_CONNECTED);
	std::swap(ep, made);
	EXPECT_EQ(write(segment(0, 101), 101), DAT_SUCCESS);
	EXPECT_EQ(read(segment(0, 101), 101), DAT_SUCCESS);
	std::vector<DAT_LMR_TRIPLET> all(2, segment(0, memory.size()));
	all[1].segment_length = most;
	const DAT_RMR_TRIPLET remote = fake::remote(1, 0, most + 1);
	EXPECT_TRUE(is_error(dat_ep_post_rdma_read(ep, 2, all.data(), cookie(1), &remote,
						   DAT_COMPLETION_DEFAULT_FLAG),
			     DAT_LENGTH_ERROR));
	std::swap(ep, made);
}

TEST_F(Post, AReadFillsTheFrontOfALongerIov)
{
	DAT_LMR_TRIPLET iov[] = { segment(0, 60), segment(100, 60), segment(200, 60) };
	const DAT_RMR_TRIPLET remote = fake::remote(1, 0, 100);

	ASSERT_EQ(
		dat_ep_post_rdma_read(ep, 3, iov, cookie(1), &remote, DAT_COMPLETION_DEFAULT_FLAG),
		DAT_SUCCESS);
	const kdapl_sqe &sqe = module.taken.at(0);
	ASSERT_EQ(sqe.num_seg, 2);
	EXPECT_EQ(sqe.seg[0].length, 60u);
	EXPECT_EQ(sqe.seg[1].length, 40u);
}

TEST_F(Post, RequestSlotsAreThoseOfTheAttributes)
{
	DAT_EP_PARAM param;
	ASSERT_EQ(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);

	for (DAT_COUNT i = 0; i < param.ep_attr.max_request_dtos; i++)
		ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS) << i;
	EXPECT_TRUE(
		is_error(send(segment(0, 8)), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS));
	EXPECT_EQ(recv(segment(0, 8)), DAT_SUCCESS) << "receives have slots of their own";
	module.complete(ep_id, 2, 0);
	EXPECT_EQ(send(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(write(segment(0, 8), 8), DAT_SUCCESS);
	EXPECT_TRUE(
		is_error(read(segment(0, 8), 8), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS));
}

TEST_F(Post, RecvSlotsAndIdleness)
{
	DAT_BOOLEAN recv_idle, request_idle;
	DAT_COUNT posted = 0;

	while (recv(segment(0, 8)) == DAT_SUCCESS)
		posted++;
	EXPECT_EQ(posted, 256);
	EXPECT_TRUE(
		is_error(recv(segment(0, 8)), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS));
	ASSERT_EQ(dat_ep_get_status(ep, nullptr, &recv_idle, &request_idle), DAT_SUCCESS);
	EXPECT_EQ(recv_idle, DAT_FALSE);
	EXPECT_EQ(request_idle, DAT_TRUE);
	module.complete(ep_id, 0, 256);
	ASSERT_EQ(dat_ep_get_status(ep, nullptr, &recv_idle, nullptr), DAT_SUCCESS);
	EXPECT_EQ(recv_idle, DAT_TRUE);
	EXPECT_EQ(recv(segment(0, 8)), DAT_SUCCESS);
}

TEST_F(Post, RequestsRingOnlyWhenTheModuleSleeps)
{
	module.set_need_wakeup(false);
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(doorbells(), 0u);
	EXPECT_EQ(module.take(), 10u);
	module.set_need_wakeup(true);
	ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(doorbells(), 1u);
}

TEST_F(Post, EachBatchRingsOnce)
{
	module.set_need_wakeup(false);
	module.on_submit = [] {};
	for (unsigned i = 1; i <= 3 * sq_batch; i++) {
		ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS);
		ASSERT_EQ(doorbells(), i / sq_batch);
	}
	/* What was taken belongs to no batch any more. */
	EXPECT_EQ(module.take(), 3 * sq_batch);
	ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(doorbells(), 3u);
}

/* Where the sixteenth is a receive, the next request rings for all. */
TEST_F(Post, ABatchWithReceivesRingsToo)
{
	module.set_need_wakeup(false);
	module.set_hw_recv(ep_id, 100);
	module.on_submit = [] {};
	for (unsigned i = 0; i < sq_batch / 2; i++) {
		ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS);
		ASSERT_EQ(recv(segment(0, 8)), DAT_SUCCESS);
	}
	EXPECT_EQ(doorbells(), 0u);
	ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(doorbells(), 1u);
}

/** A program that posts one request and looks for its end; whether it was polled for. */
class SpinningPost : public Post {
protected:
	bool post_and_look()
	{
		const DAT_RETURN sent = send(segment(0, 8));
		EXPECT_EQ(sent, DAT_SUCCESS);
		const bool polled = module.polled_evd != 0;
		DAT_EVENT event;

		module.complete(ep_id, 1, 0);
		for (int i = 0; i < 1000; i++)
			EXPECT_TRUE(is_error(dat_evd_dequeue(dto_evd, &event), DAT_QUEUE_EMPTY));
		module.post_dto(dto_evd_id, ep_id, 1);
		EXPECT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
		return polled;
	}
	/* The processor may be taken away while it looks, or while it does not. */
	bool polled_at_last()
	{
		for (int i = 0; i < 1000; i++) {
			if (post_and_look())
				return true;
		}
		return false;
	}
};

TEST_F(SpinningPost, IsPolledFor)
{
	module.set_need_wakeup(true);
	ASSERT_TRUE(polled_at_last());
	EXPECT_EQ(module.polled_evd, dto_evd_id);
}

TEST_F(SpinningPost, PollingInVainIsNoFailure)
{
	module.set_need_wakeup(true);
	ASSERT_TRUE(polled_at_last());
	module.fail_next(KDAPL_DOORBELL, EAGAIN);
	EXPECT_TRUE(post_and_look());
	for (int err : { ETIME, ENOENT }) {
		ASSERT_TRUE(polled_at_last());
		module.fail_next(KDAPL_DOORBELL, err);
		EXPECT_TRUE(post_and_look());
		module.polled_evd = 0;
		EXPECT_FALSE(post_and_look());
	}
}

TEST_F(SpinningPost, NotForOneRequestOfSeveral)
{
	module.set_need_wakeup(true);
	ASSERT_TRUE(polled_at_last());
	ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS);
	ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(module.polled_evd, 0u);
}

TEST_F(Post, ReceivesRingBelowTheLowMark)
{
	module.set_need_wakeup(true);
	module.set_hw_recv(ep_id, 15);
	ASSERT_EQ(recv(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(doorbells(), 1u);
	module.set_hw_recv(ep_id, 16);
	ASSERT_EQ(recv(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(doorbells(), 1u) << "a sleeping module does not matter to receives";
}

TEST_F(Post, AFullRingIsEmptiedByTheModuleOnce)
{
	unsigned batches = module.sq_entries / sq_batch;

	module.set_need_wakeup(false);
	module.on_submit = [] {};
	for (std::uint32_t i = 0; i < module.sq_entries; i++)
		ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(doorbells(), batches);
	module.on_submit = nullptr;
	ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(doorbells(), batches + 1);
	EXPECT_EQ(module.taken.size(), module.sq_entries);

	module.on_submit = [] {};
	for (std::uint32_t i = 1; i < module.sq_entries; i++)
		ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS);
	EXPECT_EQ(doorbells(), 2 * batches + 1);
	EXPECT_TRUE(
		is_error(send(segment(0, 8)), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS));
	EXPECT_EQ(doorbells(), 2 * batches + 2);
	EXPECT_EQ(module.take(), module.sq_entries) << "the refused one is not among them";
}

TEST_F(Post, ARefusedPostLeavesNothingBehind)
{
	module.set_need_wakeup(false);
	DAT_LMR_TRIPLET iov[] = { segment(0, 8), segment(memory.size(), 8) };

	EXPECT_TRUE(is_error(dat_ep_post_send(ep, 2, iov, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_EQ(module.take(), 0u);
	DAT_BOOLEAN request_idle;
	ASSERT_EQ(dat_ep_get_status(ep, nullptr, nullptr, &request_idle), DAT_SUCCESS);
	EXPECT_EQ(request_idle, DAT_TRUE);
}

TEST_F(Post, CountsRunOnOverAReset)
{
	while (send(segment(0, 8)) == DAT_SUCCESS)
		continue;
	module.set_state(ep_id, DAT_EP_STATE_DISCONNECTED);
	module.complete(ep_id, 256, 0);
	ASSERT_EQ(dat_ep_reset(ep), DAT_SUCCESS);
	DAT_EP_STATE state;
	DAT_BOOLEAN request_idle;
	ASSERT_EQ(dat_ep_get_status(ep, &state, nullptr, &request_idle), DAT_SUCCESS);
	EXPECT_EQ(state, DAT_EP_STATE_UNCONNECTED);
	EXPECT_EQ(request_idle, DAT_TRUE);

	/* Events of the former connection may still be on their way. */
	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	for (int i = 0; i < 256; i++)
		ASSERT_EQ(send(segment(0, 8)), DAT_SUCCESS) << i;
	EXPECT_TRUE(
		is_error(send(segment(0, 8)), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS));
	module.set_state(ep_id, DAT_EP_STATE_UNCONNECTED);

	ASSERT_EQ(recv(segment(0, 8)), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_reset(ep), DAT_SUCCESS);
	DAT_BOOLEAN recv_idle;
	ASSERT_EQ(dat_ep_get_status(ep, nullptr, &recv_idle, nullptr), DAT_SUCCESS);
	EXPECT_EQ(recv_idle, DAT_FALSE) << "an unconnected EP keeps its receives";
}

class IwarpPost : public Post {
protected:
	void SetUp() override
	{
		module.attributes.transport = KDAPL_TRANSPORT_IWARP;
		Post::SetUp();
	}
};

TEST_F(IwarpPost, ReceivesAlwaysRing)
{
	module.set_hw_recv(ep_id, 200);
	for (unsigned i = 1; i < 20; i++) {
		ASSERT_EQ(recv(segment(0, 8)), DAT_SUCCESS);
		EXPECT_EQ(doorbells(), i);
	}
}

class PostAtTheWrap : public Post {
protected:
	void SetUp() override
	{
		module.first_index = 0xfffffff0;
		Post::SetUp();
	}
};

TEST_F(PostAtTheWrap, IndicesRunThrough)
{
	module.set_need_wakeup(false);
	module.on_submit = [] {};
	for (int round = 0; round < 3; round++) {
		for (std::uint32_t i = 0; i < module.sq_entries; i++)
			ASSERT_EQ(send(segment(i, 1)), DAT_SUCCESS);
		module.complete(ep_id, module.sq_entries, 0);
		ASSERT_EQ(module.take(), module.sq_entries);
	}
	EXPECT_EQ(doorbells(), 3 * module.sq_entries / sq_batch);
	for (std::size_t i = 0; i < module.taken.size(); i++)
		EXPECT_EQ(module.taken[i].seg[0].addr,
			  segment(i % module.sq_entries, 1).virtual_address);
}

// Most calls of a program that has no other thread take a shorter way, and those with one
// segment: the answers are the same.
TEST_F(Post, AloneOrNot)
{
	const auto all = [&] {
		DAT_LMR_TRIPLET iov[] = { segment(0, 64), segment(64, 64) };
		DAT_LMR_TRIPLET outside = segment(memory.size(), 1);
		const DAT_RMR_TRIPLET remote = fake::remote(77, 0x1000, 128);
		const auto flags = DAT_COMPLETION_DEFAULT_FLAG;
		const std::size_t before = module.taken.size();
		DAT_EVENT event;

		module.set_need_wakeup(true);
		EXPECT_EQ(send(iov[0]), DAT_SUCCESS);
		EXPECT_EQ(dat_ep_post_send(ep, 2, iov, cookie(1), flags), DAT_SUCCESS);
		EXPECT_EQ(recv(iov[0]), DAT_SUCCESS);
		EXPECT_EQ(write(iov[0], 64), DAT_SUCCESS);
		EXPECT_EQ(read(iov[0], 64), DAT_SUCCESS);
		module.take();
		ASSERT_EQ(module.taken.size(), before + 5);
		module.complete(ep_id, 4, 1);

		EXPECT_TRUE(is_error(send(outside), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
		EXPECT_TRUE(is_error(dat_ep_post_send(pz, 1, iov, cookie(1), flags),
				     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
		EXPECT_TRUE(is_error(dat_ep_post_send(pz, 2, iov, cookie(1), flags),
				     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
		EXPECT_TRUE(is_error(dat_ep_post_rdma_write(pz, 1, iov, cookie(1), nullptr, flags),
				     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
		EXPECT_TRUE(is_error(dat_ep_post_rdma_read(ep, 1, iov, cookie(1), nullptr, flags),
				     DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
		/* Nothing else is looked at then, wherever it points to. */
		const auto nowhere = reinterpret_cast<const DAT_RMR_TRIPLET *>(sizeof remote);
		EXPECT_TRUE(is_error(dat_ep_post_rdma_write(pz, 1, iov, cookie(1), nowhere, flags),
				     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
		EXPECT_EQ(dat_ep_post_rdma_read(ep, 2, iov, cookie(1), &remote, flags),
			  DAT_SUCCESS);
		module.take();
		module.complete(ep_id, 1, 0);

		EXPECT_TRUE(is_error(dat_evd_dequeue(dto_evd, &event), DAT_QUEUE_EMPTY));
		EXPECT_TRUE(is_error(dat_evd_dequeue(pz, &event), DAT_INVALID_HANDLE,
				     DAT_INVALID_HANDLE1));
		EXPECT_TRUE(is_error(dat_evd_dequeue(dto_evd, nullptr), DAT_INVALID_PARAMETER,
				     DAT_INVALID_ARG2));
		module.post_dto(dto_evd_id, ep_id, 5, 64);
		ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
		EXPECT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
		EXPECT_EQ(event.evd_handle, dto_evd);
		const auto &dto = event.event_data.dto_completion_event_data;
		EXPECT_EQ(dto.ep_handle, ep);
		EXPECT_EQ(dto.user_cookie.as_64, 5u);
		EXPECT_EQ(dto.transfered_length, 64u);
		EXPECT_EQ(dto.status, DAT_DTO_SUCCESS);
	};

	if (!kdapl::alone())
		GTEST_SKIP() << "the process has, or had, other threads, or cannot tell";
	all();
	std::atomic<bool> over = false;
	std::jthread company([&] { over.wait(false); });
	EXPECT_FALSE(kdapl::alone());
	all();
	over = true;
	over.notify_one();
}

// Posts of several threads, EPs of their own, one ring: each EP's entries keep
// their order and none is lost.
TEST_F(Post, ManyThreads)
{
	constexpr int threads = 4, count = 2000;
	std::array<DAT_EP_HANDLE, threads> eps;
	std::array<std::uint32_t, threads> ids;
	for (int t = 0; t < threads; t++) {
		ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, nullptr, &eps[t]),
			  DAT_SUCCESS);
		ids[t] = module.last_id();
		module.set_state(ids[t], DAT_EP_STATE_CONNECTED);
	}
	std::map<std::uint32_t, std::uint64_t> next;
	std::size_t seen = 0;
	module.on_submit = [&] {
		module.take();
		for (; seen < module.taken.size(); seen++) {
			const kdapl_sqe &sqe = module.taken[seen];
			EXPECT_EQ(sqe.cookie, next[sqe.ep]++);
			module.complete(sqe.ep, 1, 0);
		}
	};
	std::vector<std::jthread> running;
	for (int t = 0; t < threads; t++) {
		running.emplace_back([&, t] {
			DAT_LMR_TRIPLET one = segment(0, 8);
			for (int i = 0; i < count; i++)
				ASSERT_EQ(dat_ep_post_send(eps[t], 1, &one, cookie(i),
							   DAT_COMPLETION_DEFAULT_FLAG),
					  DAT_SUCCESS);
		});
	}
	running.clear();
	for (const std::uint32_t id : ids)
		EXPECT_EQ(next[id], static_cast<std::uint64_t>(count));
}

} // namespace

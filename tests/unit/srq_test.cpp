// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// SRQs: what is checked, what is counted, when the module is called; and the marks
// of an EP.

#include "fake/session.hpp"

#include <algorithm>
#include <cerrno>

namespace {

using fake::is_error;

constexpr DAT_COUNT size = 10;

/** An SRQ and an EP that takes from it. */
class SrqTest : public fake::Session {
protected:
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Session::SetUp());
		DAT_SRQ_ATTR attr = { size, 2, DAT_SRQ_LW_DEFAULT };
		ASSERT_EQ(dat_srq_create(ia, pz, &attr, &srq), DAT_SUCCESS);
		srq_id = module.last_id();
		ASSERT_EQ(make_ep(&taker), DAT_SUCCESS);
		taker_id = module.last_id();
	}
	DAT_RETURN make_ep(DAT_EP_HANDLE *made)
	{
		DAT_EP_ATTR attr{};
		attr.max_request_dtos = 4;
		attr.srq_soft_hw = DAT_HW_DEFAULT;
		return dat_ep_create_with_srq(ia, pz, dto_evd, dto_evd, conn_evd, srq, &attr, made);
	}
	DAT_RETURN post(DAT_UINT64 number = 1)
	{
		DAT_LMR_TRIPLET one = segment(0, 8);
		return dat_srq_post_recv(srq, 1, &one, cookie(number));
	}
	/** The module has taken the entries, and so many went to EPs. */
	void module_has(std::uint32_t waiting, std::uint32_t taken)
	{
		kdapl_srq_status &status = *module.srq(srq_id).status;
		status.hw_recv = waiting;
		status.taken = taken;
	}
	/** An EP's receive has completed. */
	void complete(DAT_UINT64 number)
	{
		const std::uint64_t tag = module.srq(srq_id).created.tag;
		module.post_dto(dto_evd_id, taker_id, number, tag << 32 | 8);
	}
	DAT_SRQ_PARAM query()
	{
		DAT_SRQ_PARAM param{};
		EXPECT_EQ(dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param), DAT_SUCCESS);
		return param;
	}
	void expect_counts(DAT_COUNT available, DAT_COUNT outstanding)
	{
		const DAT_SRQ_PARAM param = query();
		EXPECT_EQ(param.available_dto_count, available);
		EXPECT_EQ(param.outstanding_dto_count, outstanding);
	}

	DAT_SRQ_HANDLE srq = DAT_HANDLE_NULL;
	DAT_EP_HANDLE taker = DAT_HANDLE_NULL;
	std::uint32_t srq_id = 0, taker_id = 0;
};

TEST_F(SrqTest, IsMadeAsAskedFor)
{
	const kdapl_srq_create &created = module.srq(srq_id).created;

	EXPECT_EQ(created.max_recvs, static_cast<std::uint32_t>(size));
	EXPECT_EQ(created.max_recv_iov, 2u);
	EXPECT_NE(created.tag, 0u);
	EXPECT_EQ(module.ep(taker_id).created.srq, srq_id);
	EXPECT_EQ(module.ep(taker_id).created.max_recvs, 0u);

	const DAT_SRQ_PARAM param = query();
	EXPECT_EQ(param.ia_handle, ia);
	EXPECT_EQ(param.pz_handle, pz);
	EXPECT_EQ(param.max_recv_dtos, size);
	EXPECT_EQ(param.max_recv_iov, 2);
	EXPECT_EQ(param.low_watermark, DAT_SRQ_LW_DEFAULT);
	EXPECT_EQ(param.srq_state, DAT_SRQ_STATE_OPERATIONAL);
	module.srq(srq_id).status->state = 1;
	EXPECT_EQ(query().srq_state, DAT_SRQ_STATE_ERROR);

	DAT_EP_PARAM ep_param;
	ASSERT_EQ(dat_ep_query(taker, DAT_EP_FIELD_ALL, &ep_param), DAT_SUCCESS);
	EXPECT_EQ(ep_param.srq_handle, srq);
	EXPECT_EQ(ep_param.ep_attr.max_recv_iov, 2);
	EXPECT_EQ(ep_param.ep_attr.srq_soft_hw, DAT_HW_DEFAULT);
	ASSERT_EQ(dat_ep_query(ep, DAT_EP_FIELD_ALL, &ep_param), DAT_SUCCESS);
	EXPECT_EQ(ep_param.srq_handle, DAT_HANDLE_NULL);
}

TEST_F(SrqTest, CreateChecksItsArguments)
{
	DAT_SRQ_ATTR good = { 4, 1, 0 };
	DAT_SRQ_HANDLE made;

	EXPECT_TRUE(is_error(dat_srq_create(pz, pz, &good, &made), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(is_error(dat_srq_create(ia, ia, &good, &made), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_PZ));
	EXPECT_TRUE(is_error(dat_srq_create(ia, pz, nullptr, &made), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_srq_create(ia, pz, &good, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG4));
	for (DAT_SRQ_ATTR bad :
	     { DAT_SRQ_ATTR{ 0, 1, 0 }, DAT_SRQ_ATTR{ -4, 1, 0 }, DAT_SRQ_ATTR{ 4, -1, 0 },
	       DAT_SRQ_ATTR{ 4, 5, 0 }, DAT_SRQ_ATTR{ 4, 1, 1 } })
		EXPECT_TRUE(is_error(dat_srq_create(ia, pz, &bad, &made), DAT_INVALID_PARAMETER,
				     DAT_INVALID_ARG3));
	DAT_SRQ_ATTR huge = { 1025, 1, 0 };
	EXPECT_TRUE(is_error(dat_srq_create(ia, pz, &huge, &made), DAT_INSUFFICIENT_RESOURCES,
			     DAT_RESOURCE_SRQ));
	EXPECT_EQ(module.calls(KDAPL_SRQ_CREATE), 1u);
	module.fail_next(KDAPL_SRQ_CREATE, ENOSPC);
	EXPECT_TRUE(is_error(dat_srq_create(ia, pz, &good, &made), DAT_INSUFFICIENT_RESOURCES,
			     DAT_RESOURCE_SRQ));
}

TEST_F(SrqTest, EpCreateChecksItsArguments)
{
	DAT_EP_ATTR attr{};
	DAT_EP_HANDLE made;
	DAT_PZ_HANDLE zone;
	const auto create = [&](DAT_PZ_HANDLE z, DAT_EVD_HANDLE recv, DAT_SRQ_HANDLE q,
				const DAT_EP_ATTR *a, DAT_EP_HANDLE *out) {
		return dat_ep_create_with_srq(ia, z, recv, dto_evd, conn_evd, q, a, out);
	};

	attr.max_request_dtos = 4;
	ASSERT_EQ(dat_pz_create(ia, &zone), DAT_SUCCESS);
	EXPECT_TRUE(is_error(create(zone, dto_evd, srq, &attr, &made), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(create(pz, DAT_HANDLE_NULL, srq, &attr, &made), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EVD_RECV));
	EXPECT_TRUE(is_error(create(pz, dto_evd, pz, &attr, &made), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_SRQ));
	EXPECT_TRUE(is_error(create(pz, dto_evd, srq, nullptr, &made), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG7));
	EXPECT_TRUE(is_error(create(pz, dto_evd, srq, &attr, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG8));
	for (const DAT_COUNT bad : { -2, INT32_MIN, INT32_MAX }) {
		attr.max_recv_dtos = bad;
		EXPECT_TRUE(is_error(create(pz, dto_evd, srq, &attr, &made), DAT_INVALID_PARAMETER,
				     DAT_INVALID_ARG7));
	}
}

/* As many as the SRQ has; Solaris' provider takes nothing else. */
TEST_F(SrqTest, EpWithAnyNumberOfBuffers)
{
	DAT_EP_PARAM param{};
	DAT_EP_ATTR attr{};
	DAT_EP_HANDLE made;
	const auto told = [&] {
		EXPECT_EQ(dat_ep_query(made, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
		return param.ep_attr.max_recv_dtos;
	};

	attr.max_request_dtos = 4;
	attr.max_recv_dtos = attr.srq_soft_hw = DAT_HW_DEFAULT;
	ASSERT_EQ(dat_ep_create_with_srq(ia, pz, dto_evd, dto_evd, conn_evd, srq, &attr, &made),
		  DAT_SUCCESS);
	EXPECT_EQ(told(), DAT_HW_DEFAULT);
	param.ep_attr.max_recv_dtos = 3;
	ASSERT_EQ(dat_ep_modify(made, DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &param), DAT_SUCCESS);
	EXPECT_EQ(told(), 3);
	param.ep_attr.max_recv_dtos = DAT_HW_DEFAULT;
	ASSERT_EQ(dat_ep_modify(made, DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &param), DAT_SUCCESS);
	EXPECT_EQ(told(), DAT_HW_DEFAULT);
	EXPECT_EQ(module.modified.max_recvs, 0u);
}

/* What stands there is whatever the program had on its stack. */
TEST_F(SrqTest, NoSoftMarkWithoutAnSrq)
{
	DAT_EP_PARAM param{};
	DAT_EP_ATTR attr{};
	DAT_EP_HANDLE made;

	attr.max_recv_dtos = attr.max_request_dtos = 4;
	attr.srq_soft_hw = 3;
	ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, &attr, &made), DAT_SUCCESS);
	EXPECT_EQ(module.calls(KDAPL_EP_SET_MARKS), 0u);
	EXPECT_EQ(dat_ep_query(made, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.ep_attr.srq_soft_hw, DAT_HW_DEFAULT);
}

TEST_F(SrqTest, SoftMarkOfTheAttributes)
{
	DAT_EP_ATTR attr{};
	DAT_EP_HANDLE made;

	attr.max_request_dtos = 4;
	attr.srq_soft_hw = 3;
	ASSERT_EQ(dat_ep_create_with_srq(ia, pz, dto_evd, dto_evd, conn_evd, srq, &attr, &made),
		  DAT_SUCCESS);
	EXPECT_EQ(module.marks.soft, 3u);
	EXPECT_EQ(module.marks.hard, KDAPL_MARK_INFINITE);
	module.fail_next(KDAPL_EP_SET_MARKS, ENOMEM);
	const std::size_t objects = module.objects();
	EXPECT_TRUE(is_error(
		dat_ep_create_with_srq(ia, pz, dto_evd, dto_evd, conn_evd, srq, &attr, &made),
		DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY));
	EXPECT_EQ(module.objects(), objects);
}

TEST_F(SrqTest, PostsAnEntryThatNamesTheSrq)
{
	DAT_LMR_TRIPLET iov[2] = { segment(0, 8), segment(100, 16) };

	ASSERT_EQ(dat_srq_post_recv(srq, 2, iov, cookie(77)), DAT_SUCCESS);
	ASSERT_EQ(dat_srq_post_recv(srq, 0, nullptr, cookie(78)), DAT_SUCCESS);
	ASSERT_EQ(module.taken.size(), 2u);
	const kdapl_sqe &sqe = module.taken[0];
	EXPECT_EQ(sqe.ep, srq_id);
	EXPECT_EQ(sqe.op, KDAPL_OP_RECV);
	EXPECT_EQ(sqe.num_seg, 2);
	EXPECT_EQ(sqe.cookie, 77u);
	EXPECT_EQ(sqe.flags, 0);
	EXPECT_EQ(sqe.imm, 0u);
	EXPECT_EQ(sqe.seg[1].addr, iov[1].virtual_address);
	EXPECT_EQ(sqe.seg[1].length, 16u);
	EXPECT_EQ(module.taken[1].num_seg, 0);
}

TEST_F(SrqTest, PostChecksItsArguments)
{
	DAT_LMR_TRIPLET iov[3] = { segment(0, 8), segment(0, 8), segment(0, 8) };
	DAT_LMR_CONTEXT readable, foreign;
	DAT_PZ_HANDLE zone;

	ASSERT_EQ(dat_pz_create(ia, &zone), DAT_SUCCESS);
	make_lmr(DAT_MEM_PRIV_LOCAL_READ_FLAG, pz, &readable);
	make_lmr(DAT_MEM_PRIV_ALL_FLAG, zone, &foreign);
	const auto try_one = [&](DAT_LMR_TRIPLET one) {
		return dat_srq_post_recv(srq, 1, &one, cookie(1));
	};

	EXPECT_TRUE(is_error(dat_srq_post_recv(taker, 1, iov, cookie(1)), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_SRQ));
	EXPECT_TRUE(is_error(dat_srq_post_recv(srq, -1, iov, cookie(1)), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_srq_post_recv(srq, 3, iov, cookie(1)), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_srq_post_recv(srq, 1, nullptr, cookie(1)), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(try_one(segment(memory.size() - 4, 8)), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	DAT_LMR_TRIPLET one = segment(0, 8);
	one.lmr_context = readable;
	EXPECT_TRUE(is_error(try_one(one), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE));
	one.lmr_context = foreign;
	EXPECT_TRUE(is_error(try_one(one), DAT_PROTECTION_VIOLATION, DAT_PROTECTION_WRITE));
	one.lmr_context = 0x7fffffff;
	EXPECT_TRUE(is_error(try_one(one), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE));
	EXPECT_TRUE(module.taken.empty());
	expect_counts(0, 0);
}

TEST_F(SrqTest, AnEpWithAnSrqTakesNoReceives)
{
	DAT_LMR_TRIPLET one = segment(0, 8);

	EXPECT_TRUE(
		is_error(dat_ep_post_recv(taker, 1, &one, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
			 DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE));
}

/* As the manual page has it: taken is not yet reaped. */
TEST_F(SrqTest, CountsWhatIsAvailableAndOutstanding)
{
	DAT_EVENT event;

	for (DAT_UINT64 i = 0; i < 3; i++)
		ASSERT_EQ(post(i), DAT_SUCCESS);
	expect_counts(3, 3);
	module_has(2, 1);
	complete(0);
	expect_counts(2, 3);
	ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(event.event_data.dto_completion_event_data.transfered_length, 8u);
	EXPECT_EQ(event.event_data.dto_completion_event_data.ep_handle, taker);
	expect_counts(2, 2);
	/* One that the module dropped is not waited for. */
	module_has(1, 2);
	module.srq(srq_id).status->dropped = 1;
	expect_counts(1, 1);
}

TEST_F(SrqTest, IsFullUntilAnEventIsTaken)
{
	DAT_EVENT event;

	for (DAT_COUNT i = 0; i < size; i++)
		ASSERT_EQ(post(), DAT_SUCCESS);
	module_has(size - 1, 1);
	complete(0);
	EXPECT_TRUE(is_error(post(), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS));
	ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(post(), DAT_SUCCESS);
	EXPECT_TRUE(is_error(post(), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS));
}

TEST_F(SrqTest, EventsThatAreFreedWithTheirQueue)
{
	for (DAT_COUNT i = 0; i < 3; i++)
		ASSERT_EQ(post(), DAT_SUCCESS);
	module_has(1, 2);
	complete(0);
	complete(1);
	ASSERT_EQ(dat_ep_free(taker), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_free(ep), DAT_SUCCESS);
	expect_counts(1, 3);
	ASSERT_EQ(dat_evd_free(dto_evd), DAT_SUCCESS);
	expect_counts(1, 1);
}

TEST_F(SrqTest, EventsOfAnSrqThatIsGone)
{
	DAT_EVENT event;

	ASSERT_EQ(post(), DAT_SUCCESS);
	complete(5);
	EXPECT_TRUE(is_error(dat_srq_free(srq), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE));
	ASSERT_EQ(dat_ep_free(taker), DAT_SUCCESS);
	ASSERT_EQ(dat_srq_free(srq), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_srq_free(srq), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ));
	ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, 5u);
}

TEST_F(SrqTest, RingsOnlyWhileFewAreLeft)
{
	DAT_SRQ_ATTR attr = { 200, 1, 0 };
	DAT_LMR_TRIPLET one = segment(0, 8);
	DAT_SRQ_HANDLE large;

	ASSERT_EQ(dat_srq_create(ia, pz, &attr, &large), DAT_SUCCESS);
	const std::uint32_t id = module.last_id();
	for (std::uint32_t i = 0; i < 16; i++) {
		ASSERT_EQ(dat_srq_post_recv(large, 1, &one, cookie(i)), DAT_SUCCESS);
		module.srq(id).status->hw_recv++;
	}
	EXPECT_EQ(module.calls(KDAPL_DOORBELL), 16u);
	for (std::uint32_t i = 0; i < 16; i++)
		ASSERT_EQ(dat_srq_post_recv(large, 1, &one, cookie(i)), DAT_SUCCESS);
	EXPECT_EQ(module.calls(KDAPL_DOORBELL), 16u);
	/* More than that do not wait in the ring. */
	ASSERT_EQ(dat_srq_post_recv(large, 1, &one, cookie(1)), DAT_SUCCESS);
	EXPECT_EQ(module.calls(KDAPL_DOORBELL), 17u);
}

/* The module hears late of what an endpoint with solicited receives took. */
TEST_F(SrqTest, RingsAlwaysForSolicitedReceives)
{
	DAT_EP_ATTR attr{};
	DAT_EP_PARAM param{};
	DAT_EP_HANDLE made;
	const DAT_EVD_HANDLE recvs = make_evd(DAT_EVD_DTO_FLAG);
	const auto rings = [&] {
		const unsigned before = module.calls(KDAPL_DOORBELL);
		EXPECT_EQ(post(), DAT_SUCCESS);
		return module.calls(KDAPL_DOORBELL) - before;
	};

	module_has(100, 0);
	EXPECT_EQ(rings(), 0u);
	attr.max_request_dtos = 4;
	attr.srq_soft_hw = DAT_HW_DEFAULT;
	attr.recv_completion_flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
	ASSERT_EQ(dat_ep_create_with_srq(ia, pz, recvs, dto_evd, conn_evd, srq, &attr, &made),
		  DAT_SUCCESS);
	EXPECT_EQ(module.ep(module.last_id()).created.recv_notify, KDAPL_NOTIFY_SOLICITED);
	EXPECT_EQ(rings(), 1u);

	DAT_SRQ_ATTR another = { size, 2, DAT_SRQ_LW_DEFAULT };
	ASSERT_EQ(dat_srq_create(ia, pz, &another, &srq), DAT_SUCCESS);
	srq_id = module.last_id();
	module_has(100, 0);
	attr.recv_completion_flags = DAT_COMPLETION_DEFAULT_FLAG;
	ASSERT_EQ(dat_ep_create_with_srq(ia, pz, dto_evd, dto_evd, conn_evd, srq, &attr, &made),
		  DAT_SUCCESS);
	EXPECT_EQ(rings(), 0u);
	param.recv_evd_handle = recvs;
	param.ep_attr.recv_completion_flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
	ASSERT_EQ(dat_ep_modify(made,
				DAT_EP_FIELD_RECV_EVD_HANDLE |
					DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS,
				&param),
		  DAT_SUCCESS);
	EXPECT_EQ(module.modified.recv_notify, KDAPL_NOTIFY_SOLICITED);
	EXPECT_EQ(rings(), 1u);
}

TEST_F(SrqTest, Resize)
{
	for (DAT_COUNT i = 0; i < 5; i++)
		ASSERT_EQ(post(), DAT_SUCCESS);
	ASSERT_EQ(dat_srq_resize(srq, 20), DAT_SUCCESS);
	EXPECT_EQ(module.srq(srq_id).slots, 20u);
	EXPECT_EQ(query().max_recv_dtos, 20);
	/* It gets shorter in the library alone. */
	ASSERT_EQ(dat_srq_resize(srq, 6), DAT_SUCCESS);
	EXPECT_EQ(query().max_recv_dtos, 6);
	ASSERT_EQ(post(), DAT_SUCCESS);
	EXPECT_TRUE(is_error(post(), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS));
	EXPECT_TRUE(is_error(dat_srq_resize(srq, 5), DAT_INVALID_STATE));
	EXPECT_TRUE(is_error(dat_srq_resize(srq, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(
		is_error(dat_srq_resize(srq, 1025), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_SRQ));
	EXPECT_TRUE(is_error(dat_srq_resize(pz, 5), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ));
	module.fail_next(KDAPL_SRQ_RESIZE, ENOMEM);
	EXPECT_TRUE(
		is_error(dat_srq_resize(srq, 30), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY));
	EXPECT_EQ(query().max_recv_dtos, 6);
}

TEST_F(SrqTest, LowWatermark)
{
	ASSERT_EQ(dat_srq_set_lw(srq, 4), DAT_SUCCESS);
	EXPECT_EQ(module.srq(srq_id).low, 4u);
	EXPECT_EQ(query().low_watermark, 4);
	EXPECT_TRUE(
		is_error(dat_srq_set_lw(srq, size + 1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_srq_set_lw(srq, -1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_srq_set_lw(pz, 1), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ));
	EXPECT_TRUE(is_error(dat_srq_resize(srq, 3), DAT_INVALID_STATE));

	kdapl_event event{};
	DAT_EVENT got;
	event.type = DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR;
	event.user = module.srq(srq_id).created.user;
	event.status = DAT_SRQ_LOW_WATERMARK_EVENT;
	module.post(module.srq(srq_id).created.async_evd, event);
	ASSERT_EQ(dat_evd_dequeue(async_evd, &got), DAT_SUCCESS);
	EXPECT_EQ(got.event_number, DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR);
	EXPECT_EQ(got.event_data.asynch_error_event_data.dat_handle, srq);
	EXPECT_EQ(got.event_data.asynch_error_event_data.reason, DAT_SRQ_LOW_WATERMARK_EVENT);
}

TEST_F(SrqTest, QueryChecksItsArguments)
{
	DAT_SRQ_PARAM param;

	EXPECT_TRUE(is_error(dat_srq_query(pz, DAT_SRQ_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_SRQ));
	EXPECT_TRUE(is_error(dat_srq_query(srq, static_cast<DAT_SRQ_PARAM_MASK>(0x100), &param),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_srq_query(srq, DAT_SRQ_FIELD_ALL, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
}

TEST_F(SrqTest, RecvQueryCountsWhatWasTaken)
{
	DAT_COUNT buffers, span;

	module.ep(taker_id).status->hw_recv = 5;
	module.ep(taker_id).status->recv_done = 3;
	ASSERT_EQ(dat_ep_recv_query(taker, &buffers, &span), DAT_SUCCESS);
	EXPECT_EQ(buffers, 2);
	EXPECT_EQ(span, 2);
}

TEST_F(SrqTest, WatermarksOfAnEp)
{
	ASSERT_EQ(dat_ep_set_watermark(ep, 5, 9), DAT_SUCCESS);
	EXPECT_EQ(module.marks.ep, ep_id);
	EXPECT_EQ(module.marks.soft, 5u);
	EXPECT_EQ(module.marks.hard, 9u);
	ASSERT_EQ(dat_ep_set_watermark(ep, 0, DAT_WATERMARK_INFINITE), DAT_SUCCESS);
	EXPECT_EQ(module.marks.soft, 0u);
	EXPECT_EQ(module.marks.hard, KDAPL_MARK_INFINITE);
	EXPECT_TRUE(
		is_error(dat_ep_set_watermark(ep, -2, 1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(
		is_error(dat_ep_set_watermark(ep, 1, -2), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_ep_set_watermark(srq, 1, 1), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EP));
}

/* The module counts what it has taken, so a receive that may pass a mark rings. */
TEST_F(SrqTest, AReceiveRingsWhereThereIsAMark)
{
	DAT_LMR_TRIPLET one = segment(0, 8);
	const auto rings = [&] {
		const unsigned before = module.calls(KDAPL_DOORBELL);
		EXPECT_EQ(dat_ep_post_recv(ep, 1, &one, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
			  DAT_SUCCESS);
		return module.calls(KDAPL_DOORBELL) - before;
	};
	const auto set = [&](DAT_COUNT soft, DAT_COUNT hard) {
		return dat_ep_set_watermark(ep, soft, hard);
	};
	constexpr DAT_COUNT none = DAT_WATERMARK_INFINITE;

	module.set_hw_recv(ep_id, 100);
	EXPECT_EQ(rings(), 0u);
	ASSERT_EQ(set(20, none), DAT_SUCCESS);
	EXPECT_EQ(rings(), 1u);
	ASSERT_EQ(set(none, 20), DAT_SUCCESS);
	EXPECT_EQ(rings(), 1u);
	module.fail_next(KDAPL_EP_SET_MARKS, ENOMEM);
	EXPECT_NE(set(none, none), DAT_SUCCESS);
	EXPECT_EQ(rings(), 1u) << "the old mark holds";
	ASSERT_EQ(set(none, none), DAT_SUCCESS);
	EXPECT_EQ(rings(), 0u);
	module.fail_next(KDAPL_EP_SET_MARKS, ENOMEM);
	EXPECT_NE(set(20, 20), DAT_SUCCESS);
	EXPECT_EQ(rings(), 0u);
}

TEST_F(SrqTest, AnAdapterWithoutSrqs)
{
	ASSERT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	module.attributes.max_srqs = 0;
	ASSERT_NO_FATAL_FAILURE(open());
	DAT_SRQ_ATTR attr = { 4, 1, 0 };
	DAT_PROVIDER_ATTR provider{};
	DAT_SRQ_HANDLE made;

	ASSERT_EQ(dat_pz_create(ia, &pz), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_srq_create(ia, pz, &attr, &made), DAT_MODEL_NOT_SUPPORTED));
	ASSERT_EQ(dat_ia_query(ia, nullptr, DAT_IA_FIELD_NONE, nullptr, DAT_PROVIDER_FIELD_ALL,
			       &provider),
		  DAT_SUCCESS);
	EXPECT_FALSE(provider.srq_supported);
	EXPECT_EQ(provider.srq_watermarks_supported, 0x110);
}

} // namespace

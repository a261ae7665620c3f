// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Transfers that only uDAPL 2.0 has, its extensions among them.

#include "fake/session.hpp"

#include <dat2/dat_ib_extensions.h>

#include <chrono>
#include <cstdarg>
#include <cstring>
#include <future>

namespace {

using fake::is_error;

constexpr DAT_COMPLETION_FLAGS plain = DAT_COMPLETION_DEFAULT_FLAG;
constexpr DAT_COMPLETION_FLAGS solicited = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
constexpr DAT_COMPLETION_FLAGS fenced = DAT_COMPLETION_BARRIER_FENCE_FLAG;

/** An adapter without any of them, and a connected EP. */
class Transfer2 : public fake::Session {
protected:
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Session::SetUp());
		module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
	}
	DAT_RETURN send(DAT_BOOLEAN invalidate, DAT_COMPLETION_FLAGS flags = plain)
	{
		return dat_ep_post_send_with_invalidate(ep, 1, &one, cookie(1), flags, invalidate,
							77);
	}
	DAT_RETURN read_to_rmr(DAT_COMPLETION_FLAGS flags = plain)
	{
		return dat_ep_post_rdma_read_to_rmr(ep, &window, cookie(2), &remote, flags);
	}
	DAT_RETURN write(DAT_COMPLETION_FLAGS flags = plain)
	{
		return dat_ib_post_rdma_write_immed(ep, 1, &one, cookie(3), &remote, 0x7777, flags);
	}
	DAT_RETURN add(DAT_COMPLETION_FLAGS flags = plain)
	{
		return dat_ib_post_fetch_and_add(ep, 5, &one, cookie(4), &remote, flags);
	}
	DAT_RETURN swap(DAT_COMPLETION_FLAGS flags = plain)
	{
		return dat_ib_post_cmp_and_swap(ep, 6, 7, &one, cookie(5), &remote, flags);
	}

	DAT_LMR_TRIPLET one{};
	DAT_RMR_TRIPLET window = fake::remote(99, 0x5000, 16);
	DAT_RMR_TRIPLET remote = fake::remote(88, 0x1000, 8);
};

/** One with all of them. */
class Extensions2 : public Transfer2 {
protected:
	Extensions2() { module.attributes.flags = KDAPL_IA_ATOMIC | KDAPL_IA_IMM | KDAPL_IA_INV; }
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Transfer2::SetUp());
		one = segment(64, 8);
	}
	/** The entry that the last of so many posts made. */
	kdapl_sqe posted(std::size_t count)
	{
		EXPECT_EQ(module.taken.size(), count);
		return module.taken.empty() ? kdapl_sqe{} : module.taken.back();
	}
	/** A receive brings a value. */
	void arrives(std::uint32_t operation, std::uint32_t value)
	{
		kdapl_event from{};

		from.user = module.ep(ep_id).created.user;
		from.cookie = 11;
		from.length = 24;
		from.status = operation << KDAPL_EV_OP_SHIFT | KDAPL_EV_VALUE;
		from.type = value;
		module.post(dto_evd_id, from);
	}
	/** A receive that brought a value. */
	DAT_EVENT received(std::uint32_t operation, std::uint32_t value)
	{
		DAT_EVENT event;

		arrives(operation, value);
		std::memset(&event, 0xff, sizeof event);
		EXPECT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
		return event;
	}
	static DAT_IB_EXTENSION_EVENT_DATA extension_of(const DAT_EVENT &event)
	{
		DAT_IB_EXTENSION_EVENT_DATA data;

		std::memcpy(&data, event.event_extension_data, sizeof data);
		return data;
	}
};

/* ---- What is posted ---- */

TEST_F(Extensions2, ASendCanInvalidate)
{
	ASSERT_EQ(send(DAT_TRUE, solicited), DAT_SUCCESS);
	kdapl_sqe sqe = posted(1);
	EXPECT_EQ(sqe.op, KDAPL_OP_SEND_INV);
	EXPECT_EQ(sqe.rkey, 77u);
	EXPECT_EQ(sqe.flags, KDAPL_SQE_SOLICITED);
	EXPECT_EQ(sqe.cookie, 1u);
	ASSERT_EQ(sqe.num_seg, 1u);
	EXPECT_EQ(sqe.seg[0].lmr, lmr_context);
	ASSERT_EQ(send(DAT_FALSE), DAT_SUCCESS);
	sqe = posted(2);
	EXPECT_EQ(sqe.op, KDAPL_OP_SEND);
	EXPECT_EQ(sqe.rkey, 0u);

	EXPECT_TRUE(is_error(
		dat_ep_post_send_with_invalidate(pz, 1, &one, cookie(1), plain, DAT_TRUE, 77),
		DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
	EXPECT_TRUE(is_error(
		dat_ep_post_send_with_invalidate(ep, 1, nullptr, cookie(1), plain, DAT_TRUE, 77),
		DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(send(DAT_TRUE, DAT_COMPLETION_UNSIGNALLED_FLAG), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG5));
	posted(2);
}

TEST_F(Extensions2, AReadCanFillAWindow)
{
	ASSERT_EQ(read_to_rmr(fenced), DAT_SUCCESS);
	const kdapl_sqe sqe = posted(1);
	EXPECT_EQ(sqe.op, KDAPL_OP_READ_RMR);
	EXPECT_EQ(sqe.flags, KDAPL_SQE_FENCE);
	EXPECT_EQ(sqe.remote_addr, 0x1000u);
	EXPECT_EQ(sqe.rkey, 88u);
	ASSERT_EQ(sqe.num_seg, 1u);
	EXPECT_EQ(sqe.seg[0].addr, 0x5000u);
	EXPECT_EQ(sqe.seg[0].length, 8u) << "as much as is remote";
	EXPECT_EQ(sqe.seg[0].lmr, 99u) << "an RMR context, which the module knows";

	EXPECT_TRUE(is_error(read_to_rmr(solicited), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
	EXPECT_TRUE(is_error(dat_ep_post_rdma_read_to_rmr(ep, nullptr, cookie(1), &remote, plain),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_ep_post_rdma_read_to_rmr(ep, &window, cookie(1), nullptr, plain),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(dat_ep_post_rdma_read_to_rmr(pz, &window, cookie(1), &remote, plain),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
	remote.segment_length = 17;
	EXPECT_TRUE(is_error(read_to_rmr(), DAT_LENGTH_ERROR));
	posted(1);
}

TEST_F(Extensions2, AWriteCanBringImmediateData)
{
	ASSERT_EQ(write(solicited), DAT_SUCCESS);
	const kdapl_sqe sqe = posted(1);
	EXPECT_EQ(sqe.op, KDAPL_OP_WRITE_IMM);
	EXPECT_EQ(sqe.imm, 0x7777u);
	EXPECT_EQ(sqe.flags, KDAPL_SQE_SOLICITED);
	EXPECT_EQ(sqe.cookie, 3u);
	EXPECT_EQ(sqe.remote_addr, 0x1000u);
	EXPECT_EQ(sqe.rkey, 88u);
	ASSERT_EQ(sqe.num_seg, 1u);
	EXPECT_EQ(sqe.seg[0].length, 8u);

	remote.segment_length = 7;
	EXPECT_TRUE(is_error(write(), DAT_LENGTH_ERROR));
	EXPECT_TRUE(
		is_error(dat_ib_post_rdma_write_immed(ep, 1, &one, cookie(3), nullptr, 0, plain),
			 DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
	EXPECT_TRUE(
		is_error(dat_ib_post_rdma_write_immed(ep, 1, nullptr, cookie(3), &remote, 0, plain),
			 DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(
		is_error(dat_ib_post_rdma_write_immed(pz, 1, &one, cookie(3), &remote, 0, plain),
			 DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP));
	EXPECT_TRUE(is_error(write(DAT_COMPLETION_UNSIGNALLED_FLAG), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG6));
	posted(1);
}

TEST_F(Extensions2, AtomicOperations)
{
	ASSERT_EQ(add(fenced), DAT_SUCCESS);
	kdapl_sqe sqe = posted(1);
	EXPECT_EQ(sqe.op, KDAPL_OP_FETCH_ADD);
	EXPECT_EQ(sqe.flags, KDAPL_SQE_FENCE);
	EXPECT_EQ(sqe.seg[1].addr, 5u);
	EXPECT_EQ(sqe.seg[2].addr, 0u);
	ASSERT_EQ(swap(), DAT_SUCCESS);
	sqe = posted(2);
	EXPECT_EQ(sqe.op, KDAPL_OP_CMP_SWAP);
	EXPECT_EQ(sqe.cookie, 5u);
	EXPECT_EQ(sqe.remote_addr, 0x1000u);
	EXPECT_EQ(sqe.rkey, 88u);
	EXPECT_EQ(sqe.imm, 0u);
	ASSERT_EQ(sqe.num_seg, 1u);
	EXPECT_EQ(sqe.seg[0].addr, one.virtual_address);
	EXPECT_EQ(sqe.seg[0].length, 8u);
	EXPECT_EQ(sqe.seg[1].addr, 6u) << "compared";
	EXPECT_EQ(sqe.seg[2].addr, 7u) << "stored";
}

TEST_F(Extensions2, AtomicOperationsAreOnEightAlignedBytes)
{
	DAT_LMR_TRIPLET unwritable = segment(0, 8);

	EXPECT_TRUE(is_error(add(solicited), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6));
	EXPECT_TRUE(is_error(dat_ib_post_fetch_and_add(ep, 5, nullptr, cookie(4), &remote, plain),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_ib_post_cmp_and_swap(ep, 5, 6, &one, cookie(4), nullptr, plain),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
	make_lmr(DAT_MEM_PRIV_LOCAL_READ_FLAG, pz, &unwritable.lmr_context);
	EXPECT_TRUE(
		is_error(dat_ib_post_fetch_and_add(ep, 5, &unwritable, cookie(4), &remote, plain),
			 DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE));
	remote.virtual_address++;
	EXPECT_TRUE(is_error(swap(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
	remote = fake::remote(88, 0x1000, 7);
	EXPECT_TRUE(is_error(add(), DAT_LENGTH_ERROR));
	remote = fake::remote(88, 0x1000, 4096);
	one.segment_length = 16;
	EXPECT_TRUE(is_error(swap(), DAT_LENGTH_ERROR));
	one.segment_length = 4;
	EXPECT_TRUE(is_error(swap(), DAT_LENGTH_ERROR));
	posted(0);
	one.segment_length = 8;
	EXPECT_EQ(swap(), DAT_SUCCESS) << "more may be registered there";
}

/* ---- What is told ---- */

TEST_F(Extensions2, AReceiveTellsWhatItMadeInvalid)
{
	const DAT_EVENT event = received(DAT_DTO_RECEIVE_WITH_INVALIDATE, 1234);
	const auto &dto = event.event_data.dto_completion_event_data;

	EXPECT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
	EXPECT_EQ(dto.ep_handle, ep);
	EXPECT_EQ(dto.user_cookie.as_64, 11u);
	EXPECT_EQ(dto.status, DAT_DTO_SUCCESS);
	EXPECT_EQ(dto.transfered_length, 24u);
	EXPECT_EQ(dto.operation, DAT_DTO_RECEIVE_WITH_INVALIDATE);
	EXPECT_EQ(dto.rmr_context, 1234u);
}

/* A context that is not its own, or not any more, says nothing of a window. */
TEST_F(Extensions2, AWindowKnowsThatItWasMadeInvalid)
{
	DAT_RMR_CONTEXT first = 0, second = 0;
	DAT_RMR_HANDLE rmr;
	DAT_RMR_PARAM param;
	const auto bind = [&](DAT_RMR_CONTEXT *context) {
		return fake::rmr_bind(rmr, lmr, &one, DAT_MEM_PRIV_REMOTE_READ_FLAG, ep, cookie(1),
				      plain, context);
	};

	ASSERT_EQ(dat_rmr_create(pz, &rmr), DAT_SUCCESS);
	ASSERT_EQ(bind(&first), DAT_SUCCESS);
	ASSERT_EQ(bind(&second), DAT_SUCCESS);
	received(DAT_DTO_RECEIVE_WITH_INVALIDATE, first);
	ASSERT_EQ(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.rmr_context, second);
	EXPECT_EQ(param.lmr_triplet.segment_length, 8u);
	received(DAT_DTO_RECEIVE_WITH_INVALIDATE, second);
	ASSERT_EQ(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.rmr_context, 0u);
	EXPECT_EQ(param.lmr_triplet.segment_length, 0u);
	EXPECT_EQ(bind(&first), DAT_SUCCESS);
}

/* A bind may have to wait for memory. Who takes an event or asks does not wait for it. */
TEST_F(Extensions2, ABindUnderWayIsInNobodysWay)
{
	DAT_RMR_CONTEXT first = 0, second = 0;
	DAT_RMR_HANDLE rmr;
	DAT_RMR_PARAM param{};
	DAT_EVENT event;
	std::future<void> other;
	bool waited = true;
	const auto bind = [&](DAT_RMR_CONTEXT *context) {
		return fake::rmr_bind(rmr, lmr, &one, DAT_MEM_PRIV_REMOTE_READ_FLAG, ep, cookie(1),
				      plain, context);
	};

	ASSERT_EQ(dat_rmr_create(pz, &rmr), DAT_SUCCESS);
	ASSERT_EQ(bind(&first), DAT_SUCCESS);
	arrives(DAT_DTO_RECEIVE_WITH_INVALIDATE, first);
	module.on_bind = [&] {
		other = std::async(std::launch::async, [&] {
			EXPECT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
			EXPECT_EQ(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &param), DAT_SUCCESS);
		});
		waited = other.wait_for(std::chrono::seconds(10)) != std::future_status::ready;
	};
	ASSERT_EQ(bind(&second), DAT_SUCCESS);
	other.get();
	EXPECT_FALSE(waited);
	EXPECT_EQ(param.rmr_context, 0u);
	ASSERT_EQ(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.rmr_context, second);
}

TEST_F(Extensions2, AReceiveTellsImmediateData)
{
	const struct {
		unsigned operation;
		DAT_IB_EXT_TYPE type;
		std::uint32_t value;
	} cases[] = {
		{ DAT_IB_DTO_RECV_IMMED, DAT_IB_RDMA_WRITE_IMMED_DATA, 0x7777 },
		{ DAT_IB_DTO_RECV_MSG_IMMED, DAT_IB_RECV_IMMED_DATA, 0 },
		{ DAT_IB_DTO_RECV_MSG_IMMED, DAT_IB_RECV_IMMED_DATA, DAT_CONNECTION_REQUEST_EVENT },
	};

	for (const auto &expected : cases) {
		const DAT_EVENT event = received(expected.operation, expected.value);
		const auto &dto = event.event_data.dto_completion_event_data;
		EXPECT_EQ(event.event_number, DAT_IB_EXTENSION_RANGE_BASE);
		EXPECT_EQ(dto.ep_handle, ep);
		EXPECT_EQ(dto.user_cookie.as_64, 11u);
		EXPECT_EQ(dto.transfered_length, 24u);
		EXPECT_EQ(static_cast<unsigned>(dto.operation), expected.operation);
		EXPECT_EQ(dto.rmr_context, 0u);
		EXPECT_EQ(extension_of(event).type, expected.type);
		EXPECT_EQ(extension_of(event).status, DAT_OP_SUCCESS);
		EXPECT_EQ(extension_of(event).val.immed.data, expected.value);
	}
}

TEST_F(Extensions2, ARequestTellsWhichItWas)
{
	const struct {
		unsigned operation;
		DAT_IB_EXT_TYPE type;
	} cases[] = {
		{ DAT_IB_DTO_RDMA_WRITE_IMMED, DAT_IB_RDMA_WRITE_IMMED },
		{ DAT_IB_DTO_FETCH_ADD, DAT_IB_FETCH_AND_ADD },
		{ DAT_IB_DTO_CMP_SWAP, DAT_IB_CMP_AND_SWAP },
	};

	for (const auto &expected : cases) {
		DAT_EVENT event;
		module.post_dto(dto_evd_id, ep_id, 9, 8,
				DAT_DTO_ERR_REMOTE_ACCESS | expected.operation
								    << KDAPL_EV_OP_SHIFT);
		ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
		EXPECT_EQ(event.event_number, DAT_IB_EXTENSION_RANGE_BASE);
		EXPECT_EQ(event.event_data.dto_completion_event_data.status,
			  DAT_DTO_ERR_REMOTE_ACCESS);
		EXPECT_EQ(extension_of(event).type, expected.type);
		EXPECT_EQ(extension_of(event).status, DAT_IB_OP_ERR);
	}
}

TEST_F(Extensions2, TheAdapterSaysSo)
{
	DAT_PROVIDER_ATTR provider{};
	DAT_IA_ATTR attr;
	unsigned found = 0;

	ASSERT_EQ(dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL, &attr, DAT_PROVIDER_FIELD_ALL,
			       &provider),
		  DAT_SUCCESS);
	EXPECT_EQ(attr.extension_supported, DAT_EXTENSION_IB);
	EXPECT_EQ(attr.extension_version, DAT_IB_EXTENSION_VERSION);
	for (DAT_COUNT i = 0; i < provider.num_provider_specific_attr; i++) {
		const DAT_NAMED_ATTR &named = provider.provider_specific_attr[i];
		for (const char *name : { DAT_IB_ATTR_FETCH_AND_ADD, DAT_IB_ATTR_CMP_AND_SWAP,
					  DAT_IB_ATTR_IMMED_DATA, DAT_IB_ATTR_COUNTERS })
			found +=
				!std::strcmp(named.name, name) && !std::strcmp(named.value, "TRUE");
		EXPECT_STRNE(named.name, DAT_IB_ATTR_UD);
		EXPECT_NE(std::strncmp(named.name, "DAT_COLL_", 9), 0) << named.name;
	}
	EXPECT_EQ(found, 4u);
}

/* ---- Memory and queues for them ---- */

TEST_F(Extensions2, MemoryForAtomicOperations)
{
	DAT_REGION_DESCRIPTION region;
	DAT_RMR_CONTEXT context = 0;
	DAT_LMR_HANDLE made;
	DAT_LMR_PARAM param;

	region.for_va = memory.data();
	ASSERT_EQ(fake::lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 8, pz,
				   static_cast<DAT_MEM_PRIV_FLAGS>(DAT_IB_MEM_PRIV_REMOTE_ATOMIC),
				   &made, nullptr, &context),
		  DAT_SUCCESS);
	EXPECT_TRUE(module.lmr_asked.privileges & KDAPL_PRIV_REMOTE_ATOMIC);
	EXPECT_NE(context, 0u);
	ASSERT_EQ(dat_lmr_query(made, DAT_LMR_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_TRUE(param.mem_priv & DAT_MEM_PRIV_EXTENSION_BASE);
}

/* dtestx asks for it wherever there are extensions. */
TEST_F(Extensions2, MemoryWhereThereAreNoAtomicOperations)
{
	constexpr auto asked = static_cast<DAT_MEM_PRIV_FLAGS>(int{ DAT_MEM_PRIV_ALL_FLAG } |
							       DAT_IB_MEM_PRIV_REMOTE_ATOMIC);
	DAT_REGION_DESCRIPTION region;
	DAT_RMR_CONTEXT context = 0;
	DAT_LMR_HANDLE made;
	const auto open_and_make = [&](std::uint32_t flags) {
		module.attributes.flags = flags;
		EXPECT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
		async_evd = DAT_HANDLE_NULL;
		SetUp();
		region.for_va = memory.data();
		return fake::lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 8, pz, asked, &made,
					nullptr, &context);
	};

	EXPECT_EQ(open_and_make(KDAPL_IA_IMM), DAT_SUCCESS);
	EXPECT_FALSE(module.lmr_asked.privileges & KDAPL_PRIV_REMOTE_ATOMIC);
	EXPECT_TRUE(is_error(open_and_make(0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6));
}

TEST_F(Extensions2, AnEvdForThemIsOneForTransfers)
{
	make_evd(static_cast<DAT_EVD_FLAGS>(DAT_IB_EVD_EXTENSION_FLAG));
	EXPECT_EQ(module.evd(module.last_id()).flags, std::uint32_t{ DAT_EVD_DTO_FLAG });
}

/* ---- What is not there ---- */

TEST_F(Extensions2, OtherOperationsAreNotThere)
{
	EXPECT_TRUE(is_error(dat_extension_op(ep, DAT_IB_UD_SEND_OP), DAT_NOT_IMPLEMENTED));
	EXPECT_TRUE(is_error(dat_extension_op(ep, -1), DAT_NOT_IMPLEMENTED));
	EXPECT_TRUE(is_error(dat_extension_op(this, DAT_IB_UD_SEND_OP), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE1));
	EXPECT_TRUE(is_error(dat_extension_op(DAT_HANDLE_NULL, DAT_IB_UD_SEND_OP),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1));
}

/* Programs that use them compile, and ask: no adapter has any. */
TEST_F(Extensions2, CollectiveOperationsAreNotThere)
{
	DAT_IB_COLLECTIVE_MEMBER member = nullptr;
	DAT_IB_COLLECTIVE_GROUP group{};
	DAT_CONTEXT context{};
	DAT_UINT64 clock = 0;
	DAT_UINT32 size = 0;

	for (int op = DAT_IB_COLLECTIVE_CREATE_MEMBER_OP; op <= DAT_IB_COLLECTIVE_BARRIER_OP; op++)
		EXPECT_TRUE(is_error(dat_extension_op(ep, op), DAT_NOT_IMPLEMENTED)) << op;
	const DAT_RETURN results[] = {
		dat_ib_collective_create_member(ia, nullptr, &member, &size),
		dat_ib_collective_free_member(ia, member),
		dat_ib_collective_create_group(&member, 1, 0, 7, &group, conn_evd, pz, context),
		dat_ib_collective_set_clock(ep, clock, context),
		dat_ib_collective_read_clock(ep, &clock),
		dat_ib_collective_broadcast(ep, memory.data(), 8, 0, context, plain),
		dat_ib_collective_barrier(ep, context, plain),
	};
	for (const DAT_RETURN got : results)
		EXPECT_TRUE(is_error(got, DAT_NOT_IMPLEMENTED));
	/* As nothing made a group, there is no handle of one. */
	EXPECT_TRUE(is_error(dat_ib_collective_free_group(member), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE1));
}

/* Of unconnected datagrams there is nothing, nor an EP for them. */
TEST_F(Extensions2, AnEpForDatagramsIsNotThere)
{
	DAT_EP_ATTR attr{};
	DAT_EP_HANDLE made = DAT_HANDLE_NULL;

	attr.service_type = static_cast<DAT_SERVICE_TYPE>(DAT_IB_SERVICE_TYPE_UD);
	attr.max_recv_dtos = attr.max_request_dtos = 8;
	EXPECT_TRUE(is_error(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, &attr, &made),
			     DAT_MODEL_NOT_SUPPORTED));
	EXPECT_EQ(made, DAT_HANDLE_NULL);
	attr.service_type = DAT_SERVICE_TYPE_RC;
	EXPECT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, &attr, &made), DAT_SUCCESS);
}

/* Nor is any, where the adapter has none. */
TEST_F(Transfer2, AnAdapterWithoutThem)
{
	DAT_REGION_DESCRIPTION region;
	DAT_LMR_HANDLE made;

	one = segment(0, 8);
	for (const DAT_RETURN got : { send(DAT_TRUE), read_to_rmr(), write(), add(), swap() })
		EXPECT_TRUE(is_error(got, DAT_MODEL_NOT_SUPPORTED));
	EXPECT_TRUE(module.taken.empty());
	EXPECT_EQ(send(DAT_FALSE), DAT_SUCCESS);
	region.for_va = memory.data();
	EXPECT_TRUE(is_error(
		fake::lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 8, pz,
				 static_cast<DAT_MEM_PRIV_FLAGS>(DAT_IB_MEM_PRIV_REMOTE_ATOMIC),
				 &made),
		DAT_INVALID_PARAMETER, DAT_INVALID_ARG6));
	EXPECT_TRUE(is_error(dat_evd_create(ia, 8, DAT_HANDLE_NULL,
					    static_cast<DAT_EVD_FLAGS>(DAT_IB_EVD_EXTENSION_FLAG),
					    &made),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
}

/* ---- Attributes without an open adapter ---- */

/** As other registries call it: the name in the handle's place. */
DAT_RETURN by_table(const DAT_PROVIDER *table, DAT_HANDLE handle, DAT_EXTENDED_OP op, ...)
{
	va_list args;

	va_start(args, op);
	const DAT_RETURN ret = table->handle_extendedop_func(handle, op, args);
	va_end(args);
	return ret;
}

TEST_F(Extensions2, AnAdapterCanBeAsked)
{
	char known[] = "fake0", unknown[] = "nosuch";
	DAT_PROVIDER_ATTR provider{};
	DAT_IA_HANDLE other = DAT_HANDLE_NULL;
	DAT_IA_ATTR attr{};

	ASSERT_EQ(dat_ib_open_query(known, &other, DAT_IA_FIELD_ALL, &attr, DAT_PROVIDER_FIELD_ALL,
				    &provider),
		  DAT_SUCCESS);
	EXPECT_STREQ(attr.adapter_name, "fake0");
	EXPECT_EQ(provider.dapl_version_major, 2u);
	EXPECT_EQ(dat_ib_close_query(other), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_ib_close_query(other), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(
		is_error(dat_ib_open_query(unknown, &other, DAT_IA_FIELD_ALL, &attr, 0, nullptr),
			 DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED));
	/* It is closed again; TearDown() sees whether. */
	EXPECT_TRUE(
		is_error(dat_ib_open_query(known, &other, DAT_IA_FIELD_ALL, nullptr, 0, nullptr),
			 DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
}

TEST_F(Extensions2, AnAdapterCanBeAskedThroughItsTable)
{
	const DAT_PROVIDER *table = DAT_HANDLE_TO_PROVIDER(ia);
	char known[] = "fake0";
	DAT_IA_HANDLE other = DAT_HANDLE_NULL, *const none = nullptr;
	DAT_PROVIDER_ATTR *const no_provider = nullptr;
	const DAT_IA_ATTR_MASK all = DAT_IA_FIELD_ALL, nothing = 0;
	DAT_IA_ATTR attr{};

	ASSERT_EQ(by_table(table, known, DAT_IB_OPEN_QUERY_OP, &other, all, &attr, nothing,
			   no_provider),
		  DAT_SUCCESS);
	EXPECT_STREQ(attr.adapter_name, "fake0");
	EXPECT_EQ(by_table(table, other, DAT_IB_CLOSE_QUERY_OP), DAT_SUCCESS);
	EXPECT_TRUE(is_error(by_table(table, known, DAT_IB_OPEN_QUERY_OP, none, all, &attr, nothing,
				      no_provider),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA));
}

} // namespace

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the manual pages of the four transfers say in the same words. */
#pragma once

#include "allocations.hpp"
#include "ep_states.hpp"
#include "play.hpp"
#include "result.hpp"
#include "sleeper.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace suite {

enum class Transfer { send, recv, read, write };

/** The call, with arguments that tests change. */
struct PostCall {
	DAT_RETURN operator()()
	{
		DAT_DTO_COOKIE user_cookie;

		user_cookie.as_64 = cookie;
		const auto completion = static_cast<DAT_COMPLETION_FLAGS>(flags);
		switch (transfer) {
		case Transfer::send:
			return dat_ep_post_send(ep, count, iov, user_cookie, completion);
		case Transfer::recv:
			return dat_ep_post_recv(ep, count, iov, user_cookie, completion);
		case Transfer::read:
			return dat_ep_post_rdma_read(ep, count, iov, user_cookie, remote,
						     completion);
		case Transfer::write:
			return dat_ep_post_rdma_write(ep, count, iov, user_cookie, remote,
						      completion);
		}
		return DAT_INTERNAL_ERROR;
	}

	Transfer transfer;
	DAT_EP_HANDLE ep = DAT_HANDLE_NULL;
	DAT_COUNT count = 1;
	DAT_LMR_TRIPLET *iov = nullptr;
	DAT_UINT64 cookie = 1;
	const DAT_RMR_TRIPLET *remote = nullptr;
	unsigned flags = DAT_COMPLETION_DEFAULT_FLAG;
};

/** A connection, and a call that transfers one segment over it. */
struct PostScene {
	explicit PostScene(Transfer transfer)
		: pair(adapter), region(adapter, 8192), far(adapter, 8192),
		  segment(region.local(0, 64)),
		  remote(far.remote(0, 64)), call{ .transfer = transfer,
						   .ep = pair.active.ep(),
						   .iov = &segment,
						   .remote = &remote }
	{
	}
	bool writes_locally() const
	{
		return call.transfer == Transfer::recv || call.transfer == Transfer::read;
	}
	bool is_rdma() const
	{
		return call.transfer == Transfer::read || call.transfer == Transfer::write;
	}
	EventQueue &queue()
	{
		return call.transfer == Transfer::recv ? pair.active.recv_queue() :
							 pair.active.request_queue();
	}

	/** All that was posted before was refused, and left no trace. */
	void require_no_effect(Location where = Location::current())
	{
		pair.active.require_state(DAT_EP_STATE_CONNECTED, where);
		queue().require_empty(where);
		pair.settle(where);
	}
	DAT_DTO_COMPLETION_EVENT_DATA completion(Location where = Location::current())
	{
		return queue()
			.expect(DAT_DTO_COMPLETION_EVENT, where)
			.event_data.dto_completion_event_data;
	}

	Adapter adapter;
	Pair pair;
	Region region, far;
	DAT_LMR_TRIPLET segment;
	DAT_RMR_TRIPLET remote;
	PostCall call;
};

inline void with_post(Transfer transfer, void (*body)(PostScene &))
{
	play([=](Line &) {
		PostScene scene(transfer);

		body(scene);
	});
}

/* "The ep_handle parameter is invalid." */
inline void check_invalid_handle(PostScene &s)
{
	DAT_EP_HANDLE freed;

	ok(dat_ep_create(s.adapter.ia(), s.adapter.pz(), DAT_HANDLE_NULL, DAT_HANDLE_NULL,
			 DAT_HANDLE_NULL, nullptr, &freed));
	ok(dat_ep_free(freed));
	for (DAT_EP_HANDLE ep :
	     { freed, DAT_EP_HANDLE(DAT_HANDLE_NULL), DAT_EP_HANDLE(s.region.lmr()) }) {
		s.call.ep = ep;
		refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	}
}

/* num_segments: as many as the endpoint's attributes say, and a list of them */
inline void check_num_segments(PostScene &s)
{
	std::vector<DAT_LMR_TRIPLET> list(100, s.region.local(0, 1));

	s.call.iov = list.data();
	for (DAT_COUNT count : { -1, INT32_MIN, 5, 100 }) {
		s.call.count = count;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	}
	s.call.count = 1;
	s.call.iov = nullptr;
	refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	s.require_no_effect();
}

/* "one of the IOV segments pointed to a memory outside its LMR" */
inline void check_outside_of_lmr(PostScene &s)
{
	DAT_LMR_TRIPLET list[2] = { s.region.local(0, 64), s.region.local(0, 64) };
	const DAT_VADDR start = s.segment.virtual_address;
	const DAT_VLEN all = s.region.size();

	s.call.iov = list;
	s.call.count = 2;
	s.remote = s.far.remote(0, 128);
	for (DAT_VADDR address : { start - 1, start + all - 63, start + all, ~DAT_VADDR{ 0 } }) {
		list[1].virtual_address = address;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	}
	s.require_no_effect();
}

/* "Protection Zone mismatch between an LMR of one of the local_iov segments and the ... Endpoint"
 */
inline void check_protection(PostScene &s)
{
	DAT_PZ_HANDLE pz;

	ok(dat_pz_create(s.adapter.ia(), &pz));
	{
		Region foreign(s.adapter, 4096, all_privileges, pz);

		s.segment = foreign.local(0, 64);
		refused(s.call(), DAT_PROTECTION_VIOLATION,
			s.writes_locally() ? DAT_PROTECTION_WRITE : DAT_PROTECTION_READ);
	}
	ok(dat_pz_free(pz));
	s.require_no_effect();
}

/* "One of the LMRs used in local_iov was either invalid or did not have the local ... privileges"
 */
inline void check_privileges(PostScene &s)
{
	const DAT_RETURN_SUBTYPE subtype =
		s.writes_locally() ? DAT_PRIVILEGES_WRITE : DAT_PRIVILEGES_READ;
	const DAT_MEM_PRIV_FLAGS other =
		s.writes_locally() ? DAT_MEM_PRIV_LOCAL_READ_FLAG : DAT_MEM_PRIV_LOCAL_WRITE_FLAG;

	for (DAT_MEM_PRIV_FLAGS privileges :
	     { DAT_MEM_PRIV_NONE_FLAG, other, DAT_MEM_PRIV_REMOTE_READ_FLAG,
	       DAT_MEM_PRIV_REMOTE_WRITE_FLAG }) {
		Region less(s.adapter, 4096, privileges);

		s.segment = less.local(0, 64);
		refused(s.call(), DAT_PRIVILEGES_VIOLATION, subtype);
	}
	Region gone(s.adapter, 4096);
	s.segment = gone.local(0, 64);
	gone.free();
	refused(s.call(), DAT_PRIVILEGES_VIOLATION, subtype);
	s.segment = s.region.local(0, 64);
	s.segment.lmr_context ^= 0x5a5a5a5a;
	refused(s.call(), DAT_PRIVILEGES_VIOLATION, subtype);
	s.require_no_effect();
}

/* "DAT_COMPLETION_UNSIGNALLED_FLAG is only valid if the Endpoint ... Otherwise" */
inline void check_unsignalled(PostScene &s)
{
	s.call.flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
	refused(s.call(), DAT_INVALID_PARAMETER, s.is_rdma() ? DAT_INVALID_ARG6 : DAT_INVALID_ARG5);
	s.require_no_effect();
}

/* "no requirement ... unique"; "The user_cookie is returned" */
inline void check_cookies(PostScene &s, const std::function<void()> &with_each)
{
	for (DAT_UINT64 cookie : { DAT_UINT64{ 5 }, DAT_UINT64{ 5 }, ~DAT_UINT64{ 0 } }) {
		s.call.cookie = cookie;
		ok(s.call());
		with_each();
		EXPECT_EQ(s.completion().user_cookie.as_64, cookie);
	}
}

/* "valid for the Endpoint in the ... CONNECTED and ... DISCONNECTED states" */
inline void check_request_states(PostScene &s)
{
	in_every_state(s.adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
		if (state == DAT_EP_STATE_CONNECTED || state == DAT_EP_STATE_DISCONNECTED)
			return;
		s.call.ep = ep;
		refused(s.call(), DAT_INVALID_STATE, subtype_of(state));
	});
}

/* "DAT_EP_STATE_DISCONNECTED state ... immediately flushed" */
inline void check_flushed(PostScene &s)
{
	ok(dat_ep_disconnect(s.pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
	s.pair.active.expect_end();
	s.call.cookie = 77;
	ok(s.call());
	const DAT_DTO_COMPLETION_EVENT_DATA dto = s.completion();
	EXPECT_EQ(dto.user_cookie.as_64, 77U);
	EXPECT_EQ(dto.status, DAT_DTO_ERR_FLUSHED);
	EXPECT_EQ(dto.ep_handle, s.pair.active.ep());
}

/* "should avoid resource allocation ... to ensure that this operation is nonblocking" */
inline void check_allocates_nothing(Transfer transfer)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	with_post(transfer, [](PostScene &s) {
		for (DAT_UINT64 i = 0; i < 4; i++)
			ok(s.pair.passive.recv(s.far.local(0, 64), i));
		const std::size_t before = allocations();
		EXPECT_GT(before, 0U);
		for (int i = 0; i < 4; i++)
			ok(s.call());
		EXPECT_EQ(allocations(), before);
	});
}

/**
 * "due to resource limitations": the queue is full. A request keeps its slot until
 * its completion is in the EVD; where that is short, slots stay in use.
 */
inline void check_full_request_queue(Transfer transfer)
{
	play([=](Line &) {
		constexpr DAT_UINT64 depth = 32;
		Adapter adapter;
		Pair pair(adapter, { .recvs = 100, .requests = depth, .events = 2 });
		Region region(adapter, 4096);
		DAT_LMR_TRIPLET segment = region.local(0, 8);
		DAT_RMR_TRIPLET remote = region.remote(64, 8);
		PostCall call{ .transfer = transfer,
			       .ep = pair.active.ep(),
			       .iov = &segment,
			       .remote = &remote };
		const auto room = static_cast<DAT_UINT64>(pair.active.request_queue().length());
		DAT_UINT64 posted = 0;
		DAT_RETURN result;

		for (DAT_UINT64 i = 0; transfer == Transfer::send && i < depth + room + 2; i++)
			ok(pair.passive.recv(region.local(1024, 8), i));
		while ((result = call()) == DAT_SUCCESS)
			require(++posted <= depth + room, "more requests than there are slots");
		refused(result, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS);
		EXPECT_GE(posted, depth);
		while (posted--)
			pair.active.expect_request(1, 8);
		ok(call());
		pair.active.expect_request(1, 8);
	});
}

/** Sizes of endpoints whose completions notify as each post says. */
inline EndpointSizes quiet_sizes()
{
	EndpointSizes sizes;

	sizes.request_style = DAT_COMPLETION_UNSIGNALLED_FLAG;
	sizes.dto_streams = DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG;
	return sizes;
}

/**
 * DAT_COMPLETION_UNSIGNALLED_FLAG: the completion comes, and ends no wait. The next one
 * that notifies does, and the wait gives the first.
 *
 * @param post  posts a request with these flags; its cookie is the number
 */
inline void check_quiet(EventQueue &queue,
			const std::function<void(DAT_UINT64 cookie, unsigned flags)> &post)
{
	const DAT_EVD_HANDLE evd = queue.evd();
	DAT_COUNT more = 0;
	DAT_EVENT event;

	post(1, DAT_COMPLETION_UNSIGNALLED_FLAG);
	while (more < 1)
		fails(DAT_TIMEOUT_EXPIRED, dat_evd_wait(evd, 50'000, 1, &event, &more));
	EvdWait wait(evd);
	post(2, DAT_COMPLETION_DEFAULT_FLAG);
	ok(wait.result());
	EXPECT_EQ(wait.event.event_data.dto_completion_event_data.user_cookie.as_64, 1U);
	EXPECT_EQ(wait.event.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
	EXPECT_EQ(wait.more, 1);
	event = queue.wait();
	EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, 2U);
	queue.require_empty();
}

inline void check_quiet_transfer(Transfer transfer)
{
	play([=](Line &) {
		Adapter adapter;
		Pair pair(adapter, quiet_sizes());
		Region region(adapter, 4096);
		DAT_LMR_TRIPLET segment = region.local(0, 64);
		DAT_RMR_TRIPLET remote = region.remote(1024, 64);

		check_quiet(pair.active.request_queue(), [&](DAT_UINT64 cookie, unsigned flags) {
			PostCall call{ .transfer = transfer,
				       .ep = pair.active.ep(),
				       .iov = &segment,
				       .cookie = cookie,
				       .remote = &remote,
				       .flags = flags };

			if (transfer == Transfer::send)
				ok(pair.passive.recv(region.local(2048, 64), cookie));
			ok(call());
		});
	});
}

} // namespace suite

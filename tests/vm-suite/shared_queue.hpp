// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shared receive queues, and endpoints that take from them. */
#pragma once

#include "endpoint.hpp"

#include <string>
#include <utility>

namespace suite {

/** An SRQ of the adapter's PZ. */
class SharedQueue {
public:
	SharedQueue(const Adapter &adapter, DAT_COUNT recvs, DAT_COUNT iov = 2)
	{
		DAT_SRQ_ATTR attributes = { recvs, iov, DAT_SRQ_LW_DEFAULT };

		ok(dat_srq_create(adapter.ia(), adapter.pz(), &attributes, &srq_));
	}
	SharedQueue(const SharedQueue &) = delete;
	SharedQueue &operator=(const SharedQueue &) = delete;
	~SharedQueue()
	{
		if (srq_ != DAT_HANDLE_NULL)
			dat_srq_free(srq_);
	}

	DAT_SRQ_HANDLE srq() const noexcept { return srq_; }
	void free() { ok(dat_srq_free(std::exchange(srq_, DAT_HANDLE_NULL))); }

	DAT_RETURN post(Segments segments, DAT_UINT64 cookie)
	{
		DAT_DTO_COOKIE user_cookie;

		user_cookie.as_64 = cookie;
		return dat_srq_post_recv(srq_, static_cast<DAT_COUNT>(segments.size()),
					 const_cast<DAT_LMR_TRIPLET *>(segments.data()),
					 user_cookie);
	}
	DAT_RETURN post(const DAT_LMR_TRIPLET &segment, DAT_UINT64 cookie)
	{
		return post(Segments(&segment, 1), cookie);
	}

	DAT_SRQ_PARAM query() const
	{
		DAT_SRQ_PARAM param{};

		ok(dat_srq_query(srq_, DAT_SRQ_FIELD_ALL, &param));
		return param;
	}
	void require_counts(DAT_COUNT available, DAT_COUNT outstanding,
			    Location where = Location::current()) const
	{
		const DAT_SRQ_PARAM param = query();

		require(param.available_dto_count == available &&
				param.outstanding_dto_count == outstanding,
			"available " + std::to_string(param.available_dto_count) +
				", outstanding " + std::to_string(param.outstanding_dto_count),
			where);
	}

private:
	DAT_SRQ_HANDLE srq_ = DAT_HANDLE_NULL;
};

/** An endpoint that takes from an SRQ, and the peer that sends to it. */
struct Taker {
	Taker(const Adapter &adapter, const SharedQueue &queue, DAT_COUNT events = 64,
	      DAT_COMPLETION_FLAGS style = DAT_COMPLETION_DEFAULT_FLAG)
		: listener(adapter), sender(adapter, { .requests = 64 }),
		  taker(adapter,
			{ .events = events,
			  .srq = queue.srq(),
			  .recv_style = style,
			  .dto_streams = style == DAT_COMPLETION_DEFAULT_FLAG ? any_stream :
										DAT_EVD_DTO_FLAG })
	{
		connect(adapter);
	}
	void connect(const Adapter &adapter)
	{
		ok(sender.connect(adapter.address(), listener.qual()));
		listener.accept(taker);
		sender.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	}
	/** A message is sent, and the sender has heard that it is there. */
	void send(const DAT_LMR_TRIPLET &segment, DAT_UINT64 cookie)
	{
		ok(sender.send(segment, cookie));
		sender.expect_request(cookie, segment.segment_length);
	}
	/** The same for a message of nothing. */
	void send(DAT_UINT64 cookie, DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG)
	{
		ok(sender.send(Segments(), cookie, flags));
		sender.expect_request(cookie, 0);
	}
	void end()
	{
		ok(dat_ep_disconnect(sender.ep(), DAT_CLOSE_ABRUPT_FLAG));
		sender.expect_end();
		taker.expect_end();
	}

	Listener listener;
	Endpoint sender, taker;
};

/** The next asynchronous event of the adapter. */
inline DAT_ASYNCH_ERROR_EVENT_DATA expect_async(const Adapter &adapter,
						Location where = Location::current())
{
	DAT_EVENT event;
	DAT_COUNT more;

	ok(dat_evd_wait(adapter.async_evd(), 20'000'000, 1, &event, &more), where);
	require(event.event_number == DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR,
		"event " + std::to_string(event.event_number), where);
	return event.event_data.asynch_error_event_data;
}

inline void require_no_async(const Adapter &adapter, Location where = Location::current())
{
	DAT_EVENT event;

	fails(DAT_QUEUE_EMPTY, dat_evd_dequeue(adapter.async_evd(), &event), where);
}

} // namespace suite

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_evd_create(): there is no page for it; what others say of it

#include "cno.hpp"
#include "endpoint.hpp"
#include "no_memory.hpp"
#include "no_resources.hpp"
#include "play.hpp"
#include "result.hpp"
#include "shared_queue.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

#include <set>

namespace suite {
namespace {

constexpr DAT_EVD_FLAGS streams[] = { DAT_EVD_SOFTWARE_FLAG, DAT_EVD_CR_FLAG,
				      DAT_EVD_DTO_FLAG,	     DAT_EVD_CONNECTION_FLAG,
				      DAT_EVD_RMR_BIND_FLAG, DAT_EVD_ASYNC_FLAG };

DAT_EVD_PARAM query(DAT_EVD_HANDLE evd)
{
	DAT_EVD_PARAM param;

	ok(dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param));
	return param;
}

/* The queue is at least as long as was asked for. */
TEST(DatEvdCreate, QueueHoldsAtLeastSoMany)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_COUNT length : { 1, 2, 3, 100, 1000 }) {
			SoftwareQueue queue(adapter, length);

			EXPECT_GE(queue.length(), length);
			for (DAT_COUNT i = 0; i < length; i++)
				ok(post_se(queue));
		}
	});
}

/* Enabled and waitable, without a CNO where none is given. */
TEST(DatEvdCreate, StateAtFirst)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		const DAT_EVD_PARAM param = query(queue.evd());

		EXPECT_EQ(param.evd_state, DAT_EVD_STATE_ENABLED | DAT_EVD_STATE_WAITABLE |
						   DAT_EVD_STATE_CONFIG_THRESHOLD);
		EXPECT_EQ(param.cno_handle, DAT_HANDLE_NULL);
		queue.require_empty();
	});
}

TEST(DatEvdCreate, NotifiesItsCno)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		DAT_EVD_HANDLE evd;

		ok(dat_evd_create(adapter.ia(), 8, cno.handle(), DAT_EVD_SOFTWARE_FLAG, &evd));
		EXPECT_EQ(query(evd).cno_handle, cno.handle());
		ok(post_se(evd));
		EXPECT_EQ(cno.wait(), evd);
		ok(dat_evd_free(evd));
	});
}

/* dat_ia_query(): "should support merging of all event stream types": all 36 pairs */
TEST(DatEvdCreate, EveryPairOfStreamsMayBeMerged)
{
	play([](Line &) {
		Adapter adapter;

		for (unsigned row = 0; row < 6; row++) {
			for (unsigned column = 0; column < 6; column++) {
				const DAT_EVD_FLAGS both = streams[row] | streams[column];
				DAT_EVD_HANDLE evd;

				EXPECT_TRUE(adapter.provider()
						    .evd_stream_merging_supported[row][column]);
				ok(dat_evd_create(adapter.ia(), 8, DAT_HANDLE_NULL, both, &evd));
				EXPECT_EQ(query(evd).evd_flags, both);
				ok(dat_evd_free(evd));
			}
		}
	});
}

/** Which kinds of events come to the EVD while all kinds of them happen. */
std::set<DAT_EVENT_NUMBER> events_of(const Adapter &adapter, DAT_EVD_FLAGS merged)
{
	EventQueue queue(adapter, 64, merged), rest(adapter, 64);
	const auto home = [&](unsigned flags) { return merged & flags ? queue.evd() : rest.evd(); };
	const DAT_EVD_HANDLE requests = home(DAT_EVD_CR_FLAG), ends = home(DAT_EVD_CONNECTION_FLAG),
			     transfers = home(DAT_EVD_DTO_FLAG);
	Region region(adapter, 64);
	DAT_EP_HANDLE active, passive;
	DAT_CONN_QUAL qual;
	DAT_PSP_HANDLE psp;
	std::set<DAT_EVENT_NUMBER> seen;
	const auto take = [&](DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number) {
		DAT_EVENT event;
		DAT_COUNT more;
		ok(dat_evd_wait(evd, long_time, 1, &event, &more));
		EXPECT_EQ(event.event_number, number);
		if (evd == queue.evd())
			seen.insert(event.event_number);
		return event;
	};

	ok(dat_psp_create_any(adapter.ia(), &qual, requests, DAT_PSP_CONSUMER_FLAG, &psp));
	for (DAT_EP_HANDLE *ep : { &active, &passive })
		ok(dat_ep_create(adapter.ia(), adapter.pz(), transfers, transfers, ends, nullptr,
				 ep));
	ok(dat_ep_connect(active, adapter.address(), qual, long_time, 0, nullptr,
			  DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	const DAT_EVENT request = take(requests, DAT_CONNECTION_REQUEST_EVENT);
	ok(dat_cr_accept(request.event_data.cr_arrival_event_data.cr_handle, passive, 0, nullptr));
	take(ends, DAT_CONNECTION_EVENT_ESTABLISHED);
	take(ends, DAT_CONNECTION_EVENT_ESTABLISHED);
	if (merged & DAT_EVD_SOFTWARE_FLAG) {
		ok(post_se(queue));
		take(queue.evd(), DAT_SOFTWARE_EVENT);
	}
	if (merged & DAT_EVD_RMR_BIND_FLAG && adapter.attributes().max_rmrs) {
		const DAT_LMR_TRIPLET what = region.local(0, 64);
		DAT_RMR_HANDLE rmr;
		DAT_RMR_CONTEXT context;
		DAT_RMR_COOKIE cookie{};

		ok(dat_rmr_create(adapter.pz(), &rmr));
		ok(dat_rmr_bind(rmr, &what, DAT_MEM_PRIV_REMOTE_READ_FLAG, active, cookie,
				DAT_COMPLETION_DEFAULT_FLAG, &context));
		take(transfers, DAT_RMR_BIND_COMPLETION_EVENT);
		ok(dat_rmr_free(rmr));
	}
	if (merged & DAT_EVD_DTO_FLAG) {
		DAT_RMR_TRIPLET target = region.remote(0, 0);
		ok(dat_ep_post_rdma_write(active, 0, nullptr, DAT_DTO_COOKIE{}, &target,
					  DAT_COMPLETION_DEFAULT_FLAG));
		take(transfers, DAT_DTO_COMPLETION_EVENT);
	}
	if (merged & DAT_EVD_ASYNC_FLAG) {
		Adapter borrower(adapter_name(), queue.evd());
		SharedQueue empty(borrower, 4);

		ok(dat_srq_set_lw(empty.srq(), 1));
		take(queue.evd(), DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR);
	}
	ok(dat_ep_free(active));
	ok(dat_ep_free(passive));
	ok(dat_psp_free(psp));
	return seen;
}

/* Events of all pairs of merged streams come, each with its own number. */
TEST(DatEvdCreate, EventsOfMergedStreams)
{
	const std::pair<DAT_EVD_FLAGS, DAT_EVENT_NUMBER> kinds[] = {
		{ DAT_EVD_SOFTWARE_FLAG, DAT_SOFTWARE_EVENT },
		{ DAT_EVD_CR_FLAG, DAT_CONNECTION_REQUEST_EVENT },
		{ DAT_EVD_DTO_FLAG, DAT_DTO_COMPLETION_EVENT },
		{ DAT_EVD_CONNECTION_FLAG, DAT_CONNECTION_EVENT_ESTABLISHED },
		{ DAT_EVD_RMR_BIND_FLAG, DAT_RMR_BIND_COMPLETION_EVENT },
		{ DAT_EVD_ASYNC_FLAG, DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR },
	};

	play([&](Line &) {
		Adapter adapter;

		for (const auto &one : kinds) {
			for (const auto &other : kinds) {
				DAT_EVD_FLAGS merged = one.first | other.first;
				std::set<DAT_EVENT_NUMBER> expected = { one.second, other.second };
				if (one.first > other.first)
					continue;
				/* Binds complete where the EP's other requests do. */
				if (merged & DAT_EVD_RMR_BIND_FLAG) {
					merged = merged | DAT_EVD_DTO_FLAG;
					expected.insert(DAT_DTO_COMPLETION_EVENT);
				}
				if (!adapter.attributes().max_rmrs)
					expected.erase(DAT_RMR_BIND_COMPLETION_EVENT);
				EXPECT_EQ(events_of(adapter, merged), expected);
			}
		}
	});
}

/* What is made with an EVD must be one that takes its stream. */
TEST(DatEvdCreate, InvalidHandleForAnotherStream)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);
		DAT_CONN_QUAL qual;
		DAT_PSP_HANDLE psp;
		DAT_EP_HANDLE ep;

		refused(dat_psp_create_any(adapter.ia(), &qual, queue.evd(), DAT_PSP_CONSUMER_FLAG,
					   &psp),
			DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
		EventQueue dto(adapter, 64, DAT_EVD_DTO_FLAG);
		refused(dat_ep_create(adapter.ia(), adapter.pz(), queue.evd(), dto.evd(),
				      DAT_HANDLE_NULL, nullptr, &ep),
			DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_RECV);
		refused(dat_ep_create(adapter.ia(), adapter.pz(), dto.evd(), queue.evd(),
				      DAT_HANDLE_NULL, nullptr, &ep),
			DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_REQUEST);
		refused(dat_ep_create(adapter.ia(), adapter.pz(), dto.evd(), dto.evd(), dto.evd(),
				      nullptr, &ep),
			DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN);
	});
}

TEST(DatEvdCreate, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE evd;
		const auto create = [&](DAT_COUNT length, unsigned flags, DAT_EVD_HANDLE *where) {
			return dat_evd_create(adapter.ia(), length, DAT_HANDLE_NULL,
					      static_cast<DAT_EVD_FLAGS>(flags), where);
		};

		for (DAT_COUNT length : { 0, -1 })
			refused(create(length, DAT_EVD_DTO_FLAG, &evd), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG2);
		for (unsigned flags : { 0U, 2U, 0x200U, DAT_EVD_DTO_FLAG | 0x400U })
			refused(create(8, flags, &evd), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
		refused(create(8, DAT_EVD_DTO_FLAG, nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG5);
	});
}

/* More than max_evd_qlen tells. */
TEST(DatEvdCreate, InsufficientResourcesLongestQueue)
{
	play([](Line &) {
		Adapter adapter;
		const DAT_COUNT longest = adapter.attributes().max_evd_qlen;
		DAT_EVD_HANDLE evd;

		refused(dat_evd_create(adapter.ia(), longest + 1, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG,
				       &evd),
			DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEVD);
		ok(dat_evd_create(adapter.ia(), longest, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &evd));
		EXPECT_EQ(query(evd).evd_qlen, longest);
		ok(dat_evd_free(evd));
	});
}

/* No memory for the queue, and no EVD left. */
TEST(DatEvdCreate, InsufficientResourcesNoMemory)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE evd;
		NoMemory limit;

		refused(dat_evd_create(adapter.ia(), 1000, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &evd),
			DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
	});
}

TEST(DatEvdCreate, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter, another;
		Cno foreign(another);
		DAT_EVD_HANDLE evd;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.pz() })
			refused(dat_evd_create(other, 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &evd),
				DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
		for (DAT_HANDLE other : { DAT_HANDLE(adapter.pz()), DAT_HANDLE(foreign.handle()) })
			refused(dat_evd_create(adapter.ia(), 8, other, DAT_EVD_DTO_FLAG, &evd),
				DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO);
	});
}

TEST(DatEvdCreate, InsufficientResourcesNoHeap)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE evd;

		check_without_heap([&] {
			return dat_evd_create(adapter.ia(), 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG,
					      &evd);
		});
		ok(dat_evd_free(evd));
	});
}

} // namespace
} // namespace suite
